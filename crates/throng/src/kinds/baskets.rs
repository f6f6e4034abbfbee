//! The room of baskets: persons with a bag of items each, over a taxonomy where there is one.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use serde_json::{Value, json};
use throng_core::accounts::{Accounts, ITEMS_UNKNOWN, OCCURRENCES_SUPPRESSED, OCCURRENCES_UNKNOWN, ROWS_DROPPED};
use throng_core::concepts::{Coverage, Mapper, Meaning, Texts as _};
use throng_core::data::{Baskets, Dataset};
use throng_core::models::Witness;
use throng_core::progress::Progress;
use throng_core::release::{Published, Release, look_drawn};
use throng_core::synth::baskets::{self, BasketsSynth, Style};
use throng_core::taxonomy::ROOT;
use throng_core::taxonomy::fit::{Fitted, Unknown, find_items, fit, words_of};
use throng_core::{Error, Result};

use super::ask::{Ask, LoadedTaxonomy, TaxonomyRecord, taxonomy_note};
use super::{
    About, Barred, Evidenced, KindCard, Kinded, Made, Naming, Purpose, Read, Ready, Recognition, Shown, Wants, Written,
    lookalikes_of, unknown_phrases,
};
use crate::catalog::{self, Shelf};
use crate::drop_list::Bars;
use crate::io::{self, BasketLayout, Form, Format, FormatKind, LookAt, Opened, Person, Place, Scanned};
use crate::run::{Certified, SynthRequest};
use crate::words::{Lengths, counted, thousands};

impl Kinded for Baskets {
    const CARD: KindCard = KindCard {
        name: "baskets",
        summary: "sets of items: what each person bought, has or looked for",
        person: ["person", "persons"],
        row: ["item", "items"],
        fact: <Self as Dataset>::FACTS[0].names,
        heading: "Baskets of {}",
        facts: <Self as Dataset>::FACTS,
        unknown: ["item", "items"],
        made_of: &["queries"],
        made_up: ["fimi", ".dat, .csv, .jsonl (also .gz, .zst) or .parquet"],
        roles: "person=…, item=…",
        has_several_rows: false,
        has_sensitive: true,
        judged_by_taxonomy: true,
        ..KindCard::PLAIN
    };
    const SHELF: Shelf<Self> = catalog::BASKETS;
    const RECOGNITION: Recognition = Recognition {
        looks_like: "one basket a line, columns for a person and an item, or lists of items",
        roles: &io::baskets::ROLES,
        takes_folders: false,
        takes_any_cells: true,
        likeness: io::baskets::likeness,
    };
    const MEANING_CHANGES_DATA: bool = true;

    type Layout = BasketLayout;
    type Evidence = Self;

    fn fact(&self, fact: u32) -> String {
        self.label(fact).to_owned()
    }

    fn more_general(&self, fact: u32) -> Vec<String> {
        let above = self.taxonomy().into_iter().flat_map(|taxonomy| taxonomy.ancestors(fact).skip(1));
        above.map(|node| self.fact(node)).collect()
    }

    fn may_be_shown(&self, fact: u32) -> bool {
        !self.is_sensitive(fact)
    }

