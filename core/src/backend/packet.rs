//! Packets, as far as completion is concerned.

use crate::id::{Barrier, CacheScope, SignalHandle, SignalValue};

/// How many signals one barrier packet can wait for (HSA 2.9).
pub const MAX_DEPS: usize = 5;

/// The signals that a barrier packet waits for: at most [`MAX_DEPS`].
///
/// ```
/// use ringfence::{backend::{Body, Deps}, id::SignalHandle};
/// let signals: Vec<_> = (1..=12).map(SignalHandle::new).collect();
/// let (mut packets, mut rest) = (Vec::<Body<()>>::new(), &signals[..]);
/// while !rest.is_empty() {
///     let (deps, left) = Deps::take(rest);
///     packets.push(Body::And(deps));
///     rest = left;
/// }
/// assert_eq!(packets.len(), 3); // 5, 5 and 2
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Deps([SignalHandle; MAX_DEPS]);
impl Deps {
    /// No dependency.
    pub const NONE: Self = Self([SignalHandle::NULL; MAX_DEPS]);
    /// Takes as many of `signals` as fit, and returns the rest.
    ///
    /// ```
    /// use ringfence::{backend::Deps, id::SignalHandle};
    /// let six: Vec<_> = (1..=6).map(SignalHandle::new).collect();
    /// let (deps, rest) = Deps::take(&six);
    /// assert_eq!((deps.iter().count(), rest), (5, &six[5..]));
    /// ```
    #[inline]
    pub fn take(signals: &[SignalHandle]) -> (Self, &[SignalHandle]) {
        let (now, rest) = signals.split_at(signals.len().min(MAX_DEPS));
        let mut deps = Self::NONE;
        deps.0[..now.len()].copy_from_slice(now);
        (deps, rest)
    }
    /// The signals, without the empty places.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = SignalHandle> + '_ {
        self.0.iter().copied().filter(|signal| !signal.is_null())
    }
}

/// The vendor's barrier-value packet: it waits until a signal is below a bound.
///
/// ```
/// use ringfence::{backend::{Body, ValueWait}, id::{SignalHandle, SignalValue}};
/// let signal = SignalHandle::new(7);
/// // What the host calls done: below 1.
/// let finished: Body<()> = Body::Value(ValueWait { signal, below: SignalValue::ARMED });
/// # let _ = finished;
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ValueWait {
    /// The signal.
    pub signal: SignalHandle,
    /// The packet completes once the value is below this.
    pub below: SignalValue,
}

/// What a packet does. All of it, on purpose: a backend that does not know a packet has to be told so when it is compiled.
///
/// ```
/// use ringfence::backend::{Body, Deps};
/// /// The `hsa_packet_type_t` that a backend writes into the header.
/// fn packet_type<W>(body: &Body<W>) -> u16 {
///     match body {
///         Body::Value(_) => 0, // vendor-specific
///         Body::Kernel(_) => 2,
///         Body::And(_) => 3,
///         Body::Or(_) => 5,
///     }
/// }
/// assert_eq!(packet_type::<()>(&Body::And(Deps::NONE)), 3);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Body<W> {
    /// Runs the backend's own kind of work.
    Kernel(W),
    /// BARRIER_AND: waits until every dependency is exactly 0; without dependencies, for nothing.
    /// No later packet becomes active before it is complete.
    And(Deps),
    /// BARRIER_OR: waits until one dependency is 0; otherwise as AND.
    Or(Deps),
    /// Barrier-value, where [`Features::BARRIER_VALUE`](super::Features::BARRIER_VALUE) says so. Later
    /// packets are *not* held back by it unless they carry the barrier bit.
    Value(ValueWait),
}

/// One packet.
///
/// ```
/// use ringfence::{backend::*, id::*};
/// // A fence: complete when everything before it is, and the host then sees what that wrote.
/// let fence = Packet {
///     barrier: Barrier::Set,
///     release: CacheScope::System,
///     completes: SignalHandle::new(7),
///     ..Packet::<()>::nothing()
/// };
/// assert_eq!(fence.body, Body::And(Deps::NONE));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Packet<W> {
    /// What it does.
    pub body: Body<W>,
    /// Whether it waits for all earlier packets of its queue.
    pub barrier: Barrier,
    /// Which caches it invalidates before it starts.
    pub acquire: CacheScope,
    /// Which caches it writes back before it completes.
    pub release: CacheScope,
    /// The signal that it decrements when complete, or [`SignalHandle::NULL`].
    pub completes: SignalHandle,
}
impl<W> Packet<W> {
    /// A barrier packet that does nothing: what becomes of a reserved index that nobody filled (S11).
    pub const fn nothing() -> Self {
        Self {
            body: Body::And(Deps::NONE),
            barrier: Barrier::Clear,
            acquire: CacheScope::None,
            release: CacheScope::None,
            completes: SignalHandle::NULL,
        }
    }
}
