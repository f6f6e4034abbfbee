//! Looking through a data set, and taking out of its records what finders found: after the method, before anything is published.
//!
//! Paper      Ours.
//! Promises   no text of the records has a hit of a masked sort, but for those that enough persons have.
//! Does not   find what has no form; see `finders/mod.rs`.
//!
//! # Idea
//! 1. Every different text is looked at once; rows and persons are counted by the texts that they have.
//! 2. A hit that at least `least` persons of the original have is nobody's (a pharmacy's number), and is left alone, unless its
//!    sort is masked whoever has it. Accounts that are likely one human's count once.
//! 3. Records are changed text by text, so that equal records stay equal. What a text becomes is in [`super::mask`].
//! 4. Where texts have a threshold of their own they are in normal form, in the order that most persons have, and have lost their
//!    marks: what is published is held against the words of the hits of the original, too ([`super::traces`]). What is left of a text is
//!    kept if it is one word, or a text that is published anyway; a URL that loses a part goes as a whole; a path becomes the pattern
//!    that covers it, which is no less shared.
//! 5. A share whose text opens and has something that must go is left out.
//!
//! # Cost
//! One look at each different text, and one pass over the rows. Memory 2 bytes a text and about 60 a hit.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::mask::{Form, Masked};
use super::traces::{Traces, words_of};
use super::{COUNT, Finders, Hit, Scratch, Scrub};
use crate::data::content::{Content, Field, Replaced};
use crate::data::queries::MISSING;
use crate::data::visits::pattern;
use crate::data::{Interner, Strings};
use crate::text::{has_content_word, written_words};

/// So many persons, at least, make a hit nobody's own.
pub const LEAST_PERSONS: usize = 3;

/// What was found in a data set.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// For each finder how many rows have a hit.
    pub rows: [u64; COUNT],
    /// For each finder how many persons have one.
    pub persons: [u64; COUNT],
    /// The finder and the key of each different hit.
    hits: Vec<(usize, String)>,
    /// Which person has which hit, each once, in order.
    holders: Vec<(u32, u32)>,
    /// Where every hit is: the field, the text, the place; in order.
    places: Vec<(usize, u32, Hit)>,
}

/// The hits of the texts of a field.
struct Marks {
    /// For each text the finders that have a hit, a bit each.
    bits: Vec<u16>,
}

/// The texts of a field, as anybody can read them.
struct Readable<'a> {
    texts: &'a Strings,
    /// What they open to, where they are shares.
    opened: &'a [Option<String>],
}

impl Readable<'_> {
    fn len(&self) -> usize {
        self.texts.len()
    }

    fn get(&self, text: u32) -> &str {
        self.opened(text).unwrap_or_else(|| self.texts.get(text))
    }

    fn opened(&self, text: u32) -> Option<&str> {
        self.opened.get(text as usize).and_then(Option::as_deref)
    }
}

fn marks_of(texts: &Readable<'_>, finders: &Finders, mut each: impl FnMut(u32, &str, &Hit)) -> Marks {
    let mut bits = vec![0u16; texts.len()];
    let found: Vec<(u32, Vec<Hit>)> = (0..texts.len() as u32)
        .into_par_iter()
        .map_init(
            || (Scratch::default(), Vec::new()),
            |(scratch, hits), text| {
                finders.find(texts.get(text), scratch, hits);
                (!hits.is_empty()).then(|| (text, hits.clone()))
            },
        )
        .flatten()
        .collect();
    for (text, hits) in &found {
        for hit in hits {
            bits[*text as usize] |= 1 << hit.finder;
            each(*text, texts.get(*text), hit);
        }
    }
    Marks { bits }
}

fn add(counts: &mut [u64; COUNT], bits: u16, times: u64) {
    for (finder, count) in counts.iter_mut().enumerate() {
        *count += times * u64::from(bits >> finder & 1);
    }
}

