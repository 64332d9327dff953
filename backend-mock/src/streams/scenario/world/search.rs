//! What a search does with a world.

use super::StreamWorld;
use crate::{chooser::Point, scenario::Name};

impl StreamWorld {
    /// One of so many choices that are not the device's.
    pub(crate) fn choose(&self, choices: u16) -> u16 {
        self.driver().choose(choices)
    }
    /// The first choice that nobody has answered, once it was met.
    pub(crate) fn unanswered(&self) -> Option<Point> {
        self.driver().with_model(crate::streams::model::Model::unanswered)
    }
    /// What the device answered so far.
    pub(crate) fn device_answers(&self) -> Vec<u16> {
        self.driver().with_model(|model| model.device_answers().to_vec())
    }
    /// Leases that are held.
    pub(crate) fn leases(&self) -> Vec<Name> {
        let state = self.hand.state();
        let held = state.tenants.iter().filter(|(_, tenant)| tenant.lease.is_some());
        held.map(|(name, _)| name.clone()).collect()
    }
    /// What the host knows by now: whose streams are whose, what was ready, what was freed, what was counted. As text, to compare.
    pub(crate) fn seen_by_the_host(&self) -> String {
        let (pool, memory) = (self.hand.pool().counts(), self.hand.pool().memory_counts());
        let state = self.hand.state();
        let tenants: Vec<_> = state
            .tenants
            .iter()
            .map(|(name, tenant)| {
                let stream = tenant.stream;
                (name, stream.id(), stream.generation(), tenant.lease.is_some())
            })
            .collect();
        let futures: Vec<(&Name, _)> =
            state.futures.iter().map(|(name, future)| (name, future.polled)).collect();
        let arrays: Vec<_> = state.arrays.iter().map(|(name, array)| (name, array.freed)).collect();
        format!("{pool:?} {memory:?} {tenants:?} {futures:?} {arrays:?} {:?}", state.answer)
    }
}
