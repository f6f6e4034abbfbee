//! The doors behind the page: which request is answered by what. JSON in, JSON out, so that a script may use them too.
//!
//! | door | answer |
//! | --- | --- |
//! | `GET /api/catalogue` | what there is: kinds, methods, models, measures, attacks, flags of commands |
//! | `PUT /api/files/NAME` | takes a file: 201 `{"file": "f1", "bytes": n}` |
//! | `GET /api/files`, `GET /api/folder` | what was taken; what lies in the folder |
//! | `POST /api/files` | takes a file of the folder, `{"name": …}`, or makes one up, `{"made_up": KIND}` |
//! | `POST /api/runs` | `{"command", "file", "request"}`: 202 `{"run": "r1", "shown": …}`, or 422 with the command's own error |
//! | `POST /api/line` | what the same request would be in a terminal, and nothing is run: `{"shown": …}` |
//! | `GET /api/runs` | all that are kept |
//! | `GET /api/runs/r1`, `…/events` | how it stands; the same, each time that it changes |
//! | `DELETE /api/runs/r1` | stops it |
//! | `GET /api/runs/r1/report.html`, `…/comparison.html`, `…/release.zip` | what it made |
//! | `POST /api/runs/r1/save`, `…/key` | saves the release into the folder; gives the key away, once |
//! | `POST /api/quit` | ends the server |

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::files::{Files, Refusal};
use crate::http::{Answer, Connection, Head, decoded};
use crate::runs::{Order, Runs, contents, error};
use crate::zip::Archive;

/// The page.
const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPTS: [(&str, &str); 4] = [
    ("/page.js", include_str!("page/page.js")),
    ("/doors.js", include_str!("page/doors.js")),
    ("/forms.js", include_str!("page/forms.js")),
    ("/drawn.js", include_str!("page/drawn.js")),
];
const SCRIPT: &str = "text/javascript; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";

/// The largest body that is no file.
const LARGEST_REQUEST: usize = 1 << 20;
/// How long events may be silent.
const BEAT: Duration = Duration::from_secs(10);
/// The commands that can be run.
const COMMANDS: [&str; 7] = ["inspect", "audit", "protect", "check", "measure", "attack", "compare"];
/// How many made-up persons there may be.
const MOST_MADE_UP: u64 = 100_000;

/// Everything behind the doors.
#[derive(Debug)]
pub(crate) struct Doors {
    pub(crate) files: Files,
    pub(crate) runs: Arc<Runs>,
    /// How many threads a run takes, if that was said.
    pub(crate) threads: Option<String>,
    catalogue: OnceLock<Value>,
}

impl Doors {
    pub(crate) fn new(files: Files, runs: Arc<Runs>, threads: Option<String>) -> Self {
        Self { files, runs, threads, catalogue: OnceLock::new() }
    }

    /// The answer to a request that may come in.
    pub(crate) fn answer(&self, head: &Head, connection: &mut Connection) -> Answer {
        let answered = match (head.method.as_str(), head.path.as_str()) {
            ("GET", "/") => Ok(Answer::new(200, HTML, PAGE)),
            ("GET", "/page.css") => Ok(Answer::new(200, "text/css; charset=utf-8", STYLE)),
            ("GET", "/api/catalogue") => self.catalogue(),
            ("GET", "/api/folder") => Ok(Answer::json(200, &self.files.shown())),
            ("GET", "/api/files") => Ok(Answer::json(200, &self.files.listed())),
            ("POST", "/api/files") => body(connection).and_then(|asked| self.take(&asked)),
            ("GET", "/api/runs") => Ok(Answer::json(200, &self.runs.listed())),
            ("POST", "/api/line") => body(connection).and_then(|asked| self.line(&asked)),
            ("POST", "/api/runs") => body(connection).and_then(|asked| self.begin(&asked)),
            ("POST", "/api/quit") => Ok(Answer::json(202, &json!({"quit": true}))),
            (method, path) => {
                if let (Some((_, script)), "GET") = (SCRIPTS.iter().find(|(name, _)| *name == path), method) {
                    return Answer::new(200, SCRIPT, *script);
                }
                match (method, path.strip_prefix("/api/files/"), path.strip_prefix("/api/runs/")) {
                    ("PUT", Some(name), _) => self.upload(name, head, connection),
                    (method, _, Some(rest)) => self.of_run(method, rest, connection),
                    _ => nothing(),
                }
            }
        };
        answered.unwrap_or_else(|Refusal(status, message)| refused(status, &message))
    }

