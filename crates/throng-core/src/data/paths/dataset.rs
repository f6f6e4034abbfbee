//! What paths say of themselves as any data set does: persons, what may be known of them, their texts.

use std::borrow::Cow;

use rayon::prelude::*;

use super::{Known, MISSING, Mark, Paths, Texts};
use crate::data::content::{Content, Field, Replaced};
use crate::data::time::HOUR;
use crate::data::{Dataset, FactSort, Facts, Interner, Strings};
use crate::finders::mask::Form;
use crate::geo::tile::Tile;
use crate::info::Need;

const DAY: i64 = 24 * HOUR;

/// How fine the cells are in which somebody is known to have been.
const KNOWN_ZOOM: u8 = 15;

/// What may be known of people: the cell of each point with its day, and the cell alone; in the order of cells and days.
#[derive(Debug)]
pub(super) struct FactTable {
    /// For each point its number among `days`.
    with_day: Vec<u32>,
    /// Cells with days.
    days: Vec<(u64, i64)>,
    /// For each of them its number among `cells`.
    cell_of: Vec<u32>,
    cells: usize,
}

impl FactTable {
    fn of(paths: &Paths) -> Self {
        let key = |point: usize| {
            let (lat, lon) = paths.place(point);
            (Tile::at(lat, lon, KNOWN_ZOOM).code(), paths.time(point).div_euclid(DAY))
        };
        let keys: Vec<(u64, i64)> = (0..paths.points()).into_par_iter().with_min_len(1 << 12).map(key).collect();
        let mut days = keys.clone();
        days.par_sort_unstable();
        days.dedup();
        // Every key is among the days.
        let number = |key: &(u64, i64)| days.partition_point(|day| day < key) as u32;
        let with_day = keys.par_iter().with_min_len(1 << 12).map(number).collect();
        let (mut cell_of, mut cells) = (Vec::with_capacity(days.len()), 0);
        for (at, day) in days.iter().enumerate() {
            cells += usize::from(at == 0 || days[at - 1].0 != day.0);
            cell_of.push(cells as u32 - 1);
        }
        Self { with_day, days, cell_of, cells }
    }
}

impl Paths {
    fn fact_table(&self) -> &FactTable {
        self.known.0.get_or_init(|| FactTable::of(self))
    }

    /// The quadkey of the cell of a fact of the first sort, and the start of its day.
    pub fn cell_and_day(&self, fact: u32) -> (String, i64) {
        let (code, day) = self.fact_table().days[fact as usize];
        (Tile::from_code(code, KNOWN_ZOOM).to_string(), day * DAY)
    }
}

impl Dataset for Paths {
    const FACTS: &'static [FactSort] = &[
        FactSort {
            names: ["point", "points"],
            means: "a cell of about a kilometre (a tile of zoom 15) in which they were, and the day",
            known: ["one place with its day", "{} places with their days"],
        },
        FactSort {
            names: ["cell", "cells"],
            means: "a cell of about a kilometre (a tile of zoom 15) in which they were, on whatever day",
            known: ["one place", "{} places"],
        },
    ];

    fn persons(&self) -> usize {
        self.names.len()
    }

    fn rows(&self) -> usize {
        self.times.len()
    }

    fn names(&self) -> &Strings {
        &self.names
    }

    fn of_persons(&self, persons: &[u32]) -> Self {
        let (mut names, mut starts, mut points) = (Strings::new(), vec![0], Vec::new());
        for &person in persons {
            names.push(self.names.get(person));
            points.extend(self.range(person as usize));
            starts.push(points.len());
        }
        self.picked(names, starts, &points)
    }

    fn joined(&self, owners: &[u32], persons: usize) -> Option<Self> {
        let mut parts = vec![Vec::new(); persons];
        for (person, &owner) in owners.iter().enumerate() {
            parts[owner as usize].extend(self.range(person));
        }
        let (mut names, mut starts, mut points) = (Interner::new(), vec![0], Vec::new());
        for (number, mut own) in parts.into_iter().enumerate() {
            names.intern(&number.to_string());
            own.sort_by_key(|&point| self.times[point]);
            points.extend(own);
            starts.push(points.len());
        }
        Some(self.picked(names.into_strings(), starts, &points))
    }

    /// By time, then by latitude and longitude.
    fn in_release_order(self) -> Self {
        let order = |left: &usize, right: &usize| {
            let key = |point: usize| (self.times[point], self.lats[point], self.lons[point]);
            let (own, other) = (key(*left), key(*right));
            let texts = |point: usize| Mark::ALL.map(|mark| self.text(mark, point));
            own.0
                .cmp(&other.0)
                .then(own.1.total_cmp(&other.1))
                .then(own.2.total_cmp(&other.2))
                .then_with(|| texts(*left).cmp(&texts(*right)))
        };
        let mut points: Vec<usize> = (0..self.points()).collect();
        for person in 0..Paths::persons(&self) {
            points[self.range(person)].sort_by(order);
        }
        self.picked(self.names.clone(), self.starts.clone(), &points)
    }

    fn facts(&self, sort: usize) -> Facts<'_> {
        let table = self.fact_table();
        let with_day = |person: usize| &table.with_day[self.range(person)];
        if sort == 0 {
            return Facts::new(table.days.len(), move |person| Cow::Borrowed(with_day(person)));
        }
        let cells = move |person: usize| with_day(person).iter().map(|&fact| table.cell_of[fact as usize]).collect();
        Facts::new(table.cells, move |person| Cow::Owned(cells(person)))
    }

    fn has(&self, need: Need) -> bool {
        need == Need::Classes && Paths::has(self, Mark::Label)
    }
}

