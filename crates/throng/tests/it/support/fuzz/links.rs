//! Files of links and places: linkage schemas, encoded records, indexed references and maps with pins.

use std::fs;
use std::path::{Path, PathBuf};

use throng::run::{
    self, EncodeRequest, IndexRequest, LinkBlocking, LinkEncoding, LinkRequest, MapPlacing, MatchRequest,
    PinMapRequest, ReferenceFile, SecretSource,
};
use throng_core::link::linking::Classify;
use throng_core::progress::Silent;

use super::Target;

const RECORDS: &str =
    "id,name,birth,number\n1,ann lee,1980-02-29,7\n2,bo ng,1975-12-01,12\n3,,1990-01-01,\n4,ann lea,1980-02-29,7\n";

const SCHEMAS: [&str; 3] = [
    r#"{"version": 3, "clkConfig": {"l": 64, "xor_folds": 1, "kdf": {"type": "HKDF", "hash": "SHA256", "salt": "AAEC", "info": "c2FtcGxl", "keySize": 64}}, "features": [
      {"identifier": "id", "ignored": true},
      {"identifier": "name", "format": {"type": "string", "encoding": "utf-8", "maxLength": 20}, "hashing": {"comparison": {"type": "ngram", "n": 2}, "strategy": {"bitsPerFeature": 20}, "hash": {"type": "blakeHash"}}},
      {"identifier": "birth", "format": {"type": "date", "format": "%Y-%m-%d"}, "hashing": {"comparison": {"type": "exact"}, "strategy": {"bitsPerToken": 5}, "missingValue": {"sentinel": "", "replaceWith": "x"}}},
      {"identifier": "number", "format": {"type": "integer", "minimum": 0, "maximum": 99}, "hashing": {"comparison": {"type": "numeric", "thresholdDistance": 3, "resolution": 2}, "strategy": {"bitsPerFeature": 20}, "missingValue": {"sentinel": ""}}}]}"#,
    r#"{"version": 2, "clkConfig": {"l": 128, "kdf": {"type": "HKDF", "keySize": 64}}, "features": [
      {"identifier": "id", "ignored": true},
      {"identifier": "name", "format": {"type": "string", "pattern": "[a-z ]*"}, "hashing": {"ngram": 2, "positional": true, "strategy": {"k": 3}}},
      {"identifier": "birth", "format": {"type": "enum", "values": ["1980-02-29", "1975-12-01", "1990-01-01"]}, "hashing": {"ngram": 1, "strategy": {"numBits": 30}}},
      {"identifier": "number", "ignored": true}]}"#,
    r#"{"version": 1, "clkConfig": {"l": 1024, "k": 20, "kdf": {"type": "HKDF"}, "hash": {"type": "doubleHash", "prevent_singularity": true}}, "features": [
      {"identifier": "id", "format": {"type": "string"}, "hashing": {"ngram": 0}},
      {"identifier": "name", "format": {"type": "string"}, "hashing": {"ngram": 2, "weight": 0.5}},
      {"identifier": "birth", "format": {"type": "string"}, "hashing": {"ngram": 1, "positional": true}},
      {"identifier": "number", "format": {"type": "string"}, "hashing": {"ngram": 2}}]}"#,
];

/// A target of this folder.
pub(super) fn target(form: &str, folder: &Path) -> Option<Target> {
    match form {
        "schema" => Some(schema(folder)),
        "encoded" => Some(encoded(folder)),
        "reference" => Some(reference(folder)),
        "pins" => Some(pins(folder)),
        _ => None,
    }
}

struct Places {
    records: PathBuf,
    schema: PathBuf,
    secret: PathBuf,
    out: PathBuf,
    key: PathBuf,
}

impl Places {
    fn new(folder: &Path) -> Self {
        let [records, schema, secret, out, key] =
            ["records.csv", "schema.json", "secret", "out", "rows.csv"].map(|name| folder.join(name));
        fs::write(&records, RECORDS).unwrap();
        fs::write(&secret, "an open secret of the tests\n").unwrap();
        Self { records, schema, secret, out, key }
    }

    fn encode(&self, encoding: LinkEncoding, compat: bool) -> bool {
        let _ = (fs::remove_file(&self.out), fs::remove_file(&self.key));
        let request = EncodeRequest {
            file: self.records.clone(),
            schema: self.schema.clone(),
            secret: SecretSource::File(self.secret.clone()),
            out: self.out.clone(),
            key: (!compat).then(|| self.key.clone()),
            compat,
            encoding,
            phonetic: None,
            harden: Vec::new(),
            least: 0.8,
            block: Vec::new(),
            min_block: 2,
            seed: Some(1),
            id: None,
            options: throng::io::ReadOptions::default(),
        };
        run::encode_records(&request, &Silent).is_ok()
    }
}

/// Linkage schemas, with records to encode.
fn schema(folder: &Path) -> Target {
    let seeds: Vec<Vec<u8>> = SCHEMAS.iter().map(|text| text.as_bytes().to_vec()).collect();
    let places = Places::new(folder);
    for seed in &seeds {
        fs::write(&places.schema, seed).unwrap();
        assert!(places.encode(LinkEncoding::Clk, true), "a schema that is fine is refused");
    }
    let read = move |bytes: &[u8]| {
        fs::write(&places.schema, bytes).unwrap();
        let encodings = [LinkEncoding::Clk, LinkEncoding::Fields, LinkEncoding::Hash, LinkEncoding::QgramSets];
        places.encode(encodings[bytes.len() % 4], false);
        places.encode(LinkEncoding::Clk, true);
    };
    Target { seeds, read: Box::new(read) }
}

