//! T2: what is idle is kept and used.

use super::*;

fn acquire(bench: &mut Bench, name: u32, raw: RawStream, of: StreamRef) {
    bench.say(Declaration::AcquireBegins { task: task(name), key: key() });
    if of.generation() == Generation::FIRST {
        bench.create_with_word(raw, RawProgress::new(raw.as_u64()));
    }
    bench.lease(name, raw, of);
    bench.say(Declaration::AcquireEnded { task: task(name) });
}

#[test]
fn t2_an_idle_stream_within_the_cap_is_destroyed() {
    let mut bench = Bench::leased();
    bench.release(1);
    bench.destroy(RAW);
    bench.broke(StreamRule::T2);
}
#[test]
fn t2_an_idle_stream_within_the_cap_is_said_to_be_unusable() {
    let mut bench = Bench::leased();
    bench.release(1);
    bench.say(Declaration::Condemned { stream: StreamId::new(0), raw: RAW });
    bench.broke(StreamRule::T2);
}
#[test]
fn t9_a_refusal_says_nothing_of_the_stream() {
    let mut bench = Bench::leased();
    bench.release(1);
    bench.query(RAW, StreamState::Unknown);
    bench.say(Declaration::Condemned { stream: StreamId::new(0), raw: RAW });
    bench.broke(StreamRule::T9);
}
#[test]
fn what_is_let_go_of_with_a_reason() {
    type Reason = fn(&mut Bench);
    let reasons: [Reason; 5] = [
        |bench| bench.say(Declaration::TrimBegins),
        |bench| bench.query(RAW, StreamState::Failed(bad())),
        |bench| bench.say(Declaration::Reset { device: DeviceId::new(0) }),
        |bench| bench.moves(DeviceMove::Lost),
        |bench| {
            bench.say(Declaration::TrimBegins);
            bench.say(Declaration::TrimEnded);
        },
    ];
    for reason in reasons {
        let mut bench = Bench::leased();
        bench.release(1);
        reason(&mut bench);
        bench.say(Declaration::Condemned { stream: StreamId::new(0), raw: RAW });
        bench.destroy(RAW);
        bench.broke_nothing();
    }
}
#[test]
fn the_cap_counts_idle_streams() {
    for (idle, legal) in [(2_u32, false), (3, true)] {
        let mut bench = Bench::new();
        for name in 1..=10 {
            let raw = RawStream::new(u64::from(name));
            acquire(&mut bench, name, raw, stamp(name, 0));
        }
        (1..=idle).for_each(|name| bench.release(name));
        bench.destroy(RawStream::new(1));
        if legal { bench.broke_nothing() } else { bench.broke(StreamRule::T2) }
    }
}
#[test]
fn a_surplus_may_be_destroyed_when_the_crowd_is_gone() {
    let mut bench = Bench::new();
    for name in 1..=3 {
        acquire(&mut bench, name, RawStream::new(u64::from(name)), stamp(name, 0));
    }
    (1..=3).for_each(|name| bench.release(name));
    bench.lease(4, RawStream::new(2), stamp(2, 1));
    bench.destroy(RawStream::new(1));
    bench.broke_nothing();
}
#[test]
fn t2_a_stream_is_created_although_one_is_idle() {
    let mut bench = Bench::new();
    acquire(&mut bench, 1, RAW, stamp(0, 0));
    bench.release(1);
    let mut other = Bench { oracle: bench.oracle.clone(), ..Bench::new() };
    acquire(&mut bench, 2, OTHER, stamp(1, 0));
    bench.broke(StreamRule::T2);
    acquire(&mut other, 2, RAW, stamp(0, 1));
    other.broke_nothing();
}
#[test]
fn creation_beside_other_threads_or_much_left_over_work_is_not_judged() {
    type Excuse = fn(&mut Bench);
    let excuses: [Excuse; 3] = [
        |bench| bench.say(Declaration::AtOnce),
        |bench| {
            let said = Box::new(Declaration::DropBegins);
            bench.say(Declaration::On { thread: SECOND, said });
        },
        |bench| {
            for name in 10..15 {
                let raw = RawStream::new(u64::from(name));
                acquire(bench, name, raw, stamp(name, 0));
                bench.work(raw);
            }
            (10..15).for_each(|name| bench.release(name));
        },
    ];
    for excuse in excuses {
        let mut bench = Bench::new();
        acquire(&mut bench, 1, RAW, stamp(0, 0));
        excuse(&mut bench);
        bench.release(1);
        acquire(&mut bench, 2, OTHER, stamp(1, 0));
        bench.broke_nothing();
    }
}
#[test]
fn an_idle_stream_of_another_key_makes_room_at_a_hard_cap() {
    let mut bench = Bench::leased();
    bench.release(1);
    let high = key().with_priority(Priority::High);
    bench.say(Declaration::AcquireBegins { task: task(2), key: high });
    bench.destroy(RAW);
    bench.broke_nothing();
}
#[test]
fn t2_counts_a_stream_whose_word_has_passed_its_work() {
    for (marked, legal) in [(true, false), (false, true)] {
        let mut bench = Bench::new();
        acquire(&mut bench, 1, RAW, stamp(0, 0));
        let mut ops = vec![bench.work(RAW)];
        if marked {
            ops.push(bench.mark(RAW, RawProgress::new(RAW.as_u64()), 1));
        }
        bench.release(1);
        ops.into_iter().for_each(|op| bench.finish(op));
        acquire(&mut bench, 2, OTHER, stamp(1, 0));
        if legal { bench.broke_nothing() } else { bench.broke(StreamRule::T2) }
    }
}
#[test]
fn t2_counts_a_stream_that_the_driver_said_is_idle() {
    for (state, legal) in [(StreamState::Idle, false), (StreamState::Unknown, true)] {
        let mut bench = Bench::new();
        acquire(&mut bench, 1, RAW, stamp(0, 0));
        bench.say(Declaration::Exposed { lease: lease(1) });
        bench.release(1);
        bench.say(Declaration::AcquireBegins { task: task(2), key: key() });
        bench.query(RAW, state);
        bench.create(OTHER);
        bench.lease(2, OTHER, stamp(1, 0));
        if legal { bench.broke_nothing() } else { bench.broke(StreamRule::T2) }
    }
}
#[test]
fn creation_is_right_when_nothing_can_be_known_to_be_idle() {
    type Spoil = fn(&mut Bench);
    let spoils: [Spoil; 4] = [
        |bench| bench.say(Declaration::Exposed { lease: lease(1) }),
        |bench| {
            bench.work(RAW);
        },
        |bench| {
            bench.allocate(RAW);
            bench.free(RAW);
        },
        |bench| {
            bench.begin_capture(RAW);
            bench.end_capture(RAW, &[]);
        },
    ];
    for spoil in spoils {
        let mut bench = Bench::new();
        acquire(&mut bench, 1, RAW, stamp(0, 0));
        spoil(&mut bench);
        bench.release(1);
        acquire(&mut bench, 2, OTHER, stamp(1, 0));
        bench.broke_nothing();
    }
}
#[test]
fn a_policy_without_a_cap_may_do_as_it_likes() {
    let mut bench = Bench::without_cap();
    acquire(&mut bench, 1, RAW, stamp(0, 0));
    bench.release(1);
    acquire(&mut bench, 2, OTHER, stamp(1, 0));
    bench.destroy(RAW);
    bench.ends_well();
}
