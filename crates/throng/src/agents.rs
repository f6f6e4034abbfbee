//! What user agents are: uap-core's rules, which are embedded, and a list of words for bots that those do not know.

use std::sync::LazyLock;

use throng_core::data::visits::{Agent, Class};
use throng_core::{Error, Result};
use ua_parser::{Extractor, Regexes};

/// The rules, as JSON under zstd: see `data/README.md`.
static RULES: &[u8] = include_bytes!("../data/uap-core.regexes.zst");

static EXTRACTOR: LazyLock<Option<Extractor<'static>>> = LazyLock::new(|| {
    let text = zstd::stream::decode_all(RULES).ok()?;
    let regexes: Regexes<'static> = serde_json::from_reader(text.as_slice()).ok()?;
    Extractor::try_from(regexes).ok()
});

/// Words of declared bots, of libraries that fetch pages, and of tools that watch them, in lower case.
const BOTS: &[&str] = &[
    "bot/",
    "bot;",
    "bot)",
    "bot ",
    "-bot",
    "_bot",
    "crawler",
    "crawl/",
    "spider",
    "slurp",
    "bytespider",
    "headlesschrome",
    "phantomjs",
    "puppeteer",
    "playwright",
    "selenium",
    "curl/",
    "wget/",
    "libwww",
    "python-requests",
    "python-urllib",
    "python/",
    "aiohttp",
    "httpx/",
    "scrapy",
    "go-http-client",
    "java/",
    "okhttp",
    "apache-httpclient",
    "jakarta commons",
    "guzzlehttp",
    "php/",
    "ruby",
    "perl",
    "node-fetch",
    "axios/",
    "postmanruntime",
    "insomnia/",
    "httpie/",
    "feedly",
    "feedfetcher",
    "rss",
    "facebookexternalhit",
    "whatsapp",
    "telegrambot",
    "discordbot",
    "slackbot",
    "embedly",
    "bingpreview",
    "mediapartners-google",
    "adsbot",
    "apis-google",
    "google-inspectiontool",
    "googleother",
    "gptbot",
    "oai-searchbot",
    "chatgpt-user",
    "claudebot",
    "claude-web",
    "anthropic-ai",
    "perplexitybot",
    "ccbot",
    "amazonbot",
    "applebot",
    "petalbot",
    "semrush",
    "ahrefs",
    "mj12bot",
    "dotbot",
    "yandex.com/bots",
    "baiduspider",
    "sogou",
    "duckduckbot",
    "ia_archiver",
    "archive.org_bot",
    "nagios",
    "check_http",
    "uptimerobot",
    "pingdom",
    "statuscake",
    "site24x7",
    "monitor",
    "zabbix",
    "datadog",
    "nmap",
    "masscan",
    "zgrab",
    "nikto",
    "sqlmap",
    "censys",
    "shodan",
    "expanse",
    "internet-measurement",
    "validator",
    "link check",
    "linkcheck",
    "wordpress/",
    "drupal",
    "dataprovider",
    "http_request",
];

/// Whether an agent says that it is a bot, a library or a tool; one that says nothing at all is none.
pub(crate) fn is_bot(agent: &str) -> bool {
    let agent = agent.to_ascii_lowercase();
    agent.ends_with("bot") || BOTS.iter().any(|word| agent.contains(word))
}

/// What an agent is.
pub(crate) fn parse(agent: &str) -> Agent {
    let Some(rules) = EXTRACTOR.as_ref() else { return Agent { is_bot: is_bot(agent), ..Agent::NONE } };
    let (browser, system) = (rules.ua.extract(agent), rules.os.extract(agent));
    let is_spider = rules.dev.extract(agent).is_some();
    let is_bot = is_spider || is_bot(agent);
    let family = browser.as_ref().map(|found| found.family.to_string()).unwrap_or_default();
    Agent {
        class: Class::of_family(&family, is_bot),
        major: browser.and_then(|found| found.major.map(str::to_owned)).unwrap_or_default(),
        family,
        system_major: system.as_ref().and_then(|found| found.major.as_deref().map(str::to_owned)).unwrap_or_default(),
        system: system.map(|found| found.os.into_owned()).unwrap_or_default(),
        is_bot,
    }
}

