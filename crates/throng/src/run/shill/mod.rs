//! `throng shill`: made-up profiles put into a file of ratings, and how far they move what recommenders say.

mod experiment;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;

use serde::Serialize;
use throng_core::data::ratings::Ratings;
use throng_core::progress::Progress;
use throng_core::recommenders;
use throng_core::shilling::{self, Attack, Class, Direction, User};
use throng_core::{Error, Result, Rng};

use super::recommend::{RatingsFile, item_named, notes};
use crate::io::ratings::{Appended, append};
use crate::io::{Location, csv_field, resolve};
use crate::pending::{self, Pending};

pub use experiment::{
    ExperimentCompared, ExperimentData, ExperimentFinding, ExperimentFound, ExperimentLeftOut, ExperimentRequest,
    ExperimentSettings, ExperimentShift, ExperimentTargets, shill_experiment,
};

/// What to inject.
#[derive(Debug, Clone)]
pub struct InjectRequest {
    /// The ratings.
    pub ratings: RatingsFile,
    /// The id of the item that is pushed or nuked.
    pub target: String,
    /// The attack; its segment is in `segment`.
    pub attack: shilling::Params,
    /// The items of a segment, by their ids.
    pub segment: Vec<String>,
    /// The file to make.
    pub out: PathBuf,
    /// The file to make that says who is made up.
    pub labels: PathBuf,
    /// The seed of everything that is drawn.
    pub seed: u64,
}

/// What was injected.
#[derive(Debug, Serialize)]
pub struct Injected {
    /// Which attack.
    pub attack: Attack,
    /// Where the target is to go.
    pub direction: Direction,
    /// The target.
    pub target: String,
    /// How most persons rated it.
    pub class: Option<Class>,
    /// How many profiles there are.
    pub profiles: usize,
    /// How many fillers each has.
    pub fillers: usize,
    /// The items that were selected, by their ids.
    pub selected: Vec<String>,
    /// How many fillers are other items than the attack wants.
    pub shortfall: usize,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Puts made-up profiles behind the bytes of a file.
pub fn inject(request: &InjectRequest, progress: &dyn Progress) -> Result<Injected> {
    for place in [&request.out, &request.labels] {
        pending::refuse_stdout(place)?;
        pending::refuse_in_release(place, "file of ratings")?;
        super::refuse_existing(place)?;
    }
    if pending::is_same_place(&request.out, &request.labels) {
        return Err(Error::parameter("labels", "names the same file as `--out`"));
    }
    let Location::File(path) = resolve(&request.ratings.file)? else {
        return Err(Error::refused("profiles are added to a file, not to a folder or standard input"));
    };
    let read = request.ratings.read(progress)?;
    let ratings = &read.ratings;
    let about = request.ratings.read_items(ratings)?;
    let target = ratings.item_ids().iter().position(|id| id == request.target).map(|number| number as u32);
    if target.is_none() && !about.as_ref().is_some_and(|about| about.has(&request.target)) {
        return Err(item_named(ratings, &request.target)
            .map(|_| ())
            .err()
            .unwrap_or_else(|| Error::internal("a target")));
    }
    let mut params = request.attack.clone();
    if !request.segment.is_empty() {
        if params.attack != Attack::Segment {
            return Err(Error::parameter("segment", format!("means nothing to the attack {}", params.attack.name())));
        }
        params.segment = Some(request.segment.iter().map(|id| item_named(ratings, id)).collect::<Result<_>>()?);
    }
    let genres = about.as_ref().map(|about| (about.genres_of(ratings), about.genres(&request.target).to_vec()));
    let genres = genres.as_ref().map(|(all, own)| (all.as_slice(), own.as_slice()));
    let injection = shilling::prepare(ratings, target, genres, &params)?;
    let mut rng = Rng::seeded(request.seed);
    let profiles = injection.draw(&mut rng);
    let mut ids = NewIds::new(ratings);
    let mut users = Vec::with_capacity(profiles.len());
    for _ in &profiles {
        users.push(ids.draw(&mut rng));
    }
    let times: Vec<i64> = (0..ratings.persons() as u32)
        .flat_map(|person| ratings.timed_of_person(person))
        .filter_map(|rating| rating.time)
        .collect();
    let mut rows = Vec::new();
    for (user, profile) in users.iter().zip(&profiles) {
        let rated = profile.iter().map(|&(item, value)| (ratings.item_ids().get(item), value));
        for (item, value) in rated.chain([(request.target.as_str(), injection.target_value)]) {
            let time = (!times.is_empty()).then(|| times[rng.index(times.len())]);
            rows.push(Appended { user: user.clone(), item: item.to_owned(), value, time });
        }
    }
    let failed = |place: &PathBuf| {
        let folder = pending::folder_of(place).display().to_string();
        move |cause| Error::io(format!("write into {folder}"), cause)
    };
    let (mut out, pending_out) = Pending::file(&request.out, false).map_err(failed(&request.out))?;
    append(&path, &read.form, &rows, &mut out)?;
    let (mut labels, pending_labels) = Pending::file(&request.labels, false).map_err(failed(&request.labels))?;
    let mut text = b"user,label\n".to_vec();
    let genuine = ratings.person_ids().iter().map(|id| (id, "genuine"));
    for (id, label) in genuine.chain(users.iter().map(|id| (id.as_str(), "shill"))) {
        csv_field(id.as_bytes(), &mut text);
        text.extend_from_slice(format!(",{label}\n").as_bytes());
    }
    labels.write_all(&text).map_err(failed(&request.labels))?;
    pending::publish(vec![(pending_out, request.out.clone()), (pending_labels, request.labels.clone())])?;
    let mut notes = notes(&read);
    if injection.is_rounded_up {
        notes.push("the size rounds to nothing: one profile was made".to_owned());
    }
    if injection.shortfall > 0 {
        notes.push(format!(
            "only {} of {} fillers are favourites of those who rated the target so; the others are random items at their mean",
            injection.fillers - injection.shortfall,
            injection.fillers
        ));
    }
    Ok(Injected {
        attack: params.attack,
        direction: params.direction,
        target: request.target.clone(),
        class: injection.class,
        profiles: injection.profiles,
        fillers: injection.fillers,
        selected: injection.selected.iter().map(|&item| ratings.item_ids().get(item).to_owned()).collect(),
        shortfall: injection.shortfall,
        notes,
    })
}

/// Ids that look like those of a file, and that nobody has.
struct NewIds<'a> {
    ratings: &'a Ratings,
    taken: BTreeSet<&'a str>,
    drawn: BTreeSet<String>,
    /// The characters of ids by their sort: digits, small and capital letters.
    alphabet: [Vec<char>; 3],
    has_leading_zeros: bool,
}

