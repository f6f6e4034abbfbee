//! A record that is chosen: the lines of a group's members that come nearest to what all of them were interested in.
//!
//! Paper      Ours. The divergence is that of Lin 1991 (`distance/divergence.rs`), the exposure that of paper 001 (section 4.1).
//!
//! # Idea
//! 1. Every member is three mixes: of words, of concepts, and of query strings. Every member has one voice, however busy.
//! 2. Lines are chosen one by one, each a string of a member: the one that lowers the members' summed divergence from the record
//!    most. A string may be chosen several times; on ties the one that more members issued comes first.
//! 3. No choice may raise a member's profile exposure above 1/k. Where no string is allowed, the one that exposes least is
//!    taken, and that is counted.
//! 4. How many words and concepts the record will have is guessed, and each has a price. After a pass both are set from what was
//!    chosen, and the pass is done again; the best of a few passes is the record.
//!
//! # Formula
//! With r = n / N the share of a thing that was chosen n times of N, the divergence of a member with share p falls by
//! common(p, r) / 2: for a fixed N that is concave in n and separate for each thing, so gains only fall, and a heap with old
//! gains finds the greatest (lazy greedy is greedy). The price of a thing more is what it takes from all others by making N larger:
//! (1 / N) * sum over things of r * sum over members of log2(1 + p / r) / 2.
//! Exposure of a member: sum over strings of min(p, r) log2(1 / p) / H(p).
//!
//! # Cost
//! Time O(passes * (c + l) log c) gains for c different strings and l lines, each a few logarithms; memory O(c).

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::distance::divergence::common;

/// How often the record is chosen anew with better prices.
const PASSES: usize = 4;

/// What the members of a group have, and what a line of theirs holds.
#[derive(Clone, Default)]
pub(crate) struct Voices<'a> {
    /// For each member the strings they issued, each once, with how often.
    pub(crate) members: Vec<Vec<(u32, u64)>>,
    /// The content words of a string, and its concepts; any numbers, in any order.
    pub(crate) contents: Vec<Contents<'a>>,
}

/// The words or the concepts of strings.
pub(crate) type Contents<'a> = &'a (dyn Fn(u32) -> &'a [u32] + Sync);

/// A record that was chosen.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chosen {
    /// Strings in rising order, and how often each stands in the record.
    pub(crate) lines: Vec<(u32, u32)>,
    /// How many lines had to expose somebody above the cap.
    pub(crate) forced: usize,
}

/// Chooses a record of so many lines. No member's exposure may rise above `cap`, a share.
pub(crate) fn choose(voices: &Voices<'_>, lines: usize, cap: f64) -> Chosen {
    let mut choice = Choice::new(voices, lines, cap);
    let mut best: Option<(f64, Chosen)> = None;
    for _ in 0..PASSES {
        let forced = choice.pass();
        let score = choice.score();
        let is_better = best.as_ref().is_none_or(|(greatest, known)| (forced, -score) < (known.forced, -greatest));
        if is_better {
            best = Some((score, choice.chosen(forced)));
        }
        if voices.contents.is_empty() {
            // Nothing was guessed.
            break;
        }
        choice.refit();
    }
    best.map_or(Chosen { lines: Vec::new(), forced: 0 }, |(_, chosen)| chosen)
}

/// Things of one space: words, concepts or strings.
struct Field {
    /// Thing `t` has the voices `voices[starts[t]..starts[t + 1]]`: the shares of the members that have it.
    starts: Vec<usize>,
    voices: Vec<f64>,
    /// Candidate `c` has the things `of_candidate[candidate_starts[c]..candidate_starts[c + 1]]`, each once, with how often.
    candidate_starts: Vec<usize>,
    of_candidate: Vec<(u32, u32)>,
    /// How often each thing was chosen, and what one more of it is worth.
    chosen: Vec<u32>,
    marginal: Vec<f64>,
    total: f64,
    price: f64,
}

