//! Raw requests, as somebody sends them who is not the page: each is refused or finished, nothing hangs, nothing is left.

use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::time::Duration;

use serde_json::json;

use super::{Answer, Served};
use crate::support::Sandbox;

fn with_folder() -> Served {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("data")).unwrap();
    sandbox.write("data/a.csv", "a,b\n1,2\n");
    sandbox.write("outside.csv", "SECRET\n");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(sandbox.path("outside.csv"), sandbox.path("data/link.csv")).unwrap();
        std::os::unix::fs::symlink(sandbox.path("."), sandbox.path("data/up")).unwrap();
    }
    Served::start_in(sandbox, &["data", "--largest", "1M"])
}

#[test]
fn who_gets_in() {
    let served = with_folder().enter();
    let port = served.port;
    let cookie = served.cookie.clone();
    let own = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let ask = |line: &str, headers: &[String]| {
        served.raw(format!("{line} HTTP/1.1\r\n{}\r\n\r\n", headers.join("\r\n")).as_bytes()).unwrap()
    };
    let host = |host: &str| format!("Host: {host}");
    let known = format!("Cookie: {cookie}");
    for own in &own {
        assert_eq!(ask("GET /", &[host(own), known.clone()]).status, 200);
    }
    let secret = served.address.split_once("/?").unwrap().1;
    for (line, headers) in [
        ("GET /", vec![host(&own[0])]),
        ("GET /", vec![known.clone()]),
        ("GET /", vec![host("evil.example"), known.clone()]),
        ("GET /", vec![host("127.0.0.1"), known.clone()]),
        ("GET /", vec![host(&own[0]), host(&own[0]), known.clone()]),
        ("GET /", vec![host(&own[0]), "Cookie: throng-1=0".to_owned()]),
        ("GET /", vec![host(&own[0]), format!("{}0", &known[..known.len() - 1])]),
        ("GET /", vec![host(&own[0]), known.clone(), "Sec-Fetch-Site: cross-site".to_owned()]),
        ("GET /api/files", vec![host(&own[0]), known.clone(), "Origin: https://evil.example".to_owned()]),
        ("POST /api/quit", vec![host(&own[0]), known.clone()]),
        ("POST /api/quit", vec![host(&own[0]), known.clone(), "Origin: https://evil.example".to_owned()]),
        ("POST /api/quit", vec![host(&own[0]), known.clone(), "Origin: null".to_owned()]),
        (&format!("GET /?{secret}"), vec![host(&own[0])]),
        (&format!("GET /?{secret}"), vec![host(&own[0]), known.clone()]),
    ] {
        let answer = ask(line, &headers);
        assert_eq!(answer.status, 403, "{line} {headers:?}: {answer:?}");
        let body = String::from_utf8(answer.body).unwrap();
        assert!(body.lines().count() == 1 && body.ends_with(".\n"), "one sentence: {body}");
        let head = answer.head.to_ascii_lowercase();
        assert!(head.contains("content-security-policy: default-src 'none'") && head.contains("nosniff"), "{head}");
        assert!(head.contains("referrer-policy: no-referrer") && head.contains("cache-control: no-store"), "{head}");
        assert!(!head.contains("access-control"), "{head}");
    }
    let (ran, sandbox) = served.quit();
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "nothing is logged: {ran:?}");
    assert_eq!(
        sandbox.listing().iter().filter(|name| name.starts_with("private/")).count(),
        1,
        "only the folder itself"
    );
}

/// Paths and names that lead elsewhere lead nowhere.
#[test]
fn names_and_paths() {
    let served = with_folder().enter();
    let long = "x".repeat(10_000);
    let far = format!("/api/files/{long}");
    for path in [
        "/../../etc/passwd",
        "/%2e%2e/etc/passwd",
        "/page.css/..",
        "//etc/passwd",
        "/api/runs/r1/../../x",
        "/api/runs/r0",
        "/api/runs/r99999999999999999999999",
        "/api/runs/f1",
        &far,
    ] {
        assert_eq!(served.get(path).status, 404, "{path:.40}");
    }
    for name in ["..", "%2e%2e", "%2e%2e%2fx", "a%2fb", "..%5cx", "%00", "a%00b", "%ff", "%", "", ".", &long] {
        let answer = served.request("PUT", &format!("/api/files/{name}"), b"a");
        assert!([404, 422].contains(&answer.status), "{name:.40}: {answer:?}");
    }
    assert_eq!(
        served.raw(format!("GET /\0 HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", served.port).as_bytes()).unwrap().status,
        400
    );
    let shown = served.get("/api/folder").json();
    assert_eq!(shown["files"], json!([{"name": "a.csv", "bytes": 8, "release": false}]));
    let outside = served.sandbox.path("outside.csv").display().to_string();
    for name in
        ["../outside.csv", &outside, "link.csv", "up/outside.csv", "up/data/a.csv", "", ".", "a.csv/", &long, "a\0"]
    {
        let answer = served.post("/api/files", &json!({"name": name}));
        assert!((400..500).contains(&answer.status), "{name:.40}: {answer:?}");
        assert!(!String::from_utf8_lossy(&answer.body).contains("SECRET"));
    }
    assert_eq!(served.post("/api/files", &json!({"name": "a.csv"})).status, 201);
    // A run reads what was sent, and nothing else.
    for request in [
        json!({"drop": outside.clone()}),
        json!({"out": "/tmp/x"}),
        json!({"taxonomy": outside.clone()}),
        json!({"kind": "a\0"}),
    ] {
        let answer = served.post("/api/runs", &json!({"command": "protect", "file": "f1", "request": request}));
        assert_eq!(answer.status, 422, "{answer:?}");
    }
    let (ran, sandbox) = served.quit();
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(sandbox.path("outside.csv").exists() && sandbox.path("data/a.csv").exists());
}

