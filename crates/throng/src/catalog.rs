//! The list. Every method, model, measure, attack and detector stands here once for each kind of data, one line each; the command line, `throng
//! list`, `throng explain`, the docs and the contract tests read it. It holds no definitions: those are in the files it names.

use serde_json::{Map, Value};
use throng_core::attacks::{
    Attack, AttackInfo, absence, co_occurrence, degree, edges, frequency, guessing, homogeneity, homogeneity_table,
    injection, intersection, known_items, known_pages, known_queries, membership, neighbourhood, paths as path_attacks,
    profile_linkage, profile_match, record_linkage, refinement, refinement_table, scoreboard,
};
use throng_core::data::{Baskets, Documents, Graph, Paths, QueryLog, Ratings, Table, Visits};
use throng_core::detectors::{self, Detector};
use throng_core::distance::{document_distance, semantic_distance, user_distance};
use throng_core::measures::risk::{
    guessing_bound, profile_exposure_level, profile_exposure_level_visits, rare_content, rare_content_visits,
    reidentification_risk, unshared_exposure,
};
use throng_core::measures::utility::graph::{
    clustering_kept, degree_change, edges_kept, generalisation_loss, paths_kept, structural_loss, structure_lost,
};
use throng_core::measures::utility::paths::{
    clusters_kept, heat_map, od_flows, patterns_kept, range_queries, spatial_distortion, stays_kept,
};
use throng_core::measures::utility::ratings::{prediction_error, rating_distribution, ratings_kept, top_n_overlap};
use throng_core::measures::utility::visits::{
    browser_usage, hours_kept, page_popularity, page_steps, pages_kept, sections_kept, session_shape, status_share,
};
use throng_core::measures::utility::{
    average_class_size, average_length, average_level, classification_kept, classification_kept_table,
    clustering_agreement, concept_frequency, count_query_error, discernibility, entropy_loss,
    group_generalisation_distortion, hierarchy_loss, il1s, information_loss_ratio, interests_kept, item_frequency,
    itemsets_kept, normalised_certainty_penalty, normalised_certainty_penalty_table, page_frequency, query_frequency,
    regression_kept, semantic_loss, sum_of_squares, sum_of_squares_documents, sum_of_squares_table, suppressed_items,
    word_frequency,
};
use throng_core::measures::{Measure, MeasureInfo};
use throng_core::methods::Method;
use throng_core::methods::baskets::{
    apriori, cahd, clump, coherence, flock, hghs, optimal_km, partition, rho_uncertainty,
};
use throng_core::methods::documents::document_microaggregation;
use throng_core::methods::graph::{sangreea, shoal};
use throng_core::methods::paths::{
    confuse, generalise, kindred as path_kindred, nwa, swap, trajectory_microaggregation, w4m,
};
use throng_core::methods::queries::{
    drop_infrequent, interest_microaggregation, kindred, query_threshold, shorten_sessions, split_personality,
    token_hashing, user_microaggregation,
};
use throng_core::methods::ratings::{kindred as rating_kindred, rating_microaggregation};
use throng_core::methods::semantic_microaggregation;
use throng_core::methods::table::{
    flock as table_flock, full_domain, guessing_noise, mdav, mondrian, murmuration, probabilistic_noise,
};
use throng_core::methods::visits::{kindred as visit_kindred, mask, visit_microaggregation};
use throng_core::models::{
    self, Model, ModelWithKey, ModelWithOriginal, beta_likeness, confidence, content_threshold,
    content_threshold_paths, content_threshold_ratings, content_threshold_visits, cube_threshold, delta_disclosure,
    edge_confidence, graph_k_anonymity, guessing_anonymity, k_anonymity, k_delta_anonymity, k_map, km_anonymity,
    l_diversity, personal_k_anonymity, presence, privacy_degree, spatial_k_anonymity, t_closeness, table_k_anonymity,
    visit_k_anonymity, xy_anonymity,
};
use throng_core::{Error, Info, Result};

