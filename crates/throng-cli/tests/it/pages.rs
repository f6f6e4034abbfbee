//! The pages in a real browser: every chart is drawn, nothing leaves the machine, nothing complains, and what people typed is
//! text, whatever they typed. Screenshots are left in `target/tmp/pages` for people to look at.
//!
//! Without Chromium the pages are not opened, and the test says so; `.ci/run` installs it.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::Sandbox;
use crate::support::browser::{Browser, asked_by_pages};
use crate::support::running::{ended, kill, running_when};

/// Queries that are not only words: markup, script, quotes, marks that turn the writing around, and a very long word.
fn hostile_log() -> String {
    let long = "m".repeat(1 << 20);
    let queries = [
        "<script>document.title='HACKED'</script>",
        "<img src=https://evil.example/x.png onerror=alert(1)>",
        "\"quoted\" 'single' & <b>bold</b>",
        "\u{202e}right to left\u{202c} \u{200f}שלום",
        "{{ 7 * 7 }} {% raw %}",
        &long,
        "weather",
    ];
    let mut log = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n".to_owned();
    for person in 0..12 {
        for (at, query) in queries.iter().enumerate() {
            // The long word is issued by few, so that the file stays small.
            if query.len() < 1000 || person < 3 {
                let _ = writeln!(log, "{}\t{query}\t2006-03-0{} 10:0{}:00\t\t", person + 1, 1 + at, person % 10);
            }
        }
        let _ = writeln!(log, "{}\tquery of {person}\t2006-03-09 10:00:00\t\t", person + 1);
    }
    log
}

/// Where screenshots go.
fn gallery() -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    fs::create_dir_all(&place).unwrap();
    place
}

/// Looks at a page in a browser, in three widths, light and dark.
fn look_at(browser: Browser, sandbox: &Sandbox, page: &Path, name: &str) {
    let source = fs::read_to_string(page).unwrap();
    let charts = source.matches("<svg").count();
    assert!(charts > 0, "{name} has no chart");
    for (width, height) in [(360, 2400), (800, 2000), (1400, 2000)] {
        for (look, scheme) in [("light", 1), ("dark", 0)] {
            let picture = gallery().join(format!("{name}-{width}-{look}.png"));
            let _ = fs::remove_file(&picture);
            let flags =
                [format!("--window-size={width},{height}"), format!("--blink-settings=preferredColorScheme={scheme}")];
            let seen = browser.look(page, &picture, &flags);
            assert!(picture.metadata().is_ok_and(|file| file.len() > 5_000), "{name}: no picture: {}", seen.said);
            assert_eq!(seen.complaints, [""; 0], "{name} complains");
            assert_eq!(seen.asked, [""; 0], "{name} asks for something");
        }
    }
    // The same page with a script that says how large each chart was drawn.
    let asking = sandbox.path(&format!("{name}-asking.html"));
    let script = "<script>document.body.dataset.charts = Array.from(document.querySelectorAll('svg')).map(function (svg) { \
                  var box = svg.getBBox(); return Math.round(box.width) + 'x' + Math.round(box.height); }).join(' ');</script>";
    let open_page: String = source
        .lines()
        .filter(|line| !line.contains("Content-Security-Policy"))
        .fold(String::new(), |page, line| page + line + "\n");
    fs::write(&asking, open_page.replace("</body>", &format!("{script}</body>"))).unwrap();
    let dom = browser.document(&asking);
    let sizes = dom.split("data-charts=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    let drawn = sizes.split(' ').filter(|size| {
        let (width, height) = size.split_once('x').unwrap_or_default();
        width.parse::<u32>().is_ok_and(|width| width > 200) && height.parse::<u32>().is_ok_and(|height| height > 30)
    });
    assert_eq!(drawn.count(), charts, "{name}: {sizes}");
    assert!(!dom.contains("<title>HACKED"), "{name}");
}

/// What must hold of a page without opening it.
fn assert_is_text(page: &str, name: &str) {
    for markup in ["<script>document", "<img", "<b>bold", "onerror=alert(1)>", "\u{202e}"] {
        assert!(!page.contains(markup), "{name} holds {markup} as it is");
    }
    assert!(
        !page.contains("http://") && !page.contains("href=\"") && !page.contains("src=\""),
        "{name} leads elsewhere"
    );
    assert!(page.len() < 1_000_000, "{name} has {} bytes", page.len());
}

#[test]
fn the_report_of_a_hostile_log() {
    let sandbox = Sandbox::new();
    sandbox.write("log.tsv", hostile_log());
    sandbox.done(&["protect", "log.tsv", "--out", "release", "--k", "3", "--seed", "1", "--key", "key.csv"]);
    let page = sandbox.read("release/report.html");
    assert_is_text(&page, "report");
    assert!(page.contains("&lt;script&gt;"), "what is shown is shown as text");
    // Drawn again it is the same page.
    sandbox.done(&["report", "release"]);
    assert_eq!(page, sandbox.read("release/report.html"));
    // The custodian's own shows everything, and never lies in the release.
    let args = ["report", "release", "--private", "mine.html", "--original", "log.tsv", "--key", "key.csv"];
    sandbox.done(&args);
    let mine = sandbox.read("mine.html");
    assert!(mine.contains("Private") && !page.contains("Private"));
    assert!(!mine.contains("<script>document"));
    let inside = ["report", "release", "--private", "release/mine.html", "--original", "log.tsv", "--key", "key.csv"];
    assert_eq!(sandbox.run(&inside).code, 2);
    if let Some(browser) = Browser::find() {
        look_at(browser, &sandbox, &sandbox.path("release/report.html"), "report");
    }
}

