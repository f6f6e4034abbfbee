//! The words of persons' lines in the order of time: what profiles are made of.
//!
//! # Readings
//! Ours: the words of a line are those of its query, or of the path and the query string that were asked for, in lower case, stop words left
//! out. Where the page of a line is saved, the words of that page stand in their place: the paper looks at pages. Lines of one moment stay in
//! the order of the data.
//!
//! # Cost
//! Every different text is cut into words once; 8 bytes a line.

use std::borrow::Cow;
use std::ops::Range;

use crate::concepts::mixes::{Mix, each_word, mix_of};
use crate::data::queries::MISSING;
use crate::data::string_words::StringWords;
use crate::data::visits::Part;
use crate::data::{Dataset, Interner, QueryLog, Strings, Visits};

/// How many texts a line may have.
pub const TEXTS: usize = 2;

/// Data in which persons have lines with words, each at a point in time.
pub trait Worded: Dataset {
    /// The tables of texts that lines have, and whether they are parts of an address, in which letters may be written as `%20`.
    fn text_tables(&self) -> [Option<(&Strings, bool)>; TEXTS];
    /// For each table the text of a line, or [`MISSING`].
    fn texts_of(&self, row: usize) -> [u32; TEXTS];
    /// The lines of a person.
    fn lines_of(&self, person: usize) -> Range<usize>;
    /// When a line was.
    fn time_of(&self, row: usize) -> i64;
    /// The addresses of pages.
    fn addresses(&self) -> &Strings;
    /// The address of the page of a line, or [`MISSING`].
    fn address_of(&self, row: usize) -> u32;

    /// The lines of a person in the order of time.
    fn in_time(&self, person: usize) -> Vec<usize> {
        let mut rows: Vec<usize> = self.lines_of(person).collect();
        if !rows.is_sorted_by_key(|&row| self.time_of(row)) {
            rows.sort_by_key(|&row| self.time_of(row));
        }
        rows
    }
}

impl Worded for QueryLog {
    fn text_tables(&self) -> [Option<(&Strings, bool)>; TEXTS] {
        [Some((self.queries(), false)), None]
    }

    fn texts_of(&self, row: usize) -> [u32; TEXTS] {
        [self.query_ids(row..row + 1)[0], MISSING]
    }

    fn lines_of(&self, person: usize) -> Range<usize> {
        self.range(person)
    }

    fn time_of(&self, row: usize) -> i64 {
        self.line(row).time
    }

    fn addresses(&self) -> &Strings {
        self.urls()
    }

    fn address_of(&self, row: usize) -> u32 {
        self.line(row).url.unwrap_or(MISSING)
    }
}

impl Worded for Visits {
    fn text_tables(&self) -> [Option<(&Strings, bool)>; TEXTS] {
        [Part::Path, Part::Query].map(|part| Some((self.texts(part), true)))
    }

    fn texts_of(&self, row: usize) -> [u32; TEXTS] {
        [Part::Path, Part::Query].map(|part| self.column(part)[row])
    }

    fn lines_of(&self, person: usize) -> Range<usize> {
        self.range(person)
    }

    fn time_of(&self, row: usize) -> i64 {
        self.time(row)
    }

    fn addresses(&self) -> &Strings {
        self.texts(Part::Path)
    }

    fn address_of(&self, row: usize) -> u32 {
        self.column(Part::Path)[row]
    }
}

/// The words of all texts of some data, as numbers of a vocabulary that grows.
pub(crate) struct TextWords([StringWords; TEXTS]);

impl TextWords {
    pub(crate) fn of(data: &impl Worded, vocabulary: &mut Interner) -> Self {
        Self(data.text_tables().map(|table| match table {
            Some((strings, is_address)) => StringWords::of(strings, vocabulary, |string, each| match is_address {
                true => each_word(&unescaped(strings.get(string)), each),
                false => each_word(strings.get(string), each),
            }),
            None => StringWords::new(),
        }))
    }

