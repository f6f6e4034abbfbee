//! Times written by a pattern of fields and fixed characters, as `strftime` has them: read, written, and named.

use super::civil::{civil_from_days, day_of_year, days_from_civil, days_from_week, is_date, is_leap, week_from_days};
use super::{Instant, Misread, PAIRS, Zone};

/// How a column writes its times: fields and fixed characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    items: [Item; MOST_ITEMS],
    len: u8,
    /// Minutes east of Greenwich, where offsets are written.
    offset: i16,
}

/// The most fields and fixed characters of a pattern.
const MOST_ITEMS: usize = 40;

/// A field or a fixed character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    Byte(u8),
    Year,
    /// The last two digits: 69 to 99 are of the 20th century, 00 to 68 of the 21st, as in POSIX.
    ShortYear,
    Month(Pad),
    Day(Pad),
    MonthName(Name),
    WeekdayName(Name),
    DayOfYear,
    WeekYear,
    Week,
    Weekday,
    Hour(Pad),
    /// From 1 to 12.
    HalfHour(Pad),
    Minute,
    Second,
    /// Digits after the point of the seconds: so many are written. Fewer are read, more only if any number may be.
    Fraction(u8, bool),
    /// AM or PM.
    Half(Case),
    Offset(OffsetForm),
    /// A name of UTC, by its number.
    Utc(u8),
}

/// Whether a number below ten has a zero before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pad {
    /// All numbers so far had two digits of their own.
    Unknown,
    Zero,
    Plain,
    /// Either is read, a zero is written.
    AnyZero,
    /// Either is read, no zero is written.
    AnyPlain,
}

/// How a name is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) is_short: bool,
    pub(super) case: Case,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Title,
    Upper,
    Lower,
}

/// How an offset from UTC is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OffsetForm {
    /// `+0200`.
    Plain,
    /// `+02:00`.
    Colon,
    /// `+02`, with minutes only where there are some.
    Hours,
}

pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
pub(super) const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
/// Names of UTC.
pub(super) const UTC: [&str; 4] = ["UTC", "GMT", "Z", "z"];

impl Pad {
    fn merge(self, other: Self) -> Self {
        match (self, other) {
            (known, Self::Unknown) | (Self::Unknown, known) => known,
            (one, other) if one == other => one,
            _ => Self::AnyPlain,
        }
    }

    /// How a number with these digits is written.
    pub(super) fn of(digits: &[u8]) -> Self {
        match digits {
            [_] => Self::Plain,
            [b'0', _] => Self::Zero,
            _ => Self::Unknown,
        }
    }
}

impl Item {
    /// What is written like both, if they are the same field.
    fn merge(self, other: Self) -> Option<Self> {
        Some(match (self, other) {
            (Self::Month(pad), Self::Month(other)) => Self::Month(pad.merge(other)),
            (Self::Day(pad), Self::Day(other)) => Self::Day(pad.merge(other)),
            (Self::Hour(pad), Self::Hour(other)) => Self::Hour(pad.merge(other)),
            (Self::HalfHour(pad), Self::HalfHour(other)) => Self::HalfHour(pad.merge(other)),
            (Self::Fraction(digits, any), Self::Fraction(other, _)) => Self::Fraction(digits.max(other), any),
            (Self::MonthName(name), Self::MonthName(other)) if name.is_short != other.is_short => {
                // May is as long as it is short.
                Self::MonthName(Name { is_short: false, ..name })
            }
            (Self::MonthName(_), Self::MonthName(_))
            | (Self::Half(_), Self::Half(_))
            | (Self::Utc(_), Self::Utc(_)) => self,
            _ if self == other => self,
            _ => return None,
        })
    }

