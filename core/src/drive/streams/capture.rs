//! Captures: a closure, so that a capture never crosses an await and always ends on its own thread.

use super::{Graph, StreamPool, refused};
use crate::{
    backend::streams::{CaptureMode, CaptureStatus, StreamBackend, StreamWork},
    error::{Closed, DriverError, StreamError},
    id::{RawEvent, RawGraph, RawMemory, StreamRef},
    observe,
    stream::{Allocation, Captures, Lease, Slot, Standing},
    sync::{Arc, Mutex, ThreadName},
};

/// What a capture brought: the graph, and what the closure returned.
///
/// ```
/// # use ringfence::{backend::streams::*, drive::*, error::StreamError, stream::*};
/// # fn step<B: StreamBackend + StreamWork<Work = &'static str>>(pool: &StreamPool<B>, lease: &mut Lease, weights: &Allocation) -> Result<Graph, StreamError> {
/// let record = |scope: &mut CaptureScope<'_, B>| {
///     scope.pin(weights); // not freed while the graph exists
///     scope.submit("forward")?;
///     scope.submit("backward")
/// };
/// let Captured { mut graph, .. } = pool.capture(lease, CaptureMode::ThreadLocal, record)?;
/// pool.launch(lease, &mut graph)?; // what was recorded runs only now
/// # Ok(graph)
/// # }
/// ```
#[derive(Debug)]
pub struct Captured<R, A = ()> {
    /// Can be launched as often as one likes.
    pub graph: Graph<A>,
    /// What the closure returned.
    pub value: R,
}

/// Inside a capture: work that is submitted here is recorded, and does not run.
///
/// It cannot leave the closure, nor its thread. Work of other tasks comes in by
/// [`participant`](Self::participant).
///
/// ```
/// # use ringfence::{backend::streams::*, drive::*, error::StreamError, stream::Lease};
/// # fn fork<B: StreamBackend + StreamWork<Work = &'static str>>(pool: &StreamPool<B>, lease: &mut Lease, other: &mut Lease) -> Result<Graph, StreamError> {
/// let captured = pool.capture(lease, CaptureMode::ThreadLocal, |scope| {
///     scope.fork(other)?; // it follows the capture's stream, and records with it
///     scope.submit("left half")?;
///     scope.submit_on(other, "right half")?;
///     scope.participant().submit(pool, "of a child")?; // it may go to another thread
///     scope.join(other) // before the closure ends
/// })?;
/// # Ok(captured.graph)
/// # }
/// ```
#[derive(Debug)]
pub struct CaptureScope<'a, B, A = ()> {
    pool: &'a StreamPool<B, A>,
    slot: Arc<Slot<A>>,
    stream: StreamRef,
    door: Arc<Door>,
    pins: Vec<RawMemory>,
    forks: Vec<Arc<Slot<A>>>,
    /// A capture belongs to the thread that began it.
    _not_send: std::marker::PhantomData<*const ()>,
}

