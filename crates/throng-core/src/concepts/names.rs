//! The names of a taxonomy as they are looked up: whatever the case, accents, hyphens and apostrophes.
//!
//! # Idea
//! 1. Every name has a key: lower case, single blanks, `_` as a blank. Names as they stand come first.
//! 2. Then the words of each name alone, without other marks, and its plain forms: no accents, apostrophes and dots, a hyphen
//!    once as a blank (`e mail`) and once left out (`email`). With a lexicon also the singular of names in the plural.
//!    A key that is taken stays what it is.
//! 3. A taxonomy of our own may call a node by its path (`Top/Sports/Soccer`): the last part is a name too, that of the node
//!    highest up where several end in it, of the first in the file among those.
//! 4. Of joined taxonomies the earlier one has the name. Artificial roots, and words of WordNet that only hold others together
//!    (`in`, an inch; `as`, arsenic), are not looked up.
//!
//! # Cost
//! One table: about 10 MB and a tenth of a second for WordNet.

use super::lexicon::{Class, Lexicon};
use super::tagger::is_function_word;
use super::tokens::{Tokens, push_raw_key};
use crate::data::{Interner, Strings};
use crate::taxonomy::{ROOT, Taxonomy};
use crate::text::accents::push_plain;

/// Keys of names, and the node of each.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    keys: Interner,
    nodes: Vec<u32>,
    /// The most words a key has.
    most_words: usize,
    /// One bit for some hashes of keys: most looks are for what is not there, and end here without waiting for memory.
    filter: Vec<u64>,
}

/// Bits of the filter: a quarter of a megabyte, which stays near the processor.
const FILTER_BITS: u32 = 21;

/// The word and the bit of the filter that a hash has.
fn place(hash: u64) -> (usize, u64) {
    let place = hash >> (u64::BITS - FILTER_BITS);
    ((place >> 6) as usize, 1 << (place & 63))
}

impl Names {
    /// The names of a taxonomy.
    pub(super) fn of(taxonomy: &Taxonomy, lexicon: Option<&Lexicon>) -> Self {
        let mut names = Self::default();
        let mut key = String::new();
        let own = own_names(taxonomy);
        let net_part = taxonomy.wordnet().map(|(_, root)| part_of(taxonomy, root));
        let in_wordnet = |names: &mut Self, key: &mut String| {
            let Some((net, root)) = taxonomy.wordnet() else { return };
            for (lemma, synset) in net.first_senses() {
                key.clear();
                push_raw_key(lemma, key);
                if !is_function_word(key) {
                    names.add(key, root + synset);
                }
            }
        };
        // Joined taxonomies in their order, WordNet where its place is.
        let mut waiting = net_part;
        for &(part, ref name, node) in &own {
            if waiting.is_some_and(|net| net < part) {
                in_wordnet(&mut names, &mut key);
                waiting = None;
            }
            key.clear();
            push_raw_key(name, &mut key);
            names.add(&key, node);
        }
        if waiting.is_some() {
            in_wordnet(&mut names, &mut key);
        }
        names.add_variants();
        if let Some(lexicon) = lexicon {
            names.add_singulars(taxonomy, &own, lexicon);
        }
        names.filter = vec![0; 1 << (FILTER_BITS - 6)];
        for key in names.keys.strings().iter() {
            let (word, bit) = place(Interner::hash(key));
            names.filter[word] |= bit;
        }
        names
    }

    /// Adds what the names as they stand are called otherwise.
    fn add_variants(&mut self) {
        let exact: Strings = self.keys.strings().clone();
        let is_simple = |key: &str| key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b' ');
        let special = || exact.iter().zip(0u32..).filter(|(key, _)| !is_simple(key));
        let (mut tokens, mut variant) = (Tokens::default(), String::new());
        for (key, id) in special() {
            tokens.read(key);
            variant.clear();
            for at in 0..tokens.len() {
                if at > 0 {
                    variant.push(' ');
                }
                variant.push_str(tokens.lower(at));
            }
            self.add(&variant, self.nodes[id as usize]);
        }
        for hyphen in [" ", ""] {
            for (key, id) in special() {
                tokens.read(key);
                variant.clear();
                for at in 0..tokens.len() {
                    if at > 0 {
                        variant.push(' ');
                    }
                    push_folded(tokens.lower(at), hyphen, &mut variant);
                }
                self.add(&variant, self.nodes[id as usize]);
            }
        }
    }

    /// Adds what a lexicon says of the plural: the singular of own names, and words of WordNet that are far more often the
    /// plural of another (`shoes`, which are a place in somebody else's).
    fn add_singulars(&mut self, taxonomy: &Taxonomy, own: &[(u32, String, u32)], lexicon: &Lexicon) {
        const FAR: i32 = 4;
        let in_wordnet = |node: u32| {
            taxonomy.wordnet().is_some_and(|(net, root)| node >= root && ((node - root) as usize) < net.synsets())
        };
        let weight = |word: &str| lexicon.weight(word, Class::Noun);
        for id in 0..self.nodes.len() {
            let key = self.keys.strings().get(id as u32);
            let is_word = key.len() > 3 && key.ends_with('s') && key.bytes().all(|byte| byte.is_ascii_lowercase());
            if is_word
                && let singular = &key[..key.len() - 1]
                && weight(singular) >= weight(key) + FAR
                && let Some(node) = self.get(singular)
                && in_wordnet(node)
                && in_wordnet(self.nodes[id])
            {
                self.nodes[id] = node;
            }
        }
        let (mut raw, mut plain) = (String::new(), String::new());
        for (_, name, node) in own {
            raw.clear();
            push_raw_key(name, &mut raw);
            plain.clear();
            push_folded(&raw, " ", &mut plain);
            for key in [&raw, &plain] {
                let last = key.rfind(' ').map_or(0, |at| at + 1);
                let mut singular = None;
                bases(
                    &key[last..],
                    |word| lexicon.irregular_singular(word),
                    |base| {
                        if singular.is_none() && lexicon.has(base, Class::Noun) {
                            singular = Some(format!("{}{base}", &key[..last]));
                        }
                    },
                );
                singular.iter().for_each(|singular| self.add(singular, *node));
            }
        }
    }

    fn add(&mut self, key: &str, node: u32) {
        if !key.is_empty() && self.keys.intern(key) as usize == self.nodes.len() {
            self.nodes.push(node);
            self.most_words = self.most_words.max(key.split(' ').count());
        }
    }

    /// The node with this key.
    pub(super) fn get(&self, key: &str) -> Option<u32> {
        let hash = Interner::hash(key);
        let (word, bit) = place(hash);
        if self.filter.get(word).is_some_and(|bits| bits & bit == 0) {
            return None;
        }
        self.keys.find_hashed(key, hash).map(|id| self.nodes[id as usize])
    }

    /// The most words a key has.
    pub(super) fn most_words(&self) -> usize {
        self.most_words
    }

    /// All keys.
    pub(super) fn keys(&self) -> &Strings {
        self.keys.strings()
    }
}

