//! What can be typed after `throng paths cluster`, `patterns` and `classify`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use throng::kinds::{Ask, ColumnChoice};
use throng::run::{ApplyRequest, ClusterRequest, JudgeRequest, PathsPartyRequest, PatternsRequest, TrainRequest};
use throng_core::data::time;
use throng_core::distance::paths::PathDistance;
use throng_core::paths::cube::Cells;
use throng_core::paths::{cluster, patterns, rules};
use throng_core::{Error, Result};

use super::Shared;
use super::party::PathsPartyArgs;
use super::paths::{metres, millis, threshold};

#[derive(Debug, Args)]
pub(crate) struct Cluster {
    /// Paths, or a release of some: files or patterns in quotes, which are one data set; or - for standard input
    #[arg(required_unless_present = "party")]
    pub(crate) file: Vec<PathBuf>,
    /// So many clusters, each around the path in its middle [default: 8, without --radius]
    #[arg(long, value_name = "N", conflicts_with = "radius")]
    pub(crate) clusters: Option<usize>,
    /// Clusters by density: paths that are within so many metres (of lcss and edr: that share of points) of those of at least k persons
    #[arg(long, value_name = "METRES")]
    pub(crate) radius: Option<f64>,
    /// How far apart two paths are: synchronous (at the same moments), route (whenever it was), lcss, edr (how many points match in order)
    #[arg(long, value_name = "NAME", default_value = "synchronous")]
    pub(crate) distance: String,
    /// What is compared: all points of a person, or each trip
    #[arg(long, value_name = "WHAT", value_parser = ["person", "trip"], default_value = "person")]
    pub(crate) by: String,
    /// Of lcss and edr: points match that are so far apart to the north and to the east, at most
    #[arg(long, value_name = "DISTANCE", default_value = "200m")]
    pub(crate) match_within: String,
    /// Of synchronous: at so many moments positions are compared
    #[arg(long, value_name = "D", default_value_t = 64)]
    pub(crate) points: usize,
    /// Of synchronous: positions are compared in this time only; best looks for the interval with the best clusters, by density
    #[arg(long, value_name = "FROM..TO|best")]
    pub(crate) interval: Option<String>,
    /// Of synchronous: where metres are counted from [default: the middle of the points, in whole degrees]
    #[arg(long, value_name = "LAT,LON", allow_hyphen_values = true)]
    pub(crate) origin: Option<String>,
    /// The file of labels to make: user, trip with --by trip, cluster; without it they are printed
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write the mean paths into this file: cluster, persons, point, time, lat, lon
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) several: PathsPartyArgs,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

impl Cluster {
    pub(crate) fn request(&self) -> Result<ClusterRequest> {
        Ok(ClusterRequest {
            file: self.file.clone().into(),
            ask: self.shared.ask(self.shared.format.as_deref())?,
            params: self.params()?,
            out: self.out.clone(),
            summary: self.summary.clone(),
        })
    }

    /// What a party of several holders does.
    pub(crate) fn party(&self) -> Result<PathsPartyRequest> {
        let params = self.params()?;
        let cluster::How::Clusters(clusters) = params.how else {
            return Err(Error::parameter("radius", "is not for several holders").with_hint("`--clusters N` is"));
        };
        if params.distance != PathDistance::Synchronous || self.summary.is_some() {
            let flag = if self.summary.is_some() { "summary" } else { "distance" };
            return Err(Error::parameter(flag, "is not for several holders: positions are compared, and labels given"));
        }
        let interval = match params.interval {
            cluster::Interval::Whole => None,
            cluster::Interval::Given(from, to) => Some((from, to)),
            cluster::Interval::Best => {
                return Err(Error::parameter("interval", "must be two times for several holders"));
            }
        };
        Ok(PathsPartyRequest {
            role: self.several.role.clone().unwrap_or_default(),
            holders: self.several.holders,
            file: (!self.file.is_empty()).then(|| self.file.clone().into()),
            ask: self.shared.ask(self.shared.format.as_deref())?,
            clusters,
            moments: self.points,
            by_trip: params.by_trip,
            interval,
            origin: params.origin,
            transport: self.several.transport.transport(),
            out: self.out.clone(),
        })
    }

