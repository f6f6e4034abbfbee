//! An audit in words: sentences that the command line prints and the page shows.

use throng_core::models::crowds::CrowdsOfSize;

use super::{Audit, ModelOutcome, SingledOut};
use crate::io::BadLines;
use crate::kinds::{self, Ask, KindCard};
use crate::words::{Line, attacked, attacker, counted, percent, quoted, thousands};

impl Audit {
    /// Everything, line by line.
    pub fn words(&self) -> Vec<Line> {
        let mut lines = vec![Line::new("file", self.what_it_is()), Line::new("who", self.who_they_are())];
        lines.push(Line::new("answer", self.answer()));
        let crowds = self.crowd_rows();
        if !crowds.is_empty() {
            lines.push(Line::new("crowds", format!("{}:", self.about_crowds())));
            let row = |(size, persons, share): (String, String, f64)| {
                Line::more(format!("{size:18} {persons:>9} {:>9}", percent(share)))
            };
            lines.extend(crowds.into_iter().map(row));
        }
        if !self.singled_out.is_empty() {
            lines.push(Line::new("found by", format!("{}:", self.about_facts())));
            lines.extend(self.singled_out.iter().map(|facts| Line::more(facts.row())));
            lines.extend(self.sampled().map(Line::more));
        }
        for model in &self.models {
            lines.push(Line::new(model.claim.name(), format!(" {}", model.found())));
            lines.extend(model.claim.witness_in_words.iter().map(Line::more));
        }
        for attack in &self.attacks {
            let who = attacker(attack.name, &attack.knowledge);
            let said = attacked(&who, [None, attack.rate, attack.bound]);
            lines.extend(said.map(|said| Line::new("attack", format!("{}: {said}", attack.name))));
        }
        lines.extend(self.certificate_in_words().map(|text| Line::new("certificate", text)));
        let labels = std::iter::once("to do").chain(std::iter::repeat(""));
        lines.extend(labels.zip(&self.what_to_do).map(|(label, text)| Line::new(label, text)));
        lines.extend(self.page.iter().map(|page| Line::new("page", page)));
        lines
    }

