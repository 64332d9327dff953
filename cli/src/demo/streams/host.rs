//! A process whose tasks use streams: the pool on the modelled driver, and what the oracle is told.

use std::cell::Cell;

use ringfence::{
    backend::streams::{CaptureMode, StreamWork},
    drive::{CaptureScope, Captured, Freed, Graph, Ordered, ShutDown, StreamPool},
    error::StreamError,
    id::{Bytes, DeviceContext, DeviceId, RawMemory, RawStream, StreamKey},
    stream::{Access, Allocation, Lease, Stamp, Touch},
};
use ringfence_mock::{
    clock::Ticks,
    streams::{
        op::StreamOp,
        profile::DriverProfile,
        seen::{Declaration, LeaseName, TaskName, ThreadId},
        system::{MockStreams, StreamSettings, User},
    },
};

use super::policy::Policy;

/// The driver of all workloads: the one whose costs and memory were fitted to what was measured with a
/// stream for each task, and which records a free on a capturing stream in the graph.
pub(super) const PROFILE: DriverProfile = DriverProfile::Clr2024;
/// The thread that keeps the pool tidy.
const REAPER: ThreadId = ThreadId::new(900);

/// A task that is alive, with its stream.
#[derive(Debug)]
pub(super) struct Task {
    name: TaskName,
    held: LeaseName,
    lease: Lease<RawStream>,
}

/// What was seen besides the counts of the driver and the pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tally {
    /// Tasks that began.
    pub(crate) tasks: u64,
    /// Tasks alive at this moment, and at most.
    pub(crate) alive: u32,
    pub(crate) peak: u32,
    /// Virtual time that passed while tasks asked for a stream.
    pub(crate) waited: u64,
    /// Times that a task could not go on because somebody else captured on its stream.
    pub(crate) held_up: u64,
}

