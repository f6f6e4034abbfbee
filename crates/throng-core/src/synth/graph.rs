//! Made-up graphs: who knows whom, with what is known of each.
//!
//! `random`    so many edges between any two persons, all alike: no triangles but by chance, degrees near their mean.
//! `rmat`      every edge falls into one of four quadrants of the adjacency matrix again and again (Chakrabarti, Zhan, Faloutsos,
//!             R-MAT, 2004): a heavy tail of degrees, few triangles.
//! `friends`   communities, and groups in them whose members nearly all know each other: everybody is in one, and who goes out in many, so
//!             that some know very many. What is known of persons (place, age, work) goes with their community.
//!
//! The same parameters and seed give the same graph. Nobody is real.
//!
//! # Cost
//! Time about O(edges), memory O(persons + edges).

use std::collections::HashSet;

use super::table::{flat, zip_of, zips};
use crate::data::table::{Column, ColumnRole, Table};
use crate::data::{Graph, Strings};
use crate::error::{Error, Result};
use crate::rng::Rng;

/// The shapes that there are.
pub const SHAPES: [&str; 3] = ["friends", "random", "rmat"];

/// The chances of three quadrants of R-MAT; the fourth has the rest.
const QUADRANTS: [f64; 3] = [0.45, 0.22, 0.22];

/// What to make up.
#[derive(Debug, Clone)]
pub struct Params {
    /// How many persons.
    pub persons: usize,
    /// How many neighbours a person has on average.
    pub degree: f64,
    /// Which shape.
    pub shape: String,
    /// The same seed makes up the same graph.
    pub seed: u64,
}

