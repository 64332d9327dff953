//! Copy engines.

use crate::id::{LaneId, PacketId, SignalHandle};

/// Which part of an operation of several parts, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PartIndex(u32);
impl PartIndex {
    /// Part number `index`.
    pub const fn new(index: u32) -> Self {
        Self(index)
    }
    /// The number.
    pub const fn as_u32(self) -> u32 {
        self.0
    }
}

/// The engine did not take a part; it was not issued and will decrement nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CopyRefused {
    /// The runtime returned an error for this part.
    #[error("the copy engine refused a part")]
    Failed,
    /// A signal is in memory that this engine cannot decrement, or cannot wait for.
    #[error("the copy engine cannot complete a signal in this memory, or wait for it")]
    SignalMemory,
    /// The device is gone.
    #[error("the device was lost")]
    DeviceLost,
}

/// One copy engine (SDMA), or a runtime's own copy path. Its completions are in no order, and no
/// compute queue's fence says anything of them (S5).
///
/// # Contract
/// 1. `lane` names the engine and the generation of its tickets, as for a queue. No compute queue has
///    the same queue id.
/// 2. `reserve` hands out increasing tickets, each once; it never waits.
/// 3. `submit` issues one part, which starts when every signal of `waits` is 0 and decrements
///    `completes` once when done. On an error nothing was issued. Signals in device memory may be refused
///    where [`Features`](super::Features) has neither `DEVICE_SIGNALS_ON_COPIES`, for `completes`, nor
///    `DEVICE_WAITS_ON_COPIES`, for `waits`.
pub trait CopyEngine {
    /// What to copy.
    type Work: Copy;
    /// Contract 1.
    fn lane(&self) -> LaneId;
    /// Contract 2.
    fn reserve(&self) -> PacketId;
    /// Contract 3.
    ///
    /// # Errors
    /// When the part was not issued.
    fn submit(
        &self,
        at: PacketId,
        part: PartIndex,
        work: Self::Work,
        completes: SignalHandle,
        waits: &[SignalHandle],
    ) -> Result<(), CopyRefused>;
}
impl<T: CopyEngine + ?Sized> CopyEngine for &T {
    type Work = T::Work;
    fn lane(&self) -> LaneId {
        (**self).lane()
    }
    fn reserve(&self) -> PacketId {
        (**self).reserve()
    }
    fn submit(
        &self,
        at: PacketId,
        part: PartIndex,
        work: Self::Work,
        completes: SignalHandle,
        waits: &[SignalHandle],
    ) -> Result<(), CopyRefused> {
        (**self).submit(at, part, work, completes, waits)
    }
}
