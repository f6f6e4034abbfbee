//! ARX projects, `.deid`: a zip with the data, the roles of their columns and their hierarchies. Read only.
//!
//! A zip from a stranger is hostile. Its directory at the end says what is in it; only members with the names below are ever
//! unpacked, each to a limit. A project in which some name is absolute, goes up or comes twice is refused as a whole, and so is XML that
//! declares anything. Members `*.dat` are serialised objects of another program: they are never opened.
//!
//! `input/definition.xml`   an `<assigment>` (spelt so) for each column: name, type, datatype, ref, min, max
//! `input/hierarchies/…`    what `ref` names, `;`-separated
//! `input/config.xml`       the share of rows that may be left out, and the models that ARX was asked for; it may be missing
//! `data/input.csv`         the rows

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

use throng_core::{Error, Result};

use crate::limits;

/// The most bytes of a project, as it lies there.
const MOST_PACKED: u64 = 1 << 30;
/// The most bytes of a member that holds data or a hierarchy.
const MOST_UNPACKED: u64 = 1 << 30;
/// The most bytes of a member of XML.
const MOST_XML: u64 = 16 << 20;
/// The most members.
const MOST_MEMBERS: usize = 1 << 16;
/// The deepest nesting of XML.
const DEEPEST: usize = 64;

const DATA: &str = "data/input.csv";
const DEFINITION: &str = "input/definition.xml";
const CONFIG: &str = "input/config.xml";
/// What versions of ARX call the share of rows that may be left out.
const LIMITS: [&str; 3] = ["relativeMaxOutliers", "suppressionLimit", "allowedOutliers"];

/// A column of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ProjectColumn {
    pub(crate) name: String,
    /// As ARX calls it: `QUASI_IDENTIFYING_ATTRIBUTE`.
    pub(crate) role: String,
    /// As ARX calls it: `Integer`, `String`.
    pub(crate) datatype: String,
    /// The text of its hierarchy.
    pub(crate) hierarchy: Option<String>,
    /// The lowest and the highest level that are allowed, where that is said.
    pub(crate) least: Option<usize>,
    pub(crate) most: Option<usize>,
}

/// What a project says of its data.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Project {
    pub(crate) columns: Vec<ProjectColumn>,
    /// The share of rows that may be left out, where that is said.
    pub(crate) suppress: Option<f64>,
    /// How many models ARX was asked for.
    pub(crate) models: usize,
}

/// Whether a file is called a project.
pub(crate) fn is_project(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("deid"))
}

/// The rows of a project.
pub(super) fn data(path: &Path) -> Result<Vec<u8>> {
    let named = |error: Error| error.in_file(path.display().to_string());
    let bytes = limits::read_file(path, "the project ", MOST_PACKED)?;
    let archive = Archive::of(&bytes).map_err(named)?;
    archive.member(DATA, MOST_UNPACKED).map_err(named)
}

/// What a project says of its data.
pub(crate) fn project(path: &Path) -> Result<Project> {
    let named = |error: Error| error.in_file(path.display().to_string());
    let bytes = limits::read_file(path, "the project ", MOST_PACKED)?;
    of_bytes(&bytes).map_err(named)
}

