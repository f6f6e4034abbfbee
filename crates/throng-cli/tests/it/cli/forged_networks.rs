//! Masked networks and tracks that somebody changed, with all hashes in their certificate mended: what XML and CSV can carry beside counts and
//! points, random graphs that are none, and counts that no memory holds. Found by an attacker of releases of ours.

use std::fs;

use crate::support::Sandbox;

impl Sandbox {
    /// Friends, what is known of them, and a release in a format.
    fn release_of_friends(format: &str) -> Self {
        let sandbox = Self::new();
        let ages = |at: usize| (20 + at * 7 % 40, if at.is_multiple_of(3) { "flu" } else { "none" });
        let people: String = (0..40).map(|at| format!("p{at:03},{},{}\n", ages(at).0, ages(at).1)).collect();
        let edges: String =
            (0..40).flat_map(|at| [1, 2, 5].map(|step| format!("p{at:03},p{:03}\n", (at + step) % 40))).collect();
        sandbox.write("people.csv", format!("person,age,illness\n{people}"));
        sandbox.write("friends.csv", format!("source,target\n{edges}"));
        let protect = ["protect", "friends.csv", "--nodes", "people.csv", "--out", "out", "--k", "4", "--seed", "1"];
        let roles = ["--column", "id=person", "quasi=age", "sensitive=illness", "--format", format, "--expand", "2"];
        sandbox.done(&[&protect[..], &roles].concat());
        assert_eq!(sandbox.run(&["check", "out"]).code, 0);
        sandbox
    }

    /// Puts another text into a file of the release, and another file into its certificate; mends the hashes, looks, and puts all back.
    fn forged(&self, file: &str, change: impl Fn(String) -> String, named: Option<&str>) -> (i32, String) {
        let place = format!("out/{file}");
        let (text, certificate) = (self.read(&place), self.read("out/certificate.json"));
        let hash = |file: &str| throng::io::hash_file(&self.path("out").join(file)).unwrap();
        let before = hash(file);
        self.write(&place, change(text.clone()));
        let (with_report, reports) = certificate.split_once(",\n  \"report_sha256\"").unwrap();
        assert_eq!(reports.lines().count(), 2);
        let mut forged = format!("{with_report}\n}}\n").replace(&before, &hash(file));
        if let Some(name) = named {
            let more = format!(
                "      }},\n      {{\n        \"file\": \"{name}\",\n        \"sha256\": \"{}\"\n      }}\n    ],",
                hash(name)
            );
            let (start, rest) = forged.split_once("\"also\"").unwrap();
            forged = format!("{start}\"also\"{}", rest.replacen("      }\n    ],", &more, 1));
        }
        for report in ["report.html", "report.json"] {
            let _ = fs::remove_file(self.path("out").join(report));
        }
        self.write("out/certificate.json", forged);
        let ran = self.run(&["check", "out"]);
        self.write(&place, text);
        self.write("out/certificate.json", certificate);
        (ran.code, format!("{}{}", ran.stdout, ran.stderr))
    }

    fn carries_nothing(&self, file: &str, forgeries: &[(&str, &str)]) {
        // Without any forgery the check holds: it is these that fail.
        let (code, said) = self.forged(file, |text| text, None);
        // What only the original shows is not looked at.
        assert!(code == 0 || (code == 3 && said.contains("not checked: needs the original")), "{said}");
        for (from, to) in forgeries {
            let change = |text: String| {
                assert!(text.contains(from), "{from} in {text}");
                text.replacen(from, to, 1)
            };
            let (code, said) = self.forged(file, change, None);
            assert!(code == 1 || code == 2, "{code} {to}: {said}");
            assert!(!said.contains("knows"), "{said}");
        }
    }
}

#[test]
fn graphml_carries_nothing_beside_its_clusters() {
    let sandbox = Sandbox::release_of_friends("graphml");
    sandbox.carries_nothing(
        "data.graphml",
        &[
            ("<graph ", "<!-- p001 knows p006 --><graph "),
            ("</graphml>\n", "</graphml>\n<!-- p001 knows p006 -->\n"),
            ("<graph ", "<?note p001 knows p006?><graph "),
            ("<graph ", "<graph label=\"p001 knows p006\" "),
            ("<node ", "<node label=\"p001 knows p006\" "),
            ("<edge ", "<edge id=\"p001 knows p006\" "),
            ("<edge ", "<edge      "),
            ("<graphml ", "<graphml note=\"p001 knows p006\" "),
            ("<graphml ", "<graphml xmlns:p001=\"http://a\" "),
            ("<graph ", "<desc>p001 knows p006</desc><graph "),
            ("<graph ", "<key id=\"p001\" for=\"node\" attr.name=\"p001x\" attr.type=\"string\"/><graph "),
            ("attr.type=\"int\"/>", "attr.type=\"int\"><default>5</default></key>"),
            ("attr.type=\"int\"", "attr.type=\"p001\""),
            ("<data key=\"size\">", "<data key=\"size\">9</data><data key=\"size\">"),
            ("{&quot;", "{ &quot;"),
            ("{&quot;flu&quot;:", "{&quot;flu&quot;:1,&quot;flu&quot;:"),
            ("{&quot;", "{&quot;an p001&quot;:0,&quot;"),
            ("masked", "&#109;asked"),
        ],
    );
    // Keys under other names, everywhere.
    let (code, said) = sandbox.forged("data.graphml", |text| text.replace("quasi0", "p001"), None);
    assert!(code == 1 && said.contains("not as throng writes"), "{said}");
}

