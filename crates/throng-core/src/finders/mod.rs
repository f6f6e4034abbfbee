//! Finders: what in a text names, reaches or unlocks a single person: addresses, numbers, keys. They learn nothing.
//!
//! Paper      Ours; each finder names the standard whose form it looks for.
//! Does not   find what has no form. Names by lists fail: a list of one country finds a fifth of the world's. What protects people
//!            is that a text is published only if several of them share it; finders are the second line.
//!
//! # Idea
//! 1. One pass over the bytes of a text says what is in it ([`Shape`]): how many digits, an `@`, a long run without a blank. Most
//!    finders can be left out after it.
//! 2. Those that are left look at the text, each at its own anchors (the `@`, the groups of digits, …), and check what they found:
//!    check digits, ranges, lengths, what stands before it. A part of a text belongs to the first finder of [`FINDERS`] that has it.
//! 3. Percent-encoding is undone once, and characters that are not seen, or only look like others, are taken for what they look like
//!    ([`look::Folded`]); places are always those of the text as it is.
//!
//! # Cost
//! One pass for most texts; linear in the length of the text for every finder.

mod card;
mod coordinates;
mod email;
mod iban;
mod ip;
pub mod left;
mod look;
pub mod mask;
mod name;
mod passport;
mod phone;
pub mod scrub;
mod ssn;
mod street;
mod token;
pub mod traces;

use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use self::look::{Look, Shape};
pub use self::name::Names;
use crate::info::Info;

/// Every finder, in the order in which a part of a text is theirs.
pub const FINDERS: [&Finder; COUNT] = [
    &token::FINDER,
    &email::FINDER,
    &iban::FINDER,
    &card::FINDER,
    &ssn::FINDER,
    &coordinates::FINDER,
    &ip::FINDER,
    &passport::FINDER,
    &street::FINDER,
    &phone::FINDER,
    &name::FINDER,
];

/// How many finders there are.
pub const COUNT: usize = 11;

/// What becomes of what a finder found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scrub {
    /// Nobody looks.
    Off,
    /// It is counted.
    Report,
    /// It is counted and leaves the text.
    Mask,
}

impl Scrub {
    /// All of them, by the name that they have on the command line.
    pub const ALL: [(&'static str, Self); 3] = [("off", Self::Off), ("report", Self::Report), ("mask", Self::Mask)];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }
}

/// Something that looks for one sort of thing.
#[derive(Debug)]
pub struct Finder {
    /// Its name and what it looks for.
    pub info: Info,
    /// What becomes of what it found, unless somebody says otherwise.
    pub usual: Scrub,
    /// Whether it is masked also where many persons have the same.
    pub even_if_shared: bool,
    /// Whether a text of this shape can hold it.
    may_have: fn(&Shape) -> bool,
    /// Finds it: places in rising order.
    find: fn(&Look<'_>, &mut Vec<Range<usize>>),
}

/// Something that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hit {
    /// Where it begins, in bytes of the text.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Which of [`FINDERS`] found it.
    pub finder: usize,
}

impl Hit {
    /// The sort of finder.
    pub fn finder(&self) -> &'static Finder {
        FINDERS[self.finder]
    }

    /// What two writings of the same thing have in common: letters and digits, in lower case. Of a telephone number its last ten
    /// digits, without an extension.
    pub fn key(&self, text: &str) -> String {
        let found = &text[self.start..self.end];
        if std::ptr::eq(self.finder(), &phone::FINDER) {
            return phone::key(found);
        }
        let decoded = look::Folded::of(found);
        let found = decoded.as_ref().map_or(found, |folded| &folded.text);
        found.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    }
}

/// The number of a finder among [`FINDERS`].
pub fn number(name: &str) -> Option<usize> {
    FINDERS.iter().position(|finder| finder.info.name == name)
}

/// All finders that somebody wants, ready to look.
#[derive(Debug)]
pub struct Finders {
    wanted: [bool; COUNT],
    names: Names,
}

/// What looking at texts needs, to be used again for the next one.
#[derive(Debug, Default)]
pub struct Scratch {
    groups: Vec<look::Group>,
    places: Vec<Range<usize>>,
    new: Vec<Hit>,
}

impl Finders {
    /// The finders that are wanted; the one of names needs a list of them.
    pub fn new(wanted: [bool; COUNT], names: Names) -> Self {
        Self { wanted, names }
    }

