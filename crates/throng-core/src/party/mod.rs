//! Protocols between parties who do not show each other what they have: the arithmetic, without messages.
//!
//! Papers     Christen. Geocode Matching and Privacy Preservation. PinKDD 2008, section 4.
//!            Davidson, Faz-Hernandez, Sullivan, Wood. Oblivious Pseudorandom Functions using Prime-Order Groups. RFC 9497, 2023.
//!            Beaver. Commodity-based cryptography. STOC 1997.
//!
//! [`oprf`] and [`intersection`] find what two sets have in common; [`product`] multiplies vectors of two holders on shares, with
//! a dealer's help, for [`vectors`] of texts and distances between paths ([`journeys`]); [`edit`] is the edit distance on shares. All hold against
//! parties who do what they should and look at what they get; none holds against one who does something else.

pub mod edit;
pub mod intersection;
pub mod journeys;
pub mod oprf;
pub mod product;
pub mod vectors;

use unicode_normalization::UnicodeNormalization as _;

/// What stands between the values of a record in its input.
pub const SEPARATOR: char = '\u{1f}';

/// The input of a record: its values, each trimmed, in NFKC and lower case, with U+001F between them. `None` if one is empty.
pub fn input<'a>(values: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut input = String::new();
    for (at, value) in values.into_iter().enumerate() {
        let value = value.trim().nfkc().collect::<String>().to_lowercase();
        if value.is_empty() {
            return None;
        }
        if at > 0 {
            input.push(SEPARATOR);
        }
        input.push_str(&value);
    }
    Some(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_trimmed_composed_and_lower() {
        assert_eq!(input([" \u{212b}NNA ", "ＳＭＩＴＨ"]).unwrap(), "ånna\u{1f}smith");
        assert_eq!(input(["anna", "  "]), None);
        assert_eq!(input(["A b"]).unwrap(), "a b");
    }
}
