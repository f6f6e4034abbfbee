//! Host names: taking them out of a URL, and the part that several have in common.
//!
//! The whole host counts, `www` included; scheme, user, port and path are dropped; letters become lower case (readings
//! Q5 and Q15a). An IP address is treated like any other name, label by label: the paper does not say otherwise.

/// The host of a URL, or of a bare host name. Empty when there is none.
pub fn host_of(url: &str) -> String {
    let rest = url.trim();
    let rest = rest.split_once("://").map_or(rest, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => authority.split(':').next().unwrap_or(""),
    };
    host.trim_end_matches('.').to_lowercase()
}

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
