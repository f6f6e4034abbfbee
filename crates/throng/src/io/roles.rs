//! What columns hold: the roles that a kind of data has, which column of a file has which, and what is said of the others.
//!
//! Roles are data. A kind lists its own, each with the names that a column of that role usually has; whoever names a column
//! on the command line overrules the guess. One column has one role.

use serde::{Deserialize, Serialize};
use throng_core::models::personal_k_anonymity::K_COLUMN;
use throng_core::{Error, Result};

use super::queries::is_plausible_time;

/// What a column can hold, as a kind of data knows it.
#[derive(Debug, Clone, Copy)]
pub struct RoleCard {
    /// Its name, as in `--column user=…`.
    pub name: &'static str,
    /// Another name that may be typed. Where a column is named `user` and another one `person`, the person is who is meant, and
    /// the user is one of their accounts.
    pub other_name: Option<&'static str>,
    /// Whether a file must have such a column.
    pub required: bool,
    /// Whether a line may end before it, where it must be there and is the last column.
    pub may_be_cut: bool,
    /// What types of a typed format it may have.
    pub suits: Suits,
    /// Column names that are taken for this role, in lower case without `_`, `-`, `.`, `@` and blanks; the likeliest first.
    pub known_names: &'static [&'static str],
    /// If it is guessed only beside the column of another role: that role, and names of its column. Whoever names the column
    /// of that role means it alone.
    pub beside: Option<(usize, &'static [&'static str])>,
}

/// What a column of a typed format may hold to have a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suits {
    /// Text.
    Text,
    /// Text or numbers.
    TextOrNumber,
    /// Text, numbers, dates or timestamps.
    Time,
    /// An object of JSON, which is given as it is written.
    Object,
}

/// The roles of a kind.
#[derive(Debug, Clone, Copy)]
pub struct Roles {
    /// The kind in words, with its verb: `baskets do`.
    pub of: &'static str,
    /// The roles.
    pub cards: &'static [RoleCard],
}

/// A column that was named for a role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnChoice {
    /// The role, by its name.
    pub role: String,
    /// The column, by its name in the file or by its number, from 1; empty if none is meant to have the role.
    pub name: String,
}

impl ColumnChoice {
    /// The column that says among how many persons somebody asks to be (`--k-column`).
    pub(crate) fn of_wishes(name: &str) -> Self {
        Self { role: K_COLUMN.name.to_owned(), name: name.to_owned() }
    }

    /// Whether it is the column that says among how many persons somebody asks to be.
    pub(crate) fn is_of_wishes(&self) -> bool {
        self.role == K_COLUMN.name
    }

    /// Reads `role=column`.
    pub fn parse(text: &str) -> Result<Self> {
        let (role, name) = text.split_once('=').ok_or_else(|| {
            Error::parameter("column", format!("is `{text}`, but must be a role and a column"))
                .with_hint("for example `--column user=AnonID`")
        })?;
        Ok(Self { role: role.to_owned(), name: name.to_owned() })
    }

    /// Whether no column is meant to have the role: `--column url=`.
    pub(super) fn is_none(&self) -> bool {
        self.name.is_empty()
    }

    /// The place of the column among these: a name goes before a number.
    fn place(&self, names: &[&str]) -> Option<usize> {
        names.iter().position(|name| *name == self.name).or_else(|| {
            let number = self.name.parse::<usize>().ok()?;
            (1..=names.len()).contains(&number).then(|| number - 1)
        })
    }
}

impl RoleCard {
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.other_name == Some(name)
    }

    /// Whether a column of this name is taken for the role.
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.known_names.contains(&plain(name).as_str())
    }
}

/// Refuses a role that no kind has.
pub(crate) fn check_known(all: &[&Roles], chosen: &[ColumnChoice]) -> Result<()> {
    let cards = || all.iter().flat_map(|roles| roles.cards).filter(|card| card.name != K_COLUMN.name);
    match chosen.iter().find(|choice| !cards().any(|card| card.is_called(&choice.role))) {
        None => Ok(()),
        Some(choice) => {
            let names = cards().flat_map(|card| [Some(card.name), card.other_name]).flatten();
            Err(Error::unknown("column role", &choice.role, names))
        }
    }
}

