//! Keys, tokens and sessions: what unlocks something, or tells one visit from all others.
//!
//! Paper      RFC 7519 (JSON web tokens), RFC 9562 (UUID), the prefixes that vendors document.
//!
//! # Idea
//! 1. A JSON web token: `eyJ` and three parts. A prefix that a vendor publishes, with what follows it. A UUID.
//! 2. A parameter whose name says token, key, sig, auth, session, pass or code, with a value of at least 16 characters and 3.5 bits
//!    of entropy a character.
//!
//! # Formula
//! Entropy of a value in bits a character: -Σ p log2 p over the shares p of its different characters.
//!
//! # Cost
//! Linear: each run of the characters of tokens is looked at once, and each parameter.

use std::ops::Range;

use super::look::{Look, class, runs};
use super::{Finder, Scrub};
use crate::info::Info;

pub(super) static FINDER: Finder = Finder {
    info: Info {
        name: "token",
        summary: "keys, tokens, sessions: JSON web tokens, known prefixes, parameters by name and entropy, UUIDs",
        paper: "RFC 7519, RFC 9562, and the prefixes that vendors document.",
        details: "A JSON web token; a prefix that a vendor publishes (ghp_, sk_live_, AKIA, …) with what follows it; a UUID; the \
                  value of a parameter whose name says token, key, sig, auth, session, pass or code, if it has at least 16 \
                  characters and 3.5 bits of entropy a character. Passwords that are words are not found. Masked however many \
                  persons have it.",
        parameters: &[],
    },
    usual: Scrub::Mask,
    even_if_shared: true,
    may_have: |shape| shape.has_long_run,
    find,
};

/// Prefixes, the least number of characters that follow, and whether these are upper-case letters and digits alone.
const PREFIXES: [(&str, usize, bool); 34] = [
    ("ghp_", 30, false),
    ("gho_", 30, false),
    ("ghu_", 30, false),
    ("ghs_", 30, false),
    ("ghr_", 30, false),
    ("github_pat_", 22, false),
    ("glpat-", 20, false),
    ("sk_live_", 16, false),
    ("sk_test_", 16, false),
    ("rk_live_", 16, false),
    ("pk_live_", 16, false),
    ("pk_test_", 16, false),
    ("whsec_", 24, false),
    ("sk-proj-", 20, false),
    ("sk-ant-", 20, false),
    ("sk-", 32, false),
    ("xoxb-", 16, false),
    ("xoxp-", 16, false),
    ("xoxa-", 16, false),
    ("xoxr-", 16, false),
    ("xoxs-", 16, false),
    ("AKIA", 16, true),
    ("ASIA", 16, true),
    ("AIza", 35, false),
    ("ya29.", 20, false),
    ("npm_", 36, false),
    ("pypi-AgE", 16, false),
    ("dop_v1_", 32, false),
    ("hf_", 30, false),
    ("SG.", 40, false),
    ("shpat_", 32, false),
    ("sq0csp-", 40, false),
    ("dckr_pat_", 20, false),
    ("AGE-SECRET-KEY-1", 40, true),
];

/// The most characters that are taken for a token with a prefix.
const MOST: usize = 512;

