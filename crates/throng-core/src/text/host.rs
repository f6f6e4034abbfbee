//! Host names: taking them out of a URL, and the part that several have in common.
//!
//! The whole host counts, `www` included; scheme, user, port and path are dropped; letters become lower case (readings
//! Q5 and Q15a). An IP address is treated like any other name, label by label: the paper does not say otherwise.

use std::net::Ipv6Addr;

use unicode_normalization::char::is_combining_mark;

use super::alike::is_unseen;

/// The host of a URL, or of a bare host name. Empty when there is none: what is no host name, as in `shop.example;session=7`, is
/// no more public than a path.
pub fn host_of(url: &str) -> String {
    let rest = url.trim();
    let rest = rest.split_once("://").map_or(rest, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if let Some((address, _)) = authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return if address.parse::<Ipv6Addr>().is_ok() { address.to_lowercase() } else { String::new() };
    }
    if rest.parse::<Ipv6Addr>().is_ok() {
        return rest.to_lowercase();
    }
    let host = authority.split(':').next().unwrap_or("").trim_end_matches('.').to_lowercase();
    if is_name(&host) { host } else { String::new() }
}

/// Whether a text can be a host name: labels of letters, digits and hyphens; also of underscores, which many have. Scripts in which
/// letters need marks have them.
fn is_name(host: &str) -> bool {
    let is_letter = |letter: char| match letter {
        '-' | '_' => true,
        letter if letter.is_ascii() => letter.is_ascii_alphanumeric(),
        letter => (letter.is_alphanumeric() || is_combining_mark(letter)) && !is_unseen(letter),
    };
    let is_label = |label: &str| (1..=63).contains(&label.chars().count()) && label.chars().all(is_letter);
    host.len() <= LONGEST && host.split('.').all(is_label)
}

/// The most bytes of a host name in its own letters: 253 characters, and few have more than four times as many bytes.
const LONGEST: usize = 4 * 253;

/// The labels of a host, the right-most first.
pub fn labels(host: &str) -> impl Iterator<Item = &str> {
    host.rsplit('.').filter(|_| !host.is_empty())
}

/// The right-most common part of some hosts, in whole labels: `a.x.com` and `b.x.com` give `x.com`. `None` when they
/// have no label in common, or there is no host.
pub fn common_suffix<'a>(hosts: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut hosts = hosts.into_iter();
    let mut common = hosts.next()?;
    for host in hosts {
        let shared = labels(common).zip(labels(host)).take_while(|(left, right)| left == right);
        // The dots between the shared labels count too.
        let length = shared.map(|(label, _)| label.len() + 1).sum::<usize>().saturating_sub(1);
        common = &common[common.len() - length..];
    }
    (!common.is_empty()).then_some(common)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_urls() {
        for (url, host) in [
            ("http://www.MySpace-codes.com", "www.myspace-codes.com"),
            ("https://user:pw@a.org:8080/x?y#z", "a.org"),
            ("a.org/path", "a.org"),
            ("a.org.", "a.org"),
            ("ftp://[2001:db8::1]:21/", "2001:db8::1"),
            ("x.com", "x.com"),
            ("http://", ""),
            ("", ""),
        ] {
            assert_eq!(host_of(url), host, "{url}");
        }
    }

    #[test]
    fn what_is_no_host_name_is_not_published() {
        for url in [
            "http://shop.example;jsessionid=ANNA1234",
            "shop.example&user=anna",
            "http://shop.example%2fanna",
            "http://shop.example anna",
            "shop.example\tanna",
            "shop.example\"anna\"",
            "shop.example'anna",
            "shop.example\\anna",
            "shop.example\u{202e}anna",
            "shop.example,anna",
            "anna=1.example",
            "a\u{3164}.example",
            "a\u{fe0f}.example",
            "shop..example",
            ".example",
            "ftp://[anna]/",
            "ftp://[fe80::1%anna]/",
            "anna smith",
        ] {
            assert_eq!(host_of(url), "", "{url:?}");
        }
        assert_eq!(host_of(&format!("{}.example", "a".repeat(64))), "");
        for host in [
            "m\u{fc}ller.example",
            "\u{939}\u{93f}\u{928}\u{94d}\u{926}\u{940}.example",
            "my_shop.example",
            "192.168.0.1",
        ] {
            assert_eq!(host_of(&format!("https://{host}:80/x;y")), host);
            assert_eq!(host_of(&host_of(host)), host);
        }
        assert_eq!(host_of("2001:db8::1"), "2001:db8::1");
    }

    #[test]
    fn the_common_part_is_made_of_whole_labels() {
        assert_eq!(common_suffix(["www.a.com", "www.b.com"]), Some("com"));
        assert_eq!(common_suffix(["www.a.com", "m.a.com", "a.com"]), Some("a.com"));
        assert_eq!(common_suffix(["www.a.com"]), Some("www.a.com"));
        assert_eq!(common_suffix(["xa.com", "a.com"]), Some("com"));
        assert_eq!(common_suffix(["a.com", "a.org"]), None);
        assert_eq!(common_suffix([]), None);
        assert_eq!(common_suffix(["", "a.org"]), None);
    }
}
