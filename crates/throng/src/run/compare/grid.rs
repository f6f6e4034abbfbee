//! The grid of a comparison: every method with every k, on data that are read once.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use serde::Serialize;
use serde_json::Value;
use throng_core::data::{Baskets, Dataset, Documents, QueryLog, Strings};
use throng_core::measures::{Context, Measure, Pair};
use throng_core::methods::Method;
use throng_core::progress::{Progress, Silent};
use throng_core::release::Protected;
use throng_core::taxonomy::fit::fit;
use throng_core::{Error, Kind, Result, Rng};

use super::super::load::{load_baskets, load_documents, with_meaning_of_nodes, with_sensitive};
use super::super::measure::{on_baskets, on_documents, on_queries, run};
use super::super::protect::needs_meaning;
use super::folder::Folder;
use super::{Cell, Choice, CompareRequest, HeldOut, Input, Kept, shared_by};
use crate::catalog::{AnyMeasure, AnyMethod};
use crate::io::{self, Opened};

/// The grid while it is worked on.
pub(super) struct Work<'a> {
    pub(super) request: &'a CompareRequest,
    pub(super) methods: &'a [Choice],
    pub(super) folder: &'a Folder,
    pub(super) progress: &'a dyn Progress,
}

/// The grid when it is full.
pub(super) struct Filled {
    pub(super) input: Input,
    pub(super) held_out: Option<HeldOut>,
    pub(super) cells: Vec<Kept>,
}

/// One kind of data in the grid.
struct Subject<'a, D: Dataset> {
    kind: Kind,
    /// What methods are given.
    original: &'a D,
    /// What releases are measured against, the same persons in the same order: the original, or their held-out days.
    judge: &'a D,
    persons: usize,
    measures: &'a [&'static dyn Measure<D>],
    /// Takes a method out of the catalogue's.
    pick: fn(AnyMethod) -> Option<Box<dyn Method<D>>>,
    /// Makes records ready for the measures.
    finish: &'a (dyn Fn(D) -> Result<D> + Sync),
}

