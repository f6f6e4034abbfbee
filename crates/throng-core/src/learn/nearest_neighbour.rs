//! Nearest neighbour: the class of the example that is nearest.
//!
//! Examples are numbers of vectors with a class; several may be of one vector, whose distance is asked for once. Of equally near
//! examples the first counts.

/// What was learnt.
#[derive(Debug)]
pub struct NearestNeighbour {
    examples: Vec<(usize, u32)>,
    /// The vectors of the examples, each once, in rising order.
    vectors: Vec<usize>,
}

impl NearestNeighbour {
    /// Learns from vectors with their classes; `None` of no example.
    pub fn learn(examples: Vec<(usize, u32)>) -> Option<Self> {
        let mut vectors: Vec<usize> = examples.iter().map(|&(vector, _)| vector).collect();
        vectors.sort_unstable();
        vectors.dedup();
        (!examples.is_empty()).then_some(Self { examples, vectors })
    }

    /// The class of something that is so far from a vector.
    pub fn class(&self, distance: impl FnMut(usize) -> f64) -> u32 {
        let distances: Vec<f64> = self.vectors.iter().copied().map(distance).collect();
        let far = |vector: usize| distances[self.vectors.partition_point(|&other| other < vector)];
        let (first, others) = (self.examples[0], &self.examples[1..]);
        let mut best = (far(first.0), first.1);
        for &(vector, class) in others {
            let distance = far(vector);
            if distance < best.0 {
                best = (distance, class);
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert!(NearestNeighbour::learn(Vec::new()).is_none());
        let learnt = NearestNeighbour::learn(vec![(4, 1), (2, 2), (4, 3), (9, 4)]).unwrap();
        let mut asked = Vec::new();
        let class = learnt.class(|vector| {
            asked.push(vector);
            (vector as f64 - 3.0).abs()
        });
        // 4 and 2 are equally near: the first example counts, and each vector was asked for once.
        assert_eq!((class, asked), (1, vec![2, 4, 9]));
        assert_eq!(learnt.class(|vector| 10.0 - vector as f64), 4);
    }
}