    /// The directive that stands for it in a format.
    fn directive(self) -> Directive {
        let padded = |pad, padded, plain| match pad {
            Pad::Plain | Pad::AnyPlain => Directive::Fixed(plain),
            _ => Directive::Fixed(padded),
        };
        match self {
            Self::Byte(byte) => Directive::Byte(byte),
            Self::Year => Directive::Fixed("%Y"),
            Self::ShortYear => Directive::Fixed("%y"),
            Self::Month(pad) => padded(pad, "%m", "%-m"),
            Self::Day(pad) => padded(pad, "%d", "%-d"),
            Self::MonthName(Name { is_short: true, .. }) => Directive::Fixed("%b"),
            Self::MonthName(_) => Directive::Fixed("%B"),
            Self::WeekdayName(Name { is_short: true, .. }) => Directive::Fixed("%a"),
            Self::WeekdayName(_) => Directive::Fixed("%A"),
            Self::DayOfYear => Directive::Fixed("%j"),
            Self::WeekYear => Directive::Fixed("%G"),
            Self::Week => Directive::Fixed("%V"),
            Self::Weekday => Directive::Fixed("%u"),
            Self::Hour(pad) => padded(pad, "%H", "%-H"),
            Self::HalfHour(pad) => padded(pad, "%I", "%-I"),
            Self::Minute => Directive::Fixed("%M"),
            Self::Second => Directive::Fixed("%S"),
            Self::Fraction(digits, _) => Directive::Fraction(digits),
            Self::Half(Case::Lower) => Directive::Fixed("%P"),
            Self::Half(_) => Directive::Fixed("%p"),
            Self::Offset(OffsetForm::Plain) => Directive::Fixed("%z"),
            Self::Offset(OffsetForm::Colon) => Directive::Fixed("%:z"),
            Self::Offset(OffsetForm::Hours) => Directive::Fixed("%:::z"),
            Self::Utc(_) => Directive::Fixed("%Z"),
        }
    }
}

enum Directive {
    Byte(u8),
    Fixed(&'static str),
    Fraction(u8),
}

impl Pattern {
    /// A pattern of these items; `None` if they are too many.
    pub(super) fn new(list: &[Item], offset: i16) -> Option<Self> {
        let mut items = [Item::Byte(0); MOST_ITEMS];
        items.get_mut(..list.len())?.copy_from_slice(list);
        Some(Self { items, len: list.len() as u8, offset })
    }

    pub(super) fn items(&self) -> &[Item] {
        &self.items[..usize::from(self.len)]
    }

    /// What is written like both: the finer one if they differ in more than zeros and digits. Offsets that differ become UTC.
    pub(super) fn merge(mut self, other: Self) -> Self {
        if self == other {
            return self;
        }
        if self.offset != other.offset {
            self.offset = 0;
        }
        let merged = self.items().iter().zip(other.items()).map(|(item, other)| item.merge(*other));
        match merged.collect::<Option<Vec<Item>>>() {
            Some(items) if self.len == other.len => self.items[..items.len()].copy_from_slice(&items),
            _ if other.fineness() > self.fineness() => return Self { offset: self.offset, ..other },
            _ => {}
        }
        self
    }

    /// How fine its times are: 0 for days, 1 for minutes, 2 for seconds, 3 and more for digits after their point.
    pub(super) fn fineness(&self) -> u8 {
        let of_item = |item: &Item| match item {
            Item::Minute => 1,
            Item::Second => 2,
            Item::Fraction(digits, _) => 2 + digits,
            _ => 0,
        };
        self.items().iter().map(of_item).max().unwrap_or(0)
    }

    /// The zone that it names.
    pub(super) fn zone(&self) -> Zone {
        let of_item = |item: &Item| match item {
            Item::Offset(_) => Some(Zone::Offset(self.offset)),
            Item::Utc(_) => Some(Zone::Utc),
            _ => None,
        };
        self.items().iter().find_map(of_item).unwrap_or(Zone::Unnamed)
    }

    /// The same with another offset from UTC.
    pub(super) fn with_offset(self, offset: i16) -> Self {
        Self { offset, ..self }
    }

    /// Whether day and month are numbers before the year, with dashes or slashes: either may come first.
    pub(super) fn has_open_order(&self) -> bool {
        let is_field = |item: &&Item| !matches!(item, Item::WeekdayName(_) | Item::Byte(b'[' | b',' | b' '));
        let mut items = self.items().iter().filter(is_field);
        let is_number = |item: Option<&Item>| matches!(item, Some(Item::Day(_) | Item::Month(_)));
        is_number(items.next()) && matches!(items.next(), Some(Item::Byte(b'/' | b'-'))) && is_number(items.next())
    }

    /// Whether the month comes before the day.
    pub(super) fn is_month_first(&self) -> bool {
        let order = self.items().iter().find(|item| matches!(item, Item::Day(_) | Item::Month(_)));
        matches!(order, Some(Item::Month(_)))
    }

