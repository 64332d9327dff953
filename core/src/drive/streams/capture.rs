//! Captures: a closure, so that a capture never crosses an await and always ends on its own thread.

use super::{
    Graph, StreamPool,
    ending::Ending,
    graph::Home,
    participant::{Door, Entry, Inside, Participant},
    refused,
};
use crate::{
    backend::streams::{CaptureMode, StreamBackend, StreamWork},
    error::StreamError,
    id::StreamRef,
    observe,
    stream::{Allocation, Captures, Cover, Lease, MemoryName, Slot, Standing},
    sync::{Arc, Mutex},
};

/// What a capture brought: the graph, and what the closure returned.
///
/// ```
/// # use ringfence::{backend::streams::*, drive::*, error::StreamError, stream::*};
/// # fn step<B: StreamBackend + StreamWork<Work = &'static str>>(pool: &StreamPool<B>, lease: &mut Lease, weights: &Allocation) -> Result<Graph, StreamError> {
/// let record = |scope: &mut CaptureScope<'_, B>| {
///     scope.pin(weights)?; // not freed while the graph exists
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
    pub(super) pool: &'a StreamPool<B, A>,
    pub(super) slot: Arc<Slot<A>>,
    pub(super) stream: StreamRef,
    /// Since before the capture began: a reset in between takes its graph along.
    pub(super) home: Home,
    pub(super) door: Arc<Door>,
    pub(super) pins: Vec<MemoryName>,
    pub(super) forks: Vec<Fork<A>>,
    /// A capture belongs to the thread that began it.
    _not_send: std::marker::PhantomData<*const ()>,
}

/// A stream that records in somebody's capture.
#[derive(Debug)]
pub(super) struct Fork<A> {
    pub(super) slot: Arc<Slot<A>>,
    pub(super) stream: StreamRef,
    pub(super) work: ForkedWork,
}
/// Whether the capture's stream follows all that the fork recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ForkedWork {
    Joined,
    Unjoined,
}

