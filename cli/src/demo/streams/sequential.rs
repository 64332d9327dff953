//! Tasks one after another, each with a little work.

use ringfence::{
    error::StreamError,
    id::Bytes,
    stream::{Access, Allocation, Stamp},
};
use ringfence_mock::{clock::Ticks, streams::op::StreamOp};

use super::{REPORT_EVERY, host::Host};

/// From the start of one task to the start of the next.
const INTERVAL: Ticks = Ticks::new(20);
/// Arrays that the tasks write in turn.
const ARRAYS: usize = 16;
const BYTES: Bytes = Bytes::new(4 << 20);
/// The pool is kept tidy after so many tasks.
const PUMP_EVERY: u32 = 64;

/// What a task leaves behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AtEnd {
    /// Nothing: its work is finished before the next task comes.
    Done,
    /// Work: the next tasks come while it runs.
    Queued,
}
impl AtEnd {
    /// How long a task's work runs.
    pub(super) const fn work(self) -> Ticks {
        match self {
            Self::Done => Ticks::new(5),
            Self::Queued => Ticks::new(60),
        }
    }
}

/// An array, and what used it.
struct Array {
    memory: Allocation,
    stamp: Stamp,
}

pub(super) fn play(
    host: &Host,
    tasks: u32,
    at_end: AtEnd,
    progress: &mut dyn FnMut(u64),
) -> Result<(), StreamError> {
    // The first task brings the arrays.
    let mut task = host.begin()?;
    let mut arrays = Vec::with_capacity(ARRAYS);
    for _ in 0..ARRAYS {
        let memory = host.allocate(&mut task, BYTES)?;
        let stamp = memory.stamp();
        arrays.push(Array { memory, stamp });
    }
    for number in 0..tasks {
        let at = number as usize % ARRAYS;
        let Array { memory, stamp } = &mut arrays[at];
        let _order = host.order_after(&mut task, stamp, Access::Write)?;
        let work = StreamOp::new("fill", at_end.work()).writes(memory.raw());
        stamp.replace(host.submit(&mut task, work)?);
        host.end(task);
        host.pass(INTERVAL);
        if number % PUMP_EVERY == PUMP_EVERY - 1 {
            host.pump();
        }
        if u64::from(number) % REPORT_EVERY == REPORT_EVERY - 1 {
            progress(REPORT_EVERY);
        }
        if number + 1 == tasks {
            break;
        }
        task = host.begin()?;
    }
    for Array { memory, stamp } in arrays {
        host.retire(memory, stamp);
    }
    Ok(())
}
