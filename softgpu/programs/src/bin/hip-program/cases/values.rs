//! Host functions, and values that streams write and wait for.

use std::{
    ffi::{c_uint, c_void},
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::Duration,
};

use ringfence_softgpu_programs::hip::{Done, Event, Hip, Memory, Stream, Timing, Where};

static CALLED: AtomicU32 = AtomicU32::new(0);

fn slowly(counter: *mut c_void) {
    thread::sleep(Duration::from_millis(5));
    // SAFETY: the counter is static.
    unsafe { &*counter.cast::<AtomicU32>() }.fetch_add(1, Ordering::AcqRel);
}

/// A callback runs once all before it is done, and a synchronize waits for it.
pub(crate) fn callbacks() {
    extern "C" fn callback(_: *mut c_void, status: c_uint, counter: *mut c_void) {
        assert_eq!(status, 0);
        slowly(counter);
    }
    let hip = Hip::start();
    let stream = Stream::new(hip);
    let memory = Memory::new(hip, 4_096, Where::Device);
    for round in 1..=10 {
        memory.set(&stream, 0, 1, 4_096);
        // SAFETY: the callback's data is static.
        unsafe { stream.call_back(callback, (&raw const CALLED).cast_mut().cast()) };
        stream.synchronize();
        assert_eq!(CALLED.load(Ordering::Acquire), round, "callbacks when the stream is idle");
    }
}

/// The same of a host function, which HIP 5.2 declares and does not have.
pub(crate) fn host_function() {
    extern "C" fn function(counter: *mut c_void) {
        slowly(counter);
    }
    let hip = Hip::start();
    let stream = Stream::new(hip);
    for round in 1..=10 {
        // SAFETY: the function's data is static.
        let launched =
            unsafe { stream.host_function(function, (&raw const CALLED).cast_mut().cast()) };
        if launched.is_none() {
            ringfence_softgpu_programs::case::not_modelled("this HIP has no hipLaunchHostFunc");
        }
        stream.synchronize();
        assert_eq!(CALLED.load(Ordering::Acquire), round, "functions when the stream is idle");
    }
}

/// A value is written behind all before it.
pub(crate) fn write() {
    let hip = Hip::start();
    let stream = Stream::new(hip);
    let word = Memory::new(hip, 8, Where::Host);
    word.write(&stream, 0, &[0; 8]);
    for value in 1..100_u32 {
        stream.write_value(&word, value);
        stream.synchronize();
        let seen = word.read(&stream, 0, 4);
        assert_eq!(seen, value.to_le_bytes());
    }
}

/// A stream waits for a value that another stream writes.
pub(crate) fn wait() {
    let hip = Hip::start();
    let (waiter, writer) = (Stream::new(hip), Stream::new(hip));
    let (word, event) = (Memory::new(hip, 8, Where::Signal), Event::new(hip, Timing::Off));
    writer.write_value(&word, 0);
    writer.synchronize();
    for value in 1..20 {
        waiter.wait_value(&word, value);
        event.record(&waiter);
        thread::sleep(Duration::from_millis(2));
        assert_eq!(event.query(), Done::NotYet, "{value} was not written yet");
        writer.write_value(&word, value);
        event.synchronize();
    }
}
