//! The picture of a verdict: a hundred people before and a hundred now, those who are found in another colour.

use std::fmt::Write as _;

use minijinja::HtmlEscape;
use serde_json::Value;

/// The distance of two dots.
const STEP: u32 = 20;
/// Where the second hundred begins.
const BESIDE: u32 = 11 * STEP;

/// Two squares of a hundred dots. A share that is hidden or not known fills none of them.
pub(super) fn found(before: &Value, after: &Value, title: &str) -> String {
    let filled = |share: &Value| match share.as_f64() {
        // Whoever is found at all is seen.
        Some(share) if share > 0.0 => (100.0 * share.min(1.0)).round().max(1.0) as u32,
        _ => 0,
    };
    let mut picture = format!("<svg viewBox=\"0 0 {} {}\" role=\"img\">", 2 * BESIDE - STEP, 10 * STEP + 28);
    let _ = write!(picture, "<title>{}</title>", HtmlEscape(title));
    for (when, left, share) in [("before", 0, before), ("now", BESIDE, after)] {
        let count = filled(share);
        for dot in 0..100 {
            let (x, y) = (left + STEP * (dot % 10) + STEP / 2, 28 + STEP * (dot / 10) + STEP / 2);
            let colour = if dot < count { "found" } else { "hidden" };
            let _ = write!(picture, "<circle class=\"{colour}\" cx=\"{x}\" cy=\"{y}\" r=\"7\"/>");
        }
        let _ = write!(picture, "<text x=\"{}\" y=\"18\" font-size=\"17\">{when}: {count} found</text>", left + 3);
    }
    picture.push_str("</svg>");
    picture
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn as_many_dots_as_people_are_found() {
        let found = |before: Value, after: Value| {
            let picture = found(&before, &after, "<b>");
            assert!(picture.contains("<title>&lt;b&gt;") && picture.matches("<circle").count() == 200);
            picture.matches("class=\"found\"").count()
        };
        assert_eq!(found(json!(0.784), json!(0.0)), 78);
        assert_eq!(found(json!(0.0001), json!("<5")), 1);
        assert_eq!(found(json!(1.7e308), json!(-1)), 100);
    }
}
