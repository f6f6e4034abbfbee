//! What can be typed after `throng geocode`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use throng::run::{
    IndexRequest, MapPlacing, MaskAttackRequest, MaskRequest, MatchRequest, PinMapRequest, ReferenceFile,
    ReverseRequest, Stream, TownRequest,
};
use throng_core::geocode::mask::{Method, Params};
use throng_core::{Error, Result};

use super::geocode_private::{GeocodeChaffAttack, GeocodePrivate};

#[derive(Debug, Args)]
pub(crate) struct GeocodeArgs {
    #[command(subcommand)]
    pub(crate) command: GeocodeCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GeocodeCommand {
    /// Make one file of a reference, which every --ref then takes
    #[command(after_help = "Example:\n  throng geocode index reference.csv --out town.geo\n\n\
        A reference of properties has the columns id,number,street,suburb,postcode,lat,lon; one of segments has \
        from,to,side,street,suburb,postcode,lat1,lon1,lat2,lon2, where side is left, right or both.")]
    Index(GeocodeIndex),
    /// The places of addresses
    #[command(after_help = "Examples:\n  \
        throng geocode match patients.csv --ref reference.csv --out places.csv\n  \
        throng geocode match - --ref town.geo --stream\n\n\
        FILE has the columns id,address or id,number,street,suburb,postcode. The answer has id,lat,lon,level,score,error_m,ref; a level is \
        exact, fuzzy, neighbour, interpolated, extrapolated, street, area or none.")]
    Match(GeocodeMatch),
    /// Hide points among addresses: each is moved so that k addresses are no farther than where it was
    #[command(after_help = "Examples:\n  \
        throng geocode mask points.csv --ref reference.csv --k 20 --secret-file secret --out masked.csv\n  \
        throng check masked.csv --model spatial-k-anonymity --k 20 --original points.csv --ref reference.csv\n\n\
        POINTS has the columns id,lat,lon. The secret has at least 16 bytes: `head -c 32 /dev/urandom | base64 > secret`. Keep it: the same secret \
        gives a point the same mask in every release, and other masks of the same points average away.")]
    Mask(GeocodeMask),
    /// What an attacker makes of maps with pins, of masked points, and of addresses among made-up ones
    #[command(subcommand)]
    Attack(GeocodeAttack),
    /// Places of addresses from somebody who must not learn whose they are, or which
    #[command(subcommand)]
    Private(GeocodePrivate),
    /// The nearest addresses of places
    #[command(after_help = "Example:\n  throng geocode reverse points.csv --ref reference.csv --out addresses.csv\n\n\
        POINTS has the columns id,lat,lon.")]
    Reverse(GeocodeReverse),
}

#[derive(Debug, Subcommand)]
pub(crate) enum GeocodeAttack {
    /// Read front doors off a published map: the pins of a PNG or SVG image, and the nearest addresses
    #[command(
        after_help = "Example:\n  throng geocode attack pin-map map.png --ref reference.csv --bounds 47.5,-30,47.6,-29.9 --marker ff0000 --out pins.csv\n\n\
        PINS has the columns pin,x,y,lat,lon,ref,distance_m."
    )]
    PinMap(GeocodePinMap),
    /// Guess the true addresses of masked points: the nearest, those that the method could have come from, the middle of several releases
    #[command(after_help = "Example:\n  throng geocode attack mask points.csv masked.csv --ref reference.csv --k 20")]
    Mask(GeocodeMaskAttack),
    /// Play the provider: which of the addresses that were sent are real?
    #[command(
        after_help = "Example:\n  throng geocode attack chaff queries.csv --state chaff.state --ref reference.csv\n\n\
        The provider is told how many are real. The state is the truth. Attacks: errors, repeats, crowds, and all together."
    )]
    Chaff(GeocodeChaffAttack),
}

#[derive(Debug, Args)]
pub(crate) struct GeocodeMask {
    /// The points
    pub(crate) points: PathBuf,
    #[command(flatten)]
    pub(crate) reference: Reference,
    /// adaptive-donut, donut, street; or voronoi, which gives no k
    #[arg(long, value_name = "NAME", default_value = "adaptive-donut")]
    pub(crate) method: String,
    /// How many addresses are no farther from a written point than its true position
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) k: usize,
    /// donut: the inner radius of the ring, in metres
    #[arg(long, value_name = "METRES", default_value_t = 50.0, allow_negative_numbers = true)]
    pub(crate) inner: f64,
    /// donut: the outer radius; both are doubled where fewer than k addresses are near
    #[arg(long, value_name = "METRES", default_value_t = 200.0, allow_negative_numbers = true)]
    pub(crate) outer: f64,
    /// A file with the secret, at least 16 bytes
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: PathBuf,
    /// The file to make
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// A page to make, for whoever has the true points: a map without tiles, how far points were moved, how many addresses are around them
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct GeocodePinMap {
    /// The map
    pub(crate) map: PathBuf,
    #[command(flatten)]
    pub(crate) reference: Reference,
    /// Where the outer edges of the image are, in degrees
    #[arg(
        long,
        value_name = "S,W,N,E",
        value_delimiter = ',',
        allow_hyphen_values = true,
        required_unless_present = "control_points"
    )]
    pub(crate) bounds: Vec<f64>,
    /// A file x,y,lat,lon: where points of the image are, at least three
    #[arg(long, value_name = "FILE", conflicts_with = "bounds")]
    pub(crate) control_points: Option<PathBuf>,
    /// The colour of the pins
    #[arg(long, value_name = "RRGGBB")]
    pub(crate) marker: String,
    /// The true points, id,lat,lon, to say how often the guess is right
    #[arg(long, value_name = "FILE")]
    pub(crate) truth: Option<PathBuf>,
    /// The file to make
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct GeocodeMaskAttack {
    /// The true points
    pub(crate) original: PathBuf,
    /// Releases of them
    #[arg(required = true)]
    pub(crate) masked: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) reference: Reference,
    /// The k of the mask, which the attacker knows
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) k: usize,
    /// A page to make: each attack, what it knows, how often it is right, and the day
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

