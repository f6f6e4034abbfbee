//! Reading ratings: rows with a person, an item, a number and perhaps a time; lists of persons and items; and files about items.
//!
//! The rows come from `fields`, whatever the format; `double_colon` reads the one form that is of ratings alone. A file without a
//! header is known by its third column, which is a number.

mod append;
mod digests;
mod double_colon;
mod items;
mod likeness;
mod shill_list;
mod write;

use throng_core::data::Interner;
use throng_core::data::ratings::{Rating, Ratings, RatingsBuilder, Repeated};
use throng_core::data::time::{self, TimeStyle};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::fields::{self, FieldLayout, Fields, RowConsumer};
use super::files::{Files, Joined, add_new};
use super::roles::{RoleCard, Roles, Suits};
use super::scan::{BadLines, ReadOptions};
use super::{Delimiter, Format, FormatKind, Location, Opened};

pub use append::{Appended, append};
pub use digests::{RatingDigests, read_opened_rating_digests};
pub use items::{Items, read_items};
pub(crate) use likeness::likeness;
pub(crate) use shill_list::read_shill_list;
pub(crate) use write::RatingsWriter;
pub use write::write_ratings;

/// The roles in their order.
const USER: usize = 0;
const ITEM: usize = 1;
const RATING: usize = 2;
const TIME: usize = 3;

const USER_CARD: RoleCard = RoleCard {
    name: "user",
    other_name: Some("person"),
    required: true,
    may_be_cut: false,
    suits: Suits::TextOrNumber,
    known_names: &[
        "user",
        "userid",
        "uid",
        "person",
        "personid",
        "reviewer",
        "reviewerid",
        "rater",
        "raterid",
        "customer",
        "customerid",
        "member",
        "memberid",
        "account",
        "accountid",
        "username",
        "profile",
        "profileid",
        "visitor",
        "visitorid",
        "viewer",
        "reader",
        "nutzer",
        "benutzer",
        "utilisateur",
        "usuario",
    ],
    beside: None,
};

const ITEM_CARD: RoleCard = RoleCard {
    name: "item",
    other_name: None,
    required: true,
    may_be_cut: false,
    suits: Suits::TextOrNumber,
    known_names: &[
        "item",
        "itemid",
        "movie",
        "movieid",
        "film",
        "filmid",
        "product",
        "productid",
        "book",
        "bookid",
        "isbn",
        "asin",
        "parentasin",
        "song",
        "songid",
        "track",
        "trackid",
        "artist",
        "artistid",
        "joke",
        "jokeid",
        "anime",
        "animeid",
        "game",
        "gameid",
        "recipe",
        "recipeid",
        "business",
        "businessid",
        "iid",
        "title",
    ],
    beside: None,
};

const RATING_CARD: RoleCard = RoleCard {
    name: "rating",
    other_name: None,
    required: true,
    may_be_cut: false,
    suits: Suits::TextOrNumber,
    known_names: &[
        "rating",
        "ratings",
        "score",
        "stars",
        "star",
        "starrating",
        "userrating",
        "bookrating",
        "overall",
        "vote",
        "grade",
        "preference",
        "value",
        "bewertung",
        "note",
    ],
    beside: None,
};

const TIME_CARD: RoleCard = RoleCard {
    name: "time",
    other_name: None,
    required: false,
    may_be_cut: true,
    suits: Suits::Time,
    known_names: &[
        "timestamp",
        "time",
        "datetime",
        "date",
        "ratedat",
        "createdat",
        "created",
        "unixreviewtime",
        "reviewtime",
        "ts",
        "when",
    ],
    beside: None,
};

/// The roles of ratings.
pub(crate) static ROLES: Roles = Roles { of: "ratings do", cards: &[USER_CARD, ITEM_CARD, RATING_CARD, TIME_CARD] };

/// The roles of a list of persons and items, which may have ratings.
static PAIR_ROLES: Roles = Roles {
    of: "pairs do",
    cards: &[USER_CARD, ITEM_CARD, RoleCard { required: false, may_be_cut: true, ..RATING_CARD }, TIME_CARD],
};

/// Names of columns where a file has no header.
const NAMES: &[&str] = &["user", "item", "rating", "time"];

