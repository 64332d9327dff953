//! Tasks get streams, and give them back.

use ringfence::{error::StreamError, id::StreamKey, stream::Lease};

use super::{
    Hand, StreamFailure,
    failure::Stop,
    things::{Arena, Handle, Source, Tenant, UserStream, find},
};
use crate::{
    scenario::Name,
    streams::{
        oracle::StreamRule,
        scenario::{Acquire, Manner, StreamErrorKind},
        seen::{Declaration, LeaseName, TaskName},
    },
};

impl Hand {
    pub(super) fn acquire(&self, acquire: &Acquire) -> Result<(), Stop> {
        let names = match (acquire.times, acquire.leases.as_slice()) {
            (2.., [group]) => {
                let members = (1..=acquire.times).map(|n| Name::new(format!("{group}.{n}")));
                let members: Vec<Name> = members.collect();
                self.state().groups.insert(group.clone(), members.clone());
                members
            }
            (_, names) => names.to_vec(),
        };
        let others = !acquire.while_creating.is_empty();
        if others {
            self.creations(Some(acquire.while_creating.clone()));
        }
        let done = names.iter().try_for_each(|name| self.acquire_one(name, acquire));
        if others {
            self.creations(None);
            if let Some(failure) = self.state().failed_inside.take() {
                return Err(failure.into());
            }
        }
        done
    }
    fn acquire_one(&self, name: &Name, acquire: &Acquire) -> Result<(), Stop> {
        self.is_free(name)?;
        let task = self.state().task(acquire.task.as_ref().unwrap_or(name));
        let key = self.0.setup.key(acquire.place);
        let before = self.pool().tally();
        let got = self.asking(task, key, acquire.manner, || {
            let got = match acquire.manner {
                Manner::Any => self.pool().acquire(key).map(Some),
                Manner::Existing => self.pool().acquire_existing(key),
                Manner::Reserved => self.pool().reserve(key).map(Some),
            };
            got.map(|lease| lease.map(|lease| self.enter(name, task, key, lease)))
        });
        match got {
            Ok(Some(())) => Ok(()),
            Ok(None) => Err(Stop::Error(
                StreamErrorKind::NoStream,
                format!("there is no idle stream of {key}"),
            )),
            Err(error @ StreamError::Create { .. }) if acquire.while_creating.is_empty() => {
                let after = self.pool().tally();
                if (before.creating, before.leased) != (after.creating, after.leased) {
                    let expected = "a failed creation to leave no trace";
                    let seen = format!(
                        "{} streams are being created and {} leased, and {} and {} were before it",
                        after.creating, after.leased, before.creating, before.leased
                    );
                    let failure = StreamFailure::not_so(expected, seen);
                    return Err(failure.of_rule(StreamRule::T4).into());
                }
                Err(error.into())
            }
            Err(error) => Err(error.into()),
        }
    }
    /// A name that no live lease has.
    pub(super) fn is_free(&self, name: &Name) -> Result<(), Stop> {
        match self.state().tenants.get(name) {
            Some(Tenant { lease: Some(_), .. }) => {
                let what = format!("`{name}` is still a lease: release it first");
                Err(StreamFailure::misuse(what).into())
            }
            _ => Ok(()),
        }
    }
    /// A call that may hand out a stream, with what is said around it.
    pub(super) fn asking<T>(
        &self,
        task: TaskName,
        key: StreamKey,
        manner: Manner,
        ask: impl FnOnce() -> T,
    ) -> T {
        self.say(Declaration::AcquireBegins { task, key });
        if manner == Manner::Reserved {
            self.say(Declaration::Reserves { task });
        }
        let got = ask();
        self.say(Declaration::AcquireEnded { task });
        got
    }
    /// The library gave a lease.
    pub(super) fn enter(
        &self,
        name: &Name,
        task: TaskName,
        key: StreamKey,
        mut lease: Lease<Arena>,
    ) {
        let raw = lease.attachment().raw;
        let stream = lease.stream();
        let number = {
            let mut state = self.state();
            state.leases += 1;
            let newest = state.newest.entry(stream.id()).or_insert(stream.generation());
            *newest = (*newest).max(stream.generation());
            LeaseName::new(state.leases)
        };
        let exclusive = self.0.exclusive;
        self.say(Declaration::Leased { lease: number, task, key, raw, stream, exclusive });
        let tenant = Tenant {
            number,
            task,
            key,
            raw,
            stream,
            source: Source::Pool,
            handle: Handle::Kept,
            lease: Some(lease),
        };
        self.state().tenants.insert(name.clone(), tenant);
    }
    /// Does something with a lease.
    pub(super) fn with_lease<T>(
        &self,
        name: &Name,
        act: impl FnOnce(&mut Lease<Arena>) -> T,
    ) -> Result<T, Stop> {
        let source = self.state().tenant(name)?.source.clone();
        if let Source::Table(task) = source {
            return self.with_own(name, &task, act);
        }
        if let Source::Owner(owner) = source {
            return self.with_owners(name, &owner, act);
        }
        let taken = self.state().tenant(name)?.lease.take();
        let Some(mut lease) = taken else {
            return Err(StreamFailure::misuse(format!("`{name}` is no lease any more")).into());
        };
        let number = self.state().tenant(name)?.number;
        if self.0.exclusive == crate::streams::seen::Exclusive::No {
            self.say(Declaration::Submits { lease: number });
        }
        let done = act(&mut lease);
        self.state().tenant(name)?.lease = Some(lease);
        Ok(done)
    }
    pub(super) fn release(&self, leases: &[Name]) -> Result<(), Stop> {
        let names = self.state().expand(leases);
        for name in &names {
            let (lease, number, source) = {
                let mut state = self.state();
                let tenant = state.tenant(name)?;
                (tenant.lease.take(), tenant.number, tenant.source.clone())
            };
            let Some(lease) = lease else {
                let what = format!("`{name}` is no lease any more");
                return Err(StreamFailure::misuse(what).into());
            };
            if source == Source::Pool {
                self.say(Declaration::Released { lease: number });
            }
            self.let_go(lease);
        }
        Ok(())
    }
    /// A task is over, with all its leases.
    pub(super) fn end(&self, task: &Name) -> Result<(), Stop> {
        let number = *find(&mut self.state().tasks, "task", task)?;
        let held: Vec<Name> = {
            let state = self.state();
            let of_task = |(_, tenant): &(&Name, &Tenant)| {
                tenant.task == number && tenant.lease.is_some() && tenant.source == Source::Pool
            };
            state.tenants.iter().filter(of_task).map(|(name, _)| name.clone()).collect()
        };
        self.release(&held)?;
        self.leave_tables(task);
        self.say(Declaration::TaskEnded { task: number });
        Ok(())
    }
    /// Its destructor never runs.
    pub(super) fn forget(&self, what: &Name) -> Result<(), Stop> {
        if let Some(future) = self.state().futures.get_mut(what) {
            std::mem::forget(future.what.take());
            return Ok(());
        }
        let (lease, number) = {
            let mut state = self.state();
            let tenant = state.tenant(what)?;
            (tenant.lease.take(), tenant.number)
        };
        let Some(lease) = lease else {
            return Err(StreamFailure::misuse(format!("`{what}` is no lease any more")).into());
        };
        self.say(Declaration::Forgotten { lease: number });
        std::mem::forget(lease);
        self.state().forgotten += 1;
        Ok(())
    }
    /// The stream leaves the pool, and is the user's from here on.
    pub(super) fn disown(&self, name: &Name) -> Result<(), Stop> {
        let (lease, number, id, key) = {
            let mut state = self.state();
            let tenant = state.tenant(name)?;
            (tenant.lease.take(), tenant.number, tenant.stream.id(), tenant.key)
        };
        let Some(lease) = lease else {
            return Err(StreamFailure::misuse(format!("`{name}` is no lease any more")).into());
        };
        let disowned = self.pool().disown(lease);
        if let Ok(raw) = disowned {
            self.say(Declaration::Condemned { stream: id, raw });
            self.state().handles.insert(name.clone(), UserStream { raw, key });
        }
        // With an error the lease is gone all the same.
        self.say(Declaration::Released { lease: number });
        Ok(disowned.map(drop)?)
    }
    pub(super) fn expose(&self, name: &Name) -> Result<(), Stop> {
        let number = self.state().tenant(name)?.number;
        self.say(Declaration::Exposed { lease: number });
        let raw = self.with_lease(name, |lease| self.pool().expose(lease))?;
        let mut state = self.state();
        let tenant = state.tenant(name)?;
        tenant.handle = Handle::Exposed;
        if tenant.raw != raw {
            let expected = format!("the handle of `{name}` to be {}", tenant.raw);
            return Err(StreamFailure::not_so(expected, format!("it is {raw}"))
                .of_rule(StreamRule::T12)
                .into());
        }
        Ok(())
    }
}
