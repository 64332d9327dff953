//! What a scenario of streams has names for, while it runs.

use std::{
    collections::{BTreeMap, BTreeSet},
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::Wake,
};

use ringfence::{
    drive::{Finished, Graph, InFlight, Participant},
    error::StreamError,
    id::{Generation, RawEvent, RawGraph, RawMemory, RawStream, StreamId, StreamKey, StreamRef},
    stream::{Access, Allocation, Lease, Stamp, Touch},
    task::TaskStreams,
};

use super::{StreamFailure, failure::Stop};
use crate::{
    scenario::Name,
    streams::{
        scenario::{Answer, FreedHow, OrderedHow, StreamCounter},
        seen::{BufferId, Declaration, LeaseName, OpId, TaskName, ThreadId},
        system::Leakable,
    },
};

/// What follows a stream from owner to owner: its handle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arena {
    pub(super) raw: RawStream,
}

/// Where a lease came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// The pool.
    Pool,
    /// The task's own table.
    Table(Name),
    /// The table of owners without an end.
    Owner(Name),
    /// A wrapped handle of somebody else's stream.
    External,
    /// A wrapped handle of a pooled stream: a reference without a lease.
    Reference,
}
/// Whether the user's code has the raw handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Handle {
    Kept,
    Exposed,
}

/// A lease, or what is left of it.
#[derive(Debug)]
pub(super) struct Tenant {
    pub(super) number: LeaseName,
    pub(super) task: TaskName,
    pub(super) key: StreamKey,
    pub(super) raw: RawStream,
    pub(super) stream: StreamRef,
    pub(super) source: Source,
    pub(super) handle: Handle,
    /// `None`: released, forgotten, in a task's table, or in use by the step that runs.
    pub(super) lease: Option<Lease<Arena>>,
}

/// A task's own streams.
#[derive(Debug)]
pub(super) struct Table {
    /// `None` while a step uses it.
    pub(super) streams: Option<TaskStreams<Arena>>,
    /// What was said of them.
    pub(super) leases: BTreeMap<StreamKey, (LeaseName, StreamRef)>,
}

/// A raw handle of the user's own stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct UserStream {
    pub(super) raw: RawStream,
    pub(super) key: StreamKey,
}

/// A piece of memory and what remembers its uses.
#[derive(Debug)]
pub(super) struct Array {
    pub(super) raw: RawMemory,
    pub(super) allocation: Option<Allocation>,
    pub(super) stamp: Stamp,
    pub(super) freed: Option<FreedHow>,
}

/// A named piece of work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worked {
    pub(super) op: Option<OpId>,
    pub(super) touch: Option<Touch>,
    /// The how-manieth among named work the device completed it.
    pub(super) completed: Option<u64>,
}

/// A graph: the pool's, or one that the user captured past it.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) graph: Option<Graph<Arena>>,
    pub(super) raw: Option<RawGraph>,
    pub(super) nodes: usize,
    /// What its nodes touch.
    pub(super) uses: Vec<(Name, Access)>,
}

/// A host buffer: its return to its owner is declared.
#[derive(Debug)]
pub(super) struct HostBuffer {
    pub(super) id: BufferId,
    pub(super) driver: Leakable,
}
impl Drop for HostBuffer {
    fn drop(&mut self) {
        self.driver.declare(Declaration::BufferReleased { buffer: self.id });
    }
}

/// Counts how often a future's task was woken.
#[derive(Debug, Default)]
pub(super) struct Woken(AtomicU64);
impl Woken {
    pub(super) fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A lease that is to come.
type Coming = Pin<Box<dyn Future<Output = Result<Lease<Arena>, StreamError>> + Send>>;
/// What a future waits for.
pub(super) enum Awaited {
    Buffer(InFlight<HostBuffer, Arena>),
    Work(Finished<Arena>),
    Lease { lease: Name, task: Name, key: StreamKey, coming: Coming },
}
/// A future.
pub(super) struct Spawned {
    /// `None`: it was ready, dropped or forgotten.
    pub(super) what: Option<Awaited>,
    pub(super) woken: Arc<Woken>,
    /// What the last poll said.
    pub(super) polled: Option<Polled>,
}
/// What a poll said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Polled {
    Ready,
    Pending,
}

