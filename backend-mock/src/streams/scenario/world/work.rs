//! Work, and the memory that it touches.

use std::time::Duration;

use ringfence::{
    backend::streams::{CaptureStatus, StreamWork},
    drive::{ArrayUse, Freed, Ordered},
    error::StreamError,
    id::{Bytes, RawStream, StreamRef},
    stream::{Access, Lease, Stamp, Touch},
};

use super::{
    Hand, StreamFailure,
    capture::Inside,
    failure::Stop,
    things::{Arena, Array, Worked, find},
};
use crate::{
    clock::Ticks,
    scenario::Name,
    streams::{
        op::{RunTime, StreamOp},
        oracle::StreamRule,
        scenario::{FreedHow, OrderedHow, Run, Through},
        seen::Declaration,
    },
};

/// The size of each piece of memory: no rule depends on it.
const SIZE: Bytes = Bytes::new(4096);

/// Remembers work that was ordered after the stamp.
fn followed(stamp: &mut Stamp, touch: Touch, access: Access) {
    match access {
        Access::Read => stamp.add(touch, access),
        Access::Write => stamp.replace(touch),
    }
}

impl Hand {
    pub(super) fn run(
        &self,
        run: &Run,
        mut inside: Option<&mut Inside<'_, '_>>,
    ) -> Result<(), Stop> {
        let on = self.state().expand(&run.on);
        self.state().ordered = None;
        for name in &on {
            let op = self.op(run)?;
            let recorded = match inside.as_deref_mut() {
                Some(inside) => inside.records(self, name, &op)?,
                None => None,
            };
            let part = self.state().participants.remove(name);
            let touch = if let Some(done) = recorded {
                done?;
                None
            } else if let Some(part) = part {
                let done = part.submit(self.pool(), op);
                self.state().participants.insert(name.clone(), part);
                done?;
                None
            } else {
                self.submit(run, name, op)?
            };
            if inside.is_some() && touch.is_none() {
                self.captured(run, inside.as_deref_mut());
            }
            if let Some(work) = &run.name {
                let worked = Worked { op: self.last_op(), touch, completed: None };
                self.state().work.insert(work.clone(), worked);
            }
        }
        Ok(())
    }
    fn op(&self, run: &Run) -> Result<StreamOp, Stop> {
        let name = run.name.as_ref().map_or("work", Name::as_str).to_owned();
        let mut op = match run.time {
            RunTime::Ticks(ticks) => StreamOp::new(name, ticks),
            RunTime::Endless => StreamOp::endless(name),
        };
        let mut state = self.state();
        for memory in &run.reads {
            op = op.reads(state.array(memory)?.raw);
        }
        for memory in &run.writes {
            op = op.writes(state.array(memory)?.raw);
        }
        Ok(op)
    }
    /// Work of one stream, after earlier work on what it touches.
    fn submit(&self, run: &Run, on: &Name, op: StreamOp) -> Result<Option<Touch>, Stop> {
        let user = run.through == Through::Handle || self.state().handles.contains_key(on);
        if user {
            let (raw, _) = self.state().raw(on)?;
            self.driver().user().launch(raw, op).map_err(Stop::driver)?;
            // Who submits past the pool says so where somebody is to remember it.
            if run.reads.is_empty() && run.writes.is_empty() && run.name.is_none() {
                return Ok(None);
            }
            let stream = self.state().tenants.get(on).map(|tenant| tenant.stream);
            return match stream.map(|stream| self.pool().touch(stream)) {
                Some(Ok(touch)) => {
                    self.remember(run, touch, Stamp::add);
                    Ok(Some(touch))
                }
                // The driver would not say whether it captures: who cannot have the work remembered waits for it.
                Some(Err(error @ StreamError::Capturing { .. })) if !self.captures(raw) => {
                    let _finished = self.driver().user().synchronize(raw);
                    Err(error.into())
                }
                _ => Ok(None),
            };
        }
        let touch = self.with_lease(on, |lease| {
            for (memories, access) in [(&run.reads, Access::Read), (&run.writes, Access::Write)] {
                for memory in memories {
                    let stamp = self.state().array(memory)?.stamp.clone();
                    self.order(lease, &stamp, access)?;
                }
            }
            Ok::<_, Stop>(self.pool().submit(lease, op)?)
        })??;
        self.remember(run, touch, followed);
        Ok(Some(touch))
    }
    fn captures(&self, raw: RawStream) -> bool {
        self.driver().with_model(|model| model.status_of(raw)) != CaptureStatus::None
    }
    fn remember(&self, run: &Run, touch: Touch, how: fn(&mut Stamp, Touch, Access)) {
        let mut state = self.state();
        for (memories, access) in [(&run.reads, Access::Read), (&run.writes, Access::Write)] {
            for memory in memories {
                if let Some(array) = state.arrays.get_mut(memory) {
                    how(&mut array.stamp, touch, access);
                }
            }
        }
    }
    /// Nodes have no position: their launches will.
    fn captured(&self, run: &Run, inside: Option<&mut Inside<'_, '_>>) {
        let Some(inside) = inside else { return };
        let reads = run.reads.iter().map(|memory| (memory.clone(), Access::Read));
        let writes = run.writes.iter().map(|memory| (memory.clone(), Access::Write));
        inside.uses.extend(reads.chain(writes));
    }