    /// The same with zeros before numbers of which nothing is known as before the others.
    pub(super) fn with_known_zeros(mut self) -> Self {
        let pads = |item: &Item| match item {
            Item::Month(pad) | Item::Day(pad) | Item::Hour(pad) | Item::HalfHour(pad) => Some(*pad),
            _ => None,
        };
        let known: Vec<Pad> = self.items().iter().filter_map(pads).filter(|pad| *pad != Pad::Unknown).collect();
        let is_plain = known.first() == Some(&Pad::Plain) && known.iter().all(|pad| *pad == Pad::Plain);
        if !is_plain {
            return self;
        }
        for item in &mut self.items[..usize::from(self.len)] {
            if let Item::Month(pad) | Item::Day(pad) | Item::Hour(pad) | Item::HalfHour(pad) = item {
                *pad = Pad::Plain;
            }
        }
        self
    }

    /// The same with day and month in each other's place.
    pub(super) fn exchanged(mut self) -> Self {
        let length = usize::from(self.len);
        for item in &mut self.items[..length] {
            *item = match *item {
                Item::Day(pad) => Item::Month(pad),
                Item::Month(pad) => Item::Day(pad),
                item => item,
            };
        }
        self
    }

    /// Reads the fields of a text, which must be written just so.
    pub(super) fn fields(&self, text: &str) -> Result<Fields, Misread> {
        let mut fields = Fields::default();
        let mut rest = text.as_bytes();
        for item in self.items() {
            rest = fields.take(*item, rest)?;
        }
        if rest.is_empty() { Ok(fields) } else { Err(Misread::Form) }
    }

    /// Writes a time. Milliseconds that it has no digits for are cut off.
    pub(super) fn write(&self, millis: i64, out: &mut Vec<u8>) {
        let offset = if let Zone::Offset(minutes) = self.zone() { minutes } else { 0 };
        let local = millis + i64::from(offset) * 60_000;
        let (days, rest) = (local.div_euclid(86_400_000), local.rem_euclid(86_400_000) as u32);
        let (second, millis) = (rest / 1000, rest % 1000);
        let (year, month, day) = civil_from_days(days);
        let hour = second / 3600;
        for item in self.items() {
            match *item {
                Item::Byte(byte) => out.push(byte),
                Item::Year => push_year(year, out),
                Item::ShortYear => out.extend_from_slice(&PAIRS[year.rem_euclid(100) as usize]),
                Item::Month(pad) => push_pair(month, pad, out),
                Item::Day(pad) => push_pair(day, pad, out),
                Item::MonthName(name) => push_name(MONTHS[month as usize - 1], name, out),
                Item::WeekdayName(name) => push_name(WEEKDAYS[week_from_days(days).2 as usize - 1], name, out),
                Item::DayOfYear => out.extend_from_slice(format!("{:03}", day_of_year(days)).as_bytes()),
                Item::WeekYear => push_year(week_from_days(days).0, out),
                Item::Week => push_pair(week_from_days(days).1, Pad::Zero, out),
                Item::Weekday => push_pair(week_from_days(days).2, Pad::Plain, out),
                Item::Hour(pad) => push_pair(hour, pad, out),
                Item::HalfHour(pad) => push_pair((hour + 11) % 12 + 1, pad, out),
                Item::Minute => push_pair(second / 60 % 60, Pad::Zero, out),
                Item::Second => push_pair(second % 60, Pad::Zero, out),
                Item::Fraction(digits, _) => {
                    out.extend_from_slice(&format!("{millis:03}000000").as_bytes()[..usize::from(digits)]);
                }
                Item::Half(case) => {
                    let half = if hour < 12 { "AM" } else { "PM" };
                    let half = if case == Case::Lower { half.to_lowercase() } else { half.to_owned() };
                    out.extend_from_slice(half.as_bytes());
                }
                Item::Offset(form) => push_offset(offset, form, out),
                Item::Utc(name) => out.extend_from_slice(UTC[usize::from(name)].as_bytes()),
            }
        }
    }

