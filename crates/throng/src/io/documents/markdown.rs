//! The words of Markdown: without its marks, fenced code, link targets and front matter; HTML in it is read as such.
//!
//! # Idea
//! Line by line: a block of metadata at the top, fenced code and definitions of links are left out. Within a line
//! `[text](target)` and `![text](target)` are their text, a bare or bracketed address is nothing, and the marks of emphasis go.
//! What is left is HTML.
//!
//! # Readings
//! Code in a line (`` `x` ``) is words; a fenced block is code, and its words are nobody's. Indented code cannot be told from
//! lists without reading all of Markdown, and is words.
//!
//! # Cost
//! Time and memory O(length). Brackets of a line are paired once, and a mark that is not found is not looked for again: else
//! a line of openers that nothing closes would be read to its end for each of them.

use super::html;

/// The text of Markdown.
pub(super) fn to_text(markdown: &str) -> String {
    let mut html = String::with_capacity(markdown.len());
    let mut lines = without_front_matter(markdown).lines();
    while let Some(line) = lines.next() {
        let inner = line.trim_start();
        if let Some((mark, length)) = fence(inner) {
            let ends = |line: &str| {
                fence(line.trim_start()).is_some_and(|(own, long)| own == mark && long >= length)
                    && line.trim().chars().all(|letter| letter == mark)
            };
            // Code that never ends goes to the end, as the standard has it.
            lines.by_ref().find(|line| ends(line));
            continue;
        }
        if !is_definition(inner) {
            spans(line, &mut html);
        }
        html.push('\n');
    }
    html::to_text(&html)
}

/// What comes after metadata between two lines of dashes at the top.
fn without_front_matter(markdown: &str) -> &str {
    let text = markdown.strip_prefix('\u{feff}').unwrap_or(markdown);
    let Some(after) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else { return text };
    let mut at = 0;
    for line in after.split_inclusive('\n') {
        at += line.len();
        if matches!(line.trim_end(), "---" | "...") {
            return &after[at..];
        }
    }
    text
}

/// The mark of a fence that begins here and its length.
fn fence(line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line.chars().take_while(|&letter| letter == mark).count();
    // Three ticks with more in the same line are code within it.
    (length >= 3 && !(mark == '`' && line[length..].contains('`'))).then_some((mark, length))
}

/// Whether a line says where a link leads: `[name]: address`.
fn is_definition(line: &str) -> bool {
    line.starts_with('[') && line.find("]:").is_some_and(|at| !line[..at].contains('(') && !line.starts_with("[^"))
}

/// The text of a line, still with its HTML.
fn spans(line: &str, out: &mut String) {
    let mut rest = line;
    let mut before = ' ';
    let pairs = Pairs::of(line);
    // Whether there may be one of these in the rest.
    let (mut has_square, mut has_angle) = (true, true);
    while let Some(first) = rest.chars().next() {
        let after = &rest[first.len_utf8()..];
        let (taken, pushed) = match first {
            '\\' if after.starts_with(|letter: char| letter.is_ascii_punctuation()) => (2, None),
            '*' | '`' | '~' => (1, None),
            // Inside a word it is part of it, or nearly: the words are found in any case.
            '_' => (1, Some(' ')),
            ']' if after.starts_with('(') => match pairs.length(line.len() - after.len()) {
                Some(length) => (1 + length, None),
                None => (1, Some(' ')),
            },
            // The name of a definition.
            ']' if after.starts_with('[') => match find(after, ']', &mut has_square) {
                Some(at) => (1 + at + 1, None),
                None => (1, Some(' ')),
            },
            '[' | ']' => (1, None),
            '<' if is_address(after) => (1 + find(after, '>', &mut has_angle).map_or(0, |at| at + 1), Some(' ')),
            _ if !before.is_alphanumeric() && is_address(rest) => (
                rest.find(|letter: char| letter.is_whitespace() || "<>)".contains(letter)).unwrap_or(rest.len()),
                Some(' '),
            ),
            _ => (first.len_utf8(), Some(first)),
        };
        before = pushed.unwrap_or(before);
        out.extend(pushed);
        rest = &rest[taken..];
    }
}

/// Whether an address begins here.
fn is_address(text: &str) -> bool {
    ["http://", "https://", "ftp://", "mailto:", "www."].iter().any(|scheme| text.starts_with(scheme))
}

/// Where a mark is; if it is nowhere, it is in no rest of the text either.
fn find(text: &str, mark: char, may_be: &mut bool) -> Option<usize> {
    let at = if *may_be { text.find(mark) } else { None };
    *may_be &= at.is_some();
    at
}

/// The round brackets of a line that belong together: where they open and close, in the order of opening.
struct Pairs(Vec<(usize, usize)>);

impl Pairs {
    fn of(line: &str) -> Self {
        let (mut open, mut pairs) = (Vec::new(), Vec::new());
        for (at, byte) in line.bytes().enumerate() {
            match byte {
                b'(' => open.push(at),
                b')' => pairs.extend(open.pop().map(|start| (start, at))),
                _ => {}
            }
        }
        pairs.sort_unstable();
        Self(pairs)
    }

    /// How long the target in round brackets is that begins here, if it ends.
    fn length(&self, start: usize) -> Option<usize> {
        let at = self.0.binary_search_by_key(&start, |(start, _)| *start).ok()?;
        Some(self.0[at].1 + 1 - start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_text_and_what_is_not() {
        for (markdown, expected) in [
            ("# Big *cats*\n\nA **lion** and a _tiger_.", "# Big cats A lion and a tiger ."),
            ("before\n```rust\nlet cat = 1;\n```\nafter", "before after"),
            ("~~~~\ndog\n~~~\ndog\n~~~~\nend", "end"),
            ("```never ends\ndog", ""),
            ("see [the text](http://x.example/dog (cat)) here", "see the text here"),
            ("![a picture](img/cat.png \"title\")", "!a picture"),
            ("[text][name] rest\n\n[name]: http://dog.example", "text rest"),
            ("go to https://dog.example/cat?x=1 or <http://cat.example> now", "go to or now"),
            ("---\ntitle: cat\n---\nbody", "body"),
            ("---\nno end", "--- no end"),
            ("un*frig*ging `code` a<br>b &eacute; \\* c", "unfrigging code a b \u{e9} c"),
            ("| a | b |\n|---|---|\n| x | y |", "| a | b | |---|---| | x | y |"),
            ("> quoted <!-- hidden --> text", "> quoted text"),
            ("[", ""),
            ("a](", "a ("),
            ("x ](( a](b(c)d) e", "x (( a e"),
        ] {
            let words: Vec<String> = to_text(markdown).split_whitespace().map(str::to_owned).collect();
            assert_eq!(words.join(" "), expected, "{markdown}");
        }
    }

    /// Openers that nothing closes: each kind took half a minute, as the rest was looked through for each of them.
    #[test]
    fn openers_without_an_end() {
        for opener in ["[a](<b", "](", "][", "<http://", "[", "](a)", "(", "<a ", "<!", "&", "```a\n", "](["] {
            let text = opener.repeat(1_000_000 / opener.len());
            let start = std::time::Instant::now();
            to_text(&text);
            assert!(start.elapsed().as_secs() < 10, "{opener}");
        }
    }

    proptest! {
        #[test]
        fn anything_is_read(text in "(\\[|\\]|\\(|\\)|`|```|~~~|---\n|\n|<|>|www\\.|\\\\|\u{e9}|_|a| ){0,24}") {
            to_text(&text);
        }
    }
}