    fn read(opened: Opened, ask: &Ask, purpose: Purpose, progress: &dyn Progress) -> Result<Read<Self>> {
        let without = |baskets: &Self, who: &dyn Bars| Ok(baskets.without(|text| who.bars(text)));
        if opened.kind.is_some_and(|kind| kind != Self::CARD.name) {
            // The only other kind that may be taken as baskets is a search log.
            let read = io::read_opened_log(opened, &ask.reading(), progress)?;
            // Whole queries are barred before they become words.
            let (log, whole) = Barred::remove(read.log, ask, purpose, super::queries::without)?;
            let (data, words) = Barred::remove(words_of(&log), ask, purpose, without)?;
            let about = About {
                file_kind: "queries",
                format: read.scanned.format,
                layout: layout_of_words(&read.scanned),
                rows: read.scanned.rows,
                refused: read.scanned.refused,
                unmapped: read.scanned.layout.unmapped.clone(),
                uncompared: read.scanned.uncompared.clone(),
                first_lines: Vec::new(),
                files: read.scanned.files.clone(),
                barred: words.and(whole),
                notes: Vec::new(),
            };
            return Ok(Read { data, about });
        }
        let read = io::read_opened_baskets(opened, &ask.reading(), progress)?;
        let rows = read.baskets.rows() as u64;
        let (data, barred) = Barred::remove(read.baskets, ask, purpose, without)?;
        let about = About {
            file_kind: Self::CARD.name,
            format: read.format,
            rows,
            refused: read.refused,
            unmapped: read.layout.unmapped.clone(),
            uncompared: read.uncompared,
            first_lines: read.first_lines,
            files: read.files,
            layout: read.layout,
            barred,
            notes: Vec::new(),
        };
        Ok(Read { data, about })
    }

    fn understand(parts: Vec<Self>, about: &About<Self>, ask: &Ask, wants: Wants) -> Result<Ready<Self>> {
        if parts.iter().any(|baskets| baskets.grouping().is_some()) {
            return Err(Error::refused("sensitive items are published by group: this is a release, not an original"));
        }
        let sensitive = ask.sensitive_items()?;
        let mut ready = Ready::plain(parts);
        if wants.by_meaning {
            let knowledge = ask.knowledge()?;
            let tables: Vec<_> = ready.parts.iter().map(Baskets::labels).collect();
            let meanings = knowledge.of(&tables)?;
            let with = |(baskets, meaning): (Baskets, Arc<Meaning>)| baskets.with_meaning(meaning);
            ready.parts = ready.parts.into_iter().zip(meanings).map(with).collect();
            ready.accounts = ready.parts.first().map(unknown_phrases).unwrap_or_default();
            ready.taxonomy = Some(knowledge.record());
            ready.knowledge = Some(knowledge);
        } else if let Some(loaded) = taxonomy_for(ask, about.file_kind)? {
            let rule = rule_for(ask, about.file_kind);
            let fitted = fit(&ready.parts.iter().collect::<Vec<_>>(), &loaded.taxonomy, rule)?;
            let rows = |part: &Baskets| part.rows();
            if ready.parts.iter().map(rows).sum::<usize>() > 0 && fitted.iter().all(|part| part.baskets.rows() == 0) {
                return Err(Error::data("the taxonomy has none of the items").with_hint(
                    "is it for other data, or another language? `--taxonomy FILE` gives another; `--unknown own-leaf` makes every \
                     item a leaf of it",
                ));
            }
            let count = |count: fn(&Fitted) -> u64| fitted.iter().map(count).sum();
            ready.accounts = Accounts::new()
                .with(ITEMS_UNKNOWN, count(|part| part.items_unknown))
                .with(OCCURRENCES_UNKNOWN, count(|part| part.occurrences_unknown));
            ready.parts = fitted.into_iter().map(|fitted| fitted.baskets).collect();
            ready.taxonomy = Some(loaded.record(rule));
        }
        if let Some(labels) = &sensitive {
            ready.parts =
                ready.parts.into_iter().map(|part| all_sensitive(part, labels, ask)).collect::<Result<_>>()?;
            ready.sensitive_items = ready.parts.first().map(|part| part.sensitive().len() as u64);
        }
        if !wants.by_meaning && wants.to_measure {
            ready.parts = ready.parts.into_iter().map(with_meaning_of_nodes).collect();
        }
        Ok(ready)
    }

