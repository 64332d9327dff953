//! Calls back when a signal is complete, on a thread that looks.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    thread,
    time::Duration,
};

use ringfence::{
    backend::{Device, DeviceStatus, HandlerToken, Handlers},
    error::HandlerRefused,
    id::SignalHandle,
};

use super::{HipDevice, device::Inner};
use ringfence_backend_shared::pause::{self, Style};

/// The thread goes when nothing was watched for so long.
const IDLE: Duration = Duration::from_millis(200);

pub(super) type Tell = dyn Fn(HandlerToken) + Send + Sync;

/// What [`HipDevice::on_completion`] brought. Whoever calls it once for a device need not look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Listening {
    /// The tokens come to this listener from here on.
    Begins,
    /// Somebody else is told already, and stays the one: a token of theirs may be on its way.
    Refused,
}

/// What is watched, and who is told.
#[derive(Default)]
pub(super) struct Watches(Mutex<Watching>);

#[derive(Default)]
pub(super) struct Watching {
    tell: Option<Arc<Tell>>,
    pub(super) pending: Vec<(SignalHandle, HandlerToken)>,
    pub(super) thread: Thread,
}

impl Watches {
    pub(super) fn lock(&self) -> MutexGuard<'_, Watching> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn listen(&self, tell: Arc<Tell>) -> Listening {
        let mut watching = self.lock();
        if watching.tell.is_some() {
            return Listening::Refused;
        }
        watching.tell = Some(tell);
        Listening::Begins
    }

    /// Takes the token in, and has a thread look after all of them: it `begins` where there is none.
    pub(super) fn add(
        &self,
        signal: SignalHandle,
        token: HandlerToken,
        begin: impl FnOnce() -> io::Result<()>,
    ) -> Result<(), HandlerRefused> {
        // Locked until the thread is there: nobody else relies on one that cannot be had.
        let mut watching = self.lock();
        if watching.tell.is_none() {
            return Err(HandlerRefused::NoInterrupt);
        }
        if watching.thread == Thread::None {
            begin().map_err(|_no_thread| HandlerRefused::NoInterrupt)?;
            watching.thread = Thread::Runs;
        }
        watching.pending.push((signal, token));
        Ok(())
    }

    /// Tells of tokens that were taken out. Told of one or not, the others are told of: a panic was printed where it happened.
    pub(super) fn tell(&self, complete: &[HandlerToken]) {
        let Some(tell) = self.lock().tell.clone() else { return };
        for &token in complete {
            let _printed = catch_unwind(AssertUnwindSafe(|| tell(token)));
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Thread {
    #[default]
    None,
    Runs,
}

#[cfg(test)]
impl Watches {
    pub(super) fn is_locked(&self) -> bool {
        self.0.try_lock().is_err()
    }
}

impl HipDevice {
    /// Who is told of the signals that are [watched](Handlers::watch), on a thread of the device's: most often a
    /// [`HandlerTable`](ringfence::drive::HandlerTable). It is said once: whoever is told stays the one. Where `tell` panics, the others
    /// are told all the same.
    pub fn on_completion(&self, tell: impl Fn(HandlerToken) + Send + Sync + 'static) -> Listening {
        self.0.watches.listen(Arc::new(tell))
    }

    /// Takes what is complete out of what is watched; all of it if the device is lost.
    fn take_complete(&self) -> Vec<HandlerToken> {
        let lost = self.status() == DeviceStatus::Lost;
        let mut complete = Vec::new();
        self.0.watches.lock().pending.retain(|&(signal, token)| {
            let over = lost || self.table().find(signal).is_none_or(|one| one.load() < 1);
            if over {
                complete.push(token);
            }
            !over
        });
        complete
    }
}

impl Handlers for HipDevice {
    /// # Errors
    /// [`HandlerRefused::NoInterrupt`] for a signal that was not created in `Interrupt` memory, before [`HipDevice::on_completion`], and if no
    /// thread can be had.
    fn watch(&self, signal: SignalHandle, token: HandlerToken) -> Result<(), HandlerRefused> {
        if !self.table().find(signal).is_some_and(|found| found.is_interrupt()) {
            return Err(HandlerRefused::NoInterrupt);
        }
        self.0.watches.add(signal, token, || {
            let device = Arc::downgrade(&self.0);
            let name = "ringfence-hip".to_owned();
            thread::Builder::new().name(name).spawn(move || look_after(&device)).map(drop)
        })
    }
}

/// Tells of what is complete until there has been nothing to watch for a while, or the device is gone.
fn look_after(device: &Weak<Inner>) {
    loop {
        let looked = pause::until(IDLE, Style::Sleepy, || {
            let Some(device) = device.upgrade().map(HipDevice) else { return Some(Thread::None) };
            let complete = device.take_complete();
            if !complete.is_empty() {
                device.0.watches.tell(&complete);
            }
            (!complete.is_empty()).then_some(Thread::Runs)
        });
        match looked {
            Some(Thread::Runs) => {}
            Some(Thread::None) => return,
            None => {
                let Some(device) = device.upgrade().map(HipDevice) else { return };
                let mut watching = device.0.watches.lock();
                if watching.pending.is_empty() {
                    watching.thread = Thread::None;
                    return;
                }
            }
        }
    }
}
