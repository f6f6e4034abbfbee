//! Agents rebuilt from what they are: what a release may say of a browser whose own text few visitors have.
//!
//! The forms of an agent, the most telling one first: family and version on its system, the family on its system, the class, and that there
//! is an agent at all. They are texts that analysers read as the same family: versions are `major.0.0.0`, or `0.0.0.0` where they are left
//! out, and every system has one way to be written. Whoever checks a release makes the same forms of every agent of the original.

use super::{Agent, Class};

/// A bot of which nothing else is said.
pub const BOT: &str = "Mozilla/5.0 (compatible; bot)";
/// A human's browser of which nothing else is said.
pub const SOME: &str = "Mozilla/5.0 (compatible)";

/// The forms that a rebuilt agent may have, the most telling one first.
pub fn forms(agent: &Agent) -> Vec<String> {
    if agent.is_bot {
        let family = clean(&agent.family);
        let own = (!family.is_empty()).then(|| format!("Mozilla/5.0 (compatible; {family}/1.0; bot)"));
        return own.into_iter().chain([BOT.to_owned()]).collect();
    }
    let mut forms = Vec::new();
    let family = clean(&agent.family);
    let is_number = |text: &str| !text.is_empty() && text.len() < 6 && text.bytes().all(|byte| byte.is_ascii_digit());
    if !family.is_empty() && family != "Other" {
        let system = clean(&agent.system);
        if is_number(&agent.major) {
            forms.push(form(&family, &agent.major, &system));
        }
        forms.push(form(&family, "0", &system));
    }
    let class = match agent.class {
        Class::Edge => Some("Edge"),
        Class::Opera => Some("Opera"),
        Class::Chrome => Some("Chrome"),
        Class::Firefox => Some("Firefox"),
        Class::Msie => Some("IE"),
        Class::Safari => Some("Safari"),
        Class::Android => Some("Android"),
        Class::Bot | Class::Other => None,
    };
    forms.extend(class.map(|family| form(family, "0", "")));
    forms.push(SOME.to_owned());
    forms.dedup();
    forms
}

/// A name without what would end a part of an agent.
fn clean(name: &str) -> String {
    name.chars().filter(|&c| c.is_alphanumeric() || matches!(c, ' ' | '.' | '-' | '_' | '!' | '/')).collect()
}

/// How a system is written.
fn platform(system: &str) -> &str {
    match system {
        "" | "Other" => "compatible",
        "Windows" => "Windows NT 10.0; Win64; x64",
        "Mac OS X" => "Macintosh; Intel Mac OS X 10_15_7",
        "Linux" => "X11; Linux x86_64",
        "Ubuntu" => "X11; Ubuntu; Linux x86_64",
        "Fedora" => "X11; Fedora; Linux x86_64",
        "Debian" => "X11; Debian; Linux x86_64",
        "Chrome OS" => "X11; CrOS x86_64 14541.0.0",
        "Android" => "Linux; Android 10; K",
        "iOS" => "iPhone; CPU iPhone OS 17_0 like Mac OS X",
        other => other,
    }
}

