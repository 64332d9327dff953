//! Names of things: newtypes, so that no two kinds of number can be exchanged.

use std::fmt;

mod key;
mod queue;
mod stream;

pub use key::{ContextId, DeviceContext, Priority, StreamFlags, StreamKey};
pub use stream::{
    Bytes, PoolId, Position, RawEvent, RawGraph, RawMemory, RawProgress, RawStream, StreamId,
    StreamRef,
};

macro_rules! small_id {
    ($($(#[$doc:meta])* $name:ident, $short:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);
        impl $name {
            /// The name with number `index`; the embedder gives the numbers out.
            pub const fn new(index: u32) -> Self { Self(index) }
            /// The number given to [`new`](Self::new).
            pub const fn as_u32(self) -> u32 { self.0 }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, concat!($short, "{}"), self.0) }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { fmt::Debug::fmt(self, f) }
        }
    )*};
}
small_id! {
    /// A device: what HSA calls an agent.
    ///
    /// ```
    /// # use ringfence::id::DeviceId;
    /// let gpus = [0, 1].map(DeviceId::new); // the runtime's own numbers
    /// assert_eq!(gpus[1].to_string(), "gpu1");
    /// ```
    DeviceId, "gpu";
    /// A hardware queue, or a copy engine. Several streams may share one.
    ///
    /// ```
    /// # use ringfence::id::QueueId;
    /// // One row of numbers for all devices and engines of the process: proofs are compared by them.
    /// let (compute, copies) = (QueueId::unique(), QueueId::unique());
    /// assert_ne!(compute, copies);
    /// ```
    QueueId, "q";
    /// A tracker's ring, in this process: whose uses something tells of.
    ///
    /// ```
    /// # use ringfence::{backend::*, drive::Tracker};
    /// # fn name<D: Device, Q: PacketQueue>(tracker: &Tracker<D, Q>) {
    /// println!("events of {} are this stream's", tracker.id()); // as in "r0"
    /// # }
    /// ```
    RingId, "r";
    /// The identity of a queue's index space: the next one starts when its packet ids restart at 0.
    ///
    /// ```
    /// # use ringfence::id::Generation;
    /// let second = Generation::FIRST.next();
    /// assert!(second > Generation::FIRST);
    /// assert_eq!(Generation::new(u32::MAX).checked_next(), None); // the last one
    /// ```
    Generation, "g";
}
impl Generation {
    /// The first generation of a queue.
    pub const FIRST: Self = Self(0);
    /// The generation after this one, if there is one left.
    pub const fn checked_next(self) -> Option<Self> {
        match self.0.checked_add(1) {
            Some(next) => Some(Self(next)),
            None => None,
        }
    }
    /// The generation after this one.
    ///
    /// # Panics
    /// After 2^32 restarts of one queue; at one a millisecond that is 49 days of nothing else.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.checked_add(1).expect("a queue restarted 2^32 times"))
    }
}

/// A packet's 64-bit index in a queue's monotone index space: what `hsa_queue_load_write_index`
/// counts. Never the slot (index modulo ring size).
///
/// ```
/// # use ringfence::id::PacketId;
/// let first = PacketId::new(63); // of a batch of 3
/// assert_eq!(first.plus(3), PacketId::new(66)); // the next one that is free
/// assert!(first < first.next());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct PacketId(u64);
impl PacketId {
    /// The first packet of a generation.
    pub const FIRST: Self = Self(0);
    /// The packet with this index.
    pub const fn new(index: u64) -> Self {
        Self(index)
    }
    /// The index.
    pub const fn as_u64(self) -> u64 {
        self.0
    }
    /// The packet `count` later.
    ///
    /// # Panics
    /// At 2^64 packets in one generation, which no queue reaches.
    #[must_use]
    pub const fn plus(self, count: u64) -> Self {
        Self(self.0.checked_add(count).expect("64-bit index space"))
    }
    /// The packet after this one. Panics as [`plus`](Self::plus).
    #[must_use]
    pub const fn next(self) -> Self {
        self.plus(1)
    }
}
impl fmt::Debug for PacketId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}
impl fmt::Display for PacketId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// One generation of one hardware queue or copy engine, in one word: the only thing that proofs are
/// compared by, so that "same queue" and "same generation" (S2, S4, S5) are one `==`.
///
/// ```
/// use ringfence::id::{Generation, LaneId, QueueId};
/// let first = LaneId::new(QueueId::new(3), Generation::FIRST);
/// assert_ne!(first, first.restarted());
/// assert_eq!(first.restarted().queue(), QueueId::new(3));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaneId(u64);
impl LaneId {
    /// The lane of `queue` in `generation`.
    pub const fn new(queue: QueueId, generation: Generation) -> Self {
        Self((queue.0 as u64) << 32 | generation.0 as u64)
    }
    /// Its queue.
    pub const fn queue(self) -> QueueId {
        QueueId((self.0 >> 32) as u32)
    }
    /// Its generation.
    pub const fn generation(self) -> Generation {
        Generation(self.0 as u32)
    }
    /// The lane of the same queue after its index space restarted.
    #[must_use]
    pub const fn restarted(self) -> Self {
        Self::new(self.queue(), self.generation().next())
    }
}
impl fmt::Debug for LaneId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.queue(), self.generation())
    }
}
impl fmt::Display for LaneId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// One publication of a signal: the packet that completes it. Shown as `q0g0#7`: queue, generation,
/// packet.
///
/// ```
/// # use ringfence::id::*;
/// let lane = LaneId::new(QueueId::new(0), Generation::FIRST);
/// let of = UseId::new(lane, PacketId::new(7));
/// assert_eq!(of.to_string(), "q0g0#7");
/// assert_ne!(of, UseId::new(lane.restarted(), of.packet())); // another packet 7
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct UseId {
    lane: LaneId,
    packet: PacketId,
}
impl UseId {
    /// The use by `packet` of `lane`.
    pub const fn new(lane: LaneId, packet: PacketId) -> Self {
        Self { lane, packet }
    }
    /// Where the packet was published.
    pub const fn lane(self) -> LaneId {
        self.lane
    }
    /// The packet.
    pub const fn packet(self) -> PacketId {
        self.packet
    }
}
impl fmt::Debug for UseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.lane, self.packet)
    }
}
impl fmt::Display for UseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// What a backend calls a signal: an `hsa_signal_t`, a pointer, an index. 0 is no signal. One name of a
/// device stands for one signal at a time; after `destroy` it may come back for another.
///
/// ```
/// # use ringfence::id::SignalHandle;
/// let created = [0x7f00, 0].map(SignalHandle::new); // what a runtime gave
/// let signals: Vec<_> = created.into_iter().filter(|signal| !signal.is_null()).collect();
/// assert_eq!(signals, [SignalHandle::new(0x7f00)]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SignalHandle(u64);
impl SignalHandle {
    /// No signal: a packet that completes none. Some runtimes have returned it with success
    /// (<https://github.com/ROCm/rocm-systems/issues/1309>), so every creation is checked against it.
    pub const NULL: Self = Self(0);
    /// The signal that the backend calls `raw`.
    pub const fn new(raw: u64) -> Self {
        Self(raw)
    }
    /// What the backend calls it.
    pub const fn as_u64(self) -> u64 {
        self.0
    }
    /// Whether this is [`NULL`](Self::NULL).
    pub const fn is_null(self) -> bool {
        self.0 == 0
    }
}
impl fmt::Debug for SignalHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s{:#x}", self.0)
    }
}

