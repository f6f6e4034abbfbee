//! `throng serve`, in a folder of its own: the server by raw requests, and its page in a real browser.

mod devtools;
mod page;
mod raw;
mod runs;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::Child;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Ran, Sandbox};

/// How long anything may take. A machine may be busy with other things.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server in the folder of a sandbox, with a place of its own for what is private.
pub(crate) struct Served {
    pub(crate) sandbox: Sandbox,
    child: Child,
    pub(crate) address: String,
    pub(crate) port: u16,
    cookie: String,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The answer that bytes are.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(4).position(|part| part == b"\r\n\r\n")?;
        let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some(Self { status, head, body: bytes[end + 4..].to_vec() })
    }
}

impl Served {
    /// Starts a server; `data` is the folder that it may read, if it is there.
    pub(crate) fn start(more: &[&str]) -> Self {
        Self::start_in(Sandbox::new(), more)
    }

    pub(crate) fn start_in(sandbox: Sandbox, more: &[&str]) -> Self {
        let temporary = sandbox.path("private");
        if !temporary.exists() {
            std::fs::create_dir(&temporary).unwrap();
        }
        let mut args = vec!["serve", "--no-open", "--json"];
        args.extend(more);
        let mut command = sandbox.command(&args);
        let mut child = command.env("TMPDIR", &temporary).spawn().unwrap();
        let mut line = String::new();
        // Its standard output stays open: whoever writes to a closed one is ended.
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let printed: Value = serde_json::from_str(&line).unwrap_or_else(|error| {
            let ran = child.stderr.take().map(|mut stderr| {
                let mut text = String::new();
                let _ = stderr.read_to_string(&mut text);
                text
            });
            panic!("{error}: {line} {ran:?}")
        });
        let address = printed["address"].as_str().unwrap().to_owned();
        let port = address.trim_start_matches("http://127.0.0.1:").split('/').next().unwrap().parse().unwrap();
        Self { sandbox, child, address, port, cookie: String::new() }
    }

    /// Goes in by the secret.
    pub(crate) fn enter(mut self) -> Self {
        let path = self.address.split_once(&format!(":{}", self.port)).unwrap().1.to_owned();
        let answer =
            self.raw(format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", self.port).as_bytes()).unwrap();
        assert_eq!(answer.status, 303, "{answer:?}");
        assert!(answer.head.contains("\r\nLocation: /\r\n"), "{answer:?}");
        let cookie = answer.head.lines().find_map(|line| line.strip_prefix("Set-Cookie: ")).unwrap();
        assert!(cookie.ends_with("; HttpOnly; SameSite=Strict; Path=/"), "{cookie}");
        self.cookie = cookie.split(';').next().unwrap().to_owned();
        self
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes, and reads until the server has said everything. Nothing if it says nothing.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Option<Answer> {
        let mut stream = self.connect();
        // Whoever is refused early may not be read to the end.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        Answer::read(&answer)
    }

    /// The head of a request of the page's own.
    pub(crate) fn head(&self, method: &str, path: &str, length: usize) -> String {
        let origin =
            if method == "GET" { String::new() } else { format!("Origin: http://127.0.0.1:{}\r\n", self.port) };
        format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{origin}Cookie: {}\r\nContent-Length: {length}\r\n\r\n",
            self.port, self.cookie
        )
    }

    /// A request of the page's own.
    pub(crate) fn request(&self, method: &str, path: &str, body: &[u8]) -> Answer {
        let bytes = [self.head(method, path, body.len()).as_bytes(), body].concat();
        self.raw(&bytes).unwrap_or_else(|| panic!("no answer to {method} {path}"))
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.request("GET", path, b"")
    }

    pub(crate) fn post(&self, path: &str, value: &Value) -> Answer {
        self.request("POST", path, value.to_string().as_bytes())
    }

    /// Sends a file, and gives its handle.
    pub(crate) fn send(&self, name: &str, bytes: &[u8]) -> String {
        let answer = self.request("PUT", &format!("/api/files/{name}"), bytes);
        assert_eq!(answer.status, 201, "{answer:?}");
        assert_eq!(answer.json()["bytes"], bytes.len());
        answer.json()["file"].as_str().unwrap().to_owned()
    }

    /// Begins a run, and gives its handle and the shown line.
    pub(crate) fn begin(&self, command: &str, file: &str, request: Value) -> (String, String) {
        let answer = self.post("/api/runs", &json!({"command": command, "file": file, "request": request}));
        assert_eq!(answer.status, 202, "{answer:?}");
        let text = |key: &str| answer.json()[key].as_str().unwrap().to_owned();
        (text("run"), text("shown"))
    }

    /// A run as soon as it is as it should be.
    pub(crate) fn when(&self, run: &str, is_due: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            let state = self.get(&format!("/api/runs/{run}")).json();
            if is_due(&state) {
                return state;
            }
            assert!(start.elapsed() < PATIENCE, "{run} never came so far: {state}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, command: &str, file: &str, request: Value) -> Value {
        let (run, _) = self.begin(command, file, request);
        self.when(&run, |state| state["state"] != "waiting" && state["state"] != "running")
    }

    /// What lies in the place for what is private.
    pub(crate) fn private(&self) -> Vec<String> {
        let prefix = "private/";
        self.sandbox
            .listing()
            .into_iter()
            .filter_map(|name| name.strip_prefix(prefix).map(str::to_owned))
            .filter(|name| !name.is_empty())
            .collect()
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal.
    #[cfg(unix)]
    pub(crate) fn signal(&self, name: &str) {
        let asked =
            std::process::Command::new("sh").args(["-c", &format!("kill -{name} {}", self.id())]).status().unwrap();
        assert!(asked.success());
    }

    /// Waits for its end: what it said, and the folder where it was.
    pub(crate) fn ended(self) -> (Ran, Sandbox) {
        let Self { sandbox, mut child, .. } = self;
        let start = Instant::now();
        while child.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < PATIENCE, "the server does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
        (Ran::from(child.wait_with_output().unwrap()), sandbox)
    }

    /// Quits by the page's own button.
    pub(crate) fn quit(self) -> (Ran, Sandbox) {
        assert_eq!(self.post("/api/quit", &json!({})).status, 202);
        self.ended()
    }
}

/// A made-up log, as a file and as bytes.
pub(crate) fn made_up(sandbox: &Sandbox, persons: usize) -> (PathBuf, Vec<u8>) {
    sandbox.done(&[
        "synth",
        "queries",
        "--persons",
        &persons.to_string(),
        "--mean-lines",
        "12",
        "--seed",
        "3",
        "--out",
        "searches.tsv",
    ]);
    let path = sandbox.path("searches.tsv");
    let bytes = std::fs::read(&path).unwrap();
    (path, bytes)
}
