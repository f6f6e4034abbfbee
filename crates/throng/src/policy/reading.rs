//! Reading a policy: TOML with the place of every word, so that an error says line, column and the nearest word.
//!
//! Everything is known or an error: keys, kinds, models, attacks, ways. Concepts are looked up later, when the taxonomy is at hand; fields may
//! be columns of anybody's file, so only one that looks like a slip of the pen is refused.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use throng_core::error::nearest;
use throng_core::finders::FINDERS;
use throng_core::models::content_threshold::ACCOUNTS;
use throng_core::{Error, Parameter, ParameterKind, Result};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{After, Atom, FORMAT, Place, Rule, Then, What, Within, matching, other_names, plain};
use crate::catalog::{self, NATURAL_MODEL, Role};
use crate::drop_list;
use crate::kinds::{ATTRIBUTES, AnyKind, KINDS};
use crate::ledger;
use crate::placed_toml::{Item, Reader};

/// The keys of a policy.
const KEYS: [&str; 4] = ["format", "rule", "minimum", "ledger"];
/// The keys of a rule.
const RULE_KEYS: [&str; 8] = ["name", "kind", "never", "mentions", "then", "together", "within", "after"];
/// What `[minimum]` has beside kinds.
const MINIMUM_KEYS: [&str; 3] = ["attacks", "randomness", "signed"];
/// The longest name of a rule, in characters.
const LONGEST_NAME: usize = 200;

/// The rules of a policy, and what its custodian should know of it.
pub(super) fn rules(text: &str) -> Result<(Vec<Rule>, Vec<String>)> {
    let reader = Reader { text };
    let root = DeTable::parse(text).map_err(|error| {
        let problem = Error::data(format!("the policy is no TOML: {}", error.message()));
        reader.at(error.span().unwrap_or(0..0), problem.with_hint("a line is `key = value`, and text stands in quotes"))
    })?;
    let root = root.get_ref();
    reader.known_keys(root, "key of a policy", &KEYS)?;
    let mut notes = Vec::new();
    match root.get("format") {
        Some(format) if reader.whole(format, "format")? != FORMAT => {
            return Err(reader.wrong(format, format!("the policy has another form than this throng reads: {FORMAT}")));
        }
        Some(_) => {}
        None => notes.push(format!("the policy does not say its form: it is taken as `format = {FORMAT}`")),
    }
    let mut rules = Vec::new();
    if let Some(list) = root.get("rule") {
        for item in reader.list(list, "rule")? {
            rules.push(reader.rule(item)?);
        }
    }
    if let Some(minimum) = root.get("minimum") {
        rules.extend(reader.minimums(reader.table(minimum, "minimum")?)?);
    }
    if let Some(ledger) = root.get("ledger") {
        rules.extend(reader.ledger(reader.table(ledger, "ledger")?)?);
    }
    if rules.is_empty() {
        notes.push("the policy has no rule: it allows everything".to_owned());
    }
    refuse_same_names(&rules)?;
    refuse_contradictions(&rules)?;
    notes.extend(unknown_fields(&rules));
    Ok((rules, notes))
}

impl<'a> Reader<'a> {
    fn named(&self, what: &Item<'_>, atom: Atom) -> Place {
        let (line, column) = self.place(what.span().start);
        Place { atom, line, column }
    }

    /// A list with something in it.
    fn some<'b>(&self, item: &'b Item<'a>, name: &str) -> Result<&'b [Item<'a>]> {
        let list = self.list(item, name)?;
        if list.is_empty() {
            return Err(self
                .wrong(item, format!("`{name}` is empty, so the rule says nothing"))
                .with_hint("name what it is about, or leave the rule out"));
        }
        Ok(list)
    }