    fn upload(&self, name: &str, head: &Head, connection: &mut Connection) -> Result<Answer, Refusal> {
        let name = decoded(name).ok_or_else(|| Refusal(422, "the name of the file is no text".to_owned()))?;
        let kept = self.files.upload(&name, head.length, connection)?;
        Ok(Answer::json(201, &kept))
    }

    /// What there is. It does not change: it is asked for once.
    fn catalogue(&self) -> Result<Answer, Refusal> {
        if self.catalogue.get().is_none() {
            let said = self.desk("catalogue", &Value::Null)?;
            let _ = self.catalogue.set(said);
        }
        let mut catalogue = self.catalogue.get().cloned().unwrap_or_default();
        catalogue["largest"] = json!(self.files.largest());
        catalogue["folder"] = json!(self.files.folder().map(|folder| folder.display().to_string()));
        Ok(Answer::json(200, &catalogue))
    }

    /// Takes a file of the folder, or makes one up.
    fn take(&self, asked: &Value) -> Result<Answer, Refusal> {
        known_keys(asked, &["name", "made_up", "persons", "seed"])?;
        let kept = match (asked["name"].as_str(), asked["made_up"].as_str()) {
            (Some(name), None) => self.files.take(name)?,
            (None, Some(kind)) => self.made_up(kind, asked)?,
            _ => {
                return Err(Refusal(
                    422,
                    "needs `name`, a file of the folder, or `made_up`, a kind of data".to_owned(),
                ));
            }
        };
        Ok(Answer::json(201, &kept))
    }

    fn made_up(&self, kind: &str, asked: &Value) -> Result<Value, Refusal> {
        let persons = asked["persons"].as_u64().unwrap_or(300).clamp(1, MOST_MADE_UP).to_string();
        let seed = asked["seed"].as_u64().unwrap_or(1).to_string();
        self.catalogue()?;
        let kinds = self.catalogue.get().and_then(|catalogue| catalogue["kinds"].as_array());
        let card = kinds.and_then(|kinds| kinds.iter().find(|card| card["name"] == kind));
        let Some(ending) = card.and_then(|card| card["made_up"].as_str()) else {
            return Err(Refusal(422, "no such data can be made up".to_owned()));
        };
        self.files.make(&format!("made-up-{kind}.{ending}"), |place| {
            let mut command = self.runs.command();
            command.args(["synth", kind, "--json", "--persons", &persons, "--seed", &seed, "--out"]).arg(place);
            command.stdin(Stdio::null());
            let output = command.output().map_err(|cause| could_not_start(&cause))?;
            answered(&output).map(drop)
        })
    }

    /// The line of a request.
    fn line(&self, asked: &Value) -> Result<Answer, Refusal> {
        let (command, file, request) = self.understood(asked)?;
        let order = self.ordered(command, file, &request, (0, Path::new("")))?;
        Ok(Answer::json(200, &json!({"shown": order.shown})))
    }

