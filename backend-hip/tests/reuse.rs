//! Memory that was freed is not written to by its next owner before its last user is done, also where HIP hands it on before.

mod support;

use std::sync::atomic::Ordering;

use ringfence::backend::streams::*;
use ringfence_hip::{HipStreams, HipWork, HostBuffer, StreamOptions};
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
