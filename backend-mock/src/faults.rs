//! Faults that a test asks for, each at one place.

use std::{collections::VecDeque, num::NonZeroU32};

use ringfence::backend::PartIndex;

use crate::stamps::Stamping;

/// The k-th from now; the next is the first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Nth(NonZeroU32);
impl Nth {
    /// The next one.
    pub const NEXT: Self = Self(NonZeroU32::MIN);
    /// The `k`-th from now.
    pub const fn new(k: NonZeroU32) -> Self {
        Self(k)
    }
}

/// What goes wrong with the creation of one signal.
///
/// ```
/// # use ringfence::{backend::*, id::*};
/// use ringfence_mock::{chooser::Scripted, faults::{CreationFault, Nth}, system::*};
/// let system = MockSystem::new(Scripted::tame(), Settings::default());
/// let gpu = system.add_device(DeviceSettings::default());
/// system.fail_creation(Nth::NEXT, CreationFault::NullHandle);
/// let mut batch = [SignalHandle::NULL; 2];
/// let created = gpu.create(SignalMemory::Host, &mut batch)?;
/// assert_eq!(created.count, 2); // a success, by its own words
/// assert!(batch[0].is_null() && !batch[1].is_null());
/// # Ok::<(), ringfence::error::CreateError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CreationFault {
    /// It fails; what the batch has before it is a partial success.
    Fails,
    /// It succeeds and brings the null handle (<https://github.com/ROCm/rocm-systems/issues/1309>).
    NullHandle,
    /// It, and what the batch has after it, lands in host memory: only at the start of a batch.
    FallsBack,
}

/// Faults that wait for their moment.
#[derive(Clone, Hash, Debug, Default)]
pub(crate) struct Faults {
    creations: Vec<(u32, CreationFault)>,
    parts: Vec<PartIndex>,
    pub(crate) stamps: VecDeque<Stamping>,
    pub(crate) interrupts_to_lose: u32,
}
impl Faults {
    pub(crate) fn at_creation(&mut self, nth: Nth, fault: CreationFault) {
        self.creations.push((nth.0.get(), fault));
    }
    /// One more signal is created: what goes wrong with it.
    pub(crate) fn creation(&mut self) -> Option<CreationFault> {
        let mut due = None;
        self.creations.retain_mut(|(left, fault)| {
            *left -= 1;
            if *left == 0 {
                due = Some(*fault);
            }
            *left > 0
        });
        due
    }
    pub(crate) fn at_part(&mut self, part: PartIndex) {
        self.parts.push(part);
    }
    /// Whether this part is refused.
    pub(crate) fn refuses(&mut self, part: PartIndex) -> bool {
        let found = self.parts.iter().position(|&refused| refused == part);
        found.map(|at| self.parts.swap_remove(at)).is_some()
    }
}
