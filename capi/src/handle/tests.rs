use std::{
    collections::BTreeSet,
    sync::{
        Mutex,
        atomic::{AtomicU32, AtomicU64, Ordering::SeqCst},
    },
};

use super::{Kind, Refused, Table, free::Free, slot::Slot};
use crate::status::ringfence_status_t as Status;

#[test]
fn a_place_is_used_again_under_the_next_generation() {
    static TABLE: Table<u32> = Table::new(Kind::Stamp);
    let first = TABLE.insert(1).expect("room");
    assert_eq!(TABLE.take(first).expect("it is there"), 1);
    let second = TABLE.insert(2).expect("room");
    assert_eq!(second >> 32, first >> 32, "the same place");
    assert_eq!(second as u32, first as u32 + 1);
    assert_eq!(TABLE.try_alone(first).err(), Some(Refused::Stale));
    assert_eq!(TABLE.try_alone(second + 1).err(), Some(Refused::Foreign), "still to come");
    assert_eq!(*TABLE.alone(second).expect("it is there"), 2);
}

#[test]
fn nothing_is_made_for_a_table_without_a_place() {
    static FULL: Table<u32> = Table::full(Kind::Pool);
    let made = AtomicU32::new(0);
    let refused = FULL.insert_with(|_| made.fetch_add(1, SeqCst)).expect_err("no room");
    assert_eq!(refused.0, Status::RINGFENCE_OTHER);
    assert_eq!(made.load(SeqCst), 0, "whose end would call a caller's `release`");
    assert!(FULL.insert(1).is_err(), "it stays so");
}

#[test]
fn one_alone_or_several_that_read() {
    static TABLE: Table<u32> = Table::new(Kind::Stamp);
    let handle = TABLE.insert(1).expect("room");
    let alone = TABLE.alone(handle).expect("nobody has it");
    assert_eq!(TABLE.try_alone(handle).err(), Some(Refused::InUse));
    assert_eq!(TABLE.shared_quietly(handle).err(), Some(Refused::InUse.status()));
    drop(alone);
    let (one, two) = (TABLE.shared(handle).expect("free"), TABLE.shared(handle).expect("shared"));
    assert_eq!(TABLE.try_alone(handle).err(), Some(Refused::InUse));
    assert_eq!(TABLE.try_last(handle).err(), Some(Refused::InUse));
    drop((one, two));
    assert_eq!(TABLE.take(handle).expect("nobody has it"), 1);
}

#[test]
fn what_is_hidden_answers_as_if_it_were_gone() {
    static TABLE: Table<u32> = Table::new(Kind::Stamp);
    let handle = TABLE.insert(1).expect("room");
    let kept = TABLE.alone(handle).expect("nobody has it");
    kept.hide();
    assert_eq!(TABLE.try_alone(handle).err(), Some(Refused::Stale));
    kept.show();
    drop(kept);
    drop(TABLE.alone(handle).expect("it is back"));
    let kept = TABLE.alone(handle).expect("nobody has it");
    kept.hide();
    assert_eq!(TABLE.remove(kept), 1);
    assert_eq!(TABLE.try_alone(handle).err(), Some(Refused::Stale));
}

#[test]
fn a_panic_poisons_what_the_call_had_to_itself() {
    static TABLE: Table<u32> = Table::new(Kind::Stamp);
    let (alone, read) = (TABLE.insert(1).expect("room"), TABLE.insert(2).expect("room"));
    let unwound = std::panic::catch_unwind(|| {
        let _alone = TABLE.alone(alone).expect("nobody has it");
        let _read = TABLE.shared(read).expect("nobody has it");
        panic!("on purpose");
    });
    assert!(unwound.is_err());
    assert_eq!(TABLE.try_alone(alone).err(), Some(Refused::Poisoned));
    assert!(TABLE.shared(read).is_ok(), "who only reads leaves it as it was");
    let last = TABLE.last(alone).expect("it can be closed");
    assert!(last.is_poisoned());
    assert_eq!(TABLE.try_last(alone).err(), Some(Refused::InUse));
    assert_eq!(TABLE.remove(last), 1);
    assert_eq!(TABLE.try_last(alone).err(), Some(Refused::Stale));
}

#[test]
fn a_table_grows_by_chunks_that_stay() {
    static TABLE: Table<u32> = Table::new(Kind::Stamp);
    let handles: Vec<u64> = (0..1000).map(|value| TABLE.insert(value).expect("room")).collect();
    assert_eq!(handles.iter().collect::<BTreeSet<_>>().len(), 1000);
    for (value, handle) in (0..).zip(&handles) {
        assert_eq!(*TABLE.alone(*handle).expect("it is there"), value);
    }
}

/// Between the look at the top and its taking, others take it and the next, and give the first back: the top is the same again, and
/// what lay below it is somebody's.
#[test]
fn a_top_that_went_and_came_back_is_noticed() {
    let slots = [(); 3].map(|()| Slot::<u32>::new(1));
    let below = |index: u32| slots.get(index as usize).map(Slot::below);
    let free = Free::new(AtomicU64::new(Free::NOTHING));
    for index in [2, 1, 0] {
        free.push(index, &slots[index as usize]);
    }
    let looks = AtomicU32::new(0);
    let taken = free.pop(|index| {
        let seen = below(index);
        if looks.fetch_add(1, SeqCst) == 0 {
            assert_eq!((free.pop(below), free.pop(below)), (Some(0), Some(1)));
            free.push(0, &slots[0]);
        }
        seen
    });
    assert_eq!(taken, Some(0));
    assert_eq!(free.pop(below), Some(2), "and not 1, which was taken");
    assert_eq!(free.pop(below), None);
    assert_eq!(looks.load(SeqCst), 2, "it looked again");
}

/// Threads take and give back places at once: no object is ever seen by two, and none is lost.
#[test]
fn places_change_hands_between_threads() {
    static TABLE: Table<Owned> = Table::new(Kind::Stamp);
    static ALIVE: AtomicU32 = AtomicU32::new(0);
    struct Owned(usize);
    impl Owned {
        fn new(of: usize) -> Self {
            ALIVE.fetch_add(1, SeqCst);
            Self(of)
        }
    }
    impl Drop for Owned {
        fn drop(&mut self) {
            ALIVE.fetch_sub(1, SeqCst);
        }
    }
    let passed_on: Mutex<Vec<(u64, usize)>> = Mutex::default();
    std::thread::scope(|threads| {
        for thread in 0..4 {
            let passed_on = &passed_on;
            threads.spawn(move || {
                for round in 0..2000 {
                    let value = 10_000 * thread + round;
                    let mine = TABLE.insert(Owned::new(value)).expect("room");
                    let other = {
                        let mut passed_on = passed_on.lock().expect("no thread panics");
                        passed_on.push((mine, value));
                        let at = value % passed_on.len();
                        passed_on.swap_remove(at)
                    };
                    let taken = TABLE.take(other.0).unwrap_or_else(|_| panic!("{:#x}", other.0));
                    assert_eq!(taken.0, other.1, "the object that was put there");
                    assert!(TABLE.try_last(other.0).is_err());
                }
            });
        }
    });
    assert_eq!(passed_on.lock().expect("no thread panics").len(), 0);
    assert_eq!(ALIVE.load(SeqCst), 0);
}
