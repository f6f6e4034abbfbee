//! Times as people write them: found out or said, published as they were written, read again from the certificate alone.

use std::collections::BTreeSet;

use throng_core::data::time::{TimeStyle, to_text};

use crate::support::Sandbox;

/// 2025-01-01T00:00:00Z, in milliseconds.
const NEW_YEAR: i64 = 1_735_689_600_000;
const QUERIES: [&str; 3] = ["garden chairs", "used bikes", "soup recipe"];

/// When the rows of six persons were searched: every 13 days and some hours, so that there are days below and above 12.
fn times() -> Vec<i64> {
    (0..24).map(|row| NEW_YEAR + row * (13 * 86_400_000 + 5_025_000)).collect()
}

/// A log with times as given.
fn log(header: &str, times: impl IntoIterator<Item = String>) -> String {
    let row = |(at, time): (usize, String)| format!("u{},{},{time}\n", at % 6, QUERIES[at / 6 % 3]);
    format!("user,query,{header}\n{}", times.into_iter().enumerate().map(row).collect::<String>())
}

fn written(format: &str) -> impl Iterator<Item = String> {
    let style = TimeStyle::parse_format(format).unwrap();
    times().into_iter().map(move |time| {
        let text = to_text(time, style);
        if text.contains(',') { format!("\"{text}\"") } else { text }
    })
}

/// The form of a text: figures and letters are all the same.
fn shape(text: &str) -> String {
    let sort = |c: char| match c {
        '0'..='9' => '9',
        'A'..='Z' => 'A',
        'a'..='z' => 'a',
        other => other,
    };
    text.chars().map(sort).collect()
}

/// The forms of the cells after the first two.
fn shapes(csv: &str) -> BTreeSet<String> {
    csv.lines().skip(1).map(|line| shape(line.splitn(3, ',').nth(2).unwrap())).collect()
}

const PROTECT: &[&str] =
    &["--k", "2", "--method", "user-microaggregation", "--seed", "1", "--measure", "query-frequency", "--quiet"];

impl Sandbox {
    /// Protects a file, checks and measures the release without any flag, and gives its data.
    fn released(&self, file: &str, out: &str, flags: &[&str]) -> String {
        self.done(&[&["protect", file, "--out", out], PROTECT, flags].concat());
        self.done(&["check", out, "--only-checkable"]);
        self.done(&["measure", file, out, "--measure", "query-frequency"]);
        let data = self.json(&format!("{out}/certificate.json"))["output"]["file"].as_str().unwrap().to_owned();
        self.read(&format!("{out}/{data}"))
    }
}

/// Every form is found out, and the release is written in the same.
#[test]
fn forms_stay() {
    let sandbox = Sandbox::new();
    for (number, format) in [
        "%d.%m.%Y %H:%M",
        "%d.%m.%Y, %H:%M:%S",
        "%m/%d/%Y %I:%M:%S %p",
        "%d/%m/%Y %H:%M",
        "[%d/%b/%Y:%H:%M:%S %z]",
        "%a, %d %b %Y %H:%M:%S %z",
        "%Y-%m-%d",
        "%Y-%m-%dT%H:%M",
        "%Y-%m-%dT%H:%M:%S%z",
        "%Y%m%dT%H%M%SZ",
        "%G-W%V-%uT%H:%M:%S",
        "microseconds",
    ]
    .into_iter()
    .enumerate()
    {
        let (file, out) = (format!("{number}.csv"), format!("out-{number}"));
        sandbox.write(&file, log("time", written(format)));
        let found = sandbox.done(&["inspect", &file, "--json"]).json();
        assert_eq!(found["first_time"].as_str().unwrap()[..11], *"2025-01-01T", "{format}");
        assert_eq!(found["last_time"].as_str().unwrap()[..11], *"2025-10-28T", "{format}");
        let release = sandbox.released(&file, &out, &[]);
        assert_eq!(shapes(&release), shapes(&sandbox.read(&file)), "{format}\n{release}");
        let again = sandbox.done(&["inspect", &out, "--json"]).json();
        assert_eq!(again["time_format"], found["time_format"], "{format}");
    }
}

