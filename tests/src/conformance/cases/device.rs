//! `Device`: identity, loss, profiler.

use std::time::Duration;

use ringfence::{
    backend::{
        Body, CopyEngine, CopyRefused, Deps, Device, DeviceStatus, HostWait, Packet, PacketCount,
        PacketQueue, PartIndex, Profiler, SignalMemory, Signals, WaitHint, WaitOutcome,
    },
    error::CreateError,
    id::SignalHandle,
};

use super::super::{
    Checked, RingSize, Subject,
    bench::{ARMED, Bench, PATIENCE, needs_two_devices},
    check::{check, has, same},
};

/// From the report of a loss to the end of a wait (S17).
const NOTICE: Duration = Duration::from_millis(100);

pub(super) fn identity_stays<S: Subject>(on: &S) -> Checked {
    let bench = Bench::new(on);
    let before = (bench.device.id(), bench.device.capabilities());
    let done = bench.host_signal()?;
    bench.fence(done);
    bench.finishes("a fence", done)?;
    same("identity and capabilities", (bench.device.id(), bench.device.capabilities()), before)
}
pub(super) fn identities_differ<S: Subject>(on: &S) -> Checked {
    needs_two_devices(on)?;
    let ids: Vec<_> = (0..on.devices()).map(|nth| on.device(nth).id()).collect();
    let distinct = ids.iter().enumerate().all(|(at, id)| !ids[..at].contains(id));
    check!(distinct, "devices share an identity: {ids:?}");
    Ok(())
}
pub(super) fn is_alive<S: Subject>(on: &S) -> Checked {
    for nth in 0..on.devices() {
        same("a device that nobody lost", on.device(nth).status(), DeviceStatus::Alive)?;
    }
    Ok(())
}
pub(super) fn profiler<S: Subject>(on: &S) -> Checked {
    same("before a profiler came", on.device(0).profiler(), Profiler::Absent)?;
    has(on.attach_profiler(0), "a profiler to attach")?;
    same("after it came", on.device(0).profiler(), Profiler::Attached)?;
    // Its packets complete all the same.
    let bench = Bench::new(on);
    let done = bench.host_signal()?;
    bench.fence(done);
    bench.finishes("a fence with a profiler attached", done)
}

/// A device that is lost, with a packet on it that will never finish.
pub(super) fn lost<'s, S: Subject>(on: &'s S) -> Checked<(Bench<'s, S>, SignalHandle)> {
    let bench = Bench::new(on);
    let pending = bench.host_signal()?;
    bench.close_gate()?;
    bench.await_all(&[], pending);
    bench.is_held("behind a gate", pending)?;
    on.lose(0);
    Ok((bench, pending))
}
fn is_reported<S: Subject>(on: &S) -> Checked {
    let reported = on.settle(PATIENCE, || on.device(0).status() == DeviceStatus::Lost);
    check!(reported, "a loss was not reported within {PATIENCE:?}");
    Ok(())
}

pub(super) fn lost_for_ever<S: Subject>(on: &S) -> Checked {
    let (bench, pending) = lost(on)?;
    is_reported(on)?;
    bench.await_all(&[], SignalHandle::NULL);
    for _ in 0..100 {
        same("a lost device", bench.device.status(), DeviceStatus::Lost)?;
    }
    bench.is_held("what a lost device was given", pending)?;
    same("a lost device, later", bench.device.status(), DeviceStatus::Lost)
}
pub(super) fn lost_alone<S: Subject>(on: &S) -> Checked {
    needs_two_devices(on)?;
    let other = Bench::of(on, 1, RingSize::Usual);
    lost(on)?;
    is_reported(on)?;
    same("the other device", other.device.status(), DeviceStatus::Alive)?;
    let done = other.host_signal()?;
    other.fence(done);
    other.finishes("a fence on the other device", done)
}
/// The wait is in progress, or begins, when the loss is reported.
pub(super) fn lost_ends_a_wait<S: Subject>(on: &S) -> Checked {
    let bench = Bench::new(on);
    bench.close_gate()?;
    let mut pending = vec![(WaitHint::Active, bench.host_signal()?)];
    if let Ok(signal) = bench.signal(SignalMemory::Interrupt) {
        pending.insert(0, (WaitHint::Blocked, signal));
    }
    for &(_, signal) in &pending {
        bench.await_all(&[], signal);
    }
    bench.is_held("behind a gate", pending[0].1)?;
    on.lose(0);
    for (nth, &(hint, signal)) in pending.iter().enumerate() {
        let begun = on.now();
        let outcome = bench.device.wait(signal, ARMED, hint, PATIENCE * 4);
        let took = on.now().saturating_sub(begun);
        same(&format!("{hint:?}, on a lost device"), outcome, WaitOutcome::Lost)?;
        same("the device after it", bench.device.status(), DeviceStatus::Lost)?;
        // When the first one's loss was reported is not known.
        check!(nth == 0 || took <= NOTICE, "a wait on a lost device took {took:?}");
        let begun = on.now();
        let again = bench.device.wait(signal, ARMED, hint, PATIENCE * 4);
        let took = on.now().saturating_sub(begun);
        same("another wait", again, WaitOutcome::Lost)?;
        check!(took <= NOTICE, "a wait on a lost device took {took:?}");
    }
    Ok(())
}
pub(super) fn lost_reserves_at_once<S: Subject>(on: &S) -> Checked {
    let (bench, pending) = lost(on)?;
    is_reported(on)?;
    let slots = on.slots(RingSize::Usual);
    let begun = on.now();
    // Twice around the ring: nothing frees a slot any more.
    for _ in 0..slots * 2 {
        let at = bench.queue.reserve(PacketCount::ONE);
        bench.queue.commit(at, &Packet { body: Body::And(Deps::NONE), ..Packet::nothing() });
        bench.queue.ring_doorbell(at);
    }
    let took = on.now().saturating_sub(begun);
    check!(took < PATIENCE, "{} reservations took {took:?}", slots * 2);
    bench.is_held("what a lost device was given", pending)
}
pub(super) fn lost_creates_nothing<S: Subject>(on: &S) -> Checked {
    let (bench, _) = lost(on)?;
    is_reported(on)?;
    let mut one = [SignalHandle::NULL];
    let created = bench.device.create(SignalMemory::Host, &mut one);
    same("a creation on a lost device", created, Err(CreateError::DeviceLost))
}
pub(super) fn lost_copies_nothing<S: Subject>(on: &S) -> Checked {
    let engine = on.engine(0);
    let (from, to) = (on.memory(0, 1), on.memory(0, 2));
    let bench = Bench::new(on);
    let signal = bench.host_signal()?;
    lost(on)?;
    is_reported(on)?;
    let at = engine.reserve();
    let taken = engine.submit(at, PartIndex::new(0), on.copy(&from, &to), signal, &[]);
    same("a copy on a lost device", taken, Err(CopyRefused::DeviceLost))?;
    bench.is_held("its signal", signal)?;
    check!(on.holds(&to, 2), "a copy that was refused moved something");
    Ok(())
}
