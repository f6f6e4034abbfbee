//! What is fuzzed: every reader of the library, with small files of its own.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use throng::io::{
    BadLines, BasketLayout, Form, Format, Layout, Location, Person, ReadOptions, read_baskets, read_digests,
    read_documents, read_log, write_baskets, write_documents, write_persons,
};
use throng::kinds::{Ask, kind_of};
use throng::party::Transport;
use throng::policy::{Matcher, Policy};
use throng::run::{
    self, CheckRequest, CompareRequest, CubeCheckRequest, CubeQuestion, InspectRequest, PathsPartyRequest,
    ProtectRequest, SharesRequest, SynthRequest,
};
use throng::signature::{self, PublicKey, SecretKey};
use throng::{key, knowledge, ledger, report, taxonomy};
use throng_core::Rng;
use throng_core::attacks::With;
use throng_core::concepts::Scratch as Words;
use throng_core::data::{BasketsBuilder, DocumentsBuilder, QueryLogBuilder, Strings};
use throng_core::finders::mask::Form as Mask;
use throng_core::finders::{COUNT, Scratch};
use throng_core::progress::{Progress, Silent};
use throng_core::shares::sealed::Mark;
use throng_core::shares::shares_of;
use throng_core::taxonomy::Taxonomy;

use super::Target;

/// All targets.
pub(crate) const NAMES: [&str; 64] = [
    "finders",
    "queries-tsv",
    "queries-csv",
    "queries-jsonl",
    "queries-parquet",
    "queries-arrow",
    "baskets-fimi",
    "baskets-csv",
    "baskets-jsonl",
    "baskets-parquet",
    "baskets-arrow",
    "visits-log",
    "visits-w3c",
    "visits-jsonl",
    "visits-directive",
    "documents-jsonl",
    "documents-csv",
    "documents-parquet",
    "documents-html",
    "documents-md",
    "documents-pdf",
    "table-csv",
    "table-jsonl",
    "table-parquet",
    "table-schema",
    "table-hierarchy",
    "table-deid",
    "graph-lines",
    "graph-csv",
    "graph-graphml",
    "graph-gml",
    "graph-masked",
    "paths-csv",
    "paths-gpx",
    "paths-geojson",
    "paths-plt",
    "paths-cells",
    "paths-cube",
    "paths-message",
    "ratings-colons",
    "ratings-items",
    "ratings-shills",
    "link-schema",
    "link-encoded",
    "link-reference",
    "link-pins",
    "taxonomy-child-parent",
    "taxonomy-paths",
    "taxonomy-odp",
    "taxonomy-arx",
    "taxonomy-json",
    "taxonomy-wordnet",
    "taxonomy-own",
    "key",
    "shares",
    "knowledge",
    "certificate",
    "ledger",
    "policy",
    "recipe",
    "signature",
    "report",
    "comparison-plan",
    "comparison-cell",
];

/// A target by its name, which may write into a folder.
pub(crate) fn target(name: &str, folder: &Path) -> Option<Target> {
    let (what, form) = name.split_once('-').unwrap_or((name, ""));
    match what {
        "queries" | "baskets" => Some(file(name, seeds_of(name, folder), folder)),
        "documents" if matches!(form, "html" | "md" | "pdf") => Some(document(form, folder)),
        "documents" => Some(file(name, seeds_of(name, folder), folder)),
        "visits" => Some(visits(form, folder)),
        "finders" => Some(content()),
        "table" => Some(table(form, folder)),
        "graph" => Some(graph(form, folder)),
        "paths" => Some(paths(form, folder)),
        "ratings" => Some(ratings(form, folder)),
        "link" => super::links::target(form, folder),
        "taxonomy" => Some(tree(form, folder)),
        "key" => Some(keys(folder)),
        "shares" => Some(shares(folder)),
        "knowledge" => Some(known()),
        "certificate" => Some(certificate(folder)),
        "ledger" => Some(ledgers(folder)),
        "policy" => Some(policies()),
        "recipe" => Some(recipes(folder)),
        "signature" => Some(signatures()),
        "report" => Some(reports(folder)),
        "comparison" => Some(comparison(form, folder)),
        _ => None,
    }
}

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// Finders, on any text: what is masked is found no more, and places are those of characters.
fn content() -> Target {
    let finders = throng::content::finders([true; COUNT]).unwrap();
    let seeds = texts(&[
        "write to ann.doe+x@mail.example or call +44 (0)20 7946 0958 x12, 12 oak road",
        "http://x.example/?q=ann%40x.example&token=a8f3k2m9q1z7x5c4&ll=48.8566%2C2.3522",
        "GB82 WEST 1234 5698 7654 32, 4111-1111-1111-1111, 123-45-6789, passport L8988901",
        "10.0.0.1 2001:db8::1 eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ.c2ln mary smith \u{fc}\u{ff11}\u{200b}",
    ]);
    let read = move |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let (mut scratch, mut hits) = (Scratch::default(), Vec::new());
        finders.find(&text, &mut scratch, &mut hits);
        assert_eq!(hits, finders.find_plainly(&text), "quickly and plainly the same");
        for form in [Mask::Words, Mask::Url] {
            if let Some(left) = finders.mask(&text, form, |_, _| true, &mut scratch).and_then(|masked| masked.text) {
                assert!(finders.find_plainly(&left).is_empty(), "masked is gone");
            }
        }
    };
    Target { seeds, read: Box::new(read) }
}

