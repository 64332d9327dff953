//! Graphs: what a capture ends in, and what they keep alive.

use super::{Shared, StreamPool, kept::Kept, submit::Launching};
use crate::{
    backend::streams::StreamBackend,
    error::StreamError,
    id::{DeviceContext, RawGraph, StreamRef},
    observe,
    stream::{Access, Allocation, Lease, MemoryName, Resets, Stamp, Touch},
    sync::Arc,
};

/// A graph that can be launched. While it exists, the memory that it pins is not freed.
///
/// Dropping it calls no driver: the pool destroys it once its last launch is finished.
///
/// ```
/// use ringfence::{backend::streams::StreamBackend, drive::*, error::StreamError, stream::*};
///
/// fn replay<B: StreamBackend>(
///     pool: &StreamPool<B>, [lease, other]: &mut [Lease; 2], mut graph: Graph, weights: Allocation,
/// ) -> Result<Freed, StreamError> {
///     graph.pin(&weights)?; // its kernels read them
///     for _ in 0..10 {
///         pool.launch(lease, &mut graph)?;
///     }
///     let _how = pool.order_after(other, graph.launches(), Access::Write)?; // after all ten
///     Ok(pool.retire(weights, Stamp::default())) // deferred, until the graph is dropped and finished
/// }
/// ```
pub struct Graph<A = ()> {
    raw: RawGraph,
    home: Home,
    pins: Vec<MemoryName>,
    launches: Stamp,
    shared: Arc<Shared<A>>,
}
/// Where a graph lives, and since which reset of that device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Home {
    pub(super) place: DeviceContext,
    pub(super) born: Resets,
}
/// A graph that its owner let go of.
#[derive(Debug)]
pub(super) struct Dead {
    /// `None`: its capture failed, and only its pins are left.
    raw: Option<RawGraph>,
    home: Home,
    pins: Vec<MemoryName>,
    launches: Stamp,
}
impl Dead {
    /// What is left of a capture that nobody gets.
    pub(super) fn unused(raw: Option<RawGraph>, home: Home, pins: Vec<MemoryName>) -> Self {
        Self { raw, home, pins, launches: Stamp::default() }
    }
}
impl<A> Graph<A> {
    pub(super) fn new(
        raw: RawGraph,
        home: Home,
        pins: Vec<MemoryName>,
        shared: Arc<Shared<A>>,
    ) -> Self {
        Self { raw, home, pins, launches: Stamp::default(), shared }
    }
    /// Keeps memory alive for as long as the graph exists. Work that was captured outside the pool may use
    /// memory that only its author knows.
    ///
    /// # Errors
    /// [`StreamError::MemoryOfOtherPool`]: that pool would free it all the same.
    pub fn pin(&mut self, memory: &Allocation) -> Result<(), StreamError> {
        if memory.pool() != self.shared.id {
            return Err(StreamError::MemoryOfOtherPool { memory: memory.raw() });
        }
        self.shared.memory.lock().pin(memory.name());
        self.pins.push(memory.name());
        Ok(())
    }
    /// What to remember of every launch so far: it counts as a use of everything that the graph pins.
    pub fn launches(&self) -> &Stamp {
        &self.launches
    }
}
impl<A> Drop for Graph<A> {
    fn drop(&mut self) {
        let dead = Dead {
            raw: Some(self.raw),
            home: self.home,
            pins: std::mem::take(&mut self.pins),
            launches: std::mem::take(&mut self.launches),
        };
        self.shared.graveyard.lock().push(dead);
    }
}
impl<A> std::fmt::Debug for Graph<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Graph")
            .field("raw", &self.raw)
            .field("pins", &self.pins)
            .finish_non_exhaustive()
    }
}

/// A launch in progress of a graph, which what may run of it uses also where that panics.
struct Launched<'s, A>(Launching<'s, A>, StreamRef, &'s mut Stamp);
impl<A> Drop for Launched<'_, A> {
    fn drop(&mut self) {
        let position = self.0.0.lock().count();
        self.2.add(Touch::new(self.1, position), Access::Read);
    }
}

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// Launches a graph on the lease's stream, as one piece of work (T13: it has a position only now).
    ///
    /// # Errors
    /// What the driver says; [`StreamError::Capturing`] when the stream captures; [`StreamError::Reset`] when the
    /// graph's device was reset; [`StreamError::Stale`] when the stream was closed meanwhile.
    pub fn launch(&self, lease: &mut Lease<A>, graph: &mut Graph<A>) -> Result<Touch, StreamError> {
        drop(self.open(lease)?);
        if graph.shared.id != self.shared.id {
            return Err(StreamError::OtherPool { stream: lease.stream() });
        }
        if self.is_gone(graph.home) {
            return Err(StreamError::Reset { place: graph.home.place });
        }
        let launching = Launched(Launching(lease.slot()), lease.stream(), &mut graph.launches);
        let launched = self.driver.launch_graph(graph.raw, lease.slot().raw());
        std::mem::forget(launching); // it did not panic
        let (touch, current) = self.count_launch(lease);
        // Also after an error: what was submitted of it may run.
        graph.launches.add(touch, Access::Read);
        launched.map_err(|cause| self.launch_refused(lease, cause))?;
        current?;
        observe::launched(lease.stream(), touch.position());
        Ok(touch)
    }
    pub(super) fn home(&self, place: DeviceContext) -> Home {
        Home { place, born: self.resets(place) }
    }
    fn is_gone(&self, home: Home) -> bool {
        self.resets(home.place) != home.born
    }
    /// Destroys graphs that nobody has and no launch uses, and frees what they alone kept.
    pub(super) fn bury_graphs(&self) -> Buried {
        let dead = std::mem::take(&mut *self.shared.graveyard.lock());
        let mut dead = Kept::of(&self.shared, dead, |shared, mut dead| {
            shared.graveyard.lock().append(&mut dead);
        });
        let mut buried = Buried::default();
        let mut at = 0;
        while let Some(one) = dead.get_mut().get_mut(at) {
            let running =
                one.launches.touches(Access::Write).any(|touch| !self.is_finished_or_ask(touch));
            if running || self.destroy_dead(one) == Destroyed::Refused {
                at += 1; // goes back, with its pins
                continue;
            }
            buried.graphs += 1;
            while let Some(memory) = one.pins.pop() {
                let free = self.shared.memory.lock().unpin(memory, &one.launches);
                if let Some(free) = free {
                    buried.freed += u32::from(self.dispose_again(free).has_happened());
                }
            }
            dead.get_mut().swap_remove(at);
        }
        buried
    }
    fn destroy_dead(&self, dead: &mut Dead) -> Destroyed {
        // Taken before the call: whether a driver that panics has destroyed it, nobody knows.
        let Some(raw) = dead.raw.take() else { return Destroyed::Yes };
        if !self.is_gone(dead.home) && self.driver.destroy_graph(raw).is_err() {
            dead.raw = Some(raw);
            return Destroyed::Refused;
        }
        Destroyed::Yes
    }
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Destroyed {
    Yes,
    Refused,
}

/// What became of graphs that nobody has.
#[derive(Clone, Copy, Default)]
pub(super) struct Buried {
    /// So many were destroyed.
    pub(super) graphs: u32,
    /// So many frees, which they alone put off, have happened.
    pub(super) freed: u32,
}
