//! Never walking alone: groups of at least k around pivots, and points moved the least way into a disc around the group's mean.
//!
//! Paper      Abul, Bonchi, Nanni. Never walk alone: uncertainty for anonymity in moving objects databases. ICDE 2008, algorithms 1 and 2.
//!
//! # Idea
//! 1. A pivot is the path farthest from all earlier pivots; the first one is the farthest from the middle one of all. Each takes its k - 1
//!    nearest of those that are free, if they are all within a radius; if not, it is no pivot, but others may take it.
//! 2. Who is left joins the nearest pivot within the radius, or is trash.
//! 3. As long as there is more trash than allowed, all of it is done again with a radius half as large again.
//! 4. Where a member of a group is more than delta / 2 from the group's mean, it is moved towards it until it is not.

use serde_json::json;

use crate::data::Paths;
use crate::distance::DistanceMatrix;
use crate::error::Error;
use crate::geo::tile::Tile;
use crate::geo::{Vector, between, distance, rounded};
use crate::info::{Parameter, ParameterKind};
use crate::methods::refusals::check_k;
use crate::models::k_delta_anonymity::{self, check_delta};
use crate::partition::mdav::medoid;
use crate::release::Claim;

/// How many paths may be left out.
pub(super) const TRASH: Parameter = Parameter {
    name: "trash",
    summary: "the share of the paths that may be left out, at most",
    kind: ParameterKind::Share,
    default: "0.1",
};
/// How wide the cylinder is.
pub(super) const DELTA: Parameter = k_delta_anonymity::DELTA;

/// What is wrong with the parameters that both methods have.
pub(super) fn check(k: usize, delta: f64, trash: f64, period: u64) -> Vec<Error> {
    let mut errors: Vec<Error> = check_k(k).into_iter().chain(check_delta(delta)).collect();
    if !(trash > 0.0 && trash < 1.0) {
        errors.push(Error::parameter("trash", format!("is {trash}, but must be a share above 0 and below 1")));
    }
    if period == 0 {
        errors.push(Error::parameter("period", "is 0, but must be at least one second"));
    }
    errors
}

/// What both methods claim.
pub(super) fn claim(k: usize, delta: f64) -> Claim {
    Claim::new(&k_delta_anonymity::INFO, [("k", json!(k)), ("delta", json!(delta))])
}

/// More paths than this are compared in blocks of neighbours.
const BLOCK: usize = 2_000;
/// How much of a disc is left free, in metres: more than what is lost by writing seven decimals, twice.
const MARGIN: f64 = 0.03;
/// What a radius is multiplied with.
const WIDER: f64 = 1.5;

/// Groups, each with its members in rising order, and who is in none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Groups {
    pub(super) members: Vec<Vec<u32>>,
    pub(super) trash: Vec<u32>,
}

/// Groups of at least k with no more trash than allowed, from a radius on. There are at least k paths, and k is at least 2.
pub(super) fn groups(distances: &DistanceMatrix, k: usize, start: f64, most_trash: usize) -> Groups {
    let all: Vec<u32> = (0..distances.len() as u32).collect();
    let middle = medoid(distances, &all);
    let mut radius = start;
    loop {
        let found = within(distances, k, radius, middle);
        if found.trash.len() <= most_trash || !radius.is_finite() {
            return found;
        }
        // Beyond the greatest number everybody is within the radius.
        radius *= WIDER;
    }
}

