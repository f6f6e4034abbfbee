//! How well finders find: recall and precision on made-up sentences with labels, made by a seeded generator.
//!
//! A labelled part is found if a hit of its sort overlaps it; a hit is right if it overlaps a label of its sort. Half of the
//! sentences hold numbers that are none of it: prices, days, orders, versions, books. Nobody in them is real.

use std::fmt::Write as _;

use super::tests::finders;
use super::{FINDERS, Finder, number};

/// A generator of numbers; the core's own draws from a stream that is too slow for this many.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len() as u64) as usize]
    }

    /// A pattern: `#` any digit, `%` one from 2 to 9, `!` one from 1 to 9, `?` a lower-case letter, `^` an upper-case one, `h` after a
    /// backslash a hexadecimal digit.
    fn fill(&mut self, pattern: &str) -> String {
        let mut letters = pattern.chars();
        let mut text = String::new();
        while let Some(letter) = letters.next() {
            let digit = |number: u64| char::from(b'0' + number as u8);
            text.push(match letter {
                '#' => digit(self.below(10)),
                '%' => digit(2 + self.below(8)),
                '!' => digit(1 + self.below(9)),
                '?' => char::from(b'a' + self.below(26) as u8),
                '^' => char::from(b'A' + self.below(26) as u8),
                '\\' if letters.next() == Some('h') => char::from_digit(self.below(16) as u32, 16).unwrap_or('0'),
                other => other,
            });
        }
        text
    }

    fn email(&mut self) -> String {
        let pattern = self.of(&[
            "????.?????@???????.com",
            "?????+???@mail.????.co.uk",
            "??????##@?????.org",
            "?-?????@???-???.de",
            "?_???@sub.????.????.net",
            "????????%40????.com",
            "^????.^?????@^????.com",
            "???#####@??????.edu",
            "o'????@?????.ie",
            "????@???.xn--p1ai",
        ]);
        // The sign of a percent-encoded one is no digit here.
        let text = pattern.replace("%40", "\u{1}");
        self.fill(&text).replace('\u{1}', "%40")
    }

    fn card(&mut self) -> String {
        let (prefix, length): (&str, usize) = [
            ("4", 16),
            ("4", 13),
            ("51", 16),
            ("55", 16),
            ("2221", 16),
            ("34", 15),
            ("37", 15),
            ("6011", 16),
            ("65", 16),
            ("3528", 16),
            ("36", 14),
            ("38", 14),
            ("300", 14),
            ("5018", 12),
            ("6304", 16),
            ("62", 19),
            ("2131", 15),
            ("4", 19),
        ][self.below(18) as usize];
        let mut digits: Vec<u32> = prefix.chars().filter_map(|digit| digit.to_digit(10)).collect();
        while digits.len() + 1 < length {
            digits.push(self.below(10) as u32);
        }
        let sum: u32 = digits
            .iter()
            .rev()
            .enumerate()
            .map(|(at, &digit)| if at % 2 == 0 { [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][digit as usize] } else { digit })
            .sum();
        digits.push((10 - sum % 10) % 10);
        let text: String = digits.iter().map(ToString::to_string).collect();
        let mark = self.of(&["", "", " ", "-"]);
        let groups: &[usize] = match length {
            15 => &[4, 6, 5],
            14 => &[4, 6, 4],
            _ => &[4, 4, 4, 4, 4],
        };
        let (mut grouped, mut from) = (String::new(), 0);
        for &size in groups {
            let to = (from + size).min(text.len());
            if from < to {
                let _ = write!(grouped, "{}{}", if from == 0 { "" } else { mark }, &text[from..to]);
            }
            from = to;
        }
        grouped
    }

    fn iban(&mut self) -> String {
        let pattern = self.of(&[
            "DE##################",
            "GB^^^^##############",
            "FR####################^##",
            "ES####################",
            "IT^######################",
            "NL^^^^##########",
            "CH#################",
            "NO###########",
            "MT^^^^##################^^^####",
            "PL########################",
            "SE####################",
            "BE############",
        ]);
        let pattern = if pattern.starts_with("FR") {
            "FR#######################"
        } else if pattern.starts_with("MT") {
            "MT^^^^#######################"
        } else {
            pattern
        };
        let body = self.fill(pattern);
        let (country, rest) = body.split_at(2);
        let value = |text: &str| {
            text.bytes().fold(0u64, |sum, byte| match byte {
                b'0'..=b'9' => (10 * sum + u64::from(byte - b'0')) % 97,
                letter => (100 * sum + u64::from(letter - b'A') + 10) % 97,
            })
        };
        let check = 98 - value(&format!("{rest}{country}00"));
        let whole = format!("{country}{check:02}{rest}");
        match self.below(3) {
            0 => whole
                .as_bytes()
                .chunks(4)
                .map(|chunk| String::from_utf8_lossy(chunk).into_owned())
                .collect::<Vec<_>>()
                .join(" "),
            1 => whole.to_lowercase(),
            _ => whole,
        }
    }

    fn ssn(&mut self) -> String {
        let area = loop {
            let area = 1 + self.below(899);
            if area != 666 {
                break area;
            }
        };
        let (group, serial) = (1 + self.below(99), 1 + self.below(9999));
        let mark = self.of(&["-", "-", "-", " "]);
        format!("{area:03}{mark}{group:02}{mark}{serial:04}")
    }

    fn ip(&mut self) -> String {
        match self.below(4) {
            0 => {
                let groups: Vec<String> = (0..8).map(|_| format!("{:x}", self.below(65536))).collect();
                groups.join(":")
            }
            1 => {
                let pattern = self.of(&[
                    "2001:db8::\\h\\h",
                    "fe80::\\h\\h\\h:\\h\\h\\h\\h",
                    "::ffff:192.0.2.!#",
                    "2001:0db8:0000:0000:0000:ff00:00!#:83\\h\\h",
                    "fd\\h\\h:\\h\\h\\h::1",
                ]);
                self.fill(pattern)
            }
            _ => format!("{}.{}.{}.{}", 1 + self.below(254), self.below(256), self.below(256), 1 + self.below(254)),
        }
    }

    fn phone(&mut self) -> String {
        let pattern = self.of(&[
            "001-%##-%##-####",
            "001-%##-%##-####x###",
            "(%##)%##-####",
            "(%##)%##-####x####",
            "%##.%##.####",
            "%##.%##.####x##",
            "+1-%##-%##-####",
            "+1-%##-%##-####x#####",
            "%##-%##-####",
            "%##-%##-####x###",
            "%##%######",
            "1-%##-%##-####",
            "+1(%##)%##-####",
            "(%##) %##-####",
            "%## %## ####",
            "+1 %## %## ####",
            "###-###-####",
            "+44 (0)20 7### ####",
            "+44 20 7### ####",
            "020 7### ####",
            "07### ######",
            "01632 ######",
            "+44(0)161 496 ####",
            "+33 ! ## ## ## ##",
            "0! ## ## ## ##",
            "0!.##.##.##.##",
            "+49 30 ########",
            "030 ########",
            "0171 #######",
            "+49(0)30 ######",
            "+49-171-#######",
            "+39 02 ########",
            "+34 6## ### ###",
            "+34 6########",
            "+91 9#### #####",
            "+91-9#########",
            "9#### #####",
            "+86 13# #### ####",
            "13# #### ####",
            "03-####-####",
            "+81 3-####-####",
            "04## ### ###",
            "(02) #### ####",
            "+61 2 #### ####",
            "+55 11 9####-####",
            "(11) 9####-####",
            "06-########",
            "+31 6 ########",
            "08-### ### ##",
            "+46 8 ### ### ##",
            "+7 (495) ###-##-##",
            "8 (495) ###-##-##",
            "0044 20 7### ####",
            "%##-#### ",
            "+41 44 ### ## ##",
            "044 ### ## ##",
            "+1.%##.%##.####",
            "(%##) %##-#### ext. ##",
            "%##-%##-#### ext ###",
            "+90 212 ### ## ##",
            "0212 ### ## ##",
            "+380 ## ### ## ##",
            "0##########",
            "+##(#)##########",
            "+48 ### ### ###",
            "+353 1 ### ####",
            "+972-5#-###-####",
            "1 (%##) %##-####",
        ]);
        // A zero after a leading zero is no number of any country.
        let text = self.fill(pattern.trim_end());
        if text.starts_with("00") && !pattern.starts_with("00") { format!("07{}", &text[2..]) } else { text }
    }

    /// Numbers that are none of what is looked for.
    fn nothing(&mut self) -> String {
        let pattern = self.of(&[
            "$!,###.##",
            "!##.## dollars",
            "20##-0!-1#",
            "0!/1#/20##",
            "1#.0!.20##",
            "order !#######",
            "order number %#########",
            "invoice INV-#####",
            "version !.#.##",
            "v!.#.#.#",
            "Firefox/!#.0.#.#",
            "ISBN 978-0-###-#####-#",
            "isbn 0!########",
            "1#:##:##",
            "room !##",
            "## people",
            "population !,###,###",
            "zip 9####-####",
            "item #!#####",
            "flight BA####",
            "model ^^-####",
            "#### x ####",
            "!##%",
            "page ##",
            "case 20##-^^-#####",
            "$%##,###",
            "!#.## km",
            "temperature -#.#",
            "chapter !.#",
            "part no. ###-#####",
            "tracking 1Z###^^######",
            "amazon order 11#-#######-#######",
            "serial ^^#######^",
            "score ##-##",
            "19## - 20##",
            "sku ########",
            "ratio #.#####",
            "### ### visits",
            "5, 10, 15, 20",
            "ticket #######",
            "iso 90##:20##",
            "windows 1#",
            "£##.##",
            "timestamp 1##########",
            "1##########00",
            "20##0!1#",
            "bus ###",
            "1/# cup",
            "account ########",
            "build ####.!#",
        ]);
        self.fill(pattern)
    }
}

