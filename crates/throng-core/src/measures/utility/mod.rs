//! Measures of what the release is still good for.

pub mod average_class_size;
pub mod average_length;
pub mod average_level;
pub mod classification_kept;
pub mod clustering_agreement;
pub mod concept_frequency;
pub mod count_query_error;
pub mod discernibility;
pub mod entropy_loss;
mod frequency;
pub mod group_generalisation_distortion;
pub mod hierarchy_loss;
pub mod il1s;
pub mod information_loss_ratio;
pub mod interests_kept;
pub mod item_frequency;
pub mod itemsets_kept;
pub mod normalised_certainty_penalty;
pub mod normalised_certainty_penalty_table;
pub mod page_frequency;
pub mod query_frequency;
pub mod semantic_loss;
pub mod sum_of_squares;
pub mod sum_of_squares_documents;
pub mod sum_of_squares_table;
pub mod suppressed_items;
pub mod word_frequency;
