//! The attacks of every report: what somebody who knows a little achieves against a release, and against the file as it was.
//!
//! `protect` and `compare` hold the link, so they can play the attacker themselves; `audit` plays those that need none. Which attacks these are
//! their cards say (`in_reports`); how much is known, [`Asked::for_reports`].

use serde::Serialize;
use throng_core::attacks::{Asked, Attack, Outcome, Promise, Scene, Setting};
use throng_core::progress::{Progress, Silent};
use throng_core::{Need, Result};

use super::attack;
use super::judged::Skipped;
use crate::kinds::{Kinded, Known};

/// What an attack achieves against a release, and beside it what it achieves against the unprotected file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Attacked {
    /// Against the release.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Against the original itself, by the same knowledge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unprotected: Option<Unprotected>,
}

/// What an attack achieves against the unprotected file.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Unprotected {
    /// Its rate.
    pub rate: Option<f64>,
    /// How often the target was among those who were singled out.
    pub found: Option<f64>,
}

/// How many bytes of memory the attacks take for each row, about.
const BYTES_A_ROW: u64 = 80;

/// Why a run that may take so much memory does without attacks on so many rows.
pub(super) fn too_large(memory: Option<u64>, rows: usize) -> Option<&'static str> {
    // The data themselves, and what they became, are in memory beside.
    let is_too_large = memory.is_some_and(|limit| BYTES_A_ROW * rows as u64 > limit / 4);
    is_too_large.then_some("does not fit into the memory that `--memory` allows")
}

/// The attacks of every report.
pub(super) fn in_reports<D: Kinded>() -> Vec<&'static dyn Attack<D>> {
    D::SHELF.attacks.iter().copied().filter(|attack| attack.info().in_reports).collect()
}

/// What is asked of them.
fn asked<D: Kinded>(promises: Vec<Promise>) -> Asked {
    let usual = Asked::for_reports(promises);
    let Known { facts, targets, is_for_reports, .. } = D::KNOWN;
    match is_for_reports {
        true => Asked { settings: facts.iter().map(|&p| Setting::plain(p)).collect(), targets, ..usual },
        false => usual,
    }
}

/// How exposed people are in a file: attacks on it by whoever knows a little of what is in it, those of `audit` or of `inspect`.
pub(super) fn exposure<D: Kinded>(
    data: &D,
    promises: Vec<Promise>,
    of_audit: bool,
    progress: &dyn Progress,
) -> Result<Vec<Outcome>> {
    let is_played = |attack: &&dyn Attack<D>| attack.info().is_exposure || of_audit && attack.info().in_audit;
    let attacks: Vec<&'static dyn Attack<D>> = D::SHELF.attacks.iter().copied().filter(is_played).collect();
    if attacks.is_empty() {
        return Ok(Vec::new());
    }
    let (ones, link) = (vec![1; data.persons()], (0..data.persons() as u32).map(Some).collect::<Vec<_>>());
    let scene = Scene::new(data, data, &ones, Some(&link), progress);
    let asked = Asked { draws: D::KNOWN.draws, ..asked::<D>(promises) };
    Ok(attack::run(&attacks, &scene, &asked, false, progress)?.attacks)
}

/// A release as attackers see it, and who has which of its records: one person may have several.
pub(super) struct Released<'a, D> {
    pub(super) original: &'a D,
    pub(super) release: &'a D,
    /// For each record how many persons it stands for.
    pub(super) multiplicity: &'a [u32],
    /// Persons of the original with their records.
    pub(super) links: &'a [(u32, u32)],
}

/// For each of so many persons their record; and of persons who have several, the further ones.
pub(super) fn first_and_further(links: &[(u32, u32)], persons: usize) -> (Vec<Option<u32>>, Vec<(u32, u32)>) {
    let (mut link, mut further) = (vec![None; persons], Vec::new());
    for &(person, record) in links {
        if let Some(other) = link[person as usize].replace(record) {
            further.push((person, other));
        }
    }
    (link, further)
}

/// Plays the attacks of every report against a release.
pub(super) fn against<D: Kinded>(
    released: &Released<'_, D>,
    promises: Vec<Promise>,
    progress: &dyn Progress,
) -> Result<(Vec<Outcome>, Vec<Skipped>)> {
    let Released { original, release, multiplicity, links } = *released;
    let (link, further) = first_and_further(links, original.persons());
    let scene = Scene::new(original, release, multiplicity, Some(&link), progress).with_further(&further);
    let played = attack::run(&in_reports::<D>(), &scene, &asked::<D>(promises), false, progress)?;
    Ok((played.attacks, played.skipped))
}

