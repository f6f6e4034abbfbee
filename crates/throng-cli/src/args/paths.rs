//! What can be typed after `throng paths`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use throng::io::Format;
use throng::run::{CubeQuestion, CubeRequest, ReconstructRequest};
use throng_core::paths::reconstruct::Params;
use throng_core::{Error, Result};

use super::{Classify, Cluster, Patterns, Shared};

#[derive(Debug, Args)]
pub(crate) struct PathsArgs {
    #[command(subcommand)]
    pub(crate) command: PathsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PathsCommand {
    /// Trips and stays from raw points: sorted, repeats and impossible speeds dropped, gaps in neither
    #[command(after_help = "Examples:\n  \
        throng paths reconstruct raw.csv --out journeys.csv --stays stays.csv\n  \
        throng paths reconstruct cells.csv --cells antennas.csv --gap 2h --out journeys.csv")]
    Reconstruct(Reconstruct),
    /// Counts of people by cell and time, written only where at least k people are; or a question to such a file
    #[command(after_help = "Examples:\n  \
        throng paths cube journeys.csv --cell quad:8-16 --time 7d --k 5 --out cube.csv\n  \
        throng paths cube cube.csv --roll-up tile:12\n  \
        throng paths cube cube.csv --slice time=2024-03-04T00:00:00Z\n  \
        throng paths cube cube.csv --page cube.html\n  \
        throng check cube.csv --model cube-threshold --original journeys.csv")]
    Cube(Cube),
    /// Clusters of paths that went alike, and a mean path for each cluster of at least k persons
    #[command(after_help = "Examples:\n  \
        throng paths cluster paths.csv --clusters 8 --out labels.csv --summary clusters.csv\n  \
        throng paths cluster journeys.csv --by trip --distance route --radius 300 --out labels.csv\n  \
        throng paths cluster paths.csv --radius 500 --interval best --out labels.csv")]
    Cluster(Box<Cluster>),
    /// Sequences of cells that at least k persons go through, with the times that their steps usually take
    #[command(after_help = "Examples:\n  \
        throng paths patterns journeys.csv --cell tile:14 --support 0.05 --k 5 --out patterns.csv\n  \
        throng paths patterns release --cell place --support 20")]
    Patterns(Patterns),
    /// Rules that say the label of a trip by its length, duration, speed, stops, hours and cells
    #[command(after_help = "Examples:\n  \
        throng paths classify train journeys.csv --label mode --out rules.json\n  \
        throng paths classify apply others.csv --rules rules.json --out labels.csv\n  \
        throng paths classify evaluate journeys.csv --label mode")]
    Classify(Classify),
}

#[derive(Debug, Args)]
pub(crate) struct Reconstruct {
    /// The raw points: files or patterns in quotes, which are one data set; or - for standard input
    #[arg(required = true)]
    pub(crate) file: Vec<PathBuf>,
    /// The file to make: the points with columns trip and stay
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Write the stays into this file too: user, stay, from, to, lat, lon, points
    #[arg(long, value_name = "FILE")]
    pub(crate) stays: Option<PathBuf>,
    /// What could be reached only faster than this is dropped, in km/h
    #[arg(long, value_name = "KM/H", default_value_t = 200.0)]
    pub(crate) max_speed: f64,
    /// A stay lasts at least so long, within so far of its first point
    #[arg(long, value_name = "DISTANCE,TIME", default_value = "200m,20m")]
    pub(crate) stay: String,
    /// A longer step than this ends a trip and a stay, and belongs to neither
    #[arg(long, value_name = "SPAN", default_value = "30m")]
    pub(crate) gap: String,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

#[derive(Debug, Args)]
pub(crate) struct Cube {
    /// Paths to count, with --out; or a cube to ask
    #[arg(required = true)]
    pub(crate) file: Vec<PathBuf>,
    /// The file to make; what it was counted with is written beside it, as FILE.json
    #[arg(long, value_name = "FILE", required_unless_present_any = ["roll_up", "drill_down", "slice", "page"],
        conflicts_with_all = ["roll_up", "drill_down", "slice", "page"])]
    pub(crate) out: Option<PathBuf>,
    /// The cells: tile:Z of zoom 0 to 24, quad:A-B as fine as people allow, h3:R, or place
    #[arg(long, value_name = "CELLS", default_value = "quad:8-16")]
    pub(crate) cell: String,
    /// How long a bin of time is, counted from 1970 in UTC: 1h, 1d, 7d, or all
    #[arg(long, value_name = "SPAN", default_value = "1d")]
    pub(crate) time: String,
    /// Ask a cube: its rows added up to coarser tiles or longer times, tile:Z or 7d
    #[arg(long, value_name = "TO", group = "question")]
    pub(crate) roll_up: Option<String>,
    /// Ask a cube: the quarters of a tile
    #[arg(long, value_name = "CELL", group = "question")]
    pub(crate) drill_down: Option<String>,
    /// Ask a cube: the rows of one time, or of one cell and those inside
    #[arg(long, value_name = "time=…|cell=…", group = "question")]
    pub(crate) slice: Option<String>,
    /// Draw a cube: a page with its map and a slider over its times, made of the published rows alone
    #[arg(long, value_name = "FILE", group = "question")]
    pub(crate) page: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

impl Reconstruct {
    pub(crate) fn request(&self) -> Result<ReconstructRequest> {
        let (radius, time) = self.stay.split_once(',').ok_or_else(|| stay(&self.stay))?;
        let params = Params {
            max_speed: self.max_speed,
            stay_radius: metres(radius).ok_or_else(|| stay(&self.stay))?,
            stay_time: millis(time).ok_or_else(|| stay(&self.stay))?,
            gap: millis(&self.gap).ok_or_else(|| {
                Error::parameter("gap", format!("is `{}`, but must be a length of time", self.gap))
                    .with_hint("for example `--gap 30m` or `--gap 2h`")
            })?,
            merge_cells: self.shared.cells.is_some(),
        };
        Ok(ReconstructRequest {
            file: self.file.clone().into(),
            ask: self.shared.ask(None)?,
            params,
            out: self.out.clone(),
            format: self.shared.format.as_deref().map(Format::parse).transpose()?,
            stays: self.stays.clone(),
        })
    }
}

fn stay(said: &str) -> Error {
    Error::parameter("stay", format!("is `{said}`, but must be a distance and a length of time"))
        .with_hint("for example `--stay 200m,20m` or `--stay 1km,1h`")
}

/// `200m` or `1.5km`, in metres.
pub(super) fn metres(text: &str) -> Option<f64> {
    let (number, scale) = match text.strip_suffix("km") {
        Some(number) => (number, 1000.0),
        None => (text.strip_suffix('m')?, 1.0),
    };
    number.parse::<f64>().ok().map(|number| number * scale).filter(|metres| metres.is_finite())
}

/// `30s`, `20m`, `2h` or `1d`, in milliseconds.
pub(super) fn millis(text: &str) -> Option<i64> {
    let unit = match text.chars().next_back()? {
        's' => 1000,
        'm' => 60_000,
        'h' => 3_600_000,
        'd' => 86_400_000,
        _ => return None,
    };
    text[..text.len() - 1]
        .parse::<i64>()
        .ok()
        .filter(|count| (0..=100_000_000).contains(count))
        .map(|count| count * unit)
}

impl Cube {
    /// What is asked of a cube, if it is asked.
    pub(crate) fn question(&self) -> Option<CubeQuestion> {
        let roll_up = self.roll_up.clone().map(CubeQuestion::RollUp);
        let drill_down = self.drill_down.clone().map(CubeQuestion::DrillDown);
        roll_up.or(drill_down).or(self.slice.clone().map(CubeQuestion::Slice))
    }

    pub(crate) fn request(&self) -> Result<CubeRequest> {
        Ok(CubeRequest {
            file: self.file.clone().into(),
            ask: self.shared.ask(self.shared.format.as_deref())?,
            cell: self.cell.clone(),
            time: self.time.clone(),
            k: threshold(&self.shared)?.unwrap_or(5),
            out: self.out.clone().unwrap_or_default(),
        })
    }
}

/// The `--k` of a cube.
pub(crate) fn threshold(shared: &Shared) -> Result<Option<u64>> {
    let number = |text: &String| {
        let number = text.parse::<u64>().ok();
        number.ok_or_else(|| Error::parameter("k", format!("is `{text}`, but must be a whole number")))
    };
    shared.k.as_ref().map(number).transpose()
}
