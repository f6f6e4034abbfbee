//! Group: somebody knows p points of a person, and takes the record that is nearest to them.
//!
//! Paper      Ours: the price of a release that keeps real points.
//!
//! # Formula
//! p points of the target are drawn. For each different record the mean of the great circles from these points to the nearest point of the record;
//! the nearest record is taken, several that are equally near share. A hit is the record that is the target's own; they are then still one
//! of k in it, so nothing is promised against it. Baseline: one of all different records. Whoever has fewer than p points is left out.
//!
//! # Readings
//! Ours: records with the same points at the same times are one. Means that differ by less than a millimetre are equal.
//!
//! # Cost
//! For each draw a walk outwards from each point, until no record that was not met can be nearer than the best one (Fagin's threshold).

use std::collections::{BTreeMap, HashSet};

use serde_json::json;

use super::super::{Asked, Attack, AttackInfo, Attempt, Outcome, Released, Scene, Setting};
use super::{Drawn, draws, outcomes};
use crate::data::Paths;
use crate::error::Result;
use crate::geo::Vector;
use crate::geo::nearest::{NearestPlaces, along, square_between};
use crate::info::Info;

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "group",
        summary: "somebody who knows a few points of a person takes the record that is nearest to them",
        paper: "Ours",
        details: "The attacker knows p true points of the target, drawn at random (--draws, 20 of each person; all there are, if they are no \
            more), and takes the record that is nearest to them on average; several that are equally near share. A hit is the target's own \
            record. That is the price of keeping real points: a release of groups promises nothing against it, for the person is then still one of k \
            in that record. The baseline is one of all different records. Whoever has fewer than p points is left out, and counted in `left_out`.",
        parameters: &[],
    },
    who: ["knows one point, and looks for the group", "knows {} points, and looks for the group"],
    in_reports: true,
    no_promise: "whoever is found by it is still one of k in the record",
    ..AttackInfo::DEFAULT
};

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct Group;

/// Means that differ by less are equal, in kilometres.
const EQUAL: f64 = 1e-6;

/// Different records, and where they are.
struct Records {
    /// For each record of the release its number among the different ones.
    number_of: Vec<u32>,
    places_of: Vec<Vec<Vector>>,
    tree: NearestPlaces,
    /// For each place of the tree the records that are there.
    records_at: Vec<Vec<u32>>,
}

impl Records {
    fn of(released: Released<'_, Paths>) -> Self {
        let release = released.data;
        let points = |record: u32| {
            release.range(record as usize).map(|point| {
                let (lat, lon) = release.place(point);
                (release.time(point), lat.to_bits(), lon.to_bits())
            })
        };
        let mut order: Vec<u32> = (0..release.persons() as u32).collect();
        order.sort_by(|&left, &right| points(left).cmp(points(right)).then(left.cmp(&right)));
        let mut number_of = vec![0; order.len()];
        let mut places_of: Vec<Vec<Vector>> = Vec::new();
        let mut records_at: BTreeMap<(u64, u64), Vec<u32>> = BTreeMap::new();
        for same in order.chunk_by(|&left, &right| points(left).eq(points(right))) {
            let number = places_of.len() as u32;
            same.iter().for_each(|&record| number_of[record as usize] = number);
            let mut places: Vec<(u64, u64)> = points(same[0]).map(|(_, lat, lon)| (lat, lon)).collect();
            places.sort_unstable();
            places.dedup();
            places.iter().for_each(|&place| records_at.entry(place).or_default().push(number));
            places_of.push(places.into_iter().map(vector).collect());
        }
        let tree = NearestPlaces::new(records_at.keys().map(|&place| vector(place)));
        Self { number_of, places_of, tree, records_at: records_at.into_values().collect() }
    }

    fn mean_distance(&self, record: u32, points: &[Vector]) -> f64 {
        let nearest = |&point: &Vector| {
            let squares = self.places_of[record as usize].iter().map(|&place| square_between(point, place));
            along(squares.fold(f64::INFINITY, f64::min))
        };
        points.iter().map(nearest).sum::<f64>() / points.len() as f64
    }

    /// The records that are nearest to some points on average.
    fn nearest(&self, points: &[Vector]) -> Vec<u32> {
        let mut walks: Vec<_> = points.iter().map(|&point| self.tree.from(point)).collect();
        let mut reached = vec![0.0; points.len()];
        let (mut met, mut least, mut found) = (HashSet::new(), f64::INFINITY, Vec::new());
        loop {
            for (walk, reached) in walks.iter_mut().zip(&mut reached) {
                let Some((distance, place)) = walk.next() else { return nearest_of(found, least) };
                *reached = distance;
                for &record in &self.records_at[place as usize] {
                    if met.insert(record) {
                        let mean = self.mean_distance(record, points);
                        least = least.min(mean);
                        if mean <= least + EQUAL {
                            found.push((mean, record));
                        }
                    }
                }
            }
            // Whatever was not met is at least so far from each of the points.
            if reached.iter().sum::<f64>() / points.len() as f64 > least + EQUAL {
                return nearest_of(found, least);
            }
        }
    }
}

fn vector((lat, lon): (u64, u64)) -> Vector {
    Vector::of((f64::from_bits(lat), f64::from_bits(lon)))
}

fn nearest_of(found: Vec<(f64, u32)>, least: f64) -> Vec<u32> {
    found.into_iter().filter(|(mean, _)| *mean <= least + EQUAL).map(|(_, record)| record).collect()
}

/// A target, and for each setting the draws of their points.
type Target = (u32, Vec<Vec<Vec<Vector>>>);

impl Attack<Paths> for Group {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, Paths>, asked: &Asked) -> Result<Vec<Outcome>> {
        let settings = asked.heeded(&INFO);
        let knowing = scene.knowing(|source| {
            let original = source.original;
            let target = |person: u32| {
                let range = original.range(person as usize);
                let of = |&setting: &Setting| {
                    let chosen = draws(range.len(), setting.p, asked.draws, &mut asked.rng(person, setting));
                    let points = |draw: Vec<u32>| {
                        draw.into_iter().map(|at| Vector::of(original.place(range.start + at as usize))).collect()
                    };
                    chosen.into_iter().map(points).collect()
                };
                (person, settings.iter().map(of).collect())
            };
            Ok(asked.targets_of(original.persons()).into_iter().map(target).collect::<Vec<Target>>())
        })?;
        knowing.looking(|released, _| Ok(Records::of(released)))?.all(
            Vec::len,
            |records, targets, target, say| {
                targets[target].1.iter().flatten().for_each(|points| say(records.nearest(points)));
            },
            |truth, records, targets, target, nearest| {
                let own: HashSet<u32> =
                    truth.records_of(targets[target].0).map(|record| records.number_of[record as usize]).collect();
                let found = nearest.iter().filter(|record| own.contains(record)).count();
                let hit = if found > 0 { found as f64 / nearest.len() as f64 } else { 0.0 };
                let attempt = Attempt { hit, found: if found > 0 { 1.0 } else { 0.0 } };
                Drawn { attempt, is_unique: nearest.len() == 1 }
            },
            |records, targets, drawn| {
                let counts = |target: usize, setting: usize| targets[target].1[setting].len();
                let baseline = Some(1.0 / records.places_of.len() as f64).filter(|share| share.is_finite());
                let found = outcomes(&INFO, &settings, drawn, counts, |p| json!({"points": p}));
                let without_unique = |mut outcome: Outcome| {
                    outcome.own.remove("unique");
                    outcome.with_baseline(baseline).with_parts(json!({"records": records.places_of.len()}))
                };
                found.into_iter().map(without_unique).collect()
            },
        )
    }
}
