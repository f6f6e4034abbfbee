//! Cutting queries to what several persons say: every string becomes a phrase whose words lie together inside the queries of at
//! least so many persons.
//!
//! Paper      Ours.
//! Promises   whoever reads a line of the cut log reads words that, together, at least so many persons wrote.
//! Does not   hide who is who, nor what several persons have in common; not even a name that so many looked for.
//!
//! # Idea
//! 1. Words are those of the normal form. A word is as rare as few persons have it in a query. The rarest word of a string is left out, the right-most of equally rare
//!    ones first, until what is left lies inside the queries of enough persons.
//! 2. So each string has its words in an order, the commonest first, and is cut to a beginning of it. Beginnings are looked at as
//!    a tree, from short to long: strings that begin alike are worked on together, beside all strings that hold those words.
//! 3. A string of which no content word is left is left out. What is left is published in normal form (`aggregate/normal.rs`): as
//!    most persons have it, so that case, marks, blanks, repeats and order of the one who wrote it are gone.
//! 4. A clicked URL becomes the longest right-most part of its host that enough persons clicked: at least two labels, more than a
//!    public suffix, an IP address as a whole. Where there is none the line keeps no URL, and no rank: nobody sees what was clicked.
//!
//! # Cost
//! Every string is looked at once for each beginning that lies inside it: for queries of a few words a small multiple of all
//! words. Memory about 20 bytes a word of a different string, 24 bytes a string, and 4 bytes for each different string of a person.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::normal::{Lists, Said, issuers, texts_of};
use crate::data::queries::{Columns, MISSING};
use crate::data::{Clusters, Interner, QueryLog, Strings};
use crate::progress::Progress;
use crate::text::stop_words::is_stop_word;
use crate::text::{host, site};

/// A log whose queries were cut.
#[derive(Debug, Clone)]
pub struct CutLog {
    /// The same persons, some maybe without a line, and without what strings mean.
    pub log: QueryLog,
    /// How many lines were left out.
    pub rows_dropped: u64,
    /// How many different strings lost a word.
    pub strings_cut: u64,
    /// For each string of the log its number in the cut one; [`MISSING`] if nothing is left of it.
    pub phrase_of: Vec<u32>,
    /// Whether all words of a string are left.
    pub is_whole: Vec<bool>,
}

/// Cuts every query to a phrase, and every URL to a part of its host, that at least `least` persons share: accounts of one cluster
/// are one person.
pub fn cut(log: &QueryLog, least: usize, clusters: &Clusters, progress: &dyn Progress) -> CutLog {
    if least <= 1 {
        let phrase_of = (0..log.queries().len() as u32).collect();
        let is_whole = vec![true; log.queries().len()];
        return CutLog { log: log.clone(), rows_dropped: 0, strings_cut: 0, phrase_of, is_whole };
    }
    let phrases = cut_queries(log, least, clusters, progress);
    cut_to(log, phrases, cut_urls(log, least, clusters))
}

/// Cuts every query to a phrase, and every URL to a part of its host, as was decided: parts, and for each URL the number of its own or
/// [`MISSING`].
pub(crate) fn cut_to(log: &QueryLog, phrases: Phrases, (urls, url_of): (Strings, Vec<u32>)) -> CutLog {
    let Phrases { texts: queries, of: phrase_of, is_whole } = phrases;
    let strings_cut = phrase_of.iter().zip(&is_whole).filter(|&(&phrase, &whole)| phrase != MISSING && !whole).count();
    let mut columns = Columns { persons: log.names().clone(), queries, urls, starts: vec![0], ..Columns::default() };
    for person in 0..log.persons() {
        for line in log.lines(person) {
            let query = phrase_of[line.query as usize];
            if query != MISSING {
                columns.query.push(query);
                columns.time.extend_from_slice(&[line.time]);
                let url = line.url.map_or(MISSING, |url| url_of[url as usize]);
                let is_lost = line.url.is_some() && url == MISSING;
                columns.rank.push(line.rank.filter(|_| !is_lost).unwrap_or(MISSING));
                columns.url.push(url);
            }
        }
        columns.starts.push(columns.query.len());
    }
    columns.time = columns.time.settled();
    let rows_dropped = (log.rows() - columns.query.len()) as u64;
    CutLog { log: QueryLog::from_columns(columns), rows_dropped, strings_cut: strings_cut as u64, phrase_of, is_whole }
}

