//! Paths and patterns of paths, as a release of an access log has them.
//!
//! A path is cut at its slashes into segments. In a pattern the segment `*` stands for one segment that is not empty; as the last one, for
//! all that is left, at least a letter; `/*` for any path. A literal `*` is written `%2A`, so that no path can be taken for a pattern. A `*` inside
//! a segment, as finders leave one where they masked something (`main.*.js`), stands for any letters there, but no slash.

use std::borrow::Cow;

/// The pattern that covers every path.
pub const ANY: &str = "/*";

/// Endings of what a page pulls.
const ASSETS: [&str; 16] = [
    "png", "css", "ico", "jpg", "jpeg", "js", "gif", "ttf", "woff", "woff2", "svg", "eot", "webp", "avif", "mp4", "map",
];

/// Whether a path is that of a page: not of a picture, a style sheet, a script, a font or a film.
pub fn is_page(path: &str) -> bool {
    let ending = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending);
    !ending.is_some_and(|ending| ASSETS.iter().any(|asset| asset.eq_ignore_ascii_case(ending)))
}

/// A path as it is written in a release.
pub fn written(path: &str) -> Cow<'_, str> {
    if path.contains('*') { Cow::Owned(path.replace('*', "%2A")) } else { Cow::Borrowed(path) }
}

/// Whether a path of a release is a pattern.
pub fn is_pattern(text: &str) -> bool {
    text.contains('*')
}

/// Whether a path or pattern of a release covers a path of the original.
pub fn covers(text: &str, path: &str) -> bool {
    if !is_pattern(text) {
        return text == written(path);
    }
    if text == ANY {
        return true;
    }
    let (mut text, mut path) = match (text.strip_prefix('/'), path.strip_prefix('/')) {
        (Some(text), Some(path)) => (text, path),
        (None, None) => return is_like(text, &written(path)),
        _ => return false,
    };
    loop {
        let (own, more) = text.split_once('/').map_or((text, None), |(own, more)| (own, Some(more)));
        let Some(more) = more else {
            return match own {
                "*" => !path.is_empty(),
                _ => !path.contains('/') && is_like(own, &written(path)),
            };
        };
        let Some((segment, rest)) = path.split_once('/') else { return false };
        let is_same = if own == "*" { !segment.is_empty() } else { is_like(own, &written(segment)) };
        if !is_same {
            return false;
        }
        (text, path) = (more, rest);
    }
}

/// Whether a text is as another says, in which `*` stands for any letters.
fn is_like(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut left) = text.strip_prefix(first) else { return false };
    let Some((middle, last)) = rest.rsplit_once('*') else { return left.ends_with(rest) };
    for part in middle.split('*') {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_by_hand() {
        for (text, path, is_covered) in [
            ("/a/b", "/a/b", true),
            ("/a/b", "/a/b/", false),
            ("/user/*/edit", "/user/8123/edit", true),
            ("/user/*/edit", "/user/8123/photos", false),
            ("/user/*/edit", "/user/8123/7/edit", false),
            ("/user/*/edit", "/user//edit", false),
            ("/blog/*", "/blog/x", true),
            ("/blog/*", "/blog/x/y", true),
            ("/blog/*", "/blog/", false),
            ("/blog/*", "/blog", false),
            ("/blog/*", "/blogs/x", false),
            ("/*", "/", true),
            ("/*", "www.example:443", true),
            ("/*/x", "/a/x", true),
            ("/a*/x", "/a*/x", true),
            ("/a*/x", "/b/x", false),
            ("/main.*.js", "/main.0a1b.js", true),
            ("/main.*.js", "/main.js", false),
            ("/*a*/x", "/bab/x", true),
            ("/a*b*c", "/abc", true),
            ("/a*b*c", "/acb", false),
            ("/a%2A/x", "/a*/x", true),
            ("/*/a%2A", "/b/a*", true),
            ("/a*", "/ab", true),
            ("/a*", "/a/b", false),
            ("*", "*", true),
            ("*", "/a", false),
            ("%2A", "*", true),
        ] {
            assert_eq!(covers(text, path), is_covered, "{text} {path}");
        }
    }

    #[test]
    fn pages_are_no_assets() {
        assert!(is_page("/a.html") && is_page("/map") && is_page("/") && !is_page("/a/B.PNG") && !is_page("/x.woff2"));
    }
}
