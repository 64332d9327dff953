//! What the oracle knows of one signal, from calls alone.

use std::hash::{Hash, Hasher};

use ringfence::{
    backend::{Capabilities, HostDataPath, RingMemory, SignalMemory},
    id::{Barrier, DeviceId, SignalValue, UseId},
};

use super::declaration::RingName;
use crate::model::Reader;

/// A forced completion.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Forced {
    No,
    /// The late decrements were not seen yet.
    Outstanding,
    /// They were: the signal is below 0 for a known reason.
    Seen,
}

/// Whether the use's timing was taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Timing {
    NotWanted,
    Wanted,
    Taken,
}

/// Whether the host may know that the last use is finished.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum LastUse {
    /// Armed and not used since.
    None,
    InFlight(UseId),
    Finished(UseId),
}
impl LastUse {
    pub(super) fn id(self) -> Option<UseId> {
        match self {
            Self::None => None,
            Self::InFlight(of) | Self::Finished(of) => Some(of),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Life {
    Alive,
    Destroyed,
}

/// Whether a value below 0 was ever loaded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Sign {
    Sound,
    SeenBelowZero,
}

#[derive(Clone, Debug)]
pub(super) struct Signal {
    pub(super) memory: SignalMemory,
    pub(super) owner: DeviceId,
    pub(super) ring: Option<RingName>,
    pub(super) life: Life,
    pub(super) last: LastUse,
    /// Of the packet that completes it.
    pub(super) barrier: Barrier,
    pub(super) armed_with: SignalValue,
    /// When it was armed, on the oracle's clock of stores; 0 for a creation, which all see.
    pub(super) armed_at: u64,
    pub(super) parts_issued: u32,
    pub(super) parts_refused: u32,
    pub(super) forced: Forced,
    pub(super) sign: Sign,
    pub(super) timing: Timing,
    pub(super) handlers: u32,
    pub(super) holds: u32,
    /// Waits since the loss of its device.
    pub(super) waits_when_lost: u32,
    /// Packets and copies that wait for it, since it was armed.
    pub(super) consumers: Vec<UseId>,
}
impl Signal {
    pub(super) fn created(memory: SignalMemory, owner: DeviceId, ring: Option<RingName>) -> Self {
        Self {
            memory,
            owner,
            ring,
            life: Life::Alive,
            last: LastUse::None,
            barrier: Barrier::Clear,
            armed_with: SignalValue::ARMED,
            armed_at: 0,
            parts_issued: 0,
            parts_refused: 0,
            forced: Forced::No,
            sign: Sign::Sound,
            timing: Timing::NotWanted,
            handlers: 0,
            holds: 0,
            waits_when_lost: 0,
            consumers: Vec::new(),
        }
    }
    /// Feeds what later findings depend on to `state`; when it was armed counts by who must see it.
    pub(super) fn digest<H: Hasher>(&self, state: &mut H) {
        (self.memory, self.owner, self.ring, self.life, self.last, self.barrier).hash(state);
        (self.armed_with, self.parts_issued, self.parts_refused).hash(state);
        (self.forced, self.sign, self.timing, self.handlers, self.holds).hash(state);
        (self.waits_when_lost, &self.consumers).hash(state);
    }
    /// Everything of the last use is over and done with.
    pub(super) fn arm(&mut self, value: SignalValue, at: u64) {
        self.consumers.clear();
        (self.last, self.armed_with, self.armed_at) = (LastUse::None, value, at);
        (self.forced, self.timing) = (Forced::No, Timing::NotWanted);
        (self.parts_issued, self.parts_refused) = (0, 0);
    }
    pub(super) fn uses(&mut self, of: UseId, barrier: Barrier) {
        (self.last, self.barrier) = (LastUse::InFlight(of), barrier);
        (self.parts_issued, self.parts_refused) = (1, 0);
        self.timing = Timing::NotWanted;
    }
    /// The value at which the last use is over.
    pub(super) fn over_at(&self) -> i64 {
        let (armed, issued) = (self.armed_with.as_i64(), i64::from(self.parts_issued));
        match (self.forced, self.parts_refused) {
            (Forced::No, 0) => 0,
            (Forced::No, _) => armed - issued,
            // Nobody knows how many had come before the 0 was stored: all of them again are enough.
            (Forced::Outstanding | Forced::Seen, _) => -issued,
        }
    }
}

/// Which stores every reader must have seen, from the calls alone: the device may see them earlier,
/// which proves nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct StoreOrder {
    now: u64,
    published: u64,
    flushed: Vec<u64>,
}
impl StoreOrder {
    pub(super) fn store(&mut self) -> u64 {
        self.now += 1;
        self.now
    }
    pub(super) fn publish(&mut self) {
        self.published = self.now;
    }
    pub(super) fn flush(&mut self, agent: DeviceId) {
        self.publish();
        let at = agent.as_u32() as usize;
        if at >= self.flushed.len() {
            self.flushed.resize(at + 1, 0);
        }
        self.flushed[at] = self.now;
    }
    /// How far the last store to `signal` is certain to have come.
    pub(super) fn reach(&self, signal: &Signal) -> (bool, bool) {
        let flushed = self.flushed.get(signal.owner.as_u32() as usize).copied().unwrap_or(0);
        (signal.armed_at <= flushed, signal.armed_at <= self.published)
    }
    /// Whether `reader` is certain to see the last store to `signal`, given what its owner can do.
    pub(super) fn visible(&self, signal: &Signal, owner: Capabilities, reader: Reader) -> bool {
        if !signal.memory.is_device() || reader == Reader::Host {
            return true;
        }
        let flushed = self.flushed.get(signal.owner.as_u32() as usize).copied().unwrap_or(0);
        let through_the_bar =
            reader == Reader::Processor(signal.owner) && owner.rings == RingMemory::Device;
        signal.armed_at <= flushed
            || (signal.armed_at <= self.published
                && (through_the_bar || owner.path == HostDataPath::Coherent))
    }
}
