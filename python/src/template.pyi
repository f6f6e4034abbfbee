# Made by `cargo run -p throng-py --example stubs > python/throng/__init__.pyi`; a test compares it.
import builtins
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from ._errors import Cancelled as Cancelled
from ._errors import DataError as DataError
from ._errors import Error as Error
from ._errors import FileError as FileError
from ._errors import InternalError as InternalError
from ._errors import MissingFileError as MissingFileError
from ._errors import ParameterError as ParameterError
from ._errors import Refused as Refused
from ._found import Compared as Compared
from ._found import Found as Found
from ._found import Verdict as Verdict
from ._release import Release as Release

__version__: str
__all__: builtins.list[str]

Path: TypeAlias = str | os.PathLike[str]
Like: TypeAlias = Literal["pyarrow", "polars", "pandas"]
Progress: TypeAlias = bool | Callable[[str, int, int], object] | None

def protect(
    data: Any,
    k: int | None = ...,
    *,
    out: Path | None = ...,
    key: bool | Path = ...,
    like: Like | None = ...,
    progress: Progress = ...,
    threads: int | None = ...,
    show_values: bool = ...,
    # keywords of protect
) -> Release: ...
def inspect(
    data: Any,
    *,
    progress: Progress = ...,
    threads: int | None = ...,
    show_values: bool = ...,
    # keywords of inspect
) -> Found: ...
def check(
    data: Any,
    model: str | None = ...,
    k: int | None = ...,
    *,
    original: Any = ...,
    progress: Progress = ...,
    threads: int | None = ...,
    show_values: bool = ...,
    # keywords of check
) -> Verdict: ...
def measure(
    original: Any,
    release: Any,
    *,
    progress: Progress = ...,
    threads: int | None = ...,
    show_values: bool = ...,
    # keywords of measure
) -> Found: ...
def attack(
    original: Any,
    release: Any,
    *,
    progress: Progress = ...,
    threads: int | None = ...,
    show_values: bool = ...,
    # keywords of attack
) -> Found: ...
def audit(
    data: Any,
    k: int | None = ...,
    *,
    progress: Progress = ...,
    threads: int | None = ...,
    show_values: bool = ...,
    # keywords of audit
) -> Verdict: ...
def compare(
    data: Any,
    methods: str | Sequence[str],
    k: int | str | Iterable[int] | None = ...,
    *,
    progress: Progress = ...,
    threads: int | None = ...,
    show_values: bool = ...,
    # keywords of compare
) -> Compared: ...
def list(section: str | None = ...) -> Found: ...
def explain(name: str) -> Found: ...
def synth(
    kind: str,
    persons: int | None = ...,
    *,
    like: Like = ...,
    progress: Progress = ...,
    threads: int | None = ...,
    # keywords of synth
) -> Any: ...
