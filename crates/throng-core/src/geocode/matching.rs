//! Finding an address in a reference: exactly, with errors, next door, between two numbers, or at least its street or area.
//!
//! Paper      Christen 2008, sections 2.1 and 4.1: dirty addresses, numbers that the reference lacks, postcodes of better neighbours.
//!
//! # Idea
//! 1. Every street whose name is like the one asked for is a candidate, wherever it is; suburb, postcode and number speak for it or
//!    against it. The one with the highest score is taken; if several lie apart and have the same, the answer is their area.
//! 2. A number that is known is the place. Between two known ones of its side: a share of the way (`interpolated`). Beyond the last: on in
//!    the same direction, for at most three spacings (`extrapolated`). Else the middle of the street.
//! 3. Without a street, the suburb and postcode: the middle of their addresses.
//!
//! # Formula
//! score = Σ w · s / Σ w over the parts that were given: street .5, suburb .2, postcode .15, number .15; s is a similarity of names, and for
//! postcodes 1 if equal, .6 for a neighbour, .5 for one typing error; for numbers 1 if known, .9 with another letter, .75 interpolated, .5
//! extrapolated. The error is half the spacing for what is interpolated, a spacing and the way gone for what is extrapolated, the farthest
//! address for streets and areas.
//!
//! # Cost
//! A search of the names of streets, and a look at each street of those names.

use super::address::{Address, Parser, StreetName, street_similarity, suburb_similarity};
use super::number::HouseNumber;
use super::reference::{Known, Reference, ReferenceLevel};
use super::similar;
use crate::geo::{self, plane};

/// How an address was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// All parts as given.
    Exact,
    /// With errors in its parts, or without one of them.
    Fuzzy,
    /// In another postcode beside the one given.
    Neighbour,
    /// Between two known numbers.
    Interpolated,
    /// Beyond the last known number.
    Extrapolated,
    /// The street without the number.
    Street,
    /// The suburb or postcode.
    Area,
    /// Not at all.
    None,
}

impl Level {
    /// All levels, the best first.
    pub const ALL: [Self; 8] = [
        Self::Exact,
        Self::Fuzzy,
        Self::Neighbour,
        Self::Interpolated,
        Self::Extrapolated,
        Self::Street,
        Self::Area,
        Self::None,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Fuzzy => "fuzzy",
            Self::Neighbour => "neighbour",
            Self::Interpolated => "interpolated",
            Self::Extrapolated => "extrapolated",
            Self::Street => "street",
            Self::Area => "area",
            Self::None => "none",
        }
    }
}

/// What was found of an address.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Located {
    /// How.
    pub level: Level,
    /// Where: latitude and longitude in degrees.
    pub place: Option<(f64, f64)>,
    /// How well the parts agree, in [0, 1].
    pub score: f64,
    /// How far off it may be, in metres.
    pub error: Option<f64>,
    /// The property or segment, where it is a single one.
    pub source: Option<u32>,
}

const NOTHING: Located = Located { level: Level::None, place: None, score: 0.0, error: None, source: None };

const OF_STREET: f64 = 0.5;
const OF_SUBURB: f64 = 0.2;
const OF_POSTCODE: f64 = 0.15;
const OF_NUMBER: f64 = 0.15;

const NEIGHBOUR: f64 = 0.6;
const MISTYPED: f64 = 0.5;
/// Names of streets that are less alike are others.
const STREET_LIKE: f64 = 0.6;
/// Streets that agree less with what was asked are not found.
const FOUND: f64 = 0.65;
/// Suburbs that are less alike are others.
const SUBURB_LIKE: f64 = 0.7;
/// So many spacings beyond the last number are tried.
const SPACINGS: u32 = 3;
/// Streets with the same score are one answer if they lie so near together, in kilometres.
const TOGETHER: f64 = 0.05;

/// Finds addresses in a reference.
#[derive(Debug)]
pub struct Matcher<'a> {
    reference: &'a Reference,
}

/// A street that may be meant.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    street: u32,
    score: f64,
    placed: Placed,
    is_exact: bool,
    postcode: f64,
}

