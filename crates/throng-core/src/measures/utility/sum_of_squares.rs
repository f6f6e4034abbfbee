//! Sums of squares: how far persons were moved, against how far they are from the average.
//!
//! Paper      001 (Navarro-Arribas et al. 2012), section 3.1; reading Q27a. By meaning: 004 (Batet et al. 2014), section 3.
//!
//! # Formula
//! SSE = sum of d(original, released)², SST = sum of d(original, G)², SSA = sum of d(released, G)². L = 100 SSE / SST.
//! Search logs: d is the user distance under the scales of the original, G the aggregation of all persons. By meaning: d is the
//! semantic distance, by each of its five aggregations, and G the medoid of the persons who have a concept.
//!
//! # Readings
//! Ours: G by meaning is the medoid of a seeded sample of at most 200 persons, so that it costs less than what is measured. The
//! headline of baskets is L under minimum-sum, the default of the methods by meaning. Persons who are not in the release are
//! left out.
//!
//! # Cost
//! Three distances a person, and by meaning three more and those of the sample.

use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::super::meanings::meanings;
use super::super::{Context, Headline, Lost, MOST_COMPARED, Measure, MeasureInfo, Measured, Memory, Pair};
use crate::aggregate::queries::{Aggregation, log_of_records};
use crate::concepts::Texts;
use crate::data::{Baskets, QueryLog};
use crate::distance::distances_of;
use crate::distance::semantic_distance::{SemanticDistance, SetDistance};
use crate::distance::user_distance::{QueryWeights, Scales, UserSpace};
use crate::error::Result;
use crate::info::{Info, Need};
use crate::partition::mdav::medoid;
use crate::progress::Silent;
use crate::rng::Rng;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "sum-of-squares",
        summary: "how far persons were moved under the distance of their kind, against how far they are from the average",
        paper: "Navarro-Arribas, Torra, Erola, Castellà-Roca. User k-anonymity for privacy preserving data mining of \
                query logs. Information Processing and Management 48 (2012), section 3.1",
        details: "SSE = sum of d(original, released)², SST = sum of d(original, G)², SSA = sum of d(released, G)². In \
            search logs d is the user distance with the scales of the original, G the aggregation of all persons. In baskets d is \
            the semantic distance by minimum-sum, which needs a taxonomy, and G the medoid of a seeded sample of at most 200 persons \
            who have a concept.\n\
            The part `semantic` has the same under all five semantic distances (throng explain semantic-distance), in search logs \
            too where it is known what queries mean.\n\
            The headline is L = 100 SSE / SST: 0 when nobody moved, 100 when everybody might as well be the average. \
            Needs the link between persons (--key, or kept ids).
\
            Documents: d is the document distance over the 50 most frequent terms, and SST = SSE + SSA \
            (Navarro-Arribas, Torra 2010, who evaluate documents so).",
        parameters: &[],
    },
    unit: "%",
    better: "lower",
    says: "Of the differences between their records, {} are lost.",
    undefined: "all of them are alike, so there are no differences to lose",
    needs: &[Need::Link],
    memory: Memory::Sample,
    headline: Some(Headline::Loss(Lost::PercentOfReleased)),
    ..MeasureInfo::DEFAULT
};

/// The card for baskets: they have no distance but by meaning.
const OF_BASKETS: MeasureInfo = MeasureInfo {
    needs: &[Need::Link, Need::Meaning],
    undefined: "nobody has a concept, or all have the same ones, so there are no differences to lose",
    ..INFO
};

/// How many persons the medoid is looked for among.
const MEDOID_SAMPLE: usize = 200;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct SumOfSquares;

impl Measure<QueryLog> for SumOfSquares {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn most_persons(&self) -> usize {
        MOST_COMPARED
    }

    fn measure(&self, pair: &Pair<'_, QueryLog>, context: &Context<'_>) -> Result<Measured> {
        of_log(Average::of(pair.original, context), Centres::of(pair.original, context)?.as_ref(), pair, context)
    }

