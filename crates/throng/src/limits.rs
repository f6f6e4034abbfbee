//! How much of anything is read. A small file can become gigabytes when it is unpacked or understood: what is beyond these
//! limits is an error that names them, never an attempt.
//!
//! | what | at most |
//! | --- | --- |
//! | a line of text | [`LONGEST_LINE`] |
//! | a gzip or zstd file: what it unpacks to, if that is more than [`FREE_UNPACKED_BYTES`] | [`MOST_OF_ONE_BYTE`] times its bytes |
//! | a taxonomy: its file when unpacked | [`MOST_TAXONOMY_BYTES`] |
//! | a taxonomy: its levels | [`MOST_LEVELS`] |
//! | a taxonomy: the names in it, paths included | [`MOST_LABEL_BYTES`] |
//! | a PDF: what its streams, pictures aside, unpack to, every filter counted | [`MOST_STREAM_BYTES`] |
//! | a PDF: what its pages show, as often as they show it | [`MOST_SHOWN_BYTES`] |
//! | a PDF: its text | [`MOST_TEXT_BYTES`] |
//! | a PDF: its operators | [`MOST_OPERATORS`] |
//! | a list of sensitive items | [`MOST_LIST_BYTES`] |
//! | a key file | [`MOST_KEY_BYTES`] |
//! | a noise file | [`MOST_NOISE_BYTES`] |
//! | a ledger | [`MOST_LEDGER_BYTES`] |
//! | a report | [`MOST_REPORT_BYTES`] |
//! | profiles of persons | [`MOST_PROFILES_BYTES`] |
//! | a list of topics | [`MOST_TOPICS_BYTES`] |
//! | saved pages, their texts together | [`MOST_PAGES_BYTES`] |
//! | a masked network: its persons, its edges | [`MOST_NETWORK_PERSONS`], [`MOST_NETWORK_EDGES`] |
//! | a random graph of one: its persons, its edges | [`MOST_EXPANDED_PERSONS`], [`MOST_EXPANDED_EDGES`] |
//! | standard input, where it must be read more than once | [`MOST_HELD_BYTES`] |

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use throng_core::{Error, Result};

pub use throng_core::data::graph::expansion::{MOST_EDGES as MOST_EXPANDED_EDGES, MOST_NODES as MOST_EXPANDED_PERSONS};
pub use throng_core::taxonomy::{MOST_LABEL_BYTES, MOST_LEVELS};

pub use crate::io::LONGEST_LINE;

/// What a compressed file may unpack to, however short it is.
pub const FREE_UNPACKED_BYTES: u64 = 16 << 20;
/// Beyond that, how many bytes each byte of a compressed file may become, on average over what was read so far. Data of
/// people become 5 to 50.
pub const MOST_OF_ONE_BYTE: u64 = 500;
/// What the file of a taxonomy unpacks to.
pub const MOST_TAXONOMY_BYTES: u64 = 1 << 30;
/// What the streams of a PDF unpack to, pictures aside: the sum of what every filter makes of them.
pub const MOST_STREAM_BYTES: u64 = 256 << 20;
/// What the pages of a PDF show when unpacked; what they show many times counts as often.
pub const MOST_SHOWN_BYTES: u64 = 1 << 30;
/// The text of a PDF.
pub const MOST_TEXT_BYTES: usize = 64 << 20;
/// The operators of a PDF.
pub const MOST_OPERATORS: u64 = 50_000_000;
/// A list of sensitive items.
pub const MOST_LIST_BYTES: u64 = 64 << 20;
/// A key file.
pub const MOST_KEY_BYTES: u64 = 1 << 30;
/// A noise file.
pub const MOST_NOISE_BYTES: u64 = 1 << 30;
/// A ledger: some ten thousand releases.
pub const MOST_LEDGER_BYTES: u64 = 256 << 20;
/// A report.
pub const MOST_REPORT_BYTES: u64 = 64 << 20;
/// Profiles of persons: some millions of them.
pub const MOST_PROFILES_BYTES: u64 = 4 << 30;
/// A list of topics.
pub const MOST_TOPICS_BYTES: u64 = 64 << 20;
/// The texts of saved pages together.
pub const MOST_PAGES_BYTES: usize = 4 << 30;
/// The persons of a masked network, of which a line of a file may say that they are billions: most that is worked out has a place for each.
pub const MOST_NETWORK_PERSONS: u64 = 50_000_000;
/// The edges of a masked network: more than so many persons ever had, and few enough that sums of them are numbers.
pub const MOST_NETWORK_EDGES: u64 = 1_000_000_000_000;
/// A reference of addresses: a country of a hundred million.
pub const MOST_GEO_BYTES: u64 = 8 << 30;
/// A secret.
pub const MOST_SECRET_BYTES: u64 = 64 << 10;
/// The file of a map.
pub const MOST_IMAGE_BYTES: u64 = 256 << 20;
/// The pixels of a map.
pub const MOST_PIXEL_BYTES: usize = 1 << 30;
/// A line that is answered as it comes.
pub const MOST_STREAMED_LINE: u64 = 64 << 10;
/// What is held in memory of standard input, to be read more than once.
pub const MOST_HELD_BYTES: u64 = 4 << 30;

/// Everything in a file that may not be longer than this; `what` says in an error what it is.
pub fn read_file(path: &Path, what: &str, most: u64) -> Result<Vec<u8>> {
    let failed = |cause| Error::io(format!("read {what}{}", path.display()), cause);
    let file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
    refuse_longer(bytes.len() as u64, most).map_err(|error| error.in_file(path.display().to_string()))?;
    Ok(bytes)
}

/// Refuses more bytes than a limit.
pub fn refuse_longer(bytes: u64, most: u64) -> Result<()> {
    if bytes <= most {
        return Ok(());
    }
    Err(Error::data(format!("the file has more than {} MiB when unpacked", most >> 20))
        .with_hint("is it the file that was meant? Nothing of this kind is as long"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, vec![0; (1 << 20) + 1]).unwrap();
        assert_eq!(read_file(&path, "", (1 << 20) + 1).unwrap().len(), (1 << 20) + 1);
        let error = read_file(&path, "", 1 << 20).unwrap_err().describe(false);
        assert!(error.contains("more than 1 MiB") && error.contains("file"), "{error}");
    }
}
