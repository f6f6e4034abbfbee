//! `throng paths cluster --party`: clusters of the paths of several holders, who do not show them.
//!
//! Step 1, alice to every other holder: how many paths she has, when they begin and end, and how far they reach. 2, each of them to alice: the same. 3, alice to
//! all: how many paths each holder has; to the holders also the clock and the origin; to carol how many clusters. 4, the dealer to each holder: for each other
//! holder a key, and the later one's share of the product of both masks. 5, the earlier of two holders to the later: its paths under a mask. 6, back. 7, each
//! holder to carol: its own squared distances, and its shares of those to the others. 8, carol to each holder: the labels of its paths.

use std::path::PathBuf;

use serde_json::{Map, json};
use throng_core::data::Paths;
use throng_core::data::paths::tracks::Tracks;
use throng_core::distance::paths::clock::{Clock, Extent, MOST_MOMENTS};
use throng_core::geo::Vector;
use throng_core::partition::k_medoids::k_medoids;
use throng_core::party::journeys::{Squares, distance_shares, own_distances, places};
use throng_core::party::product::{Help, KEY, Matrix, deal};
use throng_core::paths::cluster::MOST_TRACKS;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::read;
use crate::inputs::Inputs;
use crate::io::csv_field;
use crate::kinds::Ask;
use crate::party::{About, Body, Finished, Halt, Message, Section, Steps, Talk, Transport, transported};

/// What the numbers of a message are.
const SUITE: &str = "additive-shares-2^64";

/// How many holders there can be.
const MOST_HOLDERS: usize = 9;

/// What a party does.
#[derive(Debug, Clone)]
pub struct PathsPartyRequest {
    /// Who this party is: `alice`, `bob`, `3` and so on, `dealer` or `carol`.
    pub role: String,
    /// How many holders there are.
    pub holders: usize,
    /// The holder's paths.
    pub file: Option<Inputs>,
    /// How to read them.
    pub ask: Ask,
    /// How many clusters.
    pub clusters: usize,
    /// How many moments the clock has.
    pub moments: usize,
    /// Trips rather than persons.
    pub by_trip: bool,
    /// When positions are compared; the whole time of all holders, if nobody says.
    pub interval: Option<(i64, i64)>,
    /// Where metres are counted from; in the middle of all holders' points, if nobody says.
    pub origin: Option<(f64, f64)>,
    /// How messages travel.
    pub transport: Transport,
    /// The file of labels.
    pub out: Option<PathBuf>,
}

type Ended = std::result::Result<Finished, Halt>;

/// Takes a step, or all of them through a shared folder.
pub fn cluster_party(request: &PathsPartyRequest, progress: &dyn Progress) -> Result<Steps> {
    let holders = request.holder_names()?;
    let holder = holders.iter().position(|name| *name == request.role);
    request.refuse_unused(holder.is_some())?;
    let mut notes = Vec::new();
    let mut own = None;
    if let Some(file) = &request.file {
        let (found, said) = read(file, &request.ask, progress)?;
        notes = said;
        own = Some(Own::new(found.paths, request)?);
    }
    let parameters = json!({
        "holders": request.holders, "points": request.moments, "clusters": request.clusters,
        "interval": request.interval, "origin": request.origin, "by_trip": request.by_trip
    });
    let about = About {
        protocol: "paths-cluster",
        suite: SUITE,
        role: request.role.clone(),
        addressed: true,
        parameters: Some(json!({"holders": request.holders, "points": request.moments})),
    };
    let digest = own.as_ref().map(Own::as_bytes).unwrap_or_default();
    progress.stage("paths-cluster", 0);
    let protocol = |talk: &mut Talk<'_>| match (holder, &own) {
        (Some(holder), Some(own)) => Holder { request, holders: &holders, holder, own }.run(talk),
        _ if request.role == "dealer" => dealer(talk, request, &holders),
        _ => carol(talk, request, &holders, progress),
    };
    let mut steps =
        transported(&request.transport, request.out.as_deref(), about, (&parameters, &digest), progress, protocol)?;
    steps.notes.extend(notes);
    Ok(steps)
}