impl Roles {
    /// Whether a role, by its own name, is the one that was typed.
    pub(crate) fn is_role(&self, role: &str, typed: &str) -> bool {
        self.cards.iter().any(|card| card.name == role && card.is_called(typed))
    }

    /// Whether two columns say who is who: that of persons, and that of their accounts.
    pub(crate) fn has_accounts(&self, chosen: &[ColumnChoice]) -> bool {
        chosen.iter().any(|choice| self.is_account(choice, chosen))
    }

    /// Whether a column is that of accounts, beside one of persons: it is there, and has no role of its own.
    pub(crate) fn is_account(&self, choice: &ColumnChoice, chosen: &[ColumnChoice]) -> bool {
        let names_persons =
            |other: &ColumnChoice| other.role == PERSON && self.place(&other.role) == self.place(ACCOUNT);
        choice.role == ACCOUNT && self.place(ACCOUNT).is_some() && chosen.iter().any(names_persons)
    }

    /// The roles that `--column` names.
    fn typed(&self) -> impl Iterator<Item = &'static RoleCard> {
        self.cards.iter().filter(|card| card.name != K_COLUMN.name)
    }

    /// Whether all of these columns have roles of this kind.
    pub(super) fn have_all(&self, chosen: &[ColumnChoice]) -> bool {
        chosen.iter().all(|choice| self.place(&choice.role).is_some())
    }

    /// The number of a role.
    fn place(&self, role: &str) -> Option<usize> {
        self.cards.iter().position(|card| card.is_called(role))
    }

    /// Whether a column was named for this role.
    pub(super) fn is_chosen(&self, role: usize, chosen: &[ColumnChoice]) -> bool {
        chosen.iter().any(|choice| !choice.is_none() && self.place(&choice.role) == Some(role))
    }

    /// Whether this role is meant to have no column.
    pub(super) fn is_left_out(&self, role: usize, chosen: &[ColumnChoice]) -> bool {
        chosen.iter().any(|choice| choice.is_none() && self.place(&choice.role) == Some(role))
    }

    /// The columns that were chosen by their number, not their name.
    pub(super) fn chosen_by_number(names: &[&str], chosen: &[ColumnChoice]) -> Vec<usize> {
        let numbered = chosen.iter().filter(|choice| !choice.is_none() && !names.contains(&choice.name.as_str()));
        numbered.filter_map(|choice| choice.place(names)).collect()
    }

    /// The role of each column, by its number. Columns that the user chose must be there; roles that nobody chose are
    /// guessed from the names.
    pub(super) fn guess(&self, names: &[&str], chosen: &[ColumnChoice]) -> Result<Vec<Option<usize>>> {
        let mut roles = vec![None; names.len()];
        let mut account = None;
        for choice in chosen {
            let Some(role) = self.place(&choice.role) else { return Err(self.another_role(&choice.role)) };
            if choice.is_none() {
                self.refuse_leaving_out(role, chosen)?;
                continue;
            }
            let Some(at) = choice.place(names) else {
                return Err(self.no_such_column(role, &choice.name).with_value(names.join(", ")));
            };
            if roles[at].is_some() {
                return Err(Error::parameter("column", format!("gives the column `{}` two roles", choice.name)));
            }
            if self.is_account(choice, chosen) {
                account = Some(at);
            }
            roles[at] = Some(role);
        }
        let plain_names: Vec<String> = names.iter().map(|name| plain(name)).collect();
        for (role, card) in self.cards.iter().enumerate() {
            if roles.contains(&Some(role))
                || self.is_left_out(role, chosen)
                || !self.may_be_guessed(card, &roles, &plain_names, chosen)
            {
                continue;
            }
            let free = |known: &&str| (0..names.len()).find(|&at| roles[at].is_none() && plain_names[at] == **known);
            if let Some(at) = card.known_names.iter().find_map(free) {
                roles[at] = Some(role);
            }
        }
        // Nobody but the persons of the accounts is told apart by them.
        if let Some(at) = account {
            roles[at] = None;
        }
        Ok(roles)
    }

    /// Whether all columns that were named are there.
    pub(super) fn has_all_columns(&self, names: &[&str], chosen: &[ColumnChoice]) -> bool {
        chosen.iter().all(|choice| choice.is_none() || choice.place(names).is_some())
    }

    /// Refuses to leave out a role that must be there, or that a column is named for, too.
    fn refuse_leaving_out(&self, role: usize, chosen: &[ColumnChoice]) -> Result<()> {
        let card = &self.cards[role];
        let problem = if card.required {
            let kind = self.of.rsplit_once(' ').map_or(self.of, |(kind, _)| kind);
            format!("leaves out the {}, which {kind} cannot do without", card.name)
        } else if self.is_chosen(role, chosen) {
            format!("names a column for the {}, and says that there is none", card.name)
        } else {
            return Ok(());
        };
        Err(Error::parameter("column", problem).with_hint(format!("name its column: `--column {}=…`", card.name)))
    }

    /// Refuses columns that were named and are not there, and says which there are.
    pub(super) fn check_chosen(&self, names: &[&str], shown: &[String], chosen: &[ColumnChoice]) -> Result<()> {
        let is_missing = |choice: &&ColumnChoice| !choice.is_none() && choice.place(names).is_none();
        let Some(choice) = chosen.iter().find(is_missing) else { return Ok(()) };
        let Some(role) = self.place(&choice.role) else { return Err(self.another_role(&choice.role)) };
        let error = self.no_such_column(role, &choice.name);
        Err(match shown {
            [] => error.with_value(names.join(", ")),
            _ => error.with_hint(format!(
                "the columns are {}; one is named exactly as in the file, or by its number, from 1",
                shown.join(", ")
            )),
        })
    }

    /// The cells of a first line as an error may show them: they may be a row. Known names are shown; other words where most are
    /// known, or one is and `is_header` says that what stands below is of another sort; whatever else by its number.
    pub(super) fn shown_in_error(&self, names: &[&str], shown: &[String], is_header: bool) -> Vec<String> {
        let is_known = |name: &str| name.len() > 1 && self.cards.iter().any(|card| card.knows(name));
        let known = names.iter().filter(|name| is_known(name)).count();
        if known == 0 {
            return Vec::new();
        }
        let is_sure = is_header || 2 * known > names.len();
        let show = |(at, (name, shown)): (usize, (&&str, &String))| {
            let is_word = !name.trim().contains(char::is_whitespace);
            if is_known(name) || (is_sure && is_word) { shown.clone() } else { format!("column {}", at + 1) }
        };
        names.iter().zip(shown).enumerate().map(show).collect()
    }

    /// The error for a column that was named for a role and is not there.
    pub(super) fn no_such_column(&self, role: usize, name: &str) -> Error {
        let flag = match self.cards[role].name {
            own if own == K_COLUMN.name => format!("--{own}"),
            other => format!("--column {other}"),
        };
        Error::data(format!("there is no column `{name}`, which `{flag}` names"))
            .with_hint("a column is named exactly as in the file, or by its number, from 1")
    }

    /// Whether a role that goes with another has that one beside it.
    fn may_be_guessed(
        &self,
        card: &RoleCard,
        roles: &[Option<usize>],
        plain_names: &[String],
        chosen: &[ColumnChoice],
    ) -> bool {
        let Some((other, names)) = card.beside else { return true };
        let at = roles.iter().position(|role| *role == Some(other));
        !self.is_chosen(other, chosen) && at.is_some_and(|at| names.contains(&plain_names[at].as_str()))
    }

    /// The roles of the columns with these names, or `None` if a required one is missing.
    pub(super) fn assign(&self, names: &[&str], chosen: &[ColumnChoice]) -> Result<Option<Vec<Option<usize>>>> {
        let roles = self.guess(names, chosen)?;
        self.refuse_twin(names, &roles, chosen)?;
        let complete = self.missing(&roles).next().is_none();
        Ok(complete.then_some(roles))
    }

    /// Refuses a role whose column has a twin of the same name, unless its number was given.
    fn refuse_twin(&self, names: &[&str], roles: &[Option<usize>], chosen: &[ColumnChoice]) -> Result<()> {
        for (at, role) in roles.iter().enumerate().filter_map(|(at, role)| Some((at, (*role)?))) {
            let has_twin = (0..names.len()).any(|other| other != at && names[other] == names[at]);
            let is_by_number = chosen.iter().any(|choice| choice.name == (at + 1).to_string());
            if has_twin && !is_by_number {
                let name = self.cards[role].name;
                return Err(Error::data(format!("two columns have the name of the one that is the {name}"))
                    .at_line(1)
                    .with_hint(format!("say which by its number, from 1: `--column {name}={}`", at + 1)));
            }
        }
        Ok(())
    }

    /// Whether names of columns are known for every role that must be there.
    pub(crate) fn are_named(&self, names: &[&str]) -> bool {
        self.cards.iter().any(|card| card.required) && matches!(self.assign(names, &[]), Ok(Some(_)))
    }

    /// The required roles that no column has.
    fn missing<'a>(&'a self, roles: &'a [Option<usize>]) -> impl Iterator<Item = &'a RoleCard> {
        let is_missing = |(role, card): &(usize, &RoleCard)| card.required && !roles.contains(&Some(*role));
        self.cards.iter().enumerate().filter(is_missing).map(|(_, card)| card)
    }

    /// The error for a file in which a required column cannot be found. `shown` are the names as they may be shown; none are if
    /// they may all be values.
    pub(super) fn missing_column(&self, names: &[&str], shown: &[String], chosen: &[ColumnChoice]) -> Error {
        let roles = self.guess(names, chosen).unwrap_or_default();
        let are_values = names.iter().any(|name| is_plausible_time(name));
        let needed: Vec<&str> = self.missing(&roles).map(|card| card.name).collect();
        let (required, optional): (Vec<&RoleCard>, Vec<&RoleCard>) = self.typed().partition(|card| card.required);
        let required: Vec<String> = required.iter().map(|card| format!("{}=…", card.name)).collect();
        let optional = match optional.len() {
            0 => String::new(),
            _ => format!(" ({} too if the file has them)", in_words(optional.iter().map(|card| card.name))),
        };
        let hint = match names {
            [_] => "this line has one column: `--delimiter` says what stands between columns".to_owned(),
            _ if are_values => format!(
                "if the first line is a row and has no names, give the numbers of the columns: `--no-header --column {}`",
                required.join(" ")
            ),
            _ => format!("name them, or give their numbers: `--column {}`{optional}", required.join(" ")),
        };
        let needed = needed.join(", the ");
        let error = match !shown.is_empty() {
            true => Error::data(format!("cannot tell which column is the {needed}, of {}", shown.join(", "))),
            false => Error::data(format!("cannot tell which column is the {needed}")).with_value(names.join(", ")),
        };
        error.at_line(1).with_hint(hint)
    }

    /// The error for a role that this kind does not have.
    fn another_role(&self, role: &str) -> Error {
        let kind = self.of.rsplit_once(' ').map_or(self.of, |(kind, _)| kind);
        let names = in_words(self.typed().map(|card| card.name));
        Error::parameter("column", format!("names the {role}, which {} not have", self.of))
            .with_hint(format!("the roles of {kind} are {names}; `--kind` says that the file is of another kind"))
    }
}

