//! Oracles of the fuzz targets. An oracle takes any bytes and panics if they show a fault.
//!
//! The targets in `fuzz_targets` are glue. With a fuzzer (`cargo fuzz run NAME`) they search; without
//! one they are programs for stable Rust that [`replay`] every input that was ever kept, and seeded
//! variations of it.
#![forbid(unsafe_code)]

mod bytes;
pub mod device_moves;
pub mod packets;
pub mod planted;
pub mod pool_operations;
pub mod replay;
pub mod ring_operations;
pub mod scenario_text;
pub mod soak;
#[cfg(feature = "planted")]
pub mod teeth;
pub mod trait_misuse;
mod vary;
