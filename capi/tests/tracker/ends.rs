//! Ends in an order that is not the usual one, and calls that are refused.

use std::{mem::MaybeUninit, sync::atomic::Ordering::SeqCst};

use ringfence_capi::{ringfence_status_t::*, *};

use super::{
    Bench, KERNEL,
    common::{at, message, ok, out, to},
    event, submit,
};

/// Watches a recording that is not over. The token is the first one that its device is given.
fn watch(bench: &Bench, on: ringfence_tracker_t) -> (ringfence_event_t, u64) {
    let done = event(RINGFENCE_EVENT_KIND_BLOCKING, 0);
    bench.gpu.hold();
    ok(ringfence_event_record(done, on, In::NULL, Out::NULL));
    assert_eq!(out(|later| ringfence_event_watch(done, 5, later)), 1);
    (done, bench.gpu.watched.lock().expect("plain")[0].1)
}

#[test]
fn a_device_is_closed_after_its_handlers() {
    let bench = Bench::new(8);
    let (done, token) = watch(&bench, bench.trackers[0]);
    assert_eq!(ringfence_device_close(bench.device), RINGFENCE_IN_USE);
    assert!(message().starts_with("1 handlers of the device wait"), "{}", message());
    bench.gpu.go_on();
    assert_eq!(
        ringfence_device_close(bench.device),
        RINGFENCE_IN_USE,
        "its token has still to come"
    );
    let handled = out(|handled| ringfence_device_handle(bench.device, token, handled));
    assert_eq!((handled.then, handled.status), (5, RINGFENCE_EVENT_FINISHED));
    for tracker in bench.trackers {
        ok(ringfence_tracker_close(tracker));
    }
    for queue in bench.queues {
        ok(ringfence_queue_close(queue));
    }
    ok(ringfence_event_destroy(done));
    ok(ringfence_device_close(bench.device));
    assert_eq!((bench.gpu.live.load(SeqCst), bench.gpu.released.load(SeqCst)), (0, 1));
}

/// Its token may never come.
#[test]
fn a_handler_of_a_use_that_was_given_up_keeps_no_device_open() {
    let bench = Bench::new(21);
    let done = event(RINGFENCE_EVENT_KIND_BLOCKING, 0);
    bench.gpu.hold();
    let of = out(|of| ringfence_event_record(done, bench.trackers[0], In::NULL, of));
    assert_eq!(out(|later| ringfence_event_watch(done, 5, later)), 1);
    assert_eq!(ringfence_device_close(bench.device), RINGFENCE_IN_USE);
    ok(ringfence_tracker_force(bench.trackers[0], of));
    ok(ringfence_device_close(bench.device));
    bench.gpu.go_on();
    for tracker in bench.trackers {
        ok(ringfence_tracker_close(tracker));
    }
    for queue in bench.queues {
        ok(ringfence_queue_close(queue));
    }
    ok(ringfence_event_destroy(done));
}

#[test]
fn nothing_is_watched_on_a_device_that_is_closed() {
    let bench = Bench::new(9);
    let [tracker, other] = bench.trackers;
    let done = event(RINGFENCE_EVENT_KIND_BLOCKING, 0);
    bench.gpu.hold();
    ok(ringfence_event_record(done, tracker, In::NULL, Out::NULL));
    ok(ringfence_device_close(bench.device));
    let mut later = MaybeUninit::uninit();
    assert_eq!(ringfence_event_watch(done, 5, to(&mut later)), RINGFENCE_OUT_OF_ORDER);
    assert!(message().contains("device is closed"), "{}", message());
    assert_eq!(bench.gpu.watched.lock().expect("plain").len(), 0);
    // Its trackers and events go on.
    bench.gpu.go_on();
    ok(ringfence_event_wait_on(done, other));
    ok(ringfence_event_synchronize(done, u64::MAX));
    for tracker in bench.trackers {
        ok(ringfence_tracker_close(tracker));
    }
    for queue in bench.queues {
        ok(ringfence_queue_close(queue));
    }
    ok(ringfence_event_destroy(done));
    assert_eq!((bench.gpu.live.load(SeqCst), bench.gpu.released.load(SeqCst)), (0, 1));
}

#[test]
fn a_hold_that_goes_while_its_tracker_is_closed_takes_its_signal_along() {
    let bench = Bench::new(10);
    let (done, token) = watch(&bench, bench.trackers[0]);
    bench.gpu.go_on();
    ok(ringfence_event_destroy(done));
    // The handler's turn comes while the tracker's signals are destroyed: after its last look at what was let go of.
    let device = bench.device;
    *bench.gpu.meanwhile.lock().expect("plain") = Some(Box::new(move || {
        out(|handled| ringfence_device_handle(device, token, handled));
    }));
    ok(ringfence_tracker_close(bench.trackers[0]));
    assert!(bench.gpu.meanwhile.lock().expect("plain").is_none());
    ok(ringfence_tracker_close(bench.trackers[1]));
    bench.end();
}

#[test]
fn a_bulk_that_is_refused_says_that_nothing_was_published() {
    let bench = Bench::new(11);
    let [tracker, _] = bench.trackers;
    let bulk = |tracker, submissions: &[ringfence_submission_t]| {
        let mut published = MaybeUninit::new(77);
        let (first, count) = (submissions.as_ptr(), submissions.len());
        let place = to(&mut published);
        // SAFETY: so many submissions are there; nobody asks for the uses.
        let status = unsafe {
            ringfence_tracker_submit_all(tracker, first, count, std::ptr::null_mut(), place)
        };
        // SAFETY: it had a value before the call.
        (status, unsafe { published.assume_init() })
    };
    let wrong = ringfence_submission_t { kind: 7, ..KERNEL };
    assert_eq!(bulk(tracker, &[KERNEL, wrong]), (RINGFENCE_INVALID_ARGUMENT, 0));
    assert_eq!(bulk(ringfence_tracker_t::default(), &[KERNEL]), (RINGFENCE_BAD_HANDLE, 0));
    assert_eq!(bulk(tracker, &[KERNEL; 3]), (RINGFENCE_OK, 3));
    bench.close();
}