#[test]
fn tables_of_a_masked_network_have_one_form() {
    let sandbox = Sandbox::release_of_friends("csv");
    let nodes = sandbox.read("out/data.nodes.csv");
    let cell = nodes.lines().nth(1).unwrap().rsplit(',').next().unwrap().to_owned();
    let (cell, row) = (format!(",{cell}\n"), nodes.lines().nth(1).unwrap().to_owned());
    sandbox.carries_nothing(
        "data.nodes.csv",
        &[
            (&cell, ",p001 knows p006 and has HIV\n"),
            (&cell, ",NaN..25\n"),
            (&cell, ",25..13\n"),
            (&cell, "\n"),
            ("cluster,", "\u{feff}cluster,"),
            (&row, &format!("\"{}\"{}", &row[..row.find(',').unwrap()], &row[row.find(',').unwrap()..])),
            (&row, &format!("\n{row}")),
        ],
    );
    let turned = |text: String| {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.swap(1, 2);
        format!("{}\n", lines.join("\n"))
    };
    let swapped = |text: String| {
        let line = text.lines().nth(1).unwrap();
        let cells: Vec<&str> = line.split(',').collect();
        text.replacen(line, &[cells[1], cells[0], cells[2]].join(","), 1)
    };
    let with_zero = |text: String| {
        let clusters: Vec<&str> = nodes.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
        let pairs = clusters.iter().flat_map(|one| clusters.iter().map(move |other| format!("{one},{other}")));
        let free =
            pairs.filter(|pair| pair.split(',').next() < pair.split(',').nth(1)).find(|pair| !text.contains(pair));
        format!("{text}{},0\n", free.unwrap_or_else(|| format!("{},{}", clusters[0], clusters[1])))
    };
    for file in ["data.nodes.csv", "data.edges.csv", "data.values.csv"] {
        for (what, change) in [
            ("other order", &turned as &dyn Fn(String) -> String),
            ("semicolons", &|text| text.replace(',', ";")),
            ("line ends", &|text| text.replace('\n', "\r\n")),
            ("blank line", &|text| format!("{text}\n")),
        ] {
            let (code, said) = sandbox.forged(file, change, None);
            assert!(code == 1 || code == 2, "{file} {what}: {said}");
        }
    }
    assert_ne!(sandbox.forged("data.edges.csv", swapped, None).0, 0);
    assert_ne!(sandbox.forged("data.edges.csv", with_zero, None).0, 0);
    // The certificate names each file once.
    let (code, said) = sandbox.forged("data.nodes.csv", |text| text, Some("data.edges.csv"));
    assert!(code == 1 && said.contains("no masked network has"), "{said}");
}

/// Every random graph is what its seed and the published counts give, so the true one is none.
#[test]
fn the_true_graph_is_no_expansion() {
    let sandbox = Sandbox::release_of_friends("csv");
    let file = "expansion-1.txt";
    let text = sandbox.read(&format!("out/{file}"));
    let (heading, body) = text.split_once('\n').unwrap();
    assert!(heading.rsplit(' ').next().unwrap().parse::<u64>().is_ok(), "{heading}");
    assert_ne!(heading, sandbox.read("out/expansion-2.txt").lines().next().unwrap());
    let other = |change: &dyn Fn(&str) -> String| {
        let (code, said) = sandbox.forged(file, |_| change(body), None);
        assert!(code == 1 && said.contains("expansion-1.txt"), "{said}");
    };
    // Another graph with the same counts: that of another seed, under this one.
    let foreign = sandbox.read("out/expansion-2.txt").split_once('\n').unwrap().1.to_owned();
    other(&|_| format!("{heading}\n{foreign}"));
    other(&|body| {
        let mut lines: Vec<&str> = body.lines().collect();
        lines.reverse();
        format!("{heading}\n{}\n", lines.join("\n"))
    });
    other(&|body| format!("{heading}\n{}", body.replace('\n', "\r\n")));
    other(&|body| format!("{heading} p001\n{body}"));
    other(&|body| format!("{heading}\n# p001\n{body}"));
    other(&|body| format!("{heading}\n{body}\n"));
    // Names are those that throng gives.
    let name = "expansion-p001 knows p006.txt";
    fs::copy(sandbox.path("out").join(file), sandbox.path("out").join(name)).unwrap();
    let (code, said) = sandbox.forged(file, |text| text, Some(name));
    assert!(code == 1 && said.contains("no masked network has"), "{said}");
}

