//! The words of a PDF: the strings that its pages show, turned into text by their fonts.
//!
//! Paper      ISO 32000-1 (PDF 1.7), chapter 9.
//!
//! # Idea
//! `hayro-syntax` reads the file; a page is a list of operators. Strings are codes of a font: its `ToUnicode` table says
//! which characters they are, else its encoding and the names of its glyphs do. Where the next string begins, compared with
//! where the last one ended, says whether a word, a line or nothing is between them.
//!
//! # Readings
//! A gap of more than a fifth of the font's size is a blank, half of it up or down is a line end. A hyphen at the end of a
//! line belongs to a broken word if the next line begins with a small letter. Fonts of two-byte codes without `ToUnicode`
//! say nothing about their text and give none. Invisible text, as programs that read scans put under them, is text.
//!
//! # Cost
//! Time and memory O(content of the pages), which has limits: see [`crate::limits`]. A damaged file is an error, never a panic: what the reader does not survive is
//! caught.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use hayro_cmap::{BfString, CMap};
use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::{Array, Dict, Name, Number, Object, Stream};
use hayro_syntax::page::Resources;
use hayro_syntax::{LoadPdfError, Pdf};
use throng_core::{Error, Result};

use super::pdf_streams::{Room, unpacks_beyond};
use super::plain::windows_1252;
use crate::limits::{MOST_OPERATORS, MOST_SHOWN_BYTES, MOST_STREAM_BYTES, MOST_TEXT_BYTES};

/// Forms may show forms, no deeper than this.
const DEEPEST: u32 = 8;

/// The text of a PDF.
pub(super) fn to_text(bytes: Vec<u8>) -> Result<String> {
    let damaged = || {
        Error::data("the PDF is damaged and cannot be read")
            .with_hint("fetch it again, or leave such files out with `--bad-lines skip`")
    };
    let too_much = |what: String| {
        Error::data(format!("the PDF has more than {what}"))
            .with_hint("no document is as long; leave such files out with `--bad-lines skip`")
    };
    if unpacks_beyond(&bytes, MOST_STREAM_BYTES) {
        return Err(too_much(format!("{} MiB when unpacked", MOST_STREAM_BYTES >> 20)));
    }
    let shown = catch_unwind(AssertUnwindSafe(|| read(bytes))).map_err(|_| damaged())?;
    if let Some(what) = shown.as_ref().ok().and_then(Shown::beyond) {
        return Err(too_much(what));
    }
    match shown.map(|shown| shown.text) {
        Err(LoadPdfError::Decryption(_)) => Err(Error::data("the PDF is protected by a password")
            .with_hint("save it without one, or leave such files out with `--bad-lines skip`")),
        Err(LoadPdfError::Invalid) => Err(damaged()),
        Ok(text) if !text.contains(char::is_alphanumeric) => Err(Error::data("the PDF holds no text").with_hint(
            "it may be a scan: run it through a program that recognises text, or leave such files out with \
                 `--bad-lines skip`",
        )),
        Ok(text) => Ok(text),
    }
}

fn read(bytes: Vec<u8>) -> std::result::Result<Shown, LoadPdfError> {
    let pdf = Pdf::new(bytes)?;
    let mut shown = Shown::default();
    for page in pdf.pages().iter() {
        shown.line_end();
        let mut state = State::default();
        let contents = page.raw();
        let single = contents.get::<Stream<'_>>("Contents");
        let several = contents.get::<Array<'_>>("Contents").filter(|_| single.is_none());
        let several = several.iter().flat_map(|array| array.iter::<Stream<'_>>());
        let mut operators = Vec::new();
        for stream in single.into_iter().chain(several) {
            operators.extend_from_slice(&shown.unpack(&stream));
            // An operator does not go on in the next stream.
            operators.push(b' ');
        }
        content(&operators, page.resources(), &mut state, &mut shown, 0);
    }
    Ok(shown)
}

/// A matrix of the plane: a b c d e f, as PDF writes it.
#[derive(Clone, Copy)]
struct Matrix([f64; 6]);

impl Matrix {
    const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    fn of(numbers: [Number; 6]) -> Self {
        Self(numbers.map(|number| number.as_f64()))
    }

    /// First this, then the other.
    fn then(self, other: Self) -> Self {
        let ([a, b, c, d, e, f], [p, q, r, s, t, u]) = (self.0, other.0);
        Self([a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u])
    }

    fn moved(self, right: f64, up: f64) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, right, up]).then(self)
    }

    /// How long an upright stroke of length 1 becomes.
    fn height(self) -> f64 {
        self.0[2].hypot(self.0[3])
    }
}

