//! What is known of one recorded use: shared by its event, its waiters and the ring.
//!
//! The record holds the signal while the use may be in flight, and the ring takes it out when the use
//! retires: an event never keeps a signal from being armed again, and a waiter that comes later finds
//! the answer without one (S14). Timing is taken once, under the same small lock, by whoever comes
//! first (S16).

use std::hash::{Hash, Hasher};

use super::{
    custody::Holder,
    secure::{PacketOrder, Timing},
};
use crate::{
    backend::{Engine, SignalMemory},
    error::Failure,
    id::{CacheScope, DeviceId, SignalHandle, SignalValue, UseId, ValueState},
    ledger::Ledger,
    proof::FenceProof,
    sync::{Arc, AtomicU8, AtomicU64, Mutex, Ordering, Site, order},
    timing::{Interval, TickRate},
    watermark::Watermark,
};

/// What became of a recorded use.
///
/// ```
/// use ringfence::ring::{Outcome, Record};
/// fn say(record: &Record) -> String {
///     match record.outcome() { // costs no load
///         Outcome::Pending => "not known to be finished".into(),
///         Outcome::Finished => "finished".into(),
///         Outcome::Failed(why) => format!("{} {why}", record.about().of),
///     }
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub enum Outcome {
    /// Not known to be finished.
    Pending,
    /// Finished.
    Finished,
    /// It will never be known to be finished.
    Failed(Failure),
}

/// What a record is about; fixed when the use is bound.
///
/// ```
/// use ringfence::{id::CacheScope, ring::Record};
/// /// Whether the host may read what the work wrote, once it is finished (S21).
/// fn promises_data(record: &Record) -> bool {
///     record.about().release == CacheScope::System
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The use.
    pub of: UseId,
    /// Whether its packet is a fence.
    pub fence: IsFence,
    /// Whether later packets of its queue wait for it anyway.
    pub order: PacketOrder,
    /// Whether its timing is wanted.
    pub timing: Timing,
    /// The scope that its packet released to.
    pub release: CacheScope,
    /// Where its signal lives.
    pub memory: SignalMemory,
    /// The device whose queue it is on.
    pub device: DeviceId,
    /// Which engine completes it.
    pub engine: Engine,
    /// The watermark of its queue; copy engines have none.
    pub mark: Option<Arc<Watermark>>,
    /// Where loads by others than the stream's owner are counted.
    pub ledger: Arc<Ledger>,
}

/// Whether a use's completion proves all earlier packets of its queue.
///
/// ```
/// use ringfence::ring::{IsFence, Record};
/// /// Whether one load of this use's signal may tell all streams of its queue of their work.
/// fn speaks_for_all(record: &Record) -> bool {
///     record.about().fence == IsFence::Yes
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IsFence {
    /// It does: its packet has the barrier bit.
    Yes,
    /// It proves itself alone.
    No,
}

const PENDING: u8 = 0;
const FINISHED: u8 = 1;
const LOST: u8 = 2;
const FORCED: u8 = 3;
const PART_FAILED: u8 = 4;
const OVER: u8 = 5;
const ABANDONED: u8 = 6;

/// Start, end and rate, published together with `TAKEN`.
#[derive(Debug)]
struct Stamps {
    state: AtomicU8,
    start: AtomicU64,
    end: AtomicU64,
    hertz: AtomicU64,
}
const UNTAKEN: u8 = 0;
const TAKEN: u8 = 1;
const UNUSABLE: u8 = 2;

