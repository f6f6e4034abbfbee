//! rho-uncertainty: whatever is known of a person, no sensitive item follows with more than the confidence rho.
//!
//! Paper      Cao, Karras, Raïssi, Tan. rho-uncertainty: inference-proof transaction anonymization. VLDB 2010; paper 002,
//!            section 2.8; reading C21.
//! Promises   whoever knows any items of a person, sensitive ones too, is right about another sensitive item with
//!            probability at most rho.
//! Does not   hold against knowledge of what a person does not have; does not hide who is who.
//!
//! # Idea
//! For each sensitive item s:
//! 1. Take two persons to be of one class if their baskets are equal but for s. The confidence of X -> s is the share of s
//!    in all classes that hold X together, so it is at most the greatest share of one class: where no class exceeds rho,
//!    nothing does.
//! 2. Adding to X what all baskets with X and s have in common makes the confidence higher, or leaves it. So only such
//!    closed X are looked at, each once (prefix-preserving closure extension: Uno, Asai, Uchida, Arimura, LCM, 2004).
//! 3. Whole baskets come first: they are closed, and mostly the worst. Then the search goes only where a class is that
//!    exceeds the worst so far, and where enough persons with s are left.
//!
//! # Formula
//! confidence(X -> s) = Sup(X + s) / Sup(X), X not empty unless asked for, s not in X.
//!
//! # Cost
//! Time in the worst case exponential in the length of baskets; O(n) walks along lists where classes decide. Memory O(n l).

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::itemsets::Index;
use super::{MOST_STEPS, Model, Verdict, Witness, undecided};
use crate::data::Baskets;
use crate::error::{Error, Result};
use crate::info::{Info, Parameter, ParameterKind};

/// The card of the model.
pub const INFO: Info = Info {
    name: "rho-uncertainty",
    summary: "whatever items of a person are known, no sensitive item follows with more than the confidence rho",
    paper: "Cao, Karras, Raïssi, Tan. rho-uncertainty: inference-proof transaction anonymization. VLDB 2010; as reviewed \
            in Milani Fard's thesis (Simon Fraser University, 2010), section 2.8",
    details: "Baskets are read as sets. For every set X of items, public or sensitive, and every sensitive item s outside it, \
        the share of persons with s among those with X is the confidence of X -> s. It may be at most rho; exactly rho is \
        allowed. X is not empty; with --empty-antecedent it may be, and then no sensitive item may be more \
        common than rho in the whole file.\n\
        Achieved is the greatest confidence; where the exact number would take too long, the rho that was asked for and \
        found to hold, and none where it was found to fail. A witness names the sensitive item last.\n\
        Items are read as they stand in the file; a general item is one item like any other, and an item above a sensitive \
        one is not sensitive unless it is named as such.\n\
        Promises: whoever knows any items of a person is right about another sensitive item with a probability of at most \
        rho.\n\
        Does not promise: that a person is one of k; anything against someone who knows what a person does not have.",
    parameters: &[
        Parameter {
            name: "rho",
            summary: "how sure one may be of a sensitive item, at most",
            kind: ParameterKind::Share,
            default: "0.5",
        },
        Parameter {
            name: "empty-antecedent",
            summary: "judge also how common a sensitive item is in the whole file",
            kind: ParameterKind::Switch,
            default: "false",
        },
    ],
};

/// About a second of work.
const BUDGET: u64 = 200_000_000;
/// How far the persons with a whole basket are counted.
const FLOOR_LIMIT: u64 = 256;

/// What the model can be told.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How sure one may be of a sensitive item, at most.
    pub rho: f64,
    /// Whether nothing is something to know.
    pub empty_antecedent: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self { rho: 0.5, empty_antecedent: false }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct RhoUncertainty {
    params: Params,
}