/// What the bytes of a project say.
pub(crate) fn of_bytes(bytes: &[u8]) -> Result<Project> {
    let archive = Archive::of(bytes)?;
    if !archive.members.contains_key(DATA) {
        return Err(Error::data(format!("the project has no data: `{DATA}` is missing"))
            .with_hint("save the project in ARX with its data"));
    }
    let definition = text_of(archive.member(DEFINITION, MOST_XML)?, DEFINITION)?;
    let mut columns = Vec::new();
    for element in elements(&definition, DEFINITION)? {
        if element.name != "assigment" && element.name != "assignment" {
            continue;
        }
        let said = |key: &str| element.fields.iter().find(|(name, _)| name == key).map(|(_, text)| text.trim());
        let Some(name) = said("name").filter(|name| !name.is_empty()) else {
            return Err(broken("a column has no name").with_hint("save the project anew in ARX"));
        };
        let level = |key: &str| said(key).and_then(|text| text.parse().ok());
        let hierarchy = match said("ref").filter(|place| !place.is_empty()) {
            Some(place) => {
                let member = format!("input/{}", place.trim_start_matches("input/"));
                Some(text_of(archive.member(&member, MOST_UNPACKED)?, "a hierarchy")?)
            }
            None => None,
        };
        columns.push(ProjectColumn {
            name: name.to_owned(),
            role: said("type").unwrap_or_default().to_owned(),
            datatype: said("datatype").unwrap_or_default().to_owned(),
            hierarchy: hierarchy.filter(|text| !text.trim().is_empty()),
            least: level("min"),
            most: level("max"),
        });
    }
    if columns.is_empty() {
        return Err(broken("no column is defined").with_hint("`input/definition.xml` says what columns are"));
    }
    let (suppress, models) = match archive.members.contains_key(CONFIG) {
        true => config(&text_of(archive.member(CONFIG, MOST_XML)?, CONFIG)?)?,
        false => (None, 0),
    };
    Ok(Project { columns, suppress, models })
}

/// What a configuration says: the share of rows that may be left out, and how many models are asked for.
fn config(text: &str) -> Result<(Option<f64>, usize)> {
    let elements = elements(text, CONFIG)?;
    let fields = || elements.iter().flat_map(|element| &element.fields);
    let said = fields().find(|(name, _)| LIMITS.contains(&name.as_str())).map(|(_, text)| text.as_str());
    let share = |text: &str| {
        let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
        share
            .ok_or_else(|| broken(&format!("`{CONFIG}` limits the rows that are left out by what is no share of them")))
    };
    Ok((said.map(share).transpose()?, fields().filter(|(name, _)| name == "criterion").count()))
}

fn broken(problem: &str) -> Error {
    Error::data(format!("this is no ARX project that can be read: {problem}"))
}

fn text_of(bytes: Vec<u8>, what: &str) -> Result<String> {
    let text = String::from_utf8(bytes).map_err(|_| broken(&format!("{what} is not UTF-8")))?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// A zip, by the directory at its end.
struct Archive<'a> {
    bytes: &'a [u8],
    members: BTreeMap<String, Member>,
}

struct Member {
    /// Where its own header begins.
    at: usize,
    packed: usize,
    unpacked: u64,
    method: u16,
    crc: u32,
}

impl<'a> Archive<'a> {
    fn of(bytes: &'a [u8]) -> Result<Self> {
        const END: [u8; 4] = [b'P', b'K', 5, 6];
        let no_zip = || {
            broken("it is no zip")
                .with_hint("a project is what ARX saves as `.deid`; rows come as tsv, csv, jsonl or parquet")
        };
        if !bytes.starts_with(b"PK") {
            return Err(no_zip());
        }
        // The end has 22 bytes and a comment of at most 65,535.
        let first = bytes.len().saturating_sub(22 + 65_535);
        let last = bytes.len().checked_sub(22).ok_or_else(no_zip)?;
        let end = (first..=last).rev().find(|&at| bytes[at..].starts_with(&END)).ok_or_else(no_zip)?;
        let count = usize::from(two(bytes, end + 10).ok_or_else(no_zip)?);
        let mut at = four(bytes, end + 16).ok_or_else(no_zip)? as usize;
        if count == 0xffff || at == 0xffff_ffff {
            return Err(broken("it is a zip of the large form"));
        }
        if count > MOST_MEMBERS {
            return Err(broken("it has too many members"));
        }
        let mut members = BTreeMap::new();
        for _ in 0..count {
            let damaged = || broken("its directory is damaged");
            if !bytes.get(at..).is_some_and(|rest| rest.starts_with(&[b'P', b'K', 1, 2])) {
                return Err(damaged());
            }
            let half = |offset: usize| two(bytes, at + offset).map(usize::from).ok_or_else(damaged);
            let whole = |offset: usize| four(bytes, at + offset).ok_or_else(damaged);
            let (flags, method) = (half(8)?, half(10)?);
            let (name_bytes, extra, comment) = (half(28)?, half(30)?, half(32)?);
            let name = bytes.get(at + 46..at + 46 + name_bytes).ok_or_else(damaged)?;
            let name = std::str::from_utf8(name).map_err(|_| broken("a member has a name that is no UTF-8"))?;
            if is_dangerous(name) {
                return Err(broken("a member has an absolute name, or one that goes up")
                    .with_hint("such a zip was made to harm: do not unpack it elsewhere either"));
            }
            if flags & 1 == 1 {
                return Err(broken("it is encrypted"));
            }
            let member = Member {
                at: whole(42)? as usize,
                packed: whole(20)? as usize,
                unpacked: u64::from(whole(24)?),
                method: method as u16,
                crc: whole(16)?,
            };
            if members.insert(name.to_owned(), member).is_some() {
                return Err(broken("two members have the same name"));
            }
            at += 46 + name_bytes + extra + comment;
        }
        Ok(Self { bytes, members })
    }

