//! `report.html`: a report as a page that needs nothing else: no network, no script, light and dark, on a phone and on paper.
//!
//! The page is made of `report.json` and of nothing beside it, so it can be drawn again at any time, and holds no value that
//! the JSON does not hold. It is for whoever must decide about a release, and begins with what they ask first: how easily people
//! were found and are found now, what the release is still good for, what a record looks like, what was left out, what is
//! promised. All numbers come last ([`super::numbers`]). The number of the JSON stands in the `value` of its `data` element,
//! whatever is shown of it.

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment};
use serde::Serialize;
use serde_json::{Map, Value};
use throng_core::accounts;
use throng_core::attacks::known_queries;
use throng_core::attacks::paths::group;
use throng_core::data::FactSort;
use throng_core::models::content_threshold;
use throng_core::{Error, Result};

use super::chart::{Chart, shortened};
use super::maps;
use super::network;
use super::numbers::{self, Fact, Finding, Section};
use super::picture;
use super::promise::{self, Applies};
use super::published::in_words;
use super::ratings;
use crate::catalog::{self, Role};
use crate::certificate;
use crate::kinds::{self, KindCard};
use crate::words::{self, counted, thousands, worth_saying};

/// What all pages look like.
pub(super) const STYLE: &str = include_str!("style.css");
const TEMPLATE: &str = include_str!("report.html");

/// A report as a page. `private` marks a version that may hold values of single persons.
pub fn html(report: &Value, private: bool) -> Result<String> {
    let page = Page::of(report, private)?;
    render(TEMPLATE, &page)
}

/// What to say of a file that is something else.
pub fn not_a_report() -> Error {
    Error::data("this is no report of throng's")
        .with_hint("a release folder has a report.json; `throng protect` writes it")
}

/// Fills a template. Every value in it is text unless it was made to be markup.
pub(super) fn render(template: &str, page: &impl Serialize) -> Result<String> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment
        .render_str(template, minijinja::Value::from(Serde(page)))
        .map_err(|cause| Error::internal("the page cannot be made").with_cause(cause))
}

/// What the template shows.
#[derive(Debug, Serialize)]
struct Page {
    style: &'static str,
    private: bool,
    title: String,
    date: String,
    verdict: Option<Verdict>,
    crowd: String,
    attacks: Vec<Attacker>,
    /// The sentence of the attacker who is right most often.
    attacked: String,
    /// Whether one of them compares words, not whole searches.
    goes_by_words: bool,
    /// Of ratings: who finds people, and what is still learned.
    ratings: Vec<Figure>,
    exposed: Vec<Exposed>,
    keeps: Vec<Kept>,
    /// What the utility of the release costs, where something says it.
    price: String,
    /// Markup of our own making.
    maps: String,
    network: String,
    certain: String,
    example: Option<Example>,
    columns: Vec<ColumnRow>,
    values: Vec<ValueRow>,
    left_out: Vec<String>,
    claims: Vec<Promise>,
    /// What is said where nothing is claimed.
    promises_nothing: &'static str,
    made: String,
    risk: Vec<Risk>,
    risk_note: String,
    measures: Vec<Section>,
    groups: Section,
    counted: Vec<Fact>,
    content: Vec<Finding>,
    what: Vec<Fact>,
    skipped: Vec<(String, String)>,
    run: Vec<Fact>,
}

/// The one sentence that people remember, and its picture.
#[derive(Debug, Serialize)]
struct Verdict {
    sentence: String,
    /// What whoever knows more finds, if that is more.
    more: String,
    caption: String,
    /// Markup of our own making.
    picture: String,
}

/// What an attacker achieves.
#[derive(Debug, Serialize)]
struct Attacker {
    who: String,
    before: Option<Fact>,
    now: Fact,
    promised: String,
    is_above: bool,
    why_not: String,
    /// All digits, for the custodian's eyes only.
    exact: String,
}

/// Something that the release is still good for.
#[derive(Debug, Serialize)]
struct Kept {
    sentence: String,
    /// Where it stands between groups made at random and the original, in per cent of the way.
    scale: Option<u32>,
}

