//! A ZIP archive of files as they are: stored, in the order given, with one fixed time, so that the same files give the same bytes.
//!
//! # Form
//! PKWARE's APPNOTE 6.3: for each file a local header and its bytes, then the directory and its end. Sizes of 4 GiB and more, and their
//! places, go into the extra field 1 and a second end record (ZIP64). Names are UTF-8 (flag 11). A file is read twice: for its
//! checksum, which stands before its bytes, and for these; one that changed in between is an error.
//!
//! Does not   compress: what is published may be packed again by whoever publishes it.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use flate2::Crc;

/// 1980-01-01, the first day that the form knows.
const DATE: u16 = 0x21;
const NAMES_ARE_UTF8: u16 = 1 << 11;
/// What stands for a number that stands elsewhere.
const ELSEWHERE: u64 = 0xffff_ffff;

/// A file of an archive.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Its name there.
    pub(crate) name: String,
    /// Where it is.
    pub(crate) path: PathBuf,
}

/// An archive that can be written, and how long it is.
#[derive(Debug)]
pub(crate) struct Archive {
    files: Vec<Stored>,
    pub(crate) length: u64,
}

#[derive(Debug)]
struct Stored {
    entry: Entry,
    size: u64,
    sum: u32,
    /// Where its header is.
    offset: u64,
}

impl Archive {
    /// Reads all files for their checksums.
    pub(crate) fn of(entries: Vec<Entry>) -> io::Result<Self> {
        let (mut files, mut offset) = (Vec::new(), 0);
        for entry in entries {
            let mut crc = Crc::new();
            let size = copy(&entry, |bytes| {
                crc.update(bytes);
                Ok(())
            })?;
            let stored = Stored { entry, size, sum: crc.sum(), offset };
            offset += stored.local_header().len() as u64 + size;
            files.push(stored);
        }
        let mut archive = Self { files, length: 0 };
        archive.length = offset + archive.directory(offset).len() as u64;
        Ok(archive)
    }

    /// Writes it.
    pub(crate) fn write(&self, into: &mut dyn Write) -> io::Result<()> {
        let mut offset = 0;
        for file in &self.files {
            let header = file.local_header();
            into.write_all(&header)?;
            let mut crc = Crc::new();
            let size = copy(&file.entry, |bytes| {
                crc.update(bytes);
                into.write_all(bytes)
            })?;
            if (size, crc.sum()) != (file.size, file.sum) {
                return Err(io::Error::other("a file changed while it was read"));
            }
            offset += header.len() as u64 + size;
        }
        into.write_all(&self.directory(offset))
    }

    /// The directory, which begins at an offset, with its end.
    fn directory(&self, offset: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        for file in &self.files {
            file.directory_header(&mut bytes);
        }
        let (size, count) = (bytes.len() as u64, self.files.len() as u64);
        if offset >= ELSEWHERE || size >= ELSEWHERE || count >= 0xffff {
            let end = offset + size;
            let at = bytes.len();
            bytes.extend(0x0606_4b50_u32.to_le_bytes());
            bytes.extend(44_u64.to_le_bytes());
            bytes.extend([45_u16, 45].map(u16::to_le_bytes).concat());
            bytes.extend([0_u32, 0].map(u32::to_le_bytes).concat());
            bytes.extend([count, count, size, offset].map(u64::to_le_bytes).concat());
            debug_assert_eq!(bytes.len() - at, 56);
            bytes.extend(0x0706_4b50_u32.to_le_bytes());
            bytes.extend(0_u32.to_le_bytes());
            bytes.extend(end.to_le_bytes());
            bytes.extend(1_u32.to_le_bytes());
        }
        let short = |number: u64| (number.min(0xffff) as u16).to_le_bytes();
        let long = |number: u64| (number.min(ELSEWHERE) as u32).to_le_bytes();
        bytes.extend(0x0605_4b50_u32.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend([short(count), short(count)].concat());
        bytes.extend([long(size), long(offset)].concat());
        bytes.extend([0; 2]);
        bytes
    }
}

impl Stored {
    fn local_header(&self) -> Vec<u8> {
        let numbers = if self.size >= ELSEWHERE { vec![self.size, self.size] } else { Vec::new() };
        let extra = extra(&numbers);
        let mut bytes = 0x0403_4b50_u32.to_le_bytes().to_vec();
        self.common(&mut bytes, &extra);
        bytes.extend(self.entry.name.as_bytes());
        bytes.extend(extra);
        bytes
    }

