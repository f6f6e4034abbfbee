//! Files of kinds that throng does not have: known by what they look like, so that none of them is taken for something else.
//!
//! An entry of [`FOREIGN`] goes when its kind comes, and its tests with it. Whoever names a kind or columns is believed, and nobody
//! looks here.

use throng_core::Error;

use crate::io::visits::unlike_all;
use crate::io::{Degree, FormatKind, Head, is_number, is_plausible_time, knows_item};

/// A kind of data that throng does not have.
pub(super) struct Foreign {
    /// What it is called.
    name: &'static str,
    /// It is this even if it looks so much like a kind that there is.
    beats: Degree,
    /// Whether the beginning of a file looks like it.
    looks_like: fn(&Head) -> bool,
}

/// Rows with an item, and nobody whose it is.
const RECEIPTS: &str = "a table of items without a person";
/// Lines of a server, in a format of its own.
const LOG: &str = "an access log in a format that is not known";
/// A table with blanks between cells.
const WORDS: &str = "a table with blanks between its cells";

/// What is known, the surest first.
static FOREIGN: &[Foreign] = &[
    Foreign { name: "a proxy's log", beats: Degree::Probable, looks_like: is_proxy_log },
    Foreign { name: LOG, beats: Degree::Probable, looks_like: is_unknown_log },
    Foreign { name: "page visits", beats: Degree::Possible, looks_like: are_visits },
    Foreign { name: RECEIPTS, beats: Degree::Possible, looks_like: are_receipts },
    Foreign { name: WORDS, beats: Degree::Probable, looks_like: is_table_of_words },
];

/// What a file is that looks like a kind of throng's no more than so much.
pub(super) fn recognise(head: &Head, most: Option<Degree>) -> Option<&'static Foreign> {
    // What is no more than likely by its form gives way to what is known by its names.
    let most = most.map(|most| match most {
        Degree::Likely => Degree::Possible,
        Degree::Strong => Degree::Probable,
        other => other,
    });
    FOREIGN.iter().find(|foreign| most.is_none_or(|most| most <= foreign.beats) && (foreign.looks_like)(head))
}

/// Whether the first line of some cells is a header: names, and numbers under some of them.
pub(super) fn has_header(head: &Head) -> bool {
    is_table(head)
}

impl Foreign {
    /// What it is called.
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// The error for such a file.
    pub(super) fn refusal(&self, head: &Head) -> Error {
        if self.name == LOG {
            return unlike_all(head.lines.iter().find(|line| is_line_of_server(line)).map_or("", String::as_str));
        }
        let error = Error::data(format!("this looks like {}; throng cannot protect those yet", self.name));
        match head.names.iter().find(|name| knows_item(name)) {
            // The receipts of a till, say.
            Some(item) if self.name == RECEIPTS => error.with_hint(format!(
                "if each row is one item of somebody, say whose: `--column person=… item={item}`; what belongs together has the \
                 same value in the column that is the person, a receipt's number, say; if each row is one person, say `--kind table`"
            )),
            _ if self.name == WORDS => error.with_hint("write it with commas or tabs between its cells; `--kind baskets` takes each line as a basket of words"),
            _ => error.with_hint(
                "if it is something else, `--column ROLE=COLUMN` says what its columns hold, and `--kind` what it is; \
                 `throng list kinds` shows what there is",
            ),
        }
    }
}

/// Nearly all of some lines or rows, and at least one.
fn most<T>(all: impl Iterator<Item = T>, is_so: impl Fn(&T) -> bool) -> bool {
    let (mut count, mut like) = (0, 0);
    for one in all {
        count += 1;
        like += usize::from(is_so(&one));
    }
    like > 0 && like * 10 >= count * 9
}

/// The names of the columns, in lower case, letters and digits only.
fn names(head: &Head) -> Vec<String> {
    let plain = |name: &String| name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    head.names.iter().map(plain).collect()
}