/// Access logs in every form of lines, and the directive that says what they are.
fn visits(form: &str, folder: &Path) -> Target {
    const COMBINED: &str = "192.0.2.7 - ann [07/Mar/2024:12:00:01 +0100] \"GET /a?b=c HTTP/1.1\" 200 512 \"http://x.example/\" \"A \\\"B\\\" \\xc3\\xa9\"\n";
    let seeds = texts(match form {
        "w3c" => &[
            "#Fields: date time c-ip cs-method cs-uri-stem cs(User-Agent) sc-status\n2024-03-07 11:00:01 192.0.2.7 GET /a A+B%20 200\n#Fields: date time c-ip cs-uri\n\"2024-03-07\" \"11:00:02\" \"192.0.2.7\" \"x.example/a\"\"\"\n",
            "#Fields: date time c-ip cs-uri-stem cs(User-Agent)\n2024-03-07\t11:00:01\t192.0.2.7\t/a\tA%2520B\n",
        ],
        "jsonl" => &[
            "{\"ts\":1709809201.5,\"request\":{\"client_ip\":\"192.0.2.7\",\"uri\":\"/a?b\",\"headers\":{\"User-Agent\":[\"A\"]}},\"size\":12,\"status\":200}\n",
            "{\"remote_addr\":\"192.0.2.7\",\"time\":\"2024-03-07T12:00:01+01:00\",\"request\":\"GET /a HTTP/1.1\",\"status\":\"200\"}\n",
        ],
        "directive" => &[
            "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\"",
            "$remote_addr - $remote_user [$time_local] \"$request\" $status $body_bytes_sent \"$http_referer\" \"$http_user_agent\"",
            "LogFormat \"%v:%p %h %t \\\"%r\\\" %{%s}t\" name",
        ],
        _ => &[
            COMBINED,
            "www.x.example:443 192.0.2.7, 10.0.0.1 - - [07/Mar/2024:12:00:01 +0100] \"-\" 408 -\n",
            "2024-03-07T11:00:01.945958Z elb 192.0.2.7:2817 - 0 0 0 200 - 0 29 \"GET https://x.example:443/p HTTP/1.1\" \"curl/7\" - -\n",
            "Mar  7 12:14:14 h haproxy[1]: 192.0.2.7:33 [07/Mar/2024:12:00:01.655] a b/c 1/0/3/6/1 200 27 - - ---- 1/1/1/1/0 0/0 {x} \"GET / HTTP/1.1\"\n",
        ],
    });
    let place = folder.join(format!("visits-{form}"));
    let is_directive = form == "directive";
    let read = move |bytes: &[u8]| {
        let text = if is_directive { COMBINED.as_bytes() } else { bytes };
        fs::write(&place, text).unwrap();
        let log_format = is_directive.then(|| String::from_utf8_lossy(bytes).into_owned());
        let bad_lines = BadLines::Skip;
        let ask = Ask { kind: Some("visits".to_owned()), log_format, bad_lines, rows: Some(2), ..Ask::default() };
        let request = InspectRequest { file: vec![place.clone()].into(), ask, ..InspectRequest::default() };
        let _ = run::inspect(&request, &Silent);
    };
    Target { seeds, read: Box::new(read) }
}

/// Graphs in every form, and the clusters of a masked network with edges beside them.
fn graph(form: &str, folder: &Path) -> Target {
    let seeds = texts(match form {
        "lines" => &["# FromNodeId ToNodeId\n1 2\n2\t3\n3,1;9\n", "source target\na b\n% x\nb c 0.5\n"],
        "csv" => &["source,target,weight\na,b,1\nb,\"c,d\",2\n", "1,2\n2,3\n3,4\n"],
        "graphml" => &[
            "<?xml version=\"1.0\"?><graphml><key id=\"d0\" for=\"node\" attr.name=\"age\" attr.type=\"int\"><default>1</default></key><graph edgedefault='undirected'>\
             <node id=\"a&amp;&#x62;\"><data key=\"d0\">30</data></node><node id=\"c\"/><!-- x --><edge source=\"c\" target=\"a&amp;b\"/></graph></graphml>",
            "<graphml><key id=\"throng\" for=\"graph\" attr.name=\"throng\"/><key id=\"size\" for=\"node\" attr.name=\"size\"/><key id=\"inner\" for=\"node\" attr.name=\"edges\"/>\
             <key id=\"values0\" for=\"node\" attr.name=\"illness\"/><key id=\"between\" for=\"edge\" attr.name=\"edges\"/><graph><data key=\"throng\">masked network</data>\
             <node id=\"1\"><data key=\"size\">2</data><data key=\"inner\">1</data><data key=\"values0\">{&quot;flu&quot;:2}</data></node></graph></graphml>",
        ],
        "gml" => &[
            "Creator \"x\"\ngraph [ directed 0 node [ id 1 label \"a\" age 30 ] node [ id 2 label \"b&amp;\" ] edge [ source 1 target 2 weight 1.5 ] ]",
            "# c\ngraph\n[\nnode [ id 0 ]\n]\n",
        ],
        _ => &["cluster,size,edges,age\n1,2,1,30..40\n2,3,0,*\n"],
    });
    let ending = if form == "masked" { "nodes.csv" } else { form };
    let place = folder.join(format!("graph.{ending}"));
    let is_masked = form == "masked";
    let edges = folder.join("graph.edges.csv");
    let read = move |bytes: &[u8]| {
        fs::write(&place, bytes).unwrap();
        if is_masked {
            fs::write(&edges, "cluster_a,cluster_b,edges\n1,2,3\n").unwrap();
        }
        let ask = Ask { kind: Some("graph".to_owned()), bad_lines: BadLines::Skip, ..Ask::default() };
        let request =
            InspectRequest { file: vec![place.clone()].into(), ask: ask.clone(), ..InspectRequest::default() };
        let _ = run::inspect(&request, &Silent);
        let _ = run::check(&CheckRequest { file: vec![place.clone()].into(), ask, ..CheckRequest::default() }, &Silent);
    };
    Target { seeds, read: Box::new(read) }
}

