//! The file with the parameters of noise: written beside a release, as secret as its key; read by whoever judges it.

use std::path::Path;

use throng_core::data::table::Noise;
use throng_core::{Error, Result};

use crate::limits;

/// Reads the parameters of noise.
pub(super) fn read(path: &Path) -> Result<Noise> {
    let named = |error: Error| error.in_file(path.display().to_string());
    let bytes =
        limits::read_file(path, "give the file that `throng protect --noise-file` wrote", limits::MOST_NOISE_BYTES)?;
    let noise: Noise = serde_json::from_slice(&bytes).map_err(|cause| {
        // What serde says may quote a value.
        let place = format!("line {}, column {}", cause.line(), cause.column());
        named(Error::data(format!("the file is no noise file (at {place})")))
            .with_hint("give the file that `throng protect --noise-file` wrote with the release")
    })?;
    noise.refuse_damaged().map_err(named)?;
    Ok(noise)
}

/// The text of the file.
pub(super) fn text(noise: &Noise) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec(noise).map_err(|cause| Error::internal(cause.to_string()))?;
    text.push(b'\n');
    Ok(text)
}
