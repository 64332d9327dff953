//! Which driver the model behaves like.

mod cost;
mod row;
mod rules;
mod table;

pub use cost::{CREATION_SOURCE, StreamCosts};
pub use rules::*;
pub use table::DriverRules;

use std::{fmt, num::NonZeroU32, str::FromStr};

use ringfence::{
    backend::streams::{Destruction, StreamFeatures},
    id::Bytes,
};

use crate::word::Word;

/// A driver, and which version of it.
///
/// ```
/// use ringfence::backend::streams::Destruction;
/// use ringfence_mock::streams::profile::DriverProfile;
/// let profile: DriverProfile = "hip-5.7".parse()?; // as scenario files have it
/// assert_eq!(profile, DriverProfile::Hip57);
/// assert_eq!(profile.features().destruction, Destruction::Waits);
/// assert_eq!(DriverProfile::Cuda.features().destruction, Destruction::Detaches);
/// # Ok::<(), ringfence_mock::streams::profile::UnknownProfile>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DriverProfile {
    /// HIP 5.2.3 (runtime 50221153): tried, call by call, on AMD's own library
    /// (<https://github.com/ROCm/clr>, and its predecessor <https://github.com/ROCm/hipamd>).
    Hip52,
    /// HIP 5.7.1 (runtime 50731921): tried in the same way.
    Hip57,
    /// HIP 6.4.3 (runtime 60443484): tried, by the conformance suite, on Debian's build of AMD's library above the software GPU.
    Hip64,
    /// ROCm/clr at f9f995c6d of 2024-10: read, not tried
    /// (<https://github.com/ROCm/clr/blob/f9f995c6d/hipamd/src/hip_stream.cpp>).
    Clr2024,
    /// Later files of the same: read, not tried
    /// (<https://github.com/ROCm/rocm-systems/tree/develop/projects/clr/hipamd/src>).
    ClrNew,
    /// CUDA 13.0 (driver 580.159.04): tried, call by call, on one H200
    /// (<https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html> is silent about most of it).
    Cuda,
}
impl Word for DriverProfile {
    const WHAT: &'static str = "a driver profile";
    const ALL: &'static [Self] =
        &[Self::Hip52, Self::Hip57, Self::Hip64, Self::Clr2024, Self::ClrNew, Self::Cuda];
    fn word(self) -> &'static str {
        match self {
            Self::Hip52 => "hip-5.2",
            Self::Hip57 => "hip-5.7",
            Self::Hip64 => "hip-6.4",
            Self::Clr2024 => "clr-2024",
            Self::ClrNew => "clr-new",
            Self::Cuda => "cuda",
        }
    }
}
impl fmt::Display for DriverProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
/// No driver profile has this name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{name}` is no driver profile; the profiles are {}", DriverProfile::words().join(", "))]
pub struct UnknownProfile {
    name: String,
}
impl FromStr for DriverProfile {
    type Err = UnknownProfile;
    fn from_str(name: &str) -> Result<Self, UnknownProfile> {
        Self::from_word(name).ok_or_else(|| UnknownProfile { name: name.to_owned() })
    }
}

const MIB: u64 = 1024 * 1024;
const fn count(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).expect("not 0")
}

impl DriverProfile {
    /// All, the oldest first.
    pub const ALL: &'static [Self] = <Self as Word>::ALL;
    /// What its calls do.
    pub const fn rules(self) -> DriverRules {
        match self {
            Self::Hip52 => row::HIP_5_2,
            Self::Hip57 => row::HIP_5_7,
            Self::Hip64 => row::HIP_6_4,
            Self::Clr2024 => row::CLR_2024,
            Self::ClrNew => row::CLR_NEW,
            Self::Cuda => row::CUDA,
        }
    }
    /// How its rules are known.
    pub const fn grounds(self) -> &'static str {
        match self {
            Self::Hip52 => "tried on HIP 5.2.3, above a fake device",
            Self::Hip57 => "tried on HIP 5.7.1, above a fake device",
            Self::Hip64 => "tried on HIP 6.4.3, above the software GPU",
            Self::Clr2024 => "read in ROCm/clr at f9f995c6d (2024-10)",
            Self::ClrNew => "read in later files of ROCm/rocm-systems",
            Self::Cuda => "tried on NVIDIA's driver 580.159.04 and one H200",
        }
    }
    /// What its calls cost: a model, not silicon.
    pub const fn costs(self) -> StreamCosts {
        match self {
            Self::Hip52 => StreamCosts::HIP_5_2,
            Self::Hip57 => StreamCosts::HIP_5_7,
            Self::Hip64 | Self::Clr2024 | Self::ClrNew => StreamCosts::CLR,
            Self::Cuda => StreamCosts::CUDA,
        }
    }
    /// Hardware queues for each priority class of a device: `GPU_MAX_HW_QUEUES` of HIP (4, tried),
    /// `CUDA_DEVICE_MAX_CONNECTIONS` of CUDA (8,
    /// <https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#env-vars>).
    pub const fn queues(self) -> NonZeroU32 {
        match self {
            Self::Cuda => count(8),
            _ => count(4),
        }
    }
    /// Pinned host memory of a live stream: a model, not silicon. 512 KiB and 1 MiB were requested from
    /// a fake kernel on HIP 5.2.3 and 5.7.1; 33.0 GB for 4,000 streams were measured on ROCm 7.2
    /// (<https://github.com/JuliaGPU/AMDGPU.jl>), 8.93 MB each by
    /// <https://github.com/ROCm/rocm-systems/issues/11524>; 17,664 bytes a
    /// stream over 4,096 of them on NVIDIA driver 580.
    pub const fn host_bytes(self) -> Bytes {
        Bytes::new(match self {
            Self::Hip52 => MIB / 2,
            Self::Hip57 => MIB,
            Self::Hip64 | Self::Clr2024 => 8_250_000,
            Self::ClrNew => 8_930_000,
            Self::Cuda => 17_664,
        })
    }
    /// Pinned host memory of a hardware queue, in the same trials: a model, not silicon.
    pub const fn queue_bytes(self) -> Bytes {
        Bytes::new(match self {
            Self::Hip52 => MIB / 4,
            Self::Hip57 | Self::Hip64 | Self::Clr2024 | Self::ClrNew => MIB,
            Self::Cuda => 0,
        })
    }
    /// At how many live streams creation fails: 2,000 to 4,000 hung the GPU under the seed of this
    /// work (<https://github.com/JuliaGPU/AMDGPU.jl>); HIP 5.2 and 5.7 went to 2,048 and CUDA to 4,096
    /// without a sign of it.
    pub const fn live_limit(self) -> Option<NonZeroU32> {
        match self {
            Self::Hip64 | Self::Clr2024 | Self::ClrNew => Some(count(4_000)),
            _ => None,
        }
    }
    /// What a pool is told.
    pub const fn features(self) -> StreamFeatures {
        let destruction = match self.rules().destroy {
            DestroyRule::LocksOut | DestroyRule::Waits => Destruction::Waits,
            DestroyRule::Detaches => Destruction::Detaches,
        };
        StreamFeatures::new(self.host_bytes(), destruction)
    }
}
