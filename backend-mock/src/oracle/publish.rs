//! Publication: a packet's completion signal is armed and visible, and so is what it waits for.

use ringfence::{
    backend::{Body, Features, PacketCount, PartIndex, Profiler, SignalMemory},
    id::{Barrier, DeviceId, LaneId, SignalHandle, UseId},
};

use super::{
    Oracle, Rule, key,
    signal::{Forced, LastUse, Signal},
};
use crate::model::{Model, ModelPacket, Reader};

impl Oracle {
    /// The host reserved indices of a queue.
    #[inline]
    pub(crate) fn reserved(&mut self, lane: LaneId, count: u32, capacity: PacketCount) {
        self.reserved += u64::from(count);
        if count > capacity.count() {
            self.broken(Rule::S11, || {
                let slots = capacity.count();
                format!(
                    "{count} packets were reserved at once on {lane}, whose ring has {slots} slots"
                )
            });
        }
    }
    /// The host reserved a ticket of an engine.
    pub(crate) fn reserved_ticket(&mut self, of: UseId) {
        self.tickets.insert(key(of));
    }
    /// The host wrote a packet where it may not.
    pub(crate) fn not_reserved(&mut self, of: UseId) {
        self.broken(Rule::S11, || {
            format!("a packet was written at {of}, which is not reserved or has one already")
        });
    }
    /// The device was told of a packet of the host.
    pub(crate) fn published(
        &mut self,
        of: UseId,
        packet: &ModelPacket,
        profiler: Profiler,
        model: &Model,
    ) {
        self.reserved = self.reserved.saturating_sub(1);
        let agent = model.agent_of(of.lane());
        let reader = Reader::Processor(agent);
        let mut proves = Vec::new();
        match packet.body {
            Body::Kernel(()) => {}
            Body::And(deps) => {
                for signal in deps.iter() {
                    self.check_dependency(signal, of, agent, reader, model);
                    proves.extend(self.proven_by_zero(signal));
                }
            }
            Body::Or(deps) => {
                let mut count = 0;
                for signal in deps.iter() {
                    self.check_dependency(signal, of, agent, reader, model);
                    proves.extend(self.proven_by_zero(signal));
                    count += 1;
                }
                // One of several is enough for the packet, and it does not say which.
                if count > 1 {
                    proves.clear();
                }
            }
            Body::Value(wait) => {
                if !model.capabilities(agent).features.contains(Features::BARRIER_VALUE) {
                    self.broken(Rule::S10, || {
                        format!("{of}: the packet processor does not know barrier-value packets")
                    });
                }
                self.check_dependency(wait.signal, of, agent, reader, model);
                if wait.below.as_i64() <= 1 {
                    proves.extend(self.proven_by_zero(wait.signal));
                }
            }
        }
        if !packet.completes.is_null() {
            self.check_completion(packet.completes, of, reader, model);
            self.check_profiler(packet.completes, of, profiler);
            if let Some(signal) = self.signal_mut(packet.completes) {
                signal.uses(of, packet.barrier);
            }
            self.ready.remove(&packet.completes.as_u64());
        }
        self.lanes.entry(of.lane()).or_default().publish(of.packet(), packet, proves);
    }
    /// The use that a signal at 0 proves to be over.
    fn proven_by_zero(&self, signal: SignalHandle) -> Option<UseId> {
        let now = self.signal(signal)?;
        // A forced 0 is not the device's, nor is a failed submission over at 0.
        let honest = now.forced == Forced::No && now.parts_refused == 0;
        now.last.id().filter(|_| honest)
    }
    /// The engine was handed a part.
    pub(crate) fn submitted(
        &mut self,
        of: UseId,
        part: PartIndex,
        completes: SignalHandle,
        waits: &[SignalHandle],
        model: &Model,
    ) {
        self.tickets.remove(&key(of));
        let agent = model.agent_of(of.lane());
        let reader = Reader::Engine(agent);
        let mut proves = Vec::new();
        let first = self.signal(completes).is_none_or(|signal| signal.last.id() != Some(of));
        for &signal in waits {
            self.check_dependency(signal, of, agent, reader, model);
            proves.extend(self.proven_by_zero(signal));
        }
        if first {
            if !completes.is_null() {
                self.check_completion(completes, of, reader, model);
            }
            self.lanes.entry(of.lane()).or_default().issue(of.packet(), completes, proves);
        }
        self.ready.remove(&completes.as_u64());
        let Some(signal) = self.signal_mut(completes) else { return };
        if first {
            signal.uses(of, Barrier::Clear);
        } else {
            signal.parts_issued += 1;
        }
        let (issued, armed) = (signal.parts_issued, signal.armed_with);
        if i64::from(issued) > armed.as_i64() {
            self.broken(Rule::S8, || {
                format!(
                    "{of}: part {} of a copy whose signal was armed with {armed:?}",
                    part.as_u32()
                )
            });
        }
    }
    /// The engine refused a part: what was issued before still decrements.
    pub(crate) fn refused(&mut self, of: UseId, completes: SignalHandle) {
        self.tickets.remove(&key(of));
        if let Some(signal) = self.signal_mut(completes)
            && signal.last.id() == Some(of)
        {
            signal.parts_refused += 1;
        }
    }

