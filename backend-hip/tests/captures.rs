//! Captures of one thread beside what others do past a pool.

mod support;

use std::{
    ffi::{CString, c_int, c_void},
    os::unix::ffi::OsStrExt,
    ptr::{null_mut, with_exposed_provenance_mut},
    sync::{Mutex, MutexGuard, PoisonError, atomic::Ordering},
};

use ringfence::{
    backend::streams::*,
    id::{DeviceContext, DeviceId, RawMemory, RawStream, StreamKey},
};
use ringfence_hip::{Hip, HipDevice, HipStreams, HipVersion, HipWork, HostBuffer, StreamOptions};
use support::{gpu, iota, kernels_of, key, words};

/// The tests of this file run one by one: what one does past the guard of a pool breaks another's capture in the global mode, or is
/// refused for it.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has another thread do this while a stream captures in the mode that forbids most. The capture goes on.
fn beside_a_capture(driver: &HipStreams, what: impl FnOnce() + Send) {
    let stream = driver.create(key()).expect("a stream");
    driver.begin_capture(stream, CaptureMode::Global).expect("a capture");
    let done = std::thread::scope(|threads| threads.spawn(what).join());
    assert_eq!(driver.capture_status(stream), CaptureStatus::Active);
    let graph = driver.end_capture(stream).expect("a graph");
    driver.destroy_graph(graph).expect("never launched");
    driver.destroy(stream).expect("destroyed");
    done.expect("it does not panic");
}

#[test]
fn pinned_memory_comes_and_goes_beside_a_capture() {
    let _alone = alone();
    let Some(hip) = support::hip("pinned_memory_comes_and_goes_beside_a_capture") else { return };
    let driver = HipStreams::new(hip, StreamOptions::default());
    beside_a_capture(&driver, || {
        drop(HostBuffer::new(hip, 1).expect("memory"));
    });
}

/// The first queue has its words allocated, the second gets the stream of the first, which is asked whether it is idle.
#[test]
fn queues_are_made_beside_a_capture() {
    let _alone = alone();
    let Some(hip) = support::hip("queues_are_made_beside_a_capture") else { return };
    let driver = HipStreams::new(hip, StreamOptions::default());
    let device = HipDevice::new(&driver, DeviceId::new(0)).expect("a GPU");
    beside_a_capture(&driver, || {
        let streams = [(); 2].map(|()| {
            let queue = device.create_queue(StreamKey::new(gpu())).expect("a stream");
            queue.stream() // and the queue is dropped
        });
        assert_eq!(streams[0], streams[1], "it is idle");
    });
}

/// Whoever captures past a queue and lets it go has a stream that nobody else may get.
#[test]
fn a_queue_never_gets_a_stream_that_captures() {
    let _alone = alone();
    let Some(hip) = support::hip("a_queue_never_gets_a_stream_that_captures") else { return };
    let driver = HipStreams::new(hip, StreamOptions::default());
    let device = HipDevice::new(&driver, DeviceId::new(0)).expect("a GPU");
    let queue = device.create_queue(StreamKey::new(gpu())).expect("a stream");
    let stream = queue.stream();
    driver.begin_capture(stream, CaptureMode::Relaxed).expect("a capture");
    drop(queue);
    let next = device.create_queue(StreamKey::new(gpu())).expect("a stream");
    assert_ne!(next.stream(), stream);
    assert_eq!(driver.capture_status(stream), CaptureStatus::Active, "it was not asked");
    let graph = driver.end_capture(stream).expect("a graph");
    driver.destroy_graph(graph).expect("never launched");
}

