"""Releases of Spark frames, made by the executors: `throng.spark.protect(df, k=5, out="release")`.

PySpark 4 with Java 17. All heavy work is in executors, through `mapInArrow`; `docs/spark.md` says what the driver sees. No value
is in the name of a stage or job. Search logs with `kindred` and `user-microaggregation`, baskets with `flock`, tables with
`flock` and `murmuration`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from . import _distributed
from ._distributed import DistributedRelease, Verdict
from ._errors import ParameterError, Refused, made

__all__ = ["DistributedRelease", "Verdict", "check", "protect"]

_ROWS = "person string, query string, time long, rank long, url string, part long, block long"


def protect(
    df: Any,
    k: int | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    staging: str | os.PathLike[str] | None = None,
    progress: Any = False,
    parts: int | None = None,
    files: int | None = None,
    **keywords: Any,
) -> DistributedRelease:
    """Protects a Spark frame and publishes the release as a folder that every executor can write."""
    session = _session_of(df)
    engine = _Spark(df)
    count = parts or _parts_of(session)
    asked = _distributed.keywords_with(k, keywords)
    return _distributed.protect(engine, out, staging, progress, count, files or count, asked, session.read.parquet)


def check(data: Any, model: str | None = None, k: int | None = None, *, parts: int | None = None, **keywords: Any) -> Verdict:
    """Whether every person of a Spark frame, or of a release folder, is one of k with the same record.

    Of a folder the files are hashed first, and without `model` every claim of its certificate is looked at; what needs the
    original is said to be open (`partly`): `throng.check` checks that.
    """
    if isinstance(data, (str, os.PathLike)):
        from pyspark.sql import SparkSession

        session = SparkSession.getActiveSession()
        if session is None:
            raise made(Refused, "there is no Spark session", "make one: SparkSession.builder.getOrCreate()")

        reader = session.read

        def engine_of(files: str) -> _distributed.Engine:
            return _Spark(reader.parquet(files))

        count = parts or _parts_of(session)
        return _distributed.check_folder(os.fspath(data), model, k, _distributed.keywords_with(None, keywords), engine_of, count)
    session = _session_of(data)
    asked = _distributed.keywords_with(None, keywords)
    return _distributed.check(_Spark(data), model, 5 if k is None else k, parts or _parts_of(session), asked)


def _parts_of(session: Any) -> int:
    return max(2, int(session.conf.get("spark.sql.shuffle.partitions", "200")))


def _session_of(df: Any) -> Any:
    if not hasattr(df, "mapInArrow"):
        raise made(
            ParameterError,
            f"the data are of the type `{type(df).__qualname__}`, which is no Spark frame with `mapInArrow`",
            "PySpark 4 is needed; `throng.protect` takes frames that are on this machine",
        )
    session = df.sparkSession
    if int(str(session.version).split(".")[0]) < 4:
        raise made(Refused, f"this is Spark {session.version}", "PySpark 4 with Java 17 is needed: pip install 'pyspark>=4'")
    _refuse_without_wheel(session)
    return session


def _refuse_without_wheel(session: Any) -> None:
    """A task of one row says whether executors have the wheel, before anything else runs."""
    from . import __version__

    # Inside, so that it travels as it is: an executor without the wheel could not look it up.
    def version(batches: Iterator[Any]) -> Iterator[Any]:
        import importlib

        import pyarrow

        for _ in batches:
            pass
        try:
            found = str(importlib.import_module("throng").__version__)
        except ImportError:
            found = ""
        yield pyarrow.RecordBatch.from_pydict({"found": [found]})

    found = session.range(1, numPartitions=1).mapInArrow(version, "found string").collect()[0][0]
    if found != __version__:
        has = f"have throng {found}" if found else "do not have throng"
        raise made(Refused, f"the executors {has}, and the driver has {__version__}", "install the same wheel on every machine")


def _of_part(change: Callable[[Any], Any], batches: Iterator[Any]) -> Iterator[Any]:
    import pyarrow

    every = [batch for batch in batches if batch.num_rows]
    if every:
        yield from change(pyarrow.Table.from_batches(every)).to_batches()


def _found(look: Callable[[Any], bytes], batches: Iterator[Any]) -> Iterator[Any]:
    import pyarrow

    every = [batch for batch in batches if batch.num_rows]
    if every:
        found = look(pyarrow.Table.from_batches(every))
        yield pyarrow.RecordBatch.from_arrays([pyarrow.array([found], pyarrow.binary())], ["found"])


def _each(look: Callable[[str], bytes], batches: Iterator[Any]) -> Iterator[Any]:
    import pyarrow

    for batch in batches:
        names = batch.column("name").to_pylist()
        found = pyarrow.array([look(name) for name in names], pyarrow.binary())
        yield pyarrow.RecordBatch.from_arrays([batch.column("name"), found], ["name", "found"])


class _Spark:
    """Parts are the partitions of frames."""

    name = "spark"

    def __init__(self, df: Any) -> None:
        self._df = df

    def rows(self) -> Any:
        return self._df

    def head(self, rows: int) -> Any:
        return self._df.limit(rows).toArrow()

    def map(self, parts: Any, change: Callable[[Any], Any]) -> Any:
        return parts.mapInArrow(partial(_of_part, change), _ROWS)

    def exchange(self, parts: Any, count: int) -> Any:
        return parts.repartition(count, "part")

    def keep(self, parts: Any) -> Any:
        return parts.persist()

    def fetch(self, parts: Any, look: Callable[[Any], bytes]) -> list[bytes]:
        return [bytes(row[0]) for row in parts.mapInArrow(partial(_found, look), "found binary").collect()]

    def each(self, names: list[str], look: Callable[[str], bytes]) -> list[bytes]:
        session = self._df.sparkSession
        frame = session.createDataFrame([(name,) for name in names], "name string").repartition(len(names))
        found = {row[0]: bytes(row[1]) for row in frame.mapInArrow(partial(_each, look), "name string, found binary").collect()}
        return [found[name] for name in names]

    def forget(self, parts: Any) -> None:
        parts.unpersist()
