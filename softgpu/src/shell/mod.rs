//! The C functions that stand in the place of the system's, and what they stand upon.
//!
//! A program that is started with this library preloaded calls these functions where it means those of
//! the C library and of libdrm. Files and requests that do not concern the GPU go
//! on to the C library; of libdrm's functions, those that stand here know softgpu's GPUs alone.

mod drm;
mod files;
mod guard;
mod machine;
mod mapping;
mod next;
mod objects;
mod requests;
mod sysfs;
