//! `throng profile`: what the lines of a person are about, and whether later ones are still about it.

mod build;
mod chart;
mod compare;
mod evaluate;
mod file;
mod topics;
mod update;

use std::path::{Path, PathBuf};

use throng_core::profiles::lines::{LineWords, Pages};
use throng_core::profiles::topics::Topics;
use throng_core::profiles::{Distance, LEAST_LINES, Profile};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

pub use build::{BuildProfilesRequest, ProfilesBuilt, build_profiles};
pub use chart::{ChartProfileRequest, ProfileDrawn, chart_profile};
pub use compare::{CompareProfilesRequest, ProfileJudged, ProfilesCompared, TopicShown, compare_profiles};
pub use evaluate::{EvaluateProfilesRequest, ProfilesEvaluated, evaluate_profiles};
pub use update::{ProfilesUpdated, UpdateProfilesRequest, update_profiles};

use super::Certified;
use crate::inputs::Inputs;
use crate::io::{self, Opened};
use crate::kinds::{self, Ask, Kinded, Purpose, Read};
use crate::words::counted;

/// The words of a log's lines, as read from files.
#[derive(Debug)]
pub struct ReadWords {
    /// The kind of data.
    kind: &'static str,
    words: LineWords,
    /// The first line of each person.
    first_lines: Vec<u64>,
    notes: Vec<String>,
}

impl ReadWords {
    /// Of data of a kind.
    pub(crate) fn of<D: Kinded>(opened: Opened, ask: &Ask, pages: &Pages, progress: &dyn Progress) -> Result<Self> {
        let Read { data, about } = D::read(opened, ask, Purpose::Look, progress)?;
        progress.stage("words", 0);
        let Some(words) = data.line_words(pages) else {
            let problem =
                format!("profiles are made of searches or visits, and these data are of the kind {}", D::CARD.name);
            return Err(Error::refused(problem).with_hint(
                "a log has lines of persons with a time each; `--kind queries` or `--kind visits` and `--column` say how a file is one",
            ));
        };
        let mut notes = Vec::new();
        if about.refused > 0 {
            notes.push(format!("{} left out", counted(about.refused, "malformed line was", "malformed lines were")));
        }
        if !pages.is_empty() {
            let with_page = counted(words.with_page() as u64, "line is", "lines are");
            notes.push(format!("{with_page} of a saved page; the others count their own words"));
        }
        Ok(Self { kind: D::CARD.name, words, first_lines: about.first_lines, notes })
    }

    /// The words of some files.
    fn read(inputs: &Inputs, ask: &Ask, pages: Option<&Path>, progress: &dyn Progress) -> Result<Self> {
        let pages = pages.map(|folder| io::read_pages(folder, progress)).transpose()?.unwrap_or_default();
        let certified = Certified::open(inputs, ask)?;
        let (kind, opened) = kinds::open(&certified.location, &certified.ask)?;
        kind.line_words(opened, &certified.ask, &pages, progress)
    }

    /// The first line of a person.
    fn line(&self, person: usize) -> u64 {
        self.first_lines.get(person).copied().unwrap_or(0)
    }

    /// The profile of a person's lines, if they have any occurrence of a topic.
    fn profile(&self, person: usize, topic_of: &[u32]) -> Option<Profile> {
        let words = &self.words;
        Profile::of(&words.counts(person, 0..words.lines(person), |word| topic_of[word as usize]))
    }

    /// The same of whoever has enough lines to be judged.
    fn judged_profile(&self, person: usize, topic_of: &[u32]) -> Option<Profile> {
        (self.words.lines(person) >= LEAST_LINES).then(|| self.profile(person, topic_of)).flatten()
    }
}

/// Refuses shares that are none.
fn refuse_no_share(name: &str, share: f64) -> Result<()> {
    if (0.0..=1.0).contains(&share) {
        return Ok(());
    }
    Err(Error::parameter(name, format!("is {share}, but must be a share from 0 to 1")))
}

/// What a topic is called where fewer than k persons share what it is called by.
fn name_of(topics: &Topics, topic: u32, k: usize, show_values: bool) -> String {
    let name = &topics.names()[topic as usize];
    match name.shared(k) {
        Some(shared) => shared.to_owned(),
        None if show_values => name.name.clone(),
        None => format!("(of fewer than {k} persons)"),
    }
}

/// How later lines are held against a profile.
#[derive(Debug, Clone, Copy)]
struct Judging {
    distance: Distance,
    false_alarms: f64,
    tolerance: f64,
}

/// Refuses places for files that cannot be made.
fn refuse_places(places: &[&PathBuf], inputs: &Inputs, what: &str) -> Result<()> {
    for place in places {
        crate::pending::refuse_stdout(place)?;
        super::refuse_existing(place)?;
        crate::pending::refuse_in_release(place, what)?;
        crate::pending::refuse_replacing_input(place, &inputs.paths()?)?;
    }
    Ok(())
}
