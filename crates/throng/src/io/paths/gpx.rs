//! GPX 1.0 and 1.1: the points of tracks, and waypoints that have a time. A track is of the person whom it names.
//!
//! What a point or a track has once in GPX and twice in a file is an error: which of both would be meant? Routes and waypoints without a time are plans, and left out; so is whatever else stands beside points. A file all of whose points have no
//! time is refused: nothing could be said of when anybody was anywhere.

use throng_core::{Error, Result};

use super::super::xml::{Event, Reader};
use super::marked::{Found, Taker, push_rest};

/// A point of a track.
#[derive(Debug, Default)]
struct Point {
    lat: String,
    lon: String,
    time: Option<String>,
    place: String,
    label: String,
    rest: Vec<u8>,
    unmapped: Vec<String>,
    line: u64,
}

/// What a release of throng's is made by.
pub(super) const CREATOR: &str = "throng";

/// What the forms of GPX are called.
const OWN_SPACES: [&str; 2] = ["http://www.topografix.com/GPX/1/0", "http://www.topografix.com/GPX/1/1"];

/// Reads a file.
pub(super) fn parse(text: &str, taker: &mut Taker<'_>) -> Result<()> {
    let mut reader = Reader::new(text);
    let mut path: Vec<String> = Vec::new();
    let mut point: Option<Point> = None;
    let (mut person, mut label, mut track) = (String::new(), String::new(), Vec::new());
    let mut value = String::new();
    let (mut without_time, mut first_without) = (0_u64, None);
    // Which of the elements that stand once in a track or a point were met there.
    let (mut of_track, mut of_point) = (Vec::new(), Vec::new());
    let mut points = 0;
    while let Some(event) = reader.next()? {
        match event {
            Event::Begin(name, attributes) => {
                if path.is_empty() {
                    check_root(name, &attributes, taker, reader.line())?;
                }
                value.clear();
                let names: Vec<&str> = path.iter().map(String::as_str).collect();
                let met = match (names.as_slice(), name) {
                    (["gpx", "trk", "trkseg"], "trkpt") | (["gpx"], "wpt") => {
                        of_point.clear();
                        None
                    }
                    (["gpx"], "trk") => {
                        of_track.clear();
                        points = 0;
                        None
                    }
                    (["gpx", "trk"], "name" | "type") => Some((&mut of_track, "track")),
                    (["gpx", "trk", "trkseg", "trkpt"] | ["gpx", "wpt"], "time" | "name" | "type") => {
                        if !attributes.is_empty() {
                            taker.beside("an attribute of what a point has");
                        }
                        Some((&mut of_point, "point"))
                    }
                    _ => None,
                };
                if let Some((met, what)) = met {
                    if met.iter().any(|known| known == name) {
                        return Err(Error::data(format!("a {what} has two elements `{name}`"))
                            .at_line(reader.line())
                            .with_hint("GPX has one at most: which of both is meant?"));
                    }
                    met.push(name.to_owned());
                }
                match (names.as_slice(), name) {
                    (["gpx", "trk", "trkseg"], "trkpt") | (["gpx"], "wpt") => {
                        let mut own = Point { line: reader.line(), ..Point::default() };
                        for (key, value) in attributes {
                            match key {
                                "lat" => own.lat = value.into_owned(),
                                "lon" => own.lon = value.into_owned(),
                                other => {
                                    push_rest(&mut own.rest, other, &value);
                                    own.unmapped.push(other.to_owned());
                                }
                            }
                        }
                        point = Some(own);
                    }
                    (["gpx"], "rte") => taker.beside("a route, which nobody need have gone"),
                    (["gpx"], "metadata") => taker.beside("what is said of the whole file"),
                    (["gpx"], "trk") | (["gpx", "trk"], "trkseg" | "name" | "type") => {
                        if !attributes.is_empty() {
                            taker.beside("an attribute of a track");
                        }
                    }
                    (["gpx", "trk"] | ["gpx", "trk", "trkseg"], _) => taker.beside("what is said of a whole track"),
                    (["gpx"], _) => taker.beside("what is said of the whole file"),
                    _ => {
                        if let Some(point) = &mut point {
                            attributes.iter().for_each(|(key, value)| push_rest(&mut point.rest, key, value));
                        }
                    }
                }
                path.push(name.to_owned());
            }
            Event::Text(text) => {
                value.push_str(&text);
                let stands_alone =
                    matches!(path.last().map(String::as_str), Some("trkpt" | "wpt" | "trkseg" | "trk" | "gpx"));
                if stands_alone {
                    taker.beside("text between elements");
                }
            }
            Event::End(_) => {
                let names: Vec<&str> = path.iter().map(String::as_str).collect();
                let text = value.trim();
                match (names.as_slice(), &mut point) {
                    (["gpx", "trk", "name"], _) => person = text.to_owned(),
                    (["gpx", "trk", "type"], _) => label = text.to_owned(),
                    (["gpx", "trk", "trkseg", "trkpt"], _) => {
                        points += 1;
                        track.extend(point.take());
                    }
                    (["gpx", "wpt"], Some(_)) => {
                        if let Some(own) = point.take() {
                            match own.time.is_some() {
                                true => give(&own, "", "", taker)?,
                                false => taker.beside("a waypoint without a time"),
                            }
                        }
                    }
                    (["gpx", "trk"], _) => {
                        if points == 0 {
                            taker.beside("a track without points");
                        }
                        for own in track.drain(..) {
                            if own.time.is_none() {
                                without_time += 1;
                                first_without.get_or_insert(own.line);
                            }
                            if own.time.is_some() {
                                give(&own, &person, &label, taker)?;
                            }
                        }
                        person.clear();
                        label.clear();
                    }
                    ([.., "trkpt" | "wpt", field], Some(own)) => match *field {
                        "time" => own.time = Some(text.to_owned()),
                        "name" => own.place = text.to_owned(),
                        "type" => own.label = text.to_owned(),
                        other => {
                            push_rest(&mut own.rest, other, text);
                            own.unmapped.push(other.to_owned());
                        }
                    },
                    (_, Some(own)) => push_rest(&mut own.rest, &names.join("/"), text),
                    _ => {}
                }
                path.pop();
                value.clear();
            }
        }
    }
    reader.passed().into_iter().for_each(|(what, count)| taker.beside_many(what, count));
    match first_without {
        Some(line) if taker.has_none() => Err(Error::data("the points of the tracks have no times")
            .at_line(line)
            .with_hint("every method and measure needs to know when somebody was where: record tracks with times")),
        Some(line) => {
            let error = || {
                Error::data("a point of a track has no time")
                    .with_hint("`--bad-lines skip` leaves such points out and counts them")
            };
            (0..without_time).try_for_each(|_| taker.refuse(error(), line))
        }
        None => Ok(()),
    }
}

