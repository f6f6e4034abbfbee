//! The nouns of WordNet in throng's own file.
//!
//! A line for each synset in pre-order: `level words hypernyms`, separated by tabs. The level says which synset before it is
//! the first hypernym, and `i` after it that this one is an instance. Words are separated by blanks; `#n` after a word says
//! that it is its sense n, nothing that it is its first. The other hypernyms are numbers of synsets from 0, again with `i`.
//! An empty line ends the synsets; then follow the irregular forms, each with its bases.

use std::fmt::Write as _;

use super::{Synsets, WordNet};
use crate::error::{Error, Result};

impl WordNet {
    /// Writes the lines.
    pub(in super::super) fn pack(&self, out: &mut String) {
        let mut levels: Vec<u32> = Vec::with_capacity(self.synsets());
        for synset in 0..self.synsets() as u32 {
            let hypernyms = self.hypernyms(synset);
            levels.push(hypernyms.first().map_or(1, |&above| levels[above as usize] + 1));
            let _ = write!(out, "{}", levels[synset as usize]);
            let instances = &self.instances[self.hypernyms.range(synset)];
            let mark = |at: usize| if instances.get(at) == Some(&true) { "i" } else { "" };
            out.push_str(mark(0));
            for (at, word) in self.words(synset).enumerate() {
                out.push(if at == 0 { '\t' } else { ' ' });
                out.push_str(word);
                let sense = self.sense_number(word, synset);
                if sense != 1 {
                    let _ = write!(out, "#{sense}");
                }
            }
            for (at, above) in hypernyms.iter().enumerate().skip(1) {
                let _ = write!(out, "{}{above}{}", if at == 1 { '\t' } else { ' ' }, mark(at));
            }
            out.push('\n');
        }
        out.push('\n');
        for (id, form) in self.exceptions.strings().iter().enumerate() {
            out.push_str(form);
            for &base in self.exception_bases.get(id as u32) {
                let _ = write!(out, " {}", self.bases.get(base));
            }
            out.push('\n');
        }
    }

    /// Reads the lines, the first of which is line `first` of its file.
    pub(in super::super) fn unpack(text: &str, first: u64) -> Result<Self> {
        let mut lines = (first..).zip(text.lines());
        let mut synsets = Synsets::default();
        // The synset that was read last on each level, which are those above the next.
        let mut above: Vec<u32> = Vec::new();
        for (line, text) in lines.by_ref().take_while(|(_, text)| !text.is_empty()) {
            unpack_synset(text, &mut above, &mut synsets)
                .ok_or_else(|| Error::data("the line is no synset of WordNet").at_line(line))?;
        }
        let count = synsets.ends.len() as u32;
        if count == 0 || synsets.hypernyms.iter().any(|&(hypernym, _)| hypernym >= count) {
            return Err(Error::data("synsets of WordNet are missing"));
        }
        let mut exceptions = Vec::new();
        for (line, text) in lines {
            let mut words = text.split(' ');
            let form = words.next().unwrap_or_default();
            let bases: Vec<&str> = words.collect();
            if form.is_empty() || bases.is_empty() {
                return Err(Error::data("the line is no irregular form with its bases").at_line(line));
            }
            exceptions.push((form, bases));
        }
        Self::new(&synsets, &exceptions)
    }
}

fn unpack_synset<'a>(text: &'a str, above: &mut Vec<u32>, into: &mut Synsets<'a>) -> Option<()> {
    let mut fields = text.split('\t');
    let (level, instance) = marked(fields.next()?)?;
    let level = level as usize;
    // The root is alone on its level; a level is at most one below that of the synset before.
    if level == 0 || level > above.len() + 1 || (level == 1 && !above.is_empty()) {
        return None;
    }
    above.truncate(level - 1);
    if let Some(&hypernym) = above.last() {
        into.hypernyms.push((hypernym, instance));
    }
    above.push(into.ends.len() as u32);
    for word in fields.next()?.split(' ') {
        let (word, sense) = match word.rsplit_once('#') {
            Some((word, sense)) => (word, sense.parse().ok()?),
            None => (word, 1),
        };
        if word.is_empty() {
            return None;
        }
        into.words.push((word, sense));
    }
    for hypernym in fields.next().into_iter().flat_map(|field| field.split(' ')) {
        into.hypernyms.push(marked(hypernym)?);
    }
    into.end();
    fields.next().is_none().then_some(())
}

/// A number with or without an `i` after it.
fn marked(text: &str) -> Option<(u32, bool)> {
    let number = text.strip_suffix('i');
    Some((number.unwrap_or(text).parse().ok()?, number.is_some()))
}
