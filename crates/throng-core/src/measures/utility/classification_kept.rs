//! Classification kept: how well the release teaches two classifiers to tell classes of documents, against the original.
//!
//! Paper      000 (ARES report), section 2.1, which wants releases to be good for "the classification of documents into
//!            categories of topics"; it does not measure it. The split and both classifiers are ours.
//!
//! # Idea
//! 1. Documents with a class and a known term are shuffled with the seed; every fourth is held out. 2. Two classifiers learn
//!    from the others, with their classes: once from the released vectors, once from the original ones. 3. Both are tested on
//!    the held-out documents as they were before.
//!
//! # Formula
//! Nearest neighbour (`learn/nearest_neighbour.rs`): under the document distance, of equally near documents that with the lower
//! number; at most 450 documents are learnt from and 150 tested, the first after the shuffle.
//! Naive Bayes (`learn/naive_bayes.rs`): weights in per cent; the features of a term are the node of its first sense and everything
//! above it. Ties go to the class that appears first in the file.
//! Headline: the mean over both of 100 × accuracy from the release / accuracy from the original.
//!
//! # Readings
//! Ours: only the 50 most frequent terms of a vector are looked at. Documents that are not in the release cannot be learnt from
//! it, but can be tested. A class is the original's; releases need none.
//!
//! # Cost
//! At most 135 thousand distances, some seconds; naive Bayes is linear.

use rayon::prelude::*;
use serde_json::json;

use super::super::{Context, Measure, MeasureInfo, Measured, Pair, mean};
use crate::data::Documents;
use crate::distance::Pairwise as _;
use crate::distance::document_distance::DocumentSpace;
use crate::error::Result;
use crate::info::{Info, Need};
use crate::learn::naive_bayes::NaiveBayes;
use crate::learn::nearest_neighbour::NearestNeighbour;
use crate::rng::Rng;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "classification-kept",
        summary: "how well classifiers that learn from the release tell classes of documents, against the original",
        paper: "ours; for the use described in Navarro-Arribas, Torra. New privacy-preserving data mining techniques. Deliverable \
                WP4.T2 of the ARES project (2010), section 2.1",
        details: "Documents with a class are split: every fourth, after a shuffle with the seed, is held out. A nearest-neighbour \
            classifier under the document distance (at most 450 documents learnt, 150 tested) and a multinomial naive Bayes \
            classifier (features: the first sense of each term and everything above it, weights in per cent, Laplace smoothing) \
            learn from the released vectors of the others, and again from the original ones. Both are tested on the held-out \
            documents as they were before.\n\
            The headline is the mean over both classifiers of accuracy from the release / accuracy from the original: 100 when \
            nothing is lost; it can be more. `majority` is the accuracy of always saying the most frequent class. Needs the \
            link between documents (--key, or kept ids) and classes in the original; without, it is not defined.",
        parameters: &[],
    },
    unit: "%",
    better: "higher",
    says: "A program that learns from the release is right {} as often as one that learns from the original.",
    undefined: "the original teaches no class better than by chance",
    needs: &[Need::Link, Need::Classes],
    ..MeasureInfo::DEFAULT
};

/// Only so many of the most frequent terms of a vector are looked at.
const TERMS: usize = 50;
/// The nearest neighbour is looked for among so many documents, at most.
const MOST_LEARNT: usize = 450;
/// The nearest neighbour is looked for of so many documents, at most.
const MOST_TESTED: usize = 150;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct ClassificationKept;

