//! Signatures of certificates, and the keys for them, in minisign's own forms.
//!
//! Source     Frank Denis, minisign (jedisct1.github.io/minisign): the forms of its files. Ed25519: RFC 8032. BLAKE2b: RFC 7693. scrypt: RFC
//!            7914, its costs as libsodium finds them in a key.
//!
//! # Forms
//! | file | first line | second line, in base64 |
//! | --- | --- | --- |
//! | `NAME.pub` | `untrusted comment: …` | `Ed`, 8 bytes key id, 32 bytes key |
//! | `NAME.key` | `untrusted comment: …` | `Ed`, `Sc` (or two zeros: no password), `B2`, 32 bytes salt, two costs, then id, key and checksum, mixed with what scrypt makes of the password |
//! | `certificate.json.minisig` | [`COMMENT`] | `ED`, 8 bytes key id, the signature of BLAKE2b-512(certificate) |
//!
//! A signature has two lines more: `trusted comment: …`, and a signature of the first signature and that comment. Only one text
//! stands for a signature: the first line, which nobody signed, is always the same, the trusted comment has one of two forms, and base64
//! has no spare bits. So no byte of it can be changed.
//!
//! # Guarantee
//! Whoever has the public key by a way that they trust knows that the owner of the secret key signed these very bytes.
//!
//! Does not   say when, nor that what is signed is true; and a stolen key signs like its owner.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use blake2::digest::consts::U32;
use blake2::{Blake2b, Blake2b512, Digest as _};
use ed25519_compact::{KeyPair, Seed};
use throng_core::{Error, Result, Rng};

use crate::{limits, pending};

/// The file of a release that holds the signature of its certificate.
pub const FILE: &str = "certificate.json.minisig";
/// The first line of every signature: nobody signs it, so it is always the same.
pub const COMMENT: &str = "untrusted comment: signature of a throng certificate";
const TRUSTED: &str = "trusted comment: ";
/// What throng says in the comment that is signed.
const SAID: &str = "certificate of a throng release";
const UNTRUSTED: &str = "untrusted comment: ";

/// How a password becomes a key, as libsodium counts: 2^17 rounds over 128 MiB, once.
const OPERATIONS: u64 = 1 << 22;
const MEMORY: u64 = 1 << 28;
/// More than minisign itself asks for is not tried: 1 GiB.
const MOST_ROUNDS_LOG: u8 = 20;
const MOST_TIMES: u32 = 8;

/// The length of a secret key in its file.
const SECRET: usize = 158;
/// Where what a password hides begins in it.
const HIDDEN: usize = 54;

/// A key as people compare them: sixteen digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyId([u8; 8]);

impl std::fmt::Display for KeyId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016X}", u64::from_le_bytes(self.0))
    }
}

/// Whose signatures are trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    id: KeyId,
    key: [u8; 32],
}

/// What signs. It does not show itself.
pub struct SecretKey {
    id: KeyId,
    pair: KeyPair,
}

/// Why a signature does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// There is none.
    Absent,
    /// It is not in the one form that a signature has.
    Form(&'static str),
    /// It is by another key.
    OtherKey {
        /// By which.
        found: KeyId,
        /// Which one is trusted.
        trusted: KeyId,
    },
    /// The certificate is not the one that was signed.
    Certificate,
}

impl Problem {
    /// One word for programs.
    pub fn code(self) -> &'static str {
        match self {
            Self::Absent => "no-signature",
            Self::Form(_) => "form",
            Self::OtherKey { .. } => "other-key",
            Self::Certificate => "certificate-changed",
        }
    }

    /// A sentence for people.
    pub fn says(self) -> String {
        match self {
            Self::Absent => format!("the release is not signed: there is no {FILE} in it"),
            Self::Form(what) => format!("{FILE} is not a signature as throng writes it: {what}"),
            Self::OtherKey { found, trusted } => {
                format!("the certificate is signed with another key ({found}) than the trusted one ({trusted})")
            }
            Self::Certificate => {
                "the certificate is not the one that was signed: it or its signature was changed".to_owned()
            }
        }
    }
}

impl SecretKey {
    /// A new key.
    pub fn new(rng: &mut Rng) -> Self {
        let mut seed = [0; 32];
        seed.chunks_mut(8).for_each(|part| part.copy_from_slice(&rng.bits().to_le_bytes()));
        Self { id: KeyId(rng.bits().to_le_bytes()), pair: KeyPair::from_seed(Seed::new(seed)) }
    }

