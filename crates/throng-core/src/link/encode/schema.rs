//! Linkage schemas: which columns are encoded, and how. The form is clkhash's, versions 1 to 3.
//!
//! A schema says what may stand in a column ([`Format`]), into which tokens a value is cut ([`Cut`]), how many bits a token sets
//! ([`Strategy`]) and by which hash ([`Hash`]). Older versions are read as what clkhash 0.18.3 makes of them: a weight in version 1
//! multiplies the number of bits, and a weight of 0 means that the column is left out.

use base64::Engine as _;
use num_bigint::BigInt;
use serde_json::{Map, Value};

use super::date::DatePattern;
use crate::error::{Error, Result};

/// The longest filter, before it is folded.
const MOST_BITS: usize = 1 << 22;

/// How records are encoded.
#[derive(Debug, Clone)]
pub struct Schema {
    /// The columns, in the order of the schema.
    pub features: Vec<Feature>,
    /// How many bits a filter has in the end.
    pub length: usize,
    /// How often it is folded; it has `length` · 2^folds bits before.
    pub folds: u32,
    /// How keys are made of the secret.
    pub kdf: Kdf,
    /// Whether the number of folds stands under the documented name only, which clkhash does not read.
    pub says_folds_as_documented: bool,
}

/// A column.
#[derive(Debug, Clone)]
pub struct Feature {
    /// Its name.
    pub identifier: String,
    /// How it is hashed; nothing if it is left out. Its keys are used up all the same.
    pub hashing: Option<Hashing>,
}

/// How a column is hashed.
#[derive(Debug, Clone)]
pub struct Hashing {
    /// What may stand there.
    pub format: Format,
    /// As which bytes characters are hashed.
    pub encoding: Encoding,
    /// Into which tokens a value is cut.
    pub cut: Cut,
    /// How many bits a token sets.
    pub strategy: Strategy,
    /// By which hash.
    pub hash: Hash,
    /// What stands for a missing value, and what is hashed in its place.
    pub missing: Option<(String, String)>,
}

/// What may stand in a column.
#[derive(Debug, Clone)]
pub enum Format {
    /// Text of a case and a length.
    Text {
        /// Upper or lower case, if it must be one of them.
        case: Option<Case>,
        /// The least number of characters.
        least: Option<usize>,
        /// The greatest.
        most: Option<usize>,
    },
    /// Text that fits an expression as a whole.
    Pattern(regex_lite::Regex),
    /// A whole number.
    Integer {
        /// The least.
        least: Option<BigInt>,
        /// The greatest.
        most: Option<BigInt>,
    },
    /// A date.
    Date(DatePattern),
    /// One of these.
    OneOf(Vec<String>),
}

/// A case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// Upper.
    Upper,
    /// Lower.
    Lower,
}

/// As which bytes characters are hashed; the last two with a mark of their order, as Python writes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// One byte a character.
    Ascii,
    /// UTF-8.
    Utf8,
    /// UTF-16, little-endian.
    Utf16,
    /// UTF-32, little-endian.
    Utf32,
}

/// Into which tokens a value is cut.
#[derive(Debug, Clone, PartialEq)]
pub enum Cut {
    /// All pieces of n characters.
    Ngrams {
        /// n.
        n: usize,
        /// Whether the place of a piece is part of it.
        positional: bool,
    },
    /// The whole.
    Whole,
    /// The numbers around.
    Numbers {
        /// How far apart two of them are.
        distance: BigInt,
        /// How many there are on either side.
        resolution: i64,
        /// How many digits behind the point count.
        precision: u32,
    },
}

/// How many bits a token sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// So many each.
    OfToken(u32),
    /// So many together; the first ones set what is left over.
    OfFeature(u32),
}

/// By which hash bits are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hash {
    /// HMAC-SHA1 plus multiples of HMAC-MD5.
    Double {
        /// Whether a second hash of 0 is taken again.
        prevent_singularity: bool,
    },
    /// Keyed BLAKE2b.
    Blake,
}

