//! Taxonomies made up over items that have none: groups of neighbours in natural order, or intervals of numbers.
//!
//! # Idea
//! 1. Items are put into natural order: numbers by value, `item2` before `item10`.
//! 2. [`balanced`] cuts them into groups of at most `fanout` neighbours, those into groups again, and so on up to the root.
//!    Groups of a level differ by at most one in size. [`intervals`] cuts the line of numbers into pieces of one width that
//!    begin at its multiples, `fanout` of those into a wider one, and so on.
//! 3. A group is called by its ends, `apple..banana`, the root `all`. No group has a blank in its name unless an item has, and
//!    none has the name of an item: where it would, `#2` follows.
//!
//! # Cost
//! Time O(n log n), memory O(n), for n items.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;

use super::{ROOT, Taxonomy};
use crate::data::Interner;
use crate::error::{Error, Result};

/// A tree in which every item has at most `fanout` - 1 siblings, its leaves the items in natural order.
pub fn balanced<'a>(items: impl IntoIterator<Item = &'a str>, fanout: usize) -> Result<Taxonomy> {
    check_fanout(fanout)?;
    let items = in_natural_order(items)?;
    let mut level: Vec<Group> = (0..items.len()).map(Group::item).collect();
    while level.len() > fanout {
        let groups = level.len().div_ceil(fanout);
        let (size, larger) = (level.len() / groups, level.len() % groups);
        let mut rest = level.into_iter();
        level = (0..groups)
            .map(|group| Group::above(rest.by_ref().take(size + usize::from(group < larger)).collect()))
            .collect();
    }
    Ok(Group::above(level).into_taxonomy(&items, |under| between(&items, under)))
}

/// A tree of intervals over numbers: the lowest are `width` wide, and at most `fanout` of them make the next.
pub fn intervals<'a>(items: impl IntoIterator<Item = &'a str>, width: f64, fanout: usize) -> Result<Taxonomy> {
    check_fanout(fanout)?;
    if !(width.is_finite() && width > 0.0) {
        return Err(Error::parameter("width", format!("is {width}, but must be above 0")));
    }
    let items = in_natural_order(items)?;
    let Some(values) = items.iter().map(|item| number(item)).collect::<Option<Vec<f64>>>() else {
        return Err(Error::data("an item is no number, so there are no intervals")
            .with_value(items.iter().find(|item| number(item).is_none()).copied().unwrap_or_default())
            .with_hint("leave `--width` out: items are then grouped by their order"));
    };
    let whole = width.fract() == 0.0 && values.iter().all(|value| value.fract() == 0.0);
    let mut names: HashMap<Range<usize>, String> = HashMap::new();
    let mut level: Vec<Group> = (0..items.len()).map(Group::item).collect();
    let mut wide = width;
    // Wider and wider, until few enough are left.
    loop {
        let piece = |group: &Group| (values[group.under.start] / wide).floor();
        let mut next: Vec<Group> = Vec::new();
        let mut rest = level.into_iter().peekable();
        while let Some(first) = rest.next() {
            let own = piece(&first);
            let mut members = vec![first];
            while let Some(member) = rest.next_if(|other| piece(other) == own) {
                members.push(member);
            }
            let group = Group::above(members);
            if !group.children.is_empty() {
                let to = if whole { (own + 1.0) * wide - 1.0 } else { (own + 1.0) * wide };
                // The narrowest interval names what wider ones hold nothing else of.
                names.entry(group.under.clone()).or_insert_with(|| format!("{}..{to}", own * wide));
            }
            next.push(group);
        }
        level = next;
        wide *= fanout as f64;
        if level.len() <= fanout || !wide.is_finite() {
            break;
        }
    }
    let name = |under: &Range<usize>| names.get(under).map_or_else(|| between(&items, under), String::clone);
    Ok(Group::above(level).into_taxonomy(&items, name))
}

pub(super) fn check_fanout(fanout: usize) -> Result<()> {
    if fanout < 2 {
        return Err(Error::parameter("fanout", format!("is {fanout}, but must be at least 2")));
    }
    Ok(())
}