/// A made-up record, and what is published of one like it.
#[derive(Debug, Serialize)]
struct Example {
    title: &'static str,
    before_title: &'static str,
    before: Vec<String>,
    after: Vec<String>,
    more: String,
    note: String,
}

/// What became of a column of a table, and how much it helps to find people.
#[derive(Debug, Serialize)]
struct ColumnRow {
    name: String,
    loss: Option<Fact>,
    level: Option<Fact>,
    /// How many are found without it, before and now.
    before: Option<Fact>,
    now: Option<Fact>,
}

/// A value of a table whose persons are rare, before and now.
#[derive(Debug, Serialize)]
struct ValueRow {
    column: String,
    value: String,
    persons: Fact,
    before: Fact,
    now: Option<Fact>,
}

/// The parts of a measure of a report.
fn parts_of<'a>(measures: &'a [Value], name: &str) -> &'a Value {
    measures.iter().find(|measured| measured["name"] == name).map_or(&Value::Null, |measured| &measured["parts"])
}

impl ColumnRow {
    /// Of every quasi column, where somebody measured both what it lost and what it gives away.
    fn all(measures: &[Value]) -> Vec<Self> {
        let (loss, risk) =
            (parts_of(measures, "normalised-certainty-penalty"), parts_of(measures, "reidentification-risk"));
        let columns = risk["columns"].as_object().into_iter().flatten();
        let fact = |value: &Value, unit: &str| (!value.is_null()).then(|| Fact::of("", value, unit));
        let row = |(name, found): (&String, &Value)| Self {
            name: shortened(name, 60),
            loss: (!loss["columns"][name].is_null()).then(|| Fact::share("", &loss["columns"][name])),
            level: fact(&loss["levels"][name], ""),
            before: fact(&found["before_without"], "%"),
            now: fact(&found["after_without"], "%"),
        };
        columns.map(row).collect()
    }
}

impl ValueRow {
    fn all(measures: &[Value]) -> Vec<Self> {
        let row = |found: &Value| Self {
            column: text(&found["column"]),
            value: shortened(&text(&found["value"]), 60),
            persons: Fact::of("", &found["persons"], ""),
            before: Fact::of("", &found["risk"], "%"),
            now: (!found["risk_after"].is_null()).then(|| Fact::of("", &found["risk_after"], "%")),
        };
        list(&parts_of(measures, "reidentification-risk")["values"]).iter().map(row).collect()
    }
}

/// A claim in words, and what it promises.
#[derive(Debug, Serialize)]
struct Promise {
    sentence: String,
    checked: String,
    /// Markup of our own making.
    promise: Option<String>,
}

/// What an attacker who knows some facts makes of the data.
#[derive(Debug, Serialize)]
struct Risk {
    known: String,
    before: Fact,
    after: Option<Fact>,
}

/// A person whose record still shows much of what is theirs; on the custodian's page only.
#[derive(Debug, Serialize)]
struct Exposed {
    person: String,
    level: Fact,
    others: String,
}

