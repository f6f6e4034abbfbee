//! Made-up search logs, realistic in shape and with no real person in them.
//!
//! Claims     the same seed gives the same log, in whatever blocks it is made.
//! Does not   imitate any real log number by number: it is fitted to none, so never use it to claim results about real
//!            people. Names of persons, towns and sites are put together from syllables and dictionary words; where one
//!            exists in reality, that is chance.
//!
//! # Idea
//! 1. One world for all: topics with words, phrases and sites, made-up towns, family names and makes (`world.rs`), and a long tail of
//!    words that are put together when they are needed (`tail.rs`).
//! 2. Person i is drawn from its own random stream (seed, i): interests, home town, relatives, active days, hours, a tendency to
//!    misspell, to reformulate and to name sites, and a number of lines.
//! 3. The person has sessions (`searcher.rs`): new queries of an interest, and more often strings that come again.
//! 4. The lines are put in the order of time. With `clicks_only` every line has a click, as in logs of which only those were kept.
//!
//! # Formula
//! lines = median · exp(s · z) with z standard normal, s = 1.39 above the median and 1.96 below, median = 0.4 · mean, cut to
//! 1 .. 40 · mean. New strings: `searcher.rs`.
//!
//! # Shape
//! Held to the shape of a real sample of 1,017 searchers with 91 clicks each on average (`profile.rs`, and the test
//! `crates/throng-core/tests/it/made_up.rs`), in aggregates: no line of anybody was looked at.
//!
//! # Cost
//! Time O(lines), about a million lines a second and core; memory O(lines of the block).

use std::ops::Range;

use rayon::prelude::*;

use super::person::Person;
use super::planted::{self, Planted, Planting};
use super::searcher::{History, Searcher};
use super::wording::Query;
use super::world::World;
use crate::data::{QueryLog, QueryLogBuilder};
use crate::{Error, Result, Rng};

/// The median of the lines of a person over their mean.
const MEDIAN: f64 = 0.41;
/// The deviation of the logarithm of the lines of a person above the median, and below.
const ABOVE: f64 = 1.39;
const BELOW: f64 = 1.9;
/// No person has more lines than this many times the mean, so that nobody owns the log.
const MOST_LINES: f64 = 40.0;
/// Ids start at [`FIRST_ID`] and lie this far apart on average; real ids have gaps as well.
const ID_STEP: u64 = 38;
const FIRST_ID: u64 = 142;

/// How large the log is and which one of all possible ones.
#[derive(Debug, Clone)]
pub struct Params {
    /// The number of persons, at least 1.
    pub persons: usize,
    /// About how many lines a person has on average, in 1..=100000.
    pub mean_lines: f64,
    /// Which log: the same seed gives the same one.
    pub seed: u64,
    /// Whether all lines have a click, as in logs of which only those were kept.
    pub clicks_only: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self { persons: 1000, mean_lines: 55.0, seed: 0, clicks_only: false }
    }
}

/// A maker of made-up search logs.
#[derive(Debug)]
pub struct QueriesSynth {
    params: Params,
    world: World,
    planting: Planting,
}

impl QueriesSynth {
    /// Checks the parameters and makes the world.
    pub fn new(params: Params) -> Result<Self> {
        let mut errors = Vec::new();
        if params.persons == 0 {
            errors.push(Error::parameter("persons", "is 0, but must be at least 1"));
        }
        if !(1.0..=100_000.0).contains(&params.mean_lines) {
            let problem = format!("is {}, but must be from 1 to 100000", params.mean_lines);
            errors.push(Error::parameter("mean-lines", problem));
        }
        if errors.is_empty() {
            Ok(Self { params, world: World::new(), planting: Planting { persons: 0, accounts: 1 } })
        } else {
            Err(Error::parameters(errors))
        }
    }

    /// The same with planted persons beside the others: their accounts come last.
    pub fn planting(mut self, planting: Planting) -> Result<Self> {
        if !(1..=100).contains(&planting.accounts) {
            let problem = format!("is {}, but must be from 1 to 100", planting.accounts);
            return Err(Error::parameter("accounts", problem).with_hint("three accounts each: `--accounts 3`"));
        }
        self.planting = planting;
        Ok(self)
    }

    /// The number of persons of the whole log, each account of a planted person being one.
    pub fn persons(&self) -> usize {
        self.params.persons + self.planting.persons * self.planting.accounts
    }

    /// Who was planted, and what they type.
    pub fn planted(&self) -> Vec<Planted> {
        let Planting { persons, accounts } = self.planting;
        let id =
            |number: usize, account: usize| self.id(self.params.persons + number * accounts + account).0.to_string();
        (0..persons)
            .map(|number| Planted {
                accounts: (0..accounts).map(|account| id(number, account)).collect(),
                facts: planted::facts(&self.world, self.params.seed, number),
            })
            .collect()
    }

