use super::*;

fn class(number: u32) -> DriverError {
    Code::new(number, "").class()
}

#[test]
fn numbers_have_their_classes() {
    for number in [900, 905, 906, 907, 908] {
        assert!(matches!(class(number), DriverError::CaptureConflict(_)), "{number}");
    }
    for number in [901, 902, 904] {
        assert!(matches!(class(number), DriverError::CaptureFailed(_)), "{number}");
    }
    for number in [1, 201, 400, 709] {
        assert!(matches!(class(number), DriverError::Bad(_)), "{number}");
    }
    for number in [214, 700, 715, 719] {
        assert!(matches!(class(number), DriverError::DeviceLost(_)), "{number}");
    }
    assert!(matches!(class(2), DriverError::OutOfMemory(_)));
    assert_eq!(class(801), DriverError::Unsupported);
    assert_eq!(class(401), DriverError::Other(DriverCode::new(401)));
    // 701 is the launch's own fault: the context goes on.
    assert_eq!(class(701), DriverError::Other(DriverCode::new(701)));
}

#[test]
fn a_refusal_says_nothing_of_a_stream() {
    assert_eq!(state_of(class(900)), StreamState::Unknown);
    assert!(matches!(state_of(class(400)), StreamState::Failed(_)));
}

#[test]
fn errors_say_the_call_and_the_way_out() {
    let error =
        CudaError::Call { call: "cuMemAllocAsync", code: Code::new(2, "CUDA_ERROR_OUT_OF_MEMORY") };
    let text = error.to_string();
    let expected = "cuMemAllocAsync failed with 2 (CUDA_ERROR_OUT_OF_MEMORY); free memory";
    assert!(text.contains(expected), "{text}");
    let stub = CudaError::Call { call: "cuInit", code: Code::new(34, "CUDA_ERROR_STUB_LIBRARY") };
    assert!(stub.to_string().contains("stub"), "{stub}");
}