/// A table whose columns and values are markup: shown as text, with what became of each column, and charts that are drawn.
#[test]
fn the_report_of_a_hostile_table() {
    let sandbox = Sandbox::new();
    let mut text = "age,<b>bold,illness\n".to_owned();
    for row in 0..60 {
        let illness = ["<script>document.title='HACKED'</script>", "flu", "gout"][row % 3];
        let _ =
            writeln!(text, "{},{},{illness}", 20 + row * row % 37, ["<i>town</i>", "land", "<img src=x>"][row % 7 % 3]);
    }
    sandbox.write("people.csv", text);
    let roles =
        ["--hierarchy", "<b>bold=flat", "--kind", "table", "--column", "quasi=age,<b>bold", "sensitive=illness"];
    let protect = ["protect", "people.csv", "--out", "release", "--k", "5", "--seed", "1", "--method", "flock"];
    sandbox.done(&[&protect[..], &roles].concat());
    let page = sandbox.read("release/report.html");
    assert_is_text(&page, "table");
    assert!(page.contains("&lt;b&gt;bold"), "what is shown is shown as text");
    let report = sandbox.json("release/report.json");
    assert!(report["measures"].as_array().is_some_and(|measures| !measures.is_empty()));
    if let Some(browser) = Browser::find() {
        look_at(browser, &sandbox, &sandbox.path("release/report.html"), "table");
    }
}

#[test]
fn the_attack_panel_stands_after_the_verdict_and_fits() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "queries", "--persons", "60", "--seed", "4", "--out", "log.tsv", "--quiet"]);
    sandbox.done(&["protect", "log.tsv", "--out", "release", "--k", "3", "--seed", "1", "--quiet"]);
    let page = sandbox.read("release/report.html");
    let (verdict, panel) = (page.find("class=\"verdict\"").unwrap(), page.find("id=\"attacks\"").unwrap());
    assert!(verdict < panel && panel < page.find("What the release keeps").unwrap());
    let attacks = sandbox.json("release/report.json")["attacks"].clone();
    let known: Vec<_> = attacks.as_array().unwrap().iter().filter(|attack| attack["name"] == "known-queries").collect();
    assert_eq!((known.len(), page.matches("<tr><td>knows ").count()), (5, 5));
    for attack in &known {
        assert!(attack["rate"].as_f64() <= attack["bound"].as_f64(), "{attack}");
        assert!(attack["unprotected"]["rate"].as_f64() > attack["rate"].as_f64(), "{attack}");
        assert!(page.contains(&format!("<data value=\"{}\">", attack["rate"])), "{attack}");
    }
    // The one who is right most often is the one of whom a sentence is.
    let most = known
        .iter()
        .rev()
        .max_by(|left, right| left["rate"].as_f64().unwrap().total_cmp(&right["rate"].as_f64().unwrap()));
    let most = most.unwrap()["knowledge"]["p"].as_u64().unwrap();
    let says = [format!("Somebody who knows {most} search"), format!("Somebody who knows up to {most} searches")];
    assert!(says.iter().any(|says| page.contains(says)), "{most}");
    sandbox.done(&["protect", "log.tsv", "--out", "without", "--k", "3", "--seed", "1", "--quiet", "--no-attacks"]);
    assert!(sandbox.json("without/report.json")["attacks"].is_null());
    assert!(!sandbox.read("without/report.html").contains("id=\"attacks\""));
    let Some(browser) = Browser::find() else { return };
    let script = "<script>var table = document.querySelector('#attacks .scroll'), panel = document.getElementById('attacks').getBoundingClientRect(); document.body.dataset.fits = \
                  panel.height > 100 && table.scrollWidth <= table.clientWidth && panel.left >= 0 && panel.right <= window.innerWidth && \
                  document.documentElement.scrollWidth <= window.innerWidth;</script></body>";
    let open = page.lines().filter(|line| !line.contains("Content-Security-Policy"));
    let open = open.fold(String::new(), |page, line| page + line + "\n").replace("</body>", script);
    sandbox.write("asking.html", open);
    for width in [1280, 400] {
        let window = [format!("--window-size={width},1500")];
        let picture = gallery().join(format!("attacks-{width}.png"));
        let seen = browser.look(&sandbox.path("release/report.html"), &picture, &window);
        assert_eq!((seen.complaints, seen.asked), (Vec::new(), Vec::<String>::new()));
        let document = browser.document_with(&sandbox.path("asking.html"), &window);
        assert!(document.contains("data-fits=\"true\""), "{width}: the panel does not fit");
    }
}

