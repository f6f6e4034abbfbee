//! What an attacker makes of masked points: the nearest address, addresses that the method could have come from, and the middle of several
//! releases.
//!
//! # Idea
//! 1. `nearest`: the guess is the address nearest to the written point.
//! 2. `annulus`: the attacker knows that a point was put onto an address of rank k to 5k, with k addresses no farther than the true one.
//!    Every address from which that could be is as likely.
//! 3. `averaging`: the guess is the address nearest to the mean of a person's points in all releases.
//!
//! A guess among c equal candidates counts 1/c.
//!
//! # Cost
//! For `annulus` a search for each of the 12k nearest addresses of each point.

use rayon::prelude::*;

use super::mask::local_k;
use super::places::Places;
use crate::geo::{self, plane};

/// How many tries there were, and how many were right.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Outcome {
    /// Points that were guessed at.
    pub attempts: usize,
    /// Guesses that were right, in parts where several addresses are as likely.
    pub hits: f64,
    /// The mean number of addresses that were as likely.
    pub candidates: f64,
}

impl Outcome {
    fn of(guesses: &[(bool, usize)]) -> Self {
        let hits = guesses.iter().filter(|guess| guess.0).map(|guess| 1.0 / guess.1 as f64).sum();
        let candidates = guesses.iter().map(|guess| guess.1 as f64).sum::<f64>() / guesses.len().max(1) as f64;
        Self { attempts: guesses.len(), hits, candidates }
    }

    /// The share that was right.
    pub fn rate(&self) -> f64 {
        if self.attempts == 0 { 0.0 } else { self.hits / self.attempts as f64 }
    }
}

/// The true and the written points of one person, a written point a release.
pub type Person = ((f64, f64), Vec<(f64, f64)>);

/// Whether an address is the true one: at the address nearest to the true position.
fn is_true(addresses: &Places, guess: u32, truth: (f64, f64)) -> bool {
    addresses.nearest(truth).is_some_and(|(nearest, _)| addresses.get(nearest) == addresses.get(guess))
}

/// The nearest address of the first release.
pub fn nearest(persons: &[Person], addresses: &Places) -> Outcome {
    let guess = |person: &Person| {
        let guess = person.1.first().and_then(|&written| addresses.nearest(written));
        (guess.is_some_and(|(guess, _)| is_true(addresses, guess, person.0)), 1)
    };
    Outcome::of(&persons.par_iter().map(guess).collect::<Vec<_>>())
}

/// The address nearest to the mean of all releases.
pub fn averaging(persons: &[Person], addresses: &Places) -> Outcome {
    let guess = |person: &Person| {
        let Some(&origin) = person.1.first() else { return (false, 1) };
        let count = person.1.len() as f64;
        let metres = person.1.iter().map(|&written| plane::metres(origin, written));
        let (east, north) = metres.fold((0.0, 0.0), |sum, next| (sum.0 + next.0 / count, sum.1 + next.1 / count));
        let guess = addresses.nearest(plane::moved(origin, east, north));
        (guess.is_some_and(|(guess, _)| is_true(addresses, guess, person.0)), 1)
    };
    Outcome::of(&persons.par_iter().map(guess).collect::<Vec<_>>())
}

/// The addresses from which `adaptive-donut` could have come to the point of the first release.
pub fn annulus(persons: &[Person], addresses: &Places, k: usize) -> Outcome {
    const LOOKED_AT: usize = 12;
    const WIDEST: usize = 5;
    let guess = |person: &Person| {
        let Some(&written) = person.1.first() else { return (false, 1) };
        let could_be = |candidate: (f64, f64)| {
            let far = geo::distance(candidate, written);
            let rank = addresses.count_within(candidate, far * (1.0 + 1e-9));
            (k..=WIDEST * k).contains(&rank) && local_k(addresses, written, candidate) >= k
        };
        let near = addresses.nearest_few(written, LOOKED_AT * k);
        let candidates: Vec<u32> =
            near.into_iter().map(|near| near.0).filter(|&near| could_be(addresses.get(near))).collect();
        (candidates.iter().any(|&candidate| is_true(addresses, candidate, person.0)), candidates.len().max(1))
    };
    Outcome::of(&persons.par_iter().map(guess).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Places {
        Places::new((0..900).map(|at| (f64::from(at / 30) * 2e-4, f64::from(at % 30) * 2e-4)).collect())
    }

    /// A point that was not moved is found; one that was moved to its neighbour is not, and the middle of both sides finds it again.
    #[test]
    fn planted_victims() {
        let addresses = grid();
        let home = addresses.get(465);
        let beside = (addresses.get(462), addresses.get(468));
        assert_eq!(nearest(&[(home, vec![home])], &addresses).hits, 1.0);
        assert_eq!(nearest(&[(home, vec![beside.0])], &addresses).hits, 0.0);
        let both = [(home, vec![beside.0, beside.1])];
        assert_eq!((nearest(&both, &addresses).hits, averaging(&both, &addresses).hits), (0.0, 1.0));
        assert_eq!(averaging(&[], &addresses).rate(), 0.0);
    }

    /// From a point of rank 8 with k = 5 the true address is one of those that it could have come from, and there are at least as many as
    /// the four beside it.
    #[test]
    fn candidates_of_the_ring() {
        let addresses = grid();
        let home = addresses.get(465);
        let found = annulus(&[(home, vec![addresses.get(467)])], &addresses, 5);
        assert!(found.candidates >= 4.0 && found.hits > 0.0 && found.hits <= 0.25, "{found:?}");
        // From next door it cannot have come: four are as near, and five are asked for.
        assert_eq!(annulus(&[(home, vec![home])], &addresses, 5).hits, 0.0);
    }
}