/// Paths in every form, the table of cells, a cube, and a message of another holder.
fn paths(form: &str, folder: &Path) -> Target {
    const POINTS: &str =
        "user,time,lat,lon,place\na,2024-03-04T08:00:00Z,47.1,8.2,home\nb,2024-03-04 09:00,-47.1,-179.99,\n";
    const LOG: &str = "user,time,cell\na,2024-03-04T08:00:00Z,A1\nb,2024-03-04T09:00:00Z,B 2\n";
    const PLT: &str = "Geolife trajectory\nWGS 84\nAltitude is in Feet\nReserved 3\n0,2,255,My Track,0,0,2,8421376\n0\n\
        39.984702,116.318417,0,492,39744.1201851852,2008-10-23,02:53:04\n39.984683,116.31845,0,492,39744.1202546296,2008-10-23,02:53:10\n";
    let seeds = texts(match form {
        "gpx" => &[
            "<?xml version=\"1.0\"?>\n<gpx version=\"1.1\" creator=\"x\" xmlns=\"http://www.topografix.com/GPX/1/1\"><trk><name>a&amp;b</name><trkseg>\
             <trkpt lat=\"47.1\" lon=\"8.2\"><ele>4</ele><time>2024-03-04T08:00:00.5Z</time></trkpt><trkpt lat='-1' lon='2'><time>2024-03-04T09:00:00+01:00</time></trkpt></trkseg></trk></gpx>",
            "<gpx version=\"1.0\"><!-- x --><trk><trkseg><trkpt lat=\"1\" lon=\"2\"><time>2024-03-04T09:00:00Z</time><![CDATA[y]]></trkpt></trkseg></trk><wpt lat=\"1\" lon=\"2\"/></gpx>",
        ],
        "geojson" => &[
            "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"properties\":{\"user\":\"a\",\"time\":\"2024-03-04T08:00:00Z\",\"x\":[1]},\
             \"geometry\":{\"type\":\"Point\",\"coordinates\":[8.2,47.1,400]}}]}",
            "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"properties\":{\"name\":\"b\",\"coordTimes\":[\"2024-03-04T08:00:00Z\",1709539200]},\
             \"geometry\":{\"type\":\"LineString\",\"coordinates\":[[8.2,47.1],[8.3,47.2]]}}]}",
        ],
        "plt" => &[PLT],
        "cells" => &["cell,lat,lon\nA1,47.1,8.2\nB 2,-47,-8\n", "lon,\"cell\",lat\n8.2,A1,47.1\n"],
        "cube" => &[
            "cell,part,time,persons,observations,entries,exits\n,total,,2,2,0,0\n0,whole,2024-03-04T00:00:00Z,2,2,0,0\n12,rest,,,7,1,1\n",
        ],
        _ => &[POINTS],
    });
    let place = folder.join(format!("paths.{}", if form == "cells" { "csv" } else { form }));
    let (points, cells) = (folder.join("points.csv"), form == "cells");
    let beside = if cells { LOG } else { POINTS };
    if form == "message" {
        return message(folder, POINTS);
    }
    let is_cube = form == "cube";
    let read = move |bytes: &[u8]| {
        fs::write(&place, bytes).unwrap();
        fs::write(&points, beside).unwrap();
        let bad_lines = if bytes.len().is_multiple_of(2) { BadLines::Fail } else { BadLines::Skip };
        let ask = Ask { kind: Some("paths".to_owned()), bad_lines, ..Ask::default() };
        if is_cube {
            let request = CubeCheckRequest {
                file: place.clone(),
                original: Some(vec![points.clone()].into()),
                ask,
                k: Some(2),
                cell: Some("tile:2".to_owned()),
                time: Some("1d".to_owned()),
            };
            let _ = run::check_cube(&request, &Silent);
            let _ = run::ask_cube(&place, &CubeQuestion::RollUp("tile:1".to_owned()));
            return;
        }
        let file = if cells { &points } else { &place };
        let ask = Ask { cells: cells.then(|| place.clone()), ..ask };
        let request = InspectRequest { file: vec![file.clone()].into(), ask: ask.clone(), ..InspectRequest::default() };
        let _ = run::inspect(&request, &Silent);
        let _ = run::check(&CheckRequest { file: vec![file.clone()].into(), ask, ..CheckRequest::default() }, &Silent);
    };
    Target { seeds, read: Box::new(read) }
}

/// What a holder of paths is sent by another one: whatever is in it, the state stays.
fn message(folder: &Path, points: &str) -> Target {
    let own = folder.join("own.csv");
    fs::write(&own, points).unwrap();
    let request = |role: &str, receive: Option<PathBuf>, send: &Path| PathsPartyRequest {
        role: role.to_owned(),
        holders: 2,
        file: Some(vec![own.clone()].into()),
        ask: Ask { kind: Some("paths".to_owned()), ..Ask::default() },
        clusters: 2,
        moments: 4,
        by_trip: false,
        interval: None,
        origin: None,
        transport: Transport {
            receive: receive.into_iter().collect(),
            send: vec![send.to_owned()],
            state: Some(folder.join(format!("{role}.state"))),
            ..Transport::default()
        },
        out: None,
    };
    let first = folder.join("1.msg");
    run::cluster_party(&request("alice", None, &first), &Silent).unwrap();
    let (place, answer, state) = (folder.join("in.msg"), folder.join("2.msg"), folder.join("bob.state"));
    let asked = request("bob", Some(place.clone()), &answer);
    let read = move |bytes: &[u8]| {
        fs::write(&place, bytes).unwrap();
        let ended = run::cluster_party(&asked, &Silent);
        assert_eq!(ended.is_ok(), state.exists(), "nothing is left half done");
        assert_eq!(ended.is_ok(), answer.exists(), "nothing is left half done");
        let _ = (fs::remove_file(&answer), fs::remove_file(&state));
    };
    Target { seeds: vec![fs::read(&first).unwrap()], read: Box::new(read) }
}

/// The format of a target.
fn form_of(name: &str) -> &str {
    name.split_once('-').map_or(name, |(_, form)| form)
}

