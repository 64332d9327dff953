use super::*;
use crate::cost::Costs;

#[test]
fn kernels_take_their_ticks_at_every_rate() {
    for rate in [DeviceSettings::MHZ_25, DeviceSettings::MHZ_100, DeviceSettings::GHZ_1] {
        let bench =
            Bench::with(Pace::Chosen, DeviceSettings { tick_rate: rate, ..Default::default() });
        let signal = bench.signal(SignalMemory::Host);
        bench.submit(1_000, signal);
        assert_eq!(bench.device.load(signal), SignalValue::ARMED, "its time is not over");
        assert_eq!(bench.wait(signal, WaitHint::Active, SECOND), REACHED);
        let raw = bench.device.timestamps(signal, Engine::Compute);
        let interval = ringfence::timing::Interval::new(raw, rate).expect("honest stamps");
        let ticks = interval.end() - interval.start();
        // A start between two ticks of a slow clock costs at most one.
        assert!((1_000..=1_001).contains(&ticks), "{ticks} at {rate:?}");
    }
}

#[test]
fn an_active_phase_may_be_too_short_and_the_next_one_sees_the_end() {
    let bench = Bench::new(Pace::Chosen);
    let signal = bench.signal(SignalMemory::Interrupt);
    bench.submit(100_000, signal); // a millisecond
    let window = Duration::from_micros(100);
    assert_eq!(bench.wait(signal, WaitHint::Active, window), WaitOutcome::TimedOut);
    assert_eq!(bench.wait(signal, WaitHint::Blocked, SECOND), REACHED);
    assert_eq!(bench.system.violations(), []);
}

#[test]
fn calls_cost_what_the_model_says() {
    let bench = Bench::new(Pace::Held);
    let costs = Costs::MI300X;
    let (host, device) = (bench.signal(SignalMemory::Host), bench.signal(SignalMemory::Device));
    let before = bench.system.host_time();
    bench.device.load(host);
    bench.device.load(device);
    bench.device.flush();
    let spent = bench.system.host_time().calls - before.calls;
    assert_eq!(spent, costs.load_host + costs.load_device + costs.flush);
    assert_eq!(bench.system.host_time().waits, Duration::ZERO);
}

#[test]
fn a_dependency_in_host_memory_slows_its_consumer() {
    let took = |memory| {
        let bench = Bench::new(Pace::Held);
        let (dep, done) = (bench.signal(memory), bench.signal(SignalMemory::Host));
        bench.submit(0, dep);
        let at = bench.queue.reserve(PacketCount::ONE);
        let body = Body::And(Deps::take(&[dep]).0);
        bench.queue.commit(at, &Packet { body, completes: done, ..Packet::nothing() });
        bench.queue.ring_doorbell(at);
        let before = bench.system.now();
        assert_eq!(bench.wait(done, WaitHint::Active, SECOND), REACHED);
        bench.system.now().since(before)
    };
    assert_eq!(took(SignalMemory::Host), took(SignalMemory::Device) + Costs::MI300X.gpu_poll_host);
}

#[test]
fn counts_say_what_was_called() {
    let bench = Bench::new(Pace::Chosen);
    let (host, device) = (bench.signal(SignalMemory::Host), bench.signal(SignalMemory::Device));
    bench.submit(0, host);
    bench.submit(0, device);
    for signal in [host, device, device] {
        bench.device.load(signal);
    }
    bench.device.arm(device, SignalValue::ARMED);
    bench.device.publish_stores();
    bench.device.flush();
    bench.queue.read_index();
    let counts = bench.system.counts();
    assert_eq!(counts, bench.device.counts());
    assert_eq!(
        (counts.loads.of(SignalMemory::Device), counts.loads.of(SignalMemory::Host)),
        (2, 1)
    );
    assert_eq!((counts.packets, counts.doorbells, counts.read_indices), (2, 2, 1));
    assert_eq!((counts.arms.total(), counts.publish_stores, counts.flushes), (1, 1, 1));
    assert_eq!((counts.created.total(), counts.device_reads()), (2, 2));
}

#[test]
fn the_trace_keeps_its_length_and_its_numbers() {
    let mut settings = Settings { pace: Pace::Held, ..Settings::default() };
    settings.trace = TraceLength::Last(3);
    let bench = Bench::on(MockSystem::new(Scripted::tame(), settings), DeviceSettings::default());
    for _ in 0..5 {
        bench.submit(0, SignalHandle::NULL);
    }
    let lines = bench.system.whole_trace();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[2], "    15  doorbell q0g0#4");
}

#[test]
fn events_of_two_devices_have_no_time_between_them() {
    use ringfence::{
        drive::{HardwareQueue, Policy, Tracker},
        event::{Event, EventOptions},
        ring::Timing,
        wait::WaitPolicy,
    };
    let system = MockSystem::new(Seeded::new(1, Profile::Tame.odds()), Settings::default());
    let devices = [(); 2].map(|()| system.add_device(DeviceSettings::default()));
    let timed = EventOptions { timing: Timing::Wanted, ..EventOptions::default() };
    let [[first, later], [other, _]] = devices.each_ref().map(|device| {
        let queue = HardwareQueue::new(device.add_queue());
        let mut stream =
            Tracker::open(device.clone(), queue, Policy::default()).expect("signals can be made");
        let events = [(); 2].map(|()| {
            let mut event = Event::new(timed);
            event.record(&mut stream).expect("a healthy device");
            event.synchronize(device, &WaitPolicy::default()).expect("a healthy device");
            event
        });
        stream.close().expect("nothing is in flight");
        events
    });
    assert!(first.elapsed_to(&later, &devices[0]).is_some(), "one clock");
    assert_eq!(first.elapsed_to(&other, &devices[0]), None, "two clocks");
    assert_eq!(other.elapsed_to(&first, &devices[1]), None, "two clocks");
}
