//! Secret sharing of texts: whoever has the shares of m persons reads what they all said, whoever has fewer reads nothing.
//!
//! Paper      Adar. User 4XXXXX9: anonymizing query logs. Query Log Analysis Workshop, WWW 2007; section 2.2 of the thesis.
//! Promises   what fewer than m persons said cannot be opened by anybody, the custodian included, once the keys are gone.
//! Does not   hide who said the same as whom: lines of one text have one label, however few they are, and times stand beside them.
//!
//! # Idea
//! 1. Every different text is sealed under a fresh key (`sealed.rs`).
//! 2. The key becomes shares, one for each person who said it, any m of which give it back (`shamir.rs`).
//! 3. A line shows `label:index:share` instead of the text.
//!
//! Indices are drawn at random from 1 to 255. Of a text that more persons said, some persons have the same index, and then the same
//! share: there are always more different ones than m.
//!
//! # Cost
//! A key, m - 1 random coefficients and one sealing for each text, O(m) multiplications a byte for each share.

pub mod log;
pub mod sealed;
pub mod shamir;

use std::collections::BTreeMap;

use self::sealed::{Mark, bytes, hex, mark_of};
use self::shamir::{MOST_SHARES, Values, combine, split};
use crate::data::Strings;
use crate::error::Result;
use crate::rng::Rng;
use crate::secret::Secret;

/// The shares of a text for so many persons, as lines show them; any `threshold` different ones open it.
pub fn shares_of(text: &str, persons: usize, threshold: usize, mark: Mark, rng: &mut Rng) -> Result<Vec<String>> {
    let key = Secret::draw(rng);
    let label = sealed::seal(text, &key, mark)?;
    let mut indices: Vec<u8> = rng.sample(MOST_SHARES, persons).into_iter().map(|at| at as u8 + 1).collect();
    rng.shuffle(&mut indices);
    let values = split(&key, threshold, &indices, rng);
    let shares: Vec<String> =
        indices.iter().zip(&values).map(|(index, values)| format!("{label}:{index}:{}", hex(values))).collect();
    // As many different ones as there are; further persons have one of these, drawn at random.
    let given = |person: usize, rng: &mut Rng| {
        shares[if person < shares.len() { person } else { rng.index(shares.len()) }].clone()
    };
    Ok((0..persons).map(|person| given(person, rng)).collect())
}

/// A share as a line shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share<'a> {
    /// The sealed text.
    pub label: &'a str,
    /// The index.
    pub index: u8,
    /// The values there.
    pub values: Values,
}

impl<'a> Share<'a> {
    /// Reads a share, which can be written in one way only.
    pub fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split(':');
        let (label, index, values) = (parts.next()?, parts.next()?, parts.next()?);
        let number: u8 = index.parse().ok().filter(|&number: &u8| number > 0 && number.to_string() == index)?;
        let values: Values = bytes(values)?.try_into().ok()?;
        mark_of(label)?;
        parts.next().is_none().then_some(Self { label, index: number, values })
    }
}

/// What is wrong with a text that should be a share, and which one it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// It is no share.
    NoShare(u32),
    /// It belongs to another release than the first one.
    OtherRelease(u32),
    /// Another share of the same text has the same index and says something else.
    Contradicts(u32),
}

impl Trouble {
    /// The number of the text.
    pub fn text(self) -> u32 {
        match self {
            Self::NoShare(text) | Self::OtherRelease(text) | Self::Contradicts(text) => text,
        }
    }

    /// What is wrong, in words.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::NoShare(_) => "this is no share: `label:index:share` is expected in every line",
            Self::OtherRelease(_) => "shares of two releases are mixed: this one belongs to another than those above",
            Self::Contradicts(_) => "two shares of one text with the same index differ: one of them was changed",
        }
    }
}

/// What shares give: for each of them the text that all shares of its label open, if they do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Opened {
    /// The different texts.
    pub texts: Strings,
    /// For each share the number of its text; `None` if there are too few.
    pub text_of: Vec<Option<u32>>,
    /// The most shares that a label has and that do not open it, with the number of one of them.
    pub most_unopened: Option<(usize, u32)>,
}

/// Opens what can be opened, out of everything that the lines of a release show.
///
/// Nobody needs to know m: more shares than are needed give the same key.
pub fn open(shares: &Strings) -> std::result::Result<Opened, Trouble> {
    let mut labels: BTreeMap<&str, Label> = BTreeMap::new();
    let mut release: Option<Mark> = None;
    let mut label_of = Vec::with_capacity(shares.len());
    for (number, text) in (0u32..).zip(shares.iter()) {
        let share = Share::parse(text).ok_or(Trouble::NoShare(number))?;
        let mark = mark_of(share.label).ok_or(Trouble::NoShare(number))?;
        if *release.get_or_insert(mark) != mark {
            return Err(Trouble::OtherRelease(number));
        }
        let label = labels.entry(share.label).or_insert_with(|| Label { first: number, shares: BTreeMap::new() });
        if label.shares.insert(share.index, share.values).is_some_and(|other| other != share.values) {
            return Err(Trouble::Contradicts(number));
        }
        label_of.push(share.label);
    }
    let mut opened = Opened::default();
    let mut texts: BTreeMap<&str, Option<u32>> = BTreeMap::new();
    for (&label, found) in &labels {
        let all: Vec<(u8, Values)> = found.shares.iter().map(|(&index, &values)| (index, values)).collect();
        let text = sealed::open(label, &combine(&all));
        if text.is_none() && opened.most_unopened.is_none_or(|(most, _)| all.len() > most) {
            opened.most_unopened = Some((all.len(), found.first));
        }
        let number = text.map(|text| {
            opened.texts.push(&text);
            opened.texts.len() as u32 - 1
        });
        texts.insert(label, number);
    }
    opened.text_of = label_of.iter().map(|label| texts[label]).collect();
    Ok(opened)
}

