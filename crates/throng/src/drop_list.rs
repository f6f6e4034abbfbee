//! What may never be published: a list of words, whole queries or items, and patterns (`--drop FILE`).
//!
//! One rule a line; empty lines and those that begin with `#` are none. `acme` bars every query, URL, item or term that has this
//! word; `acme corp` those that have all these words, in any order; `"acme corp"` those that are these words and nothing else;
//! `/regular expression/` those in which it is found. Case, marks between words, the encoding of accents, the width of letters and
//! characters that are not seen do not count. A text is looked at in several ways ([`Seen`]): as it is written; with what stands for
//! other letters in web addresses read (`%61`, `xn--mller-kva`); with what is not seen left out, or as a blank.
//!
//! What is barred is removed when the original is read, before anything else sees it ([`DropList::bars`]). The release is looked
//! through once more, rule by rule ([`DropList::finds`]): a method may put words together again, or a taxonomy bring one back.
//! No rule is ever part of an error: only its line in the list.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use regex_lite::{Regex, RegexBuilder};
use throng_core::text::accents::push_plain;
use throng_core::text::alike::{folded, is_unseen};
use throng_core::text::{lower_words, punycode};
use throng_core::{Error, Result};

use crate::limits;

/// Somebody who knows what may never be published.
pub trait Bars: Sync {
    /// Whether a text may not be published.
    fn bars(&self, text: &str) -> bool;
    /// Refuses rules of several words where only single words are published, so that none could ever apply.
    fn refuse_several_words(&self) -> Result<()>;
}

/// Rules on what may never be published.
#[derive(Debug)]
pub struct DropList {
    rules: Vec<Rule>,
    /// Words that are a rule by themselves.
    words: HashSet<String>,
}

#[derive(Debug)]
struct Rule {
    /// Its line in the list, from 1.
    line: u64,
    what: What,
    /// Whether it barred something.
    is_used: AtomicBool,
}

/// What a rule of the list looks for.
#[derive(Debug, Clone)]
pub(crate) enum What {
    /// All of these words, in any order.
    Words(Vec<String>),
    /// These words and nothing else.
    Whole(Vec<String>),
    /// What a regular expression finds.
    Pattern(Regex),
}

impl DropList {
    /// Reads a list.
    pub fn read(path: &Path) -> Result<Self> {
        let named = |error: Error| error.in_file(path.display().to_string());
        let bytes = limits::read_file(path, "", limits::MOST_LIST_BYTES)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| named(Error::data("the list of what may never be published is not UTF-8")))?;
        Self::parse(&text).map_err(named)
    }

    fn parse(text: &str) -> Result<Self> {
        let mut rules = Vec::new();
        for (line, text) in (1u64..).zip(text.trim_start_matches('\u{feff}').lines()) {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let what = What::parse(text).map_err(|error| error.at_line(line))?;
            rules.push(Rule { line, what, is_used: AtomicBool::new(false) });
        }
        if rules.is_empty() {
            return Err(Error::data("the file names nothing that may never be published")
                .with_hint("one word, \"whole query\" or /pattern/ a line"));
        }
        let single = rules.iter().filter_map(|rule| match &rule.what {
            What::Words(words) if words.len() == 1 => Some(words[0].clone()),
            _ => None,
        });
        let words = single.collect();
        Ok(Self { rules, words })
    }

    /// Whether a text may not be published. Notes which rules say so.
    pub fn bars(&self, text: &str) -> bool {
        let seen = Seen::of(text);
        let mut is_barred = seen.words.iter().flatten().any(|word| self.words.contains(word));
        for rule in &self.rules {
            // Most rules are single words, and most texts have none of them.
            let is_idle = !is_barred && matches!(&rule.what, What::Words(wanted) if wanted.len() == 1);
            if !is_idle && rule.what.is_in(&seen) {
                is_barred = true;
                rule.is_used.store(true, Ordering::Relaxed);
            }
        }
        is_barred
    }

    /// The line of the first rule, if there is one, by which a text may not be published. Slow and plain: it looks at one rule
    /// after the other, and takes nothing from [`Self::bars`].
    pub fn finds(&self, text: &str) -> Option<u64> {
        let seen = Seen::of(text);
        let lines: Vec<String> = seen.words.iter().map(|words| format!(" {} ", words.join(" "))).collect();
        let has = |line: &String, word: &String| line.contains(&format!(" {word} "));
        let is_found = |rule: &&Rule| match &rule.what {
            What::Words(words) => lines.iter().any(|line| words.iter().all(|word| has(line, word))),
            What::Whole(words) => lines.iter().any(|line| line.trim() == words.join(" ")),
            What::Pattern(pattern) => {
                let as_words = lines.iter().map(|line| line.trim());
                seen.texts.iter().map(String::as_str).chain(as_words).any(|text| pattern.find(text).is_some())
            }
        };
        self.rules.iter().find(is_found).map(|rule| rule.line)
    }

    /// How many rules barred nothing so far, and how many there are.
    pub fn idle(&self) -> (usize, usize) {
        let idle = self.rules.iter().filter(|rule| !rule.is_used.load(Ordering::Relaxed)).count();
        (idle, self.rules.len())
    }

    /// Refuses rules of several words where only single words are published, so that none could ever apply.
    pub fn refuse_several_words(&self) -> Result<()> {
        match self.rules.iter().find(|rule| rule.what.has_several_words()) {
            None => Ok(()),
            Some(rule) => {
                Err(Error::refused("the list has a rule of several words, but texts are published as single words")
                    .at_line(rule.line)
                    .with_hint("name the words that may never be published one a line"))
            }
        }
    }
}

