//! Reviewing rules: the operators of the paper, by which a person makes few of many.
//!
//! # Idea
//! `--template "a=*, b=x -> label=*"` keeps rules that have all named items on their sides; `*` stands for anything. `--redundant` drops a
//! rule whose shorter parent is at least as good: fewer items on the left, the same right side, no less confidence; of an ordered list a rule
//! that an earlier and shorter one leaves nothing to. `--group J` numbers groups of rules: each goes to the first group whose first rule
//! covers the same records to a Jaccard coefficient of J and says the same, else it begins one.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::association_rules::{self, AssociationModel};
use super::classification_rules::{Condition, Rule, RulesModel, covered};
use super::items::{Bits, Items};
use super::{Learnt, Records};
use crate::error::{Error, Result};

/// What is kept, and how it is put together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Review {
    /// The Jaccard coefficient from which on rules are alike.
    pub group: Option<f64>,
    /// What the sides of a rule must have.
    pub template: Option<Template>,
    /// Whether rules go that a shorter one makes idle.
    pub redundant: bool,
}

/// What the sides of a rule must have: column and value, `*` for anything.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    left: Vec<(String, String)>,
    right: Vec<(String, String)>,
}

impl Template {
    /// Reads `a=*, b=x -> label=*`; a side may be `*`.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = || {
            Error::parameter("template", "is no pair of sides of the form `a=*, b=x -> c=*`")
                .with_hint("for example `* -> label=*`: rules that imply any label")
        };
        let side = |text: &str| -> Result<Vec<(String, String)>> {
            let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty() && *part != "*");
            parts
                .map(|part| {
                    let (name, value) = part.split_once('=').ok_or_else(wrong)?;
                    Ok((name.trim().to_owned(), value.trim().to_owned()))
                })
                .collect()
        };
        let (left, right) = text.split_once("->").ok_or_else(wrong)?;
        Ok(Self { left: side(left)?, right: side(right)? })
    }

    /// Whether each part is among some items.
    fn fits(parts: &[(String, String)], items: &[(&str, &str)]) -> bool {
        let is_like = |pattern: &str, text: &str| pattern == "*" || pattern == text;
        parts.iter().all(|(name, value)| items.iter().any(|(own, text)| is_like(name, own) && is_like(value, text)))
    }
}

/// What a review left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    /// How many rules there were.
    pub before: usize,
    /// How many there are.
    pub after: usize,
    /// How many groups, if they were put together.
    pub groups: Option<usize>,
}

/// Reviews the rules of a model. Groups need the records that the rules cover.
pub fn review(learnt: &mut Learnt, review: &Review, records: Option<&Records>, label: &str) -> Result<Left> {
    let no_records = || {
        Error::parameter("group", "needs the records that rules cover: name the table").with_hint("`--on TRAIN.csv`")
    };
    if review.group.is_some_and(|limit| !(limit > 0.0 && limit <= 1.0)) {
        return Err(Error::parameter("group", "must be a share above 0 and at most 1"));
    }
    match learnt {
        Learnt::AssociationRules(model) => {
            let before = model.rules.len();
            if let Some(template) = &review.template {
                let side = |side: &'_ association_rules::Side| -> Vec<(String, String)> {
                    side.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
                };
                model.rules.retain(|rule| {
                    let (left, right) = (side(&rule.left), side(&rule.then));
                    Template::fits(&template.left, &borrowed(&left))
                        && Template::fits(&template.right, &borrowed(&right))
                });
            }
            if review.redundant {
                drop_longer(model);
            }
            let mut groups = None;
            if let Some(limit) = review.group {
                groups = Some(group_associations(model, limit, records.ok_or_else(no_records)?)?);
            }
            Ok(Left { before, after: model.rules.len(), groups })
        }
        Learnt::ClassificationRules(model) => {
            let before = model.rules.len();
            if let Some(template) = &review.template {
                model.rules.retain(|rule| {
                    let left: Vec<(&str, &str)> =
                        rule.conditions.iter().map(|one| (one.column.as_str(), one.value.as_str())).collect();
                    rule.conditions.is_empty()
                        || (Template::fits(&template.left, &left)
                            && Template::fits(&template.right, &[(label, rule.then.as_str())]))
                });
            }
            if review.redundant {
                drop_idle(model);
            }
            let mut groups = None;
            if let Some(limit) = review.group {
                groups = Some(group_classifications(model, limit, records.ok_or_else(no_records)?)?);
            }
            Ok(Left { before, after: model.rules.len(), groups })
        }
        other => Err(Error::refused(format!("a model of `{}` has no rules to review", other.info().name))
            .with_hint("`association-rules` and `classification-rules` have some")),
    }
}

