//! From text to concepts, on WordNet: a page of hand-made cases, and what must hold for any text.

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use throng::taxonomy;
use throng_core::concepts::{How, Mapper};
use throng_core::synth::queries::{Params, QueriesSynth};

static MAPPER: LazyLock<Mapper> =
    LazyLock::new(|| Mapper::new(taxonomy::wordnet().unwrap()).with_lexicon(taxonomy::lexicon().unwrap()));

/// `[term = label how]` for each phrase.
fn shown(mapper: &Mapper, text: &str) -> String {
    let label = |concept: Option<u32>| concept.map_or("?", |concept| mapper.taxonomy().label(concept));
    let phrases = mapper.phrases(text);
    let shown: Vec<String> = phrases
        .iter()
        .map(|phrase| match phrase.how {
            How::Exact | How::Unknown => format!("{} = {}", phrase.term, label(phrase.concept)),
            how => format!("{} = {} {}", phrase.term, label(phrase.concept), how.name()),
        })
        .collect();
    shown.join("; ")
}

/// Every phrase with a concept, alone, is one phrase with that concept.
fn assert_stable(mapper: &Mapper, text: &str) {
    for phrase in mapper.phrases(text) {
        assert_eq!(phrase.concept.is_none(), phrase.how == How::Unknown, "{text:?}");
        if phrase.concept.is_some() {
            let alone = mapper.phrases(&phrase.term);
            let concepts: Vec<Option<u32>> = alone.iter().map(|phrase| phrase.concept).collect();
            assert_eq!(concepts, [phrase.concept], "{:?} of {text:?}", phrase.term);
        }
    }
}

#[test]
fn hand_made_cases() {
    let cases: Vec<(&str, &str)> = CASES.iter().map(|&(text, expected)| (text, expected)).collect();
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(text, expected)| shown(&MAPPER, text) != *expected)
        .map(|(text, expected)| format!("{text:?}: {} instead of {expected}", shown(&MAPPER, text)))
        .collect();
    assert!(wrong.is_empty(), "{} of {} are wrong\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    cases.iter().for_each(|(text, _)| assert_stable(&MAPPER, text));
}

