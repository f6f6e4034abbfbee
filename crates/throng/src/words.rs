//! What the commands say, as labelled lines: the command line prints them, a page or a notebook can show them too.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Map, Value};
use throng_core::accounts::{
    GROUPS_EMPTY, ITEMS_UNKNOWN, OCCURRENCES_SUPPRESSED, OCCURRENCES_UNKNOWN, PERSONS_DROPPED, PERSONS_HELD_OUT,
    PERSONS_NOT_SAMPLED, PERSONS_WITHOUT_CONCEPT, RANKS_LOST, ROWS_DROPPED, SITES_LOST,
};
use throng_core::attacks::Outcome;
use throng_core::concepts::coverage::{Known, SamplePhrase};
use throng_core::measures::Measured;
use throng_core::models::content_threshold::ACCOUNTS;
use throng_core::taxonomy::fit::Unknown;

use crate::catalog;
use crate::certificate::Certificate;
use crate::kinds::{self, KindCard};
use crate::policy::{Judged, Judgement, Verdict};
use crate::run::NOTHING_CLAIMED;
use crate::run::{
    Attacked, CheckOutcome, ClaimOutcome, ConceptsFound, DistanceOutcome, DryRun, Expected, PolicyOutcome,
    ProtectOutcome, RuleOutcome, SingledOutBefore, Skipped,
};

/// A line: what it is about, and what is said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// What it is about, in a word or two; empty where it goes on with the line above.
    pub label: String,
    /// What is said.
    pub text: String,
}

impl Line {
    /// A line.
    pub fn new(label: impl Into<String>, text: impl Into<String>) -> Self {
        Self { label: label.into(), text: text.into() }
    }

    /// A line that goes on with the one above.
    pub fn more(text: impl Into<String>) -> Self {
        Self::new("", text)
    }
}

/// Lines as text, labels in a column of their own.
pub fn as_text(lines: &[Line]) -> String {
    let mut text = String::new();
    for line in lines {
        let _ = writeln!(text, "{:11} {}", line.label, line.text);
    }
    text
}

/// A number for people: at most four digits after the point.
pub fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.to_owned()
}

/// A word of a command for a shell.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./=:,+@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A value of a parameter for people: text without quotes, a number with as many digits as say something.
pub(crate) fn value(value: &Value) -> String {
    match value.as_f64().filter(|_| value.is_f64()) {
        Some(number) if number != 0.0 && number.is_finite() => {
            let digits = (SIGNIFICANT - 1.0 - number.abs().log10().floor()).clamp(0.0, 300.0) as usize;
            let text = format!("{number:.digits$}");
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
        }
        Some(_) => "0".to_owned(),
        None => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
    }
}

/// How many digits of a number say something.
const SIGNIFICANT: f64 = 6.0;

/// A mean for people: more digits than one behind the point say nothing, and none do of thousands.
pub(crate) fn mean(value: f64) -> String {
    if value >= 999.5 { thousands(value.round() as u64) } else { number((value * 10.0).round() / 10.0) }
}

/// A share as a percentage for people.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A whole number with commas between thousands.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// How many of something, with the word for one or for many.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

