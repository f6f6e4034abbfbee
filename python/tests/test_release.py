"""What comes out: the same library, the same columns, a certificate that anybody can check, nothing that gives people away."""

from __future__ import annotations

import json
import pickle
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest
from pyarrow import csv

import throng


def rows_by_person(table: Any) -> dict[Any, Counter[tuple[Any, ...]]]:
    person, *others = table.column_names
    found: dict[Any, Counter[tuple[Any, ...]]] = {}
    for row in table.to_pylist():
        found.setdefault(row[person], Counter())[tuple(row[name] for name in others)] += 1
    return found


def test_every_person_is_one_of_k_by_plain_python(release: throng.Release) -> None:
    records = Counter(frozenset(rows.items()) for rows in rows_by_person(release.arrow()).values())
    assert min(records.values()) >= 5
    assert sum(records.values()) == release.certificate["output"]["persons"]


def test_the_library_of_the_input_comes_back(log: Any) -> None:
    given = {"pyarrow": log, "polars": polars.from_arrow(log), "pandas": log.to_pandas()}
    found = {}
    for name, frame in given.items():
        release = throng.protect(frame, k=5, seed=1, no_attacks=True, measures=["query-frequency"])
        assert isinstance(release.data, {"pyarrow": pyarrow.Table, "polars": polars.DataFrame, "pandas": pandas.DataFrame}[name])
        assert release.arrow().column_names == log.column_names
        found[name] = release.arrow().cast(release.arrow().schema)
    assert release.data is release.data
    values = [[[str(cell) for cell in row.values()] for row in table.to_pylist()] for table in found.values()]
    assert values[0] == values[1]


def test_columns_keep_their_types(log: Any) -> None:
    types = {
        "AnonID": pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
        "Query": pyarrow.large_string(),
    }
    wanted = pyarrow.schema([pyarrow.field(field.name, types.get(field.name, field.type)) for field in log.schema])
    texts = pyarrow.schema([pyarrow.field("AnonID", pyarrow.string())] + [f for f in log.schema if f.name != "AnonID"])
    frame = log.cast(texts).cast(wanted)
    release = throng.protect(frame, k=5, seed=1, no_attacks=True, measures=["query-frequency"])
    assert [field.type for field in release.arrow().schema] == [field.type for field in wanted]


def test_times_with_a_zone_stay_in_it(log: Any) -> None:
    at = log.column_names.index("QueryTime")
    times = log.column(at).cast(pyarrow.timestamp("us", "UTC")).cast(pyarrow.timestamp("us", "Europe/Berlin"))
    frame = log.set_column(at, "QueryTime", times)
    release = throng.protect(frame, k=5, seed=1, no_attacks=True, measures=["query-frequency"])
    assert release.arrow().schema.field("QueryTime").type == pyarrow.timestamp("us", "Europe/Berlin")
    first, last = min(times.to_pylist()), max(times.to_pylist())
    assert all(first <= time <= last for time in release.arrow().column("QueryTime").to_pylist())


def test_saved_texts_are_the_bytes_of_a_folder(tmp_path: Path) -> None:
    file = tmp_path / "log.tsv"
    throng.synth("queries", persons=60, seed=2, mean_lines=12, out=file)
    options = csv.ConvertOptions(
        column_types={name: "string" for name in ["AnonID", "Query", "QueryTime", "ItemRank", "ClickURL"]},
        strings_can_be_null=True,
        null_values=[""],
    )
    parse = csv.ParseOptions(delimiter="\t", quote_char=False)
    frame = csv.read_csv(file, parse_options=parse, convert_options=options)
    # `checkpoint` makes the run go into the folder as the command's does.
    by_file = throng.protect(file, k=5, seed=3, out=tmp_path / "by-file", checkpoint=tmp_path / "work", no_attacks=True)
    assert by_file.folder is not None and by_file.certificate["output"]["file"] == "data.tsv"
    throng.protect(frame, k=5, seed=3, no_attacks=True).save(tmp_path / "saved", format="tsv")
    saved = throng.protect(file, k=5, seed=3, no_attacks=True, out=tmp_path / "out")
    bytes_ = (tmp_path / "by-file" / "data.tsv").read_bytes()
    assert (tmp_path / "saved" / "data.tsv").read_bytes() == bytes_
    assert (tmp_path / "out" / "data.tsv").read_bytes() == bytes_
    assert saved.folder == str(tmp_path / "out") and saved.data.num_rows == saved.certificate["output"]["rows"]
    assert throng.check(saved, original=file)
    assert sorted(path.name for path in (tmp_path / "saved").iterdir()) == [
        "certificate.json",
        "data.tsv",
        "report.html",
        "report.json",
    ]
    assert throng.check(tmp_path / "saved", original=frame)
    with pytest.raises(throng.Refused, match="exists already"):
        throng.protect(frame, k=5, out=tmp_path / "saved")


