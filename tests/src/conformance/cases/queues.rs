//! `PacketQueue`: identity, indices, publication, the read index.

use std::num::NonZeroU32;

use ringfence::{
    backend::{Body, CopyEngine, Deps, Packet, PacketCount, PacketQueue, Settled},
    id::{PacketId, SignalHandle},
};

use super::super::{
    Checked, Lacks, Length, RingSize, Subject,
    bench::{Bench, needs},
    check::{check, same},
};

/// `count` indices in one reservation.
fn reserve<S: Subject>(bench: &Bench<'_, S>, count: u32) -> PacketId {
    bench.queue.reserve(PacketCount::new(NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN)))
}
fn commit<S: Subject>(bench: &Bench<'_, S>, at: PacketId, completes: SignalHandle) {
    bench.queue.commit(at, &bench.packet(Body::And(Deps::NONE), completes));
}

pub(super) fn have_identities<S: Subject>(on: &S) -> Checked {
    let mut ids = Vec::new();
    for nth in 0..on.devices() {
        let queues: Vec<_> = (0..3).map(|_| Bench::of(on, nth, RingSize::Usual)).collect();
        let engine = on.engine(nth);
        let lanes: Vec<_> = queues.iter().map(|bench| bench.queue.lane()).collect();
        for bench in &queues {
            let done = bench.host_signal()?;
            bench.fence(done);
            bench.finishes("a fence", done)?;
        }
        let after: Vec<_> = queues.iter().map(|bench| bench.queue.lane()).collect();
        same("the lanes after some work", after, lanes.clone())?;
        ids.extend(lanes.iter().map(|lane| lane.queue()));
        ids.push(engine.lane().queue());
        same("an engine's lane", engine.lane(), engine.lane())?;
    }
    for (at, id) in ids.iter().enumerate() {
        check!(!ids[..at].contains(id), "{id:?} stands for two queues or engines");
    }
    // Also one that is made when others are gone.
    let late = Bench::new(on).queue.lane().queue();
    check!(!ids.contains(&late), "{late:?} was the identity of a queue before");
    Ok(())
}
pub(super) fn hand_out_consecutive_indices<S: Subject>(on: &S) -> Checked {
    let bench = Bench::new(on);
    let done = bench.host_signal()?;
    let mut next = PacketId::FIRST;
    for count in [1, 3, 1, 7, 2, 16, 1] {
        same("the first of the indices", reserve(&bench, count), next)?;
        for at in (0..u64::from(count)).map(|more| next.plus(more)) {
            commit(&bench, at, SignalHandle::NULL);
        }
        next = next.plus(u64::from(count));
        bench.queue.ring_doorbell(PacketId::new(next.as_u64() - 1));
    }
    same("the index of a fence", bench.fence(done), next)?;
    bench.finishes("a fence behind them", done)
}
/// As many as the queue says that there can be room for, several times: also when they have to wait for it.
pub(super) fn take_their_capacity_at_once<S: Subject>(on: &S) -> Checked {
    /// Of a queue without an end, so many.
    const MANY: u32 = 1_000;
    let bench = Bench::of(on, 0, RingSize::Smallest);
    let capacity = bench.queue.capacity();
    if !on.lacks().contains(Lacks::FULL_RING) {
        let slots = on.slots(RingSize::Smallest);
        check!(u64::from(capacity.count()) <= slots, "{capacity:?} of a ring of {slots}");
    }
    let count = capacity.count().min(MANY);
    for round in 0..4 {
        let all = bench.armed_with(i64::from(count))?;
        let first = reserve(&bench, count);
        same("the first of them", first.as_u64(), u64::from(round * count))?;
        (0..u64::from(count)).for_each(|more| commit(&bench, first.plus(more), all));
        bench.queue.ring_doorbell(first.plus(u64::from(count) - 1));
        if round % 2 == 1 {
            bench.finishes("all of them", all)?;
        }
    }
    same("its capacity after them", bench.queue.capacity(), capacity)
}
/// A ring is never overrun: no index is handed out before its slot is free.
pub(super) fn a_full_ring_pushes_back<S: Subject>(on: &S) -> Checked {
    needs(on, Lacks::FULL_RING, "a ring that can be full")?;
    let bench = Bench::of(on, 0, RingSize::Smallest);
    let slots = on.slots(RingSize::Smallest);
    let packets = slots * 6;
    let all = bench.armed_with(packets as i64)?;
    for number in 0..packets {
        let at = bench.queue.reserve(PacketCount::ONE);
        same("the index", at.as_u64(), number)?;
        let in_ring = (at.as_u64() + 1).saturating_sub(bench.queue.read_index().as_u64());
        check!(in_ring <= slots, "{in_ring} packets in a ring of {slots}");
        // Some take their time, so that the ring is full now and then.
        let length = if number % 16 == 0 { Length::Long } else { Length::Short };
        bench.queue.commit(at, &bench.packet(bench.kernel(length), all));
        bench.queue.ring_doorbell(at);
    }
    bench.finishes("all of them", all)?;
    bench.stays("all of them", all, 0)
}
/// The later packet is written first, and the device told of it: it has to wait for the earlier one.
pub(super) fn show_packets_in_index_order<S: Subject>(on: &S) -> Checked {
    let bench = Bench::new(on);
    for round in 0..8 {
        let (early, late) = (bench.host_signal()?, bench.host_signal()?);
        let first = reserve(&bench, 2);
        commit(&bench, first.next(), late);
        bench.queue.ring_doorbell(first.next());
        bench.is_held(&format!("round {round}: behind an index without a packet"), late)?;
        commit(&bench, first, early);
        bench.queue.ring_doorbell(first);
        bench.finishes("the packet that was written last", early)?;
        bench.finishes("the packet that was written first", late)?;
    }
    Ok(())
}
/// The same with many, written backwards.
pub(super) fn take_packets_in_any_order<S: Subject>(on: &S) -> Checked {
    const COUNT: u32 = 24;
    let bench = Bench::new(on);
    for _ in 0..8 {
        let all = bench.armed_with(i64::from(COUNT))?;
        let first = reserve(&bench, COUNT);
        for more in (1..u64::from(COUNT)).rev() {
            commit(&bench, first.plus(more), all);
            bench.queue.ring_doorbell(first.plus(more));
        }
        bench.stays("before the first packet is written", all, i64::from(COUNT))?;
        commit(&bench, first, all);
        bench.queue.ring_doorbell(first);
        bench.finishes("all of them", all)?;
        bench.stays("all of them", all, 0)?;
    }
    Ok(())
}
/// One bell for all that was written before.
pub(super) fn one_bell_for_all<S: Subject>(on: &S) -> Checked {
    const COUNT: u32 = 20;
    let bench = Bench::new(on);
    for _ in 0..20 {
        let all = bench.armed_with(i64::from(COUNT))?;
        let first = reserve(&bench, COUNT);
        let last = first.plus(u64::from(COUNT) - 1);
        (0..u64::from(COUNT)).for_each(|more| commit(&bench, first.plus(more), all));
        bench.queue.ring_doorbell(last);
        bench.finishes("all of them", all)?;
    }
    Ok(())
}
/// The bells come in the wrong order, as they do when threads ring.
pub(super) fn bells_in_any_order<S: Subject>(on: &S) -> Checked {
    let bench = Bench::new(on);
    for _ in 0..50 {
        let all = bench.armed_with(3)?;
        let first = reserve(&bench, 3);
        (0..3).for_each(|more| commit(&bench, first.plus(more), all));
        for more in [2, 0, 1] {
            bench.queue.ring_doorbell(first.plus(more));
        }
        bench.finishes("all of them", all)?;
        bench.destroy([all]);
    }
    Ok(())
}
pub(super) fn the_read_index_never_goes_back<S: Subject>(on: &S) -> Checked {
    let bench = Bench::of(on, 0, RingSize::Smallest);
    let all = bench.armed_with(1_000)?;
    let mut last = PacketId::FIRST;
    for published in 1..=1_000_u64 {
        bench.run(Length::Short, all);
        let read = bench.queue.read_index();
        check!(read >= last, "the read index was {last}, and is {read}");
        check!(read.as_u64() <= published, "the read index is {read} of {published} packets");
        last = read;
    }
    bench.finishes("all of them", all)?;
    for _ in 0..100 {
        let read = bench.queue.read_index();
        check!(read >= last && read.as_u64() <= 1_000, "{read} after {last}, in an idle queue");
        last = read;
    }
    Ok(())
}
pub(super) fn settled_says_what_is_published<S: Subject>(on: &S) -> Checked {
    let bench = Bench::new(on);
    let below = |at| Settled::Below(PacketId::new(at));
    same("an empty queue", bench.queue.settled(), below(0))?;
    let first = reserve(&bench, 2);
    same("two reserved", bench.queue.settled(), Settled::Reserving)?;
    commit(&bench, first.next(), SignalHandle::NULL);
    bench.queue.ring_doorbell(first.next());
    same("the later one written", bench.queue.settled(), Settled::Reserving)?;
    commit(&bench, first, SignalHandle::NULL);
    bench.queue.ring_doorbell(first.next());
    same("both published", bench.queue.settled(), below(2))?;
    let gate = bench.close_gate()?;
    bench.run(Length::Short, SignalHandle::NULL);
    same("published, and held back", bench.queue.settled(), below(4))?;
    bench.open_gate(gate);
    let done = bench.host_signal()?;
    bench.fence(done);
    bench.finishes("a fence", done)?;
    same("all complete", bench.queue.settled(), below(5))
}
/// What becomes of a reserved index that nobody filled.
pub(super) fn nothing_is_a_packet<S: Subject>(on: &S) -> Checked {
    let bench = Bench::new(on);
    let done = bench.host_signal()?;
    let first = reserve(&bench, 4);
    (0..4).for_each(|more| bench.queue.commit(first.plus(more), &Packet::nothing()));
    bench.queue.ring_doorbell(first.plus(3));
    bench.fence(done);
    bench.finishes("a fence behind packets that do nothing", done)
}
