//! A process whose tasks use streams: a pool, and what it is asked for.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use ringfence::{
    drive::{Attempt, ShutDown, StreamPool},
    id::Bytes,
    stream::{Access, Allocation, Lease, MemoryCounts, PoolCounts, Stamp, Touch},
};

use super::policy::Policy;
use crate::bench::{
    gpu::{At, Gpu, HostWords, Kernel, Work},
    problem::Problem,
};

/// The longest that anything is waited for.
const LIMIT: Duration = Duration::from_secs(60);
/// Between two turns of the thread that keeps the pool tidy, as the reaper of `ringfence-threads` has it.
const PUMP_EVERY: Duration = Duration::from_millis(1);

/// The process.
pub(super) struct Host<'g, G: Gpu> {
    pub(super) gpu: &'g G,
    pool: StreamPool<G::Streams>,
    /// When the run is to end, done or not.
    deadline: Instant,
}

/// Device memory, and what used it.
#[derive(Debug)]
pub(super) struct Array {
    memory: Allocation,
    pub(super) stamp: Stamp,
}
impl Array {
    /// Its word with this number.
    pub(super) fn at(&self, word: u64) -> At {
        At { memory: self.memory.raw(), word }
    }
    /// Its first word.
    pub(super) fn start(&self) -> At {
        At::start(self.memory.raw())
    }
}

/// What the pool counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    pub(super) pool: PoolCounts,
    pub(super) memory: MemoryCounts,
    /// What could not be given back.
    pub(super) left: ShutDown,
    /// Modelled time, on a model.
    pub(super) modelled: Option<Duration>,
}

