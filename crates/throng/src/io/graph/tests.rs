//! Every form of a graph, and what is wrong with some.

use throng_core::progress::Silent;

use super::*;
use crate::io::Location;

fn read(name: &str, text: &str) -> Result<ReadNetwork> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let opened = Opened::open(&Location::File(path), &ReadOptions::default())?;
    read_opened_graph(opened, &ReadOptions::default(), &Silent)
}

fn graph(name: &str, text: &str) -> ReadGraph {
    match read(name, text) {
        Ok(ReadNetwork::Plain(read)) => *read,
        other => panic!("{other:?}"),
    }
}

fn problem(name: &str, text: &str) -> String {
    read(name, text).unwrap_err().describe(false)
}

#[test]
fn lists_of_edges_in_every_form() {
    for (name, text) in [
        ("a.csv", "source,target\nann,bob\nbob,cid\n"),
        ("a.csv", "from,to,weight\nann,bob,3\nbob,cid,4\n"),
        ("a.tsv", "src\tdst\nann\tbob\nbob\tcid\n"),
        ("a.jsonl", "{\"source\":\"ann\",\"target\":\"bob\"}\n{\"source\":\"bob\",\"target\":\"cid\"}\n"),
        ("a.txt", "# Directed graph\n# FromNodeId\tToNodeId\nann\tbob\nbob\tcid\n"),
        ("a.txt", "source target\nann bob\nbob cid\n"),
        ("a.dat", "ann bob 3\nbob cid 4\n"),
        (
            "a.graphml",
            "<graphml><graph><node id=\"ann\"/><node id='bob'/><node id=\"cid\"></node><edge source=\"ann\" target=\"bob\"/><edge source=\"bob\" target=\"cid\"/></graph></graphml>",
        ),
        (
            "a.gml",
            "graph [ node [ id 0 label \"ann\" ] node [ id 1 label \"bob\" ]\nnode [ id 2 label \"cid\" ] edge [ source 0 target 1 ] edge [ source 1 target 2 ] ]",
        ),
    ] {
        let read = graph(name, text);
        assert_eq!(read.ids.iter().collect::<Vec<_>>(), ["ann", "bob", "cid"], "{text}");
        assert_eq!(read.pairs, [(0, 1), (1, 2)], "{text}");
    }
    assert_eq!(graph("a.csv", "from,to,weight\na,b,3\n").unmapped, ["weight"]);
    assert_eq!(graph("a.dat", "1 2 3\n2 3 4\n").unmapped, ["column 3"]);
    assert!(graph("a.csv", "source,target\n").pairs.is_empty());
}

#[test]
fn graphml_and_gml_say_what_is_known_of_nodes() {
    let graphml = "<?xml version='1.0'?><!-- c --><graphml xmlns=\"x\"><key id=\"d0\" for=\"node\" attr.name=\"age\" attr.type=\"int\"><default>7</default></key>\
        <key id=\"d1\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/><graph edgedefault=\"undirected\"><node id=\"a&amp;b\"><data key=\"d0\">30</data></node>\
        <node id=\"c\"/><edge source=\"a&amp;b\" target=\"c\"><data key=\"d1\">1.5</data></edge></graph></graphml>";
    let gml = "Creator \"x\"\ngraph\n[\n directed 0\n node [ id 1 label \"a&amp;b\" age 30 ]\n node [ id 2 label \"c\" age 7 ]\n edge [ source 1 target 2 weight 1.5 ]\n]\n";
    for (name, text) in [("a.graphml", graphml), ("a.gml", gml)] {
        let read = graph(name, text);
        let [(column, values, cells, typed)] = read.attributes.as_deref().unwrap() else { panic!("{name}") };
        let texts: Vec<&str> = cells.iter().map(|&cell| values.get(cell)).collect();
        assert_eq!((column.as_str(), texts, *typed), ("age", vec!["30", "7"], true));
        assert_eq!((read.ids.get(0), read.unmapped), ("a&b", vec!["weight".to_owned()]));
    }
}

#[test]
fn what_is_wrong_is_said_and_never_shown() {
    let deep = format!("<graphml><graph>{}", "<node id=\"1\">".repeat(1000));
    let deep_gml = format!("graph [ {}", "a [ ".repeat(1000));
    for (name, text, part) in [
        (
            "a.graphml",
            "<graphml><graph><node id=\"secret\"/><node id=\"secret\"/></graph></graphml>",
            "stands there twice",
        ),
        (
            "a.graphml",
            "<graphml><graph><node id=\"1\"/><edge source=\"1\" target=\"secret\"/></graph></graphml>",
            "ends at a node",
        ),
        ("a.graphml", "<graphml><graph><node id=\"1\">", "ends inside"),
        ("a.graphml", "<graphml><graph><node id=\"1\"><graph/></node></graph></graphml>", "a graph in a node"),
        ("a.graphml", "<!DOCTYPE x [<!ENTITY a \"b\">]><graphml></graphml>", "document types"),
        (
            "a.graphml",
            "<graphml><key id=\"d\"/><graph><node id=\"1\"><data key=\"d\"><b>x</b></data></node></graph></graphml>",
            "no text",
        ),
        ("a.graphml", &deep, "is not known"),
        ("a.gml", &deep_gml, "more than 64"),
        ("a.gml", "graph [ node [ id 1 ", "ends inside"),
        ("a.gml", "graph [ node [ id 1 graphics [ x 1 ] ] ]", "is a list"),
        ("a.gml", "graph [ node [ id 1 ] edge [ source 1 target 9 ] ]", "ends at a node"),
        ("a.csv", "source,target\nsecret,\n", "an end of the edge is missing"),
        ("a.dat", "secret\n", "has one value"),
        ("x.edges.csv", "cluster_a,cluster_b,edges\n1,2,3\n", "without its clusters"),
        ("x.nodes.csv", "cluster,size,edges\n1,2,3\n", "does not lie beside"),
    ] {
        let said = problem(name, text);
        assert!(said.contains(part) && !said.contains("secret"), "{text}: {said}");
    }
}
