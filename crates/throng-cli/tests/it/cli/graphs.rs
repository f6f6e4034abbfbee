//! Graphs through every command: Table 2 of the paper, what a release has, what is refused, what somebody did to a release.

use serde_json::{Value, json};

use crate::support::Sandbox;

const EDGES: &str = "source,target\n1,2\n1,3\n2,3\n1,4\n4,5\n4,6\n4,7\n4,8\n4,9\n5,6\n";
const NODES: &str = "node,age,zip,gender,illness\n1,25,41076,male,flu\n2,25,41075,male,gout\n3,27,41076,male,flu\n4,35,41099,male,flu\n\
    5,38,48201,female,flu\n6,36,41075,female,gout\n7,30,41099,male,flu\n8,28,41099,male,cold\n9,33,41075,female,cold\n";
const ZIP: &str = "41075;410**;*****\n41076;410**;*****\n41099;410**;*****\n48201;482**;*****\n";
const ROLES: [&str; 9] = [
    "--nodes",
    "nodes.csv",
    "--hierarchy",
    "zip=zip.csv",
    "--hierarchy",
    "gender=flat",
    "--column",
    "id=node",
    "quasi=age,zip,gender",
];

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("edges.csv", EDGES);
    sandbox.write("nodes.csv", NODES);
    sandbox.write("zip.csv", ZIP);
    sandbox
}

fn with<'a>(args: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [args, more].concat()
}

/// As printed: cut after three decimals (reading N8).
fn cut(value: &Value) -> f64 {
    (value.as_f64().unwrap() * 1000.0 + 1e-9).floor() / 1000.0
}

/// A column in which nothing can be lost counts as 0, with a note: one value everywhere, and a hierarchy of values with no level above them.
#[test]
fn a_constant_column_and_a_hierarchy_of_height_0_lose_nothing() {
    let sandbox = sandbox();
    sandbox.write("nodes.csv", NODES.replace(",female,", ",male,"));
    sandbox.write("bare.csv", "41075\n41076\n41099\n48201\n");
    let own = ["--nodes", "nodes.csv", "--hierarchy", "zip=bare.csv", "--hierarchy", "gender=flat"];
    let roles = ["--column", "id=node", "quasi=zip,gender"];
    let said =
        sandbox.done(&[&["protect", "edges.csv", "--out", "r", "--k", "3", "--seed", "1"][..], &own, &roles].concat());
    for column in ["zip", "gender"] {
        assert!(said.stderr.contains(&format!("the column `{column}` has nothing that could be lost")), "{said:?}");
    }
    let clusters = sandbox.read("r/data.nodes.csv");
    assert!(clusters.contains(",*,male\n"), "{clusters}");
    let found = sandbox.done(&[&["measure", "edges.csv", "r", "--json"][..], &own].concat()).json();
    let all = found["measures"].as_array().unwrap();
    let loss = all.iter().find(|measure| measure["name"] == "generalisation-loss").unwrap();
    assert_eq!((&loss["value"], &loss["parts"]["gil"]), (&json!(0.0), &json!(0.0)));
    sandbox.done(&["check", "r"]);
    // A table has no use for a hierarchy that cannot generalise.
    let table = ["protect", "nodes.csv", "--kind", "table", "--out", "t", "--k", "3", "--column", "quasi=zip"];
    let refused = sandbox.run(&[&table[..], &["--hierarchy", "zip=bare.csv"]].concat());
    assert!(refused.code == 2 && refused.stderr.contains("no level above its values"), "{refused:?}");
}

