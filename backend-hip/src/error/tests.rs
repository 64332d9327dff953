use super::*;

fn class(number: u32) -> DriverError {
    Code::new(number, "").class()
}

#[test]
fn numbers_have_their_classes() {
    for number in [900, 905, 906, 907, 908] {
        assert!(matches!(class(number), DriverError::CaptureConflict(_)), "{number}");
    }
    for number in [901, 904] {
        assert!(matches!(class(number), DriverError::CaptureFailed(_)), "{number}");
    }
    for number in [1, 400, 709] {
        assert!(matches!(class(number), DriverError::Bad(_)), "{number}");
    }
    for number in [700, 719] {
        assert!(matches!(class(number), DriverError::DeviceLost(_)), "{number}");
    }
    assert!(matches!(class(2), DriverError::OutOfMemory(_)));
    assert_eq!(class(801), DriverError::Unsupported);
    assert_eq!(class(401), DriverError::Other(DriverCode::new(401)));
}

#[test]
fn a_refusal_says_nothing_of_a_stream() {
    assert_eq!(state_of(class(900)), StreamState::Unknown);
    assert!(matches!(state_of(class(709)), StreamState::Failed(_)));
}

#[test]
fn errors_say_the_call_and_the_way_out() {
    let error = HipError::Call { call: "hipMalloc", code: Code::new(2, "hipErrorOutOfMemory") };
    let text = error.to_string();
    assert!(text.contains("hipMalloc failed with 2 (hipErrorOutOfMemory); free memory"), "{text}");
}
