//! What is measured, by name.

use std::{
    fmt, hint,
    time::{Duration, Instant},
};

use super::stack::{Lane, Mark, Reached, Stack};
use crate::bench::problem::Problem;

/// Calls that are timed together, where one takes hardly longer than a look at the clock.
pub(super) const TOGETHER: u32 = 1_024;
/// Kernels in front of an event that is to be pending.
const IN_FRONT: u32 = 16;
/// How long the host looks away, so that work ends unseen.
const AWAY: Duration = Duration::from_micros(200);

/// One row of the tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Row {
    Record,
    Synchronize,
    SynchronizeBlocking,
    QueryPending,
    QueryFirst,
    QueryFinished,
    QueryStream,
    Elapsed,
    KernelSynchronize,
    SynchronizeFinished,
    SynchronizeDevice,
    Wait,
    HandOver,
    Loop,
}

impl Row {
    /// All, in the order of the tables.
    pub(super) const ALL: [Self; 14] = [
        Self::Record,
        Self::Synchronize,
        Self::SynchronizeBlocking,
        Self::QueryPending,
        Self::QueryFirst,
        Self::QueryFinished,
        Self::QueryStream,
        Self::Elapsed,
        Self::KernelSynchronize,
        Self::SynchronizeFinished,
        Self::SynchronizeDevice,
        Self::Wait,
        Self::HandOver,
        Self::Loop,
    ];
    /// What programs call it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Record => "event_record",
            Self::Synchronize => "event_synchronize",
            Self::SynchronizeBlocking => "event_synchronize_blocking",
            Self::QueryPending => "event_query_pending",
            Self::QueryFirst => "event_query_first_finished",
            Self::QueryFinished => "event_query_finished",
            Self::QueryStream => "stream_query_finished",
            Self::Elapsed => "event_elapsed_time",
            Self::KernelSynchronize => "kernel_stream_synchronize",
            Self::SynchronizeFinished => "stream_synchronize_finished",
            Self::SynchronizeDevice => "device_synchronize",
            Self::Wait => "stream_wait_event",
            Self::HandOver => "cross_stream_wait",
            Self::Loop => "record_kernel_record_synchronize",
        }
    }
    /// What the tables call it.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Record => "event record",
            Self::Synchronize => "event synchronize, default\n (kernel, record, sync)",
            Self::SynchronizeBlocking => "event synchronize, blocking\n (kernel, record, sync)",
            Self::QueryPending => "event query, pending",
            Self::QueryFirst => "event query, finished,\n the first one",
            Self::QueryFinished => "event query, finished,\n each later one",
            Self::QueryStream => "stream query, finished work",
            Self::Elapsed => "elapsed time",
            Self::KernelSynchronize => "empty kernel,\n stream synchronize",
            Self::SynchronizeFinished => "stream synchronize,\n finished work",
            Self::SynchronizeDevice => "empty kernel,\n device synchronize",
            Self::Wait => "stream wait event, the call",
            Self::HandOver => "cross-stream wait: kernel, record,\n wait, kernel, sync",
            Self::Loop => "record, kernel, record,\n event synchronize",
        }
    }

    /// How many calls one time is of: what is shorter than a look at the clock is timed many times over.
    pub(super) const fn calls(self) -> u32 {
        match self {
            Self::QueryFinished | Self::QueryStream | Self::SynchronizeFinished => TOGETHER,
            _ => 1,
        }
    }

    /// Does it once, and says how long its [`calls`](Self::calls) took; `None` if it could not be told this time, or never.
    pub(super) fn sample<S: Stack>(self, on: &mut S) -> Result<Option<Duration>, Problem> {
        const ONE: Lane = Lane::One;
        let time = match self {
            Self::Record => {
                let time = timed(|| on.record(Mark::Last, ONE))?;
                on.synchronize_stream(ONE)?;
                time
            }
            Self::Synchronize => timed(|| finish(on, Mark::Last))?,
            Self::SynchronizeBlocking => timed(|| finish(on, Mark::Blocking))?,
            Self::QueryPending => {
                for _ in 0..IN_FRONT {
                    on.kernel(ONE)?;
                }
                on.record(Mark::Last, ONE)?;
                let begun = Instant::now();
                let reached = on.query(Mark::Last)?;
                let time = begun.elapsed();
                on.synchronize_event(Mark::Last)?;
                if reached == Reached::Yes {
                    return Ok(None);
                }
                time
            }
            Self::QueryFirst => {
                on.kernel(ONE)?;
                on.record(Mark::Last, ONE)?;
                look_away();
                let begun = Instant::now();
                let reached = on.query(Mark::Last)?;
                let time = begun.elapsed();
                on.synchronize_event(Mark::Last)?;
                if reached == Reached::No {
                    return Ok(None);
                }
                time
            }
            Self::QueryFinished => {
                finish(on, Mark::Last)?;
                each(self.calls(), || on.query(Mark::Last).map(drop))?
            }
            Self::QueryStream => {
                on.kernel(ONE)?;
                on.synchronize_stream(ONE)?;
                if on.query_stream(ONE)? != Some(Reached::Yes) {
                    return Ok(None);
                }
                each(self.calls(), || on.query_stream(ONE).map(drop))?
            }
            Self::Elapsed => {
                on.record(Mark::First, ONE)?;
                on.kernel(ONE)?;
                on.record(Mark::Last, ONE)?;
                on.synchronize_event(Mark::Last)?;
                let begun = Instant::now();
                let elapsed = on.elapsed()?;
                let time = begun.elapsed();
                if elapsed.is_none() {
                    return Ok(None);
                }
                time
            }
            Self::KernelSynchronize => timed(|| {
                on.kernel(ONE)?;
                on.synchronize_stream(ONE)
            })?,
            Self::SynchronizeFinished => {
                on.kernel(ONE)?;
                on.synchronize_stream(ONE)?;
                each(self.calls(), || on.synchronize_stream(ONE))?
            }
            Self::SynchronizeDevice => timed(|| {
                on.kernel(ONE)?;
                on.synchronize_device()
            })?,
            Self::Wait => {
                on.kernel(ONE)?;
                on.record(Mark::Last, ONE)?;
                let time = timed(|| on.wait(Lane::Two, Mark::Last))?;
                on.synchronize_stream(ONE)?;
                on.synchronize_stream(Lane::Two)?;
                time
            }
            Self::HandOver => {
                let time = timed(|| {
                    on.kernel(ONE)?;
                    on.record(Mark::Last, ONE)?;
                    on.wait(Lane::Two, Mark::Last)?;
                    on.kernel(Lane::Two)?;
                    on.synchronize_stream(Lane::Two)
                })?;
                on.synchronize_stream(ONE)?;
                time
            }
            Self::Loop => timed(|| {
                on.record(Mark::First, ONE)?;
                finish(on, Mark::Last)
            })?,
        };
        Ok(Some(time))
    }
}

/// A kernel, an event behind it, and its end.
fn finish<S: Stack>(on: &mut S, event: Mark) -> Result<(), Problem> {
    on.kernel(Lane::One)?;
    on.record(event, Lane::One)?;
    on.synchronize_event(event)
}
fn timed(call: impl FnOnce() -> Result<(), Problem>) -> Result<Duration, Problem> {
    let begun = Instant::now();
    call()?;
    Ok(begun.elapsed())
}
fn each(calls: u32, mut call: impl FnMut() -> Result<(), Problem>) -> Result<Duration, Problem> {
    timed(|| (0..calls).try_for_each(|_| call()))
}
fn look_away() {
    let begun = Instant::now();
    while begun.elapsed() < AWAY {
        hint::spin_loop();
    }
}
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
