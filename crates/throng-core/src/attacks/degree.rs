//! Degree: somebody who knows how many neighbours a person has looks for them.
//!
//! Paper      Hay, Miklau, Jensen, Towsley, Weis. Resisting structural re-identification in anonymized social networks. VLDB 2008 (H1).
//!
//! # Formula
//! hits = the sum over targets of 1 / c if they are among the candidates, who are c: in a graph everybody of that degree, in a masked
//! network everybody in a cluster that can have somebody of that degree (`structure`). Baseline 1 / persons; bound 1 / k.
//!
//! # Cost
//! Time O(targets x clusters).

use super::around::Known;
use super::structure::attack;
use super::{Asked, Attack, AttackInfo, Outcome, Scene};
use crate::data::Graph;
use crate::error::Result;
use crate::info::Info;

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "degree",
        summary: "somebody who knows how many neighbours a person has looks for them",
        paper: "Hay, Miklau, Jensen, Towsley, Weis. Resisting structural re-identification in anonymized social networks. VLDB 2008",
        details: "The attacker knows the target's number of neighbours. In a graph, candidates are all with as many; in a masked network all \
            persons of the clusters whose counts leave room for somebody with as many, and do not force more upon everybody. hits adds up \
            1 / candidates. `parts.unique_before` is the share of persons who are alone by it in the original.\n\
            graph-k-anonymity(k) promises at most 1 / k. Needs the link between persons (--key).",
        parameters: &[],
    },
    who: ["knows how many neighbours somebody has", "knows how many neighbours somebody has"],
    in_reports: true,
    ..AttackInfo::DEFAULT
};

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct Degree;

impl Attack<Graph> for Degree {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, Graph>, asked: &Asked) -> Result<Vec<Outcome>> {
        attack(&INFO, Known::Degree, scene, asked)
    }
}