fn borrowed(items: &[(String, String)]) -> Vec<(&str, &str)> {
    items.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

/// Drops rules with a parent that has fewer items on the left, the same right side and no less confidence.
fn drop_longer(model: &mut AssociationModel) {
    type Key = (Vec<(String, String)>, Vec<(String, String)>);
    let key = |left: &[(String, String)], then: &association_rules::Side| -> Key {
        (left.to_vec(), then.iter().map(|(name, value)| (name.clone(), value.clone())).collect())
    };
    let left = |rule: &association_rules::Rule| -> Vec<(String, String)> {
        rule.left.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    let known: HashMap<Key, f64> =
        model.rules.iter().map(|rule| (key(&left(rule), &rule.then), rule.confidence)).collect();
    model.rules.retain(|rule| {
        let items = left(rule);
        // All shorter left sides, by the bits of a number.
        let mut parents = (1..(1u32 << items.len()) - 1).map(|chosen| {
            let part: Vec<(String, String)> = items
                .iter()
                .enumerate()
                .filter(|(at, _)| chosen >> at & 1 == 1)
                .map(|(_, item)| item.clone())
                .collect();
            known.get(&key(&part, &rule.then)).copied()
        });
        !parents.any(|confidence| confidence.is_some_and(|confidence| confidence >= rule.confidence))
    });
}

/// Drops rules of an ordered list that an earlier one with some of their conditions leaves nothing to.
fn drop_idle(model: &mut RulesModel) {
    let mut kept: Vec<Rule> = Vec::new();
    for rule in std::mem::take(&mut model.rules) {
        let has_all = |earlier: &Rule| earlier.conditions.iter().all(|one: &Condition| rule.conditions.contains(one));
        if !kept.iter().any(has_all) {
            kept.push(rule);
        }
    }
    model.rules = kept;
}

/// Numbers groups of like rules; gives how many there are.
fn group(covers: &[(String, Bits)], limit: f64) -> (Vec<usize>, usize) {
    let mut first: BTreeMap<&str, Vec<(usize, u64, &Bits)>> = BTreeMap::new();
    let mut groups = 0;
    let mut numbers = Vec::with_capacity(covers.len());
    for (says, bits) in covers {
        let count = bits.count();
        let like = first.entry(says.as_str()).or_default();
        let is_like = |(_, other_count, other): &&(usize, u64, &Bits)| {
            let both = bits.count_and(other);
            let either = count + other_count - both;
            either == 0 || both as f64 / either as f64 >= limit
        };
        let number = match like.iter().find(is_like) {
            Some((number, ..)) => *number,
            None => {
                groups += 1;
                like.push((groups, count, bits));
                groups
            }
        };
        numbers.push(number);
    }
    (numbers, groups)
}

fn group_associations(model: &mut AssociationModel, limit: f64, records: &Records) -> Result<usize> {
    let pairs: Vec<_> = model
        .columns
        .iter()
        .map(|item| {
            let column = records.column(&item.name);
            let missing = || Error::data(format!("the table has no column `{}`, which rules name", item.name));
            Ok((item, column.ok_or_else(missing)?))
        })
        .collect::<Result<_>>()?;
    let place: HashMap<&str, usize> =
        model.columns.iter().enumerate().map(|(at, column)| (column.name.as_str(), at)).collect();
    let mut known: BTreeSet<(usize, String)> = BTreeSet::new();
    for (name, value) in model.rules.iter().flat_map(|rule| rule.left.iter().chain(&rule.then)) {
        known.extend(place.get(name.as_str()).map(|&at| (at, value.clone())));
    }
    let known: Vec<(usize, String)> = known.into_iter().collect();
    let items = Items::of(&pairs, Some(&known));
    let bits = items.bits();
    let bits_of = |name: &str, value: &str| {
        let item = (*place.get(name)?, value.to_owned());
        known.binary_search(&item).ok().map(|at| &bits[at])
    };
    let cover = |rule: &association_rules::Rule| {
        let mut sets = rule.left.iter().filter_map(|(name, value)| bits_of(name, value));
        let first = sets.next().cloned().unwrap_or_else(|| Bits::new(items.len()));
        let says = rule.then.iter().map(|(name, value)| format!("{name}={value}")).collect();
        (says, sets.fold(first, |held, next| held.and(next)))
    };
    let covers: Vec<(String, Bits)> = model.rules.iter().map(cover).collect();
    let (numbers, groups) = group(&covers, limit);
    model.rules.iter_mut().zip(numbers).for_each(|(rule, number)| rule.group = Some(number));
    Ok(groups)
}

fn group_classifications(model: &mut RulesModel, limit: f64, records: &Records) -> Result<usize> {
    let cover = |rule: &Rule| -> Result<(String, Bits)> {
        let mut bits = Bits::new(records.len());
        let holds = covered(rule, records)?;
        holds.iter().enumerate().filter(|(_, holds)| **holds).for_each(|(row, _)| bits.set(row));
        Ok((rule.then.clone(), bits))
    };
    let covers: Vec<(String, Bits)> = model.rules.iter().map(cover).collect::<Result<_>>()?;
    let (numbers, groups) = group(&covers, limit);
    model.rules.iter_mut().zip(numbers).for_each(|(rule, number)| rule.group = Some(number));
    Ok(groups)
}