    /// How paths are compared and clusters found.
    pub(crate) fn params(&self) -> Result<cluster::Params> {
        let how = match (self.clusters, self.radius) {
            (_, Some(radius)) => cluster::How::Radius(radius),
            (count, None) => cluster::How::Clusters(count.unwrap_or(8)),
        };
        Ok(cluster::Params {
            how,
            distance: PathDistance::parse(&self.distance)?,
            match_within: metres(&self.match_within).ok_or_else(|| {
                Error::parameter("match-within", format!("is `{}`, but must be a distance", self.match_within))
                    .with_hint("for example `--match-within 200m` or `--match-within 1km`")
            })?,
            moments: self.points,
            interval: self.interval.as_deref().map_or(Ok(cluster::Interval::Whole), interval)?,
            origin: self.origin.as_deref().map(origin).transpose()?,
            k: crowd(&self.shared)?,
            by_trip: self.by == "trip",
        })
    }
}

fn interval(text: &str) -> Result<cluster::Interval> {
    if text == "best" {
        return Ok(cluster::Interval::Best);
    }
    let time = |text: &str| time::parse(text).map(|(instant, _)| instant.millis);
    let found = text.split_once("..").and_then(|(from, to)| Some((time(from)?, time(to)?)));
    found.map(|(from, to)| cluster::Interval::Given(from, to)).ok_or_else(|| {
        Error::parameter("interval", "must be two times, or `best`")
            .with_hint("for example `--interval 2024-03-04T06:00:00Z..2024-03-04T10:00:00Z`")
    })
}

fn origin(text: &str) -> Result<(f64, f64)> {
    let number = |text: &str, most: f64| text.trim().parse::<f64>().ok().filter(|number| number.abs() <= most);
    let found = text.split_once(',').and_then(|(lat, lon)| Some((number(lat, 90.0)?, number(lon, 180.0)?)));
    found.ok_or_else(|| {
        Error::parameter("origin", "must be a latitude and a longitude").with_hint("for example `--origin 47,8.5`")
    })
}

/// The `--k` of what is shown.
fn crowd(shared: &Shared) -> Result<usize> {
    Ok(threshold(shared)?.map_or(5, |k| usize::try_from(k).unwrap_or(usize::MAX)))
}

/// A length of time of a flag, in milliseconds.
fn span(name: &'static str, text: &str) -> Result<i64> {
    millis(text).ok_or_else(|| {
        Error::parameter(name, format!("is `{text}`, but must be a length of time"))
            .with_hint(format!("for example `--{name} 30m` or `--{name} 2h`"))
    })
}