/// The role of persons, where accounts are told from them, and that of accounts.
const PERSON: &str = "person";
const ACCOUNT: &str = "user";

/// Names with commas and an `and`.
fn in_words(names: impl Iterator<Item = &'static str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.join(""),
    }
}

/// A column's name in lower case without `_`, `-`, `.`, `@` and blanks.
pub(crate) fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ' | '.' | '@')).flat_map(char::to_lowercase).collect()
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

#[cfg(test)]
mod tests {
    use super::super::queries::ROLES;
    use super::*;

    #[test]
    fn names_that_may_be_values_are_numbers() {
        let names = ["user", "country", "ann smith", &"x".repeat(65), "rank\rann", "secret"];
        let expected = ["user", "country", "column 3", "column 4", "column 5", "column 6"];
        assert_eq!(shown(&names, |name| name == "ann smith"), expected);
    }

    /// A row that is taken for a header is not told: one name in it may be a word that somebody searched for.
    #[test]
    fn a_first_line_that_may_be_a_row() {
        let shown = |names: &[&str], is_header| ROLES.shown_in_error(names, &shown(names, |_| false), is_header);
        for is_header in [false, true] {
            assert_eq!(shown(&["Ann Smith", "hiv test", "datum"], is_header), ["column 1", "column 2", "datum"]);
        }
        assert_eq!(shown(&["smith", "hiv", "datum"], false), ["column 1", "column 2", "datum"]);
        assert_eq!(shown(&["who", "what", "datum"], true), ["who", "what", "datum"]);
        assert_eq!(shown(&["user", "what", "datum"], false), ["user", "what", "datum"]);
        assert!(shown(&["smith", "hiv", "today"], true).is_empty());
    }

