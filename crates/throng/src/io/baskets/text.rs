//! Baskets in text files: one a line, or JSON objects with lists.

use std::sync::atomic::{AtomicBool, Ordering};

use memchr::memchr;
use throng_core::{Error, Result};

use super::super::cells::unmarked;
use super::super::fields::delimited::{Quotes, each_record, split_line};
use super::super::fields::json_lines::{Keys, Plain, add_inside, no_object, path_of};
use super::super::fields::not_utf8;
use super::super::head::first_line;
use super::super::scan::{BadLines, BlockResult, ReadOptions};
use super::super::{Delimiter, Format, FormatKind};
use super::long::no_id;
use super::{BasketLayout, Form, ITEM, Part, ROLES, find_columns};

/// Reads blocks of a text file with baskets.
pub(super) struct Reader {
    format: Format,
    layout: BasketLayout,
    /// For objects: whether some line has keys without a role.
    has_rest: AtomicBool,
}

/// Keys of a file with sensitive items by group.
pub(super) const GROUP: &str = "group";
pub(super) const SENSITIVE: &str = "sensitive";

/// Whether a file has a row for each item, with columns: the first line names them, or somebody does. Lines of cells have no
/// header; lines with tabs must have one.
pub(super) fn is_long(head: &[u8], format: Format, options: &ReadOptions) -> Result<bool> {
    if options.no_header {
        // Columns without names are told by their numbers.
        return Ok(format.kind == FormatKind::Tsv || !options.columns.is_empty());
    }
    let line = std::str::from_utf8(first_line(head)).map_err(|_| not_utf8().at_line(1))?;
    let fields = split_line(line.trim_end_matches('\r'), format);
    let names: Vec<&str> = fields.iter().map(String::as_str).collect();
    match find_columns(&names, options, true) {
        Ok(_) => Ok(true),
        Err(_) if format.kind == FormatKind::Csv && options.columns.is_empty() => Ok(false),
        Err(error) => Err(error),
    }
}

impl Reader {
    /// Looks at the first bytes: the form and the keys.
    pub(super) fn new(head: &[u8], format: Format, options: &ReadOptions) -> Result<Self> {
        let layout = if format.kind == FormatKind::JsonLines {
            objects(head, options)?
        } else if options.columns.is_empty() {
            BasketLayout::new(Form::Lines, false)
        } else {
            return Err(Error::parameter("column", "names columns, but one basket a line has none"));
        };
        Ok(Self { format, layout, has_rest: AtomicBool::new(false) })
    }

    pub(super) fn has_ids(&self) -> bool {
        self.layout.person.is_some()
    }

    pub(super) fn layout(&self) -> BasketLayout {
        let mut layout = self.layout.clone();
        if self.has_rest.load(Ordering::Relaxed) {
            layout.unmapped.push("other keys".to_owned());
        }
        layout
    }

    pub(super) fn read(&self, block: &[u8], policy: BadLines) -> BlockResult<Part> {
        match self.format.kind {
            FormatKind::JsonLines => read_lines(block, policy, |part, text, line| self.object(part, text, line)),
            FormatKind::Csv => read_cells(block, self.format.delimiter, policy),
            _ => read_lines(block, policy, |part, text, line| Ok(words(part, text, line))),
        }
    }

