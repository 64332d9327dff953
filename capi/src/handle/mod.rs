//! Handles: 64-bit names of objects, checked at every call.
//!
//! ```text
//! bits 63..56: kind of object     55..32: place in the table of that kind     31..0: generation of the place
//! ```
//!
//! A place is used again under the next generation, so that an old handle is known to be one; a place whose
//! generations are used up is never used again. Where they begin is another number in each copy of the library that a process
//! loads, so that none takes another one's handles. To look a handle up takes no lock and allocates nothing: the table
//! grows by chunks that stay where they are, and who is in a call on an object is one number beside it.

mod free;
mod slot;
mod sync;
mod table;

#[cfg(test)]
mod tests;

pub(crate) use slot::{Exclusive, Shared};
pub(crate) use table::Table;

use crate::status::{Failure, ringfence_status_t as Status};

/// What a handle names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Pool = 1,
    Lease,
    Stamp,
    Memory,
    Graph,
    Capture,
    Owners,
    Device,
    Queue,
    Tracker,
    Event,
    Watermark,
    Ring,
    Hold,
}
impl Kind {
    const ALL: [Self; 14] = [
        Self::Pool,
        Self::Lease,
        Self::Stamp,
        Self::Memory,
        Self::Graph,
        Self::Capture,
        Self::Owners,
        Self::Device,
        Self::Queue,
        Self::Tracker,
        Self::Event,
        Self::Watermark,
        Self::Ring,
        Self::Hold,
    ];
    const fn name(self) -> &'static str {
        match self {
            Self::Pool => "pool",
            Self::Lease => "lease",
            Self::Stamp => "stamp",
            Self::Memory => "memory",
            Self::Graph => "graph",
            Self::Capture => "capture",
            Self::Owners => "owner table",
            Self::Device => "device",
            Self::Queue => "queue",
            Self::Tracker => "tracker",
            Self::Event => "event",
            Self::Watermark => "watermark",
            Self::Ring => "ring",
            Self::Hold => "hold",
        }
    }
    fn of(handle: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u64 == handle >> 56)
    }
}

/// Why a handle brings no object. As small as it is, so that a finalizer's call makes no message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refused {
    /// 0.
    Null,
    /// Of an object of another kind, or never given out.
    Foreign,
    /// Its object is gone.
    Stale,
    /// Another call has it.
    InUse,
    /// A panic met it.
    Poisoned,
}
impl Refused {
    pub(crate) const fn status(self) -> Status {
        match self {
            Self::Null | Self::Foreign => Status::RINGFENCE_BAD_HANDLE,
            Self::Stale => Status::RINGFENCE_STALE_HANDLE,
            Self::InUse => Status::RINGFENCE_IN_USE,
            Self::Poisoned => Status::RINGFENCE_POISONED,
        }
    }
    pub(crate) fn failure(self, handle: u64, kind: Kind) -> Failure {
        let name = kind.name();
        let status = self.status();
        let say = |message: std::fmt::Arguments<'_>| Failure::new(status, message);
        match (self, Kind::of(handle)) {
            (Self::Null, _) => say(format_args!("handle 0 is no {name}; make one first")),
            (Self::Foreign, Some(other)) if other != kind => say(format_args!(
                "handle {handle:#x} names a {}, and a {name} is wanted",
                other.name()
            )),
            (Self::Foreign, _) => say(format_args!(
                "{handle:#x} was never given out as a {name} by this copy of the library; pass handles on as they were given, and load one copy in a process"
            )),
            (Self::Stale, _) => say(format_args!(
                "the {name} of handle {handle:#x} is gone: it was closed, released or given up; set a handle to 0 when its object goes"
            )),
            (Self::InUse, _) => say(format_args!(
                "another call has the {name} {handle:#x} at this moment; let it return first: one call at a time may use it"
            )),
            (Self::Poisoned, _) => say(format_args!(
                "an earlier call on the {name} {handle:#x} ended in a panic; close it, and make another"
            )),
        }
    }
}
