//! Four threads, eight streams, random work.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use ringfence_softgpu_programs::{
    case::setting,
    hip::{Event, Hip, Memory, Stream, Timing, Where},
    random::Random,
};

/// For 3 s; in the end all is done, and each thread's memory has what was put there last.
pub(crate) fn stress() {
    let seed = setting("SEED").map_or(1, |seed| seed.parse().expect("a number"));
    println!("seed {seed}");
    let hip = Hip::start();
    let streams: Vec<Stream<'_>> = (0..8).map(|_| Stream::new(hip)).collect();
    let events: Vec<Event<'_>> = (0..8).map(|_| Event::new(hip, Timing::Off)).collect();
    let (count, begun) = (AtomicU64::new(0), Instant::now());
    thread::scope(|scope| {
        for thread in 0..4 {
            let (streams, events, count) = (&streams, &events, &count);
            scope.spawn(move || {
                hip.set_device(0);
                let mut random = Random::new(seed * 4 + thread);
                let device = Memory::new(hip, 65_536, Where::Device);
                let host = Memory::new(hip, 65_536, Where::Host);
                let own = Event::new(hip, Timing::Kept);
                while begun.elapsed() < Duration::from_secs(3) {
                    let (one, other) = (&streams[random.below(8)], &streams[random.below(8)]);
                    events[random.below(8)].record(one);
                    other.wait(&events[random.below(8)]);
                    match random.below(6) {
                        0 => device.copy_from(other, 0, &host, 0, 4_096),
                        1 => device.set(other, 0, 1, 4_096),
                        2 => drop(other.query()),
                        3 if random.below(8) == 0 => other.synchronize(),
                        4 => {
                            own.record(other);
                            own.synchronize();
                        }
                        _ => (),
                    }
                    count.fetch_add(1, Ordering::Relaxed);
                }
                hip.synchronize();
                let last = &streams[thread as usize];
                device.set(last, 0, thread as u8 + 1, 65_536);
                let seen = device.read(last, 0, 65_536);
                assert!(seen.iter().all(|byte| *byte == thread as u8 + 1), "thread {thread}");
            });
        }
    });
    hip.synchronize();
    println!("{} steps", count.into_inner());
}
