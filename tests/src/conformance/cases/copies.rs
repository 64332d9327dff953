//! `CopyEngine`: tickets, parts, what they wait for, and the data.

use ringfence::{
    backend::{CopyEngine, CopyRefused, Device, Features, PartIndex, SignalMemory},
    id::SignalHandle,
};

use super::super::{
    Checked, Length, Subject,
    bench::{Bench, needs_device_signals},
    check::{check, has, same},
};

/// Submits one part under a ticket of its own.
fn submit<S: Subject>(
    on: &S,
    engine: &S::Engine,
    (from, to): (&S::Memory, &S::Memory),
    completes: SignalHandle,
    waits: &[SignalHandle],
) -> Checked {
    let work = on.copy(from, to);
    let taken = engine.submit(engine.reserve(), PartIndex::new(0), work, completes, waits);
    same("a copy", taken, Ok(()))
}

/// Once its signal is 0, the data is there, in both directions and from copy to copy.
pub(super) fn move_the_data_first<S: Subject>(on: &S) -> Checked {
    let bench = Bench::new(on);
    let engine = on.engine(0);
    let signals = bench.signals(SignalMemory::Host, 4)?;
    for round in 1..=20_u32 {
        let memories: Vec<_> = (0..5).map(|at| on.memory(0, round * 8 + at)).collect();
        for (at, &signal) in signals.iter().enumerate() {
            let waits = if at == 0 { &[][..] } else { &signals[at - 1..at] };
            submit(on, &engine, (&memories[at], &memories[at + 1]), signal, waits)?;
        }
        for (at, &signal) in signals.iter().enumerate().rev() {
            bench.finishes("a copy", signal)?;
            let there = on.holds(&memories[at + 1], round * 8);
            check!(there, "round {round}: copy {at} was complete, and the data was not there");
        }
        check!(on.holds(&memories[0], round * 8), "a copy changed what it was to read");
        signals.iter().for_each(|&signal| bench.arm(signal, 1));
    }
    Ok(())
}
/// Each of the signals holds the copy back for itself.
pub(super) fn wait_for_every_signal<S: Subject>(on: &S) -> Checked {
    let engine = on.engine(0);
    for count in 1..=4 {
        for last in 0..count {
            let bench = Bench::new(on);
            let (from, to) = (on.memory(0, 11), on.memory(0, 22));
            let done = bench.host_signal()?;
            let gates = bench.signals(SignalMemory::Host, count)?;
            submit(on, &engine, (&from, &to), done, &gates)?;
            for (at, &gate) in gates.iter().enumerate() {
                if at != last {
                    bench.open_gate(gate);
                }
            }
            let what = format!("a copy behind {count} signals, of which number {last} is armed");
            bench.is_held(&what, done)?;
            check!(on.holds(&to, 22), "{what}: the data has moved");
            bench.open_gate(gates[last]);
            bench.finishes("the copy", done)?;
            check!(on.holds(&to, 11), "the data was not there");
        }
    }
    Ok(())
}
pub(super) fn wait_for_kernels<S: Subject>(on: &S) -> Checked {
    let bench = Bench::new(on);
    let engine = on.engine(0);
    let (kernel, copied, after) =
        (bench.host_signal()?, bench.host_signal()?, bench.host_signal()?);
    for round in 1..=20 {
        let (from, to) = (on.memory(0, round), on.memory(0, 0));
        submit(on, &engine, (&from, &to), copied, &[kernel])?;
        let beside = bench.beside();
        beside.await_all(&[copied], after);
        beside.is_held("what waits for a copy that waits", after)?;
        bench.run(Length::Long, kernel);
        bench.finishes("a packet behind the copy", after)?;
        same("the copy before it", bench.value(copied), 0)?;
        same("the kernel before that", bench.value(kernel), 0)?;
        check!(on.holds(&to, round), "round {round}: the data was not there");
        [kernel, copied, after].into_iter().for_each(|signal| bench.arm(signal, 1));
    }
    Ok(())
}
/// The parts of one ticket, each of which decrements once.
pub(super) fn parts_decrement_once<S: Subject>(on: &S) -> Checked {
    const PARTS: u32 = 6;
    let bench = Bench::new(on);
    let engine = on.engine(0);
    let signal = bench.host_signal()?;
    for round in 1..=10 {
        bench.arm(signal, i64::from(PARTS) + 2);
        let ticket = engine.reserve();
        let memories: Vec<_> = (0..PARTS).map(|_| (on.memory(0, round), on.memory(0, 0))).collect();
        for (part, (from, to)) in (0..).zip(&memories) {
            let taken = engine.submit(ticket, PartIndex::new(part), on.copy(from, to), signal, &[]);
            same("a part", taken, Ok(()))?;
        }
        bench.reaches("after all parts, of two more", signal, 2)?;
        bench.stays("after all parts, of two more", signal, 2)?;
        let moved = memories.iter().all(|(_, to)| on.holds(to, round));
        check!(moved, "round {round}: a part was complete, and its data was not there");
    }
    Ok(())
}
/// What an engine cannot decrement, it refuses, and does nothing.
pub(super) fn refuse_what_they_cannot_decrement<S: Subject>(on: &S) -> Checked {
    needs_device_signals(on)?;
    let features = on.device(0).capabilities().features;
    let can = features.contains(Features::DEVICE_SIGNALS_ON_COPIES);
    has(!can, "a copy engine that cannot decrement in device memory")?;
    let bench = Bench::new(on);
    let engine = on.engine(0);
    let (from, to) = (on.memory(0, 1), on.memory(0, 2));
    let (in_device, in_host) = (bench.signal(SignalMemory::Device)?, bench.host_signal()?);
    let ticket = engine.reserve();
    let taken = engine.submit(ticket, PartIndex::new(0), on.copy(&from, &to), in_device, &[]);
    same("a part with a signal in device memory", taken, Err(CopyRefused::SignalMemory))?;
    bench.is_held("its signal", in_device)?;
    check!(on.holds(&to, 2), "what was refused moved");
    // The engine goes on.
    submit(on, &engine, (&from, &to), in_host, &[])?;
    bench.finishes("the next copy", in_host)
}
/// Where the engine can, it completes a signal in device memory as any other.
pub(super) fn decrement_in_device_memory<S: Subject>(on: &S) -> Checked {
    needs_device_signals(on)?;
    let features = on.device(0).capabilities().features;
    let can = features.contains(Features::DEVICE_SIGNALS_ON_COPIES);
    has(can, "a copy engine that decrements in device memory")?;
    let bench = Bench::new(on);
    let engine = on.engine(0);
    let signal = bench.signal(SignalMemory::Device)?;
    for round in 1..=10 {
        let (from, to) = (on.memory(0, round), on.memory(0, 0));
        submit(on, &engine, (&from, &to), signal, &[])?;
        bench.finishes("a copy", signal)?;
        check!(on.holds(&to, round), "round {round}: the data was not there");
        bench.stays("a copy", signal, 0)?;
        bench.arm(signal, 1);
    }
    Ok(())
}
/// A copy that waits keeps nobody on a compute queue, and a copy that need not wait may pass it.
pub(super) fn hold_no_queue_back<S: Subject>(on: &S) -> Checked {
    let bench = Bench::new(on);
    let engine = on.engine(0);
    let (gate, held, done) = (bench.host_signal()?, bench.host_signal()?, bench.host_signal()?);
    let (from, to) = (on.memory(0, 1), on.memory(0, 2));
    submit(on, &engine, (&from, &to), held, &[gate])?;
    bench.fence(done);
    bench.finishes("a fence of a compute queue, beside a copy that waits", done)?;
    bench.is_held("the copy", held)?;
    bench.open_gate(gate);
    bench.finishes("the copy", held)
}
