//! Kinds of data: one room each, with everything in it that differs between them.
//!
//! A kind is a type, a [`Dataset`], that implements one trait, [`Kinded`]: what it is called, what stands on its shelf, how it
//! is recognised, read, understood, written, and judged. The commands (`run`) are one generic function each, and know no kind.
//! What they hold is an [`AnyKind`] out of [`KINDS`], the one list; a kind that is not in it does not exist.
//!
//! A file that two kinds could be is an error that names both, never a default.

mod any;
mod ask;
mod barred;
mod baskets;
mod documents;
mod foreign;
mod graph;
pub(crate) mod paths;
mod profile;
mod queries;
mod ratings;
mod recognise;
mod table;
mod visits;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::io::Write;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use throng_core::accounts::{Accounts, ITEMS_UNKNOWN, OCCURRENCES_UNKNOWN, PERSONS_WITHOUT_CONCEPT};
use throng_core::concepts::{Coverage, Mapper, Texts};
use throng_core::data::{
    Baskets, Content, Dataset, Documents, FactSort, Graph, Paths, QueryLog, Ratings, Strings, Table, Visits,
};
use throng_core::distance::user_distance::QueryWeights;
use throng_core::measures::Measure;
use throng_core::methods::Method;
use throng_core::models::Witness;
use throng_core::models::k_anonymity::EqualRecords;
use throng_core::profiles::lines::{LineWords, Pages};
use throng_core::progress::Progress;
use throng_core::release::{Claim, Protected, Release};
use throng_core::shares::Trouble;
use throng_core::{Error, Result, Rng};

pub use self::any::AnyKind;
pub(crate) use self::any::card_of;
pub use self::any::named;
use self::any::of;
pub(crate) use self::ask::WORDNET;
pub use self::ask::{Ask, ColumnRecord, Knowledge, TableRecord, TaxonomyRecord};
pub use self::barred::Barred;
pub(crate) use self::graph::kind_of_nodes;
pub use self::profile::{ProfileRequest, Profiled, profile};
pub use self::recognise::{Recognition, kind_of};
pub(crate) use self::recognise::{columns_that_are_there, files_in, open};
pub use self::table::Schema;
pub(crate) use self::table::{is_project, kind_of_schemas, limit_of};
use crate::catalog::Shelf;
use crate::ids;
pub use crate::io::ColumnChoice;
pub(crate) use crate::io::table::ATTRIBUTES;
use crate::io::{self, Encoding, Files, Format, Location, LookAt, Opened, Person, Place, ReadOptions};
use crate::memory;
use crate::run::{Certified, DistanceOutcome, StudyPart, SynthRequest};
use crate::words::{Lengths, Line, counted, thousands};

/// Every kind of data, in the order of the documentation. A room that does not stand here is never asked.
pub static KINDS: &[&dyn AnyKind] = &[
    &of::<QueryLog>(),
    &of::<Baskets>(),
    &of::<Documents>(),
    &of::<Table>(),
    &of::<Visits>(),
    &of::<Graph>(),
    &of::<Paths>(),
    &of::<Ratings>(),
];

