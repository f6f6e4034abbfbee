//! Conditions: `proof.profile-match.rate <= 0.05 and proof.verdict != 'above'`, of a step's `when` over what earlier steps found, and of
//! `select` and `filter` over the columns of a row.
//!
//! # Language
//! Numbers and words are compared by `<`, `<=`, `==`, `!=`, `>=`, `>`; comparisons are joined by `and`, `or`, `not` and parentheses, of
//! which `not` binds most and `or` least. A word stands in quotes, `'above'`, with a doubled quote for one inside. Names have letters,
//! digits, `_`, `-` and `.`; others stand in backticks. `<` and its like compare numbers alone.
//!
//! Does not   compute: there is no arithmetic. A value that is not there is no value: to compare it is an error, for a condition that
//!            guards a publication must not hold by accident.

use std::ops::Range;

use serde_json::Value;
use throng_core::{Error, Result};

use super::limits::{DEEPEST_CONDITION, LONGEST_CONDITION};

/// A condition.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Condition {
    Compare(Operand, Comparison, Operand),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
}

/// What is compared.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Operand {
    Number(f64),
    Word(String),
    Truth(bool),
    /// A name, and where it stands in the condition.
    Name(String, Range<usize>),
}

/// How it is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Less,
    AtMost,
    Equal,
    Unequal,
    AtLeast,
    Greater,
}

/// A value of a name.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Known<'a> {
    Number(f64),
    Word(&'a str),
    Truth(bool),
}

/// Something that a condition is made of.
#[derive(Debug, Clone, PartialEq)]
enum Token {
    Open,
    Close,
    And,
    Or,
    Not,
    Compare(Comparison),
    Operand(Operand),
}

/// What is wrong with a condition, and where in it.
pub(super) type Wrong = (Range<usize>, Error);

impl Condition {
    /// Reads a condition.
    pub(super) fn read(text: &str) -> std::result::Result<Self, Wrong> {
        if text.len() > LONGEST_CONDITION {
            return Err((0..0, Error::data(format!("the condition is longer than {LONGEST_CONDITION} bytes"))));
        }
        let tokens = tokens(text)?;
        let mut parser = Parser { tokens: &tokens, at: 0, end: text.len() };
        let condition = parser.either(0)?;
        match parser.tokens.get(parser.at) {
            None => Ok(condition),
            Some((_, at)) => Err(expected("`and`, `or` or the end", at.clone())),
        }
    }

    /// Every name in it, with its place.
    pub(super) fn names(&self) -> Vec<(&str, &Range<usize>)> {
        match self {
            Self::Compare(one, _, other) => [one, other]
                .into_iter()
                .filter_map(|operand| match operand {
                    Operand::Name(name, at) => Some((name.as_str(), at)),
                    _ => None,
                })
                .collect(),
            Self::And(one, other) | Self::Or(one, other) => one.names().into_iter().chain(other.names()).collect(),
            Self::Not(inner) => inner.names(),
        }
    }

    /// Whether it holds. Both sides of `and` and `or` are looked at, so that what is missing is always said.
    pub(super) fn holds<'a>(&'a self, value_of: &impl Fn(&'a str) -> Result<Known<'a>>) -> Result<bool> {
        match self {
            Self::Compare(one, comparison, other) => {
                compare(&one.value(value_of)?, *comparison, &other.value(value_of)?)
            }
            Self::And(one, other) => {
                let (one, other) = (one.holds(value_of)?, other.holds(value_of)?);
                Ok(one && other)
            }
            Self::Or(one, other) => {
                let (one, other) = (one.holds(value_of)?, other.holds(value_of)?);
                Ok(one || other)
            }
            Self::Not(inner) => Ok(!inner.holds(value_of)?),
        }
    }
}

impl Operand {
    fn value<'a>(&'a self, value_of: &impl Fn(&'a str) -> Result<Known<'a>>) -> Result<Known<'a>> {
        match self {
            Self::Number(number) => Ok(Known::Number(*number)),
            Self::Word(word) => Ok(Known::Word(word)),
            Self::Truth(yes) => Ok(Known::Truth(*yes)),
            Self::Name(name, _) => value_of(name),
        }
    }
}

