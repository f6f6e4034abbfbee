//! The user distance: how different two searchers are, from all their lines.
//!
//! Paper      Navarro-Arribas, Torra, Erola, Castellà-Roca. User k-anonymity for privacy preserving data mining of query
//!            logs. Information Processing and Management 48 (2012). Section 3.2.
//!
//! # Idea
//! 1. Bring times, ranks, words a query and queries a person to [0, 1] by their least and greatest value in the original.
//! 2. Two words: edits over the longer length. Two queries: Hausdorff over their words, and the difference in length.
//! 3. Two lines: time, rank, host name (right-most labels weigh most) and query, the query three times.
//! 4. Two persons: Hausdorff over their lines, and the difference in the number of lines.
//!
//! # Formula
//! query(p, q) = (|terms(p) - terms(q)| + 2 H(words)) / 3; the paper prints the factor 2 on the other term, which
//! `--query-weights printed` gives (Q6).
//! line(a, b) = (time + rank + host + 3 query) / 6. user(A, B) = (|lines(A) - lines(B)| + H(lines)) / 2.
//! host(X, Y) = sum of 2^(m-i) / (2^(m+1) - 1) over the labels i, from the right, that differ; m + 1 labels in the longer.
//!
//! # Readings
//! Q1 to Q13 of READINGS.md: min in norm; a constant attribute is 0 everywhere; labels that the shorter name lacks
//! differ; rank or URL missing on both sides 0, on one side 1; words split on white space, case kept; an empty query
//! against a non-empty one 1, two empty ones 0. Repeated lines do not change a Hausdorff distance and are dropped;
//! the number of lines counts them.
//!
//! # Cost
//! Time O(lines(A) · lines(B)) word comparisons at worst; bounds leave a few for each line. Memory 90
//! bytes a line, and 150 bytes a word of each person whose words had to be compared.
//!
//! # Does not
//! obey the triangle inequality (the normalised edit distance does not), so nothing may be pruned by it.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use super::Pairwise;
use super::hausdorff::{self, Nearest};
use super::vocabulary::Vocabulary;
use crate::data::{Interner, QueryLog};
use crate::info::{Info, Parameter, ParameterKind};
use crate::text::edit_distance::{Outline, Words};
use crate::text::{host, words};

/// The card of the user distance.
pub const INFO: Info = Info {
    name: "user-distance",
    summary: "how different two searchers are: activity, times, ranks, sites and words of all their lines",
    paper: "Navarro-Arribas, Torra, Erola, Castellà-Roca. User k-anonymity for privacy preserving data mining of query \
            logs. Information Processing and Management 48 (2012), section 3.2",
    details: "Two words: edit distance over the longer length.\n\
        Two queries: (|terms - terms'| + 2 H) / 3, with H the Hausdorff distance over their words and terms the number \
        of words brought to [0, 1].\n\
        Two host names: label by label from the right, label i weighing 2^(m-i) / (2^(m+1) - 1).\n\
        Two lines: (time + rank + host + 3 query) / 6; rank or URL missing on both sides 0, on one side 1.\n\
        Two persons: (|lines - lines'| + H) / 2, with H the Hausdorff distance over their lines and lines the number of \
        lines brought to [0, 1].\n\
        Every number lies in [0, 1]: least and greatest time, rank, words a query and lines a person come from the \
        original.\n\
        See it at work: throng inspect FILE --distance USER1 USER2\n\
        It compares letters, not meaning: `jaguar` is near `jaguars` and far from `leopard`.",
    parameters: &[QUERY_WEIGHTS],
};

/// The parameter that chooses between the text and the print of equation 1.
pub const QUERY_WEIGHTS: Parameter = Parameter {
    name: "query-weights",
    summary: "whether the words (text) or the number of words (printed) of a query weigh double",
    kind: ParameterKind::Choice(&["text", "printed"]),
    default: "text",
};

/// Which part of a query weighs double (reading Q6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueryWeights {
    /// The words, as the text of section 3.2.2 says.
    #[default]
    Text,
    /// The number of words, as equation 1 is printed.
    Printed,
}

