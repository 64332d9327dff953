//! When packets and copies ran, in ticks of the system's clock.
//!
//! The runtime converts the times of its own signals (`hsa_amd_profiling_get_dispatch_time`). Those of a block in device memory
//! are in its words, in ticks of the agent's clock, and are converted by the same runtime, so that all can be compared.

use ringfence::{
    backend::{Engine, Timestamps},
    id::SignalHandle,
    timing::{RawInterval, TickRate},
};

use crate::{
    device::HsaDevice,
    signals::{self},
};

impl Timestamps for HsaDevice {
    fn timestamps(&self, signal: SignalHandle, engine: Engine) -> RawInterval {
        let entry = signals::expect(signal);
        let (api, agent) = (self.runtime().api(), self.0.facts().agent());
        let times = match (entry.for_calls(), engine) {
            (Some(one), Engine::Compute) => api.packet_time(agent, one),
            (Some(one), Engine::Copy) => api.copy_time(one),
            (None, Engine::Compute | Engine::Copy) => {
                sound(signals::block(signal).times()).and_then(|[start, end]| {
                    // The end first: the runtime may fit its clocks anew in between, which must not lengthen the work.
                    let end = api.to_system_tick(agent, end)?;
                    Some([api.to_system_tick(agent, start)?, end])
                })
            }
        };
        match times.and_then(sound) {
            Some([start, end]) => RawInterval::new(start, end),
            None => RawInterval::default(),
        }
    }

    fn tick_rate(&self) -> TickRate {
        self.runtime().rate()
    }
}

/// Devices do write zeros, and stamps in reverse.
fn sound([start, end]: [u64; 2]) -> Option<[u64; 2]> {
    (start > 0 && end >= start).then_some([start, end])
}
