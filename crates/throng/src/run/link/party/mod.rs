//! `throng link party`: two parties find out what their records have in common, and show each other nothing else.

mod edit;
mod inputs;
mod psi;
mod samples;
mod scalar;

use std::path::PathBuf;

use serde_json::{Value, json};
use throng_core::party::oprf;
use throng_core::party::vectors::{Form, Weights};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use crate::io::ReadOptions;
use crate::party::{About, Finished, Halt, Steps, Talk, Transport, transported};
use inputs::Inputs;

/// The protocols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartyProtocol {
    /// Which records both have.
    Psi,
    /// How many.
    PsiCount,
    /// How alike their records are, as vectors.
    Scalar,
    /// How many edits lie between them.
    Edit,
}

impl PartyProtocol {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Psi, Self::PsiCount, Self::Scalar, Self::Edit];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Psi => "psi",
            Self::PsiCount => "psi-count",
            Self::Scalar => "scalar",
            Self::Edit => "edit",
        }
    }

    /// The protocol of a name.
    pub fn parse(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|protocol| protocol.name() == name);
        found.ok_or_else(|| Error::unknown("protocol", name, Self::ALL.map(Self::name)))
    }
}

/// What a party does.
#[derive(Debug, Clone)]
pub struct PartyRequest {
    /// The protocol.
    pub protocol: PartyProtocol,
    /// Who this party is: `alice`, `bob` or `dealer`.
    pub role: String,
    /// Its records; a dealer has none.
    pub file: Option<PathBuf>,
    /// The columns whose values are compared.
    pub on: Vec<String>,
    /// The column of ids.
    pub id: Option<String>,
    /// How messages travel.
    pub transport: Transport,
    /// What this party learns is written here.
    pub out: Option<PathBuf>,
    /// Both learn which records both have.
    pub share_result: bool,
    /// Sizes of sets are rounded up to a power of 2.
    pub pad: bool,
    /// How texts become vectors.
    pub q: usize,
    /// In how many buckets.
    pub dimensions: usize,
    /// With which weights: `counts` or `tf-idf`.
    pub weights: String,
    /// Draw so many samples in the place of exact products.
    pub samples: Option<u32>,
    /// Learn only which pairs are at most so many edits apart.
    pub at_most: Option<u8>,
    /// How to read the file.
    pub options: ReadOptions,
}

/// Takes a step of a protocol, or all of them where messages come by themselves.
pub fn link_party(request: &PartyRequest, progress: &dyn Progress) -> Result<Steps> {
    request.transport.refuse_unbuilt()?;
    request.refuse_unused()?;
    let inputs = match &request.file {
        Some(file) => Inputs::read(file, request, progress)?,
        None => Inputs::default(),
    };
    let about = request.about()?;
    let parameters = request.parameters();
    let digest = inputs.as_bytes();
    progress.stage(request.protocol.name(), 0);
    let protocol = |talk: &mut Talk<'_>| -> std::result::Result<Finished, Halt> {
        let mut finished = match request.protocol {
            PartyProtocol::Psi => psi::run(talk, request, &inputs),
            PartyProtocol::PsiCount => psi::count(talk, request, &inputs),
            PartyProtocol::Scalar => scalar::run(talk, request, &inputs),
            PartyProtocol::Edit => edit::run(talk, request, &inputs),
        }?;
        progress.go_on()?;
        finished.found.extend(inputs.said());
        Ok(finished)
    };
    let mut steps =
        transported(&request.transport, request.out.as_deref(), about, (&parameters, &digest), progress, protocol)?;
    if !steps.done {
        steps.found.extend(inputs.said());
    }
    if inputs.left_out > 0 {
        steps.notes.push(format!(
            "{} left out: a value is empty",
            crate::words::counted(inputs.left_out, "record", "records")
        ));
    }
    Ok(steps)
}

impl PartyRequest {
    fn has_dealer(&self) -> bool {
        matches!(self.protocol, PartyProtocol::Scalar | PartyProtocol::Edit) && self.samples.is_none()
    }

