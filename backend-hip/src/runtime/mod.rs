//! HIP, started.

mod current;
mod relaxed;

use std::{
    ffi::{CStr, c_int, c_void},
    ptr::NonNull,
    sync::{Mutex, PoisonError},
};

use ringfence::{backend::streams::DriverState, error::DriverError, id::DeviceId};
use ringfence_backend_shared::{life::Life, words::Pinned};

use crate::{
    HipVersion,
    error::{Code, HipError, name_of},
    streams::class,
    sys::{self, Functions, Library, hipError_t},
};

pub(crate) use current::Current;
pub(crate) use relaxed::Relaxed;

/// Whether HIP may be called.
static LIFE: Life = Life::new();

/// HIP, loaded and initialised: a handle that costs nothing to copy. HIP is never unloaded or shut down.
///
/// ```no_run
/// # fn main() -> Result<(), ringfence_hip::HipError> {
/// use ringfence_hip::Hip;
/// let hip = Hip::start()?; // loads it at the first call
/// println!("HIP {} from {}", hip.version(), hip.library().path().display());
/// for gpu in hip.devices() {
///     println!("{gpu}: {}, {}", hip.device_name(gpu)?, hip.gfx(gpu)?);
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Hip(&'static Started);

#[derive(Debug)]
struct Started {
    library: &'static Library,
    version: HipVersion,
    devices: u32,
}

impl Hip {
    /// Loads and initialises HIP, if that was not done before. With no GPU it fails.
    ///
    /// # Errors
    /// [`HipError::Load`], with all that was tried; [`HipError::NoGpu`]; what HIP says.
    pub fn start() -> Result<Self, HipError> {
        static STARTED: Mutex<Option<Hip>> = Mutex::new(None);
        let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hip) = *started {
            return Ok(hip);
        }
        let hip = Self::start_with(Library::load()?)?;
        *started = Some(hip);
        Ok(hip)
    }

    fn start_with(library: &'static Library) -> Result<Self, HipError> {
        let functions = library.functions();
        let ok = |call, number| match number {
            sys::hipSuccess => Ok(()),
            sys::hipErrorNoDevice => Err(HipError::NoGpu),
            _ => Err(HipError::Call { call, code: Code::new(number, name_of(functions, number)) }),
        };
        // SAFETY: no precondition; 0 is the only flag there is.
        ok("hipInit", unsafe { (functions.hipInit)(0) })?;
        let (mut version, mut devices): (c_int, c_int) = (0, 0);
        // SAFETY: `version` is writable.
        let number = unsafe { (functions.hipRuntimeGetVersion)(&raw mut version) };
        ok("hipRuntimeGetVersion", number)?;
        // SAFETY: `devices` is writable.
        ok("hipGetDeviceCount", unsafe { (functions.hipGetDeviceCount)(&raw mut devices) })?;
        let devices = u32::try_from(devices).unwrap_or(0);
        if devices == 0 {
            return Err(HipError::NoGpu);
        }
        LIFE.watch();
        let version = HipVersion::from_number(u32::try_from(version).unwrap_or(0));
        Ok(Self(Box::leak(Box::new(Started { library, version, devices }))))
    }

    /// Its version.
    #[must_use]
    pub fn version(self) -> HipVersion {
        self.0.version
    }

    /// What was loaded.
    #[must_use]
    pub fn library(self) -> &'static Library {
        self.0.library
    }

    /// The GPUs, by number.
    pub fn devices(self) -> impl Iterator<Item = DeviceId> {
        (0..self.0.devices).map(DeviceId::new)
    }

    /// A GPU's name.
    ///
    /// # Errors
    /// [`HipError::NoSuchDevice`].
    pub fn device_name(self, device: DeviceId) -> Result<String, HipError> {
        let device = self.ordinal(device)?;
        let mut name = [0_u8; 256];
        let (at, length) = (name.as_mut_ptr().cast(), name.len() as c_int);
        // SAFETY: `name` is so long.
        self.ok("hipDeviceGetName", unsafe {
            (self.functions().hipDeviceGetName)(at, length, device)
        })?;
        let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
        Ok(name.to_string_lossy().into_owned())
    }

    /// Waits for all work of a GPU. With HIP from 2024 on this breaks every capture of the process.
    ///
    /// # Errors
    /// What HIP says.
    pub fn synchronize(self, device: DeviceId) -> Result<(), HipError> {
        let _current = self.on(self.ordinal(device)?)?;
        // SAFETY: no precondition.
        self.ok("hipDeviceSynchronize", unsafe { (self.functions().hipDeviceSynchronize)() })
    }

    /// Whether HIP may be called: see [`DriverState`].
    #[inline]
    pub fn state(self) -> DriverState {
        LIFE.state()
    }

    /// HIP's functions, for what this crate has no call for.
    #[inline]
    #[must_use]
    pub fn functions(self) -> &'static Functions {
        self.0.library.functions()
    }

    /// HIP's number of a GPU.
    pub(crate) fn ordinal(self, device: DeviceId) -> Result<c_int, HipError> {
        let count = self.0.devices;
        let known = device.as_u32() < count;
        c_int::try_from(device.as_u32())
            .ok()
            .filter(|_| known)
            .ok_or(HipError::NoSuchDevice { id: device, count })
    }

    /// What `call` answered, for people.
    pub(crate) fn ok(self, call: &'static str, number: hipError_t) -> Result<(), HipError> {
        if number == sys::hipSuccess {
            return Ok(());
        }
        Err(HipError::Call { call, code: self.failed(number) })
    }

    /// What a call answered, for a pool.
    #[inline]
    pub(crate) fn check(self, number: hipError_t) -> Result<(), DriverError> {
        if number == sys::hipSuccess {
            return Ok(());
        }
        Err(self.failed(number).class())
    }

    /// A call failed: HIP keeps the number for the thread, where the program would take it for its own.
    #[cold]
    pub(crate) fn failed(self, number: hipError_t) -> Code {
        // SAFETY: no precondition.
        let _kept = unsafe { (self.functions().hipGetLastError)() };
        let code = Code::new(number, name_of(self.functions(), number));
        if matches!(code.class(), DriverError::DeviceLost(_)) {
            LIFE.lose();
        }
        code
    }

    /// Makes `device` the calling thread's until the guard is dropped.
    pub(crate) fn on(self, device: c_int) -> Result<Current, HipError> {
        let mut before = 0;
        // SAFETY: `before` is writable.
        let number = unsafe { (self.functions().hipGetDevice)(&raw mut before) };
        self.ok("hipGetDevice", number)?;
        let restore = (before != device).then_some(before);
        if restore.is_some() {
            // SAFETY: no precondition.
            self.ok("hipSetDevice", unsafe { (self.functions().hipSetDevice)(device) })?;
        }
        Ok(Current::changed(self, restore))
    }

    /// Puts the calling thread into relaxed mode until the guard is dropped: for what would break others' captures otherwise.
    pub(crate) fn relaxed(self) -> Result<Relaxed, HipError> {
        let mut mode = sys::hipStreamCaptureModeRelaxed;
        let exchange = self.functions().hipThreadExchangeStreamCaptureMode;
        // SAFETY: `mode` is writable, and is a mode.
        let number = unsafe { exchange(&raw mut mode) };
        self.ok("hipThreadExchangeStreamCaptureMode", number)?;
        Ok(Relaxed::entered(self, mode))
    }
}

impl Pinned for Hip {
    /// In relaxed mode: an allocation breaks captures otherwise.
    fn pinned(&self, bytes: usize, device: DeviceId) -> Result<NonNull<c_void>, DriverError> {
        let _current = self.on(self.ordinal(device).map_err(class)?).map_err(class)?;
        let _relaxed = self.relaxed().map_err(class)?;
        let flags =
            sys::hipHostMallocPortable | sys::hipHostMallocMapped | sys::hipHostMallocCoherent;
        let mut at = std::ptr::null_mut();
        // SAFETY: `at` is writable.
        self.check(unsafe { (self.functions().hipHostMalloc)(&raw mut at, bytes, flags) })?;
        NonNull::new(at).ok_or(DriverError::Unsupported)
    }
}
