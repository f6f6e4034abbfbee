//! How a whole column of times is written, learned while it is read.
//!
//! One time may not tell: `03/04/2025` is in March or in April. So such dates are read with the day first, every line says what it
//! knows, and the whole column decides at the end: one line with a day above 12 is enough. If the month comes first, the days
//! and months that were read are exchanged. A column that mixes such dates, or numbers that count different things, with others
//! is refused.

use super::civil::{civil_from_days, days_from_civil};
use super::numbers::read as read_number;
use super::{Instant, Misread, Number, TimeStyle, Told, Zone, parse_aol, tell};

/// Reads the times of a column, and learns how they are written. Parts are read apart, and absorbed in their order.
#[derive(Debug, Clone, Default)]
pub struct TimeColumn {
    /// How times are written, where somebody says so.
    said: Option<TimeStyle>,
    style: Option<TimeStyle>,
    /// Whether all times so far were in the style of AOL.
    is_aol: bool,
    /// What the first time was, and its line.
    family: Option<(Family, u64)>,
    /// The first line whose time was something else.
    other: Option<u64>,
    /// The first line whose day is above 12 and comes first.
    day_first: Option<u64>,
    /// The first line whose day is above 12 and comes second.
    month_first: Option<u64>,
    /// How many times had digits that are not looked at.
    finer: u64,
}

/// Ways to write times that do not go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    /// A date that says itself what is what.
    Calendar,
    /// A date in which day and month may stand in each other's place.
    Open,
    Number(Number),
}

/// Why it cannot be told how a column is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undecided {
    /// Day and month may stand in each other's place in every line; the formats for the day first and for the month first.
    EitherOrder([String; 2]),
    /// The day comes first in one line, the month in another.
    BothOrders {
        /// A line whose day comes first.
        day_first: u64,
        /// A line whose month comes first.
        month_first: u64,
    },
    /// Times are written in ways that do not go together, first in one line, then in another.
    Mixed {
        /// The first line.
        line: u64,
        /// The first line that is written otherwise.
        other: u64,
    },
}

/// How a column is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settled {
    /// Its style; `None` if there were no times.
    pub style: Option<TimeStyle>,
    /// Whether times were read with day and month in each other's place: [`exchange`] brings them right.
    pub is_exchanged: bool,
}

impl TimeColumn {
    /// A column that is written as somebody says, or in a way to be found out.
    pub fn new(said: Option<TimeStyle>) -> Self {
        Self { said, ..Self::default() }
    }

    /// Reads a time at a line. Dates that may be read in two ways are read with the day first.
    #[inline]
    pub fn read(&mut self, text: &str, line: u64) -> Result<Read, Misread> {
        if self.is_aol
            && let Some(millis) = parse_aol(text)
        {
            return Ok(Read { instant: Instant { millis, nanos: 0 }, is_local: true });
        }
        self.read_other(text.trim_ascii(), line)
    }

    #[inline(never)]
    fn read_other(&mut self, text: &str, line: u64) -> Result<Read, Misread> {
        let told = match self.said {
            Some(said) => read_as(text, said)?,
            None => match self.read_like_others(text) {
                Some(told) => told,
                None => tell(text)?,
            },
        };
        self.note(&told, line);
        Ok(Read { instant: told.instant, is_local: told.style.zone() == Zone::Unnamed })
    }

    /// Reads a time that is written like those before it: nearly all are, and looking for its form takes longer.
    fn read_like_others(&self, text: &str) -> Option<Told> {
        let (Some(style @ TimeStyle::Pattern(pattern)), Some((family, _))) = (self.style, self.family) else {
            return None;
        };
        let mut fields = pattern.fields(text).ok()?;
        let is_open = family == Family::Open;
        let is_month_first = is_open && fields.month > Some(12);
        if is_month_first {
            std::mem::swap(&mut fields.month, &mut fields.day);
        }
        let style = if is_month_first { TimeStyle::Pattern(pattern.exchanged()) } else { style };
        let told = Told {
            instant: fields.instant().ok()?,
            style: style.with_offset(fields.offset),
            is_open: is_open && fields.day <= Some(12),
            is_finer: fields.is_finer,
        };
        Some(told)
    }

