//! What baselines do is counted, and breaks no rule.

use super::*;

fn shared() -> Bench {
    let mut bench = Bench::without_cap();
    bench.create(RAW);
    (1..=3).for_each(|name| bench.share(name, RAW, stamp(0, 0)));
    bench
}

#[test]
fn tasks_that_share_a_stream_are_counted_once_each() {
    let mut bench = shared();
    assert_eq!(bench.oracle.shared(), 3);
    (1..=3).for_each(|name| bench.release(name));
    bench.share(4, RAW, stamp(0, 0));
    assert_eq!(bench.oracle.shared(), 3);
    bench.ends_well();
}
#[test]
fn owners_alone_share_nothing() {
    let mut bench = Bench::leased();
    bench.release(1);
    bench.lease(2, RAW, stamp(0, 1));
    assert_eq!(bench.oracle.shared(), 0);
}
#[test]
fn t6_a_policy_that_shares_raises_no_generation() {
    let mut bench = shared();
    bench.share(4, RAW, stamp(0, 1));
    bench.broke(StreamRule::T6);
}
#[test]
fn t1_an_exclusive_stream_is_shared_by_nobody() {
    let mut bench = Bench::leased();
    bench.share(2, RAW, stamp(0, 0));
    bench.broke(StreamRule::T1);
}
#[test]
fn another_task_s_work_in_a_graph_is_counted() {
    for (submitter, foreign) in [(1, 0), (2, 1)] {
        let mut bench = shared();
        bench.say(Declaration::Submits { lease: lease(1) });
        bench.begin_capture(RAW);
        let own = bench.node(RAW);
        bench.say(Declaration::Submits { lease: lease(submitter) });
        let other = bench.node(RAW);
        bench.end_capture(RAW, &[own, other]);
        assert_eq!(bench.oracle.foreign_nodes(), foreign);
        bench.ends_well();
    }
}
#[test]
fn without_a_word_the_thread_tells_whose_work_it_is() {
    let mut bench = shared();
    bench.begin_capture(RAW);
    let own = bench.node(RAW);
    bench.at.thread = SECOND;
    let other = bench.node(RAW);
    bench.at.thread = MAIN;
    bench.end_capture(RAW, &[own, other]);
    assert_eq!(bench.oracle.foreign_nodes(), 1);
}
#[test]
fn a_child_task_s_work_in_an_owner_s_graph_is_not_foreign() {
    let mut bench = Bench::leased();
    bench.begin_capture(RAW);
    bench.at.thread = SECOND;
    let joined = bench.node(RAW);
    bench.at.thread = MAIN;
    bench.end_capture(RAW, &[joined]);
    assert_eq!(bench.oracle.foreign_nodes(), 0);
}
#[test]
fn a_free_in_a_graph_is_foreign_and_t7_only_for_a_lease() {
    for exclusive in [true, false] {
        let mut bench = if exclusive { Bench::leased() } else { shared() };
        bench.allocate(RAW);
        bench.begin_capture(RAW);
        let (memory, stream, outcome) = (MEMORY, RAW, Ok(()));
        let free = Call::Free { memory, stream, op: None, recorded: true, outcome };
        bench.relaxed(|bench| bench.held(free));
        bench.end_capture(RAW, &[]);
        assert_eq!(bench.oracle.foreign_nodes(), 1);
        if exclusive { bench.broke(StreamRule::T7) } else { bench.broke_nothing() }
    }
}
