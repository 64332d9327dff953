//! Two GPUs.

use std::thread;

use ringfence_softgpu_programs::{
    case::setting,
    hsa::{
        Block, Gpu, Order, Packet, Place, Queue, RawSignals, Runtime, Signal, Visibility, World,
    },
};

use super::{copies::pattern, packets::WHILE, raw::held_by};

/// From one GPU's memory to the other's, by either.
pub(crate) fn copy() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let [first, second] = pair(&world);
    for size in [4, 4_096, 100_003, 1 << 20] {
        let agents = [world.cpu, first.agent, second.agent];
        let near = Block::new(&first.vram, size, &agents);
        let far = Block::new(&second.vram, size, &agents);
        let bytes = pattern(size, size);
        near.write(0, &bytes);
        far.write(0, &vec![0; size]);
        let (here, there) = (Place::new(&near, 0, first.agent), Place::new(&far, 0, second.agent));
        runtime.copy(there, here, size);
        assert!(far.read(0, size) == bytes, "{size} bytes to the peer");
        near.write(0, &vec![0; size]);
        runtime.copy(here, there, size);
        assert!(near.read(0, size) == bytes, "{size} bytes from the peer");
    }
}

/// 300 packets on one GPU never pass before the kernel on the other whose signal they wait for.
pub(crate) fn wait() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let [first, second] = pair(&world);
    let (one, other) = (Queue::new(&first.agent, 64), Queue::new(&second.agent, 64));
    // Timestamps say nothing here: the runtime fits each GPU's clock to the host's by itself.
    for round in 0..300 {
        let (kernel, waiter) = (Signal::new(&runtime, 1), Signal::new(&runtime, 1));
        let packet = Packet::and(&[kernel.handle()]).completes(waiter.handle());
        other.submit(&packet.order(Order::AfterAll));
        one.submit(&first.kernel().completes(kernel.handle()));
        waiter.finished();
        assert_eq!(kernel.value(), 0, "round {round}: the waiter passed before the kernel ended");
    }
    let gate = Signal::new(&runtime, 1);
    let done = Signal::armed(&runtime, 2);
    for (queue, signal) in [&one, &other].into_iter().zip(&done) {
        queue.submit(&Packet::and(&[gate.handle()]).completes(signal.handle()));
    }
    thread::sleep(WHILE);
    assert_eq!((done[0].value(), done[1].value()), (1, 1), "one signal holds both GPUs");
    gate.store(0);
    done.iter().for_each(Signal::finished);
}

/// A signal in one GPU's memory, armed by the host and flushed, holds the other's packets.
pub(crate) fn signal() {
    assert_eq!(passed_early(Visibility::Flushed), 0, "a peer passed an armed, flushed signal");
}

/// Without the flush a peer passes.
pub(crate) fn signal_unflushed() {
    let early = passed_early(Visibility::Unflushed);
    println!("{early} packets of a peer passed an armed signal that was not flushed");
    assert!(early > 0, "no packet passed early: peers see host stores at once here");
}

fn passed_early(visibility: Visibility) -> usize {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let [first, second] = pair(&world);
    let agents = [world.cpu, second.agent];
    let raw = RawSignals::new(&first.vram, &first.agent, 1, &agents);
    let queue = Queue::new(&second.agent, 64);
    held_by(&runtime, &raw, &queue, visibility)
}

fn pair<'w, 'r>(world: &'w World<'r>) -> [&'w Gpu<'r>; 2] {
    match world.gpus.as_slice() {
        [first, second, ..] => [first, second],
        _ => panic!("two GPUs are needed; GPUS is {:?}", setting("GPUS")),
    }
}