    /// The command, the file and the keys of a request.
    fn understood<'a>(&self, asked: &'a Value) -> Result<(&'a str, &'a str, Value), Refusal> {
        known_keys(asked, &["command", "file", "request"])?;
        let command = asked["command"].as_str().unwrap_or_default();
        if !COMMANDS.contains(&command) {
            return Err(Refusal(422, format!("`command` must be one of {}", COMMANDS.join(", "))));
        }
        let file = asked["file"].as_str().unwrap_or_default();
        if self.place_of(file).is_none() {
            return Err(Refusal(422, "`file` names no file: send it first (`PUT /api/files/NAME`)".to_owned()));
        }
        match &asked["request"] {
            Value::Null => Ok((command, file, json!({}))),
            request @ Value::Object(_) => Ok((command, file, request.clone())),
            _ => Err(Refusal(422, "`request` must be a JSON object".to_owned())),
        }
    }

    /// Begins a run.
    fn begin(&self, asked: &Value) -> Result<Answer, Refusal> {
        let (command, file, request) = self.understood(asked)?;
        let Some((number, folder)) = self.runs.place().map_err(|cause| could_not_start(&cause))? else {
            return Err(Refusal(429, "too many runs are waiting: stop one, or wait until one is done".to_owned()));
        };
        let order = self.ordered(command, file, &request, (number, &folder)).inspect_err(|_| {
            let _ = fs::remove_dir_all(&folder);
        })?;
        let begun = json!({"run": format!("r{number}"), "shown": order.shown});
        self.runs.begin(order);
        Ok(Answer::json(202, &begun))
    }

    /// What a run is to do: the command itself says what its arguments are, or what is wrong with the request.
    fn ordered(
        &self,
        command: &str,
        file: &str,
        request: &Value,
        (number, folder): (usize, &Path),
    ) -> Result<Order, Refusal> {
        let mut places = serde_json::Map::new();
        let named = request.as_object().into_iter().flat_map(|keys| keys.values()).flat_map(texts);
        for handle in named.chain([file]) {
            // What stands for a file may stand behind a column: `zip=f2`.
            let handle = handle.rsplit('=').next().unwrap_or(handle);
            if let Some(place) = self.place_of(handle) {
                places.insert(handle.to_owned(), place);
            }
        }
        let question = json!({
            "command": command, "file": file, "request": request, "places": places, "folder": folder.display().to_string(),
        });
        let said = self.desk("line", &question)?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let args: Option<Vec<String>> = said["args"].as_array().map(|args| args.iter().filter_map(text).collect());
        let (Some(mut args), Some(shown), Some(name)) = (args, text(&said["shown"]), text(&said["name"])) else {
            return Err(Refusal(500, "the program `throng` is of another version than this server".to_owned()));
        };
        let pair = |pair: &Value| Some((text(&pair[0])?, text(&pair[1])?));
        let names = said["names"].as_array().into_iter().flatten().filter_map(pair).collect();
        args.extend(["--json", "--watched", "--no-config"].map(str::to_owned));
        if let Some(threads) = &self.threads {
            args.extend(["--threads".to_owned(), threads.clone()]);
        }
        Ok(Order { number, folder: folder.to_owned(), args, shown, name, names })
    }

    /// Where a file or what a run made is, and what it is called.
    fn place_of(&self, handle: &str) -> Option<Value> {
        if let Some(held) = self.files.get(handle) {
            return Some(json!({"path": held.path.display().to_string(), "name": held.shown}));
        }
        let (folder, name) = self.runs.made(run_number(handle)?)?;
        let release = folder.join("release");
        let key = Some(folder.join("key.csv")).filter(|key| key.exists()).map(|key| key.display().to_string());
        release.exists().then(|| json!({"path": release.display().to_string(), "name": name, "key": key}))
    }

    /// Asks the program something that only it knows.
    fn desk(&self, what: &str, question: &Value) -> Result<Value, Refusal> {
        let mut command = self.runs.command();
        command.args(["desk", what, "--json"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|cause| could_not_start(&cause))?;
        if let Some(mut input) = child.stdin.take() {
            let _ = input.write_all(question.to_string().as_bytes());
        }
        let output = child.wait_with_output().map_err(|cause| could_not_start(&cause))?;
        answered(&output)
    }

    /// The doors of a run.
    fn of_run(&self, method: &str, rest: &str, connection: &mut Connection) -> Result<Answer, Refusal> {
        let (handle, door) = rest.split_once('/').unwrap_or((rest, ""));
        let no_run = || Refusal(404, "there is no such run".to_owned());
        let number = run_number(handle).ok_or_else(no_run)?;
        let shown = self.runs.shown(number).ok_or_else(no_run)?;
        let made =
            || self.runs.made(number).ok_or_else(|| Refusal(409, "the run has made nothing, or not yet".to_owned()));
        match (method, door) {
            ("GET", "") => Ok(Answer::new(200, "application/json", shown)),
            ("DELETE", "") => {
                self.runs.stop(number);
                Ok(Answer::new(200, "application/json", self.runs.shown(number).unwrap_or(shown)))
            }
            ("GET", "events") => Ok(self.events(number)),
            ("GET", "report.html") => {
                let (folder, _) = made()?;
                shown_page(&[folder.join("release/report.html"), folder.join("audit.html")])
            }
            ("GET", "comparison.html") => shown_page(&[made()?.0.join("comparison/comparison.html")]),
            ("GET", "release.zip") => archive(made()?),
            ("POST", "save") => {
                let asked = body(connection)?;
                known_keys(&asked, &["name"])?;
                let release = made()?.0.join("release");
                if !release.exists() {
                    return nothing();
                }
                let name = asked["name"].as_str().ok_or_else(|| Refusal(422, "needs `name`".to_owned()))?;
                Ok(Answer::json(201, &self.files.save(&release, name)?))
            }
            ("POST", "key") => {
                let key = made()?.0.join("key.csv");
                let bytes = fs::read(&key)
                    .map_err(|_| Refusal(404, "there is no key: it was not asked for, or given away".to_owned()))?;
                let _ = fs::remove_file(&key);
                let _ = fs::remove_file(key.with_extension("csv.json"));
                Ok(Answer::new(200, "text/csv; charset=utf-8", bytes))
            }
            _ => nothing(),
        }
    }

    /// How a run stands, each time that it changes.
    fn events(&self, number: usize) -> Answer {
        let runs = Arc::clone(&self.runs);
        let writing = move |into: &mut dyn std::io::Write| {
            let mut seen = String::new();
            while let Some((now, is_more)) = runs.next(number, &seen, BEAT) {
                if now == seen {
                    // Somebody who is gone is found out by writing to them.
                    into.write_all(b": still here\n\n")?;
                } else {
                    for line in now.lines() {
                        writeln!(into, "data: {line}")?;
                    }
                    into.write_all(b"\n")?;
                }
                into.flush()?;
                seen = now;
                if !is_more {
                    break;
                }
            }
            Ok(())
        };
        Answer::endless("text/event-stream", Box::new(writing))
    }
}

