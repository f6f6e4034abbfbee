//! `throng profile compare`: whether the lines of persons are still about what their profiles say.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use throng_core::profiles::limits::{FALSE_ALARMS, TOLERANCE};
use throng_core::profiles::{Distance, LEAST_LINES, LEAST_PERSONS, Profile};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::file::{PersonRecord, ProfilesFile};
use super::{Judging, ReadWords, name_of, refuse_no_share, refuse_places};
use crate::inputs::Inputs;
use crate::io::csv_field;
use crate::kinds::Ask;
use crate::pending::{self, Pending};
use crate::words::counted;

/// How many topics are shown of a person, where nobody says otherwise.
const TOPICS_SHOWN: usize = 10;

/// Which log to hold against which profiles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CompareProfilesRequest {
    /// The files of the log, or `-`.
    pub file: Inputs,
    /// The file of profiles.
    pub profiles: PathBuf,
    /// A folder with saved pages.
    pub pages: Option<PathBuf>,
    /// How far apart profiles are.
    pub distance: Distance,
    /// `jsd`: the share of false alarms that is put up with.
    pub false_alarms: f64,
    /// `band`: by how much the share of a topic may differ.
    pub tolerance: f64,
    /// So many persons must share a word that is shown.
    pub k: usize,
    /// How many topics are shown of a person, at most.
    pub top: usize,
    /// A file for the distances of everybody from every profile.
    pub matrix: Option<PathBuf>,
    /// Whether ids are shown, and every word.
    pub show_values: bool,
    /// How to read the log.
    pub ask: Ask,
}

impl Default for CompareProfilesRequest {
    fn default() -> Self {
        Self {
            file: Inputs::default(),
            profiles: PathBuf::new(),
            pages: None,
            distance: Distance::default(),
            false_alarms: FALSE_ALARMS,
            tolerance: TOLERANCE,
            k: LEAST_PERSONS,
            top: TOPICS_SHOWN,
            matrix: None,
            show_values: false,
            ask: Ask::default(),
        }
    }
}