#[test]
fn table_2_of_the_paper_comes_out_of_the_command() {
    let sandbox = sandbox();
    for (alpha, beta, out, gil, ngil, sil, nsil) in
        [("1", "0", "a", 7.730, 0.286, 8.444, 0.469), ("0", "1", "b", 14.307, 0.529, 5.777, 0.320)]
    {
        let protect = ["protect", "edges.csv", "--out", out, "--k", "3", "--method", "sangreea", "--exact"];
        sandbox.done(&[&protect[..], &["--alpha", alpha, "--beta", beta], &ROLES].concat());
        assert!(sandbox.read(&format!("{out}/data.nodes.csv")).contains(",3,3,25..27,410**,male\n"));
        let measure = ["measure", "edges.csv", out, "--nodes", "nodes.csv", "--hierarchy", "zip=zip.csv"];
        let found = sandbox.done(&with(&measure, &["--hierarchy", "gender=flat", "--json"])).json();
        let of = |name: &str| {
            let all = found["measures"].as_array().unwrap();
            all.iter().find(|measure| measure["name"] == name).unwrap().clone()
        };
        let (attributes, structure) = (of("generalisation-loss"), of("structural-loss"));
        assert_eq!((cut(&attributes["parts"]["gil"]), cut(&attributes["value"])), (gil, ngil));
        assert_eq!((cut(&structure["parts"]["sil"]), cut(&structure["value"])), (sil, nsil));
    }
}

