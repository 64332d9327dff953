//! Copy engines.

use super::pointers::through_pointers;
use crate::id::{LaneId, PacketId, SignalHandle};

/// Which part of an operation of several parts, from 0.
///
/// ```
/// use ringfence::backend::PartIndex;
/// /// The bytes of one part of a copy that is cut into parts of 64 KiB.
/// fn bytes(part: PartIndex) -> std::ops::Range<u64> {
///     let start = u64::from(part.as_u32()) << 16;
///     start..start + (1 << 16)
/// }
/// assert_eq!(bytes(PartIndex::new(1)), 65_536..131_072);
/// ```
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
///
/// ```
/// use ringfence::backend::CopyRefused;
/// /// What a runtime's status comes to: anything but success is a part that was not issued.
/// fn taken(status: i32, device_is_lost: bool) -> Result<(), CopyRefused> {
///     match status {
///         0 => Ok(()),
///         _ if device_is_lost => Err(CopyRefused::DeviceLost),
///         _ => Err(CopyRefused::Failed),
///     }
/// }
/// assert_eq!(taken(1, false), Err(CopyRefused::Failed));
/// ```
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
///    the same queue id: [`QueueId::unique`](crate::id::QueueId::unique) gives one.
/// 2. `reserve` hands out increasing tickets, each once; it never waits.
/// 3. `submit` issues one part, which starts when every signal of `waits` is 0 and decrements
///    `completes` once when done. On an error nothing was issued. Signals in device memory may be refused
///    where [`Features`](super::Features) has neither `DEVICE_SIGNALS_ON_COPIES`, for `completes`, nor
///    `DEVICE_WAITS_ON_COPIES`, for `waits`.
///
/// ```
/// # use ringfence::{backend::*, id::*};
/// # use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::*};
/// /// Copies on the thread that submits. Signal n is cell n; a part that would have to wait is refused.
/// struct HostCopies { id: QueueId, cells: [AtomicI64; 8], next: AtomicU64 }
/// impl CopyEngine for HostCopies {
///     type Work = fn();
///     fn lane(&self) -> LaneId {
///         LaneId::new(self.id, Generation::FIRST)
///     }
///     fn reserve(&self) -> PacketId {
///         PacketId::new(self.next.fetch_add(1, Relaxed))
///     }
///     fn submit(
///         &self,
///         _at: PacketId,
///         _part: PartIndex,
///         copy: fn(),
///         completes: SignalHandle,
///         waits: &[SignalHandle],
///     ) -> Result<(), CopyRefused> {
///         let cell = |signal: SignalHandle| &self.cells[signal.as_u64() as usize];
///         if waits.iter().any(|&awaited| cell(awaited).load(Acquire) != 0) {
///             return Err(CopyRefused::Failed); // nothing was issued
///         }
///         copy();
///         cell(completes).fetch_sub(1, Release); // once a part
///         Ok(())
///     }
/// }
/// let cells = [0, 2, 1, 0, 0, 0, 0, 0].map(AtomicI64::new);
/// let engine = HostCopies { id: QueueId::unique(), cells, next: AtomicU64::new(0) };
/// # let (completes, busy) = (SignalHandle::new(1), SignalHandle::new(2));
/// # let (at, part) = (engine.reserve(), PartIndex::new(0));
/// # assert_eq!(engine.submit(at, part, || {}, completes, &[]), Ok(()));
/// # assert_eq!(engine.submit(at, part, || {}, completes, &[busy]), Err(CopyRefused::Failed));
/// # assert_eq!(engine.cells[1].load(Relaxed), 1);
/// ```
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
through_pointers! { CopyEngine {
    type Work;
    fn lane(&self) -> LaneId;
    fn reserve(&self) -> PacketId;
    fn submit(
        &self,
        at: PacketId,
        part: PartIndex,
        work: Self::Work,
        completes: SignalHandle,
        waits: &[SignalHandle],
    ) -> Result<(), CopyRefused>;
} }
