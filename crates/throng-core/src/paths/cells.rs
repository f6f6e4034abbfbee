//! The cell of each point, for whoever follows people from cell to cell.

use h3o::{LatLng, Resolution};

use super::cube::Cells;
use crate::data::paths::{MISSING, Mark, Paths};
use crate::geo::tile::Tile;
use crate::{Error, Result};

/// The cells of points, as numbers with names.
#[derive(Debug, Clone, Copy)]
pub struct CellKeys<'a> {
    paths: &'a Paths,
    cells: Cells,
}

impl<'a> CellKeys<'a> {
    /// Cells that do not depend on who is in them: tiles of one zoom, H3, or places.
    pub fn of(paths: &'a Paths, cells: Cells) -> Result<Self> {
        match cells {
            Cells::Quad(..) => Err(Error::parameter("cell", format!("is `{cells}`, but cells must be of one size"))
                .with_hint("for example `--cell tile:14`, `--cell h3:8` or `--cell place`")),
            Cells::Place if !paths.has(Mark::Place) => {
                Err(Error::parameter("cell", "is `place`, but no point has one")
                    .with_hint("`--column place=…` names the column of places"))
            }
            _ => Ok(Self { paths, cells }),
        }
    }

    /// The cell of a point; none where it has no place with a name.
    pub fn key(&self, point: usize) -> Option<u64> {
        let (lat, lon) = self.paths.place(point);
        match self.cells {
            Cells::Tile(zoom) | Cells::Quad(_, zoom) => Some(Tile::at(lat, lon, zoom).code()),
            Cells::H3(resolution) => {
                let resolution = Resolution::try_from(resolution).ok()?;
                LatLng::new(lat, lon).ok().map(|place| u64::from(place.to_cell(resolution)))
            }
            Cells::Place => match self.paths.mark(Mark::Place, point) {
                MISSING => None,
                place => Some(u64::from(place)),
            },
        }
    }

    /// The name of a cell.
    pub fn name(&self, key: u64) -> String {
        match self.cells {
            Cells::Tile(zoom) | Cells::Quad(_, zoom) => Tile::from_code(key, zoom).to_string(),
            Cells::H3(_) => format!("{key:x}"),
            Cells::Place => self.paths.texts(Mark::Place).get(key as u32).to_owned(),
        }
    }
}
