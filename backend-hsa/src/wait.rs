//! Host waits.

use std::{
    hint, thread,
    time::{Duration, Instant},
};

use ringfence::{
    backend::{DeviceStatus, HostWait, WaitHint, WaitOutcome},
    id::{SignalHandle, SignalValue},
};

use crate::{
    device::HsaDevice,
    signals::{self, Class, Held},
};

/// A sleeping wait looks up so often: a lost GPU ends it within 100 ms, and so does an interrupt that was lost.
const SLICE: Duration = Duration::from_millis(50);
/// A spinning wait keeps its processor so long.
const SHORT: Duration = Duration::from_micros(200);
/// Loads between two looks at the clock, in host memory and across PCIe.
const LOADS: u32 = 64;
const DEVICE_LOADS: u32 = 4;

impl HostWait for HsaDevice {
    /// # Panics
    /// If there is no such signal, or it is destroyed during the wait: then within 50 ms.
    fn wait(
        &self,
        signal: SignalHandle,
        below: SignalValue,
        hint: WaitHint,
        limit: Duration,
    ) -> WaitOutcome {
        let held = signals::expect(&self.0, signal);
        let class = held.entry().class;
        let wait = Wait { device: self, held, below: below.as_i64() };
        if let Some(reached) = wait.reached() {
            return reached;
        }
        // A limit beyond what the clock can say is none.
        let until = Instant::now().checked_add(limit);
        match (class, hint) {
            (Class::Interrupt, WaitHint::Blocked) => wait.asleep(until),
            (_, WaitHint::Active | WaitHint::Blocked) => wait.spinning(until),
        }
    }

    /// # Panics
    /// If there is no such signal, or no more.
    fn force(&self, signal: SignalHandle) {
        let held = signals::expect(&self.0, signal);
        match held.for_calls() {
            Some(one) => self.runtime().api().store(one, 0),
            None => {
                held.block().store(0);
                self.0.flush_stores();
            }
        }
        held.check();
    }
}

/// One wait in progress. Nobody is locked out by it.
struct Wait<'a> {
    device: &'a HsaDevice,
    held: Held<'a>,
    below: i64,
}

impl Wait<'_> {
    fn reached(&self) -> Option<WaitOutcome> {
        let value = self.held.block().load();
        (value < self.below).then(|| self.reached_by(value))
    }

    fn reached_by(&self, value: i64) -> WaitOutcome {
        self.held.check();
        WaitOutcome::Reached(SignalValue::new(value))
    }

    /// Whether the GPU that waits, or the one that the signal belongs to, is lost. What finished before is still finished.
    /// Panics if the signal was destroyed meanwhile.
    fn lost(&self) -> Option<WaitOutcome> {
        self.held.check();
        let own = self.device.0.life().status();
        let owner = self.held.entry().owner.device as usize;
        let owner = self.device.runtime().life(owner).status();
        if own == DeviceStatus::Alive && owner == DeviceStatus::Alive {
            return None;
        }
        self.reached().or(Some(WaitOutcome::Lost))
    }

    fn asleep(&self, until: Option<Instant>) -> WaitOutcome {
        let Some(one) = self.held.for_calls() else { return self.spinning(until) };
        let (api, rate) = (self.device.runtime().api(), self.device.runtime().rate());
        loop {
            if let Some(lost) = self.lost() {
                return lost;
            }
            let left = until.map_or(SLICE, |until| until.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return self.reached().unwrap_or(WaitOutcome::TimedOut);
            }
            let slice = left.min(SLICE).as_nanos() * u128::from(rate.hertz()) / 1_000_000_000;
            let ticks = u64::try_from(slice).unwrap_or(u64::MAX).max(1);
            let value = api.wait_blocked(one, self.below, ticks);
            if value < self.below {
                return self.reached_by(value);
            }
        }
    }

    fn spinning(&self, until: Option<Instant>) -> WaitOutcome {
        let device = self.held.entry().memory().is_device();
        let loads = if device { DEVICE_LOADS } else { LOADS };
        let begun = Instant::now();
        loop {
            for _ in 0..loads {
                if let Some(reached) = self.reached() {
                    return reached;
                }
                hint::spin_loop();
            }
            if let Some(lost) = self.lost() {
                return lost;
            }
            let now = Instant::now();
            if until.is_some_and(|until| now >= until) {
                return self.reached().unwrap_or(WaitOutcome::TimedOut);
            }
            // A long wait leaves the processor to others. A short one does not: coming back costs more than what is waited for.
            if now.duration_since(begun) > SHORT {
                thread::yield_now();
            }
        }
    }
}
