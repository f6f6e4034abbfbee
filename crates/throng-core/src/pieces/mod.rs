//! Pieces of a release that is made on many machines: each looks at some persons, and pieces of all persons are put together.
//!
//! Paper      Ours.
//! Promises   what is put together of any partition of the persons is what one piece of all of them is; in any order.
//! Does not   know of machines, files or networks: whoever runs it brings every person's rows together, and hands pieces around.
//!
//! # Idea
//! Persons are whole in a part, so that how many persons have something is a sum over parts. A release takes these steps:
//! 1. [`Scales`]: how many persons and rows there are, how active they are, from when to when.
//! 2. What may be published ([`Decided`]): words that enough persons have, then sets of words, one word more a round, then the order in
//!    which most have them. Words and sets are keyed 128-bit hashes of their bytes ([`Key`]), the same everywhere.
//! 3. Blocks of like persons: [`Cuts`](crate::partition::blocks::Cuts) are learned from the sketches of a sample, and every person falls
//!    through them; small leaves are joined by their counts ([`Leaves`]).
//! 4. A block is protected ([`InBlocks::protect_block`]) with the scales and the decided content of all.
//! 5. [`pseudonym`]: a keyed function of the person's id, of a width that no id has.
//! 6. The written files are read back: [`Tally`] says how many persons have the same record, [`Said`](crate::models::content_threshold::Said) how many persons of the original say
//!    what the release says.
//! 7. Means over persons are sums ([`MeasurePart`]).
//!
//! Baskets and tables need no step 2. Of a table [`Columns`] says what its values are and where its numbers lie, then [`Moments`] how far
//! apart these are; the sketches of both are in `sketches`, and their methods protect a block as they protect a whole.
//!
//! Pieces travel as bytes with the name and the version of their form ([`Piece`]).

mod blocks;
mod columns;
mod counts;
mod measure_part;
mod phrases;
mod pseudonym;
mod scales;
mod sketches;
mod tally;
#[cfg(test)]
mod tests;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use blocks::{Coordinates, InBlocks, Leaves, Sketch};
pub use columns::{Columns, Kinds, Moments};
pub use counts::{Counts, Key, Keys};
pub use measure_part::MeasurePart;
pub use phrases::{Decided, Orders, candidates, count_orders, count_sets, count_sites, count_words, cut, published};
pub use pseudonym::{WIDEST, free_width, pseudonym};
pub use scales::Scales;
pub use sketches::{DIMENSIONS, of_baskets, of_rows};
pub use tally::{Tallied, Tally};

use crate::error::{Error, Result};

/// The version of the form of all pieces.
pub const FORMAT: u32 = 1;

/// What travels between machines.
pub trait Piece: Serialize + DeserializeOwned {
    /// What it is called.
    const NAME: &'static str;

    /// Puts together what two parts of the persons gave: associative and commutative.
    #[must_use]
    fn merge(self, other: Self) -> Self;

    /// As bytes.
    fn to_bytes(&self) -> Result<Vec<u8>> {
        let wrapped = Wrapped { piece: Self::NAME.into(), format: FORMAT, data: self };
        serde_json::to_vec(&wrapped).map_err(|cause| Error::internal(cause.to_string()))
    }

    /// From bytes. Those of another piece or version are an error.
    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let wrapped: Wrapped<Self> = serde_json::from_slice(bytes).map_err(|cause| {
            Error::data(format!("the piece is no `{}`", Self::NAME))
                .with_cause(cause)
                .with_hint("all machines need the same version of throng")
        })?;
        if wrapped.piece != Self::NAME || wrapped.format != FORMAT {
            return Err(Error::data(format!("the piece is another than `{}` of version {FORMAT}", Self::NAME))
                .with_hint("all machines need the same version of throng"));
        }
        Ok(wrapped.data)
    }
}

#[derive(Serialize, Deserialize)]
struct Wrapped<T> {
    piece: String,
    format: u32,
    data: T,
}
