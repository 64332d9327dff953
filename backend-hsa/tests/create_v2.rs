//! `hsa_amd_signal_create_v2`, which no packaged runtime has: a stub (`create_v2/stub.c`) puts it above the one of this machine.

mod support;

use std::sync::OnceLock;

use ringfence::{
    backend::*,
    drive::*,
    error::HandlerRefused,
    event::*,
    id::*,
    placement::{DeviceSignals, EventPlacement},
    wait::WaitPolicy,
};
use ringfence_hsa::{
    CopyWork, DeviceMemory, MemoryPlace,
    sys::{
        SIGNAL_CREATE_DEVICE_MEM_VALUE_WORD, SignalCreateDesc, hsa_agent_t, hsa_signal_t,
        hsa_status_t,
    },
};
use support::{Gpu, barrier, done, layer::Layer};

/// The stub.
struct Stub(Layer);

fn stub(test: &str) -> Option<&'static Stub> {
    static STUB: OnceLock<Option<Stub>> = OnceLock::new();
    STUB.get_or_init(|| Layer::open(test, "tests/create_v2/stub.c").map(Stub)).as_ref()
}

impl Stub {
    fn number(&self, question: &str) -> u32 {
        // SAFETY: the stub's questions have this type.
        let question =
            unsafe { self.0.questions.get::<extern "C" fn() -> u32>(question.as_bytes()) };
        question.expect("the stub has it")()
    }

    fn fail_every(&self, count: u32) {
        // SAFETY: the stub's function has this type.
        let set = unsafe { self.0.questions.get::<extern "C" fn(u32)>(b"stub_fail_every") };
        set.expect("the stub has it")(count);
    }
}

#[test]
fn signals_come_in_batches_and_in_part() {
    let name = "signals_come_in_batches_and_in_part";
    let Some(stub) = stub(name) else { return };
    let gpu = Gpu::open_with(name, stub.0.runtime);
    if gpu.device.facts().device_memory() == DeviceMemory::NoLargeBar {
        return support::skipped("no large BAR");
    }
    assert_eq!(gpu.device.facts().device_memory(), DeviceMemory::ByRuntime);
    let (calls, live) = (stub.number("stub_calls"), stub.number("stub_live"));
    let mut batch = [SignalHandle::NULL; 64];
    let created = gpu.device.create(SignalMemory::Device, &mut batch).expect("signals");
    assert_eq!(created, Created { count: 64, memory: SignalMemory::Device });
    assert_eq!(stub.number("stub_calls") - calls, 1, "one call for a batch");
    batch.iter().for_each(|signal| gpu.device.destroy(*signal));
    // In part: those that were made are all at the front.
    stub.fail_every(7);
    batch.fill(SignalHandle::NULL);
    let created = gpu.device.create(SignalMemory::Device, &mut batch).expect("some");
    assert_eq!(created, Created { count: 64 - 9, memory: SignalMemory::Device });
    let made: std::collections::HashSet<_> = batch[..created.count].iter().copied().collect();
    assert!(made.len() == created.count && !made.contains(&SignalHandle::NULL));
    made.iter().for_each(|signal| assert_eq!(gpu.device.load(*signal), SignalValue::ARMED));
    made.iter().for_each(|signal| gpu.device.destroy(*signal));
    // None: host memory instead, and it says so.
    stub.fail_every(1);
    let created = gpu.device.create(SignalMemory::Device, &mut batch).expect("host memory");
    assert_eq!(created, Created { count: 64, memory: SignalMemory::Host });
    batch.iter().for_each(|signal| gpu.device.destroy(*signal));
    stub.fail_every(0);
    assert_eq!(stub.number("stub_live"), live, "left over in the stub");
}