/// A made-up graph, whose attributes are plain columns, with the hierarchies of these in ARX's form.
#[derive(Debug)]
pub struct MadeGraph {
    /// The graph with its attributes.
    pub graph: Graph,
    /// For some columns the lines of their hierarchies.
    pub hierarchies: Vec<(&'static str, Vec<Vec<String>>)>,
}

/// Makes up a graph.
pub fn graph(params: &Params) -> Result<MadeGraph> {
    let Params { persons, degree, .. } = *params;
    if !(2..=20_000_000).contains(&persons) {
        return Err(Error::parameter("persons", format!("is {persons}, but must be 2 to 20 million")));
    }
    let pairs = persons as f64 * (persons as f64 - 1.0) / 2.0;
    let edges = (persons as f64 * degree / 2.0).round();
    // Edges are drawn until there are as many: a graph that is nearly full would take for ever.
    if !(0.0..=(0.5 * pairs).max(1.0)).contains(&edges) {
        let most = (persons - 1) / 2;
        return Err(Error::parameter("degree", format!("is {degree}, but must be 0 to {most} for {persons} persons"))
            .with_hint("it is how many neighbours a person has on average"));
    }
    let mut rng = Rng::seeded(params.seed);
    let edges = edges as usize;
    let mut communities: Vec<u32> = Vec::new();
    let pairs = match params.shape.as_str() {
        "random" => distinct(edges, &mut rng, |rng| (rng.index(persons) as u32, rng.index(persons) as u32)),
        "rmat" => rmat(persons, edges, &mut rng),
        "friends" => {
            let friends = Friends::new(persons, degree, &mut rng);
            communities.clone_from(&friends.community);
            friends.edges(edges, &mut rng)
        }
        other => return Err(Error::unknown("shape of graphs", other, SHAPES)),
    };
    // Of the other shapes nothing that is known of persons goes with their edges.
    if communities.is_empty() {
        communities = (0..persons).map(|_| rng.below(60) as u32).collect();
    }
    let width = persons.to_string().len();
    // Numbers of persons say nothing of the order in which they were made.
    let mut number: Vec<u32> = (0..persons as u32).collect();
    rng.shuffle(&mut number);
    let mut shuffled = vec![0u32; persons];
    (0..persons).for_each(|at| shuffled[number[at] as usize] = communities[at]);
    let pairs: Vec<(u32, u32)> =
        pairs.into_iter().map(|(left, right)| (number[left as usize], number[right as usize])).collect();
    let names: Vec<String> = (1..=persons).map(|person| format!("p{person:0width$}")).collect();
    let names: Strings = names.iter().map(String::as_str).collect();
    let (graph, _) = Graph::of_pairs(names, pairs);
    let (table, hierarchies) = attributes(&shuffled, &mut rng);
    Ok(MadeGraph { graph: graph.with_attributes(Some(table))?, hierarchies })
}

/// The three graphs of the paper's experiment (Campan, Truta 2008), each with its name: 300 persons, random of mean degree 10, R-MAT of mean
/// degrees 9.52 and 5.
pub fn of_paper(seed: u64) -> Result<Vec<(&'static str, MadeGraph)>> {
    let made = |(name, shape, degree): (&'static str, &str, f64)| {
        Ok((name, graph(&Params { persons: 300, degree, shape: shape.to_owned(), seed })?))
    };
    [("random", "random", 10.0), ("rmat", "rmat", 9.52), ("rmat-sparse", "rmat", 5.0)].into_iter().map(made).collect()
}

/// So many different edges, as they are drawn; a draw of one that is there, or of a loop, is drawn again.
fn distinct(edges: usize, rng: &mut Rng, mut draw: impl FnMut(&mut Rng) -> (u32, u32)) -> Vec<(u32, u32)> {
    let mut known: HashSet<(u32, u32)> = HashSet::with_capacity(edges);
    let mut pairs = Vec::with_capacity(edges);
    // What is drawn again and again is full.
    let mut tries = 200 * edges as u64 + 1000;
    while pairs.len() < edges && tries > 0 {
        tries -= 1;
        let (left, right) = draw(rng);
        let pair = (left.min(right), left.max(right));
        if left != right && known.insert(pair) {
            pairs.push(pair);
        }
    }
    pairs
}

/// Edges by quadrants.
fn rmat(persons: usize, edges: usize, rng: &mut Rng) -> Vec<(u32, u32)> {
    let levels = usize::BITS - (persons - 1).leading_zeros();
    let [first, second, third] = QUADRANTS;
    distinct(edges, rng, |rng| {
        loop {
            let (mut row, mut column) = (0usize, 0usize);
            for _ in 0..levels {
                let at = rng.unit();
                let quadrant = match at {
                    at if at < first => (0, 0),
                    at if at < first + second => (0, 1),
                    at if at < first + second + third => (1, 0),
                    _ => (1, 1),
                };
                (row, column) = (2 * row + quadrant.0, 2 * column + quadrant.1);
            }
            if row < persons && column < persons {
                return (row as u32, column as u32);
            }
        }
    })
}

/// Friends: communities that follow each other, and in each groups whose members nearly all know each other.
struct Friends {
    community: Vec<u32>,
    /// Where each community begins, and where the last one ends.
    starts: Vec<usize>,
    /// The usual size of a group.
    usual: f64,
    /// How much every person goes out, added up over persons.
    outgoing: Vec<f64>,
}

/// The share of edges that groups have which everybody is in one of; who goes out is in further ones, which have most of the others.
const FIRST_GROUPS: f64 = 0.6;
/// The share of edges that these and groups have, and that persons have beside whom half a community knows; the others join persons of a
/// community, or any two.
const GROUPS: f64 = 0.96;
const KNOWN_BY_MANY: f64 = 0.08;
/// One person of so many is known by half of their community.
const MANY: usize = 400;
/// The chance that two of a group are friends.
const KNOWN: f64 = 0.9;

impl Friends {
    fn new(persons: usize, degree: f64, rng: &mut Rng) -> Self {
        let mut community = Vec::with_capacity(persons);
        let mut starts = vec![0];
        let least = (3.0 * degree).clamp(20.0, 400.0);
        while community.len() < persons {
            // A few communities are ten times as large as most.
            let size = (least * (1.0 - rng.unit()).max(0.01).powf(-0.7)) as usize;
            let size = size.min((persons / 4).max(20)).min(persons - community.len());
            community.resize(community.len() + size, starts.len() as u32 - 1);
            starts.push(community.len());
        }
        let outgoing: Vec<f64> = (0..persons).map(|_| (1.0 - rng.unit()).max(1e-4).powf(-0.6)).collect();
        // Of groups of sizes s, of which some are much larger than most, the mean of s^2 by the mean of s is what a member sees.
        let usual = (0.26 * FIRST_GROUPS * degree / KNOWN).max(1.0);
        Self { community, starts, usual, outgoing: summed(&outgoing) }
    }

    /// The size of a group: most are small, a few much larger.
    fn size(&self, rng: &mut Rng) -> usize {
        (1.0 + self.usual * (1.0 - rng.unit()).max(0.02).powf(-0.6)).round() as usize
    }

