//! The cube of a fixed grid: cells by bins, with the totals that give nothing away.
//!
//! # Idea
//! 1. A cell in a bin is published if it has k persons. Totals (of a cell over all bins, of a bin over all cells, of everything) that
//!    have k persons may be published.
//! 2. A total whose points in no published cell come from 1 to k − 1 persons is left out; so is the total of everything if the points
//!    outside of the published totals of cells, or of bins, do.
//! 3. Totals are left out, fewest points first, until no unpublished cell of 1 to k − 1 persons is endangered (`interval`). That always
//!    ends: without totals nothing is known of such a cell. So no cell has to be left out for the sake of another.
//!
//! # Cost
//! Time O(n log n) for n points, and the intervals; memory 32 bytes a point that is alone in its cell, bin and person.

use rayon::prelude::*;

use super::interval::{self, Hidden, Known};
use super::{Cube, LeftOut, Params, Part, Row, is_step};
use crate::data::paths::Paths;

/// What a person left in a cell and a bin.
struct Seen {
    cell: u64,
    bin: i64,
    person: u32,
    observations: u32,
    entries: u32,
    exits: u32,
}

/// Additive counts with persons.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    persons: u64,
    observations: u64,
    entries: u64,
    exits: u64,
}

/// A cell in a bin, by their numbers.
struct Group {
    cell: u32,
    bin: u32,
    sum: Sum,
    range: std::ops::Range<usize>,
}

/// Counts by cells, given the key of a point's cell, if it has one, and the name of a key. `is_whole_map` says that there is one cell
/// for everything, which is called as everything is.
pub(super) fn cube(
    paths: &Paths,
    key: impl Fn(usize) -> Option<u64> + Sync,
    name: impl Fn(u64) -> String + Sync,
    params: &Params,
    is_whole_map: bool,
) -> Cube {
    let seen = seen(paths, key, params);
    let mut cells: Vec<u64> = seen.iter().map(|seen| seen.cell).collect();
    cells.dedup();
    let mut bins: Vec<i64> = seen.iter().map(|seen| seen.bin).collect();
    bins.sort_unstable();
    bins.dedup();
    let groups = groups(&seen, &bins);
    let is_open = |group: &Group| group.sum.persons >= params.k;
    // Persons of a union, each once; and of what is not published of it.
    let mut stamps = Stamps::new(paths.persons());
    let mut sums = |own: &mut dyn Iterator<Item = &Group>| {
        let own: Vec<&Group> = own.collect();
        let mut sum = Sum::default();
        for group in &own {
            sum.observations += group.sum.observations;
            sum.entries += group.sum.entries;
            sum.exits += group.sum.exits;
        }
        let mut count = |is_meant: &dyn Fn(&Group) -> bool| {
            stamps.begin();
            let meant = own.iter().filter(|group| is_meant(group));
            meant.flat_map(|group| &seen[group.range.clone()]).filter(|seen| stamps.is_new(seen.person)).count() as u64
        };
        sum.persons = count(&|_| true);
        let rest = count(&|group| !is_open(group));
        (sum, rest)
    };
    let has_bins = params.bins.0.is_some();
    let mut by_bin: Vec<Vec<&Group>> = vec![Vec::new(); bins.len()];
    groups.iter().for_each(|group| by_bin[group.bin as usize].push(group));
    let of_cells: Vec<(Sum, u64)> = groups
        .chunk_by(|left, right| left.cell == right.cell)
        .map(|own| if has_bins { sums(&mut own.iter()) } else { Default::default() })
        .collect();
    let of_bins: Vec<(Sum, u64)> = by_bin
        .iter()
        .map(|own| if has_bins && !is_whole_map { sums(&mut own.iter().copied()) } else { Default::default() })
        .collect();
    let everything = sums(&mut groups.iter());

    let may_be = |(sum, rest): &(Sum, u64)| sum.persons >= params.k && (*rest == 0 || *rest >= params.k);
    let mut known = Known {
        rows: of_cells.iter().map(may_be).collect(),
        columns: of_bins.iter().map(may_be).collect(),
        all: !is_whole_map && may_be(&everything),
    };
    let could = |totals: &[(Sum, u64)]| totals.iter().filter(|(sum, _)| sum.persons >= params.k).count();
    let candidates =
        could(&of_cells) + could(&of_bins) + usize::from(!is_whole_map && everything.0.persons >= params.k);
    if has_bins && known.all {
        for side in [Side::Cells, Side::Bins] {
            let is_outside = |group: &&Group| match side {
                Side::Cells => !known.rows[group.cell as usize],
                Side::Bins => !known.columns[group.bin as usize],
            };
            let (outside, _) = sums(&mut groups.iter().filter(is_outside));
            known.all &= outside.persons == 0 || outside.persons >= params.k;
        }
    }
    let hidden: Vec<Hidden> = groups
        .iter()
        .filter(|group| !is_open(group))
        .map(|group| Hidden { row: group.cell, column: group.bin, observations: group.sum.observations })
        .collect();
    let observations = |totals: &[(Sum, u64)]| totals.iter().map(|(sum, _)| sum.observations).collect::<Vec<_>>();
    let sizes = (observations(&of_cells), observations(&of_bins), everything.0.observations);
    interval::leave_out(&mut known, &hidden, (&sizes.0, &sizes.1, sizes.2), params.k);

    let row = |cell: Option<u32>, bin: Option<u32>, part: Part, sum: &Sum| Row {
        cell: cell.map_or_else(String::new, |cell| name(cells[cell as usize])),
        part,
        time: bin.filter(|_| has_bins).map(|bin| bins[bin as usize]),
        persons: (part == Part::Whole).then_some(sum.persons),
        observations: sum.observations,
        entries: sum.entries,
        exits: sum.exits,
    };
    let mut rows: Vec<Row> = groups
        .par_iter()
        .filter(|group| is_open(group))
        .map(|group| row(Some(group.cell), Some(group.bin), Part::Whole, &group.sum))
        .collect();
    let observations = rows.iter().map(|row| row.observations).sum();
    let published =
        |flags: &[bool]| (0..).zip(flags).filter(|(_, flag)| **flag).map(|(at, _)| at).collect::<Vec<u32>>();
    rows.extend(
        published(&known.rows).into_iter().map(|at| row(Some(at), None, Part::Total, &of_cells[at as usize].0)),
    );
    rows.extend(
        published(&known.columns).into_iter().map(|at| row(None, Some(at), Part::Total, &of_bins[at as usize].0)),
    );
    rows.extend(known.all.then(|| row(None, None, Part::Total, &everything.0)));
    let totals = rows.iter().filter(|row| row.part == Part::Total).count();
    let left_out = LeftOut { cells: hidden.len() as u64, totals: (candidates - totals) as u64, observations: 0 };
    Cube { rows, observations, mean_zoom: None, left_out }
}

