//! Queues on AMD's HIP as a subject: streams that a retirement ring runs on.

use std::{
    fmt,
    mem::ManuallyDrop,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU32, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use ringfence::{
    backend::{
        Device, HandlerToken,
        streams::{StreamDriver, StreamWork},
    },
    error::{DriverCode, DriverError},
    id::{Bytes, DeviceContext, DeviceId, RawMemory, RawStream, SignalHandle, StreamKey},
};
use ringfence_hip::{
    Arguments, CopyOrder, Extent, Hip, HipCopyEngine, HipDevice, HipError, HipQueue, HipStreams,
    HipWork, HostBuffer, Launch, Module, StreamOptions,
};

use super::{
    Drive, Facts, Lacks, Length, Lists, RingSize, Shared, Stamps, Subject, Unstamped, Worker,
    at_once, cannot,
};

/// Words of each memory.
const WORDS: usize = 1_024;
/// Packets that a queue holds before an earlier one is committed.
const SLOTS: u64 = 1_024;
const SOURCE: &str = r#"
extern "C" __global__ void fill_u32(unsigned *out, unsigned value, unsigned count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = value;
}
"#;

/// All GPUs of HIP, as a ring sees them.
#[derive(Debug)]
pub struct HipRing {
    machine: &'static Machine,
}
/// What the process has, for all tests.
struct Machine {
    hip: Hip,
    devices: Vec<HipDevice>,
    kernels: Vec<Launch>,
    reported: Vec<Arc<Mutex<Vec<HandlerToken>>>>,
    begun: Instant,
    memories: AtomicUsize,
    copies: RawStream,
}
impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Machine").field("devices", &self.devices).finish_non_exhaustive()
    }
}
impl Machine {
    fn start() -> Result<Self, HipError> {
        let hip = Hip::start()?;
        let streams = HipStreams::new(hip, StreamOptions::default());
        let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
        let copies = streams.create(key).map_err(|_| HipError::NoGpu)?;
        let mut machine = Self {
            hip,
            copies,
            memories: AtomicUsize::new(0),
            devices: Vec::new(),
            kernels: Vec::new(),
            reported: Vec::new(),
            begun: Instant::now(),
        };
        for id in hip.devices() {
            let device = HipDevice::new(&streams, id)?;
            let tokens = Arc::new(Mutex::new(Vec::new()));
            let told = tokens.clone();
            device.on_completion(move |_, token| {
                told.lock().unwrap_or_else(PoisonError::into_inner).push(token);
            });
            machine.devices.push(device);
            machine.reported.push(tokens);
            machine.kernels.push(fill(hip, id)?);
        }
        Ok(machine)
    }
}
/// A kernel that writes a word which nobody reads.
fn fill(hip: Hip, device: DeviceId) -> Result<Launch, HipError> {
    let module = Module::compile(hip, device, SOURCE, &hip.gfx(device)?)?;
    let word = HostBuffer::new(hip, 1)?;
    let arguments = Arguments::NONE.address(word.address()).u32(1).u32(1);
    std::mem::forget(word); // it stays until the process ends
    let one = Extent::line(1);
    // SAFETY: these are its arguments, and the word stays.
    Ok(unsafe { Launch::new(module.function(hip, "fill_u32")?, one, one, arguments) })
}

impl HipRing {
    /// The HIP of this process, as often as is asked for.
    ///
    /// # Errors
    /// There is none, or no GPU.
    pub fn start() -> Result<Self, HipError> {
        static MACHINE: OnceLock<Machine> = OnceLock::new();
        let machine = match MACHINE.get() {
            Some(machine) => machine,
            None => {
                let started = Machine::start()?;
                MACHINE.get_or_init(|| started)
            }
        };
        Ok(Self { machine })
    }
    /// Copies on a stream of its own, and waits.
    fn copy_now(&self, to: RawMemory, from: RawMemory) {
        let (streams, own) = (self.device(0).streams(), self.machine.copies);
        // SAFETY: all memories have so many words, and stay.
        let work =
            unsafe { HipWork::copy(to.as_u64(), from.as_u64(), Bytes::new(4 * WORDS as u64)) };
        streams.launch(own, work).expect("a copy");
        streams.synchronize(own).expect("it ends");
    }
}

