//! The words of a page: HTML without its tags, comments, scripts and styles, entities written out.
//!
//! # Idea
//! A stripper of our own, after the parts of the HTML standard that decide where text begins and ends: a `<` begins a tag
//! only before a letter, `/`, `!` or `?`; a `>` inside a quoted attribute ends nothing; the content of `script`, `style` and
//! `template` is no text. Tags that stand inside words (`<b>`, `<span>`) leave nothing, all others a line end.
//!
//! # Readings
//! Attributes are no words, `alt` and `title` neither. Entities are those of Latin-1, the quotes and dashes, and numbers;
//! others stay as they are written.
//!
//! # Cost
//! One pass; time and memory O(length).

/// Tags that do not end a word.
const INLINE: &[&str] = &[
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins",
    "kbd", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var",
    "wbr",
];

/// Tags whose content is no text.
const SILENT: &[&str] = &["script", "style", "template"];

/// Names of the characters 160 to 255.
const LATIN_1: [&str; 96] = [
    "nbsp", "iexcl", "cent", "pound", "curren", "yen", "brvbar", "sect", "uml", "copy", "ordf", "laquo", "not", "shy",
    "reg", "macr", "deg", "plusmn", "sup2", "sup3", "acute", "micro", "para", "middot", "cedil", "sup1", "ordm",
    "raquo", "frac14", "frac12", "frac34", "iquest", "Agrave", "Aacute", "Acirc", "Atilde", "Auml", "Aring", "AElig",
    "Ccedil", "Egrave", "Eacute", "Ecirc", "Euml", "Igrave", "Iacute", "Icirc", "Iuml", "ETH", "Ntilde", "Ograve",
    "Oacute", "Ocirc", "Otilde", "Ouml", "times", "Oslash", "Ugrave", "Uacute", "Ucirc", "Uuml", "Yacute", "THORN",
    "szlig", "agrave", "aacute", "acirc", "atilde", "auml", "aring", "aelig", "ccedil", "egrave", "eacute", "ecirc",
    "euml", "igrave", "iacute", "icirc", "iuml", "eth", "ntilde", "ograve", "oacute", "ocirc", "otilde", "ouml",
    "divide", "oslash", "ugrave", "uacute", "ucirc", "uuml", "yacute", "thorn", "yuml",
];

const OTHERS: &[(&str, char)] = &[
    ("amp", '&'),
    ("apos", '\''),
    ("bull", '\u{2022}'),
    ("euro", '\u{20ac}'),
    ("gt", '>'),
    ("hellip", '\u{2026}'),
    ("ldquo", '\u{201c}'),
    ("lsquo", '\u{2018}'),
    ("lt", '<'),
    ("mdash", '\u{2014}'),
    ("ndash", '\u{2013}'),
    ("OElig", '\u{152}'),
    ("oelig", '\u{153}'),
    ("quot", '"'),
    ("rdquo", '\u{201d}'),
    ("rsquo", '\u{2019}'),
    ("Scaron", '\u{160}'),
    ("scaron", '\u{161}'),
];

/// The text of a page.
pub(super) fn to_text(html: &str) -> String {
    let mut text = String::with_capacity(html.len() / 2);
    let mut rest = html;
    while let Some(at) = rest.find(['<', '&']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("<!--") {
            rest = after_text(after, "-->");
        } else if let Some(inside) = rest.strip_prefix("<![CDATA[") {
            let end = inside.find("]]>").unwrap_or(inside.len());
            text.push_str(&inside[..end]);
            rest = inside.get(end + 3..).unwrap_or_default();
        } else if let Some(after) = rest.strip_prefix('&') {
            match entity(after) {
                Some((letter, length)) => {
                    // A soft hyphen is no letter of its word.
                    text.extend(Some(letter).filter(|&letter| letter != '\u{ad}'));
                    rest = &after[length..];
                }
                None => {
                    text.push('&');
                    rest = after;
                }
            }
        } else {
            rest = tag(rest, &mut text);
        }
    }
    text.push_str(rest);
    text
}

