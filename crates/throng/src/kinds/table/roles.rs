//! Which column of a table has which role, as the user or a certificate says; and what an untold table looks like.
//!
//! No column becomes one that people are looked up by because of its name. What `inspect` says of a column is a guess with its
//! reason, for somebody to judge.

use throng_core::data::table::{Column, ColumnRole, ColumnType};
use throng_core::{Error, Result};

use super::schema::Schema;
use crate::io::table::{knows_attribute, knows_name};
use crate::io::{ColumnChoice, knows_person};
use crate::kinds::Ask;

/// Every column without a role, in `ROLE=*`.
const OTHERS: &str = "*";

/// The role of each column; nothing for one of which nothing is said.
pub(super) fn roles(names: &[&str], ask: &Ask, schema: &Schema) -> Result<Vec<Option<ColumnRole>>> {
    let certified = |name: &str| ask.table.as_ref()?.columns.iter().find(|column| column.name == name);
    let said = |name: &&str| {
        let role = schema.column(name).and_then(|column| column.role);
        role.or_else(|| certified(name).map(|column| column.role))
    };
    let below: Vec<Option<ColumnRole>> = names.iter().map(said).collect();
    if ask.columns.is_empty() {
        return Ok(below);
    }
    let mut roles: Vec<Option<ColumnRole>> = vec![None; names.len()];
    let mut others: Option<ColumnRole> = None;
    let mut wishes = Vec::new();
    let mut named: Vec<(ColumnRole, bool)> = Vec::new();
    for choice in &ask.columns {
        let ColumnChoice { role, name } = choice;
        if choice.is_of_wishes() {
            wishes.extend(places(names, name)?);
            continue;
        }
        let own = ColumnRole::named(role).ok_or_else(|| {
            Error::parameter("column", format!("names the {role}, which a table does not have"))
                .with_hint("the roles of a table are quasi, sensitive, identifier, plain and person; `--kind` says that it is something else")
        })?;
        // `sensitive=illness sensitive=*` is two things, `quasi=age quasi=zip` probably one flag too many.
        if named.contains(&(own, name == OTHERS)) {
            return Err(Error::parameter("column", format!("names the role {} twice", own.name()))
                .with_hint(format!("name all of its columns at once: `--column {}=age,zip`", own.name())));
        }
        named.push((own, name == OTHERS));
        if name == OTHERS {
            if others.replace(own).is_some() {
                return Err(Error::parameter("column", "gives two roles to all columns without one"));
            }
            continue;
        }
        for at in places(names, name)? {
            if roles[at].is_some() {
                return Err(Error::parameter("column", format!("names the column `{}` twice", names[at]))
                    .with_hint("a column has one role: quasi if people can be looked up by it, sensitive if nobody should learn it"));
            }
            roles[at] = Some(own);
        }
    }
    // What is said of a column here overrules what a schema says; a person named here is the only one.
    let has_person = roles.contains(&Some(ColumnRole::Person));
    for (role, below) in roles.iter_mut().zip(below) {
        let is_other_person = below == Some(ColumnRole::Person) && has_person;
        *role = role.or(below.filter(|_| !is_other_person));
    }
    if roles.iter().filter(|role| **role == Some(ColumnRole::Person)).count() > 1 || others == Some(ColumnRole::Person)
    {
        return Err(
            Error::parameter("column", "names several columns of persons").with_hint("one column says whose a row is")
        );
    }
    // What rows ask for is read, whatever else it is; the method leaves it out.
    let with_wish = |(at, role): (usize, Option<ColumnRole>)| match role {
        None if wishes.contains(&at) => Some(ColumnRole::Plain),
        role => role.or(others),
    };
    Ok(roles.into_iter().enumerate().map(with_wish).collect())
}

/// The columns of a list: one by its whole name, or several with commas between, each by its name or number.
fn places(names: &[&str], list: &str) -> Result<Vec<usize>> {
    if let Some(at) = names.iter().position(|name| *name == list) {
        return Ok(vec![at]);
    }
    let place = |name: &str| {
        let by_number =
            || name.parse::<usize>().ok().filter(|number| (1..=names.len()).contains(number)).map(|number| number - 1);
        let found = names.iter().position(|other| *other == name).or_else(by_number);
        found.ok_or_else(|| Error::unknown("column", name, names.iter().copied()))
    };
    list.split(',').map(|name| place(name.trim())).collect()
}

/// What a column looks like, for somebody to judge: a role and the reason.
pub(super) fn guess(column: &Column, rows: usize) -> (ColumnRole, &'static str) {
    let different = column.values.len();
    if knows_person(&column.name) && different < rows {
        return (ColumnRole::Person, "its name is one of persons, and values repeat");
    }
    if different == rows && rows > 10 && column.kind != ColumnType::Real {
        return (ColumnRole::Identifier, "every row has another value");
    }
    if knows_name(&column.name) {
        return (ColumnRole::Identifier, "its name is one of what people are called or called by");
    }
    if knows_attribute(&column.name) {
        return (ColumnRole::Quasi, "its name is one of what is known of people");
    }
    if column.kind == ColumnType::Date {
        return (ColumnRole::Quasi, "days can be known");
    }
    (ColumnRole::Plain, "nothing speaks for another role; sensitive is for you to say")
}
