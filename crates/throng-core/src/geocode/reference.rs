//! What is known of the addresses of a country: properties with their places, or segments of streets with ranges of numbers.
//!
//! Paper      Christen 2008, section 2.1 and figure 1: property level (the centre of every property) and street level (centrelines with
//!            ranges of numbers, and one offset for all).
//!
//! # Idea
//! 1. A street is its name, suburb and postcode together: namesakes in other suburbs are other streets.
//! 2. Of every street there are *known numbers*: its properties, or both ends of each segment. What lies between two of a side is a share
//!    of the way, for both levels alike.
//! 3. Of a segment, every number of its range is an address, at regular intervals and moved from the centreline to its side.
//! 4. Two postcodes are neighbours if an address of one is among the twelve nearest of an address of the other.
//!
//! # Cost
//! Time O(n log n), mostly for neighbours, which a `.geo` file keeps; memory about 150 bytes an address.

use std::collections::BTreeSet;
use std::ops::Range;

use hashbrown::HashMap;
use rayon::prelude::*;

use super::number::HouseNumber;
use super::places::Places;
use super::similar::Names;
use super::words;
use crate::error::{Error, Result};
use crate::geo::plane;

/// Which level a reference has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceLevel {
    /// Every address with its place.
    Property,
    /// Segments of streets.
    Street,
}

/// Where the numbers of a segment lie, seen from its first end to its second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// On the line: no offset.
    Both,
}

impl Side {
    /// Reads `left`, `l`, `right`, `r`; `both` or nothing is the line itself.
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim().to_lowercase().as_str() {
            "left" | "l" => Some(Self::Left),
            "right" | "r" => Some(Self::Right),
            "both" | "b" | "" => Some(Self::Both),
            _ => None,
        }
    }

    fn turned(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
            Self::Both => Self::Both,
        }
    }
}

/// A street, suburb and postcode as somebody wrote them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Written {
    /// The street, with its type.
    pub street: String,
    /// The suburb or town.
    pub suburb: String,
    /// The postcode.
    pub postcode: String,
}

/// A property.
#[derive(Debug, Clone, PartialEq)]
pub struct Property {
    /// The id of the reference.
    pub id: String,
    /// The street that it belongs to.
    pub street: u32,
    /// Its number.
    pub number: HouseNumber,
    /// Its latitude and longitude in degrees.
    pub place: (f64, f64),
}

/// A segment of a street, its numbers rising from the first end to the second.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// The street that it belongs to.
    pub street: u32,
    /// The first number.
    pub from: u32,
    /// The last number.
    pub to: u32,
    /// The side of its numbers.
    pub side: Side,
    /// Where it begins.
    pub start: (f64, f64),
    /// Where it ends.
    pub end: (f64, f64),
}

/// A street: a name in a suburb with a postcode.
#[derive(Debug, Clone)]
pub struct Street {
    /// As it was first written.
    pub written: Written,
    /// Its name without type, a number of [`Reference::names`].
    pub name: u32,
    /// Its type in full.
    pub kind: Option<&'static str>,
    /// Its suburb, a number of [`Reference::suburbs`].
    pub suburb: u32,
    /// Its postcode, a number of [`Reference::postcodes`].
    pub postcode: u32,
}

/// A number of a street whose place is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// The number.
    pub number: HouseNumber,
    /// Whether it also counts for the other side: an end of a segment with odd and even numbers.
    pub is_of_both: bool,
    /// Where it is.
    pub place: (f64, f64),
    /// The property or segment.
    pub source: u32,
}

/// One address that there is, or that a segment says there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dwelling {
    /// The street.
    pub street: u32,
    /// The number.
    pub number: HouseNumber,
    /// The property or segment.
    pub source: u32,
}

/// A segment may not have more numbers.
const LONGEST_SEGMENT: u32 = 20_000;
/// So many of the nearest addresses say which postcodes are neighbours.
const NEAR: usize = 12;

/// What a reference is made of, while it is read.
#[derive(Debug, Default)]
pub struct ReferenceBuilder {
    streets: Vec<Written>,
    numbers: HashMap<Written, u32, foldhash::fast::FixedState>,
    properties: Vec<Property>,
    segments: Vec<Segment>,
    /// How many segments were turned, for their numbers fell.
    pub turned: u64,
}

