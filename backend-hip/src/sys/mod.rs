//! HIP as its headers declare it, loaded at run time: nothing is linked, so that a program starts on a machine without ROCm.

mod functions;
mod library;
mod types;

pub use ringfence_backend_shared::loading::Attempt;

pub use functions::{CompilerFunctions, Functions};
pub use library::{Library, LoadError};
pub use types::*;

#[cfg(test)]
mod tests;
