//! Every bad input that ratings may have: one clear error each, and nothing half-written.

use crate::support::Sandbox;

const FINE: &str = "user,item,rating\n1,a,3\n1,b,4\n2,a,5\n2,c,1\n3,b,2\n3,c,2\n";

#[test]
fn each_bad_input_gets_one_clear_error() {
    let sandbox = Sandbox::new();
    sandbox.write("fine.csv", FINE);
    for (name, value) in [("nan", "NaN"), ("inf", "inf"), ("empty", ""), ("word", "good")] {
        sandbox.write(&format!("{name}.csv"), format!("user,item,rating\n1,a,3\n1,b,{value}\n2,a,5\n"));
    }
    sandbox.write("twice.csv", "user,item,rating\n1,a,3\n2,a,5\n1,a,4\n2,b,1\n");
    sandbox.write("one.csv", "user,item,rating\n1,a,3\n1,b,4\n");
    sandbox.write("labels.csv", "user,label\n77,shill\n");
    sandbox.write("movies.csv", "movieId,title,genres\nx1,Some,Drama\n");
    sandbox.write("five.data", "1\t1\t3\t880000000\tx\n1\t2\t4\t880000001\ty\n2\t1\t5\t880000001\tz\n");
    sandbox.write("five.dat", "1::1::3::880000000::x\n1::2::4::880000001::y\n2::1::5::880000001::z\n");
    let inject = ["shill", "inject", "fine.csv", "--out", "poisoned.csv", "--labels", "out.csv", "--attack"];
    let with = |more: &[&'static str]| [&inject[..], more].concat();
    let cases: Vec<(Vec<&str>, &str)> = vec![
        (vec!["inspect", "fine.csv", "--scale", "1..4"], "in fine.csv:4"),
        (vec!["inspect", "nan.csv", "--kind", "ratings"], "the rating is not a number\n  in nan.csv:3"),
        (vec!["inspect", "inf.csv", "--kind", "ratings"], "the rating is not a number\n  in inf.csv:3"),
        (vec!["inspect", "word.csv", "--kind", "ratings"], "the rating is not a number\n  in word.csv:3"),
        (vec!["inspect", "empty.csv", "--kind", "ratings"], "the rating is missing\n  in empty.csv:3"),
        (vec!["inspect", "twice.csv"], "a second time, which they rated in line 2 already\n  in twice.csv:4"),
        (vec!["recommend", "predict", "one.csv", "--pairs", "one.csv"], "only one person in the file"),
        (vec!["inspect", "five.data", "--kind", "ratings"], "cannot tell which column"),
        (vec!["inspect", "five.dat", "--kind", "ratings"], "five.dat"),
        (vec!["inspect", "fine.csv", "--items", "movies.csv"], "no item of the ratings is in the file about items"),
        (vec!["detect", "evaluate", "fine.csv", "--labels", "labels.csv"], "the person is not in the ratings"),
        (with(&["ul", "--target", "zzz"]), "is not in the ratings"),
        (with(&["segment", "--target", "a"]), "there are no genres"),
        (with(&["random", "--target", "a", "--filler", "90%"]), "asks for 3 fillers, but there are 2"),
    ];
    for (args, said) in cases {
        let ran = sandbox.run(&args);
        assert!(ran.code == 2 && ran.stderr.contains(said), "{args:?}: {}", ran.stderr);
        assert_eq!(ran.stderr.matches("error:").count(), 1, "{args:?}: {}", ran.stderr);
        assert!(!sandbox.path("poisoned.csv").exists() && !sandbox.path("out.csv").exists(), "{args:?}");
    }
}

#[test]
fn what_is_odd_and_can_be_done_is_said() {
    let sandbox = Sandbox::new();
    sandbox.write("fine.csv", FINE);
    sandbox.write("twice.csv", "user,item,rating\n1,a,3\n2,a,5\n1,a,4\n2,b,1\n");
    let ran = sandbox.done(&["inspect", "twice.csv", "--bad-lines", "skip"]);
    assert!(ran.stdout.contains("ratings     3 of 2 items") && ran.stderr.contains("1 malformed line was left out"));
    sandbox.write("equal.csv", "user,item,rating\n1,a,3\n1,b,3\n2,a,3\n2,b,3\n");
    let ran = sandbox.done(&["recommend", "predict", "equal.csv", "--pairs", "equal.csv"]);
    assert!(
        ran.stderr.contains("no similarity is defined") && ran.stdout.contains("4 means that stand in"),
        "{}",
        ran.stdout
    );
    sandbox.write("pairs.csv", "user,item\n99,a\n1,q\n");
    let ran = sandbox.done(&["recommend", "predict", "fine.csv", "--pairs", "pairs.csv"]);
    assert!(ran.stderr.contains("2 pairs name a person or an item that the ratings do not have"), "{}", ran.stderr);
    let few =
        ["shill", "inject", "fine.csv", "--attack", "average", "--target", "a", "--size", "0.001", "--filler", "0.5"];
    let ran = sandbox.done(&[&few[..], &["--out", "poisoned.csv", "--labels", "labels.csv", "--json"]].concat());
    assert_eq!(ran.json()["profiles"], 1, "{}", ran.stdout);
    sandbox.write("r.dat", "1::1::3::880000000\n1::2::4::880000001\n2::1::5::880000002\n2::3::2::880000003\n");
    sandbox.write("movies.dat", "1::A :: B (1999)::Drama|War\n2::C::Comedy\n3::D::Drama\n");
    let ran = sandbox.done(&["inspect", "r.dat", "--items", "movies.dat"]);
    assert!(ran.stdout.contains("3 of 3 are known, with 3 genres"), "{}", ran.stdout);
    sandbox.write("ids.csv", "ann@x.example,a,3\nben,a,4\nben,b,1\n");
    assert!(sandbox.done(&["inspect", "ids.csv", "--kind", "ratings"]).stdout.contains("persons     2"));
}

#[test]
fn made_up_persons_are_said_and_left_out() {
    let sandbox = Sandbox::new();
    let made = ["--persons", "300", "--items", "200", "--mean-ratings", "40", "--seed", "3", "--out", "r.csv"];
    sandbox.done(&[&["synth", "ratings"][..], &made].concat());
    let quiet = sandbox.done(&["protect", "r.csv", "--k", "5", "--out", "clean", "--seed", "1"]);
    assert!(!quiet.stderr.contains("made them up"), "{}", quiet.stderr);
    let target = sandbox.read("r.csv").lines().nth(1).unwrap().split(',').nth(1).unwrap().to_owned();
    let inject = [
        "shill", "inject", "r.csv", "--attack", "average", "--whole", "--size", "10%", "--filler", "10%", "--seed", "1",
    ];
    let out = ["--target", &target, "--out", "poisoned.csv", "--labels", "labels.csv"];
    sandbox.done(&[&inject[..], &out].concat());
    let protect = ["protect", "poisoned.csv", "--k", "5", "--seed", "1", "--out"];
    let loud = sandbox.done(&[&protect[..], &["poisoned"]].concat());
    assert!(loud.stderr.contains("look as if somebody had made them up"), "{}", loud.stderr);
    let left = sandbox.done(&[&protect[..], &["left", "--drop-shills", "labels.csv", "--json"]].concat());
    assert!(left.stderr.contains("left out 30 persons") && !left.stderr.contains("made them up"), "{}", left.stderr);
    assert_eq!(sandbox.read("left/data.csv").lines().count(), sandbox.read("clean/data.csv").lines().count());
    assert_eq!(sandbox.run(&["check", "left", "--original", "poisoned.csv"]).code, 0);
    // A list of ids does the same; one of strangers is refused, and so is one for other data.
    let ids: Vec<String> =
        sandbox.read("labels.csv").lines().filter_map(|line| Some(line.strip_suffix(",shill")?.to_owned())).collect();
    sandbox.write("ids.txt", ids.join("\n") + "\n");
    sandbox.done(&[&protect[..], &["same", "--drop-shills", "ids.txt"]].concat());
    assert_eq!(sandbox.read("left/data.csv"), sandbox.read("same/data.csv"));
    sandbox.write("strangers.txt", "nobody\n");
    let ran = sandbox.run(&[&protect[..], &["none", "--drop-shills", "strangers.txt"]].concat());
    assert!(ran.code == 2 && ran.stderr.contains("the person is not in the ratings"), "{}", ran.stderr);
    sandbox.write("log.tsv", "1\tred car\t2006-03-01 10:00:00\n2\tred car\t2006-03-01 10:00:00\n");
    let ran = sandbox.run(&[
        "protect",
        "log.tsv",
        "--kind",
        "queries",
        "--k",
        "2",
        "--out",
        "none",
        "--drop-shills",
        "ids.txt",
    ]);
    assert!(ran.code == 2 && !sandbox.path("none").exists(), "{}", ran.stderr);
    // A release is full of twins.
    let ran = sandbox.run(&["detect", "score", "left/data.csv"]);
    assert!(ran.code == 2 && ran.stderr.contains("twins by construction"), "{}", ran.stderr);
}
