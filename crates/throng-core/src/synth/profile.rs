//! The shape of a search log in some figures, for comparing a made-up log with a real one.
//!
//! Claims     nothing: it is a description. It holds counts and shares only, no string and no word of anybody.
//! Does not   protect: figures about very few persons may say something about them. It is for whoever has the log.
//!
//! # Idea
//! 1. A word is what stands between white space, in lower case; stop words are left out, but count where the words of a query are
//!    counted. A string is a query as it was typed.
//! 2. How many lines and different strings a person has, and how much of all of it is said by one person, two, or more.
//! 3. How alike the words of two persons are, how alike those of the nearest of 300 others, and those of a person's even and odd
//!    days: of persons with 20 lines or more.
//!
//! # Formula
//! likeness = 1 - sqrt(JSD), the divergence in bits (`distance/divergence.rs`). A string looks like a host if it is one word with a
//! dot inside whose last part is of two letters or more. A line repeats if the same person has the same string in an earlier one.
//!
//! # Cost
//! O(lines), and some divergences of 301 persons each: seconds for a million lines.

use rayon::prelude::*;
use serde::Serialize;

use crate::Rng;
use crate::data::{Interner, QueryLog};
use crate::distance::divergence::Shares;
use crate::text::stop_words::is_stop_word;

/// Persons with fewer lines are left out where persons are compared.
const LEAST_LINES: usize = 20;
/// A person is compared with so many others.
const OTHERS: usize = 300;
/// So many samples of persons are compared, one apart from the other, if there are enough.
const SAMPLES: usize = 8;
/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// What a dictionary knows.
pub trait Dictionary: Sync {
    /// Whether it knows a word, in lower case, or a form of it.
    fn knows(&self, word: &str) -> bool;
    /// Whether a whole query is a noun of it, or several words that are one.
    fn is_noun(&self, query: &str) -> bool;
}

/// The shape of a log. Shares are in percent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Profile {
    /// Persons.
    pub persons: usize,
    /// Lines.
    pub lines: usize,
    /// Lines a person.
    pub lines_a_person: Spread,
    /// Different strings a person.
    pub strings_a_person: Spread,
    /// Different strings.
    pub strings: usize,
    /// Different strings by who says them.
    pub strings_said_by: SaidBy,
    /// Lines by who says their string.
    pub lines_said_by: SaidBy,
    /// Different words.
    pub words: usize,
    /// Different words by who says them.
    pub words_said_by: SaidBy,
    /// Occurrences of words by who says them.
    pub occurrences_said_by: SaidBy,
    /// The share of occurrences of the most frequent words.
    pub top_words: TopWords,
    /// Words a query, stop words included.
    pub words_a_query: WordsAQuery,
    /// Lines that look like a host.
    pub hosts: f64,
    /// Lines with a digit.
    pub digits: f64,
    /// Lines that repeat an earlier string of the same person.
    pub repeats: f64,
    /// How alike persons are; `None` where fewer than two have enough lines.
    pub likeness: Option<Likeness>,
    /// What a dictionary knows; `None` without one.
    pub dictionary: Option<Known>,
}

/// How a number is spread over persons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Spread {
    /// One in ten has no more.
    pub p10: usize,
    /// Half have no more.
    pub p50: usize,
    /// Nine in ten have no more.
    pub p90: usize,
    /// Nobody has more.
    pub max: usize,
}

/// Shares of something by how many persons say it, in percent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SaidBy {
    /// Said by one person only.
    pub one: f64,
    /// Said by two.
    pub two: f64,
    /// Said by three or more.
    pub more: f64,
}

/// The share of all occurrences, in percent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TopWords {
    /// Of the ten most frequent words.
    pub top_10: f64,
    /// Of the hundred most frequent.
    pub top_100: f64,
    /// Of the thousand most frequent.
    pub top_1000: f64,
}

/// How long queries are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WordsAQuery {
    /// On average.
    pub mean: f64,
    /// Lines of one word, in percent.
    pub one: f64,
    /// Of two.
    pub two: f64,
    /// Of three.
    pub three: f64,
    /// Of four or more.
    pub more: f64,
}

/// How alike the words of persons are, from 0 (nothing in common) to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Likeness {
    /// Persons with enough lines.
    pub persons: usize,
    /// With how many others each is compared.
    pub others: usize,
    /// Two persons.
    pub pairs: f64,
    /// A person and the nearest of the others.
    pub nearest: f64,
    /// The mean of a person's four nearest.
    pub nearest_four: f64,
    /// The even and the odd days of one person.
    pub own_days: f64,
}

