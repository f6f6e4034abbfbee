//! The maps of a report of paths: where people were before and now on one scale, how they moved, and the release over time. Drawn as inline
//! SVG from the numbers in `report.json`, with no tile, font or script from anywhere.
//!
//! Colours are those of the page, so that they are light or dark as it is. Time is chosen with radio buttons, of which arrow keys and a finger
//! make a slider.

use std::fmt::Write as _;

use serde_json::{Value, json};
use throng_core::data::time::{self, HOUR};
use throng_core::geo::tile::Tile;
use throng_core::paths::maps::Maps;

use super::published::three_digits;

/// The maps as numbers, each share with three digits.
pub(crate) fn numbers(maps: &Maps) -> Value {
    let tile = |tile: Tile| {
        let (x, y) = tile.numbers();
        [u32::from(tile.zoom()), x, y]
    };
    let cells: Vec<Value> = maps
        .cells
        .iter()
        .map(|cell| {
            let [zoom, x, y] = tile(cell.tile);
            json!([zoom, x, y, u8::from(cell.is_rest), three_digits(cell.before), three_digits(cell.after)])
        })
        .collect();
    let flows: Vec<Value> = maps
        .flows
        .iter()
        .map(|flow| {
            let ([zoom, from_x, from_y], [_, to_x, to_y]) = (tile(flow.from), tile(flow.to));
            json!([zoom, from_x, from_y, to_x, to_y, three_digits(flow.before), three_digits(flow.after)])
        })
        .collect();
    let frames: Vec<Value> = maps
        .frames
        .iter()
        .map(|frame| {
            let cells: Vec<Value> =
                frame.cells.iter().map(|&(cell, share)| json!([cell, three_digits(share)])).collect();
            json!([frame.start / HOUR, cells])
        })
        .collect();
    json!({"cells": cells, "flows": flows, "hours": maps.hours, "frames": frames})
}

/// A square of the map: from the west and from the north, and its side, all as shares of the world.
#[derive(Debug, Clone, Copy)]
pub(super) struct Square {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) side: f64,
    pub(super) before: f64,
    pub(super) after: f64,
    pub(super) is_rest: bool,
}

/// What part of the world is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    x: f64,
    y: f64,
    width: f64,
}

/// The size of a map.
const SIZE: (f64, f64) = (480.0, 400.0);
/// What is shown is where the finest squares are that have this share of all points.
const FINE: f64 = 0.9;
/// So many colours, the last of which is the densest.
pub(super) const COLOURS: usize = 6;
/// The equator in kilometres.
pub(super) const EQUATOR: f64 = 40_075.017;

/// The section with the maps, as markup; empty if the report has none.
pub(super) fn section(maps: &Value) -> String {
    let squares: Vec<Square> = list(&maps["cells"]).iter().filter_map(Square::of).collect();
    let Some(view) = View::of(&squares) else { return String::new() };
    let densest =
        squares.iter().flat_map(|own| [own.before, own.after].map(|share| share / own.area())).fold(0.0, f64::max);
    let mut page = String::from("<div class=\"figures maps\">\n");
    for (title, is_before) in [("before", true), ("now", false)] {
        let share = |own: &Square| if is_before { own.before } else { own.after };
        let picture = view.picture(&format!("where people are, {title}"), |out| {
            for own in &squares {
                view.square(own, colour(share(own) / own.area(), densest), "", out);
            }
        });
        let _ = writeln!(page, "<figure class=\"narrow\"><figcaption>{title}</figcaption>{picture}</figure>");
    }
    let flows: Vec<[f64; 7]> = list(&maps["flows"]).iter().filter_map(numbers_of).collect();
    let greatest = flows.iter().flat_map(|flow| [flow[5], flow[6]]).fold(0.0, f64::max);
    if greatest > 0.0 {
        for (title, at) in [("moves before", 5), ("moves now", 6)] {
            let picture = view.picture(&format!("the greatest {title}"), |out| {
                for flow in flows.iter().rev() {
                    view.arrow(flow, flow[at] / greatest, out);
                }
            });
            let _ = writeln!(page, "<figure class=\"narrow\"><figcaption>{title}</figcaption>{picture}</figure>");
        }
    }
    page.push_str("</div>\n");
    page.push_str(&legend(densest));
    page.push_str(&over_time(maps, &squares, &view));
    page
}