/// What is left of the strings of a log.
pub(crate) struct Phrases {
    pub(crate) texts: Strings,
    /// For each string the number of its text, or [`MISSING`].
    pub(crate) of: Vec<u32>,
    /// Whether all words of a string are left.
    pub(crate) is_whole: Vec<bool>,
}

fn cut_queries(log: &QueryLog, least: usize, clusters: &Clusters, progress: &dyn Progress) -> Phrases {
    let said = Said::of(log.queries());
    let issuers = issuers(log, clusters);
    let persons_of_word = persons_of_words(log, &said, clusters);
    let orders = orders(&said, &persons_of_word, least);
    let kept = beginnings(&orders, &issuers, said.vocabulary.len(), log.persons(), least, progress);
    let strings = || 0..kept.len() as u32;
    let is_whole = strings().map(|string| kept[string as usize] as usize == said.words.of(string).len()).collect();
    let sets = Lists::from_iter(strings().map(|string| {
        let mut set = orders.of(string)[..kept[string as usize] as usize].to_vec();
        if issuers.of(string).is_empty() || set.iter().all(|&word| is_stop_word(said.vocabulary.get(word))) {
            set.clear();
        }
        set.sort_unstable();
        set
    }));
    drop(orders);
    progress.stage("normal form", 0);
    let (texts, of) = texts_of(&said, &sets, &issuers);
    Phrases { texts, of, is_whole }
}

/// For each string those of its words that enough persons have, the commonest first and of equally common ones the left-most.
fn orders(said: &Said, persons_of_word: &[u32], least: usize) -> Lists {
    let mut order = Vec::new();
    Lists::from_iter((0..said.words.len() as u32).map(|string| {
        let persons = |word: &u32| persons_of_word[*word as usize];
        order.clear();
        order.extend(said.words.of(string).iter().filter(|word| persons(word) as usize >= least));
        order.sort_by_key(|word| Reverse(persons(word)));
        order.clone()
    }))
}

/// For each word how many persons have it.
fn persons_of_words(log: &QueryLog, said: &Said, clusters: &Clusters) -> Vec<u32> {
    const PARTS: usize = 8;
    let accounts = clusters.in_order();
    // All accounts of a person are in one part.
    let bound = |part: usize| {
        let at = accounts.len() * part / PARTS;
        let is_same = |at: usize| at > 0 && at < accounts.len() && accounts[at - 1].1 == accounts[at].1;
        (at..).find(|&at| !is_same(at)).unwrap_or(at)
    };
    let part = |part: usize| {
        let (mut persons_of_word, mut last) = (vec![0u32; said.vocabulary.len()], vec![MISSING; said.vocabulary.len()]);
        let mut strings: Vec<u32> = Vec::new();
        for &(account, person) in &accounts[bound(part)..bound(part + 1)] {
            strings.clear();
            strings.extend_from_slice(log.query_ids(log.range(account as usize)));
            strings.sort_unstable();
            strings.dedup();
            for &word in strings.iter().flat_map(|&string| said.words.of(string)) {
                if std::mem::replace(&mut last[word as usize], person) != person {
                    persons_of_word[word as usize] += 1;
                }
            }
        }
        persons_of_word
    };
    let sum = |mut all: Vec<u32>, own: Vec<u32>| {
        all.iter_mut().zip(own).for_each(|(all, own)| *all += own);
        all
    };
    (0..PARTS).into_par_iter().map(part).reduce_with(sum).unwrap_or_default()
}

