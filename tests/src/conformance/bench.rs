//! What most tests do: a queue, signals, packets, and looking at what became of them.

use std::time::Duration;

use ringfence::{
    backend::{
        Body, Created, Deps, Features, Packet, PacketCount, PacketQueue, SignalMemory, Signals,
    },
    id::{Barrier, CacheScope, PacketId, SignalHandle, SignalValue},
};

use super::{
    Checked, KernelOf, Lacks, Length, RingSize, Stop, Subject,
    check::{check, has, same},
};

/// For what should happen. It is far more than any device needs: a test that gets here has failed.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);
/// For what should not happen. A device that is wrong has done it by then.
pub(super) const GRACE: Duration = Duration::from_millis(4);

pub(super) const DONE: SignalValue = SignalValue::DONE;
pub(super) const ARMED: SignalValue = SignalValue::ARMED;

/// One queue of one device.
#[derive(Debug)]
pub(super) struct Bench<'s, S: Subject> {
    pub(super) on: &'s S,
    pub(super) nth: usize,
    pub(super) device: &'s S::Device,
    pub(super) queue: S::Queue,
}
impl<'s, S: Subject> Bench<'s, S> {
    pub(super) fn new(on: &'s S) -> Self {
        Self::of(on, 0, RingSize::Usual)
    }
    pub(super) fn of(on: &'s S, nth: usize, size: RingSize) -> Self {
        Self { on, nth, device: on.device(nth), queue: on.queue(nth, size) }
    }
    /// Another queue of the same device.
    pub(super) fn beside(&self) -> Self {
        Self::of(self.on, self.nth, RingSize::Usual)
    }
    /// `count` signals in `memory`, however many calls that takes.
    pub(super) fn signals(&self, memory: SignalMemory, count: usize) -> Checked<Vec<SignalHandle>> {
        let mut all = vec![SignalHandle::NULL; count];
        let mut made = 0;
        while made < count {
            let created = self.device.create(memory, &mut all[made..]);
            let Created { count: more, memory: lives } =
                created.map_err(|error| Stop::Failed(format!("no signal in {memory}: {error}")))?;
            same("where signals live", lives, memory)?;
            check!(more > 0 && made + more <= count, "{more} signals of {} at most", count - made);
            made += more;
        }
        Ok(all)
    }
    pub(super) fn signal(&self, memory: SignalMemory) -> Checked<SignalHandle> {
        Ok(self.signals(memory, 1)?[0])
    }
    pub(super) fn host_signal(&self) -> Checked<SignalHandle> {
        self.signal(SignalMemory::Host)
    }
    /// A signal of `value` in host memory that all devices see.
    pub(super) fn armed_with(&self, value: i64) -> Checked<SignalHandle> {
        let signal = self.host_signal()?;
        self.arm(signal, value);
        Ok(signal)
    }
    pub(super) fn arm(&self, signal: SignalHandle, value: i64) {
        self.device.arm(signal, SignalValue::new(value));
        self.device.flush();
    }
    pub(super) fn value(&self, signal: SignalHandle) -> i64 {
        self.device.load(signal).as_i64()
    }
    pub(super) fn publish(&self, packet: Packet<KernelOf<S>>) -> PacketId {
        let at = self.queue.reserve(PacketCount::ONE);
        self.queue.commit(at, &packet);
        self.queue.ring_doorbell(at);
        at
    }
    pub(super) fn packet(
        &self,
        body: Body<KernelOf<S>>,
        completes: SignalHandle,
    ) -> Packet<KernelOf<S>> {
        let release = CacheScope::System;
        Packet { body, completes, release, ..Packet::nothing() }
    }
    pub(super) fn kernel(&self, length: Length) -> Body<KernelOf<S>> {
        Body::Kernel(self.on.kernel(self.nth, length))
    }
    pub(super) fn run(&self, length: Length, completes: SignalHandle) -> PacketId {
        self.publish(self.packet(self.kernel(length), completes))
    }
    pub(super) fn await_all(&self, deps: &[SignalHandle], completes: SignalHandle) -> PacketId {
        self.publish(self.packet(Body::And(Deps::take(deps).0), completes))
    }
    /// A packet with the barrier bit and nothing to do.
    pub(super) fn fence(&self, completes: SignalHandle) -> PacketId {
        let packet = self.packet(Body::And(Deps::NONE), completes);
        self.publish(Packet { barrier: Barrier::Set, ..packet })
    }
    /// From here on the queue waits for this signal.
    pub(super) fn close_gate(&self) -> Checked<SignalHandle> {
        let gate = self.host_signal()?;
        self.await_all(&[gate], SignalHandle::NULL);
        Ok(gate)
    }
    pub(super) fn open_gate(&self, gate: SignalHandle) {
        self.on.open_gate(self.nth, gate);
    }
    /// The signal gets to `value` and stays there.
    pub(super) fn reaches(&self, what: &str, signal: SignalHandle, value: i64) -> Checked {
        let reached = self.on.settle(PATIENCE, || self.value(signal) <= value);
        check!(reached, "{what}: still {} after {PATIENCE:?}", self.value(signal));
        same(what, self.value(signal), value)
    }
    pub(super) fn finishes(&self, what: &str, signal: SignalHandle) -> Checked {
        self.reaches(what, signal, 0)
    }
    /// The signal does not leave `value` within the time that a wrong device would need.
    pub(super) fn stays(&self, what: &str, signal: SignalHandle, value: i64) -> Checked {
        self.on.settle(GRACE, || self.value(signal) != value);
        same(what, self.value(signal), value)
    }
    pub(super) fn is_held(&self, what: &str, signal: SignalHandle) -> Checked {
        self.stays(what, signal, 1)
    }
    pub(super) fn destroy(&self, signals: impl IntoIterator<Item = SignalHandle>) {
        signals.into_iter().for_each(|signal| self.device.destroy(signal));
    }
}

/// A device whose signals can live in its own memory, or nothing is to be tested.
pub(super) fn needs_device_signals<S: Subject>(on: &S) -> Checked {
    use ringfence::backend::Device;
    has(on.device(0).capabilities().can_hold_device_signals(), "signals in device memory")
}
pub(super) fn needs_feature<S: Subject>(on: &S, feature: Features, what: &'static str) -> Checked {
    use ringfence::backend::Device;
    has(on.device(0).capabilities().features.contains(feature), what)
}
/// What a packet processor has, and a backend need not.
pub(super) fn needs<S: Subject>(on: &S, one: Lacks, what: &'static str) -> Checked {
    has(!on.lacks().contains(one), what)
}
pub(super) fn needs_two_devices<S: Subject>(on: &S) -> Checked {
    has(on.devices() > 1, "a second device")
}
