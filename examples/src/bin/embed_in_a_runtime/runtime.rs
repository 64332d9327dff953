//! The runtime: streams over hardware queues, events, futures, and buffers that are freed in stream order.

use std::{
    sync::{Arc, Mutex, MutexGuard},
    thread::JoinHandle,
};

use ringfence::{
    backend::HandlerToken,
    drive::{ForcedUse, HandlerTable, HardwareQueue, Policy, Submission, Tracker},
    error::Error,
    event::{Event, EventKind, EventOptions},
    id::{QueueId, UseId},
    ledger::Counts,
    retire::RetireQueue,
    wait::WaitPolicy,
};

use crate::{
    backend::Queue,
    future::{Finished, Sleeper},
    gpu::{Buffer, Gpu, Kernel},
};

pub(crate) struct Runtime {
    gpu: Arc<Gpu>,
    threads: Vec<JoinHandle<()>>,
    /// Who waits for which use.
    sleepers: Arc<HandlerTable<Sleeper>>,
    /// Several streams share a queue, and with it its watermark.
    queues: Vec<HardwareQueue<Queue>>,
    free: Mutex<Vec<Buffer>>,
}
impl Runtime {
    pub(crate) fn start(queues: usize) -> Self {
        let gpu = Arc::new(Gpu::new(queues));
        let sleepers = Arc::new(HandlerTable::<Sleeper>::new());
        let processors = (0..queues).map(|number| {
            let gpu = gpu.clone();
            std::thread::spawn(move || gpu.process(number))
        });
        let mut threads: Vec<_> = processors.collect();
        let (of, table) = (gpu.clone(), sleepers.clone());
        threads.push(std::thread::spawn(move || {
            // On this thread, nothing but this: the table lets go of the signal, and the future looks at the outcome.
            of.call_back(|token| {
                let handled = table.handle(&of, HandlerToken::new(token));
                handled.into_iter().for_each(|handled| handled.then.wake());
            });
        }));
        let queue = |number| {
            let (gpu, id) = (gpu.clone(), QueueId::unique());
            HardwareQueue::new(Queue { gpu, number, id })
        };
        let queues = (0..queues).map(queue).collect();
        let free = (0..gpu.words()).map(Buffer).collect();
        Self { threads, sleepers, queues, free: Mutex::new(free), gpu }
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
    pub(crate) fn write(&self, buffer: Buffer, word: u64) {
        self.gpu.write(buffer, word);
    }
    /// As a reset by somebody else would.
    pub(crate) fn lose_the_device(&self) {
        self.gpu.lose();
    }
    pub(crate) fn stop(self) {
        self.gpu.close();
        for thread in self.threads {
            thread.join().expect("a thread of the GPU");
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
        self.last = Some(self.submit(Submission::kernel(kernel))?);
        self.collect();
        Ok(())
    }
    /// What a runtime can do about the errors of a submission. Nothing was published then.
    fn submit(&mut self, what: Submission<Kernel>) -> Result<UseId, Error> {
        match self.tracker.submit(what) {
            // Others hold all signals: handlers that were not called yet. The callback thread is behind: its turn, and once more.
            Err(Error::Exhausted { .. }) => {
                std::thread::yield_now();
                let _reclaimed = self.tracker.reclaim()?;
                self.tracker.submit(what)
            }
            // The ring is full, and its oldest use does not end within the limit of the policy.
            Err(late @ Error::TimedOut { of, .. }) => {
                self.give_up(of)?;
                Err(late)
            }
            // `DeviceLost`: every wait on it ends, and its buffers may still be written to. The application hears of it.
            submitted => submitted,
        }
    }
    /// Launches a kernel, for whoever awaits its end. The use takes a signal that wakes the callback thread.
    pub(crate) fn launch_async(&mut self, kernel: Kernel) -> Result<Finished, Error> {
        let mut event =
            Event::new(EventOptions { kind: EventKind::Blocking, ..EventOptions::default() });
        self.last = Some(event.record_with(&mut self.tracker, Submission::kernel(kernel))?);
        let recording = event.snapshot().expect("it was just recorded");
        Ok(Finished::new(recording, self.runtime.gpu.clone(), self.runtime.sleepers.clone()))
    }
    /// Waits for everything, at most so long; what hangs then is given up, and is the error.
    pub(crate) fn wait_or_give_up(&mut self, patience: &WaitPolicy) -> Result<(), Error> {
        match self.tracker.synchronize_within(patience) {
            Err(late @ Error::TimedOut { of, .. }) => {
                self.give_up(of)?;
                Err(late)
            }
            ended => ended.map(drop),
        }
    }
    /// Its waiters get an error, also those that a handler would have woken: it may never be called.
    fn give_up(&mut self, of: UseId) -> Result<(), Error> {
        match self.tracker.force(of)? {
            ForcedUse::GivenUp => {
                self.runtime.sleepers.take_failed().into_iter().for_each(Sleeper::wake);
            }
            ForcedUse::WasOver => {} // it has just ended
        }
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
