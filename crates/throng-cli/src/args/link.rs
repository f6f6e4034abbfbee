//! What can be typed after `throng link`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use throng::io::{BadLines, Delimiter, Encoding, Format, ReadOptions};
use throng::run::{
    ChooseRequest, CleanRequest, EncodeRequest, EvaluateLinkRequest, LinkBlocking, LinkEncoding, LinkRequest,
    OpenCohortRequest, PackRequest, Phonetic, ReviewRequest, SecretSource, TranslateRequest,
};
use throng_core::Result;
use throng_core::link::linking::Classify;

use super::party::{LinkCertificate, LinkParty};

#[derive(Debug, Args)]
pub(crate) struct LinkArgs {
    #[command(subcommand)]
    pub(crate) command: LinkCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LinkCommand {
    /// Values of persons in one form: case, blanks, titles, nicknames, dates, telephones, parts of names and addresses
    #[command(after_help = "Examples:\n  \
        throng link clean patients.csv --out clean.csv\n  \
        throng link clean patients.csv --out clean.csv --profile columns.json\n\n\
        --profile FILE has a JSON object: {\"surname\": \"name\", \"who\": \"full-name\", \"born\": \"date\"}. Columns hold name, full-name, \
        address, date, phone, number, text or id; what is not said is guessed from the column's name and values.")]
    Clean(LinkClean),
    /// Records as filters of bits that a third party can match without seeing them, or bit for bit as clkhash makes them
    #[command(after_help = "Examples:\n  \
        throng link encode hospital.csv --schema schema.json --secret-file secret --out hospital.clk --key rows.csv\n  \
        throng link encode hospital.csv --schema schema.json --secret-file secret --compat clkhash --out hospital.json\n\n\
        --schema is a linkage schema of clkhash, version 1, 2 or 3; docs/link.md has one. Both holders use the same schema, secret and --harden. \
        The file goes to whoever matches; rows.csv (row,id) and the secret stay with the holders.")]
    Encode(Box<LinkEncode>),
    /// Which records of two files are the same person's; files of records, or encoded ones
    #[command(after_help = "Examples:\n  \
        throng link match hospital.csv insurer.csv --out pairs.csv --one-to-one\n  \
        throng link match hospital.clk insurer.clk --out pairs.csv --one-to-one\n  \
        throng link match hospital.csv insurer.csv --out pairs.csv --block surname:nysiis+birth:year,postcode\n\n\
        The file has a,b,weight,probability,class: ids, bits of evidence, probability, and match or possible.")]
    Match(LinkMatch),
    /// Which records of one file are the same person's
    #[command(after_help = "Example:\n  throng link dedupe patients.csv --out pairs.csv --clusters persons.csv")]
    Dedupe(LinkDedupe),
    /// How alike two texts are, by one comparison
    #[command(after_help = "Example:\n  throng link compare martha marhta --by jaro-winkler")]
    Compare(LinkCompare),
    /// The possible pairs one by one, for somebody to decide
    #[command(after_help = "Example:\n  \
        throng link review pairs.csv --files hospital.csv insurer.csv --decided decided.csv\n  \
        throng link match hospital.csv insurer.csv --out again.csv --decided decided.csv\n\n\
        Answers: y one person, n two, s later, q stop. Each is kept at once; pairs that are decided are not shown again. Of encoded files \
        the likeness is shown, for there are no values.")]
    Review(LinkReview),
    /// Puts a holder's ids in the place of the numbers of encoded rows
    #[command(after_help = "Example:\n  throng link translate pairs.csv --a rows.csv --out mine.csv")]
    Translate(LinkTranslate),
    /// The records of a cohort for a researcher: holders do not learn which were taken, who matched sees none
    #[command(subcommand)]
    Extract(LinkExtract),
    /// What two parties' records have in common, found out without showing them
    #[command(after_help = "Examples:\n  \
        throng link party --protocol psi --role alice a.csv --on surname,birth --send 1.msg --state alice.state\n  \
        throng link party --protocol psi --role bob b.csv --on surname,birth --receive 1.msg --send 2.msg\n  \
        throng link party --protocol psi --role alice a.csv --on surname,birth --receive 2.msg --state alice.state --out both.csv\n  \
        throng link party --protocol edit --role dealer --exchange shared\n\n\
        psi: alice learns which of her records bob has (both do, with --share-result); psi-count: how many; scalar: cosines of vectors of \
        q-grams; edit: edit distances. scalar and edit need a dealer, who has no records. A step reads the others' messages and writes its own; \
        the state file is this party's secret and is removed by the last step. Each step is given FILE and the same parameters again. \
        All parties must do what the protocol says; docs/promise.md says who learns what.")]
    Party(LinkParty),
    /// A certificate and its key for TLS between two parties; only in builds with the feature network
    #[command(after_help = "Example:\n  throng link certificate --name alice --out .")]
    Certificate(LinkCertificate),
    /// How right pairs or clusters are, where the truth is known
    #[command(after_help = "Examples:\n  \
        throng link evaluate pairs.csv --truth truth.csv\n  \
        throng link evaluate pairs.csv --clusters persons.csv --truth truth.csv")]
    Evaluate(LinkEvaluate),
}

