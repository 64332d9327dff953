//! Waiting, creating and flushing: what the host may do when.

use ringfence::{
    backend::{SignalMemory, WaitOutcome},
    id::{DeviceId, SignalHandle, SignalValue},
    sync::audit,
};

use super::{
    Blocked, Oracle, Rule, Thread, Tracker,
    signal::{Forced, LastUse, Signal, Timing},
};
use crate::model::{Model, Reader};

/// So many waits on one signal of a lost device are still "noticing the loss".
const WAITS_TO_NOTICE_A_LOSS: u32 = 3;

impl Oracle {
    /// The host is about to create signals.
    pub(crate) fn creation_begins(&mut self, memory: SignalMemory) {
        self.check_thread("creates a signal");
        self.check_nothing_reserved("creates a signal");
        if !self.tickets.is_empty() {
            let of =
                self.tickets.first().map(|&(lane, at)| format!("{lane}{at}")).unwrap_or_default();
            self.broken(Rule::S11, || {
                format!("the host creates a signal while ticket {of} is reserved and not submitted")
            });
        }
        if self.bracket.steady.is_some() {
            self.broken(Rule::S15, || {
                format!("a signal in {memory} memory is created in a steady loop")
            });
        }
        self.check_hidden("the ring grows", memory);
    }
    /// Signals were created.
    pub(crate) fn created(&mut self, signal: SignalHandle, memory: SignalMemory, owner: DeviceId) {
        let ring = self.bracket.ring.or(self.bracket.waits);
        if let Some(ring) = ring.and_then(|ring| self.rings.get_mut(&ring)) {
            ring.live += 1;
        }
        if Self::at(signal) == Some(self.signals.len()) {
            self.signals.push(Signal::created(memory, owner, ring));
        }
    }
    /// A creation brought nothing, or fewer than asked for.
    pub(crate) fn creation_failed(&mut self) {
        self.bracket.creation_failed = self.bracket.ring;
    }
    /// A store fence.
    #[inline]
    pub(crate) fn stores_published(&mut self) {
        self.stores.publish();
    }
    /// A flush of `agent`'s host data path.
    pub(crate) fn flushed(&mut self, agent: DeviceId) {
        self.check_nothing_reserved("flushes");
        self.stores.flush(agent);
    }
    /// The host is about to wait until `signal` is below `below`.
    pub(crate) fn wait_begins(&mut self, signal: SignalHandle, below: SignalValue, model: &Model) {
        let locks = audit::locks_held();
        if locks > 0 {
            self.broken(Rule::S13, || {
                format!("the host waits for {signal:?} and holds {locks} locks")
            });
        }
        self.check_nothing_reserved("waits");
        if self.live(signal, "a wait").is_none() {
            return;
        }
        self.check_wait_can_end(signal, below, model);
        if self.is_for_room(signal) {
            self.check_wait_is_needed(signal);
            if let Some(memory) = self.signal(signal).map(|now| now.memory) {
                self.check_hidden("the host waits", memory);
            }
        }
        self.check_loss(signal);
    }
    /// The wait is over.
    pub(crate) fn wait_ended(
        &mut self,
        signal: SignalHandle,
        outcome: WaitOutcome,
        at_once: Immediate,
    ) {
        match outcome {
            WaitOutcome::Reached(value) => {
                self.count_load(value);
                if self.signal(signal).is_some() {
                    self.observe(signal, value);
                }
            }
            WaitOutcome::TimedOut | WaitOutcome::Lost => self.count_load(SignalValue::ARMED),
        }
        if at_once == Immediate::No
            && let Some(sync) = &mut self.bracket.sync
        {
            sync.blocked = Blocked::Yes;
        }
    }
    pub(super) fn check_nothing_reserved(&mut self, act: &str) {
        let reserved = self.reserved;
        if reserved > 0 {
            self.broken(Rule::S11, || {
                format!("the host {act} while {reserved} indices are reserved and not published")
            });
        }
    }
    pub(super) fn check_thread(&mut self, act: &str) {
        if self.thread == Thread::Callback {
            self.broken(Rule::S13, || format!("the callback thread {act}"));
        }
    }
    /// Whether a submission waits to use some signal again. Issued parts of a failed copy must be waited
    /// for, and another process's cell is the only one there is.
    fn is_for_room(&self, signal: SignalHandle) -> bool {
        self.bracket.ring.is_some()
            && self.signal(signal).is_some_and(|now| {
                now.last.id().is_some()
                    && now.parts_refused == 0
                    && now.memory != SignalMemory::Shared
            })
    }
    /// A submission grows its ring before it waits.
    fn check_wait_is_needed(&mut self, signal: SignalHandle) {
        let Some(name) = self.bracket.ring else { return };
        let Some(&ring) = self.rings.get(&name) else { return };
        let can_grow = self.bracket.creation_failed != Some(name) && ring.live < ring.cap;
        if can_grow {
            self.broken(Rule::S14, || {
                let (live, cap) = (ring.live, ring.cap);
                format!("a submission waits for {signal:?} while its ring has {live} signals and may have {cap}")
            });
        }
    }
    /// What is waited for must have been submitted.
    fn check_wait_can_end(&mut self, signal: SignalHandle, below: SignalValue, model: &Model) {
        let Some(now) = self.signal(signal) else { return };
        let owed = now.last.id().map_or(0, |of| model.outstanding(of));
        let value = model.view(signal, Reader::Host).map_or(0, SignalValue::as_i64);
        if value - i64::from(owed) >= below.as_i64() {
            self.broken(Rule::S14, || {
                format!("the host waits until {signal:?} is below {below:?}; it is {value}, and the device owes it {owed} decrements")
            });
        }
    }
    /// A signal whose own value was seen done must not lie about while its ring waits for another in the
    /// same memory, or creates one. What other rings' proofs say of it is for their threads to know.
    fn check_hidden(&mut self, act: &str, memory: SignalMemory) {
        let Some(ring) = self.bracket.ring else { return };
        if self.rings.get(&ring).is_some_and(|ring| ring.tracker == Tracker::Polling) {
            return;
        }
        let free = |signal: &SignalHandle| {
            self.signal(*signal).is_some_and(|now| {
                now.ring == Some(ring)
                    && now.memory == memory
                    && now.forced == Forced::No
                    && matches!(now.last, LastUse::Finished(_))
                    && now.timing != Timing::Wanted
                    && now.handlers == 0
                    && now.holds == 0
                    && now.consumers.is_empty()
            })
        };
        if let Some(hidden) = self.ready.iter().map(|&signal| SignalHandle::new(signal)).find(free)
        {
            self.broken(Rule::S6, || {
                format!("{act}, though {hidden:?} is known to be finished and could be used")
            });
        }
    }
    fn check_loss(&mut self, signal: SignalHandle) {
        let lost = &self.lost;
        let Some(at) = Self::at(signal) else { return };
        let now = &mut self.signals[at];
        if !lost.contains(&now.owner) {
            return;
        }
        now.waits_when_lost += 1;
        if now.waits_when_lost > WAITS_TO_NOTICE_A_LOSS {
            self.broken(Rule::S17, || {
                format!("the host goes on waiting for {signal:?} after the loss of its device")
            });
        }
    }
    /// A handler was set.
    pub(crate) fn watched(&mut self, signal: SignalHandle) {
        if let Some(now) = self.live(signal, "a handler") {
            now.handlers += 1;
        }
    }
    /// The callback thread takes up a handler; `value` is what it saw, unless the device was lost.
    pub(crate) fn callback_begins(&mut self, signal: SignalHandle, value: Option<SignalValue>) {
        if let Some(now) = self.signal_mut(signal) {
            now.handlers = now.handlers.saturating_sub(1);
        }
        if let Some(value) = value {
            self.observe(signal, value);
        }
        self.thread = Thread::Callback;
    }
    /// The callback thread is done with it.
    pub(crate) fn callback_ends(&mut self) {
        self.thread = Thread::User;
    }
}

/// Whether a wait found its value at its first look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Immediate {
    Yes,
    No,
}