/// Where a number of a street is.
#[derive(Debug, Clone, Copy)]
struct Placed {
    how: Level,
    agreement: f64,
    place: (f64, f64),
    error: f64,
    source: Option<u32>,
}

impl<'a> Matcher<'a> {
    /// A matcher for a reference.
    pub fn new(reference: &'a Reference) -> Self {
        Self { reference }
    }

    /// The reference.
    pub fn reference(&self) -> &'a Reference {
        self.reference
    }

    /// Finds an address that was written as one line.
    pub fn locate_line(&self, line: &str) -> Located {
        let readings = Parser::new(self.reference).readings(line);
        self.best_of(&readings)
    }

    /// Finds an address in its parts.
    pub fn locate(&self, address: &Address) -> Located {
        self.best_of(std::slice::from_ref(address))
    }

    fn best_of(&self, readings: &[Address]) -> Located {
        let mut best: Vec<Candidate> = Vec::new();
        for address in readings {
            for candidate in self.candidates(address) {
                match best.first().map(|first| first.score) {
                    Some(score) if candidate.score < score - 1e-9 => {}
                    Some(score) if candidate.score <= score + 1e-9 => {
                        if best.iter().all(|other| other.street != candidate.street) {
                            best.push(candidate);
                        }
                    }
                    _ => best = vec![candidate],
                }
            }
        }
        best.sort_by_key(|candidate| (candidate.placed.how, candidate.street));
        match best.as_slice() {
            [] => readings
                .iter()
                .map(|address| self.area(address))
                .fold(NOTHING, |best, next| if next.score > best.score { next } else { best }),
            [candidate] => located(candidate),
            [first, others @ ..] => {
                let is_apart = |other: &Candidate| geo::distance(first.placed.place, other.placed.place) > TOGETHER;
                if others.iter().any(is_apart) { several(&best) } else { located(first) }
            }
        }
    }

    /// The streets that may be meant, with what speaks for them.
    fn candidates(&self, address: &Address) -> Vec<Candidate> {
        let reference = self.reference;
        let mut names: Vec<(u32, f64, &StreetName)> = Vec::new();
        for asked in &address.streets {
            names.extend(
                reference
                    .names
                    .like(&asked.name, STREET_LIKE)
                    .into_iter()
                    .map(|(name, likeness)| (name, likeness, asked)),
            );
        }
        names.sort_by_key(|found| found.0);
        let mut found = Vec::new();
        let suburbs: Vec<(u32, f64)> = reference.suburbs.like(&address.suburb, STREET_LIKE);
        for (name, likeness, asked) in names {
            for &number in reference.named(name) {
                let street = &reference.streets[number as usize];
                let of_street = street_similarity(asked, likeness, street.kind);
                let of_suburb = suburbs.iter().find(|suburb| suburb.0 == street.suburb).map_or(0.0, |suburb| suburb.1);
                let of_postcode = self.postcode_agreement(&address.postcode, street.postcode);
                let (has_suburb, has_postcode) = (!address.suburb.is_empty(), !address.postcode.is_empty());
                if (has_suburb || has_postcode) && of_suburb == 0.0 && of_postcode == 0.0 {
                    continue;
                }
                let Some(placed) = self.place_number(number, address.number) else { continue };
                let parts = [
                    (OF_STREET, of_street, true),
                    (OF_SUBURB, of_suburb, has_suburb),
                    (OF_POSTCODE, of_postcode, has_postcode),
                    (OF_NUMBER, placed.agreement, address.number.is_some()),
                ];
                let given = parts.iter().filter(|part| part.2);
                let (sum, weight) = given.fold((0.0, 0.0), |(sum, all), part| (sum + part.0 * part.1, all + part.0));
                let score = sum / weight;
                let is_exact =
                    of_street > 1.0 - 1e-9 && of_suburb == 1.0 && of_postcode == 1.0 && placed.agreement == 1.0;
                if score >= FOUND {
                    found.push(Candidate {
                        street: number,
                        score,
                        placed,
                        is_exact,
                        postcode: if has_postcode { of_postcode } else { 1.0 },
                    });
                }
            }
        }
        found
    }

    fn postcode_agreement(&self, asked: &str, postcode: u32) -> f64 {
        if asked.is_empty() {
            return 0.0;
        }
        let known = self.reference.postcodes.get(postcode);
        if known == asked {
            return 1.0;
        }
        if let Some(asked) = self.reference.postcodes.number(asked)
            && self.reference.neighbours(asked).contains(&postcode)
        {
            return NEIGHBOUR;
        }
        let (left, right): (Vec<char>, Vec<char>) = (asked.chars().collect(), known.chars().collect());
        if similar::edits(&left, &right) == 1 { MISTYPED } else { 0.0 }
    }

    /// Where a number of a street is; the middle of the street if it cannot be said.
    fn place_number(&self, street: u32, number: Option<HouseNumber>) -> Option<Placed> {
        let known = self.reference.known(street);
        number.and_then(|number| self.place_known(known, number)).or_else(|| middle(known))
    }

    fn place_known(&self, known: &[Known], number: HouseNumber) -> Option<Placed> {
        let at = |how, agreement, place, error, source| Placed { how, agreement, place, error, source };
        let is_property = self.reference.level == ReferenceLevel::Property;
        if is_property {
            let same: Vec<&Known> = known.iter().filter(|known| known.number.value == number.value).collect();
            if let Some(found) = same.iter().find(|known| known.number == number) {
                return Some(at(Level::Exact, 1.0, found.place, 0.0, Some(found.source)));
            }
            if let Some(found) = same.first() {
                return Some(at(Level::Fuzzy, 0.9, found.place, 0.0, Some(found.source)));
            }
        }
        let side: Vec<&Known> =
            known.iter().filter(|known| known.is_of_both || known.number.is_odd() == number.is_odd()).collect();
        let behind = side.partition_point(|known| known.number.value < number.value);
        if let Some(found) = side.get(behind).filter(|known| known.number.value == number.value) {
            // The end of a segment.
            return Some(at(
                Level::Interpolated,
                1.0,
                found.place,
                self.half_spacing(&side, behind),
                Some(found.source),
            ));
        }
        let step = if side.iter().any(|known| known.is_of_both) { 1.0 } else { 2.0 };
        let metres = |from: (f64, f64), to: (f64, f64)| geo::distance(from, to) * 1000.0;
        match (behind.checked_sub(1).map(|before| side[before]), side.get(behind)) {
            (Some(before), Some(after)) => {
                let numbers = f64::from(after.number.value - before.number.value);
                let share = f64::from(number.value - before.number.value) / numbers;
                let place = plane::between(before.place, after.place, share);
                let error = metres(before.place, after.place) / numbers * step / 2.0;
                let source = (!is_property && before.source == after.source).then_some(before.source);
                let agreement = if source.is_some() { 1.0 } else { 0.75 };
                Some(at(Level::Interpolated, agreement, place, error, source))
            }
            (before, after) => {
                // From the last but one over the last.
                let (last, inner) = match (before, after) {
                    (Some(last), _) => {
                        (last, side[..behind - 1].iter().rev().find(|known| known.number.value < last.number.value)?)
                    }
                    (None, Some(first)) => (*first, side.iter().find(|known| known.number.value > first.number.value)?),
                    (None, None) => return None,
                };
                let numbers = last.number.value.abs_diff(inner.number.value);
                let spacing = if is_property { least_gap(&side)? } else { step as u32 };
                let beyond = number.value.abs_diff(last.number.value);
                if beyond > SPACINGS * spacing {
                    return None;
                }
                let share = 1.0 + f64::from(beyond) / f64::from(numbers);
                let a_spacing = metres(inner.place, last.place) / f64::from(numbers) * f64::from(spacing);
                let error = a_spacing / 2.0 + metres(inner.place, last.place) * (share - 1.0) / 2.0;
                Some(at(Level::Extrapolated, 0.5, plane::between(inner.place, last.place, share), error, None))
            }
        }
    }

    /// Half the distance of two numbers that follow each other, beside a known one.
    fn half_spacing(&self, side: &[&Known], at: usize) -> f64 {
        let other = if at + 1 < side.len() { at + 1 } else { at.saturating_sub(1) };
        let numbers = side[at].number.value.abs_diff(side[other].number.value);
        if numbers == 0 {
            return 0.0;
        }
        geo::distance(side[at].place, side[other].place) * 1000.0 / f64::from(numbers)
    }

    /// The middle of the suburb or postcode that is meant.
    fn area(&self, address: &Address) -> Located {
        let reference = self.reference;
        let (has_suburb, has_postcode) = (!address.suburb.is_empty(), !address.postcode.is_empty());
        let mut best = 0.0;
        let mut areas: Vec<(u32, u32)> = Vec::new();
        for street in &reference.streets {
            let of_suburb =
                if has_suburb { suburb_similarity(&address.suburb, reference.suburbs.get(street.suburb)) } else { 0.0 };
            let of_postcode = self.postcode_agreement(&address.postcode, street.postcode);
            if of_suburb < SUBURB_LIKE && of_postcode < 1.0 {
                continue;
            }
            let score = OF_SUBURB * of_suburb + OF_POSTCODE * of_postcode;
            let area = (street.suburb, street.postcode);
            if score > best + 1e-9 {
                best = score;
                areas = vec![area];
            } else if score > best - 1e-9 && !areas.contains(&area) {
                areas.push(area);
            }
        }
        if areas.is_empty() {
            return NOTHING;
        }
        let given = [
            (OF_STREET, !address.streets.is_empty()),
            (OF_SUBURB, has_suburb),
            (OF_POSTCODE, has_postcode),
            (OF_NUMBER, address.number.is_some()),
        ];
        let weight: f64 = given.iter().filter(|part| part.1).map(|part| part.0).sum();
        let is_in = |street: u32| {
            areas.contains(&(reference.streets[street as usize].suburb, reference.streets[street as usize].postcode))
        };
        let streets = (0..reference.streets.len() as u32).filter(|&street| is_in(street));
        let places: Vec<(f64, f64)> =
            streets.flat_map(|street| reference.known(street)).map(|known| known.place).collect();
        let (place, error) = centre(&places);
        Located { level: Level::Area, place: Some(place), score: best / weight, error: Some(error), source: None }
    }
}