    /// The format that says it.
    pub(super) fn to_format(self) -> String {
        let mut format = Vec::new();
        for item in self.items() {
            match item.directive() {
                Directive::Byte(b'%') => format.extend_from_slice(b"%%"),
                Directive::Byte(byte) => format.push(byte),
                Directive::Fixed(directive) => format.extend_from_slice(directive.as_bytes()),
                Directive::Fraction(digits) => format.extend_from_slice(format!("%{digits}f").as_bytes()),
            }
        }
        String::from_utf8_lossy(&format).into_owned()
    }

    /// Reads a format as people type it. The error says what is wrong with it.
    pub(super) fn parse(format: &str) -> Result<Self, String> {
        let mut items = Vec::new();
        let mut rest = format.as_bytes();
        while let [first, after @ ..] = rest {
            if *first != b'%' {
                items.push(Item::Byte(*first));
                rest = after;
                continue;
            }
            let known = DIRECTIVES.iter().find(|(directive, _)| after.starts_with(directive.as_bytes()));
            let Some((directive, list)) = known else {
                let shown: String = format[format.len() - rest.len()..].chars().take(2).collect();
                return Err(format!("has `{shown}`, which is no directive"));
            };
            items.extend_from_slice(list);
            rest = &after[directive.len()..];
        }
        complete(&items)?;
        Self::new(&items, 0).ok_or_else(|| format!("is longer than {MOST_ITEMS} fields and characters"))
    }
}

/// Directives of a format, those that begin like others after them.
const DIRECTIVES: &[(&str, &[Item])] = {
    use Item::{
        Byte, Day, DayOfYear, Fraction, Half, HalfHour, Hour, Minute, Month, MonthName, Offset, Second, ShortYear, Utc,
        Week, WeekYear, Weekday, WeekdayName, Year,
    };
    const ZERO: Pad = Pad::AnyZero;
    const PLAIN: Pad = Pad::AnyPlain;
    const SHORT: Name = Name { is_short: true, case: Case::Title };
    const LONG: Name = Name { is_short: false, case: Case::Title };
    &[
        ("Y", &[Year]),
        ("y", &[ShortYear]),
        ("m", &[Month(ZERO)]),
        ("-m", &[Month(PLAIN)]),
        ("d", &[Day(ZERO)]),
        ("-d", &[Day(PLAIN)]),
        ("b", &[MonthName(SHORT)]),
        ("B", &[MonthName(LONG)]),
        ("a", &[WeekdayName(SHORT)]),
        ("A", &[WeekdayName(LONG)]),
        ("j", &[DayOfYear]),
        ("G", &[WeekYear]),
        ("V", &[Week]),
        ("u", &[Weekday]),
        ("H", &[Hour(ZERO)]),
        ("-H", &[Hour(PLAIN)]),
        ("I", &[HalfHour(ZERO)]),
        ("-I", &[HalfHour(PLAIN)]),
        ("M", &[Minute]),
        ("S", &[Second]),
        ("f", &[Fraction(3, true)]),
        ("1f", &[Fraction(1, true)]),
        ("2f", &[Fraction(2, true)]),
        ("3f", &[Fraction(3, true)]),
        ("4f", &[Fraction(4, true)]),
        ("5f", &[Fraction(5, true)]),
        ("6f", &[Fraction(6, true)]),
        ("7f", &[Fraction(7, true)]),
        ("8f", &[Fraction(8, true)]),
        ("9f", &[Fraction(9, true)]),
        ("p", &[Half(Case::Upper)]),
        ("P", &[Half(Case::Lower)]),
        ("z", &[Offset(OffsetForm::Plain)]),
        (":z", &[Offset(OffsetForm::Colon)]),
        (":::z", &[Offset(OffsetForm::Hours)]),
        ("Z", &[Utc(0)]),
        ("F", &[Year, Byte(b'-'), Month(ZERO), Byte(b'-'), Day(ZERO)]),
        ("T", &[Hour(ZERO), Byte(b':'), Minute, Byte(b':'), Second]),
        ("R", &[Hour(ZERO), Byte(b':'), Minute]),
        ("%", &[Byte(b'%')]),
    ]
};

/// Says what a format lacks to tell a day and a time of it, or has twice. What different fields say of the same thing is held
/// together when a time is read.
fn complete(items: &[Item]) -> Result<(), String> {
    let has = |is_it: fn(&Item) -> bool| items.iter().any(is_it);
    let year = has(|item| matches!(item, Item::Year | Item::ShortYear));
    let month = has(|item| matches!(item, Item::Month(_) | Item::MonthName(_)));
    let day = has(|item| matches!(item, Item::Day(_)));
    let week =
        has(|item| *item == Item::WeekYear) && has(|item| *item == Item::Week) && has(|item| *item == Item::Weekday);
    if !(year && month && day || year && has(|item| *item == Item::DayOfYear) || week) {
        return Err("does not say the day: that takes %Y, %m and %d, or %Y and %j, or %G, %V and %u".to_owned());
    }
    let hour = has(|item| matches!(item, Item::Hour(_)));
    let half_hour = has(|item| matches!(item, Item::HalfHour(_)));
    let half = has(|item| matches!(item, Item::Half(_)));
    if half_hour != half || hour && half_hour {
        return Err("has an hour up to 12 (%I) without AM or PM (%p), or these without it".to_owned());
    }
    let second = has(|item| *item == Item::Second);
    let minute = has(|item| *item == Item::Minute);
    let fraction = has(|item| matches!(item, Item::Fraction(..)));
    if minute && !(hour || half_hour) || second && !minute || fraction && !second {
        return Err(
            "has minutes without hours, or seconds without minutes, or digits of a second (%f) without it".to_owned()
        );
    }
    let sort = |item: &Item| std::mem::discriminant(item);
    let fields: Vec<_> = items.iter().filter(|item| !matches!(item, Item::Byte(_))).map(sort).collect();
    if fields.iter().enumerate().any(|(at, field)| fields[..at].contains(field)) {
        return Err("has a field twice".to_owned());
    }
    if items.windows(2).any(|two| has_open_end(two[0]) && begins_with_digit(two[1])) {
        return Err("has a number whose length is not known right before another one".to_owned());
    }
    Ok(())
}

/// Whether a field is written with more digits at one time than at another.
fn has_open_end(item: Item) -> bool {
    match item {
        Item::Month(pad) | Item::Day(pad) | Item::Hour(pad) | Item::HalfHour(pad) => {
            matches!(pad, Pad::Plain | Pad::AnyPlain)
        }
        Item::Fraction(..) | Item::Offset(OffsetForm::Hours) => true,
        _ => false,
    }
}

fn begins_with_digit(item: Item) -> bool {
    match item {
        Item::Byte(byte) => byte.is_ascii_digit(),
        Item::MonthName(_) | Item::WeekdayName(_) | Item::Half(_) | Item::Offset(_) | Item::Utc(_) => false,
        _ => true,
    }
}

/// What a text says in its fields, each as a number; not yet whether there is such a time.
#[derive(Debug, Default)]
pub(super) struct Fields {
    year: Option<u32>,
    /// The last two digits of the year.
    short_year: Option<u32>,
    pub(super) month: Option<u32>,
    pub(super) day: Option<u32>,
    day_of_year: Option<u32>,
    /// The year that the week belongs to.
    week_year: Option<u32>,
    week: Option<u32>,
    weekday: Option<u32>,
    hour: u32,
    half: Option<u32>,
    minute: u32,
    second: u32,
    nanos: u32,
    /// Minutes east of Greenwich.
    pub(super) offset: i16,
    /// Whether UTC is named.
    is_utc: bool,
    /// Whether there are digits beyond the nanoseconds.
    pub(super) is_finer: bool,
}

impl Fields {
    /// Takes a field from the beginning of a text. Gives the rest.
    fn take<'t>(&mut self, item: Item, text: &'t [u8]) -> Result<&'t [u8], Misread> {
        let mut rest = text;
        match item {
            Item::Byte(byte) => rest = text.strip_prefix(&[byte]).ok_or(Misread::Form)?,
            Item::Year => self.year = Some(number(&mut rest, 4)?),
            Item::ShortYear => self.short_year = Some(number(&mut rest, 2)?),
            Item::WeekYear => self.week_year = Some(number(&mut rest, 4)?),
            Item::Month(pad) => say(&mut self.month, pair(&mut rest, pad)?, Misread::Day)?,
            Item::Day(pad) => self.day = Some(pair(&mut rest, pad)?),
            Item::MonthName(form) => {
                say(&mut self.month, name(&mut rest, &MONTHS, form.is_short)?, Misread::Day)?;
            }
            Item::WeekdayName(form) => {
                say(&mut self.weekday, name(&mut rest, &WEEKDAYS, form.is_short)?, Misread::Weekday)?;
            }
            Item::DayOfYear => self.day_of_year = Some(number(&mut rest, 3)?),
            Item::Week => self.week = Some(number(&mut rest, 2)?),
            Item::Weekday => say(&mut self.weekday, number(&mut rest, 1)?, Misread::Weekday)?,
            Item::Hour(pad) | Item::HalfHour(pad) => self.hour = pair(&mut rest, pad)?,
            Item::Minute => self.minute = number(&mut rest, 2)?,
            Item::Second => self.second = number(&mut rest, 2)?,
            Item::Fraction(most, any) => {
                let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
                if count == 0 || count > usize::from(most) && !any {
                    return Err(Misread::Form);
                }
                let digit = |at: usize| if at < count { u32::from(text[at] - b'0') } else { 0 };
                self.nanos = (0..9).fold(0, |nanos, at| 10 * nanos + digit(at));
                self.is_finer = count > 9;
                rest = &text[count..];
            }
            Item::Half(_) => {
                self.half = Some(match text {
                    [b'A' | b'a', b'M' | b'm', ..] => 0,
                    [b'P' | b'p', b'M' | b'm', ..] => 1,
                    _ => return Err(Misread::Form),
                });
                rest = &text[2..];
            }
            Item::Offset(form) => self.offset = offset(&mut rest, form)?,
            Item::Utc(_) => {
                let name = UTC.iter().find(|name| text.starts_with(name.as_bytes())).ok_or(Misread::Form)?;
                self.is_utc = true;
                rest = &text[name.len()..];
            }
        }
        Ok(rest)
    }

    /// The day since 1970: that of year, month and day, else that of the day of the year, else that of the week.
    fn days(&self) -> Result<i64, Misread> {
        let of_century = |short: u32| if short < 69 { 2000 + short } else { 1900 + short };
        let days = match (self.year.or(self.short_year.map(of_century)), self.month, self.day, self.day_of_year) {
            (Some(year), Some(month), Some(day), _) => {
                is_date(year, month, day).then(|| days_from_civil(year, month, day))
            }
            (Some(year), _, _, Some(day)) => (1..=365 + u32::from(is_leap(year)))
                .contains(&day)
                .then(|| days_from_civil(year, 1, 1) + i64::from(day) - 1),
            _ => match (self.week_year, self.week, self.weekday) {
                (Some(year), Some(week), Some(weekday)) => days_from_week(year, week, weekday),
                _ => None,
            },
        };
        let days = days.ok_or(Misread::Day)?;
        if self.weekday.is_some_and(|weekday| weekday != super::civil::weekday(days)) {
            return Err(Misread::Weekday);
        }
        if self.says_day_twice() && !self.is_day(days) {
            return Err(Misread::Day);
        }
        Ok(days)
    }

    /// Whether there are more fields of the day than it takes.
    fn says_day_twice(&self) -> bool {
        let of_year = [self.year, self.short_year, self.month, self.day, self.day_of_year];
        let of_week = [self.week_year, self.week];
        let said = |fields: &[Option<u32>]| fields.iter().flatten().count();
        let needed = if self.day_of_year.is_some() { 2 } else { 3 };
        said(&of_year) > needed || said(&of_year) > 0 && said(&of_week) > 0
    }

    /// Whether every field of the day is that of this day.
    fn is_day(&self, days: i64) -> bool {
        let (year, month, day) = civil_from_days(days);
        let (week_year, week, _) = week_from_days(days);
        let fits = |said: Option<u32>, is: i64| said.is_none_or(|said| i64::from(said) == is);
        fits(self.year, year)
            && fits(self.short_year, year.rem_euclid(100))
            && fits(self.month, month.into())
            && fits(self.day, day.into())
            && fits(self.day_of_year, day_of_year(days).into())
            && fits(self.week_year, week_year)
            && fits(self.week, week.into())
    }

    /// The point in time, if there is one. Without a zone it is that of UTC.
    pub(super) fn instant(&self) -> Result<Instant, Misread> {
        let days = self.days()?;
        if self.is_utc && self.offset != 0 {
            return Err(Misread::Clock);
        }
        let hour = match self.half {
            Some(half) if (1..=12).contains(&self.hour) => self.hour % 12 + 12 * half,
            Some(_) => return Err(Misread::Clock),
            None => self.hour,
        };
        super::instant(days, hour, self.minute, self.second, self.nanos, self.offset).ok_or(Misread::Clock)
    }
}

