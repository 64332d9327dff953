//! The tracker of one stream.

use super::{
    policy::{Policy, TrackerKind},
    queue::HardwareQueue,
    tally::Tally,
};
use crate::{
    backend::{Capabilities, Created, Device, DeviceStatus, PacketQueue, Profiler, SignalMemory},
    error::{CreateError, Error, Failure},
    id::{CacheScope, LaneId, RingId, SignalHandle, UseId},
    ledger::{Counts, Ledger},
    observe,
    placement::{DeviceSignals, Placement, Role},
    polling::PollingRing,
    ring::{IsFence, Reaper, Ring},
    sync::{Arc, next_ring},
};

/// Follows the work of one stream: gives each packet its signal, finds out what is finished, and arms
/// signals ahead of need.
///
/// See the crate's front page for an example. A tracker belongs to one stream and one thread at a time;
/// it is `Send` where its device and queue are.
///
/// ```
/// use ringfence::{backend::*, drive::*, error::Error};
/// fn run<D, Q>(gpu: D, queue: Q) -> Result<(), Error>
/// where
///     D: Device,
///     Q: PacketQueue<Work = &'static str>,
/// {
///     let mut tracker = Tracker::open(gpu, HardwareQueue::new(queue), Policy::default())?;
///     for _ in 0..10_000 {
///         tracker.submit(Submission::kernel("step"))?; // finds finished uses as it goes
///     }
///     tracker.close().map(drop) // waits for them
/// }
/// ```
#[derive(Debug)]
#[repr(C)] // what every use touches is in few cache lines: the ring's, and the one behind it
pub struct Tracker<D, Q> {
    pub(super) ring: Ring,
    pub(super) life: Life,
    /// The setting, as far as the device can: only a profiler that attaches still matters.
    pub(super) device_signals: DeviceSignals,
    pub(super) interrupts: Interrupts,
    pub(super) tail: Option<Tail>,
    pub(super) queue: HardwareQueue<Q>,
    pub(super) tally: Tally,
    pub(super) device: D,
    pub(super) policy: Policy,
    pub(super) capabilities: Capabilities,
    pub(super) polling: Option<PollingRing>,
    pub(super) counts: Counts,
    pub(super) ledger: Arc<Ledger>,
    pub(super) id: RingId,
    /// See `defer`.
    pub(super) deferred: Option<Error>,
    /// Work of an index space that restarted before anything was left in it that would prove all of it.
    pub(super) unprovable: Option<UseId>,
}

/// The newest packet of this stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tail {
    pub(super) of: UseId,
    /// A fence with a signal proves all of the stream's work on the queue.
    pub(super) fence: IsFence,
    pub(super) release: CacheScope,
}

/// Whether interrupt signals can still be had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Interrupts {
    Available,
    UsedUp,
}

/// How uses are followed, as long as the device lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Life {
    Retiring,
    Polling,
    /// The device was seen to be lost.
    Lost,
}

