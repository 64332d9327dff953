use std::{collections::HashSet, thread};

use ringfence::id::SignalHandle;

use super::{BLOCK, Block, Class, Entry, Owner, Table, word::for_calls};

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
    assert_eq!(table.remove(name), Some(entry));
    assert_eq!((table.look_up(name), table.remove(name)), (None, None));
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
        assert_eq!(table.remove(SignalHandle::new(raw)), None, "{raw:#x}");
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
                            assert!(table.remove(name).is_some());
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
        let threads: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| all.iter().filter(|name| table.remove(**name).is_some()).count())
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
    table.remove(names[1]).expect("it is there");
    assert_eq!((table.forget(5), table.forget(5)), (4, 0));
    let left = names.iter().filter(|name| table.look_up(**name).is_some()).count();
    assert_eq!(left, 5);
}
