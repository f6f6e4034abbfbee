//! `throng link match` on encoded files: carol compares filters, and has neither records nor the secret.

use std::collections::HashMap;

use throng_core::link::bits::Filters;
use throng_core::link::encode::mixture::{self, Candidate};
use throng_core::link::encode::sets::{Set, alike};
use throng_core::link::estimate::Estimated;
use throng_core::link::linking::{self, Class, Linked};
use throng_core::link::records::{Field, MISSING, Records, Values};
use throng_core::link::similarity::Comparison;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::clk::{Clk, LinkEncoding};
use super::matching::{LinkBlocking, LinkFound, LinkRequest, limits};
use super::tables::Csv;
use super::{Outputs, cluster_lines, pair_lines};

/// Matches two encoded files. Rows are told by their numbers, from 1.
pub(super) fn match_encoded(request: &LinkRequest, progress: &dyn Progress) -> Result<LinkFound> {
    if !(request.columns.is_empty() && request.compare.is_empty()) {
        return Err(Error::parameter("columns", "is for records in the open: encoded files have no names of columns"));
    }
    let one = Clk::read(&request.a)?;
    let other = request.b.as_deref().map(Clk::read).transpose()?;
    if let Some(other) = &other {
        refuse_unlike(&one, other)?;
    }
    let decided = request.decided.as_deref().map(|path| decided(path, &one, other.as_ref())).transpose()?;
    let decided = decided.unwrap_or_default();
    let has_columns = matches!(one.encoding(), LinkEncoding::Fields | LinkEncoding::QgramSets);
    let mut found = match (one.encoding(), &other) {
        _ if has_columns => by_columns(&one, other.as_ref(), request, decided, progress)?,
        (_, None) => {
            return Err(Error::refused(
                "a file with one code a record is matched with another one, not searched for duplicates",
            )
            .with_hint(
                "`throng link dedupe` before `throng link encode`, or encode with `--encoding fields` or `qgram-sets`",
            ));
        }
        (LinkEncoding::Hash, Some(other)) => by_hash(&one, other),
        (_, Some(other)) => by_filters(&one, other, request, decided, progress)?,
    };
    let other_rows = other.as_ref().map_or(one.rows(), Clk::rows);
    if request.one_to_one && one.encoding() == LinkEncoding::Hash {
        let weighed: Vec<(u32, u32, f32)> = found.pairs.iter().map(|pair| (pair.one, pair.other, 1.0)).collect();
        let keep = throng_core::link::cluster::greedy_one_to_one(one.rows(), other_rows, &weighed);
        let mut keep = keep.into_iter();
        found.pairs.retain(|_| keep.next().unwrap_or(false));
    }
    let number = |row: u32| (row + 1).to_string();
    let mut outputs = Outputs::default();
    let (text, matches, possible) = pair_lines(&found.pairs, number, number);
    outputs.write(&request.out, &text, false)?;
    let clusters = match (&request.clusters, &found.clusters) {
        (Some(place), Some(of)) => {
            let (text, count) = cluster_lines(of, number);
            outputs.write(place, &text, false)?;
            Some(count)
        }
        _ => None,
    };
    let mut notes = vec![
        "the rows are told by their numbers: each holder puts its ids there with `throng link translate`".to_owned(),
    ];
    notes.extend([Some(&one), other.as_ref()].into_iter().flatten().flat_map(Clk::notes));
    let weights: Vec<f64> = found.pairs.iter().map(|pair| pair.weight).collect();
    let found = LinkFound {
        file: request.out.display().to_string(),
        records: [Some(&one), other.as_ref()].into_iter().flatten().map(|clk| clk.rows() as u64).collect(),
        columns: (1..=one.columns.len()).map(|column| format!("column {column}")).collect(),
        pairs: match &other {
            Some(other) => one.rows() as u64 * other.rows() as u64,
            None => one.rows() as u64 * (one.rows() as u64).saturating_sub(1) / 2,
        },
        compared: found.compared,
        matches,
        possible,
        clusters,
        estimated: found.estimated,
        blocks: found.blocks,
        fields: found.fields,
        notes,
    };
    found.report(request, &weights, &mut outputs)?;
    outputs.publish()?;
    Ok(found)
}

struct Found {
    pairs: Vec<Linked>,
    compared: u64,
    estimated: Option<Estimated>,
    blocks: Vec<throng_core::link::key::KeyUsed>,
    fields: Vec<linking::FieldWeights>,
    clusters: Option<Vec<u32>>,
}

