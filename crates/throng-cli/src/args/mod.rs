//! What can be typed. Flags mean the same everywhere; parameters of methods come from the catalogue.

mod catalogued;
mod detect;
mod detect_files;
mod geocode;
mod geocode_private;
mod knowledge;
mod ledger;
mod link;
mod party;
mod paths;
mod policy;
mod profile;
mod recipe;
mod recommend;
mod serve;
mod shares;
mod shill;
mod taxonomy;

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use throng::inputs::Inputs;
use throng::io::{BadLines, Delimiter, Encoding, Format};
use throng::kinds::{self, Ask, ColumnChoice, KINDS};
use throng::{parameters, run};
use throng_core::Result;
use throng_core::data::table::Missing;
use throng_core::taxonomy::fit::Unknown;

pub(crate) use self::catalogued::{command, have, parse};
pub(crate) use self::detect::{DetectArgs, DetectCommand};
pub(crate) use self::detect_files::FilesExperiment;
pub(crate) use self::geocode::{GeocodeArgs, GeocodeAttack, GeocodeCommand, GeocodeMatch, town};
pub(crate) use self::geocode_private::GeocodePrivate;
pub(crate) use self::knowledge::{Classify, ClassifyCommand, Cluster, Patterns};
pub(crate) use self::ledger::{
    CertificateArgs, KeysArgs, KeysCommand, LedgerAdd, LedgerArgs, LedgerCommand, LedgerFile, Recording,
};
pub(crate) use self::link::{LinkArgs, LinkClean, LinkCommand, LinkEncode, LinkEvaluate, LinkExtract, LinkReview};
pub(crate) use self::paths::{Cube, PathsArgs, PathsCommand, threshold};
pub(crate) use self::policy::{PolicyArgs, PolicyCommand};
pub(crate) use self::profile::{ProfileArgs, ProfileCommand};
pub(crate) use self::recipe::RunArgs;
pub(crate) use self::recommend::{RecommendArgs, RecommendCommand};
pub(crate) use self::serve::Serve;
pub(crate) use self::shares::{SharesArgs, SharesCommand, SharesOpen};
pub(crate) use self::shill::{Measuring, ShillArgs, ShillCommand};
pub(crate) use self::taxonomy::{
    TaxonomyArgs, TaxonomyCommand, TaxonomyGenerate, TaxonomyImport, TaxonomyPath, TaxonomyShow,
};

/// Hide in the crowd: publish data about people without giving the people away.
///
/// throng takes a search log, baskets of items, documents, a table, a web access log, a graph or paths, and makes a release in which every person is one of at
/// least k who look the same. The guarantee is checked on the very bytes by an independent verifier, and what it cost is measured. It never
/// talks to the network.
#[derive(Debug, Parser)]
#[command(name = "throng", version, propagate_version = true, max_term_width = 110)]
#[command(
    after_help = "Exit codes: 0 done and every check holds, 1 done but a check failed, 2 could not run, 3 nothing failed but a claim could not be checked.\n\
                        Start with `throng demo`."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Flags of every command")]
