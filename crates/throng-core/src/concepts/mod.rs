//! From text to concepts: the noun phrases of a query or an item, and what they mean in a taxonomy.
//!
//! Paper      004 (Batet et al. 2014), section 3.1.1.
//!
//! # Idea
//! 1. A text that is a name as a whole is one phrase (`rock and roll`).
//! 2. Else it is cut into words (`tokens.rs`), the words are tagged (`tagger.rs`), and noun phrases are the longest runs of
//!    adjectives, participles, numbers and nouns that end in a noun. Determiners, prepositions, conjunctions, verbs and
//!    punctuation cut.
//! 3. A phrase means the concept that is called so (`names.rs`), whatever the case, accents, hyphens and the plural of its
//!    last word; while there is none, the word most on the left is dropped, for the last noun carries the meaning (`a new
//!    phone`, `new phone`, `phone`).
//! 4. A last word that nobody knows is corrected if one known word is one edit away (`spelling.rs`).
//! 5. A web address means what its site is called (`crate::text::site`).
//! 6. [`Meaning`] holds that for all strings of a data set: looked up once, then concepts are numbers. [`Coverage`] says how
//!    much of a data set is understood.
//!
//! # Readings
//! S12: words are dropped from the left; phrases without a concept have none. Ours, where the paper is silent:
//! - Of several taxonomies the one that knows the longest phrase wins; among those, the earlier.
//! - A text with words but no noun phrase (`how to swim`) is looked up by its runs of words that mean something.
//! - `size 9`, `version 2` and the like at the end of a phrase do not carry its meaning.
//! - The term of a web address is its host: user and path may tell who somebody is.
//! - A phrase is published as it is written, and must mean the same alone. Where it would not, only the words that were found
//!   are published; where even those would not, the phrase counts as unknown.
//!
//! # Cost
//! A few microseconds a query, most of it looks into the table of names.

pub mod coverage;
pub mod interests;
pub mod lexicon;
mod meaning;
pub(crate) mod mixes;
mod names;
mod spelling;
mod tagger;
mod tokens;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

pub use coverage::Coverage;
pub use lexicon::Lexicon;
pub use meaning::{Meaning, Texts};

use crate::taxonomy::Taxonomy;
use names::{Names, bases, push_folded};
use spelling::Spelling;
use tagger::{Tag, Tagger, Tags, is_function_word};
use tokens::{Shape, Tokens, push_raw_key};

/// Finds the concepts of texts. A clone shares everything.
#[derive(Debug, Clone)]
pub struct Mapper {
    taxonomy: Arc<Taxonomy>,
    /// Made when the first text is looked up.
    names: Arc<OnceLock<Names>>,
    lexicon: Option<Arc<Lexicon>>,
    tagger: Tagger,
    /// Made when the first word is not known.
    spelling: Arc<OnceLock<Spelling>>,
}

/// How the concept of a phrase was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// The whole phrase is a name.
    Exact,
    /// Words had to be dropped from the left.
    Shortened,
    /// A letter of the last word had to be corrected.
    Spelling,
    /// A web address, by the name of its site.
    Site,
    /// Not at all.
    Unknown,
}

impl How {
    /// All ways.
    pub const ALL: [Self; 5] = [Self::Exact, Self::Shortened, Self::Spelling, Self::Site, Self::Unknown];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        ["exact", "shortened", "spelling", "site", "unknown"][self as usize]
    }
}

/// A noun phrase of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase<'t> {
    /// The phrase as it may be published: alone it means the same.
    pub term: Cow<'t, str>,
    /// What it means; `None` if no taxonomy knows it.
    pub concept: Option<u32>,
    /// How that was found.
    pub how: How,
}

/// Buffers that are used again for the next text.
#[derive(Debug, Default)]
pub struct Scratch {
    tokens: Tokens,
    tags: Tags,
    runs: Vec<Range<usize>>,
    keys: Keys,
    raw: String,
    /// For a look at a term alone.
    alone: Option<Box<Scratch>>,
}

/// What was found for a run of words.
struct Found {
    concept: Option<u32>,
    how: How,
    /// Where the words begin in the text that were found.
    start: usize,
}

impl Mapper {
    /// Finds concepts of this taxonomy.
    pub fn new(taxonomy: Arc<Taxonomy>) -> Self {
        let (names, spelling) = Default::default();
        Self { taxonomy, names, lexicon: None, tagger: Tagger::new(None), spelling }
    }

