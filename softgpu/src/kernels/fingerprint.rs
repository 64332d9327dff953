//! A kernel without a name, known by how its code begins.

use std::fmt;

use crate::{
    address::Address,
    bus::{Bus, Fault},
};

/// A hash of the first 64 bytes of a kernel's code: FNV-1a on another basis than the usual one, with
/// which the known values were taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fingerprint(pub(super) u64);
impl Fingerprint {
    const BYTES: usize = 64;

    /// That of the kernel with this descriptor. Both of the code object's kinds of descriptor have the
    /// offset of the code at byte 16: <https://llvm.org/docs/AMDGPUUsage.html#kernel-descriptor>.
    pub(super) fn of(object: Address, bus: &impl Bus) -> Result<Self, Fault> {
        let mut offset = [0; 8];
        bus.read(object.plus(16), &mut offset)?;
        let mut code = [0; Self::BYTES];
        bus.read(object.plus(u64::from_le_bytes(offset)), &mut code)?;
        Ok(Self::of_code(&code))
    }
    pub(super) fn of_code(code: &[u8; Self::BYTES]) -> Self {
        const BASIS: u64 = 1_469_598_103_934_665_603;
        const PRIME: u64 = 0x0000_0100_0000_01b3;
        Self(code.iter().fold(BASIS, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME)))
    }
}
impl fmt::Display for Fingerprint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "a kernel without a name, fingerprint {:016x}", self.0)
    }
}
