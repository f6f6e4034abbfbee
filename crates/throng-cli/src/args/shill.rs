//! What can be typed after `throng shill`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use throng::run::{ExperimentRequest, InjectRequest, ShiftRequest};
use throng_core::recommenders::{Name, Params as RecommenderParams};
use throng_core::shilling::{Attack, Class, Direction, Params, Plan};
use throng_core::{Error, Result};

use super::recommend::{RatingsArgs, RecommenderArgs};

#[derive(Debug, Args)]
pub(crate) struct ShillArgs {
    #[command(subcommand)]
    pub(crate) command: ShillCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ShillCommand {
    /// Put made-up profiles behind the ratings of a file that push an item, or nuke it
    #[command(after_help = "Examples:\n  \
        throng shill inject ratings.csv --attack average --target 242 --out poisoned.csv --labels labels.csv\n  \
        throng shill inject u.data --items u.item --attack segment --target 242 --size 5% --out poisoned.data --labels labels.csv")]
    Inject(ShillInject),
    /// How far an attack moved what recommenders say of its targets, or would: every attack, tried in memory
    #[command(after_help = "Examples:\n  \
        throng shill measure ratings.csv --after poisoned.csv --target 242 --users 50 --recommender user-pearson --amplification 10\n  \
        throng shill measure ratings.csv --attacks average,ul,il --targets low:10,high:10 --sizes 1%,3%,6% --draws 3 --out shifts\n  \
        throng shill measure ratings.csv --items movies.csv --paper --out paper")]
    Measure(ShillMeasure),
}

#[derive(Debug, Args)]
pub(crate) struct ShillInject {
    #[command(flatten)]
    pub(crate) ratings: RatingsArgs,
    /// random, average, bandwagon, segment, ul, uh, il or ih
    #[arg(long, value_name = "NAME")]
    pub(crate) attack: String,
    /// The id of the item that is pushed or nuked
    #[arg(long, value_name = "ITEM")]
    pub(crate) target: String,
    /// Whether the target is to go up or down
    #[arg(long, value_name = "WHERE", value_parser = ["push", "nuke"], default_value = "push")]
    pub(crate) direction: String,
    /// How many profiles, as a share of persons: 0.03 or 3%
    #[arg(long, value_name = "SHARE", default_value = "0.03", allow_negative_numbers = true)]
    pub(crate) size: String,
    /// How many fillers a profile has, as a share of items
    #[arg(long, value_name = "SHARE", default_value = "0.03", allow_negative_numbers = true)]
    pub(crate) filler: String,
    /// How many items are selected [default: 5 by bandwagon, 6 by segment]
    #[arg(long, value_name = "N")]
    pub(crate) selected: Option<usize>,
    /// segment: these items, instead of the most rated that share a genre with the target
    #[arg(long, value_name = "ITEM,…", value_delimiter = ',')]
    pub(crate) segment: Vec<String>,
    /// il, ih: how often an item must have been rated so to be a favourite
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) count_at_least: usize,
    /// Draw fillers around their value and put them on the scale, as a careful attacker does; else means keep their fractions
    #[arg(long)]
    pub(crate) whole: bool,
    /// The file to make: the bytes of FILE, then the made-up rows
    #[arg(long, value_name = "POISONED")]
    pub(crate) out: PathBuf,
    /// The file to make that says of everybody whether they are genuine or a shill
    #[arg(long, value_name = "LABELS")]
    pub(crate) labels: PathBuf,
    /// Repeat the same run: the same seed gives the same bytes
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct ShillMeasure {
    #[command(flatten)]
    pub(crate) ratings: RatingsArgs,
    /// The ratings after the attack; without it attacks are tried in memory, into --out
    #[arg(long, value_name = "AFTER", required_unless_present_any = ["attacks", "paper"], requires = "target")]
    pub(crate) after: Option<PathBuf>,
    /// With --after: the ids of the targets
    #[arg(long, value_name = "ITEM,…", value_delimiter = ',', requires = "after")]
    pub(crate) target: Vec<String>,
    /// How many persons are drawn among those who rated no target, 50 where attacks are tried; with --after also a file with the id of a person a line
    #[arg(long, value_name = "FILE|N", required_unless_present_any = ["attacks", "paper"])]
    pub(crate) users: Option<String>,
    /// By what: user-pearson, item-adjusted-cosine, item-cosine or bias [default: user-pearson; the first two where attacks are tried]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) recommender: Vec<String>,
    /// Repeat the same run: the same seed draws the same
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) tried: ShillTried,
    #[command(flatten)]
    pub(crate) parameters: RecommenderArgs,
}