impl ReferenceBuilder {
    /// The number of a street, new if it was not there.
    fn street(&mut self, written: &Written) -> u32 {
        if let Some(&number) = self.numbers.get(written) {
            return number;
        }
        let number = self.streets.len() as u32;
        self.streets.push(written.clone());
        self.numbers.insert(written.clone(), number);
        number
    }

    /// Adds a property.
    pub fn property(&mut self, id: &str, number: HouseNumber, written: &Written, place: (f64, f64)) -> Result<()> {
        checked_place(place)?;
        let street = self.street(written);
        self.properties.push(Property { id: id.to_owned(), street, number, place });
        Ok(())
    }

    /// Adds a segment; one whose numbers fall is turned, and counted.
    pub fn segment(
        &mut self,
        (from, to): (u32, u32),
        side: Side,
        written: &Written,
        start: (f64, f64),
        end: (f64, f64),
    ) -> Result<()> {
        checked_place(start)?;
        checked_place(end)?;
        if from.abs_diff(to) > LONGEST_SEGMENT {
            return Err(Error::data(format!("a segment of more than {LONGEST_SEGMENT} numbers"))
                .with_hint("the columns `from` and `to` are the first and the last number of the segment"));
        }
        let street = self.street(written);
        self.segments.push(if from > to {
            self.turned += 1;
            Segment { street, from: to, to: from, side: side.turned(), start: end, end: start }
        } else {
            Segment { street, from, to, side, start, end }
        });
        Ok(())
    }

    /// The reference. The offset is in metres, for segments alone; neighbours are found unless they are known.
    pub fn finish(self, offset: f64, neighbours: Option<Vec<Vec<u32>>>) -> Result<Reference> {
        if self.properties.is_empty() && self.segments.is_empty() {
            return Err(Error::data("the reference has no address"));
        }
        if !(0.0..=1000.0).contains(&offset) {
            return Err(Error::parameter("offset", format!("is {offset}, but must be from 0 to 1000 metres")));
        }
        Reference::new(self.streets, self.properties, self.segments, offset, neighbours)
    }
}

fn checked_place((lat, lon): (f64, f64)) -> Result<()> {
    if !(-90.0..=90.0).contains(&lat) {
        return Err(Error::data("a latitude that is not from -90 to 90").with_value(lat.to_string()));
    }
    if !(-180.0..=180.0).contains(&lon) {
        return Err(Error::data("a longitude that is not from -180 to 180").with_value(lon.to_string()));
    }
    Ok(())
}

/// What is known of addresses.
#[derive(Debug)]
pub struct Reference {
    /// Properties, or segments.
    pub level: ReferenceLevel,
    /// How far from the centreline numbers lie, in metres.
    pub offset: f64,
    /// The streets.
    pub streets: Vec<Street>,
    /// The names of streets without types.
    pub names: Names,
    /// The names of suburbs.
    pub suburbs: Names,
    /// The postcodes.
    pub postcodes: Names,
    properties: Vec<Property>,
    segments: Vec<Segment>,
    /// The streets that have a name.
    named: Vec<Vec<u32>>,
    known: Vec<Known>,
    known_of: Vec<Range<usize>>,
    dwellings: Vec<Dwelling>,
    places: Places,
    neighbours: Vec<Vec<u32>>,
}

