//! One recording of an event: asked about and waited for on any thread.

use super::EventStatus;
use crate::{
    backend::{Device, DeviceStatus, PacketQueue, SignalMemory, WaitOutcome},
    drive::{Awaited, Synced, Tracker, WaitBy, harvest_timing, wait_until_done},
    error::{Error, WaitedFor},
    id::UseId,
    ledger::LoadCause,
    ring::{Outcome, Record, Timing},
    sync::Arc,
    timing::Interval,
    wait::{Check, Sleeps, WaitPolicy},
};

/// One recording of an event.
///
/// ```
/// use ringfence::{backend::Device, drive::Synced, error::Error, event::Event, wait::WaitPolicy};
/// use std::thread::JoinHandle;
/// /// Another thread waits for this recording, whatever becomes of the event.
/// fn wait_elsewhere<D: Device + Clone + Send + 'static>(
///     event: &Event,
///     gpu: &D,
/// ) -> Option<JoinHandle<Result<Synced, Error>>> {
///     let recording = event.snapshot()?; // never recorded: nothing to wait for
///     let gpu = gpu.clone();
///     Some(std::thread::spawn(move || recording.synchronize(&gpu, &WaitPolicy::default())))
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(super) record: Arc<Record>,
    /// The cell in device memory for GPU waiters, where the event is a twin.
    pub(super) twin: Option<Arc<Record>>,
}

impl Snapshot {
    /// The use that completes it.
    pub fn use_id(&self) -> UseId {
        self.record.about().of
    }
    /// The record of that use.
    pub fn record(&self) -> &Arc<Record> {
        &self.record
    }
    /// Whether it is finished: by a proof, without any load, where there is one (S19); else by one load
    /// of its signal, which also proves everything before it to all streams of the queue. Never blocks.
    ///
    /// # Panics
    /// If `device` is not the one that it was recorded on, and would have to be asked.
    pub fn query<D: Device>(&self, device: &D) -> EventStatus {
        #[cfg(feature = "planted")]
        if self.record.is_overwritten() {
            return EventStatus::Finished;
        }
        match self.record.outcome() {
            Outcome::Pending => self.look(device, LoadCause::Query).into(),
            Outcome::Finished if planted!(ReloadProven) => {
                let _again = self.look(device, LoadCause::Query);
                EventStatus::Finished
            }
            known @ (Outcome::Finished | Outcome::Failed(_)) => known.into(),
        }
    }
    /// One load of the signal, unless the ring took it back since: then the answer is there.
    fn look<D: Device>(&self, device: &D, cause: LoadCause) -> Outcome {
        self.check_device(device);
        if device.status() == DeviceStatus::Lost {
            return self.give_up();
        }
        let Some(hold) = self.record.hold() else {
            return self.record.outcome();
        };
        self.note_load(cause);
        self.record.observed(device.load(hold.signal()))
    }
    /// Another device's signal of that name says nothing of this use.
    fn is_of<D: Device>(&self, device: &D) -> Result<(), Error> {
        let about = self.record.about();
        let (of, recorded_on, asked) = (about.of, about.device, device.id());
        if asked == recorded_on {
            Ok(())
        } else {
            Err(Error::OtherDevice { of, recorded_on, asked })
        }
    }
    /// The same, where no error can be returned.
    #[track_caller]
    fn check_device<D: Device>(&self, device: &D) {
        if let Err(error) = self.is_of(device) {
            panic!("{error}");
        }
    }
    fn note_load(&self, cause: LoadCause) {
        self.record.about().ledger.note(cause, self.memory());
    }
    fn memory(&self) -> SignalMemory {
        self.record.about().memory
    }
    /// The device is gone, and with it the answer.
    fn give_up(&self) -> Outcome {
        self.record.lose();
        self.record.outcome()
    }
    /// Waits for it on the host. Costs no load when it is proven, and at most one when it does not have
    /// to block (S19). A signal in device memory is not looked at first: the wait loads it anyway.
    ///
    /// # Errors
    /// [`Error::TimedOut`] when the limit passed, [`Error::Failed`] when it will never finish,
    /// [`Error::OtherDevice`] on a device that it was not recorded on.
    pub fn synchronize<D: Device>(&self, device: &D, policy: &WaitPolicy) -> Result<Synced, Error> {
        self.is_of(device)?;
        let about = self.record.about();
        let mut outcome = self.record.outcome();
        if outcome == Outcome::Pending && policy.check(about.memory) == Check::First {
            outcome = self.look(device, LoadCause::Wait);
        }
        let mut sleeps = Sleeps::AfterTheWindow;
        if outcome == Outcome::Pending {
            sleeps = policy.sleeps(about.memory);
            outcome = self.block(device, policy)?;
        }
        match outcome {
            Outcome::Finished => Ok(Synced { release: about.release, sleeps }),
            Outcome::Failed(cause) => Err(Error::Failed { of: about.of, cause }),
            Outcome::Pending => Err(self.timed_out()),
        }
    }
    fn timed_out(&self) -> Error {
        Error::TimedOut { of: self.use_id(), waited_for: WaitedFor::Use }
    }
    fn block<D: Device>(&self, device: &D, policy: &WaitPolicy) -> Result<Outcome, Error> {
        let Some(hold) = self.record.hold() else {
            return Ok(self.record.outcome());
        };
        #[cfg(feature = "planted")]
        let _lock = planted!(WaitUnderLock).then(|| self.record.lock());
        let ended = wait_until_done(device, policy, hold.signal(), self.memory());
        #[cfg(feature = "planted")]
        drop(_lock);
        if policy.sleeps(self.memory()) == Sleeps::WillSpin {
            self.record.about().ledger.note_spun();
        }
        match ended {
            WaitOutcome::Reached(value) => Ok(self.record.observed(value)),
            WaitOutcome::TimedOut => Err(self.timed_out()),
            WaitOutcome::Lost => Ok(self.give_up()),
        }
    }
    /// The stream's later packets wait for it on the device; its signal is not armed again before the
    /// packet that waits is proven complete (S9). Publishes nothing when it is known to be finished.
    ///
    /// # Errors
    /// [`Error::Failed`] when it will never finish, [`Error::PeerCell`] when its signal lives where the
    /// stream's device cannot read it, and what [`Tracker::submit`] says.
    pub fn wait_on<D: Device, Q: PacketQueue>(&self, on: &mut Tracker<D, Q>) -> Result<(), Error> {
        on.await_uses([self.awaited(on.device())?], WaitBy::And)
    }
    /// What a queue of `device` waits for: the twin in device memory where that can read it.
    ///
    /// # Errors
    /// [`Error::Failed`] when it will never finish.
    pub fn awaited<D: Device>(&self, device: &D) -> Result<Option<Awaited>, Error> {
        if self.record.outcome() == Outcome::Finished {
            return Ok(None);
        }
        match &self.twin {
            Some(twin) if twin.about().device == device.id() => Awaited::of(twin),
            _ => Awaited::of(&self.record),
        }
    }
    /// When it ran: see [`Event::interval`](super::Event::interval). Taken once, whoever asks first.
    ///
    /// # Panics
    /// If `device` is not the one that it was recorded on.
    pub fn interval<D: Device>(&self, device: &D) -> Option<Interval> {
        self.check_device(device);
        if self.record.about().timing == Timing::Unwanted
            || self.query(device) != EventStatus::Finished
        {
            return None;
        }
        self.record.interval().or_else(|| harvest_timing(device, &self.record))
    }
}
