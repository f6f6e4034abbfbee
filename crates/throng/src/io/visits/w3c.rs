//! The W3C extended format: a line `#Fields:` says what the columns are, and may come again with others.
//!
//! IIS writes `+` for blanks in an agent and quotes nothing; its Advanced Logging quotes, and has local days and times; CloudFront has tabs
//! in its lines, blanks in `#Fields`, and agents that are percent-encoded twice; Incapsula quotes every field, and has host and path in one;
//! SHOUTcast has no method.

use std::borrow::Cow;

use super::raw::{Field, Problem, Raw};

/// What the columns of the lines that follow are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Columns {
    /// What each column is; nothing for one that is not looked at.
    pub(crate) fields: Vec<Option<Field>>,
    /// What they are called.
    pub(crate) names: Vec<String>,
}

/// The columns of a release that was in another format.
pub(super) const USUAL: &str = "#Fields: date time c-ip cs-method cs-uri-stem cs-uri-query cs-version sc-status sc-bytes cs(User-Agent) cs(Referer)";

/// Names of columns, the likelier ones of a field first.
const NAMES: &[(&str, Field)] = &[
    ("c-ip", Field::Address),
    ("date", Field::Date),
    ("date-local", Field::Date),
    ("time", Field::Time),
    ("time-local", Field::Time),
    ("cs-method", Field::Method),
    ("cs-uri-stem", Field::Path),
    ("cs-uri", Field::Path),
    ("cs-uri-query", Field::Query),
    ("cs-version", Field::Version),
    ("cs-protocol-version", Field::Version),
    ("sc-status", Field::Status),
    ("c-status", Field::Status),
    ("sc-bytes", Field::Bytes),
    ("cs(referer)", Field::Referrer),
    ("cs(referrer)", Field::Referrer),
    ("c-referrer", Field::Referrer),
    ("cs(user-agent)", Field::Agent),
    ("c-user-agent", Field::Agent),
    ("x-host-header", Field::Host),
    ("cs-host", Field::Host),
    ("cs(host)", Field::Host),
    ("cs-username", Field::User),
    ("cs-sessionid", Field::Session),
];

impl Columns {
    /// The columns that a line `#Fields: …` names; `None` for another line.
    pub(crate) fn of_line(line: &str) -> Option<Self> {
        let names: Vec<String> = line.strip_prefix("#Fields:")?.split_whitespace().map(str::to_owned).collect();
        let mut fields: Vec<Option<Field>> = vec![None; names.len()];
        for (known, field) in NAMES {
            if !fields.contains(&Some(*field))
                && let Some(at) = names.iter().position(|name| name.eq_ignore_ascii_case(known))
            {
                fields[at] = Some(*field);
            }
        }
        Some(Self { fields, names })
    }

    /// Takes a column that has no other role for that of persons, or none.
    pub(crate) fn take_person(&mut self, name: Option<&str>) {
        for (field, own) in self.fields.iter_mut().zip(&self.names) {
            match field {
                None if name == Some(own) => *field = Some(Field::Person),
                Some(Field::Person) if name != Some(own) => *field = None,
                _ => {}
            }
        }
    }

    /// The names of the columns that are looked at, as a release has them.
    pub(crate) fn mapped(&self) -> Vec<(Field, &str)> {
        let mapped = self.fields.iter().zip(&self.names);
        mapped.filter_map(|(field, name)| Some(((*field)?, name.as_str()))).collect()
    }

    /// The names of the others.
    pub(crate) fn unmapped(&self) -> Vec<String> {
        let all = self.fields.iter().zip(&self.names);
        all.filter(|(field, _)| field.is_none()).map(|(_, name)| name.clone()).collect()
    }

    /// Whether days stand in no column.
    pub(crate) fn lack_days(&self) -> bool {
        !self.fields.contains(&Some(Field::Date))
    }

    /// Whether it says who came when for what.
    pub(crate) fn are_of_visits(&self) -> bool {
        [Field::Time, Field::Path].iter().all(|field| self.fields.contains(&Some(*field)))
    }

    /// Adds the columns of others that hold what none of these does.
    pub(crate) fn add_new(&mut self, others: &Self) {
        for (field, name) in others.fields.iter().zip(&others.names) {
            if field.is_some() && !self.fields.contains(field) {
                self.fields.push(*field);
                self.names.push(name.clone());
            }
        }
    }

    /// Reads a line.
    pub(crate) fn read<'l>(&self, line: &'l str, raw: &mut Raw<'l>) -> Result<(), Problem> {
        if self.fields.is_empty() {
            return Err(Problem::at(line, 0, "a line `#Fields:` before the first visit"));
        }
        let has_tabs = line.contains('\t');
        let mut rest = line.trim_end();
        let mut count = 0;
        while !rest.is_empty() {
            let place = line.len() - rest.len();
            let (value, after) = cell(rest, has_tabs)
                .ok_or_else(|| Problem::at(line, line.len(), "a quote that ends what began in one"))?;
            let Some(field) = self.fields.get(count) else {
                return Err(Problem::at(line, place, format!("{} columns, as `#Fields:` says", self.fields.len())));
            };
            if let Some(field) = field {
                raw.put(*field, decoded(*field, value, has_tabs));
            }
            count += 1;
            rest = after;
        }
        match count == self.fields.len() {
            true => Ok(()),
            false => Err(Problem::at(line, line.len(), format!("{} columns, as `#Fields:` says", self.fields.len()))),
        }
    }
}