/// An attacker's knowledge in words: `knows 2 searches and when they were`.
pub fn attacker(name: &str, knowledge: &Value) -> String {
    let who = catalog::attack_card(name).map_or(["", ""], |card| card.who);
    let p = ["p", "points", "cells"].iter().find_map(|name| knowledge[*name].as_u64());
    let text = match p {
        // Of an attack in two ways the second has the second words.
        None if knowledge["variant"] == "passive" => who[1].to_owned(),
        Some(1) | None if knowledge["given"] != true && knowledge["noise"] != true => who[0].to_owned(),
        Some(p) => match knowledge["known_mean"].as_f64().filter(|&mean| mean < p as f64) {
            Some(mean) => format!("{} ({} on average)", who[1].replace("{}", &format!("up to {p}")), number(mean)),
            None => who[1].replace("{}", &p.to_string()),
        },
        None => who[1].replace("{} ", "given "),
    };
    let beside: Vec<&str> = knowledge["with"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let is_one = p == Some(1);
    let text = match knowledge["time"].as_str() {
        Some(time @ ("hour" | "day")) if is_one => format!("{text}, and the {time}"),
        Some(time @ ("hour" | "day")) => format!("{text}, and the {time}s"),
        _ => text,
    };
    let word = |beside: &str| match (beside, is_one) {
        ("times", true) => "when it was",
        ("times", false) => "when they were",
        ("clicks", _) => "what was clicked",
        ("browser", _) => "the browser",
        ("dates", _) => "when that was, to two weeks",
        _ => "more",
    };
    beside.into_iter().fold(text, |text, beside| format!("{text} and {}", word(beside)))
}

/// What somebody achieves who knows a little, in a sentence: before, now, and as promised, all shares.
pub fn attacked(who: &str, [before, now, bound]: [Option<f64>; 3]) -> Option<String> {
    let of_hundred = |share: f64| match share {
        share if share > 0.0 && share < 0.005 => "fewer than 1".to_owned(),
        share if share > 0.995 && share < 1.0 => "more than 99".to_owned(),
        share => format!("{}", (100.0 * share).round()),
    };
    let now = of_hundred(now?);
    let promised = match bound {
        Some(bound) => format!("; promised at most {}", number((1000.0 * bound).round() / 10.0)),
        None => "; nothing is promised".to_owned(),
    };
    Some(match before {
        Some(before) => {
            format!("{who}: right in {} of 100 cases before, in {now} now{promised}", of_hundred(before))
        }
        None => format!("{who}: right in {now} of 100 cases{promised}"),
    })
}

impl Attacked {
    /// In a sentence.
    pub fn in_words(&self) -> Option<String> {
        let Outcome { name, knowledge, rate, bound, .. } = &self.outcome;
        attacked(&attacker(name, knowledge), [self.unprotected.and_then(|before| before.rate), *rate, *bound])
    }
}

/// The attack of which one sentence is: of those that look for people by what they know the one that is right most often now; but
/// first one that is right more often than was promised, then those against whom something is promised. `look` says of an attack whether
/// it is above, whether something is promised, whether it knows something, and its rate.
pub fn most_telling<A>(attacks: &[A], look: impl Fn(&A) -> ([bool; 3], f64)) -> Option<&A> {
    attacks.iter().rev().max_by(|left, right| {
        let [(first, rate), (other_first, other_rate)] = [look(left), look(right)];
        first.cmp(&other_first).then(rate.total_cmp(&other_rate))
    })
}

/// Attacks and what did not run, as text.
pub fn attacks(attacks: &[Outcome], skipped: &[Skipped]) -> String {
    let mut text = String::new();
    for attack in attacks {
        let rate = attack.rate.map_or("nobody was attacked".to_owned(), |rate| {
            let [low, high] = attack.interval.map(|end| 100.0 * end);
            format!(
                "right in {} ({low:.1} to {high:.1}) of {}",
                percent(rate),
                counted(attack.attempts, "case", "cases")
            )
        });
        let baseline = attack.baseline.map_or(String::new(), |baseline| format!("; blindly {}", percent(baseline)));
        let control = attack.control.map_or(String::new(), |control| format!("; of others {}", percent(control)));
        let bound = match attack.bound {
            Some(bound) if attack.is_above() => format!("; MORE than the {} that is promised", percent(bound)),
            Some(bound) => format!("; promised at most {}", percent(bound)),
            None => "; nothing is promised".to_owned(),
        };
        let who = attacker(attack.name, &attack.knowledge);
        let _ = writeln!(text, "{:18} {who}: {rate}{baseline}{control}{bound}", attack.name);
    }
    for skipped in skipped {
        let _ = writeln!(text, "{:18} not run: {}", skipped.name, skipped.reason);
    }
    text
}

/// What attackers achieve against a file itself, a line each.
pub fn exposed(attacks: &[Outcome]) -> Vec<Line> {
    let line = |attack: &Outcome| {
        let who = attacker(attack.name, &attack.knowledge);
        let alone = attack.own.get("unique").and_then(Value::as_f64);
        let said = attacked(&who, [None, attack.rate, attack.bound])?;
        let said = said.strip_suffix("; nothing is promised").unwrap_or(&said).to_owned();
        let alone = alone.map_or(String::new(), |alone| format!("; alone by that are {}", percent(alone)));
        Some(Line::new("attack", format!("{}: {said}{alone}", attack.name)))
    };
    attacks.iter().filter_map(line).collect()
}

/// How many rows persons have.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lengths {
    /// The fewest.
    pub least: usize,
    /// The mean.
    pub mean: f64,
    /// As many as half of the persons have at the most.
    pub median: usize,
    /// The most.
    pub greatest: usize,
    /// Persons with nothing.
    pub empty: usize,
}