/// The page of a recipe: its graph as a picture, and whatever data, steps and titles are called is text.
#[test]
fn the_page_of_a_run() {
    let sandbox = Sandbox::new();
    sandbox.write("log.tsv", hostile_log());
    let recipe = "throng = 1\n[data.log]\nfile = \"log.tsv\"\n[steps.release]\nrun = \"protect\"\nin = \"log\"\nk = 3\nseed = 1\nmethod = \"user-microaggregation\"\n\
                  title = \"<b>bold</b>\"\n[steps.holds]\nrun = \"check\"\nin = \"release\"\n[steps.loss]\nrun = \"measure\"\noriginal = \"log\"\n\
                  release = \"release\"\n[steps.found]\nrun = \"report\"\nin = [\"holds\", \"loss\"]\ntitle = \"<img src=x>\"\n\
                  [steps.never]\nrun = \"copy\"\nin = \"release\"\nto = \"out\"\nwhen = \"holds.verdict == '<script>document'\"\n";
    sandbox.write("nightly.toml", recipe);
    sandbox.done(&["run", "nightly.toml"]);
    let page = sandbox.read("nightly.state/run.html");
    for markup in ["<script>document", "<img", "<b>bold"] {
        assert!(
            !page.contains(markup) && !sandbox.read("nightly.state/found/report.html").contains(markup),
            "{markup}"
        );
    }
    assert!(
        !page.contains("http:")
            && !page.contains("https:")
            && page.contains("href=\"release&#x2f;release&#x2f;report.html\"")
    );
    for step in ["release", "holds", "loss", "found", "never"] {
        assert!(page.contains("<text x=") && page.contains(&format!(">{step}</text>")), "{step} is not drawn");
    }
    assert_eq!(page.matches("class=\"way\"").count(), 6, "a way for each that takes from another");
    if let Some(browser) = Browser::find() {
        look_at(browser, &sandbox, &sandbox.path("nightly.state/run.html"), "run");
    }
}

