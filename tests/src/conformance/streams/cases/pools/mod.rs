//! Whole pools on the backend: what tasks compute, and what becomes of streams and memory.

mod captures;
mod external;
mod graphs;
mod histories;
mod history;
mod memory;
mod order;
mod recorded;
mod recycling;
mod threads;

use ringfence::{
    backend::streams::{CaptureMode, CaptureStatus, StreamDriver, StreamState},
    drive::{ShutDown, StreamPool},
    error::StreamError,
    id::RawStream,
    stream::{Access, Lease, PoolOptions, Stamp, Touch},
};

use super::{
    super::{
        super::{
            Checked, Stop,
            check::{check, same},
        },
        Spot, StreamSubject,
        stage::PATIENCE,
        watched::Watched,
    },
    StreamCase,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    let all = [
        recycling::cases(),
        order::cases(),
        memory::cases(),
        captures::cases(),
        graphs::cases(),
        external::cases(),
        threads::cases(),
        histories::cases(),
    ];
    all.into_iter().flatten().collect()
}

type Pool<'a, S> = StreamPool<Watched<'a, <S as StreamSubject>::Backend>>;

/// A pool did what it was asked, or the test fails in words.
fn did<T>(what: &str, result: Result<T, StreamError>) -> Checked<T> {
    result.map_err(|error| Stop::Failed(format!("{what}: {error}")))
}

/// A pool on a watched driver.
struct Tasks<'a, S: StreamSubject> {
    on: &'a S,
    pool: Pool<'a, S>,
}
impl<'a, S: StreamSubject> Tasks<'a, S> {
    fn new(on: &'a S) -> Self {
        Self { on, pool: StreamPool::new(Watched::new(on.backend()), PoolOptions::default()) }
    }
    fn watched(&self) -> &Watched<'a, S::Backend> {
        self.pool.driver()
    }
    fn lease(&self) -> Checked<Lease> {
        did("acquire", self.pool.acquire(self.on.key()))
    }
    fn set(&self, lease: &mut Lease, to: S::Cell, value: u32) -> Checked<Touch> {
        did("submit", self.pool.submit(lease, self.on.set(Spot::Cell(to), value)))
    }
    fn copy(&self, lease: &mut Lease, from: S::Cell, to: S::Cell) -> Checked<Touch> {
        did("submit", self.pool.submit(lease, self.on.copy(Spot::Cell(from), Spot::Cell(to))))
    }
    /// Puts work on the stream that is not finished before the gate is open.
    fn hold(&self, lease: &mut Lease) -> Checked<Held<'a, S>> {
        let held = Held { on: self.on, gate: self.on.gate() };
        did("submit", self.pool.submit(lease, self.on.hold(&held.gate)))?;
        Ok(held)
    }
    /// Waits on the host for one touch.
    fn finishes(&self, touch: Touch) -> Checked {
        did("a host wait", self.pool.synchronize(&stamp(touch), Access::Write, PATIENCE))
    }
    fn brings(&self, what: &str, touch: Touch, cell: S::Cell, value: u32) -> Checked {
        self.finishes(touch)?;
        same(what, self.on.read(cell), value)
    }
    /// Pumps until a condition holds, or the test fails.
    fn until(&self, what: &str, mut condition: impl FnMut() -> bool) -> Checked {
        let held = self.on.settle(PATIENCE, || {
            self.pool.pump();
            condition()
        });
        check!(held, "{what} did not happen in time: {:?}", self.pool.tally());
        Ok(())
    }
    /// A stream that captures has no work that would end.
    fn is_idle(&self, raw: RawStream) -> bool {
        let driver = self.on.backend();
        if driver.capture_status(raw) != CaptureStatus::None {
            return true;
        }
        let before = driver.exchange_capture_mode(CaptureMode::Relaxed);
        let state = driver.query(raw);
        let _relaxed = driver.exchange_capture_mode(before);
        state != StreamState::Pending
    }
    /// Every lease is dropped: what was submitted ends, and everything is given back exactly once.
    fn ends(self) -> Checked {
        let left = self.ends_but_for(0)?;
        same("what shutting down left", left, ShutDown::default())
    }
    /// The same, where so many streams are bound to be left: a capture or an error has them for ever.
    fn ends_but_for(self, stuck: usize) -> Checked<ShutDown> {
        self.until("the end of all work", || {
            let tally = self.pool.tally();
            tally.leased + tally.draining == 0 && tally.condemned as usize <= stuck
        })?;
        // The pool's own stream too: what is not idle is not destroyed.
        let live = self.watched().account().live;
        let idle = self.on.settle(PATIENCE, || live.iter().all(|&raw| self.is_idle(raw)));
        check!(idle, "a stream without work stays pending");
        let left = self.pool.shutdown();
        let account = self.watched().account();
        check!(account.faults.is_empty(), "{}", account.faults.join("; "));
        let twice = account.frees.iter().find(|(_, times)| **times > 1);
        check!(twice.is_none(), "memory was freed more than once: {twice:?}");
        let alive = account.live.len();
        check!(alive <= stuck, "{alive} of {} streams were not destroyed", account.created);
        for raw in account.live {
            let _gone = self.on.backend().destroy(raw);
        }
        Ok(left)
    }
}

/// A stamp of one touch.
fn stamp(touch: Touch) -> Stamp {
    let mut stamp = Stamp::default();
    stamp.add(touch, Access::Write);
    stamp
}

/// Held work, which goes on in the end, also when the test fails.
struct Held<'a, S: StreamSubject> {
    on: &'a S,
    gate: S::Gate,
}
impl<S: StreamSubject> Held<'_, S> {
    fn open(&self) {
        self.on.open(&self.gate);
    }
}
impl<S: StreamSubject> Drop for Held<'_, S> {
    fn drop(&mut self) {
        self.open();
    }
}
