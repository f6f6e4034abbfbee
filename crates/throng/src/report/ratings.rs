//! Two pictures of a release of ratings: who finds people by how many known ratings, before and now; and what a recommender still learns.

use serde_json::Value;
use throng_core::Result;

use super::chart::{Chart, Dumbbell, Series, Shape, plain};
use super::numbers::percent;
use super::page::{Figure, list};

/// The attack that knows ratings, and the measure of predictions.
const ATTACK: &str = throng_core::attacks::scoreboard::INFO.info.name;
const MEASURE: &str = "prediction-error";

/// Both pictures, as far as the report has the numbers.
pub(super) fn figures(report: &Value) -> Result<Vec<Figure>> {
    Ok([known(list(&report["attacks"]))?, learned(list(&report["measures"]))?].into_iter().flatten().collect())
}

/// How often the guess is right over how many ratings are known.
fn known(attacks: &[Value]) -> Result<Option<Figure>> {
    let of = |attack: &Value, rate: &Value| Some((attack["knowledge"]["p"].as_f64()?, 100.0 * rate.as_f64()?));
    let own = || attacks.iter().filter(|attack| attack["name"] == ATTACK);
    let mut series = Vec::new();
    // As everywhere: before in the second colour, now in the first.
    for (name, colour, key) in [("in the file as it was", 1, "unprotected"), ("in the release", 0, "")] {
        let rate = |attack: &'static str, of: &Value| {
            if attack.is_empty() { of["rate"].clone() } else { of[attack]["rate"].clone() }
        };
        let points: Vec<(f64, f64)> = own().filter_map(|attack| of(attack, &rate(key, attack))).collect();
        if !points.is_empty() {
            series.push(Series { name: name.to_owned(), points, colour, ..Series::default() });
        }
    }
    if series.iter().all(|line| line.points.len() < 2) {
        return Ok(None);
    }
    let row = |line: &Series| {
        let name = line.name.clone();
        line.points.iter().map(move |(x, y)| vec![name.clone(), plain(*x), percent(y / 100.0)]).collect::<Vec<_>>()
    };
    let rows = series.iter().flat_map(row).collect();
    let chart = Chart {
        title: "How often somebody is right who knows some ratings of a person, roughly".to_owned(),
        across: "known ratings".to_owned(),
        up: "right, %".to_owned(),
        shape: Shape::OverCounts(series),
    };
    Figure::of(&chart, &["where", "known ratings", "right"], rows).map(Some)
}

/// By how much predictions are better than the mean of each item, from the original and from the release.
fn learned(measures: &[Value]) -> Result<Option<Figure>> {
    let Some(measured) = measures.iter().find(|measured| measured["name"] == MEASURE) else { return Ok(None) };
    let number = |name: &str| measured["parts"][name].as_f64();
    let (Some(release), Some(original), Some(mean), Some(bias)) =
        (measured["value"].as_f64(), number("original"), number("item_mean"), number("bias"))
    else {
        return Ok(None);
    };
    if mean <= 0.0 {
        return Ok(None);
    }
    // Nothing is learned by whoever is worse than the yardstick.
    let better = |error: f64| (100.0 * (1.0 - error / mean)).max(0.0);
    let dumbbells = [("like-minded people", original, release), ("bias model (yardstick)", bias, bias)];
    let rows = dumbbells.map(|(label, before, after)| Dumbbell {
        label: label.to_owned(),
        before: better(before),
        after: better(after),
    });
    let chart = Chart {
        title: "What a recommender still learns: by how much it is less wrong than the mean of each item".to_owned(),
        across: "% less wrong".to_owned(),
        up: String::new(),
        shape: Shape::Dumbbells(rows.into()),
    };
    let table = dumbbells.map(|(label, before, after)| vec![label.to_owned(), plain(before), plain(after)]);
    Figure::of(&chart, &["predicted by", "error from the original, stars", "from the release"], table.into()).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pictures_are_drawn_of_what_is_there() {
        let attack = |p: u32, before: f64, now: f64| json!({"name": "scoreboard", "knowledge": {"p": p}, "rate": now, "unprotected": {"rate": before}});
        let measure = json!({"name": "prediction-error", "value": 0.98, "parts": {"original": 0.95, "bias": 0.96, "item_mean": 1.0}});
        let report = json!({"attacks": [attack(2, 0.15, 0.01), attack(8, 0.88, 0.02)], "measures": [measure]});
        let drawn = figures(&report).unwrap();
        assert_eq!(drawn.len(), 2);
        assert!(drawn[0].svg.contains("in the release") && drawn[0].rows.len() == 4);
        assert_eq!(drawn[0].rows[1], ["in the file as it was", "8", "88 %"]);
        // 5 % less wrong before, 2 % now.
        assert!(drawn[1].svg.contains("like-minded people, before: 5</title>"), "{}", drawn[1].svg);
        assert!(drawn[1].svg.contains("like-minded people, after: 2</title>"), "{}", drawn[1].svg);
        assert_eq!(drawn[1].rows[0], ["like-minded people", "0.95", "0.98"]);
        let hidden = json!({"attacks": [attack(2, 0.1, 0.1)], "measures": [{"name": "prediction-error", "value": null, "parts": {}}]});
        assert!(figures(&hidden).unwrap().is_empty() && figures(&json!({})).unwrap().is_empty());
    }
}
