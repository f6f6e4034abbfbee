//! What to choose: for each promise the method and the k that one can stand behind.
//!
//! # Rule
//! 1. Only methods that make the same promise are weighed against each other.
//! 2. The loss of a method with a k is the mean of what it loses by every measure of loss that all methods have, in per cent of
//!    everything, over all seeds; a person who is left out has lost everything.
//! 3. For each k the method counts whose risk and loss together, both in per cent, are least: a point of one weighs as much as a point of the
//!    other.
//! 4. Sums that differ by no more than both standard deviations over the seeds together are the same, and so are those that differ by
//!    no more than chance: 50 / sqrt(persons) points, the most by which the mean of a share over so many persons is off as a rule. Of several
//!    that are the same the one that risks least counts, if by more than chance.
//! 5. Risk against loss, from the smallest k to the greatest, is a curve. Its knee is the point farthest below the straight line
//!    between its ends, when both axes are stretched to the same length, and by more than chance.
//! 6. The knee is recommended, or the next greater k that was compared and is not below the floor.
//! 7. A curve without a knee, or whose losses differ by no more than chance, gives the smallest k that is not below the floor; one on
//!    which the greatest k loses least that one.
//! 8. Methods whose sums are the same at that k are named as well.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::curve::{Bend, Curve, Point, Weighed};
use super::promises::Promised;
use super::{Comparison, Promise};
use crate::catalog::{self, Role};
use crate::report::chart::plain;
use crate::words::thousands;

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
        match chosen(comparison, &curve) {
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
    let as_good: Vec<String> = choice.as_good.iter().map(|other| other.method.to_owned()).collect();
    let recommended: Vec<&str> =
        std::iter::once(choice.best.method).chain(as_good.iter().map(String::as_str)).collect();
    let reasons = Reasons { comparison, promised, curve: &curve, choice };
    let mut reason = why;
    for sentence in [
        reasons.cost(),
        reasons.by_measure(),
        reasons.noise(),
        reasons.left_out(),
        reasons.others(),
        reasons.little(),
        promised_beside(comparison, promised, &recommended),
    ] {
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

/// Losses of so many persons that differ by no more points than this may do so by chance: a share of everything differs between persons
/// by a standard deviation of at most 50 points, and that of a mean is smaller by the square root of their number.
pub(crate) fn chance(persons: u64) -> f64 {
    50.0 / (persons.max(1) as f64).sqrt()
}

/// The point to recommend, and why; `None` if none has so great a k.
fn chosen<'c, 'a>(comparison: &Comparison, curve: &'c Curve<'a>) -> Option<(&'c Point<'a>, String)> {
    let (points, least_k) = (&curve.points, comparison.least_k);
    let floor = points.iter().find(|point| point.k >= least_k)?;
    let (first, last) = (points.first()?, points.last()?);
    let risk = curve.risked.unwrap_or("the chance to be picked out");
    let smallest = format!("so the smallest k that may be recommended is taken, k = {}", floor.k);
    Some(match curve.bend() {
        Bend::At(place) if points[place].k >= floor.k => {
            let knee = &points[place];
            let at = |point: &Point<'_>| [point.best.risk, point.best.loss.mean].map(plain);
            let ([risk_first, loss_first], [risk_knee, loss_knee], [risk_last, loss_last]) =
                (at(first), at(knee), at(last));
            let why = format!(
                "k = {} is where risk against loss bends most: from k = {} {risk} goes from {risk_first} to {risk_knee} % while the loss goes \
                 from {loss_first} to {loss_knee} %; from there to k = {} they go to {risk_last} and {loss_last} %.",
                knee.k, first.k, last.k
            );
            (knee, why)
        }
        Bend::At(place) => (
            floor,
            format!(
                "Risk against loss bends most at k = {} already, but no k below {least_k} is recommended, {smallest}.",
                points[place].k
            ),
        ),
        Bend::NoLoss if last.k > floor.k => {
            (last, format!("No smaller k loses less here, so the greatest that was compared is taken, k = {}.", last.k))
        }
        Bend::NoLoss => (floor, format!("Of what was compared, only k = {} may be recommended.", floor.k)),
        Bend::Untold => (
            floor,
            format!(
                "From k = {} to {} the losses differ by no more than {} points, which with {} persons may be chance: the numbers do not tell \
                 one k from another, {smallest}. A greater one hides people better.",
                first.k,
                last.k,
                plain(chance(comparison.input.persons)),
                thousands(comparison.input.persons)
            ),
        ),
        Bend::Nowhere if points.len() > 1 => (floor, format!("No k stands out by more than chance, {smallest}.")),
        Bend::Nowhere => (floor, format!("Only k = {} was compared.", floor.k)),
    })
}

/// Whether k is a parameter of a method as typed.
fn has_parameter_k(typed: &str) -> bool {
    let name = typed.split(':').next().unwrap_or_default();
    catalog::item(Role::Method, name)
        .is_ok_and(|item| item.info().parameters.iter().any(|parameter| parameter.name == "k"))
}

/// A loss of this much leaves hardly anything, in per cent.
const NEARLY_ALL: f64 = 90.0;

/// The sentences after why it is this k: each is empty where it has nothing to say.
struct Reasons<'c, 'a> {
    comparison: &'c Comparison,
    promised: &'c Promised<'c>,
    curve: &'c Curve<'a>,
    choice: &'c Point<'a>,
}

impl<'a> Reasons<'_, 'a> {
    /// The choice, then the others.
    fn all(&self) -> impl Iterator<Item = &Weighed<'a>> {
        std::iter::once(&self.choice.best).chain(&self.choice.as_good).chain(&self.choice.worse)
    }

    fn measures(&self) -> Vec<&'static str> {
        self.comparison.losses(&self.promised.methods)
    }

    /// What the choice loses and risks, beside the others.
    fn cost(&self) -> String {
        let beside = |of: &dyn Fn(&Weighed<'_>) -> String| {
            let others: Vec<String> =
                self.all().skip(1).map(|other| format!("{} {}", other.method, of(other))).collect();
            if others.is_empty() { String::new() } else { format!(" ({})", others.join(", ")) }
        };
        let losses = beside(&|other| other.loss.in_words());
        let Weighed { method, risk, loss, .. } = self.choice.best;
        let measures = self.measures();
        let by = listed(&measures.iter().map(|measure| measure.replace('-', " ")).collect::<Vec<_>>());
        let by = if measures.len() > 1 { format!("the mean by {by}") } else { format!("by {by}") };
        let risk = self.curve.risked.map(|word| {
            let others = beside(&|other| plain(other.risk));
            format!("; {word} is {} %{others}", plain(risk))
        });
        format!("The loss with {method} is {} %{losses}, {by}{}.", loss.in_words(), risk.unwrap_or_default())
    }

    /// Which measures would choose another one.
    fn by_measure(&self) -> String {
        let chance = chance(self.comparison.input.persons);
        let own = self.choice.best.method;
        let mut others: Vec<(&str, Vec<String>)> = Vec::new();
        for measure in self.measures() {
            let lost = |weighed: &Weighed<'_>| self.comparison.lost_by(weighed.method, self.choice.k, measure);
            let Some(of_own) = lost(&self.choice.best) else { continue };
            let least = self.all().filter_map(|other| Some((other.method, lost(other)?)));
            let Some((method, least)) = least.min_by(|left, right| left.1.mean.total_cmp(&right.1.mean)) else {
                continue;
            };
            if method == own || of_own.mean - least.mean <= chance || of_own.is_like(least) {
                continue;
            }
            let said =
                format!("{} ({} against {} %)", measure.replace('-', " "), plain(least.mean), plain(of_own.mean));
            match others.iter_mut().find(|(other, _)| *other == method) {
                Some((_, measures)) => measures.push(said),
                None => others.push((method, vec![said])),
            }
        }
        let said =
            others.iter().map(|(method, measures)| format!("By {} alone {method} loses less.", listed(measures)));
        said.collect::<Vec<_>>().join(" ")
    }

    /// Why several are named.
    fn noise(&self) -> String {
        let Point { best, as_good, .. } = self.choice;
        if as_good.is_empty() {
            return String::new();
        }
        let names: Vec<String> = std::iter::once(best).chain(as_good).map(|own| own.method.to_owned()).collect();
        let names = listed(&names);
        let what = if self.curve.risked.is_some() { "risk and loss together" } else { "the loss" };
        let (seeds, persons) = (self.comparison.seeds.len(), self.comparison.input.persons);
        let (verb, differ) = if self.curve.risked.is_some() { ("are", "differ") } else { ("is", "differs") };
        let is_same = as_good.iter().all(|other| other.price.mean == best.price.mean);
        let is_by_seeds = seeds > 1 && as_good.iter().all(|other| other.price.is_like(best.price));
        let same = match (is_same, is_by_seeds) {
            (true, _) => format!("{what} {verb} the same with {names}"),
            (_, true) => format!("within the noise of {seeds} seeds {what} {verb} the same with {names}"),
            _ => format!(
                "between {names} {what} {differ} by no more than {} points, which with {} persons may be chance",
                plain(chance(persons)),
                thousands(persons)
            ),
        };
        let is_safer = as_good.iter().all(|other| other.risk - best.risk > chance(persons));
        let safer =
            if is_safer { format!("; {} comes first because it risks least", best.method) } else { String::new() };
        capitalised(&format!("{same}{safer}."))
    }

    /// Who leaves how many people out.
    fn left_out(&self) -> String {
        let share = |weighed: &Weighed<'_>| {
            let share = self.comparison.left_out(weighed.method, self.choice.k)?.mean;
            (share > 0.0).then(|| format!("{} {} %", weighed.method, plain(share)))
        };
        let all: Vec<String> = self.all().filter_map(share).collect();
        if all.is_empty() {
            return String::new();
        }
        format!("Persons left out, whose loss counts as whole: {}.", all.join(", "))
    }

    /// Who risks less at the price of a greater loss, or loses less at that of a greater risk.
    fn others(&self) -> String {
        let Some(word) = self.curve.risked else { return String::new() };
        let own = &self.choice.best;
        let chance = chance(self.comparison.input.persons);
        let least = |of: fn(&Weighed<'_>) -> f64| {
            let other = self.choice.worse.iter().min_by(|left, right| of(left).total_cmp(&of(right)));
            other.filter(|other| of(own) - of(other) > chance)
        };
        let safer = least(|own| own.risk).map(|other| {
            let [its, ours] = [other.risk, own.risk].map(plain);
            format!(
                "Where risk weighs more than loss, take {}: {word} is {its} % with it instead of {ours} %.",
                other.method
            )
        });
        let keeping = least(|own| own.loss.mean).map(|other| {
            let [its, ours] = [other.loss.mean, own.loss.mean].map(plain);
            format!("Where loss weighs more than risk, take {}: its loss is {its} % instead of {ours} %.", other.method)
        });
        safer.into_iter().chain(keeping).collect::<Vec<_>>().join(" ")
    }

    /// Whether the data are too few for all of this.
    fn little(&self) -> String {
        if self.choice.best.loss.mean < NEARLY_ALL {
            return String::new();
        }
        format!(
            "Hardly anything of these {} persons is kept: more persons, or rows of them, keep more.",
            thousands(self.comparison.input.persons)
        )
    }
}

