//! Attacks on encoded records: whose filter is it, for somebody who knows the scheme and a list of people, and not the secret.
//!
//! Papers     Vidanage, Christen, Ranbaduge, Schnell. A graph matching attack on privacy-preserving record linkage. CIKM 2020 (`graph`).
//!            Christen, Vidanage, Ranbaduge, Schnell. Pattern-mining based cryptanalysis of Bloom filters for privacy-preserving record
//!            linkage. PAKDD 2018 (`pattern`).
//!
//! # Idea
//! The attacker encodes a list of their own by the same scheme with a secret of their own: how alike two people's filters are hardly depends
//! on the secret. (Who compares plain texts with filters instead is a weaker attacker, and flatters hardening.)
//! `graph`: each filter is described by how alike it is to all others, and given to the person who is described most alike (the Hungarian
//! method); the surest pairs are seeds, everybody is described again by the likeness to the seeds, and so on with more and more seeds.
//! `frequency`: the filter that occurs most often is the record that occurs most often, and so on.
//! `pattern`: bits that are set together about as often as a token occurs are that token's; what tokens a filter holds leaves few people.
//!
//! # Cost
//! graph: n³ for n filters. pattern: bits² · n / 64 for each token.

use rayon::prelude::*;

use crate::attacks::AttackInfo;
use crate::distance::assignment::Assignment;
use crate::info::Info;
use crate::link::bits::{Filters, dice};

const fn card(name: &'static str, summary: &'static str, paper: &'static str, details: &'static str) -> AttackInfo {
    AttackInfo {
        info: Info { name, summary, paper, details, parameters: &[] },
        who: [summary, summary],
        no_promise: "encodings promise nothing",
        ..AttackInfo::DEFAULT
    }
}

/// By likeness.
pub const GRAPH: AttackInfo = card(
    "encoding-graph",
    "knows the schema and a list of people, and compares how alike filters are to each other",
    "Vidanage, Christen, Ranbaduge, Schnell. A graph matching attack on privacy-preserving record linkage. CIKM 2020",
    "The attacker encodes the list with a secret of their own and matches the two graphs of similarities: profiles, the Hungarian method, seeds.",
);

/// By counting.
pub const FREQUENCY: AttackInfo = card(
    "encoding-frequency",
    "knows the schema and a list of people, and counts equal filters",
    "Christen. Geocode Matching and Privacy Preservation. PinKDD 2008",
    "The most frequent filter is taken for the most frequent record, and so on; among equally frequent ones the guess is blind.",
);

/// By bits that go together.
pub const PATTERN: AttackInfo = card(
    "encoding-pattern",
    "knows the schema and a list of people, and looks for bits that are set together",
    "Christen, Vidanage, Ranbaduge, Schnell. Pattern-mining based cryptanalysis of Bloom filters. PAKDD 2018",
    "Sets of bits that occur together as often as a token does are taken for that token; a filter is given to the people who have its tokens.",
);

/// Similarities of all pairs, a row for each.
fn similarities(columns: &[Filters]) -> (usize, Vec<f32>) {
    let rows = columns.first().map_or(0, Filters::len);
    let mut all = vec![0f32; rows * rows];
    all.par_chunks_mut(rows.max(1)).enumerate().for_each(|(row, out)| {
        for (other, out) in out.iter_mut().enumerate() {
            let sum: f64 = columns.iter().map(|filters| dice(filters.get(row), filters.get(other))).sum();
            *out = (sum / columns.len() as f64) as f32;
        }
    });
    (rows, all)
}

/// Moments of a description, so that two files of other densities compare: each place has mean 0 and variance 1 over all rows.
fn standardised(mut rows: Vec<f32>, width: usize) -> Vec<f32> {
    let count = rows.len() / width.max(1);
    for at in 0..width {
        let values = || (0..count).map(|row| f64::from(rows[row * width + at]));
        let mean = values().sum::<f64>() / count as f64;
        let spread = (values().map(|value| (value - mean).powi(2)).sum::<f64>() / count as f64).sqrt().max(1e-9);
        for row in 0..count {
            let value = &mut rows[row * width + at];
            *value = ((f64::from(*value) - mean) / spread) as f32;
        }
    }
    rows
}

/// The profile of each row: its similarities to all others by rank, near ones finely and far ones coarsely.
fn profiles(rows: usize, all: &[f32]) -> (usize, Vec<f32>) {
    let shares: Vec<f64> = (0..48).map(|at| (f64::from(at) / 47.0).powi(2)).collect();
    let width = shares.len() + 2;
    let mut made = vec![0f32; rows * width];
    made.par_chunks_mut(width).enumerate().for_each(|(row, out)| {
        let mut own: Vec<f32> = (0..rows).filter(|&other| other != row).map(|other| all[row * rows + other]).collect();
        own.sort_unstable_by(|left, right| right.total_cmp(left));
        let last = own.len().saturating_sub(1) as f64;
        for (out, share) in out.iter_mut().zip(&shares) {
            *out = own.get((share * last).round() as usize).copied().unwrap_or(0.0);
        }
        let mean = own.iter().sum::<f32>() / own.len().max(1) as f32;
        out[width - 2] = mean;
        out[width - 1] = own.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / own.len().max(1) as f32;
    });
    (width, standardised(made, width))
}