    fn edges(&self, edges: usize, rng: &mut Rng) -> Vec<(u32, u32)> {
        let persons = self.community.len();
        let mut drawn = Drawn { known: HashSet::with_capacity(edges), pairs: Vec::with_capacity(edges), most: edges };
        // Everybody is in a group of their community, in an order by chance.
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for ends in self.starts.windows(2) {
            let mut order: Vec<u32> = (ends[0] as u32..ends[1] as u32).collect();
            rng.shuffle(&mut order);
            let mut left = order.as_slice();
            while !left.is_empty() {
                let (group, rest) = left.split_at(self.size(rng).min(left.len()));
                groups.push(group.to_vec());
                left = rest;
            }
        }
        rng.shuffle(&mut groups);
        for group in groups {
            // Of very large ones not all can be as close.
            drawn.befriend(&group, KNOWN, (FIRST_GROUPS * edges as f64) as usize, rng);
        }
        // Some whom very many know: of the largest communities first.
        let mut places: Vec<usize> = (0..self.starts.len() - 1).collect();
        places.sort_by_key(|&place| (std::cmp::Reverse(self.starts[place + 1] - self.starts[place]), place));
        let most = ((FIRST_GROUPS + KNOWN_BY_MANY) * edges as f64) as usize;
        for &place in places.iter().cycle().take(persons / MANY) {
            let (start, end) = (self.starts[place], self.starts[place + 1]);
            let (own, share) = ((start + rng.index(end - start)) as u32, 0.3 + 0.5 * rng.unit());
            for other in start as u32..end as u32 {
                if drawn.pairs.len() < most && rng.unit() < share {
                    drawn.add(own, other);
                }
            }
        }
        // Further groups, of those who go out.
        let most = (GROUPS * edges as f64) as usize;
        let mut tries = 20 * edges + 1000;
        while drawn.pairs.len() < most && tries > 0 {
            tries -= 1;
            let place = self.community[one_between(&self.outgoing, 0, persons, rng)] as usize;
            let mut group: Vec<u32> = (0..self.size(rng))
                .map(|_| one_between(&self.outgoing, self.starts[place], self.starts[place + 1], rng) as u32)
                .collect();
            group.sort_unstable();
            group.dedup();
            drawn.befriend(&group, KNOWN, most, rng);
        }
        let mut tries = 200 * edges + 1000;
        while drawn.pairs.len() < edges && tries > 0 {
            tries -= 1;
            let own = one_between(&self.outgoing, 0, persons, rng);
            let place = self.community[own] as usize;
            let other = match rng.unit() < 0.6 {
                true => one_between(&self.outgoing, self.starts[place], self.starts[place + 1], rng),
                false => one_between(&self.outgoing, 0, persons, rng),
            };
            drawn.add(own as u32, other as u32);
        }
        drawn.pairs
    }
}

/// Edges so far.
struct Drawn {
    known: HashSet<(u32, u32)>,
    pairs: Vec<(u32, u32)>,
    most: usize,
}

impl Drawn {
    fn add(&mut self, left: u32, right: u32) {
        let pair = (left.min(right), left.max(right));
        if left != right && self.pairs.len() < self.most && self.known.insert(pair) {
            self.pairs.push(pair);
        }
    }

