//! How a support vector machine learns, as requests say it.

use serde::{Deserialize, Serialize};
use throng_core::learn::svm::{KernelName, Scaling, SvmParams};

/// How the support vector machine learns; what is not given is as the machine has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MachineSettings {
    /// Which kernel.
    pub kernel: KernelName,
    /// What an example on the wrong side costs.
    pub cost: f64,
    /// The factor of the kernel.
    pub gamma: Option<f64>,
    /// Instead of gamma.
    pub sigma: Option<f64>,
    /// The power of a polynomial.
    pub degree: u32,
    /// How much the conditions of the best may be missed by.
    pub tolerance: f64,
    /// How features are brought to one measure.
    pub scale: Scaling,
    /// What rows of the kernel may take, in bytes.
    pub memory: usize,
}

impl Default for MachineSettings {
    fn default() -> Self {
        let usual = SvmParams::default();
        Self {
            kernel: usual.kernel,
            cost: usual.cost,
            gamma: usual.gamma,
            sigma: usual.sigma,
            degree: usual.degree,
            tolerance: usual.tolerance,
            scale: usual.scaling,
            memory: usual.memory,
        }
    }
}

impl MachineSettings {
    /// As the machine takes them.
    pub fn params(&self, seed: u64) -> SvmParams {
        SvmParams {
            kernel: self.kernel,
            cost: self.cost,
            gamma: self.gamma,
            sigma: self.sigma,
            degree: self.degree,
            tolerance: self.tolerance,
            scaling: self.scale,
            memory: self.memory,
            seed,
        }
    }
}
