//! `certificate.json`: what was done, what is claimed, and that it was checked on the very bytes.
//!
//! Stable from its first version: keys may be added, never changed. It holds no hash of the original (small files could be
//! guessed and confirmed by it) and never the seed (it would undo the pseudonyms).

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use throng_core::accounts::Accounts;
use throng_core::partition::grouping::Grouped;
use throng_core::release::{Optimised, Search};
use throng_core::{Error, Result};

use crate::content::FinderRecord;
use crate::io::{self, Delimiter, Location};
use crate::kinds::{TableRecord, TaxonomyRecord};
use crate::ledger::LedgerPlace;
use crate::limits;
use crate::policy::PolicyRecord;

/// The version of the certificate's form.
pub const FORMAT: u32 = 1;

/// What a certificate without a claim says, a report, and a summary.
pub const PROMISES_NOTHING: &str =
    "This release promises nothing: its method claims no model, so there is nothing to check.";

/// A certificate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// The version of this form.
    pub format: u32,
    /// The version of throng that wrote it.
    pub throng: String,
    /// What ran it, where that was several machines: `spark` or `dask`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// What was protected.
    pub input: Input,
    /// What was published.
    pub output: Output,
    /// How.
    pub method: Method,
    /// What is claimed, with the verdict of the check.
    pub claims: Vec<ClaimRecord>,
    /// Where nothing is claimed: that in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promise: Option<String>,
    /// `secure` or `seeded`.
    pub randomness: String,
    /// `pseudonyms`, `kept` where the original ids were published on request, `masked` where of addresses only networks were, or `none` where
    /// the file has none.
    #[serde(default = "pseudonyms")]
    pub ids: String,
    /// `normal form` where published text has nothing in it but the words that enough persons wrote, `as written` where it is as
    /// somebody wrote it; of search logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Of a table: what its columns hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<TableRecord>,
    /// How the generalisation of a table was found, by a method that searches for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
    /// How the amounts of noise were found, by a method that adds some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<Optimised>,
    /// Where items are nodes of a taxonomy: which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taxonomy: Option<TaxonomyRecord>,
    /// How many items were named as sensitive, where some were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitive_items: Option<u64>,
    /// What was left out, and whatever else was counted.
    pub accounting: Accounts,
    /// What finders found, and what became of it; none where nobody looked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<FinderRecord>,
    /// The policy that it keeps to, where it was made with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyRecord>,
    /// Where it stands in a ledger, where it was made with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<LedgerPlace>,
    /// The SHA-256 of `report.json`, which holds all of this but for this line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report_sha256: Option<String>,
}

impl Certificate {
    /// Where the certificate of a release is.
    pub fn place(folder: &Path) -> PathBuf {
        folder.join("certificate.json")
    }

    /// The version of throng that wrote it, if it is one.
    pub(crate) fn version(&self) -> Option<[u64; 3]> {
        version(&self.throng)
    }

    /// Whether it is of a table in which persons had several rows, and nothing in the release links those: it counts persons, and the
    /// data show rows.
    pub(crate) fn has_several_rows_unlinked(&self) -> bool {
        self.table.is_some() && self.ids == "none" && self.input.rows > self.input.persons
    }

    /// Whether a throng wrote it that may know more than this one.
    pub fn is_of_a_newer_throng(&self) -> bool {
        let own = version(env!("CARGO_PKG_VERSION"));
        self.format > FORMAT || self.version().is_some_and(|version| Some(version) > own)
    }

    /// The text of the file.
    pub fn text(&self) -> Result<Vec<u8>> {
        json_text(self)
    }

    /// Reads the certificate of a release. Keys of a newer version are passed over.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = Self::place(folder);
        let hint = "a release folder holds `certificate.json`; give a data file or a release folder";
        let bytes = limits::read_file(&path, "", limits::MOST_REPORT_BYTES).map_err(|error| error.with_hint(hint))?;
        let wrong = |problem: &str, cause| Error::data(problem).with_cause(cause).in_file(path.display().to_string());
        let value: Value =
            serde_json::from_slice(&bytes).map_err(|cause| wrong("the certificate is not JSON", cause))?;
        serde_json::from_value(value).map_err(|cause| wrong("the certificate is damaged", cause))
    }
}

/// A value as the text of one of a release's files.
pub(crate) fn json_text(value: &impl Serialize) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(value).map_err(|cause| Error::internal(cause.to_string()))?;
    text.push(b'\n');
    Ok(text)
}

/// The three numbers of a version.
fn version(text: &str) -> Option<[u64; 3]> {
    let numbers: Vec<u64> = text.split('.').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && text.len() <= 20;
    numbers.try_into().ok().filter(|_| is_plain)
}

fn pseudonyms() -> String {
    "pseudonyms".into()
}

/// What was protected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// The kind of data.
    pub kind: String,
    /// How many persons.
    pub persons: u64,
    /// How many rows; of baskets, how many items all persons have together; of documents, how many terms.
    pub rows: u64,
    /// How its times were said to be written, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_format: Option<String>,
    /// Who a person was taken for, where that was said and the kind has a choice: `address`, `user`, a column, ….
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// Which column held what, where that was said and those of the release do not say it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub columns: BTreeMap<String, String>,
    /// The form of the lines of an access log, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_format: Option<String>,
    /// How many bits of an IPv6 address told visitors apart, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ipv6_prefix: Option<u8>,
    /// How many of the persons are humans, where that can be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub humans: Option<u64>,
    /// How many are declared bots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bots: Option<u64>,
}