#[test]
fn a_release_is_several_files_and_all_are_checked() {
    let sandbox = sandbox();
    let protect =
        ["protect", "edges.csv", "--out", "out", "--k", "3", "--seed", "1", "--key", "key.csv", "--expand", "2"];
    sandbox.done(&[&protect[..], &ROLES, &["sensitive=illness"]].concat());
    let certificate = sandbox.json("out/certificate.json");
    assert_eq!(certificate["output"]["file"], "data.nodes.csv");
    let also: Vec<&str> =
        certificate["output"]["also"].as_array().unwrap().iter().map(|also| also["file"].as_str().unwrap()).collect();
    assert_eq!(also, ["data.edges.csv", "data.values.csv", "expansion-1.txt", "expansion-2.txt"]);
    assert!(sandbox.read("out/data.nodes.csv").starts_with("cluster,size,edges,age,zip,gender\n"));
    assert!(sandbox.read("out/data.edges.csv").starts_with("cluster_a,cluster_b,edges\n"));
    assert!(sandbox.read("out/data.values.csv").starts_with("cluster,column,value,count\n"));
    assert_eq!(sandbox.read("out/expansion-1.txt").lines().count(), 11);
    let checked = sandbox.done(&["check", "out", "--json"]).json();
    assert_eq!((&checked["verdict"], &checked["achieved"]["k"]), (&json!("holds"), &json!(3)));
    let attack = ["attack", "edges.csv", "out", "--key", "key.csv", "--nodes", "nodes.csv", "--json"];
    let attacks = sandbox.run(&attack).json();
    let names: Vec<&str> =
        attacks["attacks"].as_array().unwrap().iter().map(|attack| attack["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["edges", "degree", "neighbourhood", "injection", "injection"]);
    // The key names groups as the release does.
    let key = sandbox.read("key.csv");
    assert!(key.lines().skip(1).all(|line| line.split(',').nth(1) == line.split(',').nth(2)), "{key}");

    // Whatever somebody changes in any of the files is found.
    for file in also.iter().copied().chain(["data.nodes.csv"]) {
        let place = format!("out/{file}");
        let text = sandbox.read(&place);
        sandbox.write(&place, text.replacen('1', "2", 1));
        assert_eq!(sandbox.run(&["check", "out"]).code, 1, "{file}");
        std::fs::remove_file(sandbox.path(&place)).unwrap();
        assert_ne!(sandbox.run(&["check", "out"]).code, 0, "{file}");
        sandbox.write(&place, text);
    }
    assert_eq!(sandbox.run(&["check", "out"]).code, 0);
    // An expansion with other counts fails, whatever hash the certificate has of it.
    let text = sandbox.read("out/expansion-1.txt");
    let short: String = text.lines().take(10).map(|line| format!("{line}\n")).collect();
    sandbox.write("out/expansion-1.txt", &short);
    let mut forged = sandbox.json("out/certificate.json");
    forged["output"]["also"][2]["sha256"] = json!(throng::io::hash_file(&sandbox.path("out/expansion-1.txt")).unwrap());
    sandbox.write("out/certificate.json", forged.to_string());
    let found = sandbox.run(&["check", "out", "--json"]);
    assert_eq!(found.code, 1);
    assert!(found.json()["not_compared"].to_string().contains("expansion-1.txt"));
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_graphml_is_one_file() {
    let sandbox = sandbox();
    for (out, threads) in [("one", "1"), ("two", "2")] {
        let protect = ["protect", "edges.csv", "--out", out, "--k", "3", "--seed", "7", "--threads", threads];
        sandbox.done(&[&protect[..], &ROLES, &["sensitive=illness"]].concat());
    }
    for file in ["data.nodes.csv", "data.edges.csv", "data.values.csv", "certificate.json", "report.json"] {
        assert_eq!(sandbox.read(&format!("one/{file}")), sandbox.read(&format!("two/{file}")), "{file}");
    }
    let protect = ["protect", "edges.csv", "--out", "xml", "--k", "3", "--seed", "7", "--format", "graphml"];
    sandbox.done(&[&protect[..], &ROLES, &["sensitive=illness"]].concat());
    assert!(!sandbox.path("xml/data.edges.csv").exists());
    let [csv, xml] = ["one", "xml"].map(|out| sandbox.done(&["inspect", out, "--json"]).json());
    assert_eq!((&csv["edges_inside"], &csv["edges_certain"]), (&xml["edges_inside"], &xml["edges_certain"]));
    assert_eq!(sandbox.run(&["check", "xml"]).code, 0);
}

#[test]
fn nobody_is_surer_of_an_edge_than_was_asked() {
    let sandbox = sandbox();
    let protect = ["protect", "edges.csv", "--out", "out", "--k", "3", "--max-confidence", "0.6", "--json"];
    sandbox.done(&[&protect[..], &ROLES].concat());
    assert!(sandbox.json("out/certificate.json")["accounting"]["edges_withheld"].is_u64());
    let checked = sandbox.done(&["check", "out", "--json"]).json();
    let claims = checked["claims"].as_array().unwrap();
    assert_eq!(claims[1]["model"], "edge-confidence");
    assert!(claims[1]["achieved"]["c"].as_f64().unwrap() <= 0.6);
    assert_eq!(sandbox.run(&["check", "out", "--model", "edge-confidence:c=0.01"]).code, 1);
}

#[test]
fn masked_networks_of_others_are_checked_and_graphs_by_degree() {
    let sandbox = sandbox();
    sandbox.write("x.nodes.csv", "cluster,size,edges\np,3,3\nq,4,0\n");
    sandbox.write("x.edges.csv", "cluster_a,cluster_b,edges\np,q,12\n");
    assert_eq!(sandbox.run(&["check", "x.nodes.csv", "--k", "3"]).code, 0);
    assert_eq!(sandbox.run(&["check", "x.nodes.csv", "--k", "4"]).code, 1);
    assert_eq!(sandbox.run(&["check", "x.nodes.csv", "--model", "edge-confidence"]).code, 1);
    for (edges, said) in [("p,q,13\n", "more edges"), ("p,r,1\n", "not there"), ("p,q,1\nq,p,1\n", "twice")] {
        sandbox.write("x.edges.csv", format!("cluster_a,cluster_b,edges\n{edges}"));
        let found = sandbox.run(&["check", "x.nodes.csv", "--k", "3"]);
        assert!(found.code == 1 && found.stdout.contains(said), "{edges}: {}", found.stdout);
    }
    let found = sandbox.run(&["check", "edges.csv", "--k", "2", "--json"]);
    assert_eq!((found.code, &found.json()["achieved"]["k"]), (1, &json!(1)));
    assert!(found.json()["achieved"]["alone_by_neighbours"].is_f64());
}

#[test]
fn what_is_refused_writes_nothing() {
    let sandbox = sandbox();
    sandbox.write("twice.csv", "node,age\n1,3\n1,4\n");
    sandbox.write("few.csv", "node,age\n1,3\n2,4\n");
    sandbox.write("none.csv", "age\n1\n");
    let before = sandbox.listing();
    for (args, part) in [
        (vec!["--nodes", "twice.csv"], "two rows"),
        (vec!["--nodes", "few.csv"], "file of nodes does not have"),
        (vec!["--nodes", "none.csv"], "which node a row is about"),
        (vec!["--k", "10"], "only 9 nodes"),
        (vec!["--alpha", "0.5", "--beta", "0.6"], "together"),
        (vec!["--max-confidence", "0"], "max-confidence"),
        (vec!["--max-confidence", "1.5"], "max-confidence"),
        (vec!["--keep-ids"], "keep-ids"),
        (vec!["--format", "parquet"], "masked network"),
        (vec!["--kind", "graph", "--column", "quasi=age"], "--nodes"),
    ] {
        let found = sandbox.run(&with(&["protect", "edges.csv", "--out", "out"], &args));
        assert_eq!(found.code, 2, "{args:?}: {}", found.stderr);
        assert!(found.stderr.contains(part), "{args:?}: {}", found.stderr);
        assert_eq!(sandbox.listing(), before);
    }
    sandbox.done(&["protect", "edges.csv", "--out", "out", "--k", "3"]);
    let found = sandbox.run(&["protect", "out", "--out", "again", "--k", "3"]);
    assert!(found.code == 2 && found.stderr.contains("masked network already"), "{}", found.stderr);
    // A graph without edges, and two persons: fine.
    sandbox.write("empty.csv", "source,target\n");
    sandbox.done(&with(&["protect", "empty.csv", "--out", "e", "--k", "3"], &ROLES));
    sandbox.write("two.csv", "source,target\na,b\n");
    sandbox.done(&["protect", "two.csv", "--out", "t", "--k", "2"]);
    sandbox.done(&[
        "protect",
        "edges.csv",
        "--out",
        "added",
        "--k",
        "2",
        "--nodes",
        "few.csv",
        "--unknown-nodes",
        "add",
    ]);
}

/// Made-up friends, and a release of them.
fn friends() -> Sandbox {
    let sandbox = Sandbox::new();
    let synth = ["synth", "graph", "--persons", "300", "--degree", "12", "--seed", "1", "--out", "friends.csv"];
    sandbox.done(&with(&synth, &["--nodes-out", "people.csv"]));
    sandbox.done(&["protect", "friends.csv", "--out", "out", "--k", "5", "--seed", "1", "--key", "key.csv"]);
    sandbox
}

#[test]
fn random_graphs_with_the_counts_are_measured() {
    let sandbox = friends();
    let of = |found: &Value, name: &str| {
        let all = found["measures"].as_array().unwrap();
        all.iter().find(|measure| measure["name"] == name).unwrap().clone()
    };
    let measure = ["measure", "friends.csv", "out", "--json"];
    let with_key = sandbox.done(&with(&measure, &["--key", "key.csv"])).json();
    let again = sandbox.done(&with(&measure, &["--key", "key.csv", "--threads", "1"])).json();
    assert_eq!(with_key, again);
    let sil = of(&with_key, "structural-loss")["parts"]["sil"].as_f64().unwrap();
    let kept = of(&with_key, "edges-kept")["value"].as_f64().unwrap();
    let edges = sandbox.json("out/certificate.json")["output"]["rows"].as_f64().unwrap();
    assert!((kept - (1.0 - sil / (2.0 * edges))).abs() < 1e-9, "{kept}");
    let change = of(&with_key, "degree-change");
    assert_eq!((&change["parts"]["expansions"], &change["value"]), (&json!(5), &change["parts"]["by_person"]));
    for name in ["clustering-kept", "paths-kept"] {
        let value = of(&with_key, name)["value"].as_f64().unwrap();
        assert!(value > 0.3 && value <= 1.0, "{name} {value}");
    }
    // Without the key distributions are compared, and true edges cannot be counted.
    let without = sandbox.done(&with(&measure, &["--expansions", "2", "--seed", "3"])).json();
    let change = of(&without, "degree-change");
    assert_eq!((&change["parts"]["expansions"], &change["value"]), (&json!(2), &change["parts"]["distributions"]));
    assert_eq!(without["skipped"][0]["name"], "edges-kept");
    assert_eq!(sandbox.run(&with(&measure, &["--expansions", "0"])).code, 2);
}

#[test]
fn patterns_are_found_in_the_original_and_not_in_the_release() {
    let sandbox = friends();
    let attack = |release: &str, more: &[&str]| {
        let args = ["attack", "friends.csv", release, "--attack", "injection", "--json"];
        sandbox.done(&with(&args, more)).json()["attacks"].clone()
    };
    let original = attack("friends.csv", &[]);
    assert_eq!((&original[0]["knowledge"]["variant"], &original[0]["rate"]), (&json!("active"), &json!(1.0)));
    assert!(original[1]["rate"].as_f64().unwrap() > 0.6, "{original}");
    let release = attack("out", &["--key", "key.csv", "--targets", "7"]);
    assert_eq!((&release[0]["attempts"], &release[0]["parts"]["found_before"]), (&json!(7), &json!(1.0)));
    for outcome in release.as_array().unwrap() {
        assert_eq!((&outcome["verdict"], &outcome["bound"]), (&json!("below"), &json!(0.2)));
        assert!(outcome["rate"].as_f64().unwrap() < 0.05, "{outcome}");
    }
    let neighbourhood = ["attack", "friends.csv", "out", "--attack", "neighbourhood", "--key", "key.csv", "--json"];
    let by_shape = sandbox.done(&with(&neighbourhood, &["--radius-one"])).json()["attacks"][0].clone();
    assert_eq!((&by_shape["knowledge"]["radius_one"], &by_shape["found"]), (&json!(true), &json!(1.0)));
    // Whoever looks for neighbours in data without any is told so.
    sandbox.write("baskets.dat", "1 2 3\n1 2\n2 3\n");
    let found = sandbox.run(&["attack", "baskets.dat", "baskets.dat", "--radius-one"]);
    assert!(found.code == 2 && found.stderr.contains("radius-one"), "{}", found.stderr);
}

#[test]
fn the_report_draws_the_network() {
    let sandbox = friends();
    let (page, nodes) = (sandbox.read("out/report.html"), sandbox.read("out/data.nodes.csv"));
    assert_eq!(page.matches("<circle class=\"cluster").count(), nodes.lines().count() - 1);
    for part in ["The network as it is published", "The largest clusters", "Persons by how many neighbours", "certain"]
    {
        assert!(page.contains(part), "{part}");
    }
    sandbox.done(&["report", "out"]);
    assert_eq!(sandbox.run(&["check", "out"]).code, 0);
    let mut report = sandbox.json("out/report.json");
    report["network"]["persons"] = json!(["p001"]);
    sandbox.write("out/report.json", report.to_string());
    assert_eq!(sandbox.run(&["check", "out"]).code, 1);
}

#[test]
fn the_figures_of_the_paper_with_what_they_do_not_show() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "graph", "--paper", "--seed", "1", "--out", "graphs"]);
    let compare = ["compare", "graphs/rmat-sparse.csv", "--study", "sangreea", "--out", "study"];
    let roles = ["--nodes", "graphs/rmat-sparse.nodes.csv", "--hierarchies", "graphs/hierarchies"];
    sandbox.done(&[&compare[..], &roles, &["--column", "id=id", "quasi=age,zip,sex,work"]].concat());
    for name in ["ngil", "nsil", "structure-lost", "certain-edges"] {
        let text = sandbox.read(&format!("study/{name}.csv"));
        assert!(text.starts_with("k,alpha,beta,") && text.lines().count() == 16, "{text}");
        assert!(sandbox.read(&format!("study/{name}.svg")).starts_with("<svg"));
    }
    let of = |name: &str, begin: &str| -> f64 {
        let text = sandbox.read(&format!("study/{name}.csv"));
        let line = text.lines().find(|line| line.starts_with(begin)).unwrap().to_owned();
        line.rsplit(',').next().unwrap().parse().unwrap()
    };
    // Larger clusters lose more, and heeding attributes alone costs structure; NSIL hides how much.
    assert!(of("ngil", "10,1,0,") > of("ngil", "2,1,0,") && of("ngil", "5,0,1,") > of("ngil", "5,1,0,"));
    assert!(of("structure-lost", "5,1,0,") > of("structure-lost", "5,0,1,") && of("nsil", "10,1,0,") < 0.07);
    // Of structure alone, where nothing is known of persons.
    sandbox.done(&with(&compare[..4], &["--out", "bare"]));
    assert_eq!(sandbox.read("bare/nsil.csv").lines().count(), 6);
    sandbox.write("rows.csv", "age,zip\n1,2\n3,4\n");
    let found = sandbox.run(&[
        "compare",
        "rows.csv",
        "--kind",
        "table",
        "--study",
        "sangreea",
        "--out",
        "none",
        "--column",
        "quasi=age,zip",
    ]);
    assert!(found.code == 2 && found.stderr.contains("not of table"), "{}", found.stderr);
}

