//! Made-up records of persons, in two files or several times in one, with the truth of who is who.
//!
//! Idea       A person has a name, a day of birth, a sex, an address and a telephone. Names are as unevenly frequent as real ones (Zipf).
//!            The other record of a person has typing errors (a letter exchanged, left out, doubled or hit beside its key), nicknames, another
//!            address after a move, a new surname, and missing values. Some persons have a twin, who shares everything but the given name.

use crate::rng::Rng;

/// The columns after the id.
pub const COLUMNS: [&str; 8] = ["given_name", "surname", "birth", "sex", "street", "suburb", "postcode", "phone"];

/// What to make up.
#[derive(Debug, Clone, Copy)]
pub struct Params {
    /// How many records a file has.
    pub records: usize,
    /// How many records a person has on average in one file; 1 makes two files with one record of each person in each.
    pub copies: usize,
    /// The share of the fields of a record that are changed or missing.
    pub changed: f64,
}

/// A record: its id and its columns.
pub type Record = (String, [String; 8]);

/// Made-up records.
#[derive(Debug, Clone, PartialEq)]
pub enum MadeUp {
    /// Two files, and which record of the first is which of the second.
    Two {
        /// The first.
        a: Vec<Record>,
        /// The second.
        b: Vec<Record>,
        /// Pairs of ids.
        truth: Vec<(String, String)>,
    },
    /// One file, and whose each record is.
    One {
        /// The records.
        a: Vec<Record>,
        /// Pairs of record and person.
        truth: Vec<(String, String)>,
    },
}

const GIVEN: [&str; 2] = [
    "mary anna elena laura sarah julia emma sophie clara nina paula martha ruth alice helen irene judith karin lydia monica \
     nora olivia petra rosa silvia teresa ursula vera wanda yvonne zoe amelia beatrice carla diana edith flora greta hannah \
     ida jane katherine louise margaret nadia elizabeth patricia rebecca susan veronica deborah jennifer christina \
     alexandra barbara dorothy florence gertrude harriet isabel josephine matilda penelope rosemary stephanie victoria",
    "john peter paul james robert michael thomas david daniel stephen andrew martin philip simon victor walter anton bruno carl \
     derek edgar felix george harold ivan jacob kurt leon marcus nathan oscar patrick ralph samuel theodore ulrich vincent \
     william xavier albert benjamin charles dominic edward frederick gregory henry isaac joseph kenneth lawrence matthew \
     nicholas oliver raymond richard sebastian timothy anthony christopher alexander jonathan leonard zachary",
];

/// Nicknames, of which everybody may use one.
pub const NICKNAMES: &[(&str, &str)] = &[
    ("robert", "bob"),
    ("michael", "mike"),
    ("thomas", "tom"),
    ("james", "jim"),
    ("john", "jack"),
    ("william", "bill"),
    ("stephen", "steve"),
    ("andrew", "andy"),
    ("daniel", "dan"),
    ("edward", "ted"),
    ("richard", "dick"),
    ("charles", "charlie"),
    ("joseph", "joe"),
    ("samuel", "sam"),
    ("anthony", "tony"),
    ("alexander", "alex"),
    ("benjamin", "ben"),
    ("christopher", "chris"),
    ("frederick", "fred"),
    ("gregory", "greg"),
    ("henry", "harry"),
    ("kenneth", "ken"),
    ("lawrence", "larry"),
    ("matthew", "matt"),
    ("nicholas", "nick"),
    ("patrick", "pat"),
    ("philip", "phil"),
    ("raymond", "ray"),
    ("timothy", "tim"),
    ("theodore", "ted"),
    ("vincent", "vince"),
    ("walter", "walt"),
    ("jonathan", "jon"),
    ("leonard", "len"),
    ("zachary", "zack"),
    ("elizabeth", "liz"),
    ("margaret", "maggie"),
    ("katherine", "kate"),
    ("patricia", "pat"),
    ("rebecca", "becky"),
    ("susan", "sue"),
    ("deborah", "debbie"),
    ("jennifer", "jenny"),
    ("christina", "tina"),
    ("alexandra", "sandra"),
    ("barbara", "barb"),
    ("dorothy", "dot"),
    ("josephine", "jo"),
    ("matilda", "tilda"),
    ("penelope", "penny"),
    ("stephanie", "steph"),
    ("victoria", "vicky"),
    ("isabel", "bella"),
    ("florence", "flo"),
    ("teresa", "terry"),
    ("judith", "judy"),
    ("helen", "nell"),
];

const STARTS: &str = "al an bar ben ber bran bur car clar col cor dal dan del dor ed el fair far fin gar gil gor grant hal har \
    hend hol hor jack jen kel ken lam lan law len mal mar mc mel mor nel nor ol os par pat per pres quin ran red ric rob ros \
    ru sal san shel sim stan sul tal tem thorn tow van wal war wat wes wil win wood";
const MIDDLES: &str =
    "a ber den der e en er gar i in ing ker la le li lo man mer mi na ne ni o ra re ri sa se ta ter ti to vi";
