//! The device as a whole, host waits, timestamps and handlers.

use std::time::Duration;

use super::{Capabilities, Signals};
use crate::{
    error::HandlerRefused,
    id::{DeviceId, SignalHandle, SignalValue},
    timing::{RawInterval, TickRate},
};

/// Whether a device still works.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub enum DeviceStatus {
    /// It does.
    Alive,
    /// It was reported lost: nothing it was given will be seen to finish (S17).
    Lost,
}

/// Whether a tool that may read, modify and write completion signals is attached.
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
impl<T: Device + ?Sized> Device for &T {
    fn id(&self) -> DeviceId {
        (**self).id()
    }
    fn capabilities(&self) -> Capabilities {
        (**self).capabilities()
    }
    fn status(&self) -> DeviceStatus {
        (**self).status()
    }
    #[inline]
    fn profiler(&self) -> Profiler {
        (**self).profiler()
    }
}

/// How a host wait may spend its time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WaitHint {
    /// Polling.
    Active,
    /// Asleep, where the signal can wake its waiter.
    Blocked,
}

/// How a host wait ended.
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
/// 4. `force` stores 0 into a signal whose use is in flight and wakes its waiters. The device's late
///    decrement then takes it to -1.
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
impl<T: HostWait + ?Sized> HostWait for &T {
    fn wait(
        &self,
        signal: SignalHandle,
        below: SignalValue,
        hint: WaitHint,
        limit: Duration,
    ) -> WaitOutcome {
        (**self).wait(signal, below, hint, limit)
    }
    fn force(&self, signal: SignalHandle) {
        (**self).force(signal);
    }
}

/// Which kind of engine wrote a signal's timestamps: they are kept in different places.
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
pub trait Timestamps {
    /// Contract 1.
    fn timestamps(&self, signal: SignalHandle, engine: Engine) -> RawInterval;
    /// Contract 2.
    fn tick_rate(&self) -> TickRate;
}
impl<T: Timestamps + ?Sized> Timestamps for &T {
    fn timestamps(&self, signal: SignalHandle, engine: Engine) -> RawInterval {
        (**self).timestamps(signal, engine)
    }
    fn tick_rate(&self) -> TickRate {
        (**self).tick_rate()
    }
}

/// What a backend gives back when the signal that it watched completed.
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
pub trait Handlers {
    /// Contract 1.
    ///
    /// # Errors
    /// When this signal cannot wake a callback thread.
    fn watch(&self, signal: SignalHandle, token: HandlerToken) -> Result<(), HandlerRefused>;
}
impl<T: Handlers + ?Sized> Handlers for &T {
    fn watch(&self, signal: SignalHandle, token: HandlerToken) -> Result<(), HandlerRefused> {
        (**self).watch(signal, token)
    }
}
