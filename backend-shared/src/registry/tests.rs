use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

#[test]
fn a_handle_is_known_from_insert_to_take() {
    let registry = Registry::default();
    assert!(registry.hold(0x1000).is_none());
    registry.insert(0x1000, 7);
    assert_eq!(registry.hold(0x1000).map(|held| held.of()), Some(7));
    assert_eq!(registry.take(0x1000), Some(7));
    assert!(registry.hold(0x1000).is_none() && registry.take(0x1000).is_none());
    registry.insert(0x1000, 8); // the address again
    assert_eq!(registry.take(0x1000), Some(8));
}

#[test]
fn a_handle_is_taken_after_the_calls_that_use_it() {
    let registry = Registry::default();
    registry.insert(0x40, ());
    let (taken, held) = (AtomicBool::new(false), registry.hold(0x40));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            assert!(registry.take(0x40).is_some());
            taken.store(true, Ordering::Release);
        });
        // From some time on nobody else gets it, and it is not taken before it is let go of.
        while registry.hold(0x40).is_some() {
            std::thread::yield_now();
        }
        assert!(!taken.load(Ordering::Acquire));
        drop(held);
    });
    assert!(taken.load(Ordering::Acquire));
}

#[test]
fn a_thread_may_hold_a_handle_twice_while_another_is_made() {
    let registry = Registry::default();
    registry.insert(0x40, ());
    let first = registry.hold(0x40);
    std::thread::scope(|scope| {
        scope.spawn(|| (0..1000).for_each(|at| registry.insert(0x1000 + at, ()))).join()
    })
    .expect("it does not wait for who holds one");
    assert!(registry.hold(0x40).is_some() && first.is_some());
}

#[test]
fn what_a_reset_destroyed_is_forgotten_also_while_somebody_holds_it() {
    let registry = Registry::default();
    (0..100).for_each(|handle| registry.insert(handle, handle % 2));
    let held = registry.hold(41);
    registry.retain(|&device| device == 0);
    assert!((0..100).all(|handle| registry.hold(handle).is_some() == (handle % 2 == 0)));
    assert_eq!(held.map(|held| held.of()), Some(1));
}
