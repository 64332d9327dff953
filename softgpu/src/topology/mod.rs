//! The topology: the files below `/sys/devices/virtual/kfd/kfd` by which runtimes find GPUs.
//!
//! Names, order and format are those of the kernel's `kfd_topology.c`
//! (<https://github.com/torvalds/linux/blob/master/drivers/gpu/drm/amd/amdkfd/kfd_topology.c>). Node 0
//! is the host, node n the n-th GPU. Nothing here touches a file system.

mod link;
mod properties;

#[cfg(test)]
mod tests;

use std::num::NonZeroU32;

use crate::{
    gpu::{Ecc, Model, VENDOR},
    settings::{Bar, Link, Settings},
};
use link::links;
use properties::Properties;

/// What has to be known of the machine that all this runs on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostFacts {
    /// Its processors.
    pub cpus: NonZeroU32,
    /// Its memory, in bytes.
    pub memory: u64,
}

/// One file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Where it lies, relative to the driver's folder: `topology/nodes/1/gpu_id`.
    pub path: String,
    /// What it holds.
    pub contents: String,
}

/// A node of the topology.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Node(u32);
impl Node {
    /// Where processors and the host's memory are.
    pub const HOST: Self = Self(0);

    /// The GPUs, in order: 1 to 8 of them.
    pub fn gpus(settings: &Settings) -> impl Iterator<Item = Self> + use<> {
        (1..=settings.gpus).map(Self)
    }
    /// Every node, the host first.
    pub fn all(settings: &Settings) -> impl Iterator<Item = Self> + use<> {
        (0..=settings.gpus).map(Self)
    }
    /// The node of a GPU, counted from 0.
    pub const fn of_gpu(gpu: u32) -> Self {
        Self(gpu + 1)
    }
    /// Which GPU it is, counted from 0; `None` for the host.
    pub const fn gpu(self) -> Option<u32> {
        self.0.checked_sub(1)
    }
    /// The GPU with this [`gpu_id`](Self::gpu_id); `None` if no GPU has it.
    pub fn of_gpu_id(id: u32, settings: &Settings) -> Option<Self> {
        Self::gpus(settings).find(|node| node.gpu_id() == id)
    }
    /// The GPU with this [`render_minor`](Self::render_minor); `None` if no GPU has it.
    pub fn of_render_minor(minor: u32, settings: &Settings) -> Option<Self> {
        Self::gpus(settings).find(|node| node.render_minor() == minor)
    }
    /// Its number.
    pub const fn number(self) -> u32 {
        self.0
    }
    /// What the driver's calls name a GPU by; 0 for the host.
    pub const fn gpu_id(self) -> u32 {
        if self.0 == 0 { 0 } else { 0x5000 + self.0 }
    }
    /// Its render node is `/dev/dri/renderD` with this number; 0 for the host.
    pub const fn render_minor(self) -> u32 {
        if self.0 == 0 { 0 } else { 127 + self.0 }
    }
}

/// The hive of GPUs that XGMI connects. Any number but 0 will do.
const HIVE: u64 = 0x50f7_41fe;
/// Where the numbers of SIMDs start; each GPU has 4,096 of them.
const FIRST_SIMD: u32 = 0x8000_0000;
/// What a runtime makes its name for a GPU of, by adding the node's number.
const UNIQUE: u64 = 0x50f7_0000_0000_0000;

/// All files of the topology. They never change: the generation stays at 1.
pub fn files(settings: &Settings, host: &HostFacts) -> Vec<File> {
    let system = Properties::new()
        .with("platform_oem", 0_u32)
        .with("platform_id", 0_u32)
        .with("platform_rev", 0_u32);
    let mut files = vec![file("generation_id", "1\n"), file("system_properties", system)];
    for node in Node::all(settings) {
        let name = if node == Node::HOST { "" } else { settings.gfx.model().name };
        let parts = [
            ("mem_banks", banks(node, settings, host)),
            ("caches", caches(node, settings)),
            ("io_links", links(node, settings)),
        ];
        let counts = parts.each_ref().map(|(_, each)| each.len() as u64);
        let folder = format!("nodes/{}", node.0);
        files.push(file(&format!("{folder}/gpu_id"), format!("{}\n", node.gpu_id())));
        files.push(file(&format!("{folder}/name"), format!("{name}\n")));
        files.push(file(
            &format!("{folder}/properties"),
            properties_of(node, settings, host, counts),
        ));
        for (kind, each) in parts {
            for (index, properties) in each.into_iter().enumerate() {
                files.push(file(&format!("{folder}/{kind}/{index}/properties"), properties));
            }
        }
    }
    files
}

/// One file of the topology.
fn file(path: &str, contents: impl Into<String>) -> File {
    File { path: format!("topology/{path}"), contents: contents.into() }
}

