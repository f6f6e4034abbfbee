//! What may be said beside paths: agents, referrers, query strings, hosts, versions and sizes, each as far as m visitors of the log have it.
//!
//! # Idea
//! - **Agent**: the text that m visitors have, else the first of its rebuilt forms (`data/visits/rebuilt.rs`) that m visitors have.
//! - **Referrer**: `scheme://host/`, with the most specific host that m visitors came from and that is at least what one registers; no path,
//!   no query string. Only `http` and `https`; of the two the one that more visitors have for that host.
//! - **Query string**: nothing, or with `keep-shared` its pairs `name=value` that m visitors have, a name that m visitors have as `name=`; and
//!   all of it together must be had by m visitors, else only the pair that most of them have is left.
//! - **Virtual host, version of HTTP, method, status**: as they are if m visitors have them.
//! - **Bytes**: the median of the path's lines over the log, where m visitors have the path.
//!
//! # Cost
//! O(lines), and O(different texts) for what is worked out of each.

use std::collections::BTreeMap;

use super::patterns::Patterns;
use crate::data::queries::MISSING;
use crate::data::visits::{Class, Part, rebuilt};
use crate::data::{Interner, Strings, Visits};
use crate::text::host::host_of;
use crate::text::site::is_site;

/// What becomes of query strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueryStrings {
    /// None is published.
    #[default]
    Drop,
    /// What m visitors have of them.
    KeepShared,
}

/// What may be said of a log.
#[derive(Debug)]
pub(super) struct Shared {
    /// The agents that may be published, and the class of each.
    pub(super) agents: Strings,
    pub(super) classes: Vec<Class>,
    /// For each visitor their agent among those, or [`MISSING`].
    pub(super) agent_of: Vec<u32>,
    /// The referrers that may be published.
    pub(super) referrers: Strings,
    /// For each referrer of the log what it becomes among those, or [`MISSING`].
    pub(super) referrer_of: Vec<u32>,
    /// The query strings that may be published.
    pub(super) queries: Strings,
    /// For each query string of the log what it becomes among those, or [`MISSING`].
    pub(super) query_of: Vec<u32>,
    /// For each virtual host, version and method of the log whether it may be published.
    pub(super) is_host: Vec<bool>,
    pub(super) is_version: Vec<bool>,
    pub(super) is_method: Vec<bool>,
    /// The most frequent method that may be published, or [`MISSING`].
    pub(super) method: u32,
    /// The statuses that may be published.
    pub(super) statuses: Vec<u16>,
    /// For each text that a path may become, how many bytes its lines have.
    pub(super) bytes: Vec<Option<u64>>,
}

impl Shared {
    pub(super) fn of(visits: &Visits, patterns: &Patterns, queries: QueryStrings, min_persons: usize) -> Self {
        let (agents, classes, agent_of) = agents(visits, min_persons);
        let (referrers, referrer_of) = referrers(visits, min_persons);
        let (queries, query_of) = match queries {
            QueryStrings::Drop => (Strings::new(), vec![MISSING; visits.texts(Part::Query).len()]),
            QueryStrings::KeepShared => query_strings(visits, min_persons),
        };
        let is_had = |part: Part| -> Vec<bool> {
            let counts = visitors_of(visits, visits.texts(part).len(), |row, take| take(visits.column(part)[row]));
            counts.iter().map(|&count| count as usize >= min_persons).collect()
        };
        let by_status = visitors_of(visits, 1 << 16, |row, take| take(visits.status(row).map_or(MISSING, u32::from)));
        let statuses = (0..=u16::MAX).zip(&by_status).filter(|(_, count)| **count as usize >= min_persons);
        let is_method = is_had(Part::Method);
        let mut methods = vec![0u64; is_method.len()];
        let ids = visits.column(Part::Method).iter().filter(|&&id| id != MISSING && is_method[id as usize]);
        ids.for_each(|&id| methods[id as usize] += 1);
        let most = (0u32..).zip(&methods).filter(|(_, count)| **count > 0);
        let method = most.min_by_key(|&(id, count)| (std::cmp::Reverse(*count), id)).map_or(MISSING, |(id, _)| id);
        Self {
            agents,
            classes,
            agent_of,
            referrers,
            referrer_of,
            queries,
            query_of,
            is_host: is_had(Part::Host),
            is_version: is_had(Part::Version),
            is_method,
            method,
            statuses: statuses.map(|(status, _)| status).collect(),
            bytes: bytes(visits, patterns, min_persons),
        }
    }
}

