//! `Signals`, points 5 and 6: who sees what was armed, and from when on.
//!
//! Each test uses a signal up, so that memory has 0, arms it, and at once submits something that waits for it: a
//! reader that sees the old 0 goes on too early.

use ringfence::{
    backend::{
        Body, CopyEngine, CopyRefused, Deps, Device, MAX_DEPS, PartIndex, RingMemory, SignalMemory,
        Signals,
    },
    id::{SignalHandle, SignalValue},
};

use super::super::{
    Checked, Length, RingSize, Stop, Subject,
    bench::{Bench, needs_device_signals, needs_two_devices},
    check::{check, has, same},
};

const ROUNDS: u32 = 24;

/// A signal whose value in memory is 0, and that nobody waits for.
fn used_up<S: Subject>(bench: &Bench<'_, S>, signal: SignalHandle) -> Checked {
    bench.run(Length::Short, signal);
    bench.finishes("a use", signal)
}
/// Arms `signal` of `owner`, makes that known by `publish`, and has `reader` wait for it at once.
fn seen_by<S: Subject>(
    owner: &Bench<'_, S>,
    reader: &Bench<'_, S>,
    memory: SignalMemory,
    publish: impl Fn(&S::Device),
) -> Checked {
    let signal = owner.signal(memory)?;
    let passed = reader.host_signal()?;
    for round in 0..ROUNDS {
        used_up(owner, signal)?;
        owner.device.arm(signal, SignalValue::ARMED);
        publish(owner.device);
        reader.await_all(&[signal], passed);
        reader.is_held(&format!("round {round}: a waiter that should see the arm"), passed)?;
        used_up(owner, signal)?;
        reader.finishes("the waiter", passed)?;
        reader.arm(passed, 1);
        owner.arm(signal, 1);
    }
    Ok(())
}

pub(super) fn published_to_the_owner<S: Subject>(on: &S) -> Checked {
    // Two queues: a waiter holds back what comes behind it on its own.
    let (owner, reader) = (Bench::new(on), Bench::new(on));
    seen_by(&owner, &reader, SignalMemory::Host, Signals::publish_stores)
}
pub(super) fn published_to_a_device_ring<S: Subject>(on: &S) -> Checked {
    needs_device_signals(on)?;
    let in_device = on.device(0).capabilities().rings == RingMemory::Device;
    has(in_device, "packet rings in device memory")?;
    let (owner, reader) = (Bench::new(on), Bench::new(on));
    seen_by(&owner, &reader, SignalMemory::Device, Signals::publish_stores)
}
pub(super) fn flushed_to_a_queue<S: Subject>(on: &S) -> Checked {
    let (owner, reader) = (Bench::new(on), Bench::new(on));
    seen_by(&owner, &reader, SignalMemory::Host, Signals::flush)
}
pub(super) fn flushed_from_device_memory<S: Subject>(on: &S) -> Checked {
    needs_device_signals(on)?;
    let (owner, reader) = (Bench::new(on), Bench::new(on));
    seen_by(&owner, &reader, SignalMemory::Device, Signals::flush)
}
pub(super) fn flushed_to_a_peer<S: Subject>(on: &S) -> Checked {
    needs_two_devices(on)?;
    let (owner, reader) = (Bench::new(on), Bench::of(on, 1, RingSize::Usual));
    seen_by(&owner, &reader, SignalMemory::Host, Signals::flush)
}
/// One flush stands for all arms before it.
pub(super) fn one_flush_for_many<S: Subject>(on: &S) -> Checked {
    let has_device = on.device(0).capabilities().can_hold_device_signals();
    let memory = if has_device { SignalMemory::Device } else { SignalMemory::Host };
    let (owner, reader) = (Bench::new(on), Bench::new(on));
    let signals = owner.signals(memory, 2 * MAX_DEPS)?;
    let passed = reader.host_signal()?;
    for round in 0..ROUNDS {
        for &signal in &signals {
            used_up(&owner, signal)?;
        }
        for &signal in &signals {
            owner.device.arm(signal, SignalValue::ARMED);
        }
        owner.device.flush();
        // An OR passes if it sees a single old 0.
        let (early, late) = (Deps::take(&signals).0, Deps::take(&signals[MAX_DEPS..]).0);
        reader.publish(reader.packet(Body::Or(early), SignalHandle::NULL));
        reader.publish(reader.packet(Body::Or(late), passed));
        used_up(&owner, signals[0])?;
        reader.is_held(&format!("round {round}: a waiter for any of them"), passed)?;
        signals[1..].iter().try_for_each(|&signal| used_up(&owner, signal))?;
        reader.finishes("the waiter", passed)?;
        reader.arm(passed, 1);
        signals.iter().for_each(|&signal| owner.arm(signal, 1));
    }
    Ok(())
}
fn flushed_to_an_engine<S: Subject>(on: &S, memory: SignalMemory) -> Checked {
    let owner = Bench::new(on);
    let engine = on.engine(0);
    let (signal, copied) = (owner.signal(memory)?, owner.host_signal()?);
    for round in 1..=ROUNDS {
        let (from, to) = (on.memory(0, round), on.memory(0, 0));
        used_up(&owner, signal)?;
        owner.device.arm(signal, SignalValue::ARMED);
        owner.device.flush();
        let work = on.copy(&from, &to);
        let taken = engine.submit(engine.reserve(), PartIndex::new(0), work, copied, &[signal]);
        if memory.is_device() && taken == Err(CopyRefused::SignalMemory) {
            return Err(Stop::Lacking("copies that wait for signals in device memory"));
        }
        same("a copy that waits", taken, Ok(()))?;
        owner.is_held(&format!("round {round}: a copy that should see the arm"), copied)?;
        check!(on.holds(&to, 0), "round {round}: the data moved before the copy was allowed");
        used_up(&owner, signal)?;
        owner.finishes("the copy", copied)?;
        owner.arm(copied, 1);
        owner.arm(signal, 1);
    }
    Ok(())
}
pub(super) fn flushed_to_a_copy<S: Subject>(on: &S) -> Checked {
    flushed_to_an_engine(on, SignalMemory::Host)
}
pub(super) fn flushed_from_device_memory_to_a_copy<S: Subject>(on: &S) -> Checked {
    needs_device_signals(on)?;
    flushed_to_an_engine(on, SignalMemory::Device)
}