impl Lengths {
    /// Of the number of rows of each person.
    pub fn of(mut lengths: Vec<usize>) -> Self {
        lengths.sort_unstable();
        let at = |place: usize| lengths.get(place).copied().unwrap_or_default();
        let last = lengths.len().saturating_sub(1);
        Self {
            least: at(0),
            mean: lengths.iter().sum::<usize>() as f64 / lengths.len().max(1) as f64,
            median: at(last / 2),
            greatest: at(last),
            empty: lengths.partition_point(|&length| length == 0),
        }
    }

    /// In words.
    pub fn in_words(&self, of: &str) -> String {
        let [least, median, greatest] = [self.least, self.median, self.greatest].map(|length| thousands(length as u64));
        if self.least == self.greatest {
            return format!("{least} each");
        }
        format!("{least} to {greatest}{of}, mean {}, median {median}", mean(self.mean))
    }
}

/// How many rows a person has on average, of a kind whose persons have several: whoever took the wrong column for them sees it here.
fn each_has(card: &KindCard, persons: u64, rows: u64) -> Option<String> {
    let is_several = card.has_several_rows && persons > 0;
    is_several.then(|| format!("{} a {}", mean(rows as f64 / persons as f64), card.person[0]))
}

/// The line of a witness, and of several files the one that it is in.
pub(crate) fn line_of(witness: &Value) -> Option<String> {
    let line = witness["line"].as_u64()?;
    Some(match witness["file"].as_str() {
        Some(file) => format!("line {line} of {file}"),
        None => format!("line {line}"),
    })
}

/// The witness of a check, by whatever may be said of them.
pub(crate) fn who(witness: &Value, what: &str) -> String {
    match (witness["pseudonym"].as_str(), witness["person"].as_str(), line_of(witness)) {
        (Some(pseudonym), ..) => format!("the {what} with pseudonym {pseudonym}"),
        (None, Some(person), None) => format!("the {what} {person}"),
        (None, Some(person), Some(line)) => format!("the {what} {person}, first in {line}"),
        (None, None, None) => format!("a {what}"),
        (None, None, Some(line)) if what == "person" => format!("the person who first appears in {line}"),
        (None, None, Some(line)) => format!("the {what} that first appears in {line}"),
    }
}

/// A witness whom too few share a record with.
pub(crate) fn alone(witness: &Value, what: &str) -> String {
    let others = match witness["group_size"].as_u64().unwrap_or_default() {
        0 | 1 if what != "person" => format!("has a record that no other {what} has"),
        0 | 1 => "has a record that nobody else has".to_owned(),
        2 => "shares a record with one other only".to_owned(),
        size => format!("shares a record with {} others only", size - 1),
    };
    format!("{} {others}", who(witness, what))
}

fn list(map: &Map<String, Value>) -> String {
    worth_saying(map).map(|(name, found)| format!("{name} = {}", value(found))).collect::<Vec<_>>().join(", ")
}

/// The parameters of a claim that are worth a word: how accounts of one person count is said only where it is not the usual way.
pub(crate) fn worth_saying(parameters: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    parameters.iter().filter(|&(name, value)| name != ACCOUNTS.name || value != ACCOUNTS.default)
}

