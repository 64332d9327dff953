//! Whole trackers on a backend, audited: what the library promises, on this very device.

use std::time::Duration;

use ringfence::{
    backend::{Device, DeviceStatus, Features, PacketQueue, SignalMemory},
    drive::{Audit, CopySubmission, HardwareQueue, Policy, Submission, Tracker, TrackerKind},
    error::{Error, Failure},
    event::{Event, EventKind, EventOptions, EventStatus},
    ledger::Counts,
    placement::{DeviceSignals, EventPlacement, Role},
    ring::Timing,
    wait::{Sleeps, WaitPolicy},
};

use super::{
    super::{
        Checked, Length, RingSize, Stamps, Stop, Subject,
        bench::{PATIENCE, needs_device_signals, needs_feature, needs_two_devices},
        check::{check, has, same},
    },
    indices::{Habit, Indexed},
};

/// A wait that takes so long has hung.
pub(super) const WAIT: WaitPolicy =
    WaitPolicy { active_window: Duration::from_micros(100), limit: PATIENCE };

pub(super) fn audited() -> Policy {
    Policy { audit: Audit::On, wait: WAIT, ..Policy::default() }
}
/// The library's own errors are failures of the test.
pub(super) fn fine<T>(outcome: Result<T, Error>) -> Checked<T> {
    outcome.map_err(|error| Stop::Failed(error.to_string()))
}
pub(super) type Stream<'s, S, Q> = Tracker<&'s <S as Subject>::Device, Q>;
pub(super) fn open<'s, S: Subject, Q: PacketQueue>(
    on: &'s S,
    nth: usize,
    queue: Q,
    policy: Policy,
) -> Checked<Stream<'s, S, Q>> {
    fine(Tracker::open(on.device(nth), HardwareQueue::new(queue), policy))
}
/// The stream ends well: nothing was given up, and the backend's judge has nothing to say.
pub(super) fn close<S: Subject, Q: PacketQueue>(
    on: &S,
    mut stream: Stream<'_, S, Q>,
) -> Checked<Counts> {
    fine(stream.drain())?;
    let counts = stream.counts();
    same("uses in flight", stream.in_flight(), 0)?;
    same("signals in quarantine, and leaked", (counts.quarantined, counts.leaked), (0, 0))?;
    fine(stream.close())?;
    let violations = on.violations();
    check!(violations.is_empty(), "{}", violations.join("\n"));
    Ok(counts)
}
/// Record, kernel, record, synchronize. What it cost after the first rounds.
fn loops<S: Subject, Q: PacketQueue>(
    on: &S,
    stream: &mut Stream<'_, S, Q>,
    kernel: Q::Work,
    rounds: u32,
) -> Checked<Counts> {
    let [mut before, mut after] = [(); 2].map(|()| Event::new(EventOptions::default()));
    let mut warm = Counts::default();
    for round in 0..rounds {
        fine(before.record(stream))?;
        fine(stream.submit(Submission::kernel(kernel)))?;
        fine(after.record(stream))?;
        fine(after.synchronize(on.device(0), &WAIT))?;
        let status = before.query(on.device(0));
        same("an event before one that is finished", status, EventStatus::Finished)?;
        if round == rounds / 4 {
            warm = stream.counts();
        }
    }
    Ok(warm)
}

