//! Which column holds what: named by the user, or guessed from a header.

use throng_core::{Error, Result};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Who searched.
    User,
    /// What for.
    Query,
    /// When.
    Time,
    /// The rank of the clicked result.
    Rank,
    /// The clicked URL.
    Url,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 5] = [Self::User, Self::Query, Self::Time, Self::Rank, Self::Url];

    /// The role's name, as in `--column user=…`.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Query => "query",
            Self::Time => "time",
            Self::Rank => "rank",
            Self::Url => "url",
        }
    }

    /// Whether a log must have such a column.
    pub fn is_required(self) -> bool {
        matches!(self, Self::User | Self::Query | Self::Time)
    }

    /// Column names that are taken for this role, in lower case without `_`, `-` and blanks; the likeliest first.
    fn known_names(self) -> &'static [&'static str] {
        match self {
            Self::User => &["anonid", "user", "userid", "uid", "person", "personid", "searcher", "clientid", "id"],
            Self::Query => &["query", "searchquery", "querystring", "search", "searchterm", "keywords", "q"],
            Self::Time => &["querytime", "time", "timestamp", "datetime", "searchtime", "date", "ts", "t"],
            Self::Rank => &["itemrank", "rank", "clickrank", "position", "r"],
            Self::Url => &["clickurl", "url", "clickedurl", "link", "domain", "site", "u"],
        }
    }
}

/// The role that a column of this name is taken for.
pub(super) fn role_of_name(name: &str) -> Option<Role> {
    let name = plain(name);
    Role::ALL.into_iter().find(|role| role.known_names().contains(&name.as_str()))
}

/// A column's name in lower case without `_`, `-`, `.` and blanks.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ' | '.')).flat_map(char::to_lowercase).collect()
}

/// AOL's columns in AOL's order.
pub(super) const AOL: &[(Role, &str)] = &[
    (Role::User, "AnonID"),
    (Role::Query, "Query"),
    (Role::Time, "QueryTime"),
    (Role::Rank, "ItemRank"),
    (Role::Url, "ClickURL"),
];

/// `--column role=name`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnChoice {
    /// What the column holds.
    pub role: Role,
    /// Its name in the file.
    pub name: String,
}

impl ColumnChoice {
    /// Reads `role=name`.
    pub fn parse(text: &str) -> Result<Self> {
        let Some((role, name)) = text.split_once('=') else {
            return Err(Error::parameter(
                "column",
                format!("is `{text}`, but must be a role and a column, as `user=AnonID`"),
            ));
        };
        let found = Role::ALL.into_iter().find(|candidate| candidate.name() == role);
        let role = found.ok_or_else(|| {
            Error::unknown(
                "column role",
                role,
                Role::ALL.into_iter().map(Role::name).chain(["person", "item", "id", "text", "label"]),
            )
        })?;
        Ok(Self { role, name: name.to_owned() })
    }
}

/// The roles of the columns with these names, or `None` if the names do not look like a header.
///
/// Columns that the user chose must be there. Roles that nobody chose are guessed from the names.
pub(super) fn assign(names: &[&str], chosen: &[ColumnChoice]) -> Result<Option<Vec<Option<Role>>>> {
    let roles = guess(names, chosen)?;
    let complete = missing(&roles).next().is_none();
    Ok(complete.then_some(roles))
}

/// The required roles that no column has.
fn missing(roles: &[Option<Role>]) -> impl Iterator<Item = Role> {
    Role::ALL.into_iter().filter(|role| role.is_required() && !roles.contains(&Some(*role)))
}

fn guess(names: &[&str], chosen: &[ColumnChoice]) -> Result<Vec<Option<Role>>> {
    let mut roles = vec![None; names.len()];
    for choice in chosen {
        let Some(at) = names.iter().position(|name| *name == choice.name) else {
            return Err(Error::data(format!(
                "there is no column `{}`, which `--column {}` names",
                choice.name,
                choice.role.name()
            ))
            .with_value(names.join(", "))
            .with_hint("the first line must be a header that names the columns exactly so"));
        };
        if roles[at].is_some() {
            return Err(Error::parameter("column", format!("gives the column `{}` two roles", choice.name)));
        }
        roles[at] = Some(choice.role);
    }
    let plain_names: Vec<String> = names.iter().map(|name| plain(name)).collect();
    for role in Role::ALL {
        if roles.contains(&Some(role)) {
            continue;
        }
        let known = role
            .known_names()
            .iter()
            .find_map(|known| (0..names.len()).find(|&at| roles[at].is_none() && plain_names[at] == *known));
        if let Some(at) = known {
            roles[at] = Some(role);
        }
    }
    Ok(roles)
}

