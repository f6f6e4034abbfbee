//! Private set intersection: alice learns which of her inputs bob has too, or only how many.
//!
//! Papers     RFC 9497 for the function; De Cristofaro, Gasti, Tsudik. Fast and Private Computation of Cardinality of Set
//!            Intersection and Union. CANS 2012.
//!
//! # Idea
//! Bob's key makes every input a tag. Alice gets the tags of hers without showing them ([`Asked`]), bob sends the tags of his
//! ([`tags`]), and she compares. To count only, she uses one blind for all, bob sends her elements back in another order, and a tag
//! is made of the element alone ([`count_tag`]): she sees how many tags are equal, and not whose.
//!
//! # Cost
//! Two group operations for each of alice's inputs on either side, one (and a hash to the group) for each of bob's.
//!
//! Does not   hide the sizes of the sets (pad them), nor whether bob has a value that alice can guess: she puts it into her file.

use rayon::prelude::*;
use sha2::{Digest as _, Sha512};

use super::oprf::{Element, Scale, output, scaled_element, scaled_input};
use crate::rng::Rng;

/// How many bytes of an output are sent.
pub const TAG: usize = 16;

/// What bob sends of an input.
pub type Tag = [u8; TAG];

/// Inputs that look like those of nobody, as many as are lacking to the next power of 2.
pub fn padding(inputs: usize, rng: &mut Rng) -> Vec<String> {
    let lacking = inputs.next_power_of_two() - inputs;
    (0..lacking)
        .map(|_| format!("\u{1f}\u{1f}{:032x}{:032x}", u128::from_le_bytes(rng.key()), u128::from_le_bytes(rng.key())))
        .collect()
}

/// What alice keeps of her question: the order in which she sends her inputs, and their blinds.
#[derive(Debug)]
pub struct Asked {
    order: Vec<u32>,
    blinds: Vec<Scale>,
}

impl Asked {
    /// Draws an order and a blind for each input, or one for all.
    pub fn draw(inputs: usize, one_blind: bool, rng: &mut Rng) -> Self {
        let mut order: Vec<u32> = (0..inputs as u32).collect();
        rng.shuffle(&mut order);
        let blinds =
            if one_blind { vec![Scale::draw(rng); inputs] } else { (0..inputs).map(|_| Scale::draw(rng)).collect() };
        Self { order, blinds }
    }

    /// The blinded elements, in the order of sending.
    pub fn blinded(&self, inputs: &[String]) -> Vec<Element> {
        let one = |(&at, blind): (&u32, &Scale)| scaled_input(inputs[at as usize].as_bytes(), blind);
        self.order.par_iter().zip(&self.blinds).map(one).collect()
    }

    /// The tag of each input, in the order of the inputs, from what bob made of what was sent. The place of the first element that is none.
    pub fn tags(&self, inputs: &[String], evaluated: &[Element]) -> Result<Vec<Tag>, usize> {
        let inverses = Scale::inverses(&self.blinds);
        let one = |((&at, inverse), (place, element)): ((&u32, &Scale), (usize, &Element))| {
            let element = scaled_element(element, inverse).ok_or(place)?;
            Ok((at, tag_of(inputs[at as usize].as_bytes(), &element)))
        };
        let made: Vec<Result<(u32, Tag), usize>> =
            self.order.par_iter().zip(&inverses).zip(evaluated.par_iter().enumerate()).map(one).collect();
        let mut tags = vec![[0; TAG]; inputs.len()];
        for tag in made {
            let (at, tag) = tag?;
            tags[at as usize] = tag;
        }
        Ok(tags)
    }

    /// The tags of all elements, whosever they are: only for counting, with one blind.
    pub fn count_tags(&self, evaluated: &[Element]) -> Result<Vec<Tag>, usize> {
        let Some(blind) = self.blinds.first() else { return Ok(Vec::new()) };
        let inverse = blind.inverse();
        let one = |(place, element): (usize, &Element)| Ok(count_tag(&scaled_element(element, &inverse).ok_or(place)?));
        let made: Vec<Result<Tag, usize>> = evaluated.par_iter().enumerate().map(one).collect();
        made.into_iter().collect()
    }
}

/// What bob's key makes of alice's elements, in their order. The place of the first one that is none.
pub fn evaluated(elements: &[Element], key: &Scale) -> Result<Vec<Element>, usize> {
    let one = |(place, element): (usize, &Element)| scaled_element(element, key).ok_or(place);
    let made: Vec<Result<Element, usize>> = elements.par_iter().enumerate().map(one).collect();
    made.into_iter().collect()
}

