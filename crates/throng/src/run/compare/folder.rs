//! The folder of a comparison: what it is about, what is done of it, and the finished files.
//!
//! `plan.json` says what it is about, for its owner only: it holds a hash of the original, by which a small file could be
//! guessed. It stays, so that the finished comparison can be extended. Cells that are done lie in `unfinished` until the end.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use throng_core::{Error, Result};

use super::{CompareRequest, Comparison, FORMAT, Kept};
use crate::io::{self, Location};
use crate::pending;
use crate::report::comparison;

/// What a comparison is about: it goes on and is extended only if this is the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    format: u32,
    throng: String,
    input_sha256: String,
    /// The files that the request names: taxonomies, lists of items.
    other_sha256: BTreeMap<String, String>,
    /// The methods of a comparison that is unfinished: it goes on with all of them.
    methods: Vec<String>,
    /// The request, but for its places and whatever can be extended or drawn anew.
    request: Value,
}

/// The folder of a comparison.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    is_finished: bool,
}

/// Inside the folder, for its owner only.
const PLAN: &str = "plan.json";
const UNFINISHED: &str = "unfinished";
const FINISHED: &str = "comparison.json";

/// The finished comparison in a folder, if there is one.
pub(super) fn finished(folder: &Path) -> Result<Option<Comparison>> {
    let place = folder.join(FINISHED);
    if !place.is_file() {
        return Ok(None);
    }
    let shown = folder.display();
    if !folder.join(PLAN).is_file() {
        return Err(Error::refused(format!(
            "the comparison in {shown} is finished, and without its {PLAN} it cannot be extended"
        ))
        .with_hint("its comparison.html shows it; for another one choose another name for `--out`"));
    }
    let text = std::fs::read(&place).map_err(|cause| Error::io(format!("read {}", place.display()), cause))?;
    serde_json::from_slice(&text).map(Some).map_err(|_| {
        Error::refused(format!("the comparison in {shown} is damaged, or of another version of throng"))
            .with_hint("choose another name for `--out`, or remove the folder")
    })
}

impl Plan {
    fn of(request: &CompareRequest, location: &Location) -> Result<Self> {
        let Some(input_sha256) = io::hash_of(location)? else {
            return Err(Error::internal("standard input cannot be read again"));
        };
        // Cells are apart: more of them, or the same in another place, are the same comparison.
        let wanted = CompareRequest {
            measures: request.measures.clone(),
            held_out: request.held_out,
            sample: request.sample,
            seed: request.seed,
            ask: request.ask.clone(),
            ..CompareRequest::default()
        };
        let mut other_sha256 = BTreeMap::new();
        for file in request.ask.files() {
            other_sha256.insert(file.display().to_string(), io::hash_file(&file)?);
        }
        Ok(Self {
            format: FORMAT,
            throng: env!("CARGO_PKG_VERSION").to_owned(),
            input_sha256,
            other_sha256,
            methods: request.methods.clone(),
            request: serde_json::to_value(&wanted).map_err(|cause| Error::internal(cause.to_string()))?,
        })
    }

    /// What differs between two plans of this version, in words.
    fn differences(&self, known: &Self) -> Vec<String> {
        let mut found = Vec::new();
        if known.input_sha256 != self.input_sha256 {
            found.push("the file has other bytes".to_owned());
        }
        let (now, then) = (flags(&self.request), flags(&known.request));
        let names: std::collections::BTreeSet<&String> = now.keys().chain(then.keys()).collect();
        for name in names {
            let (now, then) = (now.get(name).unwrap_or(&Value::Null), then.get(name).unwrap_or(&Value::Null));
            if now != then {
                found.push(format!("`--{name}` was {} and is {}", shown(then), shown(now)));
            }
        }
        for (file, hash) in &self.other_sha256 {
            if known.other_sha256.get(file).is_some_and(|other| other != hash) {
                found.push(format!("{file} has other bytes"));
            }
        }
        found
    }
}

/// The settings of a request as flags.
fn flags(request: &Value) -> Map<String, Value> {
    let mut flags = Map::new();
    for (name, value) in request.as_object().into_iter().flatten() {
        match value {
            Value::Object(inner) => flags.append(&mut flags_of(inner)),
            value => {
                flags.insert(name.replace('_', "-"), value.clone());
            }
        }
    }
    flags
}

/// The flags that say how to read and understand the original.
fn flags_of(ask: &Map<String, Value>) -> Map<String, Value> {
    let name = |name: &str| match name {
        "columns" => "column".to_owned(),
        "taxonomies" => "taxonomy".to_owned(),
        name => name.replace('_', "-"),
    };
    ask.iter().map(|(key, value)| (name(key), value.clone())).collect()
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "not given".to_owned(),
        Value::Bool(true) => "given".to_owned(),
        Value::Bool(false) => "not given".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "not given".to_owned(),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",")
        }
        other => other.to_string(),
    }
}

impl Folder {
    pub(super) fn open(request: &CompareRequest, location: &Location) -> Result<Self> {
        let plan = Plan::of(request, location)?;
        let folder = Self { path: request.out.clone(), is_finished: request.out.join(FINISHED).is_file() };
        let failed = |cause| {
            Error::io(format!("make the folder {}", request.out.display()), cause)
                .with_hint("the folder that `--out` lies in must exist and be writable")
        };
        if let Ok(text) = std::fs::read(request.out.join(PLAN)) {
            folder.refuse_another(&text, &plan)?;
        } else if request.out.symlink_metadata().is_ok() {
            return Err(Error::refused(format!("the folder {} exists already", request.out.display()))
                .with_hint("choose another name for `--out`, or remove the folder"));
        } else {
            std::fs::create_dir(&request.out).map_err(failed)?;
        }
        pending::replace(&request.out.join(PLAN), &pretty(&plan)?, true)?;
        let unfinished = request.out.join(UNFINISHED);
        if !unfinished.is_dir() {
            pending::new_folder(&unfinished).map_err(failed)?;
        }
        Ok(folder)
    }

