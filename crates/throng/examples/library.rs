//! throng as a library: a search log in memory is protected, checked and measured, and no path is touched.
//!
//! `cargo run -p throng --example library`

use std::io::Write as _;

use throng::prelude::*;

/// Twelve persons who searched for three things each.
fn searches() -> QueryLog {
    let mut log = QueryLogBuilder::new();
    for person in 0..12 {
        let own = format!("repair of a number {} bicycle", person % 4);
        for (minute, query) in ["weather tomorrow", "train to the coast", own.as_str()].into_iter().enumerate() {
            log.push(&format!("p{person}"), query, minute as i64 * 60_000, None, None);
        }
    }
    log.finish()
}

pub(crate) fn main() -> Result<()> {
    let original = searches();
    let mut rng = Rng::secure()?;

    // A method off the shelf of search logs protects, and says which models the result satisfies.
    let entry = QueryLog::SHELF.method(Some("user-microaggregation"))?;
    let (method, _) = entry.with(&[("k".to_owned(), "3".to_owned())])?;
    let protected = method.protect(&original, &mut rng, &Silent)?;
    let release = protected.disguise(original.names(), false, &mut rng)?;

    // The models check that, on the records of the release alone.
    let digests = Digests::of_release(&release, &mut rng);
    for claim in &release.claims {
        let judge = (QueryLog::SHELF.model(claim.model)?.build)(claim.parameters.clone())?;
        if let Judge::Alone(model) = judge {
            let verdict = model.check(&digests)?;
            assert!(verdict.holds, "{} fails", claim.model);
            say(&format!("{} holds: {}", claim.model, serde_json::Value::Object(verdict.achieved)));
        }
    }

    // And measures say what it cost.
    let mut link = vec![None; original.persons()];
    for person in &release.persons {
        link[person.person as usize] = Some(person.record);
    }
    let multiplicity = release.persons_of_records();
    let pair = Pair { original: &original, release: &release.records, multiplicity, link: Some(link) };
    let context = Context { k: 3, shared_by: 3, show_values: false, seed: 0, progress: &Silent };
    for measure in
        QueryLog::SHELF.measures(&["profile-exposure-level".to_owned(), "query-frequency".to_owned()], true)?
    {
        let measured = measure.measure(&pair, &context)?;
        say(&format!("{} is {:?} {}", measured.name, measured.value, measured.unit));
    }
    Ok(())
}

/// A line on standard output; nobody may be listening.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
