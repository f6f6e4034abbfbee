"""`throng link encode --compat clkhash` against clkhash itself, where pip brought it (pip install clkhash==0.18.3).

The program is that of `THRONG`, else the debug build of this repository. Frozen results are in testdata/clkhash/cases.json.
"""

import csv
import importlib.util
import json
import os
import pathlib
import subprocess
from typing import Any

import pytest

pytest.importorskip("clkhash")

ROOT = pathlib.Path(__file__).parents[2]
PROGRAM = pathlib.Path(os.environ.get("THRONG", ROOT / "target" / "debug" / "throng"))


def _made() -> Any:
    """The program that froze clkhash's answers."""
    found = importlib.util.spec_from_file_location("make", ROOT / "testdata" / "clkhash" / "make.py")
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


make = _made()


@pytest.mark.skipif(not PROGRAM.exists(), reason="throng is not built")
@pytest.mark.parametrize("name", list(make.cases()))
@pytest.mark.parametrize("seed", [2, 3])
def test_every_bit_is_clkhashs(tmp_path: pathlib.Path, name: str, seed: int) -> None:
    schema, records = make.cases()[name], make.rows(300, seed)
    with open(tmp_path / "rows.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([make.header(), *records])
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    (tmp_path / "secret").write_text(make.SECRET + "\n")
    command = "link encode rows.csv --schema schema.json --secret-file secret --compat clkhash --out out.json"
    subprocess.run([PROGRAM, *command.split()], cwd=tmp_path, check=True, capture_output=True)
    assert json.loads((tmp_path / "out.json").read_text())["clks"] == make.clks(schema, records)
