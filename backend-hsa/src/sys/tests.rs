use std::path::Path;

use super::{Library, LoadError, symbols};

#[test]
fn a_path_that_leads_nowhere_is_listed_with_its_reason() {
    let paths = ["/nowhere/libhsa-runtime64.so.1", "/nowhere/else.so"];
    // SAFETY: there is nothing.
    let error = unsafe { Library::load_from(paths) };
    let Err(LoadError::NotFound { attempts }) = &error else { panic!("{error:?}") };
    assert_eq!(attempts.len(), 2);
    assert_eq!(attempts[0].path, Path::new("/nowhere/libhsa-runtime64.so.1"));
    assert!(attempts[1].reason.contains("/nowhere/else.so"), "{attempts:?}");
    let text = error.map(|_| ()).expect_err("seen above").to_string();
    assert!(text.contains("\n  /nowhere/else.so: "), "{text}");
}

#[test]
fn another_library_lacks_every_symbol() {
    // SAFETY: this process has the C library, and that has nothing of a runtime's.
    let error = unsafe { Library::load_from(["/nowhere/first.so", "libc.so.6"]) };
    let Err(LoadError::MissingSymbols { path, symbols }) = &error else { panic!("{error:?}") };
    assert_eq!(path, Path::new("libc.so.6"));
    assert_eq!(symbols, symbols::REQUIRED);
    let text = error.map(|_| ()).expect_err("seen above").to_string();
    assert!(text.contains("hsa_init") && text.contains("hsa_amd_signal_wait_any"), "{text}");
}

/// A function that is bound but in neither list would be taken for present and panic at its first call.
#[test]
fn every_function_of_the_bindings_is_required_or_newer() {
    let mut bound: Vec<&str> = include_str!("bindings.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("    pub hsa_")?.split_once(':'))
        .filter(|(_, of)| of.is_empty() || of.starts_with(" Result<"))
        .map(|(name, _)| name)
        .collect();
    let mut listed: Vec<&str> = [symbols::REQUIRED, symbols::NEWER]
        .concat()
        .iter()
        .map(|name| name.strip_prefix("hsa_").expect("a function of HSA"))
        .collect();
    bound.sort_unstable();
    listed.sort_unstable();
    assert!(!bound.is_empty());
    assert_eq!(bound, listed);
}