/// The scales of an original: the least and greatest value of each attribute.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scales {
    pub(super) time: Scale,
    pub(super) rank: Scale,
    pub(super) terms: Scale,
    lines: Scale,
}

/// Brings an attribute to [0, 1].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    least: i64,
    greatest: i64,
}

impl Scale {
    fn of(values: impl Iterator<Item = i64>) -> Self {
        let (least, greatest) =
            values.fold((i64::MAX, i64::MIN), |(least, greatest), value| (least.min(value), greatest.max(value)));
        Self { least, greatest }
    }

    pub(super) fn norm(self, value: i64) -> f64 {
        if self.greatest <= self.least {
            return 0.0;
        }
        (value - self.least) as f64 / (self.greatest - self.least) as f64
    }
}

impl Scales {
    /// Scales between the least and the greatest time, rank, number of words and number of lines; `None` where there is none.
    pub(crate) fn between(
        time: Option<(i64, i64)>,
        rank: Option<(i64, i64)>,
        terms: Option<(i64, i64)>,
        lines: Option<(i64, i64)>,
    ) -> Self {
        let scale = |span: Option<(i64, i64)>| Scale::of(span.into_iter().flat_map(|(least, most)| [least, most]));
        Self { time: scale(time), rank: scale(rank), terms: scale(terms), lines: scale(lines) }
    }

    /// The scales of a log.
    pub fn of(original: &QueryLog) -> Self {
        let terms: Vec<i64> = original.queries().iter().map(|query| words(query).count() as i64).collect();
        let lines = || (0..original.rows()).map(|row| original.line(row));
        Self {
            time: Scale::of(lines().map(|line| line.time)),
            rank: Scale::of(lines().filter_map(|line| line.rank).map(i64::from)),
            terms: Scale::of(lines().map(|line| terms[line.query as usize])),
            lines: Scale::of((0..original.persons()).map(|person| original.range(person).len() as i64)),
        }
    }
}

/// Persons of one or several logs, ready to be compared. Persons are numbered log after log.
#[derive(Debug, Clone)]
pub struct UserSpace {
    scales: Scales,
    weights: QueryWeights,
    strings: Interner,
    labels: Labels,
    pub(super) words: Words,
    /// The number of words of each string, brought to [0, 1].
    terms: Vec<f64>,
    /// String `s` has the distinct words `string_words[string_starts[s]..string_starts[s + 1]]`.
    string_starts: Vec<u32>,
    string_words: Vec<Outline>,
    host_labels: Vec<HostLabels>,
    person_starts: Vec<usize>,
    lines: Vec<SpaceLine>,
    /// The vocabulary of each person, once it was asked for.
    vocabularies: Vec<OnceLock<Vocabulary>>,
    columns: Columns,
    /// Person `p` has the boxes `boxes[box_starts[p]..box_starts[p + 1]]`.
    box_starts: Vec<usize>,
    boxes: Vec<LineBox>,
    /// Person `p` has the runs `runs[run_starts[p]..run_starts[p + 1]]`.
    run_starts: Vec<usize>,
    runs: Vec<Run>,
    /// The number of lines of each person, brought to [0, 1].
    activity: Vec<f64>,
}

/// The numbers of the lines once more, one column each, so that a line is compared with many at the speed of memory.
#[derive(Debug, Clone, Default)]
struct Columns {
    time: Vec<f64>,
    /// 0 when missing: compared only among lines that have one, or lack it, alike.
    rank: Vec<f64>,
    terms: Vec<f64>,
    /// The host's first labels; see [`HostLabels::first`].
    labels: [Vec<u32>; 4],
    /// Two to the number of labels that the host lacks of four.
    unused: Vec<u32>,
}

impl Columns {
    fn push(&mut self, line: &SpaceLine, labels: [u32; 4]) {
        self.time.push(line.time);
        self.rank.push(if line.has_rank() { line.rank } else { 0.0 });
        self.terms.push(line.terms);
        self.labels.iter_mut().zip(labels).for_each(|(column, label)| column.push(label));
        self.unused.push(unused_weight(&labels));
    }