/// What is tried in memory.
#[derive(Debug, Args)]
#[command(next_help_heading = "Attacks tried in memory")]
pub(crate) struct ShillTried {
    /// Which attacks, or all: random, average, bandwagon, segment (needs --items), ul, uh, il, ih
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', conflicts_with = "after")]
    pub(crate) attacks: Vec<String>,
    /// As in the paper: all attacks, sizes of 1, 3, 6, 12 and 15 %, fillers of 3 %, 20 neighbours, amplification 10
    #[arg(long, conflicts_with_all = ["after", "sizes", "filler", "whole", "neighbours", "amplification", "significance", "candidates", "means"])]
    pub(crate) paper: bool,
    /// How many targets of which class: items of whose ratings 60 % are low or high
    #[arg(
        long,
        value_name = "CLASS:N,…",
        value_delimiter = ',',
        default_value = "low:10,high:10",
        conflicts_with = "after"
    )]
    pub(crate) targets: Vec<String>,
    /// How many ratings a target must have
    #[arg(long, value_name = "N", default_value_t = 20, conflicts_with = "after")]
    pub(crate) target_ratings: usize,
    /// How many profiles, as shares of persons
    #[arg(
        long,
        value_name = "SHARE,…",
        value_delimiter = ',',
        default_value = "0.01,0.03,0.06,0.12,0.15",
        conflicts_with = "after"
    )]
    pub(crate) sizes: Vec<String>,
    /// How many fillers a profile has, as a share of items
    #[arg(long, value_name = "SHARE", default_value = "0.03", allow_negative_numbers = true, conflicts_with = "after")]
    pub(crate) filler: String,
    /// Whether targets are to go up or down
    #[arg(long, value_name = "WHERE", value_parser = ["push", "nuke"], default_value = "push", conflicts_with = "after")]
    pub(crate) direction: String,
    /// il, ih: how often an item must have been rated so to be a favourite
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "after")]
    pub(crate) count_at_least: usize,
    /// Draw fillers around their value and put them on the scale, as a careful attacker does
    #[arg(long, conflicts_with = "after")]
    pub(crate) whole: bool,
    /// How often targets, persons and profiles are drawn
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "after")]
    pub(crate) draws: usize,
    /// The folder to make: shifts.csv, shilling.json and shilling.html
    #[arg(long, value_name = "DIR", required_unless_present = "after", conflicts_with = "after")]
    pub(crate) out: Option<PathBuf>,
}

/// A share, as 0.03 or 3%.
fn share(name: &str, text: &str) -> Result<f64> {
    let number = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().ok().map(|percent| percent / 100.0),
        None => text.parse::<f64>().ok(),
    };
    number.ok_or_else(|| {
        Error::parameter(name, format!("is `{text}`, but must be a share")).with_hint("for example 0.03 or 3%")
    })
}

impl ShillInject {
    pub(crate) fn request(&self) -> Result<InjectRequest> {
        Ok(InjectRequest {
            ratings: self.ratings.file()?,
            target: self.target.clone(),
            attack: Params {
                direction: if self.direction == "nuke" { Direction::Nuke } else { Direction::Push },
                size: share("size", &self.size)?,
                filler: share("filler", &self.filler)?,
                selected: self.selected,
                count_at_least: self.count_at_least,
                whole: self.whole,
                ..Params::usual(Attack::parse(&self.attack)?)
            },
            segment: self.segment.clone(),
            out: self.out.clone(),
            labels: self.labels.clone(),
            seed: self.seed,
        })
    }
}

