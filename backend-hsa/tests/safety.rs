//! What a caller does wrong with safe functions: it is refused, and touches no memory that is another's.

mod support;

use std::{
    num::NonZeroU32,
    panic::{self, AssertUnwindSafe, PanicHookInfo},
    sync::{
        Arc, Barrier as Meeting, Once,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use ringfence::{backend::*, id::*, timing::RawInterval};
use ringfence_hsa::{
    HsaDevice, QueueOptions, RingSize, Runtime,
    sys::{Library, hsa_status_t},
};
use support::{Gpu, barrier, done, each_signal, signal};

const LONG: Duration = Duration::from_secs(60);

/// What a refusal says, if it is one. The usual words on the terminal are left out: there are thousands of them.
fn refused<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    static QUIET: Once = Once::new();
    fn is_refusal(what: &PanicHookInfo<'_>) -> bool {
        let said = what.payload().downcast_ref::<String>().map_or("", String::as_str);
        let words = [
            "was destroyed",
            "committed before",
            "not reserved",
            "destroyed twice",
            "another start",
        ];
        words.iter().any(|one| said.contains(one))
    }
    QUIET.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |what| {
            if !is_refusal(what) {
                usual(what);
            }
        }));
    });
    panic::catch_unwind(AssertUnwindSafe(call)).map_err(|payload| {
        let said = payload.downcast_ref::<String>().cloned();
        said.unwrap_or_else(|| panic::resume_unwind(payload))
    })
}

fn small() -> QueueOptions {
    QueueOptions { packets: RingSize::at_least(64), ..QueueOptions::default() }
}

#[test]
fn an_index_that_was_not_reserved_or_was_committed_before_is_refused() {
    let Some(gpu) = Gpu::open("an_index_that_was_not_reserved") else { return };
    let queue = gpu.device.create_queue(small()).expect("a queue");
    let end = gpu.signal(SignalMemory::Host);
    let packet = barrier(Deps::NONE, end);
    let commit = |at: PacketId| refused(|| queue.commit(at, &packet));
    let says = |answer: Result<(), String>, what: &str| {
        assert!(answer.as_ref().is_err_and(|said| said.contains(what)), "{answer:?}");
    };
    for at in [0, 1, 63, 64, 1 << 32, u64::MAX] {
        says(commit(PacketId::new(at)), "not reserved");
    }
    let at = queue.reserve(PacketCount::new(NonZeroU32::new(2).expect("not 0")));
    says(commit(at.plus(2)), "not reserved");
    // Committed, and held back by the one before it: not published yet.
    queue.commit(at.next(), &barrier(Deps::NONE, SignalHandle::NULL));
    says(commit(at.next()), "committed before");
    queue.commit(at, &packet);
    for at in [at, at.next()] {
        says(commit(at), "committed before");
    }
    queue.ring_doorbell(PacketId::new(u64::MAX));
    assert_eq!(done(&gpu.device, end), SignalValue::DONE);
    // The same for slots that were used before; and the queue works as ever.
    for _ in 0..200 {
        gpu.device.arm(end, SignalValue::ARMED);
        let at = queue.reserve(PacketCount::ONE);
        queue.commit(at, &packet);
        says(commit(at), "committed before");
        queue.ring_doorbell(at);
        assert_eq!(done(&gpu.device, end), SignalValue::DONE);
        let ring = u64::from(queue.ring_size().packets());
        if let Some(turn_before) = at.as_u64().checked_sub(ring) {
            says(commit(PacketId::new(turn_before)), "committed before");
        }
        says(commit(at.next()), "not reserved");
    }
    gpu.device.destroy(end);
}

#[test]
fn of_two_threads_that_commit_one_index_one_writes() {
    let Some(gpu) = Gpu::open("of_two_threads_that_commit_one_index_one_writes") else { return };
    let queue = gpu.device.create_queue(small()).expect("a queue");
    let ends = [gpu.signal(SignalMemory::Host), gpu.signal(SignalMemory::Host)];
    let (at, meeting) = (AtomicU64::new(0), Meeting::new(2));
    const ROUNDS: u64 = 2_000;
    let [first, second] = thread::scope(|scope| {
        let run = |which: usize| {
            let (queue, at, meeting, ends) = (&queue, &at, &meeting, &ends);
            scope.spawn(move || {
                let mut written = Vec::new();
                for _ in 0..ROUNDS {
                    if which == 0 {
                        at.store(queue.reserve(PacketCount::ONE).as_u64(), Ordering::Release);
                    }
                    meeting.wait();
                    let at = PacketId::new(at.load(Ordering::Acquire));
                    let packet = barrier(Deps::NONE, ends[which]);
                    written.push(refused(|| queue.commit(at, &packet)).is_ok());
                    queue.ring_doorbell(at);
                    meeting.wait();
                }
                written
            })
        };
        [run(0), run(1)].map(|one| one.join().expect("refusals are caught"))
    });
    let differ = first.iter().zip(&second).filter(|(first, second)| first != second);
    assert_eq!(differ.count() as u64, ROUNDS, "one of two, each time");
    let last = queue.reserve(PacketCount::ONE);
    let all = gpu.signal(SignalMemory::Host);
    queue.commit(last, &barrier(Deps::NONE, all));
    queue.ring_doorbell(last);
    assert_eq!(done(&gpu.device, all), SignalValue::DONE);
    // As many packets ran with each signal as were written.
    for (end, written) in ends.into_iter().zip([first, second]) {
        let count = written.iter().filter(|written| **written).count();
        let left = 1 - i64::try_from(count).expect("few");
        assert_eq!(gpu.device.load(end).as_i64(), left);
        gpu.device.destroy(end);
    }
    gpu.device.destroy(all);
}