    fn note(&mut self, told: &Told, line: u64) {
        self.finer += u64::from(told.is_finer);
        let mut style = told.style;
        let family = match style {
            TimeStyle::Number(number) => Family::Number(number),
            _ if told.is_open => Family::Open,
            TimeStyle::Pattern(pattern) if self.said.is_none() && pattern.has_open_order() => {
                if pattern.is_month_first() {
                    style = TimeStyle::Pattern(pattern.exchanged());
                    self.month_first = self.month_first.or(Some(line));
                } else {
                    self.day_first = self.day_first.or(Some(line));
                }
                Family::Open
            }
            _ => Family::Calendar,
        };
        self.take_family(family, line);
        self.style = Some(self.style.map_or(style, |known| known.merge(style)));
        self.is_aol = self.said.is_none() && self.style == Some(TimeStyle::AOL);
    }

    fn take_family(&mut self, family: Family, line: u64) {
        match self.family {
            None => self.family = Some((family, line)),
            Some((known, _)) if known.goes_with(family) => {}
            Some(_) => self.other = Some(self.other.map_or(line, |other| other.min(line))),
        }
    }

    /// Takes what a later part of the column told, which has so many lines before it.
    pub fn absorb(&mut self, part: Self, lines_before: u64) {
        let earlier = |own: Option<u64>, part: Option<u64>| own.or(part.map(|line| lines_before + line));
        if let Some((family, line)) = part.family {
            self.take_family(family, lines_before + line);
        }
        self.other = earlier(self.other, part.other);
        self.day_first = earlier(self.day_first, part.day_first);
        self.month_first = earlier(self.month_first, part.month_first);
        self.style = match (self.style, part.style) {
            (Some(known), Some(other)) => Some(known.merge(other)),
            (known, other) => known.or(other),
        };
        self.finer += part.finer;
    }

    /// How many times had digits that were not looked at.
    pub fn finer(&self) -> u64 {
        self.finer
    }

    /// How the column is written.
    pub fn settle(&self) -> Result<Settled, Undecided> {
        if let (Some((_, line)), Some(other), None) = (self.family, self.other, self.said) {
            return Err(Undecided::Mixed { line, other });
        }
        let style = match self.style {
            Some(TimeStyle::Pattern(pattern)) => Some(TimeStyle::Pattern(pattern.with_known_zeros())),
            style => style,
        };
        let (Some((Family::Open, _)), Some(TimeStyle::Pattern(pattern))) = (self.family, style) else {
            return Ok(Settled { style, is_exchanged: false });
        };
        match (self.day_first, self.month_first) {
            (Some(day_first), Some(month_first)) => Err(Undecided::BothOrders { day_first, month_first }),
            (Some(_), None) => Ok(Settled { style, is_exchanged: false }),
            // Of times with a zone the day in that zone is not known any more.
            (None, Some(_)) if pattern.zone() == Zone::Unnamed => {
                Ok(Settled { style: Some(TimeStyle::Pattern(pattern.exchanged())), is_exchanged: true })
            }
            _ => Err(Undecided::EitherOrder([pattern, pattern.exchanged()].map(super::Pattern::to_format))),
        }
    }
}

impl Family {
    fn goes_with(self, other: Self) -> bool {
        match (self, other) {
            (Self::Number(number), Self::Number(other)) => number.counts_like(other),
            _ => self == other,
        }
    }
}

/// A time that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Read {
    /// The time; without a zone as if it were UTC.
    pub instant: Instant,
    /// Whether it names no zone.
    pub is_local: bool,
}

