//! Host names as they are read: the letters that `xn--` labels stand for.
//!
//! Paper      RFC 3492, Punycode: the decoder of its section 6.2, with the parameters of section 5.
//! Does not   check whether a label is allowed in a host name: nobody is sent there.

/// A text in which every label that begins with `xn--` is written in its own letters. `None` if there is none that can be.
pub fn readable(text: &str) -> Option<String> {
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    let (mut out, mut rest, mut is_changed) = (String::new(), text, false);
    while !rest.is_empty() {
        let length = rest.bytes().take_while(is_inside).count();
        let (label, after) = rest.split_at(length);
        let encoded = label.get(..4).filter(|head| head.eq_ignore_ascii_case("xn--")).map(|_| &label[4..]);
        match encoded.and_then(decode) {
            Some(letters) => {
                is_changed = true;
                out.push_str(&letters);
            }
            None => out.push_str(label),
        }
        let mut letters = after.chars();
        out.extend(letters.next());
        rest = letters.as_str();
    }
    is_changed.then_some(out)
}

/// No label of a host name is longer.
const LONGEST: usize = 63;

/// The letters of a label without its `xn--`.
fn decode(label: &str) -> Option<String> {
    const BASE: u32 = 36;
    if label.is_empty() || label.len() > LONGEST {
        return None;
    }
    let (basic, extended) = label.rsplit_once('-').unwrap_or(("", label));
    let mut letters: Vec<char> = basic.chars().collect();
    let (mut code, mut at, mut bias) = (128u32, 0u32, 72u32);
    let mut digits = extended.chars();
    while !digits.as_str().is_empty() {
        let (before, mut weight, mut step) = (at, 1u32, BASE);
        loop {
            let digit = match digits.next()? {
                letter @ 'a'..='z' => u32::from(letter) - u32::from('a'),
                letter @ 'A'..='Z' => u32::from(letter) - u32::from('A'),
                letter @ '0'..='9' => u32::from(letter) - u32::from('0') + 26,
                _ => return None,
            };
            at = at.checked_add(digit.checked_mul(weight)?)?;
            let threshold = step.saturating_sub(bias).clamp(1, 26);
            if digit < threshold {
                break;
            }
            weight = weight.checked_mul(BASE - threshold)?;
            step += BASE;
        }
        let count = letters.len() as u32 + 1;
        bias = adapted(at - before, count, before == 0);
        code = code.checked_add(at / count)?;
        at %= count;
        letters.insert(at as usize, char::from_u32(code)?);
        at += 1;
    }
    Some(letters.into_iter().collect())
}

/// The bias after a letter (section 6.1).
fn adapted(delta: u32, count: u32, is_first: bool) -> u32 {
    let mut delta = if is_first { delta / 700 } else { delta / 2 };
    delta += delta / count;
    let mut steps = 0;
    while delta > 455 {
        delta /= 35;
        steps += 36;
    }
    steps + 36 * delta / (delta + 38)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_written_in_their_own_letters() {
        for (text, read) in [
            ("http://XN--mller-kva.example/x", "http://m\u{fc}ller.example/x"),
            ("www.xn--bcher-kva.example", "www.b\u{fc}cher.example"),
            // From section 7.1 of the RFC: (B) Chinese, (L) Japanese with Latin letters and digits.
            (
                "xn--ihqwcrb4cv8a8dqg056pqjye",
                "\u{4ed6}\u{4eec}\u{4e3a}\u{4ec0}\u{4e48}\u{4e0d}\u{8bf4}\u{4e2d}\u{6587}",
            ),
            ("xn--3B-ww4c5e180e575a65lsy2b", "3\u{5e74}B\u{7d44}\u{91d1}\u{516b}\u{5148}\u{751f}"),
        ] {
            assert_eq!(readable(text).as_deref(), Some(read), "{text}");
        }
        for text in ["", "acme.example", "\u{fc}", "xn--", "xn--\u{fc}", "xn--99999999", "axn--mller-kva"] {
            assert_eq!(readable(text), None, "{text}");
        }
    }
}
