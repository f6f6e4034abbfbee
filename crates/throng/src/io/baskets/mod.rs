//! Reading and writing baskets: one a line, a row for each item, or lists; and those with sensitive items by group.
//!
//! An item is trimmed, and an empty one is none. A person with nothing is a person all the same: an empty line, an empty
//! list, or a row with an empty item. Where a file has no ids a person is the number of their line, from 1.

mod lists;
mod long;
mod text;
mod write;

use throng_core::data::baskets::Grouping;
use throng_core::data::{Baskets, BasketsBuilder, Interner};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::files::{Files, Joined, add_new};
use super::head::{Head, Likeness, Sort};
use super::places::{self, LookAt, Place, TextRoles};
use super::queries::{PERSON_NAMES, has_name_of_log};
use super::roles::{RoleCard, Roles, Suits};
use super::scan::{self, BadLines, BlockConsumer, BlockResult, ReadOptions};
use super::uncompared::Uncompared;
use super::{Format, FormatKind, Location, Opened};

pub use write::write_baskets;

/// How a file writes down baskets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One basket a line, and nothing else.
    Lines,
    /// A row for each item of a person.
    Long,
    /// A person with a list of items.
    Lists,
}

/// How a file writes its baskets, so that a release can be written the same way.
#[derive(Debug, Clone, PartialEq)]
pub struct BasketLayout {
    /// Lines, rows or lists.
    pub form: Form,
    /// The name of the person's column; `None` where persons have no ids.
    pub person: Option<String>,
    /// The name of the column of items; of no use for lines.
    pub item: String,
    /// Whether the item's column stands before the person's.
    pub item_first: bool,
    /// Whether a header line, or the format itself, names the columns.
    pub header: bool,
    /// Whether ids are numbers of the format itself, not text.
    pub typed_person: bool,
    /// Whether items are numbers of the format itself, not text.
    pub typed_item: bool,
    /// Whether cells of CSV that look like formulas of a spreadsheet are written as they are.
    pub raw_cells: bool,
    /// Columns of the input that have no role, which are never copied.
    pub unmapped: Vec<String>,
}

impl BasketLayout {
    /// The layout of a form, with names of its own.
    pub fn new(form: Form, has_ids: bool) -> Self {
        Self {
            form,
            person: has_ids.then(|| "person".to_owned()),
            item: if form == Form::Lists { "items" } else { "item" }.to_owned(),
            item_first: false,
            header: true,
            typed_person: false,
            typed_item: false,
            raw_cells: false,
            unmapped: Vec::new(),
        }
    }

    /// The same baskets in another format: the columns stay, the form is the nearest that the format has.
    pub fn fitted(&self, format: FormatKind) -> Result<Self> {
        let has_ids = self.person.is_some();
        let form = match (format, self.form) {
            (
                FormatKind::Fimi | FormatKind::Log(_) | FormatKind::GraphMl | FormatKind::Gml | FormatKind::Points(_),
                _,
            ) => Form::Lines,
            (FormatKind::Csv, _) if !has_ids => Form::Lines,
            (FormatKind::Tsv, _) if !has_ids => {
                return Err(Error::refused("baskets without ids cannot be written as tsv")
                    .with_hint("choose fimi, csv, jsonl or parquet"));
            }
            (FormatKind::Csv | FormatKind::Tsv, _) => Form::Long,
            (FormatKind::JsonLines, _) => Form::Lists,
            (FormatKind::Parquet | FormatKind::Arrow, Form::Long) if has_ids => Form::Long,
            (FormatKind::Parquet | FormatKind::Arrow, _) => Form::Lists,
        };
        let mut layout = self.clone();
        if form != self.form {
            layout.item = Self::new(form, has_ids).item;
            layout.item_first = false;
        }
        layout.person = self.person.clone().filter(|_| form != Form::Lines);
        layout.form = form;
        let has_types = format == FormatKind::JsonLines || format.has_typed_columns();
        layout.header |= has_types;
        layout.typed_person &= has_types;
        layout.typed_item &= has_types;
        Ok(layout)
    }

