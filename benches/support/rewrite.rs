//! The reference that other runs are set against: read a log, group its lines by person, write them again.

use std::fs::File;
use std::io::BufWriter;

use throng::io::{Location, Person, ReadOptions, read_log, write_persons};
use throng_core::progress::Silent;

/// Rewrites a log through the reader and the writer of the library.
pub(crate) fn rewrite(from: &str, to: &str) {
    let read = read_log(&Location::File(from.into()), &ReadOptions::default(), &Silent).expect("the made-up file");
    let log = &read.log;
    let persons: Vec<Person<'_>> =
        (0u32..).zip(log.names().iter()).map(|(person, name)| Person { name, person }).collect();
    let mut to = BufWriter::with_capacity(1 << 20, File::create_new(to).expect("a new file"));
    write_persons(&mut to, read.scanned.format, &read.scanned.layout, log, &persons, &Silent).expect("room for a copy");
}
