//! As much of HTTP/1.1 as one page on one machine needs: one request a connection, everything with a limit.
//!
//! # Idea
//! 1. A head is read whole, at most [`LARGEST_HEAD`] bytes, within [`HEAD_TIME`]; one that is not exactly what the standard says is refused.
//! 2. A body is as long as its head says; whoever reads it learns when less comes. Other codings of bodies are refused.
//! 3. Every answer carries the same headers that keep a browser in its place, and closes the connection.
//! 4. What a refused request still sends is read for a moment and thrown away, so that its answer arrives; then the connection is cut.
//!
//! Does not   speak TLS, keep connections, compress, or know anything newer: the other side is a browser beside it.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// The most bytes of a request line with its headers.
pub(crate) const LARGEST_HEAD: usize = 32 << 10;
/// How long a head may take.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// How long nothing may come of a body, and how long an answer may wait for its reader.
const QUIET: Duration = Duration::from_secs(20);
/// How long, and how much, is read of what nobody wants.
const DRAIN_TIME: Duration = Duration::from_millis(500);
const DRAIN: usize = 64 << 20;

/// What every answer says to the browser. A page that is shown in a frame has its own policy.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     frame-src 'self'; frame-ancestors 'self'; form-action 'none'; base-uri 'none'";

/// A request without its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) method: String,
    /// The path as it was sent, percent signs and all.
    pub(crate) path: String,
    /// What stands behind the question mark.
    pub(crate) query: Option<String>,
    /// Names in small letters.
    headers: Vec<(String, String)>,
    /// How long its body is.
    pub(crate) length: u64,
}

/// Why there is no head.
#[derive(Debug)]
pub(crate) enum NoHead {
    /// Nobody is there who could be answered.
    Gone,
    /// It is answered with this status and sentence.
    Refused(u16, &'static str),
}

impl Head {
    /// All values of a header.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers.iter().filter(move |(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// The head that bytes are, without the empty line at its end.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, NoHead> {
        const WRONG: NoHead = NoHead::Refused(400, "This is no request that a browser would send.");
        let text = str::from_utf8(bytes).map_err(|_| WRONG)?;
        if text.contains('\0') {
            return Err(WRONG);
        }
        let mut lines = text.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let (Some(method), Some(target), Some("HTTP/1.1" | "HTTP/1.0"), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(WRONG);
        };
        if method.is_empty() || !method.bytes().all(|letter| letter.is_ascii_uppercase()) || !target.starts_with('/') {
            return Err(WRONG);
        }
        let mut headers = Vec::new();
        for line in lines {
            let (name, value) = line.split_once(':').ok_or(WRONG)?;
            let is_name = |letter: u8| letter.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&letter);
            if name.is_empty() || !name.bytes().all(is_name) || value.contains(['\r', '\n']) {
                return Err(WRONG);
            }
            headers.push((name.to_ascii_lowercase(), value.trim_matches([' ', '\t']).to_owned()));
        }
        let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
        let mut head = Self {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.map(str::to_owned),
            headers,
            length: 0,
        };
        head.length = {
            if head.all("transfer-encoding").next().is_some() {
                return Err(NoHead::Refused(411, "A body must say how long it is."));
            }
            let mut lengths = head.all("content-length");
            match (lengths.next(), lengths.next()) {
                (None, _) => 0,
                (Some(text), None) if !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit()) => {
                    text.parse().map_err(|_| NoHead::Refused(413, "The body is too long."))?
                }
                _ => return Err(WRONG),
            }
        };
        Ok(head)
    }
}

/// A connection whose head was read.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    /// What came behind the head.
    ahead: Vec<u8>,
    /// What of the body is still to come.
    remaining: u64,
    must_say_continue: bool,
}

/// Reads a head from a new connection. It is there too where there is no head: somebody may be answered.
pub(crate) fn open(mut stream: TcpStream) -> (Connection, Result<Head, NoHead>) {
    let read = read_head(&mut stream);
    let _ = stream.set_write_timeout(Some(QUIET));
    let _ = stream.set_nodelay(true);
    let mut connection = Connection { stream, ahead: Vec::new(), remaining: 0, must_say_continue: false };
    let head = read.and_then(|(bytes, ahead)| {
        connection.ahead = ahead;
        Head::parse(&bytes)
    });
    if let Ok(head) = &head {
        connection.remaining = head.length;
        connection.must_say_continue = head.all("expect").any(|what| what.eq_ignore_ascii_case("100-continue"));
        connection.ahead.truncate(usize::try_from(head.length).unwrap_or(usize::MAX));
    }
    (connection, head)
}

