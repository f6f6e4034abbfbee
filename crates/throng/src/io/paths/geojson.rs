//! GeoJSON (RFC 7946): points with a time, and lines whose points have times, in a collection, alone, or one after the other (RFC 8142).
//!
//! Properties are columns: who somebody was, when, the name of the place, and so on are known by their names, or named with `--column`. The times of a
//! line are a list in its property `coordTimes` or `times`, or in `coordinateProperties.times`. A `name` is the person's where nothing else is.

use std::borrow::Cow;

use serde_json::value::RawValue;
use throng_core::{Error, Result};

use super::super::fields::json_lines::Keys;
use super::super::roles::ColumnChoice;
use super::marked::{Found, Lines, Taker, push_rest};
use super::{ROLES, Role};

/// What the times of lines are called.
const LINE_TIMES: [&str; 2] = ["coordTimes", "times"];
/// Where they also are.
const INSIDE: &str = "coordinateProperties";

/// A feature, as it stands in the text.
struct Feature<'a> {
    line: u64,
    properties: Keys<'a>,
    geometry: Option<Keys<'a>>,
    /// Whatever else it has.
    rest: Vec<u8>,
    unmapped: Vec<String>,
}

type Names = Vec<(Role, String)>;

/// Reads a file. Gives the properties with a role, and what the times of lines are called if there are lines alone.
pub(super) fn parse(text: &str, columns: &[ColumnChoice], taker: &mut Taker<'_>) -> Result<(Names, Option<String>)> {
    let mut lines = Lines::new(text);
    let mut features = Vec::new();
    let documents = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    for document in documents {
        let raw = document.map_err(|cause| broken(&cause))?;
        collect(raw, &mut features, taker, &mut lines)?;
    }
    let mut names: Vec<String> = Vec::new();
    for &(raw, line) in &features {
        // Whatever is wrong with it is said when it is read.
        let Ok(feature) = Feature::of(raw, line) else { continue };
        for (key, _) in &feature.properties.0 {
            if !LINE_TIMES.contains(&key.as_ref()) && key != INSIDE && !names.iter().any(|name| name == key) {
                names.push(key.clone().into_owned());
            }
        }
    }
    let roles = Roles::of(&names, columns)?;
    let (mut has_points, mut line_times) = (false, None);
    for (raw, line) in features {
        match Feature::of(raw, line).and_then(|feature| feature.give(&roles, taker)) {
            Ok(Some(times)) => line_times = Some(times),
            Ok(None) => has_points = true,
            Err(error) if error.place().is_some_and(|place| place.line.is_some()) => return Err(error),
            Err(error) => taker.refuse(error, line)?,
        }
    }
    let mut named: Names = roles.0.iter().map(|(role, name)| (*role, name.clone())).collect();
    for (role, name) in [(Role::User, "user"), (Role::Time, "time"), (Role::Lat, "lat"), (Role::Lon, "lon")] {
        if !named.iter().any(|(other, _)| *other == role) {
            named.push((role, name.to_owned()));
        }
    }
    named.sort_by_key(|(role, _)| *role as usize);
    Ok((named, line_times.filter(|_| !has_points)))
}

fn broken(cause: &serde_json::Error) -> Error {
    let problem =
        if cause.is_eof() { "this is no GeoJSON: the file ends too soon" } else { "this is no GeoJSON: it is broken" };
    let hint = "the file may be cut off: get it once more";
    Error::data(problem).at_line(cause.line() as u64).with_hint(hint)
}

/// Adds the features of a document.
fn collect<'a>(
    raw: &'a RawValue,
    features: &mut Vec<(&'a RawValue, u64)>,
    taker: &Taker<'_>,
    lines: &mut Lines<'a>,
) -> Result<()> {
    let line = lines.of(raw.get());
    let document: Keys<'a> = object(raw).ok_or_else(|| Error::data("this is no GeoJSON object").at_line(line))?;
    match document.get("type").and_then(text).as_deref() {
        Some("Feature") => features.push((raw, line)),
        Some("FeatureCollection") => {
            for (key, value) in &document.0 {
                match key.as_ref() {
                    "type" => {}
                    "features" => {
                        let list: Vec<&'a RawValue> = serde_json::from_str(value.get())
                            .map_err(|_| Error::data("the features of the collection are no list").at_line(line))?;
                        features.extend(list.into_iter().map(|raw| (raw, lines.of(raw.get()))));
                    }
                    _ => taker.beside("what is said of the whole file"),
                }
            }
        }
        _ => {
            return Err(Error::data("this is no feature of GeoJSON, and no collection of them")
                .at_line(line)
                .with_hint("paths are features: points with a time, or lines with `coordTimes`"));
        }
    }
    Ok(())
}

