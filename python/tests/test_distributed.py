"""Releases on many machines: an engine of this process, Dask with processes of its own, Spark where it is there."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

import throng
from throng import _distributed


class _Here:
    """An engine of lists, one after the other."""

    name = "here"

    def __init__(self, table: Any, partitions: int) -> None:
        size = -(-table.num_rows // partitions)
        self._parts = [table.slice(at * size, size) for at in range(partitions)]

    def rows(self) -> Any:
        return self._parts

    def head(self, rows: int) -> Any:
        return self._parts[0].slice(0, rows)

    def map(self, parts: Any, change: Any) -> Any:
        return [change(part) for part in parts]

    def exchange(self, parts: Any, count: int) -> Any:
        every = _distributed.concatenated(parts)
        to = [part % count for part in every["part"].to_pylist()]
        return [every.filter(pyarrow.array([own == at for own in to], pyarrow.bool_())) for at in range(count)]

    def keep(self, parts: Any) -> Any:
        return parts

    def fetch(self, parts: Any, look: Any) -> list[bytes]:
        return [look(part) for part in reversed(parts)]

    def each(self, names: list[str], look: Any) -> list[bytes]:
        return [look(name) for name in names]

    def forget(self, parts: Any) -> None:
        pass


def _log(persons: int = 60) -> Any:
    return throng.synth("queries", persons=persons, seed=3)


def _protect(table: Any, out: Path, partitions: int = 3, parts: int = 4, files: int = 2, **keywords: Any) -> Any:
    asked = _distributed.keywords_with(3, {"seed": 5, "weight_concepts": 0, **keywords})
    engine = _Here(table, partitions)
    return _distributed.protect(engine, out, None, False, parts, files, asked, parquet.read_table)


def _records(table: Any, person: str) -> list[Any]:
    """The rows of each person, without the person, as a sorted list."""
    rows: dict[Any, list[Any]] = defaultdict(list)
    for row in table.to_pylist():
        name = row.pop(person)
        rows[name].append(tuple(str(value) for value in row.values()))
    return sorted(tuple(sorted(own)) for own in rows.values())


def _checked(release: Any, original: Any, k: int = 3) -> None:
    """Everything that a reader can find out with plain Python and with the command's check."""
    person = release.certificate["output"]["columns"]["user"]
    sizes = Counter(_records(release.data, person))
    assert min(sizes.values()) >= k
    about = release.certificate["output"]
    folder = Path(release.folder)
    assert sorted(path.name for path in folder.iterdir()) == ["certificate.json", "data.parquet", "report.html", "report.json"]
    names = sorted(path.name for path in (folder / "data.parquet").iterdir())
    lines = "".join(f"{name} {hashlib.sha256((folder / 'data.parquet' / name).read_bytes()).hexdigest()}\n" for name in names)
    assert hashlib.sha256(lines.encode()).hexdigest() == about["sha256"]
    assert throng.check(folder, original=original)
    assert about["persons"] == sum(sizes.values())


def test_any_partition_gives_the_same_release(tmp_path: Path) -> None:
    table = _log()
    one = _protect(table, tmp_path / "one", 1, 1, 1)
    other = _protect(table.take(list(reversed(range(table.num_rows)))), tmp_path / "other", 5, 7, 3)
    person = one.certificate["output"]["columns"]["user"]
    assert sorted(map(str, one.data.to_pylist())) == sorted(map(str, other.data.to_pylist()))
    assert _records(one.data, person) == _records(other.data, person)
    _checked(one, table)
    _checked(other, table)
    assert one.certificate["engine"] == "here"
    assert [claim["model"] for claim in one.certificate["claims"]] == ["user-k-anonymity", "content-threshold"]


def test_blocks_of_like_persons(tmp_path: Path) -> None:
    table = _log(120)
    release = _protect(table, tmp_path / "release", block_size=40)
    assert release.certificate["method"]["grouping"]["blocks"] > 1
    _checked(release, table)
    again = _protect(table, tmp_path / "again", 2, 3, 1, block_size=40)
    assert sorted(map(str, release.data.to_pylist())) == sorted(map(str, again.data.to_pylist()))