    fn truncate(&mut self, length: usize) {
        self.time.truncate(length);
        self.rank.truncate(length);
        self.terms.truncate(length);
        self.labels.iter_mut().for_each(|column| column.truncate(length));
        self.unused.truncate(length);
    }
}

/// A person's lines of one class: where they are, and their least and greatest numbers.
#[derive(Debug, Clone)]
pub(super) struct LineBox {
    /// Which of the person's lines.
    pub(super) lines: Range<usize>,
    /// Of these the first and last in time, the highest and lowest rank, the most and fewest words.
    pub(super) extremes: [u32; 6],
    class: u8,
    time: (f64, f64),
    rank: (f64, f64),
    terms: (f64, f64),
    /// Whether a host name has more than four labels.
    has_long_names: bool,
}

impl LineBox {
    fn of(start: usize, lines: &[SpaceLine], has_long_names: bool) -> Self {
        let extreme = |value: fn(&SpaceLine) -> f64| {
            let (mut least, mut greatest) = (0, 0);
            for (at, line) in lines.iter().enumerate() {
                if value(line) < value(&lines[least]) {
                    least = at;
                }
                if value(line) > value(&lines[greatest]) {
                    greatest = at;
                }
            }
            let place = |at: usize| u32::try_from(start + at).expect("more than four billion lines of one person");
            ([place(least), place(greatest)], (value(&lines[least]), value(&lines[greatest])))
        };
        let (times, time) = extreme(|line| line.time);
        let (ranks, rank) = extreme(|line| line.rank);
        let (lengths, terms) = extreme(|line| line.terms);
        let extremes = [times[0], times[1], ranks[0], ranks[1], lengths[0], lengths[1]];
        Self { lines: start..start + lines.len(), extremes, class: lines[0].class(), time, rank, terms, has_long_names }
    }

    /// What rank and host of a line differ at the least, as one has what the other lacks.
    pub(super) fn lacking(&self, line: &SpaceLine) -> f64 {
        f64::from((self.class ^ line.class()).count_ones())
    }

    /// About how far, in time, rank and length, a line is from all lines in the box, at the least.
    pub(super) fn gap(&self, line: &SpaceLine) -> f64 {
        let gap = |value: f64, (least, greatest): (f64, f64)| (least - value).max(value - greatest).max(0.0);
        let differs = self.class ^ line.class();
        let rank = if differs & 2 == 0 { gap(line.rank, self.rank) } else { 1.0 };
        gap(line.time, self.time) + gap(line.terms, self.terms) + rank + f64::from(differs & 1)
    }
}

/// The most lines of a run.
const RUN: usize = 8;

/// A few of a person's lines, all of one class, one after the other: where they are, and their least and greatest numbers.
#[derive(Debug, Clone)]
pub(super) struct Run {
    /// Which of the person's lines.
    pub(super) lines: Range<usize>,
    class: u8,
    time: (f64, f64),
    rank: (f64, f64),
    terms: (f64, f64),
    /// The right-most label of their host names; [`MORE_LABELS`] if they differ.
    first_label: u32,
}

impl Run {
    fn of(start: usize, lines: &[SpaceLine], first_label: impl Fn(&SpaceLine) -> u32) -> Self {
        let span = |value: fn(&SpaceLine) -> f64| {
            (lines.iter().map(value)).fold((f64::INFINITY, f64::NEG_INFINITY), |(least, greatest), value| {
                (value.min(least), value.max(greatest))
            })
        };
        let first = first_label(&lines[0]);
        Self {
            lines: start..start + lines.len(),
            class: lines[0].class(),
            time: span(|line| line.time),
            rank: span(|line| line.rank),
            terms: span(|line| line.terms),
            first_label: if lines.iter().all(|line| first_label(line) == first) { first } else { MORE_LABELS },
        }
    }
}

/// A line, all numbers brought to [0, 1].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SpaceLine {
    pub(super) time: f64,
    /// [`NO_RANK`] when missing. Beyond [0, 1] where a release has ranks that its original does not reach.
    pub(super) rank: f64,
    pub(super) terms: f64,
    pub(super) string: u32,
    /// [`NO_HOST`] when missing.
    pub(super) host: u32,
}

