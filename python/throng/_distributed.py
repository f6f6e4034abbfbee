"""A release that is made on many machines, whatever runs them: the steps, one after the other.

An engine can do three things: change every part of the rows (`map`), bring rows with one number of a column together
(`exchange`), and fetch what workers found (`fetch`). A step on a part is a call of `_throng.parts_step`; what all parts found is
put together and decided here, on the driver. Every step depends on its part and on what was decided alone, so a step that is done
again after a worker was lost gives the same.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Iterable
from functools import partial
from hashlib import sha256
from typing import Any, Protocol

from . import _progress, _throng
from ._errors import DataError, InternalError, ParameterError, Refused, made
from ._found import Verdict

DATA = "data.parquet"
# From so many rows at the beginning columns and the form of times are recognised.
_HEAD = 1000


class Engine(Protocol):
    """What runs steps."""

    name: str

    def rows(self) -> Any: ...
    def head(self, rows: int) -> Any: ...
    def map(self, parts: Any, change: Callable[[Any], Any]) -> Any: ...
    def exchange(self, parts: Any, count: int) -> Any: ...
    def keep(self, parts: Any) -> Any: ...
    def fetch(self, parts: Any, look: Callable[[Any], bytes]) -> list[bytes]: ...
    def each(self, names: list[str], look: Callable[[str], bytes]) -> list[bytes]: ...
    def forget(self, parts: Any) -> None: ...


class DistributedRelease:
    """What was published: `data` of the engine's own kind, and the papers."""

    def __init__(self, folder: str, papers: tuple[str, str, str], data: Callable[[], Any]) -> None:
        self.folder = folder
        self._certificate, self._report, self._page = papers
        self._data = data

    @property
    def data(self) -> Any:
        """The files that were published, as a frame of the engine."""
        return self._data()

    @property
    def certificate(self) -> dict[str, Any]:
        """What was checked, as `certificate.json` has it."""
        return dict(json.loads(self._certificate))

    @property
    def report(self) -> dict[str, Any]:
        """Every number, as `report.json` has it."""
        return dict(json.loads(self._report))

    def html(self) -> str:
        """The report as one page."""
        return self._page

    def __repr__(self) -> str:
        about = self.certificate
        claims = ", ".join(f"{claim['model']} {claim['verdict']}" for claim in about["claims"])
        out = about["output"]
        return f"Release by {about['method']['name']}: {claims}; {out['persons']} persons, {out['rows']} rows in {self.folder}"


class Context:
    """What every step is told."""

    def __init__(self, plan: bytes, head: Any) -> None:
        self.plan, self.head = plan, head

    def step(self, name: str, state: bytes, table: Any, file: bytes = b"") -> tuple[Any, bytes]:
        """Runs a step on a part of the rows, or on a file. One thread: there are as many workers as the engine has."""
        return _throng.parts_step(self.plan, self.head, name, state, table, file, _throng.Manner(1))


def rows_of(context: Context, name: str, state: bytes, table: Any) -> Any:
    """The rows that a step sends on."""
    import pyarrow

    return pyarrow.table(context.step(name, state, table)[0])


def protected_rows(context: Context, state: bytes, table: Any) -> Any:
    """The rows of the records of a part; what was counted meanwhile travels with them, as a row that goes nowhere."""
    import pyarrow

    given, seen = context.step("protect", state, table)
    rows = pyarrow.table(given)
    note = {"person": "", "query": seen.decode(), "time": 0, "rank": None, "url": None, "part": -1, "block": 0}
    return pyarrow.concat_tables([rows, pyarrow.Table.from_pylist([note], schema=rows.schema)])


def counted_in(table: Any) -> bytes:
    """What was counted while the rows of a part were made."""
    import pyarrow.compute as compute

    notes = table.filter(compute.equal(table["part"], -1))["query"].to_pylist()
    return _throng.parts_merged("protect", [note.encode() for note in notes])


def of_release(table: Any) -> Any:
    """The rows of a part without what was counted."""
    import pyarrow.compute as compute

    return table.filter(compute.greater_equal(table["part"], 0))


def found_in(context: Context, name: str, state: bytes, table: Any) -> bytes:
    """What a step found in a part."""
    return context.step(name, state, table)[1] if table.num_rows else b""


