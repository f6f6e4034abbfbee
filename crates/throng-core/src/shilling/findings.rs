//! What the paper found, held against the shifts of an experiment.
//!
//! Paper      Ray, Mahanti 2008, sections 2.1, 5 and 7. Its figures 2 to 5 are pictures without numbers: only which curve lies above which
//!            can be compared.
//! Readings   R14: why favourites at the highest rating cannot move an adjusted cosine.
//!
//! # Formula
//! A size holds if the mean shift over the draws of the one attack is above that of the other; "as strong" holds if the one is within a
//! tenth of the other. A finding holds if all its sizes do. Nuking is held against it with the sign turned.

use std::ops::Range;

use super::{Attack, Class, Direction, Experiment, Plan};
use crate::recommenders::Name;

/// The size from which the paper sees no difference in its third figure.
const LARGE: f64 = 0.12;
/// How far apart are two attacks that are as strong, as a share of the weaker one.
const ALIKE: f64 = 0.1;

/// A sentence of the paper, and whether it is so here.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The figure that it stands under, from 2 to 5.
    pub figure: u8,
    /// What the paper says.
    pub says: String,
    /// Whether that holds at all sizes; none if it was not tried.
    pub holds: Option<bool>,
    /// Size by size.
    pub sizes: Vec<Compared>,
    /// Why it cannot be otherwise, where that is known.
    pub why: Option<&'static str>,
}

/// Two mean shifts at a size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compared {
    /// The size, as a share of persons.
    pub size: f64,
    /// What should be above.
    pub upper: f64,
    /// What should be below.
    pub lower: f64,
    /// Whether it is so.
    pub holds: bool,
}

/// A curve: by which recommender, on which targets, which attack.
type Curve = (Name, Class, Attack);

const ONLY_ENDS: &str = "A profile of nothing but the highest rating has that mean and deviates from it nowhere, so that it adds nothing to any adjusted cosine; only the random \
     fillers of a list that is too short do (eq. 3)";

struct Claim {
    figure: u8,
    says: &'static str,
    upper: Curve,
    lower: Curve,
    sizes: Range<f64>,
    are_alike: bool,
    why: Option<&'static str>,
}

/// The paper's findings, figure by figure. What nothing was tried for has no sizes.
pub fn findings(plan: &Plan, experiment: &Experiment) -> Vec<Finding> {
    use Attack::{Average, Bandwagon, Ih, Il, Random, Segment, Uh, Ul};
    use Class::{High, Low};
    use Name::{ItemAdjustedCosine as Item, UserPearson as User};
    let all = 0.0..f64::INFINITY;
    let claim = |figure, says, upper, lower| Claim {
        figure,
        says,
        upper,
        lower,
        sizes: all.clone(),
        are_alike: false,
        why: None,
    };
    let claims = [
        claim(2, "ul moves low targets more than average at all sizes", (User, Low, Ul), (User, Low, Average)),
        claim(2, "average moves more than random", (User, Low, Average), (User, Low, Random)),
        claim(2, "average moves more than bandwagon", (User, Low, Average), (User, Low, Bandwagon)),
        claim(2, "average moves more than segment", (User, Low, Average), (User, Low, Segment)),
        Claim {
            sizes: 0.0..LARGE,
            ..claim(
                3,
                "uh moves high targets more than average at sizes below 12 %",
                (User, High, Uh),
                (User, High, Average),
            )
        },
        Claim {
            sizes: LARGE..f64::INFINITY,
            are_alike: true,
            ..claim(3, "uh and average are as strong from 12 % on", (User, High, Uh), (User, High, Average))
        },
        Claim {
            why: Some(ONLY_ENDS),
            ..claim(4, "il moves low targets more than average at all sizes", (Item, Low, Il), (Item, Low, Average))
        },
        claim(
            4,
            "average moves user based predictions more than item based ones",
            (User, Low, Average),
            (Item, Low, Average),
        ),
        Claim {
            why: Some(ONLY_ENDS),
            ..claim(
                4,
                "il moves item based predictions more than ul moves user based ones",
                (Item, Low, Il),
                (User, Low, Ul),
            )
        },
        Claim {
            why: Some(ONLY_ENDS),
            ..claim(5, "ih moves high targets more than average at all sizes", (Item, High, Ih), (Item, High, Average))
        },
        claim(
            5,
            "average moves user based predictions more than item based ones",
            (User, High, Average),
            (Item, High, Average),
        ),
        Claim {
            why: Some(ONLY_ENDS),
            ..claim(
                5,
                "ih moves item based predictions more than uh moves user based ones",
                (Item, High, Ih),
                (User, High, Uh),
            )
        },
    ];
    claims.into_iter().map(|claim| claim.held(plan, experiment)).collect()
}

impl Claim {
    fn held(self, plan: &Plan, experiment: &Experiment) -> Finding {
        let mut sizes = Vec::new();
        for &size in plan.sizes.iter().filter(|&size| self.sizes.contains(size)) {
            let mean = |curve: Curve| mean_shift(plan, experiment, curve, size);
            if let (Some(upper), Some(lower)) = (mean(self.upper), mean(self.lower)) {
                let holds = match self.are_alike {
                    false => upper > lower,
                    true => (upper - lower).abs() <= ALIKE * upper.abs().min(lower.abs()),
                };
                sizes.push(Compared { size, upper, lower, holds });
            }
        }
        let holds = (!sizes.is_empty()).then(|| sizes.iter().all(|compared| compared.holds));
        // A reason is one for not holding.
        let why = self.why.filter(|_| holds == Some(false));
        Finding { figure: self.figure, says: self.says.to_owned(), holds, sizes, why }
    }
}

/// The mean over the draws of how far an attack moved predictions to where it wants them.
fn mean_shift(plan: &Plan, experiment: &Experiment, (name, class, attack): Curve, size: f64) -> Option<f64> {
    let is_one = |recommender: usize| plan.recommenders.get(recommender).is_some_and(|params| params.name == name);
    let shifts: Vec<f64> = experiment
        .shifts
        .iter()
        .filter(|one| is_one(one.recommender) && (one.class, one.attack, one.size) == (class, attack, size))
        .filter_map(|one| one.shift)
        .collect();
    let sign = if plan.direction == Direction::Push { 1.0 } else { -1.0 };
    (!shifts.is_empty()).then(|| sign * shifts.iter().sum::<f64>() / shifts.len() as f64)
}
