//! A search log that shows shares, and what it says to whoever puts them together.

use super::{Trouble, open};
use crate::data::{Dataset as _, QueryLog, QueryLogBuilder};

/// A log with what could be opened.
#[derive(Debug)]
pub struct OpenedLog {
    /// The lines whose text opens, in the order of a release; persons without one are left out.
    pub log: QueryLog,
    /// How many different texts opened.
    pub texts: usize,
    /// How many lines stay closed.
    pub closed: u64,
    /// The most shares of a text that does not open, with the number of one of them.
    pub most_unopened: Option<(usize, u32)>,
}

/// Opens the lines of a log whose queries are shares, all of one release.
pub fn opened_log(log: &QueryLog) -> Result<OpenedLog, Trouble> {
    let opened = open(log.queries())?;
    let mut builder = QueryLogBuilder::new();
    let mut closed = 0;
    for person in 0..log.persons() {
        for line in log.lines(person) {
            match opened.text_of[line.query as usize] {
                Some(text) => {
                    let url = line.url.map(|url| log.urls().get(url));
                    builder.push(log.names().get(person as u32), opened.texts.get(text), line.time, line.rank, url);
                }
                None => closed += 1,
            }
        }
    }
    let log = builder.finish().in_release_order();
    Ok(OpenedLog { log, texts: opened.texts.len(), closed, most_unopened: opened.most_unopened })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::shares::sealed::Mark;
    use crate::shares::shares_of;

    #[test]
    fn lines_that_open_stay_with_their_persons() {
        let mut rng = Rng::seeded(1);
        let mark = Mark::draw(&mut rng);
        let [red, own] =
            [("red car", 2), ("my own", 1)].map(|(text, persons)| shares_of(text, persons, 2, mark, &mut rng).unwrap());
        let mut builder = QueryLogBuilder::new();
        for (person, share, time) in
            [("7", &red[1], 2000), ("7", &own[0], 1000), ("7", &red[1], 500), ("8", &red[0], 0), ("9", &own[0], 0)]
        {
            builder.push(person, share, time, Some(3), None);
        }
        let found = opened_log(&builder.finish()).unwrap();
        assert_eq!((found.texts, found.closed, found.most_unopened.map(|(most, _)| most)), (1, 2, Some(1)));
        let log = &found.log;
        assert_eq!(log.names().iter().collect::<Vec<_>>(), ["7", "8"]);
        let lines: Vec<_> = log.lines(0).map(|line| (log.queries().get(line.query), line.time, line.rank)).collect();
        assert_eq!(lines, [("red car", 500, Some(3)), ("red car", 2000, Some(3))]);
    }
}
