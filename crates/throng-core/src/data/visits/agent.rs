//! What a user agent is: the family of the browser, the system, and whether it is a declared bot.

/// What a user agent says of itself, as a parser understood it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// The browser or program, `Chrome Mobile`; empty if it is not known.
    pub family: String,
    /// Its main version.
    pub major: String,
    /// The operating system; empty if it is not known.
    pub system: String,
    /// Its main version.
    pub system_major: String,
    /// The sort of browser.
    pub class: Class,
    /// Whether it is a declared bot, a library or another tool: nobody to hide among.
    pub is_bot: bool,
}

impl Agent {
    /// Of a line that has no agent, or one of which nothing is known.
    pub const NONE: Self = Self {
        family: String::new(),
        major: String::new(),
        system: String::new(),
        system_major: String::new(),
        class: Class::Other,
        is_bot: false,
    };
}

/// A sort of browsers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Microsoft's Edge.
    Edge,
    /// Opera.
    Opera,
    /// Chrome, Chromium and what else begins so.
    Chrome,
    /// Firefox, and what was made of it.
    Firefox,
    /// Internet Explorer.
    Msie,
    /// Safari, also on telephones.
    Safari,
    /// Android's own browser.
    Android,
    /// Declared bots and tools.
    Bot,
    /// Everything else.
    Other,
}

impl Class {
    /// All classes, in their order.
    pub const ALL: [Self; 9] = [
        Self::Edge,
        Self::Opera,
        Self::Chrome,
        Self::Firefox,
        Self::Msie,
        Self::Safari,
        Self::Android,
        Self::Bot,
        Self::Other,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Edge => "edge",
            Self::Opera => "opera",
            Self::Chrome => "chrome",
            Self::Firefox => "firefox",
            Self::Msie => "msie",
            Self::Safari => "safari",
            Self::Android => "android",
            Self::Bot => "bot",
            Self::Other => "other",
        }
    }

    /// The class of a family, by its name.
    pub fn of_family(family: &str, is_bot: bool) -> Self {
        let begins = |word: &str| family.starts_with(word);
        match family {
            _ if is_bot => Self::Bot,
            _ if begins("Edge") => Self::Edge,
            _ if begins("Opera") => Self::Opera,
            _ if begins("Chrom") => Self::Chrome,
            "Iceweasel" | "Pale Moon" | "SeaMonkey" => Self::Firefox,
            _ if begins("Firefox") => Self::Firefox,
            _ if begins("IE") => Self::Msie,
            _ if begins("Safari") || begins("Mobile Safari") => Self::Safari,
            _ if begins("Android") => Self::Android,
            _ => Self::Other,
        }
    }

    /// The five of the paper's table: firefox, msie, safari, mozilla and others. What says `Mozilla` and is nothing else is mozilla.
    pub fn of_paper(self, agent: &str) -> &'static str {
        match self {
            Self::Firefox => "firefox",
            Self::Msie => "msie",
            Self::Safari => "safari",
            Self::Other if agent.starts_with("Mozilla/") => "mozilla",
            _ => "others",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_have_classes() {
        for (family, class) in [
            ("Chrome Mobile", Class::Chrome),
            ("Chromium", Class::Chrome),
            ("Pale Moon", Class::Firefox),
            ("Firefox Mobile", Class::Firefox),
            ("Mobile Safari UI/WKWebView", Class::Safari),
            ("IE Mobile", Class::Msie),
            ("Edge", Class::Edge),
            ("Opera Mini", Class::Opera),
            ("Android", Class::Android),
            ("Samsung Internet", Class::Other),
            ("", Class::Other),
        ] {
            assert_eq!(Class::of_family(family, false), class, "{family}");
        }
        assert_eq!(Class::of_family("Chrome", true), Class::Bot);
        assert_eq!(Class::Other.of_paper("Mozilla/5.0 (X)"), "mozilla");
        assert_eq!(Class::Chrome.of_paper("Mozilla/5.0 (X)"), "others");
    }
}
