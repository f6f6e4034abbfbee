//! How much the beginning of a file looks like ratings: names that say so, or two columns of ids and one of few different numbers.

use std::collections::BTreeSet;

use super::super::FormatKind;
use super::super::head::{Head, Likeness};
use super::super::queries::is_plausible_time;
use super::super::roles::plain;
use super::super::scan::ReadOptions;
use super::double_colon::SEPARATOR;
use super::{ITEM, ITEM_CARD, RATING, ROLES, USER_CARD, number, says_otherwise};

/// Names that hardly anything but a rating has; the others of the role may be any number.
const SURE: [&str; 12] = [
    "rating",
    "ratings",
    "stars",
    "star",
    "starrating",
    "userrating",
    "bookrating",
    "movierating",
    "score",
    "overall",
    "vote",
    "bewertung",
];
/// The fewest rows of three numbers that are ratings, and not anything else.
const FEW: usize = 8;
/// The most different ratings of a usual scale: 0.5 to 10 in halves, or 0 to 10.
const MOST_DIFFERENT: usize = 21;

/// How much a file looks like ratings.
pub(crate) fn likeness(head: &Head, options: &ReadOptions) -> Option<Likeness> {
    if !ROLES.have_all(&options.columns) {
        return None;
    }
    if ROLES.is_chosen(RATING, &options.columns) {
        return Some(Likeness::said());
    }
    if !options.columns.is_empty() {
        // A person and an item alone are baskets.
        return None;
    }
    let by_colons = || -> Vec<Vec<String>> {
        head.lines.iter().map(|line| line.split(SEPARATOR).map(str::to_owned).collect()).collect()
    };
    if !says_otherwise(options) && most(&by_colons(), is_rating) {
        return Some(Likeness::certain("its lines are a person, an item, a rating and a time, with `::` between"));
    }
    if head.format.kind.has_no_rows() || matches!(head.format.kind, FormatKind::Fimi | FormatKind::Log(_)) {
        return None;
    }
    if are_named(head) {
        return Some(Likeness::certain("it has columns with the names of a person, an item and a rating"));
    }
    let is_row = head.rows.first().is_some_and(|row| row.get(RATING).is_some_and(|cell| number(cell).is_some()));
    if !is_row {
        return None;
    }
    if most(&head.rows, is_rating) {
        return Some(Likeness::certain("its rows are two ids, a rating and a time, without a header"));
    }
    are_three(&head.rows).then(|| Likeness::likely("its rows are two ids and few different numbers, without a header"))
}

/// Whether there are names of a person, an item and a rating, and numbers under the last.
fn are_named(head: &Head) -> bool {
    let names: Vec<String> = head.names.iter().map(|name| plain(name)).collect();
    let place = |known: &[&str]| names.iter().position(|name| known.contains(&name.as_str()));
    let items: Vec<&str> = ITEM_CARD.known_names.iter().copied().filter(|name| *name != "title").collect();
    let (Some(user), Some(item), Some(rating)) = (place(USER_CARD.known_names), place(&items), place(&SURE)) else {
        return false;
    };
    let is_number = |row: &Vec<String>| row.get(rating).is_some_and(|cell| number(cell).is_some());
    let rows = head.rows.get(1..).unwrap_or_default();
    user != item && (rows.is_empty() || 10 * rows.iter().filter(|row| is_number(row)).count() >= 9 * rows.len())
}

/// Nearly all of some rows, and at least one.
fn most(rows: &[Vec<String>], is_so: impl Fn(&[String]) -> bool) -> bool {
    let like = rows.iter().filter(|row| is_so(row)).count();
    like > 0 && 10 * like >= 9 * rows.len()
}

/// Whether cells are two ids, a rating on a usual scale, and a time.
fn is_rating(cells: &[String]) -> bool {
    let is_id = |cell: &String| !cell.is_empty() && cell.len() < 40 && !cell.contains(char::is_whitespace);
    match cells {
        [user, item, rating, time] => {
            is_id(user)
                && is_id(item)
                && number(rating).is_some_and(|stars| (-10.0..=10.0).contains(&stars))
                && time.parse::<f64>().is_ok()
                && is_plausible_time(time)
        }
        _ => false,
    }
}

/// Whether rows are persons who come again, items, and few different numbers of a usual scale; no person with an item twice.
fn are_three(rows: &[Vec<String>]) -> bool {
    let is_one = |row: &Vec<String>| {
        row.len() == RATING + 1
            && number(&row[RATING]).is_some_and(|stars| (0.0..=10.0).contains(&stars) && (2.0 * stars).fract() == 0.0)
            && row[..RATING].iter().all(|cell| !cell.trim().is_empty() && cell.trim().parse::<u64>().is_ok())
    };
    let different = |at: usize| rows.iter().map(|row| row[at].as_str()).collect::<BTreeSet<&str>>().len();
    rows.len() >= FEW
        && rows.iter().all(is_one)
        && 2 * different(RATING) < rows.len()
        && different(RATING) <= MOST_DIFFERENT
        && different(0) < rows.len()
        && different(RATING) < different(ITEM)
        && rows.iter().map(|row| (&row[0], &row[ITEM])).collect::<BTreeSet<_>>().len() == rows.len()
}
