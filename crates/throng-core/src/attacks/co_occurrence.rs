//! Co-occurrence: tokens that stand together are words that stand together.
//!
//! Paper      Kumar, Novak, Pang, Tomkins. On anonymizing query logs via token-based hashing. WWW 2007; Islam, Kuzu, Kantarcioglu. Access pattern
//!            disclosure on searchable encryption. NDSS 2012. The procedure is ours.
//!
//! # Idea
//! 1. Begin with what frequencies say.
//! 2. For each token and word compare with whom they stand in one line, taking the other tokens for the words that they have now; give out words
//!    anew, by the Hungarian method. 3. Until nothing changes, or 25 rounds are over.
//!
//! # Formula
//! The cost of token i as word j is −n Σ_t (X_it ln Y_jt − Y_jt), X and Y the shares of lines of the release and of the other log that hold
//! both, the columns of Y those of the words that the tokens t have now; 1e-7 is added inside logarithms.
//!
//! # Readings
//! Ours: a token with itself is compared with the word with itself (t = i is X_ii and Y_jj), whichever word it has now; a token that has no word
//! is no column.
//!
//! # Cost
//! O(m³) a round for the m most frequent tokens.
//!
//! # Does not
//! find the best of all assignments, which is hard: what it inverts is a lower bound on what attackers can.

use super::frequency::by_frequency;
use super::tokens::{self, Tokens, UNSEEN};
use super::{Asked, Attack, AttackInfo, Outcome, Scene};
use crate::data::QueryLog;
use crate::error::Result;
use crate::info::{Info, Need};

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "co-occurrence",
        summary: "somebody with another log undoes hashed words by which of them stand together",
        paper: "ours, after Kumar, Novak, Pang, Tomkins. On anonymizing query logs via token-based hashing. WWW 2007",
        details: "For releases of token-hashing. Begins with what `frequency` finds for the --top most frequent tokens (300 unless told); then \
            compares with which tokens each stands in one line, and with which words each word does in the other log (--reference FILE), and \
            gives out words anew, until nothing changes or after 25 rounds. --seeds FILE: pairs that are known beforehand (CSV with the header \
            token,word): they help much, and are not counted.\n\
            attempts, hits, baseline and parts as for `frequency`. It is a lower bound: a better search finds more. No bound: token-hashing \
            promises nothing. Needs the link between persons (--key), by which lines with the same time show the truth.",
        parameters: &[],
    },
    who: [
        "has another log, and counts words that stand together",
        "has another log, and counts words that stand together",
    ],
    needs: &[Need::HashedWords, Need::Reference, Need::Link],
    no_promise: "hashing words promises nothing",
    ..AttackInfo::DEFAULT
};

/// So many rounds at most.
const ROUNDS: usize = 25;

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct CoOccurrence;

impl Attack<QueryLog> for CoOccurrence {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, QueryLog>, asked: &Asked) -> Result<Vec<Outcome>> {
        tokens::attack(scene, asked, &INFO, by_co_occurrence)
    }
}

fn by_co_occurrence(tokens: &Tokens<'_>) -> Vec<Option<usize>> {
    let [side, words] = tokens.sides();
    let logarithms: Vec<f64> = tokens.of_words.iter().map(|share| (share + UNSEEN).ln()).collect();
    let mut guess = by_frequency(tokens);
    for _ in 0..ROUNDS {
        // The word of each token: guessed, or of a known pair.
        let known = (0..side - tokens.open).map(|at| Some(tokens.open_words + at));
        let partners: Vec<(usize, usize)> =
            guess.iter().copied().chain(known).enumerate().filter_map(|(token, word)| Some((token, word?))).collect();
        let gain = |token: usize, word: usize| {
            let fit = |&(other, partner): &(usize, usize)| {
                let column = if other == token { word } else { partner };
                let place = word * words + column;
                tokens.of_tokens[token * side + other] * logarithms[place] - tokens.of_words[place]
            };
            tokens.lines * partners.iter().map(fit).sum::<f64>()
        };
        let next = tokens.assigned(gain);
        if next == guess {
            break;
        }
        guess = next;
    }
    guess
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::asked;
    use super::super::tokens::tests::hashed;
    use super::*;
    use crate::measures::testing::log;
    use crate::progress::Silent;

    /// Red is rarer than blue in the release and more frequent in the other log; but red stands with car, whose token is known.
    #[test]
    fn what_stands_together_tells_apart() {
        let rows: [&[&str]; 1] =
            [&["red car", "red car", "red car", "red", "blue", "blue", "blue", "blue", "blue", "car"]];
        let (original, release) = (log(&rows), hashed(&rows, &["red", "car", "blue"]));
        let reference =
            log(&[&["red car", "red car", "red car", "red car", "red", "blue", "blue", "blue", "blue", "car"]]);
        let link = [Some(0)];
        let scene = Scene::new(&original, &release, &[1], Some(&link), &Silent).with_reference(Some(&reference));
        let seeds = vec![super::super::Seed { line: 2, token: "b".repeat(16), word: "car".to_owned() }];
        let asked = Asked { seeds, ..asked() };
        let alone = super::super::frequency::Frequency.attack(&scene, &asked).unwrap().remove(0);
        let together = CoOccurrence.attack(&scene, &asked).unwrap().remove(0);
        assert_eq!((alone.attempts, alone.hits), (9, 0.0));
        assert_eq!((together.rate, &together.parts), (Some(1.0), &json!({"tokens": 2, "inverted": 2})));
    }

    #[test]
    fn nothing_to_invert_is_no_attempt() {
        let (original, release) = (log(&[&["red"]]), hashed(&[&["red"]], &["red"]));
        let reference = log(&[]);
        let scene = Scene::new(&original, &release, &[1], Some(&[Some(0)]), &Silent).with_reference(Some(&reference));
        let found = CoOccurrence.attack(&scene, &asked()).unwrap().remove(0);
        assert_eq!((found.attempts, found.hits), (1, 0.0));
    }
}
