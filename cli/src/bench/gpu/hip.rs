//! AMD's HIP.
#![allow(
    unsafe_code,
    reason = "a launch vouches for the kernel's arguments, which no type here can check"
)]

use std::sync::atomic::Ordering;

use ringfence::id::{Bytes, DeviceContext, DeviceId, RawMemory, StreamKey};
use ringfence_hip::{
    Arguments, Extent, Function, Hip, HipStreams, HipVersion, HipWork, HostBuffer, Launch,
    MemoryKind, Module, StreamOptions,
};
use ringfence_hsa::Runtime;

use super::{
    About, At, Chunk, Gpu, Ground, HostWords, Kernel,
    source::{LINE, SOURCE, SQUARE},
};
use crate::bench::problem::Problem;

/// The first GPU of HIP.
#[derive(Debug)]
pub(in crate::bench) struct HipGpu {
    hip: Hip,
    name: String,
    architecture: String,
    kernels: Kernels,
    memory: MemoryKind,
}

#[derive(Clone, Copy, Debug)]
struct Kernels {
    nothing: Function,
    fill: Function,
    iota: Function,
    saxpy: Function,
    reduce_sum: Function,
    stencil: Function,
}

const DEVICE: DeviceId = DeviceId::new(0);

impl HipGpu {
    /// Starts HIP, and compiles the kernels for `gfx`, or for what HSA calls the first GPU. Its arrays are memory of this kind.
    pub(in crate::bench) fn open(
        gfx: Option<&str>,
        memory: Option<MemoryKind>,
    ) -> Result<Self, Problem> {
        let hip = Hip::start().map_err(Problem::NoHip)?;
        // HIP 5.2.3: `hipStreamDestroy` does not return while a block that was freed in a stream's order is still in use.
        let plain = hip.version() < HipVersion::new(5, 7, 0);
        let usual = if plain { MemoryKind::Plain } else { MemoryKind::StreamOrdered };
        let memory = memory.unwrap_or(usual);
        let architecture = match gfx {
            Some(named) => named.to_owned(),
            None => architecture()?,
        };
        let module = Module::compile(hip, DEVICE, SOURCE, &architecture)?;
        let kernels = Kernels {
            nothing: module.function(hip, "nothing")?,
            fill: module.function(hip, "fill_u32")?,
            iota: module.function(hip, "iota")?,
            saxpy: module.function(hip, "saxpy")?,
            reduce_sum: module.function(hip, "reduce_sum")?,
            stencil: module.function(hip, "stencil")?,
        };
        Ok(Self { hip, name: hip.device_name(DEVICE)?, architecture, kernels, memory })
    }
    /// The runtime.
    pub(in crate::bench) fn hip(&self) -> Hip {
        self.hip
    }
    /// What kernels are compiled for.
    pub(in crate::bench) fn architecture(&self) -> &str {
        &self.architecture
    }
    /// A kernel that does nothing.
    pub(in crate::bench) fn nothing(&self) -> Launch {
        let one = Extent::line(1);
        // SAFETY: it has no arguments, and accesses nothing.
        unsafe { Launch::new(self.kernels.nothing, one, one, Arguments::NONE) }
    }
}

/// HIP's table has no architecture; HSA, below it, says which one it is.
fn architecture() -> Result<String, Problem> {
    let runtime = Runtime::start().map_err(Problem::NoArchitecture)?;
    let device = runtime.device(DEVICE).map_err(Problem::NoArchitecture)?;
    Ok(device.facts().name().to_owned())
}

fn address(at: At) -> RawMemory {
    RawMemory::new(at.memory.as_u64() + at.word * 4)
}

impl Gpu for HipGpu {
    type Streams = HipStreams;
    type Words = HostBuffer;

    fn about(&self) -> About {
        About {
            backend: "hip",
            ground: Ground::of_amd(),
            version: format!(
                "HIP {} ({})",
                self.hip.version(),
                self.hip.library().path().display()
            ),
            gpu: format!("{} ({})", self.name, self.architecture),
            memory: match self.memory {
                MemoryKind::StreamOrdered => "arrays by hipMallocAsync",
                MemoryKind::Plain => "arrays by hipMalloc",
            },
            caution: "every call is AMD's; what it costs is this machine's, whatever lies below the runtime",
        }
    }
    fn key(&self) -> StreamKey {
        StreamKey::new(DeviceContext::primary(DEVICE))
    }
    fn streams(&self) -> HipStreams {
        HipStreams::new(self.hip, StreamOptions::default().with_memory(self.memory))
    }
    fn host_words(&self, count: usize) -> Result<HostBuffer, Problem> {
        Ok(HostBuffer::new(self.hip, count.div_ceil(2))?)
    }
    fn kernel(&self, kernel: Kernel) -> HipWork {
        let Kernels { nothing: _, fill, iota, saxpy, reduce_sum, stencil } = self.kernels;
        let line = |count: u32| (Extent::line(count.div_ceil(LINE).max(1)), Extent::line(LINE));
        let none = Arguments::NONE;
        let (function, (groups, threads), arguments) = match kernel {
            Kernel::Fill { out, value, count } => {
                (fill, line(count), none.address(address(out)).u32(value).u32(count))
            }
            Kernel::Iota { out, start, count } => {
                (iota, line(count), none.address(address(out)).u32(start).u32(count))
            }
            Kernel::Saxpy { a, x, y, count } => {
                let arguments = none.f32(a).address(address(x)).address(address(y)).u32(count);
                (saxpy, line(count), arguments)
            }
            Kernel::ReduceSum { input, out, count } => {
                let arguments = none.address(address(input)).address(address(out)).u32(count);
                (reduce_sum, line(count), arguments)
            }
            Kernel::Stencil { input, out, chunk: Chunk { side, x, y, cells } } => {
                let arguments = none.address(address(input)).address(address(out));
                let arguments = arguments.u32(side).u32(side).u32(x).u32(y).u32(cells).u32(cells);
                let groups = cells.div_ceil(SQUARE).max(1);
                let square = (Extent::plane(groups, groups), Extent::plane(SQUARE, SQUARE));
                (stencil, square, arguments)
            }
        };
        // SAFETY: these are the kernels' parameters in their order. They stay within the words that they are told of,
        // which the experiments allocate, and keep until a stamp of each use lets go of them.
        HipWork::kernel(unsafe { Launch::new(function, groups, threads, arguments) })
    }
    fn copy_out(&self, from: RawMemory, to: &HostBuffer, bytes: Bytes) -> HipWork {
        // SAFETY: the experiments ask for no more than both hold, and wait for the end before they use either.
        unsafe { HipWork::copy(to.address().as_u64(), from.as_u64(), bytes) }
    }
    fn copy_in(&self, to: RawMemory, from: &HostBuffer, bytes: Bytes) -> HipWork {
        // SAFETY: as above.
        unsafe { HipWork::copy(to.as_u64(), from.address().as_u64(), bytes) }
    }
    fn given_up(&self, _memory: RawMemory) {}
    fn pass_time(&self, _streams: &HipStreams) {}
    fn settle(&self) -> Result<(), Problem> {
        Ok(self.hip.synchronize(DEVICE)?)
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
