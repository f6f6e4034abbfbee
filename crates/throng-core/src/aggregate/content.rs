//! Cutting queries to what several persons say: every string becomes a phrase whose words lie together inside the queries of at
//! least so many persons.
//!
//! Paper      Ours.
//! Promises   whoever reads a line of the cut log reads words that, together, at least so many persons wrote.
//! Does not   hide who is who, nor what several persons have in common; not even a name that so many looked for.
//!
//! # Idea
//! 1. A word is as rare as few persons have it in a query. The rarest word of a string is left out, the right-most of equally rare
//!    ones first, until what is left lies inside the queries of enough persons.
//! 2. So each string has its words in an order, the commonest first, and is cut to a beginning of it. Beginnings are looked at as
//!    a tree, from short to long: strings that begin alike are worked on together, beside all strings that hold those words.
//! 3. A string of which no content word is left is left out. One that loses nothing is kept as it is written.
//! 4. A clicked URL becomes the longest right-most part of its host that enough persons clicked: at least two labels, more than a
//!    public suffix, an IP address as a whole. Where there is none the line keeps no URL, and no rank: nobody sees what was clicked.
//!
//! # Cost
//! Every string is looked at once for each beginning that lies inside it: for queries of a few words a small multiple of all
//! words. Memory about 16 bytes a word of a different string, and 12 bytes a string.

use std::cmp::Reverse;

use rayon::prelude::*;

use crate::data::queries::{Columns, MISSING};
use crate::data::{Interner, QueryLog, Strings};
use crate::progress::Progress;
use crate::text::stop_words::is_stop_word;
use crate::text::{host, lower_words, site, written_words};

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
}

/// Cuts every query to a phrase, and every URL to a part of its host, that at least `least` persons share.
pub fn cut(log: &QueryLog, least: usize, progress: &dyn Progress) -> CutLog {
    if least <= 1 {
        let phrase_of = (0..log.queries().len() as u32).collect();
        return CutLog { log: log.clone(), rows_dropped: 0, strings_cut: 0, phrase_of };
    }
    let (queries, phrase_of, strings_cut) = cut_queries(log, least, progress);
    let (urls, url_of) = cut_urls(log, least);
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
    CutLog { log: QueryLog::from_columns(columns), rows_dropped, strings_cut, phrase_of }
}

/// The phrases, for each string the number of its phrase or [`MISSING`], and how many strings lost a word.
fn cut_queries(log: &QueryLog, least: usize, progress: &dyn Progress) -> (Strings, Vec<u32>, u64) {
    let strings = log.queries();
    let said = Said::of(strings);
    let (issuers, persons_of_word) = issuers_of(log, &said, least);
    let orders = said.orders(&persons_of_word, least);
    let kept = beginnings(&orders, &issuers, said.vocabulary.len(), log.persons(), least, progress);

    let phrase = |string: u32| {
        let order = &orders.of(string)[..kept[string as usize] as usize];
        let word = |id: u32| said.vocabulary.get(id);
        if issuers.of(string).is_empty() || order.iter().all(|&id| is_stop_word(word(id))) {
            return Phrase::Nothing;
        }
        if order.len() == said.distinct(string) {
            return Phrase::Whole;
        }
        let is_kept = |written: &&str| {
            let lower = written.to_lowercase();
            order.iter().any(|&id| word(id) == lower)
        };
        Phrase::Part(written_words(strings.get(string)).filter(is_kept).collect::<Vec<_>>().join(" "))
    };
    let (mut phrases, mut phrase_of, mut strings_cut) = (Interner::new(), vec![MISSING; strings.len()], 0);
    for start in (0..strings.len()).step_by(AT_ONCE) {
        let some = start as u32..strings.len().min(start + AT_ONCE) as u32;
        let found: Vec<Phrase> = some.clone().into_par_iter().map(phrase).collect();
        for (string, phrase) in some.zip(found) {
            phrase_of[string as usize] = match phrase {
                Phrase::Nothing => MISSING,
                Phrase::Whole => phrases.intern(strings.get(string)),
                Phrase::Part(text) => {
                    strings_cut += 1;
                    phrases.intern(&text)
                }
            };
        }
    }
    (phrases.into_strings(), phrase_of, strings_cut)
}

