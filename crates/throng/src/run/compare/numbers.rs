//! The numbers of cells: headlines, their mean and spread over seeds, and which of them tell what is risked and what is lost.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use throng_core::measures::{Drawn, Headline};

use super::{Cell, Comparison, NO_K};
use crate::catalog;
use crate::report::chart::plain;

/// The headline of a measure over all seeds, for a method with a k.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    /// The method as typed.
    pub method: String,
    /// k; as JSON `null` for a method that has none.
    #[serde(with = "super::k_or_null")]
    pub k: usize,
    /// The measure.
    pub measure: String,
    /// The mean; `None` if it is defined with no seed.
    pub mean: Option<f64>,
    /// The standard deviation of a sample, n - 1 below; `None` if it is defined with fewer than two seeds.
    pub standard_deviation: Option<f64>,
}

/// A number over several seeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub(crate) mean: f64,
    /// The standard deviation; `None` of one seed.
    pub(crate) deviation: Option<f64>,
}

impl Spread {
    /// Of these values; `None` of nothing.
    pub(crate) fn of(values: &[f64]) -> Option<Self> {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        let deviation = (values.len() > 1).then(|| (squares / (count - 1.0)).sqrt());
        (!values.is_empty()).then_some(Self { mean, deviation })
    }

    /// The mean, and after ± the standard deviation with as many places, where there is one.
    pub(crate) fn in_words(self) -> String {
        let mean = plain(self.mean);
        let Some(deviation) = self.deviation else { return mean };
        let places = if self.mean.abs() >= 100.0 {
            0
        } else if self.mean.abs() >= 1.0 {
            1
        } else {
            3
        };
        let deviation: f64 = format!("{deviation:.places$}").parse().unwrap_or(deviation);
        format!("{mean} ± {}", plain(deviation))
    }

    /// Whether another one lies within the noise of both: their means differ by no more than their deviations together. One
    /// seed has no noise: then they must be the same.
    pub(super) fn is_like(self, other: Self) -> bool {
        let noise = self.deviation.zip(other.deviation).map_or(0.0, |(own, other)| own + other);
        (self.mean - other.mean).abs() <= noise
    }
}

/// A measure of a cell.
pub(crate) fn of_measure<'a>(cell: &'a Cell, name: &str) -> Option<&'a Value> {
    cell.measures.iter().find(|measured| measured["name"] == name)
}

/// What is drawn of a measure. Of one that this version does not know, its headline.
pub(crate) fn drawn(name: &str) -> Drawn {
    catalog::measure_card(name).map_or(Drawn::Headline, |card| card.drawn)
}

/// An attack of a cell, by the name of its column.
pub(crate) fn of_attack<'a>(cell: &'a Cell, label: &str) -> Option<&'a Value> {
    cell.attacks.iter().find(|attack| attack["label"] == label)
}

/// The headline of a measure in a cell; of an attack its rate in per cent.
fn headline(cell: &Cell, name: &str) -> Option<f64> {
    match of_measure(cell, name) {
        Some(measured) => measured["value"].as_f64(),
        None => of_attack(cell, name)?["rate"].as_f64().map(|rate| 100.0 * rate),
    }
}

/// The value of a measure in a cell: the headline, or its share of the worst case in per cent where that is what is drawn.
fn value(cell: &Cell, name: &str) -> Option<f64> {
    let Some(measured) = of_measure(cell, name) else { return headline(cell, name) };
    match drawn(name) {
        Drawn::Share => measured["parts"]["share"].as_f64().map(|share| 100.0 * share),
        _ => measured["value"].as_f64(),
    }
}

/// How much is lost in a cell by a measure, in per cent of everything.
fn loss(cell: &Cell, name: &str, persons: u64) -> Option<f64> {
    let Some(Headline::Loss(lost)) = catalog::measure_card(name)?.headline else { return None };
    let measured = of_measure(cell, name)?;
    let left_out = cell.persons_dropped as f64 / persons.max(1) as f64;
    lost.percent(measured["value"].as_f64(), |part| measured["parts"][part].as_f64(), left_out.min(1.0))
}

