//! AMD's runtime as a subject: a real device, or the GPU in software below the real runtime.

use std::{
    fmt,
    mem::ManuallyDrop,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use ringfence::backend::{
    Body, Deps, Device, Features, HandlerToken, Packet, PacketCount, PacketQueue, Signals,
};
use ringfence_hsa::{
    Buffer, CopyWork, Dispatch, HsaCopyEngine, HsaDevice, HsaError, HsaQueue, MemoryPlace,
    QueueOptions, Runtime, Stamping,
};

use super::{
    Drive, Facts, Length, Lists, RingSize, Shared, Stamps, Step, Subject, Unstamped, Worker, cannot,
};

/// Words of each memory.
const WORDS: usize = 1_024;
/// Packets of each queue: a process has many of them.
const USUAL: u32 = 1_024;
const SMALLEST: u32 = 64;

/// How a device is lost.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Losing {
    /// The program says so.
    ByReport,
    /// By packets, of which one is an invalid one: the GPU in software has to be told to make it so, with
    /// `FAULT_PACKET` or `FAULT_LOST`, and to count up to [`FAULT_AT`](HsaSubject::FAULT_AT).
    ByPackets,
}

/// All GPUs of AMD's runtime.
#[derive(Debug)]
pub struct HsaSubject {
    machine: &'static Machine,
    losing: Losing,
}
/// What the process has: one runtime, one set of devices, for all tests.
struct Machine {
    devices: Vec<HsaDevice>,
    kernels: Vec<Dispatch>,
    reported: Vec<Arc<Mutex<Vec<HandlerToken>>>>,
    begun: Instant,
    memories: AtomicUsize,
    smallest: u64,
    usual: u64,
}
impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Machine").field("devices", &self.devices).finish_non_exhaustive()
    }
}
impl Machine {
    fn start() -> Result<Self, HsaError> {
        let devices = Runtime::start()?.devices();
        let kernels = devices.iter().map(HsaDevice::empty_kernel).collect::<Result<_, _>>()?;
        let mut reported = Vec::new();
        for device in &devices {
            let tokens = Arc::new(Mutex::new(Vec::new()));
            let told = tokens.clone();
            device.on_completion(move |_, token| {
                told.lock().unwrap_or_else(PoisonError::into_inner).push(token);
            })?;
            reported.push(tokens);
        }
        let slots = |packets| -> Result<u64, HsaError> {
            let queue = devices[0].create_queue(options(packets, Stamping::On))?;
            Ok(u64::from(queue.ring_size().packets()))
        };
        let (smallest, usual) = (slots(SMALLEST)?, slots(USUAL)?);
        let (begun, memories) = (Instant::now(), AtomicUsize::new(0));
        Ok(Self { devices, kernels, reported, begun, memories, smallest, usual })
    }
}
fn options(packets: u32, stamping: Stamping) -> QueueOptions {
    let packets = ringfence_hsa::RingSize::at_least(packets);
    QueueOptions { packets, stamping, ..QueueOptions::default() }
}

impl HsaSubject {
    /// Which packet has to be the one that is invalid, where the device is lost by packets.
    pub const FAULT_AT: u32 = 600;

    /// The runtime of this process, as often as is asked for.
    ///
    /// # Errors
    /// There is none, or no GPU.
    pub fn start(losing: Losing) -> Result<Self, HsaError> {
        static MACHINE: OnceLock<Machine> = OnceLock::new();
        let machine = match MACHINE.get() {
            Some(machine) => machine,
            None => {
                let started = Machine::start()?;
                MACHINE.get_or_init(|| started)
            }
        };
        Ok(Self { machine, losing })
    }
    /// What there is, in one line.
    pub fn describe(&self) -> String {
        let names = self.machine.devices.iter().map(|device| device.facts().name().to_owned());
        let version = self.machine.devices[0].runtime().version();
        format!("{version:?} with {}", names.collect::<Vec<_>>().join(" and "))
    }
}

/// Memory that stays until the process ends: a copy that a failed test left behind may still write to it.
#[derive(Debug)]
pub struct HsaMemory(ManuallyDrop<Buffer>);

impl Subject for HsaSubject {
    type Device = HsaDevice;
    type Queue = HsaQueue;
    type Engine = HsaCopyEngine;
    type Memory = HsaMemory;

