//! Data of a release that several machines wrote: a folder of Parquet files, and nothing else in it.

use std::path::{Path, PathBuf};

use throng_core::{Error, Result};

use super::source::{hash_bytes, hash_file};
use super::{Compression, Format, FormatKind};

/// The format of the files.
pub(crate) const PARTS: Format = Format::new(FormatKind::Parquet, Compression::None);

/// The files of a folder of data, sorted by name: `part-` with five digits. Anything else in it, hidden or not, is an error, for nobody
/// would look at it.
pub(crate) fn parts_of(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |cause| Error::io(format!("look into {}", folder.display()), cause);
    let mut parts = Vec::new();
    if !folder.symlink_metadata().map_err(failed)?.is_dir() {
        return Err(Error::data("the data are no folder of files").in_file(folder.display().to_string()));
    }
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if !entry.file_type().map_err(failed)?.is_file() || !is_part(&entry.file_name().to_string_lossy()) {
            return Err(Error::data("something is in the folder of the data that is no part of them")
                .in_file(entry.path().display().to_string())
                .with_hint(
                    "the files of a release are called `part-00000.parquet`, and so on: take everything else out",
                ));
        }
        parts.push(entry.path());
    }
    if parts.is_empty() {
        return Err(Error::data("the folder of the data is empty").in_file(folder.display().to_string()));
    }
    parts.sort();
    Ok(parts)
}

fn is_part(name: &str) -> bool {
    let number = name.strip_prefix("part-").and_then(|rest| rest.strip_suffix(".parquet"));
    number.is_some_and(|number| number.len() == 5 && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The SHA-256 of a folder of data: that of its list.
pub(crate) fn hash_of_parts(folder: &Path) -> Result<String> {
    let mut listed = Vec::new();
    for part in parts_of(folder)? {
        listed.push((part.file_name().unwrap_or_default().to_string_lossy().into_owned(), hash_file(&part)?));
    }
    let listed: Vec<(&str, &str)> = listed.iter().map(|(name, hash)| (name.as_str(), hash.as_str())).collect();
    Ok(hash_of_list(&listed))
}

/// The SHA-256 of a sorted list of names and hashes: one a line, name, blank, hash.
pub(crate) fn hash_of_list(listed: &[(&str, &str)]) -> String {
    hash_bytes(listed.iter().map(|(name, hash)| format!("{name} {hash}\n")).collect::<String>().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_parts_may_be_in_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        assert!(parts_of(folder.path()).is_err());
        std::fs::write(folder.path().join("part-00001.parquet"), "b").unwrap();
        std::fs::write(folder.path().join("part-00000.parquet"), "a").unwrap();
        let (a, b) = (hash_bytes(b"a"), hash_bytes(b"b"));
        let list = format!("part-00000.parquet {a}\npart-00001.parquet {b}\n");
        assert_eq!(hash_of_parts(folder.path()).unwrap(), hash_bytes(list.as_bytes()));
        for stranger in ["_SUCCESS", ".part-00000.parquet.crc", "part-1.parquet", "key.csv"] {
            std::fs::write(folder.path().join(stranger), "x").unwrap();
            assert!(parts_of(folder.path()).is_err(), "{stranger}");
            std::fs::remove_file(folder.path().join(stranger)).unwrap();
        }
        std::fs::create_dir(folder.path().join("part-00002.parquet")).unwrap();
        assert!(parts_of(folder.path()).is_err());
    }
}
