//! M2, M9, M10, M17-M20: handles, destruction, stale use, creation, the states of the driver.

use std::time::Duration;

use super::*;

#[test]
fn m2_the_address_just_destroyed_comes_back() {
    for &profile in P::ALL {
        let mut bench = Bench::new(profile);
        let (first, other) = (bench.stream(), bench.stream());
        assert_ne!(first, other);
        bench.call(|model| model.destroy(CAPTURER, first)).expect("it exists");
        assert_eq!(bench.stream(), first, "{profile}");
        let event = bench.event();
        bench.model.destroy_event(CAPTURER, event);
        assert_eq!(bench.event(), event, "{profile}: and an event's");
    }
}

#[test]
fn m9_destroy_waits_or_detaches() {
    for (profile, waits, locked_out) in [
        (P::Hip52, 30, 30),
        (P::Hip57, 30, 0),
        (P::Clr2024, 30, 0),
        (P::ClrNew, 30, 0),
        (P::Cuda, 0, 0),
    ] {
        let mut bench = Bench::new(profile);
        let stream = bench.stream();
        let op = bench.run(stream, 30);
        bench.call(|model| model.destroy(OTHER, stream)).expect("it exists");
        assert_eq!(bench.model.now().count(), waits, "{profile}");
        let out = Duration::from_micros(locked_out);
        assert_eq!(bench.model.counts().locked_out, out, "{profile}");
        bench.tick(30);
        assert!(bench.model.take_moves().contains(&DeviceMove::Finished(op)), "{profile}");
    }
}

#[test]
fn m9_a_destroy_that_waits_for_ever_is_told() {
    for &profile in P::ALL {
        let mut bench = Bench::new(profile);
        let stream = bench.stream();
        bench.endless(stream);
        let destroyed = bench.call(|model| model.destroy(OTHER, stream));
        let detaches = profile == P::Cuda;
        assert_eq!((destroyed.is_ok(), bench.crashed()), (detaches, !detaches), "{profile}");
    }
}

#[test]
fn m9_the_default_streams_are_nobodys_to_destroy() {
    for &profile in P::ALL {
        let mut bench = Bench::new(profile);
        for raw in [0, 2] {
            let destroyed = bench.model.destroy(OTHER, RawStream::new(raw));
            assert_eq!(destroyed, Err(code::INVALID_HANDLE), "{profile}");
        }
    }
}

#[test]
fn m10_stale_handles() {
    let (destroyed, invalid, value) = (code::DESTROYED, code::INVALID_HANDLE, code::INVALID_VALUE);
    // Query, status, wait, free; then which of launch, record, query crash.
    for (profile, errors, crashes) in [
        (P::Hip52, [destroyed, value, destroyed, value], [true, true, false]),
        (P::Hip57, [destroyed, destroyed, invalid, value], [true, false, false]),
        (P::Clr2024, [destroyed, destroyed, invalid, value], [true, false, false]),
        (P::ClrNew, [destroyed, destroyed, destroyed, value], [true, true, true]),
        (P::Cuda, [invalid; 4], [false, false, false]),
    ] {
        let fresh = || {
            let mut bench = Bench::new(profile);
            let (stream, other) = (bench.stream(), bench.stream());
            let (event, memory) = (bench.event(), bench.memory(other));
            bench.call(|model| model.destroy(CAPTURER, stream)).expect("it exists");
            (bench, stream, event, memory)
        };
        let (mut bench, stream, event, memory) = fresh();
        assert_eq!(bench.query(stream), StreamState::Failed(errors[0]), "{profile}");
        assert_eq!(bench.status(stream), CaptureStatus::Unknown(errors[1]), "{profile}");
        assert_eq!(bench.wait(stream, event), Err(errors[2]), "{profile}");
        assert_eq!(bench.free(memory, stream), Err(errors[3]), "{profile}");
        assert_eq!(bench.crashed(), crashes[2], "{profile}");
        let (mut bench, stream, event, _) = fresh();
        assert!(bench.try_run(stream, 1).is_err());
        assert_eq!(bench.crashed(), crashes[0], "{profile}: launch");
        let (mut bench, stream, _, _) = fresh();
        assert!(bench.model.record(CAPTURER, event, stream).is_err());
        assert_eq!(bench.crashed(), crashes[1], "{profile}: record");
    }
}