/// The same, and beside each what it achieves against the unprotected file.
pub(super) fn before_and_after<D: Kinded>(
    released: &Released<'_, D>,
    promises: Vec<Promise>,
    progress: &dyn Progress,
) -> Result<(Vec<Attacked>, Vec<Skipped>)> {
    let (after, skipped) = against(released, promises, progress)?;
    let original = released.original;
    let persons = original.persons();
    let link: Vec<Option<u32>> = (0..persons as u32).map(Some).collect();
    let ones = vec![1; persons];
    let scene = Scene::new(original, original, &ones, Some(&link), progress);
    // An attack that knows nothing of persons says nothing of an original.
    let mut attacks = in_reports::<D>();
    attacks.retain(|attack| attack.info().needs.contains(&Need::Link));
    let before = attack::run(&attacks, &scene, &asked::<D>(Vec::new()), false, progress)?.attacks;
    let with_before = |outcome: Outcome| {
        let same = |other: &&Outcome| (other.name, &other.knowledge) == (outcome.name, &outcome.knowledge);
        let unprotected = before.iter().find(same).map(|other| Unprotected { rate: other.rate, found: other.found });
        Attacked { outcome, unprotected }
    };
    Ok((after.into_iter().map(with_before).collect(), skipped))
}

/// Plays the attacks of whoever has other lines of the same persons than the release was made from: here those are the original.
pub(super) fn by_other_lines<D: Kinded>(
    released: &Released<'_, D>,
    asked: &Asked,
) -> Result<(Vec<Outcome>, Vec<Skipped>)> {
    let Released { original, release, multiplicity, links } = *released;
    let (link, further) = first_and_further(links, original.persons());
    let scene = Scene::new(original, release, multiplicity, Some(&link), &Silent).with_further(&further);
    let (mut found, mut skipped) = (Vec::new(), Vec::new());
    for attack in D::SHELF.attacks.iter().filter(|attack| attack.info().takes_other_lines) {
        match scene.lacks(attack.info()) {
            Some(need) => {
                skipped.push(Skipped { name: attack.info().info.name, reason: need.reason().to_owned() });
            }
            None => found.extend(attack.attack(&scene, asked)?),
        }
    }
    Ok((found, skipped))
}

/// Plays the attacks that another release of the same persons makes possible: for each person of one of both their groups.
pub(super) fn beside_another<D: Kinded>(
    original: &D,
    release: &D,
    groups: &[[Option<u32>; 2]],
    promises: Vec<Promise>,
    other_k: Option<f64>,
    progress: &dyn Progress,
) -> Result<Vec<Attacked>> {
    let needs_other = |attack: &&dyn Attack<D>| attack.info().needs.contains(&Need::OtherRelease);
    let attacks: Vec<&'static dyn Attack<D>> = D::SHELF.attacks.iter().copied().filter(needs_other).collect();
    let ones = vec![1; release.persons()];
    let scene = Scene::new(original, release, &ones, None, progress).with_groups(Some(groups));
    let asked = Asked { other_k, ..asked::<D>(promises) };
    let found = attack::run(&attacks, &scene, &asked, true, progress)?.attacks;
    Ok(found.into_iter().map(|outcome| Attacked { outcome, unprotected: None }).collect())
}

/// The attacks that need nothing but a release.
pub(super) fn alone<D: Kinded>() -> Vec<&'static dyn Attack<D>> {
    let beside = [Need::Link, Need::Control, Need::Reference, Need::OtherRelease];
    let needs_none = |attack: &&dyn Attack<D>| !attack.info().needs.iter().any(|need| beside.contains(need));
    D::SHELF.attacks.iter().copied().filter(needs_none).collect()
}

/// Plays such attacks against data of which nothing else is known.
pub(super) fn without_link<D: Kinded>(
    attacks: &[&'static dyn Attack<D>],
    data: &D,
    k: usize,
    progress: &dyn Progress,
) -> Result<Vec<Outcome>> {
    let ones = vec![1; data.persons()];
    let scene = Scene::new(data, data, &ones, None, progress);
    let promises = attack::natural_promise::<D>(k).into_iter().collect();
    Ok(attack::run(attacks, &scene, &asked::<D>(promises), false, progress)?.attacks)
}
