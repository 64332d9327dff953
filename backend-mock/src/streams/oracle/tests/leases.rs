//! T1, T3, T6, T9, T11 and T12: who gets which stream, under which name.

use super::*;

#[test]
fn a_stream_goes_from_owner_to_owner_when_its_work_is_done() {
    let mut bench = Bench::leased();
    let op = bench.work(RAW);
    bench.release(1);
    bench.finish(op);
    bench.query(RAW, StreamState::Idle);
    bench.lease(2, RAW, stamp(0, 1));
    bench.say(Declaration::Generation { stream: StreamId::new(0), generation: Generation::new(1) });
    bench.ends_well();
}
#[test]
fn t1_handed_out_twice() {
    let mut bench = Bench::leased();
    bench.lease(2, RAW, stamp(0, 1));
    bench.broke(StreamRule::T1);
}
#[test]
fn t1_handed_out_while_its_last_owner_s_work_runs() {
    let mut bench = Bench::leased();
    bench.work(RAW);
    bench.release(1);
    bench.lease(2, RAW, stamp(0, 1));
    bench.broke(StreamRule::T1);
}
#[test]
fn work_that_waits_for_no_owner_does_not_hold_a_stream() {
    let mut bench = Bench::leased();
    bench.allocate(RAW);
    bench.free(RAW);
    bench.release(1);
    // The user kept the handle: that is past the lease, and the user's own affair.
    bench.raw_work(RAW);
    bench.lease(2, RAW, stamp(0, 1));
    bench.broke_nothing();
}
#[test]
fn a_task_that_ends_gives_its_leases_up() {
    let mut bench = Bench::leased();
    bench.say(Declaration::TaskEnded { task: task(1) });
    bench.lease(2, RAW, stamp(0, 1));
    bench.broke_nothing();
}
#[test]
fn a_task_keeps_its_stream_through_switches() {
    let mut bench = Bench::leased();
    let high = key().with_priority(Priority::High);
    bench.say(Declaration::Switched { task: task(1), key: high, stream: stamp(7, 0) });
    bench.say(Declaration::Switched { task: task(1), key: key(), stream: stamp(0, 0) });
    bench.lease_to(2, 1, RAW, stamp(0, 0));
    bench.say(Declaration::Switched { task: task(1), key: high, stream: stamp(7, 0) });
    bench.ends_well();
}
#[test]
fn t3_a_second_stream_for_one_key() {
    let mut bench = Bench::leased();
    bench.create(OTHER);
    bench.lease_to(2, 1, OTHER, stamp(1, 0));
    bench.broke(StreamRule::T3);
}
#[test]
fn t3_switching_away_and_back_gives_another_stream() {
    for back in [stamp(1, 0), stamp(0, 1)] {
        let mut bench = Bench::leased();
        bench.say(Declaration::Switched { task: task(1), key: key(), stream: back });
        bench.broke(StreamRule::T3);
    }
}
#[test]
fn a_reserved_stream_is_beside_the_task_s_own() {
    let mut bench = Bench::leased();
    bench.say(Declaration::AcquireBegins { task: task(1), key: key() });
    bench.say(Declaration::Reserves { task: task(1) });
    bench.create(OTHER);
    bench.lease_to(2, 1, OTHER, stamp(1, 0));
    bench.say(Declaration::AcquireEnded { task: task(1) });
    bench.release(2);
    bench.destroy(OTHER);
    bench.ends_well();
}
#[test]
fn t6_a_reserved_stream_is_handed_on() {
    let mut bench = Bench::new();
    bench.say(Declaration::AcquireBegins { task: task(1), key: key() });
    bench.say(Declaration::Reserves { task: task(1) });
    bench.create(RAW);
    bench.lease(1, RAW, stamp(0, 0));
    bench.say(Declaration::AcquireEnded { task: task(1) });
    bench.release(1);
    bench.broke_nothing();
    bench.lease(2, RAW, stamp(0, 1));
    bench.broke(StreamRule::T6);
}
#[test]
fn t6_a_hand_over_raises_the_generation_by_one() {
    for generation in [0, 2] {
        let mut bench = Bench::leased();
        bench.release(1);
        bench.lease(2, RAW, stamp(0, generation));
        bench.broke(StreamRule::T6);
    }
}
#[test]
fn t6_a_generation_rises_without_a_hand_over() {
    let mut bench = Bench::leased();
    bench.release(1);
    bench.say(Declaration::Generation { stream: StreamId::new(0), generation: Generation::new(1) });
    bench.broke(StreamRule::T6);
}
#[test]
fn t6_an_identity_comes_back() {
    let mut bench = Bench::leased();
    bench.release(1);
    bench.say(Declaration::TrimBegins);
    bench.destroy(RAW);
    bench.say(Declaration::TrimEnded);
    bench.create(RAW);
    bench.broke_nothing();
    let mut clean = Bench { oracle: bench.oracle.clone(), ..bench };
    bench.lease(2, RAW, stamp(0, 1));
    bench.broke(StreamRule::T6);
    clean.lease(2, RAW, stamp(1, 0));
    clean.broke_nothing();
}
#[test]
fn t9_an_unusable_stream_is_handed_out() {
    type Spoil = fn(&mut Bench);
    let spoils: [Spoil; 8] = [
        |bench| bench.user(Call::Destroy { stream: RAW, outcome: Ok(()) }),
        |bench| bench.query(RAW, StreamState::Failed(bad())),
        |bench| bench.status(RAW, CaptureStatus::Invalidated),
        |bench| bench.say(Declaration::Reset { device: DeviceId::new(0) }),
        |bench| bench.moves(DeviceMove::Forked),
        |bench| bench.moves(DeviceMove::Lost),
        |bench| {
            let (mode, outcome) = (CaptureMode::Relaxed, Ok(()));
            bench.user(Call::BeginCapture { stream: RAW, mode, outcome });
        },
        |bench| bench.say(Declaration::CaptureLeft { raw: RAW, status: CaptureStatus::Active }),
    ];
    for spoil in spoils {
        let mut bench = Bench::leased();
        spoil(&mut bench);
        bench.release(1);
        bench.broke_nothing();
        bench.lease(2, RAW, stamp(0, 1));
        bench.broke(StreamRule::T9);
    }
}
#[test]
fn a_handle_that_came_back_for_a_stream_of_the_user_s_cannot_be_told() {
    let mut bench = Bench::leased();
    bench.user(Call::Destroy { stream: RAW, outcome: Ok(()) });
    bench.release(1);
    bench.user(Call::Create { key: key(), outcome: Ok(RAW) });
    bench.lease(2, RAW, stamp(0, 1));
    bench.broke_nothing();
}
#[test]
fn t9_a_handle_that_came_back_for_a_stream_of_the_library_s_can() {
    let mut bench = Bench::leased();
    bench.user(Call::Destroy { stream: RAW, outcome: Ok(()) });
    bench.release(1);
    bench.create(RAW);
    bench.lease(2, RAW, stamp(0, 1));
    bench.broke(StreamRule::T9);
}
#[test]
fn a_loss_during_an_acquire_is_too_late_for_it() {
    let mut bench = Bench::leased();
    bench.release(1);
    bench.say(Declaration::AcquireBegins { task: task(2), key: key() });
    bench.moves(DeviceMove::Lost);
    bench.lease(2, RAW, stamp(0, 1));
    bench.say(Declaration::AcquireEnded { task: task(2) });
    bench.ends_well();
}
#[test]
fn t11_a_forgotten_lease_keeps_its_stream() {
    let mut bench = Bench::leased();
    bench.say(Declaration::Forgotten { lease: lease(1) });
    bench.broke_nothing();
    let mut other = Bench { oracle: bench.oracle.clone(), ..Bench::new() };
    bench.lease(2, RAW, stamp(0, 1));
    bench.broke(StreamRule::T11);
    other.destroy(RAW);
    other.broke(StreamRule::T11);
}
#[test]
fn t12_the_raw_handle_of_a_pooled_stream_is_that_stream() {
    let got = |id| Some(StreamId::new(id));
    for (raw, answer, legal) in [
        (RAW, got(0), true),
        (RAW, None, false),
        (RAW, got(1), false),
        (RawStream::new(0xee), None, true),
        (RawStream::new(0xee), got(0), false),
    ] {
        let mut bench = Bench::two();
        bench.say(Declaration::Wrapped { raw, got: answer });
        if legal { bench.broke_nothing() } else { bench.broke(StreamRule::T12) }
    }
}
#[test]
fn a_wrapped_stream_of_the_user_s_is_beside_the_task_s_own() {
    let mut bench = Bench::leased();
    bench.user(Call::Create { key: key(), outcome: Ok(OTHER) });
    bench.lease_to(2, 1, OTHER, stamp(1, 0));
    bench.lease_to(3, 2, OTHER, stamp(1, 0));
    bench.say(Declaration::Switched { task: task(1), key: key(), stream: stamp(0, 0) });
    (1..=3).for_each(|name| bench.release(name));
    bench.ends_well();
}
#[test]
fn t12_a_stream_of_the_user_s_is_destroyed() {
    let mut bench = Bench::new();
    bench.user(Call::Create { key: key(), outcome: Ok(RAW) });
    bench.destroy(RAW);
    bench.broke(StreamRule::T12);
}
#[test]
fn t12_a_handle_that_was_seen_to_be_taken_is_destroyed() {
    let mut bench = Bench::leased();
    bench.user(Call::Destroy { stream: RAW, outcome: Ok(()) });
    bench.release(1);
    bench.user(Call::Create { key: key(), outcome: Ok(RAW) });
    bench.broke_nothing();
    let mut unaware = Bench { oracle: bench.oracle.clone(), ..Bench::new() };
    bench.say(Declaration::Condemned { stream: StreamId::new(0), raw: RAW });
    bench.destroy(RAW);
    bench.broke(StreamRule::T12);
    unaware.destroy(RAW);
    unaware.broke_nothing();
}
#[test]
fn t13_the_raw_handle_voids_the_word() {
    let exposed = || {
        let mut bench = Bench::leased();
        bench.say(Declaration::Exposed { lease: lease(1) });
        let op = bench.raw_work(RAW);
        (bench, op)
    };
    let (mut bench, _) = exposed();
    bench.release(1);
    bench.lease(2, RAW, stamp(0, 1));
    bench.broke(StreamRule::T13);
    let (mut bench, op) = exposed();
    bench.release(1);
    bench.finish(op);
    bench.query(RAW, StreamState::Idle);
    bench.lease(2, RAW, stamp(0, 1));
    bench.ends_well();
}