    /// Everything in a text that was found: in the order of the text, nothing twice.
    pub fn find(&self, text: &str, scratch: &mut Scratch, hits: &mut Vec<Hit>) {
        hits.clear();
        let shape = Shape::of(text, self.wanted[COUNT - 1] && !self.names.is_empty());
        if shape.is_plain() {
            // Nothing but words: only names can be in it.
            if let Some(place) = shape.may_have_names().then(|| name::first(text, &shape, &self.names)).flatten() {
                self.look(text, &shape, scratch, hits);
                debug_assert!(hits.iter().any(|hit| hit.start <= place), "the first name is found again");
            }
            return;
        }
        if shape.must_be_folded()
            && let Some(folded) = look::Folded::of(text)
        {
            let shape = Shape::of(&folded.text, self.wanted[COUNT - 1]);
            self.look(&folded.text, &shape, scratch, hits);
            for hit in hits.iter_mut() {
                *hit = Hit { start: folded.place(hit.start), end: folded.end(hit.end), finder: hit.finder };
            }
            return;
        }
        self.look(text, &shape, scratch, hits);
    }

    /// The same, plainly: every finder looks, whatever the shape of the text.
    pub fn find_plainly(&self, text: &str) -> Vec<Hit> {
        let (mut scratch, mut hits) = (Scratch::default(), Vec::new());
        let folded = look::Folded::of(text);
        let seen = folded.as_ref().map_or(text, |folded| &folded.text);
        self.look(seen, &Shape::anything(seen), &mut scratch, &mut hits);
        if let Some(folded) = folded {
            let place = |hit: Hit| Hit { start: folded.place(hit.start), end: folded.end(hit.end), ..hit };
            return hits.into_iter().map(place).collect();
        }
        hits
    }

    fn look(&self, text: &str, shape: &Shape, scratch: &mut Scratch, hits: &mut Vec<Hit>) {
        look::groups_of(text, &mut scratch.groups);
        let look = Look { text, shape, groups: &scratch.groups, names: &self.names };
        for (number, finder) in FINDERS.iter().enumerate() {
            if !self.wanted[number] || !(finder.may_have)(shape) {
                continue;
            }
            scratch.places.clear();
            (finder.find)(&look, &mut scratch.places);
            scratch.new.clear();
            let mut last = 0;
            for place in &scratch.places {
                // What another finder has is not this one's.
                let after = hits.partition_point(|hit| hit.end <= place.start);
                let is_free = place.start >= last && hits.get(after).is_none_or(|hit| hit.start >= place.end);
                if is_free && place.start < place.end {
                    scratch.new.push(Hit { start: place.start, end: place.end, finder: number });
                    last = place.end;
                }
            }
            if !scratch.new.is_empty() {
                hits.append(&mut scratch.new);
                hits.sort_unstable();
            }
        }
    }
}

#[cfg(test)]
mod corpus;

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::mask::Form;
    use super::*;

    /// A few names, as the lists have them.
    pub(crate) const NAMES: &str =
        "throng-names 1\nf mary 2629 0\nf john 3271 2\nf may 10 900\nl smith 1006 0\nl jones 621 0\nl white 279 56\n";

    pub(crate) fn finders() -> Finders {
        Finders::new([true; COUNT], Names::read(NAMES).unwrap())
    }

    fn found(text: &str) -> Vec<Hit> {
        let (mut scratch, mut hits) = (Scratch::default(), Vec::new());
        finders().find(text, &mut scratch, &mut hits);
        assert_eq!(hits, finders().find_plainly(text), "quickly and plainly the same: {text}");
        hits
    }

    /// Each text must have this hit of a finder.
    pub(crate) fn assert_finds(finder: &str, cases: &[(&str, &str)]) {
        let number = number(finder).unwrap();
        for (text, wanted) in cases {
            let hits = found(text);
            let own: Vec<&str> =
                hits.iter().filter(|hit| hit.finder == number).map(|hit| &text[hit.start..hit.end]).collect();
            assert!(own.contains(wanted), "{finder} in {text}: {own:?}, not {wanted}");
        }
    }

    /// No text may have a hit of a finder.
    pub(crate) fn assert_none(finder: &str, texts: &[&str]) {
        let number = number(finder).unwrap();
        for text in texts {
            let own: Vec<Hit> = found(text).into_iter().filter(|hit| hit.finder == number).collect();
            assert!(own.is_empty(), "{finder} in {text}: {own:?}");
        }
    }

    #[test]
    fn the_list_is_whole() {
        for (at, finder) in FINDERS.iter().enumerate() {
            assert_eq!(number(finder.info.name), Some(at));
            assert!(!finder.info.details.is_empty() && !finder.info.summary.ends_with('.'), "{}", finder.info.name);
        }
        assert_eq!(FINDERS[COUNT - 1].info.name, "name", "names are the last");
        let masked: Vec<&str> =
            FINDERS.iter().filter(|finder| finder.usual == Scrub::Mask).map(|finder| finder.info.name).collect();
        assert_eq!(masked, ["token", "email", "iban", "card", "ssn", "coordinates", "ip"]);
    }

