//! A page in a real browser: what it looks like, what it says on its console, and what it asks for.
//!
//! A browser has errands of its own, which come and go with its versions. The net log says of every request who began it:
//! a page has an origin, an errand has none. No name resolves, so nothing leaves the machine, and nothing is waited for.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

/// What the net log calls the initiator of a request that no page began.
const NO_PAGE: &str = "not an origin";

/// A browser that can draw.
#[derive(Clone, Copy)]
pub(crate) struct Browser {
    program: &'static str,
}

/// What was seen of a page.
#[derive(Debug)]
pub(crate) struct Seen {
    /// Everything that the browser printed, for a failing test to show.
    pub(crate) said: String,
    /// Lines of the page's console.
    pub(crate) complaints: Vec<String>,
    /// What the page asked the network for, in the order of asking.
    pub(crate) asked: Vec<String>,
}

impl Browser {
    /// The browser of this machine, if there is one. One that is there and cannot draw, as in some containers, is none.
    pub(crate) fn find() -> Option<Self> {
        static FOUND: OnceLock<Option<Browser>> = OnceLock::new();
        *FOUND.get_or_init(|| {
            let folder = tempfile::tempdir().unwrap();
            let picture = folder.path().join("empty.png");
            let candidates = ["chromium", "chromium-browser", "google-chrome"].map(|program| Self { program });
            let found = candidates.into_iter().find(|browser| {
                let mut command = browser.command(folder.path());
                command.arg(format!("--screenshot={}", picture.display())).arg("about:blank");
                let tried = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
                tried.is_ok_and(|status| status.success()) && picture.is_file()
            });
            if found.is_none() {
                #[expect(clippy::print_stderr, reason = "a test that cannot look says so")]
                {
                    eprintln!("\n*** NO BROWSER: the pages were not opened. Install Chromium to test them. ***\n");
                }
            }
            found
        })
    }

    fn command(self, folder: &Path) -> Command {
        let mut command = Command::new(self.program);
        command
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"])
            .args(["--disable-component-update", "--disable-sync", "--hide-scrollbars", "--enable-logging=stderr"])
            .arg("--host-resolver-rules=MAP * ~NOTFOUND")
            .arg(format!("--user-data-dir={}", folder.join("profile").display()))
            .stdin(Stdio::null());
        command
    }

    /// Draws a page.
    pub(crate) fn look(self, page: &Path, picture: &Path, flags: &[String]) -> Seen {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("net.json");
        let mut command = self.command(folder.path());
        command
            .args(flags)
            .arg(format!("--screenshot={}", picture.display()))
            .arg(format!("--log-net-log={}", log.display()))
            .arg(format!("file://{}", page.display()));
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let complaints = said.lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned).collect();
        let log = fs::read_to_string(&log).unwrap_or_else(|error| panic!("no net log: {error}\n{said}"));
        Seen { complaints, asked: asked_by_pages(&log), said }
    }

    /// The document of a page after its scripts ran.
    pub(crate) fn document(self, page: &Path) -> String {
        self.document_with(page, &[])
    }

    /// The same, with flags.
    pub(crate) fn document_with(self, page: &Path, flags: &[String]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let mut command = self.command(folder.path());
        let output = command.args(flags).arg("--dump-dom").arg(format!("file://{}", page.display())).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

/// The addresses in a net log that a page asked for.
pub(crate) fn asked_by_pages(log: &str) -> Vec<String> {
    let log: Value = serde_json::from_str(log).expect("a net log is JSON");
    let events = log["events"].as_array().expect("a net log has events");
    let of_pages = events.iter().map(|event| &event["params"]).filter(|request| {
        let initiator = request["initiator"].as_str();
        initiator.is_some_and(|initiator| initiator != NO_PAGE)
    });
    of_pages.map(|request| request["url"].as_str().unwrap_or("?").to_owned()).collect()
}
