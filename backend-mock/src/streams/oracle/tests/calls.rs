//! T4, T5, T8 and T10: how the driver is called, and when.

use super::*;

fn creation() -> Call {
    Call::Create { key: key(), outcome: Ok(OTHER) }
}
fn destruction(stream: RawStream) -> Call {
    Call::Destroy { stream, outcome: Ok(()) }
}
fn query() -> Call {
    Call::Query { stream: RAW, outcome: StreamState::Idle, invalidated: vec![] }
}
fn event_query(invalidated: Vec<RawStream>) -> Call {
    Call::QueryEvent { event: EVENT, outcome: StreamState::Idle, invalidated }
}
fn host_wait() -> Call {
    Call::SynchronizeEvent { event: EVENT, outcome: StreamWait::Finished, invalidated: vec![] }
}
fn free() -> Call {
    Call::Free { memory: MEMORY, stream: RAW, op: None, recorded: false, outcome: Ok(()) }
}

#[test]
fn t4_created_or_destroyed_under_a_lock() {
    for call in [creation(), destruction(RAW)] {
        for (locks, legal) in [(0, true), (1, false)] {
            let mut bench = Bench::leased();
            bench.release(1);
            bench.say(Declaration::TrimBegins);
            bench.relaxed(|bench| bench.with_locks(locks, 0, call.clone()));
            if legal { bench.broke_nothing() } else { bench.broke(StreamRule::T4) }
        }
    }
}
#[test]
fn t5_an_act_on_a_pooled_stream_needs_its_lock_and_no_other() {
    let (captured, outcome) = (false, Ok(()));
    let op = Some(OpId::new(9));
    let acts = [
        Call::Record { event: EVENT, stream: RAW, captured, outcome },
        Call::Wait { stream: OTHER, event: EVENT, after: vec![], outcome },
        Call::BeginCapture { stream: RAW, mode: CaptureMode::Relaxed, outcome },
        Call::EndCapture { stream: RAW, outcome: Err(bad()), ops: vec![] },
        Call::Mark { stream: RAW, word: WORD, position: Position::new(1), op, captured, outcome },
        free(),
    ];
    for act in acts {
        for (locks, of_streams, legal) in
            [(1, 1, true), (0, 0, false), (2, 2, false), (2, 1, false)]
        {
            let mut bench = Bench::two();
            bench.record(EVENT, RAW);
            bench.relaxed(|bench| bench.with_locks(locks, of_streams, act.clone()));
            if legal { bench.broke_nothing() } else { bench.broke(StreamRule::T5) }
        }
    }
}
#[test]
fn a_disposal_stream_and_a_launch_need_no_lock() {
    let mut bench = Bench::leased();
    bench.create(DISPOSAL);
    bench.work(RAW);
    let (event, stream, outcome) = (EVENT, DISPOSAL, Ok(()));
    bench.bare(Call::Record { event, stream, captured: false, outcome });
    bench.bare(Call::Wait { stream: RAW, event, after: vec![], outcome });
    bench.ends_well();
}
#[test]
fn t5_a_lock_is_held_during_a_host_wait() {
    let (word, position, outcome) = (WORD, Position::new(1), StreamWait::Finished);
    for call in [host_wait(), Call::WaitProgress { word, position, outcome }] {
        for (locks, legal) in [(0, true), (1, false)] {
            let mut bench = Bench::leased();
            bench.record(EVENT, RAW);
            bench.relaxed(|bench| bench.with_locks(locks, locks, call.clone()));
            if legal { bench.broke_nothing() } else { bench.broke(StreamRule::T5) }
        }
    }
}
#[test]
fn t5_the_host_waits_for_an_event_of_a_stream_that_captures() {
    let mut bench = Bench::leased();
    bench.record(EVENT, RAW);
    bench.begin_capture(RAW);
    bench.relaxed(|bench| bench.bare(host_wait()));
    bench.broke(StreamRule::T5);
}

