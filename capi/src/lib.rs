//! Ringfence for C: the functions of `ringfence.h`.
//!
//! `include/ringfence.h` is generated from this crate by `cargo xtask header`, with every comment here; `docs/c.md` is the guide.
//!
//! | module | holds |
//! |---|---|
//! | `status`, `border` | what calls answer with; nothing unwinds across the border |
//! | `handle` | 64-bit handles, checked by kind and generation, looked up without a lock |
//! | `place` | pointers that came from C |
//! | `sized` | structures that may grow |
//! | `pool` | the streams half: pools, leases, stamps, memory, captures, owners |
//! | `ring` | the signals half: trackers, events, and the pure ring |
//!
//! What comes from C is an integer until it was looked at: no enumeration of Rust's is ever received. Callbacks are
//! `C-unwind`, so that one that throws against the rules ends in a status or a clean abort, and not in undefined behaviour.

#![expect(non_camel_case_types, reason = "the names are those of the C header")]
#![allow(
    clippy::missing_safety_doc,
    reason = "said once for all functions, at the top of the header: pointers are NULL or valid, and callbacks keep their rules"
)]

#[macro_use]
mod callback;

mod border;
mod handle;
mod place;
mod sized;

pub mod version;

pub mod status;

pub mod pool;

pub mod ring;

pub use place::{In, Out};
pub use pool::*;
pub use ring::*;
pub use status::*;
pub use version::*;