/// How to read files of records.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct ReadingArgs {
    /// The column of ids [default: id, rec_id, unique_id or record_id, else the number of the record from 1]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) id: Option<String>,
    /// The first line is a record, and columns have numbers for names, from 1
    #[arg(long)]
    pub(crate) no_header: bool,
    /// The format of the files, if it is not what they look like
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// What stands between the cells of the files
    #[arg(long, value_name = "CHARACTER")]
    pub(crate) delimiter: Option<String>,
    /// Malformed lines: stop, or leave them out and count them
    #[arg(long, value_name = "WHAT", value_parser = ["fail", "skip"], default_value = "fail")]
    pub(crate) bad_lines: String,
}

/// How to read files of records, their encoding too.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct RecordArgs {
    #[command(flatten)]
    own: ReadingArgs,
    /// What the text of the files is written in: utf-8, windows-1252, …
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,
}

impl std::ops::Deref for RecordArgs {
    type Target = ReadingArgs;

    fn deref(&self) -> &ReadingArgs {
        &self.own
    }
}

impl RecordArgs {
    pub(crate) fn options(&self) -> Result<ReadOptions> {
        self.own.read_as(self.encoding.as_deref())
    }
}

impl ReadingArgs {
    /// How to read files whose text is written in an encoding.
    fn read_as(&self, encoding: Option<&str>) -> Result<ReadOptions> {
        Ok(ReadOptions {
            format: self.format.as_deref().map(Format::parse).transpose()?,
            delimiter: self.delimiter.as_deref().map(Delimiter::parse).transpose()?,
            encoding: encoding.map(Encoding::parse).transpose()?,
            no_header: self.no_header,
            bad_lines: if self.bad_lines == "skip" { BadLines::Skip } else { BadLines::Fail },
            ..ReadOptions::default()
        })
    }
}

#[derive(Debug, Args)]
pub(crate) struct LinkClean {
    /// The file
    pub(crate) file: PathBuf,
    /// The CSV file to make; it must not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// What columns hold, as a JSON object
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: Option<PathBuf>,
    /// Nicknames in the place of the usual ones: CSV with nickname,name
    #[arg(long, value_name = "FILE")]
    pub(crate) nicknames: Option<PathBuf>,
    /// Titles in the place of the usual ones: CSV with the column title
    #[arg(long, value_name = "FILE")]
    pub(crate) titles: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: RecordArgs,
}

impl LinkClean {
    pub(crate) fn request(&self) -> Result<CleanRequest> {
        Ok(CleanRequest {
            file: self.file.clone(),
            out: self.out.clone(),
            profile: self.profile.clone(),
            nicknames: self.nicknames.clone(),
            titles: self.titles.clone(),
            id: self.reading.id.clone(),
            options: self.reading.options()?,
        })
    }
}

