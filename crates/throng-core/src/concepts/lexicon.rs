//! What single words can be, and how often they are: a small lexicon made from WordNet.
//!
//! # Idea
//! 1. A word is a noun, verb, adjective or adverb, or several of them. WordNet's index files say which; its counts of senses in
//!    tagged texts (`cntlist.rev`) say how often it is each. A weight is the number of binary digits of the count, at most 9.
//! 2. Irregular forms (`went`, `geese`, `better`) stand in a list with their base.
//! 3. Regular forms are taken to their base by their ending: -s, -es, -ies, -ed, -ing, -er, -est.
//!
//! # File
//! The first line is `throng-lexicon 1`. Then a line for each word, `run n5v9`: for every class that it can have the letter
//! (`n`, `v`, `a`, `r` for adverbs) and the weight as a digit, left out where it is 0. An empty line ends the words;
//! then follow the irregular forms, `went v go`.
//!
//! # Cost
//! About 4 MB in memory for WordNet 3.0; read in some tens of milliseconds.

use std::fmt::Write as _;

use crate::data::Interner;
use crate::error::{Error, Result};

const HEADER: &str = "throng-lexicon 1";

/// A class of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// A noun.
    Noun,
    /// A verb.
    Verb,
    /// An adjective.
    Adjective,
    /// An adverb.
    Adverb,
}

impl Class {
    /// All classes, in the order of WordNet.
    pub const ALL: [Self; 4] = [Self::Noun, Self::Verb, Self::Adjective, Self::Adverb];

    fn letter(self) -> char {
        ['n', 'v', 'a', 'r'][self as usize]
    }

    fn of_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.letter() == letter)
    }
}

/// How a word is inflected, as far as the classes of its neighbours depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As a dictionary has it.
    Base,
    /// With the ending of a plural, or of a verb after `he`.
    Plural,
    /// The past of a verb.
    Past,
    /// The -ing form of a verb.
    Ing,
}

/// What a word can be: for each class its weight, if it can have the class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Classes {
    weights: [u8; 4],
    /// How the word is inflected.
    pub form: Form,
}

const NOT: u8 = u8::MAX;
/// The greatest weight: one digit in the file.
const GREATEST: u32 = 9;

impl Classes {
    /// Nothing that is known.
    pub const UNKNOWN: Self = Self { weights: [NOT; 4], form: Form::Base };

    /// Some classes with their weights.
    pub fn of(classes: &[(Class, u8)], form: Form) -> Self {
        let mut all = Self { form, ..Self::UNKNOWN };
        classes.iter().for_each(|&(class, weight)| all.add(class, weight));
        all
    }

    /// Whether the word can have a class.
    pub fn can_be(self, class: Class) -> bool {
        self.weights[class as usize] != NOT
    }

    /// The weight of a class; -1 if the word cannot have it.
    pub fn weight(self, class: Class) -> i32 {
        match self.weights[class as usize] {
            NOT => -1,
            weight => i32::from(weight),
        }
    }

    /// Whether nothing is known of the word.
    pub fn is_unknown(self) -> bool {
        self.weights == [NOT; 4]
    }

    fn add(&mut self, class: Class, weight: u8) {
        let own = &mut self.weights[class as usize];
        *own = if *own == NOT { weight } else { weight.max(*own) };
    }
}

/// What single words can be.
#[derive(Debug, Clone, Default)]
pub struct Lexicon {
    words: Interner,
    weights: Vec<[u8; 4]>,
    /// Irregular forms, and for each its class and its base as a number of `words`.
    irregular: Interner,
    bases: Vec<Vec<(Class, u32)>>,
    /// One bit for some hashes of irregular forms: most words are none, which is seen without a look into the table.
    filter: Vec<u64>,
}

/// Bits of the filter for irregular forms.
const FILTER_BITS: u32 = 17;

/// The word and the bit of the filter that a hash has.
fn place(hash: u64) -> (usize, u64) {
    let place = hash >> (u64::BITS - FILTER_BITS);
    ((place >> 6) as usize, 1 << (place & 63))
}

impl Lexicon {
    /// Reads the text of a lexicon.
    pub fn read(text: &str) -> Result<Self> {
        let (header, rest) = text.split_once('\n').unwrap_or((text, ""));
        if header != HEADER {
            return Err(Error::data("this form of lexicons is not known").at_line(1));
        }
        let mut lexicon = Self::default();
        let mut lines = (2..).zip(rest.lines());
        for (line, text) in lines.by_ref().take_while(|(_, text)| !text.is_empty()) {
            let entry = text.split_once(' ').and_then(|(word, classes)| Some((word, unpack(classes)?)));
            let (word, weights) = entry.ok_or_else(|| Error::data("the line is no word of a lexicon").at_line(line))?;
            lexicon.add(word, weights);
        }
        for (line, text) in lines {
            let mut fields = text.split(' ');
            let mut entry = || {
                let (form, class, base) = (fields.next()?, fields.next()?.chars().next()?, fields.next()?);
                Some((form, Class::of_letter(class)?, base))
            };
            let (form, class, base) =
                entry().ok_or_else(|| Error::data("the line is no irregular form of a lexicon").at_line(line))?;
            lexicon.add_irregular(form, class, base);
        }
        Ok(lexicon)
    }