def test_the_command_accepts_what_is_saved(release: throng.Release, log: Any, tmp_path: Path) -> None:
    command = Path(__file__).parents[2] / "target" / "release" / "throng"
    if not command.exists():
        pytest.skip("the command was not built: `cargo build --release`")
    release.save(tmp_path / "release", format="parquet")
    checked = subprocess.run(
        [command, "check", tmp_path / "release", "--only-checkable", "--json"], capture_output=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
    assert json.loads(checked.stdout)["hash_matches"] is True


def test_a_key_only_where_it_was_asked_for(release: throng.Release, log: Any, tmp_path: Path) -> None:
    assert release.key().num_rows == release.certificate["output"]["persons"]
    other = throng.protect(log, k=5, seed=1, no_attacks=True)
    with pytest.raises(throng.Refused, match="no key"):
        other.key()
    release.save(tmp_path / "release")
    names = set(log.column("AnonID").to_pylist())
    assert not names & set(release.arrow().column("AnonID").to_pylist())
    assert not any("key" in path.name for path in (tmp_path / "release").iterdir())


def test_a_pickle_is_the_release_without_its_key(release: throng.Release) -> None:
    back = pickle.loads(pickle.dumps(release))
    assert back.data.equals(release.data) and back.certificate == release.certificate
    assert back.html() == release.html() and repr(back) == repr(release)
    with pytest.raises(throng.Refused):
        back.key()


def test_what_is_shown_has_no_values(release: throng.Release, log: Any) -> None:
    shown = repr(release)
    assert "kindred, k = 5" in shown and "user-k-anonymity" in shown and "holds" in shown
    html = release._repr_html_()
    assert html.startswith("<table") and html.endswith("</table>") and "://" not in html and "<script" not in html
    for query in set(log.column("Query").to_pylist()):
        if len(query) > 12:
            assert query not in shown and query not in html
    assert release.html().lower().startswith("<!doctype html")


def test_a_release_is_looked_at_like_a_folder(release: throng.Release, log: Any, tmp_path: Path) -> None:
    assert throng.check(release, model="user-k-anonymity", k=5)
    verdict = throng.check(release, original=log)
    assert verdict.verdict == "holds" and verdict.witness is None and verdict.achieved["k"] >= 5
    fails = throng.check(log, model="user-k-anonymity", k=5)
    assert not fails and fails.verdict == "fails" and fails.witness is not None
    measured = throng.measure(log, release, measures=["profile-exposure-level"])
    assert [measure["name"] for measure in measured["measures"]] == ["profile-exposure-level"]
    attacked = throng.attack(log, release, p=[1], targets=20, draws=2)
    assert attacked["attacks"] and str(attacked)
    assert not throng.audit(log) and throng.audit(release)["persons"] > 0
    inspected = throng.inspect(log)
    assert inspected["kind"] == "queries" and inspected["persons"] == 60


def test_a_comparison(log: Any) -> None:
    found = throng.compare(log, methods=["kindred"], k=range(2, 4), seed=1, no_attacks=True, measures=["query-frequency"])
    assert [cell["k"] for cell in found["cells"]] == [2, 3]
    assert "<html" in found.html() and pickle.loads(pickle.dumps(found)).html() == found.html()


@pytest.mark.parametrize("kind", ["queries", "baskets", "documents", "table", "visits"])
def test_every_kind_goes_in_and_out(kind: str) -> None:
    frame = throng.synth(kind, persons=60, seed=1)
    told: dict[str, dict[str, Any]] = {
        "baskets": {"taxonomy": "wordnet"},
        "table": {"columns": {"quasi": ["age", "sex"]}, "hierarchy": {"sex": "flat"}},
    }
    release = throng.protect(frame, k=3, seed=1, kind=kind, no_attacks=True, **told.get(kind, {}))
    assert release.arrow().num_rows > 0
    assert all(claim["verdict"] == "holds" for claim in release.certificate["claims"])


def test_lists_and_explanations() -> None:
    assert "kindred" in [entry["name"] for entry in throng.list("methods")["methods"]]
    assert "kindred" in str(throng.explain("kindred"))
    with pytest.raises(throng.ParameterError, match="kindred"):
        throng.explain("kindrd")