/// How many strings are turned to text at once.
const AT_ONCE: usize = 1 << 18;

/// What becomes of a string.
enum Phrase {
    Nothing,
    Whole,
    Part(String),
}

/// Lists of numbers side by side.
#[derive(Debug)]
struct Lists {
    /// List `i` is `numbers[starts[i]..starts[i + 1]]`.
    starts: Vec<usize>,
    numbers: Vec<u32>,
}

impl Lists {
    fn new() -> Self {
        Self { starts: vec![0], numbers: Vec::new() }
    }

    fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.numbers.extend(list);
        self.starts.push(self.numbers.len());
    }

    fn of(&self, at: u32) -> &[u32] {
        &self.numbers[self.starts[at as usize]..self.starts[at as usize + 1]]
    }

    /// For each of `count` numbers the lists that have it, in rising order.
    fn turned(&self, count: usize) -> Self {
        let mut starts = vec![0; count + 1];
        for &number in &self.numbers {
            starts[number as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let (mut next, mut numbers) = (starts.clone(), vec![0; self.numbers.len()]);
        for list in 0..self.starts.len() as u32 - 1 {
            for &number in self.of(list) {
                let place = &mut next[number as usize];
                numbers[*place] = list;
                *place += 1;
            }
        }
        Self { starts, numbers }
    }
}

/// The words of all strings.
struct Said {
    vocabulary: Strings,
    /// For each string its different words, in the order in which they stand last.
    words: Lists,
}

impl Said {
    fn of(strings: &Strings) -> Self {
        const BLOCK: usize = 1 << 13;
        let blocks: Vec<(Interner, Lists)> = (0..strings.len().div_ceil(BLOCK))
            .into_par_iter()
            .map(|block| {
                let (mut vocabulary, mut words) = (Interner::new(), Lists::new());
                for string in block * BLOCK..strings.len().min((block + 1) * BLOCK) {
                    words.push(lower_words(strings.get(string as u32)).map(|word| vocabulary.intern(&word)));
                }
                (vocabulary, words)
            })
            .collect();
        let (mut vocabulary, mut words) = (Interner::new(), Lists::new());
        for (own, lists) in blocks {
            let numbers: Vec<u32> = own.strings().iter().map(|word| vocabulary.intern(word)).collect();
            for list in 0..lists.starts.len() as u32 - 1 {
                words.push(last_of_each(lists.of(list)).into_iter().map(|word| numbers[word as usize]));
            }
        }
        Self { vocabulary: vocabulary.into_strings(), words }
    }

    /// How many different words a string has.
    fn distinct(&self, string: u32) -> usize {
        self.words.of(string).len()
    }

    /// For each string those of its words that enough persons have, the commonest first and of equally common ones the left-most.
    fn orders(&self, persons_of_word: &[u32], least: usize) -> Lists {
        let mut orders = Lists::new();
        let mut order = Vec::new();
        for string in 0..self.words.starts.len() as u32 - 1 {
            let persons = |word: &u32| persons_of_word[*word as usize];
            order.clear();
            order.extend(self.words.of(string).iter().filter(|word| persons(word) as usize >= least));
            order.sort_by_key(|word| Reverse(persons(word)));
            orders.push(order.iter().copied());
        }
        orders
    }
}

/// The different numbers of a list, in the order in which each stands last.
fn last_of_each(list: &[u32]) -> Vec<u32> {
    let mut places: Vec<(u32, usize)> = list.iter().copied().zip(0..).collect();
    places.sort_unstable_by_key(|&(number, place)| (number, Reverse(place)));
    places.dedup_by_key(|&mut (number, _)| number);
    places.sort_unstable_by_key(|&(_, place)| place);
    places.into_iter().map(|(number, _)| number).collect()
}

/// For each string the first persons who issued it, `least` of them at the most; and for each word how many persons have it.
fn issuers_of(log: &QueryLog, said: &Said, least: usize) -> (Lists, Vec<u32>) {
    let mut counts = vec![0usize; log.queries().len()];
    let mut persons_of_word = vec![0u32; said.vocabulary.len()];
    let (mut last, mut last_of_word) = (vec![MISSING; counts.len()], vec![MISSING; persons_of_word.len()]);
    for person in 0..log.persons() {
        for &string in log.query_ids(log.range(person)) {
            if std::mem::replace(&mut last[string as usize], person as u32) == person as u32 {
                continue;
            }
            counts[string as usize] += 1;
            for &word in said.words.of(string) {
                if std::mem::replace(&mut last_of_word[word as usize], person as u32) != person as u32 {
                    persons_of_word[word as usize] += 1;
                }
            }
        }
    }
    let mut starts = vec![0];
    for &count in &counts {
        starts.push(starts[starts.len() - 1] + count.min(least));
    }
    let mut issuers = Lists { numbers: vec![0; starts[counts.len()]], starts };
    let mut next = issuers.starts.clone();
    last.fill(MISSING);
    for person in 0..log.persons() {
        for &string in log.query_ids(log.range(person)) {
            let string = string as usize;
            if std::mem::replace(&mut last[string], person as u32) != person as u32
                && next[string] < issuers.starts[string + 1]
            {
                issuers.numbers[next[string]] = person as u32;
                next[string] += 1;
            }
        }
    }
    (issuers, persons_of_word)
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
    let strings = orders.starts.len() as u32 - 1;
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
fn cut_urls(log: &QueryLog, least: usize) -> (Strings, Vec<u32>) {
    let (mut parts, mut parts_of_url) = (Interner::new(), Lists::new());
    for url in log.urls().iter() {
        let host = host::host_of(url);
        parts_of_url.push(publishable_parts(&host).into_iter().map(|part| parts.intern(part)));
    }
    let parts = parts.into_strings();
    let (mut last, mut persons) = (vec![MISSING; parts.len()], vec![0usize; parts.len()]);
    for person in 0..log.persons() {
        for url in log.lines(person).filter_map(|line| line.url) {
            for &part in parts_of_url.of(url) {
                if std::mem::replace(&mut last[part as usize], person as u32) != person as u32 {
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
fn publishable_parts(host: &str) -> Vec<&str> {
    let starts = std::iter::once(0).chain(host.match_indices('.').map(|(dot, _)| dot + 1));
    starts.map(|start| &host[start..]).filter(|part| site::is_site(part)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::QueryLogBuilder;
    use crate::progress::Silent;

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

    fn queries(rows: &[(&str, &str)], least: usize) -> Vec<String> {
        let rows: Vec<Row<'_>> = rows.iter().map(|&(person, query)| (person, query, None)).collect();
        let lines = shown(&cut(&log(&rows), least, &Silent).log);
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
        // Red and car lie together in the queries of three; Springfield and car in those of two; hat is one person's.
        assert_eq!(queries(&rows, 3), ["ann: Red car", "bob: red  CAR ", "cid: car: red!", "dan: car", "dan: red"]);
        assert_eq!(
            queries(&rows, 2),
            ["ann: Red car", "bob: red  CAR ", "cid: car: red!", "dan: Springfield car", "dan: red"]
        );
        // Four have red and four have car, but nobody else has both: the right-most of them goes.
        assert_eq!(queries(&rows, 4), ["ann: Red", "bob: red", "cid: car", "dan: car", "dan: red"]);
        assert!(queries(&rows, 5).is_empty());
    }

    #[test]
    fn a_word_that_stands_twice_stays_or_goes_as_one() {
        let rows =
            [("ann", "New york new jersey"), ("bob", "new york"), ("cid", "york new"), ("dan", "new jersey new")];
        // New has four persons, york three, jersey two: jersey goes, then all is together in three.
        assert_eq!(queries(&rows, 3), ["ann: New york new", "bob: new york", "cid: york new", "dan: new new"]);
    }

    #[test]
    fn without_a_content_word_nothing_is_left() {
        let rows =
            [("ann", "how to"), ("bob", "how to"), ("bob", "how to swim"), ("cid", "how"), ("cid", "--"), ("cid", "")];
        let cut = cut(&log(&rows.map(|(person, query)| (person, query, None))), 2, &Silent);
        assert_eq!((cut.log.persons(), cut.log.rows(), cut.rows_dropped, cut.strings_cut), (3, 0, 6, 0));
        assert_eq!(cut.log.names(), log(&rows.map(|(person, query)| (person, query, None))).names());
    }

    #[test]
    fn one_person_is_enough_for_the_log_as_it_is() {
        let log = log(&[("ann", "the", Some("http://a.b/c"))]);
        assert_eq!(cut(&log, 1, &Silent).log, log);
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
        let shown = |least: usize| shown(&cut(&log(&rows), least, &Silent).log).join("; ").replace(": pets", "");
        let two = "ann www.pets.com; ann -; ann 10.0.0.1; ann blogspot.com; bob www.pets.com; bob -; bob -; \
                   bob blogspot.com; cid pets.com; cid 10.0.0.1";
        assert_eq!(shown(2), two);
        let three = "ann pets.com; ann -; ann -; ann -; bob pets.com; bob -; bob -; bob -; cid pets.com; cid -";
        assert_eq!(shown(3), three);
        // The rank of a click goes with its page.
        let cut = cut(&log(&rows), 3, &Silent).log;
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
    fn literal(log: &QueryLog, least: usize) -> Vec<(usize, String)> {
        let words = |text: &str| lower_words(text).collect::<Vec<_>>();
        let said: Vec<Vec<Vec<String>>> = (0..log.persons())
            .map(|person| log.lines(person).map(|line| words(log.queries().get(line.query))).collect())
            .collect();
        let persons = |phrase: &[String]| {
            let holds = |query: &Vec<String>| phrase.iter().all(|word| query.contains(word));
            said.iter().filter(|own| own.iter().any(holds)).count()
        };
        let phrase = |text: &str| {
            let mut left = words(text);
            while !left.is_empty() && persons(&left) < least {
                let rarity = |at: &usize| (persons(std::slice::from_ref(&left[*at])), Reverse(*at));
                let rarest = (0..left.len()).min_by_key(rarity).map(|at| left[at].clone());
                left.retain(|word| Some(word) != rarest.as_ref());
            }
            let is_whole = left.len() == words(text).len();
            let kept = written_words(text).filter(|word| left.contains(&word.to_lowercase()));
            let says = left.iter().any(|word| !is_stop_word(word));
            says.then(|| if is_whole { text.to_owned() } else { kept.collect::<Vec<_>>().join(" ") })
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
        ) {
            let names = ["ann", "bob", "cid", "dan", "eve", "fay"];
            let rows: Vec<Row<'_>> = rows.iter().map(|(person, query)| (names[*person], query.as_str(), None)).collect();
            let log = log(&rows);
            let cut = cut(&log, least, &Silent);
            let line = |person: usize| cut.log.lines(person).map(move |line| (person, line.query));
            let lines: Vec<(usize, String)> = (0..cut.log.persons())
                .flat_map(line)
                .map(|(person, query)| (person, cut.log.queries().get(query).to_owned()))
                .collect();
            prop_assert_eq!(&lines, &literal(&log, least));
            prop_assert_eq!(cut.rows_dropped as usize, log.rows() - lines.len());
        }
    }
}
