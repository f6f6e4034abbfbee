//! The one error of throng: what went wrong, where, and what to do about it.
//!
//! Two sorts are told apart. *Expected* errors are the caller's to mend (a bad parameter, a malformed line, a full
//! disk): each says the value's limit, the place and a hint. *Internal* errors are ours: an invariant broke, please
//! report it. Bad input is never a panic.
//!
//! A raw personal value (a query, a user id) is never part of the message. It may ride along in
//! [`Error::with_value`] and is shown only by [`Error::describe`] when the user asked with `--show-values`.

use std::error::Error as StdError;
use std::fmt::{self, Display, Write as _};

use crate::text::visible::on_one_line;

/// The result of anything that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, where, and what to do about it.
#[derive(Debug)]
pub struct Error(Box<Repr>);

#[derive(Debug)]
struct Repr {
    kind: ErrorKind,
    place: Option<Place>,
    hint: Option<String>,
    value: Option<String>,
    cause: Option<Box<dyn StdError + Send + Sync>>,
}

/// The sort of an error, with its data.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A parameter has a value it may not have.
    Parameter {
        /// The parameter's name, as on the command line without dashes.
        name: String,
        /// What is wrong with it, as the end of a sentence that starts with the name.
        problem: String,
    },
    /// Several parameters are wrong; all are reported together.
    Parameters(Vec<Error>),
    /// A name that no list holds.
    Unknown {
        /// What was looked for: `method`, `model`, `measure`, …
        what: String,
        /// The name that was not found.
        name: String,
    },
    /// The data cannot be read or used.
    Data(String),
    /// The request was understood and refused.
    Refused(String),
    /// The custodian's written policy forbids it, or cannot be judged.
    Policy(String),
    /// The operating system said no.
    Io(String),
    /// The caller wanted the run to end.
    Stopped,
    /// A bug in throng.
    Internal(String),
}

/// The codes that errors have, for programs: new ones may come, and none changes its meaning. `usage` is the command line's own,
/// for arguments that cannot be understood.
pub const CODES: &[&str] = &[
    "usage",
    "parameter",
    "unknown-name",
    "data",
    "refused",
    "policy",
    "not-found",
    "no-space",
    "io",
    "interrupted",
    "internal",
];

/// Where an error happened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The file as the user named it; `standard input` for `-`.
    pub file: String,
    /// The line, counted from 1, the header included.
    pub line: Option<u64>,
    /// The column's name.
    pub column: Option<String>,
}

impl Error {
    fn new(kind: ErrorKind) -> Self {
        Self(Box::new(Repr { kind, place: None, hint: None, value: None, cause: None }))
    }

    /// A parameter has a value it may not have: `name` is shown in backticks before `problem`.
    pub fn parameter(name: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::new(ErrorKind::Parameter { name: name.into(), problem: problem.into() })
    }

    /// One error for all that is wrong with the parameters. A single one stays itself.
    pub fn parameters(mut errors: Vec<Error>) -> Self {
        if errors.len() == 1 { errors.remove(0) } else { Self::new(ErrorKind::Parameters(errors)) }
    }

