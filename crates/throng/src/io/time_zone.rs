//! Time zones by their IANA names, from a database inside the program; the system's is never read.
//!
//! One rule for the changes of summer time, for reading and for writing: a local time that comes twice is the first of the two, and
//! one that does not exist is as much later as the clock was put forward.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZoneDatabase};
use throng_core::data::time::{self, TimeStyle, Zone};
use throng_core::{Error, Result};

/// The rules of a time zone.
#[derive(Debug, Clone)]
pub struct TimeZone {
    name: Arc<str>,
    rules: jiff::tz::TimeZone,
}

impl PartialEq for TimeZone {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl TimeZone {
    /// The zone of a name as `Europe/Berlin`.
    pub fn named(name: &str) -> Result<Self> {
        let database = TimeZoneDatabase::bundled();
        match database.get(name) {
            Ok(rules) => Ok(Self { name: rules.iana_name().unwrap_or(name).into(), rules }),
            Err(_) => {
                let names: Vec<String> = database.available().map(|name| name.to_string()).collect();
                let city = |zone: &str| zone.rsplit('/').next().unwrap_or_default().to_lowercase();
                let wanted = name.trim().replace(' ', "_").to_lowercase();
                let found = names.iter().find(|zone| city(zone) == wanted);
                let near = names.iter().map(String::as_str);
                let error = Error::unknown("time zone", name, near);
                let is_near = error.hint().is_some_and(|hint| hint.starts_with("did you mean"));
                Err(match found {
                    Some(zone) => error.with_hint(format!("did you mean `{zone}`?")),
                    None if is_near => error,
                    None => error.with_hint(
                        "zones have the names of IANA's list: Europe/Berlin, America/New_York, Asia/Tokyo, UTC, …",
                    ),
                })
            }
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What clocks there show at a point in time, both in milliseconds.
    pub(super) fn local(&self, millis: i64) -> i64 {
        match Timestamp::from_millisecond(millis) {
            Ok(timestamp) => millis + i64::from(self.rules.to_offset(timestamp).seconds()) * 1000,
            Err(_) => millis,
        }
    }

    /// When clocks there show a time.
    pub(super) fn instant(&self, local: i64) -> i64 {
        let instant = Timestamp::from_millisecond(local)
            .and_then(|local| self.rules.to_ambiguous_timestamp(Offset::UTC.to_datetime(local)).compatible());
        instant.map_or(local, Timestamp::as_millisecond)
    }

    /// Writes what clocks there show, in a style: without a zone as it is, else as the point in time that it is.
    pub(super) fn format(&self, local: i64, style: TimeStyle, out: &mut Vec<u8>) {
        let instant = self.instant(local);
        match style.zone() {
            Zone::Unnamed => time::format(self.local(instant), style, out),
            Zone::Utc => time::format(instant, style, out),
            Zone::Offset(_) => {
                let minutes = (self.local(instant) - instant).div_euclid(60_000) as i16;
                time::format(instant, style.with_offset(minutes), out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_core::data::time::to_text;

    fn millis(text: &str) -> i64 {
        time::parse(text).unwrap().0.millis
    }

    #[test]
    fn summer_and_winter() {
        let zone = TimeZone::named("europe/berlin").unwrap();
        assert_eq!(zone.name(), "Europe/Berlin");
        for (instant, local) in [
            ("2025-01-01T12:00:00Z", "2025-01-01 13:00:00"),
            ("2025-07-01T12:00:00Z", "2025-07-01 14:00:00"),
            ("1800-07-01T12:00:00Z", "1800-07-01 12:53:28"),
            ("2800-07-01T12:00:00Z", "2800-07-01 14:00:00"),
        ] {
            assert_eq!(to_text(zone.local(millis(instant)), TimeStyle::AOL), local);
            assert_eq!(zone.instant(millis(local)), millis(instant));
        }
    }

    #[test]
    fn the_changes_of_summer_time() {
        let zone = TimeZone::named("Europe/Berlin").unwrap();
        let instant = |local: &str| to_text(zone.instant(millis(local)), TimeStyle::ISO);
        // 02:30 does not exist, and comes twice.
        assert_eq!(instant("2025-03-30 02:30:00"), "2025-03-30T01:30:00Z");
        assert_eq!(instant("2025-10-26 02:30:00"), "2025-10-26T00:30:00Z");
        let written = |style| {
            let mut out = Vec::new();
            zone.format(millis("2025-03-30 02:30:00"), style, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(written(TimeStyle::AOL), "2025-03-30 03:30:00");
        let offset = time::parse("2025-01-01T00:00:00+01:00").unwrap().1;
        assert_eq!(written(offset), "2025-03-30T03:30:00+02:00");
    }

    #[test]
    fn unknown_zones() {
        let error = TimeZone::named("Europe/Berln").unwrap_err().describe(false);
        assert!(error.contains("did you mean `Europe/Berlin`"), "{error}");
    }
}
