//! The words of a person's query strings, side by side, so that one string is compared with all of them at once.
//!
//! Paper      Hyyrö, Fredriksson, Navarro. Increased bit-parallelism for approximate and multiple string matching.
//!            ACM Journal of Experimental Algorithmics 10 (2005): several words side by side in one register.
//!
//! # Idea
//! Words of at most 16 letters stand in groups of [`LANES`]. One word runs through a group in the recurrence of
//! [`Pattern::edits`](crate::text::edit_distance::Pattern), 16 bits for each word of the group. Other words are compared one
//! by one. From the distances of words follow those of strings: H(p, q) = max of max_a min_b word(a, b) and
//! max_b min_a word(b, a).
//!
//! # Cost
//! About 20 instructions a pair of words. Memory about 100 bytes a word.
//!
//! # Does not
//! give exact distances: they are whole multiples of [`UNIT`], too small by less than [`UNCERTAIN`].

use super::user_distance::SpaceLine;
use crate::text::edit_distance::{Outline, QueryPattern, Words};

/// What one stands for in distances of strings.
pub(super) const UNIT: f64 = 1.0 / 65535.0;
/// Distances are too small by less than this.
pub(super) const UNCERTAIN: f64 = 1e-3;

/// How many words stand in a group.
const LANES: usize = 16;
/// The most letters of a word in a group.
const MOST_LETTERS: usize = 16;
/// Words in a group have letters among the first so many of the alphabet.
const ALPHABET: usize = 64;
/// The most letters of a word that runs through groups: one unit at most is lost for each.
const MOST_OWN_LETTERS: usize = 32;

/// The words of a person's query strings.
#[derive(Debug, Clone)]
pub(super) struct Vocabulary {
    groups: usize,
    /// For each letter of the alphabet and each group, at which places of the group's words it stands.
    positions: Vec<[u16; LANES]>,
    /// For each word in a group the places that it has.
    places: Vec<[u16; LANES]>,
    /// For each word in a group what one edit is of its length, in units.
    shares: Vec<[u16; LANES]>,
    /// The words in no group; they are numbered after the places in groups.
    others: Vec<Outline>,
    /// The words in groups.
    grouped: Vec<Outline>,
    /// String `s` has the words `words[ends[s]..ends[s + 1]]`.
    ends: Vec<u32>,
    words: Vec<u32>,
    /// Which string each line has.
    strings: Vec<u32>,
}