/// Ratings as read from a file.
#[derive(Debug)]
pub struct ReadRatings {
    /// The ratings.
    pub ratings: Ratings,
    /// How many lines were left out: malformed ones, and second ratings of an item by a person.
    pub refused: u64,
    /// How the file writes its rows.
    pub form: Form,
    /// Where persons and items first stand.
    pub first_lines: FirstLines,
}

/// In which line of a file persons and items first stand, by their numbers.
#[derive(Debug, Default)]
pub struct FirstLines {
    /// Of persons.
    pub persons: Vec<u64>,
    /// Of items.
    pub items: Vec<u64>,
}

/// How a file writes its rows.
#[derive(Debug)]
pub struct Form {
    format: Format,
    /// The columns that have a role, with their places, and how many there are; of a file with `::`, none is named.
    layout: FieldLayout,
    /// How the first time is written.
    time_style: Option<TimeStyle>,
    has_double_colons: bool,
    /// What stands at the end of a line, where rows can be added as text.
    line_end: Option<&'static str>,
}

/// How a file writes its ratings, so that a release can be written the same way.
#[derive(Debug, Clone)]
pub struct RatingsLayout {
    /// The columns that have a role, by its number, in the order of the file.
    columns: Vec<(usize, String)>,
    /// Whether a header line names the columns.
    pub header: bool,
    /// How times are written.
    time_style: TimeStyle,
    /// For each role whether its values are of a type of the format itself, not text.
    typed: [bool; 4],
    /// Whether `::` stands between cells.
    pub has_double_colons: bool,
    /// Whether cells of CSV that look like formulas of a spreadsheet are written as they are.
    pub raw_cells: bool,
}

impl RatingsLayout {
    /// The columns of made-up ratings.
    pub fn made_up(format: Format) -> Self {
        let names = ["userId", "movieId", "rating", "timestamp"];
        Self {
            columns: names.into_iter().enumerate().map(|(role, name)| (role, name.to_owned())).collect(),
            header: format.kind != FormatKind::Tsv,
            time_style: TimeStyle::parse_format("seconds").unwrap_or(TimeStyle::ISO),
            typed: [format.kind == FormatKind::JsonLines || format.kind.has_typed_columns(); 4],
            has_double_colons: false,
            raw_cells: false,
        }
    }

    /// The columns by the names of their roles.
    pub fn columns(&self) -> Vec<(&'static str, String)> {
        self.columns.iter().map(|(role, name)| (ROLES.cards[*role].name, name.clone())).collect()
    }

    /// The same in another format.
    #[must_use]
    pub fn converted(mut self, from: Format, to: Format) -> Self {
        if from.kind != to.kind {
            self.header |= to.kind != FormatKind::Tsv;
            let has_types = to.kind == FormatKind::JsonLines || to.kind.has_typed_columns();
            self.typed = self.typed.map(|typed| typed && has_types);
            self.typed[TIME] |= to.kind.has_typed_columns();
            self.has_double_colons = false;
        }
        self
    }

    /// The same for ids of which all are numbers, or not.
    #[must_use]
    pub fn with_ids(mut self, format: Format, are_numbers: bool) -> Self {
        self.typed[USER] &= !format.kind.has_typed_columns() || are_numbers;
        self
    }
}

/// Ratings as read from files, with what was learned of those.
#[derive(Debug)]
pub struct ReadOpenedRatings {
    /// The ratings.
    pub ratings: Ratings,
    /// The format of the first file.
    pub format: Format,
    /// How it writes its rows.
    pub layout: RatingsLayout,
    /// How many lines were left out.
    pub refused: u64,
    /// Columns without a role.
    pub unmapped: Vec<String>,
    /// Whatever else is in the files and belongs to no row.
    pub uncompared: Vec<String>,
    /// For each person the line in which they first appear.
    pub first_lines: Vec<u64>,
    /// Where the lines of several files begin.
    pub files: Files,
}