/// The process.
pub(super) struct Host {
    pub(super) driver: MockStreams,
    pub(super) pool: StreamPool<MockStreams, RawStream>,
    user: User,
    policy: Policy,
    key: StreamKey,
    tally: Cell<Tally>,
}
impl Host {
    pub(super) fn new(policy: Policy) -> Self {
        let driver = MockStreams::with(StreamSettings::new(PROFILE).with_trace(0));
        let options = policy.options();
        if policy == Policy::Lease {
            // Baselines create and destroy at will: that they do so without need is what they are.
            driver.declare(Declaration::Pool { idle_cap: options.idle_cap });
        }
        // The raw handle goes along as an attachment: the oracle is told of it, and no task is.
        let attach = |raw| raw;
        let of_the_pool = policy.of_the_pool();
        let pool = StreamPool::with_attachments(driver.clone(), options, of_the_pool, attach);
        let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
        Self { user: driver.user(), driver, pool, policy, key, tally: Cell::default() }
    }
    pub(super) fn tally(&self) -> Tally {
        self.tally.get()
    }
    fn tallied(&self, change: impl FnOnce(&mut Tally)) {
        let mut tally = self.tally.get();
        change(&mut tally);
        self.tally.set(tally);
    }
    /// A task begins, and gets its stream.
    pub(super) fn begin(&self) -> Result<Task, StreamError> {
        let number = u32::try_from(self.tally.get().tasks).expect("fewer than 2^32 tasks");
        let (name, held) = (TaskName::new(number), LeaseName::new(number));
        let (key, begun) = (self.key, self.driver.now());
        self.driver.declare(Declaration::AcquireBegins { task: name, key });
        let mut lease = self.pool.acquire(key)?;
        let raw = *lease.attachment();
        let stream = lease.stream();
        let exclusive = self.policy.exclusive();
        let leased = Declaration::Leased { lease: held, task: name, key, raw, stream, exclusive };
        self.driver.declare(leased);
        self.driver.declare(Declaration::AcquireEnded { task: name });
        let waited = self.driver.now().count() - begun.count();
        self.tallied(|tally| {
            tally.tasks += 1;
            tally.alive += 1;
            tally.peak = tally.peak.max(tally.alive);
            tally.waited += waited;
        });
        Ok(Task { name, held, lease })
    }
    /// The task is over; its work may not be.
    pub(super) fn end(&self, task: Task) {
        let Task { name, held, lease } = task;
        self.driver.declare(Declaration::Released { lease: held });
        self.driver.declare(Declaration::DropBegins);
        drop(lease);
        self.driver.declare(Declaration::DropEnded);
        self.driver.declare(Declaration::TaskEnded { task: name });
        self.tallied(|tally| tally.alive -= 1);
    }
    /// Where others capture on the task's stream, it has to wait: `None`. Tasks with a stream of their own
    /// never have to.
    pub(super) fn unless_held_up<T>(
        &self,
        result: Result<T, StreamError>,
    ) -> Result<Option<T>, StreamError> {
        match result {
            Err(StreamError::Capturing { .. }) => {
                self.tallied(|tally| tally.held_up += 1);
                Ok(None)
            }
            other => other.map(Some),
        }
    }
    pub(super) fn allocate(
        &self,
        task: &mut Task,
        bytes: Bytes,
    ) -> Result<Allocation, StreamError> {
        self.pool.allocate(&mut task.lease, bytes)
    }
    /// Work through the pool.
    pub(super) fn submit(&self, task: &mut Task, work: StreamOp) -> Result<Touch, StreamError> {
        self.speaks(task);
        self.pool.submit(&mut task.lease, work)
    }
    /// Work of a vendor's library, which has the raw handle and knows no pool.
    pub(super) fn library_call(
        &self,
        task: &mut Task,
        work: StreamOp,
    ) -> Result<Touch, StreamError> {
        let raw = self.pool.expose(&mut task.lease);
        self.driver.declare(Declaration::Exposed { lease: task.held });
        self.speaks(task);
        let stream = task.lease.stream();
        let launched = self.user.launch(raw, work);
        launched.map_err(|cause| StreamError::Driver { stream, cause })?;
        self.pool.touch(stream)
    }
    pub(super) fn order_after(
        &self,
        task: &mut Task,
        stamp: &Stamp,
        access: Access,
    ) -> Result<Ordered, StreamError> {
        self.pool.order_after(&mut task.lease, stamp, access)
    }
    /// Gives memory up.
    pub(super) fn retire(&self, memory: Allocation, stamp: Stamp) {
        let raw: RawMemory = memory.raw();
        self.driver.declare(Declaration::Retired { memory: raw });
        if self.pool.retire(memory, stamp) == Freed::Leaked {
            self.driver.declare(Declaration::Leaked { memory: raw });
        }
    }
    /// Captures what `record` submits.
    pub(super) fn capture<R>(
        &self,
        task: &mut Task,
        record: impl FnOnce(&mut CaptureScope<'_, MockStreams, RawStream>) -> Result<R, StreamError>,
    ) -> Result<Captured<R, RawStream>, StreamError> {
        self.speaks(task);
        self.pool.capture(&mut task.lease, CaptureMode::ThreadLocal, record)
    }
    pub(super) fn launch(
        &self,
        task: &mut Task,
        graph: &mut Graph<RawStream>,
    ) -> Result<Touch, StreamError> {
        self.speaks(task);
        self.pool.launch(&mut task.lease, graph)
    }
    /// What is submitted from here on is this task's.
    pub(super) fn speaks(&self, task: &Task) {
        self.driver.declare(Declaration::Submits { lease: task.held });
    }
    /// Virtual time passes, and the device works.
    pub(super) fn pass(&self, ticks: Ticks) {
        self.driver.tick(ticks);
    }
    /// The pool is kept tidy, on a thread of its own.
    pub(super) fn pump(&self) {
        let _pumped = self.driver.as_thread(REAPER, || self.pool.pump());
    }
    /// All work ends, and what was put off is done.
    pub(super) fn settle(&self) {
        self.driver.run_until_idle();
        // Once for the graphs and the frees that they held up, once for what those freed.
        for _ in 0..2 {
            self.pump();
            self.driver.run_until_idle();
        }
    }
    /// The pool is shut down, and the oracle asks for what is owed. Answers with what was leaked.
    pub(super) fn close(&self) -> ShutDown {
        self.driver.declare(Declaration::TrimBegins);
        let left = self.driver.as_thread(REAPER, || self.pool.shutdown());
        self.driver.declare(Declaration::TrimEnded);
        self.driver.declare(Declaration::ShutDown);
        self.driver.declare(Declaration::End);
        left
    }
}
