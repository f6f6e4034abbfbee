//! Accounts: what a method and the run around it counted, under names that a certificate keeps.
//!
//! A counter is a constant below and its line in [`ALL`]. Whoever counts names it, whoever shows it names it, and nobody in
//! between knows which counters there are.

use std::borrow::Cow;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// Something that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Account {
    /// Its name in a certificate.
    pub name: &'static str,
    /// One line on what is counted.
    pub summary: &'static str,
    /// The same as a sentence for people, to say what was left out and why: `{n}` stands for the count; `{person}`, `{row}` and other
    /// nouns, and `{is}`, follow it. Empty if it is nothing that was left out, or if another count says it.
    pub words: &'static str,
    /// Whether a certificate names it also where nothing was counted.
    pub always: bool,
}

/// Rows removed before anything else, because they say what may never be published.
pub const ROWS_BARRED: Account = Account {
    name: "rows_barred",
    summary: "rows, items or terms removed before anything else, because they say what may never be published (`--drop`, or \
              `leave-out` in a policy)",
    words: "{n} {row} {is} left out: the list of what may never be published, or the policy, names them.",
    always: false,
};

/// Persons of whom nothing was left then.
pub const PERSONS_BARRED: Account = Account {
    name: "persons_barred",
    summary: "persons of whom no row was left then",
    words: "Of {n} {person} nothing was left then.",
    always: false,
};

/// Items that a policy made more general before anything else.
pub const ITEMS_GENERALISED: Account = Account {
    name: "items_generalised",
    summary: "items made more general before anything else, because they say what a policy wants to be generalised",
    words: "{n} {row} {is} made more general: the policy says so.",
    always: false,
};

/// Persons who are not in the sample that was drawn.
pub const PERSONS_NOT_SAMPLED: Account = Account {
    name: "persons_not_sampled",
    summary: "persons who are not in the sample that was drawn first (`--sample`); no promise rests on who they are",
    words: "{n} {person} {is} not in the release: only a sample of all was drawn and protected. No promise rests on that.",
    always: false,
};

/// Persons who were held out before anything else.
pub const PERSONS_HELD_OUT: Account = Account {
    name: "persons_held_out",
    summary: "persons held out before anything else, so that attacks can be tried on people who took no part (`--held-out-persons`)",
    words: "{n} {person} {is} not in the release: held out, to try attacks on people who took no part.",
    always: false,
};

/// Persons of the original that are not in the release.
pub const PERSONS_DROPPED: Account = Account {
    name: "persons_dropped",
    summary: "persons of the original that are not in the release",
    words: "{n} {person} {is} not in the release: nothing was left of what they have that enough people share.",
    always: true,
};

/// Of those, persons in whose data no concept was found.
pub const PERSONS_WITHOUT_CONCEPT: Account = Account {
    name: "persons_without_concept",
    summary: "of those, persons in whose data no concept was found, where a method goes by meaning",
    words: "Of {n} {person} the meaning of no word is known: none is in the taxonomy.",
    always: false,
};

/// Groups of which nothing could be published.
pub const GROUPS_EMPTY: Account = Account {
    name: "groups_empty",
    summary: "groups of which nothing could be published, where what lines say has a threshold; their persons are not in the release",
    words: "{n} {group} {is} left out: nothing that their members say may be published.",
    always: false,
};

/// Groups of sessions or lines.
pub const GROUPS_MADE: Account = Account {
    name: "groups_made",
    summary: "groups of sessions or lines of an access log, where these are hidden and not visitors",
    words: "",
    always: false,
};

/// Groups of sessions or lines that are one visitor's.
pub const GROUPS_OF_ONE: Account = Account {
    name: "groups_of_one",
    summary: "groups of sessions or lines that are all of one visitor, who hides among nobody there",
    words: "",
    always: false,
};

/// Groups of humans and bots together.
pub const GROUPS_WITH_BOTS: Account = Account {
    name: "groups_with_bots",
    summary: "groups of humans and declared bots together: a bot is no person to hide among",
    words: "",
    always: false,
};

/// Lines of records that expose a member above 100 / k.
pub const LINES_ABOVE_CAP: Account = Account {
    name: "lines_above_cap",
    summary: "lines of records that expose a member above 100 / k, where a record is too short to avoid it; each group's record \
              counts once",
    words: "",
    always: false,
};

/// Rows that the method suppressed.
pub const ROWS_DROPPED: Account = Account {
    name: "rows_dropped",
    summary: "rows that the method suppressed",
    words: "{n} {row} {is} left out: too few {persons} have them, or too few of those in the same crowd.",
    always: true,
};

/// Rows of a table that are in no class.
pub const ROWS_SUPPRESSED: Account = Account {
    name: "rows_suppressed",
    summary: "rows of a table that are left out, because no class that they could be in satisfies the models",
    words: "{n} {row} {is} left out: no class that they could be in satisfies what was asked for.",
    always: false,
};

