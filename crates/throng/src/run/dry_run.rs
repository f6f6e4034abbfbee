//! `throng protect --dry-run`: what would be done, for whom, and what it would take. Nothing is written, not even beside the place
//! of the release.
//!
//! The original is read as `protect` reads it, and everything is refused that `protect` would refuse before it begins. A sample of
//! the persons is then protected and measured in memory: that tells what is claimed, and how long the whole would take.

use std::collections::BTreeMap;
use std::time::Instant;

use serde::Serialize;
use serde_json::{Map, Value};
use throng_core::measures::{Context, MOST_COMPARED, Measure, Pair};
use throng_core::methods::Method;
use throng_core::progress::{Progress, Silent};
use throng_core::{Error, Result, Rng};

use super::foreseen::{Foreseen, Foresight};
use super::judged::{Judges, wants};
use super::linked::Linked;
use super::protect::{ProtectRequest, asked, draw_sample, fitting, k_of, named_in, ready};
use super::recorded::SignRequest;
use crate::io::{Location, Opened};
use crate::kinds::{self, About, Kinded, Purpose, Read, SettledBy, Wants};
use crate::pending;
use crate::policy::{Matcher, Policy};
use crate::words::Lengths;

/// What would be done.
#[derive(Debug, Serialize)]
pub struct DryRun {
    /// The folder that would be made.
    pub release: String,
    /// The kind of data.
    pub kind: &'static str,
    /// How the files hold them.
    pub format: String,
    /// Which column holds what.
    pub columns: BTreeMap<String, String>,
    /// Columns that would not be in the release.
    pub unmapped: Vec<String>,
    /// How many persons there are.
    pub persons: u64,
    /// How many of them would be drawn, if not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampled: Option<u64>,
    /// How many rows.
    pub rows: u64,
    /// Malformed lines that would be left out.
    pub rows_refused: u64,
    /// Rows, items or terms that may never be published, if some are barred.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_barred: Option<u64>,
    /// How many rows persons have.
    pub rows_per_person: Lengths,
    /// The method and its parameters.
    pub method: PlannedMethod,
    /// What the release would claim.
    pub claims: Vec<PlannedClaim>,
    /// What a policy says of it, as far as that can be said before it is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Vec<Foreseen>>,
    /// What it would take.
    pub expected: Expected,
    /// What the user should know beside it.
    #[serde(skip)]
    pub notes: Vec<String>,
    /// Parameters that the method does not use.
    #[serde(skip)]
    pub unused: Vec<String>,
}

/// A method and its parameters.
#[derive(Debug, Serialize)]
pub struct PlannedMethod {
    /// Its name.
    pub name: &'static str,
    /// k, and what is not at its default.
    pub parameters: Map<String, Value>,
}

/// A claim that would be made, and checked.
#[derive(Debug, Serialize)]
pub struct PlannedClaim {
    /// The model.
    pub model: &'static str,
    /// Its parameters.
    pub parameters: Map<String, Value>,
}

/// What a run would take, about.
#[derive(Debug, Serialize)]
pub struct Expected {
    /// Seconds on this machine, with as many threads.
    pub seconds: f64,
    /// Bytes of memory; `null` where they cannot be judged from the file.
    pub memory_bytes: Option<u64>,
    /// How many persons were protected to find out.
    pub judged_by_persons: u64,
}

/// Says what [`super::protect`] would do.
pub fn dry_run(request: &ProtectRequest, progress: &dyn Progress) -> Result<DryRun> {
    let request = &request.dated();
    let location = ready(request)?;
    refuse_places(request)?;
    request.sign.as_ref().map(SignRequest::open).transpose()?;
    let (kind, opened) = kinds::open(&location, &request.ask)?;
    kind.plan(request, &location, opened, progress)
}

/// Refuses places that nothing can be written into, as far as that is seen without writing.
fn refuse_places(request: &ProtectRequest) -> Result<()> {
    pending::refuse_in_release(&request.out, "release")?;
    let places = [
        ("--out", "write into the folder", Some(&request.out)),
        ("--key", "write a key file into the folder", request.key.as_ref()),
        ("--token-key", "write a token key into the folder", request.token_key.as_ref()),
    ];
    for (flag, doing, place) in places {
        let Some(place) = place else { continue };
        pending::refuse_unwritable(place).map_err(|cause| {
            Error::io(format!("{doing} {}", pending::folder_of(place).display()), cause)
                .with_hint(format!("the folder that `{flag}` lies in must exist and be writable"))
        })?;
    }
    Ok(())
}

