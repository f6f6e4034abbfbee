//! Neighbourhood: somebody who knows how many neighbours each neighbour of a person has, or the graph that they form, looks for them.
//!
//! Paper      Hay, Miklau, Jensen, Towsley, Weis. Resisting structural re-identification in anonymized social networks. VLDB 2008 (H2); the
//!            graph that neighbours form: Zhou, Pei. Preserving privacy in social networks against neighborhood attacks. ICDE 2008.
//!
//! # Formula
//! hits = the sum over targets of 1 / c if they are among the candidates, who are c: in a graph everybody with neighbours of these
//! degrees, in a masked network everybody in a cluster beside which such neighbours have room (`structure`). Baseline 1 / persons; bound
//! 1 / k. With the radius one, who knows the graph that the person and their neighbours form: candidates are all whose neighbours form the same
//! (`around`), or all of the clusters beside whose counts so many neighbours with so many edges among them have room.
//!
//! # Cost
//! Time O(targets x blocks).

use super::around::Known;
use super::structure::attack;
use super::{Asked, Attack, AttackInfo, Outcome, Scene};
use crate::data::Graph;
use crate::error::Result;
use crate::info::Info;

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "neighbourhood",
        summary: "somebody who knows how many neighbours each neighbour of a person has looks for them",
        paper: "Hay, Miklau, Jensen, Towsley, Weis. Resisting structural re-identification in anonymized social networks. VLDB 2008",
        details: "The attacker knows the sorted degrees of the target's neighbours, by which most persons of a social graph are alone \
            (`parts.unique_before`). In a graph, candidates are all with neighbours of the same degrees; in a masked network all persons of \
            the clusters beside whose counts such neighbours have room. hits adds up 1 / candidates.\n\
            `--radius-one`: the attacker knows the graph that the target and their neighbours form instead.\n\
            graph-k-anonymity(k) promises at most 1 / k. Needs the link between persons (--key).",
        parameters: &[],
    },
    who: [
        "knows how many neighbours each of somebody's neighbours has",
        "knows how many neighbours each of somebody's neighbours has",
    ],
    in_reports: true,
    ..AttackInfo::DEFAULT
};

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct Neighbourhood;

impl Attack<Graph> for Neighbourhood {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, Graph>, asked: &Asked) -> Result<Vec<Outcome>> {
        let known = if asked.radius_one { Known::Shape } else { Known::Neighbours };
        attack(&INFO, known, scene, asked)
    }
}
