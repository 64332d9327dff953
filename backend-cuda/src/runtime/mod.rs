//! The driver, started.

mod current;
mod relaxed;

use std::{
    ffi::{CStr, c_int, c_void},
    ptr::{self, NonNull},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicPtr, Ordering},
    },
};

use ringfence::{backend::streams::DriverState, error::DriverError, id::DeviceId};
use ringfence_backend_shared::{life::Life, words::Pinned};

use crate::{
    CudaVersion,
    error::{Code, CudaError, name_of},
    streams::class,
    sys::{self, CUcontext, CUctx_st, CUdevice, CUresult, Functions, Library},
};

pub use current::Current;
pub(crate) use relaxed::Relaxed;

/// Whether the driver may be called.
static LIFE: Life = Life::new();

/// The CUDA driver, loaded and initialised: a handle that costs nothing to copy. It is never unloaded or shut down, and each GPU's
/// primary context stays from its first use on.
///
/// ```no_run
/// # fn main() -> Result<(), ringfence_cuda::CudaError> {
/// use ringfence_cuda::Cuda;
/// let cuda = Cuda::start()?; // loads it at the first call
/// println!("CUDA {} from {}", cuda.version(), cuda.library().path().display());
/// for gpu in cuda.devices() {
///     println!("{gpu}: {}, {}", cuda.device_name(gpu)?, cuda.compute_capability(gpu)?);
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Cuda(&'static Started);

#[derive(Debug)]
struct Started {
    library: &'static Library,
    version: CudaVersion,
    /// Null before its first use.
    contexts: Box<[AtomicPtr<CUctx_st>]>,
}

impl Cuda {
    /// Loads and initialises the driver, if that was not done before. With no GPU it fails.
    ///
    /// # Errors
    /// [`CudaError::Load`], with all that was tried; [`CudaError::NoGpu`]; what the driver says.
    pub fn start() -> Result<Self, CudaError> {
        static STARTED: Mutex<Option<Cuda>> = Mutex::new(None);
        let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cuda) = *started {
            return Ok(cuda);
        }
        let cuda = Self::start_with(Library::load()?)?;
        *started = Some(cuda);
        Ok(cuda)
    }

    fn start_with(library: &'static Library) -> Result<Self, CudaError> {
        let functions = library.functions();
        let ok = |call, number| match number {
            sys::CUDA_SUCCESS => Ok(()),
            sys::CUDA_ERROR_NO_DEVICE => Err(CudaError::NoGpu),
            _ => Err(CudaError::Call { call, code: Code::new(number, name_of(functions, number)) }),
        };
        // SAFETY: no precondition; 0 is the only flag there is.
        ok("cuInit", unsafe { (functions.cuInit)(0) })?;
        let (mut version, mut devices): (c_int, c_int) = (0, 0);
        // SAFETY: `version` is writable.
        ok("cuDriverGetVersion", unsafe { (functions.cuDriverGetVersion)(&raw mut version) })?;
        // SAFETY: `devices` is writable.
        ok("cuDeviceGetCount", unsafe { (functions.cuDeviceGetCount)(&raw mut devices) })?;
        if devices <= 0 {
            return Err(CudaError::NoGpu);
        }
        LIFE.watch();
        let version = CudaVersion::from_number(u32::try_from(version).unwrap_or(0));
        let contexts = (0..devices).map(|_| AtomicPtr::default()).collect();
        Ok(Self(Box::leak(Box::new(Started { library, version, contexts }))))
    }

    /// The version of CUDA that the driver serves.
    #[must_use]
    pub fn version(self) -> CudaVersion {
        self.0.version
    }

    /// What was loaded.
    #[must_use]
    pub fn library(self) -> &'static Library {
        self.0.library
    }

    /// The GPUs, by number.
    pub fn devices(self) -> impl Iterator<Item = DeviceId> {
        let count = u32::try_from(self.0.contexts.len()).unwrap_or(u32::MAX);
        (0..count).map(DeviceId::new)
    }

    /// A GPU's name.
    ///
    /// # Errors
    /// [`CudaError::NoSuchDevice`].
    pub fn device_name(self, device: DeviceId) -> Result<String, CudaError> {
        let device = self.device(self.ordinal(device)?)?;
        let mut name = [0_u8; 256];
        let (at, length) = (name.as_mut_ptr().cast(), name.len() as c_int);
        // SAFETY: `name` is so long.
        let answer = unsafe { (self.functions().cuDeviceGetName)(at, length, device) };
        self.ok("cuDeviceGetName", answer)?;
        let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
        Ok(name.to_string_lossy().into_owned())
    }

    /// A GPU's compute capability, as 9.0 is written: the architecture is `sm_90` then.
    ///
    /// # Errors
    /// [`CudaError::NoSuchDevice`].
    pub fn compute_capability(self, device: DeviceId) -> Result<String, CudaError> {
        let device = self.device(self.ordinal(device)?)?;
        let number = |which| {
            let mut value = 0;
            // SAFETY: `value` is writable.
            let answer =
                unsafe { (self.functions().cuDeviceGetAttribute)(&raw mut value, which, device) };
            self.ok("cuDeviceGetAttribute", answer).map(|()| value)
        };
        let major = number(sys::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = number(sys::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        Ok(format!("{major}.{minor}"))
    }

    /// Waits for all work of a GPU's primary context. It breaks every capture of the process, whatever the thread's mode (driver 580,
    /// tried).
    ///
    /// # Errors
    /// What the driver says.
    pub fn synchronize(self, device: DeviceId) -> Result<(), CudaError> {
        let _current = self.on(self.ordinal(device)?)?;
        // SAFETY: no precondition.
        self.ok("cuCtxSynchronize", unsafe { (self.functions().cuCtxSynchronize)() })
    }

    /// Whether the driver may be called: see [`DriverState`].
    #[inline]
    pub fn state(self) -> DriverState {
        LIFE.state()
    }

    /// The driver's functions, for what this crate has no call for.
    #[inline]
    #[must_use]
    pub fn functions(self) -> &'static Functions {
        self.0.library.functions()
    }

    /// Makes a GPU's primary context the calling thread's until the guard is dropped. Calls that take a stream, an event or a graph
    /// need none (driver 580, tried); those that make one, or memory, do.
    ///
    /// # Errors
    /// [`CudaError::NoSuchDevice`]; what the driver says when it makes the context.
    pub fn current(self, device: DeviceId) -> Result<Current, CudaError> {
        self.on(self.ordinal(device)?)
    }

    /// The driver's number of a GPU.
    pub(crate) fn ordinal(self, device: DeviceId) -> Result<c_int, CudaError> {
        let count = u32::try_from(self.0.contexts.len()).unwrap_or(u32::MAX);
        let known = device.as_u32() < count;
        c_int::try_from(device.as_u32())
            .ok()
            .filter(|_| known)
            .ok_or(CudaError::NoSuchDevice { id: device, count })
    }

    fn device(self, ordinal: c_int) -> Result<CUdevice, CudaError> {
        let mut device = 0;
        // SAFETY: `device` is writable.
        let answer = unsafe { (self.functions().cuDeviceGet)(&raw mut device, ordinal) };
        self.ok("cuDeviceGet", answer)?;
        Ok(device)
    }

    /// The primary context of a GPU that there is. It is never released.
    fn context(self, ordinal: c_int) -> Result<CUcontext, CudaError> {
        let place = &self.0.contexts[ordinal as usize];
        let known = place.load(Ordering::Acquire);
        if !known.is_null() {
            return Ok(known);
        }
        let device = self.device(ordinal)?;
        let mut context = ptr::null_mut();
        let retain = self.functions().cuDevicePrimaryCtxRetain;
        // SAFETY: `context` is writable. Two threads retain it twice, and nobody releases it.
        self.ok("cuDevicePrimaryCtxRetain", unsafe { retain(&raw mut context, device) })?;
        place.store(context, Ordering::Release); // a GPU has one
        Ok(context)
    }

    /// A GPU's primary context was reset: it is retained again, which makes it anew.
    pub(crate) fn context_was_reset(self, ordinal: c_int) -> Result<(), CudaError> {
        self.0.contexts[ordinal as usize].store(ptr::null_mut(), Ordering::Release);
        self.context(ordinal).map(drop)
    }

    /// A GPU whose context is there already, for memory that is every context's.
    pub(crate) fn any_device(self) -> DeviceId {
        let is_there = |context: &AtomicPtr<CUctx_st>| !context.load(Ordering::Acquire).is_null();
        let known = self.0.contexts.iter().position(is_there);
        DeviceId::new(known.and_then(|known| u32::try_from(known).ok()).unwrap_or(0))
    }

    pub(crate) fn on(self, ordinal: c_int) -> Result<Current, CudaError> {
        let context = self.context(ordinal)?;
        // SAFETY: the context is never released.
        let answer = unsafe { (self.functions().cuCtxPushCurrent)(context) };
        self.ok("cuCtxPushCurrent", answer)?;
        Ok(Current::pushed(self))
    }

    /// What `call` answered, for people.
    pub(crate) fn ok(self, call: &'static str, number: CUresult) -> Result<(), CudaError> {
        if number == sys::CUDA_SUCCESS {
            return Ok(());
        }
        Err(CudaError::Call { call, code: self.failed(number) })
    }

    /// What a call answered, for a pool.
    #[inline]
    pub(crate) fn check(self, number: CUresult) -> Result<(), DriverError> {
        if number == sys::CUDA_SUCCESS {
            return Ok(());
        }
        Err(self.failed(number).class())
    }

    /// Puts the calling thread into relaxed mode until the guard is dropped: for what would break others' captures otherwise.
    pub(crate) fn relaxed(self) -> Result<Relaxed, DriverError> {
        let mut mode = sys::CU_STREAM_CAPTURE_MODE_RELAXED;
        let exchange = self.functions().cuThreadExchangeStreamCaptureMode;
        // SAFETY: `mode` is writable, and is a mode.
        self.check(unsafe { exchange(&raw mut mode) })?;
        Ok(Relaxed::entered(self, mode))
    }

    /// A call failed.
    #[cold]
    pub(crate) fn failed(self, number: CUresult) -> Code {
        let code = Code::new(number, name_of(self.functions(), number));
        if matches!(code.class(), DriverError::DeviceLost(_)) {
            LIFE.lose();
        }
        code
    }
}

impl Pinned for Cuda {
    /// In relaxed mode: an allocation breaks captures otherwise.
    fn pinned(&self, bytes: usize, device: DeviceId) -> Result<NonNull<c_void>, DriverError> {
        let ordinal = self.ordinal(device).map_err(class)?;
        let _current = self.on(ordinal).map_err(class)?;
        let (functions, mut at, mut device) = (self.functions(), ptr::null_mut(), 0);
        let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
        {
            let _relaxed = self.relaxed()?;
            // SAFETY: `at` is writable.
            let made = unsafe { (functions.cuMemHostAlloc)(&raw mut at, bytes, flags) };
            self.check(made)?;
        }
        // SAFETY: the memory was just made, and `device` is writable.
        let found = unsafe { (functions.cuMemHostGetDevicePointer)(&raw mut device, at, 0) };
        self.check(found)?;
        // With one address space, which every GPU of 64-bit Linux has, both are the same.
        let same = device == at.expose_provenance() as u64;
        NonNull::new(at).filter(|_| same).ok_or(DriverError::Unsupported)
    }
}
