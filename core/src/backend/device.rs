//! The device as a whole, host waits, timestamps and handlers.

use std::time::Duration;

use super::{Capabilities, Signals, pointers::through_pointers};
use crate::{
    error::HandlerRefused,
    id::{DeviceId, SignalHandle, SignalValue},
    timing::{RawInterval, TickRate},
};

/// Whether a device still works.
///
/// ```
/// use ringfence::backend::{Device, DeviceStatus};
/// fn is_usable<D: Device>(gpu: &D) -> bool {
///     match gpu.status() {
///         DeviceStatus::Alive => true,
///         DeviceStatus::Lost => false, // for ever: open no tracker on it
///     }
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub enum DeviceStatus {
    /// It does.
    Alive,
    /// It was reported lost: nothing it was given will be seen to finish (S17).
    Lost,
}

/// Whether a tool that may read, modify and write completion signals is attached.
///
/// ```
/// use ringfence::backend::Profiler;
/// use std::sync::atomic::{AtomicBool, Ordering};
/// /// A backend's `profiler`: asked before each use is placed, so that it is one load.
/// fn profiler(tool_is_loaded: &AtomicBool) -> Profiler {
///     if tool_is_loaded.load(Ordering::Relaxed) { Profiler::Attached } else { Profiler::Absent }
/// }
/// # assert_eq!(profiler(&AtomicBool::new(true)), Profiler::Attached);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub enum Profiler {
    /// No tool looks.
    Absent,
    /// One does: signals in device memory are not given to new uses.
    Attached,
}

/// One device: its signals, waits and clock, and what it is.
///
/// # Contract
/// 1. `id` and `capabilities` never change.
/// 2. `status` is `Lost` from the report of a loss on, for ever.
/// 3. `profiler` may change at any time; it is asked before a use is placed.
///
/// ```
/// use ringfence::{backend::*, placement::*};
/// /// Where the signal of a use with this role would live now.
/// fn memory_now<D: Device>(gpu: &D, role: Role) -> SignalMemory {
///     let (capabilities, profiler) = (gpu.capabilities(), gpu.profiler());
///     Placement { device_signals: DeviceSignals::On, capabilities, profiler }.memory(role)
/// }
/// ```
pub trait Device: Signals + HostWait + Timestamps {
    /// Which device this is.
    fn id(&self) -> DeviceId;
    /// What it can do.
    fn capabilities(&self) -> Capabilities;
    /// Whether it lives.
    fn status(&self) -> DeviceStatus;
    /// Whether a profiler is attached.
    fn profiler(&self) -> Profiler;
}
through_pointers! { Device {
    fn id(&self) -> DeviceId;
    fn capabilities(&self) -> Capabilities;
    fn status(&self) -> DeviceStatus;
    fn profiler(&self) -> Profiler;
} }

/// How a host wait may spend its time.
///
/// ```
/// use ringfence::backend::WaitHint;
/// /// The `hsa_wait_state_t` of a hint.
/// fn wait_state(hint: WaitHint) -> u32 {
///     match hint {
///         WaitHint::Blocked => 0,
///         WaitHint::Active => 1,
///     }
/// }
/// # assert_ne!(wait_state(WaitHint::Active), wait_state(WaitHint::Blocked));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WaitHint {
    /// Polling.
    Active,
    /// Asleep, where the signal can wake its waiter.
    Blocked,
}

/// How a host wait ended.
///
/// ```
/// use ringfence::{backend::WaitOutcome, id::{SignalValue, ValueState}};
/// fn describe(ended: WaitOutcome) -> &'static str {
///     match ended {
///         WaitOutcome::Reached(value) if value.state() == ValueState::Done => "finished",
///         WaitOutcome::Reached(_) => "below the bound, but not 0",
///         WaitOutcome::TimedOut => "not yet",
///         WaitOutcome::Lost => "never",
///     }
/// }
/// assert_eq!(describe(WaitOutcome::Reached(SignalValue::DONE)), "finished");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub enum WaitOutcome {
    /// The value is below the bound.
    Reached(SignalValue),
    /// The limit passed first; the value is still at or above the bound.
    TimedOut,
    /// The device is lost; a wait in progress says so within 100 ms of the report (S17).
    Lost,
}

/// Waiting on the host.
///
/// # Contract
/// 1. `wait` returns `Reached` with the value it saw, acquired as by `load`, once the value is below
///    `below`; `TimedOut` after `limit`; `Lost` within 100 ms of the report of a loss.
/// 2. It loads before it sleeps, so that no check is needed before it.
/// 3. With [`WaitHint::Blocked`] it sleeps on a signal of
///    [`SignalMemory::Interrupt`](super::SignalMemory::Interrupt); on others it spins.
/// 4. `force` stores 0, with release order, into a signal whose use is in flight and wakes its waiters: who sees the 0
///    sees the error that was noted before. The device's late decrement then takes it to -1.
///
/// ```
/// # use ringfence::{backend::*, id::*};
/// # use std::{sync::atomic::{AtomicBool, AtomicI64, Ordering::*}, time::{Duration, Instant}};
/// /// One signal, whose value is in host memory and wakes nobody.
/// struct OneCell { value: AtomicI64, lost: AtomicBool }
/// impl HostWait for OneCell {
///     fn wait(&self, _: SignalHandle, below: SignalValue, _: WaitHint, limit: Duration) -> WaitOutcome {
///         let began = Instant::now();
///         loop {
///             let value = SignalValue::new(self.value.load(Acquire)); // before anything else
///             if value < below {
///                 return WaitOutcome::Reached(value);
///             } else if self.lost.load(Relaxed) {
///                 return WaitOutcome::Lost;
///             } else if began.elapsed() >= limit {
///                 return WaitOutcome::TimedOut;
///             }
///             std::hint::spin_loop();
///         }
///     }
///     fn force(&self, _: SignalHandle) {
///         self.value.store(0, Release);
///     }
/// }
/// # let cell = OneCell { value: AtomicI64::new(1), lost: AtomicBool::new(false) };
/// # let wait = || cell.wait(SignalHandle::new(1), SignalValue::ARMED, WaitHint::Active, Duration::ZERO);
/// # assert_eq!(wait(), WaitOutcome::TimedOut);
/// # cell.force(SignalHandle::new(1));
/// # assert_eq!(wait(), WaitOutcome::Reached(SignalValue::DONE));
/// ```
pub trait HostWait {
    /// Contracts 1 to 3.
    fn wait(
        &self,
        signal: SignalHandle,
        below: SignalValue,
        hint: WaitHint,
        limit: Duration,
    ) -> WaitOutcome;
    /// Contract 4.
    fn force(&self, signal: SignalHandle);
}
through_pointers! { HostWait {
    fn wait(
        &self,
        signal: SignalHandle,
        below: SignalValue,
        hint: WaitHint,
        limit: Duration,
    ) -> WaitOutcome;
    fn force(&self, signal: SignalHandle);
} }

