//! The data sets that throng protects, in a form made for work: strings interned once, columns of dense ids.

pub mod baskets;
pub mod content;
pub mod dataset;
pub mod documents;
pub mod facts;
pub mod graph;
pub mod paths;
pub mod queries;
pub mod ratings;
pub(crate) mod string_words;
pub mod strings;
pub mod table;
pub mod time;
pub mod visits;

pub use baskets::{Baskets, BasketsBuilder};
pub use content::Content;
pub use dataset::Dataset;
pub use documents::{Documents, DocumentsBuilder, TermCounts};
pub use facts::{FactSort, Facts};
pub use graph::Graph;
pub use paths::{Paths, PathsBuilder};
pub use queries::{Clusters, Line, MergedAccounts, QueryLog, QueryLogBuilder};
pub use ratings::{Ratings, RatingsBuilder};
pub use strings::{Interner, Strings};
pub use table::Table;
pub use visits::{Visits, VisitsBuilder};
