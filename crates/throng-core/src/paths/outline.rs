//! Where a cell lies on the map: its corners, as shares of the Web Mercator map from the west and from the north.

use std::f64::consts::PI;

use h3o::CellIndex;

use super::cube::Cells;
use crate::geo::tile::{HIGHEST, Tile};

/// The corners of a cell by its name; none of what has no place on a map: names of places, and all cells together.
pub fn outline(cells: Cells, name: &str) -> Option<Vec<(f64, f64)>> {
    match cells {
        Cells::Place => None,
        Cells::H3(_) => {
            let cell: CellIndex = name.parse().ok()?;
            let corner = |place: &h3o::LatLng| on_map(place.lat(), place.lng());
            let mut corners: Vec<(f64, f64)> = cell.boundary().iter().map(corner).collect();
            // A cell over the date line goes on beyond the eastern edge.
            let is_cut = corners.iter().any(|(x, _)| *x < 0.25) && corners.iter().any(|(x, _)| *x > 0.75);
            for (x, _) in corners.iter_mut().filter(|(x, _)| is_cut && *x < 0.5) {
                *x += 1.0;
            }
            Some(corners)
        }
        Cells::Tile(_) | Cells::Quad(..) => {
            let tile =
                Tile::parse(name).filter(|_| !matches!(cells, Cells::Tile(zoom) if zoom as usize != name.len()))?;
            let (x, y) = tile.numbers();
            let side = 0.5_f64.powi(i32::from(tile.zoom()));
            let (west, north) = (f64::from(x) * side, f64::from(y) * side);
            Some(vec![(west, north), (west + side, north), (west + side, north + side), (west, north + side)])
        }
    }
}

/// A place on the map, by its latitude and longitude in degrees.
fn on_map(lat: f64, lon: f64) -> (f64, f64) {
    let lat = lat.clamp(-HIGHEST, HIGHEST).to_radians();
    ((lon + 180.0) / 360.0, (1.0 - lat.tan().asinh() / PI) / 2.0)
}

#[cfg(test)]
mod tests {
    use h3o::LatLng;

    use super::*;

    /// Tile (3, 5) of zoom 3, and the cell of H3's documentation, which holds its place.
    #[test]
    fn corners() {
        let tile = outline(Cells::Quad(0, 8), "213").unwrap();
        assert_eq!(tile, [(0.375, 0.625), (0.5, 0.625), (0.5, 0.75), (0.375, 0.75)]);
        assert_eq!(outline(Cells::Tile(3), "213").map(|corners| corners.len()), Some(4));
        assert_eq!(outline(Cells::Tile(4), "213"), None);
        assert_eq!(outline(Cells::Place, "inn"), None);
        assert_eq!(outline(Cells::H3(9), "no cell"), None);
        let cell = outline(Cells::H3(9), "8928308280fffff").unwrap();
        let (x, y) = on_map(37.775_938_7, -122.417_950_6);
        let ends = |of: fn(&(f64, f64)) -> f64| {
            let all: Vec<f64> = cell.iter().map(of).collect();
            (all.iter().copied().fold(f64::INFINITY, f64::min), all.iter().copied().fold(0.0, f64::max))
        };
        let ((west, east), (north, south)) = (ends(|corner| corner.0), ends(|corner| corner.1));
        assert!(cell.len() == 6 && west < x && x < east && north < y && y < south && east - west < 1e-4, "{cell:?}");
        // A cell of the coarsest resolution over the date line stays in one piece.
        let coarse = LatLng::new(0.0, 179.99).unwrap().to_cell(h3o::Resolution::Zero);
        let corners = outline(Cells::H3(0), &coarse.to_string()).unwrap();
        let wide = corners.iter().map(|corner| corner.0).fold(0.0, f64::max)
            - corners.iter().map(|corner| corner.0).fold(f64::INFINITY, f64::min);
        assert!(wide < 0.2, "{corners:?}");
    }
}