impl PathsPartyRequest {
    fn holder_names(&self) -> Result<Vec<String>> {
        if !(2..=MOST_HOLDERS).contains(&self.holders) {
            return Err(Error::parameter(
                "holders",
                format!("is {}, but must be from 2 to {MOST_HOLDERS}", self.holders),
            ));
        }
        let more = (3..=self.holders).map(|number| number.to_string());
        Ok(["alice".to_owned(), "bob".to_owned()].into_iter().chain(more).collect())
    }

    fn refuse_unused(&self, is_holder: bool) -> Result<()> {
        let names = self.holder_names()?;
        if !is_holder && !["dealer", "carol"].contains(&self.role.as_str()) {
            return Err(Error::unknown(
                "role",
                &self.role,
                names.iter().map(String::as_str).chain(["dealer", "carol"]),
            ));
        }
        if is_holder != self.file.is_some() {
            let (problem, hint) = if is_holder {
                ("whose paths?", "a holder names its file of paths, in every step")
            } else {
                ("neither the dealer nor carol has paths", "leave the file out")
            };
            return Err(Error::refused(problem).with_hint(hint));
        }
        if is_holder && self.out.is_none() && self.transport.is_by_itself() {
            return Err(Error::refused("the labels have no place").with_hint("`--out FILE` names one"));
        }
        if self.moments == 0 || self.moments > MOST_MOMENTS {
            return Err(Error::parameter(
                "points",
                format!("is {}, but must be from 1 to {MOST_MOMENTS}", self.moments),
            ));
        }
        if self.clusters == 0 {
            return Err(Error::parameter("clusters", "is 0, but must be at least 1"));
        }
        if self.interval.is_some_and(|(from, to)| from >= to) {
            return Err(Error::parameter("interval", "ends before it begins"));
        }
        Ok(())
    }
}

/// A holder's own paths.
struct Own {
    paths: Paths,
    tracks: Tracks,
    by_trip: bool,
}

impl Own {
    fn new(paths: Paths, request: &PathsPartyRequest) -> Result<Self> {
        let tracks = if request.by_trip { Tracks::of_trips(&paths) } else { Tracks::of_persons(&paths) };
        if tracks.is_empty() {
            return Err(Error::data("there are no paths in it")
                .with_hint("`throng paths reconstruct` finds trips; without `--by trip` persons are compared"));
        }
        Ok(Self { paths, tracks, by_trip: request.by_trip })
    }

    /// What stands for the file in a state.
    fn as_bytes(&self) -> Vec<u8> {
        let point = |point: usize| {
            let (lat, lon) = self.paths.place(point);
            [self.paths.time(point).to_le_bytes(), lat.to_le_bytes(), lon.to_le_bytes()].concat()
        };
        (0..self.paths.points()).flat_map(point).collect()
    }

    /// When the paths begin and end, and how far they reach.
    fn span(&self) -> Span {
        let (from, to) = self.paths.time_span().unwrap_or_default();
        Span { from, to, extent: Extent::of(&self.paths) }
    }

    /// The labels of the paths.
    fn labelled(&self, labels: &[u32]) -> Vec<u8> {
        let mut text = if self.by_trip { b"user,trip,cluster\n".to_vec() } else { b"user,cluster\n".to_vec() };
        for (track, label) in labels.iter().enumerate() {
            csv_field(self.paths.names().get(self.tracks.person(track)).as_bytes(), &mut text);
            if self.by_trip {
                let first = self.tracks.range(track).start;
                text.push(b',');
                csv_field(
                    self.paths.text(throng_core::data::paths::Mark::Trip, first).unwrap_or_default().as_bytes(),
                    &mut text,
                );
            }
            text.extend_from_slice(format!(",{}\n", label + 1).as_bytes());
        }
        text
    }
}