use crate::kinds::{KINDS, Kinded};
use crate::parameters::{params, typed};

/// A method, by its file and type.
macro_rules! method {
    ($file:ident :: $method:ident) => {
        MethodEntry { info: &$file::INFO, build: |given| Ok(Box::new($file::$method::new(params(given)?)?)) }
    };
    ($file:ident :: $method:ident :: $new:ident) => {
        MethodEntry { info: &$file::INFO, build: |given| Ok(Box::new($file::$method::$new(params(given)?)?)) }
    };
}

/// A model that looks at a release alone, by its file and type; and by its card, where it has one for each kind of data.
macro_rules! model {
    ($($file:ident)::+ / $model:ident) => {
        model!($($file)::+ / $model as INFO)
    };
    ($($file:ident)::+ / $model:ident as $card:ident) => {
        ModelEntry {
            info: &$($file)::+::$card,
            build: |given| Ok(Judge::Alone(Box::new($($file)::+::$model::new(params(given)?)?))),
        }
    };
}

/// A model that looks at a release beside its original, by its file and type.
macro_rules! model_beside {
    ($file:ident / $model:ident) => {
        ModelEntry {
            info: &$file::INFO,
            build: |given| Ok(Judge::Beside(Box::new($file::$model::new(params(given)?)?))),
        }
    };
}

/// A model whose parameter `reference` says whether it looks at a release alone, or beside its original.
macro_rules! model_by_reference {
    ($file:ident / $model:ident) => {
        ModelEntry {
            info: &$file::INFO,
            build: |given| {
                let is_beside = given.get("reference").is_some_and(|reference| reference == "original");
                let model = $file::$model::new(params(given)?)?;
                Ok(if is_beside { Judge::Beside(Box::new(model)) } else { Judge::Alone(Box::new(model)) })
            },
        }
    };
}

/// A model that looks at a release beside its original and the key, by its file and type.
macro_rules! model_keyed {
    ($file:ident / $model:ident) => {
        ModelEntry {
            info: &$file::INFO,
            build: |given| Ok(Judge::Keyed(Box::new($file::$model::new(params(given)?)?))),
        }
    };
}

/// What there is for search logs. The first method of a kind is its default; measures stand in the order of the report.
pub const QUERIES: Shelf<QueryLog> = Shelf {
    methods: &[
        method!(kindred::Kindred),
        method!(user_microaggregation::UserMicroaggregation),
        method!(interest_microaggregation::InterestMicroaggregation),
        method!(semantic_microaggregation::SemanticMicroaggregation::for_queries),
        method!(query_threshold::QueryThreshold),
        method!(token_hashing::TokenHashing),
        method!(split_personality::SplitPersonality),
        method!(shorten_sessions::ShortenSessions),
        method!(drop_infrequent::DropInfrequent),
    ],
    models: &[
        model!(k_anonymity / KAnonymity as USER),
        model_beside!(content_threshold / ContentThreshold),
        model_keyed!(personal_k_anonymity / PersonalKAnonymity),
    ],
    measures: &[
        &profile_exposure_level::ProfileExposureLevel,
        &rare_content::RareContent,
        &information_loss_ratio::InformationLossRatio,
        &sum_of_squares::SumOfSquares,
        &query_frequency::QueryFrequency,
        &word_frequency::WordFrequency,
        &page_frequency::PageFrequency,
        &semantic_loss::SemanticLoss,
        &interests_kept::InterestsKept,
        &concept_frequency::ConceptFrequency,
        &clustering_agreement::ClusteringAgreement,
    ],
    attacks: &[
        &known_queries::KnownQueries,
        &homogeneity::Homogeneity,
        &profile_match::ProfileMatch,
        &membership::Membership,
        &profile_linkage::ProfileLinkage,
        &intersection::Intersection,
        &frequency::Frequency,
        &co_occurrence::CoOccurrence,
    ],
    distances: &[&user_distance::INFO, &semantic_distance::INFO],
};