/// Groups of at least k whose members are all within a radius of their pivot.
fn within(distances: &DistanceMatrix, k: usize, radius: f64, middle: u32) -> Groups {
    let len = distances.len();
    let far = |left: usize, right: usize| distances.get(left, right);
    let (mut is_free, mut may_be_pivot) = (vec![true; len], vec![true; len]);
    // How far everybody is from the nearest earlier pivot.
    let mut apart: Vec<f64> = (0..len).map(|path| far(middle as usize, path)).collect();
    let mut has_pivot = false;
    let mut groups: Vec<(usize, Vec<u32>)> = Vec::new();
    let mut free = len;
    while free >= k {
        let candidates = (0..len).filter(|&path| is_free[path] && may_be_pivot[path]);
        // Ties go to the lower number: the last of equal ones is taken, so they are looked at from the end.
        let Some(pivot) = candidates.rev().max_by(|&left, &right| apart[left].total_cmp(&apart[right])) else { break };
        may_be_pivot[pivot] = false;
        for (path, apart) in apart.iter_mut().enumerate() {
            let distance = far(pivot, path);
            *apart = if has_pivot { apart.min(distance) } else { distance };
        }
        has_pivot = true;
        let mut near: Vec<(f64, u32)> = (0..len)
            .filter(|&path| is_free[path] && path != pivot)
            .map(|path| (far(pivot, path), path as u32))
            .collect();
        let order = |left: &(f64, u32), right: &(f64, u32)| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1));
        if near.len() > k - 1 {
            near.select_nth_unstable_by(k - 2, order);
            near.truncate(k - 1);
        }
        if near.iter().any(|&(distance, _)| distance > radius) {
            continue;
        }
        let mut members: Vec<u32> = near.into_iter().map(|(_, path)| path).chain([pivot as u32]).collect();
        members.sort_unstable();
        members.iter().for_each(|&member| is_free[member as usize] = false);
        free -= members.len();
        groups.push((pivot, members));
    }
    let mut trash = Vec::new();
    for path in (0..len).filter(|&path| is_free[path]) {
        let nearest =
            (0..groups.len()).min_by(|&left, &right| far(groups[left].0, path).total_cmp(&far(groups[right].0, path)));
        match nearest.filter(|&group| far(groups[group].0, path) <= radius) {
            Some(group) => groups[group].1.push(path as u32),
            None => trash.push(path as u32),
        }
    }
    groups.iter_mut().for_each(|(_, members)| members.sort_unstable());
    Groups { members: groups.into_iter().map(|(_, members)| members).collect(), trash }
}

/// How many of some paths may be left out.
pub(super) fn most_trash(share: f64, len: usize) -> usize {
    // A little more, so that a tenth of ten is one.
    (share * len as f64 + 1e-9).floor() as usize
}

/// Persons in blocks of neighbours, each of at least k: in the order of the quadkeys of the middles of their points.
pub(super) fn blocks(paths: &Paths, persons: &[u32], k: usize) -> Vec<Vec<u32>> {
    let most = BLOCK.max(2 * k);
    if persons.len() <= most {
        return vec![persons.to_vec()];
    }
    let code = |person: u32| {
        let (lat, lon) = mean(paths.range(person as usize).map(|point| paths.place(point)));
        Tile::at(lat, lon, 20).code()
    };
    let mut order: Vec<(u64, u32)> = persons.iter().map(|&person| (code(person), person)).collect();
    order.sort_unstable();
    let count = persons.len().div_ceil(most);
    let edge = |block: usize| block * persons.len() / count;
    let block = |number: usize| {
        let mut block: Vec<u32> = order[edge(number)..edge(number + 1)].iter().map(|&(_, person)| person).collect();
        block.sort_unstable();
        block
    };
    (0..count).map(block).collect()
}

/// The mean of places.
pub(super) fn mean(places: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
    let mut sum = Vector([0.0; 3]);
    places.for_each(|place| sum.add(Vector::of(place)));
    sum.place()
}

