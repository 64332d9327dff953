//! Trackers, events and handlers on a caller's device and queues.

#[path = "../common/mod.rs"]
mod common;
mod ends;
mod gpu;

use std::{mem::MaybeUninit, sync::atomic::Ordering::SeqCst};

use common::{at, message, ok, out, to};
use gpu::Gpu;
use ringfence_capi::{ringfence_status_t::*, *};

/// A device with a tracker on each of its queues.
struct Bench {
    gpu: &'static Gpu,
    device: ringfence_device_t,
    queues: [ringfence_queue_t; 2],
    trackers: [ringfence_tracker_t; 2],
}
impl Bench {
    /// `number` makes the names of the device and its queues its own.
    fn new(number: u32) -> Self {
        let gpu = Gpu::new();
        let table = gpu.device_table(number);
        // SAFETY: the table is there, and its context lives for ever.
        let device = out(|device| unsafe { ringfence_device_create(&raw const table, device) });
        let queues = [0, 1].map(|which| {
            let table = gpu.queue_table(1000 * number + which, which as usize);
            // SAFETY: as above.
            out(|queue| unsafe { ringfence_queue_create(&raw const table, queue) })
        });
        let trackers = queues.map(|queue| {
            // SAFETY: NULL is allowed.
            out(|tracker| unsafe {
                ringfence_tracker_open(device, queue, std::ptr::null(), tracker)
            })
        });
        Self { gpu, device, queues, trackers }
    }
    fn close(self) -> &'static Gpu {
        self.gpu.go_on();
        for tracker in self.trackers {
            ok(ringfence_tracker_close(tracker));
        }
        self.end()
    }
    fn end(self) -> &'static Gpu {
        ok(ringfence_device_reap(self.device, Out::NULL));
        for queue in self.queues {
            ok(ringfence_queue_close(queue));
        }
        ok(ringfence_device_close(self.device));
        assert_eq!(self.gpu.live.load(SeqCst), 0, "signals are counted to zero");
        assert_eq!(self.gpu.released.load(SeqCst), 1);
        self.gpu
    }
}
const KERNEL: ringfence_submission_t = ringfence_submission_t {
    kind: RINGFENCE_SUBMIT_KERNEL,
    flags: 0,
    role: RINGFENCE_ROLE_DISPATCH,
    acquire: RINGFENCE_SCOPE_DEFAULT,
    release: RINGFENCE_SCOPE_DEFAULT,
    reserved: 0,
    work: std::ptr::null(),
};
fn submit(tracker: ringfence_tracker_t) -> ringfence_use_id_t {
    out(|of| ringfence_tracker_submit(tracker, at(&KERNEL), of))
}
fn event(kind: u32, timed: u32) -> ringfence_event_t {
    out(|event| ringfence_event_create(kind, timed, event))
}
fn query(event: ringfence_event_t) -> u32 {
    out(|known| ringfence_event_query(event, known))
}
fn counts(tracker: ringfence_tracker_t) -> ringfence_ledger_t {
    let mut counts =
        ringfence_ledger_t { size: size_of::<ringfence_ledger_t>(), ..Default::default() };
    // SAFETY: the structure is there.
    ok(unsafe { ringfence_tracker_counts(tracker, &raw mut counts) });
    counts
}

#[test]
fn a_stream_is_followed_with_few_loads() {
    let bench = Bench::new(1);
    let [tracker, _] = bench.trackers;
    let first = submit(tracker);
    assert_eq!((first.queue, first.generation, first.packet), (1000, 0, 0));
    let bulk = [KERNEL; 300];
    let mut uses = [ringfence_use_id_t::default(); 300];
    // SAFETY: both arrays are there.
    let published = out(|published| unsafe {
        ringfence_tracker_submit_all(tracker, bulk.as_ptr(), 300, uses.as_mut_ptr(), published)
    });
    assert_eq!((published, uses[0].packet, uses[299].packet), (300, 1, 300));
    for _ in 0..1000 {
        submit(tracker);
    }
    ok(ringfence_tracker_synchronize(tracker));
    let told = counts(tracker);
    assert_eq!((told.in_flight, told.uses >= 1301), (0, true));
    assert!(told.loads_to_retire * 10 < told.uses, "{told:?}");
    let (mut retired, mut in_flight) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    ok(ringfence_tracker_reclaim(tracker, to(&mut retired), to(&mut in_flight)));
    ok(ringfence_tracker_probe(tracker, Out::NULL, Out::NULL));
    ok(ringfence_tracker_drain(tracker));
    bench.close();
}

