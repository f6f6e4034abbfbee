//! `throng link match` and `throng link dedupe`.

use std::path::{Path, PathBuf};

use serde::Serialize;
use throng_core::link::estimate::Estimated;
use throng_core::link::key::{Key, KeyUsed};
use throng_core::link::linking::{self, Blocking, Classify, FieldWeights, Params};
use throng_core::link::records::Records;
use throng_core::link::similarity::Comparison;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::tables::{Csv, RecordFile, common_columns, records};
use super::{Outputs, cluster_lines, pair_lines};
use crate::io::ReadOptions;

/// Which pairs are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkBlocking {
    /// Keys that are chosen from the data.
    Auto,
    /// All pairs.
    None,
    /// These keys, as `surname:nysiis+birth:year`.
    Keys(Vec<String>),
}

/// What to link.
#[derive(Debug, Clone)]
pub struct LinkRequest {
    /// The file, or the first of two.
    pub a: PathBuf,
    /// The second file; none to find duplicates in one.
    pub b: Option<PathBuf>,
    /// The file of pairs to make.
    pub out: PathBuf,
    /// The file of clusters to make.
    pub clusters: Option<PathBuf>,
    /// The page to make.
    pub report: Option<PathBuf>,
    /// The column of ids.
    pub id: Option<String>,
    /// The columns to compare.
    pub columns: Vec<String>,
    /// How some of them are compared, as `column=comparison`.
    pub compare: Vec<String>,
    /// Which pairs are compared.
    pub blocking: LinkBlocking,
    /// How many records a block may have.
    pub max_block: usize,
    /// How pairs become classes.
    pub classify: Classify,
    /// From here on a pair is a match; the usual one where nothing is said.
    pub upper: Option<f64>,
    /// From here on it is possible; the usual one where nothing is said.
    pub lower: Option<f64>,
    /// Whether a record may be in one match only.
    pub one_to_one: bool,
    /// Whether rare values count for more.
    pub frequencies: bool,
    /// Pairs that somebody decided, as a CSV file `a,b,same`.
    pub decided: Option<PathBuf>,
    /// How to read the files.
    pub options: ReadOptions,
}

