//! `throng link review`: the possible pairs one by one, for somebody to decide; the answers stay in a file that `match --decided` obeys.

use std::collections::HashSet;
use std::io::{BufRead, Write};
use std::path::PathBuf;

use serde::Serialize;
use throng_core::link::bits::dice;
use throng_core::link::encode::sets::alike;
use throng_core::text::visible::visible;
use throng_core::{Error, Result};

use throng_core::progress::Progress;

use super::clk::{Clk, is_encoded};
use super::csv_line;
use super::tables::{Csv, RecordFile};
use crate::io::ReadOptions;

/// What to look at.
#[derive(Debug, Clone)]
pub struct ReviewRequest {
    /// Pairs as `match` writes them.
    pub pairs: PathBuf,
    /// The files that were matched, or the one.
    pub files: Vec<PathBuf>,
    /// Where the answers are kept: `a,b,same`. Answers that are there already are not asked for again.
    pub decided: PathBuf,
    /// The column of ids.
    pub id: Option<String>,
    /// How to read the files.
    pub options: ReadOptions,
}

/// What was decided.
#[derive(Debug, Serialize)]
pub struct Reviewed {
    /// The file of answers.
    pub file: String,
    /// How many pairs were possible.
    pub possible: u64,
    /// How many were decided before.
    pub before: u64,
    /// How many were decided now.
    pub decided: u64,
    /// How many are left.
    pub left: u64,
}

/// What shows a pair: names of fields, and for each record or pair its texts.
enum Shown {
    Records(Vec<RecordFile>),
    Encoded(Vec<Clk>),
}

impl Shown {
    /// The lines of a pair.
    fn lines(&self, a: &str, b: &str) -> Option<Vec<String>> {
        match self {
            Self::Records(files) => {
                let (one, other) = (&files[0], &files[files.len() - 1]);
                let (left, right) = (*one.by_id().get(a)? as usize, *other.by_id().get(b)? as usize);
                let value = |file: &RecordFile, name: &str, row: usize| {
                    let column = file.column(name).ok()?;
                    let (_, values, cells, _) = &file.table.columns[column];
                    Some(visible(values.get(cells[row])).into_owned())
                };
                let mut lines = Vec::new();
                for name in one.columns() {
                    let (own, theirs) = (value(one, name, left)?, value(other, name, right).unwrap_or_default());
                    let mark = if own == theirs { "=" } else { " " };
                    lines.push(format!("  {mark} {:16} {own:28} {theirs}", visible(name)));
                }
                Some(lines)
            }
            // Never a value: there is none. How alike the filters are, in tenths.
            Self::Encoded(files) => {
                let other = &files[files.len() - 1];
                let row = |number: &str, clk: &Clk| {
                    number
                        .parse::<usize>()
                        .ok()
                        .filter(|number| (1..=clk.rows()).contains(number))
                        .map(|number| number - 1)
                };
                let (left, right) = (row(a, &files[0])?, row(b, other)?);
                let line = |column: usize| {
                    let name = format!("column {}", column + 1);
                    if files[0].missing[column][left] || other.missing[column][right] {
                        return format!("    {name:16} missing");
                    }
                    if !files[0].sets.is_empty() {
                        let [own, theirs] = [(&files[0], left), (other, right)]
                            .map(|(clk, row)| clk.sets.get(column).and_then(|sets| sets.get(row)));
                        let alike = own.zip(theirs).and_then(|(own, theirs)| Some(alike(&[own], &[theirs]).first()?.2));
                        return format!("    {name:16} level {} of 10", (alike.unwrap_or(0.0) * 10.0).floor());
                    }
                    let alike = dice(files[0].columns[column].get(left), other.columns[column].get(right));
                    format!("    {name:16} level {} of 10", (alike * 10.0).floor())
                };
                Some((0..files[0].columns.len()).map(line).collect())
            }
        }
    }
}

/// Shows the possible pairs that nobody decided yet, and keeps each answer at once: `y`, `n`, `s` to leave one for later, `q` to stop.
pub fn review(
    request: &ReviewRequest,
    answers: &mut dyn BufRead,
    page: &mut dyn Write,
    progress: &dyn Progress,
) -> Result<Reviewed> {
    if !(1..=2).contains(&request.files.len()) {
        return Err(Error::parameter("files", "must name the two files that were matched, or the one"));
    }
    let encoded = request.files.iter().filter(|path| is_encoded(path)).count();
    let shown = if encoded == request.files.len() {
        Shown::Encoded(request.files.iter().map(|path| Clk::read(path)).collect::<Result<_>>()?)
    } else if encoded == 0 {
        let read = |path: &PathBuf| RecordFile::read(path, request.id.as_deref(), &request.options, progress);
        Shown::Records(request.files.iter().map(read).collect::<Result<_>>()?)
    } else {
        return Err(Error::refused("one of the files is encoded, the other is not"));
    };
    let csv = Csv::read(&request.pairs)?;
    let [a, b, probability, class] =
        [csv.column("a")?, csv.column("b")?, csv.column("probability")?, csv.column("class")?];
    let mut text = b"a,b,same\n".to_vec();
    let mut known: HashSet<(String, String)> = HashSet::new();
    if request.decided.exists() {
        let before = Csv::read(&request.decided)?;
        let places = [before.column("a")?, before.column("b")?, before.column("same")?];
        for (_, cells) in &before.rows {
            csv_line(&places.map(|place| cells[place].as_str()), &mut text);
            known.insert((cells[places[0]].clone(), cells[places[1]].clone()));
        }
    }
    let possible: Vec<&(u64, Vec<String>)> = csv.rows.iter().filter(|(_, cells)| cells[class] == "possible").collect();
    let open: Vec<&&(u64, Vec<String>)> =
        possible.iter().filter(|(_, cells)| !known.contains(&(cells[a].clone(), cells[b].clone()))).collect();
    let failed = |cause| Error::io("talk to the terminal", cause);
    let mut decided = 0u64;
    'pairs: for (at, (line, cells)) in open.iter().enumerate() {
        let lines = shown.lines(&cells[a], &cells[b]).ok_or_else(|| {
            Error::data("the files have no such records")
                .in_file(csv.name.clone())
                .at_line(*line)
                .with_hint("`--files` takes the files that were matched, in their order")
        })?;
        writeln!(page, "\npair {} of {}: probability {}", at + 1, open.len(), cells[probability]).map_err(failed)?;
        for line in lines {
            writeln!(page, "{line}").map_err(failed)?;
        }
        loop {
            write!(page, "one person? y, n, s (later), q (stop): ").and_then(|()| page.flush()).map_err(failed)?;
            let mut answer = String::new();
            if answers.read_line(&mut answer).map_err(failed)? == 0 {
                break 'pairs;
            }
            let same = match answer.trim() {
                "y" | "yes" => "yes",
                "n" | "no" => "no",
                "s" => break,
                "q" => break 'pairs,
                _ => continue,
            };
            csv_line(&[&cells[a], &cells[b], same], &mut text);
            // An answer is kept at once: whoever is interrupted has lost none.
            crate::pending::replace(&request.decided, &text, true)?;
            decided += 1;
            break;
        }
    }
    Ok(Reviewed {
        file: request.decided.display().to_string(),
        possible: possible.len() as u64,
        before: (possible.len() - open.len()) as u64,
        decided,
        left: open.len() as u64 - decided,
    })
}