impl<'a> Known<'a> {
    /// A value of JSON, if it is one that can be compared.
    pub(super) fn of(value: &'a Value) -> Option<Self> {
        match value {
            Value::Number(number) => number.as_f64().map(Self::Number),
            Value::String(word) => Some(Self::Word(word)),
            Value::Bool(yes) => Some(Self::Truth(*yes)),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    fn what(&self) -> &'static str {
        match self {
            Self::Number(_) => "a number",
            Self::Word(_) => "a word",
            Self::Truth(_) => "true or false",
        }
    }
}

fn compare(one: &Known<'_>, comparison: Comparison, other: &Known<'_>) -> Result<bool> {
    use Comparison::{AtLeast, AtMost, Equal, Greater, Less, Unequal};
    match (one, comparison, other) {
        (Known::Number(one), _, Known::Number(other)) => Ok(match comparison {
            Less => one < other,
            AtMost => one <= other,
            Equal => one == other,
            Unequal => one != other,
            AtLeast => one >= other,
            Greater => one > other,
        }),
        (Known::Word(one), Equal | Unequal, Known::Word(other)) => Ok((one == other) == (comparison == Equal)),
        (Known::Truth(one), Equal | Unequal, Known::Truth(other)) => Ok((one == other) == (comparison == Equal)),
        (Known::Word(_), _, Known::Word(_)) | (Known::Truth(_), _, Known::Truth(_)) => {
            Err(Error::data(format!("{} can only be compared by `==` and `!=`", one.what())))
        }
        _ => Err(Error::data(format!("{} cannot be compared with {}", one.what(), other.what()))),
    }
}

fn expected(what: &str, at: Range<usize>) -> Wrong {
    let error = Error::data(format!("the condition cannot be understood: {what} is expected here")).with_hint(
        "for example: proof.verdict != 'above' and (proof.profile-match.rate <= 0.05 or not k.persons > 100)",
    );
    (at, error)
}

fn tokens(text: &str) -> std::result::Result<Vec<(Token, Range<usize>)>, Wrong> {
    let bytes = text.as_bytes();
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let start = at;
        let token = match bytes[at] {
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'(' | b')' => {
                at += 1;
                if bytes[start] == b'(' { Token::Open } else { Token::Close }
            }
            b'<' | b'>' | b'=' | b'!' => {
                let with_equal = bytes.get(at + 1) == Some(&b'=');
                at += if with_equal { 2 } else { 1 };
                Token::Compare(match (bytes[start], with_equal) {
                    (b'<', true) => Comparison::AtMost,
                    (b'<', false) => Comparison::Less,
                    (b'>', true) => Comparison::AtLeast,
                    (b'>', false) => Comparison::Greater,
                    (b'=', true) => Comparison::Equal,
                    (b'!', true) => Comparison::Unequal,
                    _ => return Err(expected("`<`, `<=`, `==`, `!=`, `>=` or `>`", start..at)),
                })
            }
            quote @ (b'\'' | b'"' | b'`') => {
                let Some((inside, length)) = quoted(&text[at..], quote) else {
                    return Err(expected("the end of what is quoted", start..text.len()));
                };
                at += length;
                Token::Operand(if quote == b'`' { Operand::Name(inside, start..at) } else { Operand::Word(inside) })
            }
            _ => {
                let is_name = |letter: char| letter.is_alphanumeric() || "_-.+".contains(letter);
                let length: usize = text[at..].chars().take_while(|letter| is_name(*letter)).map(char::len_utf8).sum();
                if length == 0 {
                    let one = text[at..].chars().next().map_or(1, char::len_utf8);
                    return Err(expected("a name, a number or a word in quotes", start..start + one));
                }
                at += length;
                named(&text[start..at], start..at)
            }
        };
        tokens.push((token, start..at));
    }
    Ok(tokens)
}

fn named(word: &str, at: Range<usize>) -> Token {
    match word {
        "and" => Token::And,
        "or" => Token::Or,
        "not" => Token::Not,
        "true" | "false" => Token::Operand(Operand::Truth(word == "true")),
        _ => {
            let looks_like_number = word.starts_with(|letter: char| letter.is_ascii_digit() || "+-.".contains(letter));
            let number = word.parse::<f64>().ok().filter(|number| looks_like_number && number.is_finite());
            Token::Operand(number.map_or_else(|| Operand::Name(word.to_owned(), at), Operand::Number))
        }
    }
}

/// What stands in quotes, and how long it is with them.
fn quoted(text: &str, quote: u8) -> Option<(String, usize)> {
    let quote = char::from(quote);
    let mut inside = String::new();
    let mut letters = text.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        if letter != quote {
            inside.push(letter);
        } else if letters.peek().is_some_and(|(_, next)| *next == quote) {
            inside.push(quote);
            letters.next();
        } else {
            return Some((inside, at + 1));
        }
    }
    None
}

struct Parser<'t> {
    tokens: &'t [(Token, Range<usize>)],
    at: usize,
    /// The length of the text, for what is missing at its end.
    end: usize,
}