/// A sentence with its capital letter.
fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Some words with commas and an and.
fn listed(words: &[String]) -> String {
    match words {
        [first @ .., second, last] => {
            let first: String = first.iter().map(|word| format!("{word}, ")).collect();
            format!("{first}{second} and {last}")
        }
        _ => words.concat(),
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

#[cfg(test)]
mod tests {
    use super::super::{Cell, made_up};
    use super::*;

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

    /// Cells of two measures of loss, with as many persons left out.
    fn small(method: &str, k: usize, [ratio, kept, exposure]: [f64; 3], left_out: u64) -> Cell {
        let claims = [serde_json::from_str(USER).unwrap()];
        let measures = [
            ("profile-exposure-level", Some(exposure)),
            ("information-loss-ratio", Some(ratio)),
            ("interests-kept", Some(kept)),
        ];
        Cell { persons_dropped: left_out, ..made_up::cell(method, k, 0, &claims, &measures) }
    }

    fn of_persons(persons: u64, cells: Vec<Cell>) -> Recommendation {
        let mut comparison = made_up::comparison(cells);
        comparison.input.persons = persons;
        recommendations(&comparison).remove(0)
    }

    #[test]
    fn who_is_left_out_has_lost_everything_and_one_measure_does_not_decide() {
        // By the ratio alone, which sees the persons of the release only, kindred would win.
        let own = of_persons(
            40,
            vec![small("kindred", 5, [49.0, 0.05, 0.0], 35), small("user-microaggregation", 5, [53.5, 0.25, 16.0], 0)],
        );
        assert_eq!(own.choice().as_deref(), Some("user-microaggregation with k = 5"));
        // (53.5 + 75) / 2 and 16, against (49 / 8 + 87.5 + 95) / 2 and 0.
        let said = "The loss with user-microaggregation is 64.2 % (kindred 94.3), the mean by information loss ratio and interests kept; \
                    mean exposure is 16 % (kindred 0). Persons left out, whose loss counts as whole: kindred 87.5 %. \
                    Where risk weighs more than loss, take kindred: mean exposure is 0 % with it instead of 16 %.";
        assert!(own.reason.contains(said), "{}", own.reason);
    }

    #[test]
    fn risk_weighs_as_much_as_loss() {
        // 45 and 18 together are more than 50 and 2.
        let cells =
            vec![small("kindred", 5, [50.0, 0.5, 2.0], 0), small("user-microaggregation", 5, [40.0, 0.5, 18.0], 0)];
        let own = of_persons(1000, cells);
        assert_eq!(own.choice().as_deref(), Some("kindred with k = 5"));
        let said = "Where loss weighs more than risk, take user-microaggregation: its loss is 45 % instead of 50 %.";
        assert!(own.reason.contains(said), "{}", own.reason);
    }

    #[test]
    fn few_persons_cannot_tell_methods_or_k_apart() {
        let cells = || {
            let of = |k: usize, more: f64| {
                let other = small("user-microaggregation", k, [50.0 + more, 0.5, 12.0], 0);
                [small("kindred", k, [72.0 + more, 0.5, 2.0], 0), other]
            };
            [of(5, 0.0), of(6, 3.0), of(7, 1.0)].concat()
        };
        // 50 / sqrt(40) is 7.9; 61 + 2 and 50 + 12 are as good as the same, and the safer one comes first.
        let few = of_persons(40, cells());
        assert_eq!(few.choice().as_deref(), Some("kindred or user-microaggregation with k = 5"));
        for said in [
            "From k = 5 to 7 the losses differ by no more than 7.9 points, which with 40 persons may be chance",
            "Between kindred and user-microaggregation risk and loss together differ by no more than 7.9 points",
            "kindred comes first because it risks least",
        ] {
            assert!(few.reason.contains(said), "{said}: {}", few.reason);
        }
        // By .5 points with 10,000.
        let many = of_persons(10_000, cells());
        assert_eq!((many.method.as_deref(), many.as_good.len()), (Some("user-microaggregation"), 0));
        assert!(!many.reason.contains("chance:"), "{}", many.reason);
    }

    #[test]
    fn measures_that_would_choose_another_are_named() {
        let cells =
            vec![small("kindred", 5, [80.0, 0.9, 0.0], 0), small("user-microaggregation", 5, [50.0, 0.4, 0.0], 0)];
        let own = of_persons(10_000, cells);
        assert_eq!(own.method.as_deref(), Some("kindred"));
        let said = "By information loss ratio (50 against 80 %) alone user-microaggregation loses less.";
        assert!(own.reason.contains(said), "{}", own.reason);
        let nothing = of_persons(10, vec![small("kindred", 5, [99.0, 0.01, 0.0], 8)]);
        assert!(nothing.reason.contains("Hardly anything of these 10 persons is kept"), "{}", nothing.reason);
    }
}