/// What there is for baskets.
pub const BASKETS: Shelf<Baskets> = Shelf {
    methods: &[
        method!(flock::Flock),
        method!(clump::Clump),
        method!(partition::Partition),
        method!(apriori::Apriori),
        method!(optimal_km::OptimalKm),
        method!(hghs::Hghs),
        method!(coherence::Coherence),
        method!(rho_uncertainty::RhoUncertainty),
        method!(cahd::Cahd),
        method!(semantic_microaggregation::SemanticMicroaggregation::for_baskets),
    ],
    models: &[
        model!(k_anonymity / KAnonymity as TRANSACTION),
        model!(km_anonymity / KmAnonymity),
        model!(models::coherence / Coherence),
        model!(models::rho_uncertainty / RhoUncertainty),
        model!(privacy_degree / PrivacyDegree),
    ],
    measures: &[
        &group_generalisation_distortion::GroupGeneralisationDistortion,
        &normalised_certainty_penalty::NormalisedCertaintyPenalty,
        &average_length::AverageLength,
        &average_level::AverageLevel,
        &suppressed_items::SuppressedItems,
        &item_frequency::ItemFrequency,
        &count_query_error::CountQueryError,
        &itemsets_kept::ItemsetsKept,
        &sum_of_squares::SumOfSquares,
        &semantic_loss::SemanticLoss,
        &interests_kept::InterestsKept,
        &concept_frequency::ConceptFrequency,
    ],
    attacks: &[
        &known_items::KnownItems,
        &absence::Absence,
        &homogeneity::Homogeneity,
        &membership::Membership,
        &refinement::Refinement,
        &intersection::Intersection,
    ],
    distances: &[&semantic_distance::INFO],
};

/// What there is for documents.
pub const DOCUMENTS: Shelf<Documents> = Shelf {
    methods: &[method!(document_microaggregation::DocumentMicroaggregation)],
    models: &[model!(k_anonymity / KAnonymity as RECORD)],
    measures: &[&sum_of_squares_documents::SumOfSquaresDocuments, &classification_kept::ClassificationKept],
    attacks: &[&intersection::Intersection],
    distances: &[&document_distance::INFO],
};

/// What there is for tables.
pub const TABLE: Shelf<Table> = Shelf {
    methods: &[
        method!(table_flock::Flock),
        method!(mondrian::Mondrian),
        method!(murmuration::Murmuration),
        method!(full_domain::FullDomain),
        method!(mdav::Mdav),
        method!(guessing_noise::GuessingNoise),
        method!(probabilistic_noise::ProbabilisticNoise),
    ],
    models: &[
        model!(table_k_anonymity / TableKAnonymity),
        model!(xy_anonymity / XyAnonymity),
        model!(l_diversity / LDiversity),
        model!(confidence / Confidence),
        model_by_reference!(t_closeness / TCloseness),
        model_by_reference!(beta_likeness / BetaLikeness),
        model_by_reference!(delta_disclosure / DeltaDisclosure),
        model_beside!(presence / Presence),
        model_beside!(k_map / KMap),
        model_beside!(guessing_anonymity / GuessingAnonymity),
    ],
    measures: &[
        &reidentification_risk::ReidentificationRisk,
        &guessing_bound::GuessingBound,
        &normalised_certainty_penalty_table::NormalisedCertaintyPenalty,
        &sum_of_squares_table::SumOfSquares,
        &il1s::Il1s,
        &hierarchy_loss::HierarchyLoss,
        &entropy_loss::EntropyLoss,
        &discernibility::Discernibility,
        &average_class_size::AverageClassSize,
        &classification_kept_table::ClassificationKept,
        &regression_kept::RegressionKept,
    ],
    attacks: &[
        &record_linkage::RecordLinkage,
        &guessing::Guessing,
        &homogeneity_table::Homogeneity,
        &refinement_table::Refinement,
        &intersection::Intersection,
    ],
    distances: &[],
};