#[derive(Debug, Args)]
pub(crate) struct LinkEncode {
    /// The file of records
    pub(crate) file: PathBuf,
    /// The linkage schema: which columns, how they are cut, how many bits a piece sets
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: PathBuf,
    /// A file with the secret of the holders, at least 16 bytes
    #[arg(long, value_name = "FILE", required_unless_present = "secret_env", conflicts_with = "secret_env")]
    pub(crate) secret_file: Option<PathBuf>,
    /// The variable of the environment that holds the secret
    #[arg(long, value_name = "NAME")]
    pub(crate) secret_env: Option<String>,
    /// The file to make; it must not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Where the ids of the rows are kept (row,id); it stays with you
    #[arg(long, value_name = "FILE", required_unless_present = "compat", conflicts_with = "compat")]
    pub(crate) key: Option<PathBuf>,
    /// The filters of another program, bit for bit, as {"clks": [base64, …]} in the order of the file; not hardened
    #[arg(long, value_name = "PROGRAM", value_parser = ["clkhash"])]
    pub(crate) compat: Option<String>,
    /// clk: one filter over all columns; fields: one a column; hash: a keyed hash of all columns, for equal records only; qgram-sets: keyed hashes of sets of q-grams, for small data
    #[arg(long, value_name = "HOW", default_value = "clk")]
    pub(crate) encoding: String,
    /// With hash: texts are hashed by their sound, soundex or nysiis
    #[arg(long, value_name = "HOW", value_parser = ["soundex", "nysiis"])]
    pub(crate) phonetic: Option<String>,
    /// With qgram-sets: from which similarity (Dice) on values can be compared; a lower one needs more sets
    #[arg(long, value_name = "X", default_value_t = 0.8)]
    pub(crate) least: f64,
    /// What makes filters tell less: none, or some of diffusion=T, fold, balance, blip=P, salt=COLUMN [default: diffusion=8]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) harden: Vec<String>,
    /// Block tokens, keyed: tokens for the usual keys, or keys, as surname:nysiis+birth:year,postcode [default: none]
    #[arg(long, value_name = "KEYS", value_delimiter = ',')]
    pub(crate) block: Vec<String>,
    /// Blocks with fewer records are filled with rows that are nobody's
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) min_block: usize,
    /// For tests and research: the order of the rows and the noise repeat themselves
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// What the text of the file is written in: utf-8, windows-1252, …
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    pub(crate) text_encoding: Option<String>,
}

impl LinkEncode {
    pub(crate) fn request(&self) -> Result<EncodeRequest> {
        let secret = match (&self.secret_file, &self.secret_env) {
            (Some(file), _) => SecretSource::File(file.clone()),
            (None, name) => SecretSource::Environment(name.clone().unwrap_or_default()),
        };
        Ok(EncodeRequest {
            file: self.file.clone(),
            schema: self.schema.clone(),
            secret,
            out: self.out.clone(),
            key: self.key.clone(),
            compat: self.compat.is_some(),
            encoding: LinkEncoding::parse(&self.encoding)?,
            phonetic: self.phonetic.as_deref().map(|name| match name {
                "soundex" => Phonetic::Soundex,
                _ => Phonetic::Nysiis,
            }),
            harden: self.harden.clone(),
            least: self.least,
            block: self.block.iter().filter(|key| *key != "none").cloned().collect(),
            min_block: self.min_block,
            seed: self.seed,
            id: self.reading.id.clone(),
            options: self.reading.read_as(self.text_encoding.as_deref())?,
        })
    }
}

/// How records are linked.
#[derive(Debug, Args)]
pub(crate) struct LinkingArgs {
    /// The columns to compare [default: those of equal name in both, without the id]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) columns: Vec<String>,
    /// How a column is compared: birth=date; exact, jaro, jaro-winkler, edit, dice, date, number, soundex or nysiis
    #[arg(long, value_name = "COLUMN=HOW", value_delimiter = ',')]
    pub(crate) compare: Vec<String>,
    /// Which pairs are compared: auto, none (all pairs), or keys, as surname:nysiis+birth:year,postcode
    #[arg(long, value_name = "KEYS", default_value = "auto", value_delimiter = ',')]
    pub(crate) block: Vec<String>,
    /// How many records a block may have; a larger one is cut by a further column or dropped, and counted
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) max_block: usize,
    /// By what pairs are classified: em learns the weight of each field, threshold takes the mean similarity
    #[arg(long, value_name = "HOW", value_parser = ["em", "threshold"], default_value = "em")]
    pub(crate) classify: String,
    /// A match from this probability or similarity on [default: 0.5 by em, 0.8 by threshold]
    #[arg(long, value_name = "X")]
    pub(crate) upper: Option<f64>,
    /// Possible from this probability or similarity on [default: 0.05 by em, 0.8 by threshold]
    #[arg(long, value_name = "X")]
    pub(crate) lower: Option<f64>,
    /// Rare values count for no more than frequent ones
    #[arg(long)]
    pub(crate) no_frequencies: bool,
    /// What somebody decided of pairs: CSV with a,b,same, which is yes or no
    #[arg(long, value_name = "FILE")]
    pub(crate) decided: Option<PathBuf>,
    /// A page to make: weights, levels of each column, estimated quality; it names nobody
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

