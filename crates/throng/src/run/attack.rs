//! `throng attack`: plays the adversary against a release, and says how often they are right.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throng_core::attacks::{self, Asked, Attack, Outcome, PlacesKnown, Promise, Scene, Setting, With};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::attacked::first_and_further;
use super::certified::Certified;
use super::judged::{Skipped, wants_of};
use super::measure::{OpenPair, link_of, open_pair, refuse_other_files};
use crate::catalog::Shelf;
use crate::inputs::Inputs;
use crate::io::Location;
use crate::key;
use crate::kinds::{self, Ask, Kinded, Purpose, Read, Wants};
use crate::knowledge;

/// What to attack, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AttackRequest {
    /// The original: files, which are one data set, or `-`. The release itself is the attack on unprotected data.
    pub original: Inputs,
    /// The release: a file, a release folder, `-`, or one in memory.
    pub release: Inputs,
    /// The attacks; all whose inputs are there when empty.
    pub attacks: Vec<String>,
    /// The key file.
    pub key: Option<PathBuf>,
    /// How many facts of a target are known, one outcome each; as many as is usual for the kind when empty.
    pub p: Vec<usize>,
    /// What is known beside each: `times`, `clicks`, `browser`, `dates`.
    pub with: Vec<String>,
    /// How many persons are attacked, at most; as many as is usual for the kind if not given, and 10 who are befriended by made-up persons in a
    /// graph.
    pub targets: Option<usize>,
    /// Graphs: whether the graph that somebody's neighbours form is known.
    pub radius_one: bool,
    /// How often knowledge is drawn of each; as often as is usual for the kind if not given.
    pub draws: Option<usize>,
    /// A file that says what is known; nothing is drawn then.
    pub knowledge: Option<PathBuf>,
    /// Other data of the same kind, that the attacker has.
    pub reference: Option<PathBuf>,
    /// Data of persons who are not in the release; those whom the key lists without a pseudonym when not given.
    pub control: Option<PathBuf>,
    /// Another release of the same persons.
    pub other: Option<PathBuf>,
    /// Its key.
    pub other_key: Option<PathBuf>,
    /// Paths: the cells in which somebody is known to have been, `tile:15` if not given.
    pub cell: Option<String>,
    /// Paths: what is known of when that was: `hour`, `day` or `none`; `day` if not given.
    pub time: Option<String>,
    /// Ratings: by how much known ones are off, at most; 1 if not given.
    pub noise: Option<f64>,
    /// How many hashed words are attacked, the most frequent ones.
    pub top: usize,
    /// A file of hashed words that are known already.
    pub seeds: Option<PathBuf>,
    /// How many persons look the same, as far as that is claimed; the certificate's claims if not given.
    pub k: Option<usize>,
    /// Whether to go on with a key that was written for other files.
    pub force: bool,
    /// The seed of targets and draws.
    pub seed: u64,
    /// How to read and understand both.
    pub ask: Ask,
}

impl Default for AttackRequest {
    fn default() -> Self {
        Self {
            original: Inputs::default(),
            release: Inputs::default(),
            attacks: Vec::new(),
            key: None,
            p: Vec::new(),
            with: Vec::new(),
            targets: None,
            radius_one: false,
            draws: None,
            knowledge: None,
            reference: None,
            control: None,
            other: None,
            other_key: None,
            cell: None,
            time: None,
            noise: None,
            top: attacks::TOP,
            seeds: None,
            k: None,
            force: false,
            seed: 0,
            ask: Ask::default(),
        }
    }
}

/// What the attacks achieved.
#[derive(Debug, Default, Serialize)]
pub struct AttackOutcome {
    /// Every attack with every setting.
    pub attacks: Vec<Outcome>,
    /// What did not run, and why.
    pub skipped: Vec<Skipped>,
    /// The kind of data.
    #[serde(skip)]
    pub kind: &'static str,
    /// What the user should know beside it.
    #[serde(skip)]
    pub notes: Vec<String>,
}

impl AttackOutcome {
    /// Whether an attack achieves more than was promised.
    pub fn is_above(&self) -> bool {
        self.attacks.iter().any(Outcome::is_above)
    }
}