/// Takes what a field says, which must be the same if another has said it before.
fn say(field: &mut Option<u32>, value: u32, otherwise: Misread) -> Result<(), Misread> {
    match field.replace(value) {
        Some(before) if before != value => Err(otherwise),
        _ => Ok(()),
    }
}

/// A number of so many digits.
fn number(text: &mut &[u8], digits: usize) -> Result<u32, Misread> {
    let (figures, rest) = text.split_at_checked(digits).ok_or(Misread::Form)?;
    if !figures.iter().all(u8::is_ascii_digit) {
        return Err(Misread::Form);
    }
    *text = rest;
    Ok(figures.iter().fold(0, |number, figure| 10 * number + u32::from(figure - b'0')))
}

/// A number of one or two digits, written as it should be.
fn pair(text: &mut &[u8], pad: Pad) -> Result<u32, Misread> {
    let is_long = text.get(1).is_some_and(u8::is_ascii_digit);
    let fits = match pad {
        Pad::Unknown => is_long && text[0] != b'0',
        Pad::Zero => is_long,
        Pad::Plain => text.first() != Some(&b'0') || !is_long,
        Pad::AnyZero | Pad::AnyPlain => true,
    };
    if !fits {
        return Err(Misread::Form);
    }
    number(text, if is_long { 2 } else { 1 })
}

