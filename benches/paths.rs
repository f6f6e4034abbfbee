//! How long paths take: `cargo bench --bench paths`.
//!
//! The program itself on made-up paths: journeys from raw points, a cube, and `kindred` with k = 5, all in (reading, writing, its own check, the
//! default measures and attacks), beside a reference run in the same session: read the file, sort its lines, and write them again, in one
//! thread and with nothing understood. So the ratio means the same on any machine. Then secure distances of two holders, without messages: both
//! holders' part of 1,000 x 1,000 paths of 64 points.
//!
//! `THRONG_BENCH_MOST` is the greatest number of persons; 100,000 have ten million points.

#![allow(clippy::print_stdout)]

#[allow(dead_code, reason = "the other benchmarks use more of it")]
mod support;

use std::fs;
use std::path::Path;
use std::time::Instant;

use support::{HEAD, asked_for, cpu, machine, run, text, thousands};
use throng_core::Rng;
use throng_core::party::journeys;
use throng_core::party::product::{Help, KEY, Matrix, deal};

const THRONG: &str = env!("CARGO_BIN_EXE_throng");

const SIZES: [u64; 3] = [1_000, 10_000, 100_000];

/// So many days give a made-up person about a hundred points.
const DAYS: &str = "16";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["reference", from, to] => reference(from, to),
        _ if asked_for() => bench(),
        _ => println!("paths: run it with cargo bench --bench paths"),
    }
}

/// Reads lines, sorts them, and writes them.
fn reference(from: &str, to: &str) {
    let file = fs::read_to_string(from).expect("the made-up paths");
    let mut lines: Vec<&str> = file.lines().collect();
    lines.sort_unstable();
    fs::write(to, lines.join("\n")).expect("a new file");
}

fn bench() {
    let most = std::env::var("THRONG_BENCH_MOST").ok().and_then(|most| most.parse().ok()).unwrap_or(10_000);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let this = std::env::current_exe().expect("the path of the benchmark");
    let place = |name: &str| folder.path().join(name);
    println!("{}\n", machine());
    print!("{HEAD}");
    for persons in SIZES.into_iter().filter(|&persons| persons <= most) {
        let raw = place(&format!("{persons}.csv"));
        let number = persons.to_string();
        let synth = ["synth", "paths", "--persons", &number, "--days", DAYS, "--seed", "1", "--quiet", "--out"];
        run(THRONG, &[&synth[..], &[text(&raw)]].concat(), &[0]);
        let what = format!("{} persons, {} points", thousands(persons), thousands(points(&raw)));
        let plain = run(&this, &["reference", text(&raw), text(&place("sorted.csv"))], &[0]);
        println!("| read, sort, rewrite | {what} | {} | |", plain.cells());
        let (journeys, cube, release) =
            (place(&format!("{persons}-j.csv")), place(&format!("{persons}-c.csv")), place(&format!("{persons}-r")));
        for (name, arguments) in [
            ("`paths reconstruct`", &["paths", "reconstruct", text(&raw), "--quiet", "--out", text(&journeys)][..]),
            (
                "`paths cube --cell quad:0-16 --time 7d`",
                &["paths", "cube", text(&raw), "--cell", "quad:0-16", "--time", "7d", "--quiet", "--out", text(&cube)],
            ),
            ("`kindred`, in all", &["protect", text(&raw), "--seed", "1", "--quiet", "--out", text(&release)]),
        ] {
            let cost = run(THRONG, arguments, &[0]);
            let ratio = cost.cpu.zip(plain.cpu).map_or(String::new(), |(own, plain)| format!("{:.1}", own / plain));
            println!("| {name} | {what} | {} | {ratio} |", cost.cells());
        }
    }
    secure_distances();
}

fn points(file: &Path) -> u64 {
    fs::read(file).expect("the made-up paths").iter().filter(|byte| **byte == b'\n').count() as u64 - 1
}

/// Squared distances of 1,000 paths of either holder, on shares: both holders' part, without the dealer's and carol's; then whether they are right.
fn secure_distances() {
    const PATHS: usize = 1_000;
    const POINTS: usize = 64;
    let mut rng = Rng::seeded(1);
    let mut paths = || {
        let cells = (0..PATHS * 2 * POINTS).map(|_| rng.below(1 << 20)).collect();
        Matrix::new(2 * POINTS, cells)
    };
    let (x, y) = (paths(), paths());
    let mut keys = [[0; KEY]; 2];
    keys.iter_mut().for_each(|key| rng.fill(key));
    let dealt = deal(&keys[0], &keys[1], [PATHS, PATHS], 2 * POINTS);
    let (before, start) = (cpu(), Instant::now());
    let alice = Help::of_alice(&keys[0], [PATHS, PATHS], 2 * POINTS);
    let bob = Help::of_bob(&keys[1], PATHS, 2 * POINTS, dealt);
    let (e, f) = (alice.masked(&x), bob.masked(&y));
    let shares = [
        journeys::distance_shares(&x, &alice.share_of_alice(&x, &f), true),
        journeys::distance_shares(&y, &bob.share_of_bob(&e), false),
    ];
    let (seconds, wall) = (cpu() - before, start.elapsed().as_secs_f64());
    let [own, other] = shares;
    let squares = own.plus(&other);
    let is_exact = (0..PATHS).step_by(37).all(|row| {
        (0..PATHS).all(|column| {
            let pairs = x.row(row).iter().zip(y.row(column));
            squares.row(row)[column] == pairs.map(|(one, other)| one.abs_diff(*other).pow(2)).sum::<u64>()
        })
    });
    assert!(is_exact, "distances on shares are the plain ones");
    let millions = (PATHS * PATHS) as f64 / 1e6 / seconds;
    println!(
        "\nsecure distances, {PATHS} x {PATHS} paths of {POINTS} points, both holders: {wall:.2} s, {seconds:.2} CPU s, {millions:.1} million a CPU second, exact"
    );
}
