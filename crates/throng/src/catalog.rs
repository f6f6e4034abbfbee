//! The list. Every method, model and measure stands here once, one line each; the command line, `throng list`,
//! `throng explain`, the docs and the contract tests read it. It holds no definitions: those are in the files it names.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use throng_core::data::{Baskets, Documents, QueryLog};
use throng_core::distance::{document_distance, semantic_distance, user_distance};
use throng_core::measures::risk::{held_out_linkage, profile_exposure_level, rare_content};
use throng_core::measures::utility::{
    average_length, average_level, classification_kept, clustering_agreement, concept_frequency, count_query_error,
    group_generalisation_distortion, information_loss_ratio, interests_kept, item_frequency, itemsets_kept,
    normalised_certainty_penalty, page_frequency, query_frequency, semantic_loss, sum_of_squares,
    sum_of_squares_documents, suppressed_items, word_frequency,
};
use throng_core::measures::{Measure, MeasureInfo};
use throng_core::methods::Method;
use throng_core::methods::baskets::{
    apriori, cahd, clump, coherence, flock, hghs, optimal_km, partition, rho_uncertainty,
};
use throng_core::methods::documents::document_microaggregation;
use throng_core::methods::queries::{interest_microaggregation, kindred, user_microaggregation};
use throng_core::methods::semantic_microaggregation::{self, SemanticMicroaggregation};
use throng_core::models::digests::Digests;
use throng_core::models::{
    self, Model, ModelWithOriginal, Verdict, content_threshold, km_anonymity, privacy_degree, record_k_anonymity,
    transaction_k_anonymity, user_k_anonymity,
};
use throng_core::{Error, Info, Kind, ParameterKind, Result};

/// Every method. The first of a kind is its default.
pub const METHODS: &[MethodEntry] = &[
    MethodEntry { info: &kindred::INFO, build: |_, given| queries(kindred::Kindred::new(params(given)?)) },
    MethodEntry {
        info: &user_microaggregation::INFO,
        build: |_, given| queries(user_microaggregation::UserMicroaggregation::new(params(given)?)),
    },
    MethodEntry {
        info: &interest_microaggregation::INFO,
        build: |_, given| queries(interest_microaggregation::InterestMicroaggregation::new(params(given)?)),
    },
    MethodEntry { info: &flock::INFO, build: |_, given| baskets(flock::Flock::new(params(given)?)) },
    MethodEntry { info: &clump::INFO, build: |_, given| baskets(clump::Clump::new(params(given)?)) },
    MethodEntry { info: &partition::INFO, build: |_, given| baskets(partition::Partition::new(params(given)?)) },
    MethodEntry { info: &apriori::INFO, build: |_, given| baskets(apriori::Apriori::new(params(given)?)) },
    MethodEntry { info: &optimal_km::INFO, build: |_, given| baskets(optimal_km::OptimalKm::new(params(given)?)) },
    MethodEntry { info: &hghs::INFO, build: |_, given| baskets(hghs::Hghs::new(params(given)?)) },
    MethodEntry { info: &coherence::INFO, build: |_, given| baskets(coherence::Coherence::new(params(given)?)) },
    MethodEntry {
        info: &rho_uncertainty::INFO,
        build: |_, given| baskets(rho_uncertainty::RhoUncertainty::new(params(given)?)),
    },
    MethodEntry { info: &cahd::INFO, build: |_, given| baskets(cahd::Cahd::new(params(given)?)) },
    MethodEntry {
        info: &semantic_microaggregation::INFO,
        build: |kind, given| {
            let method = SemanticMicroaggregation::new(params(given)?, kind);
            if kind == Kind::Baskets { baskets(method) } else { queries(method) }
        },
    },
    MethodEntry {
        info: &document_microaggregation::INFO,
        build: |_, given| documents(document_microaggregation::DocumentMicroaggregation::new(params(given)?)),
    },
];