/// Numbers with a point: as many digits as they need.
#[test]
fn numbers_with_a_point() {
    let sandbox = Sandbox::new();
    sandbox.write("seconds.csv", log("time", times().into_iter().map(|time| format!("{}.123", time / 1000))));
    let release = sandbox.released("seconds.csv", "seconds", &["--time-resolution", "1s"]);
    assert_eq!(shapes(&release), BTreeSet::from(["9999999999.999".to_owned()]), "{release}");
    sandbox.write("excel.csv", log("time", written("excel")));
    let found = sandbox.done(&["inspect", "excel.csv", "--json"]).json();
    assert_eq!((&found["first_time"], &found["time_format"]), (&"2025-01-01T00:00:00Z".into(), &"excel".into()));
    let release = sandbox.released("excel.csv", "excel", &[]);
    assert!(release.lines().skip(1).all(|line| line.split(',').nth(2).unwrap().starts_with("45")), "{release}");
    for format in ["jsonl", "parquet"] {
        sandbox.done(&[&["protect", "excel.csv", "--out", format, "--format", format], PROTECT].concat());
        sandbox.done(&["check", format, "--only-checkable"]);
    }
}

/// The day before the month, or after it: one line decides, nothing is guessed.
#[test]
fn day_and_month() {
    let sandbox = Sandbox::new();
    let early = |format: &str| {
        let style = TimeStyle::parse_format(format).unwrap();
        // The first twelve days of months.
        let time = |at: i64| NEW_YEAR + (at % 12 + 31 * (at % 2)) * 86_400_000 + at * 60_000;
        (0..24).map(|at| to_text(time(at), style)).collect::<Vec<_>>()
    };
    sandbox.write("open.csv", log("time", early("%d/%m/%Y %H:%M")));
    assert_eq!(sandbox.snapshot("times-either-order", &["inspect", "open.csv"]).code, 2);
    for (format, last) in [("%d/%m/%Y %H:%M", "2025-02-12T00:23:00Z"), ("%m/%d/%Y %H:%M", "2025-12-02T00:23:00Z")] {
        let found = sandbox.done(&["inspect", "open.csv", "--json", "--time-format", format]).json();
        assert_eq!(found["last_time"], last, "{format}");
    }
    // A release of such dates is read by its certificate, and its original too.
    let release = sandbox.released("open.csv", "said", &["--time-format", "%m/%d/%Y %H:%M"]);
    assert_eq!(shapes(&release), BTreeSet::from(["99/99/9999 99:99".to_owned()]));
    let certificate = sandbox.json("said/certificate.json");
    assert_eq!(certificate["output"]["time_format"], "%m/%d/%Y %H:%M");

    for (decides, last) in [("31/12/2025 10:00", "2025-12-31T10:00:00Z"), ("12/31/2025 10:00", "2025-12-31T10:00:00Z")]
    {
        let times = early("%d/%m/%Y %H:%M").into_iter().chain([decides.to_owned()]);
        sandbox.write("decided.csv", log("time", times));
        let found = sandbox.done(&["inspect", "decided.csv", "--json"]).json();
        assert_eq!((&found["first_time"], &found["last_time"]), (&"2025-01-01T00:00:00Z".into(), &last.into()));
    }
    let both = ["01/02/2025", "13/02/2025", "03/04/2025", "02/14/2025", "15/02/2025"].map(str::to_owned);
    sandbox.write("both.csv", log("time", both));
    assert_eq!(sandbox.snapshot("times-both-orders", &["inspect", "both.csv"]).code, 2);
    let both = ["1141234567", "1141234567", "45291.5"].map(str::to_owned);
    sandbox.write("mixed.csv", log("time", both));
    assert_eq!(sandbox.snapshot("times-mixed", &["inspect", "mixed.csv"]).code, 2);
}

