//! Making room for a use: look, grow, and only then wait.

use super::{
    reclaim::Reclaim,
    tracker::{Interrupts, Tracker},
    waiting::wait_until_done,
};
use crate::{
    backend::{Device, PacketQueue, SignalMemory, WaitOutcome},
    error::{CreateError, Error, WaitedFor},
    id::SignalValue,
    placement::Role,
    ring::{Probe, Shortage, Wants},
};

/// The search for signals of one pool, as a value that stops before each shared access and each wait.
/// No index is reserved while it runs (S11).
///
/// ```
/// use ringfence::{backend::*, drive::*, error::Error};
/// /// Makes room for 32 signals in host memory, before a burst of uses.
/// fn make_room<D: Device, Q: PacketQueue>(tracker: &mut Tracker<D, Q>) -> Result<(), Error> {
///     let mut room = Room::Look(Reclaim::Look);
///     while !matches!(room, Room::Made) {
///         room = room.step(tracker, SignalMemory::Host, 32)?; // only `Room::Wait` waits
///     }
///     Ok(())
/// }
/// ```
#[derive(Debug)]
#[must_use = "there is room only at `Made`"]
pub enum Room {
    /// Look for finished uses.
    Look(Reclaim),
    /// Use what others saw finished.
    Observe,
    /// Flush, create, or choose what to wait for.
    Decide,
    /// Wait on the host for this use. No lock is held (S13).
    Wait(Probe),
    /// There is room.
    Made,
}

impl Room {
    /// Takes one step towards `wanted` signals of `pool`. A polling tracker makes room for each use when it is submitted, and has
    /// none to make here.
    ///
    /// # Errors
    /// No signal can be had (S14), a signal fell below 0, a wait ran into its limit, or the device was
    /// lost.
    pub fn step<D: Device, Q: PacketQueue>(
        self,
        tracker: &mut Tracker<D, Q>,
        pool: SignalMemory,
        wanted: usize,
    ) -> Result<Self, Error> {
        if tracker.polling.is_some() {
            return Ok(Room::Made);
        }
        match self {
            // A fence is no way to make room: it takes a signal itself.
            Room::Look(Reclaim::Observe | Reclaim::Fence | Reclaim::Done) => Ok(Room::Observe),
            Room::Look(search) => search.step(tracker).map(Room::Look),
            Room::Observe => {
                if tracker.ring.usable(pool) < wanted {
                    tracker.retire_observed()?;
                }
                Ok(Room::Decide)
            }
            Room::Decide => tracker.decide(pool, wanted),
            Room::Wait(probe) => {
                tracker.wait_for_room(probe)?;
                Ok(Room::Look(Reclaim::Unpark))
            }
            Room::Made => Ok(Room::Made),
        }
    }
}