    /// The columns by role in their order, for a certificate and for reading the file again; none where it has no columns.
    pub fn columns(&self) -> Vec<(&'static str, &str)> {
        let person = self.person.as_deref().map(|name| ("person", name));
        let item = (self.form != Form::Lines).then_some(("item", self.item.as_str()));
        if self.item_first {
            item.into_iter().chain(person).collect()
        } else {
            person.into_iter().chain(item).collect()
        }
    }
}

/// Baskets as read from a file.
#[derive(Debug)]
pub struct ReadBaskets {
    /// The baskets; items are labels.
    pub baskets: Baskets,
    /// The file's format.
    pub format: Format,
    /// How it writes them.
    pub layout: BasketLayout,
    /// The number of malformed lines that were left out.
    pub refused: u64,
    /// For each person the line in which they first appear.
    pub first_lines: Vec<u64>,
    /// What the file holds beside its baskets, which no model compares; a release has none of it.
    pub uncompared: Vec<String>,
    /// Where the lines of several files begin.
    pub files: Files,
}

/// Reads a file into memory.
pub fn read_baskets(location: &Location, options: &ReadOptions, progress: &dyn Progress) -> Result<ReadBaskets> {
    read_opened_baskets(Opened::open(location, options)?, options, progress)
}

/// Reads a file that is open already, and those after it, into memory.
pub fn read_opened_baskets(opened: Opened, options: &ReadOptions, progress: &dyn Progress) -> Result<ReadBaskets> {
    let format = opened.format;
    let location = opened.location().to_string();
    let mut whole = Whole::default();
    let mut first: Option<BasketLayout> = None;
    let (mut refused, mut uncompared) = (0, Vec::new());
    let files = Joined::read(opened, options, |opened, joined| {
        whole.before = joined.lines;
        let file = read_one(opened, options, &mut whole, progress)?;
        joined.lines += file.lines;
        refused += file.refused;
        uncompared.extend(joined.told(whole.beside(&file.uncompared)));
        let Some(first) = &mut first else {
            first = Some(file.layout);
            return Ok(());
        };
        whole.refuse_groups_of_several()?;
        let roles = |layout: &BasketLayout| if layout.person.is_some() { vec!["person", "item"] } else { vec!["item"] };
        joined.agree(&roles(first), &roles(&file.layout))?;
        first.typed_person &= file.layout.typed_person;
        first.typed_item &= file.layout.typed_item;
        add_new(&mut first.unmapped, file.layout.unmapped);
        Ok(())
    })?;
    let layout = first.ok_or_else(|| Error::internal("no file was read"))?;
    let read = whole.finish(format, layout).map_err(|error| error.in_file(location))?;
    Ok(ReadBaskets { refused, uncompared, files, ..read })
}

/// The places of what is found in the items of a file with a row for each; nothing for one of another form.
pub(crate) fn basket_places(
    opened: Opened,
    options: &ReadOptions,
    look: LookAt<'_>,
    progress: &dyn Progress,
) -> Result<Option<Vec<Place>>> {
    let is_text = matches!(opened.format.kind, FormatKind::Tsv | FormatKind::Csv);
    if !is_text || !text::is_long(&opened.source.head, opened.format, options)? {
        return Ok(None);
    }
    places::of_rows::<2, Rows>(opened, options, look, progress).map(Some)
}

/// A row for each item.
struct Rows;

impl TextRoles for Rows {
    const ROLES: &'static Roles = &ROLES;
    const TEXT: (usize, &'static str) = (ITEM, "item");
}

/// What was learned of one file.
struct File {
    layout: BasketLayout,
    lines: u64,
    refused: u64,
    uncompared: Uncompared,
}

/// Reads one file into the whole.
fn read_one(opened: Opened, options: &ReadOptions, whole: &mut Whole, progress: &dyn Progress) -> Result<File> {
    let Opened { source, format, .. } = opened;
    if format.kind.has_typed_columns() {
        return lists::read(source, format, options, whole, progress);
    }
    scan::refuse_parquet(&source)?;
    if matches!(format.kind, FormatKind::Tsv | FormatKind::Csv) && text::is_long(&source.head, format, options)? {
        return long::read(source, format, options, whole, progress);
    }
    let reader = text::Reader::new(&source.head, format, options)?;
    scan::stage(&source, progress);
    let uncompared = source.uncompared.clone();
    let mut reading = Reading { reader, whole };
    let totals = scan::read_blocks(source, format, 0, options.bad_lines, &mut reading, progress)?;
    let (_, refused) = totals.counts()?;
    Ok(File { layout: reading.reader.layout(), lines: totals.lines, refused, uncompared })
}

struct Reading<'w> {
    reader: text::Reader,
    whole: &'w mut Whole,
}

