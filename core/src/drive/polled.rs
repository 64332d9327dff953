//! The polling tracker: one load or more before each use, as runtimes do without a retirement ring.

use super::{
    copy::CopySubmission, settle::harvest, submission::Submission, tracker::Tracker,
    waiting::wait_until_done,
};
use crate::{
    backend::{
        CopyEngine, Device, Engine, MAX_DEPS, PacketCount, PacketQueue, SignalMemory, WaitOutcome,
    },
    error::{CreateError, Error, WaitedFor},
    id::{Barrier, CacheScope, LaneId, Parts, SignalHandle, SignalValue, UseId},
    ledger::LoadCause,
    observe,
    placement::Role,
    polling::{Front, Judged, Place, PolledUse, PollingRing, Rearmed, SuspectPlace},
    proof::Harvest,
    ring::{Holder, IsFence, PacketOrder, Record, Recorded, Timing},
    sync::Arc,
    wait::Sleeps,
};

/// A tracker that polls has its ring.
const POLLS: &str = "called with the polling tracker alone";

impl<D: Device, Q: PacketQueue> Tracker<D, Q> {
    fn polls(&mut self) -> &mut PollingRing {
        self.polling.as_mut().expect(POLLS)
    }
    /// An armed signal at the front of `pool`: looked at, waited for, grown, as it takes.
    fn poll_front(&mut self, pool: SignalMemory) -> Result<(SignalHandle, SignalMemory), Error> {
        loop {
            match self.polls().front(pool) {
                Front::Armed(signal, memory) => return Ok((signal, memory)),
                Front::Empty => self.create(pool, 1)?,
                Front::Over => self.rearm_front(pool),
                Front::Load(signal, memory) => {
                    let value = self.load(signal, memory, LoadCause::Retire);
                    let place = PollingRing::front_place(pool);
                    if self.judge(place, value)? == Judged::Over {
                        continue;
                    }
                    if self.polls().may_grow(pool) && self.create(pool, 1).is_ok() {
                        self.counts.grows += 1;
                    } else {
                        self.counts.waits_for_room += 1;
                        let _sleeps = self.wait_at(place)?;
                    }
                }
            }
        }
    }
    /// A pool with an armed signal for `role` at its front: host signals, once interrupts are used up.
    fn poll_for(
        &mut self,
        role: Role,
    ) -> Result<(SignalMemory, SignalHandle, SignalMemory), Error> {
        let pool = self.place(role);
        match self.poll_front(pool) {
            Err(Error::Create { cause: CreateError::NoInterrupts, .. }) => {
                let instead = self.place(role);
                self.poll_front(instead).map(|(signal, memory)| (instead, signal, memory))
            }
            polled => polled.map(|(signal, memory)| (pool, signal, memory)),
        }
    }
    fn rearm_front(&mut self, pool: SignalMemory) {
        match self.polls().rearm(pool) {
            Some(Rearmed::Arm(arm)) => {
                self.device.arm(arm.signal(), SignalValue::ARMED);
                observe::armed(self.id, arm.signal());
                self.counts.arms += 1;
                if pool.is_device() {
                    self.flush_one();
                }
            }
            Some(Rearmed::GivenAway) => {
                self.counts.parks += 1;
                observe::parked(self.id, 1, 0);
                self.reap();
            }
            None => {}
        }
    }
    /// One flush for one arm: there is no batch.
    fn flush_one(&mut self) {
        if self.capabilities.arms_need_flush() {
            self.flush_stores();
        } else {
            self.device.publish_stores();
            self.counts.store_fences += 1;
        }
    }
    fn judge(&mut self, place: Place, value: SignalValue) -> Result<Judged, Error> {
        let Self { polling, device, .. } = self;
        let take = |timing: Timing, record: Option<&Arc<Record>>| match (timing, record) {
            (Timing::Wanted, Some(record)) if !planted!(ArmBeforeTiming) => {
                Harvest::taken(harvest(device, record))
            }
            _ => Harvest::NOT_WANTED,
        };
        let judged = polling.as_mut().expect(POLLS).judge(place, value, take);
        if let Err(error) = &judged {
            self.note_condemned(error);
        }
        judged
    }
    /// Waits on the host for the use at `place`.
    fn wait_at(&mut self, place: Place) -> Result<Sleeps, Error> {
        let Some((signal, memory, of)) = self.polls().at(place) else {
            return Ok(Sleeps::AfterTheWindow);
        };
        match wait_until_done(&self.device, &self.policy.wait, signal, memory) {
            WaitOutcome::Reached(value) => {
                let _judged = self.judge(place, value)?;
                Ok(self.policy.wait.sleeps(memory))
            }
            WaitOutcome::TimedOut => Err(Error::TimedOut { of, waited_for: WaitedFor::Use }),
            WaitOutcome::Lost => Err(self.lose()),
        }
    }
    pub(super) fn wait_polled(&mut self, of: UseId) -> Result<Sleeps, Error> {
        match self.polls().find(of) {
            Some(place) => self.wait_at(place),
            None => Ok(Sleeps::AfterTheWindow),
        }
    }
    /// Waits for every use in flight, but for those on a queue where nothing can be waited for.
    pub(super) fn wait_all_polled(&mut self, but_on: Option<LaneId>) -> Result<(), Error> {
        while let Some(place) = self.polls().next_busy_but_on(but_on) {
            let _sleeps = self.wait_at(place)?;
        }
        Ok(())
    }
    /// Looks once at one use, and says whether it is over.
    pub(super) fn look_at_polled(&mut self, of: UseId) -> Result<bool, Error> {
        let Some(place) = self.polls().find(of) else {
            return Ok(true);
        };
        let Some((signal, memory, _)) = self.polls().at(place) else {
            return Ok(true);
        };
        let value = self.load(signal, memory, LoadCause::Check);
        Ok(self.judge(place, value)? == Judged::Over)
    }
    /// Looks once at every use in flight.
    pub(super) fn poll_all(&mut self) -> Result<(), Error> {
        let mut next = self.polls().next_busy(None);
        while let Some(place) = next {
            if let Some((signal, memory, _)) = self.polls().at(place) {
                let value = self.load(signal, memory, LoadCause::Retire);
                let _judged = self.judge(place, value)?;
            }
            next = self.polls().next_busy(Some(place.after()));
        }
        self.poll_suspects();
        Ok(())
    }
    /// Looks once at every signal that was set aside.
    pub(super) fn poll_suspects(&mut self) {
        let mut at = SuspectPlace::FIRST;
        while let Some((signal, memory)) = self.polls().suspect(at) {
            let value = self.load(signal, memory, LoadCause::Check);
            let judged = self.polls().judge_suspect(at, value);
            // A forced copy in parts is never over, and each part that ends late takes its signal below what waiters need.
            if value < SignalValue::DONE {
                self.restore(signal, memory);
            }
            at = at.after(judged);
        }
    }
    #[inline(never)]
    pub(super) fn publish_polled(
        &mut self,
        what: Submission<Q::Work>,
        record: Option<&mut Arc<Record>>,
    ) -> Result<UseId, Error> {
        let (pool, signal, memory) = self.poll_for(what.role)?;
        let at = self.queue.reserve(PacketCount::ONE);
        let lane = self.lane();
        let with = what.as_use(lane);
        let of = UseId::new(lane, at);
        let fence = if with.barrier == Barrier::Set { IsFence::Yes } else { IsFence::No };
        let about = || Recorded {
            of,
            fence: IsFence::No, // polled: nothing is proven by another's completion
            order: with.order,
            timing: with.timing,
            release: what.release,
            memory,
            device: self.device.id(),
            engine: Engine::Compute,
            mark: None,
            ledger: self.ledger.clone(),
        };
        let about = record.is_some().then(about);
        self.bind_polled(pool, of, (with.timing, with.parts), record, about);
        self.queue.commit(at, &what.packet(signal));
        self.queue.ring_doorbell(at);
        self.note_packet(of, fence, what.release);
        self.note_use(of, fence);
        Ok(of)
    }
    fn bind_polled(
        &mut self,
        pool: SignalMemory,
        of: UseId,
        (timing, parts): (Timing, Parts),
        record: Option<&mut Arc<Record>>,
        about: Option<Recorded>,
    ) {
        let polling = self.polls();
        let record = record.zip(about).map(|(record, about)| {
            if let (Some(fresh), Some(held)) = (Arc::get_mut(record), polling.lend_front(pool)) {
                fresh.renew(about, held);
            }
            record.clone()
        });
        polling.bind(pool, PolledUse { of, timing, parts, record });
    }
    /// A packet that waits has a signal of its own: only that says when its dependencies may be armed.
    pub(super) fn publish_polled_wait(
        &mut self,
        packet: Submission<Q::Work>,
        holds: [Option<Holder>; MAX_DEPS],
    ) -> Result<(), Error> {
        let consumer = self.publish_polled(packet, None)?;
        if planted!(NoPin) {
            return Ok(());
        }
        for hold in holds.into_iter().flatten() {
            self.polls().hold(consumer, hold);
        }
        Ok(())
    }
    pub(super) fn bind_polled_copy<E: CopyEngine>(
        &mut self,
        engine: &E,
        parts: Parts,
        what: &CopySubmission<'_, E::Work>,
        record: &mut Arc<Record>,
    ) -> Result<(UseId, SignalHandle), Error> {
        let timing = what.timing;
        let (pool, signal, memory) = self.poll_for(Role::Copy)?;
        if parts > Parts::ONE {
            self.device.arm(signal, SignalValue::for_parts(parts));
        }
        if memory.is_device() || what.waits_in_device() {
            self.flush_for_others(SignalMemory::Device);
        }
        let of = UseId::new(engine.lane(), engine.reserve());
        let about = Recorded {
            of,
            fence: IsFence::No,
            order: PacketOrder::Free,
            timing,
            release: CacheScope::System,
            memory,
            device: self.device.id(),
            engine: Engine::Copy,
            mark: None,
            ledger: self.ledger.clone(),
        };
        self.bind_polled(pool, of, (timing, parts), Some(record), Some(about));
        self.note_copy(of);
        Ok((of, signal))
    }
    /// Waits, bounded, for the parts that were issued; until then the signal is not used again (S8).
    pub(super) fn roll_back_polled(&mut self, of: UseId, issued: u32, parts: Parts) {
        let Some(place) = self.polls().part_failed(of, issued, parts) else {
            return;
        };
        let Some((signal, _)) = self.polls().suspect(place) else {
            return;
        };
        let below = SignalValue::new(i64::from(parts.count() - issued) + 1);
        let (hint, limit) = (crate::backend::WaitHint::Active, self.policy.wait.limit);
        if planted!(ResetAfterPartFailure) {
            let _judged = self.polls().judge_suspect(place, SignalValue::for_parts(parts));
        } else if let WaitOutcome::Reached(value) = self.device.wait(signal, below, hint, limit) {
            let _judged = self.polls().judge_suspect(place, value);
        }
    }
}
