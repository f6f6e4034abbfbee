//! Wu-Palmer by the letter: all pairs of senses, all hypernyms of each.

use throng_core::distance::wu_palmer;
use throng_core::taxonomy::wordnet::WordNet;

/// The greatest similarity of two words over all pairs of their senses.
pub(crate) fn similarity(net: &WordNet, left: &str, right: &str) -> i64 {
    let mut greatest = 0;
    for &own in net.senses_of_any_form(left) {
        let above = net.closure(own);
        for &other in net.senses_of_any_form(right) {
            let common = net.closure(other).into_iter().filter(|synset| above.contains(synset));
            if let Some(depth) = common.map(|synset| net.longest_depth(synset)).max() {
                let sum = net.longest_depth(own) + net.longest_depth(other);
                greatest = greatest.max(wu_palmer::similarity(depth, sum));
            }
        }
    }
    greatest
}