/// What operators have set.
#[derive(Clone)]
struct State {
    page: Matrix,
    text: Matrix,
    line: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    letter_space: f64,
    word_space: f64,
    stretch: f64,
    leading: f64,
}

impl Default for State {
    fn default() -> Self {
        Self {
            page: Matrix::IDENTITY,
            text: Matrix::IDENTITY,
            line: Matrix::IDENTITY,
            font: None,
            size: 1.0,
            letter_space: 0.0,
            word_space: 0.0,
            stretch: 1.0,
            leading: 0.0,
        }
    }
}

impl State {
    fn next_line(&mut self, right: f64, up: f64) {
        self.line = self.line.moved(right, up);
        self.text = self.line;
    }

    fn advance(&mut self, width: f64) {
        self.text = self.text.moved(width * self.stretch, 0.0);
    }
}

/// Reads the operators of a page or form.
fn content(bytes: &[u8], resources: &Resources<'_>, state: &mut State, shown: &mut Shown, depth: u32) {
    let mut fonts: BTreeMap<Vec<u8>, Option<Rc<Font>>> = BTreeMap::new();
    let mut stack: Vec<State> = Vec::new();
    let mut operators = TypedIter::new(bytes);
    while let Some(operator) = operators.next() {
        shown.operators += 1;
        if shown.beyond().is_some() {
            return;
        }
        match operator {
            TypedInstruction::SaveState(_) => stack.push(state.clone()),
            TypedInstruction::RestoreState(_) => *state = stack.pop().unwrap_or_else(|| state.clone()),
            TypedInstruction::Transform(to) => {
                state.page = Matrix::of([to.0, to.1, to.2, to.3, to.4, to.5]).then(state.page);
            }
            TypedInstruction::BeginText(_) => (state.text, state.line) = (Matrix::IDENTITY, Matrix::IDENTITY),
            TypedInstruction::TextFont(to) => {
                let load = || resources.get_font(to.0).map(|font| Rc::new(Font::of(&font, shown)));
                state.font = fonts.entry(to.0.as_ref().to_vec()).or_insert_with(load).clone();
                state.size = to.1.as_f64();
            }
            TypedInstruction::CharacterSpacing(to) => state.letter_space = to.0.as_f64(),
            TypedInstruction::WordSpacing(to) => state.word_space = to.0.as_f64(),
            TypedInstruction::HorizontalScaling(to) => state.stretch = to.0.as_f64() / 100.0,
            TypedInstruction::TextLeading(to) => state.leading = to.0.as_f64(),
            TypedInstruction::NextLine(to) => state.next_line(to.0.as_f64(), to.1.as_f64()),
            TypedInstruction::NextLineAndSetLeading(to) => {
                state.leading = -to.1.as_f64();
                state.next_line(to.0.as_f64(), to.1.as_f64());
            }
            TypedInstruction::SetTextMatrix(to) => {
                state.line = Matrix::of([to.0, to.1, to.2, to.3, to.4, to.5]);
                state.text = state.line;
            }
            TypedInstruction::NextLineUsingLeading(_) => state.next_line(0.0, -state.leading),
            TypedInstruction::ShowText(string) => shown.string(string.0, state),
            TypedInstruction::NextLineAndShowText(string) => {
                state.next_line(0.0, -state.leading);
                shown.string(string.0, state);
            }
            TypedInstruction::ShowTextWithParameters(string) => {
                (state.word_space, state.letter_space) = (string.0.as_f64(), string.1.as_f64());
                state.next_line(0.0, -state.leading);
                shown.string(string.2, state);
            }
            TypedInstruction::ShowTexts(strings) => {
                for object in strings.0.iter::<Object<'_>>() {
                    match object {
                        Object::String(string) => shown.string(&string, state),
                        Object::Number(number) => state.advance(-number.as_f64() / 1000.0 * state.size),
                        _ => {}
                    }
                }
            }
            TypedInstruction::XObject(name) if depth < DEEPEST => {
                if let Some(form) = resources.get_x_object(name.0) {
                    show_form(&form, resources, state, shown, depth);
                }
            }
            _ => {}
        }
    }
}

