//! Tests of policies: all of it is `#[cfg(test)]`.

use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::{Index, subsequence};
use serde_json::{Value, json};
use throng_core::concepts::Mapper;
use throng_core::data::{BasketsBuilder, DocumentsBuilder, QueryLog, QueryLogBuilder};

use super::*;
use crate::kinds::Ask;
use crate::ledger::Says;

/// The policy of the issue.
const EXAMPLE: &str = r#"format = 1
rule = [
  { name = "no addresses", never = ["address", "url"] },
  { name = "no illnesses", kind = "queries", mentions = { concepts = ["disease.n.01"], words = ["hospice"], paths = ["/health/**"] }, then = "leave-out" },
  { name = "no illness with a place", together = [{ concept = "disease.n.01" }, { concept = "city.n.01" }], within = "record" },
  { name = "clicks are out already", after = { dataset = "shop-2026", field = "url" }, never = ["query"] },
]
[minimum]
queries = { user-k-anonymity = 5, content-threshold = 3 }
attacks = { known-queries = 0.2, refinement-bits = 1.0 }
randomness = "secure"
signed = true
"#;

fn log(lines: &[(&str, &str, Option<&str>)]) -> QueryLog {
    let mut builder = QueryLogBuilder::new();
    for (person, query, url) in lines {
        builder.push(person, query, 0, None, *url);
    }
    builder.finish()
}

/// The columns of a log.
fn columns() -> Vec<(&'static str, String)> {
    ["user", "query", "time", "url"].map(|role| (role, role.to_owned())).to_vec()
}

fn seen(policy: &Policy, data: &QueryLog) -> Seen {
    static WORDNET: LazyLock<Mapper> = LazyLock::new(|| Ask::default().knowledge().unwrap().mapper);
    let matcher = Matcher::with(policy, Some("queries"), || Ok(WORDNET.clone())).unwrap();
    look(policy, &matcher, data, (&columns(), &[]), None)
}

/// The verdicts on a log of which nothing else is known.
fn verdicts(text: &str, data: &QueryLog) -> Vec<(String, Verdict, u64)> {
    let policy = Policy::parse(text).unwrap();
    let judgement = policy.judge(&seen(&policy, data), &alone(&Value::Null, None)).unwrap();
    judgement.rules.into_iter().map(|judged| (judged.name, judged.verdict, judged.records)).collect()
}

fn alone<'a>(attacks: &'a Value, ledger: Option<&'a Ledgered>) -> Circumstances<'a> {
    Circumstances { certificate: None, attacks: Ok(attacks), signed: Known::Yes, ledger }
}

#[test]
fn the_example_is_understood() {
    let policy = Policy::parse(EXAMPLE).unwrap();
    let rules: Vec<(&str, u64)> = policy.rules.iter().map(|rule| (rule.name.as_str(), rule.line)).collect();
    let expected = [
        ("no addresses", 3),
        ("no illnesses", 4),
        ("no illness with a place", 5),
        ("clicks are out already", 6),
        ("minimum queries user-k-anonymity", 9),
        ("minimum queries content-threshold", 9),
        ("minimum attacks known-queries", 10),
        ("minimum attacks refinement-bits", 10),
        ("minimum randomness", 11),
        ("minimum signed", 12),
    ];
    assert_eq!(rules, expected);
    assert_eq!(policy.notes, Vec::<String>::new());
    // Tables do as well.
    let tables =
        "format = 1\n\n[[rule]]\nname = \"a\"\nnever = [\"url\"]\n\n[[rule]]\nname = \"b\"\nnever = [\"rank\"]\n";
    let lines: Vec<u64> = Policy::parse(tables).unwrap().rules.iter().map(|rule| rule.line).collect();
    assert_eq!(lines, [3, 7]);
}

