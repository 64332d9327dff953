//! What the figures stand on: the first thing that a reader has to know of them.

use std::fs;

use serde::Serialize;

/// What did the work.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub(in crate::bench) enum Ground {
    /// A GPU.
    Silicon,
    /// AMD's own user-mode runtime over a GPU in software: calls and counts are real, and no time is a GPU's.
    Software,
    /// A model of a device or of a driver: its times come from a table.
    Model,
}

impl Ground {
    /// Below AMD's runtime: the GPU in software is a library in this process.
    pub(in crate::bench) fn of_amd() -> Self {
        let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
        Self::by(&maps)
    }
    fn by(maps: &str) -> Self {
        if maps.contains("/libringfence_softgpu.so") { Self::Software } else { Self::Silicon }
    }
    /// What programs call it.
    pub(in crate::bench) const fn name(self) -> &'static str {
        match self {
            Self::Silicon => "silicon",
            Self::Software => "software",
            Self::Model => "model",
        }
    }
    /// In words.
    pub(in crate::bench) const fn words(self) -> &'static str {
        match self {
            Self::Silicon => "silicon: these are times of a GPU",
            Self::Software => "a GPU in software: calls and counts are real, no time is a GPU's",
            Self::Model => "a model, not silicon: counts are real, device and driver are modelled",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_in_software_is_known_by_its_library() {
        let line = "7f00-7f01 r-xp 00000000 fe:00 12 /usr/lib/libringfence_softgpu.so\n";
        assert_eq!(Ground::by(line), Ground::Software);
        assert_eq!(Ground::by(&line.replace("softgpu", "hsa")), Ground::Silicon);
    }
}
