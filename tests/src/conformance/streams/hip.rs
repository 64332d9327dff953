//! AMD's HIP as a subject.

use std::{
    ffi::c_void,
    mem::ManuallyDrop,
    ptr,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use ringfence::{
    backend::streams::{CaptureMode, CaptureStatus, StreamDriver, StreamWork},
    error::{DriverCode, DriverError},
    id::{Bytes, DeviceContext, DeviceId, RawMemory, RawStream, StreamKey},
};
use ringfence_hip::{
    Arguments, Extent, Function, Hip, HipError, HipStreams, HipVersion, HipWork, HostBuffer,
    Launch, Module, Progress, StreamOptions, sys,
};
use ringfence_mock::streams::{
    profile::{DriverProfile, DriverRules, EventRule, ThreadGuard},
    system::Words,
};

use super::{
    super::{Drive, Lists},
    Brought, Can, Freed, Scale, Spot, SpotOf, StreamFacts, StreamSubject, cannot_on_streams,
};

/// Cells of a block of pinned memory: more than a test needs, since none can be had while somebody captures.
const BLOCK: usize = 64 * 1024;
/// Places in device memory: more than a test has copies in flight.
const PLACES: u64 = 16 * 1024;

/// HIP, with a driver of its own for each test. What a test leaves behind stays until the process ends: freeing pinned memory
/// waits for all work, which a test that failed may have left waiting.
#[derive(Debug)]
pub struct HipSubject {
    backend: HipStreams,
    options: StreamOptions,
    begun: Instant,
    cells: Mutex<Vec<&'static HostBuffer>>,
    next: AtomicUsize,
    /// Device memory that words go through, and which place of it is next.
    between: RawMemory,
    next_place: AtomicU64,
    kernel: Fill,
    scale: Scale,
}

/// A kernel that sets words. The GPU in software knows it by its name.
#[derive(Clone, Copy, Debug)]
struct Fill(Function);
impl Fill {
    const SOURCE: &'static str = r#"
extern "C" __global__ void fill_u32(unsigned *out, unsigned value, unsigned count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = value;
}
"#;
    /// It is compiled once.
    fn compile(hip: Hip, device: DeviceId) -> Result<Self, HipError> {
        static COMPILED: Mutex<Option<Fill>> = Mutex::new(None);
        let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(fill) = *compiled {
            return Ok(fill);
        }
        let module = Module::compile(hip, device, Self::SOURCE, &hip.gfx(device)?)?;
        Ok(*compiled.insert(Self(module.function(hip, "fill_u32")?)))
    }
    fn fill(self, to: u64, value: u32) -> Launch {
        let arguments = Arguments::NONE.u64(to).u32(value).u32(1);
        let one = Extent::line(1);
        // SAFETY: these are its arguments; cells stay until the process ends, and memory of the driver's is kept by the test until
        // its work is over.
        unsafe { Launch::new(self.0, one, one, arguments) }
    }
}

/// A word of pinned memory.
#[derive(Clone, Copy, Debug)]
pub struct HipCell {
    block: &'static HostBuffer,
    index: usize,
}
impl PartialEq for HipCell {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.block, other.block) && self.index == other.index
    }
}
impl HipCell {
    fn address(self) -> u64 {
        self.block.address().as_u64() + 8 * self.index as u64
    }
}

impl HipSubject {
    /// A driver on the HIP of this process.
    ///
    /// # Errors
    /// There is no HIP, or no GPU.
    pub fn start(progress: Progress) -> Result<Self, HipError> {
        let options = StreamOptions::default().with_progress(progress);
        let backend = HipStreams::new(Hip::start()?, options);
        let place = DeviceContext::primary(DeviceId::new(0));
        let kernel = Fill::compile(backend.hip(), place.device)?;
        let cells = Self::pinned(&backend, BLOCK);
        // They stay until the process ends: freeing them would wait for the device.
        let before = backend.exchange_capture_mode(CaptureMode::Relaxed);
        let between = backend.allocate_plain(Bytes::new(4 * PLACES), place).expect("memory");
        let _relaxed = backend.exchange_capture_mode(before);
        Ok(Self {
            backend,
            between,
            next_place: AtomicU64::new(0),
            kernel,
            options,
            begun: Instant::now(),
            cells: Mutex::new(vec![Box::leak(Box::new(cells))]),
            next: AtomicUsize::new(0),
            scale: Scale { streams: 128, tasks: 1_000, histories: 200, seed: 1 },
        })
    }
    /// The same, doing so much.
    #[must_use]
    pub fn with_scale(self, scale: Scale) -> Self {
        Self { scale, ..self }
    }
    /// How much is done.
    #[must_use]
    pub fn scale(&self) -> Scale {
        self.scale
    }

