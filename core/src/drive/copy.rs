//! Copies on another engine, in one part or many (S5, S8).

use super::{
    marker::{Awaited, WaitBy},
    submission::Submission,
    submit::exhausted,
    tracker::{Life, Tracker},
};
use crate::{
    backend::{
        CopyEngine, CopyRefused, Device, Engine, Features, PacketQueue, PartIndex, WaitHint,
        WaitOutcome,
    },
    error::Error,
    id::{Barrier, CacheScope, Parts, SignalHandle, SignalValue, UseId},
    observe,
    placement::Role,
    ring::{IsFence, PacketOrder, Record, Recorded, RolledBack, Timing, Use},
    sync::Arc,
};
use std::num::NonZeroU32;

/// A copy to submit: its parts complete one signal together.
///
/// ```
/// use ringfence::{backend::*, drive::*, error::Error, ring::Record};
/// /// Copies once `produced` is finished; a later copy can come after the record that is returned.
/// fn download<D: Device, Q: PacketQueue, E: CopyEngine>(
///     tracker: &mut Tracker<D, Q>,
///     engine: &E,
///     parts: &[E::Work],
///     produced: &std::sync::Arc<Record>,
/// ) -> Result<std::sync::Arc<Record>, Error> {
///     let mut copy = CopySubmission::new(parts).timed();
///     if let Some(awaited) = Awaited::of(produced)? {
///         copy = copy.after(awaited); // else it is over already
///     }
///     tracker.copy(engine, copy, None)
/// }
/// ```
#[derive(Debug)]
#[must_use = "nothing is copied before it is given to a tracker"]
pub struct CopySubmission<'a, W> {
    pub(super) parts: &'a [W],
    pub(super) waits: Vec<Awaited>,
    pub(super) timing: Timing,
}
impl<'a, W> CopySubmission<'a, W> {
    /// A copy of these parts; one at least. They may run in any order and beside each other.
    pub fn new(parts: &'a [W]) -> Self {
        Self { parts, waits: Vec::new(), timing: Timing::Unwanted }
    }
    /// Starting only after this use.
    pub fn after(mut self, awaited: Awaited) -> Self {
        self.waits.push(awaited);
        self
    }
    /// With its timing taken.
    pub fn timed(self) -> Self {
        Self { timing: Timing::Wanted, ..self }
    }
    /// Whether the engine will look at a signal in device memory: what armed it has to be flushed.
    pub(super) fn waits_in_device(&self) -> bool {
        self.waits.iter().any(|awaited| awaited.memory().is_device())
    }
}

