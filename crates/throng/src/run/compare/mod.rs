//! `throng compare`: several methods with several k on the same data, every measure side by side.
//!
//! # Idea
//! 1. The data are read once. What a method works out that does not depend on k, its distances, is worked out once.
//! 2. Every pair of a method and a k is a cell. Cells run in parallel; each is kept in a file as soon as it is done, so a
//!    run that was stopped goes on where it was.
//! 3. When all are there, methods are compared person by person, `comparison.json`, `comparison.csv` and `comparison.html`
//!    are written, and the files of the cells go away.
//! 4. With held-out days, methods are given the lines of each person's even days, and measures the lines of their odd days
//!    with the records that were made of the even ones: no method is judged by what it saw.
//!
//! Nothing is published: records are measured where they are made, and never written.

mod folder;
mod grid;
mod pairs;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use throng_core::measures::{ByPerson, Measure};
use throng_core::methods::Method;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

pub use self::grid::{Filled, Work};
pub use self::pairs::MethodPair;
use super::certified::Certified;
use crate::catalog::{self, Item, Role};
use crate::io::Location;
use crate::kinds::{self, Ask, Kinded};
use crate::parameters::typed;
use crate::pending;
use crate::report::comparison;

/// What to compare.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CompareRequest {
    /// The original: a file.
    pub file: PathBuf,
    /// The folder for the comparison: new, or that of the same comparison, unfinished.
    pub out: PathBuf,
    /// Methods as typed: a name, or a name with parameters, `flock:effort=fast`.
    pub methods: Vec<String>,
    /// The values of k.
    pub ks: Vec<usize>,
    /// The measures; all that are not costly when empty, or all that judge held-out days.
    pub measures: Vec<String>,
    /// Whether methods are given even days, and judged by odd days.
    pub held_out: bool,
    /// At most this many persons, drawn at random.
    pub sample: Option<usize>,
    /// The seed of everything that is drawn.
    pub seed: u64,
    /// How to read and understand the original.
    pub ask: Ask,
}

/// A finished comparison.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Comparison {
    /// The version of this form.
    pub format: u32,
    /// The version of throng.
    pub throng: String,
    /// What was compared on.
    pub input: Input,
    /// How the days were divided, if some were held out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOut>,
    /// The methods, in the order in which they were given.
    pub methods: Vec<String>,
    /// The values of k, rising.
    pub k: Vec<usize>,
    /// Every method with every k.
    pub cells: Vec<Cell>,
    /// Methods person by person, where there are several and it was measured what persons keep.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<MethodPair>,
    /// What to choose, in words.
    pub recommendation: Option<comparison::Recommendation>,
}

/// What was compared on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// The kind of data.
    pub kind: String,
    /// How many persons were protected.
    pub persons: u64,
    /// How many rows they have.
    pub rows: u64,
    /// How many persons the file has, if only a sample was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled_from: Option<u64>,
}

/// How days were divided: methods are given even days, counted from 1970-01-01 in UTC, and judged by odd days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldOut {
    /// The lines that methods are given.
    pub build_rows: u64,
    /// The lines that they are judged by.
    pub score_rows: u64,
    /// Persons without lines on even days, or without lines on odd days. They are in neither.
    pub persons_left_out: u64,
}

/// A method with a k, and what was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The method as typed.
    pub method: String,
    /// k.
    pub k: usize,
    /// Persons of the original who got no record.
    pub persons_dropped: u64,
    /// Every number: see `throng measure --json`.
    pub measures: Vec<Value>,
    /// What was not measured, and why.
    pub skipped: Vec<Value>,
}

/// A cell as it is kept until the comparison is finished: beside it what single persons keep of their interests, which is
/// never published.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    cell: Cell,
    by_person: ByPerson,
}

/// How many persons must share what the cells of a k show. A comparison of small k is read by the same people: at least five.
fn shared_by(k: usize) -> usize {
    k.max(5)
}

/// The version of the form of a comparison.
const FORMAT: u32 = 1;

/// Compares methods and values of k on one file, and writes the comparison.
pub fn compare(request: &CompareRequest, progress: &dyn Progress) -> Result<Comparison> {
    let methods = request.methods.iter().map(|typed| Choice::parse(typed)).collect::<Result<Vec<_>>>()?;
    refuse_impossible(request, &methods)?;
    pending::refuse_stdout(&request.out)?;
    pending::refuse_inside(&request.out, "comparison", &request.file)?;
    let certified = Certified::open(&request.file, &request.ask)?;
    if matches!(certified.location, Location::Stdin) {
        return Err(Error::refused("a comparison needs a file, not standard input")
            .with_hint("it may be stopped, and goes on by reading the file again"));
    }
    let (kind, opened) = kinds::open(&certified.location, &certified.ask)?;
    let work = Work { request, ask: &certified.ask, location: &certified.location, methods: &methods, progress };
    let Filled { input, held_out, cells, folder } = kind.compare(&work, opened)?;
    let mut comparison = Comparison {
        format: FORMAT,
        throng: env!("CARGO_PKG_VERSION").to_owned(),
        input,
        held_out,
        methods: request.methods.clone(),
        k: request.ks.clone(),
        pairs: pairs::of(&cells),
        cells: cells.into_iter().map(|kept| kept.cell).collect(),
        recommendation: None,
    };
    comparison.recommendation = comparison::recommendation(&comparison);
    folder.finish(&comparison)?;
    Ok(comparison)
}