    fn address(spot: SpotOf<Self>) -> u64 {
        match spot {
            Spot::Cell(cell) => cell.address(),
            Spot::Memory(memory) => memory.as_u64(),
        }
    }
    /// The places that a word goes through. HIP copies from host memory to host memory at once, and waits for the stream: so there is
    /// a place in device memory in between.
    fn hops(&self, from: SpotOf<Self>, to: SpotOf<Self>) -> Vec<u64> {
        let mut hops = vec![Self::address(from)];
        if matches!((from, to), (Spot::Cell(_), Spot::Cell(_))) {
            let place = self.next_place.fetch_add(1, Ordering::Relaxed) % PLACES;
            hops.push(self.between.as_u64() + 4 * place);
        }
        hops.push(Self::address(to));
        hops
    }
    /// Pinned memory, also while somebody captures.
    fn pinned(backend: &HipStreams, words: usize) -> HostBuffer {
        let before = backend.exchange_capture_mode(CaptureMode::Relaxed);
        let buffer = HostBuffer::new(backend.hip(), words);
        let _relaxed = backend.exchange_capture_mode(before);
        buffer.expect("pinned memory")
    }
    /// A word that keeps this value.
    fn constant(&self, value: u32) -> HipCell {
        let cell = self.cell();
        self.store(cell, value);
        cell
    }
    fn version(&self) -> HipVersion {
        self.backend.hip().version()
    }
}

/// The row of a version: tried on 5.2.3, 5.7.1 and 6.4.3. On 5.7 the backend does better than HIP: its streams are primed, so that
/// they are answered for while others capture, and it waits for an event by asking.
fn rules(version: HipVersion) -> (&'static str, DriverRules) {
    match (version.major(), version.minor()) {
        (..=4, _) | (5, ..7) => ("HIP 5.2", DriverProfile::Hip52.rules()),
        (5, 7..) => {
            let (query, event) = (ThreadGuard::Nothing, EventRule::Nothing);
            ("HIP 5.7", DriverRules { query, event, ..DriverProfile::Hip57.rules() })
        }
        (6.., _) => ("HIP 6.4", DriverProfile::Hip64.rules()),
    }
}

impl StreamSubject for HipSubject {
    type Backend = HipStreams;
    type Cell = HipCell;
    type Gate = ManuallyDrop<HostBuffer>;

    fn backend(&self) -> &HipStreams {
        &self.backend
    }
    fn key(&self) -> StreamKey {
        StreamKey::new(DeviceContext::primary(DeviceId::new(0)))
    }
    fn facts(&self) -> StreamFacts {
        let (driver, rules) = rules(self.version());
        StreamFacts {
            driver,
            rules,
            words: match self.options.progress {
                Progress::Words => Words::On,
                Progress::Queries => Words::Off,
            },
            independent: 4, // GPU_MAX_HW_QUEUES
            drive: Drive::Real,
            spoil: Can::No,
            loss: Can::No,
            plain_memory: Can::Yes,
            free_again: match self.version() < HipVersion::new(6, 0, 0) {
                true => Can::Yes,
                false => Can::No, // 6.4.3
            },
            scale: self.scale,
        }
    }
    fn lists(&self) -> Lists {
        let mut not_yet = Vec::new();
        if self.facts().driver == "HIP 5.7" {
            not_yet.push((
                "rules_query_of_a_stream_that_captured_before",
                "HIP 5.7.1 refuses it while others capture, once the stream itself captured in global mode",
            ));
        }
        Lists { cannot: cannot_on_streams(&self.facts()), not_yet }
    }