/// For each string how many of its words, in their order, lie together inside the queries of enough persons.
fn beginnings(
    orders: &Lists,
    issuers: &Lists,
    words: usize,
    persons: usize,
    least: usize,
    progress: &dyn Progress,
) -> Vec<u32> {
    let holders = orders.turned(words);
    progress.stage("phrases", words as u64);
    // A string that enough persons issued is inside of itself, and needs no search.
    let is_shared = |string: u32| issuers.of(string).len() >= least;
    let found: Vec<(u32, u32)> = (0..words as u32)
        .into_par_iter()
        .map_init(
            || Search { orders, issuers, least, place: vec![MISSING; words], seen: vec![0; persons], looks: 0 },
            |search, word| {
                let inside = holders.of(word);
                let begins = |&string: &u32| orders.of(string)[0] == word && !is_shared(string);
                let own: Vec<u32> = inside.iter().copied().filter(begins).collect();
                progress.advance(1);
                if own.is_empty() || progress.is_stopped() { Vec::new() } else { search.from(inside, own) }
            },
        )
        .flatten_iter()
        .collect();
    let strings = orders.len() as u32;
    let all = |string: u32| if is_shared(string) { orders.of(string).len() as u32 } else { 0 };
    let mut kept: Vec<u32> = (0..strings).map(all).collect();
    for (string, length) in found {
        kept[string as usize] = length;
    }
    kept
}

/// The search for the longest beginnings.
struct Search<'a> {
    orders: &'a Lists,
    issuers: &'a Lists,
    least: usize,
    /// For a word the number of the longer beginning that it makes, while they are told apart.
    place: Vec<u32>,
    /// For each person the number of the look at which they were counted last.
    seen: Vec<u32>,
    looks: u32,
}

/// A beginning that enough persons have.
struct Beginning {
    /// The strings that hold its words, in any order.
    inside: Vec<u32>,
    /// The strings that begin with them.
    own: Vec<u32>,
    length: usize,
}

impl Search<'_> {
    /// For each of some strings that begin with the same word its longest beginning. Strings that hold the word are `inside`.
    fn from(&mut self, inside: &[u32], own: Vec<u32>) -> Vec<(u32, u32)> {
        let mut found = Vec::with_capacity(own.len());
        let mut open = vec![Beginning { inside: inside.to_vec(), own, length: 1 }];
        while let Some(Beginning { inside, own, length }) = open.pop() {
            let (mut longer, mut words): (Vec<Beginning>, Vec<u32>) = Default::default();
            for &string in &own {
                let Some(&word) = self.orders.of(string).get(length) else {
                    found.push((string, length as u32));
                    continue;
                };
                let place = &mut self.place[word as usize];
                if *place == MISSING {
                    *place = longer.len() as u32;
                    longer.push(Beginning { inside: Vec::new(), own: Vec::new(), length: length + 1 });
                    words.push(word);
                }
                longer[*place as usize].own.push(string);
            }
            if longer.is_empty() {
                continue;
            }
            for &string in &inside {
                for &word in self.orders.of(string) {
                    if let Some(longer) = longer.get_mut(self.place[word as usize] as usize) {
                        longer.inside.push(string);
                    }
                }
            }
            words.iter().for_each(|&word| self.place[word as usize] = MISSING);
            for longer in longer {
                if self.is_enough(&longer.inside) {
                    open.push(longer);
                } else {
                    found.extend(longer.own.iter().map(|&string| (string, length as u32)));
                }
            }
        }
        found
    }

    /// Whether enough persons issued one of some strings.
    fn is_enough(&mut self, strings: &[u32]) -> bool {
        self.looks += 1;
        let mut count = 0;
        for &person in strings.iter().flat_map(|&string| self.issuers.of(string)) {
            if std::mem::replace(&mut self.seen[person as usize], self.looks) != self.looks {
                count += 1;
                if count >= self.least {
                    return true;
                }
            }
        }
        false
    }
}