/// A day and a time of day in two columns, by their names or as said; the release has both.
#[test]
fn two_columns() {
    let sandbox = Sandbox::new();
    let two = |between: &'static str| written("%d.%m.%Y %H:%M:%S").map(move |time| time.replace(' ', between));
    sandbox.write("named.csv", log("Datum,Uhrzeit", two(",")));
    let found = sandbox.done(&["inspect", "named.csv", "--json"]).json();
    assert_eq!((&found["columns"]["date"], &found["columns"]["time"]), (&"Datum".into(), &"Uhrzeit".into()));
    assert_eq!(found["first_time"], "2025-01-01T00:00:00Z");
    let release = sandbox.released("named.csv", "named", &[]);
    assert_eq!(release.lines().next(), Some("user,query,Datum,Uhrzeit"));
    assert_eq!(shapes(&release), BTreeSet::from(["99.99.9999,99:99:99".to_owned()]));

    sandbox.write("said.csv", log("a,b", two(",")));
    let release = sandbox.released("said.csv", "said", &["--column", "date=a", "time=b"]);
    assert_eq!(shapes(&release), BTreeSet::from(["99.99.9999,99:99:99".to_owned()]));

    let object = |(at, time): (usize, String)| {
        let (date, time) = time.split_once('|').unwrap();
        format!(
            "{{\"user\":{},\"query\":\"{}\",\"time\":\"{time}\",\"date\":\"{date}\"}}\n",
            at % 6,
            QUERIES[at / 6 % 3]
        )
    };
    sandbox.write("log.jsonl", two("|").enumerate().map(object).collect::<String>());
    let release = sandbox.released("log.jsonl", "jsonl", &[]);
    assert!(
        release.lines().all(|line| shape(line).contains("\"aaaa\":\"99:99:99\",\"aaaa\":\"99.99.9999\"")),
        "{release}"
    );

    // One column is enough where it has all of it.
    sandbox
        .write("whole.csv", log("date,time", written("%d.%m.%Y %H:%M").map(|time| format!("{},{time}", &time[..10]))));
    assert_eq!(sandbox.snapshot("times-two-columns", &["inspect", "whole.csv"]).code, 2);
    sandbox.done(&["inspect", "whole.csv", "--column", "time=time"]);
}

/// Hours and days are those of clocks in the zone, and the release is published in it.
#[test]
fn zones() {
    let sandbox = Sandbox::new();
    sandbox.write("seconds.csv", log("time", written("seconds")));
    let kindred = |out: &str, zone: &str| {
        let protect =
            ["protect", "seconds.csv", "--out", out, "--k", "2", "--seed", "1", "--quiet", "--time-zone", zone];
        sandbox.done(&[&protect[..], &["--measure", "query-frequency"]].concat());
        sandbox.done(&["check", out, "--only-checkable"]);
        let data = sandbox.read(&format!("{out}/data.csv"));
        let rest = |line: &str| line.split(',').nth(2).unwrap().parse::<i64>().unwrap() % 3600;
        data.lines().skip(1).map(rest).collect::<BTreeSet<_>>()
    };
    // The hour begins at half past in UTC.
    assert_eq!(kindred("india", "Asia/Kolkata"), BTreeSet::from([1800]));
    assert_eq!(kindred("berlin", "europe/berlin"), BTreeSet::from([0]));
    assert_eq!(sandbox.json("berlin/certificate.json")["output"]["time_zone"], "Europe/Berlin");
    let found = sandbox.done(&["inspect", "seconds.csv", "--json", "--time-zone", "Europe/Berlin"]).json();
    assert_eq!(found["first_time"], "2025-01-01T01:00:00+01:00");

    // Each time has the offset of its own season; without a zone it would be nobody's.
    let style = |minutes| TimeStyle::parse_format("%Y-%m-%d %H:%M:%S %:z").unwrap().with_offset(minutes);
    let offset = |time: i64| if (1_743_296_400_000..1_761_440_400_000).contains(&time) { 120 } else { 60 };
    sandbox.write("offsets.csv", log("time", times().into_iter().map(|time| to_text(time, style(offset(time))))));
    let release = sandbox.released("offsets.csv", "offsets", &["--time-zone", "Europe/Berlin"]);
    let offsets = |release: &str| release.lines().skip(1).map(|line| line[line.len() - 6..].to_owned()).collect();
    let expected = BTreeSet::from(["+01:00".to_owned(), "+02:00".to_owned()]);
    assert_eq!(BTreeSet::from_iter::<Vec<String>>(offsets(&release)), expected, "{release}");
    let release = sandbox.released("offsets.csv", "without", &[]);
    assert_eq!(BTreeSet::from_iter::<Vec<String>>(offsets(&release)), BTreeSet::from(["+00:00".to_owned()]));

    let ran = sandbox.snapshot("times-unknown-zone", &["inspect", "seconds.csv", "--time-zone", "Europe/Berln"]);
    assert_eq!(ran.code, 2);
}

