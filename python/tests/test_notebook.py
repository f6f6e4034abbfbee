"""The notebook runs from top to bottom."""

from __future__ import annotations

from pathlib import Path

import nbclient
import nbformat

NOTEBOOK = Path(__file__).parents[1] / "examples" / "first-release.ipynb"


def test_the_notebook_runs() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not any(output.output_type == "error" for output in shown)
    pages = [output.data["text/html"] for output in shown if "data" in output and "text/html" in output.data]
    assert any("throng release" in page for page in pages)
