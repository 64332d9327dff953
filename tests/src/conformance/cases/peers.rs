//! Several devices: each waits for the others on cells in host memory.

use ringfence::{
    backend::{CopyEngine, HostWait, PartIndex, SignalMemory, WaitHint, WaitOutcome},
    id::SignalHandle,
};

use super::super::{
    Checked, Length, RingSize, Subject,
    bench::{ARMED, Bench, DONE, PATIENCE, needs_two_devices},
    check::{check, same},
};

fn two<S: Subject>(on: &S) -> Checked<(Bench<'_, S>, Bench<'_, S>)> {
    needs_two_devices(on)?;
    Ok((Bench::new(on), Bench::of(on, 1, RingSize::Usual)))
}

/// A wait on one device for work behind a long kernel on the other never passes early.
pub(super) fn wait_for_each_other<S: Subject>(on: &S) -> Checked {
    let (first, second) = two(on)?;
    for round in 0..300 {
        let (worker, waiter) = if round % 2 == 0 { (&first, &second) } else { (&second, &first) };
        let (work, passed) = (worker.host_signal()?, waiter.host_signal()?);
        waiter.await_all(&[work], passed);
        for _ in 0..3 {
            worker.run(Length::Long, SignalHandle::NULL);
        }
        worker.fence(work);
        waiter.finishes("a packet that waits for another device", passed)?;
        same(&format!("round {round}: what it waited for"), worker.value(work), 0)?;
        worker.destroy([work]);
        waiter.destroy([passed]);
    }
    Ok(())
}
pub(super) fn are_held_by_each_other<S: Subject>(on: &S) -> Checked {
    let (first, second) = two(on)?;
    for (worker, waiter) in [(&first, &second), (&second, &first)] {
        for _ in 0..4 {
            let (work, passed) = (worker.host_signal()?, waiter.host_signal()?);
            let gate = worker.close_gate()?;
            worker.run(Length::Long, work);
            waiter.await_all(&[work], passed);
            waiter.is_held("a packet that waits for another device", passed)?;
            worker.open_gate(gate);
            waiter.finishes("the packet", passed)?;
        }
    }
    Ok(())
}
/// A cell of one device, used, armed and waited for by the other again and again.
pub(super) fn see_what_is_armed_again<S: Subject>(on: &S) -> Checked {
    let (first, second) = two(on)?;
    let (work, passed) = (first.host_signal()?, second.host_signal()?);
    for _ in 0..50 {
        first.run(Length::Long, work);
        second.await_all(&[work], passed);
        second.finishes("a packet that waits for another device", passed)?;
        same("what it waited for", first.value(work), 0)?;
        first.arm(work, 1);
        second.arm(passed, 1);
    }
    Ok(())
}
pub(super) fn copies_wait_for_each_other<S: Subject>(on: &S) -> Checked {
    let (first, second) = two(on)?;
    let engine = on.engine(1);
    for round in 1..=10 {
        let (from, to) = (on.memory(1, round), on.memory(1, 0));
        let (work, copied) = (first.host_signal()?, second.host_signal()?);
        let taken = engine.submit(
            engine.reserve(),
            PartIndex::new(0),
            on.copy(&from, &to),
            copied,
            &[work],
        );
        same("a copy", taken, Ok(()))?;
        second.is_held("a copy that waits for another device", copied)?;
        check!(on.holds(&to, 0), "it moved before it was allowed");
        first.run(Length::Long, work);
        second.finishes("the copy", copied)?;
        same("what it waited for", first.value(work), 0)?;
        check!(on.holds(&to, round), "round {round}: the data was not there");
    }
    Ok(())
}
/// Every device's work can be waited for on the host, also asleep, while the others work.
pub(super) fn are_waited_for_on_the_host<S: Subject>(on: &S) -> Checked {
    let (first, second) = two(on)?;
    for round in 0..20 {
        let mut all = Vec::new();
        for bench in [&first, &second] {
            let interrupt =
                bench.signal(SignalMemory::Interrupt).or_else(|_| bench.host_signal())?;
            bench.run(Length::Long, interrupt);
            all.push((bench, interrupt));
        }
        for (bench, signal) in all {
            let outcome = bench.device.wait(signal, ARMED, WaitHint::Blocked, PATIENCE);
            same(&format!("round {round}"), outcome, WaitOutcome::Reached(DONE))?;
            bench.destroy([signal]);
        }
    }
    Ok(())
}