impl Measure<Documents> for ClassificationKept {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Documents>, context: &Context<'_>) -> Result<Measured> {
        let space = DocumentSpace::of(&[pair.original, pair.release], TERMS)?;
        let split = match Split::of(pair, &space, context.seed) {
            Ok(split) => split,
            Err(reason) => {
                let parts = json!({ "undefined": reason });
                return Ok(Measured { reason: Some(reason.to_owned()), ..self.measured(None, parts) });
            }
        };
        context.progress.stage("classification", 0);
        let bayes = [&split.released, &split.original].map(|lessons| naive_bayes(&space, lessons, &split.tested));
        let few = &split.tested[..split.tested.len().min(MOST_TESTED)];
        let neighbour = nearest_neighbour(&space, [&split.released, &split.original], few, context);
        let kept =
            |[release, original]: [Option<f64>; 2]| Some(100.0 * release? / original.filter(|&share| share > 0.0)?);
        let ratios: Vec<f64> = [neighbour, bayes].into_iter().filter_map(kept).collect();
        let shown = |[release, original]: [Option<f64>; 2]| json!({"release": release, "original": original});
        let parts = json!({
            "nearest_neighbour": shown(neighbour),
            "naive_bayes": shown(bayes),
            "majority": split.majority(),
            "classes": split.classes,
            "trained": {"release": split.released.len(), "original": split.original.len()},
            "tested": split.tested.len(),
            "neighbour_tested": few.len(),
        });
        Ok(self.measured(mean(&ratios), parts))
    }
}

/// A vector of the space, and the class it is of.
#[derive(Debug, Clone, Copy)]
struct Lesson {
    vector: usize,
    class: u32,
    /// The number of the document in the original.
    document: usize,
}

/// What is learnt from, and what is tested.
struct Split {
    /// Documents as they were, in the order of the shuffle; and those of them that were released, as they were released.
    original: Vec<Lesson>,
    released: Vec<Lesson>,
    tested: Vec<Lesson>,
    classes: usize,
}

