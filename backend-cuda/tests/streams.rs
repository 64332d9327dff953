//! What the driver's own rules lead to, past the conformance suite.

mod support;

use std::{
    num::NonZeroU32,
    ptr,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use ringfence::{
    backend::streams::{
        CaptureMode, CaptureStatus, StreamCapture, StreamDriver, StreamMemory, StreamProgress,
        StreamState, StreamWait, StreamWork,
    },
    error::DriverError,
    id::{Bytes, Position, RawMemory, RawStream},
};
use ringfence_cuda::{CudaWork, HostBuffer, sys};
use support::{LIMIT, copy, gpu, hold, kernels, key, streams};

/// The driver detaches a stream that is destroyed, and its mark comes later: into nobody's word.
#[test]
fn a_mark_of_a_destroyed_stream_reaches_nobody() {
    let Some(turn) = support::turn("a_mark_of_a_destroyed_stream_reaches_nobody") else { return };
    let cuda = turn.cuda;
    let (streams, gate) = (streams(cuda), HostBuffer::new(cuda, 1).expect("memory"));
    let [old, new] = [(); 2].map(|()| streams.create(key()).expect("a stream"));
    let open = |stream| streams.open_progress(stream).expect("a word").expect("there are words");
    let word = open(old);
    hold(&streams, old, &gate);
    streams.mark(old, word, Position::new(5)).expect("a mark");
    streams.destroy(old).expect("it detaches");
    streams.close_progress(word);
    let next = open(new);
    assert_ne!(next, word, "5 is still to come there");
    gate.words()[0].store(1, Ordering::Release);
    assert_eq!(streams.wait_progress(word, Position::new(5), LIMIT), StreamWait::Finished);
    assert_eq!(streams.observe(next), Position::START);
    assert_eq!(open(new), word, "all of it has come");
    streams.synchronize(new).expect("idle");
    streams.destroy(new).expect("it is idle");
}

#[test]
fn a_stream_follows_anothers_word() {
    let Some(turn) = support::turn("a_stream_follows_anothers_word") else { return };
    let cuda = turn.cuda;
    let (streams, kernels) = (streams(cuda), kernels(cuda));
    let [gate, cells] = [1, 2].map(|size| HostBuffer::new(cuda, size).expect("memory"));
    let [from, to] = [0, 8].map(|offset| RawMemory::new(cells.address().as_u64() + offset));
    let [first, second] = [(); 2].map(|()| streams.create(key()).expect("a stream"));
    let word = streams.open_progress(first).expect("a word").expect("there are words");
    hold(&streams, first, &gate);
    // SAFETY: the test keeps all memory until both streams are idle.
    let write = unsafe { CudaWork::write_value(from.as_u64(), 7) };
    streams.launch(first, write).expect("a write");
    streams.mark(first, word, Position::new(1)).expect("a mark");
    streams.wait_for_progress(second, word, Position::new(1)).expect("a wait");
    streams.launch(second, copy(kernels, from, to, 1).into()).expect("a kernel");
    assert_eq!(streams.query(second), StreamState::Pending);
    gate.words()[0].store(1, Ordering::Release);
    streams.synchronize(second).expect("idle");
    assert_eq!(cells.words()[1].load(Ordering::Acquire), 7);
    for stream in [first, second] {
        streams.synchronize(stream).expect("idle");
        streams.destroy(stream).expect("it is idle");
    }
}

#[test]
fn memory_is_filled_and_copied_in_the_streams_order() {
    let Some(turn) = support::turn("memory_is_filled_and_copied_in_the_streams_order") else {
        return;
    };
    let cuda = turn.cuda;
    let streams = streams(cuda);
    let stream = streams.create(key()).expect("a stream");
    let (size, read) = (Bytes::new(64), HostBuffer::new(cuda, 8).expect("memory"));
    let memory = streams.allocate(size, stream).expect("memory");
    // SAFETY: the memory has 64 bytes, as the buffer has, and both stay until the stream is idle.
    let fill = unsafe { CudaWork::fill(memory.as_u64(), 3, size) };
    // SAFETY: as above.
    let fill_words = unsafe { CudaWork::fill_words(memory.as_u64() + 32, 0x0506_0708, 4) };
    // SAFETY: as above.
    let out = unsafe { CudaWork::copy(read.address().as_u64(), memory.as_u64(), size) };
    for work in [fill, fill_words, out] {
        streams.launch(stream, work).expect("it is taken");
    }
    streams.free(memory, stream).expect("freed behind the copy");
    streams.synchronize(stream).expect("idle");
    let halves: Vec<u32> = read.halves().iter().map(|half| half.load(Ordering::Acquire)).collect();
    let expected = [[0x0303_0303; 8].as_slice(), &[0x0506_0708; 4], &[0x0303_0303; 4]].concat();
    assert_eq!(halves, expected);
    let again = streams.free(memory, stream);
    assert!(matches!(again, Err(DriverError::Bad(_))), "freed twice: {again:?}");
    streams.destroy(stream).expect("it is idle");
}

#[test]
fn host_functions_are_called_in_order_and_a_panic_ends_there() {
    let test = "host_functions_are_called_in_order_and_a_panic_ends_there";
    let Some(turn) = support::turn(test) else { return };
    let cuda = turn.cuda;
    let streams = streams(cuda);
    let stream = streams.create(key()).expect("a stream");
    let calls = Arc::new(AtomicU32::new(0));
    for expected in 0..20 {
        let calls = Arc::clone(&calls);
        let function = move || {
            assert_ne!(expected, 10, "expected: it ends in the driver's thread");
            let before = calls.fetch_add(1, Ordering::AcqRel);
            assert_eq!(before, if expected < 10 { expected } else { expected - 1 });
        };
        streams.launch(stream, CudaWork::host(function)).expect("it is taken");
    }
    streams.synchronize(stream).expect("idle");
    assert_eq!(calls.load(Ordering::Acquire), 19);
    streams.destroy(stream).expect("it is idle");
}

/// The driver gives a handle again, and a number never.
#[test]
fn numbers_tell_streams_apart_that_have_one_handle() {
    let test = "numbers_tell_streams_apart_that_have_one_handle";
    let Some(turn) = support::turn(test) else { return };
    let cuda = turn.cuda;
    let streams = streams(cuda);
    let mut numbers = Vec::new();
    for _ in 0..50 {
        let stream = streams.create(key()).expect("a stream");
        numbers.push(streams.stream_number(stream).expect("CUDA 12 or newer"));
        streams.destroy(stream).expect("it is idle");
        assert!(
            matches!(streams.stream_number(stream), Err(DriverError::Bad(_))),
            "a stale handle"
        );
    }
    let count = numbers.len();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), count);
}