def test_like_the_release_of_one_machine(tmp_path: Path) -> None:
    table = _log(120)
    local = throng.protect(table, k=3, seed=5, weight_concepts=0, accounts="apart", progress=False)
    release = _protect(table, tmp_path / "release")
    values = {measured["name"]: measured["value"] for measured in local.report["measures"]}
    for measured in release.report["measures"]:
        if values.get(measured["name"]):
            # Of so few persons one group that is put together otherwise moves a measure: these are not the 2 % of large logs.
            assert measured["value"] == pytest.approx(values[measured["name"]], rel=0.1), measured["name"]
    assert local.certificate["claims"][1]["achieved"]["min-persons"] >= 3


def test_user_microaggregation(tmp_path: Path) -> None:
    table = _log()
    release = _protect(table, tmp_path / "release", method="user-microaggregation", weight_concepts=None)
    assert [claim["model"] for claim in release.certificate["claims"]] == ["user-k-anonymity"]
    _checked(release, table)


def test_what_cannot_be_heeded_is_refused(tmp_path: Path) -> None:
    table = _log(20)
    for keywords in ({"exact": True}, {"accounts": "once"}, {"k_column": "k"}, {"keep_ids": True}, {"method": "query-threshold"}):
        with pytest.raises(throng.ParameterError):
            _protect(table, tmp_path / "release", **keywords)
    with pytest.raises(throng.Refused):
        _protect(table.slice(0, 1), tmp_path / "release")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "there").mkdir()
    with pytest.raises(throng.Refused):
        _protect(table, tmp_path / "there")


def test_a_changed_file_is_seen(tmp_path: Path) -> None:
    table = _log()
    folder = Path(_protect(table, tmp_path / "release").folder)
    (folder / "data.parquet" / "key.csv").write_text("person,pseudonym\n")
    with pytest.raises(throng.Error):
        throng.check(folder)
    (folder / "data.parquet" / "key.csv").unlink()
    first = sorted((folder / "data.parquet").iterdir())[0]
    parquet.write_table(parquet.read_table(first).slice(1), first, store_schema=False)
    assert throng.check(folder, original=table).verdict == "fails"


def test_nothing_is_left_of_a_run_that_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: Any) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(_distributed, "checked_file", lost)
    with pytest.raises(KeyboardInterrupt):
        _protect(_log(), tmp_path / "release")
    assert list(tmp_path.iterdir()) == []


def test_dask(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    dataframe = pytest.importorskip("dask.dataframe")
    from distributed import Client, LocalCluster

    from throng import dask as throng_dask

    table = _log()
    workers = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(**workers) as cluster, Client(cluster) as client:
        frame = dataframe.from_pandas(table.to_pandas(), npartitions=3)
        release = throng_dask.protect(frame, k=3, seed=5, weight_concepts=0, out=tmp_path / "release", parts=4, files=2)
        rows = release.data.compute()
        assert release.certificate["engine"] == "dask"
        # A worker that is killed while blocks are protected changes nothing.
        processes = client.run(os.getpid)
        killed: list[int] = []

        def kill(stage: str, _done: int, _total: int) -> None:
            if stage == "protect" and not killed:
                killed.append(next(iter(processes.values())))
                os.kill(killed[0], signal.SIGKILL)

        again = throng_dask.protect(
            frame, k=3, seed=5, weight_concepts=0, out=tmp_path / "again", parts=4, files=2, progress=kill
        )
        assert killed and again.certificate["output"] == release.certificate["output"]
    here = _protect(table, tmp_path / "here")
    assert len(rows) == here.data.num_rows
    assert throng.check(tmp_path / "release", original=table)
    about = json.loads((tmp_path / "release" / "certificate.json").read_text())
    assert about["output"]["sha256"] == here.certificate["output"]["sha256"]


def test_spark(tmp_path: Path) -> None:
    sql = pytest.importorskip("pyspark.sql")
    from throng import spark as throng_spark

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = sql.SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        table = _log()
        frame = session.createDataFrame(table.to_pandas()).repartition(3)
        release = throng_spark.protect(frame, k=3, seed=5, weight_concepts=0, out=tmp_path / "release", parts=4, files=2)
        assert release.certificate["engine"] == "spark"
        assert release.data.count() == release.certificate["output"]["rows"]
        assert throng.check(tmp_path / "release", original=table)
    finally:
        session.stop()