/// What was found.
#[derive(Debug, Serialize)]
pub struct LinkFound {
    /// The file of pairs.
    pub file: String,
    /// How many records the files have.
    pub records: Vec<u64>,
    /// The columns that were compared.
    pub columns: Vec<String>,
    /// How many pairs there are in all.
    pub pairs: u64,
    /// How many were compared.
    pub compared: u64,
    /// How many are matches.
    pub matches: u64,
    /// How many are possible.
    pub possible: u64,
    /// How many clusters there are, those of one record among them.
    pub clusters: Option<u64>,
    /// What the run estimates of itself without truth.
    pub estimated: Option<Estimated>,
    /// The keys of blocks.
    pub blocks: Vec<KeyUsed>,
    /// What was learned of each field.
    pub fields: Vec<FieldWeights>,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Links two files, or finds duplicates in one.
pub fn link_match(request: &LinkRequest, progress: &dyn Progress) -> Result<LinkFound> {
    for place in [Some(&request.out), request.clusters.as_ref(), request.report.as_ref()].into_iter().flatten() {
        crate::pending::refuse_stdout(place)?;
        crate::run::refuse_existing(place)?;
    }
    let files = [Some(&request.a), request.b.as_ref()];
    let encoded: Vec<bool> = files.into_iter().flatten().map(|path| super::clk::is_encoded(path)).collect();
    if encoded.contains(&true) {
        if encoded.contains(&false) {
            return Err(Error::refused("one of the files is encoded, the other is not")
                .with_hint("`throng link encode` makes the other one, with the same schema and secret"));
        }
        return super::encoded::match_encoded(request, progress);
    }
    let comparisons = comparisons(&request.compare)?;
    let read = |path| RecordFile::read(path, request.id.as_deref(), &request.options, progress);
    let mut files = vec![read(&request.a)?];
    if let Some(b) = &request.b {
        files.push(read(b)?);
    }
    let borrowed: Vec<&RecordFile> = files.iter().collect();
    let columns = common_columns(&borrowed, &request.columns)?;
    let records = records(&borrowed, &columns, &comparisons)?;
    let params = params(request, &borrowed, &records)?;
    let found = linking::link(&records, &params, progress)?;

    let first = records.first;
    let id = |record: u32| match first {
        Some(first) if record as usize >= first => files[1].id(record as usize - first),
        _ => files[0].id(record as usize),
    };
    let mut outputs = Outputs::default();
    let (text, matches, possible) = pair_lines(&found.pairs, id, id);
    outputs.write(&request.out, &text, false)?;
    let mut clusters = None;
    if let (Some(place), Some(of)) = (&request.clusters, &found.clusters) {
        let (text, count) = cluster_lines(of, id);
        outputs.write(place, &text, false)?;
        clusters = Some(count);
    }
    let notes = notes(&files, &found, matches);
    let weights: Vec<f64> = found.pairs.iter().map(|pair| pair.weight).collect();
    let found = LinkFound {
        file: request.out.display().to_string(),
        records: files.iter().map(|file| file.rows() as u64).collect(),
        columns,
        pairs: records.pairs(),
        compared: found.compared,
        matches,
        possible,
        clusters,
        estimated: found.estimated,
        blocks: found.keys,
        fields: found.weights,
        notes,
    };
    found.report(request, &weights, &mut outputs)?;
    outputs.publish()?;
    Ok(found)
}

impl LinkFound {
    /// Writes the page, if one is asked for.
    pub(super) fn report(&self, request: &LinkRequest, weights: &[f64], outputs: &mut Outputs) -> Result<()> {
        let Some(place) = &request.report else { return Ok(()) };
        outputs.write(place, crate::report::link_page(self, weights)?.as_bytes(), false)
    }
}

fn notes(files: &[RecordFile], found: &linking::Outcome, matches: u64) -> Vec<String> {
    let mut notes = Vec::new();
    for file in files {
        if file.table.refused > 0 {
            notes.push(format!(
                "{}: {} left out",
                file.name,
                crate::words::counted(file.table.refused, "line was", "lines were")
            ));
        }
    }
    let dropped: u64 = found.keys.iter().map(|key| key.dropped).sum();
    if dropped > 0 {
        notes.push(format!(
            "{} too large, and no further column cuts them: their pairs were not compared (`--max-block`)",
            crate::words::counted(dropped, "block is", "blocks are")
        ));
    }
    if matches > 0 {
        notes.push(
            "the matched records together say more of a person than either file did: publish them through `throng protect --kind table`"
                .to_owned(),
        );
    }
    notes
}

fn comparisons(said: &[String]) -> Result<Vec<(String, Comparison)>> {
    said.iter()
        .map(|text| {
            let (column, name) = text.rsplit_once('=').ok_or_else(|| {
                Error::parameter("compare", format!("is `{text}`, but must be a column and a comparison"))
                    .with_hint("for example `--compare birth=date`")
            })?;
            Ok((column.to_owned(), Comparison::parse(name)?))
        })
        .collect()
}

/// From where on a pair is a match, and from where on it is possible.
pub(super) fn limits(request: &LinkRequest) -> Result<[f64; 2]> {
    let [usual_upper, usual_lower] = match request.classify {
        Classify::Em => [0.5, 0.05],
        Classify::Threshold => [0.8, 0.8],
    };
    let upper = request.upper.unwrap_or(usual_upper);
    let lower = request.lower.unwrap_or(usual_lower.min(upper));
    for (name, value) in [("upper", upper), ("lower", lower)] {
        if !(0.0..=1.0).contains(&value) {
            return Err(Error::parameter(name, format!("is {value}, but must be from 0 to 1")));
        }
    }
    if lower > upper {
        return Err(Error::parameter("lower", format!("is {lower}, above `--upper` {upper}")));
    }
    Ok([upper, lower])
}

fn params(request: &LinkRequest, files: &[&RecordFile], records: &Records) -> Result<Params> {
    let [upper, lower] = limits(request)?;
    if request.max_block < 2 {
        return Err(Error::parameter("max-block", format!("is {}, but must be at least 2", request.max_block)));
    }
    let blocking = match &request.blocking {
        LinkBlocking::Auto => Blocking::Auto,
        LinkBlocking::None => Blocking::None,
        LinkBlocking::Keys(keys) => {
            Blocking::Keys(keys.iter().map(|key| Key::parse(key, &records.fields)).collect::<Result<_>>()?)
        }
    };
    Ok(Params {
        classify: request.classify,
        upper,
        lower,
        blocking,
        max_block: request.max_block,
        one_to_one: request.one_to_one,
        frequencies: request.frequencies,
        clusters: request.clusters.is_some(),
        decided: request.decided.as_deref().map(|path| decided(path, files)).transpose()?.unwrap_or_default(),
    })
}

/// What somebody decided, a line a pair: `a,b,same` with `yes` or `no`.
fn decided(path: &Path, files: &[&RecordFile]) -> Result<Vec<(u32, u32, bool)>> {
    let csv = Csv::read(path)?;
    let placed = |error: Error| error.in_file(csv.name.clone());
    let (a, b, same) = (csv.column("a")?, csv.column("b")?, csv.column("same")?);
    let ids: Vec<_> = files.iter().map(|file| file.by_id()).collect();
    let mut found = Vec::new();
    for (line, row) in &csv.rows {
        let line = *line;
        let is_same = match row[same].as_str() {
            "yes" => true,
            "no" => false,
            _ => return Err(placed(Error::data("is neither yes nor no").in_column("same").at_line(line))),
        };
        let unknown = |name: &str| placed(Error::data("no record has this id").in_column(name).at_line(line));
        let one = *ids[0].get(&row[a]).ok_or_else(|| unknown("a"))?;
        let other = *ids[ids.len() - 1].get(&row[b]).ok_or_else(|| unknown("b"))?;
        let (one, other) = match files {
            [first, _] => (one, other + first.rows() as u32),
            _ => (one.min(other), one.max(other)),
        };
        found.push((one, other, is_same));
    }
    found.sort_unstable();
    found.dedup();
    if found.windows(2).any(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1)) {
        return Err(placed(Error::data("a pair is decided both ways").with_hint("keep one of the two lines")));
    }
    Ok(found)
}
