//! What is measured, by name.

use std::{fmt, time::Duration};

use super::{
    clock::Clock,
    stack::{Lane, Mark, Reached, Stack},
};
use crate::bench::problem::Problem;

/// Kernels in front of an event that is to be pending.
const IN_FRONT: u32 = 16;
/// How long the host looks away, so that work ends unseen.
const AWAY: Duration = Duration::from_micros(200);

/// How long one call took, or several that are timed together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sample {
    pub(super) time: Duration,
    /// Calls that the time is of: 1 or more.
    pub(super) calls: u32,
}
impl Sample {
    const fn one(time: Duration) -> Self {
        Self { time, calls: 1 }
    }
}

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

    /// Does it once, or as often as is timed together, and says how long that took; `None` if it could not be told this time, or never.
    pub(super) fn sample<S: Stack>(self, on: &mut S) -> Result<Option<Sample>, Problem> {
        const ONE: Lane = Lane::One;
        let clock = on.clock();
        let sample = match self {
            Self::Record => {
                let sample = timed(&clock, || on.record(Mark::Last, ONE))?;
                on.synchronize_stream(ONE)?;
                sample
            }
            Self::Synchronize => timed(&clock, || finish(on, Mark::Last))?,
            Self::SynchronizeBlocking => timed(&clock, || finish(on, Mark::Blocking))?,
            Self::QueryPending => {
                for _ in 0..IN_FRONT {
                    on.kernel(ONE)?;
                }
                on.record(Mark::Last, ONE)?;
                let begun = clock.now();
                let reached = on.query(Mark::Last)?;
                let time = clock.now() - begun;
                on.synchronize_event(Mark::Last)?;
                if reached == Reached::Yes {
                    return Ok(None);
                }
                Sample::one(time)
            }
            Self::QueryFirst => {
                on.kernel(ONE)?;
                on.record(Mark::Last, ONE)?;
                clock.look_away(AWAY);
                let begun = clock.now();
                let reached = on.query(Mark::Last)?;
                let time = clock.now() - begun;
                on.synchronize_event(Mark::Last)?;
                if reached == Reached::No {
                    return Ok(None);
                }
                Sample::one(time)
            }
            Self::QueryFinished => {
                finish(on, Mark::Last)?;
                each(&clock, || on.query(Mark::Last).map(drop))?
            }
            Self::QueryStream => {
                on.kernel(ONE)?;
                on.synchronize_stream(ONE)?;
                if on.query_stream(ONE)? != Some(Reached::Yes) {
                    return Ok(None);
                }
                each(&clock, || on.query_stream(ONE).map(drop))?
            }
            Self::Elapsed => {
                on.record(Mark::First, ONE)?;
                on.kernel(ONE)?;
                on.record(Mark::Last, ONE)?;
                on.synchronize_event(Mark::Last)?;
                let begun = clock.now();
                let elapsed = on.elapsed()?;
                let time = clock.now() - begun;
                if elapsed.is_none() {
                    return Ok(None);
                }
                Sample::one(time)
            }
            Self::KernelSynchronize => timed(&clock, || {
                on.kernel(ONE)?;
                on.synchronize_stream(ONE)
            })?,
            Self::SynchronizeFinished => {
                on.kernel(ONE)?;
                on.synchronize_stream(ONE)?;
                each(&clock, || on.synchronize_stream(ONE))?
            }
            Self::SynchronizeDevice => timed(&clock, || {
                on.kernel(ONE)?;
                on.synchronize_device()
            })?,
            Self::Wait => {
                on.kernel(ONE)?;
                on.record(Mark::Last, ONE)?;
                let sample = timed(&clock, || on.wait(Lane::Two, Mark::Last))?;
                on.synchronize_stream(ONE)?;
                on.synchronize_stream(Lane::Two)?;
                sample
            }
            Self::HandOver => {
                let sample = timed(&clock, || {
                    on.kernel(ONE)?;
                    on.record(Mark::Last, ONE)?;
                    on.wait(Lane::Two, Mark::Last)?;
                    on.kernel(Lane::Two)?;
                    on.synchronize_stream(Lane::Two)
                })?;
                on.synchronize_stream(ONE)?;
                sample
            }
            Self::Loop => timed(&clock, || {
                on.record(Mark::First, ONE)?;
                finish(on, Mark::Last)
            })?,
        };
        Ok(Some(sample))
    }
}

/// A kernel, an event behind it, and its end.
fn finish<S: Stack>(on: &mut S, event: Mark) -> Result<(), Problem> {
    on.kernel(Lane::One)?;
    on.record(event, Lane::One)?;
    on.synchronize_event(event)
}
fn timed(clock: &Clock, call: impl FnOnce() -> Result<(), Problem>) -> Result<Sample, Problem> {
    let begun = clock.now();
    call()?;
    Ok(Sample::one(clock.now() - begun))
}
/// All that are timed together.
fn each(clock: &Clock, mut call: impl FnMut() -> Result<(), Problem>) -> Result<Sample, Problem> {
    let calls = clock.together();
    let all = timed(clock, || (0..calls).try_for_each(|_| call()))?;
    Ok(Sample { calls, ..all })
}
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
