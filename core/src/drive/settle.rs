//! What follows from a proof: the timing is taken, the signal armed, the batch flushed.

use super::{policy::Audit, tracker::Tracker};
use crate::{
    backend::{Device, HostDataPath, PacketQueue, SignalMemory},
    error::Error,
    id::{SignalHandle, SignalValue, ValueState},
    ledger::LoadCause,
    proof::Harvest,
    ring::{Arm, Confirmed, Finished, Probe, Record, Timing},
    timing::Interval,
};

impl<D: Device, Q: PacketQueue> Tracker<D, Q> {
    #[inline]
    pub(super) fn load(
        &mut self,
        signal: SignalHandle,
        memory: SignalMemory,
        cause: LoadCause,
    ) -> SignalValue {
        self.counts.loads.note(cause, memory);
        self.device.load(signal)
    }
    /// Everything that `value`, loaded for `probe`, proves is retired.
    pub(super) fn settle(&mut self, probe: Probe, value: SignalValue) -> Result<(), Error> {
        match self.ring.confirm(probe, value) {
            Ok(Confirmed::Pending | Confirmed::Settled) => Ok(()),
            Ok(Confirmed::Own(finished)) => self.retire_elsewhere(finished),
            Ok(Confirmed::Fence(proof)) => {
                if let Some(mark) = self.ring.mark_of(proof.of().lane()) {
                    let _ = mark.raise(proof);
                }
                self.retire_known()
            }
            Err(error) => {
                self.counts.quarantined += 1;
                Err(error)
            }
        }
    }
    /// Retires what is known to be finished without a load.
    pub(super) fn retire_known(&mut self) -> Result<(), Error> {
        if let Some(proven) = self.ring.observe() {
            while let Some(finished) = self.ring.next_covered(proven) {
                self.retire_one(finished)?;
            }
        }
        while let Some(finished) = self.ring.next_finished() {
            self.retire_elsewhere(finished)?;
        }
        Ok(())
    }
    /// As [`retire_one`](Self::retire_one), away from the path of a use.
    #[inline(never)]
    pub(super) fn retire_elsewhere(&mut self, finished: Finished) -> Result<(), Error> {
        self.retire_one(finished)
    }
    /// Retires what queries and waits of others saw finished.
    pub(super) fn retire_observed(&mut self) -> Result<(), Error> {
        while let Some(finished) = self.ring.next_observed() {
            self.retire_elsewhere(finished)?;
        }
        self.retire_known()
    }
    #[inline(always)]
    fn retire_one(&mut self, finished: Finished) -> Result<(), Error> {
        if self.policy.audit == Audit::On {
            let value = self.load(finished.signal(), finished.memory(), LoadCause::Check);
            if value.state() != ValueState::Done && !planted!(IgnoreOverDecrement) {
                self.counts.quarantined += 1;
                return Err(self.ring.condemn(finished, value));
            }
        }
        // Timing first, then arming (S16).
        let harvest = match (finished.timing(), finished.record()) {
            (Timing::Wanted, Some(record)) if !planted!(ArmBeforeTiming) => {
                Harvest::taken(harvest(&self.device, record))
            }
            _ => Harvest::NOT_WANTED,
        };
        match self.ring.retire(finished, harvest) {
            Some(arm) => self.store(arm),
            None => self.note_kept(),
        }
        Ok(())
    }
    #[inline(always)]
    pub(super) fn store(&mut self, arm: Arm) {
        self.device.arm(arm.signal(), SignalValue::ARMED);
        self.counts.arms += 1;
        if self.ring.unflushed() >= self.policy.ring.batch as usize {
            self.flush();
        }
    }
    /// A finished use's signal was not armed: somebody holds it, or a waiter saw it below 0.
    #[cold]
    #[inline(never)]
    fn note_kept(&mut self) {
        let parked = self.ring.parked() as u64;
        self.counts.quarantined = self.counts.quarantined.max(self.ring.quarantined() as u64);
        self.counts.parks += 1;
        self.counts.parked_peak = self.counts.parked_peak.max(parked);
    }
    /// Makes what was armed visible to the packet processor, once for the whole batch (S10).
    #[inline(never)]
    pub(super) fn flush(&mut self) {
        if self.ring.unflushed() == 0 {
            return;
        }
        self.ring.flushed();
        if self.capabilities.owner_needs_flush() {
            self.flush_stores();
        } else {
            // The packets follow the stores through the same BAR, or there is no cache between.
            self.device.publish_stores();
            self.counts.store_fences += 1;
        }
    }
    /// A reader other than the owner's own packet processor is about to look: a copy engine, whose ring
    /// is in system memory, or a peer. Their stores are flushed when the use begins.
    pub(super) fn flush_for_others(&mut self, memory: SignalMemory) {
        if memory.is_device() && self.capabilities.path == HostDataPath::Hdp {
            self.flush_stores();
        }
    }
    fn flush_stores(&mut self) {
        if !planted!(NoFlush) {
            self.device.flush();
        }
        self.counts.flushes += 1;
        self.counts.loads.note(LoadCause::Flush, SignalMemory::Device); // its read back
    }
}

/// Takes the timing of a finished use, once.
pub(crate) fn harvest<D: Device>(device: &D, record: &Record) -> Option<Interval> {
    let rate = device.tick_rate();
    record.harvest(rate, |signal, engine| {
        record.about().ledger.note(LoadCause::Timing, record.about().memory);
        Interval::new(device.timestamps(signal, engine), rate)
    })
}
