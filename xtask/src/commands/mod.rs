//! One file a command.

pub(crate) mod backends;
pub(crate) mod bench_gate;
pub(crate) mod capi;
pub(crate) mod ci;
pub(crate) mod deps;
pub(crate) mod device_bundle;
pub(crate) mod header;
pub(crate) mod loc;
pub(crate) mod loom;
pub(crate) mod memory_model;
pub(crate) mod newcomer;
pub(crate) mod package;
pub(crate) mod report;
pub(crate) mod rocm;
pub(crate) mod rules;
pub(crate) mod shuttle;
pub(crate) mod soak;
pub(crate) mod softgpu;
pub(crate) mod test;
pub(crate) mod valgrind;
