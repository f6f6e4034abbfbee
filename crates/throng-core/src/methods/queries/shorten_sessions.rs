//! Shortened sessions: every sitting of a person gets a pseudonym of its own. An old way, and why it fails.
//!
//! Paper      Cooper. A survey of query log privacy-enhancing techniques from a policy perspective. ACM Transactions on the Web 2
//!            (2008); chapter 2 of the thesis.
//! Claims     nothing.
//! Does not   hide what a session says: a name, an address and an illness that were typed in one go stand together as before. Sessions of
//!            one person are alike, and are linked again by what they say and when.
//!
//! # Idea
//! 1. A person's lines in the order of time. 2. A line more than `--timeout` after the one before begins a session. 3. With
//!    `--session-lines N` a session of more lines is cut into pieces of N. 4. Each piece is published under its own pseudonym.
//!
//! # Cost
//! O(l log l) for the l lines of a person.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::lines::in_parts;
use crate::data::QueryLog;
use crate::error::{Error, Result};
use crate::info::{Info, Parameter, ParameterKind};
use crate::methods::{Method, shown_parameters};
use crate::progress::Progress;
use crate::release::Protected;
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "shorten-sessions",
    summary: "an old way that promises nothing: every session of a person gets a pseudonym of its own",
    paper: "Cooper. A survey of query log privacy-enhancing techniques from a policy perspective. ACM Transactions on the Web 2 (2008)",
    details: "1. The lines of a person are taken in the order of time. A line that comes more than `--timeout` after the one before begins \
        a session.\n\
        2. With `--session-lines N` a longer session is cut into pieces of N lines, in that order.\n\
        3. Every session is published under a pseudonym of its own, its lines as they are. The key has several rows a person.\n\
        It promises nothing, and claims nothing. What somebody typed in one sitting still stands together; and sessions of one person are \
        alike in words, sites and hours, so that they can be linked again.\n\
        It has no k.",
    parameters: &[TIMEOUT, SESSION_LINES],
};

const TIMEOUT: Parameter = Parameter {
    name: "timeout",
    summary: "a longer pause than this ends a session",
    kind: ParameterKind::Duration,
    default: "30m",
};

const SESSION_LINES: Parameter = Parameter {
    name: "session-lines",
    summary: "longer sessions are cut into pieces of so many lines; 0 for no cut",
    kind: ParameterKind::Count,
    default: "0",
};

/// What the method can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// A longer pause than so many seconds ends a session.
    pub timeout: u64,
    /// Longer sessions are cut into pieces of so many lines; 0 for no cut.
    pub session_lines: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { timeout: 1800, session_lines: 0 }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct ShortenSessions {
    params: Params,
}

impl ShortenSessions {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if params.timeout < 1 {
            return Err(Error::parameter("timeout", "is 0, but must be at least one second").with_hint(
                "half an hour is usual: `--timeout 30m`; `--session-lines 1` parts every line from the others",
            ));
        }
        Ok(Self { params })
    }

    /// The sessions of a person.
    fn sessions(&self, log: &QueryLog, person: usize) -> Vec<Vec<usize>> {
        let mut rows: Vec<usize> = log.range(person).collect();
        rows.sort_by_key(|&row| log.line(row).time);
        let pause = self.params.timeout as i64 * 1000;
        let goes_on = |one: &usize, next: &usize| log.line(*next).time - log.line(*one).time <= pause;
        let most = if self.params.session_lines == 0 { usize::MAX } else { self.params.session_lines };
        rows.chunk_by(goes_on).flat_map(|session| session.chunks(most)).map(<[usize]>::to_vec).collect()
    }
}

impl Method<QueryLog> for ShortenSessions {
    fn protect(&self, original: &QueryLog, _rng: &mut Rng, _progress: &dyn Progress) -> Result<Protected<QueryLog>> {
        Ok(in_parts(original, |person| self.sessions(original, person)))
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }

    fn promises(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::lines::testing::{log, records};
    use super::*;
    use crate::progress::Silent;
    use crate::rng::Rng;

    fn protected(rows: &[(&str, &str, i64)], minutes: u64, session_lines: usize) -> Protected<QueryLog> {
        let method = ShortenSessions::new(Params { timeout: minutes * 60, session_lines }).unwrap();
        method.protect(&log(rows), &mut Rng::seeded(1), &Silent).unwrap()
    }

    #[test]
    fn by_hand() {
        let rows = [
            ("ann", "a", 100),
            ("bob", "x", 0),
            ("ann", "b", 0),
            ("ann", "c", 30),
            ("ann", "d", 61),
            ("ann", "e", 62),
            ("ann", "f", 63),
        ];
        let lines =
            |lines: &[(&str, i64)]| lines.iter().map(|&(text, minute)| (text.to_owned(), minute)).collect::<Vec<_>>();
        let found = protected(&rows, 30, 0);
        let expected = [
            (0, lines(&[("b", 0), ("c", 30)])),
            (0, lines(&[("d", 61), ("e", 62), ("f", 63)])),
            (0, lines(&[("a", 100)])),
            (1, lines(&[("x", 0)])),
        ];
        assert_eq!(records(&found), expected);
        assert_eq!(found.given(), [(0, 0), (0, 1), (0, 2), (1, 3)]);
        assert!(found.claims.is_empty());
        let lengths: Vec<usize> = records(&protected(&rows, 30, 2)).iter().map(|(_, lines)| lines.len()).collect();
        assert_eq!(lengths, [2, 2, 1, 1, 1]);
        assert_eq!(records(&protected(&rows, 60, 0)).len(), 2);
        let error = ShortenSessions::new(Params { timeout: 0, session_lines: 0 }).unwrap_err();
        assert_eq!(error.to_string(), "`timeout` is 0, but must be at least one second");
    }

    proptest! {
        #[test]
        fn no_line_is_lost_and_no_session_pauses(
            rows in prop::collection::vec((0..3usize, 0..400i64), 1..40),
            minutes in 1..90u64,
            most in 0..4usize,
        ) {
            let names = ["ann", "bob", "cid"];
            let rows: Vec<(&str, &str, i64)> = rows.iter().map(|&(person, minute)| (names[person], "q", minute)).collect();
            let found = records(&protected(&rows, minutes, most));
            let mut all: Vec<i64> = found.iter().flat_map(|(_, lines)| lines.iter().map(|line| line.1)).collect();
            let mut expected: Vec<i64> = rows.iter().map(|row| row.2).collect();
            all.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(all, expected);
            for (at, (person, lines)) in found.iter().enumerate() {
                prop_assert!(lines.windows(2).all(|pair| (0..=minutes as i64).contains(&(pair[1].1 - pair[0].1))));
                prop_assert!(most == 0 || lines.len() <= most);
                // The next of the same person begins after a pause, or was cut off.
                if let Some((other, next)) = found.get(at + 1).filter(|(other, _)| other == person) {
                    let pause = next[0].1 - lines[lines.len() - 1].1;
                    prop_assert!(pause > minutes as i64 || lines.len() == most, "{} {}", other, pause);
                }
            }
        }
    }
}
