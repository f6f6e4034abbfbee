//! The grid of a comparison: every method with every k and every seed, on data that are read once.
//!
//! Seeds differ in what methods draw. The persons of a sample are those of the first seed, and measures draw as they do in `protect`: so
//! methods are asked the same questions, and what differs between seeds is the methods' own chance.

use std::time::Instant;

use rayon::prelude::*;
use serde::Serialize;
use serde_json::Value;
use throng_core::attacks;
use throng_core::measures::{Context, Measure, Pair};
use throng_core::progress::{Progress, Quiet, Silent};
use throng_core::release::{Claim, Protected};
use throng_core::{Error, Result, Rng};

use super::super::USUAL_K;
use super::super::attacked;
use super::super::judged::{self, Judges, wants};
use super::super::linked::Linked;
use super::folder::Folder;
use super::{
    Cell, Choice, CompareRequest, Comparison, HeldOut, Input, Kept, NO_K, Promise, measures_for, shared_by,
    wants_linkage,
};
use crate::io::{Location, Opened};
use crate::kinds::{self, Ask, HeldApart, Kinded, Knowledge, Purpose, Read, SettledBy, Wants};

/// The grid while it is worked on.
pub struct Work<'a> {
    pub(super) request: &'a CompareRequest,
    pub(super) ask: &'a Ask,
    pub(super) location: &'a Location,
    pub(super) methods: &'a [Choice],
    /// The finished comparison that is extended.
    pub(super) finished: Option<&'a Comparison>,
    pub(super) progress: &'a dyn Progress,
}

/// The grid when it is full.
pub struct Filled {
    pub(super) input: Input,
    pub(super) held_out: Option<HeldOut>,
    pub(super) cells: Vec<Kept>,
    pub(super) folder: Folder,
}

/// What some methods are compared on.
struct Subject<'a, D: Kinded> {
    /// What methods are given.
    original: &'a D,
    /// What releases are measured against, the same persons in the same order: the original, or their held-out days.
    judge: &'a D,
    measures: &'a [&'static dyn Measure<D>],
    knowledge: Option<&'a Knowledge>,
}