/// Looks through a data set.
pub fn look<D: Content>(data: &D, finders: &Finders) -> Found {
    let mut found = Found::default();
    let mut numbers: BTreeMap<(usize, String), u32> = BTreeMap::new();
    let (mut marks, mut hits_of) = (Vec::new(), Vec::new());
    for (at, field) in data.fields().iter().enumerate() {
        let mut own: Vec<(u32, u32)> = Vec::new();
        let texts = Readable { texts: field.texts, opened: &[] };
        marks.push(marks_of(&texts, finders, |text, whole, hit| {
            found.places.push((at, text, *hit));
            let next = numbers.len() as u32;
            let key = (hit.finder, hit.key(whole));
            let number = *numbers.entry(key.clone()).or_insert_with(|| {
                found.hits.push(key);
                next
            });
            own.push((text, number));
        }));
        hits_of.push(own);
    }
    for person in 0..data.persons() {
        let mut whole = 0;
        for row in data.texts_of_rows(person) {
            let mut bits = 0;
            for ((field, marks), &text) in marks.iter().enumerate().zip(row.as_ref()) {
                if text == MISSING || marks.bits[text as usize] == 0 {
                    continue;
                }
                bits |= marks.bits[text as usize];
                let own = &hits_of[field];
                let first = own.partition_point(|(other, _)| *other < text);
                let same = own[first..].iter().take_while(|(other, _)| *other == text);
                found.holders.extend(same.map(|&(_, number)| (number, person as u32)));
            }
            add(&mut found.rows, bits, 1);
            whole |= bits;
        }
        add(&mut found.persons, whole, 1);
    }
    found.holders.sort_unstable();
    found.holders.dedup();
    found
}

impl Found {
    /// The hits that at least so many persons have; accounts that are likely one human's are asked for if that could matter.
    fn shared<D: Content>(&self, data: &D, least: usize) -> BTreeSet<(usize, String)> {
        let same = |left: &(u32, u32), right: &(u32, u32)| left.0 == right.0;
        let often: Vec<&[(u32, u32)]> = self.holders.chunk_by(same).filter(|holders| holders.len() >= least).collect();
        if often.is_empty() {
            return BTreeSet::new();
        }
        let first_of = data.likely_one();
        let is_shared = |holders: &&&[(u32, u32)]| {
            let mut humans: Vec<u32> = holders.iter().map(|&(_, person)| first_of[person as usize]).collect();
            humans.sort_unstable();
            humans.dedup();
            humans.len() >= least
        };
        often.iter().filter(is_shared).map(|holders| self.hits[holders[0].0 as usize].clone()).collect()
    }
}

/// What must leave a release.
#[derive(Debug)]
pub struct Rule {
    modes: [Scrub; COUNT],
    shared: BTreeSet<(usize, String)>,
    even_if_shared: bool,
    /// Whether texts have a threshold of their own.
    has_threshold: bool,
    /// With a threshold, what hits of the original are without their marks: the finder, and whether it must go.
    traces: Traces,
}

/// A trace's number: its finder, and whether it must go.
fn as_number(finder: usize, goes: bool) -> u32 {
    (finder as u32) << 1 | u32::from(goes)
}

fn of_number(number: u32) -> (usize, bool) {
    ((number >> 1) as usize, number & 1 == 1)
}

impl Rule {
    /// The rule for an original in which something was found. With a threshold of `min_persons` on what is published, a hit is
    /// nobody's own from as many persons on, and at least from [`LEAST_PERSONS`].
    pub fn new<D: Content>(
        original: &D,
        found: &Found,
        modes: [Scrub; COUNT],
        min_persons: usize,
        even_if_shared: bool,
    ) -> Self {
        let least = min_persons.max(LEAST_PERSONS);
        let shared = if even_if_shared { BTreeSet::new() } else { found.shared(original, least) };
        let mut rule =
            Self { modes, shared, even_if_shared, has_threshold: min_persons > 1, traces: Traces::default() };
        if rule.has_threshold {
            let fields = original.fields();
            let same = |left: &(usize, u32, Hit), right: &(usize, u32, Hit)| (left.0, left.1) == (right.0, right.1);
            for hits in found.places.chunk_by(same) {
                let field = &fields[hits[0].0];
                if field.form == Form::Words {
                    let text = field.texts.get(hits[0].1);
                    let own = |(_, _, hit): &(usize, u32, Hit)| {
                        (words_of(hit, text), as_number(hit.finder, rule.must_go(hit, text)))
                    };
                    let hits: Vec<(Vec<String>, u32)> = hits.iter().map(own).collect();
                    rule.traces.add(text, hits.iter().map(|(words, number)| (words.as_slice(), *number)));
                }
            }
        }
        rule
    }

