"""Made-up data that many tests look at; small, and the same every time."""

from __future__ import annotations

from typing import Any

import pytest

import throng


@pytest.fixture(scope="session")
def log() -> Any:
    """A search log of sixty made-up persons, as a pyarrow table."""
    return throng.synth("queries", persons=60, seed=1, mean_lines=12)


@pytest.fixture(scope="session")
def release(log: Any) -> throng.Release:
    return throng.protect(log, k=5, seed=1, key=True, no_attacks=True)
