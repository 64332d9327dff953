use super::{HsaError, Status};
use crate::{
    Loss,
    sys::{Library, hsa_status_t},
};

#[test]
fn an_error_names_the_call_the_number_the_words_and_the_way_out() {
    let status = Status::new(hsa_status_t::HSA_STATUS_ERROR_OUT_OF_RESOURCES, "some words");
    let error = HsaError::Call { call: "hsa_init", status };
    let text = error.to_string();
    for part in ["hsa_init", "0x1008", "some words", "/dev/kfd", "render"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    let unknown = HsaError::Call { call: "hsa_x", status: Status::new(hsa_status_t(0x42), "") };
    assert_eq!(unknown.to_string(), "hsa_x failed with 0x42");
    assert_eq!(Loss::Queue(status).to_string(), "a queue failed with 0x1008 (some words)");
}

#[test]
fn a_library_that_is_missing_says_what_to_install() {
    // SAFETY: there is nothing.
    let error = unsafe { Library::load_from(["/nowhere/libhsa-runtime64.so.1"]) };
    let error = error.expect_err("it is nowhere");
    let text = HsaError::from(error).to_string();
    assert!(text.contains("/nowhere/") && text.contains("install"), "{text}");
}