/// What a dictionary knows, in percent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Known {
    /// Occurrences of words that it knows.
    pub occurrences: f64,
    /// Lines whose whole query is a noun.
    pub whole_queries: f64,
}

/// A row of the table that [`Profile::table`] gives: figures of a log, and of the real sample that made-up logs are held to.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What it is.
    pub name: &'static str,
    /// The figures of the log; none if they cannot be had.
    pub here: Vec<f64>,
    /// Those of 1,017 real searchers with 91 clicks each on average, in three months.
    pub real: &'static [f64],
    /// How many digits after the point say something.
    pub digits: usize,
    /// What the row depends on beside the people.
    pub depends_on: DependsOn,
}

/// What figures of a log depend on, beside who its people are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DependsOn {
    /// Nothing: logs of any size have the same.
    Nothing,
    /// The number of lines a person.
    Lines,
    /// The number of persons too: the more there are, the more of them say the same.
    Persons,
    /// One person: the busiest.
    Chance,
}

impl Profile {
    /// All figures beside those of a real sample.
    pub fn table(&self) -> Vec<Row> {
        use DependsOn::{Chance, Lines, Nothing, Persons};
        let middle = |spread: Spread| [spread.p10, spread.p50, spread.p90].map(|number| number as f64).to_vec();
        let said = |by: SaidBy| vec![by.one, by.two, by.more];
        let of_likeness = |of: fn(&Likeness) -> Vec<f64>| self.likeness.as_ref().map(of).unwrap_or_default();
        let row = |name, real, digits, depends_on, here| Row { name, here, real, digits, depends_on };
        let (lines, strings, length) = (self.lines_a_person, self.strings_a_person, self.words_a_query);
        vec![
            row("lines a person: p10, p50, p90", &[3.0, 37.0, 219.0], 0, Lines, middle(lines)),
            row("lines of the busiest", &[2631.0], 0, Chance, vec![lines.max as f64]),
            row("different strings a person: p10, p50, p90", &[2.0, 18.0, 92.0], 0, Lines, middle(strings)),
            row("different strings of the busiest", &[925.0], 0, Chance, vec![strings.max as f64]),
            row("different strings", &[36_819.0], 0, Persons, vec![self.strings as f64]),
            row("said by 1, 2, 3+ persons, %", &[96.6, 2.3, 1.1], 1, Persons, said(self.strings_said_by)),
            row("lines whose string is said by 1, 2, 3+, %", &[88.1, 3.6, 8.3], 1, Persons, said(self.lines_said_by)),
            row("different words", &[26_451.0], 0, Persons, vec![self.words as f64]),
            row("said by 1, 2, 3+ persons, %", &[68.1, 12.1, 19.7], 1, Persons, said(self.words_said_by)),
            row("occurrences of words of 1, 2, 3+, %", &[22.2, 8.6, 69.2], 1, Persons, said(self.occurrences_said_by)),
            row(
                "occurrences of the top 10, 100 words, %",
                &[3.7, 15.0],
                1,
                Persons,
                vec![self.top_words.top_10, self.top_words.top_100],
            ),
            row("occurrences of the top 1,000, %", &[46.1], 1, Persons, vec![self.top_words.top_1000]),
            row("words a query", &[2.61], 2, Nothing, vec![length.mean]),
            row(
                "lines of 1, 2, 3, 4+ words, %",
                &[23.0, 30.0, 25.0, 22.0],
                1,
                Nothing,
                vec![length.one, length.two, length.three, length.more],
            ),
            row("lines that look like a host, %", &[10.8], 1, Nothing, vec![self.hosts]),
            row("lines with a digit, %", &[4.6], 1, Nothing, vec![self.digits]),
            row("lines that repeat an earlier string, %", &[57.2], 1, Lines, vec![self.repeats]),
            row("likeness of two persons", &[0.008], 3, Lines, of_likeness(|likeness| vec![likeness.pairs])),
            row(
                "likeness to the nearest of 300 others, to four",
                &[0.064, 0.052],
                3,
                Persons,
                of_likeness(|likeness| vec![likeness.nearest, likeness.nearest_four]),
            ),
            row("likeness of even and odd days", &[0.166], 3, Lines, of_likeness(|likeness| vec![likeness.own_days])),
            row(
                "occurrences that WordNet knows, %",
                &[72.0],
                1,
                Nothing,
                self.of_dictionary(|known| known.occurrences),
            ),
            row(
                "whole queries that are a noun, %",
                &[3.0],
                1,
                Nothing,
                self.of_dictionary(|known| known.whole_queries),
            ),
        ]
    }