fn find(look: &Look<'_>, places: &mut Vec<Range<usize>>) {
    for run in runs(look.bytes(), is_token) {
        // What a parameter is called does not belong to its value.
        let mut start = run.start;
        while run.end - start >= LEAST {
            let rest = &look.text[start..run.end];
            if let Some(length) = known(rest) {
                places.push(start..start + length);
                start += length;
                continue;
            }
            match rest.bytes().skip(1).position(|byte| matches!(byte, b'.' | b'-' | b'_')) {
                // Tokens begin where words do.
                Some(mark) => start += mark + 2,
                None => break,
            }
        }
    }
    if look.shape.has(class::EQUALS) || look.shape.has(class::COLON) {
        parameters(look, places);
        places.sort_by_key(|place| (place.start, std::cmp::Reverse(place.end)));
    }
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// The first two characters of all prefixes, a bit each: most words are told from tokens by them.
const BEGINNINGS: [u64; 256] = {
    let mut bits = [0; 256];
    let mut at = 0;
    while at < PREFIXES.len() {
        let prefix = PREFIXES[at].0.as_bytes();
        bits[prefix[0] as usize] |= 1 << (prefix[1] & 63);
        at += 1;
    }
    bits
};

/// How long a token at the beginning of some text, of at least two bytes, is.
fn known(text: &str) -> Option<usize> {
    if text.starts_with("eyJ") {
        let mut parts = text.splitn(4, '.');
        let head = parts.next()?;
        let (body, seal) = (parts.next()?, parts.next()?);
        let is_whole = head.len() >= 10 && body.len() >= 4 && body.starts_with("ey");
        return is_whole.then_some(head.len() + body.len() + seal.len() + 2);
    }
    if let Some(length) = uuid(text) {
        return Some(length);
    }
    let [first, second, ..] = *text.as_bytes() else { return None };
    if BEGINNINGS[usize::from(first)] >> (second & 63) & 1 == 0 {
        return None;
    }
    let (prefix, least, is_upper) = PREFIXES.iter().find(|(prefix, ..)| text.starts_with(prefix))?;
    let is_part =
        |byte: &u8| if *is_upper { byte.is_ascii_uppercase() || byte.is_ascii_digit() } else { is_token(*byte) };
    let length = text.bytes().skip(prefix.len()).take(MOST).take_while(is_part).count();
    let rest = &text[prefix.len()..prefix.len() + length];
    let rest = rest.trim_end_matches(['.', '-']);
    (rest.len() >= *least && rest.bytes().any(|byte| byte.is_ascii_digit())).then_some(prefix.len() + rest.len())
}

/// The length of a UUID at the beginning: 8, 4, 4, 4 and 12 hexadecimal digits.
fn uuid(text: &str) -> Option<usize> {
    const LENGTH: usize = 36;
    let bytes = text.as_bytes();
    if bytes.get(8) != Some(&b'-') {
        return None;
    }
    let is_right =
        |at: usize, byte: u8| if matches!(at, 8 | 13 | 18 | 23) { byte == b'-' } else { byte.is_ascii_hexdigit() };
    let is_uuid = bytes.len() >= LENGTH && bytes[..LENGTH].iter().enumerate().all(|(at, &byte)| is_right(at, byte));
    (is_uuid && !bytes.get(LENGTH).is_some_and(u8::is_ascii_alphanumeric)).then_some(LENGTH)
}

/// The fewest characters of a value.
const LEAST: usize = 16;
/// The fewest bits a character.
const LEAST_ENTROPY: f64 = 3.5;

fn parameters(look: &Look<'_>, places: &mut Vec<Range<usize>>) {
    let bytes = look.bytes();
    let mut seen = 0;
    for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| matches!(byte, b'=' | b':')) {
        if at < seen {
            continue;
        }
        let is_name =
            |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'[' | b']' | b'"');
        let length = bytes[..at].iter().rev().take(64).take_while(is_name).count();
        let Some(name) = look.text.get(at - length..at) else { continue };
        if !is_secret(name) {
            continue;
        }
        let mut start = at + 1;
        while start < bytes.len() && matches!(bytes[start], b' ' | b'"' | b'\'') && start < at + 3 {
            start += 1;
        }
        let is_value = |byte: &&u8| is_token(**byte) || matches!(byte, b'~' | b'%' | b'+' | b'/' | b'$' | b'!' | b'*');
        let length = bytes[start..].iter().take_while(is_value).count();
        // Two signs of equality may fill up the end; any other begins another value.
        let padding = bytes[start + length..].iter().take(2).take_while(|byte| **byte == b'=').count();
        let value = look.text[start..start + length + padding].trim_end_matches(['.', '!', '*']);
        if value.len() >= LEAST && entropy(value) >= LEAST_ENTROPY {
            places.push(start..start + value.len());
            seen = start + value.len();
        }
    }
}

/// Whether the name of a parameter says that its value is a secret.
fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let mut parts = name.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    parts.any(|part| {
        let is_either = |word: &str| part.starts_with(word) || part.ends_with(word);
        ["token", "auth", "session", "pass", "passwd", "secret"].iter().any(|word| is_either(word))
            || part.ends_with("key")
            || part.ends_with("code")
            || part == "sig"
            || is_either("signature")
    })
}

/// Bits a character: how much a value looks as if it had been drawn.
fn entropy(value: &str) -> f64 {
    let mut counts = [0u32; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let length = value.len() as f64;
    let share = |count: u32| f64::from(count) / length;
    -counts.iter().filter(|count| **count > 0).map(|&count| share(count) * share(count).log2()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finders::tests::{assert_finds, assert_none};

    #[test]
    fn entropy_by_hand() {
        // Four characters, equally often: two bits. Sixteen: four.
        assert!((entropy("abcdabcd") - 2.0).abs() < 1e-12);
        assert!((entropy("0123456789abcdef") - 4.0).abs() < 1e-12);
        assert_eq!(entropy("aaaa").abs(), 0.0);
    }

    #[test]
    fn tokens() {
        // Made up, in parts, so that no scanner takes them for real ones.
        let vendor = format!("{}{}", "ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        let amazon = format!("{}{}", "AKIA", "ABCDEFGH12345678");
        let jwt = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ.c2ln";
        let uuid = "123e4567-e89b-12d3-a456-426614174000";
        assert_finds(
            "token",
            &[
                (&format!("clone https://{vendor}@host.example/x"), &vendor),
                (&format!("key {amazon}."), &amazon),
                (&format!("Bearer {jwt}"), jwt),
                (&format!("/order/{uuid}/x"), uuid),
                ("?session_id=a8f3k2m9q1z7x5c4&x=1", "a8f3k2m9q1z7x5c4"),
                ("?X-Amz-Signature=0123456789abcdef0123&x", "0123456789abcdef0123"),
                ("?apikey=Zm9vYmFyMTIzNDU2Nzg5&x", "Zm9vYmFyMTIzNDU2Nzg5"),
                ("?token%3Da8f3k2m9q1z7x5c4", "a8f3k2m9q1z7x5c4"),
                ("password: a8f3k2m9q1z7x5c4", "a8f3k2m9q1z7x5c4"),
            ],
        );
        assert_none(
            "token",
            &[
                "?keyword=cheap-holiday-in-spain",
                "?token=short",
                "?session=aaaaaaaaaaaaaaaaaaaa",
                "?q=a8f3k2m9q1z7x5c4",
                "supercalifragilistic",
                "ghp_short",
                "123e4567-e89b-12d3-a456-42661417400",
                "http://www.example.com/a-long-path-of-words",
                "sk-iing-holidays-in-the-alps-for-the-whole-family",
            ],
        );
    }
}
