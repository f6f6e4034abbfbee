//! What to choose: for each promise the method and the k that one can stand behind.
//!
//! # Rule
//! 1. Only methods that make the same promise are weighed against each other.
//! 2. For each k the method counts that loses least, on the mean of all seeds.
//! 3. Risk against loss, from the smallest k to the greatest, is a curve. Its knee is the point farthest below the straight line
//!    between its ends, when both axes are stretched to the same length: before it a larger k takes away much risk for
//!    little loss, beyond it little risk for much loss.
//! 4. The knee is recommended, or the next greater k that was compared and is not below the floor.
//! 5. A curve without a knee gives the smallest k that is not below the floor; one on which loss does not grow the greatest.
//! 6. Methods whose loss differs at that k by no more than both standard deviations together are named as well.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::promises::Promised;
use super::{Comparison, Promise, Spread, unit};
use crate::catalog::{self, Role};
use crate::report::chart::plain;

/// What to choose among the methods that promise the same, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recommendation {
    /// The model that they promise.
    pub model: String,
    /// Its parameters, but for k.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub parameters: Map<String, Value>,
    /// The method as typed; `None` if nothing can be recommended.
    pub method: Option<String>,
    /// k; `None` if nothing can be recommended, or if the methods have no k.
    pub k: Option<usize>,
    /// Methods that lose as little, as far as several seeds can tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub as_good: Vec<String>,
    /// The reason, in a few sentences.
    pub reason: String,
}

impl Recommendation {
    /// The promise, for any k.
    pub fn promise(&self) -> Promise {
        Promise { model: self.model.clone(), parameters: self.parameters.clone() }
    }

    /// What is recommended, in a few words; `None` if nothing is.
    pub fn choice(&self) -> Option<String> {
        let method = self.method.as_ref()?;
        let methods = [std::slice::from_ref(method), &self.as_good].concat().join(" or ");
        Some(self.k.map_or_else(|| methods.clone(), |k| format!("{methods} with k = {k}")))
    }
}

/// One recommendation for each promise.
pub(super) fn recommendations(comparison: &Comparison) -> Vec<Recommendation> {
    comparison.promised().iter().map(|promised| recommendation(comparison, promised)).collect()
}

/// The recommendation for the first promise that all methods make.
pub(super) fn for_all_methods(comparison: &Comparison) -> Option<Recommendation> {
    let all = comparison.promised();
    let at = all.iter().position(|promised| promised.methods.len() == comparison.methods.len())?;
    comparison.recommendations.get(at).filter(|recommendation| recommendation.method.is_some()).cloned()
}

fn recommendation(comparison: &Comparison, promised: &Promised<'_>) -> Recommendation {
    let nothing = |reason: String| Recommendation {
        model: promised.promise.model.clone(),
        parameters: promised.promise.parameters.clone(),
        method: None,
        k: None,
        as_good: Vec::new(),
        reason,
    };
    let Some(curve) = Curve::of(comparison, &promised.methods) else {
        return nothing("Nothing was measured that says how much is lost, so nothing can be weighed.".to_owned());
    };
    let has_k = promised.methods.iter().any(|method| has_parameter_k(method));
    let (choice, why) = if has_k {
        match curve.chosen(comparison.least_k) {
            Some(chosen) => chosen,
            None => {
                let least = comparison.least_k;
                return nothing(format!(
                    "No k of {least} or more was compared, and no smaller one is recommended. The same command with `--k {least}..10` adds some."
                ));
            }
        }
    } else {
        (&curve.points[0], "These methods have no k: what they promise does not depend on it.".to_owned())
    };
    let as_good: Vec<String> = choice
        .others
        .iter()
        .filter(|other| other.loss.is_like(choice.best.loss))
        .map(|other| other.method.to_owned())
        .collect();
    let recommended: Vec<&str> =
        std::iter::once(choice.best.method).chain(as_good.iter().map(String::as_str)).collect();
    let mut reason = why;
    for sentence in
        [curve.cost(choice), noise(comparison, choice, &as_good), promised_beside(comparison, promised, &recommended)]
    {
        if !sentence.is_empty() {
            reason = format!("{reason} {sentence}");
        }
    }
    Recommendation {
        method: Some(choice.best.method.to_owned()),
        k: has_k.then_some(choice.k),
        as_good,
        ..nothing(reason)
    }
}

/// Whether k is a parameter of a method as typed.
fn has_parameter_k(typed: &str) -> bool {
    let name = typed.split(':').next().unwrap_or_default();
    catalog::item(Role::Method, name)
        .is_ok_and(|item| item.info().parameters.iter().any(|parameter| parameter.name == "k"))
}

