//! Signals of the runtime's own.

use std::{ffi::c_void, ptr::NonNull};

use super::{AgentHandle, Api};
use crate::{
    error::HsaError,
    sys::{
        SIGNAL_CREATE_DEVICE_MEM_VALUE_WORD, SignalCreateDesc, amd_signal_t, hsa_amd_ipc_memory_t,
        hsa_amd_signal_attribute_t, hsa_signal_condition_t, hsa_signal_t, hsa_status_t,
        hsa_wait_state_t,
    },
};

/// A signal that the runtime made, and that its calls take. A block that this crate laid out itself is never one.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct HsaSignal(hsa_signal_t);

impl HsaSignal {
    /// The signal that [`address`](Self::address) named.
    ///
    /// # Safety
    /// It did, and the signal was not destroyed since.
    pub(crate) const unsafe fn from_address(address: u64) -> Self {
        Self(hsa_signal_t { handle: address })
    }

    /// The runtime's name for it, which is where its `amd_signal_t` lies
    /// ([`has_layout`](Api::has_layout) has made sure).
    pub(crate) const fn address(self) -> u64 {
        self.0.handle
    }

    pub(super) fn raw(self) -> hsa_signal_t {
        self.0
    }

    pub(super) fn raw_list(list: &[Self]) -> *const hsa_signal_t {
        list.as_ptr().cast()
    }
}

/// A name for a signal that another process can attach.
pub(crate) type IpcName = [u8; 32];

impl Api {
    /// A signal in host memory that a sleeping host thread can be woken by, as long as the process has events left.
    pub(crate) fn create_interrupt(self, value: i64) -> Result<Option<HsaSignal>, HsaError> {
        let mut signal = hsa_signal_t::default();
        let (functions, all) = (self.functions(), std::ptr::null());
        // SAFETY: no consumers are named, and `signal` is writable.
        let status = unsafe { functions.hsa_signal_create(value, 0, all, &raw mut signal) };
        self.check("hsa_signal_create", status)?;
        Ok(non_null(signal))
    }

    /// A signal in host memory that wakes nobody, or one that another process can open.
    pub(crate) fn create_with(
        self,
        value: i64,
        attribute: hsa_amd_signal_attribute_t,
    ) -> Result<Option<HsaSignal>, HsaError> {
        let (mut signal, bits) = (hsa_signal_t::default(), u64::from(attribute.0));
        let (functions, all) = (self.functions(), std::ptr::null());
        // SAFETY: no consumers are named, and `signal` is writable.
        let status =
            unsafe { functions.hsa_amd_signal_create(value, 0, all, bits, &raw mut signal) };
        self.check("hsa_amd_signal_create", status)?;
        Ok(non_null(signal))
    }

    /// Up to `batch.len()` signals in the memory of `consumer`, which alone may wait for them, by one call. `None` where the
    /// runtime has no such call. What failed has no entry; an error is returned if nothing was made.
    pub(crate) fn create_in_device(
        self,
        value: i64,
        consumer: AgentHandle,
        count: usize,
    ) -> Option<Result<Vec<HsaSignal>, HsaError>> {
        let create = self.create_v2()?;
        let consumers = [consumer.raw()];
        let describe = |_| SignalCreateDesc {
            version: 1,
            flags: SIGNAL_CREATE_DEVICE_MEM_VALUE_WORD,
            reserved_header: [0; 4],
            initial_value: value,
            attributes: 0,
            num_consumers: 1,
            reserved_count: 0,
            consumers: consumers.as_ptr(),
            signal: hsa_signal_t::default(),
            reserved: [0; 2],
        };
        let mut descs: Vec<SignalCreateDesc> = (0..count).map(describe).collect();
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        // SAFETY: there are `count` descriptors, and `consumers` outlives the call.
        let status = unsafe { create(descs.as_mut_ptr(), count) };
        let made: Vec<_> = descs.iter().filter_map(|desc| non_null(desc.signal)).collect();
        if made.is_empty() {
            let failed = self.check("hsa_amd_signal_create_v2", status);
            return Some(failed.map(|()| made));
        }
        Some(Ok(made))
    }