    fn card(&self) -> &'static KindCard {
        kinds::card_of(self.kind)
    }

    /// What the file is.
    pub(crate) fn what_it_is(&self) -> String {
        let what = if self.certificate.is_some() { "a release of throng's, " } else { "" };
        format!("{}: {what}{} ({}), {}", self.file, self.kind, self.format, self.card().summary)
    }

    /// Who the persons are taken to be, and what they have.
    pub(crate) fn who_they_are(&self) -> String {
        let card = self.card();
        let persons = counted(self.persons as u64, card.person[0], card.person[1]);
        let who = match self.person_column.as_str() {
            "" => card.without_ids.to_owned(),
            column => format!("told apart by the column {column}"),
        };
        let mean = self.rows as f64 / self.persons.max(1) as f64;
        format!("{persons}, {who}; {}, {mean:.1} each", counted(self.rows, card.row[0], card.row[1]))
    }

    /// Whether it is anonymous.
    pub(crate) fn answer(&self) -> String {
        let (card, k) = (self.card(), self.k);
        let [one, many] = card.person;
        let Some((below, smallest)) = self.persons_below_k.zip(self.smallest_crowd) else {
            let reason = self.unjudgeable.unwrap_or_default();
            return format!("NO: {reason}; only vectors of terms in their place can be k-anonymous");
        };
        if self.persons == 0 {
            return format!("NO: there are no {many} in it");
        }
        if below > 0 {
            let alone = self.crowds.iter().flatten().find(|range| range.to == Some(1)).map_or(0, |range| range.persons);
            let share = percent(below as f64 / self.persons as f64);
            let of_all = format!("{} of {}", thousands(below as u64), counted(self.persons as u64, one, many));
            let crowds = match alone {
                _ if k == 2 => "alone".to_owned(),
                0 => format!("in crowds of fewer than {k}"),
                1 if below == 1 => "alone".to_owned(),
                _ if alone == below => format!("in crowds of fewer than {k}, all of them alone"),
                _ => format!("in crowds of fewer than {k}, {} of them alone", thousands(alone as u64)),
            };
            let ids = self.named_by_ids.map(|ids| format!("; and {ids}")).unwrap_or_default();
            let by = self.found_most_by().unwrap_or_default();
            let are = if below == 1 { "is" } else { "are" };
            let others: String = self.not_compared.iter().map(|what| format!("; {what}")).collect();
            return format!("NO, not at k = {k}: {of_all} ({share}) {are} {crowds}{ids}{by}{others}");
        }
        let others = counted(smallest as u64 - 1, "other", "others");
        let crowd = format!("every {one} has the same record as at least {others}");
        if self.holds() {
            return format!("YES, at k = {k}: {crowd}");
        }
        let contradicted =
            self.certificate.iter().flat_map(|found| &found.claims).filter(|claim| claim.verdict == "fails");
        let contradicted = contradicted.map(|claim| format!("{} is claimed and fails", claim.name()));
        let named = self.named_by_ids.map(str::to_owned);
        let but: Vec<String> = self.not_compared.iter().cloned().chain(contradicted).chain(named).collect();
        format!("NO: {crowd}, but {}", but.join("; "))
    }

    /// By what most are singled out: as little as finds some, of whatever sort finds most.
    fn found_most_by(&self) -> Option<String> {
        let share = |found: &SingledOut, known: u8| found.alone.get(&known).copied().unwrap_or_default();
        let worst = |known: u8| {
            let worse = |left: &&SingledOut, right: &&SingledOut| share(left, known).total_cmp(&share(right, known));
            self.singled_out.iter().rev().max_by(worse).filter(|found| share(found, known) >= 0.01)
        };
        let (known, found) = (1..=3).find_map(|known| Some((known, worst(known)?)))?;
        let [one, many] = self.card().facts.iter().find(|sort| sort.names[1] == found.facts)?.known;
        let facts = match known {
            1 => one.to_owned(),
            2 => many.replace("{}", "two"),
            _ => many.replace("{}", "three"),
        };
        Some(format!("; whoever knows {facts} finds {}", percent(share(found, known))))
    }

    /// What the rows of crowds say.
    pub(crate) fn about_crowds(&self) -> String {
        format!("{} by how many have the same record, themselves included", self.card().person[1])
    }

    /// Sizes of crowds that there are: in words, with how many persons are in them, and their share.
    pub(crate) fn crowd_rows(&self) -> Vec<(String, String, f64)> {
        let all = self.persons.max(1) as f64;
        let row = |range: &CrowdsOfSize| {
            let size = match (range.from, range.to) {
                (1, Some(1)) => "alone".to_owned(),
                (from, None) => format!("one of {from} or more"),
                (from, Some(to)) if from == to => format!("one of {from}"),
                (from, Some(to)) if from + 1 == to => format!("one of {from} or {to}"),
                (from, Some(to)) => format!("one of {from} to {to}"),
            };
            (size, thousands(range.persons as u64), range.persons as f64 / all)
        };
        self.crowds.iter().flatten().filter(|range| range.persons > 0).map(row).collect()
    }

    /// What became of columns without a role, and what they may do to the answer.
    pub(super) fn about_unmapped(&self) -> Option<String> {
        let columns = counted(self.unmapped.len() as u64, "column has", "columns have");
        let said = format!("{columns} no role ({}): {}", self.unmapped.join(", "), self.unmapped_fate());
        let is_why = !self.columns_not_read && self.persons_below_k > Some(0);
        let why = if is_why {
            "; one that is different in every row makes everybody alone, whatever else they share"
        } else {
            ""
        };
        (!self.unmapped.is_empty()).then(|| said + why)
    }

    /// What the rows of facts say.
    pub(crate) fn about_facts(&self) -> String {
        let many = self.card().person[1];
        format!("{many} singled out by somebody who knows 1, 2, 3 of these (left among fewer than {})", self.k)
    }

    /// What to say where not everybody was looked at.
    pub(crate) fn sampled(&self) -> Option<String> {
        let looked_at = self.singled_out.iter().map(|facts| facts.persons).min()?;
        let many = self.card().person[1];
        (looked_at < self.persons).then(|| format!("judged on {} {many} drawn at random", thousands(looked_at as u64)))
    }

    /// What the certificate of a release is worth.
    pub(crate) fn certificate_in_words(&self) -> Option<String> {
        let found = self.certificate.as_ref()?;
        let hash = match found.hash_matches {
            Some(false) => "the data are NOT those it was written for",
            _ => "the data are those it was written for",
        };
        let claim = |claim: &crate::run::ClaimOutcome| {
            let said = claim.found().unwrap_or_else(|| "was not checked".to_owned());
            format!("; {} {said}", claim.name())
        };
        let none = if found.claims.is_empty() { "; it claims nothing" } else { "" };
        Some(found.claims.iter().map(claim).fold(format!("{hash}{none}"), |text, claim| text + &claim))
    }

    /// The columns as a flag of another command, where there are some.
    fn columns_said(&self) -> String {
        let said: Vec<String> =
            self.columns.iter().map(|(role, name)| format!(" {}", quoted(&format!("{role}={name}")))).collect();
        if said.is_empty() { String::new() } else { format!(" --column{}", said.concat()) }
    }

    /// What is to be done. The file is named to other commands as it is here.
    pub(crate) fn advice(&self, files: &[String]) -> Vec<String> {
        let (k, one) = (self.k, self.card().person[0]);
        let files: Vec<String> = files.iter().map(|file| quoted(file)).collect();
        let needs_taxonomy = self.card().judged_by_taxonomy && !self.flags.contains("--taxonomy");
        let taxonomy = if needs_taxonomy { " --taxonomy items.csv" } else { "" };
        let lacking = &self.flags_lacking;
        let protect =
            format!("`throng protect {}{}{lacking}{taxonomy} --out release --k {k}`", files.join(" "), self.flags);
        let mut advice = Vec::new();
        if self.is_doubtful {
            advice.push(
                "say who a person is, and audit again: `--column user=NAME`, or `--one-row-per-person` if it is meant"
                    .to_owned(),
            );
        }
        match (self.named_by_ids, &self.certificate) {
            (Some(_), Some(_)) => advice.push(
                "do not pass this release on: whoever has the ids knows who is who; protect the original again without `--keep-ids`"
                    .to_owned(),
            ),
            (Some(_), None) => advice.push(
                "the ids name the people themselves: put others in their place, as `throng protect` does, whatever else is done"
                    .to_owned(),
            ),
            (None, _) => {}
        }
        let is_named_only =
            self.named_by_ids.is_some() && self.persons_below_k == Some(0) && self.not_compared.is_empty();
        if is_named_only {
            // All was said.
        } else if self.unjudgeable.is_some() {
            advice.push(format!("do not pass the texts on: {protect} publishes vectors of terms in their place"));
        } else if self.holds() {
            let natural = self.models.first().map_or("", |natural| natural.claim.model.as_str());
            advice.push(format!(
                "nothing, for this promise; it hides who is who among at least {k}, not what a whole crowd has in common: \
                 `throng explain {natural}`"
            ));
        } else if self.certificate.is_some() && self.persons_below_k == Some(0) {
            advice.push(
                "do not pass this release on as it is: put the one that throng made in its place, or protect the original again"
                    .to_owned(),
            );
        } else if self.certificate.is_some() {
            advice.push(format!("do not pass this release on: protect the original again, with `--k {k}`"));
        } else if self.persons_below_k > Some(0) {
            advice.push(format!(
                "do not pass it on as anonymous: {protect} makes a release in which every {one} is one of at least {k}"
            ));
            if !lacking.is_empty() {
                advice.push(
                    "a flat hierarchy publishes a value or `*`; one of your own loses less: `throng taxonomy generate` makes it, and \
                     `--hierarchy COLUMN=FILE` names it"
                        .to_owned(),
                );
            }
            if let (true, [file]) = (needs_taxonomy, &files[..]) {
                advice.push(format!(
                    "before that make a taxonomy of the items: `throng taxonomy generate {file}{} --fanout 5 --out items.csv`; \
                     `--taxonomy wordnet` has English words",
                    self.columns_said()
                ));
            }
        }
        if !self.not_compared.is_empty() && self.certificate.is_none() {
            advice.push("whatever was not compared may single people out: have it removed, and audit again".to_owned());
        }
        let needs: Vec<&str> =
            self.certificate.iter().flat_map(|found| &found.claims).filter_map(|claim| claim.needs).collect();
        if needs.contains(&"key") {
            advice.push(
                "a claim needs the original and the key: `throng check` looks at it beside (`--original FILE --key FILE`)"
                    .to_owned(),
            );
        } else if !needs.is_empty() {
            advice.push("a claim needs the original: `throng check` looks at it beside (`--original FILE`)".to_owned());
        }
        advice
    }
}