    fn refuse_unused(&self) -> Result<()> {
        let mut wrong = Vec::new();
        let roles: &[&str] = if self.has_dealer() { &["alice", "bob", "dealer"] } else { &["alice", "bob"] };
        if !roles.contains(&self.role.as_str()) {
            wrong.push(Error::unknown("role", &self.role, roles.iter().copied()));
        }
        let name = self.protocol.name();
        let is_dealer = self.role == "dealer";
        if is_dealer && (self.file.is_some() || !self.on.is_empty() || self.out.is_some()) {
            wrong.push(
                Error::refused("a dealer has no records, and learns nothing")
                    .with_hint("leave FILE, `--on` and `--out` out"),
            );
        }
        if !is_dealer && (self.file.is_none() || self.on.is_empty()) {
            wrong.push(
                Error::refused("whose records, and by which columns?")
                    .with_hint("FILE and `--on COLUMN,COLUMN`, in every step"),
            );
        }
        let only = |given: bool, flag: &str, of: &[PartyProtocol]| {
            (given && !of.contains(&self.protocol))
                .then(|| Error::parameter(flag, format!("means nothing to `{name}`")))
        };
        use PartyProtocol::{Edit, Psi, PsiCount, Scalar};
        wrong.extend(only(self.share_result, "share-result", &[Psi]));
        wrong.extend(only(self.pad, "pad", &[Psi, PsiCount]));
        wrong.extend(only(self.samples.is_some(), "samples", &[Scalar]));
        wrong.extend(only(self.at_most.is_some(), "at-most", &[Edit]));
        if !(1..=8).contains(&self.q) {
            wrong.push(Error::parameter("q", format!("is {}, but must be from 1 to 8", self.q)));
        }
        if !(16..=65_536).contains(&self.dimensions) {
            wrong.push(Error::parameter("dimensions", format!("is {}, but must be from 16 to 65536", self.dimensions)));
        }
        if self.samples.is_some_and(|samples| !(1..=100_000).contains(&samples)) {
            wrong.push(Error::parameter("samples", "must be from 1 to 100000"));
        }
        let learns = match self.protocol {
            Psi => self.role == "alice" || self.share_result,
            PsiCount => false,
            Scalar | Edit => !is_dealer,
        };
        if learns && self.out.is_none() && self.transport.is_by_itself() {
            wrong.push(Error::refused("what this party learns has no place").with_hint("`--out FILE` names one"));
        }
        if wrong.is_empty() { Ok(()) } else { Err(Error::parameters(wrong)) }
    }

    fn form(&self) -> Result<Form> {
        let weights = match self.weights.as_str() {
            "counts" => Weights::Counts,
            "tf-idf" => Weights::TfIdf,
            other => return Err(Error::unknown("weight", other, ["counts", "tf-idf"])),
        };
        Ok(Form { q: self.q, buckets: self.dimensions, weights })
    }

    fn about(&self) -> Result<About> {
        let (suite, parameters) = match self.protocol {
            PartyProtocol::Psi | PartyProtocol::PsiCount => (oprf::SUITE, None),
            PartyProtocol::Scalar => {
                self.form()?;
                let common = json!({"q": self.q, "dimensions": self.dimensions, "weights": self.weights, "samples": self.samples});
                (if self.samples.is_some() { oprf::SUITE } else { scalar::SUITE }, Some(common))
            }
            PartyProtocol::Edit => (edit::SUITE, Some(json!({"at_most": self.at_most}))),
        };
        Ok(About {
            protocol: self.protocol.name(),
            suite,
            role: self.role.clone(),
            addressed: self.has_dealer(),
            parameters,
        })
    }

    /// All that this party must say alike in every step.
    fn parameters(&self) -> Value {
        let mut said = json!({"on": self.on, "id": self.id});
        match self.protocol {
            PartyProtocol::Psi => {
                said["share_result"] = json!(self.share_result);
                said["pad"] = json!(self.pad);
            }
            PartyProtocol::PsiCount => said["pad"] = json!(self.pad),
            PartyProtocol::Scalar => {
                said["q"] = json!(self.q);
                said["dimensions"] = json!(self.dimensions);
                said["weights"] = json!(self.weights);
                said["samples"] = json!(self.samples);
            }
            PartyProtocol::Edit => said["at_most"] = json!(self.at_most),
        }
        said
    }
}
