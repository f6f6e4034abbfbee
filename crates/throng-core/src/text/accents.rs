//! Letters without their accents: `café` and `cafe` are the same word to whoever types it.
//!
//! Latin letters of European languages and Vietnamese, in lower case, and accents that stand apart. Other scripts stay as they are.

/// Adds a letter in lower case to a text, without its accent; ligatures become two letters.
pub fn push_plain(letter: char, out: &mut String) {
    if letter.is_ascii() {
        out.push(letter);
        return;
    }
    let plain = match letter {
        '\u{300}'..='\u{36f}' => "",
        'à'..='å' | 'ā' | 'ă' | 'ą' | 'ǎ' | '\u{1ea0}'..='\u{1eb7}' => "a",
        'æ' | 'ǽ' => "ae",
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' | '\u{1eb8}'..='\u{1ec7}' => "e",
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => "g",
        'ĥ' | 'ħ' => "h",
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' | '\u{1ec8}'..='\u{1ecb}' => "i",
        'ĵ' => "j",
        'ķ' => "k",
        'ĺ' | 'ļ' | 'ľ' | 'ŀ' | 'ł' => "l",
        'ñ' | 'ń' | 'ņ' | 'ň' => "n",
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' | 'ơ' | '\u{1ecc}'..='\u{1ee3}' => "o",
        'œ' => "oe",
        'ŕ' | 'ŗ' | 'ř' => "r",
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => "s",
        'ß' => "ss",
        'ţ' | 'ť' | 'ŧ' | 'ț' => "t",
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' | 'ư' | '\u{1ee4}'..='\u{1ef1}' => "u",
        'ŵ' => "w",
        'ý' | 'ÿ' | 'ŷ' | '\u{1ef2}'..='\u{1ef9}' => "y",
        'ź' | 'ż' | 'ž' => "z",
        'þ' => "th",
        _ => {
            out.push(letter);
            return;
        }
    };
    out.push_str(plain);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_are_taken_off() {
        let plain = |text: &str| {
            let mut out = String::new();
            text.chars().for_each(|letter| push_plain(letter, &mut out));
            out
        };
        assert_eq!(plain("café crème brûlée"), "cafe creme brulee");
        assert_eq!(plain("cafe\u{301} phở œuvre straße smørrebrød łódź"), "cafe pho oeuvre strasse smorrebrod lodz");
        assert_eq!(plain("咖啡 кофе"), "咖啡 кофе");
    }
}