    fn directory_header(&self, bytes: &mut Vec<u8>) {
        let mut numbers = if self.size >= ELSEWHERE { vec![self.size, self.size] } else { Vec::new() };
        if self.offset >= ELSEWHERE {
            numbers.push(self.offset);
        }
        let extra = extra(&numbers);
        bytes.extend(0x0201_4b50_u32.to_le_bytes());
        bytes.extend(45_u16.to_le_bytes());
        self.common(bytes, &extra);
        // No comment, first disk, no attributes.
        bytes.extend([0; 2 + 2 + 2 + 4]);
        bytes.extend((self.offset.min(ELSEWHERE) as u32).to_le_bytes());
        bytes.extend(self.entry.name.as_bytes());
        bytes.extend(extra);
    }

    /// What both headers say.
    fn common(&self, bytes: &mut Vec<u8>, extra: &[u8]) {
        let version = if extra.is_empty() { 20_u16 } else { 45 };
        for number in [version, NAMES_ARE_UTF8, 0, 0, DATE] {
            bytes.extend(number.to_le_bytes());
        }
        let size = self.size.min(ELSEWHERE) as u32;
        bytes.extend([self.sum, size, size].map(u32::to_le_bytes).concat());
        bytes.extend((self.entry.name.len() as u16).to_le_bytes());
        bytes.extend((extra.len() as u16).to_le_bytes());
    }
}

/// The field for numbers that do not fit.
fn extra(numbers: &[u64]) -> Vec<u8> {
    if numbers.is_empty() {
        return Vec::new();
    }
    let mut bytes = 1_u16.to_le_bytes().to_vec();
    bytes.extend((numbers.len() as u16 * 8).to_le_bytes());
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    bytes
}

/// Gives the bytes of a file away, and how many there are.
fn copy(entry: &Entry, mut to: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<u64> {
    let (mut file, mut buffer, mut size) = (File::open(&entry.path)?, vec![0; 256 << 10], 0);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(size),
            read => {
                to(&buffer[..read])?;
                size += read as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One file of three bytes, byte by byte; its checksum is the one that everybody prints for `abc`.
    #[test]
    fn a_file_by_hand() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        std::fs::write(&path, "abc").unwrap();
        let archive = Archive::of(vec![Entry { name: "a/b".into(), path }]).unwrap();
        let mut bytes = Vec::new();
        archive.write(&mut bytes).unwrap();
        let common =
            [&[20, 0, 0, 8, 0, 0, 0, 0, 0x21, 0][..], &[0xc2, 0x41, 0x24, 0x35, 3, 0, 0, 0, 3, 0, 0, 0], &[3, 0, 0, 0]]
                .concat();
        let expected = [
            b"PK\x03\x04",
            &common[..],
            b"a/babc",
            b"PK\x01\x02\x2d\0",
            &common,
            &[0; 10],
            &[0; 4],
            b"a/b",
            b"PK\x05\x06",
            &[0; 4],
            &[1, 0, 1, 0, 49, 0, 0, 0, 36, 0, 0, 0, 0, 0],
        ]
        .concat();
        assert_eq!(bytes, expected);
        assert_eq!(archive.length, expected.len() as u64);
    }

    /// Numbers that do not fit stand in the extra field, and the second end record says where things are.
    #[test]
    fn what_is_larger_than_four_gibibytes() {
        let entry = |name: &str| Entry { name: name.into(), path: PathBuf::new() };
        let large = Stored { entry: entry("l"), size: 5 << 30, sum: 1, offset: 0 };
        let behind = Stored { entry: entry("b"), size: 1, sum: 2, offset: 6 << 30 };
        let header = large.local_header();
        assert_eq!(header[18..26], [0xff; 8]);
        assert_eq!(
            header[31..],
            [&[1, 0, 16, 0][..], &(5_u64 << 30).to_le_bytes(), &(5_u64 << 30).to_le_bytes()].concat()
        );
        let mut bytes = Vec::new();
        behind.directory_header(&mut bytes);
        assert_eq!(bytes[42..46], [0xff; 4]);
        assert_eq!(bytes[47..], [&[1, 0, 8, 0][..], &(6_u64 << 30).to_le_bytes()].concat());
        let archive = Archive { files: vec![large, behind], length: 0 };
        let directory = archive.directory(7 << 30);
        let end = &directory[directory.len() - 22 - 20 - 56..];
        assert!(end.starts_with(b"PK\x06\x06") && end[56..].starts_with(b"PK\x06\x07"));
        assert_eq!(end[48..56], (7_u64 << 30).to_le_bytes());
        assert_eq!(end[64..72], ((7_u64 << 30) + (directory.len() - 98) as u64).to_le_bytes());
    }

    #[test]
    fn a_file_that_changes_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        std::fs::write(&path, "abc").unwrap();
        let archive = Archive::of(vec![Entry { name: "x".into(), path: path.clone() }]).unwrap();
        std::fs::write(&path, "abd").unwrap();
        assert!(archive.write(&mut Vec::new()).is_err());
    }
}
