//! Pieces of any partition of the persons are those of the whole, and what they decide is what the whole decides.

use proptest::prelude::*;

use super::*;
use crate::aggregate::content;
use crate::data::{Clusters, QueryLog, QueryLogBuilder, Strings};
use crate::models::content_threshold::{self, ContentThreshold, Said};
use crate::models::digests::{DigestKey, Digests};
use crate::models::{ModelWithOriginal as _, content_threshold::Accounts};
use crate::partition::blocks::{Cuts, Drawn, Limits};
use crate::progress::Silent;
use crate::rng::Rng;

/// Person, query, time, whether it was a click.
type Row = (usize, String, i64, bool);

const NAMES: [&str; 7] = ["ann", "bob", "cid", "dan", "eve", "fay", "12345678"];
const KEY: Key = Key(*b"a key of sixteen");

fn log(rows: &[Row], is_of: impl Fn(usize) -> bool) -> QueryLog {
    let mut builder = QueryLogBuilder::new();
    for (person, query, time, click) in rows.iter().filter(|row| is_of(row.0)) {
        let url = format!("http://www.{}.com/{time}", &query[..1]);
        builder.push(NAMES[*person], query, *time, click.then_some(1), click.then_some(url.as_str()));
    }
    builder.finish()
}

fn lines(log: &QueryLog) -> Vec<String> {
    let of = |person: usize| {
        log.lines(person).map(move |line| {
            let url = line.url.map(|url| log.urls().get(url));
            let name = log.names().get(person as u32);
            format!("{name} {} {:?} {:?} {}", log.queries().get(line.query), line.rank, url, line.time)
        })
    };
    let mut lines: Vec<String> = (0..log.persons()).flat_map(of).collect();
    lines.sort();
    lines
}

/// One piece of all parts, put together in an order, after a journey as bytes.
fn whole<P: Piece>(parts: &[QueryLog], turn: bool, of: impl Fn(&QueryLog) -> P) -> P {
    let travelled = |part: &QueryLog| P::from_bytes(&of(part).to_bytes().unwrap()).unwrap();
    let pieces: Vec<P> =
        if turn { parts.iter().rev().map(travelled).collect() } else { parts.iter().map(travelled).collect() };
    pieces.into_iter().reduce(Piece::merge).unwrap()
}

/// Everything that may be published, found out by rounds over parts.
fn decided(parts: &[QueryLog], least: usize, turn: bool) -> Decided {
    let apart = |part: &QueryLog| Clusters::apart(part.persons());
    let words = whole(parts, turn, |part| count_words(part, &apart(part), &KEY));
    let sites = whole(parts, turn, |part| count_sites(part, &apart(part), &KEY));
    let mut decided = Decided::new(KEY, least, words, sites);
    loop {
        let next = whole(parts, turn, |part| candidates(part, &decided));
        let counts = whole(parts, turn, |part| count_sets(part, &apart(part), &decided, &next));
        if !decided.decide(counts) {
            break;
        }
    }
    let published = whole(parts, turn, |part| published(part, &decided));
    decided.settle(whole(parts, turn, |part| count_orders(part, &apart(part), &decided, &published)));
    Decided::from_bytes(&decided.to_bytes().unwrap()).unwrap()
}

