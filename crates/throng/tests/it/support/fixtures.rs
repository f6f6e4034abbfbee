//! A small fixture for each kind of data: made-up data that every method of the kind can protect.

use std::fs;
use std::path::{Path, PathBuf};

use throng::catalog;
use throng::kinds::{AnyKind, Ask, ColumnChoice, KINDS};
use throng::run::{self, SynthRequest};
use throng_core::Rng;
use throng_core::progress::Silent;

/// So many persons are in every fixture.
pub(crate) const PERSONS: usize = 80;

/// The kinds whose release is one file, which any format of rows and memory can hold; a masked network has three.
pub(crate) fn kinds_of_one_file() -> impl Iterator<Item = &'static &'static dyn AnyKind> {
    KINDS.iter().filter(|kind| kind.card().name != "graph")
}

/// Made-up data of a kind in a folder, and what goes with them. A kind without a fixture of its own is made up as it is.
pub(crate) fn data(kind: &str, folder: &Path) -> (PathBuf, Ask) {
    if kind == "baskets" {
        return baskets(folder);
    }
    if kind == "table" {
        return table(folder);
    }
    if kind == "graph" {
        return graph(folder);
    }
    let out = folder.join("made.jsonl");
    let request = SynthRequest {
        kind: kind.to_owned(),
        persons: PERSONS,
        // Enough for some query to be typed by several persons.
        mean_lines: 60.0,
        seed: 4,
        out: out.clone(),
        ..SynthRequest::default()
    };
    run::synth(&request, &mut Vec::new(), &Silent).unwrap();
    (out, Ask::default())
}

/// Ten goods on three shelves, for the optimal method tries every way to generalise them, and an illness.
fn baskets(folder: &Path) -> (PathBuf, Ask) {
    let (file, tree, sensitive) = (folder.join("baskets.dat"), folder.join("tree.csv"), folder.join("sensitive.txt"));
    let mut rng = Rng::seeded(3);
    let row = |person: usize| {
        let goods = rng.sample(10, 1 + person % 4).into_iter().map(|good| format!("good{good} "));
        goods.collect::<String>() + if person.is_multiple_of(9) { "flu\n" } else { "\n" }
    };
    fs::write(&file, (0..PERSONS).map(row).collect::<String>()).unwrap();
    let goods = (0..10).map(|good| format!("good{good},shelf{}\n", good / 4)).collect::<String>();
    let tops = "shelf0,all\nshelf1,all\nshelf2,all\nflu,illness\nillness,all\n";
    fs::write(&tree, format!("child,parent\n{goods}{tops}")).unwrap();
    fs::write(&sensitive, "flu\n").unwrap();
    let taxonomies = vec![tree.display().to_string()];
    (file, Ask { taxonomies, sensitive: Some(sensitive), ..Ask::default() })
}

/// People with hierarchies of what may be looked up, in CSV: numbers of JSON lines are texts once they are intervals.
fn table(folder: &Path) -> (PathBuf, Ask) {
    let (out, hierarchies) = (folder.join("made.csv"), folder.join("hierarchies"));
    let request = SynthRequest {
        kind: "table".to_owned(),
        persons: PERSONS,
        seed: 4,
        out: out.clone(),
        hierarchies_out: Some(hierarchies.clone()),
        ..SynthRequest::default()
    };
    run::synth(&request, &mut Vec::new(), &Silent).unwrap();
    let column = |role: &str, name: &str| ColumnChoice { role: role.to_owned(), name: name.to_owned() };
    let columns = vec![column("quasi", "age,zip"), column("sensitive", "income"), column("plain", "work,sex")];
    (out, Ask { columns, hierarchies_in: Some(hierarchies), ..Ask::default() })
}

/// Friends, with what is known of them in a file of its own: somebody without a friend is a person, too.
fn graph(folder: &Path) -> (PathBuf, Ask) {
    let (out, nodes, hierarchies) = (folder.join("made.csv"), folder.join("nodes.csv"), folder.join("hierarchies"));
    let request = SynthRequest {
        kind: "graph".to_owned(),
        persons: PERSONS,
        degree: 8.0,
        seed: 4,
        out: out.clone(),
        nodes_out: Some(nodes.clone()),
        hierarchies_out: Some(hierarchies.clone()),
        ..SynthRequest::default()
    };
    run::synth(&request, &mut Vec::new(), &Silent).unwrap();
    let column = |role: &str, name: &str| ColumnChoice { role: role.to_owned(), name: name.to_owned() };
    let columns = vec![
        column("id", "id"),
        column("quasi", "age,zip"),
        column("sensitive", "illness"),
        column("plain", "work,sex"),
    ];
    (out, Ask { nodes: Some(nodes), columns, hierarchies_in: Some(hierarchies), ..Ask::default() })
}

/// Those of some parameters that a method has.
pub(crate) fn parameters(method: &str, all: &[(&str, &str)]) -> Vec<(String, String)> {
    let card = catalog::item(catalog::Role::Method, method).unwrap();
    let known = |name: &str| card.info().parameters.iter().any(|parameter| parameter.name == name);
    let has = all.iter().filter(|(name, _)| known(name));
    has.map(|&(name, text)| (name.to_owned(), text.to_owned())).collect()
}

/// Values that suit every method.
pub(crate) const PARAMETERS: [(&str, &str); 5] = [("k", "4"), ("p", "3"), ("m", "2"), ("h", "0.8"), ("rho", "0.5")];