impl BlockConsumer for Reading<'_> {
    type Part = Part;

    fn part(&self) -> Part {
        Part::default()
    }

    fn read(&self, block: &[u8], policy: BadLines) -> BlockResult<Part> {
        self.reader.read(block, policy)
    }

    fn absorb(&mut self, parts: Vec<(Part, u64)>) {
        for (part, before) in parts {
            self.whole.add(&part, before, self.reader.has_ids());
        }
    }
}

/// What a block holds, by numbers of its own.
#[derive(Default)]
struct Part {
    names: Interner,
    /// The line, from 1 in the block, in which each person first appears.
    lines: Vec<u64>,
    /// The group of each person, where there are groups.
    groups: Vec<u32>,
    group_names: Interner,
    labels: Interner,
    rows: Vec<(u32, u32)>,
    /// The persons of items without a name, once for each.
    empty: Vec<u32>,
    /// Group, item, how many.
    sensitive: Vec<(u32, u32, u32)>,
    /// Lines that are comments.
    comments: u64,
    /// Ends of sets and lines, as SPMF writes them.
    marks: u64,
}

impl Part {
    /// The person with this id, or, without one, the one of this line.
    fn person(&mut self, id: Option<&str>, line: u64) -> u32 {
        let person = id.map_or(self.lines.len() as u32, |id| self.names.intern(id));
        if person as usize == self.lines.len() {
            self.lines.push(line);
        }
        person
    }

    /// Gives a person an item. An empty one is none, but may be the only thing that a person has.
    fn push(&mut self, person: u32, item: &str) {
        let item = item.trim();
        if item.is_empty() {
            self.empty.push(person);
        } else {
            let label = self.labels.intern(item);
            self.rows.push((person, label));
        }
    }

    /// Puts a person into a group. Whether they can be in it: they are not in another one.
    fn group(&mut self, person: u32, group: &str) -> bool {
        let group = self.group_names.intern(group);
        match self.groups.get(person as usize) {
            Some(&other) => other == group,
            None => {
                self.groups.push(group);
                true
            }
        }
    }
}

/// What all blocks of all files hold.
struct Whole {
    builder: BasketsBuilder,
    /// The lines of the files before.
    before: u64,
    first_lines: Vec<u64>,
    groups: Interner,
    group_of: Vec<u32>,
    sensitive: Vec<(u32, u32, u32)>,
    /// Somebody is in two groups, or in none while others are.
    torn: bool,
    has_ids: bool,
    comments: u64,
    marks: u64,
    /// For each person whether they have something, and how many items without a name.
    empty: Vec<(bool, u64)>,
}

impl Default for Whole {
    fn default() -> Self {
        Self {
            builder: BasketsBuilder::new(None, true),
            before: 0,
            first_lines: Vec::new(),
            groups: Interner::new(),
            group_of: Vec::new(),
            sensitive: Vec::new(),
            torn: false,
            has_ids: true,
            comments: 0,
            marks: 0,
            empty: Vec::new(),
        }
    }
}

