use std::sync::{Arc, Mutex};

use super::*;

#[test]
fn a_parcel_is_called_once_or_taken_back() {
    let calls = Arc::new(Mutex::new(Vec::new()));
    let call = |number: u32| {
        let calls = Arc::clone(&calls);
        Parcel::send(Box::new(move || calls.lock().expect("no panic").push(number)))
    };
    let (called, taken_back) = (call(1), call(2));
    // SAFETY: it is this test's own.
    unsafe { unpack(called) };
    // SAFETY: as above.
    unsafe { Parcel::take_back(taken_back) };
    assert_eq!(*calls.lock().expect("no panic"), [1]);
    assert_eq!(Arc::strong_count(&calls), 1, "both are dropped");
}

#[test]
fn a_panic_ends_in_the_parcel() {
    let parcel = Parcel::send(Box::new(|| panic!("expected: in a parcel")));
    // SAFETY: it is this test's own.
    unsafe { unpack(parcel) };
}
