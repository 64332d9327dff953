//! When packets and copies ran, in ticks of the agent's clock.
//!
//! A packet processor writes the ticks into the words of the signal, whatever memory that is in; they are taken from there, so that
//! the times of one agent are exact among each other. The runtime's own calls convert them to the system's clock, by a fit that it
//! makes anew several times a second: two stamps of two fits can end up in the wrong order
//! (<https://github.com/ROCm/rocm-systems/issues/9375>). Of a copy, the runtime keeps the ticks to itself and says the system's:
//! they are converted back.
//!
//! A packet of a queue that carries no times leaves the words as they are, so that they are cleared when it is committed
//! ([`PacketQueue::commit`](ringfence::backend::PacketQueue::commit)): of such a use there is no interval, whatever was before.

use ringfence::{
    backend::{Engine, Timestamps},
    id::SignalHandle,
    timing::{RawInterval, TickRate},
};

use crate::{device::HsaDevice, signals};

impl Timestamps for HsaDevice {
    /// # Panics
    /// If there is no such signal, or no more.
    fn timestamps(&self, signal: SignalHandle, engine: Engine) -> RawInterval {
        let held = signals::expect(&self.0, signal);
        let times = match (engine, held.for_calls()) {
            (Engine::Compute, _) => Some(held.block().times()),
            (Engine::Copy, Some(one)) => self.copy_ticks(self.runtime().api().copy_time(one)),
            // Copies complete no such signal.
            (Engine::Copy, None) => None,
        };
        held.check();
        match times.and_then(sound) {
            Some([start, end]) => RawInterval::new(start, end),
            None => RawInterval::default(),
        }
    }

    fn tick_rate(&self) -> TickRate {
        self.0.facts().tick_rate()
    }
}

impl HsaDevice {
    fn copy_ticks(&self, system: Option<[u64; 2]>) -> Option<[u64; 2]> {
        let [start, end] = sound(system?)?;
        let (api, agent) = (self.runtime().api(), self.0.facts().agent());
        let clocks = Clocks {
            to_system: |tick| api.to_system_tick(agent, tick),
            system: self.runtime().rate(),
            agent: self.tick_rate(),
        };
        let from = clocks.to_agent(start)?;
        // The length by the rates: converted alone, the end could come before the start.
        Some([from, from + clocks.scale(end - start)])
    }
}

/// Devices do write zeros, and stamps in reverse.
fn sound([start, end]: [u64; 2]) -> Option<[u64; 2]> {
    (start > 0 && end >= start).then_some([start, end])
}

/// A conversion of an agent's ticks to the system's, to be turned round.
struct Clocks<F> {
    to_system: F,
    system: TickRate,
    agent: TickRate,
}

/// Steps of the search. Each leaves of the distance what the clocks' rates are off from what they are said to be: parts of a million.
const STEPS: usize = 6;

impl<F: Fn(u64) -> Option<u64>> Clocks<F> {
    /// The tick of the agent's clock that is converted to `system`, or its neighbour.
    fn to_agent(&self, system: u64) -> Option<u64> {
        let mut tick = self.scale(system);
        for _ in 0..STEPS {
            let seen = (self.to_system)(tick)?;
            let off = self.scale(seen.abs_diff(system));
            if off == 0 {
                break;
            }
            tick = if seen > system { tick.saturating_sub(off) } else { tick.checked_add(off)? };
        }
        Some(tick)
    }

    /// So many ticks of the system's clock, in ticks of the agent's.
    fn scale(&self, system: u64) -> u64 {
        let ticks =
            u128::from(system) * u128::from(self.agent.hertz()) / u128::from(self.system.hertz());
        u64::try_from(ticks).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests;
