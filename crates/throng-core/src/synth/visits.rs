//! Made-up access logs: pages with assets, sessions with gaps, visitors who return, proxies, crawlers, and some secrets in query strings and
//! referrers. Nobody in them is real: addresses are private ones, agents are made-up strings of real families.
//!
//! # Idea
//! Two sites, after those of paper 000, chapter 3: `uniform`, about ten pages that everybody walks through, and `irregular`, thousands of
//! pages in sections of which few are popular. A visitor has a favourite section, an agent, and some sessions over the days; a session is a
//! walk along links, and a page pulls its assets within seconds. Crawlers go through pages one after the other.
//!
//! # Cost
//! O(lines).

use std::fmt::Write as _;

use crate::data::visits::{Part, Visit};
use crate::data::{Visits, VisitsBuilder};
use crate::error::{Error, Result};
use crate::rng::Rng;

/// What a site is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Site {
    /// About ten pages.
    Uniform,
    /// Thousands of pages, few of them popular.
    Irregular,
}

/// What is made up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// How many visitors, bots included.
    pub persons: usize,
    /// What the site is like.
    pub site: Site,
    /// The share of visitors who are declared bots.
    pub bots: f64,
    /// Over how many days.
    pub days: u32,
    /// The same seed makes up the same log.
    pub seed: u64,
}

/// Makes up access logs.
#[derive(Debug, Clone)]
pub struct VisitsSynth {
    params: Params,
    pages: Vec<Page>,
    /// The pages of each section.
    sections: Vec<Vec<usize>>,
}

#[derive(Debug, Clone)]
struct Page {
    path: String,
    assets: Vec<String>,
    links: Vec<usize>,
}

/// The first second: 2024-03-04T00:00:00Z, a Monday.
const START: i64 = 1_709_510_400;
const HOST: &str = "https://www.site.example";

const AGENTS: &[(&str, u64)] = &[
    (
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{}.0.0.0 Safari/537.36",
        34,
    ),
    (
        "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{}.0.0.0 Mobile Safari/537.36",
        20,
    ),
    (
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_{m} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.{m} Mobile/15E148 Safari/604.1",
        14,
    ),
    (
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.{m} Safari/605.1.15",
        7,
    ),
    ("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:{}.0) Gecko/20100101 Firefox/{}.0", 7),
    ("Mozilla/5.0 (X11; Linux x86_64; rv:{}.0) Gecko/20100101 Firefox/{}.0", 4),
    (
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{}.0.0.0 Safari/537.36 Edg/{}.0.0.0",
        9,
    ),
    (
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{}.0.0.0 Safari/537.36 OPR/1{m}.0.0.0",
        3,
    ),
    ("Mozilla/5.0 (Windows NT 6.1; Trident/7.0; rv:11.0) like Gecko", 1),
    (
        "Mozilla/5.0 (Linux; Android 13; Made-up {m}{m}{r}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{}.0.0.0 Mobile Safari/537.36",
        3,
    ),
];

const BOTS: &[&str] = &[
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    "curl/8.5.0",
    "python-requests/2.31.0",
    "Go-http-client/1.1",
];

const OUTSIDE: &[&str] = &[
    "https://www.search.example/",
    "https://news.portal.example/",
    "https://social.example/",
    "https://blog.friend.example/links",
    "https://m.social.example/",
];

const WORDS: &[&str] = &[
    "garden", "bread", "river", "lamp", "stone", "violin", "cloud", "harvest", "bicycle", "winter", "copper", "letter",
    "island", "meadow", "engine", "silver", "candle", "forest", "mirror", "anchor",
];