/// Plays the adversary against a release.
pub fn attack(request: &AttackRequest, progress: &dyn Progress) -> Result<AttackOutcome> {
    for (name, number) in
        [("targets", request.targets.unwrap_or(1)), ("draws", request.draws.unwrap_or(1)), ("top", request.top)]
    {
        if number == 0 {
            return Err(Error::parameter(name, "is 0, but must be at least 1"));
        }
    }
    if request.p.contains(&0) {
        return Err(Error::parameter(
            "p",
            "must be at least 1: whoever knows nothing guesses blindly, which is the baseline",
        ));
    }
    if request.top > MOST_TOKENS {
        let problem = format!("is {}, but at most {MOST_TOKENS} hashed words can be attacked at once", request.top);
        return Err(Error::parameter("top", problem).with_hint("the time grows with its cube"));
    }
    if request.other.is_some() != request.other_key.is_some() {
        return Err(Error::parameter("other", "needs `--other-key FILE`, and the other way round")
            .with_hint("the attacker has found the group of a person in both releases: the keys say who is in which"));
    }
    let pair = open_pair(&request.original, &request.release, &request.ask)?;
    pair.kind.attack(request, pair, progress)
}

/// Attacks data of a kind.
pub(crate) fn attack_as<D: Kinded>(
    request: &AttackRequest,
    pair: OpenPair,
    progress: &dyn Progress,
) -> Result<AttackOutcome> {
    let attacks = D::SHELF.attacks(&request.attacks)?;
    let places = PlacesKnown::parse(request.cell.as_deref(), request.time.as_deref())?;
    for (name, said) in [("cell", &request.cell), ("time", &request.time)] {
        if said.is_some() && !D::HAS_CELLS {
            return Err(Error::parameter(
                name,
                format!("says where somebody is known to have been, which {} do not tell", D::CARD.name),
            ));
        }
    }
    if let Some(noise) = request.noise {
        let knows_ratings = D::SHELF.attacks.iter().any(|attack| attack.info().takes_noise);
        if !knows_ratings {
            let problem = format!("says by how much known ratings are off, which {} do not have", D::CARD.name);
            return Err(Error::parameter("noise", problem));
        }
        if !(0.0..=MOST_NOISE).contains(&noise) {
            let problem = format!("is {noise}, but must be from 0, exactly known, to {MOST_NOISE}");
            return Err(Error::parameter("noise", problem));
        }
    }
    if request.radius_one && !D::HAS_NEIGHBOURS {
        return Err(Error::parameter(
            "radius-one",
            format!("is about neighbours in graphs, which {} have not", D::CARD.name),
        ));
    }
    let with = with_words::<D>(&request.with, &D::SHELF)?;
    let OpenPair { original: read_as, release: certified, opened: [opened, released], .. } = pair;
    if let (Some(key), false) = (&request.key, request.force) {
        let takes_other_lines = attacks.iter().all(|attack| attack.info().takes_other_lines);
        let original = (!takes_other_lines).then_some(&read_as.location);
        refuse_other_files(key, [original, Some(&certified.location)], "`--force` attacks these all the same")?;
    }
    let other_k = match (&request.other, &request.other_key) {
        (Some(other), Some(_)) if request.force => least_k_of::<D>(other, None)?,
        (Some(other), Some(key)) => other_k::<D>(other, key, "`--force` attacks these all the same")?,
        _ => None,
    };
    let ask = read_as.ask.as_certified(certified.taxonomy());
    let mut original = D::read(opened, &ask, Purpose::Original, progress)?;
    let beside = |flag: &str, path: &Option<PathBuf>| match path {
        Some(path) => read_beside::<D>(flag, path, &ask, progress).map(Some),
        None => Ok(None),
    };
    let (reference, mut control) = (beside("reference", &request.reference)?, beside("control", &request.control)?);
    if let Some(key) = &request.key {
        // Whoever was not drawn for the sample is neither a target nor a control.
        if let Some(sampled) = key::sampled(key, original.data.names())? {
            original.data = original.data.of_persons(&sampled);
        }
        let held_out = key::held_out(key, original.data.names())?;
        if !held_out.is_empty() {
            let is_held_out = |person: &u32| held_out.binary_search(person).is_ok();
            let members: Vec<u32> = (0..original.data.persons() as u32).filter(|person| !is_held_out(person)).collect();
            if control.is_none() {
                let others = original.data.of_persons(&held_out);
                let unasked = Ask { sensitive: None, ..ask.clone() };
                control = Some(D::understand(vec![others], &original.about, &unasked, Wants::default())?.only()?.0);
            }
            original.data = original.data.of_persons(&members);
        }
    }
    let groups = match (&request.key, &request.other_key) {
        (Some(key), Some(other)) => Some(key::groups([key, other])?),
        _ => None,
    };
    let release = D::read(released, &certified.ask, Purpose::Release, progress)?;
    let links = match link_of(request.key.as_deref(), &original.data, &release.data)? {
        // A line of the same file is the same person, though it has no id.
        None if is_same_file(&read_as.location, &certified.location) => {
            key::link_by_ids(original.data.names(), release.data.names())
        }
        links => links,
    };
    let (link, further) = match &links {
        Some(links) => {
            let (link, further) = first_and_further(links, original.data.persons());
            (Some(link), further)
        }
        None => (None, Vec::new()),
    };
    let given = match &request.knowledge {
        Some(path) => {
            let names = original.data.names();
            Some(knowledge::read(path, D::FACTS[0].names[0], names, with, &ask.reading())?)
        }
        None => None,
    };
    // What runs only by name need not be made ready for.
    let is_run = |attack: &&&dyn Attack<D>| !attack.info().on_request || !request.attacks.is_empty();
    let needs = attacks.iter().filter(is_run).flat_map(|attack| attack.info().needs);
    let wants = wants_of(needs);
    let ready = D::understand_pair(original, release, &read_as.ask, certified.taxonomy(), wants)?;
    let sensitive = read_as.ask.sensitive_items()?.unwrap_or_default();
    let parts: Vec<D> = ready.parts.into_iter().map(|part| part.naming_sensitive(&sensitive)).collect();
    let [original, release] = parts.as_slice() else {
        return Err(Error::internal("an original and its release did not stay two"));
    };
    refuse_without_taxonomy(&certified, original)?;
    let mut notes = ready.notes;
    let promises = promises::<D>(request.k, &certified);
    if promises.is_empty() {
        notes.push(
            "nothing says what the release promises, so no rate has a bound: it has no certificate with claims; `--k N` says how many \
             persons should look the same"
                .to_owned(),
        );
    }
    let usual = D::KNOWN;
    let known = if request.p.is_empty() { usual.facts } else { &request.p };
    let asked = Asked {
        settings: known.iter().map(|&p| Setting { p, with }).collect(),
        targets: request.targets.unwrap_or(usual.targets),
        draws: request.draws.unwrap_or(usual.draws),
        radius_one: request.radius_one,
        injected: request.targets.unwrap_or(attacks::INJECTED),
        seed: request.seed,
        given,
        promises,
        other_k,
        sensitive,
        top: request.top,
        seeds: request.seeds.as_deref().map(knowledge::read_seeds).transpose()?.unwrap_or_default(),
        places,
        noise: request.noise.unwrap_or(attacks::RATING_NOISE),
    };
    let multiplicity = vec![1; release.persons()];
    let scene = Scene::new(original, release, &multiplicity, link.as_deref(), progress)
        .with_further(&further)
        .with_reference(reference.as_ref())
        .with_control(control.as_ref())
        .with_groups(groups.as_deref());
    let mut outcome = run(&attacks, &scene, &asked, !request.attacks.is_empty(), progress)?;
    outcome.notes = notes;
    Ok(outcome)
}

