//! Taxonomies in files: the embedded WordNet against what is known of it, every form read back, errors with file and line.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use proptest::prelude::*;
use tempfile::TempDir;
use throng::taxonomy::{self, Form, Grouping};
use throng_core::taxonomy::wordnet::WordNet;
use throng_core::taxonomy::{ROOT, Taxonomy, TaxonomyBuilder, child_parent, own};

fn wordnet() -> Arc<Taxonomy> {
    taxonomy::load("wordnet").unwrap()
}

fn graph(tree: &Taxonomy) -> &WordNet {
    tree.wordnet().unwrap().0
}

fn path(tree: &Taxonomy, word: &str) -> String {
    let node = tree.find(word).unwrap_or_else(|| panic!("no {word}"));
    tree.ancestors(node).map(|node| tree.label(node)).collect::<Vec<_>>().join(" < ")
}

// WordNet.

#[test]
fn wordnet_has_the_published_numbers() {
    let tree = wordnet();
    // https://wordnet.princeton.edu/documentation/wnstats7wn: nouns of WordNet 3.0.
    assert_eq!((graph(&tree).synsets(), graph(&tree).lemmas()), (82_115, 117_798));
    assert_eq!((tree.len(), tree.label(ROOT)), (82_115, "entity"));
    let start = Instant::now();
    let embedded = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/wordnet-3.0-nouns.taxonomy");
    taxonomy::read(&embedded, None).unwrap();
    let _ = writeln!(std::io::stderr(), "WordNet is read in {:.1?}", start.elapsed());
    assert!(Arc::ptr_eq(&tree, &wordnet()), "it is read once");
}

#[test]
fn the_way_from_dog_to_entity() {
    let expected = "dog < canine#2 < carnivore < placental < mammal < vertebrate < chordate < animal < organism < \
                    living_thing < whole#2 < object < physical_entity < entity";
    let tree = wordnet();
    for word in ["dog", "Dog", "dogs", "domestic dog", "domestic_dogs", "Canis familiaris"] {
        assert_eq!(path(&tree, word), expected, "{word}");
    }
    // The second hypernym and the other senses are in the graph.
    let net = graph(&tree);
    let dog = net.find("dog").unwrap();
    let labels = |synsets: &[u32]| synsets.iter().map(|&synset| net.label(synset).into_owned()).collect::<Vec<_>>();
    assert_eq!(labels(net.hypernyms(dog)), ["canine#2", "domestic_animal"]);
    assert_eq!(labels(net.senses("dog")), ["dog", "frump", "dog#3", "cad", "frank#2", "pawl", "andiron"]);
    assert_eq!((net.longest_depth(dog), net.shortest_depth(dog)), (14, 9));
    assert_eq!(tree.other_names(dog), ["domestic_dog", "Canis_familiaris"]);
}

#[test]
fn every_label_and_every_first_sense_leads_back() {
    let tree = wordnet();
    let net = graph(&tree);
    for node in 0..tree.len() as u32 {
        assert_eq!(tree.find(tree.label(node)), Some(node), "{}", tree.label(node));
        assert_eq!(tree.parent(node), net.hypernyms(node).first().copied().unwrap_or(ROOT));
        for word in net.words(node) {
            let sense = net.senses(word).iter().position(|&synset| synset == node).unwrap();
            let expected = if sense == 0 { Some(node) } else { tree.find(&format!("{word}#1")) };
            assert_eq!(tree.find(word), expected, "{word}");
        }
        assert!(net.shortest_depth(node) <= tree.level(node) && tree.level(node) <= net.longest_depth(node));
    }
}

#[test]
fn base_forms_of_nouns() {
    let tree = wordnet();
    let net = graph(&tree);
    for (form, base) in [
        ("geese", "goose"),
        ("mice", "mouse"),
        ("wolves", "wolf"),
        ("boxes", "box"),
        ("men", "man"),
        ("women", "woman"),
        ("Children", "child"),
        ("churches", "church"),
        ("cities", "city"),
        ("attorneys general", "attorney_general"),
        ("sisters-in-law", "sister-in-law"),
        ("hot dogs", "hot_dog"),
        ("boxesful", "boxful"),
    ] {
        assert_eq!(net.base_forms(form).first().map(String::as_str), Some(base), "{form}");
    }
    assert_eq!(tree.find("geese"), tree.find("goose"));
    // A word that WordNet has is itself: men are a work force there.
    assert_eq!(tree.find("men"), tree.find("work_force"));
    for none in ["grass", "xyzzyplughs", "s", ""] {
        assert!(net.base_forms(none).is_empty(), "{none}");
    }
}