/// Reads ratings, on a scale from one number to another if that is given.
pub fn read_ratings(
    location: &Location,
    options: &ReadOptions,
    scale: Option<(f64, f64)>,
    progress: &dyn Progress,
) -> Result<ReadRatings> {
    let in_file = |error: Error| error.in_file(location.to_string());
    let mut reading = Reading::<false>::default();
    let read = read_one(Opened::open(location, options)?, options, &mut reading, progress).map_err(in_file)?;
    let form = Form { time_style: reading.time_style, ..read.form };
    let repeated = if options.bad_lines == BadLines::Skip { Repeated::Skip } else { Repeated::Refuse };
    let first_lines = reading.first_lines();
    let (ratings, skipped) = reading.into_builder().finish(scale, repeated).map_err(in_file)?;
    refuse_one_person(&ratings).map_err(in_file)?;
    Ok(ReadRatings { ratings, refused: read.refused + skipped, form, first_lines })
}

/// Refuses ratings of a single person.
pub(crate) fn refuse_one_person(ratings: &Ratings) -> Result<()> {
    if ratings.persons() > 1 {
        return Ok(());
    }
    Err(Error::data("there is only one person in the file, and nobody to compare them with")
        .with_hint("`--column user=…` says which column tells people apart"))
}

/// Reads an open file of ratings, and those after it.
pub fn read_opened_ratings(
    opened: Opened,
    options: &ReadOptions,
    scale: Option<(f64, f64)>,
    progress: &dyn Progress,
) -> Result<ReadOpenedRatings> {
    let location = opened.location().to_string();
    let mut reading = Reading::<false>::default();
    let about = read_all(opened, options, &mut reading, |reading, lines| reading.before = lines, progress)?;
    let repeated = if options.bad_lines == BadLines::Skip { Repeated::Skip } else { Repeated::Refuse };
    let time_style = reading.time_style;
    let mut first_lines = vec![0; reading.persons.strings().len()];
    for row in reading.rows.iter().rev() {
        first_lines[row.person as usize] = row.line;
    }
    let finished = reading.into_builder().finish(scale, repeated);
    let (ratings, skipped) = finished.map_err(|error| error.in_file(location))?;
    let mut layout = about.layout;
    layout.time_style = time_style.unwrap_or(layout.time_style);
    Ok(ReadOpenedRatings {
        ratings,
        format: about.format,
        layout,
        refused: about.refused + skipped,
        unmapped: about.unmapped,
        uncompared: about.uncompared,
        first_lines,
        files: about.files,
    })
}

/// What was learned of several files.
struct ReadAll {
    format: Format,
    layout: RatingsLayout,
    refused: u64,
    unmapped: Vec<String>,
    uncompared: Vec<String>,
    files: Files,
}

/// Reads an open file, and those after it, into a consumer, which is told how many lines come before each.
fn read_all<C: RowConsumer<4>>(
    opened: Opened,
    options: &ReadOptions,
    consumer: &mut C,
    mut before: impl FnMut(&mut C, u64),
    progress: &dyn Progress,
) -> Result<ReadAll> {
    let mut whole: Option<ReadAll> = None;
    let files = Joined::read(opened, options, |opened, joined| {
        before(consumer, joined.lines);
        let read = read_one(opened, options, consumer, progress)?;
        joined.lines += read.lines;
        let FieldLayout { columns, header, typed, unmapped, .. } = read.form.layout;
        let layout = RatingsLayout {
            columns,
            header,
            time_style: TimeStyle::ISO,
            typed: std::array::from_fn(|role| typed.get(role).copied().unwrap_or(false)),
            has_double_colons: read.form.has_double_colons,
            raw_cells: false,
        };
        let uncompared = joined.told(read.uncompared);
        let Some(whole) = &mut whole else {
            let (format, refused, files) = (read.form.format, read.refused, Files::default());
            whole = Some(ReadAll { format, layout, refused, unmapped, uncompared, files });
            return Ok(());
        };
        let roles =
            |layout: &RatingsLayout| layout.columns().into_iter().map(|(role, _)| role).collect::<Vec<&'static str>>();
        joined.agree(&roles(&whole.layout), &roles(&layout))?;
        whole.layout.typed.iter_mut().zip(layout.typed).for_each(|(own, other)| *own &= other);
        whole.refused += read.refused;
        whole.uncompared.extend(uncompared);
        add_new(&mut whole.unmapped, unmapped);
        Ok(())
    })?;
    let whole = whole.ok_or_else(|| Error::internal("no file was read"))?;
    Ok(ReadAll { files, ..whole })
}

