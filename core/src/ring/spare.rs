//! Records that nobody holds, to be used again, so that a steady loop allocates nothing (S15).

use super::record::{Outcome, Record};
use crate::{error::Failure, sync::Arc};

/// See the module.
#[derive(Debug)]
pub(crate) struct SpareRecords {
    records: Vec<Arc<Record>>,
    limit: usize,
}
impl SpareRecords {
    /// None yet, and never more than `limit`.
    pub(crate) fn new(limit: usize) -> Self {
        Self { records: Vec::new(), limit }
    }
    pub(crate) fn take(&mut self) -> Option<Arc<Record>> {
        self.records.pop()
    }
    /// Somebody lets go of `record`: it is kept, if nobody else holds it.
    pub(crate) fn keep(&mut self, mut record: Arc<Record>) {
        if self.records.len() < self.limit && Arc::get_mut(&mut record).is_some() {
            self.records.push(record);
        }
    }
    /// The use of `record` is proven: whoever holds it learns of that, and its signal comes back.
    ///
    /// # Errors
    /// A waiter saw the signal below 0 (S7): here is the record again.
    pub(crate) fn retire(&mut self, mut record: Arc<Record>) -> Result<(), Arc<Record>> {
        let outcome = match Arc::get_mut(&mut record) {
            // Nobody is left to learn of it, and nobody can come.
            Some(unshared) => {
                let outcome = unshared.retire_unshared();
                if outcome == Outcome::Finished {
                    if self.records.len() < self.limit {
                        self.records.push(record);
                    }
                    return Ok(());
                }
                outcome
            }
            None => record.retire(),
        };
        if outcome == Outcome::Failed(Failure::OverDecremented) { Err(record) } else { Ok(()) }
    }
}
