"""The stub says what the module has, and the example in the docs runs."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import throng
from throng import _throng

PACKAGE = Path(__file__).parents[1] / "throng"


def test_the_stub_is_made_of_the_catalogue() -> None:
    made = "`cargo run -p throng-py --example stubs > python/throng/__init__.pyi` makes it"
    assert (PACKAGE / "__init__.pyi").read_text("utf-8") == _throng.stub(), made


def test_every_function_of_the_stub_is_there() -> None:
    tree = ast.parse(_throng.stub())
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            known = inspect.signature(getattr(throng, node.name)).parameters
            said = [argument.arg for argument in node.args.args + node.args.kwonlyargs]
            assert len(said) == len(set(said)), node.name
            by_name = [name for name, one in known.items() if one.kind is not inspect.Parameter.VAR_KEYWORD]
            keywords = _throng.keywords_of(node.name)
            assert set(by_name) | set(keywords) == set(said), node.name


def test_what_is_promised_is_exported() -> None:
    assert all(hasattr(throng, name) for name in throng.__all__)
