//! `hsa_amd_signal_create_v2`, which no packaged runtime has: a stub (`create_v2/stub.c`) puts it above the one of this machine.

mod support;

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

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
        Library, SIGNAL_CREATE_DEVICE_MEM_VALUE_WORD, SignalCreateDesc, hsa_agent_t, hsa_signal_t,
        hsa_status_t,
    },
};
use support::{Gpu, barrier, done};

/// The stub, loaded twice: as a runtime, and for the questions that tests ask it.
struct Stub {
    runtime: &'static Library,
    questions: libloading::Library,
}

fn stub(test: &str) -> Option<&'static Stub> {
    static STUB: OnceLock<Option<Stub>> = OnceLock::new();
    let stub = STUB.get_or_init(build).as_ref();
    if stub.is_none() {
        let required = std::env::var_os("RINGFENCE_REQUIRE_ROCM").is_some_and(|one| one == "1");
        assert!(!required, "{test}: a runtime and a C compiler are required");
        support::skipped(format_args!("{test}: it takes a runtime and a C compiler (cc)"));
    }
    stub
}

fn build() -> Option<Stub> {
    Library::load().ok()?;
    let runtime = loaded_runtime()?;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/create_v2/stub.c");
    let name = format!("libringfence_create_v2_stub_{}.so", std::process::id());
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut cc = Command::new("cc");
    // Loaders of another C library than this machine's hand their search path down, which no compiler is to use.
    cc.env_remove("LD_LIBRARY_PATH").env_remove("LD_PRELOAD");
    cc.args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-Wno-pedantic", "-o"]);
    cc.args([&library, &source]).args(["-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined"]);
    cc.arg(&runtime).arg("-ldl");
    assert!(cc.status().ok()?.success(), "the stub does not compile");
    let runtime = Library::load_from([&library]).expect("the stub needs the runtime");
    // SAFETY: the stub has no initialisers.
    let questions = unsafe { libloading::Library::new(&library) }.expect("it was loaded before");
    std::fs::remove_file(&library).expect("it is loaded");
    Some(Stub { runtime, questions })
}

/// The file that this process has the runtime from.
fn loaded_runtime() -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let path = maps.lines().filter_map(|line| line.split_once('/')).map(|(_, path)| path);
    path.map(|path| Path::new("/").join(path)).find(|path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libhsa-runtime64"))
    })
}

impl Stub {
    fn number(&self, question: &str) -> u32 {
        // SAFETY: the stub's questions have this type.
        let question = unsafe { self.questions.get::<extern "C" fn() -> u32>(question.as_bytes()) };
        question.expect("the stub has it")()
    }

    fn fail_every(&self, count: u32) {
        // SAFETY: the stub's function has this type.
        let set = unsafe { self.questions.get::<extern "C" fn(u32)>(b"stub_fail_every") };
        set.expect("the stub has it")(count);
    }
}

#[test]
fn signals_come_in_batches_and_in_part() {
    let name = "signals_come_in_batches_and_in_part";
    let Some(stub) = stub(name) else { return };
    let gpu = Gpu::open_with(name, stub.runtime);
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
    let gpu = Gpu::open_with(name, stub.runtime);
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
    let gpu = Gpu::open_with(name, stub.runtime);
    let create = stub.runtime.signal_create_v2().expect("the stub has it");
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
