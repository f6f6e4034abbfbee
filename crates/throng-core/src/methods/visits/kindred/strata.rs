//! Strata: visitors who may share a group, by the class of their browser and their system.
//!
//! # Idea
//! A stratum is a class of browsers on a system. It needs 4 k visitors, so that everybody finds like ones in it. Smaller ones of a class join
//! each other; if they are still too few they join the largest stratum of their class, or, where their class has none, all others of their
//! sort in the same place. Humans and bots never meet.

use std::collections::BTreeMap;

use crate::data::Visits;
use crate::data::visits::{Agent, Class};

/// A stratum needs so many times k visitors.
const LARGE: usize = 4;

/// The strata of some visitors, each in rising order; none has fewer than k, if all together have not.
pub(super) fn strata(visits: &Visits, sort: &[u32], k: usize) -> Vec<Vec<u32>> {
    let mut by: BTreeMap<Class, BTreeMap<&str, Vec<u32>>> = BTreeMap::new();
    for &person in sort {
        let agent = agent_of(visits, person as usize);
        by.entry(agent.class).or_default().entry(&agent.system).or_default().push(person);
    }
    let least = LARGE * k;
    let mut strata: Vec<Vec<u32>> = Vec::new();
    let mut rest: Vec<u32> = Vec::new();
    for systems in by.into_values() {
        let (large, small): (Vec<Vec<u32>>, Vec<Vec<u32>>) = systems.into_values().partition(|own| own.len() >= least);
        let small = small.concat();
        let first = strata.len();
        strata.extend(large);
        if small.len() >= least {
            strata.push(small);
        } else if let Some(largest) = largest(&mut strata[first..]) {
            largest.extend(small);
        } else {
            rest.extend(small);
        }
    }
    if rest.len() < k
        && let Some(largest) = largest(&mut strata)
    {
        largest.append(&mut rest);
    }
    strata.push(rest);
    strata.retain(|own| !own.is_empty());
    strata.iter_mut().for_each(|own| own.sort_unstable());
    strata
}

/// The largest of some strata; of several the first.
fn largest(strata: &mut [Vec<u32>]) -> Option<&mut Vec<u32>> {
    let at = (0..strata.len()).max_by_key(|&at| (strata[at].len(), std::cmp::Reverse(at)))?;
    strata.get_mut(at)
}

/// What a visitor's browser is: that of their first line that has one.
pub(super) fn agent_of(visits: &Visits, person: usize) -> &Agent {
    static NONE: Agent = Agent::NONE;
    visits.range(person).map(|row| visits.agent(row)).find(|agent| **agent != NONE).unwrap_or(&NONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::VisitsBuilder;
    use crate::data::visits::{Part, Visit};

    /// Visitors with browsers called `Family System`.
    fn log(agents: &[(&str, usize)]) -> Visits {
        let mut builder = VisitsBuilder::new();
        let mut number = 0;
        for &(agent, count) in agents {
            for _ in 0..count {
                let mut visit = Visit::default();
                visit.texts[Part::Agent as usize] = Some(agent);
                builder.push(&number.to_string(), &visit, 1);
                number += 1;
            }
        }
        builder.finish().0.with_agents(|text| {
            let (family, system) = text.split_once(' ').unwrap();
            Agent {
                family: family.to_owned(),
                system: system.to_owned(),
                class: Class::of_family(family, false),
                ..Agent::NONE
            }
        })
    }

    fn sizes(agents: &[(&str, usize)], k: usize) -> Vec<usize> {
        let visits = log(agents);
        let everybody: Vec<u32> = (0..visits.persons() as u32).collect();
        let strata = strata(&visits, &everybody, k);
        let mut all = strata.concat();
        all.sort_unstable();
        assert_eq!(all, everybody);
        strata.iter().map(Vec::len).collect()
    }

    #[test]
    fn small_ones_join() {
        // Chrome on two systems; a small third joins the larger of them.
        assert_eq!(sizes(&[("Chrome A", 12), ("Chrome B", 9), ("Chrome C", 2)], 2), [14, 9]);
        // Small ones of a class make a stratum of their own where they are enough.
        assert_eq!(sizes(&[("Chrome A", 12), ("Firefox A", 4), ("Firefox B", 4)], 2), [12, 8]);
        // Classes that are too small are together, and, if that is fewer than k, with the largest.
        assert_eq!(sizes(&[("Chrome A", 12), ("Firefox A", 2), ("Opera A", 1)], 2), [12, 3]);
        assert_eq!(sizes(&[("Chrome A", 12), ("Opera A", 1)], 2), [13]);
        assert_eq!(sizes(&[("Chrome A", 1), ("Opera A", 1)], 2), [2]);
    }
}
