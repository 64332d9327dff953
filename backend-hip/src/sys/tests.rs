use super::*;

#[test]
fn a_missing_library_is_reported_with_all_paths() {
    let paths = ["libno-such-hip.so", "/nowhere/libamdhip64.so"];
    // SAFETY: nothing lies there.
    let error = unsafe { Library::load_from(paths) }.unwrap_err().to_string();
    for path in paths {
        assert!(error.contains(path), "{error}");
    }
}

#[test]
fn a_library_that_is_no_hip_is_reported_with_what_it_lacks() {
    // SAFETY: it is loaded already, and none of its functions has a name of HIP's.
    let error = unsafe { Library::load_from(["libc.so.6"]) }.unwrap_err();
    let LoadError::MissingSymbols { symbols, .. } = error else { panic!("{error}") };
    assert!(symbols.contains(&"hipStreamQuery") && symbols.len() > 40, "{symbols:?}");
    assert!(!symbols.contains(&"hipLaunchHostFunc"), "HIP 5.2 lacks it");
}

/// `cubecl-hip-sys` generates its constants from AMD's headers.
#[cfg(feature = "hip-sys")]
mod beside_generated_bindings {
    macro_rules! agree {
        ($($prefix:ident: $($name:ident)*;)*) => {$(
            $(assert_eq!(
                u64::from(super::super::$name), u64::from(hip_sys::$name), stringify!($name)
            );)*
        )*};
    }

    #[test]
    fn constants_agree() {
        agree! {
            flags: hipStreamNonBlocking hipEventBlockingSync hipEventDisableTiming
                hipHostMallocPortable hipHostMallocMapped hipHostMallocCoherent hipStreamWaitValueGte;
        }
        macro_rules! prefixed {
            ($($theirs:ident = $ours:ident;)*) => {
                $(assert_eq!(super::super::$ours, hip_sys::$theirs as _, stringify!($ours));)*
            };
        }
        prefixed! {
            hipError_t_hipSuccess = hipSuccess;
            hipError_t_hipErrorInvalidValue = hipErrorInvalidValue;
            hipError_t_hipErrorOutOfMemory = hipErrorOutOfMemory;
            hipError_t_hipErrorNotInitialized = hipErrorNotInitialized;
            hipError_t_hipErrorDeinitialized = hipErrorDeinitialized;
            hipError_t_hipErrorNoDevice = hipErrorNoDevice;
            hipError_t_hipErrorInvalidDevice = hipErrorInvalidDevice;
            hipError_t_hipErrorInvalidContext = hipErrorInvalidContext;
            hipError_t_hipErrorECCNotCorrectable = hipErrorECCNotCorrectable;
            hipError_t_hipErrorInvalidHandle = hipErrorInvalidHandle;
            hipError_t_hipErrorIllegalState = hipErrorIllegalState;
            hipError_t_hipErrorNotReady = hipErrorNotReady;
            hipError_t_hipErrorIllegalAddress = hipErrorIllegalAddress;
            hipError_t_hipErrorLaunchTimeOut = hipErrorLaunchTimeOut;
            hipError_t_hipErrorContextIsDestroyed = hipErrorContextIsDestroyed;
            hipError_t_hipErrorAssert = hipErrorAssert;
            hipError_t_hipErrorLaunchFailure = hipErrorLaunchFailure;
            hipError_t_hipErrorNotSupported = hipErrorNotSupported;
            hipError_t_hipErrorStreamCaptureUnsupported = hipErrorStreamCaptureUnsupported;
            hipError_t_hipErrorStreamCaptureInvalidated = hipErrorStreamCaptureInvalidated;
            hipError_t_hipErrorStreamCaptureMerge = hipErrorStreamCaptureMerge;
            hipError_t_hipErrorStreamCaptureUnmatched = hipErrorStreamCaptureUnmatched;
            hipError_t_hipErrorStreamCaptureUnjoined = hipErrorStreamCaptureUnjoined;
            hipError_t_hipErrorStreamCaptureIsolation = hipErrorStreamCaptureIsolation;
            hipError_t_hipErrorStreamCaptureImplicit = hipErrorStreamCaptureImplicit;
            hipError_t_hipErrorCapturedEvent = hipErrorCapturedEvent;
            hipError_t_hipErrorStreamCaptureWrongThread = hipErrorStreamCaptureWrongThread;
            hipStreamCaptureMode_hipStreamCaptureModeGlobal = hipStreamCaptureModeGlobal;
            hipStreamCaptureMode_hipStreamCaptureModeThreadLocal = hipStreamCaptureModeThreadLocal;
            hipStreamCaptureMode_hipStreamCaptureModeRelaxed = hipStreamCaptureModeRelaxed;
            hipStreamCaptureStatus_hipStreamCaptureStatusNone = hipStreamCaptureStatusNone;
            hipStreamCaptureStatus_hipStreamCaptureStatusActive = hipStreamCaptureStatusActive;
            hipStreamCaptureStatus_hipStreamCaptureStatusInvalidated = hipStreamCaptureStatusInvalidated;
            hipMemcpyKind_hipMemcpyDefault = hipMemcpyDefault;
        }
    }
}
