//! A digest of what an event stands for, for searches that visit equal states once. Reads only.

use std::hash::{Hash, Hasher};

use super::{Event, Snapshot};

impl Event {
    /// Feeds everything that later answers depend on to `state`.
    pub fn digest<H: Hasher>(&self, state: &mut H) {
        self.options.hash(state);
        if let Some(recorded) = &self.recorded {
            recorded.digest(state);
        }
        self.cell.as_ref().map(|cell| cell.signal()).hash(state);
    }
}

impl Snapshot {
    /// Feeds everything that later answers depend on to `state`.
    pub fn digest<H: Hasher>(&self, state: &mut H) {
        self.record.digest(state);
        self.twin.is_some().hash(state);
        if let Some(twin) = &self.twin {
            twin.digest(state);
        }
    }
}