/// Which property has which role.
struct Roles(Vec<(Role, String)>);

impl Roles {
    fn of(names: &[String], columns: &[ColumnChoice]) -> Result<Self> {
        let texts: Vec<&str> = names.iter().map(String::as_str).collect();
        // Where a point is says its geometry; a certificate names these all the same.
        let own: Vec<ColumnChoice> = columns
            .iter()
            .filter(|choice| !["lat", "lon"].contains(&choice.role.as_str()))
            .filter(|choice| choice.name != choice.role || texts.contains(&choice.name.as_str()))
            .cloned()
            .collect();
        let roles = ROLES.guess(&texts, &own)?;
        let mut found: Vec<(Role, String)> = roles
            .iter()
            .zip(names)
            .filter_map(|(role, name)| Some((Role::ALL[(*role)?], name.clone())))
            .filter(|(role, _)| !matches!(role, Role::Lat | Role::Lon))
            .collect();
        if !found.iter().any(|(role, _)| *role == Role::User) {
            let free = |name: &&String| *name == "name" && !found.iter().any(|(_, taken)| taken == *name);
            if let Some(name) = names.iter().find(free) {
                found.push((Role::User, name.clone()));
            }
        }
        Ok(Self(found))
    }

    fn value<'a>(&self, role: Role, properties: &Keys<'a>) -> Cow<'a, str> {
        let name = self.0.iter().find(|(other, _)| *other == role).map(|(_, name)| name);
        name.and_then(|name| properties.get(name)).and_then(text).unwrap_or_default()
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(_, own)| own == name)
    }
}

impl<'a> Feature<'a> {
    fn of(raw: &'a RawValue, line: u64) -> Result<Self> {
        let whole: Keys<'a> = object(raw).ok_or_else(|| Error::data("a feature is no object, or has a key twice"))?;
        let wrong = |what: &str| Error::data(format!("the {what} of a feature are no object, or have a key twice"));
        let (mut properties, mut geometry) = (Keys(Vec::new()), None);
        let (mut rest, mut unmapped) = (Vec::new(), Vec::new());
        for (key, value) in whole.0 {
            match key.as_ref() {
                "type" => {}
                "properties" if value.get() == "null" => {}
                "properties" => properties = object(value).ok_or_else(|| wrong("properties"))?,
                "geometry" if value.get() == "null" => {}
                "geometry" => geometry = Some(object(value).ok_or_else(|| wrong("coordinates"))?),
                other => {
                    push_rest(&mut rest, other, value.get());
                    unmapped.push(other.to_owned());
                }
            }
        }
        Ok(Self { line, properties, geometry, rest, unmapped })
    }

    /// Gives its points; what the times of a line are called.
    fn give(mut self, roles: &Roles, taker: &mut Taker<'_>) -> Result<Option<String>> {
        const SKIP: &str = "`--bad-lines skip` leaves such features out and counts them";
        let geometry = self.geometry.take().ok_or_else(|| Error::data("a feature has no geometry").with_hint(SKIP))?;
        for (key, value) in &geometry.0 {
            if !["type", "coordinates"].contains(&key.as_ref()) {
                push_rest(&mut self.rest, key, value.get());
                self.unmapped.push(key.clone().into_owned());
            }
        }
        let coordinates =
            geometry.get("coordinates").ok_or_else(|| Error::data("a geometry has no coordinates").with_hint(SKIP))?;
        let kind = geometry.get("type").and_then(text).unwrap_or_default();
        match kind.as_ref() {
            "Point" => {
                self.pass_by(roles, None);
                let place = position(coordinates)?;
                let time = roles.value(Role::Time, &self.properties);
                self.point(&place, &time, roles, taker)?;
                Ok(None)
            }
            "LineString" | "MultiLineString" => {
                let (name, times) = self.line_times()?;
                self.pass_by(roles, Some(&name));
                let (places, times) = match kind.as_ref() {
                    "LineString" => (list(coordinates)?, list(times)?),
                    _ => (nested(coordinates)?, nested(times)?),
                };
                if places.len() != times.len() {
                    return Err(Error::data("a line has not as many times as points").with_hint(SKIP));
                }
                for (place, time) in places.into_iter().zip(times) {
                    let time = text(time).unwrap_or_default();
                    self.point(&position(place)?, &time, roles, taker)?;
                }
                Ok(Some(name))
            }
            _ => Err(Error::data("a feature is neither a point nor a line, as paths are").with_hint(SKIP)),
        }
    }

