use super::*;
use crate::geocode::reference::{ReferenceBuilder, Side, Written};

fn written(street: &str, suburb: &str, postcode: &str) -> Written {
    Written { street: street.to_owned(), suburb: suburb.to_owned(), postcode: postcode.to_owned() }
}

/// A degree of longitude at the equator is about 111,195 m: houses of a side are 0.0002 degrees, 22.24 m, apart.
fn town() -> Reference {
    let mut builder = ReferenceBuilder::default();
    let mut street = |name: &str, suburb: &str, postcode: &str, at: (f64, f64), numbers: &[&str]| {
        for text in numbers {
            let number = HouseNumber::parse(text).unwrap();
            let side = if number.is_odd() { 0.0001 } else { -0.0001 };
            let place = (at.0 + side, at.1 + f64::from(number.value) * 0.0001);
            builder
                .property(&format!("{postcode}-{name}-{text}"), number, &written(name, suburb, postcode), place)
                .unwrap();
        }
    };
    street("Smith Street", "Aville", "1000", (0.0, 0.0), &["1", "3", "5", "9", "11", "83", "83a", "2", "4", "6"]);
    street("Smith Lane", "Aville", "1000", (0.001, 0.0), &["1", "3", "5"]);
    street("Miller Road", "Aville", "1000", (0.002, 0.0), &["1", "2", "3"]);
    street("Smith Street", "Beeton", "1001", (0.003, 0.0), &["1", "3", "5"]);
    street("Mount Road", "Beeton", "1001", (0.004, 0.0), &["7", "8", "9"]);
    street("Smith Street", "Farham", "2000", (1.0, 0.0), &["1", "3", "5"]);
    builder.finish(0.0, None).unwrap()
}

fn at(reference: &Reference, number: &str, street: &str, suburb: &str, postcode: &str) -> (Level, String, Located) {
    let located = Matcher::new(reference).locate(&Address::of_parts(number, street, suburb, postcode));
    (located.level, located.source.map(|source| reference.id(source)).unwrap_or_default(), located)
}

#[test]
fn levels_by_hand() {
    let town = town();
    let check = |parts: [&str; 4], level: Level, id: &str| {
        let (found, source, located) = at(&town, parts[0], parts[1], parts[2], parts[3]);
        assert_eq!((found, source.as_str()), (level, id), "{parts:?} {located:?}");
        // The same as one line.
        let line = format!("{} {}, {} {}", parts[0], parts[1], parts[2], parts[3]);
        let of_line = Matcher::new(&town).locate_line(&line);
        assert_eq!(of_line.level, level, "{line}");
        assert_eq!(of_line.source, located.source, "{line}");
    };
    check(["83a", "SMITH ST.", "aville", "1000"], Level::Exact, "1000-Smith Street-83a");
    check(["83", "Smith St", "Aville", "1000"], Level::Exact, "1000-Smith Street-83");
    check(["83b", "Smith St", "Aville", "1000"], Level::Fuzzy, "1000-Smith Street-83");
    check(["3", "Smiht Street", "Avile", "1000"], Level::Fuzzy, "1000-Smith Street-3");
    check(["3", "Smith Lane", "Aville", "1000"], Level::Exact, "1000-Smith Lane-3");
    check(["3", "Smith Street", "", "1000"], Level::Fuzzy, "1000-Smith Street-3");
    check(["3", "Smith Street", "Beeton", ""], Level::Fuzzy, "1001-Smith Street-3");
    // A better postcode: the suburb says which it is.
    check(["3", "Miller Road", "Aville", "1001"], Level::Neighbour, "1000-Miller Road-3");
    check(["3", "Smith Street", "Aville", "1001"], Level::Neighbour, "1000-Smith Street-3");
    check(["7", "Smith Street", "Aville", "1000"], Level::Interpolated, "");
    check(["13", "Smith Lane", "Aville", "1000"], Level::Street, "");
    check(["7", "Smith Lane", "Aville", "1000"], Level::Extrapolated, "");
    check(["7", "Quince Avenue", "Aville", "1000"], Level::Area, "");
    check(["7", "Quince Avenue", "Nowhere", "9999"], Level::None, "");
    // Three streets of that name: nobody knows which.
    let (level, id, located) = at(&town, "3", "Smith Street", "", "");
    assert_eq!((level, id.as_str()), (Level::Area, ""));
    assert!(located.error.unwrap() > 50_000.0);
}

/// 7 lies half of the way from 5 to 9, which are 44.5 m apart; the error is half of a spacing of 22.2 m.
#[test]
fn a_number_between_two() {
    let (_, _, located) = at(&town(), "7", "Smith St", "Aville", "1000");
    let (lat, lon) = located.place.unwrap();
    assert!((lat - 0.0001).abs() < 1e-12 && (lon - 0.0007).abs() < 1e-12, "{located:?}");
    assert!((located.error.unwrap() - 11.119_5).abs() < 1e-3, "{located:?}");
}

/// 11 of Smith Lane is three spacings beyond 5, and 13 is four.
#[test]
fn a_number_beyond_the_last() {
    let town = town();
    let (level, _, located) = at(&town, "11", "Smith Lane", "Aville", "1000");
    assert_eq!(level, Level::Extrapolated);
    let (lat, lon) = located.place.unwrap();
    assert!((lat - 0.0011).abs() < 1e-9 && (lon - 0.0011).abs() < 1e-9, "{located:?}");
    assert_eq!(at(&town, "13", "Smith Lane", "Aville", "1000").0, Level::Street);
    // One number of a side alone says nothing of a direction.
    assert_eq!(at(&town, "4", "Miller Road", "Aville", "1000").0, Level::Street);
}

#[test]
fn segments_are_interpolated() {
    let mut builder = ReferenceBuilder::default();
    let road = written("Long Road", "Aville", "1000");
    builder.segment((1, 9), Side::Both, &road, (0.0, 0.0), (0.0, 0.0008)).unwrap();
    builder.segment((13, 21), Side::Both, &road, (0.0, 0.0012), (0.0, 0.002)).unwrap();
    let reference = builder.finish(0.0, None).unwrap();
    let check = |number: &str, level: Level, id: &str, lon: f64| {
        let (found, source, located) = at(&reference, number, "Long Rd", "Aville", "1000");
        assert_eq!((found, source.as_str()), (level, id), "{number}");
        assert!((located.place.unwrap().1 - lon).abs() < 1e-9, "{number} {located:?}");
    };
    check("1", Level::Interpolated, "1", 0.0);
    check("5", Level::Interpolated, "1", 0.0004);
    check("11", Level::Interpolated, "", 0.001);
    check("17", Level::Interpolated, "2", 0.0016);
    check("23", Level::Extrapolated, "", 0.0022);
    assert_eq!(at(&reference, "29", "Long Rd", "Aville", "1000").0, Level::Street);
    assert_eq!(at(&reference, "4", "Long Rd", "Aville", "1000").0, Level::Street);
}