/// A picture, and the same in numbers.
#[derive(Debug, Serialize)]
pub(super) struct Figure {
    pub(super) title: String,
    /// Markup of our own making.
    pub(super) svg: String,
    /// A colour of the style sheet, and what it stands for.
    pub(super) legend: Vec<(String, String)>,
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Figure {
    /// The picture of a chart, and its numbers.
    pub(super) fn of(chart: &Chart, head: &[&str], rows: Vec<Vec<String>>) -> Result<Self> {
        Ok(Self {
            title: chart.title.clone(),
            svg: chart.svg()?,
            legend: chart.legend(),
            head: head.iter().map(|&name| name.to_owned()).collect(),
            rows,
        })
    }
}

impl Page {
    fn of(report: &Value, private: bool) -> Result<Self> {
        let certificate = &report["certificate"];
        if !certificate["method"]["name"].is_string() || !report["measures"].is_array() {
            return Err(not_a_report());
        }
        let kind = certificate["input"]["kind"].as_str().unwrap_or("data");
        let card = kinds::card_of(certificate["output"]["kind"].as_str().unwrap_or(kind));
        let unit = card.person[1];
        let persons = certificate["output"]["persons"].as_u64().unwrap_or(0);
        let title = shortened(report["title"].as_str().unwrap_or_default(), 200);
        let measures = list(&report["measures"]);
        Ok(Self {
            style: STYLE,
            private,
            title: if title.is_empty() {
                card.heading.replace("{}", &counted(persons, card.person[0], card.person[1]))
            } else {
                title
            },
            date: text(&report["date"]),
            verdict: verdict(card, &report["exposure"]),
            crowd: crowd(certificate, card, persons),
            attacked: attacked(list(&report["attacks"])),
            attacks: list(&report["attacks"]).iter().map(|attack| Attacker::of(attack, private)).collect(),
            goes_by_words: list(&report["attacks"])
                .iter()
                .any(|attack| attack["name"] == known_queries::INFO.info.name),
            ratings: ratings::figures(report)?,
            exposed: list(&report["exposed"]).iter().map(|person| Exposed::of(person, card)).collect(),
            keeps: Kept::all(measures, card),
            price: price(list(&report["attacks"])),
            maps: maps::section(&report["maps"]),
            network: network::section(&report["network"], measures),
            certain: network::certain(&report["network"]),
            columns: ColumnRow::all(measures),
            values: ValueRow::all(measures),
            example: Example::of(&report["example"], certificate, card),
            left_out: left_out(certificate, card),
            claims: list(&certificate["claims"]).iter().map(|claim| Promise::of(claim, certificate, card)).collect(),
            promises_nothing: certificate::PROMISES_NOTHING,
            made: made(certificate, card),
            risk: risk(&report["exposure"], card),
            risk_note: format!("How many {unit} somebody picks out who knows so much of them{}.", means_of(card)),
            measures: measures.iter().map(|measured| Section::of_measure(measured, card)).collect::<Result<_>>()?,
            groups: numbers::groups(&report["groups"], unit)?,
            counted: numbers::counted(&certificate["accounting"]),
            content: numbers::content(&certificate["content"]),
            what: numbers::what(certificate, card),
            skipped: list(&report["skipped"])
                .iter()
                .map(|skipped| (numbers::words(&text(&skipped["name"])), text(&skipped["reason"])))
                .collect(),
            run: numbers::run(report),
        })
    }
}

/// Persons whom facts of one sort single out, by how many are known.
struct Found<'a> {
    sort: &'static FactSort,
    before: &'a Value,
    after: &'a Value,
}

impl<'a> Found<'a> {
    /// Of every sort; of a report that knows the first only, of that.
    fn all(card: &'static KindCard, exposure: &'a Value) -> Vec<Self> {
        let of_sort = |found: &'a Value| {
            let sort = card.facts.iter().find(|sort| found["facts"] == sort.names[1])?;
            Some(Self { sort, before: &found["before"], after: &found["after"] })
        };
        let all: Vec<Self> = list(&exposure["singled_out"]).iter().filter_map(of_sort).collect();
        if all.is_empty() {
            let first = card.facts.first().into_iter();
            return first
                .map(|sort| Self { sort, before: &exposure["unique_by"], after: &exposure["unique_by_after"] })
                .collect();
        }
        all
    }

    /// Who knows so many of them.
    fn knows(&self, known: &str) -> String {
        let facts = match known {
            "1" => self.sort.known[0].to_owned(),
            "2" => self.sort.known[1].replace("{}", "two"),
            _ => self.sort.known[1].replace("{}", "three"),
        };
        format!("Somebody who knows {facts}")
    }
}

/// A share, of which a hidden one is small but not nothing.
fn size(share: &Value) -> f64 {
    share.as_f64().unwrap_or(if share.is_string() { 1e-6 } else { 0.0 })
}

/// A share in words, if it is one.
fn of_hundred(share: &Value) -> Option<String> {
    match share.as_f64() {
        Some(share) if share > 0.0 && share < 0.005 => Some("fewer than 1 of 100".to_owned()),
        Some(share) if share > 0.995 && share < 1.0 => Some("more than 99 of 100".to_owned()),
        Some(share) if (0.0..=1.0).contains(&share) => Some(format!("{} of 100", (100.0 * share).round())),
        _ => in_words(share.as_str()?),
    }
}

