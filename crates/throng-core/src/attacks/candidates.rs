//! Candidates: the records that what is known leads to, and the score that finds them.
//!
//! # Idea
//! 1. Each part of a known fact matches some records. A part that c of the release's N persons match adds ln((N + 1)/c) to those c: what
//!    few match says more.
//! 2. Candidates are the records within 1e-9 of the greatest sum. If nothing matched, everybody is a candidate.
//!
//! # Cost
//! A number for each record, and for each part its matching records.

use std::sync::Arc;

use super::statistics::Attempt;

/// Sums that differ by less are equal: the order of their parts decides nothing.
const EQUAL: f64 = 1e-9;

/// Different records that match something, in any order, and how many persons they stand for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Matched {
    /// The records.
    pub records: Vec<u32>,
    /// Their persons.
    pub persons: u64,
}

impl Matched {
    /// These records, each of which comes once.
    pub fn new(records: Vec<u32>, multiplicity: &[u32]) -> Self {
        let persons = records.iter().map(|&record| u64::from(multiplicity[record as usize])).sum();
        Self { records, persons }
    }

    /// Whether a record is among them. Looking through them once costs less than ordering them would.
    pub fn has(&self, record: u32) -> bool {
        self.records.contains(&record)
    }
}

/// Whom an attacker takes the target for.
#[derive(Debug, Clone)]
pub enum Candidates {
    /// What is known leads to nobody: one is as good as another.
    Everybody,
    /// Those who are left after others were ruled out, though nothing leads to them.
    Left(Arc<Matched>),
    /// Those whom what is known leads to.
    Singled(Arc<Matched>),
}

impl Candidates {
    /// What a uniform guess among them achieves, if the target's record is this one, of a release of so many persons.
    pub fn attempt(&self, record: Option<u32>, persons: u64) -> Attempt {
        let Some(record) = record else { return Attempt::default() };
        match self {
            Self::Everybody => Attempt { hit: 1.0 / persons as f64, found: 0.0 },
            Self::Left(left) if left.has(record) => Attempt { hit: 1.0 / left.persons as f64, found: 0.0 },
            Self::Singled(singled) if singled.has(record) => Attempt { hit: 1.0 / singled.persons as f64, found: 1.0 },
            _ => Attempt::default(),
        }
    }
}

/// Adds up what parts say of records. One is used for many sums, one after the other.
pub(super) struct Scores {
    score: Vec<f64>,
    touched: Vec<u32>,
    persons: u64,
}

impl Scores {
    /// For so many records, which stand for so many persons.
    pub(super) fn new(records: usize, persons: u64) -> Self {
        Self { score: vec![0.0; records], touched: Vec::new(), persons }
    }

    /// One part, which these records match. A part that nobody matches says nothing.
    pub(super) fn add(&mut self, records: &[u32], persons: u64) {
        self.add_each(records.iter().copied(), persons);
    }

    /// The same, of records one by one.
    pub(super) fn add_each(&mut self, records: impl Iterator<Item = u32>, persons: u64) {
        if persons == 0 {
            return;
        }
        let weight = ((self.persons + 1) as f64 / persons as f64).ln();
        for record in records {
            let score = &mut self.score[record as usize];
            if *score == 0.0 {
                self.touched.push(record);
            }
            *score += weight;
        }
    }

    /// The records with the greatest sum.
    pub(super) fn greatest(&self) -> Vec<u32> {
        let of = |record: &u32| self.score[*record as usize];
        let greatest = self.touched.iter().map(of).fold(0.0, f64::max);
        self.touched.iter().copied().filter(|record| of(record) >= greatest - EQUAL).collect()
    }

    /// The records with the greatest sum, and nothing is added up any more.
    pub(super) fn best(&mut self, multiplicity: &[u32]) -> Candidates {
        let best = self.greatest();
        for &record in &self.touched {
            self.score[record as usize] = 0.0;
        }
        let is_nothing = self.touched.is_empty();
        self.touched.clear();
        if is_nothing { Candidates::Everybody } else { Candidates::Singled(Arc::new(Matched::new(best, multiplicity))) }
    }
}

/// For each of some keys the different records that have it, in rising order.
#[derive(Debug)]
pub(super) struct Holders {
    starts: Vec<u32>,
    records: Vec<u32>,
    persons: Vec<u32>,
}

impl Holders {
    /// From pairs of key below `count` and record, of which records must come in rising order for each key.
    pub(super) fn new(count: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone, multiplicity: &[u32]) -> Self {
        let mut starts = vec![0u32; count + 1];
        let mut last = vec![u32::MAX; count];
        let mut is_new = |(key, record): &(u32, u32)| std::mem::replace(&mut last[*key as usize], *record) != *record;
        pairs.clone().filter(&mut is_new).for_each(|(key, _)| starts[key as usize + 1] += 1);
        for key in 0..count {
            starts[key + 1] = starts[key].checked_add(starts[key + 1]).expect("more than four billion facts");
        }
        let mut place = starts.clone();
        let mut records = vec![0; starts[count] as usize];
        let mut persons = vec![0u32; count];
        last.fill(u32::MAX);
        for (key, record) in pairs {
            if std::mem::replace(&mut last[key as usize], record) == record {
                continue;
            }
            records[place[key as usize] as usize] = record;
            place[key as usize] += 1;
            persons[key as usize] += multiplicity[record as usize];
        }
        Self { starts, records, persons }
    }

