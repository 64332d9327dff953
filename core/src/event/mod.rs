//! Events: recorded in one stream, asked about, waited for on the host and by other streams.
//!
//! An answer comes from a proof where there is one, and only then from a load: a completed event that
//! was proven once costs nothing to query. A waiter takes a [`Snapshot`], so that recording an event
//! again leaves those who wait for the earlier recording untouched (S12).

mod digest;
mod snapshot;

pub use snapshot::Snapshot;

use std::time::Duration;

use crate::{
    backend::{Device, PacketQueue},
    drive::{Submission, Synced, Tracker},
    error::{Error, Failure},
    id::{CacheScope, UseId},
    placement::{EventPlacement, Role},
    ring::{Holder, Outcome, Record, Timing},
    sync::Arc,
    timing::Interval,
    wait::WaitPolicy,
};

/// What an event is for.
///
/// ```
/// use ringfence::event::{Event, EventKind, EventOptions};
/// // Its waiter sleeps: worth one of the process's 4,096 interrupt signals.
/// let frame = Event::new(EventOptions { kind: EventKind::Blocking, ..EventOptions::default() });
/// # let _ = frame;
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum EventKind {
    /// Queried, waited for, and awaited by other streams. A host wait spins.
    #[default]
    Plain,
    /// A host wait sleeps: the event takes an interrupt signal, of which a process has 4,096.
    Blocking,
    /// Another process waits for it, by one cell: it is not recorded again before it is finished, and
    /// its cell serves nothing else until then. Export the cell after recording: it is that recording's.
    Ipc,
}

/// How an event is made.
///
/// ```
/// use ringfence::{event::{Event, EventOptions}, id::CacheScope};
/// // Only kernels of the same device wait for it: nothing is written back for the host.
/// let inner = EventOptions { release: CacheScope::Agent, ..EventOptions::default() };
/// let handed_over = Event::new(inner);
/// # let _ = handed_over;
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EventOptions {
    /// What it is for.
    pub kind: EventKind,
    /// Whether its timing is wanted.
    pub timing: Timing,
    /// What a wait for it promises: with [`CacheScope::System`], that the host sees the data (S21).
    pub release: CacheScope,
}
impl Default for EventOptions {
    fn default() -> Self {
        Self { kind: EventKind::Plain, timing: Timing::Unwanted, release: CacheScope::System }
    }
}

/// What is known of an event.
///
/// ```
/// use ringfence::{backend::Device, error::Failure, event::{Event, EventStatus}};
/// /// Whether the buffer that the event guards may be filled again.
/// fn is_free<D: Device>(event: &Event, gpu: &D) -> Result<bool, Failure> {
///     match event.query(gpu) {
///         EventStatus::NotRecorded | EventStatus::Finished => Ok(true),
///         EventStatus::Pending => Ok(false),
///         EventStatus::Failed(why) => Err(why), // its contents are not to be relied on
///     }
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum EventStatus {
    /// It was never recorded: not the same as finished.
    NotRecorded,
    /// What was submitted before its recording is not known to be finished.
    Pending,
    /// It is finished.
    Finished,
    /// It will never be known to be finished.
    Failed(Failure),
}
impl From<Outcome> for EventStatus {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Pending => Self::Pending,
            Outcome::Finished => Self::Finished,
            Outcome::Failed(why) => Self::Failed(why),
        }
    }
}

/// An event. It belongs to whoever records it; snapshots of it can be waited for on any thread.
///
/// Dropping an event waits for nothing and destroys nothing: the ring takes its signal back when the
/// use is over.
///
/// ```
/// use ringfence::{backend::*, drive::*, error::Error, event::*};
/// /// `consumer` goes on after what `producer` has so far.
/// fn hand_over<D: Device, Q: PacketQueue>(
///     producer: &mut Tracker<D, Q>,
///     consumer: &mut Tracker<D, Q>,
///     event: &mut Event, // again and again: nothing is created
/// ) -> Result<(), Error> {
///     event.record(producer)?;
///     event.wait_on(consumer) // on the device: the host waits for nothing
/// }
/// ```
#[derive(Debug, Default)]
pub struct Event {
    options: EventOptions,
    recorded: Option<Snapshot>,
    /// The cell of an IPC event: another process may look at it until the event is recorded again.
    cell: Option<Holder>,
}