/// What there is for access logs.
pub const VISITS: Shelf<Visits> = Shelf {
    methods: &[
        method!(visit_kindred::Kindred),
        method!(visit_microaggregation::VisitMicroaggregation),
        method!(mask::Mask),
    ],
    models: &[
        model!(k_anonymity / KAnonymity as USER),
        model_beside!(content_threshold_visits / ContentThresholdVisits),
        model!(visit_k_anonymity / SessionKAnonymity as SESSION),
        model!(visit_k_anonymity / LineKAnonymity as LINE),
        model!(visit_k_anonymity / NetworkKAnonymity as NETWORK),
    ],
    measures: &[
        &profile_exposure_level_visits::ProfileExposureLevelVisits,
        &unshared_exposure::UnsharedExposure,
        &rare_content_visits::RareContentVisits,
        &browser_usage::BrowserUsage,
        &session_shape::SessionShape,
        &page_popularity::PagePopularity,
        &page_steps::PageSteps,
        &pages_kept::PagesKept,
        &sections_kept::SectionsKept,
        &hours_kept::HoursKept,
        &status_share::StatusShare,
    ],
    attacks: &[&known_pages::KnownPages, &profile_match::ProfileMatch, &intersection::Intersection],
    distances: &[],
};

/// What there is for graphs.
pub const GRAPH: Shelf<Graph> = Shelf {
    methods: &[method!(shoal::Shoal), method!(sangreea::Sangreea)],
    models: &[
        model!(graph_k_anonymity / GraphKAnonymity),
        model!(edge_confidence / EdgeConfidence),
        model!(l_diversity / LDiversity),
        model!(confidence / Confidence),
        model_by_reference!(t_closeness / TCloseness),
    ],
    measures: &[
        &structure_lost::StructureLost,
        &structural_loss::StructuralLoss,
        &generalisation_loss::GeneralisationLoss,
        &edges_kept::EdgesKept,
        &degree_change::DegreeChange,
        &clustering_kept::ClusteringKept,
        &paths_kept::PathsKept,
    ],
    attacks: &[&edges::Edges, &degree::Degree, &neighbourhood::Neighbourhood, &injection::Injection],
    distances: &[],
};

/// What there is for paths.
pub const PATHS: Shelf<Paths> = Shelf {
    methods: &[
        method!(path_kindred::Kindred),
        method!(trajectory_microaggregation::TrajectoryMicroaggregation),
        method!(nwa::Nwa),
        method!(w4m::W4m),
        method!(swap::Swap),
        method!(generalise::Generalise),
        method!(confuse::Confuse),
    ],
    models: &[
        model!(k_anonymity / KAnonymity as USER),
        model_beside!(content_threshold_paths / ContentThresholdPaths),
        model!(k_delta_anonymity / KDeltaAnonymity),
    ],
    measures: &[
        &spatial_distortion::SpatialDistortion,
        &heat_map::HeatMap,
        &od_flows::OdFlows,
        &range_queries::RangeQueries,
        &clusters_kept::ClustersKept,
        &patterns_kept::PatternsKept,
        &stays_kept::StaysKept,
    ],
    attacks: &[
        &path_attacks::points::Points,
        &path_attacks::home_work::HomeWork,
        &path_attacks::sequence::Sequence,
        &path_attacks::group::Group,
        &path_attacks::trip_link::TripLink,
        &intersection::Intersection,
    ],
    distances: &[],
};

/// Detectors of made-up profiles in ratings, which have a shelf of their own: they publish nothing. The first is the default.
pub const RATING_DETECTORS: &[&dyn Detector<Ratings>] = &[
    &detectors::crowd_fit::CrowdFit,
    &detectors::popularity_fit::PopularityFit,
    &detectors::twins::Twins,
    &detectors::rdma::Rdma,
    &detectors::wdma::Wdma,
    &detectors::degsim::Degsim,
    &detectors::length_variance::LengthVariance,
    &detectors::pca_varselect::PcaVarselect,
];

