"""What can go wrong, as exceptions. `Error` stands above all of them."""

from __future__ import annotations

import re


class Error(Exception):
    """Something that throng could not or would not do: `message`, where (`file`, `line`, `column`) and what to do (`hint`)."""

    code: str = "refused"
    message: str = ""
    hint: str | None = None
    file: str | None = None
    line: int | None = None
    column: str | None = None


class DataError(Error, ValueError):
    """The data cannot be read or used."""

    code = "data"


class ParameterError(Error, ValueError):
    """A keyword, or the value of one, is not what it may be."""

    code = "parameter"


class Refused(Error):
    """The request was understood, and nothing may be published or done."""


class Cancelled(Error):
    """The run was stopped."""

    code = "interrupted"


class FileError(Error, OSError):
    """The operating system said no."""

    code = "io"


class MissingFileError(Error, FileNotFoundError):
    """A file is not there."""

    code = "not-found"


class InternalError(Error, RuntimeError):
    """A bug in throng; please report it."""

    code = "internal"


_CLASSES: dict[str, type[Error]] = {
    "parameter": ParameterError,
    "unknown-name": ParameterError,
    "data": DataError,
    "refused": Refused,
    "policy": Refused,
    "not-found": MissingFileError,
    "no-space": FileError,
    "io": FileError,
    "interrupted": Cancelled,
    "internal": InternalError,
}

_FLAG = re.compile(r"`--([a-z][a-z0-9-]*)(?:[ =]([^`]*))?`")


def as_keywords(text: str) -> str:
    """Flags of the command as keywords: `` `--time-format FORMAT` `` becomes `` `time_format=FORMAT` ``."""

    def keyword(found: re.Match[str]) -> str:
        rest = found.group(2)
        if found.group(1) == "column" and rest is not None:
            pairs = [pair.partition("=") for pair in rest.split()]
            return "`columns={" + ", ".join(f'"{role}": "{column}"' for role, _, column in pairs) + "}`"
        more = "" if rest is None else "=" + re.sub(r" --([a-z-]+) ?", lambda m: f", {m.group(1).replace('-', '_')}=", rest)
        return f"`{found.group(1).replace('-', '_')}{more}`"

    return _FLAG.sub(keyword, text).replace("`show_values` shows it", "`show_values=True` shows it")


def of(
    code: str,
    text: str,
    message: str,
    hint: str | None,
    place: tuple[str, int | None, str | None],
) -> Error:
    """The exception of an error of the library."""
    error = _CLASSES.get(code, Refused)(as_keywords(text))
    error.code = code
    error.message = message
    error.hint = None if hint is None else as_keywords(hint)
    error.file, error.line, error.column = place[0] or None, place[1], place[2]
    return error


def made(kind: type[Error], message: str, hint: str) -> Error:
    """An exception of the package itself."""
    error = kind(f"{message}\n\nhint: {hint}")
    error.message, error.hint = message, hint
    return error