    /// The words of some lines, each as often as it occurs.
    pub(crate) fn mix(&self, data: &impl Worded, rows: &[usize], is_taken: impl Fn(u32) -> bool) -> Mix {
        let mut words = Vec::new();
        for &row in rows {
            for (table, text) in self.0.iter().zip(data.texts_of(row)).filter(|(_, text)| *text != MISSING) {
                words.extend(table.of_string(text).iter().copied().filter(|&word| is_taken(word)));
            }
        }
        mix_of(words)
    }
}

/// A part of an address with its escaped letters as they are meant.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['%', '+']) {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|&byte| char::from(byte).to_digit(16));
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                plain.push((high * 16 + low) as u8);
                at += 3;
            }
            (b'+', ..) => {
                plain.push(b' ');
                at += 1;
            }
            (byte, ..) => {
                plain.push(byte);
                at += 1;
            }
        }
    }
    Cow::Owned(String::from_utf8_lossy(&plain).into_owned())
}

/// Saved pages, by their addresses.
#[derive(Debug, Clone, Default)]
pub struct Pages {
    keys: Interner,
    texts: Strings,
}

impl Pages {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a page with its text, unless there is one with this address.
    pub fn add(&mut self, address: &str, text: &str) {
        if self.keys.intern(&page_key(address)) as usize == self.texts.len() {
            self.texts.push(text);
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    fn find(&self, address: &str) -> Option<u32> {
        self.keys.find(&page_key(address))
    }
}

/// What addresses of the same page have in common: no scheme, no `www.`, no mark after `#`, no slash, `index` or ending of a file at the end.
fn page_key(address: &str) -> String {
    let address = address.split_once("://").map_or(address, |(_, rest)| rest);
    let address = address.split('#').next().unwrap_or_default().trim_start_matches('/');
    let mut key = address.strip_prefix("www.").unwrap_or(address);
    for ending in [".html", ".htm", ".txt", ".md", ".pdf", ".xhtml"] {
        key = key.strip_suffix(ending).unwrap_or(key);
    }
    key = key.strip_suffix("index").filter(|before| before.is_empty() || before.ends_with('/')).unwrap_or(key);
    key.trim_end_matches('/').to_lowercase()
}

/// The words of persons' lines, in the order of time.
#[derive(Debug, Clone)]
pub struct LineWords {
    names: Strings,
    vocabulary: Strings,
    /// The words of texts of all tables, one table after the other.
    words: StringWords,
    /// Person `p` has the lines `starts[p]..starts[p + 1]`.
    starts: Vec<usize>,
    /// For each line its texts, or [`MISSING`].
    texts: Vec<[u32; TEXTS]>,
    with_page: usize,
}

impl LineWords {
    /// Of some data, and of saved pages where there are any.
    pub fn of(data: &impl Worded, pages: &Pages) -> Self {
        let mut vocabulary = Interner::new();
        let TextWords(tables) = TextWords::of(data, &mut vocabulary);
        let of_pages =
            StringWords::of(&pages.texts, &mut vocabulary, |page, each| each_word(pages.texts.get(page), each));
        let mut words = StringWords::new();
        let mut first = Vec::new();
        for table in tables.iter().chain([&of_pages]) {
            first.push(words.len() as u32);
            (0..table.len() as u32).for_each(|text| words.push(table.of_string(text).iter().copied()));
        }
        let page_of: Vec<u32> = match pages.is_empty() {
            true => Vec::new(),
            false => data.addresses().iter().map(|address| pages.find(address).unwrap_or(MISSING)).collect(),
        };
        let (mut starts, mut texts, mut with_page) = (vec![0], Vec::with_capacity(data.rows()), 0);
        for person in 0..data.persons() {
            for row in data.in_time(person) {
                let page = page_of.get(data.address_of(row) as usize).copied().filter(|&page| page != MISSING);
                texts.push(match page {
                    Some(page) => {
                        with_page += 1;
                        [first[TEXTS] + page, MISSING]
                    }
                    None => {
                        let own = data.texts_of(row);
                        std::array::from_fn(|at| if own[at] == MISSING { MISSING } else { first[at] + own[at] })
                    }
                });
            }
            starts.push(texts.len());
        }
        Self { names: data.names().clone(), vocabulary: vocabulary.into_strings(), words, starts, texts, with_page }
    }

    /// How many persons there are.
    pub fn persons(&self) -> usize {
        self.starts.len() - 1
    }

    /// Their ids.
    pub fn names(&self) -> &Strings {
        &self.names
    }

    /// The different words.
    pub fn vocabulary(&self) -> &Strings {
        &self.vocabulary
    }

    /// How many lines a person has.
    pub fn lines(&self, person: usize) -> usize {
        self.starts[person + 1] - self.starts[person]
    }

    /// How many lines are those of a saved page.
    pub fn with_page(&self) -> usize {
        self.with_page
    }

    /// The words of some lines of a person, by their places in the order of time, each as often as it occurs.
    pub fn mix(&self, person: usize, lines: Range<usize>) -> Vec<(u32, u64)> {
        self.counts(person, lines, |word| word)
    }

    /// The topics of some lines of a person, each as often as it occurs: `topic_of` says that of a word, [`MISSING`] if it has none.
    pub fn counts(&self, person: usize, lines: Range<usize>, topic_of: impl Fn(u32) -> u32) -> Vec<(u32, u64)> {
        let start = self.starts[person];
        let texts = self.texts[start + lines.start..start + lines.end].iter().flatten();
        let words = texts.filter(|&&text| text != MISSING).flat_map(|&text| self.words.of_string(text));
        mix_of(words.map(|&word| topic_of(word)).filter(|&topic| topic != MISSING).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::QueryLogBuilder;

    #[test]
    fn lines_come_in_the_order_of_time_and_pages_stand_for_them() {
        let mut builder = QueryLogBuilder::new();
        builder.push("b", "late the Car", 3000, None, Some("http://www.a.example/x/index.html"));
        builder.push("a", "milk", 1000, None, None);
        builder.push("b", "early", 1000, None, Some("http://b.example"));
        builder.push("b", "equal moment", 1000, None, None);
        let log = builder.finish();
        let said = |words: &LineWords, person: usize, lines: Range<usize>| {
            let mix = words.mix(person, lines);
            mix.iter().map(|&(word, count)| format!("{} {count}", words.vocabulary().get(word))).collect::<Vec<_>>()
        };
        let words = LineWords::of(&log, &Pages::new());
        assert_eq!((words.persons(), words.lines(0), words.with_page()), (2, 3, 0));
        assert_eq!(
            (said(&words, 0, 0..1), said(&words, 0, 1..2)),
            (vec!["early 1".to_owned()], vec!["equal 1".into(), "moment 1".into()])
        );
        assert_eq!(said(&words, 0, 2..3), ["late 1", "car 1"]);
        let mut pages = Pages::new();
        pages.add("a.example/x.html", "Goal and goal");
        pages.add("https://A.example/x/", "not taken");
        let words = LineWords::of(&log, &pages);
        assert_eq!((said(&words, 0, 2..3), words.with_page()), (vec!["goal 2".to_owned()], 1));
        assert_eq!(said(&words, 0, 0..1), ["early 1"]);
    }

    #[test]
    fn addresses_are_read_as_they_are_meant() {
        assert_eq!(unescaped("red%20car+%C3%A9%zz%4"), "red car é%zz%4");
        assert_eq!(page_key("http://www.a.example/b/index.html#c"), "a.example/b");
        assert_eq!(
            (page_key("a.example"), page_key("/index.html"), page_key("/reindex")),
            ("a.example".into(), String::new(), "reindex".into())
        );
    }
}