def written_to(context: Context, state: bytes, folder: str, table: Any) -> bytes:
    """Writes the file of a part, whose persons are nowhere else; gives its name. Done again, it is the same file."""
    if not table.num_rows:
        return b""
    names = []
    import pyarrow.compute as compute

    for number in sorted(compute.unique(table["part"]).to_pylist()):
        own = table.filter(compute.equal(table["part"], number))
        content = context.step("write", state, own)[1]
        name = f"part-{number:05}.parquet"
        place(folder, name, content)
        names.append(name)
    return json.dumps(names).encode()


def file_system(path: str) -> tuple[Any, str]:
    """The file system of a path, and the path in it."""
    from pyarrow import fs

    if "://" in path:
        return fs.FileSystem.from_uri(path)  # type: ignore[no-any-return]
    return fs.LocalFileSystem(), os.path.abspath(path)


def place(folder: str, name: str, content: bytes) -> None:
    """A file under its name, whole: what an attempt that was lost left is never seen."""
    system, inside = file_system(folder)
    attempt = f"{inside}/.{name}.{secrets.token_hex(8)}"
    with system.open_output_stream(attempt) as stream:
        stream.write(content)
    system.move(attempt, f"{inside}/{name}")


def content_of(folder: str, name: str) -> bytes:
    """The bytes of a file."""
    system, inside = file_system(folder)
    with system.open_input_stream(f"{inside}/{name}") as stream:
        return bytes(stream.read())


def checked_file(context: Context, state: bytes, folder: str, name: str) -> bytes:
    """What a written file shows, read back."""
    return context.step("check", state, None, content_of(folder, name))[1]


def protect(
    engine: Engine,
    out: str | os.PathLike[str] | None,
    staging: str | os.PathLike[str] | None,
    progress: Any,
    parts: int,
    files: int,
    keywords: dict[str, Any],
    read: Callable[[str], Any],
) -> DistributedRelease:
    """Protects, checks the files as they were read back, and only then gives them their name."""
    if out is None:
        raise made(ParameterError, "`out` is missing", "name the folder of the release, on a file system that all workers see")
    target = os.fspath(out)
    folder = os.fspath(staging) if staging is not None else f"{target.rstrip('/')}.unfinished"
    refuse_existing(target, folder)
    seed = keywords.get("seed")
    keys = [secrets.token_bytes(16), secrets.token_bytes(16)]
    if seed is not None:
        keys[0] = sha256(f"throng {int(seed)}".encode()).digest()[:16]
    said = {"parts": parts, "files": files, "engine": engine.name}
    plan = _throng.parts_plan(json.dumps(keywords), json.dumps(said), keys[0], keys[1])
    listener = _progress.listener(progress)
    kept: list[Any] = []
    begun = False
    try:
        head = engine.head(_HEAD)
        if not head.num_rows:
            raise made(DataError, "the data have no rows", "protect data of at least k persons")
        context = Context(plan, head)
        manner = _throng.Manner(None)

        def told(stage: str) -> None:
            if listener is not None:
                listener(stage, 0, 0)

        def all_of(name: str, state: bytes, rows: Any) -> bytes:
            told(name)
            return _throng.parts_merged(name, engine.fetch(rows, partial(found_in, context, name, state)))

        def decided(name: str, state: bytes, rows: Any) -> tuple[bytes, str, bool]:
            return _throng.parts_decide(plan, head, name, state, all_of(name, state, rows), manner)

        # 0: every person's rows in one part.
        told("read")
        raw = engine.rows()
        seen = _throng.parts_merged("read", engine.fetch(raw, partial(found_in, context, "read", b"")))
        rows = engine.keep(engine.exchange(engine.map(raw, partial(rows_of, context, "read", b"")), parts))
        kept.append(rows)
        state, first, _ = _throng.parts_decide(plan, head, "begin", b"", b"", manner)
        state, next_step, has_blocks = decided(first, state, rows)
        # Only search logs have texts of which it is counted who says them.
        is_cut = first == "scales" and next_step != "skip"
        if next_step == "moments":
            state, _, has_blocks = decided("moments", state, rows)
        if is_cut:
            # 1: what may be published.
            state, _, _ = decided("words", state, rows)
            state, _, _ = decided("sites", state, rows)
            while True:
                state, next_step, _ = decided("candidates", state, rows)
                if next_step == "skip":
                    break
                state, next_step, _ = decided("sets", state, rows)
                if next_step != "more":
                    break
            state, _, _ = decided("published", state, rows)
            state, _, _ = decided("orders", state, rows)
        if has_blocks:
            # 2 and 3: blocks of like persons.
            state, _, _ = decided("sample", state, rows)
            state, _, _ = decided("leaves", state, rows)
        # 4 and 5: each block protected, under pseudonyms.
        told("protect")
        blocks = engine.keep(engine.exchange(engine.map(rows, partial(rows_of, context, "place", state)), parts))
        kept.append(blocks)
        records = engine.keep(engine.map(blocks, partial(protected_rows, context, state)))
        kept.append(records)
        protected = _throng.parts_merged("protect", engine.fetch(records, counted_in))
        state, _, _ = _throng.parts_decide(plan, head, "protect", state, protected, manner)
        # 6: files, in the order of pseudonyms.
        told("write")
        begin(folder)
        begun = True
        sorted_out = engine.exchange(engine.map(records, of_release), files)
        names = [
            name
            for found in engine.fetch(sorted_out, partial(written_to, context, state, f"{folder}/{DATA}"))
            if found
            for name in json.loads(found)
        ]
        names.sort()
        if len(set(names)) < len(names) or listed(f"{folder}/{DATA}", names):
            raise made(InternalError, "the written files are not those that were meant", "protect again")
        if not names:
            says = "nothing may be published: no content word is in the queries of enough persons"
            raise made(Refused, says, "choose a smaller `min_persons`")
        # 7: the check, on the files read back.
        told("check")
        files_seen = engine.each(names, partial(checked_file, context, state, f"{folder}/{DATA}"))
        said_by = b""
        if is_cut:
            said_by = all_of("said", _throng.parts_asked(files_seen), rows)
        written = list(zip(names, files_seen, strict=True))
        papers = _throng.parts_finish(plan, head, state, seen, protected, written, said_by, manner)
        # 9: the papers, then the name.
        for name, text in zip(("certificate.json", "report.json", "report.html"), papers, strict=True):
            place(folder, name, text.encode())
        publish(folder, target)
        begun = False
    finally:
        for each in kept:
            engine.forget(each)
        if begun:
            remove(folder)
        _progress.close(listener)
    return DistributedRelease(target, papers, lambda: read(f"{target.rstrip('/')}/{DATA}"))


