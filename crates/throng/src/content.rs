//! Identifying content of a release: what finders are told, what they take out, and what a certificate says of it.
//!
//! The threshold on what is published is what protects people; finders are the second line. They run on the records that a method
//! gave, before anybody gets a pseudonym, and once more on the bytes that were written: [`Scrubbing::count_left`]. Whoever has the
//! original can do the same with any release: [`beside_original`].

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use throng_core::accounts::{
    Accounts, ITEMS_GENERALISED, PERSONS_HELD_OUT, PERSONS_NOT_SAMPLED, ROWS_BARRED, ROWS_EMPTIED, ROWS_MASKED,
    ROWS_REFUSED,
};
use throng_core::finders::left::left;
use throng_core::finders::mask::Form;
use throng_core::finders::scrub::{Found, Rule, Scrubbed, look, scrub};
use throng_core::finders::{COUNT, FINDERS, Finders, Hit, Names, Scratch, Scrub, number};
use throng_core::models::content_threshold;
use throng_core::progress::Progress;
use throng_core::release::Protected;
use throng_core::{Error, Result};

use crate::certificate::{Certificate, ClaimRecord};
use crate::kinds::{Kinded, Purpose, Written};
use crate::words::counted;

/// The first and last names of the census of 1990, made by `examples/make_names.rs`.
const NAMES: &[u8] = include_bytes!("../data/us-census-1990.names");

/// What is to be done with what finders find.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ContentAsk {
    /// `off`, `report` or `mask` for all finders, or `FINDER=mask` for one; later ones count. Each has a usual one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scrub: Vec<String>,
    /// Whether what many persons have is masked, too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
}

impl ContentAsk {
    /// What becomes of the hits of each finder.
    pub fn modes(&self) -> Result<[Scrub; COUNT]> {
        let mut modes = FINDERS.map(|finder| finder.usual);
        for text in &self.scrub {
            let (finder, mode) = match text.split_once('=') {
                Some((finder, mode)) => (Some(finder), mode),
                None => (None, text.as_str()),
            };
            let Some((_, mode)) = Scrub::ALL.into_iter().find(|(name, _)| *name == mode) else {
                return Err(Error::unknown("way to scrub", mode, Scrub::ALL.map(|(name, _)| name)).with_hint(
                    "`--scrub off|report|mask` for all finders, or `--scrub phone=mask,street=mask` for some",
                ));
            };
            match finder {
                None => modes = [mode; COUNT],
                Some(name) => match number(name) {
                    Some(finder) => modes[finder] = mode,
                    None => return Err(Error::unknown("finder", name, FINDERS.map(|finder| finder.info.name))),
                },
            }
        }
        if self.shared && !modes.contains(&Scrub::Mask) {
            return Err(Error::parameter("scrub-shared", "asks to mask what many persons have, but nothing is masked")
                .with_hint("leave it out, or mask something: `--scrub mask`"));
        }
        Ok(modes)
    }

    /// Finders and what becomes of their hits; nothing if nobody looks.
    pub(crate) fn scrubbing(&self) -> Result<Option<Scrubbing>> {
        let modes = self.modes()?;
        if modes == [Scrub::Off; COUNT] {
            return Ok(None);
        }
        Ok(Some(Scrubbing { finders: finders(modes.map(|mode| mode != Scrub::Off))?, modes, shared_too: self.shared }))
    }
}

/// The finders that are wanted, with the embedded names.
pub fn finders(wanted: [bool; COUNT]) -> Result<Finders> {
    let wants_names = number("name").is_some_and(|name| wanted[name]);
    Ok(Finders::new(wanted, if wants_names { names()? } else { Names::none() }))
}

/// The embedded names.
pub fn names() -> Result<Names> {
    let broken = |cause| Error::internal("the embedded names are damaged").with_cause(cause);
    let bytes = zstd::decode_all(NAMES).map_err(broken)?;
    let text = String::from_utf8(bytes).map_err(|cause| broken(std::io::Error::other(cause)))?;
    Names::read(&text).map_err(|cause| broken(std::io::Error::other(cause)))
}

/// Finders and what becomes of their hits.
#[derive(Debug)]
pub(crate) struct Scrubbing {
    finders: Finders,
    modes: [Scrub; COUNT],
    shared_too: bool,
}

/// What finders did to the records of a release.
#[derive(Debug)]
pub(crate) struct Scrubs {
    rule: Rule,
    found: Found,
    counts: [[u64; COUNT]; 3],
    rows_masked: u64,
    rows_emptied: u64,
}

/// What a finder found and what became of it, as a certificate says it. Counts below k stand as `"<k"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FinderRecord {
    /// The finder.
    pub finder: String,
    /// What becomes of its hits.
    pub scrub: Scrub,
    /// How many rows of the original have one.
    pub rows: Value,
    /// How many rows would be published with one, after the method and its threshold.
    pub after_threshold: Value,
    /// Out of how many of those something was taken.
    pub masked: Value,
    /// How many rows of the release have one.
    pub left: Value,
}