    fn prepared<'a>(
        &self,
        original: &'a QueryLog,
        context: &Context<'_>,
    ) -> Result<Option<Box<dyn Measure<QueryLog> + 'a>>> {
        let (average, centres) = (Average::of(original, context), Centres::of(original, context)?);
        Ok(Some(Box::new(OfOneLog { average, centres })))
    }
}

impl Measure<Baskets> for SumOfSquares {
    fn info(&self) -> &'static MeasureInfo {
        &OF_BASKETS
    }

    fn measure(&self, pair: &Pair<'_, Baskets>, context: &Context<'_>) -> Result<Measured> {
        OfTheseBaskets { centres: Centres::of(pair.original, context)? }.measure(pair, context)
    }

    fn prepared<'a>(
        &self,
        original: &'a Baskets,
        context: &Context<'_>,
    ) -> Result<Option<Box<dyn Measure<Baskets> + 'a>>> {
        Ok(Some(Box::new(OfTheseBaskets { centres: Centres::of(original, context)? })))
    }
}

/// The measure for several releases of one log.
struct OfOneLog {
    average: Average,
    centres: Option<Centres>,
}

impl Measure<QueryLog> for OfOneLog {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, QueryLog>, context: &Context<'_>) -> Result<Measured> {
        of_log(self.average.clone(), self.centres.as_ref(), pair, context)
    }
}

/// The measure for several releases of the same baskets.
struct OfTheseBaskets {
    centres: Option<Centres>,
}

impl Measure<Baskets> for OfTheseBaskets {
    fn info(&self) -> &'static MeasureInfo {
        &OF_BASKETS
    }

    fn measure(&self, pair: &Pair<'_, Baskets>, _context: &Context<'_>) -> Result<Measured> {
        let semantic = by_meaning(self.centres.as_ref(), pair)?;
        let mut parts =
            semantic.as_ref().and_then(|sums| sums.get("minimum-sum")).cloned().unwrap_or_else(|| json!({}));
        let loss = parts["l"].as_f64();
        parts["persons"] = json!(pair.linked().len());
        parts["semantic"] = json!(semantic);
        Ok(self.measured(loss, parts))
    }
}

/// The average of a log, and how far everybody is from it.
#[derive(Clone)]
struct Average {
    /// The persons of the log, and after them the average.
    space: UserSpace,
    /// The squared distance of each person.
    squares: Vec<f64>,
}

impl Average {
    fn of(original: &QueryLog, context: &Context<'_>) -> Self {
        let persons = original.persons();
        let everybody: Vec<u32> = (0..persons as u32).collect();
        let average = log_of_records([Aggregation::new(original, 1000).record(&everybody)]);
        let space = UserSpace::new(Scales::of(original), QueryWeights::Text, &[original, &average]);
        context.progress.stage("the average person", persons as u64);
        let pairs: Vec<(usize, usize)> = (0..persons).map(|person| (person, persons)).collect();
        let squares = squares(&space, &pairs, context);
        Self { space, squares }
    }
}

fn squares(space: &UserSpace, pairs: &[(usize, usize)], context: &Context<'_>) -> Vec<f64> {
    let distances = distances_of(space, pairs);
    context.progress.advance(pairs.len() as u64);
    distances.into_iter().map(|distance| distance * distance).collect()
}