/// The mean of that by several measures; `None` unless all of them are there.
fn mean_loss(cell: &Cell, measures: &[&str], persons: u64) -> Option<f64> {
    let all = measures.iter().map(|measure| loss(cell, measure, persons)).collect::<Option<Vec<f64>>>()?;
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}

/// The unit of what is drawn of a measure.
pub(crate) fn unit<'a>(comparison: &'a Comparison, name: &str) -> &'a str {
    let measured = || comparison.cells.iter().find_map(|cell| of_measure(cell, name));
    if comparison.cells.iter().any(|cell| of_attack(cell, name).is_some()) {
        return "%";
    }
    match drawn(name) {
        Drawn::Share => "% of the worst case",
        _ => measured().and_then(|measured| measured["unit"].as_str()).unwrap_or_default(),
    }
}

impl Comparison {
    /// Something of the cells of a method with a k, over all seeds; `None` if none of them has it.
    pub(crate) fn spread_of(&self, method: &str, k: usize, of: impl Fn(&Cell) -> Option<f64>) -> Option<Spread> {
        let own = self.cells.iter().filter(|cell| cell.is_of(method, k));
        Spread::of(&own.filter_map(of).collect::<Vec<f64>>())
    }

    /// Whether a method has no k: it promises nothing, and ran once.
    pub(crate) fn has_no_k(&self, method: &str) -> bool {
        self.cells.iter().any(|cell| cell.method == method && cell.k == NO_K)
    }

    /// What is drawn of a measure, over all seeds.
    pub(crate) fn spread(&self, method: &str, k: usize, measure: &str) -> Option<Spread> {
        self.spread_of(method, k, |cell| value(cell, measure))
    }

    /// Whether a measure is defined for some methods with every k.
    fn is_everywhere(&self, methods: &[&str], measure: &str) -> bool {
        methods.iter().all(|method| self.k.iter().all(|&k| self.spread(method, k, measure).is_some()))
    }

    /// The measure of risk that these methods have with every k: its name, and what is risked, in words.
    pub(crate) fn risk(&self, methods: &[&str]) -> Option<(&'static str, &'static str)> {
        catalog::measure_cards().into_iter().find_map(|card| match card.headline {
            Some(Headline::Risk { word }) if self.is_everywhere(methods, card.info.name) => {
                Some((card.info.name, word))
            }
            _ => None,
        })
    }