    /// `name` is not a known `what`; the nearest of `known` is suggested.
    pub fn unknown<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        let hint = match nearest(name, known.iter().copied()) {
            Some((edits, candidate)) if edits <= name.chars().count().max(candidate.chars().count()) / 2 => {
                format!("did you mean `{candidate}`?")
            }
            _ => format!("known: {}", known.join(", ")),
        };
        Self::new(ErrorKind::Unknown { what: what.into(), name: name.into() }).with_hint(hint)
    }

    /// The data cannot be read or used.
    pub fn data(problem: impl Into<String>) -> Self {
        Self::new(ErrorKind::Data(problem.into()))
    }

    /// The request was understood and refused.
    pub fn refused(problem: impl Into<String>) -> Self {
        Self::new(ErrorKind::Refused(problem.into()))
    }

    /// The custodian's written policy forbids it, or cannot be judged.
    pub fn policy(problem: impl Into<String>) -> Self {
        Self::new(ErrorKind::Policy(problem.into()))
    }

    /// The operating system said no while `doing` something.
    pub fn io(doing: impl Into<String>, cause: std::io::Error) -> Self {
        use std::io::ErrorKind::{FileTooLarge, NotFound, PermissionDenied, QuotaExceeded, StorageFull};
        let doing = doing.into();
        let is_reading = doing.starts_with("open") || doing.starts_with("read");
        let hint = match cause.kind() {
            StorageFull | QuotaExceeded | FileTooLarge => {
                "make room on that disk, or choose another folder; nothing was left behind"
            }
            NotFound if is_reading => {
                "is it spelled as it is there? A name without a folder is looked for in the one you are in"
            }
            NotFound => "the folder that it should lie in does not exist: make it first, or choose another",
            PermissionDenied if is_reading => {
                "you may not read it: ask whoever owns it, or work on a copy that is yours"
            }
            PermissionDenied => "you may not write there: choose a folder that is yours",
            _ => "",
        };
        let error = Self::new(ErrorKind::Io(doing)).with_cause(cause);
        if hint.is_empty() { error } else { error.with_hint(hint) }
    }

    /// The caller wanted the run to end: nothing went wrong.
    pub fn stopped() -> Self {
        Self::new(ErrorKind::Stopped)
    }

    /// An invariant of ours broke.
    pub fn internal(problem: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal(problem.into())).with_hint("this is a bug in throng; please report it")
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Adds the raw value, shown only with `--show-values`.
    #[must_use]
    pub fn with_value(mut self, value: impl Into<String>) -> Self {
        self.0.value = Some(value.into());
        self
    }

    /// Adds the error underneath.
    #[must_use]
    pub fn with_cause(mut self, cause: impl StdError + Send + Sync + 'static) -> Self {
        self.0.cause = Some(Box::new(cause));
        self
    }

    /// Says where: a column of whatever line and file are added later.
    #[must_use]
    pub fn in_column(mut self, column: impl Into<String>) -> Self {
        self.0.place.get_or_insert_default().column = Some(column.into());
        self
    }

    /// Says where: a line, counted from 1.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Self {
        self.0.place.get_or_insert_default().line = Some(line);
        self
    }

    /// Says where: a file.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        let place = self.0.place.get_or_insert_default();
        if place.file.is_empty() {
            place.file = file.into();
        }
        self
    }

    /// The sort of error.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Where it happened, if that is known.
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// The sort of error in one word that stays the same from version to version: one of [`CODES`].
    pub fn code(&self) -> &'static str {
        use std::io::ErrorKind::{FileTooLarge, NotFound, QuotaExceeded, StorageFull};
        match &self.0.kind {
            ErrorKind::Parameter { .. } | ErrorKind::Parameters(_) => "parameter",
            ErrorKind::Unknown { .. } => "unknown-name",
            ErrorKind::Data(_) => "data",
            ErrorKind::Refused(_) => "refused",
            ErrorKind::Policy(_) => "policy",
            ErrorKind::Io(_) => match self.io_cause().map(std::io::Error::kind) {
                Some(NotFound) => "not-found",
                Some(StorageFull | QuotaExceeded | FileTooLarge) => "no-space",
                _ => "io",
            },
            ErrorKind::Stopped => "interrupted",
            ErrorKind::Internal(_) => "internal",
        }
    }

    fn io_cause(&self) -> Option<&std::io::Error> {
        self.0.cause.as_deref().and_then(|cause| cause.downcast_ref::<std::io::Error>())
    }

    /// What it is, and the error underneath: without place, value and hint.
    pub fn message(&self) -> String {
        match &self.0.cause {
            Some(cause) => format!("{self}: {cause}"),
            None => self.to_string(),
        }
    }

    /// The raw value, which only its owner may see.
    pub fn value(&self) -> Option<&str> {
        self.0.value.as_deref()
    }

    /// Whether a parameter (or its name) is at fault.
    pub fn is_parameter(&self) -> bool {
        matches!(self.0.kind, ErrorKind::Parameter { .. } | ErrorKind::Parameters(_) | ErrorKind::Unknown { .. })
    }

    /// Whether the input data are at fault.
    pub fn is_data(&self) -> bool {
        matches!(self.0.kind, ErrorKind::Data(_))
    }

    /// Whether what was asked for cannot be done with these data.
    pub fn is_refused(&self) -> bool {
        matches!(self.0.kind, ErrorKind::Refused(_))
    }

    /// Whether a policy forbids what was asked for: it was done, and is not published.
    pub fn is_policy(&self) -> bool {
        matches!(self.0.kind, ErrorKind::Policy(_))
    }

    /// Whether the caller wanted the run to end.
    pub fn is_stopped(&self) -> bool {
        matches!(self.0.kind, ErrorKind::Stopped)
    }

    /// Whether throng itself is at fault.
    pub fn is_internal(&self) -> bool {
        matches!(self.0.kind, ErrorKind::Internal(_))
    }

    /// Whether the reader of our output went away, which is no error at all.
    pub fn is_broken_pipe(&self) -> bool {
        self.io_cause().is_some_and(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
    }

    /// The whole story as the user sees it: message, place, cause and hint; the raw value only if asked for.
    pub fn describe(&self, show_values: bool) -> String {
        let mut text = String::new();
        if let ErrorKind::Parameters(errors) = &self.0.kind {
            let parts: Vec<String> = errors.iter().map(|error| error.describe(show_values)).collect();
            return parts.join("\n\nerror: ");
        }
        // Names of files and columns are anybody's: each part is one line, whatever they hold.
        let _ = write!(text, "{}", on_one_line(&self.message()));
        if let Some(place) = &self.0.place {
            let _ = write!(text, "\n  in {}", on_one_line(&place.to_string()));
        }
        match &self.0.value {
            Some(value) if show_values => {
                let _ = write!(text, "\n  the value is `{}`", value.escape_debug());
            }
            Some(_) => text.push_str("\n  (the value is hidden; `--show-values` shows it)"),
            None => {}
        }
        if let Some(hint) = &self.0.hint {
            let _ = write!(text, "\n\nhint: {}", on_one_line(hint));
        }
        text
    }
}