impl<'a> NewIds<'a> {
    fn new(ratings: &'a Ratings) -> Self {
        let taken: BTreeSet<&str> = ratings.person_ids().iter().collect();
        let mut alphabet = [const { Vec::new() }; 3];
        let seen: BTreeSet<char> = taken.iter().flat_map(|id| id.chars()).collect();
        for character in seen {
            if let Some(sort) = sort_of(character) {
                alphabet[sort].push(character);
            }
        }
        let has_leading_zeros = taken.iter().any(|id| id.len() > 1 && id.starts_with('0'));
        Self { ratings, taken, drawn: BTreeSet::new(), alphabet, has_leading_zeros }
    }

    /// An id with the form of one that is there. Where all of a length are taken, it grows by a character.
    fn draw(&mut self, rng: &mut Rng) -> String {
        const TRIES: usize = 200;
        let mut longer = 0;
        loop {
            for _ in 0..TRIES {
                let form = self.ratings.person_ids().get(rng.index(self.ratings.persons()) as u32);
                let last = form.chars().rev().find(|&character| sort_of(character).is_some()).unwrap_or('1');
                let mut id = String::new();
                for character in form.chars().chain(std::iter::repeat_n(last, longer)) {
                    id.push(match sort_of(character) {
                        Some(sort) => {
                            let letters = &self.alphabet[sort];
                            letters.get(rng.index(letters.len().max(1))).copied().unwrap_or(character)
                        }
                        None => character,
                    });
                }
                let has_zero = id.len() > 1 && id.starts_with('0') && !self.has_leading_zeros;
                if !has_zero && !self.taken.contains(id.as_str()) && self.drawn.insert(id.clone()) {
                    return id;
                }
            }
            longer += 1;
        }
    }
}

fn sort_of(character: char) -> Option<usize> {
    match character {
        '0'..='9' => Some(0),
        'a'..='z' => Some(1),
        'A'..='Z' => Some(2),
        _ => None,
    }
}

