"""networkx opens every file that we write of graphs. Skipped where it is not installed."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

import throng

networkx: Any = pytest.importorskip("networkx")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made-up friends, and masked networks of them in both forms."""
    folder = tmp_path_factory.mktemp("graphs")
    friends, people = folder / "friends.csv", folder / "people.csv"
    throng.synth("graph", persons=120, degree=8, seed=1, out=friends, nodes_out=people)
    columns, flat = {"id": "id", "quasi": "age,sex", "sensitive": "illness"}, {"sex": "flat"}
    for name, form in [("csv", "csv"), ("xml", "graphml")]:
        out = folder / name
        throng.protect(friends, k=4, seed=1, nodes=people, columns=columns, hierarchy=flat, format=form, expand=2, out=out)
    return folder


def rows(place: Path) -> list[dict[str, str]]:
    with place.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_expansions_are_graphs(folder: Path) -> None:
    edges = sum(int(row["edges"]) for name in ("nodes", "edges") for row in rows(folder / "csv" / f"data.{name}.csv"))
    for number in (1, 2):
        graph = networkx.read_edgelist(folder / "csv" / f"expansion-{number}.txt")
        assert graph.number_of_edges() == edges
        assert networkx.number_of_selfloops(graph) == 0


def test_masked_networks_are_graphs(folder: Path) -> None:
    xml = networkx.read_graphml(folder / "xml" / "data.graphml")
    nodes = rows(folder / "csv" / "data.nodes.csv")
    assert xml.number_of_nodes() == len(nodes)
    assert sum(data["size"] for _, data in xml.nodes(data=True)) == 120
    table = rows(folder / "csv" / "data.edges.csv")
    graph = networkx.Graph()
    graph.add_nodes_from(row["cluster"] for row in nodes)
    graph.add_edges_from((row["cluster_a"], row["cluster_b"]) for row in table)
    assert graph.number_of_nodes() == len(nodes)
    assert xml.number_of_edges() == graph.number_of_edges() == len(table)


@pytest.mark.parametrize("end", ["csv", "tsv", "graphml"])
def test_made_up_graphs_are_graphs(tmp_path: Path, end: str) -> None:
    place = tmp_path / f"friends.{end}"
    throng.synth("graph", persons=60, degree=6, seed=2, out=place)
    if end == "graphml":
        graph = networkx.read_graphml(place)
    else:
        with place.open("rb") as file:
            next(file)
            graph = networkx.read_edgelist(file, delimiter="," if end == "csv" else "\t")
    assert graph.number_of_edges() == 180


def test_what_networkx_writes_is_read(tmp_path: Path) -> None:
    graph = networkx.karate_club_graph()
    networkx.write_graphml(graph, tmp_path / "karate.graphml")
    networkx.write_gml(graph, tmp_path / "karate.gml")
    networkx.write_edgelist(graph, tmp_path / "karate.txt", data=False)
    for name in ("karate.graphml", "karate.gml", "karate.txt"):
        found = throng.inspect(tmp_path / name, kind="graph")
        assert (found["persons"], found["rows"]) == (34, 78), name