/// Gains of giving each row of one description to each of another: minus the mean square distance.
fn gains(one: &[f32], other: &[f32], width: usize) -> Vec<f64> {
    let (rows, columns) = (one.len() / width, other.len() / width);
    let mut all = vec![0f64; rows * columns];
    all.par_chunks_mut(columns.max(1)).enumerate().for_each(|(row, out)| {
        let own = &one[row * width..(row + 1) * width];
        for (out, theirs) in out.iter_mut().zip(other.chunks_exact(width)) {
            let mut sum = 0f32;
            for (left, right) in own.iter().zip(theirs) {
                // Far off in one place is no worse than three deviations: a wrong seed must not decide.
                sum += (left - right).powi(2).min(9.0);
            }
            *out = -f64::from(sum) / width as f64;
        }
    });
    all
}

fn assigned(all: &[f64], rows: usize, columns: usize) -> Vec<Option<usize>> {
    let whole = |gain: f64| (gain * 1e9) as i64;
    let mut solver = Assignment::<i64>::default();
    if rows <= columns {
        let gains: Vec<i64> = all.iter().map(|&gain| whole(gain)).collect();
        return solver.solve(&gains, rows, columns).iter().map(|&column| Some(column)).collect();
    }
    let turned: Vec<i64> =
        (0..columns).flat_map(|column| (0..rows).map(move |row| whole(all[row * columns + column]))).collect();
    let mut found = vec![None; rows];
    for (column, &row) in solver.solve(&turned, columns, rows).iter().enumerate() {
        found[row] = Some(column);
    }
    found
}

/// How sure each given pair is: its gain before the best other one of its row.
fn surest(all: &[f64], columns: usize, given: &[Option<usize>]) -> Vec<(usize, usize)> {
    let mut sure: Vec<(f64, usize, usize)> = given
        .iter()
        .enumerate()
        .filter_map(|(row, column)| {
            let column = (*column)?;
            let own = &all[row * columns..(row + 1) * columns];
            let best = own.iter().enumerate().filter(|(at, _)| *at != column).map(|(_, gain)| *gain);
            Some((own[column] - best.fold(f64::NEG_INFINITY, f64::max), row, column))
        })
        .collect();
    sure.sort_unstable_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    sure.into_iter().map(|(_, row, column)| (row, column)).collect()
}

/// For each encoded row the row of the attacker's list that it is given.
pub fn by_graph(encoded: &[Filters], own: &[Filters]) -> Vec<Option<usize>> {
    let ((rows, theirs), (columns, mine)) = (similarities(encoded), similarities(own));
    if rows < 3 || columns < 3 {
        return vec![None; rows];
    }
    let ((width, one), (_, other)) = (profiles(rows, &theirs), profiles(columns, &mine));
    let mut all = gains(&one, &other, width);
    let mut given = assigned(&all, rows, columns);
    for share in [0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9, 1.0, 1.0] {
        let mut seeds = surest(&all, columns, &given);
        seeds.truncate(((share * seeds.len() as f64) as usize).max(10));
        let towards = |rows: usize, all: &[f32], of: &dyn Fn(&(usize, usize)) -> usize| -> Vec<f32> {
            let columns: Vec<usize> = seeds.iter().map(of).collect();
            (0..rows)
                .flat_map(|row| columns.iter().map(move |&seed| (row, seed)))
                .map(|(row, seed)| all[row * rows + seed])
                .collect()
        };
        let one = standardised(towards(rows, &theirs, &|seed| seed.0), seeds.len());
        let other = standardised(towards(columns, &mine, &|seed| seed.1), seeds.len());
        all = gains(&one, &other, seeds.len());
        given = assigned(&all, rows, columns);
    }
    given
}

/// The classes of equal rows, by how many rows they have, the most first; each with its rows.
fn classes(columns: &[Filters]) -> Vec<Vec<u32>> {
    let rows = columns.first().map_or(0, Filters::len);
    let mut order: Vec<u32> = (0..rows as u32).collect();
    let key = |row: u32| columns.iter().flat_map(move |filters| filters.get(row as usize));
    order.sort_by(|&left, &right| key(left).cmp(key(right)).then(left.cmp(&right)));
    let mut classes: Vec<Vec<u32>> =
        order.chunk_by(|&left, &right| key(left).eq(key(right))).map(<[u32]>::to_vec).collect();
    classes.sort_by(|left, right| right.len().cmp(&left.len()).then(left[0].cmp(&right[0])));
    classes
}

