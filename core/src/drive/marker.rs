//! Waiting on the device for uses of other streams.

use super::{
    submission::Submission,
    tracker::{Life, Tracker},
};
use crate::{
    backend::SignalMemory,
    backend::{Body, Deps, Device, Features, MAX_DEPS, PacketQueue, ValueWait},
    error::Error,
    id::{Barrier, DeviceId, SignalHandle, SignalValue, UseId},
    ring::{Awaits, Holder, Outcome, PacketOrder, Record, Recorded},
    sync::Arc,
    watermark::Watermark,
};

/// A use that a queue is to wait for, with a hold on its signal.
///
/// ```
/// use ringfence::{backend::*, drive::*, error::Error, ring::Record};
/// use std::sync::Arc;
/// /// What is submitted to `consumer` next comes after all of `produced`.
/// fn after<D: Device, Q: PacketQueue>(
///     consumer: &mut Tracker<D, Q>,
///     produced: &[Arc<Record>],
/// ) -> Result<(), Error> {
///     let uses = produced.iter().map(Awaited::of).collect::<Result<Vec<_>, _>>()?;
///     consumer.await_uses(uses, WaitBy::And) // one packet for five of them
/// }
/// ```
#[derive(Debug)]
#[must_use = "dropped, it waits for nothing"]
pub struct Awaited {
    of: UseId,
    memory: SignalMemory,
    device: DeviceId,
    order: PacketOrder,
    mark: Option<Arc<Watermark>>,
    hold: Holder,
}
impl Awaited {
    /// What there is to wait for in `record`: nothing, once its use is over.
    ///
    /// # Errors
    /// The use failed, so that no wait for it would ever end well.
    pub fn of(record: &Arc<Record>) -> Result<Option<Self>, Error> {
        let about = record.about();
        match record.outcome() {
            Outcome::Finished => return Ok(None),
            Outcome::Failed(cause) => {
                return Err(Error::Failed { of: about.of, cause });
            }
            Outcome::Pending => {}
        }
        let Some(hold) = record.hold() else {
            // Over since, and the outcome was published before the signal was let go of.
            return match record.outcome() {
                Outcome::Failed(cause) => Err(Error::Failed { of: about.of, cause }),
                Outcome::Finished | Outcome::Pending => Ok(None),
            };
        };
        let Recorded { of, memory, device, order, ref mark, .. } = *about;
        Ok(Some(Self { of, memory, device, order, mark: mark.clone(), hold }))
    }
    /// The use.
    pub fn use_id(&self) -> UseId {
        self.of
    }
    /// The signal that has to fall to 0.
    pub fn signal(&self) -> SignalHandle {
        self.hold.signal()
    }
    pub(super) fn memory(&self) -> SignalMemory {
        self.memory
    }
    pub(super) fn into_hold(self) -> Holder {
        self.hold
    }
    /// A later packet of that very queue waits for a barrier packet anyway. The queue is known by its watermark, where
    /// the use has one: a number that two queues were given by mistake must not drop a wait.
    fn is_implied_on(&self, queue: &Arc<Watermark>, device: DeviceId) -> bool {
        let same_number = self.of.lane() == queue.lane();
        let same_queue = match &self.mark {
            Some(mark) => Arc::ptr_eq(mark, queue),
            None => self.device == device, // a use of a polling tracker
        };
        same_number && same_queue && self.order == PacketOrder::HoldsBackLater
    }
    /// Whether `device` can read the signal.
    pub(super) fn check_reader(&self, device: DeviceId, features: Features) -> Result<(), Error> {
        let foreign_cell = self.device != device && self.memory.is_device();
        let readable = features.contains(Features::PEER_DEVICE_WAITS);
        if foreign_cell && !readable && !planted!(PeerReadsDeviceCell) {
            return Err(Error::PeerCell { of: self.of });
        }
        Ok(())
    }
}

/// Which packet waits.
///
/// ```
/// use ringfence::{backend::*, drive::*, error::Error, event::Snapshot};
/// /// What is submitted next starts as soon as one of two buffers is filled.
/// fn after_either<D: Device, Q: PacketQueue>(
///     tracker: &mut Tracker<D, Q>,
///     [left, right]: [&Snapshot; 2],
/// ) -> Result<(), Error> {
///     let either = [left.awaited(tracker.device())?, right.awaited(tracker.device())?];
///     tracker.await_uses(either, WaitBy::Or)
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum WaitBy {
    /// BARRIER_AND: for all of them, and later packets wait as well.
    #[default]
    And,
    /// BARRIER_OR: for one of them, of [`MAX_DEPS`] at most; for none, if one is over already.
    Or,
    /// The vendor's barrier-value packet, one for each and a barrier packet behind them, where the device
    /// has it; else BARRIER_AND.
    Value,
}

