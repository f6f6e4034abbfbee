//! The table of keys: what each command may be told, and where that stands in its request.

use super::Shape;

/// Who says a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Both,
    Flags,
    Python,
}

/// One key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    /// Its flag, without dashes.
    pub(super) flag: &'static str,
    /// Its name in Python, if that is not the flag's with `_` for `-`.
    python: Option<&'static str>,
    /// Who says it: there are arguments of functions that are no keywords, and keywords that are no flags.
    by: By,
    /// Whether it is typed without its name, before all flags.
    pub(super) is_bare: bool,
    /// Where it stands in the request.
    pub(super) place: &'static str,
    /// What it takes.
    pub(super) shape: Shape,
}

impl Line {
    /// Its name in Python, if it has one.
    pub(super) fn in_python(&self) -> Option<String> {
        let name = || self.python.map_or_else(|| self.flag.replace('-', "_"), str::to_owned);
        (self.by != By::Flags).then(name)
    }

    /// Whether it is said by its flag.
    pub(super) fn has_flag(&self) -> bool {
        self.by != By::Python
    }
}

/// A key that is called the same everywhere.
const fn same(flag: &'static str, place: &'static str, shape: Shape) -> Line {
    Line { flag, python: None, by: By::Both, is_bare: false, place, shape }
}

/// A key that has another name in Python.
const fn other(flag: &'static str, python: &'static str, place: &'static str, shape: Shape) -> Line {
    Line { flag, python: Some(python), by: By::Both, is_bare: false, place, shape }
}

/// A key that is no keyword in Python.
const fn flag(flag: &'static str, place: &'static str, shape: Shape) -> Line {
    Line { flag, python: None, by: By::Flags, is_bare: false, place, shape }
}

/// Files that are typed without a flag.
const fn bare(name: &'static str, place: &'static str, shape: Shape) -> Line {
    Line { flag: name, python: None, by: By::Flags, is_bare: true, place, shape }
}

/// Whether a command reads data as these keys say.
pub(super) fn reads(command: &str) -> bool {
    match command {
        "synth" | "copy" | "report" | "connections" | "train" | "assess" | "review" => false,
        _ => super::COMMANDS.contains(&command) || is_of_recipes(command),
    }
}

/// Whether it is said in recipes alone: steps over rows, and the data themselves.
fn is_of_recipes(command: &str) -> bool {
    !own(command).is_empty() && !super::COMMANDS.contains(&command)
}

/// How data are read and understood.
pub(super) const READING: &[Line] = &[
    same("kind", "ask.kind", Shape::Kind),
    other("as", "as_kind", "ask.as", Shape::Text),
    same("delimiter", "ask.delimiter", Shape::Delimiter),
    same("encoding", "ask.encoding", Shape::Encoding),
    same("no-header", "ask.no_header", Shape::Switch),
    other("column", "columns", "ask.columns", Shape::Columns),
    flag("person", "ask.columns", Shape::Person),
    same("time-format", "ask.time_format", Shape::Text),
    same("time-zone", "ask.time_zone", Shape::Text),
    same("log-format", "ask.log_format", Shape::Text),
    same("ipv6-prefix", "ask.ipv6_prefix", Shape::Count),
    same("timeout", "ask.timeout", Shape::Span),
    same("cells", "ask.cells", Shape::Text),
    flag("scale", "ask.scale", Shape::Text),
    flag("items", "ask.items", Shape::Path),
    same("bad-lines", "ask.bad_lines", Shape::Choice(&["fail", "skip"])),
    same("one-row-per-person", "ask.one_row_per_person", Shape::Switch),
    same("taxonomy", "ask.taxonomies", Shape::Texts),
    same("unknown", "ask.unknown", Shape::Unknown),
    same("sensitive", "ask.sensitive", Shape::Path),
    same("hierarchy", "ask.hierarchies", Shape::Named),
    same("hierarchies", "ask.hierarchies_in", Shape::Path),
    same("schema", "ask.schema", Shape::Path),
    same("missing", "ask.missing", Shape::Choice(&["own", "wild"])),
    same("population", "ask.population", Shape::Path),
    same("target", "ask.target", Shape::Text),
    same("nodes", "ask.nodes", Shape::Path),
    same("unknown-nodes", "ask.add_unknown_nodes", Shape::Choice(&["fail", "add"])),
];

