//! A runtime that fails to destroy a queue, that reports a memory fault, and one beside another: a layer above the one of this
//! machine (`stuck/layer.c`).

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};

use ringfence::{
    backend::{CopyEngine, CopyRefused, Device, DeviceStatus, PartIndex, SignalMemory, Signals},
    id::SignalValue,
};
use ringfence_hsa::{
    HsaError, Loss, QueueOptions, RingSize, Runtime, StuckQueues, sys::hsa_status_t,
};
use support::{Gpu, layer::Layer};

impl Layer {
    fn set(&self, function: &[u8], number: u32) {
        // SAFETY: the layer's functions have this type.
        let found = unsafe { self.questions.get::<extern "C" fn(u32)>(function) };
        found.expect("the layer has it")(number);
    }

    fn ask(&self, function: &[u8]) -> u32 {
        // SAFETY: the layer's functions have this type.
        let found = unsafe { self.questions.get::<extern "C" fn() -> u32>(function) };
        found.expect("the layer has it")()
    }

    /// The answer to a memory fault of the GPU that had the last queue.
    fn fault(&self) -> hsa_status_t {
        hsa_status_t(self.ask(b"layer_fault"))
    }

    /// Another part of the process, such as HIP, has the runtime up.
    fn hold_runtime(&self) {
        // SAFETY: no precondition.
        let status = unsafe { self.runtime.functions().hsa_init() };
        assert_eq!(status, hsa_status_t::HSA_STATUS_SUCCESS);
    }

    fn let_go_of_runtime(&self) {
        // SAFETY: it was initialised once for this call, and nothing was made with it.
        let status = unsafe { self.runtime.functions().hsa_shut_down() };
        assert_eq!(status, hsa_status_t::HSA_STATUS_SUCCESS);
    }
}

/// ROCr's destructor of a queue waits for a handler that ended with the fault: it is not called, whatever was reported first.
#[test]
fn a_queue_of_a_gpu_with_a_memory_fault_is_left_and_counted() {
    let name = "a_queue_of_a_gpu_with_a_memory_fault_is_left_and_counted";
    let Some(layer) = Layer::open(name, "tests/stuck/layer.c") else { return };
    let gpu = Gpu::open_with(name, layer.runtime);
    let runtime = gpu.device.runtime().clone();
    let other = gpu.device.create_queue(QueueOptions::default()).expect("a queue");
    let before = layer.ask(b"layer_destroyed");
    gpu.device.report_lost();
    drop(other);
    assert_eq!(layer.ask(b"layer_destroyed") - before, 1, "no fault was reported");
    assert_eq!(layer.fault(), hsa_status_t::HSA_STATUS_SUCCESS);
    assert_eq!(gpu.device.loss(), Some(Loss::Reported), "the first reason is kept");
    let alone = gpu.close();
    assert_eq!(layer.ask(b"layer_destroyed") - before, 1);
    assert_eq!(runtime.stuck_queues().count(), 1);
    drop((runtime, alone));
}

/// A runtime that somebody else keeps up calls for ever: their faults are theirs, and after one the next would never be heard.
#[test]
fn a_fault_is_answered_by_who_has_the_gpu_and_remembered_while_the_runtime_is_up() {
    let name = "a_fault_is_answered_by_who_has_the_gpu";
    let Some(layer) = Layer::open(name, "tests/stuck/layer.c") else { return };
    let gpu = Gpu::open_with(name, layer.runtime);
    layer.hold_runtime();
    let start = || Runtime::start_with(layer.runtime);
    assert_eq!(layer.fault(), hsa_status_t::HSA_STATUS_SUCCESS);
    let loss = gpu.device.loss();
    assert!(matches!(loss, Some(Loss::MemoryFault { .. })), "{loss:?}");
    assert!(start().is_ok(), "the same one");
    let alone = gpu.close();
    assert_eq!(layer.fault(), hsa_status_t::HSA_STATUS_ERROR, "nobody has the GPU");
    let refused = start().expect_err("the next fault would not be heard");
    assert!(
        matches!(refused, HsaError::FaultsUnheard { since: Loss::MemoryFault { .. } }),
        "{refused}"
    );
    layer.let_go_of_runtime();
    let device = start().expect("the runtime was down").devices().remove(0);
    assert_eq!(device.status(), DeviceStatus::Alive);
    drop((device, alone));
}

/// The runtime has the callback's data still, and may call.
#[test]
fn a_queue_that_cannot_be_destroyed_keeps_its_callback_and_is_counted() {
    let name = "a_queue_that_cannot_be_destroyed";
    let Some(layer) = Layer::open(name, "tests/stuck/layer.c") else { return };
    let gpu = Gpu::open_with(name, layer.runtime);
    let runtime = gpu.device.runtime().clone();
    let small = QueueOptions { packets: RingSize::at_least(64), ..QueueOptions::default() };
    let make = || gpu.device.create_queue(small).expect("a queue");
    drop(make());
    assert_eq!(runtime.stuck_queues(), StuckQueues::NONE);
    let queue = make();
    layer.set(b"layer_fail", 1);
    drop(queue);
    assert_eq!(runtime.stuck_queues().count(), 1);
    assert_eq!(gpu.device.status(), DeviceStatus::Alive);
    // Memory that was freed would be somebody's by now.
    let filled: Vec<Box<[u64; 4]>> = (0..10_000).map(|_| Box::new([u64::MAX; 4])).collect();
    layer.set(b"layer_call_back", 0x1009);
    drop(filled);
    let loss = gpu.device.loss();
    assert!(matches!(loss, Some(Loss::Queue(status)) if status.code() == 0x1009), "{loss:?}");
}

/// The runtime of a signal may end while another runtime's devices are there: those do not get at it.
#[test]
fn a_signal_of_another_runtime_is_none() {
    let name = "a_signal_of_another_runtime_is_none";
    let Some(layer) = Layer::open(name, "tests/stuck/layer.c") else { return };
    let gpu = Gpu::open_with(name, layer.runtime);
    let signal = gpu.signal(SignalMemory::Host);
    let other = Runtime::start().expect("the layer is above one").devices().remove(0);
    let refused = |call: &dyn Fn()| catch_unwind(AssertUnwindSafe(call)).is_err();
    assert!(refused(&|| assert_eq!(other.load(signal), SignalValue::ARMED)), "loaded");
    assert!(refused(&|| other.arm(signal, SignalValue::DONE)), "armed");
    assert_eq!(refused(&|| other.destroy(signal)), cfg!(debug_assertions));
    let engine = other.copy_engine().expect("copies");
    let work = engine.idle_copy().expect("memory");
    let copied = engine.submit(engine.reserve(), PartIndex::new(0), work, signal, &[]);
    assert_eq!(copied, Err(CopyRefused::Failed));
    assert_eq!(gpu.device.load(signal), SignalValue::ARMED);
    gpu.device.destroy(signal);
}
