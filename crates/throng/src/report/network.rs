//! The picture of a masked network in a report: clusters as circles, the edges between them as lines, and how many neighbours people have. Drawn
//! as inline SVG from the numbers in `report.json`, all of which are published.
//!
//! Clusters are laid out by forces, in a fixed number of steps from fixed places: the same on every run. Circles are as large as their cluster
//! and as dark as its inside is dense; lines as strong as their block. Full blocks, whose edges everybody knows, have the colour of a warning.
//! Of more than 300 clusters the largest are drawn, and beside them a matrix of all. Whoever cannot see the picture has a table.

use std::fmt::Write as _;

use minijinja::HtmlEscape;
use serde_json::{Value, json};
use throng_core::data::graph::Masked;
use throng_core::data::graph::masked::{Block, pairs_of};

use super::published::three_digits;
use crate::words::{counted, percent, thousands};

/// So many clusters are drawn, at most.
const MOST_CLUSTERS: usize = 300;
/// So many lines, the densest.
const MOST_LINES: usize = 1_500;
/// A matrix has so many rows.
const BANDS: usize = 20;
/// So many clusters stand in the table.
const ROWS: usize = 20;
/// The picture's side.
const SIDE: f64 = 720.0;
/// How often clusters are moved.
const STEPS: usize = 120;

/// A masked network in the order in which it is published, as numbers.
pub(crate) fn numbers(masked: &Masked) -> Value {
    let clusters = masked.clusters();
    let mut by_size: Vec<u32> = (0..clusters as u32).collect();
    by_size.sort_by_key(|&cluster| (std::cmp::Reverse(masked.sizes[cluster as usize]), cluster));
    let mut place = vec![usize::MAX; clusters];
    (0..).zip(by_size.iter().take(MOST_CLUSTERS)).for_each(|(at, &cluster)| place[cluster as usize] = at);
    let shown: Vec<Value> = by_size
        .iter()
        .take(MOST_CLUSTERS)
        .map(|&cluster| json!([masked.sizes[cluster as usize], masked.inner[cluster as usize]]))
        .collect();
    let drawn = |block: &Block| {
        let [left, right] = block.clusters.map(|cluster| place[cluster as usize]);
        left != right && left != usize::MAX && right != usize::MAX && block.edges > 0
    };
    let mut lines: Vec<Block> = masked.blocks().filter(drawn).collect();
    let lines_in_all = lines.len();
    lines.sort_by(|one, other| other.density().total_cmp(&one.density()).then(one.clusters.cmp(&other.clusters)));
    lines.truncate(MOST_LINES);
    let lines: Vec<Value> = lines
        .iter()
        .map(|block| json!([place[block.clusters[0] as usize], place[block.clusters[1] as usize], block.edges]))
        .collect();
    let is_certain = |block: &Block| block.pairs > 0 && block.edges >= block.pairs;
    let certain: u64 = masked.blocks().filter(is_certain).map(|block| block.edges).sum();
    let mut numbers = json!({
        "clusters": shown, "lines": lines, "clusters_in_all": clusters, "lines_in_all": lines_in_all, "edges": masked.edges(),
        "certain": certain,
    });
    if clusters > MOST_CLUSTERS {
        numbers["matrix"] = matrix(masked, &by_size);
    }
    numbers
}

/// How dense the blocks between clusters of like size are: rows and columns are clusters by size, the largest first.
fn matrix(masked: &Masked, by_size: &[u32]) -> Value {
    let mut band = vec![0; masked.clusters()];
    let per_band = by_size.len().div_ceil(BANDS);
    by_size.iter().enumerate().for_each(|(at, &cluster)| band[cluster as usize] = at / per_band);
    let mut persons = [0u64; BANDS];
    let mut edges = vec![[0u64; BANDS]; BANDS];
    masked.sizes.iter().zip(&band).for_each(|(&size, &band)| persons[band] += u64::from(size));
    for block in masked.blocks() {
        let [left, right] = block.clusters.map(|cluster| band[cluster as usize]);
        edges[left.min(right)][left.max(right)] += block.edges;
    }
    let density = |row: usize, column: usize| {
        let pairs = if row == column { pairs_of(persons[row]) } else { persons[row] * persons[column] };
        three_digits(edges[row.min(column)][row.max(column)] as f64 / pairs.max(1) as f64)
    };
    let filled = (0..BANDS).take_while(|&band| persons[band] > 0).count();
    let row = |row: usize| (0..filled).map(|column| density(row, column)).collect::<Vec<f64>>();
    json!((0..filled).map(row).collect::<Vec<_>>())
}

/// A cluster that is drawn.
struct Circle {
    size: f64,
    edges: f64,
    x: f64,
    y: f64,
}