/// The seeds of a target whose input is one file of rows.
fn seeds_of(name: &str, folder: &Path) -> Vec<Vec<u8>> {
    match name {
        "queries-tsv" => {
            let mut seeds = texts(&[
                "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\nann\troses\t2006-03-01 10:00:00\t1\thttp://x.org\nbob\tcars\t2006-03-02 11:00:00\n",
                "ann\troses\t2006-03-01 10:00:00\nbob\tcars and more\t2006-03-02 11:00:00\t\t\n",
            ]);
            let (first, second) = (seeds[0].clone(), seeds[1].clone());
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packed.write_all(&first).unwrap();
            seeds.push(packed.finish().unwrap());
            seeds.push(zstd::encode_all(&second[..], 1).unwrap());
            seeds
        }
        "queries-csv" => texts(&[
            "user,query,time\nann,roses,1149116452\nbob,\"two\nlines, \"\"quoted\"\"\",1149116452000\n",
            "\u{feff}user;query;time;rank;url\r\nann;roses;2006-03-01T10:00:00.5+02:00;3;http://x.org/a\r\n",
        ]),
        "queries-jsonl" => texts(&[
            "{\"user\":\"ann\",\"query\":\"x\",\"time\":\"2006-03-01T10:00:00Z\"}\n{\"user\":7,\"query\":\"\\u00e4\\\"\",\"time\":1149116452,\"rank\":2,\"url\":null,\"more\":[1,{\"a\":{}}]}\n",
        ]),
        "queries-parquet" | "queries-arrow" => vec![log_in(form_of(name), folder)],
        "baskets-fimi" => texts(&["bread milk\nbeer bread\n\nmilk\n", "1 2 30\n2 10\n4 5 6\n"]),
        "baskets-csv" => texts(&[
            "bread,milk\nbeer,\"bread\"\n\nmilk,milk\n",
            "user,item\nann,bread\nann,milk\nbob,beer\n",
            "item\tuser\nbread\tann\n\tbob\n",
        ]),
        "baskets-jsonl" => texts(&[
            "{\"person\":\"ann\",\"items\":[\"bread\",\"milk\",3]}\n{\"person\":2,\"items\":[]}\n",
            "[\"bread\",\"milk\"]\n[\"beer\"]\n",
            "{\"person\":\"ann\",\"items\":[\"bread\"],\"sensitive\":{\"flu\":2},\"group\":1}\n",
        ]),
        "baskets-parquet" | "baskets-arrow" => {
            [Form::Long, Form::Lists].map(|form| baskets_in(form_of(name), folder, form)).to_vec()
        }
        "documents-jsonl" => texts(&[
            "{\"id\":\"a\",\"text\":\"The cat and a dog.\",\"label\":\"animals\"}\n{\"id\":2,\"text\":\"oaks\"}\n",
            "{\"id\":\"a\",\"terms\":{\"cat\":0.5,\"dog\":2}}\n{\"id\":\"b\",\"terms\":{}}\n",
        ]),
        "documents-parquet" => vec![parquet_documents(folder)],
        _ => texts(&[
            "id,text,label\na,\"The cat, and a dog.\",animals\nb,oaks,plants\n",
            "id,term,weight\na,cat,0.5\na,dog,2\nb,oak,1e-3\n",
        ]),
    }
}

fn log_in(format: &str, folder: &Path) -> Vec<u8> {
    let mut log = QueryLogBuilder::new();
    for person in ["ann", "bob"] {
        log.push(person, "roses", 1_149_116_452_000, Some(1), Some("http://x.org"));
    }
    let persons = [Person { name: "1", person: 0 }, Person { name: "2", person: 1 }];
    let layout = Layout { typed_time: true, typed_person: true, ..Layout::aol() };
    written(folder, |file| {
        write_persons(file, Format::parse(format).unwrap(), &layout, &log.finish(), &persons, &Silent).unwrap();
    })
}

fn baskets_in(format: &str, folder: &Path, form: Form) -> Vec<u8> {
    let mut builder = BasketsBuilder::new(None, true);
    for (person, items) in [("ann", ["bread", "milk"]), ("bob", ["beer", "bread"])] {
        let person = builder.person(person);
        for item in items {
            let item = builder.label(item);
            builder.push(person, item);
        }
    }
    let persons = [Person { name: "1", person: 0 }, Person { name: "2", person: 1 }];
    let layout = BasketLayout { typed_person: true, ..BasketLayout::new(form, true) };
    written(folder, |file| {
        write_baskets(file, Format::parse(format).unwrap(), &layout, &builder.finish(), &persons, &Silent).unwrap();
    })
}

fn parquet_documents(folder: &Path) -> Vec<u8> {
    let mut builder = DocumentsBuilder::new(None);
    builder.push_vector("a", [("cat", 0.5), ("dog", 2.0)], None);
    builder.push_vector("b", std::iter::empty(), None);
    let persons = [Person { name: "1", person: 0 }, Person { name: "2", person: 1 }];
    written(folder, |file| {
        let format = Format::parse("parquet").unwrap();
        write_documents(file, format, false, &builder.finish(), &persons, &Silent).unwrap();
    })
}

fn written(folder: &Path, write: impl FnOnce(&mut fs::File)) -> Vec<u8> {
    let path = folder.join("seed");
    write(&mut fs::File::create(&path).unwrap());
    fs::read(path).unwrap()
}

/// A few words, so that texts have terms.
fn words() -> Arc<Taxonomy> {
    Arc::new(Taxonomy::from_edges([("cat", "thing"), ("dog", "thing"), ("oak", "thing")]).unwrap())
}

/// A file of rows: what it looks like, and then whatever kind somebody says it is.
fn file(name: &str, seeds: Vec<Vec<u8>>, folder: &Path) -> Target {
    let path = folder.join("input");
    let (is_log, is_baskets) = (name.starts_with("queries"), name.starts_with("baskets"));
    let words = words();
    let read = move |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let location = Location::File(path.clone());
        let bad_lines = if bytes.len().is_multiple_of(2) { BadLines::Fail } else { BadLines::Skip };
        let options = ReadOptions { bad_lines, ..ReadOptions::default() };
        let kind = kind_of(&location, &Ask { bad_lines, ..Ask::default() }).ok();
        if is_log || kind == Some("queries") {
            let _ = read_log(&location, &options, &Silent);
            let _ = read_digests(&location, &options, &mut Rng::seeded(1), &Silent);
        }
        if is_baskets || kind == Some("baskets") {
            let _ = read_baskets(&location, &options, &Silent);
        }
        if !(is_log || is_baskets) || kind == Some("documents") {
            let _ = read_documents(&location, &options, || Ok(words.clone()), &Silent);
        }
    };
    Target { seeds, read: Box::new(read) }
}