/// Texts, and their phrases with their concepts.
const CASES: &[(&str, &str)] = &[
    // The paper's own, and noun phrases cut by what stands between them.
    ("AC charger for an iPhone", "AC charger = charger shortened; iPhone = ?"),
    ("recipe for chicken soup", "recipe = recipe; chicken soup = chicken_soup"),
    ("homes for sale by owner", "homes = home; sale = sale; owner = owner"),
    ("pictures of puppies", "pictures = picture; puppies = puppy"),
    ("cheap flights to london", "cheap flights = flight shortened; london = London"),
    ("cats, dogs and horses", "cats = cat; dogs = dog; horses = horse"),
    ("the dog chased a cat", "dog = dog; cat = cat"),
    ("what is the capital of france", "capital = capital; france = France"),
    ("can dogs eat chocolate", "dogs = dog; chocolate = cocoa"),
    ("i need a new computer", "new computer = computer shortened"),
    ("how to fix a leaking faucet", "leaking faucet = faucet shortened"),
    ("how to swim", "swim = swimming"),
    ("how to tie a tie", "tie = necktie"),
    ("buy used cars", "used cars = used-car"),
    // Words are dropped from the left.
    ("new york hotels", "new york hotels = hotel shortened"),
    ("britney spears lyrics", "britney spears lyrics = lyric shortened"),
    ("free online games", "free online games = game shortened"),
    ("2 bedroom apartments", "2 bedroom apartments = apartment shortened"),
    ("windows 98 drivers", "windows 98 drivers = driver shortened"),
    ("running shoes", "running shoes = running_shoe"),
    ("red running shoes", "red running shoes = running_shoe shortened"),
    ("mp3 players under $100", "mp3 players = player shortened"),
    ("women's shoes size 9", "women's shoes = shoe shortened"),
    // The whole text first.
    ("new york", "new york = New_York"),
    ("rock and roll", "rock and roll = rock_'n'_roll"),
    ("bed & breakfast", "bed & breakfast = bed_and_breakfast"),
    ("garbage can", "garbage can = ashcan"),
    ("wedding dresses", "wedding dresses = bridal_gown"),
    ("blue", "blue = blue"),
    ("dog#2", "dog#2 = frump"),
    ("new_york", "new_york = New_York"),
    // Plurals, regular and not.
    ("jaguars", "jaguars = jaguar"),
    ("Boxes", "Boxes = box"),
    ("churches", "churches = church"),
    ("parties", "parties = party"),
    ("potatoes", "potatoes = potato"),
    ("geese", "geese = goose"),
    ("women", "women = woman"),
    ("mice", "mice = mouse"),
    ("children", "children = child"),
    ("knives", "knives = knife"),
    ("criteria", "criteria = standard"),
    ("firemen", "firemen = fireman"),
    ("shoes", "shoes = shoe"),
    ("news", "news = news"),
    ("glasses", "glasses = spectacles"),
    ("physics", "physics = physics"),
    ("mothers-in-law", "mothers-in-law = mother-in-law"),
    // Hyphens, apostrophes, dots, accents, case.
    ("e-mail", "e-mail = electronic_mail"),
    ("e mail", "e mail = electronic_mail"),
    ("email", "email = electronic_mail"),
    ("E-MAIL address", "E-MAIL address = address shortened"),
    ("T-Shirts", "T-Shirts = jersey#3"),
    ("tshirt", "tshirt = jersey#3"),
    ("ac-charger", "ac-charger = charger shortened"),
    ("state-of-the-art kitchen", "state-of-the-art kitchen = kitchen shortened"),
    ("women\u{2019}s shoes", "women\u{2019}s shoes = shoe shortened"),
    ("mother's day gifts", "mother's day gifts = gift shortened"),
    ("mothers day", "mothers day = Mother's_Day"),
    ("st louis", "st louis = Saint_Louis#2"),
    ("St. Louis", "St. Louis = Saint_Louis#2"),
    ("caf\u{e9}", "caf\u{e9} = cafe"),
    ("cafe\u{301}s in paris", "cafe\u{301}s = cafe; paris = Paris"),
    ("\"new york\"  pizza", "new york pizza = pizza shortened"),
    ("cars+for+sale", "cars = car; sale = sale"),
    ("DOGS", "DOGS = dog"),
    // Web addresses.
    ("www.google.com", "www.google.com = Google site"),
    ("http://www.google.com/search?q=me", "www.google.com = Google site"),
    ("http //www.google.com", "www.google.com = Google site"),
    ("www google com", "www google com = Google site"),
    ("google.com", "google.com = Google site"),
    ("weather-channel.com", "weather-channel.com = channel site"),
    ("hotmail.com", "hotmail.com = ?"),
    ("ann.smith@hotmail.com", "hotmail.com = ?"),
    ("pictures at www.google.com", "pictures = picture; www.google.com = Google site"),
    ("192.168.1.1", "192.168.1.1 = ?"),
    ("e.g.", "e.g = ?"),
    ("3.5", "3.5 = ?"),
    // One letter wrong.
    ("resturant", "resturant = restaurant spelling"),
    ("italian resturants in boston", "italian resturants = restaurant spelling; boston = Boston"),
    ("weather forcast", "weather forcast = weather_forecast spelling"),
    ("elehpant", "elehpant = elephant spelling"),
    ("restaraunt", "restaraunt = ?"),
    // Nothing that can be mapped.
    ("北京天气预报", "北京天气预报 = ?"),
    ("北京 天气", "北京 天气 = ?"),
    ("погода в москве", "погода в москве = ?"),
    ("مطعم", "مطعم = ?"),
    ("90210", "90210 = ?"),
    ("qwrtpsdf", "qwrtpsdf = ?"),
    ("", ""),
    (" \t ", ""),
    ("?!", ""),
    ("the of and", ""),
    ("who", ""),
    ("to be or not to be", ""),
];

#[test]
fn queries_that_synth_makes_are_stable() {
    let params = Params { persons: 200, mean_lines: 20.0, ..Params::default() };
    let log = QueriesSynth::new(params).unwrap().block(0..200);
    for query in log.queries().iter() {
        assert_stable(&MAPPER, query);
    }
}

#[test]
fn long_texts_are_read_in_time() {
    for text in ["a".repeat(1 << 20), "ab-".repeat(1 << 18), "red shoe ".repeat(1 << 16), "x.y.".repeat(1 << 16)] {
        assert!(MAPPER.phrases(&text).len() <= 1 << 18);
    }
}

