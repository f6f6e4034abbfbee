//! `throng audit`: is this file anonymous, whoever made it? Who is alone in it, by what are they found, and what is to be done?
//!
//! One look after the other, each a function over any kind of data: which facts single people out ([`singled_out`]), how large
//! the crowds are, which models hold ([`Judging`]), and of a release whether it is what its certificate says. Attacks are one more
//! look: they belong after the models, into a list of their own in [`Audit`].
//!
//! The answer is that of the kind's natural model at k. As with `check`, whatever could not be compared makes it a no.

mod words;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throng_core::attacks::Outcome;
use throng_core::data::FactSort;
use throng_core::measures::risk::uniqueness;
use throng_core::models::crowds::{Crowds, CrowdsOfSize};
use throng_core::models::k_anonymity::EqualRecords as _;
use throng_core::progress::Progress;
use throng_core::{Error, Result, Rng};

use super::certified::Certified;
use super::check::{Asked, CheckOutcome, CheckRequest, ClaimOutcome, Looked, NOISE, POPULATION, asked, on_request};
use super::requests::typed_parameters;
use super::{attack, attacked};
use crate::catalog::Judge;
use crate::inputs::Inputs;
use crate::io::{Held, Location, Opened};
use crate::kinds::{self, Alike, Ask, Kinded, Naming, Purpose, Read, Ready, Wants};
use crate::limits::MOST_HELD_BYTES;
use crate::{pending, report};

/// What to audit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AuditRequest {
    /// Files or folders of documents, which are one data set; a release folder; or `-`, standard input, which is held in memory.
    pub file: Inputs,
    /// Parameters of models as typed; `k` is the one that the answer is for.
    #[serde(with = "typed_parameters")]
    pub parameters: Vec<(String, String)>,
    /// Where to write the page, if one is wanted.
    pub html: Option<PathBuf>,
    /// The seed of what is drawn.
    pub seed: u64,
    /// Whether a witness may be named by their id.
    pub show_values: bool,
    /// How to read and understand the file.
    pub ask: Ask,
}

/// What was found.
#[derive(Debug, Serialize)]
pub struct Audit {
    /// The name of the file, without its folder; of several, all of them.
    pub file: String,
    /// The kind of data.
    pub kind: &'static str,
    /// How the file holds them.
    pub format: String,
    /// The column of each role.
    pub columns: BTreeMap<String, String>,
    /// Columns without a role.
    pub unmapped: Vec<String>,
    /// How many persons there are.
    pub persons: usize,
    /// The column that tells persons apart; empty where a person is a line or a file.
    pub person_column: String,
    /// How many accounts are probably one person's with others; of search logs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accounts_alike: Option<usize>,
    /// How many rows.
    pub rows: u64,
    /// Malformed lines that were skipped.
    pub rows_refused: u64,
    /// How many must look the same.
    pub k: usize,
    /// `holds` if everybody is one of at least k and everything was compared, else `fails`.
    pub verdict: &'static str,
    /// Why no model can judge such data, where none can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unjudgeable: Option<&'static str>,
    /// Persons by how many have the same record, themselves included; `null` where no model can judge.
    pub crowds: Option<Vec<CrowdsOfSize>>,
    /// The size of the smallest crowd.
    pub smallest_crowd: Option<usize>,
    /// How many persons are in crowds of fewer than k.
    pub persons_below_k: Option<usize>,
    /// By which facts people are found.
    pub singled_out: Vec<SingledOut>,
    /// Every model of the kind.
    pub models: Vec<ModelOutcome>,
    /// Of a release: what `check` says of its certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CheckOutcome>,
    /// What fails beside the natural model: whatever could not be compared, and a hash that is not the certificate's.
    pub not_compared: Vec<String>,
    /// How the ids themselves say who somebody is, where they do: no crowd hides that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_by_ids: Option<&'static str>,
    /// What is to be done, in sentences.
    pub what_to_do: Vec<String>,
    /// What attackers achieve who have nothing but the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attacks: Vec<Outcome>,
    /// What the user should know beside it.
    pub notes: Vec<String>,
    /// The page, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// Whether columns without a role were passed over.
    #[serde(skip)]
    pub(crate) columns_not_read: bool,
    /// Whether nearly every row is another person's, which is rarely meant.
    #[serde(skip)]
    pub(crate) is_doubtful: bool,
    /// The names of the files, without their folders.
    #[serde(skip)]
    pub(crate) names: Vec<String>,
    /// What was said of the file, to be said to another command too.
    #[serde(skip)]
    pub(crate) flags: String,
    /// What must be said to `protect`, and was not said here.
    #[serde(skip)]
    pub(crate) flags_lacking: String,
    /// Parameters that no model used.
    #[serde(skip)]
    pub unused: Vec<String>,
}

