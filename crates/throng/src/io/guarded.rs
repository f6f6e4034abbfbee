//! Libraries that panic on damaged files, called so that a panic is an error like any other.

use std::cell::Cell;
use std::fmt::Display;
use std::panic::AssertUnwindSafe;
use std::sync::Once;

use throng_core::{Error, Result};

/// Calls the library, which panics on some damaged files: that too is an error like any other.
pub(super) fn guarded<T, E: Display>(form: &str, call: impl FnOnce() -> std::result::Result<T, E>) -> Result<T> {
    thread_local! {
        static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
    }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !IS_GUARDED.get() {
                hook(panic);
            }
        }));
    });
    let before = IS_GUARDED.replace(true);
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(call));
    IS_GUARDED.set(before);
    match outcome {
        Ok(done) => done.map_err(|cause| {
            // The layers of the library each put a word before it.
            let (cause, layers) =
                (cause.to_string(), ["Parquet argument error: ", "Parquet error: ", "External: ", "Ipc error: "]);
            let mut rest = cause.as_str();
            while let Some(inner) = layers.iter().find_map(|layer| rest.strip_prefix(layer)) {
                rest = inner;
            }
            unreadable(form, rest)
        }),
        Err(_) => Err(unreadable(form, "its parts contradict each other")),
    }
}

/// The error for a file that is damaged.
pub(super) fn unreadable(form: &str, cause: &str) -> Error {
    Error::data(format!("the {form} cannot be read: {cause}"))
        .with_hint("the file was cut off or changed: fetch it again")
}
