//! What copies move, by the copy engines and by the runtime's blit kernels.

use std::{thread, time::Duration};

use ringfence_softgpu_programs::{
    case::not_modelled,
    hsa::{
        Block, Pitched, Place, Runtime, Signal, World, sys::hsa_amd_copy_direction_t as direction,
    },
};

use super::packets::WHILE;

/// More than a copy engine moves in one command.
const LARGE: usize = 16 << 20;
const SMALL: usize = 1 << 18;

/// Bytes that differ from their neighbours and from page to page.
pub(crate) fn pattern(seed: usize, count: usize) -> Vec<u8> {
    (0..count).map(|index| (index * 7 + (index >> 12) + seed * 31 + 1) as u8).collect()
}

/// Host to device and back: 16 MiB, and sizes around a page.
pub(crate) fn copy() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let gpu = world.gpu();
    let from = Block::new(&world.fine, LARGE, &[gpu.agent]);
    let back = Block::new(&world.fine, LARGE, &[gpu.agent]);
    let device = Block::new(&gpu.vram, LARGE, &[world.cpu]);
    for (seed, size) in [LARGE, 1, 4, 64, 4095, 4096, 4097, 65_536].into_iter().enumerate() {
        let bytes = pattern(seed, size);
        from.write(0, &bytes);
        back.write(0, &vec![0; size]);
        let there = Place::new(&device, 0, gpu.agent);
        runtime.copy(there, Place::new(&from, 0, world.cpu), size);
        assert!(device.read(0, size) == bytes, "{size} bytes to the device");
        runtime.copy(Place::new(&back, 0, world.cpu), there, size);
        assert!(back.read(0, size) == bytes, "{size} bytes from the device");
    }
}

/// The same with odd sizes at odd places, and nothing beside them is touched.
pub(crate) fn odd() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let gpu = world.gpu();
    let host = Block::new(&world.fine, SMALL, &[gpu.agent]);
    let device = Block::new(&gpu.vram, SMALL, &[world.cpu]);
    let bytes = pattern(3, SMALL);
    host.write(0, &bytes);
    for size in [1, 3, 7, 100, 4_099, 65_537] {
        for (to, from) in [(0, 1), (1, 0), (3, 3), (13, 6), (4_095, 4_097)] {
            device.write(0, &vec![0; SMALL]);
            let target = Place::new(&device, to, gpu.agent);
            runtime.copy(target, Place::new(&host, from, world.cpu), size);
            let seen = device.read(0, to + size + 64);
            let what = format!("{size} bytes from {from} to {to}");
            assert!(seen[to..to + size] == bytes[from..from + size], "{what}");
            assert!(seen[..to].iter().all(|byte| *byte == 0), "before {what}");
            assert!(seen[to + size..].iter().all(|byte| *byte == 0), "after {what}");
        }
    }
}

/// Device to device, which the runtime's blit kernels do, aligned and not.
pub(crate) fn device() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let gpu = world.gpu();
    let from = Block::new(&gpu.vram, LARGE, &[world.cpu]);
    let to = Block::new(&gpu.vram, LARGE, &[world.cpu]);
    let bytes = pattern(5, LARGE);
    from.write(0, &bytes);
    runtime.copy(Place::new(&to, 0, gpu.agent), Place::new(&from, 0, gpu.agent), LARGE);
    assert!(to.read(0, LARGE) == bytes, "{LARGE} bytes");
    for size in [1, 4, 7, 256, 4_096, 65_537, 100_003] {
        for (target, source) in [(0, 0), (0, 1), (1, 0), (2, 2), (3, 4), (4, 4), (64, 128)] {
            to.write(0, &vec![0; SMALL]);
            let target_place = Place::new(&to, target, gpu.agent);
            runtime.copy(target_place, Place::new(&from, source, gpu.agent), size);
            let seen = to.read(0, target + size + 64);
            let what = format!("{size} bytes from {source} to {target}");
            assert!(seen[target..target + size] == bytes[source..source + size], "{what}");
            assert!(seen[..target].iter().all(|byte| *byte == 0), "before {what}");
            assert!(seen[target + size..].iter().all(|byte| *byte == 0), "after {what}");
        }
    }
}