/// Bodies that are too long, too short, slow or cut off.
#[test]
fn bodies() {
    let served = with_folder().enter();
    // Longer than is taken, by its own word: refused before it is sent, however long.
    for length in ["1048577", "9999999999999", "18446744073709551615", "99999999999999999999999"] {
        let head = served.head("PUT", "/api/files/x.csv", 0).replace("Length: 0", &format!("Length: {length}"));
        assert_eq!(served.raw(head.as_bytes()).unwrap().status, 413, "{length}");
    }
    // The same by somebody who may not come in, which must not cost anything either.
    let stranger = format!(
        "PUT /api/files/x HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: 99999999999999999\r\n\r\nabc",
        served.port
    );
    assert_eq!(served.raw(stranger.as_bytes()).unwrap().status, 403);
    for coding in ["Transfer-Encoding: chunked\r\n", "Content-Length: 3\r\n"] {
        let twice = served.head("PUT", "/api/files/x.csv", 3).replace("Content", &format!("{coding}Content"));
        assert!([400, 411].contains(&served.raw(format!("{twice}abc").as_bytes()).unwrap().status));
    }
    // More than its word: what is too much is not part of the file.
    let longer = served.head("PUT", "/api/files/x.csv", 3) + "abcdef";
    assert_eq!(served.raw(longer.as_bytes()).unwrap().json()["bytes"], 3);
    // Cut off.
    let mut stream = served.connect();
    stream.write_all((served.head("PUT", "/api/files/y.csv", 1000) + "abc").as_bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    assert_eq!(Answer::read(&bytes).unwrap().status, 400);
    // One byte a second arrives in the end.
    let mut stream = served.connect();
    stream.write_all(served.head("PUT", "/api/files/z.csv", 4).as_bytes()).unwrap();
    for _ in 0..4 {
        std::thread::sleep(Duration::from_secs(1));
        stream.write_all(b"z").unwrap();
    }
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    assert_eq!(Answer::read(&bytes).unwrap().json()["bytes"], 4);
    // Too short, by somebody who stays: given up after a while; so is a head that never ends.
    let mut short = served.connect();
    short.write_all((served.head("PUT", "/api/files/w.csv", 5) + "abc").as_bytes()).unwrap();
    let mut head = served.connect();
    head.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
    for (mut stream, status) in [(short, 408), (head, 408)] {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        assert_eq!(Answer::read(&bytes).unwrap().status, status);
    }
    let files: Vec<String> =
        served.private().into_iter().filter(|name| name.contains("/files/") && name.ends_with("csv")).collect();
    assert_eq!(files.len(), 2, "only whole files stay: {files:?}");
    let (ran, _) = served.quit();
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn many_connections_and_large_heads() {
    let served = with_folder().enter();
    let head = |line: &str| format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{line}\r\n\r\n", served.port);
    let large = served.raw(head(&format!("X: {}", "y".repeat(1 << 20))).as_bytes());
    assert!(large.is_none_or(|answer| answer.status == 431));
    let lines = "X: y\r\n".repeat(200_000);
    assert!(served.raw(head(lines.trim_end()).as_bytes()).is_none_or(|answer| answer.status == 431));
    // Two hundred at once, which all wait, and then all ask.
    let mut streams: Vec<_> = (0..200).map(|_| served.connect()).collect();
    for stream in &mut streams {
        stream.write_all(served.head("GET", "/api/files", 0).as_bytes()).unwrap();
    }
    for mut stream in streams {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        assert_eq!(Answer::read(&bytes).unwrap().status, 200);
    }
    // Two hundred that say nothing do not keep it from ending.
    let _silent: Vec<_> = (0..200).map(|_| served.connect()).collect();
    let (ran, _) = served.quit();
    assert_eq!(ran.code, 0, "{ran:?}");
}

/// A second browser does not get in by the address of the first.
#[test]
fn two_browsers() {
    let served = with_folder();
    let path = served.address.split_once(&format!(":{}", served.port)).unwrap().1.to_owned();
    let head = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", served.port);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let asking: Vec<_> = (0..8).map(|_| scope.spawn(|| served.raw(head.as_bytes()).unwrap().status)).collect();
        asking.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 303).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 403).count(), 7, "{statuses:?}");
}
