//! Annealing: exchanges by chance, worse ones too, ever fewer of these. Exchanges that all make J smaller end where none of them does; who may go
//! uphill for a while ends lower.
//!
//! Paper      Kirkpatrick, Gelatt, Vecchi. Optimization by Simulated Annealing. Science 1983; the draw among all exchanges with a cluster is a heat
//!            bath.
//!
//! # Idea
//! 1. A turn asks every node in order: it looks at the cluster of one of the nodes that are like it, of those most like it most often; where
//!    attributes count, of all alike.
//! 2. It stays, is exchanged with one of that cluster, or moves there if its own has more than k: drawn by chance, each in proportion to
//!    exp(gain / temperature).
//! 3. The temperature begins at a share of what exchanges usually cost in this partition, and falls to a twentieth of it.
//!
//! Everything that is drawn comes from a fixed seed, and exp is worked out by multiplications alone: the same clusters on every machine.
//!
//! # Cost
//! Time O(turns x nodes x k x degree); at most [`MOST_VISITS`] nodes are asked, so that large graphs have fewer turns.

use super::Search;
use crate::data::Dataset as _;
use crate::error::Result;
use crate::progress::Progress;
use crate::rng::Rng;

/// At most so many nodes are asked, all turns together; with high effort so many times as many.
const MOST_VISITS: u64 = 4_000_000;
/// The temperature at the beginning, by the median of what exchanges cost that make J greater. It is lower where attributes
/// count: one node of another kind makes a whole cluster say less, and that is seldom won back.
const WARM: f64 = 0.35;
const WARM_WITH_ATTRIBUTES: f64 = 0.1;
/// So many exchanges are looked at to learn what they cost.
const LOOKED_AT: usize = 4_000;
/// The temperature falls to exp(-3) of it, about a twentieth.
const FALL: f64 = 3.0;
/// What is drawn always comes out of this.
const SEED: u64 = 21;

/// The exponential of a number that is not above 0, by multiplications: a power of a number just below 1.
fn exponential(number: f64) -> f64 {
    let mut power = (1.0 + number / 4096.0).max(0.0);
    for _ in 0..12 {
        power *= power;
    }
    power
}

/// How many turns there is time for.
pub(super) fn turns(wanted: u64, nodes: usize, times: u64) -> u64 {
    wanted.min((times * MOST_VISITS / nodes.max(1) as u64).max(2))
}

impl Search<'_> {
    /// So many turns of exchanges by chance.
    pub(super) fn anneal(&mut self, turns: u64, progress: &dyn Progress) -> Result<()> {
        if turns == 0 {
            return Ok(());
        }
        let mut rng = Rng::seeded(SEED);
        let share = if self.state.weights.attributes > 0.0 { WARM_WITH_ATTRIBUTES } else { WARM };
        let Some(warm) = self.usual_cost(&mut rng).map(|cost| share * cost) else { return Ok(()) };
        let nodes = self.state.graph.persons() as u32;
        let mut weights: Vec<f64> = Vec::new();
        for turn in 0..turns {
            for node in 0..nodes {
                if node % 256 == 0 {
                    progress.go_on()?;
                }
                let done = (turn as f64 + f64::from(node) / f64::from(nodes)) / turns as f64;
                let temperature = warm * exponential(-FALL * done);
                if let Some(cluster) = self.drawn_cluster(node, &mut rng) {
                    self.draw(node, cluster, temperature, &mut weights, &mut rng);
                }
            }
            progress.advance(u64::from(nodes));
        }
        Ok(())
    }

    /// The cluster of a node that is like this one, if that is another one.
    fn drawn_cluster(&self, node: u32, rng: &mut Rng) -> Option<u32> {
        let around = self.alike.around(node);
        let drawn = rng.unit();
        let share = if self.state.weights.attributes > 0.0 { drawn } else { drawn * drawn };
        let &other = around.get((share * around.len() as f64) as usize)?;
        let cluster = self.state.of[other as usize];
        (cluster != self.state.of[node as usize]).then_some(cluster)
    }

    /// Draws what becomes of a node beside a cluster.
    fn draw(&mut self, node: u32, cluster: u32, temperature: f64, weights: &mut Vec<f64>, rng: &mut Rng) {
        let own = self.state.of[node as usize];
        let can_move = self.state.members[own as usize].len() > self.k;
        self.state.look_at(node);
        self.state.look_beside(cluster);
        weights.clear();
        for at in 0..self.state.members[cluster as usize].len() {
            let other = self.state.members[cluster as usize][at];
            weights.push(self.state.exchange_gain(node, other));
        }
        if can_move {
            weights.push(self.state.move_gain(node, cluster));
        }
        // By the greatest, so that none is too great for a number.
        let most = weights.iter().copied().fold(0.0, f64::max);
        let mut sum = exponential(-most / temperature);
        for weight in weights.iter_mut() {
            *weight = exponential((*weight - most) / temperature);
            sum += *weight;
        }
        let mut at = rng.unit() * sum;
        let Some(chosen) = weights.iter().position(|weight| {
            at -= weight;
            at < 0.0
        }) else {
            return;
        };
        let other = self.state.members[cluster as usize].get(chosen).copied();
        if self.may(own, node, other, cluster) {
            match other {
                Some(other) => self.state.exchange(node, other),
                None => self.state.shift(node, cluster),
            }
        }
    }

    /// The median of what exchanges cost that make J greater; nothing where there is none.
    fn usual_cost(&mut self, rng: &mut Rng) -> Option<f64> {
        let nodes = self.state.graph.persons();
        let mut costs: Vec<f64> = Vec::new();
        for _ in 0..LOOKED_AT {
            let node = rng.index(nodes) as u32;
            let Some(cluster) = self.drawn_cluster(node, rng) else { continue };
            let members = &self.state.members[cluster as usize];
            let other = members[rng.index(members.len())];
            self.state.look_at(node);
            self.state.look_beside(cluster);
            let gain = self.state.exchange_gain(node, other);
            if gain < 0.0 {
                costs.push(-gain);
            }
        }
        costs.sort_unstable_by(f64::total_cmp);
        costs.get(costs.len() / 2).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exponential_without_a_library() {
        for number in [0.0, -1e-9, -0.1, -1.0, -3.0, -7.5, -20.0] {
            let (own, exact) = (exponential(number), f64::exp(number));
            assert!((own - exact).abs() <= 0.06 * exact, "{number}: {own} {exact}");
        }
        assert_eq!((exponential(0.0), exponential(-5000.0), exponential(f64::NEG_INFINITY)), (1.0, 0.0, 0.0));
    }

    #[test]
    fn large_graphs_have_fewer_turns() {
        assert_eq!(
            [turns(300, 4_000, 1), turns(300, 40_000, 1), turns(300, 1 << 40, 1), turns(0, 10, 1)],
            [300, 100, 2, 0]
        );
    }
}
