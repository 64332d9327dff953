//! What a loaded value proves, and what it does not.

use super::*;

#[test]
fn one_fence_retires_everything_before_it() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 4);
    for packet in 0..3 {
        submit(&mut ring, packet, Barrier::Clear);
    }
    let fence = submit(&mut ring, 3, Barrier::Set);
    let retired = tell(&mut ring, fence, 0).unwrap();
    assert_eq!(packets(&retired), [0, 1, 2, 3]);
    assert!(retired.iter().all(|(_, grounds)| *grounds == Grounds::Fence));
    assert_eq!((ring.in_flight(), ring.usable(HOST)), (0, 4));
}

#[test]
fn a_use_without_the_barrier_bit_proves_itself_alone() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 4);
    submit(&mut ring, 0, Barrier::Clear);
    let second = submit(&mut ring, 1, Barrier::Clear);
    assert_eq!(packets(&tell(&mut ring, second, 0).unwrap()), [1]);
    assert_eq!(mark.observe().below(), PacketId::FIRST, "only a fence moves the watermark");
}

#[test]
fn the_read_index_only_nominates() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 4);
    submit(&mut ring, 0, Barrier::Set);
    let newest = submit(&mut ring, 1, Barrier::Set);
    submit(&mut ring, 2, Barrier::Set);
    let probe = ring.nominate(PacketId::new(2)).expect("packet 1 was passed");
    assert_eq!(probe.of(), newest);
    assert!(matches!(ring.confirm(probe, SignalValue::ARMED), Ok(Confirmed::Pending)));
    assert_eq!(ring.in_flight(), 3);
    assert!(ring.nominate(PacketId::new(2)).is_none(), "not the same pending fence again");
    assert!(ring.nominate(PacketId::new(3)).is_some(), "a newer one");
}

#[test]
fn every_use_is_looked_at_though_the_read_index_stands_still() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 8);
    let uses: Vec<UseId> = (0..8)
        .map(|packet| {
            submit(&mut ring, packet, if packet % 3 == 0 { Barrier::Set } else { Barrier::Clear })
        })
        .collect();
    // Only packet 4, which is no fence, is over; everything else stays busy.
    let mut calls = 0;
    loop {
        calls += 1;
        assert!(calls < 64, "packet 4 is never looked at");
        let Some(probe) = ring.look_further() else {
            continue;
        };
        let value = if probe.of() == uses[4] { 0 } else { 1 };
        if let Confirmed::Own(finished) = ring.confirm(probe, SignalValue::new(value)).unwrap() {
            assert_eq!(finished.of(), uses[4]);
            break;
        }
    }
}

#[test]
fn a_busy_oldest_use_hides_nothing_and_leaves_no_tombstone() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 4);
    let uses: Vec<UseId> = (0..4).map(|packet| submit(&mut ring, packet, Barrier::Clear)).collect();
    for of in &uses[1..] {
        assert_eq!(tell(&mut ring, *of, 0).unwrap().len(), 1);
    }
    assert_eq!((ring.in_flight(), ring.usable(HOST)), (1, 3));
}

#[test]
fn a_value_below_zero_is_an_error_and_the_signal_is_never_used_again() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut ring = ring_on(&mark, HOST, 2);
    let of = submit(&mut ring, 0, Barrier::Set);
    let error = tell(&mut ring, of, -1).unwrap_err();
    assert!(matches!(error, Error::OverDecrement { of: named, .. } if named == of));
    assert_eq!((ring.quarantined(), ring.in_flight()), (1, 0));
    assert!(ring.next_suspect().is_none());
}