fn of_log(
    average: Average,
    centres: Option<&Centres>,
    pair: &Pair<'_, QueryLog>,
    context: &Context<'_>,
) -> Result<Measured> {
    let Average { mut space, squares: from_average } = average;
    space.add(pair.release);
    let centre = pair.original.persons();
    let linked = pair.linked();
    context.progress.stage("sum of squares", (linked.len() + pair.release.persons()) as u64);
    let moved: Vec<(usize, usize)> = linked.iter().map(|&(own, released)| (own, centre + 1 + released)).collect();
    // Records stand for several persons: one distance each is enough.
    let released: Vec<(usize, usize)> =
        (0..pair.release.persons()).map(|record| (centre + 1 + record, centre)).collect();
    let released = squares(&space, &released, context);
    let sse: f64 = squares(&space, &moved, context).iter().sum();
    let sst: f64 = linked.iter().map(|&(own, _)| from_average[own]).sum();
    let ssa: f64 = linked.iter().map(|&(_, record)| released[record]).sum();
    let loss = (sst > 0.0).then(|| 100.0 * sse / sst);
    let mut parts = json!({"sse": sse, "ssa": ssa, "sst": sst, "l": loss, "persons": linked.len()});
    if pair.original.meaning().is_some() && pair.release.meaning().is_some() {
        parts["semantic"] = by_meaning(centres, pair)?.map_or(Value::Null, Value::Object);
    }
    Ok(Measure::<QueryLog>::measured(&SumOfSquares, loss, parts))
}

/// The medoids of some persons under each semantic distance, and how far everybody is from them.
struct Centres {
    /// The concepts of each person.
    concepts: Vec<Vec<u32>>,
    /// The concepts of each medoid, in the order of [`SetDistance::ALL`].
    medoids: Vec<Vec<u32>>,
    /// The distances of each person.
    distances: Vec<[f64; 5]>,
}

impl Centres {
    /// `None` if nobody has a concept, or if nobody knows.
    fn of<D: Texts + Sync>(original: &D, context: &Context<'_>) -> Result<Option<Self>> {
        let concepts = concepts_of(original);
        let having: Vec<&Vec<u32>> = concepts.iter().filter(|set| !set.is_empty()).collect();
        let Some(meaning) = original.meaning().filter(|_| !having.is_empty()) else { return Ok(None) };
        let chosen = Rng::seeded(context.seed).sample(having.len(), MEDOID_SAMPLE);
        let sample: Vec<Vec<u32>> = chosen.iter().map(|&at| having[at as usize].clone()).collect();
        let space = SemanticDistance::new(meaning.taxonomy(), concepts.iter().flatten().copied());
        let everybody: Vec<u32> = (0..sample.len() as u32).collect();
        let medoids = SetDistance::ALL
            .iter()
            .map(|&kind| Ok(sample[medoid(&space.matrix(kind, &sample, &Silent)?, &everybody) as usize].clone()))
            .collect::<Result<_>>()?;
        let mut centres = Self { concepts, medoids, distances: Vec::new() };
        centres.distances = centres.from(&space, &centres.concepts);
        Ok(Some(centres))
    }

    /// How far sets of concepts are from the medoid of each distance.
    fn from(&self, space: &SemanticDistance, sets: &[Vec<u32>]) -> Vec<[f64; 5]> {
        // Equal medoids are compared once.
        let mut different: Vec<&Vec<u32>> = self.medoids.iter().collect();
        different.sort_unstable();
        different.dedup();
        let from_medoids = |set: &Vec<u32>| -> [f64; 5] {
            let all: Vec<[f64; 5]> = different.iter().map(|medoid| space.set_distances(set, medoid)).collect();
            std::array::from_fn(|kind| all[different.partition_point(|medoid| **medoid < self.medoids[kind])][kind])
        };
        sets.par_iter().map(from_medoids).collect()
    }
}

fn concepts_of<D: Texts>(data: &D) -> Vec<Vec<u32>> {
    (0..data.persons()).map(|person| data.concepts_of(person)).collect()
}