/// The smallest step between two numbers of a side.
fn least_gap(side: &[&Known]) -> Option<u32> {
    side.windows(2).map(|pair| pair[1].number.value - pair[0].number.value).filter(|&gap| gap > 0).min()
}

/// The known number in the middle of a street.
fn middle(known: &[Known]) -> Option<Placed> {
    let place = known.get(known.len() / 2)?.place;
    let error = known.iter().map(|known| geo::distance(known.place, place) * 1000.0).fold(0.0, f64::max);
    Some(Placed { how: Level::Street, agreement: 0.0, place, error, source: None })
}

/// The mean of places, and how far the farthest is from it, in metres.
fn centre(places: &[(f64, f64)]) -> ((f64, f64), f64) {
    let Some(&origin) = places.first() else { return ((0.0, 0.0), 0.0) };
    let metres = places.iter().map(|&place| plane::metres(origin, place));
    let (east, north) = metres.fold((0.0, 0.0), |(east, north), (right, up)| (east + right, north + up));
    let count = places.len() as f64;
    let centre = plane::moved(origin, east / count, north / count);
    let error = places.iter().map(|&place| geo::distance(place, centre) * 1000.0).fold(0.0, f64::max);
    (centre, error)
}

fn located(candidate: &Candidate) -> Located {
    let Placed { how, place, error, source, .. } = candidate.placed;
    let level = match how {
        Level::Exact if candidate.is_exact => Level::Exact,
        Level::Exact | Level::Fuzzy if candidate.postcode == NEIGHBOUR => Level::Neighbour,
        Level::Exact | Level::Fuzzy => Level::Fuzzy,
        other => other,
    };
    Located { level, place: Some(place), score: candidate.score, error: Some(error), source }
}

/// Several streets agree as well: the area that they span.
fn several(candidates: &[Candidate]) -> Located {
    let places: Vec<(f64, f64)> = candidates.iter().map(|candidate| candidate.placed.place).collect();
    let (place, error) = centre(&places);
    let score = candidates.first().map_or(0.0, |candidate| candidate.score);
    Located { level: Level::Area, place: Some(place), score, error: Some(error), source: None }
}

#[cfg(test)]
mod tests;
