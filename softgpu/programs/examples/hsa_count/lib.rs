//! `libhsa_count.so`: stands before AMD's HSA runtime, counts calls by kind, and passes them on.
//!
//! It needs the runtime as a library, so that what it does not define is found behind it, also by `dlsym` on a handle of it. The
//! counts are read with [`Calls::so_far`].

mod next;
mod packets;

use std::{
    ffi::c_void,
    sync::atomic::{AtomicU64, Ordering},
};

use next::Next;
use packets::Doorbell;
use ringfence_hsa::sys::{
    hsa_agent_t, hsa_amd_profiling_async_copy_time_t, hsa_amd_profiling_dispatch_time_t,
    hsa_amd_signal_handler, hsa_queue_t, hsa_queue_type32_t, hsa_signal_condition_t, hsa_signal_t,
    hsa_status_t, hsa_wait_state_t,
};
use ringfence_softgpu_programs::count::{Calls, Kind};

#[link(name = "hsa_count_stub")]
unsafe extern "C" {
    fn hsa_init() -> hsa_status_t;
}
/// Keeps the runtime a library that is needed.
#[used]
static NEEDED: unsafe extern "C" fn() -> hsa_status_t = hsa_init;

static CALLS: [AtomicU64; Kind::ALL.len()] = [const { AtomicU64::new(0) }; Kind::ALL.len()];

fn note(kind: Kind, calls: u64) {
    CALLS[kind as usize].fetch_add(calls, Ordering::Relaxed);
}

/// Writes the counts so far to `calls`.
///
/// # Safety
/// `calls` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringfence_hsa_count(calls: *mut Calls) {
    let so_far = Kind::ALL.into_iter().fold(Calls::default(), |calls, kind| {
        calls.with(kind, CALLS[kind as usize].load(Ordering::Relaxed))
    });
    // SAFETY: the caller's promise.
    unsafe { calls.write(so_far) };
}

/// Defines functions of the runtime's that count one call, or what a block says, and pass it on.
macro_rules! counted {
    ($($kind:ident { $($name:ident($($parameter:ident: $type:ty),*) $(-> $result:ty)?;)* })*) => {$($(
        /// Counts, and passes on.
        ///
        /// # Safety
        /// As the runtime's own.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($parameter: $type),*) $(-> $result)? {
            static NEXT: Next = Next::new(concat!(stringify!($name), "\0"));
            counted!(@count $kind $($parameter)*);
            // SAFETY: the type is that of the runtime's function of this name.
            let next: unsafe extern "C" fn($($type),*) $(-> $result)? = unsafe { NEXT.function() };
            // SAFETY: the caller's promise.
            unsafe { next($($parameter),*) }
        }
    )*)*};
    // A store may ring a doorbell: the packets are looked at before their reader is told.
    (@count Store $signal:ident $value:ident) => {
        match Doorbell::of($signal) {
            None => note(Kind::Store, 1),
            Some(doorbell) => {
                note(Kind::Doorbell, 1);
                doorbell.packets_up_to($value.cast_unsigned(), |kind| note(kind, 1));
            }
        }
    };
    (@count $kind:ident $($parameter:ident)*) => { note(Kind::$kind, 1) };
}