    /// The records of a key.
    pub(super) fn of(&self, key: u32) -> &[u32] {
        &self.records[self.starts[key as usize] as usize..self.starts[key as usize + 1] as usize]
    }

    /// Their persons.
    pub(super) fn persons(&self, key: u32) -> u64 {
        u64::from(self.persons[key as usize])
    }

    /// The records that have all of some keys; none if there are no keys.
    pub(super) fn of_all(&self, keys: &[u32], multiplicity: &[u32]) -> Matched {
        let Some(&fewest) = keys.iter().min_by_key(|&&key| self.of(key).len()) else { return Matched::default() };
        let has_all = |record: &&u32| keys.iter().all(|&key| self.of(key).binary_search(record).is_ok());
        Matched::new(self.of(fewest).iter().filter(has_all).copied().collect(), multiplicity)
    }
}

/// Collects different records out of many lists.
pub(super) struct Union {
    stamp: Vec<u32>,
    round: u32,
}

impl Union {
    /// For so many records.
    pub(super) fn new(records: usize) -> Self {
        Self { stamp: vec![0; records], round: 0 }
    }

    /// Each record once, and their persons.
    pub(super) fn of(&mut self, records: impl Iterator<Item = u32>, multiplicity: &[u32]) -> Matched {
        self.round += 1;
        let (stamp, round) = (&mut self.stamp, self.round);
        let is_new = |record: &u32| std::mem::replace(&mut stamp[*record as usize], round) != round;
        Matched::new(records.filter(is_new).collect(), multiplicity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_few_match_counts_more() {
        let multiplicity = [2, 1, 1, 1];
        let mut scores = Scores::new(4, 5);
        assert!(matches!(scores.best(&multiplicity), Candidates::Everybody));
        // ln(6/3) for records 0 and 1; ln(6/1) for record 2: one of a kind outweighs one of three.
        scores.add(&[0, 1], 3);
        scores.add(&[2], 1);
        let Candidates::Singled(best) = scores.best(&multiplicity) else { panic!("nothing matched") };
        assert_eq!((&best.records[..], best.persons), (&[2][..], 1));
        // Nothing is left of the sums before, and a part that nobody matches says nothing.
        scores.add(&[], 0);
        assert!(matches!(scores.best(&multiplicity), Candidates::Everybody));
        scores.add(&[1, 0], 3);
        let Candidates::Singled(best) = scores.best(&multiplicity) else { panic!("nothing matched") };
        assert_eq!((&best.records[..], best.persons), (&[1, 0][..], 3));
    }

    #[test]
    fn guesses_are_uniform_and_the_left_out_are_never_hit() {
        let singled = Candidates::Singled(Arc::new(Matched { records: vec![1, 3], persons: 8 }));
        assert_eq!(singled.attempt(Some(3), 20), Attempt { hit: 0.125, found: 1.0 });
        assert_eq!(singled.attempt(Some(2), 20), Attempt::default());
        assert_eq!(singled.attempt(None, 20), Attempt::default());
        assert_eq!(Candidates::Everybody.attempt(Some(2), 20), Attempt { hit: 0.05, found: 0.0 });
        assert_eq!(Candidates::Everybody.attempt(None, 20), Attempt::default());
        let left = Candidates::Left(Arc::new(Matched { records: vec![2], persons: 4 }));
        assert_eq!(left.attempt(Some(2), 20), Attempt { hit: 0.25, found: 0.0 });
    }

    #[test]
    fn holders_are_different_records() {
        let pairs = [(1, 0), (0, 0), (1, 0), (1, 2), (0, 2), (1, 3)];
        let holders = Holders::new(3, pairs.into_iter(), &[5, 1, 2, 1]);
        assert_eq!((holders.of(0), holders.of(1), holders.of(2)), (&[0, 2][..], &[0, 2, 3][..], &[][..]));
        assert_eq!((holders.persons(0), holders.persons(1), holders.persons(2)), (7, 8, 0));
        assert_eq!(holders.of_all(&[0, 1], &[5, 1, 2, 1]).records, [0, 2]);
        assert_eq!(holders.of_all(&[0, 2], &[5, 1, 2, 1]), Matched::default());
        assert_eq!(Union::new(4).of([3, 0, 3].into_iter(), &[5, 1, 2, 1]), Matched { records: vec![3, 0], persons: 6 });
    }
}