/// How keys are made of the secret: HKDF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kdf {
    /// Whether with SHA-512; else with SHA-256.
    pub sha512: bool,
    /// The salt.
    pub salt: Option<Vec<u8>>,
    /// What the keys are for.
    pub info: Vec<u8>,
    /// How many bytes a key has.
    pub key_size: usize,
}

/// A place in the schema, and what stands there.
#[derive(Clone)]
struct At<'a> {
    value: &'a Value,
    path: String,
}

impl<'a> At<'a> {
    fn wrong(&self, must: &str) -> Error {
        Error::data(format!("the schema's {} {must}", if self.path.is_empty() { "text" } else { &self.path }))
    }

    fn object(&self) -> Result<&'a Map<String, Value>> {
        self.value.as_object().ok_or_else(|| self.wrong("must be a JSON object"))
    }

    fn get(&self, key: &str) -> Option<At<'a>> {
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        self.value.get(key).map(|value| At { value, path })
    }

    fn need(&self, key: &str) -> Result<At<'a>> {
        self.object()?;
        self.get(key).ok_or_else(|| self.wrong(&format!("has no `{key}`")))
    }

    fn text(&self) -> Result<&'a str> {
        self.value.as_str().ok_or_else(|| self.wrong("must be a text"))
    }

    fn number(&self) -> Result<f64> {
        self.value.as_f64().ok_or_else(|| self.wrong("must be a number"))
    }

    fn is_true(&self) -> Result<bool> {
        self.value.as_bool().ok_or_else(|| self.wrong("must be true or false"))
    }

    /// A whole number within limits; 20.0 is one.
    fn count(&self, least: usize, most: usize) -> Result<usize> {
        let number = self.number()?;
        if number.fract() != 0.0 || number < least as f64 || number > most as f64 {
            return Err(self.wrong(&format!("must be a whole number from {least} to {most}")));
        }
        Ok(number as usize)
    }

    fn integer(&self) -> Result<BigInt> {
        let number = self.value.as_i64().map(BigInt::from).or_else(|| self.value.as_u64().map(BigInt::from));
        number.ok_or_else(|| self.wrong("must be a whole number"))
    }

    fn bytes(&self) -> Result<Vec<u8>> {
        let engine = base64::engine::general_purpose::STANDARD;
        engine.decode(self.text()?).map_err(|_| self.wrong("must be base64"))
    }

    fn knows(&self, keys: &[&str]) -> Result<()> {
        match self.object()?.keys().find(|key| !keys.contains(&key.as_str())) {
            Some(key) => Err(self.wrong(&format!("has `{key}`, which is not known there"))),
            None => Ok(()),
        }
    }
}

impl Schema {
    /// Reads a schema.
    pub fn parse(json: &Value) -> Result<Self> {
        let root = At { value: json, path: String::new() };
        let version = root.need("version")?;
        let version = match version.number()? {
            1.0 => 1,
            2.0 => 2,
            3.0 => 3,
            _ => return Err(version.wrong("is not known").with_hint("versions 1, 2 and 3 of clkhash's schemas are")),
        };
        let config = root.need("clkConfig")?;
        let length = config.need("l")?.count(1, MOST_BITS)?;
        let folds = |key: &str| config.get(key).map(|at| at.count(0, 20)).transpose();
        let (documented, read) = (folds("xorFolds")?, folds("xor_folds")?);
        if let (Some(documented), Some(read)) = (documented, read)
            && documented != read
        {
            return Err(config
                .wrong("has both `xorFolds` and `xor_folds`, and they differ")
                .with_hint("clkhash reads `xor_folds` only: keep that one"));
        }
        let folds = read.or(documented).unwrap_or(0) as u32;
        if length.checked_shl(folds).is_none_or(|bits| bits > MOST_BITS || bits >> folds != length) {
            return Err(config.wrong(&format!("asks for filters of more than {MOST_BITS} bits before folding")));
        }
        let usual = if version == 1 {
            let hash = hash(&config.need("hash")?)?;
            Some((hash, config.need("k")?.count(1, 1 << 16)?))
        } else {
            None
        };
        let features = root.need("features")?;
        let list = features.value.as_array().ok_or_else(|| features.wrong("must be a list"))?;
        let at = |(at, value)| At { value, path: format!("features[{at}]") };
        let features =
            list.iter().enumerate().map(at).map(|at| feature(&at, version, usual)).collect::<Result<Vec<Feature>>>()?;
        if features.iter().all(|feature| feature.hashing.is_none()) {
            return Err(root.wrong("leaves out every column"));
        }
        let schema = Self {
            features,
            length,
            folds,
            kdf: kdf(&config.need("kdf")?)?,
            says_folds_as_documented: read.is_none() && documented.is_some_and(|folds| folds > 0),
        };
        schema.check()?;
        Ok(schema)
    }

