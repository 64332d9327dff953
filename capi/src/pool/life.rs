//! Pools: made, pumped, shut down, destroyed.

use std::{num::NonZeroU32, time::Duration};

use crossbeam_queue::ArrayQueue;
use ringfence::{drive::StreamPool, id::DeviceId, stream::PoolOptions, sync::Arc};

use super::{
    backend::ringfence_stream_backend_t,
    driver::Driver,
    foreign::Foreign,
    object::{POOLS, PoolObject, pool_of},
    table::StreamTable,
    told::{ringfence_pool_options_t, ringfence_pumped_t, ringfence_shut_down_t},
    types::ringfence_pool_t,
};
use crate::{
    border::border,
    place::Out,
    sized::{self, Room},
    status::{Failure, ringfence_status_t, ringfence_status_t as Status},
};

/// Places of the hand-in, unless the options say otherwise: 4,096 finalized arrays between two pumps, in 192 KiB.
pub(super) const HAND_IN: u32 = 4096;
/// The most: they are made with the pool, in 48 MiB.
pub(super) const MOST_HAND_IN: u32 = 1 << 20;

/// Fills `options` with the defaults, its `size` included. `size` is `sizeof(ringfence_pool_options_t)`: nothing is written past
/// it.
///
/// Errors: `RINGFENCE_ABI_MISMATCH`. Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringfence_pool_options_init(
    options: *mut ringfence_pool_options_t,
    size: usize,
) -> ringfence_status_t {
    border(|| {
        let defaults = PoolOptions::default();
        let filled = ringfence_pool_options_t {
            size,
            idle_cap: defaults.idle_cap,
            live_cap: 0,
            looks: defaults.looks,
            warn_past: defaults.warn_past,
            wait_limit: u64::try_from(defaults.wait_limit.as_nanos()).unwrap_or(u64::MAX),
            hand_in: HAND_IN,
            reserved: 0,
            on_crowd: None,
            on_crowd_argument: std::ptr::null_mut(),
        };
        // SAFETY: the caller's structure, by the rules at the top of the header; its size, by the caller.
        unsafe { sized::init(options, size, &filled, "options") }
    })
}

/// Who is told of too many streams, as a function that threads may share.
struct OnCrowd {
    call: unsafe extern "C-unwind" fn(*mut std::ffi::c_void, u32),
    argument: *mut std::ffi::c_void,
}
// SAFETY: the header says that the function is called on the thread that created a stream, whichever that is.
unsafe impl Send for OnCrowd {}
// SAFETY: as above; it is called once.
unsafe impl Sync for OnCrowd {}
impl OnCrowd {
    fn tell(&self, live: u32) {
        // SAFETY: the caller of `ringfence_pool_create` said that it may be called with this argument.
        unsafe { (self.call)(self.argument, live) }
    }
}

/// `driver` is called once nothing can be refused any more: a table's `release` is not called for a pool that came to nothing.
fn make(
    driver: impl FnOnce() -> Driver,
    options: Option<ringfence_pool_options_t>,
) -> Result<ringfence_pool_t, Failure> {
    let mut settings = PoolOptions::default();
    let (mut places, mut crowd) = (HAND_IN, None);
    if let Some(options) = options {
        settings.idle_cap = options.idle_cap;
        settings.live_cap = NonZeroU32::new(options.live_cap);
        settings.looks = options.looks;
        settings.warn_past = options.warn_past;
        settings.wait_limit = Duration::from_nanos(options.wait_limit);
        Failure::unless_0("options->reserved", options.reserved)?;
        let wanted = if options.hand_in == 0 { HAND_IN } else { options.hand_in };
        places = Failure::at_most("options->hand_in", wanted, MOST_HAND_IN)?;
        crowd = options.on_crowd.map(|call| OnCrowd { call, argument: options.on_crowd_argument });
    }
    let hand_in = ArrayQueue::new(places as usize);
    let handle = POOLS.insert_with(|handle| {
        let mut pool = StreamPool::new(driver(), settings);
        if let Some(crowd) = crowd {
            pool = pool.on_crowd(move |now| crowd.tell(now.live));
        }
        Arc::new(PoolObject { pool, handle, hand_in, foreign: Foreign::default() })
    })?;
    Ok(ringfence_pool_t { handle })
}