impl GeocodeMask {
    pub(crate) fn request(&self) -> Result<MaskRequest> {
        let params = Params { method: Method::parse(&self.method)?, k: self.k, inner: self.inner, outer: self.outer };
        Ok(MaskRequest {
            points: self.points.clone(),
            reference: self.reference.file(),
            params,
            secret: self.secret_file.clone(),
            out: self.out.clone(),
            report: self.report.clone(),
        })
    }
}

impl GeocodePinMap {
    pub(crate) fn request(&self) -> Result<PinMapRequest> {
        let placing = match (&self.control_points, self.bounds.as_slice()) {
            (Some(path), _) => MapPlacing::ControlPoints(path.clone()),
            (None, &[south, west, north, east]) => MapPlacing::Bounds([south, west, north, east]),
            _ => return Err(Error::parameter("bounds", "has not four numbers: south,west,north,east in degrees")),
        };
        let digits = self.marker.trim_start_matches('#');
        let colour = u32::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 6);
        let [_, red, green, blue] = colour
            .ok_or_else(|| Error::parameter("marker", "is not a colour of six hexadecimal digits, as ff0000"))?
            .to_be_bytes();
        Ok(PinMapRequest {
            map: self.map.clone(),
            reference: self.reference.file(),
            placing,
            marker: [red, green, blue],
            truth: self.truth.clone(),
            out: self.out.clone(),
        })
    }
}

impl GeocodeMaskAttack {
    pub(crate) fn request(&self) -> MaskAttackRequest {
        MaskAttackRequest {
            original: self.original.clone(),
            masked: self.masked.clone(),
            reference: self.reference.file(),
            k: self.k,
            report: self.report.clone(),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Reference {
    /// The reference: CSV of properties or of segments, or a .geo file
    #[arg(long = "ref", value_name = "REF")]
    pub(crate) reference: PathBuf,
    /// Segments: how far from the centreline numbers lie, in metres [default: 0, or as the .geo file has it]
    #[arg(long, value_name = "METRES", allow_negative_numbers = true)]
    pub(crate) offset: Option<f64>,
}

impl Reference {
    pub(crate) fn file(&self) -> ReferenceFile {
        ReferenceFile { file: self.reference.clone(), offset: self.offset }
    }
}

#[derive(Debug, Args)]
pub(crate) struct GeocodeIndex {
    /// The reference, as CSV
    #[arg(value_name = "REF")]
    pub(crate) reference: PathBuf,
    /// Segments: how far from the centreline numbers lie, in metres [default: 0]
    #[arg(long, value_name = "METRES", allow_negative_numbers = true)]
    pub(crate) offset: Option<f64>,
    /// The .geo file to make
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct GeocodeMatch {
    /// The addresses; - for standard input
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) reference: Reference,
    /// Answer each line of standard input as it comes, on standard output
    #[arg(long, conflicts_with = "out")]
    pub(crate) stream: bool,
    /// The file to make
    #[arg(long, value_name = "FILE", required_unless_present = "stream")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct GeocodeReverse {
    /// The points
    #[arg(value_name = "POINTS")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) reference: Reference,
    /// The file to make
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

impl GeocodeIndex {
    pub(crate) fn request(&self) -> IndexRequest {
        let reference = ReferenceFile { file: self.reference.clone(), offset: self.offset };
        IndexRequest { reference, out: self.out.clone() }
    }
}

impl GeocodeMatch {
    pub(crate) fn request(&self) -> MatchRequest {
        let out = self.out.clone().unwrap_or_default();
        MatchRequest { file: self.file.clone(), reference: self.reference.file(), out }
    }

    pub(crate) fn stream(&self) -> Result<Stream> {
        if self.file.as_os_str() != "-" {
            return Err(Error::parameter("stream", "reads standard input: FILE is `-`"));
        }
        Ok(Stream { reference: self.reference.file() })
    }
}

impl GeocodeReverse {
    pub(crate) fn request(&self) -> ReverseRequest {
        ReverseRequest { file: self.file.clone(), reference: self.reference.file(), out: self.out.clone() }
    }
}

/// What `throng synth town` is asked for.
pub(crate) fn town(out: Option<PathBuf>, residents: usize, addresses: usize, seed: u64) -> TownRequest {
    TownRequest { addresses, residents, seed, out: out.unwrap_or_default() }
}
