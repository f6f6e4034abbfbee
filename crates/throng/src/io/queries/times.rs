//! The times of a log: one column or two, in a form that is found out or said, in a zone that may be named.

use throng_core::data::time::{Instant, Misread, Read, Settled, TimeColumn, TimeStyle, Undecided, exchange};
use throng_core::{Error, Result};

use super::super::scan::ReadOptions;
use super::super::time_zone::TimeZone;

/// How times are read, and what they told. Parts see blocks; the whole absorbs them.
pub(in super::super) struct Times {
    column: TimeColumn,
    said: Option<TimeStyle>,
    pub(in super::super) zone: Option<TimeZone>,
    /// How many blanks a day has, where it is a column of its own.
    pub(in super::super) blanks_in_date: Option<usize>,
    /// A day and a time of day, side by side.
    joined: String,
}

impl Times {
    pub(in super::super) fn new(options: &ReadOptions) -> Result<Self> {
        let said = options.time_format.as_deref().map(said_style).transpose()?;
        let zone = options.time_zone.as_deref().map(TimeZone::named).transpose()?;
        Ok(Self { column: TimeColumn::new(said), said, zone, blanks_in_date: None, joined: String::new() })
    }

    /// The same for a part of the file, of which nothing is read yet.
    pub(in super::super) fn part(&self) -> Self {
        let (said, zone) = (self.said, self.zone.clone());
        Self { column: TimeColumn::new(said), said, zone, blanks_in_date: None, joined: String::new() }
    }

    /// Reads the time of a line: a point in time of the format itself, or a text, or a day and a time of day. Gives it, and what
    /// clocks of the zone showed.
    #[inline]
    pub(in super::super) fn read(
        &mut self,
        instant: Option<Read>,
        date: &str,
        time: &str,
        line: u64,
    ) -> Result<(Instant, i64)> {
        let read = match instant {
            Some(read) => read,
            None if date.is_empty() => self.column.read(time, line).map_err(|wrong| self.misread(wrong, time))?,
            None => self.read_two(date, time, line)?,
        };
        let local = match &self.zone {
            Some(zone) if !read.is_local => zone.local(read.instant.millis),
            _ => read.instant.millis,
        };
        Ok((read.instant, local))
    }

    #[inline(never)]
    fn read_two(&mut self, date: &str, time: &str, line: u64) -> Result<Read> {
        let (date, time) = (date.trim_ascii(), time.trim_ascii());
        if time.is_empty() {
            return Err(Error::data("the time of day is missing").with_hint(SKIP));
        }
        self.joined.clear();
        self.joined.push_str(date);
        self.joined.push(' ');
        self.joined.push_str(time);
        self.blanks_in_date.get_or_insert_with(|| date.bytes().filter(|byte| *byte == b' ').count());
        self.column.read(&self.joined, line).map_err(|wrong| {
            let error = self.misread(wrong, &self.joined);
            if wrong != Misread::Form || self.said.is_some() {
                return error;
            }
            error.with_hint(
                "the day and the time of day are taken from two columns, side by side with a blank between them: `--time-format \
                 '%d.%m.%Y %H:%M'` says how they are written; `--column time=…` alone takes one column for all of it",
            )
        })
    }

    /// The error for a text that is no time.
    #[cold]
    fn misread(&self, wrong: Misread, text: &str) -> Error {
        let error = |problem: &str, hint: &str| Error::data(problem).with_value(text).with_hint(hint);
        match wrong {
            Misread::Form => match self.said {
                Some(said) => error(
                    &format!("the time is not written as `{}`, which `--time-format` says", said.to_format()),
                    SKIP,
                ),
                None => error(
                    "the time cannot be read",
                    "known are `2006-05-31 23:00:52`, ISO 8601, `31.05.2006 23:00`, `05/31/2006 11:00 PM`, `[31/May/2006:23:00:52 \
                     +0200]`, seconds since 1970 and others; `--time-format '%d.%m.%y %H:%M'` says how times are written",
                ),
            },
            Misread::ShortYear => error(
                "the year has two digits",
                "`--time-format` with %y says so, as '%d.%m.%y %H:%M': 69 to 99 are 1969 to 1999, 00 to 68 are 2000 to 2068",
            ),
            Misread::Day => error("there is no such day", SKIP),
            Misread::Weekday => error("the day of the week is not that of the date", SKIP),
            Misread::Clock => error("there is no such time of day", SKIP),
        }
    }

    /// Takes what a later part of the file told, with the number of lines before it.
    pub(in super::super) fn absorb(&mut self, part: Self, lines_before: u64) {
        self.column.absorb(part.column, lines_before);
        self.blanks_in_date = self.blanks_in_date.or(part.blanks_in_date);
    }

    /// How many times had digits that were not looked at.
    pub(in super::super) fn finer(&self) -> u64 {
        self.column.finer()
    }

    /// How times are written, once all were read.
    pub(in super::super) fn settle(&self, options: &ReadOptions) -> Result<Settled> {
        match self.column.settle() {
            Ok(settled) => Ok(settled),
            Err(Undecided::EitherOrder(_)) if options.is_sample => Ok(Settled { style: None, is_exchanged: false }),
            Err(Undecided::EitherOrder([day_first, month_first])) => Err(Error::data(
                "day and month cannot be told apart: every date can be read in two ways, as 03/04/2025 is in March or in April",
            )
            .with_hint(format!(
                "say which comes first: `--time-format '{day_first}'` or `--time-format '{month_first}'`"
            ))),
            Err(Undecided::BothOrders { day_first, month_first }) => {
                let (first, second) = if day_first < month_first {
                    (format!("the day comes first in line {day_first}"), "the month")
                } else {
                    (format!("the month comes first in line {month_first}"), "the day")
                };
                Err(Error::data(format!("{first}, and {second} here")).at_line(day_first.max(month_first)).with_hint(
                    "a file with both orders cannot be read: `--time-format` says which one is right, and `--bad-lines skip` \
                     leaves the lines out that cannot be so",
                ))
            }
            Err(Undecided::Mixed { line, other }) => {
                Err(Error::data(format!("the time is not of the same kind as the one in line {line}")).at_line(other).with_hint(
                    "all times of a file must be written alike: dates beside numbers, numbers of very different sizes (seconds, milliseconds, \
                     days), and dates whose month may come first beside others cannot be told apart; `--time-format` says how all are \
                     written",
                ))
            }
        }
    }
}

/// The times of some lines that are no log, read as those of one: what clocks of the zone showed.
pub fn read_times(texts: &[(u64, &str)], options: &ReadOptions) -> Result<Vec<i64>> {
    let mut times = Times::new(options)?;
    let mut read = Vec::with_capacity(texts.len());
    for &(line, text) in texts {
        let (_, local) = times.read(None, "", text, line).map_err(|error| error.at_line(line))?;
        read.push(local);
    }
    if times.settle(options)?.is_exchanged {
        read.iter_mut().for_each(|time| *time = exchange(*time));
    }
    Ok(read)
}

const SKIP: &str = "`--bad-lines skip` leaves such lines out and counts them";

/// The style that `--time-format` says.
fn said_style(format: &str) -> Result<TimeStyle> {
    TimeStyle::parse_format(format).map_err(|problem| {
        Error::parameter("time-format", format!("is `{format}`, which {problem}"))
            .with_hint(format!("directives are {}", TimeStyle::FORMATS))
    })
}
