//! `throng geocode`: addresses to places and back, masks of points, and what an attacker makes of maps.

mod attack;
mod files;
mod mask;
mod matching;
mod private;
mod reference;
mod town;

pub use attack::{MapPlacing, MaskAttackRequest, MaskAttacked, PinMapFound, PinMapRequest, attack_mask, pin_map};
pub(crate) use mask::read_secret;
pub use mask::{CheckPointsRequest, MaskDone, MaskRequest, PointsChecked, check_points, mask};
pub use matching::{MatchRequest, Matched, ReverseRequest, Reversed, Stream, geocode_match, reverse};
pub use private::{
    AnswerRequest, Asked, ChaffAttackRequest, ChaffAttacked, ChaffRequest, EncodeAddressesRequest, EncodedAddresses,
    MatchEncodedRequest, OpenPlacesRequest, OpenedPlaces, attack_chaff, chaff, encode_addresses, match_encoded,
    open_places, unchaff,
};
pub use reference::{IndexRequest, Indexed, ReferenceFile, index};
pub(crate) use throng_core::geocode::mask::LEAST_SECRET;
pub use town::{TownMade, TownRequest, town};