    fn cell(&self) -> HipCell {
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        let mut cells = self.cells.lock().unwrap_or_else(PoisonError::into_inner);
        while cells.len() <= at / BLOCK {
            let block = Self::pinned(&self.backend, BLOCK);
            cells.push(Box::leak(Box::new(block)));
        }
        HipCell { block: cells[at / BLOCK], index: at % BLOCK }
    }
    fn read(&self, cell: HipCell) -> u32 {
        cell.block.halves()[2 * cell.index].load(Ordering::Acquire)
    }
    fn store(&self, cell: HipCell, value: u32) {
        cell.block.halves()[2 * cell.index].store(value, Ordering::Release);
    }
    /// A kernel: HIP 5.2 takes 30 copies or fills behind work that waits, and then waits itself, and HIP 6.4.3 forgets a fill of
    /// pinned memory that it recorded. Of a kernel HIP 5.2 records none: there it is a copy in a capture.
    fn set(&self, to: SpotOf<Self>, value: u32) -> HipWork {
        let launch = self.kernel.fill(Self::address(to), value);
        if self.version() >= HipVersion::new(5, 7, 0) {
            return HipWork::kernel(launch);
        }
        let (backend, hops) =
            (self.backend.clone(), self.hops(Spot::Cell(self.constant(value)), to));
        HipWork::call(move |hip, stream| match backend.capture_status(stream) {
            CaptureStatus::None => backend.launch(stream, launch.into()),
            _ => copy_along(&hops, hip, stream),
        })
    }
    fn copy(&self, from: SpotOf<Self>, to: SpotOf<Self>) -> HipWork {
        let hops = self.hops(from, to);
        HipWork::call(move |hip, stream| copy_along(&hops, hip, stream))
    }
    fn failing_set(&self, to: SpotOf<Self>, value: u32) -> HipWork {
        let hops = self.hops(Spot::Cell(self.constant(value)), to);
        HipWork::call(move |hip, stream| {
            copy_along(&hops, hip, stream)?;
            Err(DriverError::Other(DriverCode::new(7)))
        })
    }

    fn gate(&self) -> Self::Gate {
        ManuallyDrop::new(Self::pinned(&self.backend, 1))
    }
    fn hold(&self, gate: &Self::Gate) -> HipWork {
        // SAFETY: a gate's word stays until the process ends.
        unsafe { HipWork::wait_value(gate.address().as_u64(), 1) }
    }
    fn open(&self, gate: &Self::Gate) {
        gate.words()[0].store(1, Ordering::Release);
    }

    fn now(&self) -> Duration {
        self.begun.elapsed()
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

    fn freed(&self, _memory: RawMemory) -> Freed {
        Freed::Unknown
    }
    fn plain_memory(&self) -> Option<RawMemory> {
        self.backend.allocate_plain(Bytes::new(256), self.key().place).ok()
    }
    fn spoil(&self, _stream: RawStream) -> Brought {
        Brought::Nothing
    }
    fn lose(&self) -> Brought {
        Brought::Nothing
    }
    fn violations(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Copies a word from place to place, in the stream's order.
fn copy_along(hops: &[u64], hip: Hip, stream: RawStream) -> Result<(), DriverError> {
    let (copy, kind) = (hip.functions().hipMemcpyAsync, sys::hipMemcpyDefault);
    let stream = handle(stream.as_u64());
    for hop in hops.windows(2) {
        let (from, to) = (handle(hop[0]).cast_const(), handle(hop[1]));
        // SAFETY: cells and the places between stay until the process ends; memory of the driver's is kept by the test until its
        // work is over. The stream is the one that the work is for.
        let answer = unsafe { copy(to, from, 4, kind, stream) };
        if answer != sys::hipSuccess {
            return Err(DriverError::Other(DriverCode::new(answer.cast_signed())));
        }
    }
    Ok(())
}

/// A handle or an address as HIP has it.
fn handle(number: u64) -> *mut c_void {
    ptr::with_exposed_provenance_mut(number as usize)
}
