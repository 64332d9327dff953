//! Which part of the world does what a step says.

use super::{Hand, capture::Inside, failure::Stop};
use crate::streams::scenario::StreamAction;

impl Hand {
    pub(super) fn act(
        &self,
        action: &StreamAction,
        inside: Option<&mut Inside<'_, '_>>,
    ) -> Result<(), Stop> {
        match action {
            StreamAction::Acquire(acquire) => self.acquire(acquire),
            StreamAction::Switch { stream, task, place } => self.switch(stream, task, *place),
            StreamAction::Own { stream, owner, place } => self.own(stream, owner, *place),
            StreamAction::Over(owner) => self.over(owner),
            StreamAction::Release(leases) => self.release(leases),
            StreamAction::End(task) => self.end(task),
            StreamAction::Forget(what) => self.forget(what),
            StreamAction::Drop(what) => self.drop_it(what),
            StreamAction::Run(run) => self.run(run, inside),
            StreamAction::Use { memory, access, on, ticks, name } => {
                self.take_over(memory, *access, on, *ticks, name.as_ref())
            }
            StreamAction::Copy { future, on, ticks } => self.copy(future, on, *ticks),
            StreamAction::Spawn { future, what } => self.spawn(future, what),
            StreamAction::Poll(future) => self.poll(future),
            StreamAction::Tick(ticks) => {
                self.driver().tick(*ticks);
                Ok(())
            }
            StreamAction::TickIdle => {
                self.driver().run_until_idle();
                Ok(())
            }
            StreamAction::Finish(on) => {
                let raw = self.state().tenant(on)?.raw;
                self.driver().end_endless(raw);
                Ok(())
            }
            StreamAction::Alloc { memory, on } => self.alloc(memory, on),
            StreamAction::Free(memory) => self.free(memory),
            StreamAction::Disown(lease) => self.disown(lease),
            StreamAction::Expose(lease) => self.expose(lease),
            StreamAction::Sync { of, limit } => self.sync(of, *limit),
            StreamAction::Launch { graph, on, name } => self.launch(graph, on, name.as_ref()),
            StreamAction::DropGraph(graph) => self.drop_graph(graph),
            StreamAction::Capture(capture) => self.capture(capture),
            StreamAction::Pin(_)
            | StreamAction::Fork(_)
            | StreamAction::Join(_)
            | StreamAction::Participant(_) => self.inside(action, inside),
            StreamAction::BeginCapture { .. }
            | StreamAction::EndCapture { .. }
            | StreamAction::Query(_)
            | StreamAction::Record { .. }
            | StreamAction::Wait { .. }
            | StreamAction::Create { .. }
            | StreamAction::Destroy(_)
            | StreamAction::Wrap { .. }
            | StreamAction::Unwrap(_) => self.users_own(action),
            StreamAction::Peek { .. }
            | StreamAction::Pump
            | StreamAction::Trim
            | StreamAction::Reset(_)
            | StreamAction::ShutDown(_)
            | StreamAction::Process(_)
            | StreamAction::Fail(_)
            | StreamAction::CountFrom => self.keep(action),
            StreamAction::Repeat { steps, .. } => Ok(self.all(steps, inside)?),
            StreamAction::Expect(expect) => self.expect(expect),
        }
    }
}