pub(crate) struct Global {
    /// Print one JSON document on standard output, and nothing else there
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Say nothing but errors and what was asked for; a command that makes files says nothing once they are made
    #[arg(long, global = true)]
    pub(crate) quiet: bool,
    /// How many threads to use; results never depend on it
    #[arg(long, global = true, value_name = "N")]
    pub(crate) threads: Option<String>,
    /// Show queries and ids in errors and results; keep such output to yourself
    #[arg(long, global = true)]
    pub(crate) show_values: bool,
    /// Flags that are not given here, as a settings file [default: throng.toml beside the data, but not for audit, check and report]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Take nothing from a throng.toml beside the data
    #[arg(long, global = true, conflicts_with = "config")]
    pub(crate) no_config: bool,
    /// For a program around this one: progress as lines of JSON on standard error, and the end when standard input ends.
    #[arg(long, global = true, hide = true)]
    pub(crate) watched: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The whole story on made-up searches
    Demo(Demo),
    /// What is this file, and how exposed are the people in it today?
    #[command(after_help = "Examples:\n  \
        throng inspect searches.csv\n  \
        throng inspect searches.csv --concepts --taxonomy odp.taxonomy --taxonomy wordnet --k 10\n\n\
        With --json, the key `concepts` of --concepts has: taxonomy; strings, lines, phrases and persons, each with all, known \
        (a concept was found) and share; found, the phrases of all lines that are exact, shortened, spelling, site or unknown; \
        phrases_unknown; different_concepts; k; samples, each with text, persons, lines and phrases, which have term, concept, \
        path and how.")]
    Inspect(Inspect),
    /// Make a release in which every person is one of at least k who look the same
    #[command(after_help = "Examples:\n  \
        throng protect searches.csv --out release --k 5\n  \
        throng protect log.tsv.gz --out release --key key.csv --time-resolution 1h\n  \
        throng protect log.csv --out release --column user=who query=what time=when")]
    Protect(Box<Protect>),
    /// Is this file anonymous, whoever made it? Who is alone in it, by what, and what to do. Exit 0 yes, 1 no
    #[command(after_help = "Examples:\n  \
        throng audit searches.csv\n  \
        throng audit other.csv --k 10 --html audit.html\n  \
        throng audit release")]
    Audit(AuditArgs),
    /// Does a model hold for this file, whoever made it? Exit 0 it holds, 1 it fails, 3 a claim could not be checked
    #[command(after_help = "Examples:\n  \
        throng check release\n  \
        throng check other.csv --model user-k-anonymity --k 5")]
    Check(Check),
    /// What does a release keep, and what does it give away?
    #[command(after_help = "Example:\n  throng measure searches.csv release --key key.csv")]
    Measure(MeasureArgs),
    /// How often is somebody right who knows a little of a person? Exit 0, 1 if more often than was promised, or 3 if nothing could be tried
    #[command(after_help = "Examples:\n  \
        throng attack searches.csv release --key key.csv\n  \
        throng attack searches.csv release --key key.csv --p 1..5 --with times\n  \
        throng attack searches.csv searches.csv --p 2   (the unprotected file)\n\n\
        --knowledge FILE has JSON lines: {\"person\": \"17\", \"facts\": [{\"query\": \"red car\", \"time\": \"2006-03-01 10:00:00\", \
        \"url\": \"…\"}]}; of baskets {\"item\": \"milk\"}. Several lines of a person are several draws.")]
    Attack(AttackArgs),
    /// Which method, which k? Several side by side on the same data, with a recommendation
    #[command(after_help = "Examples:\n  \
        throng compare searches.csv --methods user-microaggregation,semantic-microaggregation --k 2..10 --out comparison\n  \
        throng compare searches.csv --methods user-microaggregation,kindred --k 3,5,10 --held-out --out other-days\n  \
        throng compare baskets.dat --methods flock,flock:effort=fast,clump --k 3,5,10 --taxonomy food.csv --out comparison")]
    Compare(CompareArgs),
    /// Draw the report of a release again, or the custodian's own with every value
    #[command(after_help = "Examples:\n  \
        throng report release\n  \
        throng report release --private mine.html --original searches.csv --key key.csv")]
    Report(ReportArgs),
    /// Everything in one file: steps that take what others give, checked before anything runs, and run again only when something changed
    #[command(after_help = "Examples:\n  \
        throng run nightly.toml\n  \
        throng run nightly.toml --dry-run\n  \
        throng run --explain nightly.toml\n\n\
        A recipe:\n  \
        throng = 1\n  \
        [data.log]\n  \
        file = \"searches.tsv\"\n  \
        [steps.release]\n  \
        run = \"protect\"\n  \
        in = \"log\"\n  \
        k = 5\n  \
        [steps.proof]\n  \
        run = \"attack\"\n  \
        original = \"log\"\n  \
        release = \"release\"\n  \
        [steps.out]\n  \
        run = \"copy\"\n  \
        in = \"release\"\n  \
        to = \"published\"\n  \
        when = \"proof.verdict != 'above'\"\n\n\
        Exit codes: 0 all is well, 1 a check or bound failed, 2 the recipe is wrong or a step could not run, 3 a claim could not be checked.")]
    Run(RunArgs),
    /// What a written policy says of a release
    Policy(PolicyArgs),
    /// What was released before, and that nobody changed the list
    #[command(after_help = "Examples:\n  \
        throng protect searches.csv --out release --ledger releases.ledger --dataset searches\n  \
        throng ledger show releases.ledger\n  \
        throng ledger verify releases.ledger\n  \
        throng check release --ledger releases.ledger")]
    Ledger(LedgerArgs),
    /// Keys that sign certificates, in minisign's form
    #[command(after_help = "Examples:\n  \
        throng keys new --out custodian\n  \
        throng protect searches.csv --out release --sign custodian.key\n  \
        throng check release --trusted custodian.pub")]
    Keys(KeysArgs),
    /// The certificate of a release, as it is or as a statement that others can sign
    #[command(after_help = "Examples:\n  \
        throng certificate release\n  \
        throng certificate release --format in-toto > statement.json")]
    Certificate(CertificateArgs),
    /// Everything there is
    List(List),
    /// A method, model, measure, attack, detector, distance or finder in words
    #[command(after_help = "Example:\n  throng explain user-k-anonymity")]
    Explain(Explain),
    /// Made-up data, no real person in them
    #[command(after_help = "Example:\n  throng synth queries --persons 1000 --out searches.tsv")]
    Synth(Synth),
    /// Addresses to places and back, and points on a map hidden among addresses
    Geocode(GeocodeArgs),
    /// Paths in the open: journeys from raw points, and counts of people by cell and time with a threshold
    Paths(PathsArgs),
    /// What people would give what they have not rated: predictions from ratings, and how right they are
    Recommend(RecommendArgs),
    /// Made-up profiles that push an item in ratings, or nuke it, and how far they move predictions
    Shill(ShillArgs),
    /// What is out of place: made-up profiles in ratings, and how right detectors are
    Detect(DetectArgs),
    /// What the lines of persons are about, and whether later ones still are: who recognises a masquerader recognises persons
    Profile(ProfileArgs),
    /// Which records of two files, or of one, are the same persons
    Link(LinkArgs),
    /// Releases that show shares of what people searched for (`protect --method query-threshold --shares`)
    Shares(SharesArgs),
    /// Is-a hierarchies: import them, look around in them, make new ones
    Taxonomy(TaxonomyArgs),
    /// The local page: a file dropped, looked at, protected and judged in a browser, on this machine alone
    #[command(after_help = "Examples:\n  \
        throng serve\n  \
        throng serve ~/data --idle 2h")]
    Serve(Serve),
    /// What the local page asks of the command behind it.
    #[command(hide = true)]
    Desk(Desk),
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
    /// Files, folders of documents or patterns in quotes, which are one data set; a release folder; or - for standard input
    #[arg(required = true)]
    pub(crate) file: Vec<PathBuf>,
    /// The user distance of two persons, with its parts
    #[arg(long, num_args = 2, value_names = ["USER1", "USER2"])]
    pub(crate) distance: Option<Vec<String>>,
    /// For --distance: whether the words (text) or the number of words (printed) of a query weigh double
    #[arg(long, value_name = "WHICH", default_value = "text", value_parser = ["text", "printed"])]
    pub(crate) query_weights: String,
    /// How much a taxonomy understands of the queries or items, with samples that at least k persons share
    #[arg(long, conflicts_with = "distance")]
    pub(crate) concepts: bool,
    /// What finders find in texts: addresses, numbers and keys of single persons, how many rows and persons have each
    #[arg(long, conflicts_with = "distance")]
    pub(crate) content: bool,
    /// For --content: write where they find it, for your eyes only: line, field, finder, and characters from and to
    #[arg(long, value_name = "FILE", requires = "content")]
    pub(crate) positions: Option<PathBuf>,
    /// Access logs: show how the first N lines were read; with --show-values and --json
    #[arg(long, value_name = "N", conflicts_with = "distance")]
    pub(crate) rows: Option<usize>,
    /// Tables: write a guess of the roles and types of columns into this file, with a reason for each, for you to review
    #[arg(long, value_name = "FILE", conflicts_with = "distance")]
    pub(crate) schema_out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