/// A family with a version on a system.
fn form(family: &str, major: &str, system: &str) -> String {
    let on = platform(system);
    let webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
    let apple = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
    match family {
        "Chrome" => format!("Mozilla/5.0 ({on}) {webkit} Chrome/{major}.0.0.0 Safari/537.36"),
        "Chrome Mobile" => format!("Mozilla/5.0 ({on}) {webkit} Chrome/{major}.0.0.0 Mobile Safari/537.36"),
        "Chrome Mobile WebView" => {
            format!("Mozilla/5.0 ({on}; wv) {webkit} Version/4.0 Chrome/{major}.0.0.0 Mobile Safari/537.36")
        }
        "Chrome Mobile iOS" => format!("Mozilla/5.0 ({on}) {apple} CriOS/{major}.0.0.0 Mobile/15E148 Safari/604.1"),
        "Edge" => format!("Mozilla/5.0 ({on}) {webkit} Chrome/{major}.0.0.0 Safari/537.36 Edg/{major}.0.0.0"),
        "Edge Mobile" => {
            format!("Mozilla/5.0 ({on}) {webkit} Chrome/{major}.0.0.0 Mobile Safari/537.36 EdgA/{major}.0.0.0")
        }
        "Opera" => format!("Mozilla/5.0 ({on}) {webkit} Chrome/{major}.0.0.0 Safari/537.36 OPR/{major}.0.0.0"),
        "Opera Mobile" => {
            format!("Mozilla/5.0 ({on}) {webkit} Chrome/{major}.0.0.0 Mobile Safari/537.36 OPR/{major}.0.0.0")
        }
        "Samsung Internet" => format!(
            "Mozilla/5.0 ({on}) {webkit} SamsungBrowser/{major}.0.0.0 Chrome/{major}.0.0.0 Mobile Safari/537.36"
        ),
        "Firefox" => format!("Mozilla/5.0 ({on}; rv:{major}.0) Gecko/20100101 Firefox/{major}.0.0.0"),
        "Firefox Mobile" => {
            format!("Mozilla/5.0 (Android 10; Mobile; rv:{major}.0) Gecko/{major}.0 Firefox/{major}.0.0.0")
        }
        "Firefox iOS" => format!("Mozilla/5.0 ({on}) {apple} FxiOS/{major}.0.0.0 Mobile/15E148 Safari/605.1.15"),
        "IE" => format!("Mozilla/5.0 (compatible; MSIE {major}.0; {on})"),
        "IE Mobile" => format!("Mozilla/5.0 (compatible; MSIE {major}.0; Windows Phone OS 7.5; IEMobile/{major}.0)"),
        "Safari" => format!("Mozilla/5.0 ({on}) {apple} Version/{major}.0.0.0 Safari/605.1.15"),
        "Mobile Safari" => format!("Mozilla/5.0 ({on}) {apple} Version/{major}.0.0.0 Mobile/15E148 Safari/604.1"),
        "Mobile Safari UI/WKWebView" => format!("Mozilla/5.0 ({on}) {apple} Mobile/15E148"),
        "Android" => {
            format!(
                "Mozilla/5.0 (Linux; U; Android {major}.0.0; en) AppleWebKit/534.30 (KHTML, like Gecko) Version/4.0 Mobile Safari/534.30"
            )
        }
        other => format!("Mozilla/5.0 ({on}) {other}/{major}.0.0.0"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(family: &str, major: &str, system: &str, is_bot: bool) -> Agent {
        Agent {
            family: family.to_owned(),
            major: major.to_owned(),
            system: system.to_owned(),
            class: Class::of_family(family, is_bot),
            is_bot,
            ..Agent::NONE
        }
    }

    #[test]
    fn forms_by_hand() {
        let forms_of = |family, major, system| forms(&agent(family, major, system, false));
        let chrome = |platform: &str, version: &str| {
            format!("Mozilla/5.0 ({platform}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{version} Safari/537.36")
        };
        assert_eq!(
            forms_of("Chrome", "126", "Linux"),
            [
                chrome("X11; Linux x86_64", "126.0.0.0"),
                chrome("X11; Linux x86_64", "0.0.0.0"),
                chrome("compatible", "0.0.0.0"),
                SOME.to_owned()
            ]
        );
        assert_eq!(
            forms_of("Vivaldi", "x", "Plan 9").first().map(String::as_str),
            Some("Mozilla/5.0 (Plan 9) Vivaldi/0.0.0.0")
        );
        assert_eq!(forms(&Agent::NONE), [SOME]);
        assert_eq!(forms(&agent("Googlebot", "2", "", true)), ["Mozilla/5.0 (compatible; Googlebot/1.0; bot)", BOT]);
        assert_eq!(
            forms_of("A(b);c\"", "1", "").first().map(String::as_str),
            Some("Mozilla/5.0 (compatible) Abc/1.0.0.0")
        );
    }
}