/// Everything that has a name.
#[derive(Default)]
pub(super) struct State {
    pub(super) tenants: BTreeMap<Name, Tenant>,
    /// Names that stand for several leases.
    pub(super) groups: BTreeMap<Name, Vec<Name>>,
    pub(super) handles: BTreeMap<Name, UserStream>,
    pub(super) arrays: BTreeMap<Name, Array>,
    pub(super) work: BTreeMap<Name, Worked>,
    pub(super) graphs: BTreeMap<Name, Plan>,
    pub(super) events: BTreeMap<Name, RawEvent>,
    pub(super) futures: BTreeMap<Name, Spawned>,
    pub(super) tables: BTreeMap<Name, Table>,
    /// What was said of the streams of owners without an end.
    pub(super) owned: BTreeMap<Name, BTreeMap<StreamKey, (LeaseName, StreamRef)>>,
    /// Owners that are gone, as the probe has it.
    pub(super) over: BTreeSet<Name>,
    pub(super) participants: BTreeMap<Name, Participant<Arena>>,
    pub(super) tasks: BTreeMap<Name, TaskName>,
    pub(super) threads: BTreeMap<Name, ThreadId>,
    pub(super) leases: u32,
    pub(super) buffers: u32,
    /// The newest generation that was seen of each stream.
    pub(super) newest: BTreeMap<StreamId, Generation>,
    pub(super) completed: u64,
    pub(super) ordered: Option<OrderedHow>,
    pub(super) answer: Option<Answer>,
    /// Whether time passed in the last step that was no expectation.
    pub(super) waited: bool,
    /// Leases that were forgotten: streams that stay with them.
    pub(super) forgotten: u32,
    pub(super) shut: bool,
    pub(super) since: BTreeMap<&'static str, u64>,
    pub(super) woken: u64,
    pub(super) steps: u64,
    /// What failed while a stream was being created.
    pub(super) failed_inside: Option<Box<StreamFailure>>,
}
impl State {
    pub(super) fn task(&mut self, name: &Name) -> TaskName {
        let next = TaskName::new(u32::try_from(self.tasks.len()).unwrap_or(u32::MAX));
        *self.tasks.entry(name.clone()).or_insert(next)
    }
    /// The thread called `name`; the main thread is 0.
    pub(super) fn thread(&mut self, name: &Name) -> ThreadId {
        let next = ThreadId::new(u32::try_from(self.threads.len()).unwrap_or(u32::MAX - 1) + 1);
        *self.threads.entry(name.clone()).or_insert(next)
    }
    pub(super) fn tenant(&mut self, name: &Name) -> Result<&mut Tenant, Stop> {
        find(&mut self.tenants, "lease", name)
    }
    pub(super) fn array(&mut self, name: &Name) -> Result<&mut Array, Stop> {
        find(&mut self.arrays, "piece of memory", name)
    }
    /// The handle of a stream in the user's hands, with its kind.
    pub(super) fn raw(&mut self, name: &Name) -> Result<(RawStream, StreamKey), Stop> {
        if let Some(handle) = self.handles.get(name) {
            return Ok((handle.raw, handle.key));
        }
        let tenant = self.tenant(name)?;
        match tenant.handle {
            Handle::Exposed => Ok((tenant.raw, tenant.key)),
            Handle::Kept => {
                let what = format!("the raw handle of `{name}` was not given out: `expose` it");
                Err(StreamFailure::misuse(what).into())
            }
        }
    }
    /// Names of leases, with each group replaced by its leases.
    pub(super) fn expand(&self, names: &[Name]) -> Vec<Name> {
        let mut all = Vec::with_capacity(names.len());
        for name in names {
            match self.groups.get(name) {
                Some(members) => all.extend(members.iter().cloned()),
                None => all.push(name.clone()),
            }
        }
        all
    }
    /// Whether the tenancy is known to have passed on.
    pub(super) fn is_over(&self, stream: StreamRef) -> bool {
        self.newest.get(&stream.id()).is_some_and(|newest| *newest > stream.generation())
    }
    /// A counter's value when counting began.
    pub(super) fn base(&self, counter: StreamCounter) -> u64 {
        use crate::scenario::Word;
        self.since.get(counter.word()).copied().unwrap_or(0)
    }
}

pub(super) fn find<'a, T>(
    among: &'a mut BTreeMap<Name, T>,
    what: &str,
    name: &Name,
) -> Result<&'a mut T, Stop> {
    among
        .get_mut(name)
        .ok_or_else(|| StreamFailure::misuse(format!("there is no {what} `{name}` yet")).into())
}