fn show_form(form: &Stream<'_>, resources: &Resources<'_>, state: &State, shown: &mut Shown, depth: u32) {
    let dict = form.dict();
    if dict.get::<Name<'_>>("Subtype").is_none_or(|name| name.as_ref() != b"Form") {
        return;
    }
    let bytes = shown.unpack(form);
    let mut inner = state.clone();
    let numbers: Vec<Number> = dict.get::<Array<'_>>("Matrix").iter().flat_map(|array| array.iter()).collect();
    if let Ok(matrix) = <[Number; 6]>::try_from(numbers) {
        inner.page = Matrix::of(matrix).then(inner.page);
    }
    match dict.get::<Dict<'_>>("Resources") {
        Some(own) => content(&bytes, &Resources::new(own), &mut inner, shown, depth + 1),
        None => content(&bytes, resources, &mut inner, shown, depth + 1),
    }
}

/// The text so far, and where it ended on the page.
struct Shown {
    text: String,
    /// Where the last string ended. How far to the right is not known if its font does not say how wide its letters are.
    end: Option<(Option<f64>, f64)>,
    operators: u64,
    room: Room,
    /// Whether a stream was left out because there was no room for it.
    is_full: bool,
}

impl Default for Shown {
    fn default() -> Self {
        Self { text: String::new(), end: None, operators: 0, room: Room(MOST_SHOWN_BYTES), is_full: false }
    }
}

impl Shown {
    /// What a stream holds; nothing if it is damaged or there is no room for it.
    fn unpack<'a>(&mut self, stream: &Stream<'a>) -> Cow<'a, [u8]> {
        // A single one has no more room than all that the file holds.
        let mut room = Room(self.room.0.min(MOST_STREAM_BYTES));
        let before = room.0;
        let unpacked = room.unpack(stream);
        self.room.0 -= before - room.0;
        self.is_full |= unpacked.is_err();
        unpacked.ok().flatten().unwrap_or_default()
    }

    /// Which limit was passed, if one was.
    fn beyond(&self) -> Option<String> {
        if self.is_full {
            let (all, one) = (MOST_SHOWN_BYTES >> 20, MOST_STREAM_BYTES >> 20);
            Some(format!("{one} MiB in a part when unpacked, or {all} MiB in all that its pages show"))
        } else if self.text.len() > MOST_TEXT_BYTES {
            Some(format!("{} MiB of text", MOST_TEXT_BYTES >> 20))
        } else {
            (self.operators > MOST_OPERATORS).then(|| format!("{} million operators", MOST_OPERATORS / 1_000_000))
        }
    }

    fn string(&mut self, bytes: &[u8], state: &mut State) {
        let Some(font) = state.font.clone() else { return };
        let start = self.text.len();
        let place = state.text.then(state.page);
        let mut string = String::new();
        let mut is_known = true;
        for (code, text) in font.letters(bytes) {
            string.push_str(&text);
            let width = font.width(code);
            is_known &= width.is_some();
            let word_space = if !font.is_wide && code == 32 { state.word_space } else { 0.0 };
            state.advance(width.unwrap_or(0.5) * state.size + state.letter_space + word_space);
        }
        if string.is_empty() {
            return;
        }
        if start > 0 {
            self.gap(place, state.size, &string);
        }
        self.text.push_str(&string);
        let end = state.text.then(state.page).0;
        self.end = Some((is_known.then_some(end[4]), end[5]));
    }

    /// Puts between two strings what is between them on the page.
    fn gap(&mut self, place: Matrix, size: f64, next: &str) {
        let height = (place.height() * size).abs().max(1e-6);
        let Some((x, y)) = self.end else { return self.line_end() };
        if (place.0[5] - y).abs() > 0.5 * height {
            let is_broken = self.text.ends_with('-')
                && self.text[..self.text.len() - 1].ends_with(char::is_alphabetic)
                && next.starts_with(char::is_lowercase);
            if is_broken {
                self.text.pop();
            } else {
                self.line_end();
            }
        } else if x.is_none_or(|x| (place.0[4] - x).abs() > 0.2 * height) {
            self.text.push(' ');
        }
    }

    fn line_end(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.end = None;
    }
}

