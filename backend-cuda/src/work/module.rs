//! Kernels: PTX, which the driver compiles, or code that was compiled before.

use std::{ffi::CString, ptr};

use ringfence::id::DeviceId;

use crate::{
    error::CudaError,
    runtime::Cuda,
    streams::{number, raw},
};

/// A kernel of a module that is never unloaded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Function(u64);

impl Function {
    /// A function of the driver's (`CUfunction`).
    ///
    /// # Safety
    /// It is one, and its module stays loaded as long as the function is used.
    #[must_use]
    pub const unsafe fn from_raw(handle: u64) -> Self {
        Self(handle)
    }

    /// As the driver has it.
    #[must_use]
    pub const fn handle(self) -> u64 {
        self.0
    }
}

/// Code of one GPU. It stays loaded until the process ends.
///
/// ```no_run
/// # use ringfence::id::DeviceId;
/// use ringfence_cuda::{Cuda, CudaError, Function, Module, PTX};
/// # fn compiled(cuda: Cuda, gpu: DeviceId) -> Result<Function, CudaError> {
/// let module = Module::compile(cuda, gpu, PTX)?; // or the text of a program of your own
/// let saxpy: Function = module.function(cuda, "saxpy")?; // for a launch
/// # Ok(saxpy) }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Module {
    cuda_module: u64,
    device: DeviceId,
}

impl Module {
    /// Compiles PTX for `device` and loads it (`cuModuleLoadData`): the driver has the compiler.
    ///
    /// # Errors
    /// What the driver says: the PTX is of a later version than it knows, or none; [`CudaError::Name`].
    pub fn compile(cuda: Cuda, device: DeviceId, ptx: &str) -> Result<Self, CudaError> {
        let text = CString::new(ptx).map_err(|_| CudaError::Name { name: "PTX".to_owned() })?;
        // SAFETY: it is text that ends in 0, which the driver's compiler checks.
        unsafe { Self::load(cuda, device, text.as_bytes_with_nul()) }
    }

    /// Loads code (`cuModuleLoadData`) for `device`.
    ///
    /// # Errors
    /// What the driver says: the code is for another architecture, or is none.
    ///
    /// # Safety
    /// `code` is a cubin or a fat binary, all of which is there, or PTX that ends in 0: the driver believes the lengths in it.
    pub unsafe fn load(cuda: Cuda, device: DeviceId, code: &[u8]) -> Result<Self, CudaError> {
        let _current = cuda.current(device)?;
        let mut module = ptr::null_mut();
        let load = cuda.functions().cuModuleLoadData;
        // SAFETY: `module` is writable, and the caller vouches for the code.
        cuda.ok("cuModuleLoadData", unsafe { load(&raw mut module, code.as_ptr().cast()) })?;
        Ok(Self { cuda_module: number(module), device })
    }

    /// The kernel of this name, as its `.entry` has it.
    ///
    /// The driver may load a function at its first launch, and wait for the whole GPU then
    /// (<https://docs.nvidia.com/cuda/cuda-c-programming-guide/#lazy-loading>): launch it once before anything waits for the host.
    ///
    /// # Errors
    /// There is none; [`CudaError::Name`].
    pub fn function(self, cuda: Cuda, name: &str) -> Result<Function, CudaError> {
        let name = CString::new(name).map_err(|_| CudaError::Name { name: name.to_owned() })?;
        let _current = cuda.current(self.device)?;
        let mut function = ptr::null_mut();
        let find = cuda.functions().cuModuleGetFunction;
        // SAFETY: the module is never unloaded, the name ends in 0, and `function` is writable.
        let answer = unsafe { find(&raw mut function, raw(self.cuda_module), name.as_ptr()) };
        cuda.ok("cuModuleGetFunction", answer)?;
        Ok(Function(number(function)))
    }
}
