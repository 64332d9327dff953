//! Packets against an encoder and plain vectors; queues against what their packets say.

use std::{num::NonZeroU64, time::Duration};

use proptest::prelude::*;

use super::{
    encode::{encode, encode_rect},
    *,
};
use crate::{address::Address, bus::Bus as _, test_bus::TestBus};

const RING: Address = Address::new(0x10_0000);
const RING_BYTES: u64 = 256;
const DATA: Address = Address::new(0x20_0000);
const NOW: Duration = Duration::ZERO;
const CLOCK: Ticks = Ticks::new(777);

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 400,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(0x53_44_4d_41),
        ..ProptestConfig::default()
    }
}
fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
/// A bus with a ring of no-ops, and data.
fn bus(data: &[u8]) -> TestBus {
    TestBus::with(RING, vec![0; RING_BYTES as usize]).and(DATA, data.to_vec())
}
fn queue(rate: Option<u64>) -> SdmaQueue {
    let rate = rate.and_then(NonZeroU64::new);
    SdmaQueue::new(RING, RING_BYTES, rate).expect("a valid ring")
}
/// A queue and its ring's content, packets after one another from the ring's start.
fn submitted(bus: &TestBus, rate: Option<u64>, packets: &[Packet]) -> SdmaQueue {
    let words: Vec<u32> = packets.iter().flat_map(encode).collect();
    let bytes = bytes_of(&words);
    bus.put(RING, &bytes);
    let mut queue = queue(rate);
    queue.offer(Pointer::new(bytes.len() as u64));
    queue
}
fn step(queue: &mut SdmaQueue, bus: &TestBus) -> Result<Step, Stopped> {
    queue.step(NOW, bus, CLOCK)
}

fn any_address() -> impl Strategy<Value = Address> {
    any::<u64>().prop_map(|address| Address::new(address & !7))
}
fn any_packet() -> impl Strategy<Value = Packet> {
    let place = any_address;
    let comparison = prop_oneof![
        Just(Comparison::Always),
        Just(Comparison::Less),
        Just(Comparison::LessOrEqual),
        Just(Comparison::Equal),
        Just(Comparison::NotEqual),
        Just(Comparison::GreaterOrEqual),
        Just(Comparison::Greater),
    ];
    let plane =
        || {
            (any_address(), 1..=1_u64 << 19, 1..=1_u64 << 28)
                .prop_map(|(start, pitch, slice)| Plane { start, pitch, slice })
        };
    let rect = (plane(), plane(), 1..=1_u64 << 14, 1..=1_u64 << 14, 1..=1_u64 << 11)
        .prop_map(|(from, to, width, rows, slices)| Rect { from, to, width, rows, slices });
    prop_oneof![
        Just(Packet::Nop),
        Just(Packet::HdpFlush),
        Just(Packet::CacheOperation),
        (place(), place(), 1..=1_u64 << 30).prop_map(|(from, to, bytes)| Packet::Copy {
            from,
            to,
            bytes
        }),
        rect.prop_map(Packet::CopyRect),
        (place(), any::<u32>(), 1..=1_u64 << 28).prop_map(|(to, value, dwords)| Packet::Fill {
            to,
            value,
            bytes: dwords * 4
        }),
        (place(), any::<u32>()).prop_map(|(at, value)| Packet::Fence { at, value }),
        (0_u32..1 << 28).prop_map(|event| Packet::Trap(EventId::new(event))),
        (place(), any::<u32>(), comparison, any::<u32>()).prop_map(
            |(at, mask, comparison, reference)| Packet::Poll(Poll {
                at,
                mask,
                comparison,
                reference
            })
        ),
        (place(), any::<u64>()).prop_map(|(at, value)| Packet::Add { at, value }),
        place().prop_map(|at| Packet::Timestamp { at }),
    ]
}

