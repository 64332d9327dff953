//! What the tests on a real runtime share: they are left out, visibly, where there is none.

#![allow(dead_code, reason = "each test binary uses its own part")]

pub(crate) mod layer;

use std::{
    fmt::Display,
    io::Write,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use ringfence::{backend::*, id::*};
use ringfence_hsa::{Dispatch, HsaDevice, HsaQueue, QueueOptions, Runtime, sys::Library};

/// The runtime; none, after a word on why, where the machine has none. `RINGFENCE_REQUIRE_ROCM=1` makes that a failure.
pub(crate) fn runtime(test: &str) -> Option<Runtime> {
    match Runtime::start() {
        Ok(runtime) => Some(runtime),
        Err(error) => {
            let required = std::env::var_os("RINGFENCE_REQUIRE_ROCM").is_some_and(|one| one == "1");
            assert!(!required, "{test}: a runtime is required, but {error}");
            skipped(format_args!("{test}: {error}"));
            None
        }
    }
}

/// Says that something is left out, and why: past the test harness, which keeps what passing tests print to itself.
pub(crate) fn skipped(what: impl Display) {
    // A lost line is no reason to fail.
    let _ = std::io::stderr().write_all(format!("\nSKIPPED {what}\n").as_bytes());
}

/// The first GPU, with a queue.
pub(crate) struct Gpu {
    pub(crate) queue: HsaQueue,
    pub(crate) device: HsaDevice,
    /// One test at a time: they share a process's events, its devices and who is told. Let go of last.
    _alone: MutexGuard<'static, ()>,
}

static ALONE: Mutex<()> = Mutex::new(());

impl Gpu {
    pub(crate) fn open(test: &str) -> Option<Self> {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let device = runtime(test)?.devices().remove(0);
        let queue = device.create_queue(QueueOptions::default()).expect("a queue");
        Some(Self { queue, device, _alone: alone })
    }

    /// The first GPU of a runtime that was loaded by its path.
    pub(crate) fn open_with(test: &str, library: &'static Library) -> Self {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let runtime = Runtime::start_with(library).unwrap_or_else(|why| panic!("{test}: {why}"));
        let device = runtime.devices().remove(0);
        let queue = device.create_queue(QueueOptions::default()).expect("a queue");
        Self { queue, device, _alone: alone }
    }

    /// Lets go of all but the turn: until that is gone, no other test begins.
    pub(crate) fn close(self) -> MutexGuard<'static, ()> {
        self._alone
    }

    /// Publishes one packet.
    pub(crate) fn submit(&self, packet: &Packet<Dispatch>) -> PacketId {
        let at = self.queue.reserve(PacketCount::ONE);
        self.queue.commit(at, packet);
        self.queue.ring_doorbell(at);
        at
    }

    /// A signal that is armed.
    pub(crate) fn signal(&self, memory: SignalMemory) -> SignalHandle {
        signal(&self.device, memory)
    }
}

/// A signal that is armed.
pub(crate) fn signal(device: &HsaDevice, memory: SignalMemory) -> SignalHandle {
    let mut batch = [SignalHandle::NULL];
    let created = device.create(memory, &mut batch).expect("a signal");
    assert_eq!(created, Created { count: 1, memory });
    batch[0]
}

/// `with` a signal of each memory that the device has.
pub(crate) fn each_signal(device: &HsaDevice, with: impl Fn(SignalHandle, SignalMemory)) {
    for memory in SignalMemory::ALL {
        if memory.is_device() && !device.capabilities().can_hold_device_signals() {
            skipped(format_args!(
                "for signals in device memory: {}",
                device.facts().device_memory()
            ));
            continue;
        }
        let signal = signal(device, memory);
        with(signal, memory);
        device.destroy(signal);
    }
}

/// A barrier packet that waits for `deps` and for all before it.
pub(crate) fn barrier(deps: Deps, completes: SignalHandle) -> Packet<Dispatch> {
    Packet {
        body: Body::And(deps),
        barrier: Barrier::Set,
        acquire: CacheScope::System,
        release: CacheScope::System,
        completes,
    }
}

/// A kernel, behind all before it or beside them.
pub(crate) fn kernel(
    dispatch: Dispatch,
    order: Barrier,
    completes: SignalHandle,
) -> Packet<Dispatch> {
    let body = Body::Kernel(dispatch);
    Packet { body, barrier: order, ..barrier(Deps::NONE, completes) }
}

/// Waits until a signal is done, and says its value.
pub(crate) fn done(device: &HsaDevice, signal: SignalHandle) -> SignalValue {
    let limit = Duration::from_secs(20);
    match device.wait(signal, SignalValue::ARMED, WaitHint::Blocked, limit) {
        WaitOutcome::Reached(value) => value,
        other => panic!("waiting for {signal:?}: {other:?}, value {:?}", device.load(signal)),
    }
}

/// What the environment sets of the GPU in software.
pub(crate) fn setting(name: &str) -> Option<String> {
    std::env::var(format!("RINGFENCE_SOFTGPU_{name}")).ok()
}

/// The processor time that this thread used.
pub(crate) fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(failed, 0);
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec.cast_unsigned() as u32)
}
