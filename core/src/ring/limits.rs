//! How large a ring is, and how large it may become.

/// Sizes of a ring, in signals.
///
/// ```
/// use ringfence::{drive::Policy, ring::RingLimits};
/// // A process with thousands of streams: each begins small, and may grow all the same.
/// let ring = RingLimits { cap: 256, interrupt_spares: 0, ..RingLimits::with_size(8) };
/// let policy = Policy { ring, ..Policy::default() };
/// assert_eq!((policy.ring.size, policy.ring.batch), (8, 4));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RingLimits {
    /// Signals created at the start. 64: the field's own figure for a pool (`ROC_SIGNAL_POOL_SIZE`).
    pub size: u32,
    /// Signals of one memory that may be in flight or ready before a submission waits. 16 times the
    /// size; those that somebody else holds do not count (S14).
    pub cap: u32,
    /// Signals armed for one flush, and created for one growth.
    pub batch: u32,
    /// Interrupt signals created at the start: a process has only 4,096.
    pub interrupt_spares: u32,
}
impl RingLimits {
    /// A ring of `size` signals that may grow to 16 times that.
    ///
    /// ```
    /// let limits = ringfence::ring::RingLimits::with_size(64);
    /// assert_eq!(limits.cap, 1024);
    /// ```
    pub const fn with_size(size: u32) -> Self {
        let size = if size == 0 { 1 } else { size };
        let batch = if size < 64 { size.div_ceil(2) } else { 32 };
        Self { size, cap: size.saturating_mul(16), batch, interrupt_spares: 5 }
    }
    /// A batch of none would end before it began.
    pub(crate) fn at_least_one(self) -> Self {
        Self { batch: self.batch.max(1), ..self }
    }
    /// Free signals below which a submission looks for finished ones: half of the ring.
    pub(crate) const fn low_water(&self) -> usize {
        (self.size / 2) as usize
    }
}
impl Default for RingLimits {
    fn default() -> Self {
        Self::with_size(64)
    }
}
