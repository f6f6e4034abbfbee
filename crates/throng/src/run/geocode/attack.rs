//! `throng geocode attack`: what is read off maps with pins, and off masked points.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Value, json};
use throng_core::geo;
use throng_core::geocode::mask_attack::{self, Outcome, Person};
use throng_core::geocode::pin_map::{ControlPoint, Pin, Placing};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::files::{TextFile, degrees, metres};
use super::mask::Points;
use super::reference::ReferenceFile;
use crate::io::{NamedRows, PinImage};
use crate::report;

/// How a map is placed.
#[derive(Debug, Clone)]
pub enum MapPlacing {
    /// South, west, north, east: the outer edges of the image.
    Bounds([f64; 4]),
    /// A file `x,y,lat,lon`.
    ControlPoints(PathBuf),
}

/// Which map to read.
#[derive(Debug, Clone)]
pub struct PinMapRequest {
    /// The image, PNG or SVG.
    pub map: PathBuf,
    /// The reference.
    pub reference: ReferenceFile,
    /// Where the map is.
    pub placing: MapPlacing,
    /// The colour of the pins: red, green, blue.
    pub marker: [u8; 3],
    /// The true points, `id,lat,lon`.
    pub truth: Option<PathBuf>,
    /// The file to make.
    pub out: PathBuf,
}

