//! Accounts that are probably one person's: those that share what hardly anybody else wrote.
//!
//! Paper      Ours.
//! Promises   nothing: it is a rule of thumb that marks accounts which say the same rare things.
//! Does not   see a person whose accounts have little in common, nor tell two persons of one household apart.
//!
//! # Idea
//! 1. A string in normal form is rare if at most ten accounts have it, and at most half of all: in a log of a few, what most of them
//!    write tells nobody. Whoever uses two accounts has theirs in both.
//! 2. Two accounts are alike if they share at least three rare strings, and these are at least a fifth of the rare strings of
//!    the one that has fewer.
//! 3. Alike accounts form clusters: whoever is alike with one of a cluster belongs to it.
//!
//! # Cost
//! An index over rare strings: each account is compared with those alone that share one, nine for each of its rare strings at the
//! most. Memory 12 bytes a different string and 4 bytes for each different string of an account, twice.

use std::hash::Hasher as _;

use rayon::prelude::*;
use siphasher::sip128::{Hasher128 as _, SipHasher13};

pub use crate::data::Clusters;
use crate::data::QueryLog;
use crate::data::queries::MISSING;
use crate::text::normal::normal_words;

/// A string is rare if so many accounts have it, at most.
pub const RARE: usize = 10;

/// A string is rare if so many accounts have it, at most, in a log of so many.
fn most_of_rare(accounts: usize) -> u32 {
    RARE.min(accounts / 2) as u32
}

/// Alike accounts share so many rare strings, at least.
pub const SHARED: usize = 3;

/// What they share, so many times, is at least all rare strings of the one with fewer.
pub const FIFTH: usize = 5;

impl Clusters {
    /// The accounts of a log that are alike.
    pub fn alike(log: &QueryLog) -> Self {
        let rare = RareStrings::of(log);
        let pairs: Vec<(u32, u32)> = (0..log.persons() as u32)
            .into_par_iter()
            .map_init(|| vec![0u32; log.persons()], |shared, account| rare.alike_after(account, shared))
            .flatten_iter()
            .collect();
        let mut first: Vec<u32> = (0..log.persons() as u32).collect();
        for (left, right) in pairs {
            let (left, right) = (root(&mut first, left), root(&mut first, right));
            first[left.max(right) as usize] = left.min(right);
        }
        Self::of((0..log.persons() as u32).map(|account| root(&mut first, account)).collect())
    }
}

/// The first account of a cluster, while clusters grow; shortens the way to it.
fn root(first: &mut [u32], mut account: u32) -> u32 {
    while first[account as usize] != account {
        let next = first[first[account as usize] as usize];
        first[account as usize] = next;
        account = next;
    }
    account
}

/// Who has which rare strings.
struct RareStrings {
    /// Account `a` has the rare strings `strings[starts[a]..starts[a + 1]]` that it shares with others.
    starts: Vec<usize>,
    strings: Vec<u32>,
    /// How many rare strings each account has, shared or not.
    counts: Vec<u32>,
    /// String `s` is had by `accounts[accounts_start[s]..accounts_start[s + 1]]`.
    account_starts: Vec<usize>,
    accounts: Vec<u32>,
}

impl RareStrings {
    fn of(log: &QueryLog) -> Self {
        let form_of = forms(log);
        let forms_of = |account: usize| {
            let strings = log.query_ids(log.range(account)).iter();
            let mut own: Vec<u32> = strings.map(|&string| form_of[string as usize]).collect();
            own.sort_unstable();
            own.dedup();
            // The form of no word comes last.
            own.truncate(own.partition_point(|&form| form != MISSING));
            own
        };
        let forms = form_of.iter().filter(|&&form| form != MISSING).max().map_or(0, |&last| last as usize + 1);
        let (mut having, most) = (vec![0u32; forms], most_of_rare(log.persons()));
        for account in 0..log.persons() {
            forms_of(account).into_iter().for_each(|form| having[form as usize] += 1);
        }
        // Rare strings that several have get numbers of their own.
        let (mut number, mut account_starts) = (vec![MISSING; forms], vec![0]);
        for (number, &accounts) in number.iter_mut().zip(&having) {
            if (2..=most).contains(&accounts) {
                *number = account_starts.len() as u32 - 1;
                account_starts.push(account_starts[account_starts.len() - 1] + accounts as usize);
            }
        }
        let mut next = account_starts.clone();
        let mut rare = Self {
            starts: vec![0],
            strings: Vec::new(),
            counts: Vec::with_capacity(log.persons()),
            accounts: vec![0; account_starts[account_starts.len() - 1]],
            account_starts,
        };
        for account in 0..log.persons() {
            let own = forms_of(account);
            rare.counts.push(own.iter().filter(|&&form| having[form as usize] <= most).count() as u32);
            for string in own.into_iter().map(|form| number[form as usize]).filter(|&string| string != MISSING) {
                rare.strings.push(string);
                rare.accounts[next[string as usize]] = account as u32;
                next[string as usize] += 1;
            }
            rare.starts.push(rare.strings.len());
        }
        rare
    }