#[test]
fn gpx_carries_nothing_beside_its_points() {
    let sandbox = Sandbox::new();
    let point = |person: usize, hour: usize| {
        let (lat, lon) = (["47.0", "47.05", "47.0"][hour], format!("8.000{person}"));
        format!("<trkpt lat=\"{lat}\" lon=\"{lon}\"><time>2024-03-04T{:02}:00:00Z</time></trkpt>", 8 + hour)
    };
    let track = |person: usize| {
        let points: String = (0..3).map(|hour| point(person, hour)).collect();
        format!("<trk><name>p{person}</name><trkseg>{points}</trkseg></trk>")
    };
    let tracks: String = (0..6).map(track).collect();
    let form = "xmlns=\"http://www.topografix.com/GPX/1/1\"";
    sandbox.write("walks.gpx", format!("<gpx version=\"1.1\" creator=\"throng\" {form}>{tracks}</gpx>"));
    sandbox.done(&["protect", "walks.gpx", "--out", "out", "--seed", "1", "--min-persons", "2"]);
    let text = sandbox.read("out/data.gpx");
    let lat = text.split("lat=").nth(1).unwrap().split(' ').next().unwrap();
    let lat = format!("lat={lat}");
    sandbox.carries_nothing(
        "data.gpx",
        &[
            ("<trk>", "<!-- p001 knows p006 --><trk>"),
            ("</gpx>\n", "</gpx>\n<!-- p001 knows p006 -->"),
            ("<trk>", "<?x p001 knows p006?><trk>"),
            (&lat, &format!("lat=\"48.8566123\" {lat}")),
            (&lat, &format!("{lat} lat=\"48.8566123\"")),
            ("<time>", "<time>2020-01-01T00:00:00Z</time><time>"),
            ("</time>", "</time><time>2020-01-01T00:00:00Z</time>"),
            ("<time>", "<time who=\"p001\">"),
            ("<gpx ", "<gpx xmlns:a=\"p001\" "),
            ("<trk>", "<trk><name>p001 knows p006</name><trkseg></trkseg></trk><trk>"),
            ("<trkseg>", "<name>p001</name><trkseg>"),
            ("</trkpt>", "</trkpt   >"),
        ],
    );
    // Twice the same thing is an error in anybody's file.
    sandbox
        .write("twice.gpx", sandbox.read("walks.gpx").replacen("<time>", "<time>2020-01-01T00:00:00Z</time><time>", 1));
    let ran = sandbox.run(&["inspect", "twice.gpx"]);
    assert!(ran.code == 2 && ran.stderr.contains("two elements `time`"), "{}", ran.stderr);
}

/// A line of a file may say of a cluster that it has four billion persons: that is an error, and no attempt.
#[test]
fn counts_that_no_memory_holds() {
    let sandbox = Sandbox::release_of_friends("csv");
    let huge = u64::from(u32::MAX) * (u64::from(u32::MAX) - 1) / 2;
    for (nodes, edges) in [
        ("a,4294967295,5\nb,4294967295,5\n".to_owned(), ""),
        (format!("a,4294967295,{huge}\nb,4294967295,{huge}\nc,4294967295,{huge}\n"), ""),
        ("a,2000000000,0\nb,2000000000,0\nc,2000000000,0\n".to_owned(), "a,b,4000000000000000000\n"),
        ("a,40,4000000000000000000\nb,40,4000000000000000000\nc,40,0\n".to_owned(), "a,b,12000000000000000000\n"),
    ] {
        sandbox.write("x.nodes.csv", format!("cluster,size,edges\n{nodes}"));
        sandbox.write("x.edges.csv", format!("cluster_a,cluster_b,edges\n{edges}"));
        for args in [
            &["check", "x.nodes.csv", "--k", "5"][..],
            &["inspect", "x.nodes.csv"],
            &["measure", "friends.csv", "x.nodes.csv"],
            &["attack", "friends.csv", "x.nodes.csv"],
            &["audit", "x.nodes.csv"],
        ] {
            let ran = sandbox.run(args);
            assert!(ran.code == 2 && ran.stderr.contains("at most"), "{args:?} {}: {}", ran.code, ran.stderr);
        }
    }
    // What can be read can still be too much for a random graph.
    sandbox.write("x.nodes.csv", "cluster,size,edges\na,60000,1799970000\n");
    sandbox.write("x.edges.csv", "cluster_a,cluster_b,edges\n");
    let ran = sandbox.run(&["measure", "friends.csv", "x.nodes.csv"]);
    assert!(ran.code == 2 && ran.stderr.contains("no random graph is drawn"), "{} {}", ran.code, ran.stderr);
}
