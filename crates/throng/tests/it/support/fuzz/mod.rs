//! Fuzzing on stable Rust: small valid files are damaged at random and given to every reader, which must not panic.
//!
//! The input of an execution depends on the target, the seed and the execution's number alone, so that whatever is found can
//! be made again. The test runs a few thousand executions a target; `cargo run --release --example fuzz` runs any number.

mod damage;
mod links;
mod targets;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use throng_core::Rng;

use damage::damage;
pub(crate) use targets::{NAMES, target};

/// Longer files are cut.
const LONGEST: usize = 16 << 10;

/// Reads a file, whatever is in it.
type Read = dyn Fn(&[u8]);

/// A reader, and files that it can read.
pub(crate) struct Target {
    seeds: Vec<Vec<u8>>,
    read: Box<Read>,
}

/// An input on which a reader panicked.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) execution: u64,
    pub(crate) bytes: Vec<u8>,
    pub(crate) said: String,
}

impl Target {
    /// Runs executions, and gives those that panicked to `found`. The longest that one of them took.
    pub(crate) fn run(&self, executions: u64, seed: u64, mut found: impl FnMut(Found)) -> Duration {
        let mut longest = Duration::ZERO;
        for execution in 0..executions {
            let bytes = self.input(execution, seed);
            let start = Instant::now();
            let ended = catch_unwind(AssertUnwindSafe(|| (self.read)(&bytes)));
            longest = longest.max(start.elapsed());
            if let Err(panic) = ended {
                found(Found { execution, bytes, said: words(&*panic) });
            }
        }
        longest
    }

    /// The input of an execution; the first are the files as they are.
    fn input(&self, execution: u64, seed: u64) -> Vec<u8> {
        if let Some(whole) = self.seeds.get(execution as usize) {
            return whole.clone();
        }
        let mut rng = Rng::seeded_stream(seed, execution);
        let mut bytes = damage(&self.seeds, &mut rng);
        bytes.truncate(LONGEST);
        bytes
    }

    /// The files that the reader can read.
    pub(crate) fn seeds(&self) -> &[Vec<u8>] {
        &self.seeds
    }
}

/// What a panic said.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("?").to_owned()
}
