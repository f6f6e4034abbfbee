//! Making up profiles: what an attack learns of the ratings once, and profiles drawn from that.

use super::{Attack, Class, Direction, Params, rounded};
use crate::data::ratings::Ratings;
use crate::error::{Error, Result};
use crate::rng::Rng;

/// Made-up profiles: items with ratings.
pub type Profiles = Vec<Vec<(u32, f64)>>;

/// An attack on a target, ready to draw profiles.
#[derive(Debug, Clone)]
pub struct Injection<'a> {
    ratings: &'a Ratings,
    params: Params,
    /// How most persons rated the target.
    pub class: Option<Class>,
    /// What the target gets.
    pub target_value: f64,
    /// How many profiles there are.
    pub profiles: usize,
    /// Whether their share of persons is less than one.
    pub is_rounded_up: bool,
    /// How many fillers each has.
    pub fillers: usize,
    /// The items that are selected, in their order.
    pub selected: Vec<u32>,
    /// What they get.
    selected_value: f64,
    /// Fillers that all profiles have, of il and ih.
    listed: Vec<u32>,
    /// How many fillers the list lacks.
    pub shortfall: usize,
    /// What may be a filler by chance.
    eligible: Vec<u32>,
    /// For each item the value of a filler, where it does not hang on chance.
    values: Vec<f64>,
    /// How far all ratings are from their mean.
    deviation: f64,
}

/// Learns what an attack needs. The target may be an item that nobody rated; genres are needed by a segment that is not given.
pub fn prepare<'a>(
    ratings: &'a Ratings,
    target: Option<u32>,
    genres: Option<(&[Vec<u32>], &[u32])>,
    params: &Params,
) -> Result<Injection<'a>> {
    for (name, share) in [("size", params.size), ("filler", params.filler)] {
        if !(share > 0.0 && share <= 1.0) {
            return Err(Error::parameter(name, format!("is {share}, but must be a share above 0 and not above 1")));
        }
    }
    let scale = ratings.scale();
    if scale.low == scale.high {
        return Err(Error::refused("all ratings are equal, so that nothing can be pushed or nuked")
            .with_hint("`--scale 1..5` says what ratings there may be"));
    }
    if params.attack.learns_from_raters() && target.is_none_or(|target| ratings.count_of_item(target) == 0) {
        return Err(Error::refused(format!(
            "nobody rated the target, so that {} has nobody to learn from",
            params.attack.name()
        ))
        .with_hint("random, average, bandwagon and segment need no ratings of the target"));
    }
    let is_push = params.direction == Direction::Push;
    let target_value = if is_push { scale.high } else { scale.low };
    let selected = selected(ratings, target, genres, params)?;
    let (profiles, fillers) = (rounded(params.size, ratings.persons()), rounded(params.filler, ratings.items()));
    let is_free = |item: &u32| Some(*item) != target && !selected.contains(item);
    let all: Vec<u32> = (0..ratings.items() as u32).filter(is_free).collect();
    if fillers > all.len() {
        return Err(Error::parameter(
            "filler",
            format!(
                "asks for {fillers} fillers, but there are {} items beside the target and those selected",
                all.len()
            ),
        ));
    }
    let raters = target.map_or_else(Vec::new, |target| learned_from(ratings, target, params.attack));
    let values = values(ratings, &raters, params.attack);
    let (mut listed, mut shortfall) = (Vec::new(), 0);
    if matches!(params.attack, Attack::Il | Attack::Ih) {
        listed = favourites(ratings, &raters, params);
        listed.retain(is_free);
        listed.truncate(fillers);
        shortfall = fillers - listed.len();
    }
    Ok(Injection {
        ratings,
        params: params.clone(),
        class: target.and_then(|target| Class::of(ratings, target)),
        target_value,
        profiles: profiles.max(1),
        is_rounded_up: profiles == 0,
        fillers,
        selected_value: if is_push || params.attack == Attack::Segment { scale.high } else { scale.low },
        selected,
        eligible: all.into_iter().filter(|item| !listed.contains(item)).collect(),
        listed,
        shortfall,
        values,
        deviation: ratings.deviation(),
    })
}

impl Injection<'_> {
    /// Draws profiles. Each has what it gives to selected items and fillers; the target is left to the caller, for it need not
    /// have a number.
    pub fn draw(&self, rng: &mut Rng) -> Profiles {
        (0..self.profiles).map(|_| self.profile(rng)).collect()
    }

    fn profile(&self, rng: &mut Rng) -> Vec<(u32, f64)> {
        let mut profile: Vec<(u32, f64)> = self.selected.iter().map(|&item| (item, self.selected_value)).collect();
        profile.extend(self.listed.iter().map(|&item| (item, self.target_value)));
        let by_chance = rng.sample(self.eligible.len(), self.fillers - self.listed.len());
        for at in by_chance {
            let item = self.eligible[at as usize];
            profile.push((item, self.value(item, rng)));
        }
        profile
    }

    /// The value of a filler that was drawn.
    fn value(&self, item: u32, rng: &mut Rng) -> f64 {
        let (ratings, scale) = (self.ratings, self.ratings.scale());
        let value = self.values[item as usize];
        match self.params.attack {
            Attack::Random => scale.nearest(value + self.deviation * rng.normal()),
            // An end of the scale is whole already.
            Attack::Segment => value,
            _ if self.params.whole => {
                let deviation =
                    if ratings.count_of_item(item) < 2 { self.deviation } else { ratings.deviation_of_item(item) };
                scale.nearest(value + deviation * rng.normal())
            }
            _ => value,
        }
    }
}