    fn kind(&self, item: &Item<'_>) -> Result<&'static str> {
        let name = self.word(item, "kind")?;
        let found = crate::kinds::named(name).map_err(|error| self.at(item.span(), error))?;
        Ok(found.card().name)
    }

    /// A rule of the list.
    fn rule(&self, item: &Item<'a>) -> Result<Rule> {
        let table = self.table(item, "rule")?;
        self.known_keys(table, "key of a rule", &RULE_KEYS)?;
        let Some(name) = table.get("name") else {
            return Err(self
                .wrong(item, "the rule has no name")
                .with_hint("every rule has one: `name = \"no addresses\"`"));
        };
        let (line, _) = self.place(item.span().start);
        let text = self.word(name, "name")?;
        if text.chars().any(char::is_control) || text.chars().count() > LONGEST_NAME {
            return Err(self
                .wrong(name, format!("the name of a rule has control characters, or more than {LONGEST_NAME}"))
                .with_hint("certificates name the rules: one short line"));
        }
        let kind = table.get("kind").map(|kind| self.kind(kind)).transpose()?;
        let what = match (table.get("mentions"), table.get("together"), table.get("never")) {
            (Some(mentions), None, None) => {
                self.only(table, &["mentions", "then"])?;
                let then = table.get("then").map(|then| self.one_of(then, "then", &Then::ALL)).transpose()?;
                What::Mentions { any: self.mentions(mentions)?, then: then.unwrap_or(Then::Refuse) }
            }
            (None, Some(together), None) => {
                self.only(table, &["together", "within"])?;
                let within =
                    table.get("within").map(|within| self.one_of(within, "within", &Within::ALL)).transpose()?;
                What::Together { all: self.together(together)?, within: within.unwrap_or(Within::Record) }
            }
            (None, None, Some(never)) => {
                self.only(table, &["never", "after"])?;
                let field = |item: &Item<'a>| self.field(item, "never");
                let fields = self.some(never, "never")?.iter().map(field).collect::<Result<_>>()?;
                What::Never { fields, after: table.get("after").map(|after| self.after(after)).transpose()? }
            }
            (None, None, None) => {
                return Err(self
                    .wrong(item, "the rule says nothing")
                    .with_hint("it needs `never`, `mentions`, `together`, or `after` with `never`"));
            }
            _ => {
                return Err(self
                    .wrong(item, "the rule says several things at once")
                    .with_hint("`never`, `mentions` and `together` are a rule each"));
            }
        };
        Ok(Rule { name: text.to_owned(), line, kind, what })
    }

    /// Refuses keys that mean nothing in a rule of this sort.
    fn only(&self, table: &DeTable<'_>, own: &[&str]) -> Result<()> {
        let idle = |key: &&Spanned<_>| {
            let key: &std::borrow::Cow<'_, str> = key.get_ref();
            !["name", "kind"].contains(&key.as_ref()) && !own.contains(&key.as_ref())
        };
        match table.keys().find(idle) {
            None => Ok(()),
            Some(key) => Err(self
                .wrong(key, format!("`{}` means nothing beside `{}`", key.get_ref(), own[0]))
                .with_hint("`then` belongs to `mentions`, `within` to `together`, `after` to `never`")),
        }
    }

    fn mentions(&self, item: &Item<'a>) -> Result<Vec<Place>> {
        let table = self.table(item, "mentions")?;
        self.known_keys(table, "key of `mentions`", &["concepts", "words", "paths"])?;
        let mut any = Vec::new();
        for (key, make) in [("concepts", "concept"), ("words", "word"), ("paths", "path")] {
            let Some(list) = table.get(key) else { continue };
            for item in self.some(list, key)? {
                any.push(self.atom(item, make)?);
            }
        }
        if any.is_empty() {
            return Err(self
                .wrong(item, "`mentions` names nothing")
                .with_hint("`concepts`, `words` and `paths` are lists: `words = [\"hospice\"]`"));
        }
        Ok(any)
    }

    fn together(&self, item: &Item<'a>) -> Result<Vec<Place>> {
        let mut all = Vec::new();
        for part in self.list(item, "together")? {
            let table = self.table(part, "together")?;
            self.known_keys(table, "key of `together`", &["concept", "word", "path", "field"])?;
            let mut keys = table.iter();
            let (Some((sort, named)), None) = (keys.next(), keys.next()) else {
                return Err(self
                    .wrong(part, "a part of `together` names one thing")
                    .with_hint("`{ concept = \"disease.n.01\" }`, or a `word`, a `path` or a `field`"));
            };
            let place = self.atom(named, sort.get_ref())?;
            if !all.iter().any(|other: &Place| other.atom == place.atom) {
                all.push(place);
            }
        }
        if all.len() < 2 {
            return Err(self
                .wrong(item, "`together` needs two different things at least")
                .with_hint("what may not be said at all is a rule with `mentions`"));
        }
        Ok(all)
    }

    fn after(&self, item: &Item<'a>) -> Result<After> {
        let table = self.table(item, "after")?;
        self.known_keys(table, "key of `after`", &["dataset", "field"])?;
        let (Some(dataset), Some(field)) = (table.get("dataset"), table.get("field")) else {
            return Err(self
                .wrong(item, "`after` needs a data set and a field")
                .with_hint("`after = { dataset = \"shop-2026\", field = \"url\" }`"));
        };
        let name = self.word(dataset, "dataset")?;
        ledger::check_dataset(name).map_err(|error| self.at(dataset.span(), error))?;
        Ok(After { dataset: name.to_owned(), field: self.field(field, "field")? })
    }

    /// Something that texts are searched for, or a field.
    fn atom(&self, item: &Item<'_>, sort: &str) -> Result<Place> {
        let name = self.word(item, sort)?.to_owned();
        let wrong = |error: Error| self.at(item.span(), error);
        let atom = match sort {
            "concept" => Atom::Concept(name),
            "word" => {
                drop_list::What::parse(&name).map_err(wrong)?;
                Atom::Word(name)
            }
            "path" => {
                matching::check_path(&name).map_err(wrong)?;
                Atom::Path(name)
            }
            _ => return self.field(item, sort),
        };
        Ok(self.named(item, atom))
    }

    /// A field. One that nobody knows may be a column of somebody's file, unless it looks like a slip of the pen.
    fn field(&self, item: &Item<'_>, what: &str) -> Result<Place> {
        let name = self.word(item, what)?;
        let known = known_fields();
        let own = plain(name);
        if own.is_empty() {
            return Err(self.wrong(item, "the field has no letter in its name"));
        }
        let is_near =
            |edits: usize, other: &str| edits > 0 && edits <= if own.len().min(other.len()) < 5 { 1 } else { 2 };
        if !known.iter().any(|other| plain(other) == own)
            && let Some((edits, other)) = nearest(&own, known.iter().copied().filter(|name| name.len() > 2))
            && is_near(edits, other)
        {
            return Err(self.at(item.span(), Error::unknown("field", name, [other])));
        }
        Ok(self.named(item, Atom::Field(name.to_owned())))
    }

    /// `[minimum]`.
    fn minimums(&self, table: &DeTable<'a>) -> Result<Vec<Rule>> {
        let known: Vec<&str> = KINDS.iter().map(|kind| kind.card().name).chain(MINIMUM_KEYS).collect();
        self.known_keys(table, "kind of data or minimum", &known)?;
        let mut rules = Vec::new();
        for (key, item) in in_order(table) {
            let (line, _) = self.place(key.span().start);
            let minimum = |name: String, what: What| Rule { name: format!("minimum {name}"), line, kind: None, what };
            match key.get_ref().as_ref() {
                "attacks" => rules.extend(self.attacks(self.table(item, "attacks")?)?),
                "randomness" => {
                    self.one_of(item, "randomness", &[("secure", ())])?;
                    rules.push(minimum("randomness".to_owned(), What::Randomness));
                }
                "signed" => {
                    let Some(is_asked) = item.get_ref().as_bool() else {
                        return Err(self.wrong(item, "`signed` must be true or false"));
                    };
                    rules.extend(is_asked.then(|| minimum("signed".to_owned(), What::Signed)));
                }
                name => {
                    let kind = crate::kinds::named(name).map_err(|error| self.at(key.span(), error))?;
                    rules.extend(self.models(kind, self.table(item, name)?)?);
                }
            }
        }
        Ok(rules)
    }

    /// The models of a kind, each with the least that it must reach.
    fn models(&self, kind: &dyn AnyKind, table: &DeTable<'a>) -> Result<Vec<Rule>> {
        let card = kind.card();
        let models: Vec<_> = kind.listed().into_iter().filter(|listed| listed.role == Role::Model).collect();
        let names: Vec<&str> = models.iter().map(|model| model.info.name).chain([NATURAL_MODEL]).collect();
        self.known_keys(table, &format!("model of {}", card.name), &names)?;
        let mut rules = Vec::new();
        for (key, item) in in_order(table) {
            let name = key.get_ref().as_ref();
            let found = models.iter().find(|model| model.info.name == name || name == NATURAL_MODEL);
            let Some(model) = found else { return Err(self.wrong(key, "there is no such model")) };
            let is_number = |known: &&Parameter| {
                matches!(known.kind, ParameterKind::Count | ParameterKind::Share | ParameterKind::Weight)
            };
            // Which accounts are one person's is not for a policy to say.
            let known = model.info.parameters.iter().filter(|known| known.name != ACCOUNTS.name);
            let parameters: Map<String, Value> = match item.get_ref() {
                DeValue::Table(given) => {
                    let names: Vec<&str> = known.clone().map(|known| known.name).collect();
                    self.known_keys(given, &format!("parameter of {}", model.info.name), &names)?;
                    let value = |(key, item): (&Spanned<_>, &Item<'_>)| {
                        let key: &std::borrow::Cow<'_, str> = key.get_ref();
                        let is_it = known.clone().find(|known| known.name == key.as_ref());
                        let value = match is_it.map(|known| known.kind) {
                            Some(ParameterKind::Switch) => self.flag(item, key)?.into(),
                            Some(ParameterKind::Choice(_) | ParameterKind::Text | ParameterKind::Duration) => {
                                self.word(item, key)?.into()
                            }
                            _ => self.number(item, key)?,
                        };
                        Ok((key.to_string(), value))
                    };
                    given.iter().map(value).collect::<Result<_>>()?
                }
                _ => {
                    let numbers: Vec<&Parameter> = known.clone().filter(is_number).collect();
                    let Some(first) = numbers.first() else { return Err(self.wrong(key, "the model has no number")) };
                    if numbers.iter().any(|other| other.name == "max") {
                        let names: Vec<String> = numbers.iter().map(|number| format!("{} = …", number.name)).collect();
                        return Err(self
                            .wrong(item, "the model has several numbers, and it is not said which this is")
                            .with_hint(format!("name them: `{name} = {{ {} }}`", names.join(", "))));
                    }
                    Map::from_iter([(first.name.to_owned(), self.number(item, name)?)])
                }
            };
            let as_typed = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let typed: Vec<(String, String)> =
                parameters.iter().map(|(name, value)| (name.clone(), as_typed(value))).collect();
            let checked = kind.check_parameters(Role::Model, model.info.name, &typed);
            checked.map_err(|error| self.at(item.span(), error))?;
            let (line, _) = self.place(key.span().start);
            rules.push(Rule {
                name: format!("minimum {} {}", card.name, model.info.name),
                line,
                kind: Some(card.name),
                what: What::Model { model: model.info.name, parameters },
            });
        }
        Ok(rules)
    }

    /// Attacks, each with the most that it may achieve.
    fn attacks(&self, table: &DeTable<'a>) -> Result<Vec<Rule>> {
        let names: Vec<&'static str> = catalog::items_of(Role::Attack).iter().map(|item| item.info().name).collect();
        let mut rules = Vec::new();
        for (key, item) in in_order(table) {
            let name = key.get_ref().as_ref();
            let part_of =
                |attack: &&&'static str| name.strip_prefix(**attack).is_some_and(|rest| rest.starts_with('-'));
            let whole = names.iter().find(|attack| **attack == name);
            let found = whole.or_else(|| names.iter().filter(part_of).max_by_key(|attack| attack.len()));
            let Some(&attack) = found else {
                return Err(self.at(key.span(), Error::unknown("attack", name, names.iter().copied())));
            };
            let part = name.strip_prefix(attack).and_then(|rest| rest.strip_prefix('-')).map(str::to_owned);
            let most = self.number(item, name)?.as_f64().unwrap_or_default();
            if part.is_none() && most > 1.0 {
                return Err(self.wrong(item, "the rate of an attack is a share, from 0 to 1"));
            }
            let (line, _) = self.place(key.span().start);
            rules.push(Rule {
                name: format!("minimum attacks {name}"),
                line,
                kind: None,
                what: What::Attack { attack, part, most },
            });
        }
        Ok(rules)
    }

    /// `[ledger]`.
    fn ledger(&self, table: &DeTable<'a>) -> Result<Option<Rule>> {
        self.known_keys(table, "key of `ledger`", &["same_people"])?;
        let Some((key, item)) = table.get_key_value("same_people") else { return Ok(None) };
        let is_refused = self.one_of(item, "same_people", &[("refuse", true), ("warn", false)])?;
        let (line, _) = self.place(key.span().start);
        let rule = Rule { name: "ledger same_people".to_owned(), line, kind: None, what: What::SamePeople };
        Ok(is_refused.then_some(rule))
    }
}

/// The entries of a table as they stand in the file.
fn in_order<'b, 'i>(table: &'b DeTable<'i>) -> Vec<(&'b Spanned<toml::de::DeString<'i>>, &'b Item<'i>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// Every name of a field that somebody may mean: roles of all kinds with what their columns are called, what finders find, what tables
/// of people usually have, and whole kinds.
fn known_fields() -> Vec<&'static str> {
    let cards = || KINDS.iter().flat_map(|kind| kind.recognition().roles.cards);
    let roles = cards().flat_map(|card| [Some(card.name), card.other_name]).flatten();
    let columns = cards().flat_map(|card| card.known_names.iter().copied());
    let finders = FINDERS.iter().map(|finder| finder.info.name);
    let kinds = KINDS.iter().map(|kind| kind.card().name);
    roles.chain(columns).chain(finders).chain(other_names()).chain(ATTRIBUTES.iter().copied()).chain(kinds).collect()
}

/// Fields that are looked for among the names of columns only.
fn unknown_fields(rules: &[Rule]) -> Vec<String> {
    let known: Vec<String> = known_fields().iter().map(|name| plain(name)).collect();
    let mut unknown: BTreeMap<&str, u64> = BTreeMap::new();
    for place in rules.iter().flat_map(Rule::named) {
        if let Atom::Field(name) = &place.atom
            && !known.contains(&plain(name))
        {
            unknown.entry(name).or_insert(place.line);
        }
    }
    let note = |(name, line): (&str, u64)| {
        format!(
            "line {line} of the policy: no kind of data has a field `{name}`; only a column of that name is meant by it"
        )
    };
    unknown.into_iter().map(note).collect()
}

fn refuse_same_names(rules: &[Rule]) -> Result<()> {
    let mut first: BTreeMap<&str, u64> = BTreeMap::new();
    for rule in rules {
        if let Some(line) = first.insert(&rule.name, rule.line) {
            return Err(Error::data(format!("two rules are called `{}`: the other one is in line {line}", rule.name))
                .at_line(rule.line)
                .with_hint("verdicts are given by name: give each rule its own"));
        }
    }
    Ok(())
}

/// Refuses a policy that asks for a least of what it forbids: no release of that kind could ever be allowed.
fn refuse_contradictions(rules: &[Rule]) -> Result<()> {
    for rule in rules {
        let What::Never { fields, after: None } = &rule.what else { continue };
        for field in fields {
            let own = plain(field.atom.name());
            let is_met = |minimum: &&Rule| {
                let (What::Model { .. }, Some(kind)) = (&minimum.what, minimum.kind) else { return false };
                rule.kind.is_none_or(|only| only == kind) && always_has(kind, &own)
            };
            if let Some(minimum) = rules.iter().find(is_met) {
                return Err(Error::data(format!(
                    "the policy contradicts itself: the rule `{}` forbids the field `{}`, which every release has that `{}` (line {}) \
                     asks something of",
                    rule.name,
                    field.atom.name(),
                    minimum.name,
                    minimum.line
                ))
                .at_line(field.line)
                .in_column(field.column.to_string())
                .with_hint("no release of that kind could be allowed: name its kind in the rule (`kind = …`), or leave one of them out"));
            }
        }
    }
    Ok(())
}

/// Whether every release of a kind has a field, by its plain name.
fn always_has(kind: &str, field: &str) -> bool {
    let Ok(kind) = crate::kinds::named(kind) else { return false };
    let card = kind.card();
    let is_it = |name: &str| plain(name) == field;
    // Where a person has one row the file may do without ids.
    let may_be_missing = |name: &str| name == "person" && !card.has_several_rows;
    let roles = kind.recognition().roles.cards.iter().filter(|role| role.required && !may_be_missing(role.name));
    !card.release_has_own_columns
        && roles.into_iter().any(|role| is_it(role.name) || role.other_name.is_some_and(is_it))
        || is_it(card.name)
}