/// How the codes of a font become text.
struct Font {
    to_unicode: Option<CMap>,
    /// Whether codes have two bytes.
    is_wide: bool,
    /// For codes of one byte: what they are.
    letters: Vec<String>,
    /// How wide letters are, in thousandths of the size.
    widths: BTreeMap<u32, f64>,
    default_width: Option<f64>,
}

impl Font {
    fn of(dict: &Dict<'_>, shown: &mut Shown) -> Self {
        let is_name = |key: &str, value: &[u8]| dict.get::<Name<'_>>(key).is_some_and(|name| name.as_ref() == value);
        let is_wide = is_name("Subtype", b"Type0");
        let to_unicode = dict.get::<Stream<'_>>("ToUnicode").map(|stream| shown.unpack(&stream));
        let to_unicode = to_unicode.and_then(|bytes| CMap::parse(&bytes, |_| None));
        let (widths, default_width) = if is_wide {
            let descendant = dict.get::<Array<'_>>("DescendantFonts").and_then(|fonts| fonts.iter::<Dict<'_>>().next());
            descendant.map_or((BTreeMap::new(), None), |font| wide_widths(&font))
        } else {
            let first = dict.get::<Number>("FirstChar").map_or(0.0, |number| number.as_f64()).max(0.0) as u32;
            let widths = dict.get::<Array<'_>>("Widths");
            let widths = widths.iter().flat_map(|widths| widths.iter::<Number>()).map(|number| number.as_f64());
            // Glyphs of a font that is drawn have a measure of their own.
            let scale = dict.get::<Array<'_>>("FontMatrix").and_then(|matrix| matrix.iter::<Number>().next());
            let scale = scale.map_or(1.0, |number| number.as_f64() * 1000.0);
            ((first..first.saturating_add(256)).zip(widths.map(|width| width * scale)).collect(), None)
        };
        let letters = if is_wide { Vec::new() } else { encoding(dict) };
        Self { to_unicode, is_wide, letters, widths, default_width }
    }

    /// The codes of a string with the text of each.
    fn letters<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = (u32, String)> + 'a {
        let size = if self.is_wide { 2 } else { 1 };
        bytes.chunks(size).map(|code| {
            let code = code.iter().fold(0, |code, &byte| code << 8 | u32::from(byte));
            (code, self.text(code))
        })
    }

    fn text(&self, code: u32) -> String {
        let text = match self.to_unicode.as_ref().and_then(|table| table.lookup_bf_string(code)) {
            Some(BfString::Char(letter)) => letter.to_string(),
            Some(BfString::String(text)) => text,
            None => self.letters.get(code as usize).cloned().unwrap_or_default(),
        };
        // Ligatures are letters that happen to be printed as one.
        match text.as_str() {
            "\u{fb00}" => "ff",
            "\u{fb01}" => "fi",
            "\u{fb02}" => "fl",
            "\u{fb03}" => "ffi",
            "\u{fb04}" => "ffl",
            "\u{ad}" => "-",
            _ => return text.replace('\0', ""),
        }
        .to_owned()
    }

    fn width(&self, code: u32) -> Option<f64> {
        self.widths.get(&code).copied().or(self.default_width).map(|width| width / 1000.0)
    }
}

