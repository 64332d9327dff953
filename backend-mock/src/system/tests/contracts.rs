use super::*;

#[test]
fn a_tame_device_is_prompt_and_a_held_one_moves_only_in_waits() {
    for (pace, value) in [(Pace::Chosen, 0), (Pace::Held, 1)] {
        let bench = Bench::new(pace);
        let signal = bench.signal(SignalMemory::Host);
        bench.submit(0, signal);
        assert_eq!(bench.device.load(signal).as_i64(), value, "{pace:?}");
        assert_eq!(bench.wait(signal, WaitHint::Active, SECOND), REACHED);
        assert_eq!(bench.device.load(signal), SignalValue::DONE);
    }
}

#[test]
fn reservations_are_consecutive_and_each_index_is_given_once() {
    let bench = Bench::new(Pace::Chosen);
    let three = PacketCount::new(NonZeroU32::new(3).unwrap());
    assert_eq!(bench.queue.reserve(three), PacketId::FIRST);
    assert_eq!(bench.queue.settled(), Settled::Reserving);
    assert_eq!(bench.queue.clone().reserve(PacketCount::ONE), PacketId::new(3));
    for at in 0..4 {
        bench.queue.commit(PacketId::new(at), &Packet::nothing());
    }
    bench.queue.ring_doorbell(PacketId::new(3));
    assert_eq!(bench.queue.settled(), Settled::Below(PacketId::new(4)));
}

#[test]
fn the_read_index_never_goes_back_and_never_passes_what_is_published() {
    for seed in 1..=10 {
        let hostile = Seeded::new(seed, Profile::Hostile.odds());
        let bench =
            Bench::on(MockSystem::new(hostile, Settings::default()), DeviceSettings::default());
        let (mut last, mut led, mut lagged) = (PacketId::FIRST, false, false);
        for published in 1..300u64 {
            bench.submit(0, SignalHandle::NULL);
            let read = bench.queue.read_index();
            assert!(read >= last && read.as_u64() <= published, "seed {seed}");
            last = read;
            let lane = bench.queue.lane();
            let complete =
                bench.system.with_model(|model| model.queue(lane).unwrap().complete_below());
            led |= read > complete;
            lagged |= read < complete;
        }
        assert!(led && lagged, "seed {seed}: a hostile read index does both");
    }
}

#[test]
fn a_full_ring_makes_the_reservation_wait_for_its_slots_alone() {
    let mut settings = Settings { pace: Pace::Held, ..Settings::default() };
    settings.quotas.ring_slots = 4;
    let bench = Bench::on(MockSystem::new(Scripted::tame(), settings), DeviceSettings::default());
    for _ in 0..20 {
        bench.submit(100, SignalHandle::NULL);
    }
    assert_eq!(bench.device.counts().ring_full, 16);
    assert_eq!(bench.system.violations(), []);
}

#[test]
fn a_wait_ends_at_its_limit_when_nothing_can_finish() {
    let bench = Bench::new(Pace::Held);
    let signal = bench.signal(SignalMemory::Host);
    let of = bench.submit(0, signal);
    bench.system.stall(of);
    let before = bench.system.now();
    assert_eq!(bench.wait(signal, WaitHint::Active, SECOND), WaitOutcome::TimedOut);
    assert!(bench.system.now().since(before) >= SECOND);
    bench.system.resume(of);
    assert_eq!(bench.wait(signal, WaitHint::Active, SECOND), REACHED);
}

#[test]
fn a_wait_on_a_lost_device_ends_at_once() {
    let bench = Bench::new(Pace::Held);
    let signal = bench.signal(SignalMemory::Host);
    bench.submit(0, signal);
    bench.device.lose();
    let before = bench.system.now();
    assert_eq!(bench.wait(signal, WaitHint::Blocked, SECOND), WaitOutcome::Lost);
    assert!(bench.system.now().since(before) < Duration::from_millis(100));
    let mut one = [SignalHandle::NULL];
    assert_eq!(bench.device.create(SignalMemory::Host, &mut one), Err(CreateError::DeviceLost));
}

#[test]
fn copies_complete_signals_only_where_their_engine_can_decrement() {
    for allowed in [false, true] {
        let mut settings = DeviceSettings::default();
        settings.capabilities.features.set(Features::DEVICE_SIGNALS_ON_COPIES, allowed);
        let bench = Bench::with(Pace::Chosen, settings);
        let engine = bench.device.add_copy_engine();
        let signal = bench.signal(SignalMemory::Device);
        let taken =
            engine.submit(engine.reserve(), PartIndex::new(0), CopyWork::default(), signal, &[]);
        assert_eq!(taken, if allowed { Ok(()) } else { Err(CopyRefused::SignalMemory) });
    }
}

#[test]
fn handlers_fire_once_after_the_value_or_the_loss_was_seen() {
    let bench = Bench::new(Pace::Held);
    let (done, lost) =
        (bench.signal(SignalMemory::Interrupt), bench.signal(SignalMemory::Interrupt));
    let of = bench.submit(0, done);
    bench.submit(0, lost);
    bench.device.watch(done, HandlerToken::new(1)).expect("it wakes");
    bench.device.watch(lost, HandlerToken::new(2)).expect("it wakes");
    assert_eq!(bench.system.deliver(|_| panic!("nothing is done")), 0);
    bench.system.finish(of).expect("legal");
    let mut called = Vec::new();
    assert_eq!(bench.system.deliver(|token| called.push(token.as_u64())), 1);
    bench.device.lose();
    assert_eq!(bench.system.deliver(|token| called.push(token.as_u64())), 1);
    assert_eq!((called, bench.system.handlers()), (vec![1, 2], 0));
}

#[test]
fn handlers_need_a_signal_that_wakes() {
    let bench = Bench::new(Pace::Held);
    let token = HandlerToken::new(1);
    let refused = |memory| bench.device.watch(bench.signal(memory), token).err();
    assert_eq!(refused(SignalMemory::Host), Some(HandlerRefused::NoInterrupt));
    assert_eq!(refused(SignalMemory::Device), Some(HandlerRefused::DeviceMemory));
    assert_eq!(refused(SignalMemory::Interrupt), None);
}

#[test]
fn a_script_is_told_why_a_move_is_impossible() {
    use crate::model::Blocked;
    let bench = Bench::new(Pace::Held);
    let dep = bench.signal(SignalMemory::Host);
    let first = bench.submit(0, dep);
    let at = bench.queue.reserve(PacketCount::ONE);
    let body = Body::And(Deps::take(&[dep]).0);
    bench.queue.commit(at, &Packet { body, ..Packet::nothing() });
    bench.queue.ring_doorbell(at);
    let waits = UseId::new(bench.queue.lane(), at);
    let value = SignalValue::ARMED;
    assert_eq!(bench.system.finish(waits), Err(Blocked::WaitsFor { signal: dep, value }));
    assert_eq!(bench.system.with_model(|model| model.state(first)), PacketState::Active);
    assert_eq!(bench.system.complete(waits), Completion::Done);
    assert_eq!(bench.system.run_until_idle(), 0);
}
