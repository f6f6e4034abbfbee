//! Messages as files that people carry: a step reads some and writes the next.
//!
//! The state is the party's secret: where its randomness began, and what was sent and received. It holds no value of the party's own file. Mode 600,
//! written anew by each step, and removed by the last. A step that fails changes nothing.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use throng_core::{Error, Result, Rng};

use super::Transport;
use super::message::{Message, hex};
use super::talk::{About, Carrier, Entry, Given, Halt, Talk};
use crate::pending::{self, Pending};
use crate::run::refuse_existing;

/// How a protocol ended.
#[derive(Debug, Default)]
pub(crate) struct Finished {
    /// What is written into `--out`, where the protocol gives a file.
    pub(crate) out: Option<Vec<u8>>,
    /// Whether it must be written: it is said nowhere else.
    pub(crate) needs_out: bool,
    /// What is said of it.
    pub(crate) found: Map<String, Value>,
}

/// What a step did, or all steps.
#[derive(Debug, Serialize)]
pub struct Steps {
    /// The protocol.
    pub protocol: &'static str,
    /// Who this party is.
    pub role: String,
    /// The session.
    pub session: Option<String>,
    /// Messages that were written.
    pub sent: Vec<Value>,
    /// The message that the next step reads, or nothing if this party is done.
    pub waiting_for: Option<Value>,
    /// Whether this party is done.
    pub done: bool,
    /// What was found.
    #[serde(flatten)]
    pub found: Map<String, Value>,
    /// The file that was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// A state as it is written.
#[derive(Debug, Serialize, Deserialize)]
struct State {
    throng: String,
    version: u64,
    protocol: String,
    role: String,
    /// What this party said when it began.
    parameters: Value,
    /// Of its inputs, under the randomness.
    inputs: String,
    session: Option<String>,
    rng: String,
    log: Vec<Entry>,
}

/// Messages in files that were given, and those that are to be written.
struct Files {
    given: Vec<Option<(String, u64, Given)>>,
    made: Vec<(String, u64, Vec<u8>)>,
}

impl Carrier for Files {
    fn put(&mut self, to: &str, step: u64, text: Vec<u8>) -> Result<()> {
        self.made.push((to.to_owned(), step, text));
        Ok(())
    }

