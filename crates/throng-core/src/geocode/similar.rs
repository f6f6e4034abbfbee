//! How alike two names are, as typing errors go, and names of a list that are like a given one.
//!
//! # Idea
//! 1. Names are compared by edits: a letter more, less or another, or two neighbours exchanged (optimal string alignment).
//! 2. A list is searched through the pairs of letters that names share with the one that is looked for: a name that shares too few is
//!    never compared. A word of n letters has n + 1 pairs, its ends marked, and an edit spoils at most three.
//!
//! # Formula
//! similarity = 1 − edits / length of the longer name, in [0, 1].
//!
//! # Cost
//! Time O(|x| · |y|) a pair; a search looks at the lists of the pairs of letters of its name.

use hashbrown::HashMap;

/// How many typing errors lie between two names: insertions, deletions, other letters, exchanged neighbours.
pub fn edits(left: &[char], right: &[char]) -> usize {
    let width = right.len() + 1;
    let mut two_before = vec![0; width];
    let mut before: Vec<usize> = (0..width).collect();
    let mut row = vec![0; width];
    for (up, letter) in left.iter().enumerate() {
        row[0] = up + 1;
        for (across, other) in right.iter().enumerate() {
            let mut best =
                (before[across + 1] + 1).min(row[across] + 1).min(before[across] + usize::from(letter != other));
            if up > 0 && across > 0 && *letter == right[across - 1] && left[up - 1] == *other {
                best = best.min(two_before[across - 1] + 1);
            }
            row[across + 1] = best;
        }
        std::mem::swap(&mut two_before, &mut before);
        std::mem::swap(&mut before, &mut row);
    }
    before[right.len()]
}

/// How alike two names are: 1 for equal ones, 0 for names that share nothing.
pub fn similarity(left: &str, right: &str) -> f64 {
    if left == right {
        return 1.0;
    }
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    1.0 - edits(&left, &right) as f64 / left.len().max(right.len()).max(1) as f64
}

/// A list of different names that can be searched.
#[derive(Debug, Clone, Default)]
pub struct Names {
    names: Vec<String>,
    by_name: HashMap<String, u32, foldhash::fast::FixedState>,
    /// The names that have a pair of letters.
    having: HashMap<(char, char), Vec<u32>, foldhash::fast::FixedState>,
}

/// What stands before and behind a name.
const END: char = '\0';

fn pairs(name: &str) -> Vec<(char, char)> {
    let letters: Vec<char> = std::iter::once(END).chain(name.chars()).chain([END]).collect();
    let mut pairs: Vec<(char, char)> = letters.windows(2).map(|pair| (pair[0], pair[1])).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

impl Names {
    /// The number of a name, new if it was not there.
    pub fn intern(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.by_name.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), number);
        for pair in pairs(name) {
            self.having.entry(pair).or_default().push(number);
        }
        number
    }

    /// The number of a name.
    pub fn number(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// A name by its number.
    pub fn get(&self, number: u32) -> &str {
        &self.names[number as usize]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The names that are at least so like a given one, with how alike they are, in the order of their numbers.
    pub fn like(&self, name: &str, least: f64) -> Vec<(u32, f64)> {
        let letters: Vec<char> = name.chars().collect();
        if letters.is_empty() {
            return Vec::new();
        }
        let own = pairs(name);
        let mut shared: Vec<u32> = own.iter().filter_map(|pair| self.having.get(pair)).flatten().copied().collect();
        shared.sort_unstable();
        let mut found = Vec::new();
        for same in shared.chunk_by(|left, right| left == right) {
            let other: Vec<char> = self.get(same[0]).chars().collect();
            let longer = letters.len().max(other.len());
            let allowed = ((1.0 - least) * longer as f64 + 1e-9) as usize;
            // Pairs of letters that occur twice count once: the bound is for different ones, and never wrongly no.
            if same.len() + 3 * allowed < own.len() || letters.len().abs_diff(other.len()) > allowed {
                continue;
            }
            let similarity = 1.0 - edits(&letters, &other) as f64 / longer as f64;
            if similarity >= least - 1e-9 {
                found.push((same[0], similarity));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn edits_of(left: &str, right: &str) -> usize {
        edits(&left.chars().collect::<Vec<_>>(), &right.chars().collect::<Vec<_>>())
    }

    #[test]
    fn typing_errors_count_one_each() {
        assert_eq!(edits_of("smith", "smith"), 0);
        assert_eq!(edits_of("smith", "smyth"), 1);
        assert_eq!(edits_of("smith", "smiht"), 1);
        assert_eq!(edits_of("smith", "smth"), 1);
        assert_eq!(edits_of("", "abc"), 3);
        assert_eq!(edits_of("kitten", "sitting"), 3);
        assert!((similarity("miller", "milelr") - (1.0 - 1.0 / 6.0)).abs() < 1e-12);
    }

    proptest! {
        /// The search finds what comparing every name finds, where names are alike enough to share a pair of letters.
        #[test]
        fn the_search_is_the_plain_one(names in prop::collection::vec("[abc]{1,7}", 1..20), wanted in "[abc]{1,7}", least in 0.7..1.0f64) {
            let mut list = Names::default();
            for name in &names {
                list.intern(name);
            }
            let plain: Vec<(u32, f64)> = (0..list.len() as u32)
                .map(|number| (number, similarity(list.get(number), &wanted)))
                .filter(|found| found.1 >= least - 1e-9)
                .collect();
            // With one letter or two, nothing may be shared by names that are one edit apart.
            let shares = |number: u32| pairs(list.get(number)).iter().any(|pair| pairs(&wanted).contains(pair));
            let plain: Vec<_> = plain.into_iter().filter(|found| shares(found.0)).collect();
            prop_assert_eq!(list.like(&wanted, least), plain);
        }
    }
}
