//! Made-up tables in three shapes, with the hierarchies that belong to them.
//!
//! `census`    a person a row: age, sex, zip, education, marital status, country, work, hours and income, which depend on each other
//!             somewhat as they do among people: the old are fewer and more often widowed, schooling pays.
//! `patients`  several rows a person: id, birth year, sex, zip, the day of a visit, a diagnosis. A few diagnoses are most of them, and a
//!             person's are alike.
//! `numeric`   a person a row, eight numbers in clumps with heavy tails, some of them rounded so that rows tie.
//!
//! The same parameters and seed give the same rows. Nobody is real.

use crate::data::table::{Column, ColumnRole, Table};
use crate::error::{Error, Result};
use crate::rng::Rng;

/// The shapes that there are.
pub const SHAPES: [&str; 3] = ["census", "patients", "numeric"];

/// What to make up.
#[derive(Debug, Clone)]
pub struct Params {
    /// How many persons.
    pub persons: usize,
    /// Which shape.
    pub shape: String,
    /// The same seed makes up the same rows.
    pub seed: u64,
}

/// A made-up table, with the hierarchies of its columns in ARX's form.
#[derive(Debug)]
pub struct MadeTable {
    /// The columns, in the order of the file; a column of persons is a column like others.
    pub table: Table,
    /// For some columns the lines of their hierarchies.
    pub hierarchies: Vec<(&'static str, Vec<Vec<String>>)>,
}

/// Makes up a table.
pub fn table(params: &Params) -> Result<MadeTable> {
    if params.persons == 0 || params.persons > 50_000_000 {
        return Err(Error::parameter("persons", format!("is {}, but must be 1 to 50 million", params.persons)));
    }
    let mut rng = Rng::seeded(params.seed);
    match params.shape.as_str() {
        "census" => Ok(census(params.persons, &mut rng)),
        "patients" => Ok(patients(params.persons, &mut rng)),
        "numeric" => Ok(numeric(params.persons, &mut rng)),
        other => Err(Error::unknown("shape of tables", other, SHAPES)),
    }
}

/// One of some weighted words.
fn one_of<'a>(words: &[(&'a str, u32)], rng: &mut Rng) -> &'a str {
    let all: u32 = words.iter().map(|(_, weight)| weight).sum();
    let mut left = rng.below(u64::from(all)) as u32;
    for (word, weight) in words {
        if left < *weight {
            return word;
        }
        left -= weight;
    }
    words[0].0
}

fn columns(names: &[&str], rows: &[Vec<String>]) -> Vec<Column> {
    let column =
        |(at, name): (usize, &&str)| Column::new(name, ColumnRole::Plain, rows.iter().map(|row| row[at].as_str()));
    names.iter().enumerate().map(column).collect()
}

const SCHOOLS: &[(&str, u32, &str)] = &[
    ("none", 2, "basic"),
    ("primary", 8, "basic"),
    ("secondary", 34, "middle"),
    ("apprenticeship", 24, "middle"),
    ("bachelor", 18, "high"),
    ("master", 11, "high"),
    ("doctorate", 3, "high"),
];
const COUNTRIES: &[(&str, u32, &str)] = &[
    ("Arland", 820, "north"),
    ("Borvia", 60, "north"),
    ("Cassel", 40, "north"),
    ("Dunmark", 25, "south"),
    ("Estora", 20, "south"),
    ("Falia", 15, "south"),
    ("Gorland", 10, "east"),
    ("Hestia", 6, "east"),
    ("Ilmar", 4, "east"),
];
const WORK: &[(&str, u32, &str)] = &[
    ("employed", 60, "paid"),
    ("self-employed", 12, "paid"),
    ("public service", 10, "paid"),
    ("household", 6, "unpaid"),
    ("retired", 8, "unpaid"),
    ("student", 4, "unpaid"),
];

fn words<'a>(list: &[(&'a str, u32, &str)]) -> Vec<(&'a str, u32)> {
    list.iter().map(|&(word, weight, _)| (word, weight)).collect()
}

fn levels(list: &[(&str, u32, &str)]) -> Vec<Vec<String>> {
    list.iter().map(|(word, _, above)| [word, above, "*"].map(str::to_owned).to_vec()).collect()
}