impl Reference {
    fn new(
        written: Vec<Written>,
        properties: Vec<Property>,
        segments: Vec<Segment>,
        offset: f64,
        neighbours: Option<Vec<Vec<u32>>>,
    ) -> Result<Self> {
        let (mut names, mut suburbs, mut postcodes) = (Names::default(), Names::default(), Names::default());
        let mut streets = Vec::with_capacity(written.len());
        let mut named: Vec<Vec<u32>> = Vec::new();
        for (number, written) in written.into_iter().enumerate() {
            let (name, kind) = words::street(&words::words(&written.street));
            let name = names.intern(&name);
            named.resize(names.len(), Vec::new());
            named[name as usize].push(number as u32);
            let suburb = suburbs.intern(&words::name(&words::words(&written.suburb)));
            let postcode = postcodes.intern(&postcode(&written.postcode));
            streets.push(Street { written, name, kind, suburb, postcode });
        }
        let mut known: Vec<(u32, Known)> = Vec::new();
        let mut dwellings = Vec::new();
        let mut places = Vec::new();
        for (source, property) in properties.iter().enumerate() {
            let Property { street, number, place, .. } = *property;
            known.push((street, Known { number, is_of_both: false, place, source: source as u32 }));
            dwellings.push(Dwelling { street, number, source: source as u32 });
            places.push(place);
        }
        for (source, segment) in segments.iter().enumerate() {
            let source = source as u32;
            let is_of_both = segment.is_of_both();
            for value in segment.ends() {
                let number = HouseNumber::plain(value);
                let place = segment.place(value, offset);
                known.push((segment.street, Known { number, is_of_both, place, source }));
            }
            for value in segment.numbers() {
                dwellings.push(Dwelling { street: segment.street, number: HouseNumber::plain(value), source });
                places.push(segment.place(value, offset));
            }
        }
        known.sort_by_key(|&(street, known)| (street, known.number, known.source));
        let mut known_of = vec![0..0; streets.len()];
        let mut start = 0;
        for of_street in known.chunk_by(|left, right| left.0 == right.0) {
            known_of[of_street[0].0 as usize] = start..start + of_street.len();
            start += of_street.len();
        }
        let places = Places::new(places);
        let neighbours = match neighbours {
            Some(known) => known,
            None => neighbours_by_nearness(&streets, &dwellings, &places, postcodes.len()),
        };
        if neighbours.len() != postcodes.len()
            || neighbours.iter().flatten().any(|&other| other as usize >= postcodes.len())
        {
            return Err(Error::data("the neighbours of postcodes do not fit the postcodes"));
        }
        Ok(Self {
            level: if properties.is_empty() { ReferenceLevel::Street } else { ReferenceLevel::Property },
            offset,
            streets,
            names,
            suburbs,
            postcodes,
            properties,
            segments,
            named,
            known: known.into_iter().map(|(_, known)| known).collect(),
            known_of,
            dwellings,
            places,
            neighbours,
        })
    }

    /// The streets that have a name.
    pub fn named(&self, name: u32) -> &[u32] {
        &self.named[name as usize]
    }

    /// The known numbers of a street, rising.
    pub fn known(&self, street: u32) -> &[Known] {
        &self.known[self.known_of[street as usize].clone()]
    }

    /// All addresses, those of segments at regular intervals.
    pub fn dwellings(&self) -> &[Dwelling] {
        &self.dwellings
    }

    /// Where they are, by the same numbers.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// The postcodes beside one.
    pub fn neighbours(&self, postcode: u32) -> &[u32] {
        &self.neighbours[postcode as usize]
    }

    /// The properties, where the level is that.
    pub fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// The segments, where the level is that.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The id of a property; the number of a segment, from 1.
    pub fn id(&self, source: u32) -> String {
        match self.level {
            ReferenceLevel::Property => self.properties[source as usize].id.clone(),
            ReferenceLevel::Street => (source + 1).to_string(),
        }
    }
}

impl Segment {
    fn is_of_both(&self) -> bool {
        self.from % 2 != self.to % 2
    }

    fn ends(&self) -> impl Iterator<Item = u32> {
        std::iter::once(self.from).chain(Some(self.to).filter(|&to| to != self.from))
    }

    fn numbers(&self) -> impl Iterator<Item = u32> {
        (self.from..=self.to).step_by(if self.is_of_both() { 1 } else { 2 })
    }

    /// Where a number of its range lies.
    pub fn place(&self, number: u32, offset: f64) -> (f64, f64) {
        let length = f64::from(self.to - self.from);
        let share = if length > 0.0 { f64::from(number - self.from) / length } else { 0.5 };
        let on_line = plane::between(self.start, self.end, share);
        let (east, north) = plane::metres(self.start, self.end);
        let along = east.hypot(north);
        let left = match self.side {
            Side::Left => offset,
            Side::Right => -offset,
            Side::Both => 0.0,
        };
        if along > 0.0 { plane::moved(on_line, -north / along * left, east / along * left) } else { on_line }
    }
}