/// A block of rows and slices, in both directions.
pub(crate) fn rect() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let gpu = world.gpu();
    let host = Block::new(&world.fine, 4 << 20, &[gpu.agent]);
    let device = Block::new(&gpu.vram, 8 << 20, &[world.cpu]);
    let bytes = pattern(9, host.bytes());
    host.write(0, &bytes);
    device.write(0, &vec![0; device.bytes()]);
    let near = Pitched { block: &host, pitch: 4_096, slice: 4_096 * 256, origin: [16, 2, 0] };
    let far = Pitched { block: &device, pitch: 8_192, slice: 8_192 * 256, origin: [32, 3, 0] };
    let range = [1_000, 100, 2];
    let done = Signal::new(&runtime, 1);
    let down = direction::hsaHostToDevice;
    runtime.begin_copy_rect(far, near, range, &gpu.agent, down, &done);
    done.finished();
    let row = |end: &Pitched<'_>, y: usize, z: usize| {
        let [left, top, front] = end.origin.map(|origin| origin as usize);
        let start = (front + z) * end.slice + (top + y) * end.pitch + left;
        (start, end.block.read(start, 1_000))
    };
    for (y, z) in (0..100).flat_map(|y| [(y, 0), (y, 1)]) {
        let ((at, moved), (_, original)) = (row(&far, y, z), row(&near, y, z));
        assert!(moved == original, "row {y} of slice {z}");
        assert_eq!(device.read(at + 1_000, 8), [0; 8], "behind row {y} of slice {z}");
    }
    host.write(0, &vec![0; host.bytes()]);
    done.store(1);
    let up = direction::hsaDeviceToHost;
    runtime.begin_copy_rect(near, far, range, &gpu.agent, up, &done);
    done.finished();
    for (y, z) in (0..100).flat_map(|y| [(y, 0), (y, 1)]) {
        let (at, moved) = row(&near, y, z);
        assert!(moved == bytes[at..at + 1_000], "row {y} of slice {z} on the way back");
    }
}

/// A copy waits for its dependencies; a copy that depends on a copy sees what that wrote.
pub(crate) fn waits() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let gpu = world.gpu();
    let host = Block::new(&world.fine, SMALL, &[gpu.agent]);
    let back = Block::new(&world.fine, SMALL, &[gpu.agent]);
    let device = Block::new(&gpu.vram, SMALL, &[world.cpu]);
    for round in 0..20 {
        let bytes = pattern(round, SMALL);
        host.write(0, &bytes);
        device.write(0, &vec![0; SMALL]);
        let gates = Signal::armed(&runtime, 7);
        let handles: Vec<_> = gates.iter().map(Signal::handle).collect();
        let (first, second) = (Signal::new(&runtime, 1), Signal::new(&runtime, 1));
        let there = Place::new(&device, 0, gpu.agent);
        runtime.begin_copy(there, Place::new(&host, 0, world.cpu), SMALL, &handles, &first);
        let home = Place::new(&back, 0, world.cpu);
        runtime.begin_copy(home, there, SMALL, &[first.handle()], &second);
        for gate in &gates {
            thread::sleep(if round == 0 { WHILE / 4 } else { Duration::ZERO });
            assert_eq!((first.value(), second.value()), (1, 1), "a dependency is still armed");
            gate.store(0);
        }
        second.finished();
        assert_eq!(first.value(), 0, "the second copy is over, the first is not");
        assert!(back.read(0, SMALL) == bytes, "round {round}");
    }
}

/// Fills of every small number of words, and nothing behind them is touched.
pub(crate) fn fill() {
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let gpu = world.gpu();
    let device = Block::new(&gpu.vram, SMALL, &[world.cpu]);
    for words in (1..600).step_by(7).chain([4_096, 50_000]) {
        device.write(0, &vec![0; SMALL]);
        let value = 0x1122_3344_u32.rotate_left(words as u32);
        runtime.fill(&device, 8, value, words);
        let seen = device.read(0, SMALL);
        let filled = &seen[8..8 + 4 * words];
        assert!(filled.chunks(4).all(|word| *word == value.to_le_bytes()), "{words} words");
        assert!(seen[..8].iter().all(|byte| *byte == 0), "before {words} words");
        assert!(seen[8 + 4 * words..].iter().all(|byte| *byte == 0), "behind {words} words");
    }
}

/// What the host writes to memory that was mapped at a reserved address, a copy engine reads there, and the other way.
pub(crate) fn virtual_memory() {
    const BYTES: usize = 2 << 20;
    let runtime = Runtime::start();
    let world = World::new(&runtime);
    let gpu = world.gpu();
    // So that it does not begin where the GPU's memory does.
    let _before = Block::new(&gpu.vram, BYTES, &[]);
    let Some(mapped) = Block::mapped(&gpu.vram, BYTES, &[gpu.agent, world.cpu]) else {
        not_modelled("this runtime has no virtual memory management")
    };
    let host = Block::new(&world.fine, BYTES, &[gpu.agent]);
    let (far, near) = (Place::new(&mapped, 0, gpu.agent), Place::new(&host, 0, world.cpu));
    let bytes = pattern(3, BYTES);
    mapped.write(0, &bytes);
    host.write(0, &vec![0; BYTES]);
    runtime.copy(near, far, BYTES);
    assert!(host.read(0, BYTES) == bytes, "the device does not see what the host wrote");
    let bytes = pattern(4, BYTES);
    host.write(0, &bytes);
    runtime.copy(far, near, BYTES);
    assert!(mapped.read(0, BYTES) == bytes, "the host does not see what the device wrote");
}