/// What a kind of data is called, and the words that are used of it.
#[derive(Debug, Clone, Copy)]
pub struct KindCard {
    /// Its name on the command line and in certificates.
    pub name: &'static str,
    /// One sentence on it.
    pub summary: &'static str,
    /// Who or what is protected: one, and many.
    pub person: [&'static str; 2],
    /// What persons have in the file: one, and many.
    pub row: [&'static str; 2],
    /// What an attacker may know of a person: one, and many.
    pub fact: [&'static str; 2],
    /// What such data of so many persons are called: `{}` stands for the number with its noun.
    pub heading: &'static str,
    /// The sorts of facts that may be known, the first of them first.
    pub facts: &'static [FactSort],
    /// What whoever knows some did: found whom.
    pub found: &'static str,
    /// What a taxonomy may not know: one, and many.
    pub unknown: [&'static str; 2],
    /// What is left out if it cannot be read: one with its verb, and many.
    pub refused: [&'static str; 2],
    /// Who a person is where the file has no ids.
    pub without_ids: &'static str,
    /// The kinds whose files can be taken as this one (`--as`).
    pub made_of: &'static [&'static str],
    /// The format of made-up data, and endings of files that can hold them.
    pub made_up: [&'static str; 2],
    /// The roles of its columns, as on the command line.
    pub roles: &'static str,
    /// Whether persons have several rows, so that a column with another value in nearly every row is none of persons.
    pub has_several_rows: bool,
    /// Whether a release has other columns than its original.
    pub release_has_own_columns: bool,
    /// Which method is the default of some such data, in brackets; nothing where it is the same for all.
    pub other_default: &'static str,
    /// Whether rows have times.
    pub has_times: bool,
    /// Whether items may be sensitive.
    pub has_sensitive: bool,
    /// Whether a taxonomy says something of a file as it stands, when it is checked or looked at.
    pub judged_by_taxonomy: bool,
    /// Whether `synth` can plant persons in it who type what gives them away.
    pub can_be_planted: bool,
    /// Whether made-up data have a file about their items beside them.
    pub has_items_file: bool,
}

impl KindCard {
    /// What most kinds are like; a card names what is its own.
    pub const PLAIN: Self = Self {
        name: "",
        summary: "",
        person: ["person", "persons"],
        row: ["row", "rows"],
        fact: ["", ""],
        heading: "",
        facts: &[],
        found: "found them",
        unknown: ["", ""],
        refused: ["malformed line was", "malformed lines were"],
        without_ids: "one a line",
        made_of: &[],
        made_up: ["", ""],
        roles: "",
        has_several_rows: true,
        release_has_own_columns: false,
        other_default: "",
        has_times: false,
        has_sensitive: false,
        judged_by_taxonomy: false,
        can_be_planted: false,
        has_items_file: false,
    };
}

/// Why data are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// They are an original: to be protected, or to measure a release against.
    Original,
    /// They are a release: judged as they stand.
    Release,
    /// Somebody wants to know what they are.
    Look,
}

/// Data as a file has them.
#[derive(Debug, Clone)]
pub struct Read<D: Kinded> {
    /// The data.
    pub data: D,
    /// What was learned of the file.
    pub about: About<D>,
}

/// What was learned of a file while reading it.
#[derive(Debug, Clone)]
pub struct About<D: Kinded> {
    /// The kind of the file itself, which may have been taken as another one.
    pub file_kind: &'static str,
    /// Its format.
    pub format: Format,
    /// How it holds the data.
    pub layout: D::Layout,
    /// Its rows, as a certificate counts them.
    pub rows: u64,
    /// Malformed lines, or files that cannot be read, which were left out on request.
    pub refused: u64,
    /// Columns without a role.
    pub unmapped: Vec<String>,
    /// Whatever else is in the file and belongs to no row.
    pub uncompared: Vec<String>,
    /// For each person the line in which they first appear; empty where lines are not known.
    pub first_lines: Vec<u64>,
    /// Where the lines of several files begin.
    pub files: Files,
    /// What was removed because it may never be published.
    pub barred: Barred,
    /// What the user should know.
    pub notes: Vec<String>,
}

impl<D: Kinded> About<D> {
    /// What is strange about the file and the ids in it.
    pub(crate) fn oddities(&self, data: &D) -> Vec<String> {
        let uncompared = self.uncompared.iter().map(|what| format!("{what}: not part of a release"));
        let lookalikes = data.has_ids().then(|| lookalikes_of(data.names())).flatten();
        uncompared.chain(lookalikes).collect()
    }
}

/// The fewest rows of which it can be told whether each is another person's.
const FEW_ROWS: u64 = 10;

/// What to say if nearly every row is another person's, of a kind whose persons have several: that column is none of persons.
pub(crate) fn one_row_each(card: &KindCard, ask: &Ask, persons: usize, rows: u64) -> Option<String> {
    let is_odd = card.has_several_rows
        && !ask.one_row_per_person
        && rows >= FEW_ROWS
        && persons as u128 * 10 > u128::from(rows) * 9;
    is_odd.then(|| {
        format!(
            "nearly every row is another {}: {} of {} {}",
            card.person[0],
            thousands(persons as u64),
            thousands(rows),
            card.row[1]
        )
    })
}

/// Refuses an original in which nearly every row is another person's, and whatever else its kind does not publish.
pub(crate) fn refuse_doubtful<D: Kinded>(data: &D, about: &About<D>, ask: &Ask) -> Result<()> {
    match one_row_each(&D::CARD, ask, data.persons(), about.rows) {
        Some(odd) => Err(Error::refused(odd).with_hint(say_who(&about.unmapped))),
        None => data.refuse_original(about, ask),
    }
}

/// How to say who a person is, given the columns without a role.
pub(crate) fn say_who(unmapped: &[String]) -> String {
    let others = match unmapped {
        [] => String::new(),
        names => format!(" (the other columns: {})", names.join(", ")),
    };
    format!(
        "name the column whose values are persons: `--column user=NAME`{others}; or, if every row is meant to be another \
         person, `--one-row-per-person`"
    )
}

/// Names of columns that tell something else apart than people, and what that is: the whole name, or what it begins with.
const NO_PERSONS: [(&str, &str); 9] = [
    ("session", "a session"),
    ("sid", "a session"),
    ("cookie", "a cookie"),
    ("device", "a device"),
    ("browser", "a browser"),
    ("fingerprint", "a browser"),
    ("visit", "a visit"),
    ("ip", "an address of the network"),
    ("ipaddress", "an address of the network"),
];

/// What to say if the column that tells persons apart is one of sessions, devices or the like. `unmapped` are the columns without a
/// role.
pub(crate) fn no_person(column: &str, unmapped: &[String]) -> Option<String> {
    let plain = io::plain_name(column);
    let (_, what) = NO_PERSONS.iter().find(|(name, _)| {
        let rest = plain.strip_prefix(name);
        rest.is_some_and(|rest| matches!(rest, "" | "id" | "key" | "hash" | "number" | "uuid"))
    })?;
    let others = match unmapped {
        [] => String::new(),
        names => format!(" (the other columns: {})", names.join(", ")),
    };
    Some(format!(
        "persons are told apart by the column {column}, but {what} is no person: several of one human count as several persons, who \
         may be the whole crowd; a column that says who somebody is makes a better one: `--column user=NAME`{others}"
    ))
}

impl<D: Kinded> About<D> {
    /// What to say if the column that tells persons apart tells something else apart.
    pub(crate) fn no_person(&self) -> Option<String> {
        let columns = D::columns(&self.layout);
        let (_, name) = columns.iter().find(|(role, _)| PERSON_ROLES.contains(role))?;
        no_person(name, &self.unmapped)
    }
}

/// The roles that tell persons apart.
const PERSON_ROLES: [&str; 2] = ["user", "person"];

/// What a command must know of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wants {
    /// The method goes by what strings mean.
    pub by_meaning: bool,
    /// Some measure must know what strings mean, of a sample of the persons at least.
    pub to_measure: bool,
    /// Some measure must know what the strings of all persons mean.
    pub of_all: bool,
}

/// Data that are understood as far as a command wants.
#[derive(Debug)]
pub struct Ready<D> {
    /// The data, or the parts of them that are looked at apart.
    pub parts: Vec<D>,
    /// How to find out what strings mean, where somebody wants to know.
    pub(crate) knowledge: Option<Knowledge>,
    /// The taxonomy, as a certificate names it.
    pub taxonomy: Option<TaxonomyRecord>,
    /// How many items are sensitive, where some were named.
    pub sensitive_items: Option<u64>,
    /// What was counted.
    pub accounts: Accounts,
    /// What the user should know.
    pub notes: Vec<String>,
}

impl<D> Ready<D> {
    /// Data that need not be understood.
    pub(crate) fn plain(parts: Vec<D>) -> Self {
        Self {
            parts,
            knowledge: None,
            taxonomy: None,
            sensitive_items: None,
            accounts: Accounts::default(),
            notes: Vec::new(),
        }
    }

    /// Refuses data of which the taxonomy knows nothing at all: nobody could be like anybody.
    pub(crate) fn refuse_nothing_known(&self) -> Result<()>
    where
        D: Kinded,
    {
        let persons = self.parts.first().map_or(0, D::persons) as u64;
        if persons == 0 || self.accounts.get(PERSONS_WITHOUT_CONCEPT) != Some(persons) {
            return Ok(());
        }
        let persons = counted(persons, D::CARD.person[0], D::CARD.person[1]);
        Err(Error::data(format!("the taxonomy has none of the words of the {persons}")).with_hint(
            "is it for other data, or another language? `--taxonomy FILE` gives another; `throng inspect FILE --concepts` \
             shows what was found",
        ))
    }

    /// The only part, and what is known beside it.
    pub(crate) fn only(mut self) -> Result<(D, Ready<D>)> {
        match (self.parts.pop(), self.parts.is_empty()) {
            (Some(data), true) => Ok((data, self)),
            _ => Err(Error::internal("data that were not to be taken apart have several parts")),
        }
    }
}

/// What models look at, and what was seen beside it.
#[derive(Debug)]
pub struct Evidenced<D: Kinded> {
    /// What models look at.
    pub evidence: D::Evidence,
    /// How many persons there are.
    pub persons: usize,
    /// How many rows.
    pub rows: u64,
    /// Malformed lines that were left out on request.
    pub refused: u64,
    /// The column that tells persons apart; empty where a person is a line.
    pub person_column: String,
    /// Whether the ids could be pseudonyms that throng drew.
    pub ids_look_drawn: bool,
    /// Columns without a role.
    pub unmapped: Vec<String>,
    /// Whether those are part of the evidence.
    pub unmapped_count: bool,
    /// Whatever else is in the file and belongs to no row.
    pub uncompared: Vec<String>,
    /// For each person the line in which they first appear, where the evidence does not know it.
    pub first_lines: Vec<u64>,
    /// Where the lines of several files begin.
    pub files: Files,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// How a witness may be named: by pseudonym where ids are pseudonyms, else by the number of their first line; by id, and by
/// what they have, only on request.
#[derive(Debug, Clone, Copy)]
pub struct Naming {
    /// Whether ids are pseudonyms.
    pub pseudonyms: bool,
    /// Whether ids and values may be shown.
    pub show_values: bool,
}

impl Naming {
    /// A person as a witness, who is first seen in a line, and if there are several, of which file.
    pub fn of(&self, name: &str, place: Option<(Option<&str>, u64)>, has_ids: bool, witness: &Witness) -> Value {
        let mut named = json!({"group_size": witness.group_size});
        if self.pseudonyms {
            named["pseudonym"] = Value::from(name);
        } else {
            if let Some((file, line)) = place {
                named["line"] = Value::from(line);
                if let Some(file) = file {
                    named["file"] = Value::from(file);
                }
            }
            if self.show_values && has_ids {
                named["person"] = Value::from(name);
            }
        }
        for (name, number) in &witness.numbers {
            named[name.as_str()] = number.clone();
        }
        named
    }
}

/// One line of what `inspect` says, and what it is in JSON.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The lines in words; none for what is in JSON only.
    pub lines: Vec<Line>,
    /// Keys with values.
    pub values: Vec<(&'static str, Value)>,
}

impl Shown {
    /// A line and its values.
    pub fn new(label: &str, text: impl Into<String>, values: Vec<(&'static str, Value)>) -> Self {
        Self { lines: vec![Line::new(label, text)], values }
    }

    /// Values that are in JSON only.
    pub fn quietly(values: Vec<(&'static str, Value)>) -> Self {
        Self { lines: Vec::new(), values }
    }
}

/// What was made up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// How much.
    pub rows: u64,
    /// The same in words: how much of what, of whom.
    pub said: String,
}

/// What shares in a release open to.
#[derive(Debug)]
pub struct OpenedShares<D> {
    /// The rows that open.
    pub data: D,
    /// How many different texts opened.
    pub texts: usize,
    /// How many rows stay closed.
    pub closed: u64,
    /// The most shares of a text that does not open, with the number of one of them.
    pub most_unopened: Option<(usize, u32)>,
}

/// What is held out of data, to judge methods by what they have not seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HeldApart {
    /// Odd days.
    #[default]
    Days,
    /// A fifth of what every person has.
    Fifths,
}

impl HeldApart {
    /// Whether it is days, as it mostly is.
    pub fn is_days(&self) -> bool {
        *self == Self::Days
    }
}

/// What an attacker knows of whom.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// How many facts, one outcome each.
    pub facts: &'static [usize],
    /// How often they are drawn of each person.
    pub draws: usize,
    /// Of how many persons, at most.
    pub targets: usize,
    /// Whether reports ask for so many facts too, and of so many persons.
    pub is_for_reports: bool,
}

/// A kind of data: everything that differs between kinds, in one place.
pub trait Kinded: Dataset + Content {
    /// Its name and words.
    const CARD: KindCard;
    /// Its methods, models and measures.
    const SHELF: Shelf<Self>;
    /// How a file of it is recognised.
    const RECOGNITION: Recognition;
    /// What an attacker knows of whom, unless it is said.
    const KNOWN: Known = Known { facts: &[1, 2, 3, 4, 5], draws: 10, targets: 1000, is_for_reports: false };
    /// Whether it tells in which cells somebody was.
    const HAS_CELLS: bool = false;
    /// Whether persons have neighbours, whom somebody may know of.
    const HAS_NEIGHBOURS: bool = false;
    /// What can be held out of them, to judge methods by what they have not seen.
    const HELD_OUT: Option<HeldApart> = None;
    /// Whether methods that go by meaning see other data than the others.
    const MEANING_CHANGES_DATA: bool = false;
    /// Parameters of methods that its reading heeds, whatever the method.
    const HEEDED: &'static [&'static str] = &[];

    /// How a file holds such data, so that a release can be written the same way.
    type Layout: Clone + Debug + Send + Sync;
    /// What models look at: the digests of records where those suffice, else the data.
    type Evidence: EqualRecords + Debug + Send + Sync;

    /// What a fact is called.
    fn fact(&self, fact: u32) -> String;
    /// What may stand in its place in a release, from the least general to the most.
    fn more_general(&self, _fact: u32) -> Vec<String> {
        Vec::new()
    }
    /// Whether a fact that enough persons share may stand in an example.
    fn may_be_shown(&self, _fact: u32) -> bool {
        true
    }

    // Reading.

    /// Reads data.
    fn read(opened: Opened, ask: &Ask, purpose: Purpose, progress: &dyn Progress) -> Result<Read<Self>>;
    /// The method that fits these data where nobody names one, and why; nothing for the kind's default.
    fn fitting_method(&self) -> Option<(&'static str, &'static str)> {
        None
    }
    /// Refuses an original that would be published with what says who is who.
    fn refuse_original(&self, _about: &About<Self>, _ask: &Ask) -> Result<()> {
        Ok(())
    }
    /// Flags without which `protect` would refuse what `audit` looked at, as one types them.
    fn flags_lacking(_read: &Read<Self>, _ask: &Ask) -> String {
        String::new()
    }
    /// What columns without a role single people out, where those are not compared.
    fn singled_out_by_unmapped(_read: &Read<Self>) -> Vec<String> {
        Vec::new()
    }
    /// Brings data over the taxonomy, says what is sensitive, finds out what strings mean: as far as somebody wants it.
    fn understand(parts: Vec<Self>, _about: &About<Self>, _ask: &Ask, _wants: Wants) -> Result<Ready<Self>> {
        Ok(Ready::plain(parts))
    }
    /// The same for an original and its release, which are the first two parts then.
    fn understand_pair(
        original: Read<Self>,
        release: Read<Self>,
        _ask: &Ask,
        _certified: Option<&TaxonomyRecord>,
        _wants: Wants,
    ) -> Result<Ready<Self>> {
        Ok(Ready::plain(vec![original.data, release.data]))
    }
    /// The data with sensitive items of these names, of whatever somebody has.
    #[must_use]
    fn naming_sensitive(self, _labels: &[String]) -> Self {
        self
    }
    /// Samples of such data, understood; they may have come with it.
    fn understand_samples(parts: Vec<Self>, _knowledge: Option<&Knowledge>) -> Result<Vec<Self>> {
        Ok(parts)
    }
    /// Records that a method gave, understood as the original is.
    fn understand_records(records: Self, _original: &Self) -> Result<Self> {
        Ok(records)
    }
    /// What a method is given, and what it is judged by, where something can be held out.
    fn held_apart(&self) -> Option<[Self; 2]> {
        None
    }

    /// The data with something more general in the place of every item of which this is so, where items are nodes of a taxonomy, and how
    /// many items that were. Nothing is done where nothing is more general than something else.
    fn generalised(self, _is_said: &(dyn Fn(&str) -> bool + Sync)) -> (Self, u64) {
        (self, 0)
    }

    // Several accounts of one person.

    /// The accounts that are probably one person's, where the data can tell.
    fn alike(&self) -> Option<Alike> {
        None
    }
    /// The data as a method is to see them: accounts that are alike noted or merged, as it was told; none where the data can tell
    /// nothing.
    fn settled(self, _accounts: SettledBy) -> (Self, Option<Alike>) {
        (self, None)
    }
    /// The name of every account and its person, where accounts were merged.
    fn merged_accounts(&self) -> Option<(&Strings, &[u32])> {
        None
    }
    /// How text is published under these claims, where the data have text that somebody wrote.
    fn text_form(_claims: &[Claim]) -> Option<&'static str> {
        None
    }

    // Publishing.

    /// Refuses a format that the data cannot be published in, before a large file is read.
    fn check_format(_input: Format, _asked: Option<Format>) -> Result<()> {
        Ok(())
    }
    /// The format and layout of a release of these records.
    fn release_layout(about: &About<Self>, asked: Option<Format>, records: &Self) -> Result<(Format, Self::Layout)>;
    /// What a report shows of some records of a release in the place of a single one; nothing where records are shown.
    fn example(_original: &Self, _records: &Self, _k: usize) -> Option<Value> {
        None
    }
    /// What a report draws of a masked network, as numbers that are published; `null` where there is none.
    fn network(_release: &Release<Self>) -> Result<Value> {
        Ok(Value::Null)
    }
    /// What maps in a report show, as numbers that say nothing of fewer than k persons; `null` where there are none.
    fn maps(_original: &Self, _records: &Self, _multiplicity: &[u32], _k: usize) -> Result<Value> {
        Ok(Value::Null)
    }
    /// Lets a method protect an original, in the way that was asked for.
    fn protected(
        method: &dyn Method<Self>,
        original: &Self,
        _ask: &Ask,
        rng: &mut Rng,
        progress: &dyn Progress,
    ) -> Result<Protected<Self>> {
        method.protect(original, rng, progress)
    }
    /// What the columns look like, as a file for somebody to review; nothing for a kind whose columns are not said by one.
    fn schema_guess(_read: &Read<Self>) -> Option<String> {
        None
    }
    /// The records as the layout can hold them.
    fn laid_out(records: Self, _layout: &Self::Layout) -> Self {
        records
    }
    /// The layout for the ids of a release, given whether all of them are numbers.
    fn with_ids(layout: Self::Layout, _format: Format, _are_numbers: bool) -> Self::Layout {
        layout
    }
    /// The layout with cells of CSV that look like formulas as they are, or marked.
    fn with_raw_cells(layout: Self::Layout, raw: bool) -> Self::Layout;
    /// Writes persons with their records. Gives the number of rows.
    fn write<W: Write + Send>(
        out: &mut W,
        format: Format,
        layout: &Self::Layout,
        records: &Self,
        persons: &[Person<'_>],
        progress: &dyn Progress,
    ) -> Result<u64>;
    /// What the data file of a release is called.
    fn data_file(format: Format) -> String {
        format!("data.{format}")
    }
    /// The further files of a release, of a kind that has several: names with what is in them. They lie beside the data file, and whoever
    /// reads that finds them there.
    fn also(
        _release: &Release<Self>,
        _format: Format,
        _layout: &Self::Layout,
        _ask: &Ask,
        _rng: &mut Rng,
    ) -> Result<Vec<(String, Vec<u8>)>> {
        Ok(Vec::new())
    }
    /// Reads a written release as anybody would and compares it with what was meant; gives what models look at.
    fn read_back(written: &Written<'_, Self>, progress: &dyn Progress) -> Result<Self::Evidence>;
    /// What is achieved for a claim if persons are counted whose records nothing links; nothing where the file alone shows it.
    fn achieved_by_persons(
        _written: &Written<'_, Self>,
        _seen: &Self::Evidence,
        _claim: &Claim,
    ) -> Result<Option<Map<String, Value>>> {
        Ok(None)
    }
    /// The column of each role, by the role's name, in the order of the file; none where it has no columns.
    fn columns(layout: &Self::Layout) -> Vec<(&'static str, String)>;
    /// Everything that a policy may call by its name: the columns with their roles, and what stands together in one.
    fn named_fields(layout: &Self::Layout) -> Vec<(&'static str, String)> {
        Self::columns(layout)
    }
    /// Whether a header line, or the format itself, names the columns.
    fn has_header(_layout: &Self::Layout) -> bool {
        true
    }
    /// How its times are written, where that must be said for the file to be read again, and the zone that they are local in.
    fn time_form(_layout: &Self::Layout) -> TimeForm {
        TimeForm::default()
    }
    /// How its lines are written, where that must be said for the file to be read again.
    fn log_format(_layout: &Self::Layout) -> Option<String> {
        None
    }
    /// Who a person was taken for, where that was said and the kind has a choice.
    fn said_person(_layout: &Self::Layout) -> Option<String> {
        None
    }
    /// How long a pause inside a session may be, in seconds, where that was said.
    fn timeout(_layout: &Self::Layout) -> Option<u64> {
        None
    }
    /// How many of some persons are humans, and how many bots, where that can be told.
    fn humans_and_bots(&self, _persons: &mut dyn Iterator<Item = u32>) -> Option<[u64; 2]> {
        None
    }
    /// What a certificate says of the columns, where a kind has any columns.
    fn table_record(_layout: &Self::Layout) -> Option<TableRecord> {
        None
    }
    /// The original with what its release was made with, where whoever judges it needs that beside the original: how noise was added.
    fn with_secrets_of(self, _records: &Self) -> Self {
        self
    }
    /// The parameters of the noise that was added, as their file has them.
    fn noise_text(&self) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }
    /// A paper's evaluation, repeated on these data with so many draws; nothing where the kind has none of that name.
    fn studied(
        &self,
        _study: &str,
        _draws: usize,
        _seed: u64,
        _progress: &dyn Progress,
    ) -> Result<Option<Vec<StudyPart>>> {
        Ok(None)
    }
    /// For each record its group, where groups are published and a record does not stand for one.
    fn group_of_records(&self) -> Option<&[u32]> {
        None
    }
    /// Every different text that a release of the data shows, but for ids.
    fn texts(&self) -> Vec<&str>;
    /// What the shares in its rows open to; `None` for a kind that has no shares.
    fn opened_shares(&self) -> Option<std::result::Result<OpenedShares<Self>, Trouble>> {
        None
    }
    /// Counts what became of the rows, `rows` of which were written.
    fn account(original: &Self, release: &Release<Self>, rows: u64, accounts: &mut Accounts);
    /// How many columns of the original name persons, and are therefore not in a release of this layout.
    fn identifiers_left_out(_layout: &Self::Layout) -> u64 {
        0
    }
    /// Whether persons may be made up by others to push something.
    const MAY_HAVE_SHILLS: bool = false;
    /// How many persons a detector of ours holds for made up; nobody where there is none.
    fn shills(&self, _progress: &dyn Progress) -> Result<u64> {
        Ok(0)
    }
    /// What its custodian should know of a release before they publish it.
    fn remark(_release: &Release<Self>) -> Option<String> {
        None
    }
    /// How many rows a method that has not seen them is judged by.
    fn rows_to_judge(&self) -> usize {
        self.rows()
    }
    /// How many rows a person has.
    fn rows_of(&self, person: usize) -> usize;
    /// How many bytes of memory a run would take, as far as that can be judged before reading.
    fn memory(
        opened: &Opened,
        ask: &Ask,
        _method: &dyn Method<Self>,
        _measures: &[&'static dyn Measure<Self>],
    ) -> Result<Option<f64>> {
        Ok(io::estimate_bytes(opened, &ask.reading()).ok().map(memory::needs_of_bytes))
    }
    /// Judges before reading whether a run fits into so many bytes of memory.
    fn fit(
        limit: u64,
        opened: &Opened,
        ask: &Ask,
        _method: &dyn Method<Self>,
        _measures: &mut Vec<&'static dyn Measure<Self>>,
    ) -> Result<memory::Fit> {
        memory::fit_bytes(limit, io::estimate_bytes(opened, &ask.reading())?)
    }

    // Judging.

    /// Reads what models look at. A certified release says which taxonomy and how many sensitive items it was made with.
    fn evidence(
        opened: Opened,
        ask: &Ask,
        certified: &Certified,
        needs_sensitive: bool,
        progress: &dyn Progress,
    ) -> Result<Evidenced<Self>>;
    /// Why no model can judge the data as they stand, whatever they are like; nothing where one can.
    fn unjudgeable(_about: &About<Self>) -> Option<&'static str> {
        None
    }
    /// A witness, as it may be shown.
    fn witness(seen: &Evidenced<Self>, witness: &Witness, naming: &Naming) -> Value;
    /// A witness in words.
    fn witness_in_words(witness: &Value) -> String;
    /// The line whose column, by its role, has this value, and of several files the one that it is in.
    fn line_of(
        _location: &Location,
        _ask: &Ask,
        _column: &str,
        _value: &str,
        _progress: &dyn Progress,
    ) -> Result<Option<(Option<String>, u64)>> {
        Ok(None)
    }

    // Looking.

    /// The words of persons' lines in the order of time, and of saved pages; nothing of data without lines that have both.
    fn line_words(&self, _pages: &Pages) -> Option<LineWords> {
        None
    }
    /// Where in a file something is found, as far as lines of its texts are known; nothing where they are not.
    fn places(opened: Opened, ask: &Ask, look: LookAt<'_>, progress: &dyn Progress) -> Result<Option<Vec<Place>>>;

    /// How a file holds the data, in a word or two.
    fn form(about: &About<Self>) -> String {
        about.format.to_string()
    }
    /// What `inspect` shows beside the kind and how exposed people are.
    fn shown(read: &Read<Self>, ask: &Ask) -> Result<Vec<Shown>>;
    /// How much of the strings is understood; nothing for data without strings.
    fn coverage(&self, _mapper: &Mapper, _k: usize, _samples: usize) -> Option<Coverage> {
        None
    }
    /// The distance of two persons with its parts, where there is one.
    fn distance(&self, _persons: [usize; 2], _weights: QueryWeights) -> Option<DistanceOutcome> {
        None
    }
    /// Makes up data.
    fn synth(request: &SynthRequest, stdout: &mut (dyn Write + Send), progress: &dyn Progress) -> Result<Made>;
}

/// Accounts that are probably one person's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alike {
    /// How many accounts.
    pub accounts: usize,
    /// Of how many persons they are.
    pub persons: usize,
}

impl Alike {
    /// What is said of them, if there are any.
    pub(crate) fn in_words(self) -> Option<String> {
        (self.accounts > 0).then(|| {
            let (accounts, persons) = (
                counted(self.accounts as u64, "account", "accounts"),
                counted(self.persons as u64, "person", "persons"),
            );
            format!("{accounts} are probably those of {persons}: they share queries that hardly anybody else has")
        })
    }
}

/// What is to be known where accounts are alike and nothing was done with them yet.
pub(crate) const IF_ALIKE: &str = "`--column person=…` names the column that says who is who; a file in which people were made \
                                   alike looks the same";

/// What is done with accounts that are probably one person's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettledBy {
    /// Columns of the file say who is who.
    Columns,
    /// They are noted, so that a method can count them once.
    Noting,
    /// They become one person.
    Merging,
    /// They are counted, and nothing else.
    Counting,
}

impl SettledBy {
    /// As a parameter of a method says; `None` for one that has no such parameter.
    pub(crate) fn of(accounts: Option<&str>) -> Self {
        match accounts {
            Some("once") => Self::Noting,
            Some("merge") => Self::Merging,
            _ => Self::Counting,
        }
    }
}

/// What a certificate says of texts that have nothing left but their words.
pub(crate) const NORMAL_FORM: &str = "normal form";

/// Whether columns of the file say who is who, so that accounts need not be guessed at.
pub(crate) fn knows_persons<D: Kinded>(ask: &Ask) -> bool {
    D::RECOGNITION.roles.has_accounts(&ask.columns)
}

/// What must be said of times for a file to be read again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TimeForm {
    /// How they are written, as `--time-format` takes it.
    pub format: Option<String>,
    /// The zone that they are local in, by its IANA name.
    pub zone: Option<String>,
}

/// A release as it was written, and what was meant.
pub struct Written<'a, D: Kinded> {
    /// Where it is: a file, or bytes in memory.
    pub location: &'a Location,
    /// Its format.
    pub format: Format,
    /// How it holds the data.
    pub layout: &'a D::Layout,
    /// What was meant.
    pub release: &'a Release<D>,
    /// How many rows were written.
    pub rows: u64,
    /// How many blocks of text may be read at once, if that is limited.
    pub at_once: Option<usize>,
}