    /// The later accounts with which one is alike. `shared` is all 0, before and after.
    fn alike_after(&self, account: u32, shared: &mut [u32]) -> Vec<(u32, u32)> {
        let mut met = Vec::new();
        let own = self.starts[account as usize]..self.starts[account as usize + 1];
        for &string in &self.strings[own] {
            let having = self.account_starts[string as usize]..self.account_starts[string as usize + 1];
            for &other in self.accounts[having].iter().rev().take_while(|&&other| other > account) {
                if shared[other as usize] == 0 {
                    met.push(other);
                }
                shared[other as usize] += 1;
            }
        }
        let count = |account: u32| self.counts[account as usize] as usize;
        met.sort_unstable();
        met.retain(|&other| {
            let shared = std::mem::take(&mut shared[other as usize]) as usize;
            shared >= SHARED && FIFTH * shared >= count(account).min(count(other))
        });
        met.into_iter().map(|other| (account, other)).collect()
    }
}

/// For each string the number of its normal form, or [`MISSING`] if it has no word. Two with the same words have the same form.
fn forms(log: &QueryLog) -> Vec<u32> {
    let strings = log.queries();
    let print = |string: u32| {
        let text = strings.get(string);
        let (high, low) = if text.is_ascii() {
            let lower = text.to_ascii_lowercase();
            let words = lower.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
            print_of(words.collect())?
        } else {
            let words = normal_words(text);
            print_of(words.iter().map(String::as_str).collect())?
        };
        Some((high, low, string))
    };
    let mut prints: Vec<(u64, u32, u32)> = (0..strings.len() as u32).into_par_iter().filter_map(print).collect();
    prints.par_sort_unstable();
    let mut form_of = vec![MISSING; strings.len()];
    for (form, same) in (0..).zip(prints.chunk_by(|left, right| (left.0, left.1) == (right.0, right.1))) {
        same.iter().for_each(|&(_, _, string)| form_of[string as usize] = form);
    }
    form_of
}

