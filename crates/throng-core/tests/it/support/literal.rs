//! Paper 001 word for word, from strings, slow and obvious. It shares nothing with the fast way but the order in which a
//! formula is evaluated, so that results are equal to the last bit.

use super::logs::Line;

/// The user distance with the scales of an original.
#[derive(Debug)]
pub(crate) struct Literal {
    time: Scale,
    rank: Scale,
    terms: Scale,
    lines: Scale,
    /// Equation 1 as printed, else as the text has it (Q6).
    printed: bool,
}

#[derive(Debug)]
struct Scale {
    least: i64,
    greatest: i64,
}

impl Scale {
    fn of(values: &[i64]) -> Self {
        Self { least: values.iter().copied().min().unwrap_or(0), greatest: values.iter().copied().max().unwrap_or(0) }
    }

    /// Q1, Q2.
    fn norm(&self, value: i64) -> f64 {
        if self.least == self.greatest {
            0.0
        } else {
            (value - self.least) as f64 / (self.greatest - self.least) as f64
        }
    }
}

impl Literal {
    pub(crate) fn of(original: &[Vec<Line>], printed: bool) -> Self {
        let all: Vec<&Line> = original.iter().flatten().collect();
        let scale = |value: &dyn Fn(&Line) -> Option<i64>| {
            Scale::of(&all.iter().filter_map(|line| value(line)).collect::<Vec<i64>>())
        };
        Self {
            time: scale(&|line| Some(line.time)),
            rank: scale(&|line| line.rank.map(i64::from)),
            terms: scale(&|line| Some(words(&line.query).len() as i64)),
            lines: Scale::of(&original.iter().map(|lines| lines.len() as i64).collect::<Vec<_>>()),
            printed,
        }
    }

    /// Equation 4.
    pub(crate) fn user(&self, left: &[Line], right: &[Line]) -> f64 {
        let activity = (self.lines.norm(left.len() as i64) - self.lines.norm(right.len() as i64)).abs();
        (activity + hausdorff(left, right, &|a, b| self.line(a, b))) / 2.0
    }

    /// Equation 3.
    fn line(&self, left: &Line, right: &Line) -> f64 {
        let time = (self.time.norm(left.time) - self.time.norm(right.time)).abs();
        let rank = match (left.rank, right.rank) {
            (Some(a), Some(b)) => (self.rank.norm(i64::from(a)) - self.rank.norm(i64::from(b))).abs(),
            (None, None) => 0.0,
            _ => 1.0,
        };
        let host = match (&left.url, &right.url) {
            (Some(a), Some(b)) => hosts(&host(a), &host(b)),
            (None, None) => 0.0,
            _ => 1.0,
        };
        let numeric = time + rank + host;
        (numeric + 3.0 * self.query(&left.query, &right.query)) / 6.0
    }

    /// Equation 1.
    fn query(&self, left: &str, right: &str) -> f64 {
        let (left, right) = (words(left), words(right));
        let terms = (self.terms.norm(left.len() as i64) - self.terms.norm(right.len() as i64)).abs();
        let words = hausdorff(&left, &right, &|a, b| edit(a, b));
        if self.printed { (2.0 * terms + words) / 3.0 } else { (terms + 2.0 * words) / 3.0 }
    }
}

/// Q12: two empty sets 0, an empty and another 1.
fn hausdorff<T>(left: &[T], right: &[T], distance: &dyn Fn(&T, &T) -> f64) -> f64 {
    if left.is_empty() || right.is_empty() {
        return if left.is_empty() && right.is_empty() { 0.0 } else { 1.0 };
    }
    let directed = |from: &[T], to: &[T]| {
        let nearest = |a: &T| to.iter().map(|b| distance(a, b)).fold(f64::INFINITY, f64::min);
        from.iter().map(nearest).fold(0.0, f64::max)
    };
    f64::max(directed(left, right), directed(right, left))
}

/// The words of a query, repeated ones too (Q11).
fn words(query: &str) -> Vec<Vec<char>> {
    let mut words = vec![Vec::new()];
    for letter in query.chars() {
        if letter.is_whitespace() {
            words.push(Vec::new());
        } else if let Some(word) = words.last_mut() {
            word.push(letter);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Edits by the whole table, over the longer length.
fn edit(left: &[char], right: &[char]) -> f64 {
    let mut table = vec![vec![0usize; right.len() + 1]; left.len() + 1];
    for i in 0..=left.len() {
        for j in 0..=right.len() {
            table[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = table[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
                replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1)
            };
        }
    }
    table[left.len()][right.len()] as f64 / left.len().max(right.len()) as f64
}

/// The labels of a URL's host, the right-most first (Q5, Q15a).
fn host(url: &str) -> Vec<String> {
    let mut rest = url.trim();
    if let Some(at) = rest.find("://") {
        rest = &rest[at + 3..];
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    rest = &rest[..end];
    if let Some(at) = rest.rfind('@') {
        rest = &rest[at + 1..];
    }
    if let Some(at) = rest.find(':') {
        rest = &rest[..at];
    }
    let mut labels: Vec<String> = rest.to_lowercase().split('.').map(str::to_owned).collect();
    labels.reverse();
    while labels.first().is_some_and(String::is_empty) {
        labels.remove(0);
    }
    labels
}

/// The share of labels that differ, label i from the right weighing 2^(m-i), m + 1 labels in the longer (Q3, Q4): a ratio
/// of whole numbers, rounded where it becomes a float.
fn hosts(left: &[String], right: &[String]) -> f64 {
    let labels = left.len().max(right.len());
    if labels == 0 {
        return 0.0;
    }
    let differing: u128 =
        (0..labels).filter(|&at| left.get(at) != right.get(at)).map(|at| 1u128 << (labels - 1 - at)).sum();
    differing as f64 / ((1u128 << labels) - 1) as f64
}

/// Algorithm 1 with the medoid as the average record, every tie to the lower number, sums of distances exact.
pub(crate) fn mdav(distances: &[Vec<f64>], k: usize) -> Vec<Vec<u32>> {
    let mut left: Vec<usize> = (0..distances.len()).collect();
    let medoid = |left: &[usize]| {
        // Whole numbers of 2^-100: no rounding for any distance from 2^-47 on.
        let exact = |distance: f64| (distance * 2f64.powi(100)) as u128;
        let sum = |of: usize| left.iter().map(|&other| exact(distances[of][other])).sum::<u128>();
        *left.iter().min_by_key(|&&record| (sum(record), record)).unwrap()
    };
    let farthest = |left: &[usize], from: usize| {
        let mut best = left[0];
        for &record in left {
            if distances[from][record] > distances[from][best] {
                best = record;
            }
        }
        best
    };
    let take = |left: &mut Vec<usize>, centre: usize| {
        let mut others: Vec<usize> = left.iter().copied().filter(|&record| record != centre).collect();
        others.sort_by(|&a, &b| distances[centre][a].total_cmp(&distances[centre][b]).then(a.cmp(&b)));
        let mut group = vec![centre];
        group.extend(&others[..k - 1]);
        group.sort_unstable();
        left.retain(|record| !group.contains(record));
        group
    };
    let mut groups = Vec::new();
    while left.len() >= 3 * k {
        let first = farthest(&left, medoid(&left));
        groups.push(take(&mut left, first));
        let second = farthest(&left, first);
        groups.push(take(&mut left, second));
    }
    if left.len() >= 2 * k {
        let first = farthest(&left, medoid(&left));
        groups.push(take(&mut left, first));
    }
    groups.push(left);
    groups.into_iter().map(|group| group.into_iter().map(|record| record as u32).collect()).collect()
}
