//! `throng shill measure FILE --out DIR`: the experiment of the paper on one's own ratings, as a table, as JSON and as a page.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use throng_core::progress::Progress;
use throng_core::recommenders;
use throng_core::shilling::{self, Attack, Class, Direction, Plan};
use throng_core::{Error, Result};

use super::super::recommend::{RatingsFile, notes};
use super::super::refuse_existing;
use super::super::written::write_new;
use crate::pending::{self, Pending};
use crate::report;

/// What to try.
#[derive(Debug, Clone)]
pub struct ExperimentRequest {
    /// The ratings.
    pub ratings: RatingsFile,
    /// What is tried on them.
    pub plan: Plan,
    /// Whether a missing segment is left out, because nobody asked for it by name.
    pub any_attacks: bool,
    /// The folder to make.
    pub out: PathBuf,
}

/// What came of it; the form of `shilling.json`.
#[derive(Debug, Clone, Serialize)]
pub struct ExperimentFound {
    /// Which throng made it.
    pub throng: &'static str,
    /// What it was tried on.
    pub data: ExperimentData,
    /// What was tried.
    pub settings: ExperimentSettings,
    /// What was attacked.
    pub targets: Vec<ExperimentTargets>,
    /// Every curve point, the mean over the draws.
    pub shifts: Vec<ExperimentShift>,
    /// What the paper found, and whether it is so here.
    pub findings: Vec<ExperimentFinding>,
    /// Attacks that could not be made on a target.
    pub left_out: Vec<ExperimentLeftOut>,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// The ratings of an experiment.
#[derive(Debug, Clone, Serialize)]
pub struct ExperimentData {
    /// How many persons.
    pub persons: usize,
    /// How many items.
    pub items: usize,
    /// How many ratings.
    pub ratings: usize,
}

/// The settings of an experiment.
#[derive(Debug, Clone, Serialize)]
pub struct ExperimentSettings {
    /// By what.
    pub recommenders: Vec<recommenders::Params>,
    /// Which attacks.
    pub attacks: Vec<Attack>,
    /// Where targets are to go.
    pub direction: Direction,
    /// Shares of persons.
    pub sizes: Vec<f64>,
    /// A share of items.
    pub filler: f64,
    /// Whether fillers are on the scale.
    pub whole: bool,
    /// How often a favourite must have been rated so.
    pub count_at_least: usize,
    /// How many targets of each class were asked for.
    pub targets: BTreeMap<&'static str, usize>,
    /// How many ratings each has at least.
    pub target_ratings: usize,
    /// How many persons were asked for.
    pub users: usize,
    /// How often everything was drawn.
    pub draws: usize,
    /// The seed.
    pub seed: u64,
}

/// The targets of a draw.
#[derive(Debug, Clone, Serialize)]
pub struct ExperimentTargets {
    /// Which draw, from 1.
    pub draw: usize,
    /// How most persons rated them.
    pub class: Class,
    /// Their ids.
    pub items: Vec<String>,
    /// For how many persons they were predicted.
    pub users: usize,
}

/// A point of a curve.
#[derive(Debug, Clone, Serialize)]
pub struct ExperimentShift {
    /// By which recommender.
    pub recommender: recommenders::Name,
    /// On which targets.
    pub class: Class,
    /// Which attack.
    pub attack: Attack,
    /// How many profiles, as a share of persons.
    pub size: f64,
    /// The mean of the draws.
    pub shift: Option<f64>,
    /// The standard deviation of the draws; none of one.
    pub deviation: Option<f64>,
    /// The mean share of predictions in the high range, after minus before.
    pub hit_shift: Option<f64>,
    /// How many pairs were compared, in all draws.
    pub pairs: usize,
    /// How many were left out.
    pub undefined: usize,
}

/// A sentence of the paper, and whether it is so here.
#[derive(Debug, Clone, Serialize)]
pub struct ExperimentFinding {
    /// The figure of the paper, from 2 to 5.
    pub figure: u8,
    /// What it says.
    pub says: String,
    /// Whether it holds at all sizes; none if it was not tried.
    pub holds: Option<bool>,
    /// Size by size.
    pub sizes: Vec<ExperimentCompared>,
    /// Why it does not, where that is known.
    pub why: Option<&'static str>,
}

/// Two means at a size.
#[derive(Debug, Clone, Serialize)]
pub struct ExperimentCompared {
    /// The size, as a share of persons.
    pub size: f64,
    /// What should be above.
    pub upper: f64,
    /// What should be below.
    pub lower: f64,
    /// Whether it is.
    pub holds: bool,
}

/// An attack that could not be made on a target.
#[derive(Debug, Clone, Serialize)]
pub struct ExperimentLeftOut {
    /// Which draw, from 1.
    pub draw: usize,
    /// The id of the target.
    pub item: String,
    /// Which attack.
    pub attack: Attack,
    /// Why.
    pub reason: String,
}

/// Tries every attack, and writes `shifts.csv`, `shilling.json` and `shilling.html` into a new folder.
pub fn shill_experiment(request: &ExperimentRequest, progress: &dyn Progress) -> Result<ExperimentFound> {
    pending::refuse_stdout(&request.out)?;
    pending::refuse_in_release(&request.out, "study")?;
    refuse_existing(&request.out)?;
    let read = request.ratings.read(progress)?;
    let ratings = &read.ratings;
    let about = request.ratings.read_items(ratings)?;
    let genres = about.as_ref().map(|about| about.genres_of(ratings));
    let mut notes = notes(&read);
    let mut plan = request.plan.clone();
    if genres.is_none() && request.any_attacks {
        plan.attacks.retain(|&attack| attack != Attack::Segment);
        notes.push("segment was not tried: there are no genres to find one by (`--items FILE` brings them)".to_owned());
    }
    let experiment = shilling::experiment(ratings, genres.as_deref(), &plan, progress)?;
    let id = |item: u32| ratings.item_ids().get(item).to_owned();
    for drawn in experiment.targets.iter().filter(|drawn| drawn.draw == 1) {
        let asked = plan.targets.iter().find(|target| target.0 == drawn.class).map_or(0, |target| target.1);
        if drawn.items.len() < asked {
            notes.push(format!(
                "only {} with {} ratings or more {} {}",
                crate::words::counted(drawn.items.len() as u64, "item", "items"),
                plan.target_ratings,
                if drawn.items.len() == 1 { "is" } else { "are" },
                drawn.class.name()
            ));
        }
    }
    if let Some(drawn) = experiment.targets.iter().find(|drawn| drawn.users < plan.users) {
        notes.push(format!(
            "only {} rated none of the targets",
            crate::words::counted(drawn.users as u64, "person", "persons")
        ));
    }
    let mut found = ExperimentFound {
        throng: env!("CARGO_PKG_VERSION"),
        data: ExperimentData { persons: ratings.persons(), items: ratings.items(), ratings: ratings.len() },
        settings: settings(&plan),
        targets: experiment
            .targets
            .iter()
            .map(|drawn| ExperimentTargets {
                draw: drawn.draw,
                class: drawn.class,
                items: drawn.items.iter().map(|&item| id(item)).collect(),
                users: drawn.users,
            })
            .collect(),
        shifts: means(&plan, &experiment.shifts),
        findings: shilling::findings(&plan, &experiment).into_iter().map(ExperimentFinding::of).collect(),
        left_out: experiment
            .left_out
            .iter()
            .map(|left| ExperimentLeftOut {
                draw: left.draw,
                item: id(left.item),
                attack: left.attack,
                reason: left.reason.clone(),
            })
            .collect(),
        notes: Vec::new(),
    };
    if !found.left_out.is_empty() {
        notes.push(format!(
            "{} no segment: its predictions count as undefined",
            crate::words::counted(found.left_out.len() as u64, "target has", "targets have")
        ));
    }
    let failed = |cause| Error::io(format!("write into {}", pending::folder_of(&request.out).display()), cause);
    let folder = Pending::folder(&request.out).map_err(failed)?;
    let json = serde_json::to_string_pretty(&found).map_err(|cause| Error::internal("JSON").with_cause(cause))?;
    write_new(&folder.path().join("shifts.csv"), csv(&plan, &experiment.shifts).as_bytes())?;
    write_new(&folder.path().join("shilling.json"), (json + "\n").as_bytes())?;
    write_new(&folder.path().join("shilling.html"), report::shilling_page(&found)?.as_bytes())?;
    pending::publish(vec![(folder, request.out.clone())])?;
    found.notes = notes;
    Ok(found)
}

fn settings(plan: &Plan) -> ExperimentSettings {
    ExperimentSettings {
        recommenders: plan.recommenders.clone(),
        attacks: plan.attacks.clone(),
        direction: plan.direction,
        sizes: plan.sizes.clone(),
        filler: plan.filler,
        whole: plan.whole,
        count_at_least: plan.count_at_least,
        targets: plan.targets.iter().map(|&(class, count)| (class.name(), count)).collect(),
        target_ratings: plan.target_ratings,
        users: plan.users,
        draws: plan.draws,
        seed: plan.seed,
    }
}

/// Every draw in a row.
fn csv(plan: &Plan, shifts: &[shilling::Shifted]) -> String {
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let mut text = "recommender,class,attack,direction,size,draw,shift,hit_shift,pairs,undefined\n".to_owned();
    for one in shifts {
        let cells = [
            plan.recommenders[one.recommender].name.name().to_owned(),
            one.class.name().to_owned(),
            one.attack.name().to_owned(),
            plan.direction.name().to_owned(),
            one.size.to_string(),
            one.draw.to_string(),
            number(one.shift),
            number(one.hit_shift),
            one.pairs.to_string(),
            one.undefined.to_string(),
        ];
        text += &(cells.join(",") + "\n");
    }
    text
}

/// The draws of each point put together; they stand beside each other.
fn means(plan: &Plan, shifts: &[shilling::Shifted]) -> Vec<ExperimentShift> {
    let point = |one: &shilling::Shifted| (one.recommender, one.class, one.attack, one.size);
    let mean = |values: &[f64]| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    let put_together = |draws: &[shilling::Shifted]| {
        let of: Vec<f64> = draws.iter().filter_map(|one| one.shift).collect();
        let hits: Vec<f64> = draws.iter().filter_map(|one| one.hit_shift).collect();
        let shift = mean(&of);
        let squares = |middle: f64| of.iter().map(|value| (value - middle) * (value - middle)).sum::<f64>();
        ExperimentShift {
            recommender: plan.recommenders[draws[0].recommender].name,
            class: draws[0].class,
            attack: draws[0].attack,
            size: draws[0].size,
            shift,
            deviation: shift.filter(|_| of.len() > 1).map(|middle| (squares(middle) / (of.len() - 1) as f64).sqrt()),
            hit_shift: mean(&hits),
            pairs: draws.iter().map(|one| one.pairs).sum(),
            undefined: draws.iter().map(|one| one.undefined).sum(),
        }
    };
    shifts.chunk_by(|left, right| point(left) == point(right)).map(put_together).collect()
}

impl ExperimentFinding {
    fn of(finding: shilling::Finding) -> Self {
        let shilling::Finding { figure, says, holds, sizes, why } = finding;
        let compared = |one: &shilling::Compared| ExperimentCompared {
            size: one.size,
            upper: one.upper,
            lower: one.lower,
            holds: one.holds,
        };
        Self { figure, says, holds, sizes: sizes.iter().map(compared).collect(), why }
    }

    /// Whether it holds, in words.
    pub fn verdict(&self) -> String {
        let holding = self.sizes.iter().filter(|one| one.holds).count();
        match self.holds {
            None => "not tried".to_owned(),
            Some(true) => "holds".to_owned(),
            Some(false) if holding == 0 => "does not hold".to_owned(),
            Some(false) => format!("holds at {holding} of {} sizes", self.sizes.len()),
        }
    }
}
