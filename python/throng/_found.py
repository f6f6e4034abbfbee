"""What commands find: mappings that read like the command's JSON and print like its words."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from ._errors import as_keywords


class Found(dict[str, Any]):
    """What a command found. Its keys are those of the command's `--json`; `print` shows the command's words."""

    text: str
    notes: list[str]

    def __init__(self, found: str, text: str, notes: list[str]) -> None:
        super().__init__(json.loads(found))
        self.text = as_keywords(text).rstrip("\n")
        self.notes = list(notes)

    def __repr__(self) -> str:
        return self.text

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return f'<pre style="line-height:1.35">{escape(self.text)}</pre>'

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (json.dumps(dict(self)), self.text, self.notes)


class Verdict(Found):
    """What a check found: true if everything was checked and holds."""

    @property
    def verdict(self) -> str:
        """`holds`, `fails`, `partly` or `nothing claimed`."""
        return str(self["verdict"])

    @property
    def achieved(self) -> dict[str, Any]:
        """What the data achieve for the first claim."""
        return dict(self["achieved"])

    @property
    def witness(self) -> Any:
        """What shows that something fails, if it does."""
        return self.get("witness")

    @property
    def claims(self) -> list[dict[str, Any]]:
        """Every claim with its own verdict."""
        return list(self["claims"])

    def __bool__(self) -> bool:
        return self.verdict == "holds"


class Compared(Found):
    """What a comparison found; `html()` is its page."""

    _page: str

    def __init__(self, found: str, text: str, notes: list[str], page: str) -> None:
        super().__init__(found, text, notes)
        self._page = page

    def html(self) -> str:
        """The comparison as one page."""
        return self._page

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (json.dumps(dict(self)), self.text, self.notes, self._page)
