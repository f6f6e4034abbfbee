//! A kind, whichever it is: the commands hold one out of the list, and come to its type through it.

use std::io::Write;
use std::marker::PhantomData;
use std::path::Path;

use serde_json::Value;
use throng_core::data::FactSort;
use throng_core::profiles::lines::Pages;
use throng_core::progress::Progress;
use throng_core::{Error, Result, Rng};

use super::{Ask, KINDS, KindCard, Kinded, Made, Purpose, Recognition};
use crate::catalog::{Listed, Role};
use crate::certificate::Output;
use crate::held_release::HeldRelease;
use crate::io::{Format, Location, Opened};
use crate::policy::{Policy, Seen};
use crate::run::{
    self, AttackOutcome, AttackRequest, Audit, AuditRequest, Certified, CheckOutcome, CheckRequest, DistanceOutcome,
    DryRun, Filled, Inspection, MeasureOutcome, MeasureRequest, ProtectRequest, ReadWords, Staged, Staging, Studied,
    SynthRequest,
};

/// A kind, whichever it is: what the commands hold.
pub trait AnyKind: Send + Sync {
    /// Its name and words.
    fn card(&self) -> &'static KindCard;
    /// How a file of it is recognised.
    fn recognition(&self) -> &'static Recognition;
    /// Everything on its shelf.
    fn listed(&self) -> Vec<Listed>;
    /// Refuses parameters that a method or model on its shelf cannot take.
    fn check_parameters(&self, role: Role, name: &str, given: &[(String, String)]) -> Result<()>;
    /// Whether a method on its shelf claims no model, and has no k.
    fn promises_nothing(&self, method: &str) -> Result<bool>;
    /// Whether a method has no k: it makes no crowds.
    fn has_no_k(&self, method: &str) -> Result<bool>;
    /// Whether a method adds noise whose parameters can be kept.
    fn adds_noise(&self, method: &str) -> Result<bool>;
    /// Repeats a paper's evaluation on a file.
    fn study(&self, work: &run::StudyWork<'_>, opened: Opened) -> Result<Studied>;
    /// Protects, writes, checks and measures.
    fn stage(&self, staging: &Staging<'_>, opened: Opened, rng: &mut Rng) -> Result<Staged>;
    /// Writes the data of a release that is in memory into a folder, in a format.
    fn save(
        &self,
        held: &HeldRelease,
        certified: &Certified,
        opened: Opened,
        place: (&Path, Format),
        progress: &dyn Progress,
    ) -> Result<Output>;
    /// Says what protecting would do.
    fn plan(
        &self,
        request: &ProtectRequest,
        location: &Location,
        opened: Opened,
        progress: &dyn Progress,
    ) -> Result<DryRun>;
    /// Checks a file.
    fn check(
        &self,
        request: &CheckRequest,
        certified: &Certified,
        opened: Opened,
        progress: &dyn Progress,
    ) -> Result<CheckOutcome>;
    /// Says of a file whether it is anonymous.
    fn audit(
        &self,
        request: &AuditRequest,
        certified: &Certified,
        opened: Opened,
        progress: &dyn Progress,
    ) -> Result<Audit>;
    /// Measures a release against its original.
    fn measure(
        &self,
        request: &MeasureRequest,
        certified: &Certified,
        opened: [Opened; 2],
        progress: &dyn Progress,
    ) -> Result<MeasureOutcome>;
    /// Plays the adversary against a release.
    fn attack(&self, request: &AttackRequest, pair: run::OpenPair, progress: &dyn Progress) -> Result<AttackOutcome>;
    /// Fills the grid of a comparison.
    fn compare(&self, work: &run::Work<'_>, opened: Opened) -> Result<Filled>;
    /// Looks at a file.
    fn inspect(
        &self,
        request: &run::InspectRequest,
        certified: &Certified,
        opened: Opened,
        progress: &dyn Progress,
    ) -> Result<Inspection>;
    /// The words of persons' lines, for profiles.
    fn line_words(&self, opened: Opened, ask: &Ask, pages: &Pages, progress: &dyn Progress) -> Result<ReadWords>;
    /// The distance of two persons.
    fn distance(
        &self,
        request: &run::DistanceRequest,
        certified: &Certified,
        opened: Opened,
        progress: &dyn Progress,
    ) -> Result<DistanceOutcome>;
    /// Opens what shares in a release can be opened.
    fn open_shares(
        &self,
        request: &run::SharesRequest,
        certified: &Certified,
        opened: Opened,
        progress: &dyn Progress,
    ) -> Result<run::SharesOutcome>;
    /// Makes up data.
    fn synth(&self, request: &SynthRequest, stdout: &mut (dyn Write + Send), progress: &dyn Progress) -> Result<Made>;
    /// What a release says, as far as a policy asks.
    fn policy_seen(
        &self,
        policy: &Policy,
        certified: &Certified,
        opened: Opened,
        progress: &dyn Progress,
    ) -> Result<Seen>;
    /// The ids of the persons of a release.
    fn person_ids(&self, opened: Opened, ask: &Ask, progress: &dyn Progress) -> Result<Vec<String>>;
    /// A witness in words.
    fn witness_in_words(&self, witness: &Value) -> String;
}

/// A kind by its type.
pub(super) struct Of<D>(PhantomData<fn() -> D>);

pub(super) const fn of<D>() -> Of<D> {
    Of(PhantomData)
}

impl<D: Kinded> AnyKind for Of<D> {
    fn card(&self) -> &'static KindCard {
        &const { D::CARD }
    }

    fn recognition(&self) -> &'static Recognition {
        &const { D::RECOGNITION }
    }

    fn listed(&self) -> Vec<Listed> {
        D::SHELF.listed()
    }

    fn check_parameters(&self, role: Role, name: &str, given: &[(String, String)]) -> Result<()> {
        match role {
            Role::Method => D::SHELF.method(Some(name))?.with(given).map(drop),
            Role::Model => D::SHELF.model(name)?.with(given).map(drop),
            Role::Measure | Role::Attack | Role::Distance | Role::Detector => Ok(()),
        }
    }

    fn promises_nothing(&self, method: &str) -> Result<bool> {
        Ok(!D::SHELF.method(Some(method))?.with(&[])?.0.promises())
    }

    fn has_no_k(&self, method: &str) -> Result<bool> {
        let (method, _) = D::SHELF.method(Some(method))?.with(&[])?;
        Ok(!method.promises() || !method.makes_crowds())
    }

    fn adds_noise(&self, method: &str) -> Result<bool> {
        Ok(D::SHELF.method(Some(method))?.with(&[])?.0.adds_noise())
    }

    fn study(&self, work: &run::StudyWork<'_>, opened: Opened) -> Result<Studied> {
        work.on::<D>(opened)
    }

    fn save(
        &self,
        held: &HeldRelease,
        certified: &Certified,
        opened: Opened,
        place: (&Path, Format),
        progress: &dyn Progress,
    ) -> Result<Output> {
        run::save_as::<D>(held, certified, opened, place, progress)
    }

    fn stage(&self, staging: &Staging<'_>, opened: Opened, rng: &mut Rng) -> Result<Staged> {
        run::stage::<D>(staging, opened, rng)
    }

    fn plan(
        &self,
        request: &ProtectRequest,
        location: &Location,
        opened: Opened,
        progress: &dyn Progress,
    ) -> Result<DryRun> {
        run::plan::<D>(request, location, opened, progress)
    }

    fn check(
        &self,
        request: &CheckRequest,
        certified: &Certified,
        opened: Opened,
        progress: &dyn Progress,
    ) -> Result<CheckOutcome> {
        run::check_as::<D>(request, certified, opened, progress)
    }

    fn audit(
        &self,
        request: &AuditRequest,
        certified: &Certified,
        opened: Opened,
        progress: &dyn Progress,
    ) -> Result<Audit> {
        run::audit_as::<D>(request, certified, opened, progress)
    }

    fn measure(
        &self,
        request: &MeasureRequest,
        certified: &Certified,
        opened: [Opened; 2],
        progress: &dyn Progress,
    ) -> Result<MeasureOutcome> {
        run::measure_as::<D>(request, certified, opened, progress)
    }

    fn attack(&self, request: &AttackRequest, pair: run::OpenPair, progress: &dyn Progress) -> Result<AttackOutcome> {
        run::attack_as::<D>(request, pair, progress)
    }

    fn compare(&self, work: &run::Work<'_>, opened: Opened) -> Result<Filled> {
        work.on::<D>(opened)
    }

    fn line_words(&self, opened: Opened, ask: &Ask, pages: &Pages, progress: &dyn Progress) -> Result<ReadWords> {
        ReadWords::of::<D>(opened, ask, pages, progress)
    }

    fn inspect(
        &self,
        request: &run::InspectRequest,
        certified: &Certified,
        opened: Opened,
        progress: &dyn Progress,
    ) -> Result<Inspection> {
        run::inspect_as::<D>(request, certified, opened, progress)
    }

    fn distance(
        &self,
        request: &run::DistanceRequest,
        certified: &Certified,
        opened: Opened,
        progress: &dyn Progress,
    ) -> Result<DistanceOutcome> {
        run::distance_as::<D>(request, certified, opened, progress)
    }

    fn open_shares(
        &self,
        request: &run::SharesRequest,
        certified: &Certified,
        opened: Opened,
        progress: &dyn Progress,
    ) -> Result<run::SharesOutcome> {
        run::open_shares_as::<D>(request, certified, opened, progress)
    }

    fn synth(&self, request: &SynthRequest, stdout: &mut (dyn Write + Send), progress: &dyn Progress) -> Result<Made> {
        D::synth(request, stdout, progress)
    }

    fn policy_seen(
        &self,
        policy: &Policy,
        certified: &Certified,
        opened: Opened,
        progress: &dyn Progress,
    ) -> Result<Seen> {
        run::policy_seen_as::<D>(policy, certified, opened, progress)
    }

    fn person_ids(&self, opened: Opened, ask: &Ask, progress: &dyn Progress) -> Result<Vec<String>> {
        let read = D::read(opened, ask, Purpose::Release, progress)?;
        Ok(read.data.names().iter().map(str::to_owned).collect())
    }

    fn witness_in_words(&self, witness: &Value) -> String {
        D::witness_in_words(witness)
    }
}

/// The kind with this name.
pub fn named(name: &str) -> Result<&'static dyn AnyKind> {
    let found = KINDS.iter().find(|kind| kind.card().name == name).copied();
    found.ok_or_else(|| Error::unknown("kind of data", name, KINDS.iter().map(|kind| kind.card().name)))
}

/// The words for a kind by its name; those of people and their rows for one that is not known, as in a certificate of a later
/// throng.
pub(crate) fn card_of(name: &str) -> &'static KindCard {
    named(name).map_or(&UNKNOWN, |kind| kind.card())
}

static UNKNOWN: KindCard = KindCard {
    name: "data",
    fact: ["fact", "facts"],
    heading: "Data of {}",
    facts: &[FactSort { names: ["fact", "facts"], means: "", known: ["one fact of a person", "{} facts of a person"] }],
    unknown: ["item", "items"],
    made_up: ["tsv", ".tsv"],
    has_several_rows: false,
    ..KindCard::PLAIN
};
