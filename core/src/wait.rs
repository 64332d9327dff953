//! How a host waits: a short active window, then asleep.

use std::time::Duration;

use crate::backend::{SignalMemory, WaitHint};

/// How the host spends a wait.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WaitPolicy {
    /// Spin at most this long before sleeping. 100 µs: a wake-up costs tens of microseconds.
    pub active_window: Duration,
    /// Give up after this long; the work goes on. The default, ten minutes, is for hung devices.
    pub limit: Duration,
}
impl Default for WaitPolicy {
    fn default() -> Self {
        Self { active_window: Duration::from_micros(100), limit: Duration::from_secs(600) }
    }
}

/// One call of a device's wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Phase {
    /// How to wait.
    pub hint: WaitHint,
    /// For how long at most.
    pub limit: Duration,
}

/// Whether to load a signal before waiting for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Check {
    /// One cheap load often saves the wait.
    First,
    /// The wait loads first itself, and each load is a PCIe read.
    InTheWait,
}

/// Whether a wait will sleep.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub enum Sleeps {
    /// It spins for the active window, then sleeps.
    AfterTheWindow,
    /// The signal wakes nobody: the wait spins to its end, and says so.
    WillSpin,
}

impl WaitPolicy {
    /// The phases of a wait for a signal in `memory`: the wait returns as soon as one sees completion.
    pub fn phases(&self, memory: SignalMemory) -> impl Iterator<Item = Phase> {
        let window = self.active_window.min(self.limit);
        let rest = self.limit - window;
        let second = match self.sleeps(memory) {
            Sleeps::AfterTheWindow => WaitHint::Blocked,
            Sleeps::WillSpin => WaitHint::Active,
        };
        let first = Phase { hint: WaitHint::Active, limit: window };
        let second = (rest > Duration::ZERO).then_some(Phase { hint: second, limit: rest });
        std::iter::once(first).chain(second)
    }
    /// Whether a wait for a signal in `memory` can sleep.
    pub fn sleeps(&self, memory: SignalMemory) -> Sleeps {
        if memory == SignalMemory::Interrupt { Sleeps::AfterTheWindow } else { Sleeps::WillSpin }
    }
    /// Whether to load before the wait.
    pub fn check(&self, memory: SignalMemory) -> Check {
        if memory.is_device() { Check::InTheWait } else { Check::First }
    }
}