/// Where WordNet is installed, importing it makes what is embedded.
#[test]
fn the_dictionary_folder_makes_the_embedded_file() {
    let folder = Path::new("/usr/share/wordnet");
    if !folder.join("data.noun").exists() {
        return;
    }
    let (tree, form) = taxonomy::read(folder, None).unwrap();
    assert_eq!(form, Form::WordNet);
    assert!(own::write(&tree) == own::write(&wordnet()));
}

#[test]
fn wordnet_and_a_file_together() {
    let folder = TempDir::new().unwrap();
    let file = write_file(&folder, "shop.csv", "child,parent\nDog,Toys\nTeddy bears,Toys\nzorgle,Toys\n");
    let tree = taxonomy::load_all(&["wordnet".to_owned(), file.display().to_string()]).unwrap();
    assert_eq!(tree.label(ROOT), "all");
    assert!(path(&tree, "Dogs").ends_with("entity < all"));
    assert_eq!(path(&tree, "Teddy bears"), "Teddy bears < Toys < all");
    assert_eq!(path(&tree, "Dog (shop)"), "Dog (shop) < Toys < all");
    let tree = taxonomy::load_all(&[file.display().to_string(), "wordnet".to_owned()]).unwrap();
    assert_eq!(path(&tree, "Dog"), "Dog < Toys < all");
    assert!(path(&tree, "puppies").ends_with("entity < all"));
}

// Files.

fn write_file(folder: &TempDir, name: &str, text: &str) -> PathBuf {
    let file = folder.path().join(name);
    fs::write(&file, text).unwrap();
    file
}

#[test]
fn every_form_is_read_as_the_same_tree() {
    let folder = TempDir::new().unwrap();
    let forms = [
        ("pairs.csv", "child,parent\nFruit,Top\nApple,Fruit\nPear,Fruit\nMeat,Top\n", Form::ChildParent),
        ("paths.txt", "Top/Fruit/Apple\nTop/Fruit/Pear\nTop/Meat\n", Form::Paths),
        ("arrows.txt", "# x\nTop > Fruit > Apple\nTop > Fruit > Pear\nTop > Meat\n", Form::Paths),
        ("hierarchy.csv", "Apple;Fruit;Top\nPear;Fruit;Top\nMeat;Meat;Top\n", Form::Arx),
        (
            "named.json",
            r#"{"name":"Top","children":[{"name":"Fruit","children":["Apple","Pear"]},"Meat"]}"#,
            Form::Json,
        ),
        ("nested.json", r#"{"Top": {"Fruit": ["Apple", "Pear"], "Meat": {}}}"#, Form::Json),
    ];
    for (name, text, form) in forms {
        let (tree, found) = taxonomy::read(&write_file(&folder, name, text), None).unwrap();
        assert_eq!(found, form, "{name}");
        assert_eq!(tree.labels().iter().collect::<Vec<_>>(), ["Top", "Fruit", "Apple", "Pear", "Meat"], "{name}");
        assert_eq!(path(&tree, "Pear"), "Pear < Fruit < Top");
        // Both forms that are written, and a compressed one, are read back.
        for ending in ["csv", "taxonomy"] {
            let out = folder.path().join(format!("{name}.{ending}"));
            taxonomy::write(&tree, &out).unwrap();
            assert!(taxonomy::write(&tree, &out).unwrap_err().to_string().contains("exists already"));
            let read = taxonomy::load(&out.display().to_string()).unwrap();
            assert_eq!((read.labels(), child_parent::write(&read)), (tree.labels(), child_parent::write(&tree)));
        }
    }
}

#[test]
fn a_compressed_odp_dump_is_read() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("structure.rdf.u8.gz");
    let mut encoder = flate2::write::GzEncoder::new(fs::File::create(&file).unwrap(), flate2::Compression::fast());
    encoder.write_all(b"<?xml version='1.0'?>\n<RDF>\n").unwrap();
    for topic in 0..20_000 {
        write!(encoder, "  <Topic r:id=\"Top/T{}/{topic}\">\n    <catid>1</catid>\n  </Topic>\n", topic % 7).unwrap();
    }
    encoder.write_all(b"</RDF>\n").unwrap();
    encoder.finish().unwrap();
    let (tree, form) = taxonomy::read(&file, None).unwrap();
    assert_eq!((form, tree.len()), (Form::Odp, 20_008));
    assert_eq!(tree.find("19999"), tree.find("Top/T0/19999"));
}