pub(super) fn flat(list: &[&str]) -> Vec<Vec<String>> {
    list.iter().map(|word| [word, "*"].map(str::to_owned).to_vec()).collect()
}

/// Ages by 5, 10 and 20 years.
fn ages() -> Vec<Vec<String>> {
    let label = |age: usize, step: usize| format!("{}-{}", age / step * step, age / step * step + step - 1);
    let line = |age: usize| vec![age.to_string(), label(age, 5), label(age, 10), label(age, 20), "*".to_owned()];
    (0..100).map(line).collect()
}

/// Zips of five digits, the last ones starred one by one.
pub(super) fn zips(zips: impl Iterator<Item = String>) -> Vec<Vec<String>> {
    let starred = |zip: &str, stars: usize| format!("{}{}", &zip[..zip.len() - stars], "*".repeat(stars));
    let line = |zip: String| (0..5).map(|stars| starred(&zip, stars)).chain(["*".to_owned()]).collect();
    zips.map(line).collect()
}

/// Towns: a zip each, the first ones large.
fn town(rng: &mut Rng) -> u32 {
    let place = (rng.unit() * rng.unit() * 60.0) as u32;
    place.min(59)
}

pub(super) fn zip_of(town: u32) -> String {
    format!("{}", 41_000 + town / 6 * 100 + town % 6 * 7)
}

fn census(persons: usize, rng: &mut Rng) -> MadeTable {
    let rows: Vec<Vec<String>> = (0..persons)
        .map(|_| {
            let age = (17.0 + 73.0 * rng.unit().powf(1.4)) as u32;
            let sex = one_of(&[("f", 51), ("m", 49)], rng);
            let school = one_of(&words(SCHOOLS), rng);
            let marital = match age {
                0..=24 => one_of(&[("single", 92), ("married", 8)], rng),
                25..=64 => one_of(&[("single", 28), ("married", 56), ("divorced", 14), ("widowed", 2)], rng),
                _ => one_of(&[("single", 8), ("married", 50), ("divorced", 12), ("widowed", 30)], rng),
            };
            let work = match age {
                0..=22 if rng.unit() < 0.5 => "student",
                66.. if rng.unit() < 0.9 => "retired",
                _ => one_of(&words(WORK), rng),
            };
            let is_paid = matches!(work, "employed" | "self-employed" | "public service");
            let hours = if is_paid { (38.0 + 8.0 * rng.normal()).clamp(4.0, 80.0) as u32 } else { 0 };
            let schooling = SCHOOLS.iter().position(|(name, ..)| *name == school).unwrap_or(0) as f64;
            let income = if is_paid { 900.0 + 330.0 * schooling + 12.0 * f64::from(age) } else { 850.0 };
            let income = (income * (0.35 * rng.normal()).exp() / 50.0).round() as u32 * 50;
            let country = one_of(&words(COUNTRIES), rng);
            let zip = zip_of(town(rng));
            let cells = [sex, zip.as_str(), school, marital, country, work].map(str::to_owned);
            [vec![age.to_string()], cells.to_vec(), vec![hours.to_string(), income.to_string()]].concat()
        })
        .collect();
    let names = ["age", "sex", "zip", "education", "marital_status", "country", "work", "hours", "income"];
    MadeTable {
        table: Table::of_rows(columns(&names, &rows)),
        hierarchies: vec![
            ("age", ages()),
            ("sex", flat(&["f", "m"])),
            ("zip", zips((0..60).map(zip_of))),
            ("education", levels(SCHOOLS)),
            (
                "marital_status",
                levels(&[
                    ("single", 0, "alone"),
                    ("divorced", 0, "alone"),
                    ("widowed", 0, "alone"),
                    ("married", 0, "together"),
                ]),
            ),
            ("country", levels(COUNTRIES)),
            ("work", levels(WORK)),
        ],
    }
}