/// How many visitors have each of so many things, of which lines may have several; [`MISSING`] is none.
fn visitors_of(visits: &Visits, things: usize, of: impl Fn(usize, &mut dyn FnMut(u32))) -> Vec<u32> {
    let (mut counts, mut last) = (vec![0u32; things], vec![MISSING; things]);
    for person in 0..visits.persons() {
        for row in visits.range(person) {
            of(row, &mut |thing| {
                if thing != MISSING && last[thing as usize] != person as u32 {
                    last[thing as usize] = person as u32;
                    counts[thing as usize] += 1;
                }
            });
        }
    }
    counts
}

/// The agents that may be published, their classes, and the agent of each visitor.
fn agents(visits: &Visits, min_persons: usize) -> (Strings, Vec<Class>, Vec<u32>) {
    let texts = visits.texts(Part::Agent);
    let mut interner = Interner::new();
    // A log whose agents nobody has looked at has none to rebuild.
    let chain = |id: u32, interner: &mut Interner| -> Vec<u32> {
        let own = interner.intern(texts.get(id));
        let forms = visits.agents().get(id as usize).map(rebuilt::forms).unwrap_or_default();
        [own].into_iter().chain(forms.iter().map(|form| interner.intern(form))).collect()
    };
    let chains: Vec<Vec<u32>> = (0..texts.len() as u32).map(|id| chain(id, &mut interner)).collect();
    let agents = interner.into_strings();
    let counts = visitors_of(visits, agents.len(), |row, take| {
        let id = visits.column(Part::Agent)[row];
        if let Some(chain) = chains.get(id as usize) {
            chain.iter().for_each(|&form| take(form));
        }
    });
    let may = |form: &&u32| counts[**form as usize] as usize >= min_persons;
    let published: Vec<u32> = chains.iter().map(|chain| chain.iter().find(may).copied().unwrap_or(MISSING)).collect();
    let mut classes = vec![Class::Other; agents.len()];
    for (id, &form) in published.iter().enumerate() {
        if form != MISSING
            && let Some(agent) = visits.agents().get(id)
            && agents.get(form) != rebuilt::SOME
        {
            classes[form as usize] = agent.class;
        }
    }
    let agent_of = |person: usize| {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for &id in visits.column(Part::Agent)[visits.range(person)].iter().filter(|&&id| id != MISSING) {
            *counts.entry(published[id as usize]).or_default() += 1;
        }
        counts.into_iter().min_by_key(|&(id, count)| (std::cmp::Reverse(count), id)).map_or(MISSING, |(id, _)| id)
    };
    let agent_of = (0..visits.persons()).map(agent_of).collect();
    (agents, classes, agent_of)
}

