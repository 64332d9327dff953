//! For every rule a sequence of calls that breaks it, and its legal twin. The device moves only when
//! told to, so that each sequence says exactly what the host could know.

mod claims;
mod holders;
mod knowledge;
mod order;
mod proofs;
mod work;

use std::num::NonZeroU32;

use ringfence::{backend::*, id::*};

use super::*;
use crate::{
    system::*,
    trace::TraceLength,
    work::{CopyWork, Kernel},
};

pub(super) struct Bench {
    pub(super) system: MockSystem,
    pub(super) device: MockDevice,
    pub(super) q0: MockQueue,
    pub(super) q1: MockQueue,
    pub(super) copies: MockCopyEngine,
}
impl Bench {
    pub(super) fn new() -> Self {
        Self::with(DeviceSettings::default())
    }
    pub(super) fn with(settings: DeviceSettings) -> Self {
        let held = Settings { pace: Pace::Held, trace: TraceLength::Whole, ..Settings::default() };
        let system = MockSystem::new(crate::chooser::Scripted::tame(), held);
        let device = system.add_device(settings);
        let (q0, q1, copies) = (device.add_queue(), device.add_queue(), device.add_copy_engine());
        Self { system, device, q0, q1, copies }
    }
    pub(super) fn signal(&self, memory: SignalMemory) -> SignalHandle {
        let mut one = [SignalHandle::NULL];
        let created = self.device.create(memory, &mut one).expect("nothing is planned to fail");
        assert_eq!(created, Created { count: 1, memory });
        one[0]
    }
    pub(super) fn host(&self) -> SignalHandle {
        self.signal(SignalMemory::Host)
    }
    pub(super) fn publish(&self, queue: &MockQueue, packet: Packet<Kernel>) -> UseId {
        let at = queue.reserve(PacketCount::ONE);
        queue.commit(at, &packet);
        queue.ring_doorbell(at);
        UseId::new(queue.lane(), at)
    }
    /// A kernel without the barrier bit.
    pub(super) fn plain(&self, queue: &MockQueue, completes: SignalHandle) -> UseId {
        self.publish(queue, kernel(Barrier::Clear, completes))
    }
    /// A kernel with the barrier bit.
    pub(super) fn fence(&self, queue: &MockQueue, completes: SignalHandle) -> UseId {
        self.publish(queue, kernel(Barrier::Set, completes))
    }
    pub(super) fn and(
        &self,
        queue: &MockQueue,
        waits: &[SignalHandle],
        completes: SignalHandle,
    ) -> UseId {
        self.publish(
            queue,
            Packet { body: Body::And(Deps::take(waits).0), completes, ..Packet::nothing() },
        )
    }
    /// Arms for the parts and submits them; the engine may refuse the last.
    pub(super) fn copy(
        &self,
        parts: u32,
        completes: SignalHandle,
        waits: &[SignalHandle],
    ) -> UseId {
        if parts > 1 {
            let parts = Parts::new(NonZeroU32::new(parts).expect("more than one"));
            self.device.arm(completes, SignalValue::for_parts(parts));
        }
        let of = UseId::new(self.copies.lane(), self.copies.reserve());
        for part in 0..parts {
            let part = PartIndex::new(part);
            let _ = self.copies.submit(of.packet(), part, CopyWork::default(), completes, waits);
        }
        of
    }
    pub(super) fn arm(&self, signal: SignalHandle) {
        self.device.arm(signal, SignalValue::ARMED);
    }
    pub(super) fn wait(&self, signal: SignalHandle) -> WaitOutcome {
        let limit = std::time::Duration::from_secs(1);
        self.device.wait(signal, SignalValue::ARMED, WaitHint::Blocked, limit)
    }
    /// Waits until it is done.
    #[track_caller]
    pub(super) fn done(&self, signal: SignalHandle) {
        assert_eq!(self.wait(signal), WaitOutcome::Reached(SignalValue::DONE));
    }
    #[track_caller]
    pub(super) fn complete(&self, of: UseId) {
        assert_eq!(self.system.complete(of), crate::model::Completion::Done);
    }
    pub(super) fn finish(&self, of: UseId) {
        self.system.finish(of).expect("legal here");
    }
    pub(super) fn rules(&self) -> Vec<Rule> {
        self.system.violations().iter().map(|violation| violation.rule).collect()
    }
    #[track_caller]
    pub(super) fn broke(&self, rule: Rule) {
        assert_eq!(self.rules(), [rule], "{:#?}", self.system.violations());
    }
    #[track_caller]
    pub(super) fn broke_nothing(&self) {
        assert_eq!(self.system.violations(), []);
    }
}
pub(super) fn kernel(barrier: Barrier, completes: SignalHandle) -> Packet<Kernel> {
    Packet { body: Body::Kernel(Kernel::default()), barrier, completes, ..Packet::nothing() }
}

#[test]
fn a_report_names_the_rule_the_object_the_step_and_what_led_there() {
    let bench = Bench::new();
    let signal = bench.host();
    bench.plain(&bench.q0, signal);
    bench.arm(signal);
    let found = bench.system.first_violation().expect("armed in flight");
    assert_eq!(found.rule, Rule::S1);
    assert!(found.to_string().starts_with("S1 broken at step 5: s0x1 is armed: q0g0#0"), "{found}");
    assert_eq!(found.trace.len(), 5);
    assert!(found.trace[4].ends_with("arm s0x1 with 1"), "{:?}", found.trace);
}

#[test]
fn a_stale_handle_is_reported_whatever_is_done_with_it() {
    let bench = Bench::new();
    let signal = bench.host();
    bench.device.destroy(signal);
    bench.broke_nothing();
    bench.device.load(signal);
    bench.arm(signal);
    bench.device.destroy(signal);
    bench.device.load(SignalHandle::new(99));
    assert_eq!(bench.rules(), [Rule::S1; 4]);
}