const ENDINGS: &str = "by bury cott den dale don er ers ett field ford gate ham hart hill ings ton ley low man mond more ner ney ridge \
    rick s sen ser shaw son stead stock stone ster ton top ward way well wick win worth yard";
const STREETS: &str = "station church mill park high victoria king queen river hill lake school garden bridge market forest meadow \
    rose cedar oak elm maple chestnut acacia wattle ocean harbour railway north south george albert york windsor";
const SORTS: &str = "street road avenue lane drive court place close way crescent";

/// Names made of syllables; the first are the most frequent.
struct World {
    given: [Vec<&'static str>; 2],
    surnames: Vec<String>,
    streets: Vec<String>,
    suburbs: Vec<(String, String)>,
}

impl World {
    fn new(records: usize, rng: &mut Rng) -> Self {
        let split = |text: &'static str| text.split_whitespace().collect::<Vec<_>>();
        let (starts, middles, endings) = (split(STARTS), split(MIDDLES), split(ENDINGS));
        let name = |rng: &mut Rng| {
            let mut name = starts[rng.index(starts.len())].to_owned();
            if rng.unit() < 0.5 {
                name.push_str(middles[rng.index(middles.len())]);
            }
            name.push_str(endings[rng.index(endings.len())]);
            name
        };
        let distinct = |count: usize, rng: &mut Rng| {
            let mut names = Vec::new();
            let mut seen = std::collections::BTreeSet::new();
            for _ in 0..count * 3 {
                let name = name(rng);
                if names.len() < count && seen.insert(name.clone()) {
                    names.push(name);
                }
            }
            names
        };
        let surnames = distinct((records / 4).clamp(200, 12_000), rng);
        let suburbs = distinct((records / 100).clamp(30, 2_000), rng)
            .into_iter()
            .map(|name| (name, (1000 + rng.below(8999)).to_string()))
            .collect();
        let own = distinct((records / 40).clamp(40, 3_000), rng);
        let (streets, sorts) = (split(STREETS), split(SORTS));
        let streets = streets
            .iter()
            .map(|&name| name.to_owned())
            .chain(own)
            .flat_map(|name| [0, 1].map(|_| format!("{name} {}", sorts[rng.index(sorts.len())])))
            .collect();
        Self { given: GIVEN.map(split), surnames, streets, suburbs }
    }
}

/// An index of `0..len`, the first ones more often.
fn uneven(len: usize, rng: &mut Rng) -> usize {
    // 1/(rank + 8): the usual name has about a percent.
    let high = ((len + 8) as f64 / 8.0).ln();
    ((8.0 * (rng.unit() * high).exp()) as usize).saturating_sub(8).min(len - 1)
}

fn person(world: &World, rng: &mut Rng) -> [String; 8] {
    let sex = rng.index(2);
    let (suburb, postcode) = &world.suburbs[uneven(world.suburbs.len(), rng)];
    let street = format!("{} {}", 1 + rng.below(180), world.streets[rng.index(world.streets.len())]);
    [
        world.given[sex][uneven(world.given[sex].len(), rng)].to_owned(),
        world.surnames[uneven(world.surnames.len(), rng)].clone(),
        birth(rng),
        ["f", "m"][sex].to_owned(),
        street,
        suburb.clone(),
        postcode.clone(),
        phone(rng),
    ]
}

fn birth(rng: &mut Rng) -> String {
    format!("{}-{:02}-{:02}", 1925 + rng.below(85), 1 + rng.below(12), 1 + rng.below(28))
}

fn phone(rng: &mut Rng) -> String {
    format!("0{} {:04} {:04}", 2 + rng.below(7), rng.below(10_000), rng.below(10_000))
}

/// Keys that lie beside one on a keyboard.
fn beside(letter: u8, rng: &mut Rng) -> u8 {
    const ROWS: [&[u8]; 4] = [b"1234567890", b"qwertyuiop", b"asdfghjkl", b"zxcvbnm"];
    for row in ROWS {
        if let Some(at) = row.iter().position(|&key| key == letter) {
            let to = if at == 0 || (at + 1 < row.len() && rng.unit() < 0.5) { at + 1 } else { at - 1 };
            return row[to];
        }
    }
    letter
}

/// A text with one typing error.
fn mistyped(text: &str, rng: &mut Rng) -> String {
    let mut letters: Vec<u8> = text.bytes().collect();
    let places: Vec<usize> = (0..letters.len()).filter(|&at| letters[at].is_ascii_alphanumeric()).collect();
    let Some(&at) = places.get(rng.index(places.len().max(1))) else { return text.to_owned() };
    let is_number = letters[at].is_ascii_digit();
    match rng.below(if is_number { 2 } else { 4 }) {
        0 => letters[at] = beside(letters[at], rng),
        1 => {
            if let Some(&next) = places.iter().find(|&&next| next > at) {
                letters.swap(at, next);
            } else {
                letters[at] = beside(letters[at], rng);
            }
        }
        2 if letters.len() > 2 => drop(letters.remove(at)),
        _ => letters.insert(at, letters[at]),
    }
    String::from_utf8(letters).unwrap_or_default()
}

/// Another record of a person.
fn copied(of: &[String; 8], changed: f64, world: &World, rng: &mut Rng) -> [String; 8] {
    let mut copy = of.clone();
    // A move changes the whole address, and often the telephone.
    if rng.unit() < changed * 0.3 {
        let other = person(world, rng);
        let keeps_phone = rng.unit() < 0.5;
        for at in (4..8).filter(|&at| at < 7 || !keeps_phone) {
            copy[at] = other[at].clone();
        }
    }
    if of[3] == "f" && rng.unit() < changed * 0.1 {
        copy[1] = world.surnames[uneven(world.surnames.len(), rng)].clone();
    }
    for (at, field) in copy.iter_mut().enumerate() {
        if rng.unit() >= changed {
            continue;
        }
        let sort = rng.unit();
        if sort < 0.25 {
            field.clear();
            continue;
        }
        match at {
            0 => match NICKNAMES.iter().find(|(name, _)| name == field) {
                Some((_, nickname)) if rng.unit() < 0.5 => *field = (*nickname).to_owned(),
                _ => *field = mistyped(field, rng),
            },
            3 => *field = if field == "f" { "m".to_owned() } else { "f".to_owned() },
            _ => *field = mistyped(field, rng),
        }
        if sort > 0.75 && at != 3 {
            *field = mistyped(field, rng);
        }
    }
    copy
}

/// Makes up records.
pub fn records(params: &Params, rng: &mut Rng) -> MadeUp {
    let persons = params.records.div_ceil(params.copies.max(1));
    let world = World::new(persons, rng);
    let mut all: Vec<[String; 8]> = Vec::with_capacity(persons);
    while all.len() < persons {
        let new = match all.last() {
            // One of a hundred is the twin of the one before.
            Some(last) if rng.unit() < 0.01 => {
                let mut twin = last.clone();
                let sex = rng.index(2);
                twin[0] = world.given[sex][uneven(world.given[sex].len(), rng)].to_owned();
                twin[3] = ["f", "m"][sex].to_owned();
                if twin[0] == last[0] { person(&world, rng) } else { twin }
            }
            _ => person(&world, rng),
        };
        all.push(new);
    }
    if params.copies > 1 {
        let mut made: Vec<(usize, [String; 8])> = Vec::with_capacity(params.records);
        for (at, own) in all.iter().enumerate() {
            let left = params.records - made.len();
            // As many as average, more or less.
            let most = 2 * params.copies - 1;
            let count = if at + 1 == persons { left } else { (1 + rng.index(most)).min(left) };
            made.extend((0..count).map(|_| (at, copied(own, params.changed, &world, rng))));
        }
        rng.shuffle(&mut made);
        let id = |at: usize| format!("r{}", at + 1);
        let truth = made.iter().enumerate().map(|(at, (person, _))| (id(at), format!("p{}", person + 1))).collect();
        let a = made.into_iter().enumerate().map(|(at, (_, record))| (id(at), record)).collect();
        return MadeUp::One { a, truth };
    }
    let mut order: Vec<usize> = (0..persons).collect();
    rng.shuffle(&mut order);
    let mut truth = Vec::with_capacity(persons);
    let a: Vec<Record> = all.iter().enumerate().map(|(at, record)| (format!("a{}", at + 1), record.clone())).collect();
    let b: Vec<Record> = order
        .iter()
        .enumerate()
        .map(|(at, &of)| {
            truth.push((format!("a{}", of + 1), format!("b{}", at + 1)));
            (format!("b{}", at + 1), copied(&all[of], params.changed, &world, rng))
        })
        .collect();
    truth.sort_by_key(|(a, _)| a[1..].parse::<usize>().unwrap_or(0));
    MadeUp::Two { a, b, truth }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_files_have_a_record_of_everybody_each() {
        let params = Params { records: 300, copies: 1, changed: 0.15 };
        let MadeUp::Two { a, b, truth } = records(&params, &mut Rng::seeded(1)) else { panic!("one file") };
        assert_eq!((a.len(), b.len(), truth.len()), (300, 300, 300));
        let fields: usize = truth
            .iter()
            .map(|(left, right)| {
                let own = &a.iter().find(|(id, _)| id == left).unwrap().1;
                let other = &b.iter().find(|(id, _)| id == right).unwrap().1;
                own.iter().zip(other).filter(|(own, other)| own == other).count()
            })
            .sum();
        let share = fields as f64 / (300.0 * 8.0);
        assert!((0.75..0.92).contains(&share), "{share}");
        assert_eq!(records(&params, &mut Rng::seeded(1)), records(&params, &mut Rng::seeded(1)));
    }

    #[test]
    fn one_file_has_several_records_of_everybody() {
        let params = Params { records: 1000, copies: 10, changed: 0.5 };
        let MadeUp::One { a, truth } = records(&params, &mut Rng::seeded(1)) else { panic!("two files") };
        assert_eq!(a.len(), 1000);
        let persons: std::collections::BTreeSet<&String> = truth.iter().map(|(_, person)| person).collect();
        assert!((80..=100).contains(&persons.len()), "{}", persons.len());
    }
}
