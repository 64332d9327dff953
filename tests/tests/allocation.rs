//! What a stream allocates: nothing in a steady loop (S15), and little at its cap.
//!
//! Allocations are counted for each thread by itself, since tests run beside each other.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

use ringfence::{
    drive::{ArrayUse, HardwareQueue, Policy, StreamPool, Submission, Tracker, TrackerKind},
    error::Error,
    event::{Event, EventOptions},
    id::QueueId,
    placement::{DeviceSignals, EventPlacement},
    ring::Timing,
    stream::{PoolOptions, Stamp},
};
use ringfence_tests::{
    null::{NullDevice, NullQueue},
    null_streams::{NullStreams, Words, key},
};

/// The system's allocator, with its calls counted.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static LIVE_BYTES: Cell<i64> = const { Cell::new(0) };
}
fn note(allocations: u64, bytes: i64) {
    ALLOCATIONS.set(ALLOCATIONS.get() + allocations);
    LIVE_BYTES.set(LIVE_BYTES.get() + bytes);
}
fn size(layout: Layout) -> i64 {
    i64::try_from(layout.size()).expect("no layout is larger than that")
}

// SAFETY: every call goes to `System` as it came, and what that returns goes back as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(1, size(layout));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        note(0, -size(layout));
        // SAFETY: the caller keeps the contract of `dealloc`, and `memory` came from `System`.
        unsafe { System.dealloc(memory, layout) }
    }
}
#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Rounds before anything is counted, and rounds that are counted.
const ROUNDS: [u32; 2] = [2_000, 1_000];

type Stream = Tracker<NullDevice, NullQueue>;

fn queue(number: u32) -> HardwareQueue<NullQueue> {
    HardwareQueue::new(NullQueue::new(QueueId::new(number)))
}
fn policy(device_signals: DeviceSignals, events: EventPlacement) -> Policy {
    Policy { device_signals, events, ..Policy::default() }
}
fn event(timing: Timing) -> Event {
    Event::new(EventOptions { timing, ..EventOptions::default() })
}
/// Runs `round` until it is steady, and then counts what it allocates and creates.
fn assert_steady(device: &NullDevice, what: &str, mut round: impl FnMut() -> Result<(), Error>) {
    let [warm_up, counted] = ROUNDS;
    for _ in 0..warm_up {
        round().expect("a null device refuses nothing");
    }
    let (allocations, created) = (ALLOCATIONS.get(), device.calls().created);
    for _ in 0..counted {
        round().expect("a null device refuses nothing");
    }
    let allocations = ALLOCATIONS.get() - allocations;
    let created = device.calls().created - created;
    assert_eq!((allocations, created), (0, 0), "{what}: allocations, signals created");
}
const MEMORIES: [(DeviceSignals, EventPlacement); 4] = [
    (DeviceSignals::Off, EventPlacement::Host),
    (DeviceSignals::On, EventPlacement::Host),
    (DeviceSignals::On, EventPlacement::Device),
    (DeviceSignals::On, EventPlacement::Twin),
];

#[test]
fn the_counter_counts() {
    let before = (ALLOCATIONS.get(), LIVE_BYTES.get());
    let some = std::hint::black_box(Box::new([0_u8; 100]));
    assert_eq!((ALLOCATIONS.get(), LIVE_BYTES.get()), (before.0 + 1, before.1 + 100));
    drop(some);
    assert_eq!((ALLOCATIONS.get(), LIVE_BYTES.get()), (before.0 + 1, before.1));
}

#[test]
fn record_kernel_record_synchronize_allocates_nothing() {
    for (signals, placement) in MEMORIES {
        for timing in [Timing::Unwanted, Timing::Wanted] {
            let device = NullDevice::new();
            let mut stream =
                Stream::open(device.clone(), queue(0), policy(signals, placement)).unwrap();
            let (mut before, mut after) = (event(timing), event(timing));
            assert_steady(&device, &format!("{signals:?}, {placement:?}, {timing:?}"), || {
                before.record(&mut stream)?;
                stream.submit(Submission::kernel(()))?;
                after.record(&mut stream)?;
                let _synced = after.synchronize(&device, &stream.policy().wait)?;
                let elapsed = before.elapsed_to(&after, &device);
                assert_eq!(elapsed.is_some(), timing == Timing::Wanted);
                Ok(())
            });
        }
    }
}

#[test]
fn the_same_with_a_synchronize_of_the_stream_allocates_nothing() {
    for (signals, placement) in MEMORIES {
        let device = NullDevice::new();
        let mut stream =
            Stream::open(device.clone(), queue(0), policy(signals, placement)).unwrap();
        let (mut before, mut after) = (event(Timing::Wanted), event(Timing::Wanted));
        assert_steady(&device, &format!("{signals:?}, {placement:?}"), || {
            before.record(&mut stream)?;
            stream.submit(Submission::kernel(()))?;
            after.record(&mut stream)?;
            let _synced = stream.synchronize()?;
            Ok(())
        });
    }
}