    /// The same with a lexicon, which says what words can be beside nouns.
    pub fn with_lexicon(self, lexicon: Arc<Lexicon>) -> Self {
        let (names, spelling) = Default::default();
        let tagger = Tagger::new(Some(Arc::clone(&lexicon)));
        Self { taxonomy: self.taxonomy, names, lexicon: Some(lexicon), tagger, spelling }
    }

    /// The taxonomy whose nodes the concepts are.
    pub fn taxonomy(&self) -> &Arc<Taxonomy> {
        &self.taxonomy
    }

    fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::of(&self.taxonomy, self.lexicon.as_deref()))
    }

    /// The noun phrases of a text in their order. A phrase with a concept, looked at alone, is one phrase with that concept.
    pub fn phrases<'t>(&self, text: &'t str) -> Vec<Phrase<'t>> {
        let mut phrases = Vec::new();
        self.phrases_with(text, &mut Scratch::default(), |phrase| phrases.push(phrase));
        phrases
    }

    /// The same as [`Self::phrases`], with buffers to use again.
    pub fn phrases_with<'t>(&self, text: &'t str, scratch: &mut Scratch, mut each: impl FnMut(Phrase<'t>)) {
        let text = text.trim_matches(|letter: char| letter.is_whitespace() || letter.is_control());
        if let Some(concept) = self.read(text, scratch) {
            each(Phrase { term: normal_blanks(text), concept: Some(concept), how: How::Exact });
            return;
        }
        let mut alone = scratch.alone.take().unwrap_or_default();
        for at in 0..scratch.runs.len() {
            let run = scratch.runs[at].clone();
            let mut found = self.resolve(text, &scratch.tokens, run.clone(), &mut scratch.keys);
            let mut term = term_of(text, &scratch.tokens, &run, None);
            if found.concept.is_some() && !self.means(&term, text, found.concept, &mut alone) {
                term = term_of(text, &scratch.tokens, &run, Some(found.start));
                if !self.means(&term, text, found.concept, &mut alone) {
                    found = Found { concept: None, how: How::Unknown, ..found };
                }
            }
            each(Phrase { term, concept: found.concept, how: found.how });
        }
        scratch.alone = Some(alone);
    }

    /// Everything that a text may be about: the concept of each run of its words that is called so, and of each of its phrases; some
    /// several times. For whoever must not overlook one: words inside a longer name count, too.
    pub fn mentions(&self, text: &str, scratch: &mut Scratch, mut each: impl FnMut(u32)) {
        self.phrases_with(text, scratch, |phrase| phrase.concept.into_iter().for_each(&mut each));
        let Scratch { tokens, keys, .. } = scratch;
        tokens.read(text);
        for end in 1..=tokens.len() {
            let from = end.saturating_sub(self.names().most_words());
            keys.fill(self, tokens, from..end);
            for word in from..end {
                let is_nothing = word + 1 == end && is_function_word(tokens.lower(word));
                if let Some(node) = keys.find(self.names(), word - from).filter(|_| !is_nothing) {
                    each(node);
                }
            }
        }
    }

    /// The words of a text with their parts of speech, in words: `noun`, `verb`, `adjective`, `adverb`, `participle`, `number`,
    /// `determiner`, `preposition`, `pronoun`, `conjunction`, `auxiliary`, `question`, `web` or `site`.
    pub fn parts_of_speech<'t>(&self, text: &'t str) -> Vec<(&'t str, &'static str)> {
        let (mut tokens, mut tags) = (Tokens::default(), Tags::default());
        tokens.read(text);
        self.tagger.tag(&tokens, &mut tags);
        tokens.list.iter().zip(&tags.list).map(|(token, tag)| (&text[token.start..token.end], tag.name())).collect()
    }

    /// Whether a term is one phrase with this concept by itself.
    fn means(&self, term: &str, text: &str, concept: Option<u32>, scratch: &mut Scratch) -> bool {
        // The text itself was just looked at.
        if term == text {
            return true;
        }
        if let Some(whole) = self.read(term, scratch) {
            return Some(whole) == concept;
        }
        match scratch.runs.as_slice() {
            [run] => {
                let run = run.clone();
                let found = self.resolve(term, &scratch.tokens, run.clone(), &mut scratch.keys);
                // Published again, the term must be the same once more.
                found.concept == concept && term_of(term, &scratch.tokens, &run, None).len() == term.len()
            }
            _ => false,
        }
    }

    /// Looks a trimmed text up as a whole; if that is no name, its tokens, tags and runs are in the buffers.
    fn read(&self, text: &str, scratch: &mut Scratch) -> Option<u32> {
        scratch.runs.clear();
        scratch.tokens.read(text);
        let tokens = &scratch.tokens;
        if tokens.len() <= self.names().most_words() {
            // Marks may be part of a name: `c++`, `Top/Sports`.
            if text.bytes().any(|byte| !byte.is_ascii_alphanumeric() && byte != b' ') {
                scratch.raw.clear();
                push_raw_key(text, &mut scratch.raw);
                let numbered = || text.contains('#').then(|| self.taxonomy.find_name(text)).flatten();
                if let Some(node) = self.names().get(&scratch.raw).or_else(numbered) {
                    return Some(node);
                }
            }
            let has_site = tokens.list.iter().any(|token| token.shape == Shape::Site);
            if tokens.len() > 0 && !has_site {
                scratch.keys.fill(self, tokens, 0..tokens.len());
                if let Some(node) = scratch.keys.find(self.names(), 0) {
                    return Some(node);
                }
            }
        }
        self.tagger.tag(tokens, &mut scratch.tags);
        noun_phrases(tokens, &scratch.tags.list, &mut scratch.runs);
        if scratch.runs.is_empty() {
            content_runs(tokens, &scratch.tags.list, &mut scratch.runs);
        }
        None
    }

    /// What a run of words means.
    fn resolve(&self, text: &str, tokens: &Tokens, run: Range<usize>, keys: &mut Keys) -> Found {
        let first = tokens.list[run.start];
        let unknown = Found { concept: None, how: How::Unknown, start: first.start };
        if first.shape == Shape::Site {
            let mut raw = std::mem::take(&mut keys.raw);
            raw.clear();
            push_raw_key(&text[first.start..first.end], &mut raw);
            let whole = self.names().get(&raw);
            keys.raw = raw;
            let found = whole.or_else(|| {
                keys.fill(self, tokens, run);
                keys.find(self.names(), 0).or_else(|| keys.find_in_last(self.names()).map(|(node, _)| node))
            });
            return Found { concept: found, how: if found.is_some() { How::Site } else { How::Unknown }, ..unknown };
        }
        // Longer runs are in no name.
        let from = run.start.max(run.end.saturating_sub(self.names().most_words()));
        keys.fill(self, tokens, from..run.end);
        for word in from..run.end {
            let is_alone = word + 1 == run.end;
            if is_alone && is_function_word(tokens.lower(word)) {
                return unknown;
            }
            if let Some(node) = keys.find(self.names(), word - from) {
                let how = if word == run.start { How::Exact } else { How::Shortened };
                return Found { concept: Some(node), how, start: tokens.list[word].start };
            }
        }
        let last = tokens.list[run.end - 1];
        if let Some((node, parts)) = keys.find_in_last(self.names()) {
            let written = &text[last.start..last.end];
            let start = written.rmatch_indices(|letter| "-\u{2010}\u{2011}".contains(letter)).nth(parts - 1);
            let start = start.map_or(last.start, |(at, hyphen)| last.start + at + hyphen.len());
            return Found { concept: Some(node), how: How::Shortened, start };
        }
        self.respell(tokens, from..run.end, keys).unwrap_or(unknown)
    }

    /// What a run of words means if its last word is corrected.
    fn respell(&self, tokens: &Tokens, run: Range<usize>, keys: &mut Keys) -> Option<Found> {
        let word = tokens.lower(run.end - 1);
        let token = tokens.list[run.end - 1];
        if token.shape != Shape::Word || !token.plain || word.len() < spelling::SHORTEST {
            return None;
        }
        let in_lexicon = self.lexicon.as_ref().is_some_and(|lexicon| !lexicon.classes(word).is_unknown());
        if in_lexicon {
            return None;
        }
        let spelling = self.spelling.get_or_init(|| Spelling::of(self.names().keys()));
        if spelling.knows(word) {
            return None;
        }
        let singular = || word.strip_suffix('s').filter(|stem| !stem.ends_with('s'));
        let right = spelling.correct(word).or_else(|| spelling.correct(singular()?))?;
        keys.replace_last(right);
        (run.clone()).find_map(|word| {
            let node = keys.find(self.names(), word - run.start)?;
            Some(Found { concept: Some(node), how: How::Spelling, start: tokens.list[word].start })
        })
    }

    /// The irregular singular of a word: the lexicon has those of WordNet.
    fn irregular(&self, word: &str) -> Option<&str> {
        match &self.lexicon {
            Some(lexicon) => lexicon.irregular_singular(word),
            None => self.taxonomy.wordnet().and_then(|(net, _)| net.irregular_base(word)),
        }
    }
}

