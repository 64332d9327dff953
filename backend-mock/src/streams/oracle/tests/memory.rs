//! T7 and T11: memory is freed once, after its last use.

use super::*;

fn retire(bench: &mut Bench) {
    bench.say(Declaration::Retired { memory: MEMORY });
}
/// A stream, and a disposal stream; memory that unfinished work writes.
fn written() -> (Bench, OpId) {
    let mut bench = Bench::leased();
    bench.create(DISPOSAL);
    bench.allocate(RAW);
    let op = bench.launch(RAW, writes(MEMORY));
    (bench, op)
}

#[test]
fn a_free_on_the_stream_that_used_it() {
    let (mut bench, op) = written();
    retire(&mut bench);
    bench.release(1);
    let free = bench.free(RAW);
    bench.finish(op);
    bench.finish(free);
    bench.allocate(RAW);
    bench.launch(RAW, writes(MEMORY));
    bench.ends_well();
}
#[test]
fn a_free_on_the_disposal_stream_after_the_last_use() {
    for (ordered, legal) in [(true, true), (false, false)] {
        let (mut bench, op) = written();
        retire(&mut bench);
        if ordered {
            bench.record(EVENT, RAW);
            bench.wait(DISPOSAL, EVENT, &[op]);
        }
        bench.free(DISPOSAL);
        bench.say(Declaration::End);
        if legal { bench.broke_nothing() } else { bench.broke(StreamRule::T7) }
    }
}
#[test]
fn t7_a_use_or_a_free_before_the_allocation_is_reached() {
    for (ordered, finished, legal) in
        [(true, false, true), (false, true, true), (false, false, false)]
    {
        let mut bench = Bench::two();
        bench.create(DISPOSAL);
        let earlier = bench.launch(RAW, Touches::default());
        bench.allocate(RAW);
        if ordered {
            bench.record(EVENT, RAW);
            bench.wait(OTHER, EVENT, &[earlier]);
            bench.wait(DISPOSAL, EVENT, &[earlier]);
        }
        if finished {
            bench.finish(earlier);
        }
        let mut freed = Bench { oracle: bench.oracle.clone(), ..Bench::new() };
        freed.ops = 50;
        bench.launch(OTHER, writes(MEMORY));
        retire(&mut freed);
        freed.free(DISPOSAL);
        for bench in [bench, freed] {
            if legal { bench.broke_nothing() } else { bench.broke(StreamRule::T7) }
        }
    }
}
#[test]
fn t7_a_free_on_a_stream_that_went_to_another_owner() {
    let (mut bench, op) = written();
    retire(&mut bench);
    bench.release(1);
    bench.finish(op);
    bench.lease(2, RAW, stamp(0, 1));
    bench.broke_nothing();
    let mut other = Bench { oracle: bench.oracle.clone(), ..Bench::new() };
    other.ops = 50;
    bench.free(RAW);
    bench.broke(StreamRule::T7);
    other.free(DISPOSAL);
    other.ends_well();
}
#[test]
fn t7_a_free_on_a_stream_that_never_used_it() {
    let mut bench = Bench::two();
    bench.allocate(RAW);
    bench.free(OTHER);
    bench.broke(StreamRule::T7);
}
#[test]
fn work_that_is_not_seen_may_have_used_it() {
    type Hide = fn(&mut Bench);
    let hides: [Hide; 2] = [
        |bench| bench.say(Declaration::Exposed { lease: lease(2) }),
        |bench| {
            let (graph, stream, op) = (RawGraph::new(1), OTHER, Some(bench.next_op()));
            let touches = Touches::default();
            bench.bare(Call::LaunchGraph { graph, stream, op, touches, outcome: Ok(()) });
        },
    ];
    for hide in hides {
        let mut bench = Bench::two();
        bench.allocate(RAW);
        hide(&mut bench);
        bench.free(OTHER);
        bench.ends_well();
    }
}
#[test]
fn t7_a_second_free() {
    let (mut bench, op) = written();
    bench.finish(op);
    let free = bench.free(RAW);
    bench.finish(free);
    bench.broke_nothing();
    bench.free(DISPOSAL);
    bench.broke(StreamRule::T7);
}
#[test]
fn t7_a_free_that_does_not_wait() {
    let (mut bench, _) = written();
    let (memory, stream, outcome) = (MEMORY, RAW, Ok(()));
    let at_once = Call::Free { memory, stream, op: None, recorded: false, outcome };
    bench.relaxed(|bench| bench.held(at_once));
    bench.broke(StreamRule::T7);
}
#[test]
fn t7_a_use_after_the_free() {
    type Use = fn(&mut Bench) -> Call;
    let uses: [Use; 2] = [
        |bench| {
            let (stream, op, touches) = (RAW, Some(bench.next_op()), reads(MEMORY));
            Call::Launch { stream, op, touches, recorded: false, outcome: Ok(()) }
        },
        |bench| {
            let (stream, op, touches) = (RAW, Some(bench.next_op()), reads(MEMORY));
            let graph = RawGraph::new(1);
            Call::LaunchGraph { graph, stream, op, touches, outcome: Ok(()) }
        },
    ];
    for act in uses {
        let (mut bench, _) = written();
        bench.free(RAW);
        let call = act(&mut bench);
        bench.bare(call);
        bench.broke(StreamRule::T7);
    }
}
#[test]
fn t7_memory_that_nobody_frees() {
    let (mut bench, _) = written();
    retire(&mut bench);
    bench.say(Declaration::End);
    bench.broke(StreamRule::T7);
}
#[test]
fn a_refused_free_is_made_again() {
    for (again, legal) in [(true, true), (false, false)] {
        let (mut bench, _) = written();
        retire(&mut bench);
        let (memory, stream, op, recorded) = (MEMORY, RAW, None, false);
        let refusal = Call::Free { memory, stream, op, recorded, outcome: Err(refused()) };
        bench.relaxed(|bench| bench.held(refusal));
        if again {
            bench.free(RAW);
        }
        bench.say(Declaration::End);
        if legal { bench.broke_nothing() } else { bench.broke(StreamRule::T7) }
    }
}
#[test]
fn what_cannot_be_freed_is_excused() {
    type Excuse = fn(&mut Bench);
    let excuses: [Excuse; 5] = [
        |bench| bench.say(Declaration::Leaked { memory: MEMORY }),
        |bench| bench.moves(DeviceMove::Lost),
        |bench| bench.moves(DeviceMove::Forked),
        |bench| bench.moves(DeviceMove::Exiting),
        |bench| bench.say(Declaration::Reset { device: DeviceId::new(0) }),
    ];
    for excuse in excuses {
        let (mut bench, _) = written();
        retire(&mut bench);
        excuse(&mut bench);
        bench.ends_well();
    }
}
#[test]
fn t11_a_buffer_is_given_back_while_work_uses_it() {
    for (finished, legal) in [(true, true), (false, false)] {
        let mut bench = Bench::leased();
        let op = bench.launch(RAW, Touches { buffers: vec![BUFFER], ..Touches::default() });
        if finished {
            bench.finish(op);
        }
        bench.say(Declaration::BufferReleased { buffer: BUFFER });
        if legal { bench.broke_nothing() } else { bench.broke(StreamRule::T11) }
    }
}
