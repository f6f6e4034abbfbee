//! A party's side of a protocol: what it sends and receives, in order.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use throng_core::{Error, Result, Rng};

use super::message::{self, Body, Header, Message, hex, sha256};

/// Why a protocol does not go on.
#[derive(Debug)]
pub(crate) enum Halt {
    /// A message is not there yet: of whom, and which step.
    Waiting { from: String, step: u64 },
    /// Something is wrong.
    Failed(Error),
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// A message as it came.
pub(crate) struct Given {
    pub(crate) text: Vec<u8>,
    pub(crate) place: String,
}

/// Brings messages from one party to the other.
pub(crate) trait Carrier {
    /// Takes a message for somebody.
    fn put(&mut self, to: &str, step: u64, text: Vec<u8>) -> Result<()>;
    /// The next message of somebody, which should be of this step; `None` if it is not there and nobody waits for it.
    fn get(&mut self, from: &str, step: u64) -> Result<Option<Given>>;
}

/// What was sent or received.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "lowercase")]
pub(crate) enum Entry {
    /// A message of this party.
    Sent { to: String, step: u64, sha256: String },
    /// A message of another one: its whole text, or its first line where nothing else is needed again.
    Received { from: String, step: u64, sha256: String, text: String },
}

/// The fixed facts of a talk.
#[derive(Debug, Clone)]
pub(crate) struct About {
    pub(crate) protocol: &'static str,
    pub(crate) suite: &'static str,
    pub(crate) role: String,
    /// Whether messages say for whom they are: where there are more than two parties.
    pub(crate) addressed: bool,
    /// What all parties must have said alike; `None` where messages do not carry it.
    pub(crate) parameters: Option<Value>,
}

/// A party's side of a protocol.
pub(crate) struct Talk<'a> {
    about: About,
    session: Option<String>,
    log: Vec<Entry>,
    /// How much of the log this run has gone through.
    at: usize,
    /// Whether texts of received messages are kept in the log.
    keeps: bool,
    rng: Rng,
    carrier: &'a mut dyn Carrier,
}

impl<'a> Talk<'a> {
    /// A talk that goes on where the log ends, with the randomness that it began with.
    pub(crate) fn new(
        about: About,
        session: Option<String>,
        log: Vec<Entry>,
        rng: Rng,
        keeps: bool,
        carrier: &'a mut dyn Carrier,
    ) -> Self {
        Self { about, session, log, at: 0, keeps, rng, carrier }
    }

    /// The randomness of this party.
    pub(crate) fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    /// Draws the session: whoever sends the first message begins with this.
    pub(crate) fn begin(&mut self) {
        let mut bytes = [0; 16];
        self.rng.fill(&mut bytes);
        self.session = Some(hex(&bytes));
    }

    /// What was sent and received so far.
    pub(crate) fn into_log(self) -> (Option<String>, Vec<Entry>) {
        (self.session, self.log)
    }

    /// Sends a message, which is made only if it was not sent before.
    pub(crate) fn send(
        &mut self,
        to: &str,
        step: u64,
        answers: bool,
        body: impl FnOnce() -> Result<Body>,
    ) -> Result<()> {
        if let Some(entry) = self.log.get(self.at) {
            self.at += 1;
            return match entry {
                Entry::Sent { to: other, step: sent, .. } if other == to && *sent == step => Ok(()),
                _ => Err(out_of_order()),
            };
        }
        let answered = |entry: &Entry| match entry {
            Entry::Received { from, sha256, .. } if from == to => Some(sha256.clone()),
            _ => None,
        };
        let header = Header {
            throng: "message".to_owned(),
            version: 1,
            protocol: self.about.protocol.to_owned(),
            suite: self.about.suite.to_owned(),
            step,
            from: self.about.role.clone(),
            to: self.about.addressed.then(|| to.to_owned()),
            session: self.session.clone().ok_or_else(|| Error::internal("a message without a session"))?,
            reply_to: answers.then(|| self.log.iter().rev().find_map(answered)).flatten(),
            parameters: self.about.parameters.clone(),
            counts: Default::default(),
            body_sha256: String::new(),
        };
        let text = message::written(header, body()?)?;
        self.log.push(Entry::Sent { to: to.to_owned(), step, sha256: sha256(&text) });
        self.at += 1;
        self.carrier.put(to, step, text)
    }

