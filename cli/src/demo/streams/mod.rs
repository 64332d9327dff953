//! The streams half of the demonstration: six workloads, each with four ways to give streams to tasks.

mod checks;
mod host;
mod pipelines;
mod policy;
mod report;
mod sequential;
mod stencil;
mod table;
mod workload;

#[cfg(test)]
mod tests;

use std::time::Duration;

use ringfence::{drive::ShutDown, error::StreamError, id::Bytes, stream::PoolCounts};
use ringfence_mock::streams::{StreamCounts, oracle::StreamViolation};

pub(crate) use checks::all as checks;
pub(crate) use host::Tally;
pub(crate) use policy::Policy;
pub(crate) use report::{aborted, broken, driver, notes, opening};
pub(crate) use table::{memory_table, table};
pub(crate) use workload::{Grid, Size, Workload};

use crate::trace::Trace;
use host::Host;
use sequential::AtEnd;

/// Tasks between two reports of progress.
const REPORT_EVERY: u64 = 512;

/// The figures of one workload with one policy.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    pub(crate) policy: Policy,
    pub(crate) workload: Workload,
    /// What was seen besides.
    pub(crate) tally: Tally,
    /// What the pool counted.
    pub(crate) pool: PoolCounts,
    /// What the driver was asked for; its times and its memory are a model, not silicon.
    pub(crate) driver: StreamCounts,
    /// Virtual time of the device.
    pub(crate) device_time: Duration,
    /// The most modelled host memory of a stencil, by the first look and by the end.
    pub(crate) memory: Option<[Bytes; 2]>,
    /// Leases whose tasks shared a stream with another task's.
    pub(crate) shared: u64,
    /// Nodes in graphs that somebody other than the capture's owner recorded.
    pub(crate) foreign_nodes: u64,
    /// What could not be given back at the end.
    pub(crate) leaked: ShutDown,
    /// What would have killed or hung a real process.
    pub(crate) crashes: Vec<String>,
    /// How often a rule was broken, and the first of them.
    pub(crate) violations: u64,
    pub(crate) first_violation: Option<StreamViolation>,
}
impl Figures {
    /// Host time of the driver calls, and the device's time: a model, not silicon.
    pub(crate) fn modelled(&self) -> Duration {
        self.driver.call_time + self.device_time
    }
    /// The most modelled host memory of streams and hardware queues, in MiB.
    pub(crate) fn host_mib(&self) -> f64 {
        mib(self.driver.peak_host_bytes)
    }
}
/// In units of 2^20 bytes.
pub(crate) fn mib(bytes: Bytes) -> f64 {
    bytes.as_u64() as f64 / f64::from(1 << 20)
}

/// A workload ended before its end.
#[derive(Debug)]
pub(crate) struct Aborted {
    pub(crate) policy: Policy,
    pub(crate) workload: Workload,
    /// What the library said.
    pub(crate) error: StreamError,
    /// What the rules said before.
    pub(crate) first_violation: Option<StreamViolation>,
}

/// Plays one workload with one policy. `progress` is told of tasks that are over.
///
/// # Errors
/// When the library reports an error, which a healthy driver gives no reason for.
pub(crate) fn run(
    policy: Policy,
    workload: Workload,
    size: Size,
    (trace, number): (&Trace, usize),
    progress: &mut dyn FnMut(u64),
) -> Result<Figures, Box<Aborted>> {
    let host = Host::new(policy);
    let violations = || host.driver.violations();
    let clock = {
        let driver = host.driver.clone();
        move || Duration::from_micros(driver.now().count())
    };
    // The signals' runs come first.
    let order = 101 + u32::try_from(number).unwrap_or(u32::MAX - 101);
    let name = format!("{workload} with {policy}");
    let played = trace.run(order, &name, clock, || {
        let memory = play(&host, workload, size, progress)?;
        host.settle();
        Ok(memory)
    });
    let memory = played.map_err(|error| {
        let first_violation = violations().into_iter().next();
        Box::new(Aborted { policy, workload, error, first_violation })
    })?;
    let (pool, driver) = (host.pool.counts(), host.driver.counts());
    // A tick is 1 µs.
    let device_time = Duration::from_micros(host.driver.now().count());
    let leaked = host.close();
    let judged = host.driver.with_oracle(|oracle| {
        (
            oracle.shared(),
            oracle.foreign_nodes(),
            oracle.count(),
            oracle.violations().first().cloned(),
        )
    });
    let (shared, foreign_nodes, violations, first_violation) =
        judged.expect("the oracle watches every workload");
    Ok(Figures {
        policy,
        workload,
        tally: host.tally(),
        pool,
        driver,
        device_time,
        memory,
        shared,
        foreign_nodes,
        leaked,
        crashes: host.driver.crashes(),
        violations,
        first_violation,
    })
}
fn play(
    host: &Host,
    workload: Workload,
    size: Size,
    progress: &mut dyn FnMut(u64),
) -> Result<Option<[Bytes; 2]>, StreamError> {
    match workload {
        Workload::Sequential => {
            sequential::play(host, size.tasks(), AtEnd::Done, progress).map(|()| None)
        }
        Workload::Leftover => {
            sequential::play(host, size.tasks(), AtEnd::Queued, progress).map(|()| None)
        }
        Workload::Pipelines => {
            pipelines::play(host, size.iterations_of_pipelines(), progress).map(|()| None)
        }
        Workload::Stencil(grid) => stencil::play(host, grid, size, progress).map(Some),
    }
}
