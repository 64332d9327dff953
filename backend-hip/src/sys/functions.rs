//! HIP's functions, found once.

use std::ffi::{c_char, c_int, c_uint, c_void};

use super::types::*;

/// Defines a table of functions, how it is filled, and what it lacks.
macro_rules! functions {
    (
        $(#[$doc:meta])* $table:ident;
        always { $($name:ident($($parameter:ty),*) -> $result:ty;)* }
        newer { $($new_name:ident($($new_parameter:ty),*);)* }
    ) => {
        $(#[$doc])*
        #[allow(non_snake_case, reason = "HIP's own names")]
        #[derive(Clone, Copy, Debug)]
        pub struct $table {
            $(#[doc = concat!("`", stringify!($name), "`.")]
            pub $name: unsafe extern "C" fn($($parameter),*) -> $result,)*
            $(#[doc = concat!("`", stringify!($new_name), "`, where the version exports it.")]
            pub $new_name: Option<unsafe extern "C" fn($($new_parameter),*) -> hipError_t>,)*
        }

        impl $table {
            /// Finds them all.
            ///
            /// # Errors
            /// The names of what every supported version has and this one has not.
            ///
            /// # Safety
            /// A function of the library that has one of these names has its type, as HIP's headers declare it. The library
            /// stays loaded as long as the table is used.
            #[allow(non_snake_case, reason = "HIP's own names")]
            pub(super) unsafe fn find(library: &libloading::Library) -> Result<Self, Vec<&'static str>> {
                let mut missing = Vec::new();
                $(
                    // SAFETY: the caller vouches for the type.
                    let $name = unsafe { library.get::<unsafe extern "C" fn($($parameter),*) -> $result>(concat!(stringify!($name), "\0").as_bytes()) };
                    let $name = $name.ok().map(|found| *found);
                    if $name.is_none() {
                        missing.push(stringify!($name));
                    }
                )*
                $(
                    // SAFETY: as above.
                    let $new_name = unsafe { library.get::<unsafe extern "C" fn($($new_parameter),*) -> hipError_t>(concat!(stringify!($new_name), "\0").as_bytes()) };
                    let $new_name = $new_name.ok().map(|found| *found);
                )*
                match ($($name,)*) {
                    ($(Some($name),)*) => Ok(Self { $($name,)* $($new_name,)* }),
                    _ => Err(missing),
                }
            }
        }
    };
}

functions! {
    /// Functions of `libamdhip64`.
    Functions;
    always {
        hipInit(c_uint) -> hipError_t;
        hipRuntimeGetVersion(*mut c_int) -> hipError_t;
        hipGetErrorName(hipError_t) -> *const c_char;
        hipGetLastError() -> hipError_t;
        hipGetDeviceCount(*mut c_int) -> hipError_t;
        hipGetDevice(*mut c_int) -> hipError_t;
        hipSetDevice(c_int) -> hipError_t;
        hipDeviceGetName(*mut c_char, c_int, c_int) -> hipError_t;
        hipDeviceSynchronize() -> hipError_t;
        hipDeviceGetStreamPriorityRange(*mut c_int, *mut c_int) -> hipError_t;
        hipStreamCreateWithPriority(*mut hipStream_t, c_uint, c_int) -> hipError_t;
        hipStreamDestroy(hipStream_t) -> hipError_t;
        hipStreamQuery(hipStream_t) -> hipError_t;
        hipStreamSynchronize(hipStream_t) -> hipError_t;
        hipStreamWaitEvent(hipStream_t, hipEvent_t, c_uint) -> hipError_t;
        hipStreamAddCallback(hipStream_t, hipStreamCallback_t, *mut c_void, c_uint) -> hipError_t;
        hipStreamWriteValue64(hipStream_t, *mut c_void, u64, c_uint) -> hipError_t;
        hipStreamWaitValue64(hipStream_t, *mut c_void, u64, c_uint, u64) -> hipError_t;
        hipStreamIsCapturing(hipStream_t, *mut hipStreamCaptureStatus) -> hipError_t;
        hipStreamBeginCapture(hipStream_t, hipStreamCaptureMode) -> hipError_t;
        hipStreamEndCapture(hipStream_t, *mut hipGraph_t) -> hipError_t;
        hipThreadExchangeStreamCaptureMode(*mut hipStreamCaptureMode) -> hipError_t;
        hipGraphInstantiate(
            *mut hipGraphExec_t, hipGraph_t, *mut *mut c_void, *mut c_char, usize
        ) -> hipError_t;
        hipGraphGetNodes(hipGraph_t, *mut *mut c_void, *mut usize) -> hipError_t;
        hipGraphLaunch(hipGraphExec_t, hipStream_t) -> hipError_t;
        hipGraphExecDestroy(hipGraphExec_t) -> hipError_t;
        hipGraphDestroy(hipGraph_t) -> hipError_t;
        hipEventCreateWithFlags(*mut hipEvent_t, c_uint) -> hipError_t;
        hipEventDestroy(hipEvent_t) -> hipError_t;
        hipEventRecord(hipEvent_t, hipStream_t) -> hipError_t;
        hipEventQuery(hipEvent_t) -> hipError_t;
        hipEventSynchronize(hipEvent_t) -> hipError_t;
        hipEventElapsedTime(*mut f32, hipEvent_t, hipEvent_t) -> hipError_t;
        hipMalloc(*mut *mut c_void, usize) -> hipError_t;
        hipFree(*mut c_void) -> hipError_t;
        hipHostMalloc(*mut *mut c_void, usize, c_uint) -> hipError_t;
        hipHostFree(*mut c_void) -> hipError_t;
        hipMemcpyAsync(*mut c_void, *const c_void, usize, c_int, hipStream_t) -> hipError_t;
        hipMemsetAsync(*mut c_void, c_int, usize, hipStream_t) -> hipError_t;
        hipMemsetD32Async(*mut c_void, c_int, usize, hipStream_t) -> hipError_t;
        hipModuleLoadData(*mut hipModule_t, *const c_void) -> hipError_t;
        hipModuleUnload(hipModule_t) -> hipError_t;
        hipModuleGetFunction(*mut hipFunction_t, hipModule_t, *const c_char) -> hipError_t;
        hipModuleLaunchKernel(
            hipFunction_t, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, hipStream_t,
            *mut *mut c_void, *mut *mut c_void
        ) -> hipError_t;
    }
    newer {
        hipDeviceReset();
        hipLaunchHostFunc(hipStream_t, hipHostFn_t, *mut c_void);
        hipMallocAsync(*mut *mut c_void, usize, hipStream_t);
        hipFreeAsync(*mut c_void, hipStream_t);
        hipDeviceGetDefaultMemPool(*mut hipMemPool_t, c_int);
        hipMemPoolTrimTo(hipMemPool_t, usize);
        hipStreamGetId(hipStream_t, *mut u64);
        hipGetDeviceProperties(*mut c_void, c_int);
        hipGetDevicePropertiesR0600(*mut c_void, c_int);
    }
}

functions! {
    /// Functions of the run-time compiler, which is a library of its own since HIP 6.
    CompilerFunctions;
    always {
        hiprtcCreateProgram(
            *mut hiprtcProgram, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char
        ) -> hipError_t;
        hiprtcCompileProgram(hiprtcProgram, c_int, *const *const c_char) -> hipError_t;
        hiprtcGetProgramLogSize(hiprtcProgram, *mut usize) -> hipError_t;
        hiprtcGetProgramLog(hiprtcProgram, *mut c_char) -> hipError_t;
        hiprtcGetCodeSize(hiprtcProgram, *mut usize) -> hipError_t;
        hiprtcGetCode(hiprtcProgram, *mut c_char) -> hipError_t;
        hiprtcDestroyProgram(*mut hiprtcProgram) -> hipError_t;
    }
    newer {}
}