    #[test]
    fn a_part_of_a_text_is_one_finders() {
        let text = "ann@x.example 4111 1111 1111 1111 123-45-6789 10.0.0.1 mary smith";
        let names: Vec<&str> = found(text).iter().map(|hit| hit.finder().info.name).collect();
        assert_eq!(names, ["email", "card", "ssn", "ip", "name"]);
    }

    #[test]
    fn masked_by_hand() {
        let mask = |text: &str, form: Form| {
            let masked = finders().mask(text, form, |_, _| true, &mut Scratch::default());
            masked.map(|masked| masked.text.unwrap_or_default())
        };
        assert_eq!(mask("red cars", Form::Words), None);
        assert_eq!(mask("write to ann@x.example today", Form::Words).as_deref(), Some("write to today"));
        assert_eq!(mask(" ann@x.example", Form::Words).as_deref(), Some(""));
        assert_eq!(mask("<ann@x.example>", Form::Words).as_deref(), Some(""));
        assert_eq!(
            mask("http://x.example/?to=ann%40x.example&y", Form::Url).as_deref(),
            Some("http://x.example/?to=*&y")
        );
        // What stood apart stands together now, and is found in its turn.
        assert_eq!(mask("123-45 ann@x.example 123 45 6789", Form::Words).as_deref(), Some("123-45"));
        assert_eq!(mask("555 ann@x.example 123 4567", Form::Words).as_deref(), Some(""));
    }

    #[test]
    fn two_writings_have_one_key() {
        let key = |text: &str| found(text)[0].key(text);
        assert_eq!(key("Ann@X.example"), key("ann%40x.example"));
        assert_eq!(key("4111 1111 1111 1111"), key("4111-1111-1111-1111"));
        assert_ne!(key("10.0.0.1"), key("10.0.0.2"));
    }

    /// Texts with much in them that finders look for.
    fn texts() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[a-z]{1,8}",
            "[0-9]{1,4}",
            "[-.+@:=%/() ,x#]{1,2}",
            Just("ann@x.example".to_owned()),
            Just("4111 1111 1111 1111".to_owned()),
            Just("123-45-6789".to_owned()),
            Just("10.0.0.1".to_owned()),
            Just("2001:db8::1".to_owned()),
            Just("%40".to_owned()),
            Just("555-123-4567".to_owned()),
            Just("mary smith".to_owned()),
            Just("\u{fc}\u{ff11}\u{200b}".to_owned()),
            Just(" ".to_owned()),
            Just("token=a8f3k2m9q1z7x5c4".to_owned()),
            Just("GB82 WEST 1234 5698 7654 32".to_owned()),
            Just("12 oak road".to_owned()),
            Just("48.8566,2.3522".to_owned()),
            "\\PC{1,4}",
        ];
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn quickly_and_plainly_the_same(text in texts()) {
            let (mut scratch, mut hits) = (Scratch::default(), Vec::new());
            finders().find(&text, &mut scratch, &mut hits);
            prop_assert_eq!(&hits, &finders().find_plainly(&text));
            for hit in &hits {
                prop_assert!(text.is_char_boundary(hit.start) && text.is_char_boundary(hit.end) && hit.start < hit.end);
            }
            prop_assert!(hits.windows(2).all(|pair| pair[0].end <= pair[1].start));
        }

        #[test]
        fn nothing_of_a_masked_sort_is_left(text in texts(), sorts in 1u16..1 << COUNT, is_url: bool) {
            let finders = finders();
            let form = if is_url { Form::Url } else { Form::Words };
            let must_go = |hit: &Hit, _: &str| sorts >> hit.finder & 1 == 1;
            if let Some(masked) = finders.mask(&text, form, must_go, &mut Scratch::default()) {
                let left = masked.text.unwrap_or_default();
                prop_assert!(!finders.find_plainly(&left).iter().any(|hit| must_go(hit, &left)), "{}", left);
                prop_assert!(masked.finders & sorts != 0 && left.len() < text.len());
            } else {
                prop_assert!(!finders.find_plainly(&text).iter().any(|hit| must_go(hit, &text)));
            }
        }

        #[test]
        fn any_text_is_looked_at_without_a_panic(text in "\\PC{0,80}") {
            finders().find_plainly(&text);
        }
    }
}