/// Models of files that are no data set of people, each with the name of what they look at. `throng check` has a reader for each.
const OF_OTHER_FILES: &[(&str, &Info)] =
    &[("cubes", &cube_threshold::INFO), ("masked points", &spatial_k_anonymity::INFO)];

/// Detectors that learn first, each with the name of what they learn from. `throng detect train` takes their names.
const TRAINED_DETECTORS: &[(&str, &[&Info])] =
    &[("tables", detectors::records::RECORD_CARDS), ("files", &[&detectors::files::INFO])];

/// The kinds whose lines have words and times, of which persons have profiles.
const OF_LINES: [&str; 2] = [<QueryLog as Kinded>::CARD.name, <Visits as Kinded>::CARD.name];

/// The detectors by what they look at, each with the name of that.
fn detector_cards() -> Vec<(&'static str, &'static Info)> {
    let of_ratings = RATING_DETECTORS.iter().map(|detector| ("ratings", detector.info()));
    let trained = TRAINED_DETECTORS.iter().flat_map(|(of, infos)| infos.iter().map(|info| (*of, *info)));
    of_ratings.chain(trained).chain(OF_LINES.map(|of| (of, &detectors::profiles::INFO))).collect()
}

/// The card of the detector with this name that learns first.
pub fn trained_detector(name: &str) -> Result<&'static Info> {
    let infos = || TRAINED_DETECTORS.iter().flat_map(|(_, infos)| infos.iter().copied());
    let found = infos().find(|info| info.name == name);
    found.ok_or_else(|| Error::unknown("detector that learns", name, infos().map(|info| info.name)))
}

/// The detector of ratings with this name, or the default.
pub fn rating_detector(name: Option<&str>) -> Result<&'static dyn Detector<Ratings>> {
    let found = RATING_DETECTORS.iter().copied().find(|detector| name.is_none_or(|name| detector.info().name == name));
    found.ok_or_else(|| {
        let names = RATING_DETECTORS.iter().map(|detector| detector.info().name);
        Error::unknown("detector of ratings", name.unwrap_or_default(), names)
    })
}

/// What there is for ratings.
pub const RATINGS: Shelf<Ratings> = Shelf {
    methods: &[method!(rating_kindred::Kindred), method!(rating_microaggregation::RatingMicroaggregation)],
    models: &[
        model!(k_anonymity / KAnonymity as USER),
        model_beside!(content_threshold_ratings / ContentThresholdRatings),
    ],
    measures: &[
        &prediction_error::PredictionError,
        &top_n_overlap::TopNOverlap,
        &rating_distribution::RatingDistribution,
        &ratings_kept::RatingsKept,
    ],
    attacks: &[&scoreboard::Scoreboard, &intersection::Intersection],
    distances: &[],
};

/// What the first model of every kind is called, whatever its name there: that everybody is one of k with the same record.
pub const NATURAL_MODEL: &str = "k-anonymity";

/// Methods, models, measures, attacks and distances of a kind of data.
pub struct Shelf<D: Kinded> {
    /// Its methods; the first is the default.
    pub methods: &'static [MethodEntry<D>],
    /// Its models; the first is its k-anonymity.
    pub models: &'static [ModelEntry<D>],
    /// Its measures, in the order of the report.
    pub measures: &'static [&'static dyn Measure<D>],
    /// Its attacks, in the order of the report.
    pub attacks: &'static [&'static dyn Attack<D>],
    /// How far apart persons are, for `throng explain`.
    pub distances: &'static [&'static Info],
}

/// Checks parameters and makes something of them.
type Build<T> = fn(Map<String, Value>) -> Result<T>;

/// A method and how to make it from parameters.
pub struct MethodEntry<D: 'static> {
    /// Its card.
    pub info: &'static Info,
    /// Checks the parameters and makes it.
    pub build: Build<Box<dyn Method<D>>>,
}