/// Which kind of engine wrote a signal's timestamps: they are kept in different places.
///
/// ```
/// use ringfence::backend::Engine;
/// /// Which of HSA's calls reads the timestamps.
/// fn reads_timestamps(engine: Engine) -> &'static str {
///     match engine {
///         Engine::Compute => "hsa_amd_profiling_get_dispatch_time",
///         Engine::Copy => "hsa_amd_profiling_get_async_copy_time",
///     }
/// }
/// # assert!(reads_timestamps(Engine::Copy).contains("copy"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Engine {
    /// A packet processor.
    Compute,
    /// A copy engine (SDMA).
    Copy,
}

/// Timestamps of completed packets.
///
/// # Contract
/// 1. `timestamps` reads the start and end of the packet that last completed `signal`. It is called
///    after that completion and before the signal is armed again (a law of
///    `hsa_amd_profiling_get_dispatch_time`).
/// 2. Both are ticks of `tick_rate`, which never changes. A device without a clock answers with
///    `RawInterval::default()`, which is no interval.
///
/// ```
/// use ringfence::{backend::{Engine, Timestamps}, id::SignalHandle, timing::*};
/// struct NoClock;
/// impl Timestamps for NoClock {
///     fn timestamps(&self, _: SignalHandle, _: Engine) -> RawInterval {
///         RawInterval::default()
///     }
///     fn tick_rate(&self) -> TickRate {
///         TickRate::new(std::num::NonZeroU64::MIN) // of no meaning here, and never 0
///     }
/// }
/// let raw = NoClock.timestamps(SignalHandle::new(1), Engine::Compute);
/// assert_eq!(Interval::new(raw, NoClock.tick_rate()), None);
/// ```
pub trait Timestamps {
    /// Contract 1.
    fn timestamps(&self, signal: SignalHandle, engine: Engine) -> RawInterval;
    /// Contract 2.
    fn tick_rate(&self) -> TickRate;
}
through_pointers! { Timestamps {
    fn timestamps(&self, signal: SignalHandle, engine: Engine) -> RawInterval;
    fn tick_rate(&self) -> TickRate;
} }

/// What a backend gives back when the signal that it watched completed.
///
/// ```
/// use ringfence::backend::HandlerToken;
/// // A C callback has one argument, and a token fits into it.
/// let watched = HandlerToken::new(7);
/// let argument = watched.as_u64();
/// assert_eq!(HandlerToken::new(argument), watched);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct HandlerToken(u64);
impl HandlerToken {
    /// The token with this number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }
    /// Its number.
    pub const fn as_u64(self) -> u64 {
        self.0
    }
}

/// Calls back, on a thread of the backend, when a signal falls below 1.
///
/// # Contract
/// 1. After `watch`, the token is reported exactly once, on the callback thread, after the value was
///    seen below 1; or once after the device was lost.
/// 2. It may be reported late, and looks at the value only when it gets there: a signal that was armed
///    again by then looks unfinished. So the caller holds the signal until the token was handled.
///
/// ```
/// # use ringfence::{backend::*, error::HandlerRefused, id::SignalHandle};
/// use std::sync::mpsc::Sender;
/// /// Hands what to watch to a callback thread, which sends each token on to `HandlerTable::handle`.
/// struct Callbacks(Sender<(SignalHandle, HandlerToken)>);
/// impl Handlers for Callbacks {
///     fn watch(&self, signal: SignalHandle, token: HandlerToken) -> Result<(), HandlerRefused> {
///         // That thread ends only with its device.
///         self.0.send((signal, token)).map_err(|_gone| HandlerRefused::DeviceLost)
///     }
/// }
/// # let (to_thread, thread) = std::sync::mpsc::channel();
/// # assert_eq!(Callbacks(to_thread.clone()).watch(SignalHandle::new(1), HandlerToken::new(7)), Ok(()));
/// # drop(thread);
/// # let refused = Callbacks(to_thread).watch(SignalHandle::new(1), HandlerToken::new(8));
/// # assert_eq!(refused, Err(HandlerRefused::DeviceLost));
/// ```
pub trait Handlers {
    /// Contract 1.
    ///
    /// # Errors
    /// When this signal cannot wake a callback thread.
    fn watch(&self, signal: SignalHandle, token: HandlerToken) -> Result<(), HandlerRefused>;
}
through_pointers! { Handlers {
    fn watch(&self, signal: SignalHandle, token: HandlerToken) -> Result<(), HandlerRefused>;
} }
