//! Memory that waits: for another try, for a graph to go.

use super::*;

const ONE: RawMemory = RawMemory::new(0x1000);
const TWO: RawMemory = RawMemory::new(0x2000);

fn touch(stream: u32, position: u64) -> Touch {
    let stream = StreamRef::new(PoolId::new(9), StreamId::new(stream), Generation::FIRST);
    Touch::new(stream, Position::new(position))
}
fn given_up(raw: RawMemory, used: Option<Touch>) -> DeferredFree {
    let place = DeviceContext::primary(DeviceId::new(0));
    let (bytes, born) = (Bytes::new(64), Resets::default());
    let memory = Allocation::new(raw, bytes, place, PoolId::new(9), born);
    let mut stamp = Stamp::default();
    if let Some(used) = used {
        stamp.add(used, Access::Write);
    }
    DeferredFree { memory, stamp, waits: Waits::None }
}
fn name(raw: RawMemory) -> MemoryName {
    given_up(raw, None).memory.name()
}
fn touched(free: &DeferredFree) -> Vec<Touch> {
    free.stamp.touches(Access::Write).collect()
}

#[test]
fn memory_says_what_it_was_made_of() {
    let DeferredFree { memory, .. } = given_up(ONE, None);
    assert_eq!((memory.raw(), memory.bytes()), (ONE, Bytes::new(64)));
    assert_eq!((memory.pool(), memory.born()), (PoolId::new(9), Resets::default()));
    let place = memory.place();
    let mut bench = Bench::new(PoolOptions::default());
    bench.pool.device_reset(place.device);
    let after = bench.pool.resets(place.device);
    let later = Allocation::new(TWO, Bytes::new(1), place, PoolId::new(9), after);
    assert_eq!(later.born(), after);
    assert_ne!(later.born(), memory.born());
}

#[test]
fn what_no_graph_uses_comes_back_at_once_and_is_not_counted() {
    let mut book = MemoryBook::default();
    let free = book.give_up(given_up(ONE, None)).expect("no graph has it");
    assert_eq!(free.memory.raw(), ONE);
    assert_eq!(book.counts(), MemoryCounts::default());
}

#[test]
fn a_graph_keeps_memory_until_it_is_gone_with_all_that_its_launches_did() {
    let mut book = MemoryBook::default();
    book.pin(name(ONE));
    assert!(book.give_up(given_up(ONE, Some(touch(1, 1)))).is_none());
    assert_eq!(book.counts(), MemoryCounts { deferred: 1, ..MemoryCounts::default() });
    let mut launches = Stamp::default();
    launches.add(touch(2, 5), Access::Read);
    let free =
        book.unpin(name(ONE), &launches).expect("the only graph is gone, and so is its owner");
    assert_eq!(touched(&free), [touch(1, 1), touch(2, 5)]);
    // It is forgotten: another graph begins anew.
    assert!(book.unpin(name(ONE), &launches).is_none());
    assert_eq!(book.leak_all(), 0);
}

#[test]
fn the_last_of_several_graphs_lets_go() {
    let mut book = MemoryBook::default();
    book.pin(name(ONE));
    book.pin(name(ONE));
    assert!(book.give_up(given_up(ONE, None)).is_none());
    let mut first = Stamp::default();
    first.add(touch(3, 1), Access::Read);
    assert!(book.unpin(name(ONE), &first).is_none());
    let free = book.unpin(name(ONE), &Stamp::default()).expect("both are gone");
    assert_eq!(touched(&free), [touch(3, 1)]); // what the first did is not forgotten
}

#[test]
fn memory_that_its_owner_still_has_is_not_freed_with_its_graph() {
    let mut book = MemoryBook::default();
    book.pin(name(ONE));
    assert!(book.unpin(name(ONE), &Stamp::default()).is_none());
    assert!(book.give_up(given_up(ONE, None)).is_some());
}

/// An address comes again after a reset, and the old owner's finalizer comes late.
#[test]
fn a_graph_keeps_the_memory_that_it_pinned_and_no_other_at_the_same_address() {
    let old = given_up(ONE, None);
    let mut bench = Bench::new(PoolOptions::default());
    bench.pool.device_reset(old.memory.place().device);
    let after = bench.pool.resets(old.memory.place().device);
    let new = Allocation::new(ONE, Bytes::new(32), old.memory.place(), PoolId::new(9), after);
    let (mut book, pinned) = (MemoryBook::default(), new.name());
    book.pin(pinned);
    let free = DeferredFree { memory: new, stamp: Stamp::default(), waits: Waits::None };
    assert!(book.give_up(free).is_none(), "the graph has it");
    assert!(book.give_up(old).is_some(), "it has not this one");
    let free = book.unpin(pinned, &Stamp::default()).expect("the graph is gone");
    assert_eq!((free.memory.bytes(), free.memory.born()), (Bytes::new(32), after));
}

#[test]
fn what_is_put_off_is_tried_again_once() {
    let mut book = MemoryBook::default();
    book.defer(given_up(ONE, None));
    book.defer(given_up(TWO, Some(touch(1, 1))));
    let again = book.take_deferred();
    assert_eq!(again.iter().map(|free| free.memory.raw()).collect::<Vec<_>>(), [ONE, TWO]);
    assert!(book.take_deferred().is_empty());
}

#[test]
fn at_the_end_all_that_waits_is_leaked_and_counted() {
    let mut book = MemoryBook::default();
    book.defer(given_up(ONE, None));
    book.pin(name(TWO));
    assert!(book.give_up(given_up(TWO, None)).is_none());
    book.pin(name(RawMemory::new(0x3000))); // its owner still has it
    book.counts_mut().leaked += 5;
    assert_eq!(book.leak_all(), 2);
    assert_eq!(book.counts().leaked, 7);
    assert!(book.take_deferred().is_empty());
    assert_eq!(book.leak_all(), 0, "each once");
}