/// A folder with one document in it.
fn document(form: &str, folder: &Path) -> Target {
    let place = folder.join("documents");
    fs::create_dir_all(&place).unwrap();
    let seeds = match form {
        "html" => texts(&[
            "<!doctype html><html><head><title>Cats</title><style>p{}</style></head><body><p>The cat &amp; a <b>dog</b>&#39;s oak<br/><script>var x = '</p>';</script><!-- no --></body></html>",
            "<p>oaks<ul><li>cat<li>dog</ul><pre> x </pre>&nbsp;&#x41;",
        ]),
        "md" => texts(&[
            "---\ntitle: cats\n---\n# The cat\n\n- a *dog*\n- [oak](http://x.org \"t\")\n\n```rust\ncode\n```\n\n| a | b |\n|---|---|\n| cat | dog |\n",
            "cat\n===\n> quoted `dog` <b>oak</b> &amp; ![x](y)\n\n1. one\n   2. two\n[^1]: note\n",
        ]),
        _ => vec![
            pdf("BT /F 12 Tf 50 700 Td (The cat and a dog) Tj 0 -20 Td [(oa) -20 (ks)] TJ ET"),
            pdf("q 1 0 0 1 5 5 cm BT /F 9 Tf 1 0 0 1 50 700 Tm <636174> Tj T* (dog) ' ET Q"),
        ],
    };
    let words = words();
    let path = place.join(format!("a.{form}"));
    let read = move |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let location = Location::Folder(place.clone());
        let _ = read_documents(&location, &ReadOptions::default(), || Ok(words.clone()), &Silent);
    };
    Target { seeds, read: Box::new(read) }
}

/// A PDF with one page that shows the operators given.
fn pdf(operators: &str) -> Vec<u8> {
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{operators}\nendstream", operators.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (at, object) in objects.iter().enumerate() {
        table += &format!("{:010} 00000 n \n", file.len());
        file.extend_from_slice(format!("{} 0 obj\n{object}\nendobj\n", at + 1).as_bytes());
    }
    let trailer = format!("trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{}\n%%EOF\n", file.len());
    file.extend_from_slice(table.as_bytes());
    file.extend_from_slice(trailer.as_bytes());
    file
}

/// WordNet's dictionary with three nouns; the numbers are places in this file.
const DATA_NOUN: &str = "\
00000000 03 n 01 entity 0 001 ~ 00000051 n 0000 | x
00000051 05 n 01 cat 0 001 @ 00000000 n 0000 | x
00000099 05 n 02 dog 0 hound 0 001 @ 00000000 n 0000 | x
";
const INDEX_NOUN: &str = "\
cat n 1 1 @ 1 0 00000051
dog n 1 1 @ 1 0 00000099
entity n 1 1 ~ 1 0 00000000
hound n 1 1 @ 1 0 00000099
";

/// A taxonomy in one of its forms, read as that form and as what it looks like.
fn tree(form: &str, folder: &Path) -> Target {
    let form = taxonomy::Form::parse(form).unwrap();
    let path = folder.join("input");
    let seeds = match form {
        taxonomy::Form::ChildParent => texts(&["child,parent\nFruit,Food\nApple,Fruit\n\"a, b\",Fruit\n"]),
        taxonomy::Form::Paths => texts(&["Top/Arts/Music\nTop/Arts/Film\nTop/Sports\n"]),
        taxonomy::Form::Odp => texts(&[
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<RDF xmlns:r=\"http://www.w3.org/TR/RDF/\">\n<Topic r:id=\"Top\">\n<narrow r:resource=\"Top/Arts\"/>\n</Topic>\n<Topic r:id=\"Top/Arts\">\n<d:Title>Arts &amp; more</d:Title>\n</Topic>\n</RDF>\n",
        ]),
        taxonomy::Form::Arx => texts(&["1;low;*\n2;low;*\n9;high;*\n"]),
        taxonomy::Form::Json => texts(&["{\"Food\": {\"Fruit\": [\"Apple\", \"Kiwi\"], \"Meat\": {\"Beef\": []}}}\n"]),
        taxonomy::Form::WordNet => texts(&[DATA_NOUN]),
        taxonomy::Form::Own => {
            let edges = [("Fruit", "Food"), ("Apple", "Fruit"), ("Kiwi", "Fruit"), ("Beef", "Food")];
            let place = folder.join("seed.taxonomy");
            taxonomy::write(&Taxonomy::from_edges(edges).unwrap(), &place).unwrap();
            vec![fs::read(place).unwrap()]
        }
    };
    let dictionary = folder.join("dictionary");
    if form == taxonomy::Form::WordNet {
        fs::create_dir_all(&dictionary).unwrap();
        fs::write(dictionary.join("index.noun"), INDEX_NOUN).unwrap();
        fs::write(dictionary.join("noun.exc"), "hounds hound\n").unwrap();
    }
    let read = move |bytes: &[u8]| {
        if form == taxonomy::Form::WordNet {
            fs::write(dictionary.join("data.noun"), bytes).unwrap();
            let _ = taxonomy::read(&dictionary, None);
        } else {
            fs::write(&path, bytes).unwrap();
            let _ = taxonomy::read(&path, Some(form));
            let _ = taxonomy::read(&path, None);
        }
    };
    Target { seeds, read: Box::new(read) }
}

