//! A line of an access log as its values, whatever format it has, and what these values mean.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv6Addr};

use throng_core::data::visits::{Part, Visit};

use super::times;

/// What a value of a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Field {
    Address,
    Time,
    /// The day, where it stands apart from the time.
    Date,
    /// Method, address of the page and version, in one.
    Request,
    Method,
    /// The address of the page, maybe with its query string, maybe with a host before it.
    Path,
    Query,
    Version,
    Status,
    Bytes,
    Referrer,
    Agent,
    Host,
    User,
    Session,
    /// Who the visitor is, in a column of its own.
    Person,
}

/// How many sorts of values there are.
pub(crate) const FIELDS: usize = 16;

impl Field {
    /// All of them, in their order.
    pub(crate) const ALL: [Self; FIELDS] = [
        Self::Address,
        Self::Time,
        Self::Date,
        Self::Request,
        Self::Method,
        Self::Path,
        Self::Query,
        Self::Version,
        Self::Status,
        Self::Bytes,
        Self::Referrer,
        Self::Agent,
        Self::Host,
        Self::User,
        Self::Session,
        Self::Person,
    ];

    /// Its name, as in `--column address=…`.
    pub(crate) fn name(self) -> &'static str {
        super::ROLES.cards[self as usize].name
    }
}

/// The values of a line.
#[derive(Debug, Default)]
pub(crate) struct Raw<'l> {
    pub(crate) values: [Option<Cow<'l, str>>; FIELDS],
    /// Whether the line holds something that is none of them.
    pub(crate) has_more: bool,
}

impl<'l> Raw<'l> {
    /// Takes a value, unless there is one already.
    pub(crate) fn put(&mut self, field: Field, value: impl Into<Cow<'l, str>>) {
        self.values[field as usize].get_or_insert_with(|| value.into());
    }

    /// A value, but for `-` and nothing.
    pub(crate) fn get(&self, field: Field) -> Option<&str> {
        self.values[field as usize].as_deref().map(str::trim).filter(|value| !matches!(*value, "" | "-"))
    }
}

/// What is wrong with a line: where, and what should be there. Never what is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The column, in characters, from 1.
    pub(crate) column: usize,
    pub(crate) expected: String,
}

impl Problem {
    /// At a byte of a line.
    pub(crate) fn at(line: &str, byte: usize, expected: impl Into<String>) -> Self {
        let column = line.get(..byte).map_or(byte, |before| before.chars().count()) + 1;
        Self { column, expected: expected.into() }
    }
}

/// What was strange about a line that is one all the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Oddity {
    pub(crate) without_request: bool,
    pub(crate) malformed: bool,
    pub(crate) several_addresses: bool,
    /// There is none, or it is said to be unknown.
    pub(crate) without_address: bool,
    /// It is the name of a host.
    pub(crate) host_name: bool,
}

/// A line, understood.
#[derive(Debug, Default)]
pub(crate) struct Settled<'r> {
    pub(crate) time: i64,
    texts: [Option<Cow<'r, str>>; throng_core::data::visits::PARTS],
    status: Option<u16>,
    bytes: Option<u64>,
    pub(crate) person: Option<&'r str>,
    pub(crate) odd: Oddity,
}

impl Settled<'_> {
    pub(crate) fn text(&self, part: Part) -> Option<&str> {
        self.texts[part as usize].as_deref()
    }

    pub(crate) fn visit(&self) -> Visit<'_> {
        let Self { time, status, bytes, .. } = *self;
        Visit { time, status, bytes, texts: Part::ALL.map(|part| self.text(part)) }
    }
}

