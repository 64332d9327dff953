//! A GPU that is reset under a pool and a ring: nothing that went with it is called, looked at or given out again. One test, since a reset
//! concerns the whole process.

mod support;

use std::{sync::atomic::Ordering, time::Duration};

use ringfence::{
    backend::{Device, DeviceStatus, HostWait, SignalMemory, Signals, streams::*},
    drive::StreamPool,
    error::DriverError,
    id::{Bytes, DeviceId, Position, SignalHandle, StreamKey},
    stream::*,
};
use ringfence_hip::{Hip, HipDevice, HipStreams, HipWork, HostBuffer, MemoryKind, StreamOptions};
use support::{gpu, key, words};

const LIMIT: Duration = Duration::from_secs(10);
const COUNT: u32 = 1024;

/// A task that fills memory of its own, and gives what the GPU read there. What it leaves is freed behind it.
fn task(hip: Hip, pool: &StreamPool<HipStreams>, byte: u8) -> Lease {
    let read = HostBuffer::new(hip, COUNT as usize / 2).expect("memory");
    let mut task = pool.acquire(key()).expect("a stream");
    let memory = pool.allocate(&mut task, words(COUNT)).expect("memory");
    let mut uses = memory.stamp();
    // SAFETY: the memory has so many bytes, and is freed behind the copy.
    let fill = unsafe { HipWork::fill(memory.raw().as_u64(), byte, words(COUNT)) };
    uses.add(pool.submit(&mut task, fill).expect("a fill"), Access::Write);
    let (to, from) = (read.address().as_u64(), memory.raw().as_u64());
    // SAFETY: as above; the buffer stays until the copy is finished.
    let copy = unsafe { HipWork::copy(to, from, words(COUNT)) };
    uses.add(pool.submit(&mut task, copy).expect("a copy"), Access::Read);
    pool.synchronize(&uses, Access::Write, LIMIT).expect("it finishes");
    let all = u32::from_ne_bytes([byte; 4]);
    assert!(read.halves().iter().all(|half| half.load(Ordering::Acquire) == all));
    let _freed = pool.retire(memory, uses);
    task
}

fn signals(device: &HipDevice) -> [SignalHandle; 4] {
    let mut signals = [SignalHandle::NULL; 4];
    let created = device.create(SignalMemory::Host, &mut signals).expect("memory");
    assert_eq!(created.count, signals.len());
    signals
}

fn reset(hip: Hip) {
    let reset = hip.functions().hipDeviceReset.expect("every version has it");
    // SAFETY: no precondition; nobody else is in a call, and what was made before is not used after it.
    assert_eq!(unsafe { reset() }, 0);
}

#[test]
fn nothing_of_a_gpu_that_was_reset_is_used_again() {
    let Some(hip) = support::hip("nothing_of_a_gpu_that_was_reset_is_used_again") else { return };
    for memory in [MemoryKind::StreamOrdered, MemoryKind::Plain] {
        let options = StreamOptions::default().with_memory(memory);
        let driver = HipStreams::new(hip, options);
        let pool = StreamPool::new(driver.clone(), PoolOptions::default());
        for round in 1..=3 {
            let held = task(hip, &pool, round);
            drop(task(hip, &pool, round + 0x10));
            let device = HipDevice::new(&driver, DeviceId::new(0)).expect("a GPU");
            let old = signals(&device);
            let queue = device.create_queue(StreamKey::new(gpu())).expect("a stream");
            let (stream, event) = (queue.stream(), driver.create_event(gpu()).expect("an event"));
            let [plain, kept] =
                [(); 2].map(|()| driver.allocate_plain(Bytes::new(4096), gpu()).expect("memory"));
            driver.free(kept, stream).expect("freed");
            drop(queue); // its stream is parked
            let word = driver.open_progress(stream);
            let word = word.expect("memory").expect("they are on");

            reset(hip);
            driver.device_was_reset(DeviceId::new(0)).expect("it is there");
            pool.device_reset(DeviceId::new(0));

            assert_eq!(driver.release_kept_memory(), Ok(0), "what was kept is gone");
            assert_eq!(device.status(), DeviceStatus::Lost);
            assert!(matches!(device.loss(), Some(DriverError::DeviceLost(_))));
            let queue = device.create_queue(StreamKey::new(gpu()));
            assert!(
                matches!(queue, Err(DriverError::DeviceLost(_))),
                "its stream may be another's"
            );
            for signal in old {
                assert!(device.load(signal).as_i64() >= 1, "nobody completes it");
                device.force(signal);
                device.destroy(signal);
            }
            let bad = |error: DriverError| matches!(error, DriverError::Bad(_));
            assert!(driver.destroy(stream).is_err_and(bad));
            assert!(driver.mark(stream, word, Position::new(1)).is_err_and(bad));
            assert_eq!(driver.observe(word), Position::START);
            let waited = driver.wait_progress(word, Position::new(1), LIMIT);
            assert!(matches!(waited, StreamWait::Failed(DriverError::Bad(_))));
            driver.close_progress(word);
            driver.destroy_event(event); // of which HIP hears nothing

            assert!(!pool.is_current(held.stream()));
            drop(held);
            let next = task(hip, &pool, round + 0x20);
            assert!(pool.is_current(next.stream()));
            let again = driver.allocate_plain(Bytes::new(4096), gpu()).expect("memory");
            let stream = driver.create(key()).expect("a stream");
            driver.free(again, stream).expect("it is new, whatever its address");
            assert!(driver.free(plain, stream).is_err_and(bad), "it went with the GPU");
            driver.synchronize(stream).expect("idle");
            driver.destroy(stream).expect("destroyed");
            let device = HipDevice::new(&driver, DeviceId::new(0)).expect("a GPU");
            assert_eq!(device.status(), DeviceStatus::Alive);
            let queue = device.create_queue(StreamKey::new(gpu())).expect("a stream");
            for new in signals(&device) {
                assert!(!old.contains(&new));
                device.complete(new);
                assert_eq!(device.load(new).as_i64(), 0);
                device.destroy(new);
            }
            drop(queue);
            drop(next);
            pool.pump();
        }
        let _left = pool.shutdown();
    }
}