    fn of_dictionary(&self, of: fn(&Known) -> f64) -> Vec<f64> {
        self.dictionary.iter().map(of).collect()
    }

    /// The shape of a log; the same log gives the same.
    pub fn of(log: &QueryLog, dictionary: Option<&dyn Dictionary>) -> Self {
        let strings = Said::by_persons(log.queries().len(), log, |string| std::slice::from_ref(string));
        let words = Words::of(log);
        let said = Said::by_persons(words.vocabulary.strings().len(), log, |&string| words.of_string(string));
        let of_person = |of: &dyn Fn(usize) -> usize| Spread::of((0..log.persons()).map(of).collect());
        let looks = |is: &(dyn Fn(&str) -> bool + Sync)| strings.share(log.queries().iter().map(is));
        let repeated = log.rows() - (0..log.persons()).map(|person| log.query_counts(person).len()).sum::<usize>();
        let length: Vec<usize> = log.queries().iter().map(|query| query.split_whitespace().count()).collect();
        let of_length = |is: &dyn Fn(usize) -> bool| strings.share(length.iter().map(|&length| is(length)));
        let total: u64 = length.iter().zip(&strings.times).map(|(&length, &times)| length as u64 * times).sum();
        Self {
            persons: log.persons(),
            lines: log.rows(),
            lines_a_person: of_person(&|person| log.range(person).len()),
            strings_a_person: of_person(&|person| log.query_counts(person).len()),
            strings: strings.different(),
            strings_said_by: strings.said_by(|_| 1),
            lines_said_by: strings.said_by(|times| times),
            words: said.different(),
            words_said_by: said.said_by(|_| 1),
            occurrences_said_by: said.said_by(|times| times),
            top_words: said.top(),
            words_a_query: WordsAQuery {
                mean: total as f64 / log.rows().max(1) as f64,
                one: of_length(&|length| length <= 1),
                two: of_length(&|length| length == 2),
                three: of_length(&|length| length == 3),
                more: of_length(&|length| length >= 4),
            },
            hosts: looks(&looks_like_a_host),
            digits: looks(&|query| query.bytes().any(|letter| letter.is_ascii_digit())),
            repeats: percent(repeated as u64, log.rows() as u64),
            likeness: words.likeness(log),
            dictionary: dictionary.map(|dictionary| Known {
                occurrences: said.share(words.vocabulary.strings().iter().map(|word| dictionary.knows(word))),
                whole_queries: looks(&|query| dictionary.is_noun(query)),
            }),
        }
    }
}

/// Whether a query is one word that could be typed into the field for addresses.
fn looks_like_a_host(query: &str) -> bool {
    let query = query.trim();
    let host = query.strip_prefix("http ").unwrap_or(query);
    let ending = host.rsplit_once('.').filter(|(name, _)| !name.is_empty()).map_or("", |(_, ending)| ending);
    let ending = ending.split('/').next().unwrap_or("");
    !host.contains(char::is_whitespace) && ending.len() > 1 && ending.bytes().all(|letter| letter.is_ascii_alphabetic())
}

fn percent(part: u64, all: u64) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}

impl Spread {
    fn of(mut numbers: Vec<usize>) -> Self {
        numbers.sort_unstable();
        let at = |percent: usize| numbers.get((numbers.len() * percent / 100).min(numbers.len().max(1) - 1)).copied();
        let [p10, p50, p90, max] = [10, 50, 90, 100].map(|percent| at(percent).unwrap_or(0));
        Self { p10, p50, p90, max }
    }
}

/// How often each of some things is said, and by how many persons.
struct Said {
    times: Vec<u64>,
    persons: Vec<u32>,
}

impl Said {
    /// Counts the things that each string holds.
    fn by_persons<'a>(things: usize, log: &'a QueryLog, of: impl Fn(&'a u32) -> &'a [u32]) -> Self {
        let (mut times, mut persons, mut last) = (vec![0; things], vec![0; things], vec![usize::MAX; things]);
        for person in 0..log.persons() {
            for thing in log.query_ids(log.range(person)).iter().flat_map(&of) {
                let thing = *thing as usize;
                times[thing] += 1;
                persons[thing] += u32::from(last[thing] != person);
                last[thing] = person;
            }
        }
        Self { times, persons }
    }

    fn different(&self) -> usize {
        self.persons.iter().filter(|&&persons| persons > 0).count()
    }

