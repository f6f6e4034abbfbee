//! Writing paths as GPX or GeoJSON: a track or features a person, with nothing but what has a role.

use std::io::Write;

use throng_core::Result;
use throng_core::data::Paths;
use throng_core::data::paths::Mark;
use throng_core::data::time::{TimeStyle, Zone};
use throng_core::progress::Progress;

use super::super::fields::write::TimeForm;
use super::super::write::{Person, Pieces, cut, push_json};
use super::super::xml::escaped;
use super::super::{Format, PointsForm};
use super::gpx::CREATOR;
use super::write::time_form;
use super::{PathsLayout, Role};

/// Points in a piece, about.
const PIECE: usize = 1 << 14;

/// Writes tracks or features one after the other.
pub(super) struct MarkedWriter<'a, W: Write + Send> {
    pieces: Pieces<'a, W>,
    form: PointsForm,
    time: TimeForm,
    /// What properties are called.
    names: Vec<(Role, String)>,
    line_times: Option<String>,
    rows: u64,
    /// Whether somebody was written.
    has_begun: bool,
}

impl<'a, W: Write + Send> MarkedWriter<'a, W> {
    pub(super) fn new(out: &'a mut W, form: PointsForm, format: Format, layout: &PathsLayout) -> Self {
        let first = match form {
            PointsForm::GeoJson => "{\"type\":\"FeatureCollection\",\"features\":[\n".to_owned(),
            _ => format!(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                 <gpx version=\"1.1\" creator=\"{CREATOR}\" xmlns=\"http://www.topografix.com/GPX/1/1\">\n"
            ),
        };
        let mut time = time_form(layout);
        if form != PointsForm::GeoJson || !matches!(time.style, TimeStyle::Number(_)) {
            time.style = in_iso(time.style, time.zone.is_some());
        }
        Self {
            pieces: Pieces::new(out, format.compression, first.into_bytes()),
            form,
            time,
            names: layout.columns.clone(),
            line_times: layout.line_times.clone(),
            rows: 0,
            has_begun: false,
        }
    }

