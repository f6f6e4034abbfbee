//! Soundex and NYSIIS: names that sound alike have one code.
//!
//! Papers     Russell. US patent 1,261,167, 1918 (Soundex, as the National Archives write it: `h` and `w` part nothing).
//!            Taft. Name Search Techniques. New York State Identification and Intelligence System, 1970.
//! Cost       Linear in the name.
//! Does not   know other languages than English: letters outside `a` to `z` are first taken to their plain form, or left out.

use crate::text::accents::push_plain;

/// The letters of a name in capitals, without accents and everything that is no letter.
fn letters(name: &str) -> Vec<u8> {
    let mut plain = String::new();
    name.chars().flat_map(char::to_lowercase).for_each(|letter| push_plain(letter, &mut plain));
    plain.bytes().filter(u8::is_ascii_alphabetic).map(|letter| letter.to_ascii_uppercase()).collect()
}

/// The Soundex code of a name, a letter and three digits; empty for a text without letters.
pub fn soundex(name: &str) -> String {
    let letters = letters(name);
    let Some(&first) = letters.first() else { return String::new() };
    let digit = |letter: u8| match letter {
        b'B' | b'F' | b'P' | b'V' => b'1',
        b'C' | b'G' | b'J' | b'K' | b'Q' | b'S' | b'X' | b'Z' => b'2',
        b'D' | b'T' => b'3',
        b'L' => b'4',
        b'M' | b'N' => b'5',
        b'R' => b'6',
        _ => b'0',
    };
    let mut code = vec![first];
    let mut last = digit(first);
    for &letter in &letters[1..] {
        let own = digit(letter);
        if own != b'0' && own != last {
            code.push(own);
            if code.len() == 4 {
                break;
            }
        }
        if !matches!(letter, b'H' | b'W') {
            last = own;
        }
    }
    code.resize(4, b'0');
    String::from_utf8(code).unwrap_or_default()
}

/// The NYSIIS code of a name, whole and not cut to six letters; empty for a text without letters.
pub fn nysiis(name: &str) -> String {
    let mut name = letters(name);
    if name.is_empty() {
        return String::new();
    }
    for (from, to) in [("MAC", "MCC"), ("KN", "NN"), ("K", "C"), ("PH", "FF"), ("PF", "FF"), ("SCH", "SSS")] {
        if name.starts_with(from.as_bytes()) {
            name.splice(..from.len(), to.bytes());
            break;
        }
    }
    for (from, to) in [("EE", "Y"), ("IE", "Y"), ("DT", "D"), ("RT", "D"), ("RD", "D"), ("NT", "D"), ("ND", "D")] {
        if name.ends_with(from.as_bytes()) {
            name.truncate(name.len() - from.len());
            name.extend(to.bytes());
            break;
        }
    }
    let is_vowel = |letter: u8| matches!(letter, b'A' | b'E' | b'I' | b'O' | b'U');
    let mut code = vec![name[0]];
    let mut at = 1;
    while at < name.len() {
        let next = |more: usize| name.get(at + more).copied().unwrap_or(0);
        let letter = name[at];
        let (coded, used): (&[u8], usize) = match letter {
            b'E' if next(1) == b'V' => (b"AF", 2),
            _ if is_vowel(letter) => (b"A", 1),
            b'Q' => (b"G", 1),
            b'Z' => (b"S", 1),
            b'M' => (b"N", 1),
            b'K' if next(1) == b'N' => (b"N", 2),
            b'K' => (b"C", 1),
            b'S' if next(1) == b'C' && next(2) == b'H' => (b"SSS", 3),
            b'P' if next(1) == b'H' => (b"FF", 2),
            b'H' if !is_vowel(name[at - 1]) || (at + 1 < name.len() && !is_vowel(next(1))) || at + 1 == name.len() => {
                (if is_vowel(name[at - 1]) { b"A" } else { std::slice::from_ref(&name[at - 1]) }, 1)
            }
            b'W' if is_vowel(name[at - 1]) => (b"A", 1),
            _ => (std::slice::from_ref(&name[at]), 1),
        };
        for &coded in coded {
            if code.last() != Some(&coded) {
                code.push(coded);
            }
        }
        at += used;
    }
    if code.len() > 1 && code.last() == Some(&b'S') {
        code.pop();
    }
    if code.ends_with(b"AY") {
        code.truncate(code.len() - 2);
        code.push(b'Y');
    }
    if code.len() > 1 && code.last() == Some(&b'A') {
        code.pop();
    }
    String::from_utf8(code).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soundex_as_the_archives_have_it() {
        for (name, code) in [
            ("Robert", "R163"),
            ("Rupert", "R163"),
            ("Rubin", "R150"),
            ("Ashcraft", "A261"),
            ("Tymczak", "T522"),
            ("Pfister", "P236"),
            ("Honeyman", "H555"),
            ("Washington", "W252"),
            ("Lee", "L000"),
            ("Müller", "M460"),
            ("", ""),
            ("42", ""),
        ] {
            assert_eq!(soundex(name), code, "{name}");
        }
    }

    #[test]
    fn nysiis_as_it_is_published() {
        for (name, code) in [
            ("Knight", "NAGT"),
            ("MacDonald", "MCDANALD"),
            ("Phillips", "FALAP"),
            ("Schmidt", "SNAD"),
            ("Lee", "LY"),
            ("Watkins", "WATCAN"),
            ("Johnson", "JANSAN"),
            ("", ""),
        ] {
            assert_eq!(nysiis(name), code, "{name}");
        }
    }
}
