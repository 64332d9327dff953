//! `Timestamps`: when packets and copies ran.

use std::time::Duration;

use ringfence::{
    backend::{Body, CopyEngine, Deps, Engine, Packet, PartIndex, Timestamps},
    id::{Barrier, SignalHandle},
    timing::{Interval, RawInterval},
};

use super::super::{
    Checked, Length, RingSize, Stamps, Stop, Subject,
    bench::Bench,
    check::{check, has, same},
};

/// What a completed signal's stamps are worth: none is right where the device says so.
fn interval<S: Subject>(
    bench: &Bench<'_, S>,
    signal: SignalHandle,
    engine: Engine,
) -> Checked<Option<Interval>> {
    let raw = bench.device.timestamps(signal, engine);
    let ran = Interval::new(raw, bench.device.tick_rate());
    match bench.on.stamps() {
        Stamps::Honest => check!(ran.is_some(), "{raw:?} is no interval"),
        Stamps::None => check!(ran.is_none(), "{raw:?}, without a clock"),
        Stamps::Faulty => {}
    }
    Ok(ran)
}
fn needs_stamps<S: Subject>(on: &S) -> Checked {
    has(on.stamps() == Stamps::Honest, "timestamps that can be relied on")
}

pub(super) fn make_an_interval<S: Subject>(on: &S) -> Checked {
    has(on.stamps() != Stamps::None, "a clock")?;
    let bench = Bench::new(on);
    let signal = bench.host_signal()?;
    for _ in 0..50 {
        let begun = on.now();
        bench.run(Length::Long, signal);
        bench.finishes("a kernel", signal)?;
        let took = on.now().saturating_sub(begun);
        if let Some(ran) = interval(&bench, signal, Engine::Compute)? {
            // A clock of another rate would say so. What hosts and devices call a second may differ a bit.
            let limit = took + took / 10 + Duration::from_micros(50);
            check!(ran.duration() <= limit, "{:?} within {took:?}", ran.duration());
        }
        bench.arm(signal, 1);
    }
    Ok(())
}
/// Kernels one after another: each begins when the one before has ended.
pub(super) fn are_in_order<S: Subject>(on: &S) -> Checked {
    needs_stamps(on)?;
    let bench = Bench::new(on);
    let signals = bench.signals(ringfence::backend::SignalMemory::Host, 16)?;
    for _ in 0..10 {
        for &signal in &signals {
            let kernel = bench.packet(bench.kernel(Length::Long), signal);
            bench.publish(Packet { barrier: Barrier::Set, ..kernel });
        }
        let mut last: Option<Interval> = None;
        for &signal in &signals {
            bench.finishes("a kernel", signal)?;
            let ran = interval(&bench, signal, Engine::Compute)?;
            if let (Some(before), Some(ran)) = (last, ran) {
                let (ended, began) = (before.end(), ran.start());
                check!(began >= ended, "one began at {began}, the one before it ended at {ended}");
            }
            last = ran;
            bench.arm(signal, 1);
        }
    }
    Ok(())
}
pub(super) fn of_the_last_use<S: Subject>(on: &S) -> Checked {
    needs_stamps(on)?;
    let bench = Bench::new(on);
    let signal = bench.host_signal()?;
    let mut ended = 0;
    for round in 0..20 {
        bench.run(Length::Long, signal);
        bench.finishes("a kernel", signal)?;
        let ran = interval(&bench, signal, Engine::Compute)?;
        let (began, now) = ran.map_or((0, 0), |ran| (ran.start(), ran.end()));
        check!(
            began >= ended,
            "round {round}: began at {began}, and the use before ended at {ended}"
        );
        ended = now;
        bench.arm(signal, 1);
    }
    check!(ended > 0, "nothing ended");
    Ok(())
}
pub(super) fn of_barrier_packets<S: Subject>(on: &S) -> Checked {
    has(on.stamps() != Stamps::None, "a clock")?;
    let bench = Bench::new(on);
    let (gate, signal) = (bench.host_signal()?, bench.host_signal()?);
    bench.publish(bench.packet(Body::And(Deps::take(&[gate]).0), signal));
    bench.is_held("a packet that waits", signal)?;
    bench.open_gate(gate);
    bench.finishes("the packet", signal)?;
    interval(&bench, signal, Engine::Compute).map(drop)
}
pub(super) fn of_copies<S: Subject>(on: &S) -> Checked {
    has(on.stamps() != Stamps::None, "a clock")?;
    let bench = Bench::new(on);
    let engine = on.engine(0);
    let signal = bench.host_signal()?;
    let mut ended = 0;
    for word in 1..=20 {
        let (from, to) = (on.memory(0, word), on.memory(0, 0));
        let begun = on.now();
        let work = on.copy(&from, &to);
        same(
            "a copy",
            engine.submit(engine.reserve(), PartIndex::new(0), work, signal, &[]),
            Ok(()),
        )?;
        bench.finishes("a copy", signal)?;
        let took = on.now().saturating_sub(begun);
        if let Some(ran) = interval(&bench, signal, Engine::Copy)? {
            let limit = took + took / 10 + Duration::from_micros(50);
            check!(ran.duration() <= limit, "{:?} within {took:?}", ran.duration());
            check!(ran.end() >= ended, "ended at {}, and the copy before at {ended}", ran.end());
            ended = ran.end();
        }
        bench.arm(signal, 1);
    }
    Ok(())
}
pub(super) fn rate_stays<S: Subject>(on: &S) -> Checked {
    let bench = Bench::new(on);
    let rate = bench.device.tick_rate();
    let signal = bench.host_signal()?;
    bench.run(Length::Short, signal);
    bench.finishes("a kernel", signal)?;
    same("the tick rate", bench.device.tick_rate(), rate)?;
    let range = 1_000_000..=10_000_000_000;
    check!(range.contains(&rate.hertz()) || on.stamps() == Stamps::None, "{} Hz", rate.hertz());
    Ok(())
}
/// Packets that carry no times make no interval, also where the signal's last use did.
pub(super) fn none_without_a_clock<S: Subject>(on: &S) -> Checked {
    let stamped = Bench::new(on);
    let queue = match (on.stamps(), on.unstamped_queue(0)) {
        (Stamps::None, _) => on.queue(0, RingSize::Usual),
        (_, Some(queue)) => queue,
        (_, None) => return Err(Stop::Lacking("packets that carry no times")),
    };
    let bench = Bench { on, nth: 0, device: on.device(0), queue };
    let signal = bench.host_signal()?;
    for round in 0..3 {
        bench.run(Length::Long, signal);
        bench.finishes("a kernel", signal)?;
        let raw = bench.device.timestamps(signal, Engine::Compute);
        same(&format!("round {round}: its times"), raw, RawInterval::default())?;
        bench.arm(signal, 1);
        stamped.run(Length::Short, signal);
        stamped.finishes("a kernel with times", signal)?;
        bench.arm(signal, 1);
    }
    Ok(())
}
