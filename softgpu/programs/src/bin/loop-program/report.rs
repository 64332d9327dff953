//! The line of JSON.

use std::{fmt::Write, time::Duration};

use ringfence_softgpu_programs::count::{Calls, Kind};

/// Times of an iteration, a block's mean each.
#[derive(Debug, Default)]
pub(crate) struct Blocks(Vec<Duration>);

impl Blocks {
    pub(crate) fn push(&mut self, iteration: Duration) {
        self.0.push(iteration);
    }

    /// The median of the blocks and the fastest, in microseconds.
    fn median_and_least(mut self) -> [f64; 2] {
        self.0.sort();
        [self.0.len() / 2, 0].map(|at| self.0[at].as_secs_f64() * 1e6)
    }
}

/// One flat object: times of an iteration, in microseconds, and counts of the whole loop.
#[derive(Debug)]
pub(crate) struct Report {
    line: String,
}

impl Report {
    /// Of a loop that ran so often.
    pub(crate) fn new(stack: &str, iterations: u32, blocks: Blocks) -> Self {
        let [us, least] = blocks.median_and_least();
        let line = format!(
            "{{\"stack\":\"{stack}\",\"iterations\":{iterations},\"us\":{us:.3},\"us_least\":{least:.3}"
        );
        Self { line }
    }

    /// With a count.
    pub(crate) fn count(&mut self, of: &str, name: &str, count: u64) {
        write!(self.line, ",\"{of}_{name}\":{count}").expect("a string takes all");
    }

    /// With the calls of the runtime between two looks, where they were counted.
    pub(crate) fn calls(&mut self, before: Option<Calls>, after: Option<Calls>) {
        let (Some(before), Some(after)) = (before, after) else { return };
        let calls = after.since(&before);
        for kind in Kind::ALL {
            self.count("hsa", kind.name(), calls.of(kind));
        }
    }

    /// Prints it.
    pub(crate) fn print(self) {
        println!("{}}}", self.line);
    }
}