    /// The share of occurrences of the things that are marked.
    fn share(&self, is_marked: impl Iterator<Item = bool>) -> f64 {
        let marked: u64 =
            self.times.iter().zip(is_marked).filter(|(_, is_marked)| *is_marked).map(|(times, _)| times).sum();
        percent(marked, self.times.iter().sum())
    }

    fn said_by(&self, weight: impl Fn(u64) -> u64) -> SaidBy {
        let mut sums = [0; 4];
        for (&persons, &times) in self.persons.iter().zip(&self.times) {
            sums[persons.min(3) as usize] += weight(times);
        }
        let all: u64 = sums[1..].iter().sum();
        let [one, two, more] = [1, 2, 3].map(|at| percent(sums[at], all));
        SaidBy { one, two, more }
    }

    fn top(&self) -> TopWords {
        let mut times = self.times.clone();
        times.sort_unstable_by(|left, right| right.cmp(left));
        let all: u64 = times.iter().sum();
        let [top_10, top_100, top_1000] = [10, 100, 1000].map(|count| percent(times.iter().take(count).sum(), all));
        TopWords { top_10, top_100, top_1000 }
    }
}

/// The words of all strings.
struct Words {
    vocabulary: Interner,
    starts: Vec<usize>,
    words: Vec<u32>,
}

impl Words {
    fn of(log: &QueryLog) -> Self {
        let mut all = Self { vocabulary: Interner::new(), starts: vec![0], words: Vec::new() };
        for query in log.queries().iter() {
            let own = query.split_whitespace().map(str::to_lowercase).filter(|word| !is_stop_word(word));
            all.words.extend(own.map(|word| all.vocabulary.intern(&word)));
            all.starts.push(all.words.len());
        }
        all
    }

    fn of_string(&self, string: u32) -> &[u32] {
        &self.words[self.starts[string as usize]..self.starts[string as usize + 1]]
    }

    /// The words of some lines, each as often as it occurs.
    fn mix(&self, strings: impl Iterator<Item = u32>) -> Vec<(u32, u64)> {
        let mut words: Vec<u32> = strings.flat_map(|string| self.of_string(string)).copied().collect();
        words.sort_unstable();
        words.chunk_by(|left, right| left == right).map(|same| (same[0], same.len() as u64)).collect()
    }

    fn likeness(&self, log: &QueryLog) -> Option<Likeness> {
        let mut busy: Vec<usize> =
            (0..log.persons()).filter(|&person| log.range(person).len() >= LEAST_LINES).collect();
        if busy.len() < 2 {
            return None;
        }
        let own_days = mean(busy.par_iter().filter_map(|&person| self.own_days(log, person)).collect());
        let persons = busy.len();
        // Whoever describes the same log twice wants the same figures.
        Rng::seeded(0).shuffle(&mut busy);
        let size = persons.min(OTHERS + 1);
        let samples: Vec<[f64; 3]> =
            busy.par_chunks_exact(size).take(SAMPLES).map(|chunk| self.nearest(log, chunk)).collect();
        let [pairs, nearest, nearest_four] =
            [0, 1, 2].map(|at| mean(samples.iter().map(|sample| sample[at]).collect()));
        Some(Likeness { persons, others: size - 1, pairs, nearest, nearest_four, own_days })
    }

    /// Of all pairs of some persons, of each with the nearest, and with the nearest four.
    fn nearest(&self, log: &QueryLog, persons: &[usize]) -> [f64; 3] {
        let mix = |&person: &usize| self.mix(log.query_ids(log.range(person)).iter().copied());
        let shares = Shares::of(persons.iter().map(mix));
        let mut likeness = vec![Vec::with_capacity(persons.len()); persons.len()];
        let mut divergences = Vec::new();
        for left in 0..persons.len() {
            divergences.resize(persons.len() - left - 1, 0.0);
            shares.divergences_after(left, &mut divergences);
            for (right, divergence) in (left + 1..).zip(&divergences) {
                let alike = 1.0 - divergence.sqrt();
                likeness[left].push(alike);
                likeness[right].push(alike);
            }
        }
        let pairs = mean(likeness.iter().flatten().copied().collect());
        likeness.iter_mut().for_each(|own| own.sort_unstable_by(|left, right| right.total_cmp(left)));
        let of_first =
            |count: usize| mean(likeness.iter().map(|own| mean(own.iter().take(count).copied().collect())).collect());
        [pairs, of_first(1), of_first(4)]
    }

