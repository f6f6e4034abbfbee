//! Access logs: read in the formats that servers write, protected, and checked again.

use serde_json::{Value, json};

use crate::support::Sandbox;

/// How a log of some lines is read.
fn rows_read(text: &str, more: &[&str]) -> Vec<Value> {
    let sandbox = Sandbox::new();
    sandbox.write("some.log", text);
    let args = [&["inspect", "some.log", "--rows", "5", "--show-values", "--json"], more].concat();
    sandbox.done(&args).json()["rows_read"].as_array().unwrap().clone()
}

/// Roles of the only line of a log that are these.
fn read_as(text: &str, more: &[&str], expected: Value) {
    let rows = rows_read(text, more);
    assert_eq!(rows.len(), 1, "{text}");
    for (role, value) in expected.as_object().unwrap() {
        assert_eq!(&rows[0][role], value, "{role} of {text}\n{}", rows[0]);
    }
}

const AGENT: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0";

#[test]
fn a_line_of_each_format() {
    let whole = json!({"address": "192.0.2.7", "time": "2024-03-07T11:00:01Z", "method": "GET", "path": "/a", "query": "b=c", "status": 200,
        "bytes": 512, "referrer": "http://www.example.com/", "agent": AGENT, "host": null, "user": "ann"});
    let common = r#"192.0.2.7 - ann [07/Mar/2024:12:00:01 +0100] "GET /a?b=c HTTP/1.1" 200 512"#;
    let combined = format!("{common} \"http://www.example.com/\" \"{AGENT}\"\n");
    read_as(&combined, &[], whole.clone());
    read_as(&format!("{common}\n"), &[], json!({"path": "/a", "bytes": 512, "agent": null}));
    read_as(
        &format!("www.example.com:443 {combined}"),
        &[],
        json!({"host": "www.example.com", "address": "192.0.2.7"}),
    );
    let ovh = combined.replace(" - ann ", " www.example.com ann ");
    read_as(&ovh, &[], json!({"host": "www.example.com", "user": "ann"}));
    read_as(&combined.replace("] \"GET", "] (0 s) \"GET"), &[], whole.clone());
    read_as(&combined.replace("127.0\"\n", "127.0\" 17\n"), &[], whole.clone());
    let directive = r#"%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i""#;
    read_as(&combined, &["--log-format", directive], whole);
    read_as(
        "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query c-ip cs(User-Agent) sc-status\n2024-03-07 11:00:01 10.0.0.1 GET /a b=c 192.0.2.7 A+B/1.0 404\n",
        &[],
        json!({"address": "192.0.2.7", "time": "2024-03-07T11:00:01Z", "path": "/a", "query": "b=c", "agent": "A B/1.0", "status": 404, "bytes": null}),
    );
    read_as(
        r#"2024-03-07T11:00:01.945958Z my-elb 192.0.2.7:2817 10.0.0.1:80 0.000073 0.001048 0.000057 200 200 0 29 "GET https://www.example.com:443/p?x=1 HTTP/1.1" "curl/7.38.0" DHE-RSA-AES128-SHA TLSv1.2"#,
        &[],
        json!({"address": "192.0.2.7", "path": "/p", "query": "x=1", "host": "www.example.com", "bytes": 29, "status": 200}),
    );
    read_as(
        r#"{"ts":1709809201.5,"request":{"client_ip":"192.0.2.7","method":"GET","host":"h.example","uri":"/a?b","headers":{"User-Agent":["A"]}},"size":12,"status":200}"#,
        &[],
        json!({"address": "192.0.2.7", "path": "/a", "query": "b", "host": "h.example", "agent": "A", "bytes": 12}),
    );
    read_as(
        "ip,time,request,status,user_agent\n192.0.2.7,2024-03-07T11:00:01Z,GET /a HTTP/1.1,200,A\n",
        &["--format", "csv"],
        json!({"address": "192.0.2.7", "time": "2024-03-07T11:00:01Z", "path": "/a", "agent": "A"}),
    );
}

#[test]
fn lines_that_are_odd() {
    let begin = "192.0.2.7 - - [07/Mar/2024:12:00:01 +0100]";
    read_as(
        &format!("{begin} \"-\" 408 -\n"),
        &[],
        json!({"path": null, "method": null, "status": 408, "bytes": null}),
    );
    read_as(&format!("{begin} \"\\x16\\x03\\x01\" 400 0\n"), &[], json!({"path": null, "status": 400}));
    let sandbox = Sandbox::new();
    let good = format!("{begin} \"GET /a HTTP/1.1\" 200 1\n");
    sandbox.write("bad.log", format!("{}{begin} \"GET /secret-page\n", good.repeat(20)));
    let ran = sandbox.run(&["inspect", "bad.log"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("bad.log:21") && ran.stderr.contains("column") && !ran.stderr.contains("secret-page"),
        "{}",
        ran.stderr
    );
    let found = sandbox.done(&["inspect", "bad.log", "--bad-lines", "skip", "--json"]).json();
    assert_eq!((&found["rows"], &found["rows_refused"]), (&json!(20), &json!(1)));
    sandbox.write("words.log", "hello world and more\n".repeat(3));
    let ran = sandbox.run(&["inspect", "words.log", "--kind", "visits"]);
    assert!(ran.code == 2 && ran.stderr.matches(" fails at column ").count() == 3, "{}", ran.stderr);
}

/// Made up, protected, checked: every visitor has a fresh address, and nothing that names somebody is left.
#[test]
fn a_release_is_a_log_again() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "visits", "--persons", "60", "--seed", "1", "--out", "access.log"]);
    for format in ["combined", "w3c", "jsonl", "csv", "elb"] {
        let out = format!("release-{format}");
        let args = ["protect", "access.log", "--out", &out, "--k", "3", "--seed", "1", "--format", format, "--key"];
        let key = format!("{out}.csv");
        sandbox.done(&[&args[..], &[&key]].concat());
        let certificate = sandbox.json(&format!("{out}/certificate.json"));
        assert_eq!(certificate["claims"][0]["model"], "user-k-anonymity", "{format}");
        let (input, output) = (&certificate["input"], &certificate["output"]);
        assert_eq!(
            input["humans"].as_u64().unwrap() + input["bots"].as_u64().unwrap(),
            input["persons"].as_u64().unwrap()
        );
        assert!(output["humans"].as_u64().unwrap() > 30, "{output}");
        sandbox.done(&["check", &out]);
        assert!(sandbox.read(&key).lines().skip(1).all(|line| line.contains(",2")), "fresh addresses");
    }
    let release = sandbox.read("release-combined/data.log");
    assert!(
        release.lines().all(|line| line.starts_with("24") || line.starts_with("25") || line.starts_with("2001:db8"))
    );
    sandbox.done(&["measure", "access.log", "release-combined", "--key", "release-combined.csv"]);
    sandbox.done(&["protect", "access.log", "--out", "masked", "--method", "mask", "--seed", "1"]);
    assert_eq!(sandbox.json("masked/certificate.json")["claims"], json!([]));
    assert_eq!(sandbox.run(&["check", "masked", "--model", "user-k-anonymity", "--k", "2"]).code, 1);
}