#[test]
fn the_page_of_an_audit() {
    let sandbox = Sandbox::new();
    // A file whose name is markup, with a note about it.
    let name = "<b>bold & log.tsv";
    sandbox.write(name, hostile_log());
    let ran = sandbox.run(&["audit", name, "--html", "audit.html"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let page = sandbox.read("audit.html");
    assert_is_text(&page, "audit");
    for (words, count) in
        [("class=\"bar", 1), ("weather", 0), ("quoted", 0), ("query of", 0), ("exact, small ones too", 1)]
    {
        assert_eq!(page.matches(words).count(), count, "{words}");
    }
    assert!(page.contains(ran.stdout.lines().find_map(|line| line.strip_prefix("answer      ")).unwrap()));
    if let Some(browser) = Browser::find() {
        for width in [1280, 400] {
            let picture = gallery().join(format!("audit-{width}.png"));
            let seen = browser.look(&sandbox.path("audit.html"), &picture, &[format!("--window-size={width},1600")]);
            assert!(picture.metadata().is_ok_and(|file| file.len() > 5_000), "no picture: {}", seen.said);
            assert_eq!((seen.complaints, seen.asked), (vec![], vec![]));
        }
    }
}

/// Whether everything of a page that a selector names is within the window, and no picture is wider than what holds it; asked of a page
/// without its policy, for it has no scripts.
fn fits(browser: Browser, sandbox: &Sandbox, page: &str, selector: &str, width: u32) -> bool {
    let script = format!(
        "<script>var all = Array.from(document.querySelectorAll('{selector}')); document.body.dataset.fits = all.length > 0 && \
         document.documentElement.scrollWidth <= window.innerWidth && all.every(function (one) {{ \
         var box = one.getBoundingClientRect(); return box.width > 200 && box.height > 100 && box.left >= 0 && box.right <= window.innerWidth; \
         }});</script></body>"
    );
    let open = page.lines().filter(|line| !line.contains("Content-Security-Policy"));
    let open = open.fold(String::new(), |page, line| page + line + "\n").replace("</body>", &script);
    sandbox.write("asking.html", open);
    let document = browser.document_with(&sandbox.path("asking.html"), &[format!("--window-size={width},1600")]);
    document.contains("data-fits=\"true\"")
}

/// Looks at a page at 1280 and 400 pixels, light and dark: nothing complains, nothing is asked for, and what a selector names fits.
fn look_at_both_widths(browser: Browser, sandbox: &Sandbox, page: &str, name: &str, selector: &str) {
    for width in [1280, 400] {
        for (look, scheme) in [("light", 1), ("dark", 0)] {
            let picture = gallery().join(format!("{name}-{width}-{look}.png"));
            let _ = fs::remove_file(&picture);
            let flags =
                [format!("--window-size={width},6000"), format!("--blink-settings=preferredColorScheme={scheme}")];
            let seen = browser.look(&sandbox.path(page), &picture, &flags);
            assert!(picture.metadata().is_ok_and(|file| file.len() > 5_000), "{name}: no picture: {}", seen.said);
            assert_eq!((seen.complaints, seen.asked), (Vec::new(), Vec::<String>::new()), "{name} at {width}");
        }
        assert!(fits(browser, sandbox, &sandbox.read(page), selector, width), "{name} does not fit {width} pixels");
    }
}

/// The drawing of a masked network: circles, lines and the matrix where there are many clusters, and a table for whoever sees none.
#[test]
fn the_drawing_of_a_masked_network() {
    let sandbox = Sandbox::new();
    let synth =
        ["synth", "graph", "--persons", "1600", "--degree", "12", "--seed", "1", "--quiet", "--out", "friends.csv"];
    sandbox.done(&synth);
    for (k, out, has_matrix) in [("20", "few", false), ("5", "many", true)] {
        let protect =
            ["protect", "friends.csv", "--k", k, "--seed", "1", "--quiet", "--no-attacks", "--effort", "fast"];
        sandbox.done(&[&protect[..], &["--out", out]].concat());
        let page = format!("{out}/report.html");
        let text = sandbox.read(&page);
        let clusters = sandbox.read(&format!("{out}/data.nodes.csv")).lines().count() - 1;
        assert_eq!(clusters > 300, has_matrix, "{clusters} clusters");
        assert_eq!(
            (text.matches("<circle class=\"cluster").count(), text.contains("network matrix")),
            (clusters.min(300), has_matrix)
        );
        assert!(text.contains("aria-describedby=\"clusters\"") && text.contains("id=\"clusters\""));
        if let Some(browser) = Browser::find() {
            look_at_both_widths(browser, &sandbox, &page, &format!("network-{out}"), "#network svg, #clusters");
        }
    }
}

/// The maps of a report of paths, and a cube as a page whose slider shows one time after the other.
#[test]
fn maps_of_paths_and_of_a_cube() {
    let sandbox = Sandbox::new();
    sandbox.done(&[
        "synth",
        "paths",
        "--persons",
        "80",
        "--days",
        "14",
        "--seed",
        "1",
        "--quiet",
        "--out",
        "paths.csv",
    ]);
    sandbox.done(&["protect", "paths.csv", "--k", "5", "--seed", "1", "--quiet", "--no-attacks", "--out", "release"]);
    let cube = ["paths", "cube", "paths.csv", "--cell", "quad:4-14", "--time", "1d", "--k", "5", "--quiet"];
    sandbox.done(&[&cube[..], &["--out", "cube.csv"]].concat());
    sandbox.done(&["paths", "cube", "cube.csv", "--page", "cube.html", "--quiet"]);
    let Some(browser) = Browser::find() else { return };
    look_at_both_widths(browser, &sandbox, "release/report.html", "maps", "#maps svg");
    look_at_both_widths(browser, &sandbox, "cube.html", "cube", "figure.map svg");
    // The slider at its last place: the last frame is shown, and its row marked; no other.
    let moved = "<script>var slider = document.getElementById('time'); slider.value = slider.max; slider.dispatchEvent(new Event('input')); \
                 var on = document.querySelectorAll('.frame.on'), rows = document.querySelectorAll('#times tr.on'); \
                 document.body.dataset.moved = slider.max > 3 && on.length === 1 && !on[0].nextElementSibling.matches('.frame') && rows.length === 1 && \
                 !rows[0].nextElementSibling && rows[0].firstElementChild.textContent === document.getElementById('now').textContent;</script></body>";
    sandbox.write("moved.html", sandbox.read("cube.html").replace("</body>", moved));
    let document = browser.document(&sandbox.path("moved.html"));
    assert!(document.contains("data-moved=\"true\""), "the slider does not move the map");
}

#[test]
fn title_and_date_are_part_of_a_release() {
    let sandbox = Sandbox::with_log();
    let protect = |out: &str, more: &[&str]| {
        sandbox.run(&[&["protect", "log.tsv", "--out", out, "--k", "3", "--measure", "query-frequency"], more].concat())
    };
    // A seeded run is the same on any day; another one says which day it is.
    assert_eq!(protect("seeded", &["--seed", "1"]).code, 0);
    assert!(sandbox.json("seeded/report.json")["date"].is_null());
    assert_eq!(protect("secure", &[]).code, 0);
    assert!(sandbox.json("secure/report.json")["date"].as_str().is_some_and(|date| date.len() == 10));
    let heading = ["--seed", "1", "--title", "Searches <of> spring", "--date", "2024-03-31"];
    assert_eq!(protect("named", &heading).code, 0);
    let page = sandbox.read("named/report.html");
    assert!(page.contains("<bdi>Searches &lt;of&gt; spring</bdi>") && page.contains("2024-03-31"));
    let refused = protect("other", &["--date", "31.3.2024"]);
    assert!(refused.code == 2 && refused.stderr.contains("no day"), "{refused:?}");
    // Another title is written into the release as a whole, which a signature forbids.
    sandbox.done(&["report", "named", "--title", "Searches of autumn"]);
    let report = sandbox.json("named/report.json");
    assert_eq!((&report["title"], &report["date"]), (&"Searches of autumn".into(), &"2024-03-31".into()));
    assert!(sandbox.read("named/report.html").contains("<h1><bdi>Searches of autumn</bdi></h1>"));
    sandbox.done(&["check", "named", "--only-checkable"]);
    sandbox.write("named/certificate.sig", "0123456789abcdef");
    let refused = sandbox.run(&["report", "named", "--title", "Searches of winter"]);
    assert!(refused.code == 2 && refused.stderr.contains("signed"), "{refused:?}");
}

#[test]
fn the_private_page_says_who_is_most_exposed() {
    let sandbox = Sandbox::with_log();
    sandbox.done(&["protect", "log.tsv", "--out", "release", "--k", "3", "--seed", "1", "--key", "key.csv"]);
    let heading = "Who is still most exposed";
    assert!(!sandbox.read("release/report.html").contains(heading));
    sandbox.done(&["report", "release", "--private", "mine.html", "--original", "log.tsv", "--key", "key.csv"]);
    let mine = sandbox.read("mine.html");
    let exposed = mine.split(heading).nth(1).and_then(|rest| rest.split("</section>").next()).unwrap();
    let rows: Vec<&str> = exposed.split("<tr><td>").skip(1).collect();
    assert!((1..=10).contains(&rows.len()), "{exposed}");
    assert!(rows.iter().all(|row| row.contains("person ") && row.contains(" others</td>")), "{exposed}");
}

/// A page that asks for something in every way a page has is seen to ask, and one that asks for nothing is not.
#[test]
fn a_page_that_asks_for_something_is_caught() {
    let Some(browser) = Browser::find() else { return };
    let sandbox = Sandbox::new();
    let asking = "<!doctype html><title>asks</title>\
        <link rel=stylesheet href=https://stylesheet.example/a.css>\
        <style>p { background: url(https://background.example/a.png); }</style>\
        <p>text</p><img src=https://image.example/a.png><iframe src=https://frame.example/></iframe>\
        <svg><image href=https://drawing.example/a.png /></svg>\
        <script src=https://script.example/a.js></script><script>fetch('https://fetch.example/')</script>";
    sandbox.write("asking.html", asking);
    let seen = browser.look(&sandbox.path("asking.html"), &sandbox.path("asking.png"), &[]);
    for what in ["stylesheet", "background", "image", "frame", "drawing", "script", "fetch"] {
        let address = format!("https://{what}.example/");
        assert!(seen.asked.iter().any(|url| url.starts_with(&address)), "not seen: {what}, only {:#?}", seen.asked);
    }
    assert!(!seen.complaints.is_empty(), "a fetch that fails is on the console: {}", seen.said);
    sandbox.write("modest.html", "<!doctype html><title>modest</title><p>text</p><script>console.log('hm')</script>");
    let seen = browser.look(&sandbox.path("modest.html"), &sandbox.path("modest.png"), &[]);
    assert_eq!((seen.asked.len(), seen.complaints.len()), (0, 1), "{seen:#?}");
}

/// The same without a browser: who began a request decides, and not whom it asks.
#[test]
fn an_errand_of_the_browser_is_not_of_the_page() {
    let log = r#"{"constants": {}, "events": [
        {"params": {"initiator": "not an origin", "url": "https://errand.example/update"}, "phase": 1},
        {"params": {"host": "errand.example"}}, {"phase": 2},
        {"params": {"initiator": "null", "url": "https://errand.example/picture"}, "phase": 1}]}"#;
    assert_eq!(asked_by_pages(log), ["https://errand.example/picture"]);
}