/// The keys that a run of words is looked up by, the best first.
#[derive(Debug, Default)]
struct Keys {
    list: Vec<Key>,
    count: usize,
    raw: String,
    word: String,
}

/// The words of a run as one key; what is left when words are dropped from the left is the end of it.
#[derive(Debug, Default, Clone)]
struct Key {
    text: String,
    /// Where each word begins.
    starts: Vec<usize>,
}

impl Keys {
    /// Makes the keys of a run: as it is written; without accents and marks, hyphens as blanks or left out; without the ending
    /// of the possessive; each of them also with its last word in the singular; and with all words in the singular.
    fn fill(&mut self, mapper: &Mapper, tokens: &Tokens, run: Range<usize>) {
        self.count = 0;
        self.push(tokens, run.clone(), |word, out| out.push_str(word));
        if tokens.list[run.clone()].iter().any(|token| !token.plain) {
            let words = || run.clone().map(|at| tokens.lower(at));
            self.push(tokens, run.clone(), |word, out| push_folded(word, " ", out));
            if words().any(|word| word.contains('-')) {
                self.push(tokens, run.clone(), |word, out| push_folded(word, "", out));
            }
            if words().any(|word| word.ends_with("'s")) {
                self.push(tokens, run.clone(), |word, out| {
                    push_folded(word.strip_suffix("'s").unwrap_or(word), " ", out);
                });
            }
        }
        for written in 0..self.count {
            self.push_singulars(mapper, written);
        }
        self.push_all_singular(mapper);
    }

