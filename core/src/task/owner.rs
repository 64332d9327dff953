//! Owners that never say that they are done.

use std::{collections::HashMap, fmt, hash::Hash};

use super::{Task, TaskError};
use crate::{
    backend::streams::StreamBackend, drive::StreamPool, id::StreamKey, stream::Lease, sync::Mutex,
};

/// How it stands with an owner.
///
/// ```
/// use ringfence::task::Owner;
/// use std::thread::JoinHandle;
/// /// How it stands with a thread that a runtime has under a number.
/// fn owner(thread: Option<&JoinHandle<()>>) -> Owner {
///     match thread {
///         Some(thread) if thread.is_finished() => Owner::Done,
///         Some(_) => Owner::Running,
///         None => Owner::Gone, // collected: nobody has its handle any more
///     }
/// }
/// assert_eq!(owner(None), Owner::Gone);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub enum Owner {
    /// It may still submit work.
    Running,
    /// It is over, and will submit nothing more.
    Done,
    /// Nobody knows it any more: a garbage collector took it.
    Gone,
}

/// Knows how it stands with the owners of a runtime. Every `Fn(&K) -> Owner` does.
///
/// ```
/// use ringfence::task::{Owner, OwnerProbe, OwnerTable};
/// use std::collections::HashSet;
///
/// struct Scheduler {
///     running: HashSet<u64>,
/// }
/// impl OwnerProbe<u64> for Scheduler {
///     fn ask(&self, owner: &u64) -> Owner {
///         if self.running.contains(owner) { Owner::Running } else { Owner::Done }
///     }
/// }
/// let scheduler = Scheduler { running: HashSet::from([7]) };
/// assert_eq!(scheduler.ask(&7), Owner::Running);
/// let owners: OwnerTable<u64> = OwnerTable::new();
/// assert_eq!(owners.sweep(&scheduler), 0); // asks about those that have streams: none
/// ```
pub trait OwnerProbe<K> {
    /// How it stands with `owner`. Called with no lock held, on the thread that wants a stream.
    ///
    /// A wrong `Running` keeps a stream back until somebody asks again; a wrong `Done` lets a task lose its
    /// stream, and get another one.
    fn ask(&self, owner: &K) -> Owner;
}
impl<K, F: Fn(&K) -> Owner> OwnerProbe<K> for F {
    fn ask(&self, owner: &K) -> Owner {
        self(owner)
    }
}

/// Streams of owners without an end: tasks of a runtime that never calls back when one is done.
///
/// Each owner keeps its streams until it says [`done`](Self::done), or until somebody else wants a stream, none
/// is idle, and the probe says that the owner is over. Then its leases are dropped like any other: the
/// streams drain, and are handed on when their work is finished.
///
/// `K` is a plain name, a pointer or a number: it is compared, hashed and copied under the table's lock.
///
/// ```
/// use ringfence::{backend::streams::*, drive::StreamPool, id::*, task::*};
///
/// fn kernel<B>(pool: &StreamPool<B>, owners: &OwnerTable<u64>, julia_task: u64) -> Result<(), TaskError>
/// where
///     B: StreamBackend + StreamWork<Work = &'static str>,
/// {
///     let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
///     let is_done = |task: &u64| if *task == 0 { Owner::Gone } else { Owner::Running };
///     let task = owners.acquire_for(pool, julia_task, key, &is_done)?;
///     task.with(|streams| streams.submit(pool, "axpy"))??;
///     Ok(())
/// }
/// ```
pub struct OwnerTable<K, A = ()>(Mutex<Table<K, A>>);

struct Table<K, A> {
    owners: HashMap<K, Owned<A>>,
    /// How many times anybody asked.
    asks: u64,
}
/// One owner's streams.
struct Owned<A> {
    task: Task<A>,
    /// When it asked last. A runtime may give a name to somebody else (a task pointer): an answer about the one
    /// before is not held against an owner that asked since.
    asked: u64,
}

