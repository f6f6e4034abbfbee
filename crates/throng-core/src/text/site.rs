//! Web addresses in a text, and the name of their site: `www.bbc.co.uk/news` is a page of `bbc`.
//!
//! # Idea
//! 1. A piece of text without blanks is an address if what is left without scheme, user, port and path is a host name: at
//!    least two labels of letters, digits and hyphens, the last ones on the public suffix list (crate `psl`). So `e.g.`, `3.5`
//!    and `readme.txt` are none.
//! 2. The name of the site is the label right before the public suffix: of `mail.yahoo.com` it is `yahoo`.
//! 3. A host that is itself on the list, where people may have names (`blogspot.com`), is called by its first label.
//! 4. An IP address is an address without a name.
//! 5. A host is a site if it is at least what one registers: `bbc.co.uk`, not `co.uk` and not `localhost`. A name on the list under
//!    which people may have names (`blogspot.com`) is one too, and so is an IP address as a whole.

use std::net::Ipv4Addr;
use std::ops::Range;

/// A web address in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Where its host stands in the text. User, port and path, which may tell who somebody is, are not part of it.
    pub host: Range<usize>,
    /// Where the name of the site stands in the text; `None` for IP addresses.
    pub name: Option<Range<usize>>,
}

/// The longest host name there can be.
const LONGEST: usize = 253;

/// The address that a piece of text without blanks is.
pub fn find(piece: &str) -> Option<Site> {
    // Whatever has no dot is no address, which spares most words the rest.
    if !piece.bytes().any(|byte| byte == b'.') {
        return None;
    }
    let mut start = piece.find("://").map_or(0, |at| at + 3);
    let lead = |text: &str| text.len() - text.trim_start_matches(|letter: char| !letter.is_alphanumeric()).len();
    start += lead(&piece[start..]);
    let end = piece[start..].find(['/', '?', '#', '\\']).map_or(piece.len(), |at| start + at);
    if let Some(at) = piece[start..end].rfind('@') {
        start += at + 1;
    }
    let end = piece[start..end].find(':').map_or(end, |at| start + at);
    let host = piece[start..end].trim_end_matches(|letter: char| !letter.is_alphanumeric());
    let end = start + host.len();
    if host.len() > LONGEST || !host.contains('.') {
        return None;
    }
    let is_label = |label: &str| {
        !label.is_empty() && label.chars().all(|letter| letter.is_alphanumeric() || letter == '-' || letter == '_')
    };
    if !host.split('.').all(is_label) {
        return None;
    }
    if host.split('.').all(|label| label.parse::<u8>().is_ok()) {
        return (host.split('.').count() == 4).then_some(Site { host: start..end, name: None });
    }
    let lower = host.to_lowercase();
    if lower.len() != host.len() {
        return None;
    }
    let bare = if host.is_char_boundary(4) && lower.starts_with("www.") { 4 } else { 0 };
    let suffix = psl::suffix(&lower.as_bytes()[bare..]).filter(psl::Suffix::is_known)?;
    let before = lower.len() - bare - suffix.as_bytes().len();
    let name = if before > 1 {
        // The label right before the dot before the suffix.
        let from = lower[bare..bare + before - 1].rfind('.').map_or(0, |dot| dot + 1);
        bare + from..bare + before - 1
    } else if lower[bare..].contains('.') && suffix.typ() == Some(psl::Type::Private) {
        bare..bare + lower[bare..].find('.')?
    } else if bare > 0 {
        // `www.google`, as people type it, although the name happens to be on the list.
        bare..lower.len()
    } else {
        return None;
    };
    Some(Site { host: start..end, name: Some(start + name.start..start + name.end) })
}

/// Whether a host says more than a public suffix does: it is what one registers, or more than that, or an IPv4 address.
pub fn is_site(host: &str) -> bool {
    if host.parse::<Ipv4Addr>().is_ok() {
        return true;
    }
    if !host.contains('.') || host.split('.').any(str::is_empty) || host.split('.').all(is_number) {
        return false;
    }
    psl::suffix(host.as_bytes()).is_some_and(|suffix| {
        // Below a private suffix people may have names, and it is a site by itself: `blogspot.com`.
        suffix.as_bytes().len() < host.len() || suffix.typ() == Some(psl::Type::Private)
    })
}

fn is_number(label: &str) -> bool {
    label.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a word is a public suffix that people type as a word of its own: `yahoo com`.
pub fn is_ending(word: &str) -> bool {
    const ENDINGS: [&str; 8] = ["com", "net", "org", "edu", "gov", "info", "biz", "co.uk"];
    ENDINGS.iter().any(|ending| ending.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn name(piece: &str) -> Option<&str> {
        find(piece).and_then(|site| site.name).map(|name| &piece[name])
    }

    #[test]
    fn names_of_sites() {
        for (piece, expected) in [
            ("www.google.com", Some("google")),
            ("WWW.Google.COM.", Some("Google")),
            ("www.bbc.co.uk/news", Some("bbc")),
            ("mail.yahoo.com", Some("yahoo")),
            ("hotmail.com", Some("hotmail")),
            ("http://user:word@a.weather-channel.com:80/x.html?y#z", Some("weather-channel")),
            ("//www.x.com", Some("x")),
            ("www.blogspot.com", Some("blogspot")),
            ("blogspot.com", Some("blogspot")),
            ("ann.blogspot.com", Some("ann")),
            ("ann@hotmail.com", Some("hotmail")),
            ("www.google", Some("google")),
            ("(ebay.com)", Some("ebay")),
            ("e.g.", None),
            ("3.5", None),
            ("u.s.", None),
            ("readme.txt", None),
            ("co.uk", None),
            (".com", None),
            ("com", None),
            ("a..com", None),
            ("...", None),
            ("", None),
            ("192.168.1.1", None),
        ] {
            assert_eq!(name(piece), expected, "{piece}");
        }
        assert_eq!(find("http://192.168.1.1/x"), Some(Site { host: 7..18, name: None }));
        assert_eq!(find("1.2.3"), None);
        let address = "http://ann@www.bbc.co.uk/news";
        assert_eq!(&address[find(address).unwrap().host], "www.bbc.co.uk");
    }

    #[test]
    fn sites_are_at_least_what_one_registers() {
        for host in
            ["bbc.co.uk", "www.bbc.co.uk", "pets.com", "blogspot.com", "ann.blogspot.com", "cars.example", "10.0.0.1"]
        {
            assert!(is_site(host), "{host}");
        }
        for host in ["com", "co.uk", "localhost", "", ".com", "a..com", "pets.com.", "0.1", "0.0.1", "2001:db8::1"] {
            assert!(!is_site(host), "{host}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_looked_at(piece in "\\PC{0,20}", ending in "(\\.com|\\.co\\.uk|\\.İ|)") {
            let piece = piece + &ending;
            if let Some(site) = find(&piece) {
                // The host alone is the same site.
                let host = &piece[site.host.clone()];
                let alone = find(host).expect("a host is an address");
                prop_assert_eq!(&host[alone.host.clone()], host);
                prop_assert_eq!(alone.name.map(|name| &host[name]), site.name.map(|name| &piece[name]));
            }
        }
    }
}