    /// Destroys it.
    ///
    /// # Safety
    /// No packet, wait or handler uses it from now on.
    pub(crate) unsafe fn destroy_signal(self, signal: HsaSignal) {
        // SAFETY: the caller promised that nothing uses it. A failure means that the runtime does not know it: nothing to undo.
        let _ = unsafe { self.functions().hsa_signal_destroy(signal.0) };
    }

    /// Whether handles are addresses of `amd_signal_t`, as the headers say and debuggers rely on.
    pub(crate) fn has_layout(self, signal: HsaSignal) -> bool {
        let mut value = std::ptr::null_mut();
        let (functions, to) = (self.functions(), &raw mut value);
        // SAFETY: the signal is the runtime's, and `value` is writable.
        let status = unsafe { functions.hsa_amd_signal_value_pointer(signal.0, to) };
        let expected =
            signal.address() as usize + std::mem::offset_of!(amd_signal_t, __bindgen_anon_1);
        status == hsa_status_t::HSA_STATUS_SUCCESS && value as usize == expected
    }

    /// Waits until its value is below `below`, or about `ticks` of the system's clock are over; asleep if it can wake.
    pub(crate) fn wait_blocked(self, signal: HsaSignal, below: i64, ticks: u64) -> i64 {
        // SAFETY: the signal is the runtime's, and there: whoever waits holds it.
        unsafe {
            self.functions().hsa_signal_wait_scacquire(
                signal.0,
                hsa_signal_condition_t::HSA_SIGNAL_CONDITION_LT,
                below,
                ticks,
                hsa_wait_state_t::HSA_WAIT_STATE_BLOCKED,
            )
        }
    }

    /// Stores a value and wakes who waits for it.
    pub(crate) fn store(self, signal: HsaSignal, value: i64) {
        // SAFETY: the signal is the runtime's, and there.
        unsafe { self.functions().hsa_signal_store_screlease(signal.0, value) };
    }

    /// Has `handler` called with `data`, on a thread of the runtime, once the value is below 1.
    ///
    /// # Safety
    /// `handler` may be called with `data`, on another thread, until it returned false.
    pub(crate) unsafe fn on_completion(
        self,
        signal: HsaSignal,
        handler: unsafe extern "C" fn(i64, *mut c_void) -> bool,
        data: *mut c_void,
    ) -> Result<(), HsaError> {
        let below = hsa_signal_condition_t::HSA_SIGNAL_CONDITION_LT;
        let functions = self.functions();
        // SAFETY: the signal is the runtime's, and the caller promised the rest.
        let status = unsafe {
            functions.hsa_amd_signal_async_handler(signal.0, below, 1, Some(handler), data)
        };
        self.check("hsa_amd_signal_async_handler", status)
    }

    /// A name for it that another process can attach.
    pub(crate) fn share(self, signal: HsaSignal) -> Result<IpcName, HsaError> {
        let mut name = hsa_amd_ipc_memory_t::default();
        let (functions, to) = (self.functions(), &raw mut name);
        // SAFETY: the signal is the runtime's, and `name` is writable.
        let status = unsafe { functions.hsa_amd_ipc_signal_create(signal.0, to) };
        self.check("hsa_amd_ipc_signal_create", status)?;
        let mut bytes = [0; 32];
        for (to, word) in bytes.chunks_mut(4).zip(name.handle) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        Ok(bytes)
    }

    /// Another process's signal.
    pub(crate) fn attach(self, bytes: IpcName) -> Result<Option<HsaSignal>, HsaError> {
        let word = |index: usize| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|byte| bytes[4 * index + byte]);
            u32::from_le_bytes([a, b, c, d])
        };
        let name = hsa_amd_ipc_memory_t { handle: [0, 1, 2, 3, 4, 5, 6, 7].map(word) };
        let mut signal = hsa_signal_t::default();
        let (functions, from) = (self.functions(), &raw const name);
        // SAFETY: `name` is there, and `signal` is writable.
        let status = unsafe { functions.hsa_amd_ipc_signal_attach(from, &raw mut signal) };
        self.check("hsa_amd_ipc_signal_attach", status)?;
        Ok(non_null(signal))
    }
}

/// Some runtimes have answered with success and no signal (<https://github.com/ROCm/rocm-systems/issues/1309>).
fn non_null(signal: hsa_signal_t) -> Option<HsaSignal> {
    NonNull::new(signal.handle as *mut amd_signal_t).map(|_| HsaSignal(signal))
}
