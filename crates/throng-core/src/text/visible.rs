//! Text that came from outside, made harmless for a terminal: what moves, hides or colours other text is written as its code.
//!
//! A query, a column or a file may be called anything. Raw on a terminal, ESC, DEL, the C1 controls and the marks that turn
//! the direction of writing around could overwrite what the program says, or read differently from what it is.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text with everything that is not to be seen as `\u{…}`. Line ends and tabs stay: they are the program's own.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(
        text,
        |letter| is_hidden(letter) && letter != '\n' && letter != '\t',
        |letter, into| {
            into.extend(letter.escape_unicode());
        },
    )
}

/// The same for a text that is part of a line: line ends and tabs are written as their codes, too.
pub fn on_one_line(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden, |letter, into| into.extend(letter.escape_debug()))
}

/// The same for JSON, where a code is written in another way and reads as the same text.
pub fn visible_json(text: &str) -> Cow<'_, str> {
    escaped(
        text,
        |letter| is_hidden(letter) && letter != '\n',
        |letter, into| {
            let _ = write!(into, "\\u{:04x}", u32::from(letter));
        },
    )
}

/// Whether a character is none to see, but one that acts on others.
fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escaped(text: &str, is_hidden: impl Fn(char) -> bool, escape: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if !text.contains(&is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_hidden(letter) { escape(letter, &mut shown) } else { shown.push(letter) }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}[2J\u{7f}\u{9b}31m\u{202e}b\u{2028}\r\n\u{e9}\u{200d}";

    #[test]
    fn what_acts_on_a_terminal_is_written_as_its_code() {
        assert_eq!(visible(HOSTILE), "a\\u{1b}[2J\\u{7f}\\u{9b}31m\\u{202e}b\\u{2028}\\u{d}\n\u{e9}\u{200d}");
        assert_eq!(on_one_line(HOSTILE), "a\\u{1b}[2J\\u{7f}\\u{9b}31m\\u{202e}b\\u{2028}\\r\\n\u{e9}\u{200d}");
        assert!(matches!(visible("plain \u{e9}\n"), Cow::Borrowed(_)));
    }
}
