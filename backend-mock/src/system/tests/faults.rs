use super::*;
use crate::{
    faults::{CreationFault, Nth},
    stamps::Stamping,
};

fn third() -> Nth {
    Nth::new(NonZeroU32::new(3).unwrap())
}

#[test]
fn a_creation_that_fails_makes_the_batch_partial_or_an_error() {
    let bench = Bench::new(Pace::Chosen);
    bench.system.fail_creation(third(), CreationFault::Fails);
    let mut batch = [SignalHandle::NULL; 4];
    let created = bench.device.create(SignalMemory::Device, &mut batch);
    assert_eq!(created, Ok(Created { count: 2, memory: SignalMemory::Device }));
    assert!(!batch[1].is_null() && batch[2].is_null());
    bench.system.fail_creation(Nth::NEXT, CreationFault::Fails);
    let created = bench.device.create(SignalMemory::Device, &mut batch);
    assert_eq!(created, Err(CreateError::OutOfMemory));
    let created = bench.device.create(SignalMemory::Device, &mut batch);
    assert_eq!(created, Ok(Created { count: 4, memory: SignalMemory::Device }));
}

#[test]
fn a_creation_may_succeed_with_the_null_handle() {
    let bench = Bench::new(Pace::Chosen);
    bench.system.fail_creation(third(), CreationFault::NullHandle);
    let mut batch = [SignalHandle::new(77); 4];
    let created = bench.device.create(SignalMemory::Host, &mut batch);
    assert_eq!(created, Ok(Created { count: 4, memory: SignalMemory::Host }));
    assert_eq!(batch.map(SignalHandle::is_null), [false, false, true, false]);
}

#[test]
fn a_creation_may_fall_back_to_host_memory_as_a_whole() {
    let bench = Bench::new(Pace::Chosen);
    let mut batch = [SignalHandle::NULL; 4];
    bench.system.fail_creation(Nth::NEXT, CreationFault::FallsBack);
    let created = bench.device.create(SignalMemory::Device, &mut batch);
    assert_eq!(created, Ok(Created { count: 4, memory: SignalMemory::Host }));
    bench.system.fail_creation(third(), CreationFault::FallsBack);
    let created = bench.device.create(SignalMemory::Device, &mut batch);
    assert_eq!(created, Ok(Created { count: 2, memory: SignalMemory::Device }));
}

#[test]
fn interrupts_run_out_and_come_back_when_signals_are_destroyed() {
    let mut settings = Settings::default();
    settings.quotas.interrupts = 3;
    let bench = Bench::on(MockSystem::new(Scripted::tame(), settings), DeviceSettings::default());
    let mut batch = [SignalHandle::NULL; 4];
    let memory = SignalMemory::Interrupt;
    assert_eq!(bench.device.create(memory, &mut batch), Ok(Created { count: 3, memory }));
    assert_eq!(bench.device.create(memory, &mut batch), Err(CreateError::NoInterrupts));
    bench.device.destroy(batch[0]);
    assert_eq!(bench.device.create(memory, &mut batch), Ok(Created { count: 1, memory }));
}

#[test]
fn what_the_device_has_not_is_not_created() {
    let mut settings = DeviceSettings::default();
    settings.capabilities.features = Features::LARGE_BAR;
    let bench = Bench::with(Pace::Chosen, settings);
    let mut one = [SignalHandle::NULL];
    for memory in [SignalMemory::Device, SignalMemory::Interrupt] {
        assert_eq!(bench.device.create(memory, &mut one), Err(CreateError::Unsupported));
    }
}

#[test]
fn a_part_is_refused_once() {
    let bench = Bench::new(Pace::Held);
    let engine = bench.device.add_copy_engine();
    let signal = bench.signal(SignalMemory::Host);
    bench.system.refuse_part(PartIndex::new(0));
    let submit =
        || engine.submit(engine.reserve(), PartIndex::new(0), CopyWork::default(), signal, &[]);
    assert_eq!(submit(), Err(CopyRefused::Failed));
    assert_eq!(submit(), Ok(()));
    assert_eq!(bench.system.violations(), []);
}