impl RhoUncertainty {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if !(params.rho > 0.0 && params.rho <= 1.0) {
            return Err(Error::parameter("rho", format!("is {}, but must be above 0 and at most 1", params.rho)));
        }
        Ok(Self { params })
    }

    fn check_within(&self, data: &Baskets, budget: u64) -> Result<Verdict> {
        super::refuse_groups(data, INFO.name)?;
        let index = Index::new(data, true);
        let rho = self.params.rho;
        let persons = data.persons() as u64;
        // Without bounds first: that gives the greatest confidence. If it takes too long, rho decides.
        let mut search = Search::new(&index, persons, self.params.empty_antecedent, 0.0, budget);
        search.run();
        let exact = !search.out_of_steps;
        if !exact && search.bound <= rho {
            let search_on = Search::new(&index, persons, self.params.empty_antecedent, rho, MOST_STEPS);
            search = Search { decides: true, ..search_on };
            search.run();
            if search.out_of_steps && search.found.is_none() {
                return Err(undecided(INFO.name));
            }
        }
        let holds = search.bound <= rho;
        let mut achieved = Map::new();
        if exact || holds {
            achieved.insert("rho".into(), json!(search.bound));
        }
        let witness = search.found.filter(|_| !holds).map(|rule| rule.witness(&index, persons));
        Ok(Verdict { holds, achieved, witness })
    }
}

impl Model<Baskets> for RhoUncertainty {
    fn needs_sensitive(&self) -> bool {
        true
    }

    fn check(&self, data: &Baskets) -> Result<Verdict> {
        self.check_within(data, BUDGET)
    }
}

/// An antecedent in rising order of rank, and a sensitive item.
struct Rule {
    known: Vec<u32>,
    secret: u32,
}

impl Rule {
    fn witness(self, index: &Index, persons: u64) -> Witness {
        let support = |known: &[u32]| if known.is_empty() { persons } else { index.whole_support(known) };
        let confidence = |known: &[u32]| index.whole_support(&with(known, self.secret)) as f64 / support(known) as f64;
        let reached = confidence(&self.known);
        let is_empty = self.known.is_empty();
        let known =
            index.without_needless(self.known, |known| (is_empty || !known.is_empty()) && confidence(known) >= reached);
        let mut items = index.named(&known);
        items.extend(index.named(&[self.secret]));
        Witness {
            person: index.first_person(&with(&known, self.secret)),
            group_size: support(&known) as usize,
            items,
            numbers: Map::from_iter([
                ("support".into(), json!(support(&known))),
                ("confidence".into(), json!(confidence(&known))),
            ]),
        }
    }
}

struct Search<'a> {
    index: &'a Index,
    persons: u64,
    empty_antecedent: bool,
    /// Only a higher confidence is of interest.
    bound: f64,
    found: Option<Rule>,
    /// Whether the first find ends the search.
    decides: bool,
    budget: u64,
    steps: u64,
    out_of_steps: bool,
}

/// A class of persons with the sensitive item.
#[derive(Clone, Copy)]
struct Carrier {
    class: u32,
    weight: u64,
    /// The share of the sensitive item among the persons whose baskets are equal but for it.
    share: f64,
    /// How many persons have the rest of the basket, counted up to a limit.
    floor: u64,
}

impl<'a> Search<'a> {
    fn new(index: &'a Index, persons: u64, empty_antecedent: bool, bound: f64, budget: u64) -> Self {
        Self {
            index,
            persons,
            empty_antecedent,
            bound,
            found: None,
            decides: false,
            budget,
            steps: 0,
            out_of_steps: false,
        }
    }

    fn run(&mut self) {
        let index = self.index;
        let secrets = index.publics()..index.items();
        let carriers: Vec<Vec<Carrier>> = secrets.clone().map(|secret| self.carriers(secret)).collect();
        for (secret, carriers) in secrets.zip(carriers) {
            if self.is_over() {
                return;
            }
            if carriers.iter().any(|carrier| carrier.share > self.bound) {
                let known = common(index, &carriers, secret);
                self.see(&known, secret, carriers.iter().map(|carrier| carrier.weight).sum());
                self.grow(&known, secret, None, &carriers);
            }
        }
    }

    fn is_over(&mut self) -> bool {
        self.out_of_steps |= self.bound < 1.0 && self.steps > self.budget;
        self.bound >= 1.0 || (self.decides && self.found.is_some()) || self.out_of_steps
    }