/// Made by the driver's own call, on a thread whose context is set and taken off again.
#[test]
fn a_stream_from_elsewhere_is_used_while_it_is_known() {
    let test = "a_stream_from_elsewhere_is_used_while_it_is_known";
    let Some(turn) = support::turn(test) else { return };
    let cuda = turn.cuda;
    let (streams, functions, mut theirs) = (streams(cuda), cuda.functions(), ptr::null_mut());
    {
        let _current = cuda.current(gpu().device).expect("a context");
        let create = functions.cuStreamCreateWithPriority;
        // SAFETY: `theirs` is writable.
        let made = unsafe { create(&raw mut theirs, sys::CU_STREAM_NON_BLOCKING, 0) };
        assert_eq!(made, sys::CUDA_SUCCESS);
    }
    let mut none = ptr::null_mut();
    // SAFETY: `none` is writable.
    let made = unsafe { (functions.cuStreamCreateWithPriority)(&raw mut none, 0, 0) };
    let cell = HostBuffer::new(cuda, 1).expect("memory");
    // SAFETY: the cell stays until the stream is idle.
    let write = |value| unsafe { CudaWork::write_value(cell.address().as_u64(), value) };
    let stream = RawStream::new(theirs.expose_provenance() as u64);
    assert_eq!(made, sys::CUDA_ERROR_INVALID_CONTEXT, "no context is left on the thread");
    assert!(matches!(streams.launch(stream, write(1)), Err(DriverError::Bad(_))), "it is unknown");
    // SAFETY: it is a stream of the primary context, and is destroyed below.
    unsafe { streams.adopt(stream, gpu()) }.expect("the first GPU");
    streams.launch(stream, write(2)).expect("it is known");
    streams.synchronize(stream).expect("idle");
    assert_eq!(cell.words()[0].load(Ordering::Acquire), 2);
    streams.forget(stream);
    // SAFETY: nobody else has the stream.
    assert_eq!(unsafe { (functions.cuStreamDestroy)(theirs) }, sys::CUDA_SUCCESS);
    assert!(matches!(streams.query(stream), StreamState::Failed(DriverError::Bad(_))));
}

/// Without it the driver waits for all work at each 43rd creation: here for ever.
#[test]
fn streams_are_created_beside_held_work_once_there_is_room() {
    let test = "streams_are_created_beside_held_work_once_there_is_room";
    let Some(turn) = support::turn(test) else { return };
    let cuda = turn.cuda;
    const STREAMS: NonZeroU32 = NonZeroU32::new(200).expect("not 0");
    let (streams, gate) = (streams(cuda), HostBuffer::new(cuda, 1).expect("memory"));
    streams.make_room(gpu(), STREAMS).expect("memory");
    let held = streams.create(key()).expect("a stream");
    hold(&streams, held, &gate);
    let all: Vec<_> =
        (1..STREAMS.get()).map(|_| streams.create(key()).expect("a stream")).collect();
    assert_eq!(streams.query(held), StreamState::Pending);
    gate.words()[0].store(1, Ordering::Release);
    streams.synchronize(held).expect("idle");
    for stream in all.into_iter().chain([held]) {
        streams.destroy(stream).expect("it is idle");
    }
}

/// Another thread makes pinned memory and lets it go, in the mode that every thread begins in.
#[test]
fn pinned_memory_comes_and_goes_beside_a_capture() {
    let Some(turn) = support::turn("pinned_memory_comes_and_goes_beside_a_capture") else { return };
    let (cuda, streams) = (turn.cuda, streams(turn.cuda));
    let stream = streams.create(key()).expect("a stream");
    streams.begin_capture(stream, CaptureMode::Global).expect("a capture");
    let done = std::thread::scope(|threads| {
        threads.spawn(|| drop(HostBuffer::new(cuda, 1).expect("memory"))).join()
    });
    assert_eq!(streams.capture_status(stream), CaptureStatus::Active);
    let graph = streams.end_capture(stream).expect("a graph");
    streams.destroy_graph(graph).expect("never launched");
    streams.destroy(stream).expect("destroyed");
    done.expect("it does not panic");
}
