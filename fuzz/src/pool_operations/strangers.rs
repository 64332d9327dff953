//! Raw handles that the pool is given: of the user's own streams, and of its own.

use ringfence_mock::{scenario::Name, streams::scenario::StreamAction};

use super::operations::{Program, one};
use crate::bytes::Bytes;

/// Streams of the user's own at once.
const STRANGERS: usize = 2;

/// What is wrapped, and what may be.
#[derive(Default)]
pub(super) struct Strangers {
    /// Streams of the user's own, each with the name of its wrapping while it has one.
    theirs: Vec<(Name, Option<Name>)>,
    /// Leases, each with the name that its handle was wrapped under. Used while the lease is held alone.
    pooled: Vec<(Name, Name)>,
}
impl Strangers {
    /// A lease is nobody's any more: nor is what its handle was wrapped under used again.
    pub(super) fn forget(&mut self, lease: &Name) {
        self.pooled.retain(|(of, _)| of != lease);
    }
}

impl Program {
    /// A stream of the user's own is made, wrapped, worked on, or let go of in order; or the handle of a pooled
    /// stream is wrapped, or worked on under that name.
    pub(super) fn strangers(&mut self, bytes: &mut Bytes<'_>) -> Option<StreamAction> {
        if self.has_left {
            return None;
        }
        let at = usize::from(bytes.byte());
        match at % 4 {
            0 if self.wrapped.theirs.len() < STRANGERS => {
                let (handle, place) = (self.name("r"), self.place(bytes));
                self.wrapped.theirs.push((handle.clone(), None));
                Some(StreamAction::Create { handle, place })
            }
            1 if !self.leases.is_empty() => self.pooled(bytes),
            _ => self.theirs(at, bytes),
        }
    }
    fn pooled(&mut self, bytes: &mut Bytes<'_>) -> Option<StreamAction> {
        let known: Vec<Name> = self.wrapped.pooled.iter().map(|(_, name)| name.clone()).collect();
        if let Some(on) = one(bytes, &known)
            && bytes.below(2) == 1
        {
            return Some(StreamAction::Run(self.run(on, bytes)));
        }
        let (lease, wrapped) = (one(bytes, &self.leases)?, self.name("w"));
        self.wrapped.pooled.push((lease.clone(), wrapped.clone()));
        Some(StreamAction::Wrap { wrapped, of: Some(lease) })
    }
    fn theirs(&mut self, at: usize, bytes: &mut Bytes<'_>) -> Option<StreamAction> {
        let at = at % self.wrapped.theirs.len().max(1);
        let (handle, wrapped) = self.wrapped.theirs.get(at).cloned()?;
        let verb = bytes.below(8);
        Some(match (wrapped, verb) {
            (None, 0) => StreamAction::Destroy(self.wrapped.theirs.swap_remove(at).0),
            (None, _) => {
                let wrapped = self.name("w");
                self.wrapped.theirs[at].1 = Some(wrapped.clone());
                StreamAction::Wrap { wrapped, of: Some(handle) }
            }
            (Some(wrapped), 0) => {
                self.wrapped.theirs[at].1 = None;
                StreamAction::Unwrap(wrapped)
            }
            (Some(on), 1) => {
                let memory = self.name("m");
                self.arrays.push(memory.clone());
                StreamAction::Alloc { memory, on }
            }
            (Some(on), _) => StreamAction::Run(self.run(on, bytes)),
        })
    }
}