    /// The finders whose hits a text shows without their marks, a bit each; and of those, the ones that must go.
    fn traced(&self, text: &str) -> (u16, u16) {
        let (mut shown, mut go) = (0, 0);
        self.traces.of(text, |number, _| {
            let (finder, goes) = of_number(number);
            shown |= 1 << finder;
            go |= u16::from(goes) << finder;
        });
        (shown, go)
    }

    /// Whether texts were held against words of the original that have lost their marks.
    pub fn has_threshold(&self) -> bool {
        self.has_threshold
    }

    /// A text without what must leave it, be it with its marks or without. Nothing if nothing must.
    pub fn mask(&self, finders: &Finders, text: &str, form: Form, scratch: &mut Scratch) -> Option<Masked> {
        let (mut left, mut bits) = (text.to_owned(), 0);
        loop {
            let before = left.len();
            if let Some(masked) = finders.mask(&left, form, |hit, text| self.must_go(hit, text), scratch) {
                bits |= masked.finders;
                match masked.text {
                    Some(text) => left = text,
                    None => return Some(Masked { text: None, finders: bits }),
                }
            }
            let mut gone: Vec<u32> = Vec::new();
            if form == Form::Words {
                self.traces.of(&left, |number, words| {
                    let (finder, goes) = of_number(number);
                    if goes {
                        bits |= 1 << finder;
                        gone.extend(words);
                    }
                });
            }
            if !gone.is_empty() {
                match self.traces.without(&left, &gone) {
                    Some(text) => left = text,
                    None => return Some(Masked { text: None, finders: bits }),
                }
            } else if left.len() == before {
                break;
            }
        }
        (bits != 0).then_some(Masked { text: Some(left), finders: bits })
    }

    /// Adds to the hits of the texts of a field what they show without marks; says which of them must lose something.
    fn add_traces(&self, texts: &Readable<'_>, form: Form, marks: &mut Marks, mut must_go: impl FnMut(u32)) {
        if self.traces.is_empty() || form != Form::Words {
            return;
        }
        let traced: Vec<(u16, u16)> =
            (0..texts.len() as u32).into_par_iter().map(|text| self.traced(texts.get(text))).collect();
        for (text, ((shown, go), bits)) in (0u32..).zip(traced.into_iter().zip(&mut marks.bits)) {
            *bits |= shown;
            if go != 0 {
                must_go(text);
            }
        }
    }

    /// Whether a hit in a text must leave it.
    pub fn must_go(&self, hit: &Hit, text: &str) -> bool {
        self.modes[hit.finder] == Scrub::Mask
            && (self.even_if_shared
                || hit.finder().even_if_shared
                || !self.shared.contains(&(hit.finder, hit.key(text))))
    }
}

/// Records without what must leave them, and what was counted.
#[derive(Debug)]
pub struct Scrubbed<D> {
    /// The records; nothing if none changed.
    pub records: Option<D>,
    /// For each finder how many rows had a hit after the method.
    pub after_method: [u64; COUNT],
    /// Of those, from how many something was taken.
    pub masked: [u64; COUNT],
    /// How many rows have a hit now.
    pub left: [u64; COUNT],
    /// From how many rows something was taken, whatever it was.
    pub rows_masked: u64,
    /// How many of those are gone, because nothing was left of them.
    pub rows_emptied: u64,
}

