//! The edit distance of texts of two holders, the table held in additive shares.
//!
//! Papers     Atallah, Kerschbaum, Du. Secure and Private Sequence Comparisons. WPES 2003 (reference 41 of Christen 2008): the table in shares.
//!            Ishai, Kushilevitz, Meldgaard, Orlandi, Paskin-Cherniavsky. On the Power of Correlated Randomness in Secure Computation. TCC 2013:
//!            one-time truth tables of a dealer, here in the place of the paper's encrypted blinding and permuting.
//!
//! # Idea
//! All modulo 256. 1. A character is its 21 bits; in how many two differ is a scalar product, which both get shares of as in
//!    [`product`](super::product). 2. Whether that is 0: an index below 32 is opened under a mask that neither knows, and both look their shares of the answer
//!    up in tables that the dealer turned by that mask. 3. Neighbours in the table differ by −1, 0 or 1, so what a cell adds to the one diagonally before it
//!    depends on 18 cases: looked up in the same way, a whole diagonal of all pairs at once. 4. The distance is the sum of the differences along the border.
//!
//! # Formula
//! M(i, j) = M(i−1, j−1) + min(cost, 1 + h, 1 + v) with h = M(i−1, j) − M(i−1, j−1), v = M(i, j−1) − M(i−1, j−1); the index is cost + 2(h + 1) + 6(v + 1).
//!
//! # Cost
//! For each cell of each pair 65 bytes from the dealer and two from each side; about as many messages as the two longest texts have characters.
//!
//! Does not   hide the lengths of the texts, from the other holder and from the dealer.

use super::product::KEY;
use crate::rng::Rng;

/// The longest text, in characters: distances are below 256.
pub const MOST_CHARACTERS: usize = 255;

/// How many cells of all tables together are taken.
pub const MOST_CELLS: u64 = 1 << 24;

/// How many bits a character has.
const BITS: usize = 21;

/// How many entries a table for a cell has.
const CASES: usize = 32;

/// How many entries a table for a distance has.
const DISTANCES: usize = 256;

/// What the dealer sends bob for each cell: a share of a product, and two tables.
const OF_CELL: usize = 1 + 2 * CASES;

/// The lengths of the texts of both holders, and whether only distances up to a limit are told apart from larger ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// The lengths of alice's texts and of bob's.
    pub lengths: [Vec<u8>; 2],
    /// Whether only "at most so many edits" is learned.
    pub at_most: Option<u8>,
}

impl Shape {
    /// How many pairs there are.
    pub fn pairs(&self) -> usize {
        self.lengths[0].len() * self.lengths[1].len()
    }

    /// How many cells the tables of all pairs have.
    pub fn cells(&self) -> u64 {
        let characters = |side: &[u8]| side.iter().map(|&length| u64::from(length)).sum::<u64>();
        characters(&self.lengths[0]) * characters(&self.lengths[1])
    }

    /// How many bytes the dealer sends bob.
    pub fn dealt(&self) -> usize {
        self.cells() as usize * OF_CELL + if self.at_most.is_some() { self.pairs() * DISTANCES } else { 0 }
    }

    /// How many openings there are: one for characters, one for each diagonal, one for the limit.
    pub fn openings(&self) -> usize {
        1 + self.diagonals() + usize::from(self.at_most.is_some())
    }

    /// How many numbers are opened each time.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; 1 + self.diagonals()];
        sizes[0] = self.cells() as usize;
        for (_, _, [length, width]) in self.each_pair() {
            for diagonal in 0..length + width - 1 {
                let from = (diagonal + 1).saturating_sub(width);
                sizes[1 + diagonal] += length.min(diagonal + 1) - from;
            }
        }
        sizes.extend(self.at_most.map(|_| self.pairs()));
        sizes
    }

    /// How many diagonals the largest table has.
    fn diagonals(&self) -> usize {
        let [one, other] = [0, 1].map(|side: usize| self.lengths[side].iter().copied().max().map_or(0, usize::from));
        if self.pairs() == 0 { 0 } else { one + other - 1 }
    }

    /// The pairs with their lengths and their first cells, alice's texts in order, for each bob's in order.
    fn each_pair(&self) -> impl Iterator<Item = (usize, [usize; 2], [usize; 2])> + '_ {
        let [one, other] = &self.lengths;
        let mut next = 0;
        let pairs = one
            .iter()
            .enumerate()
            .flat_map(|(a, &length)| other.iter().enumerate().map(move |(b, &width)| (a, b, length, width)));
        pairs.map(move |(a, b, length, width)| {
            let first = next;
            next += usize::from(length) * usize::from(width);
            (first, [a, b], [usize::from(length), usize::from(width)])
        })
    }
}