/// Every model.
pub const MODELS: &[ModelEntry] = &[
    ModelEntry {
        info: &user_k_anonymity::INFO,
        build: |given| {
            let model = user_k_anonymity::UserKAnonymity::new(params(given)?)?;
            Ok(AnyModel::Queries(Box::new(move |digests: &Digests| model.check(digests))))
        },
    },
    ModelEntry {
        info: &content_threshold::INFO,
        build: |given| {
            Ok(AnyModel::QueriesWithOriginal(Box::new(content_threshold::ContentThreshold::new(params(given)?)?)))
        },
    },
    ModelEntry {
        info: &transaction_k_anonymity::INFO,
        build: |given| on_baskets(transaction_k_anonymity::TransactionKAnonymity::new(params(given)?)),
    },
    ModelEntry { info: &km_anonymity::INFO, build: |given| on_baskets(km_anonymity::KmAnonymity::new(params(given)?)) },
    ModelEntry {
        info: &models::coherence::INFO,
        build: |given| on_baskets(models::coherence::Coherence::new(params(given)?)),
    },
    ModelEntry {
        info: &models::rho_uncertainty::INFO,
        build: |given| on_baskets(models::rho_uncertainty::RhoUncertainty::new(params(given)?)),
    },
    ModelEntry {
        info: &privacy_degree::INFO,
        build: |given| on_baskets(privacy_degree::PrivacyDegree::new(params(given)?)),
    },
    ModelEntry {
        info: &record_k_anonymity::INFO,
        build: |given| Ok(AnyModel::Documents(Box::new(record_k_anonymity::RecordKAnonymity::new(params(given)?)?))),
    },
];

/// Every measure, in the order in which they are reported.
pub const MEASURES: &[AnyMeasure] = &[
    AnyMeasure::Queries(&profile_exposure_level::ProfileExposureLevel),
    AnyMeasure::Queries(&rare_content::RareContent),
    AnyMeasure::Queries(&held_out_linkage::HeldOutLinkage),
    AnyMeasure::Queries(&information_loss_ratio::InformationLossRatio),
    AnyMeasure::Queries(&sum_of_squares::SumOfSquares),
    AnyMeasure::Queries(&query_frequency::QueryFrequency),
    AnyMeasure::Queries(&word_frequency::WordFrequency),
    AnyMeasure::Queries(&page_frequency::PageFrequency),
    AnyMeasure::Queries(&semantic_loss::SemanticLoss),
    AnyMeasure::Queries(&interests_kept::InterestsKept),
    AnyMeasure::Queries(&concept_frequency::ConceptFrequency),
    AnyMeasure::Queries(&clustering_agreement::ClusteringAgreement),
    AnyMeasure::Baskets(&group_generalisation_distortion::GroupGeneralisationDistortion),
    AnyMeasure::Baskets(&normalised_certainty_penalty::NormalisedCertaintyPenalty),
    AnyMeasure::Baskets(&average_length::AverageLength),
    AnyMeasure::Baskets(&average_level::AverageLevel),
    AnyMeasure::Baskets(&suppressed_items::SuppressedItems),
    AnyMeasure::Baskets(&item_frequency::ItemFrequency),
    AnyMeasure::Baskets(&count_query_error::CountQueryError),
    AnyMeasure::Baskets(&itemsets_kept::ItemsetsKept),
    AnyMeasure::Baskets(&sum_of_squares::SumOfSquares),
    AnyMeasure::Baskets(&semantic_loss::SemanticLoss),
    AnyMeasure::Baskets(&interests_kept::InterestsKept),
    AnyMeasure::Baskets(&concept_frequency::ConceptFrequency),
    AnyMeasure::Documents(&sum_of_squares_documents::SumOfSquaresDocuments),
    AnyMeasure::Documents(&classification_kept::ClassificationKept),
];

/// Distances that `throng explain` knows.
pub const DISTANCES: &[&Info] = &[&user_distance::INFO, &semantic_distance::INFO, &document_distance::INFO];

/// A method and how to make it from parameters.
#[derive(Debug, Clone, Copy)]
pub struct MethodEntry {
    /// Its card.
    pub info: &'static Info,
    /// Checks the parameters and makes it, for one of its kinds of data.
    pub build: fn(Kind, Map<String, Value>) -> Result<AnyMethod>,
}