/// How many persons are found by somebody who knows a few facts of one sort.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SingledOut {
    /// What the facts are called, many of them.
    pub facts: &'static str,
    /// What exactly is known when one is known.
    pub known: &'static str,
    /// The share of persons whom 1, 2, 3 of their facts single out.
    pub alone: BTreeMap<u8, f64>,
    /// The share of persons whom they leave among fewer than k.
    pub below_k: BTreeMap<u8, f64>,
    /// How many persons were looked at: all, or as many as were drawn.
    pub persons: usize,
}

/// A model and what it found.
#[derive(Debug, Clone, Serialize)]
pub struct ModelOutcome {
    /// The model with its verdict.
    #[serde(flatten)]
    pub claim: ClaimOutcome,
    /// Why it was not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Audit {
    /// What became of columns without a role.
    pub fn unmapped_fate(&self) -> &'static str {
        if self.columns_not_read { "not looked at" } else { "compared byte for byte" }
    }

    /// Whether everybody is one of at least k, and everything was compared.
    pub fn holds(&self) -> bool {
        self.verdict == "holds"
    }
}

/// Audits a file or a release folder.
pub fn audit(request: &AuditRequest, progress: &dyn Progress) -> Result<Audit> {
    let paths = request.file.paths()?;
    if let Some(page) = &request.html {
        pending::refuse_in_release(page, "page")?;
        let is_page = |place: &Path| paths.iter().any(|file| file.canonicalize().is_ok_and(|file| file == place));
        if page.canonicalize().is_ok_and(|place| is_page(&place)) {
            return Err(Error::refused("the page would replace the file that is audited")
                .with_hint("give it another name: `--html audit.html`"));
        }
        pending::refuse_replacing_other(page, "page")?;
    }
    let mut certified = Certified::open(&request.file, &request.ask)?;
    // A file is read twice, standard input only once.
    if let Location::Stdin = certified.location {
        certified.location = Location::Held(Held::read(std::io::stdin(), MOST_HELD_BYTES)?);
    }
    let (kind, opened) = kinds::open(&certified.location, &certified.ask)?;
    let mut found = kind.audit(request, &certified, opened, progress)?;
    if let Some(page) = &request.html {
        pending::replace_page(page, &report::audit_page(&found)?, "page", false)?;
        found.page = Some(page.display().to_string());
    }
    Ok(found)
}

/// Audits data of a kind.
pub(crate) fn audit_as<D: Kinded>(
    request: &AuditRequest,
    certified: &Certified,
    opened: Opened,
    progress: &dyn Progress,
) -> Result<Audit> {
    // All parameters are checked before a large file is read.
    let Questions { k, models, unused } = Questions::<D>::new(&request.parameters)?;
    let read = D::read(opened, &certified.ask, Purpose::Look, progress)?;
    progress.stage("facts", 0);
    let mut found = Audit { unused, ..of_file(request, &read, k) };
    found.singled_out = singled_out(&read.data, k, request.seed);
    found.named_by_ids = named_by_ids(&read.data, certified);
    found.flags_lacking = D::flags_lacking(&read, &certified.ask);
    let untold = if certified.certificate.is_none() { D::singled_out_by_unmapped(&read) } else { Vec::new() };
    if certified.certificate.is_none() && !kinds::knows_persons::<D>(&certified.ask) {
        let alike = read.data.alike();
        found.accounts_alike = alike.map(|alike| alike.accounts);
        found.notes.extend(alike.and_then(Alike::in_words).map(|said| format!("{said}; {}", kinds::IF_ALIKE)));
    }
    progress.go_on()?;
    found.attacks = attacks(read, certified, k, progress)?;
    if found.unjudgeable.is_none() {
        let (_, opened) = kinds::open(&certified.location, &certified.ask)?;
        let knows_sensitive = certified.ask.sensitive.is_some();
        let mut looked = Looked::<D>::at(certified, opened, knows_sensitive, progress)?;
        looked.seen.uncompared.extend(untold);
        progress.stage("crowds", 0);
        let crowds = Crowds::of(looked.seen.evidence.groups().iter().map(Vec::len), k);
        (found.smallest_crowd, found.persons_below_k) = (Some(crowds.smallest), Some(crowds.below_k));
        found.crowds = Some(crowds.by_size);
        let judge = Judging {
            looked: &looked,
            naming: Naming { pseudonyms: certified.has_pseudonyms(), show_values: request.show_values },
            knows_sensitive,
        };
        found.certificate = judge.certificate(request, certified)?;
        for model in models {
            progress.stage(model.model, 0);
            found.models.push(judge.model(model)?);
            progress.go_on()?;
        }
        found.is_doubtful = certified.certificate.is_none()
            && kinds::one_row_each(&D::CARD, &certified.ask, looked.seen.persons, looked.seen.rows).is_some();
        found.conclude(&looked);
    }
    found.what_to_do = found.advice(&request.file.as_named());
    Ok(found)
}