/// 1 unless two characters are equal, from the number of bits in which they differ.
fn differs(bits: usize) -> u8 {
    u8::from(bits != 0)
}

/// What a cell adds to the one diagonally before it.
fn step(case: usize) -> u8 {
    let (cost, above, left) = (case % 2, case / 2 % 3, case / 6);
    if case < 18 { cost.min(above).min(left) as u8 } else { 0 }
}

/// Random numbers of a holder that the dealer draws with it: for characters, and for cells.
struct Drawn {
    masks: Vec<u8>,
    cells: Rng,
}

impl Drawn {
    fn of(key: &[u8; KEY], lengths: &[u8]) -> Self {
        let mut cells = Rng::of_key(key);
        let mut masks = vec![0; lengths.iter().map(|&length| usize::from(length)).sum::<usize>() * BITS];
        cells.fill(&mut masks);
        Self { masks, cells }
    }
}

/// Where the characters of each text begin.
fn starts(lengths: &[u8]) -> Vec<usize> {
    lengths.iter().scan(0, |next, &length| Some(std::mem::replace(next, *next + usize::from(length)))).collect()
}

fn dot(one: &[u8], other: &[u8]) -> u8 {
    one.iter().zip(other).fold(0u8, |sum, (one, other)| sum.wrapping_add(one.wrapping_mul(*other)))
}

/// The dealer's work: what bob is sent beside his key.
pub fn deal(alice: &[u8; KEY], bob: &[u8; KEY], shape: &Shape) -> Vec<u8> {
    let (mut alice, mut bob) = (Drawn::of(alice, &shape.lengths[0]), Drawn::of(bob, &shape.lengths[1]));
    let starts = [starts(&shape.lengths[0]), starts(&shape.lengths[1])];
    let mut dealt = Vec::with_capacity(shape.dealt());
    let turned = |function: &dyn Fn(usize) -> u8, mask: usize, table: &[u8], out: &mut Vec<u8>| {
        let entries = table.len();
        out.extend(
            table
                .iter()
                .enumerate()
                .map(|(opened, &share)| function((opened + entries - mask % entries) % entries).wrapping_sub(share)),
        );
    };
    for (_, [a, b], [length, width]) in shape.each_pair() {
        for i in 0..length {
            let one = &alice.masks[(starts[0][a] + i) * BITS..][..BITS];
            for j in 0..width {
                let other = &bob.masks[(starts[1][b] + j) * BITS..][..BITS];
                let (mut own, mut his) = ([0; OF_CELL + 2], [0; 2]);
                alice.cells.fill(&mut own);
                bob.cells.fill(&mut his);
                let cell = CellShare::of(&own);
                dealt.push(dot(one, other).wrapping_sub(cell.product));
                turned(&differs, usize::from(cell.masks[0].wrapping_add(his[0])), cell.tables[0], &mut dealt);
                turned(&step, usize::from(cell.masks[1].wrapping_add(his[1])), cell.tables[1], &mut dealt);
            }
        }
    }
    if let Some(most) = shape.at_most {
        for _ in 0..shape.pairs() {
            let (mut own, mut his) = ([0; DISTANCES + 1], [0; 1]);
            alice.cells.fill(&mut own);
            bob.cells.fill(&mut his);
            let is_near = |distance: usize| u8::from(distance <= usize::from(most));
            turned(&is_near, usize::from(own[0].wrapping_add(his[0])), &own[1..], &mut dealt);
        }
    }
    dealt
}

/// What alice draws for a cell: a share of the product, two masks and two tables.
struct CellShare<'a> {
    product: u8,
    masks: [u8; 2],
    tables: [&'a [u8]; 2],
}

impl<'a> CellShare<'a> {
    fn of(drawn: &'a [u8; OF_CELL + 2]) -> Self {
        let (first, second) = drawn[3..].split_at(CASES);
        Self { product: drawn[0], masks: [drawn[1], drawn[2]], tables: [first, second] }
    }
}

/// Which of the two a holder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Alice: constants are hers.
    Alice,
    /// Bob.
    Bob,
}

