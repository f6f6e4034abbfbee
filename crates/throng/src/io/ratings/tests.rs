//! The forms of files, and what is wrong with some.

use throng_core::progress::Silent;

use super::super::{BadLines, ColumnChoice, Held};
use super::*;

fn held(text: &[u8]) -> Location {
    Location::Held(Held::from(text.to_vec()))
}

fn read_text(text: &str, options: &ReadOptions) -> Result<ReadRatings> {
    read_ratings(&held(text.as_bytes()), options, None, &Silent)
}

fn rows(ratings: &Ratings) -> Vec<(String, String, f64, Option<i64>)> {
    let id = |strings: &throng_core::data::Strings, number| strings.get(number).to_owned();
    (0..ratings.persons() as u32)
        .flat_map(|person| ratings.timed_of_person(person).map(move |rating| (person, rating)))
        .map(|(person, rating)| {
            (id(ratings.person_ids(), person), id(ratings.item_ids(), rating.item), rating.value, rating.time)
        })
        .collect()
}

#[test]
fn the_usual_forms_say_the_same() {
    let forms = [
        "196\t242\t3\t881250949\nk9\t302\t3.5\t891717742\n",
        "196::242::3::881250949\nk9::302::3.5::891717742",
        "196,242,3,881250949\r\nk9,302,3.5,891717742\r\n",
        "userId,movieId,rating,timestamp\n196,242,3.0,881250949\nk9,302,3.5,891717742\n",
        "Rating;Item ID;comment;User;Date\n3;242;fine;196;1997-12-04 15:55:49\n3.5;302;;k9;1998-04-04 19:22:22\n",
        "{\"user\": 196, \"item\": \"242\", \"rating\": 3, \"timestamp\": 881250949}\n{\"user\": \"k9\", \"item\": 302, \"rating\": 3.5, \"timestamp\": 891717742}\n",
    ];
    for form in forms {
        let read =
            read_text(form, &ReadOptions::default()).unwrap_or_else(|error| panic!("{form}: {}", error.describe(true)));
        let expected = [
            ("196".to_owned(), "242".to_owned(), 3.0, Some(881_250_949_000)),
            ("k9".to_owned(), "302".to_owned(), 3.5, Some(891_717_742_000)),
        ];
        assert_eq!(rows(&read.ratings), expected, "{form}");
    }
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let cases = [
        ("1\t2\t3\t5\n2\t2\tnan\t5\n", 2, "the rating is not a number"),
        ("1\t2\t3\t5\n2\t2\tinf\t5\n", 2, "the rating is not a number"),
        ("1\t2\t3\t5\n2\t2\t\t5\n", 2, "the rating is missing"),
        ("1\t2\t3\t5\n\t2\t3\t5\n", 2, "the id of the person is missing"),
        ("1::2::3::5\n2::2::3\n", 2, "the line has 3 columns, not 4"),
        ("1::2::3::5\n2::2::3::5::6\n", 2, "the line has 5 columns, not 4"),
        ("1\t2\t3\t5\n2\t2\t3\t5\t6\n", 2, "the line has 5 columns, not 4"),
        ("user,item,rating\n1,2,3\n2,2,3\n1,2,4\n", 4, "which they rated in line 2 already"),
        ("1::2::3::5\n2::2::3::yesterday\n", 2, "the time is not understood"),
    ];
    for (text, line, problem) in cases {
        let error = read_text(text, &ReadOptions::default()).map(|_| ()).expect_err(text);
        assert_eq!(error.place().and_then(|place| place.line), Some(line), "{text}");
        assert!(error.describe(false).contains(problem), "{}", error.describe(false));
    }
    let skip = ReadOptions { bad_lines: BadLines::Skip, ..ReadOptions::default() };
    let read = read_text("1,2,3\n2,2,x\n1,2,4\n2,3,1\n", &skip).unwrap();
    assert_eq!((read.ratings.len(), read.refused), (2, 2));
    assert!(read_text("1,2,3\n1,3,4\n", &skip).unwrap_err().describe(false).contains("only one person"));
    let outside = read_ratings(&held(b"1,2,3\n2,3,6\n"), &skip, Some((1.0, 5.0)), &Silent).unwrap_err();
    assert_eq!(outside.place().and_then(|place| place.line), Some(2));
}

#[test]
fn columns_may_be_named() {
    let options = ReadOptions {
        no_header: true,
        columns: ["user=3", "item=1", "rating=2"].map(|text| ColumnChoice::parse(text).unwrap()).to_vec(),
        ..ReadOptions::default()
    };
    let read = read_text("a,4,x\nb,2,y\n", &options).unwrap();
    assert_eq!(read.ratings.person_ids().iter().collect::<Vec<_>>(), ["x", "y"]);
}

#[test]
fn pairs_with_and_without_ratings() {
    let ratings = read_text("1,a,3\n2,b,4\n", &ReadOptions::default()).unwrap().ratings;
    let pairs = |text: &str| {
        let pairs = read_pairs(&held(text.as_bytes()), &ReadOptions::default(), &ratings, &Silent).unwrap();
        pairs.into_iter().map(|pair| (pair.line, pair.person, pair.item, pair.rating)).collect::<Vec<_>>()
    };
    let expected = [(1, Some(1), Some(0), None), (2, None, Some(1), None)];
    assert_eq!(pairs("2,a\n7,b\n"), expected);
    assert_eq!(pairs("2\ta\n7\tb\n"), expected);
    assert_eq!(pairs("2::a\n7::b\n"), expected);
    assert_eq!(pairs("2::a::5::1\n"), [(1, Some(1), Some(0), Some(5.0))]);
    assert_eq!(pairs("user,item\n2,a\n"), [(2, Some(1), Some(0), None)]);
    assert_eq!(
        pairs("userId,movieId,rating\n2,a,1\n2,b,\n"),
        [(2, Some(1), Some(0), Some(1.0)), (3, Some(1), Some(1), None)]
    );
}

#[test]
fn files_about_items() {
    let flags = |set: usize| (0..19).map(|at| if at == set { "|1" } else { "|0" }).collect::<String>();
    let old = format!("1|Ann (1995)|01-Jan-1995||http://x{}\n2|B\u{e9}b|01-Jan-1995||{}\n", flags(5), flags(0));
    let latin: Vec<u8> = old.chars().map(|c| c as u8).collect();
    let items = read_items(&held(&latin)).unwrap();
    assert_eq!((items.title("2"), items.genres("1"), items.genres("2")), (Some("B\u{e9}b"), &[5][..], &[][..]));
    let items = read_items(&held(b"1::Ann :: Bob::Comedy|Drama\n2::C::Drama\n")).unwrap();
    assert_eq!((items.title("1"), items.genres("1"), items.genres("2")), (Some("Ann :: Bob"), &[0, 1][..], &[1][..]));
    let items = read_items(&held(b"movieId,title,genres\n1,\"A, b\",Drama\n2,C,(no genres listed)\n")).unwrap();
    assert_eq!((items.title("1"), items.genres("1"), items.genres("2")), (Some("A, b"), &[0][..], &[][..]));
    for bad in ["1::a\n", "a,b\n1,2\n", "id,title\n1,a\n1,b\n", "id,title\n", "id,title\n1\n"] {
        assert!(read_items(&held(bad.as_bytes())).is_err(), "{bad}");
    }
    let ratings = read_text("1,a,3\n2,b,4\n", &ReadOptions::default()).unwrap().ratings;
    assert!(items.refuse_others(&ratings, &held(b"")).is_err());
}