/// One recorded use.
///
/// ```
/// use ringfence::{backend::*, drive::*, error::Error, timing::Interval};
/// /// When a kernel ran.
/// fn time<D: Device, Q: PacketQueue>(
///     tracker: &mut Tracker<D, Q>,
///     work: Q::Work,
/// ) -> Result<Option<Interval>, Error> {
///     let record = tracker.submit_recorded(Submission::kernel(work).timed(), None)?;
///     let _synced = tracker.synchronize()?;
///     Ok(record.interval()) // taken before the signal was armed again
/// }
/// ```
#[derive(Debug)]
pub struct Record {
    about: Option<Recorded>,
    outcome: AtomicU8,
    stamps: Stamps,
    signal: Mutex<Option<Holder>>,
    #[cfg(feature = "planted")]
    overwritten: AtomicU8,
}
impl Record {
    /// A record of nothing yet: made before an index is reserved, since it allocates (S11).
    pub(crate) fn vacant() -> Self {
        let stamps = Stamps {
            state: AtomicU8::new(UNTAKEN),
            start: AtomicU64::new(0),
            end: AtomicU64::new(0),
            hertz: AtomicU64::new(0),
        };
        Self {
            about: None,
            outcome: AtomicU8::new(PENDING),
            stamps,
            signal: Mutex::new(None),
            #[cfg(feature = "planted")]
            overwritten: AtomicU8::new(0),
        }
    }
    /// Makes a record that nobody else holds into that of a use about to be published, which it holds
    /// the signal of. Allocates nothing.
    pub(crate) fn renew(&mut self, about: Recorded, signal: Holder) {
        self.about = Some(about);
        self.outcome.store(PENDING, Ordering::Relaxed);
        self.stamps.state.store(UNTAKEN, Ordering::Relaxed);
        *self.signal.get_mut() = Some(signal);
        #[cfg(feature = "planted")]
        self.overwritten.store(0, Ordering::Relaxed);
    }
    /// The same, with the watermark and the ledger that the record had last, where they are these: most
    /// records stay with one stream, and no count is touched then.
    #[inline]
    pub(crate) fn renew_for(
        &mut self,
        mark: &Arc<Watermark>,
        ledger: &Arc<Ledger>,
        about: impl FnOnce(Arc<Watermark>, Arc<Ledger>) -> Recorded,
        signal: Holder,
    ) {
        let (mark, ledger) = match self.about.take() {
            Some(Recorded { mark: Some(last), ledger: same, .. })
                if Arc::ptr_eq(&last, mark) && Arc::ptr_eq(&same, ledger) =>
            {
                (last, same)
            }
            _ => (mark.clone(), ledger.clone()),
        };
        self.renew(about(mark, ledger), signal);
    }
    /// What the record is about.
    pub fn about(&self) -> &Recorded {
        self.about.as_ref().expect("a record leaves the tracker only after its use was bound")
    }
    /// What is known, without any load of a device: by the record itself, or by the watermark of its
    /// queue.
    #[inline]
    pub fn outcome(&self) -> Outcome {
        match self.outcome.load(order(Site::RecordObserve, Ordering::Acquire)) {
            PENDING if self.is_covered() => Outcome::Finished,
            PENDING => Outcome::Pending,
            FINISHED => Outcome::Finished,
            LOST if planted!(LostIsFinished) => Outcome::Finished,
            LOST => Outcome::Failed(Failure::DeviceLost),
            FORCED if planted!(ForcedIsFinished) => Outcome::Finished,
            FORCED => Outcome::Failed(Failure::Forced),
            PART_FAILED => Outcome::Failed(Failure::PartFailed),
            ABANDONED => Outcome::Failed(Failure::Abandoned),
            _ => Outcome::Failed(Failure::OverDecremented),
        }
    }
    /// A hold on the signal, unless the use is over and the ring took it back.
    pub fn hold(&self) -> Option<Holder> {
        self.signal.lock().clone()
    }
    /// The use's own value was loaded by whoever held the signal. A fence's also proves all before it.
    pub(crate) fn observed(&self, value: SignalValue) -> Outcome {
        match value.state() {
            ValueState::Pending => return Outcome::Pending,
            ValueState::OverDecremented if !planted!(IgnoreOverDecrement) => {
                self.publish(OVER);
            }
            ValueState::Done | ValueState::OverDecremented => {
                // A timeout's own store of 0 is no completion: the first outcome stands (S18).
                if self.publish(FINISHED) == FINISHED
                    && let about = self.about()
                    && about.fence == IsFence::Yes
                    && let (Some(mark), Some(proof)) =
                        (&about.mark, FenceProof::assertion(about.of, value))
                {
                    let _ = mark.raise(proof);
                }
            }
        }
        self.outcome()
    }
    /// Feeds what later answers depend on to `state`. Reads only.
    pub fn digest<H: Hasher>(&self, state: &mut H) {
        self.about.as_ref().map(|about| about.of).hash(state);
        self.outcome().hash(state);
        self.outcome.load(Ordering::Relaxed).hash(state);
        self.stamps.state.load(Ordering::Relaxed).hash(state);
        self.interval().map(|taken| (taken.start(), taken.end())).hash(state);
        self.signal.lock().is_some().hash(state);
        #[cfg(feature = "planted")]
        self.is_overwritten().hash(state);
    }
    /// Takes the timing out of the signal, once, while it is held; later callers get what was taken.
    pub(crate) fn harvest(
        &self,
        rate: TickRate,
        read: impl FnOnce(SignalHandle, Engine) -> Option<Interval>,
    ) -> Option<Interval> {
        let held = self.signal.lock();
        if self.stamps.state.load(Ordering::Relaxed) == UNTAKEN
            && let Some(holder) = &*held
        {
            let state = match read(holder.signal(), self.about().engine) {
                Some(interval) => {
                    self.stamps.start.store(interval.start(), Ordering::Relaxed);
                    self.stamps.end.store(interval.end(), Ordering::Relaxed);
                    self.stamps.hertz.store(rate.hertz(), Ordering::Relaxed);
                    TAKEN
                }
                None => UNUSABLE,
            };
            self.stamps.state.store(state, order(Site::RecordPublish, Ordering::Release));
        }
        drop(held);
        self.interval()
    }
    /// The interval, if it was taken and the device wrote a usable one.
    pub fn interval(&self) -> Option<Interval> {
        if self.stamps.state.load(order(Site::RecordObserve, Ordering::Acquire)) != TAKEN {
            return None;
        }
        Interval::from_parts(
            self.stamps.start.load(Ordering::Relaxed),
            self.stamps.end.load(Ordering::Relaxed),
            self.stamps.hertz.load(Ordering::Relaxed),
        )
    }
    /// As [`retire`](Self::retire), where nobody else holds the record: no lock, and nothing to publish.
    pub(crate) fn retire_unshared(&mut self) -> Outcome {
        let outcome = self.outcome();
        if outcome == Outcome::Pending || outcome == Outcome::Finished {
            *self.signal.get_mut() = None;
            return Outcome::Finished;
        }
        outcome
    }
    /// The use is proven: the answer stays, the signal goes back to the ring. Returns the outcome that
    /// stands: a waiter may have seen the signal below 0 before.
    pub(crate) fn retire(&self) -> Outcome {
        self.publish(FINISHED);
        self.let_go();
        self.outcome()
    }
    /// A waiter saw that the device is gone. The signal stays with the record: its ring has yet to learn
    /// of the loss, and may take a timing until then.
    pub(crate) fn lose(&self) {
        self.publish(if self.is_covered() { FINISHED } else { LOST });
    }
    /// The use will never be known to be finished.
    pub(crate) fn fail(&self, failure: Failure) {
        self.publish(match failure {
            // What was proven before, and may have been told so, stays finished.
            Failure::DeviceLost | Failure::Forced | Failure::Abandoned if self.is_covered() => {
                FINISHED
            }
            Failure::DeviceLost => LOST,
            Failure::Forced => FORCED,
            Failure::PartFailed => PART_FAILED,
            Failure::OverDecremented => OVER,
            Failure::Abandoned => ABANDONED,
        });
        self.let_go();
    }
    /// Holds the record's lock, as a wait must not (S13).
    #[cfg(feature = "planted")]
    pub(crate) fn lock(&self) -> impl Drop + '_ {
        struct Locked<'a>(
            #[expect(dead_code, reason = "held, not read")] crate::sync::Guard<'a, Option<Holder>>,
        );
        impl Drop for Locked<'_> {
            fn drop(&mut self) {}
        }
        Locked(self.signal.lock())
    }
    /// What re-recording in place would do to those who still look at this recording.
    #[cfg(feature = "planted")]
    pub(crate) fn overwrite(&self) {
        self.overwritten.store(1, Ordering::Relaxed);
    }
    #[cfg(feature = "planted")]
    pub(crate) fn is_overwritten(&self) -> bool {
        self.overwritten.load(Ordering::Relaxed) == 1
    }
    /// Whether the watermark of its queue covers the use.
    fn is_covered(&self) -> bool {
        match &self.about {
            Some(Recorded { mark: Some(mark), of, .. }) => mark.observe().covers(*of),
            _ => false,
        }
    }
    fn let_go(&self) {
        let signal = self.signal.lock().take();
        drop(signal);
    }
    /// The first outcome stands; returns the one that does.
    fn publish(&self, outcome: u8) -> u8 {
        // A single read-modify-write, with no load before it: see `sync`.
        match self.outcome.compare_exchange(
            PENDING,
            outcome,
            order(Site::RecordPublish, Ordering::AcqRel),
            // Which outcome stands is all that is taken from it; what it published is read by `outcome`.
            Ordering::Relaxed,
        ) {
            Ok(_) => outcome,
            Err(before) => before,
        }
    }
}
