//! The best way to give each of n places one of n persons: the Hungarian method with shortest augmenting paths.
//!
//! # Cost
//! Time O(n³) at worst, memory O(n) beside the gains.

/// For each place (row of `gains`, n to a row) the person that it gets, such that the sum of gains is greatest. Where the
/// persons as they are, person p at place p, are the best already, they stay.
pub(super) fn assign(gains: &[i64], n: usize) -> Vec<usize> {
    let gain = |place: usize, person: usize| gains[place * n + person];
    // Prices make every place's gain at most `offer`; a place and a person fit tightly where they are equal.
    let mut price = vec![0i64; n];
    let mut offer = vec![0i64; n];
    let mut at_person = vec![usize::MAX; n];
    let mut of_place = vec![usize::MAX; n];
    for place in 0..n {
        offer[place] = (0..n).map(|person| gain(place, person)).max().unwrap_or(0);
        if gain(place, place) == offer[place] {
            at_person[place] = place;
            of_place[place] = place;
        }
    }
    let mut slack = vec![i64::MAX; n];
    let mut from = vec![usize::MAX; n];
    let mut done = vec![false; n];
    for start in 0..n {
        if of_place[start] != usize::MAX {
            continue;
        }
        slack.fill(i64::MAX);
        done.fill(false);
        let mut place = start;
        // How much the places and persons reached so far have to give way, by the person they were reached with.
        let mut reached: Vec<(usize, i64)> = Vec::new();
        let mut distance = 0;
        let end = loop {
            let (mut least, mut next) = (i64::MAX, usize::MAX);
            for person in 0..n {
                if done[person] {
                    continue;
                }
                let way = distance + offer[place] + price[person] - gain(place, person);
                if way < slack[person] {
                    slack[person] = way;
                    from[person] = place;
                }
                if slack[person] < least {
                    least = slack[person];
                    next = person;
                }
            }
            distance = least;
            done[next] = true;
            reached.push((next, least));
            if at_person[next] == usize::MAX {
                break next;
            }
            place = at_person[next];
        };
        offer[start] -= distance;
        for &(person, at) in &reached {
            if person != end {
                price[person] += distance - at;
                offer[at_person[person]] -= distance - at;
            }
        }
        let mut person = end;
        loop {
            let place = from[person];
            let before = std::mem::replace(&mut of_place[place], person);
            at_person[person] = place;
            if place == start {
                break;
            }
            person = before;
        }
    }
    of_place
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn best(gains: &[i64], n: usize, place: usize, taken: u32) -> i64 {
        if place == n {
            return 0;
        }
        let free = (0..n).filter(|person| taken >> person & 1 == 0);
        free.map(|person| gains[place * n + person] + best(gains, n, place + 1, taken | 1 << person)).max().unwrap()
    }

    proptest! {
        #[test]
        fn equals_all_permutations(n in 1usize..7, gains in prop::collection::vec(-20i64..20, 36)) {
            let found = assign(&gains, n);
            let mut persons = found.clone();
            persons.sort_unstable();
            prop_assert_eq!(persons, (0..n).collect::<Vec<_>>());
            let sum: i64 = found.iter().enumerate().map(|(place, person)| gains[place * n + person]).sum();
            prop_assert_eq!(sum, best(&gains, n, 0, 0));
        }
    }
}
