//! S17, S19, S20, S21, and answers that are wrong.

use super::*;

fn finished(of: UseId) -> Declaration {
    Declaration::ClaimsFinished { of, recording: Recording::Latest }
}

#[test]
fn an_answer_must_be_known() {
    let bench = Bench::new();
    let signal = bench.host();
    let of = bench.plain(&bench.q0, signal);
    bench.done(signal);
    bench.system.declare(finished(of));
    bench.broke_nothing();
    let next = bench.plain(&bench.q0, SignalHandle::NULL);
    bench.system.declare(finished(next));
    bench.broke(Rule::S1);
}

#[test]
fn s3_an_answer_from_the_read_index() {
    let bench = Bench::new();
    let of = bench.plain(&bench.q0, bench.host());
    bench.system.set_read_index(of.lane(), of.packet().next()).expect("published");
    bench.q0.read_index();
    bench.system.declare(finished(of));
    bench.broke(Rule::S3);
}

#[test]
fn s7_an_answer_from_a_value_below_0() {
    let bench = Bench::new();
    let signal = bench.host();
    let of = bench.plain(&bench.q0, signal);
    bench.finish(of);
    bench.system.late_decrement(signal);
    bench.device.load(signal);
    bench.system.declare(finished(of));
    bench.broke(Rule::S7);
}

#[test]
fn s12_an_old_waiter_gets_the_answer_of_a_new_recording() {
    let bench = Bench::new();
    let (a, b) = (bench.host(), bench.host());
    let old = bench.plain(&bench.q0, a);
    let new = bench.plain(&bench.q1, b);
    bench.finish(new);
    bench.device.load(b);
    bench.system.declare(finished(new));
    bench.broke_nothing();
    let recording = Recording::Overwritten;
    bench.system.declare(Declaration::ClaimsFinished { of: old, recording });
    bench.broke(Rule::S12);
}

#[test]
fn s12_finished_once_is_finished_for_ever() {
    let bench = Bench::new();
    let signal = bench.host();
    let of = bench.plain(&bench.q0, signal);
    bench.system.declare(Declaration::ClaimsPending(of));
    bench.done(signal);
    bench.system.declare(finished(of));
    bench.broke_nothing();
    bench.system.declare(Declaration::ClaimsPending(of));
    bench.broke(Rule::S12);
}

#[test]
fn s17_a_lost_device_proves_nothing() {
    for act in ["claim", "arm", "wait"] {
        let bench = Bench::new();
        let signal = bench.host();
        let of = bench.plain(&bench.q0, signal);
        bench.device.lose();
        assert_eq!(bench.device.status(), DeviceStatus::Lost);
        assert_eq!(bench.wait(signal), WaitOutcome::Lost);
        bench.broke_nothing();
        match act {
            "claim" => bench.system.declare(finished(of)),
            "arm" => bench.arm(signal),
            _ => (0..3).for_each(|_| assert_eq!(bench.wait(signal), WaitOutcome::Lost)),
        }
        bench.broke(Rule::S17);
    }
}

#[test]
fn what_was_known_before_a_loss_stays_known() {
    let bench = Bench::new();
    let signal = bench.host();
    let of = bench.plain(&bench.q0, signal);
    bench.done(signal);
    bench.device.lose();
    bench.system.declare(finished(of));
    bench.arm(signal);
    bench.broke_nothing();
}

#[test]
fn s18_an_answer_from_a_forced_completion() {
    let bench = Bench::new();
    let signal = bench.host();
    let of = bench.plain(&bench.q0, signal);
    bench.device.force(signal);
    bench.system.declare(finished(of));
    bench.broke(Rule::S18);
}

#[test]
fn s19_a_proven_use_is_answered_without_a_load() {
    let bench = Bench::new();
    let signal = bench.host();
    let of = bench.plain(&bench.q0, signal);
    bench.finish(of);
    for (query, loads) in [0, 0, 1].into_iter().enumerate() {
        bench.system.declare(Declaration::QueryBegins(of));
        if query == 0 || loads > 0 {
            bench.device.load(signal);
        }
        bench.system.declare(Declaration::QueryEnds);
        if query < 2 {
            bench.broke_nothing();
        }
        bench.system.declare(finished(of));
    }
    bench.broke(Rule::S19);
}

#[test]
fn s19_a_synchronize_that_need_not_block_costs_one_load() {
    for (done, loads, legal) in [(true, 1, true), (true, 2, false), (false, 2, true)] {
        let bench = Bench::new();
        let signal = bench.host();
        let of = bench.plain(&bench.q0, signal);
        if done {
            bench.finish(of);
        }
        bench.system.declare(Declaration::SyncBegins);
        for _ in 1..loads {
            bench.device.load(signal);
        }
        bench.done(signal);
        bench.system.declare(Declaration::SyncEnds);
        if legal { bench.broke_nothing() } else { bench.broke(Rule::S19) }
    }
}

#[test]
fn s20_nothing_is_left_in_flight_at_the_end() {
    for left_over in [0, 3] {
        let bench = Bench::new();
        bench.system.declare(Declaration::Finale { left_over });
        if left_over == 0 { bench.broke_nothing() } else { bench.broke(Rule::S20) }
    }
}

#[test]
fn s21_data_needs_a_system_scope_release_at_or_after_the_work() {
    let run = |scopes: [(CacheScope, Barrier); 2]| {
        let bench = Bench::new();
        let signals = [bench.host(), bench.host()];
        let uses: Vec<_> = scopes
            .into_iter()
            .zip(signals)
            .map(|((release, barrier), completes)| {
                bench.publish(&bench.q0, Packet { release, ..kernel(barrier, completes) })
            })
            .collect();
        for signal in signals {
            bench.done(signal);
        }
        bench.system.declare(Declaration::ClaimsData(uses[0]));
        bench
    };
    use Barrier::{Clear, Set};
    use CacheScope::{Agent, System};
    run([(System, Clear), (Agent, Clear)]).broke_nothing();
    run([(Agent, Clear), (System, Set)]).broke_nothing();
    run([(Agent, Clear), (Agent, Set)]).broke(Rule::S21);
    // It may have been written back before the work before it was over.
    run([(Agent, Clear), (System, Clear)]).broke(Rule::S21);
}

#[test]
fn s21_the_end_of_a_copy_is_the_end_of_its_writes() {
    let bench = Bench::new();
    let signal = bench.host();
    let of = bench.copy(2, signal, &[]);
    bench.done(signal);
    bench.system.declare(Declaration::ClaimsData(of));
    bench.broke_nothing();
}
