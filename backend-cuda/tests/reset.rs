//! A GPU whose primary context is reset under a pool: nothing that went with it is called, looked at or given out again. One test, since a
//! reset concerns the whole process.

mod support;

use std::sync::atomic::Ordering;

use ringfence::{
    backend::streams::*,
    drive::StreamPool,
    error::DriverError,
    id::{Bytes, DeviceId, Position},
    stream::*,
};
use ringfence_cuda::{Cuda, CudaStreams, CudaWork, HostBuffer, StreamOptions};
use support::{LIMIT, gpu, key, words};

const COUNT: u32 = 1024;

/// A task that fills memory of its own, and gives what the GPU read there. What it leaves is freed behind it.
fn task(cuda: Cuda, pool: &StreamPool<CudaStreams>, byte: u8) -> Lease {
    let read = HostBuffer::new(cuda, COUNT as usize / 2).expect("memory");
    let mut task = pool.acquire(key()).expect("a stream");
    let memory = pool.allocate(&mut task, words(COUNT)).expect("memory");
    let mut uses = memory.stamp();
    // SAFETY: the memory has so many bytes, and is freed behind the copy.
    let fill = unsafe { CudaWork::fill(memory.raw().as_u64(), byte, words(COUNT)) };
    uses.add(pool.submit(&mut task, fill).expect("a fill"), Access::Write);
    let (to, from) = (read.address().as_u64(), memory.raw().as_u64());
    // SAFETY: as above; the buffer stays until the copy is finished.
    let copy = unsafe { CudaWork::copy(to, from, words(COUNT)) };
    uses.add(pool.submit(&mut task, copy).expect("a copy"), Access::Read);
    pool.synchronize(&uses, Access::Write, LIMIT).expect("it finishes");
    let all = u32::from_ne_bytes([byte; 4]);
    assert!(read.halves().iter().all(|half| half.load(Ordering::Acquire) == all));
    let _freed = pool.retire(memory, uses);
    task
}

fn reset(cuda: Cuda) {
    let (functions, mut device) = (cuda.functions(), 0);
    // SAFETY: `device` is writable.
    assert_eq!(unsafe { (functions.cuDeviceGet)(&raw mut device, 0) }, 0);
    // SAFETY: nobody else is in a call, and what was made before is not used after it.
    assert_eq!(unsafe { (functions.cuDevicePrimaryCtxReset)(device) }, 0);
}

#[test]
fn nothing_of_a_gpu_that_was_reset_is_used_again() {
    let Some(turn) = support::turn("nothing_of_a_gpu_that_was_reset_is_used_again") else { return };
    let cuda = turn.cuda;
    let driver = CudaStreams::new(cuda, StreamOptions::default());
    let pool = StreamPool::new(driver.clone(), PoolOptions::default());
    for round in 1..=3 {
        let held = task(cuda, &pool, round);
        drop(task(cuda, &pool, round + 0x10));
        let stream = driver.create(key()).expect("a stream");
        let event = driver.create_event(gpu()).expect("an event");
        let plain = driver.allocate_plain(Bytes::new(4096), gpu()).expect("memory");
        driver.begin_capture(stream, CaptureMode::Relaxed).expect("a capture");
        let graph = driver.end_capture(stream).expect("a graph");
        let word = driver.open_progress(stream).expect("memory").expect("they are on");
        driver.mark(stream, word, Position::new(1)).expect("a mark");
        assert_eq!(driver.wait_progress(word, Position::new(1), LIMIT), StreamWait::Finished);

        reset(cuda);
        driver.device_was_reset(DeviceId::new(0)).expect("its context is made again");
        pool.device_reset(DeviceId::new(0));

        let bad = |error: DriverError| matches!(error, DriverError::Bad(_));
        assert!(driver.destroy(stream).is_err_and(bad));
        assert!(driver.mark(stream, word, Position::new(2)).is_err_and(bad));
        assert_eq!(driver.observe(word), Position::START);
        let waited = driver.wait_progress(word, Position::new(1), LIMIT);
        assert!(matches!(waited, StreamWait::Failed(DriverError::Bad(_))));
        driver.close_progress(word);
        driver.destroy_event(event); // of which the driver hears nothing
        assert!(driver.destroy_graph(graph).is_err_and(bad));

        assert!(!pool.is_current(held.stream()));
        drop(held);
        let next = task(cuda, &pool, round + 0x20);
        assert!(pool.is_current(next.stream()));
        let again = driver.allocate_plain(Bytes::new(4096), gpu()).expect("memory");
        let stream = driver.create(key()).expect("a stream");
        driver.free(again, stream).expect("it is new, whatever its address");
        assert!(driver.free(plain, stream).is_err_and(bad), "it went with the GPU");
        driver.synchronize(stream).expect("idle");
        driver.destroy(stream).expect("destroyed");
        drop(next);
        pool.pump();
    }
    let _left = pool.shutdown();
}