/// Numbers of a page, whole as they stand in its `data` elements.
fn numbers(page: &str) -> Vec<&str> {
    page.split("<data value=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn the_numbers_of_a_page_are_those_of_its_json() {
    let sandbox = Sandbox::with_log();
    sandbox.done(&["protect", "log.tsv", "--out", "release", "--k", "3", "--seed", "1"]);
    let json = sandbox.read("release/report.json");
    let page = sandbox.read("release/report.html");
    let found = numbers(&page);
    assert!(found.len() > 10, "{found:?}");
    for number in found {
        assert!(json.contains(number), "{number} is not in the report");
    }
}

/// The experiment on attacks: four figures, at the widths of a telephone and a screen.
#[test]
fn the_page_of_attacks_on_ratings() {
    let sandbox = Sandbox::new();
    let synth = ["synth", "ratings", "--persons", "120", "--items", "100", "--mean-ratings", "30", "--seed", "2"];
    sandbox.done(&[&synth[..], &["--out", "r.csv", "--items-file", "movies.csv"]].concat());
    let measure = ["shill", "measure", "r.csv", "--items", "movies.csv", "--paper", "--targets", "low:2,high:2"];
    sandbox
        .done(&[&measure[..], &["--target-ratings", "5", "--users", "10", "--draws", "2", "--out", "shifts"]].concat());
    let page = sandbox.read("shifts/shilling.html");
    assert_is_text(&page, "shilling");
    assert_eq!((page.matches("<svg").count(), page.matches("the paper says").count()), (4, 4));
    if let Some(browser) = Browser::find() {
        look_at(browser, &sandbox, &sandbox.path("shifts/shilling.html"), "shilling");
        for width in [1280, 400] {
            let picture = gallery().join(format!("shilling-{width}.png"));
            let flags = [format!("--window-size={width},4200")];
            let seen = browser.look(&sandbox.path("shifts/shilling.html"), &picture, &flags);
            assert!(picture.metadata().is_ok_and(|file| file.len() > 5_000), "no picture: {}", seen.said);
            assert_eq!((seen.complaints, seen.asked), (vec![], vec![]));
        }
    }
}

/// The report of ratings: who finds people by how many known ratings, and what a recommender still learns.
#[test]
fn the_report_of_ratings_has_its_pictures() {
    let sandbox = Sandbox::new();
    let synth = ["synth", "ratings", "--persons", "120", "--items", "100", "--mean-ratings", "30", "--seed", "2"];
    sandbox.done(&[&synth[..], &["--out", "r.csv"]].concat());
    sandbox.done(&["protect", "r.csv", "--k", "5", "--out", "release", "--seed", "1"]);
    let page = sandbox.read("release/report.html");
    assert_is_text(&page, "ratings");
    for title in ["How often somebody is right who knows some ratings", "What a recommender still learns"] {
        assert_eq!(page.matches(title).count(), 1, "{title}");
    }
    if let Some(browser) = Browser::find() {
        look_at(browser, &sandbox, &sandbox.path("release/report.html"), "ratings");
    }
}

/// Pages of links, masks and attacks name nobody, and are drawn.
#[test]
fn pages_of_links_masks_and_attacks() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "records", "--records", "200", "--seed", "1", "--out", "people"]);
    sandbox.done(&[
        "link",
        "match",
        "people/a.csv",
        "people/b.csv",
        "--out",
        "pairs.csv",
        "--one-to-one",
        "--report",
        "link.html",
    ]);
    sandbox.write("schema.json", crate::cli::link_encoded::SCHEMA);
    sandbox.write("secret", "an open secret of the tests");
    let encode =
        ["link", "encode", "people/a.csv", "--schema", "schema.json", "--secret-file", "secret", "--seed", "1"];
    sandbox.done(&[&encode[..], &["--out", "a.clk", "--key", "rows.csv"]].concat());
    let attack = ["attack", "people/a.csv", "a.clk", "--schema", "schema.json", "--key", "rows.csv", "--targets", "60"];
    sandbox.done(&[&attack[..], &["--report", "attack.html"]].concat());
    sandbox.done(&["synth", "town", "--addresses", "600", "--persons", "80", "--seed", "1", "--out", "town"]);
    let reference = ["--ref", "town/reference.csv", "--k", "10"];
    let mask = [
        "geocode",
        "mask",
        "town/points.csv",
        "--secret-file",
        "secret",
        "--out",
        "masked.csv",
        "--report",
        "mask.html",
    ];
    sandbox.done(&[&mask[..], &reference].concat());
    let unmask = ["geocode", "attack", "mask", "town/points.csv", "masked.csv", "--report", "unmask.html"];
    sandbox.done(&[&unmask[..], &reference].concat());
    for (name, svgs, says) in [
        ("link", 2, "How right it thinks it is"),
        ("attack", 1, "encoding-graph"),
        ("mask", 3, "no true position"),
        ("unmask", 1, "a blind guess"),
    ] {
        let page = sandbox.read(&format!("{name}.html"));
        assert_is_text(&page, name);
        assert!(page.matches("<svg").count() == svgs && page.contains(says), "{name}: {page}");
        if let Some(browser) = Browser::find() {
            look_at(browser, &sandbox, &sandbox.path(&format!("{name}.html")), name);
        }
    }
    // Nobody's surname is on the page of a link.
    let page = sandbox.read("link.html");
    let names = sandbox.read("people/a.csv");
    let surname = names.lines().next().unwrap().split(',').position(|name| name == "surname").unwrap();
    let of = |line: &str| line.split(',').nth(surname).unwrap_or_default().to_owned();
    assert!(names.lines().skip(1).map(of).filter(|name| name.len() > 4).all(|name| !page.contains(&name)));
    // A page is never written over, and only encoded records have one of attacks.
    assert_eq!(
        sandbox
            .run(
                &[
                    &mask[..4],
                    &["--out", "again.csv", "--secret-file", "secret", "--report", "mask.html"],
                    &reference[..]
                ]
                .concat()
            )
            .code,
        2
    );
    assert_eq!(sandbox.run(&["attack", "people/a.csv", "people/b.csv", "--report", "x.html"]).code, 2);
}