/// How persons compare with their profiles.
#[derive(Debug, Clone, Serialize)]
pub struct ProfilesCompared {
    /// How far apart profiles are.
    pub distance: Distance,
    /// Everybody who was judged, in the order of the log.
    pub persons: Vec<ProfileJudged>,
    /// How many were judged.
    pub judged: usize,
    /// How many were not: too few lines, no profile, or no word about any topic.
    pub not_judged: usize,
    /// How many alarms there are.
    pub alarms: usize,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// How a person compares with their profile.
#[derive(Debug, Clone, Serialize)]
pub struct ProfileJudged {
    /// The first line of the person.
    pub line: u64,
    /// The person; only if ids are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// How far they are from their profile.
    pub distance: f64,
    /// How far they may be; nothing if too little is known of anybody.
    pub limit: Option<f64>,
    /// Whether they are farther.
    pub alarm: bool,
    /// The topics that matter most to the distance, first.
    pub topics: Vec<TopicShown>,
}

/// A topic of a person.
#[derive(Debug, Clone, Serialize)]
pub struct TopicShown {
    /// Its name.
    pub name: String,
    /// Its share of the profile.
    pub own: f64,
    /// Its share of the lines.
    pub now: f64,
}

/// Holds a log against profiles.
pub fn compare_profiles(request: &CompareProfilesRequest, progress: &dyn Progress) -> Result<ProfilesCompared> {
    refuse_no_share("false-alarms", request.false_alarms)?;
    refuse_no_share("tolerance", request.tolerance)?;
    refuse_places(&request.matrix.iter().collect::<Vec<_>>(), &request.file, "matrix of distances")?;
    let (file, topics) = ProfilesFile::read(&request.profiles)?;
    let read = ReadWords::read(&request.file, &request.ask, request.pages.as_deref(), progress)?;
    refuse_other_kind(&file, &read, &request.profiles)?;
    let judging =
        Judging { distance: request.distance, false_alarms: request.false_alarms, tolerance: request.tolerance };
    let (limits, known) = (file.limits(&judging), by_id(&file.persons));
    let topic_of = topics.of_words(read.words.vocabulary());
    progress.stage("comparing", 0);
    let of_person = |person: usize| {
        let id = read.words.names().get(person as u32);
        let record = &file.persons[*known.get(id)?];
        let now = read.judged_profile(person, &topic_of)?;
        let verdict = record.judged(&now, read.words.lines(person), &judging, &limits);
        let shown = |(topic, [own, now]): (u32, [f64; 2])| TopicShown {
            name: name_of(&topics, topic, request.k, request.show_values),
            own,
            now,
        };
        let judged = ProfileJudged {
            line: read.line(person),
            id: request.show_values.then(|| id.to_owned()),
            distance: verdict.distance,
            limit: verdict.limit,
            alarm: verdict.alarm,
            topics: record.shares.differences(&now, request.distance, request.top).into_iter().map(shown).collect(),
        };
        Some((judged, (id, now)))
    };
    let found: Vec<(ProfileJudged, (&str, Profile))> =
        (0..read.words.persons()).into_par_iter().filter_map(of_person).collect();
    progress.go_on()?;
    let (persons, profiles): (Vec<ProfileJudged>, Vec<(&str, Profile)>) = found.into_iter().unzip();
    if let Some(place) = &request.matrix {
        write_matrix(place, &profiles, &file.persons, request.distance, progress)?;
    }
    let mut notes = read.notes.clone();
    let short = (0..read.words.persons()).filter(|&person| read.words.lines(person) < LEAST_LINES).count();
    if short > 0 {
        let short = counted(short as u64, "person has", "persons have");
        notes.push(format!("{short} fewer than {LEAST_LINES} lines, and nobody is judged by so few"));
    }
    let without = persons.iter().filter(|person| person.limit.is_none()).count();
    if without > 0 {
        let without = counted(without as u64, "person", "persons");
        notes.push(format!(
            "too few earlier windows are known to say how far {without} may be: no alarm can be raised of them; a greater \
             `--false-alarms` needs fewer"
        ));
    }
    Ok(ProfilesCompared {
        distance: request.distance,
        judged: persons.len(),
        not_judged: read.words.persons() - persons.len(),
        alarms: persons.iter().filter(|person| person.alarm).count(),
        persons,
        notes,
    })
}

/// Places of persons by their ids.
pub(super) fn by_id(persons: &[PersonRecord]) -> BTreeMap<&str, usize> {
    persons.iter().enumerate().map(|(at, person)| (person.id.as_str(), at)).collect()
}

/// Refuses profiles of another kind of data.
pub(super) fn refuse_other_kind(file: &ProfilesFile, read: &ReadWords, profiles: &Path) -> Result<()> {
    if file.kind == read.kind {
        return Ok(());
    }
    Err(Error::refused(format!("the profiles are of {}, and the log is of the kind {}", file.kind, read.kind))
        .in_file(profiles.display().to_string()))
}

/// The distances of everybody from every profile, with original ids: for the custodian alone.
fn write_matrix(
    place: &Path,
    now: &[(&str, Profile)],
    profiles: &[PersonRecord],
    distance: Distance,
    progress: &dyn Progress,
) -> Result<()> {
    let failed = |cause| Error::io(format!("write {}", place.display()), cause);
    let (file, unfinished) = Pending::file(place, true).map_err(failed)?;
    let mut out = BufWriter::with_capacity(1 << 20, file);
    out.write_all(b"person,profile,distance\n").map_err(failed)?;
    progress.stage("matrix", now.len() as u64);
    for (id, own) in now {
        progress.go_on()?;
        let distances: Vec<f64> = profiles.par_iter().map(|profile| distance.of(&profile.shares, own)).collect();
        for (profile, distance) in profiles.iter().zip(distances) {
            let mut row = Vec::new();
            csv_field(id.as_bytes(), &mut row);
            row.push(b',');
            csv_field(profile.id.as_bytes(), &mut row);
            row.extend(format!(",{distance}\n").into_bytes());
            out.write_all(&row).map_err(failed)?;
        }
        progress.advance(1);
    }
    out.flush().map_err(failed)?;
    pending::publish(vec![(unfinished, place.to_owned())])
}