#[test]
fn events_are_recorded_asked_waited_for_and_timed() {
    let bench = Bench::new(2);
    let [producer, consumer] = bench.trackers;
    let (before, after) =
        (event(RINGFENCE_EVENT_KIND_PLAIN, 1), event(RINGFENCE_EVENT_KIND_PLAIN, 1));
    assert_eq!(query(before), RINGFENCE_EVENT_NOT_RECORDED);
    bench.gpu.hold();
    submit(producer);
    ok(ringfence_event_record(before, producer, In::NULL, Out::NULL));
    assert_eq!(query(before), RINGFENCE_EVENT_UNFINISHED);
    assert_eq!(ringfence_event_synchronize(before, 1_000_000), RINGFENCE_TIMED_OUT);
    // On the device: the consumer's packet waits, and so does what follows it.
    ok(ringfence_event_wait_on(before, consumer));
    let last =
        |queue: usize| *bench.gpu.queues[queue].written.lock().expect("plain").last().expect("one");
    let (recorded, waits) = (last(0).1, last(1).1);
    assert_eq!(waits.kind, RINGFENCE_PACKET_AND);
    assert_eq!(waits.dependencies, [recorded.completes, 0, 0, 0, 0]);
    submit(consumer);
    ok(ringfence_event_record(after, consumer, at(&KERNEL), Out::NULL));
    let mut elapsed = MaybeUninit::uninit();
    assert_eq!(ringfence_event_elapsed(before, after, to(&mut elapsed)), RINGFENCE_OUT_OF_ORDER);
    bench.gpu.go_on();
    ok(ringfence_event_synchronize(after, u64::MAX));
    assert_eq!((query(before), query(after)), (RINGFENCE_EVENT_FINISHED, RINGFENCE_EVENT_FINISHED));
    // In nanoseconds: the device's ticks are signal numbers in thousands.
    let elapsed = out(|time| ringfence_event_elapsed(before, after, time));
    assert_eq!(elapsed % 1000, 0);
    assert_ne!(elapsed, 0);
    assert_eq!(
        ringfence_event_elapsed(after, before, to(&mut MaybeUninit::uninit())),
        RINGFENCE_OUT_OF_ORDER
    );
    // Recorded again while somebody might wait: another recording.
    bench.gpu.hold();
    ok(ringfence_event_record(before, producer, In::NULL, Out::NULL));
    assert_eq!(query(before), RINGFENCE_EVENT_UNFINISHED);
    bench.gpu.go_on();
    assert_eq!(query(before), RINGFENCE_EVENT_FINISHED);
    // They outlive their trackers, and `release` waits for them.
    for tracker in bench.trackers {
        ok(ringfence_tracker_close(tracker));
    }
    ok(ringfence_event_destroy(before));
    ok(ringfence_event_destroy(after));
    bench.end();
}

#[test]
fn an_event_that_outlives_everything_takes_the_device_along() {
    let bench = Bench::new(7);
    let [tracker, other] = bench.trackers;
    let last = event(RINGFENCE_EVENT_KIND_BLOCKING, 0);
    let cell = event(RINGFENCE_EVENT_KIND_IPC, 0); // keeps its signal: another process may look at it
    ok(ringfence_event_record(cell, other, In::NULL, Out::NULL));
    bench.gpu.hold();
    ok(ringfence_event_record(last, tracker, In::NULL, Out::NULL));
    assert_eq!(out(|later| ringfence_event_watch(last, 1, later)), 1);
    bench.gpu.go_on();
    for tracker in bench.trackers {
        ok(ringfence_tracker_close(tracker));
    }
    assert_eq!(bench.gpu.live.load(SeqCst), 2, "the handler's, and the cell");
    let (_, token) = bench.gpu.watched.lock().expect("plain")[0];
    out(|handled| ringfence_device_handle(bench.device, token, handled));
    assert_eq!(bench.gpu.live.load(SeqCst), 2, "nothing is destroyed on a callback thread");
    for queue in bench.queues {
        ok(ringfence_queue_close(queue));
    }
    ok(ringfence_device_close(bench.device));
    assert_eq!(bench.gpu.live.load(SeqCst), 1);
    ok(ringfence_event_destroy(last));
    assert_eq!((bench.gpu.live.load(SeqCst), bench.gpu.released.load(SeqCst)), (1, 0));
    ok(ringfence_event_destroy(cell));
    assert_eq!((bench.gpu.live.load(SeqCst), bench.gpu.released.load(SeqCst)), (0, 1));
}

