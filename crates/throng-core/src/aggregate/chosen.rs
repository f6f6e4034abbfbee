//! A record that is chosen: the lines of a group's members that come nearest to what all of them were interested in.
//!
//! Paper      Ours. The divergence is that of Lin 1991 (`distance/divergence.rs`), the exposure that of
//!            Navarro-Arribas et al. 2012 (section 4.1).
//!
//! # Idea
//! 1. Every member is three mixes: of words, of concepts, and of query strings. Every member has one voice, however busy. Words weigh
//!    more than the rest if one says so: they agree far less often.
//! 2. Lines are chosen one by one, each a string of a member: the one that lowers the members' summed divergence from the record
//!    most. A string may be chosen several times; on ties the one that more members issued comes first. When there are as many
//!    different strings as are wanted, strings that are there are chosen again: the record is about as varied as a person.
//! 3. No choice may raise a member's profile exposure above 1/k. Where no string is allowed, the one that exposes least is
//!    taken, and that is counted. A record that needs such lines is chosen again with more lines, up to a limit: each exposes less then.
//! 4. How many words and concepts the record will have is guessed, and each has a price. After a pass both are set from what was
//!    chosen, and the pass is done again; the best of a few passes is the record.
//! 5. How many different strings pay is another question in every group. More and fewer are tried while that is worth more to the
//!    members: what they keep, less what it costs them that the record is more or less varied than they are.
//!
//! # Formula
//! With r = n / N the share of a thing that was chosen n times of N, and f(x) = x log2 x, the divergence of a member with share p
//! falls by (f(p + r) - f(p) - f(r)) / 2: for a fixed N that is concave in n and separate for each thing, so gains only fall, and a
//! heap with old gains finds the greatest (lazy greedy is greedy). The price of a thing more is what it takes from all others by making N larger:
//! (1 / N) * sum over things of r * sum over members of log2(1 + p / r) / 2.
//! Exposure of a member: sum over strings of min(p, r) log2(1 / p) / H(p).
//! Worth of a record: sum over members of weight * (1 - sqrt(JSD)) over words and concepts, less apart * |H - H(record)| / H, with H the
//! entropy of a member's strings.
//!
//! # Cost
//! Time O(passes * (c + l) log c) gains for c different strings and l lines, each a few logarithms; memory O(c). There are two passes, and
//! one for each number of different strings that is tried, three on average. About ten times as much for a record that has to become longer.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use crate::concepts::mixes::Mix;
use crate::distance::divergence::{common, weighted_log};

/// How often the record is chosen: the second time with prices from the first. More passes change next to nothing.
const PASSES: usize = 2;
/// By how much the numbers of different strings that are tried lie apart, and how many more, or fewer, are tried at most.
const STEP: f64 = 1.4;
const TRIES: usize = 3;

/// What the members of a group have, and what a line of theirs holds.
#[derive(Clone, Default)]
pub(crate) struct Voices<'a> {
    /// For each member the strings of theirs that may be chosen, and how often they issued each.
    pub(crate) publishable: Vec<Mix>,
    /// For each member the strings they issued; one that may be chosen has the same number here.
    pub(crate) issued: Vec<Mix>,
    /// The words, and the concepts.
    pub(crate) contents: Vec<Content<'a>>,
    /// What the divergence of strings weighs.
    pub(crate) strings: f64,
}

/// The words, or the concepts, of members and of strings.
#[derive(Clone)]
pub(crate) struct Content<'a> {
    /// For each member the things in what they issued, and how often each is there.
    pub(crate) members: Vec<Mix>,
    /// The things of a string that may be chosen, in any order.
    pub(crate) of_string: &'a (dyn Fn(u32) -> &'a [u32] + Sync),
    /// What its divergence weighs.
    pub(crate) weight: f64,
}

/// A record that was chosen.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chosen {
    /// Strings in rising order, and how often each stands in the record.
    pub(crate) lines: Vec<(u32, u32)>,
    /// How many lines had to expose somebody above the cap.
    pub(crate) forced: usize,
}

/// What a record should be like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// How many lines it has.
    pub(crate) lines: usize,
    /// How many it may have where somebody would be exposed above the cap otherwise.
    pub(crate) longest: usize,
    /// How many different strings it has at most, if the cap allows for as many copies; where being apart costs, the first to try.
    pub(crate) different: usize,
    /// What it costs a member if the record is more or less varied, by as much as they are; 0: more or fewer different strings are not tried.
    pub(crate) apart: f64,
    /// The greatest exposure of a member, a share.
    pub(crate) cap: f64,
}