/// What is no time is refused with the reason.
#[test]
fn wrong_times() {
    let sandbox = Sandbox::new();
    for (time, words) in [
        ("30.02.2025 10:00", "there is no such day"),
        ("2025-02-30 10:00:00", "there is no such day"),
        ("31.12.2025 25:00", "there is no such time of day"),
        ("\"Mon, 01 Jan 2025 10:00:00 +0000\"", "the day of the week is not that of the date"),
        ("12/31/25 10:00", "the year has two digits"),
        ("soon", "the time cannot be read"),
        ("", "the time cannot be read"),
    ] {
        sandbox.write("log.csv", log("time", [time.to_owned()]));
        let ran = sandbox.run(&["inspect", "log.csv"]);
        assert!(ran.code == 2 && ran.stderr.contains(words), "{time}: {ran:?}");
        assert!(ran.stderr.contains("log.csv:2") && !ran.stderr.contains("soon"), "{ran:?}");
    }
    sandbox.write("log.csv", log("time", written("%d.%m.%Y %H:%M")));
    let ran = sandbox.run(&["inspect", "log.csv", "--time-format", "%d.%m.%y %H:%M"]);
    assert!(ran.code == 2 && ran.stderr.contains("the time is not written as `%d.%m.%y %H:%M`"), "{ran:?}");
    let ran = sandbox.snapshot("times-bad-format", &["inspect", "log.csv", "--time-format", "%H:%M"]);
    assert_eq!(ran.code, 2);
    let ran = sandbox.run(&["inspect", "log.csv", "--bad-lines", "skip", "--json", "--time-format", "%Y-%m-%d"]);
    assert!(ran.code == 2 && ran.stderr.contains("no line of the file could be read"), "{ran:?}");
}

/// Two times are the same only if all of their digits are.
#[test]
fn compared_to_the_last_digit() {
    let sandbox = Sandbox::new();
    for (times, verdict) in [
        (["45291.54166666671", "45291.54166666672"], "fails"),
        (["45291.50", "45291.5"], "holds"),
        (["1141234567.123456789", "1141234567.123456788"], "fails"),
        (["2005-12-31 23:59:60", "2006-01-01 00:00:00"], "fails"),
        (["31.12.2025 10:00", "31.12.2025 10:00:00"], "holds"),
        (["03/04/2025", "04/03/2025"], "fails"),
    ] {
        let decides = if times[0].contains('/') { "a,x,31/12/2025\nb,x,31/12/2025\n" } else { "" };
        sandbox.write("log.csv", format!("user,query,time\na,x,{}\nb,x,{}\n{decides}", times[0], times[1]));
        let found = sandbox.run(&["check", "log.csv", "--k", "2", "--json"]).json();
        assert_eq!(found["verdict"], verdict, "{times:?}");
    }
}