impl Bars for DropList {
    fn bars(&self, text: &str) -> bool {
        Self::bars(self, text)
    }

    fn refuse_several_words(&self) -> Result<()> {
        Self::refuse_several_words(self)
    }
}

impl What {
    /// Whether a text has it.
    pub(crate) fn is_in(&self, seen: &Seen) -> bool {
        match self {
            Self::Words(wanted) => seen.words.iter().any(|words| has_all(words, wanted)),
            Self::Whole(wanted) => seen.words.contains(wanted),
            Self::Pattern(pattern) => {
                seen.texts.iter().any(|text| pattern.is_match(text))
                    || seen.words.iter().any(|words| pattern.is_match(&words.join(" ")))
            }
        }
    }

    /// The same with its words without accents, for texts that are looked at likewise ([`Seen::and_plain`]).
    pub(crate) fn plain(self) -> Self {
        // A word that is nothing but accents stays what it is.
        let plain = |words: Vec<String>| {
            let plain = plain_words(&words);
            if plain.len() == words.len() { plain } else { words }
        };
        match self {
            Self::Words(words) => Self::Words(plain(words)),
            Self::Whole(words) => Self::Whole(plain(words)),
            pattern => pattern,
        }
    }

    /// The parts of a text that a pattern finds; nothing for words.
    pub(crate) fn found_in(&self, text: &str) -> Vec<std::ops::Range<usize>> {
        match self {
            Self::Words(_) | Self::Whole(_) => Vec::new(),
            Self::Pattern(pattern) => pattern.find_iter(text).map(|found| found.range()).collect(),
        }
    }

    /// A word without which a text is not what is looked for; nothing for a pattern.
    pub(crate) fn first_word(&self) -> Option<&str> {
        match self {
            Self::Words(words) | Self::Whole(words) => words.first().map(String::as_str),
            Self::Pattern(_) => None,
        }
    }

    /// Whether a single word can never be it.
    pub(crate) fn has_several_words(&self) -> bool {
        match self {
            Self::Words(words) | Self::Whole(words) => words.len() > 1,
            Self::Pattern(_) => false,
        }
    }

    /// Reads a rule as it stands in a list.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let inside = |mark: char| text.strip_prefix(mark).and_then(|text| text.strip_suffix(mark));
        if let Some(pattern) = inside('/').filter(|pattern| !pattern.is_empty()) {
            // What is wrong with it cannot be said without showing it.
            let pattern = RegexBuilder::new(pattern).case_insensitive(true).build().map_err(|_| {
                Error::data("the regular expression cannot be understood").with_hint(
                    "a pattern stands between slashes, /like this/; put \\ before marks that are meant as such",
                )
            })?;
            if pattern.is_match("") {
                return Err(Error::data("the regular expression is found in every text, even in an empty one")
                    .with_hint("write one that finds only what may never be published"));
            }
            return Ok(Self::Pattern(pattern));
        }
        let whole = inside('"');
        let words: Vec<String> = lower_words(&folded(whole.unwrap_or(text), None)).collect();
        match (words.is_empty(), whole) {
            (true, _) => Err(Error::data("the rule has no word")
                .with_hint("case and marks do not count; for marks write a /pattern/ between slashes")),
            (false, Some(_)) => Ok(Self::Whole(words)),
            (false, None) => Ok(Self::Words(words)),
        }
    }
}

/// Whether all of some words are among others; not by comparing all with all where there are many.
fn has_all(words: &[String], wanted: &[String]) -> bool {
    if wanted.len() <= 8 {
        return wanted.iter().all(|word| words.contains(word));
    }
    let words: HashSet<&String> = words.iter().collect();
    wanted.iter().all(|word| words.contains(word))
}

/// A text in all the ways in which people may read it.
pub(crate) struct Seen {
    /// With its marks, for patterns; the first is the text as it is written.
    pub(crate) texts: Vec<String>,
    /// Its words.
    pub(crate) words: Vec<Vec<String>>,
}

impl Seen {
    pub(crate) fn of(text: &str) -> Self {
        let mut texts = vec![text.to_owned()];
        texts.extend(percent_decoded(text));
        let readable: Vec<String> = texts.iter().filter_map(|text| punycode::readable(text)).collect();
        texts.extend(readable);
        let is_plain = |text: &String| text.is_ascii() && !text.contains(is_unseen);
        let (mut words, mut as_read) = (Vec::new(), Vec::new());
        for text in &texts {
            if is_plain(text) {
                words.push(lower_words(text).collect());
            } else {
                as_read.extend([folded(text, None), folded(text, Some(' '))]);
            }
        }
        words.extend(as_read.iter().map(|text| lower_words(text).collect()));
        texts.extend(as_read);
        Self { texts, words }
    }