/// Chooses a record: of those whose length is allowed, the shortest that exposes nobody above the cap, or the one with the fewest
/// lines that do.
pub(crate) fn choose(voices: &Voices<'_>, wanted: Wanted) -> Chosen {
    let (mut best, mut choice) = choose_lines(voices, wanted);
    let mut lines = wanted.lines;
    while best.forced > 0 && lines < wanted.longest {
        lines = (lines + 1 + lines / 8).min(wanted.longest);
        let longer = choose_lines(voices, Wanted { lines, ..wanted });
        if longer.0.forced < best.forced {
            (best, choice) = longer;
        }
    }
    if wanted.apart > 0.0 && !best.lines.is_empty() { varied(voices, wanted, choice, best) } else { best }
}

/// The record of as many lines whose number of different strings is worth most to the members: more are tried as long as that pays,
/// and if it never did, fewer.
fn varied(voices: &Voices<'_>, wanted: Wanted, mut choice: Choice, first: Chosen) -> Chosen {
    let entropies: Vec<f64> = voices.issued.iter().map(|own| entropy(own)).collect();
    choice.put(&first);
    choice.refit();
    let most = choice.strings.len().min(choice.lines);
    let different = wanted.different.clamp(1, most);
    let (mut worth, mut best) = (choice.worth(&entropies, wanted.apart), first);
    for is_more in [true, false] {
        let (mut different, mut has_won) = (different, false);
        for _ in 0..TRIES {
            let next = if is_more {
                ((different as f64 * STEP).ceil() as usize).min(most)
            } else {
                (different as f64 / STEP).floor() as usize
            };
            if next == different || next == 0 {
                break;
            }
            choice.different = next;
            let forced = choice.pass();
            let worth_now = choice.worth(&entropies, wanted.apart);
            if (forced, -worth_now) >= (best.forced, -worth) {
                break;
            }
            (worth, best) = (worth_now, choice.chosen(forced));
            (different, has_won) = (next, true);
        }
        if has_won {
            break;
        }
    }
    best
}

/// Chooses a record of so many lines; the choice goes with it, with totals and prices as they came out.
fn choose_lines(voices: &Voices<'_>, wanted: Wanted) -> (Chosen, Choice) {
    let mut choice = Choice::new(voices, wanted);
    let (mut best, mut before): (Option<(f64, Chosen)>, Vec<u32>) = (None, Vec::new());
    for _ in 0..PASSES {
        let forced = choice.pass();
        let score = choice.score();
        let is_better = best.as_ref().is_none_or(|(greatest, known)| (forced, -score) < (known.forced, -greatest));
        if is_better {
            best = Some((score, choice.chosen(forced)));
        }
        let is_settled = std::mem::replace(&mut before, choice.copies.clone()) == choice.copies;
        if voices.contents.is_empty() || is_settled {
            // Nothing was guessed, or the guesses are right.
            break;
        }
        choice.refit();
    }
    (best.map_or(Chosen { lines: Vec::new(), forced: 0 }, |(_, chosen)| chosen), choice)
}

/// The entropy of what somebody issued, in bits.
fn entropy(own: &[(u32, u64)]) -> f64 {
    let all: u64 = own.iter().map(|&(_, times)| times).sum();
    -own.iter().map(|&(_, times)| weighted_log(times as f64 / all as f64)).sum::<f64>()
}

/// Things of one space: words, concepts or strings.
struct Field {
    /// Thing `t` has the voices `voices[starts[t]..starts[t + 1]]`: the shares of the members that have it.
    starts: Vec<usize>,
    voices: Vec<f64>,
    /// Whose voice each is.
    members: Vec<u32>,
    /// Candidate `c` has the things `of_candidate[candidate_starts[c]..candidate_starts[c + 1]]`, each once, with how often.
    candidate_starts: Vec<usize>,
    of_candidate: Vec<(u32, u32)>,
    /// The level of each thing while none of it is chosen.
    alone: Vec<f64>,
    chosen: Vec<Taken>,
    total: f64,
    price: f64,
    /// What the divergence weighs beside that of other fields.
    weight: f64,
}