    fn get(&mut self, from: &str, step: u64) -> Result<Option<Given>> {
        // The one of that step, whatever the order in which they were given; else any other, to be refused for what it is.
        let is_of = |given: &Option<(String, u64, Given)>, steps: Option<u64>| {
            given.as_ref().is_some_and(|(sender, own, _)| sender == from && steps.is_none_or(|step| step == *own))
        };
        let place = self.given.iter().position(|given| is_of(given, Some(step)));
        let place = place.or_else(|| self.given.iter().position(|given| is_of(given, None)));
        Ok(place.and_then(|place| self.given[place].take()).map(|(_, _, given)| given))
    }
}

/// Runs one step of a protocol. `parameters` is all that this party said; `inputs` stands for the values of its file.
pub(crate) fn by_files(
    transport: &Transport,
    out: Option<&Path>,
    about: About,
    parameters: &Value,
    inputs: &[u8],
    protocol: impl FnOnce(&mut Talk<'_>) -> std::result::Result<Finished, Halt>,
) -> Result<Steps> {
    for place in transport.send.iter().map(PathBuf::as_path).chain(out) {
        pending::refuse_stdout(place)?;
        refuse_existing(place)?;
    }
    let state = transport.state.as_deref();
    let earlier = match state.filter(|place| place.symlink_metadata().is_ok()) {
        Some(place) => Some(State::read(place, &about, parameters, inputs)?),
        None => None,
    };
    let mut files = Files { given: given(&transport.receive)?, made: Vec::new() };
    let (session, log, rng) = match earlier {
        Some(earlier) => (earlier.session.clone(), earlier.log.clone(), earlier.rng()?),
        None => (None, Vec::new(), Rng::secure()?),
    };
    let (began, before) = (rng.state(), log.len());
    let mut talk = Talk::new(about.clone(), session, log, rng, true, &mut files);
    let ended = protocol(&mut talk);
    let (session, log) = talk.into_log();
    let (finished, waiting) = match ended {
        Ok(finished) => (Some(finished), None),
        Err(Halt::Waiting { from, step }) => (None, Some((from, step))),
        Err(Halt::Failed(error)) => return Err(error),
    };
    files.refuse_left_over(&about, waiting.as_ref(), state)?;
    if let Some((from, step)) = &waiting
        && log.len() == before
    {
        return Err(Error::refused(format!("this step reads a message of {from}, step {step}"))
            .with_hint("`--receive FILE` names it"));
    }
    let mut notes = Vec::new();
    if files.made.len() > transport.send.len() {
        let whom: Vec<String> = files.made.iter().map(|(to, step, _)| format!("{to} (step {step})")).collect();
        return Err(Error::refused(format!("this step sends {}", whom.join(", ")))
            .with_hint("`--send FILE` says where each is written, in this order"));
    }
    if files.made.len() < transport.send.len() {
        notes.push(format!("this step sends {} of the messages that `--send` names", files.made.len()));
    }
    let mut written = Vec::new();
    let mut sent = Vec::new();
    for ((to, step, text), place) in files.made.iter().zip(&transport.send) {
        written.push((made_file(place, text, false)?, place.clone()));
        sent.push(json!({"to": to, "step": step, "file": place.display().to_string()}));
    }
    let mut found = Map::new();
    let mut made = None;
    match (&finished, &waiting) {
        (Some(finished), _) => {
            found.clone_from(&finished.found);
            match (out, &finished.out) {
                (Some(place), Some(text)) => {
                    written.push((made_file(place, text, false)?, place.to_owned()));
                    made = Some(place.display().to_string());
                }
                (None, Some(_)) if finished.needs_out => {
                    return Err(Error::refused("this is the last step, and its result has no place")
                        .with_hint("`--out FILE` names one"));
                }
                (Some(_), None) => notes.push("there is nothing for `--out`: this party learns nothing".to_owned()),
                _ => {}
            }
            let over = state.filter(|place| place.symlink_metadata().is_ok());
            pending::publish_sealed(written, None, || match over {
                Some(place) => {
                    std::fs::remove_file(place).map_err(|cause| Error::io(format!("remove {}", place.display()), cause))
                }
                None => Ok(()),
            })?;
        }
        (None, _) => {
            if out.is_some() {
                notes.push("`--out` is written by a later step".to_owned());
            }
            let place = state.ok_or_else(|| {
                Error::refused("the next step needs what this one drew").with_hint(
                    "`--state FILE` says where it is kept; it is this party's secret, and the last step removes it",
                )
            })?;
            pending::refuse_stdout(place)?;
            let state = State {
                throng: "state".to_owned(),
                version: 1,
                protocol: about.protocol.to_owned(),
                role: about.role.clone(),
                parameters: parameters.clone(),
                inputs: digest(&began, inputs),
                session: session.clone(),
                rng: hex(&began),
                log,
            };
            let mut text = serde_json::to_vec(&state).map_err(|cause| Error::internal(cause.to_string()))?;
            text.push(b'\n');
            written.push((made_file(place, &text, true)?, place.to_owned()));
            pending::publish_over(written, place)?;
        }
    }
    Ok(Steps {
        protocol: about.protocol,
        role: about.role,
        session,
        sent,
        waiting_for: waiting.map(|(from, step)| json!({"from": from, "step": step})),
        done: finished.is_some(),
        found,
        out: made,
        notes,
    })
}

/// A file beside its place.
pub(super) fn made_file(place: &Path, text: &[u8], is_private: bool) -> Result<Pending> {
    let failed = |cause| Error::io(format!("write {}", place.display()), cause);
    let (mut file, unfinished) = Pending::file(place, is_private).map_err(failed)?;
    file.write_all(text).map_err(failed)?;
    Ok(unfinished)
}

/// The messages that were given, by who made them.
fn given(places: &[PathBuf]) -> Result<Vec<Option<(String, u64, Given)>>> {
    let read = |place: &PathBuf| {
        let text = std::fs::read(place).map_err(|cause| Error::io(format!("read {}", place.display()), cause))?;
        let place = place.display().to_string();
        let header = Message::parse(&text, &place)?.header;
        Ok(Some((header.from, header.step, Given { text, place })))
    };
    places.iter().map(read).collect()
}

impl Files {
    /// Refuses messages that nobody asked for.
    fn refuse_left_over(&self, about: &About, waiting: Option<&(String, u64)>, state: Option<&Path>) -> Result<()> {
        let Some((_, _, given)) = self.given.iter().flatten().next() else { return Ok(()) };
        let message = Message::parse(&given.text, &given.place)?;
        let what = match waiting {
            Some((from, step)) => format!("reads step {step} of {from}"),
            None => "reads no further message".to_owned(),
        };
        let header = &message.header;
        let error = Error::data(format!(
            "the message is step {} of `{}` by {}, but {} {what}",
            header.step, header.protocol, header.from, about.role
        ));
        let hint = match state.is_none_or(|place| place.symlink_metadata().is_err()) {
            true => "nothing was changed; if an earlier step of this party was done, `--state` names what it kept",
            false => "nothing was changed: give the right message to this step",
        };
        Err(error.at_line(1).in_file(&given.place).with_hint(hint))
    }
}

impl State {
    fn read(place: &Path, about: &About, parameters: &Value, inputs: &[u8]) -> Result<Self> {
        pending::refuse_readable_by_others(place, "state")?;
        let name = place.display().to_string();
        let text = std::fs::read(place).map_err(|cause| Error::io(format!("read {}", place.display()), cause))?;
        let state: Self = serde_json::from_slice(&text).map_err(|_| {
            Error::data("this is no state of a protocol, or it is damaged")
                .in_file(&name)
                .with_hint("`--state` names the file that the step before made; a new session needs a name of its own")
        })?;
        if state.throng != "state" || state.version != 1 {
            return Err(Error::data("this is no state of a protocol that this version knows").in_file(name));
        }
        if (state.protocol.as_str(), &state.role) != (about.protocol, &about.role) {
            return Err(Error::data(format!("the state is that of {} in `{}`", state.role, state.protocol))
                .in_file(name)
                .with_hint(format!("this is {} in `{}`", about.role, about.protocol)));
        }
        if state.parameters != *parameters {
            return Err(Error::data("the session was begun with other parameters")
                .in_file(name)
                .with_hint(format!("then {}, now {parameters}: say the same in every step", state.parameters)));
        }
        let rng = bytes(&state.rng).filter(|bytes| bytes.len() == Rng::STATE);
        let rng = rng.ok_or_else(|| Error::data("the state is damaged").in_file(&name))?;
        if state.inputs != digest(&rng, inputs) {
            return Err(Error::data("the file of records is not that of the step before")
                .in_file(name)
                .with_hint("every step must be given the same file and columns: begin again with the changed one"));
        }
        Ok(state)
    }

    fn rng(&self) -> Result<Rng> {
        let state: Option<[u8; Rng::STATE]> = bytes(&self.rng).and_then(|bytes| bytes.try_into().ok());
        state.map(|state| Rng::from_state(&state)).ok_or_else(|| Error::data("the state is damaged"))
    }
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let pairs = hex.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// What shows that a file is the same: nobody without the randomness can try values with it.
fn digest(rng: &[u8], inputs: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(rng);
    hash.update(inputs);
    hex(&hash.finalize())
}
