//! `throng geocode private`: places of addresses from somebody who must not learn whose they are, or which.

mod chaff;
mod encoded;

pub use chaff::{AnswerRequest, Asked, ChaffAttackRequest, ChaffAttacked, ChaffRequest, attack_chaff, chaff, unchaff};
pub use encoded::{
    EncodeAddressesRequest, EncodedAddresses, MatchEncodedRequest, OpenPlacesRequest, OpenedPlaces, encode_addresses,
    match_encoded, open_places,
};
