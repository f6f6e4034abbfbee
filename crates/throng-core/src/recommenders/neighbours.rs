//! The nearest of some candidates: the largest similarities, of equal ones the first, and of those only the positive.

/// Candidates while they come.
pub(super) struct Neighbours<T> {
    most: usize,
    candidates: Vec<(f64, usize, T)>,
}

impl<T: Copy> Neighbours<T> {
    /// Room for the nearest of them.
    pub(super) fn new(most: usize) -> Self {
        Self { most, candidates: Vec::new() }
    }

    /// Takes a candidate, unless its similarity is not defined. One that is not positive would never be used, and never keeps
    /// a positive one out.
    pub(super) fn offer(&mut self, similarity: Option<f64>, order: usize, what: T) {
        if let Some(similarity) = similarity.filter(|&similarity| similarity > 0.0) {
            self.candidates.push((similarity, order, what));
        }
    }

    /// The nearest, the most similar first.
    pub(super) fn best(mut self) -> Vec<(f64, T)> {
        let nearer =
            |left: &(f64, usize, T), right: &(f64, usize, T)| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1));
        if self.candidates.len() > self.most {
            self.candidates.select_nth_unstable_by(self.most, nearer);
            self.candidates.truncate(self.most);
        }
        self.candidates.sort_unstable_by(nearer);
        self.candidates.into_iter().map(|(similarity, _, what)| (similarity, what)).collect()
    }
}