/// A name, as its number from 1.
fn name(text: &mut &[u8], names: &[&str], is_short: bool) -> Result<u32, Misread> {
    for (number, name) in (1..).zip(names) {
        let name = if is_short { &name[..3] } else { name };
        if text.len() >= name.len() && text[..name.len()].eq_ignore_ascii_case(name.as_bytes()) {
            *text = &text[name.len()..];
            return Ok(number);
        }
    }
    Err(Misread::Form)
}

fn offset(text: &mut &[u8], form: OffsetForm) -> Result<i16, Misread> {
    let sign = match text.first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return Err(Misread::Form),
    };
    *text = &text[1..];
    let hours = number(text, 2)?;
    let has_minutes = form != OffsetForm::Hours || text.first().is_some_and(u8::is_ascii_digit);
    if form == OffsetForm::Colon {
        *text = text.strip_prefix(b":").ok_or(Misread::Form)?;
    }
    let minutes = if has_minutes { number(text, 2)? } else { 0 };
    if hours > 18 || minutes > 59 {
        return Err(Misread::Clock);
    }
    Ok(sign * (60 * hours + minutes) as i16)
}

fn push_pair(number: u32, pad: Pad, out: &mut Vec<u8>) {
    let digits = &PAIRS[number as usize];
    let is_plain = number < 10 && matches!(pad, Pad::Plain | Pad::AnyPlain);
    out.extend_from_slice(if is_plain { &digits[1..] } else { digits });
}

fn push_year(year: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{year:04}").as_bytes());
}

fn push_name(name: &str, form: Name, out: &mut Vec<u8>) {
    let name = if form.is_short { &name[..3] } else { name };
    match form.case {
        Case::Title => out.extend_from_slice(name.as_bytes()),
        Case::Upper => out.extend(name.bytes().map(|byte| byte.to_ascii_uppercase())),
        Case::Lower => out.extend(name.bytes().map(|byte| byte.to_ascii_lowercase())),
    }
}

fn push_offset(offset: i16, form: OffsetForm, out: &mut Vec<u8>) {
    let minutes = usize::from(offset.unsigned_abs());
    out.push(if offset < 0 { b'-' } else { b'+' });
    out.extend_from_slice(&PAIRS[minutes / 60]);
    if form == OffsetForm::Hours && minutes % 60 == 0 {
        return;
    }
    out.extend((form == OffsetForm::Colon).then_some(b':'));
    out.extend_from_slice(&PAIRS[minutes % 60]);
}
