use std::{
    collections::HashSet,
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use ringfence::id::SignalHandle;

use super::{BLOCK, Block, Class, Entry, Owner, Removed, Table, word::for_calls};

/// Memory for one block, aligned as one.
#[repr(align(64))]
struct Memory([u64; BLOCK / 8]);

const OWNER: Owner = Owner { runtime: 5, device: 3 };

fn entry(address: u64) -> Entry {
    Entry { address, class: Class::Host, owner: OWNER }
}

#[test]
fn a_handle_names_its_signal_until_that_is_gone() {
    let table = Table::new();
    let entry = Entry { address: 0x7fff_ffff_f0c0, class: Class::Raw, owner: OWNER };
    let name = table.insert(entry).expect("room");
    assert!(!name.is_null());
    assert_eq!(table.look_up(name), Some(entry));
    assert_eq!(table.remove(name), Removed::Now(entry));
    assert_eq!((table.look_up(name), table.remove(name)), (None, Removed::Unknown));
    // The place serves again, under another name.
    let next = table.insert(entry).expect("room");
    assert_ne!(next, name);
    assert_eq!((table.look_up(name), table.look_up(next)), (None, Some(entry)));
}

#[test]
fn names_that_were_made_up_are_no_signals() {
    let table = Table::new();
    table.insert(entry(64)).expect("room");
    for raw in [0, 2, 4097, u64::from(u32::MAX), u64::MAX, 1 << 32 | 1, 0x7fff_ffff_f0c0] {
        assert_eq!(table.look_up(SignalHandle::new(raw)), None, "{raw:#x}");
        assert_eq!(table.remove(SignalHandle::new(raw)), Removed::Unknown, "{raw:#x}");
    }
}

#[test]
fn every_class_comes_back() {
    let table = Table::new();
    for class in [Class::Host, Class::Interrupt, Class::Shared, Class::Raw, Class::InDevice] {
        let entry = Entry { address: (1 << 56) - 64, class, owner: OWNER };
        let name = table.insert(entry).expect("room");
        assert_eq!(table.look_up(name), Some(entry));
    }
}

#[test]
fn a_raw_or_device_signal_is_none_for_the_runtimes_calls() {
    for (class, takes) in [
        (Class::Host, true),
        (Class::Interrupt, true),
        (Class::Shared, true),
        (Class::Raw, false),
        (Class::InDevice, false),
    ] {
        // SAFETY: the signal that this names is used by nobody.
        let signal = unsafe { for_calls(Entry { address: 64, class, owner: OWNER }) };
        assert_eq!(signal.is_some(), takes, "{class:?}");
    }
}

#[test]
fn threads_never_get_the_same_name_and_one_of_two_removes() {
    let table = Table::new();
    let lists: Vec<Vec<SignalHandle>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4_u64)
            .map(|which| {
                let table = &table;
                scope.spawn(move || {
                    let mut kept = Vec::new();
                    for index in 0..2_000 {
                        let name =
                            table.insert(entry(64 * (which * 10_000 + index + 1))).expect("room");
                        if index % 3 == 0 {
                            assert!(matches!(table.remove(name), Removed::Now(_)));
                        } else {
                            kept.push(name);
                        }
                    }
                    kept
                })
            })
            .collect();
        threads.into_iter().map(|one| one.join().expect("no panic")).collect()
    });
    let all: Vec<_> = lists.concat();
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
    let removed: usize = thread::scope(|scope| {
        let (table, all) = (&table, &all);
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let removes = |name: &&SignalHandle| table.remove(**name) != Removed::Unknown;
                scope.spawn(move || all.iter().filter(removes).count())
            })
            .collect();
        threads.into_iter().map(|one| one.join().expect("no panic")).sum()
    });
    assert_eq!(removed, all.len());
}

