//! What an observation teaches.

use ringfence::{
    backend::DeviceStatus,
    id::{Barrier, LaneId, PacketId, SignalHandle, SignalValue, UseId},
};

use super::{
    Blocked, Oracle, Rule,
    signal::{Forced, LastUse, Sign},
};
use crate::model::{Model, Reader};

impl Oracle {
    /// The host loaded a value.
    #[inline]
    pub(crate) fn loaded(&mut self, signal: SignalHandle, value: SignalValue) {
        self.count_load(value);
        if self.live(signal, "a load").is_some() {
            self.observe(signal, value);
        }
    }
    /// A load inside a query or a synchronize.
    pub(super) fn count_load(&mut self, value: SignalValue) {
        if let Some(query) = &mut self.bracket.query {
            query.loads += 1;
        }
        if let Some(sync) = &mut self.bracket.sync {
            sync.loads += 1;
            if value >= SignalValue::ARMED {
                sync.blocked = Blocked::Yes;
            }
        }
    }
    /// The host saw a value: by a load, at the end of a wait, or in a handler.
    pub(super) fn observe(&mut self, signal: SignalHandle, value: SignalValue) {
        self.observations += 1;
        let now = self.observations;
        let Some(at) = Self::at(signal) else { return };
        let seen = &mut self.signals[at];
        let Some(of) = seen.last.id() else { return };
        let value = value.as_i64();
        let lane = self.lanes.entry(of.lane()).or_default();
        if seen.forced == Forced::Outstanding {
            lane.seen.forced.note(of.packet(), now);
        }
        if value > seen.over_at() {
            return;
        }
        if seen.forced == Forced::Outstanding {
            // The late decrements: now the work is over, and its own value says so.
            seen.forced = Forced::Seen;
            self.learn(of);
        } else if value < seen.over_at().min(0) {
            seen.sign = Sign::SeenBelowZero;
            lane.seen.below_zero.note(of.packet(), now);
        } else {
            if seen.barrier == Barrier::Set {
                lane.seen.fence_done.note(of.packet(), now);
            } else {
                lane.seen.plain_done.note(of.packet(), now);
            }
            if seen.consumers.is_empty() {
                self.ready.insert(signal.as_u64());
            }
            if matches!(seen.last, LastUse::InFlight(_)) {
                self.learn(of);
            }
        }
    }
    /// The host read a read index.
    #[inline]
    pub(crate) fn read_index(&mut self, lane: LaneId, read: PacketId) {
        self.observations += 1;
        if let Some(last) = read.as_u64().checked_sub(1) {
            let now = self.observations;
            self.lanes.entry(lane).or_default().seen.read_index.note(PacketId::new(last), now);
        }
    }
    /// A use is known to be finished, with everything that follows.
    fn learn(&mut self, of: UseId) {
        let mut learned = std::mem::take(&mut self.learned);
        self.to_learn.push(of);
        while let Some(next) = self.to_learn.pop() {
            let Some(lane) = self.lanes.get_mut(&next.lane()) else { continue };
            lane.learn(next.packet(), &mut learned);
            for finished in learned.drain(..) {
                for dependency in finished.proves {
                    if self.was_honest(dependency) {
                        self.to_learn.push(dependency);
                    }
                }
                let of = UseId::new(next.lane(), finished.packet);
                if let Some(signal) = self.signal_mut(finished.signal)
                    && signal.last == LastUse::InFlight(of)
                {
                    signal.last = LastUse::Finished(of);
                }
            }
        }
        self.learned = learned;
    }
    /// Whether the 0 that a waiter saw was the device's own: neither forced nor of a failed submission.
    fn was_honest(&self, dependency: UseId) -> bool {
        let lane = self.lanes.get(&dependency.lane());
        let signal = lane.and_then(|lane| lane.signal_of(dependency.packet()));
        signal.and_then(|signal| self.signal(signal)).is_none_or(|signal| {
            signal.last.id() != Some(dependency)
                || (signal.forced == Forced::No && signal.parts_refused == 0)
        })
    }
    /// Why the host may have believed that a use is finished, when it could not know: the youngest
    /// observation that a wrong inference turns into that belief, or none.
    pub(super) fn unfounded(&self, of: UseId, model: &Model) -> (Rule, String) {
        super::ground::unfounded(
            &self.lanes,
            of,
            model,
            model.status(model.agent_of(of.lane())) == DeviceStatus::Lost,
        )
    }
    /// What the device's memory says of a signal, whatever the host saw.
    pub(super) fn is_below_zero(signal: SignalHandle, model: &Model) -> bool {
        model.view(signal, Reader::Host).is_some_and(|value| value < SignalValue::DONE)
    }
}