/// What the values of a line mean. Times without a zone are local in the one that is given.
pub(crate) fn settle<'r>(raw: &'r Raw<'_>, zone: Option<&super::TimeZone>) -> Result<Settled<'r>, Problem> {
    let wrong = |expected: &str| Problem { column: 0, expected: expected.to_owned() };
    let mut settled = Settled::default();
    let time = raw.get(Field::Time).ok_or_else(|| wrong("a time"))?;
    settled.time = match raw.get(Field::Date) {
        Some(date) => times::parse(&format!("{date} {time}"), zone),
        None => times::parse(time, zone),
    }
    .ok_or_else(|| wrong("a time"))?;
    let mut put = |part: Part, value: Option<Cow<'r, str>>| settled.texts[part as usize] = value;
    if let Some(address) = raw.get(Field::Address) {
        let (first, rest) = address.split_once(',').map_or((address, ""), |(first, rest)| (first, rest));
        settled.odd.several_addresses = !rest.trim().is_empty();
        let first = without_port(first.trim());
        let is_known = !first.is_empty() && first != "-" && !first.eq_ignore_ascii_case("unknown");
        settled.odd.host_name = is_known && first.parse::<IpAddr>().is_err();
        put(Part::Address, is_known.then(|| escaped(first)));
    }
    let simple = [
        (Part::Referrer, Field::Referrer),
        (Part::Agent, Field::Agent),
        (Part::User, Field::User),
        (Part::Session, Field::Session),
    ];
    for (part, field) in simple {
        put(part, raw.get(field).map(escaped));
    }
    put(Part::Host, raw.get(Field::Host).map(|host| escaped(without_port(host))));
    settled.person = raw.get(Field::Person);
    let request = match raw.values[Field::Request as usize].as_deref() {
        Some(request) => {
            let request = Request::of_line(request);
            let (method, version) = (raw.get(Field::Method), raw.get(Field::Version));
            Request { method: request.method.or(method), version: request.version.or(version), ..request }
        }
        None => Request {
            method: raw.get(Field::Method),
            target: raw.get(Field::Path),
            version: raw.get(Field::Version),
            is_malformed: raw.get(Field::Path).is_some_and(is_no_text),
        },
    };
    settled.odd.malformed = request.is_malformed;
    settled.odd.without_address = settled.texts[Part::Address as usize].is_none();
    settled.odd.without_request = request.target.is_none() && !request.is_malformed;
    let mut put = |part: Part, value: Option<Cow<'r, str>>| settled.texts[part as usize] = value;
    put(Part::Method, request.method.filter(|method| *method != "-").map(escaped));
    put(Part::Version, request.version.map(escaped));
    if let Some(target) = request.target.filter(|_| !request.is_malformed) {
        let (host, path, query) = parts_of(target);
        put(Part::Path, Some(path.into()));
        let query = raw.get(Field::Query).map(|query| query.strip_prefix('?').unwrap_or(query)).or(query);
        put(Part::Query, query.filter(|query| !query.is_empty()).map(escaped));
        if raw.get(Field::Host).is_none() {
            put(Part::Host, host.map(escaped));
        }
    }
    settled.status = match raw.get(Field::Status) {
        // HAProxy's for an answer that was never sent.
        Some("-1") => None,
        // Some servers write a sub-status behind a point.
        Some(status) => {
            let whole = status.split('.').next().unwrap_or_default();
            Some(whole.parse().map_err(|_| wrong("a status of three digits"))?)
        }
        None => None,
    };
    settled.bytes = match raw.get(Field::Bytes) {
        Some(bytes) => {
            let whole = bytes.strip_suffix(".0").unwrap_or(bytes);
            Some(whole.parse().map_err(|_| wrong("a number of bytes"))?)
        }
        None => None,
    };
    Ok(settled)
}

/// A text whose control characters are percent-escapes, so that every form can hold it.
fn escaped(text: &str) -> Cow<'_, str> {
    if !text.chars().any(char::is_control) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if c.is_control() {
            c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| out.push_str(&format!("%{byte:02X}")));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// A request line, cut up.
#[derive(Debug, Clone, Copy, Default)]
struct Request<'r> {
    method: Option<&'r str>,
    target: Option<&'r str>,
    version: Option<&'r str>,
    is_malformed: bool,
}

impl<'r> Request<'r> {
    /// `GET /a?b HTTP/1.1`, also without its version, also nothing. What is neither is malformed: bytes of a TLS hello, say.
    fn of_line(line: &'r str) -> Self {
        let line = line.trim();
        if line.split(' ').all(|word| matches!(word, "" | "-")) {
            return Self::default();
        }
        let malformed = Self { is_malformed: true, ..Self::default() };
        if is_no_text(line) {
            return malformed;
        }
        let (line, version) = match line.rsplit_once(' ') {
            Some((before, last)) if last.starts_with("HTTP/") => (before.trim_end(), Some(last)),
            Some((before, "-")) => (before.trim_end(), None),
            _ => (line, None),
        };
        let is_method =
            |word: &str| word.len() <= 20 && word.bytes().all(|b| b.is_ascii_uppercase() || b"-_".contains(&b));
        match line.split_once(' ') {
            Some((method, target)) if is_method(method) && !target.trim().is_empty() => {
                Self { method: Some(method), target: Some(target.trim()), version, is_malformed: false }
            }
            None if line.starts_with('/') => Self { target: Some(line), version, ..Self::default() },
            _ => malformed,
        }
    }
}

/// Whether a request has bytes that no page has in its address, as they are or escaped.
fn is_no_text(text: &str) -> bool {
    text.chars().any(|c| c.is_control() || c == '\u{fffd}') || text.contains("\\x0") || text.contains("\\x1")
}

