"""How calls run: interruptible, beside other threads, after fork, and telling how far they are."""

from __future__ import annotations

import multiprocessing
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import throng


@pytest.fixture(scope="module")
def large() -> Any:
    return throng.synth("queries", persons=3000, seed=1, mean_lines=30)


def test_ctrl_c_ends_a_run_and_leaves_nothing(large: Any, tmp_path: Path) -> None:
    chance = random.Random(1)
    for round_ in range(10):
        sent: list[float] = []

        def interrupt(sent: list[float] = sent) -> None:
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(chance.uniform(0.05, 1.2), interrupt)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            throng.protect(large, k=5, out=tmp_path / f"release-{round_}")
            # It may be done before it is interrupted, on a fast machine.
            time.sleep(5)
        waited = time.monotonic() - sent[0]
        timer.join()
        assert waited < float(os.environ.get("THRONG_TEST_PATIENCE", "4")), waited
        if not (tmp_path / f"release-{round_}").exists():
            assert not any(path.name.startswith(".") for path in tmp_path.iterdir())


def test_a_listener_that_raises_ends_the_run(large: Any) -> None:
    class Enough(Exception):
        pass

    def listener(stage: str, done: int, total: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        throng.protect(large, k=5, progress=listener)


def test_a_listener_hears_at_most_ten_times_a_second(large: Any) -> None:
    heard: list[tuple[float, str, int, int]] = []
    throng.protect(large, k=5, no_attacks=True, progress=lambda *told: heard.append((time.monotonic(), *told)))
    assert heard and all(isinstance(stage, str) and done >= 0 for _, stage, done, _ in heard)
    gaps = [later[0] - earlier[0] for earlier, later in pairwise(heard)]
    assert all(gap > 0.09 for gap in gaps)


def test_other_threads_go_on(large: Any) -> None:
    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1

    counter = threading.Thread(target=count)
    counter.start()
    throng.protect(large.slice(0, 30_000), k=5, threads=1, no_attacks=True)
    done.set()
    counter.join()
    assert counted > 10_000


def test_twenty_threads_at_once(log: Any) -> None:
    found: list[Any] = []

    def protect() -> None:
        found.append(throng.protect(log, k=5, seed=1, threads=1, no_attacks=True, measures=["query-frequency"]).arrow())

    threads = [threading.Thread(target=protect) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 20 and all(table.equals(found[0]) for table in found)


def _persons(log: Any) -> int:
    return int(throng.protect(log, k=5, seed=1, no_attacks=True, measures=["query-frequency"]).certificate["output"]["persons"])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_after_fork(log: Any, release: throng.Release) -> None:
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(_persons, [log, log]) == [_persons(log)] * 2


def test_memory_does_not_grow(log: Any) -> None:
    def used() -> int:
        fields = Path("/proc/self/statm").read_text().split()
        return int(fields[1]) * resource.getpagesize()

    for _ in range(10):
        _persons(log)
    before = used()
    for _ in range(50):
        _persons(log)
    assert used() - before < 30 << 20


def test_import_is_quick_and_needs_no_library() -> None:
    script = "import sys, throng; print([name for name in ('pyarrow', 'pandas', 'polars', 'numpy') if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