/// The host of a line without a URL.
pub(super) const NO_HOST: u32 = u32::MAX;

/// The rank of a line without one.
const NO_RANK: f64 = f64::NEG_INFINITY;

impl SpaceLine {
    fn has_rank(&self) -> bool {
        self.rank != NO_RANK
    }

    /// Lines of one class have rank and URL, or lack them, alike.
    pub(super) fn class(&self) -> u8 {
        u8::from(self.has_rank()) << 1 | u8::from(self.host != NO_HOST)
    }

    /// Whether this line comes after another in the order of a person's lines: by class, then time.
    pub(super) fn comes_after(&self, other: &Self) -> bool {
        let (own, others) = (self.class(), other.class());
        own > others || (own == others && self.time > other.time)
    }
}

/// The parts of a user distance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct UserParts {
    /// The difference in the number of lines.
    pub activity: f64,
    /// The Hausdorff distance over the lines.
    pub lines: f64,
    /// The two lines that decide it: the one farthest from all lines of the other person, and its nearest there.
    pub deciding: Option<LineParts>,
}

/// The parts of the distance of two lines.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LineParts {
    /// Whether the line that is far from all others is the first person's.
    pub from_first: bool,
    /// The distance of the two lines.
    pub distance: f64,
    /// The difference in time.
    pub time: f64,
    /// The difference in rank.
    pub rank: f64,
    /// The distance of the host names.
    pub url: f64,
    /// The distance of the query strings.
    pub query: f64,
    /// The difference in the number of words.
    pub terms: f64,
    /// The Hausdorff distance over the words.
    pub words: f64,
}

impl UserSpace {
    /// Makes the persons of some logs comparable, with the scales of the original.
    pub fn new(scales: Scales, weights: QueryWeights, logs: &[&QueryLog]) -> Self {
        let mut space = Self::empty(scales, weights, Labels::default());
        for log in logs {
            space.add(log);
        }
        space
    }

    /// Makes some persons of a log comparable. Costs nothing for the others: meant for many small spaces of one log, whose
    /// hosts are looked at once.
    pub fn of_persons(scales: Scales, weights: QueryWeights, log: &QueryLog, hosts: &Hosts, persons: &[u32]) -> Self {
        let mut space = Self::empty(scales, weights, hosts.labels.clone());
        space.add_persons(log, hosts, persons.iter().map(|&person| person as usize));
        space
    }

    fn empty(scales: Scales, weights: QueryWeights, labels: Labels) -> Self {
        Self {
            scales,
            weights,
            strings: Interner::new(),
            labels,
            words: Words::new(),
            terms: Vec::new(),
            string_starts: vec![0],
            string_words: Vec::new(),
            host_labels: Vec::new(),
            person_starts: vec![0],
            lines: Vec::new(),
            vocabularies: Vec::new(),
            columns: Columns::default(),
            box_starts: vec![0],
            boxes: Vec::new(),
            run_starts: vec![0],
            runs: Vec::new(),
            activity: Vec::new(),
        }
    }

    /// Adds the persons of one more log after those that are there.
    pub fn add(&mut self, log: &QueryLog) {
        let hosts = Hosts::with_labels(log, std::mem::take(&mut self.labels));
        self.add_persons(log, &hosts, 0..log.persons());
        self.labels = hosts.labels;
    }

