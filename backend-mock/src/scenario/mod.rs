//! Scenario files: how a bug report becomes a test, and how a user shows a fault.
//!
//! A scenario is a small TOML file: a set-up, steps, expectations. The first key of a step is its
//! verb; whatever the steps leave open, the device's chooser decides.
//!
//! ```toml
//! name = "a fence without the barrier bit proves nothing about earlier packets"
//! source = "HSA 2.9"
//! rules = ["S2"]
//! setup.ring = 8
//! steps = [
//!   { submit = "k1", on = "s0", barrier = false },
//!   { submit = "k2", on = "s0", barrier = false },
//!   { finish = "k2" },
//!   { read_index = 2, of = "q0" },
//!   { reclaim = "s0" },
//!   { expect = "busy", of = ["k1"] },
//! ]
//! ```
//!
//! The oracle is always on: a scenario without a single `expect` still fails when a rule breaks, the
//! run hangs, or something is left over at the end.

mod any;
mod ast;
mod expect;
pub(crate) mod fields;
mod known;
mod orders;
pub(crate) mod panic;
mod parse;
pub(crate) mod print;
pub(crate) mod problem;
mod rule;
mod run;
pub(crate) mod scope;
mod step;
mod vocabulary;
pub(crate) mod word;
mod world;

#[cfg(test)]
mod tests;

pub use any::{AnyFailed, AnyParsed, AnyReport, parse_any, run_any};
pub use ast::{Feature, Name, Profile, Scenario, Setup, Tracking};
pub use expect::{Blocked, Bound, Counter, EventState, Expect, Presence};
pub use orders::{CopyParts, Graph, MachineFault, Submit};
pub use parse::{Parsed, StepPlace, parse};
pub use problem::{Place, Problem, Rejected, Text};
pub use run::{Failed, run, run_once};
pub use step::{Action, Run, Step};
pub use vocabulary::{By, ErrorKind, Kind, Signal, Stamps, Steady, Timing};
pub use word::Word;
pub use world::{Digested, Failure, Report, World, Wrong};
