//! `throng detect` on ratings.

use crate::support::Sandbox;

/// Persons who rate the first items of a list mostly, the more the later they come; a few made-up ones rate items at random, and all give item 57 five stars.
fn poisoned() -> (String, String) {
    let mut state = 17u64;
    let mut draw = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut ratings = String::from("user,item,rating\n");
    let mut labels = String::from("user,label\n");
    for person in 0..300 {
        let length = 8 + draw(24);
        let mut rated = Vec::new();
        while (rated.len() as u64) < length {
            // The smallest of three draws: what stands first is better known.
            let item = draw(200).min(draw(200)).min(draw(200)).min(draw(200));
            if !rated.contains(&item) {
                rated.push(item);
            }
        }
        for item in rated {
            let stars = (2 + (item * 7 % 3) + draw(3)).min(5);
            let stars = if item == 157 { 1 + draw(2) } else { stars };
            ratings.push_str(&format!("p{person},i{item},{stars}\n"));
        }
        labels.push_str(&format!("p{person},genuine\n"));
    }
    for shill in 0..12 {
        let mut rated = vec![157];
        while rated.len() < 15 {
            let item = draw(200);
            if !rated.contains(&item) {
                rated.push(item);
            }
        }
        for item in rated {
            let stars = if item == 157 { 5 } else { 3 + draw(2) };
            ratings.push_str(&format!("s{shill},i{item},{stars}\n"));
        }
        labels.push_str(&format!("s{shill},shill\n"));
    }
    (ratings, labels)
}

fn with_ratings() -> Sandbox {
    let sandbox = Sandbox::new();
    let (ratings, labels) = poisoned();
    sandbox.write("ratings.csv", ratings);
    sandbox.write("labels.csv", labels);
    sandbox
}

#[test]
fn help_of_detect() {
    let sandbox = Sandbox::new();
    sandbox.snapshot("help-detect", &["detect", "--help"]);
    for command in ["train", "score", "acquire", "evaluate"] {
        sandbox.snapshot(&format!("help-detect-{command}"), &["detect", command, "--help"]);
    }
    sandbox.snapshot("list-detectors", &["list", "detectors"]);
    sandbox.snapshot("explain-crowd-fit", &["explain", "crowd-fit"]);
    sandbox.snapshot("explain-files", &["explain", "files"]);
}

#[test]
fn shills_are_flagged_with_their_target() {
    let sandbox = with_ratings();
    let found = sandbox.done(&["detect", "score", "ratings.csv", "--json", "--show-values"]).json();
    assert_eq!(found["detector"], "crowd-fit");
    assert_eq!(found["scored"], 312);
    assert_eq!(found["target"]["item"], "i157");
    assert_eq!(found["target"]["direction"], "push");
    let scores = found["scores"].as_array().unwrap();
    assert_eq!(scores.len(), 312);
    assert_eq!((scores[0]["line"].as_u64(), scores[0]["id"].as_str()), (Some(2), Some("p0")));
    let right = scores.iter().filter(|score| score["flag"] == true && score["id"].as_str().unwrap().starts_with('s'));
    assert!(right.clone().count() >= 11, "{}", right.count());
    let wrong = scores.iter().filter(|score| score["flag"] == true && score["id"].as_str().unwrap().starts_with('p'));
    assert!(wrong.clone().count() <= 3, "{}", wrong.count());
    for score in scores {
        assert_eq!(score["flag"], score["score"].as_f64() > found["threshold"].as_f64());
        assert!(score["flag"] == false || !score["reasons"].as_array().unwrap().is_empty());
    }
    let plain = sandbox.done(&["detect", "score", "ratings.csv", "--json"]).json();
    assert!(plain["scores"][0].get("id").is_none() && plain["target"].get("item").is_none());
    assert_eq!(sandbox.run(&["detect", "score", "ratings.csv", "--alarm"]).code, 1);
    sandbox.snapshot("detect-score", &["detect", "score", "ratings.csv"]);
}

#[test]
fn detectors_side_by_side() {
    let sandbox = with_ratings();
    let found = sandbox.done(&["detect", "evaluate", "ratings.csv", "--labels", "labels.csv", "--json"]).json();
    let detectors = found["detectors"].as_array().unwrap();
    assert_eq!(detectors.len(), 8);
    assert_eq!(detectors[0]["name"], "crowd-fit");
    assert!(detectors[0]["recall"].as_f64().unwrap() > 0.9);
    for detector in detectors {
        let score = sandbox
            .done(&["detect", "score", "ratings.csv", "--detector", detector["name"].as_str().unwrap(), "--json"])
            .json();
        assert_eq!(score["flagged"], detector["flagged"]);
    }
    sandbox.snapshot("detect-evaluate", &["detect", "evaluate", "ratings.csv", "--labels", "labels.csv"]);
}

#[test]
fn what_cannot_be_detected() {
    let sandbox = with_ratings();
    sandbox.snapshot("detect-unknown", &["detect", "score", "ratings.csv", "--detector", "crowd-fitt"]);
    sandbox.write("others.csv", "user,label\nnobody,shill\n");
    sandbox.snapshot("detect-labels-of-others", &["detect", "evaluate", "ratings.csv", "--labels", "others.csv"]);
    sandbox.write("few.csv", "user,label\np0,genuine\n");
    sandbox.snapshot("detect-labels-missing", &["detect", "evaluate", "ratings.csv", "--labels", "few.csv"]);
    sandbox.write("wrong.csv", "user,label\np0,good\n");
    sandbox.snapshot("detect-labels-wrong", &["detect", "evaluate", "ratings.csv", "--labels", "wrong.csv"]);
    // Five of each: a release, whoever made it.
    let mut twins = String::from("user,item,rating\n");
    for person in 0..40 {
        for item in 0..10 {
            twins.push_str(&format!("p{person},i{},{}\n", person / 5 * 3 + item, 1 + (person / 5 + item) % 5));
        }
    }
    sandbox.write("twins.csv", twins);
    sandbox.snapshot("detect-twins", &["detect", "score", "twins.csv"]);
    std::fs::create_dir(sandbox.path("release")).unwrap();
    sandbox.write("release/certificate.json", "{}");
    sandbox.write("release/data.csv", poisoned().0);
    sandbox.snapshot("detect-release", &["detect", "score", "release/data.csv"]);
    sandbox.snapshot("detect-release-folder", &["detect", "score", "release"]);
}
