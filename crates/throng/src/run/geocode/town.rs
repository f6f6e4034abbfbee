//! `throng synth town`: a made-up town as files.

use std::path::{Path, PathBuf};

use serde::Serialize;
use throng_core::synth::town;
use throng_core::{Error, Result};

use super::files::degrees;
use crate::pending::{self, Pending};
use crate::run::synth::refuse_existing;

/// What to make up.
#[derive(Debug, Clone)]
pub struct TownRequest {
    /// How many addresses the reference has, at least.
    pub addresses: usize,
    /// How many people write their address down.
    pub residents: usize,
    /// The same seed makes the same town.
    pub seed: u64,
    /// The folder to make.
    pub out: PathBuf,
}

/// What was made.
#[derive(Debug, Serialize)]
pub struct TownMade {
    /// The folder.
    pub folder: String,
    /// How many addresses the reference has.
    pub addresses: usize,
    /// How many segments.
    pub segments: usize,
    /// How many people.
    pub residents: usize,
}

/// The most addresses and people.
const MOST: usize = 20_000_000;

/// Makes up a town: `reference.csv`, `streets.csv`, `addresses.csv`, `lines.csv`, `points.csv` and `truth.csv`.
pub fn town(request: &TownRequest) -> Result<TownMade> {
    pending::refuse_stdout(&request.out)?;
    refuse_existing(&request.out)?;
    for (name, value) in [("addresses", request.addresses), ("persons", request.residents)] {
        if !(1..=MOST).contains(&value) {
            return Err(Error::parameter(name, format!("is {value}, but must be from 1 to {MOST}")));
        }
    }
    let town = town::make(request.addresses, request.residents, request.seed);
    let failed = |cause| Error::io(format!("write into {}", pending::folder_of(&request.out).display()), cause);
    let folder = Pending::folder(&request.out).map_err(failed)?;
    let mut reference = Csv::new("id,number,street,suburb,postcode,lat,lon");
    for house in &town.houses {
        let Some(id) = &house.id else { continue };
        let street = &town.streets[house.street];
        let [lat, lon] = place(house.place);
        reference.row(&[id, &house.number, &street.name, &street.suburb, &street.postcode, &lat, &lon]);
    }
    let mut segments = Csv::new("from,to,side,street,suburb,postcode,lat1,lon1,lat2,lon2");
    for segment in &town.segments {
        let street = &town.streets[segment.street];
        let ([lat1, lon1], [lat2, lon2]) = (place(segment.start), place(segment.end));
        let (from, to) = (segment.from.to_string(), segment.to.to_string());
        segments.row(&[
            &from,
            &to,
            segment.side,
            &street.name,
            &street.suburb,
            &street.postcode,
            &lat1,
            &lon1,
            &lat2,
            &lon2,
        ]);
    }
    let mut parts = Csv::new("id,number,street,suburb,postcode");
    let mut lines = Csv::new("id,address");
    let mut points = Csv::new("id,lat,lon");
    let mut truth = Csv::new("id,ref,lat,lon,errors");
    for resident in &town.residents {
        let house = &town.houses[resident.house];
        let [lat, lon] = place(house.place);
        parts.row(&[&resident.id, &resident.number, &resident.street, &resident.suburb, &resident.postcode]);
        lines.row(&[&resident.id, &resident.line]);
        points.row(&[&resident.id, &lat, &lon]);
        truth.row(&[&resident.id, house.id.as_deref().unwrap_or_default(), &lat, &lon, &resident.errors]);
    }
    let made = [
        ("reference", &reference),
        ("streets", &segments),
        ("addresses", &parts),
        ("lines", &lines),
        ("points", &points),
        ("truth", &truth),
    ];
    for (name, csv) in made {
        write(&folder.path().join(format!("{name}.csv")), &csv.0).map_err(failed)?;
    }
    pending::publish(vec![(folder, request.out.clone())])?;
    Ok(TownMade {
        folder: request.out.display().to_string(),
        addresses: town.houses.iter().filter(|house| house.id.is_some()).count(),
        segments: town.segments.len(),
        residents: town.residents.len(),
    })
}

fn place((lat, lon): (f64, f64)) -> [String; 2] {
    [degrees(lat), degrees(lon)]
}

fn write(path: &Path, text: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;
    pending::new_file(path)?.write_all(text)
}

/// The rows of a file.
struct Csv(Vec<u8>);

impl Csv {
    fn new(header: &str) -> Self {
        Self(format!("{header}\n").into_bytes())
    }

    fn row(&mut self, cells: &[&str]) {
        super::files::csv_row(cells, &mut self.0);
    }
}
