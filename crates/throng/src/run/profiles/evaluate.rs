//! `throng detect evaluate --detector profiles`: how well profiles tell the persons of a log apart.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use throng_core::profiles::LEAST_PERSONS;
use throng_core::profiles::trial::{MOST_PERSONS, Trial, halved, trial};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::{ReadWords, topics};
use crate::inputs::Inputs;
use crate::kinds::Ask;
use crate::words::thousands;

/// The kinds of topics that are tried, where nobody says otherwise.
const USUAL: [&str; 4] = ["words", "wordnet", "learned:10", "learned:50"];

/// On which log to try profiles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EvaluateProfilesRequest {
    /// The files of the log, or `-`.
    pub file: Inputs,
    /// A folder with saved pages.
    pub pages: Option<PathBuf>,
    /// Kinds of topics; the usual ones when empty.
    pub topics: Vec<String>,
    /// So many persons must have a word before it is a topic.
    pub k: usize,
    /// How many persons are compared with each other, at most.
    pub targets: usize,
    /// The seed of topics that are learned, and of the persons drawn.
    pub seed: u64,
    /// How to read the log.
    pub ask: Ask,
}

impl Default for EvaluateProfilesRequest {
    fn default() -> Self {
        Self {
            file: Inputs::default(),
            pages: None,
            topics: Vec::new(),
            k: LEAST_PERSONS,
            targets: MOST_PERSONS,
            seed: 0,
            ask: Ask::default(),
        }
    }
}

/// How well profiles tell persons apart.
#[derive(Debug, Clone, Serialize)]
pub struct ProfilesEvaluated {
    /// By what: `profiles`.
    pub detector: &'static str,
    /// Every kind of topics with every distance.
    pub profiles: Vec<Trial>,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Tries profiles: first halves of persons' lines against second halves.
pub fn evaluate_profiles(request: &EvaluateProfilesRequest, progress: &dyn Progress) -> Result<ProfilesEvaluated> {
    for (name, number) in [("k", request.k), ("targets", request.targets)] {
        if number == 0 {
            return Err(Error::parameter(name, "is 0, but must be at least 1"));
        }
    }
    let asked: Vec<&str> = match &request.topics[..] {
        [] => USUAL.to_vec(),
        some => some.iter().map(String::as_str).collect(),
    };
    let sources = asked.iter().map(|spec| topics::source(spec, request.seed)).collect::<Result<Vec<_>>>()?;
    let read = ReadWords::read(&request.file, &request.ask, request.pages.as_deref(), progress)?;
    let persons = halved(&read.words, request.targets, request.seed);
    let mut notes = read.notes.clone();
    let all = halved(&read.words, usize::MAX, request.seed).len();
    if all > persons.len() {
        notes.push(format!(
            "{} of {} persons were drawn; `--targets` takes more",
            thousands(persons.len() as u64),
            thousands(all as u64)
        ));
    }
    if persons.len() < 2 {
        return Err(Error::data("fewer than two persons have 40 lines, so there is nobody to be told apart")
            .with_hint("the lines of each are cut in two halves, and 20 are the fewest by which anybody is judged"));
    }
    let mut profiles = Vec::new();
    for source in &sources {
        progress.stage(&source.name(), 0);
        profiles.extend(trial(&read.words, &persons, source, request.k, progress)?);
    }
    Ok(ProfilesEvaluated { detector: "profiles", profiles, notes })
}
