//! What keeps the pool going, ends it, or breaks the driver under it.

use std::num::NonZeroU32;

use ringfence::{
    error::{DriverCode, DriverError},
    id::DeviceId,
};

use super::{Hand, StreamFailure, failure::Stop};
use crate::{
    scenario::Word,
    streams::{
        CallKind,
        model::MemoryState,
        scenario::{
            DriverFault, FailingCall, FreedHow, Leaks, Leaving, Place, Presence, Refusal,
            StreamAction, StreamCounter,
        },
        seen::Declaration,
    },
};

impl Hand {
    pub(super) fn keep(&self, action: &StreamAction) -> Result<(), Stop> {
        match action {
            StreamAction::Peek { is, place } => self.peek(*is, *place),
            StreamAction::Pump => {
                self.pump();
                Ok(())
            }
            StreamAction::Trim => {
                self.say(Declaration::TrimBegins);
                self.pool().trim();
                self.say(Declaration::TrimEnded);
                Ok(())
            }
            StreamAction::Reset(device) => self.reset(DeviceId::new(*device)),
            StreamAction::ShutDown(leaks) => self.shut_down(Some(*leaks)),
            StreamAction::Process(leaving) => {
                match leaving {
                    Leaving::Fork => self.driver().fork(),
                    Leaving::Exit => self.driver().begin_exit(),
                }
                Ok(())
            }
            StreamAction::Fail(fault) => self.fail(fault),
            StreamAction::CountFrom => {
                let now = StreamCounter::ALL
                    .iter()
                    .filter(|counter| !counter.is_now())
                    .map(|&counter| (counter.word(), self.total(counter)))
                    .collect();
                self.state().since = now;
                Ok(())
            }
            _ => unreachable!("only what keeps the pool comes here"),
        }
    }
    /// Looks at everything that waits.
    pub(super) fn pump(&self) {
        let pumped = self.pool().pump();
        self.state().woken += u64::from(pumped.woken);
    }
    fn peek(&self, is: Presence, place: Place) -> Result<(), Stop> {
        let seen = self.pool().peek(self.0.setup.key(place));
        if let Some(stream) = seen {
            let (stream, generation) = (stream.id(), stream.generation());
            self.say(Declaration::Generation { stream, generation });
        }
        match (is, seen) {
            (Presence::Some, None) => {
                Err(StreamFailure::not_so("an idle stream to be there", "there is none").into())
            }
            (Presence::None, Some(stream)) => {
                let seen = format!("there is {stream}");
                Err(StreamFailure::not_so("no idle stream to be there", seen).into())
            }
            _ => Ok(()),
        }
    }
    /// The user resets a device, and says so to the pool.
    fn reset(&self, device: DeviceId) -> Result<(), Stop> {
        self.driver().user().device_reset(device).map_err(Stop::driver)?;
        self.pool().device_reset(device);
        for array in self.state().arrays.values_mut() {
            let there =
                |allocation: &ringfence::stream::Allocation| allocation.place().device == device;
            if array.allocation.as_ref().is_some_and(there) {
                array.allocation = None; // it is gone with its device
            }
        }
        let put_off: Vec<_> = {
            let state = self.state();
            let deferred = |array: &&super::things::Array| array.freed == Some(FreedHow::Deferred);
            state.arrays.values().filter(deferred).map(|array| array.raw).collect()
        };
        for memory in put_off {
            let state = self.driver().with_model(|model| model.memory_state(memory));
            if state == MemoryState::Gone {
                self.say(Declaration::Leaked { memory });
            }
        }
        Ok(())
    }
    /// Of what was put off and is still there, as much as the pool counts as leaked or as gone with its device:
    /// the pool names none of it.
    fn say_what_leaked(&self) {
        let arrays: Vec<_> =
            self.state().arrays.values().map(|array| (array.raw, array.freed)).collect();
        let said = arrays.iter().filter(|(_, freed)| *freed == Some(FreedHow::Leaked)).count();
        let counts = self.pool().memory_counts();
        let counted = usize::try_from(counts.leaked + counts.gone).unwrap_or(usize::MAX);
        let there =
            |raw| self.driver().with_model(|model| model.memory_state(raw) != MemoryState::Gone);
        let put_off = arrays
            .into_iter()
            .filter(|&(raw, freed)| freed == Some(FreedHow::Deferred) && there(raw))
            .take(counted.saturating_sub(said));
        for (memory, _) in put_off {
            self.say(Declaration::Leaked { memory });
        }
    }
    /// The pool ends. What it leaks must be what was announced; without a word of it, what was forgotten.
    pub(super) fn shut_down(&self, announced: Option<Leaks>) -> Result<(), Stop> {
        use ringfence::backend::streams::{DriverState, StreamPlatform};
        let ready = self.driver().state() == DriverState::Ready;
        self.say(Declaration::TrimBegins);
        let left = self.pool().shutdown();
        self.say_what_leaked();
        self.say(Declaration::TrimEnded);
        self.say(Declaration::ShutDown);
        let streams = {
            let mut state = self.state();
            state.shut = true;
            state.forgotten
        };
        let expected = announced.unwrap_or(Leaks { streams, ..Leaks::default() });
        let seen = Leaks {
            streams: left.streams_leaked,
            memory: left.memory_leaked,
            buffers: left.buffers_leaked,
        };
        if seen == expected || (announced.is_none() && !ready) {
            return Ok(());
        }
        let say = |leaks: Leaks| {
            let Leaks { streams, memory, buffers } = leaks;
            format!("{streams} streams, {memory} pieces of memory and {buffers} buffers leaked")
        };
        let what = format!("{}, where {} were announced", say(seen), say(expected));
        Err(StreamFailure::left_over(what).into())
    }
    fn fail(&self, fault: &DriverFault) -> Result<(), Stop> {
        match fault {
            DriverFault::Call { call, nth, says } => {
                let (kind, usual) = meant(*call);
                let error = refusal(says.unwrap_or(usual));
                self.driver().fail(kind, u64::from(*nth), error);
            }
            DriverFault::AtLive(live) => {
                self.driver().fail_at_live(NonZeroU32::new(*live).unwrap_or(NonZeroU32::MIN));
            }
            DriverFault::Stream(on) => {
                let raw = self.state().tenant(on)?.raw;
                self.driver().poison(raw, refusal(Refusal::Bad));
            }
            DriverFault::Device => self.driver().lose_device(),
        }
        Ok(())
    }
}