/// How easily people were found before and are found now, by somebody who knows as little as is enough to find half of those whom most
/// knowledge finds: by facts of the sort that finds most now, or most before where it finds nobody now. If more of them find more now,
/// that is said too.
fn verdict(card: &'static KindCard, exposure: &Value) -> Option<Verdict> {
    let all = Found::all(card, exposure);
    let finds = |known: &str| {
        all.iter().map(|found| size(&found.before[known]).max(size(&found.after[known]))).fold(0.0, f64::max)
    };
    let most = ["1", "2", "3"].into_iter().map(finds).fold(0.0, f64::max);
    let known = ["1", "2", "3"].into_iter().find(|known| finds(known) >= most / 2.0).unwrap_or("1");
    let rank = |found: &Found<'_>, known: &str| [size(&found.after[known]), size(&found.before[known])];
    let worst = |known: &str| {
        let worse = |left: &&Found<'_>, right: &&Found<'_>| {
            let [left, right] = [left, right].map(|found| rank(found, known));
            left[0].total_cmp(&right[0]).then(left[1].total_cmp(&right[1]))
        };
        all.iter().rev().max_by(worse)
    };
    let found = worst(known)?;
    let (before, after) = (&found.before[known], &found.after[known]);
    let sentence = format!(
        "{} {} in {} cases before, in {} now.",
        found.knows(known),
        card.found,
        of_hundred(before)?,
        of_hundred(after)?
    );
    let more = ["2", "3"].into_iter().filter(|more| *more > known).filter_map(|known| Some((worst(known)?, known)));
    let more = more
        .filter(|(other, known)| size(&other.after[*known]) >= size(after) + 0.005)
        .max_by(|left, right| size(&left.0.after[left.1]).total_cmp(&size(&right.0.after[right.1])));
    let more = more.and_then(|(found, known)| {
        let cases = of_hundred(&found.after[known])?;
        Some(format!("{} {} in {cases} cases now.", found.knows(known), card.found.replace("found", "finds")))
    });
    let caption = format!("Of 100 {}, how many are found", card.person[1]);
    let picture = picture::found(before, after, &caption);
    Some(Verdict { sentence, more: more.unwrap_or_default(), picture, caption })
}

/// What a release costs that keeps real points: how often the right group is found.
fn price(attacks: &[Value]) -> String {
    let own = attacks.iter().filter(|attack| attack["name"] == group::INFO.info.name);
    let most = own.filter_map(|attack| Some((attack["knowledge"]["points"].as_u64()?, attack))).max_by_key(|own| own.0);
    let Some((points, attack)) = most else { return String::new() };
    let Some(rate) = attack["rate"].as_f64() else { return String::new() };
    let blindly =
        attack["baseline"].as_f64().map_or(String::new(), |share| format!(", blindly in {}", numbers::percent(share)));
    format!(
        "The price: whoever knows {points} points of somebody finds the right group in {} of cases{blindly}; the person is still one of k in it.",
        numbers::percent(rate)
    )
}

/// What is said of the attacks in one sentence.
fn attacked(attacks: &[Value]) -> String {
    let look = |attack: &Value| {
        let [is_promised, knows] = [&attack["bound"], &attack["knowledge"]["p"]].map(|value| !value.is_null());
        ([attack["verdict"] == "above", is_promised, knows], size(&attack["rate"]))
    };
    let Some(attack) = words::most_telling(attacks, look) else { return String::new() };
    let who = words::attacker(attack["name"].as_str().unwrap_or_default(), &attack["knowledge"]);
    let shares = [&attack["unprotected"]["rate"], &attack["rate"], &attack["bound"]].map(Value::as_f64);
    words::attacked(&who, shares).map_or(String::new(), |said| format!("Somebody who {said}."))
}

