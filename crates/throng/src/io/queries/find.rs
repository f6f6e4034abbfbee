//! Finding the line of a file that holds a value.

use throng_core::Result;
use throng_core::progress::Progress;

use super::super::{Location, ReadOptions};
use super::{Consumer, Role, Row, scan};

/// The first line, counted from 1, whose query or URL is this text, and of several files the one that it is in.
pub fn first_line_with(
    location: &Location,
    options: &ReadOptions,
    role: Role,
    text: &str,
    progress: &dyn Progress,
) -> Result<Option<(Option<String>, u64)>> {
    let mut finding = Finding { role, text, found: None };
    let files = scan(location, options, &mut finding, progress)?.files;
    Ok(finding.found.map(|line| files.place(line)).map(|(file, line)| (file.map(str::to_owned), line)))
}

struct Finding<'a> {
    role: Role,
    text: &'a str,
    found: Option<u64>,
}

impl Consumer for Finding<'_> {
    type Part = Option<u64>;

    fn part(&self) -> Self::Part {
        None
    }

    fn row(&self, first: &mut Self::Part, row: &Row<'_>, line: u64) {
        let value = if self.role == Role::Url { row.url } else { Some(row.query) };
        if first.is_none() && value == Some(self.text) {
            *first = Some(line);
        }
    }

    fn absorb(&mut self, parts: Vec<(Self::Part, u64)>) {
        let first = || parts.iter().find_map(|(first, before)| first.map(|line| before + line));
        self.found = self.found.or_else(first);
    }
}
