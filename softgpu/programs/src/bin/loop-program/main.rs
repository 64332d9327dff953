//! `loop-program hip|ringfence ITERATIONS [OPTIONS]`: one loop, on AMD's HIP or on Ringfence, over the same HSA runtime: record an
//! event, one empty kernel, record another event, wait for that on the host. Prints one line of JSON: the time of an iteration and,
//! with `libhsa_count` preloaded, its calls of the HSA runtime.
//!
//! `--timed`: the events remember when they were reached. For Ringfence alone: `--device-signals`, signals in the GPU's own memory;
//! `--polling`, the baseline that loads each signal.

mod arguments;
mod hip;
mod report;
mod ringfence;

use std::{
    process::ExitCode,
    thread,
    time::{Duration, Instant},
};

use arguments::{Arguments, Stack};
use report::Blocks;

/// When the watchdog ends the program.
const LIMIT: Duration = Duration::from_secs(120);
/// Iterations before anything is measured.
const WARM_UP: u32 = 500;
/// Iterations between two looks at the clock.
const BLOCK: u32 = 100;

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(wrong) => {
            eprintln!("{wrong}");
            return ExitCode::from(2);
        }
    };
    thread::spawn(|| {
        thread::sleep(LIMIT);
        eprintln!("watchdog: still running after {} s", LIMIT.as_secs());
        std::process::abort();
    });
    match arguments.stack {
        Stack::Hip => hip::run(&arguments),
        Stack::Ringfence => ringfence::run(&arguments),
    }
    ExitCode::SUCCESS
}

/// Runs `once` that often, in blocks that are timed.
fn measure(iterations: u32, mut once: impl FnMut()) -> Blocks {
    let mut blocks = Blocks::default();
    let mut left = iterations;
    while left > 0 {
        let these = left.min(BLOCK);
        let begun = Instant::now();
        (0..these).for_each(|_| once());
        blocks.push(begun.elapsed() / these);
        left -= these;
    }
    blocks
}