#[derive(Debug, Args)]
pub(crate) struct Protect {
    /// The original: files, folders of documents or patterns in quotes, which are one data set; or - for standard input
    #[arg(required = true)]
    pub(crate) file: Vec<PathBuf>,
    /// The release folder to make; it must not exist. {date} in it, and in --key, is today's date
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Replace the release that is there, once the new one is whole; anything else than a release is left alone
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Say what would be done, for whom, and what it would take; write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How to protect
    #[arg(long, value_name = "NAME")]
    pub(crate) method: Option<String>,
    /// Tables: a model that the release must satisfy too, with its parameters: l-diversity:l=3,kind=entropy; may be repeated
    #[arg(long, value_name = "NAME:KEY=VALUE,…")]
    pub(crate) model: Vec<String>,
    /// Measures to run instead of all that are not costly
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) measure: Vec<String>,
    /// Leave the attacks out of the report
    #[arg(long)]
    pub(crate) no_attacks: bool,
    /// What the report calls the data set
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// The day that the report names, as 2024-03-31 [default: today; none with --seed, so that equal runs give equal bytes]
    #[arg(long, value_name = "DATE")]
    pub(crate) date: Option<String>,
    /// Publish the original ids instead of fresh pseudonyms
    #[arg(long)]
    pub(crate) keep_ids: bool,
    /// token-hashing: keep the key of the hashed words in this file; without it, it is thrown away
    #[arg(long, value_name = "FILE")]
    pub(crate) token_key: Option<PathBuf>,
    /// Graphs: write so many random graphs with the published counts beside the release, made-up persons and edges
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) expand: Option<u16>,
    /// Tables: round means and noisy numbers to as many digits as their column has (the bare flag). Ratings: publish multiples of 0.5 or 1, or
    /// means with at most four decimals (none) [default: none]
    #[arg(long, value_name = "none|0.5|1", num_args = 0..=1, default_missing_value = "true", value_parser = ["none", "0.5", "1", "true"], hide_possible_values = true)]
    pub(crate) round: Option<String>,
    /// Tables: rows that no class holds are left out, or published with * in every quasi cell, where they satisfy all models as a class
    #[arg(long, value_name = "WHAT", value_parser = ["drop", "keep"], default_value = "drop")]
    pub(crate) suppressed: String,
    /// Tables with a person column: publish pseudonyms that link the rows of a person; then k persons share all of their rows
    #[arg(long)]
    pub(crate) link_rows: bool,
    /// CSV: publish cells that begin with =, +, - or @ as they are, not marked with a leading '
    #[arg(long)]
    pub(crate) raw_cells: bool,
    /// A file with what may never be published, one rule a line: a word, several words, a "whole query" or a /pattern/
    #[arg(long, value_name = "FILE")]
    pub(crate) drop: Option<PathBuf>,
    /// Ratings: leave out persons whom somebody made up: a file with an id a line, or the labels of shill inject
    #[arg(long, value_name = "FILE")]
    pub(crate) drop_shills: Option<PathBuf>,
    /// Keep to this policy: what it leaves out is removed first, and a release that it does not allow is not written (exit 1)
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Draw a share of the persons below 1, or at most so many, and protect these alone; no promise rests on it
    #[arg(long, value_name = "SHARE|N", allow_negative_numbers = true)]
    pub(crate) sample: Option<f64>,
    /// An earlier release of the same people: the attack intersection is played, and exit is 1 if both together give somebody away
    #[arg(long, value_name = "RELEASE")]
    pub(crate) other: Option<PathBuf>,
    /// The key of that release
    #[arg(long, value_name = "FILE")]
    pub(crate) other_key: Option<PathBuf>,
    /// Hold out a share of the persons, or so many, before anything else: throng attack tries its attacks on them, too. Only --key says who
    #[arg(long, value_name = "SHARE")]
    pub(crate) held_out_persons: Option<f64>,
    /// What becomes of addresses, numbers and keys that finders find in texts: off, report or mask for all of them, or
    /// phone=mask,street=report for some [default: mask for email, card, iban, ssn, ip, coordinates and token, report for the
    /// others; `throng list finders`]
    #[arg(long, value_name = "MODE", value_delimiter = ',')]
    pub(crate) scrub: Vec<String>,
    /// Mask also what three persons and more have in common, a shop's telephone number for example
    #[arg(long)]
    pub(crate) scrub_shared: bool,
    /// The format of the original, if it is not what it looks like
    #[arg(long, value_name = "FORMAT")]
    pub(crate) input_format: Option<String>,
    /// Take at most about this much memory, 4G or 500M: refused at the start if it is too little, and measures that do not
    /// fit are left out
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<String>,
    /// Keep the work in this folder: if the run is killed, the same command goes on. It is as secret as the original, and
    /// removed at the end
    #[arg(long, value_name = "DIR")]
    pub(crate) checkpoint: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) recording: Recording,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// Files, folders of documents or patterns in quotes, which are one data set; a release folder; or - for standard input
    #[arg(required = true)]
    pub(crate) file: Vec<PathBuf>,
    /// Write the audit as a page too; a page of that name is replaced
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Files, folders of documents or patterns in quotes, which are one data set; a release folder; or - for standard input
    #[arg(required = true)]
    pub(crate) file: Vec<PathBuf>,
    /// The model to check, with parameters of its own: l-diversity:l=3,kind=entropy; may be repeated [default: every claim of a
    /// release's certificate; of another file, its kind's k-anonymity]
    #[arg(long, value_name = "NAME[:KEY=VALUE,…]")]
    pub(crate) model: Vec<String>,
    /// cube-threshold: the cells of the cube, if not as the file beside it says
    #[arg(long, value_name = "CELLS")]
    pub(crate) cell: Option<String>,
    /// cube-threshold: its bins of time, if not as the file beside it says
    #[arg(long, value_name = "SPAN")]
    pub(crate) time: Option<String>,
    /// spatial-k-anonymity: the reference of addresses, as `throng geocode` takes it
    #[arg(id = "ref", long = "ref", value_name = "REF")]
    pub(crate) reference: Option<PathBuf>,
    /// spatial-k-anonymity: how far from the centreline the numbers of segments lie, in metres
    #[arg(long, value_name = "METRES", requires = "ref", allow_negative_numbers = true)]
    pub(crate) offset: Option<f64>,
    /// Pass over claims that cannot be checked without the original: exit 0, not 3, if all others hold
    #[arg(long)]
    pub(crate) only_checkable: bool,
    /// The certificate must be signed with this key, the NAME.pub of `throng keys new` or of minisign
    #[arg(long, value_name = "FILE")]
    pub(crate) trusted: Option<PathBuf>,
    /// This ledger must have the line of the release
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
    /// It must keep to this policy
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// For --policy: a release of the ledger that was made without it, to see what it says; may be repeated
    #[arg(long, value_name = "DIR", requires = "policy")]
    pub(crate) earlier: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