/// What to measure.
#[derive(Debug, Clone)]
pub struct ShiftRequest {
    /// The ratings before.
    pub before: RatingsFile,
    /// The ratings after, read in the same way.
    pub after: PathBuf,
    /// The targets, by their ids.
    pub targets: Vec<String>,
    /// A file with one id a line, or how many persons are drawn.
    pub users: String,
    /// By what.
    pub recommender: recommenders::Params,
    /// The seed of the persons that are drawn.
    pub seed: u64,
}

/// What was measured.
#[derive(Debug, Serialize)]
pub struct ShiftFound {
    /// The mean shift over the targets.
    pub shift: Option<f64>,
    /// The share of predictions in the high range, after minus before.
    pub hit_shift: Option<f64>,
    /// How many pairs were compared.
    pub pairs: usize,
    /// How many had no prediction before or after.
    pub undefined: usize,
    /// Each target.
    pub items: Vec<ShiftOfItem>,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// What was measured of a target.
#[derive(Debug, Serialize)]
pub struct ShiftOfItem {
    /// Its id.
    pub item: String,
    /// The mean shift over persons.
    pub shift: Option<f64>,
    /// How many were compared.
    pub pairs: usize,
}

/// Measures how far predictions of targets moved from one file to another.
pub fn shift(request: &ShiftRequest, progress: &dyn Progress) -> Result<ShiftFound> {
    let before = request.before.read(progress)?;
    let after = RatingsFile { file: request.after.clone(), ..request.before.clone() }.read(progress)?;
    let number =
        |ratings: &Ratings, id: &str| ratings.item_ids().iter().position(|other| other == id).map(|at| at as u32);
    let mut targets = Vec::new();
    for id in &request.targets {
        item_named(&after.ratings, id)?;
        targets.push((number(&before.ratings, id), number(&after.ratings, id)));
    }
    let known: Vec<u32> = targets.iter().filter_map(|target| target.0).collect();
    let persons: Vec<u32> = match request.users.parse::<usize>() {
        Ok(0) => return Err(Error::parameter("users", "is 0, but must be at least 1")),
        Ok(count) => shilling::draw_users(&before.ratings, &known, count, &mut Rng::seeded(request.seed))?,
        Err(_) => users_of(&PathBuf::from(&request.users), &before.ratings)?,
    };
    let of_before = before.ratings.person_ids().ids_in(after.ratings.person_ids());
    let mut users: Vec<User> = Vec::new();
    for person in persons {
        let Some(then) = of_before[person as usize] else {
            return Err(Error::data("a person of the ratings before is not in those after")
                .in_file(request.after.display().to_string())
                .with_value(before.ratings.person_ids().get(person)));
        };
        users.push((person, then));
    }
    let found = shilling::measure(&before.ratings, &after.ratings, &targets, &users, request.recommender, progress)?;
    let items = request.targets.iter().zip(found.items).map(|(id, item)| ShiftOfItem {
        item: id.clone(),
        shift: item.shift,
        pairs: item.pairs,
    });
    Ok(ShiftFound {
        shift: found.shift,
        hit_shift: found.hit_shift,
        pairs: found.pairs,
        undefined: found.undefined,
        items: items.collect(),
        notes: notes(&before),
    })
}

/// The persons of a file with one id a line.
fn users_of(path: &PathBuf, ratings: &Ratings) -> Result<Vec<u32>> {
    let in_file = |error: Error| error.in_file(path.display().to_string());
    let text = std::fs::read_to_string(path).map_err(|cause| Error::io(format!("open {}", path.display()), cause))?;
    let lines: Vec<(u64, &str)> = (1..).zip(text.lines().map(str::trim)).filter(|(_, id)| !id.is_empty()).collect();
    let ids: throng_core::data::Strings = lines.iter().map(|(_, id)| *id).collect();
    let mut seen = BTreeSet::new();
    let mut users = Vec::new();
    for ((line, id), number) in
        lines.iter().zip(ids.iter().map(|id| ratings.person_ids().iter().position(|own| own == id)))
    {
        let number = number
            .ok_or_else(|| in_file(Error::data("the person is not in the ratings").at_line(*line).with_value(*id)))?;
        if seen.insert(number) {
            users.push(number as u32);
        }
    }
    if users.is_empty() {
        return Err(in_file(Error::data("the file names nobody").with_hint("it has one id a line")));
    }
    Ok(users)
}