/// The release over time: a button a frame, and the frame of the one that is chosen.
fn over_time(maps: &Value, squares: &[Square], view: &View) -> String {
    let frames = list(&maps["frames"]);
    if frames.len() < 2 {
        return String::new();
    }
    let shares = |frame: &Value| -> Vec<(usize, f64)> {
        let pair = |own: &Value| Some((own[0].as_u64()? as usize, own[1].as_f64()?));
        list(&frame[1]).iter().filter_map(pair).filter(|(cell, _)| *cell < squares.len()).collect()
    };
    let density = |(cell, share): &(usize, f64)| share / squares[*cell].area();
    let densest =
        frames.iter().flat_map(|frame| shares(frame).iter().map(density).collect::<Vec<_>>()).fold(0.0, f64::max);
    let hours = maps["hours"].as_i64().unwrap_or(24);
    let (mut style, mut page) =
        (String::from("<style>"), String::from("<div class=\"times\"><h3>The release over time</h3>\n"));
    for (number, frame) in frames.iter().enumerate() {
        let start = time::day_text(frame[0].as_i64().unwrap_or(0).saturating_mul(HOUR));
        let checked = if number == 0 { " checked" } else { "" };
        let _ = writeln!(
            page,
            "<input type=\"radio\" name=\"time\" id=\"time-{number}\" aria-label=\"{start}\" title=\"{start}\"{checked}>"
        );
        let _ = write!(style, "#time-{number}:checked~figure .t{number}{{display:inline}}");
    }
    style.push_str("</style>");
    let picture = view.picture("the release over time", |out| {
        for (number, frame) in frames.iter().enumerate() {
            let _ = write!(out, "<g class=\"frame t{number}\">");
            for (cell, share) in shares(frame) {
                let own = squares[cell];
                view.square(&own, colour(share / own.area(), densest), "", out);
            }
            let start = time::day_text(frame[0].as_i64().unwrap_or(0).saturating_mul(HOUR));
            let _ = write!(out, "<text x=\"8\" y=\"20\" font-size=\"15\">{start}</text></g>");
        }
    });
    let days = match hours / 24 {
        0 | 1 => "a day".to_owned(),
        days => format!("{days} days"),
    };
    let _ = writeln!(
        page,
        "<figure class=\"narrow\">{picture}</figure>\n<p class=\"note\">Each button is {days}; arrow keys go from one to the next. Only the release is \
         shown over time: the original's counts by time would tell, beside the map above, of fewer than k people.</p></div>"
    );
    format!("{style}{page}")
}

/// What colours mean.
fn legend(densest: f64) -> String {
    let mut text = String::from("<p class=\"note maps-legend\">Share of all points for each square kilometre: ");
    for number in (0..COLOURS).rev() {
        let least = least(number, densest);
        let percent = three_digits(100.0 * least);
        let _ = write!(text, "<span class=\"key\"><i class=\"dot m{number}\"></i>from {percent} %</span> ");
    }
    text.push_str("; both maps have one scale. Cells of fewer than k people of the original are part of coarser ones, and moves of fewer are not shown.</p>\n");
    text
}

/// The thinnest density of a colour.
pub(super) fn least(number: usize, densest: f64) -> f64 {
    densest * 10_f64.powf((number as f64 - COLOURS as f64) / 1.5)
}

/// The number of a colour, from 0 for the thinnest; none where there is nothing.
pub(super) fn colour(density: f64, densest: f64) -> Option<usize> {
    if density <= 0.0 || densest <= 0.0 {
        return None;
    }
    let steps = COLOURS as f64 + 1.5 * (density / densest).log10();
    Some((steps.floor().max(0.0) as usize).min(COLOURS - 1))
}

impl Square {
    fn of(cell: &Value) -> Option<Self> {
        let [zoom, x, y, rest, before, after] = numbers_of(cell)?;
        let side = 0.5_f64.powf(zoom);
        (0.0..=24.0).contains(&zoom).then_some(Self {
            x: x * side,
            y: y * side,
            side,
            before,
            after,
            is_rest: rest > 0.0,
        })
    }

    /// In square kilometres.
    fn area(&self) -> f64 {
        (self.side * EQUATOR * shrink(self.y + self.side / 2.0)).powi(2)
    }
}

/// By how much lengths are greater on the map than on the earth, so far from the north: its inverse.
pub(super) fn shrink(y: f64) -> f64 {
    1.0 / (std::f64::consts::PI * (1.0 - 2.0 * y)).cosh()
}

