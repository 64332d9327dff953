//! Signals that the runtime made.

use std::{ffi::c_void, time::Duration};

use ringfence_hsa::sys::{
    hsa_amd_profiling_async_copy_time_t, hsa_amd_profiling_dispatch_time_t,
    hsa_amd_signal_attribute_t, hsa_signal_condition_t, hsa_signal_t, hsa_status_t,
    hsa_wait_state_t,
};

use super::{Agent, Runtime, Ticks};

/// A signal, destroyed on drop: by then nothing may use it any more.
#[derive(Debug)]
pub struct Signal<'r> {
    runtime: &'r Runtime,
    handle: hsa_signal_t,
}

/// What a wait is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// The value is this one.
    Equal(i64),
    /// The value is smaller than this one.
    Below(i64),
}

impl Condition {
    pub(super) fn parts(self) -> (hsa_signal_condition_t, i64) {
        match self {
            Self::Equal(value) => (hsa_signal_condition_t::HSA_SIGNAL_CONDITION_EQ, value),
            Self::Below(value) => (hsa_signal_condition_t::HSA_SIGNAL_CONDITION_LT, value),
        }
    }

    /// Whether `value` fulfils it.
    #[must_use]
    pub fn holds(self, value: i64) -> bool {
        match self {
            Self::Equal(other) => value == other,
            Self::Below(other) => value < other,
        }
    }
}

/// How a wait passes the time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// Asleep, after a short spin.
    Blocked,
    /// Spinning.
    Active,
}

impl Patience {
    fn state(self) -> hsa_wait_state_t {
        match self {
            Self::Blocked => hsa_wait_state_t::HSA_WAIT_STATE_BLOCKED,
            Self::Active => hsa_wait_state_t::HSA_WAIT_STATE_ACTIVE,
        }
    }
}

impl<'r> Signal<'r> {
    /// A signal that any agent may wait for.
    #[must_use]
    pub fn new(runtime: &'r Runtime, value: i64) -> Self {
        let mut handle = hsa_signal_t::default();
        // SAFETY: no consumers are named, and `handle` is writable.
        let status = unsafe {
            runtime.functions().hsa_signal_create(value, 0, std::ptr::null(), &raw mut handle)
        };
        runtime.ok("hsa_signal_create", status);
        Self { runtime, handle }
    }

    /// A signal with `attribute`, or the status that the runtime answered instead.
    ///
    /// # Errors
    /// Whatever the runtime says.
    pub fn with(
        runtime: &'r Runtime,
        value: i64,
        attribute: hsa_amd_signal_attribute_t,
    ) -> Result<Self, hsa_status_t> {
        let (mut handle, bits) = (hsa_signal_t::default(), u64::from(attribute.0));
        let (functions, all) = (runtime.functions(), std::ptr::null());
        // SAFETY: no consumers are named, and `handle` is writable.
        let status =
            unsafe { functions.hsa_amd_signal_create(value, 0, all, bits, &raw mut handle) };
        if status == hsa_status_t::HSA_STATUS_SUCCESS {
            Ok(Self { runtime, handle })
        } else {
            Err(status)
        }
    }

    /// So many, all armed with 1.
    #[must_use]
    pub fn armed(runtime: &'r Runtime, count: usize) -> Vec<Self> {
        (0..count).map(|_| Self::new(runtime, 1)).collect()
    }

    /// Takes over a signal that the runtime handed out in another way.
    pub(super) fn adopt(runtime: &'r Runtime, handle: hsa_signal_t) -> Self {
        Self { runtime, handle }
    }

