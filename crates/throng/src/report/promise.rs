//! What a model promises, in words: its section of `docs/promise.md`, for pages.

use pulldown_cmark::{Event, Parser, Tag, TagEnd, html};

/// The page that says what each model promises, to whom, and what it does not.
const PROMISE: &str = include_str!("../../../../docs/promise.md");

/// What of a promise concerns a release.
pub(super) struct Applies<'a> {
    /// The kind of data.
    pub(super) kind: &'a str,
    /// The method that made it.
    pub(super) method: &'a str,
    /// Whether its pseudonyms come from a seed.
    pub(super) is_seeded: bool,
    /// Whether it shows the original ids.
    pub(super) has_own_ids: bool,
}

impl Applies<'_> {
    /// Whether a paragraph says something of this release. One that is about a method or a flag begins with its name.
    fn to(&self, paragraph: &str) -> bool {
        if paragraph.starts_with("**With `--keep-ids`") {
            return self.has_own_ids;
        }
        if paragraph.starts_with("**A seeded release") {
            return self.is_seeded;
        }
        match paragraph.strip_prefix("**With `").and_then(|rest| rest.split_once('`')) {
            Some((method, _)) => method == self.method,
            None => true,
        }
    }
}

/// The section about a model as HTML without links, as far as it concerns a release; `None` if there is none. A model may have a section of
/// its own for a kind of data.
pub(super) fn of_model(model: &str, applies: &Applies<'_>) -> Option<String> {
    let place = |heading: &str| PROMISE.lines().position(|line| line.trim_end() == heading);
    let own = place(&format!("## `{model}` of {}", applies.kind));
    let start = own.or_else(|| place(&format!("## `{model}`")))?;
    let body: Vec<&str> = PROMISE.lines().skip(start + 1).take_while(|line| !line.starts_with("## ")).collect();
    let text = body.join("\n");
    let paragraphs: Vec<&str> = text.split("\n\n").filter(|paragraph| applies.to(paragraph)).collect();
    let text = paragraphs.join("\n\n");
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

/// A promise in short, as plain text: its first paragraph, and the first sentence of each paragraph on what it does not promise.
pub fn in_short(model: &str, kind: &str) -> Option<(String, Vec<String>)> {
    const BEGINS: &str = "**The promise.**";
    let place = |heading: &str| PROMISE.lines().position(|line| line.trim_end() == heading);
    let start = place(&format!("## `{model}` of {kind}")).or_else(|| place(&format!("## `{model}`")))?;
    let body: Vec<&str> = PROMISE.lines().skip(start + 1).take_while(|line| !line.starts_with("## ")).collect();
    let body = body.join("\n");
    let mut paragraphs = body.split("\n\n").map(str::trim);
    let promise = plain(paragraphs.find_map(|paragraph| paragraph.strip_prefix(BEGINS))?);
    let after = paragraphs.skip_while(|paragraph| !paragraph.starts_with("### What it does not promise"));
    // A paragraph that is about a method or a flag is not about every release.
    let bold = after.filter_map(|paragraph| paragraph.strip_prefix("**")?.split_once("**"));
    let not = bold.filter(|(text, _)| !text.starts_with("With `")).map(|(text, rest)| {
        // What stands in brackets behind it names an attack.
        let is_whole = text.ends_with('.') || rest.trim_start().starts_with('(');
        plain(if is_whole { text } else { text.trim_end_matches([',', ':']) }).trim_end_matches('.').to_owned() + "."
    });
    Some((promise, not.collect()))
}

/// Markdown as one line of plain text.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for event in Parser::new(text) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                plain.push_str(&text)
            }
            Event::SoftBreak | Event::HardBreak => plain.push(' '),
            _ => {}
        }
    }
    plain.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog;

    const PLAIN: Applies<'static> = Applies { kind: "queries", method: "", is_seeded: false, has_own_ids: false };

    #[test]
    fn every_model_has_its_section() {
        for item in catalog::items_of(catalog::Role::Model) {
            let name = item.info().name;
            let text = of_model(name, &PLAIN).unwrap_or_else(|| panic!("{name}: no section"));
            assert!(text.contains("promise") && !text.contains("href"), "{name}: {text}");
        }
        assert_eq!(of_model("no-such-model", &PLAIN), None);
    }

    /// What is said of an access log is not about searches, and the other way round.
    #[test]
    fn a_kind_has_its_own_words() {
        let visits = Applies { kind: "visits", ..PLAIN };
        for model in ["user-k-anonymity", "content-threshold", "record-k-anonymity"] {
            let said = of_model(model, &visits).unwrap();
            assert!(said.contains("visitor"), "{model}: {said}");
            for word in ["search", "normal form", "stop word", "vector", "document", "known-queries", "click"] {
                assert!(!said.contains(word), "{model} says {word}: {said}");
            }
            let of_others = of_model(model, &PLAIN).unwrap();
            assert!(!of_others.contains("visitor") && !of_others.contains("ccess log"), "{model}: {of_others}");
        }
    }

    #[test]
    fn only_what_concerns_the_release_is_said() {
        let said = |applies: &Applies<'_>| of_model("user-k-anonymity", applies).unwrap();
        let about =
            ["members of a group are alike on purpose", "release shows the original ids", "undone by whoever knows"];
        assert!(about.iter().all(|words| !said(&PLAIN).contains(words)));
        let all = said(&Applies { kind: "queries", method: "kindred", is_seeded: true, has_own_ids: true });
        assert!(about.iter().all(|words| all.contains(words)), "{all}");
        assert!(!all.contains("phrases are published that other persons wrote"));
    }
}