/// The parts of hosts that are left, and for each URL the number of its part or [`MISSING`].
fn cut_urls(log: &QueryLog, least: usize, clusters: &Clusters) -> (Strings, Vec<u32>) {
    let (mut parts, mut parts_of_url) = (Interner::new(), Lists::new());
    for url in log.urls().iter() {
        let host = host::host_of(url);
        parts_of_url.push(publishable_parts(&host).into_iter().map(|part| parts.intern(part)));
    }
    let parts = parts.into_strings();
    let (mut last, mut persons) = (vec![MISSING; parts.len()], vec![0usize; parts.len()]);
    for &(account, person) in clusters.in_order() {
        for url in log.lines(account as usize).filter_map(|line| line.url) {
            for &part in parts_of_url.of(url) {
                if std::mem::replace(&mut last[part as usize], person) != person {
                    persons[part as usize] += 1;
                }
            }
        }
    }
    let (mut kept, mut number) = (Strings::new(), vec![MISSING; parts.len()]);
    let mut longest = |url: u32| {
        let part = parts_of_url.of(url).iter().find(|&&part| persons[part as usize] >= least);
        part.map_or(MISSING, |&part| {
            let number = &mut number[part as usize];
            if *number == MISSING {
                *number = kept.push(parts.get(part));
            }
            *number
        })
    };
    let url_of = (0..log.urls().len() as u32).map(&mut longest).collect();
    (kept, url_of)
}

