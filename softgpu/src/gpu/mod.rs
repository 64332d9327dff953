//! The catalogue: what each GPU that is modelled says of itself.
//!
//! Numbers are those of one product of each instruction set, as the kernel reports them
//! (<https://github.com/torvalds/linux/tree/master/drivers/gpu/drm/amd>). Few of them matter to a
//! runtime: it asks for the code of `target_version`, and sizes scratch and save areas by the rest.

#[cfg(test)]
mod tests;

use std::{ffi::CStr, fmt};

use crate::settings::{Gfx, Link};

/// What the kernel and libdrm say of one kind of GPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Model {
    /// The instruction set's name, as compilers know it.
    pub name: &'static str,
    /// What libdrm calls the product.
    pub marketing_name: &'static CStr,
    /// `gfx_target_version`: major × 10,000 + minor × 100 + stepping.
    pub target_version: u32,
    /// PCI device, of vendor [`VENDOR`].
    pub device: u32,
    /// libdrm's family: runtimes tell generations apart by it.
    pub family: u32,
    /// Compute units that work, over all XCCs.
    pub compute_units: u32,
    /// SIMDs of a compute unit.
    pub simds_per_unit: u32,
    /// Waves that one SIMD holds.
    pub waves_per_simd: u32,
    /// Lanes of a wave.
    pub wave: u32,
    /// Shader engines, over all XCCs.
    pub engines: u32,
    /// Shader arrays of an engine.
    pub arrays_per_engine: u32,
    /// Compute units of an array, those included that do not work.
    pub units_per_array: u32,
    /// Dies that share the work of one queue. Never 0: runtimes divide by it.
    pub xccs: u32,
    /// Copy engines for the host's memory.
    pub copy_engines: u32,
    /// Copy engines for other GPUs.
    pub xgmi_copy_engines: u32,
    /// Queues that user mode may have on each copy engine.
    pub queues_per_copy_engine: u32,
    /// Version of the packet processors' firmware. High enough for the exception reports that a
    /// runtime turns into queue errors.
    pub firmware: u32,
    /// Version of the copy engines' firmware.
    pub copy_firmware: u32,
    /// Highest clock of the compute units, in MHz.
    pub clock_mhz: u32,
    /// Data caches, from the first level on, in KiB.
    pub caches_kib: &'static [u32],
    /// Whether SRAM and memory have error correction.
    pub ecc: Ecc,
    /// What may connect two of them.
    pub links: &'static [Link],
}

/// Whether errors in memory are corrected. Code objects are built for one of the two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ecc {
    /// They are.
    On,
    /// They are not.
    Off,
}

/// AMD, as PCI knows it.
pub const VENDOR: u32 = 0x1002;

/// What CDNA's products share.
const CDNA: Model = Model {
    name: "",
    marketing_name: c"",
    target_version: 0,
    device: 0,
    family: 141,
    compute_units: 0,
    simds_per_unit: 4,
    waves_per_simd: 8,
    wave: 64,
    engines: 8,
    arrays_per_engine: 1,
    units_per_array: 14,
    xccs: 1,
    copy_engines: 2,
    xgmi_copy_engines: 3,
    queues_per_copy_engine: 8,
    firmware: 0x44,
    copy_firmware: 24,
    clock_mhz: 1700,
    caches_kib: &[16, 8 << 10],
    ecc: Ecc::On,
    links: &[Link::Pcie, Link::Xgmi],
};
/// What RDNA's products share.
const RDNA: Model = Model {
    family: 143,
    simds_per_unit: 2,
    waves_per_simd: 16,
    wave: 32,
    engines: 4,
    arrays_per_engine: 2,
    units_per_array: 10,
    xgmi_copy_engines: 0,
    ecc: Ecc::Off,
    links: &[Link::Pcie],
    ..CDNA
};
/// An MI210.
const GFX90A: Model = Model {
    name: "gfx90a",
    marketing_name: c"ringfence softgpu (gfx90a)",
    target_version: 90_010,
    device: 0x740f,
    compute_units: 104,
    ..CDNA
};
/// An MI300X in one partition.
const GFX942: Model = Model {
    name: "gfx942",
    marketing_name: c"ringfence softgpu (gfx942)",
    target_version: 90_402,
    device: 0x74a1,
    compute_units: 304,
    engines: 32,
    units_per_array: 10,
    xccs: 8,
    xgmi_copy_engines: 14,
    firmware: 0x9a,
    clock_mhz: 2100,
    caches_kib: &[32, 4 << 10, 256 << 10],
    ..CDNA
};
/// A Navi 21.
const GFX1030: Model = Model {
    name: "gfx1030",
    marketing_name: c"ringfence softgpu (gfx1030)",
    target_version: 100_300,
    device: 0x73bf,
    compute_units: 80,
    copy_engines: 4,
    firmware: 0x71,
    clock_mhz: 2250,
    caches_kib: &[16, 4 << 10, 128 << 10],
    ..RDNA
};
/// A Navi 31.
const GFX1100: Model = Model {
    name: "gfx1100",
    marketing_name: c"ringfence softgpu (gfx1100)",
    target_version: 110_000,
    device: 0x744c,
    family: 145,
    compute_units: 96,
    engines: 6,
    units_per_array: 8,
    queues_per_copy_engine: 6,
    firmware: 0x40,
    clock_mhz: 2500,
    caches_kib: &[32, 6 << 10, 96 << 10],
    ..RDNA
};

impl Gfx {
    /// Every one that is modelled.
    pub const ALL: [Self; 4] = [Self::Gfx90a, Self::Gfx942, Self::Gfx1030, Self::Gfx1100];

    /// Its row of the catalogue.
    pub const fn model(self) -> &'static Model {
        match self {
            Self::Gfx90a => &GFX90A,
            Self::Gfx942 => &GFX942,
            Self::Gfx1030 => &GFX1030,
            Self::Gfx1100 => &GFX1100,
        }
    }
}
impl fmt::Display for Gfx {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.model().name)
    }
}
