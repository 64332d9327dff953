//! Every test of the streams half, by the contract that it is about and the number in it.

mod captures;
mod driver;
mod events;
mod graphs;
mod memory;
mod modes;
mod platform;
mod pools;
mod progress;
mod rules;
mod waits;
mod work;

use super::{
    super::{Checked, Leaves},
    StreamSubject,
};

/// One test of the streams half.
#[derive(Clone, Copy, Debug)]
pub struct StreamCase<S> {
    /// Its name: the contract, the number in it, and what holds.
    pub name: &'static str,
    /// What it leaves behind: a thread, a stream or a device that cannot be used any more needs a process of
    /// its own where the driver is real.
    pub leaves: Leaves,
    /// The test.
    pub run: fn(&S) -> Checked,
}

/// The usual test: it leaves a driver that works as before.
const fn case<S>(name: &'static str, run: fn(&S) -> Checked) -> StreamCase<S> {
    StreamCase { name, leaves: Leaves::ItWorking, run }
}
/// A test after which the driver needs a new process.
const fn last_case<S>(name: &'static str, run: fn(&S) -> Checked) -> StreamCase<S> {
    StreamCase { name, leaves: Leaves::ItUnusable, run }
}

/// All tests of the streams half, in the order of the traits.
pub fn stream_cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    let all = [
        platform::cases(),
        driver::cases(),
        modes::cases(),
        events::cases(),
        waits::cases(),
        captures::cases(),
        graphs::cases(),
        memory::cases(),
        progress::cases(),
        work::cases(),
        rules::cases(),
        pools::cases(),
    ];
    all.into_iter().flatten().collect()
}
