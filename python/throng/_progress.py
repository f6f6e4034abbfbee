"""How far a run is: one line in a terminal, one line that changes in a notebook, or whatever a function does with it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

Listener = Callable[[str, int, int], object]


class _Line:
    """A line that is drawn over itself, once a run takes longer than a second."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._width = 0
        self._notebook = _notebook()
        self._handle: Any = None

    def __call__(self, stage: str, done: int, total: int) -> None:
        if time.monotonic() - self._begun < 1.0:
            return
        text = f"{stage} {100 * done // total} %" if total else stage
        if self._notebook is not None:
            shown = {"text/plain": text}
            if self._handle is None:
                self._handle = self._notebook(shown, raw=True, display_id=True)
            else:
                self._handle.update(shown, raw=True)
        elif sys.stderr.isatty():
            sys.stderr.write("\r" + text.ljust(self._width))
            sys.stderr.flush()
            self._width = max(self._width, len(text))

    def close(self) -> None:
        if self._handle is not None:
            self._handle.update({"text/plain": ""}, raw=True)
        elif self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()


def _notebook() -> Any:
    """What shows something in a notebook, if this is one."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display

    return display


def listener(progress: bool | Listener | None) -> Listener | None:
    """Who is told how far a run is."""
    if callable(progress):
        return progress
    if not progress or not (sys.stderr is not None and (sys.stderr.isatty() or _notebook() is not None)):
        return None
    return _Line()


def close(listener: Listener | None) -> None:
    """Takes the line away."""
    if isinstance(listener, _Line):
        listener.close()
