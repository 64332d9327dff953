//! How a host waits: a short active window, then asleep.

use std::time::Duration;

use crate::backend::{SignalMemory, WaitHint};

/// How the host spends a wait.
///
/// ```
/// use ringfence::wait::WaitPolicy;
/// use std::time::Duration;
/// // The thread has other things to do, and a frame that takes a second is a hung one.
/// let policy = WaitPolicy { active_window: Duration::ZERO, limit: Duration::from_secs(1) };
/// # assert_ne!(policy, WaitPolicy::default());
/// ```
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
///
/// ```
/// use ringfence::{backend::*, id::*, wait::WaitPolicy};
/// /// Whether `signal` was seen below 1: each phase is one call.
/// fn wait<D: Device>(gpu: &D, policy: &WaitPolicy, signal: SignalHandle, memory: SignalMemory) -> bool {
///     policy.phases(memory).any(|phase| {
///         let ended = gpu.wait(signal, SignalValue::ARMED, phase.hint, phase.limit);
///         matches!(ended, WaitOutcome::Reached(_))
///     })
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Phase {
    /// How to wait.
    pub hint: WaitHint,
    /// For how long at most.
    pub limit: Duration,
}

/// Whether to load a signal before waiting for it.
///
/// ```
/// use ringfence::{backend::SignalMemory, wait::{Check, WaitPolicy}};
/// let policy = WaitPolicy::default();
/// assert_eq!(policy.check(SignalMemory::Host), Check::First);
/// assert_eq!(policy.check(SignalMemory::Device), Check::InTheWait);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Check {
    /// One cheap load often saves the wait.
    First,
    /// The wait loads first itself, and each load is a PCIe read.
    InTheWait,
}

/// Whether a wait will sleep.
///
/// ```
/// # use ringfence::{backend::*, drive::Tracker, error::Error, wait::Sleeps};
/// # fn sync<D: Device, Q: PacketQueue>(tracker: &mut Tracker<D, Q>) -> Result<(), Error> {
/// match tracker.synchronize()?.sleeps {
///     Sleeps::AfterTheWindow => {}
///     Sleeps::WillSpin => eprintln!("this wait keeps a core busy"),
/// }
/// # Ok(())
/// # }
/// ```
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
    ///
    /// ```
    /// use ringfence::{backend::{SignalMemory, WaitHint}, wait::WaitPolicy};
    /// let hints = |memory| WaitPolicy::default().phases(memory).map(|phase| phase.hint).collect::<Vec<_>>();
    /// assert_eq!(hints(SignalMemory::Interrupt), [WaitHint::Active, WaitHint::Blocked]);
    /// assert_eq!(hints(SignalMemory::Host), [WaitHint::Active, WaitHint::Active]); // wakes nobody
    /// ```
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