impl Field {
    /// `things(c)` are those of candidate `c`; `members` has the candidates of each member with how often.
    fn new<'a>(
        members: &[Vec<(u32, u64)>],
        candidates: usize,
        lines: usize,
        things: impl Fn(u32) -> &'a [u32],
    ) -> Self {
        let mut all: Vec<(u32, u32, u64)> = Vec::new();
        let mut totals = vec![0u64; members.len()];
        let mut per_line = 0.0;
        for (member, own) in (0u32..).zip(members) {
            for &(candidate, times) in own {
                let things = things(candidate);
                all.extend(things.iter().map(|&thing| (thing, member, times)));
                totals[member as usize] += things.len() as u64 * times;
            }
            let issued: u64 = own.iter().map(|&(_, times)| times).sum();
            if issued > 0 {
                per_line += totals[member as usize] as f64 / issued as f64 / members.len() as f64;
            }
        }
        all.sort_unstable();
        let (mut numbers, mut starts, mut voices) = (Vec::new(), vec![0], Vec::new());
        for same in all.chunk_by(|left, right| left.0 == right.0) {
            numbers.push(same[0].0);
            for own in same.chunk_by(|left, right| left.1 == right.1) {
                let count: u64 = own.iter().map(|&(_, _, times)| times).sum();
                voices.push(count as f64 / totals[own[0].1 as usize] as f64);
            }
            starts.push(voices.len());
        }
        let (mut candidate_starts, mut of_candidate) = (vec![0], Vec::new());
        let mut own: Vec<u32> = Vec::new();
        for candidate in 0..candidates as u32 {
            own.clear();
            own.extend(things(candidate));
            own.sort_unstable();
            for same in own.chunk_by(|left, right| left == right) {
                let thing = numbers.binary_search(&same[0]).expect("every candidate is a member's");
                of_candidate.push((thing as u32, same.len() as u32));
            }
            candidate_starts.push(of_candidate.len());
        }
        let things = numbers.len();
        let mut field = Self {
            starts,
            voices,
            candidate_starts,
            of_candidate,
            chosen: vec![0; things],
            marginal: vec![0.0; things],
            total: (per_line * lines as f64).max(1.0),
            price: 0.0,
        };
        // At first the record is taken to be the members' mean.
        let mean = |thing: usize| field.voices_of(thing).iter().sum::<f64>() / members.len() as f64;
        field.price = (0..things).map(|thing| field.drag(thing, mean(thing))).sum::<f64>() / field.total;
        field
    }

    fn voices_of(&self, thing: usize) -> &[f64] {
        &self.voices[self.starts[thing]..self.starts[thing + 1]]
    }

    fn of_candidate(&self, candidate: usize) -> &[(u32, u32)] {
        &self.of_candidate[self.candidate_starts[candidate]..self.candidate_starts[candidate + 1]]
    }

    /// By how much a thing lowers the divergences when it has this share.
    fn value(&self, thing: usize, share: f64) -> f64 {
        self.voices_of(thing).iter().map(|&voice| common(voice, share)).sum::<f64>() / 2.0
    }

    /// What a thing of this share loses when the record becomes longer, in shares.
    fn drag(&self, thing: usize, share: f64) -> f64 {
        if share <= 0.0 {
            return 0.0;
        }
        share * self.voices_of(thing).iter().map(|&voice| (1.0 + voice / share).log2()).sum::<f64>() / 2.0
    }

    fn worth(&self, thing: usize, more: u32) -> f64 {
        let now = f64::from(self.chosen[thing]);
        self.value(thing, (now + f64::from(more)) / self.total)
            - self.value(thing, now / self.total)
            - f64::from(more) * self.price
    }

    fn clear(&mut self) {
        self.chosen.fill(0);
        for thing in 0..self.chosen.len() {
            self.marginal[thing] = self.worth(thing, 1);
        }
    }

    fn gain(&self, candidate: usize) -> f64 {
        let worth = |&(thing, more): &(u32, u32)| match more {
            1 => self.marginal[thing as usize],
            _ => self.worth(thing as usize, more),
        };
        self.of_candidate(candidate).iter().map(worth).sum()
    }

    fn take(&mut self, candidate: usize) {
        for at in self.candidate_starts[candidate]..self.candidate_starts[candidate + 1] {
            let (thing, more) = self.of_candidate[at];
            self.chosen[thing as usize] += more;
            self.marginal[thing as usize] = self.worth(thing as usize, 1);
        }
    }

    fn chosen_total(&self) -> f64 {
        self.chosen.iter().map(|&times| f64::from(times)).sum()
    }

    /// By how much what was chosen lowers the divergences, under its true total.
    fn score(&self) -> f64 {
        let total = self.chosen_total().max(1.0);
        let chosen = self.chosen.iter().enumerate().filter(|(_, times)| **times > 0);
        chosen.map(|(thing, &times)| self.value(thing, f64::from(times) / total)).sum()
    }

    /// Sets total and price from what was chosen.
    fn refit(&mut self) {
        let total = self.chosen_total();
        if total > 0.0 {
            self.total = total;
            let share = |thing: usize| f64::from(self.chosen[thing]) / total;
            self.price = (0..self.chosen.len()).map(|thing| self.drag(thing, share(thing))).sum::<f64>() / total;
        }
    }
}

