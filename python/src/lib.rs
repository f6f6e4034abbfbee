//! throng for Python: the module `throng._throng`, which the Python files beside it make a package of.
//!
//! It holds no idea of its own. Keywords become requests (`throng::keywords`), data come as paths or through Arrow's stream
//! interface (`frames`), the work runs on threads of its own while Python goes on (`running`), and errors become exceptions (`errors`). `parts` are the steps of a release on many
//! machines.

mod commands;
mod errors;
mod frames;
mod held;
mod parts;
mod running;
mod stubs;

use pyo3::prelude::*;

/// What throng's Python files call.
#[pymodule]
mod _throng {
    use pyo3::prelude::*;
    use serde_json::Value;
    use throng::cards;
    use throng::keywords::{self, Tongue};

    #[pymodule_export]
    use super::commands::{format_of, look, protect, synth};
    use super::errors::exception;
    #[pymodule_export]
    use super::held::Held;
    #[pymodule_export]
    use super::parts::{parts_asked, parts_decide, parts_finish, parts_merged, parts_plan, parts_step, parts_verdict};
    #[pymodule_export]
    use super::running::Manner;
    use super::stubs;

    /// The version of throng.
    #[pyfunction]
    fn version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    /// Everything there is, as JSON and in words; of one section only, if it is named.
    #[pyfunction]
    fn listed(py: Python<'_>, section: Option<&str>) -> PyResult<(String, String)> {
        let listed = cards::listed(section).map_err(|error| exception(py, &error, false))?;
        Ok((Value::Object(cards::as_json(&listed)).to_string(), cards::as_text(&listed)))
    }

    /// What something is, as JSON and in words.
    #[pyfunction]
    fn explained(py: Python<'_>, name: &str) -> PyResult<(String, String)> {
        let (card, text) = cards::explained(name).map_err(|error| exception(py, &error, false))?;
        Ok((card.to_string(), text))
    }

    /// The keywords of a function.
    #[pyfunction]
    fn keywords_of(function: &str) -> Vec<String> {
        keywords::of(function, Tongue::Python).into_iter().map(|keyword| keyword.name).collect()
    }

    /// The stub of the package, for a test to compare with the file.
    #[pyfunction]
    fn stub() -> String {
        stubs::stub()
    }
}