/// The shares of a label, by index.
struct Label {
    first: u32,
    shares: BTreeMap<u8, Values>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rng::Rng;

    fn strings(texts: &[String]) -> Strings {
        texts.iter().map(String::as_str).collect()
    }

    /// What opens of some shares, each once.
    fn opens(shares: &[String]) -> Vec<String> {
        let mut texts: Vec<String> = open(&strings(shares)).unwrap().texts.iter().map(str::to_owned).collect();
        texts.sort_unstable();
        texts
    }

    /// A share that anybody can put together again: sealed by hand under the key of 32 sevens, whose shares are 4, 1 and 2 at the
    /// indices 1, 2 and 3 (see `shamir.rs`).
    #[test]
    fn three_persons_by_hand() {
        let (key, mark) = (Secret::of(&[7; 32]), Mark::draw(&mut Rng::seeded(1)));
        let label = sealed::seal("red car", &key, mark).unwrap();
        let share = |index: u8, value: u8| format!("{label}:{index}:{}", hex(&[value; 32]));
        let all = [share(1, 4), share(2, 1), share(3, 2)];
        assert_eq!(opens(&all), ["red car"]);
        assert_eq!(opens(&[all[2].clone(), all[0].clone()]), ["red car"]);
        let alone = open(&strings(&all[1..2])).unwrap();
        assert_eq!((alone.text_of, alone.most_unopened), (vec![None], Some((1, 0))));
    }

    #[test]
    fn what_is_no_share_is_refused() {
        let mut rng = Rng::seeded(2);
        let mark = Mark::draw(&mut rng);
        let shares = shares_of("red car", 3, 2, mark, &mut rng).unwrap();
        let [label, index, values] = [0, 1, 2].map(|at| shares[0].split(':').nth(at).unwrap().to_owned());
        assert_eq!(Share::parse(&shares[0]).unwrap().index.to_string(), index);
        for wrong in [
            String::new(),
            "red car".to_owned(),
            format!("{label}:{index}"),
            format!("{label}:{index}:{values}:"),
            format!("{label}:0:{values}"),
            format!("{label}:256:{values}"),
            format!("{label}:0{index}:{values}"),
            format!("{label}:+{index}:{values}"),
            format!("{label}:{index}:{}", values.to_uppercase() + "AB"),
            format!("{label}:{index}:{}", &values[2..]),
            format!("{}:{index}:{values}", &label[2..]),
            format!(" {label}:{index}:{values}"),
        ] {
            let all = strings(&[shares[1].clone(), wrong.clone()]);
            assert_eq!(open(&all), Err(Trouble::NoShare(1)), "{wrong}");
        }
        let other = shares_of("red car", 3, 2, Mark::draw(&mut rng), &mut rng).unwrap();
        assert_eq!(open(&strings(&[shares[0].clone(), other[0].clone()])), Err(Trouble::OtherRelease(1)));
        let changed = format!("{label}:{index}:{}", hex(&[9; 32]));
        let error = open(&strings(&[shares[0].clone(), shares[1].clone(), changed])).unwrap_err();
        assert_eq!((error, error.text()), (Trouble::Contradicts(2), 2));
    }

    #[test]
    fn more_persons_than_indices_share_them() {
        let mut rng = Rng::seeded(3);
        let shares = shares_of("weather", 700, 5, Mark::draw(&mut rng), &mut rng).unwrap();
        assert_eq!((shares.len(), opens(&shares)), (700, vec!["weather".to_owned()]));
        let mut different = shares.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), MOST_SHARES);
        assert!(opens(&different[..4]).is_empty());
    }

    proptest! {
        #[test]
        fn exactly_what_enough_persons_said_opens(
            persons in prop::collection::vec(1..8usize, 1..6),
            threshold in 2..6usize,
            seed in any::<u64>(),
        ) {
            let mut rng = Rng::seeded(seed);
            let mark = Mark::draw(&mut rng);
            let mut all = Vec::new();
            for (number, &count) in persons.iter().enumerate() {
                all.extend(shares_of(&format!("text {number}"), count, threshold, mark, &mut rng).unwrap());
            }
            rng.shuffle(&mut all);
            let enough = |least: usize| -> Vec<String> {
                persons.iter().enumerate().filter(|(_, count)| **count >= least).map(|(at, _)| format!("text {at}")).collect()
            };
            prop_assert_eq!(opens(&all), enough(threshold));
            // Without one share of each text: what one more person must have said.
            let mut seen = std::collections::BTreeSet::new();
            all.retain(|share| !seen.insert(share.split(':').next().unwrap().to_owned()));
            prop_assert_eq!(opens(&all), enough(threshold + 1));
        }
    }
}