/// Refuses files that cannot be compared.
fn refuse_unlike(one: &Clk, other: &Clk) -> Result<()> {
    let unlike = |what: String| Err(Error::data(what).in_file(other.name.clone()));
    match (&one.header, &other.header) {
        (Some(own), Some(its)) => {
            if own.encoding != its.encoding {
                return unlike(format!(
                    "it is encoded as `{}`, the first file as `{}`",
                    its.encoding.name(),
                    own.encoding.name()
                ));
            }
            if own.harden != its.harden {
                return unlike(format!("it is hardened by `{}`, the first file by `{}`", its.harden, own.harden));
            }
            if own.length != its.length || own.columns != its.columns {
                return unlike(format!("its filters have {} bits, those of the first file {}", its.length, own.length));
            }
            if own.schema_sha256 != its.schema_sha256 {
                return unlike("it was encoded by another schema than the first file".to_owned());
            }
            if own.least != its.least {
                return unlike(
                    "its sets of q-grams tell from another similarity on than those of the first file".to_owned(),
                );
            }
            if own.check != its.check {
                return unlike("the two files were encoded under different secrets".to_owned());
            }
        }
        (None, None) if one.length() != other.length() => {
            return unlike(format!(
                "its filters have {} bits, those of the first file {}",
                other.length(),
                one.length()
            ));
        }
        (None, None) => {}
        _ => return unlike("one file is clkhash's and the other is not".to_owned()),
    }
    Ok(())
}

fn by_filters(
    one: &Clk,
    other: &Clk,
    request: &LinkRequest,
    decided: Vec<(u32, u32, bool)>,
    progress: &dyn Progress,
) -> Result<Found> {
    let [upper, lower] = limits(request)?;
    let has_tokens = |clk: &Clk| clk.header.as_ref().is_some_and(|header| header.blocks);
    let blocks = match &request.blocking {
        LinkBlocking::None => None,
        LinkBlocking::Auto if !(has_tokens(one) && has_tokens(other)) => None,
        LinkBlocking::Auto => Some(candidates(one, other)),
        LinkBlocking::Keys(keys) if keys.len() == 1 && keys[0] == "tokens" => {
            for clk in [one, other] {
                if !has_tokens(clk) {
                    return Err(Error::data("it has no block tokens")
                        .in_file(clk.name.clone())
                        .with_hint("`throng link encode --block tokens` makes them"));
                }
            }
            Some(candidates(one, other))
        }
        LinkBlocking::Keys(_) => {
            return Err(Error::parameter("block", "names columns, which encoded files do not have")
                .with_hint("`--block tokens` where the holders encoded with block tokens, else `--block none`"));
        }
    };
    let params = mixture::Params { classify: request.classify, upper, lower, one_to_one: request.one_to_one, decided };
    let found = mixture::link(&one.columns[0], &other.columns[0], blocks.as_deref(), &params, progress)?;
    Ok(Found {
        pairs: found.pairs,
        compared: found.compared,
        estimated: found.estimated,
        blocks: Vec::new(),
        fields: Vec::new(),
        clusters: None,
    })
}

/// The pairs of rows that have a token in common.
fn candidates(one: &Clk, other: &Clk) -> Vec<Candidate> {
    let mut of: HashMap<&str, Vec<u32>> = HashMap::new();
    for (row, tokens) in (0..).zip(&other.tokens) {
        tokens.iter().for_each(|token| of.entry(token).or_default().push(row));
    }
    let mut pairs = Vec::new();
    for (row, tokens) in (0u32..).zip(&one.tokens) {
        let mut own: Vec<u32> = tokens.iter().filter_map(|token| of.get(token.as_str())).flatten().copied().collect();
        own.sort_unstable();
        pairs.extend(own.chunk_by(|left, right| left == right).map(|same| (row, same[0], same.len().min(255) as u8)));
    }
    pairs
}