#[test]
fn a_comparison_of_a_hostile_log() {
    let sandbox = Sandbox::new();
    sandbox.write("log.tsv", hostile_log());
    let methods = "user-microaggregation,user-microaggregation:average=aggregate";
    let args = ["compare", "log.tsv", "--methods", methods, "--k", "2..4", "--out", "comparison", "--json"];
    let whole = sandbox.done(&args).json();
    assert_eq!(whole, sandbox.json("comparison/comparison.json"));
    let numbers = |cell: &serde_json::Value, key: &str| cell[key].as_array().map_or(0, Vec::len);
    let rows = whole["cells"].as_array().unwrap().iter();
    let rows = rows.map(|cell| 1 + numbers(cell, "measures") + numbers(cell, "attacks"));
    assert_eq!(sandbox.read("comparison/comparison.csv").lines().count(), 1 + rows.sum::<usize>());
    assert_eq!(whole["pairs"].as_array().unwrap().len(), 6, "two methods, three k, both orders");
    let page = sandbox.read("comparison/comparison.html");
    assert_is_text(&page, "comparison");
    assert!(page.contains("Person by person"));
    // The folder, its plan and three files.
    assert_eq!(sandbox.listing().iter().filter(|name| name.starts_with("comparison/")).count(), 5);
    // More than there are: nothing is left behind.
    let many = ["compare", "log.tsv", "--methods", "user-microaggregation", "--k", "2..40", "--out", "many"];
    assert_eq!(sandbox.run(&many).code, 2);
    assert!(!sandbox.path("many").exists());
    if let Some(browser) = Browser::find() {
        look_at(browser, &sandbox, &sandbox.path("comparison/comparison.html"), "comparison");
        // The slider shows one k of three, and marks it in every chart.
        let dom = browser.document(&sandbox.path("comparison/comparison.html"));
        let hidden = dom.matches("<div class=\"panel\" data-k=").count() - dom.matches("\" hidden=\"\">").count();
        assert_eq!(hidden, 1, "one panel is shown");
        assert!(dom.matches("class=\"now\"").count() > 10);
    }
}