    /// The key that verifies what this one signs.
    pub fn public(&self) -> PublicKey {
        PublicKey { id: self.id, key: *self.pair.pk }
    }

    /// The text of `NAME.key`, behind a password if there is one.
    pub fn text(&self, password: Option<&[u8]>, rng: &mut Rng) -> Result<String> {
        let mut bytes = [0; SECRET];
        bytes[..2].copy_from_slice(b"Ed");
        bytes[4..6].copy_from_slice(b"B2");
        bytes[HIDDEN..HIDDEN + 8].copy_from_slice(&self.id.0);
        bytes[HIDDEN + 8..HIDDEN + 72].copy_from_slice(&*self.pair.sk);
        // As minisign does it: without a password costs, salt and checksum are zeros.
        if let Some(password) = password {
            bytes[2..4].copy_from_slice(b"Sc");
            bytes[6..38].chunks_mut(8).for_each(|part| part.copy_from_slice(&rng.bits().to_le_bytes()));
            bytes[38..46].copy_from_slice(&OPERATIONS.to_le_bytes());
            bytes[46..54].copy_from_slice(&MEMORY.to_le_bytes());
            let checksum = checksum(&bytes);
            bytes[HIDDEN + 72..].copy_from_slice(&checksum);
            mix(&mut bytes, password)?;
        }
        Ok(format!("{UNTRUSTED}throng secret key {}\n{}\n", self.id, STANDARD.encode(bytes)))
    }

    /// Reads `NAME.key`, which nobody but its owner may be able to read.
    pub fn read(path: &Path, password: Option<&[u8]>) -> Result<Self> {
        let text = limits::read_file(path, "the secret key ", limits::MOST_LIST_BYTES)?;
        if PublicKey::parse(&text).is_ok() {
            return Err(Error::refused("this is the public key, which others check with; the secret one signs")
                .in_file(path.display().to_string())
                .with_hint("`throng keys new --out NAME` makes both: sign with NAME.key"));
        }
        pending::refuse_readable_by_others(path, "secret key")?;
        Self::parse(&text, password).map_err(|error| error.in_file(path.display().to_string()))
    }

    /// The key of a text.
    pub fn parse(text: &[u8], password: Option<&[u8]>) -> Result<Self> {
        let wrong = |problem: &str| {
            Error::data(problem.to_owned())
                .with_hint("`throng keys new --out NAME` makes NAME.key, a key of minisign's form")
        };
        let mut bytes: [u8; SECRET] =
            decoded(text).and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| wrong("this is no secret key"))?;
        if &bytes[..2] != b"Ed" || &bytes[4..6] != b"B2" {
            return Err(wrong("this is no secret key that signs with Ed25519"));
        }
        match (&bytes[2..4], password) {
            (b"Sc", Some(password)) => {
                mix(&mut bytes, password)?;
                if checksum(&bytes) != bytes[HIDDEN + 72..] {
                    return Err(Error::refused("the password does not open the secret key")
                        .with_hint("the first line of `--password-file` is the password, without its line end"));
                }
            }
            (b"Sc", None) => {
                return Err(Error::refused("the secret key is behind a password")
                    .with_hint("name a file whose first line it is: `--password-file FILE`"));
            }
            ([0, 0], None) => {}
            ([0, 0], Some(_)) => {
                return Err(Error::refused("the secret key has no password, and one was given")
                    .with_hint("leave `--password-file` out, or give the key that was meant"));
            }
            _ => return Err(wrong("the secret key is hidden in a way that throng does not know")),
        }
        let pair =
            KeyPair::from_slice(&bytes[HIDDEN + 8..HIDDEN + 72]).map_err(|_| wrong("the secret key is damaged"))?;
        // The second half must be the public key of the first, or what it signs is worthless; nobody's first half is all zeros.
        if pair.sk.seed().iter().all(|&byte| byte == 0) || KeyPair::from_seed(pair.sk.seed()).pk != pair.pk {
            return Err(wrong("the secret key is damaged"));
        }
        Ok(Self { id: KeyId(std::array::from_fn(|at| bytes[HIDDEN + at])), pair })
    }

    /// The text of a signature of a certificate.
    pub fn sign(&self, certificate: &[u8]) -> String {
        let signature = *self.pair.sk.sign(Blake2b512::digest(certificate), None);
        let whole = *self.pair.sk.sign([&signature[..], SAID.as_bytes()].concat(), None);
        let first = STANDARD.encode([b"ED", &self.id.0[..], &signature[..]].concat());
        format!("{COMMENT}\n{first}\n{TRUSTED}{SAID}\n{}\n", STANDARD.encode(whole))
    }
}