/// Says what would be done with data of a kind.
pub(crate) fn plan<D: Kinded>(
    request: &ProtectRequest,
    location: &Location,
    mut opened: Opened,
    progress: &dyn Progress,
) -> Result<DryRun> {
    let doubt = opened.doubt.take();
    let format = opened.format;
    let mut asked = asked::<D>(request, format)?;
    if let Some(limit) = request.memory {
        D::fit(limit, &opened, &request.ask, asked.method.as_ref(), &mut asked.measures)?;
    }
    let memory = D::memory(&opened, &request.ask, asked.method.as_ref(), &asked.measures)?;
    let begun = Instant::now();
    let Read { data, about } =
        D::read(opened, &asked.ask, Purpose::Original, progress).map_err(|error| named_in(location, error))?;
    let mut fits_because = "";
    if let Some(fitting) = fitting(request, format, &data) {
        (asked.name, asked.method, asked.unused, fits_because) = fitting;
    }
    let (method, measures) = (asked.method.as_ref(), &asked.measures);
    let reading = begun.elapsed().as_secs_f64();
    kinds::refuse_doubtful(&data, &about, &request.ask).map_err(|error| named_in(location, error))?;
    let (all, oddities) = (data.persons() as u64, about.oddities(&data));
    let (data, sampled, _) = draw_sample(data, request.sample, &mut Rng::seeded(0));
    let lengths = Lengths::of((0..data.persons()).map(|person| data.rows_of(person)).collect());
    let policy = request.ask.policy()?.zip(request.ask.matcher(D::CARD.name)?);
    let trial = Trial { method, measures, about: &about, request, accounts: asked.accounts, policy: policy.as_ref() };
    progress.stage("trying on a sample", 0);
    let (tried, Outcome { claims, policy, .. }) = trial.on(&data).map_err(|error| named_in(location, error))?;
    let mut notes = about.notes.clone();
    notes.extend(Some(fits_because.to_owned()).filter(|why| !why.is_empty()));
    notes.extend(about.barred.notes.iter().cloned());
    notes.extend(oddities);
    notes.extend(about.no_person());
    notes.extend(doubt);
    Ok(DryRun {
        release: request.out.display().to_string(),
        kind: D::CARD.name,
        format: D::form(&about),
        columns: kinds::column_map::<D>(&about.layout),
        persons: all + about.barred.persons,
        sampled: sampled.map(|drawn| drawn.len() as u64),
        rows: about.rows,
        rows_refused: about.refused,
        rows_barred: about.barred.rows,
        rows_per_person: lengths,
        method: PlannedMethod { name: asked.name, parameters: method.parameters() },
        claims,
        policy,
        expected: Expected {
            // It is read, and what was written is read again.
            seconds: 2.0 * reading + tried.seconds(data.persons()),
            memory_bytes: memory.map(|bytes| bytes as u64),
            judged_by_persons: tried.persons as u64,
        },
        unmapped: about.unmapped,
        notes,
        unused: asked.unused,
    })
}

/// How many persons a method is tried on.
const TRIED: usize = 1000;
/// Beyond so many persons methods that compare all with all work in blocks, and take longer in step with the persons.
const IN_BLOCKS: f64 = 5000.0;

/// A method that is tried on some persons.
struct Trial<'a, D: Kinded> {
    method: &'a dyn Method<D>,
    measures: &'a [&'static dyn Measure<D>],
    about: &'a About<D>,
    request: &'a ProtectRequest,
    accounts: SettledBy,
    policy: Option<&'a (Policy, Matcher)>,
}

/// What came of it.
struct Outcome {
    /// Seconds.
    protecting: f64,
    measuring: f64,
    claims: Vec<PlannedClaim>,
    policy: Option<Vec<Foreseen>>,
}

/// How long it took.
struct Tried {
    persons: usize,
    protecting: f64,
    /// The same for half of the persons.
    protecting_half: f64,
    measuring: f64,
}