#[test]
fn timestamps_are_written_as_asked_and_late_ones_come_with_the_next_move() {
    let written = |how: Stamping| {
        let bench = Bench::new(Pace::Held);
        let signal = bench.signal(SignalMemory::Host);
        bench.system.stamp_next([how]);
        bench.submit(10, signal);
        assert_eq!(bench.wait(signal, WaitHint::Active, SECOND), REACHED);
        let raw = bench.device.timestamps(signal, Engine::Compute);
        let interval = ringfence::timing::Interval::new(raw, bench.device.tick_rate());
        (bench, signal, interval)
    };
    assert_eq!(
        written(Stamping::Honest).2.map(|interval| interval.end() - interval.start()),
        Some(10)
    );
    for how in [Stamping::Zero, Stamping::Reversed, Stamping::NoStart] {
        assert_eq!(written(how).2, None, "{how:?}");
    }
    let (bench, signal, interval) = written(Stamping::Late);
    assert_eq!(interval, None);
    bench.submit(0, SignalHandle::NULL);
    bench.system.run_until_idle();
    let raw = bench.device.timestamps(signal, Engine::Compute);
    assert!(ringfence::timing::Interval::new(raw, bench.device.tick_rate()).is_some());
}

#[test]
fn copy_engines_write_their_timestamps_elsewhere() {
    let bench = Bench::new(Pace::Held);
    let engine = bench.device.add_copy_engine();
    let signal = bench.signal(SignalMemory::Host);
    let part = PartIndex::new(0);
    engine
        .submit(engine.reserve(), part, CopyWork::new(Ticks::new(5)), signal, &[])
        .expect("taken");
    assert_eq!(bench.wait(signal, WaitHint::Active, SECOND), REACHED);
    let interval = |engine| {
        let raw = bench.device.timestamps(signal, engine);
        ringfence::timing::Interval::new(raw, bench.device.tick_rate())
    };
    assert_eq!(interval(Engine::Compute), None);
    assert_eq!(interval(Engine::Copy).map(|interval| interval.end() - interval.start()), Some(5));
}

#[test]
fn a_lost_interrupt_costs_time_but_no_wait() {
    let waited = |lose: u32| {
        let bench = Bench::new(Pace::Held);
        let signal = bench.signal(SignalMemory::Interrupt);
        bench.submit(10, signal);
        bench.system.lose_interrupts(lose);
        let before = bench.system.now();
        assert_eq!(bench.wait(signal, WaitHint::Blocked, SECOND), REACHED);
        bench.system.now().since(before)
    };
    assert!(waited(1) > waited(0) + Duration::from_millis(3));
}

#[test]
fn a_decrement_too_many_shows() {
    let bench = Bench::new(Pace::Held);
    let signal = bench.signal(SignalMemory::Host);
    let of = bench.submit(0, signal);
    bench.system.finish(of).expect("legal");
    bench.system.late_decrement(signal);
    assert_eq!(bench.device.load(signal), SignalValue::new(-1));
}

#[test]
fn a_device_cell_that_is_armed_and_not_flushed_loses_the_decrement_of_its_next_use() {
    let bench = Bench::new(Pace::Chosen);
    let signal = bench.signal(SignalMemory::Device);
    bench.submit(0, signal);
    assert_eq!(bench.wait(signal, WaitHint::Active, SECOND), REACHED);
    bench.device.arm(signal, SignalValue::ARMED);
    bench.submit(0, signal);
    bench.device.flush();
    assert_eq!(bench.wait(signal, WaitHint::Active, SECOND), WaitOutcome::TimedOut);
    let rules: Vec<_> = bench.system.violations().iter().map(|found| found.rule).collect();
    assert_eq!(rules, [Rule::S10, Rule::S14], "the cause first, then the wait that cannot end");
}
