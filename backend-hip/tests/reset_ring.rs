//! A GPU that is reset under rings: signals that are watched meanwhile, and queues that are dropped after it. One test, since a reset
//! concerns the whole process.

mod support;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver},
    },
    time::Duration,
};

use ringfence::{
    backend::{
        Device, DeviceStatus, HandlerToken, Handlers, SignalMemory, Signals, streams::StreamDriver,
    },
    error::HandlerRefused,
    id::{DeviceId, RawStream, SignalHandle},
};
use ringfence_hip::{Hip, HipDevice, HipStreams, Listening, StreamOptions};
use support::key;

const GPU: DeviceId = DeviceId::new(0);
const LIMIT: Duration = Duration::from_secs(10);

fn signal(device: &HipDevice) -> SignalHandle {
    let mut signal = [SignalHandle::NULL];
    let _one = device.create(SignalMemory::Interrupt, &mut signal).expect("memory");
    signal[0]
}

fn reset(hip: Hip) {
    let reset = hip.functions().hipDeviceReset.expect("every version has it");
    // SAFETY: no precondition; nobody else is in a call, and what was made before is not used after it.
    assert_eq!(unsafe { reset() }, 0);
}

/// What a listener saw, told by its thread.
#[derive(Debug)]
struct Seen {
    token: HandlerToken,
    value: i64,
    status: DeviceStatus,
    /// Whether the reset was over.
    over: bool,
}

/// A listener looks at its signal, as handlers do.
fn listen(device: &HipDevice, signal: SignalHandle, over: &Arc<AtomicBool>) -> Receiver<Seen> {
    let ((told, seen), over) = (mpsc::channel(), over.clone());
    let listening = device.on_completion(move |device, token| {
        let (value, over) = (device.load(signal).as_i64(), over.load(Ordering::Acquire));
        told.send(Seen { token, value, status: device.status(), over }).expect("the test waits");
    });
    assert_eq!(listening, Listening::Begins);
    seen
}

#[test]
fn a_reset_ends_watches_and_what_is_dropped_after_it_stays_away() {
    let Some(hip) = support::hip("a_reset_ends_watches_and_what_is_dropped_after_it_stays_away")
    else {
        return;
    };
    let driver = HipStreams::new(hip, StreamOptions::default());
    for round in 0..20 {
        let device = HipDevice::new(&driver, GPU).expect("a GPU");
        let [waits, completes] = [(); 2].map(|()| signal(&device));
        let over = Arc::new(AtomicBool::new(false));
        let seen = listen(&device, waits, &over);
        let [first, second, third] = [0, 1, 2].map(|n| HandlerToken::new(3 * round + n));
        device.watch(waits, first).expect("a thread");
        device.watch(completes, second).expect("a thread");
        // Devices of a driver know each other's signals.
        let other = hip.devices().nth(1).map(|id| HipDevice::new(&driver, id).expect("a GPU"));
        let others = other.as_ref().map(|other| {
            let seen = listen(other, waits, &over);
            other.watch(waits, third).expect("a thread");
            seen
        });
        let [parked, queue] = [(); 2].map(|()| device.create_queue(key()).expect("a stream"));
        let engine = device.create_copy_engine().expect("a stream");
        drop(parked);

        let announced = driver.device_will_be_reset(GPU).expect("nobody is told");
        device.complete(completes);
        reset(hip);
        over.store(true, Ordering::Release);
        announced.finish();

        let mut told = [(); 2].map(|()| seen.recv_timeout(LIMIT).expect("it is told"));
        told.sort_by_key(|seen| seen.token);
        assert_eq!(told.each_ref().map(|seen| seen.token), [first, second]);
        for seen in &told {
            assert!(seen.over && seen.status == DeviceStatus::Lost, "{seen:?}");
            assert!(seen.value >= 1, "nobody completed it: {seen:?}");
        }
        if let Some(others) = others {
            let seen = others.recv_timeout(LIMIT).expect("it is told");
            assert!(seen.token == third && seen.over && seen.value >= 1, "{seen:?}");
            assert_eq!(seen.status, DeviceStatus::Alive);
        }
        assert_eq!(device.watch(waits, third), Err(HandlerRefused::DeviceLost));

        drop((queue, engine));
        // HIP gives addresses again: theirs may be among these.
        let mine = [(); 8].map(|()| driver.create(key()).expect("a stream"));
        let device = HipDevice::new(&driver, GPU).expect("a GPU");
        let queues = [(); 3].map(|()| device.create_queue(key()).expect("a stream"));
        let theirs: Vec<RawStream> = queues.iter().map(|queue| queue.stream()).collect();
        assert!(!theirs.iter().any(|stream| mine.contains(stream)), "{theirs:?} of {mine:?}");
        drop(queues);
        for stream in mine {
            driver.destroy(stream).expect("nobody else has it");
        }
    }
}
