//! Messages through a folder that all parties share: for protocols of many rounds.
//!
//! A message is a file `PROTOCOL-FROM-TO-NUMBER.message`, numbers from 00001 for each pair of parties; it gets its name when it is whole, and whoever reads it
//! removes it. A party that waits looks again after a twentieth of a second, and gives up after a time.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;
use throng_core::progress::Progress;
use throng_core::{Error, Result, Rng};

use super::Transport;
use super::files::{Finished, Steps, made_file};
use super::talk::{About, Carrier, Given, Halt, Talk};
use crate::pending;
use crate::run::refuse_existing;

/// How long to wait before looking again.
const PAUSE: Duration = Duration::from_millis(50);

struct Folder<'a> {
    folder: &'a Path,
    protocol: &'static str,
    role: String,
    timeout: Duration,
    /// How many messages went to and came from each other party.
    counts: Vec<(String, [u32; 2])>,
    sent: Vec<serde_json::Value>,
    progress: &'a dyn Progress,
}

impl Folder<'_> {
    fn next(&mut self, other: &str, direction: usize) -> u32 {
        let at = self.counts.iter().position(|(name, _)| name == other).unwrap_or_else(|| {
            self.counts.push((other.to_owned(), [0; 2]));
            self.counts.len() - 1
        });
        self.counts[at].1[direction] += 1;
        self.counts[at].1[direction]
    }

    fn place(&self, from: &str, to: &str, number: u32) -> PathBuf {
        self.folder.join(format!("{}-{from}-{to}-{number:05}.message", self.protocol))
    }
}

impl Carrier for Folder<'_> {
    fn put(&mut self, to: &str, step: u64, text: Vec<u8>) -> Result<()> {
        let number = self.next(to, 0);
        let place = self.place(&self.role, to, number);
        if place.symlink_metadata().is_ok() {
            return Err(Error::refused("a message of an earlier session is in the folder")
                .in_file(place.display().to_string())
                .with_hint("remove what is left of earlier sessions, or share an empty folder"));
        }
        pending::publish(vec![(made_file(&place, &text, false)?, place.clone())])?;
        self.sent.push(json!({"to": to, "step": step}));
        Ok(())
    }

    fn get(&mut self, from: &str, _step: u64) -> Result<Option<Given>> {
        let number = self.next(from, 1);
        let place = self.place(from, &self.role, number);
        let began = Instant::now();
        while place.symlink_metadata().is_err() {
            self.progress.go_on()?;
            if began.elapsed() >= self.timeout {
                return Err(Error::refused(format!("no message of {from} came in {} seconds", self.timeout.as_secs()))
                    .in_file(place.display().to_string())
                    .with_hint("do all parties share this folder, and say the same? `--wait SECONDS` waits longer; begin again on all sides"));
            }
            std::thread::sleep(PAUSE);
        }
        let text = std::fs::read(&place).map_err(|cause| Error::io(format!("read {}", place.display()), cause))?;
        std::fs::remove_file(&place).map_err(|cause| Error::io(format!("remove {}", place.display()), cause))?;
        Ok(Some(Given { text, place: place.display().to_string() }))
    }
}

/// Runs a protocol to its end through a shared folder.
pub(crate) fn by_folder(
    folder: &Path,
    transport: &Transport,
    out: Option<&Path>,
    about: About,
    progress: &dyn Progress,
    protocol: impl FnOnce(&mut Talk<'_>) -> std::result::Result<Finished, Halt>,
) -> Result<Steps> {
    if !transport.receive.is_empty() || !transport.send.is_empty() || transport.state.is_some() {
        return Err(Error::refused("`--exchange` takes the place of `--receive`, `--send` and `--state`"));
    }
    if !folder.is_dir() {
        return Err(Error::refused("the folder to share is not there")
            .in_file(folder.display().to_string())
            .with_hint("make it where all parties can read and write"));
    }
    let mut carrier = Folder {
        folder,
        protocol: about.protocol,
        role: about.role.clone(),
        timeout: Duration::from_secs(transport.timeout),
        counts: Vec::new(),
        sent: Vec::new(),
        progress,
    };
    let (session, finished) = to_the_end(about.clone(), out, &mut carrier, protocol)?;
    let sent = std::mem::take(&mut carrier.sent);
    steps_of(about, session, sent, finished, out)
}

/// Runs a protocol whose messages come by themselves.
pub(super) fn to_the_end(
    about: About,
    out: Option<&Path>,
    carrier: &mut dyn Carrier,
    protocol: impl FnOnce(&mut Talk<'_>) -> std::result::Result<Finished, Halt>,
) -> Result<(Option<String>, Finished)> {
    if let Some(place) = out {
        pending::refuse_stdout(place)?;
        refuse_existing(place)?;
    }
    let mut talk = Talk::new(about, None, Vec::new(), Rng::secure()?, false, carrier);
    let ended = protocol(&mut talk);
    let (session, _) = talk.into_log();
    match ended {
        Ok(finished) if finished.needs_out && out.is_none() => {
            Err(Error::refused("the result has no place").with_hint("`--out FILE` names one; begin again on all sides"))
        }
        Ok(finished) => Ok((session, finished)),
        Err(Halt::Failed(error)) => Err(error),
        Err(Halt::Waiting { .. }) => Err(Error::internal("a protocol waits for nothing")),
    }
}

/// Writes what was found, and says it.
pub(super) fn steps_of(
    about: About,
    session: Option<String>,
    sent: Vec<serde_json::Value>,
    finished: Finished,
    out: Option<&Path>,
) -> Result<Steps> {
    let mut notes = Vec::new();
    let mut made = None;
    match (out, &finished.out) {
        (Some(place), Some(text)) => {
            pending::publish(vec![(made_file(place, text, false)?, place.to_owned())])?;
            made = Some(place.display().to_string());
        }
        (Some(_), None) => notes.push("there is nothing for `--out`: this party learns nothing".to_owned()),
        _ => {}
    }
    Ok(Steps {
        protocol: about.protocol,
        role: about.role,
        session,
        sent,
        waiting_for: None,
        done: true,
        found: finished.found,
        out: made,
        notes,
    })
}