#[test]
fn m17_creation_costs_more_with_live_streams_where_that_was_seen() {
    for &profile in P::ALL {
        let mut bench = Bench::new(profile);
        let cost = |bench: &mut Bench| {
            let before = bench.model.account(CAPTURER);
            bench.stream();
            bench.model.account(CAPTURER) - before
        };
        let first = cost(&mut bench);
        for _ in 0..999 {
            bench.stream();
        }
        let grows = matches!(profile, P::Hip64 | P::Clr2024 | P::ClrNew);
        let more = if grows { Duration::from_millis(5) } else { Duration::ZERO };
        assert_eq!(cost(&mut bench), first + more, "{profile}");
        assert_eq!(bench.model.account(OTHER), Duration::ZERO, "only the creator pays");
        assert_eq!(bench.model.now(), Ticks::ZERO);
    }
}

#[test]
fn m17_creation_fails_at_n_and_at_the_kth_call() {
    let mut bench = Bench::new(P::Clr2024);
    bench.model.fail_at_live(NonZeroU32::new(2));
    bench.model.plan_fault(CallKind::Create, 1, code::LOST);
    let first = bench.stream();
    assert_eq!(bench.model.create(CAPTURER, key()), Err(code::LOST), "the second call");
    bench.stream();
    assert_eq!(bench.model.create(CAPTURER, key()), Err(code::OUT_OF_MEMORY));
    bench.call(|model| model.destroy(CAPTURER, first)).expect("it exists");
    bench.stream();
    assert_eq!(bench.model.counts().live, 2);
    assert_eq!(P::Clr2024.live_limit().map(NonZeroU32::get), Some(4_000));
}

#[test]
fn host_memory_is_given_back_or_leaked() {
    for &profile in P::ALL {
        let mut bench = Bench::new(profile);
        let keeper = bench.stream();
        let before = bench.model.counts().host_bytes;
        for _ in 0..10 {
            let stream = bench.stream();
            bench.call(|model| model.destroy(CAPTURER, stream)).expect("it exists");
        }
        let leaks = profile.rules().host_memory == HostMemory::Leaked;
        assert_eq!(leaks, profile == P::ClrNew);
        // Hardware queues that were made since stay, but on HIP 5.2.
        let made = bench.model.queues.len() as u64 - 1;
        let made = if profile == P::Hip52 { 0 } else { made };
        let queues = profile.queue_bytes().times(made).as_u64();
        let streams = if leaks { profile.host_bytes().times(10).as_u64() } else { 0 };
        let now = bench.model.counts().host_bytes;
        assert_eq!(now.as_u64() - before.as_u64(), streams + queues, "{profile}");
        assert_eq!(bench.query(keeper), StreamState::Idle);
    }
}

#[test]
fn m18_to_m20_a_driver_that_may_not_be_called() {
    type Change = fn(&mut Model);
    let changes: [(Change, DriverState, bool); 3] = [
        (Model::lose_device, DriverState::Lost, false),
        (Model::fork, DriverState::Forked, true),
        (Model::begin_exit, DriverState::ShuttingDown, true),
    ];
    for (change, state, crashes) in changes {
        let mut bench = Bench::new(P::Hip57);
        let stream = bench.stream();
        bench.run(stream, 10);
        change(&mut bench.model);
        assert_eq!(bench.model.state(), state);
        assert!(bench.model.create(CAPTURER, key()).is_err());
        assert!(matches!(bench.query(stream), StreamState::Failed(_)));
        assert_eq!(bench.crashed(), crashes, "{state:?}");
        Model::lose_device(&mut bench.model);
        assert_eq!(bench.model.state(), state, "it never changes again");
    }
}

#[test]
fn m18_nothing_ends_on_a_lost_device() {
    let mut bench = Bench::new(P::Hip57);
    let stream = bench.stream();
    let op = bench.run(stream, 10);
    bench.model.lose_device();
    bench.tick(100);
    let moves = bench.model.take_moves();
    assert_eq!(moves, [DeviceMove::Started(op), DeviceMove::Lost]);
}

#[test]
fn a_reset_destroys_all_streams_of_the_device_behind_ones_back() {
    for &profile in P::ALL {
        let mut bench = Bench::new(profile);
        let elsewhere = StreamKey::new(DeviceContext::primary(DeviceId::new(1)));
        let (stream, spared) = (bench.stream(), bench.create(elsewhere));
        let memory = bench.memory(stream);
        bench.run(stream, 10);
        bench.call(|model| model.device_reset(OTHER, DEVICE)).expect("it may be called");
        assert_eq!(bench.model.now().count(), 10, "{profile}: it waits");
        assert!(matches!(bench.query(stream), StreamState::Failed(_)), "{profile}");
        assert_eq!(bench.query(spared), StreamState::Idle, "{profile}");
        assert!(!bench.exists(memory), "{profile}");
    }
}
