//! A copy engine that does not keep its contract.

use std::cell::Cell;

use ringfence::{
    backend::{
        Body, CopyEngine, CopyRefused, Deps, Device, Packet, PacketCount, PacketQueue, PartIndex,
        SignalMemory, Signals,
    },
    id::{LaneId, PacketId, SignalHandle},
};
use ringfence_mock::{
    model::Model,
    system::{MockDevice, MockQueue},
};
use ringfence_tests::conformance::{MovingEngine, Transfer};

use crate::flaw::Flaw;

#[derive(Debug)]
pub(crate) struct BrokenEngine {
    pub(crate) engine: MovingEngine,
    pub(crate) device: MockDevice,
    pub(crate) flaw: Flaw,
    /// The lane of the first queue.
    pub(crate) lane: LaneId,
    /// A queue that completes what the engine should.
    pub(crate) aside: MockQueue,
    pub(crate) last: Cell<Option<PacketId>>,
}
impl BrokenEngine {
    fn owns(&self, signal: SignalHandle) -> bool {
        let owner = |model: &Model| model.cell(signal).map(|cell| cell.owner());
        self.device.system().with_model(owner) == Some(self.device.id())
    }
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
        if self.flaw == Flaw::EngineIsAQueue { self.lane } else { self.engine.lane() }
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
        // Two tickets of one number: the mock takes neither twice.
        let at = if self.flaw == Flaw::TicketsRepeat { self.engine.reserve() } else { at };
        let own: Vec<_> = waits.iter().copied().filter(|&wait| self.owns(wait)).collect();
        let (waits, completes) = match self.flaw {
            Flaw::PeersUnseen => (&own[..], completes),
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
            Err(CopyRefused::DeviceLost) if self.flaw == Flaw::CopiesWhenLost => Ok(()),
            Err(CopyRefused::SignalMemory) if self.flaw == Flaw::RefusesSilently => Ok(()),
            taken => taken,
        }
    }
}
