//! What follows from a proof: the timing is taken, the signal armed, the batch flushed.

use super::{policy::Audit, reclaim::Left, tracker::Tracker};
use crate::{
    backend::{Device, HostDataPath, PacketQueue, SignalMemory},
    error::Error,
    id::{SignalHandle, SignalValue, ValueState},
    ledger::LoadCause,
    observe,
    proof::{Harvest, Proven},
    ring::{Arm, Confirmed, Finished, IsFence, Probe, Record, Released, Timing},
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
        let value = self.device.load(signal);
        observe::probed(self.id, signal, memory, cause, value);
        value
    }
    /// Everything that `value`, loaded for `probe`, proves is retired.
    pub(super) fn settle(&mut self, probe: Probe, value: SignalValue) -> Result<(), Error> {
        self.settle_step(probe, value).map(drop)
    }
    /// The same, as the step of a search.
    pub(super) fn settle_step(&mut self, probe: Probe, value: SignalValue) -> Result<Left, Error> {
        match self.ring.confirm(probe, value) {
            Ok(Confirmed::Pending | Confirmed::Settled) => Ok(Left::Retire),
            Ok(Confirmed::Own(finished)) => self.retire_one(finished).map(|()| Left::Retire),
            Ok(Confirmed::Fence(proof)) => {
                observe::proven(self.id, proof.of());
                if let Some(mark) = self.ring.mark_of(proof.of().lane()) {
                    let _ = mark.raise(proof);
                }
                self.retire_known().map(|()| Left::Unpark)
            }
            Err(error) => {
                self.counts.quarantined += 1;
                self.note_condemned(&error);
                Err(error)
            }
        }
    }
    /// A fence that fell below 0 proves nothing: a wait for the stream's work needs another one (S21).
    pub(super) fn note_condemned(&mut self, error: &Error) {
        let Error::OverDecrement { of, .. } = error else { return };
        observe::quarantined(self.id, *of);
        if let Some(tail) = self.tail.as_mut().filter(|tail| tail.of == *of) {
            tail.fence = IsFence::No;
        }
    }
    /// Retires what is known to be finished without a load.
    pub(super) fn retire_known(&mut self) -> Result<(), Error> {
        if let Some(proven) = self.ring.observe() {
            while self.ring.is_covered(proven) {
                if self.policy.audit == Audit::Off && self.retire_together(proven) > 0 {
                    continue;
                }
                let Some(finished) = self.ring.next_covered(proven) else { break };
                self.retire_one(finished)?;
            }
        }
        if self.ring.may_prove_more() {
            while let Some(finished) = self.ring.next_finished() {
                self.retire_one(finished)?;
            }
        }
        Ok(())
    }
    /// Retires what `proven` covers, up to the first use that needs more than that, as far as one flush
    /// goes. Returns how many.
    #[inline]
    fn retire_together(&mut self, proven: Proven) -> usize {
        let limit = (self.policy.ring.batch as usize).saturating_sub(self.ring.unflushed()).max(1);
        let Self { ring, device, id, .. } = self;
        let batch = ring.retire_together(proven, limit, |arm| {
            device.arm(arm.signal(), SignalValue::ARMED);
            observe::armed(*id, arm.signal());
        });
        self.counts.arms += batch.armed as u64;
        if batch.parked > 0 {
            self.note_kept(batch.parked);
        }
        self.flush_full_batch();
        batch.armed + batch.parked
    }
    /// Retires what queries and waits of others saw finished.
    pub(super) fn retire_observed(&mut self) -> Result<(), Error> {
        while let Some(finished) = self.ring.next_observed() {
            self.retire_one(finished)?;
        }
        self.retire_known()
    }
    #[inline(never)]
    pub(super) fn retire_one(&mut self, finished: Finished) -> Result<(), Error> {
        if self.policy.audit == Audit::On {
            let value = self.load(finished.signal(), finished.memory(), LoadCause::Check);
            if value.state() != ValueState::Done && !planted!(IgnoreOverDecrement) {
                self.counts.quarantined += 1;
                let error = self.ring.condemn(finished, value);
                self.note_condemned(&error);
                return Err(error);
            }
        }
        observe::retired(self.id, finished.of(), finished.grounds());
        // Timing first, then arming (S16).
        let harvest = match (finished.timing(), finished.record()) {
            (Timing::Wanted, Some(record)) if !planted!(ArmBeforeTiming) => {
                Harvest::taken(harvest(&self.device, record))
            }
            _ => Harvest::NOT_WANTED,
        };
        match self.ring.retire(finished, harvest) {
            Some(arm) => self.store(arm),
            None => self.note_kept(1),
        }
        Ok(())
    }
    #[inline]
    pub(super) fn store(&mut self, arm: Arm) {
        self.device.arm(arm.signal(), SignalValue::ARMED);
        observe::armed(self.id, arm.signal());
        self.counts.arms += 1;
        self.flush_full_batch();
    }
    #[inline]
    fn flush_full_batch(&mut self) {
        if self.ring.unflushed() >= self.policy.ring.batch as usize {
            self.flush();
        }
    }
    /// The signals of so many finished uses were not armed: somebody holds it, or a waiter saw it below 0.
    #[cold]
    #[inline(never)]
    fn note_kept(&mut self, count: usize) {
        let parked = self.ring.parked() as u64;
        observe::parked(self.id, count, self.ring.parked());
        self.counts.quarantined = self.counts.quarantined.max(self.ring.quarantined() as u64);
        self.counts.parks += count as u64;
        self.counts.parked_peak = self.counts.parked_peak.max(parked);
    }
    /// What follows from a look at a quarantined signal.
    pub(super) fn store_released(&mut self, released: Released) {
        match released {
            Released::NotYet => {}
            Released::Arm(arm) => self.store(arm),
            Released::Restore(signal, memory) => self.restore(signal, memory),
        }
    }
    /// The use is over or given up, and its signal below 0: GPU waiters that still look at it need exactly 0.
    pub(super) fn restore(&mut self, signal: SignalHandle, memory: SignalMemory) {
        self.device.arm(signal, SignalValue::DONE);
        self.flush_for_others(memory);
    }
    /// Makes what was armed visible to the packet processor, once for the whole batch (S10).
    #[inline(never)]
    pub(super) fn flush(&mut self) {
        if self.ring.unflushed() == 0 {
            return;
        }
        observe::flushed(self.id, self.ring.unflushed());
        self.ring.flushed();
        if self.capabilities.arms_need_flush() {
            self.flush_stores();
        } else {
            // The packets follow the stores through the same BAR, and nobody else looks; or there is no cache between.
            self.device.publish_stores();
            self.counts.store_fences += 1;
        }
    }
    /// A reader other than the owner's own packet processor is about to look: a copy engine, whose ring
    /// is in system memory, or a peer. Their stores are flushed when the use begins.
    pub(super) fn flush_for_others(&mut self, memory: SignalMemory) {
        if !memory.is_device() {
            return;
        }
        if self.capabilities.path == HostDataPath::Hdp {
            self.flush_stores();
        } else {
            self.device.publish_stores();
            self.counts.store_fences += 1;
        }
    }
    pub(super) fn flush_stores(&mut self) {
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