    /// The measures by which the loss of these methods is told: those that all methods of the comparison which promise something have with
    /// every k, so that every loss means the same; if there are none, those of these methods alone.
    pub(crate) fn losses(&self, methods: &[&str]) -> Vec<&'static str> {
        let of = |methods: &[&str]| -> Vec<&'static str> {
            let cards = catalog::measure_cards().into_iter();
            let names =
                cards.filter(|card| matches!(card.headline, Some(Headline::Loss(_)))).map(|card| card.info.name);
            // In the order in which they were measured, each once, whatever kinds it is for; what was not measured has no place.
            let order = self.measures();
            let mut names: Vec<&str> =
                names.filter(|name| order.contains(name) && self.is_everywhere(methods, name)).collect();
            names.sort_by_key(|name| order.iter().position(|measure| measure == name));
            names.dedup();
            names
        };
        let promising: Vec<&str> = self.promised().into_iter().flat_map(|promised| promised.methods).collect();
        let common = of(&promising);
        if common.is_empty() { of(methods) } else { common }
    }

    /// How much a method loses with a k by a measure, in per cent of everything, over all seeds. Who is left out has lost everything.
    pub(crate) fn lost_by(&self, method: &str, k: usize, measure: &str) -> Option<Spread> {
        self.spread_of(method, k, |cell| loss(cell, measure, self.input.persons))
    }

    /// What a method risks by a measure and loses by others with a k, together, over all seeds; `None` where the risk is not measured.
    pub(crate) fn price(&self, method: &str, k: usize, measures: &[&str], risk: Option<&str>) -> Option<Spread> {
        let risk = risk?;
        self.spread_of(method, k, |cell| Some(value(cell, risk)? + mean_loss(cell, measures, self.input.persons)?))
    }

    /// How many persons a method leaves out with a k, in per cent of all.
    pub(crate) fn left_out(&self, method: &str, k: usize) -> Option<Spread> {
        self.spread_of(method, k, |cell| Some(100.0 * cell.persons_dropped as f64 / self.input.persons.max(1) as f64))
    }

    /// Whether a method leaves anybody out.
    pub(crate) fn leaves_out(&self) -> bool {
        self.cells.iter().any(|cell| cell.persons_dropped > 0)
    }

    /// The mean of that by several measures; `None` unless all of them are there.
    pub(crate) fn lost(&self, method: &str, k: usize, measures: &[&str]) -> Option<Spread> {
        self.spread_of(method, k, |cell| mean_loss(cell, measures, self.input.persons))
    }

    /// The names of all measures, in the order of their first appearance, and the columns of all attacks after them.
    pub(crate) fn measures(&self) -> Vec<&str> {
        let measured = self.cells.iter().flat_map(|cell| &cell.measures).map(|measured| &measured["name"]);
        let attacks = self.cells.iter().flat_map(|cell| &cell.attacks).map(|attack| &attack["label"]);
        let mut names: Vec<&str> = Vec::new();
        for name in measured.chain(attacks).filter_map(Value::as_str) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The column of an attack: its name, and what is known.
    pub(crate) fn attack(&self, label: &str) -> Option<&Value> {
        self.cells.iter().find_map(|cell| of_attack(cell, label))
    }
}

/// Every headline over all seeds; nothing if there is one seed only.
pub(super) fn means(comparison: &Comparison) -> Vec<Mean> {
    let mut means = Vec::new();
    if comparison.seeds.len() < 2 {
        return means;
    }
    let measures = comparison.measures();
    for method in &comparison.methods {
        let ks = if comparison.has_no_k(method) { &[NO_K][..] } else { &comparison.k };
        for &k in ks {
            for &measure in &measures {
                let spread = comparison.spread_of(method, k, |cell| headline(cell, measure));
                means.push(Mean {
                    method: method.clone(),
                    k,
                    measure: measure.to_owned(),
                    mean: spread.map(|spread| spread.mean),
                    standard_deviation: spread.and_then(|spread| spread.deviation),
                });
            }
        }
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_by_hand() {
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[4.0]), Some(Spread { mean: 4.0, deviation: None }));
        // Squares 4 + 1 + 1 + 4 + 0 over 4.
        let five = Spread::of(&[1.0, 2.0, 4.0, 5.0, 3.0]).unwrap();
        assert_eq!((five.mean, five.deviation), (3.0, Some(2.5_f64.sqrt())));
    }

    #[test]
    fn deviations_have_the_places_of_their_means() {
        let shown =
            [(19.66, Some(0.435)), (0.2836, Some(0.0171)), (1234.4, Some(12.34)), (19.3, Some(0.0)), (2.0, None)]
                .map(|(mean, deviation)| Spread { mean, deviation }.in_words());
        assert_eq!(shown, ["19.7 ± 0.4", "0.284 ± 0.017", "1,234 ± 12", "19.3 ± 0", "2"]);
    }

    #[test]
    fn noise_is_known_of_several_seeds_only() {
        let [near, far, one] =
            [(10.0, Some(0.4)), (10.7, Some(0.2)), (10.0, None)].map(|(mean, deviation)| Spread { mean, deviation });
        assert!(!near.is_like(far) && !far.is_like(one));
        // The same is as good, with one seed or several.
        assert!(near.is_like(one) && one.is_like(one));
        assert!(near.is_like(Spread { mean: 10.6, ..far }));
    }
}