#[test]
fn a_policy_is_filled_as_far_as_the_caller_has_it() {
    // One of a later version, with a field more; what lies behind it is somebody else's.
    const KNOWN: usize = size_of::<ringfence_policy_t>() / 8;
    let mut later = [7_u64; KNOWN + 2];
    let size = 8 * (KNOWN + 1);
    // SAFETY: so many bytes are there, and aligned.
    ok(unsafe { ringfence_policy_init(later.as_mut_ptr().cast(), size) });
    assert_eq!(later[0], size as u64);
    assert_eq!(later[KNOWN..], [0, 7], "what the library does not know is 0");
    assert_eq!(later[KNOWN - 1], 600_000_000_000, "the limit of a wait");
    let mut small = 7_u64;
    // SAFETY: the size is looked at before anything is written.
    let status = unsafe { ringfence_policy_init((&raw mut small).cast(), 8) };
    assert_eq!((status, small), (RINGFENCE_ABI_MISMATCH, 7));
    // SAFETY: NULL is looked at.
    let null = unsafe { ringfence_policy_init(std::ptr::null_mut(), size) };
    assert_eq!(null, RINGFENCE_INVALID_ARGUMENT);
}

#[test]
fn there_is_no_time_between_events_of_two_devices() {
    let one = Bench::new(12);
    let table = one.gpu.device_table(12); // the same number, as it may be of another backend's
    // SAFETY: the table is there, and its context lives for ever.
    let twin = out(|device| unsafe { ringfence_device_create(&raw const table, device) });
    // SAFETY: NULL is allowed.
    let there = out(|tracker| unsafe {
        ringfence_tracker_open(twin, one.queues[1], std::ptr::null(), tracker)
    });
    let [first, second] = [one.trackers[0], there].map(|tracker| {
        let timed = event(RINGFENCE_EVENT_KIND_PLAIN, 1);
        submit(tracker);
        ok(ringfence_event_record(timed, tracker, In::NULL, Out::NULL));
        ok(ringfence_event_synchronize(timed, u64::MAX));
        timed
    });
    let mut time = MaybeUninit::uninit();
    for (earlier, later) in [(first, second), (second, first)] {
        let status = ringfence_event_elapsed(earlier, later, to(&mut time));
        assert_eq!(status, RINGFENCE_OUT_OF_ORDER);
    }
    for one in [first, second] {
        ok(ringfence_event_destroy(one));
    }
    for tracker in [there, one.trackers[0], one.trackers[1]] {
        ok(ringfence_tracker_close(tracker));
    }
    ok(ringfence_device_close(twin));
}

#[test]
fn what_is_reserved_is_0_and_a_count_that_no_memory_has_room_for_is_refused() {
    let bench = Bench::new(35);
    let refused = |status, name: &str| {
        assert_eq!(status, RINGFENCE_INVALID_ARGUMENT, "{name}");
        assert!(message().contains(&format!("`{name}`")), "{}", message());
    };
    let tracker = bench.trackers[0];
    let wrong = ringfence_submission_t { reserved: 1, ..KERNEL };
    refused(ringfence_tracker_submit(tracker, at(&wrong), Out::NULL), "submission->reserved");
    let mut published = MaybeUninit::new(7);
    // SAFETY: the count is looked at before what is there.
    let status = unsafe {
        let (all, uses) = (&raw const wrong, std::ptr::null_mut());
        ringfence_tracker_submit_all(tracker, all, usize::MAX / 64, uses, to(&mut published))
    };
    refused(status, "submissions");
    // SAFETY: it was written.
    assert_eq!(unsafe { published.assume_init() }, 0, "told all the same");
    let mut policy = MaybeUninit::uninit();
    let size = size_of::<ringfence_policy_t>();
    // SAFETY: the structure is there, and its size is true.
    ok(unsafe { ringfence_policy_init(policy.as_mut_ptr(), size) });
    // SAFETY: a call that is fine writes its output.
    let policy: ringfence_policy_t = unsafe { policy.assume_init() };
    let open = |policy: ringfence_policy_t| {
        let mut opened = MaybeUninit::uninit();
        // SAFETY: the structure is there.
        unsafe {
            let place = to(&mut opened);
            ringfence_tracker_open(bench.device, bench.queues[0], &raw const policy, place)
        }
    };
    refused(open(ringfence_policy_t { reserved: 1, ..policy }), "policy->reserved");
    let large = ringfence_policy_t { ring_size: u32::MAX, ..policy };
    refused(open(large), "policy->ring_size");
    bench.close();
}

#[test]
fn a_tracker_is_abandoned_without_a_wait() {
    let bench = Bench::new(36);
    let [tracker, other] = bench.trackers;
    let done = event(RINGFENCE_EVENT_KIND_PLAIN, 0);
    bench.gpu.hold(); // nothing finishes from here on: a wait would last for ever
    ok(ringfence_event_record(done, tracker, In::NULL, Out::NULL));
    ok(ringfence_tracker_abandon(tracker));
    assert_eq!(ringfence_tracker_abandon(tracker), RINGFENCE_STALE_HANDLE);
    assert_eq!(super::query(done), RINGFENCE_EVENT_FAILED);
    ok(ringfence_event_destroy(done));
    bench.gpu.go_on();
    ok(ringfence_tracker_close(other));
    assert_eq!(bench.gpu.live.load(SeqCst), 1, "the one that the device may still write to");
}