/// The texts that somebody wrote: names of places, cells, and labels. A trip is a number.
const FIELDS: [(&str, Mark); 3] = [("place", Mark::Place), ("cell", Mark::Cell), ("label", Mark::Label)];

impl Content for Paths {
    /// A point whose place has lost its name is still a point.
    const ROWS_CAN_GO: bool = false;

    fn fields(&self) -> Vec<Field<'_>> {
        FIELDS.map(|(role, mark)| Field { role, form: Form::Words, texts: self.texts(mark) }).into()
    }

    fn texts_of_rows(&self, person: usize) -> impl Iterator<Item = impl AsRef<[u32]>> {
        self.range(person).map(|point| FIELDS.map(|(_, mark)| self.mark(mark, point)))
    }

    fn with_texts(&self, fields: Vec<Replaced>) -> Self {
        let mut paths = Self { known: Known::default(), ..self.clone() };
        for ((_, mark), Replaced { texts, number_of, .. }) in FIELDS.into_iter().zip(fields) {
            let own = &mut paths.marks[mark as usize];
            own.ids.iter_mut().filter(|id| **id != MISSING).for_each(|id| *id = number_of[*id as usize]);
            *own = Texts { strings: texts, ids: std::mem::take(&mut own.ids) };
        }
        paths
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PathsBuilder, Point};
    use super::*;

    fn paths() -> Paths {
        let mut builder = PathsBuilder::default();
        for (person, day, lat, place) in
            [("a", 0, 1.0, "inn"), ("a", 1, 1.0, ""), ("b", 1, 1.0, "inn"), ("b", 0, 2.0, "mill"), ("b", 1, 1.0, "inn")]
        {
            builder.push(person, Point { time: day * DAY, lat, lon: 3.0, marks: [place, "", "", ""] });
        }
        builder.finish()
    }

    /// Facts are numbered by cell, then by day, and the same cell on another day is another fact.
    #[test]
    fn facts() {
        let paths = paths();
        let (days, cells) = (Dataset::facts(&paths, 0), Dataset::facts(&paths, 1));
        assert_eq!((days.count(), cells.count()), (3, 2));
        // To the north comes first.
        assert_eq!((days.of(0).to_vec(), days.of(1).to_vec()), (vec![1, 2], vec![0, 2, 2]));
        assert_eq!((cells.of(0).to_vec(), cells.of(1).to_vec()), (vec![1, 1], vec![0, 1, 1]));
        let (cell, day) = paths.cell_and_day(2);
        assert_eq!((cell, day), (Tile::at(1.0, 3.0, KNOWN_ZOOM).to_string(), DAY));
    }

    #[test]
    fn persons() {
        let paths = paths();
        let swapped = paths.of_persons(&[1, 0]);
        assert_eq!(swapped.names().iter().collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(swapped.range(0).map(|point| swapped.place(point).0).collect::<Vec<_>>(), [2.0, 1.0, 1.0]);
        let joined = Dataset::joined(&paths, &[0, 0], 1).unwrap();
        assert_eq!(joined.range(0).map(|point| joined.time(point) / DAY).collect::<Vec<_>>(), [0, 0, 1, 1, 1]);
        assert_eq!(paths.of_days(true).points(), 3);
        assert_eq!(paths.of_days(false).points(), 2);
    }

    /// Equal times are in the order of places, so that the order says nothing of the original.
    #[test]
    fn order_of_a_release() {
        let mut builder = PathsBuilder::default();
        for (time, lat, lon) in [(5, 2.0, 1.0), (5, 1.0, 7.0), (5, 1.0, 3.0), (0, 9.0, 0.0)] {
            builder.push("0", Point { time, lat, lon, marks: [""; 4] });
        }
        let ordered = builder.finish().in_release_order();
        let places: Vec<(f64, f64)> = ordered.range(0).map(|point| ordered.place(point)).collect();
        assert_eq!(places, [(9.0, 0.0), (1.0, 3.0), (1.0, 7.0), (2.0, 1.0)]);
    }

    #[test]
    fn texts_are_replaced() {
        let paths = paths();
        let replaced = |texts: &Strings, gone: &str| Replaced {
            texts: texts.clone(),
            number_of: (0..texts.len() as u32).map(|id| if texts.get(id) == gone { MISSING } else { id }).collect(),
            is_changed: texts.iter().map(|text| text == gone).collect(),
        };
        let fields = paths.fields().iter().map(|field| replaced(field.texts, "mill")).collect();
        let without = paths.with_texts(fields);
        let places: Vec<Option<&str>> = (0..5).map(|point| without.text(Mark::Place, point)).collect();
        assert_eq!(places, [Some("inn"), None, None, Some("inn"), Some("inn")]);
    }
}
