//! Checks the rules at the host's step (arm, publish, wait, create, destroy), not at their
//! consequences: a signal that is armed on a lucky guess is as wrong as one that is armed too early.
//!
//! The oracle keeps its own account of what the host may legitimately know, from the calls that it
//! made and the values that it saw. It shares no code with the library's ring, watermark, proofs,
//! drive or events: an independent reading of the same rules.
//!
//! A use may be known to be finished when
//! - its own value was seen at 0 (below the parts that were issued, for a submission that failed);
//! - a packet with the barrier bit, later in its queue and generation, is known to be finished;
//! - it is a BARRIER_AND or OR, and a later packet of its queue and generation is known;
//! - a packet that waited for exactly its signal to be 0 is known.
//!
//! Nothing else: not the read index, not luck, not the loss of a device, not a forced completion.

mod arm;
mod claims;
mod declaration;
mod digest;
mod ground;
mod host;
mod knowledge;
mod lane;
mod publish;
mod rule;
mod signal;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use ringfence::{
    id::{DeviceId, LaneId, PacketId, SignalHandle, UseId},
    timing::RawInterval,
};

pub use declaration::{Declaration, Recording, RingName, SignalCount};
pub use digest::Blame;
pub(crate) use host::Immediate;
pub use rule::Rule;

use lane::{Lane, Learned};
use signal::{Signal, StoreOrder};

/// One call or device move, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct StepNumber(pub(crate) u64);
impl StepNumber {
    /// The number, from 1.
    pub const fn as_u64(self) -> u64 {
        self.0
    }
}

/// A rule was broken.
///
/// ```
/// # use ringfence::{backend::*, id::*};
/// use ringfence_mock::{chooser::Scripted, oracle::Rule, system::*, work::Kernel};
/// # let system = MockSystem::new(Scripted::tame(), Settings { pace: Pace::Held, ..Settings::default() });
/// # let gpu = system.add_device(DeviceSettings::default());
/// # let queue = gpu.add_queue();
/// # let mut batch = [SignalHandle::NULL];
/// # gpu.create(SignalMemory::Host, &mut batch)?;
/// # let at = queue.reserve(PacketCount::ONE);
/// # queue.commit(at, &Packet { body: Body::Kernel(Kernel::default()), completes: batch[0], ..Packet::nothing() });
/// # queue.ring_doorbell(at);
/// // The kernel that completes the signal was published, and nobody has seen its end.
/// gpu.arm(batch[0], SignalValue::ARMED);
/// let violation = system.first_violation().expect("armed without a proof");
/// assert_eq!(violation.rule, Rule::S1);
/// # Ok::<(), ringfence::error::CreateError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// Which.
    pub rule: Rule,
    /// What happened, to which object.
    pub what: String,
    /// At which step.
    pub at: StepNumber,
    /// The last calls and device moves, oldest first.
    pub trace: Vec<String>,
}
impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} broken at step {}: {}", self.rule, self.at.as_u64(), self.what)
    }
}

/// A ring, as the runner declared it.
#[derive(Clone, Copy, Hash, Debug)]
struct Ring {
    cap: u32,
    live: u32,
    tracker: Tracker,
}
/// How a ring learns that its uses are finished.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Tracker {
    Retiring,
    Polling,
}

/// What is going on between two declarations.
#[derive(Clone, Hash, Debug, Default)]
struct Bracket {
    ring: Option<RingName>,
    /// The ring through which the host waits for work: what it creates meanwhile is that ring's.
    waits: Option<RingName>,
    /// A creation failed since the submission began, so that it cannot grow.
    creation_failed: Option<RingName>,
    steady: Option<Steady>,
    query: Option<QueryCall>,
    sync: Option<SyncCall>,
}
#[derive(Clone, Copy, Hash, Debug)]
struct Steady;
#[derive(Clone, Copy, Hash, Debug)]
struct QueryCall {
    of: UseId,
    loads: u32,
}
#[derive(Clone, Copy, Hash, Debug)]
struct SyncCall {
    loads: u32,
    blocked: Blocked,
}
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Blocked {
    No,
    Yes,
}

/// Which thread the host's calls come from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
enum Thread {
    #[default]
    User,
    Callback,
}