    /// The id of a person, and the stream that everything else of them is drawn from.
    fn id(&self, person: usize) -> (u64, Rng) {
        let mut rng = Rng::seeded_stream(self.params.seed, person as u64);
        (FIRST_ID + person as u64 * ID_STEP + rng.below(ID_STEP), rng)
    }

    /// The lines of some persons, which must be among those of the log. Blocks put together are the whole log.
    pub fn block(&self, persons: Range<usize>) -> QueryLog {
        assert!(persons.end <= self.persons(), "the log has no such person");
        let histories: Vec<History> = persons.into_par_iter().map(|person| self.history(person)).collect();
        let mut builder = QueryLogBuilder::new();
        for history in &histories {
            let person = builder.person(&history.id.to_string());
            for line in &history.lines {
                let (rank, url) = line.click.map(|(rank, url)| (rank, history.text(url))).unzip();
                builder.push_for(person, history.text(line.query), line.second * 1000, rank, url);
            }
        }
        builder.finish()
    }

    /// Everything that a person did.
    fn history(&self, person: usize) -> History {
        let (id, mut rng) = self.id(person);
        let planted = person.checked_sub(self.params.persons).map(|account| account / self.planting.accounts);
        let lines = self.lines(&mut rng);
        let lines = if planted.is_some() { lines.min(planted::MOST_LINES) } else { lines };
        let person = Person::new(&self.world, lines, &mut rng);
        let history = History::new(id, lines);
        let clicks_only = self.params.clicks_only;
        let mut searcher = Searcher { world: &self.world, person, rng, query: Query::default(), history, clicks_only };
        while searcher.history.lines.len() < lines {
            searcher.session(lines);
        }
        let Searcher { mut history, mut rng, .. } = searcher;
        for fact in planted.map(|number| planted::facts(&self.world, self.params.seed, number)).unwrap_or_default() {
            let query = history.add(|text| text.push_str(&fact.query));
            for _ in 0..planted::TIMES {
                history.push_plain(planted::second(&mut rng), query);
            }
        }
        // Stable, so that the clicks of one query stay in their order.
        history.lines.sort_by_key(|line| line.second);
        history
    }

