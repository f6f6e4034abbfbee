//! The adaptive cube: for each bin of time a quad-tree, as fine as people allow.
//!
//! # Idea
//! 1. A tile of the coarsest zoom is published if it has k persons. 2. It is split if that leaves nobody alone: children with k persons
//!    are published by themselves, and the points of the others together, the rest, come from nobody or from k persons. While they come
//!    from fewer, the publishable child with the fewest persons, then the smaller quadkey, joins the rest; without a child left the tile
//!    is not split. 3. The same with each published child, down to the finest zoom.
//!
//! So every point of a published tile is in exactly one row, and any sum or difference of rows is a union of rows.
//!
//! # Cost
//! Time O(n · z + n log n) for n points and z zooms, bins in parallel; memory O(n).

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::fixed::Stamps;
use super::{Cube, LeftOut, Params, Part, Row, is_step};
use crate::data::paths::Paths;
use crate::geo::tile::Tile;

/// A person in a tile of the finest zoom.
#[derive(Clone, Copy)]
struct Seen {
    bin: i64,
    code: u64,
    person: u32,
    observations: u32,
}

/// A row of a bin.
struct Node {
    tile: Tile,
    part: Part,
    persons: u64,
    observations: u64,
}

/// What no row holds.
const NOWHERE: u32 = u32::MAX;

/// The rows of a bin, and where they are: from each code of the finest zoom on, until the next, a row.
#[derive(Default)]
struct Tree {
    nodes: Vec<Node>,
    places: Vec<(u64, u32)>,
    left_out: u64,
}

/// Where the points of the children of a tile lie, and the persons of those that are published by themselves.
type Children = ([Range<usize>; 4], [Option<u64>; 4]);

impl Tree {
    fn row_at(&self, code: u64) -> u32 {
        match self.places.partition_point(|&(from, _)| from <= code) {
            0 => NOWHERE,
            after => self.places[after - 1].1,
        }
    }

    fn place(&mut self, from: u64, row: u32) {
        if self.places.last().is_none_or(|&(_, last)| last != row) {
            self.places.push((from, row));
        }
    }
}

pub(super) fn cube(paths: &Paths, coarsest: u8, finest: u8, params: &Params) -> Cube {
    let code = |point: usize| {
        let (lat, lon) = paths.place(point);
        Tile::at(lat, lon, finest).code()
    };
    let codes: Vec<u64> = (0..paths.points()).into_par_iter().with_min_len(1 << 12).map(code).collect();
    let seen = seen(paths, &codes, params);
    let mut bins: Vec<&[Seen]> = seen.chunk_by(|left, right| left.bin == right.bin).collect();
    bins.sort_by_key(|bin| bin[0].bin);
    let growing = Growing { coarsest, finest, k: params.k };
    let trees: Vec<Tree> =
        bins.par_iter().map_init(|| Stamps::new(paths.persons()), |stamps, bin| growing.tree(bin, stamps)).collect();
    let starts: Vec<i64> = bins.iter().map(|bin| bin[0].bin).collect();
    let first_rows: Vec<usize> = trees
        .iter()
        .scan(0, |rows, tree| {
            *rows += tree.nodes.len();
            Some(*rows - tree.nodes.len())
        })
        .collect();
    let rows = trees.iter().map(|tree| tree.nodes.len()).sum::<usize>();
    let zeros = || (0..rows).map(|_| AtomicU64::new(0)).collect::<Vec<AtomicU64>>();
    let (entries, exits) = (zeros(), zeros());
    let moves = |person: usize| {
        let range = paths.range(person);
        for from in range.start..range.end.saturating_sub(1) {
            if !is_step(paths, from) || codes[from] == codes[from + 1] {
                continue;
            }
            let bin = |point: usize| starts.partition_point(|&start| start < params.bins.start(paths.time(point)));
            let count = |counts: &[AtomicU64], own: usize, other: usize| {
                let bin = bin(own);
                let row = trees[bin].row_at(codes[own]);
                if row != NOWHERE && row != trees[bin].row_at(codes[other]) {
                    counts[first_rows[bin] + row as usize].fetch_add(1, Ordering::Relaxed);
                }
            };
            count(&exits, from, from + 1);
            count(&entries, from + 1, from);
        }
    };
    (0..paths.persons()).into_par_iter().with_min_len(16).for_each(moves);

    let number = |counts: &[AtomicU64], at: usize| counts[at].load(Ordering::Relaxed);
    let mut published = Vec::with_capacity(rows);
    let (mut observations, mut zooms) = (0, 0_u128);
    for ((tree, &start), &first) in trees.iter().zip(&starts).zip(&first_rows) {
        for (at, node) in (first..).zip(&tree.nodes) {
            observations += node.observations;
            zooms += u128::from(node.observations) * u128::from(node.tile.zoom());
            published.push(Row {
                cell: node.tile.to_string(),
                part: node.part,
                time: params.bins.0.map(|_| start),
                persons: (node.part == Part::Whole).then_some(node.persons),
                observations: node.observations,
                entries: number(&entries, at),
                exits: number(&exits, at),
            });
        }
    }
    let left_out = LeftOut { cells: trees.iter().map(|tree| tree.left_out).sum(), ..LeftOut::default() };
    let mean_zoom = (observations > 0).then(|| zooms as f64 / observations as f64);
    Cube { rows: published, observations, mean_zoom, left_out }
}

