//! Layouts that others fix: the kernel's, libdrm's, and those of HSA objects in memory.

pub mod aql;
#[rustfmt::skip]
pub mod drm;
#[rustfmt::skip]
pub mod kfd;
pub mod objects;