impl<D: Device, Q: PacketQueue> Tracker<D, Q> {
    /// Submits a copy. Its signal starts at the number of parts, and only its own value proves it, or a
    /// packet that waited for it. Where the engine cannot wait for a use whose signal is in device memory,
    /// the stream's queue waits for that, and the copy for a marker behind it. `reuse` as in
    /// [`submit_recorded`](Self::submit_recorded).
    ///
    /// # Errors
    /// [`Error::PartFailed`] when the engine refused a part, with what it said: those before it were waited for, up to
    /// the limit of a wait, or the signal is quarantined until they are seen to be over. [`Error::DeviceLost`] when
    /// that is why.
    /// [`Error::SameQueueId`] for an engine that has the queue's number. Otherwise as [`submit`](Self::submit).
    ///
    /// # Panics
    /// If there is no part.
    pub fn copy<E: CopyEngine>(
        &mut self,
        engine: &E,
        mut what: CopySubmission<'_, E::Work>,
        reuse: Option<Arc<Record>>,
    ) -> Result<Arc<Record>, Error> {
        let count = u32::try_from(what.parts.len()).ok().and_then(NonZeroU32::new);
        let parts = Parts::new(count.expect("a copy has 1 to 2^32 - 1 parts"));
        if self.life == Life::Lost {
            return Err(self.lost_error());
        }
        let queue = engine.lane().queue();
        if queue == self.lane().queue() {
            return Err(Error::SameQueueId { queue });
        }
        for awaited in &what.waits {
            awaited.check_reader(self.device.id(), self.capabilities.features)?;
        }
        if !self.capabilities.features.contains(Features::DEVICE_WAITS_ON_COPIES) {
            self.wait_in_host_memory(&mut what.waits)?;
        }
        let mut record = self.fresh_record(reuse);
        let waits: Vec<SignalHandle> = what.waits.iter().map(Awaited::signal).collect();
        let (of, signal) = match self.polling {
            Some(_) => self.bind_polled_copy(engine, parts, &what, &mut record)?,
            None => self.bind_copy(engine, parts, &what, &mut record)?,
        };
        self.hold_for_copy(of, what.waits);
        for (index, &part) in what.parts.iter().enumerate() {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            let submitted = engine.submit(of.packet(), PartIndex::new(index), part, signal, &waits);
            if let Err(cause) = submitted {
                return Err(self.copy_failed(of, index, parts, cause));
            }
        }
        Ok(record)
    }
    /// Puts one marker with a host signal in the place of all uses that a copy engine cannot wait for: the
    /// queue waits for those, and the copy for the marker.
    fn wait_in_host_memory(&mut self, waits: &mut Vec<Awaited>) -> Result<(), Error> {
        if !waits.iter().any(|awaited| awaited.memory().is_device()) {
            return Ok(());
        }
        let all = std::mem::take(waits);
        let (far, near): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|awaited| awaited.memory().is_device());
        *waits = near;
        self.await_uses(far.into_iter().map(Some), WaitBy::And)?;
        let marker = self.submit_recorded(Submission::marker(Role::HostQuery), None)?;
        waits.extend(Awaited::of(&marker)?);
        Ok(())
    }
    fn bind_copy<E: CopyEngine>(
        &mut self,
        engine: &E,
        parts: Parts,
        what: &CopySubmission<'_, E::Work>,
        record: &mut Arc<Record>,
    ) -> Result<(UseId, SignalHandle), Error> {
        let mut pool = self.place(Role::Copy);
        if self.ring.secure_at_hand(pool).is_none() {
            pool = self.secure_room(Role::Copy, pool)?;
        }
        let Ok(mut secured) = self.ring.secure(pool) else {
            return Err(exhausted(self.policy.ring.cap));
        };
        let (signal, memory) = (secured.signal(), secured.memory());
        if parts > Parts::ONE {
            self.device.arm(signal, SignalValue::for_parts(parts));
        }
        let with = Use {
            lane: engine.lane(),
            engine: Engine::Copy,
            barrier: Barrier::Clear,
            order: PacketOrder::Free,
            timing: what.timing,
            parts,
        };
        let at = engine.reserve();
        let about = Recorded {
            of: UseId::new(with.lane, at),
            fence: IsFence::No,
            order: with.order,
            timing: with.timing,
            release: CacheScope::System,
            memory,
            device: self.device.id(),
            engine: Engine::Copy,
            mark: None,
            ledger: self.ledger.clone(),
        };
        let held = secured.lend();
        if let Some(fresh) = Arc::get_mut(record) {
            fresh.renew(about, held);
        }
        let of = secured.bind(at, with, Some(record.clone()));
        self.note_copy(of);
        if memory.is_device() || what.waits_in_device() {
            self.flush_for_others(crate::backend::SignalMemory::Device);
        }
        Ok((of, signal))
    }
    fn hold_for_copy(&mut self, of: UseId, waits: Vec<Awaited>) {
        if planted!(NoPin) {
            return;
        }
        for awaited in waits {
            let dependency = awaited.use_id();
            match &mut self.polling {
                Some(polling) => polling.hold(of, awaited.into_hold()),
                None => {
                    let awaits = crate::ring::Awaits::EachUnordered;
                    self.ring.pin(of, awaits, Some(dependency), awaited.into_hold());
                }
            }
        }
    }
    /// Some parts were issued and will decrement the signal late: they are waited for, bounded, before
    /// it is used again (S8).
    fn copy_failed(&mut self, of: UseId, issued: u32, parts: Parts, cause: CopyRefused) -> Error {
        if cause == CopyRefused::DeviceLost {
            return self.lose(); // no part that was issued will be seen to end either
        }
        let error = Error::PartFailed { of, issued, parts: parts.count(), cause };
        if self.polling.is_some() {
            self.roll_back_polled(of, issued, parts);
            return error;
        }
        match self.ring.part_failed(of, issued, parts) {
            Some(RolledBack::Never(arm)) => self.store(arm),
            Some(RolledBack::Held) | None => {}
            Some(RolledBack::Waiting(suspect)) => {
                let left = i64::from(parts.count() - issued);
                let below = SignalValue::new(left + 1);
                let limit = self.policy.wait.limit;
                match self.device.wait(suspect.signal(), below, WaitHint::Active, limit) {
                    WaitOutcome::Reached(value) => {
                        let released = self.ring.release(suspect, value);
                        self.store_released(released);
                    }
                    WaitOutcome::TimedOut => {
                        self.counts.quarantined += 1;
                        observe::quarantined(self.id, of);
                    }
                    WaitOutcome::Lost => return self.lose(),
                }
            }
        }
        error
    }
}
