//! The room of ratings: who gave which item how many stars, and when.

use std::io::Write;

use serde_json::{Value, json};
use throng_core::accounts::Accounts;
use throng_core::data::ratings::Scale;
use throng_core::data::{Dataset, Ratings};
use throng_core::models::Witness;
use throng_core::models::digests::Digests;
use throng_core::progress::{Progress, Silent};
use throng_core::release::{Release, look_drawn};
use throng_core::synth::ratings::{Params, RatingsSynth};
use throng_core::{Error, Result, Rng};

use super::ask::Ask;
use super::{
    About, Barred, Evidenced, HeldApart, KindCard, Kinded, Known, Made, Naming, Purpose, Read, Recognition, Shown,
    Written, lookalikes_of,
};
use crate::catalog::{self, Shelf};
use crate::io::ratings::{
    RatingsWriter, likeness, read_items, read_opened_rating_digests, read_shill_list, refuse_one_person,
};
use crate::io::{self, Format, FormatKind, LookAt, Opened, Person, Place, RatingsLayout, csv_field};
use crate::run::{Certified, SynthRequest};
use crate::words::{self, counted, percent, thousands};

/// The column that tells persons apart: its name, or its number in a file without a header.
fn person_column(layout: &RatingsLayout, ask: &Ask) -> String {
    let columns = super::columns_shown::<Ratings>(layout, ask);
    columns.into_iter().find(|column| column.role == "user").map_or_else(String::new, |column| column.name)
}

impl Kinded for Ratings {
    const CARD: KindCard = KindCard {
        name: "ratings",
        summary: "ratings: who gave which item how many stars, and when",
        person: ["person", "persons"],
        row: ["rating", "ratings"],
        fact: <Self as Dataset>::FACTS[0].names,
        heading: "Ratings of {}",
        facts: <Self as Dataset>::FACTS,
        unknown: ["item", "items"],
        made_up: ["csv", ".csv, .tsv, .jsonl (also .gz, .zst) or .parquet"],
        roles: "user=…, item=…, rating=…, time=…",
        has_times: true,
        has_items_file: true,
        ..KindCard::PLAIN
    };
    const SHELF: Shelf<Self> = catalog::RATINGS;
    const RECOGNITION: Recognition = Recognition {
        looks_like: "columns for a user, an item and a rating",
        roles: &io::ratings::ROLES,
        takes_folders: false,
        takes_any_cells: false,
        likeness,
    };

    const MAY_HAVE_SHILLS: bool = true;
    const HELD_OUT: Option<HeldApart> = Some(HeldApart::Fifths);
    const KNOWN: Known = Known { facts: &[2, 4, 8, 16], draws: 5, targets: 400, is_for_reports: true };

    type Layout = RatingsLayout;
    type Evidence = Digests;

    /// The item with what it was given.
    fn fact(&self, fact: u32) -> String {
        let (item, value) = self.fact(fact);
        format!("{} ({value})", self.item_ids().get(item))
    }

    fn read(opened: Opened, ask: &Ask, purpose: Purpose, progress: &dyn Progress) -> Result<Read<Self>> {
        let location = opened.location().to_string();
        let scale = match purpose {
            Purpose::Release => None,
            _ => ask.scale.as_deref().map(Scale::parse_bounds).transpose()?,
        };
        let read = io::read_opened_ratings(opened, &ask.reading(), scale, progress)?;
        if purpose == Purpose::Original {
            refuse_one_person(&read.ratings).map_err(|error| error.in_file(location))?;
        }
        let rows = read.ratings.len() as u64;
        let (ratings, shills) = without_shills(read.ratings, ask, purpose)?;
        let (data, barred) = Barred::remove(ratings, ask, purpose, |ratings, who| {
            Ok(ratings.without_items(|item| who.bars(ratings.item_ids().get(item))))
        })?;
        let barred = barred.beside(shills);
        let scale = data.scale();
        let is_one = purpose != Purpose::Release && scale.low == scale.high;
        let about = About {
            file_kind: Self::CARD.name,
            format: read.format,
            layout: read.layout,
            rows,
            refused: read.refused,
            unmapped: read.unmapped,
            uncompared: read.uncompared,
            first_lines: read.first_lines,
            files: read.files,
            barred,
            notes: is_one
                .then(|| "all ratings are equal: they say nothing of what anybody likes".to_owned())
                .into_iter()
                .collect(),
        };
        Ok(Read { data, about })
    }