impl Work<'_> {
    /// Reads the data and fills the grid.
    pub(super) fn on(&self, kind: Kind, opened: Opened, measures: &[AnyMeasure]) -> Result<Filled> {
        let cells = self.methods.len() * self.request.ks.len();
        let begin = || self.progress.stage("comparing", cells as u64);
        let mut found = match kind {
            Kind::Queries => self.on_queries(opened, measures, &begin)?,
            Kind::Baskets => self.on_baskets(opened, measures, &begin)?,
            Kind::Documents => self.on_documents(opened, measures, &begin)?,
            _ => return Err(Error::internal("a kind of data that cannot be compared")),
        };
        // In the order of the methods as typed, then of k.
        let place = |cell: &Cell| self.methods.iter().position(|choice| choice.typed == cell.method);
        found.cells.sort_by_key(|kept| (place(&kept.cell), kept.cell.k));
        Ok(found)
    }

    fn on_queries(&self, opened: Opened, measures: &[AnyMeasure], begin: &dyn Fn()) -> Result<Filled> {
        let log = io::read_opened_log(opened, &self.request.options, self.progress)?.log;
        let all = log.persons();
        let sample = self.sampled(all);
        let log = match &sample {
            Some(persons) => log.of_persons(persons),
            None => log,
        };
        // What methods see, and beside it, if days are held out, what they are judged by.
        let persons = log.persons();
        let mut logs = if self.request.held_out { log.of_even_and_odd_days().into() } else { vec![log] };
        let by_meaning = self.methods.iter().any(
            |choice| matches!(choice.build(Kind::Queries, 2), Ok(AnyMethod::Queries(method)) if method.needs_meaning()),
        );
        if by_meaning || needs_meaning(measures) {
            let tables: Vec<&Strings> = logs.iter().map(QueryLog::queries).collect();
            let meanings = self.request.baskets.knowledge()?.of(&tables)?;
            logs = logs.into_iter().zip(meanings).map(|(log, meaning)| log.with_meaning(meaning)).collect();
        }
        let (original, judge) = (&logs[0], &logs[logs.len() - 1]);
        let held_out = self.request.held_out.then(|| HeldOut {
            build_rows: original.rows() as u64,
            score_rows: judge.rows() as u64,
            persons_left_out: (persons - original.persons()) as u64,
        });
        let finish = |records: QueryLog| records.with_meaning_like(original);
        begin();
        let subject = Subject {
            kind: Kind::Queries,
            original,
            judge,
            persons: original.persons(),
            measures: &on_queries(measures),
            pick: |method| match method {
                AnyMethod::Queries(method) => Some(method),
                _ => None,
            },
            finish: &finish,
        };
        let cells = self.cells(&subject, &self.methods.iter().collect::<Vec<_>>())?;
        let rows = logs.iter().map(QueryLog::rows).sum();
        let input = self.input(Kind::Queries, original.persons(), rows, sample.map(|_| all));
        Ok(Filled { input, held_out, cells })
    }

    fn on_baskets(&self, opened: Opened, measures: &[AnyMeasure], begin: &dyn Fn()) -> Result<Filled> {
        let options = &self.request.baskets;
        let raw = load_baskets(opened, &self.request.options, self.progress)?.baskets;
        if raw.grouping().is_some() {
            return Err(Error::refused("sensitive items are published by group: this is a release, not an original"));
        }
        let all = raw.persons();
        let sample = self.sampled(all);
        let raw = match &sample {
            Some(persons) => raw.of_persons(persons),
            None => raw,
        };
        let (mut cells, mut rows) = (Vec::new(), raw.rows());
        // Methods that go by meaning see the items as they are written, the others as nodes of the taxonomy.
        let (by_meaning, by_items): (Vec<&Choice>, Vec<&Choice>) = self.methods.iter().partition(
            |choice| matches!(choice.build(Kind::Baskets, 2), Ok(AnyMethod::Baskets(method)) if method.needs_meaning()),
        );
        begin();
        let measures = on_baskets(measures);
        let pick = |method| match method {
            AnyMethod::Baskets(method) => Some(method),
            _ => None,
        };
        let mut on = |original: &Baskets, methods: &[&Choice]| -> Result<()> {
            let subject = Subject {
                kind: Kind::Baskets,
                original,
                judge: original,
                persons: original.persons(),
                measures: &measures,
                pick,
                finish: &|records| Ok(records),
            };
            cells.extend(self.cells(&subject, methods)?);
            Ok(())
        };
        if !by_items.is_empty() {
            let fitted = match options.taxonomy()? {
                Some(loaded) => fit(&[&raw], &loaded.taxonomy, options.rule())?.remove(0).baskets,
                None => raw.clone(),
            };
            let fitted = match options.sensitive()? {
                Some(labels) => with_sensitive(fitted, &labels).0,
                None => fitted,
            };
            rows = fitted.rows();
            on(&with_meaning_of_nodes(fitted), &by_items)?;
        }
        if !by_meaning.is_empty() {
            let meaning = options.knowledge()?.of(&[raw.labels()])?.remove(0);
            on(&raw.clone().with_meaning(meaning), &by_meaning)?;
        }
        let input = self.input(Kind::Baskets, raw.persons(), rows, sample.map(|_| all));
        Ok(Filled { input, held_out: None, cells })
    }

    fn on_documents(&self, opened: Opened, measures: &[AnyMeasure], begin: &dyn Fn()) -> Result<Filled> {
        let loaded = load_documents(opened, &self.request.options, &self.request.baskets, true, self.progress)?;
        let documents = loaded.read.documents;
        let all = documents.persons();
        let sample = self.sampled(all);
        let documents = match &sample {
            Some(chosen) => documents.of_persons(chosen),
            None => documents,
        };
        begin();
        let finish = |records: Documents| match documents.taxonomy() {
            Some(taxonomy) => Ok(records.with_taxonomy(Arc::clone(taxonomy))),
            None => Ok(records),
        };
        let subject = Subject {
            kind: Kind::Documents,
            original: &documents,
            judge: &documents,
            persons: documents.persons(),
            measures: &on_documents(measures),
            pick: |method| match method {
                AnyMethod::Documents(method) => Some(method),
                _ => None,
            },
            finish: &finish,
        };
        let cells = self.cells(&subject, &self.methods.iter().collect::<Vec<_>>())?;
        let input = self.input(Kind::Documents, documents.persons(), documents.rows(), sample.map(|_| all));
        Ok(Filled { input, held_out: None, cells })
    }

    /// The persons of the sample in rising order; `None` if all are taken.
    fn sampled(&self, persons: usize) -> Option<Vec<u32>> {
        let most = self.request.sample.filter(|&most| most < persons)?;
        let mut chosen = Rng::seeded(self.request.seed).sample(persons, most);
        chosen.sort_unstable();
        Some(chosen)
    }

    fn input(&self, kind: Kind, persons: usize, rows: usize, sampled_from: Option<usize>) -> Input {
        Input {
            kind: kind.name().to_owned(),
            persons: persons as u64,
            rows: rows as u64,
            sampled_from: sampled_from.map(|all| all as u64),
        }
    }

    /// All cells of some methods, those that are done already from their files.
    fn cells<D: Dataset>(&self, subject: &Subject<'_, D>, methods: &[&Choice]) -> Result<Vec<Kept>> {
        self.refuse_too_few(subject)?;
        let mut cells = Vec::new();
        let mut open: Vec<(&Choice, Vec<usize>)> = Vec::new();
        for choice in methods {
            let done: BTreeMap<usize, Kept> =
                self.request.ks.iter().filter_map(|&k| Some((k, self.folder.cell(&choice.typed, k)?))).collect();
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
        let prepare = |measure: &&'static dyn Measure<D>| measure.prepared(subject.judge, &self.context(0));
        let prepared = subject.measures.iter().map(prepare).collect::<Result<Vec<_>>>()?;
        let measures: Vec<&dyn Measure<D>> = subject
            .measures
            .iter()
            .zip(&prepared)
            .map(|(&plain, prepared)| prepared.as_deref().unwrap_or(plain))
            .collect();
        for (choice, ks) in open {
            let build = |k: usize| {
                let method = choice.build(subject.kind, k)?;
                (subject.pick)(method).ok_or_else(|| Error::internal("a method of another kind of data"))
            };
            let any = build(ks[0])?;
            let prepared = any.prepared(subject.original, &Silent)?;
            let cell = |&k: &usize| -> Result<Kept> {
                // Every cell has a stream of its own, whatever ran before it.
                let mut rng = Rng::seeded_stream(self.request.seed, k as u64);
                let protected = match &prepared {
                    Some(prepared) => prepared.protect(k, &mut rng, &Silent)?,
                    None => build(k)?.protect(subject.original, &mut rng, &Silent)?,
                };
                let cell = self.measured(subject, &measures, choice, k, protected)?;
                self.folder.keep(&cell)?;
                self.progress.advance(1);
                Ok(cell)
            };
            cells.extend(ks.par_iter().map(cell).collect::<Result<Vec<_>>>()?);
        }
        Ok(cells)
    }

    fn refuse_too_few<D: Dataset>(&self, subject: &Subject<'_, D>) -> Result<()> {
        let most = self.request.ks.last().copied().unwrap_or_default();
        if subject.persons >= most {
            return Ok(());
        }
        let persons = subject.persons;
        let (problem, hint) = if self.request.held_out {
            (
                format!("too few persons have lines on both even and odd days: {persons}, with k = {most}"),
                "without `--held-out` persons count whatever their days".to_owned(),
            )
        } else {
            let unit = if subject.kind == Kind::Documents { "documents" } else { "persons" };
            (
                format!("there are {persons} {unit}, fewer than k = {most}"),
                format!("compare values of k up to {persons}, or data of more {unit}"),
            )
        };
        Err(Error::data(problem).in_file(self.request.file.display().to_string()).with_hint(hint))
    }

    /// What the measures of a cell are told.
    fn context(&self, k: usize) -> Context<'static> {
        Context { k: shared_by(k), show_values: false, seed: self.request.seed, progress: &Silent }
    }

    fn measured<D: Dataset>(
        &self,
        subject: &Subject<'_, D>,
        measures: &[&dyn Measure<D>],
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
        let release = (subject.finish)(records)?;
        let pair = Pair { original: subject.judge, release: &release, multiplicity, link: Some(record_of) };
        let mut outcome = run(measures, &pair, &self.context(k))?;
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