    /// A key to write to.
    fn next(&mut self) -> &mut Key {
        if self.count == self.list.len() {
            self.list.push(Key::default());
        }
        self.count += 1;
        let key = &mut self.list[self.count - 1];
        key.text.clear();
        key.starts.clear();
        key
    }

    fn push(&mut self, tokens: &Tokens, run: Range<usize>, write: impl Fn(&str, &mut String)) {
        let key = self.next();
        for at in run {
            if !key.starts.is_empty() {
                key.text.push(' ');
            }
            key.starts.push(key.text.len());
            write(tokens.lower(at), &mut key.text);
        }
    }

    /// Adds a key with its last word in the singular, in each way that it may be.
    fn push_singulars(&mut self, mapper: &Mapper, written: usize) {
        let key = &self.list[written];
        let last = key.text.rfind(' ').map_or(0, |at| at + 1);
        if !may_be_plural(&key.text[last..]) {
            return;
        }
        let key = std::mem::take(&mut self.list[written]);
        bases(
            &key.text[last..],
            |word| mapper.irregular(word),
            |base| {
                let singular = self.next();
                singular.text.push_str(&key.text[..last]);
                singular.text.push_str(base);
                singular.starts.extend_from_slice(&key.starts);
            },
        );
        self.list[written] = key;
    }

    /// Adds the first key with every word in the singular that is not the last: `attorneys at law`.
    fn push_all_singular(&mut self, mapper: &Mapper) {
        let Some(key) = self.list.first() else { return };
        let words = key.text.split(' ');
        let before = key.starts.len().saturating_sub(1);
        if !words.clone().take(before).any(may_be_plural) {
            return;
        }
        let key = std::mem::take(&mut self.list[0]);
        let mut word = std::mem::take(&mut self.word);
        let singular = self.next();
        for written in key.text.split(' ') {
            word.clear();
            if may_be_plural(written) {
                bases(
                    written,
                    |word| mapper.irregular(word),
                    |base| {
                        if word.is_empty() && mapper.names().get(base).is_some() {
                            word.push_str(base);
                        }
                    },
                );
            }
            if !singular.starts.is_empty() {
                singular.text.push(' ');
            }
            singular.starts.push(singular.text.len());
            singular.text.push_str(if word.is_empty() { written } else { &word });
        }
        self.word = word;
        self.list[0] = key;
    }

    /// Leaves only the first key, with another last word.
    fn replace_last(&mut self, word: &str) {
        self.count = 1;
        if let Some(key) = self.list.first_mut()
            && let Some(&last) = key.starts.last()
        {
            key.text.truncate(last);
            key.text.push_str(word);
        }
    }

    /// The node of the words that are left when some are dropped from the left.
    fn find(&self, names: &Names, dropped: usize) -> Option<u32> {
        self.list[..self.count].iter().find_map(|key| names.get(&key.text[*key.starts.get(dropped)?..]))
    }