impl<D: Device, Q: PacketQueue> Tracker<D, Q> {
    /// Opens a tracker for one stream on `queue`, with its signals created and armed.
    ///
    /// # Errors
    /// [`Error::Create`] when not even one signal could be had.
    pub fn open(device: D, queue: HardwareQueue<Q>, policy: Policy) -> Result<Self, Error> {
        let capabilities = device.capabilities();
        let policy = Policy { ring: policy.ring.at_least_one(), ..policy };
        let ring = Ring::new(queue.mark().clone(), policy.ring, Arc::new(Reaper::new()));
        let polling = match policy.tracker {
            TrackerKind::Polling => Some(PollingRing::new(policy.ring, ring.reaper().clone())),
            TrackerKind::Retiring => None,
        };
        let mut tracker = Self {
            device,
            queue,
            policy,
            capabilities,
            device_signals: match policy.device_signals {
                DeviceSignals::On if capabilities.can_hold_device_signals() => DeviceSignals::On,
                DeviceSignals::On | DeviceSignals::Off => DeviceSignals::Off,
            },
            ring,
            polling,
            counts: Counts::default(),
            ledger: Arc::new(Ledger::new()),
            tally: Tally::new(policy.submission_batch),
            tail: None,
            id: RingId::new(next_ring()),
            deferred: None,
            unprovable: None,
            interrupts: Interrupts::Available,
            life: match policy.tracker {
                TrackerKind::Retiring => Life::Retiring,
                TrackerKind::Polling => Life::Polling,
            },
        };
        let main = tracker.place(Role::Dispatch);
        tracker.create(main, policy.ring.size)?;
        if tracker.place(Role::Blocking) == SignalMemory::Interrupt
            && policy.ring.interrupt_spares > 0
        {
            // Spares only: without them, the first blocking use creates its own, or says that it spins.
            let _ = tracker.create(SignalMemory::Interrupt, policy.ring.interrupt_spares);
        }
        Ok(tracker)
    }
    /// Which ring of this process this is: what [events](crate::observe) name it by.
    pub fn id(&self) -> RingId {
        self.id
    }
    /// The device.
    pub fn device(&self) -> &D {
        &self.device
    }
    /// The hardware queue that the stream is on.
    pub fn queue(&self) -> &HardwareQueue<Q> {
        &self.queue
    }
    /// What it was opened with.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }
    /// The ring, to look at.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }
    /// Where signals go when nobody holds them any more: to be destroyed by whoever reaps.
    pub fn reaper(&self) -> &Arc<Reaper> {
        self.ring.reaper()
    }
    /// What tracking has cost so far, events of this stream included.
    pub fn counts(&self) -> Counts {
        let mut counts = self.own_counts();
        self.ledger.add_to(&mut counts);
        counts
    }
    /// Uses that are not proven yet.
    pub fn in_flight(&self) -> usize {
        self.polling.as_ref().map_or_else(|| self.ring.in_flight(), PollingRing::in_flight)
    }
    pub(super) fn lane(&self) -> LaneId {
        self.queue.mark().lane()
    }
    #[cold]
    fn has_interrupt(&self) -> bool {
        match &self.polling {
            Some(polling) => polling.is_ready(SignalMemory::Interrupt),
            None => self.ring.usable(SignalMemory::Interrupt) > 0,
        }
    }
    /// The memory for a signal with this role, now.
    #[inline(always)]
    pub(super) fn place(&self, role: Role) -> SignalMemory {
        let allowed = match self.device_signals {
            DeviceSignals::On if self.device.profiler() == Profiler::Absent => DeviceSignals::On,
            // Not allowed anyway: there is nothing to keep a profiler from.
            DeviceSignals::On | DeviceSignals::Off => DeviceSignals::Off,
        };
        match Placement::memory_where(allowed, self.capabilities.features, role) {
            // Those that the tracker has serve again; only for more there is no event left.
            SignalMemory::Interrupt
                if self.interrupts == Interrupts::UsedUp && !self.has_interrupt() =>
            {
                SignalMemory::Host
            }
            memory => memory,
        }
    }
    /// Creates up to `count` signals for `pool`.
    pub(super) fn create(&mut self, pool: SignalMemory, count: u32) -> Result<(), Error> {
        let mut batch = [SignalHandle::NULL; 64];
        let mut left = count as usize;
        while left > 0 {
            let asked = left.min(batch.len());
            let part = &mut batch[..asked];
            part.fill(SignalHandle::NULL);
            let created = self.device.create(pool, part);
            let taken = self.take_in(pool, created, &batch[..asked]);
            match taken {
                Ok(taken) => left = left.saturating_sub(taken.max(1)),
                Err(_) if left < count as usize => break, // some is enough
                Err(cause) => return Err(self.creation_failed(pool, cause)),
            }
        }
        Ok(())
    }
    fn take_in(
        &mut self,
        pool: SignalMemory,
        created: Result<Created, CreateError>,
        batch: &[SignalHandle],
    ) -> Result<usize, CreateError> {
        let Created { count, memory } = created?;
        let mut taken = 0;
        for &signal in batch.iter().take(count).filter(|signal| !signal.is_null()) {
            match &mut self.polling {
                Some(polling) => polling.add(signal, pool, memory),
                None => self.ring.add(signal, pool, memory),
            }
            taken += 1;
        }
        observe::grown(self.id, pool, taken, memory);
        self.counts.created += taken as u64;
        if memory != pool {
            self.counts.fell_back += taken as u64;
        }
        if taken == 0 { Err(CreateError::NullHandle) } else { Ok(taken) }
    }
    fn creation_failed(&mut self, memory: SignalMemory, cause: CreateError) -> Error {
        if cause == CreateError::NoInterrupts {
            self.interrupts = Interrupts::UsedUp;
        }
        if cause == CreateError::DeviceLost { self.lose() } else { Error::Create { memory, cause } }
    }
    /// The device is lost: every pending use ends in an error (S17).
    pub(super) fn lose(&mut self) -> Error {
        if self.life != Life::Lost {
            self.life = Life::Lost;
            let leaked = match &mut self.polling {
                Some(polling) => polling.lose(Failure::DeviceLost),
                None => self.ring.lose(Failure::DeviceLost),
            };
            self.counts.leaked += u64::from(leaked);
            observe::device_lost(self.id, leaked);
        }
        self.lost_error()
    }
    /// Whether the device was lost: it is asked, and what it once said stays so, whatever it says later (S17).
    pub(super) fn check_lost(&mut self) -> Result<(), Error> {
        if self.life == Life::Lost {
            return Err(self.lost_error());
        }
        if self.device.status() == DeviceStatus::Lost {
            return Err(self.lose());
        }
        Ok(())
    }
    #[cold]
    #[inline(never)]
    pub(super) fn lost_error(&self) -> Error {
        Error::DeviceLost { leaked: u32::try_from(self.counts.leaked).unwrap_or(u32::MAX) }
    }
    /// Destroys the signals that nobody holds any more, on this thread. Cheap when there are none.
    pub fn reap(&mut self) {
        let Self { device, ring, counts, .. } = self;
        counts.destroyed += ring.reaper().reap(|signal| device.destroy(signal)) as u64;
    }
    /// Whether a use with the role `GpuWait` would live in device memory now.
    pub(crate) fn has_device_signals(&self) -> bool {
        self.place(Role::GpuWait).is_device()
    }
    /// What a tracker that creates a signal for each recording would do.
    pub(crate) fn create_one_more(&mut self) -> Result<(), Error> {
        if self.polling.is_none() {
            self.retire_observed()?;
            self.flush();
        }
        self.create(self.place(Role::HostQuery), 1)
    }
    #[inline(always)]
    pub(super) fn note_packet(&mut self, of: UseId, fence: IsFence, release: CacheScope) {
        self.tail = Some(Tail { of, fence, release });
    }
}

#[cfg(all(test, not(ringfence_loom)))]
mod tests;
