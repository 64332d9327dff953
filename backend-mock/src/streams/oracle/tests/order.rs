//! T6: work is waited for when it is not finished, and not when it is somebody else's.

use super::*;

fn host_wait(position: u64) -> Call {
    let position = Position::new(position);
    Call::WaitProgress { word: WORD, position, outcome: StreamWait::Finished }
}

#[test]
fn t6_work_on_another_stream_is_not_waited_for() {
    for (before, after, legal) in [
        (writes(MEMORY), reads(MEMORY), false),
        (reads(MEMORY), writes(MEMORY), false),
        (writes(MEMORY), writes(MEMORY), false),
        (reads(MEMORY), reads(MEMORY), true),
    ] {
        let mut bench = Bench::two();
        bench.launch(RAW, before);
        bench.launch(OTHER, after);
        if legal { bench.broke_nothing() } else { bench.broke(StreamRule::T6) }
    }
}
#[test]
fn a_stream_is_in_order_and_finished_work_is_no_matter() {
    let mut bench = Bench::two();
    let first = bench.launch(RAW, writes(MEMORY));
    let second = bench.launch(RAW, writes(MEMORY));
    bench.finish(first);
    bench.finish(second);
    bench.launch(OTHER, writes(MEMORY));
    bench.broke_nothing();
}
#[test]
fn a_device_side_wait_orders_all_that_came_before() {
    let third = RawStream::new(0x30);
    let mut bench = Bench::two();
    bench.create(third);
    bench.lease(3, third, stamp(2, 0));
    let early = bench.launch(RAW, writes(MEMORY));
    let last = bench.work(RAW);
    bench.record(EVENT, RAW);
    let late = bench.launch(RAW, writes(RawMemory::new(0xb0)));
    bench.wait(OTHER, EVENT, &[early, last]);
    bench.record(EVENT, OTHER);
    bench.wait(third, EVENT, &[]);
    bench.launch(third, reads(MEMORY));
    bench.broke_nothing();
    bench.launch(third, reads(RawMemory::new(0xb0)));
    bench.broke(StreamRule::T6);
    bench.finish(late);
}
#[test]
fn t6_an_event_of_an_earlier_owner() {
    let state = StreamState::Idle;
    let (event, invalidated) = (EVENT, vec![]);
    let asks = [
        Call::QueryEvent { event, outcome: state, invalidated: invalidated.clone() },
        Call::SynchronizeEvent { event, outcome: StreamWait::Finished, invalidated },
        Call::Wait { stream: OTHER, event, after: vec![], outcome: Ok(()) },
    ];
    for ask in asks {
        let locks = u32::from(matches!(ask, Call::Wait { .. }));
        for (handed_on, legal) in [(false, true), (true, false)] {
            let mut bench = Bench::two();
            bench.record(EVENT, RAW);
            bench.release(1);
            if handed_on {
                bench.lease(3, RAW, stamp(0, 1));
            }
            bench.relaxed(|bench| bench.with_locks(locks, locks, ask.clone()));
            if legal { bench.broke_nothing() } else { bench.broke(StreamRule::T6) }
        }
    }
}
#[test]
fn a_closed_stream_leaves_an_event_to_wait_for() {
    let mut bench = Bench::two();
    bench.record(EVENT, RAW);
    bench.user(Call::Destroy { stream: RAW, outcome: Ok(()) });
    bench.release(1);
    bench.say(Declaration::Condemned { stream: StreamId::new(0), raw: RAW });
    bench.wait(OTHER, EVENT, &[]);
    bench.ends_well();
}
#[test]
fn t6_a_position_of_an_earlier_owner() {
    for (position, legal) in [(2, true), (1, false)] {
        let mut bench = Bench::new();
        bench.create_with_word(RAW, WORD);
        bench.lease(1, RAW, stamp(0, 0));
        bench.mark(RAW, WORD, 1);
        bench.release(1);
        bench.lease(2, RAW, stamp(0, 1));
        bench.mark(RAW, WORD, 2);
        bench.bare(host_wait(position));
        if legal { bench.broke_nothing() } else { bench.broke(StreamRule::T6) }
    }
}
#[test]
fn t6_a_stamp_that_is_over_is_waited_for() {
    for (after, legal) in [(stamp(0, 1), true), (stamp(0, 0), false)] {
        let mut bench = Bench::two();
        bench.release(1);
        bench.lease(3, RAW, stamp(0, 1));
        bench.say(Declaration::WaitBegins { after });
        bench.record(EVENT, RAW);
        if legal {
            bench.broke_nothing()
        } else {
            bench.broke(StreamRule::T6)
        }
        bench.say(Declaration::WaitEnded);
        bench.record(EVENT, RAW);
        if legal { bench.broke_nothing() } else { bench.broke(StreamRule::T6) }
    }
}
