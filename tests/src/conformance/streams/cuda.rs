//! The real driver of NVIDIA's GPUs.

use std::{
    mem::ManuallyDrop,
    num::NonZeroU32,
    ptr,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use ringfence::{
    backend::streams::{StreamDriver, StreamWork},
    error::{DriverCode, DriverError},
    id::{DeviceContext, DeviceId, RawMemory, RawStream, StreamKey},
};
use ringfence_cuda::{
    Arguments, Cuda, CudaError, CudaStreams, CudaWork, HostBuffer, Kernels, Launch, Progress,
    StreamOptions,
};
use ringfence_mock::streams::{profile::DriverProfile, system::Words};

use super::{
    super::{Drive, Lists},
    Brought, Can, Freed, Scale, Spot, SpotOf, StreamFacts, StreamSubject, cannot_on_streams,
};

/// The most streams that a test has at once. Work that the host holds up would hold up their creation, too.
const STREAMS: NonZeroU32 = NonZeroU32::new(600).expect("not 0");
/// Words of a block of cells.
const BLOCK: usize = 4096;
const DEVICE: DeviceId = DeviceId::new(0);

/// CUDA, on the machine's first GPU.
#[derive(Debug)]
pub struct CudaSubject {
    backend: CudaStreams,
    options: StreamOptions,
    kernels: Kernels,
    begun: Instant,
    /// Blocks of cells, which stay: a cell is not given out again.
    cells: Mutex<Vec<&'static HostBuffer>>,
    next: AtomicUsize,
    scale: Scale,
}

/// A word of pinned memory.
#[derive(Clone, Copy, Debug)]
pub struct CudaCell {
    block: &'static HostBuffer,
    index: usize,
}
impl PartialEq for CudaCell {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.block, other.block) && self.index == other.index
    }
}
impl CudaCell {
    fn address(self) -> u64 {
        self.block.address().as_u64() + 8 * self.index as u64
    }
}

impl CudaSubject {
    /// A driver of streams on the CUDA of this process.
    ///
    /// # Errors
    /// There is no driver, or no GPU.
    pub fn start(progress: Progress) -> Result<Self, CudaError> {
        let options = StreamOptions::default().with_progress(progress);
        let backend = CudaStreams::new(Cuda::start()?, options);
        let kernels = Self::kernels(&backend)?;
        Ok(Self {
            backend,
            options,
            kernels,
            begun: Instant::now(),
            cells: Mutex::default(),
            next: AtomicUsize::new(0),
            scale: Scale { streams: 256, tasks: 1_000, histories: 200, seed: 1 },
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

    /// They are loaded once, and launched once: the driver may wait for the whole GPU at a first launch. For streams it makes room.
    fn kernels(backend: &CudaStreams) -> Result<Kernels, CudaError> {
        static LOADED: Mutex<Option<Kernels>> = Mutex::new(None);
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernels) = *loaded {
            return Ok(kernels);
        }
        let kernels = Kernels::load(backend.cuda(), DEVICE)?;
        let key = StreamKey::new(DeviceContext::primary(DEVICE));
        backend.make_room(key.place, STREAMS).expect("memory");
        let stream = backend.create(key).expect("a stream");
        let none = Arguments::NONE;
        let nowhere = [
            (kernels.fill_u32, none.u64(0).u32(0).u32(0)),
            (kernels.copy_u32, none.u64(0).u64(0).u32(0)),
        ];
        for (function, arguments) in nowhere {
            // SAFETY: these are the kernels' arguments, and of no words they access none.
            let launch = unsafe { Kernels::line(function, 0, arguments) };
            backend.launch(stream, launch.into()).expect("a kernel");
        }
        backend.synchronize(stream).expect("it ends");
        backend.destroy(stream).expect("it is idle");
        Ok(*loaded.insert(kernels))
    }
    fn address(spot: SpotOf<Self>) -> u64 {
        match spot {
            Spot::Cell(cell) => cell.address(),
            Spot::Memory(memory) => memory.as_u64(),
        }
    }
    fn setting(&self, to: SpotOf<Self>, value: u32) -> Launch {
        let arguments = Arguments::NONE.u64(Self::address(to)).u32(value).u32(1);
        // SAFETY: these are its arguments; cells stay until the process ends, and memory of the driver's is kept by the test until its
        // work is over.
        unsafe { Kernels::line(self.kernels.fill_u32, 1, arguments) }
    }
    fn pinned(&self, words: usize) -> HostBuffer {
        HostBuffer::new(self.backend.cuda(), words).expect("pinned memory")
    }
}

impl StreamSubject for CudaSubject {
    type Backend = CudaStreams;
    type Cell = CudaCell;
    type Gate = ManuallyDrop<HostBuffer>;

    fn backend(&self) -> &CudaStreams {
        &self.backend
    }
    fn key(&self) -> StreamKey {
        StreamKey::new(DeviceContext::primary(DEVICE))
    }
    fn facts(&self) -> StreamFacts {
        StreamFacts {
            driver: "CUDA",
            rules: DriverProfile::Cuda.rules(),
            words: match self.options.progress {
                Progress::Words => Words::On,
                Progress::Queries => Words::Off,
            },
            independent: 4, // of 8 connections; with 4 streams that wait for a value, all others ran (docs/cuda.md)
            drive: Drive::Real,
            spoil: Can::No,
            loss: Can::No,
            plain_memory: Can::Yes,
            free_again: Can::Yes,
            scale: self.scale,
        }
    }
    fn lists(&self) -> Lists {
        Lists { cannot: cannot_on_streams(&self.facts()), not_yet: Vec::new() }
    }

    fn cell(&self) -> CudaCell {
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        let mut cells = self.cells.lock().unwrap_or_else(PoisonError::into_inner);
        while cells.len() <= at / BLOCK {
            cells.push(Box::leak(Box::new(self.pinned(BLOCK))));
        }
        CudaCell { block: cells[at / BLOCK], index: at % BLOCK }
    }
    fn read(&self, cell: CudaCell) -> u32 {
        cell.block.halves()[2 * cell.index].load(Ordering::Acquire)
    }
    fn store(&self, cell: CudaCell, value: u32) {
        cell.block.halves()[2 * cell.index].store(value, Ordering::Release);
    }
    fn set(&self, to: SpotOf<Self>, value: u32) -> CudaWork {
        self.setting(to, value).into()
    }
    /// A kernel: a copy from host memory to host memory waits for the stream.
    fn copy(&self, from: SpotOf<Self>, to: SpotOf<Self>) -> CudaWork {
        let [from, to] = [from, to].map(Self::address);
        let arguments = Arguments::NONE.u64(from).u64(to).u32(1);
        // SAFETY: as for a set.
        CudaWork::kernel(unsafe { Kernels::line(self.kernels.copy_u32, 1, arguments) })
    }
    fn failing_set(&self, to: SpotOf<Self>, value: u32) -> CudaWork {
        let (backend, launch) = (self.backend.clone(), self.setting(to, value));
        CudaWork::call(move |_, stream| {
            backend.launch(stream, launch.into())?;
            Err(DriverError::Other(DriverCode::new(7)))
        })
    }

    fn gate(&self) -> Self::Gate {
        ManuallyDrop::new(self.pinned(1))
    }
    fn hold(&self, gate: &Self::Gate) -> CudaWork {
        // SAFETY: a gate's word stays until the process ends.
        unsafe { CudaWork::wait_value(gate.address().as_u64(), 1) }
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
        self.backend.allocate_plain(super::stage::SIZE, self.key().place).ok()
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
