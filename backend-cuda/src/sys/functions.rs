//! The driver's functions, found once.

use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ulonglong, c_void};

use super::types::*;

/// Defines a table of functions, how it is filled, and what it lacks. `name = "symbol"` where the header gives a name to a later symbol.
macro_rules! functions {
    (
        $(#[$doc:meta])* $table:ident;
        always { $($name:ident $(= $symbol:literal)? ($($parameter:ty),*);)* }
        newer { $($new_name:ident ($($new_parameter:ty),*);)* }
    ) => {
        $(#[$doc])*
        #[allow(non_snake_case, reason = "the driver's own names")]
        #[derive(Clone, Copy, Debug)]
        pub struct $table {
            $(#[doc = concat!("`", stringify!($name), "`.")]
            pub $name: unsafe extern "C" fn($($parameter),*) -> CUresult,)*
            $(#[doc = concat!("`", stringify!($new_name), "`, where the version exports it.")]
            pub $new_name: Option<unsafe extern "C" fn($($new_parameter),*) -> CUresult>,)*
        }

        impl $table {
            /// Finds them all.
            ///
            /// # Errors
            /// The names of what every supported version has and this one has not.
            ///
            /// # Safety
            /// A function of the library that has one of these names has its type, as the driver's header declares it. The library
            /// stays loaded as long as the table is used.
            #[allow(non_snake_case, reason = "the driver's own names")]
            pub(super) unsafe fn find(library: &libloading::Library) -> Result<Self, Vec<&'static str>> {
                let mut missing = Vec::new();
                $(
                    let symbol = symbol!($name $($symbol)?);
                    // SAFETY: the caller vouches for the type.
                    let $name = unsafe { library.get::<unsafe extern "C" fn($($parameter),*) -> CUresult>(symbol.as_bytes()) };
                    let $name = $name.ok().map(|found| *found);
                    if $name.is_none() {
                        missing.push(symbol);
                    }
                )*
                $(
                    // SAFETY: as above.
                    let $new_name = unsafe { library.get::<unsafe extern "C" fn($($new_parameter),*) -> CUresult>(stringify!($new_name).as_bytes()) };
                    let $new_name = $new_name.ok().map(|found| *found);
                )*
                match ($(($name),)*) {
                    ($(Some($name),)*) => Ok(Self { $($name,)* $($new_name,)* }),
                    _ => Err(missing),
                }
            }
        }
    };
}
macro_rules! symbol {
    ($name:ident) => {
        stringify!($name)
    };
    ($name:ident $symbol:literal) => {
        $symbol
    };
}

functions! {
    /// Functions of `libcuda`. Every one is of CUDA 11.7 or older, but for those in an `Option`.
    Functions;
    always {
        cuInit(c_uint);
        cuDriverGetVersion(*mut c_int);
        cuGetErrorName(CUresult, *mut *const c_char);
        cuDeviceGetCount(*mut c_int);
        cuDeviceGet(*mut CUdevice, c_int);
        cuDeviceGetName(*mut c_char, c_int, CUdevice);
        cuDeviceGetAttribute(*mut c_int, CUdevice_attribute, CUdevice);
        cuDevicePrimaryCtxRetain(*mut CUcontext, CUdevice);
        cuDevicePrimaryCtxReset = "cuDevicePrimaryCtxReset_v2" (CUdevice);
        cuCtxPushCurrent = "cuCtxPushCurrent_v2" (CUcontext);
        cuCtxPopCurrent = "cuCtxPopCurrent_v2" (*mut CUcontext);
        cuCtxSynchronize();
        cuCtxGetStreamPriorityRange(*mut c_int, *mut c_int);
        cuStreamCreateWithPriority(*mut CUstream, c_uint, c_int);
        cuStreamDestroy = "cuStreamDestroy_v2" (CUstream);
        cuStreamQuery(CUstream);
        cuStreamSynchronize(CUstream);
        cuStreamWaitEvent(CUstream, CUevent, c_uint);
        cuStreamWriteValue64 = "cuStreamWriteValue64_v2" (CUstream, CUdeviceptr, u64, c_uint);
        cuStreamWaitValue64 = "cuStreamWaitValue64_v2" (CUstream, CUdeviceptr, u64, c_uint);
        cuStreamIsCapturing(CUstream, *mut CUstreamCaptureStatus);
        cuStreamBeginCapture = "cuStreamBeginCapture_v2" (CUstream, CUstreamCaptureMode);
        cuStreamEndCapture(CUstream, *mut CUgraph);
        cuThreadExchangeStreamCaptureMode(*mut CUstreamCaptureMode);
        cuGraphInstantiateWithFlags(*mut CUgraphExec, CUgraph, c_ulonglong);
        cuGraphGetNodes(CUgraph, *mut CUgraphNode, *mut usize);
        cuGraphLaunch(CUgraphExec, CUstream);
        cuGraphExecDestroy(CUgraphExec);
        cuGraphDestroy(CUgraph);
        cuEventCreate(*mut CUevent, c_uint);
        cuEventDestroy = "cuEventDestroy_v2" (CUevent);
        cuEventRecord(CUevent, CUstream);
        cuEventQuery(CUevent);
        cuEventSynchronize(CUevent);
        cuEventElapsedTime(*mut f32, CUevent, CUevent);
        cuMemAlloc = "cuMemAlloc_v2" (*mut CUdeviceptr, usize);
        cuMemFree = "cuMemFree_v2" (CUdeviceptr);
        cuMemAllocAsync(*mut CUdeviceptr, usize, CUstream);
        cuMemFreeAsync(CUdeviceptr, CUstream);
        cuMemHostAlloc(*mut *mut c_void, usize, c_uint);
        cuMemFreeHost(*mut c_void);
        cuMemHostGetDevicePointer = "cuMemHostGetDevicePointer_v2" (*mut CUdeviceptr, *mut c_void, c_uint);
        cuMemcpyAsync(CUdeviceptr, CUdeviceptr, usize, CUstream);
        cuMemsetD8Async(CUdeviceptr, c_uchar, usize, CUstream);
        cuMemsetD32Async(CUdeviceptr, c_uint, usize, CUstream);
        cuLaunchHostFunc(CUstream, CUhostFn, *mut c_void);
        cuModuleLoadData(*mut CUmodule, *const c_void);
        cuModuleGetFunction(*mut CUfunction, CUmodule, *const c_char);
        cuLaunchKernel(
            CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream,
            *mut *mut c_void, *mut *mut c_void
        );
    }
    newer {
        cuStreamGetId(CUstream, *mut c_ulonglong);
    }
}
