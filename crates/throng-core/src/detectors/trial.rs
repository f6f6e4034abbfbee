//! Made-up ratings for tests: latent tastes, a long tail of popularity, generous and harsh raters, whole stars.

use crate::data::ratings::{Rating, Ratings, RatingsBuilder, Repeated};
use crate::rng::Rng;
use crate::shilling::Class;

/// Ratings of so many persons and items from 1 to 5. The shape hangs on the seed: how long the tail is, how alike persons are.
pub(crate) fn ratings(persons: usize, items: usize, seed: u64) -> Ratings {
    let mut rng = Rng::seeded(seed);
    let tastes = 6;
    let tail = 0.9 + 0.5 * rng.unit();
    let taste_strength = 0.5 + 0.6 * rng.unit();
    let normal = |rng: &mut Rng, size: usize| -> Vec<f64> { (0..size).map(|_| rng.normal()).collect() };
    let quality: Vec<f64> = (0..items).map(|_| 0.5 * rng.normal()).collect();
    let traits: Vec<Vec<f64>> = (0..items).map(|_| normal(&mut rng, tastes)).collect();
    // Good items are better known.
    let fame: Vec<f64> = (0..items)
        .map(|item| (-(tail) * ((item + 8) as f64).ln()) + 0.5 * rng.normal() + 0.7 * quality[item])
        .collect();
    let mut builder = RatingsBuilder::default();
    let mut line = 0;
    for person in 0..persons {
        let own = normal(&mut rng, tastes);
        let generous = 0.45 * rng.normal();
        let length = (20.0 + (3.6 + 1.15 * rng.normal()).exp()).min(items as f64 * 0.4) as usize;
        let scale = taste_strength / (tastes as f64).sqrt();
        // Gumbel's trick: the greatest of log weights with noise is a draw without replacement.
        let mut order: Vec<(f64, usize)> = (0..items)
            .map(|item| {
                let liking: f64 =
                    own.iter().zip(&traits[item]).map(|(own, of_item)| own * of_item).sum::<f64>() * scale;
                let noise = -(-(rng.unit().max(1e-300)).ln()).ln();
                (fame[item] + 0.9 * liking + noise, item)
            })
            .collect();
        order.sort_by(|left, right| right.0.total_cmp(&left.0));
        let name = builder.person(&format!("u{person}"));
        for &(_, item) in &order[..length] {
            let liking: f64 = own.iter().zip(&traits[item]).map(|(own, of_item)| own * of_item).sum::<f64>() * scale;
            let value =
                (3.5 + generous + 0.7 * quality[item] + 0.6 * liking + 0.75 * rng.normal()).round().clamp(1.0, 5.0);
            let item = builder.item(&format!("i{item}"));
            line += 1;
            builder.push(name, Rating { item, value, time: None }, line);
        }
    }
    builder.finish(None, Repeated::Refuse).expect("made-up ratings are good").0
}

/// A target of a class: with 20 ratings at least, or 5 where none has as many.
pub(crate) fn target(ratings: &Ratings, class: Class, rng: &mut Rng) -> Option<u32> {
    let with = |least: usize| -> Vec<u32> {
        let fits = |&item: &u32| ratings.count_of_item(item) >= least && Class::of(ratings, item) == Some(class);
        (0..ratings.items() as u32).filter(fits).collect()
    };
    let all = [with(20), with(5)].into_iter().find(|all| !all.is_empty())?;
    Some(all[rng.index(all.len())])
}