counted! {
    Created {
        hsa_signal_create(value: i64, count: u32, consumers: *const hsa_agent_t, signal: *mut hsa_signal_t) -> hsa_status_t;
        hsa_amd_signal_create(value: i64, count: u32, consumers: *const hsa_agent_t, bits: u64, signal: *mut hsa_signal_t) -> hsa_status_t;
    }
    Destroyed {
        hsa_signal_destroy(signal: hsa_signal_t) -> hsa_status_t;
    }
    Load {
        hsa_signal_load_relaxed(signal: hsa_signal_t) -> i64;
        hsa_signal_load_scacquire(signal: hsa_signal_t) -> i64;
        hsa_signal_load_acquire(signal: hsa_signal_t) -> i64;
    }
    Store {
        hsa_signal_store_relaxed(signal: hsa_signal_t, value: i64);
        hsa_signal_store_screlease(signal: hsa_signal_t, value: i64);
        hsa_signal_store_release(signal: hsa_signal_t, value: i64);
        hsa_signal_silent_store_relaxed(signal: hsa_signal_t, value: i64);
        hsa_signal_silent_store_screlease(signal: hsa_signal_t, value: i64);
        hsa_signal_add_relaxed(signal: hsa_signal_t, value: i64);
        hsa_signal_add_screlease(signal: hsa_signal_t, value: i64);
        hsa_signal_subtract_relaxed(signal: hsa_signal_t, value: i64);
        hsa_signal_subtract_screlease(signal: hsa_signal_t, value: i64);
    }
    Wait {
        hsa_signal_wait_relaxed(signal: hsa_signal_t, condition: hsa_signal_condition_t, value: i64, limit: u64, how: hsa_wait_state_t) -> i64;
        hsa_signal_wait_scacquire(signal: hsa_signal_t, condition: hsa_signal_condition_t, value: i64, limit: u64, how: hsa_wait_state_t) -> i64;
        hsa_signal_wait_acquire(signal: hsa_signal_t, condition: hsa_signal_condition_t, value: i64, limit: u64, how: hsa_wait_state_t) -> i64;
        hsa_amd_signal_wait_any(
            count: u32, signals: *mut hsa_signal_t, conditions: *mut hsa_signal_condition_t, values: *mut i64,
            limit: u64, how: hsa_wait_state_t, satisfying: *mut i64
        ) -> u32;
    }
    Handler {
        hsa_amd_signal_async_handler(
            signal: hsa_signal_t, condition: hsa_signal_condition_t, value: i64, handler: hsa_amd_signal_handler, data: *mut c_void
        ) -> hsa_status_t;
    }
    ReadIndex {
        hsa_queue_load_read_index_relaxed(queue: *const hsa_queue_t) -> u64;
        hsa_queue_load_read_index_scacquire(queue: *const hsa_queue_t) -> u64;
        hsa_queue_load_read_index_acquire(queue: *const hsa_queue_t) -> u64;
    }
    Times {
        hsa_amd_profiling_get_dispatch_time(
            agent: hsa_agent_t, signal: hsa_signal_t, time: *mut hsa_amd_profiling_dispatch_time_t
        ) -> hsa_status_t;
        hsa_amd_profiling_get_async_copy_time(signal: hsa_signal_t, time: *mut hsa_amd_profiling_async_copy_time_t) -> hsa_status_t;
    }
}

/// `callback` of `hsa_queue_create`.
type OnError = Option<unsafe extern "C" fn(hsa_status_t, *mut hsa_queue_t, *mut c_void)>;

/// Learns the queue's doorbell.
///
/// # Safety
/// As the runtime's own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_queue_create(
    agent: hsa_agent_t,
    size: u32,
    kind: hsa_queue_type32_t,
    on_error: OnError,
    data: *mut c_void,
    private_bytes: u32,
    group_bytes: u32,
    queue: *mut *mut hsa_queue_t,
) -> hsa_status_t {
    type Create = unsafe extern "C" fn(
        hsa_agent_t,
        u32,
        hsa_queue_type32_t,
        OnError,
        *mut c_void,
        u32,
        u32,
        *mut *mut hsa_queue_t,
    ) -> hsa_status_t;
    static NEXT: Next = Next::new("hsa_queue_create\0");
    // SAFETY: the type is that of the runtime's function of this name.
    let next: Create = unsafe { NEXT.function() };
    // SAFETY: the caller's promise.
    let status =
        unsafe { next(agent, size, kind, on_error, data, private_bytes, group_bytes, queue) };
    if status == hsa_status_t::HSA_STATUS_SUCCESS {
        // SAFETY: the runtime wrote to it, so that it can be read.
        let made = unsafe { queue.read() };
        // SAFETY: the runtime made a queue, and wrote where it is.
        unsafe { packets::learn(made) };
    }
    status
}

/// Forgets the queue's doorbell.
///
/// # Safety
/// As the runtime's own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_queue_destroy(queue: *mut hsa_queue_t) -> hsa_status_t {
    static NEXT: Next = Next::new("hsa_queue_destroy\0");
    packets::forget(queue);
    // SAFETY: the type is that of the runtime's function of this name.
    let next: unsafe extern "C" fn(*mut hsa_queue_t) -> hsa_status_t = unsafe { NEXT.function() };
    // SAFETY: the caller's promise.
    unsafe { next(queue) }
}