/// How often a thing was chosen, its level, and its level with one more.
#[derive(Debug, Clone, Copy, Default)]
struct Taken {
    times: u32,
    level: f64,
    next: f64,
}

impl Field {
    /// `things(c)` are those of candidate `c`; `members` has the things of each member, `per_line` how many a line has.
    fn new<'a>(
        members: &[Mix],
        candidates: usize,
        lines: usize,
        per_line: f64,
        things: impl Fn(usize) -> &'a [u32],
    ) -> Self {
        let (mut candidate_starts, mut of_candidate) = (vec![0], Vec::new());
        let mut own: Vec<u32> = Vec::new();
        for candidate in 0..candidates {
            own.clear();
            own.extend(things(candidate));
            own.sort_unstable();
            of_candidate.extend(own.chunk_by(|left, right| left == right).map(|same| (same[0], same.len() as u32)));
            candidate_starts.push(of_candidate.len());
        }
        // Things that no candidate has cannot be chosen, and get no number.
        let mut numbers: Vec<u32> = of_candidate.iter().map(|&(thing, _)| thing).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let number = |thing: &u32| numbers.binary_search(thing).ok().map(|number| number as u32);
        for (thing, _) in &mut of_candidate {
            *thing = number(thing).expect("every thing of a candidate has a number");
        }
        let mut all: Vec<(u32, u32, f64)> = Vec::new();
        for (member, own) in (0u32..).zip(members) {
            let total: u64 = own.iter().map(|&(_, times)| times).sum();
            let voice = |(thing, times): &(u32, u64)| Some((number(thing)?, member, *times as f64 / total as f64));
            all.extend(own.iter().filter_map(voice));
        }
        all.sort_unstable_by_key(|&(thing, member, _)| (thing, member));
        let mut starts = vec![0; numbers.len() + 1];
        all.iter().for_each(|&(thing, _, _)| starts[thing as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let (whose, voices) = all.into_iter().map(|(_, member, voice)| (member, voice)).unzip();
        let things = numbers.len();
        let mut field = Self {
            starts,
            voices,
            members: whose,
            candidate_starts,
            of_candidate,
            alone: Vec::new(),
            chosen: vec![Taken::default(); things],
            total: (per_line * lines as f64).max(1.0),
            price: 0.0,
            weight: 1.0,
        };
        // At first the record is taken to be the members' mean.
        let mean = |thing: usize| field.voices_of(thing).iter().sum::<f64>() / members.len() as f64;
        field.price = (0..things).map(|thing| field.drag(thing, mean(thing))).sum::<f64>() / field.total;
        field.alone = (0..things).map(|thing| field.level(thing, 0.0)).collect();
        field
    }

    fn voices_of(&self, thing: usize) -> &[f64] {
        &self.voices[self.starts[thing]..self.starts[thing + 1]]
    }

    fn of_candidate(&self, candidate: usize) -> &[(u32, u32)] {
        &self.of_candidate[self.candidate_starts[candidate]..self.candidate_starts[candidate + 1]]
    }

    /// How much members have in common with a thing of this share, but for what does not depend on the share.
    fn level(&self, thing: usize, share: f64) -> f64 {
        let voices = self.voices_of(thing);
        let together: f64 = voices.iter().map(|&voice| weighted_log(voice + share)).sum();
        together - voices.len() as f64 * weighted_log(share)
    }

    fn level_of(&self, thing: usize, times: u32) -> f64 {
        self.level(thing, f64::from(times) / self.total)
    }

    /// What a thing of this share loses when the record becomes longer, in shares.
    fn drag(&self, thing: usize, share: f64) -> f64 {
        if share <= 0.0 {
            return 0.0;
        }
        share * self.voices_of(thing).iter().map(|&voice| (1.0 + voice / share).log2()).sum::<f64>() / 2.0
    }

    /// By how much more of a thing lowers the divergences, at its price.
    fn worth(&self, thing: usize, more: u32) -> f64 {
        let Taken { times, level, next } = self.chosen[thing];
        let then = if more == 1 { next } else { self.level_of(thing, times + more) };
        (then - level) / 2.0 - f64::from(more) * self.price
    }

    fn clear(&mut self) {
        for thing in 0..self.chosen.len() {
            self.chosen[thing] = Taken { times: 0, level: self.alone[thing], next: self.level_of(thing, 1) };
        }
    }

    fn gain(&self, candidate: usize) -> f64 {
        self.of_candidate(candidate).iter().map(|&(thing, more)| self.worth(thing as usize, more)).sum()
    }

    fn take(&mut self, candidate: usize) {
        for at in self.candidate_starts[candidate]..self.candidate_starts[candidate + 1] {
            let (thing, more) = (self.of_candidate[at].0 as usize, self.of_candidate[at].1);
            let times = self.chosen[thing].times + more;
            let level = if more == 1 { self.chosen[thing].next } else { self.level_of(thing, times) };
            self.chosen[thing] = Taken { times, level, next: self.level_of(thing, times + 1) };
        }
    }

    fn chosen_total(&self) -> f64 {
        self.chosen.iter().map(|taken| f64::from(taken.times)).sum()
    }

    /// By how much what was chosen lowers the divergences, under its true total.
    fn score(&self) -> f64 {
        let total = self.chosen_total().max(1.0);
        let chosen = self.chosen.iter().enumerate().filter(|(_, taken)| taken.times > 0);
        chosen.map(|(thing, taken)| self.level(thing, f64::from(taken.times) / total) - self.alone[thing]).sum::<f64>()
            / 2.0
    }

    /// How much of their mixes so many members keep together: 1 - sqrt(JSD) each.
    fn kept(&self, members: usize) -> f64 {
        let total = self.chosen_total().max(1.0);
        let mut in_common = vec![0.0; members];
        for (thing, taken) in self.chosen.iter().enumerate().filter(|(_, taken)| taken.times > 0) {
            let share = f64::from(taken.times) / total;
            let own = self.starts[thing]..self.starts[thing + 1];
            for (&member, &voice) in self.members[own.clone()].iter().zip(&self.voices[own]) {
                in_common[member as usize] += common(voice, share);
            }
        }
        in_common.iter().map(|common| 1.0 - (1.0 - common / 2.0).max(0.0).sqrt()).sum()
    }

    /// Sets total and price from what was chosen.
    fn refit(&mut self) {
        let total = self.chosen_total();
        if total > 0.0 {
            self.total = total;
            let share = |thing: usize| f64::from(self.chosen[thing].times) / total;
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
    /// How many different strings are chosen, and how many should be.
    taken: usize,
    different: usize,
}

#[derive(Clone, Copy)]
struct Exposing {
    member: u32,
    share: f64,
    /// log2(1 / share) / H of the member; 0 for one without entropy.
    weight: f64,
}

impl Choice {
    fn new(voices: &Voices<'_>, Wanted { lines, different, cap, .. }: Wanted) -> Self {
        let issued = || voices.publishable.iter().flatten();
        let mut strings: Vec<u32> = issued().map(|&(string, _)| string).collect();
        strings.sort_unstable();
        let issuers: Vec<u32> = strings.chunk_by(|left, right| left == right).map(|same| same.len() as u32).collect();
        strings.dedup();
        let rows: u64 = issued().map(|&(_, times)| times).sum();
        let field = |Content { members, of_string, weight }: &Content<'_>| {
            let things: u64 = issued().map(|&(string, times)| of_string(string).len() as u64 * times).sum();
            let per_line = things as f64 / rows.max(1) as f64;
            let field = Field::new(members, strings.len(), lines, per_line, |candidate| of_string(strings[candidate]));
            Field { weight: *weight, ..field }
        };
        let mut fields: Vec<Field> = voices.contents.iter().map(field).collect();
        let itself = |candidate: usize| std::slice::from_ref(&strings[candidate]);
        let mut own = Field::new(&voices.publishable, strings.len(), lines, 1.0, itself);
        (own.total, own.price, own.weight) = (lines as f64, 0.0, voices.strings);
        fields.push(own);

        let mut all: Vec<(u32, Exposing)> = Vec::new();
        for (member, own) in (0u32..).zip(&voices.issued) {
            let issued: u64 = own.iter().map(|&(_, times)| times).sum();
            let share = |times: u64| times as f64 / issued as f64;
            let entropy: f64 = own.iter().map(|&(_, times)| -share(times) * share(times).log2()).sum();
            for (string, times) in own {
                let Ok(candidate) = strings.binary_search(string) else { continue };
                let share = share(*times);
                let weight = if entropy > 0.0 { -share.log2() / entropy } else { 0.0 };
                all.push((candidate as u32, Exposing { member, share, weight }));
            }
        }
        all.sort_by_key(|&(candidate, exposing)| (candidate, exposing.member));
        let mut exposing_starts = vec![0; strings.len() + 1];
        all.iter().for_each(|&(candidate, _)| exposing_starts[candidate as usize + 1] += 1);
        for at in 1..exposing_starts.len() {
            exposing_starts[at] += exposing_starts[at - 1];
        }
        Self {
            lines,
            cap,
            issuers,
            fields,
            exposing_starts,
            exposing: all.into_iter().map(|(_, exposing)| exposing).collect(),
            exposed: vec![0.0; voices.issued.len()],
            copies: vec![0; strings.len()],
            taken: 0,
            different,
            strings,
        }
    }

    /// Chooses all lines with the totals and prices as they are. Gives how many had to expose somebody above the cap.
    fn pass(&mut self) -> usize {
        self.clear();
        let mut new: BinaryHeap<Offer> = (0..self.strings.len()).map(|candidate| self.offer(candidate)).collect();
        let (mut again, mut forced) = (BinaryHeap::new(), 0);
        for _ in 0..self.lines {
            let (copy, other) = (self.best(&mut again), self.best(&mut new));
            let is_copy = match (&copy, &other) {
                (Some(copy), Some(other)) => self.is_full() || copy > other,
                _ => copy.is_some(),
            };
            let best = if is_copy { again.pop() } else { new.pop() };
            // Whatever is left would expose somebody too much: take what exposes least.
            let Some(candidate) = best.map(|offer| offer.candidate).or_else(|| self.least_exposing()) else { break };
            forced += usize::from(best.is_none());
            self.take(candidate);
            again.push(self.offer(candidate));
        }
        forced
    }

    /// The greatest offer that exposes nobody too much, which is then on top; others before it are brought up to date.
    fn best(&self, offers: &mut BinaryHeap<Offer>) -> Option<Offer> {
        loop {
            let mut top = offers.peek_mut()?;
            if !self.is_allowed(top.candidate) {
                PeekMut::pop(top);
                continue;
            }
            let now = self.offer(top.candidate);
            if now == *top {
                return Some(now);
            }
            // It falls to its place when this goes.
            *top = now;
        }
    }

    /// Whether there are as many different strings as there should be.
    fn is_full(&self) -> bool {
        self.taken >= self.different
    }

    fn clear(&mut self) {
        self.fields.iter_mut().for_each(Field::clear);
        self.exposed.fill(0.0);
        self.copies.fill(0);
        self.taken = 0;
    }

    fn offer(&self, candidate: usize) -> Offer {
        let gain = self.fields.iter().map(|field| field.weight * field.gain(candidate)).sum();
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
        self.taken += usize::from(self.copies[candidate] == 0);
        self.copies[candidate] += 1;
        self.fields.iter_mut().for_each(|field| field.take(candidate));
    }

    /// Takes the lines of a record.
    fn put(&mut self, chosen: &Chosen) {
        self.clear();
        for &(string, copies) in &chosen.lines {
            let candidate = self.strings.binary_search(&string).expect("a record is made of candidates");
            (0..copies).for_each(|_| self.take(candidate));
        }
    }

    /// What the record is worth to the members, of whom the entropies are given.
    fn worth(&self, entropies: &[f64], apart: f64) -> f64 {
        let contents = &self.fields[..self.fields.len() - 1];
        let kept: f64 = contents.iter().map(|field| field.weight * field.kept(entropies.len())).sum();
        let lines: u32 = self.copies.iter().sum();
        let own = -self.copies.iter().map(|&copies| weighted_log(f64::from(copies) / f64::from(lines))).sum::<f64>();
        let off = |entropy: &f64| if *entropy > 0.0 { (entropy - own).abs() / entropy } else { 0.0 };
        kept - apart * entropies.iter().map(off).sum::<f64>()
    }

    fn score(&self) -> f64 {
        self.fields.iter().map(|field| field.weight * field.score()).sum()
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
    use crate::concepts::mixes::mix_of;

    /// The exposure of a member by a record, as Navarro-Arribas et al. 2012 have it.
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

    fn things(own: &Mix, of_string: &dyn Fn(u32) -> &'static [u32]) -> Mix {
        let all = own.iter().flat_map(|&(string, times)| of_string(string).repeat(times as usize));
        mix_of(all.collect())
    }

    fn voices(members: Vec<Mix>) -> Voices<'static> {
        let content = |weight: f64, of_string: &'static (dyn Fn(u32) -> &'static [u32] + Sync)| Content {
            members: members.iter().map(|own| things(own, of_string)).collect(),
            of_string,
            weight,
        };
        Voices {
            publishable: members.clone(),
            issued: members.clone(),
            contents: vec![content(2.0, &words), content(1.0, &concepts)],
            strings: 1.0,
        }
    }

    fn wanted(lines: usize, cap: f64) -> Wanted {
        Wanted { lines, longest: lines, different: usize::MAX, apart: 0.0, cap }
    }

    /// What a record is worth, step by step as the formula has it: words weigh 2, concepts 1.
    fn worth(members: &[Mix], chosen: &Chosen, apart: f64) -> f64 {
        let record: Mix = chosen.lines.iter().map(|&(string, copies)| (string, u64::from(copies))).collect();
        let share = |mix: &Mix, thing: u32| {
            let times = mix.iter().find(|own| own.0 == thing).map_or(0, |own| own.1);
            times as f64 / mix.iter().map(|own| own.1).sum::<u64>().max(1) as f64
        };
        let kept = |own: &Mix, other: &Mix| {
            if own.is_empty() || other.is_empty() {
                return 0.0;
            }
            let to_middle = |from: &Mix| -> f64 {
                let part = |&(thing, _): &(u32, u64)| {
                    let middle = (share(own, thing) + share(other, thing)) / 2.0;
                    share(from, thing) * (share(from, thing) / middle).log2()
                };
                from.iter().map(part).sum()
            };
            1.0 - ((to_middle(own) + to_middle(other)) / 2.0).max(0.0).sqrt()
        };
        let of_member = |own: &Mix| {
            let both: f64 = [(2.0, &words as &dyn Fn(u32) -> &'static [u32]), (1.0, &concepts)]
                .map(|(weight, of_string)| weight * kept(&things(own, of_string), &things(&record, of_string)))
                .iter()
                .sum();
            let [before, after] = [own, &record].map(|mix| entropy(mix));
            both - if before > 0.0 { apart * (before - after).abs() / before } else { 0.0 }
        };
        members.iter().map(of_member).sum()
    }

    /// The same pass, looking at every candidate at every step.
    fn slow_pass(choice: &mut Choice) -> usize {
        choice.clear();
        let mut forced = 0;
        for _ in 0..choice.lines {
            let is_allowed = |&candidate: &usize| choice.is_allowed(candidate);
            let is_there = |&candidate: &usize| choice.copies[candidate] > 0;
            let best = |some: &dyn Fn(&usize) -> bool| {
                let allowed = (0..choice.strings.len()).filter(is_allowed).filter(some);
                allowed.map(|candidate| choice.offer(candidate)).max()
            };
            let copy =
                best(&is_there).filter(|_| (0..choice.strings.len()).filter(is_there).count() >= choice.different);
            let best = copy.or_else(|| best(&|_| true));
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
        assert_eq!(choose(&voices(members.clone()), wanted(1, 1.0)).lines, [(0, 1)]);
        // Half of each is exposed by it, which a cap of a third forbids, and any other choice too.
        let capped = choose(&voices(members), wanted(1, 1.0 / 3.0));
        assert_eq!(capped.forced, 1);
    }

    #[test]
    fn the_cap_by_hand() {
        // Four strings each, all different, a record of four lines: one line a person exposes a quarter.
        let member = |first: u32| (first..first + 4).map(|string| (string, 1)).collect::<Vec<_>>();
        let members: Vec<_> = [0, 4, 8, 12].map(member).to_vec();
        let chosen = choose(&voices(members.clone()), wanted(4, 0.25));
        assert_eq!(chosen.forced, 0);
        for own in &members {
            assert!(exposure(own, &chosen).unwrap() <= 0.25 + 1e-12);
        }
    }

    #[test]
    fn a_record_that_is_too_short_becomes_longer() {
        // Two strings each, all different: one of n lines exposes 1/n, so that it takes four lines to expose nobody above a quarter.
        let members: Vec<_> = [0, 4, 8, 12].map(|first: u32| vec![(first, 1), (first + 1, 1)]).to_vec();
        let chosen = |longest: usize| choose(&voices(members.clone()), Wanted { longest, ..wanted(2, 0.25) });
        assert_eq!(chosen(2).forced, 1);
        let longer = chosen(6);
        assert_eq!((longer.forced, longer.lines.iter().map(|line| line.1).sum::<u32>()), (0, 4));
        // Where no length that is allowed helps, the shortest with the fewest such lines stays.
        assert_eq!(chosen(3), chosen(2));
    }

    #[test]
    fn as_varied_as_members() {
        // Both have one string twice and one once; four lines would be all different, but members have two different ones each.
        let members = vec![vec![(0, 2), (1, 1)], vec![(2, 2), (3, 1)]];
        let different =
            |most: usize| choose(&voices(members.clone()), Wanted { different: most, ..wanted(4, 1.0) }).lines.len();
        assert_eq!((different(2), different(3)), (2, 3));
        // Of a person with shares 1/2, 1/6, 1/6, 1/6 one of four lines with the first string exposes 14 %, two 28 %: with a cap of
        // 20 % everybody's first string has to come in, though one string would be varied enough.
        let member = |first: u32| vec![(first, 3), (first + 1, 1), (first + 2, 1), (first + 3, 1)];
        let members = [0, 7, 14, 21].map(member).to_vec();
        let capped = choose(&voices(members), Wanted { different: 1, ..wanted(4, 0.2) });
        assert_eq!(capped, Chosen { lines: vec![(0, 1), (7, 1), (14, 1), (21, 1)], forced: 0 });
    }

    #[test]
    fn as_many_different_ones_as_pay() {
        // Nobody shares anything, and everybody has four strings, which is two bits. If being apart costs much, a record of eight lines
        // has four different ones, or what lies next to it where one begins to look elsewhere; from one on, more pay.
        let members: Vec<_> =
            [0, 4, 8, 12].map(|first| (first..first + 4).map(|string| (string, 1)).collect()).to_vec();
        let different = |different: usize, apart: f64| {
            let chosen = choose(&voices(members.clone()), Wanted { different, apart, ..wanted(8, 1.0) });
            assert_eq!(chosen.lines.iter().map(|line| line.1).sum::<u32>(), 8);
            chosen.lines.len()
        };
        assert_eq!((different(4, 100.0), different(6, 100.0)), (4, 4));
        assert_eq!(different(3, 100.0), 5);
        assert!(different(1, 1e-9) > different(1, 0.0));
        // Not asked to look, it takes what it was told.
        assert_eq!(different(6, 0.0), 6);
    }

    #[test]
    fn nothing_to_choose_from() {
        assert_eq!(
            choose(&voices(vec![Vec::new(), Vec::new()]), wanted(3, 0.5)),
            Chosen { lines: Vec::new(), forced: 0 }
        );
    }

    fn members() -> impl Strategy<Value = Vec<Mix>> {
        let member = prop::collection::btree_map(0..30u32, 1..6u64, 1..12);
        prop::collection::vec(member.prop_map(|own| own.into_iter().collect()), 2..6)
    }

    proptest! {
        #[test]
        fn lazy_is_greedy_and_the_cap_holds(members in members(), lines in 1..20usize, different in 1..20usize) {
            let voices = voices(members.clone());
            let cap = 1.0 / members.len() as f64;
            let wanted = Wanted { lines, longest: lines, different, apart: 0.0, cap };
            let (mut lazy, mut slow) = (Choice::new(&voices, wanted), Choice::new(&voices, wanted));
            for _ in 0..PASSES {
                let forced = [lazy.pass(), slow_pass(&mut slow)];
                prop_assert_eq!(lazy.chosen(forced[0]), slow.chosen(forced[1]));
                lazy.refit();
                slow.refit();
            }
            let told = choose(&voices, wanted);
            let varied = choose(&voices, Wanted { apart: 0.3, ..wanted });
            prop_assert!(varied.forced <= told.forced);
            for chosen in [&told, &varied] {
                prop_assert_eq!(chosen.lines.iter().map(|line| line.1 as usize).sum::<usize>(), lines);
                if chosen.forced == 0 {
                    for own in &members {
                        prop_assert!(exposure(own, chosen).is_none_or(|exposed| exposed <= cap + 1e-9));
                    }
                }
            }
            // Looking for more or fewer never makes it worth less, by the plain formula.
            if varied.forced == told.forced {
                prop_assert!(worth(&members, &varied, 0.3) >= worth(&members, &told, 0.3) - 1e-9);
            }
        }
    }
}