impl VisitsSynth {
    /// Checks the parameters, and makes up the site.
    pub fn new(params: Params) -> Result<Self> {
        if params.persons == 0 {
            return Err(Error::parameter("persons", "is 0, but must be at least 1"));
        }
        if !(0.0..=1.0).contains(&params.bots) {
            return Err(Error::parameter("bots", format!("is {}, but must be a share from 0 to 1", params.bots)));
        }
        if params.days == 0 || params.days > 3650 {
            return Err(Error::parameter("days", format!("is {}, but must be from 1 to 3650", params.days)));
        }
        let mut rng = Rng::seeded_stream(params.seed, 0);
        let mut paths: Vec<Vec<String>> = match params.site {
            Site::Uniform => vec![
                ["/", "/about.html", "/contact.html", "/news.html", "/products.html"].map(str::to_owned).to_vec(),
                ["/products/lamp.html", "/products/clock.html", "/products/bread.html"].map(str::to_owned).to_vec(),
                ["/help/faq.html", "/help/shipping.html", "/help/returns.html"].map(str::to_owned).to_vec(),
            ],
            Site::Irregular => irregular(&mut rng),
        };
        let mut pages = Vec::new();
        let mut sections = Vec::new();
        for section in &mut paths {
            let first = pages.len();
            for path in section.drain(..) {
                let own = format!("/assets/img/{}.jpg", pages.len() % 400);
                let mut assets =
                    vec!["/assets/site.css".to_owned(), "/assets/site.js".to_owned(), "/favicon.ico".to_owned()];
                if rng.below(2) == 0 {
                    assets.push(own);
                }
                pages.push(Page { path, assets, links: Vec::new() });
            }
            sections.push((first..pages.len()).collect::<Vec<_>>());
        }
        let all = pages.len();
        for section in &sections {
            for &page in section {
                let mut links = vec![0];
                links.extend((0..4).map(|_| section[skewed(section.len(), &mut rng)]));
                links.push(skewed(all, &mut rng));
                pages[page].links = links;
            }
        }
        Ok(Self { params, pages, sections })
    }

    /// The log. Visitors are called as those of a file are: address, blank, agent.
    pub fn log(&self) -> Visits {
        let mut builder = VisitsBuilder::new();
        let mut addresses: Vec<String> = Vec::new();
        let bots = (self.params.bots * self.params.persons as f64).round() as usize;
        for person in 0..self.params.persons {
            let mut rng = Rng::seeded_stream(self.params.seed, person as u64 + 1);
            // Some share an address with somebody before them: a proxy.
            let address = match addresses.len() {
                known @ 1.. if rng.below(100) < 4 => addresses[rng.index(known)].clone(),
                _ => {
                    let address = address(&mut rng);
                    addresses.push(address.clone());
                    address
                }
            };
            let is_bot = person * bots / self.params.persons != (person + 1) * bots / self.params.persons;
            let agent = if is_bot { BOTS[rng.index(BOTS.len())].to_owned() } else { agent(&mut rng) };
            let name = format!("{address} {agent}");
            let lines = if is_bot { self.crawl(&mut rng) } else { self.visits(&mut rng) };
            for line in lines {
                let mut visit =
                    Visit { time: line.time * 1000, status: Some(line.status), bytes: line.bytes, ..Visit::default() };
                for (part, text) in [
                    (Part::Address, Some(address.as_str())),
                    (Part::Agent, Some(agent.as_str())),
                    (Part::Method, Some(line.method)),
                    (Part::Path, Some(line.path.as_str())),
                    (Part::Query, line.query.as_deref()),
                    (Part::Referrer, line.referrer.as_deref()),
                    (Part::Version, Some(if is_bot { "HTTP/1.1" } else { "HTTP/2.0" })),
                ] {
                    visit.texts[part as usize] = text;
                }
                builder.push(&name, &visit, 1);
            }
        }
        builder.finish().0
    }