/// The column that holds the person of baskets: the one that was chosen, or the likeliest by its name.
pub(super) fn person_column(names: &[&str], chosen: &[ColumnChoice]) -> Result<Option<usize>> {
    if let Some(other) = chosen.iter().find(|choice| choice.role != Role::User) {
        let role = other.role.name();
        return Err(Error::parameter("column", format!("names the {role}, which baskets do not have"))
            .with_hint("the roles of baskets are person and item; a query log is `--kind queries`"));
    }
    let roles = guess(names, chosen)?;
    Ok(roles.iter().position(|&role| role == Some(Role::User)))
}

/// The first column with one of these names, in lower case without `_`, `-` and blanks.
pub(super) fn find_name(names: &[&str], known: &[&str]) -> Option<usize> {
    let names: Vec<String> = names.iter().map(|name| plain(name)).collect();
    known.iter().find_map(|known| names.iter().position(|name| name == known))
}

/// Whether a header names something that only a query log has.
pub(super) fn looks_like_log(names: &[&str]) -> bool {
    let roles = guess(names, &[]).unwrap_or_default();
    // A single letter is as likely an item.
    names.iter().zip(&roles).any(|(name, role)| name.len() > 1 && role.is_some_and(|role| role.is_required()))
}

/// The columns that have a role, and the names of those that have none, as they may be shown.
pub(super) fn by_role(
    roles: &[Option<Role>],
    names: &[impl AsRef<str>],
    shown: &[String],
) -> (Vec<(Role, String)>, Vec<String>) {
    let (mut columns, mut unmapped) = (Vec::new(), Vec::new());
    for ((role, name), shown) in roles.iter().zip(names).zip(shown) {
        match role {
            Some(role) => columns.push((*role, name.as_ref().to_owned())),
            None => unmapped.push(shown.clone()),
        }
    }
    (columns, unmapped)
}

/// The longest name of a column that is shown, in characters.
const LONGEST_NAME: usize = 64;

/// The names of columns as they may be shown. Where a header is broken, and runs into the data, values stand in the place of
/// names: one that is long, not printable, behind one that is not, or a value of a later row is shown by its number.
pub(super) fn shown(names: &[impl AsRef<str>], is_value: impl Fn(&str) -> bool) -> Vec<String> {
    let mut is_whole = true;
    let show = |(at, name): (usize, &_)| {
        let name: &str = AsRef::as_ref(name);
        is_whole &= name.chars().all(is_printable);
        let is_shown = is_whole && name.chars().count() <= LONGEST_NAME && !is_value(name);
        if is_shown { name.to_owned() } else { format!("column {}", at + 1) }
    };
    names.iter().enumerate().map(show).collect()
}

fn is_printable(c: char) -> bool {
    // Marks that cannot be seen, or turn the direction of what follows.
    let is_hidden = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    !c.is_control() && !is_hidden
}

/// The error for a file in which a required column cannot be found.
pub(super) fn missing_column(names: &[&str], chosen: &[ColumnChoice]) -> Error {
    let roles = guess(names, chosen).unwrap_or_default();
    let needed: Vec<&str> = missing(&roles).map(Role::name).collect();
    let hint = match names {
        [only] if only.contains(';') => "the columns of CSV are separated by commas, not semicolons, of TSV by tabs",
        [_] => "this line has one column; those of CSV are separated by commas, of TSV by tabs",
        _ => "name them: `--column user=… query=… time=…` (rank and url too if the file has them)",
    };
    Error::data(format!("cannot tell which column is the {}", needed.join(", the ")))
        .at_line(1)
        .with_value(names.join(", "))
        .with_hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_may_be_values_are_numbers() {
        let names = ["user", "country", "ann smith", &"x".repeat(65), "rank\rann", "secret"];
        let expected = ["user", "country", "column 3", "column 4", "column 5", "column 6"];
        assert_eq!(shown(&names, |name| name == "ann smith"), expected);
    }

    #[test]
    fn headers_are_guessed() {
        use Role::*;
        let roles = |names: &[&str]| assign(names, &[]).unwrap();
        assert_eq!(
            roles(&["AnonID", "Query", "QueryTime", "ItemRank", "ClickURL"]),
            Some(vec![Some(User), Some(Query), Some(Time), Some(Rank), Some(Url)])
        );
        assert_eq!(
            roles(&["timestamp", "country", "user_id", "q"]),
            Some(vec![Some(Time), None, Some(User), Some(Query)])
        );
        assert_eq!(roles(&["a", "b", "c"]), None);
        assert_eq!(roles(&["142", "rentdirect.com", "2006-03-01 07:17:12"]), None);
    }

    #[test]
    fn chosen_columns_come_first() {
        let choice = |text| ColumnChoice::parse(text).unwrap();
        let roles = assign(&["who", "user", "query", "time"], &[choice("user=who")]).unwrap().unwrap();
        assert_eq!(roles, [Some(Role::User), None, Some(Role::Query), Some(Role::Time)]);
        assert!(assign(&["a"], &[choice("user=b")]).is_err());
        assert!(ColumnChoice::parse("user").is_err() && ColumnChoice::parse("usr=x").is_err());
    }
}
