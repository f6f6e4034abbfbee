//! The long tail of words: names, makes, shops, hosts and slips of the keyboard, put together when they are needed.
//!
//! Does not   list anything: names are made of syllables and dictionary words; where one exists in reality, that is chance.
//!
//! # Idea
//! Most words of a real log are said by one person only: they name people, streets, shops, products and sites, or are spelt in a way
//! that nobody else spells them. Here each sort has a small model of syllables with far more words than persons.

use super::vocabulary;
use crate::Rng;

/// What made-up names are put together from.
#[derive(Debug)]
pub(super) struct Syllables {
    onsets: Vec<&'static str>,
    rhymes: Vec<&'static str>,
    foreign: Vec<&'static str>,
    name_endings: Vec<&'static str>,
    town_endings: Vec<&'static str>,
    make_endings: Vec<&'static str>,
}

impl Syllables {
    pub(super) fn new() -> Self {
        let split = |text: &'static str| text.split(' ').collect();
        Self {
            onsets: split(vocabulary::ONSETS),
            rhymes: split(vocabulary::RHYMES),
            foreign: split(vocabulary::FOREIGN_RHYMES),
            name_endings: split(vocabulary::NAME_ENDINGS),
            town_endings: split(vocabulary::TOWN_ENDINGS),
            make_endings: split(vocabulary::MAKE_ENDINGS),
        }
    }

    pub(super) fn write_family_name(&self, rng: &mut Rng, out: &mut String) {
        let syllables = if rng.unit() < 0.45 { 2 } else { 1 };
        self.write(rng, syllables, &self.name_endings, out);
    }

    pub(super) fn write_town(&self, rng: &mut Rng, out: &mut String) {
        if let Some(first) = ["new ", "lake ", "east ", "west ", "fort ", "mount "].get(rng.index(90)) {
            out.push_str(first);
        }
        self.write(rng, 1, &self.town_endings, out);
    }

    /// The name of a make, a product or a shop.
    pub(super) fn write_make(&self, rng: &mut Rng, out: &mut String) {
        let syllables = if rng.unit() < 0.4 { 2 } else { 1 };
        self.write(rng, syllables, &self.make_endings, out);
    }

    /// A word that is not English.
    pub(super) fn write_foreign(&self, rng: &mut Rng, out: &mut String) {
        for _ in 0..2 + rng.index(2) {
            out.push_str(self.onsets[rng.index(self.onsets.len())]);
            out.push_str(self.foreign[rng.index(self.foreign.len())]);
        }
    }

    fn write(&self, rng: &mut Rng, syllables: usize, endings: &[&str], out: &mut String) {
        for _ in 0..syllables {
            out.push_str(self.onsets[rng.index(self.onsets.len())]);
            out.push_str(self.rhymes[rng.index(self.rhymes.len())]);
        }
        out.push_str(endings[rng.index(endings.len())]);
    }
}

/// The plural of a dictionary word, if it has one that looks like one.
pub(super) fn plural(word: &str) -> Option<String> {
    let ends_in = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    if word.len() < 3
        || ends_in(&["s", "ing", "ment", "ness", "ity", "ology", "ism", "ics", "ance", "ence", "ware", "wear"])
    {
        return None;
    }
    Some(match word.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if ends_in(&["x", "ch", "sh", "z"]) => format!("{word}es"),
        _ => format!("{word}s"),
    })
}

/// Writes a word with a slip: two letters swapped, one dropped, doubled, or the key beside it. Very short words come out right.
pub(super) fn write_misspelt(word: &str, rng: &mut Rng, out: &mut String) {
    let letters = word.len();
    if letters < 4 || !word.is_ascii() {
        out.push_str(word);
        return;
    }
    let at = 1 + rng.index(letters - 2);
    let (start, letter, rest) = (&word[..at], &word[at..=at], &word[at + 1..]);
    match rng.below(5) {
        0 => out.extend([start, &rest[..1], letter, &rest[1..]]),
        1 => out.extend([start, rest]),
        2 => out.extend([start, letter, letter, rest]),
        slip => out.extend([start, beside(letter, slip == 3), rest]),
    }
}

/// The letter to the left or right on the keyboard; the letter itself where there is none.
fn beside(letter: &str, is_left: bool) -> &str {
    let key = |row: &&'static str| row.find(letter).map(|at| (*row, at));
    let Some((row, at)) = vocabulary::KEYBOARD.iter().find_map(key) else { return letter };
    let at = if is_left { at.saturating_sub(1) } else { (at + 1).min(row.len() - 1) };
    &row[at..=at]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_change_one_letter() {
        let mut rng = Rng::seeded(1);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..400 {
            let mut text = String::new();
            write_misspelt("rose", &mut rng, &mut text);
            seen.insert(text);
        }
        assert_eq!(
            Vec::from_iter(&seen),
            ["rise", "roae", "rode", "roe", "roes", "roose", "rosse", "rpse", "rse", "rsoe"]
        );
    }

    #[test]
    fn short_and_foreign_words_come_out_right() {
        let mut text = String::new();
        write_misspelt("cat", &mut Rng::seeded(1), &mut text);
        write_misspelt("café", &mut Rng::seeded(1), &mut text);
        assert_eq!(text, "catcafé");
    }

    #[test]
    fn plurals_look_like_plurals() {
        let plurals = ["car", "baby", "box", "church", "toy", "lyrics", "training"].map(plural);
        let plurals: Vec<&str> = plurals.iter().map(|plural| plural.as_deref().unwrap_or("-")).collect();
        assert_eq!(plurals, ["cars", "babies", "boxes", "churches", "toys", "-", "-"]);
    }
}
