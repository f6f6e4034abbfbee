//! `throng profile update`: profiles follow persons, and forget.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use throng_core::Result;
use throng_core::profiles::Distance;
use throng_core::profiles::limits::{FALSE_ALARMS, TOLERANCE, windows};
use throng_core::progress::Progress;

use super::compare::{by_id, refuse_other_kind};
use super::file::{PersonRecord, ProfilesFile};
use super::{Judging, ReadWords, refuse_no_share};
use crate::inputs::Inputs;
use crate::kinds::Ask;
use crate::pending;

/// How much later lines weigh, where nobody says otherwise.
const WEIGHT: f64 = 0.2;

/// Which profiles take which lines in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UpdateProfilesRequest {
    /// The file of profiles, which is replaced.
    pub profiles: PathBuf,
    /// The files of the log, or `-`.
    pub file: Inputs,
    /// A folder with saved pages.
    pub pages: Option<PathBuf>,
    /// How much the later lines weigh.
    pub weight: f64,
    /// Whether lines that raise an alarm are taken in, too.
    pub accept: bool,
    /// How far apart profiles are.
    pub distance: Distance,
    /// `jsd`: the share of false alarms that is put up with.
    pub false_alarms: f64,
    /// `band`: by how much the share of a topic may differ.
    pub tolerance: f64,
    /// How to read the log.
    pub ask: Ask,
}

impl Default for UpdateProfilesRequest {
    fn default() -> Self {
        Self {
            profiles: PathBuf::new(),
            file: Inputs::default(),
            pages: None,
            weight: WEIGHT,
            accept: false,
            distance: Distance::default(),
            false_alarms: FALSE_ALARMS,
            tolerance: TOLERANCE,
            ask: Ask::default(),
        }
    }
}

/// What became of profiles.
#[derive(Debug, Clone, Serialize)]
pub struct ProfilesUpdated {
    /// How many took later lines in.
    pub updated: usize,
    /// How many are new.
    pub added: usize,
    /// How many stayed as they were, for the later lines raised an alarm.
    pub refused: usize,
    /// How many persons of the log have too few lines, or no word about any topic.
    pub not_judged: usize,
    /// The first lines of those who were refused.
    pub refused_lines: Vec<u64>,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Takes later lines into profiles.
pub fn update_profiles(request: &UpdateProfilesRequest, progress: &dyn Progress) -> Result<ProfilesUpdated> {
    refuse_no_share("weight", request.weight)?;
    refuse_no_share("false-alarms", request.false_alarms)?;
    refuse_no_share("tolerance", request.tolerance)?;
    pending::refuse_replacing_input(&request.profiles, &request.file.paths()?)?;
    let (mut file, topics) = ProfilesFile::read(&request.profiles)?;
    let read = ReadWords::read(&request.file, &request.ask, request.pages.as_deref(), progress)?;
    refuse_other_kind(&file, &read, &request.profiles)?;
    let judging =
        Judging { distance: request.distance, false_alarms: request.false_alarms, tolerance: request.tolerance };
    let limits = file.limits(&judging);
    let topic_of = topics.of_words(read.words.vocabulary());
    progress.stage("updating", 0);
    let words = &read.words;
    let places: Vec<Option<usize>> = {
        let known = by_id(&file.persons);
        words.names().iter().map(|id| known.get(id).copied()).collect()
    };
    let mut done = ProfilesUpdated {
        updated: 0,
        added: 0,
        refused: 0,
        not_judged: 0,
        refused_lines: Vec::new(),
        notes: Vec::new(),
    };
    for (person, place) in places.into_iter().enumerate() {
        let lines = words.lines(person);
        let Some(now) = read.judged_profile(person, &topic_of) else {
            done.not_judged += 1;
            continue;
        };
        match place {
            Some(place) => {
                let record = &mut file.persons[place];
                if !request.accept && record.judged(&now, lines, &judging, &limits).alarm {
                    done.refused += 1;
                    done.refused_lines.push(read.line(person));
                } else {
                    record.take_in(&now, lines, request.weight);
                    done.updated += 1;
                }
            }
            None => {
                let id = words.names().get(person as u32).to_owned();
                let windows = windows(words, person, &|word| topic_of[word as usize]);
                file.persons.push(PersonRecord { id, lines: lines as u64, shares: now, windows });
                done.added += 1;
            }
        }
    }
    progress.go_on()?;
    done.notes = read.notes;
    file.write(&request.profiles)?;
    Ok(done)
}
