//! The marks of a few persons, as far as they matter for groups of these persons.
//!
//! A mark of fewer than k of them is never common to a group of them, and one of all of them is common to every group.
//! Both are left out, and the rest is numbered anew, which makes lists a third as long and keeps the weights at hand.

/// Marks of some persons by new numbers.
#[derive(Debug)]
pub(super) struct Local {
    starts: Vec<u32>,
    marks: Vec<u32>,
    weights: Vec<u32>,
}

impl Local {
    /// Of the `marks` of these persons those that at least `least` and not all have. `scratch` has a 0 for every mark, before and
    /// after.
    pub(super) fn new<'a>(
        weights_of: &[u32],
        marks: impl Fn(u32) -> &'a [u32],
        persons: &[u32],
        least: usize,
        scratch: &mut [u32],
    ) -> Self {
        const NAMED: u32 = 1 << 31;
        for &person in persons {
            for &mark in marks(person) {
                scratch[mark as usize] += 1;
            }
        }
        let (mut starts, mut named, mut weights) = (vec![0], Vec::new(), Vec::new());
        let all = persons.len();
        for &person in persons {
            for &mark in marks(person) {
                let found = scratch[mark as usize];
                if found & NAMED != 0 {
                    named.push(found & !NAMED);
                } else if found as usize >= least && (found as usize) < all {
                    let name = weights.len() as u32;
                    weights.push(weights_of[mark as usize]);
                    scratch[mark as usize] = NAMED | name;
                    named.push(name);
                }
            }
            starts.push(named.len() as u32);
        }
        for &person in persons {
            for &mark in marks(person) {
                scratch[mark as usize] = 0;
            }
        }
        Self { starts, marks: named, weights }
    }

    /// The marks of the person at a place among those given.
    pub(super) fn of(&self, at: usize) -> &[u32] {
        &self.marks[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    pub(super) fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// What the marks of a person weigh together.
    pub(super) fn weight(&self, at: usize) -> i64 {
        self.of(at).iter().map(|&mark| i64::from(self.weights[mark as usize])).sum()
    }

    /// What the marks of a person weigh by `values`, one for each mark.
    pub(super) fn sum(&self, at: usize, values: &[u32]) -> i64 {
        self.of(at).iter().map(|&mark| i64::from(values[mark as usize])).sum()
    }
}