/// The name that takes the fewest edits to become this one, and how many; of equally near ones the first of the alphabet.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<(usize, &'a str)> {
    let edits = |other: &str| rapidfuzz::distance::levenshtein::distance(name.chars(), other.chars());
    known.into_iter().map(|candidate| (edits(candidate), candidate)).min()
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            ErrorKind::Parameter { name, problem } => write!(f, "`{name}` {problem}"),
            ErrorKind::Parameters(errors) => {
                let parts: Vec<String> = errors.iter().map(ToString::to_string).collect();
                f.write_str(&parts.join("; "))
            }
            ErrorKind::Unknown { what, name } => write!(f, "there is no {what} called `{name}`"),
            ErrorKind::Data(problem) | ErrorKind::Refused(problem) | ErrorKind::Policy(problem) => f.write_str(problem),
            ErrorKind::Io(doing) => write!(f, "could not {doing}"),
            ErrorKind::Stopped => f.write_str("the run was stopped"),
            ErrorKind::Internal(problem) => write!(f, "internal error: {problem}"),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.cause.as_deref().map(|cause| cause as &(dyn StdError + 'static))
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        match (self.file.as_str(), self.line) {
            ("", Some(line)) => parts.push(format!("line {line}")),
            ("", None) => {}
            (file, Some(line)) => parts.push(format!("{file}:{line}")),
            (file, None) => parts.push(file.to_owned()),
        }
        if let Some(column) = &self.column {
            parts.push(format!("column `{column}`"));
        }
        f.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_hidden_unless_asked_for() {
        let error = Error::data("the rank is no number").with_value("my secret").at_line(3).in_file("log.tsv");
        assert!(!error.describe(false).contains("secret"));
        assert!(error.describe(true).contains("my secret"));
        assert!(error.describe(false).contains("log.tsv:3"));
    }

    #[test]
    fn names_of_files_and_columns_stay_on_their_line() {
        let error =
            Error::data("a\u{1b}[2J").in_file("log\nerror: all is well").in_column("\u{9b}1m").with_hint("b\rc");
        let text = error.describe(false);
        assert_eq!(text, "a\\u{1b}[2J\n  in log\\nerror: all is well, column `\\u{9b}1m`\n\nhint: b\\rc");
    }

    #[test]
    fn unknown_names_suggest_the_nearest() {
        let error = Error::unknown("method", "user-microagregation", ["user-microaggregation", "clump"]);
        assert_eq!(error.hint(), Some("did you mean `user-microaggregation`?"));
        let error = Error::unknown("method", "zzz", ["user-microaggregation"]);
        assert_eq!(error.hint(), Some("known: user-microaggregation"));
    }

    #[test]
    fn every_error_has_a_code_of_the_list() {
        let io = |kind: std::io::ErrorKind| Error::io("read", kind.into());
        let errors = [
            Error::parameter("k", "is 1"),
            Error::unknown("method", "x", []),
            Error::data("bad"),
            Error::refused("no"),
            Error::policy("no"),
            io(std::io::ErrorKind::NotFound),
            io(std::io::ErrorKind::StorageFull),
            io(std::io::ErrorKind::PermissionDenied),
            Error::stopped(),
            Error::internal("oh"),
        ];
        let codes: Vec<&str> = std::iter::once("usage").chain(errors.iter().map(Error::code)).collect();
        assert_eq!(codes, CODES);
    }

    #[test]
    fn several_parameters_are_reported_together() {
        let error = Error::parameters(vec![Error::parameter("k", "is 1"), Error::parameter("m", "is 0")]);
        assert_eq!(error.describe(false), "`k` is 1\n\nerror: `m` is 0");
    }
}
