//! A comparison on the terminal: a line for each method and k, and what to choose.

use std::fmt::Write as _;

use super::{in_words, shown, words};
use crate::run::{Comparison, NO_K, Promise};

/// How many measures have room beside each other.
const MEASURES: usize = 3;

impl Comparison {
    /// Every method with every k, its first numbers and what it promises; then what to choose.
    pub fn text(&self) -> String {
        let mut measures: Vec<&str> = self.measures().into_iter().take(MEASURES).collect();
        // And the attacker who knows two things.
        let knows_two = |label: &&str| self.attack(label).is_some_and(|attack| attack["knowledge"]["p"] == 2);
        measures.extend(self.measures().into_iter().find(knows_two));
        let losses = self.losses(&[]);
        let beside = [(!losses.is_empty()).then_some("loss"), self.leaves_out().then_some("left-out")];
        let head = ["method", "k"].into_iter().chain(beside.into_iter().flatten()).chain(measures.iter().copied());
        let mut rows: Vec<Vec<String>> = vec![head.chain(["promises"]).map(str::to_owned).collect()];
        for method in &self.methods {
            let ks = if self.has_no_k(method) { &[NO_K][..] } else { &self.k };
            for &k in ks {
                let shown_k = if k == NO_K { "-".to_owned() } else { k.to_string() };
                let mut row = vec![method.clone(), shown_k];
                row.extend(beside[0].map(|_| shown(self.lost(method, k, &losses)).0));
                row.extend(beside[1].map(|_| shown(self.left_out(method, k)).0));
                row.extend(measures.iter().map(|measure| shown(self.spread(method, k, measure)).0));
                let cell = self.cells.iter().find(|cell| cell.is_of(method, k));
                let claims = cell.map(|cell| cell.claims.iter().map(Promise::as_typed).collect::<Vec<_>>());
                let claims = claims.unwrap_or_default();
                row.push(if claims.is_empty() { "nothing".to_owned() } else { claims.join(" ") });
                rows.push(row);
            }
        }
        let mut text = aligned(&rows);
        if !losses.is_empty() {
            let names = losses.iter().map(|name| name.replace('-', " ")).collect::<Vec<_>>().join(", ");
            let left_out =
                if beside[1].is_some() { "; left-out: persons of whom nothing is published, in %" } else { "" };
            let _ = writeln!(text, "\nloss in % of everything, the mean by: {names}{left_out}");
        }
        if let Some(held_out) = &self.held_out {
            let _ = writeln!(text, "\nheld out    {}", in_words(held_out));
        }
        let mut told: Vec<(String, Vec<String>, &str)> = Vec::new();
        for recommendation in &self.recommendations {
            let choice = recommendation.choice();
            let promise = recommendation.promise().as_typed();
            match told.iter_mut().find(|(other, ..)| choice.as_ref() == Some(other)) {
                Some((_, promises, _)) => promises.push(promise),
                None => {
                    told.push((choice.unwrap_or_else(|| "nothing".to_owned()), vec![promise], &recommendation.reason))
                }
            }
        }
        for (choice, promises, reason) in told {
            let _ = writeln!(text, "\nrecommended {choice}, for {}", promises.join(" and "));
            for sentence in words::sentences(reason) {
                let _ = writeln!(text, "            {sentence}");
            }
        }
        text
    }
}

/// Rows in columns: the first and the last to the left, numbers to the right.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let _ = match column {
                0 => write!(line, "{cell:width$}"),
                _ if column + 1 == columns => write!(line, "  {cell}"),
                _ => write!(line, "  {cell:>width$}"),
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
