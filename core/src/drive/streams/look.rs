//! Is this stream idle? By what was seen before, by its progress word, or by the driver.

use super::{StreamPool, guard::Relaxed};
use crate::{
    backend::streams::{CaptureStatus, StreamBackend, StreamState},
    error::{Closed, DriverError},
    id::Position,
    stream::{Captures, Idleness, Slot, Standing, Tenancy, Why},
};

/// How a look was answered, for the counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Asked {
    Nobody,
    Driver,
}

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// Proves the stream idle, with its lock held: the position is compared at the hand-over.
    pub(super) fn prove_idle(
        &self,
        slot: &Slot<A>,
        tenancy: &mut Tenancy,
    ) -> (Result<Position, Why>, Asked) {
        if let Standing::Closed(cause) = tenancy.standing {
            return (Err(Why::Closed(cause)), Asked::Nobody);
        }
        match self.prove_finished(slot, tenancy) {
            (Err(Why::Capturing(_) | Why::Busy), asked) if planted!(HandOutCapturing) => {
                (Ok(tenancy.counted), asked)
            }
            proven => proven,
        }
    }
    /// The same of a stream that is closed: whether it may be destroyed.
    pub(super) fn prove_finished(
        &self,
        slot: &Slot<A>,
        tenancy: &mut Tenancy,
    ) -> (Result<Position, Why>, Asked) {
        // The handle of such a stream is dead, or another stream's by now.
        if let Standing::Closed(
            cause @ (Closed::Bad | Closed::Lost | Closed::Disowned | Closed::Reset),
        ) = tenancy.standing
        {
            return match tenancy.covers(tenancy.counted) {
                true => (Ok(tenancy.counted), Asked::Nobody),
                false => (Err(Why::Closed(cause)), Asked::Nobody),
            };
        }
        // Of a lease that was dropped inside the capture: the end of that decides what becomes of the stream.
        if tenancy.captures == Captures::Open {
            return (Err(Why::Busy), Asked::Nobody);
        }
        let word = slot.word();
        match (tenancy.idleness(word.is_some()), word) {
            (Idleness::Proven(position), _) => (Ok(position), Asked::Nobody),
            (Idleness::Mark, Some(word)) => {
                // A wait that nothing followed: the driver knows now, the word will from the next look on.
                let asked = self.ask(slot, tenancy);
                let pending = matches!(asked, Err(Why::Pending | Why::Unknown));
                if pending && self.driver.mark(slot.raw(), word, tenancy.counted).is_ok() {
                    tenancy.marked = tenancy.counted;
                }
                (asked, Asked::Driver)
            }
            (Idleness::Word, Some(_)) => (self.by_word(slot, tenancy), Asked::Nobody),
            _ => (self.ask(slot, tenancy), Asked::Driver),
        }
    }
    /// One load. "Pending" is believed: the driver is not asked as well (T13).
    #[inline]
    fn by_word(&self, slot: &Slot<A>, tenancy: &mut Tenancy) -> Result<Position, Why> {
        if let Some(word) = slot.word() {
            tenancy.saw(self.driver.observe(word));
        }
        if tenancy.covers(tenancy.counted) { Ok(tenancy.counted) } else { Err(Why::Pending) }
    }
    /// Capture status first, then the query (T8).
    #[cold]
    pub(super) fn ask(&self, slot: &Slot<A>, tenancy: &mut Tenancy) -> Result<Position, Why> {
        let said = self.ask_driver(slot, tenancy);
        match said {
            Err(Why::Bad(cause)) => {
                tenancy.ailment = Some(cause);
                // Whoever asked for another reason, the word alone is believed no more (T9).
                tenancy.note_refusal::<()>(Err(cause));
            }
            Err(Why::Pending) => tenancy.ailment = None,
            _ => {}
        }
        said
    }
    fn ask_driver(&self, slot: &Slot<A>, tenancy: &mut Tenancy) -> Result<Position, Why> {
        if !planted!(QueryBeforeStatus) {
            match self.driver.capture_status(slot.raw()) {
                CaptureStatus::None => {}
                CaptureStatus::Unknown(DriverError::CaptureConflict(_)) => {
                    return Err(Why::Unknown);
                }
                CaptureStatus::Unknown(cause) => return Err(Why::Bad(cause)),
                status => return Err(Why::Capturing(status)),
            }
        }
        let _relaxed = Relaxed::enter(&self.driver);
        match self.driver.query(slot.raw()) {
            StreamState::Idle => {
                tenancy.saw_idle();
                Ok(tenancy.counted)
            }
            StreamState::Pending => Err(Why::Pending),
            StreamState::Unknown => Err(Why::Unknown),
            StreamState::Failed(cause) => Err(Why::Bad(cause)),
        }
    }
}
