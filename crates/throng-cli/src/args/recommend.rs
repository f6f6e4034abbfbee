//! What can be typed after `throng recommend`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use throng::io::{BadLines, Delimiter, Encoding, Format, ReadOptions};
use throng::kinds::ColumnChoice;
use throng::run::{EvaluateRequest, PredictRequest, RatingsFile, SimilarRequest, TopRequest};
use throng_core::Result;
use throng_core::recommenders::{Candidates, Fallback, Means, Name, Params};

use super::role_and_column;

#[derive(Debug, Args)]
pub(crate) struct RecommendArgs {
    #[command(subcommand)]
    pub(crate) command: RecommendCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RecommendCommand {
    /// What persons would give items: one prediction for each line of a list
    #[command(
        after_help = "Example:\n  throng recommend predict ratings.csv --pairs wanted.csv --recommender user-pearson"
    )]
    Predict(RecommendPredict),
    /// How right each recommender is, beside the mean of the item as a yardstick
    #[command(after_help = "Examples:\n  \
        throng recommend evaluate ratings.csv --folds 5\n  \
        throng recommend evaluate u1.base --test u1.test --significance 25")]
    Evaluate(RecommendEvaluate),
    /// Everybody who rates like a person, or everything that is rated like an item
    #[command(after_help = "Examples:\n  \
        throng recommend similar ratings.csv --user 17\n  \
        throng recommend similar ratings.csv --item 242 --recommender item-cosine")]
    Similar(RecommendSimilar),
    /// The items that a person has not rated and would like best
    #[command(after_help = "Example:\n  throng recommend top ratings.csv --user 17 --items movies.csv")]
    Top(RecommendTop),
}

#[derive(Debug, Args)]
pub(crate) struct RecommendPredict {
    #[command(flatten)]
    pub(crate) ratings: RatingsArgs,
    /// A list of persons and items, or ratings to compare predictions with; read like FILE, in any of its formats
    #[arg(long, value_name = "PAIRS")]
    pub(crate) pairs: PathBuf,
    /// By what: user-pearson, item-adjusted-cosine, item-cosine or bias
    #[arg(long, value_name = "NAME", default_value = "user-pearson")]
    pub(crate) recommender: String,
    #[command(flatten)]
    pub(crate) parameters: RecommenderArgs,
}

#[derive(Debug, Args)]
pub(crate) struct RecommendEvaluate {
    #[command(flatten)]
    pub(crate) ratings: RatingsArgs,
    /// Into how many parts the ratings are cut, each of which is predicted from the others
    #[arg(long, value_name = "N", default_value_t = 5, conflicts_with = "test")]
    pub(crate) folds: usize,
    /// Ratings to predict instead
    #[arg(long, value_name = "FILE")]
    pub(crate) test: Option<PathBuf>,
    /// Repeat the same run: the same seed gives the same parts
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) parameters: RecommenderArgs,
}

#[derive(Debug, Args)]
pub(crate) struct RecommendSimilar {
    #[command(flatten)]
    pub(crate) ratings: RatingsArgs,
    /// The id of a person
    #[arg(long, value_name = "ID", required_unless_present = "item", conflicts_with = "item")]
    pub(crate) user: Option<String>,
    /// The id of an item
    #[arg(long, value_name = "ID")]
    pub(crate) item: Option<String>,
    /// By what [default: user-pearson of persons, item-adjusted-cosine of items]
    #[arg(long, value_name = "NAME")]
    pub(crate) recommender: Option<String>,
    #[command(flatten)]
    pub(crate) parameters: RecommenderArgs,
}

#[derive(Debug, Args)]
pub(crate) struct RecommendTop {
    #[command(flatten)]
    pub(crate) ratings: RatingsArgs,
    /// The id of the person
    #[arg(long, value_name = "ID")]
    pub(crate) user: String,
    /// How many items
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) number: usize,
    /// By what: user-pearson, item-adjusted-cosine, item-cosine or bias
    #[arg(long, value_name = "NAME", default_value = "user-pearson")]
    pub(crate) recommender: String,
    #[command(flatten)]
    pub(crate) parameters: RecommenderArgs,
}

/// A file of ratings, and how to read it.
#[derive(Debug, Args)]
pub(crate) struct RatingsArgs {
    /// Ratings: u.data, a file with :: between cells, CSV, JSON lines or Parquet, each also .gz or .zst
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) reading: RatingsReading,
}