/// A model and how to make it from parameters.
pub struct ModelEntry<D: Kinded> {
    /// Its card.
    pub info: &'static Info,
    /// Checks the parameters and makes it.
    pub build: Build<Judge<D>>,
}

/// A model with its parameters.
pub enum Judge<D: Kinded> {
    /// It looks at a release alone.
    Alone(Box<dyn Model<D::Evidence>>),
    /// It looks at a release beside its original.
    Beside(Box<dyn ModelWithOriginal<D>>),
    /// It looks at a release beside its original, and who became whom.
    Keyed(Box<dyn ModelWithKey<D>>),
}

impl<D: Kinded> Judge<D> {
    /// What it needs beside the release, in a word.
    pub fn needs(&self) -> Option<&'static str> {
        match self {
            Self::Alone(_) => None,
            Self::Beside(model) => Some(model.beside()),
            Self::Keyed(_) => Some("key"),
        }
    }

    /// The column of the original that says what persons ask for, where it must know that.
    pub(crate) fn column(&self) -> Option<&str> {
        match self {
            Self::Keyed(model) => model.column(),
            _ => None,
        }
    }
}

impl<D> MethodEntry<D> {
    /// The method with parameters as typed, and those that it does not have, by name.
    pub fn with(&self, given: &[(String, String)]) -> Result<(Box<dyn Method<D>>, Vec<String>)> {
        let (values, unused) = typed(self.info, given)?;
        Ok(((self.build)(values)?, unused))
    }
}

impl<D: Kinded> ModelEntry<D> {
    /// The model with parameters as typed, and those that it does not have, by name.
    pub fn with(&self, given: &[(String, String)]) -> Result<(Judge<D>, Vec<String>)> {
        let (values, unused) = typed(self.info, given)?;
        Ok(((self.build)(values)?, unused))
    }
}

impl<D: Kinded> Shelf<D> {
    /// The method with this name, or the default.
    pub fn method(&self, name: Option<&str>) -> Result<&'static MethodEntry<D>> {
        let found = match name {
            Some(name) => self.methods.iter().find(|entry| entry.info.name == name),
            None => self.methods.first(),
        };
        found.ok_or_else(|| not_here(Role::Method, name.unwrap_or_default(), D::CARD.name))
    }

    /// The model with this name; `k-anonymity` is that of the kind, whatever it is called there.
    pub fn model(&self, name: &str) -> Result<&'static ModelEntry<D>> {
        let found = match name {
            NATURAL_MODEL => self.models.first(),
            _ => self.models.iter().find(|entry| entry.info.name == name),
        };
        found.ok_or_else(|| not_here(Role::Model, name, D::CARD.name))
    }

    /// The measures with these names; all of them, or all that are not costly, when none is given, but for those that run only
    /// on request.
    pub fn measures(&self, names: &[String], with_costly: bool) -> Result<Vec<&'static dyn Measure<D>>> {
        let all = || self.measures.iter().copied();
        if names.is_empty() {
            let usual = all().filter(|measure| !measure.info().on_request);
            return Ok(usual.filter(|measure| with_costly || !measure.info().costly).collect());
        }
        let find = |name: &String| {
            let found = all().find(|measure| measure.info().info.name == name);
            found.ok_or_else(|| not_here(Role::Measure, name, D::CARD.name))
        };
        names.iter().map(find).collect()
    }

    /// The attacks with these names; all of them when none is given.
    pub fn attacks(&self, names: &[String]) -> Result<Vec<&'static dyn Attack<D>>> {
        if names.is_empty() {
            return Ok(self.attacks.to_vec());
        }
        let find = |name: &String| {
            let found = self.attacks.iter().copied().find(|attack| attack.info().info.name == name);
            found.ok_or_else(|| not_here(Role::Attack, name, D::CARD.name))
        };
        names.iter().map(find).collect()
    }

    /// Everything on the shelf.
    pub fn listed(&self) -> Vec<Listed> {
        let methods = self.methods.iter().map(|entry| Listed::plain(Role::Method, entry.info));
        let models = self.models.iter().map(|entry| Listed::plain(Role::Model, entry.info));
        let measures = self.measures.iter().map(|measure| {
            let card = measure.info();
            Listed { measure: Some(card), ..Listed::plain(Role::Measure, &card.info) }
        });
        let attacks = self.attacks.iter().map(|attack| {
            let card = attack.info();
            Listed { attack: Some(card), ..Listed::plain(Role::Attack, &card.info) }
        });
        let distances = self.distances.iter().map(|&info| Listed::plain(Role::Distance, info));
        methods.chain(models).chain(measures).chain(attacks).chain(distances).collect()
    }
}