    /// Orders later work of the lease after a stamp. A stamp of tenancies that are over is finished work: to
    /// wait for it is T6.
    pub(super) fn order(
        &self,
        lease: &mut Lease<Arena>,
        stamp: &Stamp,
        access: Access,
    ) -> Result<(), Stop> {
        let over = self.all_over(stamp, access);
        let ordered =
            self.waiting(stamp, access, || self.pool().order_after(lease, stamp, access))?;
        if over && ordered != Ordered::Already {
            let expected = "nothing to be waited for: the stamp is of tenancies that are over";
            let failure = StreamFailure::not_so(expected, format!("the answer was {ordered:?}"));
            return Err(failure.of_rule(StreamRule::T6).into());
        }
        let how = OrderedHow::from(ordered);
        let mut state = self.state();
        let worst = |how: OrderedHow| match how {
            OrderedHow::Already => 0,
            OrderedHow::OnDevice => 1,
            OrderedHow::OnHost => 2,
        };
        if state.ordered.is_none_or(|before| worst(how) > worst(before)) {
            state.ordered = Some(how);
        }
        Ok(())
    }
    fn all_over(&self, stamp: &Stamp, access: Access) -> bool {
        let state = self.state();
        let mut touches = stamp.touches(access).peekable();
        touches.peek().is_some() && touches.all(|touch| state.is_over(touch.stream()))
    }
    /// A call that waits for what a stamp remembers, with what is said around it. With several touches of which
    /// some are not over, a wait may be for those.
    fn waiting<T>(&self, stamp: &Stamp, access: Access, wait: impl FnOnce() -> T) -> T {
        let streams: Vec<StreamRef> = stamp.touches(access).map(Touch::stream).collect();
        let of = match streams.as_slice() {
            [one] => Some(*one),
            [.., last] if self.all_over(stamp, access) => Some(*last),
            _ => None,
        };
        if let Some(after) = of {
            self.say(Declaration::WaitBegins { after });
        }
        let done = wait();
        if of.is_some() {
            self.say(Declaration::WaitEnded);
        }
        done
    }
    /// An array is taken over: ordered, submitted, and only then the new owner's.
    pub(super) fn take_over(
        &self,
        memory: &Name,
        access: Access,
        on: &Name,
        ticks: Ticks,
        name: Option<&Name>,
    ) -> Result<(), Stop> {
        let (raw, mut stamp) = {
            let mut state = self.state();
            state.ordered = None;
            let array = state.array(memory)?;
            (array.raw, array.stamp.clone())
        };
        let op = StreamOp::new(name.map_or("use", Name::as_str).to_owned(), ticks);
        let op = if access == Access::Write { op.writes(raw) } else { op.reads(raw) };
        let (over, before) = (self.all_over(&stamp, access), stamp.clone());
        let (touch, ordered) = self.with_lease(on, |lease| {
            self.waiting(&before, access, || {
                let mut array = [ArrayUse::new(&mut stamp, access)];
                self.pool().submit_after(lease, &mut array, op)
            })
        })??;
        if over && ordered != Ordered::Already {
            let expected = "nothing to be waited for: the stamp is of tenancies that are over";
            let failure = StreamFailure::not_so(expected, format!("the answer was {ordered:?}"));
            return Err(failure.of_rule(StreamRule::T6).into());
        }
        let op = self.last_op();
        let mut state = self.state();
        state.ordered = Some(ordered.into());
        state.array(memory)?.stamp = stamp;
        if let Some(name) = name {
            state.work.insert(name.clone(), Worked { op, touch: Some(touch), completed: None });
        }
        Ok(())
    }
    pub(super) fn sync(&self, of: &Name, limit: u32) -> Result<(), Stop> {
        let limit = Duration::from_micros(u64::from(limit));
        let stamp = {
            let mut state = self.state();
            match state.arrays.get(of) {
                Some(array) => array.stamp.clone(),
                None => {
                    let worked = *find(&mut state.work, "piece of work", of)?;
                    let mut stamp = Stamp::default();
                    if let Some(touch) = worked.touch {
                        stamp.add(touch, Access::Read);
                    }
                    stamp
                }
            }
        };
        let done = self.waiting(&stamp, Access::Write, || {
            self.pool().synchronize(&stamp, Access::Write, limit)
        });
        Ok(done?)
    }
    pub(super) fn alloc(&self, memory: &Name, on: &Name) -> Result<(), Stop> {
        let allocated = self.with_lease(on, |lease| self.pool().allocate(lease, SIZE))??;
        let (raw, stamp) = (allocated.raw(), allocated.stamp());
        let array = Array { raw, allocation: Some(allocated), stamp, freed: None };
        self.state().arrays.insert(memory.clone(), array);
        Ok(())
    }
    pub(super) fn free(&self, memory: &Name) -> Result<(), Stop> {
        let (allocation, stamp) = {
            let mut state = self.state();
            let array = state.array(memory)?;
            (array.allocation.take(), array.stamp.clone())
        };
        let Some(allocation) = allocation else {
            return Err(StreamFailure::misuse(format!("`{memory}` was given up already")).into());
        };
        let raw = allocation.raw();
        self.say(Declaration::Retired { memory: raw });
        let freed = self.pool().retire(allocation, stamp);
        if freed == Freed::Leaked {
            self.say(Declaration::Leaked { memory: raw });
        }
        self.state().array(memory)?.freed = Some(FreedHow::from(freed));
        Ok(())
    }
    pub(super) fn launch(&self, graph: &Name, on: &Name, name: Option<&Name>) -> Result<(), Stop> {
        let (pooled, raw, uses) = {
            let mut state = self.state();
            state.ordered = None;
            let plan = find(&mut state.graphs, "graph", graph)?;
            (plan.graph.take(), plan.raw, plan.uses.clone())
        };
        type Remember = fn(&mut Stamp, Touch, Access);
        let (touch, remember): (_, Remember) = match (pooled, raw) {
            (Some(mut pooled), _) => {
                let launched = self.with_lease(on, |lease| {
                    for (memory, access) in &uses {
                        let stamp = self.state().array(memory)?.stamp.clone();
                        self.order(lease, &stamp, *access)?;
                    }
                    Ok::<_, Stop>(self.pool().launch(lease, &mut pooled)?)
                });
                find(&mut self.state().graphs, "graph", graph)?.graph = Some(pooled);
                (Some(launched??), followed)
            }
            (None, Some(raw)) => (self.users_launch(raw, on)?, Stamp::add),
            (None, None) => {
                return Err(StreamFailure::misuse(format!("`{graph}` is no graph any more")).into());
            }
        };
        let op = self.last_op();
        let mut state = self.state();
        for (memory, access) in &uses {
            if let (Some(touch), Some(array)) = (touch, state.arrays.get_mut(memory)) {
                remember(&mut array.stamp, touch, *access);
            }
        }
        if let Some(name) = name {
            state.work.insert(name.clone(), Worked { op, touch, completed: None });
        }
        Ok(())
    }
}