#[test]
fn what_is_wrong_is_named_with_its_place_and_the_nearest_word() {
    let rule = |rule: &str| format!("format = 1\nrule = [\n  {{ name = \"a\", {rule} }},\n]\n");
    for (text, line, column, says, hint) in [
        ("format = 2\n".to_owned(), 1, "10", "another form", ""),
        ("format = 1\nrules = []\n".to_owned(), 2, "1", "`rules`", "`rule`"),
        ("format = 1\n[minimum]\nquerys = { k-anonymity = 5 }\n".to_owned(), 3, "1", "`querys`", "`queries`"),
        ("[minimum]\nqueries = { user-k-anonimity = 5 }\n".to_owned(), 2, "13", "user-k-anonimity", "user-k-anonymity"),
        ("[minimum]\nqueries = { user-k-anonymity = 1 }\n".to_owned(), 2, "32", "`k`", ""),
        ("[minimum]\nqueries = { user-k-anonymity = \"5\" }\n".to_owned(), 2, "32", "number", ""),
        ("[minimum]\nattacks = { known-querys = 0.2 }\n".to_owned(), 2, "13", "known-querys", "known-queries"),
        ("[minimum]\nattacks = { known-queries = 5 }\n".to_owned(), 2, "29", "share", ""),
        ("[minimum]\nrandomness = \"seeded\"\n".to_owned(), 2, "14", "seeded", "secure"),
        ("[ledger]\nsame_peple = \"refuse\"\n".to_owned(), 2, "1", "same_peple", "same_people"),
        ("[ledger]\nsame_people = \"forbid\"\n".to_owned(), 2, "15", "forbid", "known: refuse, warn"),
        (rule("nevr = [\"url\"]"), 3, "17", "nevr", "never"),
        (rule("never = [\"adress\"]"), 3, "26", "adress", "address"),
        (rule("never = []"), 3, "25", "empty", "leave the rule out"),
        (rule("never = \"url\""), 3, "25", "list", ""),
        (rule("kind = \"querys\", never = [\"url\"]"), 3, "24", "querys", "queries"),
        (rule("mentions = { word = [\"x\"] }"), 3, "30", "`word`", "`words`"),
        (rule("mentions = { words = [\"!\"] }"), 3, "39", "no word", ""),
        (rule("mentions = { paths = [\"x\"] }"), 3, "39", "begins with `/`", ""),
        (rule("mentions = { words = [\"x\"] }, then = \"leave\""), 3, "54", "leave", "leave-out"),
        (rule("mentions = {}"), 3, "28", "names nothing", ""),
        (rule("together = [{ word = \"x\" }]"), 3, "28", "two different", ""),
        (rule("together = [{ word = \"x\" }, { word = \"x\" }]"), 3, "28", "two different", ""),
        (rule("never = [\"url\"], then = \"refuse\""), 3, "34", "means nothing", ""),
        (rule("never = [\"url\"], after = { dataset = \"x\" }"), 3, "42", "data set and a field", ""),
        (rule("then = \"refuse\""), 3, "3", "says nothing", "never"),
        (rule("never = [\"url\"], together = []"), 3, "3", "several things", ""),
        ("rule = [{ never = [\"url\"] }]\n".to_owned(), 1, "9", "no name", ""),
        ("rule = 5\n".to_owned(), 1, "8", "list", ""),
        ("rule = [5]\n".to_owned(), 1, "9", "table", ""),
        ("format = \n".to_owned(), 1, "10", "no TOML", "quotes"),
    ] {
        let error = Policy::parse(&text).expect_err(&text);
        let place = error.place().unwrap_or_else(|| panic!("{text}: {error}"));
        assert_eq!((place.line, place.column.as_deref()), (Some(line), Some(column)), "{text}: {error}");
        assert!(error.to_string().contains(says), "{text}: {error}");
        assert!(error.hint().unwrap_or_default().contains(hint), "{text}: {:?}", error.hint());
    }
    let unknown = Policy::parse("rule = [\n{ name = \"a\", mentions = { concepts = [\"diseese.n.01\"] } }]\n").unwrap();
    let error = Matcher::of(&unknown, None, &Ask::default()).unwrap_err();
    assert_eq!(error.place().map(|place| (place.line, place.column.clone())), Some((Some(2), Some("40".to_owned()))));
    assert!(error.to_string().contains("diseese.n.01") && error.hint().unwrap().contains("`disease.n.01`"), "{error}");
    let unknown = Policy::parse("rule = [{ name = \"a\", mentions = { concepts = [\"disease.n.77\"] } }]").unwrap();
    let error = Matcher::of(&unknown, None, &Ask::default()).unwrap_err();
    assert!(error.hint().unwrap().contains("no such sense"), "{error:?}");
}

