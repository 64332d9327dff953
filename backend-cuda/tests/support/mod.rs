//! What the tests share: CUDA, if there is one, and launches of its kernels.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::{
    env,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use ringfence::{
    backend::streams::{StreamDriver, StreamWork},
    id::{Bytes, DeviceContext, DeviceId, RawMemory, RawStream, StreamKey},
};
use ringfence_cuda::{
    Arguments, Cuda, CudaStreams, CudaWork, HostBuffer, Kernels, Launch, StreamOptions,
};

/// Set where a test that finds no CUDA is to fail.
const REQUIRED: &str = "RINGFENCE_REQUIRE_CUDA";
/// The longest wait.
pub(crate) const LIMIT: Duration = Duration::from_secs(10);

/// CUDA, for one test at a time: where one holds work up, calls of another would wait for it, with the driver's locks.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) cuda: Cuda,
    _others_wait: MutexGuard<'static, ()>,
}

/// CUDA, or a line that says why the test is left out.
///
/// # Panics
/// If it is required and not there.
pub(crate) fn turn(test: &str) -> Option<Turn> {
    static TURN: Mutex<()> = Mutex::new(());
    let _others_wait = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    match Cuda::start() {
        Ok(cuda) => Some(Turn { cuda, _others_wait }),
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

pub(crate) fn streams(cuda: Cuda) -> CudaStreams {
    CudaStreams::new(cuda, StreamOptions::default())
}

/// Kernels, loaded once, and the copy launched once: a first launch may wait for the whole GPU.
pub(crate) fn kernels(cuda: Cuda) -> Kernels {
    static KERNELS: OnceLock<Kernels> = OnceLock::new();
    *KERNELS.get_or_init(|| {
        let (kernels, streams) = (Kernels::load(cuda, DeviceId::new(0)), streams(cuda));
        let (kernels, stream) = (kernels.expect("PTX"), streams.create(key()).expect("a stream"));
        // SAFETY: these are its arguments, and of no words it accesses none.
        let launch =
            unsafe { Kernels::line(kernels.copy_u32, 0, Arguments::NONE.u64(0).u64(0).u32(0)) };
        streams.launch(stream, launch.into()).expect("a kernel");
        streams.synchronize(stream).expect("it ends");
        streams.destroy(stream).expect("it is idle");
        kernels
    })
}

pub(crate) fn iota(kernels: Kernels, out: RawMemory, start: u32, count: u32) -> Launch {
    let arguments = Arguments::NONE.address(out).u32(start).u32(count);
    // SAFETY: these are its arguments, and each test keeps the memory until the work is finished.
    unsafe { Kernels::line(kernels.iota, count, arguments) }
}

pub(crate) fn copy(kernels: Kernels, from: RawMemory, to: RawMemory, count: u32) -> Launch {
    let arguments = Arguments::NONE.address(from).address(to).u32(count);
    // SAFETY: as above.
    unsafe { Kernels::line(kernels.copy_u32, count, arguments) }
}

pub(crate) fn reduce_sum(kernels: Kernels, input: RawMemory, out: RawMemory, count: u32) -> Launch {
    let arguments = Arguments::NONE.address(input).address(out).u32(count);
    // SAFETY: as above.
    unsafe { Kernels::line(kernels.reduce_sum, count, arguments) }
}

/// The bytes of so many numbers.
pub(crate) fn words(count: u32) -> Bytes {
    Bytes::new(u64::from(count) * 4)
}

/// Holds a stream up until the host writes 1 into the buffer's word.
pub(crate) fn hold(streams: &CudaStreams, stream: RawStream, gate: &HostBuffer) {
    // SAFETY: each test opens its gate, and keeps the buffer until the stream is idle.
    let wait = unsafe { CudaWork::wait_value(gate.address().as_u64(), 1) };
    streams.launch(stream, wait).expect("a wait");
}
