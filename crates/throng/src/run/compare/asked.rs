//! What is asked of a comparison: methods as typed, values of k, seeds; and what cannot be compared.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use throng_core::methods::Method;
use throng_core::{Error, Result};

use super::Comparison;
use crate::catalog::{self, Item, Role};
use crate::inputs::Inputs;
use crate::kinds::{self, Ask, Kinded};
use crate::parameters::typed;
use crate::pending;

/// No smaller k is recommended, unless somebody asks for it.
pub const LEAST_K: usize = 5;

/// No smaller k is recommended, whoever asks for it.
const LEAST_OF_ALL: usize = 3;

/// More seeds say nothing more about chance.
const MOST_SEEDS: usize = 1000;

/// What to compare.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CompareRequest {
    /// The original: files or folders of documents, which are one data set.
    pub file: Inputs,
    /// The folder for the comparison: new, or that of the same comparison, which then goes on or is extended. `{date}` is today's.
    pub out: PathBuf,
    /// Whether a finished comparison that is there is replaced, once the new one is whole.
    pub overwrite: bool,
    /// Methods as typed: a name, or a name with parameters, `flock:effort=fast`.
    pub methods: Vec<String>,
    /// The values of k.
    pub ks: Vec<usize>,
    /// The measures; all that are not costly when empty, or all that judge held-out days.
    pub measures: Vec<String>,
    /// Whether methods are given even days, and judged by odd days.
    pub held_out: bool,
    /// Whether attacks are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_attacks: bool,
    /// At most this many persons, drawn at random.
    pub sample: Option<usize>,
    /// The seed of everything that is drawn. If it is given, nothing is timed, so that the same seed gives the same bytes.
    pub seed: Option<u64>,
    /// How many seeds: this one and those after it.
    pub repeat: usize,
    /// The smallest k to recommend.
    pub least_k: usize,
    /// The folder for the charts as files.
    pub charts: Option<PathBuf>,
    /// What the data set is called.
    pub title: Option<String>,
    /// The day, as `YYYY-MM-DD`; today if none is given, and none if a seed is.
    pub date: Option<String>,
    /// How to read and understand the original.
    pub ask: Ask,
}

impl Default for CompareRequest {
    fn default() -> Self {
        Self {
            file: Inputs::default(),
            out: PathBuf::new(),
            overwrite: false,
            methods: Vec::new(),
            ks: Vec::new(),
            measures: Vec::new(),
            held_out: false,
            no_attacks: false,
            sample: None,
            seed: None,
            repeat: 1,
            least_k: LEAST_K,
            charts: None,
            title: None,
            date: None,
            ask: Ask::default(),
        }
    }
}

impl CompareRequest {
    /// The first seed.
    pub(super) fn first_seed(&self) -> u64 {
        self.seed.unwrap_or(0)
    }

    /// All seeds.
    pub(super) fn seeds(&self) -> Vec<u64> {
        (0..self.repeat as u64).map(|number| self.first_seed().wrapping_add(number)).collect()
    }

    /// The same with everything that a finished comparison has: what is asked for beside it is added.
    pub(super) fn joined(&self, finished: &Comparison) -> Self {
        let mut joined = self.clone();
        let is_new = |method: &&String| !finished.methods.contains(method);
        joined.methods = finished.methods.iter().chain(self.methods.iter().filter(is_new)).cloned().collect();
        joined.ks.extend(&finished.k);
        joined.ks.sort_unstable();
        joined.ks.dedup();
        joined.repeat = joined.repeat.max(finished.seeds.len());
        joined.title = joined.title.or_else(|| finished.title.clone());
        // A day that nobody gave is that of the last cell.
        joined.date = joined.date.or_else(|| finished.date.clone().filter(|_| self.seed.is_some()));
        joined
    }
}

/// A method with its parameters, as typed.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(super) typed: String,
    pub(super) item: Item,
    /// Whether it makes no crowds, and has no k.
    pub(super) has_no_k: bool,
    parameters: Vec<(String, String)>,
}

impl Choice {
    /// Reads `name` or `name:parameter=value:parameter=value`; a parameter alone is a switch.
    pub(super) fn parse(typed: &str) -> Result<Self> {
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
        let kind = kinds::named(item.kinds[0])?;
        let has_no_k = kind.has_no_k(item.info().name)?;
        Ok(Self { typed: typed.to_owned(), item, has_no_k, parameters })
    }

    /// The method with this k, for a kind of data.
    pub(super) fn build<D: Kinded>(&self, k: usize) -> Result<Box<dyn Method<D>>> {
        let entry = D::SHELF.method(Some(self.item.info().name))?;
        let mut given = self.parameters.clone();
        given.push(("k".to_owned(), k.to_string()));
        (entry.build)(typed(entry.info, &given)?.0)
    }
}

/// Refuses places where nothing may be written.
pub(super) fn refuse_places(request: &CompareRequest, inputs: &[PathBuf]) -> Result<()> {
    pending::refuse_stdout(&request.out)?;
    pending::refuse_inside(&request.out, "comparison", inputs)?;
    if let Some(charts) = &request.charts {
        pending::refuse_inside(charts, "folder of charts", inputs)?;
        pending::refuse_in_release(charts, "folder of charts")?;
        if charts.symlink_metadata().is_ok() && !charts.is_dir() {
            return Err(Error::parameter("charts", "is a file, but must be a folder, new or there already")
                .with_hint("every chart becomes a file in it: `--charts pictures`"));
        }
    }
    Ok(())
}

/// Refuses what cannot be compared, before anything is read.
pub(super) fn refuse_impossible(request: &CompareRequest, methods: &[Choice]) -> Result<()> {
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
    if request.repeat == 0 || request.repeat > MOST_SEEDS {
        let problem = format!("is {}, but must be from 1 to {MOST_SEEDS}", request.repeat);
        return Err(Error::parameter("repeat", problem).with_hint("five seeds show how much is chance: `--repeat 5`"));
    }
    if request.least_k < LEAST_OF_ALL {
        let problem = format!("is {}, but must be at least {LEAST_OF_ALL}", request.least_k);
        return Err(Error::parameter("least-k", problem)
            .with_hint("in a crowd of two, one of them knows the other; a smaller k is compared, not recommended"));
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
    let ks = parse_numbers("k", "2..10", text)?;
    if let Some(&least) = ks.first().filter(|&&least| least < 2) {
        return Err(Error::parameter("k", format!("begins with {least}, but must be at least 2"))
            .with_hint("k = 1 leaves everybody as they are: begin with 2"));
    }
    Ok(ks)
}

/// Whole numbers as typed for a flag: a range with both ends, as in the example, one number, or several of them with commas between;
/// in rising order, each once.
pub fn parse_numbers(flag: &str, example: &str, text: &str) -> Result<Vec<usize>> {
    let wrong = || {
        Error::parameter(flag, format!("is `{text}`, but must be values of {flag}"))
            .with_hint(format!("for example `--{flag} {example}`, a range with both ends, or `--{flag} 3,5,10`"))
    };
    let mut numbers = Vec::new();
    for part in text.split(',') {
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong());
        match part.split_once("..") {
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last.trim_start_matches('='))?);
                if first > last {
                    return Err(Error::parameter(flag, format!("is `{text}`, an empty range"))
                        .with_hint(format!("the smaller value comes first: `--{flag} {last}..{first}`")));
                }
                if last - first > 1000 {
                    return Err(Error::parameter(flag, format!("is `{text}`, more than a thousand values"))
                        .with_hint(format!("for example `--{flag} {example}`")));
                }
                numbers.extend(first..=last);
            }
            None => numbers.push(number(part)?),
        }
    }
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}