proptest! {
    #![proptest_config(config())]
    #[test]
    fn packets_survive_encoding_and_their_lengths_are_right(
        packet in any_packet(),
        after in prop::collection::vec(any::<u32>(), 0..4),
    ) {
        let mut words = encode(&packet);
        let dwords = words.len() as u32;
        words.extend(after);
        prop_assert_eq!(decode(&words), Ok(Decoded { packet, dwords }));
        for shorter in 0..dwords as usize {
            prop_assert_eq!(decode(&words[..shorter]), Err(Undecodable::Truncated));
        }
    }

    #[test]
    fn random_dwords_are_a_packet_or_an_error(
        header in prop_oneof![any::<u32>(), (0_u32..20, any::<u16>()).prop_map(|(op, rest)| {
            op | u32::from(rest) << 16
        })],
        rest in prop::collection::vec(any::<u32>(), 0..16),
    ) {
        let words: Vec<u32> = std::iter::once(header).chain(rest).collect();
        match decode(&words) {
            Ok(Decoded { packet, dwords }) => {
                prop_assert!(dwords >= 1);
                prop_assert!(packet == Packet::Nop || dwords as usize <= words.len().min(LONGEST));
            }
            Err(Undecodable::Unknown { opcode, .. }) => prop_assert_eq!(u32::from(opcode), header & 0xff),
            Err(Undecodable::Truncated) => prop_assert!(words.len() < LONGEST),
        }
    }

    #[test]
    fn random_rings_never_panic(content in prop::collection::vec(any::<u8>(), 256), start in 0_u64..64) {
        let bus = bus(&[0; 64]);
        bus.put(RING, &content);
        let mut queue = queue(Some(1));
        queue.offer(Pointer::new(start * 4));
        for _ in 0..70 {
            let before = queue.read_pointer();
            match step(&mut queue, &bus) {
                Ok(Step::Idle | Step::Waiting | Step::Busy(_)) | Err(_) => {
                    prop_assert_eq!(queue.read_pointer(), before);
                    break;
                }
                Ok(_) => prop_assert!(queue.read_pointer() > before),
            }
        }
    }

    #[test]
    fn linear_copies_are_memmove(
        data in prop::collection::vec(any::<u8>(), 64..300),
        from in 0_usize..64,
        to in 0_usize..64,
        bytes in 1_usize..300,
    ) {
        let bytes = bytes.min(data.len() - from.max(to));
        prop_assume!(bytes > 0);
        let bus = bus(&data);
        let packet = Packet::Copy {
            from: DATA.plus(from as u64),
            to: DATA.plus(to as u64),
            bytes: bytes as u64,
        };
        let mut queue = submitted(&bus, None, &[packet]);
        prop_assert_eq!(step(&mut queue, &bus), Ok(Step::Done));
        let mut expected = data;
        expected.copy_within(from..from + bytes, to);
        prop_assert_eq!(bus.content(DATA), expected);
    }

    #[test]
    fn rectangles_are_copied_byte_by_byte(
        element in 0_u32..5,
        [width, rows, slices] in [1_u64..5, 1_u64..5, 1_u64..4],
        [x, y, z] in [0_u32..3, 0_u32..3, 0_u32..3],
        [wider, taller] in [0_u64..3, 0_u64..3],
        seed in any::<u8>(),
    ) {
        const OUT: Address = Address::new(0x30_0000);
        let pitch = (width + u64::from(x) + wider) << element;
        let out_pitch = pitch + (1 << element);
        let (slice, out_slice) = (pitch * (rows + u64::from(y) + taller), out_pitch * (rows + u64::from(y)));
        let size = (out_slice.max(slice) * (slices + u64::from(z))) as usize;
        let data: Vec<u8> = (0..size).map(|i| seed.wrapping_add((i * 7) as u8)).collect();
        let bus = bus(&data).and(OUT, vec![0; size]);
        let rect = Rect {
            from: Plane { start: DATA, pitch, slice },
            to: Plane { start: OUT, pitch: out_pitch, slice: out_slice },
            width: width << element,
            rows,
            slices,
        };
        bus.put(RING, &bytes_of(&encode_rect(&rect, element, [x, y, z])));
        let mut queue = queue(None);
        queue.offer(Pointer::new(13 * 4));
        prop_assert_eq!(step(&mut queue, &bus), Ok(Step::Done));
        let mut expected = vec![0; size];
        let place = |column: u64, row: u64, level: u64, pitch: u64, slice: u64| {
            let column = column + (u64::from(x) << element);
            (column + (row + u64::from(y)) * pitch + (level + u64::from(z)) * slice) as usize
        };
        for level in 0..slices {
            for row in 0..rows {
                for column in 0..width << element {
                    expected[place(column, row, level, out_pitch, out_slice)] =
                        data[place(column, row, level, pitch, slice)];
                }
            }
        }
        prop_assert_eq!(bus.content(OUT), expected);
    }
}