    fn devices(&self) -> usize {
        self.machine.devices.len()
    }
    fn device(&self, nth: usize) -> &HsaDevice {
        &self.machine.devices[nth]
    }
    fn queue(&self, of: usize, size: RingSize) -> HsaQueue {
        let packets = match size {
            RingSize::Smallest => SMALLEST,
            RingSize::Usual => USUAL,
        };
        let made = self.device(of).create_queue(options(packets, Stamping::On));
        made.unwrap_or_else(|error| panic!("no queue: {error}"))
    }
    fn slots(&self, size: RingSize) -> u64 {
        match size {
            RingSize::Smallest => self.machine.smallest,
            RingSize::Usual => self.machine.usual,
        }
    }
    fn engine(&self, of: usize) -> HsaCopyEngine {
        self.device(of).copy_engine().unwrap_or_else(|error| panic!("no copy engine: {error}"))
    }
    fn kernel(&self, of: usize, _: Length) -> Dispatch {
        // How long it runs is the device's choice.
        self.machine.kernels[of]
    }
    fn memory(&self, of: usize, word: u32) -> HsaMemory {
        let device = self.device(of);
        let features = device.capabilities().features;
        let mapped = features.contains(Features::LARGE_BAR);
        let number = self.machine.memories.fetch_add(1, Ordering::Relaxed);
        let place = if mapped && number % 2 == 1 { MemoryPlace::Device } else { MemoryPlace::Host };
        let made = device.allocate(place, WORDS * 4);
        let mut buffer = made.unwrap_or_else(|error| panic!("no memory: {error}"));
        buffer.write(0, &word.to_le_bytes().repeat(WORDS));
        device.flush();
        HsaMemory(ManuallyDrop::new(buffer))
    }
    fn holds(&self, memory: &HsaMemory, word: u32) -> bool {
        let mut bytes = vec![0; WORDS * 4];
        memory.0.read(0, &mut bytes);
        bytes.chunks_exact(4).all(|found| found == word.to_le_bytes())
    }
    fn copy(&self, from: &HsaMemory, to: &HsaMemory) -> CopyWork {
        // SAFETY: both ranges lie in buffers that are never freed.
        unsafe { CopyWork::new(to.0.place(0), from.0.place(0), WORDS * 4) }
    }
    fn now(&self) -> Duration {
        self.machine.begun.elapsed()
    }
    fn settle(&self, limit: Duration, mut condition: impl FnMut() -> bool) -> bool {
        let begun = Instant::now();
        loop {
            if condition() {
                return true;
            }
            if begun.elapsed() >= limit {
                return condition();
            }
            thread::yield_now();
        }
    }
    fn drive(&self) -> Drive {
        Drive::Real
    }
    fn together<'a, W: Worker<'a, Self>>(
        &'a self,
        shared: Shared<'a, Self>,
        workers: usize,
        work: &W,
    ) -> Vec<W::Answer> {
        at_once(shared, workers, work)
    }
    fn cpu_time(&self) -> Option<Duration> {
        // Its first number is the time on a processor, in ns.
        let times = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        times.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
    }
    fn reported(&self, of: usize) -> Vec<HandlerToken> {
        self.machine.reported[of].lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
    fn lose(&self, nth: usize) {
        if self.losing == Losing::ByReport {
            return self.device(nth).report_lost();
        }
        // Not one of these is waited for: the report comes when it comes.
        let queue = self.queue(nth, RingSize::Usual);
        for _ in 0..Self::FAULT_AT + 64 {
            let at = queue.reserve(PacketCount::ONE);
            let body = Body::And(Deps::NONE);
            queue.commit(at, &Packet { body, ..Packet::nothing() });
            queue.ring_doorbell(at);
        }
        std::mem::forget(queue);
    }
    fn attach_profiler(&self, nth: usize) -> bool {
        self.device(nth).attach_profiler();
        true
    }
    fn stamps(&self) -> Stamps {
        Stamps::Honest
    }
    fn unstamped_queue(&self, of: usize) -> Option<HsaQueue> {
        self.device(of).create_queue(options(USUAL, Stamping::Off)).ok()
    }
    fn violations(&self) -> Vec<String> {
        Vec::new()
    }
    fn lists(&self) -> Lists {
        let facts = Facts {
            capabilities: self.device(0).capabilities(),
            devices: self.devices(),
            stamps: self.stamps(),
            unstamped: Unstamped::Possible,
            drive: Drive::Real,
            lacks: self.lacks(),
        };
        let mut cannot = cannot(&facts);
        if facts.capabilities.can_hold_device_signals() {
            cannot.push((
                "signals_6_flushed_from_device_memory_to_a_copy_engine",
                "a block in VRAM is no signal that the runtime's copies can wait for",
            ));
        }
        Lists { cannot, not_yet: Vec::new() }
    }
}

/// Workers run at once, each on a thread.
pub fn at_once<'a, S, W>(shared: Shared<'a, S>, workers: usize, work: &W) -> Vec<W::Answer>
where
    S: Subject<Queue: Sync, Engine: Sync> + Sync,
    W: Worker<'a, S>,
{
    let one = |worker| {
        let mut state = work.begin(shared, worker);
        while work.step(shared, &mut state) == Step::Again {}
        work.end(state)
    };
    thread::scope(|scope| {
        let all: Vec<_> = (0..workers).map(|worker| scope.spawn(move || one(worker))).collect();
        let joined = all.into_iter().map(|worker| worker.join());
        joined.map(|answer| answer.expect("no worker panics")).collect()
    })
}