/// The referrers that may be published, and what each of the log becomes.
fn referrers(visits: &Visits, min_persons: usize) -> (Strings, Vec<u32>) {
    let texts = visits.texts(Part::Referrer);
    let mut hosts = Interner::new();
    // For each referrer its scheme, and its host with those above it, the most specific first.
    let chain = |url: &str, hosts: &mut Interner| -> (usize, Vec<u32>) {
        let Some(scheme) = ["http://", "https://"]
            .iter()
            .position(|scheme| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))
        else {
            return (0, Vec::new());
        };
        let host = host_of(url);
        let mut chain = Vec::new();
        let mut rest = Some(host.as_str());
        while let Some(own) = rest.filter(|own| is_site(own)) {
            chain.push(hosts.intern(own));
            let is_address = own.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            rest = own.split_once('.').map(|(_, above)| above).filter(|_| !is_address);
        }
        (scheme, chain)
    };
    let chains: Vec<(usize, Vec<u32>)> = texts.iter().map(|url| chain(url, &mut hosts)).collect();
    let hosts = hosts.into_strings();
    let of = |row: usize| chains.get(visits.column(Part::Referrer)[row] as usize);
    let counts = visitors_of(visits, hosts.len(), |row, take| {
        of(row).into_iter().flat_map(|(_, chain)| chain).for_each(|&host| take(host));
    });
    let by_scheme = visitors_of(visits, 2 * hosts.len(), |row, take| {
        of(row).into_iter().for_each(|(scheme, chain)| chain.iter().for_each(|&host| take(2 * host + *scheme as u32)));
    });
    let mut published = Interner::new();
    let mut become_of = |(_, chain): &(usize, Vec<u32>)| {
        let Some(&host) = chain.iter().find(|&&host| counts[host as usize] as usize >= min_persons) else {
            return MISSING;
        };
        let [http, https] = [0, 1].map(|scheme| by_scheme[2 * host as usize + scheme]);
        published.intern(&format!("{}://{}/", if https >= http { "https" } else { "http" }, hosts.get(host)))
    };
    let referrer_of = chains.iter().map(&mut become_of).collect();
    (published.into_strings(), referrer_of)
}

/// The query strings that may be published, and what each of the log becomes.
fn query_strings(visits: &Visits, min_persons: usize) -> (Strings, Vec<u32>) {
    let texts = visits.texts(Part::Query);
    let mut pairs = Interner::new();
    let parts: Vec<Vec<(u32, Option<u32>)>> = texts
        .iter()
        .map(|query| {
            let pair = |pair: &str| {
                let name = pair.split_once('=').map(|(name, _)| format!("{name}="));
                (pairs.intern(pair), name.map(|name| pairs.intern(&name)))
            };
            query.split('&').filter(|pair| !pair.is_empty()).map(pair).collect()
        })
        .collect();
    let pairs = pairs.into_strings();
    let of = |row: usize| visits.column(Part::Query)[row];
    let counts = visitors_of(visits, pairs.len(), |row, take| {
        for &(pair, name) in parts.get(of(row) as usize).into_iter().flatten() {
            take(pair);
            name.into_iter().for_each(&mut *take);
        }
    });
    let may = |pair: &u32| counts[*pair as usize] as usize >= min_persons;
    let kept: Vec<Vec<u32>> = parts
        .iter()
        .map(|parts| {
            parts.iter().filter_map(|&(pair, name)| [Some(pair), name].into_iter().flatten().find(may)).collect()
        })
        .collect();
    let mut cleaned = Interner::new();
    let mut join = |kept: &[u32]| {
        let text = kept.iter().map(|&pair| pairs.get(pair)).collect::<Vec<_>>().join("&");
        if text.is_empty() { MISSING } else { cleaned.intern(&text) }
    };
    let whole: Vec<u32> = kept.iter().map(|kept| join(kept)).collect();
    let most =
        |kept: &Vec<u32>| kept.iter().copied().min_by_key(|&pair| (std::cmp::Reverse(counts[pair as usize]), pair));
    let single: Vec<u32> = kept.iter().map(|kept| join(most(kept).as_slice())).collect();
    let queries = cleaned.into_strings();
    let together = visitors_of(visits, queries.len(), |row, take| {
        whole.get(of(row) as usize).into_iter().for_each(|&text| take(text));
    });
    let become_of = |(&whole, &single): (&u32, &u32)| match whole {
        MISSING => MISSING,
        whole if together[whole as usize] as usize >= min_persons => whole,
        _ => single,
    };
    let query_of = whole.iter().zip(&single).map(become_of).collect();
    (queries, query_of)
}