/// A choice that is being made.
struct Choice {
    lines: usize,
    cap: f64,
    /// The candidates: strings of members, in rising order.
    strings: Vec<u32>,
    /// How many members issued each.
    issuers: Vec<u32>,
    /// Words, concepts; then strings, whose total is known and which have no price.
    fields: Vec<Field>,
    /// For each candidate the members that issued it: who, with which share, and what a full share exposes of them.
    exposing_starts: Vec<usize>,
    exposing: Vec<Exposing>,
    /// How much of each member is exposed so far.
    exposed: Vec<f64>,
    copies: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Exposing {
    member: u32,
    share: f64,
    /// log2(1 / share) / H of the member; 0 for one without entropy.
    weight: f64,
}

impl Choice {
    fn new(voices: &Voices<'_>, lines: usize, cap: f64) -> Self {
        let mut strings: Vec<u32> = voices.members.iter().flatten().map(|&(string, _)| string).collect();
        strings.sort_unstable();
        strings.dedup();
        let candidate = |string: u32| strings.partition_point(|&other| other < string) as u32;
        let members: Vec<Vec<(u32, u64)>> = voices
            .members
            .iter()
            .map(|own| own.iter().map(|&(string, times)| (candidate(string), times)).collect())
            .collect();
        let mut fields: Vec<Field> = voices
            .contents
            .iter()
            .map(|contents| {
                Field::new(&members, strings.len(), lines, |candidate| contents(strings[candidate as usize]))
            })
            .collect();
        let itself: Vec<u32> = (0..strings.len() as u32).collect();
        let mut own =
            Field::new(&members, strings.len(), lines, |candidate| std::slice::from_ref(&itself[candidate as usize]));
        (own.total, own.price) = (lines as f64, 0.0);
        fields.push(own);

        let mut all: Vec<(u32, Exposing)> = Vec::new();
        for (member, own) in (0u32..).zip(&members) {
            let issued: u64 = own.iter().map(|&(_, times)| times).sum();
            let share = |times: u64| times as f64 / issued as f64;
            let entropy: f64 = own.iter().map(|&(_, times)| -share(times) * share(times).log2()).sum();
            for &(candidate, times) in own {
                let share = share(times);
                let weight = if entropy > 0.0 { -share.log2() / entropy } else { 0.0 };
                all.push((candidate, Exposing { member, share, weight }));
            }
        }
        all.sort_by_key(|&(candidate, exposing)| (candidate, exposing.member));
        let (mut exposing_starts, mut exposing, mut issuers) = (vec![0], Vec::new(), Vec::new());
        for same in all.chunk_by(|left, right| left.0 == right.0) {
            exposing.extend(same.iter().map(|&(_, exposing)| exposing));
            exposing_starts.push(exposing.len());
            issuers.push(same.len() as u32);
        }
        Self {
            lines,
            cap,
            issuers,
            fields,
            exposing_starts,
            exposing,
            exposed: vec![0.0; members.len()],
            copies: vec![0; strings.len()],
            strings,
        }
    }