/// A wait for a signal that somebody destroys would go on to its limit, in memory that is not its own.
#[test]
fn a_wait_ends_when_its_signal_is_destroyed() {
    let Some(gpu) = Gpu::open("a_wait_ends_when_its_signal_is_destroyed") else { return };
    each_signal(&gpu.device, |_, memory| {
        let signal = gpu.signal(memory);
        let (begun, started) = (Instant::now(), AtomicU64::new(0));
        let answers = thread::scope(|scope| {
            let wait = |hint| {
                let (device, started) = (&gpu.device, &started);
                scope.spawn(move || {
                    started.fetch_add(1, Ordering::Release);
                    refused(|| device.wait(signal, SignalValue::ARMED, hint, LONG))
                })
            };
            let waits = [WaitHint::Blocked, WaitHint::Active].map(wait);
            while started.load(Ordering::Acquire) < 2 {
                thread::yield_now();
            }
            (0..1_000).for_each(|_| thread::yield_now());
            gpu.device.destroy(signal);
            waits.map(|wait| wait.join().expect("refusals are caught"))
        });
        for answer in answers {
            assert!(answer.is_err_and(|said| said.contains("was destroyed")), "{memory}");
        }
        assert!(begun.elapsed() < LONG / 2, "{memory}: {:?}", begun.elapsed());
    });
}