    /// The same with its words without accents beside them: `café` is `cafe`, too.
    pub(crate) fn and_plain(mut self) -> Self {
        let accented = self.words.iter().filter(|words| !words.iter().all(|word| word.is_ascii()));
        let plain: Vec<Vec<String>> = accented.map(|words| plain_words(words)).collect();
        self.words.extend(plain);
        self
    }
}

/// Words without their accents; one that is nothing else is none.
fn plain_words(words: &[String]) -> Vec<String> {
    let plain = |word: &String| {
        let mut plain = String::with_capacity(word.len());
        word.chars().for_each(|letter| push_plain(letter, &mut plain));
        plain
    };
    words.iter().map(plain).filter(|word| !word.is_empty()).collect()
}

/// A text with the bytes that web addresses write as `%61`; `None` if it has none.
fn percent_decoded(text: &str) -> Option<String> {
    let (mut decoded, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let [first, after @ ..] = rest {
        let code = after.get(..2).filter(|code| *first == b'%' && code.iter().all(u8::is_ascii_hexdigit));
        let byte = code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        decoded.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    (decoded.len() < text.len()).then(|| String::from_utf8_lossy(&decoded).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "# what the lawyers said\n\nAcme\nred  bicycle\n\"John Smith\"\n/\\d{3}-\\d{4}/\nM\u{fc}ller\n";

    #[test]
    fn both_ways_of_looking_agree() {
        let list = DropList::parse(LIST).unwrap();
        let barred = [
            ("buy ACME, cheap", 3),
            ("www.acme.example", 3),
            ("a bicycle, bright red", 4),
            ("john smith", 5),
            (" John-SMITH!", 5),
            ("call 555-1234 now", 6),
            ("Mu\u{308}ller", 7),
            ("ac\u{200b}me", 3),
            ("\u{ff21}\u{ff23}\u{ff2d}\u{ff25}", 3),
        ];
        for (text, line) in barred {
            assert!(list.bars(text), "{text}");
            assert_eq!(list.finds(text), Some(line), "{text}");
        }
        for text in ["acmes", "red car", "mr john smith", "5551234", "muller", "", "john"] {
            assert!(!list.bars(text) && list.finds(text).is_none(), "{text}");
        }
        assert_eq!(list.idle(), (0, 5));
        assert_eq!(DropList::parse("a\nb").unwrap().idle(), (2, 2));
    }

    #[test]
    fn what_reads_as_barred_is_barred() {
        let list = DropList::parse(
            "acme\nM\u{fc}ller\nstra\u{df}e\n\u{3bf}\u{3b4}\u{3cc}\u{3c2}\n/\\b\\d{3}-\\d{4}\\b/\n\"john smith\"\n",
        )
        .unwrap();
        let unseen = "\u{61c}\u{180e}\u{202e}\u{2066}\u{206a}\u{34f}\u{fff9}\u{17b4}\u{e0101}\u{115f}\u{3164}\u{ffa0}\0\u{7}\u{200b}";
        for letter in unseen.chars() {
            for text in [format!("buy ac{letter}me"), format!("acme{letter}corp"), format!("{letter}acme{letter}")] {
                assert!(list.bars(&text) && list.finds(&text) == Some(1), "{text:?}");
            }
            let number = format!("call 55{letter}5-1234");
            assert!(list.bars(&number) && list.finds(&number) == Some(5), "{number:?}");
        }
        for (text, line) in [
            ("http://xn--mller-kva.example/x", 2),
            ("http://m%C3%BCller.example", 2),
            ("http://%61cme.example", 1),
            ("a%63me", 1),
            ("HAUPT STRASSE", 3),
            ("\u{39f}\u{394}\u{38c}\u{3a3}", 4),
            ("\u{ff15}\u{ff15}\u{ff15}\u{ff0d}1234", 5),
            ("555\u{2011}1234", 5),
            ("555\u{2212}1234", 5),
            ("\u{665}\u{665}\u{665}-1234", 5),
            ("john%20smith", 6),
        ] {
            assert!(list.bars(text), "{text}");
            assert_eq!(list.finds(text), Some(line), "{text}");
        }
        for text in ["100% acm", "5%5", "xn--mller", "555 1234", "%zz", "john\u{200b}smithson"] {
            assert!(!list.bars(text) && list.finds(text).is_none(), "{text}");
        }
    }

    #[test]
    fn errors_show_no_rule() {
        for text in ["", "# only this\n", "ok\n/SECRET(/\n", "ok\n!!!\n", "ok\n/(SECRET)*/\n"] {
            let error = DropList::parse(text).unwrap_err().describe(true);
            assert!(!error.contains("SECRET") && error.contains("hint:"), "{error}");
        }
        let error = DropList::parse("ok\nSECRET one\n").unwrap().refuse_several_words().unwrap_err();
        assert!(error.describe(true).contains("line 2") && !error.describe(true).contains("SECRET"));
    }
}