/// Links what has a code for each column, as records in the open are linked; duplicates of one file, if there is one only.
fn by_columns(
    one: &Clk,
    other: Option<&Clk>,
    request: &LinkRequest,
    decided: Vec<(u32, u32, bool)>,
    progress: &dyn Progress,
) -> Result<Found> {
    /// So many pairs are compared one by one where only likenesses are known.
    const FEW: u64 = 20_000_000;
    let files: Vec<&Clk> = [Some(one), other].into_iter().flatten().collect();
    let rows: usize = files.iter().map(|clk| clk.rows()).sum();
    let first = other.map(|_| one.rows());
    let field = |at: usize| {
        let words = one.columns[at].words;
        let mut numbers: HashMap<&[u64], u32> = HashMap::new();
        let mut bits: Vec<u64> = Vec::new();
        let mut sets: Vec<&Set> = Vec::new();
        let mut cells = Vec::with_capacity(rows);
        for clk in &files {
            for row in 0..clk.rows() {
                if clk.missing[at][row] {
                    cells.push(MISSING);
                    continue;
                }
                let filter = clk.columns[at].get(row);
                let next = numbers.len() as u32;
                cells.push(*numbers.entry(filter).or_insert_with(|| {
                    match clk.sets.get(at) {
                        Some(column) => sets.push(&column[row]),
                        None => bits.extend_from_slice(filter),
                    }
                    next
                }));
            }
        }
        let values = if one.encoding() == LinkEncoding::QgramSets {
            let similar = alike(&sets, &sets).into_iter().filter(|pair| pair.0 < pair.1);
            Values::Alike { count: sets.len(), similar: similar.map(|(a, b, dice)| ((a, b), dice)).collect() }
        } else {
            Values::Bits { words, bits }
        };
        Field { name: format!("column {}", at + 1), comparison: Comparison::Dice, values, cells, moves: false }
    };
    let records = Records { fields: (0..one.columns.len()).map(field).collect(), rows, first };
    let [upper, lower] = limits(request)?;
    let blocking = match &request.blocking {
        LinkBlocking::Auto if one.encoding() == LinkEncoding::QgramSets && records.pairs() <= FEW => {
            linking::Blocking::None
        }
        LinkBlocking::Auto => linking::Blocking::Auto,
        LinkBlocking::None => linking::Blocking::None,
        LinkBlocking::Keys(_) => {
            return Err(Error::parameter("block", "names columns, which encoded files do not have")
                .with_hint("`--block auto` samples bits of the filters"));
        }
    };
    let params = linking::Params {
        classify: request.classify,
        upper,
        lower,
        blocking,
        max_block: request.max_block,
        one_to_one: request.one_to_one,
        frequencies: request.frequencies,
        clusters: request.clusters.is_some(),
        decided: decided.into_iter().map(|(a, b, same)| (a, b + first.unwrap_or(0) as u32, same)).collect(),
    };
    let mut found = linking::link(&records, &params, progress)?;
    found.pairs.iter_mut().for_each(|pair| pair.other -= first.unwrap_or(0) as u32);
    Ok(Found {
        pairs: found.pairs,
        compared: found.compared,
        estimated: found.estimated,
        blocks: found.keys,
        fields: found.weights,
        clusters: found.clusters,
    })
}

/// Records of equal hashes are one person's.
fn by_hash(one: &Clk, other: &Clk) -> Found {
    let rows = |filters: &Filters| (0..filters.len() as u32).collect::<Vec<u32>>();
    let mut of: HashMap<&[u64], Vec<u32>> = HashMap::new();
    for row in rows(&other.columns[0]) {
        of.entry(other.columns[0].get(row as usize)).or_default().push(row);
    }
    let mut pairs = Vec::new();
    for row in rows(&one.columns[0]) {
        for &beside in of.get(one.columns[0].get(row as usize)).into_iter().flatten() {
            pairs.push(Linked { one: row, other: beside, weight: 1.0, probability: 1.0, class: Class::Match });
        }
    }
    Found {
        compared: one.rows() as u64 * other.rows() as u64,
        pairs,
        estimated: None,
        blocks: Vec::new(),
        fields: Vec::new(),
        clusters: None,
    }
}

/// What somebody decided of pairs of rows.
fn decided(path: &std::path::Path, one: &Clk, other: Option<&Clk>) -> Result<Vec<(u32, u32, bool)>> {
    let csv = Csv::read(path)?;
    let (a, b, same) = (csv.column("a")?, csv.column("b")?, csv.column("same")?);
    let placed = |what: &str, column: &str, line: u64| {
        Error::data(what).in_column(column).at_line(line).in_file(csv.name.clone())
    };
    let mut found = Vec::new();
    for (line, row) in &csv.rows {
        let number = |cell: usize, rows: usize, name: &str| {
            let number = row[cell].parse::<usize>().ok().filter(|number| (1..=rows).contains(number));
            number.map(|number| number as u32 - 1).ok_or_else(|| placed("no row has this number", name, *line))
        };
        let is_same = match row[same].as_str() {
            "yes" => true,
            "no" => false,
            _ => return Err(placed("is neither yes nor no", "same", *line)),
        };
        let rows = other.map_or(one.rows(), Clk::rows);
        let (a, b) = (number(a, one.rows(), "a")?, number(b, rows, "b")?);
        // Of one file the lower row comes first, whichever way it was said.
        found.push(if other.is_some() { (a, b, is_same) } else { (a.min(b), a.max(b), is_same) });
    }
    found.sort_unstable();
    found.dedup();
    if found.windows(2).any(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1)) {
        return Err(Error::data("a pair is decided both ways")
            .in_file(csv.name.clone())
            .with_hint("keep one of the two lines"));
    }
    Ok(found)
}
