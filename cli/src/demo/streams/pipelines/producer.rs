//! A task that allocates an array and fills it.

use ringfence::{error::StreamError, stream::Access};

use super::{BYTES, DEPTH, Item, Pipelines, library_calls};
use crate::demo::streams::host::Task;

/// How far it is.
pub(super) struct Producer {
    task: Task,
    /// Calls of the library to come.
    calls: u32,
}

impl Pipelines<'_> {
    pub(super) fn produce(&mut self, at: usize) -> Result<(), StreamError> {
        let host = self.host;
        let pipeline = &mut self.all[at];
        let Some(Producer { mut task, calls }) = pipeline.producer.take() else {
            if pipeline.produced < self.iterations && pipeline.waiting.len() < DEPTH {
                pipeline.produced += 1;
                let calls = library_calls(at);
                pipeline.producer = Some(Producer { task: host.begin()?, calls });
            }
            return Ok(());
        };
        if let Some(left) = calls.checked_sub(1) {
            self.library_call(&mut task)?;
            self.all[at].producer = Some(Producer { task, calls: left });
            return Ok(());
        }
        let allocated = host.allocate(&mut task, BYTES);
        let Some(memory) = host.unless_held_up(allocated)? else {
            self.all[at].producer = Some(Producer { task, calls });
            return Ok(());
        };
        let fill = self.work("fill").writes(memory.raw());
        let mut stamp = memory.stamp();
        stamp.add(host.submit(&mut task, fill)?, Access::Write);
        self.all[at].waiting.push_back(Item { memory, stamp });
        host.end(task);
        Ok(())
    }
}