/// A holder in the middle of the protocol: its shares of all tables.
pub struct Holder {
    side: Side,
    shape: Shape,
    /// The bits of own characters, and their masks.
    bits: Vec<u8>,
    masks: Vec<u8>,
    products: Vec<u8>,
    /// The masks of both openings of a cell, and its tables.
    cell_masks: [Vec<u8>; 2],
    cell_tables: [Vec<u8>; 2],
    pair_masks: Vec<u8>,
    pair_tables: Vec<u8>,
    /// Shares of what is opened next: differing bits, then costs, of each cell.
    cells: Vec<u8>,
    /// Shares of the differences along the front of each pair: horizontal by column, vertical by row.
    fronts: Vec<[Vec<u8>; 2]>,
    opened: usize,
    /// Shares of the distances, or of whether they are small.
    results: Vec<u8>,
}

impl std::fmt::Debug for Holder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Holder({:?}, {} openings done)", self.side, self.opened)
    }
}

impl Holder {
    /// A holder with its texts and what the dealer gave it: a key, and for bob what was worked out with it.
    pub fn new(side: Side, texts: &[Vec<char>], shape: Shape, key: &[u8; KEY], dealt: &[u8]) -> Self {
        let bit = |letter: &char| {
            let number = *letter as u32;
            (0..BITS).map(move |bit| (number >> bit & 1) as u8)
        };
        let mut drawn = Drawn::of(key, &shape.lengths[usize::from(side == Side::Bob)]);
        let cells = shape.cells() as usize;
        let mut holder = Self {
            side,
            bits: texts.iter().flatten().flat_map(bit).collect(),
            masks: std::mem::take(&mut drawn.masks),
            products: Vec::with_capacity(cells),
            cell_masks: [Vec::with_capacity(cells), Vec::with_capacity(cells)],
            cell_tables: [Vec::with_capacity(cells * CASES), Vec::with_capacity(cells * CASES)],
            pair_masks: Vec::new(),
            pair_tables: Vec::new(),
            cells: Vec::new(),
            fronts: Vec::new(),
            opened: 0,
            results: Vec::new(),
            shape,
        };
        holder.take_help(&mut drawn.cells, dealt, cells);
        let one = u8::from(side == Side::Alice);
        holder.fronts =
            holder.shape.each_pair().map(|(_, _, [length, width])| [vec![one; width], vec![one; length]]).collect();
        holder
    }

    fn take_help(&mut self, rng: &mut Rng, dealt: &[u8], cells: usize) {
        for cell in 0..cells {
            let mut own = [0; OF_CELL + 2];
            match self.side {
                Side::Alice => rng.fill(&mut own),
                Side::Bob => {
                    rng.fill(&mut own[1..3]);
                    let given = &dealt[cell * OF_CELL..][..OF_CELL];
                    own[0] = given[0];
                    own[3..].copy_from_slice(&given[1..]);
                }
            }
            let share = CellShare::of(&own);
            self.products.push(share.product);
            for which in 0..2 {
                self.cell_masks[which].push(share.masks[which]);
                self.cell_tables[which].extend_from_slice(share.tables[which]);
            }
        }
        let pairs = if self.shape.at_most.is_some() { self.shape.pairs() } else { 0 };
        for pair in 0..pairs {
            let mut own = [0; DISTANCES + 1];
            match self.side {
                Side::Alice => rng.fill(&mut own),
                Side::Bob => {
                    rng.fill(&mut own[..1]);
                    own[1..].copy_from_slice(&dealt[cells * OF_CELL + pair * DISTANCES..][..DISTANCES]);
                }
            }
            self.pair_masks.push(own[0]);
            self.pair_tables.extend_from_slice(&own[1..]);
        }
    }

    /// The own characters under their masks, 21 bytes each: what is sent first.
    pub fn masked(&self) -> Vec<u8> {
        self.bits.iter().zip(&self.masks).map(|(bit, mask)| bit.wrapping_sub(*mask)).collect()
    }

    /// How many bytes the other's masked characters have.
    pub fn expected(&self) -> usize {
        let other = &self.shape.lengths[usize::from(self.side == Side::Alice)];
        other.iter().map(|&length| usize::from(length)).sum::<usize>() * BITS
    }