impl CheckOutcome {
    /// What was found, in words.
    pub fn words(&self) -> Vec<Line> {
        let vouches = self.vouches();
        if self.kind.is_empty() {
            return vouches;
        }
        let card = kinds::card_of(self.kind);
        let who = match self.person_column.as_str() {
            "" => card.without_ids.to_owned(),
            column if column.contains(" and ") => format!("columns {column}"),
            column => format!("column {column}"),
        };
        let mut lines = vec![
            Line::new(card.person[1], format!("{} ({who})", thousands(self.persons as u64))),
            Line::new(
                card.row[1],
                match each_has(card, self.persons as u64, self.rows) {
                    Some(each) => format!("{} ({each})", thousands(self.rows)),
                    None => thousands(self.rows),
                },
            ),
        ];
        if self.hash_matches == Some(true) {
            lines.push(Line::new("hash", "the data are those of the certificate"));
        }
        let fails = |line: Line| Line::new(line.label, format!("FAILS: {}", line.text));
        lines.extend(self.unvouched().into_iter().map(fails));
        lines.extend(vouches);
        lines.extend(self.policy.iter().map(policy_line));
        lines.extend(self.claims.iter().flat_map(ClaimOutcome::words));
        if let [parts @ .., last] = self.on_trust.as_slice() {
            lines.push(Line::new(
                "on trust",
                format!(
                    "{} and {last} are the word of whoever wrote the certificate: the release alone does not show them",
                    parts.join(", ")
                ),
            ));
        }
        if self.on_trust.contains(&"report") && self.signature.is_none() {
            lines.push(Line::new(
                "unsigned",
                "the report's numbers are on trust (`--trusted FILE` says whose signature counts)",
            ));
        }
        if self.verdict == NOTHING_CLAIMED {
            lines.push(Line::new("claims", "none: this release promises nothing, so nothing was found to hold"));
        }
        lines
    }

    /// What a signature and a ledger say.
    fn vouches(&self) -> Vec<Line> {
        let signature = self.signature.iter().map(|found| ("signature", found.verdict, &found.says));
        let ledger = self.ledger.iter().map(|found| ("ledger", found.verdict, &found.says));
        let line = |(label, verdict, says): (&str, &str, &String)| {
            Line::new(label, if verdict == "fails" { format!("FAILS: {says}") } else { says.clone() })
        };
        signature.chain(ledger).map(line).collect()
    }

    /// What fails beside the claims: whatever was not compared, and data that are not those of the certificate.
    pub(crate) fn unvouched(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        if self.hash_matches == Some(false) {
            lines.push(Line::new("hash", "the data are not those of the certificate"));
        }
        if !self.other_files.is_empty() {
            let files = counted(self.other_files.len() as u64, "other file", "other files");
            lines.push(Line::new("folder", format!("{files} in the release folder: {}", self.other_files.join(", "))));
        }
        if self.rows_refused > 0 {
            let refused = counted(self.rows_refused, "malformed line", "malformed lines");
            lines.push(Line::new("unread", format!("nothing can be said of {refused}")));
        }
        if self.columns_not_read > 0 {
            let columns = counted(self.columns_not_read as u64, "other column", "other columns");
            lines.push(Line::new("unread", format!("nothing can be said of what is in {columns}")));
        }
        lines.extend(self.not_compared.iter().map(|what| Line::new("unread", format!("not compared: {what}"))));
        lines
    }
}

/// What a policy says, in a line: how many rules hold, and the others by name.
fn policy_line(policy: &Judgement) -> Line {
    let others: Vec<&Judged> = policy.rules.iter().filter(|rule| rule.verdict != Verdict::Holds).collect();
    if others.is_empty() {
        return Line::new("policy", counted(policy.rules.len() as u64, "rule of it holds", "rules of it hold"));
    }
    let says: Vec<String> = others.into_iter().map(Judged::says).collect();
    Line::new("policy", format!("FAILS: {}", says.join("; ")))
}

impl PolicyOutcome {
    /// Every rule and its verdict, one a line.
    pub fn words(&self) -> Vec<Line> {
        let line = |rule: &RuleOutcome| {
            let records = match rule.records {
                0 => String::new(),
                records => format!(" in {}", counted(records, "record", "records")),
            };
            let why = rule.why.as_ref().map_or(String::new(), |why| format!(": {why}"));
            let verdict = match rule.verdict {
                Some(Verdict::Breaks) => "BREAKS",
                Some(verdict) => verdict.name(),
                None => "understood",
            };
            Line::new(format!("line {}", rule.line), format!("`{}` {verdict}{records}{why}", rule.name))
        };
        self.rules.iter().map(line).collect()
    }
}

