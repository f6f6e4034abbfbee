"""Data in and out: whatever the user has goes in as it is, and an object of the same library comes out."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from typing import Any

from . import _errors

ACCEPTED = (
    "pass a polars, pandas or pyarrow table, a duckdb relation, anything else with `__arrow_c_stream__`, "
    "a path, several paths, or a release"
)
LIKES = ("pyarrow", "polars", "pandas")


def _library(data: object) -> str:
    """The library that an object is of."""
    return type(data).__module__.partition(".")[0]


def taken(data: Any) -> tuple[Any, str]:
    """What the module takes, and the library that the data came from."""
    from ._release import Release

    if isinstance(data, Release):
        return data._data_source(), data._like
    if isinstance(data, (str, os.PathLike)):
        return [os.fspath(data)], "pyarrow"
    library = _library(data)
    if library == "pyspark":
        raise _errors.made(
            _errors.DataError,
            "a Spark DataFrame is not one table on this machine",
            "`throng.spark.protect` works where its data are; of a small one, `df.toArrow()` gives a table",
        )
    if library in ("dask", "dask_expr"):
        raise _errors.made(
            _errors.DataError,
            "a Dask DataFrame is not one table on this machine",
            "`throng.dask.protect` works where its data are; of a small one, `ddf.compute()` gives a table",
        )
    if library == "polars" and type(data).__name__ == "LazyFrame":
        warnings.warn("the lazy frame was collected once, for this call", stacklevel=4)
        return data.collect(), "polars"
    if library == "pandas":
        return _of_pandas(data), "pandas"
    if hasattr(data, "__arrow_c_stream__"):
        return data, library if library in LIKES else "pyarrow"
    if hasattr(data, "__arrow_c_array__") and library == "pyarrow":
        import pyarrow

        return pyarrow.Table.from_batches([data]), "pyarrow"
    if isinstance(data, (list, tuple)) and data and all(isinstance(path, (str, os.PathLike)) for path in data):
        return [os.fspath(path) for path in data], "pyarrow"
    what = f"`{type(data).__module__}.{type(data).__qualname__}`"
    if isinstance(data, Iterable) and not isinstance(data, (list, tuple, dict, set, bytes)):
        hint = "an iterator is used up by one look, and throng takes several: make a table of it first; " + ACCEPTED
    else:
        hint = ACCEPTED
    raise _errors.made(_errors.DataError, f"the data are of the type {what}, which throng does not read", hint)


def _of_pandas(data: Any) -> Any:
    """A frame of pandas as a table of pyarrow: the index is no column."""
    if type(data).__name__ != "DataFrame":
        raise _errors.made(
            _errors.DataError, f"the data are a {type(data).__name__} of pandas, not a table", "`to_frame()` makes one"
        )
    try:
        import pyarrow
    except ImportError:
        raise _errors.made(
            _errors.DataError, "pandas frames are read through pyarrow, which is not installed", "`pip install pyarrow`"
        ) from None
    try:
        return pyarrow.Table.from_pandas(data, preserve_index=False)
    except (pyarrow.ArrowException, TypeError, ValueError):
        # What pyarrow says names values.
        raise _errors.made(
            _errors.DataError,
            "a column of the frame has values of several types, or of one that Arrow does not have",
            "give it one type: `df[column].astype(str)`; `df.dtypes` shows columns of the type object",
        ) from None


def given(table: Any, like: str) -> Any:
    """A table of the module as an object of a library."""
    if like not in LIKES:
        raise _errors.made(_errors.ParameterError, f"`like` is `{like}`", f"it must be one of {', '.join(LIKES)}")
    if like == "polars":
        import polars

        return polars.DataFrame(table)
    try:
        import pyarrow
    except ImportError:
        raise _errors.made(
            _errors.DataError,
            "pyarrow is not installed",
            '`pip install pyarrow`, or `like="polars"` where that is installed',
        ) from None
    found = pyarrow.table(table)
    return found.to_pandas() if like == "pandas" else found
