//! Many packets by one reservation: graphs, with signals in mid-ring.

use std::num::NonZeroU32;

use super::{
    submission::{Completion, Submission},
    tracker::{Life, Tracker},
};
use crate::{
    backend::{Device, Packet, PacketCount, PacketQueue, SignalMemory},
    error::Error,
    id::{SignalHandle, UseId},
    ring::{IsFence, Record, Timing},
    sync::Arc,
};

/// Packets of one reservation. Larger submissions go out in several, so that a submission never waits
/// for signals that only its own unpublished packets would free (S14,
/// <https://github.com/ROCm/rocm-systems/issues/1354>).
const AT_ONCE: usize = 256;

impl<D: Device, Q: PacketQueue> Tracker<D, Q> {
    /// Publishes packets in order, with one reservation and one doorbell for up to 256 of them, and
    /// tells `each` which packet it became, with the record of a timed one.
    ///
    /// # Errors
    /// As [`submit`](Self::submit). Those that `each` was told of are published, the others are not.
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
        let at_once = AT_ONCE.min(self.policy.ring.cap as usize).max(1);
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
        let first = self.queue.reserve(count);
        let mut failed = Ok(());
        for (offset, what) in part.iter().enumerate() {
            let at = first.plus(offset as u64);
            if failed.is_err() {
                self.queue.commit(at, &Packet::nothing()); // a reserved index is always published
            } else if what.completion == Completion::None {
                self.queue.commit(at, &what.packet(SignalHandle::NULL));
                let of = UseId::new(self.lane(), at);
                self.note_packet(of, IsFence::No, what.release);
                self.note_bare();
                each(of, None);
            } else {
                let pool = pools.of(self, what);
                let mut record = if is_recorded(what) { records.pop() } else { None };
                match self.bind_and_commit(at, pool, what, record.as_mut()) {
                    Ok(of) => each(of, record),
                    Err(error) => failed = Err(error),
                }
            }
        }
        self.queue.ring_doorbell(first.plus(u64::from(count.count()) - 1));
        self.end_batch();
        failed
    }
    /// Room for every signal of a part, before any index is reserved.
    fn secure_all(&mut self, part: &[Submission<Q::Work>]) -> Result<Pools, Error> {
        let mut pools = Pools { wanted: [0; 4], instead_of_interrupts: SignalMemory::Interrupt };
        for what in part.iter().filter(|what| what.completion == Completion::Signal) {
            pools.wanted[self.place(what.role).index()] += 1;
        }
        for pool in SignalMemory::ALL {
            let mut wanted = pools.wanted[pool.index()];
            if pool == SignalMemory::Host && pools.instead_of_interrupts == SignalMemory::Host {
                wanted += pools.wanted[SignalMemory::Interrupt.index()];
            }
            if wanted > self.ring.usable(pool) {
                match self.make_room(pool, wanted) {
                    Ok(()) => {}
                    Err(Error::Create {
                        cause: crate::error::CreateError::NoInterrupts, ..
                    }) => {
                        pools.instead_of_interrupts = SignalMemory::Host;
                        let all = wanted + pools.wanted[SignalMemory::Host.index()];
                        self.make_room(SignalMemory::Host, all)?;
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(pools)
    }
}

/// Whether a use's timing has to be kept for somebody.
fn is_recorded<W>(what: &Submission<W>) -> bool {
    what.completion == Completion::Signal && what.timing == Timing::Wanted
}

/// Which pools a part takes its signals from.
struct Pools {
    wanted: [usize; 4],
    instead_of_interrupts: SignalMemory,
}
impl Pools {
    fn of<D: Device, Q: PacketQueue>(
        &self,
        tracker: &Tracker<D, Q>,
        what: &Submission<Q::Work>,
    ) -> SignalMemory {
        match tracker.place(what.role) {
            SignalMemory::Interrupt => self.instead_of_interrupts,
            pool => pool,
        }
    }
}