    /// The bytes of a member, unpacked, but not more than a limit.
    fn member(&self, name: &str, most: u64) -> Result<Vec<u8>> {
        let problem = |what: &str| broken(&format!("`{name}` {what}"));
        let found = self.members.get(name).ok_or_else(|| problem("is missing"))?;
        if found.unpacked > most {
            return Err(problem(&format!("unpacks to more than {} MiB", most >> 20)));
        }
        let header = self.bytes.get(found.at..).filter(|rest| rest.starts_with(&[b'P', b'K', 3, 4]));
        let header = header.ok_or_else(|| problem("is not where the directory says"))?;
        let (name_bytes, extra) = (two(header, 26), two(header, 28));
        let begin = name_bytes.zip(extra).map(|(name, extra)| 30 + usize::from(name) + usize::from(extra));
        let packed = begin.and_then(|begin| header.get(begin..)?.get(..found.packed));
        let packed = packed.ok_or_else(|| problem("is cut short"))?;
        let limit = found.unpacked.min(most);
        let mut unpacked = Vec::new();
        match found.method {
            0 => unpacked.extend_from_slice(packed),
            8 => {
                let mut reader = flate2::read::DeflateDecoder::new(packed).take(limit + 1);
                reader.read_to_end(&mut unpacked).map_err(|_| problem("is damaged"))?;
            }
            _ => return Err(problem("is packed in a way that is not known")),
        }
        if unpacked.len() as u64 != found.unpacked {
            return Err(problem("unpacks to more or less than the directory says"));
        }
        let mut crc = flate2::Crc::new();
        crc.update(&unpacked);
        if crc.sum() != found.crc {
            return Err(problem("is damaged"));
        }
        Ok(unpacked)
    }
}

/// Whether a name could lead out of a folder.
fn is_dangerous(name: &str) -> bool {
    let parts = || name.split(['/', '\\']);
    name.starts_with(['/', '\\'])
        || name.contains('\0')
        || name.get(1..2) == Some(":")
        || parts().any(|part| part == "..")
}