impl View {
    /// Where nearly all people were: coarse squares, of few people in a wide country, do not make everything else small.
    pub(super) fn of(squares: &[Square]) -> Option<Self> {
        let leaves: Vec<&Square> = squares.iter().filter(|own| !own.is_rest && own.before > 0.0).collect();
        let mut leaves: Vec<&Square> = if leaves.is_empty() { squares.iter().collect() } else { leaves };
        leaves.sort_by(|one, other| {
            one.side.total_cmp(&other.side).then(one.y.total_cmp(&other.y)).then(one.x.total_cmp(&other.x))
        });
        let all: f64 = leaves.iter().map(|own| own.before).sum();
        let mut sum = 0.0;
        let fine = leaves.iter().take_while(|own| {
            let is_one = sum < FINE * all;
            sum += own.before;
            is_one
        });
        let fine = fine.count().max(1);
        leaves.truncate(fine);
        let edge = |place: fn(&Square) -> [f64; 2]| -> Option<[f64; 2]> {
            let mut sorted = leaves.clone();
            sorted.sort_by(|left, right| place(left)[0].total_cmp(&place(right)[0]));
            let all: f64 = sorted.iter().map(|own| own.before).sum();
            let at = |share: f64| {
                let mut sum = 0.0;
                sorted.iter().copied().find(|own| {
                    sum += own.before;
                    sum >= share * all
                })
            };
            Some([place(at(0.02)?)[0], place(at(0.98).or(sorted.last().copied())?)[1]])
        };
        let ([west, east], [north, south]) =
            (edge(|own| [own.x, own.x + own.side])?, edge(|own| [own.y, own.y + own.side])?);
        let (middle_x, middle_y) = ((west + east) / 2.0, (north + south) / 2.0);
        let width = 1.1 * (east - west).max((south - north) * SIZE.0 / SIZE.1).max(1e-6);
        Some(Self { x: middle_x - width / 2.0, y: middle_y - width * SIZE.1 / SIZE.0 / 2.0, width })
    }

    fn scale(&self) -> f64 {
        SIZE.0 / self.width
    }

    pub(super) fn point(&self, x: f64, y: f64) -> (f64, f64) {
        ((x - self.x) * self.scale(), (y - self.y) * self.scale())
    }

    fn square(&self, own: &Square, colour: Option<usize>, class: &str, out: &mut String) {
        let ((x, y), side) = (self.point(own.x, own.y), own.side * self.scale());
        // Cut to what is seen: a square may be the whole world.
        let (left, top) = (x.max(0.0), y.max(0.0));
        let (right, bottom) = ((x + side).min(SIZE.0), (y + side).min(SIZE.1));
        if right <= left || bottom <= top {
            return;
        }
        let colour = colour.map_or_else(|| "none".to_owned(), |number| format!("m{number}"));
        let _ = write!(
            out,
            "<rect class=\"{colour}{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
            right - left,
            bottom - top
        );
    }

    /// An arrow between the middles of two tiles, as thick as its share of the greatest.
    fn arrow(&self, flow: &[f64; 7], share: f64, out: &mut String) {
        if share <= 0.0 {
            return;
        }
        let side = 0.5_f64.powf(flow[0]);
        let at = |x: f64, y: f64| self.point((x + 0.5) * side, (y + 0.5) * side);
        let ((from_x, from_y), (to_x, to_y)) = (at(flow[1], flow[2]), at(flow[3], flow[4]));
        let length = (to_x - from_x).hypot(to_y - from_y).max(1e-9);
        let (along_x, along_y) = ((to_x - from_x) / length, (to_y - from_y) / length);
        let width = 0.6 + 4.0 * share.sqrt();
        let head = (2.0 + 2.0 * width).min(length / 2.0);
        // A little to the right, so that both directions are seen.
        let (aside_x, aside_y) = (-along_y * width, along_x * width);
        let (start_x, start_y, end_x, end_y) = (from_x + aside_x, from_y + aside_y, to_x + aside_x, to_y + aside_y);
        let (neck_x, neck_y) = (end_x - along_x * head, end_y - along_y * head);
        let (wing_x, wing_y) = (-along_y * head / 2.0, along_x * head / 2.0);
        let _ = write!(
            out,
            "<path class=\"flow\" stroke-width=\"{width:.1}\" d=\"M{start_x:.1} {start_y:.1}L{neck_x:.1} {neck_y:.1}\"/>\
             <path class=\"tip\" d=\"M{end_x:.1} {end_y:.1}L{:.1} {:.1}L{:.1} {:.1}Z\"/>",
            neck_x + wing_x,
            neck_y + wing_y,
            neck_x - wing_x,
            neck_y - wing_y
        );
    }