/// Keys of one command, beside those of reading and the parameters of the catalogue.
pub(super) fn own(command: &str) -> &'static [Line] {
    match command {
        "protect" => PROTECT,
        "inspect" => INSPECT,
        "check" => CHECK,
        "measure" => MEASURE,
        "attack" => ATTACK,
        "audit" => AUDIT,
        "compare" => COMPARE,
        "synth" => SYNTH,
        "data" => THE_DATA,
        "select" => SELECT,
        "integrate" => INTEGRATE,
        "filter" => FILTER,
        "sample" => SAMPLE,
        "split" => SPLIT,
        "connections" => CONNECTIONS,
        "train" => TRAIN,
        "assess" => ASSESS,
        "review" => REVIEW,
        "profile" => PROFILE,
        "profile compare" => PROFILE_COMPARE,
        "shill" => SHILL,
        "score" => SCORE,
        "evaluate" => EVALUATE,
        "report" => REPORT,
        "copy" => COPY,
        _ => &[],
    }
}

const PROTECT: &[Line] = &[
    bare("in", "file", Shape::Paths),
    flag("out", "out", Shape::Path),
    same("method", "method", Shape::Text),
    same("seed", "seed", Shape::Count),
    flag("key", "key", Shape::Path),
    same("format", "format", Shape::Format),
    same("input-format", "ask.format", Shape::Format),
    same("model", "models", Shape::Texts),
    other("measure", "measures", "measures", Shape::List),
    same("no-attacks", "no_attacks", Shape::Switch),
    same("title", "title", Shape::Text),
    same("date", "date", Shape::Text),
    same("keep-ids", "keep_ids", Shape::Switch),
    same("raw-cells", "raw_cells", Shape::Switch),
    same("round", "ask.round", Shape::Switch),
    same("suppressed", "ask.keep_suppressed", Shape::Choice(&["drop", "keep"])),
    same("link-rows", "ask.link_rows", Shape::Switch),
    same("drop", "ask.drop", Shape::Path),
    same("drop-shills", "ask.drop_shills", Shape::Path),
    same("policy", "ask.policy", Shape::Path),
    same("scrub", "content.scrub", Shape::Texts),
    same("scrub-shared", "content.shared", Shape::Switch),
    same("sample", "sample", Shape::Number),
    same("other", "other", Shape::Path),
    same("expand", "ask.expand", Shape::Count),
    same("other-key", "other_key", Shape::Path),
    same("held-out-persons", "held_out_persons", Shape::Number),
    same("memory", "memory", Shape::Memory),
    // What only a release folder can have.
    same("overwrite", "overwrite", Shape::Switch),
    same("token-key", "token_key", Shape::Path),
    same("noise-file", "noise_file", Shape::Path),
    same("checkpoint", "checkpoint", Shape::Path),
    same("ledger", "ledger.file", Shape::Path),
    same("dataset", "ledger.dataset", Shape::Text),
    same("continues", "ledger.continues", Shape::Counts),
    same("earlier", "earlier", Shape::Paths),
    same("sign", "sign.key", Shape::Path),
    same("password-file", "sign.password_file", Shape::Path),
];

const INSPECT: &[Line] = &[
    bare("in", "file", Shape::Paths),
    same("format", "ask.format", Shape::Format),
    same("concepts", "concepts", Shape::Count),
    same("content", "content", Shape::Switch),
    same("positions", "positions", Shape::Path),
    same("schema-out", "schema_out", Shape::Path),
    same("seed", "seed", Shape::Count),
];

