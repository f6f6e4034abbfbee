//! An open file: its format from its first bytes, and the kind of data that it looks like.
//!
//! Every kind says how much the beginning of the file looks like its own data; the likeliest is it. Two that are equally likely
//! are an error that names both, and so is none: nothing is guessed where a guess would be believed.

use throng_core::{Error, Kind, Result};

use super::head::{Head, Likeness, first_line, without_mark};
use super::roles::{self, Roles};
use super::scan::ReadOptions;
use super::source::Source;
use super::{Compression, Format, FormatKind, Location, baskets, documents, queries};

/// How a kind is recognised.
struct Candidate {
    kind: Kind,
    /// What such a file has, in words.
    looks_like: &'static str,
    roles: &'static Roles,
    likeness: fn(&Head, &ReadOptions) -> Option<Likeness>,
}

/// Every kind that a file can be.
const CANDIDATES: &[Candidate] = &[
    Candidate {
        kind: Kind::Queries,
        looks_like: "columns for a user, a query and a time",
        roles: &queries::ROLES,
        likeness: queries::likeness,
    },
    Candidate {
        kind: Kind::Baskets,
        looks_like: "one basket a line, columns for a person and an item, or lists of items",
        roles: &baskets::ROLES,
        likeness: baskets::likeness,
    },
    Candidate {
        kind: Kind::Documents,
        looks_like: "a text each, or an id with terms and weights",
        roles: &documents::ROLES,
        likeness: documents::likeness,
    },
];

/// An open file whose first bytes were looked at.
pub struct Opened {
    pub(super) source: Source,
    /// Its format.
    pub format: Format,
    /// What kind of data it holds.
    pub kind: Kind,
}

impl Opened {
    /// Opens a file. What the options say overrules what the bytes say.
    pub fn open(location: &Location, options: &ReadOptions) -> Result<Self> {
        let all: Vec<&Roles> = CANDIDATES.iter().map(|candidate| candidate.roles).collect();
        roles::check_known(&all, &options.columns)?;
        if let Location::Folder(path) = location {
            if options.kind.is_some_and(|kind| kind != Kind::Documents) {
                return Err(Error::data("this is a folder, not a file")
                    .with_hint("a folder is read as documents; give the data file")
                    .in_file(path.display().to_string()));
            }
            // A release of it is JSON lines, unless another format is asked for.
            let format = Format { kind: FormatKind::JsonLines, compression: Compression::None };
            return Ok(Self { source: Source::folder(location), format, kind: Kind::Documents });
        }
        let mut source = Source::open(location)?;
        source.at_once = options.at_once.unwrap_or(source.at_once);
        let format = recognise_format(&source, options);
        let kind = match options.kind {
            Some(kind) => kind,
            None => {
                recognise_kind(&mut source, format, options).map_err(|error| error.in_file(location.to_string()))?
            }
        };
        Ok(Self { source, format, kind })
    }

    /// Reads at most so many blocks at once, if a number is given.
    pub fn limit(&mut self, at_once: Option<usize>) {
        self.source.at_once = at_once.unwrap_or(self.source.at_once);
    }

    /// Where it is.
    pub fn location(&self) -> &Location {
        &self.source.location
    }
}

/// What the user said, else what the bytes say, else what the name says.
fn recognise_format(source: &Source, options: &ReadOptions) -> Format {
    let (by_name, is_text) = match &source.location {
        Location::File(path) => {
            let name = path.to_string_lossy().to_ascii_lowercase();
            let name = name.trim_end_matches(".gz").trim_end_matches(".zst");
            (Format::of_path(path).map(|format| format.kind), name.ends_with(".txt"))
        }
        Location::Stdin | Location::Folder(_) => (None, false),
    };
    let head = without_mark(&source.head);
    let line = first_line(head);
    let has_tabs = line.contains(&b'\t');
    let kind = options.format.map(|format| format.kind).unwrap_or_else(|| match by_name {
        _ if head.starts_with(b"PAR1") => FormatKind::Parquet,
        _ if line.trim_ascii_start().starts_with(b"{") => FormatKind::JsonLines,
        Some(FormatKind::Tsv) if has_tabs || !(is_text || line.contains(&b',')) => FormatKind::Tsv,
        Some(kind @ (FormatKind::Csv | FormatKind::JsonLines | FormatKind::Fimi)) => kind,
        _ if has_tabs => FormatKind::Tsv,
        _ if line.contains(&b',') => FormatKind::Csv,
        _ => FormatKind::Fimi,
    });
    Format { kind, compression: source.compression }
}

fn recognise_kind(source: &mut Source, format: Format, options: &ReadOptions) -> Result<Kind> {
    let head = Head::of(source, format, options)?;
    let like = |candidate: &'static Candidate| Some(((candidate.likeness)(&head, options)?, candidate));
    let mut likeliest: Vec<(Likeness, &Candidate)> = CANDIDATES.iter().filter_map(like).collect();
    let most = likeliest.iter().map(|(likeness, _)| *likeness).max();
    likeliest.retain(|(likeness, _)| Some(*likeness) == most);
    match likeliest[..] {
        // A table of rows is no kind that is read yet, but a file that may be one is not taken for another.
        [(Likeness::Possible, Candidate { kind: Kind::Baskets, .. })] if head.is_table => Err(Error::data(
            "the file could be baskets, one a line, or a table with a row for each person",
        )
        .with_hint(
            "all lines have as many cells, and some columns hold numbers; baskets are `--kind baskets`, and a table is \
                 not read yet",
        )),
        [(_, only)] => Ok(only.kind),
        [] => Err(unlike_all(&head)),
        [..] => {
            let names: Vec<&str> = likeliest.iter().map(|(_, candidate)| candidate.kind.name()).collect();
            Err(Error::data(format!("the file could be {}", names.join(" or ")))
                .with_value(head.names.join(", "))
                .with_hint(format!("say which: `--kind {}`", names.join("` or `--kind "))))
        }
    }
}

/// The error for a file that no kind knows.
fn unlike_all(head: &Head) -> Error {
    let kinds: Vec<String> =
        CANDIDATES.iter().map(|candidate| format!("{}: {}", candidate.kind, candidate.looks_like)).collect();
    let hint = match head.names() {
        names if names.len() == 1 && names[0].contains(';') => {
            "the columns of CSV are separated by commas, not semicolons, of TSV by tabs".to_owned()
        }
        _ => format!("{}; name columns with `--column`, or the kind with `--kind`", kinds.join("; ")),
    };
    Error::data("cannot tell what kind of data this is").at_line(1).with_value(head.names.join(", ")).with_hint(hint)
}
