use super::*;

#[test]
fn a_missing_library_is_reported_with_all_paths() {
    let paths = ["libno-such-cuda.so", "/nowhere/libcuda.so.1"];
    // SAFETY: nothing lies there.
    let error = unsafe { Library::load_from(paths) }.unwrap_err().to_string();
    for path in paths {
        assert!(error.contains(path), "{error}");
    }
}

#[test]
fn a_library_that_is_no_driver_is_reported_with_what_it_lacks() {
    // SAFETY: it is loaded already, and none of its functions has a name of the driver's.
    let error = unsafe { Library::load_from(["libc.so.6"]) }.unwrap_err();
    let LoadError::MissingSymbols { symbols, .. } = error else { panic!("{error}") };
    assert!(symbols.contains(&"cuStreamQuery") && symbols.len() > 40, "{symbols:?}");
    // The plain name is an older function, which current drivers refuse to serve.
    assert!(symbols.contains(&"cuStreamWriteValue64_v2"), "{symbols:?}");
    assert!(!symbols.contains(&"cuStreamWriteValue64"), "{symbols:?}");
    assert!(!symbols.contains(&"cuStreamGetId"), "CUDA 11 lacks it");
}

#[test]
fn numbers_are_those_of_the_header() {
    assert_eq!((CUDA_SUCCESS, CUDA_ERROR_NOT_READY, CUDA_ERROR_LAUNCH_FAILED), (0, 600, 719));
    assert_eq!((CU_STREAM_CAPTURE_MODE_RELAXED, CU_STREAM_CAPTURE_STATUS_INVALIDATED), (2, 2));
    assert_eq!((CU_STREAM_NON_BLOCKING, CU_EVENT_DISABLE_TIMING), (1, 2));
    assert_eq!(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 115);
}
