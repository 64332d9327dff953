use super::*;

struct Views {
    host: i64,
    owner: i64,
    engine: i64,
    peer: i64,
}
fn views(model: &Model, signal: SignalHandle, owner: DeviceId, peer: DeviceId) -> Views {
    let view = |reader| model.view(signal, reader).unwrap().as_i64();
    Views {
        host: view(Reader::Host),
        owner: view(Reader::Processor(owner)),
        engine: view(Reader::Engine(owner)),
        peer: view(Reader::Processor(peer)),
    }
}
/// A finished device cell that the host arms again.
fn rearmed(capabilities: Capabilities) -> (Model, SignalHandle, DeviceId, DeviceId) {
    let mut model = Model::new();
    let (owner, peer) = (model.add_agent(capabilities), model.add_agent(capabilities));
    let signal = model.add_cell(owner, SignalMemory::Device);
    model.force(signal);
    model.store(signal, SignalValue::ARMED);
    (model, signal, owner, peer)
}

#[test]
fn a_store_to_host_memory_is_seen_at_once() {
    for memory in [SignalMemory::Host, SignalMemory::Interrupt, SignalMemory::Shared] {
        let mut bench = Bench::new();
        let signal = bench.model.add_cell(bench.device, memory);
        bench.model.store(signal, SignalValue::DONE);
        let views = views(&bench.model, signal, bench.device, bench.device);
        assert_eq!([views.host, views.owner, views.engine, views.peer], [0; 4], "{memory}");
        assert_eq!(bench.model.buffered().len(), 0);
    }
}

#[test]
fn with_rings_in_system_memory_only_a_flush_shows_a_store() {
    let (mut model, signal, owner, peer) = rearmed(capabilities(RingMemory::System));
    for _ in 0..2 {
        let views = views(&model, signal, owner, peer);
        assert_eq!([views.host, views.owner, views.engine, views.peer], [1, 0, 0, 0]);
        model.publish_stores();
    }
    model.flush(owner);
    let views = views(&model, signal, owner, peer);
    assert_eq!([views.host, views.owner, views.engine, views.peer], [1; 4]);
}

#[test]
fn with_rings_in_device_memory_a_store_fence_is_enough_for_the_owners_processor_alone() {
    let (mut model, signal, owner, peer) = rearmed(capabilities(RingMemory::Device));
    let before = views(&model, signal, owner, peer);
    assert_eq!([before.host, before.owner, before.engine, before.peer], [1, 0, 0, 0]);
    model.publish_stores();
    let after = views(&model, signal, owner, peer);
    assert_eq!([after.host, after.owner, after.engine, after.peer], [1, 1, 0, 0]);
}

#[test]
fn over_a_coherent_path_a_store_fence_is_enough_for_all() {
    let path = HostDataPath::Coherent;
    let (mut model, signal, owner, peer) =
        rearmed(capabilities(RingMemory::System).with_path(path));
    model.publish_stores();
    let views = views(&model, signal, owner, peer);
    assert_eq!([views.host, views.owner, views.engine, views.peer], [1; 4]);
}

#[test]
fn a_flush_is_of_one_device() {
    let (mut model, signal, owner, peer) = rearmed(capabilities(RingMemory::System));
    model.flush(peer);
    assert_eq!(views(&model, signal, owner, peer).owner, 0);
    model.flush(owner);
    assert_eq!(views(&model, signal, owner, peer).owner, 1);
}

#[test]
fn a_store_may_be_seen_early() {
    let (mut model, signal, owner, peer) = rearmed(capabilities(RingMemory::System));
    let mut moves = Vec::new();
    model.enabled(&mut moves);
    assert_eq!(moves, [Move::Land(signal)]);
    let _ = model.apply(Move::Land(signal));
    assert_eq!(views(&model, signal, owner, peer).peer, 1);
    assert_eq!(model.check(Move::Land(signal)), Err(Blocked::NothingBuffered));
}

#[test]
fn a_store_that_lands_after_the_decrement_swallows_it() {
    let mut bench = Bench::new();
    let signal = bench.model.add_cell(bench.device, SignalMemory::Device);
    bench.model.force(signal);
    bench.model.store(signal, SignalValue::ARMED);
    let of = bench.publish(bench.q0, kernel(Barrier::Clear, signal));
    bench.run(of);
    bench.model.flush(bench.device);
    assert_eq!(bench.value(signal), 1, "the use is complete and its signal will never say so");
}

#[test]
fn a_stale_0_lets_a_waiter_pass_early() {
    let mut bench = Bench::new();
    let signal = bench.model.add_cell(bench.device, SignalMemory::Device);
    bench.model.force(signal);
    bench.model.store(signal, SignalValue::ARMED);
    let producer = bench.publish(bench.q1, kernel(Barrier::Clear, signal));
    let consumer = bench.publish(bench.q0, and(&[signal], SignalHandle::NULL));
    bench.run(consumer);
    assert!(!bench.is_complete(producer));
}

#[test]
fn what_is_destroyed_is_decremented_no_more() {
    let mut bench = Bench::new();
    let signal = bench.cell();
    let of = bench.publish(bench.q0, kernel(Barrier::Clear, signal));
    bench.model.remove_cell(signal);
    bench.run(of);
    assert_eq!(bench.value(signal), 1);
    assert_eq!(bench.model.cell(signal).map(Cell::life), Some(CellLife::Destroyed));
    assert!(bench.model.cell(SignalHandle::NULL).is_none());
}
