//! What may lie in the folder of a release, and what is in it beside that.
//!
//! Whoever publishes a release publishes its folder. A key that was copied into it undoes the release, and a file that
//! nobody checked may hold anything. So everything that is not one of the release's own files is a stranger.

use std::path::Path;

use throng_core::text::visible::on_one_line;
use throng_core::{Error, Result};

/// The files of every release, beside its data.
const OWN: [&str; 4] = ["certificate.json", "certificate.sig", "report.html", "report.json"];

/// Everything in a release folder that does not belong there, by name: whatever is no data file that the certificate
/// names, no certificate, signature or report; and, whatever it is called, every folder and
/// every link. Hidden files count.
pub fn strangers(folder: &Path, data: &[&str]) -> Result<Vec<String>> {
    let failed = |cause| Error::io(format!("look into {}", folder.display()), cause);
    let mut strangers = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let is_own = name.to_str().is_some_and(|name| OWN.contains(&name) || data.contains(&name));
        if !is_own || !entry.file_type().map_err(failed)?.is_file() {
            strangers.push(on_one_line(&name.to_string_lossy()).into_owned());
        }
    }
    strangers.sort();
    Ok(strangers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_belongs_to_a_release_is_no_stranger() {
        let folder = tempfile::tempdir().unwrap();
        let data = ["data.tsv", "more.tsv"];
        let write = |name: &str| std::fs::write(folder.path().join(name), "x").unwrap();
        OWN.iter().chain(&data).for_each(|name| write(name));
        let found = || strangers(folder.path(), &data).unwrap();
        assert!(found().is_empty());
        ["key.csv", ".hidden", "data.csv", "b\u{1b}[2J"].iter().for_each(|name| write(name));
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        assert_eq!(found(), [".hidden", "b\\u{1b}[2J", "data.csv", "key.csv", "sub"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_a_stranger_whatever_it_is_called() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc/hostname", folder.path().join("report.html")).unwrap();
        assert_eq!(strangers(folder.path(), &[]).unwrap(), ["report.html"]);
    }
}