    /// The classes with a sensitive item; looks at whole baskets on the way.
    fn carriers(&mut self, secret: u32) -> Vec<Carrier> {
        let index = self.index;
        let total = index.list(secret).iter().map(|&class| index.weight(class)).sum::<u64>();
        if self.empty_antecedent {
            self.see(&[], secret, total);
        }
        let mut carriers = Vec::new();
        for &class in index.list(secret) {
            let rest: Vec<u32> = index.row(class).iter().copied().filter(|&rank| rank != secret).collect();
            if rest.is_empty() && !self.empty_antecedent {
                continue;
            }
            if self.is_over() {
                break;
            }
            let weight = index.weight(class);
            let share = weight as f64 / (weight + index.exact(&rest)) as f64;
            let floor = match rest.is_empty() {
                true => self.persons,
                false => index.support(&rest, FLOOR_LIMIT, &mut self.steps),
            };
            if share > self.bound && floor < FLOOR_LIMIT {
                let together = index.support(index.row(class), u64::MAX, &mut self.steps);
                self.see(&rest, secret, together);
            }
            carriers.push(Carrier { class, weight, share, floor });
        }
        carriers
    }

    /// Looks at a rule that `together` persons bear out.
    fn see(&mut self, known: &[u32], secret: u32, together: u64) {
        if known.is_empty() && !self.empty_antecedent {
            return;
        }
        // So many persons with what is known are too many to exceed the bound.
        let limit = if self.bound > 0.0 { (together as f64 / self.bound) as u64 + 2 } else { u64::MAX };
        let support = match known.is_empty() {
            true => self.persons,
            false => self.index.support(known, limit, &mut self.steps),
        };
        let confidence = together as f64 / support as f64;
        if confidence > self.bound {
            self.bound = confidence;
            self.found = Some(Rule { known: known.to_vec(), secret });
        }
    }

    /// Looks at every closed set that grows from `known` by an item after `last`.
    fn grow(&mut self, known: &[u32], secret: u32, last: Option<u32>, carriers: &[Carrier]) {
        let index = self.index;
        let mut places: Vec<(u32, u32)> = Vec::new();
        for (at, carrier) in carriers.iter().enumerate() {
            let row = index.row(carrier.class);
            let start = last.map_or(0, |last| row.partition_point(|&rank| rank <= last));
            let next = row[start..].iter().filter(|&&rank| rank != secret);
            places.extend(next.map(|&rank| (rank, at as u32)));
        }
        self.steps += places.len() as u64 * 4;
        places.sort_unstable();
        for group in places.chunk_by(|left, right| left.0 == right.0) {
            let rank = group[0].0;
            if known.binary_search(&rank).is_ok() {
                continue;
            }
            let narrower: Vec<Carrier> = group.iter().map(|&(_, at)| carriers[at as usize]).collect();
            let together: u64 = narrower.iter().map(|carrier| carrier.weight).sum();
            let floor = narrower.iter().map(|carrier| carrier.floor).min().unwrap_or(1);
            let share = narrower.iter().map(|carrier| carrier.share).fold(0.0, f64::max);
            if share <= self.bound || together as f64 / floor as f64 <= self.bound {
                continue;
            }
            let closed = common(index, &narrower, secret);
            self.steps += narrower.len() as u64 * closed.len() as u64;
            // A set whose closure brings in an earlier item grows from elsewhere.
            let is_first = closed.iter().take_while(|&&item| item < rank).all(|item| known.binary_search(item).is_ok());
            if is_first {
                self.see(&closed, secret, together);
                self.grow(&closed, secret, Some(rank), &narrower);
            }
            if self.is_over() {
                return;
            }
        }
    }
}

/// What all carriers have in common beside the sensitive item.
fn common(index: &Index, carriers: &[Carrier], secret: u32) -> Vec<u32> {
    let Some((first, others)) = carriers.split_first() else { return Vec::new() };
    let mut items: Vec<u32> = index.row(first.class).iter().copied().filter(|&rank| rank != secret).collect();
    for carrier in others {
        let mut row = index.row(carrier.class).iter().peekable();
        items.retain(|item| {
            while row.next_if(|&other| other < item).is_some() {}
            row.peek() == Some(&item)
        });
    }
    items
}