impl Parser<'_> {
    fn next_is(&mut self, token: &Token) -> bool {
        let is_it = self.tokens.get(self.at).is_some_and(|(next, _)| next == token);
        self.at += usize::from(is_it);
        is_it
    }

    fn place(&self) -> Range<usize> {
        self.tokens.get(self.at).map_or(self.end..self.end, |(_, at)| at.clone())
    }

    fn either(&mut self, depth: usize) -> std::result::Result<Condition, Wrong> {
        let mut condition = self.both(depth)?;
        while self.next_is(&Token::Or) {
            condition = Condition::Or(Box::new(condition), Box::new(self.both(depth)?));
        }
        Ok(condition)
    }

    fn both(&mut self, depth: usize) -> std::result::Result<Condition, Wrong> {
        let mut condition = self.single(depth)?;
        while self.next_is(&Token::And) {
            condition = Condition::And(Box::new(condition), Box::new(self.single(depth)?));
        }
        Ok(condition)
    }

    fn single(&mut self, depth: usize) -> std::result::Result<Condition, Wrong> {
        if depth > DEEPEST_CONDITION {
            return Err((self.place(), Error::data("the condition is nested too deeply")));
        }
        if self.next_is(&Token::Not) {
            return Ok(Condition::Not(Box::new(self.single(depth + 1)?)));
        }
        if self.next_is(&Token::Open) {
            let inner = self.either(depth + 1)?;
            let at = self.place();
            return if self.next_is(&Token::Close) { Ok(inner) } else { Err(expected("`)`", at)) };
        }
        let one = self.operand()?;
        let at = self.place();
        let Some((Token::Compare(comparison), _)) = self.tokens.get(self.at) else {
            return Err(expected("`<`, `<=`, `==`, `!=`, `>=` or `>`", at));
        };
        self.at += 1;
        let other_at = self.place();
        let other = self.operand()?;
        let is_order = !matches!(comparison, Comparison::Equal | Comparison::Unequal);
        let is_word = |operand: &Operand| matches!(operand, Operand::Word(_) | Operand::Truth(_));
        if is_order && (is_word(&one) || is_word(&other)) {
            return Err((at, Error::data("words are compared by `==` and `!=` alone")));
        }
        if ![&one, &other].iter().any(|operand| matches!(operand, Operand::Name(..))) {
            return Err((other_at, Error::data("the comparison names nothing that could change")));
        }
        Ok(Condition::Compare(one, *comparison, other))
    }

    fn operand(&mut self) -> std::result::Result<Operand, Wrong> {
        let at = self.place();
        match self.tokens.get(self.at) {
            Some((Token::Operand(operand), _)) => {
                self.at += 1;
                Ok(operand.clone())
            }
            _ => Err(expected("a name, a number or a word in quotes", at)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str) -> Result<bool> {
        let condition = Condition::read(text).map_err(|(at, error)| error.in_column(at.start.to_string()))?;
        condition.holds(&|name| match name {
            "a.rate" => Ok(Known::Number(0.03)),
            "a.verdict" => Ok(Known::Word("below")),
            "a.exact" => Ok(Known::Truth(true)),
            "Query Time" => Ok(Known::Word("it's late")),
            _ => Err(Error::data(format!("there is no {name}"))),
        })
    }

    #[test]
    fn comparisons_and_how_they_bind() {
        for (text, expected) in [
            ("a.rate <= 0.05 and a.verdict != 'above'", true),
            ("a.rate<=3e-2", true),
            ("a.rate < 0.03 or a.rate > 0.03", false),
            ("not a.rate > 1 and a.verdict == \"below\"", true),
            ("not (a.rate < 1 and a.verdict == 'below')", false),
            // `and` binds more than `or`.
            ("a.rate < 1 or a.rate < 1 and a.rate > 1", true),
            ("(a.rate < 1 or a.rate < 1) and a.rate > 1", false),
            ("not not a.exact == true", true),
            ("-1 < a.rate", true),
            ("`Query Time` == 'it''s late'", true),
        ] {
            assert_eq!(holds(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_missing_is_an_error_on_either_side() {
        assert_eq!(holds("a.rate < 1 or b.rate < 1").unwrap_err().to_string(), "there is no b.rate");
        assert_eq!(holds("a.rate > 1 and b.rate < 1").unwrap_err().to_string(), "there is no b.rate");
        assert_eq!(holds("a.rate == 'x'").unwrap_err().to_string(), "a number cannot be compared with a word");
        let error = holds("a.verdict < a.verdict").unwrap_err();
        assert_eq!(error.to_string(), "a word can only be compared by `==` and `!=`");
    }

    #[test]
    fn what_cannot_be_understood_names_its_place() {
        for (text, at) in [
            ("", 0),
            ("a.rate", 6),
            ("a.rate <", 8),
            ("a.rate = 1", 7),
            ("a.rate < 1 b", 11),
            ("(a.rate < 1", 11),
            ("a.rate < 'x", 9),
            ("a.rate < 'x'", 7),
            ("1 < 2", 4),
            ("a.rate < 1 and", 14),
            ("a ? b", 2),
        ] {
            assert_eq!(Condition::read(text).unwrap_err().0.start, at, "{text}");
        }
        assert!(Condition::read(&"not ".repeat(100)).is_err());
        assert!(Condition::read(&"(".repeat(4000)).is_err());
        assert!(Condition::read(&"a".repeat(5000)).is_err());
    }
}