const ILLNESSES: &[(&str, u32, &str)] = &[
    ("cold", 300, "airways"),
    ("bronchitis", 120, "airways"),
    ("asthma", 60, "airways"),
    ("back pain", 180, "bones"),
    ("arthritis", 70, "bones"),
    ("fracture", 30, "bones"),
    ("high blood pressure", 160, "heart"),
    ("heart failure", 25, "heart"),
    ("diabetes", 60, "metabolism"),
    ("gout", 25, "metabolism"),
    ("gastritis", 50, "stomach"),
    ("ulcer", 15, "stomach"),
    ("depression", 40, "mind"),
    ("dependence", 10, "mind"),
    ("HIV infection", 3, "rare"),
    ("lupus", 2, "rare"),
];

fn patients(persons: usize, rng: &mut Rng) -> MadeTable {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for person in 0..persons {
        let birth = 2024 - (92.0 * rng.unit().powf(0.8)) as u32;
        let sex = one_of(&[("f", 53), ("m", 47)], rng);
        let zip = zip_of(town(rng));
        let usual = one_of(&words(ILLNESSES), rng);
        let visits = 1 + (-(1.0 - rng.unit()).ln() * 1.6) as usize;
        for _ in 0..visits.min(12) {
            let illness = if rng.unit() < 0.6 { usual } else { one_of(&words(ILLNESSES), rng) };
            let (month, day) = (1 + rng.below(12), 1 + rng.below(28));
            rows.push(
                [
                    format!("P{:06}", 100_000 + person),
                    birth.to_string(),
                    sex.to_owned(),
                    zip.clone(),
                    format!("2024-{month:02}-{day:02}"),
                    illness.to_owned(),
                ]
                .to_vec(),
            );
        }
    }
    let names = ["patient_id", "birth_year", "sex", "zip", "visit", "illness"];
    MadeTable {
        table: Table::of_rows(columns(&names, &rows)),
        hierarchies: vec![
            ("sex", flat(&["f", "m"])),
            ("zip", zips((0..60).map(zip_of))),
            ("illness", levels(ILLNESSES)),
        ],
    }
}

fn numeric(persons: usize, rng: &mut Rng) -> MadeTable {
    const WIDTH: usize = 8;
    const CLUMPS: usize = 12;
    let centres: Vec<Vec<f64>> = (0..CLUMPS).map(|_| (0..WIDTH).map(|_| 10.0 * rng.normal()).collect()).collect();
    let rows: Vec<Vec<String>> = (0..persons)
        .map(|_| {
            let centre = &centres[rng.index(CLUMPS)];
            let spread = 0.5 + rng.unit() * 2.0;
            // Some are far out, as incomes are.
            let far = if rng.unit() < 0.03 { (1.5 * rng.normal().abs()).exp() } else { 1.0 };
            (0..WIDTH)
                .map(|at| {
                    let value = centre[at] + spread * far * rng.normal();
                    match at {
                        0 | 1 => format!("{}", value.round() as i64),
                        2 => format!("{}", (value / 5.0).round() as i64 * 5),
                        _ => format!("{:.3}", value),
                    }
                })
                .collect()
        })
        .collect();
    let names = ["x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8"];
    MadeTable { table: Table::of_rows(columns(&names, &rows)), hierarchies: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dataset as _;
    use crate::data::table::Hierarchy;

    #[test]
    fn every_shape_is_the_same_again_and_its_hierarchies_hold_its_values() {
        for shape in SHAPES {
            let params = Params { persons: 300, shape: shape.to_owned(), seed: 7 };
            let (made, again) = (table(&params).unwrap(), table(&params).unwrap());
            assert!(made.table.rows() >= 300);
            for (column, same) in made.table.columns().iter().zip(again.table.columns()) {
                assert!((0..made.table.rows()).all(|row| column.text(row) == same.text(row)), "{shape}");
            }
            for (name, lines) in &made.hierarchies {
                let hierarchy = Hierarchy::new(lines).unwrap();
                assert!(!hierarchy.is_ambiguous(), "{shape} {name}");
                made.table.columns()[made.table.find(name).unwrap()].leaves(&hierarchy).unwrap();
            }
        }
        let params = Params { persons: 3, shape: "cube".to_owned(), seed: 0 };
        assert!(table(&params).is_err() && table(&Params { persons: 0, ..params }).is_err());
    }
}