#[derive(Debug, Args)]
pub(crate) struct MeasureArgs {
    /// The original: files, folders of documents or patterns in quotes, which are one data set; or - for standard input
    #[arg(value_name = "ORIGINAL", required = true, num_args = 1..)]
    pub(crate) before: Vec<PathBuf>,
    /// The release: a release folder, a file, or -
    pub(crate) release: PathBuf,
    /// Measures to run [default: all whose inputs are there]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) measure: Vec<String>,
    /// Judge a release of the even days by the odd days of ORIGINAL: search logs, access logs and paths
    #[arg(long)]
    pub(crate) held_out: bool,
    /// Graphs: on how many random graphs with the published counts measures look, drawn by --seed [default: 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) expansions: Option<u16>,
    /// Go on although the key was written with another original or release
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

#[derive(Debug, Args)]
pub(crate) struct AttackArgs {
    /// The original: files, folders of documents or patterns in quotes, which are one data set; or - for standard input
    #[arg(value_name = "ORIGINAL", required = true, num_args = 1..)]
    pub(crate) before: Vec<PathBuf>,
    /// The release: a release folder, a file, or -; ORIGINAL itself shows what an attacker achieves without protection
    pub(crate) release: PathBuf,
    /// Attacks to run [default: all whose inputs are there]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) attack: Vec<String>,
    /// Another spelling of --p
    #[arg(long, value_name = "1..5", conflicts_with = "p", hide = true)]
    pub(crate) known: Option<String>,
    /// What is known beside each search, page or rating: times, clicks (of searches), browser (of pages), dates (of ratings)
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) with: Vec<String>,
    /// How many persons are attacked, drawn at random if there are more [default: 1000; of ratings 400; by injection 10]
    #[arg(long, value_name = "N")]
    pub(crate) targets: Option<usize>,
    /// Graphs: neighbourhood knows the graph that somebody's neighbours form, instead of how many neighbours each has
    #[arg(long)]
    pub(crate) radius_one: bool,
    /// How often knowledge is drawn of each [default: 10; of paths 20, of ratings 5]
    #[arg(long, value_name = "N")]
    pub(crate) draws: Option<usize>,
    /// Paths: the cells in which somebody is known to have been: tile:Z, h3:R or place [default: tile:15]
    #[arg(long, value_name = "CELLS")]
    pub(crate) cell: Option<String>,
    /// Paths: what is known of when that was: hour, day or none [default: day]
    #[arg(long, value_name = "TIME")]
    pub(crate) time: Option<String>,
    /// Ratings: by how much known ones are off, at most [default: 1]
    #[arg(long, value_name = "STARS", allow_negative_numbers = true)]
    pub(crate) noise: Option<f64>,
    /// What is known of whom; nothing is drawn then
    #[arg(long, value_name = "FILE", conflicts_with_all = ["p", "known", "targets", "draws"])]
    pub(crate) knowledge: Option<PathBuf>,
    /// Other data of the same kind that the attacker has: for hashed words
    #[arg(long, value_name = "FILE")]
    pub(crate) reference: Option<PathBuf>,
    /// People who are not in the release [default: those whom protect --held-out-persons kept out]
    #[arg(long, value_name = "FILE")]
    pub(crate) control: Option<PathBuf>,
    /// Another release of the same people
    #[arg(long, value_name = "RELEASE")]
    pub(crate) other: Option<PathBuf>,
    /// The key of that release
    #[arg(long, value_name = "FILE")]
    pub(crate) other_key: Option<PathBuf>,
    /// How many hashed words are attacked, the most frequent ones
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub(crate) top: usize,
    /// Hashed words that are known already: CSV with the header token,word
    #[arg(long, value_name = "FILE")]
    pub(crate) seeds: Option<PathBuf>,
    /// Go on although the key was written with another original or release
    #[arg(long)]
    pub(crate) force: bool,
    /// Encoded records: the column that salted their tokens
    #[arg(long, value_name = "COLUMN")]
    pub(crate) salt: Option<String>,
    /// Encoded records: a page to make, with each attack, what it knows, how often it is right, and the day
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The original: files, folders of documents or patterns in quotes, which are one data set
    #[arg(required = true)]
    pub(crate) file: Vec<PathBuf>,
    /// The folder to make; one that was stopped goes on in its folder, one that is finished is extended by the k, methods and
    /// seeds that it lacks. {date} in it is today's date
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Replace the finished comparison that is there, once the new one is whole; anything else is left alone
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Refused with a word on where models belong: a guess at another flag would be wrong.
    #[arg(long, hide = true)]
    pub(crate) model: Option<String>,
    /// Methods of one kind of data, each with parameters if it has some: name:parameter=value
    #[arg(long, value_name = "A,B", value_delimiter = ',', required_unless_present_any = ["study", "model"])]
    pub(crate) methods: Vec<String>,
    /// Repeat a paper's own evaluation instead, as CSV files and charts: of tables guessing (needs --target), of graphs sangreea
    #[arg(long, value_name = "NAME", conflicts_with = "methods")]
    pub(crate) study: Option<String>,
    /// Measures to run [default: all that are not costly]
    #[arg(long, alias = "measure", value_name = "A,B", value_delimiter = ',')]
    pub(crate) measures: Vec<String>,
    /// Search logs, access logs and paths: give methods the even days of each person, and judge them by the odd days, with
    /// the measures that can, and of search logs the attack profile-linkage. Ratings: give them four fifths of what each person rated, and
    /// judge them by how well the rest is predicted (prediction-error)
    #[arg(long)]
    pub(crate) held_out: bool,
    /// Leave the attacks out; they are also left out where measures are named
    #[arg(long)]
    pub(crate) no_attacks: bool,
    /// A file with what may never be published, one rule a line: a word, several words, a "whole query" or a /pattern/
    #[arg(long, value_name = "FILE")]
    pub(crate) drop: Option<PathBuf>,
    /// Take at most this many persons, drawn at random
    #[arg(long, value_name = "N")]
    pub(crate) sample: Option<usize>,
    /// Try so many seeds, --seed and those after it: numbers become means with their standard deviation
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) repeat: usize,
    /// The smallest k to recommend, at least 3
    #[arg(long, value_name = "N", default_value_t = run::LEAST_K)]
    pub(crate) least_k: usize,
    /// Write every chart as an SVG file into this folder too
    #[arg(long, value_name = "DIR")]
    pub(crate) charts: Option<PathBuf>,
    /// What the comparison calls the data set
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// The day that the comparison names, as 2024-03-31 [default: today; none with --seed, so that equal runs give equal bytes]
    #[arg(long, value_name = "DATE")]
    pub(crate) date: Option<String>,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// A release folder
    pub(crate) release: PathBuf,
    /// Write, to this file outside of the release, a report that shows every value; never publish it
    #[arg(long, value_name = "FILE")]
    pub(crate) private: Option<PathBuf>,
    /// For --private: measures to run [default: all whose inputs are there]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) measure: Vec<String>,
    /// Call the data set this from now on; with --private, on that page only
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Name this day from now on, as 2024-03-31; with --private, on that page only
    #[arg(long, value_name = "DATE")]
    pub(crate) date: Option<String>,
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
    Detectors,
    Finders,
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
    /// What to make up: a kind of data, records of persons to link, connections of a network, or town, addresses on a map
    #[arg(value_name = "KIND")]
    pub(crate) what: String,
    /// How many persons, or documents
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) persons: usize,
    /// How many lines a person of queries has on average
    #[arg(long, value_name = "N", default_value_t = 55.0)]
    pub(crate) mean_lines: f64,
    /// Queries: every line has a click, as in logs of which only those were kept
    #[arg(long)]
    pub(crate) clicks_only: bool,
    /// Queries: make nothing up, but print the shape of this log beside that of a real sample
    #[arg(long, value_name = "LOG", conflicts_with_all = ["out", "clicks_only", "plant", "taxonomy"])]
    pub(crate) profile: Option<PathBuf>,
    /// With --profile: which column of the log holds what
    #[arg(long, value_name = "ROLE=COLUMN", num_args = 1.., value_parser = role_and_column, requires = "profile")]
    pub(crate) column: Vec<String>,
    /// Queries: plant so many persons beside the others, who type their name, address, telephone, social security number, e-mail and a
    /// rare illness; what they type is written beside the file, as FILE.facts.jsonl
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) plant: usize,
    /// How many accounts each planted person has
    #[arg(long, value_name = "A", default_value_t = 1)]
    pub(crate) accounts: usize,
    /// How many items a person of baskets has on average
    #[arg(long, value_name = "N", default_value_t = 5.0)]
    pub(crate) mean_items: f64,
    /// Baskets of things bought, or of words searched for
    #[arg(long, value_name = "WHICH", default_value = "shopping", value_parser = ["shopping", "searches"])]
    pub(crate) style: String,
    /// Tables: people and their work (census), visits of patients, or clumps of numbers (numeric). Graphs: friends with their communities,
    /// random edges, or R-MAT [default: census, friends]
    #[arg(long, value_name = "WHICH", value_parser = ["census", "patients", "numeric", "friends", "random", "rmat"])]
    pub(crate) shape: Option<String>,
    /// Graphs: how many neighbours a person has on average
    #[arg(long, value_name = "D", default_value_t = 10.0)]
    pub(crate) degree: f64,
    /// Graphs: write what is known of persons into this file
    #[arg(long, value_name = "FILE")]
    pub(crate) nodes_out: Option<PathBuf>,
    /// Graphs: make the three graphs of Campan's and Truta's experiment, in the folder that --out names
    #[arg(long)]
    pub(crate) paper: bool,
    /// Visits: a site of about ten pages, or of thousands
    #[arg(long, value_name = "WHICH", default_value = "irregular", value_parser = ["uniform", "irregular"])]
    pub(crate) site: String,
    /// Visits: the share of visitors who are declared bots
    #[arg(long, value_name = "SHARE", default_value_t = 0.2)]
    pub(crate) bots: f64,
    /// Visits and paths: over how many days
    #[arg(long, value_name = "D", default_value_t = 7)]
    pub(crate) days: u32,
    /// town: how many addresses its reference has, at least; --persons is how many people write theirs down, and --out a folder
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub(crate) addresses: usize,
    /// Ratings: how many items there are
    #[arg(long, value_name = "M", default_value_t = 1700)]
    pub(crate) items: usize,
    /// Ratings: how many a person has on average
    #[arg(long, value_name = "N", default_value_t = 100.0)]
    pub(crate) mean_ratings: f64,
    /// Ratings: half stars, from 0.5 to 5, and not whole ones from 1 to 5
    #[arg(long)]
    pub(crate) half_stars: bool,
    /// Ratings: write titles and genres of the items into this file, which must not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) items_file: Option<PathBuf>,
    /// Tables and graphs: write the hierarchies of their columns into this folder, which must not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) hierarchies_out: Option<PathBuf>,
    /// Baskets and documents are made of its items: wordnet, or a taxonomy file; may be repeated [default: wordnet]
    #[arg(long, value_name = "wordnet|FILE")]
    pub(crate) taxonomy: Vec<String>,
    /// Records: how many a file has
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) records: usize,
    /// Records: how many of them a person has on average, in one file; 1 makes two files with one record of each person in each
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub(crate) copies: usize,
    /// Records: the share of the fields that are changed or missing
    #[arg(long, value_name = "SHARE", default_value_t = 0.15)]
    pub(crate) changed: f64,
    /// Connections: how many records, with the 41 features and the label of KDD Cup 1999; a tenth are attacks
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) rows: usize,
    /// The same seed makes up the same data
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// The file to make; its ending says the format. - for standard output. Documents: without an ending, a folder. Records: a folder
    #[arg(long, value_name = "FILE", required_unless_present = "profile")]
    pub(crate) out: Option<PathBuf>,
    /// The format, if the file's ending does not say it
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Desk {
    /// What there is, or the command line of a request on standard input.
    #[arg(value_parser = ["catalogue", "line"])]
    pub(crate) what: String,
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
#[command(next_help_heading = "Shared flags")]
pub(crate) struct Shared {
    /// The kind of data [default: recognised from the file]
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<String>,
    /// Take the words of a query log as baskets: `--as baskets`
    #[arg(long = "as", value_name = "KIND", value_parser = taken_as())]
    pub(crate) as_kind: Option<String>,
    /// tsv, csv, jsonl, fimi (each also .gz, .zst) or parquet: the format of the file; in protect, of the release
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// What stands between the cells of CSV: a character, or comma, semicolon, tab, pipe [default: recognised from the file]
    #[arg(long, value_name = "CHARACTER", allow_hyphen_values = true)]
    pub(crate) delimiter: Option<String>,
    /// What the text is written in: utf-8, utf-16, windows-1252, shift_jis, … [default: recognised from the file]
    #[arg(long, value_name = "NAME")]
    pub(crate) encoding: Option<String>,
    /// The first line is a row, not the names of columns: --column gives their numbers, from 1
    #[arg(long)]
    pub(crate) no_header: bool,
    /// Which column holds what; ROLE= with nothing after it leaves the column of that role out, as url=
    #[arg(long, value_name = "ROLE=COLUMN", num_args = 1.., value_parser = role_and_column)]
    pub(crate) column: Vec<String>,
    /// How times are written, if it cannot be found out: '%d.%m.%Y %H:%M', '%m/%d/%Y %I:%M %p'; seconds, milliseconds, microseconds,
    /// nanoseconds (since 1970) or excel. The guide has all directives
    #[arg(long, value_name = "FORMAT")]
    pub(crate) time_format: Option<String>,
    /// The zone that times are local in, as Europe/Berlin: hours and days are those of its clocks, and releases are published in it
    /// [default: UTC, or what the times name]
    #[arg(long, value_name = "ZONE")]
    pub(crate) time_zone: Option<String>,
    /// Access logs: how their lines are written, if it cannot be found out: the name of a format, or Apache's or nginx's own directive
    #[arg(long, value_name = "DIRECTIVE", allow_hyphen_values = true)]
    pub(crate) log_format: Option<String>,
    /// Access logs: who a visitor is: address+agent, address, user, session, or the name of a column [default: address+agent]
    #[arg(long, value_name = "WHO")]
    pub(crate) person: Option<String>,
    /// Access logs: how many bits of an IPv6 address tell visitors apart [default: 64]
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u8).range(1..=128))]
    pub(crate) ipv6_prefix: Option<u8>,
    /// A pause that is longer ends a session, of access logs and of shorten-sessions [default: 30m]
    #[arg(long, value_name = "SPAN")]
    pub(crate) timeout: Option<String>,
    /// Paths: where the cells of a telephone network are, a CSV file with the header cell,lat,lon
    #[arg(long, value_name = "TABLE")]
    pub(crate) cells: Option<PathBuf>,
    /// Ratings: the lowest and the highest there are, as 1..5 [default: those of the file]
    #[arg(long, value_name = "LOW..HIGH", allow_hyphen_values = true)]
    pub(crate) scale: Option<String>,
    /// Ratings: a file about the items: u.item, movies.dat or movies.csv
    #[arg(long, value_name = "FILE")]
    pub(crate) items: Option<PathBuf>,
    /// Malformed lines, or files of a folder that cannot be read: stop, or leave them out and count them
    #[arg(long, value_name = "WHAT", value_parser = ["fail", "skip"], default_value = "fail")]
    pub(crate) bad_lines: String,
    /// Every row is another person: do not stop where that looks like a mistake
    #[arg(long)]
    pub(crate) one_row_per_person: bool,
    /// How many persons look the same, at least [default: 5; for a release, its certificate's]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) k: Option<String>,
    /// Repeat the same run: the same seed gives the same bytes [default: secure randomness]
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// The link between persons and pseudonyms: protect writes it, measure reads it; never publish it
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
    /// The whole data at once: no blocks, no refinement
    #[arg(long)]
    pub(crate) exact: bool,
    /// How many items of a person an attacker knows, at most
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) m: Option<String>,
    /// The share of those who look the same that may have one sensitive item, in (0, 1]
    #[arg(long = "h", value_name = "SHARE", allow_negative_numbers = true)]
    pub(crate) h: Option<String>,
    /// How many public items an attacker knows, or the privacy degree of groups
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) p: Option<String>,
    /// How surely an item may be inferred from others, at most, in (0, 1]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub(crate) rho: Option<String>,
    /// What lies under what: wordnet, or a taxonomy file; may be repeated [default: wordnet for
    /// queries and documents]; visits: a CSV file child,parent of paths and the patterns that cover them
    #[arg(long, value_name = "wordnet|FILE")]
    pub(crate) taxonomy: Vec<String>,
    /// Items that the taxonomy does not know: drop, root, own-leaf or error [default: drop for queries and
    /// documents, error for baskets]
    #[arg(long, value_name = "WHAT")]
    pub(crate) unknown: Option<String>,
    /// A file with sensitive items, one a line
    #[arg(long, value_name = "FILE")]
    pub(crate) sensitive: Option<PathBuf>,
    /// Graphs: the file that says what is known of persons, a row each; --column id=… names them
    #[arg(long, value_name = "FILE")]
    pub(crate) nodes: Option<PathBuf>,
    /// Graphs: an edge to somebody whom --nodes does not have: stop, or add them as a person of whom nothing is known
    #[arg(long, value_name = "WHAT", value_parser = ["fail", "add"], default_value = "fail")]
    pub(crate) unknown_nodes: String,
    /// Tables: what lies above the values of a column, or flat for nothing but *; may be repeated
    #[arg(long, value_name = "COLUMN=FILE")]
    pub(crate) hierarchy: Vec<String>,
    /// Tables: a folder with hierarchies, each named COLUMN.csv or …_hierarchy_COLUMN.csv
    #[arg(long, value_name = "DIR")]
    pub(crate) hierarchies: Option<PathBuf>,
    /// Tables: a TOML file that says what columns hold and how they are generalised; flags overrule it. `throng inspect FILE --schema-out
    /// table.toml` writes a guess
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
    /// Tables: what a missing value is: own, a value like others, or wild, anything: models are checked in their worst case [default: own,
    /// or as a schema or certificate says]
    #[arg(long, value_name = "WHAT", value_parser = ["own", "wild"])]
    pub(crate) missing: Option<String>,
    /// Tables: the table that the rows are a part of, for models that ask for it
    #[arg(long, value_name = "FILE")]
    pub(crate) population: Option<PathBuf>,
    /// Tables: the parameters of noise, which protect writes and check, measure and attack read; as secret as the key
    #[arg(long, value_name = "FILE")]
    pub(crate) noise_file: Option<PathBuf>,
    /// Tables: the column that classifiers and fits are to predict
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// The original, where a model or the private report needs it; may be repeated
    #[arg(long, value_name = "FILE", hide = true)]
    pub(crate) original: Vec<PathBuf>,
}