impl Scrubbing {
    /// Takes out of protected records what must not be published. Persons of whom nothing is left are left out.
    pub(crate) fn apply<D: Kinded>(
        &self,
        original: &D,
        protected: &mut Protected<D>,
        progress: &dyn Progress,
    ) -> Result<Scrubs> {
        progress.stage("finders", 0);
        let found = look(original, &self.finders);
        let threshold = protected.claims.iter().find(|claim| claim.model == content_threshold::INFO.name);
        let min_persons = least_persons(threshold.map(|claim| &claim.parameters));
        let rule = Rule::new(original, &found, self.modes, min_persons as usize, self.shared_too);
        let mut persons_of = vec![0; protected.records.persons()];
        for record in protected.record_of.iter().flatten() {
            persons_of[*record as usize] += 1;
        }
        let Scrubbed { records, after_method, masked, left, rows_masked, rows_emptied } =
            scrub(&protected.records, &persons_of, &self.finders, &rule);
        if let Some(records) = records {
            protected.records = records;
            if D::NEEDS_ROWS {
                for record in &mut protected.record_of {
                    *record = record.filter(|&record| protected.records.rows_of(record as usize) > 0);
                }
                if protected.record_of.iter().all(Option::is_none) {
                    return Err(Error::refused(
                        "nothing is left to publish after finders took out what names single persons",
                    )
                    .with_hint("`throng inspect FILE --content` says what they found; `--scrub report` leaves it in"));
                }
            }
        }
        Ok(Scrubs { rule, found, counts: [after_method, masked, left], rows_masked, rows_emptied })
    }

    /// Reads the written file as anybody would, looks at every text of it plainly and beside the original, and refuses it if something
    /// is in it that was to be masked. What is left is what this counts, and not what masking says of itself.
    pub(crate) fn count_left<D: Kinded>(
        &self,
        scrubs: &mut Scrubs,
        original: &D,
        written: &Written<'_, D>,
        progress: &dyn Progress,
    ) -> Result<()> {
        let read = D::read(written.open()?, &written.ask(), Purpose::Release, progress)?;
        let beside = Some(original).filter(|_| scrubs.rule.has_threshold());
        let left = left(&read.data, beside, &self.finders, |hit, text| scrubs.rule.must_go(hit, text));
        scrubs.counts[2] = left.rows;
        match left.must_go.iter().position(|count| *count > 0) {
            None => Ok(()),
            Some(finder) => Err(Error::internal(format!(
                "the release still holds what was to be masked ({} with what the finder {} finds), so it was not published",
                counted(left.must_go[finder], "row", "rows"),
                FINDERS[finder].info.name
            ))),
        }
    }

    /// Takes the same out of the values that a report shows: many persons may share a number that is masked whoever has it.
    pub(crate) fn clean(&self, scrubs: &Scrubs, report: &mut Value) {
        clean(report, &mut |text| {
            let masked = scrubs.rule.mask(&self.finders, text, Form::Words, &mut Scratch::default())?;
            Some(masked.text.map_or(Value::Null, Value::String))
        });
    }

    /// What a certificate says of it; counts below k are hidden.
    pub(crate) fn records(&self, scrubs: &Scrubs, k: u64) -> Vec<FinderRecord> {
        let count = |count: u64| if (1..k).contains(&count) { format!("<{k}").into() } else { Value::from(count) };
        let record = |finder: usize| {
            let [after, masked, left] = scrubs.counts.map(|counts| count(counts[finder]));
            FinderRecord {
                finder: FINDERS[finder].info.name.to_owned(),
                scrub: self.modes[finder],
                rows: count(scrubs.found.rows[finder]),
                after_threshold: after,
                masked,
                left,
            }
        };
        (0..COUNT).filter(|&finder| self.modes[finder] != Scrub::Off).map(record).collect()
    }
}

/// Puts something else in the place of values that a report shows of the original or of the release.
pub(crate) fn clean(report: &mut Value, instead: &mut dyn FnMut(&str) -> Option<Value>) {
    for part in ["measures", "example", "attacks"] {
        if let Some(part) = report.get_mut(part) {
            clean_value(part, instead);
        }
    }
}

fn clean_value(value: &mut Value, instead: &mut dyn FnMut(&str) -> Option<Value>) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|inner| clean_value(inner, instead)),
        Value::Object(map) => map.values_mut().for_each(|inner| clean_value(inner, instead)),
        Value::String(text) => {
            if let Some(other) = instead(text) {
                *value = other;
            }
        }
        _ => {}
    }
}