/// For each text that a path may become how many bytes its lines have: their median, where enough visitors have the path itself.
fn bytes(visits: &Visits, patterns: &Patterns, min_persons: usize) -> Vec<Option<u64>> {
    let mut sizes: Vec<(u32, u64)> = Vec::new();
    for (row, &path) in visits.column(Part::Path).iter().enumerate() {
        if path != MISSING
            && patterns.visitors(patterns.own(path)) >= min_persons
            && let Some(bytes) = visits.bytes(row)
        {
            sizes.push((patterns.own(path), bytes));
        }
    }
    sizes.sort_unstable();
    let mut found = vec![None; patterns.texts().len()];
    for same in sizes.chunk_by(|left, right| left.0 == right.0) {
        found[same[0].0 as usize] = Some(same[(same.len() - 1) / 2].1);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::VisitsBuilder;
    use crate::data::visits::{Agent, Visit};

    /// Visitors by number, each with a line of these fields.
    fn log(lines: &[(usize, Part, &str)]) -> Visits {
        let mut builder = VisitsBuilder::new();
        for &(who, part, text) in lines {
            let mut visit = Visit::default();
            visit.texts[part as usize] = Some(text);
            builder.push(&who.to_string(), &visit, 1);
        }
        builder.finish().0.with_agents(|text| match text.split_once('/') {
            Some((family, major)) => Agent {
                family: family.to_owned(),
                major: major.split('.').next().unwrap_or_default().to_owned(),
                class: Class::of_family(family, false),
                ..Agent::NONE
            },
            None => Agent::NONE,
        })
    }

    #[test]
    fn referrers_by_hand() {
        let urls = [
            "https://m.social.example/me?q=1",
            "https://www.social.example/you",
            "http://social.example/",
            "https://only.me.example/secret",
            "https://co.uk/",
            "android-app://com.example/",
            "https://10.0.0.1:8080/x",
        ];
        let lines: Vec<(usize, Part, &str)> = urls
            .iter()
            .enumerate()
            .map(|(who, url)| (who, Part::Referrer, *url))
            .chain([(8, Part::Referrer, urls[6])])
            .collect();
        let visits = log(&lines);
        let found = |min_persons: usize| {
            let (texts, of) = referrers(&visits, min_persons);
            of.iter()
                .map(|&id| if id == MISSING { "-".to_owned() } else { texts.get(id).to_owned() })
                .collect::<Vec<_>>()
        };
        let social = "https://social.example/";
        assert_eq!(found(3), [social, social, social, "-", "-", "-", "-"]);
        assert_eq!(found(2)[6], "https://10.0.0.1/");
    }

    #[test]
    fn query_strings_by_hand() {
        let texts = ["page=1&token=abc", "page=1", "page=1&lang=en", "page=2", "lang=en", "lang=en&page=1&x"];
        let lines: Vec<(usize, Part, &str)> =
            texts.iter().enumerate().map(|(who, text)| (who, Part::Query, *text)).collect();
        let (queries, of) = query_strings(&log(&lines), 3);
        let found: Vec<&str> = of.iter().map(|&id| if id == MISSING { "-" } else { queries.get(id) }).collect();
        // Two visitors have both page=1 and lang=en, which is too few: of the two four have page=1.
        assert_eq!(found, ["page=1", "page=1", "page=1", "page=", "lang=en", "page=1"]);
    }

    #[test]
    fn agents_by_hand() {
        let texts = [
            "Chrome/1.2",
            "Chrome/1.3",
            "Chrome/1.4",
            "Chrome/2.0",
            "Firefox/1.0",
            "Firefox/1.0",
            "Firefox/1.0",
            "Odd",
        ];
        let lines: Vec<(usize, Part, &str)> =
            texts.iter().enumerate().map(|(who, text)| (who, Part::Agent, *text)).collect();
        let visits = log(&lines);
        let (agents, classes, of) = agents(&visits, 3);
        let forms = rebuilt::forms(&visits.agents()[0]);
        let found: Vec<&str> = of.iter().map(|&id| agents.get(id)).collect();
        let expected =
            [&forms[0], &forms[0], &forms[0], &forms[1], "Firefox/1.0", "Firefox/1.0", "Firefox/1.0", rebuilt::SOME];
        assert_eq!(found, expected);
        assert_eq!(classes[of[0] as usize], Class::Chrome);
        assert_eq!(classes[of[4] as usize], Class::Firefox);
    }
}
