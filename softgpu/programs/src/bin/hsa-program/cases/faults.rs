//! What the runtime makes of a GPU that fails.

use std::time::Duration;

use ringfence_softgpu_programs::{
    case::setting,
    hsa::{
        Block, Condition, Fault, Order, Packet, Patience, Queue, Runtime, Signal, SystemEvents,
        World, sys::hsa_status_t,
    },
};

const LIMIT: Duration = Duration::from_secs(5);

/// A packet of no type: the queue's callback says so, once, and another queue goes on.
pub(crate) fn bad_packet() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let agent = &world.gpu().agent;
    let (bad, good) = (Queue::new(agent, 64), Queue::new(agent, 64));
    let before = Signal::new(&runtime, 1);
    bad.submit(&Packet::and(&[]).completes(before.handle()));
    before.finished();
    bad.submit(&Packet::bad());
    let status = bad.errors().first(LIMIT);
    assert_eq!(status, Some(hsa_status_t::HSA_STATUS_ERROR_INVALID_PACKET_FORMAT));
    assert_eq!(bad.errors().calls(), 1, "calls of the callback");
    let behind = Signal::new(&runtime, 1);
    bad.submit(&Packet::and(&[]).completes(behind.handle()));
    good_goes_on(&runtime, &good);
    let still = behind.wait(Condition::Below(1), Duration::from_millis(20), Patience::Blocked);
    assert_eq!(still, 1, "a queue that failed went on");
}

/// `FAULT_PACKET`: the same, though nobody submitted anything wrong; what lies before it completes.
pub(crate) fn injected_packet() {
    let at = which("FAULT_PACKET");
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let queue = Queue::new(&world.gpu().agent, 64);
    let done = Signal::armed(&runtime, at);
    // What is in flight when a queue stops may be lost: so nothing is.
    for signal in &done[..at - 1] {
        queue.submit(&Packet::and(&[]).completes(signal.handle()));
        signal.finished();
    }
    queue.submit(&Packet::and(&[]).completes(done[at - 1].handle()));
    let status = queue.errors().first(LIMIT);
    assert_eq!(status, Some(hsa_status_t::HSA_STATUS_ERROR_INVALID_PACKET_FORMAT));
    assert_eq!(done[at - 1].value(), 1, "the packet that is invalid completed");
    good_goes_on(&runtime, &Queue::new(&world.gpu().agent, 64));
}

/// `FAULT_VM`: the handler of system events is told which GPU touched which address.
pub(crate) fn memory() {
    let at = which("FAULT_VM");
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let events = SystemEvents::listen(&runtime);
    let gpu = world.gpu();
    let queue = Queue::new(&gpu.agent, 64);
    let done = Signal::armed(&runtime, at);
    for signal in &done {
        queue.submit(&gpu.kernel().completes(signal.handle()).order(Order::AfterAll));
    }
    let Some(Fault::Memory { agent, address, reason }) = events.first(LIMIT) else {
        panic!("no memory fault was reported");
    };
    assert_eq!(agent.handle, gpu.agent.handle().handle, "of which GPU");
    assert_ne!(address, 0, "of which address");
    println!("reason {reason:#x}");
    done[..at - 1].iter().for_each(Signal::finished);
    assert_eq!(done[at - 1].value(), 1, "the kernel that failed completed");
}

/// `FAULT_LOST`: what each runtime reports of a GPU that is reset.
pub(crate) fn lost() {
    let at = which("FAULT_LOST");
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let events = SystemEvents::listen(&runtime);
    let gpu = world.gpu();
    let queue = Queue::new(&gpu.agent, 64);
    let done = Signal::armed(&runtime, at + 1);
    for signal in &done {
        queue.submit(&gpu.kernel().completes(signal.handle()).order(Order::AfterAll));
    }
    let report = events.first(Duration::from_secs(2));
    println!(
        "system event: {report:?}; queue callback: {:?}",
        queue.errors().first(Duration::ZERO)
    );
    done[..at - 1].iter().for_each(Signal::finished);
    for signal in &done[at - 1..] {
        let limit = Duration::from_millis(50);
        let seen = signal.wait(Condition::Below(1), limit, Patience::Blocked);
        assert_eq!(seen, 1, "a packet completed on a GPU that is lost");
    }
    match report {
        Some(Fault::Hardware { agent, .. }) => {
            assert_eq!(agent.handle, gpu.agent.handle().handle, "which GPU was lost");
        }
        other => assert!(other.is_none(), "{other:?}"),
    }
    println!("reported: {}", report.is_some());
}

/// `FAULT_QUEUE`: one queue cannot be had, and the others work.
pub(crate) fn queue() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let queues: Vec<_> = (0..8).map(|_| Queue::create(&world.gpu().agent, 64)).collect();
    let failed: Vec<hsa_status_t> =
        queues.iter().filter_map(|queue| queue.as_ref().err().copied()).collect();
    println!("{failed:x?}");
    assert_eq!(failed, [hsa_status_t::HSA_STATUS_ERROR_OUT_OF_RESOURCES]);
    for queue in queues.iter().flatten() {
        good_goes_on(&runtime, queue);
    }
}

/// `FAULT_MEMORY`: the kernel refuses one allocation, and nobody sees it: the runtime gives back what it keeps, and asks again.
pub(crate) fn allocation() {
    let _ = which("FAULT_MEMORY");
    let (failed, _) = allocate_until_full(64);
    assert_eq!(failed, [], "a refusal was not tried again");
}

/// `VRAM_MIB`: when memory is used up the runtime says so, and what is given back can be had again.
pub(crate) fn full() {
    let megabytes = which("VRAM_MIB");
    for _ in 0..2 {
        let (failed, had) = allocate_until_full(megabytes / 8 + 8);
        println!("{had} MiB of {megabytes}");
        assert!(failed.len() >= 8, "more memory than there is: {failed:?}");
        let full = hsa_status_t::HSA_STATUS_ERROR_OUT_OF_RESOURCES;
        assert!(failed.iter().all(|status| *status == full), "{failed:x?}");
        assert!(had >= megabytes / 2, "{had} MiB of {megabytes}");
    }
}

/// Allocates so many blocks of 8 MiB, uses those that could be had, and gives them back: what failed, and how many MiB there were.
fn allocate_until_full(count: usize) -> (Vec<hsa_status_t>, usize) {
    // More than the runtime takes from the kernel at a time for several.
    const BYTES: usize = 8 << 20;
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let queue = Queue::new(&world.gpu().agent, 64);
    let vram = &world.gpu().vram;
    let (blocks, failed): (Vec<_>, Vec<_>) =
        (0..count).map(|_| Block::allocate(vram, BYTES)).partition(Result::is_ok);
    for block in blocks.iter().flatten() {
        block.allow(&[world.cpu]);
        block.store(0, 1);
    }
    good_goes_on(&runtime, &queue);
    let failed = failed.into_iter().filter_map(Result::err).collect();
    (failed, blocks.len() * (BYTES >> 20))
}

fn good_goes_on(runtime: &Runtime, queue: &Queue<'_>) {
    let done = Signal::new(runtime, 1);
    queue.submit(&Packet::and(&[]).completes(done.handle()));
    done.finished();
    assert_eq!(queue.errors().first(Duration::ZERO), None, "an error on a queue without one");
}

fn which(fault: &str) -> usize {
    let count = setting(fault).unwrap_or_else(|| panic!("{fault} says which"));
    count.parse().expect("a number")
}
