//! What may never be published: a list of words, whole queries or items, and patterns (`--drop FILE`).
//!
//! One rule a line; empty lines and those that begin with `#` are none. `acme` bars every query, URL, item or term that has this
//! word; `acme corp` those that have all these words, in any order; `"acme corp"` those that are these words and nothing else;
//! `/regular expression/` those in which it is found. Case, marks between words, the encoding of accents, the width of letters and
//! characters that are not seen do not count.
//!
//! What is barred is removed when the original is read, before anything else sees it ([`DropList::bars`]). The release is looked
//! through once more, rule by rule ([`DropList::finds`]): a method may put words together again, or a taxonomy bring one back.
//! No rule is ever part of an error: only its line in the list.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use regex_lite::{Regex, RegexBuilder};
use throng_core::text::lower_words;
use throng_core::{Error, Result};
use unicode_normalization::UnicodeNormalization as _;

use crate::limits;

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

#[derive(Debug)]
enum What {
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
        let words = words_of(text);
        let joined = words.join(" ");
        let mut is_barred = words.iter().any(|word| self.words.contains(word));
        for rule in &self.rules {
            let is_hit = match &rule.what {
                // Most rules are single words, and most texts have none of them.
                What::Words(wanted) if wanted.len() == 1 && !is_barred => false,
                What::Words(wanted) => wanted.iter().all(|word| words.contains(word)),
                What::Whole(wanted) => *wanted == words,
                What::Pattern(pattern) => pattern.is_match(text) || pattern.is_match(&joined),
            };
            if is_hit {
                is_barred = true;
                rule.is_used.store(true, Ordering::Relaxed);
            }
        }
        is_barred
    }

    /// The line of the first rule, if there is one, by which a text may not be published. Slow and plain: it looks at one rule
    /// after the other, and takes nothing from [`Self::bars`].
    pub fn finds(&self, text: &str) -> Option<u64> {
        let plain = format!(" {} ", words_of(text).join(" "));
        let has = |word: &String| plain.contains(&format!(" {word} "));
        let is_found = |rule: &&Rule| match &rule.what {
            What::Words(words) => words.iter().all(has),
            What::Whole(words) => plain.trim() == words.join(" "),
            What::Pattern(pattern) => pattern.find(text).or_else(|| pattern.find(plain.trim())).is_some(),
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
        let has_several = |rule: &&Rule| match &rule.what {
            What::Words(words) | What::Whole(words) => words.len() > 1,
            What::Pattern(_) => false,
        };
        match self.rules.iter().find(has_several) {
            None => Ok(()),
            Some(rule) => {
                Err(Error::refused("the list has a rule of several words, but texts are published as single words")
                    .at_line(rule.line)
                    .with_hint("name the words that may never be published one a line"))
            }
        }
    }
}

impl What {
    fn parse(text: &str) -> Result<Self> {
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
        let words = words_of(whole.unwrap_or(text));
        match (words.is_empty(), whole) {
            (true, _) => Err(Error::data("the rule has no word")
                .with_hint("case and marks do not count; for marks write a /pattern/ between slashes")),
            (false, Some(_)) => Ok(Self::Whole(words)),
            (false, None) => Ok(Self::Words(words)),
        }
    }
}

/// The words of a text as rules see them.
fn words_of(text: &str) -> Vec<String> {
    if text.is_ascii() {
        return lower_words(text).collect();
    }
    let seen: String = text.nfkc().filter(|letter| !is_unseen(*letter)).collect();
    lower_words(&seen).map(|word| word.nfkc().collect()).collect()
}

/// Characters of no width, which tear words apart without being seen.
fn is_unseen(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}')
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
    fn errors_show_no_rule() {
        for text in ["", "# only this\n", "ok\n/SECRET(/\n", "ok\n!!!\n", "ok\n/(SECRET)*/\n"] {
            let error = DropList::parse(text).unwrap_err().describe(true);
            assert!(!error.contains("SECRET") && error.contains("hint:"), "{error}");
        }
        let error = DropList::parse("ok\nSECRET one\n").unwrap().refuse_several_words().unwrap_err();
        assert!(error.describe(true).contains("line 2") && !error.describe(true).contains("SECRET"));
    }
}