#[test]
fn two_rules_of_one_name_and_contradictions_are_errors() {
    let same = "rule = [\n{ name = \"a\", never = [\"url\"] },\n{ name = \"a\", never = [\"rank\"] },\n]\n";
    let error = Policy::parse(same).unwrap_err().describe(false);
    assert!(error.contains("`a`") && error.contains("line 2") && error.contains("line 3"), "{error}");
    let never = |rule: &str| {
        Policy::parse(&format!(
            "rule = [\n{{ name = \"a\", {rule} }},\n]\n[minimum]\nqueries = {{ user-k-anonymity = 5 }}\n"
        ))
    };
    for rule in ["never = [\"url\", \"query\"]", "kind = \"queries\", never = [\"user\"]", "never = [\"queries\"]"] {
        let error = never(rule).expect_err(rule).describe(false);
        assert!(error.contains("contradicts") && error.contains("line 5"), "{rule}: {error}");
    }
    let after = "never = [\"query\"], after = { dataset = \"x\", field = \"url\" }";
    for rule in ["never = [\"url\"]", "kind = \"baskets\", never = [\"query\"]", after] {
        never(rule).unwrap();
    }
}

#[test]
fn an_empty_policy_warns() {
    for text in
        ["", "format = 1\n", "format = 1\nrule = []\n[minimum]\nsigned = false\n[ledger]\nsame_people = \"warn\"\n"]
    {
        let policy = Policy::parse(text).unwrap();
        assert!(
            policy.rules.is_empty() && policy.notes.iter().any(|note| note.contains("allows everything")),
            "{text}"
        );
    }
    let policy = Policy::parse("format = 1\nrule = [{ name = \"a\", never = [\"shoe size\"] }]").unwrap();
    assert!(policy.notes[0].contains("line 2") && policy.notes[0].contains("`shoe size`"), "{:?}", policy.notes);
}

#[test]
fn texts_mention_what_lies_under_a_concept() {
    let text = "rule = [{ name = \"a\", mentions = { concepts = [\"disease.n.01\", \"city.n.01\"], words = [\"hospice care\", \"/\\\\d{5}/\"], paths = [\"/health/**\"] } }]";
    let policy = Policy::parse(text).unwrap();
    let matcher = Matcher::of(&policy, None, &Ask::default()).unwrap();
    let mentioned = |text: &str| -> Vec<&str> {
        let numbers = matcher.mentioned(text, &mut throng_core::concepts::Scratch::default());
        numbers.into_iter().map(|number| matcher.atoms()[number as usize].name()).collect()
    };
    for (text, expected) in [
        ("breast cancer symptoms", &["disease.n.01"][..]),
        ("BREAST-CANCER", &["disease.n.01"]),
        ("c\u{200b}ancer", &["disease.n.01"]),
        ("http://www.cancer.example/page", &["disease.n.01"]),
        ("http://x.example/%63ancer", &["disease.n.01"]),
        ("flights to Paris", &["city.n.01"]),
        ("influenza in paris", &["city.n.01", "disease.n.01"]),
        ("care in a hospice", &["hospice care"]),
        ("zip 12345", &["/\\d{5}/"]),
        ("http://shop.example/Health/x", &["/health/**"]),
        ("garden roses", &[]),
        ("hospice", &[]),
        ("", &[]),
    ] {
        assert_eq!(mentioned(text), expected, "{text}");
    }
}