const CHECK: &[Line] = &[
    bare("in", "file", Shape::Paths),
    same("format", "ask.format", Shape::Format),
    same("noise-file", "ask.noise_file", Shape::Path),
    flag("model", "model", Shape::Models),
    Line { by: By::Python, ..same("model", "model", Shape::Text) },
    Line { by: By::Python, ..same("more-models", "more_models", Shape::Texts) },
    flag("original", "original", Shape::Paths),
    same("key", "key", Shape::Path),
    same("only-checkable", "only_checkable", Shape::Switch),
    same("trusted", "trusted", Shape::Path),
    same("ledger", "ledger", Shape::Path),
    same("policy", "policy", Shape::Path),
    same("earlier", "earlier", Shape::Paths),
    flag("show-values", "show_values", Shape::Switch),
];

const MEASURE: &[Line] = &[
    bare("original", "original", Shape::Paths),
    bare("release", "release", Shape::Path),
    same("format", "ask.format", Shape::Format),
    same("noise-file", "ask.noise_file", Shape::Path),
    other("measure", "measures", "measures", Shape::List),
    same("expansions", "ask.expansions", Shape::Count),
    same("key", "key", Shape::Path),
    same("k", "k", Shape::Count),
    same("held-out", "held_out", Shape::Switch),
    same("force", "force", Shape::Switch),
    same("seed", "seed", Shape::Count),
    flag("show-values", "show_values", Shape::Switch),
];

const ATTACK: &[Line] = &[
    bare("original", "original", Shape::Paths),
    bare("release", "release", Shape::Path),
    same("format", "ask.format", Shape::Format),
    same("noise-file", "ask.noise_file", Shape::Path),
    other("attack", "attacks", "attacks", Shape::List),
    same("key", "key", Shape::Path),
    same("p", "p", Shape::Counts),
    other("with", "with_", "with", Shape::List),
    same("targets", "targets", Shape::Count),
    same("radius-one", "radius_one", Shape::Switch),
    same("draws", "draws", Shape::Count),
    flag("cell", "cell", Shape::Text),
    flag("time", "time", Shape::Text),
    same("noise", "noise", Shape::Number),
    same("knowledge", "knowledge", Shape::Path),
    same("reference", "reference", Shape::Path),
    same("control", "control", Shape::Path),
    same("other", "other", Shape::Path),
    same("other-key", "other_key", Shape::Path),
    same("top", "top", Shape::Count),
    same("seeds", "seeds", Shape::Path),
    same("k", "k", Shape::Count),
    same("force", "force", Shape::Switch),
    same("seed", "seed", Shape::Count),
];

const AUDIT: &[Line] = &[
    bare("in", "file", Shape::Paths),
    same("format", "ask.format", Shape::Format),
    same("html", "html", Shape::Path),
    same("seed", "seed", Shape::Count),
    flag("show-values", "show_values", Shape::Switch),
];

const COMPARE: &[Line] = &[
    bare("in", "file", Shape::Paths),
    same("format", "ask.format", Shape::Format),
    same("methods", "methods", Shape::List),
    same("k", "ks", Shape::Counts),
    same("out", "out", Shape::Path),
    same("overwrite", "overwrite", Shape::Switch),
    same("measures", "measures", Shape::List),
    same("held-out", "held_out", Shape::Switch),
    same("no-attacks", "no_attacks", Shape::Switch),
    same("drop", "ask.drop", Shape::Path),
    same("sample", "sample", Shape::Count),
    same("seed", "seed", Shape::Count),
    same("repeat", "repeat", Shape::Count),
    same("least-k", "least_k", Shape::Count),
    same("charts", "charts", Shape::Path),
    same("title", "title", Shape::Text),
    same("date", "date", Shape::Text),
];

