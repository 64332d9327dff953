//! Handlers, and the thread that calls them.

use ringfence::{
    backend::{Features, HandlerToken, SignalMemory},
    error::HandlerRefused,
    id::{DeviceId, SignalHandle, SignalValue},
};

use super::{MockSystem, Pace, state::State};
use crate::{chooser::Site, trace::Event};

/// A handler that was set and not called yet.
#[derive(Clone, Copy, Hash, Debug)]
pub(super) struct Watched {
    signal: SignalHandle,
    token: HandlerToken,
    device: DeviceId,
}

impl MockSystem {
    /// The callback thread's turn: it calls `handle` for the handlers that it finds due, in the order
    /// in which they were set, unless the chooser lets it pass some. How many it called.
    pub fn deliver(&self, mut handle: impl FnMut(HandlerToken)) -> usize {
        let due = self.state().take_due();
        for &watched in &due {
            self.state().callback_begins(watched);
            handle(watched.token);
            self.state().callback_ends(watched.token);
        }
        due.len()
    }
    /// The callback thread's turn for one handler: that at place `nth`, from 1, in the order in which they
    /// were set, if it is due. How many it called.
    pub fn deliver_one(&self, nth: u32, mut handle: impl FnMut(HandlerToken)) -> usize {
        let Some(due) = self.state().take_one(nth) else { return 0 };
        self.state().callback_begins(due);
        handle(due.token);
        self.state().callback_ends(due.token);
        1
    }
    /// The places, from 1, of handlers that a search may call now.
    #[cfg(feature = "scenarios")]
    pub(crate) fn callable(&self) -> Vec<u32> {
        let state = self.state();
        let places = (1..).zip(&state.watched);
        places.filter(|(_, one)| state.may_be_over(one.signal)).map(|(nth, _)| nth).collect()
    }
    /// How many handlers wait to be called.
    pub fn handlers(&self) -> usize {
        self.state().watched.len()
    }
}
impl State {
    pub(super) fn watch(
        &mut self,
        device: DeviceId,
        signal: SignalHandle,
        token: HandlerToken,
    ) -> Result<(), HandlerRefused> {
        let features = self.model.capabilities(device).features;
        if self.is_lost(device) {
            return Err(HandlerRefused::DeviceLost);
        }
        match self.memory(signal) {
            SignalMemory::Host => return Err(HandlerRefused::NoInterrupt),
            SignalMemory::Device if !features.contains(Features::DEVICE_SIGNAL_HANDLERS) => {
                return Err(HandlerRefused::DeviceMemory);
            }
            SignalMemory::Device | SignalMemory::Interrupt | SignalMemory::Shared => {}
        }
        self.spend(self.settings.costs.watch);
        self.counts(device).watches += 1;
        self.oracle.watched(signal);
        self.watched.push(Watched { signal, token, device });
        self.note(Event::Watched(signal, token));
        Ok(())
    }
    fn take_due(&mut self) -> Vec<Watched> {
        self.breathe();
        let (mut due, mut later) = (Vec::new(), Vec::new());
        for (nth, watched) in (1..).zip(std::mem::take(&mut self.watched)) {
            if matches!(self.settings.pace, Pace::Lazy | Pace::Eager) {
                let lost = self.is_lost(watched.device);
                let called = self.calls_handler(nth, watched.signal, lost);
                if called { &mut due } else { &mut later }.push(watched);
                continue;
            }
            let over =
                self.host_view(watched.signal) < SignalValue::ARMED || self.is_lost(watched.device);
            if over && self.chooser.choose(Site::Handler, 2) == 0 {
                due.push(watched);
            } else {
                later.push(watched);
            }
        }
        self.watched = later;
        due
    }
    fn take_one(&mut self, nth: u32) -> Option<Watched> {
        self.breathe();
        let at = (nth as usize).checked_sub(1)?;
        let signal = self.watched.get(at)?.signal;
        self.bring_over(signal);
        let due =
            self.host_view(signal) < SignalValue::ARMED || self.is_lost(self.watched[at].device);
        due.then(|| self.watched.remove(at))
    }
    fn callback_begins(&mut self, watched: Watched) {
        let value = self.host_view(watched.signal);
        let seen = (value < SignalValue::ARMED).then_some(value);
        self.oracle.callback_begins(watched.signal, seen);
        self.note(Event::CallbackBegins(watched.token));
    }
    fn callback_ends(&mut self, token: HandlerToken) {
        self.oracle.callback_ends();
        self.note(Event::CallbackEnds(token));
    }
}