    /// How many bits a filter has before it is folded.
    pub fn unfolded(&self) -> usize {
        self.length << self.folds
    }

    /// The columns that are hashed, with their places in the schema.
    pub fn hashed(&self) -> impl Iterator<Item = (usize, &Feature, &Hashing)> {
        let with = |(at, feature): (usize, &'_ Feature)| (at, feature.hashing.is_some());
        let places: Vec<usize> = self.features.iter().enumerate().map(with).filter(|at| at.1).map(|at| at.0).collect();
        places.into_iter().filter_map(|at| Some((at, &self.features[at], self.features[at].hashing.as_ref()?)))
    }

    fn check(&self) -> Result<()> {
        let bits = self.unfolded();
        for (_, feature, hashing) in self.hashed() {
            let wrong = |what: String| Error::data(what).in_column(&feature.identifier);
            match hashing.hash {
                Hash::Blake if !bits.is_power_of_two() => {
                    return Err(wrong(format!("blakeHash needs a length that is a power of 2, but it is {bits}"))
                        .with_hint("change `l` in the schema, or take doubleHash"));
                }
                Hash::Blake if self.kdf.key_size > 64 => {
                    return Err(wrong(format!(
                        "blakeHash takes keys of 64 bytes, but `keySize` is {}",
                        self.kdf.key_size
                    )));
                }
                Hash::Double { prevent_singularity: true } if bits == 1 => {
                    return Err(wrong("a filter of one bit has nothing but singularities".to_owned()));
                }
                _ => {}
            }
        }
        let most = 255 * if self.kdf.sha512 { 64 } else { 32 };
        if 2 * self.features.len() * self.kdf.key_size > most {
            return Err(Error::data(format!(
                "the schema's {} columns need {} bytes of keys, but HKDF makes at most {most}",
                self.features.len(),
                2 * self.features.len() * self.kdf.key_size
            ))
            .with_hint("`\"hash\": \"SHA512\"` in `clkConfig.kdf` makes twice as many"));
        }
        Ok(())
    }
}

fn kdf(at: &At<'_>) -> Result<Kdf> {
    let name = at.need("type")?;
    if name.text()? != "HKDF" {
        return Err(name.wrong("must be HKDF"));
    }
    let sha512 = match at.get("hash") {
        None => false,
        Some(hash) => match hash.text()? {
            "SHA256" => false,
            "SHA512" => true,
            _ => return Err(hash.wrong("must be SHA256 or SHA512")),
        },
    };
    Ok(Kdf {
        sha512,
        salt: at.get("salt").map(|salt| salt.bytes()).transpose()?,
        info: at.get("info").map(|info| info.bytes()).transpose()?.unwrap_or_default(),
        key_size: at.get("keySize").map(|size| size.count(1, 4096)).transpose()?.unwrap_or(64),
    })
}

fn hash(at: &At<'_>) -> Result<Hash> {
    let name = at.need("type")?;
    let prevent = at.get("prevent_singularity").map(|at| at.is_true()).transpose()?;
    match name.text()? {
        "doubleHash" => Ok(Hash::Double { prevent_singularity: prevent.unwrap_or(false) }),
        "blakeHash" if prevent.is_some() => Err(at.wrong("has `prevent_singularity`, which is of doubleHash")),
        "blakeHash" => Ok(Hash::Blake),
        _ => Err(name.wrong("must be doubleHash or blakeHash")),
    }
}

fn feature(at: &At<'_>, version: u32, usual: Option<(Hash, usize)>) -> Result<Feature> {
    let identifier = at.need("identifier")?.text()?.to_owned();
    let left_out = Feature { identifier: identifier.clone(), hashing: None };
    if at.get("ignored").map(|at| at.is_true()).transpose()?.unwrap_or(false) {
        return Ok(left_out);
    }
    let hashing = at.need("hashing")?;
    let (format, encoding) = format(&at.need("format")?)?;
    let missing = match hashing.get("missingValue") {
        None => None,
        Some(missing) => {
            let sentinel = missing.need("sentinel")?.text()?.to_owned();
            let with = missing.get("replaceWith").map(|with| with.text()).transpose()?;
            let with = with.map_or_else(|| sentinel.clone(), str::to_owned);
            Some((sentinel, with))
        }
    };
    let ngrams = |least: usize| -> Result<Cut> {
        let positional = hashing.get("positional").map(|at| at.is_true()).transpose()?.unwrap_or(false);
        Ok(Cut::Ngrams { n: hashing.need("ngram")?.count(least, 1000)?, positional })
    };
    let own_hash = || hashing.get("hash").map_or(Ok(Hash::Blake), |at| hash(&at));
    let (cut, strategy, hash) = match (version, usual) {
        (1, Some((hash, bits))) => {
            let weight = hashing.get("weight").map(|weight| weight.number()).transpose()?.unwrap_or(1.0);
            if weight == 0.0 {
                return Ok(left_out);
            }
            let bits = (weight * bits as f64).round_ties_even();
            if !(1.0..=65536.0).contains(&bits) {
                return Err(hashing.wrong("has a weight that leaves no bit, or more than 65,536"));
            }
            (ngrams(0)?, Strategy::OfToken(bits as u32), hash)
        }
        (2, _) => {
            let strategy = hashing.need("strategy")?;
            (ngrams(1)?, how_many(&strategy, ["k", "numBits"])?, own_hash()?)
        }
        _ => {
            hashing.knows(&["hash", "strategy", "comparison", "missingValue"])?;
            let strategy = hashing.need("strategy")?;
            strategy.knows(&["bitsPerToken", "bitsPerFeature"])?;
            (cut(&hashing.need("comparison")?)?, how_many(&strategy, ["bitsPerToken", "bitsPerFeature"])?, own_hash()?)
        }
    };
    Ok(Feature { identifier, hashing: Some(Hashing { format, encoding, cut, strategy, hash, missing }) })
}

fn how_many(at: &At<'_>, [of_token, of_feature]: [&str; 2]) -> Result<Strategy> {
    let count = |at: At<'_>| Ok(at.count(1, 1 << 16)? as u32);
    match (at.get(of_token), at.get(of_feature)) {
        (Some(bits), None) => Ok(Strategy::OfToken(count(bits)?)),
        (None, Some(bits)) => Ok(Strategy::OfFeature(count(bits)?)),
        _ => Err(at.wrong(&format!("must have either `{of_token}` or `{of_feature}`"))),
    }
}

fn cut(at: &At<'_>) -> Result<Cut> {
    let name = at.need("type")?;
    match name.text()? {
        "ngram" => Ok(Cut::Ngrams {
            n: at.need("n")?.count(1, 1000)?,
            positional: at.get("positional").map(|at| at.is_true()).transpose()?.unwrap_or(false),
        }),
        "exact" => Ok(Cut::Whole),
        "numeric" => {
            let precision = at.get("fractional_precision").map(|at| at.count(0, 300)).transpose()?.unwrap_or(0) as u32;
            let far = at.need("thresholdDistance")?;
            if far.number()?.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
                return Err(far.wrong("must be above 0"));
            }
            let distance = match far.integer() {
                Ok(whole) => whole * BigInt::from(10).pow(precision),
                Err(_) => rounded(far.number()?, precision).ok_or_else(|| far.wrong("is too large"))?,
            };
            if distance == BigInt::ZERO {
                return Err(far.wrong("is nothing with so few digits behind the point"));
            }
            let resolution = at.need("resolution")?.count(1, 10_000)? as i64;
            Ok(Cut::Numbers { distance, resolution, precision })
        }
        _ => Err(name.wrong("must be ngram, exact or numeric")),
    }
}