impl<K: Eq + Hash + Clone, A> OwnerTable<K, A> {
    /// A table without owners.
    pub fn new() -> Self {
        Self(Mutex::new(Table { owners: HashMap::new(), asks: 0 }))
    }
    /// How many owners have streams.
    pub fn count(&self) -> usize {
        self.0.lock().owners.len()
    }
    /// The owner's task, with a stream of `key` that is its own, as its current one: the one that it has
    /// already; else an idle one; else one whose owner turns out to be over; else a new one.
    ///
    /// The probe is asked only where nothing is idle, and with no lock held.
    ///
    /// # Errors
    /// [`TaskError::InUse`] when another call has the owner's streams; as [`StreamPool::acquire`] and
    /// [`TaskStreams::switch`](super::TaskStreams::switch).
    pub fn acquire_for<B: StreamBackend>(
        &self,
        pool: &StreamPool<B, A>,
        owner: K,
        key: StreamKey,
        probe: &impl OwnerProbe<K>,
    ) -> Result<Task<A>, TaskError> {
        let task = self.task_of(&owner, key);
        let has_one = task.with(|streams| {
            let switched = streams.switch(pool, key);
            switched.map(|_before| streams.usable_place().is_some())
        })??;
        if !has_one {
            task.keep(self.find(pool, &owner, key, probe)?)?;
        }
        Ok(task)
    }
    /// The owner is over: its leases are dropped. Calls no driver, and may be called by a finalizer.
    pub fn done(&self, owner: &K) {
        let ended = self.0.lock().owners.remove(owner);
        drop(ended); // with no lock held: an attachment may have a destructor of its own
    }
    /// Asks about every owner, and drops the leases of those that are over. Returns how many were.
    pub fn sweep(&self, probe: &impl OwnerProbe<K>) -> usize {
        self.sweep_all_but(None, probe)
    }

    fn task_of(&self, owner: &K, key: StreamKey) -> Task<A> {
        let mut table = self.0.lock();
        table.asks += 1;
        let asked = table.asks;
        let new = || Owned { task: Task::new(key), asked };
        let owned = table.owners.entry(owner.clone()).or_insert_with(new);
        owned.asked = asked;
        owned.task.clone()
    }
    fn find<B: StreamBackend>(
        &self,
        pool: &StreamPool<B, A>,
        owner: &K,
        key: StreamKey,
        probe: &impl OwnerProbe<K>,
    ) -> Result<Lease<A>, TaskError> {
        if let Some(lease) = pool.acquire_existing(key)? {
            return Ok(lease);
        }
        // What came back drains like any other stream: the acquire looks at it, and creates when it is busy.
        self.sweep_all_but(Some(owner), probe);
        Ok(pool.acquire(key)?)
    }
    fn sweep_all_but(&self, me: Option<&K>, probe: &impl OwnerProbe<K>) -> usize {
        let mut over: Vec<(K, u64)> = {
            let table = self.0.lock();
            let others = table.owners.iter().filter(|(owner, _)| Some(*owner) != me);
            others.map(|(owner, owned)| (owner.clone(), owned.asked)).collect()
        };
        over.retain(|(owner, _)| probe.ask(owner) != Owner::Running);
        let ended: Vec<Owned<A>> = {
            let mut table = self.0.lock();
            let end = |(owner, asked): &(K, u64)| {
                let unchanged = table.owners.get(owner).is_some_and(|owned| owned.asked == *asked);
                if unchanged { table.owners.remove(owner) } else { None }
            };
            over.iter().filter_map(end).collect()
        };
        ended.len() // dropped with no lock held
    }
}
impl<K: Eq + Hash + Clone, A> Default for OwnerTable<K, A> {
    fn default() -> Self {
        Self::new()
    }
}
impl<K: fmt::Debug, A> fmt::Debug for OwnerTable<K, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = self.0.lock();
        f.debug_map()
            .entries(table.owners.iter().map(|(owner, owned)| (owner, &owned.task)))
            .finish()
    }
}