fn two(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn four(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// An element of XML with what stands in it: attributes, and children that hold nothing but text.
struct Element {
    name: String,
    fields: Vec<(String, String)>,
}

/// All elements, each as it ends. Declarations of documents and entities are refused.
fn elements(text: &str, member: &str) -> Result<Vec<Element>> {
    let bad = |problem: &str| broken(&format!("`{member}` {problem}"));
    let (mut found, mut open): (Vec<Element>, Vec<(Element, String)>) = (Vec::new(), Vec::new());
    let mut rest = text;
    while let Some(begin) = rest.find('<') {
        if let Some((_, inside)) = open.last_mut() {
            inside.push_str(&unescaped(&rest[..begin]).ok_or_else(|| bad("has an entity that XML does not know"))?);
        }
        rest = &rest[begin..];
        let skipped = [("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>")];
        if let Some((start, end)) = skipped.into_iter().find(|(start, _)| rest.starts_with(start)) {
            let length = rest.find(end).ok_or_else(|| bad("ends too early"))?;
            if let (true, Some((_, inside))) = (start == "<![CDATA[", open.last_mut()) {
                inside.push_str(&rest[start.len()..length]);
            }
            rest = &rest[length + end.len()..];
            continue;
        }
        if rest.starts_with("<!") {
            return Err(bad("declares something, which a project of ARX does not"));
        }
        let length = rest.find('>').ok_or_else(|| bad("ends too early"))?;
        let (tag, after) = (&rest[1..length], &rest[length + 1..]);
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            let (mut element, inside) = open.pop().ok_or_else(|| bad("closes what is not open"))?;
            if element.name != name.trim() {
                return Err(bad("closes what is not open"));
            }
            let inside = inside.trim().to_owned();
            match open.last_mut() {
                Some((above, _)) if element.fields.is_empty() => above.fields.push((element.name.clone(), inside)),
                _ => element.fields.push((String::new(), inside)),
            }
            found.push(element);
            continue;
        }
        let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let element = opened(tag).ok_or_else(|| bad("has a tag that cannot be read"))?;
        match is_empty {
            true => found.push(element),
            false if open.len() >= DEEPEST => return Err(bad("is nested too deeply")),
            false => open.push((element, String::new())),
        }
    }
    if !open.is_empty() {
        return Err(bad("ends too early"));
    }
    Ok(found)
}

/// A tag with its attributes.
fn opened(tag: &str) -> Option<Element> {
    let (name, mut rest) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
    if name.is_empty() || name.contains(['<', '&', '"', '\'']) {
        return None;
    }
    let mut fields = Vec::new();
    rest = rest.trim();
    while !rest.is_empty() {
        let (key, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, after) = after[1..].split_once(quote)?;
        fields.push((key.trim().to_owned(), unescaped(value)?));
        rest = after.trim_start();
    }
    Some(Element { name: name.to_owned(), fields })
}

/// A text without the five entities of XML and numbers of characters; nothing if it has others.
fn unescaped(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        let (entity, after) = rest[at + 1..].split_once(';')?;
        plain.push(match entity {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "apos" => '\'',
            other => {
                let number = match other.strip_prefix("#x") {
                    Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                    None => other.strip_prefix('#')?.parse().ok()?,
                };
                char::from_u32(number)?
            }
        });
        rest = after;
    }
    plain.push_str(rest);
    Some(plain)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Write as _;

    use super::*;

    /// A zip with these members, packed.
    pub(crate) fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
        let (mut bytes, mut directory) = (Vec::new(), Vec::new());
        for (name, content) in members {
            let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(content).unwrap();
            let packed = encoder.finish().unwrap();
            let mut crc = flate2::Crc::new();
            crc.update(content);
            let at = bytes.len() as u32;
            let mut common = vec![20, 0, 0, 0, 8, 0, 0, 0, 0, 0];
            for number in [crc.sum(), packed.len() as u32, content.len() as u32] {
                common.extend(number.to_le_bytes());
            }
            common.extend((name.len() as u16).to_le_bytes());
            common.extend([0, 0]);
            bytes.extend(b"PK\x03\x04");
            bytes.extend(&common);
            bytes.extend(name.as_bytes());
            bytes.extend(&packed);
            directory.extend(b"PK\x01\x02\x14\x00");
            directory.extend(&common);
            directory.extend([0; 10]);
            directory.extend(at.to_le_bytes());
            directory.extend(name.as_bytes());
        }
        let begin = bytes.len() as u32;
        bytes.extend(&directory);
        bytes.extend(b"PK\x05\x06\x00\x00\x00\x00");
        bytes.extend((members.len() as u16).to_le_bytes());
        bytes.extend((members.len() as u16).to_le_bytes());
        bytes.extend((directory.len() as u32).to_le_bytes());
        bytes.extend(begin.to_le_bytes());
        bytes.extend([0, 0]);
        bytes
    }

    const XML: &str = "<?xml version=\"1.0\"?>\n<definition>\n<!-- roles -->\n<assigment>\n<name>age</name>\n\
        <type>QUASI_IDENTIFYING_ATTRIBUTE</type><datatype>Integer</datatype>\n<ref>hierarchies/0.csv</ref><min>1</min><max>All</max>\n\
        </assigment>\n<assigment name=\"A &amp; B\" type=\"SENSITIVE_ATTRIBUTE\" datatype=\"String\"/>\n</definition>\n";

    fn project(xml: &str, more: &[(&str, &[u8])]) -> Result<Project> {
        let members = [
            ("input/definition.xml", xml.as_bytes()),
            ("input/hierarchies/0.csv", &b"1;*\n2;*\n"[..]),
            ("data/input.csv", &b"age;A & B\n1;x\n2;y\n"[..]),
            ("metadata.dat", &b"never opened"[..]),
        ];
        of_bytes(&zip(&members.iter().chain(more).copied().collect::<Vec<_>>()))
    }

    #[test]
    fn limits_are_read() {
        let config = |text: &str| project(XML, &[(CONFIG, text.as_bytes())]);
        let found = config(
            "<config><metric>Loss</metric><relativeMaxOutliers>0.04</relativeMaxOutliers><criteria><criterion>5-anonymity</criterion>\
             <criterion>0.2-closeness</criterion></criteria></config>",
        );
        let found = found.unwrap();
        assert_eq!((found.suppress, found.models), (Some(0.04), 2));
        assert_eq!(config("<config></config>").unwrap().suppress, None);
        assert_eq!(project(XML, &[]).unwrap().suppress, None);
        for broken in
            ["<config><relativeMaxOutliers>4</relativeMaxOutliers></config>", "<config>", "<!DOCTYPE a><config/>"]
        {
            assert!(config(broken).unwrap_err().to_string().contains(CONFIG), "{broken}");
        }
    }

    #[test]
    fn a_project_is_read() {
        let found = project(XML, &[]).unwrap();
        assert_eq!(found.columns.len(), 2);
        let age = &found.columns[0];
        assert_eq!((age.name.as_str(), age.role.as_str()), ("age", "QUASI_IDENTIFYING_ATTRIBUTE"));
        assert_eq!((age.hierarchy.as_deref(), age.least, age.most), (Some("1;*\n2;*\n"), Some(1), None));
        assert_eq!((found.columns[1].name.as_str(), found.columns[1].role.as_str()), ("A & B", "SENSITIVE_ATTRIBUTE"));
    }

    #[test]
    fn what_is_hostile_is_refused() {
        for (xml, more, problem) in [
            (XML, &[("../evil", &b""[..])][..], "goes up"),
            (XML, &[("/etc/evil", b"")], "absolute"),
            (XML, &[("a\\..\\evil", b"")], "goes up"),
            (XML, &[("C:\\evil", b"")], "absolute"),
            (XML, &[("data/input.csv", b"")], "same name"),
            ("<!DOCTYPE a [<!ENTITY b \"c\">]><definition/>", &[], "declares"),
            ("<definition>&evil;</definition>", &[], "entity"),
            ("<a><b></a></b>", &[], "not open"),
            ("<a>", &[], "too early"),
            ("<definition></definition>", &[], "no column"),
        ] {
            let error = project(xml, more).unwrap_err().describe(false);
            assert!(error.contains(problem), "{problem}: {error}");
        }
        assert!(of_bytes(b"age,zip\n1,2\n").unwrap_err().describe(false).contains("no zip"));
        assert!(of_bytes(&zip(&[("a", b"b")])).unwrap_err().describe(false).contains("no data"));
    }

    #[test]
    fn a_bomb_is_not_unpacked() {
        let zeros = vec![b'0'; 20 << 20];
        let error = of_bytes(&zip(&[("data/input.csv", b""), ("input/definition.xml", &zeros)])).unwrap_err();
        assert!(error.describe(false).contains("more than 16 MiB"), "{error}");
        // The directory says less than there is.
        let mut lying = zip(&[("data/input.csv", b""), ("input/definition.xml", &zeros)]);
        let at = lying.windows(4).rposition(|window| window == b"PK\x01\x02").unwrap();
        lying[at + 24..at + 28].copy_from_slice(&100u32.to_le_bytes());
        let error = of_bytes(&lying).unwrap_err();
        assert!(error.describe(false).contains("more or less"), "{error}");
    }
}
