//! What crosses crates: the conformance suite, benchmark cases, call-count and allocation tests, scenarios.
#![deny(unsafe_code)]

pub mod cases;
pub mod conformance;
pub mod launch;
pub mod null;
pub mod null_streams;
pub mod programs;

#[cfg(doctest)]
mod misuse;

/// The README's example compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
/// The guide's examples compile, and those on the model run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/embedding.md")]
struct Guide;
