//! What crosses crates: benchmark cases, call-count and allocation tests, scenarios.
#![forbid(unsafe_code)]

pub mod cases;
pub mod null;
pub mod programs;
