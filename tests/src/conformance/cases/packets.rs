//! Packets: what each waits for, and what its completion does.

use ringfence::{
    backend::{Body, Deps, Features, MAX_DEPS, Packet, SignalMemory, ValueWait},
    id::{Barrier, SignalHandle, SignalValue},
};

use super::super::{
    Checked, Lacks, Length, Subject,
    bench::{Bench, needs, needs_feature},
    check::{check, same},
};

pub(super) fn kernels_complete<S: Subject>(on: &S) -> Checked {
    for nth in 0..on.devices() {
        let bench = Bench::of(on, nth, super::super::RingSize::Usual);
        for length in [Length::Short, Length::Long] {
            let done = bench.host_signal()?;
            bench.run(length, done);
            bench.finishes("a kernel", done)?;
        }
    }
    Ok(())
}
/// Each dependency holds the packet back for itself.
pub(super) fn and_waits_for_all<S: Subject>(on: &S) -> Checked {
    for count in 1..=MAX_DEPS {
        for last in 0..count {
            let bench = Bench::new(on);
            let done = bench.host_signal()?;
            let gates = bench.signals(SignalMemory::Host, count)?;
            bench.await_all(&gates, done);
            for (at, &gate) in gates.iter().enumerate() {
                if at != last {
                    bench.open_gate(gate);
                }
            }
            bench.is_held(&format!("AND of {count}, of which number {last} is armed"), done)?;
            bench.open_gate(gates[last]);
            bench.finishes("AND, all of it done", done)?;
        }
    }
    Ok(())
}
pub(super) fn and_of_nothing_passes<S: Subject>(on: &S) -> Checked {
    let bench = Bench::new(on);
    let done = bench.host_signal()?;
    bench.await_all(&[], done);
    bench.finishes("AND of nothing", done)
}
pub(super) fn and_needs_exactly_zero<S: Subject>(on: &S) -> Checked {
    needs(on, Lacks::EXACT_ZERO, "packets that take 0 alone for done")?;
    let bench = Bench::new(on);
    let done = bench.host_signal()?;
    let gate = bench.armed_with(-1)?;
    bench.await_all(&[gate], done);
    bench.is_held("AND of a signal below 0", done)?;
    bench.open_gate(gate);
    bench.finishes("AND of the same at 0", done)
}
/// Nothing behind a barrier packet begins before it is complete, barrier bit or not.
pub(super) fn and_holds_back_what_follows<S: Subject>(on: &S) -> Checked {
    let bench = Bench::new(on);
    let (kernel, after) = (bench.host_signal()?, bench.host_signal()?);
    let gate = bench.close_gate()?;
    bench.run(Length::Short, kernel);
    bench.await_all(&[], after);
    bench.is_held("a kernel behind AND", kernel)?;
    bench.is_held("a barrier packet behind AND", after)?;
    bench.open_gate(gate);
    bench.finishes("the kernel", kernel)?;
    bench.finishes("the barrier packet", after)
}
pub(super) fn or_waits_for_one<S: Subject>(on: &S) -> Checked {
    needs(on, Lacks::OR_OF_ONE, "packets that wait for one of several")?;
    for count in 1..=MAX_DEPS {
        for first in 0..count {
            let bench = Bench::new(on);
            let (done, after) = (bench.host_signal()?, bench.host_signal()?);
            let gates = bench.signals(SignalMemory::Host, count)?;
            bench.publish(bench.packet(Body::Or(Deps::take(&gates).0), done));
            bench.run(Length::Short, after);
            bench.is_held(&format!("OR of {count}, all armed"), done)?;
            bench.is_held("a kernel behind OR", after)?;
            bench.open_gate(gates[first]);
            bench.finishes(&format!("OR of {count}, of which number {first} is done"), done)?;
            bench.finishes("the kernel behind it", after)?;
        }
    }
    Ok(())
}
pub(super) fn value_waits_for_its_bound<S: Subject>(on: &S) -> Checked {
    needs_feature(on, Features::BARRIER_VALUE, "barrier-value packets")?;
    for below in [1, 2, 7] {
        let bench = Bench::new(on);
        let done = bench.host_signal()?;
        let signal = bench.armed_with(below + 2)?;
        let wait = ValueWait { signal, below: SignalValue::new(below) };
        bench.publish(bench.packet(Body::Value(wait), done));
        bench.is_held("2 above the bound", done)?;
        bench.arm(signal, below);
        bench.is_held("at the bound", done)?;
        bench.arm(signal, below - 1);
        bench.finishes("below the bound", done)?;
    }
    Ok(())
}
/// Unlike an AND, it holds back only what has the barrier bit.
pub(super) fn value_holds_back_by_barrier_bit<S: Subject>(on: &S) -> Checked {
    needs_feature(on, Features::BARRIER_VALUE, "barrier-value packets")?;
    let bench = Bench::new(on);
    let (done, free, bound) = (bench.host_signal()?, bench.host_signal()?, bench.host_signal()?);
    let signal = bench.armed_with(2)?;
    let wait = ValueWait { signal, below: SignalValue::ARMED };
    bench.publish(bench.packet(Body::Value(wait), done));
    bench.run(Length::Short, free);
    let kernel = bench.packet(bench.kernel(Length::Short), bound);
    bench.publish(Packet { barrier: Barrier::Set, ..kernel });
    bench.is_held("the packet", done)?;
    bench.is_held("a kernel with the barrier bit behind it", bound)?;
    bench.arm(signal, 0);
    bench.finishes("the packet", done)?;
    bench.finishes("a kernel without the barrier bit", free)?;
    bench.finishes("a kernel with it", bound)
}
/// A packet with the barrier bit is complete: so is everything before it.
pub(super) fn barrier_bit_waits_for_what_precedes<S: Subject>(on: &S) -> Checked {
    const KERNELS: i64 = 5;
    let bench = Bench::new(on);
    let (before, done) = (bench.host_signal()?, bench.host_signal()?);
    for round in 0..40 {
        bench.arm(before, KERNELS);
        for _ in 0..KERNELS {
            bench.run(Length::Long, before);
        }
        let body = if round % 2 == 0 { Body::And(Deps::NONE) } else { bench.kernel(Length::Short) };
        bench.publish(Packet { barrier: Barrier::Set, ..bench.packet(body, done) });
        bench.finishes("a packet with the barrier bit", done)?;
        same(&format!("round {round}: the kernels before it"), bench.value(before), 0)?;
        bench.arm(done, 1);
    }
    Ok(())
}
/// Each of four queues waits for the one before.
pub(super) fn chains_over_four_queues<S: Subject>(on: &S) -> Checked {
    let queues: Vec<_> = (0..4).map(|_| Bench::new(on)).collect();
    let first = &queues[0];
    for round in 0..20 {
        let signals = first.signals(SignalMemory::Host, queues.len())?;
        let gate = (round % 4 == 0).then(|| first.close_gate()).transpose()?;
        // The last first, so that every waiter is there before what it waits for.
        for at in (0..queues.len()).rev() {
            if at > 0 {
                queues[at].await_all(&[signals[at - 1]], SignalHandle::NULL);
            }
            queues[at].run(Length::Long, signals[at]);
        }
        let last = signals[queues.len() - 1];
        if let Some(gate) = gate {
            first.is_held(&format!("round {round}: the end of a chain"), last)?;
            first.open_gate(gate);
        }
        first.finishes("the end of a chain", last)?;
        for &signal in &signals {
            same(&format!("round {round}: a part of the chain"), first.value(signal), 0)?;
        }
        first.destroy(signals);
    }
    Ok(())
}
/// The same signal of many packets: exactly as many decrements.
pub(super) fn completion_decrements_once<S: Subject>(on: &S) -> Checked {
    for memory in super::signals::memories(on) {
        let bench = Bench::new(on);
        let signal = bench.signal(memory)?;
        bench.arm(signal, 150);
        for number in 0..100 {
            match number % 3 {
                0 => bench.run(Length::Short, signal),
                1 => bench.await_all(&[], signal),
                _ => bench.fence(signal),
            };
        }
        bench.reaches("after 100 packets of 150", signal, 50)?;
        bench.stays("after 100 packets of 150", signal, 50)?;
    }
    Ok(())
}
pub(super) fn completion_of_no_signal<S: Subject>(on: &S) -> Checked {
    let bench = Bench::new(on);
    let others = bench.signals(SignalMemory::Host, 8)?;
    let done = bench.host_signal()?;
    for _ in 0..50 {
        bench.run(Length::Short, SignalHandle::NULL);
        bench.await_all(&[], SignalHandle::NULL);
    }
    bench.fence(done);
    bench.finishes("a fence behind packets without a signal", done)?;
    let untouched = others.iter().all(|&signal| bench.value(signal) == 1);
    check!(untouched, "a packet without a signal decremented one");
    Ok(())
}