/// The items that an attack selects.
fn selected(
    ratings: &Ratings,
    target: Option<u32>,
    genres: Option<(&[Vec<u32>], &[u32])>,
    params: &Params,
) -> Result<Vec<u32>> {
    let most = params.selected.unwrap_or_else(|| params.attack.usually_selected());
    let scale = ratings.scale();
    let others = (0..ratings.items() as u32).filter(|&item| Some(item) != target);
    let mut ranked: Vec<(usize, u32)> = match (params.attack, params.direction) {
        (Attack::Bandwagon, Direction::Push) => others.map(|item| (ratings.count_of_item(item), item)).collect(),
        (Attack::Bandwagon, Direction::Nuke) => {
            let low = |item: u32| ratings.of_item(item).filter(|&(_, value)| scale.is_low(value)).count();
            others.map(|item| (low(item), item)).collect()
        }
        (Attack::Segment, _) => {
            if let Some(segment) = &params.segment {
                if segment.is_empty() || segment.iter().any(|&item| Some(item) == target) {
                    return Err(Error::parameter("segment", "must name items beside the target"));
                }
                let mut items = Vec::new();
                segment.iter().for_each(|&item| {
                    if !items.contains(&item) {
                        items.push(item);
                    }
                });
                return Ok(items);
            }
            let Some((genres, of_target)) = genres else {
                return Err(Error::parameter("segment", "is missing, and there are no genres to find one by")
                    .with_hint("give a file about the items, `--items FILE`, or name some: `--segment ITEM,ITEM`"));
            };
            // 3.5 on a scale from 1 to 5.
            let liked = scale.low + 0.625 * (scale.high - scale.low);
            let shares = |item: u32| genres[item as usize].iter().any(|genre| of_target.contains(genre));
            others
                .filter(|&item| shares(item) && ratings.mean_of_item(item) >= liked)
                .map(|item| (ratings.count_of_item(item), item))
                .collect()
        }
        _ => Vec::new(),
    };
    if params.attack == Attack::Segment && ranked.is_empty() {
        return Err(Error::refused("no item that people like shares a genre with the target")
            .with_hint("name items of its segment: `--segment ITEM,ITEM`"));
    }
    ranked.sort_by(|left, right| right.0.cmp(&left.0).then(left.1.cmp(&right.1)));
    Ok(ranked.into_iter().take(most).map(|(_, item)| item).collect())
}

/// The persons that ul and il, or uh and ih, learn from.
fn learned_from(ratings: &Ratings, target: u32, attack: Attack) -> Vec<u32> {
    let scale = ratings.scale();
    let is_learned_from = |value: f64| match attack {
        Attack::Ul | Attack::Il => scale.is_low(value),
        Attack::Uh | Attack::Ih => scale.is_high(value),
        Attack::Random | Attack::Average | Attack::Bandwagon | Attack::Segment => false,
    };
    ratings.of_item(target).filter(|&(_, value)| is_learned_from(value)).map(|(person, _)| person).collect()
}

/// For each item what a filler gets.
fn values(ratings: &Ratings, raters: &[u32], attack: Attack) -> Vec<f64> {
    let items = 0..ratings.items() as u32;
    match attack {
        Attack::Random | Attack::Bandwagon => vec![ratings.mean(); ratings.items()],
        Attack::Segment => vec![ratings.scale().low; ratings.items()],
        Attack::Average | Attack::Il | Attack::Ih => items.map(|item| ratings.mean_of_item(item)).collect(),
        Attack::Ul | Attack::Uh => {
            let mut sums = vec![(0.0, 0); ratings.items()];
            for &rater in raters {
                for (item, value) in ratings.of_person(rater) {
                    sums[item as usize].0 += value;
                    sums[item as usize].1 += 1;
                }
            }
            let mean = |item: u32| match sums[item as usize] {
                (_, 0) => ratings.mean_of_item(item),
                (sum, count) => sum / f64::from(count),
            };
            items.map(mean).collect()
        }
    }
}

/// What some persons rated highest most often, or lowest: first the end of the scale, then the fifth beside it, each item once.
fn favourites(ratings: &Ratings, raters: &[u32], params: &Params) -> Vec<u32> {
    let mut counts = [vec![0usize; ratings.items()], vec![0usize; ratings.items()]];
    let wanted = if params.direction == Direction::Push { [4, 3] } else { [0, 1] };
    for &rater in raters {
        for (item, value) in ratings.of_person(rater) {
            let fifth = ratings.scale().fifth(value);
            if let Some(list) = wanted.iter().position(|&wanted| fifth == Some(wanted)) {
                counts[list][item as usize] += 1;
            }
        }
    }
    let mut favourites: Vec<u32> = Vec::new();
    for count in &counts {
        let mut items: Vec<u32> = (0..ratings.items() as u32)
            .filter(|&item| count[item as usize] >= params.count_at_least.max(1) && !favourites.contains(&item))
            .collect();
        items.sort_by(|&left, &right| count[right as usize].cmp(&count[left as usize]).then(left.cmp(&right)));
        favourites.extend(items);
    }
    favourites
}