def check(engine: Engine, model: str | None, k: int, parts: int, keywords: dict[str, Any]) -> Verdict:
    """Whether every person of a frame is one of k with the same record: counted by workers, put together here."""
    keys = [secrets.token_bytes(16), secrets.token_bytes(16)]
    said = {"parts": parts, "files": 1, "engine": engine.name, "judges": True}
    plan = _throng.parts_plan(json.dumps(keywords), json.dumps(said), keys[0], keys[1])
    head = engine.head(_HEAD)
    if not head.num_rows:
        raise made(DataError, "the data have no rows", "check data of somebody")
    context, manner = Context(plan, head), _throng.Manner(None)
    rows = engine.exchange(engine.map(engine.rows(), partial(rows_of, context, "read", b"")), parts)
    tally = _throng.parts_merged("tally", engine.fetch(rows, partial(found_in, context, "tally", b"")))
    return said_of(json.loads(_throng.parts_verdict(plan, head, model, k, tally, manner)))


def said_of(found: dict[str, Any]) -> Verdict:
    """A verdict as `throng.check` gives it."""
    persons, rows = found["persons"], found["rows"]
    lines = [f"{claim['model']}: {claim['verdict']}, {claim.get('achieved', {})}" for claim in found["claims"]]
    return Verdict(json.dumps(found), f"{persons} persons, {rows} rows\n" + "\n".join(lines), [])


def hashed_file(folder: str, name: str) -> bytes:
    """The SHA-256 of a file."""
    return sha256(content_of(folder, name)).hexdigest().encode()


