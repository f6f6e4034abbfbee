//! The calendar: days since 1970 and their year, month and day, week and weekday.

/// Whether there is such a day.
pub(super) fn is_date(year: u32, month: u32, day: u32) -> bool {
    (1..=12).contains(&month) && day >= 1 && (day <= 28 || day <= days_in_month(year, month))
}

pub(super) fn days_in_month(year: u32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Whether a year has 366 days.
pub(super) fn is_leap(year: u32) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar. The year begins in March here, and 400 years earlier than
/// it did, so that nothing is negative.
///
/// The paper of this and of [`civil_from_days`]: Neri, Schneider. Euclidean affine functions and their application to
/// calendar algorithms. Software: Practice and Experience 2023.
pub(super) fn days_from_civil(year: u32, month: u32, day: u32) -> i64 {
    let is_early = month <= 2;
    let year = year + 400 - u32::from(is_early);
    let month = if is_early { month + 12 } else { month };
    let century = year / 100;
    let days = 1461 * year / 4 - century + century / 4 + (979 * month - 2919) / 32 + day - 1;
    i64::from(days) - 719_468 - 146_097
}

/// Year, month and day of a number of days since 1970-01-01: the inverse of [`days_from_civil`].
pub(super) fn civil_from_days(days: i64) -> (i64, u32, u32) {
    /// So many times 400 years earlier nothing is negative that milliseconds in an `i64` can say.
    const ERAS: i64 = 1_000_000;
    let quarters = 4 * (days + 719_468 + ERAS * 146_097) as u64 + 3;
    let (century, day) = (quarters / 146_097, (quarters % 146_097) as u32 / 4);
    let scaled = 2_939_745 * u64::from(4 * day + 3);
    let (year, day_of_year) = (scaled >> 32, scaled as u32 / 2_939_745 / 4);
    let scaled = 2141 * day_of_year + 197_913;
    let (month, day) = (scaled >> 16, (scaled & 0xffff) / 2141 + 1);
    let is_early = day_of_year >= 306;
    let year = (100 * century + year) as i64 - 400 * ERAS + i64::from(is_early);
    (year, if is_early { month - 12 } else { month }, day)
}

/// The day of the week, 1 for Monday to 7 for Sunday.
pub(super) fn weekday(days: i64) -> u32 {
    // 1970 began on a Thursday.
    (days + 3).rem_euclid(7) as u32 + 1
}

/// The Monday of the first week of a year: that of the week with 4 January in it.
fn first_monday(year: u32) -> i64 {
    let fourth = days_from_civil(year, 1, 4);
    fourth - i64::from(weekday(fourth)) + 1
}

/// Days since 1970-01-01 of a week date; `None` if the year has no such week, or a week no such day.
pub(super) fn days_from_week(year: u32, week: u32, weekday: u32) -> Option<i64> {
    let days = first_monday(year) + i64::from(week) * 7 - 7 + i64::from(weekday) - 1;
    let is_there = (1..=53).contains(&week) && (1..=7).contains(&weekday) && days < first_monday(year + 1);
    is_there.then_some(days)
}

/// Year, week and weekday of a number of days since 1970-01-01: the year is that of the week's Thursday.
pub(super) fn week_from_days(days: i64) -> (i64, u32, u32) {
    let thursday = days - i64::from(weekday(days)) + 4;
    let (year, _, _) = civil_from_days(thursday);
    (year, day_of_year(thursday).div_ceil(7), weekday(days))
}

/// The day of the year, from 1.
pub(super) fn day_of_year(days: i64) -> u32 {
    let (year, month, day) = civil_from_days(days);
    let before = |month: u32| days_in_month(if is_leap(year.rem_euclid(400) as u32) { 4 } else { 1 }, month);
    (1..month).map(before).sum::<u32>() + day
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_follows_the_one_before() {
        let mut days = days_from_civil(0, 1, 1);
        for year in 0..10_000 {
            let mut of_year = 0;
            for month in 1..=12 {
                for day in 1..=days_in_month(year, month) {
                    of_year += 1;
                    assert_eq!(days_from_civil(year, month, day), days);
                    assert_eq!(civil_from_days(days), (i64::from(year), month, day));
                    assert_eq!(day_of_year(days), of_year);
                    days += 1;
                }
            }
        }
        assert_eq!(days_from_civil(1970, 1, 1), 0);
        assert_eq!(days_from_civil(2000, 3, 1), 11_017);
    }

    #[test]
    fn every_week_follows_the_one_before() {
        let first = days_from_civil(1900, 1, 1);
        let mut before = week_from_days(first - 1);
        for days in first..days_from_civil(2300, 1, 1) {
            let (year, week, weekday) = week_from_days(days);
            assert_eq!(days_from_week(year as u32, week, weekday), Some(days));
            let expected = match before {
                (year, week, 1..=6) => (year, week, before.2 + 1),
                (year, 53, _) => (year + 1, 1, 1),
                (year, 52, _) if weekday == 1 && week == 1 => (year + 1, 1, 1),
                (year, week, _) => (year, week + 1, 1),
            };
            assert_eq!((year, week, weekday), expected);
            before = expected;
        }
        assert_eq!(week_from_days(days_from_civil(2024, 12, 30)), (2025, 1, 1));
        assert_eq!(days_from_week(2025, 53, 1), None);
        assert_eq!(days_from_week(2020, 53, 7), Some(days_from_civil(2021, 1, 3)));
    }
}