/// What an item of the catalogue does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// It protects.
    Method,
    /// It checks a claim.
    Model,
    /// It compares an original with its release.
    Measure,
    /// It plays the adversary against a release.
    Attack,
    /// It says how far apart two persons are.
    Distance,
    /// It says what is out of place.
    Detector,
}

impl Role {
    /// The role in a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Method => "method",
            Self::Model => "model",
            Self::Measure => "measure",
            Self::Attack => "attack",
            Self::Distance => "distance",
            Self::Detector => "detector",
        }
    }
}

/// An item on the shelf of a kind.
#[derive(Debug, Clone, Copy)]
pub struct Listed {
    /// What it does.
    pub role: Role,
    /// Its card.
    pub info: &'static Info,
    /// What else a measure says of itself.
    pub measure: Option<&'static MeasureInfo>,
    /// What else an attack says of itself.
    pub attack: Option<&'static AttackInfo>,
}

impl Listed {
    fn plain(role: Role, info: &'static Info) -> Self {
        Self { role, info, measure: None, attack: None }
    }
}

/// An item of the catalogue, on the shelves of one or several kinds.
#[derive(Debug, Clone)]
pub struct Item {
    /// What it is on the shelf of the first.
    pub listed: Listed,
    /// The names of the kinds.
    pub kinds: Vec<&'static str>,
}

impl Item {
    /// What it does, in a word.
    pub fn role(&self) -> &'static str {
        self.listed.role.name()
    }

    /// Its card.
    pub fn info(&self) -> &'static Info {
        self.listed.info
    }
}

/// Everything that can be explained, by role, each once.
pub fn items() -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for kind in KINDS {
        for listed in kind.listed() {
            let is_same = |item: &&mut Item| item.listed.role == listed.role && item.info().name == listed.info.name;
            match items.iter_mut().find(is_same) {
                Some(item) => item.kinds.push(kind.card().name),
                None => items.push(Item { listed, kinds: vec![kind.card().name] }),
            }
        }
    }
    for &(of, info) in OF_OTHER_FILES {
        items.push(Item { listed: Listed::plain(Role::Model, info), kinds: vec![of] });
    }
    for (of, info) in detector_cards() {
        match items.iter_mut().find(|item| item.listed.role == Role::Detector && item.info().name == info.name) {
            Some(item) => item.kinds.push(of),
            None => items.push(Item { listed: Listed::plain(Role::Detector, info), kinds: vec![of] }),
        }
    }
    items.sort_by_key(|item| item.listed.role);
    items
}

/// An item for each card of its name and role: one word may stand on the shelves of several kinds and mean the same idea there, each with
/// a card of its own.
pub fn variants(item: &Item) -> Vec<Item> {
    let is_of_other_files = OF_OTHER_FILES.iter().any(|(_, info)| info.name == item.info().name);
    if item.listed.role == Role::Detector || (item.listed.role == Role::Model && is_of_other_files) {
        return vec![item.clone()];
    }
    let mut variants: Vec<Item> = Vec::new();
    for kind in KINDS {
        let is_same = |listed: &Listed| listed.role == item.listed.role && listed.info.name == item.info().name;
        for listed in kind.listed().into_iter().filter(is_same) {
            match variants.iter_mut().find(|known| known.info().details == listed.info.details) {
                Some(known) => known.kinds.push(kind.card().name),
                None => variants.push(Item { listed, kinds: vec![kind.card().name] }),
            }
        }
    }
    variants
}

