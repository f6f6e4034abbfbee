//! Planted persons: made-up people who type what gives them away, so that one can look for it in a release.
//!
//! Does not   name anybody: names and towns are put together from syllables, telephone numbers lie in the range that is kept free for
//!            stories (555-01xx), mail goes to `.example`. Where one exists in reality, that is chance.
//!
//! # Idea
//! 1. A planted person has a name, an address, a telephone number, a social security number, an e-mail address and a rare illness.
//! 2. They have one or several accounts. Each has a short history like anybody's, and in it every fact, typed a few times.

use super::person::{DAYS, FIRST_SECOND};
use super::world::World;
use crate::Rng;

/// How many planted persons there are, and how many accounts each has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planting {
    /// Planted persons, beside the others.
    pub persons: usize,
    /// The accounts of each.
    pub accounts: usize,
}

/// Accounts of planted persons have no more lines beside their facts, so that the facts are a good part of what they say.
pub(super) const MOST_LINES: usize = 20;

/// So often a fact is typed in an account.
pub(super) const TIMES: usize = 3;

/// A planted person: who would be found, and by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planted {
    /// The ids of their accounts.
    pub accounts: Vec<String>,
    /// What they type.
    pub facts: Vec<Fact>,
}

/// Something that gives a person away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What it is: `name`, `address`, `telephone`, `ssn`, `email`, `illness`.
    pub sort: &'static str,
    /// What is typed.
    pub query: String,
}

/// The facts of the planted person with this number.
pub(super) fn facts(world: &World, seed: u64, number: usize) -> Vec<Fact> {
    // Streams from the end: those from the beginning are people's histories.
    let mut rng = Rng::seeded_stream(seed, u64::MAX - number as u64);
    let given = world.given_names.pick(&mut rng);
    let family = world.family_name(&mut rng);
    let name = format!("{given} {family}").to_lowercase();
    let town = world.towns.pick(&mut rng).name.to_lowercase();
    let street = world.family_name(&mut rng).to_lowercase();
    let ending = world.streets[rng.index(world.streets.len())];
    let [house, area, line] = [999, 799, 100].map(|bound| 1 + rng.below(bound));
    let [group, serial] = [99, 9999].map(|bound| 1 + rng.below(bound));
    // No social security number has the area 666.
    let first = if area == 666 { 667 } else { area };
    // With 555 twice a number would be two words, which several persons have.
    let code = if 200 + area == 555 { 556 } else { 200 + area };
    let illness = world.family_name(&mut rng).to_lowercase();
    let host: String = town.chars().filter(char::is_ascii_alphanumeric).collect();
    let fact = |sort, query: String| Fact { sort, query };
    vec![
        fact("name", name.clone()),
        fact("address", format!("{house} {street} {ending} {town}")),
        fact("telephone", format!("({code:03}) 555-01{:02}", line - 1)),
        fact("ssn", format!("{first:03}-{group:02}-{serial:04}")),
        fact("email", format!("{}@{host}.example", name.replace(' ', "."))),
        fact("illness", format!("{name} {illness} syndrome")),
    ]
}

/// When a fact is typed.
pub(super) fn second(rng: &mut Rng) -> i64 {
    FIRST_SECOND + rng.below(DAYS * 86_400) as i64
}