/// Two numbers that order uses; [`UseId`] itself has no order.
type UseKey = (LaneId, PacketId);
fn key(of: UseId) -> UseKey {
    (of.lane(), of.packet())
}

/// How many violations are kept in full; later ones are counted.
const KEPT: usize = 64;

/// The oracle's account of one system.
#[derive(Clone, Debug, Default)]
pub(crate) struct Oracle {
    signals: Vec<Signal>,
    lanes: BTreeMap<LaneId, Lane>,
    stores: StoreOrder,
    /// Observations so far: loads, ends of waits, read indices.
    observations: u64,
    /// Indices reserved and not published.
    reserved: u64,
    /// Tickets reserved and not submitted.
    tickets: BTreeSet<UseKey>,
    thread: Thread,
    rings: BTreeMap<RingName, Ring>,
    bracket: Bracket,
    lost: BTreeSet<DeviceId>,
    claimed: BTreeSet<UseKey>,
    expected: Vec<(SignalHandle, UseId)>,
    /// What `timestamps` answered first for each use.
    taken: BTreeMap<UseKey, RawInterval>,
    /// Signals, by number, whose own value was seen done, that nothing waits for, and that were not armed
    /// again yet: each thread that owns one can tell that it is free.
    ready: BTreeSet<u64>,
    /// Broken at this step, not yet reported with a trace.
    fresh: Vec<(Rule, String)>,
    found: Vec<Violation>,
    count: u64,
    /// Scratch space of the closure of knowledge.
    learned: Vec<Learned>,
    to_learn: Vec<UseId>,
}

impl Oracle {
    /// The violations so far, at most [`KEPT`] in full.
    pub(crate) fn violations(&self) -> &[Violation] {
        &self.found
    }
    /// How many there were.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }
    #[cold]
    fn broken(&mut self, rule: Rule, what: impl FnOnce() -> String) {
        self.count += 1;
        if self.found.len() + self.fresh.len() < KEPT {
            self.fresh.push((rule, what()));
        }
    }
    /// Whether something broke that is not reported yet.
    #[inline]
    pub(crate) fn has_news(&self) -> bool {
        !self.fresh.is_empty()
    }
    /// Files what broke at this step.
    #[cold]
    pub(crate) fn report(&mut self, at: StepNumber, trace: &[String]) {
        for (rule, what) in std::mem::take(&mut self.fresh) {
            self.found.push(Violation { rule, what, at, trace: trace.to_vec() });
        }
    }

    fn at(signal: SignalHandle) -> Option<usize> {
        usize::try_from(signal.as_u64().checked_sub(1)?).ok()
    }
    /// The signal, if it lives; else a stale name was used.
    fn live(&mut self, signal: SignalHandle, call: &str) -> Option<&mut Signal> {
        let at = Self::at(signal).filter(|&at| at < self.signals.len());
        match at {
            Some(at) if self.signals[at].life == signal::Life::Alive => Some(&mut self.signals[at]),
            _ => {
                self.broken(Rule::S1, || {
                    format!("{call} of {signal:?}, which does not exist or was destroyed")
                });
                None
            }
        }
    }
    fn signal(&self, signal: SignalHandle) -> Option<&Signal> {
        self.signals.get(Self::at(signal)?)
    }
    fn signal_mut(&mut self, signal: SignalHandle) -> Option<&mut Signal> {
        self.signals.get_mut(Self::at(signal)?)
    }
    fn is_known(&self, of: UseId) -> bool {
        self.lanes.get(&of.lane()).is_some_and(|lane| lane.is_known(of.packet()))
    }
    /// The signal that a use completes, while it can be told.
    fn signal_of(&self, of: UseId) -> Option<SignalHandle> {
        let open = self.lanes.get(&of.lane()).and_then(|lane| lane.signal_of(of.packet()));
        open.filter(|signal| !signal.is_null()).or_else(|| {
            let at = self.signals.iter().position(|signal| signal.last.id() == Some(of))?;
            Some(SignalHandle::new(at as u64 + 1))
        })
    }
    /// A device was reported lost.
    pub(crate) fn lost(&mut self, agent: DeviceId) {
        self.lost.insert(agent);
    }
}
