//! HIP's types and constants, with the names of its headers
//! (<https://github.com/ROCm/rocm-systems/blob/develop/projects/hip/include/hip/hip_runtime_api.h>).
//!
//! They have had the same values from HIP 5.2 on; a test compares them with those of `cubecl-hip-sys` (feature `hip-sys`).

#![allow(non_camel_case_types, non_upper_case_globals, reason = "HIP's own names")]

use std::ffi::{c_int, c_uint, c_void};

/// `hipError_t`.
pub type hipError_t = c_uint;
/// `hipStream_t`.
pub type hipStream_t = *mut c_void;
/// `hipEvent_t`.
pub type hipEvent_t = *mut c_void;
/// `hipGraph_t`.
pub type hipGraph_t = *mut c_void;
/// `hipGraphExec_t`.
pub type hipGraphExec_t = *mut c_void;
/// `hipMemPool_t`.
pub type hipMemPool_t = *mut c_void;
/// `hipModule_t`.
pub type hipModule_t = *mut c_void;
/// `hipFunction_t`.
pub type hipFunction_t = *mut c_void;
/// `hiprtcProgram`.
pub type hiprtcProgram = *mut c_void;
/// `hipStreamCaptureMode`.
pub type hipStreamCaptureMode = c_uint;
/// `hipStreamCaptureStatus`.
pub type hipStreamCaptureStatus = c_uint;
/// `hipHostFn_t`.
pub type hipHostFn_t = unsafe extern "C" fn(*mut c_void);
/// `hipStreamCallback_t`.
pub type hipStreamCallback_t = unsafe extern "C" fn(hipStream_t, hipError_t, *mut c_void);

macro_rules! constants {
    ($($type:ty { $($name:ident = $value:literal,)* })*) => {
        $($(
            #[doc = concat!("`", stringify!($name), "`.")]
            pub const $name: $type = $value;
        )*)*
    };
}
constants! {
    hipError_t {
        hipSuccess = 0,
        hipErrorInvalidValue = 1,
        hipErrorOutOfMemory = 2,
        hipErrorNotInitialized = 3,
        hipErrorDeinitialized = 4,
        hipErrorNoDevice = 100,
        hipErrorInvalidDevice = 101,
        hipErrorInvalidContext = 201,
        hipErrorECCNotCorrectable = 214,
        hipErrorInvalidHandle = 400,
        hipErrorIllegalState = 401,
        hipErrorNotReady = 600,
        hipErrorIllegalAddress = 700,
        hipErrorLaunchTimeOut = 702,
        hipErrorContextIsDestroyed = 709,
        hipErrorAssert = 710,
        hipErrorLaunchFailure = 719,
        hipErrorNotSupported = 801,
        hipErrorStreamCaptureUnsupported = 900,
        hipErrorStreamCaptureInvalidated = 901,
        hipErrorStreamCaptureMerge = 902,
        hipErrorStreamCaptureUnmatched = 903,
        hipErrorStreamCaptureUnjoined = 904,
        hipErrorStreamCaptureIsolation = 905,
        hipErrorStreamCaptureImplicit = 906,
        hipErrorCapturedEvent = 907,
        hipErrorStreamCaptureWrongThread = 908,
    }
    c_uint {
        hipStreamNonBlocking = 1,
        hipEventBlockingSync = 1,
        hipEventDisableTiming = 2,
        hipHostMallocPortable = 1,
        hipHostMallocMapped = 2,
        hipHostMallocCoherent = 0x4000_0000,
        hipStreamWaitValueGte = 0,
    }
    hipStreamCaptureMode {
        hipStreamCaptureModeGlobal = 0,
        hipStreamCaptureModeThreadLocal = 1,
        hipStreamCaptureModeRelaxed = 2,
    }
    hipStreamCaptureStatus {
        hipStreamCaptureStatusNone = 0,
        hipStreamCaptureStatusActive = 1,
        hipStreamCaptureStatusInvalidated = 2,
    }
    c_int {
        hipMemcpyDefault = 4,
    }
}