impl Whole {
    fn add(&mut self, part: &Part, before: u64, has_ids: bool) {
        let before = self.before + before;
        self.has_ids = has_ids;
        self.comments += part.comments;
        self.marks += part.marks;
        let labels: Vec<u32> = part.labels.strings().iter().map(|label| self.builder.label(label)).collect();
        let groups: Vec<u32> = part.group_names.strings().iter().map(|group| self.groups.intern(group)).collect();
        let mut persons = Vec::with_capacity(part.lines.len());
        for (at, line) in part.lines.iter().enumerate() {
            let person = if has_ids {
                self.builder.person(part.names.strings().get(at as u32))
            } else {
                self.builder.person(&(before + line).to_string())
            };
            persons.push(person);
            let group = part.groups.get(at).map(|&group| groups[group as usize]);
            if person as usize == self.first_lines.len() {
                self.first_lines.push(before + line);
                self.group_of.extend(group);
            } else {
                self.torn |= group.is_some_and(|group| self.group_of.get(person as usize) != Some(&group));
            }
        }
        self.empty.resize(self.first_lines.len(), (false, 0));
        for &(person, label) in &part.rows {
            self.builder.push(persons[person as usize], labels[label as usize]);
            self.empty[persons[person as usize] as usize].0 = true;
        }
        for &person in &part.empty {
            self.empty[persons[person as usize] as usize].1 += 1;
        }
        let sensitive = part.sensitive.iter();
        self.sensitive
            .extend(sensitive.map(|&(group, item, count)| (groups[group as usize], labels[item as usize], count)));
    }

    /// What the file that was just read holds beside its baskets, in words.
    fn beside(&mut self, uncompared: &Uncompared) -> Vec<String> {
        uncompared.note_many("a comment line", std::mem::take(&mut self.comments));
        uncompared.note_many("a mark -1 or -2 between items", std::mem::take(&mut self.marks));
        // One says that somebody has nothing; more, or one beside something, tell persons apart who have the same.
        let extra = |(has_items, empty): &(bool, u64)| empty.saturating_sub(u64::from(!has_items));
        uncompared.note_many("an item without a name", self.empty.iter().map(extra).sum());
        self.empty.iter_mut().for_each(|(_, empty)| *empty = 0);
        uncompared.sentences()
    }

    /// Groups of two files have the same numbers and nothing in common.
    fn refuse_groups_of_several(&self) -> Result<()> {
        if self.groups.strings().is_empty() {
            return Ok(());
        }
        Err(Error::refused("sensitive items are published by group, and groups of several files cannot be told apart")
            .with_hint("give one file at a time"))
    }

    fn finish(self, format: Format, layout: BasketLayout) -> Result<ReadBaskets> {
        let mut baskets = self.builder.finish().with_ids(self.has_ids);
        let read = |baskets, first_lines| ReadBaskets {
            baskets,
            format,
            layout,
            first_lines,
            refused: 0,
            uncompared: Vec::new(),
            files: Files::default(),
        };
        if self.groups.strings().is_empty() {
            return Ok(read(baskets, self.first_lines));
        }
        if self.torn || self.group_of.len() != baskets.persons() {
            return Err(Error::data("some persons are in two groups, or in none")
                .with_hint("where sensitive items are published by group, every person has one group"));
        }
        let mut sensitive = vec![Vec::new(); self.groups.strings().len()];
        let mut rows = self.sensitive;
        rows.sort_unstable();
        for (group, item, count) in rows {
            let counts: &mut Vec<(u32, u32)> = &mut sensitive[group as usize];
            match counts.last_mut() {
                Some((last, sum)) if *last == item => *sum = sum.saturating_add(count),
                _ => counts.push((item, count)),
            }
        }
        // The file itself says which items are sensitive.
        let items = sensitive.iter().flatten().map(|&(item, _)| item).collect();
        baskets = baskets.with_sensitive(items).with_grouping(Grouping { group_of: self.group_of, sensitive });
        Ok(read(baskets, self.first_lines))
    }
}

/// The roles of baskets.
pub(crate) static ROLES: Roles = Roles {
    of: "baskets do",
    cards: &[
        RoleCard {
            name: "person",
            other_name: Some("user"),
            required: true,
            may_be_cut: false,
            suits: Suits::TextOrNumber,
            known_names: PERSON_NAMES,
            beside: None,
        },
        RoleCard {
            name: "item",
            other_name: Some("items"),
            required: true,
            // A person with nothing.
            may_be_cut: true,
            suits: Suits::TextOrNumber,
            known_names: ITEM_NAMES,
            beside: None,
        },
    ],
};