impl LinkingArgs {
    fn request(&self, reading: &RecordArgs, files: [Option<&PathBuf>; 2], out: &Path) -> Result<LinkRequest> {
        let blocking = match self.block.as_slice() {
            [only] if only == "auto" => LinkBlocking::Auto,
            [only] if only == "none" => LinkBlocking::None,
            keys => LinkBlocking::Keys(keys.to_vec()),
        };
        Ok(LinkRequest {
            a: files[0].cloned().unwrap_or_default(),
            b: files[1].cloned(),
            out: out.to_path_buf(),
            clusters: None,
            report: self.report.clone(),
            id: reading.id.clone(),
            columns: self.columns.clone(),
            compare: self.compare.clone(),
            blocking,
            max_block: self.max_block,
            classify: if self.classify == "threshold" { Classify::Threshold } else { Classify::Em },
            upper: self.upper,
            lower: self.lower,
            one_to_one: false,
            frequencies: !self.no_frequencies,
            decided: self.decided.clone(),
            options: reading.options()?,
        })
    }
}

#[derive(Debug, Args)]
pub(crate) struct LinkMatch {
    /// The first file
    pub(crate) a: PathBuf,
    /// The second file
    pub(crate) b: PathBuf,
    /// The file of pairs to make; it must not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// No record is in two matches: the pair of the higher weight keeps it
    #[arg(long)]
    pub(crate) one_to_one: bool,
    #[command(flatten)]
    pub(crate) linking: LinkingArgs,
    #[command(flatten)]
    pub(crate) reading: RecordArgs,
}

impl LinkMatch {
    pub(crate) fn request(&self) -> Result<LinkRequest> {
        let request = self.linking.request(&self.reading, [Some(&self.a), Some(&self.b)], &self.out)?;
        Ok(LinkRequest { one_to_one: self.one_to_one, ..request })
    }
}

#[derive(Debug, Args)]
pub(crate) struct LinkDedupe {
    /// The file
    pub(crate) file: PathBuf,
    /// The file of pairs to make; it must not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// The file of clusters to make: id,cluster, every record once
    #[arg(long, value_name = "FILE")]
    pub(crate) clusters: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) linking: LinkingArgs,
    #[command(flatten)]
    pub(crate) reading: RecordArgs,
}

impl LinkDedupe {
    pub(crate) fn request(&self) -> Result<LinkRequest> {
        let request = self.linking.request(&self.reading, [Some(&self.file), None], &self.out)?;
        Ok(LinkRequest { clusters: self.clusters.clone(), ..request })
    }
}

#[derive(Debug, Args)]
pub(crate) struct LinkCompare {
    /// A text
    pub(crate) one: String,
    /// Another one
    pub(crate) other: String,
    /// exact, jaro, jaro-winkler, edit, dice, date, number, soundex or nysiis
    #[arg(long, value_name = "HOW", default_value = "jaro-winkler")]
    pub(crate) by: String,
}

#[derive(Debug, Args)]
pub(crate) struct LinkReview {
    /// Pairs, as `throng link match` writes them
    pub(crate) pairs: PathBuf,
    /// The files that were matched, in their order; one for duplicates
    #[arg(long, value_name = "FILE", num_args = 1..=2, required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Where the answers are kept: a,b,same; for `match --decided`
    #[arg(long, value_name = "FILE", default_value = "decided.csv")]
    pub(crate) decided: PathBuf,
    #[command(flatten)]
    pub(crate) reading: RecordArgs,
}

impl LinkReview {
    pub(crate) fn request(&self) -> Result<ReviewRequest> {
        Ok(ReviewRequest {
            pairs: self.pairs.clone(),
            files: self.files.clone(),
            decided: self.decided.clone(),
            id: self.reading.id.clone(),
            options: self.reading.options()?,
        })
    }
}

