//! `throng profile chart`: the paper's Figure 9. A broken line of the profile, the band of tolerance around it, the line of later lines.

use std::fmt::Write as _;
use std::path::PathBuf;

use minijinja::HtmlEscape;
use serde::{Deserialize, Serialize};
use throng_core::profiles::limits::{FALSE_ALARMS, TOLERANCE};
use throng_core::profiles::{Distance, LEAST_LINES, LEAST_PERSONS};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::compare::{by_id, refuse_other_kind};
use super::file::ProfilesFile;
use super::{Judging, ReadWords, name_of, refuse_no_share, refuse_places};
use crate::inputs::Inputs;
use crate::kinds::Ask;
use crate::pending;

/// How many topics have room in a chart, where nobody says otherwise.
const TOPICS_DRAWN: usize = 20;
/// How many letters of a name have room.
const LETTERS: usize = 24;

/// Whom to draw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ChartProfileRequest {
    /// The file of profiles.
    pub profiles: PathBuf,
    /// The files of the log, or `-`.
    pub file: Inputs,
    /// A folder with saved pages.
    pub pages: Option<PathBuf>,
    /// The first line of the person, as `compare` names them.
    pub line: u64,
    /// The picture to make.
    pub out: PathBuf,
    /// How far apart profiles are.
    pub distance: Distance,
    /// `jsd`: the share of false alarms that is put up with.
    pub false_alarms: f64,
    /// How wide the band is, up and down.
    pub tolerance: f64,
    /// So many persons must share a word that is shown.
    pub k: usize,
    /// How many topics are drawn, at most.
    pub top: usize,
    /// Whether every word is shown.
    pub show_values: bool,
    /// How to read the log.
    pub ask: Ask,
}

impl Default for ChartProfileRequest {
    fn default() -> Self {
        Self {
            profiles: PathBuf::new(),
            file: Inputs::default(),
            pages: None,
            line: 0,
            out: PathBuf::new(),
            distance: Distance::default(),
            false_alarms: FALSE_ALARMS,
            tolerance: TOLERANCE,
            k: LEAST_PERSONS,
            top: TOPICS_DRAWN,
            show_values: false,
            ask: Ask::default(),
        }
    }
}