/// The tags of bob's own inputs, in their order.
pub fn tags(inputs: &[String], key: &Scale) -> Vec<Tag> {
    inputs.par_iter().map(|input| tag_of(input.as_bytes(), &scaled_input(input.as_bytes(), key))).collect()
}

/// The tags of bob's own inputs for counting, in their order.
pub fn own_count_tags(inputs: &[String], key: &Scale) -> Vec<Tag> {
    inputs.par_iter().map(|input| count_tag(&scaled_input(input.as_bytes(), key))).collect()
}

fn tag_of(input: &[u8], element: &Element) -> Tag {
    let output = output(input, element);
    std::array::from_fn(|at| output[at])
}

/// The tag of an element: the first 16 bytes of SHA-512(len(N) N "Count").
fn count_tag(element: &Element) -> Tag {
    let mut hash = Sha512::new();
    hash.update((element.len() as u16).to_be_bytes());
    hash.update(element);
    hash.update(b"Count");
    let hash = hash.finalize();
    std::array::from_fn(|at| hash[at])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn inputs(numbers: &[u32]) -> Vec<String> {
        numbers.iter().map(|number| format!("person {number}")).collect()
    }

    #[test]
    fn tags_agree_where_inputs_do() {
        let mut rng = Rng::seeded(4);
        let (alice, bob) = (inputs(&[1, 2, 3, 5, 8]), inputs(&[8, 4, 2, 9]));
        let key = Scale::draw(&mut rng);
        let asked = Asked::draw(alice.len(), false, &mut rng);
        let answer = evaluated(&asked.blinded(&alice), &key).unwrap();
        let his: BTreeSet<Tag> = tags(&bob, &key).into_iter().collect();
        let hers = asked.tags(&alice, &answer).unwrap();
        let found: Vec<bool> = hers.iter().map(|tag| his.contains(tag)).collect();
        assert_eq!(found, [false, true, false, false, true]);
    }

    #[test]
    fn counting_needs_no_order() {
        let mut rng = Rng::seeded(5);
        let (alice, bob) = (inputs(&[1, 2, 3, 5, 8]), inputs(&[8, 4, 2, 9]));
        let key = Scale::draw(&mut rng);
        let asked = Asked::draw(alice.len(), true, &mut rng);
        let mut answer = evaluated(&asked.blinded(&alice), &key).unwrap();
        rng.shuffle(&mut answer);
        let his: BTreeSet<Tag> = own_count_tags(&bob, &key).into_iter().collect();
        assert_eq!(asked.count_tags(&answer).unwrap().iter().filter(|tag| his.contains(*tag)).count(), 2);
    }

    #[test]
    fn what_is_no_element_is_named() {
        let mut rng = Rng::seeded(6);
        let (alice, key) = (inputs(&[1, 2, 3]), Scale::draw(&mut rng));
        let asked = Asked::draw(3, false, &mut rng);
        let mut blinded = asked.blinded(&alice);
        blinded[1] = [0; 32];
        assert_eq!(evaluated(&blinded, &key), Err(1));
        assert_eq!(asked.tags(&alice, &blinded), Err(1));
    }

    #[test]
    fn padding_fills_to_a_power_of_two() {
        let mut rng = Rng::seeded(1);
        for (inputs, lacking) in [(0, 1), (1, 0), (3, 1), (4, 0), (5, 3)] {
            assert_eq!(padding(inputs, &mut rng).len(), lacking);
        }
    }

    /// What bob sees of two sets of the same size cannot be told apart: every bit of a blinded element but the two that the form fixes is
    /// as often 0 as 1.
    #[test]
    fn blinded_elements_look_alike() {
        let mut rng = Rng::seeded(9);
        for set in [vec!["a".to_owned(); 1000], (0..1000).map(|number| number.to_string()).collect::<Vec<_>>()] {
            let blinded = Asked::draw(set.len(), false, &mut rng).blinded(&set);
            let mut counts = [0u32; 16];
            blinded.iter().flat_map(|element| &element[1..31]).for_each(|byte| {
                counts[usize::from(byte >> 4)] += 1;
            });
            let expected = 30_000.0 / 16.0;
            let chi: f64 = counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
            // 15 degrees of freedom: the chance to be above 44 is one in ten thousand.
            assert!(chi < 44.0, "{chi} {counts:?}");
        }
    }
}
