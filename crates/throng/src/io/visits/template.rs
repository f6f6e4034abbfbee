//! Formats of one line with fixed places: what stands between the values, and what each value is. One scanner reads them all.
//!
//! # Idea
//! A format is a row of literal texts and values. A value in quotes goes to the closing quote, with `\"` inside, or is a bare `-`; any other
//! goes to the literal text behind it. What must be written and is not known (`-`, a port, a time taken) has a constant in a release.

use std::borrow::Cow;

use super::raw::{Field, Problem, Raw};

/// A format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template {
    pub(crate) pieces: Vec<Piece>,
}

/// A piece of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    Literal(String),
    Value(Field),
    /// A value that is not looked at, and what stands for it in a release.
    Ignored(String),
    /// Whatever comes to the end of the line, and what stands for it.
    Rest(String),
}

impl Template {
    /// Reads the notation of our own list: `<address>:<_:80> [<time>] "<request>"<rest: ->`.
    pub(crate) fn own(text: &str) -> Self {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((literal, after)) = rest.split_once('<') {
            push_literal(&mut pieces, literal);
            let (name, after) = after.split_once('>').unwrap_or((after, ""));
            pieces.push(match name.split_once(':') {
                Some(("_", constant)) => Piece::Ignored(constant.to_owned()),
                Some((_, constant)) => Piece::Rest(constant.to_owned()),
                None => Piece::Value(own_field(name)),
            });
            rest = after;
        }
        push_literal(&mut pieces, rest);
        Self { pieces }
    }

    /// Reads a directive as somebody types it: Apache's `LogFormat` or nginx's `log_format`.
    pub(crate) fn directive(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let pieces = if text.contains('$') && !text.contains("%h") { nginx(text)? } else { apache(text)? };
        let template = Self { pieces }.joined();
        let has = |field: Field| template.has(field);
        if !has(Field::Time) {
            return Err("has no time (`%t` of Apache, `$time_local` of nginx)".to_owned());
        }
        if !has(Field::Request) && !has(Field::Path) {
            return Err("has no request (`%r` of Apache, `$request` of nginx)".to_owned());
        }
        let is_value = |piece: &Piece| !matches!(piece, Piece::Literal(_));
        if template.pieces.windows(2).any(|pair| pair.iter().all(is_value)) {
            return Err("has two values with nothing between them".to_owned());
        }
        Ok(template)
    }

    /// Whether it has a value.
    pub(crate) fn has(&self, field: Field) -> bool {
        self.pieces.contains(&Piece::Value(field))
    }

    /// Values that it has, in their order.
    pub(crate) fn fields(&self) -> Vec<Field> {
        let field = |piece: &Piece| if let Piece::Value(field) = piece { Some(*field) } else { None };
        self.pieces.iter().filter_map(field).collect()
    }

    /// Literal texts that follow each other as one; a value that comes twice is looked at once. A query string behind its path is a part
    /// of it: `%U%q`, `$uri$is_args$args`.
    fn joined(self) -> Self {
        let mut pieces: Vec<Piece> = Vec::new();
        for piece in self.pieces {
            let is_again = matches!(piece, Piece::Value(_)) && pieces.contains(&piece);
            match (pieces.last_mut(), piece) {
                (Some(Piece::Value(Field::Path)), Piece::Value(Field::Query)) => {}
                (Some(Piece::Literal(last)), Piece::Literal(next)) => last.push_str(&next),
                (_, _) if is_again => pieces.push(Piece::Ignored("-".to_owned())),
                (_, piece) => pieces.push(piece),
            }
        }
        Self { pieces }
    }