const SYNTH: &[Line] = &[
    bare("kind", "kind", Shape::MadeUp),
    same("persons", "persons", Shape::Count),
    same("mean-lines", "mean_lines", Shape::Number),
    same("clicks-only", "clicks_only", Shape::Switch),
    same("plant", "plant", Shape::Count),
    same("accounts", "accounts", Shape::Count),
    same("mean-items", "mean_items", Shape::Number),
    same("style", "style", Shape::Choice(&["shopping", "searches"])),
    same("shape", "shape", Shape::Choice(&["census", "patients", "numeric", "friends", "random", "rmat"])),
    same("site", "site", Shape::Choice(&["uniform", "irregular"])),
    same("bots", "bots", Shape::Number),
    same("days", "days", Shape::Count),
    same("degree", "degree", Shape::Number),
    flag("items", "items", Shape::Count),
    flag("mean-ratings", "mean_ratings", Shape::Number),
    flag("half-stars", "half_stars", Shape::Switch),
    flag("items-file", "items_file", Shape::Path),
    same("nodes-out", "nodes_out", Shape::Path),
    same("paper", "paper", Shape::Switch),
    same("hierarchies-out", "hierarchies_out", Shape::Path),
    same("taxonomy", "taxonomies", Shape::Texts),
    same("seed", "seed", Shape::Count),
    same("out", "out", Shape::Path),
    same("format", "format", Shape::Format),
];

// Steps of recipes that are no commands of their own.

const THE_DATA: &[Line] = &[bare("file", "file", Shape::Paths), same("format", "ask.format", Shape::Format)];

const SELECT: &[Line] = &[
    bare("in", "file", Shape::Paths),
    same("format", "ask.format", Shape::Format),
    same("files", "files", Shape::Text),
    same("columns", "columns", Shape::List),
    same("where", "where", Shape::Text),
    same("time", "time", Shape::Text),
    same("from", "from", Shape::Text),
    same("until", "until", Shape::Text),
];

const INTEGRATE: &[Line] = &[
    bare("in", "file", Shape::Paths),
    same("format", "ask.format", Shape::Format),
    same("on", "on", Shape::Text),
    same("unmatched", "unmatched", Shape::Choice(&["drop", "keep"])),
];

const FILTER: &[Line] = &[
    bare("in", "file", Shape::Paths),
    same("format", "ask.format", Shape::Format),
    same("where", "where", Shape::Text),
];

const SAMPLE: &[Line] = &[
    bare("in", "file", Shape::Paths),
    same("format", "ask.format", Shape::Format),
    same("rows", "rows", Shape::Count),
    same("share", "share", Shape::Number),
    same("by", "by", Shape::Text),
    same("seed", "seed", Shape::Count),
];

const SPLIT: &[Line] = &[
    bare("in", "file", Shape::Paths),
    same("format", "ask.format", Shape::Format),
    same("share", "share", Shape::Number),
    same("by", "by", Shape::Text),
    same("order", "order", Shape::Choice(&["random", "file"])),
    same("seed", "seed", Shape::Count),
];

/// `synth connections`, which is no kind of data about people.
const CONNECTIONS: &[Line] = &[
    bare("kind", "kind", Shape::MadeUp),
    same("rows", "rows", Shape::Count),
    same("seed", "seed", Shape::Count),
    same("out", "out", Shape::Path),
];

const TRAIN: &[Line] = &[
    bare("in", "input", Shape::Path),
    same("detector", "detector", Shape::Text),
    same("label", "label", Shape::Text),
    same("positive-label", "positive_label", Shape::Text),
    same("normal-label", "normal_label", Shape::Text),
    same("kernel", "machine.kernel", Shape::Choice(&["linear", "poly", "rbf"])),
    same("cost", "machine.cost", Shape::Number),
    same("gamma", "machine.gamma", Shape::Number),
    same("sigma", "machine.sigma", Shape::Number),
    same("degree", "machine.degree", Shape::Count),
    same("tolerance", "machine.tolerance", Shape::Number),
    same("scale", "machine.scale", Shape::Choice(&["standard", "none"])),
    same("memory", "machine.memory", Shape::Memory),
    same("support", "rules.support", Shape::Number),
    same("confidence", "rules.confidence", Shape::Number),
    same("most-items", "rules.most_items", Shape::Count),
    same("only-normal", "rules.only_normal", Shape::Switch),
    same("hidden", "hidden", Shape::Count),
    same("seed", "seed", Shape::Count),
    same("out", "out", Shape::Path),
    same("format", "reading.format", Shape::Format),
    same("no-header", "reading.no_header", Shape::Switch),
    same("bad-lines", "reading.bad_lines", Shape::Choice(&["fail", "skip"])),
];

