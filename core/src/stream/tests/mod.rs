//! Unit tests of the pure pool: no driver anywhere.

mod accounting;
mod closing;
mod counts;
mod memory;
mod policies;
mod pool;
mod shelf;
mod stamp;
mod tenancy;

use super::*;
use crate::{
    backend::streams::CaptureStatus,
    error::{Closed, DriverCode, DriverError},
    id::*,
    sync::Arc,
};

pub(super) fn key() -> StreamKey {
    StreamKey::new(DeviceContext::primary(DeviceId::new(0)))
}

/// A pool, and the next raw handle that "the driver" gives.
pub(super) struct Bench {
    pub(super) pool: Pool,
    next_raw: u64,
}
impl Bench {
    pub(super) fn new(options: PoolOptions) -> Self {
        Self::with_policy(options, Box::new(LeasePolicy))
    }
    pub(super) fn with_policy(options: PoolOptions, policy: Box<dyn StreamPolicy>) -> Self {
        Self { pool: Pool::new(PoolId::new(9), options, policy), next_raw: 0x10 }
    }
    /// What the pool says to a task, without looking at anything.
    pub(super) fn claim(&mut self, key: StreamKey) -> Claim {
        let mut visit = self.pool.visit();
        self.pool.claim(key, &mut visit)
    }
    /// Creates on the reservation that `claim` has to be.
    pub(super) fn create(&mut self, claim: Claim) -> Lease {
        let Claim::Create(reservation) = claim else { panic!("no reservation: {claim:?}") };
        self.next_raw += 0x10;
        let raw = RawStream::new(self.next_raw);
        let word = Some(RawProgress::new(self.next_raw));
        Slot::lease(&self.pool.created(reservation, raw, word, ()))
    }
    pub(super) fn fresh(&mut self, key: StreamKey) -> Lease {
        let claim = self.claim(key);
        self.create(claim)
    }
    /// Takes the stream of an offer whose work is finished.
    pub(super) fn hand_on(&mut self, claim: Claim) -> Lease {
        let Claim::Reuse(offer) = claim else { panic!("no offer: {claim:?}") };
        let generation = {
            let mut tenancy = offer.slot().lock();
            tenancy.saw_idle();
            let position = tenancy.counted;
            tenancy.hand_on(position).expect("idle")
        };
        Lease::new(offer.into_slot(), generation)
    }
    /// Looks at everything that drains, and finds it idle.
    pub(super) fn all_idle(&mut self) {
        let visit = self.pool.visit();
        while let Some(offer) = self.pool.next_draining(&visit) {
            offer.slot().lock().saw_idle();
            self.pool.found_idle(offer);
        }
    }
    pub(super) fn tally(&mut self) -> StreamTally {
        self.pool.total(Bytes::new(8))
    }
    /// Destroys every condemned stream; answers with their identities.
    pub(super) fn reap(&mut self) -> Vec<StreamId> {
        let visit = self.pool.visit();
        let mut gone = Vec::new();
        while let Some(condemned) = self.pool.next_condemned(&visit) {
            gone.push(condemned.slot.id());
            self.pool.forget_handle(&condemned);
            drop(self.pool.destroyed(condemned));
        }
        gone
    }
}

pub(super) fn bad() -> Why {
    Why::Bad(DriverError::Bad(DriverCode::new(709)))
}