    /// Adds some persons of a log, whose hosts have labels of this space.
    fn add_persons(&mut self, log: &QueryLog, hosts: &Hosts, persons: impl Iterator<Item = usize>) {
        // Strings and hosts are numbered in the order of the persons' lines, so that those of one person lie side by side.
        let mut strings: HashMap<u32, u32, FixedState> = HashMap::default();
        let mut own_hosts: HashMap<u32, u32, FixedState> = HashMap::default();
        for person in persons {
            let mut lines: Vec<SpaceLine> = log
                .lines(person)
                .map(|line| {
                    let string =
                        *strings.entry(line.query).or_insert_with(|| self.add_string(log.queries().get(line.query)));
                    let host = line.url.map_or(NO_HOST, |url| {
                        let host = hosts.of_url[url as usize];
                        *own_hosts.entry(host).or_insert_with(|| {
                            self.host_labels.push(hosts.names[host as usize].clone());
                            u32::try_from(self.host_labels.len() - 1).expect("more than four billion hosts")
                        })
                    });
                    SpaceLine {
                        time: self.scales.time.norm(line.time),
                        rank: line.rank.map_or(NO_RANK, |rank| self.scales.rank.norm(i64::from(rank))),
                        terms: self.terms[string as usize],
                        string,
                        host,
                    }
                })
                .collect();
            self.activity.push(self.scales.lines.norm(lines.len() as i64));
            lines.sort_unstable_by(|left, right| {
                (left.class().cmp(&right.class()))
                    .then(left.time.total_cmp(&right.time))
                    .then(left.string.cmp(&right.string))
                    .then(left.rank.total_cmp(&right.rank))
                    .then(left.host.cmp(&right.host))
            });
            lines.dedup();
            let mut start = 0;
            for run in lines.chunk_by(|left, right| left.class() == right.class()) {
                let has_long_names = run.iter().any(|line| self.first_labels(line.host)[3] == MORE_LABELS);
                self.boxes.push(LineBox::of(start, run, has_long_names));
                for lines in run.chunks(RUN) {
                    let first_label = |line: &SpaceLine| self.first_labels(line.host)[0];
                    self.runs.push(Run::of(start, lines, first_label));
                    start += lines.len();
                }
            }
            self.run_starts.push(self.runs.len());
            self.box_starts.push(self.boxes.len());
            for line in &lines {
                self.columns.push(line, self.first_labels(line.host));
            }
            self.lines.append(&mut lines);
            self.vocabularies.push(OnceLock::new());
            self.person_starts.push(self.lines.len());
        }
    }

    /// Removes the person that was added last.
    pub fn remove_last(&mut self) {
        self.activity.pop();
        self.vocabularies.pop();
        self.person_starts.pop();
        self.box_starts.pop();
        self.boxes.truncate(self.box_starts[self.box_starts.len() - 1]);
        self.run_starts.pop();
        self.runs.truncate(self.run_starts[self.run_starts.len() - 1]);
        let end = self.person_starts[self.person_starts.len() - 1];
        self.lines.truncate(end);
        self.columns.truncate(end);
    }

    fn add_string(&mut self, query: &str) -> u32 {
        let id = self.strings.intern(query);
        if id as usize == self.terms.len() {
            self.terms.push(self.scales.terms.norm(words(query).count() as i64));
            let mut distinct: Vec<u32> = words(query).map(|word| self.words.intern(word)).collect();
            distinct.sort_unstable();
            distinct.dedup();
            self.string_words.extend(distinct.iter().map(|&word| self.words.outline(word)));
            let end = u32::try_from(self.string_words.len()).expect("more than four billion words in distinct queries");
            self.string_starts.push(end);
        }
        id
    }

    /// The distance of two persons with its parts.
    pub fn parts(&self, left: usize, right: usize) -> (f64, UserParts) {
        let mut scratch = hausdorff::Scratch::new(self.len());
        let (lines, witness) = hausdorff::hausdorff(self, left, right, &mut scratch);
        let activity = (self.activity[left] - self.activity[right]).abs();
        let deciding = witness.map(|Nearest { from_left, line, nearest, distance }| {
            let (own, other) = if from_left { (left, right) } else { (right, left) };
            let (a, b) = (&self.person(own)[line], &self.person(other)[nearest]);
            let terms = (a.terms - b.terms).abs();
            let words = hausdorff::over_words(self, a.string, b.string, &mut scratch);
            LineParts {
                from_first: from_left,
                distance,
                time: (a.time - b.time).abs(),
                rank: rank_distance(a, b),
                url: self.host_distance(a.host, b.host),
                query: self.query_distance(terms, words),
                terms,
                words,
            }
        });
        ((activity + lines) / 2.0, UserParts { activity, lines, deciding })
    }

    /// The distinct lines of a person, by class, then time.
    pub(super) fn person(&self, person: usize) -> &[SpaceLine] {
        &self.lines[self.person_starts[person]..self.person_starts[person + 1]]
    }

