use super::super::own;
use super::*;

/// A few synsets in the form of WordNet's files: two hypernyms, an instance, second senses, irregular forms.
const DATA: &str = "  1 licence
00000010 03 n 01 entity 0 001 ~ 00000020 n 0000 | all there is
00000020 03 n 02 animal 0 beast 0 001 @ 00000010 n 0000 | x
00000030 05 n 01 pet 0 001 @ 00000020 n 0000 | x
00000040 05 n 03 dog 0 Canis_familiaris 0 domestic_dog 0 003 @ 00000020 n 0000 @ 00000030 n 0000 %p 00000010 n 0000 | x
00000050 05 n 02 chap 0 dog 1 001 @ 00000010 n 0000 | x
00000060 05 n 01 dog 2 001 @ 00000050 n 0000 | x
00000070 05 n 01 Lassie 0 001 @i 00000040 n 0000 | x
00000080 05 n 01 goose 0 001 @ 00000020 n 0000 | x
00000090 05 n 02 box 0 Box 0 001 @ 00000010 n 0000 | x
";
const INDEX: &str = "  1 licence
animal n 1 1 @ 1 1 00000020
beast n 1 1 @ 1 0 00000020
box n 1 1 @ 1 0 00000090
canis_familiaris n 1 1 @ 1 0 00000040
chap n 1 1 @ 1 0 00000050
dog n 3 1 @ 3 1 00000040 00000050 00000060
domestic_dog n 1 1 @ 1 0 00000040
entity n 1 1 ~ 1 1 00000010
goose n 1 1 @ 1 0 00000080
lassie n 1 1 @ 1 0 00000070
pet n 1 1 @ 1 0 00000030
";
const EXCEPTIONS: &str = "geese goose\nkine cow\ndoggen dog box\n";

fn small() -> Arc<WordNet> {
    Arc::new(WordNet::from_dictionary(DATA, INDEX, EXCEPTIONS).unwrap())
}

#[test]
fn the_tree_takes_the_first_hypernym_and_labels_say_the_sense() {
    let tree = small().tree();
    let path = |word: &str| {
        let node = tree.find(word).unwrap();
        tree.ancestors(node).map(|node| tree.label(node)).collect::<Vec<_>>().join(" < ")
    };
    assert_eq!(path("dog"), "dog < animal < entity");
    assert_eq!(path("Domestic Dog"), "dog < animal < entity");
    assert_eq!(path("dogs"), "dog < animal < entity");
    assert_eq!(path("dog#2"), "chap < entity");
    assert_eq!(path("dog#3"), "dog#3 < chap < entity");
    assert_eq!(path("lassie"), "Lassie < dog < animal < entity");
    assert_eq!(tree.find("dog#4"), None);
    assert_eq!(tree.find("dog#0"), None);
    assert_eq!(tree.find("cat"), None);
    for node in 0..tree.len() as u32 {
        assert_eq!(tree.find(tree.label(node)), Some(node));
    }
}

#[test]
fn the_graph_keeps_all_hypernyms_and_senses() {
    let wordnet = small();
    let dog = wordnet.find("dog").unwrap();
    let label = |&synset: &u32| wordnet.label(synset).into_owned();
    assert_eq!(wordnet.hypernyms(dog).iter().map(label).collect::<Vec<_>>(), ["animal", "pet"]);
    assert_eq!(wordnet.closure(dog).iter().map(label).collect::<Vec<_>>(), ["dog", "animal", "pet", "entity"]);
    assert_eq!((wordnet.longest_depth(dog), wordnet.shortest_depth(dog)), (4, 3));
    assert_eq!(wordnet.senses("DOG").iter().map(label).collect::<Vec<_>>(), ["dog", "chap", "dog#3"]);
    assert_eq!(wordnet.words(dog).collect::<Vec<_>>(), ["dog", "Canis_familiaris", "domestic_dog"]);
    assert_eq!(wordnet.other_names(dog).collect::<Vec<_>>(), ["Canis_familiaris", "domestic_dog"]);
    assert!(wordnet.is_instance(wordnet.find("Lassie").unwrap()) && !wordnet.is_instance(dog));
}

#[test]
fn base_forms_are_those_of_morphy() {
    let wordnet = small();
    assert_eq!(wordnet.base_forms("Geese"), ["goose"]);
    assert_eq!(wordnet.base_forms("doggen"), ["dog", "box"]);
    assert_eq!(wordnet.base_forms("boxes"), ["box"]);
    assert_eq!(wordnet.base_forms("boxesful"), Vec::<String>::new());
    assert_eq!(wordnet.base_forms("domestic dogs"), ["domestic_dog"]);
    for none in ["kine", "dogss", "s", "", "ful", "dog"] {
        assert_eq!(wordnet.base_forms(none), Vec::<String>::new(), "{none}");
    }
}

#[test]
fn what_was_packed_is_unpacked() {
    let text = own::write(&small().tree());
    assert!(text.contains("\n3\tdog Canis_familiaris domestic_dog\t2\n"), "{text}");
    assert!(text.contains("\n4i\tLassie\n") && text.contains("\n2\tchap dog#2\n"), "{text}");
    let read = own::read(&text).unwrap();
    assert_eq!(own::write(&read), text);
    assert_eq!(read.find("Geese"), small().tree().find("goose"));
}

#[test]
fn what_is_wrong_with_a_dictionary_is_said_with_file_and_line() {
    let replaced = |file: usize, from: &str, to: &str| {
        let mut files = [DATA.to_owned(), INDEX.to_owned()];
        assert!(files[file].contains(from), "{from}");
        files[file] = files[file].replace(from, to);
        WordNet::from_dictionary(&files[0], &files[1], EXCEPTIONS).unwrap_err().describe(false)
    };
    for (file, from, to, problem, place) in [
        (0, "0 001 @ 00000010 n 0000 | x\n00000030", "0 000 | x\n00000030", "2 synsets", "data.noun:3"),
        (0, "@ 00000050 n", "@ 00000055 n", "hypernym of this synset", "data.noun:7"),
        (0, "n 01 pet", "n zz pet", "no synset", "data.noun:4"),
        (0, "n 01 pet", "n 01 cat", "index lacks", "data.noun:4"),
        (0, "00000030 05", "00000011 05", "index lacks", "data.noun:4"),
        (0, "@ 00000020 n 0000 | x\n00000040", "@ 00000040 n 0000 | x\n00000040", "circle", ""),
        (1, "pet n 1 1 @ 1 0 00000030", "pet n", "no entry", "index.noun:12"),
        (1, "pet n 1", "dog n 1", "two entries", "index.noun:12"),
    ] {
        let error = replaced(file, from, to);
        assert!(error.contains(problem) && error.contains(place), "{from} to {to}: {error}");
    }
    assert!(WordNet::from_dictionary("", "", "").is_err());
}

#[test]
fn what_is_wrong_with_a_packed_file_is_said() {
    let good = "throng-taxonomy 1 wordnet\n1\ta\n2\tb a#2\t0\n\nbs b\n";
    assert!(own::read(good).is_ok());
    for (from, to) in [
        ("\n2\t", "\n1\t"),
        ("\n2\t", "\n3\t"),
        ("a#2", "a#3"),
        ("a#2", "a"),
        ("a#2", "a#0"),
        ("a#2", "a#4294967295"),
        ("\t0", "\t9"),
        ("\t0", "\t1"),
        ("\t0", "\t0\t0"),
        ("bs b", "bs"),
        ("b a#2", ""),
    ] {
        assert!(own::read(&good.replace(from, to)).is_err(), "{from} to {to}");
    }
}
