//! The same bytes for any number of threads: every method of the catalogue, on data large enough to be cut into pieces.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use throng::catalog::Role;
use throng::kinds::KINDS;
use throng::run::{self, ProtectRequest};
use throng_core::progress::Silent;

use crate::support::fixtures::{PARAMETERS, data, parameters};

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
                    file: file.clone().into(),
                    out: out.clone(),
                    method: Some(method.to_owned()),
                    parameters: parameters(method, &PARAMETERS),
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