impl ClaimOutcome {
    /// The model with its parameters.
    pub(crate) fn name(&self) -> String {
        format!("{}({})", self.model, list(&self.parameters))
    }

    /// What was found, in words.
    fn words(&self) -> Vec<Line> {
        let needs = self.needs.unwrap_or_default();
        let missing = || match needs {
            "key" => "not checked: needs the original and the key (--original FILE --key FILE)".to_owned(),
            _ => format!("not checked: needs the {needs} (--{needs} FILE)"),
        };
        let found = self.found().unwrap_or_else(missing);
        let witness = self.witness_in_words.iter().map(Line::more);
        std::iter::once(Line::new(self.name(), format!(" {found}"))).chain(witness).collect()
    }

    /// Whether it holds, and what was achieved; nothing if it was not checked.
    pub(crate) fn found(&self) -> Option<String> {
        // Where it holds, a number that is lower than was asked for is all that there is: no basket has more items.
        let is_worth = |name: &str, value: &Value| {
            self.verdict != "holds"
                || name == "k"
                || value.as_u64() >= self.parameters.get(name).and_then(Value::as_u64)
        };
        let mut worth = self.achieved.clone();
        worth.retain(|name, value| is_worth(name, value));
        let achieved = if worth.is_empty() { String::new() } else { format!(", achieved {}", list(&worth)) };
        match self.verdict {
            "holds" => Some(format!("holds{achieved}")),
            "unchecked" => None,
            _ => Some(format!("FAILS{achieved}")),
        }
    }
}

impl ProtectOutcome {
    /// What was published, in words.
    pub fn words(&self, out: &str) -> Vec<Line> {
        let certificate = &self.certificate;
        let (input, output) = (&certificate.input, &certificate.output);
        let card = kinds::card_of(output.kind.as_ref().unwrap_or(&input.kind));
        let accounts = &certificate.accounting;
        let parameters = certificate.method.parameters.iter().map(|(name, value)| format!(", {name} = {value}"));
        // Where rows have no ids, each looks like another person, and there may be more of them than persons.
        let persons = match certificate.ids.as_str() {
            "none" if output.persons > input.persons => {
                let dropped = accounts.get(PERSONS_DROPPED).unwrap_or_default();
                let left = thousands(input.persons.saturating_sub(dropped));
                format!("{left} of {}, whose rows nothing links", thousands(input.persons))
            }
            _ => {
                let left_out = [PERSONS_DROPPED, PERSONS_HELD_OUT, PERSONS_NOT_SAMPLED].map(|own| accounts.get(own));
                let stayed = input.persons.saturating_sub(left_out.into_iter().flatten().sum());
                // Somebody may have several ids, and several may have one.
                let ids = match (stayed == output.persons, certificate.ids.as_str()) {
                    (true, _) => String::new(),
                    (false, "masked") => format!(", under {}", counted(output.persons, "address", "addresses")),
                    (false, _) => format!(", under {}", counted(output.persons, "pseudonym", "pseudonyms")),
                };
                format!("{} of {}{ids}", thousands(stayed), thousands(input.persons))
            }
        };
        let mut lines = vec![
            Line::new("published", format!("{out}/{}", output.file)),
            Line::new("method", format!("{}{}", certificate.method.name, parameters.collect::<String>())),
            Line::new(card.person[1], persons),
        ];
        let rows = thousands(output.rows);
        lines.push(Line::new(
            card.row[1],
            match accounts.get(OCCURRENCES_SUPPRESSED) {
                Some(suppressed) => format!("{rows} ({} suppressed)", counted(suppressed, "was", "were")),
                None => {
                    let each =
                        each_has(card, input.persons, input.rows).map_or(String::new(), |each| format!(", {each}"));
                    format!("{rows} (the original has {}{each})", thousands(input.rows))
                }
            },
        ));
        if let Some(groups) = accounts.get(GROUPS_EMPTY) {
            let dropped = counted(accounts.get(ROWS_DROPPED).unwrap_or_default(), "row", "rows");
            let groups = counted(groups, "group", "groups");
            lines.push(Line::new(
                "left out",
                format!("{dropped} without a word that enough persons share; {groups} left empty"),
            ));
        }
        lines.extend(click_words(certificate));
        lines.extend(taxonomy_words(certificate, card));
        if let Some(without @ 1..) = accounts.get(PERSONS_WITHOUT_CONCEPT) {
            let text = format!("none were found for {} of the {}", thousands(without), card.person[1]);
            lines.push(Line::new("concepts", text));
        }
        for claim in &certificate.claims {
            let asked = list(&claim.parameters);
            let achieved = if list(&claim.achieved) == asked {
                String::new()
            } else {
                format!(", achieved {}", list(&claim.achieved))
            };
            lines
                .push(Line::new("checked", format!("{}({asked}) holds on the published bytes{achieved}", claim.model)));
        }
        lines.extend(self.policy.iter().map(policy_line));
        if let Some(promise) = &certificate.promise {
            lines.push(Line::new("promises", format!("nothing. {promise}")));
        }
        // Of several sorts the one that finds most; of equals the first.
        let worst = self.singled_out.iter().rev().max_by(|left, right| left.alone[0].total_cmp(&right.alone[0]));
        lines.extend(worst.map(|worst| {
            let is_first = worst.sort.names == card.fact;
            let means = if is_first { String::new() } else { format!(" ({})", worst.sort.means) };
            let share = percent(worst.alone[0]);
            Line::new(
                "before",
                format!("one known {}{means} singled out {share} of the {}", worst.sort.names[0], card.person[1]),
            )
        }));
        let attack = most_telling(&self.attacks, |Attacked { outcome, .. }| {
            let first = [outcome.is_above(), outcome.bound.is_some(), !outcome.knowledge["p"].is_null()];
            (first, outcome.rate.unwrap_or_default())
        });
        lines.extend(attack.and_then(Attacked::in_words).map(|said| Line::new("attack", said)));
        lines
    }
}