/// The right-most parts of a host that are a site, the longest first.
pub(crate) fn publishable_parts(host: &str) -> Vec<&str> {
    let starts = std::iter::once(0).chain(host.match_indices('.').map(|(dot, _)| dot + 1));
    starts.map(|start| &host[start..]).filter(|part| site::is_site(part)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::data::QueryLogBuilder;
    use crate::progress::Silent;
    use crate::text::normal::normal_words;

    /// Person, query, URL.
    type Row<'a> = (&'a str, &'a str, Option<&'a str>);

    fn log(rows: &[Row<'_>]) -> QueryLog {
        let mut builder = QueryLogBuilder::new();
        for (second, &(person, query, url)) in (0..).zip(rows) {
            builder.push(person, query, second * 1000, url.map(|_| 1), url);
        }
        builder.finish()
    }

    /// The lines of a log, person by person.
    fn shown(log: &QueryLog) -> Vec<String> {
        let line = |person: usize| {
            let name = log.names().get(person as u32);
            let url = |url: Option<u32>| url.map_or("-", |url| log.urls().get(url));
            log.lines(person).map(move |line| format!("{name}: {} {}", log.queries().get(line.query), url(line.url)))
        };
        (0..log.persons()).flat_map(line).collect()
    }

    fn cut(log: &QueryLog, least: usize) -> CutLog {
        super::cut(log, least, &Clusters::apart(log.persons()), &Silent)
    }

    fn queries(rows: &[(&str, &str)], least: usize) -> Vec<String> {
        let rows: Vec<Row<'_>> = rows.iter().map(|&(person, query)| (person, query, None)).collect();
        let lines = shown(&cut(&log(&rows), least).log);
        lines.into_iter().map(|line| line.trim_end_matches(" -").to_owned()).collect()
    }

    #[test]
    fn the_rarest_words_go_first() {
        let rows = [
            ("ann", "Red car, in Springfield"),
            ("bob", "red  CAR "),
            ("cid", "car: red!"),
            ("dan", "Springfield car"),
            ("dan", "red hat"),
        ];
        // Red and car lie together in the queries of three, red before car in those of two; Springfield and car in those of two,
        // once each way, and car comes before it in the alphabet; hat is one person's.
        assert_eq!(queries(&rows, 3), ["ann: red car", "bob: red car", "cid: red car", "dan: car", "dan: red"]);
        assert_eq!(
            queries(&rows, 2),
            ["ann: red car", "bob: red car", "cid: red car", "dan: car springfield", "dan: red"]
        );
        // Four have red and four have car, but nobody else has both: the right-most of them goes.
        assert_eq!(queries(&rows, 4), ["ann: red", "bob: red", "cid: car", "dan: car", "dan: red"]);
        assert!(queries(&rows, 5).is_empty());
    }

    #[test]
    fn a_word_that_stands_twice_stands_once() {
        let rows =
            [("ann", "New york new jersey"), ("bob", "new york"), ("cid", "york new"), ("dan", "new jersey new")];
        // New has four persons, york three, jersey two: jersey goes, then all is together in three.
        assert_eq!(queries(&rows, 3), ["ann: new york", "bob: new york", "cid: new york", "dan: new"]);
    }

    /// Ways in which somebody could sign what everybody says.
    #[test]
    fn nothing_of_who_wrote_it_is_left() {
        let signed = [
            "red car",
            "RED car",
            "Red Car",
            "red  car",
            " red car",
            "red car ",
            "red car!",
            "(red) car",
            "red car red",
            "car red",
            "red\u{200b} car",
            "red car\u{e0041}\u{e0042}",
            "red \u{1f697} car",
            "red\u{a0}car",
            "red\tcar",
            "\u{2801}red\u{2803} car",
            "\u{ff52}\u{ff45}\u{ff44} car",
            "red car\u{fe0f}",
            "\u{202e}red car\u{202c}",
        ];
        let mut rows = vec![("ann", "red car"), ("bob", "red car"), ("cid", "red car")];
        rows.extend(signed.iter().map(|&query| ("dan", query)));
        let lines = queries(&rows, 3);
        assert_eq!(lines.len(), rows.len());
        assert!(lines.iter().all(|line| line.ends_with(": red car")), "{lines:?}");
    }

    #[test]
    fn accounts_of_one_cluster_are_one_person() {
        let rows = [("a1", "jane roe"), ("a2", "jane roe"), ("a3", "jane roe"), ("bob", "red car"), ("cid", "red car")];
        let urls = rows.map(|(person, query)| (person, query, Some("http://roe.example")));
        let log = log(&urls);
        let lines = |clusters: Clusters, least: usize| shown(&super::cut(&log, least, &clusters, &Silent).log);
        assert_eq!(lines(Clusters::apart(5), 3).len(), 3);
        assert!(lines(Clusters::of(vec![0, 0, 0, 3, 4]), 2).iter().all(|line| line.contains("red car roe.example")));
        assert_eq!(lines(Clusters::of(vec![0, 0, 0, 3, 4]), 3).len(), 0);
    }

    #[test]
    fn without_a_content_word_nothing_is_left() {
        let rows =
            [("ann", "how to"), ("bob", "how to"), ("bob", "how to swim"), ("cid", "how"), ("cid", "--"), ("cid", "")];
        let cut = cut(&log(&rows.map(|(person, query)| (person, query, None))), 2);
        assert_eq!((cut.log.persons(), cut.log.rows(), cut.rows_dropped, cut.strings_cut), (3, 0, 6, 0));
        assert_eq!(cut.log.names(), log(&rows.map(|(person, query)| (person, query, None))).names());
    }

    #[test]
    fn one_person_is_enough_for_the_log_as_it_is() {
        let log = log(&[("ann", "the", Some("http://a.b/c"))]);
        assert_eq!(cut(&log, 1).log, log);
    }

    #[test]
    fn urls_become_the_shared_part_of_their_host() {
        let rows = [
            ("ann", "pets", Some("http://www.pets.com/ann")),
            ("bob", "pets", Some("https://WWW.pets.com:80/bob?x")),
            ("cid", "pets", Some("m.pets.com")),
            ("ann", "pets", Some("http://ann.co.uk")),
            ("bob", "pets", Some("http://bob.co.uk")),
            ("cid", "pets", Some("http://10.0.0.1/x")),
            ("ann", "pets", Some("http://10.0.0.1/y")),
            ("bob", "pets", Some("http://10.1.0.1/y")),
            ("ann", "pets", Some("http://ann.blogspot.com")),
            ("bob", "pets", Some("http://bob.blogspot.com")),
        ];
        let shown = |least: usize| shown(&cut(&log(&rows), least).log).join("; ").replace(": pets", "");
        let two = "ann www.pets.com; ann -; ann 10.0.0.1; ann blogspot.com; bob www.pets.com; bob -; bob -; \
                   bob blogspot.com; cid pets.com; cid 10.0.0.1";
        assert_eq!(shown(2), two);
        let three = "ann pets.com; ann -; ann -; ann -; bob pets.com; bob -; bob -; bob -; cid pets.com; cid -";
        assert_eq!(shown(3), three);
        // The rank of a click goes with its page.
        let cut = cut(&log(&rows), 3).log;
        assert!(cut.lines(0).all(|line| line.rank == line.url.map(|_| 1)));
    }

    #[test]
    fn parts_of_hosts_that_say_something() {
        for (host, parts) in [
            ("a.b.com", vec!["a.b.com", "b.com"]),
            ("www.bbc.co.uk", vec!["www.bbc.co.uk", "bbc.co.uk"]),
            ("localhost", vec![]),
            ("co.uk", vec![]),
            ("a.cars.example", vec!["a.cars.example", "cars.example"]),
            ("10.0.0.1", vec!["10.0.0.1"]),
            ("2001:db8::1", vec![]),
            ("a..com", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(publishable_parts(host), parts, "{host}");
        }
    }

    /// The same as it is defined: word by word, person by person.
    fn literal(log: &QueryLog, least: usize, clusters: &Clusters) -> Vec<(usize, String)> {
        // All queries of each person, as words.
        let mut said: BTreeMap<u32, Vec<Vec<String>>> = BTreeMap::new();
        for &(account, person) in clusters.in_order() {
            let words = log.lines(account as usize).map(|line| normal_words(log.queries().get(line.query)));
            said.entry(person).or_default().extend(words);
        }
        let holds = |query: &Vec<String>, phrase: &[String]| phrase.iter().all(|word| query.contains(word));
        let persons =
            |phrase: &[String]| said.values().filter(|own| own.iter().any(|query| holds(query, phrase))).count();
        let phrase = |text: &str| {
            let mut left = normal_words(text);
            while !left.is_empty() && persons(&left) < least {
                let rarity = |at: &usize| (persons(std::slice::from_ref(&left[*at])), Reverse(*at));
                let rarest = (0..left.len()).min_by_key(rarity).map(|at| left[at].clone());
                left.retain(|word| Some(word) != rarest.as_ref());
            }
            let mut orders: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
            for (&person, query) in said.iter().flat_map(|(person, own)| own.iter().map(move |query| (person, query))) {
                if holds(query, &left) {
                    let order: Vec<&str> =
                        query.iter().filter(|word| left.contains(word)).map(String::as_str).collect();
                    orders.entry(order.join(" ")).or_default().insert(person);
                }
            }
            let most = orders.values().map(BTreeSet::len).max();
            let text = orders.into_iter().find(|(_, persons)| Some(persons.len()) == most).map(|(text, _)| text);
            text.filter(|_| left.iter().any(|word| !is_stop_word(word)))
        };
        let lines = |person: usize| log.lines(person).map(move |line| (person, line.query));
        let all = (0..log.persons()).flat_map(lines);
        all.filter_map(|(person, query)| Some((person, phrase(log.queries().get(query))?))).collect()
    }

    proptest! {
        #[test]
        fn cut_as_it_is_defined(
            rows in prop::collection::vec((0..6usize, "[abcdtheA]{1,2}([ -]{1,2}[abcdtheB]{1,3}){0,4}"), 0..30),
            least in 2..5usize,
            units in prop::collection::vec(0..8u32, 6),
        ) {
            let names = ["ann", "bob", "cid", "dan", "eve", "fay"];
            let rows: Vec<Row<'_>> = rows.iter().map(|(person, query)| (names[*person], query.as_str(), None)).collect();
            let log = log(&rows);
            let first = |unit: u32| units.iter().position(|&other| other == unit).unwrap_or(0) as u32;
            let clusters = Clusters::of(units.iter().take(log.persons()).map(|&unit| first(unit)).collect());
            let cut = super::cut(&log, least, &clusters, &Silent);
            let line = |person: usize| cut.log.lines(person).map(move |line| (person, line.query));
            let lines: Vec<(usize, String)> = (0..cut.log.persons())
                .flat_map(line)
                .map(|(person, query)| (person, cut.log.queries().get(query).to_owned()))
                .collect();
            prop_assert_eq!(&lines, &literal(&log, least, &clusters));
            prop_assert_eq!(cut.rows_dropped as usize, log.rows() - lines.len());
        }
    }
}
