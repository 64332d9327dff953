//! The models.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

use loom::{model::Builder, sync::Arc, thread};

use crate::{
    Refused,
    free::Free,
    slot::{Reuse, Slot},
    sync::{AtomicU64, Ordering, PLANTED, Site},
};

/// Counts, over all executions, that a model reached what it is about.
struct Probe(AtomicUsize);
impl Probe {
    const fn new() -> Self {
        Self(AtomicUsize::new(0))
    }
    fn hit(&self) {
        self.0.fetch_add(1, Relaxed);
    }
}

/// Explores `model` whole: without a fault it passes, in so many executions at least, and reaches each probe; with an ordering of
/// `sites` relaxed it fails.
fn explore(name: &str, least: usize, probes: &[&Probe], sites: &[Site], model: fn()) {
    let run = |planted| {
        let executions = std::sync::Arc::new(AtomicUsize::new(0));
        let counted = executions.clone();
        PLANTED.set(planted);
        let passed = catch_unwind(AssertUnwindSafe(|| {
            let mut builder = Builder::new();
            builder.preemption_bound = Some(3);
            builder.check(move || {
                counted.fetch_add(1, Relaxed);
                model();
            });
        }));
        PLANTED.set(None);
        (passed.is_ok(), executions.load(Relaxed))
    };
    let (passed, executions) = run(None);
    println!("{name}: {executions} executions");
    assert!(passed, "{name} fails");
    assert!(executions >= least, "{name}: {executions} executions, of {least} at least");
    assert!(probes.iter().all(|probe| probe.0.load(Relaxed) > 0), "{name} misses a probe");
    for &site in sites {
        let (passed, executions) = run(Some(site));
        println!("{name} with {site:?} relaxed: caught after {executions} executions");
        assert!(!passed, "{name} does not notice that {site:?} is relaxed");
    }
}

/// Places live for ever.
fn place() -> &'static Slot<u32> {
    Box::leak(Box::new(Slot::new(1)))
}

static BOTH: Probe = Probe::new();
static REFUSED: Probe = Probe::new();

/// Two calls want the object to themselves: one after the other, or one is refused.
fn alone() {
    let slot = place();
    let generation = slot.fill(0);
    let add = move || match slot.alone(generation, 0) {
        Ok(mut object) => {
            *object += 1;
            1
        }
        Err(why) => {
            assert_eq!(why, Refused::InUse);
            0
        }
    };
    let other = thread::spawn(add);
    let added = add() + other.join().expect("the other");
    match added {
        2 => BOTH.hit(),
        1 => REFUSED.hit(),
        _ => panic!("nobody had it"),
    }
    assert_eq!(slot.alone(generation, 0).map(|object| *object).ok(), Some(added));
}

static READ_BEFORE: Probe = Probe::new();
static READ_AFTER: Probe = Probe::new();
static KEPT_OUT: Probe = Probe::new();

/// Two calls read while a third wants it alone.
fn shared() {
    let slot = place();
    let generation = slot.fill(0);
    let read = move || slot.share(generation).map(|object| *object).ok();
    let (one, two) = (thread::spawn(read), thread::spawn(read));
    let wrote = slot.alone(generation, 0).map(|mut object| *object = 1).is_ok();
    for seen in [one, two].map(|reader| reader.join().expect("a reader")) {
        match (seen, wrote) {
            (Some(0), true) => READ_BEFORE.hit(),
            (Some(1), true) => READ_AFTER.hit(),
            (Some(0), false) | (None, true) => KEPT_OUT.hit(),
            other => panic!("{other:?}"),
        }
    }
}

static GIVEN: Probe = Probe::new();
static TOO_EARLY: Probe = Probe::new();

/// One makes an object, and another gets its handle by means that order nothing: it is refused, or finds the whole object.
fn given_on() {
    let slot = place();
    let handle = Arc::new(AtomicU64::new(0));
    let maker = {
        let handle = handle.clone();
        thread::spawn(move || handle.store(slot.fill(7).into(), Ordering::Relaxed))
    };
    if let Ok(generation @ 1..) = u32::try_from(handle.load(Ordering::Relaxed)) {
        match slot.share(generation).map(|object| *object) {
            Ok(object) => {
                assert_eq!(object, 7);
                GIVEN.hit();
            }
            Err(why) => {
                assert_eq!(why, Refused::Foreign);
                TOO_EARLY.hit();
            }
        }
    }
    maker.join().expect("the maker");
}

static ONE_AFTER_THE_OTHER: Probe = Probe::new();
static SIDE_BY_SIDE: Probe = Probe::new();
static NONE_LEFT: Probe = Probe::new();

/// Two make objects and close them, where there are so many places.
fn places(count: u32) {
    let slots: &'static [Slot<u32>] = (0..count).map(|_| Slot::new(1)).collect::<Vec<_>>().leak();
    let free: &'static Free = Box::leak(Box::new(Free::new(AtomicU64::new(Free::NOTHING))));
    (0..count).for_each(|index| free.push(index, &slots[index as usize]));
    let below = |index: u32| slots.get(index as usize).map(Slot::below);
    let make_and_close = move |value: u32| {
        let index = free.pop(below)?;
        let slot = &slots[index as usize];
        let generation = slot.fill(value);
        let Ok(object) = slot.last(generation, index) else { panic!("nobody else has its handle") };
        let (taken, index, reuse) = object.empty();
        assert_eq!((taken, reuse), (value, Reuse::Yes));
        assert!(matches!(slot.share(generation), Err(Refused::Stale)));
        free.push(index, slot);
        Some((index, generation))
    };
    let other = thread::spawn(move || make_and_close(1));
    match (make_and_close(2), other.join().expect("the other")) {
        (Some((one, _)), Some((two, _))) if one != two => SIDE_BY_SIDE.hit(),
        (Some((_, one)), Some((_, two))) => {
            assert_ne!(one, two, "another generation");
            ONE_AFTER_THE_OTHER.hit();
        }
        (None, Some(_)) | (Some(_), None) => NONE_LEFT.hit(),
        (None, None) => panic!("a place was lost"),
    }
    let mut left: Vec<u32> = std::iter::from_fn(|| free.pop(below)).collect();
    left.sort_unstable();
    assert_eq!(left, (0..count).collect::<Vec<_>>(), "each place is free again, once");
}

#[test]
fn loom_alone() {
    explore("alone", 20, &[&BOTH, &REFUSED], &[Site::Enter, Site::Leave], alone);
}

#[test]
fn loom_shared() {
    let probes = [&READ_BEFORE, &READ_AFTER, &KEPT_OUT];
    explore("shared", 100, &probes, &[Site::Enter, Site::Leave], shared);
}

#[test]
fn loom_given_on() {
    explore("given on", 2, &[&GIVEN, &TOO_EARLY], &[Site::Fill], given_on);
}

#[test]
fn loom_one_place() {
    let probes = [&ONE_AFTER_THE_OTHER, &NONE_LEFT];
    explore("one place", 20, &probes, &[Site::Push, Site::Pop], || places(1));
}

#[test]
fn loom_two_places() {
    explore("two places", 100, &[&SIDE_BY_SIDE], &[Site::Push, Site::Pop], || places(2));
}
