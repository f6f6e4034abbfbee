//! What can be typed after `throng profile`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use throng::io::{BadLines, Delimiter, Encoding, Format};
use throng::kinds::{self, Ask, ColumnChoice};
use throng::run::{
    BuildProfilesRequest, ChartProfileRequest, CompareProfilesRequest, EvaluateProfilesRequest, UpdateProfilesRequest,
};
use throng_core::Result;
use throng_core::profiles::Distance;

#[derive(Debug, Args)]
pub(crate) struct ProfileArgs {
    #[command(subcommand)]
    pub(crate) command: ProfileCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProfileCommand {
    /// What everybody in a log is about: profiles, in a file that is as secret as the log
    #[command(after_help = "Examples:\n  \
        throng profile build searches.tsv --out profiles.json\n  \
        throng profile build access.log --out profiles.json --topics topics.toml --pages mirror\n\n\
        A file of topics: [topics] and below it a line a topic, as sport = [\"football\", \"goal\"]; words are compared by their stems, and \
        each is in one topic. --pages has saved pages under their addresses, as `wget --mirror` writes them: mirror/www.site.example/a.html. \
        Nothing is ever downloaded.")]
    Build(ProfileBuild),
    /// Are later lines of persons still about what their profiles say? Exit 0; with --alarm 1 if those of anybody are not
    #[command(after_help = "Examples:\n  \
        throng profile compare today.tsv --profiles profiles.json\n  \
        throng profile compare today.tsv --profiles profiles.json --distance band --tolerance 0.1 --json\n\n\
        Nobody is judged by fewer than 20 lines.")]
    Compare(ProfileCompare),
    /// Take later lines into profiles, which forget
    #[command(after_help = "Example:\n  throng profile update profiles.json today.tsv --weight 0.2")]
    Update(ProfileUpdate),
    /// Draw the profile of a person, the band of tolerance around it, and their later lines
    #[command(after_help = "Example:\n  throng profile chart profiles.json today.tsv --line 312 --out suspect.svg")]
    Chart(ProfileChart),
}

/// How to read a log.
#[derive(Debug, Args)]
#[command(next_help_heading = "Flags of the log")]
pub(crate) struct LogArgs {
    /// A folder with saved pages: a line whose page is there counts the words of that page
    #[arg(long, value_name = "DIR")]
    pub(crate) pages: Option<PathBuf>,
    /// queries or visits [default: recognised from the file]
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// The format of the file [default: recognised from it]
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// What stands between cells [default: recognised from the file]
    #[arg(long, value_name = "CHARACTER", allow_hyphen_values = true)]
    delimiter: Option<String>,
    /// What the text is written in [default: recognised from the file]
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,
    /// The first line is a row, not the names of columns
    #[arg(long)]
    no_header: bool,
    /// Which column holds what
    #[arg(long, value_name = "ROLE=COLUMN", num_args = 1.., value_parser = super::role_and_column)]
    column: Vec<String>,
    /// How times are written, if it cannot be found out
    #[arg(long, value_name = "FORMAT")]
    time_format: Option<String>,
    /// The zone that times are local in
    #[arg(long, value_name = "ZONE")]
    time_zone: Option<String>,
    /// Access logs: how their lines are written, if it cannot be found out
    #[arg(long, value_name = "DIRECTIVE", allow_hyphen_values = true)]
    log_format: Option<String>,
    /// Access logs: who a visitor is: address+agent, address, user, session, or the name of a column [default: address+agent]
    #[arg(long, value_name = "WHO")]
    person: Option<String>,
    /// Malformed lines: stop, or leave them out and count them
    #[arg(long, value_name = "WHAT", value_parser = ["fail", "skip"], default_value = "fail")]
    bad_lines: String,
}

impl LogArgs {
    pub(crate) fn ask(&self) -> Result<Ask> {
        let mut columns: Vec<ColumnChoice> =
            self.column.iter().map(|text| ColumnChoice::parse(text)).collect::<Result<_>>()?;
        columns.extend(self.person.iter().map(|name| ColumnChoice { role: "person".to_owned(), name: name.clone() }));
        let kind = self.kind.as_deref().map(kinds::named).transpose()?;
        Ok(Ask {
            kind: kind.map(|kind| kind.card().name.to_owned()),
            format: self.format.as_deref().map(Format::parse).transpose()?,
            delimiter: self.delimiter.as_deref().map(Delimiter::parse).transpose()?,
            encoding: self.encoding.as_deref().map(Encoding::parse).transpose()?,
            no_header: self.no_header,
            columns,
            time_format: self.time_format.clone(),
            time_zone: self.time_zone.clone(),
            log_format: self.log_format.clone(),
            bad_lines: if self.bad_lines == "skip" { BadLines::Skip } else { BadLines::Fail },
            ..Ask::default()
        })
    }
}

/// What too far is.
#[derive(Debug, Args)]
pub(crate) struct JudgingArgs {
    /// How far apart profiles are: jsd, the divergence of Jensen and Shannon; or band, the largest difference of a topic's shares
    #[arg(long, value_name = "NAME", default_value = "jsd")]
    distance: String,
    /// jsd: the share of false alarms; limits are what persons' own earlier windows say, or everybody's where there are too few
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, allow_negative_numbers = true)]
    false_alarms: f64,
    /// band: by how much the share of a topic may differ; in a chart, how wide the band is drawn
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, allow_negative_numbers = true)]
    tolerance: f64,
}