impl<B: StreamBackend, A> CaptureScope<'_, B, A> {
    /// Records work.
    ///
    /// # Errors
    /// What the driver says of it; [`StreamError::Stale`] when the stream was closed meanwhile: its device was reset, say.
    pub fn submit(&mut self, work: B::Work) -> Result<(), StreamError>
    where
        B: StreamWork,
    {
        self.pool.usable()?;
        let _order = self.door.0.lock();
        self.pool.records_still(&self.slot, self.stream)?;
        let launched = self.pool.driver.launch(self.slot.raw(), work);
        if planted!(MarkWhileCapturing) {
            let _position = self.pool.count(&self.slot, &mut self.slot.lock());
        }
        launched.map_err(|cause| refused(self.stream, cause))
    }
    /// Keeps memory alive for as long as the graph exists.
    ///
    /// # Errors
    /// [`StreamError::MemoryOfOtherPool`]: that pool would free it all the same.
    pub fn pin(&mut self, memory: &Allocation) -> Result<(), StreamError> {
        if memory.pool() != self.pool.shared.id {
            return Err(StreamError::MemoryOfOtherPool { memory: memory.raw() });
        }
        self.pool.shared.memory.lock().pin(memory.name());
        self.pins.push(memory.name());
        Ok(())
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
                self.pool.give_back(before);
                return Err(error);
            }
        }
        let chained = self.chain(self.stream, &self.slot, other.slot());
        if chained.is_err() {
            // It does not record here. Whether the driver made it capture all the same, it is asked before it is handed on.
            let before = {
                let mut tenancy = other.slot().lock();
                tenancy.captures = Captures::Over;
                tenancy.before_capture.take()
            };
            self.pool.give_back(before);
            return chained;
        }
        let (slot, stream) = (other.slot().clone(), other.stream());
        self.forks.push(Fork { slot, stream, work: ForkedWork::Unjoined });
        Ok(())
    }
    /// Records work on a forked stream.
    ///
    /// # Errors
    /// [`StreamError::Stale`] when the stream was not forked here, or was closed, [`StreamError::OtherPool`]; what the driver says.
    pub fn submit_on(&mut self, fork: &mut Lease<A>, work: B::Work) -> Result<(), StreamError>
    where
        B: StreamWork,
    {
        let forked = self.forked_here(fork)?;
        forked.work = ForkedWork::Unjoined; // also what was joined before
        self.pool.usable()?;
        self.pool.records_still(fork.slot(), fork.stream())?;
        let launched = self.pool.driver.launch(fork.slot().raw(), work);
        launched.map_err(|cause| refused(fork.stream(), cause))
    }
    /// Makes the capture's stream follow the forked one. Every fork has to be joined before the scope ends, after the last work
    /// on it: else the capture fails, with [`StreamError::Unjoined`].
    ///
    /// # Errors
    /// [`StreamError::Stale`] when the stream was not forked here, or was closed, [`StreamError::OtherPool`]; what the driver says.
    pub fn join(&mut self, fork: &mut Lease<A>) -> Result<(), StreamError> {
        self.forked_here(fork)?;
        self.chain(fork.stream(), fork.slot(), &self.slot)?;
        self.forked_here(fork)?.work = ForkedWork::Joined;
        Ok(())
    }
    fn forked_here(&mut self, fork: &Lease<A>) -> Result<&mut Fork<A>, StreamError> {
        let stream = fork.stream();
        self.pool.ours(stream)?;
        let mut forks = self.forks.iter_mut();
        let found = forks.find(|one| Arc::ptr_eq(&one.slot, fork.slot()));
        found.ok_or(StreamError::Stale { stream })
    }
    /// Makes one captured stream follow another, with an event of the capture.
    fn chain(&self, of: StreamRef, from: &Slot<A>, to: &Slot<A>) -> Result<(), StreamError> {
        self.pool.usable()?;
        self.pool.records_still(&self.slot, self.stream)?;
        let place = from.key().place;
        let event = self.pool.event(place).map_err(|cause| refused(of, cause))?;
        let chained = {
            let hold = from.lock();
            let open = hold.standing == Standing::Open;
            let chain = || {
                self.pool.driver.record_event(event.raw, from.raw())?;
                self.pool.driver.stream_wait(to.raw(), event.raw)
            };
            open.then(chain)
        };
        // An event that a capture recorded is never asked about: it goes.
        self.pool.event_gone(event);
        let chained = chained.ok_or(StreamError::Stale { stream: of })?;
        chained.map_err(|cause| refused(of, cause))
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
    /// [`StreamError::Capturing`], and what the driver says of the begin. The closure's own error, whatever comes of the end: the
    /// capture is ended, and a graph is thrown away. Else [`StreamError::Participants`], [`StreamError::Unjoined`], and what
    /// the driver says of the end.
    pub fn capture<R>(
        &self,
        lease: &mut Lease<A>,
        mode: CaptureMode,
        record: impl FnOnce(&mut CaptureScope<'_, B, A>) -> Result<R, StreamError>,
    ) -> Result<Captured<R, A>, StreamError> {
        let (stream, home) = (lease.stream(), self.home(lease.key().place));
        let before = self.cover_before_capture(lease)?;
        if let Err(error) = self.begin(lease, mode, before) {
            self.give_back(before);
            return Err(error);
        }
        let door = Arc::new(Door(Mutex::new(Inside { open: Entry::Open, participants: 0 })));
        let scope = CaptureScope {
            pool: self,
            slot: lease.slot().clone(),
            stream,
            home,
            door,
            pins: Vec::new(),
            forks: Vec::new(),
            _not_send: std::marker::PhantomData,
        };
        let mut ending = Ending::of(scope);
        let value = record(&mut ending.scope);
        let graph = ending.end();
        let pins = std::mem::take(&mut ending.scope.pins);
        drop(ending);
        // Before anybody's code may panic: whoever drops the graph drops its pins.
        let graph = match graph {
            Ok(raw) => Ok(Graph::new(raw, home, pins, self.shared.clone())),
            Err(error) => {
                self.unpin_all(pins);
                Err(error)
            }
        };
        // Even a failed one holds nobody up any more.
        self.retry_frees();
        // What earlier captures of this thread left capturing, no other thread may destroy.
        if self.shared.pool().counts().condemned_captures > 0 && self.usable().is_ok() {
            self.reap();
        }
        let graph = match graph {
            Ok(graph) => graph,
            // An end often fails for what the closure met first.
            Err(error) => return Err(value.err().unwrap_or(error)),
        };
        observe::captured(stream);
        Ok(Captured { graph, value: value? })
    }
    fn begin(
        &self,
        lease: &Lease<A>,
        mode: CaptureMode,
        before: Option<Cover>,
    ) -> Result<(), StreamError> {
        let mut tenancy = self.open(lease)?;
        let begun = self.driver.begin_capture(lease.slot().raw(), mode);
        tenancy.note_refusal(begun);
        begun.map_err(|cause| self.refused(lease, cause))?;
        tenancy.captures = Captures::Open;
        tenancy.before_capture = before;
        Ok(())
    }
    /// Whether a stream that a capture is on still is open.
    pub(super) fn records_still(
        &self,
        slot: &Slot<A>,
        stream: StreamRef,
    ) -> Result<(), StreamError> {
        match slot.lock().standing {
            Standing::Open => Ok(()),
            Standing::Closed(_) => Err(StreamError::Stale { stream }),
        }
    }
    pub(super) fn give_back(&self, cover: Option<Cover>) {
        if let Some(cover) = cover {
            self.event_back(cover.event);
        }
    }
    /// An event of a stream of ours that covers the work before a capture, so that others can wait for it
    /// meanwhile: events of a stream that captures cannot be waited for (905).
    fn cover_before_capture(&self, lease: &Lease<A>) -> Result<Option<Cover>, StreamError> {
        let slot = lease.slot();
        let place = slot.key().place;
        {
            let mut tenancy = self.open(lease)?;
            if tenancy.word_counts() && self.prove_finished(slot, &mut tenancy).0.is_ok() {
                return Ok(None); // nothing unfinished to wait for
            }
        }
        let ours = self.waiting_stream(place)?;
        let (position, followed) = {
            let mut tenancy = self.open(lease)?;
            let position = tenancy.so_far();
            (position, self.record_and_wait(slot, &mut Some(tenancy), &ours))
        };
        followed.map_err(|refusal| self.not_followed(lease.stream(), &ours, refusal))?;
        let event = self.event(place).map_err(|cause| self.refused(lease, cause))?;
        let recorded = {
            let mut tenancy = ours.lock();
            let recorded = self.driver.record_event(event.raw, ours.raw());
            let _position = self.count(&ours, &mut tenancy);
            recorded
        };
        if let Err(cause) = recorded {
            self.event_back(event);
            return Err(self.refused(lease, cause));
        }
        Ok(Some(Cover { event, on: ours.id(), position }))
    }
    fn unpin_all(&self, pins: Vec<MemoryName>) {
        for memory in pins {
            let free = self.shared.memory.lock().unpin(memory, &Default::default());
            if let Some(free) = free {
                let _freed = self.dispose_again(free);
            }
        }
    }
}
