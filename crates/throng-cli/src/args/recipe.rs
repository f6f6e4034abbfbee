//! What can be typed after `throng run`.

use std::path::PathBuf;

use clap::Args;
use throng::memory;
use throng::recipe::RunRequest;
use throng_core::Result;

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The recipe, a TOML file; the folder RECIPE.state and the file RECIPE.lock beside it keep what was done
    pub(crate) recipe: PathBuf,
    /// Say which steps would run and why; run none
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Run this step alone; what it takes must be there
    #[arg(long, value_name = "STEP", conflicts_with = "from")]
    pub(crate) only: Option<String>,
    /// Run this step and all that depend on it again
    #[arg(long, value_name = "STEP")]
    pub(crate) from: Option<String>,
    /// Run all steps again: nothing that was done before counts, and every file is read anew
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Show what the recipe does, by phases; run nothing
    #[arg(long, conflicts_with_all = ["dry_run", "only", "from", "fresh"])]
    pub(crate) explain: bool,
    /// Steps that run side by side may take about this much memory together, 4G or 500M; a step alone may take more
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<String>,
}

impl RunArgs {
    pub(crate) fn request(&self) -> Result<RunRequest> {
        Ok(RunRequest {
            recipe: self.recipe.clone(),
            only: self.only.clone(),
            from: self.from.clone(),
            fresh: self.fresh,
            dry_run: self.dry_run,
            memory: self.memory.as_deref().map(memory::parse).transpose()?,
        })
    }
}
