//! What larger steps ask for: packets, copies, faults of the machine.

use ringfence::{
    id::{Barrier, CacheScope},
    placement::Role,
};

use super::{Kind, Name, Signal, Stamps, Timing};

/// One packet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Submit {
    /// What the use is called from here on.
    pub name: Name,
    /// The stream.
    pub on: Name,
    /// What the packet does.
    pub kind: Kind,
    /// Its barrier bit.
    pub barrier: Barrier,
    /// Whether it completes a signal.
    pub signal: Signal,
    /// What its signal is for; the tracker's default when `None`.
    pub role: Option<Role>,
    /// Whether its interval is wanted.
    pub timing: Timing,
    /// How long it runs, in ticks of the device.
    pub ticks: u32,
    /// The scope that it releases to; the submission's default when `None`.
    pub release: Option<CacheScope>,
    /// The event that records it.
    pub event: Option<Name>,
}
impl Submit {
    /// Ticks that a packet runs when nothing else is said.
    pub const TICKS: u32 = 10;
    /// A kernel with the barrier bit.
    pub fn new(name: impl Into<Name>, on: impl Into<Name>) -> Self {
        Self {
            name: name.into(),
            on: on.into(),
            kind: Kind::Kernel,
            barrier: Barrier::Set,
            signal: Signal::Yes,
            role: None,
            timing: Timing::NotWanted,
            ticks: Self::TICKS,
            release: None,
            event: None,
        }
    }
}

/// Packets that are reserved at once, as a graph launch does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    /// The uses, by position in the reservation.
    pub signals: Vec<(u32, Name)>,
    /// The stream.
    pub on: Name,
    /// How many packets.
    pub packets: u32,
    /// The barrier bit of each.
    pub barrier: Barrier,
    /// Whether intervals are wanted.
    pub timing: Timing,
}

/// A copy of several parts on another engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CopyParts {
    /// What the use is called from here on.
    pub name: Name,
    /// The stream whose tracker has it.
    pub on: Name,
    /// The engine.
    pub engine: Name,
    /// How many parts.
    pub parts: u32,
    /// Events that each part waits for.
    pub waits: Vec<Name>,
    /// Whether its interval is wanted.
    pub timing: Timing,
    /// The event that records it.
    pub event: Option<Name>,
}

/// A fault of the machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MachineFault {
    /// The `at`-th signal that is created from here on is not: 1 is the next.
    Creation {
        /// Which one.
        at: u32,
    },
    /// The `at`-th creation from here on reports success and returns the null handle.
    NullHandle {
        /// Which one.
        at: u32,
    },
    /// The `at`-th part, from 0, of the next copy is refused.
    Part {
        /// Which one.
        at: u32,
    },
    /// The `at`-th signal that is created from here on, and those with it, land in host memory.
    FallBack {
        /// Which one.
        at: u32,
    },
    /// The next interrupt is lost.
    Interrupt,
    /// The device decrements this use's signal once more.
    LateDecrement {
        /// The use.
        of: Name,
    },
    /// The next completions write such timestamps.
    Timestamps {
        /// Which ones.
        stamps: Stamps,
        /// How many completions.
        times: u32,
    },
    /// The device is lost.
    Device {
        /// The device.
        device: Name,
    },
}
