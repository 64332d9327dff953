//! Signals: create, load, arm, flush, destroy.

use std::fmt;

use super::pointers::through_pointers;
use crate::{
    error::CreateError,
    id::{SignalHandle, SignalValue},
};

/// Where a signal's 64-bit value lives, and what it can do there. All places, on purpose: a backend has to answer for each.
///
/// ```
/// use ringfence::backend::SignalMemory;
/// // A table by memory, and which of its signals cost a read across PCIe:
/// let dear = SignalMemory::ALL.map(|memory| (memory, memory.is_device()));
/// assert_eq!(dear.iter().filter(|(_, dear)| *dear).count(), 1);
/// assert_eq!(SignalMemory::Interrupt.to_string(), "interrupt");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SignalMemory {
    /// Device memory, through the BAR: a GPU waiter polls it locally; a host load is a PCIe read.
    Device,
    /// Host memory: cheap for the host to read; a host wait spins.
    Host,
    /// Host memory with an interrupt: a host wait can sleep. A process has 4,096 of these.
    Interrupt,
    /// Host memory that another process can open.
    Shared,
}
impl SignalMemory {
    /// All, in the order of their index.
    pub const ALL: [Self; 4] = [Self::Device, Self::Host, Self::Interrupt, Self::Shared];
    /// A position in a table by memory.
    pub(crate) const fn index(self) -> usize {
        self as usize
    }
    /// Whether a host load crosses PCIe.
    pub const fn is_device(self) -> bool {
        matches!(self, Self::Device)
    }
}
impl fmt::Display for SignalMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Device => "device",
            Self::Host => "host",
            Self::Interrupt => "interrupt",
            Self::Shared => "shared",
        })
    }
}

/// What a creation brought.
///
/// ```
/// use ringfence::backend::{Created, SignalMemory};
/// /// What a log says of a creation of 32 signals in device memory.
/// fn report(Created { count, memory }: Created) -> String {
///     match memory {
///         SignalMemory::Device => format!("{count} of 32"),
///         other => format!("{count} of 32, in {other} memory"), // the backend fell back
///     }
/// }
/// let got = Created { count: 8, memory: SignalMemory::Host };
/// assert_eq!(report(got), "8 of 32, in host memory");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub struct Created {
    /// The first so many handles of the batch are signals; at least one.
    pub count: usize,
    /// Where they live: what was asked for, or host memory when the backend fell back.
    pub memory: SignalMemory,
}

/// Signals of one device.
///
/// # Contract
/// 1. `create` fills the front of `batch` with distinct signals that are armed with 1 and visible to
///    the device, and says how many and where they live. Fewer than asked for is success; none is an
///    error. It may block, and is never called between reserving an index and publishing it.
/// 2. `destroy` gives a signal back. It is called once for each, with no use in flight, and never on
///    a callback thread.
/// 3. `load` reads the value with acquire order: what the device released before its decrement is
///    visible after a load that saw it. It never blocks.
/// 4. `arm` stores a value with a plain store, never a read-modify-write, and wakes nobody. The store
///    may linger in a write-combining buffer or a host data path cache.
/// 5. `publish_stores` orders every earlier `arm` of the calling thread before every later store, for
///    the owner's own packet processor when its rings live in device memory.
/// 6. After `flush`, every earlier `arm` of the calling thread is visible to every agent and engine
///    that reads the signal's memory through its owner. It includes `publish_stores`.
///
/// ```
/// # use ringfence::{backend::*, error::CreateError, id::{SignalHandle, SignalValue}};
/// # use std::sync::{Mutex, atomic::{AtomicI64, Ordering::*, fence}};
/// /// Signals in host memory and nowhere else. Signal n is cell n - 1, since 0 is no signal.
/// struct Cells { values: Vec<AtomicI64>, free: Mutex<Vec<SignalHandle>> }
/// impl Signals for Cells {
///     fn create(&self, _: SignalMemory, batch: &mut [SignalHandle]) -> Result<Created, CreateError> {
///         let mut free = self.free.lock().expect("nobody panics with it");
///         let count = batch.len().min(free.len());
///         for (place, signal) in batch.iter_mut().zip(free.drain(..count)) {
///             self.arm(signal, SignalValue::ARMED);
///             *place = signal;
///         }
///         let created = Created { count, memory: SignalMemory::Host };
///         if count == 0 { Err(CreateError::OutOfMemory) } else { Ok(created) }
///     }
///     fn load(&self, signal: SignalHandle) -> SignalValue {
///         SignalValue::new(self.values[signal.as_u64() as usize - 1].load(Acquire))
///     }
///     fn arm(&self, signal: SignalHandle, value: SignalValue) {
///         self.values[signal.as_u64() as usize - 1].store(value.as_i64(), Relaxed);
///     }
///     fn publish_stores(&self) {
///         fence(Release);
///     }
///     fn flush(&self) {
///         fence(SeqCst); // host memory has no data path cache
///     }
///     fn destroy(&self, signal: SignalHandle) {
///         self.free.lock().expect("nobody panics with it").push(signal);
///     }
/// }
/// # let values = (0..2).map(AtomicI64::new).collect();
/// # let cells = Cells { values, free: Mutex::new([1, 2].map(SignalHandle::new).into()) };
/// # let mut batch = [SignalHandle::NULL; 3];
/// # let created = cells.create(SignalMemory::Host, &mut batch).expect("two are free");
/// # assert_eq!((created.count, cells.load(batch[0])), (2, SignalValue::ARMED));
/// # assert_eq!(cells.create(SignalMemory::Host, &mut batch), Err(CreateError::OutOfMemory));
/// ```
pub trait Signals {
    /// Contract 1.
    ///
    /// # Errors
    /// When not one signal could be made.
    fn create(
        &self,
        memory: SignalMemory,
        batch: &mut [SignalHandle],
    ) -> Result<Created, CreateError>;
    /// Contract 2.
    fn destroy(&self, signal: SignalHandle);
    /// Contract 3.
    fn load(&self, signal: SignalHandle) -> SignalValue;
    /// Contract 4.
    fn arm(&self, signal: SignalHandle, value: SignalValue);
    /// Contract 5.
    fn publish_stores(&self);
    /// Contract 6.
    fn flush(&self);
}
through_pointers! { Signals {
    fn create(
        &self,
        memory: SignalMemory,
        batch: &mut [SignalHandle],
    ) -> Result<Created, CreateError>;
    fn destroy(&self, signal: SignalHandle);
    fn load(&self, signal: SignalHandle) -> SignalValue;
    fn arm(&self, signal: SignalHandle, value: SignalValue);
    fn publish_stores(&self);
    fn flush(&self);
} }