    /// The boxes around a person's lines, one for each class they have.
    pub(super) fn boxes(&self, person: usize) -> &[LineBox] {
        &self.boxes[self.box_starts[person]..self.box_starts[person + 1]]
    }

    /// A person's lines in short runs.
    pub(super) fn runs(&self, person: usize) -> &[Run] {
        &self.runs[self.run_starts[person]..self.run_starts[person + 1]]
    }

    /// How far a line is from all lines of a run, at the most, but for the words: six times the distance.
    pub(super) fn most_unread(&self, run: &Run, line: &SpaceLine) -> f64 {
        let most = |value: f64, (least, greatest): (f64, f64)| (value - least).max(greatest - value);
        let (terms_weight, _) = self.sixth_weights();
        let differs = run.class ^ line.class();
        let rank = match differs & 2 {
            0 if line.has_rank() => most(line.rank, run.rank),
            0 => 0.0,
            _ => 1.0,
        };
        let host = match differs & 1 {
            0 if line.host == NO_HOST => 0.0,
            // The right-most label weighs more than all others together.
            0 if self.first_labels(line.host)[0] == run.first_label => 0.5,
            _ => 1.0,
        };
        most(line.time, run.time) + terms_weight * most(line.terms, run.terms) + rank + host
    }

    /// The distinct words of a query string.
    pub(super) fn string(&self, string: u32) -> &[Outline] {
        let (start, end) = (self.string_starts[string as usize], self.string_starts[string as usize + 1]);
        &self.string_words[start as usize..end as usize]
    }

    /// The words of a person's lines.
    pub(super) fn vocabulary(&self, person: usize) -> &Vocabulary {
        self.vocabularies[person]
            .get_or_init(|| Vocabulary::of(self.person(person), &self.words, |string| self.string(string)))
    }

    /// Equation 1, from the difference in length and the Hausdorff distance over the words.
    fn query_distance(&self, terms: f64, words: f64) -> f64 {
        match self.weights {
            QueryWeights::Text => (terms + 2.0 * words) / 3.0,
            QueryWeights::Printed => (2.0 * terms + words) / 3.0,
        }
    }

    /// Equation 3. Each step of it is monotone, rounding included, so bounds on a part bound the whole.
    pub(super) fn line_distance(&self, numeric: f64, terms: f64, words: f64) -> f64 {
        (numeric + 3.0 * self.query_distance(terms, words)) / 6.0
    }

    /// How much the difference in length and the words weigh in six times the distance of two lines.
    pub(super) fn sixth_weights(&self) -> (f64, f64) {
        match self.weights {
            QueryWeights::Text => (1.0, 2.0),
            QueryWeights::Printed => (2.0, 1.0),
        }
    }

    /// Whether two lines are within a limit, but for the words: six times their distance.
    pub(super) fn is_within(&self, a: &SpaceLine, b: &SpaceLine, limit: f64) -> bool {
        let (terms_weight, _) = self.sixth_weights();
        let room = limit - (a.time - b.time).abs() - terms_weight * (a.terms - b.terms).abs() - rank_distance(a, b);
        // The host matters only between these.
        room >= 1.0 || (room >= 0.0 && self.host_distance(a.host, b.host) <= room)
    }

    /// Time, rank and host of equation 3, in its order.
    pub(super) fn numeric(&self, a: &SpaceLine, b: &SpaceLine) -> f64 {
        (a.time - b.time).abs() + rank_distance(a, b) + self.host_distance(a.host, b.host)
    }