/// A file of a golden folder.
fn golden(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden").join(name)).unwrap()
}

#[test]
fn a_comparison_draws_the_figures_of_the_papers() {
    let sandbox = Sandbox::new();
    sandbox.write("searches.tsv", golden("queries/searches.tsv"));
    sandbox.write("baskets.dat", golden("baskets/baskets.dat"));
    sandbox.write("food.csv", golden("baskets/food.csv"));
    let drawn = |out: &str, args: &[&str], expected: &[&str]| {
        sandbox.done(&[&["compare"], args, &["--k", "2..4", "--out", out]].concat());
        let page = sandbox.read(&format!("{out}/comparison.html"));
        let captions: Vec<&str> =
            page.split("<figcaption>").skip(1).filter_map(|rest| rest.split("</figcaption>").next()).collect();
        for title in expected {
            assert!(captions.iter().any(|caption| caption.contains(title)), "no {title} in {captions:#?}");
        }
        assert_eq!(captions.len(), page.matches("<svg").count());
        assert!(page.contains("<input id=\"k\" type=\"range\"") && page.matches("class=\"panel\"").count() == 3);
        captions.iter().map(|&caption| caption.to_owned()).collect::<Vec<String>>()
    };
    // Paper 001: exposure and loss over k, both indexes over cluster counts, frequencies over k.
    let measures = "profile-exposure-level,information-loss-ratio,clustering-agreement,query-frequency,word-frequency";
    // More persons, for a query is drawn only if at least five share it.
    sandbox.done(&["synth", "queries", "--persons", "150", "--seed", "1", "--out", "log.tsv"]);
    let log = ["log.tsv", "--methods", "user-microaggregation", "--measures", measures];
    let titles = [
        "Profile exposure level: ",
        "Information loss ratio: ",
        "by the Jaccard index",
        "by the Rand index",
        "Query frequency: how frequent the most popular",
        "Word frequency: how frequent the most popular",
    ];
    drawn("of-a-log", &log, &titles);
    // Paper 004: the semantic loss of each distance.
    let distances = ["average", "minimum", "maximum", "minimum-sum", "maximum-sum"];
    let methods = distances.map(|distance| format!("semantic-microaggregation:distance={distance}")).join(",");
    let by_meaning = ["searches.tsv", "--methods", &methods, "--measures", "semantic-loss"];
    let captions = drawn("by-meaning", &by_meaning, &["Semantic loss: "]);
    let loss = captions.iter().find(|caption| caption.contains("Semantic loss: ")).unwrap();
    assert!(distances.iter().all(|distance| loss.contains(&format!("distance={distance}<"))), "{loss}");
    // Papers 002 and 003: distortion, length and level over k, beside the original's.
    let baskets = ["baskets.dat", "--taxonomy", "food.csv", "--methods", "flock,clump"];
    let titles = ["Group generalisation distortion: ", "Average length: ", "Average level: "];
    let captions = drawn("of-baskets", &baskets, &titles);
    for title in &titles[1..] {
        let caption = captions.iter().find(|caption| caption.contains(title)).unwrap();
        assert!(caption.contains("the original"), "{caption}");
    }
}

/// Compares a log that takes some seconds; every k is a cell for each of two methods.
fn long_comparison<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let methods = "user-microaggregation,kindred:min-persons=1";
    [&["compare", "log.tsv", "--methods", methods, "--k", "2..12", "--seed", "1", "--out", out, "--json"], more]
        .concat()
}