/// A model and how to make it from parameters.
#[derive(Debug, Clone, Copy)]
pub struct ModelEntry {
    /// Its card.
    pub info: &'static Info,
    /// Checks the parameters and makes it.
    pub build: fn(Map<String, Value>) -> Result<AnyModel>,
}

/// A method with its parameters, for one kind of data.
#[derive(Debug)]
pub enum AnyMethod {
    /// For query logs.
    Queries(Box<dyn Method<QueryLog>>),
    /// For baskets.
    Baskets(Box<dyn Method<Baskets>>),
    /// For documents.
    Documents(Box<dyn Method<Documents>>),
}

/// A model with its parameters, for one kind of data.
pub enum AnyModel {
    /// For query logs: it looks at the digests of a file.
    Queries(Box<Check>),
    /// For query logs: it looks at a release beside its original.
    QueriesWithOriginal(Box<dyn ModelWithOriginal<QueryLog>>),
    /// For baskets.
    Baskets(Box<dyn Model<Baskets>>),
    /// For documents.
    Documents(Box<dyn Model<Documents>>),
}

impl AnyModel {
    /// What it needs beside the release, in a word.
    pub fn needs(&self) -> Option<&'static str> {
        matches!(self, Self::QueriesWithOriginal(_)).then_some("original")
    }
}

/// A model with its parameters, ready to look at the digests of a file.
pub type Check = dyn Fn(&Digests) -> Verdict + Send + Sync;

/// A measure, for one kind of data.
#[derive(Clone, Copy)]
pub enum AnyMeasure {
    /// For query logs.
    Queries(&'static dyn Measure<QueryLog>),
    /// For baskets.
    Baskets(&'static dyn Measure<Baskets>),
    /// For documents.
    Documents(&'static dyn Measure<Documents>),
}

impl AnyMeasure {
    /// The kind of data that this is for. A measure of several kinds has one for each, with the same card.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Queries(_) => Kind::Queries,
            Self::Baskets(_) => Kind::Baskets,
            Self::Documents(_) => Kind::Documents,
        }
    }

    /// Its card.
    pub fn info(&self) -> &'static MeasureInfo {
        match self {
            Self::Queries(measure) => measure.info(),
            Self::Baskets(measure) => measure.info(),
            Self::Documents(measure) => measure.info(),
        }
    }
}

fn queries(method: Result<impl Method<QueryLog> + 'static>) -> Result<AnyMethod> {
    Ok(AnyMethod::Queries(Box::new(method?)))
}

fn baskets(method: Result<impl Method<Baskets> + 'static>) -> Result<AnyMethod> {
    Ok(AnyMethod::Baskets(Box::new(method?)))
}

fn documents(method: Result<impl Method<Documents> + 'static>) -> Result<AnyMethod> {
    Ok(AnyMethod::Documents(Box::new(method?)))
}

fn on_baskets(model: Result<impl Model<Baskets> + 'static>) -> Result<AnyModel> {
    Ok(AnyModel::Baskets(Box::new(model?)))
}

/// The method with this name.
pub fn method(name: &str) -> Result<&'static MethodEntry> {
    let found = METHODS.iter().find(|entry| entry.info.name == name);
    found.ok_or_else(|| Error::unknown("method", name, METHODS.iter().map(|entry| entry.info.name)))
}

/// The method for a kind of data: the one with this name, or the kind's default.
pub fn method_for(kind: Kind, name: Option<&str>) -> Result<&'static MethodEntry> {
    let Some(name) = name else {
        let default = METHODS.iter().find(|entry| entry.info.kinds.contains(&kind));
        return default.ok_or_else(|| Error::internal("a kind of data without a method"));
    };
    let entry = method(name)?;
    refuse_other_kind("method", entry.info, kind)?;
    Ok(entry)
}

