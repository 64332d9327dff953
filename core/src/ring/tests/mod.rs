//! The ring by itself: no device, only what it is told.

mod batches;
mod digests;
mod grounds;
mod keeping;
mod lanes;
mod looks;
mod names;
#[cfg(feature = "planted")]
mod planted;
mod probing;
mod proving;
mod quarantine;
mod random;
mod records;

use super::*;
use crate::{
    backend::{Engine, Settled},
    error::{Error, Failure},
    id::{Barrier, CacheScope, DeviceId, Generation, PacketId, Parts, QueueId, SignalValue},
    ledger::Ledger,
    proof::{Grounds, Harvest},
};

const HOST: SignalMemory = SignalMemory::Host;
const DEVICE: SignalMemory = SignalMemory::Device;

fn lane(queue: u32) -> LaneId {
    LaneId::new(QueueId::new(queue), Generation::FIRST)
}
fn ring_on(mark: &Arc<Watermark>, pool: SignalMemory, signals: u64) -> Ring {
    let mut ring = Ring::new(mark.clone(), RingLimits::with_size(8), Arc::new(Reaper::new()));
    for raw in 1..=signals {
        ring.add(SignalHandle::new(raw), pool, pool);
    }
    ring
}
fn on(lane: LaneId, barrier: Barrier) -> Use {
    let order = PacketOrder::Free;
    let parts = Parts::ONE;
    Use { lane, engine: Engine::Compute, barrier, order, timing: Timing::Unwanted, parts }
}
fn submit(ring: &mut Ring, packet: u64, barrier: Barrier) -> UseId {
    let lane = ring.lane();
    let secured = ring.secure(HOST).expect("a signal is ready");
    secured.bind(PacketId::new(packet), on(lane, barrier), None)
}
/// Tells the ring a value for a use's signal; what is proven by it is retired, and named.
fn tell(ring: &mut Ring, of: UseId, value: i64) -> Result<Vec<(UseId, Grounds)>, Error> {
    let probe = ring.probe_use(of).expect("in flight");
    let mut retired = Vec::new();
    match ring.confirm(probe, SignalValue::new(value))? {
        Confirmed::Pending | Confirmed::Settled => {}
        Confirmed::Own(finished) => retire(ring, finished, &mut retired),
        Confirmed::Fence(proof) => {
            let _proven = ring.mark_of(of.lane()).expect("a compute lane").clone().raise(proof);
        }
    }
    while let Some(finished) = ring.next_finished() {
        retire(ring, finished, &mut retired);
    }
    Ok(retired)
}
fn retire(ring: &mut Ring, finished: Finished, retired: &mut Vec<(UseId, Grounds)>) {
    retired.push((finished.of(), finished.grounds()));
    let _arm = ring.retire(finished, Harvest::NOT_WANTED);
}
fn packets(retired: &[(UseId, Grounds)]) -> Vec<u64> {
    retired.iter().map(|(of, _)| of.packet().as_u64()).collect()
}

fn about(of: UseId, mark: &Arc<Watermark>) -> Recorded {
    Recorded {
        of,
        fence: IsFence::Yes,
        order: PacketOrder::HoldsBackLater,
        timing: Timing::Wanted,
        release: CacheScope::System,
        memory: HOST,
        device: DeviceId::new(0),
        engine: Engine::Compute,
        mark: Some(mark.clone()),
        ledger: Arc::new(Ledger::new()),
    }
}