/// Memory that stays until the process ends: a copy that a failed test left behind may still write to it. Every other one is
/// device memory: from host memory to host memory HIP copies on the host, and waits for the stream.
#[derive(Debug)]
pub struct HipMemory {
    /// What the host sees: the memory itself, or a copy of it.
    seen: ManuallyDrop<HostBuffer>,
    device: Option<RawMemory>,
}
impl HipMemory {
    fn address(&self) -> RawMemory {
        self.device.unwrap_or_else(|| self.seen.address())
    }
}

impl Subject for HipRing {
    type Device = HipDevice;
    type Queue = HipQueue;
    type Engine = HipCopyEngine;
    type Memory = HipMemory;

    fn devices(&self) -> usize {
        self.machine.devices.len()
    }
    fn device(&self, nth: usize) -> &HipDevice {
        &self.machine.devices[nth]
    }
    fn queue(&self, of: usize, _: RingSize) -> HipQueue {
        let device = self.device(of);
        let made = device.create_queue(StreamKey::new(DeviceContext::primary(device.id())));
        made.unwrap_or_else(|error| panic!("no queue: {error}"))
    }
    fn slots(&self, _: RingSize) -> u64 {
        SLOTS
    }
    fn engine(&self, of: usize) -> HipCopyEngine {
        let made = self.device(of).create_copy_engine();
        made.unwrap_or_else(|error| panic!("no copy engine: {error}"))
    }
    fn kernel(&self, of: usize, _: Length) -> Launch {
        self.machine.kernels[of]
    }
    fn memory(&self, of: usize, word: u32) -> HipMemory {
        let seen = HostBuffer::new(self.machine.hip, WORDS / 2).expect("pinned memory");
        for half in seen.halves() {
            half.store(word, Ordering::Release);
        }
        let number = self.machine.memories.fetch_add(1, Ordering::Relaxed);
        let device = (number % 2 == 1).then(|| {
            let place = DeviceContext::primary(self.device(of).id());
            let streams = self.device(of).streams();
            let device = streams.allocate_plain(Bytes::new(4 * WORDS as u64), place);
            let device = device.expect("memory");
            self.copy_now(device, seen.address());
            device
        });
        HipMemory { seen: ManuallyDrop::new(seen), device }
    }
    fn holds(&self, memory: &HipMemory, word: u32) -> bool {
        if let Some(device) = memory.device {
            self.copy_now(memory.seen.address(), device);
        }
        let same = |half: &AtomicU32| half.load(Ordering::Acquire) == word;
        memory.seen.halves().iter().all(same)
    }
    fn copy(&self, from: &HipMemory, to: &HipMemory) -> CopyOrder {
        let (to, from): (RawMemory, RawMemory) = (to.address(), from.address());
        // SAFETY: both ranges lie in buffers that are never freed.
        let order = unsafe { CopyOrder::new(to, from, Bytes::new(4 * WORDS as u64)) };
        // SAFETY: as before; each part copies these same ranges.
        unsafe { order.with_stride(Bytes::new(0)) }
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
        self.device(nth).report_lost(DriverError::DeviceLost(DriverCode::new(719)));
    }
    fn attach_profiler(&self, _: usize) -> bool {
        false
    }
    fn stamps(&self) -> Stamps {
        Stamps::None
    }
    fn unstamped_queue(&self, of: usize) -> Option<HipQueue> {
        Some(self.queue(of, RingSize::Usual))
    }
    fn lacks(&self) -> Lacks {
        Lacks::all()
    }
    /// A stream waits for a number of completions, which only a completion makes.
    fn open_gate(&self, of: usize, gate: SignalHandle) {
        self.device(of).complete(gate);
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
        cannot.push((
            "device_3_profiler_attaches",
            "HIP does not say whether a profiler is attached",
        ));
        Lists { cannot, not_yet: Vec::new() }
    }
}