/// Rows of a table, or a file that says what they hold: as somebody would look at it, and as a release is checked.
fn table(form: &str, folder: &Path) -> Target {
    const ROWS: &str = "age,zip,sex,illness\n30,41075,f,flu\n31,41076,m,\n2024-01-31,?,\"a, b\",gout\n";
    const TREE: &str = "41075;410**;*\n41076;410**;*\n?;?;*\n";
    let made = |ending: &str| {
        let out = folder.join(format!("seed.{ending}"));
        let request =
            SynthRequest { kind: "table".to_owned(), persons: 6, out: out.clone(), ..SynthRequest::default() };
        run::synth(&request, &mut Vec::new(), &Silent).unwrap();
        fs::read(out).unwrap()
    };
    let xml = "<?xml version=\"1.0\"?><definition><!-- x --><assigment><name>zip</name><type>QUASI_IDENTIFYING_ATTRIBUTE</type>\
        <datatype>String</datatype><ref>hierarchies/0.csv</ref><min>0</min><max>All</max></assigment>\
        <assigment name=\"age\" type=\"SENSITIVE_ATTRIBUTE\" datatype=\"Integer\"/></definition>";
    let project = |definition: &[u8]| {
        stored(&[
            ("input/definition.xml", definition),
            ("input/hierarchies/0.csv", TREE.as_bytes()),
            ("data/input.csv", b"age;zip\n30;41075\n31;41076\n"),
        ])
    };
    let seeds = match form {
        "csv" => texts(&[ROWS, "a;b\n1,5;x\n2;y\n"]),
        "jsonl" => [made("jsonl"), b"{\"age\":30,\"zip\":\"41075\"}\n{\"zip\":null,\"x\":[1]}\n".to_vec()].to_vec(),
        "parquet" => vec![made("parquet")],
        "schema" => texts(&[
            "[table]\nmissing = \"wild\"\nmissing_values = [\"?\"]\nperson = \"sex\"\n[columns.age]\nrole = \"quasi\"\ntype = \"text\"\n\
             weight = 2.5\nlevels = [0, 1]\n[columns.zip]\nrole = \"quasi\"\nhierarchy = \"tree.csv\"\ngeneralise = \"hierarchy\"\n\
             [columns.illness]\nrole = \"sensitive\"\ndistance = \"ordered\"\norder = [\"flu\", \"gout\"]\n",
        ]),
        "hierarchy" => {
            texts(&[TREE, "child,parent\n41075,a\n41076,a\n?,b\na,all\nb,all\n", "all/a/41075\nall/a/41076\nall/?\n"])
        }
        _ => vec![project(xml.as_bytes()), xml.as_bytes().to_vec()],
    };
    let ending = if matches!(form, "jsonl" | "parquet" | "deid") { form } else { "csv" };
    let (rows, tree, schema) =
        (folder.join(format!("input.{ending}")), folder.join("tree.csv"), folder.join("table.toml"));
    fs::write(&rows, ROWS).unwrap();
    fs::write(&tree, TREE).unwrap();
    let form = form.to_owned();
    let read = move |bytes: &[u8]| {
        let mut ask = Ask { kind: Some("table".to_owned()), ..Ask::default() };
        match form.as_str() {
            "schema" => {
                fs::write(&schema, bytes).unwrap();
                ask.schema = Some(schema.clone());
            }
            "hierarchy" => {
                fs::write(&tree, bytes).unwrap();
                ask.hierarchies = vec![format!("zip={}", tree.display())];
            }
            // What is no zip is the definition in one.
            "deid" if !bytes.starts_with(b"PK") => {
                let members = [("input/definition.xml", bytes), ("data/input.csv", &b"age;zip\n30;41075\n"[..])];
                fs::write(&rows, stored(&members)).unwrap();
            }
            _ => fs::write(&rows, bytes).unwrap(),
        }
        let looked = InspectRequest { file: rows.clone().into(), ask: ask.clone(), ..InspectRequest::default() };
        let _ = run::inspect(&looked, &Silent);
        let model = Some("l-diversity".to_owned());
        let _ = run::check(&CheckRequest { file: rows.clone().into(), model, ask, ..CheckRequest::default() }, &Silent);
    };
    Target { seeds, read: Box::new(read) }
}

/// A zip whose members are stored as they are.
fn stored(members: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let at = bytes.len() as u32;
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let mut common = vec![20, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        for number in [crc.sum(), content.len() as u32, content.len() as u32] {
            common.extend(number.to_le_bytes());
        }
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        bytes.extend([&b"PK\x03\x04"[..], &common, name.as_bytes(), content].concat());
        directory.extend([&b"PK\x01\x02\x14\x00"[..], &common, &[0; 10], &at.to_le_bytes(), name.as_bytes()].concat());
    }
    let count = (members.len() as u16).to_le_bytes();
    let (size, begin) = ((directory.len() as u32).to_le_bytes(), (bytes.len() as u32).to_le_bytes());
    [&bytes[..], &directory, b"PK\x05\x06\0\0\0\0", &count, &count, &size, &begin, &[0, 0]].concat()
}

fn keys(folder: &Path) -> Target {
    let path = folder.join("input");
    let names = |names: &[&str]| {
        let mut strings = Strings::new();
        for name in names {
            strings.push(name);
        }
        strings
    };
    let (original, release) = (names(&["ann", "bob"]), names(&["17", "18"]));
    let read = move |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let _ = key::read(&path, &original, &release);
    };
    Target { seeds: texts(&["person,pseudonym,group\nann,17,1\n\"bob\",18,1\n"]), read: Box::new(read) }
}

/// A file of shares that open, some that do not, and one of another release.
fn shares(folder: &Path) -> Target {
    let (path, out) = (folder.join("input.tsv"), folder.join("opened.tsv"));
    let mut rng = Rng::seeded(1);
    let [mark, other] = [Mark::draw(&mut rng), Mark::draw(&mut rng)];
    let mut file = |texts: &[(&str, usize, Mark)]| {
        let mut rows = "user\tquery\ttime\n".to_owned();
        for &(text, persons, mark) in texts {
            for (person, share) in shares_of(text, persons, 2, mark, &mut rng).unwrap().into_iter().enumerate() {
                rows += &format!("{person}\t{share}\t2006-03-01 10:00:00\n");
            }
        }
        rows.into_bytes()
    };
    let seeds = vec![file(&[("roses", 3, mark), ("my own", 1, mark)]), file(&[("roses", 2, mark), ("cars", 2, other)])];
    let read = move |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let _ = fs::remove_file(&out);
        let request = SharesRequest { release: path.clone(), out: out.clone(), ..SharesRequest::default() };
        let _ = run::open_shares(&request, &Silent);
    };
    Target { seeds, read: Box::new(read) }
}

