//! What is done where nothing happens: a device that faulted may never say so by itself.

use super::StreamPool;
use crate::{
    backend::streams::StreamBackend,
    stream::{Standing, Why},
};

/// After so many pumps of which nothing came, the driver is asked about a stream that its word says is busy.
const QUIET: u32 = 64;

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// Nothing came of a pump. A device that faulted writes no word any more, and a driver may tell of it only when it is asked: now
    /// and then it is, in spite of the word (T13), of one stream that is waited for, or that drains.
    pub(super) fn nothing_came(&self) {
        let turn = self.shared.limbo.lock().nothing_came(QUIET);
        match turn {
            None => {}
            Some(Some(touch)) => {
                if let Ok(Some(slot)) = self.find(touch.stream())
                    && let Some(mut tenancy) = slot.try_lock()
                    && tenancy.standing == Standing::Open
                {
                    let _noted = self.ask(&slot, &mut tenancy);
                }
            }
            Some(None) => self.ask_of_one_that_drains(),
        }
    }
    fn ask_of_one_that_drains(&self) {
        let offer = {
            let mut pool = self.shared.pool();
            let visit = pool.visit();
            pool.next_draining(&visit)
        };
        let Some(offer) = offer else { return };
        let said = match offer.slot().try_lock() {
            Some(mut tenancy) if tenancy.standing == Standing::Open => {
                self.ask(offer.slot(), &mut tenancy).map(drop)
            }
            _ => Err(Why::Busy),
        };
        let mut pool = self.shared.pool();
        match said {
            Ok(()) => pool.found_idle(offer),
            Err(why) => pool.refused(offer, why),
        }
    }
}