impl Attacker {
    fn of(attack: &Value, private: bool) -> Self {
        let name = attack["name"].as_str().unwrap_or_default();
        let card = catalog::attack_card(name);
        let unprotected = &attack["unprotected"]["rate"];
        Self {
            who: match words::attacker(name, &attack["knowledge"]) {
                who if who.is_empty() => numbers::words(name),
                who => who,
            },
            before: (!unprotected.is_null()).then(|| Fact::share("", unprotected)),
            now: Fact::share("", &attack["rate"]),
            promised: attack["bound"].as_f64().map_or("nothing".to_owned(), numbers::percent),
            is_above: attack["verdict"] == "above",
            why_not: match card {
                Some(card) if attack["bound"].is_null() => card.no_promise.to_owned(),
                _ => String::new(),
            },
            exact: match (
                private,
                attack["rate"].as_f64(),
                attack["interval"][0].as_f64(),
                attack["interval"][1].as_f64(),
            ) {
                (true, Some(rate), Some(low), Some(high)) => {
                    format!("{rate}, from {low} to {high}: {} of {}", attack["hits"], attack["attempts"])
                }
                _ => String::new(),
            },
        }
    }
}

/// How large the crowd is that everybody hides in, where the release promises one.
fn crowd(certificate: &Value, card: &KindCard, persons: u64) -> String {
    let claims = list(&certificate["claims"]);
    let crowd =
        claims.iter().find(|claim| claim["model"].as_str().is_some_and(|model| model.ends_with("-k-anonymity")));
    match crowd.and_then(|claim| claim["parameters"]["k"].as_u64()) {
        Some(k) if k > 1 => format!(
            "Each of the {} in the release looks the same as at least {}.",
            counted(persons, card.person[0], card.person[1]),
            counted(k - 1, "other", "others")
        ),
        _ => String::new(),
    }
}

fn made(certificate: &Value, card: &KindCard) -> String {
    let name = text(&certificate["method"]["name"]);
    let summary = catalog::info_for(card.name, Role::Method, &name).map(|info| info.summary).unwrap_or_default();
    if summary.is_empty() { format!("Made with {name}.") } else { format!("Made with {name}: {summary}.") }
}

/// What it means to know facts, where there are several sorts.
fn means_of(card: &KindCard) -> String {
    let [_, _, ..] = card.facts else { return String::new() };
    let means: Vec<String> = card.facts.iter().map(|sort| format!("a {}, {}", sort.names[0], sort.means)).collect();
    format!(" ({})", means.join("; "))
}

fn risk(exposure: &Value, card: &'static KindCard) -> Vec<Risk> {
    let of_sort = |found: Found<'_>| {
        (1u64..=3)
            .map(|known| {
                let key = known.to_string();
                Risk {
                    known: counted(known, found.sort.names[0], found.sort.names[1]),
                    before: Fact::share("", &found.before[&key]),
                    after: found.after.get(&key).map(|share| Fact::share("", share)),
                }
            })
            .collect::<Vec<_>>()
    };
    Found::all(card, exposure).into_iter().flat_map(of_sort).collect()
}

impl Exposed {
    fn of(person: &Value, card: &KindCard) -> Self {
        let others = person["others"].as_u64().unwrap_or_default();
        Self {
            person: format!("{} {}", card.person[0], text(&person["person"])),
            level: Fact::of("", &person["level"], "%"),
            others: counted(others, "other", "others"),
        }
    }
}

impl Kept {
    /// What can be said, that with a scale first.
    fn all(measures: &[Value], card: &KindCard) -> Vec<Self> {
        let mut all: Vec<Self> = measures.iter().filter_map(|measured| Self::of(measured, card)).collect();
        all.sort_by_key(|kept| kept.scale.is_none());
        all
    }

    fn of(measured: &Value, card: &KindCard) -> Option<Self> {
        let says = catalog::measure_card_for(card.name, measured["name"].as_str()?)?.says;
        let (value, unit) = (measured["value"].as_f64()?, measured["unit"].as_str().unwrap_or_default());
        // More than everything is no sentence.
        if says.is_empty() || (unit == "%" && value > 100.0) {
            return None;
        }
        let with_unit = match unit {
            "" => numbers::rounded(value),
            "%" => numbers::percent(value / 100.0),
            _ => format!("{} {unit}", numbers::rounded(value)),
        };
        let sentence = says.replace("{%}", &numbers::percent(value)).replace("{}", &with_unit);
        let random = measured["parts"]["random"].as_f64().filter(|random| (0.0..1.0).contains(random));
        let scale = random.map(|random| (100.0 * (value - random) / (1.0 - random)).clamp(0.0, 100.0).round() as u32);
        Some(Self { sentence, scale })
    }
}

