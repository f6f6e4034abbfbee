"""Hide in the crowd: publish data about people without giving the people away.

`throng.protect(frame, k=5)` gives a release in which every person is one of at least k who look the same, checked on the very
data that are handed out. `throng.inspect` says what data are; `check`, `measure`, `attack` and `audit` look at anybody's release,
`compare` tries methods side by side, `list` and `explain` show what there is, `synth` makes data up.
"""

from __future__ import annotations

import builtins
import json
import os
import tempfile
import warnings
from typing import Any

from . import _frames, _progress, _throng
from ._errors import (
    Cancelled,
    DataError,
    Error,
    FileError,
    InternalError,
    MissingFileError,
    ParameterError,
    Refused,
    made,
)
from ._found import Compared, Found, Verdict
from ._release import Release

__version__ = _throng.version()
__all__ = [
    "Cancelled",
    "Compared",
    "DataError",
    "Error",
    "FileError",
    "Found",
    "InternalError",
    "MissingFileError",
    "ParameterError",
    "Refused",
    "Release",
    "Verdict",
    "attack",
    "audit",
    "check",
    "compare",
    "explain",
    "inspect",
    "list",
    "measure",
    "protect",
    "synth",
]

# What only a release folder can have: with one of these the release goes there, and does not stay in memory.
_OF_FOLDERS = (
    "overwrite",
    "token_key",
    "noise_file",
    "checkpoint",
    "ledger",
    "dataset",
    "continues",
    "earlier",
    "sign",
    "password_file",
)


def protect(
    data: Any,
    k: int | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    key: bool | str | os.PathLike[str] = False,
    like: str | None = None,
    progress: Any = True,
    threads: int | None = None,
    show_values: bool = False,
    **keywords: Any,
) -> Release:
    """Makes a release in which every person is one of at least k who look the same.

    `out` writes it as a release folder, too; `key=True` keeps who became whom in memory, `key=path` with `out` writes it there.
    Every parameter of the method and every flag of `throng protect` is a keyword, with `_` for `-`.
    """
    source, library = _frames.taken(data)
    if like is not None and like not in _frames.LIKES:
        raise made(ParameterError, f"`like` is `{like}`", f"it must be one of {', '.join(_frames.LIKES)}")
    needs_folder = [name for name in _OF_FOLDERS if keywords.get(name) is not None]
    writes_key = not isinstance(key, bool)
    needs_folder += ["key"] if writes_key else []
    if out is None and (needs_folder or keywords.get("format") is not None):
        name = (needs_folder or ["format"])[0]
        raise made(ParameterError, f"`{name}` is for a release folder", "name one: `out=`")
    # A file becomes the very files that the command writes; a frame stays in memory, and is saved from there.
    goes_into_folder = out is not None and (bool(needs_folder) or (isinstance(source, builtins.list) and key is not True))
    listener = _progress.listener(progress)
    manner = _throng.Manner(threads, listener, show_values)
    keywords = {"k": k, **keywords}
    saved_as = None if goes_into_folder else keywords.pop("format", None)
    if out is not None and os.path.lexists(out) and not keywords.get("overwrite"):
        raise made(Refused, f"{os.fspath(out)} exists already", "choose another name, remove it, or `overwrite=True`")
    try:
        held, found, notes = _throng.protect(
            _json(keywords),
            source,
            os.fspath(out) if out is not None and goes_into_folder else None,
            os.fspath(key) if writes_key else None,  # type: ignore[arg-type]
            key is True and not goes_into_folder,
            manner,
        )
        told = json.loads(found)
        for name in told["unused"]:
            warnings.warn(f"`{name.replace('-', '_')}` means nothing here and is ignored", stacklevel=2)
        if keywords.get("seed") is not None:
            notes.append("a seeded release can be undone by whoever learns the seed: publish only releases made without one")
        release = Release(held, told, like or library, told["release"] or None, notes)
        if out is not None and held is not None:
            release._folder = str(held.save(os.fspath(out), saved_as, manner))
    finally:
        _progress.close(listener)
    return release


def inspect(data: Any, *, progress: Any = True, threads: int | None = None, show_values: bool = False, **keywords: Any) -> Found:
    """What data are, and how exposed the people in them are."""
    return Found(*_looked("inspect", data, None, progress, threads, show_values, keywords)[:3])


def check(
    data: Any,
    model: str | None = None,
    k: int | None = None,
    *,
    original: Any = None,
    progress: Any = True,
    threads: int | None = None,
    show_values: bool = False,
    **keywords: Any,
) -> Verdict:
    """Whether a model holds, or every claim of a release; true if everything was checked and holds."""
    keywords = {"model": model, "k": k, **keywords}
    return Verdict(*_looked("check", data, original, progress, threads, show_values, keywords)[:3])