    #[test]
    fn headers_are_guessed() {
        let roles = |names: &[&str]| ROLES.assign(names, &[]).unwrap();
        let all = Some(vec![Some(0), Some(1), Some(2), Some(3), Some(4)]);
        assert_eq!(roles(&["AnonID", "Query", "QueryTime", "ItemRank", "ClickURL"]), all);
        assert_eq!(roles(&["timestamp", "country", "user_id", "q"]), Some(vec![Some(2), None, Some(0), Some(1)]));
        assert_eq!(roles(&["a", "b", "c"]), None);
        assert_eq!(roles(&["142", "rentdirect.com", "2006-03-01 07:17:12"]), None);
    }

    #[test]
    fn chosen_columns_come_first() {
        let choice = |text| ColumnChoice::parse(text).unwrap();
        let roles = ROLES.assign(&["who", "user", "query", "time"], &[choice("person=who")]).unwrap().unwrap();
        assert_eq!(roles, [Some(0), None, Some(1), Some(2)]);
        assert!(ROLES.assign(&["a"], &[choice("user=b")]).is_err());
        // A person may have several accounts: their column is there, and has no role.
        for columns in [[choice("person=who"), choice("user=url")], [choice("user=url"), choice("person=who")]] {
            let roles = ROLES.assign(&["url", "who", "query", "time"], &columns).unwrap().unwrap();
            assert_eq!(roles, [None, Some(0), Some(1), Some(2)]);
            assert!(ROLES.has_accounts(&columns));
        }
        assert!(ROLES.assign(&["who", "query", "time"], &[choice("person=who"), choice("user=x")]).is_err());
        assert!(!ROLES.has_accounts(&[choice("person=who")]));
        // A number is a place, unless it is a name.
        let numbers = [choice("user=2"), choice("query=1"), choice("time=3")];
        assert_eq!(ROLES.assign(&["a", "b", "c"], &numbers).unwrap().unwrap(), [Some(1), Some(0), Some(2)]);
        assert_eq!(ROLES.assign(&["2", "1", "c"], &numbers).unwrap().unwrap(), [Some(0), Some(1), Some(2)]);
        assert!(ROLES.assign(&["a", "b"], &numbers).is_err() && ROLES.assign(&["a"], &[choice("user=0")]).is_err());
        assert!(ColumnChoice::parse("user").is_err());
        let refused = ROLES.assign(&["a"], &[choice("item=a")]).unwrap_err().describe(false);
        assert!(refused.contains("names the item, which a query log does not have"), "{refused}");
        assert!(
            check_known(&[&ROLES], &[choice("usr=x")]).unwrap_err().describe(false).contains("did you mean `user`")
        );
        assert!(check_known(&[&ROLES], &[choice("person=x")]).is_ok());
    }
}