/// Threads use signals in every way while another destroys them and makes new ones.
#[test]
fn a_signal_that_is_destroyed_while_it_is_used_is_not_read_when_it_is_gone() {
    let Some(gpu) = Gpu::open("a_signal_that_is_destroyed_while_it_is_used") else { return };
    let device = &gpu.device;
    each_signal(device, |_, memory| {
        let (current, over) = (AtomicU64::new(0), AtomicBool::new(false));
        let (answered, refusals) = (AtomicU64::new(0), AtomicU64::new(0));
        let use_it = |which, signal| {
            match which {
                0 => drop(device.timestamps(signal, Engine::Compute)),
                1 => {
                    let (hint, limit) = (WaitHint::Blocked, Duration::ZERO);
                    let _ = device.wait(signal, SignalValue::DONE, hint, limit);
                }
                _ => {}
            }
            device.load(signal)
        };
        thread::scope(|scope| {
            for which in 0..3 {
                let (current, over, answered, refusals) = (&current, &over, &answered, &refusals);
                scope.spawn(move || {
                    while !over.load(Ordering::Relaxed) {
                        let signal = SignalHandle::new(current.load(Ordering::Acquire));
                        let count = match refused(|| use_it(which, signal)) {
                            Ok(value) => {
                                // Each is armed with its number.
                                let own = i64::try_from(signal.as_u64()).expect("few turns");
                                assert!([1, own].contains(&value.as_i64()), "{memory}: {value:?}");
                                answered
                            }
                            Err(_) => refusals,
                        };
                        count.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            let begun = Instant::now();
            let (mut rounds, mut enough) = (0_u32, false);
            while !enough && begun.elapsed() < LONG {
                let made = signal(device, memory);
                let own = i64::try_from(made.as_u64()).expect("few turns");
                current.store(made.as_u64(), Ordering::Release);
                device.arm(made, SignalValue::new(own));
                (0..rounds % 8).for_each(|_| thread::yield_now());
                device.destroy(made);
                rounds += 1;
                enough = rounds >= 300
                    && answered.load(Ordering::Relaxed) > 0
                    && refusals.load(Ordering::Relaxed) > 0;
            }
            over.store(true, Ordering::Relaxed);
            println!("{memory}: {rounds} signals, {answered:?} answers, {refusals:?} refusals");
            assert!(enough, "no answer, or no refusal");
        });
    });
}

#[test]
fn a_second_destroy_leaves_the_next_signal_alone() {
    let Some(gpu) = Gpu::open("a_second_destroy_leaves_the_next_signal_alone") else { return };
    each_signal(&gpu.device, |_, memory| {
        let first = gpu.signal(memory);
        gpu.device.destroy(first);
        let second = refused(|| gpu.device.destroy(first));
        assert_eq!(second.is_err(), cfg!(debug_assertions), "{memory}");
        let next = gpu.signal(memory);
        assert_ne!(next, first);
        let _ = refused(|| gpu.device.destroy(first));
        assert_eq!(gpu.device.memory_of(next), Some(memory));
        gpu.submit(&barrier(Deps::NONE, next));
        assert_eq!(done(&gpu.device, next), SignalValue::DONE);
        assert!(refused(|| gpu.device.load(first)).is_err());
        gpu.device.destroy(next);
    });
}

/// A signal that is made of one that was destroyed is as any other.
#[test]
fn a_signal_that_is_made_anew_is_armed_and_has_no_times() {
    let Some(gpu) = Gpu::open("a_signal_that_is_made_anew_is_armed_and_has_no_times") else {
        return;
    };
    each_signal(&gpu.device, |_, memory| {
        for _ in 0..20 {
            let signal = gpu.signal(memory);
            assert_eq!(gpu.device.load(signal), SignalValue::ARMED, "{memory}");
            let times = gpu.device.timestamps(signal, Engine::Compute);
            assert_eq!(times, RawInterval::default(), "{memory}");
            gpu.submit(&barrier(Deps::NONE, signal));
            assert_eq!(done(&gpu.device, signal), SignalValue::DONE, "{memory}");
            gpu.device.destroy(signal);
        }
    });
}

/// The work that safe functions make goes with its runtime, and its memory with that: a later one does not take it.
#[test]
fn work_of_a_runtime_that_ended_is_refused_by_the_next() {
    let Some(gpu) = Gpu::open("work_of_a_runtime_that_ended_is_refused_by_the_next") else {
        return;
    };
    let kernel = gpu.device.empty_kernel().expect("a page for a kernel");
    let copy = gpu.device.copy_engine().expect("copies").idle_copy().expect("memory");
    // Another part of the process keeps AMD's runtime up: it knows agents and addresses of before, and would itself refuse nothing.
    let library = Library::load().expect("it is loaded");
    // SAFETY: no precondition.
    let held = unsafe { library.functions().hsa_init() };
    assert_eq!(held, hsa_status_t::HSA_STATUS_SUCCESS);
    drop(gpu.close());
    let gpu = Gpu::open("the next").expect("it started before");
    let end = gpu.signal(SignalMemory::Host);
    let engine = gpu.device.copy_engine().expect("copies");
    let taken = engine.submit(engine.reserve(), PartIndex::new(0), copy, end, &[]);
    assert_eq!(taken, Err(CopyRefused::Failed));
    let at = gpu.queue.reserve(PacketCount::ONE);
    let said = refused(|| gpu.queue.commit(at, &support::kernel(kernel, Barrier::Set, end)));
    assert!(said.as_ref().is_err_and(|said| said.contains("another start")), "{said:?}");
    gpu.queue.ring_doorbell(at);
    // Its place in the queue is taken by a packet that does nothing, and completes nothing.
    let behind = gpu.signal(SignalMemory::Host);
    gpu.submit(&barrier(Deps::NONE, behind));
    assert_eq!(done(&gpu.device, behind), SignalValue::DONE);
    assert_eq!(gpu.device.load(end), SignalValue::ARMED);
    // What the runtime that is up made, it takes.
    let own = engine.idle_copy().expect("memory");
    engine.submit(engine.reserve(), PartIndex::new(0), own, end, &[]).expect("taken");
    assert_eq!(done(&gpu.device, end), SignalValue::DONE);
    gpu.device.arm(end, SignalValue::ARMED);
    let own = gpu.device.empty_kernel().expect("a page for a kernel");
    gpu.submit(&support::kernel(own, Barrier::Set, end));
    assert_eq!(done(&gpu.device, end), SignalValue::DONE);
    [end, behind].into_iter().for_each(|signal| gpu.device.destroy(signal));
    drop(engine);
    let alone = gpu.close();
    // SAFETY: it was initialised once for this call, and nothing was made with it.
    let shut_down = unsafe { library.functions().hsa_shut_down() };
    assert_eq!(shut_down, hsa_status_t::HSA_STATUS_SUCCESS);
    drop(alone);
}

/// A watch that never is reported: all handles are gone, and so is the runtime.
#[test]
fn a_watch_that_never_fires_holds_nothing_up() {
    let Some(gpu) = Gpu::open("a_watch_that_never_fires_holds_nothing_up") else { return };
    let told = Arc::new(());
    let held = told.clone();
    let tell = move |_: &HsaDevice, _| drop(held.clone());
    gpu.device.on_completion(tell).expect("nobody else is told");
    let never = gpu.signal(SignalMemory::Interrupt);
    gpu.device.watch(never, HandlerToken::new(1)).expect("an interrupt");
    let alone = gpu.close();
    assert_eq!(Arc::strong_count(&told), 1, "the device is open still");
    let runtime = Runtime::start().expect("it started before");
    assert_eq!(runtime.devices()[0].memory_of(never), None, "the runtime was up still");
    drop((runtime, alone));
}