impl PublicKey {
    /// The key's id.
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// The text of `NAME.pub`.
    pub fn text(&self) -> String {
        let line = STANDARD.encode([b"Ed", &self.id.0[..], &self.key[..]].concat());
        format!("{UNTRUSTED}throng public key {}\n{line}\n", self.id)
    }

    /// Reads `NAME.pub`.
    pub fn read(path: &Path) -> Result<Self> {
        let text = limits::read_file(path, "the public key ", limits::MOST_LIST_BYTES)?;
        Self::parse(&text).map_err(|error| error.in_file(path.display().to_string()))
    }

    /// The key of a text.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let bytes: Option<[u8; 42]> = decoded(text).and_then(|bytes| bytes.try_into().ok());
        match bytes {
            Some(bytes) if &bytes[..2] == b"Ed" => Ok(Self {
                id: KeyId(std::array::from_fn(|at| bytes[2 + at])),
                key: std::array::from_fn(|at| bytes[10 + at]),
            }),
            _ => Err(Error::data("this is no public key")
                .with_hint("give the NAME.pub that `throng keys new` or `minisign -G` made")),
        }
    }

    /// Whether a signature of a certificate is by this key.
    pub fn verify(&self, signature: &[u8], certificate: &[u8]) -> std::result::Result<(), Problem> {
        let parts = Parts::of(signature)?;
        if parts.id != self.id {
            return Err(Problem::OtherKey { found: parts.id, trusted: self.id });
        }
        let key = ed25519_compact::PublicKey::new(self.key);
        let holds = |message: &[u8], signature: [u8; 64]| {
            key.verify(message, &ed25519_compact::Signature::new(signature)).is_ok()
        };
        let commented = [&parts.signature[..], parts.comment.as_bytes()].concat();
        if holds(&Blake2b512::digest(certificate), parts.signature) && holds(&commented, parts.whole) {
            Ok(())
        } else {
            Err(Problem::Certificate)
        }
    }
}

/// Whether this is a signature in the one form that it has, whoever made it.
pub fn check_form(signature: &[u8]) -> std::result::Result<(), Problem> {
    Parts::of(signature).map(drop)
}

/// What the four lines of a signature say.
struct Parts<'a> {
    id: KeyId,
    signature: [u8; 64],
    comment: &'a str,
    whole: [u8; 64],
}

impl<'a> Parts<'a> {
    fn of(text: &'a [u8]) -> std::result::Result<Self, Problem> {
        let text = std::str::from_utf8(text).map_err(|_| Problem::Form("it is no text"))?;
        let body = text.strip_suffix('\n').ok_or(Problem::Form("its last line has no end"))?;
        let lines: Vec<&str> = body.split('\n').collect();
        let [first, signature, comment, whole] = lines.as_slice() else {
            return Err(Problem::Form("it has not four lines"));
        };
        if *first != COMMENT {
            return Err(Problem::Form("its first line is another"));
        }
        let comment = comment.strip_prefix(TRUSTED).filter(|comment| is_known(comment));
        let comment = comment.ok_or(Problem::Form("its trusted comment is another"))?;
        // What is decoded strictly has one text only.
        let decoded = |line: &str| STANDARD.decode(line).map_err(|_| Problem::Form("it is not in base64"));
        let signature: [u8; 74] =
            decoded(signature)?.try_into().map_err(|_| Problem::Form("its second line is too long or too short"))?;
        let whole: [u8; 64] =
            decoded(whole)?.try_into().map_err(|_| Problem::Form("its last line is too long or too short"))?;
        if &signature[..2] != b"ED" {
            return Err(Problem::Form("it is not pre-hashed Ed25519"));
        }
        Ok(Self {
            id: KeyId(std::array::from_fn(|at| signature[2 + at])),
            signature: std::array::from_fn(|at| signature[10 + at]),
            comment,
            whole,
        })
    }
}

