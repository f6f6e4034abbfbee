"""A release: protected data with the certificate and the report that belong to them."""

from __future__ import annotations

import hashlib
import io
import json
import os
from html import escape
from pathlib import Path
from typing import Any

from . import _errors, _frames, _throng


class Release:
    """What `throng.protect` made: `data` may be published, and `certificate` says what was checked on it.

    It is made once. Looking at `data` again never protects again.
    """

    def __init__(self, held: _throng.Held | None, found: dict[str, Any], like: str, folder: str | None, notes: list[str]) -> None:
        self._held = held
        self._found = found
        self._like = like
        self._folder = folder
        self._table: Any = None
        self.notes = notes

    @property
    def data(self) -> Any:
        """The protected data, as an object of the library that the original was of."""
        if self._table is None:
            self._table = self.like(self._like)
        return self._table

    def like(self, library: str) -> Any:
        """The protected data as an object of a library: `pyarrow`, `polars` or `pandas`."""
        return _frames.given(self._arrow_of_folder() if self._held is None else self._held.table(), library)

    def arrow(self) -> Any:
        """The protected data as a `pyarrow.Table`."""
        return self.like("pyarrow")

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        table = self._arrow_of_folder() if self._held is None else self._held.table()
        return table.__arrow_c_stream__(requested_schema)

    @property
    def certificate(self) -> dict[str, Any]:
        """What was checked, as `certificate.json` has it."""
        return dict(self._found["certificate"])

    @property
    def report(self) -> dict[str, Any]:
        """Every number, as `report.json` has it."""
        if self._held is not None:
            return dict(json.loads(self._held.report()))
        return dict(json.loads((Path(self._folder or "") / "report.json").read_text("utf-8")))

    @property
    def folder(self) -> str | None:
        """The release folder, if one was written."""
        return self._folder

    @property
    def measures(self) -> list[dict[str, Any]]:
        """What was measured."""
        return list(self._found["measures"])

    def html(self) -> str:
        """The report as one page."""
        if self._held is not None:
            return self._held.html()
        return (Path(self._folder or "") / "report.html").read_text("utf-8")

    def save(self, folder: str | os.PathLike[str], format: str | None = None, threads: int | None = None) -> str:
        """Writes the release folder that the command would have written, whole or not at all; never the key."""
        saved = str(self._in_memory().save(os.fspath(folder), format, _throng.Manner(threads)))
        self._folder = self._folder or saved
        return saved

    def key(self) -> Any:
        """Who became whom, as a `pyarrow.Table`; only if `protect` was told `key=True`. As secret as the original."""
        key = self._held.key() if self._held is not None else None
        if key is None:
            raise _errors.made(
                _errors.Refused, "this release has no key", "`protect(…, key=True)` keeps the link between persons and pseudonyms"
            )
        from pyarrow import csv

        head = key.split(b"\n", 1)[0].decode("utf-8").rstrip("\r").split(",")
        types = {name: "string" for name in head}
        return csv.read_csv(io.BytesIO(key), convert_options=csv.ConvertOptions(column_types=types, strings_can_be_null=False))

    def _key_bytes(self) -> bytes | None:
        return self._held.key() if self._held is not None else None

    def _arrow_of_folder(self) -> Any:
        """The data of the folder, if they are still those of the certificate; those of text as text."""
        output = self._found["certificate"]["output"]
        path = Path(self._folder or "") / output["file"]
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != output["sha256"]:
            raise _errors.made(
                _errors.DataError,
                "the data in the folder are not those of the certificate",
                "somebody changed them: protect again",
            )
        import pyarrow

        name = path.name.removeprefix("data.")
        if name == "parquet":
            from pyarrow import parquet

            return parquet.read_table(io.BytesIO(content))
        if name == "arrow":
            return pyarrow.ipc.open_stream(content).read_all()
        form, _, packing = name.partition(".")
        compression = {"gz": "gzip", "zst": "zstd"}.get(packing)
        stream = pyarrow.input_stream(io.BytesIO(content), compression=compression)
        if form == "jsonl":
            from pyarrow import json as lines

            return lines.read_json(stream)
        if form in ("csv", "tsv"):
            text = stream.read()
            delimiter = "\t" if form == "tsv" else output.get("delimiter", ",")
            return _texts(text, delimiter, quotes=form == "csv")
        raise _errors.made(_errors.Refused, f"a release in the format {name} is no table", f"its data are in {path}")

    def _in_memory(self) -> _throng.Held:
        if self._held is None:
            raise _errors.made(
                _errors.Refused,
                "this release went into its folder, and is not in memory",
                f"its data are in {self._folder}",
            )
        return self._held

    def _data_source(self) -> Any:
        return self._held if self._held is not None else [str(self._folder)]

    def _lines(self) -> list[tuple[str, str]]:
        certificate = self._found["certificate"]
        output, method = certificate["output"], certificate["method"]
        k = method["parameters"].get("k")
        lines = [("method", method["name"] + (f", k = {k}" if k is not None else ""))]
        for claim in certificate["claims"]:
            achieved = ", ".join(
                f"{name} {_short(value)}" for name, value in claim.get("achieved", {}).items() if _is_plain(value)
            )
            verdict = claim.get("verdict", "")
            lines.append((claim["model"], f"{verdict} ({achieved})" if achieved else verdict))
        persons = certificate["input"]["persons"]
        lines.append(("persons", f"{output['persons']:,} of {persons:,}".replace(",", "\u202f")))
        lines.append(("rows", f"{output['rows']:,} of {certificate['input']['rows']:,}".replace(",", "\u202f")))
        for measured in self._found["measures"][:4]:
            if _is_plain(measured.get("value")):
                unit = f" {measured['unit']}" if measured.get("unit") else ""
                lines.append((measured["name"], f"{_short(measured['value'])}{unit}"))
        return lines

    def __repr__(self) -> str:
        lines = self._lines()
        width = max(len(name) for name, _ in lines)
        return "throng.Release\n" + "\n".join(f"  {name:<{width}}  {value}" for name, value in lines)

    def _repr_html_(self) -> str:
        """One element that looks right on light and dark pages: it takes the colours of the page that it is in."""
        cell = "text-align:left;padding:2px 12px 2px 0;background:transparent;color:inherit;border:0"
        rows = "".join(
            f'<tr style="background:transparent"><th style="{cell};font-weight:600">{escape(name)}</th>'
            f'<td style="{cell}">{escape(value)}</td></tr>'
            for name, value in self._lines()
        )
        return (
            '<table style="color:inherit;background:transparent;border:1px solid currentColor;border-radius:4px;'
            'border-collapse:separate;padding:6px 10px;font:inherit"><caption style="text-align:left;color:inherit;'
            f'font-weight:600">throng release</caption>{rows}</table>'
        )

    def __reduce__(self) -> tuple[Any, ...]:
        parts = self._held.parts() if self._held is not None else None
        return _unpickled, (parts, json.dumps(self._found), self._like, self._folder, self.notes)


def _unpickled(parts: Any, found: str, like: str, folder: str | None, notes: list[str]) -> Release:
    held = _throng.Held.of_parts(*parts) if parts is not None else None
    return Release(held, json.loads(found), like, folder, notes)


def _texts(content: bytes, delimiter: str, quotes: bool) -> Any:
    """A table of texts, whatever they look like."""
    from pyarrow import csv

    parse = csv.ParseOptions(delimiter=delimiter, quote_char='"' if quotes else False)
    names = csv.open_csv(io.BytesIO(content), parse_options=parse).schema.names
    convert = csv.ConvertOptions(column_types={name: "string" for name in names}, strings_can_be_null=False)
    return csv.read_csv(io.BytesIO(content), parse_options=parse, convert_options=convert)


def _is_plain(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _short(value: float) -> str:
    return f"{value:,}".replace(",", "\u202f") if isinstance(value, int) else f"{value:.4g}"
