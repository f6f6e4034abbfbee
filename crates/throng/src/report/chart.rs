//! Charts as plain data, and their drawing as SVG for a page.
//!
//! What a chart shows can be read and tested without its picture. Pictures are drawn by `plotters`. Colours in them are
//! names: the page's style sheet turns each into a colour that fits a light or a dark page, and paper.

use std::fmt::Write as _;

use minijinja::HtmlEscape;
use plotters::chart::MeshStyle;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use serde::Serialize;
use throng_core::{Error, Result};

/// What a chart shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chart {
    /// What it is about, in a few words.
    pub title: String,
    /// What stands below its horizontal axis.
    pub across: String,
    /// What stands beside its vertical axis.
    pub up: String,
    /// The numbers.
    pub shape: Shape,
}

/// The numbers of a chart.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Bars from one value to another, with a height each; the last may be open above.
    Bars(Vec<Bar>),
    /// Rows with a value before and one after.
    Dumbbells(Vec<Dumbbell>),
    /// Lines through points; both axes begin with zero.
    Lines(Vec<Series>),
    /// Lines over whole numbers, such as k, each of which has its mark on the axis.
    OverCounts(Vec<Series>),
}

/// A bar.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bar {
    /// Of what, in a few words.
    pub label: String,
    /// Where it begins.
    pub from: f64,
    /// Where it ends; open above if nowhere.
    pub to: Option<f64>,
    /// How high it is.
    pub height: f64,
}

/// A value before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Dumbbell {
    /// Of what.
    pub label: String,
    /// Before.
    pub before: f64,
    /// After.
    pub after: f64,
}

/// A line.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
    /// What stands at each point, if something does.
    pub marks: Vec<String>,
    /// How far each point may be off, up and down, if that is known.
    pub spreads: Vec<f64>,
    /// The number of its colour; they begin again after the last.
    pub colour: usize,
}

/// Colours by name: the style sheet of the page finds them by these values.
const INK: RGBColor = RGBColor(0x11, 0x11, 0x11);
const FAINT: RGBColor = RGBColor(0xDD, 0xDD, 0xDD);
const BEFORE: RGBColor = RGBColor(0xC8, 0x50, 0x28);
const AFTER: RGBColor = RGBColor(0x1F, 0x6F, 0xB2);
/// How many colours of lines there are.
pub(super) const COLOURS: usize = 8;
const LINES: [RGBColor; COLOURS] = [
    AFTER,
    BEFORE,
    RGBColor(0x2E, 0x8B, 0x57),
    RGBColor(0x8A, 0x4F, 0xBE),
    RGBColor(0xB0, 0x8A, 0x00),
    RGBColor(0xC2, 0x3B, 0x7A),
    RGBColor(0x0F, 0x8B, 0x8D),
    RGBColor(0x7A, 0x5C, 0x48),
];

/// The width of all pictures: narrow enough that their numbers can be read on a phone.
const WIDTH: u32 = 460;
const HEIGHT: u32 = 320;
/// The most marks on an axis of whole numbers.
const MOST_MARKS: usize = 12;
/// The height of a row of a chart with rows.
const ROW: u32 = 30;
/// How many letters of a label a picture has room for.
const LABEL: usize = 26;

/// Greater numbers are not drawn.
const MOST: f64 = 1e12;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

impl Chart {
    /// The picture, to stand in a page. It has no address in it, and labels are text.
    pub fn svg(&self) -> Result<String> {
        let (inner, width, height) = self.drawn()?;
        Ok(format!("<svg viewBox=\"0 0 {width} {height}\" role=\"img\">{}", self.with_tips(&inner)))
    }