/// A set with one more item, in rising order.
fn with(known: &[u32], secret: u32) -> Vec<u32> {
    let mut together = known.to_vec();
    together.insert(known.partition_point(|&rank| rank < secret), secret);
    together
}

#[cfg(test)]
mod tests {
    use super::super::testing::{baskets, random, subsets, support};
    use super::*;
    use proptest::prelude::*;

    fn model(rho: f64, empty_antecedent: bool) -> RhoUncertainty {
        RhoUncertainty::new(Params { rho, empty_antecedent }).unwrap()
    }

    #[test]
    fn exactly_rho_is_allowed() {
        // a -> s and b -> s in one of two, {a, b} -> s in one of one.
        let data = |rows: &[&str]| baskets(rows).with_sensitive(vec![19]);
        let verdict = model(0.5, false).check(&data(&["a s", "a", "b s", "b"])).unwrap();
        assert!(verdict.holds);
        assert_eq!(verdict.achieved["rho"], 0.5);
        let verdict = model(0.5, false).check(&data(&["a", "a b s", "b"])).unwrap();
        let witness = verdict.witness.unwrap();
        assert_eq!((witness.person, witness.group_size, witness.items), (1, 1, vec![1, 2, 19]));
        assert_eq!((&witness.numbers["support"], &witness.numbers["confidence"]), (&json!(1), &json!(1.0)));
    }

    #[test]
    fn a_secret_may_give_another_away() {
        let data = baskets(&["s t", "s t", "s", "a", "a t"]).with_sensitive(vec![19, 20]);
        let verdict = model(0.5, false).check(&data).unwrap();
        // s -> t in two of three, t -> s in two of three.
        assert_eq!(verdict.achieved["rho"], 2.0 / 3.0);
        assert_eq!(verdict.witness.unwrap().items, [20, 19]);
    }

    #[test]
    fn nothing_is_known_on_request() {
        let data = baskets(&["s", "s", "a"]).with_sensitive(vec![19]);
        assert!(model(0.5, false).check(&data).unwrap().holds);
        let verdict = model(0.5, true).check(&data).unwrap();
        let witness = verdict.witness.unwrap();
        assert_eq!((witness.group_size, witness.items), (3, vec![19]));
        assert!(model(0.5, true).check(&baskets(&[])).unwrap().holds);
        assert!(RhoUncertainty::new(Params { rho: 1.5, ..Params::default() }).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(6000))]
        #[test]
        fn as_by_trying_all_rules(
            data in random(12, 6, 6), tenths in 1..=10u32, secrets in 0..=2u32, empty: bool, budget in 0..200u64,
        ) {
            let data = data.with_sensitive((1..=secrets).collect());
            let rho = f64::from(tenths) / 10.0;
            let mut greatest: f64 = 0.0;
            for person in 0..data.persons() {
                for set in subsets(data.basket(person)) {
                    for at in (0..set.len()).filter(|&at| data.is_sensitive(set[at])) {
                        let mut known = set.clone();
                        known.remove(at);
                        if empty || !known.is_empty() {
                            greatest = greatest.max(support(&data, &set) as f64 / support(&data, &known) as f64);
                        }
                    }
                }
            }
            let verdict = model(rho, empty).check(&data).unwrap();
            prop_assert_eq!(&verdict.achieved["rho"], &json!(greatest));
            prop_assert_eq!(verdict.holds, greatest <= rho);
            prop_assert_eq!(verdict.witness.is_some(), greatest > rho);
            if let Some(witness) = verdict.witness {
                let (_, known) = witness.items.split_last().unwrap();
                prop_assert_eq!(support(&data, known), witness.group_size);
                prop_assert_eq!(support(&data, &witness.items) as f64 / witness.group_size as f64, greatest);
                prop_assert!(witness.items.iter().all(|item| data.basket(witness.person as usize).contains(item)));
            }
            // Without the time for the extreme the verdict is the same.
            prop_assert_eq!(model(rho, empty).check_within(&data, budget).unwrap().holds, greatest <= rho);
        }
    }
}