    /// The text that [`Self::read`] reads.
    pub fn write(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for (word, weights) in self.words.strings().iter().zip(&self.weights) {
            text.push_str(word);
            text.push(' ');
            for class in Class::ALL {
                match weights[class as usize] {
                    NOT => {}
                    0 => text.push(class.letter()),
                    weight => {
                        let _ = write!(text, "{}{weight}", class.letter());
                    }
                }
            }
            text.push('\n');
        }
        text.push('\n');
        for (form, bases) in self.irregular.strings().iter().zip(&self.bases) {
            for &(class, base) in bases {
                let _ = writeln!(text, "{form} {} {}", class.letter(), self.words.strings().get(base));
            }
        }
        text
    }

    /// Makes a lexicon from WordNet's dictionary files: for each class its `index` and its `exc` file, and `cntlist.rev` with
    /// the counts. Only single words are taken, in alphabetic order.
    pub fn from_dictionary(files: [(&str, &str); 4], counts: &str) -> Self {
        let mut words = Interner::new();
        let mut found: Vec<[u8; 4]> = Vec::new();
        for (class, (index, _)) in Class::ALL.into_iter().zip(files) {
            for lemma in index.lines().filter_map(|line| line.split(' ').next()).filter(|lemma| is_single(lemma)) {
                let id = words.intern(lemma) as usize;
                if id == found.len() {
                    found.push([NOT; 4]);
                }
                found[id][class as usize] = 0;
            }
        }
        let mut totals: Vec<[u32; 4]> = vec![[0; 4]; found.len()];
        for line in counts.lines() {
            let mut fields = line.split_whitespace();
            let (Some(key), Some(count)) = (fields.next(), fields.nth(1)) else { continue };
            // A key is `lemma%class:…`; class 5 are adjectives that belong to others.
            let Some((lemma, rest)) = key.split_once('%') else { continue };
            let class = match rest.as_bytes().first() {
                Some(b'1') => Class::Noun,
                Some(b'2') => Class::Verb,
                Some(b'3' | b'5') => Class::Adjective,
                Some(b'4') => Class::Adverb,
                _ => continue,
            };
            if let Some(id) = words.find(lemma) {
                totals[id as usize][class as usize] += count.parse::<u32>().unwrap_or(0);
            }
        }
        let mut order: Vec<u32> = (0..found.len() as u32).collect();
        order.sort_by_key(|&id| words.strings().get(id));
        let mut lexicon = Self::default();
        for id in order {
            let mut weights = found[id as usize];
            for class in Class::ALL.map(|class| class as usize) {
                if weights[class] != NOT {
                    weights[class] = (u32::BITS - totals[id as usize][class].leading_zeros()).min(GREATEST) as u8;
                }
            }
            lexicon.add(words.strings().get(id), weights);
        }
        let mut irregular: Vec<(&str, Class, &str)> = Vec::new();
        for (class, (_, exceptions)) in Class::ALL.into_iter().zip(files) {
            for line in exceptions.lines() {
                let mut fields = line.split(' ');
                let (Some(form), Some(base)) = (fields.next(), fields.next()) else { continue };
                if is_single(form) && is_single(base) && form != base {
                    irregular.push((form, class, base));
                }
            }
        }
        irregular.sort();
        for (form, class, base) in irregular {
            lexicon.add_irregular(form, class, base);
        }
        lexicon
    }

    fn add(&mut self, word: &str, weights: [u8; 4]) {
        if self.words.intern(word) as usize == self.weights.len() {
            self.weights.push(weights);
        }
    }

    /// Forms of a base that is not there are left out.
    fn add_irregular(&mut self, form: &str, class: Class, base: &str) {
        let Some(base) = self.words.find(base) else { return };
        let id = self.irregular.intern(form) as usize;
        if id == self.bases.len() {
            self.bases.push(Vec::new());
            self.filter.resize(1 << (FILTER_BITS - 6), 0);
            let (word, bit) = place(Interner::hash(form));
            self.filter[word] |= bit;
        }
        self.bases[id].push((class, base));
    }

