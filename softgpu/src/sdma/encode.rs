//! Packets as ROCr writes them, for tests.

use super::decode::{Comparison, Packet, Plane, Poll, Rect};
use crate::address::Address;

fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}
fn at(address: Address) -> [u32; 2] {
    halves(address.as_u64())
}
fn comparison(of: Comparison) -> u32 {
    match of {
        Comparison::Always => 0,
        Comparison::Less => 1,
        Comparison::LessOrEqual => 2,
        Comparison::Equal => 3,
        Comparison::NotEqual => 4,
        Comparison::GreaterOrEqual => 5,
        Comparison::Greater => 6,
    }
}

/// The dwords of a packet; a rectangle in elements of one byte.
pub fn encode(packet: &Packet) -> Vec<u32> {
    match *packet {
        Packet::Nop => vec![0],
        Packet::Copy { from, to, bytes } => {
            let ([f0, f1], [t0, t1]) = (at(from), at(to));
            vec![1, bytes as u32 - 1, 0, f0, f1, t0, t1]
        }
        Packet::CopyRect(rect) => encode_rect(&rect, 0, [0; 3]),
        Packet::Fill { to, value, bytes } => {
            let [t0, t1] = at(to);
            vec![11 | 2 << 30, t0, t1, value, bytes as u32 - 4]
        }
        Packet::Fence { at: to, value } => {
            let [t0, t1] = at(to);
            vec![5 | 3 << 16, t0, t1, value]
        }
        Packet::Trap(event) => vec![6, event.as_u32()],
        Packet::Poll(Poll { at: of, mask, comparison: how, reference }) => {
            let [a0, a1] = at(of);
            vec![8 | comparison(how) << 28 | 1 << 31, a0, a1, reference, mask, 0x0fff_0004]
        }
        Packet::HdpFlush => vec![8, 0, 0x8000_0000, 0, 0, 0],
        Packet::Add { at: to, value } => {
            let ([t0, t1], [v0, v1]) = (at(to), halves(value));
            vec![10 | 47 << 25, t0, t1, v0, v1, 0, 0, 0]
        }
        Packet::Timestamp { at: to } => {
            let [t0, t1] = at(to);
            vec![13 | 2 << 8, t0, t1]
        }
        Packet::CacheOperation => vec![17 | 1 << 8, 0, 0xc0c0_0000, 0, 0],
    }
}

/// A rectangle in elements of `1 << element` bytes, its box at this offset (x, y, z) of both surfaces:
/// the planes' starts are the surfaces' here.
pub fn encode_rect(rect: &Rect, element: u32, [x, y, z]: [u32; 3]) -> Vec<u32> {
    let plane = |plane: Plane| {
        let [a0, a1] = at(plane.start);
        let pitch = (plane.pitch >> element) as u32 - 1;
        [a0, a1, x | y << 16, z | pitch << 13, (plane.slice >> element) as u32 - 1]
    };
    let mut words = vec![1 | 4 << 8 | element << 29];
    words.extend(plane(rect.from));
    words.extend(plane(rect.to));
    words.push(((rect.width >> element) as u32 - 1) | ((rect.rows as u32 - 1) << 16));
    words.push(rect.slices as u32 - 1);
    words
}