/// One clear error each, no value in it, nothing written.
#[test]
fn bad_files_have_one_clear_error() {
    let sandbox = sandbox();
    let node = |inside: &str| format!("<graphml><graph edgedefault=\"undirected\">{inside}</graph></graphml>");
    let deep = |open: &str, close: &str| open.repeat(1500) + &close.repeat(1500);
    let key = "<key id=\"d\" for=\"node\" attr.name=\"x\" attr.type=\"string\"/><graph edgedefault=\"undirected\">";
    let long = "s".repeat(16 << 20);
    for (name, text, part) in [
        ("cut.graphml", "<graphml><graph><node id=\"secret\"/><edge source=\"sec".to_owned(), "a quote does not end"),
        ("open.graphml", "<graphml><graph><node id=\"secret\"/>".to_owned(), "ends"),
        ("deep.graphml", node(&deep("<a>", "</a>")), "not known"),
        (
            "nested.graphml",
            format!("<graphml>{key}<node id=\"secret\"><data key=\"d\">a<b>c</b></data></node></graph></graphml>"),
            "no text",
        ),
        (
            "deeper.graphml",
            format!(
                "<graphml>{key}<node id=\"secret\"><data key=\"d\">{}</data></node></graph></graphml>",
                deep("<b>", "</b>")
            ),
            "no text",
        ),
        (
            "type.graphml",
            "<!DOCTYPE a [<!ENTITY x \"secret\">]>".to_owned() + &node("<node id=\"&x;\"/>"),
            "document types",
        ),
        ("long.graphml", node(&format!("<node id=\"{long}\"/>")), "16 MiB"),
        ("none.graphml", node("<node id=\"a\"/><edge source=\"a\" target=\"secret\"/>"), "does not have"),
        ("cut.gml", "graph [ node [ id 1 label \"secret\" ] node [ id 2".to_owned(), "ends inside a list"),
        ("deep.gml", "graph ".to_owned() + &deep("[ a ", "] "), "64 lists"),
        ("long.gml", format!("graph [ node [ id 1 label \"{long}\" ] ]"), "16 MiB"),
        ("long.txt", format!("# edges\na b\n{long} b\n"), "16 MiB"),
        ("long.csv", format!("source,target\na,b\n{long},b\n"), "16 MiB"),
    ] {
        sandbox.write(name, text);
        let before = sandbox.listing();
        let found = sandbox.run(&["protect", name, "--kind", "graph", "--out", "out", "--k", "2"]);
        assert_eq!(found.code, 2, "{name}: {}", found.stderr);
        assert!(found.stderr.contains(part) && !found.stderr.contains("secret"), "{name}: {}", found.stderr);
        assert!(found.stderr.matches("error").count() == 1 && found.stderr.len() < 1000, "{name}");
        assert_eq!(sandbox.listing(), before, "{name}");
        std::fs::remove_file(sandbox.path(name)).unwrap();
    }
    // A value that its hierarchy lacks is looked for in the file of nodes.
    sandbox.write("zip.csv", ZIP.replace("48201;482**;*****\n", ""));
    let found = sandbox.run(&with(&["protect", "edges.csv", "--out", "out", "--k", "3"], &ROLES));
    assert!(
        found.code == 2 && found.stderr.contains("nodes.csv") && !found.stderr.contains("48201"),
        "{}",
        found.stderr
    );
}