/// The hash of some words, in whatever order and however often they come; `None` without a word. 96 bits stand for them: that two of
/// all texts of the world meet in one is not to be expected.
fn print_of(mut words: Vec<&str>) -> Option<(u64, u32)> {
    words.sort_unstable();
    words.dedup();
    let mut hasher = SipHasher13::new();
    for word in &words {
        hasher.write(word.as_bytes());
        hasher.write_u8(b' ');
    }
    let hash = hasher.finish128();
    (!words.is_empty()).then_some((hash.h1, hash.h2 as u32))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::data::QueryLogBuilder;
    use crate::text::normal::normal_form;

    fn log(rows: &[(String, String)]) -> QueryLog {
        let mut builder = QueryLogBuilder::new();
        rows.iter().for_each(|(account, query)| builder.push(account, query, 0, None, None));
        builder.finish()
    }

    /// One line for each account and number of a query, and after them so many others with a query each.
    fn made(lines: &[(&str, std::ops::Range<u32>)], others: u32) -> QueryLog {
        let rows = lines.iter().flat_map(|(account, queries)| {
            queries.clone().map(|query| (account.to_string(), format!("query number{query}")))
        });
        let others = (0..others).map(|other| (format!("other {other}"), format!("something else{other}")));
        log(&rows.chain(others).collect::<Vec<_>>())
    }

    #[test]
    fn by_hand() {
        let clusters = |lines: &[(&str, std::ops::Range<u32>)]| {
            let clusters = Clusters::alike(&made(lines, 20));
            let sizes: Vec<usize> = clusters.clusters().map(<[_]>::len).filter(|&size| size > 1).collect();
            (sizes, clusters.accounts_alike())
        };
        // Three in common, and five times three are fifteen.
        assert_eq!(clusters(&[("a", 0..15), ("b", 12..40)]), (vec![2], 2));
        assert_eq!(clusters(&[("a", 0..16), ("b", 13..40)]), (vec![], 0));
        assert_eq!(clusters(&[("a", 0..4), ("b", 2..6)]), (vec![], 0));
        // A chain is one cluster; who is alike with nobody stays apart.
        assert_eq!(clusters(&[("a", 0..6), ("x", 90..99), ("b", 3..9), ("c", 6..12)]), (vec![3], 3));
        // What eleven accounts have is not rare, and what ten have is.
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];
        let all: Vec<_> = names.iter().map(|&name| (name, 0..5)).collect();
        assert_eq!(clusters(&all).1, 0);
        assert_eq!(clusters(&all[1..]), (vec![10], 10));
        assert_eq!(clusters(&[]), (vec![], 0));
        // What most of a few have is not rare.
        let alike = |others: u32| Clusters::alike(&made(&[("a", 0..5), ("b", 0..5)], others)).accounts_alike();
        assert_eq!([0, 1, 2, 3].map(alike), [0, 0, 2, 2]);
        assert!(Clusters::alike(&made(&[], 0)).is_empty());
    }

    #[test]
    fn the_form_counts_and_not_the_writing() {
        let rows = [
            ("a", "Red CAR"),
            ("a", "new york!"),
            ("a", "\u{fb01}nd"),
            ("a", "--"),
            ("b", "car red"),
            ("b", "york, new york"),
            ("b", "find"),
            ("b", "--"),
            ("c", "red car"),
            ("c", "new york"),
            ("c", "fin d"),
            ("c", "--"),
            ("d", "--"),
            ("e", "--"),
            ("f", "--"),
        ];
        let log = log(&rows.map(|(account, query)| (account.to_owned(), query.to_owned())));
        let clusters = Clusters::alike(&log);
        assert_eq!(clusters.in_order(), [(0, 0), (1, 0), (2, 2), (3, 3), (4, 4), (5, 5)]);
        assert_eq!((clusters.first(1), clusters.len()), (0, 5));
    }

    /// The same as it is defined: all pairs, all strings.
    fn literal(log: &QueryLog) -> Vec<u32> {
        let sets: Vec<BTreeSet<Vec<String>>> = (0..log.persons())
            .map(|account| {
                let form = |query: u32| {
                    let mut words: Vec<String> =
                        normal_form(log.queries().get(query)).split_whitespace().map(str::to_owned).collect();
                    words.sort();
                    words
                };
                log.lines(account).map(|line| form(line.query)).filter(|form| !form.is_empty()).collect()
            })
            .collect();
        let mut having: BTreeMap<&Vec<String>, usize> = BTreeMap::new();
        sets.iter().flatten().for_each(|form| *having.entry(form).or_default() += 1);
        let rare: Vec<BTreeSet<&Vec<String>>> = sets
            .iter()
            .map(|set| set.iter().filter(|form| having[form] <= 10 && 2 * having[form] <= log.persons()).collect())
            .collect();
        let mut first: Vec<u32> = (0..log.persons() as u32).collect();
        for left in 0..rare.len() {
            for right in 0..left {
                let shared = rare[left].intersection(&rare[right]).count();
                if shared >= 3 && shared as f64 >= rare[left].len().min(rare[right].len()) as f64 / 5.0 {
                    let (from, to) = (first[left].max(first[right]), first[left].min(first[right]));
                    first.iter_mut().filter(|own| **own == from).for_each(|own| *own = to);
                }
            }
        }
        first
    }

    proptest! {
        #[test]
        fn clusters_as_they_are_defined(
            rows in prop::collection::vec((0..16usize, "[abAB]{1,2}( [cdé]{1,2}){0,1}[ .]?"), 0..120),
        ) {
            let rows: Vec<_> = rows.into_iter().map(|(account, query)| (account.to_string(), query)).collect();
            let log = log(&rows);
            let clusters = Clusters::alike(&log);
            prop_assert_eq!(&clusters, &Clusters::of(literal(&log)));
        }
    }
}