/// What attackers achieve who have nothing but the file, or know a little of what is in it. The data are no longer needed then, and may be large.
fn attacks<D: Kinded>(read: Read<D>, certified: &Certified, k: usize, progress: &dyn Progress) -> Result<Vec<Outcome>> {
    let promises = attack::natural_promise::<D>(k).into_iter().collect();
    let mut found = attacked::exposure(&read.data, promises, true, progress)?;
    let attacks = attacked::alone::<D>();
    if attacks.is_empty() {
        return Ok(found);
    }
    let ask = certified.ask.as_certified(certified.taxonomy());
    if ask.taxonomies.is_empty() {
        found.extend(attacked::without_link(&attacks, &read.data, k, progress)?);
        return Ok(found);
    }
    // What does not fit the taxonomy is attacked as it stands.
    let as_it_stands = read.data.clone();
    let understood = D::understand(vec![read.data], &read.about, &ask, Wants::default()).and_then(Ready::only);
    let data = understood.map_or(as_it_stands, |(data, _)| data);
    found.extend(attacked::without_link(&attacks, &data, k, progress)?);
    Ok(found)
}

/// What is asked of a file: k, and every model of the kind, its natural one first.
struct Questions<D: Kinded> {
    k: usize,
    models: Vec<Asked<D>>,
    /// Parameters that no model uses that can be checked here.
    unused: Vec<String>,
}

impl<D: Kinded> Questions<D> {
    fn new(parameters: &[(String, String)]) -> Result<Self> {
        let mut unused: Vec<String> = parameters.iter().map(|(name, _)| name.clone()).collect();
        let mut models = Vec::new();
        for entry in D::SHELF.models {
            let (model, rest) = on_request(entry, parameters, None)?;
            if model.judge.needs().is_none() {
                unused.retain(|name| rest.contains(name));
            }
            models.push(model);
        }
        let k = models.first().and_then(|natural: &Asked<D>| natural.parameters.get("k")?.as_u64());
        let k = k.ok_or_else(|| Error::internal("the natural model of a kind has no k"))? as usize;
        Ok(Self { k, models, unused })
    }
}

/// What the file is, before anything in it is judged.
fn of_file<D: Kinded>(request: &AuditRequest, read: &Read<D>, k: usize) -> Audit {
    let Read { data, about } = read;
    let unjudgeable = D::unjudgeable(about);
    let mut notes = about.notes.clone();
    if unjudgeable.is_some() {
        // Otherwise whoever looks at the records says so.
        notes.extend(about.oddities(data));
    }
    let names = request.file.names();
    let file = if names == ["-"] { Location::Stdin.to_string() } else { names.join(", ") };
    Audit {
        file,
        names,
        kind: D::CARD.name,
        format: D::form(about),
        columns: kinds::columns_shown::<D>(&about.layout, &request.ask)
            .into_iter()
            .map(|column| (column.role.to_owned(), column.name))
            .collect(),
        unmapped: about.unmapped.clone(),
        persons: data.persons(),
        person_column: String::new(),
        accounts_alike: None,
        rows: about.rows,
        rows_refused: about.refused,
        k,
        verdict: "fails",
        unjudgeable,
        crowds: None,
        smallest_crowd: None,
        persons_below_k: None,
        singled_out: Vec::new(),
        models: Vec::new(),
        certificate: None,
        not_compared: Vec::new(),
        named_by_ids: None,
        what_to_do: Vec::new(),
        attacks: Vec::new(),
        notes,
        page: None,
        columns_not_read: true,
        is_doubtful: false,
        flags: words::flags(&request.ask),
        flags_lacking: String::new(),
        unused: Vec::new(),
    }
}

