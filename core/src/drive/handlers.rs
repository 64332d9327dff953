//! Handlers: what runs on a backend's callback thread when a use is over.
//!
//! A handler holds its signal until it was processed: a signal that was armed again before its callback
//! thread looked would seem unfinished (S1). Nothing is destroyed on that thread: the last hold sends
//! the signal to the reaper (S13).

use std::{
    collections::BTreeMap,
    hash::{Hash, Hasher},
};

use super::settle::harvest;
use crate::{
    backend::{Device, DeviceStatus, HandlerToken, Handlers},
    error::Error,
    ledger::LoadCause,
    ring::{Holder, Outcome, Record, Timing},
    sync::{Arc, Mutex},
    timing::Interval,
};

/// Handlers that wait for their callback. Shared between streams and the callback thread.
///
/// ```
/// use ringfence::{backend::{Device, HandlerToken}, drive::HandlerTable};
/// use std::{sync::mpsc::Sender, task::Waker};
/// /// On the callback thread, for each token that the backend reports: wakes are left to another one.
/// fn report<D: Device>(gpu: &D, table: &HandlerTable<Waker>, token: HandlerToken, to: &Sender<Waker>) {
///     if let Some(handled) = table.handle(gpu, token) {
///         let _nobody_listens = to.send(handled.then);
///     }
/// }
/// ```
#[derive(Debug)]
pub struct HandlerTable<T> {
    waiting: Mutex<Waiting<T>>,
}
#[derive(Debug)]
struct Waiting<T> {
    next: u64,
    entries: BTreeMap<HandlerToken, Entry<T>>,
}
/// Fields drop in this order: the hold on the signal first, then what the embedder attached.
#[derive(Debug)]
struct Entry<T> {
    hold: Holder,
    record: Arc<Record>,
    /// `None`: it was given back, and the signal is held for the backend alone, which may still look at it.
    then: Option<T>,
}

/// Whether a handler will be called.
///
/// ```
/// use ringfence::{backend::Handlers, drive::*, error::Error, ring::{Outcome, Record}};
/// use std::{sync::Arc, task::{Poll, Waker}};
/// /// What the first `poll` of a future of a use does.
/// fn poll<H: Handlers>(
///     gpu: &H,
///     table: &HandlerTable<Waker>,
///     use_: &Arc<Record>,
///     waker: &Waker,
/// ) -> Poll<Result<Outcome, Error>> {
///     match table.watch(gpu, use_, waker.clone()) {
///         Ok(Watched::Later) => Poll::Pending,
///         Ok(Watched::Already(_waker)) => Poll::Ready(Ok(use_.outcome())),
///         Err(error) => Poll::Ready(Err(error)),
///     }
/// }
/// ```
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub enum Watched<T> {
    /// It will, exactly once.
    Later,
    /// The use is over already: here is what was attached.
    Already(T),
}

/// A handler's turn has come.
///
/// ```
/// use ringfence::{drive::Handled, ring::Outcome};
/// fn finish(handled: Handled<fn(Outcome)>) {
///     if let Some(ran) = handled.interval {
///         println!("it took {:?}", ran.duration());
///     }
///     (handled.then)(handled.outcome);
/// }
/// ```
#[derive(Debug)]
#[must_use]
pub struct Handled<T> {
    /// What became of the use.
    pub outcome: Outcome,
    /// When it ran, if it was timed.
    pub interval: Option<Interval>,
    /// What the embedder attached.
    pub then: T,
}