    fn understand_pair(
        original: Read<Self>,
        release: Read<Self>,
        ask: &Ask,
        certified: Option<&TaxonomyRecord>,
        wants: Wants,
    ) -> Result<Ready<Self>> {
        let file_kind = original.about.file_kind;
        let ask = ask.as_certified(certified);
        let loaded = taxonomy_for(&ask, file_kind)?;
        let by_phrase = certified.is_some_and(|record| record.by_phrase);
        let rule = match (ask.unknown, certified) {
            (None, Some(record)) => record.unknown,
            _ => rule_for(&ask, file_kind),
        };
        let (original, release) = (original.data, release.data);
        let (original, release) = match &loaded {
            Some(_) if by_phrase => {
                let (original, release) = original.aligned(&release);
                let meaning = ask.knowledge()?.of(&[original.labels()])?.remove(0);
                (original.with_meaning(meaning.clone()), release.with_meaning(meaning))
            }
            None => original.aligned(&release),
            Some(loaded) => {
                let (original, release) = fit_pair(&original, &release, loaded, rule)?;
                if wants.to_measure {
                    (with_meaning_of_nodes(original), with_meaning_of_nodes(release))
                } else {
                    (original, release)
                }
            }
        };
        let notes = taxonomy_note(loaded.as_ref(), certified).into_iter().collect();
        Ok(Ready { notes, ..Ready::plain(vec![original, release]) })
    }

    fn naming_sensitive(self, labels: &[String]) -> Self {
        with_sensitive(self, labels).0
    }

    /// The lowest node above that says nothing of it; an item under a root that does is left out.
    fn generalised(self, is_said: &(dyn Fn(&str) -> bool + Sync)) -> (Self, u64) {
        let Some(taxonomy) = self.taxonomy() else { return (self, 0) };
        let nodes = taxonomy.len() as u32;
        let says: Vec<bool> = (0..nodes).into_par_iter().map(|node| is_said(taxonomy.label(node))).collect();
        let above = |node: u32| taxonomy.ancestors(node).find(|&above| !says[above as usize]);
        let node_of: Vec<Option<u32>> = (0..nodes).map(above).collect();
        let items = (0..self.persons()).flat_map(|person| self.basket(person));
        let changed = items.filter(|&&item| node_of[item as usize] != Some(item)).count() as u64;
        if changed == 0 {
            return (self, 0);
        }
        let general = self.over_nodes(taxonomy, &node_of);
        // Nodes mean what they meant.
        let general = match self.meaning() {
            Some(meaning) => general.with_meaning(Arc::clone(meaning)),
            None => general,
        };
        (general, changed)
    }

    /// Labels out of which something was taken mean what is left of them.
    fn understand_records(records: Self, original: &Self) -> Result<Self> {
        match original.meaning() {
            Some(meaning) if records.meaning().is_none() && original.taxonomy().is_none() => {
                let own = meaning.of_strings(records.labels())?;
                Ok(records.with_meaning(Arc::new(own)))
            }
            _ => Ok(records),
        }
    }

    /// The input's form in the format of the release. Sensitive items by group are JSON lines whatever the input was.
    fn release_layout(about: &About<Self>, asked: Option<Format>, records: &Self) -> Result<(Format, BasketLayout)> {
        let mut format = asked.unwrap_or(about.format);
        if records.grouping().is_some() && format.kind != FormatKind::JsonLines {
            if asked.is_some() {
                return Err(Error::refused(format!("sensitive items by group cannot be written as {format}"))
                    .with_hint("protect into a folder, without `--format` or with jsonl"));
            }
            format.kind = FormatKind::JsonLines;
        }
        Ok((format, about.layout.fitted(format.kind)?))
    }

    fn laid_out(records: Self, layout: &BasketLayout) -> Self {
        records.with_ids(layout.person.is_some())
    }

    /// A column of a Parquet file has one type: kept ids are numbers there only if all of them are.
    fn with_ids(mut layout: BasketLayout, format: Format, are_numbers: bool) -> BasketLayout {
        layout.typed_person &= !format.kind.has_typed_columns() || are_numbers;
        layout
    }

