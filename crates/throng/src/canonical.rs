//! Canonical JSON: one text for one value, so that a hash of the text is a hash of the value.
//!
//! Source     RFC 8785, JSON Canonicalization Scheme.
//!
//! # Form
//! No blanks; the keys of an object in the order of their UTF-16 units; texts with the fewest escapes; numbers as ECMAScript writes
//! them: the fewest digits that give the same double, without an exponent from 1e-6 to 1e21.
//!
//! Does not   keep whole numbers beyond 2^53 apart: to the RFC, as to ECMAScript, every number is a double.

use std::fmt::Write as _;

use serde_json::{Number, Value};

/// The greatest whole number below which every one is a double.
const EXACT: u64 = 1 << 53;

/// The canonical text of a value.
pub fn text(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, into: &mut String) {
    match value {
        Value::Null => into.push_str("null"),
        Value::Bool(yes) => into.push_str(if *yes { "true" } else { "false" }),
        Value::Number(number) => into.push_str(&of_number(number)),
        Value::String(text) => quoted(text, into),
        Value::Array(list) => {
            into.push('[');
            for (at, inner) in list.iter().enumerate() {
                if at > 0 {
                    into.push(',');
                }
                write(inner, into);
            }
            into.push(']');
        }
        Value::Object(map) => {
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            entries.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
            into.push('{');
            for (at, (key, inner)) in entries.into_iter().enumerate() {
                if at > 0 {
                    into.push(',');
                }
                quoted(key, into);
                into.push(':');
                write(inner, into);
            }
            into.push('}');
        }
    }
}

fn quoted(text: &str, into: &mut String) {
    into.push('"');
    for letter in text.chars() {
        match letter {
            '"' => into.push_str("\\\""),
            '\\' => into.push_str("\\\\"),
            '\u{8}' => into.push_str("\\b"),
            '\u{c}' => into.push_str("\\f"),
            '\n' => into.push_str("\\n"),
            '\r' => into.push_str("\\r"),
            '\t' => into.push_str("\\t"),
            control if control < ' ' => {
                let _ = write!(into, "\\u{:04x}", u32::from(control));
            }
            letter => into.push(letter),
        }
    }
    into.push('"');
}

fn of_number(number: &Number) -> String {
    match (number.as_u64(), number.as_i64()) {
        (Some(whole), _) if whole <= EXACT => whole.to_string(),
        (_, Some(whole)) if whole.unsigned_abs() <= EXACT => whole.to_string(),
        _ => of_double(number.as_f64().unwrap_or_default()),
    }
}

/// A finite double as ECMAScript's `Number::toString` writes it.
fn of_double(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    // Rust writes the fewest digits, too, as d.ddde±x.
    let scientific = format!("{:e}", value.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let count = digits.len() as i32;
    // The point stands after so many digits.
    let point = exponent.parse::<i32>().unwrap_or_default() + 1;
    let zeros = |number: i32| "0".repeat(number.max(0) as usize);
    let text = if count <= point && point <= 21 {
        format!("{digits}{}", zeros(point - count))
    } else if 0 < point && point <= 21 {
        let (whole, fraction) = digits.split_at(point as usize);
        format!("{whole}.{fraction}")
    } else if -6 < point && point <= 0 {
        format!("0.{}{digits}", zeros(-point))
    } else {
        let (first, rest) = digits.split_at(1);
        let between = if rest.is_empty() { "" } else { "." };
        format!("{first}{between}{rest}e{:+}", point - 1)
    };
    format!("{}{text}", if value < 0.0 { "-" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(json: &str) -> String {
        text(&serde_json::from_str(json).unwrap())
    }

    /// The examples of sections 3.2.2 and 3.2.3 of the RFC.
    #[test]
    fn the_examples_of_the_rfc() {
        let given = r#"{
            "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
            "literals": [null, true, false]
        }"#;
        let expected = "{\"literals\":[null,true,false],\
            \"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
            \"string\":\"\u{20ac}$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
        assert_eq!(canonical(given), expected);
        let sorted = r#"{"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7}"#;
        assert_eq!(
            canonical(sorted),
            "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"\u{f6}\":7,\"\u{20ac}\":1,\"\u{1f600}\":5,\"\u{fb33}\":3}"
        );
    }

    /// Rows of appendix B of the RFC, by their bits.
    #[test]
    fn numbers_of_the_rfc() {
        for (bits, expected) in [
            (0x0000_0000_0000_0000_u64, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
        ] {
            assert_eq!(of_double(f64::from_bits(bits)), expected, "{bits:x}");
        }
        assert_eq!(canonical("[18446744073709551615, -7, 1.0]"), "[18446744073709552000,-7,1]");
    }
}