    /// The lines of a human.
    fn visits(&self, rng: &mut Rng) -> Vec<Line> {
        let mut lines = Vec::new();
        let favourite = &self.sections[skewed(self.sections.len(), rng)];
        let sessions = 1 + geometric(0.55, 30, rng);
        let mut seen: Vec<String> = Vec::new();
        for _ in 0..sessions {
            let day = i64::from(rng.below(u64::from(self.params.days)) as u32);
            let mut time = START + day * 86_400 + hour(rng) * 3600 + rng.below(3600) as i64;
            let mut page = if rng.below(3) == 0 { 0 } else { favourite[skewed(favourite.len(), rng)] };
            let mut referrer = (rng.below(5) < 3).then(|| outside(rng));
            let pages = 1 + geometric(0.68, 60, rng);
            for _ in 0..pages {
                let Page { path, assets, links } = &self.pages[page];
                let odd = rng.below(200);
                let query = match odd {
                    0 => Some(format!("token={:016x}", rng.bits())),
                    1 => Some(format!("email={}{}@mail.example", word(rng), rng.below(100))),
                    2..=8 => Some(format!("q={}", word(rng))),
                    9..=20 => Some(format!("page={}", 1 + rng.below(5))),
                    _ => None,
                };
                let is_missing = rng.below(60) == 0;
                let method = if rng.below(40) == 0 { "POST" } else { "GET" };
                let status = if is_missing {
                    404
                } else if rng.below(50) == 0 {
                    301
                } else {
                    200
                };
                let own = format!("{HOST}{path}");
                let line = Line {
                    time,
                    method,
                    path: path.clone(),
                    query,
                    status,
                    bytes: Some(size(path)),
                    referrer: referrer.take(),
                };
                lines.push(line);
                for asset in assets {
                    let is_known = seen.contains(asset);
                    if is_known && rng.below(3) > 0 {
                        continue;
                    }
                    let status = if is_known { 304 } else { 200 };
                    let at = time + 1 + rng.below(3) as i64;
                    lines.push(Line {
                        time: at,
                        method: "GET",
                        path: asset.clone(),
                        query: None,
                        status,
                        bytes: (!is_known).then(|| size(asset)),
                        referrer: Some(own.clone()),
                    });
                    if !is_known {
                        seen.push(asset.clone());
                    }
                }
                referrer = Some(own);
                time += 5 + (rng.normal() * 0.9 + 3.2).exp().min(1500.0) as i64;
                page = if rng.below(10) < 8 {
                    links[rng.index(links.len())]
                } else {
                    favourite[skewed(favourite.len(), rng)]
                };
            }
        }
        lines
    }

    /// The lines of a crawler.
    fn crawl(&self, rng: &mut Rng) -> Vec<Line> {
        let mut lines = Vec::new();
        let pause = 2 + rng.below(60) as i64;
        for _ in 0..1 + geometric(0.4, 10, rng) {
            let mut time =
                START + i64::from(rng.below(u64::from(self.params.days)) as u32) * 86_400 + rng.below(80_000) as i64;
            let first = rng.index(self.pages.len());
            let count = 1 + geometric(0.85, 200, rng);
            let robots = std::iter::once("/robots.txt")
                .chain((0..count).map(|at| self.pages[(first + at) % self.pages.len()].path.as_str()));
            for path in robots {
                let line = Line {
                    time,
                    method: "GET",
                    path: path.to_owned(),
                    query: None,
                    status: 200,
                    bytes: Some(size(path)),
                    referrer: None,
                };
                lines.push(line);
                time += pause;
            }
        }
        lines
    }
}

struct Line {
    time: i64,
    method: &'static str,
    path: String,
    query: Option<String>,
    status: u16,
    bytes: Option<u64>,
    referrer: Option<String>,
}

/// Thousands of pages in sections.
fn irregular(rng: &mut Rng) -> Vec<Vec<String>> {
    let slug = |rng: &mut Rng| format!("{}-{}", word(rng), word(rng));
    let mut sections = vec![vec!["/".to_owned(), "/about".to_owned(), "/contact".to_owned(), "/search".to_owned()]];
    let mut section = |name: &str, count: usize, path: &mut dyn FnMut(usize, &mut Rng) -> String, rng: &mut Rng| {
        let mut paths = vec![format!("/{name}/")];
        paths.extend((0..count).map(|at| path(at, rng)));
        paths.sort_unstable();
        paths.dedup();
        sections.push(paths);
    };
    section("blog", 900, &mut |at, rng| format!("/blog/20{}/{:02}/{}-{at}", 20 + at % 5, 1 + at % 12, slug(rng)), rng);
    section("docs", 300, &mut |at, rng| format!("/docs/{}/{}-{at}.html", word(rng), word(rng)), rng);
    section("shop", 1500, &mut |at, _| format!("/shop/item/{}", 10_000 + at * 7), rng);
    section(
        "user",
        2500,
        &mut |at, rng| format!("/user/{}/{}", 5000 + at, ["profile", "edit", "photos"][rng.index(3)]),
        rng,
    );
    section("forum", 800, &mut |at, rng| format!("/forum/{}/thread-{at}", word(rng)), rng);
    sections
}