impl<D: Device, Q: PacketQueue> Tracker<D, Q> {
    /// Whether a use should look for room first. At most one look in a batch of uses: until then, a
    /// ring that runs out grows.
    #[inline]
    pub(super) fn is_short(&self, pool: SignalMemory) -> bool {
        let usable = self.ring.usable(pool);
        usable <= self.policy.ring.low_water()
            && (usable == 0 || self.since_look() >= u64::from(self.policy.ring.batch))
    }
    #[cold]
    #[inline(never)]
    pub(super) fn make_room(&mut self, pool: SignalMemory, wanted: usize) -> Result<(), Error> {
        let may_load = self.since_look() >= u64::from(self.policy.ring.batch);
        if may_load {
            self.look()?;
        } else {
            self.look_at(None)?;
        }
        if self.ring.usable(pool) >= wanted {
            return Ok(());
        }
        let mut room = Room::Observe;
        while !matches!(room, Room::Made) {
            room = room.step(self, pool, wanted)?;
        }
        Ok(())
    }
    fn decide(&mut self, pool: SignalMemory, wanted: usize) -> Result<Room, Error> {
        let usable = self.ring.usable(pool);
        if usable >= wanted {
            return Ok(Room::Made);
        }
        match self.ring.shortage(pool) {
            Shortage::Flush => {
                self.flush();
                Ok(Room::Decide)
            }
            Shortage::Grow { count, room, pool } => {
                let missing = u32::try_from(wanted - usable).unwrap_or(u32::MAX);
                match self.create(pool, count.max(missing).min(room)) {
                    Ok(()) => {
                        self.counts.grows += 1;
                        Ok(Room::Decide)
                    }
                    Err(error) => self.cannot_grow(pool, error),
                }
            }
            Shortage::WaitFor(probe) => Ok(Room::Wait(probe)),
            Shortage::Exhausted if self.ring.wants() == Wants::Fence => self.fence_beyond_cap(pool),
            Shortage::Exhausted => match self.fence_above_pins() {
                Some(fence) => Ok(Room::Wait(fence)),
                None => Err(self.exhausted()),
            },
        }
    }
    /// Everything is pinned by waiters that only a fence would prove, and no signal is left for one: that
    /// one is created beyond the cap (S20). Another one only when that does not serve: the cap is passed by one.
    pub(super) fn ask_beyond_cap(&mut self) -> Result<(), Error> {
        let main = self.place(Role::Dispatch);
        self.flush();
        if self.ring.usable(main) == 0 {
            self.create(main, 1)?;
        }
        self.ask_for_fence()
    }
    /// The same to make room: what it frees is waited for like any other use.
    fn fence_beyond_cap(&mut self, pool: SignalMemory) -> Result<Room, Error> {
        self.ask_beyond_cap()?;
        match self.ring.oldest_in(pool).or_else(|| self.ring.newest_fence()) {
            Some(probe) => Ok(Room::Wait(probe)),
            None => Err(self.exhausted()),
        }
    }
    /// Creation failed: what is in flight will come back; without that, only others can help.
    fn cannot_grow(&mut self, pool: SignalMemory, error: Error) -> Result<Room, Error> {
        if matches!(error, Error::DeviceLost { .. }) {
            return Err(error);
        }
        if let Error::Create { cause: CreateError::NoInterrupts, .. } = error
            && self.interrupts == Interrupts::UsedUp
        {
            return Err(error); // the use takes a host signal instead, and says that it spins
        }
        match self.ring.oldest_in(pool).or_else(|| self.fence_above_pins()) {
            Some(probe) => Ok(Room::Wait(probe)),
            None if self.ring.parked() > 0 => Err(self.exhausted()),
            None => Err(error),
        }
    }
    /// The fence whose completion lets go of what is pinned: it may come back.
    fn fence_above_pins(&self) -> Option<Probe> {
        if self.ring.pinned() > 0 { self.ring.newest_fence() } else { None }
    }
    fn exhausted(&self) -> Error {
        Error::Exhausted {
            parked: u32::try_from(self.ring.parked()).unwrap_or(u32::MAX),
            quarantined: u32::try_from(self.ring.quarantined()).unwrap_or(u32::MAX),
            cap: self.policy.ring.cap,
        }
    }
    fn wait_for_room(&mut self, probe: Probe) -> Result<(), Error> {
        self.counts.waits_for_room += 1;
        let value = self.wait_for(&probe)?;
        self.settle(probe, value)
    }
    /// Waits on the host until the probe's signal is below 1.
    pub(super) fn wait_for(&mut self, probe: &Probe) -> Result<SignalValue, Error> {
        match wait_until_done(&self.device, &self.policy.wait, probe.signal(), probe.memory()) {
            WaitOutcome::Reached(value) => Ok(value),
            WaitOutcome::TimedOut => {
                Err(Error::TimedOut { of: probe.of(), waited_for: WaitedFor::Use })
            }
            WaitOutcome::Lost => Err(self.lose()),
        }
    }
}
