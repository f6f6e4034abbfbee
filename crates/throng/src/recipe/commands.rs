//! What a step may run: what it takes, what it gives, what can be asked of its result, and which phase it is of.
//!
//! A step is named by what it does, and another one with the same joints can take its place.

use serde_json::{Map, Value};

use super::steps::{self, Did, Work};
use crate::catalog::Role;

/// What goes from step to step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// Rows or texts about people, or records of a machine.
    Data,
    /// The folder of a release.
    Release,
    /// What a detector learned.
    Model,
    /// What is usual for persons.
    Profiles,
    /// What a command found, as JSON.
    Findings,
    /// A page or a folder of pages.
    Page,
    /// A file that goes with data: noise, hierarchies, labels.
    File,
    /// Nothing that a step could take.
    Nothing,
}

impl Sort {
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Release => "a release",
            Self::Model => "a model",
            Self::Profiles => "profiles",
            Self::Findings => "findings",
            Self::Page => "a page",
            Self::File => "a file",
            Self::Nothing => "nothing",
        }
    }
}

/// The phases of CRISP-DM.
pub(super) const PHASES: [&str; 5] = ["selection", "preparation", "modelling", "evaluation", "deployment"];

/// An input of a step.
#[derive(Debug)]
pub(super) struct Takes {
    pub(super) key: &'static str,
    pub(super) sorts: &'static [Sort],
    pub(super) is_needed: bool,
    pub(super) is_many: bool,
}

/// A key of a step that names a file which it makes.
#[derive(Debug)]
pub(super) struct Writes {
    pub(super) key: &'static str,
    pub(super) sort: Sort,
}

/// Where the entries of a list in a result stand under their names.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) role: Role,
    pub(super) keys: &'static [&'static str],
}

/// What a step may run.
pub(super) struct Command {
    pub(super) name: &'static str,
    pub(super) phase: &'static str,
    /// The version of what it makes: another one means that old outputs are none of its own.
    pub(super) version: u32,
    pub(super) takes: &'static [Takes],
    pub(super) gives: Sort,
    /// The names of its outputs, if it has not one that is called as the step.
    pub(super) parts: &'static [&'static str],
    /// Outputs beside the one that is called as the step, with their files.
    pub(super) also: &'static [(&'static str, &'static str, Sort)],
    pub(super) writes: &'static [Writes],
    /// Keys that the run sets itself, each with the reason.
    pub(super) set: &'static [(&'static str, &'static str)],
    /// Keys that a step must have, beside its inputs.
    pub(super) needs: &'static [&'static str],
    /// Keys of which it must have one.
    pub(super) needs_one: &'static [&'static str],
    /// Keys of its result; empty if they depend on what it looks at.
    pub(super) says: &'static [&'static str],
    pub(super) named: &'static [Named],
    pub(super) does: fn(&Work<'_>) -> throng_core::Result<Did>,
}

const fn one(key: &'static str, sorts: &'static [Sort]) -> Takes {
    Takes { key, sorts, is_needed: true, is_many: false }
}

const fn many(key: &'static str, sorts: &'static [Sort]) -> Takes {
    Takes { key, sorts, is_needed: true, is_many: true }
}

const fn optional(takes: Takes) -> Takes {
    Takes { is_needed: false, ..takes }
}

const fn writes(key: &'static str, sort: Sort) -> Writes {
    Writes { key, sort }
}

const DATA: &[Sort] = &[Sort::Data];
const LOOKED_AT: &[Sort] = &[Sort::Data, Sort::Release];
const MODEL: &[Sort] = &[Sort::Model];
const RELEASE: &[Sort] = &[Sort::Release];

const OUT: (&str, &str) = ("out", "the output lies in the state folder; a step `copy` brings it where it is wanted");
const OVERWRITE: (&str, &str) = ("overwrite", "an output is replaced whenever its step runs again");
const KEY: (&str, &str) = ("key", "the key stays in the state folder, for the steps `measure`, `attack` and `check`");
const MEMORY: (&str, &str) = ("memory", "`throng run --memory` is for all steps together");
const CHECKPOINT: (&str, &str) = ("checkpoint", "a run goes on from its last finished step");
const LEDGER: (&str, &str) =
    ("ledger", "a release that stays in the state folder has not left; `throng ledger add` records what was copied");
