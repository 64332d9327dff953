//! S10, S11, S13, S14 and S15: what comes when.

use super::*;

fn device_settings(rings: RingMemory, extra: Features) -> DeviceSettings {
    let mut settings = DeviceSettings::default();
    settings.capabilities.rings = rings;
    settings.capabilities.features |= extra;
    settings
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Fence {
    Nothing,
    Stores,
    Flush,
}
impl Fence {
    fn call(self, device: &MockDevice) {
        match self {
            Self::Nothing => {}
            Self::Stores => device.publish_stores(),
            Self::Flush => device.flush(),
        }
    }
}
/// A finished device cell, armed again, and what comes after the arm.
fn rearmed(bench: &Bench, after: Fence) -> SignalHandle {
    let signal = bench.signal(SignalMemory::Device);
    bench.plain(&bench.q0, signal);
    bench.done(signal);
    bench.arm(signal);
    after.call(&bench.device);
    signal
}

#[test]
fn s10_what_arms_a_completion_must_be_visible_to_the_processor() {
    for (rings, after, legal) in [
        (RingMemory::System, Fence::Nothing, false),
        (RingMemory::System, Fence::Stores, false),
        (RingMemory::System, Fence::Flush, true),
        (RingMemory::Device, Fence::Nothing, false),
        (RingMemory::Device, Fence::Stores, true),
        (RingMemory::Device, Fence::Flush, true),
    ] {
        let bench = Bench::with(device_settings(rings, Features::empty()));
        let signal = rearmed(&bench, after);
        bench.plain(&bench.q0, signal);
        if legal { bench.broke_nothing() } else { bench.broke(Rule::S10) }
    }
}

#[test]
fn s10_the_device_seeing_a_store_early_excuses_nothing() {
    let bench = Bench::new();
    let signal = rearmed(&bench, Fence::Nothing);
    bench.system.make_visible(signal).expect("it is buffered");
    bench.plain(&bench.q0, signal);
    bench.broke(Rule::S10);
}

#[test]
fn s10_a_flush_of_another_device_is_none() {
    let bench = Bench::new();
    let signal = rearmed(&bench, Fence::Nothing);
    bench.system.add_device(DeviceSettings::default()).flush();
    bench.plain(&bench.q0, signal);
    bench.broke(Rule::S10);
}

#[test]
fn s10_copy_engines_need_a_flush_even_with_rings_in_device_memory() {
    for after in [Fence::Stores, Fence::Flush] {
        let settings = device_settings(RingMemory::Device, Features::DEVICE_SIGNALS_ON_COPIES);
        let bench = Bench::with(settings);
        let signal = rearmed(&bench, after);
        bench.copy(1, signal, &[]);
        if after == Fence::Flush { bench.broke_nothing() } else { bench.broke(Rule::S10) }
    }
}

#[test]
fn s10_a_copy_that_waits_for_a_cell_needs_its_arm_flushed() {
    for after in [Fence::Stores, Fence::Flush] {
        let bench = Bench::with(device_settings(RingMemory::Device, Features::empty()));
        let dep = rearmed(&bench, after);
        bench.plain(&bench.q0, dep);
        bench.copy(1, bench.host(), &[dep]);
        if after == Fence::Flush { bench.broke_nothing() } else { bench.broke(Rule::S10) }
    }
}

#[test]
fn s10_a_completion_that_was_not_armed_since_its_last_use() {
    let bench = Bench::new();
    let signal = bench.host();
    bench.plain(&bench.q0, signal);
    bench.done(signal);
    bench.plain(&bench.q0, signal);
    bench.broke(Rule::S10);
}

#[test]
fn s10_a_peer_waits_only_where_it_can_see() {
    let run = |memory, extra| {
        let settings = device_settings(RingMemory::System, extra);
        let bench = Bench::with(settings);
        let dep = bench.signal(memory);
        bench.plain(&bench.q0, dep);
        let peer = bench.system.add_device(settings).add_queue();
        bench.and(&peer, &[dep], SignalHandle::NULL);
        bench
    };
    let peer = run(SignalMemory::Device, Features::empty());
    peer.broke(Rule::S10);
    assert!(peer.system.violations()[0].what.contains("peer"));
    run(SignalMemory::Device, Features::PEER_DEVICE_WAITS).broke_nothing();
    run(SignalMemory::Host, Features::empty()).broke_nothing();
}

#[test]
fn s10_a_profiler_writes_to_device_cells_too() {
    for memory in [SignalMemory::Device, SignalMemory::Host] {
        let bench = Bench::new();
        let (before, after) = (bench.signal(memory), bench.signal(memory));
        bench.plain(&bench.q0, before);
        bench.device.attach_profiler();
        assert_eq!(bench.device.profiler(), Profiler::Attached);
        bench.plain(&bench.q0, after);
        if memory.is_device() { bench.broke(Rule::S10) } else { bench.broke_nothing() }
    }
}

#[test]
fn s11_nothing_waits_creates_or_flushes_while_an_index_is_reserved() {
    for act in ["wait", "create", "flush", "publish"] {
        let bench = Bench::new();
        let (busy, next) = (bench.host(), bench.host());
        bench.plain(&bench.q0, busy);
        let at = bench.q0.reserve(PacketCount::ONE);
        match act {
            "wait" => bench.done(busy),
            "create" => drop(bench.host()),
            "flush" => bench.device.flush(),
            _ => {}
        }
        bench.q0.commit(at, &kernel(Barrier::Clear, next));
        bench.q0.ring_doorbell(at);
        if act == "publish" { bench.broke_nothing() } else { bench.broke(Rule::S11) }
    }
}

#[test]
fn s11_a_ticket_is_an_index_too() {
    let bench = Bench::new();
    let at = bench.copies.reserve();
    let signal = bench.host();
    bench.broke(Rule::S11);
    bench.copies.submit(at, PartIndex::new(0), CopyWork::default(), signal, &[]).expect("taken");
    bench.host();
    bench.broke(Rule::S11);
}

#[test]
fn s11_a_reserved_index_is_always_published() {
    let run = |publish: bool| {
        let bench = Bench::new();
        let at = bench.q0.reserve(PacketCount::ONE);
        if publish {
            bench.q0.commit(at, &Packet::nothing());
            bench.q0.ring_doorbell(at);
        }
        bench.system.declare(Declaration::Finale { left_over: 0 });
        bench
    };
    run(false).broke(Rule::S11);
    run(true).broke_nothing();
}

#[test]
fn s11_an_index_is_written_once() {
    let bench = Bench::new();
    let of = bench.plain(&bench.q0, SignalHandle::NULL);
    bench.q0.commit(of.packet(), &Packet::nothing());
    bench.broke(Rule::S11);
}

#[test]
fn s13_nothing_is_created_or_destroyed_on_the_callback_thread() {
    for act in ["create", "destroy", "look"] {
        let bench = Bench::new();
        let (signal, spare) = (bench.signal(SignalMemory::Interrupt), bench.host());
        bench.plain(&bench.q0, signal);
        bench.device.watch(signal, HandlerToken::new(1)).expect("it wakes");
        bench.done(signal);
        bench.system.deliver(|_| match act {
            "create" => drop(bench.host()),
            "destroy" => bench.device.destroy(spare),
            _ => drop(bench.device.load(signal)),
        });
        if act == "look" { bench.broke_nothing() } else { bench.broke(Rule::S13) }
    }
}

fn in_a_ring_of(cap: u32, have: u32) -> (Bench, Vec<SignalHandle>) {
    let bench = Bench::new();
    let ring = RingName::new(0);
    bench.system.declare(Declaration::Limits { ring, cap: SignalCount::new(cap) });
    bench.system.declare(Declaration::Submitting(ring));
    let signals = (0..have).map(|_| bench.host()).collect();
    bench.system.declare(Declaration::Submitted);
    (bench, signals)
}

#[test]
fn s14_a_submission_grows_its_ring_before_it_waits() {
    for have in [1, 2] {
        let (bench, signals) = in_a_ring_of(2, have);
        bench.plain(&bench.q0, signals[0]);
        bench.system.declare(Declaration::Submitting(RingName::new(0)));
        bench.done(signals[0]);
        if have == 2 { bench.broke_nothing() } else { bench.broke(Rule::S14) }
    }
}

#[test]
fn s14_a_ring_that_could_not_grow_may_wait() {
    use crate::faults::{CreationFault, Nth};
    let (bench, signals) = in_a_ring_of(2, 1);
    bench.plain(&bench.q0, signals[0]);
    bench.system.declare(Declaration::Submitting(RingName::new(0)));
    bench.system.fail_creation(Nth::NEXT, CreationFault::Fails);
    let mut one = [SignalHandle::NULL];
    assert!(bench.device.create(SignalMemory::Host, &mut one).is_err());
    bench.done(signals[0]);
    bench.broke_nothing();
}

#[test]
fn s14_what_a_synchronize_created_counts_too() {
    let (bench, signals) = in_a_ring_of(2, 1);
    bench.plain(&bench.q0, signals[0]);
    bench.system.declare(Declaration::Synchronizing(RingName::new(0)));
    bench.host();
    bench.system.declare(Declaration::Submitted);
    bench.system.declare(Declaration::Submitting(RingName::new(0)));
    bench.done(signals[0]);
    bench.broke_nothing();
}

#[test]
fn s14_nobody_waits_for_what_was_never_submitted() {
    let bench = Bench::new();
    let signal = bench.host();
    assert_eq!(bench.wait(signal), WaitOutcome::TimedOut);
    bench.broke(Rule::S14);
}

#[test]
fn s15_a_steady_loop_creates_nothing() {
    let bench = Bench::new();
    bench.host();
    bench.system.declare(Declaration::SteadyBegins);
    let signal = bench.host();
    bench.broke(Rule::S15);
    bench.system.declare(Declaration::SteadyEnds);
    bench.host();
    bench.plain(&bench.q0, signal);
    bench.broke(Rule::S15);
}

#[test]
fn s6_a_finished_signal_lies_about_while_its_ring_waits_or_grows() {
    for (arm, act) in [(false, "wait"), (false, "grow"), (true, "wait"), (true, "grow")] {
        let (bench, signals) = in_a_ring_of(2, 2);
        bench.plain(&bench.q0, signals[0]);
        let young = bench.plain(&bench.q1, signals[1]);
        bench.finish(young);
        bench.device.load(signals[1]);
        if arm {
            bench.arm(signals[1]);
        }
        bench.system.declare(Declaration::Submitting(RingName::new(0)));
        match act {
            "wait" => bench.done(signals[0]),
            _ => drop(bench.host()),
        }
        if arm { bench.broke_nothing() } else { bench.broke(Rule::S6) }
    }
}

#[test]
fn s6_a_polling_baseline_is_known_to_hide_what_is_finished() {
    let (bench, signals) = in_a_ring_of(2, 2);
    bench.system.declare(Declaration::Polls(RingName::new(0)));
    bench.plain(&bench.q0, signals[0]);
    let young = bench.plain(&bench.q1, signals[1]);
    bench.finish(young);
    bench.device.load(signals[1]);
    bench.system.declare(Declaration::Submitting(RingName::new(0)));
    bench.done(signals[0]);
    bench.broke_nothing();
}

#[test]
fn s6_a_held_signal_hides_behind_nobody() {
    let (bench, signals) = in_a_ring_of(2, 2);
    bench.plain(&bench.q0, signals[0]);
    let young = bench.plain(&bench.q1, signals[1]);
    bench.system.declare(Declaration::Holds(young));
    bench.finish(young);
    bench.device.load(signals[1]);
    bench.system.declare(Declaration::Submitting(RingName::new(0)));
    bench.done(signals[0]);
    bench.broke_nothing();
}