/// Rows whose text nobody can put together.
pub const ROWS_UNREADABLE: Account = Account {
    name: "rows_unreadable",
    summary: "rows of the original whose text nobody can put together from the shares that are published: too few persons have it, or it \
              says nothing",
    words: "{n} {row} cannot be read by anybody: too few {persons} have the other shares.",
    always: false,
};

/// Malformed lines that were skipped on request.
pub const ROWS_REFUSED: Account = Account {
    name: "rows_refused",
    summary: "malformed lines that were skipped on request",
    words: "{n} malformed {line} could not be read, and {is} left out as asked.",
    always: true,
};

/// Rows of which a part was taken out, because it names or unlocks a single person.
pub const ROWS_MASKED: Account = Account {
    name: "rows_masked",
    summary: "rows of the release out of which finders took something that names, reaches or unlocks a single person (`--scrub`)",
    words: "Out of {n} {row} something {is} taken that names, reaches or unlocks a single person.",
    always: false,
};

/// Of those, rows of which nothing was left.
pub const ROWS_EMPTIED: Account = Account {
    name: "rows_emptied",
    summary: "of those, rows of which nothing was left, which are not in the release",
    words: "{n} of them {is} left out: nothing else was in them.",
    always: false,
};

/// Rows of an access log that name who had logged in.
pub const USERS_LEFT_OUT: Account = Account {
    name: "users_left_out",
    summary: "lines of an access log that name who had logged in, which is never published",
    words: "{n} {row} {has} the name of somebody who had logged in: it is never published.",
    always: false,
};

/// Rows of an access log whose query string is not published.
pub const QUERY_STRINGS_LEFT_OUT: Account = Account {
    name: "query_strings_left_out",
    summary: "lines of an access log that have a query string, where none is published (`--query-strings`)",
    words: "{n} {row} {has} a query string, and the release has none.",
    always: false,
};

/// Columns of a table that name people.
pub const IDENTIFIERS_LEFT_OUT: Account = Account {
    name: "identifiers_left_out",
    summary: "columns of a table that name persons (`identifier`), which are never published",
    words: "{n} {column} {is} left out: what names persons is never published.",
    always: false,
};

/// Clicked pages that have no site in their place.
pub const SITES_LOST: Account = Account {
    name: "sites_lost",
    summary: "clicked pages of the original that have no site in their place in the release: nothing that one can register is \
              common to enough clicks",
    words: "{n} clicked {page} {is} left out: those who searched for the same have no site in common.",
    always: false,
};

/// Ranks of clicks that have none in their place.
pub const RANKS_LOST: Account = Account {
    name: "ranks_lost",
    summary: "ranks of clicks of the original that have none in their place in the release, for the same reason",
    words: "{n} {rank} of clicks {is} left out, for the same reason.",
    always: false,
};

/// Accounts that are probably those of fewer persons.
pub const ACCOUNTS_ALIKE: Account = Account {
    name: "accounts_alike",
    summary: "accounts of the original that are probably one person's with others, by what they share; of search logs",
    words: "",
    always: false,
};

/// Different items that the taxonomy does not know.
pub const ITEMS_UNKNOWN: Account = Account {
    name: "items_unknown",
    summary: "different items, or phrases where a method goes by meaning, that the taxonomy does not know",
    words: "",
    always: false,
};

/// How often those occur.
pub const OCCURRENCES_UNKNOWN: Account =
    Account { name: "occurrences_unknown", summary: "how often those occur", words: "", always: false };

/// Items of persons that have none in their place in the release.
pub const OCCURRENCES_SUPPRESSED: Account = Account {
    name: "occurrences_suppressed",
    summary: "items of persons, copies included, that have none in their place in the release",
    words: "",
    always: false,
};

/// Edges from a node to itself.
pub const LOOPS_LEFT_OUT: Account = Account {
    name: "loops_left_out",
    summary: "edges of a graph from a node to itself, which are left out",
    words: "{n} {row} from somebody to themselves {is} left out.",
    always: false,
};

/// Edges that stood in the file more than once.
pub const EDGES_REPEATED: Account = Account {
    name: "edges_repeated",
    summary: "edges of a graph that stand in the file once more in the same direction; each counts once",
    words: "",
    always: false,
};

/// Edges that stood in the file in both directions.
pub const EDGES_REVERSED: Account = Account {
    name: "edges_reversed",
    summary: "edges of a graph that stand in the file in the other direction, too; both are one edge",
    words: "",
    always: false,
};

/// Edges that a lowered count does not show.
pub const EDGES_WITHHELD: Account = Account {
    name: "edges_withheld",
    summary: "edges of a graph that published counts do not show, so that no block is denser than was asked (`--max-confidence`)",
    words: "{n} {row} {is} not in the published counts: the blocks that they are in would be too dense.",
    always: false,
};

/// Blocks whose count was lowered.
pub const BLOCKS_LOWERED: Account = Account {
    name: "blocks_lowered",
    summary: "clusters and pairs of clusters whose published number of edges was lowered to the greatest that is allowed",
    words: "",
    always: false,
};

