//! `throng geocode mask`, and `throng check --model spatial-k-anonymity`: points hidden among addresses, and whether they are.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};
use throng_core::geo;
use throng_core::geocode::mask::{LEAST_SECRET, Masker, Params, local_k};
use throng_core::geocode::mask_measures::{Measured, Summary, measure};
use throng_core::models::spatial_k_anonymity::{self, Masked, Witness};
use throng_core::progress::Progress;
use throng_core::{Error, Result};
use zeroize::Zeroizing;

use super::files::{TextFile, degrees};
use super::reference::ReferenceFile;
use crate::io::NamedRows;
use crate::limits;
use crate::report;

/// Which points to mask.
#[derive(Debug, Clone)]
pub struct MaskRequest {
    /// The points: `id,lat,lon`.
    pub points: PathBuf,
    /// The reference.
    pub reference: ReferenceFile,
    /// How.
    pub params: Params,
    /// The file with the secret.
    pub secret: PathBuf,
    /// The file to make.
    pub out: PathBuf,
    /// The page to make.
    pub report: Option<PathBuf>,
}

/// What was masked.
#[derive(Debug, Serialize)]
pub struct MaskDone {
    /// The method.
    pub method: &'static str,
    /// How many addresses are asked for.
    pub k: usize,
    /// How many points there are.
    pub points: usize,
    /// `holds` or `fails`: `spatial-k-anonymity` on the points as written. Only `voronoi`, which does not claim it, is written where it fails.
    pub verdict: &'static str,
    /// The measures.
    pub measures: Value,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Points as a file has them.
pub(super) struct Points {
    pub(super) rows: NamedRows,
    pub(super) ids: Vec<String>,
    pub(super) places: Vec<(f64, f64)>,
}

impl Points {
    pub(super) fn read(path: &Path, progress: &dyn Progress) -> Result<Self> {
        let rows = NamedRows::read(path, progress)?;
        let [id, lat, lon] = rows.columns(["id", "lat", "lon"], "a file of points")?;
        let mut places = Vec::with_capacity(rows.len());
        let mut ids = Vec::with_capacity(rows.len());
        for row in 0..rows.len() {
            places.push(rows.place(row, lat, lon)?);
            ids.push(rows.cell(row, id).to_owned());
        }
        Ok(Self { rows, ids, places })
    }

    /// The points by their ids, each of which stands there once.
    pub(super) fn with_ids(self) -> Result<Vec<(String, (f64, f64))>> {
        let mut seen = BTreeSet::new();
        for (row, id) in self.ids.iter().enumerate() {
            if !seen.insert(id) {
                return Err(self.rows.wrong_row("an id that stands there already", row).with_value(id));
            }
        }
        Ok(self.ids.into_iter().zip(self.places).collect())
    }
}

/// The secret of a file, without the newline at its end.
pub(crate) fn read_secret(path: &Path) -> Result<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(limits::read_file(path, "the secret ", limits::MOST_SECRET_BYTES)?);
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
    }
    if bytes.len() < LEAST_SECRET {
        return Err(Error::refused(format!(
            "the secret has {} bytes, but must have at least {LEAST_SECRET}",
            bytes.len()
        ))
        .in_file(path.display().to_string())
        .with_hint("`head -c 32 /dev/urandom | base64 > secret; chmod 600 secret` makes one"));
    }
    Ok(bytes)
}

/// Masks points, and writes them only if the model holds for what is written.
pub fn mask(request: &MaskRequest, progress: &dyn Progress) -> Result<MaskDone> {
    let mut out = TextFile::csv(&request.out, "id,lat,lon")?;
    let page = request.report.as_deref().map(|place| TextFile::of(place, Vec::new())).transpose()?;
    let secret = read_secret(&request.secret)?;
    let read = request.reference.read(progress)?;
    let reference = &read.reference;
    let masker = Masker::new(request.params, reference)?;
    let original = Points::read(&request.points, progress)?.with_ids()?;
    let places: Vec<(f64, f64)> = original.iter().map(|point| point.1).collect();
    let masked = masker.mask(&places, &secret, progress)?;
    let Params { k, method, .. } = request.params;
    let mut rows = Vec::with_capacity(masked.len());
    let mut pairs = Vec::with_capacity(masked.len());
    for (line, ((id, truth), written)) in (2..).zip(original.iter().zip(masked)) {
        let cells = [degrees(written.0), degrees(written.1)];
        out.row(&[id, &cells[0], &cells[1]]);
        // What is written is what is judged.
        let read_back =
            |cell: &str| cell.parse::<f64>().map_err(|_| Error::internal("a coordinate that was written is no number"));
        let place = (read_back(&cells[0])?, read_back(&cells[1])?);
        pairs.push((*truth, place));
        rows.push(Masked { id: id.clone(), line, place });
    }
    let addresses: Vec<(f64, f64)> =
        (0..reference.places().len() as u32).map(|number| reference.places().get(number)).collect();
    let found = spatial_k_anonymity::check(&rows, &original, &addresses, k as u64);
    if let (Err(witness), true) = (&found, method.claims()) {
        return Err(Error::refused(format!(
            "the mask does not hold for k = {k}: {}; nothing was written",
            witness.problem
        ))
        .at_line(witness.line));
    }
    let mut notes = read.notes();
    if !method.claims() {
        notes.push(format!("`{}` promises no k: about two addresses are as near as the true one", method.name()));
    }
    let unmoved = pairs.iter().filter(|(truth, written)| truth == written).count() as u64;
    if unmoved > 0 {
        notes.push(format!(
            "{} where the person is: the reference has that many addresses at one place, or one address that often",
            crate::words::counted(unmoved, "point was written", "points were written")
        ));
    }
    let measures = measure(&pairs, reference.places(), k).map_or(Value::Null, |measured| as_json(&measured));
    let verdict = if found.is_ok() { "holds" } else { "fails" };
    let mut files = vec![out];
    if let Some(page) = page {
        let written: Vec<(f64, f64)> = pairs.iter().map(|pair| pair.1).collect();
        let moved: Vec<(f64, f64)> = pairs
            .iter()
            .map(|&(truth, written)| {
                (geo::distance(truth, written) * 1000.0, local_k(reference.places(), written, truth) as f64)
            })
            .collect();
        let sheet = report::MaskSheet {
            method: method.name(),
            k,
            verdict,
            measures: &measures,
            written: &written,
            addresses: &addresses,
            moved: &moved,
        };
        files.push(page.with(report::mask_page(&sheet)?.into_bytes()).private());
    }
    TextFile::publish(files)?;
    Ok(MaskDone { method: method.name(), k, points: rows.len(), verdict, measures, notes })
}

