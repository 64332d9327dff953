//! The end of a run: everything that was submitted is retired, and every signal is accounted for.

use ringfence::{error::Failure, id::PacketId};

use super::host::Host;
use crate::bytes::Bytes;

/// Searches for each signal that a ring has, at the end: so many find all of it (S20).
const SEARCHES: usize = 6;

impl Host {
    /// Everything completes and is let go of. The read index stands still from here on.
    ///
    /// # Panics
    /// If something is left over.
    pub(super) fn end(mut self, bytes: &mut Bytes<'_>) {
        let is_lost = bytes.below(16) == 15;
        if is_lost {
            return self.lose();
        }
        self.let_go();
        self.gpu.run_until_idle();
        // In turn: one stream's packets hold signals of the other.
        for _ in 0..SEARCHES * (self.gpu.created() + 2) {
            for ring in 0..self.rings.len() {
                self.look(ring, PacketId::FIRST);
                self.ask_for_fence(ring, bytes);
                self.let_go();
                self.gpu.run_until_idle();
            }
        }
        if self.is_faulty {
            return;
        }
        assert!(self.gpu.is_idle(), "packets wait for what never comes");
        let mut signals = 0;
        for one in &self.rings {
            assert_eq!(one.in_flight(), 0, "S20: uses are never retired: {one:#?}");
            assert_eq!(one.pinned(), 0, "S9: pins are never released: {one:#?}");
        }
        for ring in 0..self.rings.len() {
            self.flush(ring);
            let one = &self.rings[ring];
            assert_eq!(one.parked(), 0, "signals stay parked, and nobody holds them");
            assert_eq!(one.quarantined(), 0, "S18: signals stay quarantined");
            let pools = ringfence::backend::SignalMemory::ALL;
            let usable: usize = pools.into_iter().map(|pool| one.usable(pool)).sum();
            assert_eq!(usable, one.size(), "signals are lost");
            signals += one.size();
        }
        self.rings.clear();
        assert_eq!(signals, self.gpu.created(), "a ring forgot signals");
        assert_eq!(self.reaper.reap(drop), signals, "not every signal is destroyed");
    }
    /// The device is lost: what it may still write to is given up, the rest destroyed (S17).
    fn lose(mut self) {
        for ring in &mut self.rings {
            let expected = ring.in_flight() + ring.quarantined();
            let leaked = ring.lose(Failure::DeviceLost);
            assert_eq!(leaked as usize, expected, "S17: what may still be written to is leaked");
            assert_eq!(ring.in_flight() + ring.pinned(), 0, "S17: something is left in flight");
        }
        let created = self.gpu.created();
        self.let_go();
        self.rings.clear();
        assert!(self.reaper.reap(drop) <= created, "a signal is destroyed twice");
    }
}