#[test]
fn records_are_counted() {
    let data = log(&[
        ("1", "influenza", None),
        ("1", "hotels in paris", None),
        ("2", "influenza", Some("http://a.example")),
        ("3", "garden roses", None),
        ("4", "paris", None),
        ("4", "paris", None),
        ("5", "write to ann@mail.example", None),
    ]);
    let text = r#"rule = [
      { name = "url", never = ["url"] },
      { name = "rank", never = ["rank"] },
      { name = "time", never = ["QueryTime"] },
      { name = "mail", never = ["email"] },
      { name = "kind", never = ["queries"] },
      { name = "ill", mentions = { concepts = ["disease.n.01"] } },
      { name = "record", together = [{ concept = "disease.n.01" }, { concept = "city.n.01" }] },
      { name = "release", together = [{ word = "roses" }, { word = "influenza" }], within = "release" },
      { name = "half", together = [{ word = "roses" }, { word = "tulips" }], within = "release" },
      { name = "field", together = [{ field = "url" }, { word = "influenza" }] },
      { name = "other", kind = "baskets", mentions = { words = ["paris"] } },
      { name = "set", together = [{ word = "roses" }, { word = "tulips" }], within = "dataset" },
    ]"#;
    use Verdict::{Breaks, Holds, Unknown};
    let found = verdicts(text, &data);
    let expected = [
        ("url", Breaks, 1),
        ("rank", Holds, 0),
        ("time", Breaks, 5),
        ("mail", Breaks, 1),
        ("kind", Breaks, 5),
        ("ill", Breaks, 2),
        ("record", Breaks, 1),
        ("release", Breaks, 3),
        ("half", Holds, 0),
        ("field", Breaks, 1),
        ("other", Holds, 0),
        ("set", Unknown, 0),
    ];
    assert_eq!(found, expected.map(|(name, verdict, records)| (name.to_owned(), verdict, records)));
}

#[test]
fn sensitive_items_of_groups_and_terms_are_looked_at() {
    let mut builder = BasketsBuilder::new(None, true);
    let [bread, insulin] = ["bread", "insulin"].map(|item| builder.label(item));
    for (person, item) in [("1", bread), ("2", insulin)] {
        let person = builder.person(person);
        builder.push(person, item);
    }
    let policy = Policy::parse(
        "rule = [{ name = \"a\", mentions = { words = [\"insulin\"] } }, { name = \"b\", never = [\"item\"] }]",
    )
    .unwrap();
    let matcher = Matcher::of(&policy, Some("baskets"), &Ask::default()).unwrap();
    let found = look(&policy, &matcher, &builder.finish(), (&[("item", "item".to_owned())], &[]), None);
    assert_eq!((found.against, found.records), (vec![1, 2], 2));
    let mut builder = DocumentsBuilder::new(None);
    builder.push_vector("1", [("cat", 1.0)], None);
    let policy = Policy::parse("rule = [{ name = \"a\", mentions = { words = [\"black cat\"] } }]").unwrap();
    let matcher = Matcher::of(&policy, Some("documents"), &Ask::default()).unwrap();
    let found = look(&policy, &matcher, &builder.finish(), (&[], &[]), None);
    let judged = policy.judge(&found, &alone(&Value::Null, None)).unwrap();
    assert_eq!(judged.rules[0].verdict, Verdict::Unknown);
}

#[test]
fn what_left_before_counts() {
    let text = r#"rule = [
      { name = "after", after = { dataset = "shop", field = "url" }, never = ["query"] },
      { name = "set", together = [{ word = "roses" }, { word = "tulips" }], within = "dataset" },
    ]
    [ledger]
    same_people = "refuse""#;
    let policy = Policy::parse(text).unwrap();
    let own = seen(&policy, &log(&[("1", "roses", None), ("2", "roses", None), ("3", "x", None)]));
    let judge = |ledger: Option<&Ledgered>| {
        let judgement = policy.judge(&own, &alone(&Value::Null, ledger)).unwrap();
        judgement.rules.iter().map(|rule| (rule.verdict, rule.records)).collect::<Vec<_>>()
    };
    use Verdict::{Breaks, Holds, Unknown};
    assert_eq!(judge(None), [(Unknown, 0), (Unknown, 0), (Unknown, 0)]);
    let says = |query: &str, url: Option<&str>| Some(Says::of_seen(&seen(&policy, &log(&[("9", query, url)]))));
    let ledger = |lines: Vec<(&str, Option<Says>)>| Ledgered {
        dataset: Some("shop".to_owned()),
        earlier: lines
            .into_iter()
            .zip(1..)
            .map(|((set, says), n)| Earlier { n, dataset: set.to_owned(), says })
            .collect(),
        other_people: Known::Yes,
    };
    let tulips = || says("tulips", Some("http://a.example"));
    for (lines, expected) in [
        (vec![], [(Holds, 0), (Holds, 0), (Holds, 0)]),
        (vec![("shop", tulips())], [(Breaks, 3), (Breaks, 2), (Holds, 0)]),
        (vec![("other", tulips())], [(Holds, 0), (Holds, 0), (Holds, 0)]),
        (vec![("shop", says("roses", None))], [(Holds, 0), (Holds, 0), (Holds, 0)]),
        (vec![("shop", None)], [(Unknown, 0), (Unknown, 0), (Holds, 0)]),
        (vec![("shop", None), ("shop", tulips())], [(Breaks, 3), (Breaks, 2), (Holds, 0)]),
    ] {
        assert_eq!(judge(Some(&ledger(lines))), expected);
    }
}