proptest! {
    #[test]
    fn any_partition_gives_the_whole(
        rows in prop::collection::vec((0..7usize, "[abcdtheA]{1,2}([ -]{1,2}[abcdtheB]{1,3}){0,4}", 0..9_000_000i64, any::<bool>()), 1..40),
        part_of in prop::collection::vec(0..3usize, 7),
        least in 2..5usize,
        turn in any::<bool>(),
    ) {
        let all = log(&rows, |_| true);
        let parts = [0, 1, 2].map(|part| log(&rows, |person| part_of[person] == part));
        let scales = whole(&parts, turn, Scales::of);
        prop_assert_eq!(&scales, &Scales::of(&all));
        prop_assert_eq!((scales.persons() as usize, scales.rows() as usize), (all.persons(), all.rows()));
        prop_assert_eq!(scales.of_users(), crate::distance::user_distance::Scales::of(&all));

        let decided = decided(&parts, least, turn);
        let cut_parts: Vec<String> = {
            let mut lines: Vec<String> = parts.iter().flat_map(|part| lines(&cut(part, &decided).log)).collect();
            lines.sort();
            lines
        };
        let clusters = Clusters::apart(all.persons());
        let local = content::cut(&all, least, &clusters, &Silent);
        prop_assert_eq!(&cut_parts, &lines(&local.log));
        let here = cut(&all, &decided);
        prop_assert_eq!((here.rows_dropped, here.strings_cut), (local.rows_dropped, local.strings_cut));

        // What is left holds for the model, and for its parts just so; and what was written does not.
        for release in [&local.log, &all] {
            let (queries, urls): (&Strings, &Strings) = (release.queries(), release.urls());
            let fewest = whole(&parts, turn, |part| Said::of(part, queries, urls)).fewest(queries);
            let params = content_threshold::Params { min_persons: least, accounts: Accounts::Apart, shares: false };
            let verdict = ContentThreshold::new(params).unwrap().check(&all, release).unwrap();
            // The model judges lines, the parts strings: those of a log that was cut may have no line any more.
            if std::ptr::eq(release, &all) {
                prop_assert_eq!(u64::from(fewest), verdict.achieved["min-persons"].as_u64().unwrap());
            }
        }

        let key = DigestKey::new(&mut Rng::seeded(1));
        let tally = whole(&parts, turn, |part| Tally::of(&Digests::of(part, &key)));
        let one = Tally::of(&Digests::of(&all, &key));
        let (found, expected) = (tally.verdict(), one.verdict());
        prop_assert_eq!((found.persons, found.rows, found.k, &found.sizes), (expected.persons, expected.rows, expected.k, &expected.sizes));
    }

    #[test]
    fn leaves_become_blocks_of_enough(counts in prop::collection::vec(0..9u64, 1..30), least in 1..20usize) {
        let mut leaves = Leaves::none(counts.len());
        for (leaf, &count) in (0..).zip(&counts) {
            (0..count).for_each(|_| leaves.add(leaf, 2));
        }
        let block_of = leaves.blocks(least);
        prop_assert!(block_of.windows(2).all(|pair| pair[0] == pair[1] || pair[0] + 1 == pair[1]));
        let rows = leaves.rows_of_blocks(&block_of);
        let all: u64 = counts.iter().sum();
        prop_assert_eq!(rows.iter().sum::<u64>(), 2 * all);
        prop_assert!(rows.iter().all(|&rows| rows >= 2 * (least as u64).min(all)));
    }
}

#[test]
fn cuts_travel_and_are_the_same_everywhere() {
    let sketches: Vec<Sketch> = (0..200u32)
        .map(|at| Sketch { person: u128::from(at), coordinates: vec![(at % 3, 1.0), (3, at as f32 / 200.0)], work: 1 })
        .collect();
    let sketches = Vec::<Sketch>::from_bytes(&sketches.to_bytes().unwrap()).unwrap();
    let drawn = Drawn::of_sketches(sketches.iter().map(|sketch| (sketch.coordinates.as_slice(), sketch.work)), 4);
    let cuts = Cuts::learn(&drawn, 10.0, Limits { least: 15, most: 300, work: u64::MAX }, &Silent);
    assert!(cuts.leaves() > 3);
    let read: Cuts = serde_json::from_slice(&serde_json::to_vec(&cuts).unwrap()).unwrap();
    for sketch in &sketches {
        assert_eq!(read.leaf_of_sketch(&sketch.coordinates), cuts.leaf_of_sketch(&sketch.coordinates));
    }
}

#[test]
fn pseudonyms_have_one_width_that_no_id_has() {
    let digits = [8, 38].into();
    let width = free_width(&digits).unwrap();
    assert_eq!(width, 37);
    let drawn: Vec<String> = NAMES.iter().map(|name| pseudonym(&KEY, name, width)).collect();
    assert!(drawn.iter().all(|name| name.len() == width && !name.starts_with('0')));
    assert_eq!(drawn.iter().collect::<std::collections::BTreeSet<_>>().len(), NAMES.len());
    assert_ne!(pseudonym(&Key([0; 16]), "ann", width), drawn[0]);
    assert!(free_width(&(1..40).collect()).is_err());
}

#[test]
fn a_file_whose_persons_are_in_another_too_is_seen() {
    let digests = |names: [&str; 2]| {
        let mut digests = Digests::new();
        names.iter().for_each(|name| digests.add(name, 7, 1));
        digests
    };
    let apart = Tally::of(&digests(["c", "d"])).merge(Tally::of(&digests(["a", "b"])));
    assert!(apart.verdict().is_in_order && apart.verdict().k == 4);
    let twice = Tally::of(&digests(["b", "d"])).merge(Tally::of(&digests(["a", "b"])));
    assert!(!twice.verdict().is_in_order);
}

#[test]
fn another_piece_or_version_is_an_error() {
    let bytes = Scales::default().to_bytes().unwrap();
    assert!(Scales::from_bytes(&bytes).is_ok() && Counts::from_bytes(&bytes).is_err());
    let newer = String::from_utf8(bytes).unwrap().replace("\"format\":1", "\"format\":2");
    assert!(Scales::from_bytes(newer.as_bytes()).unwrap_err().to_string().contains("another than `scales`"));
}
