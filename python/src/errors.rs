//! Errors of the library as exceptions, which Python defines (`throng/_errors.py`): one class a sort, chosen by the error's code.

use pyo3::prelude::*;
use throng_core::Error;
use throng_core::error::Place;

/// The exception that an error becomes. Its raw value is shown only if that was asked for.
pub(crate) fn exception(py: Python<'_>, error: &Error, show_values: bool) -> PyErr {
    let place = error.place().cloned().unwrap_or_default();
    let Place { file, line, column } = place;
    let made = py.import("throng._errors").and_then(|errors| {
        errors.call_method1(
            "of",
            (error.code(), error.describe(show_values), error.message(), error.hint(), (file, line, column)),
        )
    });
    match made {
        Ok(made) => PyErr::from_value(made),
        Err(error) => error,
    }
}
