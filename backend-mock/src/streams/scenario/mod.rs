//! Scenario files of streams: how a bug report about streams becomes a test.
//!
//! The form is that of [`scenario`](crate::scenario); `setup.driver` says that a file is about streams, and on
//! which drivers it runs.
//!
//! ```toml
//! name = "a stream with left-over work is nobody's"
//! source = "https://github.com/JuliaGPU/AMDGPU.jl"
//! rules = ["T1"]
//! setup.driver = "all"
//! steps = [
//!   { acquire = "a" },
//!   { run = 10, on = "a" },
//!   { release = "a" },
//!   { acquire = "b" },
//!   { expect = "distinct", of = ["a", "b"] },
//! ]
//! ```
//!
//! The oracle is always on: a scenario without a single `expect` still fails when a rule breaks, when a call
//! would have killed a real process, or when something is left over at the end.

mod ast;
mod expect;
mod parse;
mod print;
mod run;
mod step;
mod vocabulary;
mod world;

#[cfg(test)]
mod tests;

pub use ast::{Place, StreamScenario, StreamSetup};
pub use expect::StreamExpect;
pub use parse::{StreamParsed, parse};
pub use run::{StreamFailed, run, run_on};
pub use step::{
    Acquire, Capture, DriverFault, Ending, Leaks, Manner, Run, Spawn, StreamAction, StreamStep,
};
pub use vocabulary::{
    Answer, FailingCall, FreedHow, Leaving, OrderedHow, PolicyKind, Presence, Pumping, Refusal,
    StatusWord, StreamCounter, StreamErrorKind, Through,
};
pub use world::{StreamFailure, StreamReport, StreamWorld, StreamWrong};