/// Who was in which tile of the finest zoom, by bin, tile and person.
fn seen(paths: &Paths, codes: &[u64], params: &Params) -> Vec<Seen> {
    let of_person = |person: usize| {
        let seen = |point: usize| Seen {
            bin: params.bins.start(paths.time(point)),
            code: codes[point],
            person: person as u32,
            observations: 1,
        };
        let mut own: Vec<Seen> = paths.range(person).map(seen).collect();
        own.sort_unstable_by_key(|seen| (seen.bin, seen.code));
        own.dedup_by(|next, kept| {
            let is_same = (next.bin, next.code) == (kept.bin, kept.code);
            if is_same {
                kept.observations += next.observations;
            }
            is_same
        });
        own
    };
    let mut seen: Vec<Seen> = (0..paths.persons()).into_par_iter().with_min_len(16).flat_map_iter(of_person).collect();
    seen.par_sort_unstable_by_key(|seen| (seen.bin, seen.code, seen.person));
    seen
}

/// How trees grow.
struct Growing {
    coarsest: u8,
    finest: u8,
    k: u64,
}

impl Growing {
    fn tree(&self, bin: &[Seen], stamps: &mut Stamps) -> Tree {
        let mut tree = Tree::default();
        let tile = |seen: &Seen| Tile::from_code(seen.code, self.finest).inside(self.coarsest);
        for own in bin.chunk_by(|left, right| tile(left) == tile(right)) {
            let root = tile(&own[0]);
            let persons = self.persons(&[own], stamps);
            if persons >= self.k {
                self.grow(root, own, persons, NOWHERE, &mut tree, stamps);
            } else {
                tree.left_out += 1;
            }
            tree.place(self.first(root) + self.codes(self.coarsest), NOWHERE);
        }
        tree
    }

    /// The first code of the finest zoom in a tile.
    fn first(&self, tile: Tile) -> u64 {
        tile.code() << (2 * (self.finest - tile.zoom()))
    }

    /// How many codes of the finest zoom a tile of a zoom has.
    fn codes(&self, zoom: u8) -> u64 {
        1 << (2 * (self.finest - zoom))
    }

    /// The persons of some pieces together.
    fn persons(&self, pieces: &[&[Seen]], stamps: &mut Stamps) -> u64 {
        stamps.begin();
        pieces.iter().flat_map(|piece| piece.iter()).filter(|seen| stamps.is_new(seen.person)).count() as u64
    }

    /// Publishes a tile that has k persons, in one row or in several. Where nobody was, it belongs to the rest of the tile around it,
    /// if that has one: a reader sees which tiles are published, and not which were split.
    fn grow(&self, tile: Tile, seen: &[Seen], persons: u64, around: u32, tree: &mut Tree, stamps: &mut Stamps) {
        let observations = |pieces: &[&[Seen]]| {
            pieces.iter().flat_map(|piece| piece.iter()).map(|seen| u64::from(seen.observations)).sum::<u64>()
        };
        let Some((children, open)) = self.split(tile, seen, stamps) else {
            tree.place(self.first(tile), tree.nodes.len() as u32);
            tree.nodes.push(Node { tile, part: Part::Whole, persons, observations: observations(&[seen]) });
            return;
        };
        let closed: Vec<&[Seen]> =
            (0..4).filter(|&child| open[child].is_none()).map(|child| &seen[children[child].clone()]).collect();
        let rest = observations(&closed);
        let rest_row = if rest > 0 { tree.nodes.len() as u32 } else { around };
        if rest > 0 {
            tree.nodes.push(Node { tile, part: Part::Rest, persons: 0, observations: rest });
        }
        for child in 0..4 {
            let inner = Tile::from_code(tile.code() << 2 | child as u64, tile.zoom() + 1);
            match open[child] {
                Some(persons) => self.grow(inner, &seen[children[child].clone()], persons, rest_row, tree, stamps),
                None => tree.place(self.first(inner), rest_row),
            }
        }
    }

    /// The children of a tile, if it is split.
    fn split(&self, tile: Tile, seen: &[Seen], stamps: &mut Stamps) -> Option<Children> {
        if tile.zoom() == self.finest {
            return None;
        }
        let (first, codes) = (self.first(tile), self.codes(tile.zoom() + 1));
        let end = |child: u64| seen.partition_point(|seen| seen.code < first + child * codes);
        let children: [Range<usize>; 4] = [0, 1, 2, 3].map(|child| end(child)..end(child + 1));
        let persons = [0, 1, 2, 3].map(|child: usize| {
            let own = &seen[children[child].clone()];
            // There are as many persons as rows, at most.
            if (own.len() as u64) < self.k { 0 } else { self.persons(&[own], stamps) }
        });
        let mut open = persons.map(|persons| (persons >= self.k).then_some(persons));
        loop {
            let closed: Vec<&[Seen]> =
                (0..4).filter(|&child| open[child].is_none()).map(|child| &seen[children[child].clone()]).collect();
            let rest = self.persons(&closed, stamps);
            let fewest = (0..4).filter_map(|child| Some((open[child]?, child))).min()?;
            if rest == 0 || rest >= self.k {
                return Some((children, open));
            }
            open[fewest.1] = None;
        }
    }
}
