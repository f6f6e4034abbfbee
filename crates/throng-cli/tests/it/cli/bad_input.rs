//! Files that cannot be read: every command that reads them exits 2, names the place, shows nothing and leaves nothing.

use std::fs;

use serde_json::json;

use crate::support::{LOG, Sandbox};

/// A file that cannot be read: every command that reads it exits 2, names the place, shows nothing and leaves nothing.
fn refused(name: &str, file: &str, bytes: &[u8], place: &str) -> String {
    let sandbox = Sandbox::new();
    sandbox.write(file, bytes);
    let before = sandbox.listing();
    let protect = ["protect", file, "--out", "out", "--k", "2", "--key", "key.csv"];
    let ran = sandbox.snapshot(&format!("bad-{name}"), &protect);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains(place), "no {place} in {}", ran.stderr);
    assert!(ran.stderr.contains("\nhint: "), "nothing says what to do: {}", ran.stderr);
    assert!(!ran.stderr.contains("SECRET"), "{}", ran.stderr);
    assert_eq!(sandbox.listing(), before, "something was left behind");
    for args in [
        &["inspect", file][..],
        &["check", file, "--model", "user-k-anonymity", "--k", "2"],
        &["measure", file, file],
        &["inspect", file, "--distance", "SECRETann", "SECRETbob"],
    ] {
        let other = sandbox.run(args);
        assert_eq!((other.code, other.stdout.as_str()), (2, ""), "{args:?}: {}", other.stderr);
        assert!(other.stderr.contains(place) && !other.stderr.contains("SECRET"), "{args:?}: {}", other.stderr);
    }
    assert_eq!(sandbox.listing(), before);
    let shown = sandbox.run(&[&protect[..], &["--show-values"]].concat());
    assert_eq!(shown.code, 2);
    shown.stderr
}

/// The small log with one more line at the end, its 14th.
fn log_and(line: &[u8]) -> Vec<u8> {
    [LOG.as_bytes(), line, b"\n"].concat()
}

#[test]
fn malformed_lines() {
    refused("few-columns", "bad.tsv", &log_and(b"SECRETzoe\tSECRET query"), "bad.tsv:14");
    refused(
        "many-columns",
        "bad.tsv",
        &log_and(b"SECRETzoe\tSECRET\t2006-03-01 10:00:00\t1\tx.org\tSECRET"),
        "bad.tsv:14",
    );
    refused("no-id", "bad.tsv", &log_and(b"\tSECRET query\t2006-03-01 10:00:00"), "bad.tsv:14");
    let shown = refused("time", "bad.tsv", &log_and(b"SECRETzoe\tSECRET query\tSECRETday"), "bad.tsv:14");
    assert!(shown.contains("SECRETday") && !shown.contains("SECRETzoe"), "{shown}");
    let rank = b"SECRETzoe\tSECRET query\t2006-03-01 10:00:00\tSECRETrank\tx.org";
    let shown = refused("rank", "bad.tsv", &log_and(rank), "bad.tsv:14");
    assert!(shown.contains("SECRETrank"), "{shown}");
    refused("utf-8", "bad.tsv", &log_and(b"SECRETzoe\tSECRET \xff query\t2006-03-01 10:00:00"), "bad.tsv:14");
    refused("utf-8-id", "bad.tsv", &log_and(b"SECRET\xfe\troses\t2006-03-01 10:00:00"), "bad.tsv:14");
}

#[test]
fn malformed_lines_of_other_formats() {
    // Lines inside quotes count: the bad one is the sixth.
    let csv = "user,query,time\nann,\"two\nlines\",2006-03-01 10:00:00\nbob,x,2006-03-01 10:00:00\n\nSECRETzoe,\"SECRET\nx\",never\n";
    refused("csv", "bad.csv", csv.as_bytes(), "bad.csv:6");
    refused("csv-crlf", "bad.csv", csv.replace('\n', "\r\n").as_bytes(), "bad.csv:6");
    let json = "{\"user\":1,\"query\":\"x\",\"time\":1149116452}\n\n{\"user\":\"SECRET\",\"query\":\"SECRET\"";
    refused("jsonl", "bad.jsonl", json.as_bytes(), "bad.jsonl:3");
    let nested =
        "{\"user\":1,\"query\":\"x\",\"time\":1149116452}\n{\"user\":1,\"query\":[\"SECRET\"],\"time\":1149116452}\n";
    refused("jsonl-nested", "bad.jsonl", nested.as_bytes(), "bad.jsonl:2");
    refused("jsonl-first", "bad.jsonl", b"{\"user\": SECRET\n", "bad.jsonl:1");
    refused("json-array", "bad.json", b"[{\"user\":\"SECRET\",\"query\":\"x\",\"time\":1}]\n", "bad.json:1");
    let utf16 = "\u{feff}user,query,time\nSECRETann,roses,2006-03-01 10:00:00\n".encode_utf16();
    let utf16: Vec<u8> = utf16.flat_map(u16::to_le_bytes).collect();
    refused("utf-16", "bad.csv", &utf16[..utf16.len() - 1], "bad.csv");
}