/// The day that a directive `#Date: 2024-03-07 11:00:01` names, for lines that have a time alone.
pub(crate) fn day_of(line: &str) -> Option<&str> {
    let day = line.strip_prefix("#Date:")?.split_whitespace().next()?;
    (day.len() == 10 && day.as_bytes()[4] == b'-').then_some(day)
}

/// The first cell of a line, and what comes after it.
fn cell(text: &str, has_tabs: bool) -> Option<(Cow<'_, str>, &str)> {
    if has_tabs {
        let (cell, rest) = text.split_once('\t').unwrap_or((text, ""));
        return Some((Cow::Borrowed(cell), rest));
    }
    let text = text.trim_start_matches(' ');
    let Some(inside) = text.strip_prefix('"') else {
        let (cell, rest) = text.split_once(' ').unwrap_or((text, ""));
        return Some((Cow::Borrowed(cell), rest.trim_start_matches(' ')));
    };
    let mut from = 0;
    loop {
        let end = from + inside[from..].find('"')?;
        if inside[end + 1..].starts_with('"') {
            from = end + 2;
            continue;
        }
        let value = &inside[..end];
        let value = if value.contains("\"\"") { value.replace("\"\"", "\"").into() } else { Cow::Borrowed(value) };
        return Some((value, inside[end + 1..].trim_start_matches(' ')));
    }
}

/// A value without what stands in it for blanks and the like.
fn decoded<'l>(field: Field, value: Cow<'l, str>, is_twice: bool) -> Cow<'l, str> {
    if field != Field::Agent {
        return value;
    }
    let mut text = value;
    // Whoever escapes blanks means a plus by a plus.
    let has_blanks = [" ", "%20", "%2520"].iter().any(|blank| text.contains(blank) && (is_twice || *blank != "%2520"));
    if text.contains('+') && !has_blanks {
        text = text.replace('+', " ").into();
    }
    for _ in 0..if is_twice { 2 } else { 1 } {
        if text.contains('%') {
            text = percent_decoded(&text).into();
        }
    }
    text
}

/// A text without its percent-escapes; those that are no UTF-8 stay.
pub(super) fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        let byte = after.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|byte| *byte >= b' ');
        match byte {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(b'%');
                rest = after;
            }
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    super::template::percent_escaped(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(fields: &str, line: &str) -> Result<Vec<(&'static str, String)>, Problem> {
        let columns = Columns::of_line(fields).unwrap();
        let mut raw = Raw::default();
        columns.read(line, &mut raw)?;
        let value = |field: Field| raw.values[field as usize].as_deref().map(|text| (field.name(), text.to_owned()));
        Ok(Field::ALL.into_iter().filter_map(value).collect())
    }

    fn value(found: &[(&'static str, String)], name: &str) -> String {
        found.iter().find(|(own, _)| *own == name).map_or_else(String::new, |(_, text)| text.clone())
    }

    #[test]
    fn iis() {
        let fields = "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus time-taken";
        let line = "2024-03-07 11:00:01 10.0.0.1 GET /a.aspx q=1 443 - 192.0.2.7 Mozilla/5.0+(X11;+Linux) - 200 0 15";
        let found = read(fields, line).unwrap();
        assert_eq!(value(&found, "address"), "192.0.2.7");
        assert_eq!(value(&found, "agent"), "Mozilla/5.0 (X11; Linux)");
        assert_eq!(value(&found, "query"), "q=1");
        let short = read(fields, "2024-03-07 11:00:01 10.0.0.1").unwrap_err();
        assert_eq!(short.expected, "14 columns, as `#Fields:` says");
        assert!(read(fields, &format!("{line} more")).is_err());
    }

    #[test]
    fn cloudfront_is_encoded_twice() {
        let fields = "#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query x-host-header";
        let line = "2024-03-07\t11:00:01\tFRA2\t182\t192.0.2.7\tGET\td1.cloudfront.net\t/view/my/file.html\t200\twww.example.com/?a\tMozilla/4.0%2520(compatible;%2520MSIE%25205.0b1)\t-\twww.example.com";
        let found = read(fields, line).unwrap();
        assert_eq!(value(&found, "agent"), "Mozilla/4.0 (compatible; MSIE 5.0b1)");
        assert_eq!(value(&found, "host"), "www.example.com");
        assert_eq!(value(&found, "referrer"), "www.example.com/?a");
        let bot = line.replace("Mozilla/4.0%2520(compatible;%2520MSIE%25205.0b1)", "A%2520(B;%2520+http://c/)");
        assert_eq!(value(&read(fields, &bot).unwrap(), "agent"), "A (B; +http://c/)");
    }

    #[test]
    fn quotes_and_several_blanks() {
        let fields = "#Fields: \"date\" time";
        assert!(Columns::of_line(fields).is_some());
        let fields = "#Fields:  date-local  time-local  cs-uri  c-ip  cs(Referrer)";
        let found = read(fields, r#""2024-03-07" "11:00:01"  "www.example.com/a b" "192.0.2.7" "say ""hi""""#).unwrap();
        assert_eq!(value(&found, "path"), "www.example.com/a b");
        assert_eq!(value(&found, "referrer"), "say \"hi\"");
        assert!(read(fields, r#""2024"#).unwrap_err().expected.contains("quote"));
        assert!(Columns::default().read("x", &mut Raw::default()).is_err());
    }

    #[test]
    fn escapes() {
        assert_eq!(percent_decoded("a%20b%zz%C3%A9%FF%"), "a b%zzé%FF%");
    }
}
