//! Kernels: loaded, or compiled from source at run time.

use std::{
    ffi::{CString, c_char, c_void},
    ptr,
};

use ringfence::id::DeviceId;

use crate::{
    error::HipError,
    runtime::Hip,
    streams::{number, raw},
    sys::{self, CompilerFunctions, hiprtcProgram},
};

/// A kernel of a module that is never unloaded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Function(u64);

impl Function {
    /// A function of HIP's (`hipFunction_t`).
    ///
    /// # Safety
    /// It is one, and its module stays loaded as long as the function is used.
    #[must_use]
    pub const unsafe fn from_raw(handle: u64) -> Self {
        Self(handle)
    }

    pub(super) const fn handle(self) -> u64 {
        self.0
    }
}

/// Code of one GPU. It stays loaded until the process ends.
///
/// ```no_run
/// # use ringfence::id::DeviceId;
/// use ringfence_hip::{Function, Hip, HipError, Module};
/// # fn compiled(hip: Hip, gpu: DeviceId) -> Result<Function, HipError> {
/// let source = r#"extern "C" __global__ void fill(unsigned *out, unsigned value) {
///     out[blockIdx.x * blockDim.x + threadIdx.x] = value;
/// }"#;
/// let module = Module::compile(hip, gpu, source, &hip.gfx(gpu)?)?;
/// let fill: Function = module.function(hip, "fill")?; // for a launch
/// # Ok(fill) }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Module {
    hip_module: u64,
    device: DeviceId,
}

impl Module {
    /// Compiles HIP C++ for the architecture `gfx` (`gfx942`), with HIP's run-time compiler, and loads it for `device`.
    ///
    /// # Errors
    /// [`HipError::Missing`] where there is no run-time compiler, [`HipError::Compile`] with the compiler's words; what HIP says.
    pub fn compile(hip: Hip, device: DeviceId, source: &str, gfx: &str) -> Result<Self, HipError> {
        let compiler = hip.library().compiler().ok_or(HipError::Missing {
            version: hip.version(),
            what: "run-time compiler",
            remedy: "install libhiprtc, or load code that was compiled before",
        })?;
        let code = Program::new(hip, compiler, source)?.compile(gfx)?;
        // SAFETY: it is code, and all of it, by HIP's own compiler.
        unsafe { Self::load(hip, device, &code) }
    }

    /// Loads code (`hipModuleLoadData`) for `device`.
    ///
    /// # Errors
    /// What HIP says: the code is for another architecture, or is none.
    ///
    /// # Safety
    /// `code` begins with a code object, or a bundle of some, all of which is there: HIP believes the lengths in it.
    pub unsafe fn load(hip: Hip, device: DeviceId, code: &[u8]) -> Result<Self, HipError> {
        let _current = hip.on(hip.ordinal(device)?)?;
        let mut module = ptr::null_mut();
        let load = hip.functions().hipModuleLoadData;
        // SAFETY: `module` is writable, and the caller vouches for the code.
        hip.ok("hipModuleLoadData", unsafe { load(&raw mut module, code.as_ptr().cast()) })?;
        Ok(Self { hip_module: number(module), device })
    }

    /// The kernel of this name: as it was declared, if it is `extern "C"`.
    ///
    /// # Errors
    /// There is none; [`HipError::Name`].
    pub fn function(self, hip: Hip, name: &str) -> Result<Function, HipError> {
        let name = c_string(name)?;
        // HIP ends the process if the thread's device is another one.
        let _current = hip.on(hip.ordinal(self.device)?)?;
        let mut function = ptr::null_mut();
        let find = hip.functions().hipModuleGetFunction;
        // SAFETY: the module is never unloaded, the name ends in 0, and `function` is writable.
        let answer = unsafe { find(&raw mut function, raw(self.hip_module), name.as_ptr()) };
        hip.ok("hipModuleGetFunction", answer)?;
        Ok(Function(number(function)))
    }
}

/// A program of the run-time compiler's.
struct Program {
    hip: Hip,
    compiler: &'static CompilerFunctions,
    handle: hiprtcProgram,
}

impl Program {
    fn new(hip: Hip, compiler: &'static CompilerFunctions, source: &str) -> Result<Self, HipError> {
        let source = c_string(source)?;
        let (mut handle, none) = (ptr::null_mut(), ptr::null());
        let create = compiler.hiprtcCreateProgram;
        // SAFETY: the source and the name end in 0, there are no headers, and `handle` is writable.
        let answer = unsafe {
            create(&raw mut handle, source.as_ptr(), c"kernel.hip".as_ptr(), 0, none, none)
        };
        hip.ok("hiprtcCreateProgram", answer)?;
        Ok(Self { hip, compiler, handle })
    }

    fn compile(&self, gfx: &str) -> Result<Vec<u8>, HipError> {
        let option = c_string(&format!("--offload-arch={gfx}"))?;
        let options = [option.as_ptr()];
        // SAFETY: the program is there, and there is one option.
        let answer =
            unsafe { (self.compiler.hiprtcCompileProgram)(self.handle, 1, options.as_ptr()) };
        if answer != sys::hipSuccess {
            return Err(HipError::Compile { log: self.log()? });
        }
        let mut size = 0;
        // SAFETY: the program is compiled, and `size` is writable.
        let answer = unsafe { (self.compiler.hiprtcGetCodeSize)(self.handle, &raw mut size) };
        self.hip.ok("hiprtcGetCodeSize", answer)?;
        let mut code = vec![0_u8; size];
        // SAFETY: `code` is so long.
        let answer =
            unsafe { (self.compiler.hiprtcGetCode)(self.handle, code.as_mut_ptr().cast()) };
        self.hip.ok("hiprtcGetCode", answer)?;
        Ok(code)
    }

    /// What the compiler says.
    fn log(&self) -> Result<String, HipError> {
        let mut size = 0;
        // SAFETY: the program is there, and `size` is writable.
        let answer = unsafe { (self.compiler.hiprtcGetProgramLogSize)(self.handle, &raw mut size) };
        self.hip.ok("hiprtcGetProgramLogSize", answer)?;
        let mut text = vec![0_u8; size + 1];
        let place: *mut c_char = text.as_mut_ptr().cast();
        // SAFETY: `text` is so long.
        let answer = unsafe { (self.compiler.hiprtcGetProgramLog)(self.handle, place) };
        self.hip.ok("hiprtcGetProgramLog", answer)?;
        Ok(String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the program is destroyed once.
        let answer = unsafe { (self.compiler.hiprtcDestroyProgram)(&raw mut self.handle) };
        let _nothing_to_do = self.hip.check(answer);
    }
}

fn c_string(text: &str) -> Result<CString, HipError> {
    CString::new(text).map_err(|_| HipError::Name { name: text.to_owned() })
}

const _: () = assert!(size_of::<*mut c_void>() == size_of::<u64>(), "handles are 64 bits");
