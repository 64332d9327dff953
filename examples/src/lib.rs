//! What the examples on HIP share: a GPU with its kernels, and arrays in its memory.
//!
//! All of it is what a runtime that embeds Ringfence has already, in small: [`Gpu`] starts HIP and compiles real HIP source,
//! [`Array`] is memory with a [stamp](ringfence::stream::Stamp), [`Recorded`] is a graph with the arrays that it uses, and a
//! [`Slot`] is where the host reads a result.
#![deny(unsafe_code)]

#[allow(
    unsafe_code,
    reason = "launches, copies and fills: what a GPU does with memory is outside of Rust's rules"
)]
mod device;
mod gpu;
mod kernels;

use std::process::ExitCode;

pub use device::{Array, Body, Recorded, Slot, Slots};
pub use gpu::{Gpu, Outcome, Pool};
pub use kernels::Kernels;

/// The exit code of an example that finds no HIP, or no GPU.
pub const NO_HIP: u8 = 3;

/// Runs an example: over the first GPU, if there is one, else with a few words about that.
pub fn main(example: impl FnOnce(Gpu) -> Outcome) -> ExitCode {
    let gpu = match Gpu::open() {
        Ok(Some(gpu)) => gpu,
        Ok(None) => return ExitCode::from(NO_HIP),
        Err(error) => return failed(&*error),
    };
    match example(gpu) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&*error),
    }
}

fn failed(error: &dyn std::error::Error) -> ExitCode {
    eprintln!("failed: {error}");
    ExitCode::FAILURE
}

/// Goes on if it holds.
///
/// # Errors
/// These words, if it does not.
pub fn check(holds: bool, otherwise: impl Into<String>) -> Outcome {
    if holds { Ok(()) } else { Err(otherwise.into().into()) }
}

/// The sum of `count` numbers from `start` on, as the CPU has it.
#[must_use]
pub fn sum_of(start: u32, count: u32) -> u64 {
    let (start, count) = (u64::from(start), u64::from(count));
    start * count + count * count.saturating_sub(1) / 2
}