    /// The runtime.
    pub(super) fn runtime(&self) -> &'r Runtime {
        self.runtime
    }

    /// As the runtime names it.
    #[must_use]
    pub fn handle(&self) -> hsa_signal_t {
        self.handle
    }

    /// Its value, with acquire order.
    #[must_use]
    pub fn value(&self) -> i64 {
        // SAFETY: the signal is there.
        unsafe { self.runtime.functions().hsa_signal_load_scacquire(self.handle) }
    }

    /// Sets its value, with release order, and wakes who waits.
    pub fn store(&self, value: i64) {
        // SAFETY: the signal is there.
        unsafe { self.runtime.functions().hsa_signal_store_screlease(self.handle, value) };
    }

    /// Waits until `condition` holds or `limit` is over, and returns the value seen last.
    #[must_use]
    pub fn wait(&self, condition: Condition, limit: Duration, patience: Patience) -> i64 {
        let ((condition, value), ticks) = (condition.parts(), self.runtime.ticks(limit));
        let (functions, state) = (self.runtime.functions(), patience.state());
        // SAFETY: the signal is there.
        unsafe { functions.hsa_signal_wait_scacquire(self.handle, condition, value, ticks, state) }
    }

    /// Waits for 0 or less, asleep, and panics if that does not come within 10 s, or if it was decremented too often.
    #[track_caller]
    pub fn finished(&self) {
        let value = self.wait(Condition::Below(1), Duration::from_secs(10), Patience::Blocked);
        assert_eq!(value, 0, "the signal's value after a wait for less than 1");
    }

    /// The address of its value.
    #[must_use]
    pub fn value_address(&self) -> usize {
        let mut address = std::ptr::null_mut();
        let functions = self.runtime.functions();
        // SAFETY: the signal is there, and `address` is writable.
        let status =
            unsafe { functions.hsa_amd_signal_value_pointer(self.handle, &raw mut address) };
        self.runtime.ok("hsa_amd_signal_value_pointer", status);
        address as usize
    }

    /// Has `handler` called, on the runtime's thread, with the value that fulfils `condition` and with `data`; if it returns true
    /// it is called again for the next.
    ///
    /// # Safety
    /// `handler` may be called with `data`, on another thread, until it returned false.
    pub unsafe fn on(
        &self,
        condition: Condition,
        handler: extern "C" fn(i64, *mut c_void) -> bool,
        data: *mut c_void,
    ) {
        let ((condition, value), functions) = (condition.parts(), self.runtime.functions());
        // SAFETY: the signal is there; the rest the caller promised.
        let status = unsafe {
            functions.hsa_amd_signal_async_handler(
                self.handle,
                condition,
                value,
                Some(handler),
                data,
            )
        };
        self.runtime.ok("hsa_amd_signal_async_handler", status);
    }

    /// When the packet ran that completed it, on `agent`, in ticks of the system's clock.
    #[must_use]
    pub fn dispatch_time(&self, agent: &Agent<'_>) -> Ticks {
        let (mut time, agent) = (hsa_amd_profiling_dispatch_time_t::default(), agent.handle());
        let functions = self.runtime.functions();
        // SAFETY: the signal and the agent are there, and `time` is writable.
        let status = unsafe {
            functions.hsa_amd_profiling_get_dispatch_time(agent, self.handle, &raw mut time)
        };
        self.runtime.ok("hsa_amd_profiling_get_dispatch_time", status);
        Ticks { start: time.start, end: time.end }
    }

    /// When the copy ran that completed it, in ticks of the system's clock.
    #[must_use]
    pub fn copy_time(&self) -> Ticks {
        let mut time = hsa_amd_profiling_async_copy_time_t::default();
        let functions = self.runtime.functions();
        // SAFETY: the signal is there, and `time` is writable.
        let status =
            unsafe { functions.hsa_amd_profiling_get_async_copy_time(self.handle, &raw mut time) };
        self.runtime.ok("hsa_amd_profiling_get_async_copy_time", status);
        Ticks { start: time.start, end: time.end }
    }

    /// Waits until one of `signals` is below 1, and returns which and its value.
    ///
    /// # Panics
    /// If there is none within 10 s.
    #[must_use]
    pub fn first_finished(signals: &[Signal<'r>]) -> (usize, i64) {
        let runtime = signals.first().expect("a signal to wait for").runtime;
        let count = u32::try_from(signals.len()).expect("few signals");
        let mut handles: Vec<hsa_signal_t> = signals.iter().map(Signal::handle).collect();
        let mut conditions = vec![hsa_signal_condition_t::HSA_SIGNAL_CONDITION_LT; signals.len()];
        let (mut values, mut seen) = (vec![1; signals.len()], 0);
        let (functions, limit) = (runtime.functions(), runtime.ticks(Duration::from_secs(10)));
        // SAFETY: the signals are there, and each array has `count` elements.
        let index = unsafe {
            functions.hsa_amd_signal_wait_any(
                count,
                handles.as_mut_ptr(),
                conditions.as_mut_ptr(),
                values.as_mut_ptr(),
                limit,
                hsa_wait_state_t::HSA_WAIT_STATE_BLOCKED,
                &raw mut seen,
            )
        };
        assert!(index < count, "hsa_amd_signal_wait_any: {index:#x} of {count}");
        (index as usize, seen)
    }
}

impl Drop for Signal<'_> {
    fn drop(&mut self) {
        // SAFETY: it is destroyed once; that nothing uses it any more is what each case waits for before it ends.
        let status = unsafe { self.runtime.functions().hsa_signal_destroy(self.handle) };
        if !std::thread::panicking() {
            self.runtime.ok("hsa_signal_destroy", status);
        }
    }
}