/// Encoded records, matched with themselves. Half of the damaged ones get the checksum of what they have become.
fn encoded(folder: &Path) -> Target {
    let places = Places::new(folder);
    fs::write(&places.schema, SCHEMAS[2]).unwrap();
    let mut seeds = Vec::new();
    for encoding in [LinkEncoding::Clk, LinkEncoding::Fields, LinkEncoding::Hash, LinkEncoding::QgramSets] {
        assert!(places.encode(encoding, false));
        seeds.push(fs::read(&places.out).unwrap());
    }
    assert!(places.encode(LinkEncoding::Clk, true));
    seeds.push(fs::read(&places.out).unwrap());
    let [file, body, pairs] = ["a.clk", "body", "pairs.csv"].map(|name| folder.join(name));
    let read = move |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let parts = text.split_once('\n').and_then(|(first, rest)| {
            let header: serde_json::Value = serde_json::from_str(first).ok()?;
            header.is_object().then_some((header, rest))
        });
        match parts {
            Some((mut header, rest)) if bytes.len().is_multiple_of(2) => {
                fs::write(&body, rest).unwrap();
                header["body_sha256"] = throng::io::hash_file(&body).unwrap().into();
                header["rows"] = rest.lines().count().into();
                // The order of the keys is how a file is recognised.
                let text = format!("{{\"throng\":\"clk\",{}\n{rest}", &header.to_string()[1..]).replacen(
                    ",\"throng\":\"clk\"",
                    "",
                    1,
                );
                fs::write(&file, text).unwrap();
            }
            _ => fs::write(&file, bytes).unwrap(),
        }
        let _ = fs::remove_file(&pairs);
        let request = LinkRequest {
            a: file.clone(),
            b: (!bytes.len().is_multiple_of(3)).then(|| file.clone()),
            out: pairs.clone(),
            clusters: None,
            report: None,
            id: None,
            columns: Vec::new(),
            compare: Vec::new(),
            blocking: LinkBlocking::Auto,
            max_block: 1000,
            classify: if bytes.len().is_multiple_of(5) { Classify::Threshold } else { Classify::Em },
            upper: None,
            lower: None,
            one_to_one: true,
            frequencies: true,
            decided: None,
            options: throng::io::ReadOptions::default(),
        };
        let _ = run::link_match(&request, &Silent);
    };
    Target { seeds, read: Box::new(read) }
}

/// Indexed references.
fn reference(folder: &Path) -> Target {
    let [plain, index, addresses, out] = ["ref.csv", "r.geo", "addresses.csv", "out.csv"].map(|name| folder.join(name));
    fs::write(&addresses, "id,address\n1,12 high street 1000\n2,7a station rd oldtown\n").unwrap();
    let references = [
        "id,number,street,suburb,postcode,lat,lon\na,12,high street,oldtown,1000,47.1,8.2\nb,7a,station road,oldtown,1001,47.2,8.3\n",
        "from,to,side,street,suburb,postcode,lat1,lon1,lat2,lon2\n1,19,left,high street,oldtown,1000,47.1,8.2,47.2,8.3\n",
    ];
    let seeds = references
        .iter()
        .map(|text| {
            fs::write(&plain, text).unwrap();
            let _ = fs::remove_file(&index);
            let reference = ReferenceFile { file: plain.clone(), offset: None };
            run::index(&IndexRequest { reference, out: index.clone() }, &Silent).unwrap();
            fs::read(&index).unwrap()
        })
        .collect();
    let read = move |bytes: &[u8]| {
        fs::write(&index, bytes).unwrap();
        let _ = fs::remove_file(&out);
        let reference = ReferenceFile { file: index.clone(), offset: None };
        let _ = run::geocode_match(&MatchRequest { file: addresses.clone(), reference, out: out.clone() }, &Silent);
    };
    Target { seeds, read: Box::new(read) }
}

/// Maps with pins, as SVG.
fn pins(folder: &Path) -> Target {
    let [map, plain, out] = ["map.svg", "ref.csv", "pins.csv"].map(|name| folder.join(name));
    fs::write(&plain, "id,number,street,suburb,postcode,lat,lon\na,12,high street,oldtown,1000,47.1,8.2\n").unwrap();
    let seeds = vec![
        b"<svg viewBox=\"0 0 100 80\"><circle cx=\"10\" cy=\"20\" r=\"3\" fill=\"#ff0000\"/><g transform=\"translate(5,6)\"><rect x=\"1\" y=\"2\" width=\"4\" height=\"4\" style=\"fill:#f00\"/></g></svg>".to_vec(),
        b"<?xml version=\"1.0\"?><svg width=\"10\" height=\"10\"><path d=\"M1 1 L2 2 Z\" fill=\"red\"/></svg>".to_vec(),
    ];
    let read = move |bytes: &[u8]| {
        fs::write(&map, bytes).unwrap();
        let _ = fs::remove_file(&out);
        let request = PinMapRequest {
            map: map.clone(),
            reference: ReferenceFile { file: plain.clone(), offset: None },
            placing: MapPlacing::Bounds([47.0, 8.0, 47.3, 8.5]),
            marker: [255, 0, 0],
            truth: None,
            out: out.clone(),
        };
        let _ = run::pin_map(&request, &Silent);
    };
    Target { seeds, read: Box::new(read) }
}