/// The model with this name.
pub fn model(name: &str) -> Result<&'static ModelEntry> {
    let found = MODELS.iter().find(|entry| entry.info.name == name);
    found.ok_or_else(|| Error::unknown("model", name, MODELS.iter().map(|entry| entry.info.name)))
}

/// The measures for a kind of data: those with these names; all of them, or all that are not costly, when none is given, but
/// for those that run only on request.
pub fn measures_for(kind: Kind, names: &[String], with_costly: bool) -> Result<Vec<AnyMeasure>> {
    let all = || MEASURES.iter().copied();
    if names.is_empty() {
        let own = all().filter(|measure| measure.kind() == kind && !measure.info().on_request);
        return Ok(own.filter(|measure| with_costly || !measure.info().costly).collect());
    }
    let find = |name: &String| {
        let named = || all().filter(|measure| measure.info().info.name == name);
        let any = named().next();
        let any = any.ok_or_else(|| Error::unknown("measure", name, all().map(|measure| measure.info().info.name)))?;
        refuse_other_kind("measure", &any.info().info, kind)?;
        Ok(named().find(|measure| measure.kind() == kind).unwrap_or(any))
    };
    names.iter().map(find).collect()
}

/// The card of every measure, once, in the order in which they are reported.
pub fn measure_cards() -> impl Iterator<Item = &'static MeasureInfo> {
    // A measure of several kinds of data is one measure.
    let is_first = |at: usize| {
        let name = |at: usize| MEASURES[at].info().info.name;
        (0..at).all(|before| name(before) != name(at))
    };
    (0..MEASURES.len()).filter(move |&at| is_first(at)).map(|at| MEASURES[at].info())
}

/// The card of the measure with this name, if there is one.
pub fn measure_card(name: &str) -> Option<&'static MeasureInfo> {
    measure_cards().find(|card| card.info.name == name)
}

/// Refuses something that is not made for a kind of data.
pub fn refuse_other_kind(what: &str, info: &Info, kind: Kind) -> Result<()> {
    if info.kinds.contains(&kind) {
        return Ok(());
    }
    let kinds: Vec<&str> = info.kinds.iter().map(|kind| kind.name()).collect();
    let error = Error::refused(format!("the {what} `{}` is for {}, and these are {kind}", info.name, kinds.join(", ")));
    Err(match kind {
        Kind::Queries => error.with_hint("`--as baskets` takes the words of a query log as baskets"),
        _ => error.with_hint(format!(
            "`throng list {what}s` shows what there is; `--kind` overrules what a file is taken for"
        )),
    })
}

