//! What the tests share: HIP, if there is one, and kernels that the GPU in software knows by their names.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::{env, sync::OnceLock};

use ringfence::{
    drive::StreamPool,
    id::{Bytes, DeviceContext, DeviceId, RawMemory, StreamKey},
    stream::PoolOptions,
};
use ringfence_hip::{Arguments, Extent, Function, Hip, HipStreams, Launch, Module, StreamOptions};

/// Set where a test that finds no HIP is to fail.
const REQUIRED: &str = "RINGFENCE_REQUIRE_ROCM";

/// HIP, or a line that says why the test is left out.
///
/// # Panics
/// If it is required and not there.
pub(crate) fn hip(test: &str) -> Option<Hip> {
    match Hip::start() {
        Ok(hip) => Some(hip),
        Err(error) => {
            assert!(env::var_os(REQUIRED).is_none(), "{test}: {error}");
            println!("{test}: left out: {error}");
            None
        }
    }
}

pub(crate) fn gpu() -> DeviceContext {
    DeviceContext::primary(DeviceId::new(0))
}

pub(crate) fn key() -> StreamKey {
    StreamKey::new(gpu())
}

pub(crate) fn pool(hip: Hip, options: StreamOptions) -> StreamPool<HipStreams> {
    StreamPool::new(HipStreams::new(hip, options), PoolOptions::default())
}

const SOURCE: &str = r#"
extern "C" __global__ void fill_u32(unsigned *out, unsigned value, unsigned count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = value;
}
extern "C" __global__ void iota(unsigned *out, unsigned start, unsigned count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = start + i;
}
extern "C" __global__ void reduce_sum(const unsigned *in, unsigned long long *out, unsigned count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) atomicAdd(out, (unsigned long long)in[i]);
}
"#;

/// Kernels, compiled once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernels {
    pub(crate) iota: Function,
    pub(crate) reduce_sum: Function,
}

pub(crate) fn kernels(hip: Hip) -> Kernels {
    static KERNELS: OnceLock<Kernels> = OnceLock::new();
    *KERNELS.get_or_init(|| kernels_of(hip, DeviceId::new(0)))
}

/// The same of another GPU.
pub(crate) fn kernels_of(hip: Hip, gpu: DeviceId) -> Kernels {
    let gfx = env::var("RINGFENCE_SOFTGPU_GFX").unwrap_or_else(|_| "gfx90a".to_owned());
    let module = Module::compile(hip, gpu, SOURCE, &gfx).expect("it compiles");
    let function = |name| module.function(hip, name).expect("it is in the source");
    Kernels { iota: function("iota"), reduce_sum: function("reduce_sum") }
}

const THREADS: u32 = 256;

fn line(function: Function, count: u32, arguments: Arguments) -> Launch {
    let (groups, threads) = (Extent::line(count.div_ceil(THREADS)), Extent::line(THREADS));
    // SAFETY: these are the kernels' arguments, and each test keeps the memory until the work is finished.
    unsafe { Launch::new(function, groups, threads, arguments) }
}

pub(crate) fn iota(kernels: Kernels, out: RawMemory, start: u32, count: u32) -> Launch {
    line(kernels.iota, count, Arguments::NONE.address(out).u32(start).u32(count))
}

pub(crate) fn reduce_sum(kernels: Kernels, input: RawMemory, out: RawMemory, count: u32) -> Launch {
    line(kernels.reduce_sum, count, Arguments::NONE.address(input).address(out).u32(count))
}

/// The bytes of so many numbers.
pub(crate) fn words(count: u32) -> Bytes {
    Bytes::new(u64::from(count) * 4)
}
