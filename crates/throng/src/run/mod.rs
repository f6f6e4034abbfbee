//! The commands as functions: inspect, audit, protect, check, measure, attack, compare, report, synth. Each is one function for all kinds of
//! data; what differs between them is in `kinds`. They read and write files and return what they found; the command line only
//! prints it. A request is a value that can be written down as JSON, and one with a key that nobody knows is refused.

mod attack;
mod attacked;
mod audit;
mod borne_out;
mod certified;
mod check;
mod compare;
mod detect;
mod dry_run;
mod foreseen;
mod geocode;
mod inspect;
mod judged;
mod keys;
mod ledger;
mod link;
mod linked;
mod measure;
mod paths;
mod policy;
mod profiles;
mod protect;
mod recommend;
mod recorded;
mod report;
pub(crate) mod requests;
mod save;
mod shares;
mod shill;
mod study;
mod synth;
mod synth_connections;
mod synth_records;
mod vouched;
mod written;

pub use crate::kinds::{ProfileRequest, Profiled, profile};
pub use attack::{AttackOutcome, AttackRequest, attack};
pub use attacked::{Attacked, Unprotected};
pub use audit::{Audit, AuditRequest, ModelOutcome, SingledOut, audit};
pub use certified::Certified;
pub use check::{CheckOutcome, CheckRequest, ClaimOutcome, check};
#[cfg(test)]
pub(crate) use compare::made_up;
pub use compare::{
    Cell, CompareRequest, Comparison, Filled, HeldOut, LEAST_K, Mean, MethodPair, Moved, Promise, Recommendation,
    Trend, Work, compare, parse_ks, parse_numbers,
};
pub(crate) use compare::{NO_K, Promised, Spread, chance, drawn, of_measure, unit};
pub use detect::{
    AcquireRequest, Acquired, AcquiredFile, DaysOutcome, DaysRequest, FileScore, FileScores, FilesGridOutcome,
    FilesGridRequest, FilesSettings, FilesTable, FilesTableRequest, FilesTrained, KernelOutcome, LabelledFiles,
    ScoreFilesRequest, StrategyOutcome, TrainFilesRequest, acquire, evaluate_days, evaluate_table, run_experiment,
    score_files, train_files,
};
pub use detect::{
    DetectedTarget, DetectorOutcome, EvaluateModelsRequest, MachineSettings, ModelQuality, ModelReviewed,
    ModelsEvaluated, ReviewModelRequest, RowScore, RowScores, RuleSettings, ScoreRequest, Scored, ShillScore,
    ShillScores, ShillsEvaluated, ShillsRequest, TableReading, TableTrained, TrainTableRequest, evaluate_models,
    evaluate_shills, review_model, score, score_shills, train_table,
};
pub use dry_run::{DryRun, Expected, PlannedClaim, PlannedMethod, dry_run};
pub use foreseen::Foreseen;
pub use geocode::{
    AnswerRequest, Asked, ChaffAttackRequest, ChaffAttacked, ChaffRequest, CheckPointsRequest, EncodeAddressesRequest,
    EncodedAddresses, IndexRequest, Indexed, MapPlacing, MaskAttackRequest, MaskAttacked, MaskDone, MaskRequest,
    MatchEncodedRequest, MatchRequest, Matched, OpenPlacesRequest, OpenedPlaces, PinMapFound, PinMapRequest,
    PointsChecked, ReferenceFile, ReverseRequest, Reversed, Stream, TownMade, TownRequest, attack_chaff, attack_mask,
    chaff, check_points, encode_addresses, geocode_match, index, mask, match_encoded, open_places, pin_map, reverse,
    town, unchaff,
};
pub use inspect::{ConceptsFound, DistanceOutcome, DistanceRequest, InspectRequest, Inspection, distance, inspect};
pub use judged::{Exposed, MeasureOutcome, Skipped};
pub use keys::{NewKeys, PREDICATE_TYPE, Statement, certificate, new_keys, statement};
pub use ledger::{LedgerAddRequest, LedgerAdded, LedgerShown, LedgerVerified, ledger_add, ledger_show, ledger_verify};
pub use link::{
    ChooseRequest, CleanRequest, Cleaned, CleanedColumn, EncodeRequest, EncodedRecords, EncodingAttackRequest,
    EvaluateLinkRequest, EvaluatedLink, Extracted, LinkBlocking, LinkEncoding, LinkFound, LinkRequest,
    OpenCohortRequest, PackRequest, PartyProtocol, PartyRequest, Phonetic, ReviewRequest, Reviewed, SecretSource,
    TranslateRequest, Translated, attack_encoded, clean, compare_texts, encode_records, evaluate_link, extract_choose,
    extract_open, extract_pack, is_encoded_file, link_match, link_party, review, translate,
};
pub use measure::{MeasureRequest, OpenPair, measure};
pub use paths::{
    Applied, ApplyRequest, AskedOfCube, ClusterRequest, ClusterShown, ClustersMade, CubeCheckOutcome, CubeCheckRequest,
    CubeMade, CubeQuestion, CubeRequest, JudgeRequest, Judged, Label, PathsPartyRequest, PatternsFound,
    PatternsRequest, PointShown, ReconstructRequest, Reconstructed, Said, TrainRequest, Trained, apply_rules, ask_cube,
    check_cube, cluster_party, cluster_paths, draw_cube, find_patterns, judge_rules, make_cube, reconstruct,
    train_rules,
};
pub use policy::{PolicyOutcome, PolicyRequest, RuleOutcome, policy_check};
pub use profiles::{
    BuildProfilesRequest, ChartProfileRequest, CompareProfilesRequest, EvaluateProfilesRequest, ProfileDrawn,
    ProfileJudged, ProfilesBuilt, ProfilesCompared, ProfilesEvaluated, ProfilesUpdated, ReadWords, TopicShown,
    UpdateProfilesRequest, build_profiles, chart_profile, compare_profiles, evaluate_profiles, update_profiles,
};
pub use protect::{ProtectOutcome, ProtectRequest, SingledOutBefore, Staged, Staging, protect};
pub use recommend::{
    EvaluateRequest, Evaluated, EvaluatedRecommender, PredictRequest, Predicted, RatingsFile, SimilarFound,
    SimilarRequest, TopFound, TopRequest, evaluate, predict, similar, top,
};
pub use recorded::{LedgerRequest, Recorded, SignRequest};
pub use report::{Heading, PrivateReport, report};
pub use shares::{SharesOutcome, SharesRequest, open_shares};
pub use shill::{
    ExperimentCompared, ExperimentData, ExperimentFinding, ExperimentFound, ExperimentLeftOut, ExperimentRequest,
    ExperimentSettings, ExperimentShift, ExperimentTargets, InjectRequest, Injected, ShiftFound, ShiftOfItem,
    ShiftRequest, inject, shift, shill_experiment,
};
pub use study::{STUDIES, Studied, StudyPart, StudyRequest, StudyWork, study};
pub use synth::{SynthRequest, synth};
pub use synth_connections::{ConnectionsMade, ConnectionsRequest, synth_connections};
pub use synth_records::{RecordsMade, RecordsRequest, synth_records};
pub use vouched::{LedgerOutcome, SignatureOutcome};

pub(crate) use attack::attack_as;
pub(crate) use audit::audit_as;
pub(crate) use check::{NOTHING_CLAIMED, check_as};
pub(crate) use dry_run::plan;
pub(crate) use inspect::{distance_as, inspect_as};
pub(crate) use measure::measure_as;
pub(crate) use policy::policy_seen_as;
pub(crate) use protect::{k_of, stage};
pub(crate) use save::{save, save_as};
pub(crate) use shares::open_shares_as;
pub(crate) use synth::refuse_existing;

/// How many persons must share a value that is shown, where nobody says otherwise.
pub(crate) const USUAL_K: usize = 5;