#[derive(Debug, Args)]
pub(crate) struct LinkTranslate {
    /// Pairs, as `throng link match` writes them of encoded files
    pub(crate) pairs: PathBuf,
    /// The ids of the rows of the first file
    #[arg(long, value_name = "ROWS", required_unless_present = "b")]
    pub(crate) a: Option<PathBuf>,
    /// The ids of the rows of the second file
    #[arg(long, value_name = "ROWS")]
    pub(crate) b: Option<PathBuf>,
    /// The file to make; it must not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

impl LinkTranslate {
    pub(crate) fn request(&self) -> TranslateRequest {
        TranslateRequest { pairs: self.pairs.clone(), a: self.a.clone(), b: self.b.clone(), out: self.out.clone() }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum LinkExtract {
    /// A holder seals the payload of each record under a key of its own
    #[command(
        after_help = "Example:\n  throng link extract pack hospital.csv --columns birth,diagnosis --key rows.csv --out P.enc --keys P.keys\n\n\
        P.enc goes to the researcher, P.keys to carol, who matched; nobody may have both but who may see all."
    )]
    Pack(ExtractPack),
    /// Carol keeps the keys of the matched records
    #[command(after_help = "Example:\n  throng link extract choose pairs.csv --keys A.keys B.keys --out chosen.keys")]
    Choose(ExtractChoose),
    /// The researcher opens what carol chose
    #[command(
        after_help = "Example:\n  throng link extract open --payload A.enc B.enc --chosen chosen.keys --out cohort.csv"
    )]
    Open(ExtractOpen),
}

#[derive(Debug, Args)]
pub(crate) struct ExtractPack {
    /// The file that was encoded
    pub(crate) file: PathBuf,
    /// The columns that the researcher shall get
    #[arg(long, value_name = "A,B", value_delimiter = ',', required = true)]
    pub(crate) columns: Vec<String>,
    /// The ids of the encoded rows, as `throng link encode --key` kept them
    #[arg(long, value_name = "ROWS")]
    pub(crate) key: PathBuf,
    /// The sealed payloads, for the researcher; the file must not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Their keys, for carol; the file must not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) keys: PathBuf,
    #[command(flatten)]
    pub(crate) reading: RecordArgs,
}

impl ExtractPack {
    pub(crate) fn request(&self) -> Result<PackRequest> {
        Ok(PackRequest {
            file: self.file.clone(),
            columns: self.columns.clone(),
            rows: self.key.clone(),
            out: self.out.clone(),
            keys: self.keys.clone(),
            id: self.reading.id.clone(),
            options: self.reading.options()?,
        })
    }
}

#[derive(Debug, Args)]
pub(crate) struct ExtractChoose {
    /// Pairs, as `throng link match` writes them of encoded files
    pub(crate) pairs: PathBuf,
    /// The keys of both holders, the first file's first
    #[arg(long, value_name = "FILE", num_args = 2, required = true)]
    pub(crate) keys: Vec<PathBuf>,
    /// The keys for the researcher; the file must not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

impl ExtractChoose {
    pub(crate) fn request(&self) -> ChooseRequest {
        ChooseRequest { pairs: self.pairs.clone(), keys: self.keys.clone(), out: self.out.clone() }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ExtractOpen {
    /// The sealed payloads of both holders, the first file's first
    #[arg(long, value_name = "FILE", num_args = 2, required = true)]
    pub(crate) payload: Vec<PathBuf>,
    /// The keys that carol chose
    #[arg(long, value_name = "FILE")]
    pub(crate) chosen: PathBuf,
    /// The cohort: a line a pair; the file must not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

impl ExtractOpen {
    pub(crate) fn request(&self) -> OpenCohortRequest {
        OpenCohortRequest { payloads: self.payload.clone(), chosen: self.chosen.clone(), out: self.out.clone() }
    }
}

#[derive(Debug, Args)]
pub(crate) struct LinkEvaluate {
    /// Pairs, as `throng link match` writes them
    pub(crate) pairs: PathBuf,
    /// The truth: CSV with a,b, or with id,cluster
    #[arg(long, value_name = "FILE")]
    pub(crate) truth: PathBuf,
    /// Clusters, as `throng link dedupe` writes them: their pairs are evaluated
    #[arg(long, value_name = "FILE")]
    pub(crate) clusters: Option<PathBuf>,
}

impl LinkEvaluate {
    pub(crate) fn request(&self) -> EvaluateLinkRequest {
        EvaluateLinkRequest { pairs: self.pairs.clone(), truth: self.truth.clone(), clusters: self.clusters.clone() }
    }
}
