//! The page of `throng shill measure FILE --out DIR`: a figure for each recommender and class of targets, the same in numbers, and under
//! it what the paper found and whether it is so on these ratings.

use serde::Serialize;
use throng_core::Result;
use throng_core::recommenders::Name;
use throng_core::shilling::{Attack, Class, Direction};

use super::chart::{Chart, Series, Shape, plain};
use super::page::{Figure, STYLE, render};
use crate::run::{ExperimentFinding, ExperimentFound, ExperimentShift};
use crate::words::counted;

const TEMPLATE: &str = include_str!("shilling.html");

/// What the template shows.
#[derive(Debug, Serialize)]
struct Page<'a> {
    style: &'static str,
    is_push: bool,
    data: String,
    settings: Vec<(&'static str, String)>,
    panels: Vec<Panel>,
    left_out: String,
    version: &'a str,
}

/// A figure with what is said under it.
#[derive(Debug, Serialize)]
struct Panel {
    figure: Figure,
    findings: Vec<Found>,
    undefined: String,
}

#[derive(Debug, Serialize)]
struct Found {
    says: String,
    verdict: String,
    holds: Option<bool>,
    sizes: Vec<String>,
    why: Option<&'static str>,
}

/// An experiment as a page.
pub fn shilling_page(found: &ExperimentFound) -> Result<String> {
    let settings = &found.settings;
    let mut panels = Vec::new();
    for params in &settings.recommenders {
        for class in Class::ALL {
            let shifts: Vec<&ExperimentShift> =
                found.shifts.iter().filter(|one| one.recommender == params.name && one.class == class).collect();
            if !shifts.is_empty() {
                panels.push(panel(found, params.name, class, &shifts)?);
            }
        }
    }
    let percent = |share: &f64| format!("{} %", plain(100.0 * share));
    let first = settings.recommenders.first();
    let told = [
        ("attack sizes", settings.sizes.iter().map(percent).collect::<Vec<_>>().join(", ") + " of the persons"),
        (
            "fillers",
            format!("{} of the items{}", percent(&settings.filler), if settings.whole { ", on the scale" } else { "" }),
        ),
        (
            "targets",
            format!(
                "{}, each with {} ratings or more",
                settings.targets.iter().map(|(class, count)| format!("{count} {class}")).collect::<Vec<_>>().join(", "),
                settings.target_ratings
            ),
        ),
        ("persons", format!("{} who rated none of the targets", settings.users)),
        ("draws", settings.draws.to_string()),
        ("neighbours", first.map(|params| params.neighbours.to_string()).unwrap_or_default()),
        ("amplification", first.map(|params| plain(params.amplification)).unwrap_or_default()),
        ("seed", settings.seed.to_string()),
    ];
    let data = &found.data;
    let left_out = match found.left_out.len() {
        0 => String::new(),
        count => format!(
            "{} no segment; what they would be predicted counts as undefined.",
            counted(count as u64, "target has", "targets have")
        ),
    };
    let page = Page {
        style: STYLE,
        is_push: settings.direction == Direction::Push,
        data: format!(
            "{}, {}, {}",
            counted(data.persons as u64, "person", "persons"),
            counted(data.items as u64, "item", "items"),
            counted(data.ratings as u64, "row", "rows")
        ),
        settings: told.into(),
        panels,
        left_out,
        version: found.throng,
    };
    render(TEMPLATE, &page)
}

/// The number that the paper gives to a figure.
fn number(name: Name, class: Class) -> Option<u8> {
    match (name, class) {
        (Name::UserPearson, Class::Low) => Some(2),
        (Name::UserPearson, Class::High) => Some(3),
        (Name::ItemAdjustedCosine, Class::Low) => Some(4),
        (Name::ItemAdjustedCosine, Class::High) => Some(5),
        (Name::ItemCosine | Name::Bias, _) => None,
    }
}

fn panel(found: &ExperimentFound, name: Name, class: Class, shifts: &[&ExperimentShift]) -> Result<Panel> {
    let number = number(name, class);
    let series = found.settings.attacks.iter().map(|&attack| line(attack, shifts)).collect();
    let chart = Chart {
        title: format!(
            "{}, targets whose ratings are {}{}",
            name.name(),
            class.name(),
            number.map(|number| format!(" (figure {number} of the paper)")).unwrap_or_default()
        ),
        across: "profiles, % of the persons".to_owned(),
        up: "shift, stars".to_owned(),
        shape: Shape::Lines(series),
    };
    let sizes: Vec<String> = found.settings.sizes.iter().map(|size| format!("{} %", plain(100.0 * size))).collect();
    let head: Vec<&str> = ["attack"].into_iter().chain(sizes.iter().map(String::as_str)).collect();
    let row = |attack: &Attack| {
        let of = shifts.iter().filter(|one| one.attack == *attack);
        [attack.name().to_owned()].into_iter().chain(of.map(|one| shown(one))).collect()
    };
    let rows = found.settings.attacks.iter().map(row).collect();
    let (pairs, undefined) = shifts.iter().fold((0, 0), |sum, one| (sum.0 + one.pairs, sum.1 + one.undefined));
    let findings = found.findings.iter().filter(|finding| Some(finding.figure) == number).map(Found::of).collect();
    Ok(Panel {
        figure: Figure::of(&chart, &head, rows)?,
        findings,
        undefined: format!(
            "{} compared, {} without a prediction before or after.",
            counted(pairs as u64, "prediction", "predictions"),
            crate::words::thousands(undefined as u64)
        ),
    })
}

fn line(attack: Attack, shifts: &[&ExperimentShift]) -> Series {
    let of: Vec<(f64, f64, f64)> = shifts
        .iter()
        .filter(|one| one.attack == attack)
        .filter_map(|one| Some((100.0 * one.size, one.shift?, one.deviation.unwrap_or(0.0))))
        .collect();
    Series {
        name: attack.name().to_owned(),
        points: of.iter().map(|&(x, y, _)| (x, y)).collect(),
        spreads: if of.iter().any(|point| point.2 > 0.0) {
            of.iter().map(|point| point.2).collect()
        } else {
            Vec::new()
        },
        colour: Attack::ALL.iter().position(|&other| other == attack).unwrap_or(0),
        ..Series::default()
    }
}

fn shown(one: &ExperimentShift) -> String {
    match (one.shift, one.deviation) {
        (None, _) => "not defined".to_owned(),
        (Some(shift), None) => format!("{shift:+.2}"),
        (Some(shift), Some(deviation)) => format!("{shift:+.2} ± {deviation:.2}"),
    }
}

impl Found {
    fn of(finding: &ExperimentFinding) -> Self {
        let size = |one: &crate::run::ExperimentCompared| {
            format!("{} %: {:+.3} and {:+.3}", plain(100.0 * one.size), one.upper, one.lower)
        };
        Self {
            says: finding.says.clone(),
            verdict: finding.verdict(),
            holds: finding.holds,
            sizes: finding.sizes.iter().map(size).collect(),
            why: finding.why,
        }
    }
}