    /// The message of somebody, if it is there and is what this step reads.
    pub(crate) fn receive(&mut self, from: &str, step: u64, answers: bool) -> std::result::Result<Message, Halt> {
        if let Some(entry) = self.log.get(self.at) {
            self.at += 1;
            return match entry {
                Entry::Received { from: other, step: received, sha256, text } if other == from && *received == step => {
                    if text.contains('\n') {
                        return Ok(Message::parse(text.as_bytes(), "the state")?);
                    }
                    let header = serde_json::from_str(text).map_err(|_| out_of_order())?;
                    Ok(Message::kept(header, sha256.clone()))
                }
                _ => Err(out_of_order().into()),
            };
        }
        let Some(given) = self.carrier.get(from, step)? else {
            return Err(Halt::Waiting { from: from.to_owned(), step });
        };
        let message = Message::parse(&given.text, &given.place)?;
        self.refuse_other(&message, from, step, answers)?;
        self.session.get_or_insert_with(|| message.header.session.clone());
        let text = if self.keeps { String::from_utf8(given.text).unwrap_or_default() } else { String::new() };
        self.log.push(Entry::Received { from: from.to_owned(), step, sha256: message.sha256.clone(), text });
        self.at += 1;
        Ok(message)
    }

    /// From here on nothing but the first lines of what was received is needed.
    pub(crate) fn forget(&mut self) {
        for entry in &mut self.log {
            if let Entry::Received { text, .. } = entry {
                text.truncate(text.find('\n').unwrap_or(text.len()));
            }
        }
    }

    /// Refuses a message that is not the one that this step reads, and says what it is.
    fn refuse_other(&self, message: &Message, from: &str, step: u64, answers: bool) -> Result<()> {
        let header = &message.header;
        let wrong = |what: &str, has: &str, expected: &str| {
            Error::data(format!("the message has the {what} `{has}`, but this step reads `{expected}`"))
                .at_line(1)
                .in_file(&message.place)
                .with_hint("nothing was changed: give the right message to this step")
        };
        let texts = [
            ("protocol", header.protocol.as_str(), self.about.protocol),
            ("suite", &header.suite, self.about.suite),
            ("role", &header.from, from),
        ];
        for (what, has, expected) in texts {
            if has != expected {
                return Err(wrong(what, has, expected));
            }
        }
        if let Some(to) = header.to.as_deref().filter(|to| *to != self.about.role) {
            return Err(wrong("reader", to, &self.about.role));
        }
        if header.step != step {
            return Err(wrong("step", &header.step.to_string(), &step.to_string()));
        }
        if self.session.as_deref().is_some_and(|session| session != header.session) {
            return Err(Error::data("the message is of another session")
                .at_line(1)
                .in_file(&message.place)
                .with_hint("nothing was changed: give the message of this session to this step"));
        }
        if let (Some(own), Some(other)) = (&self.about.parameters, &header.parameters)
            && own != other
        {
            return Err(Error::data("the message was made with other parameters")
                .at_line(1)
                .in_file(&message.place)
                .with_hint(format!("there {other}, here {own}: all parties must say the same")));
        }
        let sent = |entry: &Entry| match entry {
            Entry::Sent { to, sha256, .. } if to == from => Some(sha256.clone()),
            _ => None,
        };
        let expected = if answers { self.log.iter().rev().find_map(sent) } else { None };
        if header.reply_to != expected {
            return Err(Error::data("the message does not answer the one that was sent")
                .at_line(1)
                .in_file(&message.place)
                .with_hint("`reply_to` must be the SHA-256 of the whole message answered, and null in a first one: is it of an earlier run?"));
        }
        Ok(())
    }
}

fn out_of_order() -> Error {
    Error::data("the state does not fit this protocol")
        .with_hint("it was made by another version, or changed: begin again")
}