impl<D: Device, Q: PacketQueue> Tracker<D, Q> {
    /// The stream's later packets wait, on the device, for these uses. Each one's signal is not armed
    /// again before the packet that waits for it is proven complete (S9). Waits that the queue's own
    /// order implies publish nothing, and so does a use that is over: what
    /// [`Snapshot::awaited`](crate::event::Snapshot::awaited) says of it is `None`.
    ///
    /// # Errors
    /// [`Error::PeerCell`] for a cell that this device cannot read, [`Error::DeviceLost`]; with the
    /// polling tracker also what [`submit`](Self::submit) says.
    pub fn await_uses(
        &mut self,
        uses: impl IntoIterator<Item = Option<Awaited>>,
        by: WaitBy,
    ) -> Result<(), Error> {
        if self.life == Life::Lost {
            return Err(self.lost_error());
        }
        let (id, features) = (self.device.id(), self.capabilities.features);
        let queue = self.queue.mark().clone();
        let by = match by {
            WaitBy::Value if !features.contains(Features::BARRIER_VALUE) => WaitBy::And,
            by => by,
        };
        if by == WaitBy::Or {
            return self.await_any(uses);
        }
        let at_once = if by == WaitBy::Value { 1 } else { MAX_DEPS };
        let mut waits = false;
        let mut uses =
            uses.into_iter().flatten().filter(|awaited| !awaited.is_implied_on(&queue, id));
        loop {
            let mut some: [Option<Awaited>; MAX_DEPS] = Default::default();
            let mut signals = [SignalHandle::NULL; MAX_DEPS];
            let mut count = 0;
            for awaited in uses.by_ref().take(at_once) {
                awaited.check_reader(id, features)?;
                signals[count] = awaited.signal();
                some[count] = Some(awaited);
                count += 1;
            }
            if count == 0 {
                break;
            }
            waits = true;
            self.publish_wait(by, &signals[..count], some)?;
        }
        if waits && by == WaitBy::Value {
            // Later packets without the barrier bit may pass a value packet; none passes this one.
            let behind = Submission::waiting(Body::And(Deps::NONE), Barrier::Set);
            self.submit_own(behind)?;
        }
        Ok(())
    }
    fn await_any(&mut self, uses: impl IntoIterator<Item = Option<Awaited>>) -> Result<(), Error> {
        let (id, features) = (self.device.id(), self.capabilities.features);
        let mut some: [Option<Awaited>; MAX_DEPS] = Default::default();
        let mut signals = [SignalHandle::NULL; MAX_DEPS];
        let mut count = 0;
        for awaited in uses {
            let Some(awaited) = awaited else {
                return Ok(()); // one is over: there is nothing to wait for
            };
            awaited.check_reader(id, features)?;
            if count == MAX_DEPS {
                return Err(Error::TooManyAlternatives { max: MAX_DEPS });
            }
            signals[count] = awaited.signal();
            some[count] = Some(awaited);
            count += 1;
        }
        if count == 0 { Ok(()) } else { self.publish_wait(WaitBy::Or, &signals[..count], some) }
    }
    fn publish_wait(
        &mut self,
        by: WaitBy,
        signals: &[SignalHandle],
        uses: [Option<Awaited>; MAX_DEPS],
    ) -> Result<(), Error> {
        let (deps, _none_left) = Deps::take(signals);
        let (body, awaits, barrier) = match by {
            WaitBy::And => (Body::And(deps), Awaits::EachInOrder, Barrier::Clear),
            WaitBy::Or if signals.len() == 1 => {
                (Body::Or(deps), Awaits::EachInOrder, Barrier::Clear)
            }
            WaitBy::Or => (Body::Or(deps), Awaits::AnyInOrder, Barrier::Clear),
            WaitBy::Value => {
                let wait = ValueWait { signal: signals[0], below: SignalValue::ARMED };
                (Body::Value(wait), Awaits::EachUnordered, Barrier::Clear)
            }
        };
        let packet = Submission::waiting(body, barrier);
        if self.polling.is_some() {
            let holds = uses.map(|awaited| awaited.map(Awaited::into_hold));
            return self.publish_polled_wait(packet, holds);
        }
        self.ring.reserve_pins(uses.len());
        let consumer = self.submit_own(packet)?;
        if planted!(NoPin) {
            return Ok(());
        }
        for awaited in uses.into_iter().flatten() {
            let dependency = awaited.use_id();
            self.ring.pin(consumer, awaits, Some(dependency), awaited.into_hold());
        }
        Ok(())
    }
}
