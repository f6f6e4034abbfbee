//! Damages small files at random and gives them to the readers: `fuzz TARGET EXECUTIONS [SEED [FOLDER]]`; `all` is every target.
//!
//! What panics is written to the folder, `fuzz` when none is given, with what the panic said beside it. The same target, number
//! and seed give the same files again. Overflows are found where they are checked:
//!
//! ```sh
//! CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true \
//!     cargo run --release --example fuzz -- all 1000000
//! ```

#![expect(clippy::print_stdout, reason = "a tool says what it found")]

#[allow(dead_code, reason = "the test uses the rest")]
#[path = "../tests/it/support/fuzz/mod.rs"]
mod fuzz;

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use fuzz::{NAMES, target};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let usage = "fuzz TARGET EXECUTIONS [SEED [FOLDER]]";
    let (name, executions) = (args.next().ok_or(usage)?, args.next().ok_or(usage)?.parse()?);
    let seed = args.next().map_or(Ok(1), |text| text.parse())?;
    let folder = PathBuf::from(args.next().unwrap_or_else(|| "fuzz".to_owned()));
    for name in NAMES.into_iter().filter(|other| name == "all" || name == *other) {
        let scratch = tempfile::tempdir()?;
        let target = target(name, scratch.path()).ok_or("no such target")?;
        // A panic is a result from here on, and is written to the folder.
        std::panic::set_hook(Box::new(|_| ()));
        let (start, mut panics) = (Instant::now(), 0u64);
        let longest = target.run(executions, seed, |found| {
            panics += 1;
            if panics <= 100 {
                let place = folder.join(format!("{name}-{seed}-{}", found.execution));
                let written = fs::create_dir_all(&folder)
                    .and_then(|()| fs::write(&place, &found.bytes))
                    .and_then(|()| fs::write(place.with_extension("txt"), &found.said));
                if let Err(error) = written {
                    println!("{}: {error}: {}", place.display(), found.said);
                }
            }
        });
        let seconds = start.elapsed().as_secs_f64();
        println!("{name}: {executions} executions in {seconds:.0} s, the longest {longest:.1?}; {panics} panics");
    }
    Ok(())
}
