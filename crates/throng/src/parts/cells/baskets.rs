//! Baskets on many machines: a row is a list of items.

use serde_json::{Value, json};
use throng_core::accounts::OCCURRENCES_UNKNOWN;
use throng_core::data::{Baskets, BasketsBuilder, Dataset as _};
use throng_core::measures::Measured;
use throng_core::methods::baskets::flock;
use throng_core::models::k_anonymity;
use throng_core::pieces::{Columns, Coordinates, MeasurePart, of_baskets};
use throng_core::{Error, Info, Result};

use super::{Cells, OfCells, State, Whose};
use crate::io::BasketLayout;
use crate::kinds::{Ask, Kinded, TaxonomyRecord, Wants};

/// Its parts are sums, and so is what it is a share of.
const GGD: &str = "group-generalisation-distortion";
const GGD_PARTS: [&str; 4] = ["worst", "generalised", "suppressed", "added"];
const NCP: &str = "normalised-certainty-penalty";
const NCP_PARTS: [&str; 4] = ["items", "untouched", "generalised", "suppressed"];

impl Cells for Baskets {
    const MODEL: &'static Info = &k_anonymity::TRANSACTION;
    const METHODS: &'static [&'static str] = &[flock::INFO.name];
    const MEASURES: &'static [&'static str] = &[GGD, NCP];

    fn unheeded(ask: &Ask) -> Option<&'static str> {
        let asked = [
            ("sensitive", ask.sensitive.is_some()),
            ("as", ask.as_kind.is_some()),
            ("policy", ask.policy.is_some()),
            ("drop", ask.drop.is_some()),
        ];
        asked.into_iter().find(|(_, is_asked)| *is_asked).map(|(name, _)| name)
    }

    fn travelling(&self) -> Vec<(String, Vec<String>)> {
        let row = |person: usize| {
            let name = if self.has_ids() { self.names().get(person as u32) } else { "" };
            let mut items: Vec<String> = self.basket(person).iter().map(|&item| self.label(item).to_owned()).collect();
            items.sort_unstable();
            (name.to_owned(), items)
        };
        (0..self.persons()).map(row).collect()
    }

    fn columns_of(&self) -> Columns {
        let is_number = |name: &&str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        let names = self.names().iter().filter(|_| self.has_ids());
        Columns {
            persons: self.persons() as u64,
            rows: self.rows() as u64,
            digits: names.filter(is_number).map(str::len).collect(),
            columns: Vec::new(),
        }
    }

    fn built_of(persons: &[Whose], of: &OfCells<Self>, _state: &State) -> Result<(Self, u64)> {
        let ready =
            Self::understand(vec![built(persons, of.head.has_ids())], &of.about, &of.plan.ask, Wants::default())?;
        let unknown = ready.accounts.get(OCCURRENCES_UNKNOWN).unwrap_or(0);
        Ok((ready.only()?.0, unknown))
    }

    fn taxonomy(of: &OfCells<Self>) -> Result<Option<TaxonomyRecord>> {
        let none = built(&[], of.head.has_ids());
        Ok(Self::understand(vec![none], &of.about, &of.plan.ask, Wants::default())?.taxonomy)
    }

    fn sketches(&self) -> Result<Vec<Coordinates>> {
        let Some(taxonomy) = self.taxonomy() else {
            return Err(Error::refused("baskets on many machines need a taxonomy: flock generalises items along it")
                .with_hint("`taxonomy=\"FILE\"`"));
        };
        Ok(of_baskets(self, taxonomy))
    }

    fn released(persons: &[Whose], of: &OfCells<Self>, _state: &State) -> Result<(Self, BasketLayout)> {
        let records = built(persons, of.head.has_ids());
        let (_, layout) = Self::release_layout(&of.about, Some(super::FORMAT), &records)?;
        // Of every file the same type, whatever is in it.
        Ok((records, BasketLayout { typed_person: false, typed_item: false, ..layout }))
    }

    fn judged(&self, person: usize) -> Vec<Vec<&str>> {
        let mut items: Vec<&str> = self.basket(person).iter().map(|&item| self.label(item)).collect();
        items.sort_unstable();
        vec![items]
    }

    fn judged_of<'w>(whose: &'w Whose, _head: &Self) -> Vec<Vec<&'w str>> {
        let mut items: Vec<&str> = whose.rows.iter().flatten().map(String::as_str).collect();
        items.sort_unstable();
        vec![items]
    }

    fn counted(whose: &Whose) -> usize {
        whose.rows.iter().map(Vec::len).sum()
    }

    fn add_measured(found: &Measured, block: &Self, into: &mut MeasurePart) {
        let parts = if found.name == GGD { &GGD_PARTS } else { &NCP_PARTS };
        if found.name == GGD {
            into.add_sum(GGD, found.value.unwrap_or(0.0));
        } else {
            into.add(found, block.rows() as u64);
        }
        for part in parts {
            into.add_sum(&format!("{} {part}", found.name), found.parts[part].as_f64().unwrap_or(0.0));
        }
    }

    fn measured(name: &str, parts: &MeasurePart) -> Option<(Option<f64>, Value)> {
        let sum = |part: &str| parts.sum(&format!("{name} {part}")).unwrap_or(0.0);
        let whole = |part: &str| json!(sum(part).round() as u64);
        if name == NCP {
            let (mean, ..) = parts.finish(NCP)?;
            return Some((mean, NCP_PARTS.iter().map(|&part| (part.to_owned(), whole(part))).collect()));
        }
        let (loss, worst) = (parts.sum(GGD)?, sum("worst"));
        let found = json!({
            "share": (worst > 0.0).then(|| loss / worst), "worst": whole("worst"), "generalised": sum("generalised"),
            "suppressed": whole("suppressed"), "added": whole("added"),
        });
        Some((Some(loss), found))
    }
}

/// Baskets of labels.
fn built(persons: &[Whose], has_ids: bool) -> Baskets {
    let mut builder = BasketsBuilder::new(None, has_ids);
    for (at, whose) in persons.iter().enumerate() {
        let line = (at + 1).to_string();
        let person = builder.person(if has_ids { &whose.name } else { &line });
        for item in whose.rows.iter().flatten() {
            let label = builder.label(item);
            builder.push(person, label);
        }
    }
    builder.finish()
}
