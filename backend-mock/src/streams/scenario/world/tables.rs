//! Tasks that keep a stream for each key (T3).

use std::collections::BTreeMap;

use ringfence::{error::StreamError, stream::Lease, task::TaskStreams};

use super::{
    Hand, StreamFailure,
    failure::Stop,
    things::{Arena, Handle, Source, Table, Tenant, find},
};
use crate::{
    scenario::Name,
    streams::{
        scenario::{Manner, Place},
        seen::{Declaration, LeaseName},
    },
};

impl Hand {
    /// The task uses its own stream of this kind from here on: the same one each time.
    pub(super) fn switch(&self, name: &Name, task: &Name, place: Place) -> Result<(), Stop> {
        let key = self.0.setup.key(place);
        let number = self.state().task(task);
        let tenant = Tenant {
            number: LeaseName::new(0),
            task: number,
            key,
            raw: ringfence::id::RawStream::new(0),
            stream: ringfence::id::StreamRef::new(
                ringfence::id::PoolId::new(0),
                ringfence::id::StreamId::new(0),
                ringfence::id::Generation::FIRST,
            ),
            source: Source::Table(task.clone()),
            handle: Handle::Kept,
            lease: None,
        };
        {
            let mut state = self.state();
            let new = || Table { streams: Some(TaskStreams::new(key)), leases: BTreeMap::new() };
            state.tables.entry(task.clone()).or_insert_with(new);
            state.tenants.insert(name.clone(), tenant);
        }
        let done = self.with_own(name, task, |_| ());
        if done.is_err() {
            self.state().tenants.remove(name);
        }
        done
    }
    /// Does something with a task's own stream.
    pub(super) fn with_own<T>(
        &self,
        name: &Name,
        task: &Name,
        act: impl FnOnce(&mut Lease<Arena>) -> T,
    ) -> Result<T, Stop> {
        let (key, number) = {
            let mut state = self.state();
            let tenant = state.tenant(name)?;
            (tenant.key, tenant.task)
        };
        let taken = find(&mut self.state().tables, "task", task)?.streams.take();
        let Some(mut streams) = taken else {
            return Err(
                StreamFailure::misuse(format!("`{task}` is in the middle of a step")).into()
            );
        };
        // A closed stream is of no use: the table lets go of it before it asks for another.
        let known = self.state().tables.get(task).and_then(|table| table.leases.get(&key).copied());
        if let Some((lease, _)) = known.filter(|(_, known)| !self.pool().is_current(*known)) {
            self.say(Declaration::Released { lease });
            if let Some(table) = self.state().tables.get_mut(task) {
                table.leases.remove(&key);
            }
        }
        let got = self.asking(number, key, Manner::Any, || -> Result<(), StreamError> {
            streams.switch(self.pool(), key)?;
            let lease = streams.lease(self.pool())?;
            let stream = lease.stream();
            let raw = lease.attachment().raw;
            self.note_own(name, task, raw, stream);
            Ok(())
        });
        // With the work inside the bracket a mode that is left behind would be blamed on the acquire.
        let done = got.and_then(|()| streams.lease(self.pool()).map(act));
        find(&mut self.state().tables, "task", task)?.streams = Some(streams);
        Ok(done?)
    }
    /// The table answered with this stream.
    fn note_own(
        &self,
        name: &Name,
        task: &Name,
        raw: ringfence::id::RawStream,
        stream: ringfence::id::StreamRef,
    ) {
        let mut state = self.state();
        let Ok(tenant) = state.tenant(name) else { return };
        let (key, of) = (tenant.key, tenant.task);
        let before = state.tables.get(task).and_then(|table| table.leases.get(&key).copied());
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
        if let Some(table) = state.tables.get_mut(task) {
            table.leases.insert(key, (number, stream));
        }
        let newest = state.newest.entry(stream.id()).or_insert(stream.generation());
        *newest = (*newest).max(stream.generation());
        if let Ok(tenant) = state.tenant(name) {
            (tenant.number, tenant.raw, tenant.stream) = (number, raw, stream);
        }
        drop(state);
        self.say(said);
    }
    /// A task is over: its own streams go back.
    pub(super) fn leave_tables(&self, task: &Name) {
        let Some(table) = self.state().tables.remove(task) else { return };
        for (number, _) in table.leases.values() {
            self.say(Declaration::Released { lease: *number });
        }
        self.let_go(table.streams);
    }
}