    /// How far a line is from each of some of a person's lines, all of one class, by all but its words: six times the
    /// distance of the lines if their words were equal, but for rounding.
    pub(super) fn unread(&self, a: &SpaceLine, person: usize, lines: &LineBox, at: Range<usize>, sums: &mut Vec<f64>) {
        let start = self.person_starts[person];
        let range = start + at.start..start + at.end;
        let columns = &self.columns;
        let (terms_weight, _) = self.sixth_weights();
        let class = a.class();
        let lacking = lines.lacking(a);
        let rank = if a.has_rank() { a.rank } else { 0.0 };
        let rank_weight = if (class ^ lines.class) & 2 == 0 { 1.0 } else { 0.0 };
        sums.clear();
        sums.extend(
            (columns.time[range.clone()].iter().zip(&columns.rank[range.clone()]))
                .zip(&columns.terms[range.clone()])
                .map(|((&time, &other), &terms)| {
                    let numbers = (a.time - time).abs() + rank_weight * (rank - other).abs();
                    numbers + terms_weight * (a.terms - terms).abs() + lacking
                }),
        );
        if class & lines.class & 1 != 0 {
            let labels = self.first_labels(a.host);
            let own_unused = unused_weight(&labels);
            let [first, second, third, fourth] = columns.labels.each_ref().map(|column| &column[range.clone()]);
            let unused = &columns.unused[range.clone()];
            for (at, sum) in sums.iter_mut().enumerate() {
                let differing = u32::from(first[at] != labels[0]) << 3
                    | u32::from(second[at] != labels[1]) << 2
                    | u32::from(third[at] != labels[2]) << 1
                    | u32::from(fourth[at] != labels[3]);
                // See `SHORT_NAMES`.
                *sum += f64::from(differing as i32) / f64::from(16 - unused[at].min(own_unused) as i32);
            }
            if labels[3] == MORE_LABELS || lines.has_long_names {
                for (sum, line) in sums.iter_mut().zip(range.clone()) {
                    let b = &self.lines[line];
                    *sum = self.numeric(a, b) + terms_weight * (a.terms - b.terms).abs();
                }
            }
        }
    }

    fn first_labels(&self, host: u32) -> [u32; 4] {
        if host == NO_HOST { [NO_LABEL; 4] } else { self.host_labels[host as usize].first }
    }

    /// The distance of two host names, missing ones included.
    #[inline]
    fn host_distance(&self, left: u32, right: u32) -> f64 {
        if left == right {
            return 0.0;
        }
        if left == NO_HOST || right == NO_HOST {
            return 1.0;
        }
        self.host_labels[left as usize].distance(&self.host_labels[right as usize])
    }
}

fn rank_distance(a: &SpaceLine, b: &SpaceLine) -> f64 {
    match (a.has_rank(), b.has_rank()) {
        (true, true) => (a.rank - b.rank).abs(),
        (false, false) => 0.0,
        _ => 1.0,
    }
}

/// The host names of a log's URLs.
#[derive(Debug, Clone)]
pub struct Hosts {
    /// For each URL which of the names is its host.
    of_url: Vec<u32>,
    names: Vec<HostLabels>,
    labels: Labels,
}

impl Hosts {
    /// The hosts of a log, for spaces of some of its persons.
    pub fn of(log: &QueryLog) -> Self {
        let mut hosts = Self::with_labels(log, Labels::default());
        hosts.labels = Labels { shared: Arc::new(hosts.labels.own), own: Interner::new() };
        hosts
    }

    fn with_labels(log: &QueryLog, mut labels: Labels) -> Self {
        let (mut distinct, mut names) = (Interner::new(), Vec::new());
        let of_url = log.urls().iter().map(|url| {
            let name = host::host_of(url);
            let id = distinct.intern(&name);
            if id as usize == names.len() {
                let numbers: Vec<u32> = host::labels(&name).map(|label| labels.intern(label)).collect();
                names.push(HostLabels::new(&numbers));
            }
            id
        });
        Self { of_url: of_url.collect(), names, labels }
    }
}

/// Numbers for the labels of host names: those of a log, shared by its spaces, and those that one space met later.
#[derive(Debug, Clone, Default)]
struct Labels {
    shared: Arc<Interner>,
    own: Interner,
}

impl Labels {
    fn intern(&mut self, label: &str) -> u32 {
        let shared = self.shared.strings().len() as u32;
        self.shared.find(label).unwrap_or_else(|| shared + self.own.intern(label))
    }
}

/// The labels of a host name as numbers, the right-most first.
#[derive(Debug, Clone)]
struct HostLabels {
    /// All of a name that has at most four, as nearly every name; what it lacks of them is [`NO_LABEL`]. The last is
    /// [`MORE_LABELS`] where there are more.
    first: [u32; 4],
    /// All of them, if there are more.
    all: Option<Box<[u32]>>,
}