/// A postcode in one form: `AB1 2cd` is `ab12cd`.
pub fn postcode(text: &str) -> String {
    words::words(text).concat()
}

fn neighbours_by_nearness(
    streets: &[Street],
    dwellings: &[Dwelling],
    places: &Places,
    postcodes: usize,
) -> Vec<Vec<u32>> {
    let of = |dwelling: u32| streets[dwellings[dwelling as usize].street as usize].postcode;
    let pairs: BTreeSet<(u32, u32)> = (0..places.len() as u32)
        .into_par_iter()
        .with_min_len(1 << 10)
        .fold(BTreeSet::new, |mut pairs, number| {
            for (other, _) in places.nearest_few(places.get(number), NEAR + 1) {
                if of(other) != of(number) {
                    pairs.insert((of(number), of(other)));
                    pairs.insert((of(other), of(number)));
                }
            }
            pairs
        })
        .reduce(BTreeSet::new, |mut all, some| {
            all.extend(some);
            all
        });
    let mut neighbours = vec![Vec::new(); postcodes];
    for (from, to) in pairs {
        neighbours[from as usize].push(to);
    }
    neighbours
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo;

    pub(in super::super) fn written(street: &str, suburb: &str, postcode: &str) -> Written {
        Written { street: street.to_owned(), suburb: suburb.to_owned(), postcode: postcode.to_owned() }
    }

    /// A segment from 1 to 9 going east: five odd numbers, ten metres to the left, which is north.
    #[test]
    fn a_segment_by_hand() {
        let mut builder = ReferenceBuilder::default();
        let (start, end) = ((48.0, -30.0), (48.0, -29.9988));
        builder.segment((1, 9), Side::Left, &written("Smith St", "Aville", "1000"), start, end).unwrap();
        // The same segment told from its other end.
        builder.segment((9, 1), Side::Right, &written("Smith Street", "Aville", "1000"), end, start).unwrap();
        assert_eq!(builder.turned, 1);
        let reference = builder.finish(10.0, None).unwrap();
        assert_eq!(reference.dwellings().len(), 10);
        assert_eq!(reference.streets[0].name, reference.streets[1].name);
        for at in 0..5 {
            let place = reference.places().get(at);
            assert!((place.1 - (-30.0 + 0.0003 * f64::from(at))).abs() < 1e-7, "{place:?}");
            assert!((geo::distance(place, (48.0, place.1)) * 1000.0 - 10.0).abs() < 1e-3 && place.0 > 48.0);
            let turned = reference.places().get(5 + at);
            assert!(geo::distance(place, turned) * 1000.0 < 1e-3);
        }
    }

    #[test]
    fn neighbours_are_near() {
        let mut builder = ReferenceBuilder::default();
        for postcode in 0..4 {
            for house in 0..20 {
                let place = (48.0, -30.0 + 0.01 * f64::from(postcode) + 0.0005 * f64::from(house));
                let written = written("Long Road", "Aville", &(1000 + postcode).to_string());
                builder
                    .property(&format!("{postcode}-{house}"), HouseNumber::plain(house + 1), &written, place)
                    .unwrap();
            }
        }
        let reference = builder.finish(0.0, None).unwrap();
        assert_eq!(
            (0..4).map(|of| reference.neighbours(of).to_vec()).collect::<Vec<_>>(),
            [vec![1], vec![0, 2], vec![1, 3], vec![2]]
        );
    }

    #[test]
    fn what_is_no_place_is_refused() {
        let mut builder = ReferenceBuilder::default();
        let street = written("a", "b", "c");
        assert!(builder.property("1", HouseNumber::plain(1), &street, (90.5, 0.0)).is_err());
        assert!(builder.property("1", HouseNumber::plain(1), &street, (f64::NAN, 0.0)).is_err());
        assert!(builder.property("1", HouseNumber::plain(1), &street, (0.0, 181.0)).is_err());
        assert!(builder.segment((1, 99_999), Side::Both, &street, (0.0, 0.0), (0.0, 0.0)).is_err());
        assert!(builder.finish(0.0, None).is_err());
    }
}
