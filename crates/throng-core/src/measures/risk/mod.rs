//! Measures of what an attacker learns.

pub mod held_out_linkage;
pub mod profile_exposure_level;
pub mod rare_content;
pub mod uniqueness;