/// A place in a row of so many, the first ones more often.
fn skewed(len: usize, rng: &mut Rng) -> usize {
    let unit = rng.unit();
    ((unit * unit * unit * len as f64) as usize).min(len - 1)
}

/// How often something goes on that goes on with this probability.
fn geometric(share: f64, most: usize, rng: &mut Rng) -> usize {
    (0..most).take_while(|_| rng.unit() < share).count()
}

fn word(rng: &mut Rng) -> &'static str {
    WORDS[rng.index(WORDS.len())]
}

/// An hour of the day: few at night.
fn hour(rng: &mut Rng) -> i64 {
    const WEIGHTS: [u64; 24] = [2, 1, 1, 1, 1, 2, 3, 5, 7, 9, 10, 10, 9, 9, 9, 9, 9, 10, 11, 12, 12, 10, 7, 4];
    let mut left = rng.below(WEIGHTS.iter().sum());
    for (hour, &weight) in (0..).zip(&WEIGHTS) {
        if left < weight {
            return hour;
        }
        left -= weight;
    }
    0
}

fn outside(rng: &mut Rng) -> String {
    if rng.below(12) == 0 {
        return format!("https://www.search.example/?q={}+{}", word(rng), word(rng));
    }
    OUTSIDE[skewed(OUTSIDE.len(), rng)].to_owned()
}

/// A private address, sometimes of IPv6.
fn address(rng: &mut Rng) -> String {
    if rng.below(8) == 0 {
        return format!(
            "fd00:{:x}:{:x}:{:x}::{:x}",
            rng.below(64),
            rng.below(4096),
            rng.below(65_536),
            1 + rng.below(65_535)
        );
    }
    format!("10.{}.{}.{}", skewed(256, rng), rng.below(256), 1 + rng.below(254))
}

fn agent(rng: &mut Rng) -> String {
    let mut left = rng.below(AGENTS.iter().map(|(_, weight)| weight).sum());
    let mut form = AGENTS[0].0;
    for &(own, weight) in AGENTS {
        form = own;
        if left < weight {
            break;
        }
        left -= weight;
    }
    let major = 126 - skewed(20, rng) as u64;
    let (minor, rest) = (skewed(6, rng), rng.below(90));
    let mut text = String::new();
    let mut parts = form.split('{');
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (name, literal) = part.split_once('}').unwrap_or(("", part));
        let _ = match name {
            "m" => write!(text, "{minor}"),
            "r" => write!(text, "{rest}"),
            _ => write!(text, "{major}"),
        };
        text.push_str(literal);
    }
    text
}

/// The size of a page: the same whenever somebody asks for it.
fn size(path: &str) -> u64 {
    let hash = path.bytes().fold(7u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
    400 + hash % 60_000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(site: Site) -> Params {
        Params { persons: 300, site, bots: 0.2, days: 14, seed: 1 }
    }

    #[test]
    fn the_same_seed_makes_the_same_log() {
        for site in [Site::Uniform, Site::Irregular] {
            let synth = VisitsSynth::new(params(site)).unwrap();
            let log = synth.log();
            assert_eq!(log, VisitsSynth::new(params(site)).unwrap().log());
            assert!(log.rows() > 1000 && log.persons() > 250, "{} {}", log.rows(), log.persons());
            let paths = log.texts(Part::Path).len();
            assert!(if site == Site::Uniform { paths < 40 } else { paths > 300 }, "{paths}");
            let days = log.time_span().map(|(first, last)| (last - first) / 86_400_000).unwrap();
            assert!((10..15).contains(&days), "{days}");
        }
    }

    #[test]
    fn bad_parameters_are_refused() {
        assert!(VisitsSynth::new(Params { persons: 0, ..params(Site::Uniform) }).is_err());
        assert!(VisitsSynth::new(Params { bots: 1.5, ..params(Site::Uniform) }).is_err());
        assert!(VisitsSynth::new(Params { days: 0, ..params(Site::Uniform) }).is_err());
    }
}