/// Reads a time that is written as somebody says.
fn read_as(text: &str, style: TimeStyle) -> Result<Told, Misread> {
    match style {
        TimeStyle::Number(number) => {
            let (instant, number, is_finer) = read_number(text, number)?;
            Ok(Told { instant, style: TimeStyle::Number(number), is_open: false, is_finer })
        }
        TimeStyle::Pattern(pattern) => {
            let fields = pattern.fields(text)?;
            let style = style.with_offset(fields.offset);
            Ok(Told { instant: fields.instant()?, style, is_open: false, is_finer: fields.is_finer })
        }
        TimeStyle::Calendar { .. } => tell(text),
    }
}

/// A time with day and month in each other's place, where the day can be a month.
pub fn exchange(millis: i64) -> i64 {
    let (days, rest) = (millis.div_euclid(86_400_000), millis.rem_euclid(86_400_000));
    let (year, month, day) = civil_from_days(days);
    match u32::try_from(year) {
        Ok(year) if day <= 12 => days_from_civil(year, day, month) * 86_400_000 + rest,
        _ => millis,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn column(texts: &[&str]) -> (Vec<i64>, Result<Settled, Undecided>) {
        let mut column = TimeColumn::default();
        let mut read = |(line, text): (u64, &&str)| column.read(text, line).unwrap().instant.millis;
        let times = (1..).zip(texts).map(&mut read).collect();
        (times, column.settle())
    }

    /// Times as read, written again in the style of their column.
    fn again(texts: &[&str]) -> Vec<String> {
        let (times, settled) = column(texts);
        let settled = settled.unwrap();
        let time = |time: i64| if settled.is_exchanged { exchange(time) } else { time };
        times.into_iter().map(|millis| super::super::to_text(time(millis), settled.style.unwrap())).collect()
    }

    #[test]
    fn columns_are_written_as_they_were() {
        for texts in [
            &["31.12.2025 23:59", "01.02.2025 00:00"][..],
            &["31.12.2025, 23:59:59", "01.02.2025, 00:00:00"],
            &["1.2.2025 9:05", "31.12.2025 23:59"],
            &["31.12.2025 23:59", "1.2.2025 9:05"],
            &["12/31/2025 11:59:59 PM", "03/04/2025 12:00:00 AM", "03/04/2025 12:00:00 PM"],
            &["3/4/2025 1:05 pm", "12/31/2025 11:59 pm"],
            &["31/12/2025", "03/04/2025"],
            &["03-04-2025", "31-12-2025"],
            &["[10/Oct/2000:13:55:36 -0700]", "[01/Jan/2001:00:00:00 -0700]"],
            &["10/Oct/2000:13:55:36 +0000"],
            &["Tue, 10 Oct 2000 13:55:36 -0700", "Wed, 01 Nov 2000 00:00:00 -0700"],
            &["Tue, 10 Oct 2000 13:55:36 GMT"],
            &["Oct 10, 2000 1:55 PM", "May 1, 2001 12:00 AM"],
            &["10 October 2000 13:55", "1 May 2001 00:00"],
            &["10-OCT-2000"],
            &["2025-12-31", "2025-01-01"],
            &["2025-12-31 23:59", "2025-01-01 00:00"],
            &["2025-12-31T23:59Z"],
            &["2025-12-31T23:59:59+0200", "2025-07-31T23:59:59+0200"],
            &["2025-12-31T23:59:59+02"],
            &["2025-12-31 23:59:59 UTC"],
            &["2025-12-31T23:59:59,250Z"],
            &["2025/12/31 23:59:59"],
            &["2025.12.31"],
            &["20251231T235959Z"],
            &["20251231", "19991231"],
            &["202512312359"],
            &["20251231235959"],
            &["2025-W01-3T10:00", "2020-W53-7T23:59"],
            &["2025-365"],
            &["45291.99", "45291", "45291.5416666667"],
            &["45291", "45292"],
            &["1141234567.123", "1141234567.000"],
            &["1141234567123456"],
            &["1141234567123456000"],
        ] {
            let expected: Vec<String> = texts
                .iter()
                // What is finer than a millisecond is cut off.
                .map(|text| text.replace("567123456", "567123000"))
                .collect();
            let expected = if texts[0].starts_with("1141234567123456000") {
                vec!["1141234567123000000".to_owned()]
            } else {
                expected
            };
            assert_eq!(again(texts), expected);
        }
    }

    #[test]
    fn the_finest_time_decides() {
        assert_eq!(again(&["2025-12-31", "2025-12-31 10:00"]), ["2025-12-31 00:00", "2025-12-31 10:00"]);
        assert_eq!(again(&["2025-12-31 10:00", "2025-12-31 10:00:07"])[0], "2025-12-31 10:00:00");
        assert_eq!(again(&["2025-12-31T10:00:00Z", "2025-12-31T10:00:00.25Z"])[0], "2025-12-31T10:00:00.00Z");
        assert_eq!(again(&["01.02.2025", "1.2.2025"]), ["1.2.2025", "1.2.2025"]);
        // Whether a day below ten would have a zero can be seen from the month.
        let format = |texts: &[&str]| column(texts).1.unwrap().style.unwrap().to_format();
        assert_eq!(format(&["3/21/2025 10:00", "3/22/2025 11:00"]), "%-m/%-d/%Y %-H:%M");
        assert_eq!(format(&["03/21/2025 10:00", "03/22/2025 11:00"]), "%m/%d/%Y %H:%M");
    }

    #[test]
    fn offsets_that_differ_become_utc() {
        let texts = ["[10/Oct/2000:13:55:36 -0700]", "[10/Nov/2000:13:55:36 -0800]"];
        assert_eq!(again(&texts), ["[10/Oct/2000:20:55:36 +0000]", "[10/Nov/2000:21:55:36 +0000]"]);
    }

    #[test]
    fn one_line_decides_which_comes_first() {
        let (_, settled) = column(&["03/04/2025 10:00", "12/11/2025 10:00"]);
        let formats = ["%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M"].map(str::to_owned);
        assert_eq!(settled, Err(Undecided::EitherOrder(formats)));
        let time = |text| super::super::parse(text).unwrap().0.millis;
        for (texts, first) in [
            (["03/04/2025", "13/04/2025"], "2025-04-03"),
            (["03/04/2025", "04/13/2025"], "2025-03-04"),
            (["3/4/2025", "04/13/2025"], "2025-03-04"),
        ] {
            let (times, settled) = column(&texts);
            let is_exchanged = settled.unwrap().is_exchanged;
            assert_eq!(if is_exchanged { exchange(times[0]) } else { times[0] }, time(first), "{texts:?}");
            assert_eq!(if is_exchanged { exchange(times[1]) } else { times[1] }, time("2025-04-13"), "{texts:?}");
        }
        let (_, settled) = column(&["03/04/2025", "13/04/2025", "04/14/2025", "15/04/2025"]);
        assert_eq!(settled, Err(Undecided::BothOrders { day_first: 2, month_first: 3 }));
    }

    #[test]
    fn parts_are_put_together() {
        let part = |text| {
            let mut part = TimeColumn::default();
            part.read(text, 2).unwrap();
            part
        };
        let whole = |parts: [TimeColumn; 2]| {
            let mut whole = TimeColumn::default();
            parts.into_iter().zip([0, 100]).for_each(|(part, before)| whole.absorb(part, before));
            whole.settle()
        };
        assert!(whole([part("03/04/2025"), part("04/13/2025")]).unwrap().is_exchanged);
        assert!(!whole([part("03/04/2025"), part("13/04/2025")]).unwrap().is_exchanged);
        let both = whole([part("14/04/2025"), part("04/13/2025")]);
        assert_eq!(both, Err(Undecided::BothOrders { day_first: 2, month_first: 102 }));
        let mixed = whole([part("2025-04-03"), part("04/13/2025")]);
        assert_eq!(mixed, Err(Undecided::Mixed { line: 2, other: 102 }));
    }

    #[test]
    fn numbers_count_one_thing() {
        for texts in [
            ["5000", "50000"],
            ["1141234567", "1141234567123"],
            ["45291.5", "1141234567"],
            ["2025-01-01", "1141234567"],
        ] {
            assert_eq!(column(&texts).1, Err(Undecided::Mixed { line: 1, other: 2 }), "{texts:?}");
        }
        let mut said = TimeColumn::new(Some(TimeStyle::parse_format("seconds").unwrap()));
        assert_eq!(said.read("5000", 1).unwrap().instant.millis, 5_000_000);
        assert_eq!(said.read("50000.5", 2).unwrap().instant.millis, 50_000_500);
        assert_eq!(said.settle().unwrap().style, Some(TimeStyle::Number(Number::Seconds(1))));
    }

    #[test]
    fn what_is_wrong_with_a_time() {
        for (text, wrong) in [
            ("30.02.2025 10:00", Misread::Day),
            ("2025-02-30 10:00:00", Misread::Day),
            ("2025-02-30", Misread::Day),
            ("31/31/2025", Misread::Day),
            ("12.31.2025", Misread::Day),
            ("2025-366", Misread::Day),
            ("2025-W53-1", Misread::Day),
            ("31.12.2025 25:00", Misread::Clock),
            ("2025-12-31 23:60:00", Misread::Clock),
            ("12/31/2025 13:00 PM", Misread::Clock),
            ("2025-12-31 24:00", Misread::Clock),
            ("2025-12-31 10:17:60", Misread::Clock),
            ("2025-12-31T10:00:00+19:00", Misread::Clock),
            ("Mon, 10 Oct 2000 13:55:36 -0700", Misread::Weekday),
            ("12/31/25", Misread::ShortYear),
            ("31.12.25 10:00", Misread::ShortYear),
            ("tomorrow", Misread::Form),
            ("", Misread::Form),
            ("10:00", Misread::Form),
            ("31.12.2025 23.59", Misread::Form),
        ] {
            assert_eq!(TimeColumn::default().read(text, 1), Err(wrong), "{text}");
        }
    }

    #[test]
    fn a_leap_second_stays_apart() {
        let read = |text| TimeColumn::default().read(text, 1).unwrap().instant;
        let (leap, next) = (read("2005-12-31 23:59:60"), read("2006-01-01 00:00:00"));
        assert_eq!(leap.millis, next.millis);
        assert_ne!(leap, next);
        assert_eq!(read("2005-12-31T23:59:60Z"), leap);
    }

    /// Formats that throng knows by itself or is told.
    const FORMATS: &[&str] = &[
        "%Y-%m-%d %H:%M:%S.%3f",
        "%d.%m.%Y %H:%M:%S.%3f",
        "%-d.%-m.%Y %-H:%M:%S.%6f",
        "%m/%d/%Y %I:%M:%S.%3f %p",
        "%-m/%-d/%Y %-I:%M:%S.%3f%P",
        "[%d/%b/%Y:%H:%M:%S.%3f %z]",
        "%a, %d %b %Y %H:%M:%S.%3f %:z",
        "%A %d %B %Y %T.%9f %Z",
        "%G-W%V-%uT%T.%3fZ",
        "%Y-%jT%T.%f%:::z",
        "%Y%m%d%H%M%S%f",
        "seconds",
        "milliseconds",
        "microseconds",
        "nanoseconds",
        "excel",
    ];

    proptest! {
        #[test]
        fn what_is_written_is_read(millis in -62_167_219_200_000i64..253_402_300_800_000, at in 0..FORMATS.len(), offset in -1080i16..=1080) {
            let said = TimeStyle::parse_format(FORMATS[at]).unwrap().with_offset(if FORMATS[at].contains("%:::z") { 0 } else { offset });
            let said = match said {
                TimeStyle::Number(Number::Seconds(_)) => TimeStyle::Number(Number::Seconds(3)),
                said => said,
            };
            // Years of four digits, wherever they are.
            let local = millis.clamp(-62_167_219_200_000 + 86_400_000, 253_402_300_800_000 - 86_400_001);
            // Nanoseconds end in 2262.
            let local = if FORMATS[at] == "nanoseconds" { local % 9_000_000_000_000 } else { local };
            let text = super::super::to_text(local, said);
            let mut column = TimeColumn::new(Some(said));
            prop_assert_eq!(column.read(&text, 1).unwrap().instant.millis, local, "{}", text);
            let style = column.settle().unwrap().style.unwrap();
            prop_assert_eq!(super::super::to_text(local, style), text);
        }

        #[test]
        fn known_forms_need_not_be_told(millis in 0i64..4_102_444_800, at in 0..8usize) {
            let format = [
                "%d.%m.%Y %H:%M:%S", "%-m/%-d/%Y %I:%M:%S %p", "[%d/%b/%Y:%H:%M:%S %z]", "%a, %d %b %Y %H:%M:%S %z",
                "%Y-%m-%dT%H:%M:%S%z", "%Y/%m/%d %H:%M:%S", "%G-W%V-%uT%H:%M:%S", "%b %-d, %Y %-I:%M:%S %P",
            ][at];
            let style = TimeStyle::parse_format(format).unwrap();
            let text = super::super::to_text(millis * 1000, style);
            // Its day decides, if the file has not.
            let decides = super::super::to_text(1_735_603_200_000, style);
            let written = again(&[&text, &decides]);
            prop_assert_eq!(&written[0], &text);
        }

        #[test]
        fn no_text_is_a_surprise(text in "[0-9./: TZWapmMPdec,+\\[\\]-]{0,26}") {
            let mut column = TimeColumn::default();
            if let Ok(read) = column.read(&text, 1) {
                prop_assert!(super::super::parse(&text).is_some());
                let _ = (column.settle(), exchange(read.instant.millis));
            }
        }
    }

    /// Directives to make formats of, by what they are needed for.
    const DAYS: &[&str] = &["%Y-%m-%d", "%d.%m.%y", "%-d %b %Y", "%Y-%j", "%y-%j", "%G-W%V-%u", "%B %d %Y"];
    const MORE: &[&str] = &[
        "%Y", "%y", "%m", "%-m", "%d", "%b", "%B", "%a", "%A", "%j", "%G", "%V", "%u", "%H", "%I", "%p", "%M", "%S",
        "%3f", "%z", "%:z", "%Z",
    ];

    /// The same for texts that a column would write alike: zeros before numbers and capital letters do not count.
    fn restored(text: &str) -> String {
        let mut restored = String::new();
        for letter in text.to_lowercase().chars() {
            let is_number = |letter: char| letter.is_ascii_digit();
            let is_zero_before = restored.ends_with('0') && !restored.trim_end_matches('0').ends_with(is_number);
            if is_zero_before && is_number(letter) {
                restored.pop();
            }
            restored.push(letter);
        }
        restored
    }

    proptest! {
        /// Whatever a format has, no part of a text is dropped: two that are one instant would be written alike.
        #[test]
        fn no_field_of_a_text_goes_unseen(
            seconds in -2_000_000_000i64..3_000_000_000,
            day in 0..DAYS.len(),
            more in proptest::collection::vec(0..MORE.len(), 0..4),
            clock in 0..3usize,
            front: bool,
        ) {
            let more = more.into_iter().map(|at| MORE[at]).collect::<Vec<_>>().join(" ");
            let day = if front { format!("{more} {}", DAYS[day]) } else { format!("{} {more}", DAYS[day]) };
            let format = format!("{day}{}", ["", " %H:%M", " %I:%M:%S %p"][clock]);
            let Ok(style) = TimeStyle::parse_format(&format) else { return Ok(()) };
            let read = |text: &str| read_as(text, style).ok().map(|told| told.instant);
            let text = super::super::to_text(seconds * 1000, style);
            // A short year may be one of another century: then other fields must say so, or it is another time.
            let Some(instant) = read(&text) else { return Ok(()) };
            let mut others: Vec<String> = Vec::new();
            for (at, _) in text.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_digit()) {
                others.extend((0..10).map(|digit| format!("{}{digit}{}", &text[..at], &text[at + 1..])));
            }
            for names in [&super::super::pattern::MONTHS[..], &super::super::pattern::WEEKDAYS] {
                for (name, other) in names.iter().flat_map(|name| names.iter().map(move |other| (name, other))) {
                    others.extend([text.replacen(name, other, 1), text.replacen(&name[..3], &other[..3], 1)]);
                }
            }
            for other in others.iter().filter(|other| read(other) == Some(instant)) {
                prop_assert_eq!(restored(other), restored(&text), "{}", format);
            }
        }
    }

    #[test]
    fn fields_that_say_the_same_are_held_together() {
        for (format, right, wrong) in [
            ("%Y-%m-%d %j", "2025-02-01 032", Misread::Day),
            ("%j %Y-%m-%d", "032 2025-02-01", Misread::Day),
            ("%y %Y-%m-%d", "25 2025-02-01", Misread::Day),
            ("%Y-%m-%d %b", "2025-02-01 Feb", Misread::Day),
            ("%b %Y-%m-%d", "Feb 2025-02-01", Misread::Day),
            ("%Y-%m-%d %V", "2025-02-01 05", Misread::Day),
            ("%Y-%m-%d %G", "2024-12-30 2025", Misread::Day),
            ("%Y-%j %d", "2025-032 01", Misread::Day),
            ("%Y-%j %m", "2025-032 02", Misread::Day),
            ("%G-W%V-%u %y", "2025-W01-1 24", Misread::Day),
            ("%G-W%V-%u %A", "2025-W01-1 Monday", Misread::Weekday),
            ("%a %G-W%V-%u", "Mon 2025-W01-1", Misread::Weekday),
            ("%Y-%m-%d %u", "2025-02-01 6", Misread::Weekday),
        ] {
            let style = TimeStyle::parse_format(format).unwrap();
            assert!(read_as(right, style).is_ok(), "{right} as {format}");
            let changed = match format.find(['b', 'A', 'a']) {
                Some(_) => right.replace("Feb", "Mar").replace("Mon", "Sun").replace("Sunday", "Friday"),
                None if format.starts_with(['%']) && format[2..].starts_with(' ') => right.replacen(['2', '5'], "3", 1),
                None => {
                    let last = right.len() - 1;
                    let digit = (right.as_bytes()[last] - b'0' + 1) % 7;
                    format!("{}{digit}", &right[..last])
                }
            };
            assert_eq!(read_as(&changed, style).err(), Some(wrong), "{changed} as {format}");
        }
        let go = TimeStyle::parse_format("%F %T %z %Z").unwrap();
        assert!(read_as("2025-02-01 10:00:00 +0000 UTC", go).is_ok());
        assert_eq!(read_as("2025-02-01 10:00:00 +0200 UTC", go).err(), Some(Misread::Clock));
    }

    #[test]
    fn formats_that_say_too_little() {
        for format in [
            "",
            "%H:%M",
            "%Y-%m",
            "%Y-%m-%d %I:%M",
            "%Y-%m-%d %M",
            "%Y-%m-%d %q",
            "%Y-%m-%d %H:%M:%S %",
            "%F %F",
            "%Y%-m%d",
            "%-m1 %d %Y",
            "%F %T.%f%j",
            "noon",
        ] {
            assert!(TimeStyle::parse_format(format).is_err(), "{format}");
        }
        for format in ["%F %T", "%d.%m.%y um %R Uhr", "%G-W%V-%u", "%s", "excel"] {
            let style = TimeStyle::parse_format(format).unwrap();
            assert_eq!(TimeStyle::parse_format(&style.to_format()), Ok(style), "{format}");
        }
    }
}