/// What was drawn.
#[derive(Debug, Clone, Serialize)]
pub struct ProfileDrawn {
    /// The first line of the person.
    pub line: u64,
    /// How far they are from their profile.
    pub distance: f64,
    /// Whether that is an alarm.
    pub alarm: bool,
    /// How many topics are drawn.
    pub topics: usize,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Draws the profile of a person beside their later lines.
pub fn chart_profile(request: &ChartProfileRequest, progress: &dyn Progress) -> Result<ProfileDrawn> {
    refuse_no_share("false-alarms", request.false_alarms)?;
    refuse_no_share("tolerance", request.tolerance)?;
    if request.top == 0 {
        return Err(Error::parameter("top", "is 0, but must be at least 1"));
    }
    refuse_places(&[&request.out], &request.file, "picture of a profile")?;
    let (file, topics) = ProfilesFile::read(&request.profiles)?;
    let read = ReadWords::read(&request.file, &request.ask, request.pages.as_deref(), progress)?;
    refuse_other_kind(&file, &read, &request.profiles)?;
    let Some(person) = (0..read.words.persons()).find(|&person| read.line(person) == request.line) else {
        return Err(Error::parameter("line", format!("is {}, where no person of the log begins", request.line))
            .with_hint("`throng profile compare` names persons by their first line"));
    };
    let Some(&place) = by_id(&file.persons).get(read.words.names().get(person as u32)) else {
        return Err(Error::data("there is no profile of this person").at_line(request.line));
    };
    let topic_of = topics.of_words(read.words.vocabulary());
    let Some(now) = read.judged_profile(person, &topic_of) else {
        return Err(Error::data(format!("this person has fewer than {LEAST_LINES} lines, or none about any topic"))
            .at_line(request.line));
    };
    let judging =
        Judging { distance: request.distance, false_alarms: request.false_alarms, tolerance: request.tolerance };
    let record = &file.persons[place];
    let verdict = record.judged(&now, read.words.lines(person), &judging, &file.limits(&judging));
    let mut differences = record.shares.differences(&now, request.distance, request.top);
    differences.sort_by_key(|&(topic, _)| topic);
    let columns: Vec<(String, [f64; 2])> = differences
        .into_iter()
        .map(|(topic, shares)| (name_of(&topics, topic, request.k, request.show_values), shares))
        .collect();
    pending::replace(&request.out, drawn(&columns, request.tolerance).as_bytes(), true)?;
    Ok(ProfileDrawn {
        line: request.line,
        distance: verdict.distance,
        alarm: verdict.alarm,
        topics: columns.len(),
        notes: read.notes,
    })
}

/// The picture: a column a topic, percent upwards.
fn drawn(columns: &[(String, [f64; 2])], tolerance: f64) -> String {
    const STEP: f64 = 46.0;
    const LEFT: f64 = 56.0;
    const TOP: f64 = 44.0;
    const HEIGHT: f64 = 260.0;
    const BELOW: f64 = 150.0;
    let highest = columns.iter().flat_map(|(_, [own, now])| [own + tolerance, *now]).fold(0.0, f64::max);
    // The axis ends with a whole tenth.
    let most = ((highest * 10.0).ceil() / 10.0).clamp(0.1, 1.0);
    let width = LEFT + STEP * columns.len().max(6) as f64 + 24.0;
    let x = |at: usize| LEFT + STEP * (at as f64 + 0.5);
    let y = |share: f64| TOP + HEIGHT * (1.0 - share.clamp(0.0, most) / most);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\" fill=\"#111111\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#FFFFFF\"/>\n\
         <title>A profile with its band of tolerance, and later lines</title>\n",
        height = TOP + HEIGHT + BELOW,
    );
    let ticks = (most * 10.0).round() as usize;
    for tick in (0..=ticks).step_by(1 + ticks / 6) {
        let at = y(tick as f64 / 10.0);
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#DDDDDD\"/><text x=\"{}\" y=\"{:.1}\" \
             text-anchor=\"end\">{} %</text>",
            width - 24.0,
            LEFT - 6.0,
            at + 4.0,
            tick * 10
        );
    }
    let points = |share: &dyn Fn([f64; 2]) -> f64| -> Vec<String> {
        columns.iter().enumerate().map(|(at, (_, shares))| format!("{:.1},{:.1}", x(at), y(share(*shares)))).collect()
    };
    let mut band = points(&|[own, _]| own + tolerance);
    band.extend(points(&|[own, _]| own - tolerance).into_iter().rev());
    let _ =
        writeln!(svg, "<polygon class=\"band\" points=\"{}\" fill=\"#1F6FB2\" fill-opacity=\"0.15\"/>", band.join(" "));
    for (class, colour, dash, own) in
        [("profile", "#1F6FB2", "", 0), ("now", "#C85028", " stroke-dasharray=\"6 4\"", 1)]
    {
        let line = points(&|shares| shares[own]);
        let _ = writeln!(
            svg,
            "<polyline class=\"{class}\" points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>",
            line.join(" ")
        );
        for point in line {
            let (x, y) = point.split_once(',').unwrap_or_default();
            let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"3\" fill=\"{colour}\"/>");
        }
    }
    for (at, (name, [own, now])) in columns.iter().enumerate() {
        let shown: String = name.chars().take(LETTERS).collect();
        // On the edge of the band is not beyond it.
        let is_out = (own - now).abs() > tolerance + 1e-12;
        let weight = if is_out { " font-weight=\"600\"" } else { "" };
        let _ = writeln!(
            svg,
            "<text transform=\"translate({:.1} {:.1}) rotate(-50)\" text-anchor=\"end\"{weight}>{}<title>{}: {:.1} % in the profile, \
             {:.1} % now</title></text>",
            x(at) + 4.0,
            TOP + HEIGHT + 16.0,
            HtmlEscape(&shown),
            HtmlEscape(name),
            100.0 * own,
            100.0 * now
        );
    }
    for (at, (colour, words)) in
        [("#1F6FB2", "profile, and its band of tolerance"), ("#C85028", "now")].into_iter().enumerate()
    {
        let x = LEFT + 250.0 * at as f64;
        let _ = writeln!(
            svg,
            "<circle cx=\"{x}\" cy=\"20\" r=\"5\" fill=\"{colour}\"/><text x=\"{}\" y=\"24\">{words}</text>",
            x + 12.0
        );
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_a_band_and_the_line_of_the_suspect() {
        let columns = [
            ("sport <&>".to_owned(), [0.5, 0.1]),
            ("music".to_owned(), [0.3, 0.35]),
            ("travel".to_owned(), [0.2, 0.55]),
        ];
        let svg = drawn(&columns, 0.1);
        // 50 % of an axis to 60 %: y = 44 + 260 (1 − 5/6).
        assert!(svg.contains("class=\"profile\" points=\"79.0,87.3 125.0,174.0 171.0,217.3\""), "{svg}");
        assert!(svg.contains("class=\"now\" points=\"79.0,260.7 125.0,152.3 171.0,65.7\""), "{svg}");
        assert!(
            svg.contains(
                "class=\"band\" points=\"79.0,44.0 125.0,130.7 171.0,174.0 171.0,260.7 125.0,217.3 79.0,130.7\""
            ),
            "{svg}"
        );
        // Two topics leave the band, one stays in it; names are text.
        assert_eq!((svg.matches("font-weight=\"600\"").count(), svg.contains("sport &lt;&amp;&gt;")), (2, true));
        assert!(drawn(&[], 0.1).ends_with("</svg>\n"));
    }
}
