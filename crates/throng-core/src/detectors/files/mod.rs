//! Files by their bytes: which are like those that somebody called positive (malicious, packed, of another make), and which of a
//! day's new files a person should look at.
//!
//! Paper      Moskovitch, Nissim, Elovici. Malicious Code Detection Using Active Learning. PinKDD 2008.
//! Does not   read a format, run a file, or know what it does. A file is a string of bytes and nothing else, so that a model says the
//!            same on every machine.
//!
//! # Idea
//! 1. `ranking`: the n-grams of bytes that the most files have, found exactly without keeping all n-grams there are.
//! 2. `counting`: how often each file has those, and how often its most frequent n-gram of all: term frequencies.
//! 3. `selection`: the few of them that tell the classes apart. A support vector machine learns from these.
//! 4. `acquisition`: which unlabelled files are worth a label. `assessment`: how right all that was, in the paper's figures.

pub mod acquisition;
pub mod assessment;
pub mod counting;
pub mod ranking;
pub mod selection;

#[cfg(test)]
mod references;

use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::info::Info;
use crate::progress::Progress;

/// The card.
pub const INFO: Info = Info {
    name: "files",
    summary: "files whose bytes are like those of labelled ones, and which files are worth a label",
    paper: "Moskovitch, Nissim, Elovici. Malicious Code Detection Using Active Learning. PinKDD 2008",
    details: "Learns from two folders of files. The n-grams of bytes that the most files have are listed, exactly; a feature is how often a file has one, divided by how often it \
              has its most frequent one of all; a few that tell the classes apart are chosen, and a support vector machine learns from these. The score is how far \
              on the positive side a file is; above 0 it is flagged.\n\
              Used by `throng detect train`, `score`, `acquire` and `evaluate`. It knows bytes only: no format, and nothing of what a program does; whoever knows the model can write around it.\n\
              Two passes over the files for the list and one for the counts; memory does not grow with the number of different n-grams.",
    parameters: &[],
};

/// The shortest n-gram.
pub const SHORTEST: usize = 3;
/// The longest n-gram.
pub const LONGEST: usize = 6;
/// How many positions are looked at before the memory is.
const BLOCK: usize = 2048;

/// Files that can be read again and again. Each time they must have the same bytes.
pub trait Files: Sync {
    /// How many there are.
    fn count(&self) -> usize;
    /// How many bytes a file has.
    fn length(&self, file: usize) -> u64;
    /// The bytes of a file, in the buffer if they are not in memory already.
    fn bytes<'a>(&'a self, file: usize, buffer: &'a mut Vec<u8>) -> Result<&'a [u8]>;
}

impl<T: AsRef<[u8]> + Sync> Files for [T] {
    fn count(&self) -> usize {
        self.len()
    }

    fn length(&self, file: usize) -> u64 {
        self[file].as_ref().len() as u64
    }

    fn bytes<'a>(&'a self, file: usize, _buffer: &'a mut Vec<u8>) -> Result<&'a [u8]> {
        Ok(self[file].as_ref())
    }
}

/// Refuses a length of n-grams that there is not.
pub fn check_length(n: usize) -> Result<()> {
    if (SHORTEST..=LONGEST).contains(&n) {
        return Ok(());
    }
    Err(Error::parameter("n", format!("is {n}, but n-grams of {SHORTEST} to {LONGEST} bytes are counted")))
}

/// An n-gram as people read it: two digits a byte.
pub fn hexadecimal(gram: u64, n: usize) -> String {
    format!("{gram:0width$x}", width = 2 * n)
}

/// An n-gram from its digits; `None` if it is none.
pub fn from_hexadecimal(text: &str) -> Option<(u64, usize)> {
    let n = text.len() / 2;
    let is_gram =
        text.len() == 2 * n && (SHORTEST..=LONGEST).contains(&n) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_gram { u64::from_str_radix(text, 16).ok().map(|gram| (gram, n)) } else { None }
}

/// The n-grams of some bytes as numbers whose order is that of the bytes, in blocks.
fn in_blocks(bytes: &[u8], n: usize, mut take: impl FnMut(&mut dyn Iterator<Item = u64>)) {
    if bytes.len() < n {
        return;
    }
    let mask = (1 << (8 * n)) - 1;
    let mut gram = bytes[..n - 1].iter().fold(0, |gram, &byte| gram << 8 | u64::from(byte));
    for block in bytes[n - 1..].chunks(BLOCK) {
        take(&mut block.iter().map(|&byte| {
            gram = (gram << 8 | u64::from(byte)) & mask;
            gram
        }));
    }
}

/// Shares the files out among some workers, each with a state of its own; gives the states in no order that means anything.
fn over<S: Send>(
    files: &(impl Files + ?Sized),
    workers: usize,
    progress: &dyn Progress,
    new: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize, &[u8]) -> Result<()> + Sync,
) -> Result<Vec<S>> {
    let mut order: Vec<usize> = (0..files.count()).collect();
    // The longest first, so that nobody waits for one at the end.
    order.sort_by_key(|&file| (Reverse(files.length(file)), file));
    let next = AtomicUsize::new(0);
    let states: Vec<(S, Option<(usize, Error)>)> = (0..workers.max(1))
        .into_par_iter()
        .with_max_len(1)
        .map(|_| {
            let (mut state, mut buffer) = (new(), Vec::new());
            while let Some(&file) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                let done = progress
                    .go_on()
                    .and_then(|()| files.bytes(file, &mut buffer))
                    .and_then(|bytes| work(&mut state, file, bytes));
                if let Err(error) = done {
                    next.store(order.len(), Ordering::Relaxed);
                    return (state, Some((file, error)));
                }
                progress.advance(files.length(file));
            }
            (state, None)
        })
        .collect();
    let mut whole = Vec::with_capacity(states.len());
    let mut failed: Option<(usize, Error)> = None;
    for (state, wrong) in states {
        if let Some((file, error)) = wrong
            && failed.as_ref().is_none_or(|(first, _)| file < *first)
        {
            failed = Some((file, error));
        }
        whole.push(state);
    }
    match failed {
        Some((_, error)) => Err(error),
        None => Ok(whole),
    }
}

/// How many workers there are whose states take so many bytes each.
fn workers(bytes_each: usize) -> usize {
    /// What all states may take together.
    const MOST: usize = 256 << 20;
    rayon::current_num_threads().min(MOST / bytes_each.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_read_back() {
        assert_eq!(hexadecimal(0xff01, 3), "00ff01");
        assert_eq!(from_hexadecimal("00ff01"), Some((0xff01, 3)));
        assert_eq!(from_hexadecimal("00ff0"), None);
        assert_eq!(from_hexadecimal("+0ff01"), None);
        assert_eq!(from_hexadecimal("00112233445566"), None);
    }

    #[test]
    fn a_window_moves_by_one_byte() {
        let mut grams = Vec::new();
        in_blocks(b"abcd", 3, |block| grams.extend(block));
        assert_eq!(grams, [0x61_6263, 0x62_6364]);
        in_blocks(b"ab", 3, |block| assert_eq!(block.count(), 0));
    }
}
