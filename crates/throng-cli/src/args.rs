//! What can be typed. Flags mean the same everywhere; parameters of methods come from the catalogue.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use throng::catalog;
use throng::io::{BadLines, ColumnChoice, Format, ReadOptions};
use throng_core::{Kind, Parameter, ParameterKind, Result};

/// Hide in the crowd: publish data about people without giving the people away.
///
/// throng takes a search log and makes a release in which every person is one of at least k who look the same. The
/// guarantee is checked on the very bytes by an independent verifier, and what it cost is measured. It never talks to the
/// network.
#[derive(Debug, Parser)]
#[command(name = "throng", version, propagate_version = true, max_term_width = 110)]
#[command(after_help = "Exit codes: 0 done and every check holds, 1 done but a check failed, 2 could not run.\n\
                        Start with `throng demo`.")]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Print one JSON document on standard output, and nothing else there
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Say nothing but results and errors
    #[arg(long, global = true)]
    pub(crate) quiet: bool,
    /// How many threads to use; results never depend on it
    #[arg(long, global = true, value_name = "N")]
    pub(crate) threads: Option<String>,
    /// Show queries and ids in errors and results; keep such output to yourself
    #[arg(long, global = true)]
    pub(crate) show_values: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The whole story on made-up searches
    Demo(Demo),
    /// What is this file, and how exposed are the people in it today?
    Inspect(Inspect),
    /// Make a release in which every person is one of at least k who look the same
    Protect(Protect),
    /// Does a model hold for this file, whoever made it? Exit 0 it holds, 1 it fails
    Check(Check),
    /// What does a release keep, and what does it give away?
    Measure(MeasureArgs),
    /// Everything there is
    List(List),
    /// A method, model, measure or distance in words
    Explain(Explain),
    /// Made-up data, no real person in them
    Synth(Synth),
    /// Is-a hierarchies: import them, look around in them, make new ones
    Taxonomy(TaxonomyArgs),
    /// A completion script for a shell
    Completions(Completions),
    /// The manual page
    Man(Man),
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// The folder to make [default: throng-demo, then throng-demo-2, …]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Repeat the same run: the same seed gives the same bytes
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// A file, a release folder, or - for standard input
    pub(crate) file: PathBuf,
    /// The user distance of two persons, with its parts
    #[arg(long, num_args = 2, value_names = ["USER1", "USER2"])]
    pub(crate) distance: Option<Vec<String>>,
    /// For --distance: whether the words (text) or the number of words (printed) of a query weigh double
    #[arg(long, value_name = "WHICH", default_value = "text", value_parser = ["text", "printed"])]
    pub(crate) query_weights: String,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

#[derive(Debug, Args)]
pub(crate) struct Protect {
    /// The original: a file, or - for standard input
    pub(crate) file: PathBuf,
    /// The release folder to make; it must not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// How to protect [default: user-microaggregation]
    #[arg(long, value_name = "NAME")]
    pub(crate) method: Option<String>,
    /// Measures to run instead of all that are not costly
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) measure: Vec<String>,
    /// Publish the original ids instead of fresh pseudonyms
    #[arg(long)]
    pub(crate) keep_ids: bool,
    /// The format of the original, if it is not what it looks like
    #[arg(long, value_name = "FORMAT")]
    pub(crate) input_format: Option<String>,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// A file, a release folder, or - for standard input
    pub(crate) file: PathBuf,
    /// The model to check [default: every claim of a release's certificate]
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

#[derive(Debug, Args)]
pub(crate) struct MeasureArgs {
    /// The original: a file, or - for standard input
    #[arg(value_name = "ORIGINAL")]
    pub(crate) before: PathBuf,
    /// The release: a release folder, a file, or -
    pub(crate) release: PathBuf,
    /// Measures to run [default: all whose inputs are there]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) measure: Vec<String>,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Section {
    Methods,
    Models,
    Measures,
    Distances,
    Attacks,
    Formats,
    Kinds,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// One sort of thing [default: all]
    pub(crate) section: Option<Section>,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The name, as `throng list` shows it
    pub(crate) name: String,
}

#[derive(Debug, Args)]
pub(crate) struct Synth {
    /// What to make up: queries
    #[arg(value_name = "KIND")]
    pub(crate) what: String,
    /// How many persons
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) persons: usize,
    /// How many lines a person has on average
    #[arg(long, value_name = "N", default_value_t = 55.0)]
    pub(crate) mean_lines: f64,
    /// The same seed makes up the same data
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// The file to make; its ending says the format. - for standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// The format, if the file's ending does not say it
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
}

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
    /// One basket a line, items separated by blanks or commas; or one item a line
    pub(crate) file: PathBuf,
    /// How many items or groups a group holds, at most
    #[arg(long, value_name = "N")]
    pub(crate) fanout: usize,
    /// The file to make: child-parent CSV if it ends in .csv, else throng's own, which ends in .taxonomy
    #[arg(long, value_name = "TAX")]
    pub(crate) out: PathBuf,
    /// Group items that are found together [default: neighbours in natural order]
    #[arg(long, conflicts_with = "width")]
    pub(crate) from_data: bool,
    /// Group numbers into intervals of this width
    #[arg(long, value_name = "W")]
    pub(crate) width: Option<f64>,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Man {}