#[test]
fn polls_compare_masked_memory_unsigned() {
    let poll = |comparison| Poll { at: DATA, mask: 0xff, comparison, reference: 5 };
    for (comparison, holds) in [
        (Comparison::Always, [true, true, true]),
        (Comparison::Less, [true, false, false]),
        (Comparison::LessOrEqual, [true, true, false]),
        (Comparison::Equal, [false, true, false]),
        (Comparison::NotEqual, [true, false, true]),
        (Comparison::GreaterOrEqual, [false, true, true]),
        (Comparison::Greater, [false, false, true]),
    ] {
        let seen = [0xffff_ff04, 0x105, 0x8000_0080].map(|value| poll(comparison).holds(value));
        assert_eq!(seen, holds, "{comparison:?}");
    }
}

#[test]
fn a_poll_waits_and_holds_back_what_follows() {
    let bus = bus(&1_u64.to_le_bytes());
    let poll = Poll { at: DATA, mask: u32::MAX, comparison: Comparison::Equal, reference: 0 };
    let mut queue = submitted(&bus, None, &[Packet::Poll(poll), Packet::Trap(EventId::new(9))]);
    for _ in 0..3 {
        assert_eq!(step(&mut queue, &bus), Ok(Step::Waiting));
        assert_eq!(queue.read_pointer(), Pointer::new(0));
    }
    bus.store_u32(DATA, 0).expect("it is mapped");
    assert_eq!(step(&mut queue, &bus), Ok(Step::Done));
    assert_eq!(step(&mut queue, &bus), Ok(Step::Interrupt(EventId::new(9))));
    assert_eq!(step(&mut queue, &bus), Ok(Step::Idle));
}

#[test]
fn data_moves_at_the_end_of_a_copy_and_before_the_signal() {
    let mut data = vec![7; 100];
    data.resize(208, 0);
    data[200..].copy_from_slice(&1_u64.to_le_bytes());
    let (target, signal) = (DATA.plus(100), DATA.plus(200));
    let bus = bus(&data);
    let mut queue = submitted(
        &bus,
        Some(2),
        &[
            Packet::Copy { from: DATA, to: target, bytes: 100 },
            Packet::Add { at: signal, value: u64::MAX },
        ],
    );
    let start = Duration::from_micros(5);
    let end = start + Duration::from_micros(50);
    assert_eq!(queue.step(start, &bus, CLOCK), Ok(Step::Busy(end)));
    let almost = end - Duration::from_nanos(1);
    assert_eq!(queue.step(almost, &bus, CLOCK), Ok(Step::Busy(end)));
    assert_eq!(bus.bytes(target, 100), vec![0; 100]);
    bus.put(DATA, &[8; 100]); // what the source holds at the end counts
    assert_eq!(queue.step(end, &bus, CLOCK), Ok(Step::Done));
    assert_eq!(bus.bytes(target, 100), vec![8; 100]);
    assert_eq!(bus.load_u64(signal), Ok(1), "the signal is the next packet's");
    assert_eq!(queue.step(end, &bus, CLOCK), Ok(Step::Done));
    assert_eq!(bus.load_u64(signal), Ok(0));
}

#[test]
fn each_copy_takes_its_own_time() {
    let bus = bus(&[1; 64]);
    let copy = Packet::Copy { from: DATA, to: DATA.plus(32), bytes: 20 };
    let mut queue = submitted(&bus, Some(1), &[copy, copy]);
    for copies in 1..=2 {
        let (start, end) =
            (Duration::from_micros(copies * 20 - 20), Duration::from_micros(copies * 20));
        assert_eq!(queue.step(start, &bus, CLOCK), Ok(Step::Busy(end)));
        assert_eq!(queue.step(end, &bus, CLOCK), Ok(Step::Done));
    }
    assert_eq!(step(&mut queue, &bus), Ok(Step::Idle));
}

#[test]
fn small_packets_do_what_they_say() {
    let bus = bus(&[0xee; 64]);
    let packets = [
        Packet::Timestamp { at: DATA },
        Packet::HdpFlush,
        Packet::CacheOperation,
        Packet::Fill { to: DATA.plus(8), value: 0x0403_0201, bytes: 12 },
        Packet::Fence { at: DATA.plus(32), value: 0xdead },
    ];
    let mut queue = submitted(&bus, None, &packets);
    let steps: Vec<_> = packets.iter().map(|_| step(&mut queue, &bus)).collect();
    let done = Ok(Step::Done);
    assert_eq!(steps, [done, Ok(Step::HdpFlush), done, done, done]);
    let mut expected = 777_u64.to_le_bytes().to_vec();
    expected.extend([1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4]);
    expected.resize(32, 0xee);
    expected.extend(0xdead_u32.to_le_bytes());
    expected.resize(64, 0xee);
    assert_eq!(bus.content(DATA), expected);
}

