//! Interrupt events, of which a process has 4,096: alone in a process that uses them up.

mod support;

use ringfence::{backend::*, drive::*, error::CreateError, id::*, placement::Role, wait::Sleeps};
use support::Gpu;

#[test]
fn interrupt_signals_run_out_and_say_so() {
    let Some(gpu) = Gpu::open("interrupt_signals_run_out_and_say_so") else { return };
    let mut all = vec![SignalHandle::NULL; 5_000];
    let Created { count, memory } =
        gpu.device.create(SignalMemory::Interrupt, &mut all).expect("some");
    println!("{count} interrupt signals");
    assert_eq!(memory, SignalMemory::Interrupt);
    assert!((1_000..4_096).contains(&count), "{count}");
    let mut more = [SignalHandle::NULL];
    let none = gpu.device.create(SignalMemory::Interrupt, &mut more);
    assert_eq!(none, Err(CreateError::NoInterrupts));
    all[..count].iter().for_each(|signal| gpu.device.destroy(*signal));
}

#[test]
fn a_blocking_use_without_an_event_says_that_its_wait_will_spin() {
    let Some(gpu) = Gpu::open("a_blocking_use_without_an_event") else { return };
    let mut all = vec![SignalHandle::NULL; 5_000];
    let created = gpu.device.create(SignalMemory::Interrupt, &mut all).expect("some");
    let queue = HardwareQueue::new(gpu.queue.clone());
    let mut stream =
        Tracker::open(gpu.device.clone(), queue, Policy::default()).expect("a tracker");
    let of = stream.submit(Submission::marker(Role::Blocking)).expect("host memory");
    assert_eq!(of.packet(), PacketId::FIRST);
    let synced = stream.synchronize().expect("it finishes");
    assert_eq!(synced.sleeps, Sleeps::WillSpin);
    stream.close().expect("closed");
    all[..created.count].iter().for_each(|signal| gpu.device.destroy(*signal));
}