    /// The picture as a file of its own, with its title above and its legend below.
    pub fn file(&self) -> Result<String> {
        const MARGIN: u32 = 12;
        const LINE: u32 = 20;
        let (inner, width, height) = self.drawn()?;
        let title = wrapped(&self.title, width as usize / 8);
        let legend = self.keys();
        let top = MARGIN + LINE * title.len() as u32;
        let bottom = top + height + LINE * legend.len() as u32 + MARGIN;
        let mut file = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{bottom}\" viewBox=\"0 0 {width} {bottom}\" \
             font-family=\"sans-serif\" font-size=\"14\" fill=\"{}\">\n<rect width=\"{width}\" height=\"{bottom}\" fill=\"#FFFFFF\"/>\n",
            hex(INK)
        );
        for (line, text) in title.iter().enumerate() {
            let y = MARGIN + LINE * line as u32 + 12;
            let _ = writeln!(file, "<text x=\"{MARGIN}\" y=\"{y}\" font-weight=\"600\">{}</text>", HtmlEscape(text));
        }
        let _ = writeln!(
            file,
            "<svg y=\"{top}\" width=\"{width}\" height=\"{height}\">{}",
            self.with_tips(&inner).trim_end()
        );
        for (line, (_, colour, name)) in legend.iter().enumerate() {
            let (y, colour) = (top + height + LINE * line as u32 + 12, hex(*colour));
            let _ = writeln!(file, "<circle cx=\"{}\" cy=\"{}\" r=\"5\" fill=\"{colour}\"/>", MARGIN + 5, y - 5);
            let _ = writeln!(file, "<text x=\"{}\" y=\"{y}\">{}</text>", MARGIN + 18, HtmlEscape(name));
        }
        file.push_str("</svg>\n");
        Ok(file)
    }

    /// The inside of the picture with the end of its element, its width and its height.
    fn drawn(&self) -> Result<(String, u32, u32)> {
        if !self.is_drawable() {
            return Err(Error::data(format!("the chart `{}` has numbers that cannot be drawn", self.title))
                .with_hint("the report is damaged, or not one of throng's"));
        }
        let (width, height) = match &self.shape {
            Shape::Dumbbells(rows) => (WIDTH, 70 + ROW * rows.len().max(1) as u32),
            Shape::Bars(_) | Shape::Lines(_) | Shape::OverCounts(_) => (WIDTH, HEIGHT),
        };
        let mut picture = String::new();
        {
            let area = SVGBackend::with_string(&mut picture, (width, height)).into_drawing_area();
            let drawn = match &self.shape {
                Shape::Bars(bars) => self.draw_bars(&area, bars),
                Shape::Dumbbells(rows) => self.draw_dumbbells(&area, rows),
                Shape::Lines(series) => self.draw_lines(&area, series, false),
                Shape::OverCounts(series) => self.draw_lines(&area, series, true),
            };
            drawn.and_then(|()| Ok(area.present()?)).map_err(|cause| {
                Error::internal(format!("the chart `{}` cannot be drawn", self.title))
                    .with_cause(std::io::Error::other(cause.to_string()))
            })?;
        }
        // The page gives the size; an address of the name space would be an address in the page.
        let inner = picture.split_once('>').map_or("", |(_, inner)| inner);
        Ok((inner.to_owned(), width, height))
    }

    /// The picture with a tip at every bar and point, which a browser shows under the pointer.
    fn with_tips(&self, picture: &str) -> String {
        let element = if matches!(self.shape, Shape::Bars(_)) { "<rect" } else { "<circle" };
        let mut parts = picture.split(element);
        let mut with_tips = parts.next().unwrap_or_default().to_owned();
        // Elements stand in the order in which they were drawn, and hold nothing.
        let mut tips = self.tips().into_iter();
        for part in parts {
            with_tips.push_str(element);
            match (part.split_once("/>"), tips.next()) {
                (Some((attributes, rest)), Some((at, tip))) => {
                    let (at, tip) = (HtmlEscape(&at), HtmlEscape(&tip));
                    let at = if at.0.is_empty() { String::new() } else { format!(" data-at=\"{at}\"") };
                    let _ = write!(with_tips, "{attributes}{at}><title>{tip}</title></{}>{rest}", &element[1..]);
                }
                _ => with_tips.push_str(part),
            }
        }
        with_tips
    }

    /// Where each bar or point of lines stands, a k for example, and what it says, in the order in which they are drawn.
    fn tips(&self) -> Vec<(String, String)> {
        let row = |when: &str, label: &str, share: f64| {
            (String::new(), format!("{}, {when}: {}", shortened(label, 80), plain(share)))
        };
        match &self.shape {
            Shape::Bars(bars) => {
                let tip = |bar: &Bar| format!("{}: {} {}", bar.label, plain(bar.height), self.up);
                bars.iter().map(|bar| (String::new(), tip(bar))).collect()
            }
            Shape::Dumbbells(rows) => {
                let before = rows.iter().map(|values| row("before", &values.label, values.before));
                before.chain(rows.iter().map(|values| row("after", &values.label, values.after))).collect()
            }
            Shape::Lines(series) | Shape::OverCounts(series) => {
                series.iter().flat_map(|series| self.tips_of(series)).collect()
            }
        }
    }

    /// The same of a line.
    fn tips_of(&self, series: &Series) -> Vec<(String, String)> {
        let name = shortened(&series.name, 80);
        let is_over_counts = matches!(self.shape, Shape::OverCounts(_));
        let tip = |(at, &(x, y)): (usize, &(f64, f64))| {
            let spread = series.spreads.get(at).map(|spread| format!(" ± {}", plain(*spread))).unwrap_or_default();
            let value = format!("{}{spread}", plain(y));
            match series.marks.get(at) {
                Some(mark) => (mark.clone(), format!("{name}, {mark}: {value} at {}", plain(x))),
                None if is_over_counts => (plain(x), format!("{name}, {} {}: {value}", self.across, plain(x))),
                None => (String::new(), format!("{name}: {value} at {}", plain(x))),
            }
        };
        series.points.iter().enumerate().map(tip).collect()
    }

    /// What its colours mean: names of colours of the style sheet, and what each stands for. Empty if there is one only.
    pub fn legend(&self) -> Vec<(String, String)> {
        self.keys().into_iter().map(|(variable, _, name)| (variable, name)).collect()
    }

    /// The same with the colours of the picture.
    fn keys(&self) -> Vec<(String, RGBColor, String)> {
        match &self.shape {
            Shape::Bars(_) => Vec::new(),
            Shape::Dumbbells(_) => [("before", BEFORE), ("after", AFTER)]
                .map(|(name, colour)| (format!("--{name}"), colour, name.to_owned()))
                .into(),
            Shape::Lines(series) | Shape::OverCounts(series) => {
                let key = |series: &Series| {
                    let number = series.colour % LINES.len();
                    (format!("--line-{}", 1 + number), LINES[number], shortened(&series.name, 80))
                };
                if series.len() > 1 { series.iter().map(key).collect() } else { Vec::new() }
            }
        }
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        match &self.shape {
            Shape::Bars(bars) => bars.is_empty(),
            Shape::Dumbbells(rows) => rows.is_empty(),
            Shape::Lines(series) | Shape::OverCounts(series) => series.iter().all(|series| series.points.is_empty()),
        }
    }

    /// Whether its numbers are such that axes can be drawn for them, however a damaged report came by them.
    fn is_drawable(&self) -> bool {
        let is_moderate = |number: f64| number.abs() <= MOST;
        match &self.shape {
            Shape::Bars(bars) => bars.iter().all(|bar| {
                [bar.from, bar.height, bar.to.unwrap_or(bar.from)].into_iter().all(is_moderate)
                    && bar.to.is_none_or(|to| bar.from < to)
            }),
            Shape::Dumbbells(rows) => rows.iter().all(|row| is_moderate(row.before) && is_moderate(row.after)),
            Shape::Lines(series) | Shape::OverCounts(series) => series.iter().all(|series| {
                let mut numbers = series.points.iter().flat_map(|&(x, y)| [x, y]).chain(series.spreads.iter().copied());
                numbers.all(is_moderate)
            }),
        }
    }

    fn draw_bars(&self, area: &Area<'_>, bars: &[Bar]) -> Drawn {
        let first = bars.first().map_or(0.0, |bar| bar.from);
        let widest = bars.iter().filter_map(|bar| Some(bar.to? - bar.from)).fold(0.0, f64::max);
        let end = |bar: &Bar| bar.to.unwrap_or(bar.from + if widest > 0.0 { widest } else { 1.0 });
        let last = bars.iter().map(end).fold(first + 1.0, f64::max);
        let highest = bars.iter().map(|bar| bar.height).fold(0.0, f64::max).max(1e-9);
        // Bars around whole numbers are counts of counts: nothing lies between.
        let middle = |bar: &Bar| bar.from + 0.5;
        let are_counts = bars.iter().all(|bar| middle(bar).fract() == 0.0 && bar.to == Some(bar.from + 1.0));
        let marks = || counts((0..(last - first) as usize).map(|step| first + 0.5 + step as f64));
        let across = Across { range: (first..last).into(), marks: are_counts.then(marks) };
        let few = || (0..=highest as usize).map(|height| height as f64).collect();
        let up = Across {
            range: (0.0..highest * 1.08).into(),
            marks: (are_counts && highest <= MOST_MARKS as f64).then(few),
        };
        let mut chart = ChartBuilder::on(area)
            .margin(8)
            .x_label_area_size(42)
            .y_label_area_size(58)
            .build_cartesian_2d(across, up)?;
        self.mesh(&mut chart.configure_mesh())?;
        let room = (last - first) * 0.002;
        chart.draw_series(
            bars.iter()
                .map(|bar| Rectangle::new([(bar.from + room, 0.0), (end(bar) - room, bar.height)], AFTER.filled())),
        )?;
        Ok(())
    }

    fn draw_dumbbells(&self, area: &Area<'_>, rows: &[Dumbbell]) -> Drawn {
        let most = rows.iter().flat_map(|row| [row.before, row.after]).fold(0.0, f64::max).max(1e-12);
        let count = rows.len().max(1) as f64;
        let mut chart = ChartBuilder::on(area)
            .margin(8)
            .x_label_area_size(42)
            .y_label_area_size(190)
            .build_cartesian_2d(0.0..most * 1.05, 0.0..count)?;
        self.mesh(chart.configure_mesh().disable_y_mesh().disable_y_axis().y_labels(0))?;
        // The first row stands on top.
        let at = |row: usize| count - row as f64 - 0.5;
        chart.draw_series(rows.iter().enumerate().map(|(row, values)| {
            PathElement::new([(values.before, at(row)), (values.after, at(row))], FAINT.stroke_width(4))
        }))?;
        chart.draw_series(
            rows.iter().enumerate().map(|(row, values)| Circle::new((values.before, at(row)), 6, BEFORE.filled())),
        )?;
        chart.draw_series(
            rows.iter().enumerate().map(|(row, values)| Circle::new((values.after, at(row)), 6, AFTER.filled())),
        )?;
        let style = TextStyle::from(("sans-serif", 15)).color(&INK);
        for (row, values) in rows.iter().enumerate() {
            let (_, y) = chart.backend_coord(&(0.0, at(row)));
            area.draw(&Text::new(shortened(&values.label, LABEL), (8, y - 8), style.clone()))?;
        }
        Ok(())
    }

    fn draw_lines(&self, area: &Area<'_>, series: &[Series], over_counts: bool) -> Drawn {
        let points = || series.iter().flat_map(|series| &series.points);
        let spread = |series: &Series, at: usize| series.spreads.get(at).copied().unwrap_or(0.0);
        let ends = series.iter().flat_map(|series| {
            let end = move |(at, &(_, y)): (usize, &(f64, f64))| [y - spread(series, at), y + spread(series, at)];
            series.points.iter().enumerate().flat_map(end)
        });
        let (low, high) = axis(ends, true);
        let (left, right) = axis(points().map(|point| point.0), !over_counts);
        let across =
            Across { range: (left..right).into(), marks: over_counts.then(|| counts(points().map(|point| point.0))) };
        let mut chart = ChartBuilder::on(area)
            .margin(8)
            .x_label_area_size(42)
            .y_label_area_size(58)
            .build_cartesian_2d(across, low..high)?;
        self.mesh(&mut chart.configure_mesh())?;
        draw_series(&mut chart, series)
    }

    /// Axes with few, plain numbers.
    fn mesh<'a, 'b, X, Y, DB>(&self, mesh: &mut MeshStyle<'a, 'b, X, Y, DB>) -> Drawn
    where
        X: Ranged<ValueType = f64> + ValueFormatter<f64>,
        Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
        DB: DrawingBackend<ErrorType = std::io::Error>,
        DB: 'a,
    {
        let style = TextStyle::from(("sans-serif", 15)).color(&INK);
        mesh.light_line_style(TRANSPARENT)
            .bold_line_style(FAINT)
            .axis_style(FAINT)
            .label_style(style.clone())
            .axis_desc_style(style)
            .x_labels(8)
            .x_desc(self.across.as_str())
            .y_desc(self.up.as_str())
            .x_label_formatter(&|value: &f64| plain(*value))
            .y_label_formatter(&|value: &f64| plain(*value))
            .draw()?;
        Ok(())
    }
}