    /// How alike the even and the odd days of a person are; `None` if there are only such or such.
    fn own_days(&self, log: &QueryLog, person: usize) -> Option<f64> {
        let of_days = |parity: i64| {
            let lines = log.lines(person).filter(move |line| line.time.div_euclid(DAY).rem_euclid(2) == parity);
            self.mix(lines.map(|line| line.query))
        };
        let days = [of_days(0), of_days(1)];
        if days.iter().any(Vec::is_empty) {
            return None;
        }
        let mut divergence = [0.0];
        Shares::of(days).divergences_after(0, &mut divergence);
        Some(1.0 - divergence[0].sqrt())
    }
}

/// The mean of some numbers; 0 if there are none.
fn mean(numbers: Vec<f64>) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::QueryLogBuilder;

    struct Nouns;

    impl Dictionary for Nouns {
        fn knows(&self, word: &str) -> bool {
            ["cat", "cats", "red"].contains(&word)
        }

        fn is_noun(&self, query: &str) -> bool {
            ["cat", "cats"].contains(&query)
        }
    }

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-9
    }

    #[test]
    fn by_hand() {
        let mut builder = QueryLogBuilder::new();
        for (person, query, times) in
            [("a", "cat", 3), ("a", "red cat of 9", 1), ("b", "cat", 1), ("b", "www.x.com", 2), ("c", "the dogs", 1)]
        {
            for time in 0..times {
                builder.push(person, query, time, None, None);
            }
        }
        let profile = Profile::of(&builder.finish(), Some(&Nouns));
        assert_eq!((profile.persons, profile.lines, profile.strings, profile.words), (3, 8, 4, 5));
        assert_eq!(profile.lines_a_person, Spread { p10: 1, p50: 3, p90: 4, max: 4 });
        assert_eq!(profile.strings_a_person, Spread { p10: 1, p50: 2, p90: 2, max: 2 });
        assert_eq!(profile.strings_said_by, SaidBy { one: 75.0, two: 25.0, more: 0.0 });
        assert_eq!(profile.lines_said_by, SaidBy { one: 50.0, two: 50.0, more: 0.0 });
        // cat 5, red, 9, www.x.com 2, dogs: ten occurrences.
        assert_eq!(profile.words_said_by, SaidBy { one: 80.0, two: 20.0, more: 0.0 });
        assert_eq!(profile.occurrences_said_by, SaidBy { one: 50.0, two: 50.0, more: 0.0 });
        assert_eq!(profile.top_words, TopWords { top_10: 100.0, top_100: 100.0, top_1000: 100.0 });
        assert_eq!(profile.words_a_query, WordsAQuery { mean: 1.5, one: 75.0, two: 12.5, three: 0.0, more: 12.5 });
        assert_eq!((profile.hosts, profile.digits, profile.repeats), (25.0, 12.5, 37.5));
        assert_eq!(profile.likeness, None);
        assert_eq!(profile.dictionary, Some(Known { occurrences: 60.0, whole_queries: 50.0 }));
    }

    #[test]
    fn persons_are_compared_with_others_and_with_themselves() {
        let mut builder = QueryLogBuilder::new();
        for (person, queries) in [("a", ["x", "y"]), ("b", ["x", "y"]), ("c", ["z", "z"]), ("d", ["few", "few"])] {
            for line in 0..if person == "d" { 10 } else { 20 } {
                builder.push(person, queries[line % 2], line as i64 * DAY, None, None);
            }
        }
        let likeness = Profile::of(&builder.finish(), None).likeness.unwrap();
        assert_eq!((likeness.persons, likeness.others), (3, 2));
        // a and b are equal, c is like nobody; a says other things on odd days, c the same.
        assert!(close(likeness.pairs, 1.0 / 3.0) && close(likeness.nearest, 2.0 / 3.0), "{likeness:?}");
        assert!(close(likeness.nearest_four, 1.0 / 3.0) && close(likeness.own_days, 1.0 / 3.0), "{likeness:?}");
    }

    #[test]
    fn hosts_have_a_dot_inside() {
        for host in ["www.x.com", "x.com", "http www.x.org", "x.co.uk/page"] {
            assert!(looks_like_a_host(host), "{host}");
        }
        for other in ["x", ".com", "x.1", "st. paul", "what is x.com", "inc.", ""] {
            assert!(!looks_like_a_host(other), "{other}");
        }
    }

    #[test]
    fn nothing_has_a_shape_too() {
        let profile = Profile::of(&QueryLogBuilder::new().finish(), Some(&Nouns));
        assert_eq!((profile.lines, profile.repeats, profile.lines_a_person.max), (0, 0.0, 0));
    }
}