    /// Writes persons.
    pub(super) fn append(&mut self, paths: &Paths, persons: &[Person<'_>], progress: &dyn Progress) -> Result<()> {
        let points = |person: &Person<'_>| paths.range(person.person as usize).len();
        let pieces: Vec<(bool, &[Person<'_>])> = cut(persons, PIECE, points)
            .into_iter()
            .map(|piece| (!std::mem::replace(&mut self.has_begun, true), piece))
            .collect();
        let writing = Writing { paths, time: &self.time, names: &self.names, line_times: self.line_times.as_deref() };
        let form = self.form;
        let format = |(is_first, piece): &(bool, &[Person<'_>]), out: &mut Vec<u8>| {
            for (at, person) in piece.iter().enumerate() {
                match form {
                    PointsForm::GeoJson => writing.features(person, *is_first && at == 0, out),
                    _ => writing.track(person, out),
                }
            }
            Ok(())
        };
        let weigh = |(_, piece): &(bool, &[Person<'_>])| piece.iter().map(points).sum::<usize>() as u64;
        self.pieces.append(&pieces, weigh, format, progress)?;
        self.rows += persons.iter().map(points).sum::<usize>() as u64;
        Ok(())
    }

    /// Ends the file. Gives the number of points.
    pub(super) fn finish(self) -> Result<u64> {
        let last = if self.form == PointsForm::GeoJson { "\n]}\n" } else { "</gpx>\n" };
        self.pieces.finish(last.into())?;
        Ok(self.rows)
    }
}

/// The style in which these forms write times: ISO 8601 with a zone, as exact as before.
fn in_iso(style: TimeStyle, is_local: bool) -> TimeStyle {
    let zone = if is_local { Zone::Offset(0) } else { Zone::Utc };
    match style {
        TimeStyle::Calendar { zone: zone @ Zone::Offset(_), fraction, .. } => {
            TimeStyle::Calendar { separator: b'T', zone, fraction }
        }
        TimeStyle::Calendar { fraction, .. } => TimeStyle::Calendar { separator: b'T', zone, fraction },
        TimeStyle::Number(_) if style.has_point() => TimeStyle::Calendar { separator: b'T', zone, fraction: 3 },
        TimeStyle::Number(_) | TimeStyle::Pattern(_) => TimeStyle::Calendar { separator: b'T', zone, fraction: 0 },
    }
}

/// What is written, and how.
struct Writing<'p> {
    paths: &'p Paths,
    time: &'p TimeForm,
    names: &'p [(Role, String)],
    line_times: Option<&'p str>,
}

impl Writing<'_> {
    fn track(&self, person: &Person<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("<trk><name>{}</name><trkseg>\n", escaped(person.name)).as_bytes());
        for point in self.paths.range(person.person as usize) {
            let (lat, lon) = self.paths.place(point);
            let time = self.time.text(self.paths.time(point));
            let text = |mark: Mark, name: &str| match self.paths.text(mark, point) {
                Some(text) => format!("<{name}>{}</{name}>", escaped(text)),
                None => String::new(),
            };
            let (place, label) = (text(Mark::Place, "name"), text(Mark::Label, "type"));
            let row = format!("<trkpt lat=\"{lat:.7}\" lon=\"{lon:.7}\"><time>{time}</time>{place}{label}</trkpt>\n");
            out.extend_from_slice(row.as_bytes());
        }
        out.extend_from_slice(b"</trkseg></trk>\n");
    }

    fn features(&self, person: &Person<'_>, is_first: bool, out: &mut Vec<u8>) {
        let range = self.paths.range(person.person as usize);
        let has_texts = Mark::ALL.iter().any(|&mark| range.clone().any(|point| self.paths.text(mark, point).is_some()));
        match self.line_times.filter(|_| range.len() > 1 && !has_texts) {
            Some(times) => {
                self.separate(is_first, out);
                self.line(person, range, times, out);
            }
            None => {
                for (at, point) in range.enumerate() {
                    self.separate(is_first && at == 0, out);
                    self.point(person, point, out);
                }
            }
        }
    }

    fn separate(&self, is_first: bool, out: &mut Vec<u8>) {
        if !is_first {
            out.extend_from_slice(b",\n");
        }
        out.extend_from_slice(b"{\"type\":\"Feature\",\"properties\":{");
    }

    fn property(&self, role: Role, value: &str, out: &mut Vec<u8>) {
        if out.last() != Some(&b'{') {
            out.push(b',');
        }
        let name = self.names.iter().find(|(own, _)| *own == role).map_or(role.name(), |(_, name)| name);
        push_json(name, out);
        out.push(b':');
        push_json(value, out);
    }

    fn time(&self, point: usize, out: &mut Vec<u8>) {
        let text = self.time.text(self.paths.time(point));
        match self.time.style {
            TimeStyle::Number(_) => out.extend_from_slice(text.as_bytes()),
            _ => push_json(&text, out),
        }
    }

    fn position(&self, point: usize, out: &mut Vec<u8>) {
        let (lat, lon) = self.paths.place(point);
        out.extend_from_slice(format!("[{lon:.7},{lat:.7}]").as_bytes());
    }

    fn point(&self, person: &Person<'_>, point: usize, out: &mut Vec<u8>) {
        self.property(Role::User, person.name, out);
        let name = self.names.iter().find(|(role, _)| *role == Role::Time).map_or("time", |(_, name)| name);
        out.push(b',');
        push_json(name, out);
        out.push(b':');
        self.time(point, out);
        for (role, mark) in
            [(Role::Place, Mark::Place), (Role::Cell, Mark::Cell), (Role::Trip, Mark::Trip), (Role::Label, Mark::Label)]
        {
            if let Some(text) = self.paths.text(mark, point) {
                self.property(role, text, out);
            }
        }
        out.extend_from_slice(b"},\"geometry\":{\"type\":\"Point\",\"coordinates\":");
        self.position(point, out);
        out.extend_from_slice(b"}}");
    }

    fn line(&self, person: &Person<'_>, points: std::ops::Range<usize>, times: &str, out: &mut Vec<u8>) {
        self.property(Role::User, person.name, out);
        out.push(b',');
        push_json(times, out);
        out.extend_from_slice(b":[");
        for (at, point) in points.clone().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            self.time(point, out);
        }
        out.extend_from_slice(b"]},\"geometry\":{\"type\":\"LineString\",\"coordinates\":[");
        for (at, point) in points.enumerate() {
            if at > 0 {
                out.push(b',');
            }
            self.position(point, out);
        }
        out.extend_from_slice(b"]}}");
    }
}