/// Items in natural order, each once.
pub(super) fn in_natural_order<'a>(items: impl IntoIterator<Item = &'a str>) -> Result<Vec<&'a str>> {
    let mut items: Vec<&str> = items.into_iter().filter(|item| !item.is_empty()).collect();
    if items.iter().all(|item| number(item).is_some()) {
        let value = |item: &str| number(item).unwrap_or_default();
        items.sort_by(|left, right| value(left).total_cmp(&value(right)).then_with(|| left.cmp(right)));
    } else {
        items.sort_by(|left, right| natural_order(left, right));
    }
    items.dedup();
    if items.is_empty() {
        return Err(Error::data("there are no items"));
    }
    Ok(items)
}

/// The order in which people count: runs of digits by their value, everything else by its letters.
pub fn natural_order(left: &str, right: &str) -> Ordering {
    let (mut one, mut other) = (left, right);
    loop {
        let (Some(a), Some(b)) = (one.chars().next(), other.chars().next()) else {
            // Equal but for leading zeros: some order, always the same.
            return one.len().cmp(&other.len()).then_with(|| left.cmp(right));
        };
        if a.is_ascii_digit() && b.is_ascii_digit() {
            let (digits, rest) = digits(one);
            let (other_digits, other_rest) = self::digits(other);
            match digits.len().cmp(&other_digits.len()).then_with(|| digits.cmp(other_digits)) {
                Ordering::Equal => (one, other) = (rest, other_rest),
                unequal => return unequal,
            }
        } else if a == b {
            (one, other) = (&one[a.len_utf8()..], &other[b.len_utf8()..]);
        } else {
            return a.cmp(&b);
        }
    }
}

/// The digits at the start of a text without leading zeros, and what follows them.
fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    (text[..end].trim_start_matches('0'), &text[end..])
}

/// The value of an item that is a number; infinities, `nan` and the like are words.
fn number(item: &str) -> Option<f64> {
    let plain = item.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'));
    item.parse().ok().filter(|value: &f64| plain && value.is_finite())
}

fn between(items: &[&str], under: &Range<usize>) -> String {
    format!("{}..{}", items[under.start], items[under.end - 1])
}

/// A group of neighbouring items while a tree is made. Without children it is an item.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) under: Range<usize>,
    pub(super) children: Vec<Group>,
}

impl Group {
    pub(super) fn item(at: usize) -> Self {
        Self { under: at..at + 1, children: Vec::new() }
    }

    /// A group of groups. One alone stays itself.
    pub(super) fn above(mut children: Vec<Group>) -> Self {
        if children.len() == 1 {
            return children.remove(0);
        }
        let under = children[0].under.start..children[children.len() - 1].under.end;
        Self { under, children }
    }

    /// The tree below this group, which becomes its root. `name` is asked for every other group.
    pub(super) fn into_taxonomy(self, items: &[&str], name: impl Fn(&Range<usize>) -> String) -> Taxonomy {
        let mut taken = Interner::new();
        items.iter().for_each(|item| {
            taken.intern(item);
        });
        let mut free = |wanted: String| {
            let mut label = wanted.clone();
            let mut copy = 2;
            while taken.find(&label).is_some() {
                label = format!("{wanted}#{copy}");
                copy += 1;
            }
            taken.intern(&label);
            label
        };
        let (mut labels, mut parents) = (Interner::new(), Vec::new());
        labels.intern(&free("all".to_owned()));
        parents.push(ROOT);
        let mut open = if self.children.is_empty() { vec![(self, ROOT)] } else { reversed(self.children, ROOT) };
        while let Some((group, parent)) = open.pop() {
            let own = if group.children.is_empty() {
                labels.intern(items[group.under.start])
            } else {
                labels.intern(&free(name(&group.under)))
            };
            parents.push(parent);
            open.extend(reversed(group.children, own));
        }
        Taxonomy::from_pre_order(labels, parents)
    }
}