const DATASET: (&str, &str) = ("dataset", LEDGER.1);
const CONTINUES: (&str, &str) = ("continues", LEDGER.1);
const SHOW_VALUES: (&str, &str) =
    ("show-values", "what steps found is shown on pages, which have no values of persons");

const ATTACK_KEYS: &[&str] = &[
    "name",
    "attempts",
    "hits",
    "rate",
    "interval",
    "found",
    "baseline",
    "control",
    "residual",
    "bound",
    "verdict",
    "knowledge",
    "parts",
    "before",
];
const MEASURE_KEYS: &[&str] = &["name", "value", "unit", "better", "parts"];
const MODEL_KEYS: &[&str] = &["model", "parameters", "verdict", "achieved", "witness", "needs"];
const ATTACKS: Named = Named { role: Role::Attack, keys: ATTACK_KEYS };
const MEASURES: Named = Named { role: Role::Measure, keys: MEASURE_KEYS };
const MODELS: Named = Named { role: Role::Model, keys: MODEL_KEYS };

/// What most commands have.
const PLAIN: Command = Command {
    name: "",
    phase: "preparation",
    version: 1,
    takes: &[],
    gives: Sort::Findings,
    parts: &[],
    also: &[],
    writes: &[],
    set: &[],
    needs: &[],
    needs_one: &[],
    says: &[],
    named: &[],
    does: steps::rows::select,
};

