//! Uses that are retired together, and the vector that they are in.

use std::collections::VecDeque;

use super::*;
use crate::{
    proof::Proven,
    ring::{
        lane::{InFlight, UseFlags},
        slot::SlotIndex,
        uses::Uses,
    },
};

fn submit_to(ring: &mut Ring, pool: SignalMemory, packet: u64, order: PacketOrder) -> SignalHandle {
    let with = Use { order, ..on(ring.lane(), Barrier::Set) };
    let secured = ring.secure(pool).expect("a signal is ready");
    let signal = secured.signal();
    let _ = secured.bind(PacketId::new(packet), with, None);
    signal
}
/// Retires at most `limit` uses below `below`: what was armed, in order, and how many were parked.
fn retire(ring: &mut Ring, below: u64, limit: usize) -> (Vec<SignalHandle>, usize) {
    let proven = Proven::assertion(ring.lane(), PacketId::new(below));
    let mut armed = Vec::new();
    let batch = ring.retire_together(proven, limit, |arm| armed.push(arm.signal()));
    assert_eq!(batch.armed, armed.len());
    (armed, batch.parked)
}

#[test]
fn a_batch_goes_on_behind_a_use_that_is_not_plain() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 8);
    let mut signals = Vec::new();
    for packet in 0..2 {
        signals.push(submit_to(&mut ring, HOST, packet, PacketOrder::Free));
    }
    let mut secured = ring.secure(HOST).unwrap();
    let held = secured.lend();
    let _ = secured.bind(PacketId::new(2), on(lane(0), Barrier::Set), None);
    signals.push(submit_to(&mut ring, HOST, 3, PacketOrder::HoldsBackLater));
    for packet in 4..7 {
        signals.push(submit_to(&mut ring, HOST, packet, PacketOrder::Free));
    }
    let uncovered = signals.pop();
    assert_eq!(retire(&mut ring, 6, 64), (signals, 1));
    assert_eq!((ring.in_flight(), ring.parked(), ring.may_prove_more()), (1, 1, false));
    assert_eq!(ring.unpark().map(|arm| arm.signal()), None, "it is held");
    let signal = held.signal();
    drop(held);
    assert_eq!(ring.unpark().map(|arm| arm.signal()), Some(signal));
    assert_eq!(retire(&mut ring, 7, 64), (Vec::from_iter(uncovered), 0));
}

#[test]
fn a_batch_takes_signals_of_two_pools_in_turn() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 4);
    (5..=8).for_each(|raw| ring.add(SignalHandle::new(raw), DEVICE, DEVICE));
    let pools = [HOST, DEVICE, DEVICE, HOST, HOST, DEVICE];
    let on_pools = pools.into_iter().zip(0..);
    let signals: Vec<_> = on_pools
        .map(|(pool, packet)| submit_to(&mut ring, pool, packet, PacketOrder::Free))
        .collect();
    assert_eq!(retire(&mut ring, 6, 64), (signals.clone(), 0));
    assert_eq!((ring.usable(HOST), ring.usable(DEVICE), ring.unflushed()), (4, 1, 3));
    ring.flushed();
    assert_eq!((ring.usable(DEVICE), ring.unflushed()), (4, 0));
    // Oldest first: the one that was never used, and then those that were armed.
    let again: Vec<_> =
        (6..10).map(|packet| submit_to(&mut ring, DEVICE, packet, PacketOrder::Free)).collect();
    assert_eq!(again[1..], [signals[1], signals[2], signals[5]]);
    assert!(!signals.contains(&again[0]));
}

#[test]
fn a_batch_stops_at_its_limit() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 8);
    let signals: Vec<_> =
        (0..8).map(|packet| submit_to(&mut ring, HOST, packet, PacketOrder::Free)).collect();
    for part in signals.chunks(3) {
        assert_eq!(retire(&mut ring, 8, 3), (part.to_vec(), 0));
    }
    assert_eq!(ring.in_flight(), 0);
}

#[test]
fn a_signal_that_comes_back_finds_a_place_after_the_ring_has_grown() {
    let mark = Arc::new(Watermark::new(lane(0)));
    for one_by_one in [true, false] {
        let mut ring = ring_on(&mark, HOST, 2);
        for packet in 0..2 {
            submit(&mut ring, packet, Barrier::Set);
        }
        ring.add(SignalHandle::new(3), HOST, HOST);
        if one_by_one {
            let proven = Proven::assertion(ring.lane(), PacketId::new(2));
            while let Some(over) = ring.next_covered(proven) {
                assert!(ring.retire(over, Harvest::NOT_WANTED).is_some());
            }
        } else {
            assert_eq!(retire(&mut ring, 2, 64).0.len(), 2);
        }
        let next = (2..5).map(|packet| submit_to(&mut ring, HOST, packet, PacketOrder::Free));
        assert_eq!(next.collect::<Vec<_>>(), [3, 1, 2].map(SignalHandle::new));
    }
}

#[test]
fn what_is_over_makes_place_if_it_is_a_good_part() {
    let filled = |over| {
        let mut uses = Uses::with_capacity(8);
        let push = |uses: &mut Uses, packet| {
            let packet = PacketId::new(packet);
            uses.push(InFlight { packet, slot: SlotIndex(0), flags: UseFlags::empty() });
        };
        (0..8).for_each(|packet| push(&mut uses, packet));
        uses.take_off(over);
        push(&mut uses, 8);
        assert!(uses.iter().map(|used| used.packet.as_u64()).eq(over as u64..=8));
        uses.capacity()
    };
    assert!(filled(0) > 8 && filled(2) > 8, "a quarter is not worth the move");
    assert_eq!([3, 4, 7, 8].map(filled), [8; 4]);
}

#[test]
fn uses_are_a_queue() {
    let mut random = 0x2545_f491_4f6c_dd1d_u64; // a fixed seed
    println!("seed {random:#x}");
    let mut uses = Uses::with_capacity(4);
    let mut model = VecDeque::new();
    for packet in 0..20_000 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let choice = random >> 32;
        // Now more comes than goes, and now the other way round.
        let goes = if packet / 500 % 2 == 0 { choice % 4 } else { choice % 16 };
        match goes {
            0 if !model.is_empty() => {
                let at = (random as usize) % model.len();
                let gone = uses.remove(at).map(|used| used.packet);
                assert_eq!(gone, model.remove(at));
            }
            5.. if !model.is_empty() => {
                let count = (random as usize) % model.len().min(8) + 1;
                uses.take_off(count);
                model.drain(..count);
            }
            _ => {
                let packet = PacketId::new(packet);
                uses.push(InFlight { packet, slot: SlotIndex(0), flags: UseFlags::FENCE });
                model.push_back(packet);
            }
        }
        assert!(uses.iter().map(|used| used.packet).eq(model.iter().copied()));
    }
    assert!(uses.remove(uses.len()).is_none());
}
