//! Kernels that are compiled at run time.

use std::ffi::{CStr, CString, c_char, c_void};

use super::{Handle, Hip, Stream};

/// Loaded code, unloaded on drop.
#[derive(Debug)]
pub struct Module<'h> {
    hip: &'h Hip,
    handle: Handle,
}

/// A kernel of a module.
#[derive(Debug)]
pub struct Kernel<'m> {
    module: &'m Module<'m>,
    handle: Handle,
}

// SAFETY: HIP's functions may be launched from any thread.
unsafe impl Sync for Kernel<'_> {}

impl<'h> Module<'h> {
    /// Compiles `source` for the instruction set that `target` names, and loads it.
    ///
    /// # Panics
    /// If it does not compile, with the compiler's words.
    #[must_use]
    pub fn compile(hip: &'h Hip, source: &CStr, target: &str) -> Self {
        let mut program: Handle = std::ptr::null_mut();
        let (functions, none) = (&hip.functions, std::ptr::null());
        // SAFETY: the source ends in 0, there are no headers, and `program` is writable.
        let code = unsafe {
            (functions.hiprtcCreateProgram)(
                &raw mut program,
                source.as_ptr(),
                c"kernel.hip".as_ptr(),
                0,
                none,
                none,
            )
        };
        hip.ok("hiprtcCreateProgram", code);
        let option = CString::new(format!("--offload-arch={target}")).expect("no 0 in a name");
        let options = [option.as_ptr()];
        // SAFETY: the program is there, and there is one option.
        let code = unsafe { (functions.hiprtcCompileProgram)(program, 1, options.as_ptr()) };
        assert_eq!(code, 0, "hiprtcCompileProgram: {}", hip.log(program));
        let mut size = 0;
        // SAFETY: the program is compiled, and `size` is writable.
        let code = unsafe { (functions.hiprtcGetCodeSize)(program, &raw mut size) };
        hip.ok("hiprtcGetCodeSize", code);
        let mut object: Vec<c_char> = vec![0; size];
        // SAFETY: the code is so long.
        let code = unsafe { (functions.hiprtcGetCode)(program, object.as_mut_ptr()) };
        hip.ok("hiprtcGetCode", code);
        // SAFETY: the program is destroyed once.
        let code = unsafe { (functions.hiprtcDestroyProgram)(&raw mut program) };
        hip.ok("hiprtcDestroyProgram", code);
        let mut handle: Handle = std::ptr::null_mut();
        // SAFETY: `object` is a code object, and `handle` is writable.
        let code =
            unsafe { (functions.hipModuleLoadData)(&raw mut handle, object.as_ptr().cast()) };
        hip.ok("hipModuleLoadData", code);
        Self { hip, handle }
    }

    /// Its kernel of this name.
    #[must_use]
    pub fn kernel(&'h self, name: &CStr) -> Kernel<'h> {
        let mut handle: Handle = std::ptr::null_mut();
        let find = self.hip.functions.hipModuleGetFunction;
        // SAFETY: the module is there, the name ends in 0, and `handle` is writable.
        let code = unsafe { find(&raw mut handle, self.handle, name.as_ptr()) };
        self.hip.ok("hipModuleGetFunction", code);
        Kernel { module: self, handle }
    }
}

impl Kernel<'_> {
    /// Begins `groups` work-groups of 256 on `stream`.
    ///
    /// # Safety
    /// Each of `arguments` points to an argument of the kernel's own type, in their order, and what they point at outlives the kernel.
    pub unsafe fn launch(&self, stream: &Stream<'_>, groups: u32, arguments: &mut [*mut c_void]) {
        let hip = self.module.hip;
        let launch = hip.functions.hipModuleLaunchKernel;
        let (arguments, none) = (arguments.as_mut_ptr(), std::ptr::null_mut());
        // SAFETY: kernel and stream are there; the rest the caller promised.
        let code = unsafe {
            launch(self.handle, groups, 1, 1, 256, 1, 1, 0, stream.handle, arguments, none)
        };
        hip.ok("hipModuleLaunchKernel", code);
    }
}

impl Hip {
    /// What the compiler says.
    fn log(&self, program: Handle) -> String {
        let mut size = 0;
        // SAFETY: the program is there, and `size` is writable.
        let code = unsafe { (self.functions.hiprtcGetProgramLogSize)(program, &raw mut size) };
        self.ok("hiprtcGetProgramLogSize", code);
        let mut text = vec![0_u8; size + 1];
        // SAFETY: the log is so long.
        let code =
            unsafe { (self.functions.hiprtcGetProgramLog)(program, text.as_mut_ptr().cast()) };
        self.ok("hiprtcGetProgramLog", code);
        String::from_utf8_lossy(&text).into_owned()
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: it is unloaded once, after all its kernels are done.
        let code = unsafe { (self.hip.functions.hipModuleUnload)(self.handle) };
        if !std::thread::panicking() {
            self.hip.ok("hipModuleUnload", code);
        }
    }
}
