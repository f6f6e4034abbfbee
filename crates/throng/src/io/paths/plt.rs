//! The files of GeoLife: six lines of header, then `lat,lon,0,altitude,days,date,time` in Greenwich's time. The person is the folder.

use throng_core::{Error, Result};

use super::marked::{Found, Lines, Taker, push_rest};

/// How many lines come before the first point.
const HEADER: usize = 6;

/// Reads a file.
pub(super) fn parse(text: &str, taker: &mut Taker<'_>) -> Result<()> {
    let mut lines = Lines::new(text);
    let mut rest = Vec::new();
    let mut rows = text.lines();
    let header: Vec<&str> = rows.by_ref().take(HEADER).collect();
    let is_header = header.first().is_some_and(|first| first.trim().eq_ignore_ascii_case("geolife trajectory"));
    if !is_header || header.len() < HEADER || header.iter().skip(1).any(|line| is_point(line)) {
        return Err(Error::data("the six lines at the beginning of a GeoLife file are missing").at_line(1).with_hint(
            "its first line is `Geolife trajectory`, and points begin in line 7; rows of another form are CSV",
        ));
    }
    for row in rows.filter(|row| !row.trim().is_empty()) {
        let line = lines.of(row);
        let cells: Vec<&str> = row.split(',').map(str::trim).collect();
        let [lat, lon, zero, altitude, days, date, time] = cells[..] else {
            taker.refuse(
                Error::data("the line does not have the seven cells of a GeoLife point")
                    .with_hint("`--bad-lines skip` leaves such lines out and counts them"),
                line,
            )?;
            continue;
        };
        rest.clear();
        [("zero", zero), ("altitude", altitude), ("days", days)]
            .iter()
            .for_each(|(name, value)| push_rest(&mut rest, name, value));
        taker.unmapped("altitude");
        let time = format!("{date}T{time}Z");
        taker.point(&Found { time: &time, lat, lon, rest: &rest, line, ..Found::default() })?;
    }
    Ok(())
}

/// Whether a line has as many cells as a point.
fn is_point(line: &str) -> bool {
    let cells: Vec<&str> = line.split(',').collect();
    cells.len() == 7 && cells[..2].iter().all(|cell| cell.trim().parse::<f64>().is_ok())
}