/// What was published.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// The kind of data, where it is not that of the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The data file beside the certificate; `null` of a release that is in memory, which is an empty name here.
    #[serde(with = "file_or_null")]
    pub file: String,
    /// The format of a release that is in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Its SHA-256.
    pub sha256: String,
    /// Further files of the data beside it, of a kind that has several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<AlsoFile>,
    /// How many persons.
    pub persons: u64,
    /// How many rows.
    pub rows: u64,
    /// Which column of the file holds what, by name, or by number where it has no header.
    #[serde(default)]
    pub columns: BTreeMap<String, String>,
    /// What stands between the cells of CSV, where it is no comma.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<Delimiter>,
    /// `false` where the first line is a row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<bool>,
    /// How its times are written, where that must be said for the file to be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_format: Option<String>,
    /// The zone that its times are local in, where one was named: of times without a zone, and of the hours and days that were
    /// looked at. Its IANA name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// How the lines of an access log are written: the name of a format, or a directive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_format: Option<String>,
    /// How long a pause inside a session may be, in seconds, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// How many of the persons are humans, where that can be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub humans: Option<u64>,
    /// How many are declared bots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bots: Option<u64>,
}

/// A name, or `null` where there is none.
mod file_or_null {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    pub(super) fn serialize<S: Serializer>(file: &str, serializer: S) -> Result<S::Ok, S::Error> {
        Some(file).filter(|file| !file.is_empty()).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        Option::deserialize(deserializer).map(Option::unwrap_or_default)
    }
}

impl Output {
    /// The names of all files of the data.
    pub fn files(&self) -> Vec<&str> {
        std::iter::once(self.file.as_str()).chain(self.also.iter().map(|also| also.file.as_str())).collect()
    }

    /// Whether the data are those that the certificate was written for: this file, and all others that belong to it beside it, or these
    /// bytes in memory. One that is not there, or is no plain file, is another.
    pub fn is_of(&self, data: &Location) -> Result<bool> {
        if let Location::Several(places) = data
            && let Some(Location::File(part)) = places.first()
        {
            return self.is_of(&Location::File(part.parent().unwrap_or(part).to_owned()));
        }
        let Location::File(data) = data else {
            return Ok(self.also.is_empty() && io::hash_of(data)?.as_ref() == Some(&self.sha256));
        };
        if data.is_dir() {
            return Ok(self.also.is_empty() && io::hash_of_parts(data)? == self.sha256);
        }
        let is_there = |also: &AlsoFile| {
            let place = data.with_file_name(&also.file);
            also.is_plain_name() && place.symlink_metadata().is_ok_and(|metadata| metadata.is_file())
        };
        if !self.also.iter().all(is_there) || io::hash_file(data)? != self.sha256 {
            return Ok(false);
        }
        for also in &self.also {
            if io::hash_file(&data.with_file_name(&also.file))? != also.sha256 {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A further file of the data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlsoFile {
    /// Its name, beside the certificate.
    pub file: String,
    /// Its SHA-256.
    pub sha256: String,
}

impl AlsoFile {
    /// Whether the name is one of a file in the same folder.
    pub(crate) fn is_plain_name(&self) -> bool {
        let mut parts = Path::new(&self.file).components();
        matches!((parts.next(), parts.next()), (Some(Component::Normal(name)), None) if name == self.file.as_str())
    }
}

/// How it was protected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Method {
    /// The method's name.
    pub name: String,
    /// Its parameters: k, and what was not at its default.
    pub parameters: Map<String, Value>,
    /// How groups were made, where that may be in blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grouping: Option<Grouped>,
}

/// A claim and its verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClaimRecord {
    /// The model.
    pub model: String,
    /// Its parameters.
    pub parameters: Map<String, Value>,
    /// `holds`: a release whose claims fail is never written.
    pub verdict: String,
    /// What the data achieve.
    pub achieved: Map<String, Value>,
    /// `original` where the release alone cannot show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_data_must_be_the_one_that_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        std::fs::write(place("data.nodes.csv"), "a").unwrap();
        std::fs::write(place("data.edges.csv"), "b").unwrap();
        let also = |file: &str| AlsoFile { file: file.to_owned(), sha256: io::hash_bytes(b"b") };
        let output = |also: Vec<AlsoFile>| -> Output {
            let text = serde_json::json!({"file": "data.nodes.csv", "sha256": io::hash_bytes(b"a"), "persons": 1, "rows": 1, "also": also});
            serde_json::from_value(text).unwrap()
        };
        let whole = output(vec![also("data.edges.csv")]);
        assert_eq!(whole.files(), ["data.nodes.csv", "data.edges.csv"]);
        assert!(whole.is_of(&Location::File(place("data.nodes.csv"))).unwrap());
        // One that is not there, or elsewhere.
        assert!(!output(vec![also("data.values.csv")]).is_of(&Location::File(place("data.nodes.csv"))).unwrap());
        for elsewhere in ["../data.edges.csv", "./data.edges.csv", "/etc/hostname", "", "."] {
            assert!(
                !output(vec![also(elsewhere)]).is_of(&Location::File(place("data.nodes.csv"))).unwrap(),
                "{elsewhere}"
            );
        }
        // One that is another.
        std::fs::write(place("data.edges.csv"), "c").unwrap();
        assert!(!whole.is_of(&Location::File(place("data.nodes.csv"))).unwrap());
        std::fs::remove_file(place("data.edges.csv")).unwrap();
        assert!(!whole.is_of(&Location::File(place("data.nodes.csv"))).unwrap());
        // Certificates of a kind with one file say nothing of others.
        assert!(serde_json::to_value(output(Vec::new())).unwrap().get("also").is_none());
    }
}
