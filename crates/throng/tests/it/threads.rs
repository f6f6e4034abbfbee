//! The same bytes for any number of threads: every method of the catalogue, on data large enough to be cut into pieces.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use throng::catalog::Role;
use throng::kinds::{Ask, KINDS};
use throng::run::{self, ProtectRequest, SynthRequest};
use throng_core::Rng;
use throng_core::progress::Silent;

/// Made-up data of a kind in a folder, and what goes with them.
fn data(kind: &str, folder: &Path) -> (PathBuf, Ask) {
    if kind != "baskets" {
        let out = folder.join("made.jsonl");
        let request = SynthRequest {
            kind: kind.to_owned(),
            persons: 80,
            mean_lines: 12.0,
            seed: 4,
            out: out.clone(),
            ..SynthRequest::default()
        };
        run::synth(&request, &mut Vec::new(), &Silent).unwrap();
        return (out, Ask::default());
    }
    // Ten goods on three shelves, for the optimal method tries every way to generalise them.
    let (file, tree, sensitive) = (folder.join("baskets.dat"), folder.join("tree.csv"), folder.join("sensitive.txt"));
    let mut rng = Rng::seeded(3);
    let row = |person: usize| {
        let goods = rng.sample(10, 1 + person % 4).into_iter().map(|good| format!("good{good} "));
        goods.collect::<String>() + if person.is_multiple_of(9) { "flu\n" } else { "\n" }
    };
    fs::write(&file, (0..240).map(row).collect::<String>()).unwrap();
    let goods = (0..10).map(|good| format!("good{good},shelf{}\n", good / 4)).collect::<String>();
    let tops = "shelf0,all\nshelf1,all\nshelf2,all\nflu,illness\nillness,all\n";
    fs::write(&tree, format!("child,parent\n{goods}{tops}")).unwrap();
    fs::write(&sensitive, "flu\n").unwrap();
    let taxonomies = vec![tree.display().to_string()];
    (file, Ask { taxonomies, sensitive: Some(sensitive), ..Ask::default() })
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let file = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap())
    };
    fs::read_dir(folder).unwrap().map(file).collect()
}

#[test]
fn threads_change_no_byte_of_a_release() {
    let mut tried = 0;
    for kind in KINDS {
        let folder = tempfile::tempdir().unwrap();
        let (file, ask) = data(kind.card().name, folder.path());
        let methods = kind.listed().into_iter().filter(|listed| listed.role == Role::Method);
        for method in methods.map(|listed| listed.info.name) {
            let on = |threads: usize| {
                let out = folder.path().join(format!("{method}-{threads}"));
                let request = ProtectRequest {
                    file: file.clone(),
                    out: out.clone(),
                    method: Some(method.to_owned()),
                    parameters: [("k", "4"), ("p", "3"), ("m", "2"), ("h", "0.8"), ("rho", "0.5")]
                        .map(|(name, text)| (name.to_owned(), text.to_owned()))
                        .to_vec(),
                    seed: Some(7),
                    ask: ask.clone(),
                    ..ProtectRequest::default()
                };
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let done = pool.install(|| run::protect(&request, &Silent).map(drop));
                done.map_err(|error| format!("{method}: {}", error.describe(true))).unwrap();
                files(&out)
            };
            let one = on(1);
            assert!(one == on(2), "{method}: two threads give other bytes");
            assert!(one == on(7), "{method}: seven threads give other bytes");
            tried += 1;
        }
    }
    assert!(tried >= 15, "{tried}");
}