    /// A map with its scale bar and its north.
    pub(super) fn picture(&self, title: &str, draw: impl FnOnce(&mut String)) -> String {
        let (width, height) = SIZE;
        let mut out = format!(
            "<svg viewBox=\"0 0 {width} {height}\" role=\"img\"><title>{title}</title><rect class=\"sea\" width=\"{width}\" height=\"{height}\"/>"
        );
        draw(&mut out);
        let middle = self.y + self.width * height / width / 2.0;
        let unit = self.width * EQUATOR * shrink(middle) / width;
        let (length, label) = bar(unit * width / 3.0);
        let right = 12.0 + length / unit;
        let (top, base) = (height - 22.0, height - 14.0);
        let (north, beside) = (width - 18.0, right + 6.0);
        let _ = write!(
            out,
            "<path class=\"bar\" d=\"M12 {top:.1}V{base:.1}H{right:.1}V{top:.1}\"/><text x=\"{beside:.1}\" y=\"{base:.1}\" font-size=\"13\">{label}</text>\
             <path class=\"tip\" d=\"M{north:.1} 10l6 20h-12Z\"/><text x=\"{north:.1}\" y=\"44\" font-size=\"13\" text-anchor=\"middle\">N</text></svg>"
        );
        out
    }
}

/// A round length of no more than so many kilometres, and its name.
fn bar(most: f64) -> (f64, String) {
    let most = most.max(1e-3);
    let ten = 10_f64.powf(most.log10().floor());
    let length = [5.0, 2.0, 1.0].into_iter().map(|times| times * ten).find(|&length| length <= most).unwrap_or(ten);
    let label = if length < 1.0 { format!("{:.0} m", 1000.0 * length) } else { format!("{length:.0} km") };
    (length, label)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn numbers_of<const N: usize>(value: &Value) -> Option<[f64; N]> {
    let numbers: Vec<f64> = list(value).iter().filter_map(Value::as_f64).collect();
    numbers.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_round() {
        for (most, length, label) in
            [(7.3, 5.0, "5 km"), (2.0, 2.0, "2 km"), (0.45, 0.2, "200 m"), (123.0, 100.0, "100 km")]
        {
            let (found, name) = bar(most);
            assert!((found - length).abs() < 1e-9 && name == label, "{found} {name}");
        }
    }

    /// A wide square with few points does not decide what is seen.
    #[test]
    fn the_view_is_where_the_fine_squares_are() {
        let square = |x: f64, side: f64, before: f64| Square { x, y: 0.5, side, before, after: 0.0, is_rest: false };
        let fine = [square(0.5, 0.001, 0.5), square(0.502, 0.001, 0.45)];
        let view = View::of(&fine).unwrap();
        let with_wide = View::of(&[fine[0], fine[1], square(0.0, 0.25, 0.05)]).unwrap();
        assert!((view.width - with_wide.width).abs() < 1e-12 && view.width < 0.01, "{view:?} {with_wide:?}");
        assert!(View::of(&[square(0.0, 0.25, 0.05)]).unwrap().width > 0.25);
        assert!(View::of(&[]).is_none());
    }

    /// Both maps, the flows and a button a day; a square of the whole world is cut to what is seen; nothing of an empty report.
    #[test]
    fn drawn() {
        assert_eq!(section(&Value::Null), "");
        let maps = json!({
            "cells": [[0, 0, 0, 1, 0.1, 0.0], [4, 8, 8, 0, 0.5, 0.25], [4, 9, 8, 0, 0.4, 0.75]],
            "flows": [[4, 8, 8, 9, 8, 0.5, 0.4], [4, 9, 8, 8, 8, 0.1, 0.0]],
            "hours": 24,
            "frames": [[24, [[1, 0.25]]], [48, [[2, 0.75]]]]
        });
        let page = section(&maps);
        assert_eq!((page.matches("<svg").count(), page.matches("type=\"radio\"").count()), (5, 2));
        assert_eq!(page.matches("class=\"flow\"").count(), 3);
        assert!(
            page.contains("1970-01-02")
                && page.contains(" km</text>")
                && !page.contains("NaN")
                && !page.contains("<script")
        );
        for number in page.split(&[' ', '"', 'L', 'M'][..]).filter_map(|word| word.parse::<f64>().ok()) {
            assert!((-1000.0..3000.0).contains(&number), "{number}");
        }
    }
}