impl Work<'_> {
    /// Reads data of a kind and fills the grid.
    pub(crate) fn on<D: Kinded>(&self, opened: Opened) -> Result<Filled> {
        for choice in self.methods {
            D::SHELF.method(Some(choice.item.info().name))?;
        }
        if self.request.held_out && D::HELD_OUT.is_none() {
            let problem = format!("nothing can be held out of {}", D::CARD.name);
            return Err(Error::refused(problem)
                .with_hint("leave out `--held-out`: it is for search logs, access logs and paths, which have days, and for ratings"));
        }
        let measures = measures_for::<D>(self.request)?;
        let folder = Folder::open(self.request, self.location)?;
        // A run that did nothing leaves nothing.
        let filled = self.fill(opened, &measures, &folder).inspect_err(|_| folder.remove_if_nothing_is_done());
        let (input, held_out, mut cells) = filled?;
        // In the order of the methods as typed, then of k, then of seeds.
        let place = |cell: &Cell| self.methods.iter().position(|choice| choice.typed == cell.method);
        let seeds = self.request.seeds();
        let turn = |cell: &Cell| seeds.iter().position(|&seed| seed == cell.seed);
        cells.sort_by_key(|kept| (place(&kept.cell), kept.cell.k, turn(&kept.cell)));
        Ok(Filled { input, held_out, cells, folder })
    }

    fn fill<D: Kinded>(
        &self,
        opened: Opened,
        measures: &[&'static dyn Measure<D>],
        folder: &Folder,
    ) -> Result<(Input, Option<HeldOut>, Vec<Kept>)> {
        let Read { data, about } = D::read(opened, self.ask, Purpose::Original, self.progress)?;
        let all = data.persons();
        let sample = self.sampled(all);
        let data = match &sample {
            Some(persons) => data.of_persons(persons),
            None => data,
        };
        // Who is alike is found once for all methods.
        let settled_by = if kinds::knows_persons::<D>(self.ask) { SettledBy::Columns } else { SettledBy::Noting };
        let (data, _) = data.settled(settled_by);
        // What methods see, and beside it, if days are held out, what they are judged by.
        let persons = data.persons();
        let parts = match self.request.held_out.then(|| data.held_apart()).flatten() {
            Some(days) => Vec::from(days),
            None => vec![data],
        };
        let held_out = self.request.held_out.then(|| HeldOut {
            build_rows: parts[0].rows() as u64,
            score_rows: parts[parts.len() - 1].rows_to_judge() as u64,
            what: D::HELD_OUT.unwrap_or_default(),
            persons_left_out: (persons - parts[0].persons()) as u64,
        });
        self.refuse_too_few(&parts[0])?;
        let places = self.methods.iter().map(|choice| self.places(choice).len()).sum::<usize>();
        self.progress.stage("comparing", places as u64);
        // Where methods that go by meaning see other data, they are worked on apart.
        let mut by_meaning: Vec<(bool, Vec<&Choice>)> = vec![(false, Vec::new()), (true, Vec::new())];
        for choice in self.methods {
            let goes_by_meaning = choice.build::<D>(2)?.needs_meaning();
            by_meaning[usize::from(goes_by_meaning)].1.push(choice);
        }
        if !D::MEANING_CHANGES_DATA && !by_meaning[1].1.is_empty() {
            by_meaning = vec![(true, self.methods.iter().collect())];
        }
        by_meaning.retain(|(_, methods)| !methods.is_empty());
        let (mut cells, mut rows) = (Vec::new(), 0);
        for (goes_by_meaning, methods) in by_meaning {
            let mut wants = Wants { by_meaning: goes_by_meaning, ..wants(measures, parts[0].persons(), true) };
            if wants_linkage(self.request) {
                (wants.to_measure, wants.of_all) = (true, true);
            }
            let ready = D::understand(parts.clone(), &about, self.ask, wants)?;
            ready.refuse_nothing_known().map_err(|error| error.in_file(self.location.to_string()))?;
            let (original, judge) = (&ready.parts[0], &ready.parts[ready.parts.len() - 1]);
            let subject = Subject { original, judge, measures, knowledge: ready.knowledge.as_ref() };
            cells.extend(self.cells(&subject, &methods, folder)?);
            // What all methods see is what was compared on; of several, the first, as items.
            if rows == 0 {
                rows = ready.parts.iter().map(D::rows).sum();
            }
        }
        let input = Input {
            kind: D::CARD.name.to_owned(),
            persons: parts[0].persons() as u64,
            rows: rows as u64,
            sampled_from: sample.map(|_| all as u64),
        };
        Ok((input, held_out, cells))
    }

    /// The persons of the sample in rising order; `None` if all are taken.
    fn sampled(&self, persons: usize) -> Option<Vec<u32>> {
        let most = self.request.sample.filter(|&most| most < persons)?;
        let mut chosen = Rng::seeded(self.request.first_seed()).sample(persons, most);
        chosen.sort_unstable();
        Some(chosen)
    }

    /// Every k with every seed; of a method that promises nothing, and has no k, every seed.
    fn places(&self, choice: &Choice) -> Vec<(usize, u64)> {
        let seeds = self.request.seeds();
        let ks = if choice.has_no_k { &[NO_K][..] } else { &self.request.ks };
        ks.iter().flat_map(|&k| seeds.iter().map(move |&seed| (k, seed))).collect()
    }

    /// A cell of the finished comparison, unless it is needed again: what single persons keep is not in it, and a new method is
    /// compared with it person by person.
    fn finished_cell(&self, method: &str, (k, seed): (usize, u64), by_person: bool) -> Option<Kept> {
        let finished = self.finished?;
        let at = |method: &str| {
            let is_own = |cell: &&Cell| (cell.method.as_str(), cell.k, cell.seed) == (method, k, seed);
            finished.cells.iter().find(is_own)
        };
        let own = at(method)?;
        let has_pairs = by_person && seed == self.request.first_seed();
        let has_place = |choice: &&Choice| self.places(choice).contains(&(k, seed));
        let is_needed_again =
            has_pairs && self.methods.iter().filter(has_place).any(|choice| at(&choice.typed).is_none());
        (!is_needed_again).then(|| Kept { cell: own.clone(), by_person: Default::default() })
    }

    /// All cells of some methods, those that are done already from their files.
    fn cells<D: Kinded>(&self, subject: &Subject<'_, D>, methods: &[&Choice], folder: &Folder) -> Result<Vec<Kept>> {
        let by_person = subject.measures.iter().any(|measure| measure.info().by_person);
        let mut cells = Vec::new();
        let mut open: Vec<(&Choice, Vec<(usize, u64)>)> = Vec::new();
        for choice in methods {
            let mut missing = Vec::new();
            let places = self.places(choice);
            let all = places.len();
            for place in places {
                let finished = || self.finished_cell(&choice.typed, place, by_person);
                match folder.cell(&choice.typed, place).or_else(finished) {
                    Some(kept) => cells.push(kept),
                    None => missing.push(place),
                }
            }
            self.progress.advance((all - missing.len()) as u64);
            if !missing.is_empty() {
                open.push((choice, missing));
            }
        }
        if open.is_empty() {
            return Ok(cells);
        }
        let judges = Judges::new(subject.measures, subject.judge, true, subject.knowledge, judged::SEED)
            .prepared(subject.judge, &self.context(0))?;
        for (choice, places) in open {
            let any = choice.build::<D>(places[0].0)?;
            let begun = Instant::now();
            let prepared = any.prepared(subject.original, &Quiet(self.progress))?;
            let preparing = begun.elapsed();
            let cell = |&(k, seed): &(usize, u64)| -> Result<Kept> {
                // Every cell has a stream of its own, whatever ran before it.
                let mut rng = Rng::seeded_stream(seed, k as u64);
                let quiet = Quiet(self.progress);
                let begun = Instant::now();
                let protected = match &prepared {
                    Some(prepared) => prepared.protect(k, &mut rng, &quiet),
                    None => choice.build::<D>(k)?.protect(subject.original, &mut rng, &quiet),
                };
                let seconds = (preparing + begun.elapsed()).as_secs_f64();
                self.progress.go_on()?;
                let mut kept = self.measured(subject, &judges, k, protected?)?;
                kept.cell.method.clone_from(&choice.typed);
                kept.cell.seed = seed;
                kept.cell.seconds = self.request.seed.is_none().then(|| (seconds * 1000.0).round() / 1000.0);
                folder.keep(&kept)?;
                self.progress.advance(1);
                Ok(kept)
            };
            cells.extend(places.par_iter().map(cell).collect::<Result<Vec<_>>>()?);
        }
        Ok(cells)
    }

    fn refuse_too_few<D: Kinded>(&self, original: &D) -> Result<()> {
        let most = self.request.ks.last().copied().unwrap_or_default();
        let persons = original.persons();
        if persons >= most {
            return Ok(());
        }
        let (problem, hint) = if self.request.held_out && D::HELD_OUT == Some(HeldApart::Days) {
            (
                format!("too few persons have lines on both even and odd days: {persons}, with k = {most}"),
                "without `--held-out` persons count whatever their days".to_owned(),
            )
        } else {
            let unit = D::CARD.person[1];
            (
                format!("there are {persons} {unit}, fewer than k = {most}"),
                format!("compare values of k up to {persons}, or data of more {unit}"),
            )
        };
        Err(Error::data(problem).in_file(self.location.to_string()).with_hint(hint))
    }

    /// What the measures of a cell are told.
    fn context(&self, k: usize) -> Context<'static> {
        let k = if k == NO_K { USUAL_K } else { k };
        Context { k, shared_by: shared_by(k), show_values: false, seed: judged::SEED, progress: &Silent }
    }

    /// What a method made of the data with a k, measured.
    fn measured<D: Kinded>(
        &self,
        subject: &Subject<'_, D>,
        judges: &Judges<'_, D>,
        k: usize,
        protected: Protected<D>,
    ) -> Result<Kept> {
        let links = protected.given();
        let Protected { records, record_of, claims, .. } = protected;
        let mut multiplicity = vec![0; records.persons()];
        for &(_, record) in &links {
            multiplicity[record as usize] += 1;
        }
        let persons_dropped = record_of.iter().filter(|record| record.is_none()).count() as u64;
        let release = D::understand_records(records, subject.original)?;
        let promise =
            |claim: &Claim| attacks::Promise { model: claim.model.to_owned(), parameters: claim.parameters.clone() };
        let promises = || claims.iter().map(promise).collect();
        let (mut attacks, mut attacks_skipped) = (Vec::new(), Vec::new());
        // Of held-out days nobody knows what the release was made from; whoever names measures wants those.
        let is_wanted = !self.request.held_out && !self.request.no_attacks && self.request.measures.is_empty();
        if is_wanted {
            let released = attacked::Released {
                original: subject.original,
                release: &release,
                multiplicity: &multiplicity,
                links: &links,
            };
            let played = attacked::against(&released, promises(), &Silent)?;
            attacks = played.0.iter().map(labelled).collect::<Result<_>>()?;
            attacks_skipped = played.1;
        }
        let mut linkage = Vec::new();
        if wants_linkage(self.request) {
            // As it was published: whoever was given several pseudonyms is several, and the attacker does not know it.
            let released = attacked::Released {
                original: subject.judge,
                release: &release,
                multiplicity: &multiplicity,
                links: &links,
            };
            let seed = self.request.first_seed();
            let asked = attacks::Asked { seed, ..attacks::Asked::for_reports(promises()) };
            let (found, skipped) = attacked::by_other_lines(&released, &asked)?;
            attacks_skipped.extend(skipped);
            // A column like that of a measure: the rate.
            for found in &found {
                let (name, value, parts) = (found.name, found.rate, json(found)?);
                linkage.push(
                    serde_json::json!({"name": name, "value": value, "unit": "", "better": "lower", "parts": parts}),
                );
            }
        }
        let Linked { release, multiplicity, link } =
            Linked::of(release, multiplicity, &links, subject.judge.persons())?;
        let pair = Pair { original: subject.judge, release: &release, multiplicity, link: Some(link) };
        let mut outcome = judges.run(&pair, &self.context(k))?;
        let by_person =
            outcome.measures.iter_mut().flat_map(|measured| std::mem::take(&mut measured.by_person)).collect();
        outcome.skipped.extend(attacks_skipped);
        let mut measures: Vec<Value> = outcome.measures.iter().map(json).collect::<Result<_>>()?;
        measures.append(&mut linkage);
        let cell = Cell {
            method: String::new(),
            k,
            seed: 0,
            claims: claims.iter().map(Promise::from).collect(),
            persons_dropped,
            seconds: None,
            measures,
            attacks,
            skipped: outcome.skipped.iter().map(json).collect::<Result<_>>()?,
        };
        Ok(Kept { cell, by_person })
    }
}

/// An attack under the name of its column: `known-queries-2-times` knows two searches and their times.
fn labelled(outcome: &attacks::Outcome) -> Result<Value> {
    let mut value = json(outcome)?;
    let knowledge = &outcome.knowledge;
    let with = knowledge["with"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    let number = knowledge["p"].as_u64().or(knowledge["points"].as_u64()).map(|p| p.to_string());
    let words: Vec<String> = std::iter::once(outcome.name.to_owned()).chain(number).chain(with).collect();
    value["label"] = words.join("-").into();
    Ok(value)
}

fn json(value: &impl Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|cause| Error::internal(cause.to_string()))
}