type Drawn = std::result::Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// Where an axis begins and ends: at zero if it should and nothing is below, else with some room around its numbers.
fn axis(values: impl Iterator<Item = f64>, from_zero: bool) -> (f64, f64) {
    let (least, most) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)));
    if least > most {
        return (0.0, 1.0);
    }
    let least = if from_zero { least.min(0.0) } else { least };
    let room = if most > least { (most - least) * 0.07 } else { 0.5 };
    (if from_zero && least == 0.0 { 0.0 } else { least - room }, most + room)
}

/// An axis, with marks of its own where they are whole numbers.
struct Across {
    range: RangedCoordf64,
    marks: Option<Vec<f64>>,
}

impl Ranged for Across {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.range.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        self.marks.clone().unwrap_or_else(|| self.range.key_points(hint))
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.range.range()
    }
}

/// The marks of an axis of whole numbers: all of them, or every second, third and so on.
fn counts(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut counts: Vec<f64> = values.collect();
    counts.sort_by(f64::total_cmp);
    counts.dedup();
    let step = counts.len().div_ceil(MOST_MARKS).max(1);
    counts.into_iter().step_by(step).collect()
}

/// Draws lines, how far their points may be off, and what stands at them.
fn draw_series<DB, X, Y>(chart: &mut ChartContext<'_, DB, Cartesian2d<X, Y>>, all: &[Series]) -> Drawn
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
    DB: DrawingBackend<ErrorType = std::io::Error>,
{
    let mut marked: Vec<(&(f64, f64), &String)> = Vec::new();
    for series in all {
        let colour = LINES[series.colour % LINES.len()];
        chart.draw_series(LineSeries::new(series.points.iter().copied(), colour.stroke_width(2)))?;
        let bar = |(&(x, y), &spread): (&(f64, f64), &f64)| {
            PathElement::new([(x, y - spread), (x, y + spread)], colour.stroke_width(1))
        };
        chart.draw_series(series.points.iter().zip(&series.spreads).map(bar))?;
        chart.draw_series(series.points.iter().map(|&point| Circle::new(point, 4, colour.filled())))?;
        // The ends first: of marks that would cover each other the earlier one is drawn.
        let mut own: Vec<_> = series.points.iter().zip(&series.marks).collect();
        if own.len() > 1 {
            own.rotate_right(1);
        }
        marked.extend(own);
    }
    let style = TextStyle::from(("sans-serif", 13)).color(&INK);
    let mut taken: Vec<(i32, i32)> = Vec::new();
    for (&point, mark) in marked {
        let (x, y) = chart.backend_coord(&point);
        if taken.iter().all(|(other_x, other_y)| (x - other_x).abs() > 14 || (y - other_y).abs() > 13) {
            taken.push((x, y));
            chart.draw_series([EmptyElement::at(point) + Text::new(mark.clone(), (6, -14), style.clone())])?;
        }
    }
    Ok(())
}

/// A colour as SVG writes it.
fn hex(colour: RGBColor) -> String {
    format!("#{:02X}{:02X}{:02X}", colour.0, colour.1, colour.2)
}

/// A text in lines of at most so many letters.
fn wrapped(text: &str, letters: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in shortened(text, 400).split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + word.chars().count() < letters => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A number with as many places as it needs.
pub fn plain(value: f64) -> String {
    let text = if value.abs() >= 1000.0 {
        // The same commas as everywhere.
        let sign = if value < 0.0 { "-" } else { "" };
        format!("{sign}{}", crate::words::thousands(value.abs().round() as u64))
    } else if value.abs() >= 100.0 || value == 0.0 {
        format!("{value:.0}")
    } else if value.abs() >= 1.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.3}")
    };
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A text that fits where there is little room: its first letters, and nothing that turns the writing around.
pub fn shortened(text: &str, letters: usize) -> String {
    let mut visible = text.chars().map(|letter| if is_visible(letter) { letter } else { '\u{fffd}' });
    let mut short: String = visible.by_ref().take(letters).collect();
    if visible.next().is_some() {
        short.pop();
        short.push('…');
    }
    short
}

/// Whether a character is one to see, not one that moves the others.
fn is_visible(letter: char) -> bool {
    !letter.is_control()
        && !matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(shape: Shape) -> Chart {
        Chart { title: "t".to_owned(), across: "per cent".to_owned(), up: "persons".to_owned(), shape }
    }

    #[test]
    fn counts_of_counts_have_whole_marks() {
        let bar = |size: f64, height: f64| Bar {
            label: format!("{size} persons"),
            from: size - 0.5,
            to: Some(size + 0.5),
            height,
        };
        let chart = Chart {
            title: "t".to_owned(),
            across: "persons".to_owned(),
            up: "groups".to_owned(),
            shape: Shape::Bars(vec![bar(6.0, 2.0), bar(7.0, 1.0), bar(9.0, 1.0)]),
        };
        let picture = chart.svg().unwrap();
        let marks: Vec<&str> = picture
            .split("</text>")
            .filter_map(|text| text.rsplit('>').next())
            .map(str::trim)
            .filter(|text| text.parse::<f64>().is_ok())
            .collect();
        assert!(["6", "7", "8", "9", "0", "1", "2"].iter().all(|mark| marks.contains(mark)), "{marks:?}");
        assert!(marks.iter().all(|mark| !mark.contains('.')), "{marks:?}");
    }

    #[test]
    fn pictures_are_drawn_without_an_address() {
        let bars = chart(Shape::Bars(vec![
            Bar { label: "0 to 5".to_owned(), from: 0.0, to: Some(5.0), height: 3.0 },
            Bar { label: "5 to more".to_owned(), from: 5.0, to: None, height: 8.0 },
        ]));
        let lines = chart(Shape::Lines(vec![Series {
            name: "a".to_owned(),
            points: vec![(2.0, 1.0), (3.0, 2.0)],
            marks: vec!["k = 2".to_owned()],
            ..Series::default()
        }]));
        assert!(bars.svg().unwrap().contains("<title>5 to more: 8 persons</title></rect>"));
        assert!(lines.svg().unwrap().contains("<title>a, k = 2: 1 at 2</title></circle>"));
        for (chart, element, count) in [(bars, "<rect", 2), (lines, "<circle", 2)] {
            let picture = chart.svg().unwrap();
            assert!(picture.starts_with("<svg viewBox") && picture.trim_end().ends_with("</svg>"), "{picture}");
            assert!(!picture.contains("http"), "{picture}");
            assert_eq!(picture.matches(element).count(), count, "{picture}");
            assert!(picture.contains("per cent"));
            assert_eq!(picture.matches("<title>").count(), count, "{picture}");
        }
    }

    #[test]
    fn labels_are_text_whatever_they_hold() {
        let label = "<script>alert(1)</script>\u{202e}\"&".repeat(10);
        let rows = vec![Dumbbell { label, before: 0.2, after: 0.1 }];
        let picture = chart(Shape::Dumbbells(rows)).svg().unwrap();
        assert!(picture.contains("&lt;script&gt;alert(1)") && !picture.contains("<script"));
        assert!(picture.contains('…') && !picture.contains('\u{202e}'));
        assert_eq!(picture.matches("<title>&lt;script").count(), 2, "{picture}");
    }

    #[test]
    fn nothing_and_one_point_are_drawn_too() {
        for shape in [Shape::Bars(vec![]), Shape::Dumbbells(vec![]), Shape::Lines(vec![])] {
            assert!(chart(shape.clone()).is_empty() && chart(shape).svg().is_ok());
        }
        let one = Series { name: "a".to_owned(), points: vec![(2.0, 2.0)], ..Series::default() };
        assert!(chart(Shape::Lines(vec![one])).svg().is_ok());
    }

    #[test]
    fn numbers_are_plain() {
        let shown: Vec<String> = [0.0, 0.05, 0.123_456, 1.0, 12.34, 1234.6, -0.0001].into_iter().map(plain).collect();
        assert_eq!(shown, ["0", "0.05", "0.123", "1", "12.3", "1,235", "0"]);
    }
}