/// Takes out of records, each of which so many persons have, what must leave them.
pub fn scrub<D: Content>(records: &D, persons_of: &[u32], finders: &Finders, rule: &Rule) -> Scrubbed<D> {
    let (mut before, mut after, mut masked, mut replaced) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut has_changed = false;
    let opened = records.opened_texts();
    for (at, field) in records.fields().into_iter().enumerate() {
        let texts = Readable { texts: field.texts, opened: if at == 0 { &opened } else { &[] } };
        let mut is_hit = vec![false; texts.len()];
        let mut marks = marks_of(&texts, finders, |text, whole, hit| {
            is_hit[text as usize] |= rule.must_go(hit, whole);
        });
        rule.add_traces(&texts, field.form, &mut marks, |text| is_hit[text as usize] = true);
        let own = Texts::of(&field, &texts, finders, rule, &is_hit);
        has_changed |= own.replaced.is_changed.contains(&true);
        // What is left of a text may have hits that may stay.
        let opened: Vec<Option<String>> = own.kept.iter().map(|&text| texts.opened(text).map(str::to_owned)).collect();
        let texts = Readable { texts: &own.replaced.texts, opened: &opened };
        let mut left = marks_of(&texts, finders, |_, _, _| {});
        rule.add_traces(&texts, field.form, &mut left, |_| {});
        let number_of = &own.replaced.number_of;
        after.push(
            number_of
                .iter()
                .map(|&text| if text == MISSING { 0 } else { left.bits[text as usize] })
                .collect::<Vec<_>>(),
        );
        before.push(marks.bits);
        masked.push(own.masked);
        replaced.push(own.replaced);
    }
    let mut scrubbed = Scrubbed {
        records: None,
        after_method: [0; COUNT],
        masked: [0; COUNT],
        left: [0; COUNT],
        rows_masked: 0,
        rows_emptied: 0,
    };
    for (person, &times) in persons_of.iter().enumerate().take(records.persons()) {
        let times = u64::from(times);
        for row in records.texts_of_rows(person) {
            let row = row.as_ref();
            let bits = |of: &[Vec<u16>]| {
                let fields = of.iter().zip(row).filter(|(_, text)| **text != MISSING);
                fields.fold(0, |bits, (field, &text)| bits | field[text as usize])
            };
            add(&mut scrubbed.after_method, bits(&before), times);
            add(&mut scrubbed.masked, bits(&masked), times);
            scrubbed.rows_masked += if bits(&masked) == 0 { 0 } else { times };
            if D::ROWS_CAN_GO && replaced[0].number_of[row[0] as usize] == MISSING {
                scrubbed.rows_emptied += times;
            } else {
                add(&mut scrubbed.left, bits(&after), times);
            }
        }
    }
    scrubbed.records = has_changed.then(|| records.with_texts(replaced));
    scrubbed
}

/// The texts of a field after what must leave them left.
struct Texts {
    replaced: Replaced,
    /// For each text that there was the finders whose hits left, a bit each.
    masked: Vec<u16>,
    /// Of the texts that there are now, those that stayed as they were, which come first: their numbers before.
    kept: Vec<u32>,
}

