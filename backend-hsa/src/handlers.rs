//! Calls from the runtime when a signal is done.

use std::{
    ffi::c_void,
    sync::atomic::{AtomicU64, Ordering},
};

use ringfence::{
    backend::{DeviceStatus, HandlerToken, Handlers},
    error::HandlerRefused,
    id::SignalHandle,
};

use crate::{
    callback,
    device::HsaDevice,
    life::{Watch, WatchId},
    runtime::WeakRuntime,
    signals::{self, Class},
};

/// What the runtime's call is about. It holds nothing up: a call that never comes costs these bytes.
struct Call {
    runtime: WeakRuntime,
    device: usize,
    watch: WatchId,
}

static NEXT: AtomicU64 = AtomicU64::new(0);

impl Handlers for HsaDevice {
    /// A watch holds no device up: when the last handle of the device is gone, so is who would be told.
    ///
    /// # Panics
    /// If there is no such signal, or no more.
    fn watch(&self, signal: SignalHandle, token: HandlerToken) -> Result<(), HandlerRefused> {
        let held = signals::expect(&self.0, signal);
        let one = match (held.entry().class, held.for_calls()) {
            (Class::Interrupt | Class::Shared, Some(one)) => one,
            (Class::Host, _) => return Err(HandlerRefused::NoInterrupt),
            (Class::Raw | Class::InDevice, _) | (_, None) => {
                return Err(HandlerRefused::DeviceMemory);
            }
        };
        let watch = WatchId(NEXT.fetch_add(1, Ordering::Relaxed));
        let life = self.0.life();
        let kept = life.keep(watch, Watch { device: self.downgrade(), token });
        if kept == DeviceStatus::Lost {
            return Err(HandlerRefused::DeviceLost);
        }
        let call =
            Call { runtime: self.runtime().downgrade(), device: self.0.index() as usize, watch };
        let data = Box::into_raw(Box::new(call)).cast();
        // SAFETY: `on_completion` takes what `data` is, frees it, and asks not to be called again.
        let set = unsafe { self.runtime().api().on_completion(one, on_completion, data) };
        if set.is_ok() {
            return Ok(());
        }
        // SAFETY: it was made above, and the runtime did not take it.
        drop(unsafe { Box::from_raw(data.cast::<Call>()) });
        match life.take(watch) {
            Some(_) => Err(HandlerRefused::NoInterrupt),
            // The loss of the GPU was reported for it meanwhile: that was its one report.
            None => Ok(()),
        }
    }
}

unsafe extern "C" fn on_completion(value: i64, data: *mut c_void) -> bool {
    let _ = value;
    // SAFETY: `watch` made it for this one call.
    let call = unsafe { Box::from_raw(data.cast::<Call>()) };
    callback::on_runtime_thread(|| {
        if let Some(runtime) = call.runtime.upgrade()
            && let Some(watch) = runtime.life(call.device).take(call.watch)
        {
            watch.report();
        }
    });
    false
}
