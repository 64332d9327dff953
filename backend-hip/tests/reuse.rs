//! Memory that was freed is not written to by its next owner before its last user is done, also where HIP hands it on before.

mod support;

use std::sync::atomic::Ordering;

use ringfence::{backend::streams::*, error::DriverError};
use ringfence_hip::{HipStreams, HipVersion, HipWork, HostBuffer, StreamOptions};
use support::{key, words};

const COUNT: u32 = 1 << 18;

#[test]
fn a_block_that_its_first_stream_gets_again_is_still_its_readers() {
    let test = "a_block_that_its_first_stream_gets_again_is_still_its_readers";
    let Some(hip) = support::hip(test) else { return };
    let driver = HipStreams::new(hip, StreamOptions::default());
    let [gate, read] =
        [1, COUNT as usize / 2].map(|size| HostBuffer::new(hip, size).expect("memory"));
    let [owner, reader] = [(); 2].map(|()| driver.create(key()).expect("a stream"));
    let memory = driver.allocate(words(COUNT), owner).expect("memory");
    // SAFETY: the test keeps all memory until the streams are idle.
    let fill = |memory: ringfence::id::RawMemory, byte| unsafe {
        HipWork::fill(memory.as_u64(), byte, words(COUNT))
    };
    driver.launch(owner, fill(memory, 1)).expect("a fill");
    driver.synchronize(owner).expect("idle");

    // SAFETY: as above.
    let held = unsafe { HipWork::wait_value(gate.address().as_u64(), 1) };
    driver.launch(reader, held).expect("a wait");
    // SAFETY: as above.
    let copy = unsafe { HipWork::copy(read.address().as_u64(), memory.as_u64(), words(COUNT)) };
    driver.launch(reader, copy).expect("a copy");
    driver.free(memory, reader).expect("freed behind the copy");
    let again = driver.allocate(words(COUNT), owner).expect("memory");
    println!(
        "{test}: HIP {} gives {}",
        hip.version(),
        if again == memory { "the same" } else { "another" }
    );
    driver.launch(owner, fill(again, 2)).expect("a fill");
    gate.words()[0].store(1, Ordering::Release);
    driver.synchronize(reader).expect("idle");
    driver.synchronize(owner).expect("idle");
    for (index, half) in read.halves().iter().enumerate() {
        assert_eq!(half.load(Ordering::Acquire), 0x0101_0101, "number {index}");
    }
    driver.free(again, owner).expect("freed");
    driver.synchronize(owner).expect("idle");
}

/// HIP waits in the destruction of a stream for its work, and others get what that work still uses.
#[test]
fn a_block_is_still_its_readers_while_their_stream_is_destroyed() {
    let test = "a_block_is_still_its_readers_while_their_stream_is_destroyed";
    let Some(hip) = support::hip(test) else { return };
    if hip.version() < HipVersion::new(5, 7, 0) {
        println!("{test}: left out: HIP {} locks everybody out meanwhile", hip.version());
        return;
    }
    let driver = HipStreams::new(hip, StreamOptions::default());
    let [gate, read] =
        [1, COUNT as usize / 2].map(|size| HostBuffer::new(hip, size).expect("memory"));
    let [owner, reader] = [(); 2].map(|()| driver.create(key()).expect("a stream"));
    let memory = driver.allocate(words(COUNT), owner).expect("memory");
    // SAFETY: the test keeps all memory until the streams are idle.
    let fill = |memory: ringfence::id::RawMemory, byte| unsafe {
        HipWork::fill(memory.as_u64(), byte, words(COUNT))
    };
    driver.launch(owner, fill(memory, 1)).expect("a fill");
    driver.synchronize(owner).expect("idle");
    // SAFETY: as above.
    let held = unsafe { HipWork::wait_value(gate.address().as_u64(), 1) };
    driver.launch(reader, held).expect("a wait");
    // SAFETY: as above.
    let copy = unsafe { HipWork::copy(read.address().as_u64(), memory.as_u64(), words(COUNT)) };
    driver.launch(reader, copy).expect("a copy");
    driver.free(memory, reader).expect("freed behind the copy");
    let again = std::thread::scope(|threads| {
        let destroyed = threads.spawn(|| driver.destroy(reader));
        while driver.query(reader) == StreamState::Pending {
            std::thread::yield_now();
        }
        assert!(matches!(driver.query(reader), StreamState::Failed(DriverError::Bad(_))));
        let again = driver.allocate(words(COUNT), owner).expect("memory");
        driver.launch(owner, fill(again, 2)).expect("a fill");
        gate.words()[0].store(1, Ordering::Release);
        destroyed.join().expect("it does not panic").expect("destroyed");
        again
    });
    driver.synchronize(owner).expect("idle");
    for (index, half) in read.halves().iter().enumerate() {
        assert_eq!(half.load(Ordering::Acquire), 0x0101_0101, "number {index}");
    }
    driver.free(again, owner).expect("freed");
    driver.synchronize(owner).expect("idle");
}
