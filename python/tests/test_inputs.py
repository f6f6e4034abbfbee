"""Bad input: one clear error each, which says what, where and what to do, and shows no value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.compute
import pyarrow.parquet
import pytest

import throng


def wrong(name: str, value: Any) -> dict[str, Any]:
    """A keyword that a type checker would not let pass."""
    return {name: value}


def test_unknown_keywords_name_the_nearest(log: Any) -> None:
    with pytest.raises(throng.ParameterError, match="time_resolution"):
        throng.protect(log, k=5, **wrong("time_resolutoin", "1h"))
    with pytest.raises(throng.ParameterError, match="user-k-anonymity"):
        throng.check(log, model="user-k-anonimity", k=5)
    with pytest.raises(throng.ParameterError, match="kindred"):
        throng.protect(log, method="kindrd")
    with pytest.raises(ValueError, match="`k`"):
        throng.protect(log, k=1)
    with pytest.raises(throng.ParameterError, match="keep_ids"):
        throng.protect(log, **wrong("keep_ids", "yes"))
    with pytest.raises(throng.ParameterError, match="threads"):
        throng.protect(log, threads=0)


def test_all_wrong_keywords_are_said_together(log: Any) -> None:
    with pytest.raises(throng.ParameterError) as caught:
        throng.protect(log, **wrong("bad_lines", "maybe"), **wrong("no_atacks", True))
    assert "bad_lines" in str(caught.value) and "no_attacks" in str(caught.value)


def test_missing_files(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        throng.inspect(tmp_path / "none.csv")
    assert isinstance(caught.value, throng.Error)


def test_missing_columns_are_named() -> None:
    frame = pyarrow.table({"a": ["x"] * 10, "b": ["y"] * 10})
    with pytest.raises(throng.Error) as caught:
        throng.protect(frame, kind="queries", k=2)
    assert "a" in str(caught.value) and "b" in str(caught.value)


def test_nulls_in_the_person_column_have_a_row_number(log: Any) -> None:
    persons = log.column("AnonID").to_pylist()
    persons[3] = None
    frame = log.set_column(0, "AnonID", pyarrow.array(persons, log.column("AnonID").type))
    with pytest.raises(throng.DataError) as caught:
        throng.protect(frame, k=5, kind="queries")
    assert caught.value.line is not None
    skipped = throng.protect(frame, k=5, kind="queries", bad_lines="skip", no_attacks=True)
    assert skipped.certificate["accounting"]["rows_refused"] == 1


def test_a_column_of_lists_where_text_is_wanted(log: Any) -> None:
    frame = log.set_column(1, "Query", pyarrow.array([["a", "b"]] * log.num_rows))
    with pytest.raises(throng.Error):
        throng.protect(frame, k=5, kind="queries")


def test_what_is_no_table_is_refused_with_what_is_accepted(log: Any) -> None:
    for thing in [{"a": [1]}, 5, None, object(), b"x"]:
        with pytest.raises(throng.DataError, match="polars, pandas or pyarrow"):
            throng.inspect(thing)
    with pytest.raises(throng.DataError, match="used up"):
        throng.inspect(batch for batch in log.to_batches())
    with pytest.raises(throng.DataError, match="to_frame"):
        throng.inspect(pandas.Series([1]))


def test_spark_and_dask_frames_are_pointed_to_their_doors() -> None:
    for module, door in [("pyspark.sql.dataframe", "throng.spark"), ("dask.dataframe.core", "throng.dask")]:
        frame = type("DataFrame", (), {"__module__": module})()
        with pytest.raises(throng.DataError, match=door):
            throng.protect(frame)


def test_empty_frames_and_too_few_persons(log: Any) -> None:
    with pytest.raises(throng.Error):
        throng.protect(log.slice(0, 0), k=5, kind="queries")
    few = log.filter(pyarrow.compute.is_in(log.column("AnonID"), pyarrow.array(log.column("AnonID").unique().to_pylist()[:3])))
    with pytest.raises(throng.Error, match="3"):
        throng.protect(few, k=5, kind="queries")


def test_every_sort_of_frame(log: Any, tmp_path: Path) -> None:
    relation = duckdb.connect().from_arrow(log)
    pandas_frame = log.to_pandas()
    pandas_frame.index = range(7, 7 + len(pandas_frame))
    categorical = log.to_pandas()
    categorical["Query"] = categorical["Query"].astype("category")
    frames = [
        log,
        pyarrow.RecordBatchReader.from_batches(log.schema, log.to_batches()),
        log.combine_chunks().to_batches()[0],
        log.slice(0, log.num_rows),
        polars.from_arrow(log),
        relation,
        pandas_frame,
        categorical,
        pandas_frame.convert_dtypes(),
    ]
    for frame in frames:
        found = throng.inspect(frame)
        assert (found["persons"], found["rows"], found["unmapped"]) == (60, log.num_rows, [])
    lazy = polars.from_arrow(log).lazy()  # type: ignore[union-attr]
    with pytest.warns(UserWarning, match="collected once"):
        assert throng.inspect(lazy)["persons"] == 60
    pyarrow.parquet.write_table(log, tmp_path / "log.parquet")
    assert throng.inspect(tmp_path / "log.parquet")["persons"] == 60
    assert throng.inspect([str(tmp_path / "log.parquet")])["persons"] == 60


def test_columns_are_named_by_role(log: Any) -> None:
    frame = log.rename_columns(["who", "what", "when", "place", "where"])
    roles = {"user": "who", "query": "what", "time": "when", "rank": "place", "url": "where"}
    release = throng.protect(frame, k=5, columns=roles, kind="queries", no_attacks=True)
    assert release.data.column_names == ["who", "what", "when", "place", "where"]


def test_values_are_hidden_unless_asked_for(log: Any) -> None:
    times = log.column("QueryTime").cast(pyarrow.string()).to_pylist()
    times[5] = "the secret hour"
    frame = log.set_column(2, "QueryTime", pyarrow.array(times))
    with pytest.raises(throng.Error) as caught:
        throng.protect(frame, k=5, kind="queries")
    assert "secret" not in str(caught.value)
    assert "--" not in str(caught.value)
    with pytest.raises(throng.Error) as caught:
        throng.protect(frame, k=5, kind="queries", show_values=True)
    assert "the secret hour" in str(caught.value)


def test_what_only_a_folder_can_have_asks_for_one(log: Any, tmp_path: Path) -> None:
    with pytest.raises(throng.ParameterError, match="out="):
        throng.protect(log, ledger=tmp_path / "ledger", dataset="x")
    with pytest.raises(throng.ParameterError, match="out="):
        throng.protect(log, key=tmp_path / "key.csv")
    assert not any(tmp_path.iterdir())