/// How ratings are read.
#[derive(Debug, Args)]
pub(crate) struct RatingsReading {
    /// A file about the items: u.item, movies.dat or movies.csv
    #[arg(long, value_name = "FILE")]
    pub(crate) items: Option<PathBuf>,
    /// The lowest and the highest rating that there may be, as 1..5 [default: those of the file]
    #[arg(long, value_name = "LOW..HIGH", allow_hyphen_values = true)]
    pub(crate) scale: Option<String>,
    /// The format of the file, if it is not what it looks like
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// What stands between the cells of CSV: a character, or comma, semicolon, tab, pipe [default: recognised from the file]
    #[arg(long, value_name = "CHARACTER", allow_hyphen_values = true)]
    pub(crate) delimiter: Option<String>,
    /// What the text is written in: utf-8, utf-16, windows-1252, … [default: recognised from the file]
    #[arg(long, value_name = "NAME")]
    pub(crate) encoding: Option<String>,
    /// The first line is a row, not the names of columns: --column gives their numbers, from 1
    #[arg(long)]
    pub(crate) no_header: bool,
    /// Which column holds what: user, item, rating, time; time= leaves the times out
    #[arg(long, value_name = "ROLE=COLUMN", num_args = 1.., value_parser = role_and_column)]
    pub(crate) column: Vec<String>,
    /// Malformed lines, and second ratings of an item by a person: stop, or leave them out and count them
    #[arg(long, value_name = "WHAT", value_parser = ["fail", "skip"], default_value = "fail")]
    pub(crate) bad_lines: String,
}

impl RatingsArgs {
    pub(crate) fn file(&self) -> Result<RatingsFile> {
        self.reading.of(&self.file)
    }
}

impl RatingsReading {
    /// A file that is read like this.
    pub(crate) fn of(&self, file: &Path) -> Result<RatingsFile> {
        Ok(RatingsFile {
            file: file.to_owned(),
            items: self.items.clone(),
            scale: self.scale.clone(),
            options: ReadOptions {
                format: self.format.as_deref().map(Format::parse).transpose()?,
                delimiter: self.delimiter.as_deref().map(Delimiter::parse).transpose()?,
                encoding: self.encoding.as_deref().map(Encoding::parse).transpose()?,
                no_header: self.no_header,
                columns: self.column.iter().map(|text| ColumnChoice::parse(text)).collect::<Result<_>>()?,
                bad_lines: if self.bad_lines == "skip" { BadLines::Skip } else { BadLines::Fail },
                ..ReadOptions::default()
            },
        })
    }
}

/// What recommenders are told.
#[derive(Debug, Args)]
#[command(next_help_heading = "Recommenders")]
pub(crate) struct RecommenderArgs {
    /// How many neighbours are used, at most
    #[arg(long, value_name = "K", default_value_t = 20)]
    pub(crate) neighbours: usize,
    /// The power that similarities are raised to as weights; the paper has 10, which harms accuracy
    #[arg(long, value_name = "A", default_value_t = 1.0, allow_negative_numbers = true)]
    pub(crate) amplification: f64,
    /// A similarity of fewer common ratings counts for less; 25 is advised, 0 is off
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) significance: u32,
    /// user-pearson: the nearest of those who rated the item, or those of the nearest of all who did
    #[arg(long, value_name = "WHO", value_parser = ["raters", "nearest"], default_value = "raters")]
    pub(crate) candidates: String,
    /// user-pearson: means over the items that both rated, or over all ratings of each
    #[arg(long, value_name = "WHICH", value_parser = ["co-rated", "all"], default_value = "co-rated")]
    pub(crate) means: String,
    /// What a prediction without neighbours is: a mean, or nothing
    #[arg(long, value_name = "WHAT", value_parser = ["mean", "none"], default_value = "mean")]
    pub(crate) fallback: String,
    /// Predictions end where the scale does
    #[arg(long)]
    pub(crate) clip: bool,
}

impl RecommenderArgs {
    pub(crate) fn params(&self, name: Name) -> Params {
        Params {
            name,
            neighbours: self.neighbours,
            amplification: self.amplification,
            significance: self.significance,
            candidates: if self.candidates == "nearest" { Candidates::Nearest } else { Candidates::Raters },
            means: if self.means == "all" { Means::All } else { Means::CoRated },
            fallback: if self.fallback == "none" { Fallback::None } else { Fallback::Mean },
            clip: self.clip,
        }
    }
}

impl RecommendPredict {
    pub(crate) fn request(&self, show_values: bool) -> Result<PredictRequest> {
        Ok(PredictRequest {
            ratings: self.ratings.file()?,
            pairs: self.pairs.clone(),
            recommender: self.parameters.params(Name::parse(&self.recommender)?),
            show_values,
        })
    }
}

impl RecommendEvaluate {
    pub(crate) fn request(&self) -> Result<EvaluateRequest> {
        Ok(EvaluateRequest {
            ratings: self.ratings.file()?,
            folds: self.folds,
            test: self.test.clone(),
            recommender: self.parameters.params(Name::UserPearson),
            seed: self.seed,
        })
    }
}

impl RecommendSimilar {
    pub(crate) fn request(&self) -> Result<SimilarRequest> {
        let usual = if self.item.is_some() { Name::ItemAdjustedCosine } else { Name::UserPearson };
        let name = self.recommender.as_deref().map_or(Ok(usual), Name::parse)?;
        Ok(SimilarRequest {
            ratings: self.ratings.file()?,
            user: self.user.clone(),
            item: self.item.clone(),
            recommender: self.parameters.params(name),
        })
    }
}

impl RecommendTop {
    pub(crate) fn request(&self) -> Result<TopRequest> {
        Ok(TopRequest {
            ratings: self.ratings.file()?,
            user: self.user.clone(),
            number: self.number,
            recommender: self.parameters.params(Name::parse(&self.recommender)?),
        })
    }
}