/// The sums of squares under each semantic distance; `None` if nobody has a concept.
fn by_meaning<D: Texts + Sync>(centres: Option<&Centres>, pair: &Pair<'_, D>) -> Result<Option<Map<String, Value>>> {
    let [own, _] = meanings(pair)?;
    let Some(centres) = centres else { return Ok(None) };
    let (before, after) = (&centres.concepts, concepts_of(pair.release));
    let space = SemanticDistance::new(own.taxonomy(), before.iter().chain(&after).flatten().copied());
    let linked = pair.linked();
    let moved: Vec<[f64; 5]> =
        linked.par_iter().map(|&(own, released)| space.set_distances(&before[own], &after[released])).collect();
    let original: Vec<[f64; 5]> = linked.iter().map(|&(own, _)| centres.distances[own]).collect();
    let records = centres.from(&space, &after);
    let released: Vec<[f64; 5]> = linked.iter().map(|&(_, released)| records[released]).collect();
    let mut sums = Map::new();
    for (at, kind) in SetDistance::ALL.into_iter().enumerate() {
        let squares = |all: &[[f64; 5]]| all.iter().map(|distances| distances[at] * distances[at]).sum::<f64>();
        let (sse, ssa, sst) = (squares(&moved), squares(&released), squares(&original));
        let loss = (sst > 0.0).then(|| 100.0 * sse / sst);
        let name = json!(kind).as_str().unwrap_or_default().to_owned();
        sums.insert(name, json!({"sse": sse, "ssa": ssa, "sst": sst, "l": loss}));
    }
    Ok(Some(sums))
}

#[cfg(test)]
mod tests {
    use super::super::super::meanings::tests::{directory, meaning_of, meaning_of_nodes};
    use super::super::super::testing::{CONTEXT, log, measure, measure_baskets};
    use super::*;
    use crate::data::baskets::tests::baskets;

    /// Every distance by the literal formulae.
    #[test]
    fn by_meaning_by_hand() {
        let [before, after] = meaning_of(
            &directory(),
            log(&[&["Swimming", "Mediterranean"], &["Swimming"], &["x"], &["Windsurfing"], &["Swimming", "Europe"]]),
            log(&[&["Windsurfing", "Mediterranean"], &["Swimming"], &["Swimming"], &["Swimming"], &["x"]]),
        );
        let result = measure(&SumOfSquares, &before, &after);
        let sums = |name: &str, part: &str| result.parts["semantic"][name][part].as_f64().unwrap();
        // Who moved: the example of the paper; nobody; from nothing; 0.5; to nothing.
        assert_eq!(sums("average", "sse"), 0.625 * 0.625 + 0.0 + 1.0 + 0.25 + 1.0);
        assert_eq!(sums("minimum", "sse"), 0.0 + 0.0 + 1.0 + 0.25 + 1.0);
        assert_eq!(sums("maximum", "sse"), 1.0 + 0.0 + 1.0 + 0.25 + 1.0);
        assert_eq!(sums("minimum-sum", "sse"), 0.25 * 0.25 + 0.0 + 1.0 + 0.25 + 1.0);
        assert_eq!(sums("maximum-sum", "sse"), 1.0 + 0.0 + 1.0 + 0.25 + 1.0);
        // The medoid by minimum-sum is the second person: Swimming. From {Swimming, other} it is (0 + 0 + 1) / 3.
        let third: f64 = sums("minimum-sum", "sst") - (0.0 + 1.0 + 0.25);
        assert!((third - 2.0 / 9.0).abs() < 1e-9, "{third}");
        let released: f64 = sums("minimum-sum", "ssa") - (0.0 + 0.0 + 0.0 + 1.0);
        // {Windsurfing, Mediterranean}: (0.5 + 0.5 + 1) / 3.
        assert!((released - 4.0 / 9.0).abs() < 1e-9, "{released}");
        assert_eq!(sums("minimum-sum", "l"), 100.0 * sums("minimum-sum", "sse") / sums("minimum-sum", "sst"));
        // The headline is that of the user distance.
        let [before, after] = [log(&[&["a"], &["b"]]), log(&[&["a"], &["a"]])];
        let plain = measure(&SumOfSquares, &before, &after);
        assert!(plain.parts.get("semantic").is_none());
        let [before, after] = meaning_of(&directory(), before, after);
        let known = measure(&SumOfSquares, &before, &after);
        assert_eq!((known.value, &known.parts["semantic"]), (plain.value, &Value::Null));
    }

