//! E-mail addresses, also with `%40` for `@`.
//!
//! Paper      RFC 5321 and 5322, as people use them: no quotes, no comments.
//!
//! # Idea
//! 1. Every `@` is an anchor. To its left stand letters, digits and `. _ + - '`, to its right labels with dots between them.
//! 2. The last label is letters alone, and no ending of a picture or script: `logo@2x.png` is none.
//!
//! # Cost
//! Linear: what lies between two `@` is looked at twice.

use std::ops::Range;

use super::look::{Look, class};
use super::{Finder, Scrub};
use crate::info::Info;

pub(super) static FINDER: Finder = Finder {
    info: Info {
        name: "email",
        summary: "e-mail addresses, also with %40",
        paper: "RFC 5321 and 5322, as people use them.",
        details: "Letters, digits and . _ + - ' before an @ (or %40), a host with at least two labels after it, the last of \
                  letters alone. Endings of pictures and scripts (logo@2x.png) are none. Quoted names, comments and addresses \
                  without a dot in the host are not found.",
        parameters: &[],
    },
    usual: Scrub::Mask,
    even_if_shared: false,
    may_have: |shape| shape.has(class::AT | class::DOT),
    find,
};

fn find(look: &Look<'_>, places: &mut Vec<Range<usize>>) {
    let bytes = look.bytes();
    for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == b'@') {
        let is_local = |byte: u8| is_host(byte) || matches!(byte, b'_' | b'+' | b'\'');
        let mut start = at;
        while start > 0 && is_local(bytes[start - 1]) {
            start -= 1;
        }
        while start < at && matches!(bytes[start], b'.' | b'-' | b'\'' | b'+') {
            start += 1;
        }
        let mut end = at + 1;
        while end < bytes.len() && is_host(bytes[end]) {
            end += 1;
        }
        while end > at + 1 && matches!(bytes[end - 1], b'.' | b'-') {
            end -= 1;
        }
        // A text never ends inside of a character: all bytes beyond ASCII are inside.
        if start < at && bytes[at - 1] != b'.' && is_domain(&look.text[at + 1..end]) {
            places.push(start..end);
        }
    }
}

fn is_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 128 || matches!(byte, b'.' | b'-')
}

/// What comes after an `@` in names of files and packages.
const ENDINGS: [&str; 14] =
    ["png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "js", "mjs", "css", "html", "php", "json", "xml"];

fn is_domain(host: &str) -> bool {
    let mut labels = host.rsplit('.');
    let Some(last) = labels.next() else { return false };
    let is_last = last.chars().count() >= 2
        && (last.chars().all(char::is_alphabetic) || last.starts_with("xn--"))
        && last.len() <= 63
        && !ENDINGS.iter().any(|ending| last.eq_ignore_ascii_case(ending));
    let mut count = 0;
    let are_labels = labels.all(|label| {
        count += 1;
        !label.is_empty() && label.len() <= 63 && !label.starts_with('-') && !label.ends_with('-')
    });
    is_last && are_labels && count > 0
}

#[cfg(test)]
mod tests {
    use crate::finders::tests::{assert_finds, assert_none};

    #[test]
    fn addresses() {
        assert_finds(
            "email",
            &[
                ("mail ann.doe+news@mail.example.co.uk, please", "ann.doe+news@mail.example.co.uk"),
                ("<o'neil_7@example.org>", "o'neil_7@example.org"),
                ("'bob@example.com'", "bob@example.com"),
                ("http://x.example/?to=ann%40example.com&y=1", "ann%40example.com"),
                ("mailto:A-B@EXAMPLE.COM.", "A-B@EXAMPLE.COM"),
                ("j\u{fc}rgen@b\u{fc}cher.example", "j\u{fc}rgen@b\u{fc}cher.example"),
                ("x\u{ff20}y.example", "x\u{ff20}y.example"),
                ("an\u{200b}n@example.com", "an\u{200b}n@example.com"),
            ],
        );
        assert_none(
            "email",
            &[
                "ann @ home",
                "@ann.doe",
                "ann@home",
                "logo@2x.png",
                "react@18.2.0",
                "photos/123@N00/",
                "a@b@c",
                "a@.com",
                "a@-x.com",
                "a.@x.com",
                "100%40",
                "@",
                "a@x.c",
                "a@x..com",
            ],
        );
    }

    #[test]
    fn two_addresses_are_two() {
        let text = "ann@x.example;bob@y.example";
        assert_finds("email", &[(text, "ann@x.example"), (text, "bob@y.example")]);
    }
}
