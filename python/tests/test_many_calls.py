"""Calls at the same time, calls that are interrupted, calls one after the other."""

from __future__ import annotations

import gc
import os
import random
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import throng


def _protect(table: Any, **keywords: Any) -> throng.Release:
    measures = ["profile-exposure-level"]
    asked = {"k": 3, "seed": 1, "weight_concepts": 0, "no_attacks": True, "measures": measures, "threads": 1, "progress": False}
    return throng.protect(table, **asked, **keywords)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def log() -> Any:
    return throng.synth("queries", persons=30, seed=1)


def test_twenty_threads_at_once(log: Any) -> None:
    expected, found = _protect(log).arrow(), []
    threads = [threading.Thread(target=lambda: found.append(_protect(log).arrow().equals(expected))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 20


def test_interrupted_at_ten_moments(log: Any, tmp_path: Path) -> None:
    begun = time.monotonic()
    _protect(log)
    usual = time.monotonic() - begun
    draw = random.Random(3)
    for number in range(10):
        sent: list[float] = []

        def interrupt(sent: list[float] = sent) -> None:
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(draw.random() * usual * 0.5, interrupt)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            _protect(log, out=tmp_path / str(number))
            # The run was quicker than the moment: then it is interrupted here.
            timer.join()
            time.sleep(1)
        assert time.monotonic() - sent[0] < 1.0 + usual * 0.1
        if not (tmp_path / str(number)).exists():
            assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not say how much memory a process has")
def test_memory_does_not_grow(log: Any) -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    for _ in range(10):
        _protect(log)
    before = resident()
    for _ in range(40):
        _protect(log)
    gc.collect()
    assert resident() < before + 20_000_000
