//! The words of a text, with their places: what the tagger and the search for names work on.
//!
//! # Idea
//! 1. Blanks cut a text into pieces. A piece that is a web address is one token ([`crate::text::site`]); so is `www yahoo com`,
//!    as people type it.
//! 2. Other pieces are cut into words: letters and digits of any script, with apostrophes and hyphens inside (`women's`,
//!    `e-mail`), dots inside abbreviations and numbers (`u.s.`, `3.5`), and `+` or `#` at the end (`c++`).
//! 3. Quotes, `_` and `+` are like blanks. Any other mark cuts: no phrase reaches over it.
//!
//! Scripts without blanks, such as Chinese, give one word a run.
//!
//! # Cost
//! One pass; the buffers are used again for the next text.

use crate::text::site;

/// What a token looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Word,
    /// Digits, maybe with a currency, a percent sign or an ordinal ending.
    Number,
    /// A web address. Its lower text is the name of the site, empty if it has none.
    Site,
}

/// A word with its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    /// Where it stands in the text.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where its lower text stands in [`Tokens::lower`].
    lower: (usize, usize),
    pub(super) shape: Shape,
    /// Whether no phrase reaches from the token before to this one.
    pub(super) cut: bool,
    /// Whether it has only letters a to z and digits.
    pub(super) plain: bool,
}

/// The tokens of a text.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    pub(super) list: Vec<Token>,
    /// The words in lower case one after the other, with `'` for all apostrophes and `-` for all hyphens.
    lower: String,
}

impl Tokens {
    /// The lower text of a token.
    pub(super) fn lower(&self, at: usize) -> &str {
        let (start, end) = self.list[at].lower;
        &self.lower[start..end]
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Cuts a text into tokens; what was there before is forgotten.
    pub(super) fn read(&mut self, text: &str) {
        self.list.clear();
        self.lower.clear();
        let mut cut = true;
        let mut from = 0;
        while let Some((start, end)) = next_piece(text, from) {
            from = end;
            let piece = &text[start..end];
            if let Some(found) = site::find(piece) {
                let name = found.name.map_or("", |name| &piece[name]);
                self.push(text, start + found.host.start, start + found.host.end, Shape::Site, true);
                self.relower(name);
                cut = true;
                continue;
            }
            if piece.eq_ignore_ascii_case("www")
                && let Some(end) = self.spread_site(text, start, end)
            {
                from = end;
                cut = true;
                continue;
            }
            cut = self.read_piece(text, start, end, cut);
            if is_com(piece) {
                self.join_com(text, end);
            }
        }
    }

    /// `www yahoo com`: an address with blanks for dots. Gives where it ends.
    fn spread_site(&mut self, text: &str, www: usize, after: usize) -> Option<usize> {
        let (start, mut end) = next_piece(text, after)?;
        let name = &text[start..end];
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') || site::is_ending(name) {
            return None;
        }
        if let Some((ending, last)) = next_piece(text, end)
            && site::is_ending(&text[ending..last])
        {
            end = last;
        }
        self.push(text, www, end, Shape::Site, true);
        self.relower(name);
        Some(end)
    }

    /// `yahoo com`: the word before `com` is the name of a site.
    fn join_com(&mut self, text: &str, end: usize) {
        let [.., name, com] = self.list.as_slice() else { return };
        let (name, com) = (*name, *com);
        let known = name.shape == Shape::Word && name.plain && !com.cut && &text[name.start..name.end] != "dot";
        if known {
            self.list.pop();
            self.lower.truncate(com.lower.0);
            let at = self.list.len() - 1;
            let token = &mut self.list[at];
            (token.end, token.shape, token.cut) = (end, Shape::Site, true);
        }
    }

    /// Reads a piece without blanks; gives whether the next token is cut off from it.
    fn read_piece(&mut self, text: &str, start: usize, end: usize, mut cut: bool) -> bool {
        let piece = &text[start..end];
        let dotted = piece.contains('.') && is_abbreviation(piece);
        let mut at = start;
        while at < end {
            let letter = first(&text[at..end]);
            let next = at + letter.len_utf8();
            let before_digit = is_currency(letter) && text[next..end].starts_with(|digit: char| digit.is_ascii_digit());
            if is_inside(letter) || before_digit {
                let stop = word_end(text, next, end, dotted);
                let shape = if is_number(&text[at..stop]) { Shape::Number } else { Shape::Word };
                self.push(text, at, stop, shape, cut);
                cut = false;
                at = stop;
            } else if letter == '&' {
                // A word of its own: `bed & breakfast`.
                self.push(text, at, next, Shape::Word, cut);
                self.relower("and");
                cut = false;
                at = next;
            } else {
                let is_last_dot = letter == '.' && next == end && (dotted || is_title(&text[start..at]));
                cut |= !(is_like_blank(letter) || is_last_dot);
                at = next;
            }
        }
        cut
    }

    fn push(&mut self, text: &str, start: usize, end: usize, shape: Shape, cut: bool) {
        let from = self.lower.len();
        let word = &text[start..end];
        let mut plain = true;
        for &byte in word.as_bytes() {
            if !byte.is_ascii_alphanumeric() {
                plain = false;
                break;
            }
            self.lower.push(byte.to_ascii_lowercase() as char);
        }
        if !plain {
            self.lower.truncate(from);
            push_lower(word, &mut self.lower);
        }
        let lower = (from, self.lower.len());
        self.list.push(Token { start, end, lower, shape, cut, plain });
    }

