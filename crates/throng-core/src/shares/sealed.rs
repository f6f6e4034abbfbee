//! A text sealed under a key of its own, as one line may show it: the label of its shares.
//!
//! # Idea
//! 1. The text is padded to 32 bytes, or 64, 128 and so on, so that its length says little of it.
//! 2. ChaCha20-Poly1305 (RFC 8439) under a key that seals nothing else: so the nonce may be 0. What it is sealed for, the mark of the
//!    release, is authenticated with it, so that no label can be moved to another release.
//! 3. The label is the mark and the sealed bytes, as hexadecimal digits. It is random to whoever has not the key, so it says nothing of
//!    the order or the frequency of texts.

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{ChaCha20Poly1305, Key, Nonce};
use zeroize::Zeroizing;

use crate::error::{Error, Result};
use crate::rng::Rng;
use crate::secret::Secret;

/// What tells the shares of one release from those of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark([u8; Mark::BYTES]);

impl Mark {
    const BYTES: usize = 8;
    /// As many hexadecimal digits.
    pub(super) const DIGITS: usize = 2 * Self::BYTES;

    /// A fresh mark.
    pub fn draw(rng: &mut Rng) -> Self {
        let mut mark = [0; Self::BYTES];
        rng.fill(&mut mark);
        Self(mark)
    }
}

/// The shortest text that is sealed, with what fills it up.
const LEAST: usize = 32;
/// What follows the text, before zeros.
const END: u8 = 0x80;
/// The authentication tag.
const TAG: usize = 16;

/// Seals a text for a release. The key must seal nothing else.
pub fn seal(text: &str, key: &Secret, mark: Mark) -> Result<String> {
    let mut padded = Zeroizing::new(text.as_bytes().to_vec());
    padded.push(END);
    let size = padded.len().next_power_of_two().max(LEAST);
    padded.resize(size, 0);
    let sealed = cipher(key)
        .encrypt(&Nonce::default(), Payload { msg: &padded, aad: &mark.0 })
        .map_err(|_| Error::internal("a text could not be sealed"))?;
    Ok(hex(&mark.0) + &hex(&sealed))
}

/// Opens a label; nothing if the key is another, or the label no whole one.
pub fn open(label: &str, key: &Secret) -> Option<String> {
    let (mark, sealed) = (mark_of(label)?, bytes(label.get(Mark::DIGITS..)?)?);
    let padded = cipher(key).decrypt(&Nonce::default(), Payload { msg: &sealed, aad: &mark.0 }).ok()?;
    let padded = Zeroizing::new(padded);
    let end = padded.iter().rposition(|&byte| byte != 0).filter(|&end| padded[end] == END)?;
    // Padded as we pad, and no other way: nothing else can be said by it.
    let is_usual = padded.len() == (end + 1).next_power_of_two().max(LEAST);
    is_usual.then(|| std::str::from_utf8(&padded[..end]).ok().map(str::to_owned))?
}

/// The mark of a label, if it is one: hexadecimal digits in lower case, of a size that a sealed text can have.
pub fn mark_of(label: &str) -> Option<Mark> {
    let size = label.len().checked_sub(Mark::DIGITS + 2 * TAG)? / 2;
    if !(size.is_power_of_two() && size >= LEAST && label.bytes().all(is_digit) && label.len().is_multiple_of(2)) {
        return None;
    }
    let mark = bytes(label.get(..Mark::DIGITS)?)?;
    Some(Mark(std::array::from_fn(|at| mark[at])))
}

fn cipher(key: &Secret) -> ChaCha20Poly1305 {
    ChaCha20Poly1305::new(&Key::from(*key.bytes()))
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)
}

/// Bytes as hexadecimal digits in lower case.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The bytes of hexadecimal digits in lower case.
pub(super) fn bytes(digits: &str) -> Option<Vec<u8>> {
    let value = |digit: u8| if digit.is_ascii_digit() { digit - b'0' } else { digit - b'a' + 10 };
    let is_whole = digits.len().is_multiple_of(2) && digits.bytes().all(is_digit);
    is_whole.then(|| digits.as_bytes().chunks(2).map(|pair| value(pair[0]) << 4 | value(pair[1])).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rng::Rng;

    #[test]
    fn sealed_as_in_the_standard() {
        // RFC 8439, section 2.8.2, with its nonce, key and additional data: the cipher is that of the standard.
        let key: [u8; 32] = std::array::from_fn(|at| 0x80 + at as u8);
        let nonce = Nonce::from([0x07, 0, 0, 0, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47]);
        let aad = [0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7];
        let text = b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.";
        let sealed = cipher(&Secret::of(&key)).encrypt(&nonce, Payload { msg: text, aad: &aad }).unwrap();
        assert_eq!(hex(&sealed[..16]), "d31a8d34648e60db7b86afbc53ef7ec2");
        assert_eq!(hex(&sealed[sealed.len() - TAG..]), "1ae10b594f09e26a7e902ecbd0600691");
    }

    #[test]
    fn a_label_says_nothing_but_about_how_long_the_text_is() {
        let mut rng = Rng::seeded(1);
        let mark = Mark::draw(&mut rng);
        let label = |text: &str, rng: &mut Rng| seal(text, &Secret::draw(rng), mark).unwrap();
        let (one, two) = (label("red car", &mut rng), label("a much longer text than", &mut rng));
        assert_eq!(one.len(), two.len());
        assert_ne!(one, label("red car", &mut rng));
        assert_eq!(one.len(), 2 * (8 + 32 + 16));
        assert_eq!(label(&"x".repeat(31), &mut rng).len(), one.len());
        assert_eq!(label(&"x".repeat(32), &mut rng).len(), one.len() + 64);
        assert_eq!((mark_of(&one), mark_of(&one[1..]), mark_of(&one.to_uppercase())), (Some(mark), None, None));
    }

    proptest! {
        #[test]
        fn opened_by_its_own_key_alone(text in "\\PC{0,70}", seed in any::<u64>(), at in any::<prop::sample::Index>(), digit in 0..16u8) {
            let mut rng = Rng::seeded(seed);
            let (key, other, mark) = (Secret::draw(&mut rng), Secret::draw(&mut rng), Mark::draw(&mut rng));
            let label = seal(&text, &key, mark).unwrap();
            prop_assert_eq!(open(&label, &key), Some(text));
            prop_assert_eq!(open(&label, &other), None);
            // Any digit that changes is seen, those of the mark too.
            let mut changed = label.clone().into_bytes();
            let at = at.index(changed.len());
            changed[at] = b"0123456789abcdef"[usize::from(digit)];
            let changed = String::from_utf8(changed).unwrap();
            prop_assert_eq!(open(&changed, &key).is_some(), changed == label);
        }
    }
}
