//! Words of addresses in one form: case, accents, punctuation, and the abbreviations of street types and of words of names.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::similar::similarity;

/// Types of streets: the word that is kept, then how else it is written.
const TYPES: &[&[&str]] = &[
    &["street", "st", "str", "strt", "steet", "stret"],
    &["road", "rd"],
    &["avenue", "ave", "av", "avn", "aven", "avenu"],
    &["lane", "ln", "la"],
    &["drive", "dr", "drv", "driv"],
    &["court", "ct", "crt"],
    &["place", "pl", "plc"],
    &["crescent", "cres", "cr", "crs", "cresc"],
    &["terrace", "tce", "ter", "terr"],
    &["parade", "pde", "prd"],
    &["highway", "hwy", "hway"],
    &["boulevard", "blvd", "bvd", "boul", "bd"],
    &["close", "cl", "clo"],
    &["square", "sq", "sqr"],
    &["way", "wy", "wky"],
    &["grove", "gr", "gro", "grv"],
    &["circuit", "cct", "circt"],
    &["circle", "cir", "circ"],
    &["parkway", "pkwy", "pky"],
    &["esplanade", "esp", "espl"],
    &["gardens", "gdns", "gdn", "garden"],
    &["quay", "qy"],
    &["rise", "ri"],
    &["row"],
    &["walk", "wlk"],
    &["alley", "aly", "ally"],
    &["mews"],
    &["loop"],
    &["path"],
    &["track", "trk"],
    &["trail", "trl"],
    &["view", "vw"],
    &["glen"],
    &["green", "grn"],
    &["bend"],
    &["hill"],
];

/// Words of names: the word that is kept, then how else it is written.
const OTHERS: &[&[&str]] = &[
    &["north", "n", "nth"],
    &["south", "s", "sth"],
    &["east", "e"],
    &["west", "w"],
    &["mount", "mt", "mnt"],
    &["saint", "st", "snt"],
    &["upper", "up", "upr"],
    &["lower", "lwr"],
    &["port", "pt"],
    &["point", "pnt"],
    &["heights", "hts", "hgts"],
    &["park", "pk"],
    &["junction", "jct", "jn"],
    &["fort", "ft"],
];

/// Words that stand before the number of a flat, which is no part of an address on a map.
const FLATS: &[&str] = &["flat", "unit", "apartment", "apt", "suite", "room", "level", "floor", "lot"];

/// The words of a text in lower case, without accents, cut at everything that is neither letter nor digit. What stands between digits of
/// a number (`5/83`, `12-14`) stays.
pub fn words(text: &str) -> Vec<String> {
    let plain: String =
        text.nfkd().filter(|&character| !is_combining_mark(character)).flat_map(char::to_lowercase).collect();
    let cleaned: String = plain
        .chars()
        .map(|character| match character {
            '’' | '\'' | '`' | '.' => '\u{1}',
            '–' => '-',
            '/' | '-' => character,
            _ if character.is_alphanumeric() => character,
            _ => ' ',
        })
        .filter(|&character| character != '\u{1}')
        .collect();
    let mut found = Vec::new();
    for word in cleaned.split(' ') {
        let is_number = word.starts_with(|first: char| first.is_ascii_digit());
        if is_number {
            found.extend(Some(word.trim_matches(['-', '/'])).filter(|word| !word.is_empty()).map(str::to_owned));
        } else {
            found.extend(word.split(['-', '/']).filter(|word| !word.is_empty()).map(str::to_owned));
        }
    }
    found
}

/// The type of street that a word names, in its full form.
pub fn street_type(word: &str) -> Option<&'static str> {
    TYPES.iter().find(|forms| forms.contains(&word)).map(|forms| forms[0])
}

/// The type of street whose full form a word is most like, and how alike they are.
pub fn nearest_type(word: &str) -> Option<(&'static str, f64)> {
    let likeness = |forms: &&[&'static str]| (forms[0], similarity(forms[0], word));
    TYPES.iter().map(likeness).fold(None, |best: Option<(&str, f64)>, next| match best {
        Some(best) if best.1 >= next.1 => Some(best),
        _ => Some(next),
    })
}

/// Whether a word stands before the number of a flat.
pub fn is_flat(word: &str) -> bool {
    FLATS.contains(&word)
}

fn other(word: &str) -> Option<&'static str> {
    OTHERS.iter().find(|forms| forms.contains(&word)).map(|forms| forms[0])
}

/// A name with its words in full: `mt albert` is `mount albert`.
pub fn name(words: &[String]) -> String {
    let full: Vec<&str> = words.iter().map(|word| other(word).unwrap_or(word)).collect();
    full.join(" ")
}

/// The name of a street and its type, in full: `st kilda rd` is `saint kilda` and `road`.
pub fn street(words: &[String]) -> (String, Option<&'static str>) {
    match words.split_last() {
        Some((last, before)) if !before.is_empty() => match street_type(last) {
            Some(kind) => (name(before), Some(kind)),
            // A direction may stand behind the type: `smith st north`.
            None => match (
                other(last).filter(|word| ["north", "south", "east", "west"].contains(word)),
                before.split_last(),
            ) {
                (Some(direction), Some((middle, first))) if !first.is_empty() && street_type(middle).is_some() => {
                    (format!("{} {direction}", name(first)), street_type(middle))
                }
                _ => (name(words), None),
            },
        },
        _ => (name(words), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn street_of(text: &str) -> (String, Option<&'static str>) {
        street(&words(text))
    }

    #[test]
    fn streets_in_full() {
        assert_eq!(street_of("Smith St."), ("smith".to_owned(), Some("street")));
        assert_eq!(street_of("ST KILDA RD"), ("saint kilda".to_owned(), Some("road")));
        assert_eq!(street_of("O’Connor Avenue"), ("oconnor".to_owned(), Some("avenue")));
        assert_eq!(street_of("Smith Street North"), ("smith north".to_owned(), Some("street")));
        assert_eq!(street_of("Broadway"), ("broadway".to_owned(), None));
        assert_eq!(street_of("The Parade"), ("the".to_owned(), Some("parade")));
        assert_eq!(street_of(""), (String::new(), None));
    }

    #[test]
    fn words_of_addresses() {
        assert_eq!(words("5/83a  Élan-Vital St., Mt. Albert"), ["5/83a", "elan", "vital", "st", "mt", "albert"]);
        assert_eq!(words("12–14 x"), ["12-14", "x"]);
        assert_eq!(name(&words("Mt. Albert-East")), "mount albert east");
    }
}