impl DryRun {
    /// What would be done, in words.
    pub fn words(&self) -> Vec<Line> {
        let card = kinds::card_of(self.kind);
        let columns: Vec<String> = self.columns.iter().map(|(role, name)| format!("{role} = {name}")).collect();
        let parameters = self.method.parameters.iter().map(|(name, value)| format!(", {name} = {value}"));
        let drawn = self.sampled.map(|drawn| format!(", of whom {} are drawn", thousands(drawn))).unwrap_or_default();
        let mut lines = vec![
            Line::new("dry run", "nothing was written"),
            Line::new("would make", self.release.as_str()),
            Line::new("kind", format!("{} ({})", self.kind, self.format)),
        ];
        if !columns.is_empty() {
            lines.push(Line::new("columns", columns.join(", ")));
        }
        lines.extend([
            Line::new(card.person[1], thousands(self.persons) + &drawn),
            Line::new(card.row[1], thousands(self.rows)),
            Line::new(format!("per {}", card.person[0]), self.rows_per_person.in_words(&format!(" {}", card.row[1]))),
            Line::new("method", format!("{}{}", self.method.name, parameters.collect::<String>())),
        ]);
        for claim in &self.claims {
            lines.push(Line::new("claims", format!("{}({})", claim.model, list(&claim.parameters))));
        }
        if self.claims.is_empty() {
            lines.push(Line::new("claims", "nothing: the method promises nothing"));
        }
        for rule in self.policy.iter().flatten() {
            lines.push(Line::new("policy", rule.says()));
        }
        let Expected { seconds, memory_bytes, judged_by_persons } = &self.expected;
        let sample = counted(*judged_by_persons, card.person[0], card.person[1]);
        lines.push(Line::new("time", format!("about {}, judged by {sample}", duration(*seconds))));
        lines.push(Line::new(
            "memory",
            match memory_bytes {
                Some(bytes) => format!("about {}", crate::memory::shown(*bytes as f64)),
                None => "not known before the data are read".to_owned(),
            },
        ));
        lines
    }
}

