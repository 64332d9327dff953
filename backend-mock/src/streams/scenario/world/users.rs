//! What the user's own code does past the pool, and raw handles on their way into it.

use ringfence::{
    backend::streams::{StreamCapture, StreamDriver, StreamEvents},
    drive::Wrapped,
    id::{RawGraph, RawStream},
    stream::Touch,
};

use super::{
    Hand, StreamFailure,
    failure::Stop,
    things::{Handle, Plan, Source, Tenant, UserStream, find},
};
use crate::{
    scenario::Name,
    streams::{
        scenario::{Answer, Place, StreamAction},
        seen::{Declaration, LeaseName},
    },
};

/// The default stream of each thread (`hipStreamPerThread`).
const PER_THREAD: RawStream = RawStream::new(2);

impl Hand {
    pub(super) fn users_own(&self, action: &StreamAction) -> Result<(), Stop> {
        let user = self.driver().user();
        match action {
            StreamAction::BeginCapture { on, mode } => {
                let (raw, _) = self.state().raw(on)?;
                user.begin_capture(raw, *mode).map_err(Stop::driver)
            }
            StreamAction::EndCapture { graph, on } => {
                let (raw, _) = self.state().raw(on)?;
                let ended = user.end_capture(raw).map_err(Stop::driver)?;
                let nodes = self.last_nodes();
                let plan = Plan { graph: None, raw: Some(ended), nodes, uses: Vec::new() };
                self.state().graphs.insert(graph.clone(), plan);
                Ok(())
            }
            StreamAction::Query(of) => {
                let event = self.state().events.get(of).copied();
                let state = match event {
                    Some(event) => user.query_event(event),
                    None => {
                        let (raw, _) = self.state().raw(of)?;
                        user.query(raw)
                    }
                };
                self.state().answer = Some(Answer::from(state));
                Ok(())
            }
            StreamAction::Record { event, on } => {
                let (raw, key) = self.state().raw(on)?;
                let known = self.state().events.get(event).copied();
                let recorded = match known {
                    Some(known) => known,
                    None => user.create_event(key.place).map_err(Stop::driver)?,
                };
                self.state().events.insert(event.clone(), recorded);
                user.record_event(recorded, raw).map_err(Stop::driver)
            }
            StreamAction::Wait { event, on } => {
                let event = *find(&mut self.state().events, "event", event)?;
                let (raw, _) = self.state().raw(on)?;
                user.stream_wait(raw, event).map_err(Stop::driver)
            }
            StreamAction::Create { handle, place } => {
                let key = self.0.setup.key(*place);
                let raw = user.create(key).map_err(Stop::driver)?;
                self.state().handles.insert(handle.clone(), UserStream { raw, key });
                Ok(())
            }
            StreamAction::Destroy(of) => {
                let (raw, _) = self.state().raw(of)?;
                let destroyed = user.destroy(raw).map_err(Stop::driver);
                self.state().handles.remove(of);
                destroyed
            }
            StreamAction::Wrap { wrapped, of } => self.wrap(wrapped, of.as_ref()),
            StreamAction::Unwrap(of) => self.unwrap(of),
            _ => unreachable!("only what the user does comes here"),
        }
    }
    fn wrap(&self, name: &Name, of: Option<&Name>) -> Result<(), Stop> {
        self.is_free(name)?;
        let (raw, key) = match of {
            Some(of) => self.state().raw(of)?,
            None => (PER_THREAD, self.0.setup.key(Place::default())),
        };
        let (got, source, lease) = match self.pool().wrap_external(raw, key)? {
            Wrapped::Pooled(stream) => (stream, Source::Reference, None),
            Wrapped::External(lease) => (lease.stream(), Source::External, Some(lease)),
        };
        let known = (source == Source::Reference).then_some(got.id());
        self.say(Declaration::Wrapped { raw, got: known });
        let mut state = self.state();
        let tenant = Tenant {
            number: LeaseName::new(0),
            task: state.task(name),
            key,
            raw,
            stream: got,
            source,
            handle: Handle::Exposed,
            lease,
        };
        state.tenants.insert(name.clone(), tenant);
        Ok(())
    }
    fn unwrap(&self, name: &Name) -> Result<(), Stop> {
        let lease = self.state().tenant(name)?.lease.take();
        match lease {
            Some(lease) => Ok(self.pool().unwrap_external(lease)?),
            None => {
                let what = format!("`{name}` is no lease of somebody else's stream");
                Err(StreamFailure::misuse(what).into())
            }
        }
    }
    /// The user launches a graph of the user's own.
    pub(super) fn users_launch(&self, graph: RawGraph, on: &Name) -> Result<Option<Touch>, Stop> {
        let (raw, _) = self.state().raw(on)?;
        self.driver().user().launch_graph(graph, raw).map_err(Stop::driver)?;
        let stream = self.state().tenants.get(on).map(|tenant| tenant.stream);
        Ok(stream.and_then(|stream| self.pool().touch(stream).ok()))
    }
    pub(super) fn users_destroy(&self, graph: RawGraph) -> Result<(), Stop> {
        self.driver().user().destroy_graph(graph).map_err(Stop::driver)
    }
}
