//! A made-up town: its addresses with their places, its streets as segments, and people who write their address down with errors.
//!
//! # Idea
//! 1. Suburbs lie in a square grid in the middle of an ocean, and two beside each other share a postcode. A suburb is 900 m wide and has
//!    eight streets from west to east that wind a little; odd numbers lie to the north. A name is given to about three streets of the
//!    town, never twice in a postcode.
//! 2. Houses stand about 20 m apart. One in twenty was never built, one in fifty has a neighbour with a letter, and one in twenty-five is
//!    not in the reference, as new houses are not.
//! 3. People write abbreviations, make a typing error or two, leave the suburb out or give a neighbouring postcode. What each did is in
//!    the truth.

use std::collections::BTreeSet;

use super::tail::{Syllables, write_misspelt};
use super::vocabulary;
use crate::Rng;
use crate::geo::{self, plane};

/// How wide a suburb is, in metres.
const WIDTH: f64 = 900.0;
const STREETS: usize = 8;
/// How far apart streets are, and houses of a side.
const BETWEEN_STREETS: f64 = 110.0;
const FRONTAGE: f64 = 20.0;
/// How far houses lie from the middle of their street.
const SETBACK: f64 = 12.0;
/// So many streets share a name, about.
const NAMESAKES: usize = 3;
/// Where the town begins: no land is near.
const ORIGIN: (f64, f64) = (47.5, -30.0);

/// An address that exists.
#[derive(Debug, Clone, PartialEq)]
pub struct House {
    /// Its id in the reference; none if the reference lacks it.
    pub id: Option<String>,
    /// Its number, with a letter perhaps.
    pub number: String,
    /// The number of its street in [`Town::streets`].
    pub street: usize,
    /// Its latitude and longitude in degrees.
    pub place: (f64, f64),
}

/// A street of the town.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TownStreet {
    /// Its name with its type.
    pub name: String,
    /// Its suburb.
    pub suburb: String,
    /// Its postcode.
    pub postcode: String,
    /// The postcode of a suburb beside it.
    beside: String,
}

/// A piece of one side of a street.
#[derive(Debug, Clone, PartialEq)]
pub struct TownSegment {
    /// Its street.
    pub street: usize,
    /// The first number.
    pub from: u32,
    /// The last number.
    pub to: u32,
    /// `left` or `right`.
    pub side: &'static str,
    /// Where the centreline is at the first number.
    pub start: (f64, f64),
    /// Where it is at the last.
    pub end: (f64, f64),
}

/// Somebody's address as they wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct Resident {
    /// Their id.
    pub id: String,
    /// The number.
    pub number: String,
    /// The street.
    pub street: String,
    /// The suburb.
    pub suburb: String,
    /// The postcode.
    pub postcode: String,
    /// The same as one line.
    pub line: String,
    /// Where they live: the number of the house in [`Town::houses`].
    pub house: usize,
    /// What is wrong with it, in words joined by `+`; `none` if nothing is.
    pub errors: String,
}

/// A made-up town.
#[derive(Debug, Clone, PartialEq)]
pub struct Town {
    /// Its streets.
    pub streets: Vec<TownStreet>,
    /// Its houses, street by street.
    pub houses: Vec<House>,
    /// Its streets in pieces.
    pub segments: Vec<TownSegment>,
    /// People who live there.
    pub residents: Vec<Resident>,
}

/// Makes up a town with at least so many addresses, and so many people in it. The same seed makes the same town.
pub fn make(addresses: usize, residents: usize, seed: u64) -> Town {
    let mut rng = Rng::seeded_stream(seed, 0);
    let of_suburb = STREETS * 2 * (WIDTH / FRONTAGE) as usize;
    let across = (addresses as f64 / of_suburb as f64 * 1.15).sqrt().ceil().max(2.0) as usize;
    let mut town =
        Town { streets: streets(across, &mut rng), houses: Vec::new(), segments: Vec::new(), residents: Vec::new() };
    let mut known = 0;
    for number in 0..town.streets.len() {
        let (suburb, row) = (number / STREETS, number % STREETS);
        let corner = (
            (suburb % across) as f64 * (WIDTH + 60.0),
            (suburb / across) as f64 * (STREETS as f64 * BETWEEN_STREETS + 40.0),
        );
        let line = Line { start: (corner.0, corner.1 + row as f64 * BETWEEN_STREETS), phase: rng.unit() * 6.0 };
        build(&mut town, number, &line, &mut known, &mut rng);
    }
    let mut rng = Rng::seeded_stream(seed, 1);
    for number in 0..residents {
        let resident = resident(&town, number, &mut rng);
        town.residents.push(resident);
    }
    town
}