/// The bytes of a head, and what came behind it.
fn read_head(stream: &mut TcpStream) -> Result<(Vec<u8>, Vec<u8>), NoHead> {
    const END: &[u8] = b"\r\n\r\n";
    let start = Instant::now();
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let left = HEAD_TIME.saturating_sub(start.elapsed());
        let late = || match bytes.is_empty() {
            // A browser opens connections that it may need: nobody waits for an answer.
            true => NoHead::Gone,
            false => NoHead::Refused(408, "The request did not come in time."),
        };
        if left.is_zero() {
            return Err(late());
        }
        stream.set_read_timeout(Some(left)).map_err(|_| NoHead::Gone)?;
        let read = match stream.read(&mut buffer) {
            Ok(0) => return Err(NoHead::Gone),
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) if is_late(&error) => return Err(late()),
            Err(_) => return Err(NoHead::Gone),
        };
        // The end may lie across what was read before.
        let from = bytes.len().saturating_sub(END.len() - 1);
        bytes.extend_from_slice(&buffer[..read]);
        if let Some(at) = bytes[from..].windows(END.len()).position(|part| part == END) {
            let ahead = bytes.split_off(from + at + END.len());
            bytes.truncate(from + at);
            return if bytes.len() <= LARGEST_HEAD { Ok((bytes, ahead)) } else { Err(TOO_LARGE) };
        }
        if bytes.len() > LARGEST_HEAD {
            return Err(TOO_LARGE);
        }
    }
}

const TOO_LARGE: NoHead = NoHead::Refused(431, "The headers of the request are too large.");

fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// The body. It ends where its head said; one that is cut off is an error.
impl Read for Connection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.remaining).unwrap_or(usize::MAX).min(buffer.len());
        if most == 0 {
            return Ok(0);
        }
        if std::mem::take(&mut self.must_say_continue) {
            self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        let read = if self.ahead.is_empty() {
            self.stream.set_read_timeout(Some(QUIET))?;
            self.stream.read(&mut buffer[..most])?
        } else {
            let read = most.min(self.ahead.len());
            buffer[..read].copy_from_slice(&self.ahead[..read]);
            self.ahead.drain(..read);
            read
        };
        if read == 0 {
            return Err(io::Error::new(ErrorKind::UnexpectedEof, "the body was cut off"));
        }
        self.remaining -= read as u64;
        Ok(read)
    }
}

/// What a body is written by, whose length is known before.
pub(crate) type Writing = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()> + Send>;

/// What is answered.
pub(crate) struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    policy: Option<String>,
    body: Body,
}

enum Body {
    Bytes(Vec<u8>),
    /// So many bytes, written as they are made.
    Written(u64, Writing),
    /// Until the connection is closed.
    Endless(Writing),
}

impl Answer {
    /// Bytes of a type.
    pub(crate) fn new(status: u16, kind: &'static str, bytes: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("Content-Type", kind.to_owned())];
        Self { status, headers, policy: None, body: Body::Bytes(bytes.into()) }
    }

    /// One sentence.
    pub(crate) fn sentence(status: u16, sentence: &str) -> Self {
        Self::new(status, "text/plain; charset=utf-8", format!("{sentence}\n"))
    }

    /// JSON.
    pub(crate) fn json(status: u16, value: &serde_json::Value) -> Self {
        Self::new(status, "application/json", value.to_string())
    }

    /// A body that is written as it is made.
    pub(crate) fn written(kind: &'static str, length: u64, writing: Writing) -> Self {
        Self { body: Body::Written(length, writing), ..Self::new(200, kind, "") }
    }

    /// A body that ends when its writer does.
    pub(crate) fn endless(kind: &'static str, writing: Writing) -> Self {
        Self { body: Body::Endless(writing), ..Self::new(200, kind, "") }
    }

    /// With a header more. Its value must be of our own making.
    pub(crate) fn with(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }

    /// With a policy of its own.
    pub(crate) fn with_policy(mut self, policy: String) -> Self {
        self.policy = Some(policy);
        self
    }

    fn head(&self) -> String {
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        let length = match &self.body {
            Body::Bytes(bytes) => Some(bytes.len() as u64),
            Body::Written(length, _) => Some(*length),
            Body::Endless(_) => None,
        };
        let mut line = |name: &str, value: &str| {
            debug_assert!(!value.contains(['\r', '\n', '\0']), "a header of our own making");
            head.extend([name, ": ", value, "\r\n"]);
        };
        for (name, value) in &self.headers {
            line(name, value);
        }
        if let Some(length) = length {
            line("Content-Length", &length.to_string());
        }
        line("Content-Security-Policy", self.policy.as_deref().unwrap_or(POLICY));
        line("X-Content-Type-Options", "nosniff");
        line("Referrer-Policy", "no-referrer");
        line("Cache-Control", "no-store");
        line("Connection", "close");
        head.push_str("\r\n");
        head
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        303 => "See Other",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        507 => "Insufficient Storage",
        _ => "Internal Server Error",
    }
}