/// A page that a command made, with a policy that lets its own scripts run and nothing else, apart from this server's pages.
fn shown_page(places: &[PathBuf]) -> Result<Answer, Refusal> {
    let page = places.iter().find_map(|place| fs::read_to_string(place).ok());
    let Some(page) = page else { return nothing() };
    let scripts = page.split("<script>").skip(1).filter_map(|rest| rest.split_once("</script>"));
    let allowed: Vec<String> =
        scripts.map(|(script, _)| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(script)))).collect();
    let allowed = if allowed.is_empty() { "'none'".to_owned() } else { allowed.join(" ") };
    let policy = format!(
        "default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; \
         form-action 'none'; base-uri 'none'; sandbox allow-scripts"
    );
    Ok(Answer::new(200, HTML, page).with_policy(policy))
}

/// The release of a run as an archive.
fn archive((folder, name): (PathBuf, String)) -> Result<Answer, Refusal> {
    let release = folder.join("release");
    if !release.exists() {
        return nothing();
    }
    let failed = |_| Refusal(500, "the release could not be read".to_owned());
    let archive = contents(&release, &name).and_then(Archive::of).map_err(failed)?;
    let answer = Answer::written("application/zip", archive.length, Box::new(move |into| archive.write(into)));
    Ok(answer.with("Content-Disposition", "attachment; filename=\"release.zip\"".to_owned()))
}

/// The number of a run, from `r1`.
fn run_number(handle: &str) -> Option<usize> {
    handle.strip_prefix('r').filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()))?.parse().ok()
}

/// All texts of a value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(several) => several.iter().flat_map(texts).collect(),
        Value::Object(named) => named.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// What a short command answered: its document, or its error.
fn answered(output: &Output) -> Result<Value, Refusal> {
    let said: Option<Value> = serde_json::from_slice(&output.stdout).ok();
    match said {
        Some(said) if output.status.success() => Ok(said),
        Some(said) if said["error"].is_object() => Err(Refusal(422, said["error"].to_string())),
        _ => Err(Refusal(
            500,
            "the program `throng` did not answer: is it of the same version as this server?".to_owned(),
        )),
    }
}

fn could_not_start(cause: &std::io::Error) -> Refusal {
    Refusal(500, format!("could not start the program `throng`: {}", cause.kind()))
}

/// The JSON object of a body.
fn body(connection: &mut Connection) -> Result<Value, Refusal> {
    let bytes =
        connection.small_body(LARGEST_REQUEST).map_err(|_| Refusal(400, "the request was cut off".to_owned()))?;
    let bytes = bytes.ok_or_else(|| Refusal(413, format!("a request has at most {LARGEST_REQUEST} bytes")))?;
    let value: Option<Value> = serde_json::from_slice(&bytes).ok();
    value.filter(Value::is_object).ok_or_else(|| Refusal(422, "the request must be a JSON object".to_owned()))
}

/// Refuses keys that nobody knows.
fn known_keys(asked: &Value, known: &[&str]) -> Result<(), Refusal> {
    let mut keys = asked.as_object().into_iter().flat_map(|object| object.keys());
    match keys.find(|key| !known.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err(Refusal(422, format!("`{key}` is no key here; there are {}", known.join(", ")))),
    }
}

fn nothing() -> Result<Answer, Refusal> {
    Err(Refusal(404, "there is nothing here".to_owned()))
}

/// A refusal as JSON. One that a command gave is its own words.
fn refused(status: u16, message: &str) -> Answer {
    let of_command = serde_json::from_str(message).ok().filter(Value::is_object);
    Answer::json(status, &json!({"error": of_command.unwrap_or_else(|| error("refused", message, None))}))
}