    #[test]
    fn baskets_by_meaning() {
        let food = std::sync::Arc::new(crate::taxonomy::tests::food());
        let before = meaning_of_nodes(baskets(&food, &["Apple", "Orange", "Milk", ""]));
        let result = measure_baskets(&SumOfSquares, &before, &before, true).unwrap();
        assert_eq!(result.value, Some(0.0));
        assert_eq!((&result.parts["ssa"], &result.parts["persons"]), (&result.parts["sst"], &json!(4)));
        let after = meaning_of_nodes(baskets(&food, &["Orange", "Orange", "Orange", "Orange"]));
        let result = measure_baskets(&SumOfSquares, &before, &after, true).unwrap();
        // Apple to Orange 1/2, Milk to Orange 4/5, nothing to Orange 1; the medoid is Apple.
        let milk = 0.8f64 * 0.8;
        assert!((result.parts["sse"].as_f64().unwrap() - (0.25 + milk + 1.0)).abs() < 1e-9);
        assert!((result.parts["sst"].as_f64().unwrap() - (0.25 + milk + 1.0)).abs() < 1e-9);
        assert_eq!(result.parts["ssa"], 1.0);
        let nothing = meaning_of_nodes(baskets(&food, &["", ""]));
        assert_eq!(measure_baskets(&SumOfSquares, &nothing, &nothing, true).unwrap().value, None);
        assert!(measure_baskets(&SumOfSquares, &baskets(&food, &["Milk"]), &before, true).is_err());
    }

    #[test]
    fn prepared_it_gives_the_same() {
        let link = Some(vec![Some(0), None, Some(0), Some(1)]);
        let [original, release] = meaning_of(
            &directory(),
            log(&[&["Swimming", "Mediterranean"], &["Swimming"], &["x"], &["Windsurfing"]]),
            log(&[&["Windsurfing", "Mediterranean"], &["Swimming"]]),
        );
        let pair = Pair { original: &original, release: &release, multiplicity: vec![2, 1], link: link.clone() };
        let measure: &dyn Measure<QueryLog> = &SumOfSquares;
        let prepared = measure.prepared(&original, &CONTEXT).unwrap().unwrap();
        assert_eq!(prepared.measure(&pair, &CONTEXT).unwrap(), measure.measure(&pair, &CONTEXT).unwrap());
        let food = std::sync::Arc::new(crate::taxonomy::tests::food());
        let original = meaning_of_nodes(baskets(&food, &["Apple", "Orange", "Milk", ""]));
        let release = meaning_of_nodes(baskets(&food, &["Fruit", "Food"]));
        let pair = Pair { original: &original, release: &release, multiplicity: vec![2, 1], link };
        let measure: &dyn Measure<Baskets> = &SumOfSquares;
        let prepared = measure.prepared(&original, &CONTEXT).unwrap().unwrap();
        assert_eq!(prepared.measure(&pair, &CONTEXT).unwrap(), measure.measure(&pair, &CONTEXT).unwrap());
    }

    #[test]
    fn nothing_moved_is_no_loss() {
        let original = log(&[&["a", "b"], &["c"], &["d", "e", "f"]]);
        let result = measure(&SumOfSquares, &original, &original);
        assert_eq!(result.value, Some(0.0));
        assert_eq!(result.parts["ssa"], result.parts["sst"]);
    }

    #[test]
    fn by_hand() {
        // Two persons with one line each, same minute, one word each: all scales are constant, so the user distance is
        // half the line distance, (3 * 2 * H / 3) / 6 = H / 3, H = 1 for words without a common letter: d = 1/6.
        // G is the aggregation of both: one line, the first person's word. SST = 0 + 1/36.
        let original = log(&[&["aaa"], &["bbb"]]);
        let swapped = log(&[&["bbb"], &["aaa"]]);
        let result = measure(&SumOfSquares, &original, &swapped);
        let square = |value: f64| value * value;
        assert_eq!(result.parts["sst"], square(1.0 / 6.0));
        assert_eq!(result.parts["sse"], 2.0 * square(1.0 / 6.0));
        assert_eq!(result.parts["ssa"], square(1.0 / 6.0));
        assert_eq!(result.value, Some(200.0));
    }
}