/// A person and an item of a list, with the line that they stand in.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadPair {
    /// The line, from 1.
    pub line: u64,
    /// The number of the person, if the ratings have them.
    pub person: Option<u32>,
    /// The number of the item, if the ratings have it.
    pub item: Option<u32>,
    /// What the person gave it.
    pub rating: Option<f64>,
    /// The ids.
    pub ids: [String; 2],
}

/// Reads a list of persons and items, which may have ratings, and finds both in ratings.
pub fn read_pairs(
    location: &Location,
    options: &ReadOptions,
    ratings: &Ratings,
    progress: &dyn Progress,
) -> Result<Vec<ReadPair>> {
    let mut reading = Reading::<true>::default();
    read_one(Opened::open(location, options)?, options, &mut reading, progress)
        .map_err(|error| error.in_file(location.to_string()))?;
    let (persons, items) = (reading.persons.into_strings(), reading.items.into_strings());
    let (in_persons, in_items) = (persons.ids_in(ratings.person_ids()), items.ids_in(ratings.item_ids()));
    let pair = |row: Row| ReadPair {
        line: row.line,
        person: in_persons[row.person as usize],
        item: in_items[row.item as usize],
        rating: row.value,
        ids: [persons.get(row.person).to_owned(), items.get(row.item).to_owned()],
    };
    Ok(reading.rows.into_iter().map(pair).collect())
}

/// What was learned of one file.
struct ReadOne {
    form: Form,
    refused: u64,
    lines: u64,
    uncompared: Vec<String>,
}

fn read_one<C: RowConsumer<4>>(
    opened: Opened,
    options: &ReadOptions,
    consumer: &mut C,
    progress: &dyn Progress,
) -> Result<ReadOne> {
    let is_pairs = !C::ROLES.cards[RATING].required;
    let line_end = append::line_end(&opened);
    if !says_otherwise(options) && double_colon::begins(&opened.source.head, is_pairs) {
        let format = double_colon::format(&opened);
        let lined = double_colon::read(opened.source, format, options.bad_lines, consumer, progress)?;
        let layout = double_colon::layout(lined.columns);
        let form = Form { format, layout, time_style: None, has_double_colons: true, line_end };
        return Ok(ReadOne { form, refused: lined.refused, lines: lined.lines, uncompared: lined.uncompared });
    }
    let format = opened.format;
    let found = fields::read(opened.source, format, options, consumer, progress)?;
    let form = Form { format, layout: found.layout, time_style: None, has_double_colons: false, line_end };
    Ok(ReadOne { form, refused: found.refused, lines: found.lines, uncompared: found.uncompared.sentences() })
}

/// Whether somebody says that cells are not told apart by `::`: another format than that of a release of such a file, or columns in another
/// order.
fn says_otherwise(options: &ReadOptions) -> bool {
    let is_tab = |delimiter: Delimiter| delimiter == Delimiter::TAB;
    let in_place = |(role, card): (usize, &RoleCard)| {
        let chosen = options.columns.iter().find(|choice| choice.role == card.name);
        chosen.is_none_or(|choice| choice.name == (role + 1).to_string())
    };
    options.format.is_some_and(|format| format.kind != FormatKind::Tsv)
        || !options.delimiter.is_none_or(is_tab)
        || !ROLES.cards.iter().enumerate().all(in_place)
}

/// The rows of a file while they are read.
#[derive(Default)]
struct Reading<const PAIRS: bool> {
    persons: Interner,
    items: Interner,
    rows: Vec<Row>,
    time_style: Option<TimeStyle>,
    /// The lines of the files before.
    before: u64,
}

/// A row, with the numbers of its person and item.
#[derive(Debug, Clone, Copy)]
struct Row {
    person: u32,
    item: u32,
    value: Option<f64>,
    time: Option<i64>,
    line: u64,
}

/// The rows of a block, with numbers of its own.
#[derive(Default)]
struct Block {
    persons: Interner,
    items: Interner,
    rows: Vec<Row>,
    time_style: Option<TimeStyle>,
}

