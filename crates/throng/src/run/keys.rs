//! `throng keys` and `throng certificate`: keys that sign, and a certificate as others want it.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::value::RawValue;
use throng_core::{Error, Result, Rng};

use super::certified::Certified;
use super::recorded::password;
use crate::certificate::Certificate;
use crate::kinds::Ask;
use crate::limits;
use crate::pending::{self, Pending};
use crate::signature::SecretKey;

/// The type of our predicate: what a certificate is to whoever reads statements of many makers.
pub const PREDICATE_TYPE: &str = "urn:throng:certificate:1";

/// A new pair of keys.
#[derive(Debug, Serialize)]
pub struct NewKeys {
    /// The secret key.
    pub secret: PathBuf,
    /// The public key.
    pub public: PathBuf,
    /// Its id.
    pub id: String,
    /// Whether the secret key is behind a password.
    pub has_password: bool,
}

/// Makes `NAME.key` and `NAME.pub`, both or neither.
pub fn new_keys(name: &Path, password_file: Option<&Path>) -> Result<NewKeys> {
    let with = |ending: &str| {
        let mut path = name.as_os_str().to_owned();
        path.push(ending);
        PathBuf::from(path)
    };
    let (secret, public) = (with(".key"), with(".pub"));
    if name.file_name().is_none() {
        return Err(Error::parameter("out", "must be a name, to which `.key` and `.pub` are added"));
    }
    pending::refuse_in_release(&secret, "secret key")?;
    for path in [&secret, &public] {
        if path.symlink_metadata().is_ok() {
            return Err(Error::refused(format!("{} exists already", path.display()))
                .with_hint("choose another name; throng never overwrites a key"));
        }
    }
    let password = password_file.map(password).transpose()?;
    let mut rng = Rng::secure()?;
    let key = SecretKey::new(&mut rng);
    let texts = [(&secret, key.text(password.as_deref(), &mut rng)?, true), (&public, key.public().text(), false)];
    let mut finished = Vec::new();
    for (place, text, is_private) in texts {
        let failed = |cause| {
            Error::io(format!("write {}", place.display()), cause).with_hint("the folder must exist and be writable")
        };
        let (mut file, unfinished) = Pending::file(place, is_private).map_err(failed)?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
        finished.push((unfinished, place.clone()));
    }
    pending::publish(finished)?;
    Ok(NewKeys { secret, public, id: key.public().id().to_string(), has_password: password.is_some() })
}

/// An in-toto Statement v1.
#[derive(Debug, Serialize)]
pub struct Statement {
    #[serde(rename = "_type")]
    kind: &'static str,
    subject: Vec<Subject>,
    #[serde(rename = "predicateType")]
    predicate_type: &'static str,
    predicate: Box<RawValue>,
}

#[derive(Debug, Serialize)]
struct Subject {
    name: String,
    digest: Digest,
}

#[derive(Debug, Serialize)]
struct Digest {
    sha256: String,
}

/// The certificate of a release, to the letter. Other data than those it was written for are an error.
pub fn certificate(folder: &Path) -> Result<Box<RawValue>> {
    read(folder).map(|(_, text)| text)
}

/// The same as a statement about the data file.
pub fn statement(folder: &Path) -> Result<Statement> {
    let (certificate, predicate) = read(folder)?;
    let subject = |(name, sha256): (String, String)| Subject { name, digest: Digest { sha256 } };
    let output = certificate.output;
    let also = output.also.into_iter().map(|also| (also.file, also.sha256));
    let subject = std::iter::once((output.file, output.sha256)).chain(also).map(subject).collect();
    let kind = "https://in-toto.io/Statement/v1";
    Ok(Statement { kind, subject, predicate_type: PREDICATE_TYPE, predicate })
}

fn read(folder: &Path) -> Result<(Certificate, Box<RawValue>)> {
    let Certified { certificate: Some(certificate), location: data, .. } =
        Certified::open_release(folder, &Ask::default())?
    else {
        return Err(Error::internal("a release without a certificate was opened"));
    };
    if !certificate.output.is_of(&data)? {
        return Err(Error::refused("the data are not those that the certificate was written for")
            .in_file(data.to_string())
            .with_hint("nobody should vouch for them: `throng check` says what is wrong"));
    }
    let place = Certificate::place(folder);
    let damaged = || Error::data("the certificate is damaged").in_file(place.display().to_string());
    let text = limits::read_file(&place, "", limits::MOST_REPORT_BYTES)?;
    let text = String::from_utf8(text).map_err(|_| damaged())?;
    let text = RawValue::from_string(text.trim_end().to_owned()).map_err(|_| damaged())?;
    Ok((certificate, text))
}