/// Trusted comments that may stand in a release: our own, and the one that minisign writes if nobody says another.
fn is_known(comment: &str) -> bool {
    let minisigns = || {
        let rest = comment.strip_prefix("timestamp:")?;
        let digits = rest.strip_suffix("\tfile:certificate.json\thashed")?;
        Some((1..=12).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    comment == SAID || minisigns() == Some(true)
}

/// The bytes of a key's file: a comment, a line of base64, and nothing else.
fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(text).ok()?;
    let (comment, line) = text.strip_suffix('\n').unwrap_or(text).split_once('\n')?;
    comment.strip_prefix(UNTRUSTED)?;
    STANDARD.decode(line).ok()
}

fn checksum(bytes: &[u8; SECRET]) -> [u8; 32] {
    let mut hasher = Blake2b::<U32>::new();
    hasher.update(&bytes[..2]);
    hasher.update(&bytes[HIDDEN..HIDDEN + 72]);
    hasher.finalize().into()
}

/// Hides what is secret with what scrypt makes of a password; the second time it is shown again.
fn mix(bytes: &mut [u8; SECRET], password: &[u8]) -> Result<()> {
    let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|place| bytes[at + place]));
    let (rounds, times) = costs(number(38), number(46));
    if rounds > MOST_ROUNDS_LOG || !(1..=MOST_TIMES).contains(&times) {
        return Err(Error::refused("opening the secret key would take more than 1 GiB of memory")
            .with_hint("make a new key: `throng keys new --out NAME --password-file FILE`"));
    }
    let failed = || Error::internal("scrypt refused its parameters");
    let parameters = scrypt::Params::new(rounds, 8, times).map_err(|_| failed())?;
    let mut stream = [0; SECRET - HIDDEN];
    scrypt::scrypt(password, &bytes[6..38], &parameters, &mut stream).map_err(|_| failed())?;
    bytes[HIDDEN..].iter_mut().zip(stream).for_each(|(byte, mask)| *byte ^= mask);
    Ok(())
}

