//! `throng profile build`: profiles of everybody in a log.

use std::path::PathBuf;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use throng_core::profiles::LEAST_PERSONS;
use throng_core::profiles::limits::windows;
use throng_core::profiles::topics::{LinesOf, Topics};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::file::{PersonRecord, ProfilesFile};
use super::{ReadWords, refuse_places, topics};
use crate::inputs::Inputs;
use crate::kinds::Ask;

/// Of which log to make profiles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BuildProfilesRequest {
    /// The files of the log, or `-`.
    pub file: Inputs,
    /// The file of profiles to make.
    pub out: PathBuf,
    /// Of which topics: `words`, `wordnet`, `learned:N` or a file.
    pub topics: String,
    /// A folder with saved pages.
    pub pages: Option<PathBuf>,
    /// So many persons must have a word before it is a topic.
    pub k: usize,
    /// The seed of topics that are learned.
    pub seed: u64,
    /// How to read the log.
    pub ask: Ask,
}

impl Default for BuildProfilesRequest {
    fn default() -> Self {
        Self {
            file: Inputs::default(),
            out: PathBuf::new(),
            topics: "words".to_owned(),
            pages: None,
            k: LEAST_PERSONS,
            seed: 0,
            ask: Ask::default(),
        }
    }
}

/// What was made.
#[derive(Debug, Clone, Serialize)]
pub struct ProfilesBuilt {
    /// The kind of data.
    pub kind: &'static str,
    /// How many persons have a profile.
    pub persons: usize,
    /// How many have none: no word of theirs says anything about a topic.
    pub without_profile: usize,
    /// Where topics come from.
    pub topics: String,
    /// How many there are.
    pub topics_count: usize,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Makes profiles of everybody in a log.
pub fn build_profiles(request: &BuildProfilesRequest, progress: &dyn Progress) -> Result<ProfilesBuilt> {
    refuse_places(&[&request.out], &request.file, "file of profiles")?;
    if request.k == 0 {
        return Err(Error::parameter("k", "is 0, but must be at least 1"));
    }
    let source = topics::source(&request.topics, request.seed)?;
    let read = ReadWords::read(&request.file, &request.ask, request.pages.as_deref(), progress)?;
    let words = &read.words;
    if words.persons() == 0 {
        return Err(Error::data("the log has no line, so there is nobody to make a profile of"));
    }
    progress.stage("topics", 0);
    let all: Vec<LinesOf> = (0..words.persons()).map(|person| (person, 0..words.lines(person))).collect();
    let topics = Topics::build(&source, words, &all, request.k, progress)?;
    let topic_of = topics.of_words(words.vocabulary());
    progress.stage("profiles", 0);
    let record = |person: usize| {
        let shares = read.profile(person, &topic_of)?;
        let id = words.names().get(person as u32).to_owned();
        let windows = windows(words, person, &|word| topic_of[word as usize]);
        Some(PersonRecord { id, lines: words.lines(person) as u64, shares, windows })
    };
    let persons: Vec<PersonRecord> = (0..words.persons()).into_par_iter().filter_map(record).collect();
    progress.go_on()?;
    if persons.is_empty() {
        return Err(Error::data(format!("no word of anybody says anything about a topic of `{}`", request.topics))
            .with_hint(
                "words that fewer than `--k` persons have are no topics; another `--topics` may fit these data",
            ));
    }
    let built = ProfilesBuilt {
        kind: read.kind,
        without_profile: words.persons() - persons.len(),
        persons: persons.len(),
        topics: topics.source().to_owned(),
        topics_count: topics.names().len(),
        notes: read.notes,
    };
    ProfilesFile::new(read.kind, &topics, persons).write(&request.out)?;
    Ok(built)
}