/// The widths of a font with two-byte codes: `first [w w w]` or `first last w`. Codes are taken for glyph numbers, as the
/// usual `Identity-H` has it.
fn wide_widths(font: &Dict<'_>) -> (BTreeMap<u32, f64>, Option<f64>) {
    let mut widths = BTreeMap::new();
    let list: Vec<Object<'_>> = font.get::<Array<'_>>("W").iter().flat_map(|list| list.iter()).collect();
    let number = |object: Option<&Object<'_>>| match object {
        Some(Object::Number(number)) => Some(number.as_f64()),
        _ => None,
    };
    let mut at = 0;
    while let Some(first) = number(list.get(at)) {
        let first = first.clamp(0.0, 65535.0) as u32;
        if let Some(Object::Array(own)) = list.get(at + 1) {
            widths.extend((first..=65535).zip(own.iter::<Number>().map(|number| number.as_f64())));
            at += 2;
        } else if let (Some(last), Some(width)) = (number(list.get(at + 1)), number(list.get(at + 2))) {
            widths.extend((first..=last.clamp(0.0, 65535.0) as u32).map(|code| (code, width)));
            at += 3;
        } else {
            break;
        }
    }
    (widths, Some(font.get::<Number>("DW").map_or(1000.0, |number| number.as_f64())))
}

/// What the 256 codes of a font are.
fn encoding(font: &Dict<'_>) -> Vec<String> {
    let (base, differences) = match font.get::<Object<'_>>("Encoding") {
        Some(Object::Name(name)) => (Some(name), None),
        Some(Object::Dict(dict)) => (dict.get::<Name<'_>>("BaseEncoding"), dict.get::<Array<'_>>("Differences")),
        _ => (None, None),
    };
    let is_mac = base.as_ref().is_some_and(|name| name.as_ref() == b"MacRomanEncoding");
    let is_windows = base.as_ref().is_some_and(|name| name.as_ref() == b"WinAnsiEncoding");
    let letter = |code: u8| match code {
        0..=31 => String::new(),
        128.. if is_mac => MAC_ROMAN.chars().nth(usize::from(code - 128)).map(String::from).unwrap_or_default(),
        // The two of Adobe's own encoding that are in words.
        0xae if !is_windows => "fi".to_owned(),
        0xaf if !is_windows => "fl".to_owned(),
        _ => windows_1252(code).to_string(),
    };
    let mut letters: Vec<String> = (0..=255).map(letter).collect();
    let mut code = 0;
    for object in differences.iter().flat_map(|list| list.iter::<Object<'_>>()) {
        match object {
            Object::Number(number) => code = number.as_f64().max(0.0) as usize,
            Object::Name(name) => {
                if let Some(letter) = letters.get_mut(code) {
                    *letter = glyph(&String::from_utf8_lossy(name.as_ref()));
                }
                code += 1;
            }
            _ => {}
        }
    }
    letters
}

/// What a glyph of this name is; a blank if the name says nothing, for then it is no letter of a word.
fn glyph(name: &str) -> String {
    // `a.swash` and `f_i` are an a and an f with an i.
    let name = name.split('.').next().unwrap_or_default();
    if name.contains('_') {
        return name.split('_').map(glyph).collect();
    }
    let hexadecimal = |digits: &str| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
    if let Some(letter) = name.strip_prefix("uni").and_then(|digits| hexadecimal(digits.get(..4)?)) {
        return letter.to_string();
    }
    if let Some(letter) = name.strip_prefix('u').filter(|digits| digits.len() >= 4).and_then(hexadecimal) {
        return letter.to_string();
    }
    match name {
        "ff" | "fi" | "fl" | "ffi" | "ffl" => return name.to_owned(),
        "germandbls" => return "\u{df}".to_owned(),
        "ae" => return "\u{e6}".to_owned(),
        "AE" => return "\u{c6}".to_owned(),
        "oe" => return "\u{153}".to_owned(),
        "OE" => return "\u{152}".to_owned(),
        "oslash" => return "\u{f8}".to_owned(),
        "Oslash" => return "\u{d8}".to_owned(),
        "lslash" => return "\u{142}".to_owned(),
        "dotlessi" => return "\u{131}".to_owned(),
        "hyphen" | "minus" | "sfthyphen" => return "-".to_owned(),
        "quoteright" | "quotesingle" | "quoteleft" => return "'".to_owned(),
        "period" => return ".".to_owned(),
        "comma" => return ",".to_owned(),
        _ => {}
    }
    const DIGITS: [&str; 10] = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    if let Some(digit) = DIGITS.iter().position(|known| *known == name) {
        return digit.to_string();
    }
    let mut letters = name.chars();
    match (letters.next(), letters.as_str()) {
        (Some(letter), "") => letter.to_string(),
        (Some(letter), accent) if letter.is_ascii_alphabetic() => {
            accented(letter, accent).map_or(" ".to_owned(), String::from)
        }
        _ => " ".to_owned(),
    }
}

