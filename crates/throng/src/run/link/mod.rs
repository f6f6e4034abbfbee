//! `throng link`: which records of two files, or of one, are the same persons.

mod attack;
mod cleaning;
mod clk;
mod encoded;
mod encoding;
mod evaluate;
mod extract;
mod matching;
mod party;
mod review;
mod secret;
mod tables;
mod translate;

pub use attack::{EncodingAttackRequest, attack_encoded, is_encoded_file};
pub use cleaning::{CleanRequest, Cleaned, CleanedColumn, clean};
pub use clk::LinkEncoding;
pub use encoding::{EncodeRequest, EncodedRecords, Phonetic, encode_records};
pub use evaluate::{EvaluateLinkRequest, EvaluatedLink, evaluate_link};
pub use extract::{
    ChooseRequest, Extracted, OpenCohortRequest, PackRequest, extract_choose, extract_open, extract_pack,
};
pub use matching::{LinkBlocking, LinkFound, LinkRequest, link_match};
pub use party::{PartyProtocol, PartyRequest, link_party};
pub use review::{ReviewRequest, Reviewed, review};
pub use secret::SecretSource;
pub use translate::{TranslateRequest, Translated, translate};

use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use throng_core::link::linking::{Class, Linked};
use throng_core::link::similarity::Comparison;
use throng_core::{Error, Result};

use crate::io::csv_field;
use crate::pending::{self, Pending};

/// How alike two texts are.
pub fn compare_texts(one: &str, other: &str, by: &str) -> Result<f64> {
    Ok(Comparison::parse(by)?.of(one, other))
}

/// Files that get their names together, or none of them.
#[derive(Default)]
pub(crate) struct Outputs(Vec<(Pending, PathBuf)>);

impl Outputs {
    /// Writes a file that is for everybody who may see new files there, or for its owner alone.
    pub(crate) fn write(&mut self, place: &Path, bytes: &[u8], is_private: bool) -> Result<()> {
        pending::refuse_stdout(place)?;
        super::refuse_existing(place)?;
        if self.0.iter().any(|(_, other)| pending::is_same_place(other, place)) {
            return Err(Error::refused(format!("two files would be called {}", place.display()))
                .with_hint("give each a name of its own"));
        }
        let failed = |cause| Error::io(format!("write {}", place.display()), cause);
        let (file, unfinished) = Pending::file(place, is_private).map_err(failed)?;
        let mut writer = BufWriter::new(file);
        writer.write_all(bytes).and_then(|()| writer.flush()).map_err(failed)?;
        self.0.push((unfinished, place.to_owned()));
        Ok(())
    }

    /// Gives them their names.
    pub(crate) fn publish(self) -> Result<()> {
        pending::publish(self.0)
    }
}

/// A line of CSV.
pub(crate) fn csv_line(cells: &[&str], out: &mut Vec<u8>) {
    for (at, cell) in cells.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        csv_field(cell.as_bytes(), out);
    }
    out.push(b'\n');
}

/// The file of clusters, with how many there are; each is told by its lowest record.
pub(crate) fn cluster_lines(of: &[u32], id: impl Fn(u32) -> String) -> (Vec<u8>, u64) {
    let mut text = b"id,cluster\n".to_vec();
    let mut numbers = vec![0u32; of.len()];
    let mut count = 0u32;
    for (record, &lowest) in (0..).zip(of) {
        let number = &mut numbers[lowest as usize];
        if *number == 0 {
            count += 1;
            *number = count;
        }
        csv_line(&[&id(record), &number.to_string()], &mut text);
    }
    (text, u64::from(count))
}

/// The file of pairs, with how many are matches and how many possible.
pub(crate) fn pair_lines(
    pairs: &[Linked],
    one: impl Fn(u32) -> String,
    other: impl Fn(u32) -> String,
) -> (Vec<u8>, u64, u64) {
    let mut text = b"a,b,weight,probability,class\n".to_vec();
    let (mut matches, mut possible) = (0, 0);
    for pair in pairs {
        let class = match pair.class {
            Class::Match => {
                matches += 1;
                "match"
            }
            Class::Possible => {
                possible += 1;
                "possible"
            }
        };
        let (weight, probability) = (format!("{:.4}", pair.weight), format!("{:.6}", pair.probability));
        csv_line(&[&one(pair.one), &other(pair.other), &weight, &probability, class], &mut text);
    }
    (text, matches, possible)
}
