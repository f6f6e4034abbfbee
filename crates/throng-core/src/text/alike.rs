//! Characters that look alike, or like nothing: what people read as one text, whatever its bytes.
//!
//! One place for everybody who must see through it: lists of what may never be published, ids that are one person's, host names.
//! The characters that are not seen are Unicode's Default_Ignorable_Code_Point, the marks of interlinear notes, the blank Braille
//! pattern, and all controls that are no blanks.

use unicode_normalization::UnicodeNormalization as _;

/// Whether a character is not seen: it has no width, only turns the direction, or fills a place.
pub fn is_unseen(letter: char) -> bool {
    (letter.is_control() && !letter.is_whitespace())
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// A text as people read it: letters of one width without case, digits as `0` to `9`, hyphens and dashes as `-`. In place of what is
/// not seen stands `unseen`, or nothing. All other marks stay.
pub fn folded(text: &str, unseen: Option<char>) -> String {
    let see = |letter: char| if is_unseen(letter) { unseen } else { Some(letter) };
    // ß is SS in capitals, and there is one capital letter for both kinds of sigma.
    let small = |letter: char| letter.to_uppercase().flat_map(char::to_lowercase);
    let once: String = text.nfkc().filter_map(see).flat_map(small).collect();
    let twice: String = once.nfkc().filter_map(see).map(|letter| digit(dash(letter))).collect();
    // A capital I with a dot.
    twice.replace("i\u{307}", "i")
}

/// A decimal digit of any script as that of ASCII; any other character as it is. Digits of other widths are none here: NFKC has
/// made them ASCII's.
pub fn digit(letter: char) -> char {
    if letter < ZEROS[0] {
        return letter;
    }
    let zero = ZEROS[ZEROS.partition_point(|zero| *zero <= letter) - 1];
    char::from_digit(u32::from(letter) - u32::from(zero), 10).unwrap_or(letter)
}

fn dash(letter: char) -> char {
    match letter {
        '\u{58a}'
        | '\u{5be}'
        | '\u{1400}'
        | '\u{1806}'
        | '\u{2010}'..='\u{2015}'
        | '\u{2043}'
        | '\u{2053}'
        | '\u{2212}'
        | '\u{2e17}'
        | '\u{2e1a}'
        | '\u{2e3a}'
        | '\u{2e3b}'
        | '\u{2e40}'
        | '\u{2e5d}'
        | '\u{301c}'
        | '\u{3030}'
        | '\u{30a0}'
        | '\u{10ead}'
        | '\u{2d7}' => '-',
        letter => letter,
    }
}

/// The zeros of all scripts (General_Category Nd), but those that NFKC makes another; nine digits follow each.
const ZEROS: [char; 58] = [
    '\u{660}',
    '\u{6f0}',
    '\u{7c0}',
    '\u{966}',
    '\u{9e6}',
    '\u{a66}',
    '\u{ae6}',
    '\u{b66}',
    '\u{be6}',
    '\u{c66}',
    '\u{ce6}',
    '\u{d66}',
    '\u{de6}',
    '\u{e50}',
    '\u{ed0}',
    '\u{f20}',
    '\u{1040}',
    '\u{1090}',
    '\u{17e0}',
    '\u{1810}',
    '\u{1946}',
    '\u{19d0}',
    '\u{1a80}',
    '\u{1a90}',
    '\u{1b50}',
    '\u{1bb0}',
    '\u{1c40}',
    '\u{1c50}',
    '\u{a620}',
    '\u{a8d0}',
    '\u{a900}',
    '\u{a9d0}',
    '\u{a9f0}',
    '\u{aa50}',
    '\u{abf0}',
    '\u{104a0}',
    '\u{10d30}',
    '\u{11066}',
    '\u{110f0}',
    '\u{11136}',
    '\u{111d0}',
    '\u{112f0}',
    '\u{11450}',
    '\u{114d0}',
    '\u{11650}',
    '\u{116c0}',
    '\u{11730}',
    '\u{118e0}',
    '\u{11950}',
    '\u{11c50}',
    '\u{11d50}',
    '\u{11da0}',
    '\u{16a60}',
    '\u{16ac0}',
    '\u{16b50}',
    '\u{1e140}',
    '\u{1e2f0}',
    '\u{1e950}',
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_read_the_same() {
        for (text, read) in [
            ("ACME", "acme"),
            ("Stra\u{df}e", "strasse"),
            ("STRASSE", "strasse"),
            ("\u{39f}\u{394}\u{39f}\u{3a3}", "\u{3bf}\u{3b4}\u{3bf}\u{3c3}"),
            ("\u{3bf}\u{3b4}\u{3bf}\u{3c2}", "\u{3bf}\u{3b4}\u{3bf}\u{3c3}"),
            ("\u{130}zmir", "izmir"),
            ("\u{ff15}\u{ff15}\u{ff15}\u{ff0d}\u{661}\u{662}", "555-12"),
            ("5\u{2011}1, \u{fb01}na!", "5-1, fina!"),
            ("a\u{202e}c\u{0}m\u{e0101}e", "acme"),
        ] {
            assert_eq!(folded(text, None), read, "{text:?}");
        }
        assert_eq!(folded("acme\u{200b}corp", Some(' ')), "acme corp");
    }

    #[test]
    fn every_script_has_ten_digits() {
        assert!(ZEROS.is_sorted());
        for zero in ZEROS {
            let digits: String = (0..10).filter_map(|more| char::from_u32(u32::from(zero) + more)).map(digit).collect();
            assert_eq!(digits, "0123456789");
        }
        assert_eq!(
            ['7', 'x', '\u{65f}', '\u{66a}', '\u{10ffff}'].map(digit),
            ['7', 'x', '\u{65f}', '\u{66a}', '\u{10ffff}']
        );
    }
}
