//! Texts as vectors of whole numbers whose scalar products are cosine similarities.
//!
//! Paper      Ravikumar, Cohen, Fienberg. A Secure Protocol for Computing String Distance Metrics. 2004 (reference 40 of Christen 2008).
//!
//! # Idea
//! The q-grams of a text, with q − 1 blanks on both sides, are counted in buckets: a q-gram's bucket is SHA-256 of its UTF-8 text, the first
//! eight bytes little-endian, modulo the number of buckets. Weights are the counts, or ln(1 + count) · ln(1 + N / n), n the number of a holder's own N texts
//! that have the bucket. The vector is brought to length 1 and multiplied by 2^16, half up.
//!
//! # Formula
//! similarity = Σ x·y / 2^32, the cosine up to 2^-15.
//!
//! Does not   tell q-grams apart that share a bucket: with 1,024 buckets and names, few do; take more where texts are long.

use sha2::{Digest as _, Sha256};

use super::product::Matrix;

/// What a vector of length 1 is multiplied by.
pub const SCALE: f64 = 65536.0;

/// How q-grams are weighed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// As often as they occur.
    Counts,
    /// Rare ones more.
    TfIdf,
}

/// How texts become vectors. Both holders must have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// How many characters a q-gram has.
    pub q: usize,
    /// How many buckets there are.
    pub buckets: usize,
    /// How q-grams are weighed.
    pub weights: Weights,
}

/// The q-grams of a text, in order, with repeats.
pub fn grams(text: &str, q: usize) -> Vec<String> {
    let around = std::iter::repeat_n(' ', q.saturating_sub(1));
    let letters: Vec<char> = around.clone().chain(text.chars()).chain(around).collect();
    letters.windows(q.max(1)).map(|gram| gram.iter().collect()).collect()
}

fn bucket(gram: &str, buckets: usize) -> usize {
    let hash = Sha256::digest(gram.as_bytes());
    let first = u64::from_le_bytes(std::array::from_fn(|at| hash[at]));
    (first % buckets.max(1) as u64) as usize
}

/// The vectors of texts, a row each, of length 1.
fn unit_vectors(texts: &[String], form: Form) -> Vec<Vec<f64>> {
    let mut counts: Vec<Vec<f64>> = Vec::with_capacity(texts.len());
    let mut having = vec![0u32; form.buckets];
    for text in texts {
        let mut row = vec![0.0; form.buckets];
        grams(text, form.q).iter().for_each(|gram| row[bucket(gram, form.buckets)] += 1.0);
        row.iter().zip(&mut having).for_each(|(&count, having)| *having += u32::from(count > 0.0));
        counts.push(row);
    }
    for row in &mut counts {
        if form.weights == Weights::TfIdf {
            for (weight, &having) in row.iter_mut().zip(&having) {
                if *weight > 0.0 {
                    *weight = weight.ln_1p() * (texts.len() as f64 / f64::from(having)).ln_1p();
                }
            }
        }
        let length = row.iter().map(|weight| weight * weight).sum::<f64>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|weight| *weight /= length);
        }
    }
    counts
}

/// The vectors of texts, a row each.
pub fn vectors(texts: &[String], form: Form) -> Matrix {
    let whole = |weight: &f64| (weight * SCALE + 0.5).floor() as u64;
    Matrix::new(form.buckets, unit_vectors(texts, form).iter().flatten().map(whole).collect())
}

/// The similarity that a scalar product stands for.
pub fn similarity(product: u64) -> f64 {
    product as f64 / (SCALE * SCALE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grams_have_blanks_around() {
        assert_eq!(grams("ab", 2), [" a", "ab", "b "]);
        assert_eq!(grams("ab", 1), ["a", "b"]);
    }

    /// Equal texts have 1, texts without a common q-gram 0, `ab` and `ac` share one q-gram of three: 1/3.
    #[test]
    fn similarities() {
        let texts: Vec<String> = ["ab", "ac", "xy", "ab"].map(str::to_owned).into();
        for weights in [Weights::Counts, Weights::TfIdf] {
            let made = vectors(&texts, Form { q: 2, buckets: 4096, weights });
            let products = made.times_rows_of(&made);
            let of = |one: usize, other: usize| similarity(products.row(one)[other]);
            assert!((of(0, 3) - 1.0).abs() < 1e-4 && of(0, 2) == 0.0, "{weights:?}");
            if weights == Weights::Counts {
                assert!((of(0, 1) - 1.0 / 3.0).abs() < 1e-4);
            }
        }
    }
}