fn reversed(groups: Vec<Group>, parent: u32) -> Vec<(Group, u32)> {
    groups.into_iter().rev().map(|group| (group, parent)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(tree: &Taxonomy) -> String {
        let line = |node: u32| format!("{}{}\n", " ".repeat(tree.level(node) as usize - 1), tree.label(node));
        (0..tree.len() as u32).map(line).collect()
    }

    #[test]
    fn people_count_item_2_before_item_10() {
        let mut items = ["b1", "a10", "a2", "a02", "10", "a", "9", "a2b", "é", "a002"];
        items.sort_by(|left, right| natural_order(left, right));
        assert_eq!(items, ["9", "10", "a", "a002", "a02", "a2", "a2b", "a10", "b1", "é"]);
        assert_eq!(in_natural_order(["10", "-2", "2.5", "1e1", "2", "2"]).unwrap(), ["-2", "2", "2.5", "10", "1e1"]);
    }

    #[test]
    fn neighbours_are_grouped_evenly() {
        let items: Vec<String> = (1..=10).map(|number| number.to_string()).collect();
        let tree = balanced(items.iter().map(String::as_str), 4).unwrap();
        assert_eq!(shown(&tree), "all\n 1..4\n  1\n  2\n  3\n  4\n 5..7\n  5\n  6\n  7\n 8..10\n  8\n  9\n  10\n");
        assert_eq!(shown(&balanced(["pear", "fig"], 2).unwrap()), "all\n fig\n pear\n");
        assert_eq!(shown(&balanced(["fig"], 2).unwrap()), "all\n fig\n");
    }

    #[test]
    fn names_never_clash_with_items() {
        let tree = balanced(["a", "b", "a..b", "all", "all#2"], 2).unwrap();
        assert_eq!(tree.label(ROOT), "all#3");
        assert!(["a", "b", "a..b", "all", "all#2"].iter().all(|item| tree.is_leaf(tree.find(item).unwrap())));
    }

    #[test]
    fn intervals_begin_at_multiples_of_their_width() {
        let tree = intervals(["21", "29", "20", "35", "41", "99", "-3", "-7"], 10.0, 2).unwrap();
        let path = |word: &str| {
            let node = tree.find(word).unwrap();
            tree.ancestors(node).map(|node| tree.label(node)).collect::<Vec<_>>().join(" < ")
        };
        assert_eq!(path("21"), "21 < 20..29 < 20..39 < 0..79 < 0..159 < all");
        assert_eq!(path("35"), "35 < 20..39 < 0..79 < 0..159 < all");
        assert_eq!(path("-3"), "-3 < -10..-1 < all");
        let tree = intervals(["0.5", "0.7", "1.2", "1.3"], 0.5, 2).unwrap();
        assert_eq!(shown(&tree), "all\n 0.5..1\n  0.5\n  0.7\n 1..1.5\n  1.2\n  1.3\n");
    }

    #[test]
    fn bad_requests_are_refused() {
        assert!(balanced(["a"], 1).is_err());
        assert!(balanced([""], 2).is_err());
        assert!(intervals(["1", "x"], 1.0, 2).is_err());
        for width in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(intervals(["1", "2"], width, 2).is_err());
        }
    }

    proptest! {
        #[test]
        fn every_item_is_a_leaf_and_no_group_too_large(
            items in prop::collection::btree_set("[a0-9.#]{1,4}", 1..60),
            fanout in 2..6usize,
        ) {
            let tree = balanced(items.iter().map(String::as_str), fanout).unwrap();
            let leaves: Vec<&str> = (0..tree.len() as u32).filter(|&node| tree.is_leaf(node)).map(|node| tree.label(node)).collect();
            prop_assert_eq!(leaves, in_natural_order(items.iter().map(String::as_str)).unwrap());
            for node in (0..tree.len() as u32).filter(|&node| !tree.is_leaf(node)) {
                let children = tree.children(node).count();
                prop_assert!(children <= fanout && (children > 1 || node == ROOT));
            }
        }

        #[test]
        fn intervals_hold_their_numbers(items in prop::collection::btree_set(-500..500i32, 1..60), fanout in 2..6usize) {
            let items: Vec<String> = items.iter().map(ToString::to_string).collect();
            let tree = intervals(items.iter().map(String::as_str), 7.0, fanout).unwrap();
            prop_assert_eq!(tree.leaves(ROOT) as usize, items.len());
            for node in (1..tree.len() as u32).filter(|&node| !tree.is_leaf(node)) {
                let (from, to) = tree.label(node).split_once("..").unwrap();
                let (from, to): (i32, i32) = (from.parse().unwrap(), to.parse().unwrap());
                for leaf in (node..tree.end(node)).filter(|&node| tree.is_leaf(node)) {
                    prop_assert!((from..=to).contains(&tree.label(leaf).parse::<i32>().unwrap()));
                }
            }
        }
    }
}