#[test]
fn fills_of_bytes_repeat_one_byte() {
    let words = [11, 0x20_0000, 0, 0xaabb_ccdd, 6];
    let packet = Packet::Fill { to: DATA, value: 0xdddd_dddd, bytes: 7 };
    assert_eq!(decode(&words), Ok(Decoded { packet, dwords: 5 }));
}

#[test]
fn a_ring_wraps_and_padding_is_skipped() {
    let bus = bus(&[0; 8]);
    let mut queue = queue(None);
    let one = encode(&Packet::Add { at: DATA, value: 1 });
    // A no-op that skips its filler, up to one dword before the end; then a packet across the end.
    let skip = RING_BYTES as u32 / 4 - 2;
    bus.put(RING, &bytes_of(&[skip << 16, 0xffff_ffff]));
    bus.put(RING.plus(RING_BYTES - 4), &bytes_of(&one[..1]));
    queue.offer(Pointer::new(RING_BYTES - 4));
    assert_eq!(step(&mut queue, &bus), Ok(Step::Done));
    assert_eq!(queue.read_pointer(), Pointer::new(RING_BYTES - 4));
    assert_eq!(step(&mut queue, &bus), Ok(Step::Idle));
    bus.put(RING, &bytes_of(&one[1..]));
    queue.offer(Pointer::new(RING_BYTES + 28));
    assert_eq!(step(&mut queue, &bus), Ok(Step::Done));
    assert_eq!(bus.load_u64(DATA), Ok(1));
    assert_eq!(queue.read_pointer(), Pointer::new(RING_BYTES + 28));
    queue.offer(Pointer::new(4));
    assert_eq!(step(&mut queue, &bus), Ok(Step::Idle), "an older doorbell changes nothing");
}

#[test]
fn a_packet_whose_end_is_not_written_yet_is_waited_for() {
    let bus = bus(&[0; 8]);
    let mut queue = submitted(&bus, None, &[Packet::Add { at: DATA, value: 1 }]);
    let mut short = self::queue(None);
    for limit in [4, 7, 28, 31] {
        short.offer(Pointer::new(limit));
        assert_eq!(step(&mut short, &bus), Ok(Step::Waiting), "{limit} bytes");
    }
    assert_eq!(step(&mut queue, &bus), Ok(Step::Done));
    bus.put(RING, &bytes_of(&[5 << 16]));
    let mut filler = self::queue(None);
    filler.offer(Pointer::new(20));
    assert_eq!(step(&mut filler, &bus), Ok(Step::Waiting), "a no-op's filler");
    filler.offer(Pointer::new(24));
    assert_eq!(step(&mut filler, &bus), Ok(Step::Done));
}

#[test]
fn an_unknown_packet_and_a_fault_stop_a_queue_where_it_is() {
    let bus = bus(&[0; 8]);
    bus.put(RING, &bytes_of(&[0, 2 | 9 << 8]));
    let mut unknown = queue(None);
    unknown.offer(Pointer::new(64));
    assert_eq!(step(&mut unknown, &bus), Ok(Step::Done));
    let stopped = Stopped::Unknown { at: Pointer::new(4), opcode: 2, sub_opcode: 9 };
    assert_eq!([(); 2].map(|()| step(&mut unknown, &bus)), [Err(stopped); 2]);

    let nowhere = Address::new(0x4000_0000);
    let copy = Packet::Copy { from: DATA, to: nowhere, bytes: 8 };
    let mut faulty = submitted(&bus, Some(1), &[copy]);
    let late = Duration::from_secs(1);
    assert!(matches!(faulty.step(NOW, &bus, CLOCK), Ok(Step::Busy(_))));
    for _ in 0..2 {
        let Err(Stopped::Fault { at, fault }) = faulty.step(late, &bus, CLOCK) else {
            panic!("nothing is mapped there")
        };
        assert_eq!((at, fault.at), (Pointer::new(0), nowhere));
    }
}

#[test]
fn rings_that_hardware_refuses_are_refused() {
    for (at, bytes) in [(RING, 0), (RING, 32), (RING, 96), (RING.plus(2), 64)] {
        assert_eq!(SdmaQueue::new(at, bytes, None).err(), Some(BadRing { at, bytes }));
    }
}