/// The 64-bit value of a signal.
///
/// Armed is 1 or more, done is below 1 for the host; a GPU AND needs exactly 0 (HSA 2.9), so that a
/// value below 0 is done for one and never for the other: an error (S7).
///
/// ```
/// # use ringfence::id::{SignalValue, ValueState};
/// assert_eq!(SignalValue::ARMED.state(), ValueState::Pending);
/// assert_eq!(SignalValue::DONE.state(), ValueState::Done);
/// assert!(SignalValue::DONE < SignalValue::ARMED); // "below 1" is how a host wait asks
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SignalValue(i64);
impl SignalValue {
    /// The value of a finished use.
    pub const DONE: Self = Self(0);
    /// The value that arms a signal for one packet.
    pub const ARMED: Self = Self(1);
    /// A value as it was loaded.
    pub const fn new(value: i64) -> Self {
        Self(value)
    }
    /// The value that arms a signal for an operation of `parts` parts, each of which decrements once.
    pub const fn for_parts(parts: Parts) -> Self {
        Self(parts.0.get() as i64)
    }
    /// The number.
    pub const fn as_i64(self) -> i64 {
        self.0
    }
    /// What the value says of the use.
    pub const fn state(self) -> ValueState {
        match self.0 {
            1.. => ValueState::Pending,
            0 => ValueState::Done,
            _ => ValueState::OverDecremented,
        }
    }
}
impl fmt::Debug for SignalValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// What a signal's value says.
///
/// ```
/// # use ringfence::id::{SignalValue, ValueState};
/// fn say(value: SignalValue) -> &'static str {
///     match value.state() {
///         ValueState::Pending => "it runs",
///         ValueState::Done => "it is over",
///         ValueState::OverDecremented => "something decremented it once too often",
///     }
/// }
/// # assert_eq!(say(SignalValue::new(-1)), "something decremented it once too often");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum ValueState {
    /// 1 or more: decrements are still to come.
    Pending,
    /// Exactly 0.
    Done,
    /// Below 0: somebody decremented who should not have (S7).
    OverDecremented,
}

/// How many decrements finish a use: 1 for a packet, N for a copy in N parts.
///
/// ```
/// # use ringfence::id::{Parts, SignalValue};
/// let parts = std::num::NonZeroU32::new(3).map_or(Parts::ONE, Parts::new);
/// assert_eq!(SignalValue::for_parts(parts), SignalValue::new(3));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Parts(std::num::NonZeroU32);
impl Parts {
    /// One part: every packet.
    pub const ONE: Self = Self(std::num::NonZeroU32::MIN);
    /// `count` parts.
    pub const fn new(count: std::num::NonZeroU32) -> Self {
        Self(count)
    }
    /// The number of parts.
    pub const fn count(self) -> u32 {
        self.0.get()
    }
}

/// The barrier bit of an AQL header: with it, a packet becomes active only when all earlier packets
/// of its queue are complete.
///
/// ```
/// # use ringfence::{drive::Submission, id::Barrier};
/// // Two kernels that may run beside each other, and one after both.
/// let beside = ["left", "right"].map(|work| Submission::kernel(work).barrier(Barrier::Clear));
/// let after = Submission::kernel("join").barrier(Barrier::Set); // proves all three
/// # let _ = (beside, after);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Barrier {
    /// The packet waits for all earlier ones; its completion proves them.
    Set,
    /// The packet may run beside earlier ones; its completion proves itself alone.
    Clear,
}

/// An acquire or release scope of a packet (the "fence scope" of HSA 2.9).
///
/// ```
/// # use ringfence::id::CacheScope;
/// // In order of reach: whoever needs two takes the larger one.
/// let (kernel, event) = (CacheScope::Agent, CacheScope::System);
/// assert_eq!(kernel.max(event), CacheScope::System);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CacheScope {
    /// No cache is touched.
    None,
    /// Visible to the same agent.
    Agent,
    /// Visible to the host and to other agents: what a wait that promises data needs (S21).
    System,
}
