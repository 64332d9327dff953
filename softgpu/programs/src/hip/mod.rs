//! HIP in small calls that are safe and panic, with the call's name and HIP's words, where it fails.

mod event;
mod functions;
mod graph;
mod kernel;
mod memory;
mod stream;

use std::ffi::{CStr, c_int};

use functions::{Code, Functions, Handle};

pub use event::{Event, Timing};
pub use graph::{Graph, GraphExec};
pub use kernel::{Kernel, Module};
pub use memory::{Memory, Where};
pub use stream::{Done, Stream};

/// `hipErrorNotReady`
const NOT_READY: Code = 600;

/// What Debian and AMD call the library, newest first.
const HIP: [&str; 4] =
    ["libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"];
/// What has the run-time compiler, where it is a library of its own.
const COMPILER: [&str; 3] = ["libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so"];

/// HIP, initialised. It is never unloaded.
#[derive(Debug)]
pub struct Hip {
    functions: Functions,
}

impl Hip {
    /// Loads and initialises HIP.
    ///
    /// # Panics
    /// If there is none, or it finds no device.
    #[must_use]
    pub fn start() -> &'static Self {
        let hip = load(&HIP).unwrap_or_else(|| panic!("none of {HIP:?} can be loaded"));
        let compiler = load(&COMPILER).unwrap_or(hip);
        let functions = Functions::find(hip, compiler);
        let functions = functions.unwrap_or_else(|error| panic!("{error:?}"));
        let hip: &'static Self = Box::leak(Box::new(Self { functions }));
        // SAFETY: no precondition.
        hip.ok("hipInit", unsafe { (hip.functions.hipInit)(0) });
        hip
    }

    /// How many devices there are.
    #[must_use]
    pub fn devices(&self) -> c_int {
        let mut count = 0;
        // SAFETY: `count` is writable.
        let code = unsafe { (self.functions.hipGetDeviceCount)(&raw mut count) };
        self.ok("hipGetDeviceCount", code);
        count
    }

    /// A device's name.
    #[must_use]
    pub fn device_name(&self, device: c_int) -> String {
        let mut name = [0_u8; 256];
        let length = name.len() as c_int;
        // SAFETY: `name` is so long.
        let code =
            unsafe { (self.functions.hipDeviceGetName)(name.as_mut_ptr().cast(), length, device) };
        self.ok("hipDeviceGetName", code);
        let name = CStr::from_bytes_until_nul(&name).expect("a name ends in 0");
        name.to_string_lossy().into_owned()
    }

    /// Whether it has `hipLaunchHostFunc`, which 5.2 declares and does not export.
    #[must_use]
    pub fn has_host_functions(&self) -> bool {
        self.functions.hipLaunchHostFunc.is_some()
    }

    /// Makes `device` the calling thread's.
    pub fn set_device(&self, device: c_int) {
        // SAFETY: no precondition.
        self.ok("hipSetDevice", unsafe { (self.functions.hipSetDevice)(device) });
    }

    /// Waits for all of the device's work.
    pub fn synchronize(&self) {
        // SAFETY: no precondition.
        self.ok("hipDeviceSynchronize", unsafe { (self.functions.hipDeviceSynchronize)() });
    }

    /// Gives back what the memory pool of asynchronous allocations keeps. Before HIP 5.7 `hipStreamDestroy` never returns otherwise.
    pub fn trim_pool(&self, device: c_int) {
        let mut pool: Handle = std::ptr::null_mut();
        // SAFETY: `pool` is writable.
        let code = unsafe { (self.functions.hipDeviceGetDefaultMemPool)(&raw mut pool, device) };
        self.ok("hipDeviceGetDefaultMemPool", code);
        // SAFETY: the pool is the device's.
        self.ok("hipMemPoolTrimTo", unsafe { (self.functions.hipMemPoolTrimTo)(pool, 0) });
    }

    /// Panics unless `code` is success.
    #[track_caller]
    fn ok(&self, call: &str, code: Code) {
        assert_eq!(code, 0, "{call} failed: {}", self.describe(code));
    }

    /// Panics unless `code` says done or not yet.
    #[track_caller]
    fn done(&self, call: &str, code: Code) -> Done {
        if code == NOT_READY {
            return Done::NotYet;
        }
        self.ok(call, code);
        Done::Yes
    }

    fn describe(&self, code: Code) -> String {
        // SAFETY: no precondition.
        let name = unsafe { (self.functions.hipGetErrorName)(code) };
        if name.is_null() {
            return code.to_string();
        }
        // SAFETY: HIP's names are static and end in 0.
        let name = unsafe { CStr::from_ptr(name) };
        format!("{code} {}", name.to_string_lossy())
    }
}

fn load(names: &[&str]) -> Option<&'static libloading::Library> {
    names.iter().find_map(|name| {
        // SAFETY: loading runs AMD's own initialisers.
        let library = unsafe { libloading::Library::new(*name) }.ok()?;
        Some(&*Box::leak(Box::new(library)))
    })
}
