//! The file of profiles: as secret as the log that it was made from, and it says so.
//!
//! One JSON object. Its last key, `sha256`, is the hash of all bytes before it: a file that was edited is refused.

use std::path::Path;

use serde::{Deserialize, Serialize};
use throng_core::profiles::limits::{Limits, Windows};
use throng_core::profiles::topics::{Topics, TopicsRecord};
use throng_core::profiles::{Distance, LEAST_LINES, Profile};
use throng_core::{Error, Result};

use super::Judging;
use crate::limits;
use crate::party::sha256;
use crate::{pending, taxonomy};

/// The version of the form.
const FORMAT: u32 = 1;
/// What the file says of itself first.
const SECRET: &str =
    "As secret as the log that it was made from: it recognises the persons of that log. Never publish it.";
/// What stands before the hash.
const HASH_MARK: &str = ",\"sha256\":\"";

/// Profiles of persons.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProfilesFile {
    format: u32,
    secret: String,
    throng: String,
    /// The kind of data.
    pub(super) kind: String,
    pub(super) topics: TopicsRecord,
    pub(super) persons: Vec<PersonRecord>,
    #[serde(default, skip_serializing)]
    sha256: String,
}

/// The profile of a person.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PersonRecord {
    /// The person, as the log has them.
    pub(super) id: String,
    /// Of how many lines.
    pub(super) lines: u64,
    /// Topics with their shares.
    pub(super) shares: Profile,
    /// How far windows of 20, 40, 80, … lines were from the person's other lines.
    pub(super) windows: Windows,
}

/// A profile, and what a later window of the person was like.
#[derive(Debug, Clone)]
pub(super) struct Verdict {
    pub(super) distance: f64,
    pub(super) limit: Option<f64>,
    pub(super) alarm: bool,
}

impl ProfilesFile {
    pub(super) fn new(kind: &str, topics: &Topics, persons: Vec<PersonRecord>) -> Self {
        Self {
            format: FORMAT,
            secret: SECRET.to_owned(),
            throng: env!("CARGO_PKG_VERSION").to_owned(),
            kind: kind.to_owned(),
            topics: topics.record(),
            persons,
            sha256: String::new(),
        }
    }

    /// Writes it for its owner only, in the place of the one that is there.
    pub(super) fn write(&self, place: &Path) -> Result<()> {
        let failed = |cause: serde_json::Error| Error::internal("profiles could not be written down").with_cause(cause);
        let mut text = serde_json::to_string(self).map_err(failed)?;
        text.pop();
        let hash = sha256(text.as_bytes());
        text.push_str(HASH_MARK);
        text.push_str(&hash);
        text.push_str("\"}\n");
        pending::replace(place, text.as_bytes(), true)
    }

    /// Reads one, with its topics.
    pub(super) fn read(place: &Path) -> Result<(Self, Topics)> {
        let named = |error: Error| error.in_file(place.display().to_string());
        pending::refuse_in_release(place, "file of profiles")?;
        pending::refuse_readable_by_others(place, "file of profiles")?;
        let bytes = limits::read_file(place, "the profiles ", limits::MOST_PROFILES_BYTES)?;
        Self::parse(&bytes).map_err(named)
    }

    fn parse(bytes: &[u8]) -> Result<(Self, Topics)> {
        let hint = "`throng profile build LOG --out P.json` makes one";
        #[derive(Deserialize)]
        struct Version {
            format: Option<u64>,
            secret: Option<String>,
        }
        let version: Version = serde_json::from_slice(bytes)
            .map_err(|cause| Error::data("this is no file of profiles").with_cause(cause).with_hint(hint))?;
        match (version.format, version.secret) {
            (Some(format), Some(_)) if format == u64::from(FORMAT) => {}
            (Some(format), Some(_)) => {
                return Err(Error::data(format!(
                    "the profiles have the format {format}, and this program knows {FORMAT}"
                ))
                .with_hint("make them anew with this version: `throng profile build LOG --out P.json`"));
            }
            _ => return Err(Error::data("this is no file of profiles").with_hint(hint)),
        }
        let edited = || {
            Error::data("the profiles were edited, or cut off: their hash is another one")
                .with_hint("make them anew: `throng profile build LOG --out P.json`")
        };
        let read: Self = serde_json::from_slice(bytes).map_err(|_| edited())?;
        let mark = memchr::memmem::rfind(bytes, HASH_MARK.as_bytes()).ok_or_else(edited)?;
        if sha256(&bytes[..mark]) != read.sha256 {
            return Err(edited());
        }
        let wordnet = || {
            let tree = taxonomy::wordnet()?;
            let nouns = tree.wordnet().map(|(wordnet, _)| wordnet.clone());
            nouns.ok_or_else(|| Error::internal("the embedded WordNet has no nouns"))
        };
        let topics = Topics::of_record(&read.topics, wordnet)?.ok_or_else(edited)?;
        let fits =
            |person: &PersonRecord| Profile::of_shares(person.shares.shares().to_vec(), topics.names().len()).is_some();
        if !read.persons.iter().all(fits) {
            return Err(edited());
        }
        Ok((read, topics))
    }

    /// What is known of how far persons are from their own profiles.
    pub(super) fn limits(&self, judging: &Judging) -> Limits {
        Limits::new(self.persons.iter().map(|person| &person.windows), judging.false_alarms)
    }
}

impl PersonRecord {
    /// Judges so many later lines of the person.
    pub(super) fn judged(&self, now: &Profile, lines: usize, judging: &Judging, limits: &Limits) -> Verdict {
        let distance = judging.distance.of(&self.shares, now);
        let limit = match judging.distance {
            Distance::Jsd => limits.of(&self.windows, lines).map(|(limit, _)| limit),
            Distance::Band => Some(judging.tolerance),
        };
        // What differs in the last digits is on the edge of the band, not beyond it.
        Verdict { distance, limit, alarm: limit.is_some_and(|limit| distance > limit + 1e-12) }
    }

    /// Takes later lines in: what was before is forgotten by so much. The oldest windows of a length go when there are very many.
    pub(super) fn take_in(&mut self, now: &Profile, lines: usize, weight: f64) {
        const MOST_WINDOWS: usize = 200;
        let length = throng_core::profiles::limits::length_of(lines.max(LEAST_LINES));
        let distance = Distance::Jsd.of(&self.shares, now);
        self.windows.resize(self.windows.len().max(length + 1), Vec::new());
        let own = &mut self.windows[length];
        own.push(distance);
        if own.len() > MOST_WINDOWS {
            own.remove(0);
        }
        self.shares = self.shares.forgetting(now, weight);
        self.lines += lines as u64;
    }
}
