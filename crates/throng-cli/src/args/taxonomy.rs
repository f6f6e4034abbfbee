//! What can be typed after `throng taxonomy`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct TaxonomyArgs {
    #[command(subcommand)]
    pub(crate) command: TaxonomyCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TaxonomyCommand {
    /// Read a taxonomy of any form and write it as throng's own file
    Import(TaxonomyImport),
    /// Look around: where a word is, what lies above and under it, what it would cost
    Show(TaxonomyShow),
    /// The way from one item to another, their common ancestor and its loss
    Path(TaxonomyPath),
    /// Make a taxonomy over the items of a file of baskets
    Generate(TaxonomyGenerate),
}

#[derive(Debug, Args)]
pub(crate) struct TaxonomyImport {
    /// A file, - for standard input, a folder with WordNet's dictionary files, or wordnet for the one inside. Files may be
    /// child-parent CSV, paths (Top/Sports/Soccer), ODP dumps, ARX hierarchies, JSON trees or throng's own, also .gz, .zst
    pub(crate) source: PathBuf,
    /// The file to make: child-parent CSV if it ends in .csv, else throng's own, which ends in .taxonomy
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// child-parent, paths, odp, arx, json, wordnet or own, if it is not what it looks like
    #[arg(long, value_name = "FORM")]
    pub(crate) format: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct TaxonomyShow {
    /// Items to look at [default: the whole taxonomy]. The first may be the file of a taxonomy
    #[arg(value_name = "WORD")]
    pub(crate) words: Vec<String>,
    /// wordnet, or a file of a taxonomy; may be repeated [default: wordnet]
    #[arg(long, value_name = "wordnet|FILE")]
    pub(crate) taxonomy: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct TaxonomyPath {
    /// From where to where. Before them may stand the file of a taxonomy
    #[arg(value_name = "ITEM", num_args = 2..=3, required = true)]
    pub(crate) items: Vec<String>,
    /// wordnet, or a file of a taxonomy; may be repeated [default: wordnet]
    #[arg(long, value_name = "wordnet|FILE")]
    pub(crate) taxonomy: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct TaxonomyGenerate {
    /// One basket a line, items separated by blanks or commas; or one item a line. For the hierarchy of a column: a table
    pub(crate) file: PathBuf,
    /// How many items or groups a group holds, at most
    #[arg(long, value_name = "N", required_unless_present_any = ["steps", "mask", "date"])]
    pub(crate) fanout: Option<usize>,
    /// The file to make: child-parent CSV if it ends in .csv, else throng's own, which ends in .taxonomy; of a column, ARX's form
    #[arg(long, value_name = "TAX")]
    pub(crate) out: PathBuf,
    /// Group items that are found together [default: neighbours in natural order]
    #[arg(long, conflicts_with = "width")]
    pub(crate) from_data: bool,
    /// Which column holds the items, and whose they are, where the file is no list of baskets; of a table, the column
    #[arg(long, value_name = "ROLE=COLUMN|COLUMN", num_args = 1..)]
    pub(crate) column: Vec<String>,
    /// The hierarchy of a column of a table: intervals of these widths, each a multiple of the one before
    #[arg(long, value_name = "5,10,20", value_delimiter = ',', requires = "column", conflicts_with_all = ["mask", "order", "date"])]
    pub(crate) steps: Vec<f64>,
    /// The hierarchy of a column of a table: the last so many characters starred, one by one
    #[arg(long, value_name = "N", requires = "column", conflicts_with_all = ["order", "date"])]
    pub(crate) mask: Option<usize>,
    /// The hierarchy of a column of a table: neighbours in this order, one value a line, --fanout in a group
    #[arg(long, value_name = "FILE", requires = "column", conflicts_with = "date")]
    pub(crate) order: Option<PathBuf>,
    /// The hierarchy of a column of days: which of year, month and day have a level
    #[arg(long, value_name = "year,month,day", value_delimiter = ',', requires = "column", value_parser = ["year", "month", "day"])]
    pub(crate) date: Vec<String>,
    /// Group numbers into intervals of this width
    #[arg(long, value_name = "W")]
    pub(crate) width: Option<f64>,
}
