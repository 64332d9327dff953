//! Loom models of the table of handles: every interleaving, and every value that the orderings allow, of its places and of the
//! stack of free ones. The very files of the library, on loom's types.
//!
//! Each model counts that it reached what it is about, and must fail with an ordering relaxed.

#[path = "../../src/handle/free.rs"]
mod free;
mod models;
#[path = "../../src/handle/slot.rs"]
#[allow(dead_code, reason = "the models use a part of it")]
mod slot;
mod sync;

/// Why a handle brings no object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refused {
    Foreign,
    Stale,
    InUse,
    Poisoned,
}
