//! Removing what may never be published from an original, the same way for every kind.

use std::path::Path;

use throng_core::accounts::{Accounts, PERSONS_BARRED, ROWS_BARRED};
use throng_core::{Error, Result};

use super::{Ask, Kinded, Purpose};
use crate::drop_list::Bars;
use crate::policy::{LeavesOut, Matcher};
use crate::words::counted;

/// Says which file an error is about, unless it says so itself.
fn in_file(error: Error, path: Option<&Path>) -> Error {
    match path {
        Some(path) => error.in_file(path.display().to_string()),
        None => error,
    }
}

/// What was removed of an original because it may never be published.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Barred {
    /// How many rows, items or terms; `None` if nothing was barred.
    pub rows: Option<u64>,
    /// How many persons had nothing else.
    pub persons: u64,
    /// The same in words, and what else is to be said of it.
    pub notes: Vec<String>,
}

impl Barred {
    /// Removes what is barred from data, where a list of it was given, or a policy leaves something out, and they are an original.
    pub(crate) fn remove<D: Kinded>(
        data: D,
        ask: &Ask,
        purpose: Purpose,
        without: impl Fn(&D, &dyn Bars) -> Result<D>,
    ) -> Result<(D, Self)> {
        if purpose != Purpose::Original {
            return Ok((data, Self::default()));
        }
        let (data, listed) = match ask.drop_list()? {
            Some(list) => {
                let named = |error| in_file(error, ask.drop.as_deref());
                let (data, mut barred) = Self::of(data, &list, &without).map_err(named)?;
                if let (idle @ 1.., all) = list.idle() {
                    let all = counted(all as u64, "rule", "rules");
                    barred.notes.push(format!("{idle} of {all} of that list found nothing"));
                }
                (data, barred)
            }
            None => (data, Self::default()),
        };
        let named = |error| in_file(error, ask.policy.as_deref());
        let Some(policy) = ask.matcher(D::CARD.name)?.filter(Matcher::leaves_something_out) else {
            return Ok((data, listed));
        };
        let (data, mut left_out) = Self::of(data, &LeavesOut(&policy), &without).map_err(named)?;
        left_out.notes.iter_mut().for_each(|note| *note += " (the policy leaves them out)");
        left_out.notes.splice(0..0, listed.notes.iter().cloned());
        Ok((data, Self { notes: left_out.notes.clone(), ..left_out.and(Self { notes: Vec::new(), ..listed }) }))
    }

    /// Removes what somebody bars.
    fn of<D: Kinded>(data: D, who: &dyn Bars, without: &impl Fn(&D, &dyn Bars) -> Result<D>) -> Result<(D, Self)> {
        let kept = without(&data, who)?;
        if kept.rows() == 0 && data.rows() > 0 {
            return Err(Error::data("nothing is left if all that may never be published is removed").with_hint(
                "a rule of one common word bars everything that has it: name more words, or a whole \"query\"",
            ));
        }
        let (rows, persons) = ((data.rows() - kept.rows()) as u64, (data.persons() - kept.persons()) as u64);
        let whose = if persons > 0 {
            format!(", and {} with nothing else", counted(persons, "person", "persons"))
        } else {
            String::new()
        };
        let what = counted(rows, D::CARD.row[0], D::CARD.row[1]);
        let notes = vec![format!("removed {what} that may never be published{whose}")];
        Ok((kept, Self { rows: Some(rows), persons, notes }))
    }

    /// The same with what else was removed on the way.
    pub(crate) fn and(mut self, earlier: Self) -> Self {
        self.rows = match (self.rows, earlier.rows) {
            (Some(rows), Some(more)) => Some(rows + more),
            (rows, more) => rows.or(more),
        };
        self.persons += earlier.persons;
        // Rules were looked at in the data as they were first.
        self.notes = if earlier.notes.is_empty() { self.notes } else { earlier.notes };
        self
    }

    /// The same beside what was removed for another reason.
    pub(crate) fn beside(self, other: Self) -> Self {
        let notes = other.notes.iter().chain(&self.notes).cloned().collect();
        Self { notes, ..self.and(other) }
    }

    /// What a certificate counts.
    pub(crate) fn accounts(&self) -> Accounts {
        match self.rows {
            Some(rows) => Accounts::new().with(ROWS_BARRED, rows).with(PERSONS_BARRED, self.persons),
            None => Accounts::default(),
        }
    }
}