/// Whether participants may still come in, and how many have not left. Its lock makes the work of all of
/// them one order.
#[derive(Debug)]
struct Door(Mutex<Inside>);
#[derive(Debug)]
struct Inside {
    open: Entry,
    participants: u32,
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Entry {
    Open,
    Closed,
}

/// A child task's part in somebody's capture ([`CaptureScope::participant`]). It may go to another thread, and must be
/// gone before the scope ends.
#[derive(Debug)]
pub struct Participant<A = ()> {
    slot: Arc<Slot<A>>,
    stream: StreamRef,
    door: Arc<Door>,
}
impl<A> Participant<A> {
    /// Records work of this task in the capture.
    ///
    /// # Errors
    /// [`StreamError::Stale`] after the scope ended; what the driver says of the work.
    pub fn submit<B: StreamBackend + StreamWork>(
        &self,
        pool: &StreamPool<B, A>,
        work: B::Work,
    ) -> Result<(), StreamError> {
        pool.usable()?;
        pool.ours(self.stream)?;
        let inside = self.door.0.lock();
        if inside.open == Entry::Closed {
            return Err(StreamError::Stale { stream: self.stream });
        }
        let launched = pool.driver.launch(self.slot.raw(), work);
        launched.map_err(|cause| refused(self.stream, cause))
    }
}
impl<A> Drop for Participant<A> {
    fn drop(&mut self) {
        self.door.0.lock().participants -= 1;
    }
}

impl<B: StreamBackend, A> CaptureScope<'_, B, A> {
    /// Records work.
    ///
    /// # Errors
    /// What the driver says of it.
    pub fn submit(&mut self, work: B::Work) -> Result<(), StreamError>
    where
        B: StreamWork,
    {
        let _order = self.door.0.lock();
        let launched = self.pool.driver.launch(self.slot.raw(), work);
        if planted!(MarkWhileCapturing) {
            let _position = self.pool.count(&self.slot, &mut self.slot.lock());
        }
        launched.map_err(|cause| refused(self.stream, cause))
    }
    /// Keeps memory alive for as long as the graph exists.
    ///
    /// # Panics
    /// When the memory came from another pool, which would free it all the same.
    pub fn pin(&mut self, memory: &Allocation) {
        assert_eq!(memory.pool(), self.pool.shared.id, "memory of another pool");
        self.pool.shared.memory.lock().pin(memory.raw());
        self.pins.push(memory.raw());
    }
    /// Lets a child task take part.
    pub fn participant(&self) -> Participant<A> {
        self.door.0.lock().participants += 1;
        Participant { slot: self.slot.clone(), stream: self.stream, door: self.door.clone() }
    }
    /// Lets another leased stream record into this capture, until [`join`](Self::join). A stream that joined a
    /// capture is asked about before anybody else gets it: HIP 5.2 leaves it capturing for ever.
    ///
    /// # Errors
    /// What the driver says.
    pub fn fork(&mut self, other: &mut Lease<A>) -> Result<(), StreamError> {
        let before = self.pool.cover_before_capture(other)?;
        match self.pool.open(other) {
            Ok(mut tenancy) => {
                tenancy.captures = Captures::Open;
                tenancy.before_capture = before;
            }
            Err(error) => {
                self.pool.give_back(other.slot(), before);
                return Err(error);
            }
        }
        self.forks.push(other.slot().clone());
        self.chain(self.stream, &self.slot, other.slot())
    }
    /// Records work on a forked stream.
    ///
    /// # Errors
    /// [`StreamError::Stale`] when the stream was not forked here; what the driver says.
    pub fn submit_on(&mut self, fork: &mut Lease<A>, work: B::Work) -> Result<(), StreamError>
    where
        B: StreamWork,
    {
        if !self.forks.iter().any(|slot| Arc::ptr_eq(slot, fork.slot())) {
            return Err(StreamError::Stale { stream: fork.stream() });
        }
        let launched = self.pool.driver.launch(fork.slot().raw(), work);
        launched.map_err(|cause| refused(fork.stream(), cause))
    }
    /// Makes the capture's stream follow the forked one. Every fork has to be joined before the scope ends.
    ///
    /// # Errors
    /// What the driver says.
    pub fn join(&mut self, fork: &mut Lease<A>) -> Result<(), StreamError> {
        self.chain(fork.stream(), fork.slot(), &self.slot)
    }
    /// Makes one captured stream follow another, with an event of the capture.
    fn chain(&self, of: StreamRef, from: &Slot<A>, to: &Slot<A>) -> Result<(), StreamError> {
        let place = from.key().place;
        let event = self.pool.event(place).map_err(|cause| refused(of, cause))?;
        let chained = {
            let _hold = from.lock();
            let recorded = self.pool.driver.record_event(event, from.raw());
            recorded.and_then(|()| self.pool.driver.stream_wait(to.raw(), event))
        };
        // An event that a capture recorded is never asked about: it goes.
        self.pool.driver.destroy_event(event);
        chained.map_err(|cause| refused(of, cause))
    }
}