fn streets(across: usize, rng: &mut Rng) -> Vec<TownStreet> {
    let syllables = Syllables::new();
    let mut taken = BTreeSet::new();
    let mut draw = |rng: &mut Rng, count: usize, write: fn(&Syllables, &mut Rng, &mut String)| {
        let mut names = Vec::with_capacity(count);
        while names.len() < count {
            let mut name = String::new();
            write(&syllables, rng, &mut name);
            if (4..=12).contains(&name.chars().count()) && taken.insert(name.clone()) {
                names.push(capital(&name));
            }
        }
        names
    };
    let suburbs = draw(rng, across * across, Syllables::write_town);
    let names = draw(rng, (across * across * STREETS / NAMESAKES).max(2 * STREETS), Syllables::write_family_name);
    let types: Vec<String> = vocabulary::STREETS.split(' ').map(capital).collect();
    // Two suburbs beside each other in a row share a postcode.
    let postcode = |suburb: usize| (1000 + suburb / across * across.div_ceil(2) + suburb % across / 2).to_string();
    let mut streets = Vec::new();
    let mut of_postcode: std::collections::BTreeMap<String, BTreeSet<usize>> = std::collections::BTreeMap::new();
    for suburb in 0..suburbs.len() {
        let own = postcode(suburb);
        let around = [suburb.checked_sub(across), Some(suburb + across), suburb.checked_sub(1), Some(suburb + 1)];
        let others: Vec<String> = around
            .into_iter()
            .flatten()
            .filter(|&other| {
                other < suburbs.len() && (other / across == suburb / across || other % across == suburb % across)
            })
            .map(postcode)
            .filter(|other| *other != own)
            .collect();
        for _ in 0..STREETS {
            let taken = of_postcode.entry(own.clone()).or_default();
            let name = loop {
                let name = rng.index(names.len());
                if taken.insert(name) {
                    break name;
                }
            };
            let kind = &types[rng.index(types.len())];
            let beside = if others.is_empty() { own.clone() } else { others[rng.index(others.len())].clone() };
            streets.push(TownStreet {
                name: format!("{} {kind}", names[name]),
                suburb: suburbs[suburb].clone(),
                postcode: own.clone(),
                beside,
            });
        }
    }
    streets
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The middle of a street, winding a little.
struct Line {
    start: (f64, f64),
    phase: f64,
}

impl Line {
    /// The place so many metres along it, and to its left.
    fn place(&self, along: f64, left: f64) -> (f64, f64) {
        let (lat, lon) =
            plane::moved(ORIGIN, self.start.0 + along, self.start.1 + 8.0 * (along / 120.0 + self.phase).sin() + left);
        (geo::rounded(lat), geo::rounded(lon))
    }
}

fn build(town: &mut Town, street: usize, line: &Line, known: &mut usize, rng: &mut Rng) {
    const NEVER_BUILT: f64 = 0.05;
    const NOT_KNOWN: f64 = 0.04;
    const WITH_LETTER: f64 = 0.02;
    const OF_A_PIECE: usize = 15;
    let houses = (WIDTH / FRONTAGE) as usize - rng.index(8);
    let along = |at: usize| (at as f64 + 0.5) * FRONTAGE;
    for (is_odd, side, left) in [(true, "left", SETBACK), (false, "right", -SETBACK)] {
        let number = |at: usize| (2 * at + if is_odd { 1 } else { 2 }) as u32;
        for at in 0..houses {
            if rng.unit() < NEVER_BUILT {
                continue;
            }
            let middle = along(at) + 4.0 * (rng.unit() - 0.5);
            let place = line.place(middle, left + 4.0 * (rng.unit() - 0.5));
            let mut add = |number: String, place, is_known: bool| {
                *known += usize::from(is_known);
                let id = is_known.then(|| format!("A{known:06}"));
                town.houses.push(House { id, number, street, place });
            };
            add(number(at).to_string(), place, rng.unit() >= NOT_KNOWN);
            if rng.unit() < WITH_LETTER {
                add(format!("{}a", number(at)), line.place(middle + 6.0, left), true);
            }
        }
        for first in (0..houses).step_by(OF_A_PIECE) {
            let last = (first + OF_A_PIECE).min(houses) - 1;
            let (start, end) = (line.place(along(first), 0.0), line.place(along(last), 0.0));
            town.segments.push(TownSegment { street, from: number(first), to: number(last), side, start, end });
        }
    }
}

/// Somebody who lives somewhere and writes it down.
fn resident(town: &Town, number: usize, rng: &mut Rng) -> Resident {
    const WITH_TYPO: f64 = 0.5;
    const WITH_SECOND: f64 = 0.3;
    const WITH_OTHER_POSTCODE: f64 = 0.2;
    const WITHOUT_SUBURB: f64 = 0.2;
    const ABBREVIATED: f64 = 0.5;
    let house = rng.index(town.houses.len());
    let living = &town.houses[house];
    let at = &town.streets[living.street];
    let (mut name, mut kind) = match at.name.rsplit_once(' ') {
        Some((name, kind)) => (name.to_owned(), kind.to_owned()),
        None => (at.name.clone(), String::new()),
    };
    let (mut suburb, mut postcode) = (at.suburb.clone(), at.postcode.clone());
    let mut errors = Vec::new();
    let which = rng.unit();
    if which < WITH_OTHER_POSTCODE {
        if at.beside != postcode {
            postcode = at.beside.clone();
            errors.push("postcode");
        }
    } else if which < WITH_OTHER_POSTCODE + WITHOUT_SUBURB {
        suburb.clear();
        errors.push("no-suburb");
    }
    if rng.unit() < ABBREVIATED {
        kind = match kind.as_str() {
            "Street" => "St",
            "Avenue" => "Ave",
            "Lane" => "Ln",
            "Road" => "Rd",
            "Drive" => "Dr",
            "Court" => "Ct",
            "Place" => "Pl",
            "Terrace" => "Tce",
            other => other,
        }
        .to_owned();
    }
    if rng.unit() < WITH_TYPO {
        let typos = 1 + usize::from(rng.unit() < WITH_SECOND);
        for _ in 0..typos {
            let place = if suburb.is_empty() || rng.unit() < 0.6 { &mut name } else { &mut suburb };
            let mut mistyped = String::new();
            write_misspelt(place, rng, &mut mistyped);
            *place = mistyped;
        }
        errors.push(if typos == 1 { "typo" } else { "typos" });
    }
    if living.id.is_none() {
        errors.push("not-in-reference");
    }
    let street = format!("{name} {kind}");
    let line = match (suburb.is_empty(), rng.below(3)) {
        (true, _) => format!("{} {street}, {postcode}", living.number),
        (false, 0) => format!("{} {street} {suburb} {postcode}", living.number).to_uppercase(),
        (false, 1) => format!("{} {street}, {suburb} {postcode}", living.number),
        _ => format!("{} {street}, {suburb}, {postcode}", living.number),
    };
    Resident {
        id: format!("P{:06}", number + 1),
        number: living.number.clone(),
        street,
        suburb,
        postcode,
        line,
        house,
        errors: if errors.is_empty() { "none".to_owned() } else { errors.join("+") },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_a_town() {
        let town = make(3000, 200, 1);
        assert_eq!(town, make(3000, 200, 1));
        assert_ne!(town, make(3000, 200, 2));
        let known = town.houses.iter().filter(|house| house.id.is_some()).count();
        assert!(known >= 3000, "{known}");
        assert_eq!(town.residents.len(), 200);
        // A name stands once in a postcode, and in several.
        let names: BTreeSet<(&str, &str)> = town
            .streets
            .iter()
            .map(|street| (street.name.rsplit_once(' ').unwrap().0, street.postcode.as_str()))
            .collect();
        assert_eq!(names.len(), town.streets.len());
        let different: BTreeSet<&str> = names.iter().map(|name| name.0).collect();
        assert!(different.len() * 2 < names.len() + STREETS * 2);
        for sort in ["none", "typo", "postcode", "no-suburb", "not-in-reference"] {
            assert!(town.residents.iter().any(|resident| resident.errors.contains(sort)), "{sort}");
        }
    }

    /// Houses of a side follow each other, odd ones to the north.
    #[test]
    fn houses_stand_in_order() {
        let town = make(1000, 0, 3);
        let of_first: Vec<&House> = town.houses.iter().filter(|house| house.street == 0).collect();
        let number = |house: &House| house.number.trim_end_matches('a').parse::<u32>().unwrap();
        let odd: Vec<&&House> = of_first.iter().filter(|house| number(house) % 2 == 1).collect();
        assert!(odd.windows(2).all(|pair| number(pair[0]) <= number(pair[1]) && pair[0].place.1 < pair[1].place.1));
        let mean = |houses: &[&&House]| houses.iter().map(|house| house.place.0).sum::<f64>() / houses.len() as f64;
        let even: Vec<&&House> = of_first.iter().filter(|house| number(house) % 2 == 0).collect();
        assert!(mean(&odd) > mean(&even));
    }
}
