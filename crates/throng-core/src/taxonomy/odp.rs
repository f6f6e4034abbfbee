//! The structure of the Open Directory Project: dumps called `structure.rdf.u8`.
//!
//! Every `<Topic r:id="Top/Sports/Soccer">` is an item under the topic of its path without the last part; topics that are
//! only in a path are there too. Titles, links and descriptions are left out. Thousands of topics end in the same part, so an
//! item is called by its whole path; the last part is another name where no other topic ends in it. Bytes that are not UTF-8,
//! which real dumps have, are replaced.
//!
//! # Cost
//! The dump is read line by line and never in memory as a whole.

use std::borrow::Cow;
use std::io::BufRead;

use super::paths::{add, last_parts};
use super::{Taxonomy, TaxonomyBuilder};
use crate::error::{Error, Result};

/// Reads a dump.
pub fn read(mut dump: impl BufRead) -> Result<Taxonomy> {
    let mut builder = TaxonomyBuilder::new();
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        if dump.read_until(b'\n', &mut bytes).map_err(|cause| Error::io("read the taxonomy", cause))? == 0 {
            break;
        }
        let text = String::from_utf8_lossy(&bytes);
        let Some(topic) = text.trim_start().strip_prefix("<Topic ") else { continue };
        let id = topic.split_once("r:id=\"").and_then(|(_, rest)| rest.split_once('"'));
        let (id, _) = id.ok_or_else(|| Error::data("a topic has no `r:id`").at_line(line))?;
        let path = plain(id);
        builder.at_line(line);
        if !path.is_empty() {
            add(&mut builder, path.trim_matches('/'), "/")?;
        }
    }
    let mut tree = builder.finish().map_err(|error| {
        if error.place().is_none() {
            error.with_hint("an ODP dump has lines such as `<Topic r:id=\"Top/Arts\">`")
        } else {
            error
        }
    })?;
    let names: Vec<Option<String>> = last_parts(&tree, "/").into_iter().map(|part| part.map(str::to_owned)).collect();
    for (node, name) in (0..).zip(names) {
        if let Some(name) = name.filter(|name| name != tree.label(node)) {
            tree.add_alias(&name, node);
        }
    }
    Ok(tree)
}

/// Text of XML without its entities.
fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        let entity = after.split_once(';').and_then(|(name, after)| Some((letter(name)?, after)));
        match entity {
            Some((letter, after)) => {
                plain.push(letter);
                rest = after;
            }
            None => {
                plain.push('&');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

fn letter(entity: &str) -> Option<char> {
    match entity {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = entity.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUMP: &[u8] = b"<?xml version='1.0' encoding='UTF-8' ?>
<RDF xmlns:r=\"http://www.w3.org/TR/RDF/\" xmlns=\"http://dmoz.org/rdf/\">
  <Topic r:id=\"\">
    <catid>1</catid>
  </Topic>
  <Topic r:id=\"Top\">
    <d:Title>Top</d:Title>
    <narrow r:resource=\"Top/Arts\"></narrow>
  </Topic>
  <Topic r:id=\"Top/Arts/Music\"></Topic>
  <Topic r:id=\"Top/Sports/Soccer\">
    <altlang r:resource=\"Latin:Top/World/Nowhere\"/>
  </Topic>
  <Topic r:id=\"Top/Sports/Music\"/>
  <Topic r:id=\"Top/Sports/Track_&amp;_Field&#x21;\"/>
  <Topic r:id=\"Top/Sports/Caf\xe9\"/>
</RDF>
";

    #[test]
    fn topics_are_called_by_their_path() {
        let tree = read(DUMP).unwrap();
        let labels: Vec<&str> = tree.labels().iter().collect();
        let expected = [
            "Top",
            "Top/Arts",
            "Top/Arts/Music",
            "Top/Sports",
            "Top/Sports/Soccer",
            "Top/Sports/Music",
            "Top/Sports/Track_&_Field!",
            "Top/Sports/Caf\u{fffd}",
        ];
        assert_eq!(labels, expected);
        assert_eq!(tree.find("Soccer"), tree.find("Top/Sports/Soccer"));
        assert_eq!(tree.find("Music"), None);
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(read(&b"<RDF>\n</RDF>"[..]).unwrap_err().describe(false).contains("<Topic r:id"));
        assert!(read(&b"<RDF>\n<Topic>"[..]).unwrap_err().to_string().contains("empty"));
        assert!(read(&b"<RDF>\n<Topic id=\"Top\">"[..]).unwrap_err().describe(false).contains("line 2"));
        let two = read(&b"<Topic r:id=\"Top/A\"/>\n<Topic r:id=\"Bottom/A\"/>"[..]).unwrap_err().describe(false);
        assert!(two.contains("2 roots") && two.contains("line 2"), "{two}");
    }
}
