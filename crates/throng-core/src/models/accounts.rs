//! Accounts that count as one person, as a model finds them: on its own, knowing nothing of what a method found.
//!
//! # Idea
//! A string in normal form is rare if at most ten accounts, and at most half of all, have it. Two accounts are alike if they share at least three rare
//! strings, and these are at least a fifth of the rare strings of the one that has fewer; what is connected is one person.
//! Every rare string gives all pairs of the accounts that have it; sorted, equal pairs stand side by side and are counted.
//!
//! # Cost
//! Sorting: the different strings of all accounts, 8 bytes each, and the pairs, 45 for a rare string at the most, 8 bytes each; beside
//! them a table of all forms.

use std::ops::Range;

use rayon::prelude::*;

use super::sharing::said_words;
use crate::data::{Interner, QueryLog};

/// The lines of every person of a log, if each account is one.
pub(super) fn apart(log: &QueryLog) -> Vec<Vec<Range<usize>>> {
    log.lines_of_accounts().into_iter().map(|lines| vec![lines]).collect()
}

/// The lines of every person of a log, if accounts that are alike are one; persons in the order of their first accounts.
pub(super) fn alike(log: &QueryLog) -> Vec<Vec<Range<usize>>> {
    let accounts = log.lines_of_accounts();
    let joined = joined(accounts.len(), &alike_pairs(log, &accounts));
    let mut place = vec![None; accounts.len()];
    let mut persons: Vec<Vec<Range<usize>>> = Vec::new();
    for (lines, first) in accounts.into_iter().zip(joined) {
        let at = *place[first as usize].get_or_insert_with(|| {
            persons.push(Vec::new());
            persons.len() - 1
        });
        persons[at].push(lines);
    }
    persons
}

/// All pairs of accounts that are alike.
fn alike_pairs(log: &QueryLog, accounts: &[Range<usize>]) -> Vec<(u32, u32)> {
    let forms = forms(log);
    // Who has what, string by string.
    let mut having: Vec<(u32, u32)> = Vec::new();
    for (account, lines) in (0u32..).zip(accounts) {
        let start = having.len();
        having.extend(log.query_ids(lines.clone()).iter().filter_map(|&query| Some((forms[query as usize]?, account))));
        having[start..].sort_unstable();
        let mut own = having.split_off(start);
        own.dedup();
        having.append(&mut own);
    }
    having.par_sort_unstable();
    let is_rare = |having: usize| having <= 10 && 2 * having <= accounts.len();
    let (mut rare_of, mut pairs) = (vec![0u64; accounts.len()], Vec::new());
    for string in having.chunk_by(|left, right| left.0 == right.0).filter(|string| is_rare(string.len())) {
        for (at, &(_, account)) in string.iter().enumerate() {
            rare_of[account as usize] += 1;
            pairs.extend(string[at + 1..].iter().map(|&(_, other)| (account, other)));
        }
    }
    drop(having);
    pairs.par_sort_unstable();
    let is_alike = |same: &&[(u32, u32)]| {
        let ((left, right), shared) = (same[0], same.len() as u64);
        shared >= 3 && 5 * shared >= rare_of[left as usize].min(rare_of[right as usize])
    };
    pairs.chunk_by(|left, right| left == right).filter(is_alike).map(|same| same[0]).collect()
}

/// For each query string of a log the number of its words as a set, or `None` without a word.
fn forms(log: &QueryLog) -> Vec<Option<u32>> {
    let sorted = |query: u32| {
        let mut words = said_words(log.queries().get(query));
        words.sort_unstable();
        words.join(" ")
    };
    let (mut numbers, mut forms) = (Interner::new(), Vec::with_capacity(log.queries().len()));
    const AT_ONCE: usize = 1 << 18;
    for start in (0..log.queries().len()).step_by(AT_ONCE) {
        let some = start as u32..log.queries().len().min(start + AT_ONCE) as u32;
        for text in some.into_par_iter().map(sorted).collect::<Vec<String>>() {
            forms.push((!text.is_empty()).then(|| numbers.intern(&text)));
        }
    }
    forms
}

/// For each account the first of those that it is connected with.
fn joined(accounts: usize, pairs: &[(u32, u32)]) -> Vec<u32> {
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); accounts];
    for &(left, right) in pairs {
        neighbours[left as usize].push(right);
        neighbours[right as usize].push(left);
    }
    let mut first = vec![u32::MAX; accounts];
    for start in 0..accounts as u32 {
        let mut open = vec![start];
        while let Some(account) = open.pop() {
            if first[account as usize] == u32::MAX {
                first[account as usize] = start;
                open.extend_from_slice(&neighbours[account as usize]);
            }
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::{Clusters, QueryLogBuilder};

    #[test]
    fn by_hand() {
        let mut builder = QueryLogBuilder::new();
        let mut add = |account: &str, queries: Range<u32>| {
            queries.for_each(|query| builder.push(account, &format!("Number {query}!"), 0, None, None));
        };
        add("a", 0..15);
        add("x", 100..103);
        add("b", 12..40);
        add("c", 27..99);
        add("y", 102..140);
        let log = builder.finish();
        // A shares three of fifteen with b, b thirteen of 28 with c; x and y share one.
        let lines: Vec<usize> = alike(&log).iter().map(Vec::len).collect();
        assert_eq!(lines, [3, 1, 1]);
        assert_eq!(apart(&log).len(), 5);
    }

    proptest! {
        #[test]
        fn finds_the_same_as_methods_do(
            rows in prop::collection::vec((0..16usize, "[abAB]{1,2}( [cdé]{1,2}){0,1}[ .]?"), 0..120),
        ) {
            let mut builder = QueryLogBuilder::new();
            rows.iter().for_each(|(account, query)| builder.push(&account.to_string(), query, 0, None, None));
            let log = builder.finish();
            let clusters = Clusters::alike(&log);
            let expected: Vec<Vec<Range<usize>>> = clusters
                .clusters()
                .map(|cluster| cluster.iter().map(|&(account, _)| log.range(account as usize)).collect())
                .collect();
            prop_assert_eq!(&alike(&log), &expected);
            // A log that was merged remembers who was who.
            let merged = log.merged(&clusters);
            let sizes = |persons: &[Vec<Range<usize>>]| -> Vec<usize> {
                persons.iter().map(|lines| lines.iter().map(Range::len).sum()).collect()
            };
            prop_assert_eq!(sizes(&alike(&merged)), sizes(&expected));
        }
    }
}
