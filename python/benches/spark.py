"""Releases on several processes against the command on this machine: wall time, memory of every process, measures.

`cargo build --release && pip install ./python && python python/benches/spark.py ENGINE [KIND] [PERSONS] [LINES]`, where
ENGINE is `spark` or `dask`, KIND is `queries` (default), `baskets` or `table`, PERSONS is how many (65,000), LINES how many each
has (55; items of a basket: 8). The row of 36 million lines is `python python/benches/spark.py spark queries 650000 55`: it takes
an hour and 16 GB. Prints one row each.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import throng
from throng import dask as throng_dask
from throng import spark as throng_spark

COMMAND = Path(__file__).parents[2] / "target" / "release" / "throng"


def say(what: str, value: str) -> None:
    sys.stdout.write(f"{what:<60} {value}\n")
    sys.stdout.flush()


class Memory(threading.Thread):
    """The greatest memory of this process and of its descendants, by what they are, looked at four times a second."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most: dict[str, float] = {}
        self.done = threading.Event()

    def run(self) -> None:
        while not self.done.wait(0.25):
            for what, megabytes in self._now().items():
                self.most[what] = max(self.most.get(what, 0.0), megabytes)

    def _now(self) -> dict[str, float]:
        parents: dict[int, int] = {}
        resident: dict[int, float] = {}
        command: dict[int, bytes] = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                process = int(folder.name)
                parents[process] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                resident[process] = int((folder / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
                command[process] = (folder / "cmdline").read_bytes()
        found: dict[str, float] = {}
        for process, megabytes in resident.items():
            above, executor = process, 0
            while above not in (0, 1, os.getpid()):
                if b"CoarseGrainedExecutorBackend" in command.get(above, b"") or b"spawn_main" in command.get(above, b""):
                    executor = above
                above = parents.get(above, 0)
            if above == os.getpid():
                what = f"worker {executor}" if executor else "driver"
                found[what] = found.get(what, 0.0) + megabytes
        return found


def made_up(folder: Path, kind: str, persons: int, lines: float) -> tuple[Path, dict[str, Any]]:
    """A file of made-up data, and what is to be said of it."""
    file = folder / "data.parquet"
    if kind == "queries":
        throng.synth(kind, persons=persons, mean_lines=lines, seed=1, out=file, progress=False)
        return file, {}
    if kind == "table":
        throng.synth(kind, persons=persons, shape="numeric", seed=1, out=file, progress=False)
        import pyarrow.parquet

        numbers = [field.name for field in pyarrow.parquet.read_schema(file) if str(field.type) in ("double", "int64")]
        return file, {"kind": kind, "columns": {"quasi": ",".join(numbers)}}
    tree = folder / "tree.csv"
    tree.write_text("child,parent\n" + "".join(f"n{node},n{(node - 1) // 6}\n" for node in range(1, 3000)))
    text = folder / "data.jsonl"
    throng.synth(kind, persons=persons, mean_items=min(lines, 8.0), taxonomy=os.fspath(tree), seed=1, out=text, progress=False)
    import pyarrow
    import pyarrow.parquet

    items = [json.loads(line)["items"] for line in text.read_text().splitlines()]
    who = [f"p{at}" for at, own in enumerate(items) for _ in own]
    pyarrow.parquet.write_table(pyarrow.table({"person": who, "item": [item for own in items for item in own]}), file)
    return file, {"taxonomy": os.fspath(tree)}


def flags(asked: dict[str, Any]) -> list[str]:
    given: list[str] = []
    for name, value in asked.items():
        pairs = [f"{role}={own}" for role, own in value.items()] if isinstance(value, dict) else [str(value)]
        given += [f"--{'column' if name == 'columns' else name}", *pairs]
    return given


@contextlib.contextmanager
def engine(name: str, file: Path) -> Iterator[tuple[Any, Any]]:
    """The frame, and what protects it."""
    if name == "spark":
        from pyspark.sql import SparkSession

        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.master("local-cluster[2,1,4096]").config("spark.executor.memory", "3g")
        builder = builder.config("spark.ui.enabled", "false").config("spark.driver.memory", "1g")
        session = builder.config("spark.sql.shuffle.partitions", "16").getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        yield session.read.parquet(os.fspath(file)).repartition(16), throng_spark.protect
        session.stop()
        return
    import dask.dataframe
    from distributed import Client, LocalCluster

    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, Client(cluster):
        yield dask.dataframe.read_parquet(file).repartition(npartitions=16), throng_dask.protect


def main() -> None:
    given = sys.argv[1:]
    name = given[0] if given else "spark"
    kind = given[1] if len(given) > 1 else "queries"
    persons = int(given[2]) if len(given) > 2 else 65_000
    lines = float(given[3]) if len(given) > 3 else 55.0
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base)
        file, asked = made_up(folder, kind, persons, lines)
        say("file, MB", f"{file.stat().st_size / 1e6:.0f}")
        method = {"accounts": "apart"} if kind == "queries" else {}
        said = ["--k", "5", "--seed", "1", "--quiet", "--no-attacks"]
        more = flags({**asked, **method})
        begun = time.monotonic()
        process = subprocess.Popen(
            [COMMAND, "protect", file, "--out", folder / "local", *said, *more]
        )
        _, status, usage = os.wait4(process.pid, 0)
        local = time.monotonic() - begun
        if status != 0:
            raise RuntimeError("the command failed")
        say(
            "the command, wall s / CPU s / MB",
            f"{local:.1f} / {usage.ru_utime + usage.ru_stime:.1f} / {usage.ru_maxrss / 1024:.0f}",
        )
        memory = Memory()
        memory.start()
        with engine(name, file) as (frame, protect):
            stages: list[tuple[str, float]] = []
            begun = time.monotonic()
            release = protect(
                frame,
                k=5,
                seed=1,
                out=folder / "release",
                progress=lambda stage, _done, _total: stages.append((stage, time.monotonic())),
                **asked,
            )
            wall = time.monotonic() - begun
        memory.done.set()
        say(f"{name}, wall s, against the command", f"{wall:.1f} = {wall / local:.2f} times")
        ends = [*(at for _, at in stages[1:]), begun + wall]
        for (stage, at), end in zip(stages, ends, strict=True):
            say(f"  step {stage}, s", f"{end - at:.1f}")
        for what, megabytes in sorted(memory.most.items()):
            say(f"memory of the {what}, MB at most", f"{megabytes:.0f}")
        about = release.certificate["output"]
        say("persons, rows of the release", f"{about['persons']}, {about['rows']}")
        say("check of the release by the command", str(throng.check(release.folder, model="k-anonymity", k=5).verdict))
        report = json.loads((folder / "local" / "report.json").read_text())
        values = {own["name"]: own["value"] for own in report["measures"]}
        for own in release.report["measures"]:
            other = values.get(own["name"])
            if own["value"] is not None and other:
                say(f"{own['name']}, {name} / local", f"{own['value']} / {other} = {own['value'] / other:.4f}")


if __name__ == "__main__":
    main()