    /// The node of the last parts of a last word with hyphens, and how many parts they are.
    fn find_in_last(&self, names: &Names) -> Option<(u32, usize)> {
        let parts = |key: &Key| key.starts.last().map_or(1, |&last| key.text[last..].split(' ').count());
        // More parts are in no name.
        let most = self.list[..self.count].iter().map(parts).max().unwrap_or(1).min(names.most_words() + 1);
        (1..most).rev().find_map(|left| {
            self.list[..self.count].iter().find_map(|key| {
                let last = &key.text[*key.starts.last()?..];
                let start = last.rmatch_indices(' ').nth(left - 1)?.0 + 1;
                Some((names.get(&last[start..])?, left))
            })
        })
    }
}

fn may_be_plural(word: &str) -> bool {
    // Irregular plurals end in anything: geese, feet, mice, children, criteria, cacti.
    word.len() > 2 && !word.ends_with("ss")
}

/// The longest runs of adjectives, participles, numbers and nouns that end in a noun; and web addresses.
fn noun_phrases(tokens: &Tokens, tags: &[Tag], runs: &mut Vec<Range<usize>>) {
    let mut start = 0;
    while start < tags.len() {
        if tags[start] == Tag::Site {
            runs.push(start..start + 1);
            start += 1;
            continue;
        }
        let goes_on = |at: usize| tags[at].is_in_phrase() && (at == start || !tokens.list[at].cut);
        let stop = (start..tags.len()).find(|&at| !goes_on(at)).unwrap_or(tags.len());
        let ends = |from: usize| (start..from).rev().find(|&at| tags[at] == Tag::Noun).map(|at| at + 1);
        let mut end = ends(stop);
        if let Some(last) = end
            && last < stop
            && tags[last] == Tag::Number
            && is_designation(tokens.lower(last - 1))
        {
            end = ends(last - 1).or(end);
        }
        runs.extend(end.map(|end| start..end));
        start = stop.max(start + 1);
    }
}

/// Whether a noun before a number only says which: `shoes size 9`.
fn is_designation(word: &str) -> bool {
    const DESIGNATIONS: [&str; 12] = [
        "chapter", "edition", "episode", "level", "model", "number", "part", "season", "size", "version", "vol",
        "volume",
    ];
    DESIGNATIONS.binary_search(&word).is_ok()
}

/// The runs of words that mean something, whatever part of speech they are.
fn content_runs(tokens: &Tokens, tags: &[Tag], runs: &mut Vec<Range<usize>>) {
    let means = |at: usize| {
        let open = matches!(tags[at], Tag::Verb | Tag::Adjective | Tag::Adverb | Tag::Participle | Tag::Number);
        open && !is_function_word(tokens.lower(at))
    };
    let mut start = 0;
    while start < tags.len() {
        let stop =
            (start..tags.len()).find(|&at| !means(at) || (at > start && tokens.list[at].cut)).unwrap_or(tags.len());
        if stop > start {
            runs.push(start..stop);
        }
        start = stop.max(start + 1);
    }
}

/// A run as it is written, with single blanks; from a place on, if only its end was found.
fn term_of<'t>(text: &'t str, tokens: &Tokens, run: &Range<usize>, from: Option<usize>) -> Cow<'t, str> {
    let list = &tokens.list[run.clone()];
    let (Some(first), Some(last)) = (list.first(), list.last()) else { return Cow::Borrowed("") };
    if first.shape == Shape::Site {
        return normal_blanks(&text[first.start..first.end]);
    }
    let from = from.unwrap_or(first.start);
    let list = &list[list.partition_point(|token| token.end <= from)..];
    if list.windows(2).all(|pair| &text[pair[0].end..pair[1].start] == " ") {
        return Cow::Borrowed(&text[from..last.end]);
    }
    let words: Vec<&str> = list.iter().map(|token| &text[token.start.max(from)..token.end]).collect();
    Cow::Owned(words.join(" "))
}

/// A trimmed text with single blanks.
fn normal_blanks(text: &str) -> Cow<'_, str> {
    let is_blank = |letter: char| letter.is_whitespace() || letter.is_control();
    let mut before = ' ';
    let is_normal = text.chars().all(|letter| {
        let fine = !is_blank(letter) || (letter == ' ' && before != ' ');
        before = letter;
        fine
    });
    if is_normal {
        return Cow::Borrowed(text);
    }
    let words: Vec<&str> = text.split(is_blank).filter(|word| !word.is_empty()).collect();
    Cow::Owned(words.join(" "))
}
