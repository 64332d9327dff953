//! S1 to S5 and S7: what proves a use, and what does not.

use super::*;

#[test]
fn s1_armed_without_any_evidence_though_the_device_is_done() {
    let lucky = Bench::new();
    let signal = lucky.host();
    let of = lucky.plain(&lucky.q0, signal);
    lucky.finish(of);
    lucky.arm(signal);
    lucky.broke(Rule::S1);

    let legal = Bench::new();
    let signal = legal.host();
    let of = legal.plain(&legal.q0, signal);
    legal.finish(of);
    legal.device.load(signal);
    legal.arm(signal);
    legal.broke_nothing();
}

#[test]
fn s1_a_pending_value_is_no_evidence() {
    let bench = Bench::new();
    let signal = bench.host();
    let of = bench.plain(&bench.q0, signal);
    assert_eq!(bench.device.load(signal), SignalValue::ARMED);
    bench.finish(of);
    bench.arm(signal);
    bench.broke(Rule::S1);
}

#[test]
fn s1_one_signal_on_two_unfinished_packets() {
    let bench = Bench::new();
    let signal = bench.host();
    bench.plain(&bench.q0, signal);
    bench.plain(&bench.q0, signal);
    bench.broke(Rule::S1);
}

#[test]
fn s1_destroyed_in_flight() {
    let bench = Bench::new();
    let signal = bench.host();
    let of = bench.plain(&bench.q0, signal);
    bench.device.destroy(signal);
    bench.broke(Rule::S1);

    let legal = Bench::new();
    let signal = legal.host();
    let other = legal.plain(&legal.q0, signal);
    assert_eq!(of, other);
    assert_eq!(legal.wait(signal), WaitOutcome::Reached(SignalValue::DONE));
    legal.device.destroy(signal);
    legal.broke_nothing();
}

#[test]
fn s2_a_later_use_without_the_barrier_bit_proves_itself_alone() {
    let run = |barrier| {
        let bench = Bench::new();
        let (a, b) = (bench.host(), bench.host());
        let first = bench.plain(&bench.q0, a);
        let second = bench.publish(&bench.q0, kernel(barrier, b));
        bench.finish(first);
        bench.finish(second);
        bench.device.load(b);
        bench.arm(a);
        bench
    };
    run(Barrier::Clear).broke(Rule::S2);
    run(Barrier::Set).broke_nothing();
}

#[test]
fn s2_a_fence_of_another_queue() {
    let bench = Bench::new();
    let (a, b) = (bench.host(), bench.host());
    bench.plain(&bench.q0, a);
    let fence = bench.fence(&bench.q1, b);
    bench.finish(fence);
    bench.device.load(b);
    bench.arm(a);
    bench.broke(Rule::S2);
}

#[test]
fn s2_a_fence_proves_nothing_that_comes_after_it() {
    let bench = Bench::new();
    let (a, b) = (bench.host(), bench.host());
    let fence = bench.fence(&bench.q0, a);
    bench.plain(&bench.q0, b);
    bench.finish(fence);
    bench.device.load(a);
    bench.arm(b);
    bench.broke(Rule::S2);
}

#[test]
fn s2_a_fence_that_only_the_read_index_passed_but_was_loaded_pending() {
    let bench = Bench::new();
    let (a, b) = (bench.host(), bench.host());
    let first = bench.plain(&bench.q0, a);
    let fence = bench.fence(&bench.q0, b);
    bench.device.load(b);
    bench.finish(first);
    bench.finish(fence);
    bench.arm(a);
    bench.broke(Rule::S1);
}

#[test]
fn s3_the_read_index_is_no_evidence() {
    let run = |confirm: bool| {
        let bench = Bench::new();
        let (a, b) = (bench.host(), bench.host());
        let first = bench.plain(&bench.q0, a);
        let fence = bench.fence(&bench.q0, b);
        bench.system.set_read_index(fence.lane(), fence.packet().next()).expect("published");
        assert_eq!(bench.q0.read_index(), PacketId::new(2));
        bench.finish(first);
        bench.finish(fence);
        if confirm {
            bench.device.load(b);
        }
        bench.arm(a);
        bench
    };
    run(false).broke(Rule::S3);
    run(true).broke_nothing();
}

#[test]
fn s4_a_fence_of_another_generation() {
    let run = |restart: bool| {
        let bench = Bench::new();
        let (a, b, c) = (bench.host(), bench.host(), bench.host());
        let first = bench.plain(&bench.q0, a);
        if restart {
            bench.q0.restart();
            bench.plain(&bench.q0, c);
        }
        let fence = bench.fence(&bench.q0, b);
        bench.complete(fence);
        bench.device.load(b);
        assert_eq!(bench.device.load(a) == SignalValue::DONE, !restart, "{first}");
        if restart {
            bench.finish(first);
        }
        bench.arm(a);
        bench
    };
    run(true).broke(Rule::S4);
    run(false).broke_nothing();
}

#[test]
fn s5_a_fence_of_a_compute_queue_proves_no_copy() {
    let run = |wait_for_the_copy: bool| {
        let bench = Bench::new();
        let (copied, done) = (bench.host(), bench.host());
        let copy = bench.copy(1, copied, &[]);
        if wait_for_the_copy {
            bench.and(&bench.q0, &[copied], SignalHandle::NULL);
        }
        let fence = bench.fence(&bench.q0, done);
        bench.complete(copy);
        bench.complete(fence);
        bench.device.load(done);
        bench.arm(copied);
        bench
    };
    run(false).broke(Rule::S5);
    run(true).broke_nothing();
}

#[test]
fn s7_a_signal_below_0_is_never_armed_again() {
    let bench = Bench::new();
    let signal = bench.host();
    let of = bench.plain(&bench.q0, signal);
    bench.finish(of);
    bench.system.late_decrement(signal);
    assert_eq!(bench.device.load(signal), SignalValue::new(-1));
    bench.broke_nothing();
    bench.arm(signal);
    bench.broke(Rule::S7);
}

#[test]
fn s7_a_quarantined_signal_may_be_destroyed() {
    let bench = Bench::new();
    let signal = bench.host();
    let of = bench.plain(&bench.q0, signal);
    bench.finish(of);
    bench.system.late_decrement(signal);
    bench.device.load(signal);
    bench.device.destroy(signal);
    bench.broke_nothing();
}

#[test]
fn s7_a_signal_below_0_is_caught_though_a_fence_proves_its_use() {
    let bench = Bench::new();
    let (a, b) = (bench.host(), bench.host());
    bench.plain(&bench.q0, a);
    let fence = bench.fence(&bench.q0, b);
    bench.complete(fence);
    bench.device.load(b);
    bench.system.late_decrement(a);
    bench.arm(a);
    bench.broke(Rule::S7);
}

#[test]
fn s7_a_fence_below_0_proves_nothing() {
    let bench = Bench::new();
    let (a, b) = (bench.host(), bench.host());
    bench.plain(&bench.q0, a);
    let fence = bench.fence(&bench.q0, b);
    bench.complete(fence);
    bench.system.late_decrement(b);
    bench.device.load(b);
    bench.arm(a);
    bench.broke(Rule::S7);
}