/// What several seeds say of the choice.
fn noise(comparison: &Comparison, choice: &Point<'_>, as_good: &[String]) -> String {
    let (seeds, best, as_good) = (comparison.seeds.len(), choice.best.method, as_good.join(" and "));
    match (as_good.is_empty(), seeds) {
        (true, _) => String::new(),
        (false, 1) => format!("The loss is the same with {best} and {as_good}."),
        (false, _) => format!("Within the noise of {seeds} seeds the loss is the same with {best} and {as_good}."),
    }
}

/// What some of the methods promise beside, and one that is recommended does not.
fn promised_beside(comparison: &Comparison, promised: &Promised<'_>, recommended: &[&str]) -> String {
    let beside = comparison.promised().into_iter().filter_map(|other| {
        let makes = |method: &&str| other.methods.contains(method);
        let own: Vec<&str> = promised.methods.iter().copied().filter(makes).collect();
        let lacking: Vec<&str> = recommended.iter().copied().filter(|method| !makes(method)).collect();
        if own.is_empty() || lacking.is_empty() {
            return None;
        }
        let [promise, does] = [(&own, ["promises", "promise"]), (&lacking, ["does", "do"])]
            .map(|(who, words)| words[usize::from(who.len() > 1)]);
        let (own, lacking) = (own.join(" and "), lacking.join(" and "));
        Some(format!("{own} {promise} {} as well, which {lacking} {does} not.", other.promise.as_typed()))
    });
    beside.collect::<Vec<_>>().join(" ")
}

/// What methods that promise the same risk and lose, over k.
struct Curve<'a> {
    /// The measure of loss, and its unit.
    lost: (&'static str, &'a str),
    /// What is risked, in words; `None` if nothing was measured: then it is the chance to be picked out of k.
    risked: Option<&'static str>,
    /// In the order of k.
    points: Vec<Point<'a>>,
}

/// The method that loses least with a k.
struct Point<'a> {
    k: usize,
    risk: f64,
    best: Loss<'a>,
    others: Vec<Loss<'a>>,
}

struct Loss<'a> {
    method: &'a str,
    loss: Spread,
}

impl<'a> Curve<'a> {
    fn of(comparison: &'a Comparison, methods: &[&'a str]) -> Option<Self> {
        let loss = comparison.loss(methods)?;
        let risk = comparison.risk(methods);
        let point = |&k: &usize| {
            let with_loss = |&method: &&'a str| Some(Loss { method, loss: comparison.spread(method, k, loss)? });
            let mut losses: Vec<Loss<'a>> = methods.iter().filter_map(with_loss).collect();
            losses.sort_by(|left, right| left.loss.mean.total_cmp(&right.loss.mean));
            let mut losses = losses.into_iter();
            let best = losses.next()?;
            let risk = match risk {
                Some((name, _)) => comparison.spread(best.method, k, name)?.mean,
                None => 100.0 / k as f64,
            };
            Some(Point { k, risk, best, others: losses.collect() })
        };
        let points: Vec<Point<'a>> = comparison.k.iter().filter_map(point).collect();
        let lost = (loss, unit(comparison, loss));
        (!points.is_empty()).then_some(Self { lost, risked: risk.map(|(_, word)| word), points })
    }

    /// The point to recommend, and why; `None` if none has so great a k.
    fn chosen(&self, least_k: usize) -> Option<(&Point<'a>, String)> {
        let first_from = |least: usize| self.points.iter().find(|point| point.k >= least);
        let floor = first_from(least_k)?;
        let places: Vec<(f64, f64)> = self.points.iter().map(|point| (point.risk, point.best.loss.mean)).collect();
        Some(match bend(&places) {
            Bend::At(place) if self.points[place].k >= floor.k => {
                let knee = &self.points[place];
                (
                    knee,
                    format!(
                        "k = {} is where the curve bends most: a smaller k risks much more for little gain, a greater one loses much more.",
                        knee.k
                    ),
                )
            }
            Bend::At(place) => (
                floor,
                format!(
                    "The curve bends most at k = {} already, but no k below {least_k} is recommended.",
                    self.points[place].k
                ),
            ),
            Bend::NoLoss => match self.points.last() {
                Some(last) if last.k > floor.k => (
                    last,
                    format!(
                        "A greater k loses no more here, so the greatest that was compared is taken, k = {}.",
                        last.k
                    ),
                ),
                _ => (floor, format!("Of what was compared, only k = {} may be recommended.", floor.k)),
            },
            Bend::Nowhere => (
                floor,
                format!(
                    "The curve bends nowhere, so the smallest k that may be recommended is taken, k = {}.",
                    floor.k
                ),
            ),
        })
    }

    /// What the choice costs, beside the others.
    fn cost(&self, choice: &Point<'_>) -> String {
        let (measure, unit) = self.lost;
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let others: Vec<String> =
            choice.others.iter().map(|other| format!("{} {}", other.method, other.loss.in_words())).collect();
        let others = if others.is_empty() { String::new() } else { format!(" ({})", others.join(", ")) };
        let risk = self.risked.map(|word| format!("; {word} is {} %", plain(choice.risk))).unwrap_or_default();
        let (method, loss) = (choice.best.method, choice.best.loss.in_words());
        format!("The loss with {method} is {loss}{unit}{others}, by {}{risk}.", measure.replace('-', " "))
    }
}

