//! What can be typed after `throng shill`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use throng::run::{InjectRequest, ShiftRequest};
use throng_core::recommenders::Name;
use throng_core::shilling::{Attack, Direction, Params};
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
    /// How far an attack moved what recommenders say of its targets
    #[command(after_help = "Example:\n  \
        throng shill measure ratings.csv --after poisoned.csv --target 242 --users 50 --recommender user-pearson --amplification 10")]
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
    /// The ratings after the attack
    #[arg(long, value_name = "AFTER")]
    pub(crate) after: PathBuf,
    /// The ids of the targets
    #[arg(long, value_name = "ITEM,…", value_delimiter = ',', required = true)]
    pub(crate) target: Vec<String>,
    /// A file with the id of a person a line, or how many are drawn among those who rated no target
    #[arg(long, value_name = "FILE|N")]
    pub(crate) users: String,
    /// By what: user-pearson, item-adjusted-cosine, item-cosine or bias
    #[arg(long, value_name = "NAME", default_value = "user-pearson")]
    pub(crate) recommender: String,
    /// Repeat the same run: the same seed draws the same persons
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) parameters: RecommenderArgs,
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

impl ShillMeasure {
    pub(crate) fn request(&self) -> Result<ShiftRequest> {
        Ok(ShiftRequest {
            before: self.ratings.file()?,
            after: self.after.clone(),
            targets: self.target.clone(),
            users: self.users.clone(),
            recommender: self.parameters.params(Name::parse(&self.recommender)?),
            seed: self.seed,
        })
    }
}