/// The items of a role.
pub fn items_of(role: Role) -> Vec<Item> {
    items().into_iter().filter(|item| item.listed.role == role).collect()
}

/// The item with this role and name.
pub fn item(role: Role, name: &str) -> Result<Item> {
    if let (Role::Measure, Some(now)) = (role, formerly(name)) {
        return Err(Error::refused(format!("the measure `{name}` is the attack `{now}` now")).with_hint(format!(
            "`throng attack LATER RELEASE --key FILE --attack {now}`; `throng compare --held-out` runs it, too"
        )));
    }
    let items = items_of(role);
    let found = items.iter().find(|item| item.info().name == name).cloned();
    found.ok_or_else(|| Error::unknown(role.name(), name, items.iter().map(|item| item.info().name)))
}

/// The card of an item on the shelf of a kind; of any other where that kind has none of this name.
pub fn info_for(kind: &str, role: Role, name: &str) -> Option<&'static Info> {
    listed_for(kind, role, name).map(|listed| listed.info)
}

/// The card of a measure on the shelf of a kind; of any other where that kind has none of this name.
pub fn measure_card_for(kind: &str, name: &str) -> Option<&'static MeasureInfo> {
    listed_for(kind, Role::Measure, name).and_then(|listed| listed.measure)
}

fn listed_for(kind: &str, role: Role, name: &str) -> Option<Listed> {
    let is_it = |listed: &Listed| listed.role == role && listed.info.name == name;
    let own = KINDS.iter().filter(|own| own.card().name == kind).flat_map(|own| own.listed()).find(is_it);
    own.or_else(|| item(role, name).ok().map(|item| item.listed))
}

/// What something is called now that once had this name.
pub fn formerly(name: &str) -> Option<&'static str> {
    (name == "held-out-linkage").then_some(profile_linkage::INFO.info.name)
}

/// The card of every measure, once.
pub fn measure_cards() -> Vec<&'static MeasureInfo> {
    items_of(Role::Measure).iter().filter_map(|item| item.listed.measure).collect()
}

/// The card of the measure with this name, if there is one.
pub fn measure_card(name: &str) -> Option<&'static MeasureInfo> {
    measure_cards().into_iter().find(|card| card.info.name == name)
}

/// The card of the attack with this name, if there is one.
pub fn attack_card(name: &str) -> Option<&'static AttackInfo> {
    items_of(Role::Attack).iter().filter_map(|item| item.listed.attack).find(|card| card.info.name == name)
}

/// Why something is not on the shelf of a kind: nobody has it, or only others.
fn not_here(role: Role, name: &str, kind: &'static str) -> Error {
    let item = match item(role, name) {
        Ok(item) => item,
        Err(error) => return error,
    };
    let what = role.name();
    let error = Error::refused(format!(
        "the {what} `{name}` is for {}, and the kind of these data is {kind}",
        item.kinds.join(", ")
    ));
    let taken_as = KINDS
        .iter()
        .map(|kind| kind.card())
        .find(|card| item.kinds.contains(&card.name) && card.made_of.contains(&kind));
    error.with_hint(match taken_as {
        Some(card) => format!("`--as {}` takes the words of a search log as {}", card.name, card.name),
        None => {
            format!("`throng list {what}s` shows what there is; `--kind` overrules what a file is taken for")
        }
    })
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
        assert!(item(Role::Method, "user-microaggregation").is_ok() && item(Role::Model, "user-k-anonymity").is_ok());
        let error = item(Role::Method, "user-microagregation").unwrap_err();
        assert!(error.hint().unwrap().contains("user-microaggregation"));
    }
}