impl Example {
    fn of(example: &Value, certificate: &Value, card: &KindCard) -> Option<Self> {
        let values = |name: &str| list(&example[name]).iter().map(text).collect::<Vec<String>>();
        let (before, after) = (values("before"), values("after"));
        if before.is_empty() || after.is_empty() {
            return None;
        }
        let k = certificate["method"]["parameters"]["k"].as_u64().unwrap_or(crate::run::USUAL_K as u64);
        if let Some(persons) = example["class"].as_u64() {
            return Some(Self {
                title: "One class, before and after",
                before_title: "what each cell may be",
                before,
                after,
                more: String::new(),
                note: format!(
                    "The rows of {} say this, and cannot be told apart by it. What a cell may be is counted in the original.",
                    counted(persons, card.person[0], card.person[1])
                ),
            });
        }
        let shared = match example["persons"].as_u64() {
            Some(persons) => format!(", the same for {}", counted(persons, card.person[0], card.person[1])),
            None => String::new(),
        };
        Some(Self {
            title: "One record, before and after",
            before_title: "before (made up)",
            before,
            after,
            more: match example["more"].as_u64() {
                Some(more @ 1..) => format!("and {} more", thousands(more)),
                _ => String::new(),
            },
            note: format!(
                "The {} before is made up, out of {} that at least {k} {} have. The record after is the published one that is most \
                 like it{shared}.",
                card.person[0], card.fact[1], card.person[1]
            ),
        })
    }
}

impl Promise {
    fn of(claim: &Value, certificate: &Value, card: &KindCard) -> Self {
        let model = text(&claim["model"]);
        let summary = catalog::info_for(card.name, Role::Model, &model).map(|info| info.summary).unwrap_or_default();
        let summary = filled(summary, &claim["parameters"]);
        let parameters = pairs(&claim["parameters"]);
        let achieved = pairs(&claim["achieved"]);
        let found = if achieved == parameters || achieved.is_empty() {
            String::new()
        } else {
            format!(", and found {achieved}")
        };
        let needs = match claim["needs"].as_str() {
            Some("original") => " Whoever checks it again needs the original.",
            Some("key") => " Whoever checks it again needs the original and the key.",
            _ => " Anybody can check it again, with the release alone.",
        };
        let applies = Applies {
            kind: card.name,
            method: certificate["method"]["name"].as_str().unwrap_or_default(),
            is_seeded: certificate["randomness"] == "seeded",
            has_own_ids: certificate["ids"] == "kept",
        };
        Self {
            sentence: format!("{}.", capitalised(&summary)),
            checked: format!(
                "This is {model} ({parameters}). throng checked it on the published file: it {}{found}.{needs}",
                text(&claim["verdict"])
            ),
            promise: promise::of_model(&model, &applies),
        }
    }
}

/// What was left out, and why, in sentences.
fn left_out(certificate: &Value, card: &KindCard) -> Vec<String> {
    let counts = &certificate["accounting"];
    let gives_reasons = list(&certificate["claims"]).iter().any(|claim| claim["model"] != content_threshold::INFO.name);
    let sentence = |account: &accounts::Account| {
        let value = &counts[account.name];
        let (number, is_one) = match value.as_u64() {
            Some(0) => return None,
            Some(count) => (thousands(count), count == 1),
            None if account.words.starts_with("{n}") => (capitalised(&in_words(value.as_str()?)?), false),
            None => (in_words(value.as_str()?)?, false),
        };
        // Where nobody is promised to be one of k, what leaves does so for reasons of the method, which its own words give.
        let words = if gives_reasons { account.words.to_owned() } else { without_reason(account.words) };
        let words = words.replace("{n}", &number);
        let everybody = [card.person[1]; 2];
        let nouns =
            [("person", card.person), ("persons", everybody), ("row", card.row), ("group", ["group", "groups"])];
        let nouns =
            nouns.into_iter().chain([("is", ["is", "are"]), ("has", ["has", "have"]), ("page", ["page", "pages"])]);
        let nouns = nouns.chain([
            ("column", ["column", "columns"]),
            ("line", ["line", "lines"]),
            ("rank", ["rank", "ranks"]),
            ("was", ["was", "were"]),
        ]);
        let words = nouns.fold(words, |words, (name, [one, many])| {
            words.replace(&format!("{{{name}}}"), if is_one { one } else { many })
        });
        (!words.is_empty()).then_some(words)
    };
    accounts::ALL.iter().filter_map(sentence).collect()
}