impl Circle {
    fn pairs(&self) -> f64 {
        self.size * (self.size - 1.0) / 2.0
    }

    fn density(&self) -> f64 {
        if self.pairs() > 0.0 { (self.edges / self.pairs()).min(1.0) } else { 0.0 }
    }

    fn is_full(&self) -> bool {
        self.pairs() > 0.0 && self.edges >= self.pairs()
    }
}

/// The sentence of the verdict about edges that are certain; nothing where there is no network.
pub(crate) fn certain(network: &Value) -> String {
    let (Some(certain), Some(edges)) = (network["certain"].as_u64(), network["edges"].as_u64()) else {
        return String::new();
    };
    match certain {
        0 => "No single friendship is certain: no block of the release is full.".to_owned(),
        _ => format!(
            "{} of the published edges ({}) are certain for everybody who reads the release, because their blocks are full.",
            thousands(certain),
            percent(certain as f64 / edges.max(1) as f64)
        ),
    }
}

/// The section of the report; nothing where there is no network.
pub(crate) fn section(network: &Value, measures: &[Value]) -> String {
    let number = |name: &str| network[name].as_u64().unwrap_or(0);
    let mut circles: Vec<Circle> = list(&network["clusters"])
        .iter()
        .filter_map(numbers_of::<2>)
        .map(|[size, edges]| Circle { size, edges, x: 0.0, y: 0.0 })
        .collect();
    if circles.is_empty() {
        return String::new();
    }
    let count = circles.len();
    let lines: Vec<[f64; 3]> = list(&network["lines"])
        .iter()
        .filter_map(numbers_of::<3>)
        .filter(|[left, right, _]| (0.0..count as f64).contains(left) && (0.0..count as f64).contains(right))
        .collect();
    lay_out(&mut circles, &lines);
    let mut out = format!(
        "<p>{} in {}. A circle is a cluster: as large as it has persons, as dark as its persons know each other. A line says that \
         persons of both know each other, the stronger the more. What is <b class=\"full\">marked</b> is full: everybody knows of each of these \
         pairs that they know each other.</p>",
        counted(number("edges"), "edge", "edges"),
        counted(number("clusters_in_all"), "cluster", "clusters"),
    );
    let of = |shown: usize, all: u64, what: &str| match shown as u64 == all {
        true => String::new(),
        false => format!(" Drawn are {} of {} {what}.", thousands(shown as u64), thousands(all)),
    };
    let left_out = of(count, number("clusters_in_all"), "clusters, the largest")
        + &of(lines.len(), number("lines_in_all"), "lines between them, the strongest");
    if !left_out.is_empty() {
        let _ = write!(out, "<p class=\"note\">{}</p>", left_out.trim());
    }
    picture(&circles, &lines, &mut out);
    table(&circles, &lines, &mut out);
    bands(list(&network["matrix"]), &mut out);
    degrees(measures, &mut out);
    out
}

/// Places for circles: they push each other away, lines pull.
fn lay_out(circles: &mut [Circle], lines: &[[f64; 3]]) {
    let count = circles.len();
    // On a spiral, the largest in the middle.
    for (at, circle) in circles.iter_mut().enumerate() {
        let (angle, far) = (2.399_963 * at as f64, (at as f64 + 0.5).sqrt() / (count as f64).sqrt());
        (circle.x, circle.y) = (far * angle.cos(), far * angle.sin());
    }
    let usual = 1.6 / (count as f64).sqrt();
    for step in 0..STEPS {
        let most = 0.12 * (1.0 - step as f64 / STEPS as f64);
        let mut moves = vec![(0.0, 0.0); count];
        for one in 0..count {
            for other in one + 1..count {
                let (x, y) = (circles[one].x - circles[other].x, circles[one].y - circles[other].y);
                let apart = (x * x + y * y).max(1e-6);
                let push = usual * usual / apart;
                moves[one].0 += x * push;
                moves[one].1 += y * push;
                moves[other].0 -= x * push;
                moves[other].1 -= y * push;
            }
        }
        for &[left, right, edges] in lines {
            let (left, right) = (left as usize, right as usize);
            let (x, y) = (circles[left].x - circles[right].x, circles[left].y - circles[right].y);
            let density = edges / (circles[left].size * circles[right].size).max(1.0);
            let pull = 3.0 * density * (x * x + y * y).sqrt() / usual;
            moves[left].0 -= x * pull;
            moves[left].1 -= y * pull;
            moves[right].0 += x * pull;
            moves[right].1 += y * pull;
        }
        for (circle, (x, y)) in circles.iter_mut().zip(moves) {
            // A little to the middle, so that nobody drifts away.
            let (x, y) = (x - 0.4 * circle.x, y - 0.4 * circle.y);
            let length = (x * x + y * y).sqrt().max(1e-9);
            let step = length.min(most) / length;
            circle.x += x * step;
            circle.y += y * step;
        }
    }
    let ends = |of: fn(&Circle) -> f64| {
        let all = circles.iter().map(of);
        (all.clone().fold(f64::INFINITY, f64::min), all.fold(f64::NEG_INFINITY, f64::max))
    };
    let ((left, right), (top, bottom)) = (ends(|circle| circle.x), ends(|circle| circle.y));
    let margin = 34.0;
    let to = |value: f64, from: f64, to: f64| match to - from < 1e-9 {
        true => SIDE / 2.0,
        false => margin + (value - from) / (to - from) * (SIDE - 2.0 * margin),
    };
    for circle in circles {
        (circle.x, circle.y) = (to(circle.x, left, right), to(circle.y, top, bottom));
    }
}