/// For each encoded row how much of a hit the guess by frequency is: 1 by c where c records of the list are as frequent. `truth` is the
/// row of the list that an encoded row is of, if any.
pub fn by_frequency(encoded: &[Filters], own: &[Filters], truth: &[Option<usize>]) -> Vec<f64> {
    let (theirs, mine) = (classes(encoded), classes(own));
    let mut class_of = vec![0usize; own.first().map_or(0, Filters::len)];
    for (number, rows) in mine.iter().enumerate() {
        rows.iter().for_each(|&row| class_of[row as usize] = number);
    }
    let mut hits = vec![0.0; truth.len()];
    let mut from = 0;
    for tied in theirs.chunk_by(|left, right| left.len() == right.len()) {
        let ranks = from..from + tied.len();
        for class in tied {
            for &row in class {
                let is_in = truth[row as usize].is_some_and(|row| ranks.contains(&class_of[row]));
                hits[row as usize] = if is_in { 1.0 / tied.len() as f64 } else { 0.0 };
            }
        }
        from = ranks.end;
    }
    hits
}

/// A token of the attacker's list: how many rows have it.
#[derive(Debug, Clone)]
pub struct Token {
    /// The rows of the list that have it.
    pub rows: Vec<u32>,
    /// How many bits it sets at the most.
    pub bits: usize,
}

/// Rows as bits.
type Rows = Vec<u64>;

fn both(one: &Rows, other: &Rows) -> Rows {
    one.iter().zip(other).map(|(one, other)| one & other).collect()
}

fn count(rows: &Rows) -> usize {
    rows.iter().map(|word| word.count_ones() as usize).sum()
}

/// How many of the most frequent tokens are looked for.
const TOKENS: usize = 40;

