//! What a packet costs the engine: reading, starting and completing barrier packets of one queue, in
//! memory behind a page table, without threads.

use std::time::Duration;

use ringfence_softgpu::{
    address::Address,
    bus::Bus,
    chance::Chance,
    faults::Countdown,
    kernels::Kernels,
    memory::{Kind, Memory, Part},
    processor::{AqlQueue, Place, Turn},
    settings::{Profile, Settings},
};

fn main() {
    divan::main();
}

/// Packets in a batch: the ring is twice as long.
const BATCH: u64 = 512;

/// A queue, its ring, and signals, each in an allocation of its own as ROCr has them.
struct Bench {
    memory: Memory,
    settings: Settings,
    ring: Address,
    indices: Address,
    signals: Address,
    queue: AqlQueue,
    written: u64,
    chance: Chance,
    kernels: Kernels,
    faults: Countdown,
}
impl Bench {
    fn new() -> Self {
        let mut settings = Settings::of(Profile::Quiet);
        settings.vram = 256 << 20;
        let register = Box::leak(Box::new([0_u64; 512]));
        let memory = Memory::new(&settings, &[register.as_ptr() as u64]).expect("memory");
        let allocate = |at: u64| {
            let at = Address::new(at);
            let made = memory.allocate(0, at, 1 << 20, Kind::Own(Part::System));
            memory.map(made.expect("room").0, 0).expect("just made");
            at
        };
        let (ring, indices, signals) =
            (allocate(0x1000_0000), allocate(0x2000_0000), allocate(0x3000_0000));
        for other in 0..64 {
            allocate(0x10_0000_0000 + (other << 24));
        }
        let (read_index, write_index) = (indices.plus(128), indices.plus(56));
        let save_area = Address::NULL;
        let place = Place { ring, packets: 2 * BATCH, read_index, write_index, save_area };
        Self {
            memory,
            settings,
            ring,
            indices,
            signals,
            queue: AqlQueue::new(0, 0, place),
            written: 0,
            chance: Chance::new(1),
            kernels: Kernels::new(Box::new(|_| None)),
            faults: Countdown::default(),
        }
    }
    /// Writes a batch, each packet with a signal of its own.
    fn write(&mut self) {
        const BARRIER_AND: u32 = 3;
        let bus = self.memory.view(0, Duration::ZERO);
        for nth in 0..BATCH {
            let slot = self.ring.plus((self.written + nth) % (2 * BATCH) * 64);
            bus.store_u64(slot.plus(56), self.signals.plus(nth * 64).as_u64()).expect("mapped");
            bus.store_u64(self.signals.plus(nth * 64 + 8), 1).expect("mapped");
            bus.store_u32(slot, BARRIER_AND).expect("mapped");
        }
        self.written += BATCH;
        bus.store_u64(self.indices.plus(56), self.written).expect("mapped");
    }
    /// Lets the queue run until it is idle.
    fn run(&mut self) {
        let (mut reports, mut decremented) = (Vec::new(), Vec::new());
        let bus = self.memory.view(0, Duration::ZERO);
        let mut turn = Turn {
            bus: &bus,
            now: Duration::ZERO,
            ticks: 1,
            settings: &self.settings,
            chance: &mut self.chance,
            kernels: &mut self.kernels,
            faults: &mut self.faults,
            reports: &mut reports,
            decremented: &mut decremented,
        };
        self.queue.ring_doorbell(&mut turn);
        while !self.queue.is_idle() {
            let _ = self.queue.step(&mut turn);
            turn.decremented.clear();
        }
        assert!(turn.reports.is_empty());
    }
}

#[divan::bench(counters = [divan::counter::ItemsCount::new(BATCH)])]
fn barrier_packets(bencher: divan::Bencher<'_, '_>) {
    let mut bench = Bench::new();
    bencher.bench_local(move || {
        bench.write();
        bench.run();
    });
}
