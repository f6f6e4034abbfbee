//! What a model promises, in words: its section of `docs/promise.md`, for pages.

use pulldown_cmark::{Event, Parser, Tag, TagEnd, html};

/// The page that says what each model promises, to whom, and what it does not.
const PROMISE: &str = include_str!("../../../../docs/promise.md");

/// The section about a model as HTML without links; `None` if there is none.
pub(super) fn of_model(model: &str) -> Option<String> {
    let heading = format!("## `{model}`");
    let start = PROMISE.lines().position(|line| line.trim_end() == heading)?;
    let body: Vec<&str> = PROMISE.lines().skip(start + 1).take_while(|line| !line.starts_with("## ")).collect();
    let text = body.join("\n");
    // A page of a release leads nowhere: the words of a link stay, its target does not.
    let events = Parser::new(&text)
        .filter(|event| !matches!(event, Event::Start(Tag::Link { .. }) | Event::End(TagEnd::Link)))
        .map(|event| match event {
            Event::Html(raw) | Event::InlineHtml(raw) => Event::Text(raw),
            other => other,
        });
    let mut page = String::new();
    html::push_html(&mut page, events);
    Some(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog;

    #[test]
    fn every_model_has_its_section() {
        for item in catalog::items_of(catalog::Role::Model) {
            let name = item.info().name;
            let text = of_model(name).unwrap_or_else(|| panic!("{name}: no section"));
            assert!(text.contains("promise") && !text.contains("href"), "{name}: {text}");
        }
        assert_eq!(of_model("no-such-model"), None);
    }
}
