//! A browser that is driven: a small DevTools client over `--remote-debugging-pipe`.
//!
//! Messages are JSON with a NUL behind each, from the browser's file 4 and to its file 3; a shell puts its own input and output there. No port, so
//! that nobody else drives it.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long anything may take that a page does. A machine may be busy with other things.
const PATIENCE: Duration = Duration::from_secs(120);

/// A page in a browser.
pub(crate) struct Page {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    session: String,
    next: u64,
    events: VecDeque<Value>,
    _profile: TempDir,
}

impl Page {
    /// Opens a browser with an empty page; nothing if there is no browser here.
    pub(crate) fn open(width: u32, height: u32, is_dark: bool) -> Option<Self> {
        let program = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|program| {
            let tried = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
            tried.is_ok_and(|status| status.success())
        });
        let Some(program) = program else {
            #[expect(clippy::print_stderr, reason = "a test that cannot look says so")]
            {
                eprintln!("\n*** NO BROWSER: the page was not opened. Install Chromium to test it. ***\n");
            }
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", program]);
        command
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe"])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--hide-scrollbars",
            ])
            .arg("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
            .arg(format!("--user-data-dir={}", profile.path().display()));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut bytes = Vec::new();
            while output.read_until(0, &mut bytes).is_ok_and(|read| read > 0) {
                bytes.pop();
                let message = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
                bytes.clear();
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut page = Self {
            child,
            input,
            messages,
            session: String::new(),
            next: 0,
            events: VecDeque::new(),
            _profile: profile,
        };
        let target = page.call("Target.createTarget", json!({"url": "about:blank"}));
        let session = page.call("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        page.session = session["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Network", "Log", "DOM"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        page.look(width, height, is_dark);
        Some(page)
    }

    /// How large the page is, and whether the user likes it dark.
    pub(crate) fn look(&mut self, width: u32, height: u32, is_dark: bool) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        let scheme = if is_dark { "dark" } else { "light" };
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.call("Emulation.setEmulatedMedia", features);
    }

    /// A command of the protocol, and its result.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let (id, mut message) = (self.next, json!({"id": self.next, "method": method, "params": params}));
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.input.write_all(format!("{message}\0").as_bytes()).unwrap();
        let start = Instant::now();
        loop {
            let left = PATIENCE.saturating_sub(start.elapsed());
            let message = match self.messages.recv_timeout(left) {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout) => panic!("{method} takes too long"),
                Err(RecvTimeoutError::Disconnected) => panic!("the browser ended during {method}"),
            };
            if message["id"] == id {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
            self.events.push_back(message);
        }
    }

    /// What an expression of the page is.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", asked);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub(crate) fn wait_for(&mut self, expression: &str) {
        let start = Instant::now();
        // A page that is just being left has no document for a moment.
        while self.evaluate(&format!("(() => {{ try {{ return Boolean({expression}) }} catch {{ return false }} }})()"))
            != true
        {
            if start.elapsed() > PATIENCE {
                let shown = self.evaluate("document.body.innerText");
                panic!("it never came that {expression}; the page says: {shown}");
            }
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Opens an address.
    pub(crate) fn visit(&mut self, address: &str) {
        self.call("Page.navigate", json!({"url": address}));
    }

    /// Presses a key, as a person does.
    pub(crate) fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "Tab" | "Shift+Tab" => (9, ""),
            "Enter" => (13, "\r"),
            " " => (32, " "),
            "ArrowDown" => (40, ""),
            "ArrowUp" => (38, ""),
            "Backspace" => (8, ""),
            _ => (0, key),
        };
        let modifiers = if key.starts_with("Shift+") { 8 } else { 0 };
        let key = key.trim_start_matches("Shift+");
        let down = if text.is_empty() { "rawKeyDown" } else { "keyDown" };
        let named = match key {
            " " => "Space",
            key => key,
        };
        let event = |kind: &str| json!({"type": kind, "key": key, "code": named, "windowsVirtualKeyCode": code, "text": if kind == "keyUp" { "" } else { text }, "modifiers": modifiers});
        self.call("Input.dispatchKeyEvent", event(down));
        self.call("Input.dispatchKeyEvent", event("keyUp"));
    }

    /// Types a text.
    pub(crate) fn write(&mut self, text: &str) {
        for letter in text.chars() {
            self.press(&letter.to_string());
        }
    }

    /// Goes on by Tab until something has the focus; nobody needs a mouse.
    pub(crate) fn tab_to(&mut self, selector: &str) {
        for key in ["Tab", "Shift+Tab"] {
            for _ in 0..150 {
                if self.evaluate(&format!("document.activeElement.matches({})", json!(selector))) == true {
                    return;
                }
                self.press(key);
            }
        }
        panic!("Tab does not lead to {selector}");
    }

    /// Puts a file into a field, as the dialog of a browser does.
    pub(crate) fn choose_file(&mut self, selector: &str, file: &Path) {
        let document = self.call("DOM.getDocument", json!({}));
        let node = self.call("DOM.querySelector", json!({"nodeId": document["root"]["nodeId"], "selector": selector}));
        self.call("DOM.setFileInputFiles", json!({"nodeId": node["nodeId"], "files": [file.display().to_string()]}));
    }

    /// A picture of the whole page.
    pub(crate) fn picture(&mut self, place: &Path) {
        let taken = self.call("Page.captureScreenshot", json!({"format": "png", "captureBeyondViewport": false}));
        let bytes = base64(taken["data"].as_str().unwrap());
        std::fs::write(place, bytes).unwrap();
    }

    /// Controls that whoever listens to the page is not told the name of.
    pub(crate) fn nameless(&mut self) -> Vec<String> {
        self.call("Accessibility.enable", json!({}));
        let tree = self.call("Accessibility.getFullAXTree", json!({}));
        const CONTROLS: [&str; 13] = [
            "button",
            "link",
            "textbox",
            "combobox",
            "listbox",
            "checkbox",
            "radio",
            "spinbutton",
            "slider",
            "progressbar",
            "Iframe",
            "menuitem",
            "tab",
        ];
        let nodes = tree["nodes"].as_array().unwrap();
        let is_control =
            |node: &&Value| CONTROLS.iter().any(|role| node["role"]["value"] == *role) && node["ignored"] != true;
        let nameless = nodes
            .iter()
            .filter(is_control)
            .filter(|node| node["name"]["value"].as_str().unwrap_or_default().trim().is_empty());
        nameless.map(|node| format!("{} {}", node["role"]["value"], node["properties"])).collect()
    }

    /// Complaints on the console, exceptions, and addresses that were asked for, since the beginning.
    pub(crate) fn seen(&mut self) -> (Vec<String>, Vec<String>) {
        self.evaluate("1");
        let (mut complaints, mut asked) = (Vec::new(), Vec::new());
        for event in &self.events {
            let params = &event["params"];
            match event["method"].as_str().unwrap_or_default() {
                "Runtime.exceptionThrown" => complaints.push(params["exceptionDetails"].to_string()),
                "Runtime.consoleAPICalled" => complaints.push(params["args"].to_string()),
                "Log.entryAdded" => complaints.push(params["entry"].to_string()),
                "Network.requestWillBeSent" => {
                    asked.push(params["request"]["url"].as_str().unwrap_or_default().to_owned())
                }
                _ => {}
            }
        }
        (complaints, asked)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The bytes of a text in base 64.
fn base64(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.bytes().filter_map(|letter| LETTERS.iter().position(|own| *own == letter));
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0_u32, 0);
    for digit in digits {
        held = held << 6 | digit as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    bytes
}