fn give(point: &Point, person: &str, label: &str, taker: &mut Taker<'_>) -> Result<()> {
    point.unmapped.iter().for_each(|name| taker.unmapped(name));
    taker.point(&Found {
        person,
        time: point.time.as_deref().unwrap_or_default(),
        lat: &point.lat,
        lon: &point.lon,
        place: &point.place,
        trip: "",
        label: if point.label.is_empty() { label } else { &point.label },
        rest: &point.rest,
        line: point.line,
    })
}

/// What an element and its attributes must be for the file to be GPX.
fn check_root(
    name: &str,
    attributes: &[(&str, std::borrow::Cow<'_, str>)],
    taker: &Taker<'_>,
    line: u64,
) -> Result<()> {
    if name != "gpx" {
        return Err(Error::data("this is XML, and no GPX").at_line(line));
    }
    for (key, value) in attributes {
        match *key {
            "version" if matches!(value.as_ref(), "1.0" | "1.1") => {}
            "version" => {
                return Err(Error::data("this is a version of GPX that is not known")
                    .at_line(line)
                    .with_hint("GPX 1.0 and 1.1 are read"));
            }
            "creator" if value != CREATOR => taker.beside("the name of the program that made the file"),
            "creator" => {}
            "xmlns" if OWN_SPACES.contains(&value.as_ref()) => {}
            key if key.starts_with("xmlns") || key.contains(':') => {
                taker.beside("a name of a form of XML, or of where it is described");
            }
            _ => taker.beside("an attribute of the whole file"),
        }
    }
    Ok(())
}