/// The costs of scrypt (the logarithm of N, and p; r is 8) that libsodium takes for limits of operations and memory.
fn costs(operations: u64, memory: u64) -> (u8, u32) {
    let operations = operations.max(32768);
    let log_above_half = |most: u64| (1..63).find(|&log| 1u64 << log > most / 2).unwrap_or(63) as u8;
    if operations < memory / 32 {
        return (log_above_half(operations / 32), 1);
    }
    let rounds = log_above_half(memory / 1024);
    let times = ((operations / 4) >> rounds).min(0x3fff_ffff) / 8;
    (rounds, times as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key of the seed 0, 1, …, 31.
    fn fixed() -> SecretKey {
        SecretKey {
            id: KeyId(*b"throng\x01\x02"),
            pair: KeyPair::from_seed(Seed::new(std::array::from_fn(|at| at as u8))),
        }
    }

    /// Worked out with Python: Ed25519 as RFC 8032 writes it down, hashlib.sha512 and hashlib.blake2b.
    #[test]
    fn a_signature_by_a_fixed_key() {
        let key = fixed();
        assert_eq!(
            key.public().text(),
            "untrusted comment: throng public key 0201676E6F726874\n\
             RWR0aHJvbmcBAgOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4\n"
        );
        assert_eq!(
            key.sign(b"certificate"),
            "untrusted comment: signature of a throng certificate\n\
             RUR0aHJvbmcBApI6SM/oxopdsD1Q5NPAaBeRF51ktOFNDRKwlwnQTDA4kwF9K8xPvCqTmu7wWnFTmUl3/4YWLZfN5T41UK2w5wg=\n\
             trusted comment: certificate of a throng release\n\
             NMSIc6HNPrhgdkxgWrCjv77nbyr+Ro/yPjzgFVe0bYbWS7m33aenOhbiHcwWfv6NqNqrSYQya1ovEguinZSmCA==\n"
        );
    }

    /// Found by fuzzing: the library that signs panics on it.
    #[test]
    fn a_secret_key_of_zeros_is_damaged() {
        let mut bytes = [0; SECRET];
        bytes[..6].copy_from_slice(b"Ed\0\0B2");
        let text = format!("untrusted comment: throng secret key\n{}\n", STANDARD.encode(bytes));
        let Err(error) = SecretKey::parse(text.as_bytes(), None) else { panic!("no key has such bytes") };
        assert!(error.to_string().contains("damaged"), "{error}");
    }

    #[test]
    fn costs_are_those_of_libsodium() {
        // minisign's own key: OPSLIMIT_SENSITIVE and MEMLIMIT_SENSITIVE.
        assert_eq!(costs(33_554_432, 1_073_741_824), (20, 1));
        assert_eq!(costs(OPERATIONS, MEMORY), (17, 1));
        // INTERACTIVE.
        assert_eq!(costs(524_288, 16_777_216), (14, 1));
        assert_eq!(costs(0, 0).1, 512);
    }

    #[test]
    fn what_is_signed_verifies_and_nothing_else() {
        let key = fixed();
        let text = key.sign(b"certificate");
        let public = key.public();
        assert_eq!(public.verify(text.as_bytes(), b"certificate"), Ok(()));
        assert_eq!(public.verify(text.as_bytes(), b"certificatE"), Err(Problem::Certificate));
        let other = SecretKey::new(&mut Rng::seeded(1)).public();
        assert!(matches!(other.verify(text.as_bytes(), b"certificate"), Err(Problem::OtherKey { .. })));
        let same_id = PublicKey { id: public.id, key: other.key };
        assert_eq!(same_id.verify(text.as_bytes(), b"certificate"), Err(Problem::Certificate));
    }

    #[test]
    fn a_signature_has_one_text_only() {
        let key = fixed();
        let text = key.sign(b"certificate");
        let public = key.public();
        let refused = |text: String| {
            assert!(matches!(public.verify(text.as_bytes(), b"certificate"), Err(Problem::Form(_))), "{text}");
        };
        refused(text.replace("throng", "Throng"));
        refused(text.replace("of a throng release", "of ann"));
        refused(format!("{text}\n"));
        refused(text.trim_end().to_owned());
        refused(text.replace('\n', "\r\n"));
        refused(text.replacen("=\n", "\n", 1));
        refused(text.replacen("RUR", "RWR", 1));
        // The spare bits of the last digit before the padding.
        let lines: Vec<&str> = text.lines().collect();
        let last = lines[3].trim_end_matches('=');
        for digit in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".chars() {
            let changed = format!("{}{digit}==", &last[..last.len() - 1]);
            if changed != lines[3] {
                let text = format!("{}\n{}\n{}\n{changed}\n", lines[0], lines[1], lines[2]);
                assert!(public.verify(text.as_bytes(), b"certificate").is_err());
            }
        }
        assert!(is_known("timestamp:1794951262\tfile:certificate.json\thashed"));
        assert!(
            !is_known("timestamp:1794951262\tfile:ann\thashed")
                && !is_known("timestamp:\tfile:certificate.json\thashed")
        );
    }

    #[test]
    fn keys_come_back_from_their_files() {
        let mut rng = Rng::seeded(3);
        let key = SecretKey::new(&mut rng);
        let public = PublicKey::parse(key.public().text().as_bytes()).unwrap();
        assert_eq!(public, key.public());
        let open = key.text(None, &mut rng).unwrap();
        assert_eq!(SecretKey::parse(open.as_bytes(), None).unwrap().public(), public);
        let closed = key.text(Some(b"open sesame"), &mut rng).unwrap();
        assert_eq!(SecretKey::parse(closed.as_bytes(), Some(b"open sesame")).unwrap().public(), public);
        let says = |text: &str, password: Option<&[u8]>| {
            SecretKey::parse(text.as_bytes(), password).err().unwrap().to_string()
        };
        assert_eq!(says(&closed, Some(b"wrong")), "the password does not open the secret key");
        assert_eq!(says(&closed, None), "the secret key is behind a password");
        assert_eq!(says(&open, Some(b"x")), "the secret key has no password, and one was given");
        assert_eq!(says("untrusted comment: x\nRWQ=\n", None), "this is no secret key");
        // A key whose halves do not belong together.
        let mut bytes = decoded(open.as_bytes()).unwrap();
        bytes[HIDDEN + 60] ^= 1;
        let text = format!("{UNTRUSTED}x\n{}\n", STANDARD.encode(bytes));
        assert_eq!(says(&text, None), "the secret key is damaged");
    }
}
