//! Many packets by one reservation: graphs, with signals in mid-ring.

use std::num::NonZeroU32;

use super::{
    submission::{Completion, Submission},
    tracker::{Life, Tracker},
};
use crate::{
    backend::{Device, PacketCount, PacketQueue, SignalMemory},
    error::{CreateError, Error},
    id::{SignalHandle, UseId},
    ring::{IsFence, Record, Timing},
    sync::Arc,
};

/// Packets of one reservation. Larger submissions go out in several, so that a submission never waits
/// for signals that only its own unpublished packets would free (S14,
/// <https://github.com/ROCm/rocm-systems/issues/1354>).
const AT_ONCE: usize = 256;

impl<D: Device, Q: PacketQueue> Tracker<D, Q> {
    /// Publishes packets in order, with one reservation and one doorbell for up to 256 of them, or as many as
    /// [the queue](PacketQueue::capacity) or the ring's cap hold, and tells `each` which packet it became, with the
    /// record of a timed one.
    ///
    /// # Errors
    /// As [`submit`](Self::submit). Those that `each` was told of are published, the others are not.
    ///
    /// ```
    /// use ringfence::{backend::*, drive::*, error::Error, id::UseId, placement::Role};
    /// /// Launches the kernels of a graph, and says which use proves them all.
    /// fn launch<D: Device, Q: PacketQueue>(
    ///     tracker: &mut Tracker<D, Q>,
    ///     kernels: &[Q::Work],
    /// ) -> Result<Option<UseId>, Error> {
    ///     let bare = |&work| Submission::kernel(work).unsignaled();
    ///     let mut packets: Vec<_> = kernels.iter().map(bare).collect();
    ///     packets.push(Submission::marker(Role::HostQuery));
    ///     let mut last = None;
    ///     tracker.submit_all(&packets, |of, _record| last = Some(of))?;
    ///     Ok(last)
    /// }
    /// ```
    pub fn submit_all(
        &mut self,
        work: &[Submission<Q::Work>],
        mut each: impl FnMut(UseId, Option<Arc<Record>>),
    ) -> Result<(), Error> {
        if self.polling.is_some() {
            for &what in work {
                if is_recorded(&what) {
                    let record = self.submit_recorded(what, None)?;
                    each(record.about().of, Some(record));
                } else {
                    each(self.submit_own(what)?, None);
                }
            }
            return Ok(());
        }
        let signals = self.policy.ring.cap as usize;
        let packets = usize::try_from(self.queue.capacity().count()).unwrap_or(usize::MAX);
        let at_once = AT_ONCE.min(signals).min(packets).max(1);
        for part in work.chunks(at_once) {
            self.submit_part(part, &mut each)?;
        }
        Ok(())
    }
    fn submit_part(
        &mut self,
        part: &[Submission<Q::Work>],
        each: &mut impl FnMut(UseId, Option<Arc<Record>>),
    ) -> Result<(), Error> {
        if self.life == Life::Lost {
            return Err(self.lost_error());
        }
        let count = u32::try_from(part.len()).ok().and_then(NonZeroU32::new);
        let Some(count) = count.map(PacketCount::new) else {
            return Ok(());
        };
        let pools = self.secure_all(part)?;
        let timed = part.iter().filter(|what| is_recorded(what)).count();
        let mut records: Vec<Arc<Record>> = (0..timed).map(|_| self.fresh_record(None)).collect();
        // Nothing can fail, wait or run code of others until all of them are published (S11).
        let first = self.queue.reserve(count);
        let mut failed = Ok(());
        let mut unused = records.iter_mut();
        for ((offset, what), pool) in part.iter().enumerate().zip(pools) {
            let at = first.plus(offset as u64);
            if what.completion == Completion::None {
                self.queue.commit(at, &what.packet(SignalHandle::NULL));
                let of = UseId::new(self.lane(), at);
                self.note_packet(of, IsFence::No, what.release);
            } else {
                let record = if is_recorded(what) { unused.next() } else { None };
                failed = failed.and(self.bind_and_commit(at, pool, what, record).map(drop));
            }
        }
        self.queue.ring_doorbell(first.plus(u64::from(count.count()) - 1));
        failed?;
        for (offset, what) in part.iter().enumerate() {
            self.note_published(UseId::new(self.lane(), first.plus(offset as u64)), what);
        }
        let mut records = records.into_iter();
        for (offset, what) in part.iter().enumerate() {
            let record = if is_recorded(what) { records.next() } else { None };
            each(UseId::new(self.lane(), first.plus(offset as u64)), record);
        }
        self.end_batch();
        Ok(())
    }
    /// Room for every signal of a part, before any index is reserved; and the pool of each, since what
    /// decides it may change meanwhile.
    fn secure_all(
        &mut self,
        part: &[Submission<Q::Work>],
    ) -> Result<[SignalMemory; AT_ONCE], Error> {
        let mut pools = [SignalMemory::Host; AT_ONCE];
        let mut wanted = [0_usize; 4];
        for (what, pool) in part.iter().zip(&mut pools) {
            if what.completion == Completion::Signal {
                *pool = self.place(what.role);
                wanted[pool.index()] += 1;
            }
        }
        let interrupts = std::mem::take(&mut wanted[SignalMemory::Interrupt.index()]);
        match self.room_for(SignalMemory::Interrupt, interrupts) {
            Ok(()) => {}
            Err(Error::Create { cause: CreateError::NoInterrupts, .. }) => {
                let blocking = pools.iter_mut().filter(|pool| **pool == SignalMemory::Interrupt);
                blocking.for_each(|pool| *pool = SignalMemory::Host);
                wanted[SignalMemory::Host.index()] += interrupts;
            }
            Err(error) => return Err(error),
        }
        // Room for one may cost another a signal, for a fence that was asked for: until there is for all.
        let mut short = true;
        while std::mem::take(&mut short) {
            for pool in SignalMemory::ALL {
                let before = self.counts.fences_asked;
                self.room_for(pool, wanted[pool.index()])?;
                short |= self.counts.fences_asked > before;
            }
        }
        Ok(pools)
    }
    fn room_for(&mut self, pool: SignalMemory, wanted: usize) -> Result<(), Error> {
        if wanted > self.ring.usable(pool) { self.make_room(pool, wanted) } else { Ok(()) }
    }
}

/// Whether a use's timing has to be kept for somebody.
fn is_recorded<W>(what: &Submission<W>) -> bool {
    what.completion == Completion::Signal && what.timing == Timing::Wanted
}