/// A letter with an accent, both by their names.
fn accented(letter: char, accent: &str) -> Option<char> {
    const PLAIN: &str = "AEIOUYaeiouyNnCcSsZz";
    let composed = match accent {
        "grave" => "\u{c0}\u{c8}\u{cc}\u{d2}\u{d9} \u{e0}\u{e8}\u{ec}\u{f2}\u{f9}         ",
        "acute" => {
            "\u{c1}\u{c9}\u{cd}\u{d3}\u{da}\u{dd}\u{e1}\u{e9}\u{ed}\u{f3}\u{fa}\u{fd}\u{143}\u{144}\u{106}\u{107}\u{15a}\u{15b}\u{179}\u{17a}"
        }
        "circumflex" => "\u{c2}\u{ca}\u{ce}\u{d4}\u{db} \u{e2}\u{ea}\u{ee}\u{f4}\u{fb}         ",
        "dieresis" => "\u{c4}\u{cb}\u{cf}\u{d6}\u{dc}\u{178}\u{e4}\u{eb}\u{ef}\u{f6}\u{fc}\u{ff}        ",
        "tilde" => "\u{c3}  \u{d5}  \u{e3}  \u{f5}  \u{d1}\u{f1}      ",
        "cedilla" => "              \u{c7}\u{e7}\u{15e}\u{15f}  ",
        "caron" => "              \u{10c}\u{10d}\u{160}\u{161}\u{17d}\u{17e}",
        "ring" => "\u{c5}     \u{e5}             ",
        _ => return None,
    };
    let at = PLAIN.chars().position(|known| known == letter)?;
    composed.chars().nth(at).filter(|letter| *letter != ' ')
}

