"""Releases of Dask frames, made by the workers of `distributed`: `throng.dask.protect(ddf, k=5, out="release")`.

Rows of one person come together by a keyed hash of the person, and every further step is a function of its part and of what was
decided before, so that a worker that is lost changes nothing. Search logs with `kindred` and `user-microaggregation`, baskets
with `flock`, tables with `flock` and `murmuration`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

from . import _distributed
from ._distributed import DistributedRelease, Verdict
from ._errors import ParameterError, made

__all__ = ["DistributedRelease", "Verdict", "check", "protect"]


def protect(
    ddf: Any,
    k: int | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    staging: str | os.PathLike[str] | None = None,
    progress: Any = False,
    parts: int | None = None,
    files: int | None = None,
    **keywords: Any,
) -> DistributedRelease:
    """Protects a Dask frame and publishes the release as a folder that every worker can write.

    `parts` is into how many parts persons are put, `files` of how many files the release is; the rows of a seeded release depend
    on neither.
    """
    _refuse_other(ddf)
    engine = _Dask(ddf)
    count = parts or max(1, int(ddf.npartitions))
    asked = _distributed.keywords_with(k, keywords)
    return _distributed.protect(engine, out, staging, progress, count, files or count, asked, _read)


def check(data: Any, model: str | None = None, k: int | None = None, *, parts: int | None = None, **keywords: Any) -> Verdict:
    """Whether every person of a Dask frame, or of a release folder, is one of k with the same record.

    Of a folder the files are hashed first, and without `model` every claim of its certificate is looked at; what needs the
    original is said to be open (`partly`): `throng.check` checks that.
    """
    asked = _distributed.keywords_with(None, keywords)
    if isinstance(data, (str, os.PathLike)):
        return _distributed.check_folder(os.fspath(data), model, k, asked, lambda files: _Dask(_read(files)), parts or 4)
    _refuse_other(data)
    return _distributed.check(_Dask(data), model, 5 if k is None else k, parts or max(1, int(data.npartitions)), asked)


def _refuse_other(ddf: Any) -> None:
    if not hasattr(ddf, "to_delayed"):
        raise made(
            ParameterError,
            f"the data are of the type `{type(ddf).__qualname__}`, which is no Dask frame",
            "`throng.protect` takes frames that are on this machine, `throng.spark.protect` those of Spark",
        )


def _read(path: str) -> Any:
    import dask.dataframe

    return dask.dataframe.read_parquet(path)


def _table(frame: Any) -> Any:
    import pyarrow

    return pyarrow.Table.from_pandas(frame, preserve_index=False)


def _split(count: int, table: Any) -> list[Any]:
    """The rows of a part by where they go."""
    import pyarrow.compute as compute

    modulo = compute.subtract(table["part"], compute.multiply(compute.divide(table["part"], count), count))
    return [table.filter(compute.equal(modulo, number)) for number in range(count)]


def _take(number: int, split: list[Any]) -> Any:
    return split[number]


def _joined(*tables: Any) -> Any:
    return _distributed.concatenated(tables)


class _Dask:
    """Parts are delayed tables."""

    name = "dask"

    def __init__(self, ddf: Any) -> None:
        import dask

        self._delayed = dask.delayed
        self._ddf = ddf

    def rows(self) -> list[Any]:
        return [self._delayed(_table)(part) for part in self._ddf.to_delayed()]

    def head(self, rows: int) -> Any:
        # Of the first partitions that have any.
        return _table(self._ddf.head(rows, npartitions=-1, compute=True))

    def map(self, parts: list[Any], change: Callable[[Any], Any]) -> list[Any]:
        return [self._delayed(change)(part) for part in parts]

    def exchange(self, parts: list[Any], count: int) -> list[Any]:
        splits = [self._delayed(partial(_split, count))(part) for part in parts]
        return [self._delayed(_joined)(*[self._delayed(_take)(at, split) for split in splits]) for at in range(count)]

    def keep(self, parts: list[Any]) -> list[Any]:
        import dask

        return list(dask.persist(*parts))

    def fetch(self, parts: list[Any], look: Callable[[Any], bytes]) -> list[bytes]:
        import dask

        return list(dask.compute(*[self._delayed(look)(part) for part in parts]))

    def each(self, names: list[str], look: Callable[[str], bytes]) -> list[bytes]:
        import dask

        return list(dask.compute(*[self._delayed(look)(name) for name in names]))

    def forget(self, parts: list[Any]) -> None:
        """Nothing: what is kept goes with the last name for it."""
        del parts[:]
