//! Page frequency: whether the most visited sites stay the most visited.
//!
//! Paper      Ours, after 001 (Navarro-Arribas et al. 2012), section 4.5, with clicked pages in the place of queries.
//!
//! # Formula
//! The frequency of a site is its share of all lines with a click. The headline is how many of the ten most clicked sites of
//! the original are among the ten most clicked of the release.
//!
//! # Readings
//! Ours: a page counts as its site, what one registers (`bbc.co.uk` of `news.bbc.co.uk/today`), since an average keeps the
//! common end of several hosts. A host that is none, such as `com`, counts as it is.
//!
//! # Cost
//! Time O(lines), memory O(distinct addresses).

use std::slice;

use super::super::{Context, Drawn, Measure, MeasureInfo, Measured, Pair};
use super::frequency::compare_lines;
use crate::data::{Interner, Line, QueryLog};
use crate::error::Result;
use crate::info::Info;
use crate::text::host::host_of;
use crate::text::site;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "page-frequency",
        summary: "how many of the ten most clicked sites stay among the ten most clicked",
        paper: "ours, after Navarro-Arribas, Torra, Erola, Castellà-Roca. User k-anonymity for privacy preserving data mining \
                of query logs. Information Processing and Management 48 (2012), section 4.5",
        details: "A site's frequency is its share of all lines with a clicked page; a page counts as what one registers, \
            `bbc.co.uk` of `news.bbc.co.uk/today`. Parts: the ten most clicked before and after with their frequencies, and \
            Spearman's rank correlation over both tens. A site that fewer than k persons of the original clicked is not shown.",
        parameters: &[],
    },
    unit: "of 10",
    better: "higher",
    says: "Of the most clicked sites, {} are still among the most clicked.",
    undefined: "the original has no clicked pages",
    drawn: Drawn::Tops,
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct PageFrequency;

impl Measure<QueryLog> for PageFrequency {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, QueryLog>, context: &Context<'_>) -> Result<Measured> {
        let mut sites = Interner::new();
        let mut sites_of =
            |log: &QueryLog| log.urls().iter().map(|url| sites.intern(&site_of(url))).collect::<Vec<u32>>();
        let (own, released) = (sites_of(pair.original), sites_of(pair.release));
        let before = |line: &Line| line.url.map_or(&[][..], |url| slice::from_ref(&own[url as usize]));
        let after = |line: &Line| line.url.map_or(&[][..], |url| slice::from_ref(&released[url as usize]));
        let sites = sites.into_strings();
        let text = |value: u32| sites.get(value);
        Ok(compare_lines(pair, sites.len(), text, before, after, context).measured(self))
    }
}

/// The site of a page, or its host if that belongs to none.
fn site_of(url: &str) -> String {
    let host = host_of(url);
    let name = site::find(&host).and_then(|site| Some(site.name?.start..site.host.end));
    name.map_or(host.clone(), |name| host[name].to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::measure;
    use super::*;
    use crate::data::QueryLogBuilder;

    fn log(persons: &[&[Option<&str>]]) -> QueryLog {
        let mut builder = QueryLogBuilder::new();
        for (person, pages) in persons.iter().enumerate() {
            for page in *pages {
                builder.push(&person.to_string(), "q", 0, page.map(|_| 1), *page);
            }
        }
        builder.finish()
    }

    #[test]
    fn pages_count_as_their_sites() {
        let original = log(&[
            &[Some("http://news.bbc.co.uk/today"), Some("http://www.bbc.co.uk"), None],
            &[Some("https://bbc.co.uk/x"), Some("http://secret.example.org/me")],
        ]);
        let release = log(&[&[Some("bbc.co.uk"), Some("uk")], &[Some("bbc.co.uk"), None]]);
        let result = measure(&PageFrequency, &original, &release);
        assert_eq!(result.value, Some(1.0));
        assert_eq!(result.parts["top_before"][0]["value"], "bbc.co.uk");
        assert_eq!(result.parts["top_before"][0]["before"], 0.75);
        assert_eq!(result.parts["top_before"][0]["after"], 2.0 / 3.0);
        assert_eq!((&result.parts["total_before"], &result.parts["total_after"]), (&4.into(), &3.into()));
        // There are two sites, not ten.
        assert_eq!(result.unit, "of 2");
        // One person's site is not shown, nor what nobody has clicked.
        assert!(result.parts["top_before"][1]["value"].is_null() && result.parts["top_after"][1]["value"].is_null());
    }

    #[test]
    fn without_clicks_it_is_not_defined() {
        let log = log(&[&[None, None], &[None]]);
        let result = measure(&PageFrequency, &log, &log);
        assert_eq!((result.value, result.reason.as_deref()), (None, Some("the original has no clicked pages")));
    }

    #[test]
    fn sites_of_pages() {
        for (url, site) in [
            ("http://user:word@www.Mail.Yahoo.com:80/inbox?me", "yahoo.com"),
            ("ann.blogspot.com", "ann.blogspot.com"),
            ("http://192.168.1.1/x", "192.168.1.1"),
            ("co.uk", "co.uk"),
            ("http://localhost/x", "localhost"),
            ("", ""),
        ] {
            assert_eq!(site_of(url), site, "{url}");
        }
    }
}