    /// An object: a person with a list, or a group with its sensitive items.
    fn object(&self, part: &mut Part, text: &str, line: u64) -> Result<bool> {
        if text.trim_ascii().is_empty() {
            return Ok(false);
        }
        let no_object = |cause: serde_json::Error| {
            no_object(&cause, || {
                Error::data("the line is no JSON object with a list of items").with_hint(
                    "one object a line: {\"person\": …, \"items\": […]}; `--bad-lines skip` leaves others out",
                )
            })
        };
        let object: Keys<'_> = serde_json::from_str(text).map_err(no_object)?;
        // A key of its own goes before one inside another object.
        let get = |name: &str| object.inside(&path_of(name, &[&object])).map(|raw| raw.get());
        let plain = |raw: &str| -> Result<Option<String>> {
            let Plain(text) = serde_json::from_str(raw).map_err(no_object)?;
            Ok(text.map(std::borrow::Cow::into_owned))
        };
        let group = get(GROUP).map(plain).transpose()?.flatten();
        let known =
            || [Some(self.layout.item.as_str()), Some(GROUP), self.layout.person.as_deref()].into_iter().flatten();
        let items = get(&self.layout.item);
        if let (None, Some(sensitive), Some(group)) = (items, get(SENSITIVE), &group) {
            let Keys(counts) = serde_json::from_str(sensitive).map_err(no_object)?;
            let counts = counts
                .iter()
                .map(|(item, count)| match (item.trim(), serde_json::from_str(count.get()).map_err(no_object)?) {
                    // Nobody has it, so nothing is told by it, and nobody would compare it.
                    ("", _) | (_, 0) => Err(Error::data("a sensitive item has no name, or a count of 0")
                        .in_column(SENSITIVE)
                        .with_hint("leave it out: a group lists the items that somebody in it has")),
                    pair => Ok(pair),
                })
                .collect::<Result<Vec<(&str, u32)>>>()?;
            let group = part.group_names.intern(group);
            for (item, count) in counts {
                let item = part.labels.intern(item);
                part.sensitive.push((group, item, count));
            }
            self.has_rest.fetch_or(object.has_more_than(&[vec![GROUP], vec![SENSITIVE]]), Ordering::Relaxed);
            return Ok(true);
        }
        let Some(items) = items else { return Err(Error::data("the line has no items").in_column(&self.layout.item)) };
        let items: Option<Vec<Plain<'_>>> = serde_json::from_str(items).map_err(no_object)?;
        let id = match &self.layout.person {
            None => None,
            Some(key) => {
                let id = get(key).map(plain).transpose()?.flatten().filter(|id| !id.is_empty());
                Some(id.ok_or_else(|| no_id(key))?)
            }
        };
        self.has_rest.fetch_or(
            object.has_more_than(&known().map(|name| path_of(name, &[&object])).collect::<Vec<_>>()),
            Ordering::Relaxed,
        );
        let person = part.person(id.as_deref(), line);
        for Plain(item) in items.into_iter().flatten() {
            part.push(person, item.as_deref().unwrap_or_default());
        }
        match group {
            Some(group) if !part.group(person, &group) => {
                Err(Error::data("the person is in another group already").in_column(GROUP))
            }
            _ => Ok(true),
        }
    }
}

/// The keys of a file of objects, from the first that can be read.
fn objects(head: &[u8], options: &ReadOptions) -> Result<BasketLayout> {
    let lines = (1u64..).zip(head.split(|&byte| byte == b'\n')).filter(|(_, line)| !line.trim_ascii().is_empty());
    let none = || {
        Error::data("no line is a JSON object with a list of items")
            .with_hint("one object a line: {\"person\": …, \"items\": […]}")
    };
    let mut error = none().at_line(1);
    for (number, line) in lines {
        let object = match serde_json::from_slice::<Keys<'_>>(line) {
            Ok(object) => object,
            Err(cause) => {
                error = no_object(&cause, none).at_line(number);
                if options.bad_lines == BadLines::Skip {
                    continue;
                }
                break;
            }
        };
        let mut names: Vec<&str> = object.0.iter().map(|(name, _)| name.as_ref()).collect();
        add_inside(&mut names, &options.columns, &[&object]);
        // A group's sensitive items say nothing about how persons are written.
        let roles = ROLES.guess(&names, &options.columns).unwrap_or_default();
        if names.contains(&SENSITIVE) && !roles.contains(&Some(ITEM)) {
            continue;
        }
        let (person, item) = find_columns(&names, options, false).map_err(|error| error.at_line(number))?;
        let typed = |at: usize, opening: &str| {
            let raw = object.inside(&path_of(names[at], &[&object])).map_or("", |raw| raw.get());
            raw.trim_start_matches(opening).starts_with(|first: char| first.is_ascii_digit())
        };
        let layout = BasketLayout {
            person: person.map(|at| names[at].to_owned()),
            item: names[item].to_owned(),
            item_first: person.is_some_and(|person| item < person),
            typed_person: person.is_some_and(|at| typed(at, "")),
            typed_item: typed(item, "["),
            ..BasketLayout::new(Form::Lists, true)
        };
        return Ok(layout);
    }
    Err(error)
}

