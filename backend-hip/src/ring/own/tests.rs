use std::cell::Cell;

use ringfence::id::{DeviceContext, StreamFlags};

use super::*;

const GPUS: [DeviceId; 2] = [DeviceId::new(0), DeviceId::new(1)];

fn key(gpu: DeviceId) -> StreamKey {
    StreamKey::new(DeviceContext::primary(gpu))
}

fn stream(key: StreamKey, number: u64) -> Streamed {
    let progress = WordId::from_u64(number).expect("a small number");
    Streamed { key, stream: RawStream::new(number), progress }
}

impl Parked {
    fn streams(&self) -> Vec<u64> {
        self.lock().iter().map(|one| one.stream.as_u64()).collect()
    }

    fn is_locked(&self) -> bool {
        self.0.try_lock().is_err()
    }
}

#[test]
fn the_first_that_is_idle_and_of_the_kind_is_taken() {
    let parked = Parked::default();
    let (mine, other) = (key(GPUS[0]), key(GPUS[1]));
    let plain = StreamKey { flags: StreamFlags::empty(), ..mine };
    for (key, number) in [(other, 1), (plain, 2), (mine, 3), (mine, 4), (mine, 5)] {
        parked.park(stream(key, number), || true);
    }
    let taken = parked.take(mine, |one| one.as_u64() > 3, || true);
    assert_eq!(taken, Some(stream(mine, 4)));
    assert_eq!(parked.take(mine, |_| false, || true), None);
    let mut left = parked.streams();
    left.sort_unstable();
    assert_eq!(left, [1, 2, 3, 5]);
}

/// Another thread's drop would wait for HIP, and another queue would get the same stream.
#[test]
fn a_stream_is_asked_about_without_a_lock_and_is_nobody_elses_meanwhile() {
    let parked = Parked::default();
    let mine = key(GPUS[0]);
    for number in [1, 2] {
        parked.park(stream(mine, number), || true);
    }
    let others = Cell::new(None);
    let taken = parked.take(
        mine,
        |_| {
            assert!(!parked.is_locked());
            others.set(parked.take(mine, |_| true, || true));
            true
        },
        || true,
    );
    assert_eq!((taken, others.get()), (Some(stream(mine, 1)), Some(stream(mine, 2))));
}

/// Its address may be another stream's by then.
#[test]
fn a_stream_of_before_a_reset_is_not_parked() {
    let (parked, mine) = (Parked::default(), key(GPUS[0]));
    parked.park(stream(mine, 1), || false);
    assert_eq!(parked.streams(), [0; 0]);
    // A reset between the look and the push would not find it.
    parked.park(stream(mine, 2), || {
        assert!(parked.is_locked());
        true
    });
    parked.park(stream(key(GPUS[1]), 3), || true);
    parked.abandon(GPUS[0]);
    assert_eq!(parked.streams(), [3]);
}

#[test]
fn a_stream_that_is_asked_about_during_a_reset_does_not_come_back() {
    let (parked, mine) = (Parked::default(), key(GPUS[0]));
    parked.park(stream(mine, 1), || true);
    let was_reset = Cell::new(false);
    let reset = |_| {
        was_reset.set(true);
        parked.abandon(GPUS[0]);
        false
    };
    assert_eq!(parked.take(mine, reset, || !was_reset.get()), None);
    assert_eq!(parked.streams(), [0; 0]);
}
