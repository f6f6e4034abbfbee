use proptest::prelude::*;

use super::*;
use crate::geocode::{HouseNumber, ReferenceBuilder, reference::Written};
use crate::models::spatial_k_anonymity::{self, Masked};
use crate::progress::Silent;

fn town(houses: &[(f64, f64)]) -> Reference {
    let mut builder = ReferenceBuilder::default();
    for (at, &place) in houses.iter().enumerate() {
        let street =
            Written { street: format!("Street {}", at / 10), suburb: "Aville".into(), postcode: "1000".into() };
        builder.property(&at.to_string(), HouseNumber::plain(at as u32 % 10 + 1), &street, place).unwrap();
    }
    builder.finish(0.0, None).unwrap()
}

fn params(method: Method, k: usize) -> Params {
    Params { method, k, inner: 50.0, outer: 200.0 }
}

const SECRET: &[u8] = b"sixteen bytes or";

fn houses() -> impl Strategy<Value = Vec<(f64, f64)>> {
    prop::collection::vec((0u32..60, 0u32..60), 30..150).prop_map(|cells| {
        cells.into_iter().map(|(up, along)| (48.0 + f64::from(up) * 2e-4, -30.0 + f64::from(along) * 3e-4)).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the town, the model holds, and a point has the same mask alone and among others.
    #[test]
    fn masks_hold_for_any_town(houses in houses(), k in 2usize..12) {
        let reference = town(&houses);
        let points: Vec<(f64, f64)> = houses.iter().step_by(3).copied().collect();
        for method in Method::ALL.into_iter().filter(|method| method.claims()) {
            let masker = Masker::new(params(method, k), &reference).unwrap();
            let Ok(masked) = masker.mask(&points, SECRET, &Silent) else { continue };
            let rows: Vec<Masked> = masked
                .iter()
                .enumerate()
                .map(|(at, &place)| Masked { id: at.to_string(), line: at as u64 + 2, place })
                .collect();
            let original: Vec<(String, (f64, f64))> = points.iter().enumerate().map(|(at, &place)| (at.to_string(), place)).collect();
            let found = spatial_k_anonymity::check(&rows, &original, &houses, k as u64);
            prop_assert!(found.is_ok(), "{:?} {found:?}", method);
            let last = points.len() - 1;
            prop_assert_eq!(masker.mask(&points[last..], SECRET, &Silent).unwrap()[0], masked[last]);
        }
    }
}

/// A row of houses 22 m apart: on the edge between two, two are as near.
#[test]
fn the_edge_of_a_cell_is_half_of_the_way() {
    let houses: Vec<(f64, f64)> = (0..40).map(|at| (0.0, f64::from(at) * 2e-4)).collect();
    let reference = town(&houses);
    let masked =
        Masker::new(params(Method::Voronoi, 5), &reference).unwrap().mask(&houses[..3], SECRET, &Silent).unwrap();
    assert_eq!(masked[0], (0.0, 1e-4));
    assert!(masked[1] == (0.0, 1e-4) || masked[1] == (0.0, 3e-4), "{masked:?}");
    let rows = [Masked { id: "a".into(), line: 2, place: masked[0] }];
    let found = spatial_k_anonymity::check(&rows, &[("a".to_owned(), houses[0])], &houses, 5);
    assert_eq!(found.unwrap_err().k, Some(2));
}

#[test]
fn secrets_decide() {
    let houses: Vec<(f64, f64)> = (0..400).map(|at| (f64::from(at / 20) * 2e-4, f64::from(at % 20) * 2e-4)).collect();
    let reference = town(&houses);
    let masker = Masker::new(params(Method::AdaptiveDonut, 5), &reference).unwrap();
    let one = masker.mask(&houses, SECRET, &Silent).unwrap();
    assert_eq!(one, masker.mask(&houses, SECRET, &Silent).unwrap());
    let other = masker.mask(&houses, b"another secret of sixteen", &Silent).unwrap();
    assert!(one.iter().zip(&other).filter(|(one, other)| one == other).count() < 60);
    assert!(masker.mask(&houses, b"short", &Silent).is_err());
    assert!(Masker::new(params(Method::Donut, 401), &reference).is_err());
    assert!(Masker::new(params(Method::Donut, 1), &reference).is_err());
}