    /// Chooses all lines with the totals and prices as they are. Gives how many had to expose somebody above the cap.
    fn pass(&mut self) -> usize {
        self.clear();
        let mut heap: BinaryHeap<Offer> = (0..self.strings.len()).map(|candidate| self.offer(candidate)).collect();
        let (mut chosen, mut forced) = (0, 0);
        while chosen < self.lines {
            let Some(offer) = heap.pop() else {
                // Whoever is left out would expose somebody too much: take what exposes least.
                let Some(least) = self.least_exposing() else { break };
                self.take(least);
                forced += 1;
                chosen += 1;
                // It is out: more of it may expose nobody any further.
                heap.push(self.offer(least));
                continue;
            };
            let now = self.offer(offer.candidate);
            if !self.is_allowed(offer.candidate) {
                continue;
            }
            if heap.peek().is_some_and(|next| *next > now) {
                heap.push(now);
                continue;
            }
            self.take(offer.candidate);
            chosen += 1;
            heap.push(self.offer(offer.candidate));
        }
        forced
    }

    fn clear(&mut self) {
        self.fields.iter_mut().for_each(Field::clear);
        self.exposed.fill(0.0);
        self.copies.fill(0);
    }

    fn offer(&self, candidate: usize) -> Offer {
        let gain = self.fields.iter().map(|field| field.gain(candidate)).sum();
        Offer { gain, issuers: self.issuers[candidate], candidate }
    }

    /// The members that one more of a candidate would expose, and how exposed they would be.
    fn exposed_by(&self, candidate: usize) -> impl Iterator<Item = (usize, f64)> {
        let now = f64::from(self.copies[candidate]) / self.lines as f64;
        let then = (f64::from(self.copies[candidate]) + 1.0) / self.lines as f64;
        let own = &self.exposing[self.exposing_starts[candidate]..self.exposing_starts[candidate + 1]];
        own.iter().filter_map(move |exposing| {
            let more = (exposing.share.min(then) - exposing.share.min(now)) * exposing.weight;
            let member = exposing.member as usize;
            (more > 0.0).then(|| (member, self.exposed[member] + more))
        })
    }

    fn is_allowed(&self, candidate: usize) -> bool {
        self.exposed_by(candidate).all(|(_, exposed)| exposed <= self.cap)
    }

    fn least_exposing(&self) -> Option<usize> {
        let most = |candidate: usize| self.exposed_by(candidate).map(|(_, exposed)| exposed).fold(0.0, f64::max);
        (0..self.strings.len())
            .min_by(|&left, &right| most(left).total_cmp(&most(right)).then(self.offer(right).cmp(&self.offer(left))))
    }

    fn take(&mut self, candidate: usize) {
        let exposed: Vec<(usize, f64)> = self.exposed_by(candidate).collect();
        exposed.into_iter().for_each(|(member, exposed)| self.exposed[member] = exposed);
        self.copies[candidate] += 1;
        self.fields.iter_mut().for_each(|field| field.take(candidate));
    }

    fn score(&self) -> f64 {
        self.fields.iter().map(Field::score).sum()
    }

    fn refit(&mut self) {
        let strings = self.fields.len() - 1;
        self.fields[..strings].iter_mut().for_each(Field::refit);
    }

    fn chosen(&self, forced: usize) -> Chosen {
        let lines = self.strings.iter().zip(&self.copies).filter(|(_, copies)| **copies > 0);
        Chosen { lines: lines.map(|(&string, &copies)| (string, copies)).collect(), forced }
    }
}

/// What a candidate offers: the greatest is taken.
#[derive(Debug, Clone, Copy)]
struct Offer {
    gain: f64,
    issuers: u32,
    candidate: usize,
}

impl Ord for Offer {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |offer: &Self| (offer.issuers, Reverse(offer.candidate));
        self.gain.total_cmp(&other.gain).then_with(|| key(self).cmp(&key(other)))
    }
}

impl PartialOrd for Offer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Offer {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Offer {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The exposure of a member by a record, as paper 001 has it.
    fn exposure(own: &[(u32, u64)], chosen: &Chosen) -> Option<f64> {
        let issued: u64 = own.iter().map(|&(_, times)| times).sum();
        let lines: u32 = chosen.lines.iter().map(|&(_, copies)| copies).sum();
        let share = |times: u64| times as f64 / issued as f64;
        let entropy: f64 = own.iter().map(|&(_, times)| -share(times) * share(times).log2()).sum();
        let common: f64 = own
            .iter()
            .map(|&(string, times)| {
                let copies = chosen.lines.iter().find(|line| line.0 == string).map_or(0, |line| line.1);
                share(times).min(f64::from(copies) / f64::from(lines)) * -share(times).log2()
            })
            .sum();
        (entropy > 0.0).then(|| common / entropy)
    }