/// Whether some column has one of these names.
fn has(names: &[String], known: &[&str]) -> bool {
    names.iter().any(|name| known.contains(&name.as_str()))
}

/// Squid's own format.
fn is_proxy_log(head: &Head) -> bool {
    const METHODS: [&str; 9] = ["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "-"];
    let is_of_proxy = |line: &&String| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        words.len() >= 9
            && is_number(words[0])
            && words[3].split_once('/').is_some_and(|(cache, _)| cache.contains("TCP") || cache.contains("UDP"))
            && METHODS.contains(&words[5])
    };
    most(head.lines.iter().filter(|line| !line.starts_with('#')), is_of_proxy)
}

/// Lines with the time or the request of a server, in none of the formats that are known: those are recognised before.
fn is_unknown_log(head: &Head) -> bool {
    let has_no_names = matches!(head.format.kind, FormatKind::Fimi);
    has_no_names && most(head.lines.iter().filter(|line| !line.starts_with('#')), |line| is_line_of_server(line))
}

/// Whether a line has a time as servers write it, `[07/Mar/2024:12:00:01`, or a request, `GET /a HTTP/1.1`.
fn is_line_of_server(line: &str) -> bool {
    let is_time = |after: &str| {
        let bytes = after.as_bytes();
        bytes.len() > 11 && bytes[2] == b'/' && bytes[6] == b'/' && bytes[11] == b':' && bytes[0].is_ascii_digit()
    };
    let is_request =
        |(before, after): (&str, &str)| after.starts_with(|c: char| c.is_ascii_digit()) && before.contains(" /");
    line.split('[').skip(1).any(is_time) || line.split_once(" HTTP/").is_some_and(is_request)
}

/// Names of columns that make a search log of a file.
const QUERIES: &[&str] = &["query", "q", "search", "searchterm", "searchquery", "keywords", "suchbegriff", "text"];

/// Who opened which page when, without a query.
fn are_visits(head: &Head) -> bool {
    let named = names(head);
    has(&named, &["url", "page", "pageurl", "visitedurl", "uri"])
        && has(
            &named,
            &["user", "userid", "visitor", "visitorid", "session", "sessionid", "client", "customer", "cookie"],
        )
        && has(&named, &["time", "timestamp", "datetime", "date", "ts", "visittime"])
        && !has(&named, QUERIES)
}

/// A table with a column of items.
fn are_receipts(head: &Head) -> bool {
    is_table(head) && head.names.iter().any(|name| knows_item(name))
}

/// Rows of as many cells under names, with a column of numbers; with several where there are times, for a log has those too.
fn is_table(head: &Head) -> bool {
    let Some((first, rows)) = head.rows.split_first() else { return false };
    let is_name = |cell: &String| !cell.trim().is_empty() && !is_number(cell.trim()) && !is_plausible_time(cell);
    let are_names = first.iter().all(is_name) && (1..first.len()).all(|at| !first[..at].contains(&first[at]));
    let is_numbers = |at: usize| rows.iter().all(|row| row.get(at).is_some_and(|cell| is_number(cell.trim())));
    let numbers = (0..first.len()).filter(|at| is_numbers(*at)).count();
    head.is_table && are_names && numbers > usize::from(head.has_times) && !has(&names(head), QUERIES)
}

/// A table with blanks between cells: a line of words, and numbers under some of them.
fn is_table_of_words(head: &Head) -> bool {
    let rows: Vec<Vec<&str>> = head.lines.iter().map(|line| line.split_ascii_whitespace().collect()).collect();
    let Some((first, rows)) = rows.split_first() else { return false };
    let is_even = first.len() > 1 && rows.len() > 1 && rows.iter().all(|row| row.len() == first.len());
    let is_numbers = |at: usize| rows.iter().all(|row| is_number(row[at]));
    head.has_no_cells() && is_even && !first.iter().any(|word| is_number(word)) && (0..first.len()).any(is_numbers)
}
