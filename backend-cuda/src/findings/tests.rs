use super::*;

#[test]
fn a_look_says_what_there_is_or_why_there_is_nothing() {
    let findings = Findings::collect();
    println!("{findings}");
    assert!(!findings.tried().is_empty());
    let usable = findings.usable() == Usable::Yes;
    assert_eq!(usable, findings.error().is_none(), "{findings}");
    assert_eq!(usable, findings.version().is_some(), "{findings}");
    for device in findings.devices() {
        assert!(device.name().is_some() && device.capability().is_some(), "{device}");
    }
}

#[test]
fn without_a_driver_each_path_is_told() {
    // The library of the process may be there; what `load` says of one that is not is the same.
    let error = crate::sys::LoadError::NotFound {
        attempts: Library::paths()
            .into_iter()
            .map(|path| crate::sys::Attempt { path, reason: "not there".to_owned() })
            .collect(),
    };
    let text = CudaError::from(error).to_string();
    for path in Library::paths() {
        assert!(text.contains(&path.display().to_string()), "{text}");
    }
    assert!(text.contains("install NVIDIA's driver"), "{text}");
}