impl Shared {
    /// How to read and understand a file with these flags.
    pub(crate) fn ask(&self, format: Option<&str>) -> Result<Ask> {
        Ok(Ask {
            kind: self
                .kind
                .as_deref()
                .map(|name| kinds::named(name).map(|kind| kind.card().name.to_owned()))
                .transpose()?,
            as_kind: self.as_kind.clone(),
            format: format.map(Format::parse).transpose()?,
            delimiter: self.delimiter.as_deref().map(Delimiter::parse).transpose()?,
            encoding: self.encoding.as_deref().map(Encoding::parse).transpose()?,
            no_header: self.no_header,
            columns: self.columns()?,
            time_format: self.time_format.clone(),
            time_zone: self.time_zone.clone(),
            log_format: self.log_format.clone(),
            cells: self.cells.clone(),
            ipv6_prefix: self.ipv6_prefix,
            timeout: self.timeout.as_deref().map(|text| parameters::span("timeout", text)).transpose()?,
            scale: self.scale.clone(),
            items: self.items.clone(),
            rows: None,
            bad_lines: if self.bad_lines == "skip" { BadLines::Skip } else { BadLines::Fail },
            one_row_per_person: self.one_row_per_person,
            taxonomies: self.taxonomy.clone(),
            unknown: self.unknown.as_deref().map(Unknown::parse).transpose()?,
            sensitive: self.sensitive.clone(),
            nodes: self.nodes.clone(),
            add_unknown_nodes: self.unknown_nodes == "add",
            hierarchies: self.hierarchy.clone(),
            hierarchies_in: self.hierarchies.clone(),
            schema: self.schema.clone(),
            missing: self.missing.as_deref().and_then(Missing::named),
            population: self.population.clone(),
            noise_file: self.noise_file.clone(),
            target: self.target.clone(),
            ..Ask::default()
        })
    }

