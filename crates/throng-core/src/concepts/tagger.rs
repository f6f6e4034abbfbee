//! Which part of speech each word of a text is: a small tagger for queries and labels.
//!
//! # Idea
//! 1. Words of closed classes (determiners, prepositions, pronouns, conjunctions, auxiliaries, question words) are a list.
//! 2. What other words can be, and how often, says the [`Lexicon`]; an unknown word is judged by its ending, else a noun.
//! 3. Each class that a word can have is given points: its weight in the lexicon, and points for what stands before and after
//!    it. `to` wants a verb, `the` a noun. The class with the most points wins.
//! 4. Queries are no sentences: nouns have points from the start. Forms in -ing and -ed before a noun describe it.
//!
//! # Cost
//! Two passes over the words; one look into the list and a few into the lexicon for each.

use std::sync::{Arc, OnceLock};

use super::lexicon::{Class, Classes, Form, Lexicon};
use super::tokens::{Shape, Tokens};
use crate::data::Interner;

/// A part of speech.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Noun,
    Verb,
    Adjective,
    Adverb,
    /// A form of a verb that describes a noun: `leaking faucet`.
    Participle,
    Number,
    Determiner,
    Preposition,
    /// `to`, before a verb or a place.
    To,
    Pronoun,
    Conjunction,
    /// Forms of `be`.
    Be,
    /// Forms of `have`.
    Have,
    /// `can`, `do` and others that a verb follows; also `not` and `please`.
    Auxiliary,
    /// `how`, `where` and so on.
    Question,
    /// `www`, `http`: nothing that means anything.
    Web,
    /// A web address.
    Site,
}

impl Tag {
    /// The name of the part of speech.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Noun => "noun",
            Self::Verb => "verb",
            Self::Adjective => "adjective",
            Self::Adverb => "adverb",
            Self::Participle => "participle",
            Self::Number => "number",
            Self::Determiner => "determiner",
            Self::Preposition | Self::To => "preposition",
            Self::Pronoun => "pronoun",
            Self::Conjunction => "conjunction",
            Self::Be | Self::Have | Self::Auxiliary => "auxiliary",
            Self::Question => "question",
            Self::Web => "web",
            Self::Site => "site",
        }
    }

    /// Whether the word can be part of a noun phrase.
    pub(super) fn is_in_phrase(self) -> bool {
        matches!(self, Self::Noun | Self::Adjective | Self::Participle | Self::Number)
    }
}

/// Words of closed classes. Those after `|` can be something else too: names of one such word are kept.
const CLOSED: &[(Tag, &str)] = &[
    (
        Tag::Determiner,
        "a all an another any both each either every few her his its many more most much my neither no other our own same \
         several some such that the their these this those which whose your",
    ),
    (
        Tag::Preposition,
        "about above across after against along amid among around as at before behind below beneath beside besides between \
         beyond by despite during except for from in inside into near of off on onto out outside over per regarding since than \
         through throughout toward towards under underneath until unto up upon via versus vs w with within without | down like \
         past round worth",
    ),
    (Tag::To, "to"),
    (
        Tag::Pronoun,
        "anybody anyone anything everybody everyone everything he hers herself him himself i i'd i'll i'm i've it it's itself \
         let's me mine myself nobody none nothing ours she somebody someone something that's theirs them themselves there \
         they they're us we what's where's who who's whom you you'll you're yours yourself u",
    ),
    (Tag::Conjunction, "although and because but if nor or so then though unless whereas whether while yet"),
    (Tag::Be, "am are aren't be been being is isn't was wasn't were weren't"),
    (Tag::Have, "had has have having haven't hasn't"),
    (
        Tag::Auxiliary,
        "can't cannot could couldn't did didn't do does doesn't doing don't dont not please shall should shouldn't won't would \
         wouldn't | can may might must will",
    ),
    (Tag::Question, "how what when where why"),
    (
        Tag::Adverb,
        "again ago almost already also always ever here just never often only quite rather really soon sometimes still too very",
    ),
    (Tag::Web, "com ftp html htm http https org www s t | net"),
    (
        Tag::Number,
        "| one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand million",
    ),
];

