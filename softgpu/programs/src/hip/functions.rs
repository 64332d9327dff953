//! HIP's functions that the cases call, as its headers declare them, found at run time.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// `hipError_t` and `hiprtcResult`.
pub(super) type Code = c_uint;
/// `hipStream_t`, `hipEvent_t` and other handles.
pub(super) type Handle = *mut c_void;
type HostFunction = extern "C" fn(*mut c_void);
type StreamCallback = extern "C" fn(Handle, Code, *mut c_void);

/// Defines the table and how it is filled.
macro_rules! functions {
    (
        always { $($name:ident($($parameter:ty),*) $(-> $result:ty)?;)* }
        newer { $($new_name:ident($($new_parameter:ty),*);)* }
        compiler { $($rtc_name:ident($($rtc_parameter:ty),*);)* }
    ) => {
        /// Those that every supported version has, those that 5.2 lacks, and the run-time compiler's, which has a library of its
        /// own since 6.
        #[allow(non_snake_case, reason = "HIP's own names")]
        #[derive(Debug)]
        pub(super) struct Functions {
            $(pub(super) $name: unsafe extern "C" fn($($parameter),*) $(-> $result)?,)*
            $(pub(super) $new_name: Option<unsafe extern "C" fn($($new_parameter),*) -> Code>,)*
            $(pub(super) $rtc_name: unsafe extern "C" fn($($rtc_parameter),*) -> Code,)*
        }

        impl Functions {
            /// Finds them in the two libraries, which stay loaded.
            ///
            /// # Errors
            /// The first that is missing.
            pub(super) fn find(
                hip: &'static libloading::Library,
                compiler: &'static libloading::Library,
            ) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: the types are those of HIP's headers, and the library is never closed.
                    $($name: *unsafe { hip.get(concat!(stringify!($name), "\0")) }?,)*
                    // SAFETY: as above.
                    $($new_name: unsafe { hip.get(concat!(stringify!($new_name), "\0")) }
                        .ok()
                        .map(|found| *found),)*
                    // SAFETY: as above.
                    $($rtc_name: *unsafe { compiler.get(concat!(stringify!($rtc_name), "\0")) }?,)*
                })
            }
        }
    };
}

functions! {
    always {
        hipInit(c_uint) -> Code;
        hipGetErrorName(Code) -> *const c_char;
        hipGetDeviceCount(*mut c_int) -> Code;
        hipSetDevice(c_int) -> Code;
        hipDeviceGetName(*mut c_char, c_int, c_int) -> Code;
        hipDeviceSynchronize() -> Code;
        hipStreamCreateWithPriority(*mut Handle, c_uint, c_int) -> Code;
        hipStreamDestroy(Handle) -> Code;
        hipStreamSynchronize(Handle) -> Code;
        hipStreamQuery(Handle) -> Code;
        hipStreamWaitEvent(Handle, Handle, c_uint) -> Code;
        hipStreamAddCallback(Handle, StreamCallback, *mut c_void, c_uint) -> Code;
        hipStreamWriteValue32(Handle, *mut c_void, u32, c_uint) -> Code;
        hipStreamWaitValue32(Handle, *mut c_void, u32, c_uint, u32) -> Code;
        hipStreamBeginCapture(Handle, c_int) -> Code;
        hipStreamEndCapture(Handle, *mut Handle) -> Code;
        hipEventCreateWithFlags(*mut Handle, c_uint) -> Code;
        hipEventDestroy(Handle) -> Code;
        hipEventRecord(Handle, Handle) -> Code;
        hipEventQuery(Handle) -> Code;
        hipEventSynchronize(Handle) -> Code;
        hipEventElapsedTime(*mut f32, Handle, Handle) -> Code;
        hipMalloc(*mut *mut c_void, usize) -> Code;
        hipFree(*mut c_void) -> Code;
        hipHostMalloc(*mut *mut c_void, usize, c_uint) -> Code;
        hipHostFree(*mut c_void) -> Code;
        hipExtMallocWithFlags(*mut *mut c_void, usize, c_uint) -> Code;
        hipMallocAsync(*mut *mut c_void, usize, Handle) -> Code;
        hipFreeAsync(*mut c_void, Handle) -> Code;
        hipDeviceGetDefaultMemPool(*mut Handle, c_int) -> Code;
        hipMemPoolTrimTo(Handle, usize) -> Code;
        hipMemcpyAsync(*mut c_void, *const c_void, usize, c_int, Handle) -> Code;
        hipMemcpy2DAsync(*mut c_void, usize, *const c_void, usize, usize, usize, c_int, Handle) -> Code;
        hipMemsetAsync(*mut c_void, c_int, usize, Handle) -> Code;
        hipMemsetD16Async(*mut c_void, u16, usize, Handle) -> Code;
        hipMemsetD32Async(*mut c_void, c_int, usize, Handle) -> Code;
        hipMemset2DAsync(*mut c_void, usize, c_int, usize, usize, Handle) -> Code;
        hipGraphInstantiate(*mut Handle, Handle, *mut Handle, *mut c_char, usize) -> Code;
        hipGraphGetNodes(Handle, *mut Handle, *mut usize) -> Code;
        hipGraphLaunch(Handle, Handle) -> Code;
        hipGraphExecDestroy(Handle) -> Code;
        hipGraphDestroy(Handle) -> Code;
        hipModuleLoadData(*mut Handle, *const c_void) -> Code;
        hipModuleUnload(Handle) -> Code;
        hipModuleGetFunction(*mut Handle, Handle, *const c_char) -> Code;
        hipModuleLaunchKernel(
            Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle,
            *mut *mut c_void, *mut *mut c_void
        ) -> Code;
    }
    newer {
        hipLaunchHostFunc(Handle, HostFunction, *mut c_void);
    }
    compiler {
        hiprtcCreateProgram(
            *mut Handle, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char
        );
        hiprtcCompileProgram(Handle, c_int, *const *const c_char);
        hiprtcGetProgramLogSize(Handle, *mut usize);
        hiprtcGetProgramLog(Handle, *mut c_char);
        hiprtcGetCodeSize(Handle, *mut usize);
        hiprtcGetCode(Handle, *mut c_char);
        hiprtcDestroyProgram(*mut Handle);
    }
}
