//! Publishing packets: secure, reserve, bind, commit (S11).

use super::{
    queue::HardwareQueue,
    submission::{Completion, Submission},
    tracker::{Life, Tracker},
};
use crate::{
    backend::{Device, Packet, PacketCount, PacketQueue, SignalMemory},
    error::{CreateError, Error},
    id::{Barrier, PacketId, SignalHandle, UseId},
    ledger::Ledger,
    placement::Role,
    ring::{IsFence, Record, Recorded, Secured, Timing, Use},
    sync::Arc,
};

impl<D: Device, Q: PacketQueue> Tracker<D, Q> {
    /// Publishes one packet and says which use it is. Its timing, if wanted, needs someone to hold it:
    /// see [`submit_recorded`](Self::submit_recorded).
    ///
    /// # Errors
    /// No signal can be had ([`Error::Exhausted`], [`Error::Create`]), a wait for one ran into its limit,
    /// a signal fell below 0, or the device was lost. Nothing was published then.
    #[inline(always)]
    pub fn submit(&mut self, what: Submission<Q::Work>) -> Result<UseId, Error> {
        if what.completion == Completion::None {
            return self.submit_bare(Submission { ..what });
        }
        let of = self.publish(&what, None)?;
        self.end_batch();
        Ok(of)
    }
    /// As [`submit`](Self::submit), for this crate's own packets: one copy of its code for all of them.
    #[inline(never)]
    pub(super) fn submit_own(&mut self, what: Submission<Q::Work>) -> Result<UseId, Error> {
        self.submit(what)
    }
    /// Publishes one packet whose completion, and timing if wanted, is kept in a record. `reuse` is a
    /// record that the caller does not need any more: nothing is allocated if nobody else holds it.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    ///
    /// ```
    /// # use ringfence::{backend::*, drive::*, error::Error};
    /// # fn time<D: Device, Q: PacketQueue>(tracker: &mut Tracker<D, Q>, works: &[Q::Work]) -> Result<(), Error> {
    /// let mut last = None;
    /// for &work in works {
    ///     let record = tracker.submit_recorded(Submission::kernel(work).timed(), last.take())?;
    ///     let _synced = tracker.synchronize()?;
    ///     println!("{:?}", record.interval().map(|ran| ran.duration()));
    ///     last = Some(record); // the next one is made of it
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn submit_recorded(
        &mut self,
        what: Submission<Q::Work>,
        reuse: Option<Arc<Record>>,
    ) -> Result<Arc<Record>, Error> {
        let mut record = self.fresh_record(reuse);
        self.publish_into(&what, &mut record)?;
        self.end_batch();
        Ok(record)
    }
    /// Publishes one packet whose completion is kept in a record that nobody else holds. On an error that says what it
    /// said before. The batch is still to be [ended](Self::end_batch): that may look for finished uses, and find this one.
    #[inline(never)] // one copy of the path of a recorded use
    pub(crate) fn publish_into(
        &mut self,
        what: &Submission<Q::Work>,
        record: &mut Arc<Record>,
    ) -> Result<UseId, Error> {
        self.publish(what, Some(record))
    }
    pub(crate) fn keep_record(&mut self, record: Arc<Record>) {
        self.ring.keep_record(record);
    }
    pub(crate) fn fresh_record(&mut self, reuse: Option<Arc<Record>>) -> Arc<Record> {
        let unshared =
            |mut record: Arc<Record>| Arc::get_mut(&mut record).is_some().then_some(record);
        reuse
            .and_then(unshared)
            .or_else(|| self.ring.take_record())
            .unwrap_or_else(|| Arc::new(Record::vacant()))
    }
    /// A packet without a signal: no use, and nothing to secure.
    #[inline(never)]
    fn submit_bare(&mut self, what: Submission<Q::Work>) -> Result<UseId, Error> {
        if self.life == Life::Lost {
            return Err(self.lost_error());
        }
        let at = self.queue.reserve(PacketCount::ONE);
        self.queue.commit(at, &what.packet(SignalHandle::NULL));
        self.queue.ring_doorbell(at);
        let of = UseId::new(self.lane(), at);
        self.note_packet(of, IsFence::No, what.release);
        self.note_bare(of);
        Ok(of)
    }
    /// A pool with a signal for `role`, where none is at hand in `pool`: if signals run short, room is made
    /// first.
    #[cold]
    #[inline(never)]
    pub(super) fn secure_room(
        &mut self,
        role: Role,
        pool: SignalMemory,
    ) -> Result<SignalMemory, Error> {
        if self.is_short(pool) { self.find_room(role, pool, 1) } else { Ok(pool) }
    }
    pub(super) fn find_room(
        &mut self,
        role: Role,
        pool: SignalMemory,
        wanted: usize,
    ) -> Result<SignalMemory, Error> {
        match self.make_room(pool, wanted) {
            Ok(()) => Ok(pool),
            Err(Error::Create { cause: CreateError::NoInterrupts, .. }) => {
                let instead = self.place(role);
                self.make_room(instead, wanted).map(|()| instead)
            }
            Err(error) => Err(error),
        }
    }
    #[inline(always)]
    pub(super) fn publish(
        &mut self,
        what: &Submission<Q::Work>,
        record: Option<&mut Arc<Record>>,
    ) -> Result<UseId, Error> {
        if self.life != Life::Retiring {
            return self.publish_otherwise(Submission { ..*what }, record);
        }
        if planted!(WaitWhileReserved) {
            let at = self.queue.reserve(PacketCount::ONE);
            let pool = self.place(what.role);
            self.make_room(pool, 1)?;
            let of = self.bind_and_commit(at, pool, what, record)?;
            self.note_published(of, what);
            return Ok(of);
        }
        let pool = self.place(what.role);
        let secured = match self.ring.secure_at_hand(pool) {
            Some(secured) => secured,
            None => {
                let pool = self.secure_room(what.role, pool)?;
                match self.ring.secure(pool) {
                    Ok(secured) => secured,
                    Err(_shortage) => return Err(exhausted(self.policy.ring.cap)),
                }
            }
        };
        // Nothing can fail or wait from here on: the index is reserved only now (S11).
        let at = self.queue.reserve(PacketCount::ONE);
        let of = commit(&self.device, &self.queue, &self.ledger, secured, at, what, record);
        self.note_packet(of, fence_of(what), what.release);
        self.queue.ring_doorbell(at);
        self.note_use(of, fence_of(what)); // tells observers: code of others
        Ok(of)
    }
    #[cold]
    #[inline(never)]
    fn publish_otherwise(
        &mut self,
        what: Submission<Q::Work>,
        record: Option<&mut Arc<Record>>,
    ) -> Result<UseId, Error> {
        match self.life {
            Life::Lost => Err(self.lost_error()),
            Life::Retiring | Life::Polling => self.publish_polled(what, record),
        }
    }
    /// Binds a signal of `pool`, where there is room, to the reserved packet, and writes the packet.
    #[inline(always)]
    pub(super) fn bind_and_commit(
        &mut self,
        at: PacketId,
        pool: SignalMemory,
        what: &Submission<Q::Work>,
        record: Option<&mut Arc<Record>>,
    ) -> Result<UseId, Error> {
        let Ok(secured) = self.ring.secure(pool) else {
            // A reserved index is always published.
            self.queue.commit(at, &Packet::nothing());
            return Err(exhausted(self.policy.ring.cap));
        };
        let of = commit(&self.device, &self.queue, &self.ledger, secured, at, what, record);
        self.note_packet(of, fence_of(what), what.release);
        Ok(of)
    }
    /// What `what` became, once its doorbell was rung: this tells observers, which are code of others (S11).
    pub(super) fn note_published(&mut self, of: UseId, what: &Submission<Q::Work>) {
        match what.completion {
            Completion::None => self.note_bare(of),
            Completion::Signal => self.note_use(of, fence_of(what)),
        }
    }
}