/// A span of time, in the unit that says most of it.
fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 1.0 => "a second".to_owned(),
        seconds if seconds < 90.0 => format!("{:.0} seconds", seconds.ceil()),
        seconds if seconds < 5400.0 => format!("{:.0} minutes", (seconds / 60.0).ceil()),
        seconds => format!("{:.1} hours", seconds / 3600.0),
    }
}

/// What became of clicks, where something was lost of them.
fn click_words(certificate: &Certificate) -> Option<Line> {
    let accounts = &certificate.accounting;
    // Methods that make no crowds do not look for what clicks have in common.
    let makes_crowds = certificate.claims.iter().any(|claim| claim.model.ends_with("-k-anonymity"));
    let why = if makes_crowds { ": no site that may be published is common to them" } else { "" };
    let lost = [(SITES_LOST, "site", "sites"), (RANKS_LOST, "rank", "ranks")];
    let lost = lost.into_iter().filter_map(|(account, one, many)| Some(counted(accounts.get(account)?, one, many)));
    let lost: Vec<String> = lost.collect();
    let is_lost = [SITES_LOST, RANKS_LOST].iter().any(|&account| accounts.get(account).is_some_and(|count| count > 0));
    is_lost.then(|| Line::new("clicks", format!("{} lost{why}", lost.join(" and "))))
}

/// The taxonomy, and what became of what it does not know.
fn taxonomy_words(certificate: &Certificate, card: &KindCard) -> Vec<Line> {
    let Some(taxonomy) = &certificate.taxonomy else { return Vec::new() };
    let mut lines = vec![Line::new("taxonomy", taxonomy.name.as_str())];
    let fate = match taxonomy.unknown {
        Unknown::Drop if taxonomy.by_phrase => {
            "without a meaning to it; they are published if enough persons have them"
        }
        Unknown::Drop => "left out",
        Unknown::Root => "generalised to the root",
        Unknown::OwnLeaf => "leaves of their own",
        Unknown::Error => "refused",
    };
    let count = |account| certificate.accounting.get(account).unwrap_or_default();
    if count(ITEMS_UNKNOWN) > 0 {
        let items = counted(count(ITEMS_UNKNOWN), card.unknown[0], card.unknown[1]);
        let occurrences = counted(count(OCCURRENCES_UNKNOWN), "occurrence", "occurrences");
        lines.push(Line::new("unknown", format!("{items} of {occurrences}: {fate}")));
    }
    lines
}

/// Measured numbers as a table.
pub fn measures(measures: &[Measured], skipped: &[Skipped]) -> String {
    let mut text = String::new();
    let names = measures.iter().map(|measure| measure.name).chain(skipped.iter().map(|skipped| skipped.name));
    let width = names.map(str::len).max().unwrap_or_default().max(24);
    let unit_width = measures.iter().map(|measure| measure.unit.len()).max().unwrap_or_default().max(6);
    for measure in measures {
        let (name, unit) = (measure.name, measure.unit);
        let Some(value) = measure.value.map(number) else {
            let reason = measure.reason.as_deref().unwrap_or("on these data");
            let _ = writeln!(text, "{name:width$} not defined: {reason}");
            continue;
        };
        let _ = writeln!(text, "{name:width$} {value:>9} {unit:unit_width$} {} is better", measure.better);
        if let Some(note) = measure.parts["note"].as_str() {
            let _ = writeln!(text, "{:width$} {note}", "");
        }
    }
    for skipped in skipped {
        let _ = writeln!(text, "{:width$} skipped: {}", skipped.name, skipped.reason);
    }
    text
}

