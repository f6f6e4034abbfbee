//! Linking records of two parties, in the open and without showing them.
//!
//! Papers     Christen. Geocode Matching and Privacy Preservation. PinKDD 2008, sections 2 and 4.
//!            Fellegi, Sunter. A Theory for Record Linkage. JASA 64, 1969.
//!
//! [`linking`] puts it together: [`records`] are blocked by [`key`]s ([`block`]), compared ([`similarity`], [`phonetic`]), weighed
//! ([`fellegi_sunter`]), and put into [`cluster`]s; [`estimate`] says what that is worth without any truth. [`encode`] makes filters of records for
//! those who may not see each other's, and [`bits`] compares them.

pub mod bits;
pub mod block;
pub mod clean;
pub mod cluster;
pub mod encode;
pub mod estimate;
pub mod fellegi_sunter;
pub mod key;
pub mod linking;
pub mod phonetic;
pub mod records;
pub mod similarity;

#[cfg(test)]
mod tests;