/// Every command that a step may run.
pub(super) static COMMANDS: &[Command] = &[
    Command {
        name: "select",
        phase: "selection",
        takes: &[many("in", DATA)],
        gives: Sort::Data,
        says: &["rows", "of", "columns"],
        does: steps::rows::select,
        ..PLAIN
    },
    Command {
        name: "integrate",
        takes: &[many("in", DATA)],
        gives: Sort::Data,
        says: &["rows", "of", "columns"],
        does: steps::rows::integrate,
        ..PLAIN
    },
    Command {
        name: "filter",
        takes: &[many("in", DATA)],
        gives: Sort::Data,
        needs: &["where"],
        says: &["rows", "of", "columns"],
        does: steps::rows::filter,
        ..PLAIN
    },
    Command {
        name: "sample",
        phase: "selection",
        takes: &[many("in", DATA)],
        gives: Sort::Data,
        says: &["rows", "of", "columns"],
        does: steps::rows::sample,
        ..PLAIN
    },
    Command {
        name: "split",
        takes: &[many("in", DATA)],
        gives: Sort::Data,
        parts: &["train", "test"],
        says: &["train", "test"],
        does: steps::rows::split,
        ..PLAIN
    },
    Command {
        name: "synth",
        phase: "selection",
        gives: Sort::Data,
        writes: &[
            writes("nodes-out", Sort::File),
            writes("hierarchies-out", Sort::File),
            writes("items-file", Sort::File),
        ],
        set: &[OUT],
        needs: &["kind"],
        says: &["rows", "persons"],
        does: steps::synth::synth,
        ..PLAIN
    },
    Command {
        name: "protect",
        takes: &[many("in", DATA)],
        gives: Sort::Release,
        writes: &[writes("token-key", Sort::Nothing), writes("noise-file", Sort::File)],
        set: &[OUT, OVERWRITE, KEY, MEMORY, CHECKPOINT, LEDGER, DATASET, CONTINUES],
        says: &["release", "certificate", "measures", "attacks", "skipped", "policy", "signed_by", "verdict"],
        named: &[ATTACKS, MEASURES],
        does: steps::people::protect,
        ..PLAIN
    },
    Command {
        name: "check",
        phase: "evaluation",
        takes: &[many("in", LOOKED_AT), optional(many("original", DATA))],
        set: &[SHOW_VALUES],
        says: &[
            "model",
            "verdict",
            "achieved",
            "witness",
            "claims",
            "hash_matches",
            "other_files",
            "not_compared",
            "on_trust",
            "signature",
            "ledger",
            "policy",
            "persons",
            "rows",
            "rows_refused",
            "kind",
            "person_column",
            "unmapped",
        ],
        named: &[MODELS],
        does: steps::people::check,
        ..PLAIN
    },
    Command {
        name: "measure",
        phase: "evaluation",
        takes: &[many("original", DATA), one("release", LOOKED_AT)],
        set: &[SHOW_VALUES],
        says: &["measures", "skipped"],
        named: &[MEASURES],
        does: steps::people::measure,
        ..PLAIN
    },
    Command {
        name: "attack",
        phase: "evaluation",
        takes: &[many("original", DATA), one("release", LOOKED_AT), optional(one("other", RELEASE))],
        says: &["attacks", "skipped", "verdict"],
        named: &[ATTACKS],
        does: steps::people::attack,
        ..PLAIN
    },
    Command {
        name: "compare",
        phase: "modelling",
        takes: &[many("in", DATA)],
        gives: Sort::Page,
        set: &[OUT, OVERWRITE],
        writes: &[writes("charts", Sort::Page)],
        needs: &["methods"],
        does: steps::people::compare,
        ..PLAIN
    },
    Command {
        name: "audit",
        phase: "evaluation",
        takes: &[many("in", LOOKED_AT)],
        writes: &[writes("html", Sort::Page)],
        set: &[SHOW_VALUES],
        says: &[
            "file",
            "kind",
            "format",
            "columns",
            "unmapped",
            "persons",
            "person_column",
            "accounts_alike",
            "rows",
            "rows_refused",
            "k",
            "verdict",
            "unjudgeable",
            "crowds",
            "smallest_crowd",
            "persons_below_k",
            "singled_out",
            "models",
            "certificate",
            "not_compared",
            "named_by_ids",
            "what_to_do",
            "attacks",
            "notes",
            "page",
        ],
        named: &[MODELS, ATTACKS],
        does: steps::people::audit,
        ..PLAIN
    },
    Command {
        name: "inspect",
        phase: "selection",
        takes: &[many("in", LOOKED_AT)],
        writes: &[writes("positions", Sort::Nothing), writes("schema-out", Sort::File)],
        does: steps::people::inspect,
        ..PLAIN
    },
    Command {
        name: "shill",
        phase: "preparation",
        takes: &[one("in", DATA)],
        gives: Sort::Data,
        also: &[("labels", steps::detection::LABELS, Sort::File)],
        needs: &["attack", "target"],
        says: &["attack", "direction", "target", "class", "profiles", "fillers", "selected", "shortfall"],
        does: steps::detection::shill,
        ..PLAIN
    },
    Command {
        name: "train",
        phase: "modelling",
        takes: &[one("in", DATA)],
        gives: Sort::Model,
        set: &[OUT],
        needs: &["detector"],
        says: &["detector", "rows", "positives", "columns", "learnt", "trained_on"],
        does: steps::learning::train,
        ..PLAIN
    },
    Command {
        name: "assess",
        phase: "modelling",
        takes: &[one("model", MODEL)],
        says: &["detector", "folds", "rows", "accuracy", "precision", "recall", "auc", "each"],
        does: steps::learning::assess,
        ..PLAIN
    },
    Command {
        name: "review",
        phase: "evaluation",
        takes: &[one("model", MODEL), optional(one("on", DATA))],
        gives: Sort::Model,
        set: &[OUT],
        needs_one: &["group", "template", "redundant"],
        says: &["detector", "before", "rules", "groups", "first"],
        does: steps::learning::review,
        ..PLAIN
    },
    Command {
        name: "profile",
        phase: "modelling",
        takes: &[many("in", DATA), optional(one("profiles", &[Sort::Profiles]))],
        gives: Sort::Profiles,
        writes: &[writes("matrix", Sort::Nothing)],
        set: &[OUT],
        does: steps::learning::profile,
        ..PLAIN
    },
    Command {
        name: "score",
        phase: "evaluation",
        takes: &[one("in", DATA), optional(one("model", MODEL))],
        says: &["detector", "scored", "flagged", "threshold", "suspect", "target", "scores"],
        does: steps::detection::score,
        ..PLAIN
    },
    Command {
        name: "evaluate",
        phase: "evaluation",
        takes: &[one("in", DATA), optional(many("model", MODEL))],
        needs_one: &["labels", "model"],
        does: steps::detection::evaluate,
        ..PLAIN
    },
    Command {
        name: "report",
        phase: "deployment",
        takes: &[many("in", &[Sort::Data, Sort::Release, Sort::Model, Sort::Profiles, Sort::Findings, Sort::Page])],
        gives: Sort::Page,
        says: &["pages", "shown"],
        does: steps::deliver::report,
        ..PLAIN
    },
    Command {
        name: "copy",
        phase: "deployment",
        takes: &[many(
            "in",
            &[Sort::Data, Sort::Release, Sort::Model, Sort::Profiles, Sort::Findings, Sort::Page, Sort::File],
        )],
        gives: Sort::Nothing,
        needs: &["to"],
        says: &["to", "files", "sha256"],
        does: steps::deliver::copy,
        ..PLAIN
    },
];