def check_folder(
    folder: str, model: str | None, k: int | None, keywords: dict[str, Any], engine_of: Callable[[str], Engine], parts: int
) -> Verdict:
    """A release folder: its files are those that the certificate names, and its claims hold on them."""
    certificate = json.loads(content_of(folder, "certificate.json"))
    out = certificate["output"]
    data = f"{folder.rstrip('/')}/{out['file']}"
    system, inside = file_system(data)
    from pyarrow import fs

    names = sorted(info.base_name for info in system.get_file_info(fs.FileSelector(inside)))
    known = {out["file"], "certificate.json", "certificate.json.minisig", "report.html", "report.json"}
    system, inside = file_system(folder)
    others = [info.base_name for info in system.get_file_info(fs.FileSelector(inside)) if info.base_name not in known]
    if others:
        raise made(DataError, "the release folder holds files that its certificate does not name", "take them out of it")
    engine = engine_of(data)
    hashes = [found.decode() for found in engine.each(names, partial(hashed_file, data))]
    listed_all = "".join(f"{name} {each}\n" for name, each in zip(names, hashes, strict=True))
    if sha256(listed_all.encode()).hexdigest() != out["sha256"]:
        claims = [{**claim, "verdict": "fails"} for claim in certificate["claims"]]
        failed = {**claims[0], "claims": claims, "witness": {"sha256": "differs"}, "persons": out["persons"], "rows": out["rows"]}
        return said_of(failed)
    asked = {"kind": certificate["input"]["kind"], **keywords}
    table = certificate.get("table")
    if table is not None:
        roles: dict[str, list[str]] = {}
        for column in table["columns"]:
            if column["role"] != "identifier":
                roles.setdefault(column["role"], []).append(column["name"])
        asked.setdefault("columns", {role: ",".join(names) for role, names in roles.items()})
    else:
        asked.setdefault("columns", out["columns"])
    first = certificate["claims"][0]
    verdict = check(engine, model or first["model"], k or int(first["parameters"]["k"]), parts, asked)
    if model is not None:
        return verdict
    # What is not counted here is said to be open, never to hold.
    open_claims = [{**claim, "verdict": "partly", "achieved": {}} for claim in certificate["claims"][1:]]
    claims = [*verdict["claims"], *open_claims]
    head = "partly" if open_claims and verdict else verdict.verdict
    return said_of({**verdict, "verdict": head, "claims": claims})


def refuse_existing(target: str, folder: str) -> None:
    """Nothing is written over."""
    from pyarrow import fs

    for path, hint in (
        (target, "choose another name, or remove it"),
        (folder, "a run was killed there, or another one is at work: remove it once you know that none is"),
    ):
        system, inside = file_system(path)
        if system.get_file_info(inside).type != fs.FileType.NotFound:
            raise made(Refused, f"{path} exists already", hint)


def begin(folder: str) -> None:
    """An empty folder for what is not checked yet."""
    system, inside = file_system(folder)
    system.create_dir(inside, recursive=True)
    if "://" not in folder:
        os.chmod(inside, 0o700)
    system.create_dir(f"{inside}/{DATA}", recursive=True)


def listed(folder: str, names: list[str]) -> list[str]:
    """What is in a folder and was not meant to be; what lost attempts left is removed."""
    from pyarrow import fs

    system, inside = file_system(folder)
    others = []
    for info in system.get_file_info(fs.FileSelector(inside)):
        if info.base_name.startswith(".part-"):
            system.delete_file(info.path)
        elif info.base_name not in names:
            others.append(info.base_name)
    return others


def publish(folder: str, target: str) -> None:
    """The one step that makes a release of it."""
    if "://" not in folder:
        os.chmod(folder, 0o755)
    (system, inside), (_, name) = file_system(folder), file_system(target)
    refuse_existing_target(target)
    system.move(inside, name)


def refuse_existing_target(target: str) -> None:
    """Somebody else may have been quicker."""
    from pyarrow import fs

    system, inside = file_system(target)
    if system.get_file_info(inside).type != fs.FileType.NotFound:
        raise made(Refused, f"{target} exists already: another release was published there meanwhile", "choose another name")


def remove(folder: str) -> None:
    """Takes away what was not published."""
    system, inside = file_system(folder)
    system.delete_dir(inside)


def keywords_with(k: int | None, keywords: dict[str, Any]) -> dict[str, Any]:
    """Keywords of a release, without those that nobody gave."""
    given = {name: value for name, value in {"k": k, **keywords}.items() if value is not None}
    try:
        return dict(json.loads(json.dumps(given, default=os.fspath)))
    except TypeError:
        hint = "numbers, texts, paths, True, False, lists of these and mappings are"
        raise made(ParameterError, "a keyword is of a type that is no value of a keyword", hint) from None


def concatenated(tables: Iterable[Any]) -> Any:
    """Tables with one schema as one."""
    import pyarrow

    return pyarrow.concat_tables(tables).combine_chunks()


__all__ = [
    "DATA",
    "Context",
    "DistributedRelease",
    "Engine",
    "Verdict",
    "check",
    "check_folder",
    "concatenated",
    "keywords_with",
    "protect",
]