    /// Makes most of a group friends, as long as there are not too many edges.
    fn befriend(&mut self, group: &[u32], chance: f64, most: usize, rng: &mut Rng) {
        for (at, &left) in group.iter().enumerate() {
            for &right in &group[at + 1..] {
                if self.pairs.len() < most && rng.unit() < chance {
                    self.add(left, right);
                }
            }
        }
    }
}

fn summed(weights: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    weights
        .iter()
        .map(|weight| {
            sum += weight;
            sum
        })
        .collect()
}

/// One of those from `start` up to `end`, by weights that were added up.
fn one_between(upto: &[f64], start: usize, end: usize, rng: &mut Rng) -> usize {
    let before = if start == 0 { 0.0 } else { upto[start - 1] };
    let at = before + rng.unit() * (upto[end - 1] - before);
    (start + upto[start..end].partition_point(|&sum| sum <= at)).min(end - 1)
}

const WORK: &[(&str, &str)] = &[
    ("nurse", "care"),
    ("teacher", "care"),
    ("carpenter", "craft"),
    ("baker", "craft"),
    ("clerk", "office"),
    ("programmer", "office"),
    ("student", "learning"),
    ("pupil", "learning"),
];
const ILLNESSES: &[(&str, u32)] = &[
    ("none", 70),
    ("asthma", 10),
    ("diabetes", 7),
    ("depression", 6),
    ("gout", 4),
    ("HIV infection", 1),
    ("lupus", 2),
];

type Hierarchies = Vec<(&'static str, Vec<Vec<String>>)>;

/// What is known of persons: their community has a town, an age and a kind of work that most of them share.
fn attributes(community: &[u32], rng: &mut Rng) -> (Table, Hierarchies) {
    let count = community.iter().max().map_or(0, |&most| most as usize + 1);
    let usual: Vec<(u32, f64, usize)> = (0..count)
        .map(|_| (rng.below(60) as u32, 16.0 + 50.0 * rng.unit() * rng.unit(), rng.index(WORK.len())))
        .collect();
    let rows: Vec<[String; 5]> = community
        .iter()
        .map(|&of| {
            let (town, age, work) = usual[of as usize];
            let town = if rng.unit() < 0.8 { town } else { rng.below(60) as u32 };
            let age = (age + 6.0 * rng.normal()).clamp(13.0, 95.0) as u32;
            let work = if rng.unit() < 0.6 { work } else { rng.index(WORK.len()) };
            let sex = if rng.unit() < 0.5 { "f" } else { "m" };
            let all: u32 = ILLNESSES.iter().map(|(_, weight)| weight).sum();
            let mut left = rng.below(u64::from(all)) as u32;
            let mut illness = ILLNESSES[0].0;
            for (name, weight) in ILLNESSES {
                illness = name;
                if left < *weight {
                    break;
                }
                left -= weight;
            }
            [age.to_string(), zip_of(town), sex.to_owned(), WORK[work].0.to_owned(), illness.to_owned()]
        })
        .collect();
    let column =
        |(at, name): (usize, &str)| Column::new(name, ColumnRole::Plain, rows.iter().map(|row| row[at].as_str()));
    let columns = ["age", "zip", "sex", "work", "illness"].into_iter().enumerate().map(column).collect();
    let work = WORK.iter().map(|(word, above)| [word, above, "*"].map(|word| (*word).to_owned()).to_vec()).collect();
    let hierarchies = vec![("zip", zips((0..60).map(zip_of))), ("sex", flat(&["f", "m"])), ("work", work)];
    (Table::of_rows(columns), hierarchies)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dataset as _;
    use crate::data::table::Hierarchy;

    fn made(shape: &str, persons: usize, degree: f64, seed: u64) -> MadeGraph {
        graph(&Params { persons, degree, shape: shape.to_owned(), seed }).unwrap()
    }

    /// The share of two steps that a third edge closes.
    fn transitivity(graph: &Graph) -> f64 {
        let (mut closed, mut all) = (0u64, 0u64);
        for node in 0..graph.persons() as u32 {
            let beside = graph.neighbours(node);
            for (at, &left) in beside.iter().enumerate() {
                all += (beside.len() - at - 1) as u64;
                closed += beside[at + 1..].iter().filter(|&&right| graph.has_edge(left, right)).count() as u64;
            }
        }
        closed as f64 / all.max(1) as f64
    }

    #[test]
    fn every_shape_has_its_edges_and_is_the_same_again() {
        for shape in SHAPES {
            let (one, again, other) = (made(shape, 400, 9.0, 3), made(shape, 400, 9.0, 3), made(shape, 400, 9.0, 4));
            assert_eq!((one.graph.nodes(), one.graph.edges()), (400, 1800), "{shape}");
            assert!(one.graph.pairs().eq(again.graph.pairs()) && !one.graph.pairs().eq(other.graph.pairs()));
            let table = one.graph.attributes().unwrap();
            for (name, lines) in &one.hierarchies {
                table.columns()[table.find(name).unwrap()].leaves(&Hierarchy::new(lines).unwrap()).unwrap();
            }
        }
        for (persons, degree, shape) in [(1, 0.5, "random"), (10, 9.5, "random"), (10, -1.0, "rmat"), (10, 2.0, "ring")]
        {
            assert!(graph(&Params { persons, degree, shape: shape.to_owned(), seed: 0 }).is_err());
        }
    }

    #[test]
    fn friends_of_friends_are_friends_and_some_know_many() {
        let friends = made("friends", 2000, 30.0, 1).graph;
        let random = made("random", 2000, 30.0, 1).graph;
        assert!(transitivity(&friends) > 10.0 * transitivity(&random));
        let most = |graph: &Graph| (0..2000).map(|node| graph.degree(node)).max().unwrap_or(0);
        assert!(most(&friends) > 2 * most(&random), "{} {}", most(&friends), most(&random));
    }

    #[test]
    fn the_graphs_of_the_paper() {
        let edges: Vec<(&str, u64, u64)> =
            of_paper(1).unwrap().iter().map(|(name, made)| (*name, made.graph.nodes(), made.graph.edges())).collect();
        assert_eq!(edges, [("random", 300, 1500), ("rmat", 300, 1428), ("rmat-sparse", 300, 750)]);
    }
}