impl Event {
    /// An event that was never recorded.
    pub fn new(options: EventOptions) -> Self {
        Self { options, recorded: None, cell: None }
    }
    /// Records the event: it is finished when everything submitted to the stream before is. Earlier
    /// recordings and those who wait for them are untouched. Allocates nothing in a steady loop (S15).
    ///
    /// # Errors
    /// [`Error::IpcPending`], and what [`Tracker::submit`] says.
    pub fn record<D: Device, Q: PacketQueue>(
        &mut self,
        on: &mut Tracker<D, Q>,
    ) -> Result<UseId, Error> {
        let role = self.host_role(on.policy().events);
        let spare_twin = self.recorded.as_mut().and_then(|earlier| earlier.twin.take());
        let marker = Submission::marker(role).release(self.options.release);
        let of = match self.record_with(on, marker) {
            Ok(of) => of,
            Err(error) => {
                self.keep_twin(spare_twin);
                return Err(error);
            }
        };
        let wants_twin = role == Role::HostQuery && on.policy().events == EventPlacement::Twin;
        if wants_twin && on.has_device_signals() {
            // After the host cell's packet, with a use of its own; others see its handle only now.
            let twin = on.submit_recorded(Submission::marker(Role::GpuWait), spare_twin);
            let twin = twin.map_err(|error| on.defer(Err(error)));
            if let Some(recorded) = &mut self.recorded {
                recorded.twin = twin.ok(); // without it, waiters on the device take the host cell
            }
        }
        Ok(of)
    }
    /// Records the event as the completion of `what` itself, a kernel, say: with the signal that the
    /// event's kind needs, and released at least as far as the event promises.
    ///
    /// # Errors
    /// As [`record`](Self::record).
    ///
    /// ```
    /// # use ringfence::{backend::*, drive::*, error::Error, event::*};
    /// # fn launch<D: Device, Q: PacketQueue<Work = &'static str>>(on: &mut Tracker<D, Q>) -> Result<(), Error> {
    /// let mut reduced = Event::new(EventOptions::default());
    /// reduced.record_with(on, Submission::kernel("reduce"))?; // one packet, and not two
    /// # Ok(())
    /// # }
    /// ```
    pub fn record_with<D: Device, Q: PacketQueue>(
        &mut self,
        on: &mut Tracker<D, Q>,
        what: Submission<Q::Work>,
    ) -> Result<UseId, Error> {
        self.check_ipc(on.device())?;
        if planted!(CreatePerRecord) {
            on.create_one_more()?;
        }
        let what = if self.options.timing == Timing::Wanted { what.timed() } else { what };
        let what = what.releasing_at_least(self.options.release);
        let what = match self.options.kind {
            EventKind::Plain => what,
            EventKind::Blocking => what.role(Role::Blocking),
            EventKind::Ipc => what.role(Role::Ipc),
        };
        let earlier = self.recorded.take().map(|earlier| earlier.record);
        #[cfg(feature = "planted")]
        if let Some(earlier) = earlier.as_ref().filter(|_| planted!(RecordInPlace)) {
            earlier.overwrite();
        }
        let (mut record, shared, made) = match earlier.map(unshared) {
            Some(Ok(own)) => (own, None, Made::OfItsOwn), // its record is used again
            Some(Err(shared)) => (on.fresh_record(None), Some(shared), Made::Fresh),
            None => (on.fresh_record(None), None, Made::Fresh),
        };
        let submitted = on.publish_into(&what, &mut record);
        if submitted.is_ok() {
            self.cell = match self.options.kind {
                EventKind::Ipc => record.hold(), // before anybody could find it finished, and arm it
                EventKind::Plain | EventKind::Blocking => None,
            };
            on.end_batch();
            self.recorded = Some(Snapshot { record, twin: None });
            // The submission itself may have retired the earlier one, which only this event held then.
            shared.into_iter().for_each(|earlier| on.keep_record(earlier));
        } else {
            self.keep_earlier(on, record, shared, made);
        }
        submitted
    }
    /// The event is finished when this copy is, as [`Tracker::copy`] recorded it.
    ///
    /// ```
    /// # use ringfence::{backend::*, drive::*, error::Error, event::*};
    /// # fn upload<D: Device, Q: PacketQueue, E: CopyEngine>(
    /// #     on: &mut Tracker<D, Q>, engine: &E, parts: &[E::Work],
    /// # ) -> Result<(), Error> {
    /// let mut uploaded = Event::new(EventOptions::default());
    /// uploaded.record_copy(on.copy(engine, CopySubmission::new(parts), None)?);
    /// uploaded.wait_on(on)?; // the kernels that follow read what was copied
    /// # Ok(())
    /// # }
    /// ```
    pub fn record_copy(&mut self, copy: Arc<Record>) {
        self.recorded = Some(Snapshot { record: copy, twin: None });
    }
    /// A recording was refused. Nothing is lost: the event stands for its earlier one, if it had one. A fresh record
    /// may still speak of the use that it had before, which is none of this event's.
    #[cold]
    fn keep_earlier<D: Device, Q: PacketQueue>(
        &mut self,
        on: &mut Tracker<D, Q>,
        record: Arc<Record>,
        shared: Option<Arc<Record>>,
        made: Made,
    ) {
        let earlier = match made {
            Made::OfItsOwn => Some(record),
            Made::Fresh => {
                on.keep_record(record);
                shared
            }
        };
        self.recorded = earlier.map(|record| Snapshot { record, twin: None });
    }
    /// The same of its twin.
    #[cold]
    fn keep_twin(&mut self, twin: Option<Arc<Record>>) {
        if let Some(earlier) = &mut self.recorded {
            earlier.twin = twin;
        }
    }
    fn host_role(&self, placement: EventPlacement) -> Role {
        match self.options.kind {
            EventKind::Blocking => Role::Blocking,
            EventKind::Ipc => Role::Ipc,
            EventKind::Plain if placement == EventPlacement::Device => Role::GpuWait,
            EventKind::Plain => Role::HostQuery,
        }
    }
    /// One cell cannot stand for two recordings in flight
    /// (<https://github.com/ROCm/rocm-systems/issues/6786>).
    fn check_ipc<D: Device>(&self, device: &D) -> Result<(), Error> {
        let Some(earlier) = self.recorded.as_ref().filter(|_| self.options.kind == EventKind::Ipc)
        else {
            return Ok(());
        };
        // Of another device, only what is proven already is known here.
        let same_device = earlier.record.about().device == device.id();
        let status =
            if same_device { earlier.query(device) } else { earlier.record.outcome().into() };
        match status {
            EventStatus::Pending => Err(Error::IpcPending { of: earlier.use_id() }),
            _ => Ok(()),
        }
    }
    /// What the event stands for now, to be waited for whatever becomes of the event.
    pub fn snapshot(&self) -> Option<Snapshot> {
        self.recorded.clone()
    }
    /// Whether it is finished. Never blocks. See [`Snapshot::query`].
    ///
    /// # Panics
    /// If `device` is not the one that it was recorded on, and would have to be asked.
    pub fn query<D: Device>(&self, device: &D) -> EventStatus {
        self.recorded.as_ref().map_or(EventStatus::NotRecorded, |recorded| recorded.query(device))
    }
    /// Waits for it on the host; an event never recorded is nothing to wait for.
    ///
    /// # Errors
    /// See [`Snapshot::synchronize`].
    pub fn synchronize<D: Device>(
        &self,
        device: &D,
        policy: &WaitPolicy,
    ) -> Result<Option<Synced>, Error> {
        self.recorded.as_ref().map(|recorded| recorded.synchronize(device, policy)).transpose()
    }
    /// The stream's later packets wait for it on the device; an event never recorded is nothing to wait
    /// for.
    ///
    /// # Errors
    /// See [`Snapshot::wait_on`].
    pub fn wait_on<D: Device, Q: PacketQueue>(&self, on: &mut Tracker<D, Q>) -> Result<(), Error> {
        self.recorded.as_ref().map_or(Ok(()), |recorded| recorded.wait_on(on))
    }
    /// When it ran, once finished, if it was timed and the device wrote usable stamps.
    ///
    /// # Panics
    /// If `device` is not the one that it was recorded on.
    pub fn interval<D: Device>(&self, device: &D) -> Option<Interval> {
        self.recorded.as_ref()?.interval(device)
    }
    /// The time from this event to a later one, if both are finished, timed, and recorded on one device:
    /// clocks of two devices start at moments of their own.
    ///
    /// # Panics
    /// If `device` is another than theirs.
    ///
    /// ```
    /// # use ringfence::{backend::*, drive::*, error::Error, event::*, ring::Timing};
    /// # fn time<D: Device, Q: PacketQueue<Work = &'static str>>(on: &mut Tracker<D, Q>) -> Result<(), Error> {
    /// let timed = EventOptions { timing: Timing::Wanted, ..EventOptions::default() };
    /// let (mut began, mut ended) = (Event::new(timed), Event::new(timed));
    /// began.record(on)?;
    /// on.submit(Submission::kernel("step"))?;
    /// ended.record(on)?;
    /// let _synced = on.synchronize()?;
    /// if let Some(took) = began.elapsed_to(&ended, on.device()) {
    ///     println!("{took:?}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn elapsed_to<D: Device>(&self, later: &Self, device: &D) -> Option<Duration> {
        let recorded_on = |event: &Self| Some(event.recorded.as_ref()?.record.about().device);
        if recorded_on(self) != recorded_on(later) {
            return None;
        }
        self.interval(device)?.elapsed_to(later.interval(device)?)
    }
}

/// What the record of a new recording was made of.
#[derive(Clone, Copy)]
enum Made {
    /// That of the event's earlier recording, which nobody else knows.
    OfItsOwn,
    /// A spare one, or a new one.
    Fresh,
}
/// The record, if nobody else holds it.
fn unshared(mut record: Arc<Record>) -> Result<Arc<Record>, Arc<Record>> {
    if Arc::get_mut(&mut record).is_some() { Ok(record) } else { Err(record) }
}