/// How exposed people are, in words: by facts of the first sort, and by those of others that find more.
pub(crate) fn exposure(card: &KindCard, found: &[SingledOutBefore]) -> Vec<Line> {
    let Some((first, others)) = found.split_first() else { return Vec::new() };
    let head = format!("share of {} singled out by knowing this many of their {}:", card.person[1], card.fact[1]);
    let shares = (1..).zip(first.alone).map(|(known, share)| Line::more(format!("{known}: {}", percent(share))));
    let finds_more =
        |other: &&SingledOutBefore| other.alone.iter().zip(first.alone).any(|(other, first)| *other > first);
    let line = |other: &SingledOutBefore| {
        let shares: Vec<String> =
            (1..).zip(other.alone).map(|(known, share)| format!("{known}: {}", percent(share))).collect();
        Line::more(format!("more by {} ({}): {}", other.sort.names[1], other.sort.means, shares.join(", ")))
    };
    let more = others.iter().filter(finds_more).map(line);
    std::iter::once(Line::new("exposure", head)).chain(shares).chain(more).collect()
}

/// How much is understood, in words.
pub(crate) fn concepts(card: &KindCard, found: &ConceptsFound) -> Vec<Line> {
    let ConceptsFound { taxonomy, coverage } = found;
    let what = card.fact[1];
    let part =
        |known: &Known| format!("{} of {} ({})", thousands(known.known), thousands(known.all), percent(known.share));
    let ways = &coverage.found;
    let mut lines = vec![
        Line::new("concepts", format!("of {taxonomy}: {} different", thousands(coverage.different_concepts))),
        Line::more(format!("{} with a concept, each different one counted once", part(&coverage.strings))),
        Line::more(format!("{} with a concept, as often as they occur", part(&coverage.lines))),
        Line::more(format!("{} persons with a concept", part(&coverage.persons))),
        Line::new(
            "phrases",
            format!(
                "{} known: {} exact, {} shortened, {} by spelling, {} by site",
                part(&coverage.phrases),
                thousands(ways.exact),
                thousands(ways.shortened),
                thousands(ways.spelling),
                thousands(ways.site)
            ),
        ),
        Line::more(format!(
            "{} of {} unknown",
            counted(ways.unknown, "occurrence", "occurrences"),
            counted(coverage.phrases_unknown, "different phrase", "different phrases")
        )),
    ];
    let k = coverage.k;
    if coverage.samples.is_empty() {
        lines.push(Line::new("samples", format!("none: no {what} are shared by {k} persons")));
        return lines;
    }
    lines.push(Line::new("samples", format!("the most frequent {what} of at least {k} persons:")));
    for sample in &coverage.samples {
        let meaning = |phrase: &SamplePhrase| match (&phrase.concept, phrase.path.as_slice()) {
            (Some(concept), [.., above, _]) => format!("{} = {concept} < {above}", phrase.term),
            (Some(concept), _) => format!("{} = {concept}", phrase.term),
            (None, _) => format!("{} = ?", phrase.term),
        };
        let phrases: Vec<String> = sample.phrases.iter().map(meaning).collect();
        let phrases = if phrases.is_empty() { "-".to_owned() } else { phrases.join("; ") };
        let persons = counted(sample.persons, "person", "persons");
        lines.push(Line::more(format!("{} ({persons}): {phrases}", sample.text)));
    }
    lines
}

impl DistanceOutcome {
    /// The distance and its parts, in words.
    pub fn words(&self) -> String {
        let mut text = String::new();
        let parts = &self.parts;
        let _ = writeln!(text, "user distance    {}   = (activity + lines) / 2", number(self.distance));
        let _ = writeln!(text, "  activity       {}   difference in the number of lines", number(parts.activity));
        let _ = writeln!(text, "  lines          {}   Hausdorff distance over the lines", number(parts.lines));
        let Some(line) = &parts.deciding else {
            text.push_str("  both have the same lines\n");
            return text;
        };
        let whose = if line.from_first { "first" } else { "second" };
        let _ = writeln!(text, "  decided by a line of the {whose} person and its nearest at the other:");
        let _ = writeln!(text, "    time         {}", number(line.time));
        let _ = writeln!(text, "    rank         {}", number(line.rank));
        let _ = writeln!(text, "    url          {}", number(line.url));
        let _ = writeln!(text, "    query        {}   counts three times", number(line.query));
        let _ = writeln!(text, "      terms      {}   difference in the number of words", number(line.terms));
        let _ = writeln!(text, "      words      {}   Hausdorff distance over the words", number(line.words));
        text
    }
}
