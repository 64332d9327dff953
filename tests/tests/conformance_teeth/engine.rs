//! A copy engine that does not keep its contract.

use std::cell::Cell;

use ringfence::{
    backend::{
        Body, CopyEngine, CopyRefused, Deps, Packet, PacketCount, PacketQueue, PartIndex,
        SignalMemory, Signals,
    },
    id::{LaneId, PacketId, SignalHandle},
};
use ringfence_mock::system::{MockDevice, MockQueue};
use ringfence_tests::conformance::{MovingEngine, Transfer};

use crate::flaw::Flaw;

#[derive(Debug)]
pub(crate) struct BrokenEngine {
    pub(crate) engine: MovingEngine,
    pub(crate) device: MockDevice,
    pub(crate) flaw: Flaw,
    /// A queue that completes what the engine should.
    pub(crate) aside: MockQueue,
    pub(crate) last: Cell<Option<PacketId>>,
}
impl BrokenEngine {
    /// A packet beside the queue completes `signal` once `waits` are 0.
    fn complete(&self, signal: SignalHandle, waits: &[SignalHandle]) {
        let at = self.aside.reserve(PacketCount::ONE);
        let body = Body::And(Deps::take(waits).0);
        self.aside.commit(at, &Packet { body, completes: signal, ..Packet::nothing() });
        self.aside.ring_doorbell(at);
    }
}
impl CopyEngine for BrokenEngine {
    type Work = Transfer;
    fn lane(&self) -> LaneId {
        self.engine.lane()
    }
    fn reserve(&self) -> PacketId {
        if self.flaw == Flaw::TicketsRepeat
            && let Some(last) = self.last.take()
        {
            return last;
        }
        let ticket = self.engine.reserve();
        self.last.set(Some(ticket));
        ticket
    }
    fn submit(
        &self,
        at: PacketId,
        part: PartIndex,
        work: Transfer,
        completes: SignalHandle,
        waits: &[SignalHandle],
    ) -> Result<(), CopyRefused> {
        let (waits, completes) = match self.flaw {
            Flaw::CopiesAtOnce => (&[][..], completes),
            Flaw::CopiesAfterTheFirst => (&waits[..waits.len().min(1)], completes),
            Flaw::CompletesBeforeItMoved => {
                self.complete(completes, waits);
                let mut own = [SignalHandle::NULL];
                let _made = self.device.create(SignalMemory::Host, &mut own);
                (waits, own[0])
            }
            Flaw::PartsDecrementTwice => {
                self.complete(completes, waits);
                (waits, completes)
            }
            _ => (waits, completes),
        };
        match self.engine.submit(at, part, work, completes, waits) {
            Err(CopyRefused::SignalMemory) if self.flaw == Flaw::RefusesSilently => Ok(()),
            taken => taken,
        }
    }
}
