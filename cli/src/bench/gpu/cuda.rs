//! NVIDIA's CUDA.
#![allow(
    unsafe_code,
    reason = "a launch vouches for the kernel's arguments, which no type here can check"
)]

use std::sync::atomic::Ordering;

use ringfence::{
    backend::streams::{StreamDriver, StreamWork},
    id::{Bytes, DeviceContext, DeviceId, RawMemory, StreamKey},
};
use ringfence_cuda::{
    Arguments, Cuda, CudaStreams, CudaWork, Extent, Findings, HostBuffer, Kernels, Launch,
    StreamOptions,
};

use super::{About, At, Chunk, Gpu, Ground, HostWords, Kernel, source::SQUARE};
use crate::bench::problem::Problem;

/// The first GPU of CUDA.
#[derive(Debug)]
pub(in crate::bench) struct CudaGpu {
    cuda: Cuda,
    version: String,
    name: String,
    kernels: Kernels,
}

const DEVICE: DeviceId = DeviceId::new(0);

impl CudaGpu {
    /// Starts CUDA, loads the kernels, and launches each once: the driver may wait for the whole GPU at a first launch.
    pub(in crate::bench) fn open() -> Result<Self, Problem> {
        let cuda = Cuda::start().map_err(Problem::NoCuda)?;
        let driver = Findings::collect()
            .driver()
            .map_or_else(String::new, |driver| format!(", driver {driver}"));
        let path = cuda.library().path().display().to_string();
        let gpu = Self {
            cuda,
            version: format!("CUDA {}{driver} ({path})", cuda.version()),
            name: format!(
                "{} (compute capability {})",
                cuda.device_name(DEVICE)?,
                cuda.compute_capability(DEVICE)?
            ),
            kernels: Kernels::load(cuda, DEVICE)?,
        };
        gpu.launch_each()?;
        Ok(gpu)
    }
    fn launch_each(&self) -> Result<(), Problem> {
        let (streams, words) = (self.streams(), self.host_words(16)?);
        let stream = streams.create(self.key()).map_err(Problem::Driver)?;
        let at = At::start(words.address());
        let chunk = Chunk { side: 2, x: 0, y: 0, cells: 2 };
        let kernels = [
            Kernel::Fill { out: at, value: 0, count: 4 },
            Kernel::Iota { out: at, start: 0, count: 4 },
            Kernel::Saxpy { a: 0.0, x: at, y: at, count: 4 },
            Kernel::ReduceSum { input: at, out: At { word: 8, ..at }, count: 4 },
            Kernel::Stencil { input: at, out: At { word: 4, ..at }, chunk },
        ];
        let work = kernels.map(|kernel| self.kernel(kernel));
        for work in work.into_iter().chain([self.nothing().into()]) {
            streams.launch(stream, work).map_err(Problem::Driver)?;
        }
        streams.synchronize(stream).map_err(Problem::Driver)?;
        streams.destroy(stream).map_err(Problem::Driver)
    }
    /// The driver.
    pub(in crate::bench) fn cuda(&self) -> Cuda {
        self.cuda
    }
    /// The kernels.
    pub(in crate::bench) fn kernels(&self) -> &Kernels {
        &self.kernels
    }
    /// A kernel that does nothing.
    pub(in crate::bench) fn nothing(&self) -> Launch {
        let one = Extent::line(1);
        // SAFETY: it has no arguments, and accesses nothing.
        unsafe { Launch::new(self.kernels.nothing, one, one, Arguments::NONE) }
    }
}

fn address(at: At) -> RawMemory {
    RawMemory::new(at.memory.as_u64() + at.word * 4)
}

impl Gpu for CudaGpu {
    type Streams = CudaStreams;
    type Words = HostBuffer;

    fn about(&self) -> About {
        About {
            backend: "cuda",
            ground: Ground::Silicon,
            version: self.version.clone(),
            gpu: self.name.clone(),
            memory: "arrays by cuMemAllocAsync",
            caution: "every call is NVIDIA's; a stream costs it microseconds, so that leases buy order and memory more than time",
        }
    }
    fn key(&self) -> StreamKey {
        StreamKey::new(DeviceContext::primary(DEVICE))
    }
    fn streams(&self) -> CudaStreams {
        CudaStreams::new(self.cuda, StreamOptions::default())
    }
    fn host_words(&self, count: usize) -> Result<HostBuffer, Problem> {
        Ok(HostBuffer::new(self.cuda, count.div_ceil(2))?)
    }
    fn kernel(&self, kernel: Kernel) -> CudaWork {
        let Kernels { fill_u32, iota, saxpy, reduce_sum, stencil, .. } = self.kernels;
        let none = Arguments::NONE;
        let (function, count, arguments) = match kernel {
            Kernel::Fill { out, value, count } => {
                (fill_u32, count, none.address(address(out)).u32(value).u32(count))
            }
            Kernel::Iota { out, start, count } => {
                (iota, count, none.address(address(out)).u32(start).u32(count))
            }
            Kernel::Saxpy { a, x, y, count } => {
                let arguments = none.f32(a).address(address(x)).address(address(y)).u32(count);
                (saxpy, count, arguments)
            }
            Kernel::ReduceSum { input, out, count } => {
                let arguments = none.address(address(input)).address(address(out)).u32(count);
                (reduce_sum, count, arguments)
            }
            Kernel::Stencil { input, out, chunk: Chunk { side, x, y, cells } } => {
                let arguments = none.address(address(input)).address(address(out));
                let arguments = arguments.u32(side).u32(side).u32(x).u32(y).u32(cells).u32(cells);
                let groups = cells.div_ceil(SQUARE).max(1);
                let (groups, threads) =
                    (Extent::plane(groups, groups), Extent::plane(SQUARE, SQUARE));
                // SAFETY: as below.
                return CudaWork::kernel(unsafe {
                    Launch::new(stencil, groups, threads, arguments)
                });
            }
        };
        // SAFETY: these are the kernels' parameters in their order. They stay within the words that they are told of,
        // which the experiments allocate, and keep until a stamp of each use lets go of them.
        CudaWork::kernel(unsafe { Kernels::line(function, count, arguments) })
    }
    fn copy_out(&self, from: RawMemory, to: &HostBuffer, bytes: Bytes) -> CudaWork {
        // SAFETY: the experiments ask for no more than both hold, and wait for the end before they use either.
        unsafe { CudaWork::copy(to.address().as_u64(), from.as_u64(), bytes) }
    }
    fn copy_in(&self, to: RawMemory, from: &HostBuffer, bytes: Bytes) -> CudaWork {
        // SAFETY: as above.
        unsafe { CudaWork::copy(to.as_u64(), from.address().as_u64(), bytes) }
    }
    fn given_up(&self, _memory: RawMemory) {}
    fn pass_time(&self, _streams: &CudaStreams) {}
    fn settle(&self) -> Result<(), Problem> {
        Ok(self.cuda.synchronize(DEVICE)?)
    }
}

impl HostWords for HostBuffer {
    fn load(&self, word: usize) -> u32 {
        self.halves()[word].load(Ordering::Acquire)
    }
    fn store(&self, word: usize, value: u32) {
        self.halves()[word].store(value, Ordering::Release);
    }
}
