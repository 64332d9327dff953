//! Arming, destroying and reading timestamps: each needs a use that is known to be finished.

use ringfence::{
    backend::SignalMemory,
    id::{SignalHandle, SignalValue, UseId},
    timing::RawInterval,
};

use super::{
    Oracle, Rule, key,
    signal::{Forced, LastUse, Life, Sign, Signal, Timing},
};
use crate::model::Model;

/// What the host is about to do with a signal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    Arm,
    Destroy,
}

impl Oracle {
    /// The host stores a value that arms a signal.
    pub(crate) fn armed(&mut self, signal: SignalHandle, value: SignalValue, model: &Model) {
        if self.live(signal, "an arm").is_none() {
            return;
        }
        if value == SignalValue::DONE {
            return self.restored(signal);
        }
        self.check_free(signal, Act::Arm, model);
        let at = self.stores.store();
        if let Some(armed) = self.signal_mut(signal) {
            armed.arm(value, at);
        }
        self.ready.remove(&signal.as_u64());
    }
    /// The host stores 0: a late decrement took the signal of a finished use below, where a waiter on the
    /// device would never pass. Of a use in parts that was given up nobody learns how many are still to come: 0 is
    /// stored again after each, and the signal serves nothing else any more.
    fn restored(&mut self, signal: SignalHandle) {
        let Some(now) = self.signal_mut(signal) else { return };
        match now.forced {
            Forced::Seen => now.forced = Forced::No,
            Forced::Outstanding if now.parts_issued > 1 => {}
            Forced::No | Forced::Outstanding => {
                let forced = now.forced;
                self.broken(Rule::S18, || {
                    format!("0 is stored into {signal:?}, whose use is not known to be over ({forced:?})")
                });
            }
        }
    }
    /// The host destroys a signal.
    pub(crate) fn destroyed(&mut self, signal: SignalHandle, model: &Model) {
        self.check_thread("destroys a signal");
        if self.live(signal, "a destruction").is_none() {
            return;
        }
        self.check_free(signal, Act::Destroy, model);
        self.ready.remove(&signal.as_u64());
        let Some(gone) = self.signal_mut(signal) else { return };
        gone.life = Life::Destroyed;
        if let Some(ring) = gone.ring.and_then(|ring| self.rings.get_mut(&ring)) {
            ring.live = ring.live.saturating_sub(1);
        }
    }
    /// First match: what forbids this before anything else.
    fn check_free(&mut self, signal: SignalHandle, act: Act, model: &Model) {
        let verb = if act == Act::Arm { "armed" } else { "destroyed" };
        let Some(now) = self.signal(signal) else { return };
        let Some((rule, why)) = self.obstacle(now, signal, act, model) else { return };
        self.broken(rule, || format!("{signal:?} is {verb}: {why}"));
    }
    fn obstacle(
        &self,
        now: &Signal,
        signal: SignalHandle,
        act: Act,
        model: &Model,
    ) -> Option<(Rule, String)> {
        if let LastUse::InFlight(of) = now.last
            && now.parts_refused > 0
            && now.parts_issued > 0
        {
            let why =
                format!("{of} failed after {} parts, whose end was not seen", now.parts_issued);
            return Some((Rule::S8, why));
        }
        if now.forced == Forced::Outstanding {
            let why = "its completion was forced, and the device's late decrement was not seen"
                .to_owned();
            return Some((Rule::S18, why));
        }
        let late = now.forced == Forced::Seen;
        if act == Act::Destroy && now.sign == Sign::SeenBelowZero {
            return None; // at least as many decrements came as were owed
        }
        if now.sign == Sign::SeenBelowZero || !late && Self::is_below_zero(signal, model) {
            return Some((
                Rule::S7,
                "it was decremented below 0, and stays quarantined".to_owned(),
            ));
        }
        if let Some(consumer) = now.consumers.iter().find(|&&consumer| !self.is_known(consumer)) {
            let state = model.state(*consumer);
            let why = format!(
                "{consumer} waits for it and is not known to be complete (it is {state:?})"
            );
            return Some((Rule::S9, why));
        }
        if now.handlers > 0 {
            return Some((Rule::S1, "a handler is set on it and was not called yet".to_owned()));
        }
        if now.holds > 0 {
            return Some((Rule::S1, "somebody else holds it".to_owned()));
        }
        match now.last {
            LastUse::None => None,
            LastUse::Finished(of) => (act == Act::Arm && now.timing == Timing::Wanted)
                .then(|| (Rule::S16, format!("the timing of {of} is wanted and was not taken"))),
            LastUse::InFlight(_) if now.parts_issued == 0 => None,
            LastUse::InFlight(of) if now.memory == SignalMemory::Shared => {
                let why =
                    format!("its recording {of} is not known to be finished, and it has one cell");
                Some((Rule::S12, why))
            }
            LastUse::InFlight(of) => Some(self.unfounded(of, model)),
        }
    }
    /// The host reads timestamps.
    pub(crate) fn timestamps(&mut self, signal: SignalHandle, raw: RawInterval, model: &Model) {
        let Some(now) = self.live(signal, "a read of timestamps") else { return };
        match now.last {
            LastUse::Finished(of) => self.take(signal, of, raw),
            LastUse::InFlight(of) => {
                let (rule, why) = self.unfounded(of, model);
                self.broken(rule, || format!("timestamps of {signal:?} are read: {why}"));
                self.take(signal, of, raw);
            }
            LastUse::None => {
                self.broken(Rule::S16, || {
                    format!(
                        "timestamps of {signal:?} are read after it was armed again: they are gone"
                    )
                });
            }
        }
    }
    /// Once is enough: a second read must not replace the first answer. That it is wanted may be said later, when what was recorded
    /// is finished and retired within the call that recorded it.
    fn take(&mut self, signal: SignalHandle, of: UseId, raw: RawInterval) {
        self.taken.entry(key(of)).or_insert(raw);
        if let Some(now) = self.signal_mut(signal)
            && now.timing == Timing::Wanted
        {
            now.timing = Timing::Taken;
        }
    }
    /// The host forces a completion.
    pub(crate) fn forced(&mut self, signal: SignalHandle) {
        let Some(now) = self.live(signal, "a forced completion") else { return };
        if let LastUse::InFlight(of) = now.last {
            now.forced = Forced::Outstanding;
            now.timing = Timing::NotWanted; // whoever wanted it got an error
            self.observations += 1;
            let seen_at = self.observations;
            self.lanes.entry(of.lane()).or_default().seen.forced.note(of.packet(), seen_at);
        }
    }
}
