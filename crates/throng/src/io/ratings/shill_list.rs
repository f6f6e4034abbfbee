//! Persons who are to be left out because somebody holds them for made up: an id a line, or labels as `throng shill inject` writes them.

use std::path::Path;

use throng_core::data::{Interner, Strings};
use throng_core::{Error, Result};

use crate::io::csv_records;
use crate::limits;

const HINT: &str = "the list has the id of a person in each line, or is a CSV with the header `user,label`, and `shill` for those who are left out";

/// Who of these persons is on the list.
pub(crate) fn read_shill_list(path: &Path, persons: &Strings) -> Result<Vec<bool>> {
    let in_file = |error: Error| error.in_file(path.display().to_string()).with_hint(HINT);
    let bytes = limits::read_file(path, "the list of shills ", limits::MOST_KEY_BYTES)?;
    let records = csv_records(&bytes);
    let place = |name: &str| records.first()?.1.iter().position(|field| field == name.as_bytes());
    let columns = place("user").zip(place("label"));
    let names = Interner::from(persons);
    let mut is_listed = vec![false; persons.len()];
    for (line, record) in &records[usize::from(columns.is_some())..] {
        let field = |at: usize| record.get(at).and_then(|bytes| std::str::from_utf8(bytes).ok()).map(str::trim);
        let id = match columns {
            Some((user, label)) => match (field(user), field(label)) {
                (Some(_), Some("genuine")) => continue,
                (Some(id), Some("shill")) => id,
                _ => return Err(in_file(Error::data("the label is neither `genuine` nor `shill`").at_line(*line))),
            },
            None if record.len() > 1 => {
                return Err(in_file(
                    Error::data("the line has several cells, and no header says which is the person").at_line(*line),
                ));
            }
            None => field(0).unwrap_or_default(),
        };
        if id.is_empty() && columns.is_none() {
            continue;
        }
        let Some(person) = names.find(id) else {
            return Err(in_file(Error::data("the person is not in the ratings").at_line(*line).with_value(id)));
        };
        is_listed[person as usize] = true;
    }
    Ok(is_listed)
}
