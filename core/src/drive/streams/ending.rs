//! The end of a capture: always, on its own thread, and with every stream that recorded in it.

use super::{
    capture::{CaptureScope, ForkedWork},
    graph::Dead,
    participant::Entry,
    refused,
};
use crate::{
    backend::streams::{CaptureStatus, StreamBackend},
    error::{Closed, DriverError, StreamError},
    id::RawGraph,
    stream::{Captures, Standing},
    sync::ThreadName,
};

/// Ends the capture, also when the closure unwinds: an abandoned one would be for ever (T10).
pub(super) struct Ending<'a, B: StreamBackend, A> {
    pub(super) scope: CaptureScope<'a, B, A>,
    ended: Option<Result<RawGraph, StreamError>>,
}
impl<'a, B: StreamBackend, A> Ending<'a, B, A> {
    pub(super) fn of(scope: CaptureScope<'a, B, A>) -> Self {
        Self { scope, ended: None }
    }
    pub(super) fn end(&mut self) -> Result<RawGraph, StreamError> {
        let (pool, stream) = (self.scope.pool, self.scope.stream);
        let left = {
            let mut inside = self.scope.door.0.lock();
            inside.open = Entry::Closed;
            inside.participants
        };
        let (slot, home) = (&self.scope.slot, self.scope.home);
        let before = {
            let mut tenancy = slot.lock();
            // In a forked child, or after the pool's end, a capture cannot even be ended.
            let ended = pool.drivable().and_then(|()| {
                if tenancy.handle_is_dead() {
                    return Err(StreamError::Stale { stream }); // it went with its device
                }
                pool.driver.end_capture(slot.raw()).map_err(|cause| self.why(cause))
            });
            tenancy.captures = Captures::Over;
            let ended = match (ended, left) {
                (Ok(graph), 1..) => {
                    let dead = Dead::unused(Some(graph), home, Vec::new());
                    pool.shared.graveyard.lock().push(dead);
                    Err(StreamError::Participants { stream, left })
                }
                (ended, _) => ended,
            };
            let before = tenancy.before_capture.take();
            if ended.is_err() {
                tenancy.close(Closed::Capture);
                tenancy.final_event = before;
                tenancy.left_by = left_by(&ended);
            }
            self.ended = Some(ended);
            if tenancy.standing == Standing::Open { before } else { None }
        };
        pool.give_back(before);
        if matches!(self.ended, Some(Err(_))) {
            pool.shared.pool().remember_left(slot.clone()); // its event may be asked about
        }
        for fork in &self.scope.forks {
            let fork = &fork.slot;
            let mut tenancy = fork.lock();
            tenancy.captures = Captures::Over;
            let before = tenancy.before_capture.take();
            // A stream that joined a capture of HIP 5.2 swallows all later work, also after a good end.
            let still = pool.drivable().is_err()
                || tenancy.handle_is_dead()
                || pool.driver.capture_status(fork.raw()) != CaptureStatus::None;
            if still || matches!(self.ended, Some(Err(_))) {
                tenancy.close_for_capture();
                tenancy.final_event = before;
                tenancy.left_by = self.ended.as_ref().and_then(left_by);
                drop(tenancy);
                pool.shared.pool().remember_left(fork.clone()); // its event may be asked about
            } else if tenancy.still_exists() {
                drop(tenancy);
                pool.give_back(before);
            } else {
                tenancy.final_event = before; // closed meanwhile: whoever remembers its work waits for that
                drop(tenancy);
                pool.shared.pool().remember_left(fork.clone());
            }
        }
        self.ended.unwrap_or(Err(StreamError::Capturing { stream }))
    }
    /// Why the driver makes no graph of it. Forks without a join break a capture, also where its error says no more than that.
    fn why(&self, cause: DriverError) -> StreamError {
        let stream = self.scope.stream;
        let mut unjoined =
            self.scope.forks.iter().filter(|fork| fork.work == ForkedWork::Unjoined).peekable();
        match (cause, unjoined.peek().map(|fork| fork.stream)) {
            (DriverError::CaptureFailed(_), Some(fork)) => {
                let left = u32::try_from(unjoined.count()).unwrap_or(u32::MAX);
                StreamError::Unjoined { stream, fork, left, cause }
            }
            _ => refused(stream, cause),
        }
    }
}
/// Who may destroy what the capture left open: the thread that ended it, if it is over. After another refusal it may go on.
fn left_by(ended: &Result<RawGraph, StreamError>) -> Option<ThreadName> {
    let over = match ended {
        Ok(_) | Err(StreamError::Participants { .. } | StreamError::Unjoined { .. }) => true,
        Err(StreamError::Driver { cause, .. }) => matches!(cause, DriverError::CaptureFailed(_)),
        Err(_) => false,
    };
    over.then(ThreadName::own)
}
impl<B: StreamBackend, A> Drop for Ending<'_, B, A> {
    fn drop(&mut self) {
        if self.ended.is_some() {
            return;
        }
        // The closure panicked: nobody gets the graph, and what it pins goes with it.
        let graph = self.end().ok();
        let pins = std::mem::take(&mut self.scope.pins);
        let dead = Dead::unused(graph, self.scope.home, pins);
        self.scope.pool.shared.graveyard.lock().push(dead);
    }
}