fn picture(circles: &[Circle], lines: &[[f64; 3]], out: &mut String) {
    let persons: f64 = circles.iter().map(|circle| circle.size).sum();
    // All circles together have a seventh of the picture.
    let unit = (SIDE * SIDE / 7.0 / std::f64::consts::PI / persons.max(1.0)).sqrt();
    let _ = write!(
        out,
        "<figure class=\"network\"><svg viewBox=\"0 0 {SIDE} {SIDE}\" role=\"img\" aria-describedby=\"clusters\"><title>Clusters, and who knows whom \
         between them</title>"
    );
    for &[left, right, edges] in lines.iter().rev() {
        let (one, other) = (&circles[left as usize], &circles[right as usize]);
        let density = (edges / (one.size * other.size).max(1.0)).min(1.0);
        let class = if density >= 1.0 { "line full" } else { "line" };
        let _ = write!(
            out,
            "<path class=\"{class}\" stroke-width=\"{:.1}\" stroke-opacity=\"{:.2}\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
            0.5 + 5.0 * density,
            0.12 + 0.7 * density,
            one.x,
            one.y,
            other.x,
            other.y
        );
    }
    for circle in circles {
        let class = if circle.is_full() { "cluster full" } else { "cluster" };
        let _ = write!(
            out,
            "<circle class=\"{class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{:.1}\" fill-opacity=\"{:.2}\"><title>{:.0} persons, {:.0} of {:.0} pairs \
             know each other</title></circle>",
            circle.x,
            circle.y,
            (unit * circle.size.sqrt()).clamp(4.0, 60.0),
            0.08 + 0.92 * circle.density(),
            circle.size,
            circle.edges,
            circle.pairs()
        );
    }
    out.push_str("</svg></figure>");
}

/// The largest clusters in words.
fn table(circles: &[Circle], lines: &[[f64; 3]], out: &mut String) {
    out.push_str(
        "<div class=\"scroll\" id=\"clusters\"><table><caption>The largest clusters</caption><tr><th class=\"number\">persons</th>\
         <th class=\"number\">edges inside</th><th class=\"number\">of their pairs</th><th class=\"number\">other clusters beside</th>\
         <th class=\"number\">full blocks</th></tr>",
    );
    for (at, circle) in circles.iter().enumerate().take(ROWS) {
        let own = lines.iter().filter(|[left, right, _]| *left as usize == at || *right as usize == at);
        let is_full =
            |[left, right, edges]: &&[f64; 3]| *edges >= circles[*left as usize].size * circles[*right as usize].size;
        let full = own.clone().filter(is_full).count() + usize::from(circle.is_full());
        let _ = write!(
            out,
            "<tr><td class=\"number\">{:.0}</td><td class=\"number\">{:.0}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>\
             <td class=\"number\">{full}</td></tr>",
            circle.size,
            circle.edges,
            percent(circle.density()),
            own.count(),
        );
    }
    out.push_str("</table></div>");
}

/// The matrix of all clusters, by size.
fn bands(rows: &[Value], out: &mut String) {
    if rows.is_empty() {
        return;
    }
    let rows: Vec<Vec<f64>> = rows.iter().map(|row| list(row).iter().filter_map(Value::as_f64).collect()).collect();
    let most = rows.iter().flatten().copied().fold(0.0, f64::max).max(1e-12);
    let cell = 360.0 / rows.len() as f64;
    let _ = write!(
        out,
        "<figure class=\"network matrix\"><figcaption>All clusters by size, the largest first: how many of the pairs of persons know each other \
         (darkest: {})</figcaption><svg viewBox=\"0 0 360 360\" role=\"img\"><title>Density of edges between all clusters</title>",
        percent(most)
    );
    for (y, row) in rows.iter().enumerate() {
        for (x, density) in row.iter().enumerate() {
            let _ = write!(
                out,
                "<rect class=\"cell\" x=\"{:.1}\" y=\"{:.1}\" width=\"{cell:.1}\" height=\"{cell:.1}\" fill-opacity=\"{:.2}\"/>",
                x as f64 * cell,
                y as f64 * cell,
                (density / most).sqrt()
            );
        }
    }
    out.push_str("</svg></figure>");
}

