//! Layouts that others fix: the kernel's, libdrm's, and those of HSA objects in memory.

pub mod aql;
#[path = "generated_drm.rs"]
#[rustfmt::skip]
pub mod drm;
#[path = "generated_kfd.rs"]
#[rustfmt::skip]
pub mod kfd;
pub mod objects;
