//! Streams and events.

use std::time::{Duration, Instant};

use ringfence_softgpu_programs::{
    case::setting,
    hip::{Done, Event, Hip, Memory, Stream, Timing, Where},
};

/// Initialisation and the first stream, and how long they take.
pub(crate) fn init() {
    let begun = Instant::now();
    let hip = Hip::start();
    let initialised = begun.elapsed();
    let count = setting("GPUS").map_or(1, |count| count.parse().expect("a number"));
    assert_eq!(hip.devices(), count, "devices");
    println!("{:?}", hip.device_name(0));
    assert!(!hip.device_name(0).is_empty());
    let begun = Instant::now();
    let stream = Stream::new(hip);
    stream.synchronize();
    println!("loaded and initialised in {initialised:?}, first stream in {:?}", begun.elapsed());
    for device in 0..count {
        hip.set_device(device);
        let stream = Stream::new(hip);
        let memory = Memory::new(hip, 64, Where::Device);
        memory.set(&stream, 0, 7, 64);
        assert_eq!(memory.read(&stream, 0, 64), [7; 64], "device {device}");
    }
}

/// Events in order, times between them, and streams that wait for each other.
pub(crate) fn streams() {
    let hip = Hip::start();
    let (one, other) = (Stream::new(hip), Stream::with_priority(hip, -1));
    assert_eq!(one.query(), Done::Yes);
    let never = Event::new(hip, Timing::Off);
    assert_eq!(never.query(), Done::Yes, "an event that was never recorded");

    let (start, end) = (Event::new(hip, Timing::Kept), Event::new(hip, Timing::Kept));
    let memory = Memory::new(hip, 1 << 20, Where::Device);
    start.record(&one);
    memory.set(&one, 0, 1, 1 << 20);
    end.record(&one);
    end.synchronize();
    assert_eq!((start.query(), end.query()), (Done::Yes, Done::Yes));
    println!("a fill of 1 MiB took {:?}", start.until(&end));
    assert!(start.until(&end) < Duration::from_secs(5));

    let (host, seen) = (Memory::new(hip, 4_096, Where::Host), Event::new(hip, Timing::Off));
    for round in 0..100_u8 {
        memory.set(&one, 0, round, 4_096);
        seen.record(&one);
        other.wait(&seen);
        host.copy_from(&other, 0, &memory, 0, 4_096);
        seen.record(&other);
        one.wait(&seen);
        one.synchronize();
        assert_eq!(seen.query(), Done::Yes, "a stream that waited for it is idle");
        assert_eq!(host.read(&other, 0, 4_096), [round; 4_096]);
    }
    hip.synchronize();
}

/// 300 streams at once, each of which does its work.
pub(crate) fn many() {
    const COUNT: usize = 300;
    let hip = Hip::start();
    let begun = Instant::now();
    let streams: Vec<Stream<'_>> = (0..COUNT).map(|_| Stream::new(hip)).collect();
    let created = begun.elapsed() / COUNT as u32;
    let memory = Memory::new(hip, 64 * COUNT, Where::Device);
    let events: Vec<Event<'_>> = streams.iter().map(|_| Event::new(hip, Timing::Off)).collect();
    for (index, (stream, event)) in streams.iter().zip(&events).enumerate() {
        memory.set(stream, 64 * index, index as u8, 64);
        event.record(stream);
    }
    for (stream, event) in streams.iter().zip(&events) {
        event.synchronize();
        assert_eq!(stream.query(), Done::Yes);
    }
    let bytes = memory.read(&streams[0], 0, 64 * COUNT);
    for (index, part) in bytes.chunks(64).enumerate() {
        assert_eq!(part, [index as u8; 64], "stream {index}");
    }
    let begun = Instant::now();
    drop(streams);
    println!("creating {created:?} each, destroying {:?} each", begun.elapsed() / COUNT as u32);
}