fn as_json(measured: &Measured) -> Value {
    let summary = |Summary { least, median, mean, most }: Summary| json!({"least": least, "median": median, "mean": mean, "most": most});
    json!({
        "shift": summary(measured.shift),
        "local-k": summary(measured.local_k),
        "below-k": measured.below_k,
        "clusters-kept": measured.clusters_kept,
    })
}

/// Which masked points to check.
#[derive(Debug, Clone)]
pub struct CheckPointsRequest {
    /// The masked points.
    pub masked: PathBuf,
    /// The true points.
    pub original: PathBuf,
    /// The reference.
    pub reference: ReferenceFile,
    /// How many addresses there must be.
    pub k: u64,
}

/// What was found.
#[derive(Debug, Serialize)]
pub struct PointsChecked {
    /// The model.
    pub model: &'static str,
    /// Its parameters.
    pub parameters: Value,
    /// `holds` or `fails`.
    pub verdict: &'static str,
    /// What the points achieve.
    pub achieved: Value,
    /// When it fails: what shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<Value>,
    /// Whatever is in the file and was not compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_compared: Vec<String>,
    /// How many points the file has.
    pub points: usize,
}

/// Checks masked points beside their original.
pub fn check_points(request: &CheckPointsRequest, progress: &dyn Progress) -> Result<PointsChecked> {
    let k = request.k;
    if k < 2 {
        return Err(Error::parameter("k", format!("is {k}, but must be at least 2")));
    }
    let read = request.reference.read(progress)?;
    let original = Points::read(&request.original, progress)?.with_ids()?;
    let masked = Points::read(&request.masked, progress)?;
    let places = read.reference.places();
    let addresses: Vec<(f64, f64)> = (0..places.len() as u32).map(|number| places.get(number)).collect();
    let mut not_compared = masked.rows.beside.clone();
    let others: Vec<&str> = masked
        .rows
        .names()
        .filter(|name| !["id", "lat", "lon"].contains(&name.trim().to_lowercase().as_str()))
        .collect();
    if !others.is_empty() {
        let columns = crate::words::counted(others.len() as u64, "column was", "columns were");
        not_compared.push(format!("{columns} not looked at: {}", others.join(", ")));
    }
    not_compared.extend(unusual_numbers(&masked));
    let rows: Vec<Masked> = masked
        .ids
        .iter()
        .zip(&masked.places)
        .enumerate()
        .map(|(row, (id, &place))| Masked { id: id.clone(), line: masked.rows.line(row), place })
        .collect();
    let found = spatial_k_anonymity::check(&rows, &original, &addresses, k);
    let (achieved, witness) = match &found {
        Ok(least) => (json!({"k": least}), None),
        Err(Witness { line, k, problem }) => (json!({"k": k}), Some(json!({"line": line, "k": k, "problem": problem}))),
    };
    Ok(PointsChecked {
        model: spatial_k_anonymity::INFO.name,
        parameters: json!({"k": k}),
        verdict: if found.is_ok() && not_compared.is_empty() { "holds" } else { "fails" },
        achieved,
        witness,
        not_compared,
        points: rows.len(),
    })
}

/// Coordinates that are not plain numbers, or have more digits than a number has: a place to hide the true position in.
fn unusual_numbers(masked: &Points) -> Option<String> {
    const DIGITS: usize = 17;
    let columns = ["lat", "lon"].map(|name| masked.rows.column(name).unwrap_or_default());
    let is_unusual = |row: &usize| columns.iter().any(|&column| !is_plain(masked.rows.cell(*row, column), DIGITS));
    let rows = (0..masked.rows.len()).filter(is_unusual).count() as u64;
    (rows > 0).then(|| {
        format!(
            "{} with a coordinate that is no plain number of at most {DIGITS} digits",
            crate::words::counted(rows, "row", "rows")
        )
    })
}

/// Whether a number is written without blanks, plus, exponent, leading zeros, or more digits than these.
fn is_plain(cell: &str, digits: usize) -> bool {
    let (whole, fraction) = cell.strip_prefix('-').unwrap_or(cell).split_once('.').unwrap_or((cell, "0"));
    let whole = whole.strip_prefix('-').unwrap_or(whole);
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    all_digits(whole)
        && all_digits(fraction)
        && (whole == "0" || !whole.starts_with('0'))
        && whole.len() + fraction.len() <= digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_could_hide_something() {
        for plain in ["47.5121086", "-0.5", "12", "-73", "0.0000000", "47.51210865111649"] {
            assert!(is_plain(plain, 17), "{plain}");
        }
        for odd in ["+47.5", "047.5", "4.75e1", " 47.5", "47.5 ", "47.", ".5", "--4", "", "NaN", "47.5121086511164951"]
        {
            assert!(!is_plain(odd, 17), "{odd}");
        }
    }
}
