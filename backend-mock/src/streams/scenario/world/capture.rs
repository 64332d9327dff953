//! Captures through the pool: a closure whose steps are the scenario's.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use ringfence::{
    drive::{CaptureScope, Captured},
    error::StreamError,
    stream::Access,
};

use super::{
    Hand, StreamFailure,
    failure::Stop,
    things::{Arena, Plan, find},
};
use crate::{
    scenario::Name,
    streams::{
        op::StreamOp,
        scenario::{Capture, Ending, StreamAction, StreamErrorKind},
        system::MockStreams,
    },
};

/// A capture that the step stands in.
pub(super) struct Inside<'s, 'p> {
    scope: &'s mut CaptureScope<'p, MockStreams, Arena>,
    /// The lease that captures.
    on: Name,
    /// Leases that were forked from it.
    forks: Vec<Name>,
    /// What the nodes touch.
    pub(super) uses: Vec<(Name, Access)>,
}
impl Inside<'_, '_> {
    /// Records work when `on` is part of this capture; `None` when it is not.
    pub(super) fn records(
        &mut self,
        hand: &Hand,
        on: &Name,
        op: &StreamOp,
    ) -> Result<Option<Result<(), StreamError>>, Stop> {
        if *on == self.on {
            return Ok(Some(self.scope.submit(op.clone())));
        }
        if self.forks.contains(on) {
            let scope = &mut *self.scope;
            return hand.with_lease(on, |lease| scope.submit_on(lease, op.clone())).map(Some);
        }
        Ok(None)
    }
}

/// What a closure panics with when its scenario says so.
struct Deliberate;

impl Hand {
    pub(super) fn capture(&self, capture: &Capture) -> Result<(), Stop> {
        let mut failed: Option<Box<StreamFailure>> = None;
        let mut uses = Vec::new();
        let caught = self.with_lease(&capture.on, |lease| {
            let record = |scope: &mut CaptureScope<'_, MockStreams, Arena>| {
                let on = capture.on.clone();
                let mut inside = Inside { scope, on, forks: Vec::new(), uses: Vec::new() };
                failed = self.all(&capture.steps, Some(&mut inside)).err();
                uses = inside.uses;
                if capture.ends == Ending::Panics && failed.is_none() {
                    resume_unwind(Box::new(Deliberate));
                }
                Ok(())
            };
            catch_unwind(AssertUnwindSafe(|| self.pool().capture(lease, capture.mode, record)))
        })?;
        if let Some(failure) = failed {
            return Err(failure.into());
        }
        let captured = match caught {
            Ok(captured) => captured,
            Err(panic) if panic.is::<Deliberate>() => {
                let what = "the capture's closure panicked".to_owned();
                return Err(Stop::Error(StreamErrorKind::Panicked, what));
            }
            Err(panic) => resume_unwind(panic),
        };
        let Captured { graph, .. } = captured?;
        let nodes = self.last_nodes();
        let plan = Plan { graph: Some(graph), raw: None, nodes, uses };
        let before = self.state().graphs.insert(capture.graph.clone(), plan);
        self.let_go(before);
        Ok(())
    }
    /// A step that only has a meaning inside a capture.
    pub(super) fn inside(
        &self,
        action: &StreamAction,
        inside: Option<&mut Inside<'_, '_>>,
    ) -> Result<(), Stop> {
        let Some(inside) = inside else {
            return Err(StreamFailure::misuse("it stands outside a capture").into());
        };
        match action {
            StreamAction::Pin(memory) => {
                let taken = self.state().array(memory)?.allocation.take();
                let Some(allocation) = taken else {
                    let what = format!("`{memory}` was given up already");
                    return Err(StreamFailure::misuse(what).into());
                };
                inside.scope.pin(&allocation)?;
                self.state().array(memory)?.allocation = Some(allocation);
            }
            StreamAction::Fork(other) => {
                let scope = &mut *inside.scope;
                let forked = self.with_lease(other, |lease| scope.fork(lease))?;
                // Also after an error the stream may have joined.
                inside.forks.push(other.clone());
                forked?;
            }
            StreamAction::Join(other) => {
                let scope = &mut *inside.scope;
                self.with_lease(other, |lease| scope.join(lease))??;
            }
            StreamAction::Participant(name) => {
                let part = inside.scope.participant();
                let before = self.state().participants.insert(name.clone(), part);
                self.let_go(before);
            }
            _ => unreachable!("only steps of captures come here"),
        }
        Ok(())
    }
    /// A graph's owner lets go of it.
    pub(super) fn drop_graph(&self, name: &Name) -> Result<(), Stop> {
        let (graph, raw) = {
            let mut state = self.state();
            let plan = find(&mut state.graphs, "graph", name)?;
            (plan.graph.take(), plan.raw.take())
        };
        match (graph, raw) {
            (Some(graph), _) => self.let_go(graph),
            (None, Some(raw)) => self.users_destroy(raw)?,
            (None, None) => {
                return Err(StreamFailure::misuse(format!("`{name}` is no graph any more")).into());
            }
        }
        Ok(())
    }
}