    fn with_raw_cells(mut layout: BasketLayout, raw: bool) -> BasketLayout {
        layout.raw_cells = raw;
        layout
    }

    fn write<W: Write + Send>(
        out: &mut W,
        format: Format,
        layout: &BasketLayout,
        records: &Self,
        persons: &[Person<'_>],
        progress: &dyn Progress,
    ) -> Result<u64> {
        io::write_baskets(out, format, layout, records, persons, progress)
    }

    fn read_back(written: &Written<'_, Self>, progress: &dyn Progress) -> Result<Self> {
        let read = io::read_opened_baskets(written.open()?, &written.reading(), progress)?;
        let meant = &written.release.records;
        let mut found = read.baskets;
        if let Some(taxonomy) = meant.taxonomy() {
            found = fit(&[&found], taxonomy, Unknown::Error)
                .map_err(|cause| Error::internal("the release holds an item that was not written").with_cause(cause))?
                .remove(0)
                .baskets;
        } else {
            found = meant.aligned(&found).1;
        }
        let labels: Vec<String> = meant.sensitive().iter().map(|&item| meant.label(item).to_owned()).collect();
        let (found, _) = with_sensitive(found, &labels);
        let is_same = |(at, person): (usize, &Published)| {
            let record = person.record as usize;
            let group = |baskets: &Baskets, at: usize| {
                let grouping = baskets.grouping()?;
                Some(grouping.sensitive[grouping.group_of[at] as usize].clone())
            };
            found.names().get(at as u32) == person.pseudonym
                && found.basket(at) == meant.basket(record)
                && group(&found, at) == group(meant, record)
        };
        let is_whole = found.persons() == written.release.persons.len()
            && read.refused == 0
            && read.uncompared.is_empty()
            && found.grouping().is_some() == meant.grouping().is_some()
            && written.release.persons.iter().enumerate().all(is_same);
        if !is_whole {
            return Err(Error::internal("the release does not hold the persons and items that were written"));
        }
        Ok(found)
    }

    fn columns(layout: &BasketLayout) -> Vec<(&'static str, String)> {
        layout.columns().into_iter().map(|(role, name)| (role, name.to_owned())).collect()
    }

    fn has_header(layout: &BasketLayout) -> bool {
        layout.header
    }

    fn group_of_records(&self) -> Option<&[u32]> {
        self.grouping().map(|grouping| grouping.group_of.as_slice())
    }

    fn rows_of(&self, person: usize) -> usize {
        self.range(person).len()
    }

    fn texts(&self) -> Vec<&str> {
        self.labels().iter().collect()
    }

    fn account(original: &Self, release: &Release<Self>, rows: u64, accounts: &mut Accounts) {
        let by_group = release.records.grouping().into_iter().flat_map(|grouping| &grouping.sensitive).flatten();
        let published = rows + by_group.map(|&(_, count)| u64::from(count)).sum::<u64>();
        let suppressed = (original.rows() as u64).saturating_sub(published);
        let before = std::mem::take(accounts);
        *accounts = before.with(ROWS_DROPPED, suppressed).with(OCCURRENCES_SUPPRESSED, suppressed);
    }

    fn remark(release: &Release<Self>) -> Option<String> {
        let taxonomy = release.records.taxonomy()?;
        let items = || release.persons.iter().flat_map(|person| release.records.basket(person.record as usize));
        let (all, roots) = (items().count(), items().filter(|&&item| item == ROOT).count());
        (all > 0 && 10 * roots >= 9 * all).then(|| {
            format!(
                "{} of {} items became {}, the root of the taxonomy, which says nothing of anybody: try a smaller k, another \
                 method, or a taxonomy that is about these items",
                thousands(roots as u64),
                thousands(all as u64),
                taxonomy.label(ROOT)
            )
        })
    }

    /// The file is judged as it stands; a taxonomy adds what lies under what.
    fn evidence(
        opened: Opened,
        ask: &Ask,
        certified: &Certified,
        needs_sensitive: bool,
        progress: &dyn Progress,
    ) -> Result<Evidenced<Self>> {
        let sensitive = ask.sensitive_items()?;
        let mut notes = Vec::new();
        let Read { data: mut baskets, about } = Self::read(opened, ask, Purpose::Release, progress)?;
        if let Some(loaded) = taxonomy_for(ask, about.file_kind)? {
            let record = certified.taxonomy();
            notes.extend(record.and_then(|record| taxonomy_note(Some(&loaded), Some(record))));
            let is_release = about.file_kind == Self::CARD.name;
            let rule =
                if is_release { ask.unknown.unwrap_or(Unknown::OwnLeaf) } else { rule_for(ask, about.file_kind) };
            baskets = fit(&[&baskets], &loaded.taxonomy, rule)?.remove(0).baskets;
        }
        if let Some(labels) = &sensitive {
            let missing;
            (baskets, missing) = with_sensitive(baskets, labels);
            // A release need not have what the original had: that nobody has it any more is as it should be.
            if !missing.is_empty() {
                let items = counted(missing.len() as u64, "sensitive item does", "sensitive items do");
                notes.push(format!("{items} not occur in the file"));
            }
        }
        if needs_sensitive {
            let hint = "name them: `--sensitive FILE`, one item a line";
            match (certified.sensitive_items(), baskets.sensitive().len() as u64) {
                // Whether nothing sensitive is known of anybody cannot be said without knowing what is.
                (_, 0) if sensitive.is_none() => {
                    let error = Error::refused("the model is about sensitive items, and none are named");
                    return Err(error.with_hint(hint));
                }
                (Some(count), named) if count != named => notes.push(format!(
                    "the release was made for {count} sensitive items, and it was checked for {named} of those named"
                )),
                _ => {}
            }
        }
        notes.extend(baskets.has_ids().then(|| lookalikes_of(baskets.names())).flatten());
        Ok(Evidenced {
            persons: baskets.persons(),
            rows: baskets.rows() as u64,
            refused: about.refused,
            person_column: about.layout.person.clone().unwrap_or_default(),
            ids_look_drawn: look_drawn(baskets.names()),
            unmapped: about.unmapped,
            unmapped_count: false,
            uncompared: about.uncompared,
            notes,
            evidence: baskets,
            first_lines: about.first_lines,
            files: about.files,
        })
    }

    fn witness(seen: &Evidenced<Self>, witness: &Witness, naming: &Naming) -> Value {
        let baskets = &seen.evidence;
        let place = seen.first_lines.get(witness.person as usize).map(|&line| seen.files.place(line));
        let mut named = naming.of(baskets.names().get(witness.person), place, baskets.has_ids(), witness);
        if !witness.items.is_empty() {
            named["item_count"] = json!(witness.items.len());
        }
        if naming.show_values {
            named["items"] = witness.items.iter().map(|&item| baskets.label(item)).collect();
        }
        named
    }

    /// Who, by how many items, how many others, and the model's own numbers.
    fn witness_in_words(witness: &Value) -> String {
        let others = match witness["group_size"].as_u64().unwrap_or_default() {
            0 | 1 => "nobody else".to_owned(),
            2 => "one other".to_owned(),
            size => format!("{} others", size - 1),
        };
        let items = match (witness["items"].as_array(), witness["item_count"].as_u64()) {
            (Some(items), _) if !items.is_empty() => {
                let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                format!(" by the items {}", items.join(", "))
            }
            (_, Some(count)) => format!(" by {}", counted(count, "item", "items")),
            _ => String::new(),
        };
        const KNOWN: [&str; 7] = ["group_size", "pseudonym", "person", "line", "file", "items", "item_count"];
        let numbers = witness.as_object().into_iter().flatten().filter(|(name, _)| !KNOWN.contains(&name.as_str()));
        let numbers: Vec<String> = numbers.map(|(name, value)| format!("{name} = {value}")).collect();
        let numbers = if numbers.is_empty() { String::new() } else { format!(" ({})", numbers.join(", ")) };
        format!("{}{items}: {others} looks the same{numbers}", crate::words::who(witness, "person"))
    }

    /// In a file with a row for each item the line of the row, else that of the person.
    fn places(opened: Opened, ask: &Ask, look: LookAt<'_>, progress: &dyn Progress) -> Result<Option<Vec<Place>>> {
        if opened.location().each().len() > 1 {
            return Ok(None);
        }
        let again = opened.location().clone();
        if let Some(places) = io::basket_places(opened, &ask.reading(), look, progress)? {
            return Ok(Some(places));
        }
        let read = Self::read(Opened::open(&again, &ask.reading())?, ask, Purpose::Look, progress)?;
        let (data, lines) = (&read.data, &read.about.first_lines);
        let mut found = Vec::new();
        for (person, &line) in lines.iter().enumerate() {
            for &item in data.basket(person) {
                io::places::add(&mut found, line, "item", data.label(item), look);
            }
        }
        Ok(Some(found))
    }

    /// Baskets as they are; a taxonomy that was given only says how many items it knows.
    fn shown(read: &Read<Self>, ask: &Ask) -> Result<Vec<Shown>> {
        let data = &read.data;
        let lengths = Lengths::of((0..data.persons()).map(|person| data.range(person).len()).collect());
        let mut shown = vec![
            Shown::new(
                "persons",
                format!("{} ({} with nothing)", thousands(data.persons() as u64), thousands(lengths.empty as u64)),
                vec![("persons", json!(data.persons()))],
            ),
            Shown::new(
                "items",
                format!("{} ({} different)", thousands(data.rows() as u64), thousands(data.item_count() as u64)),
                vec![("rows", json!(data.rows())), ("distinct_items", json!(data.item_count()))],
            ),
            Shown::new("lengths", lengths.in_words(""), vec![("lengths", json!(lengths))]),
        ];
        if let Some(loaded) = ask.given_taxonomy()? {
            let fitted = fit(&[data], &loaded.taxonomy, Unknown::Drop)?.remove(0);
            let (items, occurrences) = (fitted.items_unknown, fitted.occurrences_unknown);
            shown.push(super::unknown_shown(Self::CARD.unknown, items, occurrences));
        }
        Ok(shown)
    }

    fn coverage(&self, mapper: &Mapper, k: usize, samples: usize) -> Option<Coverage> {
        Some(Coverage::of(mapper, self, k, samples))
    }

    fn synth(request: &SynthRequest, stdout: &mut (dyn Write + Send), progress: &dyn Progress) -> Result<Made> {
        let style = match request.style.as_str() {
            "shopping" => Style::Shopping,
            "searches" => Style::Searches,
            other => return Err(Error::unknown("style of baskets", other, ["shopping", "searches"])),
        };
        let params =
            baskets::Params { persons: request.persons, mean_items: request.mean_items, seed: request.seed, style };
        let synth = BasketsSynth::new(params, request.taxonomy()?)?;
        // Text without tabs is one basket a line.
        let mut format = request.format_of(&Self::CARD)?;
        if request.format.is_none() && format.kind == FormatKind::Tsv && !is_tsv(&request.out) {
            format.kind = FormatKind::Fimi;
        }
        let layout = BasketLayout::new(Form::Lines, false).fitted(format.kind)?;
        let rows = request.to_file(stdout, |mut out| {
            progress.stage("making up baskets", 0);
            let baskets = synth.block(0..synth.persons());
            let person = |person: u32| Person { name: baskets.names().get(person), person };
            let persons: Vec<Person<'_>> = (0..baskets.persons() as u32).map(person).collect();
            io::write_baskets(&mut out, format, &layout, &baskets, &persons, progress)
        })?;
        let persons = counted(request.persons as u64, "person", "persons");
        Ok(Made { rows, said: format!("{} of {persons}", counted(rows, "item", "items")) })
    }
}

fn is_tsv(path: &Path) -> bool {
    path.to_string_lossy().to_ascii_lowercase().contains(".tsv")
}

/// The taxonomy, if there is one. The words of a search log are looked for in WordNet if none is given.
fn taxonomy_for(ask: &Ask, file_kind: &str) -> Result<Option<LoadedTaxonomy>> {
    if file_kind == Baskets::CARD.name { ask.given_taxonomy() } else { ask.any_taxonomy().map(Some) }
}

/// The rule for unknown items: words of a search log are dropped, items are an error.
fn rule_for(ask: &Ask, file_kind: &str) -> Unknown {
    ask.unknown.unwrap_or(if file_kind == Baskets::CARD.name { Unknown::Error } else { Unknown::Drop })
}

/// A release of words has the person's column of the log, and one for the item.
fn layout_of_words(scanned: &Scanned) -> BasketLayout {
    let form = if scanned.format.kind == FormatKind::JsonLines { Form::Lists } else { Form::Long };
    let layout = &scanned.layout;
    let person = if layout.header { layout.name_of(io::Role::User) } else { "person" };
    let own = BasketLayout::new(form, true);
    BasketLayout {
        person: Some(person.to_owned()),
        item: if person == own.item { "word".to_owned() } else { own.item.clone() },
        typed_person: layout.typed_person,
        unmapped: layout.unmapped.clone(),
        ..own
    }
}

/// The baskets with these sensitive items, and those that nobody has.
fn with_sensitive(baskets: Baskets, labels: &[String]) -> (Baskets, Vec<String>) {
    let (mut items, missing) = find_items(&baskets, labels.iter().map(String::as_str));
    let missing = missing.into_iter().map(str::to_owned).collect();
    items.extend_from_slice(baskets.sensitive());
    (baskets.with_sensitive(items), missing)
}

/// The baskets with these sensitive items, all of which somebody has: a list for other data protects nobody.
fn all_sensitive(baskets: Baskets, labels: &[String], ask: &Ask) -> Result<Baskets> {
    let (baskets, missing) = with_sensitive(baskets, labels);
    let Some(first) = missing.first() else { return Ok(baskets) };
    let items = counted(missing.len() as u64, "sensitive item does", "sensitive items do");
    let error = Error::data(format!("{items} not occur in the data")).with_value(first);
    let error = error.with_hint("is the list for other data? leave such items out of it");
    Err(error.in_file(ask.sensitive.as_deref().unwrap_or(Path::new("")).display().to_string()))
}

/// The baskets with what their items mean, if they are nodes of a taxonomy.
fn with_meaning_of_nodes(baskets: Baskets) -> Baskets {
    let meaning = baskets.taxonomy().map(Meaning::of_nodes);
    match meaning {
        Some(meaning) => baskets.with_meaning(Arc::new(meaning)),
        None => baskets,
    }
}

/// Both over the same nodes. What a release holds must be in the taxonomy, unless items have leaves of their own.
fn fit_pair(
    original: &Baskets,
    release: &Baskets,
    taxonomy: &LoadedTaxonomy,
    rule: Unknown,
) -> Result<(Baskets, Baskets)> {
    let mut fitted = if rule == Unknown::OwnLeaf {
        fit(&[original, release], &taxonomy.taxonomy, rule)?
    } else {
        let mut fitted = fit(&[original], &taxonomy.taxonomy, rule)?;
        fitted.extend(fit(&[release], &taxonomy.taxonomy, Unknown::Error)?);
        fitted
    };
    match (fitted.pop(), fitted.pop()) {
        (Some(release), Some(original)) => Ok((original.baskets, release.baskets)),
        _ => Err(Error::internal("two data sets did not become two")),
    }
}