/// An item of the catalogue, whatever it is.
#[derive(Debug, Clone, Copy)]
pub enum Item {
    /// A method.
    Method(&'static Info),
    /// A model.
    Model(&'static Info),
    /// A measure.
    Measure(&'static MeasureInfo),
    /// A distance.
    Distance(&'static Info),
}

impl Item {
    /// What it is, in a word.
    pub fn role(&self) -> &'static str {
        match self {
            Self::Method(_) => "method",
            Self::Model(_) => "model",
            Self::Measure(_) => "measure",
            Self::Distance(_) => "distance",
        }
    }

    /// Its card.
    pub fn info(&self) -> &'static Info {
        match self {
            Self::Method(info) | Self::Model(info) | Self::Distance(info) => info,
            Self::Measure(measure) => &measure.info,
        }
    }
}

/// Everything that can be explained.
pub fn items() -> Vec<Item> {
    let methods = METHODS.iter().map(|entry| Item::Method(entry.info));
    let models = MODELS.iter().map(|entry| Item::Model(entry.info));
    let measures = measure_cards().map(Item::Measure);
    let distances = DISTANCES.iter().map(|info| Item::Distance(info));
    methods.chain(models).chain(measures).chain(distances).collect()
}

/// Parameters as typed, turned into values for an item; those that the item does not have are given back by name.
///
/// All bad values are reported together.
pub fn parameters(info: &Info, typed: &[(String, String)]) -> Result<(Map<String, Value>, Vec<String>)> {
    let (mut values, mut unused, mut errors) = (Map::new(), Vec::new(), Vec::new());
    for (name, text) in typed {
        let Some(parameter) = info.parameters.iter().find(|parameter| parameter.name == name) else {
            unused.push(name.clone());
            continue;
        };
        match value(name, text, parameter.kind) {
            Ok(value) => {
                values.insert(name.clone(), value);
            }
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok((values, unused)) } else { Err(Error::parameters(errors)) }
}

fn value(name: &str, text: &str, kind: ParameterKind) -> Result<Value> {
    match kind {
        ParameterKind::Count => text.parse::<u64>().map(Value::from).map_err(|_| {
            Error::parameter(name, format!("is `{text}`, but must be a whole number"))
                .with_hint(format!("for example `--{name} 5`"))
        }),
        ParameterKind::Share => {
            let share = text.parse::<f64>().ok().filter(|&share| share > 0.0 && share <= 1.0);
            share.map(Value::from).ok_or_else(|| {
                Error::parameter(name, format!("is `{text}`, but must be a fraction above 0, at most 1"))
                    .with_hint(format!("for example `--{name} 0.8`"))
            })
        }
        ParameterKind::Weight => {
            let weight = text.parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight >= 0.0);
            weight.map(Value::from).ok_or_else(|| {
                Error::parameter(name, format!("is `{text}`, but must be a number, 0 or greater"))
                    .with_hint(format!("for example `--{name} 0.5`"))
            })
        }
        ParameterKind::Switch => text
            .parse::<bool>()
            .map(Value::from)
            .map_err(|_| Error::parameter(name, format!("is `{text}`, but must be true or false"))),
        ParameterKind::Choice(choices) => {
            if choices.contains(&text) {
                return Ok(Value::from(text));
            }
            Err(Error::parameter(name, format!("is `{text}`, but must be one of {}", choices.join(", "))))
        }
        ParameterKind::Duration => seconds(text).map(Value::from).ok_or_else(|| {
            Error::parameter(name, format!("is `{text}`, but must be a span of time"))
                .with_hint("seconds, minutes, hours or days: `1s`, `15m`, `1h`, `1d`")
        }),
        _ => Err(Error::internal("a kind of parameter that the catalogue does not read")),
    }
}

/// A span of time in seconds.
fn seconds(text: &str) -> Option<u64> {
    let unit = text.chars().last()?;
    let factor = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        _ => return None,
    };
    let number: u64 = text[..text.len() - 1].parse().ok()?;
    number.checked_mul(factor).filter(|&seconds| seconds <= 366 * 86_400)
}

fn params<P: DeserializeOwned>(given: Map<String, Value>) -> Result<P> {
    serde_json::from_value(Value::Object(given))
        .map_err(|cause| Error::refused(format!("the parameters cannot be used: {cause}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_in_their_role_and_found() {
        let names: Vec<(&str, &str)> = items().iter().map(|item| (item.role(), item.info().name)).collect();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), names.len());
        assert!(method("user-microaggregation").is_ok() && model("user-k-anonymity").is_ok());
        assert!(method("user-microagregation").unwrap_err().hint().unwrap().contains("user-microaggregation"));
    }

    #[test]
    fn spans_of_time() {
        assert_eq!(seconds("15m"), Some(900));
        assert_eq!(seconds("1d"), Some(86_400));
        for bad in ["", "1", "h", "-1h", "1w", "ä", "99999999999999d"] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }

    #[test]
    fn bad_parameters_come_together_and_unknown_ones_come_back() {
        let typed = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect()
        };
        let info = method("user-microaggregation").unwrap().info;
        let error = parameters(info, &typed(&[("k", "many"), ("average", "mode")])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`k` is `many`, but must be a whole number; `average` is `mode`, but must be one of medoid, aggregate"
        );
        let (values, unused) =
            parameters(info, &typed(&[("k", "3"), ("rho", "0.5"), ("time-resolution", "1h")])).unwrap();
        assert_eq!(values["time-resolution"], 3600);
        assert_eq!(unused, ["rho"]);
    }
}