/// For each encoded row the people of the list who fit the tokens that were found in it. `list` is how many people there are. Gives how many
/// tokens were found, too.
pub fn by_pattern(encoded: &Filters, length: usize, tokens: &[Token], list: usize) -> (Vec<Vec<u32>>, usize) {
    let rows = encoded.len();
    let words = rows.div_ceil(64);
    let positions: Vec<Rows> = (0..length)
        .into_par_iter()
        .map(|place| {
            let mut set = vec![0u64; words];
            for row in 0..rows {
                set[row / 64] |= (encoded.get(row)[place / 64] >> (63 - place % 64) & 1) << (row % 64);
            }
            set
        })
        .collect();
    let mut frequent: Vec<&Token> = tokens.iter().filter(|token| token.bits >= 3).collect();
    frequent.sort_by(|left, right| right.rows.len().cmp(&left.rows.len()).then(left.rows.cmp(&right.rows)));
    let mut used = vec![false; length];
    // For each token that was found, the encoded rows that hold it, and the people of the list who have it.
    let mut found: Vec<(Rows, Rows)> = Vec::new();
    for token in frequent.iter().take(TOKENS) {
        let expected = token.rows.len() as f64 * rows as f64 / list.max(1) as f64;
        if expected < 8.0 {
            break;
        }
        let near = |count: usize| (count as f64) >= 0.9 * expected;
        let open: Vec<usize> = (0..length).filter(|&place| !used[place] && near(count(&positions[place]))).collect();
        // From each pair of places that go together, all places that go with them.
        let best = open
            .par_iter()
            .enumerate()
            .filter_map(|(at, &first)| {
                let lift = |second: usize| {
                    let together = count(&both(&positions[first], &positions[second])) as f64;
                    let alone = count(&positions[first]) as f64 * count(&positions[second]) as f64 / rows as f64;
                    (together, together / alone.max(1e-9))
                };
                let (second, _) = open[at + 1..]
                    .iter()
                    .map(|&second| (second, lift(second)))
                    .filter(|(_, (together, _))| near(*together as usize))
                    .max_by(|left, right| left.1.1.total_cmp(&right.1.1).then(right.0.cmp(&left.0)))?;
                let mut held = both(&positions[first], &positions[second]);
                let mut places = vec![first, second];
                for &place in open.iter().filter(|&&place| place != first && place != second) {
                    let with = both(&held, &positions[place]);
                    if near(count(&with)) && count(&with) as f64 >= 0.95 * count(&held) as f64 {
                        held = with;
                        places.push(place);
                    }
                }
                let off = (count(&held) as f64 / expected - 1.0).abs();
                (places.len() >= (token.bits / 2).max(3) && off < 0.25).then_some((places.len(), off, places, held))
            })
            .max_by(|left, right| left.0.cmp(&right.0).then(right.1.total_cmp(&left.1)).then(right.2.cmp(&left.2)));
        if let Some((_, _, places, held)) = best {
            places.into_iter().for_each(|place| used[place] = true);
            let mut people = vec![0u64; list.div_ceil(64)];
            token.rows.iter().for_each(|&row| people[row as usize / 64] |= 1 << (row % 64));
            found.push((held, people));
        }
    }
    let fitting = |row: usize| {
        // The people who agree in the most tokens.
        let mut best = (0, Vec::new());
        for person in 0..list {
            let is = |set: &Rows, at: usize| set[at / 64] >> (at % 64) & 1 == 1;
            let agree = found.iter().filter(|(held, people)| is(held, row) == is(people, person)).count();
            if agree > best.0 {
                best = (agree, Vec::new());
            }
            if agree == best.0 {
                best.1.push(person as u32);
            }
        }
        best.1
    };
    ((0..rows).into_par_iter().map(fitting).collect(), found.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::encode::harden::Hardening;
    use crate::link::encode::schema::Schema;
    use crate::link::encode::{Encoder, Prepared};
    use crate::rng::Rng;
    use serde_json::json;

    fn encoded(names: &[String], secret: &[u8], hardening: &Hardening) -> (Encoder, Prepared, Filters) {
        let schema = Schema::parse(&json!({
            "version": 3,
            "clkConfig": {"l": 1024, "kdf": {"type": "HKDF"}},
            "features": [{"identifier": "name", "format": {"type": "string"}, "hashing":
                {"comparison": {"type": "ngram", "n": 2}, "strategy": {"bitsPerToken": 20}}}],
        }));
        let encoder = Encoder::new(schema.unwrap(), secret).unwrap();
        let values: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
        let prepared = encoder.prepare(0, &values, (0..names.len() as u32).collect()).unwrap().unwrap();
        let filters = encoder.filters(&[&prepared], names.len());
        let filters = hardening.harden(filters, 1024, secret, "", &mut Rng::seeded(1)).unwrap();
        (encoder, prepared, filters)
    }

    fn names(count: usize, rng: &mut Rng) -> Vec<String> {
        const SYLLABLES: [&str; 16] =
            ["an", "ber", "co", "del", "er", "fi", "gan", "hu", "is", "jo", "ka", "lor", "mi", "no", "ost", "per"];
        let mut made = std::collections::BTreeSet::new();
        while made.len() < count {
            made.insert((0..2 + rng.index(3)).map(|_| SYLLABLES[rng.index(16)]).collect::<String>());
        }
        made.into_iter().collect()
    }

    #[test]
    fn likeness_gives_names_back_unless_bits_are_diffused() {
        let mut rng = Rng::seeded(4);
        let names = names(120, &mut rng);
        let mut order: Vec<usize> = (0..names.len()).collect();
        rng.shuffle(&mut order);
        let shuffled: Vec<String> = order.iter().map(|&at| names[at].clone()).collect();
        let right = |hardening: &Hardening| {
            let (_, _, theirs) = encoded(&shuffled, b"the secret of the holders", hardening);
            let (_, _, mine) = encoded(&names, b"the attacker's own secret", hardening);
            let given = by_graph(&[theirs], &[mine]);
            given.iter().zip(&order).filter(|(given, truth)| **given == Some(**truth)).count()
        };
        let (plain, hardened) = (right(&Hardening::none()), right(&Hardening::default()));
        assert!(plain >= 114, "{plain}");
        assert!(hardened < plain / 2, "{hardened}");
    }

    #[test]
    fn frequent_filters_are_frequent_records() {
        // a three times, b twice, c and d once: c and d are a guess.
        let bits = |values: &[u64]| Filters { words: 1, bits: values.to_vec() };
        let theirs = bits(&[7, 9, 7, 5, 9, 7, 3]);
        let mine = bits(&[40, 40, 40, 50, 50, 60, 70]);
        let truth = [Some(0), Some(3), Some(1), Some(5), Some(4), Some(2), Some(6)];
        assert_eq!(by_frequency(&[theirs], &[mine], &truth), [1.0, 1.0, 1.0, 0.5, 1.0, 1.0, 0.5]);
    }

    #[test]
    fn bits_that_go_together_are_tokens() {
        let mut rng = Rng::seeded(6);
        let names = names(300, &mut rng);
        let (_, prepared, filters) = encoded(&names, b"the secret of the holders", &Hardening::none());
        let (people, found) = by_pattern(&filters, 1024, &prepared.tokens(), names.len());
        assert!(found >= 5, "{found}");
        let hits: f64 = (people.iter().enumerate())
            .map(|(row, people)| if people.contains(&(row as u32)) { 1.0 / people.len() as f64 } else { 0.0 })
            .sum();
        // Blindly it would be one.
        assert!(hits > 8.0, "{hits}");
    }
}