/// Goes over what begins with `<`: a tag, with what it hides, or a mere character.
fn tag<'a>(html: &'a str, text: &mut String) -> &'a str {
    let inside = &html[1..];
    let is_closing = inside.starts_with('/');
    let name_at = usize::from(is_closing);
    let begins = |first: u8| first.is_ascii_alphabetic() || (!is_closing && matches!(first, b'!' | b'?'));
    if !inside.as_bytes().get(name_at).is_some_and(|&first| begins(first)) {
        text.push('<');
        return inside;
    }
    let name = &inside[name_at..];
    let length = name.find(|letter: char| letter.is_ascii_whitespace() || letter == '/' || letter == '>');
    let name = name[..length.unwrap_or(name.len())].to_ascii_lowercase();
    if !INLINE.contains(&name.as_str()) {
        text.push('\n');
    }
    let after = &inside[end_of_tag(inside)..];
    if is_closing || !SILENT.contains(&name.as_str()) {
        return after;
    }
    // Such an element ends with its own closing tag, whatever else is in it.
    let closing = format!("</{name}");
    let bytes = after.as_bytes();
    let starts = memchr::memchr_iter(b'<', bytes);
    let is_closing =
        |at: &usize| bytes[*at..].get(..closing.len()).is_some_and(|own| own.eq_ignore_ascii_case(closing.as_bytes()));
    match starts.into_iter().find(is_closing) {
        Some(at) => &after[at + end_of_tag(&after[at..])..],
        None => "",
    }
}

/// Where a tag ends, its `>` included. A `>` inside quotes is part of an attribute.
fn end_of_tag(html: &str) -> usize {
    let (mut quote, mut before) = (None, b' ');
    for (at, byte) in html.bytes().enumerate() {
        match quote {
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None if byte == b'>' => return at + 1,
            // A quote begins a value only after an equals sign.
            None if (byte == b'"' || byte == b'\'') && before == b'=' => quote = Some(byte),
            None => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
    html.len()
}

/// What comes after a mark.
fn after_text<'a>(html: &'a str, mark: &str) -> &'a str {
    html.find(mark).map_or("", |at| &html[at + mark.len()..])
}

/// The character of an entity that begins here, and how long it is, `;` included.
fn entity(text: &str) -> Option<(char, usize)> {
    let end = text.as_bytes().iter().take(12).position(|&byte| byte == b';')?;
    let name = &text[..end];
    let letter = if let Some(number) = name.strip_prefix('#') {
        let number = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => number.parse().ok()?,
        };
        char::from_u32(number)?
    } else if let Some(at) = LATIN_1.iter().position(|known| *known == name) {
        char::from_u32(160 + at as u32)?
    } else {
        OTHERS.iter().find(|(known, _)| *known == name)?.1
    };
    Some((letter, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(html: &str) -> Vec<String> {
        to_text(html).split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn what_is_text_and_what_is_not() {
        for (html, expected) in [
            ("<p>One<p>two<br>three", "One two three"),
            ("<!DOCTYPE html><html><head><title>A cat</title></head><body>sat", "A cat sat"),
            ("c<b>a</b>t and <em>dog</em>s", "cat and dogs"),
            ("a<script>if (1 < 2) { '</p>' }</SCRIPT>b<style>p { x: y }</style >c", "a b c"),
            ("a<!-- <p> b --> c<!--never ends", "a c"),
            ("<a title='x > y' href=\"z>w\">link</a> it's 3 < 4 and 5 <6", "link it's 3 < 4 and 5 <6"),
            ("<p class=it's>quote</p> end", "quote end"),
            (
                "caf&eacute; &amp; &#233;t&#xe9; AT&T &unknown; &lt;b&gt; sof&shy;ten",
                "caf\u{e9} & \u{e9}t\u{e9} AT&T &unknown; <b> soften",
            ),
            ("<![CDATA[x <y>]]> <?xml version='1.0'?>z", "x <y> z"),
            ("<script>never ends", ""),
            ("<td>1</td><td>2</td>", "1 2"),
            ("<", "<"),
            ("a <", "a <"),
            ("</", "</"),
            ("&", "&"),
        ] {
            assert_eq!(words(html).join(" "), expected, "{html}");
        }
    }

    proptest! {
        /// Nothing breaks it, and text without marks is itself.
        #[test]
        fn anything_is_read(html in "(<|>|/|script|style|!--|--|&|#|;|eacute|\"|=|'| |\u{e9}|a){0,24}", text in "[a-z\u{e9} .]*") {
            to_text(&html);
            prop_assert_eq!(to_text(&text), text);
        }
    }
}