    /// The strings 0 to 29 are made of two words and one concept each.
    const WORDS: [[u32; 2]; 30] = {
        let mut words = [[0; 2]; 30];
        let mut at = 0;
        while at < 30 {
            words[at] = [at as u32 % 7, 7 + at as u32 % 5];
            at += 1;
        }
        words
    };
    const CONCEPTS: [u32; 30] = {
        let mut concepts = [0; 30];
        let mut at = 0;
        while at < 30 {
            concepts[at] = at as u32 % 4;
            at += 1;
        }
        concepts
    };

    fn words(string: u32) -> &'static [u32] {
        &WORDS[string as usize]
    }

    fn concepts(string: u32) -> &'static [u32] {
        // Some strings mean nothing.
        if string % 6 == 5 { &[] } else { std::slice::from_ref(&CONCEPTS[string as usize]) }
    }

    fn voices(members: Vec<Vec<(u32, u64)>>) -> Voices<'static> {
        Voices { members, contents: vec![&words, &concepts] }
    }

    /// The same pass, looking at every candidate at every step.
    fn slow_pass(choice: &mut Choice) -> usize {
        choice.clear();
        let mut forced = 0;
        for _ in 0..choice.lines {
            let allowed = (0..choice.strings.len()).filter(|&candidate| choice.is_allowed(candidate));
            let best = allowed.map(|candidate| choice.offer(candidate)).max();
            match best {
                Some(offer) => choice.take(offer.candidate),
                None => {
                    let Some(least) = choice.least_exposing() else { break };
                    choice.take(least);
                    forced += 1;
                }
            }
        }
        forced
    }

    #[test]
    fn shared_strings_come_first() {
        // Two persons who share string 0 and have one more each: with one line it is the shared one, were it not for the cap.
        let members = vec![vec![(0, 1), (1, 1)], vec![(0, 1), (2, 1)]];
        assert_eq!(choose(&voices(members.clone()), 1, 1.0).lines, [(0, 1)]);
        // Half of each is exposed by it, which a cap of a third forbids, and any other choice too.
        let capped = choose(&voices(members), 1, 1.0 / 3.0);
        assert_eq!(capped.forced, 1);
    }

    #[test]
    fn the_cap_by_hand() {
        // Four strings each, all different, a record of four lines: one line a person exposes a quarter.
        let member = |first: u32| (first..first + 4).map(|string| (string, 1)).collect::<Vec<_>>();
        let members: Vec<_> = [0, 4, 8, 12].map(member).to_vec();
        let chosen = choose(&voices(members.clone()), 4, 0.25);
        assert_eq!(chosen.forced, 0);
        for own in &members {
            assert!(exposure(own, &chosen).unwrap() <= 0.25 + 1e-12);
        }
    }

    #[test]
    fn nothing_to_choose_from() {
        assert_eq!(choose(&voices(vec![Vec::new(), Vec::new()]), 3, 0.5), Chosen { lines: Vec::new(), forced: 0 });
    }

    fn members() -> impl Strategy<Value = Vec<Vec<(u32, u64)>>> {
        let member = prop::collection::btree_map(0..30u32, 1..6u64, 1..12);
        prop::collection::vec(member.prop_map(|own| own.into_iter().collect()), 2..6)
    }

    proptest! {
        #[test]
        fn lazy_is_greedy_and_the_cap_holds(members in members(), lines in 1..20usize) {
            let voices = voices(members.clone());
            let cap = 1.0 / members.len() as f64;
            let (mut lazy, mut slow) = (Choice::new(&voices, lines, cap), Choice::new(&voices, lines, cap));
            for _ in 0..PASSES {
                let forced = [lazy.pass(), slow_pass(&mut slow)];
                prop_assert_eq!(lazy.chosen(forced[0]), slow.chosen(forced[1]));
                lazy.refit();
                slow.refit();
            }
            let chosen = choose(&voices, lines, cap);
            prop_assert_eq!(chosen.lines.iter().map(|line| line.1 as usize).sum::<usize>(), lines);
            if chosen.forced == 0 {
                for own in &members {
                    prop_assert!(exposure(own, &chosen).is_none_or(|exposed| exposed <= cap + 1e-9));
                }
            }
        }
    }
}
