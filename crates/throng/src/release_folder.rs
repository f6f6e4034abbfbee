//! What may lie in the folder of a release, and what is in it beside that.
//!
//! Whoever publishes a release publishes its folder. A key that was copied into it undoes the release, and a file that
//! nobody checked may hold anything. So everything that is not one of the release's own files is a stranger, and those files
//! hold what throng wrote into them and nothing else.

use std::path::Path;

use serde_json::{Value, json};
use throng_core::text::visible::on_one_line;
use throng_core::{Error, Result};

use crate::certificate::Certificate;
use crate::io::{self, Location};
use crate::{limits, report, signature};

/// The files of every release, beside its data.
const OWN: [&str; 5] = ["certificate.json", signature::FILE, SIGNATURE, "report.html", "report.json"];
/// What a custodian signed the certificate with by other means than [`signature`]. throng cannot read it.
pub(crate) const SIGNATURE: &str = "certificate.sig";
/// No signature is longer.
const MOST_SIGNATURE_BYTES: usize = 4 << 10;

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
        // Data of several machines are a folder of files; what else is in it, its own readers refuse.
        let is_parts = name.to_str().is_some_and(|name| data.contains(&name)) && io::parts_of(&entry.path()).is_ok();
        if is_own && is_parts {
            continue;
        }
        if !is_own || !entry.file_type().map_err(failed)?.is_file() {
            strangers.push(on_one_line(&name.to_string_lossy()).into_owned());
        }
    }
    strangers.sort();
    Ok(strangers)
}

/// Refuses to replace a folder, unless it is provably a release that throng made and that nobody added to or changed. A page that another
/// version of throng drew may look otherwise.
pub fn refuse_foreign(folder: &Path) -> Result<()> {
    let refused = |why: String| {
        Error::refused(format!("{} is not replaced: {why}", folder.display())).with_hint(
            "`--overwrite` replaces a whole release or comparison of throng's own, and nothing else: choose another name, or \
             remove it yourself",
        )
    };
    if !folder.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(refused("it is a link or a file, not a folder".to_owned()));
    }
    let Ok(certificate) = Certificate::read(folder) else {
        return Err(refused("it has no certificate of throng".to_owned()));
    };
    if let Some(stranger) = strangers(folder, &certificate.output.files())?.first() {
        return Err(refused(format!("{stranger} is in it, which is no part of a release")));
    }
    if !certificate.output.files().into_iter().all(is_data_of_ours) {
        return Err(refused("its certificate names a file that no release of throng has".to_owned()));
    }
    let report = std::fs::read(folder.join("report.json")).ok().map(|text| io::hash_bytes(&text));
    let is_same = certificate.output.is_of(&Location::File(folder.join(&certificate.output.file))).unwrap_or(false);
    if report.is_none() || report != certificate.report_sha256 || !is_same {
        return Err(refused("its data or its report are not those that its certificate was written with".to_owned()));
    }
    if folder.join(SIGNATURE).exists() {
        return Err(refused(format!("{SIGNATURE} is in it, which throng did not write")));
    }
    let is_of_this = certificate.throng == env!("CARGO_PKG_VERSION");
    let is_page = |altered: &String| altered.starts_with("report.html");
    if let Some(altered) = altered(folder, &certificate)?.iter().find(|altered| is_of_this || !is_page(altered)) {
        return Err(refused(format!("it was changed: {altered}")));
    }
    Ok(())
}

/// Whether a data file is called as throng calls it: `data.`, of a kind that has several files a word for what is in it, and what a
/// format is called; or `expansion-` with a number.
fn is_data_of_ours(name: &str) -> bool {
    let is_format = |text: &str| io::Format::parse(text).is_ok();
    let is_word = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_data = |rest: &str| {
        is_format(rest) || rest.split_once('.').is_some_and(|(word, format)| is_word(word) && is_format(format))
    };
    let is_number = |text: &str| text.parse::<u32>().is_ok_and(|number| number.to_string() == text);
    let is_expansion = |rest: &str| rest.strip_suffix(".txt").is_some_and(is_number);
    name.strip_prefix("data.").is_some_and(is_data) || name.strip_prefix("expansion-").is_some_and(is_expansion)
}

/// What the files beside the data hold that throng did not write into them, or of which that cannot be told, in words.
pub fn altered(folder: &Path, certificate: &Certificate) -> Result<Vec<String>> {
    let read = |name: &str| -> Result<Option<Vec<u8>>> {
        let path = folder.join(name);
        match path.is_file() {
            true => limits::read_file(&path, "", limits::MOST_REPORT_BYTES).map(Some),
            false => Ok(None),
        }
    };
    let mut altered = Vec::new();
    // A newer throng may write more than this one knows.
    let is_newer = certificate.is_of_a_newer_throng();
    if !is_newer && read("certificate.json")? != Some(certificate.text()?) {
        altered.push("certificate.json, which has more in it than this throng writes into one".to_owned());
    }
    let report = read("report.json")?;
    let hash = report.as_deref().map(io::hash_bytes);
    if hash.is_some() && hash != certificate.report_sha256 {
        altered.push("report.json, which is not the one that the certificate was written with".to_owned());
    }
    let known: Option<Value> = report.and_then(|text| serde_json::from_slice(&text).ok());
    if !is_newer && known.as_ref().is_some_and(|known| report::has_more(known, certificate)) {
        altered.push("report.json, which has more in it than this throng writes into one".to_owned());
    }
    if !is_newer && known.as_ref().is_some_and(|known| known["certificate"] != in_report(certificate)) {
        altered.push("certificate.json, which does not say what report.json says of it".to_owned());
    }
    if let Some(page) = read("report.html")?.filter(|_| !is_newer) {
        let drawn = known.and_then(|known| report::html(&known, false).ok());
        if drawn.is_none_or(|drawn| drawn.as_bytes() != page) {
            altered
                .push("report.html, which is not the page of report.json (`throng report` draws it again)".to_owned());
        }
    }
    if let Some(problem) = read(signature::FILE)?.and_then(|bytes| signature::check_form(&bytes).err()) {
        altered.push(problem.says());
    }
    if read(SIGNATURE)?.is_some_and(|bytes| !is_signature(&bytes)) {
        altered.push(format!("{SIGNATURE}, which does not look like a signature"));
    }
    Ok(altered)
}

/// What a report says of its certificate, which has no hash of the report then, and fewer numbers than the certificate itself.
pub(crate) fn in_report(certificate: &Certificate) -> Value {
    let certificate = Certificate { report_sha256: None, ..certificate.clone() };
    let k = crate::run::k_of(&certificate.method.parameters) as u64;
    report::published(json!({"certificate": certificate}), k)["certificate"].take()
}

/// Whether this could be a signature: a few bytes, or lines of hexadecimal or base64 between the lines that signing programs
/// put around them.
fn is_signature(bytes: &[u8]) -> bool {
    let is_around = |line: &str| {
        ["-----BEGIN ", "-----END ", "untrusted comment: ", "trusted comment: "]
            .iter()
            .any(|begin| line.starts_with(begin))
            && line.len() <= 200
    };
    let is_code = |line: &str| line.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
    let is_text =
        || std::str::from_utf8(bytes).is_ok_and(|text| text.lines().all(|line| is_code(line) || is_around(line)));
    bytes.len() <= 96 || (bytes.len() <= MOST_SIGNATURE_BYTES && is_text())
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