#[derive(Debug, Args)]
pub(crate) struct ProfileBuild {
    /// The log: searches or visits
    #[arg(required = true)]
    file: Vec<PathBuf>,
    /// The file of profiles to make, for you alone
    #[arg(long, value_name = "P.json")]
    out: PathBuf,
    /// Of which topics: words, wordnet (the 25 unique beginners of its nouns), learned:N (parts of who uses which word), or a file
    #[arg(long, value_name = "TOPICS", default_value = "words")]
    topics: String,
    /// So many persons must have a word before it is a topic
    #[arg(long, value_name = "N", default_value_t = 5)]
    k: usize,
    /// The seed of topics that are learned
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    log: LogArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ProfileCompare {
    /// The later log
    #[arg(required = true)]
    file: Vec<PathBuf>,
    /// The file of profiles
    #[arg(long, value_name = "P.json")]
    profiles: PathBuf,
    #[command(flatten)]
    judging: JudgingArgs,
    /// Exit 1 if there is an alarm
    #[arg(long)]
    pub(crate) alarm: bool,
    /// Show words that at least so many persons share
    #[arg(long, value_name = "N", default_value_t = 5)]
    k: usize,
    /// Show so many topics of a person, those that matter most to the distance
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Write the distance of everybody who is judged from every profile: person,profile,distance with original ids, for you alone
    #[arg(long, value_name = "FILE")]
    matrix: Option<PathBuf>,
    #[command(flatten)]
    log: LogArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ProfileUpdate {
    /// The file of profiles
    #[arg(value_name = "P.json")]
    profiles: PathBuf,
    /// The later log
    #[arg(required = true)]
    file: Vec<PathBuf>,
    /// How much the later lines weigh
    #[arg(long, value_name = "SHARE", default_value_t = 0.2, allow_negative_numbers = true)]
    weight: f64,
    /// Take lines in, too, that raise an alarm
    #[arg(long)]
    accept: bool,
    /// Exit 1 if lines were refused because they raise an alarm
    #[arg(long)]
    pub(crate) alarm: bool,
    #[command(flatten)]
    judging: JudgingArgs,
    #[command(flatten)]
    log: LogArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ProfileChart {
    /// The file of profiles
    #[arg(value_name = "P.json")]
    profiles: PathBuf,
    /// The later log
    #[arg(required = true)]
    file: Vec<PathBuf>,
    /// The first line of the person in it, as compare names them
    #[arg(long, value_name = "N")]
    line: u64,
    /// The picture to make
    #[arg(long, value_name = "FILE.svg")]
    out: PathBuf,
    #[command(flatten)]
    judging: JudgingArgs,
    /// Show words that at least so many persons share
    #[arg(long, value_name = "N", default_value_t = 5)]
    k: usize,
    /// Draw so many topics, those that matter most to the distance
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    #[command(flatten)]
    log: LogArgs,
}

/// What profiles are tried on.
#[derive(Debug, Args)]
#[command(next_help_heading = "Profiles")]
pub(crate) struct ProfileTrial {
    /// The kinds of topics to try, or a file of topics [default: words, wordnet, learned:10 and learned:50]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    topics: Vec<String>,
    /// Compare at most so many persons with each other
    #[arg(long, value_name = "N", default_value_t = 2000)]
    targets: usize,
    /// A folder with saved pages
    #[arg(long, value_name = "DIR")]
    pages: Option<PathBuf>,
    /// So many persons must have a word before it is a topic
    #[arg(long, value_name = "N", default_value_t = 5)]
    k: usize,
    /// The seed of whatever is drawn: topics that are learned, persons, and the parts that files are cut into
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
}

impl ProfileBuild {
    pub(crate) fn request(&self) -> Result<BuildProfilesRequest> {
        Ok(BuildProfilesRequest {
            file: self.file.clone().into(),
            out: self.out.clone(),
            topics: self.topics.clone(),
            pages: self.log.pages.clone(),
            k: self.k,
            seed: self.seed,
            ask: self.log.ask()?,
        })
    }
}

impl ProfileCompare {
    pub(crate) fn request(&self, show_values: bool) -> Result<CompareProfilesRequest> {
        Ok(CompareProfilesRequest {
            file: self.file.clone().into(),
            profiles: self.profiles.clone(),
            pages: self.log.pages.clone(),
            distance: Distance::parse(&self.judging.distance)?,
            false_alarms: self.judging.false_alarms,
            tolerance: self.judging.tolerance,
            k: self.k,
            top: self.top,
            matrix: self.matrix.clone(),
            show_values,
            ask: self.log.ask()?,
        })
    }
}

impl ProfileUpdate {
    pub(crate) fn request(&self) -> Result<UpdateProfilesRequest> {
        Ok(UpdateProfilesRequest {
            profiles: self.profiles.clone(),
            file: self.file.clone().into(),
            pages: self.log.pages.clone(),
            weight: self.weight,
            accept: self.accept,
            distance: Distance::parse(&self.judging.distance)?,
            false_alarms: self.judging.false_alarms,
            tolerance: self.judging.tolerance,
            ask: self.log.ask()?,
        })
    }
}

impl ProfileChart {
    pub(crate) fn request(&self, show_values: bool) -> Result<ChartProfileRequest> {
        Ok(ChartProfileRequest {
            profiles: self.profiles.clone(),
            file: self.file.clone().into(),
            pages: self.log.pages.clone(),
            line: self.line,
            out: self.out.clone(),
            distance: Distance::parse(&self.judging.distance)?,
            false_alarms: self.judging.false_alarms,
            tolerance: self.judging.tolerance,
            k: self.k,
            top: self.top,
            show_values,
            ask: self.log.ask()?,
        })
    }
}

impl ProfileTrial {
    pub(crate) fn request(&self, files: &[PathBuf], ask: Ask) -> EvaluateProfilesRequest {
        EvaluateProfilesRequest {
            file: files.to_vec().into(),
            pages: self.pages.clone(),
            topics: self.topics.clone(),
            k: self.k,
            targets: self.targets,
            seed: self.seed,
            ask,
        }
    }
}
