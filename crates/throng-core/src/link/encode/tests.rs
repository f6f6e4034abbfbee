//! Filters against clkhash's, and against a slow reading of the rules.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::*;

const SECRET: &[u8] = b"a secret that is long enough";

fn encoded(schema: &Value, header: &[String], rows: &[Vec<String>]) -> (Schema, Filters) {
    let encoder = Encoder::new(Schema::parse(schema).unwrap(), SECRET).unwrap();
    let columns: Vec<Prepared> = (encoder.schema.features.iter().enumerate())
        .map(|(at, feature)| {
            let column = header.iter().position(|name| *name == feature.identifier).unwrap();
            let values: Vec<(&str, &str)> = rows.iter().map(|row| (row[column].as_str(), "")).collect();
            encoder.prepare(at, &values, (0..rows.len() as u32).collect()).unwrap().unwrap()
        })
        .collect();
    let filters = encoder.filters(&columns.iter().collect::<Vec<_>>(), rows.len());
    (encoder.schema, filters)
}

#[test]
fn the_bits_are_clkhashs() {
    let cases: Value = serde_json::from_str(include_str!("../../../../../testdata/clkhash/cases.json")).unwrap();
    let texts = |list: &Value| -> Vec<String> { serde_json::from_value(list.clone()).unwrap() };
    let header = texts(&cases["header"]);
    let rows: Vec<Vec<String>> = cases["rows"].as_array().unwrap().iter().map(texts).collect();
    for case in cases["cases"].as_array().unwrap() {
        let (schema, filters) = encoded(&case["schema"], &header, &rows);
        let lines: Vec<String> =
            (0..filters.len()).map(|row| STANDARD.encode(bytes(filters.get(row), schema.length))).collect();
        assert_eq!(lines[0], case["first"].as_str().unwrap(), "{}", case["name"]);
        let whole: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let digest: String = Sha256::digest(whole).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, case["sha256"].as_str().unwrap(), "{}", case["name"]);
    }
}

fn schema(change: impl Fn(&mut Value)) -> Value {
    let mut schema = json!({
        "version": 3,
        "clkConfig": {"l": 64, "kdf": {"type": "HKDF"}},
        "features": [{"identifier": "name", "format": {"type": "string"}, "hashing":
            {"comparison": {"type": "ngram", "n": 2}, "strategy": {"bitsPerToken": 2}, "hash": {"type": "doubleHash"}}}],
    });
    change(&mut schema);
    schema
}

/// "ab" has the tokens " a", "ab" and "b ", each with two bits: HMAC-SHA1 and HMAC-SHA1 + HMAC-MD5 modulo 64, by the keys that
/// HKDF-SHA256 makes of the secret (worked out with Python's hashlib alone; testdata/clkhash/by_hand.py).
#[test]
fn a_name_of_two_letters_by_hand() {
    let (_, filters) = encoded(&schema(|_| {}), &["name".to_owned()], &[vec!["ab".to_owned()]]);
    let set: Vec<usize> = (0..64).filter(|place| filters.bits[0] >> (63 - place) & 1 == 1).collect();
    assert_eq!(set, BY_HAND);
}

const BY_HAND: [usize; 6] = [0, 18, 25, 48, 49, 58];

#[test]
fn documented_folds_mean_what_clkhash_reads() {
    let rows = [vec!["anna".to_owned()]];
    let of = |change: &dyn Fn(&mut Value)| {
        let many = |schema: &mut Value| {
            // Where bits meet, folding is more than a shorter filter.
            schema["features"][0]["hashing"]["strategy"] = json!({"bitsPerToken": 20});
            change(schema);
        };
        encoded(&schema(many), &["name".to_owned()], &rows).1
    };
    let read = of(&|schema| schema["clkConfig"]["xor_folds"] = json!(2));
    assert_eq!(of(&|schema| schema["clkConfig"]["xorFolds"] = json!(2)), read);
    assert_ne!(of(&|_| {}), read);
    let both = schema(|schema| {
        schema["clkConfig"]["xor_folds"] = json!(2);
        schema["clkConfig"]["xorFolds"] = json!(1);
    });
    assert!(Schema::parse(&both).unwrap_err().to_string().contains("they differ"));
    assert!(
        Schema::parse(&schema(|schema| schema["clkConfig"]["xorFolds"] = json!(2))).unwrap().says_folds_as_documented
    );
}

