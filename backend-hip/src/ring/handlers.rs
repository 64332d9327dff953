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

/// It is given its device: one that held a handle of its own would keep the device, which keeps it.
pub(super) type Tell = dyn Fn(&HipDevice, HandlerToken) + Send + Sync;

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

    /// Takes out what is over.
    pub(super) fn take(&self, is_over: impl Fn(SignalHandle) -> bool) -> Vec<HandlerToken> {
        let mut watching = self.lock();
        watching
            .pending
            .extract_if(.., |(signal, _)| is_over(*signal))
            .map(|(_, token)| token)
            .collect()
    }

    /// Who is told.
    pub(super) fn listener(&self) -> Option<Arc<Tell>> {
        self.lock().tell.clone()
    }
}

/// Tells of tokens that were taken out. Told of one or not, the others are told of: a panic was printed where it happened.
pub(super) fn tell_all(complete: &[HandlerToken], tell: impl Fn(HandlerToken)) {
    for &token in complete {
        let _printed = catch_unwind(AssertUnwindSafe(|| tell(token)));
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
    ///
    /// A device that holds itself (by a clone, a queue or a tracker in `tell`) is never let go of: use the one that `tell` is given. `tell`
    /// goes with the last handle of the device, which a watch is none of: whoever wants to hear keeps one. An
    /// [announced reset](crate::HipStreams::device_will_be_reset) waits for `tell`.
    ///
    /// ```no_run
    /// # use ringfence::drive::HandlerTable;
    /// # use ringfence_hip::{HipDevice, Listening};
    /// # use std::{sync::{Arc, mpsc::Sender}, task::Waker};
    /// # fn told(gpu: &HipDevice, table: Arc<HandlerTable<Waker>>, to: Sender<Waker>) {
    /// let listening = gpu.on_completion(move |gpu, token| {
    ///     if let Some(handled) = table.handle(gpu, token) {
    ///         let _nobody_listens = to.send(handled.then); // wakes are left to another thread
    ///     }
    /// });
    /// assert_eq!(listening, Listening::Begins);
    /// # }
    /// ```
    pub fn on_completion(
        &self,
        tell: impl Fn(&HipDevice, HandlerToken) + Send + Sync + 'static,
    ) -> Listening {
        self.0.watches.listen(Arc::new(tell))
    }

    /// Tells of what is over, which is everything if the device is lost.
    fn tell_what_is_over(&self) -> Told {
        // Also while it is told: a listener looks at its signal.
        let Some(_look) = self.streams().listeners().look() else { return Told::Nothing };
        let lost = self.status() == DeviceStatus::Lost;
        let over = self.0.watches.take(|signal| lost || self.table().is_over(signal));
        if let Some(tell) = self.0.watches.listener() {
            tell_all(&over, |token| tell(self, token));
        }
        if over.is_empty() { Told::Nothing } else { Told::Some }
    }
}

/// What a look led to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Told {
    Nothing,
    Some,
}

impl Handlers for HipDevice {
    /// # Errors
    /// [`HandlerRefused::NoInterrupt`] for a signal that was not created in `Interrupt` memory, before [`HipDevice::on_completion`], and if no
    /// thread can be had; [`HandlerRefused::DeviceLost`] for a signal whose GPU was reset since.
    fn watch(&self, signal: SignalHandle, token: HandlerToken) -> Result<(), HandlerRefused> {
        if !self.table().find(signal).is_some_and(|found| found.is_interrupt()) {
            return Err(HandlerRefused::NoInterrupt);
        }
        if self.table().is_abandoned(signal) {
            return Err(HandlerRefused::DeviceLost);
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
            (device.tell_what_is_over() == Told::Some).then_some(Thread::Runs)
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
