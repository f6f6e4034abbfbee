//! How good a generalisation of whole columns is: the values by which ARX chooses, each as ARX computes it.
//!
//! Paper      Prasser, Kohlmayer, Lautenschläger, Kuhn. ARX. AMIA 2014; de Waal, Willenborg 1999 (entropy); Iyengar 2002 (loss);
//!            Bayardo, Agrawal 2005 (discernibility); LeFevre et al. 2006 (classes); Xu et al. 2006 (NCP).
//!
//! # Formulas, n rows; D leaves of a hierarchy; a row is ok if its class satisfies all models, else it is suppressed
//! entropy                     sum over columns of - sum over original values a of n_a log2(n_a / n_g(a)), g(a) the generalised value,
//!                             counted over all rows
//! entropy-suppressed          the same, plus for each column - sum over generalised values v among the m suppressed rows of
//!                             m_v log2(m_v / m)
//! loss                        column: max(0, (T - gF n / D) / (n - gF n / D)), T the sum over rows of: ok gF x (leaves under its
//!                             value / D); suppressed 1 if sF = 1, else share + sF (1 - share). sF = 2B below 0.5, else 1; gF = 1 up to
//!                             0.5, then 1 - 2 (B - 0.5). Total: product of (1 + column)^(1 / columns), minus 1
//! discernibility              sum of squared class sizes
//! discernibility-suppressed   ok classes squared, plus n for each suppressed row
//! classes                     n / (ok classes + 1 if a row is suppressed)
//! ncp                         mean over rows and columns: ok row: leaves / D, 0 if it is one leaf; suppressed row: 1
//! The part of each column is floored at 10 decimals before it is summed or multiplied.

use crate::error::{Error, Result};

/// A way to value a generalisation; less is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Quality {
    /// Entropy, suppression ignored.
    Entropy,
    /// Entropy with that of suppressed rows.
    EntropySuppressed,
    /// Leaves that are left open, with the balance of generalisation against suppression.
    Loss(f64),
    /// Squared sizes of all classes.
    Discernibility,
    /// Squared sizes of classes that are published.
    DiscernibilitySuppressed,
    /// The average size of classes.
    Classes,
    /// Normalised certainty penalty.
    Ncp,
}

/// The names of the qualities.
pub const NAMES: &[&str] =
    &["ncp", "loss", "entropy", "entropy-suppressed", "discernibility", "discernibility-suppressed", "classes"];

impl Quality {
    /// Reads a name, for `loss` with its balance: `loss:balance=0.1`.
    pub fn parse(text: &str) -> Result<Self> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let balance = match rest.split_once('=') {
            None if rest.is_empty() => None,
            Some(("balance", number)) if name == "loss" => {
                Some(number.parse::<f64>().ok().filter(|balance| (0.0..=1.0).contains(balance)).ok_or_else(|| {
                    Error::parameter("quality", format!("has the balance `{number}`, which must be a fraction"))
                })?)
            }
            _ => {
                return Err(Error::parameter(
                    "quality",
                    format!("is `{text}`: only `loss` has a parameter, its balance"),
                )
                .with_hint("for example `--quality loss:balance=0.1`"));
            }
        };
        Ok(match name {
            "entropy" => Self::Entropy,
            "entropy-suppressed" => Self::EntropySuppressed,
            "loss" => Self::Loss(balance.unwrap_or(0.5)),
            "discernibility" => Self::Discernibility,
            "discernibility-suppressed" => Self::DiscernibilitySuppressed,
            "classes" => Self::Classes,
            "ncp" => Self::Ncp,
            _ => return Err(Error::unknown("quality", name, NAMES.iter().copied())),
        })
    }
}

/// A column as its values see it: for each level, for each node how many rows and leaves it has, and the entropy of the level.
#[derive(Debug, Clone)]
pub struct ColumnLevels {
    /// What the column counts, by the mean of all.
    pub factor: f64,
    /// How many leaves the hierarchy has.
    pub leaves: u32,
    /// For each level, for each node how many leaves are under it.
    pub under: Vec<Vec<u32>>,
    /// For each level the entropy that is lost on it.
    pub entropy: Vec<f64>,
    /// For each level the mean share of leaves under the values of all rows.
    pub share: Vec<f64>,
    /// The same, where a value that is one leaf counts nothing.
    pub penalty: Vec<f64>,
}

/// A class of a generalisation: for each column its node, its rows, and whether it is published.
#[derive(Debug, Clone, Copy)]
pub struct Class<'a> {
    /// For each column its node on that column's level.
    pub nodes: &'a [u32],
    /// How many rows.
    pub rows: u32,
    /// Whether it satisfies all models.
    pub is_ok: bool,
}

/// Floors at ten decimals.
pub fn floored(part: f64) -> f64 {
    (part * 1e10).floor() / 1e10
}

impl Quality {
    /// Whether its value depends on what the nodes of classes are.
    pub fn looks_at_nodes(self) -> bool {
        matches!(self, Self::EntropySuppressed | Self::Ncp | Self::Loss(_))
    }