#[test]
fn a_device_signal_meets_no_call_that_does_not_take_it() {
    let name = "a_device_signal_meets_no_call_that_does_not_take_it";
    let Some(stub) = stub(name) else { return };
    let gpu = Gpu::open_with(name, stub.0.runtime);
    if gpu.device.facts().device_memory() != DeviceMemory::ByRuntime {
        return support::skipped(gpu.device.facts().device_memory());
    }
    let (live, refused) = (stub.number("stub_live"), stub.number("stub_refused"));
    let (cell, end) = (gpu.signal(SignalMemory::Device), gpu.signal(SignalMemory::Host));
    for _ in 0..100 {
        gpu.submit(&barrier(Deps::NONE, cell));
        gpu.submit(&barrier(Deps::take(&[cell]).0, end));
        assert_eq!(done(&gpu.device, end), SignalValue::DONE);
        assert_eq!(done(&gpu.device, cell), SignalValue::DONE);
        let raw = gpu.device.timestamps(cell, Engine::Compute);
        assert!(ringfence::timing::Interval::new(raw, gpu.device.tick_rate()).is_some());
        gpu.device.arm(cell, SignalValue::ARMED);
        gpu.device.arm(end, SignalValue::ARMED);
        gpu.device.flush();
    }
    gpu.device.force(cell);
    let watched = gpu.device.watch(cell, HandlerToken::new(1));
    assert_eq!(watched, Err(HandlerRefused::DeviceMemory));
    let engine = gpu.device.copy_engine().expect("a copy engine");
    let buffer = gpu.device.allocate(MemoryPlace::Host, 64).expect("memory");
    // SAFETY: the buffer lives until the end of the test, and the copy is refused.
    let copy = unsafe { CopyWork::new(buffer.place(0), buffer.place(32), 32) };
    let taken = engine.submit(engine.reserve(), PartIndex::new(0), copy, cell, &[]);
    assert_eq!(taken, Err(CopyRefused::SignalMemory));
    gpu.device.destroy(cell);
    gpu.device.destroy(end);
    let policy = Policy {
        device_signals: DeviceSignals::On,
        events: EventPlacement::Device,
        ..Policy::default()
    };
    let queue = HardwareQueue::new(gpu.queue.clone());
    let mut stream = Tracker::open(gpu.device.clone(), queue, policy).expect("a tracker");
    let mut event = Event::new(EventOptions::default());
    for _ in 0..300 {
        stream
            .submit(Submission::kernel(gpu.device.empty_kernel().expect("a kernel")))
            .expect("room");
        event.record(&mut stream).expect("a record");
        event.synchronize(&gpu.device, &WaitPolicy::default()).expect("the end");
    }
    drop(event);
    stream.close().expect("closed");
    assert_eq!(stub.number("stub_live"), live, "left over in the stub");
    assert_eq!(stub.number("stub_refused"), refused, "a call that does not take device signals");
}

/// The stub can refuse: otherwise the tests above would show nothing.
#[test]
fn the_stub_enforces_its_header() {
    let name = "the_stub_enforces_its_header";
    let Some(stub) = stub(name) else { return };
    let gpu = Gpu::open_with(name, stub.0.runtime);
    let create = stub.0.runtime.signal_create_v2().expect("the stub has it");
    let nobody = [hsa_agent_t { handle: 0 }];
    let good = SignalCreateDesc {
        version: 1,
        flags: SIGNAL_CREATE_DEVICE_MEM_VALUE_WORD,
        reserved_header: [0; 4],
        initial_value: 1,
        attributes: 0,
        num_consumers: 1,
        reserved_count: 0,
        consumers: nobody.as_ptr(),
        signal: hsa_signal_t { handle: 5 },
        reserved: [0; 2],
    };
    let bad = [
        SignalCreateDesc { version: 2, ..good },
        SignalCreateDesc { flags: 3, ..good },
        SignalCreateDesc { attributes: 4, ..good },
        SignalCreateDesc { reserved: [0, 1], ..good },
        SignalCreateDesc { num_consumers: 0, ..good },
        good, // the null agent is no GPU
    ];
    for mut desc in bad {
        // SAFETY: one descriptor, with one consumer where it says so.
        let status = unsafe { create(&raw mut desc, 1) };
        assert_eq!(status, hsa_status_t::HSA_STATUS_ERROR_INVALID_ARGUMENT, "{desc:?}");
        assert_eq!(desc.signal.handle, 0);
    }
    drop(gpu);
}
