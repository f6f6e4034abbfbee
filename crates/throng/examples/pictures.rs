//! Takes charts out of a comparison's page: `cargo run --example pictures -- PAGE.html FEW.html "title" "title" …`.
//!
//! The new page has those charts alone whose titles begin so. `scripts/pictures` makes the pictures of `docs` with it.

#![allow(clippy::print_stderr)]

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [page, few, titles @ ..] = words.as_slice() else {
        eprintln!("give a page, the page to make, and the titles of charts");
        return ExitCode::from(2);
    };
    match take(page, few, titles) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

fn take(page: &str, few: &str, titles: &[String]) -> Result<(), String> {
    let text = std::fs::read_to_string(page).map_err(|cause| format!("{page}: {cause}"))?;
    let (head, body) = text.split_once("<body").ok_or_else(|| format!("{page} is no page"))?;
    let mut charts = String::new();
    for title in titles {
        let caption = format!("<bdi>{title}");
        let figures = body.split("<figure").skip(1).filter_map(|figure| figure.split_once("</figure>"));
        let own = figures.map(|(figure, _)| figure).find(|figure| figure.contains(&caption));
        let own = own.ok_or_else(|| format!("{page} has no chart `{title}`"))?;
        // A picture has no use for the numbers that a click shows.
        let (drawn, _) = own.split_once("<details>").unwrap_or((own, ""));
        charts += &format!("<figure{drawn}</figure>\n");
    }
    std::fs::write(few, format!("{head}<body>\n{charts}</body></html>\n")).map_err(|cause| format!("{few}: {cause}"))
}