/// Places of the roles.
const PERSON: usize = 0;
const ITEM: usize = 1;

/// Names that columns of items usually have.
const ITEM_NAMES: &[&str] = &[
    "item",
    "items",
    "basket",
    "itemid",
    "itemname",
    "product",
    "products",
    "productid",
    "productname",
    "article",
    "articles",
    "sku",
    "stockcode",
    "diagnosis",
    "diagnoses",
    "word",
    "words",
    "transaction",
    "artikel",
    "produkt",
    "ware",
    "producto",
    "prodotto",
];

/// Whether a column of this name is one of items.
pub(crate) fn knows_item(name: &str) -> bool {
    ROLES.cards[ITEM].knows(name)
}

/// Whether a column of this name is one of persons.
pub(crate) fn knows_person(name: &str) -> bool {
    ROLES.cards[PERSON].knows(name)
}

/// How much a file looks like baskets: it names a person and an item, holds lists of items, or is lines of words or of cells
/// among which there is no time.
pub(crate) fn likeness(head: &Head, options: &ReadOptions) -> Option<Likeness> {
    if !ROLES.have_all(&options.columns) {
        return None;
    }
    if ROLES.is_chosen(ITEM, &options.columns) {
        return Some(Likeness::said());
    }
    if head.format.kind == FormatKind::Fimi {
        return Some(match options.format {
            Some(_) => Likeness::certain("`--format` says that it has one basket a line"),
            None => Likeness::probable("it has lines of words and no columns: one basket a line"),
        });
    }
    let names = head.names();
    let roles = ROLES.guess(&names, &options.columns).unwrap_or_default();
    let place = |role: usize| roles.iter().position(|&other| other == Some(role));
    let is_long = place(PERSON).is_some() && place(ITEM).is_some();
    let has_lists = head.sorts.contains(&Sort::List);
    let is_probable = match head.format.kind {
        FormatKind::Parquet | FormatKind::Arrow => has_lists || is_long,
        FormatKind::JsonLines => {
            let has_groups = names.contains(&text::GROUP) && names.contains(&text::SENSITIVE);
            has_groups || place(ITEM).is_some_and(|at| head.sorts[at] == Sort::List)
        }
        FormatKind::Tsv | FormatKind::Csv | FormatKind::Fimi => is_long,
        FormatKind::Log(_) | FormatKind::GraphMl | FormatKind::Gml | FormatKind::Points(_) => return None,
    };
    // Lines of cells have no header; a log without one, or with one that is not understood, has times or a known name.
    let is_lines = head.format.kind == FormatKind::Csv
        && options.columns.is_empty()
        && !head.has_times
        && !has_name_of_log(&names);
    let probable = Likeness::probable(if has_lists {
        "it has lists of items"
    } else {
        "it has columns with the names of a person and an item"
    });
    let is_even = head.rows.iter().all(|row| Some(row.len()) == head.rows.first().map(Vec::len));
    let possible = Likeness::possible(match is_even {
        true => "its lines have no times and no names of columns that are known: one basket a line",
        false => "its lines are of different lengths and without a time: one basket a line",
    });
    is_probable.then_some(probable).or(is_lines.then_some(possible))
}

/// The columns of person and item; an error where one that must be there is not.
fn find_columns(names: &[&str], options: &ReadOptions, needs_person: bool) -> Result<(Option<usize>, usize)> {
    let roles = ROLES.guess(names, &options.columns)?;
    let place = |role: usize| roles.iter().position(|&other| other == Some(role));
    match (place(PERSON), place(ITEM)) {
        (None, _) if needs_person => Err(missing("person", names)),
        (_, None) => Err(missing("item", names)),
        (person, Some(item)) => Ok((person, item)),
    }
}

fn missing(role: &str, names: &[&str]) -> Error {
    Error::data(format!("cannot tell which column is the {role}"))
        .at_line(1)
        .with_value(names.join(", "))
        .with_hint("name both: `--column person=… item=…`")
}
