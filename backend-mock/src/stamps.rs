//! Timestamps as devices write them: in place, once a completion, not always well.

use std::collections::BTreeMap;

use ringfence::{
    backend::Engine,
    id::SignalHandle,
    timing::{RawInterval, TickRate},
};

use crate::clock::Instant;

/// What a completion writes beside the signal's value.
///
/// ```
/// use ringfence_mock::{chooser::Scripted, stamps::Stamping, system::*};
/// let system = MockSystem::new(Scripted::tame(), Settings::default());
/// system.stamp_next([Stamping::Zero, Stamping::Reversed]); // the next two completions
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stamping {
    /// Start and end.
    Honest,
    /// Two zeros.
    Zero,
    /// End and start exchanged.
    Reversed,
    /// The start, and an end that is still 0: the real one comes with the next device move.
    Late,
    /// An end, and a start of 0.
    NoStart,
}
impl Stamping {
    /// All, the tamest first: the answers at [`Site::Stamps`](crate::chooser::Site::Stamps).
    pub const ALL: [Self; 5] =
        [Self::Honest, Self::Zero, Self::Reversed, Self::Late, Self::NoStart];
}

/// The timestamp fields of all signals. Compute and copy engines have places of their own.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Stamps {
    compute: Vec<(u64, u64)>,
    copy: BTreeMap<u64, (u64, u64)>,
    /// Ends that are not written yet, in order of completion.
    late: Vec<(SignalHandle, Engine, u64)>,
}
impl Stamps {
    pub(crate) fn read(&self, signal: SignalHandle, engine: Engine) -> RawInterval {
        let (start, end) = match engine {
            Engine::Compute => self.compute.get(index(signal)).copied().unwrap_or_default(),
            Engine::Copy => self.copy.get(&signal.as_u64()).copied().unwrap_or_default(),
        };
        RawInterval::new(start, end)
    }
    fn set(&mut self, signal: SignalHandle, engine: Engine, stamps: (u64, u64)) {
        match engine {
            Engine::Compute => {
                let at = index(signal);
                if at >= self.compute.len() {
                    self.compute.resize(at + 1, (0, 0));
                }
                self.compute[at] = stamps;
            }
            Engine::Copy => drop(self.copy.insert(signal.as_u64(), stamps)),
        }
    }
    /// A completion writes its stamps.
    pub(crate) fn write(
        &mut self,
        signal: SignalHandle,
        engine: Engine,
        ran: (Instant, Instant),
        rate: TickRate,
        how: Stamping,
    ) {
        self.settle();
        let (start, end) = (ran.0.ticks(rate), ran.1.ticks(rate));
        let stamps = match how {
            Stamping::Honest => (start, end),
            Stamping::Zero => (0, 0),
            // A packet of no duration has equal stamps, which are in order either way round.
            Stamping::Reversed => (end.max(start + 1), start),
            Stamping::NoStart => (0, end),
            Stamping::Late => {
                self.late.push((signal, engine, end));
                (start, 0)
            }
        };
        self.set(signal, engine, stamps);
    }
    /// Late ends are written now.
    #[inline]
    pub(crate) fn settle(&mut self) {
        if self.late.is_empty() {
            return;
        }
        for (signal, engine, end) in std::mem::take(&mut self.late) {
            let start = match engine {
                Engine::Compute => self.compute[index(signal)].0,
                Engine::Copy => self.copy[&signal.as_u64()].0,
            };
            self.set(signal, engine, (start, end));
        }
    }
}

fn index(signal: SignalHandle) -> usize {
    usize::try_from(signal.as_u64()).expect("handles of the mock are small")
}
