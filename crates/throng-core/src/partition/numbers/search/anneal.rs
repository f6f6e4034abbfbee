//! Annealing: rows move and are exchanged by chance, and what makes it worse is taken the more seldom the colder it is.
//!
//! Paper      Kirkpatrick, Gelatt, Vecchi. Optimization by simulated annealing. Science 220 (1983).
//!
//! # Idea
//! 1. A row and one of its nearest rows are drawn, nearer ones more often. The row goes to that one's group: alone where both groups
//!    may have such sizes, or for a member of it that is drawn too. The formulas are those of `search`.
//! 2. Seldom a group of k rows is dissolved or a new one is made: so the number of groups changes while it is warm.
//! 3. What gains is done; what loses is done with the likelihood exp(gain / heat). The heat falls from stage to stage by one factor.
//!    It is measured by what three quarters of the rows lose at most, since a few far rows lose far more than all others.
//! 4. The best grouping at the end of a stage is taken, and settled.
//!
//! # Cost
//! O(columns) for a change that is drawn, whatever the number of rows and groups.

use super::{Change, State, add, squared};
use crate::partition::numbers::LANES;
use crate::progress::Progress;
use crate::rng::Rng;

/// How often it gets colder, and by which factor: by 0.05 in all.
const STAGES: u64 = 200;
const COOLS: f64 = 0.985;
/// The heat at first, by what a row loses.
const HOT: f64 = 0.6;
/// What is lost at most by the share of rows that the heat is measured by.
const USUAL: f64 = 0.75;
/// How many nearest rows are drawn from.
const REACH: usize = 20;
/// Of 32,768 draws so many dissolve a group or make one.
const SELDOM: u64 = 100;
/// What is less likely than exp of this is not drawn.
const HOPELESS: f64 = -14.0;