/// Makes a pool on the caller's own driver. It creates no stream before it is asked. `options` may be NULL: the defaults.
///
/// Gives: `*pool`, which `ringfence_pool_destroy` ends. The table is copied; its `context` is the caller's.
/// Errors: `RINGFENCE_INCOMPLETE_TABLE`, `RINGFENCE_ABI_MISMATCH`, `RINGFENCE_INVALID_ARGUMENT`; `release` is not called then.
/// Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringfence_pool_create(
    backend: *const ringfence_stream_backend_t,
    options: *const ringfence_pool_options_t,
    pool: Out<ringfence_pool_t>,
) -> ringfence_status_t {
    border(|| {
        let pool = pool.there("pool")?;
        // SAFETY: the caller's structure, by the rules at the top of the header.
        let table = unsafe { sized::read(backend, "backend") }?;
        // SAFETY: as above.
        let options = unsafe { read_options(options) }?;
        StreamTable::check(&table)?;
        pool.write(make(|| Driver::Table(Box::new(StreamTable::new(table))), options)?);
        Ok(())
    })
}
/// Makes a pool on AMD's HIP, which is loaded now if it was not before. `options` may be NULL: the defaults.
///
/// Gives: `*pool`, which `ringfence_pool_destroy` ends.
/// Errors: `RINGFENCE_NO_RUNTIME` when HIP cannot be loaded or finds no GPU, with what was looked for;
/// `RINGFENCE_UNSUPPORTED` when the library was built without HIP. Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringfence_pool_create_hip(
    options: *const ringfence_pool_options_t,
    pool: Out<ringfence_pool_t>,
) -> ringfence_status_t {
    border(|| {
        let pool = pool.there("pool")?;
        // SAFETY: the caller's structure, by the rules at the top of the header.
        let options = unsafe { read_options(options) }?;
        let driver = hip()?;
        pool.write(make(|| driver, options)?);
        Ok(())
    })
}
#[cfg(feature = "hip")]
fn hip() -> Result<Driver, Failure> {
    let hip = ringfence_hip::Hip::start()
        .map_err(|error| Failure::of(Status::RINGFENCE_NO_RUNTIME, &error))?;
    Ok(Driver::Hip(ringfence_hip::HipStreams::new(hip, ringfence_hip::StreamOptions::default())))
}
#[cfg(not(feature = "hip"))]
fn hip() -> Result<Driver, Failure> {
    Err(Failure::new(
        Status::RINGFENCE_UNSUPPORTED,
        format_args!("the library was built without HIP; build it with the feature `hip`"),
    ))
}
/// # Safety
/// As for `sized::read`.
unsafe fn read_options(
    options: *const ringfence_pool_options_t,
) -> Result<Option<ringfence_pool_options_t>, Failure> {
    if options.is_null() {
        return Ok(None);
    }
    // SAFETY: as promised by the caller.
    unsafe { sized::read(options, "options") }.map(Some)
}

