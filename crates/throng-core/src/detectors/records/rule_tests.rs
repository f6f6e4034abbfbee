use std::collections::BTreeMap;

use super::association_rules::{AssociationModel, AssociationParams};
use super::classification_rules::{Comparison, Condition, RulesModel};
use super::episodes::episodes;
use super::evaluate::{auc, quality};
use super::items::ItemColumn;
use super::neural_network::NetworkModel;
use super::review::{Review, Template, review};
use super::*;
use crate::progress::Silent;
use crate::rng::Rng;

/// Six columns that hang together loosely, one of them of many numbers.
fn drawn(rows: usize, seed: u64) -> Records {
    let mut rng = Rng::seeded(seed);
    let row = |rng: &mut Rng| {
        let bad = rng.unit() < 0.2;
        let word =
            |good: &str, other: &str, rng: &mut Rng| (if bad != (rng.unit() < 0.1) { other } else { good }).to_owned();
        vec![
            word("http", "smtp", rng),
            word("SF", "S0", rng),
            ["x", "y", "z"][rng.index(3)].to_owned(),
            (rng.below(40) + u64::from(bad) * 30).to_string(),
            rng.below(3).to_string(),
            (if bad { "neptune" } else { "normal" }).to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = (0..rows).map(|_| row(&mut rng)).collect();
    Records::of_rows(&["service", "flag", "word", "count", "few", "label"], &rows)
}

fn rule_for(records: &Records) -> LabelRule {
    LabelRule::settle(records, "label", None, None).unwrap()
}

/// Every rule of one to three items to one, counted literally.
#[test]
fn association_rules_against_a_brute_force() {
    for (seed, only_normal) in [(1, false), (2, true), (3, false)] {
        let records = drawn(150, seed);
        let label = rule_for(&records);
        let params = AssociationParams { support: 0.12, confidence: 0.6, most_items: 4, only_normal };
        let model = AssociationModel::train(&records, &label, params, &Silent).unwrap();
        let rows: Vec<u32> =
            (0..150).filter(|&row| !only_normal || !label.truth(&records).unwrap()[row as usize]).collect();
        let columns: Vec<&Column> = records.columns.iter().filter(|one| !only_normal || one.name != "label").collect();
        // Each row as its items, numbers cut literally.
        let as_items = |row: u32| -> Vec<(String, String)> {
            columns
                .iter()
                .map(|column| {
                    let text = column.text(row as usize).to_owned();
                    if column.name != "count" {
                        return (column.name.clone(), text);
                    }
                    let mut all: Vec<f64> =
                        rows.iter().map(|&row| column.text(row as usize).parse().unwrap()).collect();
                    all.sort_by(f64::total_cmp);
                    let (low, high) = (all[all.len() / 3], all[2 * all.len() / 3]);
                    let own: f64 = text.parse().unwrap();
                    let bin = if own < low {
                        format!("below {low}")
                    } else if own < high {
                        format!("{low} to below {high}")
                    } else {
                        format!("from {high}")
                    };
                    (column.name.clone(), bin)
                })
                .collect()
        };
        let table: Vec<Vec<(String, String)>> = rows.iter().map(|&row| as_items(row)).collect();
        let mut counts: BTreeMap<Vec<(String, String)>, usize> = BTreeMap::new();
        for row in &table {
            for chosen in 1u32..1 << row.len() {
                if chosen.count_ones() <= 4 {
                    let set =
                        row.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1).map(|(_, item)| item.clone());
                    let mut set: Vec<_> = set.collect();
                    set.sort();
                    *counts.entry(set).or_default() += 1;
                }
            }
        }
        let total = rows.len() as f64;
        let mut expected = BTreeMap::new();
        for (set, &both) in counts.iter().filter(|(set, _)| set.len() > 1) {
            for right in set {
                let left: Vec<_> = set.iter().filter(|item| *item != right).cloned().collect();
                let confidence = both as f64 / counts[&left] as f64;
                if both as f64 / total >= 0.12 && confidence >= 0.6 {
                    let lift = confidence / (counts[&vec![right.clone()]] as f64 / total);
                    expected.insert((left, right.clone()), (both as f64 / total, confidence, lift));
                }
            }
        }
        assert!(expected.len() > 20, "{}", expected.len());
        assert_eq!(model.rules.len(), expected.len());
        for rule in &model.rules {
            let left: Vec<_> = rule.left.clone().into_iter().collect();
            let right = rule.then.clone().into_iter().next().unwrap();
            let (support, confidence, lift) = expected[&(left, right)];
            assert_eq!((rule.support, rule.confidence), (support, confidence), "{}", rule.text());
            assert!((rule.lift - lift).abs() < 1e-12);
        }
        let order = |one: &association_rules::Rule, other: &association_rules::Rule| {
            (other.confidence, other.support)
                .partial_cmp(&(one.confidence, one.support))
                .unwrap()
                .then(one.text().cmp(&other.text()))
        };
        assert!(model.rules.is_sorted_by(|one, other| order(one, other).is_lt()));
        // Scores literally: what is broken among all that may judge.
        let (scores, _) = model.scores(&records, "label").unwrap();
        for row in 0..20 {
            let own = as_items(row);
            let (mut broken, mut whole) = (0.0, 0.0);
            for rule in model.rules.iter().filter(|rule| !rule.text().contains("label=")) {
                let covered = rule.support / rule.confidence * total;
                let weight = (covered + 2.0) / (covered * (1.0 - rule.confidence) + 1.0);
                whole += weight;
                let has = |side: &association_rules::Side| {
                    side.iter().all(|(name, value)| own.contains(&(name.clone(), value.clone())))
                };
                if has(&rule.left) && !has(&rule.then) {
                    broken += weight;
                }
            }
            assert!((scores[row as usize] - broken / whole).abs() < 1e-9, "{row}");
        }
    }
}

/// By hand: of 1 to 12 the terciles begin at 5 and 9; the lowest value of the upper bin is included.
#[test]
fn terciles_by_hand() {
    let rows: Vec<Vec<String>> = (1..=12).map(|number: u32| vec![number.to_string()]).collect();
    let records = Records::of_rows(&["a"], &rows);
    let all: Vec<u32> = (0..12).collect();
    let item = ItemColumn::of(&records.columns[0], &all, &records.lines).unwrap();
    assert_eq!(item.cuts, Some(vec![5.0, 9.0]));
    for (text, bin) in
        [("4.9", "below 5"), ("5", "5 to below 9"), ("8", "5 to below 9"), ("9", "from 9"), ("77", "from 9")]
    {
        assert_eq!(item.value(text), bin);
    }
    // Ten values are taken as they are.
    let ten: Vec<u32> = (0..10).collect();
    assert_eq!(ItemColumn::of(&records.columns[0], &ten, &records.lines).unwrap().cuts, None);
}

/// By hand: a at 0, b at 1, c at 1.5, a at 10: within 2 s a-b, a-c, b-c and a-b-c occur once in four records.
#[test]
fn episodes_by_hand() {
    let names: Vec<String> = ["a", "b", "c"].map(str::to_owned).to_vec();
    let found = episodes(&[(0.0, 0), (1.0, 1), (1.5, 2), (10.0, 0)], &names, 2.0, 0.25, 0.0);
    let text: Vec<(String, f64, f64)> =
        found.iter().map(|one| (one.events.join(""), one.support, one.confidence)).collect();
    let expected = [("abc", 0.25, 1.0), ("bc", 0.25, 1.0), ("ab", 0.25, 0.5), ("ac", 0.25, 0.5)];
    assert_eq!(text, expected.map(|(events, support, confidence)| (events.to_owned(), support, confidence)));
    // The window is open at its end.
    assert!(episodes(&[(0.0, 0), (2.0, 1)], &names, 2.0, 0.1, 0.0).is_empty());
}

#[test]
fn classification_rules_say_what_they_found() {
    let mut rng = Rng::seeded(5);
    let row = |rng: &mut Rng| {
        let count = rng.below(200);
        let flag = ["S0", "SF"][rng.index(2)];
        let label = if count > 50 && flag == "S0" { "attack" } else { "normal" };
        vec![count.to_string(), flag.to_owned(), rng.below(9).to_string(), label.to_owned()]
    };
    let rows: Vec<Vec<String>> = (0..900).map(|_| row(&mut rng)).collect();
    let records = Records::of_rows(&["count", "flag", "noise", "label"], &rows);
    let label = rule_for(&records);
    let model = RulesModel::train(&records, &label, 1, &Silent).unwrap();
    let first = &model.rules[0];
    let tests: BTreeMap<&str, &Condition> = first.conditions.iter().map(|one| (one.column.as_str(), one)).collect();
    assert!(tests.len() == 2 && first.then == "attack", "{}", first.text());
    assert_eq!((tests["flag"].is, tests["flag"].value.as_str()), (Comparison::Equal, "S0"));
    // Between the nearest training rows on both sides.
    let limit: u32 = tests["count"].value.parse().unwrap();
    assert!(tests["count"].is == Comparison::Above && (46..=50).contains(&limit), "{}", first.text());
    let rule = classification_rules::Rule { conditions: vec![first.conditions[0].clone()], ..first.clone() };
    assert!(["if flag = S0 then attack".to_owned(), format!("if count > {limit} then attack")].contains(&rule.text()));
    assert_eq!(first.precision, 1.0);
    assert!(first.coverage > 80 && model.rules.len() == 2, "{:?}", model.rules);
    assert_eq!(model.rules[1].text(), "else normal");
    let (scores, _) = model.scores(&records, "label").unwrap();
    let truth = label.truth(&records).unwrap();
    assert!(scores.iter().zip(&truth).all(|(score, truth)| (*score > 0.5) == *truth));
    assert_eq!(model, RulesModel::train(&records, &label, 1, &Silent).unwrap());
    // Labels that say nothing leave only what remains.
    let noise: Vec<Vec<String>> = (0..300)
        .map(|at| vec![at.to_string(), rng.below(5).to_string(), ["normal", "bad"][rng.index(2)].to_owned()])
        .collect();
    let records = Records::of_rows(&["a", "b", "label"], &noise);
    let model = RulesModel::train(&records, &rule_for(&records), 1, &Silent).unwrap();
    assert!(model.rules.len() <= 4, "{:?}", model.rules.len());
}

#[test]
fn a_network_over_a_table() {
    let records = drawn(400, 8);
    let label = rule_for(&records);
    let model = NetworkModel::train(&records, &label, 4, 1, &Silent).unwrap();
    let (scores, _) = model.scores(&records, "label").unwrap();
    assert!(auc(&scores, &label.truth(&records).unwrap()).unwrap() > 0.95);
    assert!(NetworkModel::train(&records, &label, 0, 1, &Silent).unwrap_err().to_string().contains("hidden"));
}

/// By hand: flagged 2 of 3 positive and 1 of 3 others.
#[test]
fn quality_by_hand() {
    let labels = ["smurf.", "back.", "guess_passwd.", "normal.", "normal.", "normal."];
    let rule = LabelRule { column: "label".to_owned(), positive: None, normal: Some("normal".to_owned()) };
    let scores = [0.9, 0.8, 0.1, 0.7, 0.1, 0.0];
    let found = quality(&scores, &scores.map(|score| score > 0.5), &labels, &rule);
    assert_eq!((found.accuracy, found.precision, found.recall), (Some(4.0 / 6.0), Some(2.0 / 3.0), Some(2.0 / 3.0)));
    assert_eq!((found.families["dos"].rows, found.families["dos"].recall, found.families["r2l"].recall), (2, 1.0, 0.0));
    // .9 and .8 are above all three others; .1 above one, and ties with one: 7.5 of 9.
    assert!((found.auc.unwrap() - 7.5 / 9.0).abs() < 1e-12);
    assert_eq!(auc(&[1.0], &[true]), None);
}

#[test]
fn reviews_by_hand() {
    let records = drawn(200, 1);
    let label = rule_for(&records);
    let params = AssociationParams { support: 0.1, confidence: 0.6, ..AssociationParams::default() };
    let model = AssociationModel::train(&records, &label, params, &Silent).unwrap();
    let reviewed = |asked: Review, with: Option<&Records>| {
        let mut learnt = Learnt::AssociationRules(model.clone());
        let left = review(&mut learnt, &asked, with, "label").unwrap();
        let Learnt::AssociationRules(model) = learnt else { panic!("another model") };
        (model.rules, left)
    };
    let template = Some(Template::parse("* -> label=*").unwrap());
    let (rules, left) = reviewed(Review { template, ..Review::default() }, None);
    assert_eq!(left.before, model.rules.len());
    let expected = model.rules.iter().filter(|rule| rule.then.contains_key("label")).count();
    assert!(rules.len() == expected && expected > 0 && expected < left.before);
    let template = Some(Template::parse("service=http, few=* -> flag=SF").unwrap());
    let (rules, _) = reviewed(Review { template, ..Review::default() }, None);
    assert!(
        !rules.is_empty()
            && rules.iter().all(|rule| rule.left["service"] == "http"
                && rule.left.contains_key("few")
                && rule.then["flag"] == "SF")
    );
    let (rules, _) = reviewed(Review { redundant: true, ..Review::default() }, None);
    let has_parent = |rule: &association_rules::Rule| {
        model.rules.iter().any(|parent| {
            parent.then == rule.then
                && parent.left.len() < rule.left.len()
                && parent.left.iter().all(|(name, value)| rule.left.get(name) == Some(value))
                && parent.confidence >= rule.confidence
        })
    };
    let expected: Vec<_> = model.rules.iter().filter(|rule| !has_parent(rule)).cloned().collect();
    assert_eq!(rules, expected);
    let (rules, left) = reviewed(Review { group: Some(0.7), ..Review::default() }, Some(&records));
    assert!(left.groups.unwrap() < rules.len() && rules.iter().all(|rule| rule.group.is_some()));
    let (_, alone) = reviewed(Review { group: Some(1.0), ..Review::default() }, Some(&records));
    assert!(alone.groups.unwrap() >= left.groups.unwrap());
    let mut learnt = Learnt::AssociationRules(model.clone());
    let asked = Review { group: Some(0.7), ..Review::default() };
    assert!(review(&mut learnt, &asked, None, "label").is_err());
    assert!(Template::parse("label").is_err() && Template::parse("a -> b=1").is_err());
}

/// A later rule with all conditions of an earlier one never holds first.
#[test]
fn idle_rules_of_a_list_go() {
    let condition =
        |column: &str| Condition { column: column.to_owned(), is: Comparison::Equal, value: "1".to_owned() };
    let rule = |columns: &[&str], then: &str| classification_rules::Rule {
        conditions: columns.iter().map(|column| condition(column)).collect(),
        then: then.to_owned(),
        coverage: 1,
        precision: 1.0,
        group: None,
    };
    let rules = vec![rule(&["a"], "x"), rule(&["b", "a"], "y"), rule(&["b"], "y"), rule(&[], "normal")];
    let mut learnt =
        Learnt::ClassificationRules(RulesModel { columns: Vec::new(), rules: rules.clone(), positive: Vec::new() });
    let left = review(&mut learnt, &Review { redundant: true, ..Review::default() }, None, "label").unwrap();
    assert_eq!((left.before, left.after), (4, 3));
    let Learnt::ClassificationRules(model) = learnt else { panic!("another model") };
    assert_eq!(model.rules, [rules[0].clone(), rules[2].clone(), rules[3].clone()]);
}