    /// Takes the other's masked characters: now there is a share of how many bits differ in each cell.
    pub fn take(&mut self, other: &[u8]) {
        let starts = [starts(&self.shape.lengths[0]), starts(&self.shape.lengths[1])];
        let ones = |bits: &[u8]| bits.iter().fold(0u8, |sum, bit| sum.wrapping_add(*bit));
        let mut shares = Vec::with_capacity(self.products.len());
        for (first, [a, b], [length, width]) in self.shape.each_pair() {
            for i in 0..length {
                for j in 0..width {
                    let (one, two) = ((starts[0][a] + i) * BITS, (starts[1][b] + j) * BITS);
                    let (product, own) = match self.side {
                        Side::Alice => {
                            (dot(&self.bits[one..][..BITS], &other[two..][..BITS]), &self.bits[one..][..BITS])
                        }
                        Side::Bob => {
                            (dot(&other[one..][..BITS], &self.masks[two..][..BITS]), &self.bits[two..][..BITS])
                        }
                    };
                    let product = product.wrapping_add(self.products[first + i * width + j]);
                    shares.push(ones(own).wrapping_sub(product.wrapping_mul(2)));
                }
            }
        }
        self.cells = shares;
    }

    /// The cells that are opened next, with the pair of each and its place there.
    fn diagonal(&self, diagonal: usize) -> Vec<(usize, usize, usize, usize)> {
        let mut cells = Vec::new();
        for (pair, (first, _, [length, width])) in self.shape.each_pair().enumerate() {
            let from = (diagonal + 1).saturating_sub(width);
            cells.extend(
                (from..length.min(diagonal + 1)).map(|i| (pair, i, diagonal - i, first + i * width + diagonal - i)),
            );
        }
        cells
    }

    /// This holder's share of what is opened next.
    pub fn share(&self) -> Vec<u8> {
        let constant = u8::from(self.side == Side::Alice);
        if self.opened == 0 {
            let masked = |(share, mask): (&u8, &u8)| share.wrapping_add(*mask) % CASES as u8;
            return self.cells.iter().zip(&self.cell_masks[0]).map(masked).collect();
        }
        if self.opened <= self.shape.diagonals() {
            let index = |(pair, i, j, cell): (usize, usize, usize, usize)| {
                let [above, left] = [self.fronts[pair][0][j], self.fronts[pair][1][i]];
                let index = self.cells[cell]
                    .wrapping_add(above.wrapping_add(constant).wrapping_mul(2))
                    .wrapping_add(left.wrapping_add(constant).wrapping_mul(6));
                index.wrapping_add(self.cell_masks[1][cell]) % CASES as u8
            };
            return self.diagonal(self.opened - 1).into_iter().map(index).collect();
        }
        self.distances().iter().zip(&self.pair_masks).map(|(share, mask)| share.wrapping_add(*mask)).collect()
    }

    /// Takes the other's share of what is opened, and goes on to the next.
    pub fn open(&mut self, own: &[u8], other: &[u8]) {
        let opened = |at: usize| usize::from(own[at].wrapping_add(other[at]));
        let looked_up = |tables: &[u8], cell: usize, at: usize| tables[cell * CASES + opened(at) % CASES];
        if self.opened == 0 {
            self.cells = (0..self.cells.len()).map(|cell| looked_up(&self.cell_tables[0], cell, cell)).collect();
        } else if self.opened <= self.shape.diagonals() {
            for (at, (pair, i, j, cell)) in self.diagonal(self.opened - 1).into_iter().enumerate() {
                let added = looked_up(&self.cell_tables[1], cell, at);
                let [above, left] = &mut self.fronts[pair];
                let (over, before) = (above[j], left[i]);
                above[j] = added.wrapping_sub(before);
                left[i] = added.wrapping_sub(over);
            }
        } else {
            self.results =
                (0..self.shape.pairs()).map(|pair| self.pair_tables[pair * DISTANCES + opened(pair)]).collect();
        }
        self.opened += 1;
        if self.opened == self.shape.openings() && self.shape.at_most.is_none() {
            self.results = self.distances();
        }
    }

    /// Shares of the distances: the width, and the differences down the last column.
    fn distances(&self) -> Vec<u8> {
        let constant = |width: usize| if self.side == Side::Alice { width as u8 } else { 0 };
        let down = |front: &[Vec<u8>; 2]| {
            front[1].iter().fold(constant(front[0].len()), |sum, difference| sum.wrapping_add(*difference))
        };
        self.fronts.iter().map(down).collect()
    }

    /// How many openings are done.
    pub fn opened(&self) -> usize {
        self.opened
    }