/// A sentence without what follows its colon.
fn without_reason(sentence: &str) -> String {
    sentence.split_once(": ").map_or_else(|| sentence.to_owned(), |(what, _)| format!("{what}."))
}

/// The words of a model with numbers in the place of its parameters.
fn filled(summary: &str, parameters: &Value) -> String {
    let number = |name: &str| match name {
        "m" if parameters["m"].is_null() => &parameters["min-persons"],
        _ => &parameters[name],
    };
    let others = number("k").as_u64().map(|k| k.saturating_sub(1).to_string());
    let summary = others.map_or(summary.to_owned(), |others| summary.replace("k - 1", &others));
    let word = |word: &str| match number(word) {
        number @ Value::Number(_) => words::value(number),
        _ => word.to_owned(),
    };
    summary.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Parameters with their values, as one writes them.
fn pairs(values: &Value) -> String {
    let empty = Map::new();
    let pairs = values.as_object().unwrap_or(&empty);
    worth_saying(pairs)
        .map(|(name, value)| format!("{} = {}", numbers::words(name), words::value(value)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The same, as a sentence begins.
pub(super) fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

pub(super) fn text(value: &Value) -> String {
    shortened(value.as_str().unwrap_or_default(), 400)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::group_sizes;
    use serde_json::json;

    /// A report of as many persons as AOL's log had, with groups of all sizes that fit, every measure with every part that
    /// pages draw, and labels as long as a line may be.
    #[test]
    fn a_report_of_many_persons_is_small() {
        let persons = 650_000;
        let mut sizes: Vec<u32> = (5..)
            .scan(0, |sum, size| {
                *sum += size;
                (*sum < persons).then_some(size)
            })
            .collect();
        sizes.push(persons - sizes.iter().sum::<u32>());
        let label = "<wide> & ".repeat(10_000);
        let top: Vec<Value> =
            (0..10).map(|at| json!({"value": format!("{at} {label}"), "before": 0.01, "after": 0.02})).collect();
        let histogram: Vec<Value> =
            (0..20).map(|bin| json!({"from": 5 * bin, "to": 5 * bin + 5, "persons": persons / 20})).collect();
        let clusters: Vec<Value> =
            [2, 5, 10, 20, 50].map(|clusters| json!({"clusters": clusters, "jaccard": 0.5, "rand": 0.5})).into();
        let parts = json!({
            "distribution": {"percentiles": {"50": 1.5}, "histogram": histogram},
            "top_before": top, "top_after": top, "by_clusters": clusters, "share": 0.123_456_789,
        });
        let measures: Vec<Value> = catalog::measure_cards()
            .iter()
            .map(|card| {
                json!({"name": card.info.name, "value": 1.5, "unit": card.unit, "better": card.better, "parts": parts})
            })
            .collect();
        let report = json!({
            "certificate": {
                "input": {"kind": "queries", "persons": persons, "rows": 36_000_000},
                "output": {"persons": persons, "rows": 36_000_000},
                "method": {"name": "user-microaggregation", "parameters": {"k": 5}},
                "claims": [{"model": "user-k-anonymity", "parameters": {"k": 5}, "verdict": "holds", "achieved": {"k": 5}}],
            },
            "groups": group_sizes(&sizes),
            "measures": measures,
        });
        let page = html(&report, false).unwrap();
        assert!(page.len() < 5_000_000, "{} bytes", page.len());
        assert!(page.contains("Searches of 650,000 persons"));
        assert!(page.contains("Each of the 650,000 persons in the release looks the same as at least 4 others."));
        assert!(page.contains("persons in the greatest"));
    }

    /// A report of a few persons with these shares of people who are found.
    fn found(before: Value, after: Value) -> Option<String> {
        let exposure = json!({"unique_by": {"1": before, "2": 0.5}, "unique_by_after": {"1": after, "2": 0.0}});
        verdict(kinds::card_of("queries"), &exposure).map(|verdict| verdict.sentence)
    }

    #[test]
    fn the_verdict_is_one_sentence() {
        let one = "Somebody who knows one search of a person found them in ";
        assert_eq!(found(json!(0.78), json!(0.0)).unwrap(), format!("{one}78 of 100 cases before, in 0 of 100 now."));
        let rare = found(json!(0.999), json!(0.001)).unwrap();
        assert_eq!(rare, format!("{one}more than 99 of 100 cases before, in fewer than 1 of 100 now."));
        assert_eq!(
            found(json!(0.3), json!("<5")).unwrap(),
            format!("{one}30 of 100 cases before, in fewer than 5 now.")
        );
        // Where one search finds few of those whom two find, two are told of.
        let two = found(json!(0.2), json!(0.0)).unwrap();
        assert!(two.starts_with("Somebody who knows two searches of a person found them in 50 of 100"), "{two}");
        // Where one search finds nobody, two may.
        let two = found(json!(0.0), json!(0.0)).unwrap();
        assert!(two.starts_with("Somebody who knows two searches of a person found them in 50 of 100"), "{two}");
        assert_eq!(found(json!(7), json!(0.0)), None);
    }

    /// Of what the report knows, the worst is said first, and that more knowledge finds more.
    #[test]
    fn the_verdict_is_the_worst() {
        let said = |queries: [f64; 2], times: [f64; 2], later: f64| {
            let exposure = json!({
                "unique_by": {"1": queries[0]}, "unique_by_after": {"1": queries[1]},
                "singled_out": [
                    {"facts": "queries", "before": {"1": queries[0], "2": 1}, "after": {"1": queries[1], "2": later}},
                    {"facts": "times", "before": {"1": times[0], "2": 1}, "after": {"1": times[1], "2": 0}},
                ],
            });
            let verdict = verdict(kinds::card_of("queries"), &exposure).unwrap();
            assert!(verdict.picture.contains(&format!("before: {} found", 100.0 * queries[0].max(times[0]))));
            (verdict.sentence, verdict.more)
        };
        let (sentence, more) = said([0.5, 0.0], [0.75, 0.0], 0.0);
        let times =
            "Somebody who knows the day and hour of one search of a person found them in 75 of 100 cases before, in 0";
        assert!(sentence.starts_with(times) && more.is_empty(), "{sentence} {more}");
        let (sentence, more) = said([0.75, 0.0], [0.5, 0.0], 0.36);
        assert!(sentence.starts_with("Somebody who knows one search of a person found them in 75"), "{sentence}");
        assert_eq!(more, "Somebody who knows two searches of a person finds them in 36 of 100 cases now.");
    }

    #[test]
    fn promises_are_made_in_numbers() {
        let said = filled("the same record as at least k - 1 others", &json!({"k": 5}));
        assert_eq!(said, "the same record as at least 4 others");
        let said = filled("the queries of at least m persons", &json!({"min-persons": 3}));
        assert_eq!(said, "the queries of at least 3 persons");
        let said = filled("whatever m items of a person somebody knows, at least k persons", &json!({"k": 5, "m": 2}));
        assert_eq!(said, "whatever 2 items of a person somebody knows, at least 5 persons");
    }

    #[test]
    fn what_was_left_out_is_said_in_sentences() {
        let certificate = json!({"accounting": {"persons_dropped": 1, "rows_dropped": 1234, "rows_refused": 0, "groups_empty": "<5"}});
        let said = left_out(&certificate, kinds::card_of("queries"));
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(said[0].starts_with("1 person is not"), "{said:?}");
        assert!(said[1].starts_with("Fewer than 5 groups are"), "{said:?}");
        assert!(said[2].starts_with("1,234 rows are"), "{said:?}");
    }
}