/// Where a curve bends.
#[derive(Debug, PartialEq)]
enum Bend {
    At(usize),
    /// Loss does not grow.
    NoLoss,
    Nowhere,
}

/// Less than this below the line is no knee: it is 1 from corner to corner.
const STRAIGHT: f64 = 0.02;

/// The knee of risk against loss, from the smallest k to the greatest.
fn bend(points: &[(f64, f64)]) -> Bend {
    let (Some(&(most_risk, least_loss)), Some(&(least_risk, most_loss))) = (points.first(), points.last()) else {
        return Bend::Nowhere;
    };
    if most_loss <= least_loss {
        return if points.len() > 1 { Bend::NoLoss } else { Bend::Nowhere };
    }
    if most_risk <= least_risk {
        return Bend::Nowhere;
    }
    // The line goes from (1, 0) to (0, 1): what lies below it sums to less than 1.
    let below = |&(risk, loss): &(f64, f64)| {
        1.0 - (risk - least_risk) / (most_risk - least_risk) - (loss - least_loss) / (most_loss - least_loss)
    };
    let mut knee = (STRAIGHT, Bend::Nowhere);
    for (at, point) in points.iter().enumerate() {
        if below(point) > knee.0 {
            knee = (below(point), Bend::At(at));
        }
    }
    knee.1
}

#[cfg(test)]
mod tests {
    use super::super::{Cell, made_up};
    use super::*;

    #[test]
    fn knees_by_hand() {
        // Below the line by .3, .4, .3 of its height.
        assert_eq!(bend(&[(100.0, 0.0), (50.0, 10.0), (30.0, 15.0), (20.0, 25.0), (0.0, 50.0)]), Bend::At(2));
        // Of two equal ones the first.
        assert_eq!(bend(&[(4.0, 0.0), (2.0, 1.0), (1.0, 2.0), (0.0, 4.0)]), Bend::At(1));
        assert_eq!(bend(&[(2.0, 0.0), (1.0, 1.0), (0.0, 2.0)]), Bend::Nowhere);
        // It bends the other way.
        assert_eq!(bend(&[(4.0, 0.0), (3.0, 3.0), (0.0, 4.0)]), Bend::Nowhere);
        assert_eq!(bend(&[(4.0, 1.0), (3.0, 2.0), (2.0, 1.0)]), Bend::NoLoss);
        // A greater k is not safer.
        assert_eq!(bend(&[(1.0, 1.0), (3.0, 2.0)]), Bend::Nowhere);
        assert_eq!(bend(&[(1.0, 1.0)]), Bend::Nowhere);
        assert_eq!(bend(&[]), Bend::Nowhere);
    }

    const USER: &str = r#"{"model": "user-k-anonymity", "parameters": {"k": 5}}"#;
    const CONTENT: &str = r#"{"model": "content-threshold", "parameters": {"min-persons": 3}}"#;
    const ITEMS: &str = r#"{"model": "km-anonymity", "parameters": {"k": 5, "m": 2}}"#;
    const MORE_ITEMS: &str = r#"{"model": "km-anonymity", "parameters": {"k": 5, "m": 3}}"#;

    /// A method that loses `from` with the first k, and `more` with every further one.
    fn cells(method: &str, claims: &[&str], ks: &[usize], seed: u64, (from, more): (f64, f64)) -> Vec<Cell> {
        let claims: Vec<Value> = claims.iter().map(|claim| serde_json::from_str(claim).unwrap()).collect();
        let cell = |(at, &k): (usize, &usize)| {
            made_up::cell(method, k, seed, &claims, &[("information-loss-ratio", Some(from + more * at as f64))])
        };
        ks.iter().enumerate().map(cell).collect()
    }