/// The call, and what it usually says when it fails.
const fn meant(call: FailingCall) -> (CallKind, Refusal) {
    match call {
        FailingCall::Create => (CallKind::Create, Refusal::Memory),
        FailingCall::Query => (CallKind::Query, Refusal::Conflict),
        FailingCall::Status => (CallKind::Status, Refusal::Bad),
        FailingCall::Record => (CallKind::Record, Refusal::Conflict),
        FailingCall::Wait => (CallKind::StreamWait, Refusal::Conflict),
        FailingCall::BeginCapture => (CallKind::BeginCapture, Refusal::Conflict),
        FailingCall::Launch => (CallKind::Launch, Refusal::Bad),
        FailingCall::Allocate => (CallKind::Allocate, Refusal::Memory),
        FailingCall::Free => (CallKind::Free, Refusal::Conflict),
        FailingCall::Mark => (CallKind::Mark, Refusal::Bad),
        FailingCall::Destroy => (CallKind::Destroy, Refusal::Bad),
    }
}
const fn refusal(says: Refusal) -> DriverError {
    match says {
        Refusal::Conflict => DriverError::CaptureConflict(DriverCode::new(900)),
        Refusal::Bad => DriverError::Bad(DriverCode::new(719)),
        Refusal::Memory => DriverError::OutOfMemory(DriverCode::new(2)),
    }
}