/// How often two people met and exchanged the rest of their paths.
pub const PATHS_EXCHANGED: Account = Account {
    name: "paths_exchanged",
    summary: "paths: how often two persons met and exchanged what they did from then on",
    words: "",
    always: false,
};

/// Everything that is counted, in the order of a certificate.
pub const ALL: &[Account] = &[
    ROWS_BARRED,
    PERSONS_BARRED,
    ITEMS_GENERALISED,
    PERSONS_NOT_SAMPLED,
    PERSONS_HELD_OUT,
    PERSONS_DROPPED,
    PERSONS_WITHOUT_CONCEPT,
    GROUPS_EMPTY,
    GROUPS_MADE,
    GROUPS_OF_ONE,
    GROUPS_WITH_BOTS,
    LINES_ABOVE_CAP,
    ROWS_DROPPED,
    ROWS_SUPPRESSED,
    ROWS_UNREADABLE,
    ROWS_REFUSED,
    ROWS_MASKED,
    ROWS_EMPTIED,
    USERS_LEFT_OUT,
    QUERY_STRINGS_LEFT_OUT,
    IDENTIFIERS_LEFT_OUT,
    PATHS_EXCHANGED,
    SITES_LOST,
    RANKS_LOST,
    ACCOUNTS_ALIKE,
    ITEMS_UNKNOWN,
    OCCURRENCES_UNKNOWN,
    OCCURRENCES_SUPPRESSED,
    LOOPS_LEFT_OUT,
    EDGES_REPEATED,
    EDGES_REVERSED,
    EDGES_WITHHELD,
    BLOCKS_LOWERED,
];

/// What was counted, by name, in the order of [`ALL`]; what another version counted comes after it.
///
/// As JSON an object of numbers. What a newer version wrote there under a name of its own is kept; what is no count, such as
/// one that a report does not show, is left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Accounts(Vec<(Cow<'static, str>, u64)>);

impl Accounts {
    /// Nothing counted yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with this count, in place of one under the same name.
    #[must_use]
    pub fn with(mut self, account: Account, count: u64) -> Self {
        self.put(account.name.into(), count);
        self
    }

    /// The same with everything that others counted, in place of what has the same name.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        others.0.into_iter().for_each(|(name, count)| self.put(name, count));
        self
    }

    /// The same with nothing counted where a certificate names it all the same.
    #[must_use]
    pub fn complete(self) -> Self {
        let always = ALL.iter().filter(|account| account.always);
        always.fold(Self::new(), |all, &account| all.with(account, 0)).and(self)
    }

    /// What was counted, if it was.
    pub fn get(&self, account: Account) -> Option<u64> {
        self.iter().find(|&(name, _)| name == account.name).map(|(_, count)| count)
    }

    /// Names and counts.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(name, count)| (&**name, *count))
    }

    fn put(&mut self, name: Cow<'static, str>, count: u64) {
        let place = |name: &str| ALL.iter().position(|account| account.name == name).unwrap_or(ALL.len());
        match self.0.iter_mut().find(|(other, _)| *other == name) {
            Some((_, old)) => *old = count,
            None => {
                let at = self.0.partition_point(|(other, _)| place(other) <= place(&name));
                self.0.insert(at, (name, count));
            }
        }
    }
}

impl Serialize for Accounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Accounts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Reading)
    }
}

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = Accounts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of counts")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Accounts, A::Error> {
        let mut accounts = Accounts::new();
        while let Some((name, value)) = map.next_entry::<String, Value>()? {
            if let Some(count) = value.as_u64() {
                accounts.put(name.into(), count);
            }
        }
        Ok(accounts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_stand_in_the_order_of_a_certificate() {
        let counted = Accounts::new().with(LINES_ABOVE_CAP, 7).with(ROWS_DROPPED, 3).with(LINES_ABOVE_CAP, 8);
        let accounts = Accounts::new().with(ROWS_DROPPED, 1).with(ROWS_REFUSED, 2).and(counted).complete();
        let text = serde_json::to_string(&accounts).unwrap();
        assert_eq!(text, r#"{"persons_dropped":0,"lines_above_cap":8,"rows_dropped":3,"rows_refused":2}"#);
        assert_eq!((accounts.get(ROWS_DROPPED), accounts.get(GROUPS_EMPTY)), (Some(3), None));
        assert_eq!(serde_json::from_str::<Accounts>(&text).unwrap(), accounts);
    }

    #[test]
    fn a_newer_version_may_count_more() {
        let text = r#"{"moons_seen":4,"rows_refused":2,"by_colour":{"red":1},"rows_dropped":"<5","persons_dropped":1}"#;
        let accounts: Accounts = serde_json::from_str(text).unwrap();
        assert_eq!(
            accounts.iter().collect::<Vec<_>>(),
            [("persons_dropped", 1), ("rows_refused", 2), ("moons_seen", 4)]
        );
    }
}