    /// Which column holds what; `--person` is another spelling of `--column person=…`.
    fn columns(&self) -> Result<Vec<ColumnChoice>> {
        let mut columns: Vec<ColumnChoice> =
            self.column.iter().map(|text| ColumnChoice::parse(text)).collect::<Result<_>>()?;
        if let Some(person) = &self.person {
            columns.push(ColumnChoice { role: "person".to_owned(), name: person.clone() });
        }
        Ok(columns)
    }

    /// The files of the original, if they are named.
    pub(crate) fn original(&self) -> Option<Inputs> {
        (!self.original.is_empty()).then(|| self.original.clone().into())
    }

    /// Parameters of methods and models as typed.
    pub(crate) fn parameters(&self) -> Vec<(String, String)> {
        let typed = [("k", &self.k), ("m", &self.m), ("h", &self.h), ("p", &self.p), ("rho", &self.rho)];
        let exact = self.exact.then(|| ("exact".to_owned(), "true".to_owned()));
        typed.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?))).chain(exact).collect()
    }

    /// Flags that were given and that mean nothing to this command, or for this kind of data.
    pub(crate) fn unused(&self, command: &str, kind: &str) -> Vec<&'static str> {
        let given = [
            ("seed", self.seed.is_some()),
            ("key", self.key.is_some()),
            ("taxonomy", !self.taxonomy.is_empty()),
            ("unknown", self.unknown.is_some()),
            ("sensitive", self.sensitive.is_some()),
            ("original", !self.original.is_empty()),
            ("time-format", self.time_format.is_some()),
            ("time-zone", self.time_zone.is_some()),
        ];
        let card = kinds::named(kind).ok().map(|kind| kind.card());
        let has_times = card.is_some_and(|card| card.has_times);
        let has_sensitive = card.is_some_and(|card| card.has_sensitive);
        let is_judged_by_taxonomy = card.is_some_and(|card| card.judged_by_taxonomy);
        let is_unused = |name: &str| match name {
            "sensitive" => !has_sensitive,
            "time-format" | "time-zone" => !has_times && self.as_kind.is_none(),
            "taxonomy" | "unknown" => !is_judged_by_taxonomy && matches!(command, "inspect" | "audit" | "check"),
            "original" => !matches!(command, "report" | "check"),
            _ => meaningless(command).contains(&name),
        };
        given.into_iter().filter(|(name, given)| *given && is_unused(name)).map(|(name, _)| name).collect()
    }
}

/// Shared flags that mean nothing to a command: its help does not show them.
fn meaningless(command: &str) -> &'static [&'static str] {
    match command {
        "inspect" | "audit" => &["key", "exact"],
        "check" => &["seed", "exact"],
        "measure" => &["exact"],
        "attack" => &["exact", "m", "h", "rho"],
        "compare" => &["key"],
        "report" => &["k", "exact", "m", "h", "p", "rho"],
        _ => &[],
    }
}

/// A value of `--column`, which takes all words that follow it, FILE too if that comes last.
fn role_and_column(text: &str) -> std::result::Result<String, String> {
    if text.contains('=') {
        Ok(text.to_owned())
    } else {
        Err("a role and a column are expected, as user=AnonID; FILE comes before --column".to_owned())
    }
}

/// Kinds that others can be taken as.
fn taken_as() -> PossibleValuesParser {
    let names = KINDS.iter().map(|kind| kind.card()).filter(|card| !card.made_of.is_empty()).map(|card| card.name);
    PossibleValuesParser::new(names)
}