    fn check_completion(
        &mut self,
        completes: SignalHandle,
        of: UseId,
        reader: Reader,
        model: &Model,
    ) {
        let Some(now) = self.live(completes, "a completion") else { return };
        if let LastUse::InFlight(last) | LastUse::Finished(last) = now.last {
            let unfinished = model.outstanding(last) > 0;
            let rule = if unfinished { Rule::S1 } else { Rule::S10 };
            self.broken(rule, || {
                format!("{of} completes {completes:?}, which was not armed since {last} used it")
            });
            return;
        }
        self.check_visible(completes, of, reader, model, "completes");
    }
    /// What is armed must be armed for whoever will look.
    fn check_visible(
        &mut self,
        signal: SignalHandle,
        of: UseId,
        reader: Reader,
        model: &Model,
        verb: &str,
    ) {
        let Some(now) = self.signal(signal) else { return };
        let owner = model.capabilities(now.owner);
        if !self.stores.visible(now, owner, reader) {
            self.broken(Rule::S10, || {
                format!("{of} {verb} {signal:?}, and what armed it may still be in a buffer that {reader:?} does not see")
            });
        }
    }
    fn check_dependency(
        &mut self,
        signal: SignalHandle,
        of: UseId,
        agent: DeviceId,
        reader: Reader,
        model: &Model,
    ) {
        if self.live(signal, "a dependency").is_none() {
            return;
        }
        self.check_peer(signal, of, agent, model);
        self.check_visible(signal, of, reader, model, "waits for");
        self.check_snapshot(signal, of);
        let known = |consumer: &UseId| {
            self.lanes.get(&consumer.lane()).is_some_and(|lane| lane.is_known(consumer.packet()))
        };
        let Some(at) = Self::at(signal) else { return };
        let now = &mut self.signals[at];
        if now.consumers.len() >= 16 {
            now.consumers.retain(|consumer| !known(consumer));
        }
        now.consumers.push(of);
    }
    fn check_peer(&mut self, signal: SignalHandle, of: UseId, agent: DeviceId, model: &Model) {
        let Some(&Signal { memory, owner, .. }) = self.signal(signal) else { return };
        let allowed = model.capabilities(owner).features.contains(Features::PEER_DEVICE_WAITS);
        if memory == SignalMemory::Device && owner != agent && !allowed {
            self.broken(Rule::S10, || {
                format!("{of} of {agent} waits for {signal:?} in the memory of its peer {owner}, which it cannot see")
            });
        }
    }
    /// The signal must still carry the use that the waiter means.
    fn check_snapshot(&mut self, signal: SignalHandle, of: UseId) {
        let last = self.signal(signal).map_or(LastUse::None, |signal| signal.last);
        let expected = self.expected.iter().position(|&(of, _)| of == signal);
        match expected.map(|at| self.expected.swap_remove(at).1) {
            Some(meant) if last.id() != Some(meant) => {
                self.broken(Rule::S12, || match last.id() {
                    Some(other) => format!("{of} waits for {signal:?} and means {meant}, but the signal is {other}'s now"),
                    None => format!("{of} waits for {signal:?} and means {meant}, but the signal was armed again since"),
                });
            }
            None if last == LastUse::None
                && self.signal(signal).is_some_and(|s| s.memory != SignalMemory::Shared) =>
            {
                self.broken(Rule::S12, || {
                    format!("{of} waits for {signal:?}, which is armed and has no use to wait for")
                });
            }
            _ => {}
        }
    }
    /// A tool reads, modifies and writes what it finds: in device memory that loses the device's update.
    fn check_profiler(&mut self, completes: SignalHandle, of: UseId, profiler: Profiler) {
        let device = self.signal(completes).is_some_and(|signal| signal.memory.is_device());
        if profiler == Profiler::Attached && device {
            self.broken(Rule::S10, || {
                format!("{of} completes {completes:?} in device memory while a profiler is attached, which writes there too")
            });
        }
    }
}
