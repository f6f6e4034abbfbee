//! Prints the stub of the Python package, made of the catalogue: `cargo run -p throng-py --example stubs > python/throng/__init__.pyi`.
//! A test of the package compares the file with it.

use std::io::Write as _;

#[path = "../src/stubs.rs"]
mod stubs;

fn main() -> std::io::Result<()> {
    std::io::stdout().write_all(stubs::stub().as_bytes())
}