#[test]
fn attacks_are_judged_by_the_greatest() {
    let policy =
        Policy::parse("[minimum]\nattacks = { known-queries = 0.2, homogeneity-all = 0.5, refinement = 0 }\n").unwrap();
    let own = seen(&policy, &log(&[("1", "x", None)]));
    let judge = |attacks: Value| {
        let judgement = policy.judge(&own, &alone(&attacks, None)).unwrap();
        judgement.rules.iter().map(|rule| rule.verdict).collect::<Vec<_>>()
    };
    use Verdict::{Breaks, Holds, Unknown};
    let known = |rate: f64| json!({"name": "known-queries", "rate": rate});
    let parts = json!({"name": "homogeneity", "rate": 0.9, "parts": {"all": 0.4}});
    assert_eq!(judge(json!([known(0.1), known(0.2), parts])), [Holds, Holds, Holds]);
    assert_eq!(judge(json!([known(0.1), known(0.21), parts])), [Breaks, Holds, Holds]);
    assert_eq!(judge(json!([])), [Unknown, Unknown, Holds]);
    assert_eq!(judge(json!([{"name": "known-queries", "rate": null}])), [Unknown, Unknown, Holds]);
}

/// Rules to choose from; each is a line.
const POOL: [&str; 12] = [
    "{ name = \"r0\", never = [\"url\"] }",
    "{ name = \"r1\", never = [\"rank\", \"email\"] }",
    "{ name = \"r2\", mentions = { words = [\"roses\"] } }",
    "{ name = \"r3\", mentions = { concepts = [\"disease.n.01\"] }, then = \"leave-out\" }",
    "{ name = \"r4\", mentions = { paths = [\"/a/**\"] }, then = \"generalise\" }",
    "{ name = \"r5\", together = [{ word = \"roses\" }, { word = \"cars\" }] }",
    "{ name = \"r6\", together = [{ word = \"roses\" }, { concept = \"disease.n.01\" }], within = \"release\" }",
    "{ name = \"r7\", together = [{ word = \"cars\" }, { field = \"url\" }], within = \"dataset\" }",
    "{ name = \"r8\", after = { dataset = \"shop\", field = \"url\" }, never = [\"query\"] }",
    "{ name = \"r9\", kind = \"baskets\", never = [\"item\"] }",
    "{ name = \"r10\", kind = \"queries\", mentions = { words = [\"nothing of it\"] } }",
    "{ name = \"r11\", never = [\"time\"] }",
];

const QUERIES: [&str; 6] =
    ["garden roses", "used cars", "influenza", "weather", "red roses and cars", "ann@mail.example"];

fn lines() -> impl Strategy<Value = Vec<(usize, usize, bool)>> {
    prop::collection::vec((0..4usize, 0..QUERIES.len(), any::<bool>()), 1..10)
}

fn log_of(lines: &[(usize, usize, bool)]) -> QueryLog {
    let names = ["1", "2", "3", "4"];
    let line = |&(person, query, clicks): &(usize, usize, bool)| {
        (names[person], QUERIES[query], clicks.then_some("http://x.example/a/b"))
    };
    log(&lines.iter().map(line).collect::<Vec<_>>())
}

fn policy_of(rules: &[&str]) -> String {
    format!("format = 1\nrule = [\n{}\n]\n", rules.join(",\n"))
}