#[derive(Clone, Copy)]
enum Side {
    Cells,
    Bins,
}

/// What every person left in every cell and bin, by cell, bin and person.
fn seen(paths: &Paths, key: impl Fn(usize) -> Option<u64> + Sync, params: &Params) -> Vec<Seen> {
    let of_person = |person: usize| {
        let range = paths.range(person);
        let mut own: Vec<Seen> = Vec::new();
        let mut before = None;
        for point in range {
            let Some(cell) = key(point) else {
                before = None;
                continue;
            };
            let is_move = before.is_some_and(|last| last != cell) && is_step(paths, point - 1);
            if let Some(last) = own.last_mut().filter(|_| is_move) {
                last.exits += 1;
            }
            own.push(Seen {
                cell,
                bin: params.bins.start(paths.time(point)),
                person: person as u32,
                observations: 1,
                entries: u32::from(is_move),
                exits: 0,
            });
            before = Some(cell);
        }
        own.sort_unstable_by_key(|seen| (seen.cell, seen.bin));
        own.dedup_by(|next, kept| {
            let is_same = (next.cell, next.bin) == (kept.cell, kept.bin);
            if is_same {
                kept.observations += next.observations;
                kept.entries += next.entries;
                kept.exits += next.exits;
            }
            is_same
        });
        own
    };
    let mut seen: Vec<Seen> = (0..paths.persons()).into_par_iter().with_min_len(16).flat_map_iter(of_person).collect();
    seen.par_sort_unstable_by_key(|seen| (seen.cell, seen.bin, seen.person));
    seen
}

/// Cells in bins, by cell and bin, each with its persons.
fn groups(seen: &[Seen], bins: &[i64]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let (mut start, mut cell, mut last) = (0, 0, None);
    for own in seen.chunk_by(|left, right| (left.cell, left.bin) == (right.cell, right.bin)) {
        if last.is_some_and(|last| last != own[0].cell) {
            cell += 1;
        }
        last = Some(own[0].cell);
        let sum = own.iter().fold(Sum::default(), |sum, seen| Sum {
            persons: sum.persons + 1,
            observations: sum.observations + u64::from(seen.observations),
            entries: sum.entries + u64::from(seen.entries),
            exits: sum.exits + u64::from(seen.exits),
        });
        let bin = bins.partition_point(|&bin| bin < own[0].bin) as u32;
        groups.push(Group { cell, bin, sum, range: start..start + own.len() });
        start += own.len();
    }
    groups
}

/// Who was counted already.
pub(super) struct Stamps {
    stamps: Vec<u32>,
    now: u32,
}

impl Stamps {
    pub(super) fn new(persons: usize) -> Self {
        Self { stamps: vec![0; persons], now: 0 }
    }

    /// Forgets everybody.
    pub(super) fn begin(&mut self) {
        self.now = self.now.checked_add(1).unwrap_or_else(|| {
            self.stamps.fill(0);
            1
        });
    }

    /// Whether a person was not counted since.
    pub(super) fn is_new(&mut self, person: u32) -> bool {
        std::mem::replace(&mut self.stamps[person as usize], self.now) != self.now
    }
}
