//! The runtime: streams over hardware queues, events, and buffers that are freed in stream order.

use std::{
    sync::{Arc, Mutex, MutexGuard},
    thread::JoinHandle,
};

use ringfence::{
    drive::{HardwareQueue, Policy, Submission, Tracker},
    error::Error,
    event::{Event, EventOptions},
    id::{QueueId, UseId},
    ledger::Counts,
    retire::RetireQueue,
    wait::WaitPolicy,
};

use crate::{
    backend::Queue,
    gpu::{Buffer, Gpu, Kernel},
};

pub(crate) struct Runtime {
    gpu: Arc<Gpu>,
    processors: Vec<JoinHandle<()>>,
    /// Several streams share a queue, and with it its watermark.
    queues: Vec<HardwareQueue<Queue>>,
    free: Mutex<Vec<Buffer>>,
}
impl Runtime {
    pub(crate) fn start(queues: usize) -> Self {
        let gpu = Arc::new(Gpu::new(queues));
        let processors = (0..queues)
            .map(|number| {
                let gpu = gpu.clone();
                std::thread::spawn(move || gpu.process(number))
            })
            .collect();
        let queue = |number| {
            let (gpu, id) = (gpu.clone(), QueueId::unique());
            HardwareQueue::new(Queue { gpu, number, id })
        };
        let queues = (0..queues).map(queue).collect();
        let free = (0..gpu.words()).map(Buffer).collect();
        Self { processors, queues, free: Mutex::new(free), gpu }
    }
    /// A stream for thread `index`.
    pub(crate) fn stream(&self, index: usize) -> Result<Stream<'_>, Error> {
        let queue = self.queues[index % self.queues.len()].clone();
        let freed = RetireQueue::new(queue.mark().lane());
        let tracker = Tracker::open(self.gpu.clone(), queue, Policy::default())?;
        Ok(Stream { runtime: self, tracker, freed, last: None })
    }
    pub(crate) fn allocate(&self) -> Buffer {
        self.free().pop().expect("streams give their buffers back")
    }
    pub(crate) fn buffers_in_use(&self) -> usize {
        self.gpu.words() - self.free().len()
    }
    pub(crate) fn read(&self, buffer: Buffer) -> u64 {
        self.gpu.read(buffer)
    }
    pub(crate) fn stop(self) {
        self.gpu.queues.iter().for_each(|queue| queue.close());
        for processor in self.processors {
            processor.join().expect("a packet processor");
        }
    }
    fn free(&self) -> MutexGuard<'_, Vec<Buffer>> {
        self.free.lock().expect("no thread panics while it allocates")
    }
}

/// A stream of one thread.
pub(crate) struct Stream<'r> {
    runtime: &'r Runtime,
    tracker: Tracker<Arc<Gpu>, Queue>,
    /// Buffers that the application freed and the GPU may still use.
    freed: RetireQueue<Buffer>,
    last: Option<UseId>,
}
impl Stream<'_> {
    pub(crate) fn launch(&mut self, kernel: Kernel) -> Result<(), Error> {
        self.last = Some(self.tracker.submit(Submission::kernel(kernel))?);
        self.collect();
        Ok(())
    }
    pub(crate) fn event(&self) -> Event {
        Event::new(EventOptions::default())
    }
    pub(crate) fn record(&mut self, event: &mut Event) -> Result<(), Error> {
        event.record(&mut self.tracker).map(drop)
    }
    pub(crate) fn synchronize(&self, event: &Event) -> Result<(), Error> {
        event.synchronize(self.tracker.device(), &WaitPolicy::default()).map(drop)
    }
    /// Frees a buffer once everything launched so far is proven: no wait, and no load of its own.
    pub(crate) fn free(&mut self, buffer: Buffer) {
        match self.last {
            Some(last) => self.freed.hold(last, buffer),
            None => self.runtime.free().push(buffer),
        }
    }
    /// Gives back what the watermark of the queue covers by now.
    fn collect(&mut self) {
        let proven = self.tracker.queue().mark().observe();
        while let Some(buffer) = self.freed.next_free(proven) {
            self.runtime.free().push(buffer);
        }
    }
    pub(crate) fn close(mut self) -> Result<Counts, Error> {
        let _synced = self.tracker.synchronize()?;
        self.collect();
        let counts = self.tracker.counts();
        self.tracker.close().map(|_reaper| counts)
    }
}
