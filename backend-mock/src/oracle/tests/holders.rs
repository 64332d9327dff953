//! S8, S9, S12, S16 and S18: who still needs a signal whose value says that it is done.

use super::*;
use crate::stamps::Stamping;

#[test]
fn s8_a_submission_that_failed_half_way_is_not_reset_before_its_issued_parts_are_over() {
    let run = |wait: bool| {
        let bench = Bench::new();
        let signal = bench.host();
        bench.system.refuse_part(PartIndex::new(2));
        let of = bench.copy(3, signal, &[]);
        if wait {
            let limit = std::time::Duration::from_secs(1);
            let outcome = bench.device.wait(signal, SignalValue::new(2), WaitHint::Active, limit);
            assert_eq!(outcome, WaitOutcome::Reached(SignalValue::new(1)), "{of}");
        }
        bench.arm(signal);
        bench
    };
    run(false).broke(Rule::S8);
    run(true).broke_nothing();
}

#[test]
fn s8_a_submission_whose_first_part_is_refused_leaves_its_signal_armed() {
    let bench = Bench::new();
    let signal = bench.host();
    bench.system.refuse_part(PartIndex::new(0));
    bench.copy(1, signal, &[]);
    bench.arm(signal);
    bench.plain(&bench.q0, signal);
    bench.broke_nothing();
}

#[test]
fn s8_more_parts_than_the_signal_is_armed_for() {
    let bench = Bench::new();
    let signal = bench.host();
    let at = bench.copies.reserve();
    for part in 0..2 {
        let part = PartIndex::new(part);
        bench.copies.submit(at, part, CopyWork::default(), signal, &[]).expect("taken");
    }
    bench.broke(Rule::S8);
}

#[test]
fn s9_a_dependency_stays_until_its_consumer_is_known_to_be_complete() {
    #[derive(PartialEq, Clone, Copy)]
    enum Until {
        ItsOwnValue,
        TheReadIndex,
        TheConsumer,
    }
    let run = |until: Until| {
        let bench = Bench::new();
        let (dep, done) = (bench.host(), bench.host());
        let producer = bench.plain(&bench.q1, dep);
        let consumer = bench.and(&bench.q0, &[dep], done);
        bench.finish(producer);
        bench.device.load(dep);
        if until == Until::TheReadIndex {
            bench
                .system
                .set_read_index(consumer.lane(), consumer.packet().next())
                .expect("published");
            bench.q0.read_index();
        }
        if until == Until::TheConsumer {
            bench.finish(consumer);
            bench.device.load(done);
        }
        bench.arm(dep);
        bench
    };
    run(Until::ItsOwnValue).broke(Rule::S9);
    run(Until::TheReadIndex).broke(Rule::S9);
    run(Until::TheConsumer).broke_nothing();
}

#[test]
fn s9_a_complete_consumer_that_the_host_does_not_know_of() {
    let bench = Bench::new();
    let dep = bench.host();
    bench.plain(&bench.q1, dep);
    let consumer = bench.and(&bench.q0, &[dep], SignalHandle::NULL);
    bench.complete(consumer);
    bench.device.load(dep);
    bench.arm(dep);
    bench.broke(Rule::S9);
}

#[test]
fn s9_copies_are_consumers_too() {
    let bench = Bench::new();
    let (dep, copied) = (bench.host(), bench.host());
    bench.plain(&bench.q0, dep);
    bench.copy(1, copied, &[dep]);
    bench.done(dep);
    bench.arm(dep);
    bench.broke(Rule::S9);
}

#[test]
fn s1_a_handler_holds_its_signal() {
    let run = |deliver: bool| {
        let bench = Bench::new();
        let signal = bench.signal(SignalMemory::Interrupt);
        bench.plain(&bench.q0, signal);
        bench.device.watch(signal, HandlerToken::new(7)).expect("it wakes");
        bench.done(signal);
        if deliver {
            assert_eq!(bench.system.deliver(|token| assert_eq!(token.as_u64(), 7)), 1);
        }
        bench.arm(signal);
        bench
    };
    run(false).broke(Rule::S1);
    run(true).broke_nothing();
}

#[test]
fn s1_whoever_else_holds_it() {
    let run = |let_go: bool| {
        let bench = Bench::new();
        let signal = bench.host();
        let of = bench.plain(&bench.q0, signal);
        bench.system.declare(Declaration::Holds(of));
        bench.done(signal);
        if let_go {
            bench.system.declare(Declaration::LetsGo(of));
        }
        bench.arm(signal);
        bench
    };
    run(false).broke(Rule::S1);
    run(true).broke_nothing();
}

