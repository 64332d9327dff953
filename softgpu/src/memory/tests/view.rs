//! The bus of a device over real memory.

use std::{sync::mpsc, thread};

use super::*;

#[test]
fn bytes_and_words_are_where_they_were_put() {
    let memory = memory();
    for part in [Part::Vram, Part::System] {
        let handle = allocate(&memory, AT, 4096, part);
        let view = memory.view(0, NOW);
        view.write(AT.plus(3), &[1, 2, 3, 4, 5]).unwrap();
        let mut bytes = [9; 7];
        view.read(AT.plus(2), &mut bytes).unwrap();
        assert_eq!(bytes, [0, 1, 2, 3, 4, 5, 0]);
        assert_eq!(view.load_u64(AT), Ok(0x0504_0302_0100_0000));
        assert_eq!(view.load_u32(AT.plus(4)), Ok(0x0504_0302));
        view.store_u32(AT.plus(8), 0x8765_4321).unwrap();
        view.store_u64(AT.plus(16), u64::MAX - 1).unwrap();
        assert_eq!(view.load_u64(AT.plus(8)), Ok(0x8765_4321));
        assert_eq!(view.add_u64(AT.plus(16), 5), Ok(3), "modulo 2^64");
        assert_eq!(view.or_u64(AT.plus(16), 12), Ok(3));
        assert_eq!(view.load_u64(AT.plus(16)), Ok(15));
        assert_eq!(host(&memory, AT.plus(16)).load(Ordering::Acquire), 15);
        drop(view);
        memory.free(handle).unwrap();
    }
}

#[test]
fn copies_may_overlap_and_patterns_are_cut() {
    let memory = memory();
    allocate(&memory, AT, 4096, Part::Vram);
    allocate(&memory, AT.plus(1 << 30), 4096, Part::System);
    let view = memory.view(0, NOW);
    let bytes = |at: Address| {
        let mut bytes = [0; 8];
        view.read(at, &mut bytes).unwrap();
        bytes
    };
    view.fill(AT, &[1, 2, 3], 7).unwrap();
    assert_eq!(bytes(AT), [1, 2, 3, 1, 2, 3, 1, 0]);
    view.copy(AT.plus(1), AT, 7).unwrap();
    assert_eq!(bytes(AT), [1, 1, 2, 3, 1, 2, 3, 1]);
    view.copy(AT, AT.plus(1), 7).unwrap();
    assert_eq!(bytes(AT), [1, 2, 3, 1, 2, 3, 1, 1]);
    view.copy(AT.plus(1 << 30), AT, 8).unwrap();
    assert_eq!(bytes(AT.plus(1 << 30)), bytes(AT));
}

#[test]
fn what_lies_outside_is_a_fault_and_nothing_is_done() {
    let memory = memory();
    allocate(&memory, AT, 4096, Part::Vram);
    let view = memory.view(0, NOW);
    let end = AT.plus(4096);
    for at in [AT.plus(4092), end, Address::new(AT.as_u64() - 4), Address::NULL] {
        let mut bytes = [0; 8];
        assert_eq!(view.read(at, &mut bytes), fault(at, 8));
        assert_eq!(view.write(at, &[1; 8]), fault(at, 8));
        assert_eq!(view.fill(at, &[1], 8), fault(at, 8));
        assert_eq!(view.copy(at, AT, 8), fault(at, 8));
        assert_eq!(view.copy(AT, at, 8), fault(at, 8));
    }
    assert_eq!(view.load_u32(AT.plus(4092)), Ok(0));
    for at in [end, Address::new(AT.as_u64() - 8)] {
        assert_eq!(
            [view.load_u64(at), view.add_u64(at, 1), view.or_u64(at, 1)],
            [0; 3].map(|_| fault(at, 8))
        );
        assert_eq!((view.store_u64(at, 1), view.store_u32(at, 1)), (fault(at, 8), fault(at, 4)));
        assert_eq!((view.extent(at), view.host(at)), (None, None));
    }
}

#[test]
fn words_must_be_aligned() {
    let memory = memory();
    allocate(&memory, AT, 4096, Part::Vram);
    let view = memory.view(0, NOW);
    for offset in [1, 2, 4, 7] {
        let at = AT.plus(offset);
        assert_eq!(
            [view.load_u64(at), view.add_u64(at, 1), view.or_u64(at, 1)],
            [0; 3].map(|_| fault(at, 8))
        );
        assert_eq!(view.store_u64(at, 1), fault(at, 8));
        let halves = if offset == 4 { Ok(0) } else { fault(at, 4) };
        assert_eq!(view.load_u32(at), halves);
    }
}

