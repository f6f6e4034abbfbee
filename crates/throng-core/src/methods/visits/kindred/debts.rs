//! Debts: what a group's rounding did not publish is owed by the next group, so that totals come out right over the whole log.
//!
//! # Idea
//! A debt is what was in the original, of all groups so far, less what was published of them; all members of a group are published with
//! the same record, so what a record says counts once for each. A number that every record must have is the debt over the members, rounded:
//! what is left is at most half a group's size. Where something has to be chosen, whatever is owed most is preferred.
//!
//! Groups come in an order that says nothing: drawn at random within a stratum.

/// What is owed of some numbered things.
#[derive(Debug, Clone, Default)]
pub(super) struct Debts(Vec<i64>);

impl Debts {
    /// Of so many things nothing is owed.
    pub(super) fn of(count: usize) -> Self {
        Self(vec![0; count])
    }

    /// So much of a thing was in the original.
    pub(super) fn owe(&mut self, thing: usize, count: u64) {
        if thing >= self.0.len() {
            self.0.resize(thing + 1, 0);
        }
        self.0[thing] += count as i64;
    }

    /// So much of a thing is published.
    pub(super) fn pay(&mut self, thing: usize, count: u64) {
        if thing >= self.0.len() {
            self.0.resize(thing + 1, 0);
        }
        self.0[thing] -= count as i64;
    }

    /// What is owed of a thing, for each of so many members.
    pub(super) fn each(&self, thing: usize, members: usize) -> f64 {
        self.0.get(thing).map_or(0.0, |&owed| owed as f64 / members as f64)
    }

    /// How much of a thing the record of a group has, which has so much of it in all: what is owed, over the members, rounded.
    pub(super) fn settle(&mut self, thing: usize, total: u64, members: usize, least: u64) -> u64 {
        self.owe(thing, total);
        let (owed, members) = (self.0[thing], members as i64);
        let each = ((2 * owed + members).div_euclid(2 * members)).max(least as i64) as u64;
        self.pay(thing, each * members as u64);
        each
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three groups of 3, 3 and 4 with 4, 4 and 9 sessions in all: 4/3 is 1, and 1 is owed; 5/3 is 2, and 1 too much is paid; 8/4 is 2.
    #[test]
    fn over_three_groups_by_hand() {
        let mut debts = Debts::of(1);
        let settled = [(4, 3), (4, 3), (9, 4)].map(|(total, members)| {
            let each = debts.settle(0, total, members, 1);
            (each, debts.0[0])
        });
        assert_eq!(settled, [(1, 1), (2, -1), (2, 0)]);
        // Nobody has fewer than one, whatever was paid before.
        let mut debts = Debts(vec![-9]);
        assert_eq!((debts.settle(0, 3, 3, 1), debts.0[0]), (1, -9));
        debts.owe(4, 6);
        assert_eq!((debts.each(4, 3), debts.each(9, 3)), (2.0, 0.0));
    }

    /// Whatever comes, no more than half a group's size is left, where every member has at least one.
    #[test]
    fn what_is_left_is_less_than_a_group() {
        let mut debts = Debts::of(1);
        for (step, members) in (0..1000u64).zip((3..8).cycle()) {
            let total = members as u64 + step * 7 % 23;
            debts.settle(0, total, members, 1);
            assert!(2 * debts.0[0].unsigned_abs() as usize <= members);
        }
    }
}
