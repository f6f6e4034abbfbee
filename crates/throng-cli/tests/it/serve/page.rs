//! The page in a real browser, by keyboard alone: nothing is asked of anybody else, nothing complains, every control has a name, and whatever is in
//! a file is only ever text. Pictures are left in `target/tmp/pages` for people to look at.
//!
//! Without Chromium the page is not opened, and the test says so.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::devtools::Page;
use super::{Served, made_up};
use crate::support::Sandbox;

/// Where pictures go.
fn gallery() -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    std::fs::create_dir_all(&place).unwrap();
    place
}

/// Looks at what is shown, in three widths, light and dark: nothing is wider than the page, every control has a name.
fn look(page: &mut Page, name: &str) {
    for (width, height) in [(360, 1600), (800, 1300), (1400, 1100)] {
        for (look, is_dark) in [("light", false), ("dark", true)] {
            page.look(width, height, is_dark);
            page.picture(&gallery().join(format!("serve-{name}-{width}-{look}.png")));
            let wide = page.evaluate("document.documentElement.scrollWidth");
            assert!(wide.as_u64().unwrap() <= u64::from(width), "{name}: {wide} at {width}");
        }
    }
    page.look(1400, 1100, false);
    assert_eq!(page.nameless(), Vec::<String>::new(), "{name}");
}

/// Nothing was complained of, and nobody else was asked.
fn is_clean(page: &mut Page, port: u16) {
    let (complaints, asked) = page.seen();
    assert_eq!(complaints, Vec::<String>::new());
    let own = format!("http://127.0.0.1:{port}/");
    let foreign: Vec<&String> = asked
        .iter()
        .filter(|address| {
            !address.starts_with(&own)
                && !address.starts_with("data:")
                && *address != "about:blank"
                && !address.starts_with("blob:http://127.0.0.1")
        })
        .collect();
    assert!(foreign.is_empty() && !asked.is_empty(), "{foreign:?}");
}

const RESULT: &str = "!document.getElementById('result').hidden && !document.getElementById('has-result').hidden";
const LOOKED: &str =
    "document.getElementById('answer').textContent !== '' && document.getElementById('look-work').hidden";

#[test]
fn the_whole_story_by_keyboard_alone() {
    let Some(mut page) = Page::open(1400, 1100, false) else { return };
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("data")).unwrap();
    let served = Served::start_in(sandbox, &["data"]);
    let (file, _) = made_up(&served.sandbox, 60);
    page.visit(&served.address);
    page.wait_for("document.body && document.body.dataset.ready");
    assert_eq!(page.evaluate("location.search + location.hash"), "", "the secret is gone from the address");
    look(&mut page, "choose");
    // Choose: the dialog of the browser is its own.
    page.tab_to("#pick");
    page.choose_file("#pick", &file);
    page.wait_for(LOOKED);
    look(&mut page, "look");
    assert_eq!(page.evaluate("document.getElementById('kind').value"), "queries");
    assert!(page.evaluate("document.getElementById('questions').textContent").as_str().unwrap().contains("AnonID"));
    // Correct a column: clicks are not to be published.
    page.tab_to("[data-column=ClickURL]");
    for _ in 0..8 {
        page.press("ArrowUp");
    }
    assert_eq!(page.evaluate("document.activeElement.value"), "");
    page.tab_to("#look-again");
    page.press("Enter");
    page.wait_for("document.getElementById('shown').textContent.includes('--column url=')");
    page.wait_for(LOOKED);
    page.tab_to("#to-protect");
    page.press("Enter");
    page.wait_for("document.getElementById('promise').textContent.includes('user-k-anonymity')");
    look(&mut page, "protect");
    // Compare.
    page.tab_to("#comparing > summary");
    page.press("Enter");
    page.tab_to("#ks");
    for _ in 0..8 {
        page.press("Backspace");
    }
    page.write("3,4");
    page.tab_to("#compare");
    page.press("Enter");
    page.wait_for("!document.getElementById('comparison').hidden");
    page.tab_to("#comparison input[type=radio]");
    page.press("ArrowDown");
    page.wait_for("document.getElementById('said').textContent.startsWith('Chosen:')");
    page.evaluate("document.getElementById('comparison').scrollIntoView()");
    look(&mut page, "compare");
    // A k that no method takes is said at its field.
    page.tab_to("#k");
    for _ in 0..4 {
        page.press("Backspace");
    }
    page.write("500");
    page.wait_for("!document.getElementById('protect-wrong').hidden || !document.getElementById('k-wrong').hidden");
    for _ in 0..4 {
        page.press("Backspace");
    }
    page.write("3");
    page.wait_for("document.getElementById('promise').textContent.includes('k = 3')");
    // Stop half-way, and protect again.
    page.tab_to("#protect-now");
    page.press("Enter");
    page.wait_for("document.querySelector('#protect-work button') && !document.getElementById('protect-work').hidden");
    page.tab_to("#protect-work button");
    page.press("Enter");
    page.wait_for("document.getElementById('said').textContent.startsWith('Stopped') && document.getElementById('protect-work').hidden");
    page.wait_for("!document.getElementById('protect-now').disabled");
    page.tab_to("#protect-now");
    page.press("Enter");
    page.wait_for(RESULT);
    page.wait_for("document.getElementById('report').contentWindow");
    assert!(
        page.evaluate("document.getElementById('verdict').textContent")
            .as_str()
            .unwrap()
            .contains("keeps what it promises")
    );
    look(&mut page, "result");
    // Download: a link, with a name.
    page.tab_to("#download");
    let length = "fetch(document.getElementById('download').href).then((answer) => answer.arrayBuffer()).then((bytes) => bytes.byteLength)";
    assert!(page.evaluate(length).as_u64().unwrap() > 1000);
    // Save.
    page.tab_to("#save-now");
    page.press("Enter");
    page.wait_for("document.getElementById('said').textContent.startsWith('Saved as')");
    assert!(served.sandbox.path("data/searches-release/certificate.json").is_file());
    // Check it as somebody else would.
    page.tab_to("#check-now");
    page.press("Enter");
    page.wait_for("document.getElementById('checked').textContent !== ''");
    is_clean(&mut page, served.port);
    page.tab_to("#quit");
    page.press("Enter");
    page.wait_for("document.querySelector('h1').textContent === 'The page has ended'");
    let (ran, sandbox) = served.ended();
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!sandbox.listing().iter().any(|name| name.contains(".throng-")));
}

