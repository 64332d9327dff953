//! What a use costs as hardware queues are added: as many streams, each on a queue of its own.

use std::time::Duration;

use ringfence::{
    backend::{Device, PacketQueue},
    drive::{HardwareQueue, Policy, Submission, Tracker},
    event::{Event, EventOptions},
    ledger::Counts,
};

use super::clock::Clock;
use crate::bench::problem::Problem;

/// So many queues, one run each.
pub(super) const QUEUES: [u32; 5] = [1, 2, 4, 8, 16];
/// Uses of each queue before the host waits for it: one submission batch, as a runtime has it.
pub(super) const BATCH: u32 = 64;
/// Of these, the last one records an event.
const KERNELS: u32 = BATCH - 1;

/// What a run came to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    pub(super) time: Duration,
    /// What the library counted, of all streams together.
    pub(super) counts: Counts,
    pub(super) before: Counts,
    /// Nanoseconds of a use on a device that does nothing, in this machine's time; where time is modelled.
    pub(super) bookkeeping: Option<f64>,
}
impl Cost {
    /// That were measured.
    pub(super) fn uses(&self) -> u64 {
        self.counts.uses - self.before.uses
    }
    pub(super) fn ns_per_use(&self) -> f64 {
        self.time.as_secs_f64() * 1e9 / self.uses().max(1) as f64
    }
}

/// Plays so many rounds: in each, the queues take turns for a batch, then the host waits for each. One round before them is not
/// measured.
pub(super) fn play<D, Q>(
    device: &D,
    queues: Vec<Q>,
    work: Q::Work,
    policy: Policy,
    clock: &Clock,
    rounds: u32,
) -> Result<Cost, Problem>
where
    D: Device + Clone,
    Q: PacketQueue,
{
    let open = |queue| {
        let tracker = Tracker::open(device.clone(), HardwareQueue::new(queue), policy)?;
        Ok::<_, Problem>((tracker, Event::new(EventOptions::default())))
    };
    let mut streams = queues.into_iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let round = |streams: &mut Vec<(Tracker<D, Q>, Event)>| -> Result<(), Problem> {
        for _ in 0..KERNELS {
            for (tracker, _) in &mut *streams {
                let _use = tracker.submit(Submission::kernel(work))?;
            }
        }
        for (tracker, event) in &mut *streams {
            let _use = event.record(tracker)?;
        }
        for (_, event) in &*streams {
            let _synced = event.synchronize(device, &policy.wait)?;
        }
        Ok(())
    };
    let counts = |streams: &[(Tracker<D, Q>, Event)]| {
        streams.iter().fold(Counts::default(), |sum, (tracker, _)| sum.plus(&tracker.counts()))
    };
    round(&mut streams)?;
    let before = counts(&streams);
    let begun = clock.now();
    for _ in 0..rounds {
        round(&mut streams)?;
    }
    let time = clock.now() - begun;
    let counts = counts(&streams);
    for (tracker, _) in streams {
        let _reaper = tracker.close()?;
    }
    Ok(Cost { time, counts, before, bookkeeping: None })
}