impl Texts {
    fn of(field: &Field<'_>, readable: &Readable<'_>, finders: &Finders, rule: &Rule, is_hit: &[bool]) -> Self {
        let (texts, mut scratch) = (field.texts, Scratch::default());
        let mut own = Self {
            replaced: Replaced {
                texts: Default::default(),
                number_of: Vec::with_capacity(texts.len()),
                is_changed: is_hit.to_vec(),
            },
            masked: vec![0; texts.len()],
            kept: (0u32..).zip(is_hit).filter(|(_, hit)| !**hit).map(|(text, _)| text).collect(),
        };
        let mut now = Interner::new();
        // Texts that stay come first: what is left of others may be one of them.
        own.replaced.number_of =
            (0u32..).zip(is_hit).map(|(text, &hit)| if hit { MISSING } else { now.intern(texts.get(text)) }).collect();
        for (text, _) in (0u32..).zip(is_hit).filter(|(_, hit)| **hit) {
            let Some(masked) = rule.mask(finders, readable.get(text), field.form, &mut scratch) else { continue };
            own.masked[text as usize] = masked.finders;
            if readable.opened(text).is_some() {
                // Nobody can take a word out of a sealed text.
                continue;
            }
            let is_fit = |left: &String| {
                let is_normal =
                    || field.form == Form::Words && (now.find(left).is_some() || written_words(left).nth(1).is_none());
                let is_wider = || field.form == Form::Path && pattern::covers(left, readable.get(text));
                !rule.has_threshold || is_wider() || is_normal() && has_content_word(left)
            };
            if let Some(left) = masked.text.filter(is_fit) {
                own.replaced.number_of[text as usize] = now.intern(&left);
            }
        }
        own.replaced.texts = now.into_strings();
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{QueryLog, QueryLogBuilder};
    use crate::finders::left::left;
    use crate::finders::{FINDERS, number, tests::finders};
    use crate::methods::Method as _;
    use crate::methods::queries::query_threshold;
    use crate::{Rng, shares};

    fn log(rows: &[(&str, &str, Option<&str>)]) -> QueryLog {
        let mut builder = QueryLogBuilder::new();
        for (second, &(person, query, url)) in (0..).zip(rows) {
            builder.push(person, query, second * 1000, url.map(|_| 1), url);
        }
        builder.finish()
    }

    fn lines(log: &QueryLog) -> Vec<String> {
        let line = |person: usize| {
            log.lines(person).map(|line| {
                format!("{} {}", log.queries().get(line.query), line.url.map_or("-", |url| log.urls().get(url)))
            })
        };
        (0..log.persons()).flat_map(line).collect()
    }

    fn usual() -> [Scrub; COUNT] {
        FINDERS.map(|finder| finder.usual)
    }

    #[test]
    fn what_one_person_has_goes_and_what_three_have_stays() {
        let log = log(&[
            ("ann", "mail ann@x.example now", Some("http://x.example/?m=ann%40x.example")),
            ("ann", "ann@x.example", None),
            ("ann", "shop info@shop.example", None),
            ("bob", "info@shop.example", None),
            ("cid", "INFO@shop.example opening hours", None),
            ("ann", "ssn 123-45-6789", None),
            ("bob", "ssn 123-45-6789", None),
            ("cid", "ssn 123-45-6789", None),
            ("dan", "call 555-123-4567", None),
        ]);
        let found = look(&log, &finders());
        let of = |name: &str| number(name).unwrap();
        assert_eq!((found.rows[of("email")], found.persons[of("email")]), (5, 3));
        assert_eq!((found.rows[of("ssn")], found.persons[of("ssn")], found.rows[of("phone")]), (3, 3, 1));
        let rule = Rule::new(&log, &found, usual(), 1, false);
        let scrubbed = scrub(&log, &[1; 4], &finders(), &rule);
        assert_eq!(
            lines(&scrubbed.records.unwrap()),
            [
                "mail now http://x.example/?m=*",
                "shop info@shop.example -",
                "ssn -",
                "info@shop.example -",
                "ssn -",
                "INFO@shop.example opening hours -",
                "ssn -",
                "call 555-123-4567 -",
            ]
        );
        let email = of("email");
        assert_eq!((scrubbed.after_method[email], scrubbed.masked[email], scrubbed.left[email]), (5, 2, 3));
        assert_eq!((scrubbed.masked[of("ssn")], scrubbed.left[of("phone")], scrubbed.rows_emptied), (3, 1, 1));
        // All the same, if that is asked for.
        let rule = Rule::new(&log, &found, [Scrub::Mask; COUNT], 1, true);
        let scrubbed = scrub(&log, &[2, 1, 1, 1], &finders(), &rule);
        assert_eq!((scrubbed.left, scrubbed.masked[email], scrubbed.rows_emptied), ([0; COUNT], 8, 3));
    }

    #[test]
    fn a_threshold_of_more_persons_needs_as_many() {
        let rows =
            [("ann", "x@shop.example a", None), ("bob", "x@shop.example b", None), ("cid", "x@shop.example c", None)];
        let log = log(&rows);
        let found = look(&log, &finders());
        for (min_persons, stays) in [(1, true), (3, true), (4, false)] {
            let rule = Rule::new(&log, &found, usual(), min_persons, false);
            assert_eq!(scrub(&log, &[1; 3], &finders(), &rule).records.is_none(), stays, "{min_persons}");
        }
    }

    #[test]
    fn under_a_threshold_nothing_is_left_that_is_not_in_normal_form() {
        let log = log(&[
            ("a", "red car 123 45 6789", Some("10.0.0.1")),
            ("b", "car 123 45 6789", None),
            ("c", "the 123 45 6789", None),
        ]);
        let rule = Rule::new(&log, &look(&log, &finders()), usual(), 2, false);
        let scrubbed = scrub(&log, &[1; 3], &finders(), &rule);
        assert_eq!(lines(&scrubbed.records.unwrap()), ["car -"]);
        assert_eq!(scrubbed.rows_emptied, 2);
    }

    /// What an original says with its marks is known in words that lost them; and counted in the same way by other code.
    #[test]
    fn what_lost_its_marks_is_known_by_the_original() {
        let original = log(&[
            ("a", "mail ann.berg@x.example", None),
            ("b", "mail Ann.Berg@x.example now", None),
            ("c", "shop info@shop.example", None),
            ("d", "info@shop.example", None),
            ("e", "info@shop.example", None),
            ("f", "key 550e8400-e29b-41d4-a716-446655440000", None),
            ("g", "key 550e8400-e29b-41d4-a716-446655440000", None),
            ("h", "key 550e8400-e29b-41d4-a716-446655440000", None),
            ("i", "ping 10.20.30.40", None),
            ("j", "route 10 20 30 40 north", None),
        ]);
        let records = log(&[
            ("1", "mail ann berg x example", None),
            ("1", "mail", None),
            ("1", "info shop example", None),
            ("2", "key 550e8400 e29b 41d4 a716 446655440000", None),
            ("2", "10 20 30 40", None),
            ("2", "10 20 30 40 north", None),
            ("2", "ann berg", None),
        ]);
        let found = look(&original, &finders());
        let rule = Rule::new(&original, &found, usual(), 2, false);
        let scrubbed = scrub(&records, &[2, 3], &finders(), &rule);
        let cleaned = scrubbed.records.unwrap();
        assert_eq!(
            lines(&cleaned),
            ["mail -", "mail -", "info shop example -", "key -", "10 20 30 40 north -", "ann berg -"]
        );
        let of = |name: &str| number(name).unwrap();
        let counts = |name: &str| {
            let finder = of(name);
            (scrubbed.after_method[finder], scrubbed.masked[finder], scrubbed.left[finder])
        };
        assert_eq!((counts("email"), counts("token"), counts("ip")), ((4, 2, 2), (3, 3, 0), (3, 3, 0)));
        let must_go = |hit: &Hit, text: &str| rule.must_go(hit, text);
        let before = left(&records, Some(&original), &finders(), must_go);
        let after = left(&cleaned, Some(&original), &finders(), must_go);
        assert_eq!((before.rows[of("email")], before.must_go[of("email")]), (2, 1));
        assert_eq!((before.must_go[of("token")], before.must_go[of("ip")]), (1, 1));
        assert_eq!((after.rows[of("email")], after.must_go), (1, [0; COUNT]));
        // Nobody knows without the original.
        assert_eq!(left(&records, None, &finders(), must_go).rows[of("email")], 0);
        // What many have goes, too, if that is asked for.
        let rule = Rule::new(&original, &found, usual(), 2, true);
        assert_eq!(scrub(&records, &[2, 3], &finders(), &rule).left[of("email")], 0);
    }

    #[test]
    fn what_is_sealed_and_opens_is_looked_at() {
        let rows: Vec<(String, &str)> = (0..4)
            .map(|person| (format!("p{person}"), "card 4111 1111 1111 1111"))
            .chain((4..8).map(|person| (format!("p{person}"), "mail info@shop.example")))
            .chain((0..8).map(|person| (format!("p{person}"), "red car")))
            .collect();
        let rows: Vec<(&str, &str, Option<&str>)> =
            rows.iter().map(|(person, query)| (person.as_str(), *query, None)).collect();
        let original = log(&rows);
        let params = query_threshold::Params { min_persons: Some(3), shares: true, ..Default::default() };
        let method = query_threshold::QueryThreshold::new(params).unwrap();
        let protected = method.protect(&original, &mut Rng::seeded(1), &crate::progress::Silent).unwrap();
        let opens = |records: &QueryLog| {
            let mut texts: Vec<String> =
                shares::open(records.queries()).unwrap().texts.iter().map(str::to_owned).collect();
            texts.sort_unstable();
            texts
        };
        assert_eq!(opens(&protected.records), ["card 4111 1111", "mail info shop example", "red car"]);
        let found = look(&original, &finders());
        let rule = Rule::new(&original, &found, usual(), 3, false);
        let persons_of = vec![1; protected.records.persons()];
        let scrubbed = scrub(&protected.records, &persons_of, &finders(), &rule);
        let (card, email) = (number("card").unwrap(), number("email").unwrap());
        assert_eq!((scrubbed.masked[card], scrubbed.rows_emptied, scrubbed.left[card]), (4, 4, 0));
        assert_eq!(scrubbed.left[email], 4);
        let cleaned = scrubbed.records.unwrap();
        assert_eq!(opens(&cleaned), ["mail info shop example", "red car"]);
        let counted = left(&cleaned, Some(&original), &finders(), |hit, text| rule.must_go(hit, text));
        assert_eq!((counted.rows[email], counted.must_go), (4, [0; COUNT]));
    }
}