#[test]
fn a_view_does_not_run_from_one_region_into_the_next() {
    let memory = memory();
    let (one, other) = (AT, AT.plus(4096));
    allocate(&memory, one, 4096, Part::Vram);
    allocate(&memory, other, 4096, Part::Vram);
    let view = memory.view(0, NOW);
    view.store_u64(one, 1).unwrap();
    view.store_u64(other, 2).unwrap();
    assert_eq!((view.load_u64(one), view.load_u64(other)), (Ok(1), Ok(2)));
    let mut bytes = [0; 8];
    assert_eq!(view.read(one.plus(4092), &mut bytes), fault(one.plus(4092), 8));
    assert_eq!(view.extent(other.plus(5)), Some((other, 4096)));
}

#[test]
fn only_gpus_that_it_is_mapped_for_see_memory() {
    let memory = memory();
    let (handle, _) = memory.allocate(0, AT, 4096, Kind::Own(Part::Vram)).unwrap();
    let seen = || [0, 1].map(|gpu| memory.view(gpu, NOW).load_u64(AT));
    assert_eq!(seen(), [fault(AT, 8), fault(AT, 8)]);
    memory.map(handle, 1).unwrap();
    memory.view(1, NOW).store_u64(AT, 7).unwrap();
    assert_eq!(seen(), [fault(AT, 8), Ok(7)]);
    memory.map(handle, 0).unwrap();
    assert_eq!(seen(), [Ok(7), Ok(7)]);
    memory.unmap(handle, 1).unwrap();
    assert_eq!(seen(), [Ok(7), fault(AT, 8)]);
    memory.free(handle).unwrap();
    assert_eq!(seen(), [fault(AT, 8), fault(AT, 8)]);
}

#[test]
fn memory_of_the_hosts_own_lies_elsewhere() {
    let memory = memory();
    let own = Box::leak(Box::new([AtomicU64::new(5), AtomicU64::new(6)]));
    let registered = Kind::Registered(std::ptr::from_ref(own) as u64);
    let (handle, _) = memory.allocate(1, AT, 16, registered).unwrap();
    memory.map(handle, 1).unwrap();
    let view = memory.view(1, NOW);
    assert_eq!(view.add_u64(AT.plus(8), 1), Ok(7));
    assert_eq!(own[1].load(Ordering::Acquire), 7);
    assert_eq!(view.host(AT.plus(8)), Some(own[1].as_ptr().cast()));
    assert_eq!(view.load_u64(AT.plus(16)), fault(AT.plus(16), 8));
}

#[test]
fn devices_read_no_doorbells() {
    let memory = memory();
    let (handle, object) = memory.allocate(0, AT, 8192, Kind::Io(1 << 32)).unwrap();
    memory.map(handle, 0).unwrap();
    assert_eq!((object.offset, object.host()), (1 << 32, None));
    assert_eq!(memory.view(0, NOW).load_u64(AT), fault(AT, 8));
}

/// Freeing waits until no device looks: what a view has found stays what it was.
#[test]
fn nothing_is_freed_while_a_view_lives() {
    let memory = memory();
    let handle = allocate(&memory, AT, 4096, Part::Vram);
    let (told, freed) = mpsc::channel();
    thread::scope(|scope| {
        let view = memory.view(0, NOW);
        view.store_u64(AT, 77).unwrap();
        scope.spawn(|| {
            memory.free(handle).unwrap();
            told.send(()).unwrap();
        });
        while !lock(&memory.objects).all.is_empty() {
            thread::yield_now();
        }
        // The other thread is on its way: it has nothing left to do but to wait for this view.
        for _ in 0..1000 {
            thread::yield_now();
            assert_eq!(view.load_u64(AT), Ok(77));
        }
        assert_eq!(freed.try_recv(), Err(mpsc::TryRecvError::Empty));
        drop(view);
        assert_eq!(freed.recv(), Ok(()));
    });
    assert_eq!(memory.view(0, NOW).load_u64(AT), fault(AT, 8));
}