/// What was read off.
#[derive(Debug, Serialize)]
pub struct PinMapFound {
    /// How many pins there are.
    pub pins: usize,
    /// The share of pins whose guess is the address nearest to the truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<f64>,
    /// The share whose guess lies within 14 m of the truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within_14m: Option<f64>,
    /// The share whose guess lies within 70 m of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within_70m: Option<f64>,
    /// The mean distance of guess and truth, in metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_error_m: Option<f64>,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Reads front doors off a map.
pub fn pin_map(request: &PinMapRequest, progress: &dyn Progress) -> Result<PinMapFound> {
    let mut out = TextFile::csv(&request.out, "pin,x,y,lat,lon,ref,distance_m")?;
    let read = request.reference.read(progress)?;
    let reference = &read.reference;
    let image = PinImage::read(&request.map, request.marker)?;
    let in_map = |error: Error| error.in_file(request.map.display().to_string());
    if image.pins.is_empty() {
        return Err(in_map(Error::data("no pixel or shape of the map has the colour of the marker")).with_hint(
            "--marker is the exact colour, as ff0000; pins that are drawn with soft edges have others around them",
        ));
    }
    let placing = match &request.placing {
        MapPlacing::Bounds(bounds) => Placing::by_bounds(*bounds, image.size)?,
        MapPlacing::ControlPoints(path) => {
            let rows = NamedRows::read(path, progress)?;
            let [x, y, lat, lon] = rows.columns(["x", "y", "lat", "lon"], "a file of control points")?;
            let point = |row: usize| -> Result<ControlPoint> {
                Ok(ControlPoint {
                    at: Pin { x: rows.number(row, x)?, y: rows.number(row, y)? },
                    place: rows.place(row, lat, lon)?,
                })
            };
            let points: Vec<ControlPoint> = (0..rows.len()).map(point).collect::<Result<_>>()?;
            Placing::by_control_points(&points).map_err(|error| error.in_file(&rows.file))?
        }
    };
    let mut guesses = Vec::with_capacity(image.pins.len());
    for (number, pin) in (1..).zip(&image.pins) {
        let place = placing
            .place(*pin)
            .ok_or_else(|| in_map(Error::data("a pin would lie beyond the poles or the date line")))?;
        let Some((guess, kilometres)) = reference.places().nearest(place) else { continue };
        let dwelling = reference.dwellings()[guess as usize];
        out.row(&[
            &format!("{number}"),
            &metres(pin.x),
            &metres(pin.y),
            &degrees(place.0),
            &degrees(place.1),
            &reference.id(dwelling.source),
            &metres(kilometres * 1000.0),
        ]);
        guesses.push((place, guess));
    }
    let truth = request.truth.as_deref().map(|path| Points::read(path, progress)).transpose()?;
    let mut found = PinMapFound {
        pins: guesses.len(),
        right: None,
        within_14m: None,
        within_70m: None,
        mean_error_m: None,
        notes: read.notes(),
    };
    if let Some(truth) = truth {
        let truths = throng_core::geocode::Places::new(truth.places);
        if truths.is_empty() {
            return Err(Error::data("the file of true points has no row").in_file(&truth.rows.file));
        }
        let (mut right, mut errors) = (0usize, Vec::with_capacity(guesses.len()));
        for &(place, guess) in &guesses {
            let Some((own, _)) = truths.nearest(place) else { continue };
            let home = truths.get(own);
            let of_home = reference.places().nearest(home).map(|nearest| nearest.0);
            let is_same = |number: u32| reference.places().get(number) == reference.places().get(guess);
            right += usize::from(of_home.is_some_and(is_same));
            errors.push(geo::distance(reference.places().get(guess), home) * 1000.0);
        }
        let share = |count: usize| Some(count as f64 / guesses.len() as f64);
        let within = |limit: f64| share(errors.iter().filter(|&&error| error <= limit).count());
        found.right = share(right);
        found.within_14m = within(14.0);
        found.within_70m = within(70.0);
        found.mean_error_m = Some(errors.iter().sum::<f64>() / guesses.len() as f64);
    }
    TextFile::publish(vec![out])?;
    Ok(found)
}

/// Which masked points to attack.
#[derive(Debug, Clone)]
pub struct MaskAttackRequest {
    /// The true points.
    pub original: PathBuf,
    /// Releases of them.
    pub masked: Vec<PathBuf>,
    /// The reference, which the attacker has too.
    pub reference: ReferenceFile,
    /// The k of the mask, which the attacker knows.
    pub k: usize,
    /// The page to make.
    pub report: Option<PathBuf>,
}

/// What came of the attacks.
#[derive(Debug, Serialize)]
pub struct MaskAttacked {
    /// Every attack.
    pub attacks: Vec<Value>,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Attacks masked points.
pub fn attack_mask(request: &MaskAttackRequest, progress: &dyn Progress) -> Result<MaskAttacked> {
    if request.k < 1 {
        return Err(Error::parameter("k", "is 0, but must be at least 1"));
    }
    let page = request.report.as_deref().map(|place| TextFile::of(place, Vec::new())).transpose()?;
    let read = request.reference.read(progress)?;
    let original = Points::read(&request.original, progress)?.with_ids()?;
    let releases: Vec<std::collections::BTreeMap<String, (f64, f64)>> = request
        .masked
        .iter()
        .map(|path| Ok(Points::read(path, progress)?.with_ids()?.into_iter().collect()))
        .collect::<Result<_>>()?;
    let persons: Vec<Person> = original
        .iter()
        .map(|(id, truth)| (*truth, releases.iter().filter_map(|release| release.get(id).copied()).collect::<Vec<_>>()))
        .filter(|person| !person.1.is_empty())
        .collect();
    if persons.is_empty() {
        return Err(Error::data("no id of the original is in the masked points"));
    }
    let addresses = read.reference.places();
    progress.stage("attacking", 0);
    let outcomes = [
        ("nearest", "the reference", mask_attack::nearest(&persons, addresses)),
        (
            "annulus",
            "the reference, that the method is adaptive-donut, and its k",
            mask_attack::annulus(&persons, addresses, request.k),
        ),
        ("averaging", "the reference, and all releases", mask_attack::averaging(&persons, addresses)),
    ];
    let attacks = outcomes
        .iter()
        .map(|(name, knowledge, outcome)| as_json(name, knowledge, outcome, releases.len(), addresses.len()));
    let attacks: Vec<Value> = attacks.collect();
    if let Some(page) = page {
        let of = crate::words::counted(persons.len() as u64, "masked point", "masked points");
        TextFile::publish(vec![page.with(report::attacks_page(&of, &attacks, &report::today())?.into_bytes())])?;
    }
    Ok(MaskAttacked { attacks, notes: read.notes() })
}

fn as_json(name: &str, knowledge: &str, outcome: &Outcome, releases: usize, addresses: usize) -> Value {
    json!({
        "name": name,
        "attempts": outcome.attempts,
        "hits": outcome.hits,
        "rate": outcome.rate(),
        "baseline": 1.0 / addresses as f64,
        "knowledge": {"knows": knowledge, "releases": releases},
        "parts": {"candidates": outcome.candidates},
    })
}