/// Adds a word without accents, apostrophes and dots, with something else for hyphens.
pub(super) fn push_folded(word: &str, hyphen: &str, out: &mut String) {
    for letter in word.chars() {
        match letter {
            '-' => out.push_str(hyphen),
            '\'' | '.' => {}
            _ => push_plain(letter, out),
        }
    }
}

/// What a word may be the plural of, the likeliest first: its irregular singular, else by WordNet's endings.
pub(super) fn bases<'a>(word: &str, irregular: impl Fn(&str) -> Option<&'a str>, mut each: impl FnMut(&str)) {
    const ENDINGS: [(&str, &str); 8] = [
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ];
    const LONGEST: usize = 64;
    if word.len() > LONGEST {
        return;
    }
    if let Some(base) = irregular(word) {
        each(base);
    }
    if word.ends_with("ss") || word.len() <= 2 || !word.ends_with(['s', 'n']) {
        return;
    }
    for (ending, instead) in ENDINGS {
        if let Some(stem) = word.strip_suffix(ending)
            && !stem.is_empty()
        {
            if instead.is_empty() {
                each(stem);
            } else {
                each(&format!("{stem}{instead}"));
            }
        }
    }
}

/// Which of joined taxonomies a node is in: the node that it begins with; 0 if nothing is joined.
fn part_of(taxonomy: &Taxonomy, node: u32) -> u32 {
    if !taxonomy.is_joined() {
        return ROOT;
    }
    taxonomy.ancestors(node).take_while(|&node| node != ROOT).last().unwrap_or(ROOT)
}

/// The names of nodes outside of WordNet, with their part: labels, then other names, then last parts of paths; each by level
/// and in the order of the file.
fn own_names(taxonomy: &Taxonomy) -> Vec<(u32, String, u32)> {
    let is_own = |node: u32| match taxonomy.wordnet() {
        Some((net, root)) => node < root || (node - root) as usize >= net.synsets(),
        None => true,
    };
    let mut nodes: Vec<u32> =
        (0..taxonomy.len() as u32).filter(|&node| is_own(node) && !taxonomy.is_artificial(node)).collect();
    nodes.sort_by_key(|&node| (part_of(taxonomy, node), taxonomy.level(node), node));
    let mut aliases: Vec<(u32, &str)> = taxonomy.aliases().map(|(name, node)| (node, name)).collect();
    aliases.sort_by_key(|&(node, _)| node);
    let aliases_of = |node: u32| {
        let from = aliases.partition_point(|&(other, _)| other < node);
        aliases[from..].iter().take_while(move |&&(other, _)| other == node).map(|&(_, name)| name)
    };
    let mut names = Vec::new();
    for (rank, &node) in nodes.iter().enumerate() {
        let part = part_of(taxonomy, node);
        let all = || std::iter::once(taxonomy.label(node)).chain(aliases_of(node));
        names.push((part, 0, rank, taxonomy.label(node).to_owned(), node));
        names.extend(aliases_of(node).map(|name| (part, 1, rank, name.to_owned(), node)));
        for name in all() {
            if let Some(last) = last_part(taxonomy, name, node) {
                names.push((part, 2, rank, last.to_owned(), node));
            }
        }
    }
    names.sort_by_key(|&(part, sort, rank, ..)| (part, sort, rank));
    names.into_iter().map(|(part, _, _, name, node)| (part, name, node)).collect()
}

/// The last part of a name that is a path: what stands before it names the parent.
fn last_part<'a>(taxonomy: &Taxonomy, name: &'a str, node: u32) -> Option<&'a str> {
    if node == ROOT {
        return None;
    }
    let parent = taxonomy.parent(node);
    let label = taxonomy.label(parent);
    // A joined taxonomy has `Top (odp)` where another has `Top` too.
    let bare = label.rsplit_once(" (").map_or(label, |(bare, _)| bare);
    let names_parent = |before: &str| before == label || before == bare || taxonomy.find_name(before) == Some(parent);
    [" > ", "/"].into_iter().find_map(|separator| {
        let (before, last) = name.rsplit_once(separator)?;
        names_parent(before).then_some(last)
    })
}