    /// How many lines a person has.
    fn lines(&self, rng: &mut Rng) -> usize {
        let mean = self.params.mean_lines;
        let deviation = rng.normal();
        let spread = if deviation > 0.0 { ABOVE } else { BELOW };
        (MEDIAN * mean * (spread * deviation).exp()).round().clamp(1.0, MOST_LINES * mean) as usize
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::text::words;

    fn log(persons: usize, seed: u64) -> QueryLog {
        QueriesSynth::new(Params { persons, seed, ..Params::default() }).unwrap().block(0..persons)
    }

    /// How many persons issued each query string.
    fn issuers(log: &QueryLog) -> Vec<usize> {
        let mut issuers = vec![0; log.queries().len()];
        for person in 0..log.persons() {
            let own: BTreeSet<u32> = log.lines(person).map(|line| line.query).collect();
            for query in own {
                issuers[query as usize] += 1;
            }
        }
        issuers
    }

    #[test]
    fn planted_persons_type_what_gives_them_away() {
        let params = Params { persons: 30, mean_lines: 20.0, seed: 5, ..Params::default() };
        let plain = QueriesSynth::new(params.clone()).unwrap();
        let synth = QueriesSynth::new(params).unwrap().planting(Planting { persons: 4, accounts: 3 }).unwrap();
        assert_eq!(synth.persons(), 42);
        // The others are as they were.
        assert_eq!(synth.block(0..30), plain.block(0..30));
        let log = synth.block(0..42);
        let planted = synth.planted();
        assert_eq!((planted.len(), plain.planted().len()), (4, 0));
        for person in &planted {
            let sorts: Vec<&str> = person.facts.iter().map(|fact| fact.sort).collect();
            assert_eq!(sorts, ["name", "address", "telephone", "ssn", "email", "illness"]);
            for account in &person.accounts {
                let number = log.names().iter().position(|name| name == account).unwrap();
                for fact in &person.facts {
                    let typed = log.lines(number).filter(|line| log.queries().get(line.query) == fact.query).count();
                    assert_eq!(typed, planted::TIMES, "{}", fact.sort);
                }
            }
        }
        let names: std::collections::BTreeSet<&str> =
            planted.iter().map(|person| person.facts[0].query.as_str()).collect();
        assert_eq!(names.len(), 4);
        let wrong = QueriesSynth::new(Params::default()).unwrap().planting(Planting { persons: 1, accounts: 0 });
        assert!(wrong.is_err_and(|error| error.is_parameter()));
    }

    #[test]
    fn a_seed_repeats_itself() {
        assert_eq!(log(50, 7), log(50, 7));
        assert_ne!(log(50, 7), log(50, 8));
    }

    #[test]
    fn blocks_are_the_whole_log() {
        let synth = QueriesSynth::new(Params { persons: 60, seed: 3, ..Params::default() }).unwrap();
        let whole = synth.block(0..synth.persons());
        let mut builder = QueryLogBuilder::new();
        for block in [synth.block(0..1), synth.block(1..37), synth.block(37..37), synth.block(37..60)] {
            for person in 0..block.persons() {
                let name = block.names().get(person as u32);
                for line in block.lines(person) {
                    let url = line.url.map(|url| block.urls().get(url));
                    builder.push(name, block.queries().get(line.query), line.time, line.rank, url);
                }
            }
        }
        assert_eq!(builder.finish(), whole);
    }

    #[test]
    fn a_person_does_not_depend_on_the_number_of_persons() {
        let few = QueriesSynth::new(Params { persons: 5, ..Params::default() }).unwrap();
        let many = QueriesSynth::new(Params { persons: 500, ..Params::default() }).unwrap();
        assert_eq!(few.block(2..5), many.block(2..5));
    }

    #[test]
    fn lines_are_spread_as_in_real_logs() {
        let log = log(3000, 1);
        let mut lines: Vec<usize> = (0..log.persons()).map(|person| log.range(person).len()).collect();
        lines.sort_unstable();
        let mean = log.rows() as f64 / 3000.0;
        assert!((45.0..65.0).contains(&mean), "{mean}");
        assert!((18..=27).contains(&lines[1500]), "{}", lines[1500]);
        assert!(lines[0] >= 1 && lines[2999] <= 2200);

        let all = || (0..log.rows()).map(|row| log.line(row));
        assert!(all().all(|line| line.rank.is_some() == line.url.is_some()));
        let without_click = all().filter(|line| line.url.is_none()).count() as f64 / log.rows() as f64;
        assert!((0.44..0.5).contains(&without_click), "{without_click}");
        let length = all().map(|line| words(log.queries().get(line.query)).count()).sum::<usize>() as f64;
        assert!((2.3..2.9).contains(&(length / log.rows() as f64)), "{length}");
    }

    #[test]
    fn most_strings_are_one_persons_and_some_are_everybodys() {
        let log = log(3000, 1);
        let mut issuers = issuers(&log);
        let single = issuers.iter().filter(|&&persons| persons == 1).count() as f64 / issuers.len() as f64;
        assert!(single > 0.6, "{single}");
        issuers.sort_unstable();
        let tenth = issuers[issuers.len() - 10] as f64 / 3000.0;
        assert!(tenth > 0.003, "{tenth}");
    }

    #[test]
    fn times_are_whole_seconds_of_the_three_months_in_order() {
        let log = log(500, 2);
        for person in 0..log.persons() {
            assert!(log.lines(person).all(|line| line.time % 1000 == 0));
            assert!(log.lines(person).is_sorted_by_key(|line| line.time));
        }
        let (first, last) = log.time_span().unwrap();
        assert!(first >= 1_141_171_200_000 && last <= 1_149_119_999_000, "{first} {last}");
    }

    #[test]
    fn ids_are_rising_numbers() {
        let log = log(2000, 4);
        assert!(log.names().iter().map(|name| name.parse::<u64>().unwrap()).is_sorted_by(|left, right| left < right));
        assert!(log.names().iter().all(|name| !name.starts_with('0')));
    }

    #[test]
    fn queries_are_clean_enough_for_a_tsv_file() {
        let log = log(2000, 5);
        for query in log.queries().iter() {
            assert!(!query.is_empty() && query.trim() == query && !query.contains("  "), "{query:?}");
            assert!(!query.chars().any(|letter| letter.is_control() || letter.is_uppercase()), "{query:?}");
        }
        assert!(log.queries().iter().any(|query| !query.is_ascii()));
        assert!(log.queries().iter().any(|query| query.contains('"')));
        assert!(log.urls().iter().all(|url| url.starts_with("http://") && url.is_ascii() && !url.contains(' ')));
    }

    #[test]
    fn bad_parameters_are_refused_together() {
        for (persons, mean_lines) in [(0, 55.0), (1, 0.5), (1, 100_001.0), (1, f64::NAN)] {
            assert!(QueriesSynth::new(Params { persons, mean_lines, ..Params::default() }).unwrap_err().is_parameter());
        }
        let both =
            QueriesSynth::new(Params { persons: 0, mean_lines: 0.0, ..Params::default() }).unwrap_err().describe(false);
        assert!(
            both.contains("`persons` is 0, but must be at least 1") && both.contains("`mean-lines` is 0"),
            "{both}"
        );
    }

    #[test]
    fn the_extremes_survive() {
        let little =
            QueriesSynth::new(Params { persons: 20, mean_lines: 1.0, ..Params::default() }).unwrap().block(0..20);
        assert!((0..20).all(|person| (1..=40).contains(&little.range(person).len())));
        let much = QueriesSynth::new(Params { persons: 2, mean_lines: 20_000.0, ..Params::default() }).unwrap();
        assert!(much.block(0..2).rows() > 100);
        assert_eq!(much.block(1..1).rows(), 0);
    }
}