impl Connection {
    /// Answers, and ends the connection. Whoever does not want the answer any more is not told why it did not come.
    pub(crate) fn answer(mut self, answer: Answer) {
        let _ = self.send(answer);
        self.finish();
    }

    fn send(&mut self, answer: Answer) -> io::Result<()> {
        let mut bytes = answer.head().into_bytes();
        match answer.body {
            Body::Bytes(body) => {
                bytes.extend(body);
                self.stream.write_all(&bytes)
            }
            Body::Written(_, writing) | Body::Endless(writing) => {
                self.stream.write_all(&bytes)?;
                let mut buffered = io::BufWriter::with_capacity(256 << 10, &self.stream);
                writing(&mut buffered)?;
                buffered.flush()
            }
        }
    }

    /// Reads for a moment what is still sent: closing before would take the answer away from whoever sends.
    fn finish(mut self) {
        let _ = self.stream.shutdown(Shutdown::Write);
        if self.remaining == 0 && self.ahead.is_empty() {
            return;
        }
        let (start, mut buffer, mut read) = (Instant::now(), vec![0; 64 << 10], 0);
        while read < DRAIN && start.elapsed() < DRAIN_TIME {
            let left = DRAIN_TIME.saturating_sub(start.elapsed()).max(Duration::from_millis(1));
            if self.stream.set_read_timeout(Some(left)).is_err() {
                return;
            }
            match self.stream.read(&mut buffer) {
                Ok(0) | Err(_) => return,
                Ok(more) => read += more,
            }
        }
    }

    /// Everything of a small body.
    pub(crate) fn small_body(&mut self, most: usize) -> io::Result<Option<Vec<u8>>> {
        if self.remaining > most as u64 {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        let start = Instant::now();
        let mut buffer = [0; 4096];
        loop {
            match self.read(&mut buffer)? {
                0 => return Ok(Some(bytes)),
                read => bytes.extend_from_slice(&buffer[..read]),
            }
            if start.elapsed() > QUIET {
                return Err(ErrorKind::TimedOut.into());
            }
        }
    }
}

/// A text without its percent signs; `None` where it is no text or hides a NUL.
pub(crate) fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
                let (high, low) = (digit()?, digit()?);
                (high * 16 + low) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<Head> {
        Head::parse(text.as_bytes()).ok()
    }

    #[test]
    fn heads() {
        let head =
            parsed("PUT /api/files/a%20b?x=1 HTTP/1.1\r\nHost: h\r\nX-A:  b \r\nx-a: c\r\nContent-Length: 12").unwrap();
        assert_eq!(
            (head.method.as_str(), head.path.as_str(), head.query.as_deref()),
            ("PUT", "/api/files/a%20b", Some("x=1"))
        );
        assert_eq!(head.length, 12);
        assert_eq!(head.all("x-a").collect::<Vec<_>>(), ["b", "c"]);
        for wrong in [
            "",
            "GET /",
            "GET  / HTTP/1.1",
            "get / HTTP/1.1",
            "GET http://a/ HTTP/1.1",
            "GET / HTTP/2.0",
            "GET / HTTP/1.1\r\nno colon",
            "GET / HTTP/1.1\r\n folded: line",
            "GET / HTTP/1.1\r\nA: b\nC: d",
            "GET / HTTP/1.1\r\nA : b",
            "GET /\0 HTTP/1.1",
            "PUT / HTTP/1.1\r\nContent-Length: -1",
            "PUT / HTTP/1.1\r\nContent-Length: +1",
            "PUT / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1",
            "PUT / HTTP/1.1\r\nContent-Length: 99999999999999999999999",
            "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked",
        ] {
            assert_eq!(parsed(wrong), None, "{wrong:?}");
        }
        assert!(Head::parse(b"GET /\xff HTTP/1.1").is_err());
    }

    #[test]
    fn percent_signs() {
        assert_eq!(decoded("a%2e%2E%2fb%C3%A9").as_deref(), Some("a../b\u{e9}"));
        for wrong in ["%", "%2", "%zz", "%00", "%ff", "%+1"] {
            assert_eq!(decoded(wrong), None, "{wrong}");
        }
    }

    /// Every answer keeps the browser in its place.
    #[test]
    fn every_answer_has_the_headers() {
        let head = Answer::sentence(403, "No.").head();
        for line in [
            "HTTP/1.1 403 Forbidden\r\n",
            "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
             frame-src 'self'; frame-ancestors 'self'; form-action 'none'; base-uri 'none'\r\n",
            "X-Content-Type-Options: nosniff\r\n",
            "Referrer-Policy: no-referrer\r\n",
            "Cache-Control: no-store\r\n",
            "Content-Length: 4\r\n",
        ] {
            assert!(head.contains(line), "{line} is not in {head}");
        }
        assert!(!head.to_ascii_lowercase().contains("access-control"));
    }
}