/// Where a name has no label.
const NO_LABEL: u32 = u32::MAX;
/// The fourth of more than four labels.
const MORE_LABELS: u32 = u32::MAX - 1;

impl HostLabels {
    fn new(labels: &[u32]) -> Self {
        let mut first = [NO_LABEL; 4];
        let count = labels.len().min(4);
        first[..count].copy_from_slice(&labels[..count]);
        if labels.len() > 4 {
            first[3] = MORE_LABELS;
        }
        Self { first, all: (labels.len() > 4).then(|| labels.into()) }
    }

    fn labels(&self) -> &[u32] {
        let count = self.first.iter().take_while(|&&label| label != NO_LABEL).count();
        self.all.as_deref().unwrap_or(&self.first[..count])
    }

    fn distance(&self, other: &Self) -> f64 {
        if self.all.is_some() || other.all.is_some() {
            return label_distance(self.labels(), other.labels());
        }
        short_distance(&self.first, &other.first)
    }
}

/// The distance of two names of at most four labels.
#[inline]
fn short_distance(left: &[u32; 4], right: &[u32; 4]) -> f64 {
    // A label that both lack differs from nothing, and a label that one lacks differs.
    let differ = |at: usize| usize::from(left[at] != right[at]);
    let missing = |at: usize| usize::from(left[at] & right[at] == NO_LABEL);
    let differing = differ(0) << 3 | differ(1) << 2 | differ(2) << 1 | differ(3);
    SHORT_NAMES[((missing(0) + missing(1) + missing(2) + missing(3)) << 4 | differing) & 63]
}

/// Two to the number of labels that a host lacks of four, but not of all four.
fn unused_weight(labels: &[u32; 4]) -> u32 {
    1 << labels[1..].iter().filter(|&&label| label == NO_LABEL).count()
}

/// The distance of names of at most four labels, by the number of labels that both lack, at most three, and those that
/// differ.
const SHORT_NAMES: [f64; 64] = {
    let mut table = [0.0; 64];
    let mut missing = 0;
    while missing < 4 {
        let mut differing = 0;
        while differing < 16 {
            table[missing << 4 | differing] = (differing >> missing) as f64 / ((16 >> missing) - 1) as f64;
            differing += 1;
        }
        missing += 1;
    }
    table
};

/// The weighted share of labels that differ, from the right.
fn label_distance(left: &[u32], right: &[u32]) -> f64 {
    let (short, long) = if left.len() <= right.len() { (left, right) } else { (right, left) };
    if long.is_empty() {
        return 0.0;
    }
    if long.len() <= 127 {
        // The sum of 2^(m-i) over differing labels is a whole number: nothing is rounded before it becomes a float.
        // No name of the Internet has more labels.
        let mut differing = (1u128 << (long.len() - short.len())) - 1;
        for (position, (a, b)) in short.iter().zip(long).enumerate() {
            differing |= u128::from(a != b) << (long.len() - 1 - position);
        }
        return differing as f64 / ((1u128 << long.len()) - 1) as f64;
    }
    // The same divided by 2^m above and below, which no number of labels overflows.
    let differs = |position: usize| short.get(position) != Some(&long[position]);
    let sum: f64 = (0..long.len()).rev().filter(|&at| differs(at)).map(|at| 0.5f64.powi(at as i32)).sum();
    sum / (2.0 - 0.5f64.powi(long.len() as i32 - 1))
}

impl Pairwise for UserSpace {
    type Scratch = hausdorff::Scratch;

    fn len(&self) -> usize {
        self.activity.len()
    }

    fn scratch(&self) -> Self::Scratch {
        hausdorff::Scratch::new(self.len())
    }

    fn distance(&self, left: usize, right: usize, scratch: &mut Self::Scratch) -> f64 {
        let (lines, _) = hausdorff::hausdorff(self, left, right, scratch);
        ((self.activity[left] - self.activity[right]).abs() + lines) / 2.0
    }
}
