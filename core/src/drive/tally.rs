//! Where a stream stands in its batches, by how many uses there were when they began: the path of a use
//! raises that one count.

use std::num::NonZeroU32;

use super::tracker::Tracker;
use crate::{
    backend::{Device, PacketQueue},
    error::Error,
    id::UseId,
    ledger::Counts,
    observe::{self, Completes},
    ring::IsFence,
};

/// See the module.
#[derive(Debug)]
#[repr(C)] // what every use looks at comes first: see `Tracker`
pub(super) struct Tally {
    /// Uses so far.
    pub(super) uses: u64,
    /// Uses at which the submission batch is full.
    pub(super) batch_end: u64,
    /// Uses when the tracker last looked for finished ones.
    pub(super) looked_at: u64,
    /// Fence uses when the batch began.
    pub(super) fences_before: u64,
    /// Uses that are no fences: most are, so that these are counted.
    pub(super) unfenced: u64,
    /// Uses that are no packets of the stream's queue: copies.
    copies: u64,
}
impl Tally {
    pub(super) fn new(submission_batch: NonZeroU32) -> Self {
        Self {
            uses: 0,
            batch_end: u64::from(submission_batch.get()),
            looked_at: 0,
            fences_before: 0,
            unfenced: 0,
            copies: 0,
        }
    }
}

impl<D: Device, Q: PacketQueue> Tracker<D, Q> {
    /// Uses since the tracker last looked for finished ones: at most one load in a batch of uses.
    #[inline(always)]
    pub(super) fn since_look(&self) -> u64 {
        self.tally.uses - self.tally.looked_at
    }
    pub(super) fn note_look(&mut self) {
        self.tally.looked_at = self.tally.uses;
    }
    /// A copy is a use, but not one that fills the submission batch, and no packet.
    pub(super) fn note_copy(&mut self, of: UseId) {
        observe::copied(self.id, of);
        self.tally.uses += 1;
        self.tally.unfenced += 1;
        self.tally.batch_end += 1;
        self.tally.copies += 1;
    }
    #[inline(always)]
    pub(super) fn note_use(&mut self, of: UseId, fence: IsFence) {
        let completes = match fence {
            IsFence::Yes => Completes::FenceSignal,
            IsFence::No => Completes::Signal,
        };
        observe::submitted(self.id, of, completes);
        self.tally.uses += 1;
        if fence == IsFence::No {
            self.tally.unfenced += 1;
        }
    }
    /// A packet without a signal.
    pub(super) fn note_bare(&mut self, of: UseId) {
        observe::submitted(self.id, of, Completes::Nothing);
        self.counts.packets += 1;
    }
    fn fence_uses(&self) -> u64 {
        self.tally.uses - self.tally.unfenced
    }
    /// The counts of this thread, with the uses, those of them that are fences, and those that are packets.
    pub(super) fn own_counts(&self) -> Counts {
        let uses = self.tally.uses;
        let packets = self.counts.packets + uses - self.tally.copies;
        Counts { uses, fence_uses: self.fence_uses(), packets, ..self.counts }
    }
    /// The batch so far is as one without a fence: the stream has left the queue that its fence is on.
    pub(super) fn forget_batch_fence(&mut self) {
        self.tally.fences_before = self.fence_uses();
    }
    /// After so many uses, what was submitted has to be provable: a batch without a fence gets one, and
    /// its signals can be let go of.
    #[inline(always)]
    pub(crate) fn end_batch(&mut self) {
        if self.tally.uses >= self.tally.batch_end {
            self.close_batch();
        }
    }
    #[cold]
    #[inline(never)]
    fn close_batch(&mut self) {
        let fences = self.fence_uses() - self.tally.fences_before;
        self.tally.batch_end = self.tally.uses + u64::from(self.policy.submission_batch.get());
        self.forget_batch_fence();
        self.counts.batches += 1;
        if fences == 0 && self.polling.is_none() {
            // What was submitted is published, whatever becomes of the fence behind it.
            let asked = self.ask_for_fence();
            self.defer(asked);
        }
    }
    /// Keeps an error of this tracker's own doing, met in a call that did what it was called for: the
    /// next call that looks for finished work reports it.
    pub(crate) fn defer(&mut self, result: Result<(), Error>) {
        self.deferred = self.deferred.or(result.err());
    }
}
