//! What tracking costs: every load, arm, flush, packet and creation, counted by cause.
//!
//! Cheap enough to be always on: a stream counts in plain fields, and only what happens on other
//! threads (queries and waits of events) counts in shared ones.

use crate::{
    backend::SignalMemory,
    sync::{AtomicU64, Ordering},
};

/// Why a signal or its timestamps were loaded.
///
/// ```
/// use ringfence::ledger::{LoadCause, Loads};
/// fn print(loads: &Loads) {
///     for cause in LoadCause::ALL {
///         let (host, device) = (loads.host(cause), loads.device(cause));
///         println!("{cause:?}: {host} loads of host memory, {device} reads of the device");
///     }
/// }
/// # print(&Loads::default());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LoadCause {
    /// To retire uses: confirming a nominated fence, probing, and the polling tracker's looks.
    Retire,
    /// To answer a query.
    Query,
    /// The first look of a wait (the device's own polling in a wait is not counted).
    Wait,
    /// To take timestamps.
    Timing,
    /// To read a flush back, where the device needs it.
    Flush,
    /// To check a signal before it is armed (audit mode), or in quarantine.
    Check,
}
impl LoadCause {
    /// All, in the order of their index.
    pub const ALL: [Self; 6] =
        [Self::Retire, Self::Query, Self::Wait, Self::Timing, Self::Flush, Self::Check];
}

/// Numbers of loads by cause: of host memory, and of device memory, where each is a read across PCIe.
///
/// ```
/// use ringfence::{backend::*, drive::Tracker, ledger::LoadCause};
/// /// Reads across PCIe that somebody waited for: those of queries and waits.
/// fn reads_in_the_way<D: Device, Q: PacketQueue>(tracker: &Tracker<D, Q>) -> u64 {
///     let loads = tracker.counts().loads;
///     loads.device(LoadCause::Query) + loads.device(LoadCause::Wait)
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Loads {
    host: [u64; 6],
    device: [u64; 6],
}
impl Loads {
    /// Loads of host memory for `cause`.
    pub fn host(&self, cause: LoadCause) -> u64 {
        self.host[cause as usize]
    }
    /// Reads of device memory for `cause`.
    pub fn device(&self, cause: LoadCause) -> u64 {
        self.device[cause as usize]
    }
    /// Loads for `cause`, wherever.
    pub fn of(&self, cause: LoadCause) -> u64 {
        self.host(cause) + self.device(cause)
    }
    /// All loads of host memory.
    pub fn all_host(&self) -> u64 {
        self.host.iter().sum()
    }
    /// All reads of device memory.
    pub fn all_device(&self) -> u64 {
        self.device.iter().sum()
    }
    #[inline]
    pub(crate) fn note(&mut self, cause: LoadCause, memory: SignalMemory) {
        let by_memory = if memory.is_device() { &mut self.device } else { &mut self.host };
        by_memory[cause as usize] += 1;
    }
}

/// What one stream did so far.
///
/// ```
/// use ringfence::ledger::Counts;
/// /// What finding finished work cost, in loads of signals a use.
/// fn loads_per_use(streams: &[Counts]) -> f64 {
///     let all = streams.iter().fold(Counts::default(), |all, one| all.plus(one));
///     let loads = all.loads.all_host() + all.loads.all_device();
///     loads as f64 / all.uses.max(1) as f64
/// }
/// # let mut counts = Counts::default();
/// # counts.uses = 2;
/// # assert_eq!(loads_per_use(&[counts]), 0.0);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Uses: publications of a signal.
    pub uses: u64,
    /// Those whose packet has the barrier bit.
    pub fence_uses: u64,
    /// Packets published, those without a signal too.
    pub packets: u64,
    /// Loads of signals and timestamps.
    pub loads: Loads,
    /// Loads of a read index: host memory, wherever the ring lives.
    pub read_index_loads: u64,
    /// Signals armed for another use.
    pub arms: u64,
    /// Flushes of the host data path.
    pub flushes: u64,
    /// Store fences without a flush.
    pub store_fences: u64,
    /// Signals created.
    pub created: u64,
    /// Creations that fell back to host memory.
    pub fell_back: u64,
    /// Signals destroyed.
    pub destroyed: u64,
    /// Times the ring grew.
    pub grows: u64,
    /// Times a submission waited for room.
    pub waits_for_room: u64,
    /// Times a proven signal was still held by somebody else.
    pub parks: u64,
    /// The most signals that were parked at once.
    pub parked_peak: u64,
    /// Fences submitted because nothing else would ever have proven what was pinned.
    pub fences_asked: u64,
    /// Submission batches that were closed.
    pub batches: u64,
    /// Signals put into quarantine.
    pub quarantined: u64,
    /// Signals given up with a lost device.
    pub leaked: u64,
    /// Host waits that spun to their end, since their signal wakes nobody.
    pub waits_that_spun: u64,
}
impl Counts {
    /// These and `other`, added up; peaks too, so that it bounds the sum's peak.
    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        for at in 0..LoadCause::ALL.len() {
            self.loads.host[at] += other.loads.host[at];
            self.loads.device[at] += other.loads.device[at];
        }
        self.uses += other.uses;
        self.fence_uses += other.fence_uses;
        self.packets += other.packets;
        self.read_index_loads += other.read_index_loads;
        self.arms += other.arms;
        self.flushes += other.flushes;
        self.store_fences += other.store_fences;
        self.created += other.created;
        self.fell_back += other.fell_back;
        self.destroyed += other.destroyed;
        self.grows += other.grows;
        self.waits_for_room += other.waits_for_room;
        self.parks += other.parks;
        self.parked_peak += other.parked_peak;
        self.fences_asked += other.fences_asked;
        self.batches += other.batches;
        self.quarantined += other.quarantined;
        self.leaked += other.leaked;
        self.waits_that_spun += other.waits_that_spun;
        self
    }
}

/// Loads by those who are not the stream's owner: queries and waits of events, on any thread.
#[derive(Debug)]
pub struct Ledger {
    host: [AtomicU64; 6],
    device: [AtomicU64; 6],
    spun: AtomicU64,
}
impl Ledger {
    /// Nothing counted.
    pub fn new() -> Self {
        let zeros = || std::array::from_fn(|_| AtomicU64::new(0));
        Self { host: zeros(), device: zeros(), spun: AtomicU64::new(0) }
    }
    #[inline]
    pub(crate) fn note(&self, cause: LoadCause, memory: SignalMemory) {
        let by_memory = if memory.is_device() { &self.device } else { &self.host };
        by_memory[cause as usize].fetch_add(1, Ordering::Relaxed);
    }
    pub(crate) fn note_spun(&self) {
        self.spun.fetch_add(1, Ordering::Relaxed);
    }
    /// Adds what was counted here to `counts`.
    pub(crate) fn add_to(&self, counts: &mut Counts) {
        for at in 0..LoadCause::ALL.len() {
            counts.loads.host[at] += self.host[at].load(Ordering::Relaxed);
            counts.loads.device[at] += self.device[at].load(Ordering::Relaxed);
        }
        counts.waits_that_spun += self.spun.load(Ordering::Relaxed);
    }
}
impl Default for Ledger {
    fn default() -> Self {
        Self::new()
    }
}