/// How ids say who somebody is: those of the original, which its custodian knows, and addresses, which everybody does.
fn named_by_ids<D: Kinded>(data: &D, certified: &Certified) -> Option<&'static str> {
    if certified.keeps_ids() {
        return Some("the certificate says that the ids are those of the original (`--keep-ids`)");
    }
    if certified.masks_ids() {
        return Some("the certificate says that addresses are networks of the original's");
    }
    let is_address = |name: &str| {
        let parts = name.trim().split_once('@');
        parts.is_some_and(|(who, host)| !who.is_empty() && host.contains('.') && !name.trim().contains(' '))
    };
    let addresses = data.names().iter().filter(|name| is_address(name)).count();
    (data.has_ids() && 2 * addresses > data.persons()).then_some("the ids look like e-mail addresses")
}

/// For each sort of facts that the data have, how many persons are found by a few.
fn singled_out<D: Kinded>(data: &D, k: usize, seed: u64) -> Vec<SingledOut> {
    let of_sort = |(number, sort): (usize, &FactSort)| {
        let facts = data.facts(number);
        // The same draws as those of `inspect`.
        let exposure = uniqueness::exposure(&facts, data.persons(), k, &mut Rng::seeded(seed));
        let shares = |shares: [f64; 3]| (1..).zip(shares).collect();
        (facts.count() > 0).then(|| SingledOut {
            facts: sort.names[1],
            known: sort.means,
            alone: shares(exposure.alone),
            below_k: shares(exposure.below_k),
            persons: exposure.persons,
        })
    };
    D::FACTS.iter().enumerate().filter_map(of_sort).collect()
}

/// What models look at, and what may be said of those who show that one fails.
struct Judging<'a, D: Kinded> {
    looked: &'a Looked<D>,
    naming: Naming,
    knows_sensitive: bool,
}

impl<D: Kinded> Judging<'_, D> {
    /// What a model finds, or why it was not asked. Of the natural model there is always an answer.
    fn model(&self, asked: Asked<D>) -> Result<ModelOutcome> {
        let is_natural = D::SHELF.models.first().is_some_and(|natural| natural.info.name == asked.model);
        let (found, reason) = match &asked.judge {
            Judge::Beside(model) => {
                let reason = match model.beside() {
                    POPULATION => "it needs the table that the rows are a part of: `throng check --population FILE`",
                    NOISE => {
                        "it needs the original and how noise was added: `throng check --original FILE --noise-file FILE`"
                    }
                    _ => "it compares a release with its original",
                };
                (None, Some(reason.to_owned()))
            }
            Judge::Keyed(_) => (None, Some("it needs the original and the key of a release".to_owned())),
            Judge::Alone(model) if model.needs_sensitive() && !self.knows_sensitive => {
                (None, Some("it is about sensitive items, and none are named (`--sensitive FILE`)".to_owned()))
            }
            Judge::Alone(model) => match self.looked.look(model.as_ref(), &self.naming) {
                Err(error) if !is_natural => (None, Some(error.to_string())),
                found => (Some(found?), None),
            },
        };
        Ok(ModelOutcome { claim: asked.outcome(found), reason })
    }

    /// What is to be said of the certificate of a release, as far as the release alone shows it.
    fn certificate(&self, request: &AuditRequest, certified: &Certified) -> Result<Option<CheckOutcome>> {
        let Some(certificate) = &certified.certificate else { return Ok(None) };
        let mut claims = Vec::new();
        if !certificate.claims.is_empty() {
            let as_claimed = CheckRequest { file: request.file.clone(), ..CheckRequest::default() };
            for claim in asked::<D>(&as_claimed, certified)?.0 {
                claims.push(self.model(claim)?.claim);
            }
        }
        Ok(Some(self.looked.outcome(claims, Vec::new(), false)))
    }
}

impl Audit {
    /// The answer: the natural model holds, nothing was left uncompared, a certificate is not contradicted, and no id is a name.
    fn conclude<D: Kinded>(&mut self, looked: &Looked<D>) {
        let natural = self.models.iter().take(1).map(|natural| natural.claim.clone()).collect();
        let natural = looked.outcome(natural, Vec::new(), false);
        let is_contradicted = self.certificate.as_ref().is_some_and(|found| found.verdict == "fails");
        self.verdict =
            if natural.holds() && !is_contradicted && self.named_by_ids.is_none() { "holds" } else { "fails" };
        self.not_compared = natural.unvouched().into_iter().map(|line| line.text).collect();
        self.columns_not_read = natural.columns_not_read > 0;
        self.notes.extend(natural.notes);
        // A kind may count columns without a role as something, and have said so.
        self.unmapped.clone_from(&natural.unmapped);
        self.notes.extend(self.about_unmapped());
        self.persons = natural.persons;
        self.person_column = natural.person_column;
        self.rows = natural.rows;
    }
}
