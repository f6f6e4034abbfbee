"""What the wheel costs beside the command: CPU and memory of `protect`, import, size, Ctrl-C, a thread beside it.

`cargo build --release && pip install ./python && python python/benches/overhead.py [PERSONS LINES …]`; pairs of persons and of
lines that one has, `1000 90` when none is given. Prints one row each.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import throng
from throng import _throng

COMMAND = Path(__file__).parents[2] / "target" / "release" / "throng"

CHILD = """
import resource, sys, time
import pyarrow.parquet
import throng
frame = pyarrow.parquet.read_table(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF)
release = throng.protect(frame, k=5, seed=1, progress=False)
after = resource.getrusage(resource.RUSAGE_SELF)
print(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss - before.ru_maxrss)
"""


def say(what: str, value: str) -> None:
    sys.stdout.write(f"{what:<60} {value}\n")
    sys.stdout.flush()


def cpu_of_command(file: Path, out: Path) -> tuple[float, int]:
    process = subprocess.Popen([COMMAND, "protect", file, "--out", out, "--k", "5", "--seed", "1", "--quiet"])
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def protect(folder: Path, persons: int, lines: float) -> None:
    file = folder / f"log-{persons}.parquet"
    throng.synth("queries", persons=persons, mean_lines=lines, seed=1, out=file, progress=False)
    command, memory = cpu_of_command(file, folder / f"by-command-{persons}")
    found = subprocess.run([sys.executable, "-c", CHILD, file], capture_output=True, text=True, check=True).stdout.split()
    wheel, above = float(found[0]), int(found[1])
    say(f"{persons} persons, CPU of the wheel / the command, s", f"{wheel:.2f} / {command:.2f} = {wheel / command:.2f}")
    say(f"{persons} persons, memory above the frame / the command, MB", f"{above / 1024:.0f} / {memory / 1024:.0f}")


def interrupted() -> float:
    frame = throng.synth("queries", persons=3000, mean_lines=30, seed=1, progress=False)
    sent: list[float] = []

    def send() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(0.7, send).start()
    try:
        throng.protect(frame, k=5, progress=False)
    except KeyboardInterrupt:
        return time.monotonic() - sent[0]
    raise RuntimeError("it was done before it was interrupted")


def thread_beside() -> float:
    frame = throng.synth("queries", persons=1000, mean_lines=30, seed=1, progress=False)

    def count_until(done: threading.Event) -> float:
        counted, begun = 0, time.monotonic()
        while not done.is_set():
            counted += 1
        return counted / (time.monotonic() - begun)

    speeds: list[float] = []
    for work in (lambda: time.sleep(2.0), lambda: throng.protect(frame, k=5, threads=1, progress=False)):
        done = threading.Event()
        counter = threading.Thread(target=lambda done=done: speeds.append(count_until(done)))
        counter.start()
        work()
        done.set()
        counter.join()
    return speeds[1] / speeds[0]


def main() -> None:
    given = [float(text) for text in sys.argv[1:]] or [1000.0, 90.0]
    module = Path(_throng.__file__ or "")
    say("module, MB", f"{module.stat().st_size / 1e6:.1f}")
    times = []
    for _ in range(5):
        begun = time.monotonic()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        plain = time.monotonic() - begun
        begun = time.monotonic()
        subprocess.run([sys.executable, "-c", "import throng"], check=True)
        times.append(time.monotonic() - begun - plain)
    say("import throng, s (median of 5)", f"{sorted(times)[2]:.3f}")
    say("Ctrl-C to KeyboardInterrupt, s", f"{interrupted():.2f}")
    say("a Python thread's speed beside protect(threads=1)", f"{thread_beside():.2f}")
    with tempfile.TemporaryDirectory() as folder:
        for persons, lines in zip(given[::2], given[1::2], strict=True):
            protect(Path(folder), int(persons), lines)
    say("memory of this process at most, MB", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}")


if __name__ == "__main__":
    main()
