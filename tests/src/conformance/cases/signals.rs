//! `Signals`: creating, destroying, loading, arming.

use std::collections::HashSet;

use ringfence::{
    backend::{CopyEngine, Created, Device, Features, PartIndex, SignalMemory, Signals},
    id::SignalHandle,
};

use super::super::{
    Checked, Lacks, Length, Subject,
    bench::{Bench, PATIENCE},
    check::{check, has, same},
};

/// The memories that this device says it has.
pub(super) fn memories<S: Subject>(on: &S) -> Vec<SignalMemory> {
    let capabilities = on.device(0).capabilities();
    let mut all = vec![SignalMemory::Host];
    if !on.lacks().contains(Lacks::SHARED_SIGNALS) {
        all.push(SignalMemory::Shared);
    }
    if capabilities.features.contains(Features::INTERRUPTS) {
        all.push(SignalMemory::Interrupt);
    }
    if capabilities.can_hold_device_signals() {
        all.push(SignalMemory::Device);
    }
    all
}

/// One call: what it put to the front of a batch.
fn batch<S: Subject>(on: &S, memory: SignalMemory, size: usize) -> Checked<Vec<SignalHandle>> {
    let mut all = vec![SignalHandle::NULL; size];
    let created = on.device(0).create(memory, &mut all);
    let Ok(Created { count, memory: lives }) = created else {
        check!(false, "{size} signals in {memory} memory: {created:?}");
        return Ok(Vec::new());
    };
    check!((1..=size).contains(&count), "{count} signals of {size}");
    let said = lives == memory || lives == SignalMemory::Host;
    check!(said, "asked for {memory} memory, got {lives}");
    all.truncate(count);
    Ok(all)
}

pub(super) fn fills_the_front<S: Subject>(on: &S) -> Checked {
    let mut known = HashSet::new();
    for memory in memories(on) {
        for size in [1, 2, 7, 64] {
            for signal in batch(on, memory, size)? {
                check!(!signal.is_null(), "no signal in {memory} memory, and success");
                check!(known.insert(signal), "{signal:?} stands for two signals");
            }
        }
    }
    Ok(())
}
pub(super) fn armed_with_one<S: Subject>(on: &S) -> Checked {
    for memory in memories(on) {
        for signal in batch(on, memory, 32)? {
            let value = on.device(0).load(signal).as_i64();
            check!(value == 1, "a new signal in {memory} memory has {value}");
        }
    }
    Ok(())
}
pub(super) fn visible_to_the_device<S: Subject>(on: &S) -> Checked {
    for memory in memories(on) {
        for _ in 0..8 {
            let (bench, waiter) = (Bench::new(on), Bench::new(on));
            let (new, after) = (bench.signal(memory)?, bench.host_signal()?);
            waiter.await_all(&[new], after);
            waiter.is_held("a packet that waits for a new signal", after)?;
            bench.run(Length::Short, new);
            bench.finishes("a new signal", new)?;
            waiter.finishes("the packet that waited for it", after)?;
        }
    }
    Ok(())
}
/// What the device says that it does not have is refused, or comes from host memory and says so.
pub(super) fn what_is_not_there<S: Subject>(on: &S) -> Checked {
    let missing: Vec<_> =
        SignalMemory::ALL.into_iter().filter(|m| !memories(on).contains(m)).collect();
    has(!missing.is_empty(), "a memory that the device does not have")?;
    for memory in missing {
        let mut one = [SignalHandle::NULL];
        if let Ok(created) = on.device(0).create(memory, &mut one) {
            same("where it lives", created, Created { count: 1, memory: SignalMemory::Host })?;
            same("its value", on.device(0).load(one[0]).as_i64(), 1)?;
        }
    }
    Ok(())
}
pub(super) fn destroyed_and_created<S: Subject>(on: &S) -> Checked {
    let bench = Bench::new(on);
    let stays = bench.armed_with(77)?;
    for memory in memories(on) {
        for round in 0..50 {
            let signals = bench.signals(memory, 16)?;
            check!(!signals.contains(&stays), "{stays:?} was not destroyed, and came again");
            for &signal in &signals {
                same("a signal that is new, or new again", bench.value(signal), 1)?;
            }
            bench.run(Length::Short, signals[0]);
            bench.finishes("its first use", signals[0])?;
            bench.arm(signals[1], round + 2);
            bench.destroy(signals);
        }
    }
    same("a signal that stayed", bench.value(stays), 77)
}
pub(super) fn load_sees_decrements<S: Subject>(on: &S) -> Checked {
    for memory in memories(on) {
        let bench = Bench::new(on);
        let signal = bench.signal(memory)?;
        bench.arm(signal, 3);
        for left in [2, 1, 0] {
            bench.run(Length::Short, signal);
            bench.reaches("after another decrement", signal, left)?;
            bench.stays("before the next one", signal, left)?;
        }
    }
    Ok(())
}
pub(super) fn load_never_blocks<S: Subject>(on: &S) -> Checked {
    for memory in memories(on) {
        let bench = Bench::new(on);
        let signal = bench.signal(memory)?;
        let gate = bench.close_gate()?;
        bench.run(Length::Short, signal);
        let begun = on.now();
        for _ in 0..1_000 {
            same("a load of what is held back", bench.value(signal), 1)?;
        }
        let took = on.now().saturating_sub(begun);
        check!(took < PATIENCE / 2, "1,000 loads took {took:?}");
        bench.open_gate(gate);
        bench.finishes("once it may", signal)?;
    }
    Ok(())
}
/// What the device wrote before its decrement is there after a load that saw it.
pub(super) fn load_acquires<S: Subject>(on: &S) -> Checked {
    let bench = Bench::new(on);
    let engine = on.engine(0);
    let signal = bench.host_signal()?;
    for round in 1..=40_u32 {
        let (from, to) = (on.memory(0, round), on.memory(0, 0));
        bench.arm(signal, 1);
        let work = on.copy(&from, &to);
        let taken = engine.submit(engine.reserve(), PartIndex::new(0), work, signal, &[]);
        same("a copy", taken, Ok(()))?;
        bench.finishes("a copy", signal)?;
        check!(on.holds(&to, round), "round {round}: 0 was loaded before the data was there");
    }
    Ok(())
}
pub(super) fn arm_stores<S: Subject>(on: &S) -> Checked {
    for memory in memories(on) {
        let bench = Bench::new(on);
        let signal = bench.signal(memory)?;
        for value in [5, 1, 0, i64::from(u32::MAX), 2, 1] {
            bench.arm(signal, value);
            same("what was armed", bench.value(signal), value)?;
        }
    }
    Ok(())
}
pub(super) fn armed_again<S: Subject>(on: &S) -> Checked {
    for memory in memories(on) {
        let bench = Bench::new(on);
        let signal = bench.signal(memory)?;
        for round in 0..200 {
            bench.fence(signal);
            bench.finishes(&format!("use {round}"), signal)?;
            bench.arm(signal, 1);
            same("armed again", bench.value(signal), 1)?;
        }
    }
    Ok(())
}