const ASSESS: &[Line] =
    &[bare("model", "model", Shape::Path), same("folds", "folds", Shape::Count), same("seed", "seed", Shape::Count)];

const REVIEW: &[Line] = &[
    bare("model", "model", Shape::Path),
    same("on", "on", Shape::Path),
    same("group", "group", Shape::Number),
    same("template", "template", Shape::Text),
    same("redundant", "redundant", Shape::Switch),
    same("out", "out", Shape::Path),
    same("format", "reading.format", Shape::Format),
    same("no-header", "reading.no_header", Shape::Switch),
    same("bad-lines", "reading.bad_lines", Shape::Choice(&["fail", "skip"])),
];

const PROFILE: &[Line] = &[
    bare("in", "file", Shape::Paths),
    same("format", "ask.format", Shape::Format),
    same("topics", "topics", Shape::Text),
    same("pages", "pages", Shape::Path),
    same("k", "k", Shape::Count),
    same("seed", "seed", Shape::Count),
    same("out", "out", Shape::Path),
];

const PROFILE_COMPARE: &[Line] = &[
    bare("in", "file", Shape::Paths),
    same("profiles", "profiles", Shape::Path),
    same("format", "ask.format", Shape::Format),
    same("pages", "pages", Shape::Path),
    same("distance", "distance", Shape::Choice(&["jsd", "band"])),
    same("false-alarms", "false_alarms", Shape::Number),
    same("tolerance", "tolerance", Shape::Number),
    same("k", "k", Shape::Count),
    same("top", "top", Shape::Count),
    same("matrix", "matrix", Shape::Path),
    same("alarm", "alarm", Shape::Switch),
];

const SHILL: &[Line] = &[
    bare("in", "file", Shape::Paths),
    same("format", "ask.format", Shape::Format),
    same("attack", "attack", Shape::Choice(&["random", "average", "bandwagon", "segment", "ul", "uh", "il", "ih"])),
    same("target", "item", Shape::Text),
    same("direction", "direction", Shape::Choice(&["push", "nuke"])),
    same("size", "size", Shape::Number),
    same("filler", "filler", Shape::Number),
    same("selected", "selected", Shape::Count),
    same("segment", "segment", Shape::List),
    same("count-at-least", "count_at_least", Shape::Count),
    same("whole", "whole", Shape::Switch),
    same("seed", "seed", Shape::Count),
];

const SCORE: &[Line] = &[
    bare("in", "file", Shape::Paths),
    same("format", "ask.format", Shape::Format),
    same("detector", "detectors", Shape::List),
    same("model", "model", Shape::Path),
    same("threshold", "threshold", Shape::Number),
    same("alarm", "alarm", Shape::Switch),
];

const EVALUATE: &[Line] = &[
    bare("in", "file", Shape::Paths),
    same("format", "ask.format", Shape::Format),
    same("detector", "detectors", Shape::List),
    same("labels", "labels", Shape::Path),
    same("model", "models", Shape::Paths),
    same("threshold", "threshold", Shape::Number),
    same("strict", "strict", Shape::Switch),
];

const REPORT: &[Line] =
    &[bare("in", "file", Shape::Paths), same("title", "title", Shape::Text), same("date", "date", Shape::Text)];

const COPY: &[Line] = &[bare("in", "file", Shape::Paths), same("to", "to", Shape::Path)];