impl Split {
    /// The split of the documents with a class; or why there is none.
    fn of(pair: &Pair<'_, Documents>, space: &DocumentSpace, seed: u64) -> std::result::Result<Self, &'static str> {
        let documents = pair.original.persons();
        let mut labelled: Vec<Lesson> = (0..documents)
            .filter(|&own| !space.vector(own).is_empty())
            .filter_map(|own| Some(Lesson { vector: own, class: pair.original.class(own)?, document: own }))
            .collect();
        let mut classes: Vec<u32> = labelled.iter().map(|lesson| lesson.class).collect();
        classes.sort_unstable();
        classes.dedup();
        match (labelled.len(), classes.len()) {
            (0, _) => return Err("no document has a class"),
            (_, 1) => return Err("all documents are of one class"),
            (1..4, _) => return Err("there are fewer than four documents with a class"),
            _ => {}
        }
        Rng::seeded(seed).shuffle(&mut labelled);
        let held_out = |&(at, _): &(usize, Lesson)| at % 4 == 3;
        let (tested, learnt): (Vec<_>, Vec<_>) = labelled.into_iter().enumerate().partition(held_out);
        let tested = tested.into_iter().map(|(_, lesson)| lesson).collect();
        let original: Vec<Lesson> = learnt.into_iter().map(|(_, lesson)| lesson).collect();
        let link = pair.link.as_deref().unwrap_or_default();
        let released = |lesson: &Lesson| {
            let record = link.get(lesson.document).copied().flatten()?;
            Some(Lesson { vector: documents + record as usize, ..*lesson })
        };
        Ok(Self { released: original.iter().filter_map(released).collect(), original, tested, classes: classes.len() })
    }

    /// The accuracy of always saying the most frequent class, of equally frequent ones the first.
    fn majority(&self) -> Option<f64> {
        let mut classes: Vec<u32> = self.original.iter().map(|lesson| lesson.class).collect();
        classes.sort_unstable();
        let runs = classes.chunk_by(|left, right| left == right);
        let most = runs.max_by_key(|run| (run.len(), std::cmp::Reverse(run[0])))?[0];
        accuracy(self.tested.iter().map(|lesson| lesson.class == most))
    }
}

fn accuracy(right: impl Iterator<Item = bool>) -> Option<f64> {
    let shares: Vec<f64> = right.map(f64::from).collect();
    mean(&shares)
}

/// The accuracy of the nearest neighbour for each of two lists of lessons.
fn nearest_neighbour(
    space: &DocumentSpace,
    lessons: [&Vec<Lesson>; 2],
    tested: &[Lesson],
    context: &Context<'_>,
) -> [Option<f64>; 2] {
    // A space of the vectors needed, so that the table of similarities is small.
    let few = lessons.map(|lessons| &lessons[..lessons.len().min(MOST_LEARNT)]);
    let mut vectors: Vec<usize> = few.iter().copied().flatten().chain(tested).map(|lesson| lesson.vector).collect();
    vectors.sort_unstable();
    vectors.dedup();
    let place = |vector: usize| vectors.partition_point(|&other| other < vector);
    let mut small = space.select(&vectors);
    small.prepare(context.progress);
    context.progress.stage("nearest neighbours", 2 * tested.len() as u64);
    few.map(|lessons| {
        // Of equally near documents the one with the lower number counts.
        let mut lessons = lessons.to_vec();
        lessons.sort_unstable_by_key(|lesson| lesson.document);
        let learnt = NearestNeighbour::learn(lessons.iter().map(|lesson| (lesson.vector, lesson.class)).collect())?;
        let is_right = |scratch: &mut _, test: &Lesson| {
            let class = learnt.class(|vector| small.distance(place(test.vector), place(vector), scratch));
            context.progress.advance(1);
            class == test.class
        };
        let right: Vec<bool> = tested.par_iter().map_init(|| small.scratch(), is_right).collect();
        accuracy(right.into_iter())
    })
}

/// The accuracy of naive Bayes.
fn naive_bayes(space: &DocumentSpace, lessons: &[Lesson], tested: &[Lesson]) -> Option<f64> {
    let examples = lessons.iter().map(|lesson| (lesson.class, features(space, lesson.vector)));
    let learnt = NaiveBayes::learn(examples)?;
    let is_right = |test: &Lesson| learnt.class(&features(space, test.vector)) == test.class;
    let right: Vec<bool> = tested.par_iter().map(is_right).collect();
    accuracy(right.into_iter())
}

/// The first sense of each term and everything above it, with the weight in per cent, in rising order of nodes.
fn features(space: &DocumentSpace, vector: usize) -> Vec<(u32, f64)> {
    let nodes = |&(term, weight): &(u32, f64)| {
        let above = space.senses(term).first().map_or(Vec::new(), |&sense| space.meanings().above(sense));
        above.into_iter().map(move |node| (node, 100.0 * weight))
    };
    let mut features: Vec<(u32, f64)> = space.vector(vector).iter().flat_map(nodes).collect();
    features.sort_by_key(|&(node, _)| node);
    let same = features.chunk_by(|left, right| left.0 == right.0);
    same.map(|same| (same[0].0, same.iter().map(|&(_, weight)| weight).sum())).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::CONTEXT;
    use super::*;
    use crate::data::DocumentsBuilder;
    use crate::taxonomy::tests::food;
    use std::sync::Arc;

    type Row<'a> = (&'a str, Option<&'a str>);

    fn documents(rows: &[Row<'_>]) -> Documents {
        let mut builder = DocumentsBuilder::new(Some(Arc::new(food())));
        for (number, (row, class)) in rows.iter().enumerate() {
            builder.push_vector(&number.to_string(), row.split_whitespace().map(|term| (term, 0.5)), *class);
        }
        builder.finish()
    }

    fn measure(original: &[Row<'_>], release: &[Row<'_>], link: Vec<Option<u32>>) -> Measured {
        let (original, release) = (documents(original), documents(release));
        let pair =
            Pair { original: &original, release: &release, multiplicity: vec![1; release.persons()], link: Some(link) };
        ClassificationKept.measure(&pair, &CONTEXT).unwrap()
    }

    /// Meat eaters and drinkers of milk, twelve of each.
    fn rows() -> Vec<Row<'static>> {
        let meat = [("Beef", Some("meat")), ("Chicken", Some("meat")), ("Beef Chicken", Some("meat"))];
        let milk = [("Milk", Some("milk")), ("Butter Cheese", Some("milk")), ("Cheese", Some("milk"))];
        (0..4).flat_map(|_| meat.into_iter().chain(milk)).collect()
    }

    #[test]
    fn a_release_that_keeps_the_topic_keeps_the_classes() {
        let general: Vec<Option<u32>> = rows().iter().map(|row| Some(u32::from(row.1 == Some("milk")))).collect();
        let result = measure(&rows(), &[("Meat", None), ("Dairy", None)], general);
        assert_eq!(result.value, Some(100.0), "{:?}", result.parts);
        assert_eq!(result.parts["nearest_neighbour"], json!({"release": 1.0, "original": 1.0}));
        assert_eq!(result.parts["naive_bayes"], json!({"release": 1.0, "original": 1.0}));
        assert_eq!((&result.parts["tested"], &result.parts["trained"]["release"]), (&json!(6), &json!(18)));
    }

    #[test]
    fn a_release_that_says_nothing_is_a_guess() {
        let result = measure(&rows(), &[("Food", None)], vec![Some(0); 24]);
        // All held-out documents are the class of the first document, whatever they say.
        let split = documents(&rows());
        let space = DocumentSpace::of(&[&split], TERMS).unwrap();
        let pair = Pair { original: &split, release: &split, multiplicity: Vec::new(), link: None };
        let tested = Split::of(&pair, &space, CONTEXT.seed).unwrap().tested;
        let first = accuracy(tested.iter().map(|lesson| lesson.class == 0));
        assert_eq!(result.parts["nearest_neighbour"]["release"].as_f64(), first);
        assert!(result.value.unwrap() < 100.0, "{:?}", result.parts);
        // Nobody was released: nothing can be learnt.
        let none = measure(&rows(), &[], vec![None; 24]);
        assert_eq!((none.value, &none.parts["naive_bayes"]["release"]), (None, &json!(null)));
    }

    #[test]
    fn naive_bayes_by_hand() {
        // Learnt: Beef of x, Milk and Butter of y, each term 50 per cent. Features: Food, Meat, Beef, Dairy, Milk, Butter.
        // x: w = 150, Food, Meat and Beef 50 each. y: w = 300, Food and Dairy 100 each, Milk and Butter 50 each.
        let rows =
            [("Beef", Some("x")), ("Milk", Some("y")), ("Butter", Some("y")), ("Chicken", None), ("Fruit", None)];
        let data = documents(&rows);
        let space = DocumentSpace::of(&[&data], TERMS).unwrap();
        let lesson = |vector, class| Lesson { vector, class, document: vector };
        let lessons = [lesson(0, 0), lesson(1, 1), lesson(2, 1)];
        // Chicken: Food and Meat (and itself, unseen). ln 1/3 + 50 ln (51 51 1 / 156³) for x is more than
        // ln 2/3 + 50 ln (101 1 1 / 306³) for y.
        assert_eq!(naive_bayes(&space, &lessons, &[lesson(3, 0)]), Some(1.0));
        // Fruit: Food, and itself unseen. 51 · 1 / 156² = 0.00210 for x, 101 · 1 / 306² = 0.00108 for y.
        assert_eq!(naive_bayes(&space, &lessons, &[lesson(4, 0), lesson(1, 1)]), Some(1.0));
        assert_eq!(naive_bayes(&space, &[], &[lesson(4, 0)]), None);
    }

    #[test]
    fn without_classes_it_is_not_defined() {
        let reason = |rows: &[Row<'_>]| {
            let result = measure(rows, &[], vec![None; rows.len()]);
            assert_eq!(result.value, None);
            result.parts["undefined"].as_str().unwrap().to_owned()
        };
        assert_eq!(reason(&[("Beef", None)]), "no document has a class");
        assert_eq!(reason(&[("spam", Some("x"))]), "no document has a class");
        assert_eq!(reason(&[("Beef", Some("x")), ("Milk", Some("x"))]), "all documents are of one class");
        let few = reason(&[("Beef", Some("x")), ("Milk", Some("y"))]);
        assert_eq!(few, "there are fewer than four documents with a class");
    }
}