#[test]
fn columns_that_are_not_there() {
    refused("no-time", "bad.csv", b"user,query\nSECRETann,roses\n", "bad.csv:1");
    refused("one-column", "bad.tsv", b"SECRET roses\nSECRET cars\n", "bad.tsv:1");
    refused("no-header", "bad.csv", b"SECRETann,SECRET roses,SECRET,2006-03-01 10:00:00\n", "bad.csv:1");
    let sandbox = Sandbox::with_log();
    sandbox.snapshot("bad-column", &["inspect", "log.tsv", "--column", "user=nobody"]);
    sandbox.snapshot("bad-column-role", &["inspect", "log.tsv", "--column", "usr=AnonID"]);
    sandbox.snapshot("bad-column-form", &["inspect", "log.tsv", "--column", "AnonID"]);
}

#[test]
fn a_line_above_the_limit() {
    let mut line = b"SECRETzoe\t".to_vec();
    line.resize((16 << 20) + 100, b'a');
    line.extend_from_slice(b"\t2006-03-01 10:00:00\nSECRETann\tused cars\t2006-03-01 10:00:00");
    let shown = refused("long-line", "bad.tsv", &log_and(&line), "bad.tsv:14");
    assert!(shown.len() < 2000, "a long line is not shown whole");
    // It is one malformed line like any other; the line after it is read.
    let sandbox = Sandbox::new();
    sandbox.write("bad.tsv", log_and(&line));
    let found = sandbox.done(&["inspect", "bad.tsv", "--bad-lines", "skip", "--json"]).json();
    assert_eq!((&found["rows"], &found["rows_refused"]), (&json!(13), &json!(1)));
}

#[test]
fn damaged_compression() {
    let sandbox = Sandbox::new();
    for format in ["tsv.gz", "csv.zst", "parquet"] {
        let made = format!("made.{format}");
        sandbox.done(&["synth", "queries", "--persons", "30", "--out", &made]);
        let bytes = fs::read(sandbox.path(&made)).unwrap();
        for (which, keep) in [("half", bytes.len() / 2), ("end", bytes.len() - 3)] {
            let file = format!("cut.{format}");
            refused(&format!("cut-{which}-{format}"), &file, &bytes[..keep], &file);
        }
    }
}

#[test]
fn nobody_in_it() {
    refused("empty", "bad.tsv", b"", "bad.tsv");
    refused("header-only", "bad.tsv", b"AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n", "bad.tsv");
    refused("header-only-csv", "bad.csv", b"user,query,time", "bad.csv");
}

#[test]
fn bad_lines_can_be_skipped_and_are_counted() {
    let sandbox = Sandbox::new();
    let bad = b"SECRETzoe\tSECRET query\nSECRETzoe\tx\tnever\nSECRETzoe\tx\t2006-03-01 10:00:00\tfirst\nSECRET\xff\tx\t2006-03-01 10:00:00";
    sandbox.write("bad.tsv", log_and(bad));
    let args =
        ["protect", "bad.tsv", "--out", "out", "--min-persons", "1", "--k", "3", "--seed", "5", "--bad-lines", "skip"];
    let ran = sandbox.snapshot("bad-lines-skip", &[&args[..], &["--measure", "query-frequency"]].concat());
    assert_eq!(ran.code, 0);
    let certificate = sandbox.json("out/certificate.json");
    assert_eq!(certificate["accounting"]["rows_refused"], 4);
    assert_eq!(certificate["input"]["rows"], 12);
    // The first line of a file without a header is a line like any other.
    let good = "{\"user\":1,\"query\":\"x\",\"time\":1149116452}\n";
    sandbox.write("first.jsonl", format!("\n{{\"user\": SECRET\n{good}"));
    sandbox.write("first.tsv", "SECRETzoe\tx\tnever\nann\tx\t2006-03-01 10:00:00\n");
    for file in ["first.jsonl", "first.tsv"] {
        let found = sandbox.done(&["inspect", file, "--bad-lines", "skip", "--json"]).json();
        assert_eq!((&found["rows"], &found["rows_refused"]), (&json!(1), &json!(1)), "{file}");
        assert_eq!(sandbox.run(&["inspect", file]).code, 2, "{file}");
    }
    // Nothing but bad lines is an error again.
    sandbox.write("all.tsv", "AnonID\tQuery\tQueryTime\nSECRETzoe\tx\n");
    let ran = sandbox.snapshot("bad-lines-all", &["inspect", "all.tsv", "--bad-lines", "skip"]);
    assert_eq!(ran.code, 2);
}
