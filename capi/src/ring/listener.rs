//! Who is told when a handler's turn comes; nobody is once the device is closed.

use std::{
    ffi::c_void,
    sync::{Mutex, MutexGuard, PoisonError},
};

#[cfg(any(feature = "hsa", feature = "hip"))]
use ringfence::backend::HandlerToken;

use super::{
    device::Device,
    object::{DeviceObject, device_of},
    types::ringfence_device_t,
};
use crate::{
    border::{border, there},
    status::{Failure, ringfence_status_t, ringfence_status_t as Status},
};

/// Called with each token that a device of AMD's own reports, on a thread of its runtime's. May not throw.
pub type ringfence_completion_fn =
    Option<unsafe extern "C-unwind" fn(argument: *mut c_void, token: u64)>;

/// Says who is told of the tokens of a device of HSA's or HIP's own: `tell`, with `argument`, which has to live until the
/// device is closed. It is said once for each device. A device of the caller's tells the caller by itself.
///
/// Errors: `RINGFENCE_UNSUPPORTED` for a device of the caller's; `RINGFENCE_OUT_OF_ORDER` when somebody is told already.
/// Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_device_on_completion(
    device: ringfence_device_t,
    tell: ringfence_completion_fn,
    argument: *mut c_void,
) -> ringfence_status_t {
    border(|| {
        let (object, tell) = (device_of(device)?, there(tell, "tell")?);
        let told = Told { call: tell, argument };
        match &object.device {
            #[cfg(feature = "hsa")]
            Device::Hsa(device) => {
                object.listener.set(told)?;
                // Said already by the device's last holder here, which may not be gone yet: it asks for the same listener.
                let _said = device.on_completion(super::alone::told);
                Ok(())
            }
            #[cfg(feature = "hip")]
            Device::Hip(device) => {
                object.listener.set(told)?;
                let listener = object.listener.clone();
                device.on_completion(move |_, token| listener.tell(token));
                Ok(())
            }
            Device::Table(_) => {
                let _ = told;
                Err(Failure::new(
                    Status::RINGFENCE_UNSUPPORTED,
                    format_args!(
                        "a device of the caller's reports tokens by itself: call `ringfence_device_handle` with them"
                    ),
                ))
            }
        }
    })
}
#[derive(Clone, Copy)]
#[cfg_attr(
    not(any(feature = "hsa", feature = "hip")),
    expect(dead_code, reason = "only the built-in devices tell")
)]
struct Told {
    call: unsafe extern "C-unwind" fn(*mut c_void, u64),
    argument: *mut c_void,
}
// SAFETY: the header says on which threads it is called, and that those may be several at once.
unsafe impl Send for Told {}

/// Who is told of a device's tokens, and whether the device is closed.
#[derive(Default)]
pub(crate) struct Listener(Mutex<State>);
#[derive(Default)]
struct State {
    closed: bool,
    /// Calls that set a watch, and that tell.
    busy: u32,
    #[cfg(any(feature = "hsa", feature = "hip"))]
    told: Option<Told>,
    /// Tokens that came before anybody was to be told.
    #[cfg(any(feature = "hsa", feature = "hip"))]
    untold: Vec<HandlerToken>,
}
/// A device that is not closed while this exists.
pub(crate) struct Open<'a>(&'a Listener);
impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.state().busy -= 1;
    }
}
impl Listener {
    /// For a look alone: nobody is called under it.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Keeps the device from being closed. `None`: it is.
    pub(crate) fn open(&self) -> Option<Open<'_>> {
        let mut state = self.state();
        if state.closed {
            return None;
        }
        state.busy += 1;
        Some(Open(self))
    }
    #[cfg(any(feature = "hsa", feature = "hip"))]
    fn set(&self, told: Told) -> Result<(), Failure> {
        let mut state = self.state();
        if state.told.is_some() {
            drop(state);
            return Err(Failure::new(
                Status::RINGFENCE_OUT_OF_ORDER,
                format_args!("somebody is told of the device's tokens already; it is said once"),
            ));
        }
        state.told = Some(told);
        let untold = std::mem::take(&mut state.untold);
        drop(state);
        for token in untold {
            self.tell(token);
        }
        Ok(())
    }
    #[cfg(any(feature = "hsa", feature = "hip"))]
    pub(super) fn tell(&self, token: HandlerToken) {
        // Until it returns the device is not closed, so that its argument is there.
        let Some(_open) = self.open() else { return };
        let told = {
            let mut state = self.state();
            if state.told.is_none() {
                state.untold.push(token);
            }
            state.told
        };
        if let Some(told) = told {
            // SAFETY: who set it said that it may be called with this argument.
            unsafe { (told.call)(told.argument, token.as_u64()) }
        }
    }
}
impl DeviceObject {
    /// Nobody is told from here on.
    pub(crate) fn close(&self) -> Result<(), Failure> {
        // Of uses that were given up: no token may ever come of them.
        drop(self.handlers.take_failed());
        let mut state = self.listener.state();
        let waiting = self.handlers.waiting();
        if waiting > 0 || state.busy > 0 {
            return Err(Failure::new(
                Status::RINGFENCE_IN_USE,
                format_args!(
                    "{waiting} handlers of the device wait for their tokens, and {} calls set or tell of one; let them come, then close",
                    state.busy
                ),
            ));
        }
        *state = State { closed: true, ..State::default() };
        drop(state);
        #[cfg(feature = "hsa")]
        drop(self.alone.lock().unwrap_or_else(PoisonError::into_inner).take());
        Ok(())
    }
}
