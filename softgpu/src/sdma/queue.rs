//! A ring of packets, and how far its engine is.

use std::{fmt, num::NonZeroU64, time::Duration};

use super::{
    decode::{Decoded, LONGEST, Packet, Undecodable, decode},
    execute::{Step, Ticks, execute},
};
use crate::{
    address::Address,
    bus::{Bus, Fault},
};

/// A position in a ring: bytes since the queue was made. It never wraps (gfx9 and later); the place in
/// memory is found modulo the ring's size.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Pointer(u64);
impl Pointer {
    /// So many bytes.
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }
    /// How many.
    pub const fn as_u64(self) -> u64 {
        self.0
    }
}
impl fmt::Display for Pointer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:#x}", self.0)
    }
}

/// Why a queue went no further. Its read pointer stays at the packet, and each further step says the
/// same: hardware hangs or faults here, and the queue's owner is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Stopped {
    /// A VM fault.
    #[error("at {at} in the ring: {fault}")]
    Fault {
        /// The packet.
        at: Pointer,
        /// What happened.
        fault: Fault,
    },
    /// No packet that is modelled.
    #[error("at {at} in the ring: opcode {opcode}, sub-opcode {sub_opcode} is not modelled")]
    Unknown {
        /// The packet.
        at: Pointer,
        /// Its opcode.
        opcode: u8,
        /// Its sub-opcode.
        sub_opcode: u8,
    },
}

/// A ring whose size is not a power of two of at least 64 bytes, or that is not aligned to a dword.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a ring of {bytes} bytes at {at} is not a power of two of aligned dwords")]
pub struct BadRing {
    /// Where.
    pub at: Address,
    /// How much.
    pub bytes: u64,
}

/// Planted by the fuzz target of packets: a packet that wraps is read on behind the ring.
fn reads_past_the_end() -> bool {
    #[cfg(feature = "planted")]
    if crate::plant::is_on() {
        return true;
    }
    false
}

/// A queue of a copy engine.
#[derive(Clone, Debug)]
pub struct SdmaQueue {
    ring: Address,
    bytes: u64,
    rate: Option<NonZeroU64>,
    read: Pointer,
    limit: Pointer,
    busy: Option<Duration>,
}
impl SdmaQueue {
    /// A queue over a ring of `bytes` at `ring`. Data moves at `rate` bytes in a microsecond, or at once.
    ///
    /// # Errors
    /// A ring that hardware would not take.
    pub fn new(ring: Address, bytes: u64, rate: Option<NonZeroU64>) -> Result<Self, BadRing> {
        if !bytes.is_power_of_two() || bytes < 64 || !ring.as_u64().is_multiple_of(4) {
            return Err(BadRing { at: ring, bytes });
        }
        let (read, limit) = Default::default();
        Ok(Self { ring, bytes, rate, read, limit, busy: None })
    }
    /// The doorbell was rung: everything before `limit` may be read. An older limit changes nothing.
    pub fn offer(&mut self, limit: Pointer) {
        self.limit = self.limit.max(limit);
    }
    /// Everything before this is done. It moves only when a packet is, so that a runtime reuses no place
    /// of the ring too early.
    pub const fn read_pointer(&self) -> Pointer {
        self.read
    }
    /// Goes on with the packet at the read pointer, at `now` by the engine's clock. One that moves data
    /// and takes time is looked at twice: the data moves at the end, before the next packet is read.
    ///
    /// # Errors
    /// The packet cannot be done; nothing moves on.
    pub fn step(&mut self, now: Duration, bus: &impl Bus, clock: Ticks) -> Result<Step, Stopped> {
        let at = self.read;
        let left = self.limit.0 - at.0;
        if left == 0 {
            return Ok(Step::Idle);
        }
        if let Some(until) = self.busy
            && now < until
        {
            return Ok(Step::Busy(until));
        }
        let stopped = |fault| Stopped::Fault { at, fault };
        let decoded = match self.fetch(left, bus).map_err(stopped)? {
            Ok(decoded) if u64::from(decoded.dwords) * 4 <= left => decoded,
            Ok(_) | Err(Undecodable::Truncated) => return Ok(Step::Waiting),
            Err(Undecodable::Unknown { opcode, sub_opcode }) => {
                return Err(Stopped::Unknown { at, opcode, sub_opcode });
            }
        };
        if self.busy.is_none()
            && let Some(span) = self.span(&decoded.packet)
        {
            let until = now.saturating_add(span);
            self.busy = Some(until);
            return Ok(Step::Busy(until));
        }
        let step = execute(&decoded.packet, bus, clock).map_err(stopped)?;
        if step != Step::Waiting {
            self.busy = None;
            self.read = Pointer(at.0 + u64::from(decoded.dwords) * 4);
        }
        Ok(step)
    }

    /// The packet at the read pointer, of which `left` bytes at most are in the ring.
    fn fetch(&self, left: u64, bus: &impl Bus) -> Result<Result<Decoded, Undecodable>, Fault> {
        let mut bytes = [0; LONGEST * 4];
        let whole = left.min(self.bytes).min(bytes.len() as u64) / 4 * 4;
        let place = self.read.0 & (self.bytes - 1);
        let ahead = whole.min(self.bytes - place);
        let (first, wrapped) = bytes[..whole as usize].split_at_mut(ahead as usize);
        bus.read(self.ring.plus(place), first)?;
        if !wrapped.is_empty() {
            let goes_on = if reads_past_the_end() { self.ring.plus(self.bytes) } else { self.ring };
            bus.read(goes_on, wrapped)?;
        }
        let (words, _) = bytes.as_chunks();
        let mut dwords = [0; LONGEST];
        for (dword, &word) in dwords.iter_mut().zip(words) {
            *dword = u32::from_le_bytes(word);
        }
        Ok(decode(&dwords[..whole as usize / 4]))
    }
    /// How long a packet's data takes; `None`: no time.
    fn span(&self, packet: &Packet) -> Option<Duration> {
        let bytes = match packet {
            Packet::Copy { bytes, .. } | Packet::Fill { bytes, .. } => *bytes,
            Packet::CopyRect(rect) => rect.bytes(),
            _ => return None,
        };
        let nanos = u128::from(bytes) * 1000 / u128::from(self.rate?.get());
        Some(Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)))
    }
}
