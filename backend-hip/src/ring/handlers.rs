//! Calls back when a signal is complete, on a thread that looks.

use std::{
    sync::{Arc, Mutex, PoisonError, Weak},
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

type Tell = dyn Fn(HandlerToken) + Send + Sync;

/// What is watched, and who is told.
#[derive(Default)]
pub(super) struct Watches(Mutex<Watching>);

#[derive(Default)]
struct Watching {
    tell: Option<Arc<Tell>>,
    pending: Vec<(SignalHandle, HandlerToken)>,
    thread: Thread,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Thread {
    #[default]
    None,
    Runs,
}

impl HipDevice {
    /// Who is told of the signals that are [watched](Handlers::watch), on a thread of the device's: most often a
    /// [`HandlerTable`](ringfence::drive::HandlerTable). Called again it takes the place of the one before.
    pub fn on_completion(&self, tell: impl Fn(HandlerToken) + Send + Sync + 'static) {
        self.watching(|watching| watching.tell = Some(Arc::new(tell)));
    }

    fn watching<R>(&self, act: impl FnOnce(&mut Watching) -> R) -> R {
        act(&mut self.0.watches.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes what is complete out of what is watched; all of it if the device is lost.
    fn take_complete(&self) -> Vec<HandlerToken> {
        let lost = self.status() == DeviceStatus::Lost;
        self.watching(|watching| {
            let mut complete = Vec::new();
            watching.pending.retain(|&(signal, token)| {
                let over = lost || self.table().find(signal).is_none_or(|one| one.load() < 1);
                if over {
                    complete.push(token);
                }
                !over
            });
            complete
        })
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
        let begins = self.watching(|watching| {
            if watching.tell.is_none() {
                return Err(HandlerRefused::NoInterrupt);
            }
            watching.pending.push((signal, token));
            Ok(std::mem::replace(&mut watching.thread, Thread::Runs) == Thread::None)
        })?;
        if begins {
            let device = Arc::downgrade(&self.0);
            let name = "ringfence-hip".to_owned();
            let begun = thread::Builder::new().name(name).spawn(move || look_after(&device));
            if begun.is_err() {
                self.watching(|watching| {
                    watching.thread = Thread::None;
                    watching.pending.retain(|&(_, other)| other != token);
                });
                return Err(HandlerRefused::NoInterrupt);
            }
        }
        Ok(())
    }
}

/// Tells of what is complete until there has been nothing to watch for a while, or the device is gone.
fn look_after(device: &Weak<Inner>) {
    loop {
        let looked = pause::until(IDLE, Style::Sleepy, || {
            let Some(device) = device.upgrade().map(HipDevice) else { return Some(Thread::None) };
            let complete = device.take_complete();
            let tell = device.watching(|watching| watching.tell.clone());
            for &token in &complete {
                if let Some(tell) = &tell {
                    tell(token);
                }
            }
            (!complete.is_empty()).then_some(Thread::Runs)
        });
        match looked {
            Some(Thread::Runs) => {}
            Some(Thread::None) => return,
            None => {
                let Some(device) = device.upgrade().map(HipDevice) else { return };
                let ends = device.watching(|watching| {
                    let ends = watching.pending.is_empty();
                    if ends {
                        watching.thread = Thread::None;
                    }
                    ends
                });
                if ends {
                    return;
                }
            }
        }
    }
}
