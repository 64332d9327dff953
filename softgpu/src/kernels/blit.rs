//! ROCr's own kernels: copies between devices' memories, fills, the loading of code objects.
//!
//! They copy in phases, each with its own bounds among the arguments; the phases follow one another
//! without a gap, so that the first start and the last end say all:
//! <https://github.com/ROCm/ROCR-Runtime/blob/amd-staging/runtime/hsa-runtime/core/inc/amd_blit_kernel.h>.

use super::{
    arguments::{Arguments, until},
    fingerprint::Fingerprint,
};
use crate::bus::{Bus, Fault};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Blit {
    /// Source and destination are equal modulo 4.
    CopyAligned,
    CopyMisaligned,
    /// Dwords.
    Fill,
}
impl Blit {
    /// The code of gfx9, gfx90a with gfx942, gfx10 and gfx11, as ROCr 5.2.3, 6.1.2 and 6.4.3 have it.
    pub(super) const fn with(fingerprint: Fingerprint) -> Option<Self> {
        match fingerprint.0 {
            0x58c0_ef4c_3ede_c2ef
            | 0xd0cc_5e4c_bb93_9daf
            | 0xc05d_c823_57ed_f713
            | 0x04b6_9673_c1be_c220 => Some(Self::CopyAligned),
            0xf62e_7d87_a771_70db
            | 0x3023_79c5_89a2_4a9b
            | 0x4df2_516e_af3c_a6d3
            | 0x796d_af02_0dfb_2afe => Some(Self::CopyMisaligned),
            0x6939_54f5_5158_5734
            | 0x3319_1d43_9221_5974
            | 0x840e_cc70_c240_e46e
            | 0x882c_211f_2537_1257 => Some(Self::Fill),
            _ => None,
        }
    }
    pub(super) fn run<B: Bus>(self, arguments: &Arguments<'_, B>) -> Result<(), Fault> {
        let source_end = match self {
            Self::CopyAligned => 64,
            Self::CopyMisaligned => 32,
            Self::Fill => {
                let (to, end) = (arguments.address(0)?, arguments.address(16)?);
                let value = arguments.u32(24)?.to_le_bytes();
                return arguments.bus.fill(to, &value, until(to, end));
            }
        };
        let (from, to) = (arguments.address(0)?, arguments.address(8)?);
        arguments.bus.copy(to, from, until(from, arguments.address(source_end)?))
    }
}