    #[test]
    fn no_recommendation_goes_across_promises() {
        let ks = [3, 5, 7];
        let comparison = made_up::comparison(
            [
                cells("kindred", &[USER, CONTENT], &ks, 0, (30.0, 1.0)),
                cells("apriori", &[ITEMS], &ks, 0, (10.0, 1.0)),
                cells("apriori:m=3", &[MORE_ITEMS], &ks, 0, (20.0, 1.0)),
                cells("hghs", &[ITEMS], &ks, 0, (15.0, 1.0)),
            ]
            .concat(),
        );
        let found: Vec<(String, Option<String>)> =
            comparison.recommendations.iter().map(|own| (own.promise().as_typed(), own.choice())).collect();
        let expected = [
            ("user-k-anonymity", "kindred with k = 5"),
            ("content-threshold:min-persons=3", "kindred with k = 5"),
            ("km-anonymity:m=2", "apriori with k = 5"),
            ("km-anonymity:m=3", "apriori:m=3 with k = 5"),
        ];
        assert_eq!(found, expected.map(|(promise, choice)| (promise.to_owned(), Some(choice.to_owned()))));
        assert_eq!(comparison.recommendation, None);
    }

    #[test]
    fn what_the_best_does_not_promise_is_said() {
        let ks = [5, 6];
        let cheap = cells("user-microaggregation", &[USER], &ks, 0, (10.0, 1.0));
        let comparison = made_up::comparison([cells("kindred", &[USER, CONTENT], &ks, 0, (30.0, 1.0)), cheap].concat());
        let own = comparison.recommendation.unwrap();
        assert_eq!((own.model.as_str(), own.method.as_deref()), ("user-k-anonymity", Some("user-microaggregation")));
        let said = "kindred promises content-threshold:min-persons=3 as well, which user-microaggregation does not.";
        assert!(own.reason.ends_with(said), "{}", own.reason);
    }

    #[test]
    fn the_floor_holds_wherever_the_knee_is() {
        // The knee of 100/k against a straight loss is k = 3 or 4.
        let mut comparison = made_up::comparison(cells("kindred", &[USER], &[2, 3, 4, 6, 10], 0, (10.0, 1.0)));
        let k = |comparison: &Comparison| recommendations(comparison)[0].k;
        // 5 was not compared.
        assert_eq!(k(&comparison), Some(6));
        comparison.least_k = 3;
        assert_eq!(k(&comparison), Some(3));
        let few = made_up::comparison(cells("kindred", &[USER], &[2, 3, 4], 0, (10.0, 1.0)));
        let own = &few.recommendations[0];
        assert_eq!((own.k, &own.method, &few.recommendation), (None, &None, &None));
        assert!(own.reason.contains("No k of 5 or more was compared"), "{}", own.reason);
    }

    #[test]
    fn both_are_named_within_the_noise_of_seeds() {
        let with = |other: f64| {
            let of_seed = |seed: u64| {
                let noise = seed as f64;
                let own = cells("kindred", &[USER], &[5, 6], seed, (30.0 + noise, 2.0));
                [own, cells("user-microaggregation", &[USER], &[5, 6], seed, (other - noise, 2.0))].concat()
            };
            made_up::comparison((0..3).flat_map(of_seed).collect())
        };
        // Means 31 and 32, deviations 1 and 1.
        let near = with(33.0).recommendation.unwrap();
        assert_eq!(near.choice().as_deref(), Some("kindred or user-microaggregation with k = 5"));
        assert!(near.reason.contains("31 ± 1 % (user-microaggregation 32 ± 1)"), "{}", near.reason);
        assert!(near.reason.contains("Within the noise of 3 seeds"), "{}", near.reason);
        let far = with(34.1).recommendation.unwrap();
        assert_eq!((far.choice().as_deref(), far.as_good.len()), (Some("kindred with k = 5"), 0));
    }

    #[test]
    fn methods_without_k_and_cells_without_loss() {
        let rule = r#"{"model": "rho-uncertainty", "parameters": {"rho": 0.7}}"#;
        let comparison = made_up::comparison(cells("rho-uncertainty", &[rule], &[2, 3], 0, (10.0, 0.0)));
        assert_eq!(comparison.recommendation.unwrap().choice().as_deref(), Some("rho-uncertainty"));
        let claims = [serde_json::from_str(USER).unwrap()];
        let undefined = [("information-loss-ratio", None), ("rare-content", Some(1.0))];
        let cell = made_up::cell("kindred", 5, 0, &claims, &undefined);
        let own = made_up::comparison(vec![cell]).recommendations.remove(0);
        assert!(own.choice().is_none() && own.reason.starts_with("Nothing was measured"), "{}", own.reason);
    }
}
