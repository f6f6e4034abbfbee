//! WordNet's dictionary files: `data.noun`, `index.noun` and `noun.exc`, as wndb(5WN) describes them.
//!
//! `data.noun` has a line for each synset: its offset in the file, the number and list of its words, the number and list of
//! its pointers (`@` to a hypernym, `@i` to that of an instance), and a gloss, which is left out. `index.noun` has the
//! offsets of each word in order of sense. Lines that begin with a blank are the licence.

use super::super::ROOT;
use super::{Synsets, WordNet, normal};
use crate::data::Interner;
use crate::error::{Error, Result};

/// Reads the three files. Errors name the file.
pub(super) fn read(data: &str, index: &str, exceptions: &str) -> Result<WordNet> {
    let senses = Senses::read(index).map_err(|error| error.in_file("index.noun"))?;
    let synsets = read_data(data, &senses).map_err(|error| error.in_file("data.noun"))?;
    let bases = |line: &str| line.split_whitespace().skip(1).map(str::to_owned).collect::<Vec<_>>();
    let exceptions: Vec<(&str, Vec<String>)> = exceptions
        .lines()
        .filter_map(|line| Some((line.split_whitespace().next()?, bases(line))))
        .filter(|(_, bases)| !bases.is_empty())
        .collect();
    let exceptions: Vec<(&str, Vec<&str>)> =
        exceptions.iter().map(|(form, bases)| (*form, bases.iter().map(String::as_str).collect())).collect();
    WordNet::new(&synsets, &exceptions)
}

/// The offsets of each lemma in order of sense.
struct Senses {
    lemmas: Interner,
    offsets: Vec<Vec<u32>>,
}

impl Senses {
    fn read(index: &str) -> Result<Self> {
        let (mut lemmas, mut offsets) = (Interner::new(), Vec::new());
        for (line, text) in lines(index) {
            let entry = || {
                let mut fields = text.split_whitespace();
                let lemma = fields.next()?;
                let count: usize = fields.nth(1)?.parse().ok()?;
                let all: Vec<&str> = fields.collect();
                let own = all.get(all.len().checked_sub(count)?..)?;
                Some((lemma, own.iter().map(|offset| offset.parse().ok()).collect::<Option<Vec<u32>>>()?))
            };
            let (lemma, own) =
                entry().ok_or_else(|| Error::data("the line is no entry of WordNet's index").at_line(line))?;
            if lemmas.intern(lemma) as usize != offsets.len() {
                return Err(Error::data("a word has two entries in WordNet's index").at_line(line));
            }
            offsets.push(own);
        }
        Ok(Self { lemmas, offsets })
    }

    fn number(&self, word: &str, offset: u32) -> Option<u32> {
        let lemma = self.lemmas.find(&normal(word))?;
        let at = self.offsets[lemma as usize].iter().position(|&other| other == offset)?;
        Some(at as u32 + 1)
    }
}

/// The synsets in pre-order of their first hypernyms, children in the order of the file.
fn read_data<'a>(data: &'a str, senses: &Senses) -> Result<Synsets<'a>> {
    let mut found = Synsets::default();
    let (mut offsets, mut numbers) = (Vec::new(), Vec::new());
    for (line, text) in lines(data) {
        let offset = read_synset(text, senses, &mut found).map_err(|error| error.at_line(line))?;
        offsets.push(offset);
        numbers.push(line);
    }
    // Hypernyms are offsets up to here; the file has them in rising order.
    if let Some(at) = offsets.windows(2).position(|pair| pair[0] >= pair[1]) {
        return Err(Error::data("the synsets of WordNet are not in rising order").at_line(numbers[at + 1]));
    }
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); offsets.len()];
    let mut roots = Vec::new();
    for (synset, &line) in numbers.iter().enumerate() {
        let (words, hypernyms) = found.get(synset);
        if words.is_empty() {
            return Err(Error::data("a synset of WordNet has no word").at_line(line));
        }
        match hypernyms.first() {
            None => roots.push(synset),
            Some((above, _)) => {
                let above = offsets.binary_search(above).map_err(|_| missing(line))?;
                children[above].push(synset);
            }
        }
    }
    if roots.len() != 1 {
        let problem = format!("WordNet has {} synsets without a hypernym, but must have one", roots.len());
        let error = Error::data(problem).with_hint("is this the file of the nouns?");
        return Err(match roots.get(1) {
            Some(&root) => error.at_line(numbers[root]),
            None => error,
        });
    }
    let mut order = Vec::with_capacity(offsets.len());
    let mut open = roots;
    while let Some(synset) = open.pop() {
        order.push(synset);
        open.extend(children[synset].iter().rev());
    }
    if order.len() < offsets.len() {
        return Err(Error::data("synsets of WordNet lie under each other in a circle"));
    }
    let mut place = vec![ROOT; offsets.len()];
    for (at, &synset) in order.iter().enumerate() {
        place[synset] = at as u32;
    }
    let mut sorted = Synsets::default();
    for &synset in &order {
        let (words, hypernyms) = found.get(synset);
        sorted.words.extend_from_slice(words);
        for (above, instance) in hypernyms {
            let above = offsets.binary_search(above).map_err(|_| missing(numbers[synset]))?;
            sorted.hypernyms.push((place[above], *instance));
        }
        sorted.end();
    }
    Ok(sorted)
}

fn missing(line: u64) -> Error {
    Error::data("a hypernym of this synset of WordNet is missing").at_line(line)
}

/// One line: `offset file type words (word id)… pointers (symbol offset type places)… | gloss`; gives the offset.
fn read_synset<'a>(text: &'a str, senses: &Senses, into: &mut Synsets<'a>) -> Result<u32> {
    let broken = || Error::data("the line is no synset of WordNet");
    let mut fields = text.split_whitespace();
    let offset: u32 = fields.next().and_then(|field| field.parse().ok()).ok_or_else(broken)?;
    let words = fields.nth(2).and_then(|field| usize::from_str_radix(field, 16).ok()).ok_or_else(broken)?;
    for _ in 0..words {
        let word = fields.next().ok_or_else(broken)?;
        fields.next().ok_or_else(broken)?;
        let sense = senses.number(word, offset);
        let sense = sense.ok_or_else(|| Error::data("WordNet's index lacks a word of this synset").with_value(word))?;
        into.words.push((word, sense));
    }
    let pointers: usize = fields.next().and_then(|field| field.parse().ok()).ok_or_else(broken)?;
    for _ in 0..pointers {
        let symbol = fields.next().ok_or_else(broken)?;
        let to: u32 = fields.next().and_then(|field| field.parse().ok()).ok_or_else(broken)?;
        fields.nth(1).ok_or_else(broken)?;
        if symbol == "@" || symbol == "@i" {
            into.hypernyms.push((to, symbol == "@i"));
        }
    }
    into.end();
    Ok(offset)
}

/// The lines that are no part of the licence, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with(' ') && !line.trim().is_empty())
}
