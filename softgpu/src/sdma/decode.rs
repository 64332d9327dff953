//! The dwords of a ring as packets.
//!
//! Layouts as ROCr writes them (5.2 to 6.4 alike, for gfx9 to gfx11):
//! <https://github.com/ROCm/ROCR-Runtime/blob/amd-staging/runtime/hsa-runtime/core/inc/sdma_registers.h>.

use crate::address::Address;

/// Dwords of the longest packet. The filler that a no-op skips is not read.
pub const LONGEST: usize = 13;

/// An event of the kernel's, as packets and signals name it; 28 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EventId(u32);
impl EventId {
    /// The event with this number.
    pub const fn new(number: u32) -> Self {
        Self(number)
    }
    /// Its number.
    pub const fn as_u32(self) -> u32 {
        self.0
    }
}

/// What a copy engine is asked to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packet {
    /// Nothing; ROCr pads the end of a ring with these.
    Nop,
    /// A linear copy.
    Copy {
        /// The first byte that is read.
        from: Address,
        /// The first byte that is written.
        to: Address,
        /// How many; at least 1.
        bytes: u64,
    },
    /// A copy of a box between two pitched surfaces (a "linear sub-window").
    CopyRect(Rect),
    /// A repeated dword.
    Fill {
        /// The first byte that is written.
        to: Address,
        /// What is repeated, its lowest byte first.
        value: u32,
        /// How many bytes; at least 1.
        bytes: u64,
    },
    /// A store of 4 bytes, after all that went before.
    Fence {
        /// Where.
        at: Address,
        /// What.
        value: u32,
    },
    /// An interrupt.
    Trap(EventId),
    /// A wait for a condition on 4 bytes.
    Poll(Poll),
    /// A flush of the host's stores to device memory. It is encoded as a poll of a register.
    HdpFlush,
    /// An atomic addition to 8 bytes.
    Add {
        /// Where.
        at: Address,
        /// What is added, modulo 2^64.
        value: u64,
    },
    /// A store of the device's clock.
    Timestamp {
        /// Where 8 bytes go.
        at: Address,
    },
    /// Caches written back or invalidated (gfx10 and later).
    CacheOperation,
}
/// A copy of a box of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rect {
    /// What is read.
    pub from: Plane,
    /// What is written.
    pub to: Plane,
    /// Bytes of a row; at least 1.
    pub width: u64,
    /// Rows of a slice; at least 1.
    pub rows: u64,
    /// Slices; at least 1.
    pub slices: u64,
}
impl Rect {
    /// Bytes that are copied.
    pub const fn bytes(&self) -> u64 {
        self.width * self.rows * self.slices // at most 18 + 14 + 11 bits
    }
}
/// A pitched surface, from the box's first byte on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plane {
    /// The box's first byte.
    pub start: Address,
    /// Bytes from a row to the next.
    pub pitch: u64,
    /// Bytes from a slice to the next.
    pub slice: u64,
}
impl Plane {
    /// The first byte of a row.
    pub const fn row(&self, row: u64, slice: u64) -> Address {
        self.start.plus(row.wrapping_mul(self.pitch)).plus(slice.wrapping_mul(self.slice))
    }
}
/// A condition on 4 bytes of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Poll {
    /// Where.
    pub at: Address,
    /// The bits that count.
    pub mask: u32,
    /// How they are compared with `reference`, unsigned.
    pub comparison: Comparison,
    /// What they are compared with.
    pub reference: u32,
}
impl Poll {
    /// Whether the condition holds for this value of the memory.
    pub const fn holds(&self, value: u32) -> bool {
        let value = value & self.mask;
        match self.comparison {
            Comparison::Always => true,
            Comparison::Less => value < self.reference,
            Comparison::LessOrEqual => value <= self.reference,
            Comparison::Equal => value == self.reference,
            Comparison::NotEqual => value != self.reference,
            Comparison::GreaterOrEqual => value >= self.reference,
            Comparison::Greater => value > self.reference,
        }
    }
}
/// How memory and reference are compared, memory first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// True.
    Always,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `>=`
    GreaterOrEqual,
    /// `>`
    Greater,
}

/// A packet, and how much of the ring it takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decoded {
    /// What is to be done.
    pub packet: Packet,
    /// Its length, at least 1.
    pub dwords: u32,
}
/// Why dwords are no packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Undecodable {
    /// More dwords are needed.
    #[error("the packet goes on")]
    Truncated,
    /// No packet that is modelled.
    #[error("an SDMA packet of opcode {opcode}, sub-opcode {sub_opcode}, that is not modelled")]
    Unknown {
        /// Bits 0 to 7 of the first dword.
        opcode: u8,
        /// Bits 8 to 15 of it.
        sub_opcode: u8,
    },
}

