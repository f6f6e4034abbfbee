//! Whether another column than that of persons says who they are: a file may have an id for each visit, and beside it the name of whoever
//! came. Then every id has one name, and several ids have the same.
//!
//! Only the beginning of a file of cells is looked at, and nothing is decided by it: a town is of that form too.

use std::collections::{BTreeMap, BTreeSet};

use super::fields::delimited::each_row;
use super::head::whole_lines;
use super::roles::Roles;
use super::scan::ReadOptions;
use super::{FormatKind, Opened};

/// The fewest ids of which anything can be said.
const FEW_IDS: usize = 4;
/// Of a column that is not called as one of persons: its values are not fewer, and have not more ids each.
const FEW_VALUES: usize = 10;
const MOST_IDS_EACH: usize = 20;
/// Words in the names of columns of persons.
const PERSONAL: [&str; 9] = ["name", "user", "person", "mail", "account", "login", "customer", "client", "patient"];

/// What to say if some column without a role may be the one of persons, in place of the one that was taken for it by its name.
pub(crate) fn coarser_column(opened: &mut Opened, options: &ReadOptions, roles: &Roles) -> Option<String> {
    const PERSON: usize = 0;
    let has_cells = matches!(opened.format.kind, FormatKind::Csv | FormatKind::Tsv);
    if !has_cells || options.no_header || roles.is_chosen(PERSON, &options.columns) {
        return None;
    }
    let head = opened.head(options).ok()?;
    let found = roles.guess(&head.names(), &options.columns).ok()?;
    let person = found.iter().position(|role| *role == Some(PERSON))?;
    let others: Vec<usize> = (0..found.len()).filter(|&at| found[at].is_none()).collect();
    let mut rows: Vec<Vec<Vec<u8>>> = Vec::new();
    each_row(whole_lines(&opened.source), opened.format, |cells| {
        if cells.len() == found.len() {
            rows.push(cells.iter().map(|cell| cell.trim_ascii().to_vec()).collect());
        }
    });
    let is_personal = |at: usize| {
        let name = head.names[at].to_lowercase();
        PERSONAL.iter().any(|word| name.contains(word))
    };
    let other =
        others.into_iter().find(|&at| is_coarser(rows.get(1..).unwrap_or_default(), person, at, is_personal(at)))?;
    let role = roles.cards[PERSON].name;
    Some(format!(
        "every value of column {} has one of column {}, which several share: if that says who a person is, say so: `--column {role}={}`",
        person + 1,
        other + 1,
        other + 1
    ))
}

/// Whether every id has one value of another column, and several ids have the same.
fn is_coarser(rows: &[Vec<Vec<u8>>], person: usize, other: usize, is_personal: bool) -> bool {
    let mut value_of: BTreeMap<&[u8], &[u8]> = BTreeMap::new();
    for row in rows {
        let value = &row[other];
        if value.is_empty() || value_of.insert(&row[person], value).is_some_and(|before| before != value) {
            return false;
        }
    }
    let (ids, values) = (value_of.len(), value_of.values().collect::<BTreeSet<_>>().len());
    let is_like_persons = is_personal || (values >= FEW_VALUES && ids <= MOST_IDS_EACH * values);
    ids >= FEW_IDS && values > 1 && 2 * values <= ids && is_like_persons
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_for_each_visit() {
        let rows = |row: fn(usize) -> (usize, usize)| -> Vec<Vec<Vec<u8>>> {
            let cells = |(id, name): (usize, usize)| vec![id.to_string().into_bytes(), name.to_string().into_bytes()];
            (0..120).map(|at| cells(row(at))).collect()
        };
        // Three rows a visit, ten visits a person.
        let visits = rows(|at| (at / 3, at / 30));
        assert!(is_coarser(&visits, 0, 1, true) && !is_coarser(&visits, 0, 1, false));
        assert!(is_coarser(&rows(|at| (at / 3, at / 12)), 0, 1, false));
        // The other way round; a value that changes; as many values as ids; one value.
        assert!(!is_coarser(&visits, 1, 0, true));
        assert!(!is_coarser(&rows(|at| (at / 3, at % 2)), 0, 1, true));
        assert!(!is_coarser(&rows(|at| (at / 3, at / 3)), 0, 1, true));
        assert!(!is_coarser(&rows(|at| (at / 3, 1)), 0, 1, true));
    }
}