/// Words that bring the rules into play.
fn some_text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        3 => prop::sample::select(vec![
            "dog", "Dogs", "new", "york", "running", "shoes", "the", "of", "can", "will", "may", "to", "fix", "leaking",
            "faucet", "used", "cars", "women's", "e-mail", "caf\u{e9}", "www.google.com", "www", "com", "google", "size", "9",
            "$100", "u.s.", "st.", "resturant", "resturants", "forcast", "weather", "light", "blue", "play", "games", "is",
            "how", "that", "i", "&", "and", "bed", "breakfast", "-", ",", ".", "\"", "c++", "rock-and-roll", "北京", "like",
            "water", "plants", "rings", "online", "fast", "2nd", "ac-charger", "mother-in-law", "in", "who", "net",
        ]).prop_map(str::to_owned),
        1 => "[a-zA-Z'\\-.éß]{1,9}",
    ];
    prop::collection::vec((word, prop::sample::select(vec![" ", " ", " ", "  ", "", "\t"])), 0..8)
        .prop_map(|words| words.into_iter().map(|(word, blank)| word + blank).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn phrases_mean_the_same_alone(text in some_text()) {
        assert_stable(&MAPPER, &text);
    }

    #[test]
    fn any_text_can_be_read(text in "[\\PC\\x00-\\x1f\u{85}\u{200d}\u{202e}\u{feff}]{0,30}") {
        assert_stable(&MAPPER, &text);
    }
}

#[test]
fn directories_are_found_by_the_last_part_of_their_paths() {
    let paths = "Top/Arts/Music\nTop/Shopping/Music/Instruments\nTop/Shopping/Women's_Clothing\nTop/Computers\nTop/Arts/Caf\u{e9}s\n\
                 Top/Sports/Water_Sports/Swimming\nTop/Arts/Music/Bands/It\n";
    let tree = Arc::new(throng_core::taxonomy::paths::read(paths).unwrap());
    let mapper = Mapper::new(Arc::clone(&tree)).with_lexicon(taxonomy::lexicon().unwrap());
    for (text, expected) in [
        ("music", "music = Top/Arts/Music"),
        ("Top/Shopping/Music", "Top/Shopping/Music = Top/Shopping/Music"),
        ("classical music", "classical music = Top/Arts/Music shortened"),
        ("cheap musical instrument", "cheap musical instrument = Instruments shortened"),
        ("used computer", "used computer = Computers shortened"),
        ("computers", "computers = Computers"),
        ("women's clothing", "women's clothing = Women's_Clothing"),
        ("womens clothing", "womens clothing = Women's_Clothing"),
        ("cafe", "cafe = Caf\u{e9}s"),
        ("water sport", "water sport = Water_Sports"),
        ("top", "top = ?"),
        ("it", "it = It"),
        ("leopard", "leopard = ?"),
    ] {
        assert_eq!(shown(&mapper, text), expected, "{text:?}");
        assert_stable(&mapper, text);
    }
}

#[test]
fn of_several_taxonomies_the_longest_phrase_then_the_earlier_one() {
    let shop = throng_core::taxonomy::paths::read("Shop/Dogs\nShop/Chargers\n").unwrap();
    let joined = throng_core::taxonomy::Taxonomy::join([("shop", &shop), ("wordnet", &taxonomy::wordnet().unwrap())]);
    let mapper = Mapper::new(Arc::new(joined)).with_lexicon(taxonomy::lexicon().unwrap());
    for (text, expected) in [
        ("dogs", "dogs = Dogs"),
        ("hot dogs", "hot dogs = hotdog"),
        ("black dogs", "black dogs = Dogs shortened"),
        ("phone chargers", "phone chargers = Chargers shortened"),
        ("cats", "cats = cat"),
    ] {
        assert_eq!(shown(&mapper, text), expected, "{text:?}");
    }
}

#[test]
fn without_a_lexicon_it_works_too() {
    let mapper = Mapper::new(taxonomy::wordnet().unwrap());
    assert_eq!(shown(&mapper, "recipes for chicken soup"), "recipes = recipe; chicken soup = chicken_soup");
    assert_eq!(shown(&mapper, "geese"), "geese = goose");
}