#[derive(Debug, Args)]
pub(crate) struct Patterns {
    /// Paths, or a release of some: files or patterns in quotes, which are one data set; or - for standard input
    #[arg(required = true)]
    pub(crate) file: Vec<PathBuf>,
    /// The cells: tile:Z of zoom 0 to 24, h3:R, or place
    #[arg(long, value_name = "CELLS", default_value = "tile:14")]
    pub(crate) cell: String,
    /// How many persons follow a pattern, at least: a number, or a share of all below 1; never fewer than k
    #[arg(long, value_name = "S", default_value = "0.05")]
    pub(crate) support: String,
    /// A pattern has so many cells, at most
    #[arg(long, value_name = "CELLS", default_value_t = 4)]
    pub(crate) longest: usize,
    /// The next cell is entered so long after the last one was left, at most
    #[arg(long, value_name = "SPAN", default_value = "1d")]
    pub(crate) within: String,
    /// The typical times of a step are an interval of this width
    #[arg(long, value_name = "SPAN", default_value = "30m")]
    pub(crate) tolerance: String,
    /// The file to make: cells, persons, timed_persons, from_s, to_s, typical_s; without it patterns are printed
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

impl Patterns {
    pub(crate) fn request(&self) -> Result<PatternsRequest> {
        Ok(PatternsRequest {
            file: self.file.clone().into(),
            ask: self.shared.ask(self.shared.format.as_deref())?,
            params: patterns::Params {
                cells: Cells::parse(&self.cell)?,
                support: support(&self.support)?,
                k: crowd(&self.shared)?,
                longest: self.longest,
                within: span("within", &self.within)?,
                tolerance: span("tolerance", &self.tolerance)?,
            },
            out: self.out.clone(),
        })
    }
}

/// `20` persons, or `0.05` of all.
fn support(text: &str) -> Result<patterns::Support> {
    if let Ok(persons) = text.parse::<usize>() {
        return Ok(patterns::Support::Persons(persons));
    }
    text.parse::<f64>().map(patterns::Support::Share).map_err(|_| {
        Error::parameter("support", format!("is `{text}`, but must be a number of persons or a share of them"))
            .with_hint("for example `--support 20` or `--support 0.05`")
    })
}

#[derive(Debug, Args)]
pub(crate) struct Classify {
    #[command(subcommand)]
    pub(crate) command: ClassifyCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ClassifyCommand {
    /// Learn rules from paths with labels
    Train(Train),
    /// Say the labels of paths, by rules
    Apply(Apply),
    /// How often rules are right about persons who did not teach them, ten parts in turn
    Evaluate(Evaluate),
}

/// What rules are learnt from.
#[derive(Debug, Args)]
pub(crate) struct Teaching {
    /// Paths with a label, a trip each if there are trips
    #[arg(required = true)]
    pub(crate) file: Vec<PathBuf>,
    /// The column that is to be said
    #[arg(long, value_name = "COLUMN", required = true)]
    pub(crate) label: String,
    /// The cells that rules may name: tile:Z of zoom 0 to 24, h3:R, or place
    #[arg(long, value_name = "CELLS", default_value = "tile:14")]
    pub(crate) cell: String,
    /// So many questions lead to a rule, at most
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub(crate) depth: usize,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

impl Teaching {
    fn ask(&self) -> Result<Ask> {
        let mut ask = self.shared.ask(self.shared.format.as_deref())?;
        ask.columns.push(ColumnChoice { role: "label".to_owned(), name: self.label.clone() });
        Ok(ask)
    }

    fn params(&self) -> Result<rules::Params> {
        Ok(rules::Params { cells: Cells::parse(&self.cell)?, k: crowd(&self.shared)?, depth: self.depth })
    }
}

#[derive(Debug, Args)]
pub(crate) struct Train {
    #[command(flatten)]
    pub(crate) teaching: Teaching,
    /// The file of rules to make, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

impl Train {
    pub(crate) fn request(&self) -> Result<TrainRequest> {
        let Teaching { file, .. } = &self.teaching;
        let (ask, params) = (self.teaching.ask()?, self.teaching.params()?);
        Ok(TrainRequest { file: file.clone().into(), ask, params, out: self.out.clone() })
    }
}

#[derive(Debug, Args)]
pub(crate) struct Apply {
    /// Paths, or a release of some: files or patterns in quotes, which are one data set; or - for standard input
    #[arg(required = true)]
    pub(crate) file: Vec<PathBuf>,
    /// The rules, as train wrote them
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) rules: PathBuf,
    /// The file of labels to make: user, trip if the rules are about trips, label; without it they are printed
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

impl Apply {
    pub(crate) fn request(&self) -> Result<ApplyRequest> {
        Ok(ApplyRequest {
            file: self.file.clone().into(),
            ask: self.shared.ask(self.shared.format.as_deref())?,
            rules: self.rules.clone(),
            out: self.out.clone(),
        })
    }
}

#[derive(Debug, Args)]
pub(crate) struct Evaluate {
    #[command(flatten)]
    pub(crate) teaching: Teaching,
}

impl Evaluate {
    /// Without a seed persons are dealt as with seed 0: a number that is to be compared should not depend on luck.
    pub(crate) fn request(&self) -> Result<JudgeRequest> {
        let Teaching { file, shared, .. } = &self.teaching;
        let (ask, params) = (self.teaching.ask()?, self.teaching.params()?);
        Ok(JudgeRequest { file: file.clone().into(), ask, params, seed: shared.seed.unwrap_or(0) })
    }
}
