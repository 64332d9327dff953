//! What is done now and then: a device that faulted, or a stream in error, may never say so by itself.

use super::{StreamPool, acquire::not_looked_at, kept::Kept};
use crate::{
    backend::streams::StreamBackend,
    error::Closed,
    stream::{Captures, Slot, Standing, Why},
};

/// After so many pumps the driver is asked about streams that their words say are busy. Also where something came of each: what works
/// beside a stream in error hides nothing.
const PUMPS: u32 = 64;

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// A device that faulted writes no word any more, and a driver may tell of it only when it is asked: now
    /// and then it is, in spite of the word (T13), by turns of a stream that is waited for, and of those that drain.
    pub(super) fn now_and_then(&self) {
        let turn = self.shared.limbo.lock().pumped(PUMPS);
        match turn {
            None => {}
            Some(Some(touch)) => {
                if let Ok(Some(slot)) = self.find(touch.stream()) {
                    let _noted = self.ask_in_spite_of_the_word(&slot);
                }
            }
            Some(None) => self.ask_of_what_drains(),
        }
    }
    /// The driver's word for the stream itself, where it exists and does not capture.
    pub(super) fn ask_in_spite_of_the_word(&self, slot: &Slot<A>) -> Result<(), Why> {
        let mut tenancy = slot.try_lock().ok_or(Why::Busy)?;
        match tenancy.standing {
            // It exists until its work is proven finished.
            Standing::Open | Standing::Closed(Closed::Trimmed | Closed::Reserved) => {}
            Standing::Closed(cause) => return Err(Why::Closed(cause)),
        }
        // A stream that is being forked does not capture yet, and a query in the middle of that breaks the capture.
        if tenancy.captures == Captures::Open {
            return Err(Why::Busy);
        }
        self.ask(slot, &mut tenancy).map(drop)
    }
    fn ask_of_what_drains(&self) {
        let mut pool = self.shared.pool();
        let visit = pool.visit();
        while let Some(offer) = pool.next_draining(&visit) {
            drop(pool);
            let offer = Kept::of(&self.shared, offer, not_looked_at);
            let said = self.ask_in_spite_of_the_word(offer.get().slot());
            let offer = offer.take();
            pool = self.shared.pool();
            match said {
                Ok(()) => pool.found_idle(offer),
                Err(why) => pool.refused(offer, why),
            }
        }
    }
}
