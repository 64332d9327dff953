//! An oracle run over a fault that was planted: it must find it. With the feature `planted` the variable
//! `RINGFENCE_PLANTED` names the fault; without the feature nothing of this is in a build.

use crate::replay::Check;

/// Checks `input`, under the planted fault if one is named.
///
/// # Panics
/// As `check`. If no fault has that name.
#[cfg(not(feature = "planted"))]
pub fn run(input: &[u8], check: Check) {
    check(input);
}

/// Checks `input`, under the planted fault if one is named.
///
/// # Panics
/// As `check`. If no fault has that name.
#[cfg(feature = "planted")]
pub fn run(input: &[u8], check: Check) {
    use std::sync::OnceLock;

    use ringfence::plant::{Fault, with};

    static NAME: OnceLock<Option<String>> = OnceLock::new();
    match NAME.get_or_init(|| std::env::var("RINGFENCE_PLANTED").ok()).as_deref() {
        None => check(input),
        Some("PrintWithoutEscape") => ringfence_mock::plant::with(|| check(input)),
        Some("ReadPastTheRing") => ringfence_softgpu::plant::with(|| check(input)),
        Some(name) => {
            let fault = Fault::ALL.iter().find(|fault| fault.name() == name);
            with(*fault.unwrap_or_else(|| panic!("no planted fault is called {name}")), || {
                check(input)
            });
        }
    }
}