impl SingledOut {
    /// The facts and the shares.
    fn row(&self) -> String {
        let both = self.alone.values().zip(self.below_k.values());
        let shares =
            both.map(|(&alone, &below)| format!("{:>8} {:11}", percent(alone), format!("({})", percent(below))));
        format!("{:9}{}{}", self.facts, shares.collect::<String>(), self.known)
    }
}

impl ModelOutcome {
    /// What was found, or why nothing was.
    pub(crate) fn found(&self) -> String {
        let reason = self.reason.as_deref().unwrap_or_default();
        self.claim.found().unwrap_or_else(|| format!("not checked: {reason}"))
    }
}

/// What was said of a file, as flags of another command.
pub(super) fn flags(ask: &Ask) -> String {
    let mut flags = String::new();
    for (flag, value) in [("--kind", &ask.kind), ("--as", &ask.as_kind)] {
        flags.extend(value.iter().map(|value| format!(" {flag} {}", quoted(value))));
    }
    if !ask.columns.is_empty() {
        flags.push_str(" --column");
        flags.extend(
            ask.columns.iter().map(|choice| format!(" {}", quoted(&format!("{}={}", choice.role, choice.name)))),
        );
    }
    flags.extend(ask.format.iter().map(|format| format!(" --input-format {format}")));
    flags.extend(ask.delimiter.iter().map(|delimiter| format!(" --delimiter {}", quoted(&delimiter.to_string()))));
    flags.extend(ask.encoding.iter().map(|encoding| format!(" --encoding {encoding}")));
    for (flag, is_asked) in [
        ("--no-header", ask.no_header),
        ("--bad-lines skip", ask.bad_lines == BadLines::Skip),
        ("--one-row-per-person", ask.one_row_per_person),
    ] {
        flags.extend(is_asked.then(|| format!(" {flag}")));
    }
    flags.extend(ask.schema.iter().map(|file| format!(" --schema {}", quoted(&file.display().to_string()))));
    flags.extend(ask.hierarchies.iter().map(|said| format!(" --hierarchy {}", quoted(said))));
    flags.extend(
        ask.hierarchies_in.iter().map(|folder| format!(" --hierarchies {}", quoted(&folder.display().to_string()))),
    );
    flags.extend(ask.missing.iter().map(|missing| format!(" --missing {}", missing.name())));
    flags.extend(ask.cells.iter().map(|table| format!(" --cells {}", quoted(&table.display().to_string()))));
    flags.extend(ask.taxonomies.iter().map(|taxonomy| format!(" --taxonomy {}", quoted(taxonomy))));
    flags
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::ColumnChoice;

    #[test]
    fn flags_are_given_on_as_a_shell_takes_them() {
        let columns = vec![ColumnChoice { role: "user".to_owned(), name: "the buyer's id".to_owned() }];
        let ask = Ask { kind: Some("kind".to_owned()), columns, one_row_per_person: true, ..Ask::default() };
        assert_eq!(flags(&ask), r" --kind kind --column 'user=the buyer'\''s id' --one-row-per-person");
        assert_eq!(flags(&Ask::default()), "");
        assert_eq!([quoted("a b.csv"), quoted("a/b.csv"), quoted("")], ["'a b.csv'", "a/b.csv", "''"]);
    }
}
