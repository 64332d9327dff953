//! What an embedder submits.

use crate::{
    backend::{Body, Deps, Engine, Packet},
    id::{Barrier, CacheScope, LaneId, Parts, SignalHandle},
    placement::Role,
    ring::{PacketOrder, Timing, Use},
};

/// Whether a packet completes a signal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) enum Completion {
    /// It does: it is a use.
    #[default]
    Signal,
    /// It does not: only a later fence proves it.
    None,
}

/// One packet to publish.
///
/// ```
/// use ringfence::{drive::Submission, id::Barrier, placement::Role};
/// let launch = Submission::kernel("saxpy").barrier(Barrier::Clear).role(Role::Dispatch);
/// # let _ = launch;
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use = "nothing is published before it is given to a tracker"]
pub struct Submission<W> {
    pub(super) body: Body<W>,
    pub(super) barrier: Barrier,
    pub(super) acquire: CacheScope,
    pub(super) release: CacheScope,
    pub(super) role: Role,
    pub(super) timing: Timing,
    pub(super) completion: Completion,
}
impl<W> Submission<W> {
    /// A kernel, in order after everything before it (barrier bit), visible to its own agent.
    #[inline]
    pub fn kernel(work: W) -> Self {
        Self {
            body: Body::Kernel(work),
            barrier: Barrier::Set,
            acquire: CacheScope::Agent,
            release: CacheScope::Agent,
            role: Role::Dispatch,
            timing: Timing::Unwanted,
            completion: Completion::Signal,
        }
    }
    /// A marker: a BARRIER_AND without dependencies and with the barrier bit. Its completion proves
    /// everything before it, visible to the host.
    pub fn marker(role: Role) -> Self {
        Self {
            body: Body::And(Deps::NONE),
            barrier: Barrier::Set,
            acquire: CacheScope::None,
            release: CacheScope::System,
            role,
            timing: Timing::Unwanted,
            completion: Completion::Signal,
        }
    }
    /// A packet that waits on the device, made by [`Tracker::await_uses`](super::Tracker::await_uses),
    /// which also pins what it waits for.
    pub(super) fn waiting(body: Body<W>, barrier: Barrier) -> Self {
        Self {
            body,
            barrier,
            acquire: CacheScope::None,
            release: CacheScope::None,
            role: Role::Dispatch,
            timing: Timing::Unwanted,
            completion: Completion::None,
        }
    }
    /// With this barrier bit.
    pub fn barrier(self, barrier: Barrier) -> Self {
        Self { barrier, ..self }
    }
    /// Invalidating caches to this scope first.
    pub fn acquire(self, acquire: CacheScope) -> Self {
        Self { acquire, ..self }
    }
    /// Writing caches back to this scope at the end.
    pub fn release(self, release: CacheScope) -> Self {
        Self { release, ..self }
    }
    /// Writing caches back to this scope at least.
    pub(crate) fn releasing_at_least(self, least: CacheScope) -> Self {
        let release = self.release.max(least);
        Self { release, ..self }
    }
    /// With a signal for this purpose.
    pub fn role(self, role: Role) -> Self {
        Self { role, ..self }
    }
    /// With its timing taken, for whoever holds the record.
    pub fn timed(self) -> Self {
        Self { timing: Timing::Wanted, ..self }
    }
    /// Without a completion signal of its own.
    ///
    /// ```
    /// # use ringfence::{backend::*, drive::*, error::Error, placement::Role};
    /// # fn burst<D: Device, Q: PacketQueue<Work = &'static str>>(on: &mut Tracker<D, Q>) -> Result<(), Error> {
    /// for _ in 0..100 {
    ///     on.submit(Submission::kernel("step").unsignaled())?; // no signal is armed for it
    /// }
    /// let all = on.submit(Submission::marker(Role::Dispatch))?; // proves the hundred
    /// # let _ = all;
    /// # Ok(())
    /// # }
    /// ```
    pub fn unsignaled(self) -> Self {
        Self { completion: Completion::None, ..self }
    }
    #[inline(always)]
    pub(super) fn order(&self) -> PacketOrder {
        match self.body {
            Body::And(_) | Body::Or(_) => PacketOrder::HoldsBackLater,
            Body::Kernel(_) | Body::Value(_) => PacketOrder::Free,
        }
    }
    #[inline(always)]
    pub(super) fn as_use(&self, lane: LaneId) -> Use {
        Use {
            lane,
            engine: Engine::Compute,
            barrier: self.barrier,
            order: self.order(),
            timing: self.timing,
            parts: Parts::ONE,
        }
    }
    #[inline(always)]
    pub(super) fn packet(self, completes: SignalHandle) -> Packet<W> {
        Packet {
            body: self.body,
            barrier: self.barrier,
            acquire: self.acquire,
            release: self.release,
            completes,
        }
    }
}