/// When paths begin and end, and how far they reach.
struct Span {
    from: i64,
    to: i64,
    extent: Extent,
}

impl Span {
    const BYTES: usize = 56;

    fn bytes(&self) -> Vec<u8> {
        let numbers = [self.extent.lats.0, self.extent.lats.1].into_iter().chain(self.extent.directions.0);
        let times = [self.from, self.to].into_iter().flat_map(i64::to_le_bytes);
        times.chain(numbers.flat_map(f64::to_le_bytes)).collect()
    }

    fn of(message: &Message, bytes: &[u8]) -> Result<Self> {
        let words = bytes.as_chunks::<8>().0;
        let [from, to, low, high, x, y, z] = words else { return Err(message.wrong("there must be one span", 0)) };
        let [low, high, x, y, z] = [low, high, x, y, z].map(|bytes| f64::from_le_bytes(*bytes));
        if ![low, high, x, y, z].iter().all(|number| number.is_finite()) {
            return Err(message.wrong("a span that is no number", 0));
        }
        let extent = Extent { lats: (low, high), directions: Vector([x, y, z]) };
        Ok(Self { from: i64::from_le_bytes(*from), to: i64::from_le_bytes(*to), extent })
    }
}

/// A holder's side.
struct Holder<'a> {
    request: &'a PathsPartyRequest,
    holders: &'a [String],
    holder: usize,
    own: &'a Own,
}

/// What all holders know: how many paths each has, the common clock, and where metres are counted from.
type Common = (Vec<usize>, Clock, (f64, f64));

