//! The data sets that throng protects, in a form made for work: strings interned once, columns of dense ids.

pub mod baskets;
pub mod content;
pub mod dataset;
pub mod documents;
pub mod facts;
pub mod queries;
pub mod strings;
pub mod table;
pub mod time;
pub mod visits;

pub use baskets::{Baskets, BasketsBuilder};
pub use content::Content;
pub use dataset::Dataset;
pub use documents::{Documents, DocumentsBuilder, TermCounts};
pub use facts::{FactSort, Facts};
pub use queries::{Clusters, Line, MergedAccounts, QueryLog, QueryLogBuilder};
pub use strings::{Interner, Strings};
pub use table::Table;
pub use visits::{Visits, VisitsBuilder};
