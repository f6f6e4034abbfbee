//! The grid of a comparison: every method with every k, on data that are read once.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;
use serde_json::Value;
use throng_core::measures::{Context, Measure, Pair};
use throng_core::progress::{Progress, Quiet, Silent};
use throng_core::release::Protected;
use throng_core::{Error, Result, Rng};

use super::super::judged::{Judges, wants};
use super::folder::Folder;
use super::{Cell, Choice, CompareRequest, HeldOut, Input, Kept, measures_for, shared_by};
use crate::io::{Location, Opened};
use crate::kinds::{Ask, Kinded, Knowledge, Purpose, Read, Wants};

/// The grid while it is worked on.
pub struct Work<'a> {
    pub(super) request: &'a CompareRequest,
    pub(super) ask: &'a Ask,
    pub(super) location: &'a Location,
    pub(super) methods: &'a [Choice],
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
        if self.request.held_out && !D::HAS_DAYS {
            let problem = format!("days can be held out of queries alone, and these are {}", D::CARD.name);
            return Err(
                Error::refused(problem).with_hint("leave out `--held-out`: only the lines of a search log have a time")
            );
        }
        let measures = measures_for::<D>(self.request)?;
        let folder = Folder::open(self.request, self.location)?;
        // A run that did nothing leaves nothing.
        let filled = self.fill(opened, &measures, &folder).inspect_err(|_| folder.remove_if_nothing_is_done());
        let (input, held_out, mut cells) = filled?;
        // In the order of the methods as typed, then of k.
        let place = |cell: &Cell| self.methods.iter().position(|choice| choice.typed == cell.method);
        cells.sort_by_key(|kept| (place(&kept.cell), kept.cell.k));
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
        // What methods see, and beside it, if days are held out, what they are judged by.
        let persons = data.persons();
        let parts = match self.request.held_out.then(|| data.of_even_and_odd_days()).flatten() {
            Some(days) => Vec::from(days),
            None => vec![data],
        };
        let held_out = self.request.held_out.then(|| HeldOut {
            build_rows: parts[0].rows() as u64,
            score_rows: parts[parts.len() - 1].rows() as u64,
            persons_left_out: (persons - parts[0].persons()) as u64,
        });
        self.refuse_too_few(&parts[0])?;
        self.progress.stage("comparing", (self.methods.len() * self.request.ks.len()) as u64);
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
            let wants = Wants { by_meaning: goes_by_meaning, ..wants(measures, parts[0].persons(), true) };
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
        let mut chosen = Rng::seeded(self.request.seed).sample(persons, most);
        chosen.sort_unstable();
        Some(chosen)
    }

    /// All cells of some methods, those that are done already from their files.
    fn cells<D: Kinded>(&self, subject: &Subject<'_, D>, methods: &[&Choice], folder: &Folder) -> Result<Vec<Kept>> {
        let mut cells = Vec::new();
        let mut open: Vec<(&Choice, Vec<usize>)> = Vec::new();
        for choice in methods {
            let done: BTreeMap<usize, Kept> =
                self.request.ks.iter().filter_map(|&k| Some((k, folder.cell(&choice.typed, k)?))).collect();
            let missing: Vec<usize> = self.request.ks.iter().copied().filter(|k| !done.contains_key(k)).collect();
            self.progress.advance(done.len() as u64);
            cells.extend(done.into_values());
            if !missing.is_empty() {
                open.push((choice, missing));
            }
        }
        if open.is_empty() {
            return Ok(cells);
        }
        let judges = Judges::new(subject.measures, subject.judge, true, subject.knowledge, self.request.seed)
            .prepared(subject.judge, &self.context(0))?;
        for (choice, ks) in open {
            let any = choice.build::<D>(ks[0])?;
            let prepared = any.prepared(subject.original, &Quiet(self.progress))?;
            let cell = |&k: &usize| -> Result<Kept> {
                // Every cell has a stream of its own, whatever ran before it.
                let mut rng = Rng::seeded_stream(self.request.seed, k as u64);
                let quiet = Quiet(self.progress);
                let protected = match &prepared {
                    Some(prepared) => prepared.protect(k, &mut rng, &quiet),
                    None => choice.build::<D>(k)?.protect(subject.original, &mut rng, &quiet),
                };
                self.progress.go_on()?;
                let protected = protected?;
                let cell = self.measured(subject, &judges, choice, k, protected)?;
                folder.keep(&cell)?;
                self.progress.advance(1);
                Ok(cell)
            };
            cells.extend(ks.par_iter().map(cell).collect::<Result<Vec<_>>>()?);
        }
        Ok(cells)
    }

    fn refuse_too_few<D: Kinded>(&self, original: &D) -> Result<()> {
        let most = self.request.ks.last().copied().unwrap_or_default();
        let persons = original.persons();
        if persons >= most {
            return Ok(());
        }
        let (problem, hint) = if self.request.held_out {
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
        Err(Error::data(problem).in_file(self.request.file.display().to_string()).with_hint(hint))
    }

    /// What the measures of a cell are told.
    fn context(&self, k: usize) -> Context<'static> {
        Context { k, shared_by: shared_by(k), show_values: false, seed: self.request.seed, progress: &Silent }
    }

    fn measured<D: Kinded>(
        &self,
        subject: &Subject<'_, D>,
        judges: &Judges<'_, D>,
        choice: &Choice,
        k: usize,
        protected: Protected<D>,
    ) -> Result<Kept> {
        let Protected { records, record_of, .. } = protected;
        let count = record_of.iter().flatten().max().map_or(0, |&last| last as usize + 1);
        let mut multiplicity = vec![0; count];
        for &record in record_of.iter().flatten() {
            multiplicity[record as usize] += 1;
        }
        let persons_dropped = record_of.iter().filter(|record| record.is_none()).count() as u64;
        let release = D::understand_records(records, subject.original)?;
        let pair = Pair { original: subject.judge, release: &release, multiplicity, link: Some(record_of) };
        let mut outcome = judges.run(&pair, &self.context(k))?;
        let by_person =
            outcome.measures.iter_mut().flat_map(|measured| std::mem::take(&mut measured.by_person)).collect();
        let cell = Cell {
            method: choice.typed.clone(),
            k,
            persons_dropped,
            measures: outcome.measures.iter().map(json).collect::<Result<_>>()?,
            skipped: outcome.skipped.iter().map(json).collect::<Result<_>>()?,
        };
        Ok(Kept { cell, by_person })
    }
}

fn json(value: &impl Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|cause| Error::internal(cause.to_string()))
}