/// Ends the capture, also when the closure unwinds: an abandoned one would be for ever (T10).
struct Ending<'a, B: StreamBackend, A> {
    scope: CaptureScope<'a, B, A>,
    ended: Option<Result<RawGraph, StreamError>>,
}
impl<B: StreamBackend, A> Ending<'_, B, A> {
    fn end(&mut self) -> Result<RawGraph, StreamError> {
        let (pool, stream) = (self.scope.pool, self.scope.stream);
        let left = {
            let mut inside = self.scope.door.0.lock();
            inside.open = Entry::Closed;
            inside.participants
        };
        let slot = &self.scope.slot;
        let home = pool.home(slot.key().place);
        let before = {
            let mut tenancy = slot.lock();
            // In a forked child, or after the pool's end, a capture cannot even be ended.
            let ended = pool.drivable().and_then(|()| {
                pool.driver.end_capture(slot.raw()).map_err(|cause| refused(stream, cause))
            });
            tenancy.captures = Captures::Over;
            let ended = match (ended, left) {
                (Ok(graph), 1..) => {
                    let dead = super::graph::Dead::unused(Some(graph), home, Vec::new());
                    pool.shared.graveyard.lock().push(dead);
                    Err(StreamError::Participants { stream, left })
                }
                (ended, _) => ended,
            };
            let before = tenancy.before_capture.take();
            if ended.is_err() {
                tenancy.close(Closed::Capture);
                tenancy.final_event = before;
                tenancy.left_by = left_by(&ended);
            }
            self.ended = Some(ended);
            if tenancy.standing == Standing::Open { before } else { None }
        };
        pool.give_back(slot, before);
        if matches!(self.ended, Some(Err(_))) {
            pool.shared.pool().remember_left(slot.clone()); // its event may be asked about
        }
        for fork in &self.scope.forks {
            let mut tenancy = fork.lock();
            tenancy.captures = Captures::Over;
            let before = tenancy.before_capture.take();
            // A stream that joined a capture of HIP 5.2 swallows all later work, also after a good end.
            let still = pool.drivable().is_err()
                || pool.driver.capture_status(fork.raw()) != CaptureStatus::None;
            if still || matches!(self.ended, Some(Err(_))) {
                tenancy.close(Closed::Capture);
                tenancy.final_event = before;
                tenancy.left_by = self.ended.as_ref().and_then(left_by);
            } else if let Some(event) = before {
                drop(tenancy);
                pool.event_back(fork.key().place, event);
            }
        }
        self.ended.unwrap_or(Err(StreamError::Capturing { stream }))
    }
}
/// Who may destroy what the capture left open: the thread that ended it, if it is over. After another refusal it may go on.
fn left_by(ended: &Result<RawGraph, StreamError>) -> Option<ThreadName> {
    let over = match ended {
        Ok(_) | Err(StreamError::Participants { .. }) => true,
        Err(StreamError::Driver { cause, .. }) => matches!(cause, DriverError::CaptureFailed(_)),
        Err(_) => false,
    };
    over.then(ThreadName::own)
}
impl<B: StreamBackend, A> Drop for Ending<'_, B, A> {
    fn drop(&mut self) {
        if self.ended.is_some() {
            return;
        }
        // The closure panicked: nobody gets the graph, and what it pins goes with it.
        let graph = self.end().ok();
        let pins = std::mem::take(&mut self.scope.pins);
        let home = self.scope.pool.home(self.scope.slot.key().place);
        let dead = super::graph::Dead::unused(graph, home, pins);
        self.scope.pool.shared.graveyard.lock().push(dead);
    }
}

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// Captures what the closure submits, and makes a graph of it.
    ///
    /// The capture is on the lease's own stream, which runs nothing meanwhile. [`CaptureMode::ThreadLocal`] is
    /// the mode that disturbs other threads least and is still checked. When the capture fails, or a
    /// participant is still there at its end, the stream is closed: the lease is of no further use.
    ///
    /// # Errors
    /// [`StreamError::Capturing`], [`StreamError::Participants`], what the driver says, and the closure's own
    /// error, after which the capture is ended and its graph is thrown away.
    pub fn capture<R>(
        &self,
        lease: &mut Lease<A>,
        mode: CaptureMode,
        record: impl FnOnce(&mut CaptureScope<'_, B, A>) -> Result<R, StreamError>,
    ) -> Result<Captured<R, A>, StreamError> {
        let stream = lease.stream();
        let before = self.cover_before_capture(lease)?;
        if let Err(error) = self.begin(lease, mode, before) {
            self.give_back(lease.slot(), before);
            return Err(error);
        }
        let door = Arc::new(Door(Mutex::new(Inside { open: Entry::Open, participants: 0 })));
        let scope = CaptureScope {
            pool: self,
            slot: lease.slot().clone(),
            stream,
            door,
            pins: Vec::new(),
            forks: Vec::new(),
            _not_send: std::marker::PhantomData,
        };
        let mut ending = Ending { scope, ended: None };
        let value = record(&mut ending.scope);
        let graph = ending.end();
        let pins = std::mem::take(&mut ending.scope.pins);
        drop(ending);
        // Even a failed one holds nobody up any more.
        self.retry_frees();
        // What earlier captures of this thread left capturing, no other thread may destroy.
        if self.shared.pool().counts().condemned_captures > 0 && self.usable().is_ok() {
            self.reap();
        }
        let graph = match graph {
            Ok(raw) => Graph::new(raw, self.home(lease.key().place), pins, self.shared.clone()),
            Err(error) => {
                self.unpin_all(pins);
                return Err(error);
            }
        };
        observe::captured(stream);
        Ok(Captured { graph, value: value? })
    }
    fn begin(
        &self,
        lease: &Lease<A>,
        mode: CaptureMode,
        before: Option<RawEvent>,
    ) -> Result<(), StreamError> {
        let mut tenancy = self.open(lease)?;
        let begun = self.driver.begin_capture(lease.slot().raw(), mode);
        begun.map_err(|cause| self.refused(lease, cause))?;
        tenancy.captures = Captures::Open;
        tenancy.before_capture = before;
        Ok(())
    }
    fn give_back(&self, slot: &Slot<A>, event: Option<RawEvent>) {
        if let Some(event) = event {
            self.event_back(slot.key().place, event);
        }
    }
    /// An event on the disposal stream that covers the work before a capture, so that others can wait for it
    /// meanwhile: events of a stream that captures cannot be waited for (905).
    fn cover_before_capture(&self, lease: &Lease<A>) -> Result<Option<RawEvent>, StreamError> {
        let slot = lease.slot();
        let place = slot.key().place;
        let disposal = self.await_disposal(place)?;
        let (event, covered) = {
            let mut tenancy = self.open(lease)?;
            if tenancy.word_counts() && self.prove_finished(slot, &mut tenancy).0.is_ok() {
                return Ok(None); // nothing unfinished to wait for
            }
            let event = self.event(place).map_err(|cause| self.refused(lease, cause))?;
            let recorded = self.driver.record_event(event, slot.raw());
            (event, recorded.and_then(|()| self.driver.stream_wait(disposal.raw(), event)))
        };
        let covered = covered.and_then(|()| {
            let mut tenancy = disposal.lock();
            let recorded = self.driver.record_event(event, disposal.raw());
            let _position = self.count(&disposal, &mut tenancy);
            recorded
        });
        if let Err(cause) = covered {
            self.event_back(place, event);
            return Err(self.refused(lease, cause));
        }
        Ok(Some(event))
    }
    fn unpin_all(&self, pins: Vec<RawMemory>) {
        for memory in pins {
            let free = self.shared.memory.lock().unpin(memory, &Default::default());
            if let Some(free) = free {
                let _freed = self.dispose(free);
            }
        }
    }
}