/// A word of a closed class.
#[derive(Debug, Clone, Copy)]
struct Closed {
    tag: Tag,
    /// Whether it can also be an ordinary word.
    soft: bool,
}

/// The words of [`CLOSED`] as a table.
#[derive(Debug)]
struct ClosedWords {
    words: Interner,
    entries: Vec<Closed>,
}

impl ClosedWords {
    /// The table, made when it is first needed.
    fn get() -> &'static Self {
        static TABLE: OnceLock<ClosedWords> = OnceLock::new();
        TABLE.get_or_init(|| {
            let mut table = Self { words: Interner::new(), entries: Vec::new() };
            for &(tag, list) in CLOSED {
                let mut soft = false;
                for word in list.split_whitespace() {
                    if word == "|" {
                        soft = true;
                    } else if table.words.intern(word) as usize == table.entries.len() {
                        table.entries.push(Closed { tag, soft });
                    }
                }
            }
            table
        })
    }

    fn find(&self, word: &str) -> Option<Closed> {
        const LONGEST: usize = 10;
        (word.len() <= LONGEST).then(|| self.words.find(word).map(|id| self.entries[id as usize])).flatten()
    }
}

/// Whether a word in lower case only holds others together: it names nothing by itself.
pub(super) fn is_function_word(word: &str) -> bool {
    ClosedWords::get().find(word).is_some_and(|closed| !closed.soft)
}

/// What is known of a word before its neighbours are looked at.
#[derive(Debug, Clone, Copy)]
struct Known {
    closed: Option<Tag>,
    classes: Classes,
}

impl Known {
    /// Whether a noun phrase can go on with it.
    fn is_like_noun(self) -> bool {
        self.closed.is_none() && (self.classes.can_be(Class::Noun) || self.classes.is_unknown())
    }
}

/// Tags words.
#[derive(Debug, Clone)]
pub(super) struct Tagger {
    closed: &'static ClosedWords,
    lexicon: Option<Arc<Lexicon>>,
}

/// Buffers that are used again for the next text.
#[derive(Debug, Default)]
pub(super) struct Tags {
    pub(super) list: Vec<Tag>,
    known: Vec<Known>,
}

impl Tagger {
    pub(super) fn new(lexicon: Option<Arc<Lexicon>>) -> Self {
        Self { closed: ClosedWords::get(), lexicon }
    }

    /// Tags the words of a text; what was there before is forgotten.
    pub(super) fn tag(&self, tokens: &Tokens, tags: &mut Tags) {
        tags.list.clear();
        tags.known.clear();
        for at in 0..tokens.len() {
            let word = tokens.lower(at);
            let closed = match tokens.list[at].shape {
                Shape::Site => Some(Tag::Site),
                Shape::Number => Some(Tag::Number),
                Shape::Word => self.closed.find(word).map(|closed| closed.tag),
            };
            let classes = if closed.is_some() { Classes::UNKNOWN } else { self.classes(word) };
            tags.known.push(Known { closed, classes });
        }
        for at in 0..tokens.len() {
            let is_cut = |at: usize| tokens.list.get(at).is_none_or(|token| token.cut);
            let before = (at > 0 && !is_cut(at)).then(|| tags.list[at - 1]);
            let long_before = (at > 1 && !is_cut(at) && !is_cut(at - 1)).then(|| tags.list[at - 2]);
            let after = (!is_cut(at + 1)).then(|| tags.known[at + 1]);
            let own = tags.known[at];
            let tag = match own.closed {
                Some(tag) => self.closed_tag(tokens.lower(at), tag, before, after),
                None => open_tag(own.classes, before, long_before, after),
            };
            tags.list.push(tag);
        }
    }