impl<'g, G: Gpu> Host<'g, G> {
    pub(super) fn new(gpu: &'g G, policy: Policy, limit: Duration) -> Self {
        let pool = StreamPool::with_policy(gpu.streams(), policy.options(), policy.of_the_pool());
        Self { gpu, pool, deadline: Instant::now() + limit }
    }
    /// Whether the time of the run is up.
    pub(super) fn is_late(&self) -> bool {
        Instant::now() >= self.deadline
    }
    /// Runs `play` beside a thread that keeps the pool tidy.
    pub(super) fn tidied<T>(&self, play: impl FnOnce() -> T) -> T {
        /// Also when `play` panics: the scope waits for the thread.
        struct Over<'a>(&'a AtomicBool, thread::Thread);
        impl Drop for Over<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Release);
                self.1.unpark();
            }
        }
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let tidy = scope.spawn(|| {
                while !over.load(Ordering::Acquire) {
                    self.pool.pump();
                    thread::park_timeout(PUMP_EVERY);
                }
            });
            let _over = Over(&over, tidy.thread().clone());
            play()
        })
    }
    /// A task begins, and gets its stream. It ends when that is dropped; its work may not.
    pub(super) fn begin(&self) -> Result<Lease<()>, Problem> {
        let begun = Instant::now();
        loop {
            match self.pool.try_acquire(self.gpu.key())? {
                Attempt::Leased(lease) => return Ok(lease),
                // Its limit is reached, and nothing that came back is finished yet.
                Attempt::Full(_) if begun.elapsed() < LIMIT => {
                    self.pool.pump();
                    self.pass_time();
                    thread::yield_now();
                }
                Attempt::Full(shortage) => {
                    return Err(Problem::Unmeasured(format!("no stream came free: {shortage:?}")));
                }
            }
        }
    }
    /// An array of so many words of 4 bytes.
    pub(super) fn array(&self, task: &mut Lease<()>, words: u32) -> Result<Array, Problem> {
        let memory = self.pool.allocate(task, Bytes::new(u64::from(words) * 4))?;
        let stamp = memory.stamp();
        Ok(Array { memory, stamp })
    }
    /// Later work of the task follows what was done with the array.
    pub(super) fn after(
        &self,
        task: &mut Lease<()>,
        array: &Array,
        access: Access,
    ) -> Result<(), Problem> {
        self.after_stamp(task, &array.stamp, access)
    }
    /// Later work of the task follows what the stamp remembers.
    pub(super) fn after_stamp(
        &self,
        task: &mut Lease<()>,
        stamp: &Stamp,
        access: Access,
    ) -> Result<(), Problem> {
        let _how = self.pool.order_after(task, stamp, access)?;
        Ok(())
    }
    pub(super) fn kernel(&self, task: &mut Lease<()>, kernel: Kernel) -> Result<Touch, Problem> {
        self.submit(task, self.gpu.kernel(kernel))
    }
    fn submit(&self, task: &mut Lease<()>, work: Work<G>) -> Result<Touch, Problem> {
        Ok(self.pool.submit(task, work)?)
    }
    /// The stamp of one piece of work.
    pub(super) fn stamp(touch: Touch) -> Stamp {
        let mut stamp = Stamp::default();
        stamp.add(touch, Access::Write);
        stamp
    }
    /// Waits on the host for one piece of work.
    pub(super) fn wait(&self, touch: Touch) -> Result<(), Problem> {
        Ok(self.pool.synchronize(&Self::stamp(touch), Access::Write, LIMIT)?)
    }
    /// Gives the array up: it is freed after its last use.
    pub(super) fn retire(&self, array: Array) {
        self.gpu.given_up(array.memory.raw());
        let _when = self.pool.retire(array.memory, array.stamp);
    }
    /// What a task finds in the first words of the array.
    pub(super) fn read(
        &self,
        task: &mut Lease<()>,
        array: &Array,
        words: u32,
    ) -> Result<Vec<u32>, Problem> {
        let host = self.gpu.host_words(words as usize)?;
        self.after(task, array, Access::Read)?;
        let bytes = Bytes::new(u64::from(words) * 4);
        let copy = self.gpu.copy_out(array.memory.raw(), &host, bytes);
        let copied = self.submit(task, copy)?;
        self.wait(copied)?;
        Ok((0..words as usize).map(|word| host.load(word)).collect())
    }
    /// The same as sums of 8 bytes.
    pub(super) fn read_sums(
        &self,
        task: &mut Lease<()>,
        array: &Array,
        sums: u32,
    ) -> Result<Vec<u64>, Problem> {
        let words = self.read(task, array, sums * 2)?;
        let sum = |pair: &[u32]| u64::from(pair[1]) << 32 | u64::from(pair[0]);
        Ok(words.chunks_exact(2).map(sum).collect())
    }
    /// Puts words into the array, and waits for that.
    pub(super) fn write(
        &self,
        task: &mut Lease<()>,
        array: &mut Array,
        words: &[u32],
    ) -> Result<(), Problem> {
        let host = self.gpu.host_words(words.len())?;
        words.iter().enumerate().for_each(|(word, value)| host.store(word, *value));
        self.after(task, array, Access::Write)?;
        let bytes = Bytes::new(words.len() as u64 * 4);
        let copied = self.submit(task, self.gpu.copy_in(array.memory.raw(), &host, bytes))?;
        array.stamp.replace(copied);
        self.wait(copied)
    }
    /// Time passes between two tasks.
    pub(super) fn pass_time(&self) {
        self.gpu.pass_time(self.pool.driver());
    }
    /// What calls and device would have taken so far, on a model.
    pub(super) fn modelled(&self) -> Option<Duration> {
        self.gpu.modelled(self.pool.driver())
    }
    /// Everything ends, and the pool is shut down.
    pub(super) fn close(self) -> Result<Counted, Problem> {
        let begun = Instant::now();
        // What was given up late is freed, and what drained is found idle.
        while self.pool.tally().draining > 0 && begun.elapsed() < LIMIT {
            self.pool.pump();
            self.pass_time();
        }
        self.gpu.settle()?;
        let modelled = self.modelled();
        let left = self.pool.shutdown();
        let (pool, memory) = (self.pool.counts(), self.pool.memory_counts());
        Ok(Counted { pool, memory, left, modelled })
    }
}

/// Compares what the GPU computed with the CPU's.
pub(super) fn check<T: PartialEq + std::fmt::Display>(
    what: impl FnOnce() -> String,
    found: &T,
    expected: &T,
) -> Result<(), Problem> {
    if found == expected {
        return Ok(());
    }
    let (found, expected) = (found.to_string(), expected.to_string());
    Err(Problem::Wrong { what: what(), found, expected })
}
