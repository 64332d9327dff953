//! The last holder against the ring: no signal is armed while somebody looks at it, and none is lost.

use super::*;
use crate::{
    ring::{Custody, Reaper},
    sync::model::{Tracked, thread},
};

static ARMED_AT_ONCE: Probe = Probe::new();
static PARKED_FIRST: Probe = Probe::new();

/// A holder reads the signal and lets go, while the ring tries to arm it.
fn last_holder() {
    let reaper = Arc::new(Reaper::new());
    let mut custody = Custody::new(signal(), reaper.clone());
    let value = Arc::new(Tracked::new(()));
    let (held, seen) = (custody.lend(), value.clone());
    let holder = thread::spawn(move || {
        seen.with(|_| ());
        drop(held);
    });
    match custody.sole() {
        Some(_alone) => {
            value.with_mut(|_| ());
            ARMED_AT_ONCE.hit();
        }
        None => PARKED_FIRST.hit(),
    }
    holder.join().expect("the holder");
    assert!(custody.sole().is_some(), "the last holder is gone: it can be used again");
    drop(custody);
    assert_eq!(reaper.reap(|_| ()), 1, "destroyed once");
}

static REAPED_BY_HOLDER: Probe = Probe::new();
static REAPED_BY_RING: Probe = Probe::new();

/// The ring goes away while a holder is left: the signal reaches the reaper exactly once.
fn ring_goes_first() {
    let reaper = Arc::new(Reaper::new());
    let mut custody = Custody::new(signal(), reaper.clone());
    let held = custody.lend();
    let holder = thread::spawn(move || drop(held));
    drop(custody);
    let early = reaper.reap(|_| ());
    if early == 1 {
        REAPED_BY_RING.hit()
    } else {
        REAPED_BY_HOLDER.hit()
    }
    holder.join().expect("the holder");
    assert_eq!(early + reaper.reap(|_| ()), 1, "exactly once");
}

#[test]
fn loom_last_holder() {
    let probes = [("armed at once", &ARMED_AT_ONCE), ("parked", &PARKED_FIRST)];
    must_pass("last holder", 4, &probes, last_holder);
    must_fail("last holder", Plant::Rule(Fault::ArmWhileHeld), last_holder);
}

#[test]
fn loom_ring_goes_first() {
    let probes = [("before the holder", &REAPED_BY_RING), ("after it", &REAPED_BY_HOLDER)];
    must_pass("ring goes first", 8, &probes, ring_goes_first);
}
