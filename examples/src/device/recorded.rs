//! A graph, and the arrays that it uses.

use ringfence::{
    backend::streams::CaptureMode,
    drive::{ArrayUse, Graph, InFlight, Ordered},
    error::{DriverError, StreamError},
    stream::Lease,
};

use super::{Array, Slot};
use crate::{Gpu, Pool};

/// What a graph was recorded of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Body {
    /// Two kernels: one writes the numbers, one adds them to the total.
    Kernels,
    /// HIP before 5.7 records no kernel: a copy writes the numbers, and a kernel behind each launch adds them.
    Copy,
}

/// A graph that adds the numbers from 1 to `count` to a total, each time that it is launched.
///
/// It owns the arrays that are written to, so that nobody else uses them against it, and the graph pins all of them: they are freed once
/// the graph is gone, and its last launch is finished.
#[derive(Debug)]
pub struct Recorded {
    pool: Pool,
    body: Body,
    numbers: Array,
    /// Two numbers of 4 bytes: one of 8. Its stamp orders the launches.
    total: Array,
    graph: Graph,
}

impl Recorded {
    /// Captures it on the lease's stream; `meanwhile` is called in the middle of the capture.
    ///
    /// # Errors
    /// As [`StreamPool::capture`](ringfence::drive::StreamPool::capture).
    pub fn capture(
        gpu: &Gpu,
        lease: &mut Lease,
        count: u32,
        mut meanwhile: impl FnMut(),
    ) -> Result<Self, StreamError> {
        let source = Array::iota(gpu, lease, 1, count)?;
        let numbers = Array::iota(gpu, lease, 0, count)?;
        let mut total = Array::allocate(gpu, lease, 2)?;
        let _nothing_before = total.fill(lease, 0)?; // behind the other two: what follows its stamp follows theirs
        let arrays = Arrays { source: &source, numbers: &numbers, total: &total };
        let (body, graph) = match record(gpu, lease, arrays, Body::Kernels, &mut meanwhile) {
            Err(StreamError::Driver { cause: DriverError::Unsupported, .. }) => {
                (Body::Copy, record(gpu, lease, arrays, Body::Copy, &mut meanwhile)?)
            }
            recorded => (Body::Kernels, recorded?),
        };
        drop(source); // its owner needs it no more: the graph keeps it
        Ok(Self { pool: gpu.pool.clone(), body, numbers, total, graph })
    }

    /// What it was recorded of.
    #[must_use]
    pub fn body(&self) -> Body {
        self.body
    }

    /// Launches it on the lease's stream, behind the launch before. Says how that order was made.
    ///
    /// # Errors
    /// As [`StreamPool::launch`](ringfence::drive::StreamPool::launch).
    pub fn launch(&mut self, lease: &mut Lease) -> Result<Ordered, StreamError> {
        let (pool, graph, body) = (&self.pool, &mut self.graph, self.body);
        let (numbers, total) = (self.numbers.numbers, self.total.numbers);
        let kernels = self.numbers.kernels;
        // The graph pins both, but what is submitted beside it uses the numbers as well, and no pin speaks of that.
        let mut uses =
            [ArrayUse::write(&mut self.total.stamp), ArrayUse::write(&mut self.numbers.stamp)];
        let launched = pool.run_after(lease, &mut uses, |lease| {
            if body == Body::Kernels {
                return pool.launch(lease, graph);
            }
            // SAFETY: the total's stamp orders every use of these arrays; their own stamps keep them behind this.
            let _erased = pool.submit(lease, unsafe { numbers.fill(kernels, 0) })?;
            let _copied = pool.launch(lease, graph)?;
            // SAFETY: as above.
            pool.submit(lease, unsafe { numbers.add_to(kernels, total.at) })
        });
        launched.map(|(_touch, how)| how)
    }

    /// Brings the total to the host, behind all launches.
    ///
    /// # Errors
    /// As [`StreamPool::submit_owning`](ringfence::drive::StreamPool::submit_owning).
    pub fn total(&mut self, lease: &mut Lease, to: Slot) -> Result<InFlight<Slot>, StreamError> {
        let (pool, at) = (&self.pool, self.total.numbers.at);
        let mut total = [ArrayUse::read(&mut self.total.stamp)];
        let (copied, _how) = pool.run_after(lease, &mut total, |lease| {
            // SAFETY: the stamp orders it behind every launch, and keeps the total.
            pool.submit_owning(lease, to, |slot| unsafe { slot.copy_of(at) })
        })?;
        Ok(copied)
    }
}

/// What is recorded, and kept by the graph.
#[derive(Clone, Copy)]
struct Arrays<'a> {
    source: &'a Array,
    numbers: &'a Array,
    total: &'a Array,
}

fn record(
    gpu: &Gpu,
    lease: &mut Lease,
    arrays: Arrays<'_>,
    body: Body,
    meanwhile: &mut impl FnMut(),
) -> Result<Graph, StreamError> {
    let Arrays { source, numbers, total } = arrays;
    let captured = gpu.pool.capture(lease, CaptureMode::ThreadLocal, |scope| {
        match body {
            Body::Kernels => {
                // SAFETY: a graph owns these arrays with `Recorded`, and pins them; each launch is ordered by the total's stamp.
                scope.submit(unsafe { numbers.numbers.iota(gpu.kernels, 1) })?;
                meanwhile();
                // SAFETY: as above.
                scope.submit(unsafe { numbers.numbers.add_to(gpu.kernels, total.numbers.at) })?;
            }
            Body::Copy => {
                // SAFETY: as above.
                scope.submit(unsafe { numbers.numbers.copy_from(source.numbers) })?;
                meanwhile();
            }
        }
        for array in [source, numbers, total] {
            scope.pin(array.memory())?;
        }
        Ok(())
    });
    captured.map(|captured| captured.graph)
}
