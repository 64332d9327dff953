//! The HSA runtime's interface as its headers declare it, and the [`Library`] that has it.
//!
//! Types, constants and [`Functions`] are generated (`bindings.rs`; its head says how) and keep AMD's names. A C enum is a
//! transparent struct here, with its values as constants: the runtime may return one that these headers do not know yet.

#[allow(
    missing_docs,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    unreachable_pub,
    clippy::all,
    clippy::allow_attributes_without_reason,
    clippy::undocumented_unsafe_blocks,
    clippy::multiple_unsafe_ops_per_block,
    clippy::missing_safety_doc,
    reason = "generated; the headers are its documentation and its contract"
)]
mod bindings;
mod create_v2;
mod library;
mod symbols;
#[cfg(test)]
mod tests;

pub use bindings::*;
pub use create_v2::{SIGNAL_CREATE_DEVICE_MEM_VALUE_WORD, SignalCreateDesc, SignalCreateV2};
pub use library::{Attempt, Library, LoadError};