/// Queries and sentences of our own making, each word with its part of speech: N noun, V verb, A adjective or participle that
/// describes a noun, R adverb, # number, D determiner, P preposition or `to`, O pronoun, C conjunction, X auxiliary or `not`,
/// W question word, S web address.
const TAGGED: &[&str] = &[
    "how/W to/P fix/V a/D leaking/A faucet/N",
    "cheap/A flights/N from/P new/A york/N to/P london/N",
    "buy/V used/A cars/N online/R",
    "best/A pizza/N in/P chicago/N",
    "how/W do/X i/O remove/V red/A wine/N stains/N",
    "the/D quick/A brown/A fox/N jumps/V over/P the/D lazy/A dog/N",
    "britney/N spears/N song/N lyrics/N",
    "free/A printable/A coloring/A pages/N",
    "where/W can/X i/O watch/V old/A movies/N",
    "symptoms/N of/P high/A blood/N pressure/N",
    "she/O bought/V a/D broken/A watch/N for/P her/D brother/N",
    "make/V money/N at/P home/N",
    "running/A shoes/N for/P women/N",
    "is/X it/O safe/A to/P eat/V raw/A eggs/N",
    "my/D dog/N will/X not/X eat/V dry/A food/N",
    "jobs/N in/P san/N francisco/N",
    "play/V free/A games/N",
    "how/W to/P water/V tomato/N plants/N",
    "pictures/N of/P sleeping/A cats/N",
    "what/W is/X the/D fastest/A car/N in/P the/D world/N",
    "two/# bedroom/N apartments/N near/P the/D beach/N",
    "we/O sell/V furniture/N and/C carpets/N",
    "learn/V to/P play/V the/D guitar/N",
    "the/D children/N were/X playing/V in/P the/D garden/N",
    "garbage/N can/N with/P a/D lid/N",
    "can/X dogs/N eat/V chocolate/N",
    "local/A weather/N forecast/N",
    "they/O have/X painted/V the/D old/A house/N",
    "people/N who/O hate/V cheese/N",
    "digital/A camera/N reviews/N",
    "home/N loans/N with/P bad/A credit/N",
    "www.google.com/S maps/N",
    "funny/A birthday/N cards/N to/P print/V",
    "this/D recipe/N needs/V two/# eggs/N",
    "he/O quickly/R closed/V the/D heavy/A door/N",
    "swimming/N lessons/N for/P adults/N",
    "dead/A sea/N salt/N",
    "i/O want/V to/P sell/V my/D house/N fast/R",
    "when/W does/X the/D store/N open/V",
    "the/D teacher/N gave/V us/O an/D easy/A test/N",
    "cheapest/A gas/N prices/N",
    "rent/V a/D truck/N",
    "light/A blue/A dress/N",
    "the/D light/N is/X very/R bright/A",
    "flowers/N that/O grow/V in/P the/D shade/N",
    "download/V music/N legally/R",
    "training/N videos/N",
    "an/D unusually/R cold/A winter/N",
    "you/O must/X drive/V slowly/R here/R",
    "sewing/N machine/N parts/N",
];

#[test]
#[expect(clippy::print_stdout, reason = "the share is worth seeing: `cargo test -- --nocapture`")]
fn the_tagger_is_right_nine_times_out_of_ten() {
    let name = |letter: &str| match letter {
        "N" => "noun",
        "V" => "verb",
        "A" => "adjective",
        "R" => "adverb",
        "#" => "number",
        "D" => "determiner",
        "P" => "preposition",
        "O" => "pronoun",
        "C" => "conjunction",
        "X" => "auxiliary",
        "W" => "question",
        "S" => "site",
        _ => "?",
    };
    let (mut all, mut wrong) = (0, Vec::new());
    for line in TAGGED {
        let expected: Vec<(&str, &str)> = line.split(' ').filter_map(|pair| pair.rsplit_once('/')).collect();
        let text: Vec<&str> = expected.iter().map(|(word, _)| *word).collect();
        let text = text.join(" ");
        let found = MAPPER.parts_of_speech(&text);
        assert_eq!(found.len(), expected.len(), "{text}");
        for ((word, tag), (_, letter)) in found.into_iter().zip(&expected) {
            all += 1;
            let tag = if tag == "participle" { "adjective" } else { tag };
            if tag != name(letter) {
                wrong.push(format!("{word} ({tag}, not {}) in: {text}", name(letter)));
            }
        }
    }
    let share = 1.0 - wrong.len() as f64 / f64::from(all);
    println!("{share:.3} of {all} words are right; wrong are\n{}", wrong.join("\n"));
    assert!(all >= 150 && share >= 0.9, "{share:.3} of {all}\n{}", wrong.join("\n"));
}
