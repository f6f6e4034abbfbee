//! Hierarchies made of the values of a column: intervals of numbers, masked characters, neighbours in an order, parts of days.
//!
//! A hierarchy is lines of labels, level by level, as [`Hierarchy::new`](super::Hierarchy::new) takes them; the last label is `*`.

use super::{STAR, cell};
use crate::error::{Error, Result};

/// How the values of a column are grouped.
#[derive(Debug, Clone, PartialEq)]
pub enum Levels {
    /// Intervals of these widths, each a multiple of the one before.
    Steps(Vec<f64>),
    /// The last so many characters starred, one by one.
    Mask(usize),
    /// Neighbours in an order, so many in a group, and so many groups in the next.
    Order(Vec<String>, usize),
    /// Parts of days that have a level each.
    Date {
        /// Whether months have one.
        months: bool,
        /// Whether years have one.
        years: bool,
    },
}

/// The lines of a hierarchy over these values, each once.
pub fn lines(values: &[&str], levels: &Levels) -> Result<Vec<Vec<String>>> {
    match levels {
        Levels::Steps(steps) => by_steps(values, steps),
        Levels::Mask(characters) => {
            // More levels than characters would all be the same.
            let longest = values.iter().map(|value| value.chars().count()).max().unwrap_or_default();
            Ok(values.iter().map(|value| masked(value, (*characters).min(longest))).collect())
        }
        Levels::Order(order, fanout) => by_order(values, order, *fanout),
        Levels::Date { months, years } => by_date(values, *months, *years),
    }
}

fn by_steps(values: &[&str], steps: &[f64]) -> Result<Vec<Vec<String>>> {
    let is_rising = |pair: &[f64]| (pair[1] / pair[0]).fract() == 0.0 && pair[1] > pair[0];
    if steps.is_empty()
        || steps.iter().any(|step| !step.is_finite() || *step <= 0.0)
        || !steps.windows(2).all(is_rising)
    {
        return Err(Error::parameter("steps", "must be widths above 0, each a multiple of the one before")
            .with_hint("for example `--steps 5,10,20`"));
    }
    let are_whole = steps.iter().all(|step| step.fract() == 0.0)
        && values.iter().all(|value| cell::number(value).is_none_or(|number| number.fract() == 0.0 && number >= 0.0));
    let line = |value: &&str| {
        let number = cell::number(value).ok_or_else(|| {
            Error::data("a value of the column is no number, so it is in no interval").with_value(*value)
        })?;
        let label = |step: &f64| {
            let low = (number / step).floor() * step;
            let high = low + step;
            match are_whole {
                true if *step == 1.0 => cell::shortest(low),
                true => format!("{}-{}", cell::shortest(low), cell::shortest(high - 1.0)),
                false => format!("[{}, {}[", cell::shortest(low), cell::shortest(high)),
            }
        };
        Ok([(*value).to_owned()].into_iter().chain(steps.iter().map(label)).chain([STAR.to_owned()]).collect())
    };
    values.iter().map(line).collect()
}

fn masked(value: &str, characters: usize) -> Vec<String> {
    let all: Vec<char> = value.chars().collect();
    let with = |stars: usize| {
        let stars = stars.min(all.len());
        all[..all.len() - stars].iter().collect::<String>() + &STAR.repeat(stars)
    };
    (0..=characters).map(with).chain([STAR.to_owned()]).collect()
}

fn by_order(values: &[&str], order: &[String], fanout: usize) -> Result<Vec<Vec<String>>> {
    if fanout < 2 {
        return Err(Error::parameter("fanout", format!("is {fanout}, but must be at least 2")));
    }
    if let Some(missing) = values.iter().find(|value| !order.iter().any(|known| known == *value)) {
        return Err(Error::data("a value of the column is not in the order")
            .with_value(*missing)
            .with_hint("the file of `--order` has every value of the column, one a line"));
    }
    let mut lines: Vec<Vec<String>> = order.iter().map(|value| vec![value.clone()]).collect();
    let mut width = fanout;
    while width < order.len() {
        for (at, line) in lines.iter_mut().enumerate() {
            let first = at / width * width;
            let last = (first + width - 1).min(order.len() - 1);
            line.push(if first == last {
                order[first].clone()
            } else {
                format!("{} to {}", order[first], order[last])
            });
        }
        width = width.saturating_mul(fanout);
    }
    lines.iter_mut().for_each(|line| line.push(STAR.to_owned()));
    Ok(lines)
}

fn by_date(values: &[&str], months: bool, years: bool) -> Result<Vec<Vec<String>>> {
    if !months && !years {
        return Err(
            Error::parameter("date", "names no month and no year").with_hint("for example `--date year,month,day`")
        );
    }
    let line = |value: &&str| {
        if cell::day(value).is_none() {
            return Err(Error::data("a value of the column is no day as 2024-03-31").with_value(*value).with_hint(
                "write days as year, month and day with hyphens; `--order FILE --fanout N` makes a hierarchy of any values",
            ));
        }
        let parts = [(months, &value[..7]), (years, &value[..4])];
        let parts = parts.into_iter().filter(|(is_wanted, _)| *is_wanted).map(|(_, part)| part.to_owned());
        Ok([(*value).to_owned()].into_iter().chain(parts).chain([STAR.to_owned()]).collect())
    };
    values.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Hierarchy;
    use super::*;

    fn all(values: &[&str], levels: &Levels) -> Vec<String> {
        let lines = lines(values, levels).unwrap();
        Hierarchy::new(&lines).unwrap();
        lines.iter().map(|line| line.join(";")).collect()
    }

    #[test]
    fn every_way_makes_a_hierarchy() {
        assert_eq!(all(&["3", "17"], &Levels::Steps(vec![5.0, 10.0])), ["3;0-4;0-9;*", "17;15-19;10-19;*"]);
        assert_eq!(all(&["-1.5"], &Levels::Steps(vec![1.0])), ["-1.5;[-2, -1[;*"]);
        assert_eq!(all(&["41075", "7"], &Levels::Mask(2)), ["41075;4107*;410**;*", "7;*;*;*"]);
        let order: Vec<String> = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
        let found = all(&["e", "a"], &Levels::Order(order, 2));
        assert_eq!((found[0].as_str(), found[4].as_str()), ("a;a to b;a to d;*", "e;e;e;*"));
        let days = Levels::Date { months: true, years: true };
        assert_eq!(all(&["2024-03-31"], &days), ["2024-03-31;2024-03;2024;*"]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (values, levels) in [
            (["x"], Levels::Steps(vec![5.0])),
            (["3"], Levels::Steps(vec![5.0, 12.0])),
            (["3"], Levels::Steps(vec![])),
            (["3"], Levels::Order(vec!["4".into()], 2)),
            (["3"], Levels::Order(vec!["3".into()], 1)),
            (["3"], Levels::Date { months: true, years: true }),
        ] {
            assert!(lines(&values, &levels).is_err(), "{levels:?}");
        }
    }
}