#[test]
fn errors_name_file_and_line() {
    let folder = TempDir::new().unwrap();
    for (name, text, problem, place) in [
        ("circle.csv", "child,parent\na,r\nb,c\nc,b\n", "circle", "circle.csv:3"),
        ("roots.txt", "a/b\nc/d\n", "2 roots", "roots.txt:2"),
        ("twice.json", "{\"a\": [\"b\",\n\"b\"]}", "same name", "twice.json:2"),
        ("ragged.csv", "a;b;*\nc;*\n", "2 columns", "ragged.csv:2"),
        ("unknown.txt", "hello\n", "does not look like a taxonomy", "unknown.txt"),
        ("header.csv", "a,b\nc,b\n", "does not look like a taxonomy", "header.csv"),
        ("empty.csv", "", "empty", "empty.csv"),
        ("version.taxonomy", "throng-taxonomy 7 tree\n", "not known", "version.taxonomy:1"),
    ] {
        let file = write_file(&folder, name, text);
        let error = taxonomy::load(&file.display().to_string()).unwrap_err().describe(false);
        assert!(error.contains(problem) && error.contains(place), "{error}");
    }
    let file = folder.path().join("latin.csv");
    fs::write(&file, b"child,parent\na,b\n\xe9,b\n").unwrap();
    let error = taxonomy::load(&file.display().to_string()).unwrap_err().describe(false);
    assert!(error.contains("UTF-8") && error.contains("latin.csv:3"), "{error}");
    let error = taxonomy::load(&folder.path().display().to_string()).unwrap_err().describe(false);
    assert!(error.contains("data.noun"), "{error}");
    let error = taxonomy::load("nowhere.csv").unwrap_err().describe(false);
    assert!(error.contains("nowhere.csv"), "{error}");
}

#[test]
fn damage_to_an_own_file_is_noticed() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("x.taxonomy");
    let items: Vec<String> = (0..500).map(|item| format!("{item},r")).collect();
    let tree = child_parent::read(&format!("child,parent\n{}\n", items.join("\n"))).unwrap();
    taxonomy::write(&tree, &out).unwrap();
    let bytes = fs::read(&out).unwrap();
    let spec = out.display().to_string();
    fs::write(&out, &bytes[..bytes.len() / 2]).unwrap();
    assert!(taxonomy::load(&spec).is_err());
    let mut changed = bytes.clone();
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    fs::write(&out, changed).unwrap();
    assert!(taxonomy::load(&spec).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_tree_survives_a_file(nodes in prop::collection::vec((any::<prop::sample::Index>(), "[aé ,;\"\\\\/>\n\t#]{0,4}"), 1..50)) {
        let mut builder = TaxonomyBuilder::new();
        let labels: Vec<String> = nodes.iter().enumerate().map(|(id, (_, text))| format!("{text}{id}{text}")).collect();
        builder.node(&labels[0]);
        for (id, (parent, _)) in nodes.iter().enumerate().skip(1) {
            builder.add(&labels[id], &labels[parent.index(id)]).unwrap();
        }
        let tree = builder.finish().unwrap();
        let folder = TempDir::new().unwrap();
        for name in ["tree.csv", "tree.taxonomy"] {
            let out = folder.path().join(name);
            taxonomy::write(&tree, &out).unwrap();
            let (read, _) = taxonomy::read(&out, None).unwrap();
            prop_assert_eq!(own::write(&read), own::write(&tree));
            // The same tree, the same bytes.
            let again = folder.path().join(format!("again-{name}"));
            taxonomy::write(&read, &again).unwrap();
            prop_assert_eq!(fs::read(&out).unwrap(), fs::read(&again).unwrap());
        }
    }
}

// Trees that are made up.

#[test]
fn trees_over_the_items_of_baskets() {
    let folder = TempDir::new().unwrap();
    let file = write_file(&folder, "baskets.txt", "# SPMF\n2 10 1\n3\n\n1 4 5 6 7 8 9\n");
    let tree = taxonomy::generate(&file, Grouping::Order, 5).unwrap();
    assert_eq!(tree.children(ROOT).map(|node| tree.label(node)).collect::<Vec<_>>(), ["1..5", "6..10"]);
    let tree = taxonomy::generate(&file, Grouping::Intervals(5.0), 5).unwrap();
    assert_eq!(tree.children(ROOT).map(|node| tree.label(node)).collect::<Vec<_>>(), ["0..4", "5..9", "10"]);
    let file = write_file(&folder, "baskets.csv", "red wine, cheese\nbread\n");
    let tree = taxonomy::generate(&file, Grouping::Order, 2).unwrap();
    assert_eq!(path(&tree, "red wine"), "red wine < all");
    let file = write_file(&folder, "together.txt", &"a x\nb y\nc x a\ny b\nc a\ny b d\n".repeat(5));
    let tree = taxonomy::generate(&file, Grouping::CoOccurrence, 3).unwrap();
    assert_eq!(tree.common_ancestor(tree.find("a").unwrap(), tree.find("b").unwrap()), ROOT);
    assert_ne!(tree.common_ancestor(tree.find("a").unwrap(), tree.find("x").unwrap()), ROOT);
    let file = write_file(&folder, "nothing.txt", "\n\n");
    assert!(taxonomy::generate(&file, Grouping::Order, 5).unwrap_err().describe(false).contains("nothing.txt"));
}
