//! The watermark: whoever sees the bound sees what the prover saw, and it never goes back.

use super::*;
use crate::{
    id::SignalValue,
    proof::FenceProof,
    retire::RetireQueue,
    sync::model::{Tracked, thread},
};

static NONE: Probe = Probe::new();
static ONE: Probe = Probe::new();
static BOTH: Probe = Probe::new();

/// Two streams prove fences 3 and 1; a third reads the bound twice.
fn two_provers() {
    let mark = Arc::new(Watermark::new(lane()));
    let seen_by_prover = Arc::new(Tracked::new(()));
    let prove = |packet: u64| {
        let (mark, seen) = (mark.clone(), seen_by_prover.clone());
        thread::spawn(move || {
            if packet == 3 {
                seen.with_mut(|_| ());
            }
            let fence = FenceProof::assertion(use_of(packet), SignalValue::DONE);
            let _proven = mark.raise(fence.expect("done"));
        })
    };
    let provers = [prove(3), prove(1)];
    let mut before = PacketId::FIRST;
    for _ in 0..2 {
        let proven = mark.observe();
        assert!(proven.below() >= before, "the bound went back");
        before = proven.below();
        match (proven.covers(use_of(1)), proven.covers(use_of(3))) {
            (false, _) => NONE.hit(),
            (true, false) => ONE.hit(),
            (true, true) => {
                seen_by_prover.with(|_| ());
                BOTH.hit();
            }
        }
    }
    for prover in provers {
        prover.join().expect("a prover");
    }
    assert!(mark.observe().covers(use_of(3)));
}

static FREED: Probe = Probe::new();
static KEPT: Probe = Probe::new();

/// A buffer is freed once the prover, who looked at it last, has raised the bound.
fn retire_queue() {
    let mark = Arc::new(Watermark::new(lane()));
    let buffer = Arc::new(Tracked::new(()));
    let mut held = RetireQueue::new(lane());
    held.hold(use_of(2), buffer.clone());
    let prover = {
        let (mark, buffer) = (mark.clone(), buffer.clone());
        thread::spawn(move || {
            buffer.with(|_| ());
            let fence = FenceProof::assertion(use_of(2), SignalValue::DONE);
            let _proven = mark.raise(fence.expect("done"));
        })
    };
    match held.next_free(mark.observe()) {
        Some(free) => {
            free.with_mut(|_| ());
            FREED.hit();
        }
        None => KEPT.hit(),
    }
    prover.join().expect("the prover");
    let rest = held.next_free(mark.observe());
    assert!(rest.is_some() || held.is_empty(), "freed exactly once");
}

#[test]
fn loom_watermark() {
    let probes = [("nothing proven", &NONE), ("one", &ONE), ("both", &BOTH)];
    must_pass("watermark", 790, &probes, two_provers);
    must_fail("watermark", Plant::Ordering(Site::WatermarkRaise), two_provers);
    must_fail("watermark", Plant::Ordering(Site::WatermarkObserve), two_provers);
}

#[test]
fn loom_retire_queue() {
    must_pass("retire queue", 9, &[("freed at once", &FREED), ("kept", &KEPT)], retire_queue);
    must_fail("retire queue", Plant::Ordering(Site::WatermarkRaise), retire_queue);
    must_fail("retire queue", Plant::Ordering(Site::WatermarkObserve), retire_queue);
}