/// Flags that mean the same everywhere. Those that a command or method does not use are ignored with a note.
#[derive(Debug, Args)]
#[command(next_help_heading = "Shared flags (ignored with a note where they mean nothing)")]
pub(crate) struct Shared {
    /// The kind of data [default: recognised from the file]
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<String>,
    /// tsv, csv, jsonl (each also .gz, .zst) or parquet: the format of the file; in protect, of the release
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// Which column holds what: user=…, query=…, time=…, rank=…, url=… [default: guessed from the header]. Put FILE before it
    #[arg(long, value_name = "ROLE=COLUMN", num_args = 1..)]
    pub(crate) column: Vec<String>,
    /// Malformed lines: stop, or leave them out and count them
    #[arg(long, value_name = "WHAT", value_parser = ["fail", "skip"], default_value = "fail")]
    pub(crate) bad_lines: String,
    /// How many persons look the same, at least [default: 5; for a release, its certificate's]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) k: Option<String>,
    /// Repeat the same run: the same seed gives the same bytes [default: secure randomness]
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// The link between persons and pseudonyms: protect writes it, measure reads it; never publish it
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
    /// The paper's method on the whole data: no blocks, no refinement (the only way there is yet)
    #[arg(long)]
    pub(crate) exact: bool,
    /// Items an attacker knows
    #[arg(long, value_name = "N", hide = true)]
    pub(crate) m: Option<String>,
    /// A share in (0, 1]
    #[arg(long = "h", value_name = "SHARE", hide = true)]
    pub(crate) h: Option<String>,
    /// Items an attacker knows, or a privacy degree
    #[arg(long, value_name = "N", hide = true)]
    pub(crate) p: Option<String>,
    /// A share in (0, 1]
    #[arg(long, value_name = "SHARE", hide = true)]
    pub(crate) rho: Option<String>,
    /// wordnet, or a taxonomy file; may be repeated
    #[arg(long, value_name = "wordnet|FILE", hide = true)]
    pub(crate) taxonomy: Vec<String>,
    /// Sensitive items, one a line
    #[arg(long, value_name = "FILE", hide = true)]
    pub(crate) sensitive: Option<PathBuf>,
    /// The original, where a model needs it
    #[arg(long, value_name = "FILE", hide = true)]
    pub(crate) original: Option<PathBuf>,
}

impl Shared {
    /// How to read a file with these flags.
    pub(crate) fn read_options(&self, format: Option<&str>) -> Result<ReadOptions> {
        Ok(ReadOptions {
            format: format.map(Format::parse).transpose()?,
            columns: self.column.iter().map(|text| ColumnChoice::parse(text)).collect::<Result<_>>()?,
            bad_lines: if self.bad_lines == "skip" { BadLines::Skip } else { BadLines::Fail },
        })
    }

    /// Parameters of methods and models as typed.
    pub(crate) fn parameters(&self) -> Vec<(String, String)> {
        let typed = [("k", &self.k), ("m", &self.m), ("h", &self.h), ("p", &self.p), ("rho", &self.rho)];
        typed.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?))).collect()
    }

    /// Flags that were given and that no command of this version uses.
    pub(crate) fn unused(&self) -> Vec<&'static str> {
        let given = [
            ("taxonomy", !self.taxonomy.is_empty()),
            ("sensitive", self.sensitive.is_some()),
            ("original", self.original.is_some()),
        ];
        given.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }

    /// The kind of data, which must be one that throng knows.
    pub(crate) fn check_kind(&self) -> Result<()> {
        self.kind.as_deref().map_or(Ok(()), check_kind)
    }
}

/// Refuses a kind that throng does not know.
pub(crate) fn check_kind(name: &str) -> Result<()> {
    if Kind::ALL.iter().any(|kind| kind.name() == name) {
        return Ok(());
    }
    Err(throng_core::Error::unknown("kind of data", name, Kind::ALL.iter().map(|kind| kind.name())))
}

/// The command with everything the catalogue adds to it.
pub(crate) fn command() -> clap::Command {
    Cli::command().mut_subcommand("protect", |mut protect| {
        for parameter in method_parameters() {
            protect = protect.arg(argument(parameter));
        }
        protect
    })
}

/// Reads the arguments: the command, and the parameters of methods that the catalogue added.
pub(crate) fn parse() -> std::result::Result<(Cli, Vec<(String, String)>), clap::Error> {
    let matches = command().try_get_matches()?;
    let parameters = matches.subcommand().map(|(name, matches)| typed_parameters(name, matches)).unwrap_or_default();
    Ok((Cli::from_arg_matches(&matches)?, parameters))
}

fn typed_parameters(command: &str, matches: &ArgMatches) -> Vec<(String, String)> {
    if command != "protect" {
        return Vec::new();
    }
    let typed = |parameter: &Parameter| {
        matches.get_one::<String>(parameter.name).map(|text| (parameter.name.to_owned(), text.clone()))
    };
    method_parameters().into_iter().filter_map(typed).collect()
}

/// Parameters of all methods, each once, without those that are flags of every command.
fn method_parameters() -> Vec<&'static Parameter> {
    const SHARED: [&str; 5] = ["k", "m", "h", "p", "rho"];
    let mut parameters: Vec<&Parameter> = Vec::new();
    for parameter in catalog::METHODS.iter().flat_map(|entry| entry.info.parameters) {
        if !SHARED.contains(&parameter.name) && parameters.iter().all(|known| known.name != parameter.name) {
            parameters.push(parameter);
        }
    }
    parameters
}

fn argument(parameter: &'static Parameter) -> Arg {
    let argument = Arg::new(parameter.name).long(parameter.name).help_heading("Parameters of methods").help(
        match parameter.kind {
            ParameterKind::Choice(choices) => {
                format!("{}: {} [default: {}]", parameter.summary, choices.join(", "), parameter.default)
            }
            _ => format!("{} [default: {}]", parameter.summary, parameter.default),
        },
    );
    match parameter.kind {
        ParameterKind::Choice(_) => argument.value_name("WHICH"),
        ParameterKind::Duration => argument.value_name("SPAN"),
        _ => argument.value_name("N"),
    }
}