/// What `throng shill measure` is asked for.
pub(crate) enum Measuring {
    /// The shift from one file to another.
    Files(ShiftRequest),
    /// Attacks tried in memory.
    Experiment(ExperimentRequest),
}

impl ShillMeasure {
    pub(crate) fn request(&self) -> Result<Measuring> {
        match (&self.after, &self.tried.out) {
            (Some(after), _) => self.files(after).map(Measuring::Files),
            (None, Some(out)) => self.experiment(out).map(Measuring::Experiment),
            (None, None) => Err(Error::parameter("out", "is missing")),
        }
    }

    fn files(&self, after: &Path) -> Result<ShiftRequest> {
        let name = match self.recommender.as_slice() {
            [] => Name::UserPearson,
            [one] => Name::parse(one)?,
            _ => return Err(Error::parameter("recommender", "names several, but two files are compared by one")),
        };
        Ok(ShiftRequest {
            before: self.ratings.file()?,
            after: after.to_owned(),
            targets: self.target.clone(),
            users: self.users.clone().unwrap_or_default(),
            recommender: self.parameters.params(name),
            seed: self.seed,
        })
    }

    fn experiment(&self, out: &Path) -> Result<ExperimentRequest> {
        const USERS: usize = 50;
        let tried = &self.tried;
        let users = self.users.as_deref().map_or(Ok(USERS), |users| {
            users.parse::<usize>().map_err(|_| {
                Error::parameter("users", "must be a number where attacks are tried: who is predicted is drawn")
            })
        })?;
        let any_attacks = tried.attacks.is_empty() || tried.attacks == ["all"];
        let attacks = if any_attacks { Attack::ALL.to_vec() } else { distinct(&tried.attacks, Attack::parse)? };
        let names = if self.recommender.is_empty() {
            vec![Name::UserPearson, Name::ItemAdjustedCosine]
        } else {
            distinct(&self.recommender, Name::parse)?
        };
        // The paper's; its neighbours are those of everybody.
        const AMPLIFICATION: f64 = 10.0;
        let params = |name| {
            let params = self.parameters.params(name);
            if tried.paper { RecommenderParams { amplification: AMPLIFICATION, ..params } } else { params }
        };
        Ok(ExperimentRequest {
            ratings: self.ratings.file()?,
            plan: Plan {
                attacks,
                direction: if tried.direction == "nuke" { Direction::Nuke } else { Direction::Push },
                sizes: distinct(&tried.sizes, |text| share("sizes", text))?,
                filler: share("filler", &tried.filler)?,
                whole: tried.whole,
                count_at_least: tried.count_at_least,
                targets: targets(&tried.targets)?,
                target_ratings: tried.target_ratings,
                users,
                draws: tried.draws,
                recommenders: names.into_iter().map(params).collect(),
                seed: self.seed,
            },
            any_attacks,
            out: out.to_owned(),
        })
    }
}

/// What texts say, each once.
fn distinct<T: PartialEq>(texts: &[String], parse: impl Fn(&str) -> Result<T>) -> Result<Vec<T>> {
    let mut all = Vec::new();
    for text in texts {
        let one = parse(text.trim())?;
        if !all.contains(&one) {
            all.push(one);
        }
    }
    Ok(all)
}

/// Reads `low:10`.
fn targets(texts: &[String]) -> Result<Vec<(Class, usize)>> {
    let parse = |text: &str| {
        let problem = || {
            Error::parameter("targets", format!("has `{text}`, but must say how many of which class"))
                .with_hint("for example `--targets low:10,high:10`")
        };
        let (class, count) = text.split_once(':').ok_or_else(problem)?;
        Ok((Class::parse(class.trim())?, count.trim().parse::<usize>().map_err(|_| problem())?))
    };
    let found = distinct(texts, parse)?;
    let is_repeated = |at: usize| found[..at].iter().any(|other: &(Class, usize)| other.0 == found[at].0);
    if (0..found.len()).any(is_repeated) {
        return Err(Error::parameter("targets", "names a class twice"));
    }
    Ok(found)
}
