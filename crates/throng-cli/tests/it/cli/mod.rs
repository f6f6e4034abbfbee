//! The command as people meet it: help, success and failure of every command, by exit code, output and what lies in the
//! folder afterwards. `UPDATE=1 cargo test` rewrites the expectations in `snapshots/`; review the difference.

mod accounts;
mod arx;
mod attack;
mod audit;
mod bad_input;
mod baskets;
mod check;
mod compare;
mod content;
mod documents;
mod drop;
mod errors;
mod first_hour;
mod forged;
mod frictions;
mod help;
mod inspect;
#[cfg(unix)]
mod interrupt;
mod ledger;
mod meaning;
mod new_user;
mod nightly;
mod noise;
mod old_ways;
mod output;
mod personal;
mod policy;
mod protect;
mod several;
mod strangers;
mod synth;
mod table;
mod table_schema;
mod table_user;
mod taxonomy;
mod times;
mod visit_formats;
mod visit_sessions;
mod visits;
mod visits_kindred;
mod visits_user;