    /// What a word can be: from the lexicon, of a hyphenated or possessive word from its last part, or from its ending.
    fn classes(&self, word: &str) -> Classes {
        let Some(lexicon) = &self.lexicon else { return by_ending(word) };
        let classes = lexicon.classes(word);
        if !classes.is_unknown() {
            return classes;
        }
        if word.ends_with("'s") {
            return by_ending("");
        }
        if let Some((_, last)) = word.rsplit_once('-') {
            let classes = lexicon.classes(last);
            if !classes.is_unknown() {
                return classes;
            }
        }
        by_ending(word)
    }

    /// A word of a closed class is what the list says, but for a few that can be nouns.
    fn closed_tag(&self, word: &str, tag: Tag, before: Option<Tag>, after: Option<Known>) -> Tag {
        let after_noun = matches!(before, Some(Tag::Noun | Tag::Adjective | Tag::Participle));
        let before_verb = after.is_some_and(|after| {
            matches!(after.closed, Some(Tag::Auxiliary | Tag::Be | Tag::Have | Tag::Pronoun))
                || (after.closed.is_none() && after.classes.weight(Class::Verb) > after.classes.weight(Class::Noun))
        });
        match word {
            // `garbage can`, `the will`, but `dogs can swim`.
            "can" | "will" if (after_noun || before == Some(Tag::Determiner)) && !before_verb => Tag::Noun,
            // `may 2006`, `in may`.
            "may"
                if before == Some(Tag::Preposition) || after.is_some_and(|after| after.closed == Some(Tag::Number)) =>
            {
                Tag::Noun
            }
            "like" if matches!(before, Some(Tag::Pronoun | Tag::To | Tag::Auxiliary)) => Tag::Verb,
            "net" if after_noun || before == Some(Tag::Determiner) => Tag::Noun,
            // `which` and `that` before a verb stand for a noun.
            "that" | "which" | "all" | "this" if !after.is_some_and(Known::can_follow_determiner) => Tag::Pronoun,
            "her" if !after.is_some_and(Known::can_follow_determiner) => Tag::Pronoun,
            _ => tag,
        }
    }
}

impl Known {
    fn can_follow_determiner(self) -> bool {
        match self.closed {
            Some(tag) => matches!(tag, Tag::Number | Tag::Determiner),
            None => {
                self.is_like_noun()
                    || self.classes.can_be(Class::Adjective)
                    || self.classes.form == Form::Ing
                    || self.classes.form == Form::Past
            }
        }
    }
}

/// The classes of an unknown word by its ending.
fn by_ending(word: &str) -> Classes {
    const ADJECTIVES: [&str; 12] =
        ["able", "ible", "ous", "ful", "less", "ish", "ical", "ive", "ese", "proof", "sized", "like"];
    let has = |endings: &[&str]| endings.iter().any(|ending| word.len() > ending.len() + 2 && word.ends_with(ending));
    let (class, form) = if has(&["ly"]) {
        (Class::Adverb, Form::Base)
    } else if has(&["ing"]) {
        (Class::Verb, Form::Ing)
    } else if has(&["ed"]) {
        (Class::Verb, Form::Past)
    } else if has(&ADJECTIVES) {
        (Class::Adjective, Form::Base)
    } else {
        return Classes::UNKNOWN;
    };
    // It may well be a name.
    Classes::of(&[(class, 3), (Class::Noun, 0)], form)
}