const BEFORE: [&str; 14] = [
    "",
    "please look at ",
    "my number is ",
    "he wrote ",
    "see ",
    "the new one: ",
    "contact ",
    "for ",
    "(",
    "I found ",
    "ask about ",
    "is ",
    "search ",
    "Dear all, ",
];
const AFTER: [&str; 11] =
    ["", ".", " please", ", thanks", " in springfield", ")", "!", " and more", "; then go", " - urgent", "?"];

/// How many sentences.
const SENTENCES: usize = 20_000;

#[test]
fn recall_and_precision_on_made_up_sentences() {
    let sorts = ["email", "card", "iban", "ssn", "ip", "phone"];
    let least = [(0.99, 0.99), (0.99, 0.95), (0.99, 0.99), (0.99, 0.95), (0.98, 0.90), (0.95, 0.90)];
    let (finders, mut draw) = (finders(), Draw(88_172_645_463_325_252));
    // Labels, labels found, hits, right hits.
    let mut counts = [[0u32; 4]; 6];
    let (mut missed, mut wrong) = (Vec::new(), Vec::new());
    for _ in 0..SENTENCES {
        let sort = draw.below(12) as usize;
        let (before, after) = (draw.of(&BEFORE), draw.of(&AFTER));
        let middle = match sort {
            0 => draw.email(),
            1 => draw.card(),
            2 => draw.iban(),
            3 => draw.ssn(),
            4 => draw.ip(),
            5 => draw.phone(),
            _ => draw.nothing(),
        };
        let other = if draw.below(3) == 0 { format!(" ({})", draw.nothing()) } else { String::new() };
        let text = format!("{before}{middle}{after}{other}");
        let label = before.len()..before.len() + middle.len();
        let hits = finders.find_plainly(&text);
        for (at, name) in sorts.iter().enumerate() {
            let own = hits.iter().filter(|hit| Some(hit.finder) == number(name));
            let overlaps: Vec<bool> =
                own.map(|hit| at == sort && hit.start < label.end && label.start < hit.end).collect();
            let right = overlaps.iter().filter(|overlaps| **overlaps).count() as u32;
            counts[at][0] += u32::from(at == sort);
            counts[at][1] += u32::from(right > 0);
            counts[at][2] += overlaps.len() as u32;
            counts[at][3] += right;
            if at == sort && right == 0 {
                missed.push(format!("{name}: {text}"));
            }
            if right < overlaps.len() as u32 {
                wrong.push(format!("{name}: {text}"));
            }
        }
    }
    let mut table = String::from("finder  labels  recall  precision\n");
    for (at, name) in sorts.iter().enumerate() {
        let [labels, found, all, right] = counts[at].map(f64::from);
        let _ = writeln!(table, "{name:6} {labels:7} {:7.4} {:10.4}", found / labels, right / all);
    }
    let some = |list: &[String]| list.iter().step_by(list.len() / 25 + 1).cloned().collect::<Vec<_>>().join("\n");
    let _ = writeln!(table, "missed\n{}\n\nwrong\n{}", some(&missed), some(&wrong));
    for (at, (recall, precision)) in least.into_iter().enumerate() {
        let [labels, found, all, right] = counts[at].map(f64::from);
        assert!(found / labels >= recall && right / all >= precision, "{}\n{table}", sorts[at]);
    }
}

#[test]
fn every_finder_is_linear() {
    // A text that is all anchors is looked at in time that grows with its length.
    let long = |piece: &str| piece.repeat(50_000 / piece.len());
    for piece in [
        "a@", "1 ", "12.", "a:", "GB82", "eyJ.", "token=", "sk-", "key:", "1-2-3 ", "mary ", "(1)", "12 a ", "::",
        "4111 ", "box 1 ", "%40", "x1", "-_.",
    ] {
        finders().find_plainly(&long(piece));
    }
    let _: [&Finder; super::COUNT] = FINDERS;
}
