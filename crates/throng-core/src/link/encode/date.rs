//! Dates in Python's form: `%d/%m/%Y` and the like, read as `datetime.strptime` reads them, written as `%Y%m%d`.
//!
//! A pattern becomes the expression that Python's own library makes of it, so that a value without marks between its parts is cut
//! at the same places.

use regex_lite::Regex;

/// How dates are written.
#[derive(Debug, Clone)]
pub struct DatePattern {
    expression: Regex,
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

fn of_directive(letter: char) -> Option<&'static str> {
    Some(match letter {
        'd' => r"(?P<d>3[0-1]|[1-2]\d|0[1-9]|[1-9]| [1-9])",
        'm' => r"(?P<m>1[0-2]|0[1-9]|[1-9])",
        'Y' => r"(?P<Y>\d\d\d\d)",
        'y' => r"(?P<y>\d\d)",
        'j' => r"(?P<j>36[0-6]|3[0-5]\d|[1-2]\d\d|0[1-9]\d|00[1-9]|[1-9]\d|0[1-9]|[1-9])",
        'B' => r"(?P<B>september|february|november|december|january|october|august|march|april|june|july|may)",
        'b' => r"(?P<b>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)",
        'A' => r"(?P<A>wednesday|thursday|saturday|tuesday|monday|friday|sunday)",
        'a' => r"(?P<a>mon|tue|wed|thu|fri|sat|sun)",
        'w' => r"(?P<w>[0-6])",
        'H' => r"(?P<H>2[0-3]|[0-1]\d|\d)",
        'I' => r"(?P<I>1[0-2]|0[1-9]|[1-9])",
        'M' => r"(?P<M>[0-5]\d|\d)",
        'S' => r"(?P<S>[0-5]\d|\d)",
        'f' => r"(?P<f>[0-9]{1,6})",
        'p' => r"(?P<p>am|pm)",
        'z' => r"(?P<z>[+-]\d\d:?[0-5]\d(?::?[0-5]\d(?:\.\d{1,6})?)?|(?-i:Z))",
        '%' => "%",
        _ => return None,
    })
}

impl DatePattern {
    /// Reads a pattern; the words of an error follow the name of what is wrong.
    pub fn parse(pattern: &str) -> Result<Self, String> {
        let whole = pattern.replace("%c", "%a %b %d %H:%M:%S %Y").replace("%x", "%m/%d/%y").replace("%X", "%H:%M:%S");
        let mut expression = String::from("^(?i:");
        let mut letters = whole.chars().peekable();
        while let Some(letter) = letters.next() {
            if letter == '%' {
                let directive = letters.next().ok_or("ends with a lonely %")?;
                expression.push_str(of_directive(directive).ok_or_else(|| {
                    format!("has %{directive}, which is not known; %d, %m, %Y, %y, %j, %b, %B and times of day are")
                })?);
            } else if letter.is_whitespace() {
                while letters.next_if(|next| next.is_whitespace()).is_some() {}
                expression.push_str(r"\s+");
            } else {
                expression.push_str(&regex_lite::escape(&letter.to_string()));
            }
        }
        expression.push(')');
        let expression = Regex::new(&expression).map_err(|_| "says a part of the date twice".to_owned())?;
        Ok(Self { expression })
    }

    /// A date as `%Y%m%d`; `None` if it is none. Python pads no year, so neither does this.
    pub fn plain(&self, text: &str) -> Option<String> {
        let found = self.expression.captures(text)?;
        if found.get(0)?.end() != text.len() {
            return None;
        }
        let number = |name: &str| found.name(name).and_then(|part| part.as_str().trim().parse::<i32>().ok());
        let year = match (number("Y"), number("y")) {
            (Some(year), _) => year,
            (None, Some(short)) => short + if short <= 68 { 2000 } else { 1900 },
            (None, None) => 1900,
        };
        let named = |name: &str, length: usize| {
            let text = found.name(name)?.as_str().to_lowercase();
            MONTHS.iter().position(|month| month.get(..length.min(month.len())) == Some(&text)).map(|at| at as i32 + 1)
        };
        let mut month = number("m").or_else(|| named("B", usize::MAX)).or_else(|| named("b", 3)).unwrap_or(1);
        let mut day = number("d").unwrap_or(1);
        if let Some(day_of_year) = number("j") {
            (month, day) = (1, day_of_year);
            while month < 12 && day > days(year, month) {
                day -= days(year, month);
                month += 1;
            }
            if day > days(year, month) {
                return (year < 9999).then(|| format!("{}0101", year + 1));
            }
        }
        (year >= 1 && day >= 1 && day <= days(year, month)).then(|| format!("{year}{month:02}{day:02}"))
    }
}

fn days(year: i32, month: i32) -> i32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(pattern: &str, text: &str) -> Option<String> {
        DatePattern::parse(pattern).unwrap().plain(text)
    }

    #[test]
    fn dates_are_read_as_python_reads_them() {
        assert_eq!(plain("%Y-%m-%d", "1996-12-19").unwrap(), "19961219");
        assert_eq!(plain("%d/%m/%y", "1/2/69").unwrap(), "19690201");
        assert_eq!(plain("%d/%m/%y", "1/2/68").unwrap(), "20680201");
        // No marks: the first number takes two digits where it can, as Python's expression does.
        assert_eq!(plain("%d%m%Y", "1122000").unwrap_or_default(), "20000211".to_owned());
        assert_eq!(plain("%d %B %Y", "3  MARCH 2001").unwrap(), "20010303");
        assert_eq!(plain("%Y %j", "2000 366").unwrap(), "20001231");
        assert_eq!(plain("%Y-%m-%d", "0012-01-02").unwrap(), "120102");
        for wrong in ["1996-02-30", "1996-13-01", "1996-12-19 ", "96-12-19", ""] {
            assert_eq!(plain("%Y-%m-%d", wrong), None, "{wrong}");
        }
        assert!(DatePattern::parse("%Y-%Q").is_err());
        assert!(DatePattern::parse("%Y-%Y").is_err());
        assert!(DatePattern::parse("%").is_err());
    }
}