/// Refuses to go on if the rules cannot be read, which would be a broken build.
pub(crate) fn check() -> Result<()> {
    EXTRACTOR.as_ref().map(drop).ok_or_else(|| Error::internal("the rules for user agents cannot be read"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_of_today() {
        check().unwrap();
        for (agent, family, major, system, class, is_bot) in [
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
                "Chrome",
                "126",
                "Windows",
                Class::Chrome,
                false,
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0",
                "Edge",
                "126",
                "Windows",
                Class::Edge,
                false,
            ),
            (
                "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0",
                "Firefox",
                "127",
                "Ubuntu",
                Class::Firefox,
                false,
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
                "Mobile Safari",
                "17",
                "iOS",
                Class::Safari,
                false,
            ),
            ("Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1)", "IE", "8", "Windows", Class::Msie, false),
            (
                "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
                "Googlebot",
                "2",
                "",
                Class::Bot,
                true,
            ),
        ] {
            let found = parse(agent);
            assert_eq!(
                (found.family.as_str(), found.major.as_str(), found.system.as_str(), found.class, found.is_bot),
                (family, major, if system.is_empty() { found.system.as_str() } else { system }, class, is_bot),
                "{agent}"
            );
        }
    }

    #[test]
    fn declared_bots_and_tools() {
        for bot in [
            "curl/8.5.0",
            "python-requests/2.31",
            "Go-http-client/1.1",
            "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (compatible; Bytespider; x@y.example)",
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/126.0.0.0 Safari/537.36",
            "Feedly/1.0",
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
            "Mozilla/5.0 (compatible; bot)",
        ] {
            assert!(parse(bot).is_bot, "{bot}");
        }
        for browser in [
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
            "Opera/9.80 (Windows NT 6.1; U; en) Presto/2.2.15 Version/10.10",
            "Mozilla/5.0 (Linux; Android 14; CUBOT X50) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36",
        ] {
            let found = parse(browser);
            assert_eq!(found.is_bot, browser.contains("CUBOT") && is_bot(browser), "{browser}");
        }
    }

    /// A rebuilt agent is read as the same family, version and class; without a version as the same family; and bots stay bots.
    #[test]
    fn rebuilt_agents_are_read_as_what_they_were() {
        use throng_core::data::visits::rebuilt;
        for agent in [
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.6478.127 Safari/537.36",
            "Mozilla/5.0 (Linux; Android 13; SM-A536B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.6422.3 Mobile Safari/537.36",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/125.0.6422.80 Mobile/15E148 Safari/604.1",
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.2592.87",
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36 OPR/110.0.0.0",
            "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0",
            "Mozilla/5.0 (Android 14; Mobile; rv:127.0) Gecko/127.0 Firefox/127.0",
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
            "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1)",
            "Mozilla/5.0 (Linux; U; Android 4.0.3; de-de; GT-I9100) AppleWebKit/534.30 (KHTML, like Gecko) Version/4.0 Mobile Safari/534.30",
            "Mozilla/5.0 (Linux; Android 13; SM-A536B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36",
        ] {
            let (own, forms) = (parse(agent), rebuilt::forms(&parse(agent)));
            let read = parse(&forms[0]);
            assert_eq!((&read.family, &read.major, read.class), (&own.family, &own.major, own.class), "{}", forms[0]);
            let without = parse(&forms[1]);
            assert_eq!(
                (&without.family, without.class, without.is_bot),
                (&own.family, own.class, false),
                "{}",
                forms[1]
            );
            for form in &forms[..2] {
                assert_eq!(parse(form).system, own.system, "{form}");
            }
            let class = &forms[forms.len() - 2];
            assert_eq!((parse(class).class, parse(class).is_bot), (own.class, false), "{class}");
        }
        assert!(!parse(rebuilt::SOME).is_bot && parse(rebuilt::BOT).is_bot);
        for bot in [
            "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
            "curl/8.5.0",
            "Go-http-client/1.1",
        ] {
            assert!(rebuilt::forms(&parse(bot)).iter().all(|form| parse(form).is_bot), "{bot}");
        }
    }
}