/// The properties of a node that has so many memory banks, caches and links.
fn properties_of(
    node: Node,
    settings: &Settings,
    host: &HostFacts,
    [banks, caches, links]: [u64; 3],
) -> Properties {
    let gpu = (node != Node::HOST).then(|| settings.gfx.model());
    let of = |value: fn(&Model) -> u32| gpu.map_or(0, value);
    let hive = if gpu.is_some() && settings.link == Link::Xgmi { HIVE } else { 0 };
    let all = Properties::new()
        .with("cpu_cores_count", if gpu.is_some() { 0 } else { host.cpus.get() })
        .with("simd_count", of(|m| m.compute_units * m.simds_per_unit))
        .with("mem_banks_count", banks)
        .with("caches_count", caches)
        .with("io_links_count", links)
        // The kernel lists GPUs that see each other over PCIe as these. Thunks put both lists together, so
        // plain links do as well; but without this line they would make up links of their own.
        .with("p2p_links_count", 0_u32)
        .with("cpu_core_id_base", 0_u32)
        .with("simd_id_base", gpu.map_or(0, |_| FIRST_SIMD + node.0 * 0x1000))
        .with("max_waves_per_simd", of(|m| m.waves_per_simd))
        .with("lds_size_in_kb", of(|_| 64))
        .with("gds_size_in_kb", 0_u32)
        .with("num_gws", of(|_| 64))
        .with("wave_front_size", of(|m| m.wave))
        .with("array_count", of(|m| m.engines * m.arrays_per_engine))
        .with("simd_arrays_per_engine", of(|m| m.arrays_per_engine))
        .with("cu_per_simd_array", of(|m| m.units_per_array))
        .with("simd_per_cu", of(|m| m.simds_per_unit))
        .with("max_slots_scratch_cu", of(|_| 32))
        .with("gfx_target_version", of(|m| m.target_version))
        .with("vendor_id", of(|_| VENDOR))
        .with("device_id", of(|m| m.device))
        .with("location_id", gpu.map_or(0, |_| (0x20 + node.0) << 8))
        .with("domain", 0_u32)
        .with("drm_render_minor", node.render_minor())
        .with("hive_id", hive)
        .with("num_sdma_engines", of(|m| m.copy_engines))
        .with("num_sdma_xgmi_engines", of(|m| m.xgmi_copy_engines))
        .with("num_sdma_queues_per_engine", of(|m| m.queues_per_copy_engine))
        .with("num_cp_queues", of(|_| 24));
    let Some(gpu) = gpu else { return all.with("max_engine_clk_ccompute", 3000_u32) };
    all.with("max_engine_clk_fcompute", gpu.clock_mhz)
        .with("local_mem_size", 0_u32)
        .with("fw_version", gpu.firmware)
        .with("capability", capability(gpu))
        .with("debug_prop", 0_u32)
        .with("sdma_fw_version", gpu.copy_firmware)
        .with("unique_id", UNIQUE + u64::from(node.0))
        .with("num_xcc", gpu.xccs)
        .with("max_engine_clk_ccompute", 3000_u32)
}

/// The bits of `capability`, named as in `linux/kfd_sysfs.h`.
fn capability(gpu: &Model) -> u32 {
    const QUEUE_SIZE_POW2: u32 = 1 << 3;
    const WATCH_POINTS_SUPPORTED: u32 = 1 << 7;
    const WATCH_POINTS: u32 = 2 << 8;
    const DOORBELL_TYPE_2_0: u32 = 2 << 12;
    const TRAP_DEBUG_SUPPORT: u32 = 1 << 15;
    const MEM_EDC: u32 = 1 << 20;
    const ASIC_REVISION: u32 = 1 << 22;
    const SRAM_EDC: u32 = 1 << 26;
    // ROCr 6.4.3 cannot be initialised twice without this bit. With it, queues report errors in their
    // save areas.
    const TRAP_DEBUG_FIRMWARE: u32 = 1 << 29;
    let ecc = match gpu.ecc {
        Ecc::On => MEM_EDC | SRAM_EDC,
        Ecc::Off => 0,
    };
    QUEUE_SIZE_POW2
        | WATCH_POINTS_SUPPORTED
        | WATCH_POINTS
        | DOORBELL_TYPE_2_0
        | TRAP_DEBUG_SUPPORT
        | ASIC_REVISION
        | TRAP_DEBUG_FIRMWARE
        | ecc
}

/// The memory of a node: one bank.
fn banks(node: Node, settings: &Settings, host: &HostFacts) -> Vec<Properties> {
    let (heap, bytes): (u32, u64) = match (node, settings.bar) {
        (Node::HOST, _) => (0, host.memory),
        (_, Bar::Large) => (1, settings.vram),
        (_, Bar::Small) => (2, settings.vram),
    };
    let bank = Properties::new().with("heap_type", heap).with("size_in_bytes", bytes);
    vec![bank.with("flags", 0_u32).with("width", 4096_u32).with("mem_clk_max", 1600_u32)]
}

/// The caches of a node. The host has none here: runtimes then look where processors list theirs.
fn caches(node: Node, settings: &Settings) -> Vec<Properties> {
    const DATA_OF_A_SIMD: u32 = 0b1001;
    if node == Node::HOST {
        return Vec::new();
    }
    let gpu = settings.gfx.model();
    (1_u32..)
        .zip(gpu.caches_kib)
        .map(|(level, kib)| {
            Properties::new()
                .with("processor_id_low", FIRST_SIMD + node.0 * 0x1000)
                .with("level", level)
                .with("size", *kib)
                .with("cache_line_size", 128_u32)
                .with("cache_lines_per_tag", 1_u32)
                .with("association", 16_u32)
                .with("latency", 1_u32)
                .with("type", DATA_OF_A_SIMD)
                .with("sibling_map", 1_u32)
        })
        .collect()
}