    /// Gives the last token another lower text.
    fn relower(&mut self, word: &str) {
        if let Some(token) = self.list.last_mut() {
            self.lower.truncate(token.lower.0);
            push_lower(word, &mut self.lower);
            token.lower.1 = self.lower.len();
            token.plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric());
        }
    }
}

/// Adds a word in lower case, with one sort of apostrophe and one of hyphen.
fn push_lower(word: &str, out: &mut String) {
    for letter in word.chars().flat_map(char::to_lowercase) {
        out.push(match letter {
            _ if is_apostrophe(letter) => '\'',
            _ if is_hyphen(letter) => '-',
            _ => letter,
        });
    }
}

/// A whole text as the key of a name: in lower case, with single blanks, marks kept.
pub(super) fn push_raw_key(text: &str, out: &mut String) {
    let from = out.len();
    let mut blank = false;
    for letter in text.chars() {
        if letter.is_whitespace() || letter.is_control() || letter == '_' {
            blank = out.len() > from;
            continue;
        }
        if std::mem::take(&mut blank) {
            out.push(' ');
        }
        let apart = |letter: char| if is_apostrophe(letter) { '\'' } else { letter };
        out.extend(letter.to_lowercase().map(apart));
    }
}

/// The next run without blanks.
fn next_piece(text: &str, from: usize) -> Option<(usize, usize)> {
    let is_blank = |letter: char| letter.is_whitespace() || letter.is_control();
    let start = from + text[from..].find(|letter| !is_blank(letter))?;
    let end = text[start..].find(is_blank).map_or(text.len(), |at| start + at);
    Some((start, end))
}

fn first(text: &str) -> char {
    text.chars().next().unwrap_or(' ')
}

/// Where the word ends that goes on at `at`.
fn word_end(text: &str, mut at: usize, end: usize, dotted: bool) -> usize {
    let mut before = text[..at].chars().next_back().unwrap_or(' ');
    while at < end {
        let letter = first(&text[at..end]);
        let next = at + letter.len_utf8();
        let after = text[next..end].chars().next();
        let goes_on = if is_inside(letter) {
            true
        } else {
            match (letter, after) {
                (_, Some(after)) if is_apostrophe(letter) || is_hyphen(letter) => is_inside(before) && is_inside(after),
                ('.' | ',', Some(after)) if before.is_ascii_digit() && after.is_ascii_digit() => true,
                ('.', Some(after)) => dotted && is_inside(after),
                ('&', Some(after)) => is_inside(before) && is_inside(after),
                ('%', _) => before.is_ascii_digit(),
                ('+' | '#', _) => {
                    let reaches_end = text[next..end].bytes().all(|byte| byte == b'+' || byte == b'#');
                    return if reaches_end { end } else { at };
                }
                _ => false,
            }
        };
        if !goes_on {
            return at;
        }
        before = letter;
        at = next;
    }
    end
}

/// Whether every part between dots is short, as in `u.s.`, `e.g.` and `ph.d`.
fn is_abbreviation(piece: &str) -> bool {
    let parts = piece.trim_end_matches('.').split('.');
    parts.clone().count() > 1
        && parts.clone().all(|part| matches!(part.len(), 1 | 2) && part.chars().all(char::is_alphabetic))
}

/// Whether a dot after a word belongs to it.
fn is_title(word: &str) -> bool {
    const TITLES: [&str; 11] = ["dr", "fort", "ft", "jr", "mr", "mrs", "ms", "mt", "no", "sr", "st"];
    TITLES.iter().any(|title| title.eq_ignore_ascii_case(word))
}

/// Letters, digits, accents that stand apart, and the marks inside words of southern Asia.
fn is_inside(letter: char) -> bool {
    letter.is_alphanumeric()
        || matches!(letter, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}' | '\u{900}'..='\u{963}')
        || matches!(letter, '\u{981}'..='\u{e4e}' | '\u{200c}' | '\u{200d}')
}

fn is_apostrophe(letter: char) -> bool {
    matches!(letter, '\'' | '\u{2019}' | '\u{2bc}' | '`')
}

fn is_hyphen(letter: char) -> bool {
    matches!(letter, '-' | '\u{2010}' | '\u{2011}')
}

fn is_currency(letter: char) -> bool {
    matches!(letter, '$' | '€' | '£' | '¥')
}

fn is_like_blank(letter: char) -> bool {
    matches!(letter, '_' | '+' | '"' | '\u{201c}' | '\u{201d}' | '\'' | '\u{2018}' | '\u{2019}' | '`' | '#' | '*')
        || is_currency(letter)
}

/// Digits with marks of numbers, or an ordinal such as `2nd`.
fn is_number(word: &str) -> bool {
    let digits = word.trim_start_matches(is_currency);
    let rest = digits.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.' || letter == ',');
    digits.len() > rest.len() && matches!(rest, "" | "%" | "st" | "nd" | "rd" | "th")
}

fn is_com(piece: &str) -> bool {
    piece.eq_ignore_ascii_case("com")
}