/// Runs attacks. Those that lack something are skipped, with the reason; one that was asked for by name is an error then.
pub(super) fn run<D: Kinded>(
    attacks: &[&'static dyn Attack<D>],
    scene: &Scene<'_, D>,
    asked: &Asked,
    by_name: bool,
    progress: &dyn Progress,
) -> Result<AttackOutcome> {
    let mut outcome = AttackOutcome { kind: D::CARD.name, ..AttackOutcome::default() };
    for attack in attacks {
        let card = attack.info();
        let reason = if card.on_request && !by_name {
            Some("runs only if it is asked for by name: ORIGINAL must be lines that the release was not made from")
        } else if let Some(need) = scene.lacks(card) {
            Some(need.reason())
        } else if asked.given.is_some() && !card.takes_given {
            Some("draws what it knows by itself: `--knowledge` is not for it")
        } else {
            None
        };
        if let Some(reason) = reason {
            if by_name {
                return Err(Error::refused(format!("the attack `{}` cannot run: it {reason}", card.info.name)));
            }
            outcome.skipped.push(Skipped { name: card.info.name, reason: reason.to_owned() });
            continue;
        }
        progress.stage(card.info.name, 0);
        let found = attack.attack(scene, asked);
        progress.go_on()?;
        outcome.attacks.extend(found?);
    }
    Ok(outcome)
}

/// Whoever is off by more knows nothing, on any scale.
const MOST_NOISE: f64 = 1000.0;

/// More hashed words than this are not attacked at once.
const MOST_TOKENS: usize = 2000;

/// The k that another release claims, whose key this must be.
pub(super) fn other_k<D: Kinded>(release: &Path, key: &Path, hint: &str) -> Result<Option<f64>> {
    least_k_of::<D>(release, Some((key, hint)))
}

/// The k that another release claims; with a key, it must be that release's.
fn least_k_of<D: Kinded>(release: &Path, key: Option<(&Path, &str)>) -> Result<Option<f64>> {
    let other = Certified::open_one(release, &Ask::default())?;
    if let Some((key, hint)) = key {
        refuse_other_files(key, [None, Some(&other.location)], hint)?;
    }
    if let Some(certificate) = &other.certificate {
        let kind = certificate.output.kind.as_ref().unwrap_or(&certificate.input.kind);
        if kind != D::CARD.name {
            let problem = format!("`--other` is {kind}, and the release is {}", D::CARD.name);
            return Err(Error::refused(problem).with_hint("two releases of the same people are of one kind"));
        }
    }
    Ok(attacks::least_k(&promises::<D>(None, &other)))
}

/// Other data that an attacker has, or that somebody else's are: of the same kind.
fn read_beside<D: Kinded>(flag: &str, path: &Path, ask: &Ask, progress: &dyn Progress) -> Result<D> {
    let mut other = Certified::open_one(path, &Ask { sensitive: None, ..ask.clone() })?;
    let unsaid = Ask { kind: None, columns: Vec::new(), ..other.ask.clone() };
    match kinds::kind_of(&other.location, &unsaid) {
        Ok(found) if found != D::CARD.name && ask.as_kind.is_none() => {
            let problem = format!("`--{flag}` is {found}, and the release is {}", D::CARD.name);
            return Err(Error::refused(problem)
                .in_file(path.display().to_string())
                .with_hint("it must be data of the same kind"));
        }
        _ => {}
    }
    other.ask.columns = kinds::columns_that_are_there(&other.location, &other.ask)?;
    let (_, opened) = kinds::open(&other.location, &other.ask)?;
    let Read { data, about } = D::read(opened, &other.ask, Purpose::Original, progress)?;
    Ok(D::understand(vec![data], &about, &other.ask, Wants::default())?.only()?.0)
}

/// What a release claims: a k that was said is that of the kind's own k-anonymity, else the certificate says it.
pub(super) fn promises<D: Kinded>(k: Option<usize>, certified: &Certified) -> Vec<Promise> {
    if let Some(promise) = k.and_then(natural_promise::<D>) {
        return vec![promise];
    }
    let claims = certified.certificate.iter().flat_map(|certificate| &certificate.claims);
    claims.map(|claim| Promise { model: claim.model.clone(), parameters: claim.parameters.clone() }).collect()
}

/// The promise of the kind's own k-anonymity.
pub(super) fn natural_promise<D: Kinded>(k: usize) -> Option<Promise> {
    let natural = D::SHELF.models.first()?;
    Some(Promise {
        model: natural.info.name.to_owned(),
        parameters: [("k".to_owned(), k.into())].into_iter().collect(),
    })
}

/// What is known beside facts; what no attack on this kind of data can know is refused.
fn with_words<D: Kinded>(words: &[String], shelf: &Shelf<D>) -> Result<With> {
    let mut with = With::default();
    for word in words {
        match word.as_str() {
            "times" => with.times = true,
            "clicks" => with.clicks = true,
            "browser" => with.browser = true,
            "dates" => with.dates = true,
            _ => {
                return Err(Error::unknown(
                    "thing to know beside facts",
                    word,
                    ["times", "clicks", "browser", "dates"],
                ));
            }
        }
        if !shelf.attacks.iter().any(|attack| attack.info().with.contains(&word.as_str())) {
            return Err(Error::parameter("with", format!("asks for {word}, which {} do not have", D::CARD.name)));
        }
    }
    Ok(with)
}

/// Refuses a release whose items stand for others, if nobody says for which: it would look safer than it is.
fn refuse_without_taxonomy<D: Kinded>(certified: &Certified, original: &D) -> Result<()> {
    let record = certified.taxonomy().filter(|record| !record.by_phrase);
    match record {
        Some(record) if !original.has(throng_core::Need::Taxonomy) && D::CARD.judged_by_taxonomy => {
            Err(Error::refused(format!("the release was made with the taxonomy {}, which is not given", record.name))
                .with_hint("give it with `--taxonomy FILE`: without it nobody knows what its items stand for"))
        }
        _ => Ok(()),
    }
}

fn is_same_file(original: &Location, release: &Location) -> bool {
    let place = |location: &Location| match location {
        Location::File(path) => path.canonicalize().ok(),
        _ => None,
    };
    place(original).is_some_and(|original| place(release) == Some(original))
}
