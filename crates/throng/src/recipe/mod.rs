//! Recipes: one file that says everything, checked before the first byte is read, and resumed where it was ended.
//!
//! A recipe names data and steps. A step runs what a command does, takes what data or other steps give, and keeps its output in the state
//! folder; it runs again only if what it was made of is not the same any more: the bytes of its inputs, its keys, the version of what it runs.
//! So a recipe that was killed goes on with the step that it was in, and ends with the bytes that it would have had.
//!
//! The idea of steps with typed joints that take each other's place is Castellano et al.'s ("miners" that a process orchestrates, 003,
//! section 4.2); phases are those of CRISP-DM.
//!
//! - `reading`: the file as data and steps, with the place of every word.
//! - `commands`: what a step may run, takes and gives. `steps` runs it.
//! - `graph`: who takes what from whom, and everything that is wrong with that, said together.
//! - `condition`: the language of `when` and of conditions on rows; `results` finds what they ask for.
//! - `state`: what is kept, and hashes.
//! - `settling`: what a step is told in the end, and why it must run. `running`: the run. `page`: what is shown of it.
//!
//! Does not   run commands of others, nor anything on other machines, nor at a time of day: that is for `cron` and its like.

mod commands;
mod condition;
mod graph;
mod limits;
mod page;
mod reading;
mod results;
mod running;
mod settling;
mod state;
mod steps;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use self::graph::Graph;
use self::state::Places;

/// What to run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunRequest {
    /// The recipe.
    pub recipe: PathBuf,
    /// The one step that runs.
    pub only: Option<String>,
    /// The step from which on steps run again.
    pub from: Option<String>,
    /// Whether nothing that was done before counts.
    pub fresh: bool,
    /// Whether it is only said what would run.
    pub dry_run: bool,
    /// How many bytes of memory steps may take that run side by side.
    pub memory: Option<u64>,
}

/// What became of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepState {
    /// It ran.
    Done,
    /// What it was made of is the same.
    Unchanged,
    /// Its condition does not hold, or what it takes is not there for that reason.
    Skipped,
    /// It could not run, or what it checks does not hold.
    Failed,
    /// Something before it failed, or it was not asked for.
    NotRun,
    /// It would run.
    WouldRun,
}

impl StepState {
    /// The state in words, as JSON has it.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Unchanged => "unchanged",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
            Self::NotRun => "not-run",
            Self::WouldRun => "would-run",
        }
    }
}

/// A step and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepOutcome {
    /// Its name.
    pub name: String,
    /// What it runs.
    pub run: String,
    /// Its phase.
    pub phase: String,
    /// What became of it.
    pub state: StepState,
    /// Why.
    pub reason: String,
    /// How long it ran.
    pub seconds: f64,
}

/// What became of a recipe.
#[derive(Debug, Serialize)]
pub struct RunOutcome {
    /// The recipe.
    pub recipe: String,
    /// Its steps, in the order in which they run.
    pub steps: Vec<StepOutcome>,
    /// The exit code of the command line: 0 all is well, 1 a check or bound failed, 2 a step could not run, 3 a claim could not be checked.
    pub exit: u8,
    /// Errors of steps, by their names.
    #[serde(skip)]
    pub errors: Vec<(String, Error)>,
    /// What the user should know beside it.
    #[serde(skip)]
    pub notes: Vec<String>,
    /// The page of the run.
    #[serde(skip)]
    pub page: Option<PathBuf>,
}

/// A recipe whose graph is as it should be.
struct Read {
    text: Vec<u8>,
    places: Places,
    /// The folder that its paths are meant from.
    base: PathBuf,
    graph: Graph,
}

fn read(recipe: &Path) -> Result<Read> {
    let places = Places::of(recipe)?;
    let base = recipe.parent().unwrap_or(Path::new("")).to_owned();
    let text = crate::limits::read_file(recipe, "the recipe ", limits::MOST_RECIPE_BYTES)?;
    let shown = recipe.display().to_string();
    let words = std::str::from_utf8(&text).map_err(|_| Error::data("the recipe is not UTF-8").in_file(shown))?;
    let graph = Graph::read(words.trim_start_matches('\u{feff}'), recipe, &base)?;
    Ok(Read { text, places, base, graph })
}

/// Runs a recipe, or says what would run.
pub fn run(request: &RunRequest, progress: &dyn Progress) -> Result<RunOutcome> {
    running::run(request, read(&request.recipe)?, progress)
}

/// Whether a text is a recipe whose parts fit together, as far as that is seen without its files: for programs that look for what is wrong.
pub fn check(text: &str, recipe: &Path) -> Result<()> {
    Graph::read(text, recipe, recipe.parent().unwrap_or(Path::new(""))).map(drop)
}

/// A recipe in words and as JSON.
#[derive(Debug)]
pub struct Explained {
    /// The graph by phases, in words.
    pub text: String,
    /// The same as JSON.
    pub json: Value,
}

/// What a recipe does, by phases.
pub fn explain(recipe: &Path) -> Result<Explained> {
    let read = read(recipe)?;
    let graph = &read.graph;
    let data: Vec<Value> =
        graph.data.iter().map(|data| json!({"name": data.name, "file": data.named, "kind": data.kind})).collect();
    let step = |number: &usize| {
        let step = &graph.steps[*number];
        let takes: Vec<&str> = step.joints.iter().map(|joint| joint.text.as_str()).collect();
        json!({
            "name": step.name, "run": step.command.name, "phase": step.phase, "takes": takes,
            "gives": step.sort_of(None).in_words(), "kind": step.kind, "when": step.when.as_ref().map(|when| &when.text),
            "to": step.keys.get("to").filter(|_| step.command.name == "copy"),
        })
    };
    let steps: Vec<Value> = graph.waves.iter().flatten().map(step).collect();
    let json = json!({"recipe": recipe.display().to_string(), "data": data, "steps": steps});
    Ok(Explained { text: page::explained(graph), json })
}