/// The characters 128 to 255 of MacRoman.
const MAC_ROMAN: &str = "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»… ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ";

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A small file with pages of these operators, and these other objects from number 10 on.
    pub(crate) fn pdf(pages: &[&str], font: &str, others: &[String]) -> Vec<u8> {
        let kids: Vec<String> = (0..pages.len()).map(|page| format!("{} 0 R", 100 + 2 * page)).collect();
        let mut objects = vec![
            (1, "<< /Type /Catalog /Pages 2 0 R >>".to_owned()),
            (2, format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), pages.len())),
            (3, font.to_owned()),
        ];
        objects.extend((10..).zip(others.iter().cloned()));
        for (page, operators) in pages.iter().enumerate() {
            let number = 100 + 2 * page;
            objects.push((
                number,
                format!(
                    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {} 0 R \
                     /Resources << /Font << /F 3 0 R >> /XObject << /X 10 0 R >> >> >>",
                    number + 1
                ),
            ));
            objects.push((number + 1, format!("<< /Length {} >>\nstream\n{operators}\nendstream", operators.len())));
        }
        let mut file = b"%PDF-1.4\n".to_vec();
        let mut places = Vec::new();
        for (number, object) in &objects {
            places.push((*number, file.len()));
            file.extend_from_slice(format!("{number} 0 obj\n{object}\nendobj\n").as_bytes());
        }
        let table = file.len();
        file.extend_from_slice(b"xref\n0 1\n0000000000 65535 f \n");
        for (number, place) in places {
            file.extend_from_slice(format!("{number} 1\n{place:010} 00000 n \n").as_bytes());
        }
        file.extend_from_slice(
            format!("trailer\n<< /Size 1000 /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n").as_bytes(),
        );
        file
    }

    const HELVETICA: &str = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";

    fn text(operators: &str, font: &str) -> String {
        to_text(pdf(&[operators], font, &[])).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn strings_lines_and_gaps() {
        let all = "500 ".repeat(96);
        let font = format!(
            "<< /Type /Font /Subtype /Type1 /BaseFont /X /FirstChar 32 /LastChar 127 /Widths [{all}] /Encoding /WinAnsiEncoding >>"
        );
        assert_eq!(text("BT /F 12 Tf 50 700 Td (Hello) Tj 0 -14 Td (World) Tj ET", HELVETICA), "Hello World");
        // Five letters of half the size: the next begins where the last ends, or behind a gap.
        assert_eq!(text("BT /F 10 Tf (Hel) Tj 15 0 Td (lo) Tj ET", &font), "Hello");
        assert_eq!(text("BT /F 10 Tf (Hel) Tj 20 0 Td (lo) Tj ET", &font), "Hel lo");
        assert_eq!(text("BT /F 10 Tf [(W) 80 (orl) -20 (d) -300 (peace)] TJ ET", &font), "World peace");
        assert_eq!(text("BT /F 10 Tf 12 TL (exam-) Tj T* (ple) Tj (of) ' ET", &font), "example of");
        assert_eq!(text("BT /F 10 Tf 12 TL (Smith-) Tj T* (Jones) Tj ET", &font), "Smith- Jones");
        assert_eq!(
            text("q 1 0 0 1 0 0 cm BT /F 10 Tf (cat) Tj ET Q q 1 0 0 1 0 90 cm BT /F 10 Tf (dog) Tj ET Q", &font),
            "cat dog"
        );
        assert_eq!(text("BT /F 10 Tf <636174> Tj (\\351t\\351) ' ET", &font), "cat \u{e9}t\u{e9}");
    }

    #[test]
    fn fonts_say_what_their_codes_are() {
        let font = "<< /Type /Font /Subtype /Type1 /BaseFont /X /Encoding << /Differences [1 /c /a /t 65 /fi /eacute /uni00E9 /f_l /g12] >> >>";
        assert_eq!(text("BT /F 10 Tf <010203> Tj (ABCDE) Tj ET", font), "cat fi\u{e9}\u{e9}fl");
        let table = "1 beginbfchar <0005> <0063> endbfchar 1 beginbfrange <0006> <0007> <0061> endbfrange";
        let table = format!("begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange {table} endcmap");
        let others = [
            format!("<< /Length {} >>\nstream\n{table}\nendstream", table.len()),
            "<< /Type /Font /Subtype /CIDFontType2 /DW 500 >>".to_owned(),
        ];
        let font =
            "<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /ToUnicode 10 0 R /DescendantFonts [11 0 R] >>";
        let file = pdf(&["BT /F 10 Tf <000500060007> Tj ET"], font, &others);
        assert_eq!(to_text(file).unwrap(), "cab");
        assert_eq!(
            (glyph("Adieresis"), glyph("q"), glyph("seven"), glyph("bogus")),
            ("\u{c4}".into(), "q".into(), "7".into(), " ".into())
        );
        assert_eq!(MAC_ROMAN.chars().count(), 128);
    }

    #[test]
    fn forms_and_pages() {
        let form = "BT /F 10 Tf (inside) Tj /X Do ET";
        let others = [format!(
            "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length {} >>\nstream\n{form}\nendstream",
            form.len()
        )];
        // A form that shows itself ends.
        let file = pdf(&["BT /F 10 Tf (one) Tj ET /X Do", "BT /F 10 Tf (two) Tj ET"], HELVETICA, &others);
        let text = to_text(file).unwrap();
        assert!(text.starts_with("one") && text.contains("inside") && text.ends_with("two"), "{text}");
    }

    #[test]
    fn bad_files_are_errors() {
        let error = |bytes: Vec<u8>| to_text(bytes).unwrap_err().to_string();
        assert_eq!(error(pdf(&["0 0 m 9 9 l S"], HELVETICA, &[])), "the PDF holds no text");
        assert_eq!(error(b"%PDF-1.4\nnothing".to_vec()), "the PDF is damaged and cannot be read");
        assert_eq!(error(Vec::new()), "the PDF is damaged and cannot be read");
    }

    #[test]
    fn a_file_with_any_byte_changed_is_read_or_refused() {
        let file = pdf(&["BT /F 12 Tf 50 700 Td [(Hello) -300 (World)] TJ ET"], HELVETICA, &[]);
        for at in 0..file.len() {
            for byte in [0, b'<', b'9', 0xff] {
                let mut changed = file.clone();
                changed[at] = byte;
                let _ = to_text(changed);
            }
            let _ = to_text(file[..at].to_vec());
        }
    }
}