    /// Refuses to go on with what is not the same comparison.
    fn refuse_another(&self, text: &[u8], plan: &Plan) -> Result<()> {
        let (what, shown) = (if self.is_finished { "" } else { "unfinished " }, self.path.display());
        let refused = |why: String| {
            Err(Error::refused(format!("the {what}comparison in {shown} {why}"))
                .with_hint("choose another name for `--out`, or remove the folder"))
        };
        let known: Value = serde_json::from_slice(text).unwrap_or_default();
        if known["throng"].is_string() && (known["format"] != plan.format || known["throng"] != plan.throng.as_str()) {
            return refused("was begun by another version of throng".to_owned());
        }
        let Ok(known) = serde_json::from_value::<Plan>(known) else { return refused("is damaged".to_owned()) };
        let mut differences = plan.differences(&known);
        let left_out = known.methods.iter().find(|method| !self.is_finished && !plan.methods.contains(method));
        if let Some(left_out) = left_out {
            differences.push(format!("`--methods` had `{left_out}`"));
        }
        if differences.is_empty() { Ok(()) } else { refused(format!("was made otherwise: {}", differences.join("; "))) }
    }

    fn write(&self, name: &str, text: &[u8]) -> Result<()> {
        pending::replace(&self.path.join(name), text, false)
    }

    /// The file of a cell. A method as typed may hold what a name may not.
    fn name_of(method: &str, (k, seed): (usize, u64)) -> PathBuf {
        let safe = |letter: char| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' };
        Path::new(UNFINISHED).join(format!("{}-{k}-{seed}.json", method.chars().map(safe).collect::<String>()))
    }

    pub(super) fn remove_if_nothing_is_done(&self) {
        let unfinished = self.path.join(UNFINISHED);
        if std::fs::read_dir(&unfinished).is_ok_and(|files| files.count() > 0) {
            return;
        }
        // What does not go does no harm: the same command finds it and goes on.
        let _ = std::fs::remove_dir(unfinished);
        if !self.is_finished {
            let _ = std::fs::remove_file(self.path.join(PLAN)).and_then(|()| std::fs::remove_dir(&self.path));
        }
    }

    pub(super) fn cell(&self, method: &str, place: (usize, u64)) -> Option<Kept> {
        let text = std::fs::read(self.path.join(Self::name_of(method, place))).ok()?;
        let is_own = |kept: &Kept| kept.cell.method == method && (kept.cell.k, kept.cell.seed) == place;
        serde_json::from_slice(&text).ok().filter(is_own)
    }

    /// Keeps a cell. It holds values of single persons: only its owner may read it.
    pub(super) fn keep(&self, kept: &Kept) -> Result<()> {
        let text = serde_json::to_vec(kept).map_err(|cause| Error::internal(cause.to_string()))?;
        let name = Self::name_of(&kept.cell.method, (kept.cell.k, kept.cell.seed));
        pending::replace(&self.path.join(name), &text, true)
    }

    /// Writes the finished files, and the charts into a folder of their own if there is one.
    pub(super) fn finish(&self, comparison: &Comparison, charts: Option<&Path>) -> Result<()> {
        if let Some(charts) = charts {
            std::fs::create_dir_all(charts)
                .map_err(|cause| Error::io(format!("make the folder {}", charts.display()), cause))?;
            for (name, picture) in comparison::charts(comparison)? {
                pending::replace(&charts.join(name), picture.as_bytes(), false)?;
            }
        }
        self.write("comparison.csv", comparison::csv(comparison).as_bytes())?;
        self.write("comparison.html", comparison::html(comparison)?.as_bytes())?;
        self.write(FINISHED, &pretty(comparison)?)?;
        let unfinished = self.path.join(UNFINISHED);
        std::fs::remove_dir_all(&unfinished)
            .map_err(|cause| Error::io(format!("remove {}", unfinished.display()), cause))
    }
}

/// Whether a comparison was begun in a folder and is not finished.
pub(super) fn is_unfinished(folder: &Path) -> bool {
    folder.join(PLAN).is_file() && !folder.join(FINISHED).is_file()
}

/// The files of a finished comparison.
const OWN: [&str; 4] = [FINISHED, "comparison.csv", "comparison.html", PLAN];

/// Refuses to replace a folder, unless it is provably a finished comparison that throng made, with nothing else in it.
pub(super) fn refuse_foreign(folder: &Path) -> Result<()> {
    let refused = |why: &str| {
        Error::refused(format!("{} is not replaced: {why}", folder.display())).with_hint(
            "`--overwrite` replaces a whole release or comparison of throng's own, and nothing else: choose another name, or \
             remove it yourself",
        )
    };
    if !folder.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(refused("it is a link or a file, not a folder"));
    }
    let text = std::fs::read(folder.join(FINISHED)).unwrap_or_default();
    if serde_json::from_slice::<Comparison>(&text).is_err() {
        return Err(refused("it has no comparison of throng"));
    }
    let failed = |cause| Error::io(format!("look into {}", folder.display()), cause);
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let is_own = entry.file_name().to_str().is_some_and(|name| OWN.contains(&name));
        if !is_own || !entry.file_type().map_err(failed)?.is_file() {
            return Err(refused("something is in it that is no part of a comparison"));
        }
    }
    Ok(())
}

fn pretty(value: &impl Serialize) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(value).map_err(|cause| Error::internal(cause.to_string()))?;
    text.push(b'\n');
    Ok(text)
}
