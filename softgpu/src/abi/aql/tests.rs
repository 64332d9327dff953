//! Packets are read where the headers have their fields.

use super::*;

/// Bytes that differ from their neighbours, of a packet of this type.
fn packet(kind: u8) -> [u8; BYTES] {
    let mut bytes = std::array::from_fn(|at| at as u8 + 0x40);
    bytes[0] = kind;
    bytes
}
fn decode(bytes: &[u8; BYTES]) -> Result<Packet, Malformed> {
    Packet::decode(u16::from_le_bytes([bytes[0], bytes[1]]), bytes)
}
/// What [`packet`] has at an offset.
fn expected(at: u8) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|byte| at + byte as u8 + 0x40))
}

#[test]
fn the_barrier_bit_is_bit_8_of_the_header() {
    for (bits, barrier) in
        [(0, Barrier::Clear), (1, Barrier::Set), (0xfe, Barrier::Clear), (0xff, Barrier::Set)]
    {
        let mut bytes = packet(2);
        bytes[1] = bits;
        assert_eq!(decode(&bytes).unwrap().barrier, barrier, "{bits:#x}");
    }
}

#[test]
fn a_kernel_keeps_its_bytes() {
    let bytes = packet(2);
    let decoded = decode(&bytes).unwrap();
    assert_eq!(decoded.body, Body::Kernel(Dispatch::new(bytes)));
    assert_eq!(decoded.completes.as_u64(), expected(56));
    assert!(!decoded.holds_back());
}

#[test]
fn barrier_packets_have_five_dependencies() {
    let signals = [8, 16, 24, 32, 40].map(|at| SignalHandle::new(expected(at)));
    let deps = Deps::take(&signals).0;
    for (kind, waits) in [(3, Waits::All(deps)), (5, Waits::Any(deps))] {
        let decoded = decode(&packet(kind)).unwrap();
        assert_eq!(decoded.body, Body::Barrier(waits));
        assert_eq!(decoded.completes.as_u64(), expected(56));
        assert!(decoded.holds_back());
    }
    let mut holes = packet(3);
    holes[8..16].fill(0);
    holes[24..40].fill(0);
    let left = Deps::take(&[signals[1], signals[4]]).0;
    assert_eq!(decode(&holes).unwrap().body, Body::Barrier(Waits::All(left)));
}

#[test]
fn a_barrier_value_packet_has_signal_reference_mask_and_condition() {
    let conditions = [Compare::Equal, Compare::NotEqual, Compare::Below, Compare::AtLeast];
    for (compare, condition) in conditions.into_iter().zip(0_u32..) {
        let mut bytes = packet(0);
        bytes[2] = 2;
        bytes[32..36].copy_from_slice(&condition.to_le_bytes());
        let decoded = decode(&bytes).unwrap();
        let waits = Waits::Value {
            signal: SignalHandle::new(expected(8)),
            reference: expected(16).cast_signed(),
            mask: expected(24).cast_signed(),
            compare,
        };
        assert_eq!(decoded.body, Body::Value(waits));
        assert_eq!(decoded.completes.as_u64(), expected(56));
        assert!(!decoded.holds_back());
    }
}

#[test]
fn every_type_is_known_or_malformed() {
    for kind in 0..=u8::MAX {
        let mut bytes = packet(kind);
        bytes[2] = 1;
        let known = matches!(kind, 0 | 2 | 3 | 5);
        let result = decode(&bytes).map(|_| ());
        assert_eq!(result, if known { Ok(()) } else { Err(Malformed::Type(kind)) });
    }
    for format in 0..=u8::MAX {
        let mut bytes = packet(0);
        bytes[2] = format;
        bytes[32..36].fill(0);
        let known = matches!(format, 1 | 2);
        let result = decode(&bytes).map(|_| ());
        assert_eq!(result, if known { Ok(()) } else { Err(Malformed::Format(format)) });
    }
    for condition in [4, 5, u32::MAX] {
        let mut bytes = packet(0);
        bytes[2] = 2;
        bytes[32..36].copy_from_slice(&condition.to_le_bytes());
        assert_eq!(decode(&bytes), Err(Malformed::Compare(condition)));
    }
}
