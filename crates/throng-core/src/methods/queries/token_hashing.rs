//! Token hashing: every word becomes sixteen digits that nobody can undo, and everybody can count. An old way, and why it fails.
//!
//! Paper      Kumar, Novak, Pang, Tomkins. On anonymizing query logs via token-based hashing. WWW 2007; section 2.1 of the thesis.
//! Claims     nothing.
//! Does not   hide when somebody searched: who knows the minutes of two searches of a person finds that person, and with them all
//!            their tokens. Nor how often words occur, and with which others: with a log to compare with, tokens become words again.
//!
//! # Idea
//! 1. A key of 256 bits is drawn, and thrown away unless somebody asks to keep it. 2. Every word (a run of letters, digits and accents, in
//!    lower case) becomes the first 16 hexadecimal digits of HMAC-SHA-256 under that key; the tokens of a query stand in its order,
//!    with one blank between. 3. Persons get pseudonyms; times and ranks stay; URLs are dropped, for they would say the words.
//!
//! # Cost
//! One HMAC for each different word.

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::Sha256;

use super::lines::{refuse_nothing_left, rewritten};
use crate::accounts;
use crate::data::{Interner, QueryLog, Strings};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::methods::{Method, shown_parameters};
use crate::progress::Progress;
use crate::release::Protected;
use crate::rng::Rng;
use crate::secret::Secret;
use crate::shares::sealed::hex;
use crate::text::lower_words;

/// The card of the method.
pub const INFO: Info = Info {
    name: "token-hashing",
    summary: "an old way that promises nothing: every word becomes a keyed hash, times and ranks stay",
    paper: "Kumar, Novak, Pang, Tomkins. On anonymizing query logs via token-based hashing. WWW 2007",
    details: "1. A key of 256 bits is drawn, and thrown away; `--token-key FILE` keeps it, for the custodian's eyes.\n\
        2. Every word (a run of letters, digits and accents, in lower case) becomes the first 16 hexadecimal digits of HMAC-SHA-256 \
        under that key. The tokens of a query stand in its order.\n\
        3. Persons get pseudonyms. Times and ranks stay as they are; URLs are dropped. A query without a word is left out.\n\
        It promises nothing, and claims nothing. Times single people out: who knows the minutes of two searches has nearly always found \
        the person. Frequencies and co-occurrences of tokens are those of the words: with another log beside it, frequent tokens become \
        words again. It is here so that `throng compare` and `throng attack` show why.\n\
        It has no k.",
    parameters: &[],
};

/// The method has nothing to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {}

/// The method.
#[derive(Debug, Clone, Copy)]
pub struct TokenHashing {
    params: Params,
}

impl TokenHashing {
    /// The method; there is nothing to check.
    pub fn new(params: Params) -> Result<Self> {
        Ok(Self { params })
    }
}

impl Method<QueryLog> for TokenHashing {
    fn protect(&self, original: &QueryLog, rng: &mut Rng, _progress: &dyn Progress) -> Result<Protected<QueryLog>> {
        let key = Secret::draw(rng);
        let (texts, text_of) = hashed(original.queries(), &key)?;
        let protected = rewritten(original, texts, |_, query| text_of[query as usize]);
        let dropped = (original.rows() - protected.records.rows()) as u64;
        let protected = protected.counted(accounts::ROWS_DROPPED, dropped).with_secret(key);
        refuse_nothing_left(protected, "no query has a word", "is the right column taken for the query?")
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }

    fn promises(&self) -> bool {
        false
    }

    fn has_key(&self) -> bool {
        true
    }
}

/// The hashed texts, and for each query which of them it becomes; `None` for one without a word.
fn hashed(queries: &Strings, key: &Secret) -> Result<(Strings, Vec<Option<u32>>)> {
    let keyed = Hmac::<Sha256>::new_from_slice(key.bytes()).map_err(|_| Error::internal("a key of a wrong size"))?;
    let (mut words, mut tokens) = (Interner::new(), Vec::new());
    let mut texts = Interner::new();
    let text_of = queries
        .iter()
        .map(|query| {
            let mut text = String::new();
            for word in lower_words(query) {
                let number = words.intern(&word) as usize;
                if number == tokens.len() {
                    let hash = keyed.clone().chain_update(word.as_bytes()).finalize().into_bytes();
                    tokens.push(hex(&hash[..8]));
                }
                if !text.is_empty() {
                    text.push(' ');
                }
                text.push_str(&tokens[number]);
            }
            (!text.is_empty()).then(|| texts.intern(&text))
        })
        .collect();
    Ok((texts.into_strings(), text_of))
}

#[cfg(test)]
mod tests {
    use super::super::lines::testing::{log, records};
    use super::*;
    use crate::progress::Silent;

    #[test]
    fn a_known_hash() {
        // RFC 4231, test case 1, has a key of 20 bytes, which HMAC fills up with zeros: b0344c61d8db3853…
        let mut key = [0; 32];
        key[..20].fill(0x0b);
        let queries: Strings = ["Hi There", "there, hi?", "--"].into_iter().collect();
        let (texts, text_of) = hashed(&queries, &Secret::of(&key)).unwrap();
        let word = |word: &[u8]| {
            let hash = Hmac::<Sha256>::new_from_slice(&key).unwrap().chain_update(word).finalize().into_bytes();
            hex(&hash)
        };
        assert!(word(b"Hi There").starts_with("b0344c61d8db38535ca8afceaf0bf12b"));
        let (hi, there) = (word(b"hi")[..16].to_owned(), word(b"there")[..16].to_owned());
        assert_eq!(texts.iter().collect::<Vec<_>>(), [format!("{hi} {there}"), format!("{there} {hi}")]);
        assert_eq!(text_of, [Some(0), Some(1), None]);
    }

    #[test]
    fn words_go_and_everything_else_stays() {
        let log = log(&[("ann", "Red car", 5), ("ann", "car", 3), ("bob", "red CAR!", 7), ("cid", "?", 1)]);
        let method = TokenHashing::new(Params::default()).unwrap();
        let protected = method.protect(&log, &mut Rng::seeded(1), &Silent).unwrap();
        let found = records(&protected);
        let [ann, bob] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((ann.0, bob.0), (0, 1));
        assert_eq!(ann.1.iter().map(|line| line.1).collect::<Vec<_>>(), [5, 3]);
        // The same words are the same tokens, whoever wrote them and however.
        assert_eq!(ann.1[0].0, bob.1[0].0);
        assert!(ann.1[0].0.ends_with(&ann.1[1].0) && ann.1[0].0.len() == 33);
        assert!(protected.claims.is_empty() && protected.record_of[2].is_none());
        let lines: Vec<_> = protected.records.lines(0).collect();
        assert!(lines.iter().all(|line| line.url.is_none() && line.rank == Some(1)));
        // Another key, other tokens.
        let again = method.protect(&log, &mut Rng::seeded(2), &Silent).unwrap();
        assert_ne!(records(&again)[0].1[0].0, ann.1[0].0);
        assert_eq!(records(&method.protect(&log, &mut Rng::seeded(1), &Silent).unwrap()), found);
    }

    #[test]
    fn nothing_is_refused_but_nothing() {
        let method = TokenHashing::new(Params::default()).unwrap();
        let error = method.protect(&log(&[("ann", "?", 1)]), &mut Rng::seeded(1), &Silent).unwrap_err();
        assert_eq!(error.to_string(), "nothing is left to publish: no query has a word");
    }
}