/// Notes what became of a line. Whether reading goes on.
fn note(result: &mut BlockResult<Part>, done: Result<bool>, line: u64, policy: BadLines) -> bool {
    match done {
        Ok(is_row) => {
            result.rows += u64::from(is_row);
            true
        }
        Err(error) => result.bad_line(error, line, policy),
    }
}

/// Reads a block line by line. `take` says whether a line was a row.
fn read_lines(
    block: &[u8],
    policy: BadLines,
    take: impl Fn(&mut Part, &str, u64) -> Result<bool>,
) -> BlockResult<Part> {
    let mut result = BlockResult::new(Part::default());
    let mut start = 0;
    while start < block.len() {
        let end = memchr(b'\n', &block[start..]).map_or(block.len(), |at| start + at);
        let bytes = &block[start..end];
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        start = end + 1;
        result.lines += 1;
        let line = result.lines;
        let done = std::str::from_utf8(bytes).map_err(|_| not_utf8());
        let done = done.and_then(|text| take(&mut result.part, text, line));
        if !note(&mut result, done, line, policy) {
            break;
        }
    }
    result
}

/// A line of items with blanks between. SPMF ends sets with -1 and lines with -2, and has lines that are no baskets: they are
/// counted, as where they stand could tell something.
fn words(part: &mut Part, text: &str, line: u64) -> bool {
    if text.starts_with(is_comment) {
        part.comments += 1;
        return false;
    }
    let person = part.person(None, line);
    for item in text.split_ascii_whitespace() {
        if is_mark(item) {
            part.marks += 1;
        } else {
            part.push(person, item);
        }
    }
    true
}

/// Whether a line that begins so is a comment or one of SPMF's declarations.
pub(super) fn is_comment(first: char) -> bool {
    matches!(first, '@' | '#' | '%')
}

/// Whether a word is one of SPMF's ends, not an item.
pub(super) fn is_mark(word: &str) -> bool {
    matches!(word, "-1" | "-2")
}

/// Reads lines of cells: CSV without a header, where an empty line is a basket too.
fn read_cells(block: &[u8], delimiter: Delimiter, policy: BadLines) -> BlockResult<Part> {
    let mut result = BlockResult::new(Part::default());
    let mut start = 0;
    while start < block.len() {
        let end = memchr(b'\n', &block[start..]).map_or(block.len(), |at| start + at);
        let line = result.lines + 1;
        let (bytes, next) = if memchr(b'"', &block[start..end]).is_none() {
            (&block[start..end], end + 1)
        } else {
            // A quoted cell may hold line ends.
            let next = record_end(&block[start..], delimiter) + start;
            (&block[start..next], next)
        };
        let text =
            Quotes::of(bytes, delimiter).check().and_then(|()| std::str::from_utf8(bytes).map_err(|_| not_utf8()));
        let done = text.map(|text| {
            let person = result.part.person(None, line);
            if memchr(b'"', bytes).is_none() {
                text.split(char::from(delimiter.byte()))
                    .for_each(|cell| result.part.push(person, unmarked_text(cell.trim())));
            } else {
                each_record(delimiter, bytes, |cells, _, _| {
                    // Cells of a text are text: cuts are at ASCII characters.
                    cells.iter().for_each(|cell| result.part.push(person, &String::from_utf8_lossy(cell)));
                    true
                });
            }
            true
        });
        result.lines +=
            1 + memchr::memchr_iter(b'\n', &block[start..next.min(block.len()).saturating_sub(1).max(start)]).count()
                as u64;
        start = next;
        if !note(&mut result, done, line, policy) {
            break;
        }
    }
    result
}

/// A cell as it was meant: the mark that is taken away is a character of its own.
fn unmarked_text(cell: &str) -> &str {
    &cell[cell.len() - unmarked(cell.as_bytes()).len()..]
}

/// Where the first record of a CSV text ends, its line end included.
fn record_end(text: &[u8], delimiter: Delimiter) -> usize {
    let (mut inside, mut at_start, mut at) = (false, true, 0);
    while at < text.len() {
        match text[at] {
            b'"' if inside && text.get(at + 1) == Some(&b'"') => at += 1,
            b'"' if inside => inside = false,
            b'"' if at_start => inside = true,
            b'\n' if !inside => return at + 1,
            _ => {}
        }
        at_start = text[at] == delimiter.byte() && !inside;
        at += 1;
    }
    text.len()
}