/// What a certificate says of identifying content, and a release beside its original does not bear out; in words, never a value.
///
/// Hits that many persons have may stay, unless somebody said otherwise, which a certificate does not say. Of an original from which
/// something was left out before, only what is masked whoever has it can be judged.
pub(crate) fn beside_original<D: Kinded>(certificate: &Certificate, original: &D, release: &D) -> Result<Vec<String>> {
    let mut modes = [Scrub::Off; COUNT];
    for record in &certificate.content {
        if let Some(finder) = number(&record.finder) {
            modes[finder] = record.scrub;
        }
    }
    let threshold = certificate.claims.iter().find(|claim| claim.model == content_threshold::INFO.name);
    let min_persons = least_persons(threshold.map(|claim| &claim.parameters));
    if modes == [Scrub::Off; COUNT] || min_persons <= 1 {
        return Ok(Vec::new());
    }
    let finders = finders(modes.map(|mode| mode != Scrub::Off))?;
    let rule = Rule::new(original, &look(original, &finders), modes, min_persons as usize, false);
    let is_whole = [ROWS_BARRED, PERSONS_HELD_OUT, PERSONS_NOT_SAMPLED, ROWS_REFUSED, ITEMS_GENERALISED]
        .into_iter()
        .all(|account| certificate.accounting.get(account).unwrap_or_default() == 0);
    let must_go = |hit: &Hit, text: &str| rule.must_go(hit, text) && (is_whole || hit.finder().even_if_shared);
    let found = left(release, Some(original), &finders, must_go);
    let mut wrong = Vec::new();
    for record in &certificate.content {
        let Some(finder) = number(&record.finder) else { continue };
        let (rows, name) = (found.rows[finder], &record.finder);
        if found.must_go[finder] > 0 {
            wrong.push(format!(
                "{} with what the finder {name} finds in the original and its certificate says is masked",
                counted(found.must_go[finder], "row", "rows")
            ));
        } else if is_whole && !says(&record.left, rows) {
            wrong.push(format!(
                "{} with what the finder {name} finds in the original, of which its certificate says otherwise",
                counted(rows, "row", "rows")
            ));
        }
    }
    Ok(wrong)
}

/// Whether a count of a certificate, which may be `<k`, is this one.
fn says(said: &Value, count: u64) -> bool {
    match said.as_str().and_then(|few| few.strip_prefix('<')?.parse::<u64>().ok()) {
        Some(k) => (1..k).contains(&count),
        None => said.as_u64() == Some(count),
    }
}

/// So many persons say what a release says, at least, by everything that is claimed of it: a report shows no more.
pub(crate) fn shared_by(claims: &[ClaimRecord]) -> usize {
    claims.iter().map(|claim| least_persons(Some(&claim.parameters)) as usize).max().unwrap_or(1)
}

/// So many persons say what a line says, at least, by what is claimed of it.
fn least_persons(claimed: Option<&Map<String, Value>>) -> u64 {
    claimed.and_then(|parameters| parameters.get("min-persons")?.as_u64()).unwrap_or(1)
}

impl Scrubs {
    /// What a certificate counts.
    pub(crate) fn accounts(&self) -> Accounts {
        match self.rows_masked {
            0 => Accounts::new(),
            rows => Accounts::new().with(ROWS_MASKED, rows).with(ROWS_EMPTIED, self.rows_emptied),
        }
    }

    /// What the custodian should know.
    pub(crate) fn notes(&self) -> Vec<String> {
        let named = |counts: &[u64; COUNT]| {
            let of = |finder: usize| format!("{} with {}", counts[finder], FINDERS[finder].info.name);
            (0..COUNT).filter(|&finder| counts[finder] > 0).map(of).collect::<Vec<_>>().join(", ")
        };
        let [_, masked, left] = &self.counts;
        let mut notes = Vec::new();
        if self.rows_masked > 0 {
            notes.push(format!("masked in rows of the release: {}", named(masked)));
        }
        if left.iter().any(|count| *count > 0) {
            notes.push(format!(
                "left in rows of the release: {}; `--scrub mask` takes out what is not many persons', with `--scrub-shared` \
                 theirs too; `throng inspect FILE --content --positions FILE.csv` says where",
                named(left)
            ));
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finder_has_its_usual_way_unless_told() {
        let modes = |scrub: &[&str]| {
            let ask = ContentAsk { scrub: scrub.iter().map(|&text| text.to_owned()).collect(), shared: false };
            ask.modes().map_err(|error| error.describe(false))
        };
        let of = |modes: [Scrub; COUNT], name: &str| modes[number(name).unwrap()];
        let usual = modes(&[]).unwrap();
        assert_eq!((of(usual, "email"), of(usual, "phone")), (Scrub::Mask, Scrub::Report));
        assert_eq!(modes(&["mask"]).unwrap(), [Scrub::Mask; COUNT]);
        let some = modes(&["phone=mask", "email=off"]).unwrap();
        assert_eq!((of(some, "email"), of(some, "phone"), of(some, "name")), (Scrub::Off, Scrub::Mask, Scrub::Report));
        assert_eq!(of(modes(&["off", "phone=mask"]).unwrap(), "email"), Scrub::Off);
        assert!(modes(&["hide"]).unwrap_err().contains("report"));
        assert!(modes(&["phon=mask"]).unwrap_err().contains("phone"));
        assert!(ContentAsk { scrub: vec!["report".to_owned()], shared: true }.modes().is_err());
        assert!(ContentAsk { scrub: vec!["off".to_owned()], shared: false }.scrubbing().unwrap().is_none());
    }

    #[test]
    fn names_are_embedded() {
        let (first, last) = names().unwrap().count();
        assert!(first > 4500 && last > 17_000, "{first} {last}");
    }
}