    /// The value of a generalisation of so many rows to these levels, with these classes.
    pub fn value<'c>(
        self,
        columns: &[ColumnLevels],
        levels: &[usize],
        rows: u64,
        classes: impl Iterator<Item = Class<'c>> + Clone,
    ) -> f64 {
        let n = rows as f64;
        match self {
            Self::Discernibility => classes.map(|class| f64::from(class.rows).powi(2)).sum(),
            Self::DiscernibilitySuppressed => classes
                .map(|class| if class.is_ok { f64::from(class.rows).powi(2) } else { n * f64::from(class.rows) })
                .sum(),
            Self::Classes => {
                let ok = classes.clone().filter(|class| class.is_ok).count();
                let some_suppressed = classes.into_iter().any(|class| !class.is_ok);
                n / (ok + usize::from(some_suppressed)) as f64
            }
            Self::Entropy => entropy(columns, levels),
            Self::EntropySuppressed => {
                let own = entropy(columns, levels);
                let part = |at: usize| {
                    let lost = suppressed_entropy(columns[at].under[levels[at]].len(), at, classes.clone());
                    columns[at].factor * floored(lost)
                };
                own + (0..columns.len()).map(part).sum::<f64>()
            }
            Self::Ncp => {
                let sums =
                    sums(columns, levels, classes, |share, leaves| if leaves == 1 { 0.0 } else { share }, |_| 1.0);
                sums.iter().zip(columns).map(|(sum, column)| column.factor * floored(sum / n)).sum::<f64>()
                    / columns.len() as f64
            }
            Self::Loss(balance) => {
                let suppressing = if balance < 0.5 { 2.0 * balance } else { 1.0 };
                let generalising = if balance <= 0.5 { 1.0 } else { 1.0 - 2.0 * (balance - 0.5) };
                let of_suppressed =
                    |share: f64| if suppressing == 1.0 { 1.0 } else { share + suppressing * (1.0 - share) };
                let sums = sums(columns, levels, classes, |share, _| generalising * share, of_suppressed);
                let part = |(sum, column): (&f64, &ColumnLevels)| {
                    let least = generalising * n / f64::from(column.leaves);
                    floored(((sum - least) / (n - least)).max(0.0))
                };
                let parts = sums.iter().zip(columns).map(part).zip(columns);
                parts.map(|(part, column)| (1.0 + part).powf(column.factor / columns.len() as f64)).product::<f64>()
                    - 1.0
            }
        }
    }

    /// A value that no generalisation falls below whose classes are put together from classes of these sizes; 0 where that is not
    /// known.
    pub fn least_by_sizes(self, sizes: impl Iterator<Item = u32>, rows: u64) -> f64 {
        match self {
            Self::Discernibility | Self::DiscernibilitySuppressed => sizes.map(|size| f64::from(size).powi(2)).sum(),
            Self::Classes => rows as f64 / (sizes.count() + 1) as f64,
            Self::Entropy | Self::EntropySuppressed | Self::Ncp | Self::Loss(_) => 0.0,
        }
    }

    /// A value that no generalisation to these levels, or to higher ones, falls below: a row that is left out costs no less than
    /// one that is published, and a higher level no less than a lower one. Nothing where that is not known.
    pub fn least(self, columns: &[ColumnLevels], levels: &[usize]) -> f64 {
        let all = || columns.iter().zip(levels);
        match self {
            Self::Entropy | Self::EntropySuppressed => entropy(columns, levels),
            Self::Ncp => {
                all().map(|(column, &level)| column.factor * floored(column.penalty[level])).sum::<f64>()
                    / columns.len() as f64
            }
            Self::Loss(balance) => {
                let generalising = if balance <= 0.5 { 1.0 } else { 1.0 - 2.0 * (balance - 0.5) };
                let part = |(column, &level): (&ColumnLevels, &usize)| {
                    let least = generalising / f64::from(column.leaves);
                    floored(((generalising * column.share[level] - least) / (1.0 - least)).max(0.0))
                };
                all()
                    .map(part)
                    .zip(columns)
                    .map(|(part, column)| (1.0 + part).powf(column.factor / columns.len() as f64))
                    .product::<f64>()
                    - 1.0
            }
            Self::Discernibility | Self::DiscernibilitySuppressed | Self::Classes => 0.0,
        }
    }
}

fn entropy(columns: &[ColumnLevels], levels: &[usize]) -> f64 {
    columns.iter().zip(levels).map(|(column, &level)| column.factor * floored(column.entropy[level])).sum()
}

/// For each column the sum over rows of what each costs, given the share of leaves under its value.
fn sums<'c>(
    columns: &[ColumnLevels],
    levels: &[usize],
    classes: impl Iterator<Item = Class<'c>>,
    ok: impl Fn(f64, u32) -> f64,
    suppressed: impl Fn(f64) -> f64,
) -> Vec<f64> {
    let mut sums = vec![0.0; columns.len()];
    for class in classes {
        for (at, (column, &level)) in columns.iter().zip(levels).enumerate() {
            let leaves = column.under[level][class.nodes[at] as usize];
            let share = f64::from(leaves) / f64::from(column.leaves);
            let cost = if class.is_ok { ok(share, leaves) } else { suppressed(share) };
            sums[at] += f64::from(class.rows) * cost;
        }
    }
    sums
}

fn suppressed_entropy<'c>(nodes: usize, at: usize, classes: impl Iterator<Item = Class<'c>>) -> f64 {
    let mut counts = vec![0u64; nodes];
    for class in classes.filter(|class| !class.is_ok) {
        counts[class.nodes[at] as usize] += u64::from(class.rows);
    }
    let all: u64 = counts.iter().sum();
    let term = |&count: &u64| if count == 0 { 0.0 } else { -(count as f64) * (count as f64 / all as f64).log2() };
    counts.iter().map(term).sum()
}

/// The entropy that is lost on a level, given for each original value its rows and its node.
pub fn lost(rows_of_values: &[u64], node_of: &[u32], nodes: usize) -> f64 {
    let mut rows = vec![0u64; nodes];
    rows_of_values.iter().zip(node_of).for_each(|(count, &node)| rows[node as usize] += count);
    let term = |(&count, &node): (&u64, &u32)| match count {
        0 => 0.0,
        count => -(count as f64) * (count as f64 / rows[node as usize] as f64).log2(),
    };
    rows_of_values.iter().zip(node_of).map(term).sum()
}
