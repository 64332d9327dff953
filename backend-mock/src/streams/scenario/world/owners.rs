//! Owners that never say that they are done: a probe does.

use ringfence::{
    error::StreamError,
    id::{Generation, PoolId, RawStream, StreamId, StreamRef},
    stream::Lease,
    task::{Owner, Task, TaskError},
};

use super::{
    Hand, StreamFailure,
    failure::Stop,
    things::{Arena, Handle, Source, Tenant},
};
use crate::{
    scenario::Name,
    streams::{
        scenario::{Manner, Place},
        seen::{Declaration, LeaseName},
    },
};

impl Hand {
    /// An owner asks for its own stream.
    pub(super) fn own(&self, name: &Name, owner: &Name, place: Place) -> Result<(), Stop> {
        let key = self.0.setup.key(place);
        {
            let mut state = self.state();
            let tenant = Tenant {
                number: LeaseName::new(0),
                task: state.task(owner),
                key,
                raw: RawStream::new(0),
                stream: StreamRef::new(PoolId::new(0), StreamId::new(0), Generation::FIRST),
                source: Source::Owner(owner.clone()),
                handle: Handle::Kept,
                lease: None,
            };
            state.over.remove(owner);
            state.tenants.insert(name.clone(), tenant);
        }
        let done = self.with_owners(name, owner, |_| ());
        if done.is_err() {
            self.state().tenants.remove(name);
        }
        done
    }
    /// The probe says from here on that the owner is gone: it submits nothing more.
    pub(super) fn over(&self, owner: &Name) -> Result<(), Stop> {
        let owned = {
            let mut state = self.state();
            state.over.insert(owner.clone());
            state.owned.remove(owner).unwrap_or_default()
        };
        for (number, _) in owned.values() {
            self.say(Declaration::Released { lease: *number });
        }
        let number = self.state().task(owner);
        self.say(Declaration::TaskEnded { task: number });
        Ok(())
    }
    /// Does something with an owner's own stream.
    pub(super) fn with_owners<T>(
        &self,
        name: &Name,
        owner: &Name,
        act: impl FnOnce(&mut Lease<Arena>) -> T,
    ) -> Result<T, Stop> {
        let (key, number, over) = {
            let mut state = self.state();
            let over = state.over.clone();
            let tenant = state.tenant(name)?;
            (tenant.key, tenant.task, over)
        };
        if over.contains(owner) {
            return Err(StreamFailure::misuse(format!("`{owner}` is over")).into());
        }
        let probe = |owner: &Name| match over.contains(owner) {
            true => Owner::Gone,
            false => Owner::Running,
        };
        let stop = |error| match error {
            TaskError::Stream(error) => Stop::from(error),
            error => StreamFailure::misuse(error.to_string()).into(),
        };
        let got = self.asking(number, key, Manner::Any, || -> Result<Task<Arena>, TaskError> {
            let task = self.0.owners.acquire_for(self.pool(), owner.clone(), key, &probe)?;
            task.with(|streams| -> Result<(), StreamError> {
                let lease = streams.lease(self.pool())?;
                let stream = lease.stream();
                let raw = lease.attachment().raw;
                self.note_owned(name, owner, raw, stream);
                Ok(())
            })??;
            Ok(task)
        });
        let task = got.map_err(stop)?;
        let done =
            task.with(|streams| -> Result<T, StreamError> { Ok(act(streams.lease(self.pool())?)) });
        done.map_err(stop)?.map_err(Stop::from)
    }
    /// The table answered with this stream.
    fn note_owned(&self, name: &Name, owner: &Name, raw: RawStream, stream: StreamRef) {
        let mut state = self.state();
        let Ok(tenant) = state.tenant(name) else { return };
        let (key, of) = (tenant.key, tenant.task);
        let before = state.owned.get(owner).and_then(|owned| owned.get(&key).copied());
        let (number, said) = match before {
            Some((number, known)) if known == stream => {
                (number, Declaration::Switched { task: of, key, stream })
            }
            _ => {
                state.leases += 1;
                let (lease, exclusive) = (LeaseName::new(state.leases), self.0.exclusive);
                (lease, Declaration::Leased { lease, task: of, key, raw, stream, exclusive })
            }
        };
        state.owned.entry(owner.clone()).or_default().insert(key, (number, stream));
        let newest = state.newest.entry(stream.id()).or_insert(stream.generation());
        *newest = (*newest).max(stream.generation());
        if let Ok(tenant) = state.tenant(name) {
            (tenant.number, tenant.raw, tenant.stream) = (number, raw, stream);
        }
        drop(state);
        // A stream that was closed under its owner is replaced: the table has let go of it.
        if let Some((number, known)) = before
            && !self.pool().is_current(known)
        {
            self.say(Declaration::Released { lease: number });
        }
        self.say(said);
    }
    /// An owner's streams go back.
    pub(super) fn leave_owners(&self, owner: &Name) {
        let owned = self.state().owned.remove(owner).unwrap_or_default();
        for (number, _) in owned.values() {
            self.say(Declaration::Released { lease: *number });
        }
        self.say(Declaration::DropBegins);
        self.0.owners.done(owner);
        self.say(Declaration::DropEnded);
    }
}
