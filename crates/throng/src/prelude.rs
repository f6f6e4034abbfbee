//! Everything that a program using throng as a library needs, in one `use`.
//!
//! Files and record batches go through the commands as functions ([`protect`], [`check`], [`measure`] …), which take requests and return
//! what they found: [`Inputs`] are files, a [`Frame`] in memory, or a [`HeldRelease`], which is what `in_memory` of a [`ProtectRequest`]
//! gives. Data sets of one's own go through the core: a [`Dataset`], a [`Method`] off a kind's shelf, the [`Judge`] that checks its
//! claims, a [`Measure`]. `examples/library.rs` does both.

pub use throng_core::data::{Baskets, BasketsBuilder, Dataset, Documents, DocumentsBuilder, QueryLog, QueryLogBuilder};
pub use throng_core::measures::{Context, Measure, Measured, Pair};
pub use throng_core::methods::Method;
pub use throng_core::models::digests::Digests;
pub use throng_core::models::{Model, Verdict};
pub use throng_core::progress::{Progress, Silent};
pub use throng_core::release::{Protected, Release};
pub use throng_core::{Error, Result, Rng};

pub use crate::catalog::{Judge, Role, Shelf, items};
pub use crate::certificate::Certificate;
pub use crate::held_release::HeldRelease;
pub use crate::inputs::{Inputs, Source};
pub use crate::io::{Format, Frame};
pub use crate::kinds::{Ask, ColumnChoice, KINDS, Kinded};
pub use crate::run::{
    AttackOutcome, AttackRequest, Audit, AuditRequest, CheckOutcome, CheckRequest, CompareRequest, Comparison,
    InspectRequest, Inspection, MeasureOutcome, MeasureRequest, ProtectOutcome, ProtectRequest, SharesOutcome,
    SharesRequest, SynthRequest, attack, audit, check, compare, inspect, measure, open_shares, protect, synth,
};