    /// Keeps the properties without a role.
    fn pass_by(&mut self, roles: &Roles, times: Option<&str>) {
        for (key, value) in &self.properties.0 {
            let is_times = times == Some(key.as_ref()) || (times.is_some() && key == INSIDE);
            if !roles.has(key) && !is_times {
                push_rest(&mut self.rest, key, value.get());
                self.unmapped.push(key.clone().into_owned());
            }
        }
    }

    /// What the times of a line are called, and the list of them.
    fn line_times(&self) -> Result<(String, &'a RawValue)> {
        let own = LINE_TIMES.iter().find_map(|name| Some(((*name).to_owned(), self.properties.get(name)?)));
        let inside = || {
            let raw = self.properties.inside(&[INSIDE, LINE_TIMES[1]]);
            raw.map(|raw| (LINE_TIMES[1].to_owned(), raw))
        };
        own.or_else(inside).ok_or_else(|| {
            Error::data("the points of a line have no times")
                .with_hint("a line has a list of them in its property `coordTimes` or `times`")
        })
    }

    fn point(&self, place: &[&'a RawValue], time: &str, roles: &Roles, taker: &mut Taker<'_>) -> Result<()> {
        self.unmapped.iter().for_each(|name| taker.unmapped(name));
        let mut rest = self.rest.clone();
        for (number, beyond) in place.iter().enumerate().skip(2) {
            push_rest(&mut rest, &number.to_string(), beyond.get());
            taker.unmapped("altitude");
        }
        let of = |role: Role| roles.value(role, &self.properties);
        let (person, label) = (of(Role::User), of(Role::Label));
        let (name, trip) = (of(Role::Place), of(Role::Trip));
        taker.point(&Found {
            person: &person,
            time,
            lat: place[1].get(),
            lon: place[0].get(),
            place: &name,
            trip: &trip,
            label: &label,
            rest: &rest,
            line: self.line,
        })
    }
}

fn object<'a>(raw: &'a RawValue) -> Option<Keys<'a>> {
    raw.get().starts_with('{').then(|| serde_json::from_str(raw.get()).ok()).flatten()
}

/// A string or a number as text; nothing for another value.
fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    match raw.get().as_bytes()[0] {
        b'"' => serde_json::from_str::<String>(raw.get()).ok().map(Cow::Owned),
        b'-' | b'0'..=b'9' => Some(Cow::Borrowed(raw.get())),
        _ => None,
    }
}

fn list(raw: &RawValue) -> Result<Vec<&RawValue>> {
    serde_json::from_str(raw.get()).map_err(|_| Error::data("coordinates or times of a line are no list"))
}

fn nested(raw: &RawValue) -> Result<Vec<&RawValue>> {
    Ok(list(raw)?.into_iter().map(list).collect::<Result<Vec<_>>>()?.concat())
}

/// A longitude, a latitude, and whatever is beyond.
fn position(raw: &RawValue) -> Result<Vec<&RawValue>> {
    let numbers: Option<Vec<&RawValue>> = serde_json::from_str(raw.get()).ok();
    let is_number = |raw: &&RawValue| matches!(raw.get().as_bytes()[0], b'-' | b'0'..=b'9');
    numbers.filter(|numbers| numbers.len() >= 2 && numbers.iter().all(is_number)).ok_or_else(|| {
        Error::data("a position is no list of a longitude and a latitude")
            .with_hint("`--bad-lines skip` leaves such features out and counts them")
    })
}
