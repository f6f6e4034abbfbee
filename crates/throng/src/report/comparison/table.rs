//! `comparison.csv`: a row for each number.

use crate::io::csv_field;
use crate::run::{Cell, Comparison, NO_K, Promise};

/// One row for each method, its parameters, k, seed and measure. A number that is not defined is empty, and so are seconds
/// where none are kept, so that the same seed gives the same bytes.
pub fn csv(comparison: &Comparison) -> String {
    let mut table = Vec::from("method,parameters,k,seed,measure,unit,value,claim,seconds\n");
    for cell in &comparison.cells {
        let dropped = ("persons-dropped", "persons", cell.persons_dropped.to_string());
        let measured = cell.measures.iter().filter_map(|measured| {
            let value = measured["value"].as_number().map(ToString::to_string).unwrap_or_default();
            Some((measured["name"].as_str()?, measured["unit"].as_str().unwrap_or_default(), value))
        });
        let attacks = cell.attacks.iter().filter_map(|attack| {
            let rate = attack["rate"].as_f64().map(|rate| (100.0 * rate).to_string()).unwrap_or_default();
            Some((attack["label"].as_str()?, "%", rate))
        });
        for (measure, unit, value) in std::iter::once(dropped).chain(measured).chain(attacks) {
            row(cell, [measure, unit, &value], &mut table);
        }
    }
    String::from_utf8_lossy(&table).into_owned()
}

fn row(cell: &Cell, [measure, unit, value]: [&str; 3], table: &mut Vec<u8>) {
    let (method, parameters) = cell.method.split_once(':').unwrap_or((&cell.method, ""));
    let claim = cell.claims.iter().map(Promise::as_typed).collect::<Vec<_>>().join(";");
    let seconds = cell.seconds.map(|seconds| seconds.to_string()).unwrap_or_default();
    let k = if cell.k == NO_K { String::new() } else { cell.k.to_string() };
    let seed = cell.seed.to_string();
    for (at, field) in [method, parameters, &k, &seed, measure, unit, value, &claim, &seconds].into_iter().enumerate() {
        if at > 0 {
            table.push(b',');
        }
        csv_field(field.as_bytes(), table);
    }
    table.push(b'\n');
}
