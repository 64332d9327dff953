//! A runtime that fails to destroy a queue, and one beside another: a layer above the one of this machine (`stuck/layer.c`).

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};

use ringfence::{
    backend::{CopyEngine, CopyRefused, Device, DeviceStatus, PartIndex, SignalMemory, Signals},
    id::SignalValue,
};
use ringfence_hsa::{Loss, QueueOptions, RingSize, Runtime, StuckQueues};
use support::{Gpu, layer::Layer};

impl Layer {
    fn set(&self, function: &[u8], number: u32) {
        // SAFETY: the layer's functions have this type.
        let found = unsafe { self.questions.get::<extern "C" fn(u32)>(function) };
        found.expect("the layer has it")(number);
    }
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