/// Ratings with `::` between cells, files about their items, and lists of who is made up.
fn ratings(form: &str, folder: &Path) -> Target {
    let seeds = match form {
        "colons" => texts(&[RATINGS, "a::b::-3.5::\nb::b::1e1::\n", "1::2::3\n2::2::4\n"]),
        "items" => vec![
            b"1|Some (1999)|01-Jan-1999||http://x.example/|0|1|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0\n2|Caf\xe9|||\n"
                .to_vec(),
            b"1::A :: B (1999)::Drama|War\n2::C::\n".to_vec(),
            b"movieId,title,genres\n1,\"A, B\",Drama|War\n2,C,(no genres listed)\n".to_vec(),
        ],
        _ => texts(&["user,label\n1,genuine\n2,shill\n", "1\n\n2\n", "label,user,x\nshill,\"1\",\n"]),
    };
    let [rated, beside, out] = ["ratings.dat", "beside.txt", "release"].map(|name| folder.join(name));
    let is_about_ratings = form == "colons";
    let are_shills = form == "shills";
    let read = move |bytes: &[u8]| {
        fs::write(&rated, if is_about_ratings { bytes } else { RATINGS.as_bytes() }).unwrap();
        fs::write(&beside, bytes).unwrap();
        let ask = Ask { kind: Some("ratings".to_owned()), bad_lines: BadLines::Skip, ..Ask::default() };
        if is_about_ratings || !are_shills {
            let items = (!is_about_ratings).then(|| beside.clone());
            let ask = Ask { items, ..ask.clone() };
            let request = InspectRequest { file: vec![rated.clone()].into(), ask, ..InspectRequest::default() };
            let _ = run::inspect(&request, &Silent);
        }
        if is_about_ratings {
            let request = CheckRequest { file: vec![rated.clone()].into(), ask, ..CheckRequest::default() };
            let _ = run::check(&request, &Silent);
        } else if are_shills {
            let _ = fs::remove_dir_all(&out);
            let ask = Ask { drop_shills: Some(beside.clone()), ..ask };
            let request = ProtectRequest {
                file: vec![rated.clone()].into(),
                out: out.clone(),
                parameters: vec![("k".to_owned(), "2".to_owned())],
                no_attacks: true,
                ask,
                ..ProtectRequest::default()
            };
            let _ = run::protect(&request, &Silent);
        }
    };
    Target { seeds, read: Box::new(read) }
}

const RATINGS: &str = "\
1::1::5::978300760
1::2::3::978302109
2::1::4::978301968
2::2::3::978300275
3::1::1::978824291
3::2::2::978302268
";

/// What an attacker knows, of searches and of items, with everything beside it and without.
fn known() -> Target {
    let read = |bytes: &[u8]| {
        let names: Strings = ["ann", "17"].into_iter().collect();
        for (times, clicks) in [(false, false), (true, true)] {
            for word in ["query", "item", "path"] {
                let with = With { times, clicks, browser: clicks && word == "path", dates: false };
                let _ = knowledge::parse(bytes, word, &names, with, &ReadOptions::default());
            }
        }
    };
    let seeds = texts(&[
        "{\"person\": \"ann\", \"facts\": [{\"query\": \"red car\", \"time\": \"2006-03-01 10:00:00\", \"url\": \"http://x.org\"}]}\n\
         {\"person\": 17, \"facts\": [{\"query\": \"x\", \"time\": 1149116452, \"url\": \"\"}, {\"query\": \"y\"}]}\n",
        "{\"person\": \"17\", \"facts\": [{\"item\": \"milk\"}, {\"item\": \"\\u00e4\"}]}\n\n",
        "{\"person\": \"17\", \"facts\": [{\"path\": \"/a/*\", \"time\": 1149116452, \"url\": \"\", \"browser\": \"Firefox\"}]}\n",
    ]);
    Target { seeds, read: Box::new(read) }
}

const LOG: &str = "\
user,query,time
ann,roses,1149116452
bob,roses,1149116453
cid,cars,1149116454
dan,cars,1149116455
";

/// A log, and a release of it.
fn release(folder: &Path) -> (PathBuf, PathBuf) {
    let (file, out) = (folder.join("log.csv"), folder.join("release"));
    fs::write(&file, LOG).unwrap();
    let request = ProtectRequest {
        file: file.clone().into(),
        out: out.clone(),
        method: Some("user-microaggregation".to_owned()),
        parameters: vec![("k".to_owned(), "2".to_owned())],
        measures: vec!["query-frequency".to_owned()],
        seed: Some(1),
        ..ProtectRequest::default()
    };
    run::protect(&request, &Silent).unwrap();
    (file, out)
}

fn certificate(folder: &Path) -> Target {
    let (_, out) = release(folder);
    let place = out.join("certificate.json");
    let seeds = vec![fs::read(&place).unwrap()];
    let read = move |bytes: &[u8]| {
        fs::write(&place, bytes).unwrap();
        let request = CheckRequest {
            only_checkable: false,
            file: out.clone().into(),
            model: None,
            parameters: Vec::new(),
            original: None,
            show_values: false,
            ask: Ask::default(),
            ..CheckRequest::default()
        };
        let _ = run::check(&request, &Silent);
    };
    Target { seeds, read: Box::new(read) }
}

/// A ledger, and the line beside it that a killed run leaves.
fn ledgers(folder: &Path) -> Target {
    let three = include_str!("../../../../../../testdata/ledger/three-releases.ledger");
    let last = three.lines().last().unwrap();
    let pending = format!("{{\"line\":{last},\"release\":\"/nowhere\",\"unpublished\":\"/nowhere/made\"}}");
    let path = folder.join("ledger");
    let read = move |bytes: &[u8]| {
        let found = ledger::verify(bytes);
        assert!(found.is_err() || bytes.is_empty() || bytes.ends_with(b"\n"), "a torn ledger is whole");
        fs::write(&path, three).unwrap();
        fs::write(folder_beside(&path, ".pending"), bytes).unwrap();
        let _ = run::ledger_verify(&path);
        let _ = ledger::Writing::begin(&path, std::time::Duration::ZERO);
    };
    Target { seeds: vec![three.into(), pending.into()], read: Box::new(read) }
}