    /// Reads a line.
    pub(crate) fn read<'l>(&self, line: &'l str, raw: &mut Raw<'l>) -> Result<(), Problem> {
        let mut at = 0;
        // Whether a bare `-` stands where a value in quotes should.
        let mut is_bare = false;
        for (number, piece) in self.pieces.iter().enumerate() {
            let (before, after) = (number.checked_sub(1).map(|at| &self.pieces[at]), self.pieces.get(number + 1));
            match piece {
                Piece::Literal(literal) => {
                    let literal = if is_bare { literal.strip_prefix('"').unwrap_or(literal) } else { literal.as_str() };
                    is_bare = false;
                    let (value, behind) = (after, self.pieces.get(number + 2));
                    if let Some(before) =
                        literal.strip_suffix('"').filter(|_| is_value(value) && begins_with(behind, '"'))
                        && let Ok(end) = literal_end(line, at, before)
                        && is_dash(&line[end..])
                    {
                        (at, is_bare) = (end + 1, true);
                        continue;
                    }
                    at = literal_end(line, at, literal)?;
                }
                Piece::Rest(constant) => {
                    raw.has_more |= line[at..] != **constant;
                    at = line.len();
                }
                Piece::Value(_) | Piece::Ignored(_) if is_bare => {}
                Piece::Value(_) | Piece::Ignored(_) => {
                    let is_quoted = ends_with_quote(before) && begins_with(after, '"');
                    let (value, end) = match (after, is_quoted) {
                        (_, true) => quoted(line, at)?,
                        (Some(Piece::Literal(literal)), false) => {
                            let end = self.value_end(line, at, piece, literal)?;
                            (Cow::Borrowed(&line[at..end]), end)
                        }
                        (Some(Piece::Rest(_)), false) => {
                            let end = line[at..].find(' ').map_or(line.len(), |end| at + end);
                            (Cow::Borrowed(&line[at..end]), end)
                        }
                        _ => (Cow::Borrowed(line[at..].trim_end()), line.len()),
                    };
                    let may_be_empty = is_quoted || matches!(piece, Piece::Ignored(constant) if constant.is_empty());
                    if value.is_empty() && !may_be_empty {
                        return Err(Problem::at(line, at, expected(piece)));
                    }
                    if let Piece::Ignored(constant) = piece {
                        // What is not looked at is what its format says all the same: else lines of another one would be read by it.
                        if is_number(constant) && !is_numeric(&value) && !is_quoted {
                            return Err(Problem::at(line, at, "a number"));
                        }
                        let more = value.match_indices(' ').find(|(place, _)| !value[..*place].ends_with(','));
                        if let Some((place, _)) = more.filter(|_| after.is_none() && !is_quoted) {
                            return Err(Problem::at(line, at + place, "the end of the line"));
                        }
                    }
                    if let Piece::Value(field) = piece {
                        // What is no word ends before a blank: the line has more than the format.
                        if after.is_none() && !is_quoted && value.contains(' ') && *field != Field::Path {
                            return Err(Problem::at(line, at + value.find(' ').unwrap_or(0), "the end of the line"));
                        }
                        raw.put(*field, value);
                    } else if let Piece::Ignored(constant) = piece {
                        raw.has_more |= value != "-" && value != constant.as_str();
                    }
                    at = end;
                }
            }
        }
        match line[at..].trim().is_empty() {
            true => Ok(()),
            false => Err(Problem::at(line, at, "the end of the line")),
        }
    }

    /// Where a value ends that some literal text stands behind.
    fn value_end(&self, line: &str, at: usize, piece: &Piece, literal: &str) -> Result<usize, Problem> {
        let rest = &line[at..];
        let found = match piece {
            // Behind an address stands a port, and IPv6 has colons too.
            Piece::Value(Field::Address | Field::Host) if literal == ":" => {
                let word = rest.split(' ').next().unwrap_or_default();
                word.rfind(':')
            }
            // Several addresses have commas and blanks between them.
            Piece::Value(Field::Address) if literal.starts_with(' ') => {
                let mut end = rest.find(' ');
                while let Some(place) = end.filter(|&place| rest[..place].ends_with(',')) {
                    end = rest[place + 1..].find(' ').map(|next| place + 1 + next);
                }
                end
            }
            // Names of users may have blanks, and nothing else may.
            Piece::Value(Field::User) => rest.find(literal),
            // Blanks may be several.
            _ if !literal.starts_with(' ') => rest.find(literal.split(' ').next().unwrap_or(literal)),
            _ if literal == " " => rest.find(' '),
            _ if literal.starts_with(' ') => {
                let word = rest.find(' ');
                let is_word =
                    matches!(piece, Piece::Value(Field::Status | Field::Bytes | Field::Address | Field::Host));
                if is_word { word } else { rest.find(literal).or(word) }
            }
            _ => rest.find(literal),
        };
        found
            .map(|end| at + end)
            .ok_or_else(|| Problem::at(line, line.len(), format!("{} behind {}", shown(literal), expected(piece))))
    }
}

