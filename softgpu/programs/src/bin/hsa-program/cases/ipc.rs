//! Memory and signals shared with another process.

use std::{
    io::{Read, Write},
    os::unix::net::UnixStream,
    time::Duration,
};

use ringfence_softgpu_programs::{
    case::not_modelled,
    hsa::{
        Block, Condition, Packet, Patience, Queue, Runtime, Shared, Signal, World,
        sys::hsa_amd_signal_attribute_t as attribute,
    },
    process::{self, End},
};

/// A child reads what its parent wrote to VRAM, and the parent what the child wrote.
pub(crate) fn memory() {
    const BYTES: usize = 1 << 16;
    let (mut ours, mut theirs) = UnixStream::pair().expect("a pair of sockets");
    // Before the runtime starts: one that runs does not survive a fork.
    let child = process::fork(move || {
        let Some(name) = receive(&mut theirs) else { return 3 };
        let runtime = Runtime::start();
        let world = World::new(&runtime);
        let block = Block::attach(&name, BYTES, &[world.gpu().agent], &runtime);
        let block = block.unwrap_or_else(|status| panic!("attach: {}", runtime.describe(status)));
        assert_eq!(block.word(64).load(std::sync::atomic::Ordering::Acquire), 0x1234);
        block.store(128, 0x5678);
        0
    });
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let block = Block::new(&world.gpu().vram, BYTES, &[world.cpu]);
    block.store(64, 0x1234);
    block.store(128, 0);
    match block.share() {
        Ok(name) => ours.write_all(&name.bytes()).expect("the child listens"),
        Err(status) => not_modelled(&format!("sharing memory: {}", runtime.describe(status))),
    }
    assert_eq!(child.wait(), End::Exit(0), "the child");
    assert_eq!(block.word(128).load(std::sync::atomic::Ordering::Acquire), 0x5678);
}

/// A packet of the child's completes its parent's signal.
pub(crate) fn signal() {
    let (mut ours, mut theirs) = UnixStream::pair().expect("a pair of sockets");
    let child = process::fork(move || {
        let Some(name) = receive(&mut theirs) else { return 3 };
        let runtime = Runtime::start();
        let world = World::new(&runtime);
        let signal = Signal::attach(&name, &runtime);
        let signal = signal.unwrap_or_else(|status| panic!("attach: {}", runtime.describe(status)));
        assert_eq!(signal.value(), 1);
        let queue = Queue::new(&world.gpu().agent, 64);
        queue.submit(&Packet::and(&[]).completes(signal.handle()));
        signal.finished();
        0
    });
    let runtime = Runtime::start();
    let refused = |status| format!("a shared signal: {}", runtime.describe(status));
    let signal = Signal::with(&runtime, 1, attribute::HSA_AMD_SIGNAL_IPC)
        .unwrap_or_else(|status| not_modelled(&refused(status)));
    let name = signal.share().unwrap_or_else(|status| not_modelled(&refused(status)));
    ours.write_all(&name.bytes()).expect("the child listens");
    let seen = signal.wait(Condition::Below(1), Duration::from_secs(10), Patience::Blocked);
    assert_eq!(child.wait(), End::Exit(0), "the child");
    assert_eq!(seen, 0, "what the parent saw");
}

/// What the parent sends, unless it ends before.
fn receive(from: &mut UnixStream) -> Option<Shared> {
    let mut bytes = [0; 32];
    from.read_exact(&mut bytes).ok()?;
    Some(Shared::new(bytes))
}