#[test]
fn wrong_schemas_say_where() {
    let wrong = |path: &[&str], value: Value, says: &str| {
        let broken = schema(|schema| {
            let mut at = &mut *schema;
            for step in path {
                at = match step.parse::<usize>() {
                    Ok(index) => &mut at[index],
                    Err(_) => &mut at[*step],
                };
            }
            *at = value.clone();
        });
        let error = Schema::parse(&broken).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    };
    wrong(&["version"], json!(4), "version is not known");
    wrong(&["clkConfig", "l"], json!(0), "clkConfig.l must be a whole number");
    wrong(&["clkConfig", "kdf", "type"], json!("legacy"), "must be HKDF");
    wrong(&["clkConfig", "kdf", "salt"], json!("?"), "must be base64");
    let hashing = ["features", "0", "hashing"];
    let of = |rest: &[&'static str]| [&hashing[..], rest].concat();
    wrong(&of(&["hash", "type"]), json!("md5"), "features[0].hashing.hash.type must be doubleHash or blakeHash");
    wrong(&of(&["hash"]), json!({"type": "blakeHash", "prevent_singularity": true}), "is of doubleHash");
    wrong(&of(&["strategy"]), json!({"k": 2}), "has `k`");
    wrong(&of(&["strategy"]), json!({"bitsPerToken": 2, "bitsPerFeature": 2}), "either");
    wrong(&of(&["comparison"]), json!({"type": "soundex"}), "must be ngram, exact or numeric");
    wrong(&["features", "0", "format"], json!({"type": "string", "pattern": "("}), "no expression");
    wrong(&["features", "0", "format"], json!({"type": "date", "format": "%U"}), "has %U");
    wrong(&["features"], json!([{"identifier": "name", "ignored": true}]), "leaves out every column");
    let blake = schema(|schema| {
        schema["features"][0]["hashing"]["hash"] = json!({"type": "blakeHash"});
        schema["clkConfig"]["l"] = json!(100);
    });
    assert!(Schema::parse(&blake).unwrap_err().to_string().contains("a power of 2"));
}

#[test]
fn wrong_values_are_told_without_them() {
    let of = |format: Value, value: &str| {
        let parsed = Schema::parse(&schema(|schema| schema["features"][0]["format"] = format.clone())).unwrap();
        let encoder = Encoder::new(parsed, SECRET).unwrap();
        encoder.prepare(0, &[("", ""), (value, "")], vec![0, 1]).unwrap().map(|_| ())
    };
    assert_eq!(of(json!({"type": "string", "case": "lower"}), "Anna"), Err((1, "is not in lower case")));
    assert_eq!(of(json!({"type": "string", "maxLength": 3}), "anna"), Err((1, "is longer than the schema allows")));
    assert_eq!(
        of(json!({"type": "string", "encoding": "ascii"}), "zoë"),
        Err((1, "has characters that are not ASCII"))
    );
    assert_eq!(
        of(json!({"type": "string", "pattern": "[a-z]*|"}), "a1"),
        Err((1, "does not fit the schema's pattern"))
    );
    assert_eq!(of(json!({"type": "enum", "values": ["", "f"]}), "m"), Err((1, "is none of the schema's values")));
    assert_eq!(of(json!({"type": "integer"}), "1"), Err((0, "is no whole number")));
    assert_eq!(of(json!({"type": "string"}), "Anna"), Ok(()));
}

#[test]
fn a_salt_separates_equal_values() {
    let encoder = Encoder::new(Schema::parse(&schema(|_| {})).unwrap(), SECRET).unwrap();
    let values = [("anna", "1980"), ("anna", "1981"), ("anna", "1980"), ("anna", "")];
    let prepared = encoder.prepare(0, &values, vec![0, 1, 2, 3]).unwrap().unwrap();
    let filters = encoder.filters(&[&prepared], 4);
    assert_eq!(filters.get(0), filters.get(2));
    assert_ne!(filters.get(0), filters.get(1));
    let plain = encoder.prepare(0, &[("anna", "")], vec![0]).unwrap().unwrap();
    assert_eq!(encoder.filters(&[&plain], 1).get(0), filters.get(3));
}
