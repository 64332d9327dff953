//! `HostWait`: reached, timed out, asleep, by force.

use std::time::Duration;

use ringfence::{
    backend::{Features, HostWait, SignalMemory, Signals, WaitHint, WaitOutcome},
    id::{SignalHandle, SignalValue},
};

use super::{
    super::{
        Checked, Drive, Lacks, Length, Stop, Subject,
        bench::{ARMED, Bench, DONE, PATIENCE, needs, needs_feature},
        check::{check, has, same},
    },
    signals::memories,
};

/// Both ways to wait, for a signal in each memory.
fn ways<S: Subject>(on: &S) -> Vec<(SignalMemory, WaitHint)> {
    let hints = [WaitHint::Active, WaitHint::Blocked];
    memories(on).into_iter().flat_map(|memory| hints.map(|hint| (memory, hint))).collect()
}

pub(super) fn reached<S: Subject>(on: &S) -> Checked {
    for (memory, hint) in ways(on) {
        let bench = Bench::new(on);
        let signal = bench.signal(memory)?;
        for length in [Length::Short, Length::Long, Length::Short] {
            bench.run(length, signal);
            let outcome = bench.device.wait(signal, ARMED, hint, PATIENCE);
            same(&format!("{hint:?}, {memory} memory"), outcome, WaitOutcome::Reached(DONE))?;
            same("the value after it", bench.value(signal), 0)?;
            bench.arm(signal, 1);
        }
    }
    Ok(())
}
pub(super) fn reached_with_its_value<S: Subject>(on: &S) -> Checked {
    for (memory, hint) in ways(on) {
        let bench = Bench::new(on);
        let signal = bench.signal(memory)?;
        bench.arm(signal, 4);
        for value in [3, 2, 1, 0] {
            bench.run(Length::Short, signal);
            let outcome = bench.device.wait(signal, SignalValue::new(value + 1), hint, PATIENCE);
            let expected = WaitOutcome::Reached(SignalValue::new(value));
            same(&format!("below {}, {memory} memory", value + 1), outcome, expected)?;
        }
    }
    Ok(())
}
/// Held back, the wait ends at its limit; let go, it ends at the value.
pub(super) fn times_out<S: Subject>(on: &S) -> Checked {
    const LIMIT: Duration = Duration::from_millis(20);
    for (memory, hint) in ways(on) {
        let bench = Bench::new(on);
        let signal = bench.signal(memory)?;
        let gate = bench.close_gate()?;
        bench.run(Length::Short, signal);
        let begun = on.now();
        let outcome = bench.device.wait(signal, ARMED, hint, LIMIT);
        let took = on.now().saturating_sub(begun);
        same(&format!("held back, {hint:?}, {memory} memory"), outcome, WaitOutcome::TimedOut)?;
        same("the value after it", bench.value(signal), 1)?;
        check!(took >= LIMIT && took < PATIENCE, "the wait took {took:?} of {LIMIT:?}");
        bench.open_gate(gate);
        let outcome = bench.device.wait(signal, ARMED, hint, PATIENCE);
        same("let go", outcome, WaitOutcome::Reached(DONE))?;
    }
    Ok(())
}
pub(super) fn loads_first<S: Subject>(on: &S) -> Checked {
    for (memory, hint) in ways(on) {
        let bench = Bench::new(on);
        let signal = bench.signal(memory)?;
        let at_once = bench.device.wait(signal, ARMED, hint, Duration::ZERO);
        same("armed, with no time to wait", at_once, WaitOutcome::TimedOut)?;
        bench.run(Length::Short, signal);
        bench.finishes("a kernel", signal)?;
        let at_once = bench.device.wait(signal, ARMED, hint, Duration::ZERO);
        same("done, with no time to wait", at_once, WaitOutcome::Reached(DONE))?;
    }
    Ok(())
}
/// A signal that somebody can sleep on, whose packet is held back.
fn asleep<S: Subject>(on: &S) -> Checked<(Bench<'_, S>, SignalHandle, SignalHandle)> {
    needs_feature(on, Features::INTERRUPTS, "signals that wake a thread")?;
    let bench = Bench::new(on);
    let signal = bench.signal(SignalMemory::Interrupt)?;
    let gate = bench.close_gate()?;
    bench.run(Length::Short, signal);
    Ok((bench, signal, gate))
}
pub(super) fn sleeps<S: Subject>(on: &S) -> Checked {
    const WAIT: Duration = Duration::from_millis(200);
    /// One that looks every millisecond uses 2 to 6 ms where other programs push it off the processor; one that spins, all it gets.
    const BUSY: Duration = Duration::from_millis(20);
    has(on.cpu_time().is_some(), "processor time of a thread")?;
    let (bench, signal, gate) = asleep(on)?;
    let begun = on.cpu_time();
    let outcome = bench.device.wait(signal, ARMED, WaitHint::Blocked, WAIT);
    let used = on.cpu_time().zip(begun).map(|(now, begun)| now.saturating_sub(begun));
    same("held back", outcome, WaitOutcome::TimedOut)?;
    let used = used.ok_or(Stop::Lacking("processor time of a thread"))?;
    check!(used < BUSY, "a blocked wait of {WAIT:?} used {used:?} of its processor");
    println!("  a blocked wait of {WAIT:?} used {used:?} of its processor");
    bench.open_gate(gate);
    let outcome = bench.device.wait(signal, ARMED, WaitHint::Blocked, PATIENCE);
    same("let go", outcome, WaitOutcome::Reached(DONE))
}
/// Completions that come while the waiter sleeps, and some at the moment at which it falls asleep.
pub(super) fn wakes<S: Subject>(on: &S) -> Checked {
    needs_feature(on, Features::INTERRUPTS, "signals that wake a thread")?;
    const LATE: Duration = Duration::from_millis(500);
    let bench = Bench::new(on);
    let signal = bench.signal(SignalMemory::Interrupt)?;
    for round in 0..60 {
        // The last of so many kernels, one after another.
        for _ in 0..round {
            bench.fence(SignalHandle::NULL);
            bench.run(Length::Long, SignalHandle::NULL);
        }
        bench.fence(signal);
        let begun = on.now();
        let outcome = bench.device.wait(signal, ARMED, WaitHint::Blocked, PATIENCE);
        let took = on.now().saturating_sub(begun);
        same(&format!("round {round}"), outcome, WaitOutcome::Reached(DONE))?;
        check!(took < LATE, "round {round}: the waiter woke after {took:?}");
        bench.arm(signal, 1);
    }
    Ok(())
}
/// Interrupts run out, at 4,096 a process at the latest; then there is an error, or another memory.
pub(super) fn interrupts_run_out<S: Subject>(on: &S) -> Checked {
    needs_feature(on, Features::INTERRUPTS, "signals that wake a thread")?;
    needs(on, Lacks::INTERRUPT_QUOTA, "an end of them")?;
    const ALL: usize = 4_096;
    let device = on.device(0);
    let mut made = Vec::new();
    let ran_out = loop {
        let mut batch = [SignalHandle::NULL; 64];
        match device.create(SignalMemory::Interrupt, &mut batch) {
            Ok(created) if created.memory == SignalMemory::Interrupt => {
                made.extend_from_slice(&batch[..created.count]);
            }
            Ok(created) => {
                made.extend_from_slice(&batch[..created.count]);
                break true;
            }
            Err(_) => break true,
        }
        if made.len() > ALL {
            break false;
        }
    };
    // What was there before goes on to wake.
    let (bench, first) = (Bench::new(on), made[0]);
    bench.run(Length::Short, first);
    let outcome = device.wait(first, ARMED, WaitHint::Blocked, PATIENCE);
    let count = made.len();
    bench.destroy(made);
    check!(ran_out, "{count} signals say that they wake a thread");
    same("one of the first", outcome, WaitOutcome::Reached(DONE))?;
    let again = bench.signal(SignalMemory::Interrupt)?;
    same("one that is made after they were destroyed", bench.value(again), 1)
}
pub(super) fn forced<S: Subject>(on: &S) -> Checked {
    for memory in memories(on) {
        let bench = Bench::new(on);
        let signal = bench.signal(memory)?;
        let gate = bench.close_gate()?;
        bench.run(Length::Short, signal);
        bench.device.force(signal);
        same("forced", bench.value(signal), 0)?;
        let outcome = bench.device.wait(signal, ARMED, WaitHint::Blocked, Duration::ZERO);
        same("a wait for it", outcome, WaitOutcome::Reached(DONE))?;
        bench.stays("forced, and held back", signal, 0)?;
        bench.open_gate(gate);
        bench.reaches("after the device's own decrement", signal, -1)?;
    }
    Ok(())
}
/// A thread that waits asleep is woken by it.
pub(super) fn force_wakes<S: Subject>(on: &S) -> Checked {
    has(on.drive() == Drive::Real, "threads")?;
    let (bench, signal, gate) = asleep(on)?;
    let outcome = super::together::wait_and_force(on, signal);
    bench.open_gate(gate);
    let (outcome, took) = outcome;
    same("a sleeper", outcome, WaitOutcome::Reached(DONE))?;
    check!(took < PATIENCE / 2, "it woke after {took:?}");
    bench.reaches("after the device's own decrement", signal, -1)
}
