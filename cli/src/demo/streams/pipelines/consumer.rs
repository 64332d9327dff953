//! A task that reduces an array and frees it; now and then it captures a graph before.

use ringfence::{error::StreamError, stream::Access};

use super::{
    BYTES, CAPTURE_EVERY, CAPTURE_TURNS, Item, Pipelines, SLOW, UNREAD_EVERY, library_calls,
};
use crate::demo::streams::host::Task;

/// How far it is.
pub(super) struct Consumer {
    task: Task,
    item: Item,
    next: Next,
}
enum Next {
    /// It reduces, after the producer's work.
    Reduce,
    /// It calls the library, so often.
    Call(u32),
    /// It captures, once nobody else does.
    Capture,
    /// It frees, and ends.
    Free,
}

impl Pipelines<'_> {
    pub(super) fn consume(&mut self, at: usize) -> Result<(), StreamError> {
        let host = self.host;
        if self.capturing.is_some() {
            for Item { memory, stamp } in std::mem::take(&mut self.garbage) {
                host.retire(memory, stamp);
            }
        }
        let pipeline = &mut self.all[at];
        let Some(Consumer { mut task, mut item, next }) = pipeline.consumer.take() else {
            if let Some(item) = pipeline.waiting.pop_front() {
                let task = host.begin()?;
                pipeline.consumer = Some(Consumer { task, item, next: Next::Reduce });
            }
            return Ok(());
        };
        let next = match next {
            Next::Reduce if self.leaves_unread(at) => {
                // By the time it is freed, the stream that wrote it may be the one that captures.
                self.garbage.push(item);
                host.end(task);
                self.all[at].consumed += 1;
                return Ok(());
            }
            Next::Reduce => {
                let ordered = host.order_after(&mut task, &item.stamp, Access::Read);
                if host.unless_held_up(ordered)?.is_none() {
                    Next::Reduce
                } else {
                    let reduce = self.work("reduce").reads(item.memory.raw());
                    item.stamp.add(host.submit(&mut task, reduce)?, Access::Read);
                    self.after_reducing(at)
                }
            }
            Next::Call(0) => Next::Free,
            Next::Call(calls) => {
                self.library_call(&mut task)?;
                Next::Call(calls - 1)
            }
            Next::Capture if self.capturing.is_some() => Next::Capture,
            Next::Capture => return self.capture(at, task, item),
            Next::Free => {
                host.retire(item.memory, item.stamp);
                host.end(task);
                self.all[at].consumed += 1;
                return Ok(());
            }
        };
        self.all[at].consumer = Some(Consumer { task, item, next });
        Ok(())
    }
    fn leaves_unread(&self, at: usize) -> bool {
        at != SLOW && self.all[at].consumed % UNREAD_EVERY == 1
    }
    fn after_reducing(&self, at: usize) -> Next {
        match self.all[at].consumed % CAPTURE_EVERY {
            _ if at == SLOW => Next::Call(library_calls(at)),
            n if n == CAPTURE_EVERY - 1 => Next::Capture,
            _ => Next::Free,
        }
    }
    /// Captures a graph, in which the others take four turns; launches it and ends.
    fn capture(&mut self, at: usize, mut task: Task, item: Item) -> Result<(), StreamError> {
        let host = self.host;
        let memory = host.allocate(&mut task, BYTES)?;
        let fill = self.work("fill").writes(memory.raw());
        let mut stamp = memory.stamp();
        stamp.add(host.submit(&mut task, fill)?, Access::Write);
        // Somebody else frees what this task has used, while it captures.
        self.garbage.push(item);
        self.capturing = Some(at);
        let [first, second] = ["first", "second"].map(|name| self.work(name).writes(memory.raw()));
        let captured = host.capture(&mut task, |scope| {
            scope.pin(&memory)?;
            scope.submit(first)?;
            for _ in 0..CAPTURE_TURNS {
                self.turn()?;
            }
            scope.submit(second)
        });
        self.capturing = None;
        let mut graph = captured?.graph;
        host.launch(&mut task, &mut graph)?;
        // The graph keeps it until its launch is finished.
        host.retire(memory, stamp);
        drop(graph);
        host.end(task);
        self.all[at].consumed += 1;
        Ok(())
    }
}