/// Host, path and query string of what a request asks for.
fn parts_of(target: &str) -> (Option<&str>, &str, Option<&str>) {
    let (host, rest) = match target.split_once("://") {
        Some((scheme, rest)) if scheme.bytes().all(|b| b.is_ascii_alphabetic()) => {
            let (host, path) = rest.find(['/', '?']).map_or((rest, ""), |at| rest.split_at(at));
            (Some(without_port(host)), path)
        }
        // Host and path in one, as Incapsula writes them.
        _ if !target.starts_with(['/', '*', '?'])
            && target.contains('/')
            && target.split('/').next().is_some_and(is_host) =>
        {
            let (host, path) = target.find('/').map_or((target, ""), |at| target.split_at(at));
            (Some(without_port(host)), path)
        }
        _ => (None, target),
    };
    let (path, query) = rest.split_once('?').map_or((rest, None), |(path, query)| (path, Some(query)));
    (host.filter(|host| !host.is_empty() && *host != "-"), if path.is_empty() { "/" } else { path }, query)
}

/// Whether a word could be the name of a host.
pub(super) fn is_host(word: &str) -> bool {
    let name = without_port(word);
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b));
    is_name && name.contains('.') && name.bytes().any(|b| b.is_ascii_alphabetic())
}

/// An address or host without the port behind it, and without brackets.
pub(super) fn without_port(text: &str) -> &str {
    if let Some(inside) = text.strip_prefix('[') {
        return inside.split(']').next().unwrap_or(inside);
    }
    match text.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') && port.bytes().all(|b| b.is_ascii_digit()) => host,
        _ => text,
    }
}

/// What tells visitors apart by their address: of IPv6 so many bits.
pub(super) fn address_key(address: &str, ipv6_prefix: u8) -> Cow<'_, str> {
    match address.parse::<IpAddr>() {
        Ok(IpAddr::V6(v6)) if ipv6_prefix < 128 => match v6.to_ipv4_mapped() {
            Some(v4) => v4.to_string().into(),
            None => format!("{}/{ipv6_prefix}", masked(v6, ipv6_prefix)).into(),
        },
        _ => address.into(),
    }
}

fn masked(address: Ipv6Addr, bits: u8) -> Ipv6Addr {
    let mask = if bits == 0 { 0 } else { u128::MAX << (128 - u32::from(bits)) };
    Ipv6Addr::from_bits(address.to_bits() & mask)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(line: &str) -> [Option<String>; 6] {
        let mut raw = Raw::default();
        raw.put(Field::Time, "2024-03-07 12:00:01");
        raw.put(Field::Request, line);
        let settled = settle(&raw, None).unwrap();
        let text = |part: Part| settled.text(part).map(str::to_owned);
        let odd = match settled.odd {
            Oddity { malformed: true, .. } => Some("malformed".to_owned()),
            Oddity { without_request: true, .. } => Some("none".to_owned()),
            _ => None,
        };
        [text(Part::Method), text(Part::Host), text(Part::Path), text(Part::Query), text(Part::Version), odd]
    }

    #[test]
    fn requests_are_cut_up() {
        let some = |texts: [&str; 6]| texts.map(|text| (!text.is_empty()).then(|| text.to_owned()));
        for (line, expected) in [
            ("GET /a?b=c HTTP/1.1", ["GET", "", "/a", "b=c", "HTTP/1.1", ""]),
            ("GET https://h.example:443/p HTTP/1.1", ["GET", "h.example", "/p", "", "HTTP/1.1", ""]),
            ("GET https://h.example?x HTTP/1.1", ["GET", "h.example", "/", "x", "HTTP/1.1", ""]),
            ("/old", ["", "", "/old", "", "", ""]),
            ("POST /a b HTTP/1.0", ["POST", "", "/a b", "", "HTTP/1.0", ""]),
            ("-", ["", "", "", "", "", "none"]),
            ("- - - ", ["", "", "", "", "", "none"]),
            ("", ["", "", "", "", "", "none"]),
            ("\\x16\\x03\\x01", ["", "", "", "", "", "malformed"]),
            ("hello", ["", "", "", "", "", "malformed"]),
            ("OPTIONS * HTTP/1.0", ["OPTIONS", "", "*", "", "HTTP/1.0", ""]),
            ("- /a -", ["", "", "/a", "", "", ""]),
        ] {
            assert_eq!(request(line), some(expected), "{line}");
        }
    }

    #[test]
    fn addresses() {
        assert_eq!(without_port("1.2.3.4:80"), "1.2.3.4");
        assert_eq!(without_port("[2001:db8::1]:80"), "2001:db8::1");
        assert_eq!(without_port("2001:db8::1"), "2001:db8::1");
        assert_eq!(address_key("2001:db8:1:2:3:4:5:6", 64), "2001:db8:1:2::/64");
        assert_eq!(address_key("::ffff:1.2.3.4", 64), "1.2.3.4");
        assert_eq!(address_key("1.2.3.4", 64), "1.2.3.4");
        assert_eq!(address_key("host.example", 64), "host.example");
    }
}