/// The measures of a comparison: those with these names, else all that are not costly; of held-out days all that judge such.
fn measures_for<D: Kinded>(request: &CompareRequest) -> Result<Vec<&'static dyn Measure<D>>> {
    if !request.held_out {
        return D::SHELF.measures(&request.measures, false);
    }
    let mut all: Vec<_> = D::SHELF.measures.iter().copied().filter(|measure| measure.info().judges_held_out).collect();
    // Those that run without being asked for come first.
    all.sort_by_key(|measure| measure.info().on_request);
    if request.measures.is_empty() {
        return Ok(all);
    }
    let measures = D::SHELF.measures(&request.measures, true)?;
    match measures.iter().map(|measure| measure.info()).find(|card| !card.judges_held_out) {
        Some(card) => {
            let names: Vec<&str> = all.iter().map(|measure| measure.info().info.name).collect();
            let problem = format!("the measure `{}` does not judge held-out days", card.info.name);
            let hint = format!("with `--held-out` there are {}; leave it out for the others", names.join(" and "));
            Err(Error::refused(problem).with_hint(hint))
        }
        None => Ok(measures),
    }
}

/// A method with its parameters, as typed.
#[derive(Debug)]
pub(crate) struct Choice {
    typed: String,
    item: Item,
    parameters: Vec<(String, String)>,
}

impl Choice {
    /// Reads `name` or `name:parameter=value:parameter=value`; a parameter alone is a switch.
    fn parse(typed: &str) -> Result<Self> {
        let mut parts = typed.split(':');
        let item = catalog::item(Role::Method, parts.next().unwrap_or_default())?;
        let parameters: Vec<(String, String)> = parts
            .map(|part| part.split_once('=').unwrap_or((part, "true")))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let (_, unused) = crate::parameters::typed(item.info(), &parameters)?;
        if let Some(name) = unused.first() {
            let known = item.info().parameters.iter().map(|parameter| parameter.name);
            return Err(Error::unknown(&format!("parameter of {}", item.info().name), name, known));
        }
        if parameters.iter().any(|(name, _)| name == "k") {
            return Err(Error::refused("k is no parameter of one method here: it belongs to the whole comparison")
                .with_hint("give its values with `--k`, for example `--k 2..10`"));
        }
        Ok(Self { typed: typed.to_owned(), item, parameters })
    }

    /// The method with this k, for a kind of data.
    fn build<D: Kinded>(&self, k: usize) -> Result<Box<dyn Method<D>>> {
        let entry = D::SHELF.method(Some(self.item.info().name))?;
        let mut given = self.parameters.clone();
        given.push(("k".to_owned(), k.to_string()));
        (entry.build)(typed(entry.info, &given)?.0)
    }
}

/// Refuses what cannot be compared, before anything is read.
fn refuse_impossible(request: &CompareRequest, methods: &[Choice]) -> Result<()> {
    let (Some(first), Some(&greatest)) = (methods.first(), request.ks.last()) else {
        return Err(Error::refused("there is nothing to compare").with_hint("give `--methods A,B` and `--k 2..10`"));
    };
    let mut names: Vec<&str> = methods.iter().map(|choice| choice.typed.as_str()).collect();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Error::refused(format!("the method `{}` is given twice", pair[0]))
            .with_hint("name it once, or with other parameters: `name:parameter=value`"));
    }
    let is_for_all = |kind: &&str| methods.iter().all(|choice| choice.item.kinds.contains(kind));
    if !first.item.kinds.iter().any(is_for_all) {
        let of_kinds =
            |choice: &Choice| format!("`{}` is for {}", choice.item.info().name, choice.item.kinds.join(" and "));
        let all: Vec<String> = methods.iter().map(of_kinds).collect();
        return Err(Error::refused(format!("the methods are for different kinds of data: {}", all.join(", ")))
            .with_hint("compare methods of one kind; `throng list methods` shows them"));
    }
    match request.sample {
        Some(sample) if sample < greatest => {
            Err(Error::parameter("sample", format!("is {sample}, but must be at least k, which goes up to {greatest}"))
                .with_hint("take a larger sample, or compare smaller values of k"))
        }
        _ => Ok(()),
    }
}

/// Values of k as typed: `2..10` (both included), `3`, or several of them with commas between.
pub fn parse_ks(text: &str) -> Result<Vec<usize>> {
    let wrong = || {
        Error::parameter("k", format!("is `{text}`, but must be values of k"))
            .with_hint("for example `--k 2..10`, which is 2, 3 and so on to 10, or `--k 3,5,10`")
    };
    let mut ks = Vec::new();
    for part in text.split(',') {
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong());
        match part.split_once("..") {
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last.trim_start_matches('='))?);
                if first > last {
                    return Err(Error::parameter("k", format!("is `{text}`, an empty range"))
                        .with_hint(format!("the smaller value comes first: `--k {last}..{first}`")));
                }
                if last - first > 1000 {
                    return Err(Error::parameter("k", format!("is `{text}`, more than a thousand values"))
                        .with_hint("for example `--k 2..10`"));
                }
                ks.extend(first..=last);
            }
            None => ks.push(number(part)?),
        }
    }
    ks.sort_unstable();
    ks.dedup();
    if let Some(&least) = ks.first().filter(|&&least| least < 2) {
        return Err(Error::parameter("k", format!("begins with {least}, but must be at least 2"))
            .with_hint("k = 1 leaves everybody as they are: begin with 2"));
    }
    Ok(ks)
}
