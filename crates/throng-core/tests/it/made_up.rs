//! Made-up logs are held to the shape of a real one: every row of the table, several seeds and sizes.

use throng_core::synth::profile::{DependsOn, Profile, Row};
use throng_core::synth::queries::{Params, QueriesSynth};

/// How far a figure may lie from the real one.
const FAR: f64 = 0.15;

fn table(persons: usize, seed: u64) -> Vec<Row> {
    let params = Params { persons, mean_lines: 91.0, seed, clicks_only: true };
    let log = QueriesSynth::new(params).unwrap().block(0..persons);
    Profile::of(&log, None).table()
}

/// The figures of some logs as one: the mean of each, for a single busy person moves a log of a thousand.
fn means(tables: &[Vec<Row>]) -> Vec<Row> {
    let mut rows = tables[0].clone();
    for (at, row) in rows.iter_mut().enumerate() {
        for (figure, mean) in row.here.iter_mut().enumerate() {
            *mean = tables.iter().map(|table| table[at].here[figure]).sum::<f64>() / tables.len() as f64;
        }
    }
    rows
}

fn far_off(rows: &[Row], is_meant: impl Fn(&Row) -> bool) -> Vec<String> {
    let mut far = Vec::new();
    for row in rows.iter().filter(|row| is_meant(row)) {
        for (here, real) in row.here.iter().zip(row.real) {
            // A count of two or three persons is as near as a whole number can be.
            if (here / real - 1.0).abs() > FAR && (row.digits > 0 || (here - real).abs() > 1.0) {
                far.push(format!("{}: {here:.3} against {real}", row.name));
            }
        }
    }
    far
}

#[test]
fn as_many_people_as_the_real_sample() {
    let tables: Vec<Vec<Row>> = (1..=6).map(|seed| table(1017, seed)).collect();
    let far = far_off(&means(&tables), |row| row.depends_on != DependsOn::Chance);
    assert!(far.is_empty(), "{far:#?}");
}

#[test]
fn few_people_and_many() {
    for (persons, seeds) in [(300, 1..=6), (3000, 1..=1)] {
        let tables: Vec<Vec<Row>> = seeds.map(|seed| table(persons, seed)).collect();
        let far = far_off(&means(&tables), |row| matches!(row.depends_on, DependsOn::Nothing | DependsOn::Lines));
        assert!(far.is_empty(), "{persons} persons: {far:#?}");
    }
}

#[test]
fn logs_with_all_lines_have_the_same_words() {
    let params = Params { persons: 1017, mean_lines: 91.0, seed: 1, clicks_only: false };
    let log = QueriesSynth::new(params).unwrap().block(0..1017);
    let without = (0..log.rows()).filter(|&row| log.line(row).url.is_none()).count() as f64 / log.rows() as f64;
    assert!((0.44..0.5).contains(&without), "{without}");
    let far = far_off(&Profile::of(&log, None).table(), |row| row.depends_on == DependsOn::Nothing);
    assert!(far.is_empty(), "{far:#?}");
}