/// The packet at the start of `dwords`.
pub fn decode(dwords: &[u32]) -> Result<Decoded, Undecodable> {
    let &[header, ..] = dwords else { return Err(Undecodable::Truncated) };
    let [opcode, sub_opcode, ..] = header.to_le_bytes();
    let unknown = Undecodable::Unknown { opcode, sub_opcode };
    let (packet, dwords) = match (opcode, sub_opcode) {
        (0, 0) => (Packet::Nop, 1 + bits(header, 16, 14)),
        (1, 0) => {
            let [_, count, _, from @ .., to_low, to_high] = fields::<7>(dwords)?;
            let bytes = u64::from(bits(count, 0, 30)) + 1;
            (Packet::Copy { from: address(from), to: address([to_low, to_high]), bytes }, 7)
        }
        (1, 4) => (rect(fields(dwords)?), 13),
        (5, 0) => {
            let [_, low, high, value] = fields(dwords)?;
            (Packet::Fence { at: word([low, high]), value }, 4)
        }
        (6, 0) => (Packet::Trap(EventId(bits(fields::<2>(dwords)?[1], 0, 28))), 2),
        (8, 0) => (poll(fields(dwords)?).ok_or(unknown)?, 6),
        (10, 0) => {
            const ADD_64: u32 = 47;
            let [_, low, high, value_low, value_high, ..] = fields::<8>(dwords)?;
            if bits(header, 25, 7) != ADD_64 {
                return Err(unknown);
            }
            let value = u64::from(value_low) | u64::from(value_high) << 32;
            (Packet::Add { at: long([low, high]), value }, 8)
        }
        (11, 0) => (fill(fields(dwords)?).ok_or(unknown)?, 5),
        (13, 2) => {
            let [_, low, high] = fields(dwords)?;
            (Packet::Timestamp { at: long([low, high]) }, 3)
        }
        (17, 1) => {
            fields::<5>(dwords)?;
            (Packet::CacheOperation, 5)
        }
        _ => return Err(unknown),
    };
    Ok(Decoded { packet, dwords })
}

fn rect(words: [u32; 13]) -> Packet {
    let [header, from @ .., _, _, _, _, _, xy, z] = words;
    let [.., to_low, to_high, to_xy, to_z_pitch, to_slice, _, _] = words;
    let element = bits(header, 29, 3);
    let scaled = |field: u32| u64::from(field) << element;
    let plane = |[low, high, xy, z_pitch, slice]: [u32; 5]| {
        let pitch = scaled(bits(z_pitch, 13, 19)) + scaled(1);
        let slice = scaled(bits(slice, 0, 28)) + scaled(1);
        let surface = Plane { start: address([low, high]), pitch, slice };
        let first = surface.row(bits(xy, 16, 14).into(), bits(z_pitch, 0, 11).into());
        Plane { start: first.plus(scaled(bits(xy, 0, 14))), ..surface }
    };
    Packet::CopyRect(Rect {
        from: plane(from),
        to: plane([to_low, to_high, to_xy, to_z_pitch, to_slice]),
        width: scaled(bits(xy, 0, 14)) + scaled(1),
        rows: u64::from(bits(xy, 16, 14)) + 1,
        slices: u64::from(bits(z, 0, 11)) + 1,
    })
}
/// A poll of memory, or the one poll of a register that is known: an HDP flush.
fn poll([header, low, high, reference, mask, _]: [u32; 6]) -> Option<Packet> {
    const FLUSH_REGISTER: [u32; 2] = [0, 0x8000_0000];
    let (of_memory, flush) = (bits(header, 31, 1) == 1, bits(header, 26, 1) == 1);
    if flush || !of_memory {
        return (flush || [low, high] == FLUSH_REGISTER).then_some(Packet::HdpFlush);
    }
    let comparison = match bits(header, 28, 3) {
        0 => Comparison::Always,
        1 => Comparison::Less,
        2 => Comparison::LessOrEqual,
        3 => Comparison::Equal,
        4 => Comparison::NotEqual,
        5 => Comparison::GreaterOrEqual,
        6 => Comparison::Greater,
        _ => return None,
    };
    Some(Packet::Poll(Poll { at: word([low, high]), mask, comparison, reference }))
}
/// A fill of dwords or of bytes.
fn fill([header, low, high, value, count]: [u32; 5]) -> Option<Packet> {
    const BYTES: u32 = 0;
    const DWORDS: u32 = 2;
    let last = u64::from(bits(count, 0, 30));
    let (value, bytes) = match bits(header, 30, 2) {
        BYTES => (u32::from_le_bytes([value.to_le_bytes()[0]; 4]), last + 1),
        DWORDS => (value, last / 4 * 4 + 4),
        _ => return None,
    };
    Some(Packet::Fill { to: address([low, high]), value, bytes })
}

fn fields<const N: usize>(dwords: &[u32]) -> Result<[u32; N], Undecodable> {
    dwords.first_chunk().copied().ok_or(Undecodable::Truncated)
}
const fn bits(word: u32, from: u32, count: u32) -> u32 {
    word >> from & (u32::MAX >> (32 - count))
}
const fn address([low, high]: [u32; 2]) -> Address {
    Address::new(low as u64 | (high as u64) << 32)
}
/// The engine ignores the lowest bits of the address of a dword.
const fn word([low, high]: [u32; 2]) -> Address {
    address([low & !3, high])
}
/// The same for 8 bytes.
const fn long([low, high]: [u32; 2]) -> Address {
    address([low & !7, high])
}