impl Tried {
    /// How long it would take for so many persons.
    fn seconds(&self, persons: usize) -> f64 {
        let (tried, all) = (self.persons.max(1) as f64, persons as f64);
        let growth = (self.protecting / self.protecting_half.max(1e-6)).log2().clamp(1.0, 2.0);
        let in_one = all.min(IN_BLOCKS.max(tried));
        let protecting = self.protecting * (in_one / tried).powf(growth) * (all / in_one.max(1.0));
        protecting + self.measuring * (all.min(MOST_COMPARED as f64) / tried).max(1.0)
    }
}

impl<D: Kinded> Trial<'_, D> {
    fn on(&self, data: &D) -> Result<(Tried, Outcome)> {
        let persons = data.persons();
        let least = 20 * k_of(&self.method.parameters());
        let most = persons.min(TRIED.max(least));
        let mut drawn = Rng::seeded(0).sample(persons, most);
        drawn.sort_unstable();
        let whole = self.once(data, &drawn)?;
        // Half of them may be too few for the method; then nothing is known of how it grows.
        let half: Vec<u32> = drawn.iter().copied().step_by(2).collect();
        let half = if most < persons { self.once(data, &half).ok() } else { None };
        let protecting_half = half.map_or(whole.protecting / 2.0, |half| half.protecting);
        let (protecting, measuring) = (whole.protecting, whole.measuring);
        Ok((Tried { persons: most, protecting, protecting_half, measuring }, whole))
    }

    /// Protects and measures some persons.
    fn once(&self, data: &D, persons: &[u32]) -> Result<Outcome> {
        let sample = if persons.len() == data.persons() { data.clone() } else { data.of_persons(persons) };
        let begun = Instant::now();
        let (sample, _) = sample.settled(self.accounts);
        let wants = Wants { by_meaning: self.method.needs_meaning(), ..wants(self.measures, sample.persons(), true) };
        let understood = D::understand(vec![sample], self.about, &self.request.ask, wants)?;
        let (original, understood) = understood.only()?;
        let mut protected = self.method.protect(&original, &mut Rng::seeded(0), &Silent)?;
        let (_, layout) = D::release_layout(self.about, self.request.format, &protected.records)?;
        protected.records = D::laid_out(protected.records, &layout);
        let protecting = begun.elapsed().as_secs_f64();
        let begun = Instant::now();
        let links = protected.given();
        let claims = protected.claims.into_iter();
        let claims: Vec<PlannedClaim> =
            claims.map(|claim| PlannedClaim { model: claim.model, parameters: claim.parameters }).collect();
        let mut multiplicity = vec![0; protected.records.persons()];
        for &(_, record) in &links {
            multiplicity[record as usize] += 1;
        }
        let records = D::understand_records(protected.records, &original)?;
        let Linked { release, multiplicity, link } = Linked::of(records, multiplicity, &links, original.persons())?;
        let columns = D::named_fields(&layout);
        let foresee = |(policy, matcher): &(Policy, Matcher)| {
            let (request, claims, columns) = (self.request, claims.as_slice(), columns.as_slice());
            Foresight { policy, matcher, request, claims, records: &release, columns }.rules()
        };
        let policy = self.policy.map(foresee).transpose()?;
        let pair = Pair { original: &original, release: &release, multiplicity, link: Some(link) };
        let k = k_of(&self.method.parameters());
        let context = Context { k, shared_by: k, show_values: false, seed: 0, progress: &Silent };
        Judges::new(self.measures, &original, true, understood.knowledge.as_ref(), 0).run(&pair, &context)?;
        Ok(Outcome { protecting, measuring: begun.elapsed().as_secs_f64(), claims, policy })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_grows_as_it_grew() {
        let tried = Tried { persons: 1000, protecting: 4.0, protecting_half: 1.0, measuring: 1.0 };
        // Four times as long for twice the persons, up to where blocks begin; from there on in step.
        assert_eq!(tried.seconds(1000), 5.0);
        assert_eq!(tried.seconds(2000), 16.0 + 2.0);
        assert_eq!(tried.seconds(10_000), 200.0 + 10.0);
        assert_eq!(tried.seconds(1_000_000), 20_000.0 + 10.0);
        let quick = Tried { persons: 10, protecting: 0.0, protecting_half: 0.0, measuring: 0.0 };
        assert_eq!(quick.seconds(10), 0.0);
    }
}