/// The tag of a word of an open class.
fn open_tag(own: Classes, before: Option<Tag>, long_before: Option<Tag>, after: Option<Known>) -> Tag {
    if own.is_unknown() {
        return Tag::Noun;
    }
    let noun_follows = after.is_some_and(Known::is_like_noun);
    let modifier_follows = after.is_some_and(|after| after.closed.is_none() && after.classes.can_be(Class::Adjective));
    let object_follows = after.is_some_and(|after| matches!(after.closed, Some(Tag::Determiner | Tag::Pronoun)));
    let points = |class: Class| {
        if !own.can_be(class) {
            return i32::MIN;
        }
        let verb_form = match own.form {
            Form::Ing | Form::Past => 3,
            Form::Plural => -1,
            Form::Base => 0,
        };
        let from_before = match (before, class) {
            (None, Class::Noun) => 1,
            (None, Class::Verb) if object_follows => 4,
            (None, Class::Verb) if (noun_follows || modifier_follows) && own.form == Form::Base => 2,
            (Some(Tag::Determiner), Class::Noun) => 4,
            (Some(Tag::Determiner), Class::Adjective) => 3,
            (Some(Tag::Determiner), Class::Verb) => -8 + 2 * verb_form,
            (Some(Tag::Preposition), Class::Noun) => 4,
            (Some(Tag::Preposition), Class::Adjective) => 2,
            (Some(Tag::Preposition), Class::Verb) => -6 + 2 * verb_form,
            // `how to water plants`, but `flights to water`.
            (Some(Tag::To), Class::Verb) if long_before == Some(Tag::Question) => 14,
            (Some(Tag::To), Class::Verb) if long_before == Some(Tag::Noun) && own.form == Form::Base => 3,
            (Some(Tag::To), Class::Verb) if own.form == Form::Base => 10,
            (Some(Tag::To), Class::Noun) => 2,
            (Some(Tag::Auxiliary), Class::Verb) if own.form != Form::Plural => 9,
            (Some(Tag::Pronoun), Class::Verb) => 5,
            (Some(Tag::Pronoun), Class::Adverb) => 2,
            (Some(Tag::Be), Class::Verb) => -8 + 5 * verb_form,
            (Some(Tag::Be), Class::Adjective) => 4,
            (Some(Tag::Have), Class::Verb) => -4 + 3 * verb_form,
            (Some(Tag::Adjective | Tag::Participle | Tag::Number), Class::Noun) => 3,
            (Some(Tag::Adjective | Tag::Participle | Tag::Number), Class::Verb) => -4,
            (Some(Tag::Noun), Class::Noun) => 1,
            (Some(Tag::Noun), Class::Verb) if object_follows => 3,
            (Some(Tag::Noun), Class::Verb) => -2 + verb_form,
            (Some(Tag::Noun), Class::Adjective) if !noun_follows => -1,
            (Some(Tag::Verb), Class::Noun | Class::Adverb | Class::Adjective) => 2,
            (Some(Tag::Verb), Class::Verb) => -4,
            (Some(Tag::Question), Class::Verb) => 1,
            (Some(Tag::Adverb), Class::Adjective | Class::Verb) => 1,
            _ => 0,
        };
        let from_after = match class {
            Class::Noun if after.is_none() => 2,
            Class::Noun if noun_follows => 1,
            Class::Adjective if noun_follows || modifier_follows => 4,
            Class::Adjective if after.is_none() => -1,
            Class::Verb if object_follows => 3,
            Class::Adverb if noun_follows => -2,
            _ => 0,
        };
        let prior = if class == Class::Noun { 2 } else { 0 };
        own.weight(class) + prior + from_before + from_after
    };
    let best = Class::ALL.into_iter().rev().max_by_key(|&class| points(class)).unwrap_or(Class::Noun);
    match best {
        Class::Noun => Tag::Noun,
        Class::Adjective => Tag::Adjective,
        Class::Adverb => Tag::Adverb,
        Class::Verb => match own.form {
            Form::Ing | Form::Past => verb_form_tag(own.form, before, noun_follows || modifier_follows, object_follows),
            Form::Base | Form::Plural => Tag::Verb,
        },
    }
}

/// Whether a form in -ing or -ed is a verb, describes a noun, or is one.
fn verb_form_tag(form: Form, before: Option<Tag>, noun_follows: bool, object_follows: bool) -> Tag {
    match before {
        Some(Tag::Be | Tag::Have | Tag::Auxiliary | Tag::Pronoun) => Tag::Verb,
        Some(Tag::Noun) if form == Form::Past => Tag::Verb,
        _ if noun_follows => Tag::Participle,
        _ if object_follows => Tag::Verb,
        // `scuba diving`.
        _ if form == Form::Ing => Tag::Noun,
        _ => Tag::Verb,
    }
}