#[test]
fn an_event_that_is_the_kernels_own_completion_allocates_nothing() {
    for (signals, placement) in MEMORIES {
        let device = NullDevice::new();
        let mut stream =
            Stream::open(device.clone(), queue(0), policy(signals, placement)).unwrap();
        let mut done = event(Timing::Wanted);
        assert_steady(&device, &format!("{signals:?}, {placement:?}"), || {
            done.record_with(&mut stream, Submission::kernel(()))?;
            Ok(())
        });
    }
}

#[test]
fn submissions_allocate_nothing() {
    for tracker in [TrackerKind::Retiring, TrackerKind::Polling] {
        for signals in [DeviceSignals::Off, DeviceSignals::On] {
            let device = NullDevice::new();
            let policy = Policy { tracker, ..policy(signals, EventPlacement::Host) };
            let mut stream = Stream::open(device.clone(), queue(0), policy).unwrap();
            assert_steady(&device, &format!("{tracker:?}, {signals:?}"), || {
                stream.submit(Submission::kernel(())).map(drop)
            });
        }
    }
}

#[test]
fn records_that_are_dropped_at_once_are_used_again() {
    for signals in [DeviceSignals::Off, DeviceSignals::On] {
        let device = NullDevice::new();
        let policy = policy(signals, EventPlacement::Host);
        let mut stream = Stream::open(device.clone(), queue(0), policy).unwrap();
        assert_steady(&device, &format!("{signals:?}"), || {
            stream.submit_recorded(Submission::kernel(()), None).map(drop)
        });
    }
}

#[test]
fn two_streams_that_wait_for_each_other_allocate_nothing() {
    for (signals, placement) in MEMORIES {
        for other in [0, 1] {
            let device = NullDevice::new();
            let policy = policy(signals, placement);
            let first_queue = queue(0);
            let second_queue = if other == 0 { first_queue.clone() } else { queue(other) };
            let mut first = Stream::open(device.clone(), first_queue, policy).unwrap();
            let mut second = Stream::open(device.clone(), second_queue, policy).unwrap();
            let (mut to_second, mut to_first) = (event(Timing::Unwanted), event(Timing::Unwanted));
            assert_steady(&device, &format!("{signals:?}, {placement:?}, queue {other}"), || {
                first.submit(Submission::kernel(()))?;
                to_second.record(&mut first)?;
                to_second.wait_on(&mut second)?;
                second.submit(Submission::kernel(()))?;
                to_first.record(&mut second)?;
                to_first.wait_on(&mut first)
            });
        }
    }
}

#[test]
fn a_ring_at_its_cap_takes_at_most_128_kib() {
    for signals in [DeviceSignals::Off, DeviceSignals::On] {
        let before = LIVE_BYTES.get();
        let policy = policy(signals, EventPlacement::Host);
        let mut stream = Stream::open(NullDevice::stuck(), queue(0), policy).unwrap();
        for _ in 0..policy.ring.cap {
            stream.submit(Submission::kernel(())).expect("the ring grows up to its cap");
        }
        assert_eq!(stream.in_flight(), 1_024);
        let bytes = LIVE_BYTES.get() - before;
        println!("{signals:?}: {bytes} bytes for 1,024 uses in flight");
        assert!(bytes <= 128 * 1_024, "{signals:?}: {bytes} bytes");
    }
}

#[test]
fn a_million_leases_over_64_tasks_grow_nothing() {
    const TASKS: usize = 64;
    let driver = NullStreams::new(Words::On);
    let pool = StreamPool::new(driver.clone(), PoolOptions::default());
    let mut tasks: Vec<_> = (0..TASKS).map(|_| None).collect();
    let mut stamps: Vec<_> = (0..TASKS).map(|_| Stamp::default()).collect();
    let mut lease = |round: usize| {
        let task = round % TASKS;
        tasks[task] = None; // the task before it in this place is over
        let mut lease = pool.acquire(key()).expect("a null driver refuses nothing");
        let [own, neighbour] =
            stamps.get_disjoint_mut([task, (round + 7) % TASKS]).expect("two of the tasks");
        let mut arrays = [ArrayUse::write(own), ArrayUse::read(neighbour)];
        let _done =
            pool.submit_after(&mut lease, &mut arrays, ()).expect("a null driver refuses nothing");
        tasks[task] = Some(lease);
        if round.is_multiple_of(100) {
            pool.pump();
        }
    };
    (0..1_000).for_each(&mut lease);
    let before = (ALLOCATIONS.get(), LIVE_BYTES.get(), driver.created());
    (1_000..1_000_000).for_each(&mut lease);
    let after = (ALLOCATIONS.get(), LIVE_BYTES.get(), driver.created());
    assert_eq!(before, after, "allocations, bytes, streams");
    let (created, peak) = (pool.counts().created, pool.counts().peak_leased_and_draining);
    assert!(created <= u64::from(peak), "{created} streams for {peak} leased or draining");
    assert_eq!(pool.counts().leases, 1_000_000);
}

/// The count of creations is seen to fail, with its fault planted.
#[cfg(feature = "planted")]
#[test]
fn a_creation_for_each_recording_is_caught() {
    use ringfence::plant::{Fault, with};
    let caught = std::panic::catch_unwind(|| {
        with(Fault::CreatePerRecord, record_kernel_record_synchronize_allocates_nothing)
    });
    assert!(caught.is_err(), "a creation for each recording passes unnoticed");
}
