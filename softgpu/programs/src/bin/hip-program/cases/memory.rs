//! What copies and fills leave behind.

use ringfence_softgpu_programs::hip::{Hip, Memory, Stream, Where};

const SIZE: usize = 1 << 20;

fn pattern(seed: usize) -> Vec<u8> {
    (0..SIZE).map(|index| (index * 31 + (index >> 12) + seed) as u8).collect()
}

/// Pinned and pageable memory to the device, from device to device, and back.
pub(crate) fn copies() {
    let hip = Hip::start();
    let stream = Stream::new(hip);
    let pinned = Memory::new(hip, SIZE, Where::Host);
    let [first, second] = [(), ()].map(|()| Memory::new(hip, SIZE, Where::Device));
    for round in 0..3 {
        let bytes = pattern(round);
        pinned.write(&stream, 0, &bytes);
        first.copy_from(&stream, 0, &pinned, 0, SIZE);
        second.copy_from(&stream, 0, &first, 0, SIZE);
        assert!(second.read(&stream, 0, SIZE) == bytes, "round {round}, to pageable memory");
        pinned.write(&stream, 0, &vec![0; SIZE]);
        pinned.copy_from(&stream, 0, &second, 0, SIZE);
        assert!(pinned.read(&stream, 0, SIZE) == bytes, "round {round}, to pinned memory");
        first.write(&stream, 0, &pattern(round + 7));
        assert!(first.read(&stream, 0, SIZE) == pattern(round + 7), "from pageable memory");
    }
}

/// Odd sizes at odd places.
pub(crate) fn odd() {
    let hip = Hip::start();
    let stream = Stream::new(hip);
    let [first, second] = [(), ()].map(|()| Memory::new(hip, SIZE, Where::Device));
    let bytes = pattern(3);
    first.write(&stream, 0, &bytes);
    for size in [1, 5, 4_095, 4_099, 65_537, 500_001] {
        for (to, from) in [(3, 1), (0, 5), (4, 4), (17, 16)] {
            second.set(&stream, 0, 0, SIZE);
            second.copy_from(&stream, to, &first, from, size);
            let seen = second.read(&stream, 0, SIZE);
            let what = format!("{size} bytes from {from} to {to}");
            assert!(seen[to..to + size] == bytes[from..from + size], "{what}");
            assert!(seen[..to].iter().all(|byte| *byte == 0), "before {what}");
            assert!(seen[to + size..].iter().all(|byte| *byte == 0), "behind {what}");
        }
    }
}

/// Rows, from the host and from the device.
pub(crate) fn rows() {
    let hip = Hip::start();
    let stream = Stream::new(hip);
    let host = Memory::new(hip, SIZE, Where::Host);
    let [first, second] = [(), ()].map(|()| Memory::new(hip, SIZE, Where::Device));
    let bytes = pattern(9);
    host.write(&stream, 0, &bytes);
    first.set(&stream, 0, 0, SIZE);
    second.set(&stream, 0, 0, SIZE);
    first.copy_rows(&stream, 512, &host, 700, [300, 100]);
    second.copy_rows(&stream, 640, &first, 512, [300, 100]);
    let (near, far) = (first.read(&stream, 0, SIZE), second.read(&stream, 0, SIZE));
    for row in 0..100 {
        let original = &bytes[700 * row..700 * row + 300];
        assert!(&near[512 * row..512 * row + 300] == original, "row {row} to the device");
        assert!(&far[640 * row..640 * row + 300] == original, "row {row} on the device");
        assert_eq!(near[512 * row + 300..512 * row + 512], [0; 212], "behind row {row}");
        assert_eq!(far[640 * row + 300..640 * row + 640], [0; 340], "behind row {row}");
    }
}

/// Bytes, half-words, words and rows, and nothing beside them.
///
/// HIP 5.2.3 fills up to the next multiple of 8 first, and forgets that the fill may end before it: what is left is a negative length.
pub(crate) fn sets() {
    const SIZE: usize = 1 << 18;
    let hip = Hip::start();
    let stream = Stream::new(hip);
    let memory = Memory::new(hip, SIZE, Where::Device);
    let begins_aligned = |offset: usize, bytes: usize| {
        hip.has_host_functions() || offset.is_multiple_of(8) || offset % 8 + bytes >= 8
    };
    let check = |what: &str, filled: std::ops::Range<usize>, unit: &[u8]| {
        let seen = memory.read(&stream, 0, SIZE);
        let inside = &seen[filled.clone()];
        assert!(inside.chunks(unit.len()).all(|part| part == unit), "{what} at {filled:?}");
        let around = seen[..filled.start].iter().chain(&seen[filled.end..]);
        assert!(around.copied().all(|byte| byte == 0), "around {what} at {filled:?}");
        memory.set(&stream, 0, 0, SIZE);
    };
    memory.set(&stream, 0, 0, SIZE);
    for offset in [0, 1, 3, 6, 15, 64] {
        for count in [1, 2, 3, 4, 7, 8, 15, 16, 17, 255, 4_097, 65_536, 100_001] {
            if !begins_aligned(offset, count) {
                continue;
            }
            memory.set(&stream, offset, 0x5a, count);
            check("bytes", offset..offset + count, &[0x5a]);
        }
    }
    for count in [1, 2, 3, 999, 50_001] {
        if begins_aligned(2, 2 * count) {
            memory.set_u16(&stream, 2, 0x7788, count);
            check("half-words", 2..2 + 2 * count, &0x7788_u16.to_le_bytes());
        }
        memory.set_u32(&stream, 4, 0x1122_3344, count);
        check("words", 4..4 + 4 * count, &0x1122_3344_u32.to_le_bytes());
    }
    memory.set_rows(&stream, 1_000, 0x33, 100, 50);
    let seen = memory.read(&stream, 0, SIZE);
    for (index, byte) in seen.iter().enumerate() {
        let inside = index < 50_000 && index % 1_000 < 100;
        assert_eq!(*byte, if inside { 0x33 } else { 0 }, "byte {index} of rows");
    }
}

/// Memory of the pool is allocated, used, freed and used again, in the order of its stream.
pub(crate) fn pool() {
    let hip = Hip::start();
    let stream = Stream::new(hip);
    for round in 0..50_u8 {
        let [first, second] = [(), ()].map(|()| Memory::on(&stream, 100_000));
        first.set(&stream, 0, round, 100_000);
        second.copy_from(&stream, 0, &first, 0, 100_000);
        assert!(second.read(&stream, 0, 100_000).iter().all(|byte| *byte == round));
        first.free_on(&stream);
        second.free_on(&stream);
    }
    stream.synchronize();
    hip.trim_pool(0);
}