#[test]
fn a_comparison_that_was_killed_goes_on_where_it_was() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "queries", "--persons", "150", "--seed", "1", "--out", "log.tsv"]);
    for (flags, otherwise) in [(&[][..], &["--held-out"][..]), (&["--held-out"], &[])] {
        let (killed, whole) = (format!("killed{}", flags.len()), format!("whole{}", flags.len()));
        // At least one cell.
        let unfinished = sandbox.path(&killed).join("unfinished");
        let files = || fs::read_dir(&unfinished).map_or(0, |files| files.count());
        let again = || fs::remove_dir_all(sandbox.path(&killed)).unwrap();
        kill(running_when(&sandbox, &long_comparison(&killed, flags), || files() >= 1, again));
        assert!(files() >= 1 && !sandbox.path(&killed).join("comparison.json").exists(), "it was killed in the middle");
        let mut other = long_comparison(&killed, flags);
        other[3] = "interest-microaggregation";
        for other in [other, long_comparison(&killed, otherwise)] {
            let refused = sandbox.run(&other);
            assert!(refused.code == 2 && refused.stderr.contains("was made otherwise: "), "{refused:?}");
        }
        let finished = sandbox.done(&long_comparison(&killed, flags)).stdout;
        // Whole, and on one thread: the same bytes, with the pairs of both methods for each k.
        assert_eq!(finished, sandbox.done(&long_comparison(&whole, &[flags, &["--threads", "1"]].concat())).stdout);
        for file in ["comparison.json", "comparison.csv", "comparison.html"] {
            assert_eq!(sandbox.read(&format!("{killed}/{file}")), sandbox.read(&format!("{whole}/{file}")));
        }
        assert_eq!(sandbox.json(&format!("{killed}/comparison.json"))["pairs"].as_array().unwrap().len(), 22);
        assert!(!unfinished.exists());
    }
}

/// The longest list of numbers, or of nothing, in a JSON document.
fn longest_list_of_numbers(value: &serde_json::Value) -> usize {
    use serde_json::Value;
    match value {
        Value::Array(items) if items.iter().all(|item| item.is_number() || item.is_null()) => items.len(),
        Value::Array(items) => items.iter().map(longest_list_of_numbers).max().unwrap_or(0),
        Value::Object(map) => map.values().map(longest_list_of_numbers).max().unwrap_or(0),
        _ => 0,
    }
}

#[test]
fn what_single_persons_keep_is_gone_when_a_comparison_is_finished() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "queries", "--persons", "150", "--seed", "1", "--out", "log.tsv"]);
    let args = long_comparison("out", &["--measures", "interests-kept"]);
    let cell = || {
        let files = fs::read_dir(sandbox.path("out/unfinished")).ok()?;
        let is_cell = |file: &fs::DirEntry| file.file_name().to_string_lossy().starts_with("user-microaggregation-");
        let path = files.map(Result::unwrap).find(is_cell)?.path();
        serde_json::from_slice::<serde_json::Value>(&fs::read(&path).ok()?).ok().map(|cell| (path, cell))
    };
    let found = RefCell::new(None);
    let is_due = || {
        *found.borrow_mut() = cell();
        found.borrow().is_some()
    };
    let child = running_when(&sandbox, &args, is_due, || fs::remove_dir_all(sandbox.path("out")).unwrap());
    let (path, cell) = found.take().unwrap();
    assert_eq!(longest_list_of_numbers(&cell), 150, "while it is unfinished there is a value for each person");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&path).map(|file| file.permissions().mode() & 0o077).unwrap_or(0), 0);
    }
    assert_eq!(ended(child).code, 0);
    assert!(!path.exists());
    assert_eq!(
        sandbox.listing(),
        ["log.tsv", "out/", "out/comparison.csv", "out/comparison.html", "out/comparison.json", "out/plan.json"]
    );
    let comparison = sandbox.json("out/comparison.json");
    assert!(!comparison["pairs"].as_array().unwrap().is_empty());
    assert!(longest_list_of_numbers(&comparison) < 150);
    assert!(!sandbox.read("out/comparison.json").contains("by_person"));
}

/// An access log whose paths, agents and referrers are hostile: report and comparison are drawn, and nothing of it is markup.
#[test]
fn the_pages_of_an_access_log() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "visits", "--persons", "60", "--seed", "1", "--out", "made-up.log"]);
    let mut log = sandbox.read("made-up.log");
    for visitor in 0..12 {
        for path in [
            "/<script>document.title='HACKED'</script>",
            "/<img src=https://evil.example/x.png onerror=alert(1)>",
            "/{{ 7 * 7 }}",
        ] {
            let _ = writeln!(
                log,
                "192.0.2.{visitor} - - [07/Mar/2024:12:00:0{} +0100] \"GET {path} HTTP/1.1\" 200 1 \"http://<b>bold</b>.example/\" \"<b>bold</b> Firefox/127.0\"",
                visitor % 10
            );
        }
    }
    sandbox.write("access.log", log);
    let method = ["--method", "visit-microaggregation", "--k", "3", "--seed", "1"];
    sandbox.done(&[&["protect", "access.log", "--out", "release"], &method[..]].concat());
    let compare = ["compare", "access.log", "--methods", "visit-microaggregation,mask", "--k", "2,4", "--seed", "1"];
    sandbox.done(&[&compare[..], &["--out", "compared"]].concat());
    let pages = [("visits-report", "release/report.html"), ("visits-comparison", "compared/comparison.html")];
    for (name, page) in pages {
        assert_is_text(&sandbox.read(page), name);
        if let Some(browser) = Browser::find() {
            look_at(browser, &sandbox, &sandbox.path(page), name);
        }
    }
}
