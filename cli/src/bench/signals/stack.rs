//! What a row asks of whoever is measured.

use std::time::Duration;

use ringfence::ledger::Counts;

use super::clock::Clock;
use crate::bench::problem::Problem;

/// One of two streams, each on a queue of its own as far as the runtime has them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lane {
    One,
    Two,
}

/// One of three events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mark {
    /// Before a kernel.
    First,
    /// Behind it.
    Last,
    /// Behind it, and waited for asleep.
    Blocking,
}

/// What a query says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reached {
    Yes,
    No,
}

/// Streams and events of a runtime, or of the library above one.
pub(super) trait Stack {
    /// Submits an empty kernel.
    fn kernel(&mut self, on: Lane) -> Result<(), Problem>;
    fn record(&mut self, event: Mark, on: Lane) -> Result<(), Problem>;
    fn query(&mut self, event: Mark) -> Result<Reached, Problem>;
    /// Whether all work of a stream is over; `None` where nobody can be asked.
    fn query_stream(&mut self, on: Lane) -> Result<Option<Reached>, Problem>;
    fn synchronize_event(&mut self, event: Mark) -> Result<(), Problem>;
    /// From the first event to the last; `None` where no times are kept.
    fn elapsed(&mut self) -> Result<Option<Duration>, Problem>;
    /// Later work of the stream waits for the event on the device.
    fn wait(&mut self, on: Lane, event: Mark) -> Result<(), Problem>;
    fn synchronize_stream(&mut self, on: Lane) -> Result<(), Problem>;
    fn synchronize_device(&mut self) -> Result<(), Problem>;
    /// What it counted so far, if it counts.
    fn counts(&self) -> Option<Counts>;
    /// Whose time its calls take.
    fn clock(&self) -> Clock {
        Clock::Machine
    }
}