impl Vocabulary {
    /// The vocabulary of some lines. `words_of` gives the distinct words of a string.
    pub(super) fn of<'a>(lines: &[SpaceLine], words: &Words, words_of: impl Fn(u32) -> &'a [Outline]) -> Self {
        // Strings with as many words stand together: a loop over them takes no turns.
        let key = |line: &SpaceLine| (words_of(line.string).len(), line.string);
        let mut strings: Vec<(usize, u32)> = lines.iter().map(key).collect();
        strings.sort_unstable();
        strings.dedup();
        let places = lines.iter().map(|line| strings.partition_point(|&string| string < key(line)) as u32).collect();
        let all_words = || strings.iter().flat_map(|&(_, string)| words_of(string));
        let goes_in_group = |word: &Outline| {
            let letters = words.letters(word);
            letters.is_some_and(|letters| {
                letters.len() <= MOST_LETTERS && letters.iter().all(|&letter| usize::from(letter) < ALPHABET)
            })
        };
        let (mut grouped, mut others): (Vec<Outline>, Vec<Outline>) = all_words().copied().partition(goes_in_group);
        for part in [&mut grouped, &mut others] {
            part.sort_unstable_by_key(|word| word.word);
            part.dedup();
        }
        let groups = grouped.len().div_ceil(LANES);
        let number = |word: &Outline| match grouped.binary_search_by_key(&word.word, |other| other.word) {
            Ok(place) => place as u32,
            Err(_) => (groups * LANES + others.partition_point(|other| other.word < word.word)) as u32,
        };
        let mut vocabulary = Self {
            groups,
            positions: vec![[0; LANES]; ALPHABET * groups],
            places: vec![[0; LANES]; groups],
            shares: vec![[0; LANES]; groups],
            ends: vec![0],
            words: all_words().map(number).collect(),
            strings: places,
            others,
            grouped,
        };
        for &(count, _) in &strings {
            vocabulary.ends.push(vocabulary.ends[vocabulary.ends.len() - 1] + count as u32);
        }
        for (place, word) in vocabulary.grouped.iter().enumerate() {
            let (group, lane) = (place / LANES, place % LANES);
            let letters = words.letters(word).unwrap_or_default();
            vocabulary.places[group][lane] = u16::MAX >> (MOST_LETTERS - letters.len());
            vocabulary.shares[group][lane] = share_of(letters.len());
            for (at, &letter) in letters.iter().enumerate() {
                vocabulary.positions[usize::from(letter) * groups + group][lane] |= 1 << at;
            }
        }
        vocabulary
    }

    /// Which string each line has.
    pub(super) fn strings(&self) -> &[u32] {
        &self.strings
    }

    /// About how far each string is from the one with these words, for which the pattern is loaded.
    pub(super) fn distances(&self, words: &Words, own: &[Outline], pattern: &QueryPattern, found: &mut Distances) {
        let Distances { rows, least, strings } = found;
        // At least one: there may be no words.
        let width = (self.groups * LANES + self.others.len()).max(1);
        rows.clear();
        rows.resize(own.len() * width, 0);
        for (row, word) in rows.chunks_exact_mut(width).zip(own) {
            match words.letters(word) {
                Some(letters) if letters.len() <= MOST_OWN_LETTERS => self.fill(letters, row),
                _ => self.fill_one_by_one(words, word, row),
            }
        }
        for (place, other) in (self.groups * LANES..).zip(&self.others) {
            pattern.distances(words, other, |at, distance| rows[at * width + place] = units(distance));
        }
        least.clear();
        least.resize(width, u16::MAX);
        for row in rows.chunks_exact(width) {
            least.iter_mut().zip(row).for_each(|(least, &distance)| *least = distance.min(*least));
        }
        strings.clear();
        if own.is_empty() {
            strings.extend(self.ends.windows(2).map(|ends| if ends[0] == ends[1] { 0 } else { u16::MAX }));
            return;
        }
        strings.extend(self.ends.windows(2).map(|ends| {
            let words = &self.words[ends[0] as usize..ends[1] as usize];
            words.iter().fold(0, |greatest, &word| least[word as usize].max(greatest))
        }));
        let mut rows = rows.chunks_exact(width);
        while rows.len() >= 4 {
            self.raise([(); 4].map(|()| rows.next().unwrap_or_default()), strings);
        }
        match rows.len() {
            1 => self.raise([(); 1].map(|()| rows.next().unwrap_or_default()), strings),
            2 => self.raise([(); 2].map(|()| rows.next().unwrap_or_default()), strings),
            3 => self.raise([(); 3].map(|()| rows.next().unwrap_or_default()), strings),
            _ => {}
        }
    }

    /// Raises the distances of the strings to what some of the own words, given by their rows, need.
    fn raise<const COUNT: usize>(&self, rows: [&[u16]; COUNT], strings: &mut [u16]) {
        for (string, ends) in strings.iter_mut().zip(self.ends.windows(2)) {
            let mut least = [u16::MAX; COUNT];
            for &word in &self.words[ends[0] as usize..ends[1] as usize] {
                for (least, row) in least.iter_mut().zip(rows) {
                    *least = row[word as usize].min(*least);
                }
            }
            *string = least.into_iter().fold(*string, u16::max);
        }
    }

    /// The distances of a word, however long and rare its letters, to the words in groups.
    fn fill_one_by_one(&self, words: &Words, own: &Outline, row: &mut [u16]) {
        for (distance, other) in row.iter_mut().zip(&self.grouped) {
            *distance = units(words.distance(own.word, other.word));
        }
    }

    /// The distances of a word, given by its letters, to the words in groups.
    fn fill(&self, letters: &[u8], row: &mut [u16]) {
        let own_share = share_of(letters.len());
        for (group, distances) in row.chunks_exact_mut(LANES).enumerate().take(self.groups) {
            let (mut plus, mut minus) = ([u16::MAX; LANES], [0u16; LANES]);
            for &letter in letters {
                let equal = self.positions.get(usize::from(letter) * self.groups + group).unwrap_or(&[0; LANES]);
                for lane in 0..LANES {
                    let (p, m, e) = (plus[lane], minus[lane], equal[lane]);
                    let diagonal = (((e & p).wrapping_add(p)) ^ p) | e | m;
                    let up = (m | !(diagonal | p)) << 1 | 1;
                    let down = (p & diagonal) << 1;
                    plus[lane] = down | !(diagonal | up);
                    minus[lane] = up & diagonal;
                }
            }
            let (places, shares) = (&self.places[group], &self.shares[group]);
            for lane in 0..LANES {
                // Down the last column of the table of edits, each letter adds one, takes one away, or does neither.
                let (more, less) = (plus[lane] & places[lane], minus[lane] & places[lane]);
                let edits = letters.len() as u16 + more.count_ones() as u16 - less.count_ones() as u16;
                distances[lane] = edits.wrapping_mul(shares[lane].min(own_share));
            }
        }
    }
}

/// What one edit is of a length, in units.
fn share_of(length: usize) -> u16 {
    u16::MAX / length.max(1) as u16
}

/// A distance in units.
fn units(distance: f64) -> u16 {
    (distance / UNIT) as u16
}

/// How far the strings of a person are from another string, with what it takes to find out.
#[derive(Debug, Default)]
pub(super) struct Distances {
    /// For each word of the own string the distances to the words of the person.
    rows: Vec<u16>,
    /// For each word of the person the least distance to one of the own string.
    least: Vec<u16>,
    /// For each string of the person, in units.
    pub(super) strings: Vec<u16>,
}
