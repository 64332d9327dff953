//! One queue in the engine's hands: an AQL queue or a copy engine's, with its doorbell.

use std::num::NonZeroU64;

use ringfence::id::{SignalHandle, SignalValue};

use crate::{
    address::Address,
    bus::Bus,
    os::Slot,
    processor::{AqlQueue, Place, Progress, Report, Turn},
    sdma::{BadRing, Pointer, SdmaQueue, Step, Stopped, Ticks},
};

/// A queue to be made.
pub struct NewQueue {
    /// Its number in the process.
    pub id: u32,
    /// Its doorbell, which says its GPU too.
    pub doorbell: Slot,
    /// What it takes.
    pub mode: Mode,
}
/// What a queue takes.
pub enum Mode {
    /// Packets of 64 bytes.
    Aql(Place),
    /// Packets of a copy engine.
    Sdma {
        /// The ring.
        ring: Address,
        /// Its length in bytes.
        bytes: u64,
        /// Where its read pointer is written.
        read: Address,
        /// Where its clients keep the write pointer.
        write: Address,
        /// How many bytes it moves in a microsecond; `None`: all at once.
        rate: Option<NonZeroU64>,
    },
}
/// Why a queue cannot be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum QueueError {
    /// A ring that hardware would not take.
    #[error(transparent)]
    Ring(#[from] BadRing),
    /// The number of packets is no power of 2.
    #[error("a ring of {0} packets is no power of 2")]
    Packets(u64),
}

/// Whether a copy engine's queue runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    Running,
    Suspended,
    Failed,
}
enum Work {
    Aql(AqlQueue),
    Sdma { queue: SdmaQueue, read: Address, write: Address, life: Life },
}

pub(super) struct Hosted {
    id: u32,
    doorbell: Slot,
    rang: bool,
    work: Work,
    idle: bool,
}
impl Hosted {
    pub(super) fn new(queue: NewQueue) -> Result<Self, QueueError> {
        let NewQueue { id, doorbell, mode } = queue;
        let work = match mode {
            Mode::Aql(place) if !place.packets.is_power_of_two() => {
                return Err(QueueError::Packets(place.packets));
            }
            Mode::Aql(place) => Work::Aql(AqlQueue::new(id, doorbell.gpu, place)),
            Mode::Sdma { ring, bytes, read, write, rate } => {
                let queue = SdmaQueue::new(ring, bytes, rate)?;
                Work::Sdma { queue, read, write, life: Life::Running }
            }
        };
        Ok(Self { id, doorbell, rang: false, work, idle: true })
    }
    pub(super) fn id(&self) -> u32 {
        self.id
    }
    pub(super) fn gpu(&self) -> u32 {
        self.doorbell.gpu
    }
    pub(super) fn suspend(&mut self, suspended: bool) {
        match &mut self.work {
            Work::Aql(queue) => queue.suspend(suspended),
            Work::Sdma { life: Life::Failed, .. } => {}
            Work::Sdma { life, .. } => {
                *life = if suspended { Life::Suspended } else { Life::Running };
            }
        }
        self.idle = false;
    }
    pub(super) fn fail(&mut self) {
        match &mut self.work {
            Work::Aql(queue) => queue.fail(),
            Work::Sdma { life, .. } => *life = Life::Failed,
        }
    }
    pub(super) fn saw(&mut self, signal: SignalHandle, value: SignalValue) {
        if let Work::Aql(queue) = &mut self.work {
            queue.saw(signal, value);
        }
    }
    /// Whether its doorbell rang or it is busy.
    pub(super) fn has_work(&mut self) -> bool {
        self.rang |= self.doorbell.rang();
        self.rang || !self.idle
    }
    pub(super) fn step<B: Bus>(&mut self, turn: &mut Turn<'_, B>) -> Progress {
        let rang = std::mem::take(&mut self.rang);
        let progress = match &mut self.work {
            Work::Aql(queue) => {
                if rang {
                    queue.ring_doorbell(turn);
                }
                queue.step(turn)
            }
            Work::Sdma { life: Life::Suspended, .. } => {
                // The doorbell is kept for when it goes on.
                self.rang = rang;
                return Progress::Idle;
            }
            Work::Sdma { life: Life::Failed, .. } => Progress::Idle,
            Work::Sdma { queue, read, write, life } => {
                let moved = copy_engine(queue, rang.then_some(*write), *read, turn);
                moved.unwrap_or_else(|failed| {
                    *life = Life::Failed;
                    turn.reports.push(failed);
                    Progress::Made
                })
            }
        };
        self.idle = progress == Progress::Idle;
        progress
    }
}

/// Lets a copy engine go as far as it can now.
fn copy_engine<B: Bus>(
    queue: &mut SdmaQueue,
    rang: Option<Address>,
    read: Address,
    turn: &mut Turn<'_, B>,
) -> Result<Progress, Report> {
    const BUDGET: u32 = 64;
    if let Some(write) = rang {
        queue.offer(Pointer::new(turn.bus.load_u64(write).map_err(Report::Fault)?));
    }
    let mut made = false;
    for _ in 0..BUDGET {
        let before = queue.read_pointer();
        let step = queue.step(turn.now, turn.bus, Ticks::new(turn.ticks));
        let step = step.map_err(|stopped| match stopped {
            Stopped::Fault { fault, .. } => Report::Fault(fault),
            Stopped::Unknown { .. } => Report::Stopped(stopped),
        })?;
        if queue.read_pointer() != before {
            let at = queue.read_pointer().as_u64();
            turn.bus.store_u64(read, at).map_err(Report::Fault)?;
        }
        match step {
            Step::Done => made = true,
            Step::Interrupt(event) => {
                made = true;
                turn.reports.push(Report::Interrupt(event.as_u32()));
            }
            Step::HdpFlush => {
                made = true;
                turn.reports.push(Report::Flushed);
            }
            Step::Idle | Step::Waiting | Step::Busy(_) if made => break,
            Step::Idle => return Ok(Progress::Idle),
            Step::Waiting => return Ok(Progress::Waiting(None)),
            Step::Busy(until) => return Ok(Progress::Waiting(Some(until))),
        }
    }
    Ok(Progress::Made)
}
