//! Paths and patterns of paths, as a release of an access log has them.
//!
//! A path is cut at its slashes into segments. In a pattern the segment `*` stands for one segment that is not empty; as the last one, for
//! all that is left, at least a letter; `/*` for any path. A literal `*` is written `%2A`, so that no path can be taken for a pattern.
//! Whatever has a `*` elsewhere is neither, and covers nothing.

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
    let (Some(mut text), Some(mut path)) = (text.strip_prefix('/'), path.strip_prefix('/')) else { return false };
    loop {
        let (own, more) = text.split_once('/').map_or((text, None), |(own, more)| (own, Some(more)));
        let Some(more) = more else {
            return match own {
                "*" => !path.is_empty(),
                _ => !own.contains('*') && own == written(path) && !path.contains('/'),
            };
        };
        let Some((segment, rest)) = path.split_once('/') else { return false };
        let is_like = if own == "*" { !segment.is_empty() } else { !own.contains('*') && own == written(segment) };
        if !is_like {
            return false;
        }
        (text, path) = (more, rest);
    }
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
            ("/a*/x", "/a*/x", false),
            ("/a%2A/x", "/a*/x", true),
            ("/*/a%2A", "/b/a*", true),
            ("/a*", "/ab", false),
            ("*", "*", false),
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