#[test]
fn t8_a_call_on_the_library_s_behalf_outside_relaxed_mode() {
    let allocation = Call::Allocate { bytes: Bytes::new(1), stream: RAW, outcome: Ok(MEMORY) };
    let calls = [query(), event_query(vec![]), host_wait(), free(), destruction(RAW), allocation];
    for call in calls {
        let locks = u32::from(matches!(call, Call::Free { .. }));
        for (guarded, legal) in [(true, true), (false, false)] {
            let mut bench = Bench::leased();
            bench.status(RAW, CaptureStatus::None);
            if matches!(call, Call::Destroy { .. }) {
                bench.release(1);
                bench.say(Declaration::TrimBegins);
            }
            let act = |bench: &mut Bench| bench.with_locks(locks, locks, call.clone());
            if guarded {
                bench.relaxed(act)
            } else {
                act(&mut bench)
            }
            if legal { bench.broke_nothing() } else { bench.broke(StreamRule::T8) }
        }
    }
}
#[test]
fn t8_a_query_without_a_look_at_the_status() {
    type Look = fn(&mut Bench);
    let looks: [(Look, bool); 6] = [
        (|bench| bench.status(RAW, CaptureStatus::None), true),
        (|_| {}, false),
        (|bench| bench.status(OTHER, CaptureStatus::None), false),
        (|bench| bench.status(RAW, CaptureStatus::Active), false),
        (
            |bench| {
                bench.at.thread = SECOND;
                bench.status(RAW, CaptureStatus::None);
                bench.at.thread = MAIN;
            },
            false,
        ),
        (
            |bench| {
                bench.status(RAW, CaptureStatus::None);
                bench.begin_capture(RAW);
            },
            false,
        ),
    ];
    for (look, legal) in looks {
        let mut bench = Bench::leased();
        look(&mut bench);
        bench.relaxed(|bench| bench.bare(query()));
        if legal { bench.broke_nothing() } else { bench.broke(StreamRule::T8) }
    }
}
#[test]
fn t8_a_call_breaks_somebody_s_capture() {
    let mut bench = Bench::leased();
    bench.begin_capture(RAW);
    let mut by_user = Bench { oracle: bench.oracle.clone(), ..Bench::new() };
    bench.relaxed(|bench| bench.bare(event_query(vec![RAW])));
    bench.broke(StreamRule::T8);
    by_user.user(event_query(vec![RAW]));
    by_user.ends_well();
}
#[test]
fn t8_a_thread_is_left_in_another_mode() {
    let closings =
        [Declaration::AcquireEnded { task: task(1) }, Declaration::DropEnded, Declaration::End];
    for said in closings {
        let mut bench = Bench::new();
        bench.bare(Call::ExchangeMode { to: CaptureMode::Relaxed });
        bench.broke_nothing();
        bench.say(said);
        bench.broke(StreamRule::T8);
    }
    let mut bench = Bench::new();
    bench.bare(Call::ExchangeMode { to: CaptureMode::Relaxed });
    bench.at.mode = CaptureMode::Relaxed;
    bench.user(Call::ExchangeMode { to: CaptureMode::Global });
    bench.broke(StreamRule::T8);
}
#[test]
fn other_threads_have_modes_of_their_own() {
    let mut bench = Bench::new();
    bench.bare(Call::ExchangeMode { to: CaptureMode::Relaxed });
    let on = |thread, said| Declaration::On { thread, said: Box::new(said) };
    bench.say(on(SECOND, Declaration::DropEnded));
    bench.broke_nothing();
    bench.say(on(MAIN, Declaration::DropEnded));
    bench.broke(StreamRule::T8);
}

#[test]
fn t10_a_destructor_calls_the_driver() {
    let mut bench = Bench::leased();
    bench.say(Declaration::DropBegins);
    bench.release(1);
    bench.bare(Call::ExchangeMode { to: CaptureMode::Global });
    bench.bare(Call::Observe { word: WORD, outcome: Position::START });
    bench.held(Call::EndCapture { stream: RAW, outcome: Err(bad()), ops: vec![] });
    bench.broke_nothing();
    bench.status(RAW, CaptureStatus::None);
    bench.broke(StreamRule::T10);
    bench.say(Declaration::DropEnded);
    bench.status(RAW, CaptureStatus::None);
    bench.broke(StreamRule::T10);
}
#[test]
fn another_thread_s_destructor_forbids_nothing() {
    let mut bench = Bench::leased();
    let said = Box::new(Declaration::DropBegins);
    bench.say(Declaration::On { thread: SECOND, said });
    bench.status(RAW, CaptureStatus::None);
    bench.broke_nothing();
    bench.at.thread = SECOND;
    bench.status(RAW, CaptureStatus::None);
    bench.broke(StreamRule::T10);
}
#[test]
fn t10_a_call_after_the_end() {
    type End = fn(&mut Bench);
    let ends: [End; 3] = [
        |bench| bench.say(Declaration::ShutDown),
        |bench| bench.moves(DeviceMove::Forked),
        |bench| bench.moves(DeviceMove::Exiting),
    ];
    for end in ends {
        let mut bench = Bench::leased();
        end(&mut bench);
        bench.bare(Call::State(ringfence::backend::streams::DriverState::ShuttingDown));
        bench.user(Call::Status { stream: RAW, outcome: CaptureStatus::None });
        bench.broke_nothing();
        bench.bare(Call::DestroyEvent { event: EVENT });
        bench.broke(StreamRule::T10);
    }
}
#[test]
fn t10_a_busy_or_capturing_stream_is_destroyed() {
    type Spoil = fn(&mut Bench);
    let spoils: [Spoil; 3] = [
        |bench| {
            bench.work(RAW);
            bench.release(1);
        },
        |bench| {
            bench.begin_capture(RAW);
            bench.release(1);
        },
        |_| {},
    ];
    for spoil in spoils {
        let mut bench = Bench::leased();
        spoil(&mut bench);
        bench.destroy(RAW);
        bench.broke(StreamRule::T10);
    }
}
#[test]
fn t10_a_destroy_that_waits_for_the_work() {
    for (known, legal) in [(true, true), (false, false)] {
        let mut bench = Bench::leased();
        let op = bench.work(RAW);
        bench.release(1);
        bench.say(Declaration::TrimBegins);
        bench.bare(Call::ExchangeMode { to: CaptureMode::Relaxed });
        bench.at.mode = CaptureMode::Relaxed;
        bench.finish(op);
        if known {
            bench.bare(Call::Observe { word: WORD, outcome: Position::new(1) });
        }
        bench.bare(destruction(RAW));
        if legal { bench.broke_nothing() } else { bench.broke(StreamRule::T10) }
    }
}
#[test]
fn a_stream_that_a_finished_capture_left_capturing_may_be_destroyed() {
    let mut bench = Bench::leased();
    bench.say(Declaration::CaptureLeft { raw: RAW, status: CaptureStatus::Active });
    bench.release(1);
    bench.say(Declaration::Condemned { stream: StreamId::new(0), raw: RAW });
    bench.destroy(RAW);
    bench.ends_well();
}
