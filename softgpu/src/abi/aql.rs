//! Packets of 64 bytes in a queue's ring (HSA 2.9; `hsa.h`, `hsa_ext_amd.h`).

use ringfence::{
    backend::{Deps, MAX_DEPS},
    id::{Barrier, SignalHandle},
};
use ringfence_mock::model::{Compare, Ordered, Waits};

use crate::{address::Address, kernels::Dispatch};

/// Bytes of a packet.
pub const BYTES: usize = 64;
/// The header that says that nothing is written there yet, or any more.
pub const INVALID: u16 = 1;

/// Where the completion signal is, in every kind.
const COMPLETES: usize = 56;

/// One packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    /// Whether it waits for all earlier ones.
    pub barrier: Barrier,
    /// What it does.
    pub body: Body,
    /// The signal that it decrements, or null.
    pub completes: Address,
}

/// What a packet does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Body {
    /// It runs a kernel.
    Kernel(Dispatch),
    /// BARRIER_AND or OR: it waits, and holds back what is behind it.
    Barrier(Waits),
    /// The vendor's: it may wait, and holds back nothing.
    Value(Waits),
}

/// Why 64 bytes are no packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Malformed {
    /// The type is none that a GPU's queue takes.
    #[error("a packet processor takes no packets of type {0}")]
    Type(u8),
    /// The vendor's type is unknown.
    #[error("the vendor's packets have no format {0}")]
    Format(u8),
    /// The comparison is unknown.
    #[error("a barrier-value packet compares in no way numbered {0}")]
    Compare(u32),
}

impl Packet {
    /// Reads a packet. Its type is in `header`, which is read before the rest is valid.
    pub fn decode(header: u16, bytes: &[u8; BYTES]) -> Result<Self, Malformed> {
        let kind = (header & 0xff) as u8;
        let barrier = if header & 0x100 != 0 { Barrier::Set } else { Barrier::Clear };
        let body = match kind {
            0 => Self::vendor(bytes)?,
            2 => Body::Kernel(Dispatch::new(*bytes)),
            3 => Body::Barrier(Waits::All(dependencies(bytes))),
            5 => Body::Barrier(Waits::Any(dependencies(bytes))),
            _ => return Err(Malformed::Type(kind)),
        };
        Ok(Self { barrier, body, completes: Address::new(word(bytes, COMPLETES)) })
    }
    fn vendor(bytes: &[u8; BYTES]) -> Result<Body, Malformed> {
        const PM4: u8 = 1;
        const BARRIER_VALUE: u8 = 2;
        match bytes[2] {
            // Commands of the hardware's own, by which ROCr invalidates caches: nothing is cached here.
            PM4 => return Ok(Body::Value(Waits::Nothing)),
            BARRIER_VALUE if word(bytes, 8) == 0 => return Ok(Body::Value(Waits::Nothing)),
            BARRIER_VALUE => {}
            format => return Err(Malformed::Format(format)),
        }
        let condition = u32::from_le_bytes(bytes[32..36].try_into().expect("four bytes"));
        let compare = match condition {
            0 => Compare::Equal,
            1 => Compare::NotEqual,
            2 => Compare::Below,
            3 => Compare::AtLeast,
            _ => return Err(Malformed::Compare(condition)),
        };
        Ok(Body::Value(Waits::Value {
            signal: SignalHandle::new(word(bytes, 8)),
            mask: word(bytes, 24).cast_signed(),
            compare,
            reference: word(bytes, 16).cast_signed(),
        }))
    }
}
impl Ordered for Packet {
    fn barrier(&self) -> Barrier {
        self.barrier
    }
    fn holds_back(&self) -> bool {
        matches!(self.body, Body::Barrier(_))
    }
}

/// The 8 bytes at `at`.
pub fn word(bytes: &[u8; BYTES], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
fn dependencies(bytes: &[u8; BYTES]) -> Deps {
    let mut signals = [SignalHandle::NULL; MAX_DEPS];
    let (mut count, all) = (0, (0..MAX_DEPS).map(|at| word(bytes, 8 + 8 * at)));
    for handle in all.filter(|&handle| handle != 0) {
        signals[count] = SignalHandle::new(handle);
        count += 1;
    }
    Deps::take(&signals[..count]).0
}

#[cfg(test)]
mod tests;
