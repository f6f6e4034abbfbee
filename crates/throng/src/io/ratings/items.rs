//! Files about items: id, title and genres, in the forms that MovieLens has them: `u.item` (19 flags behind pipes), `movies.dat` (`::` between,
//! also inside of titles) and `movies.csv` (with a header); in UTF-8 or Latin-1.

use std::collections::BTreeMap;
use throng_core::data::Ratings;
use throng_core::{Error, Result};

use super::super::source::Source;
use super::super::{Location, csv_records, plain_name};
use super::{ITEM_CARD, double_colon::SEPARATOR};

/// The flags of `u.item`: the first says that the genre is not known.
const FLAGS: usize = 19;
/// What stands for no genre in `movies.csv`.
const NONE: &str = "(no genres listed)";

/// What is known of items.
#[derive(Debug, Default)]
pub struct Items {
    /// In the order of the file, with title and genres.
    all: Vec<(String, String, Vec<u32>)>,
    by_id: BTreeMap<String, usize>,
}

impl Items {
    /// Whether there is an item with this id.
    pub fn has(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// The title of an item.
    pub fn title(&self, id: &str) -> Option<&str> {
        self.by_id.get(id).map(|&at| self.all[at].1.as_str()).filter(|title| !title.is_empty())
    }

    /// The genres of an item, as numbers.
    pub fn genres(&self, id: &str) -> &[u32] {
        self.by_id.get(id).map_or(&[], |&at| self.all[at].2.as_slice())
    }

    /// For each item of ratings its genres.
    pub fn genres_of(&self, ratings: &Ratings) -> Vec<Vec<u32>> {
        ratings.item_ids().iter().map(|id| self.genres(id).to_vec()).collect()
    }

    /// Refuses a file about items of another data set.
    pub fn refuse_others(&self, ratings: &Ratings, file: &Location) -> Result<()> {
        if ratings.item_ids().iter().any(|id| self.has(id)) {
            return Ok(());
        }
        Err(Error::data("no item of the ratings is in the file about items")
            .in_file(file.to_string())
            .with_hint("it is of another data set, or its first column is not the id of the item"))
    }
}

/// Reads a file about items.
pub fn read_items(location: &Location) -> Result<Items> {
    let bytes = Source::open(location, None)?.into_bytes()?;
    // Every byte is a character of Latin-1.
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().map(|&byte| char::from(byte)).collect());
    parse(&text).map_err(|error| error.in_file(location.to_string()))
}

fn parse(text: &str) -> Result<Items> {
    let first = text.lines().next().unwrap_or("");
    let mut items = Items::default();
    let mut genres: BTreeMap<String, u32> = BTreeMap::new();
    if first.contains(SEPARATOR) {
        for (line, text) in numbered(text) {
            let (id, rest) = text.split_once(SEPARATOR).ok_or_else(|| malformed(line))?;
            let (title, named) = rest.rsplit_once(SEPARATOR).ok_or_else(|| malformed(line))?;
            items.push(id, title, named_genres(named, &mut genres), line)?;
        }
    } else if first.matches('|').count() >= FLAGS {
        for (line, text) in numbered(text) {
            let cells: Vec<&str> = text.split('|').collect();
            let [id, title, .., _] = cells.as_slice() else { return Err(malformed(line)) };
            let flags = cells.len().checked_sub(FLAGS).filter(|&at| at >= 2).map(|at| &cells[at..]);
            let flags = flags.ok_or_else(|| malformed(line))?;
            if flags.iter().any(|flag| !matches!(*flag, "0" | "1")) {
                return Err(malformed(line));
            }
            let set = (1..).zip(&flags[1..]).filter(|(_, flag)| **flag == "1").map(|(genre, _)| genre);
            items.push(id, title, set.collect(), line)?;
        }
    } else {
        let records = csv_records(text.as_bytes());
        let head: Vec<String> = records
            .first()
            .into_iter()
            .flat_map(|(_, cells)| cells)
            .map(|cell| plain_name(&String::from_utf8_lossy(cell)))
            .collect();
        let place = |known: &[&str]| known.iter().find_map(|known| head.iter().position(|name| name == known));
        let id_names: Vec<&str> =
            ITEM_CARD.known_names.iter().copied().filter(|name| *name != "title").chain(["id"]).collect();
        let Some(id_at) = place(&id_names) else {
            return Err(Error::data("cannot tell which column is the id of the item").at_line(1).with_hint(
                "a file about items is u.item, movies.dat, or CSV with a header such as `movieId,title,genres`",
            ));
        };
        let (title_at, genres_at) = (place(&["title", "name"]), place(&["genres", "genre", "category", "categories"]));
        for (line, cells) in records.iter().skip(1) {
            let cell = |at: Option<usize>| {
                at.and_then(|at| cells.get(at))
                    .map(|cell| String::from_utf8_lossy(cell).into_owned())
                    .unwrap_or_default()
            };
            if cells.len() != head.len() {
                return Err(malformed(*line));
            }
            items.push(&cell(Some(id_at)), &cell(title_at), named_genres(&cell(genres_at), &mut genres), *line)?;
        }
    }
    if items.all.is_empty() {
        return Err(Error::data("the file has no items"));
    }
    Ok(items)
}

impl Items {
    fn push(&mut self, id: &str, title: &str, genres: Vec<u32>, line: u64) -> Result<()> {
        if self.by_id.insert(id.to_owned(), self.all.len()).is_some() {
            return Err(Error::data("the item stands in the file a second time").at_line(line).with_value(id));
        }
        self.all.push((id.to_owned(), title.to_owned(), genres));
        Ok(())
    }
}

fn numbered(text: &str) -> impl Iterator<Item = (u64, &str)> {
    (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty())
}

fn named_genres(text: &str, known: &mut BTreeMap<String, u32>) -> Vec<u32> {
    let names = text.split('|').map(str::trim).filter(|name| !name.is_empty() && *name != NONE);
    names
        .map(|name| {
            let next = known.len() as u32;
            *known.entry(name.to_owned()).or_insert(next)
        })
        .collect()
}

fn malformed(line: u64) -> Error {
    Error::data("the line is not an item with its title and genres")
        .at_line(line)
        .with_hint("a file about items is u.item, movies.dat, or CSV with a header such as `movieId,title,genres`")
}