/// Binds the secured signal to the reserved packet, and writes the packet.
#[inline(always)]
fn commit<D: Device, Q: PacketQueue>(
    device: &D,
    queue: &HardwareQueue<Q>,
    ledger: &Arc<Ledger>,
    mut secured: Secured<'_>,
    at: PacketId,
    what: &Submission<Q::Work>,
    record: Option<&mut Arc<Record>>,
) -> UseId {
    let (lane, signal, memory) = (secured.lane(), secured.signal(), secured.memory());
    let with = match &record {
        Some(_) => what.as_use(lane),
        None => Use { timing: Timing::Unwanted, ..what.as_use(lane) }, // nobody would read it
    };
    let record = record.map(|record| {
        let about = |mark, ledger| Recorded {
            of: UseId::new(lane, at),
            fence: fence_of(what),
            order: with.order,
            timing: with.timing,
            release: what.release,
            memory,
            device: device.id(),
            engine: with.engine,
            mark: Some(mark),
            ledger,
        };
        let held = secured.lend();
        if let Some(fresh) = Arc::get_mut(record) {
            fresh.renew_for(queue.mark(), ledger, about, held);
        }
        record.clone()
    });
    let of = secured.bind_here(at, with, record);
    queue.commit(at, &what.packet(signal));
    of
}

fn fence_of<W>(what: &Submission<W>) -> IsFence {
    if what.barrier == Barrier::Set { IsFence::Yes } else { IsFence::No }
}

/// Nothing is known of who holds the signals.
#[cold]
#[inline(never)]
pub(super) fn exhausted(cap: u32) -> Error {
    Error::Exhausted { parked: 0, quarantined: 0, cap }
}