/// What is in a file is text, whatever it is: its name, its columns, its values.
#[test]
fn a_hostile_file_is_only_text() {
    let Some(mut page) = Page::open(800, 1300, false) else { return };
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("data")).unwrap();
    let markup = "<img src=x onerror=document.title='HACKED'>";
    let mut table =
        format!("name,\"{markup}\",\"\u{202e}</select><script>document.title='HACKED'</script>\",\"$(reboot)\"\n");
    for row in 0..40 {
        let _ = writeln!(table, "p{row},\"{markup}{}\",\"\u{1b}[2J\u{202e}{}\",{}", row % 4, row % 3, row % 5);
    }
    let name = "<b onclick=alert(1)>\u{202e}\u{1b}[2J'`$(reboot)`.csv";
    let name = name.replace('/', "");
    sandbox.write(&format!("data/{name}"), &table);
    let served = Served::start_in(sandbox, &["data"]);
    page.visit(&served.address);
    page.wait_for("document.body && document.body.dataset.ready");
    assert!(page.evaluate("document.getElementById('folder').textContent").as_str().unwrap().contains("<b onclick"));
    page.tab_to("#folder button");
    page.press("Enter");
    // A table: what its columns hold is guessed, and taken when somebody says so.
    page.wait_for("document.getElementById('take-guesses')");
    page.tab_to("#column-1");
    page.press("ArrowDown");
    page.evaluate("document.activeElement.value = 'quasi'");
    page.tab_to("#take-guesses");
    page.press("Enter");
    page.wait_for(LOOKED);
    let shown = page.evaluate("document.getElementById('shown').textContent");
    assert!(shown.as_str().unwrap().contains(r"\u202e\x1b[2J\'`$(reboot)`.csv'"), "{shown}");
    assert!(
        !page.evaluate("document.body.innerText").as_str().unwrap().contains(['\u{202e}', '\u{1b}']),
        "it is written as a code"
    );
    let made = page.evaluate("document.querySelectorAll('main img, main b, main script').length");
    assert_eq!((made, page.evaluate("document.title")), (0.into(), "throng: hide in the crowd".into()));
    look(&mut page, "hostile");
    is_clean(&mut page, served.port);
    page.tab_to("#quit");
    page.press("Enter");
    let (ran, _) = served.ended();
    assert_eq!(ran.code, 0, "{ran:?}");
}
