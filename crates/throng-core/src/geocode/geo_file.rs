//! A reference as one file (`.geo`): read once, with the neighbours of postcodes worked out.
//!
//! # Form
//! `throng geo 1\n`, the SHA-256 of what follows, then little-endian: the level (one byte), the offset (f64), the streets (three texts
//! each), the properties (id, street, number, letter, latitude, longitude) or segments (street, from, to, side, four coordinates), the
//! neighbours of each postcode. A text is its length in bytes (u32) and UTF-8; a list its length (u32) and its items.

use sha2::{Digest as _, Sha256};

use super::number::HouseNumber;
use super::reference::{Property, Reference, ReferenceBuilder, ReferenceLevel, Segment, Side, Written};
use crate::error::{Error, Result};

/// How a file begins.
pub const MAGIC: &[u8] = b"throng geo 1\n";
const DIGEST: usize = 32;

/// A reference as the bytes of a file.
pub fn encode(reference: &Reference) -> Vec<u8> {
    let mut body = Vec::new();
    body.push(u8::from(reference.level == ReferenceLevel::Street));
    body.extend(reference.offset.to_le_bytes());
    number(reference.streets.len(), &mut body);
    for street in &reference.streets {
        for part in [&street.written.street, &street.written.suburb, &street.written.postcode] {
            text(part, &mut body);
        }
    }
    match reference.level {
        ReferenceLevel::Property => {
            number(reference.properties().len(), &mut body);
            for property in reference.properties() {
                text(&property.id, &mut body);
                body.extend(property.street.to_le_bytes());
                body.extend(property.number.value.to_le_bytes());
                body.extend(property.number.letter.map_or(0, u32::from).to_le_bytes());
                place(property.place, &mut body);
            }
        }
        ReferenceLevel::Street => {
            number(reference.segments().len(), &mut body);
            for segment in reference.segments() {
                for value in [segment.street, segment.from, segment.to] {
                    body.extend(value.to_le_bytes());
                }
                body.push(match segment.side {
                    Side::Both => 0,
                    Side::Left => 1,
                    Side::Right => 2,
                });
                place(segment.start, &mut body);
                place(segment.end, &mut body);
            }
        }
    }
    number(reference.postcodes.len(), &mut body);
    for postcode in 0..reference.postcodes.len() as u32 {
        let neighbours = reference.neighbours(postcode);
        number(neighbours.len(), &mut body);
        neighbours.iter().for_each(|other| body.extend(other.to_le_bytes()));
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&Sha256::digest(&body));
    bytes.extend_from_slice(&body);
    bytes
}

fn number(value: usize, into: &mut Vec<u8>) {
    into.extend((value as u32).to_le_bytes());
}

fn text(value: &str, into: &mut Vec<u8>) {
    number(value.len(), into);
    into.extend_from_slice(value.as_bytes());
}

fn place((lat, lon): (f64, f64), into: &mut Vec<u8>) {
    into.extend(lat.to_le_bytes());
    into.extend(lon.to_le_bytes());
}

/// Reads the bytes of a file.
pub fn decode(bytes: &[u8]) -> Result<Reference> {
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| {
        Error::data("not a reference of `throng geocode index`")
            .with_hint("a reference is CSV, or a .geo file of this version")
    })?;
    let body = rest.get(DIGEST..).filter(|body| Sha256::digest(body)[..] == rest[..DIGEST]);
    let mut reader = Reader(body.ok_or_else(|| {
        Error::data("the .geo file is damaged: its checksum is another")
            .with_hint("make it again with `throng geocode index`")
    })?);
    decode_body(&mut reader).and_then(|reference| {
        reference.ok_or_else(|| {
            Error::data("the .geo file is damaged").with_hint("make it again with `throng geocode index`")
        })
    })
}