impl Holder<'_> {
    fn run(&self, talk: &mut Talk<'_>) -> Ended {
        let (sizes, clock, origin) = if self.holder == 0 { self.plan(talk)? } else { self.planned(talk)? };
        let own = places(&self.own.paths, &self.own.tracks, clock, origin)?;
        let help = self.help(talk, &sizes)?;
        let mut shares: Vec<(usize, Matrix)> = Vec::new();
        // Earlier holders send first; then this one to all later ones.
        for (other, help) in &help[..self.holder] {
            let message = talk.receive(&self.holders[*other], 5, false)?;
            let masked = matrix(&message, "masked", [sizes[*other], own.columns()])?;
            talk.send(&self.holders[*other], 6, true, || Ok(rows(Body::default(), "masked", &help.masked(&own))))?;
            shares.push((*other, distance_shares(&own, &help.share_of_bob(&masked), false)));
        }
        for (other, help) in &help[self.holder..] {
            talk.send(&self.holders[*other], 5, false, || Ok(rows(Body::default(), "masked", &help.masked(&own))))?;
        }
        for (other, help) in &help[self.holder..] {
            let message = talk.receive(&self.holders[*other], 6, true)?;
            let masked = matrix(&message, "masked", [sizes[*other], own.columns()])?;
            shares.push((*other, distance_shares(&own, &help.share_of_alice(&own, &masked), true)));
        }
        talk.send("carol", 7, false, || {
            let within: Vec<u8> = own_distances(&own).iter().flat_map(|square| square.to_le_bytes()).collect();
            let body = Body::default().long("within", &within);
            Ok(shares
                .iter()
                .fold(body, |body, (other, share)| rows(body, &format!("with-{}", self.holders[*other]), share)))
        })?;
        let message = talk.receive("carol", 8, true)?;
        let [labels] = message.sections([("labels", 4)])?;
        let labels: Vec<u32> = labels.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        if labels.len() != self.own.tracks.len() || labels.iter().any(|&label| label as usize >= sizes.iter().sum()) {
            return Err(message.wrong("there must be one label for each path", 0).into());
        }
        let mut found = said(&sizes);
        let clusters: std::collections::BTreeSet<u32> = labels.iter().copied().collect();
        found.insert("clusters".to_owned(), json!(clusters.len()));
        Ok(Finished { out: Some(self.own.labelled(&labels)), needs_out: true, found })
    }

    /// What this holder says of itself; nothing of where and when, if that was agreed before.
    fn introduction(&self) -> Body {
        let body = Body::default().count("paths", self.own.tracks.len() as u64);
        if self.is_agreed() { body } else { body.section("span", Span::BYTES, &self.own.span().bytes()) }
    }

    fn is_agreed(&self) -> bool {
        self.request.interval.is_some() && self.request.origin.is_some()
    }

    fn introduced(&self, message: &Message) -> Result<(usize, Option<Span>)> {
        let paths = size(message, "paths")?;
        let span = if self.is_agreed() {
            message.parts(&[])?;
            None
        } else {
            let [span] = message.sections([("span", Span::BYTES)])?;
            Some(Span::of(message, &span)?)
        };
        Ok((paths, span))
    }

    /// Alice hears of all holders, and says what is common.
    fn plan(&self, talk: &mut Talk<'_>) -> std::result::Result<Common, Halt> {
        talk.begin();
        let others = &self.holders[1..];
        for other in others {
            talk.send(other, 1, false, || Ok(self.introduction()))?;
        }
        let (mut sizes, mut span) = (vec![self.own.tracks.len()], self.own.span());
        for other in others {
            let (size, theirs) = self.introduced(&talk.receive(other, 2, true)?)?;
            sizes.push(size);
            if let Some(theirs) = theirs {
                span.from = span.from.min(theirs.from);
                span.to = span.to.max(theirs.to);
                span.extent.add(theirs.extent);
            }
        }
        refuse_many(&sizes)?;
        let (from, to) = self.request.interval.unwrap_or((span.from, span.to));
        let origin = self.request.origin.unwrap_or_else(|| span.extent.origin());
        let common: Vec<u8> =
            [from.to_le_bytes(), to.to_le_bytes(), origin.0.to_le_bytes(), origin.1.to_le_bytes()].concat();
        let clusters = self.request.clusters as u64;
        for other in others {
            talk.send(other, 3, true, || {
                Ok(with_sizes(self.holders, &sizes).count("clusters", clusters).section("clock", 32, &common))
            })?;
        }
        talk.send("dealer", 3, false, || Ok(with_sizes(self.holders, &sizes)))?;
        talk.send("carol", 3, false, || Ok(with_sizes(self.holders, &sizes).count("clusters", clusters)))?;
        Ok((sizes, Clock { from, to, moments: self.request.moments }, origin))
    }

    /// The other holders hear what is common.
    fn planned(&self, talk: &mut Talk<'_>) -> std::result::Result<Common, Halt> {
        let message = talk.receive("alice", 1, false)?;
        self.introduced(&message)?;
        talk.send("alice", 2, true, || Ok(self.introduction()))?;
        let message = talk.receive("alice", 3, true)?;
        let sizes = sizes(&message, self.holders)?;
        if sizes[self.holder] != self.own.tracks.len() {
            return Err(message.wrong("it has another number of paths of this holder", 0).into());
        }
        if message.count("clusters")? != self.request.clusters as u64 {
            return Err(Error::parameter("clusters", "is not what alice said")
                .with_hint("all holders must say the same")
                .into());
        }
        let [common] = message.sections([("clock", 32)])?;
        let [from, to, lat, lon] = common.as_chunks::<8>().0 else {
            return Err(message.wrong("there must be one clock", 0).into());
        };
        let clock =
            Clock { from: i64::from_le_bytes(*from), to: i64::from_le_bytes(*to), moments: self.request.moments };
        let origin = (f64::from_le_bytes(*lat), f64::from_le_bytes(*lon));
        let is_other = |said: bool| said && self.is_agreed();
        if clock.from > clock.to
            || is_other(Some((clock.from, clock.to)) != self.request.interval)
            || is_other(Some(origin) != self.request.origin)
        {
            return Err(message.wrong("its clock or origin is not the one that was agreed", 0).into());
        }
        Ok((sizes, clock, origin))
    }

    /// What the dealer gave for each other holder, in their order.
    fn help(&self, talk: &mut Talk<'_>, sizes: &[usize]) -> std::result::Result<Vec<(usize, Help)>, Halt> {
        let message = talk.receive("dealer", 4, self.holder == 0)?;
        let others: Vec<usize> = (0..sizes.len()).filter(|&other| other != self.holder).collect();
        let names: Vec<[String; 2]> = others
            .iter()
            .map(|&other| [format!("key-{}", self.holders[other]), format!("share-{}", self.holders[other])])
            .collect();
        let own = sizes[self.holder];
        let mut sections = Vec::new();
        for (&other, [key, share]) in others.iter().zip(&names) {
            sections.push(Section::Lines(key, KEY));
            if other < self.holder {
                sections.push(Section::Lines(share, own * 8));
            }
        }
        let mut parts = message.parts(&sections)?.into_iter();
        let columns = self.request.moments * 2;
        let mut help = Vec::new();
        for other in others {
            let key = parts.next().unwrap_or_default();
            let key: [u8; KEY] =
                key.try_into().map_err(|_| message.wrong("there must be one key for each other holder", 0))?;
            help.push((
                other,
                if other < self.holder {
                    let share = parts.next().unwrap_or_default();
                    if share.len() != sizes[other] * own * 8 {
                        return Err(message.wrong("a share has another size", 0).into());
                    }
                    Help::of_bob(&key, own, columns, numbers(own, &share))
                } else {
                    Help::of_alice(&key, [own, sizes[other]], columns)
                },
            ));
        }
        Ok(help)
    }
}