impl<D: Kinded> Written<'_, D> {
    /// How anybody would read it who has the certificate.
    pub fn ask(&self) -> Ask {
        ask_of_release::<D>(self.format, self.layout)
    }

    /// The file, open to be read again.
    pub(crate) fn open(&self) -> Result<Opened> {
        let mut opened = Opened::open(self.location, &self.reading())?;
        opened.limit(self.at_once);
        Ok(opened)
    }

    /// How to read it.
    pub(crate) fn reading(&self) -> ReadOptions {
        self.ask().reading()
    }
}

/// How anybody would read a release who has its certificate.
pub(crate) fn ask_of_release<D: Kinded>(format: Format, layout: &D::Layout) -> Ask {
    let column = |(role, name): (&'static str, String)| ColumnChoice { role: role.to_owned(), name };
    let times = D::time_form(layout);
    Ask {
        time_format: times.format,
        time_zone: times.zone,
        log_format: D::log_format(layout),
        timeout: D::timeout(layout),
        kind: Some(D::CARD.name.to_owned()),
        is_certified: true,
        format: Some(format),
        delimiter: format.separator(),
        encoding: Some(Encoding::UTF_8),
        no_header: !D::has_header(layout),
        columns: release_columns::<D>(layout).into_iter().map(column).collect(),
        table: D::table_record(layout),
        ..Ask::default()
    }
}

/// The column of each role of a release, for its certificate and for reading it again: by name, or by number where there is
/// no header, or where two have the same name.
fn release_columns<D: Kinded>(layout: &D::Layout) -> Vec<(&'static str, String)> {
    let mut columns = D::columns(layout);
    let names: BTreeSet<&String> = columns.iter().map(|(_, name)| name).collect();
    if !D::has_header(layout) || names.len() < columns.len() {
        (1..).zip(&mut columns).for_each(|(number, (_, name)): (usize, _)| *name = number.to_string());
    }
    columns
}

/// The columns of a release by role, as its certificate has them.
pub(crate) fn column_map<D: Kinded>(layout: &D::Layout) -> BTreeMap<String, String> {
    release_columns::<D>(layout).into_iter().map(|(role, name)| (role.to_owned(), name)).collect()
}

/// The column of each role of a file that is not a release of ours, and why it has that role.
pub(crate) fn columns_shown<D: Kinded>(layout: &D::Layout, ask: &Ask) -> Vec<ColumnShown> {
    let has_header = D::has_header(layout);
    let show = |(at, (role, name)): (usize, (&'static str, String))| {
        let roles = D::RECOGNITION.roles;
        let is_it =
            |choice: &&ColumnChoice| roles.is_role(role, &choice.role) && !roles.is_account(choice, &ask.columns);
        let chosen = ask.columns.iter().find(is_it);
        let because = match (chosen, has_header) {
            (Some(_), _) => "as said",
            (None, true) => "by name",
            (None, false) => "by place",
        };
        let name = match (chosen, has_header) {
            (_, true) => name,
            (Some(choice), false) => choice.name.clone(),
            (None, false) => (at + 1).to_string(),
        };
        ColumnShown { role, name, because, has_header }
    };
    D::columns(layout).into_iter().enumerate().map(show).collect()
}

/// A column as `inspect` shows it.
#[derive(Debug, Clone)]
pub(crate) struct ColumnShown {
    pub(crate) role: &'static str,
    /// Its name, or its number where there is no header.
    pub(crate) name: String,
    /// Why it has that role.
    pub(crate) because: &'static str,
    has_header: bool,
}

impl ColumnShown {
    /// Columns in words, with the reason once for those that share it.
    pub(crate) fn in_words(columns: &[Self]) -> String {
        let words = |column: &Self| match column.has_header {
            true => format!("{} = {}", column.role, column.name),
            false => format!("{} = column {}", column.role, column.name),
        };
        let alike = columns.chunk_by(|left, right| left.because == right.because);
        let group = |group: &[Self]| {
            let columns: Vec<String> = group.iter().map(words).collect();
            format!("{} ({})", columns.join(", "), group[0].because)
        };
        alike.map(group).collect::<Vec<_>>().join("; ")
    }
}

/// What a taxonomy does not know of some data, and the persons of whom it knows nothing.
fn unknown_phrases(data: &impl Texts) -> Accounts {
    let Some(meaning) = data.meaning() else { return Accounts::default() };
    let without = |person: &usize| data.strings_of(*person).iter().all(|&string| meaning.concepts(string).is_empty());
    Accounts::new()
        .with(PERSONS_WITHOUT_CONCEPT, (0..data.persons()).filter(without).count() as u64)
        .with(ITEMS_UNKNOWN, meaning.phrases_unknown())
        .with(OCCURRENCES_UNKNOWN, meaning.occurrences_unknown(data))
}

/// How many rows persons have, for `inspect`.
fn rows_each<D: Kinded>(data: &D) -> Shown {
    let lengths = Lengths::of((0..data.persons()).map(|person| data.rows_of(person)).collect());
    Shown::new(
        &format!("per {}", D::CARD.person[0]),
        lengths.in_words(&format!(" {}", D::CARD.row[1])),
        vec![("rows_per_person", json!(lengths))],
    )
}

/// What to say of ids that look like others.
fn lookalikes_of(names: &Strings) -> Option<String> {
    ids::lookalikes(names).map(|found| found.warning())
}

/// How much a taxonomy does not know, for `inspect`.
fn unknown_shown([one, many]: [&str; 2], items: u64, occurrences: u64) -> Shown {
    Shown::new(
        "taxonomy",
        format!("does not know {} of {}", counted(items, one, many), counted(occurrences, "occurrence", "occurrences")),
        vec![("items_unknown", json!(items)), ("occurrences_unknown", json!(occurrences))],
    )
}
