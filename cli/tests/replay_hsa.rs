//! `ringfence replay --backend hsa` on a machine without a runtime: it says so, and where to look.

use std::process::Command;

#[test]
fn a_missing_runtime_is_an_error_that_points_to_doctor() {
    let scenario =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/scenarios/host_wait_holds_no_lock.toml");
    let output = Command::new(env!("CARGO_BIN_EXE_ringfence"))
        .args(["replay", "--backend", "hsa", scenario])
        .env("RINGFENCE_HSA_LIBRARY", "/no/such/libhsa-runtime64.so.1")
        .output()
        .expect("the binary was built for this test");
    let (out, error) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert_eq!(out, "", "nothing was played");
    assert!(error.contains("/no/such/libhsa-runtime64.so.1"), "{error}");
    assert!(error.contains("`ringfence doctor`"), "{error}");
    assert!(!error.contains("panicked"), "{error}");
}