    fn check_format(input: Format, asked: Option<Format>) -> Result<()> {
        // A file with `::` has no format of its own.
        match asked.map_or(input.kind, |format| format.kind) {
            FormatKind::Fimi | FormatKind::Log(_) if asked.is_some() => {
                Err(Error::parameter("format", "cannot hold ratings, which have several columns")
                    .with_hint("ratings are written as tsv, csv, jsonl or parquet; text also as .gz or .zst"))
            }
            _ => Ok(()),
        }
    }

    fn release_layout(about: &About<Self>, asked: Option<Format>, _records: &Self) -> Result<(Format, RatingsLayout)> {
        let output = asked.unwrap_or(about.format);
        Ok((output, about.layout.clone().converted(about.format, output)))
    }

    fn with_ids(layout: RatingsLayout, format: Format, are_numbers: bool) -> RatingsLayout {
        layout.with_ids(format, are_numbers)
    }

    fn with_raw_cells(mut layout: RatingsLayout, raw: bool) -> RatingsLayout {
        layout.raw_cells = raw;
        layout
    }

    fn write<W: Write + Send>(
        out: &mut W,
        format: Format,
        layout: &RatingsLayout,
        records: &Self,
        persons: &[Person<'_>],
        progress: &dyn Progress,
    ) -> Result<u64> {
        io::write_ratings(out, format, layout, records, persons, progress)
    }

    /// Whether the file has the ratings that were meant, of every person by their pseudonym; then what models look at.
    fn read_back(written: &Written<'_, Self>, progress: &dyn Progress) -> Result<Digests> {
        let problem = || Error::internal("the release does not hold the persons and ratings that were written");
        let found = io::read_opened_ratings(written.open()?, &written.reading(), None, progress)?.ratings;
        let (meant, persons) = (&written.release.records, &written.release.persons);
        if found.persons() != persons.len() || found.len() as u64 != written.rows {
            return Err(problem());
        }
        let names = found.person_ids().iter().zip(0u32..).collect::<std::collections::BTreeMap<&str, u32>>();
        for person in persons {
            let Some(&number) = names.get(person.pseudonym.as_str()) else { return Err(problem()) };
            let same = found.of_person(number).zip(meant.of_person(person.record)).all(|(found_one, meant_one)| {
                found.item_ids().get(found_one.0) == meant.item_ids().get(meant_one.0) && found_one.1 == meant_one.1
            });
            if !same || found.count_of_person(number) != meant.count_of_person(person.record) {
                return Err(problem());
            }
        }
        drop(found);
        let read = read_opened_rating_digests(written.open()?, &written.reading(), &mut Rng::secure()?, progress)?;
        let counts = (read.digests.names().len(), read.digests.rows(), read.refused);
        if counts != (persons.len(), written.rows, 0) || !read.uncompared.is_empty() {
            return Err(problem());
        }
        Ok(read.digests)
    }

    fn columns(layout: &RatingsLayout) -> Vec<(&'static str, String)> {
        layout.columns()
    }

    fn has_header(layout: &RatingsLayout) -> bool {
        layout.header
    }

    fn held_apart(&self) -> Option<[Self; 2]> {
        Some(self.with_fifths_held_out())
    }

    fn rows_to_judge(&self) -> usize {
        self.count_held_out()
    }

    fn rows_of(&self, person: usize) -> usize {
        self.count_of_person(person as u32)
    }

    fn texts(&self) -> Vec<&str> {
        (0..self.items() as u32)
            .filter(|&item| self.count_of_item(item) > 0)
            .map(|item| self.item_ids().get(item))
            .collect()
    }

    fn account(_original: &Self, _release: &Release<Self>, _rows: u64, _accounts: &mut Accounts) {}

    fn shills(&self, progress: &dyn Progress) -> Result<u64> {
        Ok(catalog::rating_detector(None)?.detect(self, progress)?.flagged() as u64)
    }

    fn remark(release: &Release<Self>) -> Option<String> {
        release.records.has_times().then(|| {
            "the release says in which year items were rated: whoever knows that of a few ratings knows more of a person".to_owned()
        })
    }

    fn evidence(
        opened: Opened,
        ask: &Ask,
        _certified: &Certified,
        _needs_sensitive: bool,
        progress: &dyn Progress,
    ) -> Result<Evidenced<Self>> {
        let read = read_opened_rating_digests(opened, &ask.reading(), &mut Rng::secure()?, progress)?;
        Ok(Evidenced {
            persons: read.digests.names().len(),
            rows: read.digests.rows(),
            refused: read.refused,
            person_column: person_column(&read.layout, ask),
            ids_look_drawn: look_drawn(read.digests.names()),
            unmapped: read.unmapped,
            unmapped_count: true,
            uncompared: read.uncompared,
            first_lines: Vec::new(),
            files: read.files,
            notes: lookalikes_of(read.digests.names()).into_iter().collect(),
            evidence: read.digests,
        })
    }

    fn witness(seen: &Evidenced<Self>, witness: &Witness, naming: &Naming) -> Value {
        let evidence = &seen.evidence;
        let line = evidence.tallies()[witness.person as usize].first_line;
        naming.of(evidence.names().get(witness.person), Some(seen.files.place(line)), true, witness)
    }

    fn witness_in_words(witness: &Value) -> String {
        if witness["column"].is_null() {
            return words::alone(witness, Self::CARD.person[0]);
        }
        // An item of a release that too few persons of the original rated.
        let persons = match witness["persons"].as_u64().unwrap_or_default() {
            0 => "nobody".to_owned(),
            count => format!("only {}", counted(count, "person", "persons")),
        };
        let who = words::who(witness, Self::CARD.person[0]);
        let text = format!("a rating of {who} is of an item that {persons} rated");
        match witness["value"].as_str() {
            Some(value) => format!("{text}: {value}"),
            None => text,
        }
    }

    fn places(_opened: Opened, _ask: &Ask, _look: LookAt<'_>, _progress: &dyn Progress) -> Result<Option<Vec<Place>>> {
        Ok(None)
    }

    fn form(about: &About<Self>) -> String {
        match about.layout.has_double_colons {
            true => format!("lines with `::` ({})", about.format),
            false => about.format.to_string(),
        }
    }

    fn shown(read: &Read<Self>, ask: &Ask) -> Result<Vec<Shown>> {
        let ratings = &read.data;
        let items = (0..ratings.items() as u32).filter(|&item| ratings.count_of_item(item) > 0).count();
        let density = ratings.len() as f64 / (ratings.persons() as f64 * items as f64).max(1.0);
        let Scale { low, high, step } = ratings.scale();
        let steps = step.map_or("continuous".to_owned(), |step| format!("in steps of {step}"));
        let few = (0..ratings.items() as u32).filter(|&item| (1..3).contains(&ratings.count_of_item(item))).count();
        let mut shown = vec![
            Shown::new("persons", thousands(ratings.persons() as u64), vec![("persons", json!(ratings.persons()))]),
            Shown::new(
                "ratings",
                format!(
                    "{} of {}, {} of all that there could be",
                    thousands(ratings.len() as u64),
                    counted(items as u64, "item", "items"),
                    percent(density)
                ),
                vec![("rows", json!(ratings.len())), ("items", json!(items)), ("density", json!(density))],
            ),
            super::rows_each(ratings),
            Shown::new(
                "items",
                format!("{} rated by one or two persons", thousands(few as u64)),
                vec![("items_of_few", json!(few))],
            ),
            Shown::new(
                "scale",
                format!("{low} to {high}, {steps}"),
                vec![("scale", json!({"low": low, "high": high, "step": step}))],
            ),
        ];
        if let Some(file) = &ask.items {
            let location = io::resolve(file)?;
            let about = read_items(&location)?;
            about.refuse_others(ratings, &location)?;
            let known = ratings.item_ids().iter().filter(|id| about.has(id)).count();
            let genres =
                ratings.item_ids().iter().flat_map(|id| about.genres(id)).collect::<std::collections::BTreeSet<_>>();
            shown.push(Shown::new(
                "about items",
                format!(
                    "{} of {} are known, with {}",
                    thousands(known as u64),
                    thousands(items as u64),
                    counted(genres.len() as u64, "genre", "genres")
                ),
                vec![("items_known", json!(known)), ("genres", json!(genres.len()))],
            ));
        }
        Ok(shown)
    }

    fn synth(request: &SynthRequest, stdout: &mut (dyn Write + Send), progress: &dyn Progress) -> Result<Made> {
        let params = Params {
            persons: request.persons,
            items: request.items,
            mean_ratings: request.mean_ratings,
            half_stars: request.half_stars,
            seed: request.seed,
        };
        let synth = RatingsSynth::new(params)?;
        let format = request.format_of(&Self::CARD)?;
        if let Some(file) = &request.items_file {
            let mut text = b"movieId,title,genres\n".to_vec();
            for item in synth.about() {
                text.extend_from_slice(item.id.as_bytes());
                text.push(b',');
                csv_field(item.title.as_bytes(), &mut text);
                text.extend_from_slice(format!(",{}\n", item.genres.join("|")).as_bytes());
            }
            request.write_beside(file, &text)?;
        }
        let made = request.to_file(stdout, |out| make_up(&synth, out, format, progress));
        let rows = made.inspect_err(|_| {
            // A file about items of ratings that are not there helps nobody.
            if let Some(file) = &request.items_file {
                let _ = std::fs::remove_file(file);
            }
        })?;
        let persons = counted(synth.persons() as u64, "person", "persons");
        Ok(Made { rows, said: format!("{} of {persons}", counted(rows, "rating", "ratings")) })
    }
}

/// The ratings of an original without persons who are listed as made up.
fn without_shills(ratings: Ratings, ask: &Ask, purpose: Purpose) -> Result<(Ratings, Barred)> {
    let Some(list) = ask.drop_shills.as_deref().filter(|_| purpose == Purpose::Original) else {
        return Ok((ratings, Barred::default()));
    };
    let is_listed = read_shill_list(list, ratings.person_ids())?;
    let rest: Vec<u32> = (0..ratings.persons() as u32).filter(|&person| !is_listed[person as usize]).collect();
    if rest.is_empty() {
        return Err(
            Error::data("everybody is on the list of shills, so nobody is left").in_file(list.display().to_string())
        );
    }
    let kept = ratings.of_persons(&rest);
    let (rows, persons) = ((ratings.len() - kept.len()) as u64, (ratings.persons() - kept.persons()) as u64);
    let (who, what) = (counted(persons, "person", "persons"), counted(rows, "rating", "ratings"));
    let notes = vec![format!("left out {who} with {what}, who are listed as made up (`--drop-shills`)")];
    Ok((kept, Barred { rows: Some(rows), persons, notes }))
}

/// Persons made up at a time.
const BLOCK: usize = 5000;

fn make_up(
    synth: &RatingsSynth,
    mut out: &mut (dyn Write + Send),
    format: Format,
    progress: &dyn Progress,
) -> Result<u64> {
    progress.stage("making up ratings", synth.persons() as u64);
    let layout = RatingsLayout::made_up(format);
    let has_numbers = format.kind == FormatKind::JsonLines || format.kind == FormatKind::Parquet;
    let mut writer = RatingsWriter::new(&mut out, format, &layout, has_numbers)?;
    let mut start = 0;
    while start < synth.persons() {
        let end = (start + BLOCK).min(synth.persons());
        let block = synth.block(start..end);
        let person = |person: u32| Person { name: block.person_ids().get(person), person };
        let persons: Vec<Person<'_>> = (0..block.persons() as u32).map(person).collect();
        writer.append(&block, &persons, &Silent)?;
        progress.advance((end - start) as u64);
        start = end;
    }
    writer.finish()
}
