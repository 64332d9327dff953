//! The runtime: tasks with a stream each, arrays that know who used them last, graphs.

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::Duration,
};

use ringfence::{
    backend::streams::CaptureMode,
    drive::{ArrayUse, Freed, Graph, Ordered, StreamPool},
    error::StreamError,
    id::{Bytes, DeviceContext, DeviceId, StreamKey},
    stream::{Access, Allocation, Lease, PoolOptions, Stamp},
};

use crate::gpu::{Gpu, Kernel};

/// How long a host wait may take.
pub(crate) const LIMIT: Duration = Duration::from_secs(10);

/// Memory, and what used it last.
pub(crate) struct Array {
    memory: Allocation,
    stamp: Stamp,
}
impl Array {
    fn address(&self) -> usize {
        self.memory.raw().as_u64() as usize
    }
}

pub(crate) struct Runtime<'g> {
    pub(crate) pool: StreamPool<&'g Gpu>,
}
impl<'g> Runtime<'g> {
    pub(crate) fn new(gpu: &'g Gpu, options: PoolOptions) -> Self {
        Self { pool: StreamPool::new(gpu, options) }
    }
    /// A task: it has a stream for itself until it is dropped. At the pool's hard cap the thread waits.
    pub(crate) fn task(&self) -> Result<Task<'_, 'g>, StreamError> {
        let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
        let lease = block_on(self.pool.acquire_async(key))?;
        Ok(Task { pool: &self.pool, lease })
    }
    /// Waits for the array's last writer, and reads it.
    pub(crate) fn read(&self, array: &Array) -> Result<Option<u64>, StreamError> {
        self.pool.synchronize(&array.stamp, Access::Read, LIMIT)?;
        Ok(self.pool.driver().read(array.address()))
    }
    /// Gives the array's memory up, whatever still uses it. Waits for nothing.
    pub(crate) fn free(&self, array: Array) -> Freed {
        self.pool.retire(array.memory, array.stamp)
    }
}

pub(crate) struct Task<'r, 'g> {
    pool: &'r StreamPool<&'g Gpu>,
    lease: Lease,
}
impl Task<'_, '_> {
    pub(crate) fn allocate(&mut self) -> Result<Array, StreamError> {
        let memory = self.pool.allocate(&mut self.lease, Bytes::new(8))?;
        let stamp = memory.stamp(); // whoever uses it first follows its allocation
        Ok(Array { memory, stamp })
    }
    pub(crate) fn set(&mut self, array: &mut Array, value: u64) -> Result<Ordered, StreamError> {
        let kernel = Kernel::Set { to: array.address(), value };
        let mut uses = [ArrayUse::write(&mut array.stamp)];
        let (_touch, ordered) = self.pool.submit_after(&mut self.lease, &mut uses, kernel)?;
        Ok(ordered)
    }
    /// Adds `from` to `to`, after whatever wrote the one and used the other.
    pub(crate) fn add(&mut self, from: &mut Array, to: &mut Array) -> Result<Ordered, StreamError> {
        let kernel = Kernel::Add { from: from.address(), to: to.address() };
        let mut uses = [ArrayUse::read(&mut from.stamp), ArrayUse::write(&mut to.stamp)];
        let (_touch, ordered) = self.pool.submit_after(&mut self.lease, &mut uses, kernel)?;
        Ok(ordered)
    }
    /// A graph that adds each of `from` to `to`. It keeps their memory alive.
    pub(crate) fn capture(&mut self, from: &[Array], to: &Array) -> Result<Graph, StreamError> {
        let mode = CaptureMode::ThreadLocal;
        let captured = self.pool.capture(&mut self.lease, mode, |scope| {
            scope.pin(&to.memory)?;
            for array in from {
                scope.pin(&array.memory)?;
                scope.submit(Kernel::Add { from: array.address(), to: to.address() })?;
            }
            Ok(())
        })?;
        Ok(captured.graph)
    }
    /// One launch of that graph: one use of everything that it touches.
    pub(crate) fn launch(
        &mut self,
        graph: &mut Graph,
        from: &mut [Array],
        to: &mut Array,
    ) -> Result<(), StreamError> {
        let mut uses = vec![ArrayUse::write(&mut to.stamp)];
        uses.extend(from.iter_mut().map(|array| ArrayUse::read(&mut array.stamp)));
        let pool = self.pool;
        let launch = |lease: &mut Lease| pool.launch(lease, graph);
        let (_touch, _ordered) = pool.run_after(&mut self.lease, &mut uses, launch)?;
        Ok(())
    }
}

/// The smallest executor: the calling thread sleeps until somebody wakes it.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}