/// A recipe: whatever is wrong with it is said with its place.
fn recipes(folder: &Path) -> Target {
    let place = folder.join("recipe.toml");
    fs::write(folder.join("log.tsv"), "AnonID\tQuery\n1\ta\n").unwrap();
    let seeds = texts(&[
        "throng = 1\n[data.log]\nfile = \"log.tsv\"\nkind = \"queries\"\ncolumn = { user = \"AnonID\" }\n[steps.release]\nrun = \"protect\"\n\
         in = \"log\"\nk = 5\nexact = true\n[steps.proof]\nrun = \"attack\"\noriginal = \"log\"\nrelease = \"release\"\n[steps.out]\nrun = \"copy\"\n\
         in = \"release\"\nto = \"published-{date}\"\nwhen = \"proof.profile-linkage.rate <= 0.05 and not (proof.verdict == 'above')\"\n",
        "throng = 1\n[data.log]\nfile = [\"*.tsv\"]\n[steps.some]\nrun = \"select\"\nin = [\"log\"]\nwhere = \"`Query` != 'a''b' or AnonID >= 1e2\"\n\
         columns = [\"Query\"]\n[steps.sets]\nrun = \"split\"\nin = \"some\"\nshare = 0.5\nphase = \"modelling\"\n[steps.page]\nrun = \"report\"\n\
         in = [\"sets.train\", \"sets.test\"]\n",
    ]);
    let read = move |bytes: &[u8]| {
        if let Err(error) = throng::recipe::check(&String::from_utf8_lossy(bytes), &place) {
            assert!(!error.is_internal(), "{error}");
        }
    };
    Target { seeds, read: Box::new(read) }
}

/// A policy, and a text that it looks at: what can be understood can be looked for.
fn policies() -> Target {
    let read = |bytes: &[u8]| {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        let Ok(policy) = Policy::parse(text) else { return };
        let Ok(matcher) = Matcher::of(&policy, Some("queries"), &Ask::default()) else { return };
        for text in ["http://x.example/health/%61?q=1", "red cars in paris", text] {
            let found = matcher.mentioned(text, &mut Words::default());
            assert!(found.iter().all(|&number| (number as usize) < matcher.atoms().len()));
        }
    };
    let seeds = texts(&[
        "format = 1\nrule = [\n  { name = \"a\", never = [\"url\", \"email\"] },\n  { name = \"b\", kind = \"queries\", mentions = { words = \
         [\"hospice\", \"/x+/\"], paths = [\"/health/**\"] }, then = \"leave-out\" },\n]\n[minimum]\nqueries = { user-k-anonymity = 5 }\n\
         attacks = { known-queries = 0.2, refinement-bits = 1.0 }\nrandomness = \"secure\"\nsigned = true\n[ledger]\nsame_people = \"refuse\"\n",
        "[[rule]]\nname = \"c\"\ntogether = [{ word = \"red\" }, { path = \"/*/b\" }]\nwithin = \"dataset\"\n[[rule]]\nname = \"d\"\n\
         after = { dataset = \"shop\", field = \"url\" }\nnever = [\"query\"]\n",
    ]);
    Target { seeds, read: Box::new(read) }
}

fn folder_beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Signatures and keys. What verifies is what was signed, to the byte.
fn signatures() -> Target {
    let mut rng = Rng::seeded(5);
    let key = SecretKey::new(&mut rng);
    let signed = key.sign(b"certificate");
    let seeds = vec![signed.clone().into(), key.public().text().into(), key.text(None, &mut rng).unwrap().into()];
    let read = move |bytes: &[u8]| {
        let holds = key.public().verify(bytes, b"certificate").is_ok();
        assert!(!holds || bytes == signed.as_bytes(), "another text verifies");
        let _ = signature::check_form(bytes);
        if let Ok(other) = PublicKey::parse(bytes) {
            let _ = other.verify(signed.as_bytes(), b"certificate");
        }
        if let Ok(other) = SecretKey::parse(bytes, None) {
            let _ = other.sign(b"certificate");
        }
    };
    Target { seeds, read: Box::new(read) }
}

fn reports(folder: &Path) -> Target {
    let (_, out) = release(folder);
    let seeds = vec![fs::read(out.join("report.json")).unwrap()];
    let read = |bytes: &[u8]| {
        if let Ok(value) = serde_json::from_slice(bytes) {
            let _ = report::html(&value, bytes.len().is_multiple_of(2));
        }
    };
    Target { seeds, read: Box::new(read) }
}

/// Copies what an unfinished comparison keeps, while it is running.
struct Copying {
    from: PathBuf,
    files: Mutex<Vec<(String, Vec<u8>)>>,
}

impl Progress for Copying {
    fn stage(&self, _name: &str, _total: u64) {
        self.advance(0);
    }

    fn advance(&self, _steps: u64) {
        let mut files = self.files.lock().unwrap();
        for entry in fs::read_dir(&self.from).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Ok(bytes) = fs::read(entry.path())
                && name.ends_with(".json")
            {
                files.retain(|(other, _)| *other != name);
                files.push((name, bytes));
            }
        }
    }
}

/// The plan of an unfinished comparison, or one of its cells.
fn comparison(which: &str, folder: &Path) -> Target {
    let (file, _) = release(folder);
    let out = folder.join("comparison");
    let request = CompareRequest {
        file: file.into(),
        overwrite: false,
        out: out.clone(),
        methods: vec!["user-microaggregation".to_owned()],
        ks: vec![2, 3],
        measures: vec!["query-frequency".to_owned()],
        seed: Some(1),
        ..CompareRequest::default()
    };
    let copying = Copying { from: out.join("unfinished"), files: Mutex::default() };
    run::compare(&request, &copying).unwrap();
    let mut kept = copying.files.into_inner().unwrap();
    kept.push(("../plan.json".to_owned(), fs::read(out.join("plan.json")).unwrap()));
    let is_plan = which == "plan";
    let (seeds, others): (Vec<_>, Vec<_>) =
        kept.into_iter().partition(|(name, _)| name.ends_with("plan.json") == is_plan);
    let name = seeds.first().expect("a comparison keeps a plan and its cells").0.clone();
    let read = move |bytes: &[u8]| {
        let unfinished = request.out.join("unfinished");
        fs::remove_dir_all(&request.out).unwrap();
        fs::create_dir_all(&unfinished).unwrap();
        for (other, bytes) in others.iter().filter(|_| !is_plan) {
            fs::write(unfinished.join(other), bytes).unwrap();
        }
        fs::write(unfinished.join(&name), bytes).unwrap();
        let _ = run::compare(&request, &Silent);
        fs::create_dir_all(&request.out).unwrap();
    };
    Target { seeds: seeds.into_iter().map(|(_, bytes)| bytes).collect(), read: Box::new(read) }
}