    /// This holder's share of the results, when all is opened: distances, or 1 for at most so many edits; alice's texts in order, for each
    /// bob's.
    pub fn results(&self) -> &[u8] {
        &self.results
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rng::Rng;

    fn letters(texts: &[&str]) -> Vec<Vec<char>> {
        texts.iter().map(|text| text.chars().collect()).collect()
    }

    fn lengths(texts: &[Vec<char>]) -> Vec<u8> {
        texts.iter().map(|text| text.len() as u8).collect()
    }

    /// Both holders run side by side; also all that was sent.
    fn run(alice: &[Vec<char>], bob: &[Vec<char>], at_most: Option<u8>, seed: u64) -> (Vec<u8>, Vec<u8>) {
        let mut rng = Rng::seeded(seed);
        let mut keys = [[0; KEY]; 2];
        keys.iter_mut().for_each(|key| rng.fill(key));
        let shape = Shape { lengths: [lengths(alice), lengths(bob)], at_most };
        let dealt = deal(&keys[0], &keys[1], &shape);
        assert_eq!(dealt.len(), shape.dealt());
        let mut one = Holder::new(Side::Alice, alice, shape.clone(), &keys[0], &[]);
        let mut two = Holder::new(Side::Bob, bob, shape.clone(), &keys[1], &dealt);
        let mut sent = Vec::new();
        let (masked, other) = (one.masked(), two.masked());
        assert_eq!((one.expected(), two.expected()), (other.len(), masked.len()));
        one.take(&other);
        two.take(&masked);
        for size in shape.sizes() {
            let (own, his) = (one.share(), two.share());
            assert_eq!(own.len(), size);
            one.open(&own, &his);
            two.open(&his, &own);
            sent.extend(own.iter().zip(&his).map(|(own, his)| own.wrapping_add(*his)));
        }
        let results = one.results().iter().zip(two.results()).map(|(one, two)| one.wrapping_add(*two)).collect();
        (results, sent)
    }

    /// The whole table, as printed in every book.
    fn plain(one: &[char], other: &[char]) -> u8 {
        let mut table = vec![vec![0usize; other.len() + 1]; one.len() + 1];
        for i in 0..=one.len() {
            for j in 0..=other.len() {
                table[i][j] = match (i, j) {
                    (0, _) => j,
                    (_, 0) => i,
                    _ => (table[i - 1][j - 1] + usize::from(one[i - 1] != other[j - 1]))
                        .min(table[i - 1][j] + 1)
                        .min(table[i][j - 1] + 1),
                };
            }
        }
        table[one.len()][other.len()] as u8
    }

    #[test]
    fn distances_are_the_plain_ones() {
        let (alice, bob) =
            (letters(&["kitten", "smith", "a", "žižka"]), letters(&["sitting", "smyth", "žizka", "🙂b"]));
        let (found, _) = run(&alice, &bob, None, 1);
        let expected: Vec<u8> = alice.iter().flat_map(|a| bob.iter().map(|b| plain(a, b))).collect();
        assert_eq!(found, expected);
        assert_eq!(found[0], 3);
        let (near, _) = run(&alice, &bob, Some(2), 2);
        assert_eq!(near, expected.iter().map(|&distance| u8::from(distance <= 2)).collect::<Vec<_>>());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn any_texts(alice in prop::collection::vec("[ab\u{e9}]{1,7}", 1..4), bob in prop::collection::vec("[ab\u{10ffff}]{1,7}", 1..4), seed: u64) {
            let texts = |texts: &[String]| texts.iter().map(|text| text.chars().collect::<Vec<char>>()).collect::<Vec<_>>();
            let (alice, bob) = (texts(&alice), texts(&bob));
            let (found, _) = run(&alice, &bob, None, seed);
            let expected: Vec<u8> = alice.iter().flat_map(|a| bob.iter().map(|b| plain(a, b))).collect();
            prop_assert_eq!(found, expected);
        }
    }

    /// What is opened is as likely to be any of 32 numbers, whether all texts are equal or all differ.
    #[test]
    fn what_is_opened_is_uniform() {
        for bob in [letters(&["aaaaaaaa"; 20]), letters(&["bcdefghi"; 20])] {
            let (_, opened) = run(&letters(&["aaaaaaaa"; 20]), &bob, None, 7);
            let mut counts = [0u32; 32];
            opened.iter().for_each(|&number| counts[usize::from(number % 32)] += 1);
            let expected = opened.len() as f64 / 32.0;
            let chi: f64 = counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
            // 31 degrees of freedom: the chance to be above 69 is one in ten thousand.
            assert!(chi < 69.0, "{chi}");
        }
    }

    /// Very long texts: distances up to 255.
    #[test]
    fn long_texts() {
        let (one, two) = (vec![vec!['a'; 120]], vec![vec!['b'; 130]]);
        assert_eq!(run(&one, &two, None, 3).0, [130]);
    }
}