/// Ends a pool. It calls no driver but `release`: what still exists is leaked, so call `ringfence_pool_shutdown` before,
/// which destroys and counts. Leases, memory and graphs of the pool may outlive it; release them as usual. In a forked child the
/// handle alone ends, and not even `release` is called.
///
/// Takes: `pool`. Errors: `RINGFENCE_IN_USE` while another call uses the pool, or an owner table does: destroy that first.
/// Threads: any, when no other one is in a call on the pool. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_pool_destroy(pool: ringfence_pool_t) -> ringfence_status_t {
    border(|| {
        let object = POOLS.last(pool.handle)?;
        if Arc::strong_count(&object) > 1 {
            return Err(Failure::new(
                Status::RINGFENCE_IN_USE,
                format_args!(
                    "the pool {:#x} has {} owner tables; destroy them first",
                    pool.handle,
                    Arc::strong_count(&object) - 1
                ),
            ));
        }
        let object = POOLS.remove(object);
        if object.is_forked() {
            std::mem::forget(object); // its parts have locks, and its driver is the parent's
            return Ok(());
        }
        object.forget_handed_in();
        drop(object);
        Ok(())
    })
}
/// Takes over what finalizers handed in, looks at what drains, destroys what is closed and idle, and frees what was put
/// off. Call it from a thread of its own, or whenever there is time; it may take as long as the driver takes to destroy a
/// stream. `pumped` may be NULL.
///
/// After a shutdown and once the device is lost it calls no driver: what was handed in is leaked and counted.
/// Errors: `RINGFENCE_FORKED`; `RINGFENCE_ABI_MISMATCH`, before anything is done. Threads: any, at once. Finalizers: no.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringfence_pool_pump(
    pool: ringfence_pool_t,
    pumped: *mut ringfence_pumped_t,
) -> ringfence_status_t {
    border(|| {
        // SAFETY: the caller's structure, by the rules at the top of the header.
        let pumped = unsafe { Room::if_any(pumped, "pumped") }?;
        let object = pool_of(pool)?;
        let handed_in = object.take_in();
        let did = object.pool.pump();
        let Some(pumped) = pumped else { return Ok(()) };
        let told = ringfence_pumped_t {
            size: 0,
            handed_in,
            idle: did.idle,
            destroyed: did.destroyed,
            graphs: did.graphs,
            freed: did.freed,
            reserved: 0,
        };
        pumped.fill(&told);
        Ok(())
    })
}
/// Lets go of idle streams that nobody needed since the last call. Call it now and then, every few seconds. `destroyed` may
/// be NULL.
///
/// Errors: of handles alone. Threads: any, at once. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_pool_trim(
    pool: ringfence_pool_t,
    destroyed: Out<u32>,
) -> ringfence_status_t {
    border(|| {
        let destroyed = destroyed.if_any("destroyed")?;
        let count = pool_of(pool)?.pool.trim();
        destroyed.write(count);
        Ok(())
    })
}
/// The user reset a device (`hipDeviceReset`): its streams, work and memory are gone. Nothing of it is called again. Called
/// for each pool, and for rings of HIP `ringfence_hip_device_was_reset`. From a reset of HIP's on until all of them returned no
/// other thread may be in a call on HIP's pools and devices, and no signal of that GPU may be watched, unless
/// the reset was announced by `ringfence_hip_device_will_be_reset`.
///
/// Errors: of handles; `RINGFENCE_INVALID_ARGUMENT` when HIP has no such device. Threads: any, at once, but for HIP. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_pool_device_reset(
    pool: ringfence_pool_t,
    device: u32,
) -> ringfence_status_t {
    border(|| {
        let (object, device) = (pool_of(pool)?, DeviceId::new(device));
        #[cfg(feature = "hip")]
        if let Driver::Hip(hip) = object.pool.driver() {
            let told = hip.device_was_reset(device);
            told.map_err(|error| Failure::of(Status::RINGFENCE_INVALID_ARGUMENT, &error))?;
        }
        object.pool.device_reset(device);
        Ok(())
    })
}
/// Takes over what finalizers handed in, destroys everything that is proven idle, and ends the pool: no driver call after
/// this. Leases may outlive it; they are of no further use. `left` may be NULL: what could not be destroyed or freed.
///
/// Errors: `RINGFENCE_FORKED`; `RINGFENCE_ABI_MISMATCH`, before anything is done. Threads: any, at once. Finalizers: no.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringfence_pool_shutdown(
    pool: ringfence_pool_t,
    left: *mut ringfence_shut_down_t,
) -> ringfence_status_t {
    border(|| {
        // SAFETY: the caller's structure, by the rules at the top of the header.
        let left = unsafe { Room::if_any(left, "left") }?;
        let object = pool_of(pool)?;
        object.take_in();
        let ended = object.pool.shutdown();
        let Some(left) = left else { return Ok(()) };
        let told = ringfence_shut_down_t {
            size: 0,
            streams_leaked: ended.streams_leaked,
            memory_leaked: ended.memory_leaked,
            memory_live: ended.memory_live,
            reserved: 0,
        };
        left.fill(&told);
        Ok(())
    })
}
