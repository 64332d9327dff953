//! What calls cost, and that none on the path allocates.

mod support;

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    hint::black_box,
    time::Instant,
};

use ringfence::{backend::*, id::*};
use ringfence_hsa::sys::{Library, hsa_signal_t};
use support::{Gpu, barrier, done};

/// Counts the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn allocations() -> u64 {
    ALLOCATIONS.get()
}

// SAFETY: all is handed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends allocates without its locals.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the allocator's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) };
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn nothing_on_the_path_allocates() {
    let Some(gpu) = Gpu::open("nothing_on_the_path_allocates") else { return };
    let memories = [SignalMemory::Host, SignalMemory::Interrupt, SignalMemory::Device];
    for memory in memories {
        if memory.is_device() && !gpu.device.capabilities().can_hold_device_signals() {
            support::skipped(format_args!(
                "for signals in device memory: {}",
                gpu.device.facts().device_memory()
            ));
            continue;
        }
        let signal = gpu.signal(memory);
        let before = allocations();
        for _ in 0..100 {
            gpu.submit(&barrier(Deps::take(&[SignalHandle::NULL]).0, signal));
            let _read = gpu.queue.read_index();
            assert_eq!(done(&gpu.device, signal), SignalValue::DONE);
            let _value = gpu.device.load(signal);
            let _times = gpu.device.timestamps(signal, Engine::Compute);
            gpu.device.arm(signal, SignalValue::ARMED);
            gpu.device.publish_stores();
            gpu.device.flush();
            let _settled = gpu.queue.settled();
        }
        assert_eq!(allocations(), before, "{memory}");
        gpu.device.destroy(signal);
    }
    let before = allocations();
    drop(black_box(Box::new(1)));
    assert_eq!(allocations(), before + 1, "the count counts");
}

/// In place against by call; run it with `--release -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn loads_and_arms_in_place_and_by_call() {
    let Some(gpu) = Gpu::open("loads_and_arms_in_place_and_by_call") else { return };
    const TIMES: u32 = 5_000_000;
    let measure = |what: &str, call: &dyn Fn()| {
        let begun = Instant::now();
        (0..TIMES).for_each(|_| call());
        println!("{what:32} {:6.2} ns", begun.elapsed().as_secs_f64() * 1e9 / f64::from(TIMES));
    };
    let signal = gpu.signal(SignalMemory::Host);
    measure("load, in place", &|| {
        black_box(gpu.device.load(black_box(signal)));
    });
    measure("arm, in place", &|| gpu.device.arm(black_box(signal), SignalValue::ARMED));
    let functions = Library::load().expect("it is up").functions();
    let mut raw = hsa_signal_t::default();
    // SAFETY: no consumers are named, and `raw` is writable.
    let made = unsafe { functions.hsa_amd_signal_create(1, 0, std::ptr::null(), 1, &raw mut raw) };
    assert_eq!(made.0, 0);
    measure("hsa_signal_load_scacquire", &|| {
        // SAFETY: the signal is there.
        black_box(unsafe { functions.hsa_signal_load_scacquire(black_box(raw)) });
    });
    measure("hsa_signal_silent_store_relaxed", &|| {
        // SAFETY: the signal is there.
        unsafe { functions.hsa_signal_silent_store_relaxed(black_box(raw), 1) };
    });
    measure("read index", &|| {
        black_box(gpu.queue.read_index());
    });
    // SAFETY: nobody uses it.
    assert_eq!(unsafe { functions.hsa_signal_destroy(raw) }.0, 0);
    gpu.device.destroy(signal);
}