fn push_literal(pieces: &mut Vec<Piece>, text: &str) {
    if !text.is_empty() {
        pieces.push(Piece::Literal(text.to_owned()));
    }
}

/// The place behind a literal text. A blank stands for one or more.
fn literal_end(line: &str, at: usize, literal: &str) -> Result<usize, Problem> {
    let mut at = at;
    for c in literal.chars() {
        let rest = &line[at..];
        if !rest.starts_with(c) {
            return Err(Problem::at(line, at, shown(literal)));
        }
        at += c.len_utf8();
        if c == ' ' {
            at += line[at..].bytes().take_while(|&byte| byte == b' ').count();
        }
    }
    Ok(at)
}

/// What is in quotes, without its escapes, and where it ends.
fn quoted(line: &str, at: usize) -> Result<(Cow<'_, str>, usize), Problem> {
    let bytes = &line.as_bytes()[at..];
    let mut from = 0;
    while let Some(end) = memchr::memchr2(b'"', b'\\', &bytes[from..]).map(|place| from + place) {
        if bytes[end] == b'"' {
            return Ok((unescaped(&line[at..at + end]), at + end));
        }
        from = (end + 2).min(bytes.len());
        while !line.is_char_boundary((at + from).min(line.len())) {
            from += 1;
        }
    }
    Err(Problem::at(line, line.len(), "a quote that ends what began in one"))
}

/// A text without the escapes that servers write. Bytes that are no text stay as percent-escapes.
pub(super) fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut bytes: Vec<u8> = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        let mut chars = after.chars();
        rest = match chars.next() {
            Some(c @ ('"' | '\\')) => {
                bytes.push(c as u8);
                chars.as_str()
            }
            Some('x') if after.get(1..3).is_some_and(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit())) => {
                let byte = u8::from_str_radix(&after[1..3], 16).unwrap_or(b'?');
                // Control characters stay as they are written: a request with some is none.
                match byte {
                    b' '..=b'~' | 0x80.. => bytes.push(byte),
                    _ => bytes.extend_from_slice(format!("\\x{}", &after[1..3]).as_bytes()),
                }
                &after[3..]
            }
            _ => {
                bytes.push(b'\\');
                after
            }
        };
    }
    bytes.extend_from_slice(rest.as_bytes());
    Cow::Owned(percent_escaped(&bytes))
}

/// Bytes as text; those that are no UTF-8 as percent-escapes.
pub(super) fn percent_escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("%{byte:02X}")));
    }
    text
}

fn is_value(piece: Option<&Piece>) -> bool {
    matches!(piece, Some(Piece::Value(_) | Piece::Ignored(_)))
}

/// Whether what stands for a value in a release is a number.
fn is_number(constant: &str) -> bool {
    !constant.is_empty() && constant.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a value is a number, a list of numbers, or none (`-`).
fn is_numeric(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_digit() || b"+-.,: ".contains(&byte))
}