impl<T> HandlerTable<T> {
    /// No handler.
    pub fn new() -> Self {
        Self { waiting: Mutex::new(Waiting { next: 0, entries: BTreeMap::new() }) }
    }
    /// Calls back once the recorded use is over, with `then`.
    ///
    /// # Errors
    /// [`Error::Handler`] when its signal wakes nobody: submit it with [`Role::Blocking`].
    ///
    /// [`Role::Blocking`]: crate::placement::Role::Blocking
    pub fn watch(
        &self,
        device: &impl Handlers,
        record: &Arc<Record>,
        then: T,
    ) -> Result<Watched<T>, Error> {
        let hold = match record.outcome() {
            Outcome::Pending => record.hold(),
            Outcome::Finished | Outcome::Failed(_) => None,
        };
        let Some(hold) = hold else {
            return Ok(Watched::Already(then));
        };
        let signal = hold.signal();
        let entry = Entry { hold, record: record.clone(), then: Some(then) };
        let token = {
            let mut waiting = self.waiting.lock();
            waiting.next += 1;
            let token = HandlerToken::new(waiting.next);
            waiting.entries.insert(token, entry);
            token
        };
        device.watch(signal, token).map_err(|cause| {
            self.take(token);
            Error::Handler { signal, cause }
        })?;
        Ok(Watched::Later)
    }
    /// On the callback thread: the backend reported `token`. `None` for a token of another table, and for a handler that
    /// was [taken out](Self::take_failed): its signal is let go of all the same.
    ///
    /// Takes the timing, if it is wanted and still to be had, and lets go of the signal. No user code
    /// runs here, and no lock is held (S13).
    ///
    /// # Panics
    /// If `device` is not the one that reported the token.
    pub fn handle(&self, device: &impl Device, token: HandlerToken) -> Option<Handled<T>> {
        let Entry { hold, record, then } = self.take(token)?;
        let then = then?;
        let recorded_on = record.about().device;
        assert_eq!(device.id(), recorded_on, "a token is handled with the device that reported it");
        if record.outcome() == Outcome::Pending {
            record.about().ledger.note(LoadCause::Query, record.about().memory);
            let _ = record.observed(device.load(hold.signal()));
        }
        if record.outcome() == Outcome::Pending && device.status() == DeviceStatus::Lost {
            record.lose();
        }
        let interval = match record.outcome() {
            Outcome::Finished if record.about().timing == Timing::Wanted => {
                record.interval().or_else(|| harvest(device, &record))
            }
            Outcome::Finished | Outcome::Pending | Outcome::Failed(_) => None,
        };
        if planted!(DestroyInHandler) {
            device.destroy(hold.signal());
        }
        drop(hold);
        Some(Handled { outcome: record.outcome(), interval, then })
    }
    /// Takes out the handlers of uses that have failed, with what was attached: given up by force or by a stream that was dropped, they
    /// may never be reported. Their signals stay held until the backend reports them, since it may look at them until then (S1); a
    /// table that is dropped before leaks them.
    ///
    /// ```
    /// use ringfence::drive::HandlerTable;
    /// use std::task::Waker;
    /// /// After a timeout was answered with [`Tracker::force`](ringfence::drive::Tracker::force): futures ask again, and find the error.
    /// fn wake_the_failed(table: &HandlerTable<Waker>) {
    ///     table.take_failed().into_iter().for_each(Waker::wake);
    /// }
    /// ```
    pub fn take_failed(&self) -> Vec<T> {
        let mut waiting = self.waiting.lock();
        let entries = waiting.entries.values_mut();
        let failed = entries.filter(|entry| matches!(entry.record.outcome(), Outcome::Failed(_)));
        failed.filter_map(|entry| entry.then.take()).collect()
    }
    /// Handlers that were neither called yet nor taken out.
    pub fn waiting(&self) -> usize {
        let waiting = self.waiting.lock();
        waiting.entries.values().filter(|entry| entry.then.is_some()).count()
    }
    /// Feeds who waits for what to `state`, with `then` for what follows. Reads only.
    pub fn digest<H: Hasher>(&self, state: &mut H, then: impl Fn(&T, &mut H)) {
        for (token, entry) in &self.waiting.lock().entries {
            (token.as_u64(), entry.hold.signal()).hash(state);
            entry.record.digest(state);
            entry.then.is_some().hash(state);
            if let Some(attached) = &entry.then {
                then(attached, state);
            }
        }
    }
    fn take(&self, token: HandlerToken) -> Option<Entry<T>> {
        self.waiting.lock().entries.remove(&token)
    }
}
/// Signals that a backend still watches are never used again: it may look at them, whoever has them.
impl<T> Drop for HandlerTable<T> {
    fn drop(&mut self) {
        let outstanding = std::mem::take(&mut self.waiting.lock().entries);
        for (_, entry) in outstanding {
            std::mem::forget(entry.hold);
        }
    }
}
impl<T> Default for HandlerTable<T> {
    fn default() -> Self {
        Self::new()
    }
}