#[test]
fn a_handler_is_told_once_on_the_callers_thread() {
    let bench = Bench::new(3);
    let [tracker, _] = bench.trackers;
    let done = event(RINGFENCE_EVENT_KIND_BLOCKING, 1);
    assert_eq!(
        ringfence_event_watch(done, 5, to(&mut MaybeUninit::uninit())),
        RINGFENCE_OUT_OF_ORDER
    );
    bench.gpu.hold();
    ok(ringfence_event_record(done, tracker, at(&KERNEL), Out::NULL));
    assert_eq!(out(|later| ringfence_event_watch(done, 5, later)), 1);
    bench.gpu.go_on();
    let (signal, token) = bench.gpu.watched.lock().expect("plain")[0];
    let (device, queue) = (bench.device, std::thread::current().id());
    let handled = std::thread::spawn(move || {
        assert_ne!(std::thread::current().id(), queue);
        out(|handled| ringfence_device_handle(device, token, handled))
    });
    let handled = handled.join().expect("the callback thread");
    assert_eq!((handled.then, handled.status, handled.is_timed), (5, RINGFENCE_EVENT_FINISHED, 1));
    assert_eq!(
        (handled.start, handled.end, handled.tick_rate),
        (1000 * signal, 1000 * signal + 7, 1_000_000_000)
    );
    let again = ringfence_device_handle(device, token, to(&mut MaybeUninit::uninit()));
    assert_eq!(again, RINGFENCE_STALE_HANDLE);
    assert_eq!(out(|later| ringfence_event_watch(done, 6, later)), 0, "it is over already");
    ok(ringfence_event_destroy(done));
    bench.close();
}

#[test]
fn a_signal_below_0_a_lost_device_and_a_forced_use_are_errors() {
    let bench = Bench::new(4);
    let [tracker, other] = bench.trackers;
    bench.gpu.hold();
    let of = submit(tracker);
    assert_eq!(
        ringfence_tracker_force(tracker, ringfence_use_id_t { packet: 99, ..of }),
        RINGFENCE_OUT_OF_ORDER
    );
    ok(ringfence_tracker_force(tracker, of));
    bench.gpu.go_on();
    ok(ringfence_tracker_synchronize(tracker));
    // Something decrements once too often.
    bench.gpu.hold();
    let bad = event(RINGFENCE_EVENT_KIND_PLAIN, 0);
    ok(ringfence_event_record(bad, tracker, In::NULL, Out::NULL));
    let completes = bench.gpu.queues[0].written.lock().expect("plain")[0].1.completes;
    bench.gpu.value(completes).fetch_sub(1, SeqCst);
    bench.gpu.go_on();
    assert_eq!(ringfence_tracker_probe(tracker, Out::NULL, Out::NULL), RINGFENCE_OVER_DECREMENT);
    assert!(message().contains("decremented it once too often"), "{}", message());
    ok(ringfence_event_destroy(bad));
    // The device is lost with work in flight.
    bench.gpu.hold();
    let lost = event(RINGFENCE_EVENT_KIND_PLAIN, 0);
    ok(ringfence_event_record(lost, other, In::NULL, Out::NULL));
    bench.gpu.lost.store(1, SeqCst);
    assert_eq!(ringfence_tracker_synchronize(other), RINGFENCE_DEVICE_LOST);
    assert_eq!(query(lost), RINGFENCE_EVENT_FAILED);
    assert_eq!(ringfence_event_synchronize(lost, 1), RINGFENCE_USE_FAILED);
    let mut of = MaybeUninit::uninit();
    assert_eq!(ringfence_tracker_submit(other, at(&KERNEL), to(&mut of)), RINGFENCE_DEVICE_LOST);
    assert_eq!(ringfence_tracker_close(other), RINGFENCE_DEVICE_LOST);
    assert_eq!(ringfence_tracker_close(other), RINGFENCE_STALE_HANDLE, "it was taken all the same");
    let _lost_as_well = ringfence_tracker_close(tracker);
    ok(ringfence_event_destroy(lost));
}