pub(super) fn steady_loop_creates_nothing<S: Subject>(on: &S) -> Checked {
    const ROUNDS: u32 = 1_000;
    let queue = on.queue(0, RingSize::Usual);
    let mut stream = open(on, 0, &queue, audited())?;
    let warm = loops(on, &mut stream, on.kernel(0, Length::Short), ROUNDS)?;
    let counts = close(on, stream)?;
    same("signals created in the steady state", counts.created - warm.created, 0)?;
    same("signals destroyed in the loop", warm.destroyed, 0)?;
    check!(counts.uses >= u64::from(ROUNDS) * 3, "{} uses", counts.uses);
    Ok(())
}
/// More packets at once than the ring has slots, with and without signals.
pub(super) fn bursts_on_a_small_ring<S: Subject>(on: &S) -> Checked {
    const PACKETS: u64 = 1_000;
    let queue = on.queue(0, RingSize::Smallest);
    let mut stream = open(on, 0, &queue, audited())?;
    let kernel = || Submission::kernel(on.kernel(0, Length::Short));
    let each = |number| if number % 4 == 0 { kernel() } else { kernel().unsignaled() };
    let packets: Vec<_> = (0..PACKETS).map(each).collect();
    for _ in 0..3 {
        let mut told = Vec::new();
        fine(stream.submit_all(&packets, |of, _| told.push(of.packet())))?;
        same("packets that were told of", told.len() as u64, PACKETS)?;
        check!(told.is_sorted(), "they are in no order");
    }
    close(on, stream).map(drop)
}
pub(super) fn polling_loop_works<S: Subject>(on: &S) -> Checked {
    let queue = on.queue(0, RingSize::Usual);
    let policy = Policy { tracker: TrackerKind::Polling, ..audited() };
    let mut stream = open(on, 0, &queue, policy)?;
    loops(on, &mut stream, on.kernel(0, Length::Short), 300)?;
    close(on, stream).map(drop)
}
pub(super) fn device_signal_loop_works<S: Subject>(on: &S) -> Checked {
    needs_device_signals(on)?;
    for events in [EventPlacement::Host, EventPlacement::Device, EventPlacement::Twin] {
        let queue = on.queue(0, RingSize::Usual);
        let policy = Policy { device_signals: DeviceSignals::On, events, ..audited() };
        let mut stream = open(on, 0, &queue, policy)?;
        let warm = loops(on, &mut stream, on.kernel(0, Length::Short), 200)?;
        let counts = close(on, stream)?;
        same("signals created in the steady state", counts.created - warm.created, 0)?;
    }
    Ok(())
}
/// Whatever the read index does, what finishes is retired, and the ring stays below its cap.
pub(super) fn any_read_index_will_do<S: Subject>(on: &S) -> Checked {
    for habit in [Habit::Still, Habit::Published] {
        let queue = on.queue(0, RingSize::Usual);
        let queue = Indexed::new(&queue, habit);
        let mut stream = open(on, 0, &queue, audited())?;
        let kernel = on.kernel(0, Length::Short);
        for number in 0..2_000 {
            let role = if number % 50 == 0 { Role::HostQuery } else { Role::Dispatch };
            fine(stream.submit(Submission::kernel(kernel).role(role)))?;
        }
        let _synced = fine(stream.synchronize())?;
        let counts = close(on, stream)?;
        let cap = u64::from(audited().ring.cap) * 2;
        check!(counts.created <= cap, "{habit:?}: {} signals for {cap} at most", counts.created);
    }
    Ok(())
}
/// An event of one stream, waited for by another on the device, with the kernels of both in order.
pub(super) fn events_order_streams<S: Subject>(on: &S) -> Checked {
    order(on, 0)
}
pub(super) fn events_order_devices<S: Subject>(on: &S) -> Checked {
    needs_two_devices(on)?;
    order(on, 1)
}
fn order<S: Subject>(on: &S, other: usize) -> Checked {
    let (one, two) = (on.queue(0, RingSize::Usual), on.queue(other, RingSize::Usual));
    let mut producer = open(on, 0, &one, audited())?;
    let mut consumer = open(on, other, &two, audited())?;
    let [mut produced, mut consumed] = [(); 2].map(|()| Event::new(EventOptions::default()));
    for round in 0..150 {
        fine(consumed.wait_on(&mut producer))?;
        fine(producer.submit(Submission::kernel(on.kernel(0, Length::Long))))?;
        fine(produced.record(&mut producer))?;
        fine(produced.wait_on(&mut consumer))?;
        fine(consumer.submit(Submission::kernel(on.kernel(other, Length::Short))))?;
        fine(consumed.record(&mut consumer))?;
        if round % 4 == 0 {
            fine(consumed.synchronize(on.device(other), &WAIT))?;
            let status = produced.query(on.device(0));
            same("what the consumer waited for", status, EventStatus::Finished)?;
        }
    }
    close(on, consumer)?;
    close(on, producer).map(drop)
}
/// Copies in parts behind kernels, and kernels behind copies; the data is there after a synchronize.
pub(super) fn copies_follow_kernels<S: Subject>(on: &S) -> Checked {
    let (queue, engine) = (on.queue(0, RingSize::Usual), on.engine(0));
    let mut stream = open(on, 0, &queue, audited())?;
    let mut produced = Event::new(EventOptions::default());
    let mut copied = Event::new(EventOptions::default());
    for round in 1..=40 {
        let memories: Vec<_> = (0..3).map(|_| (on.memory(0, round), on.memory(0, 0))).collect();
        let parts: Vec<_> = memories.iter().map(|(from, to)| on.copy(from, to)).collect();
        fine(stream.submit(Submission::kernel(on.kernel(0, Length::Long))))?;
        fine(produced.record(&mut stream))?;
        let mut what = CopySubmission::new(&parts);
        let recorded = produced.snapshot();
        let awaited = recorded.map_or(Ok(None), |recorded| recorded.awaited(on.device(0)));
        if let Some(awaited) = fine(awaited)? {
            what = what.after(awaited);
        }
        copied.record_copy(fine(stream.copy(&engine, what, None))?);
        fine(copied.wait_on(&mut stream))?;
        fine(stream.submit(Submission::kernel(on.kernel(0, Length::Short))))?;
        let _synced = fine(stream.synchronize())?;
        let there = memories.iter().all(|(_, to)| on.holds(to, round));
        check!(there, "round {round}: synchronized, and the data was not there");
    }
    close(on, stream).map(drop)
}
pub(super) fn timed_work_has_its_interval<S: Subject>(on: &S) -> Checked {
    has(on.stamps() == Stamps::Honest, "timestamps that can be relied on")?;
    let queue = on.queue(0, RingSize::Usual);
    let mut stream = open(on, 0, &queue, audited())?;
    let options = EventOptions { timing: Timing::Wanted, ..EventOptions::default() };
    let [mut before, mut after] = [(); 2].map(|()| Event::new(options));
    for round in 0..100 {
        fine(before.record(&mut stream))?;
        fine(stream.submit(Submission::kernel(on.kernel(0, Length::Long))))?;
        fine(after.record(&mut stream))?;
        fine(after.synchronize(on.device(0), &WAIT))?;
        let elapsed = before.elapsed_to(&after, on.device(0));
        check!(elapsed.is_some(), "round {round}: no time between two events that were timed");
    }
    close(on, stream).map(drop)
}
/// A blocking event sleeps, or says that it spins.
pub(super) fn blocking_events_are_honest<S: Subject>(on: &S) -> Checked {
    needs_feature(on, Features::INTERRUPTS, "signals that wake a thread")?;
    let queue = on.queue(0, RingSize::Usual);
    let mut stream = open(on, 0, &queue, audited())?;
    let options = EventOptions { kind: EventKind::Blocking, ..EventOptions::default() };
    let mut event = Event::new(options);
    for _ in 0..50 {
        fine(stream.submit(Submission::kernel(on.kernel(0, Length::Long))))?;
        fine(event.record(&mut stream))?;
        let synced = fine(event.synchronize(on.device(0), &WAIT))?;
        let memory = event.snapshot().map(|recorded| recorded.record().about().memory);
        let sleeps = match memory {
            Some(SignalMemory::Interrupt) => Sleeps::AfterTheWindow,
            _ => Sleeps::WillSpin,
        };
        if let Some(synced) = synced
            && sleeps == Sleeps::AfterTheWindow
        {
            same(&format!("a wait in {memory:?}"), synced.sleeps, sleeps)?;
        }
    }
    close(on, stream).map(drop)
}
/// A lost device ends what waits, and proves nothing.
pub(super) fn lost_device_ends_in_errors<S: Subject>(on: &S) -> Checked {
    let queue = on.queue(0, RingSize::Usual);
    let mut stream = open(on, 0, &queue, audited())?;
    let mut event = Event::new(EventOptions::default());
    fine(stream.submit(Submission::kernel(on.kernel(0, Length::Short))))?;
    let _synced = fine(stream.synchronize())?;
    fine(stream.submit(Submission::kernel(on.kernel(0, Length::Long))))?;
    on.lose(0);
    // Whether these are refused already depends on when the loss is reported.
    let _refused = stream.submit(Submission::kernel(on.kernel(0, Length::Short)));
    let _refused = event.record(&mut stream);
    let reported = on.settle(PATIENCE, || on.device(0).status() == DeviceStatus::Lost);
    check!(reported, "a loss was not reported within {PATIENCE:?}");
    let begun = on.now();
    let ended = stream.synchronize();
    let took = on.now().saturating_sub(begun);
    let lost = matches!(
        ended,
        Err(Error::DeviceLost { .. } | Error::Failed { cause: Failure::DeviceLost, .. })
    );
    check!(lost, "a synchronize on a lost device: {ended:?}");
    check!(took <= Duration::from_millis(100), "it took {took:?}");
    let known = matches!(
        event.query(on.device(0)),
        EventStatus::NotRecorded | EventStatus::Failed(Failure::DeviceLost) | EventStatus::Finished
    );
    check!(known, "an event on a lost device: {:?}", event.query(on.device(0)));
    let violations = on.violations();
    check!(violations.is_empty(), "{}", violations.join("\n"));
    Ok(())
}