/// Whether the next word is `-`.
fn is_dash(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

fn ends_with_quote(piece: Option<&Piece>) -> bool {
    matches!(piece, Some(Piece::Literal(literal)) if literal.ends_with('"'))
}

fn begins_with(piece: Option<&Piece>, sign: char) -> bool {
    matches!(piece, Some(Piece::Literal(literal)) if literal.starts_with(sign))
}

fn shown(literal: &str) -> String {
    match literal {
        " " => "a blank".to_owned(),
        _ => format!("`{literal}`"),
    }
}

fn expected(piece: &Piece) -> String {
    match piece {
        Piece::Value(field) => format!("the {}", field.name()),
        _ => "a value".to_owned(),
    }
}

fn own_field(name: &str) -> Field {
    Field::ALL.into_iter().find(|field| field.name() == name).unwrap_or(Field::Person)
}

/// Apache's directive.
fn apache(text: &str) -> Result<Vec<Piece>, String> {
    // `LogFormat "…" name` as it stands in a file.
    let text = match text.strip_prefix("LogFormat") {
        Some(rest) => {
            let rest = rest.trim().strip_prefix('"').unwrap_or(rest.trim());
            rest.rsplit_once('"').map_or(rest, |(inside, name)| if name.contains('%') { rest } else { inside })
        }
        None => text,
    };
    let text = text.replace("\\\"", "\"").replace("\\t", "\t");
    let mut pieces = Vec::new();
    let mut rest = text.as_str();
    while let Some((literal, after)) = rest.split_once('%') {
        push_literal(&mut pieces, literal);
        let after = after.trim_start_matches(|c: char| c.is_ascii_digit() || "!,<>".contains(c));
        let (name, after) = match after.strip_prefix('{') {
            Some(inside) => inside.split_once('}').ok_or_else(|| "has a `{` that nothing closes".to_owned())?,
            None => ("", after),
        };
        let mut chars = after.chars();
        // `%^FB` and the like have two letters.
        let letter = chars.next().ok_or_else(|| "ends with `%`".to_owned())?;
        rest = chars.as_str();
        let header = name.to_ascii_lowercase();
        let ignored = |constant: &str| Piece::Ignored(constant.to_owned());
        let piece = match (letter, header.as_str()) {
            ('%', "") => Piece::Literal("%".to_owned()),
            ('h' | 'a', _) => Piece::Value(Field::Address),
            ('i', "x-forwarded-for" | "x-real-ip" | "cf-connecting-ip") => Piece::Value(Field::Address),
            ('l', _) => ignored("-"),
            ('u', _) => Piece::Value(Field::User),
            ('t', "") => {
                pieces.push(Piece::Literal("[".to_owned()));
                pieces.push(Piece::Value(Field::Time));
                Piece::Literal("]".to_owned())
            }
            ('t', _) => Piece::Value(Field::Time),
            ('r', _) => Piece::Value(Field::Request),
            ('s', _) => Piece::Value(Field::Status),
            ('b' | 'B' | 'O', _) => Piece::Value(Field::Bytes),
            ('i', "referer" | "referrer") => Piece::Value(Field::Referrer),
            ('i', "user-agent") => Piece::Value(Field::Agent),
            ('i', "host") | ('v' | 'V', _) => Piece::Value(Field::Host),
            ('m', _) => Piece::Value(Field::Method),
            ('U', _) => Piece::Value(Field::Path),
            ('q', _) => Piece::Value(Field::Query),
            ('H', _) => Piece::Value(Field::Version),
            ('C', "sessionid" | "session" | "phpsessid" | "jsessionid") => Piece::Value(Field::Session),
            ('p', _) => ignored("80"),
            ('D' | 'T' | 'I' | 'S' | 'k' | 'P', _) => ignored("0"),
            ('A' | 'f' | 'L' | 'R' | 'X' | 'e' | 'i' | 'n' | 'o' | 'C', _) => ignored("-"),
            (other, _) => return Err(format!("has `%{other}`, which is no directive of Apache")),
        };
        pieces.push(piece);
    }
    push_literal(&mut pieces, rest);
    Ok(pieces)
}

/// nginx's format, also with `log_format name '…' '…';` around it.
fn nginx(text: &str) -> Result<Vec<Piece>, String> {
    let whole = match text.strip_prefix("log_format") {
        Some(rest) => rest.split('\'').skip(1).step_by(2).collect::<String>(),
        None => text.to_owned(),
    };
    let mut pieces = Vec::new();
    let mut rest = whole.as_str();
    while let Some((literal, after)) = rest.split_once('$') {
        push_literal(&mut pieces, literal);
        let after = after.strip_prefix('{').unwrap_or(after);
        let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
        let (name, after) = after.split_at(end);
        rest = after.strip_prefix('}').unwrap_or(after);
        pieces.push(match name {
            "" => return Err("has a `$` without a name".to_owned()),
            "remote_addr" | "http_x_forwarded_for" | "realip_remote_addr" | "http_x_real_ip" => {
                Piece::Value(Field::Address)
            }
            "remote_user" => Piece::Value(Field::User),
            "time_local" | "time_iso8601" | "msec" => Piece::Value(Field::Time),
            "request" => Piece::Value(Field::Request),
            "request_method" => Piece::Value(Field::Method),
            "request_uri" | "uri" | "document_uri" => Piece::Value(Field::Path),
            "args" | "query_string" => Piece::Value(Field::Query),
            // The question mark before the query string, or nothing.
            "is_args" => continue,
            "status" => Piece::Value(Field::Status),
            "body_bytes_sent" | "bytes_sent" => Piece::Value(Field::Bytes),
            "http_referer" => Piece::Value(Field::Referrer),
            "http_user_agent" => Piece::Value(Field::Agent),
            "host" | "http_host" | "server_name" => Piece::Value(Field::Host),
            "server_protocol" => Piece::Value(Field::Version),
            "cookie_session" | "cookie_sessionid" | "cookie_phpsessid" => Piece::Value(Field::Session),
            _ => Piece::Ignored("-".to_owned()),
        });
    }
    push_literal(&mut pieces, rest);
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(template: &Template, line: &str) -> Result<Vec<(&'static str, String)>, Problem> {
        let mut raw = Raw::default();
        template.read(line, &mut raw)?;
        let value = |field: Field| raw.values[field as usize].as_deref().map(|text| (field.name(), text.to_owned()));
        Ok(Field::ALL.into_iter().filter_map(value).collect())
    }

    #[test]
    fn directives_of_apache_and_nginx_are_the_same() {
        let line =
            r#"1.2.3.4 - ann lee [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326 "http://x/" "A \"B\" C""#;
        let apache = Template::directive(r#"%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i""#).unwrap();
        let nginx = r#"$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent""#;
        let nginx = Template::directive(nginx).unwrap();
        let expected = read(&apache, line).unwrap();
        assert_eq!(expected, read(&nginx, line).unwrap());
        let text = |name: &str| expected.iter().find(|(own, _)| *own == name).map(|(_, text)| text.as_str());
        assert_eq!(text("address"), Some("1.2.3.4"));
        assert_eq!(text("user"), Some("ann lee"));
        assert_eq!(text("agent"), Some("A \"B\" C"));
        assert_eq!(text("bytes"), Some("2326"));
        let wrapped = r#"LogFormat "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\"" combined"#;
        assert_eq!(Template::directive(wrapped).unwrap(), apache);
    }

    #[test]
    fn what_is_wrong_is_told_by_its_place() {
        let template = Template::own(r#"<address> <_:-> <user> [<time>] "<request>" <status> <bytes>"#);
        let problem = |line: &str| read(&template, line).unwrap_err();
        assert_eq!(problem("hello").column, 6);
        let cut = r#"1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET /a"#;
        assert_eq!(
            problem(cut),
            Problem { column: cut.len() + 1, expected: "a quote that ends what began in one".to_owned() }
        );
        let more = r#"1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET /a" 200 5 6"#;
        assert_eq!(problem(more).expected, "the end of the line");
        assert!(Template::directive("%h %r").is_err());
        assert!(Template::directive("%h%u %t %r").unwrap_err().contains("nothing between"));
        assert!(Template::directive("%t %r %Z").unwrap_err().contains("`%Z`"));
    }

    /// A format that says less than the lines have does not fit them.
    #[test]
    fn a_number_is_a_number_and_the_last_value_ends_the_line() {
        let line = r#"1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326 "-" "A B""#;
        let begin = r#"%h %l %u %t "%r" %>s"#;
        let problem = |directive: &str, line: &str| {
            read(&Template::directive(&format!("{begin} {directive}")).unwrap(), line).unwrap_err().expected
        };
        assert_eq!(problem("%D", line), "a number");
        assert_eq!(problem("%R", line), "the end of the line");
        assert_eq!(problem("%b %{X}o", line), "the end of the line");
        let fits = r#"1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326"#;
        assert!(read(&Template::directive(&format!("{begin} %D")).unwrap(), fits).is_ok());
        let times = r#"$remote_addr [$time_local] "$request" $upstream_response_time"#;
        assert!(read(&Template::directive(times).unwrap(), r#"1.2.3.4 [x] "GET /" 0.1, 0.2"#).is_ok());
    }

    #[test]
    fn several_addresses_and_ports() {
        let template = Template::own(r#"<address>:<_:80> [<time>] "<request>""#);
        let found = read(&template, r#"2001:db8::1:443 [x] "GET /""#).unwrap();
        assert_eq!(found[0], ("address", "2001:db8::1".to_owned()));
        let template = Template::own(r#"<address> <_:-> [<time>] "<request>""#);
        let found = read(&template, r#"1.2.3.4, 5.6.7.8 - [x] "GET /""#).unwrap();
        assert_eq!(found[0], ("address", "1.2.3.4, 5.6.7.8".to_owned()));
    }

    #[test]
    fn bytes_that_are_no_text() {
        assert_eq!(unescaped("caf\\xc3\\xa9 \\xff \\x16 \\\\"), "café %FF \\x16 \\");
    }
}