#[test]
fn a_callback_that_throws_poisons_its_tracker_alone() {
    let bench = Bench::new(5);
    let [tracker, other] = bench.trackers;
    bench.gpu.queues[0].throws.store(true, SeqCst);
    assert_eq!(ringfence_tracker_submit(tracker, at(&KERNEL), Out::NULL), RINGFENCE_PANIC);
    assert!(message().contains("commit threw"), "{}", message());
    assert_eq!(ringfence_tracker_submit(tracker, at(&KERNEL), Out::NULL), RINGFENCE_POISONED);
    assert_eq!(ringfence_tracker_synchronize(tracker), RINGFENCE_POISONED);
    submit(other);
    ok(ringfence_tracker_synchronize(other));
    // It can be closed, and waits for nothing: the packet was never written, and its signal is given up.
    ok(ringfence_tracker_close(tracker));
    assert_eq!(ringfence_tracker_close(tracker), RINGFENCE_STALE_HANDLE);
    ok(ringfence_tracker_close(other));
    assert_eq!(bench.gpu.live.load(SeqCst), 1, "the one signal that a packet may still complete");
}

#[test]
fn tables_and_policies_are_looked_at() {
    let gpu = Gpu::new();
    macro_rules! without {
        ($create:ident, $table:expr, $name:literal: $($entry:ident)*) => {$(
            let mut table = $table;
            table.$entry = None;
            let mut object = MaybeUninit::uninit();
            // SAFETY: the table is there.
            let status = unsafe { $create(&raw const table, to(&mut object)) };
            assert_eq!(status, RINGFENCE_INCOMPLETE_TABLE, stringify!($entry));
            assert!(message().contains(concat!($name, ".", stringify!($entry))), "{}", message());
        )*};
    }
    without!(ringfence_device_create, gpu.device_table(6), "ringfence_device_backend_t":
        create destroy load arm wait force status);
    without!(ringfence_queue_create, gpu.queue_table(6000, 0), "ringfence_queue_backend_t":
        reserve commit ring_doorbell read_index settled);
    // Who claims device signals has to say how stores get there.
    let mut table = gpu.device_table(6);
    table.features |= RINGFENCE_FEATURE_DEVICE_SIGNALS;
    let mut device = MaybeUninit::uninit();
    // SAFETY: the table is there.
    let status = unsafe { ringfence_device_create(&raw const table, to(&mut device)) };
    assert_eq!(status, RINGFENCE_INCOMPLETE_TABLE);
    assert_eq!(gpu.released.load(SeqCst), 0);

    let bench = Bench::new(6);
    let size = size_of::<ringfence_policy_t>();
    let mut policy = MaybeUninit::uninit();
    // SAFETY: the structure is there, and its size is true.
    ok(unsafe { ringfence_policy_init(policy.as_mut_ptr(), size) });
    // SAFETY: the call above filled it.
    let mut policy = unsafe { policy.assume_init() };
    let open = |policy: &ringfence_policy_t| {
        let mut tracker = MaybeUninit::uninit();
        // SAFETY: the structure is there.
        let status = unsafe {
            ringfence_tracker_open(
                bench.device,
                bench.queues[0],
                &raw const *policy,
                to(&mut tracker),
            )
        };
        if status == RINGFENCE_OK {
            // SAFETY: a call that is fine writes its output.
            ok(ringfence_tracker_close(unsafe { tracker.assume_init() }));
        }
        status
    };
    ok(open(&policy));
    policy.polling = 1;
    ok(open(&policy));
    policy.polling = 2;
    assert_eq!(open(&policy), RINGFENCE_INVALID_ARGUMENT);
    assert!(message().contains("policy->polling"), "{}", message());
    policy.polling = 0;
    policy.ring_size = 0;
    assert_eq!(open(&policy), RINGFENCE_INVALID_ARGUMENT);
    policy.size = 4;
    assert_eq!(open(&policy), RINGFENCE_ABI_MISMATCH);
    let wrong = ringfence_submission_t { kind: 7, ..KERNEL };
    assert_eq!(
        ringfence_tracker_submit(bench.trackers[0], at(&wrong), Out::NULL),
        RINGFENCE_INVALID_ARGUMENT
    );
    let wrong = ringfence_submission_t { flags: 64, ..KERNEL };
    assert_eq!(
        ringfence_tracker_submit(bench.trackers[0], at(&wrong), Out::NULL),
        RINGFENCE_INVALID_ARGUMENT
    );
    assert_eq!(
        ringfence_queue_open(bench.device, to(&mut MaybeUninit::uninit())),
        RINGFENCE_UNSUPPORTED
    );
    bench.close();
}
