//! The shell: contracts of the traits, faults, time and handlers.

mod contracts;
mod faults;
mod time;

use std::{num::NonZeroU32, time::Duration};

use ringfence::{backend::*, error::*, id::*};

use super::*;
use crate::{
    chooser::{Profile, Scripted, Seeded},
    clock::Ticks,
    model::{Completion, PacketState},
    oracle::Rule,
    trace::TraceLength,
    work::{CopyWork, Kernel},
};

struct Bench {
    system: MockSystem,
    device: MockDevice,
    queue: MockQueue,
}
impl Bench {
    fn new(pace: Pace) -> Self {
        Self::with(pace, DeviceSettings::default())
    }
    fn with(pace: Pace, settings: DeviceSettings) -> Self {
        let whole = Settings { pace, trace: TraceLength::Whole, ..Settings::default() };
        Self::on(MockSystem::new(Scripted::tame(), whole), settings)
    }
    fn on(system: MockSystem, settings: DeviceSettings) -> Self {
        let device = system.add_device(settings);
        let queue = device.add_queue();
        Self { system, device, queue }
    }
    fn signal(&self, memory: SignalMemory) -> SignalHandle {
        let mut one = [SignalHandle::NULL];
        let _ = self.device.create(memory, &mut one).expect("nothing is planned to fail");
        one[0]
    }
    fn submit(&self, ticks: u64, completes: SignalHandle) -> UseId {
        let at = self.queue.reserve(PacketCount::ONE);
        let body = Body::Kernel(Kernel::new(1, Ticks::new(ticks)));
        self.queue.commit(at, &Packet { body, completes, ..Packet::nothing() });
        self.queue.ring_doorbell(at);
        UseId::new(self.queue.lane(), at)
    }
    fn wait(&self, signal: SignalHandle, hint: WaitHint, limit: Duration) -> WaitOutcome {
        self.device.wait(signal, SignalValue::ARMED, hint, limit)
    }
}
const SECOND: Duration = Duration::from_secs(1);
const REACHED: WaitOutcome = WaitOutcome::Reached(SignalValue::DONE);
