//! Addresses and places on a map: finding the place of an address, the address of a place, and hiding either.
//!
//! Paper      Christen, Geocode Matching and Privacy Preservation, PinKDD 2008 (sections 2 to 4).
//!
//! # Idea
//! 1. [`address`] cleans an address and cuts it into parts, [`reference`] holds what is known of a country: properties with their
//!    places, or segments of streets with their ranges of numbers. [`matching`] finds an address in it, [`places`] what lies near.
//! 2. [`mask`] moves points so that each is hidden among addresses, by rules that depend on a secret and the point alone;
//!    [`mask_measures`] says what they keep.
//! 3. [`chaff`] hides addresses among others when somebody else is asked for their places, [`encoded`] shows them to nobody who finds them.
//! 4. [`pin_map`] and [`mask_attack`] are what an attacker does.

pub mod address;
pub mod chaff;
pub mod encoded;
pub mod geo_file;
pub mod mask;
pub mod mask_attack;
pub mod mask_measures;
pub mod matching;
pub mod number;
pub mod pin_map;
pub mod places;
pub mod reference;
pub mod similar;
pub mod words;

pub use address::{Address, Parser};
pub use matching::{Level, Located, Matcher};
pub use number::HouseNumber;
pub use places::Places;
pub use reference::{Property, Reference, ReferenceBuilder, Segment, Side};
