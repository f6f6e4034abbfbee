//! The folder of a comparison: what was begun in it, what is done of it, and the finished files.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use throng_core::{Error, Result};

use super::{CompareRequest, Comparison, FORMAT, Kept};
use crate::io::{self, Location};
use crate::pending;
use crate::report::comparison;

/// What an unfinished comparison was about: it goes on only if this is the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    format: u32,
    throng: String,
    input_sha256: String,
    /// The request, but for its places and its values of k.
    request: Value,
}

/// The folder of a comparison, with what is done of it.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
}

/// Inside the folder, for its owner only: what it is about, and every cell that is done. All of it goes away at the end.
const UNFINISHED: &str = "unfinished";

impl Folder {
    pub(super) fn open(request: &CompareRequest, location: &Location) -> Result<Self> {
        let input_sha256 = match location {
            Location::File(file) => io::hash_file(file)?,
            Location::Folder(folder) => io::hash_folder(folder)?,
            Location::Stdin => return Err(Error::internal("standard input cannot be read again")),
        };
        // Cells are apart: more of them, or the same in another place, are the same comparison.
        let (file, out, ks) = Default::default();
        let wanted = CompareRequest { file, out, ks, ..request.clone() };
        let plan = Plan {
            format: FORMAT,
            throng: env!("CARGO_PKG_VERSION").to_owned(),
            input_sha256,
            request: serde_json::to_value(&wanted).map_err(|cause| Error::internal(cause.to_string()))?,
        };
        let folder = Self { path: request.out.clone() };
        if let Ok(text) = std::fs::read(request.out.join(UNFINISHED).join("plan.json")) {
            folder.refuse_another(&text, &plan)?;
            return Ok(folder);
        }
        if request.out.join("comparison.json").is_file() {
            return Err(Error::refused(format!("the comparison in {} is finished", request.out.display()))
                .with_hint("its comparison.html shows it; for another one choose another name for `--out`"));
        }
        if request.out.symlink_metadata().is_ok() {
            return Err(Error::refused(format!("the folder {} exists already", request.out.display()))
                .with_hint("choose another name for `--out`, or remove the folder"));
        }
        let failed = |cause| {
            Error::io(format!("make the folder {}", request.out.display()), cause)
                .with_hint("the folder that `--out` lies in must exist and be writable")
        };
        std::fs::create_dir(&request.out).map_err(failed)?;
        pending::new_folder(&request.out.join(UNFINISHED)).map_err(failed)?;
        pending::replace(&request.out.join(UNFINISHED).join("plan.json"), &pretty(&plan)?, true)?;
        Ok(folder)
    }

    /// Refuses to go on with what is not the same comparison.
    fn refuse_another(&self, text: &[u8], plan: &Plan) -> Result<()> {
        let known: Value = serde_json::from_slice(text).unwrap_or_default();
        let is_of_this_version = known["format"] == plan.format && known["throng"] == plan.throng.as_str();
        let why = match serde_json::from_value::<Plan>(known.clone()) {
            Ok(known) if known == *plan => return Ok(()),
            _ if known["throng"].is_string() && !is_of_this_version => "was begun by another version of throng",
            Ok(_) => "is of another file, or with other methods, measures or flags",
            Err(_) => "is damaged",
        };
        Err(Error::refused(format!("the unfinished comparison in {} {why}", self.path.display()))
            .with_hint("choose another name for `--out`, or remove the folder"))
    }

    fn write(&self, name: &Path, text: &[u8]) -> Result<()> {
        pending::replace(&self.path.join(name), text, false)
    }

    /// The file of a cell. A method as typed may hold what a name may not.
    fn name_of(method: &str, k: usize) -> PathBuf {
        let safe = |letter: char| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' };
        Path::new(UNFINISHED).join(format!("{}-{k}.json", method.chars().map(safe).collect::<String>()))
    }

    pub(super) fn remove_if_nothing_is_done(&self) {
        let unfinished = self.path.join(UNFINISHED);
        let has_cell = std::fs::read_dir(&unfinished).is_ok_and(|files| files.count() > 1);
        if !has_cell {
            // What does not go does no harm: the same command finds it and goes on.
            let _ = std::fs::remove_dir_all(unfinished).and_then(|()| std::fs::remove_dir(&self.path));
        }
    }

    pub(super) fn cell(&self, method: &str, k: usize) -> Option<Kept> {
        let text = std::fs::read(self.path.join(Self::name_of(method, k))).ok()?;
        let is_own = |kept: &Kept| (kept.cell.method.as_str(), kept.cell.k) == (method, k);
        serde_json::from_slice(&text).ok().filter(is_own)
    }

    /// Keeps a cell. It holds values of single persons: only its owner may read it.
    pub(super) fn keep(&self, kept: &Kept) -> Result<()> {
        let text = serde_json::to_vec(kept).map_err(|cause| Error::internal(cause.to_string()))?;
        pending::replace(&self.path.join(Self::name_of(&kept.cell.method, kept.cell.k)), &text, true)
    }

    pub(super) fn finish(&self, comparison: &Comparison) -> Result<()> {
        self.write(Path::new("comparison.csv"), comparison::csv(comparison).as_bytes())?;
        self.write(Path::new("comparison.html"), comparison::html(comparison)?.as_bytes())?;
        self.write(Path::new("comparison.json"), &pretty(comparison)?)?;
        let unfinished = self.path.join(UNFINISHED);
        std::fs::remove_dir_all(&unfinished)
            .map_err(|cause| Error::io(format!("remove {}", unfinished.display()), cause))
    }
}

fn pretty(value: &impl Serialize) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(value).map_err(|cause| Error::internal(cause.to_string()))?;
    text.push(b'\n');
    Ok(text)
}