#[test]
fn s12_a_waiter_means_the_use_that_it_took_a_snapshot_of() {
    let run = |again: bool| {
        let bench = Bench::new();
        let signal = bench.host();
        let of = bench.plain(&bench.q0, signal);
        if again {
            bench.done(signal);
            bench.arm(signal);
            bench.plain(&bench.q0, signal);
        }
        bench.system.declare(Declaration::ExpectWait { signal, of });
        bench.and(&bench.q1, &[signal], SignalHandle::NULL);
        bench
    };
    run(true).broke(Rule::S12);
    run(false).broke_nothing();
}

#[test]
fn s12_nobody_waits_for_a_signal_without_a_use() {
    let bench = Bench::new();
    let signal = bench.host();
    bench.and(&bench.q1, &[signal], SignalHandle::NULL);
    bench.broke(Rule::S12);
}

#[test]
fn s12_an_ipc_cell_is_not_recorded_again_before_its_recording_is_known() {
    let run = |wait: bool| {
        let bench = Bench::new();
        let signal = bench.signal(SignalMemory::Shared);
        bench.plain(&bench.q0, signal);
        if wait {
            bench.done(signal);
        }
        bench.arm(signal);
        bench
    };
    run(false).broke(Rule::S12);
    run(true).broke_nothing();
}

#[test]
fn s16_timing_is_taken_before_the_signal_is_armed_again() {
    let run = |order: [&str; 2]| {
        let bench = Bench::new();
        let signal = bench.host();
        let of = bench.plain(&bench.q0, signal);
        bench.system.declare(Declaration::WantsTiming(of));
        bench.done(signal);
        for call in order {
            match call {
                "arm" => bench.arm(signal),
                _ => drop(bench.device.timestamps(signal, Engine::Compute)),
            }
        }
        bench
    };
    run(["timestamps", "arm"]).broke_nothing();
    assert_eq!(run(["arm", "timestamps"]).rules(), [Rule::S16; 2]);
}

#[test]
fn s16_an_interval_is_what_the_device_wrote_and_in_order() {
    use ringfence::timing::Interval;
    let timed = |how: Stamping| {
        let bench = Bench::new();
        let signal = bench.host();
        let at = bench.plain(&bench.q0, signal);
        bench.system.declare(Declaration::WantsTiming(at));
        bench.system.stamp_next([how]);
        bench.done(signal);
        let raw = bench.device.timestamps(signal, Engine::Compute);
        let interval = Interval::new(raw, bench.device.tick_rate());
        bench.system.declare(Declaration::ClaimsInterval { of: at, interval });
        (bench, at, interval)
    };
    for how in Stamping::ALL {
        let (bench, _, interval) = timed(how);
        bench.broke_nothing();
        assert_eq!(interval.is_some(), how == Stamping::Honest, "{how:?}");
    }
    let (_, _, other) = timed(Stamping::Honest);
    let (bench, of, _) = timed(Stamping::Zero);
    bench.system.declare(Declaration::ClaimsInterval { of, interval: other });
    bench.broke(Rule::S16);
}

#[test]
fn s18_a_forced_completion_proves_nothing_until_the_late_decrement_is_seen() {
    let run = |see_it: bool| {
        let bench = Bench::new();
        let signal = bench.host();
        let of = bench.plain(&bench.q0, signal);
        bench.device.force(signal);
        assert_eq!(bench.device.load(signal), SignalValue::DONE);
        bench.finish(of);
        if see_it {
            assert_eq!(bench.device.load(signal), SignalValue::new(-1));
        }
        bench.arm(signal);
        bench
    };
    run(false).broke(Rule::S18);
    // The value below 0 is the proof here, and the signal may be armed from there.
    run(true).broke_nothing();
}

#[test]
fn s18_one_late_decrement_of_a_copy_in_parts_proves_nothing_of_the_others() {
    let bench = Bench::new();
    let signal = bench.host();
    let of = bench.copy(2, signal, &[]);
    bench.device.force(signal);
    bench.system.finish_part(of, PartIndex::new(1)).expect("issued");
    assert_eq!(bench.device.load(signal), SignalValue::new(-1));
    bench.arm(signal);
    bench.broke(Rule::S18);
}

#[test]
fn s18_a_forced_fence_proves_nothing_of_others() {
    let bench = Bench::new();
    let (a, b) = (bench.host(), bench.host());
    bench.plain(&bench.q0, a);
    bench.fence(&bench.q0, b);
    bench.device.force(b);
    bench.device.load(b);
    bench.arm(a);
    bench.broke(Rule::S18);
}

#[test]
fn s18_a_consumer_of_a_forced_signal_proves_nothing_of_its_use() {
    let bench = Bench::new();
    let (dep, done) = (bench.host(), bench.host());
    let of = bench.plain(&bench.q1, dep);
    let consumer = bench.and(&bench.q0, &[dep], done);
    bench.device.force(dep);
    bench.finish(consumer);
    bench.device.load(done);
    let recording = Recording::Latest;
    bench.system.declare(Declaration::ClaimsFinished { of, recording });
    bench.broke(Rule::S18);
}