/// The command with a name.
pub(super) fn named(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// The file in which a step keeps what it found.
pub(super) const FOUND: &str = "found.json";
/// The file in which a step `protect` keeps who became whom.
pub(super) const SECRET: &str = "key.csv";

impl Command {
    /// Where an output lies in the step's folder: the one that is called as the step, or one of its parts.
    pub(super) fn place(&self, part: Option<&str>, keys: &Map<String, Value>) -> Option<String> {
        if let Some(part) = part {
            if self.parts.contains(&part) {
                return Some(format!("{part}.csv"));
            }
            if let Some((_, file, _)) = self.also.iter().find(|(name, ..)| *name == part) {
                return Some((*file).to_owned());
            }
            self.writes.iter().find(|writes| writes.key == part)?;
            return keys.get(part).and_then(Value::as_str).map(str::to_owned);
        }
        Some(match (self.name, self.sort_of(None, |key| keys.contains_key(key))) {
            ("synth", _) => steps::synth::place(keys),
            ("shill", _) => steps::detection::POISONED.to_owned(),
            ("compare", _) => "comparison".to_owned(),
            (_, Sort::Release) => "release".to_owned(),
            (_, Sort::Data) if !self.parts.is_empty() => return None,
            (_, Sort::Data) => "data.csv".to_owned(),
            (_, Sort::Model) => "model.json".to_owned(),
            (_, Sort::Profiles) => "profiles.json".to_owned(),
            (_, Sort::Page) => "report.html".to_owned(),
            _ => FOUND.to_owned(),
        })
    }

    /// The name under which its keys are known: some steps make several sorts of things.
    pub(super) fn of_keys(&self, keys: &Map<String, Value>) -> &'static str {
        match keys.get("kind").and_then(Value::as_str) {
            Some("connections") if self.name == "synth" => "connections",
            _ if self.compares_profiles(|key| keys.contains_key(key)) => "profile compare",
            _ => self.name,
        }
    }

    /// Whether it holds a log against profiles instead of making some.
    fn compares_profiles(&self, has: impl Fn(&str) -> bool) -> bool {
        self.name == "profile" && has("profiles")
    }

    /// The sort of an output; `has` says which keys the step has.
    pub(super) fn sort_of(&self, part: Option<&str>, has: impl Fn(&str) -> bool) -> Sort {
        let Some(part) = part else {
            return if self.compares_profiles(has) { Sort::Findings } else { self.gives };
        };
        let also = self.also.iter().find(|(name, ..)| *name == part).map(|(_, _, sort)| *sort);
        let written = self.writes.iter().find(|writes| writes.key == part).map(|writes| writes.sort);
        also.or(written).unwrap_or(self.gives)
    }
}