/// A place moved the least way into the disc of a diameter around a middle, as it is written.
pub(super) fn pulled(middle: (f64, f64), place: (f64, f64), diameter: f64) -> (f64, f64) {
    let (most, far) = (diameter / 2.0 - MARGIN, distance(middle, place) * 1000.0);
    if far <= most { (rounded(place.0), rounded(place.1)) } else { between(middle, place, most / far) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn on_a_line(points: &[f64]) -> DistanceMatrix {
        DistanceMatrix::from_fn(points.len(), |left, right| (points[left] - points[right]).abs())
    }

    /// 0 1 2 10 11 12 50, k = 3: the middle is 10, farthest is 50. Within 5 it finds nobody; 0 takes 1 and 2; farthest of all is then
    /// 11 (11 from 0, 39 from 50) or 12 (12, 38): 12 takes 10 and 11. 50 is trash, or joins 12 once the radius is 38.
    #[test]
    fn on_paper() {
        let points = on_a_line(&[0.0, 1.0, 2.0, 10.0, 11.0, 12.0, 50.0]);
        let found = groups(&points, 3, 5.0, 1);
        assert_eq!((found.members, found.trash), (vec![vec![0, 1, 2], vec![3, 4, 5]], vec![6]));
        let all = groups(&points, 3, 5.0, 0);
        assert!(all.trash.is_empty() && all.members.iter().all(|members| members.len() >= 3), "{all:?}");
        assert_eq!(groups(&on_a_line(&[1.0, 1.0]), 2, 5.0, 0).members, [vec![0, 1]]);
    }

    #[test]
    fn pulled_the_least_way() {
        let middle = (47.0, 8.0);
        assert_eq!(pulled(middle, (47.0001, 8.0), 100.0), (47.0001, 8.0));
        let place = pulled(middle, (47.01, 8.01), 100.0);
        let far = distance(middle, place) * 1000.0;
        assert!((49.95..50.0).contains(&far), "{far}");
        assert!((distance(place, (47.01, 8.01)) + far / 1000.0 - distance(middle, (47.01, 8.01))).abs() < 1e-4);
    }

    #[test]
    fn shares() {
        assert_eq!([most_trash(0.1, 10), most_trash(0.1, 9), most_trash(0.29, 100)], [1, 0, 29]);
    }

    /// The greedy choice as the header says it, step by step, with lists.
    fn plainly(points: &[f64], k: usize, radius: f64) -> Groups {
        let far = |left: u32, right: u32| (points[left as usize] - points[right as usize]).abs();
        let mut free: Vec<u32> = (0..points.len() as u32).collect();
        let (mut pivots, mut members): (Vec<u32>, Vec<Vec<u32>>) = (Vec::new(), Vec::new());
        let mut tried = vec![medoid(&on_a_line(points), &free)];
        let mut is_first = true;
        while free.len() >= k {
            let open: Vec<u32> = free.iter().copied().filter(|path| is_first || !tried.contains(path)).collect();
            let least = |path: u32| tried.iter().map(|&other| far(path, other)).fold(f64::MAX, f64::min);
            let Some(&pivot) = open.iter().rev().max_by(|left, right| least(**left).total_cmp(&least(**right))) else {
                break;
            };
            if is_first {
                tried.clear();
                is_first = false;
            }
            tried.push(pivot);
            let mut order = free.clone();
            order.sort_by(|&left, &right| far(pivot, left).total_cmp(&far(pivot, right)).then(left.cmp(&right)));
            order.retain(|&path| path != pivot);
            order.truncate(k - 1);
            if order.iter().all(|&path| far(pivot, path) <= radius) {
                order.push(pivot);
                order.sort_unstable();
                free.retain(|path| !order.contains(path));
                pivots.push(pivot);
                members.push(order);
            }
        }
        let mut trash = Vec::new();
        for path in free {
            let group =
                (0..pivots.len()).min_by(|&left, &right| far(pivots[left], path).total_cmp(&far(pivots[right], path)));
            match group.filter(|&group| far(pivots[group], path) <= radius) {
                Some(group) => members[group].push(path),
                None => trash.push(path),
            }
        }
        members.iter_mut().for_each(|members| members.sort_unstable());
        Groups { members, trash }
    }

    proptest! {
        #[test]
        fn as_plainly(points in prop::collection::vec(0..200_u32, 2..20), k in 2..5_usize, radius in 0..100_u32, share in 0.0..0.5_f64) {
            prop_assume!(points.len() >= k);
            let points: Vec<f64> = points.into_iter().map(f64::from).collect();
            let (space, radius) = (on_a_line(&points), f64::from(radius));
            let all: Vec<u32> = (0..points.len() as u32).collect();
            prop_assert_eq!(within(&space, k, radius, medoid(&space, &all)), plainly(&points, k, radius));
            let found = groups(&space, k, radius + 1.0, most_trash(share, points.len()));
            prop_assert!(found.members.iter().all(|members| members.len() >= k));
            prop_assert!(found.trash.len() <= most_trash(share, points.len()));
            let mut everybody: Vec<u32> = found.members.concat();
            everybody.extend(&found.trash);
            everybody.sort_unstable();
            prop_assert_eq!(everybody, all);
        }
    }
}
