//! `throng paths`: journeys from raw points, a cube of counts with a threshold, and clusters, patterns and rules. They work on paths in the open.

mod classify;
mod cluster;
mod cube;
mod cube_file;
mod party;
mod patterns;
mod reconstruct;

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use throng_core::data::Paths;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

pub use classify::{
    Applied, ApplyRequest, JudgeRequest, Judged, Said, TrainRequest, Trained, apply_rules, judge_rules, train_rules,
};
pub use cluster::{ClusterRequest, ClusterShown, ClustersMade, Label, PointShown, cluster_paths};
pub use cube::{
    CubeCheckOutcome, CubeCheckRequest, CubeMade, CubeQuestion, CubeRequest, ask_cube, check_cube, draw_cube, make_cube,
};
pub use cube_file::AskedOfCube;
pub use party::{PathsPartyRequest, cluster_party};
pub use patterns::{PatternsFound, PatternsRequest, find_patterns};
pub use reconstruct::{ReconstructRequest, Reconstructed, reconstruct};

use super::Certified;
use crate::inputs::Inputs;
use crate::io::paths::ReadPaths;
use crate::kinds::{self, Ask, Kinded};
use crate::pending::{self, Pending};

/// Paths in files, whatever the files look like.
fn read(inputs: &Inputs, ask: &Ask, progress: &dyn Progress) -> Result<(ReadPaths, Vec<String>)> {
    let kind = ask.kind.clone().unwrap_or_else(|| <Paths as Kinded>::CARD.name.to_owned());
    if kind != <Paths as Kinded>::CARD.name {
        return Err(Error::parameter("kind", format!("is `{kind}`, but this is for paths")));
    }
    let certified = Certified::open(inputs, &Ask { kind: Some(kind), ..ask.clone() })?;
    let (_, opened) = kinds::open(&certified.location, &certified.ask)?;
    let read = kinds::paths::read_paths(opened, &certified.ask, false, progress)?;
    let notes = kinds::paths::notes_of(&read);
    Ok((read, notes))
}

/// Refuses places for files that cannot be made.
fn refuse_places(places: &[&PathBuf], inputs: &Inputs) -> Result<()> {
    for (at, place) in places.iter().enumerate() {
        pending::refuse_stdout(place)?;
        super::refuse_existing(place)?;
        pending::refuse_replacing_input(place, &inputs.paths()?)?;
        if places[..at].iter().any(|other| pending::is_same_place(place, other)) {
            return Err(Error::refused(format!("{} is named for two files", place.display())));
        }
    }
    Ok(())
}

/// A file that is not there until it is published.
fn pending_file(
    place: &Path,
    write: impl FnOnce(&mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>,
) -> Result<(Pending, PathBuf)> {
    let failed = |cause| Error::io(format!("write {}", place.display()), cause);
    let (file, unfinished) = Pending::file(place, false).map_err(failed)?;
    let mut out = BufWriter::with_capacity(1 << 20, file);
    write(&mut |bytes| out.write_all(bytes).map_err(failed))?;
    out.flush().map_err(failed)?;
    Ok((unfinished, place.to_owned()))
}
