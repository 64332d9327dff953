//! The CUDA driver's interface, loaded at run time: nothing is linked, and no CUDA is needed to build.
//!
//! Types and constants are those of `cudarc`; the functions are not. Its own look for the library at the first call, and panic if
//! that, or one of them, is missing; and it has the driver's answer as a Rust enum, which must never hold a number that it does not
//! know, while newer drivers have new ones.

mod functions;
mod library;
mod types;

pub use functions::Functions;
pub use library::{Library, LoadError};
pub use ringfence_backend_shared::loading::Attempt;
pub use types::*;

#[cfg(test)]
mod tests;