/// Every rule by itself, plainly, person by person: how many records are against it.
fn plainly(rule: &str, lines: &[(usize, usize, bool)]) -> Option<u64> {
    let says = |query: usize, what: &str| match what {
        "ill" => QUERIES[query] == "influenza",
        "email" => QUERIES[query].contains('@'),
        word => QUERIES[query].split(' ').any(|own| own == word),
    };
    let own = |person: usize| lines.iter().filter(move |line| line.0 == person);
    let has = |person: usize, what: &str| own(person).any(|line| says(line.1, what));
    let clicks = |person: usize| own(person).any(|line| line.2);
    let count = |test: &dyn Fn(usize) -> bool| {
        Some((0..4).filter(|&person| own(person).next().is_some() && test(person)).count() as u64)
    };
    let anywhere = |what: &str| lines.iter().any(|line| says(line.1, what));
    match rule.split('"').nth(1)? {
        "r0" | "r4" => count(&|person| clicks(person)),
        "r1" => count(&|person| has(person, "email")),
        "r2" => count(&|person| has(person, "roses")),
        "r3" => count(&|person| has(person, "ill")),
        "r5" => count(&|person| has(person, "roses") && has(person, "cars")),
        "r6" if anywhere("roses") && anywhere("ill") => count(&|person| has(person, "roses") || has(person, "ill")),
        "r6" | "r9" | "r10" => Some(0),
        "r11" => count(&|_| true),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// A rule more never turns a refusal into leave to publish, and the order of rules is nothing.
    #[test]
    fn a_rule_more_never_allows_more(lines in lines(), rules in subsequence(POOL.to_vec(), 1..=POOL.len()), at in any::<Index>(), extra in any::<Index>()) {
        let data = log_of(&lines);
        let judge = |rules: &[&str]| {
            let policy = Policy::parse(&policy_of(rules)).unwrap();
            policy.judge(&seen(&policy, &data), &alone(&Value::Null, None)).unwrap()
        };
        let all = judge(&rules);
        let mut fewer = rules.clone();
        fewer.remove(at.index(rules.len()));
        prop_assert!(judge(&fewer).allows() || !all.allows());
        let mut turned = rules.clone();
        turned.rotate_left(extra.index(rules.len()));
        let by_name = |judgement: &Judgement| {
            let mut rules: Vec<_> = judgement.rules.iter().map(|rule| (rule.name.clone(), rule.verdict, rule.records)).collect();
            rules.sort_by(|left, right| left.0.cmp(&right.0));
            (judgement.verdict, rules)
        };
        let mut own = by_name(&all).1;
        own.sort_by(|left, right| left.0.cmp(&right.0));
        prop_assert_eq!((all.verdict, own), by_name(&judge(&turned)));
        // What each rule says is what one who reads person by person says.
        for (rule, judged) in rules.iter().zip(&all.rules) {
            if let Some(records) = plainly(rule, &lines) {
                prop_assert_eq!(judged.records, records, "{}", rule);
                prop_assert_eq!(judged.verdict == Verdict::Breaks, records > 0);
            }
        }
    }
}

/// What a text said with its marks is known in what is published without them, beside the original.
#[test]
fn what_lost_its_marks_breaks_rules_all_the_same() {
    let original = log(&[
        ("a", "mail ann.berg@x.example", None),
        ("b", "shop.example/Health/teeth", None),
        ("c", "ref 12-34", None),
        ("d", "breast cancer", None),
        ("e", "red car", None),
    ]);
    let policy = Policy::parse(
        r#"rule = [
        { name = "mail", never = ["email"] },
        { name = "addresses", never = ["address"] },
        { name = "paths", mentions = { paths = ["/health/**"] } },
        { name = "pattern", mentions = { words = ["/\\d\\d-\\d\\d/"] } },
        { name = "concept", mentions = { concepts = ["breast_cancer.n.01"] } },
        ]"#,
    )
    .unwrap();
    static WORDNET: LazyLock<Mapper> = LazyLock::new(|| Ask::default().knowledge().unwrap().mapper);
    let matcher = Matcher::with(&policy, Some("queries"), || Ok(WORDNET.clone())).unwrap();
    let against = |query: &str, beside: bool| {
        let release = log(&[("1", query, None), ("2", "red car", None)]);
        look(&policy, &matcher, &release, (&columns(), &[]), beside.then_some(&original)).against
    };
    for (query, expected) in [
        ("mail ann berg x example", [1, 1, 0, 0, 0]),
        ("ann berg x", [0; 5]),
        ("health shop", [0, 0, 1, 0, 0]),
        ("health teeth", [0, 0, 1, 0, 0]),
        ("health insurance", [0; 5]),
        ("12 34", [0, 0, 0, 1, 0]),
        ("cancer breast", [0, 0, 0, 0, 1]),
        ("red car", [0; 5]),
    ] {
        assert_eq!(against(query, true), expected, "{query}");
        assert_eq!(against(query, false), [0; 5], "{query}: without the original nobody can tell");
    }
    // A report does not say of the original what no record may mention.
    for (text, is_forbidden) in
        [("Ann.Berg@x.example", true), ("breast cancer", true), ("12-34", true), ("red car", false)]
    {
        assert_eq!(matcher.forbids(text), is_forbidden, "{text}");
    }
    let direct = log(&[("1", "ann.berg@x.example", None)]);
    assert_eq!(seen(&policy, &direct).against[..2], [1, 1], "an address is what people call so");
}