impl<const PAIRS: bool> Reading<PAIRS> {
    fn first_lines(&self) -> FirstLines {
        let mut first = FirstLines::default();
        for row in &self.rows {
            // Numbers are given by first appearance.
            if row.person as usize == first.persons.len() {
                first.persons.push(row.line);
            }
            if row.item as usize == first.items.len() {
                first.items.push(row.line);
            }
        }
        first
    }

    fn into_builder(self) -> RatingsBuilder {
        let mut builder = RatingsBuilder::default();
        for id in self.persons.strings().iter() {
            builder.person(id);
        }
        for id in self.items.strings().iter() {
            builder.item(id);
        }
        for Row { person, item, value, time, line } in self.rows {
            builder.push(person, Rating { item, value: value.unwrap_or(f64::NAN), time }, line);
        }
        builder
    }
}

impl<const PAIRS: bool> RowConsumer<4> for Reading<PAIRS> {
    const ROLES: &'static Roles = if PAIRS { &PAIR_ROLES } else { &ROLES };
    const TIME: Option<usize> = Some(TIME);
    type Part = Block;

    fn without_header(cells: &[&str], _options: &ReadOptions) -> Option<&'static [&'static str]> {
        is_row(cells, PAIRS).then_some(NAMES)
    }

    fn part(&self) -> Block {
        Block::default()
    }

    fn row<'n>(
        &self,
        block: &mut Block,
        fields: Fields<'_, 4>,
        line: u64,
        name_of: impl Fn(usize) -> &'n str,
    ) -> Result<()> {
        let [person, item, rating, time] = fields.texts;
        check_ids(person, item, &name_of)?;
        let value = match rating.trim() {
            "" if PAIRS => None,
            "" => return Err(missing("the rating").in_column(name_of(RATING))),
            text => Some(number(text).ok_or_else(|| {
                Error::data("the rating is not a number")
                    .with_value(text)
                    .in_column(name_of(RATING))
                    .with_hint("`--bad-lines skip` leaves such lines out and counts them")
            })?),
        };
        let (time, style) = match (fields.instant, time.trim()) {
            (Some(read), _) => (Some(read.instant.millis), None),
            (None, "") => (None, None),
            (None, text) => {
                let (instant, style) = time::parse(text).ok_or_else(|| {
                    Error::data("the time is not understood")
                        .with_value(text)
                        .in_column(name_of(TIME))
                        .with_hint("`--column time=` leaves the times out")
                })?;
                (Some(instant.millis), Some(style))
            }
        };
        block.time_style = block.time_style.or(style);
        let (person, item) = (block.persons.intern(person), block.items.intern(item));
        block.rows.push(Row { person, item, value, time, line });
        Ok(())
    }

    fn absorb(&mut self, parts: Vec<(Block, u64)>) {
        for (block, before) in parts {
            let persons: Vec<u32> = block.persons.strings().iter().map(|id| self.persons.intern(id)).collect();
            let items: Vec<u32> = block.items.strings().iter().map(|id| self.items.intern(id)).collect();
            self.rows.extend(block.rows.into_iter().map(|row| Row {
                person: persons[row.person as usize],
                item: items[row.item as usize],
                line: row.line + before + self.before,
                ..row
            }));
            self.time_style = self.time_style.or(block.time_style);
        }
    }
}

/// Whether a first line is a row and no header.
fn is_row(cells: &[&str], is_pairs: bool) -> bool {
    match cells {
        [_, _] => is_pairs,
        [_, _, rating] | [_, _, rating, _] => number(rating).is_some(),
        _ => false,
    }
}

/// Refuses a row without a person or an item.
fn check_ids<'n>(person: &str, item: &str, name_of: &impl Fn(usize) -> &'n str) -> Result<()> {
    for (role, text, what) in [(USER, person, "the id of the person"), (ITEM, item, "the id of the item")] {
        if text.is_empty() {
            return Err(missing(what).in_column(name_of(role)));
        }
    }
    Ok(())
}

fn missing(what: &str) -> Error {
    Error::data(format!("{what} is missing")).with_hint("`--bad-lines skip` leaves such lines out and counts them")
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests;