/// A number times a power of ten, rounded to a whole number, halves to the even one; `None` if there is none.
pub(super) fn rounded(number: f64, precision: u32) -> Option<BigInt> {
    let scaled = number * format!("1e{precision}").parse::<f64>().ok()?;
    scaled.is_finite().then(|| format!("{:.0}", scaled.round_ties_even()).parse().ok())?
}

fn format(at: &At<'_>) -> Result<(Format, Encoding)> {
    let name = at.need("type")?;
    let encoding = match at.get("encoding") {
        None => Encoding::Utf8,
        Some(encoding) => match encoding.text()? {
            "ascii" => Encoding::Ascii,
            "utf-8" => Encoding::Utf8,
            "utf-16" => Encoding::Utf16,
            "utf-32" => Encoding::Utf32,
            _ => return Err(encoding.wrong("must be ascii, utf-8, utf-16 or utf-32")),
        },
    };
    let format = match name.text()? {
        "string" if at.get("pattern").is_some() => {
            at.knows(&["type", "encoding", "pattern", "description"])?;
            let pattern = at.need("pattern")?;
            let whole = format!("^(?:{})$", pattern.text()?);
            Format::Pattern(regex_lite::Regex::new(&whole).map_err(|_| {
                pattern
                    .wrong("is no expression that can be read")
                    .with_hint("look-ahead, look-behind, back references and Unicode classes are not known")
            })?)
        }
        "string" => {
            at.knows(&["type", "encoding", "case", "minLength", "maxLength", "description"])?;
            let case = match at.get("case") {
                None => None,
                Some(case) => match case.text()? {
                    "upper" => Some(Case::Upper),
                    "lower" => Some(Case::Lower),
                    "mixed" => None,
                    _ => return Err(case.wrong("must be upper, lower or mixed")),
                },
            };
            let length = |key: &str, least| at.get(key).map(|at| at.count(least, usize::MAX >> 12)).transpose();
            Format::Text { case, least: length("minLength", 0)?, most: length("maxLength", 1)? }
        }
        "integer" => {
            at.knows(&["type", "minimum", "maximum", "description"])?;
            let limit = |key: &str| at.get(key).map(|at| at.integer()).transpose();
            Format::Integer { least: limit("minimum")?, most: limit("maximum")? }
        }
        "date" => {
            at.knows(&["type", "format", "description"])?;
            let pattern = at.need("format")?;
            Format::Date(DatePattern::parse(pattern.text()?).map_err(|what| pattern.wrong(&what))?)
        }
        "enum" => {
            at.knows(&["type", "values", "description"])?;
            let values = at.need("values")?;
            let list = values.value.as_array().ok_or_else(|| values.wrong("must be a list"))?;
            let text = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(|| values.wrong("must hold texts"));
            Format::OneOf(list.iter().map(text).collect::<Result<_>>()?)
        }
        _ => return Err(name.wrong("must be string, integer, date or enum")),
    };
    Ok((format, encoding))
}