/// HIP records for the device of the thread, whichever the stream's is.
#[test]
fn a_capture_is_its_streams_gpus_and_not_the_threads() {
    let _alone = alone();
    let test = "a_capture_is_its_streams_gpus_and_not_the_threads";
    let Some(hip) = support::hip(test) else { return };
    let driver = HipStreams::new(hip, StreamOptions::default());
    let Some(other) = hip.devices().find(|&gpu| gpu != DeviceId::new(0)) else {
        println!("{test}: left out: there is one GPU (GPUS=2 makes two of the software's)");
        return;
    };
    const COUNT: u32 = 64;
    let place = DeviceContext::primary(other);
    let kernels = kernels_of(hip, other);
    let [out, filled] = [(); 2].map(|()| HostBuffer::new(hip, COUNT as usize / 2).expect("memory"));
    let stream = driver.create(StreamKey::new(place)).expect("a stream");
    let [memory, fill] =
        [(); 2].map(|()| driver.allocate_plain(words(COUNT), place).expect("memory"));
    driver.begin_capture(stream, CaptureMode::ThreadLocal).expect("a capture");
    let recorded = driver.launch(stream, iota(kernels, memory, 7, COUNT).into());
    assert_eq!(recorded.is_ok(), hip.version() >= HipVersion::new(5, 7, 0), "{recorded:?}");
    // SAFETY: all have so many bytes, and are there until the launch is finished.
    let copy = |to: &HostBuffer, from: RawMemory| unsafe {
        HipWork::copy(to.address().as_u64(), from.as_u64(), words(COUNT))
    };
    driver.launch(stream, copy(&out, memory)).expect("a copy");
    // SAFETY: as above.
    let work = unsafe { HipWork::fill(fill.as_u64(), 5, words(COUNT)) };
    driver.launch(stream, work).expect("a fill");
    driver.launch(stream, copy(&filled, fill)).expect("a copy");
    let graph = driver.end_capture(stream).expect("a graph");
    if recorded.is_err() {
        driver.launch(stream, iota(kernels, memory, 7, COUNT).into()).expect("a kernel");
    }
    driver.launch_graph(graph, stream).expect("a launch");
    driver.synchronize(stream).expect("idle");
    for (half, number) in out.halves().iter().zip(7..) {
        assert_eq!(half.load(Ordering::Acquire), number);
    }
    assert!(filled.halves().iter().all(|half| half.load(Ordering::Acquire) == 0x0505_0505));
    let mut device = -1;
    // SAFETY: `device` is writable.
    assert_eq!(unsafe { (hip.functions().hipGetDevice)(&raw mut device) }, 0);
    assert_eq!(device, 0, "the thread's device is what it was");
    driver.destroy_graph(graph).expect("it is idle");
    driver.free(memory, stream).expect("freed");
    driver.free(fill, stream).expect("freed");
    driver.destroy(stream).expect("destroyed");
}

/// The graph that a stream is recording, which HIP's end of the capture gives to the crate.
fn recorded(hip: Hip, stream: RawStream) -> *mut c_void {
    type CaptureInfo = unsafe extern "C" fn(
        *mut c_void,
        *mut c_int,
        *mut u64,
        *mut *mut c_void,
        *mut *const c_void,
        *mut usize,
    ) -> u32;
    let path = CString::new(hip.library().path().as_os_str().as_bytes()).expect("a path");
    // SAFETY: it is loaded, and stays so.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
    // SAFETY: the library is HIP.
    let found = unsafe { libc::dlsym(library, c"hipStreamGetCaptureInfo_v2".as_ptr()) };
    assert!(!found.is_null(), "every version since 5.2 has it");
    // SAFETY: HIP's header declares it so.
    let info = unsafe { std::mem::transmute::<*mut c_void, CaptureInfo>(found) };
    let (mut status, mut id, mut graph, mut nodes, mut count) =
        (0, 0, null_mut(), std::ptr::null(), 0);
    let stream = with_exposed_provenance_mut(stream.as_u64() as usize);
    // SAFETY: the stream is there, and all places are writable.
    let answer = unsafe {
        info(stream, &raw mut status, &raw mut id, &raw mut graph, &raw mut nodes, &raw mut count)
    };
    assert_eq!((answer, status), (0, 1), "it captures");
    graph
}

/// The graph is gone, whatever becomes of what it was made from: an error would say that it is still there.
#[test]
fn a_graph_is_destroyed_whatever_becomes_of_its_template() {
    let _alone = alone();
    let Some(hip) = support::hip("a_graph_is_destroyed_whatever_becomes_of_its_template") else {
        return;
    };
    let driver = HipStreams::new(hip, StreamOptions::default());
    let stream = driver.create(key()).expect("a stream");
    driver.begin_capture(stream, CaptureMode::Relaxed).expect("a capture");
    let template = recorded(hip, stream);
    let graph = driver.end_capture(stream).expect("a graph");
    // SAFETY: it exists, and what was made from it is never launched. HIP knows which graphs exist, and refuses to destroy it again.
    assert_eq!(unsafe { (hip.functions().hipGraphDestroy)(template) }, 0);
    driver.destroy_graph(graph).expect("it is gone");
    assert!(driver.destroy_graph(graph).is_err(), "it is known no more");
    driver.destroy(stream).expect("destroyed");
}