def measure(
    original: Any, release: Any, *, progress: Any = True, threads: int | None = None, show_values: bool = False, **keywords: Any
) -> Found:
    """What a release keeps, and what it gives away."""
    return Found(*_looked("measure", original, release, progress, threads, show_values, keywords)[:3])


def attack(
    original: Any, release: Any, *, progress: Any = True, threads: int | None = None, show_values: bool = False, **keywords: Any
) -> Found:
    """How often somebody is right who knows a little of a person."""
    return Found(*_looked("attack", original, release, progress, threads, show_values, keywords)[:3])


def audit(
    data: Any,
    k: int | None = None,
    *,
    progress: Any = True,
    threads: int | None = None,
    show_values: bool = False,
    **keywords: Any,
) -> Verdict:
    """Whether data are anonymous, whoever made them; who is alone in them, by what, and what to do."""
    return _Audit(*_looked("audit", data, None, progress, threads, show_values, {"k": k, **keywords})[:3])


class _Audit(Verdict):
    """What an audit found."""

    @property
    def achieved(self) -> dict[str, Any]:
        return {}

    @property
    def claims(self) -> builtins.list[dict[str, Any]]:
        return []


def compare(
    data: Any,
    methods: Any,
    k: Any = None,
    *,
    progress: Any = True,
    threads: int | None = None,
    show_values: bool = False,
    **keywords: Any,
) -> Compared:
    """Several methods and values of k side by side on the same data, with a recommendation."""
    keywords = {"methods": methods, "k": k, **keywords}
    found, text, notes, page = _looked("compare", data, None, progress, threads, show_values, keywords)
    return Compared(found, text, notes, page or "")


def list(section: str | None = None) -> Found:
    """Everything there is: methods, models, measures, distances, attacks, finders, formats, kinds; or one of these."""
    return Found(*_throng.listed(section), [])


def explain(name: str) -> Found:
    """A method, model, measure, attack, distance or finder in words."""
    card, text = _throng.explained(name)
    # A method and a model may have one name.
    return Found(card if card.startswith("{") else json.dumps({"items": json.loads(card)}), text, [])


def synth(
    kind: str,
    persons: int | None = None,
    *,
    like: str = "pyarrow",
    progress: Any = True,
    threads: int | None = None,
    **keywords: Any,
) -> Any:
    """Made-up data, no real person in them; with `out` they go into a file."""
    if like not in _frames.LIKES:
        raise made(ParameterError, f"`like` is `{like}`", f"it must be one of {', '.join(_frames.LIKES)}")
    listener = _progress.listener(progress)
    try:
        table = _throng.synth(kind, _json({"persons": persons, **keywords}), _throng.Manner(threads, listener))
    finally:
        _progress.close(listener)
    if isinstance(table, str):
        import pyarrow

        table = pyarrow.Table.from_pylist([json.loads(line) for line in table.splitlines()])
    return None if table is None else _frames.given(table, like)


def _looked(
    function: str, data: Any, other: Any, progress: Any, threads: int | None, show_values: bool, keywords: dict[str, Any]
) -> tuple[str, str, builtins.list[str], str | None]:
    """Runs a command that looks at data."""
    source, _ = _frames.taken(data)
    second = None if other is None else _frames.taken(other)[0]
    listener = _progress.listener(progress)
    manner = _throng.Manner(threads, listener, show_values)
    release = other if function in ("measure", "attack") else data
    key = release._key_bytes() if isinstance(release, Release) else None
    try:
        if key is not None and keywords.get("key") is None and function in ("check", "measure", "attack"):
            # The library reads keys from files: one that nobody else can read, for as long as the call takes.
            with tempfile.NamedTemporaryFile(prefix=".throng-", suffix=".csv") as place:
                place.write(key)
                place.flush()
                found = _throng.look(function, _json({**keywords, "key": place.name}), source, second, manner)
        else:
            found = _throng.look(function, _json(keywords), source, second, manner)
    finally:
        _progress.close(listener)
    return found[0], found[1], found[3], found[2]


def _json(keywords: dict[str, Any]) -> str:
    """Keywords as JSON."""

    def plain(value: Any) -> Any:
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        if isinstance(value, (range, set, frozenset)):
            return sorted(value)
        # Numbers of numpy know themselves as plain ones.
        if hasattr(value, "item") and callable(value.item):
            return value.item()
        raise TypeError

    for name, value in keywords.items():
        try:
            json.dumps(value, default=plain, allow_nan=False)
        except (TypeError, ValueError):
            raise made(
                ParameterError,
                f"`{name}` is of the type `{type(value).__qualname__}`, which is no value of a keyword",
                "numbers, texts, paths, True, False, lists of these and mappings are",
            ) from None
    return json.dumps(keywords, default=plain)