fn decode_body(reader: &mut Reader<'_>) -> Result<Option<Reference>> {
    let mut builder = ReferenceBuilder::default();
    let Some((is_streets, offset, streets)) = reader.head() else { return Ok(None) };
    let Some(count) = reader.number() else { return Ok(None) };
    for _ in 0..count {
        if is_streets {
            let Some(segment) = reader.segment(streets.len()) else { return Ok(None) };
            let Segment { street, from, to, side, start, end } = segment;
            builder.segment((from, to), side, &streets[street as usize], start, end)?;
        } else {
            let Some(property) = reader.property(streets.len()) else { return Ok(None) };
            builder.property(&property.id, property.number, &streets[property.street as usize], property.place)?;
        }
    }
    let Some(neighbours) = reader.neighbours() else { return Ok(None) };
    if !reader.0.is_empty() {
        return Ok(None);
    }
    builder.finish(offset, Some(neighbours)).map(Some)
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn float(&mut self) -> Option<f64> {
        Some(f64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    fn text(&mut self) -> Option<String> {
        let count = self.number()? as usize;
        Some(std::str::from_utf8(self.take(count)?).ok()?.to_owned())
    }

    fn place(&mut self) -> Option<(f64, f64)> {
        Some((self.float()?, self.float()?))
    }

    fn head(&mut self) -> Option<(bool, f64, Vec<Written>)> {
        let is_streets = match self.take(1)? {
            [0] => false,
            [1] => true,
            _ => return None,
        };
        let offset = self.float()?;
        let count = self.number()?;
        let mut streets = Vec::new();
        for _ in 0..count {
            streets.push(Written { street: self.text()?, suburb: self.text()?, postcode: self.text()? });
        }
        Some((is_streets, offset, streets))
    }

    fn property(&mut self, streets: usize) -> Option<Property> {
        let id = self.text()?;
        let street = self.number().filter(|&street| (street as usize) < streets)?;
        let value = self.number()?;
        let letter = match self.number()? {
            0 => None,
            code => Some(char::from_u32(code)?),
        };
        Some(Property { id, street, number: HouseNumber { value, letter }, place: self.place()? })
    }

    fn segment(&mut self, streets: usize) -> Option<Segment> {
        let street = self.number().filter(|&street| (street as usize) < streets)?;
        let (from, to) = (self.number()?, self.number()?);
        let side = match self.take(1)? {
            [0] => Side::Both,
            [1] => Side::Left,
            [2] => Side::Right,
            _ => return None,
        };
        Some(Segment { street, from, to, side, start: self.place()?, end: self.place()? })
    }

    fn neighbours(&mut self) -> Option<Vec<Vec<u32>>> {
        let count = self.number()?;
        let mut all = Vec::new();
        for _ in 0..count {
            let of_one = self.number()?;
            let mut neighbours = Vec::new();
            for _ in 0..of_one {
                neighbours.push(self.number()?);
            }
            all.push(neighbours);
        }
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn small(is_streets: bool) -> Reference {
        let mut builder = ReferenceBuilder::default();
        for postcode in 0..3u32 {
            let written = Written {
                street: "Höhe Straße".into(),
                suburb: "Aville".into(),
                postcode: format!("{}", 1000 + postcode),
            };
            let at = |along: f64| (48.0, -30.0 + 0.001 * f64::from(postcode) + along);
            if is_streets {
                builder.segment((1, 9), Side::Right, &written, at(0.0), at(0.001)).unwrap();
            } else {
                let number = HouseNumber { value: 83, letter: Some('a') };
                builder.property(&format!("p{postcode}"), number, &written, at(0.0)).unwrap();
            }
        }
        builder.finish(if is_streets { 8.0 } else { 0.0 }, None).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        for is_streets in [false, true] {
            let reference = small(is_streets);
            let bytes = encode(&reference);
            let back = decode(&bytes).unwrap();
            assert_eq!(back.properties(), reference.properties());
            assert_eq!(back.segments(), reference.segments());
            assert_eq!(back.dwellings(), reference.dwellings());
            assert_eq!(encode(&back), bytes);
        }
    }

    /// The same bytes with the checksum made anew: readers must stand whatever comes after it.
    fn resealed(mut bytes: Vec<u8>) -> Vec<u8> {
        let digest = Sha256::digest(&bytes[MAGIC.len() + DIGEST..]);
        bytes[MAGIC.len()..MAGIC.len() + DIGEST].copy_from_slice(&digest);
        bytes
    }

    proptest! {
        #[test]
        fn damage_is_an_error(is_streets in any::<bool>(), at in 0usize..1000, to in any::<u8>(), cut in any::<bool>()) {
            let whole = encode(&small(is_streets));
            let at = at % whole.len();
            let mut bytes = whole.clone();
            if cut { bytes.truncate(at) } else { bytes[at] = to }
            prop_assert!(bytes == whole || decode(&bytes).is_err());
            if bytes.len() >= MAGIC.len() + DIGEST && bytes.starts_with(MAGIC) {
                // Whatever it is then, it does not panic.
                let _ = decode(&resealed(bytes));
            }
        }
    }
}