#[test]
fn a_block_is_laid_out_as_the_headers_say() {
    let mut memory = Memory([u64::MAX; BLOCK / 8]);
    // SAFETY: the memory outlives the block, and is accessed through it alone meanwhile.
    let block = unsafe { Block::at(memory.0.as_mut_ptr() as u64) };
    block.lay_out(5);
    assert!(block.is_user() && !block.has_event());
    assert_eq!((block.load(), block.times()), (5, [0, 0]));
    block.store(-1);
    assert_eq!(block.load(), -1);
    assert_eq!(memory.0, [1, u64::MAX, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn what_a_runtime_leaves_is_forgotten_with_it() {
    let table = Table::new();
    let other = Owner { runtime: 6, device: 3 };
    let names: Vec<_> = (1..=10)
        .map(|index| {
            let owner = if index % 2 == 0 { OWNER } else { other };
            table.insert(Entry { owner, ..entry(64 * index) }).expect("room")
        })
        .collect();
    assert!(matches!(table.remove(names[1]), Removed::Now(_)));
    assert_eq!((table.forget(5), table.forget(5)), (4, 0));
    let left = names.iter().filter(|name| table.look_up(**name).is_some()).count();
    assert_eq!(left, 5);
}

#[test]
fn who_is_at_a_removed_signal_last_gives_it_back_and_nobody_comes_after() {
    let table = Table::new();
    let name = table.insert(entry(64)).expect("room");
    let enter = |name| table.find(name).and_then(|(slot, _)| slot.enter(name));
    assert_eq!((enter(name), enter(name)), (Some(()), Some(())));
    let (slot, _) = table.find(name).expect("it is there");
    assert!(slot.has(name));
    assert_eq!(table.remove(name), Removed::Later);
    assert!(!slot.has(name) && slot.enter(name).is_none());
    assert_eq!((table.look_up(name), table.remove(name)), (None, Removed::Unknown));
    // Its place is nobody's yet.
    let other = table.insert(entry(128)).expect("room");
    assert_ne!(other.as_u64() as u32, name.as_u64() as u32);
    assert_eq!(table.leave(name, entry(64)), None);
    assert_eq!(table.leave(name, entry(64)), Some(entry(64)));
    let next = table.insert(entry(192)).expect("room");
    assert_eq!(next.as_u64() as u32, name.as_u64() as u32);
    assert_ne!(next, name);
}

/// Threads get at a signal while another removes it: it is given back once, and when nobody is at it.
#[test]
fn a_signal_is_given_back_once_and_with_nobody_at_it() {
    const ROUNDS: u64 = 300;
    let table = Table::new();
    let there = AtomicU64::new(0);
    let given = AtomicU64::new(0);
    let current = AtomicU64::new(0);
    let give_back = |entry: Entry| {
        let was = there.compare_exchange(entry.address, 0, Ordering::AcqRel, Ordering::Acquire);
        assert_eq!(was, Ok(entry.address), "given back twice");
        given.fetch_add(1, Ordering::Relaxed);
    };
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while given.load(Ordering::Relaxed) < ROUNDS {
                    let name = SignalHandle::new(current.load(Ordering::Acquire));
                    let Some((slot, entry)) = table.find(name) else { continue };
                    if slot.enter(name).is_none() {
                        continue;
                    }
                    assert_eq!(there.load(Ordering::Acquire), entry.address, "given back early");
                    if let Some(entry) = table.leave(name, entry) {
                        give_back(entry);
                    }
                }
            });
        }
        for round in 1..=ROUNDS {
            there.store(64 * round, Ordering::Release);
            let name = table.insert(entry(64 * round)).expect("room");
            current.store(name.as_u64(), Ordering::Release);
            thread::yield_now();
            if let Removed::Now(entry) = table.remove(name) {
                give_back(entry);
            }
            while given.load(Ordering::Acquire) < round {
                thread::yield_now();
            }
        }
    });
    assert_eq!(given.load(Ordering::Relaxed), ROUNDS);
}
