//! Making a log of its lines: strings interned once, lines brought together by visitor at the end.

use super::{PARTS, Part, Visits};
use crate::data::Interner;
use crate::data::queries::MISSING;

/// A line of an access log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Visit<'a> {
    /// Milliseconds since 1970.
    pub time: i64,
    /// Fields of text, in the order of [`Part`].
    pub texts: [Option<&'a str>; PARTS],
    /// What the server answered.
    pub status: Option<u16>,
    /// How much it answered.
    pub bytes: Option<u64>,
}

/// Collects lines in the order of the file.
#[derive(Debug, Default)]
pub struct VisitsBuilder {
    names: Interner,
    person: Vec<u32>,
    first_lines: Vec<u64>,
    texts: [Interner; PARTS],
    columns: [Vec<u32>; PARTS],
    time: Vec<i64>,
    status: Vec<u16>,
    bytes: Vec<u64>,
}

impl VisitsBuilder {
    /// No line yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many lines there are.
    pub fn rows(&self) -> usize {
        self.time.len()
    }

    /// Adds a line of a visitor, at this place of the file.
    pub fn push(&mut self, name: &str, visit: &Visit<'_>, line: u64) {
        let person = self.names.intern(name);
        if person as usize == self.first_lines.len() {
            self.first_lines.push(line);
        }
        self.person.push(person);
        for part in Part::ALL {
            let at = part as usize;
            let id = visit.texts[at].map_or(MISSING, |text| self.texts[at].intern(text));
            self.columns[at].push(id);
        }
        self.time.push(visit.time);
        self.status.push(visit.status.unwrap_or(0));
        self.bytes.push(visit.bytes.unwrap_or(u64::MAX));
    }

    /// Adds the lines of another, which come after its own; so many lines of the file are before them.
    pub fn absorb(&mut self, other: Self, before: u64) {
        let Self { names, person, first_lines, texts, columns, time, status, bytes } = other;
        let mut number = Vec::with_capacity(first_lines.len());
        for (name, line) in names.strings().iter().zip(first_lines) {
            let own = self.names.intern(name);
            if own as usize == self.first_lines.len() {
                self.first_lines.push(before + line);
            }
            number.push(own);
        }
        self.person.extend(person.iter().map(|&person| number[person as usize]));
        for (at, (texts, column)) in texts.iter().zip(columns).enumerate() {
            let number: Vec<u32> = texts.strings().iter().map(|text| self.texts[at].intern(text)).collect();
            let own = |id: u32| if id == MISSING { MISSING } else { number[id as usize] };
            self.columns[at].extend(column.into_iter().map(own));
        }
        self.time.extend(time);
        self.status.extend(status);
        self.bytes.extend(bytes);
    }

    /// The log, and the line in which each visitor first appears.
    pub fn finish(self) -> (Visits, Vec<u64>) {
        let Self { names, person, first_lines, texts, columns, time, status, bytes } = self;
        let persons = names.strings().len();
        let mut starts = vec![0; persons + 1];
        person.iter().for_each(|&person| starts[person as usize + 1] += 1);
        (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        let mut next = starts.clone();
        let mut rows = vec![0usize; person.len()];
        for (row, &person) in person.iter().enumerate() {
            rows[next[person as usize]] = row;
            next[person as usize] += 1;
        }
        for person in 0..persons {
            rows[starts[person]..starts[person + 1]].sort_by_key(|&row| time[row]);
        }
        let mut log = Visits {
            names: names.into_strings(),
            starts,
            texts: texts.map(Interner::into_strings),
            columns: columns.map(|column| rows.iter().map(|&row| column[row]).collect()),
            time: rows.iter().map(|&row| time[row]).collect(),
            status: rows.iter().map(|&row| status[row]).collect(),
            bytes: rows.iter().map(|&row| bytes[row]).collect(),
            ..Visits::default()
        };
        log.settle_sessions();
        (log, first_lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks that are put together are the same as one.
    #[test]
    fn blocks_in_order_are_one() {
        let visits = |number: i64| {
            let mut visit = Visit { time: -number, status: Some(200), bytes: Some(number as u64), ..Visit::default() };
            visit.texts[Part::Path as usize] = Some(["/a", "/b", "/c"][number as usize % 3]);
            (["x", "y"][number as usize % 2], visit)
        };
        let mut whole = VisitsBuilder::new();
        let mut parts = [VisitsBuilder::new(), VisitsBuilder::new()];
        for number in 0..10 {
            let (name, visit) = visits(number);
            whole.push(name, &visit, number as u64 + 1);
            let part = usize::from(number >= 1);
            parts[part].push(name, &visit, number as u64 + 1 - part as u64);
        }
        let mut joined = VisitsBuilder::new();
        for (part, before) in parts.into_iter().zip([0, 1]) {
            joined.absorb(part, before);
        }
        assert_eq!(joined.finish(), whole.finish());
    }
}
