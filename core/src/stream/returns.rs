//! Where leases come back: one bit a stream, so that dropping a lease is one instruction.

use crate::sync::{Arc, AtomicU64, Ordering, Site, order};

/// Streams of one chunk.
pub(crate) const CHUNK: u32 = 64;

/// The returns of 64 streams.
#[derive(Debug, Default)]
pub(crate) struct Returns {
    bits: AtomicU64,
}
impl Returns {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { bits: AtomicU64::new(0) })
    }
    /// A lease of the stream `bit` was dropped.
    #[inline]
    pub(crate) fn put(&self, bit: Bit) {
        self.bits.fetch_or(1 << bit.0, order(Site::LeaseReturn, Ordering::Release));
    }
    /// Takes every stream that came back.
    #[inline]
    pub(crate) fn take(&self) -> Returned {
        if self.bits.load(Ordering::Relaxed) == 0 {
            return Returned(0);
        }
        Returned(self.bits.swap(0, order(Site::LeaseCollect, Ordering::Acquire)))
    }
}

/// A stream's place in its chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bit(u8);
impl Bit {
    pub(crate) const fn of(seat: u32) -> Self {
        Self((seat % CHUNK) as u8)
    }
}

/// Streams of one chunk that came back, lowest first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Returned(u64);
impl Iterator for Returned {
    type Item = u32;
    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.0 == 0 {
            return None;
        }
        let lowest = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(lowest)
    }
}