#[test]
fn an_accent_hides_nothing() {
    for (rule, text) in [
        ("café", "old cafe"),
        ("cafe", "old Café"),
        ("café", "CAFE\u{301}"),
        ("smorrebrod", "sm\u{f8}rrebr\u{f8}d"),
        ("müller", "muller"),
    ] {
        let policy = format!("rule = [{{ name = \"a\", mentions = {{ words = [\"{rule}\"] }} }}]");
        let found = verdicts(&policy, &log(&[("1", text, None)]));
        assert_eq!(found[0].1, Verdict::Breaks, "{rule} {text}");
    }
    let other = verdicts("rule = [{ name = \"a\", mentions = { words = [\"café\"] } }]", &log(&[("1", "cafes", None)]));
    assert_eq!(other[0].1, Verdict::Holds);
}

#[test]
fn names_that_people_have_for_what_finders_find() {
    for (name, finders) in [
        ("address", &["street", "email", "ip"][..]),
        ("Addresses", &["street", "email", "ip"]),
        ("e-mail", &["email"]),
        ("email address", &["email"]),
        ("IP", &["ip"]),
        ("telephone", &["phone"]),
        ("credit card", &["card"]),
        ("url", &[]),
        ("shoe size", &[]),
    ] {
        let found: Vec<&str> =
            finders_of(name).into_iter().map(|finder| throng_core::finders::FINDERS[finder].info.name).collect();
        assert_eq!(found, finders, "{name}");
    }
    for name in other_names() {
        assert!(!finders_of(name).is_empty() && plain(name) == name, "{name}");
    }
    for (wrong, near) in [("emial", "email"), ("telephon", "telephone"), ("adresses", "addresses")] {
        let error = Policy::parse(&format!("rule = [{{ name = \"a\", never = [\"{wrong}\"] }}]")).unwrap_err();
        assert!(error.hint().is_some_and(|hint| hint.contains(near)), "{error} {:?}", error.hint());
    }
}

/// A path leads where its dots lead.
#[test]
fn paths_with_dots() {
    let rule = "rule = [{ name = \"a\", mentions = { paths = [\"/health/**\"] } }]";
    for (url, verdict) in [
        ("http://x.example/a/../health/b", Verdict::Breaks),
        ("http://x.example/a/%2e%2e/health/b", Verdict::Breaks),
        ("http://x.example/./health", Verdict::Breaks),
        ("http://x.example\\health\\b", Verdict::Breaks),
        ("http://x.example/health/../a", Verdict::Breaks),
        ("http://x.example/a/health", Verdict::Holds),
    ] {
        assert_eq!(verdicts(rule, &log(&[("1", "q", Some(url))]))[0].1, verdict, "{url}");
    }
}

/// A long list costs what its words in a text cost, and a long text what its words in the list cost.
#[test]
fn long_lists_and_long_texts() {
    let words: Vec<String> = (0..20_000).map(|word| format!("\"x{word} y\"")).collect();
    let policy = format!("rule = [{{ name = \"a\", mentions = {{ words = [{}] }} }}]", words.join(","));
    let long: String = (0..50_000).map(|word| format!("w{word} ")).collect();
    let lines: Vec<String> = (0..2_000).map(|line| format!("q{line} y")).collect();
    let mut rows: Vec<(&str, &str, Option<&str>)> = lines.iter().map(|line| ("1", line.as_str(), None)).collect();
    rows.push(("2", &long, None));
    rows.push(("3", "y x77", None));
    assert_eq!(verdicts(&policy, &log(&rows))[0].2, 1);
}