fn dealer(talk: &mut Talk<'_>, request: &PathsPartyRequest, holders: &[String]) -> Ended {
    let message = talk.receive("alice", 3, false)?;
    message.parts(&[])?;
    let sizes = sizes(&message, holders)?;
    let mut keys: Vec<Vec<[u8; KEY]>> = vec![vec![[0; KEY]; sizes.len()]; sizes.len()];
    keys.iter_mut().flatten().for_each(|key| talk.rng().fill(key));
    let columns = request.moments * 2;
    for (holder, name) in holders.iter().enumerate() {
        talk.send(name, 4, holder == 0, || {
            let mut body = Body::default();
            for other in (0..sizes.len()).filter(|&other| other != holder) {
                body = body.section(&format!("key-{}", holders[other]), KEY, &keys[holder][other]);
                if other < holder {
                    let share =
                        deal(&keys[other][holder], &keys[holder][other], [sizes[other], sizes[holder]], columns);
                    body = rows(body, &format!("share-{}", holders[other]), &share);
                }
            }
            Ok(body)
        })?;
    }
    Ok(Finished { found: said(&sizes), ..Finished::default() })
}

fn carol(talk: &mut Talk<'_>, request: &PathsPartyRequest, holders: &[String], progress: &dyn Progress) -> Ended {
    let message = talk.receive("alice", 3, false)?;
    message.parts(&[])?;
    let sizes = sizes(&message, holders)?;
    let clusters = size(&message, "clusters")?;
    let mut within = Vec::new();
    let mut shares: Vec<((usize, usize), Matrix)> = Vec::new();
    for (holder, name) in holders.iter().enumerate() {
        let message = talk.receive(name, 7, false)?;
        let others: Vec<usize> = (0..sizes.len()).filter(|&other| other != holder).collect();
        let names: Vec<String> = others.iter().map(|&other| format!("with-{}", holders[other])).collect();
        let pairs = sizes[holder] * (sizes[holder] - 1) / 2;
        let width = |other: usize| if other < holder { sizes[holder] } else { sizes[other] };
        let mut sections = vec![Section::Long("within", pairs * 8)];
        sections.extend(others.iter().zip(&names).map(|(&other, name)| Section::Lines(name, width(other) * 8)));
        let mut parts = message.parts(&sections)?.into_iter();
        within.push(
            parts.next().unwrap_or_default().as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect(),
        );
        for (other, bytes) in others.into_iter().zip(parts) {
            if bytes.len() != sizes[holder] * sizes[other] * 8 {
                return Err(message.wrong("a share has another size", 0).into());
            }
            shares.push(((holder.min(other), holder.max(other)), numbers(width(other), &bytes)));
        }
    }
    shares.sort_by_key(|(pair, _)| *pair);
    let mut between: Vec<((usize, usize), Matrix)> = Vec::new();
    for (pair, share) in shares {
        match between.last_mut() {
            Some((last, sum)) if *last == pair => *sum = sum.clone().plus(&share),
            _ => between.push((pair, share)),
        }
    }
    let squares = Squares { sizes: sizes.clone(), within, between };
    let distances = squares.distances(request.moments).ok_or_else(|| {
        Error::data("the shares do not add up to distances")
            .with_hint("a holder or the dealer used other numbers: begin again on all sides")
    })?;
    let found = k_medoids(&distances, clusters, progress);
    progress.go_on()?;
    let mut labels = found.cluster_of.as_slice();
    for (name, &size) in holders.iter().zip(&sizes) {
        let (own, others) = labels.split_at(size);
        labels = others;
        let bytes: Vec<u8> = own.iter().flat_map(|label| label.to_le_bytes()).collect();
        talk.send(name, 8, true, || Ok(Body::default().section("labels", 4, &bytes)))?;
    }
    let mut said = said(&sizes);
    said.insert("clusters".to_owned(), json!(found.medoids.len()));
    Ok(Finished { found: said, ..Finished::default() })
}

