//! `throng synth queries --profile`: the shape of a log, beside that of the real sample that made-up logs are held to.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use throng_core::concepts::{How, Lexicon, Mapper};
use throng_core::data::QueryLog;
use throng_core::progress::Progress;
use throng_core::synth::profile::{Dictionary, Profile, Row};
use throng_core::{Error, Result};

use super::{self as kinds, Ask, Kinded as _, Purpose, Read};
use crate::inputs::Inputs;
use crate::run::Certified;
use crate::taxonomy;
use crate::words::thousands;

/// Which log to describe.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProfileRequest {
    /// The files of the log, or `-`.
    pub file: Inputs,
    /// How to read it.
    pub ask: Ask,
}

/// The shape of a log. It holds figures only, and none of them is sent anywhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Profiled {
    /// The figures.
    pub profile: Profile,
}

/// Describes a search log.
pub fn profile(request: &ProfileRequest, progress: &dyn Progress) -> Result<Profiled> {
    let ask = Ask { kind: Some(QueryLog::CARD.name.to_owned()), ..request.ask.clone() };
    let certified = Certified::open(&request.file, &ask)?;
    let (kind, opened) = kinds::open(&certified.location, &certified.ask)?;
    if kind.card().name != QueryLog::CARD.name {
        return Err(Error::parameter("profile", format!("describes search logs, and this is {}", kind.card().name)));
    }
    let Read { data, .. } = QueryLog::read(opened, &certified.ask, Purpose::Look, progress)?;
    progress.stage("shape", 0);
    let known = WordNet::load()?;
    Ok(Profiled { profile: Profile::of(&data, Some(&known)) })
}

impl Profiled {
    /// The table in words.
    pub fn words(&self) -> String {
        let Profile { persons, lines, .. } = self.profile;
        let rows = self.profile.table();
        let said = |numbers: &[f64], row: &Row| match numbers {
            [] => "-".to_owned(),
            numbers => numbers.iter().map(|&number| shown(number, row.digits)).collect::<Vec<_>>().join(" / "),
        };
        let of_log = format!("{} persons, {} lines", thousands(persons as u64), thousands(lines as u64));
        let mut text = format!("{:47} {:31} {}\n", "", of_log, "a real sample of 1,017");
        for row in &rows {
            let _ = writeln!(text, "{:47} {:31} {}", row.name, said(&row.here, row), said(row.real, row));
        }
        text
    }
}

fn shown(number: f64, digits: usize) -> String {
    if digits == 0 { thousands(number as u64) } else { format!("{number:.digits$}") }
}

/// The dictionary that is always there.
struct WordNet {
    mapper: Mapper,
    lexicon: Arc<Lexicon>,
}

impl WordNet {
    fn load() -> Result<Self> {
        let lexicon = taxonomy::lexicon()?;
        Ok(Self { mapper: Mapper::new(taxonomy::wordnet()?).with_lexicon(Arc::clone(&lexicon)), lexicon })
    }
}

impl Dictionary for WordNet {
    fn knows(&self, word: &str) -> bool {
        !self.lexicon.classes(word.trim_matches(|letter: char| !letter.is_alphanumeric())).is_unknown()
    }

    fn is_noun(&self, query: &str) -> bool {
        let phrases = if query.contains('.') { Vec::new() } else { self.mapper.phrases(query) };
        matches!(&phrases[..], [phrase] if phrase.how == How::Exact && phrase.term == query)
    }
}