    /// How many words there are, forms not counted.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there is no word.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    fn own(&self, word: &str) -> Option<[u8; 4]> {
        self.words.find(word).map(|id| self.weights[id as usize])
    }

    /// Whether a word in lower case can have a class as it stands.
    pub fn has(&self, word: &str, class: Class) -> bool {
        self.own(word).is_some_and(|weights| weights[class as usize] != NOT)
    }

    /// The weight of a class of a word in lower case as it stands; -1 if it cannot have it.
    pub fn weight(&self, word: &str, class: Class) -> i32 {
        match self.own(word).map(|weights| weights[class as usize]) {
            None | Some(NOT) => -1,
            Some(weight) => i32::from(weight),
        }
    }

    fn find_irregular(&self, word: &str) -> Option<u32> {
        let hash = Interner::hash(word);
        let (place, bit) = place(hash);
        let may_be = self.filter.get(place).is_some_and(|bits| bits & bit != 0);
        may_be.then(|| self.irregular.find_hashed(word, hash)).flatten()
    }

    /// The base of an irregular plural: `goose` of `geese`.
    pub fn irregular_singular(&self, word: &str) -> Option<&str> {
        let bases = &self.bases[self.find_irregular(word)? as usize];
        let base = bases.iter().find(|(class, _)| *class == Class::Noun)?.1;
        Some(self.words.strings().get(base))
    }

    /// What a word in lower case can be, as it stands or as a form of another.
    pub fn classes(&self, word: &str) -> Classes {
        let mut classes = Classes::UNKNOWN;
        let own = self.own(word);
        if let Some(weights) = own {
            classes.weights = weights;
        }
        if let Some(irregular) = self.find_irregular(word) {
            for &(class, base) in &self.bases[irregular as usize] {
                let weight = self.weights[base as usize][class as usize];
                classes.add(class, if weight == NOT { 0 } else { weight });
                if own.is_none() {
                    classes.form = match class {
                        Class::Noun => Form::Plural,
                        Class::Verb if word.ends_with("ing") => Form::Ing,
                        Class::Verb => Form::Past,
                        _ => classes.form,
                    };
                }
            }
        }
        self.add_regular(word, own.is_some(), &mut classes);
        classes
    }

    /// Adds what a word is as a regular form of others.
    fn add_regular(&self, word: &str, is_own: bool, classes: &mut Classes) {
        const ENDINGS: [(&str, &[&str], Form, [bool; 4]); 6] = [
            ("ing", &["", "e"], Form::Ing, [false, true, false, false]),
            ("ed", &["e", ""], Form::Past, [false, true, false, false]),
            ("ied", &["y"], Form::Past, [false, true, false, false]),
            ("er", &["", "e"], Form::Base, [false, false, true, false]),
            ("est", &["", "e"], Form::Base, [false, false, true, false]),
            ("ier", &["y"], Form::Base, [false, false, true, false]),
        ];
        if !word.is_ascii() || word.len() < 3 {
            return;
        }
        if word.ends_with('s') && !word.ends_with("ss") {
            let stems = [
                word.strip_suffix('s').map(|stem| (stem, "")),
                word.strip_suffix("es").map(|stem| (stem, "")),
                word.strip_suffix("ies").map(|stem| (stem, "y")),
            ];
            for (stem, ending) in stems.into_iter().flatten() {
                if let Some(weights) = self.stemmed(stem, ending) {
                    for class in [Class::Noun, Class::Verb] {
                        if weights[class as usize] != NOT {
                            classes.add(class, weights[class as usize]);
                            if !is_own {
                                classes.form = Form::Plural;
                            }
                        }
                    }
                    break;
                }
            }
            return;
        }
        for (ending, instead, form, allowed) in ENDINGS {
            let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.len() > 1) else { continue };
            let doubled = stem.as_bytes().last_chunk::<2>().is_some_and(|[a, b]| a == b);
            let short = doubled.then(|| self.stemmed(&stem[..stem.len() - 1], "")).flatten();
            let found = instead.iter().find_map(|instead| {
                let weights = self.stemmed(stem, instead)?;
                allowed.iter().zip(weights).any(|(allowed, weight)| *allowed && weight != NOT).then_some(weights)
            });
            if let Some(weights) = found.or(short) {
                for class in Class::ALL {
                    if allowed[class as usize] && weights[class as usize] != NOT {
                        classes.add(class, weights[class as usize]);
                        classes.form = if is_own && !classes.can_be(Class::Verb) { classes.form } else { form };
                    }
                }
                return;
            }
        }
    }

    /// What a stem with another ending is.
    fn stemmed(&self, stem: &str, ending: &str) -> Option<[u8; 4]> {
        const LONGEST: usize = 40;
        if ending.is_empty() {
            return self.own(stem);
        }
        let mut buffer = [0; LONGEST];
        let length = stem.len() + ending.len();
        buffer.get_mut(..stem.len())?.copy_from_slice(stem.as_bytes());
        buffer.get_mut(stem.len()..length)?.copy_from_slice(ending.as_bytes());
        self.own(std::str::from_utf8(&buffer[..length]).ok()?)
    }
}

/// Letters that may be in a single word of the lexicon; `_` is a blank in WordNet.
fn is_single(lemma: &str) -> bool {
    !lemma.is_empty() && !lemma.contains(['_', ' ']) && lemma.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn unpack(classes: &str) -> Option<[u8; 4]> {
    let mut weights = [NOT; 4];
    let mut last: Option<Class> = None;
    for letter in classes.chars() {
        match (Class::of_letter(letter), last) {
            (Some(class), _) => {
                weights[class as usize] = 0;
                last = Some(class);
            }
            (None, Some(class)) => weights[class as usize] = u8::try_from(letter.to_digit(10)?).ok()?,
            (None, None) => return None,
        }
    }
    last.map(|_| weights)
}