impl State<'_> {
    /// Anneals until about so many changes were drawn, and ends with the best that was met at the end of a stage.
    pub(in crate::partition::numbers) fn anneal(&mut self, most: u64, progress: &dyn Progress) {
        let mut rng = Rng::seeded(1);
        let mut heat = HOT * self.usual_row();
        let (mut ahead, mut best) = (0.0, 0.0);
        let mut best_of = self.group_of.clone();
        for _ in 0..STAGES {
            if progress.is_stopped() {
                break;
            }
            ahead += self.stage(most / STAGES, heat, &mut rng);
            if ahead > best {
                best = ahead;
                best_of.clone_from(&self.group_of);
            }
            heat *= COOLS;
        }
        self.restore(best_of);
        self.settle_all();
    }

    /// What three quarters of the rows are apart from the mean of their group, squared, at most.
    fn usual_row(&self) -> f64 {
        let apart = |(row, &group): (u32, &u32)| {
            let size = self.members[group as usize].len() as f64;
            let mean: Vec<f64> = self.sums[group as usize].iter().map(|sum| sum / size).collect();
            squared(self.cloud.at(row), &mean)
        };
        let mut all: Vec<f64> = (0u32..).zip(&self.group_of).map(apart).collect();
        all.sort_by(f64::total_cmp);
        all.get((all.len() as f64 * USUAL) as usize).copied().unwrap_or(0.0)
    }

    /// Draws about so many changes, and gives how much better it is.
    fn stage(&mut self, most: u64, heat: f64, rng: &mut Rng) -> f64 {
        let mut ahead = 0.0;
        let mut drawn = 0;
        while drawn < most {
            drawn += 1;
            // One draw of 64 bits says which row, which neighbour and which member.
            let bits = rng.bits();
            let row = (((bits >> 32) * self.cloud.len() as u64) >> 32) as u32;
            let (nearness, member) = ((bits >> 16) & 0xffff, bits & 0xffff);
            let own = self.group_of[row as usize];
            let is_seed = member & 1 == 0;
            if member >> 1 < SELDOM && (is_seed || self.members[own as usize].len() == self.k) {
                let weighed = self.weighed;
                let is_whole = if is_seed { self.seed(row) } else { self.dissolve(own) };
                self.forget_waiting();
                drawn += self.weighed - weighed + 16;
                let gain = if is_whole { self.gain() } else { f64::NEG_INFINITY };
                if is_taken(gain, heat, rng) {
                    ahead += gain;
                    self.keep();
                } else {
                    self.undo();
                }
                continue;
            }
            let near = &self.near[row as usize];
            let neighbour = near[((((nearness * nearness) >> 16) * near.len().min(REACH) as u64) >> 16) as usize];
            if let Some((gain, to, other)) = self.drawn_change(row, neighbour, member)
                && is_taken(gain, heat, rng)
            {
                self.shift(row, to);
                if let Some(other) = other {
                    self.shift(other, own);
                }
                ahead += gain;
            }
        }
        ahead
    }

    /// The change that 16 bits say: the row to the group of its neighbour, alone or for another member.
    fn drawn_change(&self, row: u32, neighbour: u32, member: u64) -> Option<Change> {
        let (own, to) = (self.group_of[row as usize], self.group_of[neighbour as usize]);
        if own == to {
            return None;
        }
        let (own_members, to_members) = (&self.members[own as usize], &self.members[to as usize]);
        let (own_size, to_size) = (own_members.len() as f64, to_members.len() as f64);
        let sums = self.sums[own as usize].chunks_exact(LANES).zip(self.sums[to as usize].chunks_exact(LANES));
        let point = self.cloud.at(row);
        if member & 1 == 0 && own_members.len() > self.k && to_members.len() + 1 < 2 * self.k {
            let (mut leaves, mut comes) = ([0.0; LANES], [0.0; LANES]);
            for (point, (own_sum, to_sum)) in point.chunks_exact(LANES).zip(sums) {
                for lane in 0..LANES {
                    let (from, into) = (point[lane] - own_sum[lane] / own_size, point[lane] - to_sum[lane] / to_size);
                    leaves[lane] += from * from;
                    comes[lane] += into * into;
                }
            }
            let gain = own_size / (own_size - 1.0) * total(leaves) - to_size / (to_size + 1.0) * total(comes);
            return Some((gain, to, None));
        }
        let other = to_members[(((member >> 1) * to_members.len() as u64) >> 15) as usize];
        if other == neighbour {
            return None;
        }
        let (own_share, to_share) = (1.0 / own_size, 1.0 / to_size);
        let both = own_share + to_share;
        let mut gain = [0.0; LANES];
        let points = point.chunks_exact(LANES).zip(self.cloud.at(other).chunks_exact(LANES));
        for ((point, other), (own_sum, to_sum)) in points.zip(sums) {
            for lane in 0..LANES {
                let apart = other[lane] - point[lane];
                let means = own_sum[lane] * own_share - to_sum[lane] * to_share;
                gain[lane] += apart * (2.0 * means + both * apart);
            }
        }
        Some((total(gain), to, Some(other)))
    }

    /// As `put`, of which nothing is noted.
    fn shift(&mut self, row: u32, to: u32) {
        let from = self.group_of[row as usize];
        let members = &mut self.members[from as usize];
        if let Some(at) = members.iter().position(|&other| other == row) {
            members.swap_remove(at);
        }
        add(&mut self.sums[from as usize], self.cloud.at(row), -1.0);
        self.members[to as usize].push(row);
        add(&mut self.sums[to as usize], self.cloud.at(row), 1.0);
        self.group_of[row as usize] = to;
    }
}

/// Whether a change is made at some heat.
fn is_taken(gain: f64, heat: f64, rng: &mut Rng) -> bool {
    gain >= 0.0 || (gain > HOPELESS * heat && gain > heat * rng.unit().max(f64::MIN_POSITIVE).ln())
}

fn total(sums: [f64; LANES]) -> f64 {
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}