/// How many neighbours people have and how many of these know each other, before and in a graph drawn from the counts.
fn degrees(measures: &[Value], out: &mut String) {
    let part = |name: &str| measures.iter().find(|measure| measure["name"] == name).map(|measure| &measure["parts"]);
    let bins = part("degree-change").map(|parts| list(&parts["degrees"])).unwrap_or_default();
    let figures: Vec<(String, f64, f64)> = bins
        .iter()
        .filter_map(|bin| {
            let (name, before, after) = (bin["neighbours"].as_str()?, bin["before"].as_f64()?, bin["after"].as_f64()?);
            Some((name.to_owned(), before, after))
        })
        .collect();
    if !figures.is_empty() {
        out.push_str(
            "<div class=\"scroll\"><table><caption>Persons by how many neighbours they have</caption><tr><th>neighbours</th>\
             <th class=\"number\">before</th><th class=\"number\">in a graph drawn from the counts</th></tr>",
        );
        let most = figures.iter().map(|(_, before, after)| before.max(*after)).fold(1.0, f64::max);
        for (name, before, after) in figures {
            let bar = |value: f64, class: &str| {
                format!(
                    "<td class=\"number\">{}<span class=\"{class}\" style=\"width:{:.1}em\"></span></td>",
                    thousands(value.round() as u64),
                    6.0 * value / most
                )
            };
            let (before, after) = (bar(before, "many before"), bar(after, "many after"));
            let _ = write!(out, "<tr><th>{}</th>{before}{after}</tr>", HtmlEscape(&name));
        }
        out.push_str("</table></div>");
    }
    let Some(parts) = part("clustering-kept") else { return };
    let said = |name: &str, words: &str| {
        let (before, after) = (parts[name]["before"].as_f64()?, parts[name]["after"].as_f64()?);
        Some(format!("{words}: {} before, {} in a graph drawn from the counts.", percent(before), percent(after)))
    };
    let sentences: Vec<String> = [
        said("local", "Of two neighbours of the mean person so many know each other"),
        said("transitivity", "Of all pairs of neighbours so many"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !sentences.is_empty() {
        let _ = write!(out, "<p>{}</p>", sentences.join(" "));
    }
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
    use throng_core::data::graph::Between;

    use super::*;

    fn masked(clusters: u32) -> Masked {
        Masked {
            sizes: (0..clusters).map(|at| 3 + at % 4).collect(),
            inner: (0..clusters).map(|at| if at == 0 { 3 } else { 1 }).collect(),
            between: (1..clusters).map(|at| Between { clusters: [at - 1, at], edges: 2 }).collect(),
            ..Masked::default()
        }
    }

    /// Every cluster is a circle, the full one is marked, everything lies in the picture, and it is the same again.
    #[test]
    fn drawn() {
        let network = numbers(&masked(12));
        assert_eq!((&network["certain"], &network["clusters_in_all"]), (&json!(3), &json!(12)));
        let page = section(&network, &[]);
        assert_eq!((page.matches("<circle").count(), page.matches("class=\"line").count()), (12, 11));
        assert_eq!((page.matches("cluster full").count(), page.matches("<tr>").count()), (1, 13));
        for place in page.split("cx=\"").skip(1).filter_map(|rest| rest.split('"').next()?.parse::<f64>().ok()) {
            assert!((0.0..=SIDE).contains(&place), "{place}");
        }
        assert_eq!(page, section(&network, &[]));
        assert!(!page.contains("NaN") && certain(&network).contains("3 of the published edges"));
        assert_eq!((section(&Value::Null, &[]), certain(&Value::Null)), (String::new(), String::new()));
    }

    #[test]
    fn of_very_many_the_largest_and_a_matrix() {
        let network = numbers(&masked(400));
        assert_eq!(list(&network["clusters"]).len(), MOST_CLUSTERS);
        assert_eq!(list(&network["matrix"]).len(), BANDS);
        let page = section(&network, &[]);
        assert_eq!((page.matches("<circle").count(), page.matches("class=\"cell\"").count()), (300, 400));
        assert!(page.contains("300 of 400 clusters"));
        // One cluster alone is drawn too.
        assert_eq!(section(&numbers(&masked(1)), &[]).matches("<circle").count(), 1);
    }
}