fn rows(body: Body, name: &str, matrix: &Matrix) -> Body {
    let bytes: Vec<u8> = matrix.cells().iter().flat_map(|cell| cell.to_le_bytes()).collect();
    body.section(name, matrix.columns() * 8, &bytes)
}

fn numbers(columns: usize, bytes: &[u8]) -> Matrix {
    Matrix::new(columns, bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect())
}

/// The one section of a message: so many rows of so many numbers.
fn matrix(message: &Message, name: &str, [rows, columns]: [usize; 2]) -> Result<Matrix> {
    let [bytes] = message.sections([(name, columns * 8)])?;
    if bytes.len() != rows * columns * 8 {
        return Err(message.wrong("it has another number of paths", 0));
    }
    Ok(numbers(columns, &bytes))
}

fn with_sizes(holders: &[String], sizes: &[usize]) -> Body {
    holders.iter().zip(sizes).fold(Body::default(), |body, (name, &size)| body.count(name, size as u64))
}

fn sizes(message: &Message, holders: &[String]) -> Result<Vec<usize>> {
    let sizes = holders.iter().map(|name| size(message, name)).collect::<Result<Vec<usize>>>()?;
    refuse_many(&sizes)?;
    Ok(sizes)
}

fn size(message: &Message, name: &str) -> Result<usize> {
    match message.count(name)? {
        0 => Err(message.wrong(format!("`{name}` is 0"), 0).at_line(1)),
        size => usize::try_from(size).map_err(|_| message.wrong(format!("`{name}` is too large"), 0).at_line(1)),
    }
}

fn refuse_many(sizes: &[usize]) -> Result<()> {
    let paths = sizes.iter().fold(0usize, |sum, &size| sum.saturating_add(size));
    if paths > MOST_TRACKS {
        return Err(Error::refused(format!(
            "{paths} paths are more than the {MOST_TRACKS} that can be compared with each other"
        ))
        .with_hint("take fewer persons or days"));
    }
    Ok(())
}

fn said(sizes: &[usize]) -> Map<String, serde_json::Value> {
    Map::from_iter([("paths".to_owned(), json!(sizes))])
}
