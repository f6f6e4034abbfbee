//! Frequency: the most frequent token is the most frequent word.
//!
//! Paper      Kumar, Novak, Pang, Tomkins. On anonymizing query logs via token-based hashing. WWW 2007; the cost is the likelihood of Naveed,
//!            Kamara, Wright. Inference attacks on property-preserving encrypted databases. CCS 2015.
//!
//! # Idea
//! 1. The attacker has another log, and counts in how many of its lines each word is. They count the tokens of the release, too.
//! 2. Tokens and words are given to each other so that the counts are as likely as can be: the Hungarian method.
//!
//! # Formula
//! The cost of token i as word j is −n (p_i ln p_j + (1 − p_i) ln(1 − p_j)), p the share of lines that hold it, n the lines of the release;
//! 1e-7 is added inside logarithms.
//!
//! # Cost
//! O(m³) for the m most frequent tokens: 300 take milliseconds.
//!
//! # Does not
//! use which tokens stand together: `co-occurrence` does.

use super::tokens::{self, Tokens, UNSEEN};
use super::{Asked, Attack, AttackInfo, Outcome, Scene};
use crate::data::QueryLog;
use crate::error::Result;
use crate::info::{Info, Need};

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "frequency",
        summary: "somebody with another log takes the most frequent hashed words for the most frequent words",
        paper: "Kumar, Novak, Pang, Tomkins. On anonymizing query logs via token-based hashing. WWW 2007",
        details: "For releases of token-hashing. The --top most frequent tokens (300 unless told) are given the most frequent words of \
            another log (--reference FILE), so that the shares of lines that hold them fit as well as can be. --seeds FILE: pairs that are \
            known beforehand (CSV with the header token,word), which are not counted.\n\
            attempts are occurrences of the attacked tokens, hits those of tokens whose word was found; parts.inverted of parts.tokens counts \
            each token once. Baseline: every token is the most frequent word. No bound: token-hashing promises nothing. Needs the link between \
            persons (--key), by which lines with the same time show the truth.",
        parameters: &[],
    },
    who: ["has another log, and counts words", "has another log, and counts words"],
    needs: &[Need::HashedWords, Need::Reference, Need::Link],
    no_promise: "hashing words promises nothing",
    ..AttackInfo::DEFAULT
};

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct Frequency;

impl Attack<QueryLog> for Frequency {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, QueryLog>, asked: &Asked) -> Result<Vec<Outcome>> {
        tokens::attack(scene, asked, &INFO, by_frequency)
    }
}

/// For each open token the word whose share of lines fits best.
pub(super) fn by_frequency(tokens: &Tokens<'_>) -> Vec<Option<usize>> {
    let [side, words] = tokens.sides();
    tokens.assigned(|token, word| {
        let (own, other) = (tokens.of_tokens[token * side + token], tokens.of_words[word * words + word]);
        tokens.lines * (own * (other + UNSEEN).ln() + (1.0 - own) * (1.0 - other + UNSEEN).ln())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::asked;
    use super::super::tokens::Seed;
    use super::super::tokens::tests::hashed;
    use super::*;
    use crate::measures::testing::log;
    use crate::progress::Silent;

    #[test]
    fn by_hand() {
        let words = ["red", "car", "blue"];
        // red in 3 lines, car in 2, blue in 1; in the reference in 6, 3 and 4 of 8.
        let rows: [&[&str]; 2] = [&["red", "red car", "blue"], &["red", "car"]];
        let (original, release) = (log(&rows), hashed(&rows, &words));
        let reference = log(&[&["red", "red", "red car", "red car", "blue", "blue", "red blue car", "red blue"]]);
        let link = [Some(0), Some(1)];
        let scene = Scene::new(&original, &release, &[1, 1], Some(&link), &Silent).with_reference(Some(&reference));
        assert!(scene.lacks(&INFO).is_none());
        let attack = |asked: Asked| Frequency.attack(&scene, &asked).unwrap().remove(0);
        // red is found; blue and car are taken for each other. Six occurrences, three of them red.
        let found = attack(asked());
        assert_eq!((found.attempts, found.hits, found.baseline, found.verdict), (6, 3.0, Some(0.5), "none"));
        assert_eq!(found.parts, json!({"tokens": 3, "inverted": 1}));
        assert_eq!(found.knowledge, json!({"top": 300, "seeds": 0}));
        // Who knows that car is car finds the other two, and car is no hit.
        let seeds = vec![Seed { line: 2, token: "b".repeat(16), word: "car".to_owned() }];
        let found = attack(Asked { seeds, ..asked() });
        assert_eq!((found.attempts, found.hits, &found.parts["inverted"]), (4, 4.0, &json!(2)));
        // The most frequent one alone.
        assert_eq!((attack(Asked { top: 1, ..asked() }).attempts, attack(Asked { top: 1, ..asked() }).hits), (3, 3.0));
    }

    #[test]
    fn words_that_are_no_tokens_are_not_for_it() {
        let plain = log(&[&["red"]]);
        let scene = Scene::new(&plain, &plain, &[1], Some(&[Some(0)]), &Silent).with_reference(Some(&plain));
        assert_eq!(scene.lacks(&INFO), Some(Need::HashedWords));
    }
}
